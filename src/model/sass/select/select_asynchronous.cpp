// Copies of many bytes by one thread, and products of matrices by groups of warps.
#include "language/ir/bulk_copies.h"
#include "language/ir/group_products.h"
#include "model/sass/select/handlers.h"

namespace drywarp::sass::handlers {

using ir::Opcode;
using enum machine::Operation;

namespace {

machine::Operation copy_operation(const ir::Instruction& in) {
  switch (in.op) {
    case Opcode::CpReduceAsyncBulk:
      return Ublkred;
    case Opcode::CpReduceAsyncBulkTensor:
      return Utmaredg;
    case Opcode::CpAsyncBulkTensor:
      return ir::is_shared(in.mods.space) ? Utmaldg : Utmastg;
    case Opcode::CpAsyncBulkPrefetchTensor:
      return Utmaldg;
    default:
      return Ublkcp;
  }
}

}  // namespace

void bulk_copy(Writer& write, Operands& of, const ir::Instruction& in) {
  if (in.op == Opcode::CpAsyncBulkCommitGroup) {
    write.effect(Utmacmdflush, {});
    return;
  }
  if (in.op == Opcode::CpAsyncBulkWaitGroup) {
    write.effect(UtmaWait, {});
    return;
  }
  // The unit takes its operands from uniform registers, so that ptxas writes a loop over the lanes: one is elected, and
  // gives its own.
  const Register more = write.predicate(), elected = write.predicate();
  const auto when = [](Instruction& code, Register guard) -> Instruction& {
    code.guard = Source::of(guard), code.guard_negated = false;
    return code;
  };
  write.effect(Plop3, {}).destination.set(0, more);
  when(write.effect(Elect, {Source::of(more)}), more).destination.set(0, elected);
  Sources operands;
  for (size_t i = 0; i < in.src.size(); ++i) operands.push_back(of.source(in, i));
  Instruction& code = write.effect(copy_operation(in), {});
  code.takes_access = true;
  code.source = operands;
  when(write.effect(Plop3, {Source::of(elected)}), elected).destination.set(0, more);
  write.effect(Plop3, {}).destination.set(0, elected);
  when(write.effect(Bra, {}), more);
}

void group_product(Writer& write, Operands& of, const ir::Instruction& in) {
  const auto product = ir::group_product(in);
  if (!product) return;
  Sources operands;
  for (size_t i = 0; i < in.src.size(); ++i) operands.push_back(of.source(in, i));
  const machine::Operation operation = product->inputs == ir::MatrixInputs::Float8 ? Qgmma
                                       : product->inputs == ir::MatrixInputs::Byte ? Igmma
                                       : product->inputs == ir::MatrixInputs::Bit  ? Bgmma
                                                                                   : Hgmma;
  Instruction& code = write.effect(operation, {});
  code.form.index = static_cast<uint8_t>(product->b + 1);  // descriptors are among the first operands
  code.source = operands;
  for (size_t i = 0; i < in.dst.size(); ++i) code.destination.set(i, of.result(in, i));
}

void group_sync(Writer& write, Operands&, const ir::Instruction& in) {
  // The end of a group is a mark of its last product.
  if (in.op != Opcode::WgmmaCommitGroup) write.effect(in.op == Opcode::WgmmaWaitGroup ? WarpgroupWait : Warpgroup, {});
}

}  // namespace drywarp::sass::handlers
