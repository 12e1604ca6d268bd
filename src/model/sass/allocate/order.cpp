#include "model/sass/allocate/order.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/support/round_up.h"
#include "model/sass/allocate/balance.h"
#include "model/sass/allocate/schedule.h"
#include "model/sass/allocate/spill.h"

namespace drywarp::sass {
namespace {

constexpr uint32_t kAside = 3;     // of the registers, which the order leaves for what it does not see
constexpr uint32_t kInFlight = 8;  // registers that let a loop's loads go out together
constexpr uint32_t kHardlyLess = 2;

constexpr uint32_t allocated(uint32_t registers) { return round_up(registers, kRegisterUnit); }

struct Attempt {
  Ordered ordered;
  uint32_t less = 0;  // how many registers fewer than there are a region had to be ordered for
  bool fits = false;
};

// The registers that regions are ordered for, one after the other until the result gets along with what there is: first
// what alignment may cost, then shares.
std::vector<uint32_t> budgets(uint32_t registers) {
  const uint32_t budget = registers - std::min(kAside, registers);
  std::vector<uint32_t> all;
  for (const uint32_t less : {0u, 1u, 2u, 3u, 4u, 6u}) all.push_back(budget - std::min(budget, less));
  for (const uint32_t eighths : {6u, 4u, 2u, 0u}) all.push_back(std::min(all.back(), budget * eighths / 8));
  return all;
}

// The best order for so many registers; if none fits, the thriftiest.
Attempt attempt(const Kernel& kernel, const Ordered& unordered, uint32_t registers, uint32_t reserved) {
  std::optional<Attempt> best;
  std::vector<Region> code = unordered.regions;
  std::vector<bool> too_many(code.size(), true);
  const std::vector<uint32_t> shares = budgets(registers);
  for (const uint32_t share : shares) {
    for (size_t r = 0; r < code.size(); ++r) {
      if (!too_many[r] || code[r].fallback) continue;
      code[r] = unordered.regions[r];
      schedule(kernel, code[r].code, unordered.live.at(code[r].successors), share);
    }
    std::vector<Region> balanced = code;
    balance_pipes(kernel, balanced);
    Allocation allocation = allocate(kernel, balanced, unordered.live, kStackPointer);
    const uint32_t needed = allocation.general;
    bool any = false;
    for (size_t r = 0; r < code.size(); ++r) {
      too_many[r] = allocation.general_of[r] + reserved > registers;
      any = any || too_many[r];
    }
    if (!any) too_many.assign(code.size(), true);
    if (!best || needed < best->ordered.allocation.general)
      best = {{std::move(balanced), unordered.live, std::move(allocation)},
              shares.front() - share,
              needed + reserved <= registers};
    if (best->fits) break;
  }
  return std::move(*best);
}

}  // namespace

Ordered order(Kernel& kernel, Ordered code, const RegisterLimits& limits) {
  const auto needs = [&](const Attempt& a) { return allocated(a.ordered.allocation.general + limits.reserved); };
  const uint32_t wanted = limits.comfortable - std::min(limits.reserved, limits.comfortable);
  Attempt plain = attempt(kernel, code, limits.comfortable, limits.reserved);
  if (plain.fits && (plain.less <= kHardlyLess || !limits.free)) return std::move(plain.ordered);
  // With constants read again where they are needed.
  const auto again = [&](const Ordered& from, uint32_t at_most) {
    Ordered other = from;
    other.allocation = allocate(kernel, other.regions, other.live, kStackPointer);
    compute_again(kernel, other.regions, other.live, kStackPointer, at_most, other.allocation);
    return other;
  };
  if (limits.free) {
    const uint32_t room = kAside + kInFlight;
    Attempt leaner = attempt(kernel, again(code, wanted - std::min(room, wanted)), limits.comfortable, limits.reserved);
    if (leaner.fits && (!plain.fits || leaner.less < plain.less)) return std::move(leaner.ordered);
  }
  if (plain.fits) return std::move(plain.ordered);

  const auto for_more = [&](const Ordered& from, const Attempt& thriftiest) -> std::optional<Attempt> {
    const uint32_t next = needs(thriftiest);
    if (next > limits.most) return std::nullopt;
    return attempt(kernel, from, next, limits.reserved);
  };
  std::optional<Attempt> best = for_more(code, plain);
  if (limits.free) {
    const Ordered fewer = again(code, wanted);
    std::optional<Attempt> other = for_more(fewer, attempt(kernel, fewer, limits.comfortable, limits.reserved));
    if (other && (!best || needs(*other) < needs(*best))) best = std::move(other);
    // And again of what is in order.
    const Attempt& now = best ? *best : plain;
    Ordered last = now.ordered;
    compute_again(kernel, last.regions, last.live, kStackPointer, wanted, last.allocation);
    if (allocated(last.allocation.general + limits.reserved) < needs(now)) return last;
  }
  if (best) return std::move(best->ordered);
  // More than there are, whatever the order: the one that hides latencies best, and memory takes the rest.
  Ordered first = code;
  const uint32_t budget = limits.comfortable - std::min(kAside, limits.comfortable);
  for (Region& region : first.regions)
    if (!region.fallback) schedule(kernel, region.code, first.live.at(region.successors), budget);
  balance_pipes(kernel, first.regions);
  first.allocation = allocate(kernel, first.regions, first.live, kStackPointer);
  return first;
}

}  // namespace drywarp::sass
