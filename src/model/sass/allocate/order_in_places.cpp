// List scheduling from the top (Gibbons and Muchnick, "Efficient Instruction Scheduling for a Pipelined Architecture",
// 1986), by longest path to the region's end. The order before allocation saves registers and puts loads far before
// their uses. This one fills the waits that are left, unless two values in one register forbid it.
#include <algorithm>

#include "model/sass/allocate/allocate.h"
#include "model/sass/allocate/dependences.h"

namespace drywarp::sass {
namespace {

// ptxas 13 lets nothing overtake a region's loads from global and local memory, nor what these wait for: in 462 of 466
// loops the comparison for the branch stands behind the last of them. It does fill waits for shared memory: there it
// stands before the last load in 41 of 247.
bool loads_from_afar(const Instruction& c) {
  const auto timing = machine::info(c.op).timing;
  return c.role == Role::Load &&
         (timing == machine::TimingClass::GlobalLoad || timing == machine::TimingClass::LocalLoad);
}

// Between two accesses of a warp to memory: "control_codes" of devices/h200.toml.
constexpr unsigned kAccessSlots = 4;

bool accesses_memory(const Instruction& c) { return c.space != AddressSpace::None && c.space != AddressSpace::Const; }

class Orderer {
 public:
  Orderer(const Kernel& kernel, const Allocation& allocation, const std::vector<Instruction>& code)
      : kernel_(kernel),
        code_(code),
        length_(code.size()),
        ready_at_(code.size()),
        waits_for_(code.size()),
        leads_to_load_(code.size()) {
    const Places places(kernel, allocation);
    after_ = find_dependences(code, &places);
    for (size_t i = code.size(); i-- > 0;) {
      const unsigned latency = assumed_latency(code[i]);
      length_[i] = latency + 1;
      leads_to_load_[i] = loads_from_afar(code[i]);
      for (const auto& [next, needs] : after_[i]) {
        length_[i] = std::max(length_[i], length_[next] + slots_until(needs, latency) + 1);
        leads_to_load_[i] = leads_to_load_[i] || leads_to_load_[next];
        ++waits_for_[next];
      }
    }
  }

  std::vector<Instruction> run() {
    std::vector<Instruction> out;
    out.reserve(code_.size());
    std::vector<size_t> ready;
    for (size_t i = 0; i < code_.size(); ++i)
      if (waits_for_[i] == 0) ready.push_back(i);
    while (!ready.empty()) {
      const auto best = std::ranges::min_element(ready, [&](size_t a, size_t b) { return is_before(a, b); });
      const size_t i = *best;
      ready.erase(best);
      issue(i, ready);
      out.push_back(code_[i]);
    }
    return out;
  }

 private:
  [[nodiscard]] unsigned earliest(size_t i) const {
    return accesses_memory(code_[i]) ? std::max(ready_at_[i], memory_at_) : ready_at_[i];
  }

  // Whether `a` can stand where else a NOP stands before `b`.
  [[nodiscard]] bool fills_gap(size_t a, size_t b) const {
    return last_needs_gap_ && needs_gap(kernel_, code_[b]) && !needs_gap(kernel_, code_[a]) &&
           earliest(a) <= cycle_ + kAccessSlots;
  }

  [[nodiscard]] bool is_before(size_t a, size_t b) const {
    if (fills_gap(a, b) || fills_gap(b, a)) return fills_gap(a, b);
    if (leads_to_load_[a] != leads_to_load_[b]) return leads_to_load_[a];
    if (!leads_to_load_[a]) {
      const unsigned at_a = std::max(earliest(a), cycle_), at_b = std::max(earliest(b), cycle_);
      if (at_a != at_b) return at_a < at_b;
    }
    return length_[a] != length_[b] ? length_[a] > length_[b] : a < b;
  }

  void issue(size_t i, std::vector<size_t>& ready) {
    const Instruction& c = code_[i];
    cycle_ = std::max(cycle_, ready_at_[i]);
    if (accesses_memory(c)) memory_at_ = cycle_ + kAccessSlots;
    last_needs_gap_ = needs_gap(kernel_, c);
    for (const auto& [next, needs] : after_[i]) {
      ready_at_[next] = std::max(ready_at_[next], cycle_ + slots_until(needs, assumed_latency(c)));
      if (--waits_for_[next] == 0) ready.push_back(next);
    }
    const bool two = c.wide || (c.role == Role::Copy && kernel_.registers[c.destination[0]].words == 2);
    cycle_ += two ? 2 : 1;
  }

  const Kernel& kernel_;
  const std::vector<Instruction>& code_;
  Dependences after_;
  std::vector<unsigned> length_, ready_at_, waits_for_;
  std::vector<bool> leads_to_load_;
  unsigned cycle_ = 0, memory_at_ = 0;  // where the next instruction, and the next access, may issue
  bool last_needs_gap_ = false;         // the last one needs_gap()
};

}  // namespace

void order_in_places(const Kernel& kernel, std::vector<Region>& regions, const Allocation& allocation) {
  for (Region& region : regions) {
    constexpr size_t kLongest = 8192;  // instructions: bounds the time of lowering
    if (region.fallback || region.code.size() > kLongest) continue;
    std::erase_if(region.code, [&](const Instruction& c) { return becomes_nothing(kernel, allocation, c); });
    region.code = Orderer(kernel, allocation, region.code).run();
  }
}

}  // namespace drywarp::sass
