#include "language/ir/group_products.h"

#include <algorithm>
#include <iterator>

namespace drywarp::ir {
namespace {

// PTX ISA 9.0, 9.7.15.5.2.
struct GroupShape {
  MatrixInputs inputs;
  unsigned k;
  unsigned immediates;  // behind scale-d: the signs of a and b, then whether they are transposed
};
constexpr GroupShape kGroupShapes[] = {
    {MatrixInputs::Half, 16, 4},   {MatrixInputs::Bfloat, 16, 4}, {MatrixInputs::Tf32, 8, 2},
    {MatrixInputs::Float8, 32, 2}, {MatrixInputs::Byte, 32, 0},   {MatrixInputs::Bit, 256, 0},
};

constexpr unsigned kLines = kGroupWarps * kLinesOfWarp, kMostColumns = 256;

bool known_columns(MatrixInputs inputs, unsigned n) {
  const bool whole = inputs == MatrixInputs::Byte || inputs == MatrixInputs::Bit;
  return n != 0 && n <= kMostColumns && n % (whole && n > 32 ? 16 : 8) == 0;
}

}  // namespace

std::optional<GroupProduct> group_product(const Instruction& in) {
  const MatrixModifiers& m = in.mods.matrix;
  const auto inputs = matrix_inputs(in.type2, in.type3, in.type);
  if (!inputs || m.m != kLines || !known_columns(*inputs, m.n)) return std::nullopt;
  const auto* shape = std::ranges::find(kGroupShapes, *inputs, &GroupShape::inputs);
  if (shape == std::end(kGroupShapes) || shape->k != m.k) return std::nullopt;
  GroupProduct p;
  p.inputs = *inputs, p.n = m.n, p.k = m.k;
  p.fragments = fragments({*inputs, kLinesOfWarp, m.n, m.k}, in.type);
  const size_t sums = p.fragments.c.registers(), all = in.src.size();
  if (in.dst.size() != sums || all < sums) return std::nullopt;
  p.sums = all - sums;
  const auto at_least = [&](size_t a) { return p.sums >= a + 2; };
  const size_t a_registers = p.fragments.a.registers();
  // With a in registers, it cannot be transposed.
  const size_t with_registers = shape->immediates == 4 ? 3 : shape->immediates;
  p.a_in_registers = at_least(a_registers) && p.sums == a_registers + 2 + with_registers;
  if (!p.a_in_registers && p.sums != 3 + shape->immediates) return std::nullopt;
  p.b = p.a_in_registers ? a_registers : 1;
  p.scale_d = p.b + 1;
  size_t next = p.scale_d + 1;
  const auto immediate = [&] { return static_cast<int32_t>(in.src[next++].bits); };
  if (shape->immediates != 0) p.negate_a = immediate() < 0, p.negate_b = immediate() < 0;
  if (shape->immediates == 4) {
    if (!p.a_in_registers) p.transpose_a = immediate() != 0;
    p.transpose_b = immediate() != 0;
  }
  return p;
}

bool known_group_product(const Instruction& in) {
  const Family family = info(in.op).family;
  if (family == Family::WarpGroupSync) return in.mods.extra.empty() && in.mods.sync && in.mods.aligned;
  if (family != Family::WarpGroup) return true;
  const bool bits = in.mods.matrix.bits == BoolOp::And;
  if (!in.mods.extra.empty() || !in.mods.sync || !in.mods.aligned || in.mods.matrix.bits == BoolOp::Xor) return false;
  const auto product = group_product(in);
  if (!product || bits != (product->inputs == MatrixInputs::Bit)) return false;
  return !in.mods.sat || product->inputs == MatrixInputs::Byte;
}

}  // namespace drywarp::ir
