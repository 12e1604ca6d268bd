#include "model/sass/allocate/dependences.h"

#include <algorithm>
#include <unordered_map>

namespace drywarp::sass {
namespace {

using enum machine::Operation;
using machine::TimingClass;

constexpr size_t kNoCode = ~size_t{0};

// BRA.DIV ends a block of ptxas's: what its code has before the first exchange stays there.
bool is_fence(const Instruction& c) {
  return c.op == Bssy || c.op == Bsync || c.op == Break || c.op == Yield || is_call(c) || c.op == Bpt ||
         (c.op == Ret && c.role == Role::Effect) || (c.op == Bra && c.role == Role::Effect) || c.op == Nanosleep ||
         c.op == Elect || c.op == Warpgroup || c.op == WarpgroupWait;
}
bool orders_memory(const Instruction& c) {
  return is_fence(c) || c.op == Bar || c.op == Membar || c.op == Warpsync || c.op == Nop || c.op == Depbar ||
         c.op == Ldgdepbar || c.op == Cctl || c.op == Syncs || c.op == SyncsWait || c.op == UtmaWait ||
         c.op == Utmacmdflush;
}
// Loads of what the kernel does not write: nothing that other threads do changes their values. ptxas moves them across
// barriers of the block.
bool passes_barriers(const Instruction& c) { return c.role == Role::Load && c.read_only; }
bool touches_memory(const Instruction& c) { return c.space != AddressSpace::None && c.space != AddressSpace::Const; }
bool writes_memory(const Instruction& c) { return touches_memory(c) && c.role != Role::Load; }

bool may_overlap(const Instruction& a, const Instruction& b) {
  if (a.space != b.space && a.space != AddressSpace::Generic && b.space != AddressSpace::Generic) return false;
  // The same base: compare offsets.
  if (a.source[0] == b.source[0] && a.op != Ldgsts && b.op != Ldgsts)
    return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
  return true;
}

// Each lane takes part in one of them.
bool complement(const Instruction& a, const Instruction& b) {
  return a.guard.is_register() && b.guard.is_register() && a.guard.reg == b.guard.reg &&
         a.guard_negated != b.guard_negated;
}

class DependenceFinder {
 public:
  DependenceFinder(const std::vector<Instruction>& code, const Places* places)
      : code_(code), places_(places), after_(code.size()) {}

  Dependences find() {
    depend();
    size_t from = 0;
    for (size_t i = 0; i + 1 < code_.size(); ++i)
      if (code_[i].ends_exchanges) separate(from, i + 1), from = i + 1;
    return std::move(after_);
  }

 private:
  void edge(size_t from, size_t to, DependsOn needs) {
    if (from == to) return;
    after_[from].push_back({static_cast<uint32_t>(to), needs});
  }

  template <class Visit>
  void for_each_place(Register r, Visit visit) const {
    if (places_)
      places_->for_each(r, visit);
    else
      visit(r);
  }

  void depend() {
    // By place of a word; each virtual register is a place, too.
    std::unordered_map<uint32_t, size_t> written;
    std::unordered_map<uint32_t, size_t> in_other_lanes;  // the write before it, of a register that two write
    std::unordered_map<uint32_t, std::vector<size_t>> read;
    std::vector<size_t> memory;
    size_t last_fence = kNoCode, last_memory_fence = kNoCode, last_for_read_only = kNoCode;
    for (size_t i = 0; i < code_.size(); ++i) {
      const Instruction& c = code_[i];
      const auto reads_guard = [&](Register r) { return c.guard.is_register() && r == c.guard.reg; };
      for_each_source(c, [&](const Source& s) {
        for_each_place(s.reg, [&](uint32_t place) {
          if (auto it = written.find(place); it != written.end())
            edge(it->second, i, reads_guard(s.reg) ? DependsOn::Guard : DependsOn::Value);
          if (auto it = in_other_lanes.find(place); it != in_other_lanes.end()) edge(it->second, i, DependsOn::Value);
          read[place].push_back(i);
        });
      });
      const auto guard_is_older = [&](size_t write) {
        bool older = true;
        for_each_place(c.guard.reg,
                       [&](uint32_t place) { older = older && (!written.contains(place) || written[place] < write); });
        return older;
      };
      const auto write = [&](uint32_t place) {
        const auto before = written.find(place);
        const bool apart =
            before != written.end() && complement(code_[before->second], c) && guard_is_older(before->second);
        if (before != written.end())
          edge(before->second, i, c.guard.is_register() && !apart ? DependsOn::Value : DependsOn::Order);
        if (auto it = in_other_lanes.find(place); it != in_other_lanes.end())
          edge(it->second, i, c.guard.is_register() ? DependsOn::Value : DependsOn::Order);
        in_other_lanes.erase(place);
        if (apart) in_other_lanes[place] = before->second;
        for (size_t r : read[place])
          if (r != i) edge(r, i, DependsOn::Read);
        read[place].clear();
        written[place] = i;
      };
      for (const Register d : c.destination)
        if (d != kNone) for_each_place(d, write);
      if (is_fence(c) || c.role == Role::Branch) {
        for (size_t k = last_fence == kNoCode ? 0 : last_fence; k < i; ++k) edge(k, i, DependsOn::Order);
        last_fence = last_memory_fence = last_for_read_only = i;
        memory.clear();
        continue;
      }
      if (last_fence != kNoCode) edge(last_fence, i, DependsOn::Order);
      if (orders_memory(c)) {
        const auto stays = [&](size_t k) { return c.op == Bar && passes_barriers(code_[k]); };
        for (size_t k : memory)
          if (!stays(k)) edge(k, i, DependsOn::Order);
        if (last_memory_fence != kNoCode) edge(last_memory_fence, i, DependsOn::Order);
        std::erase_if(memory, [&](size_t k) { return !stays(k); });
        last_memory_fence = i;
        if (c.op != Bar) last_for_read_only = i;
        continue;
      }
      const bool exchange = c.role == Role::Effect && !touches_memory(c);
      if (touches_memory(c)) {
        const size_t fence = passes_barriers(c) ? last_for_read_only : last_memory_fence;
        if (fence != kNoCode) edge(fence, i, DependsOn::Order);
        constexpr size_t kWindow =
            64;  // bounds the time of lowering: older accesses are nearly always ordered through those in between
        const size_t from = memory.size() > kWindow ? memory.size() - kWindow : 0;
        for (size_t m = from; m < memory.size(); ++m) {
          const Instruction& other = code_[memory[m]];
          const bool writes = writes_memory(c) || writes_memory(other), read_only = c.read_only || other.read_only;
          if (writes && !read_only && may_overlap(c, other)) edge(memory[m], i, DependsOn::Order);
        }
        memory.push_back(i);
      } else if (exchange) {
        if (last_memory_fence != kNoCode) edge(last_memory_fence, i, DependsOn::Order);
        memory.push_back(i);
      }
    }
  }

  // All of [from, middle) comes before what follows.
  void separate(size_t from, size_t middle) {
    std::vector<size_t> last;
    for (size_t i = from; i < middle; ++i)
      if (std::ranges::none_of(after_[i], [&](const auto& next) { return next.first < middle; })) last.push_back(i);
    std::vector<bool> waits(code_.size(), false);
    for (size_t i = middle; i < code_.size(); ++i)
      for (const auto& [next, needs] : after_[i]) waits[next] = true;
    for (size_t i = middle; i < code_.size(); ++i)
      for (size_t k = 0; !waits[i] && k < last.size(); ++k) edge(last[k], i, DependsOn::Order);
  }

  const std::vector<Instruction>& code_;
  const Places* places_;
  Dependences after_;
};

}  // namespace

// In ptxas 13's code for the golden kernels
// (sm_90), an instruction that uses the fixed-latency result right before it waits 4 cycles in 1393 of 2024 places, 5
// in 525. A load from global memory or an array, of 8 to 128 bits, lies 75 FFMA before its use where these wait for
// each other. The latencies of the other classes are assumed.
unsigned assumed_latency(const Instruction& c) {
  if (c.role == Role::Copy || c.role == Role::Tuple) return 0;
  switch (machine::info(c.op).timing) {
    case TimingClass::GlobalLoad:
    case TimingClass::LocalLoad:
    case TimingClass::GlobalAtomic:
    case TimingClass::Texture:
      return 375;
    case TimingClass::SharedLoad:
    case TimingClass::SharedAtomic:
    case TimingClass::ConstantLoad:
    case TimingClass::Shuffle:
      return 28;
    case TimingClass::SpecialRegister:
    case TimingClass::Transcendental:
    case TimingClass::Convert:
    case TimingClass::BitCount:
      return 20;
    case TimingClass::Matrix:
    case TimingClass::MatrixShort:
    case TimingClass::MatrixSmall:
    case TimingClass::MatrixDouble:
    case TimingClass::MatrixDouble4:
    case TimingClass::MatrixDouble8:
    case TimingClass::MatrixDouble16:
      return 20;
    case TimingClass::Double:
      return 9;
    case TimingClass::Uniform:
      return 8;
    default:
      return c.wide ? 6 : 5;
  }
}

unsigned slots_until(DependsOn needs, unsigned latency) {
  // What takes a varying time may read its operands late. ptxas 13 has a loop's counter and comparison before the
  // steps of the pointers that its loads have just read.
  constexpr unsigned kFixedLatency = 15, kReads = 6;  // assumed
  constexpr unsigned kGuard = 13;  // in 491 of 491 places of the golden kernels where a guard is set right before
  if (needs == DependsOn::Read) return latency > kFixedLatency ? kReads : 0;
  return needs == DependsOn::Order ? 0 : needs == DependsOn::Guard ? std::max(latency, kGuard) : latency;
}

Dependences find_dependences(const std::vector<Instruction>& code, const Places* places) {
  return DependenceFinder(code, places).find();
}

}  // namespace drywarp::sass
