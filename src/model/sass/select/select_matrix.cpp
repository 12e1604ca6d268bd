// Matrix instructions. What wmma is expanded to is lowered part by part.
#include <algorithm>
#include <iterator>

#include "language/ir/matrix_shapes.h"
#include "model/sass/select/handlers.h"

namespace drywarp::sass::handlers {

using ir::MatrixInputs;
using ir::Opcode;
using enum machine::Operation;

namespace {

// The machine instruction of a product. Where a capability lacks it, the one that it is computed with, `times` times;
// ptxas's other instructions for that are left out.
struct Product {
  MatrixInputs inputs;
  unsigned m, k;
  machine::Operation operation;
  unsigned until = ~0u;  // the last capability that has it
  machine::Operation later{};
  unsigned times = 1;
};
constexpr Product kProducts[] = {
    {MatrixInputs::Half, 8, 4, Hmma884, 75, Ffma, 40},
    {MatrixInputs::Half, 16, 8, Hmma1688},
    {MatrixInputs::Half, 16, 16, Hmma16816},
    {MatrixInputs::Bfloat, 16, 8, Hmma1688},
    {MatrixInputs::Bfloat, 16, 16, Hmma16816},
    {MatrixInputs::Tf32, 16, 4, Hmma1684},
    {MatrixInputs::Tf32, 16, 8, Hmma1688Tf32},
    {MatrixInputs::Double, 8, 4, Dmma884},
    {MatrixInputs::Double, 16, 4, Dmma1684, 90, Dmma884, 2},
    {MatrixInputs::Double, 16, 8, Dmma1688, 90, Dmma884, 4},
    {MatrixInputs::Double, 16, 16, Dmma16816, 90, Dmma884, 8},
    {MatrixInputs::Byte, 8, 16, Imma8816, 90, Imma16816, 1},
    {MatrixInputs::Byte, 16, 16, Imma16816},
    {MatrixInputs::Byte, 16, 32, Imma16832},
    {MatrixInputs::Nibble, 8, 32, Imma8832, 89, Imma8816, 2},
    {MatrixInputs::Nibble, 16, 32, Imma16832S4, 89, Imma16816, 2},
    {MatrixInputs::Nibble, 16, 64, Imma16864, 89, Imma16832, 2},
    {MatrixInputs::Bit, 8, 128, Bmma88128, 90, Imma16832, 4},
    {MatrixInputs::Bit, 16, 128, Bmma168128, 90, Imma16832, 4},
    {MatrixInputs::Bit, 16, 256, Bmma168256, 90, Imma16832, 8},
};

// ptxas's code for Hopper, which multiplies 8-bit floating-point numbers as halves: the lower halves of all registers,
// then the upper ones.
void float8_product(Writer& write, Operands& of, const ir::Instruction& in, const ir::MmaShape& shape) {
  const ir::MatrixFragments all = ir::fragments(shape, in.mods.matrix.c_type);
  const size_t inputs = all.a.registers() + all.b.registers(), sums = in.dst.size();
  std::vector<Register> products;
  for (size_t i = 0; i < sums; ++i) products.push_back(write.temporary());
  for (int half = 0; half < 2; ++half) {
    Sources operands;
    for (size_t i = 0; i < inputs; ++i) operands.push_back(Source::of(write.value(F2fp, {of.source(in, i)})));
    if (half == 1)
      for (const Register r : products) operands.push_back(Source::of(r));
    Instruction& code = write.effect(shape.stored_k() == 32 ? Hmma16816 : Hmma1688, {});
    code.source = operands;
    for (size_t i = 0; i < sums; ++i) code.destination.set(i, products[i]);
  }
  for (size_t i = 0; i < sums; ++i)
    write.emit(in.type == ir::Type::F16 ? Hadd2 : Fadd, of.result(in, i),
               {of.source(in, inputs + i), Source::of(products[i])});
}

void product(Writer& write, Operands& of, const ir::Instruction& in) {
  const ir::MmaShape* shape = ir::mma_shape(in);
  if (!shape) return;
  if (shape->inputs == MatrixInputs::Float8) return float8_product(write, of, in, *shape);
  // A sparse product takes as long as one of what is stored.
  const auto* row = std::ranges::find_if(kProducts, [&](const Product& p) {
    return p.inputs == shape->inputs && p.m == shape->m && p.k == shape->stored_k();
  });
  if (row == std::end(kProducts)) return;
  const bool lacks = write.at_least(row->until == ~0u ? ~0u : row->until + 1);
  unsigned times = lacks ? row->times : row->operation == Hmma884 ? (in.type == ir::Type::F32 ? 4 : 2) : 1;
  // Hopper has the .and.popc alone: a ^ b is of two of them.
  if (in.mods.matrix.bits == ir::BoolOp::Xor && write.at_least(90)) times *= 2;
  Sources operands;
  const size_t registers = in.src.size() - (shape->sparse ? 1 : 0);  // without the selector
  for (size_t i = 0; i < registers; ++i) operands.push_back(of.source(in, i));
  for (; times > 0; --times) {
    Instruction& code = write.effect(lacks ? row->later : row->operation, {});
    code.source = operands;
    for (size_t i = 0; i < in.dst.size(); ++i) code.destination.set(i, of.result(in, i));
  }
}

}  // namespace

void matrix(Writer& write, Operands& of, const ir::Instruction& in) {
  if (in.origin == ir::Origin::Expanded) return;
  if (in.op == Opcode::Mma || in.op == Opcode::MmaSp) return product(write, of, in);
  if (in.op != Opcode::Ldmatrix && in.op != Opcode::Stmatrix) return;
  const bool loads = in.op == Opcode::Ldmatrix;
  const MemoryPlace place = of.place(in.address, AddressSpace::Shared);
  Instruction& code = write.effect(loads ? Ldsm : Stsm, {place.base});
  for (size_t i = 0; i < in.src.size(); ++i) code.source.push_back(of.source(in, i));
  for (size_t i = 0; i < in.dst.size(); ++i) code.destination.set(i, of.result(in, i));
  code.offset = place.offset;
  code.space = AddressSpace::Shared;
  code.bytes = 16;
  code.takes_access = true;
  if (loads) code.role = Role::Load;
}

}  // namespace drywarp::sass::handlers
