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

enum class MatrixInputs : uint8_t { Half, Bfloat, Tf32, Double, Float8, Byte, Nibble, Bit };

struct MmaShape {
  MatrixInputs inputs;
  uint16_t m, n, k;
  bool sparse = false;

  [[nodiscard]] unsigned stored_k() const { return sparse ? k / 2u : k; }  // elements of a line of a
};

// The product that an mma computes; null: PTX has no such form, or drywarp does not know it.
[[nodiscard]] const MmaShape* mma_shape(const Instruction& in);
// The m8n8k4 of halves.
[[nodiscard]] bool is_quad_pair(const MmaShape& shape);
// The formats of inputs of these types, if their products can be summed in `sum`.
[[nodiscard]] std::optional<MatrixInputs> matrix_inputs(Type a, Type b, Type sum);
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

// A sparse a has two elements of each four consecutive ones of a line: of 4-bit inputs, two pairs of each four pairs;
// of tf32, one of each two. Metadata say which: 32 bits of each of some lanes of a quad, which `selector` chooses.
[[nodiscard]] unsigned metadata_lanes(const MmaShape& shape);  // of a quad
[[nodiscard]] unsigned word_elements(MatrixInputs inputs);     // inputs in 32 bits; of f64, 1
// Where in its line an element of a belongs that is stored at `stored`. `word`: the metadata of a lane.
template <class Word>
[[nodiscard]] unsigned sparse_position(const MmaShape& shape, unsigned selector, unsigned line, unsigned stored,
                                       Word word) {
  const unsigned each = shape.inputs == MatrixInputs::Nibble ? 2 : 1;  // elements that an index chooses
  const unsigned bits = shape.inputs == MatrixInputs::Tf32 ? 4 : 2;    // of an index
  const unsigned index = stored / each;
  // Of inputs of 8 and 4 bits, a lane has all of a line; of wider ones, half of a line and of that 8 below.
  const bool whole = word_elements(shape.inputs) > 2;
  const unsigned at = index * bits, row = line % 8, upper = line / 8;
  const unsigned lane = whole ? 2 * (selector + at / 32) + upper : metadata_lanes(shape) * selector + at / 16;
  const uint32_t field = word(row * 4 + lane) >> (whole ? at % 32 : 16 * upper + at % 16);
  if (bits == 4) return index * 2 + (field >> 1 & 1);
  return (index / 2 * 4 + (field & 3)) * each + stored % each;
}

// The quad pair of a lane, and places in its matrices (PTX ISA 9.0, 9.7.14.5.7). `along_k`: a lane's elements follow
// each other along k.
[[nodiscard]] constexpr unsigned quad_pair(unsigned lane) { return lane / 4 % 4; }
[[nodiscard]] MatrixPlace quad_pair_input(unsigned lane, unsigned index, bool along_k);
[[nodiscard]] MatrixPlace quad_pair_result(unsigned lane, unsigned index, Type type);

}  // namespace drywarp::ir
