#include "model/sass/allocate/allocate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace drywarp::sass {
namespace {

// Registers of a step that allocation needs beyond what scheduling sees, for alignment and colouring; assumed.
constexpr uint32_t kHeadroom = 3;
// Where vectors are loaded, orders leave more registers free if they can, for alignment: one more than the widest has.
// In ptxas 13's code for products with 4x4 to 8x8 values a thread, which loads vectors of four, the words that are live
// at once stay below the step by 8, as far as the leanest order allows; by 3 to 5 in loops of as many sums and loads.
constexpr uint32_t kForVectors = 1;
constexpr uint32_t kSpare = 8;  // registers of a step that rematerialization seeks to leave
// Registers beyond those of the leanest order: 3 and 4 give ptxas's number for loops with 1 to 192 sums and loads.
// Others take the next step.
constexpr uint32_t kInFlight = 3;
// Registers that rematerialization may save to reach a step, beside those of constants: 1 gives ptxas's step in 38 of
// 44 such products.
constexpr uint32_t kSaved = 1;

struct Attempt {
  AllocatedCode code;
  bool fits = false;
  double cycles = 0;  // that the orders are estimated to take, weighted by loop depth
};

// Reductions of the budgets that regions are scheduled for, tried in turn until the result fits: first small ones for
// alignment, then fractions of `budget`.
std::vector<uint32_t> reductions(uint32_t budget) {
  std::vector<uint32_t> all{0, 1, 2, 3, 4, 6, 9, 12, 16};
  for (const uint32_t eighths : {6u, 4u, 2u, 0u}) all.push_back(std::max(all.back(), budget - budget * eighths / 8));
  return all;
}

// Registers that no order of the code's instructions can save: the most live where a region starts.
uint32_t least_needed(const Kernel& kernel, const AllocatedCode& input) {
  uint32_t most = 0;
  for (const Region& region : input.regions) {
    uint32_t words = 0;
    for (const Register r : input.live.in(region.path[0].block))
      if (kernel.registers[r].file == RegisterFile::General) words += kernel.registers[r].words;
    most = std::max(most, words);
  }
  return most;
}

// By region: registers that the order with the lowest pressure needs.
std::vector<uint32_t> leanest_by_region(const Kernel& kernel, const AllocatedCode& input) {
  std::vector<uint32_t> needed;
  for (const Region& region : input.regions)
    needed.push_back(region.fallback ? 0 : least_pressure(kernel, region.code, input.live.at(region.successors)));
  return needed;
}

// The most registers that one load of the region writes.
uint32_t widest_load(const Kernel& kernel, const Region& region) {
  uint32_t widest = 1;
  for (const Instruction& c : region.code) {
    if (c.space == AddressSpace::None || c.role != Role::Load) continue;
    uint32_t words = 0;
    for (const Register d : c.destination)
      if (d != kNone && kernel.registers[d].file == RegisterFile::General) words += kernel.registers[d].words;
    widest = std::max(widest, words);
  }
  return widest;
}

// The best schedule for this many registers; if none fits, the one that needs the fewest. Where none can fit whatever
// `most` registers a thread may have, one schedule stands for all: such code is spilled.
// `lean`: what the leanest orders need, by region.
Attempt attempt(const Kernel& kernel, const AllocatedCode& input, const std::vector<uint32_t>& lean, uint32_t registers,
                const RegisterLimits& limits) {
  const uint32_t reserved = limits.reserved;
  const bool spills = least_needed(kernel, input) + reserved > limits.steps.back();
  std::optional<Attempt> best;
  std::vector<Region> code = input.regions;
  std::vector<bool> too_many(code.size(), true);
  std::vector<double> cycles(code.size(), 0);
  const uint32_t most = registers - std::min(kHeadroom, registers);
  const bool first = registers == limits.steps.front();
  for (const uint32_t reduction : reductions(most)) {
    for (size_t r = 0; r < code.size(); ++r) {
      if (!too_many[r] || code[r].fallback) continue;
      code[r] = input.regions[r];
      // The first step is the last that more blocks could share: it is used up.
      const uint32_t widest = first || !limits.free ? 1 : widest_load(kernel, code[r]);
      const uint32_t aligned = widest > 1 ? widest + kForVectors : 0;
      const uint32_t budget = std::min(most, std::max(most - std::min(aligned, most), lean[r] + kInFlight));
      cycles[r] =
          std::pow(kLoopWeight, code[r].loop_depth) * schedule(kernel, code[r].code, input.live.at(code[r].successors),
                                                               budget - std::min(budget, reduction), !first);
    }
    std::vector<Region> balanced = code;
    balance_pipes(kernel, balanced);
    Allocation allocation = allocate(kernel, balanced, input.live, kStackPointer);
    const uint32_t needed = allocation.general;
    bool any = false;
    for (size_t r = 0; r < code.size(); ++r) {
      too_many[r] = allocation.general_of[r] + reserved > registers;
      any = any || too_many[r];
    }
    if (!any) too_many.assign(code.size(), true);
    if (!best || needed < best->code.allocation.general)
      best = {{std::move(balanced), input.live, std::move(allocation)},
              needed + reserved <= registers,
              std::accumulate(cycles.begin(), cycles.end(), 0.0)};
    if (best->fits || spills) break;
  }
  return std::move(*best);
}

AllocatedCode rematerialized(Kernel& kernel, const AllocatedCode& from, uint32_t at_most, Rematerialized what) {
  AllocatedCode other = from;
  other.allocation = allocate(kernel, other.regions, other.live, kStackPointer);
  rematerialize(kernel, other.regions, other.live, kStackPointer, at_most, what, other.allocation);
  return other;
}

}  // namespace

AllocatedCode schedule_and_allocate(Kernel& kernel, AllocatedCode code, const RegisterLimits& limits) {
  const uint32_t most = limits.steps.back();
  const std::vector<uint32_t> lean = leanest_by_region(kernel, code);
  const auto needed = [&](const std::vector<uint32_t>& by_region) {
    return *std::ranges::max_element(by_region) + 1 + limits.reserved;  // the stack pointer
  };
  if (limits.free) {
    const uint32_t constants_too = needed(lean);
    for (const uint32_t step : limits.steps) {
      std::optional<Attempt> best;
      if (constants_too + kInFlight <= step || step == most) best = attempt(kernel, code, lean, step, limits);
      // What is a few instructions away is computed again where it is read: constants; as much as it takes to have
      // registers to spare; or all of it.
      const uint32_t spared = step - std::min(kSpare, step);
      uint32_t others = constants_too;
      for (const auto& [at_most, what] :
           {std::pair{spared, Rematerialized::Constants}, {spared, Rematerialized::All}, {0u, Rematerialized::All}}) {
        if (best && constants_too + kSpare <= step) break;  // nothing is short
        const AllocatedCode other = rematerialized(kernel, code, at_most, what);
        const std::vector<uint32_t> lean_other = leanest_by_region(kernel, other);
        if (what == Rematerialized::Constants) others = needed(lean_other);
        const bool saves_enough = others + kInFlight <= step + kSaved && needed(lean_other) + kInFlight <= step;
        if (step != most && !saves_enough) continue;
        Attempt leaner = attempt(kernel, other, lean_other, step, limits);
        if (leaner.fits && (!best || !best->fits || leaner.cycles < best->cycles)) best = std::move(leaner);
      }
      if (best && best->fits) return std::move(best->code);
    }
  } else {
    Attempt exact = attempt(kernel, code, lean, most, limits);
    if (exact.fits) return std::move(exact.code);
  }
  // No schedule fits: take the one that hides latencies best, and spill.
  AllocatedCode first = code;
  const uint32_t budget = most - std::min(kHeadroom, most);
  for (Region& region : first.regions)
    if (!region.fallback) schedule(kernel, region.code, first.live.at(region.successors), budget, false);
  balance_pipes(kernel, first.regions);
  first.allocation = allocate(kernel, first.regions, first.live, kStackPointer);
  return first;
}

}  // namespace drywarp::sass
