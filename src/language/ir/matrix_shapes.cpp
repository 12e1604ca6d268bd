#include "language/ir/matrix_shapes.h"

#include <algorithm>

namespace drywarp::ir {
namespace {

constexpr MmaShape kMmaShapes[] = {
#define DW_MMA(inputs, m, n, k) {MatrixInputs::inputs, m, n, k},
#define DW_SPARSE_MMA(inputs, m, n, k) {MatrixInputs::inputs, m, n, k, true},
#include "language/ir/matrix_shapes.def"
};

std::optional<MatrixInputs> inputs_of(Type a, Type b) {
  const auto both = [&](auto... types) { return ((a == types) || ...) && ((b == types) || ...); };
  if (both(Type::F16)) return MatrixInputs::Half;
  if (both(Type::BF16)) return MatrixInputs::Bfloat;
  if (both(Type::TF32)) return MatrixInputs::Tf32;
  if (both(Type::F64)) return MatrixInputs::Double;
  if (both(Type::E4M3, Type::E5M2)) return MatrixInputs::Float8;
  if (both(Type::S8, Type::U8)) return MatrixInputs::Byte;
  if (both(Type::S4, Type::U4)) return MatrixInputs::Nibble;
  if (both(Type::B1)) return MatrixInputs::Bit;
  return std::nullopt;
}

unsigned input_bits(MatrixInputs inputs) {
  constexpr unsigned kBits[] = {16, 16, 32, 64, 8, 8, 4, 1};  // in the order of the enumerators
  return kBits[size_t(inputs)];
}

// PTX ISA 9.0, 9.7.14.5.14: d and c have one type.
bool sums_in(MatrixInputs inputs, Type c, Type d) {
  if (c != d) return false;
  switch (inputs) {
    case MatrixInputs::Half:
    case MatrixInputs::Float8:
      return c == Type::F16 || c == Type::F32;
    case MatrixInputs::Double:
      return c == Type::F64;
    case MatrixInputs::Bfloat:
    case MatrixInputs::Tf32:
      return c == Type::F32;
    default:
      return c == Type::S32;
  }
}

bool known_selector(const MmaShape& shape, const Operand& selector) {
  return selector.kind == Operand::Kind::Immediate && selector.bits < 4 / metadata_lanes(shape);
}

bool known_mma(const Instruction& in) {
  const MmaShape* shape = mma_shape(in);
  if (!shape) return false;
  const MatrixModifiers& m = in.mods.matrix;
  if (!is_quad_pair(*shape) && (m.a_column || !m.b_column)) return false;
  const bool whole = shape->inputs >= MatrixInputs::Byte;
  if (in.mods.sat && (!whole || shape->inputs == MatrixInputs::Bit)) return false;
  if ((shape->inputs == MatrixInputs::Bit) != (m.bits != BoolOp::None)) return false;
  if (in.mods.rounding != Rounding::None && (shape->inputs != MatrixInputs::Double || in.mods.rounding != Rounding::Rn))
    return false;
  if (shape->sparse && !known_selector(*shape, in.src.back())) return false;
  const MatrixFragments all = fragments(*shape, m.c_type);
  return in.dst.size() == all.c.registers() &&
         in.src.size() == all.a.registers() + all.b.registers() + all.c.registers() + (shape->sparse ? 2 : 0);
}

}  // namespace

const MmaShape* mma_shape(const Instruction& in) {
  const MatrixModifiers& m = in.mods.matrix;
  const auto inputs = inputs_of(in.type2, in.type3);
  if (!inputs || !sums_in(*inputs, m.c_type, in.type)) return nullptr;
  const auto* found = std::ranges::find_if(kMmaShapes, [&](const MmaShape& s) {
    return s.inputs == *inputs && s.m == m.m && s.n == m.n && s.k == m.k && s.sparse == (in.op == Opcode::MmaSp);
  });
  return found == std::end(kMmaShapes) ? nullptr : found;
}

std::optional<MatrixInputs> matrix_inputs(Type a, Type b, Type sum) {
  const auto inputs = inputs_of(a, b);
  return inputs && sums_in(*inputs, sum, sum) ? inputs : std::nullopt;
}

bool is_quad_pair(const MmaShape& shape) { return shape.inputs == MatrixInputs::Half && shape.k == 4; }

bool known_matrix(const Instruction& in) {
  if (info(in.op).family != Family::Matrix || in.origin == Origin::Expanded) return true;
  if (!in.mods.extra.empty() || !in.mods.sync || !in.mods.aligned) return false;
  const MatrixModifiers& m = in.mods.matrix;
  switch (in.op) {
    case Opcode::Mma:
    case Opcode::MmaSp:
      return known_mma(in);
    case Opcode::Ldmatrix:
    case Opcode::Stmatrix: {
      const size_t registers = in.op == Opcode::Ldmatrix ? in.dst.size() : in.src.size();
      const bool space = in.mods.space == AddressSpace::Shared || in.mods.space == AddressSpace::Generic;
      return in.address && m.m == 8 && m.n == 8 && m.k == 0 && in.type == Type::B16 && registers == m.count && space;
    }
    default:
      return false;  // wmma is expanded where its form is known
  }
}

// Four products of a quad pair have as many elements as one of all lanes with 4 times the lines.
MatrixFragments fragments(const MmaShape& shape, Type c) {
  const unsigned element = input_bits(shape.inputs), word = word_elements(shape.inputs);
  const unsigned products = is_quad_pair(shape) ? 4 : 1;
  return {{products * shape.m, shape.stored_k(), element, word},
          {products * shape.n, shape.k, element, word},
          {products * shape.m, shape.n, ir::bits(c), 2}};
}

unsigned word_elements(MatrixInputs inputs) { return std::max(1u, 32 / input_bits(inputs)); }

// So many words have the indices of all lines: 2 bits for each element, of tf32 4, and of 4-bit inputs 2 for a pair.
unsigned metadata_lanes(const MmaShape& shape) {
  const unsigned bits = shape.inputs == MatrixInputs::Tf32 ? 4 : shape.inputs == MatrixInputs::Nibble ? 1 : 2;
  return shape.m * shape.stored_k() * bits / 32 / 8;
}

// A lane has a line of four elements, or one element of each of four lines.
MatrixPlace quad_pair_input(unsigned lane, unsigned index, bool along_k) {
  const unsigned half = lane < 16 ? 0 : 4;
  return along_k ? MatrixPlace{lane % 4 + half, index} : MatrixPlace{index + half, lane % 4};
}

MatrixPlace quad_pair_result(unsigned lane, unsigned index, Type type) {
  const unsigned half = lane < 16 ? 0 : 4;
  if (type == Type::F16) return {lane % 4 + half, index};
  return {(lane & 1) + (index & 2) + half, (index & 4) + (lane & 2) + (index & 1)};
}

}  // namespace drywarp::ir
