// Matrix instructions: which products there are, and which element of a matrix each lane has in which register.
//
// A matrix is a set of lines: a by rows, b by columns, c and d by rows. A line is a sequence of words: of a and b, 32
// bits, or one f64; of c and d, two elements. Eight lines of four words are a tile, a word of which each lane has: lane
// l has word l % 4 of line l / 4. A fragment is its tiles, those of the same words first (PTX ISA 9.0, 9.7.14.5).
// The m8n8k4 of halves is another: four products at once, of quad pairs, with layouts of its own.
#pragma once

#include <optional>

#include "language/ir/kernel.h"

namespace drywarp::ir {

enum class MatrixInputs : uint8_t { Half, Bfloat, Tf32, Double, Byte, Nibble, Bit };

struct MmaShape {
  MatrixInputs inputs;
  uint16_t m, n, k;
  uint16_t architecture;
};

// The product that an mma computes; null: PTX has no such form, or drywarp does not know it.
[[nodiscard]] const MmaShape* mma_shape(const Instruction& in);
// The m8n8k4 of halves.
[[nodiscard]] bool is_quad_pair(const MmaShape& shape);
// Known forms of matrix instructions.
[[nodiscard]] bool known_matrix(const Instruction& in);

struct MatrixFragment {
  unsigned lines = 0, length = 0;  // elements of a line
  unsigned bits = 0;               // of an element
  unsigned word = 0;               // elements of a word

  [[nodiscard]] unsigned tiles() const { return lines / 8 * (length / (4 * word)); }
  [[nodiscard]] unsigned elements() const { return lines * length / 32; }  // a lane
  [[nodiscard]] unsigned registers() const { return bits == 64 ? elements() : elements() * bits / 32; }
};
struct MatrixFragments {
  MatrixFragment a, b, c;
};
[[nodiscard]] MatrixFragments fragments(const MmaShape& shape, Type c);

struct MatrixPlace {
  unsigned line, position;  // position in the line
};
// Of element `index` of a lane.
[[nodiscard]] constexpr MatrixPlace matrix_place(const MatrixFragment& f, unsigned lane, unsigned index) {
  const unsigned tile = index / f.word, down = f.lines / 8;
  return {tile % down * 8 + lane / 4, (tile / down * 4 + lane % 4) * f.word + index % f.word};
}

// The quad pair of a lane, and places in its matrices (PTX ISA 9.0, 9.7.14.5.7). `column`: the operand's layout.
[[nodiscard]] constexpr unsigned quad_pair(unsigned lane) { return lane / 4 % 4; }
[[nodiscard]] MatrixPlace quad_pair_input(unsigned lane, unsigned index, bool along_k);
[[nodiscard]] MatrixPlace quad_pair_result(unsigned lane, unsigned index, Type type);

}  // namespace drywarp::ir
