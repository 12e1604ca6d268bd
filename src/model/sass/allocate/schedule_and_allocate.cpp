#include "model/sass/allocate/allocate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace drywarp::sass {
namespace {

// All assumed.
constexpr uint32_t kHeadroom = 3;  // registers that scheduling leaves for what it does not see: alignment, colouring
// Registers beyond those of the leanest order: 3 and 4 give ptxas's number for loops with 1 to 192 sums and loads.
// Others take the next step.
constexpr uint32_t kInFlight = 3;
// What is computed again to reach a step may save so many registers beside constants. Of 281 kernels that were tuned
// on, 253 have ptxas 13's step. With 1, two fewer, and 37 of 44 products with tiles of 4x4 to 8x8 had as many blocks on
// an SM as ptxas's; with 8 or more, one fewer.
constexpr uint32_t kSaved = 4;
// More may be saved where the order then takes less than kHardlyLonger times the cycles of one with unlimited
// registers, and its budget is reduced by at most kModestReduction. Where kSavesMuch registers or more are saved,
// kFewerInFlight fewer need to be free for loads. Of 1,087 kernels 961 have ptxas 13's step with this rule, and 954
// without.
constexpr double kHardlyLonger = 1.75;
constexpr uint32_t kModestReduction = 4, kSavesMuch = 3, kFewerInFlight = 2;
// An order that fits only with a reduced budget, and takes kFarTooLong times the cycles, makes the kernel take the next
// step. With this rule 964 have ptxas's.
constexpr double kFarTooLong = 5;
// A reduction of a budget that is worth rematerialization only if the order takes so many times fewer cycles with it.
// Without a reduction it is tried only if the order takes so many times the cycles of one with unlimited registers.
constexpr uint32_t kSmallReduction = 2;
constexpr double kClearly = 1.1;

struct Attempt {
  AllocatedCode code;
  uint32_t reduction = 0;  // the most that a region's register budget was reduced by
  double cycles = 0;       // estimated, of all regions, those in loops counted several times
  bool fits = false;
};

// Register budgets to schedule regions for, tried in turn until the result fits: small reductions for alignment, then
// fractions, which leave hardly a load in flight.
struct Budgets {
  std::vector<uint32_t> nearly_all, fractions;
};
Budgets budgets(uint32_t registers) {
  const uint32_t budget = registers - std::min(kHeadroom, registers);
  Budgets found;
  for (const uint32_t reduction : {0u, 1u, 2u, 3u, 4u, 6u, 9u, 12u, 16u})
    found.nearly_all.push_back(budget - std::min(budget, reduction));
  for (const uint32_t eighths : {6u, 4u, 2u, 0u})
    found.fractions.push_back(std::min(found.nearly_all.back(), budget * eighths / 8));
  return found;
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

// At full occupancy ptxas's order comes first. Where our registers do not suffice for it, another order may have as
// many loads in flight; ptxas's with fewer registers has not. Beyond it, orders of products from both ends have been
// fitted.
std::span<const Orders> orders_for(uint32_t registers, const RegisterLimits& limits) {
  static constexpr std::array kFull{Orders::FromStartOrPtxas, Orders::FromStart};
  static constexpr std::array kBeyond{Orders::FromBothEnds};
  if (registers <= limits.full_occupancy) return kFull;
  return kBeyond;
}

double weighted(const Region& region, unsigned cycles) { return std::pow(kLoopWeight, region.loop_depth) * cycles; }

// Estimated cycles with as many registers as any order can use.
double fewest_cycles(const Kernel& kernel, const AllocatedCode& input) {
  constexpr unsigned kUnlimited = 1U << 16;
  double cycles = 0;
  for (const Region& region : input.regions) {
    if (region.fallback) continue;
    std::vector<Instruction> code = region.code;
    cycles += weighted(region, schedule(kernel, code, live_around(input.live, region), kUnlimited, Orders::FromStart));
  }
  return cycles;
}

// The best schedule for this many registers; if none fits, the one that needs the fewest. Where none can fit whatever
// `most` registers a thread may have, one schedule stands for all: such code is spilled.
Attempt attempt(Kernel& kernel, const AllocatedCode& input, uint32_t registers, const RegisterLimits& limits) {
  const uint32_t reserved = limits.reserved;
  const bool spills = least_needed(kernel, input) + reserved > limits.steps.back();
  std::optional<Attempt> best;
  std::vector<Region> code = input.regions;
  std::vector<bool> too_many(code.size(), true);
  std::vector<double> cycles(code.size(), 0);
  const Budgets shares = budgets(registers);
  const auto done = [&] { return best && (best->fits || spills); };
  const auto try_order = [&](uint32_t share, Orders orders, bool colours_vectors) {
    for (size_t r = 0; r < code.size(); ++r) {
      if (!too_many[r] || code[r].fallback) continue;
      code[r] = input.regions[r];
      const LiveAround live = live_around(input.live, code[r]);
      cycles[r] = weighted(code[r], schedule(kernel, code[r].code, live, share, orders));
      share_constants(kernel, code[r].code, live.out);
    }
    std::vector<Region> balanced = code;
    balance_pipes(kernel, balanced);
    LiveSets live_sets = input.live;
    Allocation allocation = allocate(kernel, balanced, live_sets, kStackPointer, colours_vectors);
    keep_predicates(kernel, balanced, live_sets, kStackPointer, colours_vectors, allocation);
    const uint32_t needed = allocation.general;
    bool any = false;
    for (size_t r = 0; r < code.size(); ++r) {
      too_many[r] = allocation.general_of[r] + reserved > registers;
      any = any || too_many[r];
    }
    if (!any) too_many.assign(code.size(), true);
    if (!best || needed < best->code.allocation.general)
      best = {{std::move(balanced), std::move(live_sets), std::move(allocation)},
              shares.nearly_all.front() - share,
              std::accumulate(cycles.begin(), cycles.end(), 0.0),
              needed + reserved <= registers};
  };
  const auto try_all = [&](const std::vector<uint32_t>& some, bool colours_vectors) {
    for (const uint32_t share : some)
      for (const Orders orders : orders_for(registers, limits))
        if (!done()) try_order(share, orders, colours_vectors);
  };
  try_all(shares.nearly_all, false);
  const bool nearly_all_do = done();
  try_all(shares.fractions, false);
  // Coloured vectors save a step from its fractions. They take no step that the others do not reach: nor does ptxas.
  if (!nearly_all_do && best->fits && best->code.allocation.scanned_vectors) {
    std::optional<Attempt> scanned = std::exchange(best, std::nullopt);
    code = input.regions;
    too_many.assign(code.size(), true);
    try_all(shares.nearly_all, true);
    if (!best->fits) best = std::move(scanned);
  }
  return std::move(*best);
}

// Registers that the order with the lowest pressure needs, in the region that needs most.
uint32_t leanest(const Kernel& kernel, const AllocatedCode& input) {
  uint32_t most = 0;
  for (const Region& region : input.regions)
    if (!region.fallback) most = std::max(most, least_pressure(kernel, region.code, live_around(input.live, region)));
  return most + 1;  // the stack pointer
}

// Code to choose a step for.
struct Candidate {
  Candidate(const Kernel& of, AllocatedCode some)
      : kernel(of), code(std::move(some)), leanest(sass::leanest(of, code)) {}

  [[nodiscard]] double fewest_cycles() {
    if (!fewest) fewest = sass::fewest_cycles(kernel, code);
    return *fewest;
  }

  const Kernel& kernel;
  AllocatedCode code;
  uint32_t leanest;

 private:
  std::optional<double> fewest;  // once it was needed: no step changes it
};

bool has_barrier(const AllocatedCode& code) {
  return std::ranges::any_of(code.regions, [](const Region& region) {
    return std::ranges::any_of(region.code, [](const Instruction& c) { return c.op == machine::Operation::Bar; });
  });
}

// Without the moves of pair_pointer_halves(): pointers of loops step in place. The moves take registers for a pointer
// twice, and ptxas has them only where registers are free.
AllocatedCode stepping_in_place(const AllocatedCode& from) {
  AllocatedCode other = from;
  for (Region& region : other.regions) {
    const auto first = std::ranges::find_if_not(region.code, makes_pair_of_pointer);
    for (auto move = region.code.begin(); move != first; ++move)
      for (auto c = first; c != region.code.end(); ++c)
        for_each_source(*c, [&](Source& s) {
          if (s.reg == move->destination[0]) s.reg = move->source[0].reg;
        });
    region.code.erase(region.code.begin(), first);
  }
  return other;
}

AllocatedCode rematerialized(Kernel& kernel, const AllocatedCode& from, uint32_t at_most, Rematerialized what) {
  AllocatedCode other = from;
  other.allocation = allocate(kernel, other.regions, other.live, kStackPointer);
  rematerialize(kernel, other.regions, other.live, kStackPointer, at_most, what, other.allocation);
  return other;
}

}  // namespace

AllocatedCode schedule_and_allocate(Kernel& kernel, AllocatedCode input, const RegisterLimits& limits) {
  const uint32_t most = limits.steps.back();
  Candidate given(kernel, std::move(input));
  std::optional<Candidate> in_place;
  for (const uint32_t step : limits.steps) {
    const auto fits = [&](uint32_t needed, uint32_t saved = 0) {
      return step == most || needed + limits.reserved + kInFlight <= step + saved;
    };
    if (!fits(given.leanest) && !in_place) in_place.emplace(kernel, stepping_in_place(given.code));
    Candidate& from = fits(given.leanest) ? given : *in_place;
    std::optional<Attempt> best;
    if (fits(from.leanest)) best = attempt(kernel, from.code, step, limits);
    if (best && best->fits && best->reduction == 0 && best->cycles <= from.fewest_cycles() * kClearly)
      return std::move(best->code);
    // Constants are loaded in a loop again where their registers then let as much be in flight as unlimited ones would;
    // not in products of tiles (ptxas 13: two of two).
    if (best && best->fits && best->reduction == 0 && !has_barrier(from.code)) {
      Attempt again = attempt(kernel, rematerialized(kernel, from.code, 0, Rematerialized::Constants), step, limits);
      if (again.fits && again.reduction == 0 && again.cycles * kClearly < best->cycles &&
          again.cycles < from.fewest_cycles() * kClearly)
        return std::move(again.code);
    }
    const uint32_t room = kHeadroom + kInFlight + limits.reserved, at_most = step - std::min(room, step);
    const AllocatedCode all = rematerialized(kernel, from.code, at_most, Rematerialized::All);
    bool reaches = best.has_value(), saves_little = reaches;
    if (!best) {
      const uint32_t needed = leanest(kernel, all);
      saves_little =
          fits(needed) &&
          fits(leanest(kernel, rematerialized(kernel, from.code, at_most, Rematerialized::Constants)), kSaved);
      reaches = saves_little || fits(needed, needed + kSavesMuch <= from.leanest ? kFewerInFlight : 0);
    }
    if (reaches) {
      Attempt leaner = attempt(kernel, all, step, limits);
      const bool taken = saves_little ||
                         (leaner.reduction <= kModestReduction && leaner.cycles < from.fewest_cycles() * kHardlyLonger);
      const bool better = best && best->reduction <= kSmallReduction ? leaner.cycles * kClearly < best->cycles
                                                                     : !best || leaner.reduction < best->reduction;
      if (leaner.fits && taken && (better || !best->fits)) return std::move(leaner.code);
    }
    if (!best || !best->fits) continue;
    if (step == most || best->reduction == 0 || best->cycles < from.fewest_cycles() * kFarTooLong)
      return std::move(best->code);
  }
  // No schedule fits: take the one that hides latencies best, and spill.
  AllocatedCode first = std::move(given.code);
  const uint32_t budget = most - std::min(kHeadroom, most);
  for (Region& region : first.regions)
    if (!region.fallback) schedule(kernel, region.code, live_around(first.live, region), budget, Orders::FromStart);
  balance_pipes(kernel, first.regions);
  first.allocation = allocate(kernel, first.regions, first.live, kStackPointer);
  keep_predicates(kernel, first.regions, first.live, kStackPointer, false, first.allocation);
  return first;
}

}  // namespace drywarp::sass
