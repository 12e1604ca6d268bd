#include "lowering/spill.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace drywarp::lowering {
namespace {

using enum machine::Operation;

constexpr unsigned kRounds = 40;
constexpr uint32_t kNear = 3;            // instructions that a reloaded value stays for
constexpr double kLoopWeight = 8;        // how often a loop is taken to turn
constexpr double kComputedAgain = 0.25;  // what that costs, of a load

bool equal_definition(const Code& a, const Code& b) {
  return a.op == b.op && a.variant == b.variant && a.wide == b.wide && a.source == b.source;
}

class Spiller {
 public:
  // `only_again`: what cannot be computed again stays.
  Spiller(Kernel& kernel, std::vector<Region>& regions, LiveSets& live, bool only_again)
      : kernel_(kernel), regions_(regions), live_(live), only_again_(only_again) {}

  // One round: how many registers it took away.
  size_t round(uint32_t budget) {
    benefit_.assign(kernel_.registers.size(), 0);
    cost_.assign(kernel_.registers.size(), 0);
    most_ = 0;
    find_definitions();
    for (const Region& region : regions_) weigh(region, budget);
    std::vector<Register> victims = choose(budget);
    if (victims.empty()) return 0;
    for (Register v : victims) assign_place(v);
    for (Region& region : regions_) rewrite(region, victims);
    live_.forget(victims);
    return victims.size();
  }
  // Words that live at once, at most; of the last round, before it.
  [[nodiscard]] uint32_t pressure() const { return most_; }

  [[nodiscard]] Spills spills() const {
    Spills s;
    s.frame_bytes = frame_;
    for (const Region& region : regions_) {
      if (region.fallback) continue;
      for (const Code& c : region.code) {
        if (!c.spill) continue;
        (c.op == Stl ? s.store_bytes : s.load_bytes) += c.bytes;
      }
    }
    return s;
  }

 private:
  [[nodiscard]] bool general(Register r) const { return kernel_.registers[r].file == RegisterFile::General; }
  [[nodiscard]] uint32_t words(Register r) const { return kernel_.registers[r].words; }

  // Values without sources in registers can be computed again: constants, parameters. What S2R reads takes too long.
  void find_definitions() {
    definition_.clear();
    not_again_.assign(kernel_.registers.size(), false);
    for (const Region& region : regions_)
      for (const Code& c : region.code)
        for (size_t d = 0; d < c.destination.size(); ++d) {
          const Register r = c.destination[d];
          if (r == kNone) continue;
          bool plain = (c.role == Role::Pure || c.role == Role::Copy) && c.op != S2r && !c.guard && d == 0 &&
                       c.destination[1] == kNone;
          for_each_source(c, [&](const Source&) { plain = false; });
          const auto [known, is_new] = definition_.try_emplace(r, c);
          if (!plain || (!is_new && !equal_definition(known->second, c))) not_again_[r] = true;
        }
  }
  [[nodiscard]] bool can_be_computed_again(Register r) const { return !not_again_[r] && definition_.contains(r); }

  void weigh(const Region& region, uint32_t budget) {
    const double weight = std::pow(kLoopWeight, region.loop_depth);
    std::unordered_set<Register> now;
    uint32_t count = 0;
    const auto enter = [&](Register r) {
      if (general(r) && now.insert(r).second) count += words(r);
    };
    const auto leave = [&](Register r) {
      if (general(r) && now.erase(r) != 0) count -= words(r);
    };
    for (Register r : live_.at(region.successors)) enter(r);
    for (size_t i = region.code.size(); i-- > 0;) {
      const Code& c = region.code[i];
      for (Register d : c.destination)
        if (d != kNone) enter(d), cost_[d] += weight * (can_be_computed_again(d) ? 0 : 1);
      const uint32_t here = count + c.clobbers;
      most_ = std::max(most_, here);
      if (here > budget) {
        for (Register r : now) benefit_[r] += weight * (here - budget);
        for (Register d : c.destination)
          if (d != kNone && general(d)) benefit_[d] -= weight * (here - budget);
      }
      for (Register d : c.destination)
        if (d != kNone && !c.guard) leave(d);
      for_each_source(c, [&](const Source& s) {
        enter(s.reg);
        cost_[s.reg] += weight * (can_be_computed_again(s.reg) ? kComputedAgain : 1);
      });
      most_ = std::max(most_, count);
      if (count > budget) {
        for (Register r : now) benefit_[r] += weight * (count - budget);
        // What is read here has to be in a register here.
        for_each_source(c, [&](const Source& s) { benefit_[s.reg] -= weight * (count - budget); });
      }
    }
  }

  std::vector<Register> choose(uint32_t budget) const {
    std::vector<Register> candidates;
    for (Register r = 0; r < benefit_.size(); ++r)
      if (general(r) && benefit_[r] > 0 && !temporary_.contains(r) && definition_.contains(r) &&
          (!only_again_ || can_be_computed_again(r)))
        candidates.push_back(r);
    std::sort(candidates.begin(), candidates.end(), [&](Register a, Register b) {
      const double of_a = cost_[a] / (benefit_[a] * words(a)), of_b = cost_[b] / (benefit_[b] * words(b));
      return of_a != of_b ? of_a < of_b : a < b;
    });
    // Most of what is missing: the rest is chosen knowing what that brought.
    const uint32_t missing = most_ > budget ? most_ - budget : 1;
    uint32_t taken = 0;
    size_t n = 0;
    while (n < candidates.size() && (n == 0 || taken * 4 < missing * 3)) taken += words(candidates[n++]);
    candidates.resize(n);
    return candidates;
  }

  void assign_place(Register r) {
    if (can_be_computed_again(r)) return;
    constexpr uint32_t kWord = 4;
    const uint32_t size = kWord * words(r);
    frame_ = (frame_ + size - 1) / size * size;
    place_[r] = frame_;
    frame_ += size;
  }

  [[nodiscard]] Register temporary_for(Register r) {
    const Register t = kernel_.make(static_cast<uint8_t>(words(r)), RegisterFile::General);
    temporary_.insert(t);
    return t;
  }

  Code access(machine::Operation op, Register r, const Code& beside) const {
    constexpr uint32_t kWord = 4;
    Code c;
    c.op = op;
    c.role = op == Stl ? Role::Effect : Role::Load;
    c.space = MemorySpace::Local;
    c.bytes = static_cast<uint8_t>(kWord * words(r));
    c.offset = place_.at(r);
    c.spill = true;
    c.step = beside.step;
    return c;
  }

  void rewrite(Region& region, const std::vector<Register>& victims) {
    const std::unordered_set<Register> spilled(victims.begin(), victims.end());
    struct Held {
      Register in;
      size_t until;
    };
    std::unordered_map<Register, Held> held;
    std::vector<Code> out;
    out.reserve(region.code.size() + region.code.size() / 4);
    for (size_t i = 0; i < region.code.size(); ++i) {
      Code c = region.code[i];
      for_each_source(c, [&](Source& s) {
        if (!spilled.contains(s.reg)) return;
        const Register r = s.reg;
        const auto known = held.find(r);
        if (known != held.end() && known->second.until >= i) {
          s.reg = known->second.in;
          return;
        }
        const Register t = temporary_for(r);
        held[r] = {t, i + kNear};
        s.reg = t;
        if (can_be_computed_again(r)) {
          Code again = definition_.at(r);
          again.destination[0] = t;
          again.step = c.step;
          out.push_back(again);
        } else {
          Code load = access(Ldl, r, c);
          load.destination[0] = t;
          out.push_back(load);
        }
      });
      std::vector<Code> stores;
      bool vanishes = false;
      for (Register& d : c.destination) {
        if (d == kNone || !spilled.contains(d)) continue;
        const Register r = d;
        if (can_be_computed_again(r)) {
          vanishes = true;
          continue;
        }
        d = temporary_for(r);
        Code store = access(Stl, r, c);
        store.source[1] = Source::of(d);
        store.guard = c.guard;
        store.guard_negated = c.guard_negated;
        stores.push_back(store);
        if (c.guard)
          held.erase(r);  // other lanes have the old value
        else
          held[r] = {d, i + kNear};
      }
      if (vanishes) continue;
      out.push_back(std::move(c));
      out.insert(out.end(), stores.begin(), stores.end());
    }
    region.code = std::move(out);
  }

  Kernel& kernel_;
  std::vector<Region>& regions_;
  LiveSets& live_;
  std::vector<double> benefit_, cost_;
  std::vector<bool> not_again_;
  std::unordered_map<Register, Code> definition_;
  std::unordered_map<Register, uint32_t> place_;
  std::unordered_set<Register> temporary_;
  uint32_t frame_ = 0, most_ = 0;
  const bool only_again_;
};

}  // namespace

Spills spill(Kernel& kernel, std::vector<Region>& regions, LiveSets& live, uint16_t reserved, uint32_t most,
             Allocation& allocation) {
  Spiller spiller(kernel, regions, live, false);
  uint32_t budget = most > 1 ? most - 1 : 0;  // one is reserved
  for (unsigned round = 0; round < kRounds && allocation.general > most; ++round) {
    if (spiller.round(budget) == 0) {
      // Alignment and colours need more than what lives at once.
      const uint32_t least = std::min(budget, spiller.pressure());
      if (least <= 1) break;
      budget = least - 1;
      continue;
    }
    allocation = allocate(kernel, regions, live, reserved);
  }
  return spiller.spills();
}

void compute_again(Kernel& kernel, std::vector<Region>& regions, LiveSets& live, uint16_t reserved, uint32_t most,
                   Allocation& allocation) {
  Spiller spiller(kernel, regions, live, true);
  for (unsigned round = 0; round < kRounds && allocation.general > most; ++round) {
    if (spiller.round(most > 1 ? most - 1 : 0) == 0) return;
    allocation = allocate(kernel, regions, live, reserved);
  }
}

}  // namespace drywarp::lowering
