// What ptxas's calling convention adds to a function that is really called. Read from ptxas 13's code for sm_90: a
// function may use some registers without saving them; it saves others, its return address and the convergence barrier
// in use, if it calls functions itself.
#include <algorithm>
#include <set>

#include "model/sass/allocate/allocate.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

constexpr uint32_t kScratch = 15;  // R0 and R3 to R15, and the stack pointer
constexpr uint16_t kReturnAddress = 20, kFirstSaved = 22;

struct Needs {
  std::set<Register> across;  // values that are live across a call
  bool calls = false, converges = false;
};

Needs needs_of(const Kernel& kernel, const std::vector<Region>& regions, const LiveSets& live) {
  Needs needs;
  for (const Region& region : regions) {
    const std::vector<Register> out = live.at(region.successors);
    std::set<Register> alive(out.begin(), out.end());
    for (size_t i = region.code.size(); i-- > 0;) {
      const Instruction& c = region.code[i];
      needs.converges |= c.op == Bssy;
      if (!c.guard)
        for (const Register d : c.destination) alive.erase(d);
      if (is_call(c) || (c.op == Bra && c.clobbers != 0)) {
        needs.calls = true;
        for (const Register r : alive)
          if (kernel.registers[r].file == RegisterFile::General) needs.across.insert(r);
      }
      for_each_source(c, [&](const Source& s) { alive.insert(s.reg); });
    }
  }
  return needs;
}

uint32_t words_of(const Kernel& kernel, const std::set<Register>& registers) {
  uint32_t words = 0;
  for (const Register r : registers) words += kernel.registers[r].words;
  return words;
}

class Frame {
 public:
  Frame(Kernel& kernel, Allocation& allocation, const Needs& needs)
      : kernel_(kernel), allocation_(allocation), across_(needs.across) {
    const auto add = [&](uint16_t number) {
      saved_.push_back(kernel_.make());
      allocation_.number.push_back(number);
    };
    if (needs.calls) add(kReturnAddress), add(kReturnAddress + 1);
    barrier_ = needs.calls && needs.converges;
    const uint32_t across = words_of(kernel, needs.across);
    const uint32_t more = allocation.general > kScratch + across ? allocation.general - kScratch : across;
    for (uint32_t i = 0; i < more + (barrier_ ? 1 : 0); ++i) add(static_cast<uint16_t>(kFirstSaved + i));
  }
  [[nodiscard]] bool empty() const { return saved_.empty(); }
  [[nodiscard]] uint32_t words() const { return static_cast<uint32_t>(saved_.size()); }
  [[nodiscard]] Register return_address() const { return saved_.front(); }

  [[nodiscard]] std::vector<Instruction> enter() const {
    std::vector<Instruction> code{move_stack(1)};
    for (size_t i = 0; i < saved_.size(); ++i) {
      Instruction store = access(Stl, i);
      store.role = Role::Effect;
      store.source.set(1, Source::of(saved_[i]));
      code.push_back(store);
    }
    if (barrier_) code.push_back(move_barrier(true));
    for (const Register r : kernel_.parameters) keep(r, code);
    return code;
  }
  // Moves a value that comes in a scratch register, and is live across a call, to one that the callee saves.
  void keep(Register r, std::vector<Instruction>& code) const {
    if (!across_.contains(r)) return;
    for (unsigned word = 0; word < kernel_.registers[r].words; ++word) code.push_back(move());
  }
  [[nodiscard]] std::vector<Instruction> leave(const Instruction& returns) const {
    std::vector<Instruction> code;
    // What a function computes between calls is in a saved register.
    for (const Source& s : returns.source)
      if (s.is_register())
        for (unsigned word = 0; word < kernel_.registers[s.reg].words; ++word) code.push_back(move());
    for (size_t i = 0; i < saved_.size(); ++i) {
      Instruction load = access(Ldl, i);
      load.role = Role::Load;
      load.destination.set(0, saved_[i]);
      code.push_back(load);
      if (barrier_ && i == 0) code.push_back(move_barrier(false));
    }
    code.push_back(move_stack(-1));
    return code;
  }

 private:
  [[nodiscard]] static Instruction move() {
    Instruction c;
    c.op = Mov;
    c.role = Role::Effect;
    return c;
  }
  [[nodiscard]] Instruction move_stack(int direction) const {
    Instruction c;
    c.op = Iadd3;
    c.role = Role::Effect;
    c.frame_step = static_cast<int16_t>(direction * static_cast<int>(saved_.size()));
    return c;
  }
  [[nodiscard]] static Instruction access(Operation op, size_t word) {
    constexpr uint8_t kWord = 4;
    Instruction c;
    c.op = op;
    c.space = AddressSpace::Local;
    c.bytes = kWord;
    c.offset = static_cast<int64_t>(kWord * word);
    c.spill = true;
    return c;
  }
  [[nodiscard]] Instruction move_barrier(bool out) const {
    Instruction c;
    c.op = Bmov;
    c.role = Role::Effect;
    if (out)
      c.destination.set(0, saved_.back());
    else
      c.source.set(0, Source::of(saved_.back()));
    return c;
  }

  Kernel& kernel_;
  Allocation& allocation_;
  const std::set<Register>& across_;
  std::vector<Register> saved_;
  bool barrier_ = false;
};

}  // namespace

uint32_t save_registers(Kernel& kernel, std::vector<Region>& regions, const LiveSets& live, Allocation& allocation) {
  const Needs needs = needs_of(kernel, regions, live);
  const Frame frame(kernel, allocation, needs);
  if (frame.empty()) return 0;
  for (Region& region : regions) {
    std::vector<Instruction> code;
    if (region.path[0].block == 0) code = frame.enter();
    for (Instruction& c : region.code) {
      const bool returns = c.op == Ret && c.role == Role::Branch;
      if (returns) {
        for (Instruction& restore : frame.leave(c)) {
          restore.step = c.step, restore.guard = c.guard, restore.guard_negated = c.guard_negated;
          code.push_back(std::move(restore));
        }
        c.source.set(c.source.size(), Source::of(frame.return_address()));
      }
      const Destinations results = is_call(c) ? c.destination : Destinations{};
      code.push_back(std::move(c));
      for (const Register r : results)
        if (r != kNone) frame.keep(r, code);
    }
    region.code = std::move(code);
  }
  return frame.words();
}

}  // namespace drywarp::sass
