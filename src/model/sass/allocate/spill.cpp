#include "model/sass/allocate/allocate.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "base/support/round_up.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// All assumed.
constexpr unsigned kRounds = 40;                  // bounds the time of lowering
constexpr uint32_t kNear = 3;                     // instructions that a reloaded value stays in its register
constexpr double kConstantRematerialized = 0.25;  // cost relative to a reload
// Arithmetic on live registers is rematerialized in at most this many instructions, and only if the loop is at least
// so many times longer.
constexpr size_t kLongestRematerialized = 4, kLoopToRematerialized = 64;

bool equal_definition(const Instruction& a, const Instruction& b) {
  return a.op == b.op && a.form == b.form && a.wide == b.wide && a.source == b.source;
}

class Spiller {
 public:
  // `only_rematerialize`: nothing goes to memory. `only_constants`: nothing that other registers give is
  // rematerialized.
  Spiller(Kernel& kernel, std::vector<Region>& regions, LiveSets& live, bool only_rematerialize, bool only_constants)
      : kernel_(kernel),
        regions_(regions),
        live_(live),
        only_rematerialize_(only_rematerialize),
        only_constants_(only_constants) {}

  // One round; returns the number of values that it took out of registers.
  size_t round(uint32_t budget) {
    find_definitions();
    find_steps();
    weigh_all(budget);
    std::vector<Register> victims = choose(budget);
    if (victims.empty()) return 0;
    for (Register v : victims) assign_place(v);
    for (Region& region : regions_) rewrite(region, victims);
    if (only_rematerialize_) drop_unread();
    live_.forget(victims);
    return victims.size();
  }
  // The most words live at once, before the last round.
  [[nodiscard]] uint32_t pressure() const { return most_; }
  // Now: no allocation needs fewer registers.
  [[nodiscard]] uint32_t measure_pressure() {
    weigh_all(UINT32_MAX);
    return most_;
  }

  [[nodiscard]] Spills spills() const {
    Spills s;
    s.frame_bytes = frame_;
    for (const Region& region : regions_) {
      if (region.fallback) continue;
      for (const Instruction& c : region.code) {
        if (!c.spill) continue;
        (c.op == Stl ? s.store_bytes : s.load_bytes) += c.bytes;
      }
    }
    return s;
  }

 private:
  [[nodiscard]] bool general(Register r) const { return kernel_.registers[r].file == RegisterFile::General; }
  [[nodiscard]] uint32_t words(Register r) const { return kernel_.registers[r].words; }

  // Values without register sources can be rematerialized: constants, parameters. S2R takes too long.
  void find_definitions() {
    definition_.clear();
    not_constant_.assign(kernel_.registers.size(), false);
    for (const Region& region : regions_)
      for (const Instruction& c : region.code)
        for (size_t d = 0; d < c.destination.size(); ++d) {
          const Register r = c.destination[d];
          if (r == kNone) continue;
          bool plain = (c.role == Role::Pure || c.role == Role::Copy) && c.op != S2r && !c.guard && d == 0 &&
                       c.destination[1] == kNone;
          for_each_source(c, [&](const Source&) { plain = false; });
          const auto [known, is_new] = definition_.try_emplace(r, c);
          if (!plain || (!is_new && !equal_definition(known->second, c))) not_constant_[r] = true;
        }
  }
  [[nodiscard]] bool is_constant(Register r) const { return !not_constant_[r] && definition_.contains(r); }
  [[nodiscard]] bool can_rematerialize(Register r) const { return is_constant(r) || steps_.contains(r); }
  [[nodiscard]] double rematerialization_cost(Register r) const {
    const auto steps = steps_.find(r);
    return steps == steps_.end() ? kConstantRematerialized : static_cast<double>(steps->second.size());
  }

  // Finds values that are a few instructions away from registers live at all of their uses.
  void find_steps() {
    steps_.clear();
    if (!only_rematerialize_ || only_constants_) return;
    std::vector<bool> repeatable(kernel_.registers.size(), true);
    std::vector<std::vector<uint32_t>> readers(kernel_.registers.size());
    std::vector<size_t> length;  // by loop depth: of all code at least that deep
    for (uint32_t g = 0; g < regions_.size(); ++g) {
      const Region& region = regions_[g];
      length.resize(std::max<size_t>(length.size(), region.loop_depth + 1));
      for (uint32_t d = 0; d <= region.loop_depth && !region.fallback; ++d) length[d] += region.code.size();
      for (const Instruction& c : region.code) {
        for_each_source(c, [&](const Source& s) {
          if (readers[s.reg].empty() || readers[s.reg].back() != g) readers[s.reg].push_back(g);
        });
        for (const Register r : c.destination)
          if (r != kNone &&
              (c.role != Role::Pure || c.guard || c.destination[1] != kNone || !equal_definition(definition_.at(r), c)))
            repeatable[r] = false;
      }
    }
    const auto is_live = [&](Register r, Register target) {
      return (repeatable[r] || !definition_.contains(r)) && std::ranges::all_of(readers[target], [&](uint32_t g) {
               const std::vector<Register>& in = live_.in(regions_[g].path[0].block);
               return std::binary_search(in.begin(), in.end(), r);
             });
    };
    const auto add = [&](const auto& self, Register r, Register target, std::vector<Instruction>& steps) -> bool {
      if (steps.size() >= kLongestRematerialized || !definition_.contains(r) || !repeatable[r]) return false;
      const Instruction& made = definition_.at(r);
      // A move makes a pair of two words (pair_pointer_halves()): one for all accesses.
      if (made.op == S2r || made.op == Mov || made.space != AddressSpace::None) return false;
      bool all = true;
      for_each_source(made, [&](const Source& s) {
        all = all && (is_live(s.reg, target) || (general(s.reg) && self(self, s.reg, target, steps)));
      });
      if (!all || steps.size() >= kLongestRematerialized) return false;
      steps.push_back(made);
      return true;
    };
    for (Register r = 0; r < readers.size(); ++r) {
      if (!general(r) || readers[r].empty() || is_constant(r) || temporary_.contains(r)) continue;
      std::vector<Instruction> steps;
      if (!add(add, r, r, steps)) continue;
      const bool cheap = std::ranges::all_of(readers[r], [&](uint32_t g) {
        return regions_[g].fallback || steps.size() * kLoopToRematerialized <= length[regions_[g].loop_depth];
      });
      if (cheap) steps_[r] = std::move(steps);
    }
  }

  // Drops values that only rematerialized values read.
  void drop_unread() {
    for (bool again = true; again;) {
      again = false;
      std::vector<bool> read(kernel_.registers.size(), false);
      for (const Region& region : regions_)
        for (const Instruction& c : region.code) for_each_source(c, [&](const Source& s) { read[s.reg] = true; });
      for (Region& region : regions_)
        again |= std::erase_if(region.code, [&](const Instruction& c) {
                   return c.role == Role::Pure && c.destination[0] != kNone && c.destination[1] == kNone &&
                          general(c.destination[0]) && !read[c.destination[0]];
                 }) != 0;
    }
  }

  void weigh_all(uint32_t budget) {
    benefit_.assign(kernel_.registers.size(), 0);
    cost_.assign(kernel_.registers.size(), 0);
    since_.assign(kernel_.registers.size(), kDead);
    most_ = 0;
    for (const Region& region : regions_) weigh(region, budget);
  }

  void weigh(const Region& region, uint32_t budget) {
    const double weight = std::pow(kLoopWeight, region.loop_depth);
    uint32_t count = 0;
    // What the places so far exceed the budget by, weighted; a register's benefit is its growth while it is live.
    double excess = 0;
    std::vector<Register> entered;
    const auto enter = [&](Register r) {
      if (general(r) && since_[r] == kDead) since_[r] = excess, count += words(r), entered.push_back(r);
    };
    const auto leave = [&](Register r) {
      if (since_[r] == kDead) return;
      benefit_[r] += excess - since_[r];
      since_[r] = kDead, count -= words(r);
    };
    for (Register r : live_.at(region.successors)) enter(r);
    for (size_t i = region.code.size(); i-- > 0;) {
      const Instruction& c = region.code[i];
      for (Register d : c.destination)
        if (d != kNone) enter(d), cost_[d] += weight * (can_rematerialize(d) ? 0 : 1);
      const uint32_t here = count + c.clobbers;
      most_ = std::max(most_, here);
      if (here > budget) {
        excess += weight * (here - budget);
        for (Register d : c.destination)
          if (d != kNone && general(d)) benefit_[d] -= weight * (here - budget);
      }
      for (Register d : c.destination)
        if (d != kNone && !c.guard) leave(d);
      for_each_source(c, [&](const Source& s) {
        enter(s.reg);
        cost_[s.reg] += weight * (can_rematerialize(s.reg) ? rematerialization_cost(s.reg) : 1);
      });
      most_ = std::max(most_, count);
      if (count > budget) {
        excess += weight * (count - budget);
        // A value that is read here must be in a register here.
        for_each_source(c, [&](const Source& s) { benefit_[s.reg] -= weight * (count - budget); });
      }
    }
    for (const Register r : entered) leave(r);
  }

  std::vector<Register> choose(uint32_t budget) const {
    std::vector<Register> candidates;
    for (Register r = 0; r < benefit_.size(); ++r)
      if (general(r) && benefit_[r] > 0 && !temporary_.contains(r) && definition_.contains(r) &&
          (!only_rematerialize_ || can_rematerialize(r)))
        candidates.push_back(r);
    std::sort(candidates.begin(), candidates.end(), [&](Register a, Register b) {
      const double of_a = cost_[a] / (benefit_[a] * words(a)), of_b = cost_[b] / (benefit_[b] * words(b));
      return of_a != of_b ? of_a < of_b : a < b;
    });
    // Covers three quarters of the shortage; the next round sees the effect and chooses the rest.
    const uint32_t missing = most_ > budget ? most_ - budget : 1;
    uint32_t taken = 0;
    std::vector<Register> chosen;
    std::unordered_set<Register> gone, needed;  // sources of rematerialized values stay
    for (const Register r : candidates) {
      if (!chosen.empty() && taken * 4 >= missing * 3) break;
      bool stands = !needed.contains(r);
      if (const auto steps = steps_.find(r); steps != steps_.end()) {
        for (const Instruction& c : steps->second)
          for_each_source(c, [&](const Source& s) { stands &= !gone.contains(s.reg); });
        if (stands)
          for (const Instruction& c : steps->second) for_each_source(c, [&](const Source& s) { needed.insert(s.reg); });
      }
      if (!stands) continue;
      gone.insert(r);
      chosen.push_back(r);
      taken += words(r);
    }
    return chosen;
  }

  void assign_place(Register r) {
    if (can_rematerialize(r)) return;
    constexpr uint32_t kWord = 4;
    const uint32_t size = kWord * words(r);
    frame_ = round_up(frame_, size);
    place_[r] = frame_;
    frame_ += size;
  }

  [[nodiscard]] Register temporary_for(Register r) {
    const Register t = kernel_.make(static_cast<uint8_t>(words(r)), RegisterFile::General);
    temporary_.insert(t);
    return t;
  }

  Instruction access(machine::Operation op, Register r, const Instruction& beside) const {
    constexpr uint32_t kWord = 4;
    Instruction c;
    c.op = op;
    c.role = op == Stl ? Role::Effect : Role::Load;
    c.space = AddressSpace::Local;
    c.bytes = static_cast<uint8_t>(kWord * words(r));
    c.offset = place_.at(r);
    c.spill = true;
    c.step = beside.step;
    return c;
  }

  void rematerialize(Register r, Register into, uint16_t step, std::vector<Instruction>& out) {
    const auto steps = steps_.find(r);
    const std::vector<Instruction> alone{definition_.at(r)};
    const std::vector<Instruction>& all = steps == steps_.end() ? alone : steps->second;
    std::unordered_map<Register, Register> made;
    for (Instruction copy : all) {
      for_each_source(copy, [&](Source& s) {
        if (const auto known = made.find(s.reg); known != made.end()) s.reg = known->second;
      });
      Register& d = copy.destination.at(0);
      d = made[d] = d == r ? into : temporary_for(d);
      copy.step = step;
      out.push_back(copy);
    }
  }

  void rewrite(Region& region, const std::vector<Register>& victims) {
    const std::unordered_set<Register> spilled(victims.begin(), victims.end());
    struct Held {
      Register in;
      size_t until;
    };
    std::unordered_map<Register, Held> held;
    std::vector<Instruction> out;
    out.reserve(region.code.size() + region.code.size() / 4);
    for (size_t i = 0; i < region.code.size(); ++i) {
      Instruction c = region.code[i];
      for_each_source(c, [&](Source& s) {
        if (!spilled.contains(s.reg)) return;
        const Register r = s.reg;
        const auto known = held.find(r);
        if (known != held.end() && known->second.until >= i) {
          s.reg = known->second.in;
          return;
        }
        const Register t = temporary_for(r);
        held[r] = {t, steps_.contains(r) ? region.code.size() : i + kNear};
        s.reg = t;
        if (can_rematerialize(r)) {
          rematerialize(r, t, c.step, out);
        } else {
          Instruction load = access(Ldl, r, c);
          load.destination.set(0, t);
          out.push_back(load);
        }
      });
      std::vector<Instruction> stores;
      bool dropped = false;
      for (Register& d : c.destination) {
        if (d == kNone || !spilled.contains(d)) continue;
        const Register r = d;
        if (can_rematerialize(r)) {
          dropped = true;
          continue;
        }
        d = temporary_for(r);
        Instruction store = access(Stl, r, c);
        store.source.set(1, Source::of(d));
        store.guard = c.guard;
        store.guard_negated = c.guard_negated;
        stores.push_back(store);
        if (c.guard)
          held.erase(r);  // other lanes keep the old value
        else
          held[r] = {d, i + kNear};
      }
      if (dropped) continue;
      out.push_back(std::move(c));
      out.insert(out.end(), stores.begin(), stores.end());
    }
    region.code = std::move(out);
  }

  Kernel& kernel_;
  std::vector<Region>& regions_;
  LiveSets& live_;
  static constexpr double kDead = -1;  // no sum of weights
  std::vector<double> benefit_, cost_;
  std::vector<double> since_;  // by register: the excess where it became live in the region at hand; kDead: it is not
  std::vector<bool> not_constant_;
  std::unordered_map<Register, Instruction> definition_;
  std::unordered_map<Register, std::vector<Instruction>> steps_;
  std::unordered_map<Register, uint32_t> place_;
  std::unordered_set<Register> temporary_;
  uint32_t frame_ = 0, most_ = 0;
  const bool only_rematerialize_, only_constants_;
};

}  // namespace

Spills spill(Kernel& kernel, std::vector<Region>& regions, LiveSets& live, uint16_t reserved, uint32_t most,
             Allocation& allocation) {
  Spiller spiller(kernel, regions, live, false, false);
  uint32_t budget = most > 1 ? most - 1 : 0;  // one is reserved
  bool stale = false;                         // of the allocation, which takes long: not before it can fit
  for (unsigned round = 0; round < kRounds && (stale || allocation.general > most); ++round) {
    if (spiller.round(budget) == 0) {
      // Alignment and colouring need more than the words live at once.
      const uint32_t least = std::min(budget, spiller.pressure());
      if (least <= 1) break;
      budget = least - 1;
      continue;
    }
    stale = spiller.measure_pressure() > most;
    if (!stale) allocation = allocate(kernel, regions, live, reserved);
  }
  if (stale) allocation = allocate(kernel, regions, live, reserved);
  return spiller.spills();
}

void rematerialize(Kernel& kernel, std::vector<Region>& regions, LiveSets& live, uint16_t reserved, uint32_t most,
                   Rematerialized what, Allocation& allocation) {
  Spiller spiller(kernel, regions, live, true, what == Rematerialized::Constants);
  bool stale = false;
  for (unsigned round = 0; round < kRounds && (stale || allocation.general > most); ++round) {
    if (spiller.round(most > 1 ? most - 1 : 0) == 0) break;
    stale = spiller.measure_pressure() > most;
    if (!stale) allocation = allocate(kernel, regions, live, reserved);
  }
  if (stale) allocation = allocate(kernel, regions, live, reserved);
}

}  // namespace drywarp::sass
