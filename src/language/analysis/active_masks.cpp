#include <numeric>

#include "language/analysis/passes.h"
#include "language/ir/warp_exchanges.h"

namespace drywarp::analysis {
namespace {

using ir::Opcode;
using ir::RegisterId;

// Registers that copies connect have one representative.
class Copies {
 public:
  explicit Copies(size_t registers) : parent_(registers) { std::iota(parent_.begin(), parent_.end(), RegisterId{0}); }
  RegisterId of(RegisterId r) {
    while (parent_[r] != r) r = parent_[r] = parent_[parent_[r]];
    return r;
  }
  void join(RegisterId a, RegisterId b) { parent_[of(a)] = of(b); }

 private:
  std::vector<RegisterId> parent_;
};

bool is_register(const ir::Operand& o) { return o.kind == ir::Operand::Kind::Register; }
bool is_copy(const ir::Instruction& in) {
  return in.op == Opcode::Mov && in.dst.size() == 1 && in.src.size() == 1 && is_register(in.dst[0]) &&
         is_register(in.src[0]);
}

}  // namespace

std::vector<bool> unread_active_masks(const ir::Function& f) {
  std::vector<bool> found(f.instructions.size(), false);
  Copies copies(f.registers.size());
  for (const ir::Instruction& in : f.instructions)
    if (is_copy(in)) copies.join(in.dst[0].id, in.src[0].id);
  // By representative: whether something else gives it a value, or looks at it.
  std::vector<bool> given(f.registers.size(), false), active = given, read = given;
  for (const ir::Instruction& in : f.instructions) {
    if (is_copy(in)) {
      if (in.guard) read[copies.of(in.guard.reg)] = true;
      continue;
    }
    std::vector<bool>& makes = in.op == Opcode::Activemask ? active : given;
    for_each_definition(in, [&](RegisterId r) { makes[copies.of(r)] = true; });
    ir::Instruction others = in;
    if (const auto mask = ir::member_mask(in)) others.src[*mask] = {};
    for_each_use(others, [&](RegisterId r) { read[copies.of(r)] = true; });
  }
  for (size_t i = 0; i < f.instructions.size(); ++i) {
    const ir::Instruction& in = f.instructions[i];
    if (in.op != Opcode::Shfl && in.op != Opcode::Redux && in.op != Opcode::BarWarpSync) continue;
    const auto mask = ir::member_mask(in);
    if (!mask || !is_register(in.src[*mask])) continue;
    const RegisterId r = copies.of(in.src[*mask].id);
    found[i] = active[r] && !given[r] && !read[r];
  }
  return found;
}

}  // namespace drywarp::analysis
