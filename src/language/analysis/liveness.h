// Which registers hold values that a lane can still read.
#pragma once

#include <vector>

#include "language/analysis/control_flow.h"
#include "language/ir/kernel.h"

namespace drywarp::analysis {

// A set of registers of one function.
class RegisterSet {
 public:
  explicit RegisterSet(size_t registers = 0) : words_((registers + 63) / 64, 0) {}
  [[nodiscard]] bool has(ir::RegisterId r) const { return words_[r / 64] >> (r % 64) & 1; }
  void add(ir::RegisterId r) { words_[r / 64] |= uint64_t{1} << (r % 64); }
  void remove(ir::RegisterId r) { words_[r / 64] &= ~(uint64_t{1} << (r % 64)); }
  // True if the union grew.
  bool merge(const RegisterSet& other);
  [[nodiscard]] std::vector<ir::RegisterId> list() const;
  bool operator==(const RegisterSet&) const = default;

 private:
  std::vector<uint64_t> words_;
};

// Calls `visit(register)` for every register that the instruction reads (guard and addresses included) or writes.
template <class Visit>
void for_each_use(const ir::Instruction& in, Visit visit) {
  if (in.guard) visit(in.guard.reg);
  for (const auto& s : in.src)
    if (s.kind == ir::Operand::Kind::Register) visit(s.id);
  for (const auto* a : {&in.address, &in.address2})
    if (a->has_value() && (*a)->reg != ir::kNone) visit((*a)->reg);
  for (const auto& s : in.call_arguments)
    if (s.kind == ir::Operand::Kind::Register) visit(s.id);
}
template <class Visit>
void for_each_definition(const ir::Instruction& in, Visit visit) {
  for (const auto& d : in.dst)
    if (d.kind == ir::Operand::Kind::Register) visit(d.id);
  for (const auto& d : in.call_results)
    if (d.kind == ir::Operand::Kind::Register) visit(d.id);
}

struct Liveness {
  std::vector<RegisterSet> live_in;  // a block
};

Liveness liveness(const ir::Function& function, const ControlFlow& flow);

}  // namespace drywarp::analysis
