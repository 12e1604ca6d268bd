// Loops whose bounds are constants, so that the compiler makes shuffles of them.
#include "engine/exec/matrix/fragment_moves.h"

#include <cstring>

#include "base/access/per_cpu.h"

#define DW_MOVES_INLINE inline __attribute__((always_inline))

namespace drywarp::exec {
namespace {

constexpr unsigned kLanes = 32;

// `Move` is told of eight lines at once: move(register, shift, position, first line).
template <unsigned bits, unsigned word, class Move>
DW_MOVES_INLINE void for_tiles(const ir::MatrixFragment& f, Move move) {
  constexpr unsigned kRegisters = bits * word / 32;  // of a tile
  const unsigned down = f.lines / 8, tiles = f.tiles();
  for (unsigned tile = 0; tile < tiles; ++tile)
    for (unsigned w = 0; w < 4; ++w)
      for (unsigned j = 0; j < word; ++j)
        move(tile * kRegisters + j * bits / 32, j * bits % 32, (tile / down * 4 + w) * word + j, tile % down * 8, w);
}

template <unsigned bits>
constexpr uint32_t kMask = bits == 32 ? ~0u : (1u << (bits % 32)) - 1;

template <unsigned bits, unsigned word>
DW_MOVES_INLINE void read(const ir::MatrixFragment& f, const uint32_t* registers, FragmentColumn* columns) {
  for_tiles<bits, word>(f, [&](unsigned r, unsigned shift, unsigned position, unsigned first, unsigned w) {
    for (unsigned line = 0; line < 8; ++line)
      columns[position][first + line] = registers[r * kLanes + line * 4 + w] >> shift & kMask<bits>;
  });
}

template <unsigned bits, unsigned word>
DW_MOVES_INLINE void write(const ir::MatrixFragment& f, const FragmentColumn* columns, uint32_t* registers) {
  for_tiles<bits, word>(f, [&](unsigned r, unsigned shift, unsigned position, unsigned first, unsigned w) {
    for (unsigned line = 0; line < 8; ++line) {
      uint32_t& to = registers[r * kLanes + line * 4 + w];
      const uint32_t value = columns[position][first + line] << shift;
      to = shift == 0 ? value : to | value;
    }
  });
}

template <unsigned bits, unsigned word>
DW_MOVES_INLINE void read_rows(const ir::MatrixFragment& f, const uint32_t* registers, uint32_t* lines,
                               unsigned stride) {
  for (unsigned tile = 0; tile < f.tiles(); ++tile)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (unsigned j = 0; j < word; ++j)
        lines[lane / 4 * stride + (tile * 4 + lane % 4) * word + j] =
            registers[tile * kLanes + lane] >> j * bits & kMask<bits>;
}

DW_PER_CPU void move_to_columns(const ir::MatrixFragment& f, const void* registers, FragmentColumn* columns) {
  const auto* from = static_cast<const uint32_t*>(registers);
  switch (f.bits * 16 + f.word) {
    case 4 * 16 + 8:
      return read<4, 8>(f, from, columns);
    case 8 * 16 + 4:
      return read<8, 4>(f, from, columns);
    case 16 * 16 + 2:
      return read<16, 2>(f, from, columns);
    case 32 * 16 + 1:
      return read<32, 1>(f, from, columns);
    default:
      return read<32, 2>(f, from, columns);
  }
}

DW_PER_CPU void move_from_columns(const ir::MatrixFragment& f, const FragmentColumn* columns, void* registers) {
  auto* to = static_cast<uint32_t*>(registers);
  return f.bits == 16 ? write<16, 2>(f, columns, to) : write<32, 2>(f, columns, to);
}

DW_PER_CPU void move_to_lines(const ir::MatrixFragment& f, const void* registers, uint32_t* lines, unsigned stride) {
  const auto* from = static_cast<const uint32_t*>(registers);
  switch (f.bits) {
    case 4:
      return read_rows<4, 8>(f, from, lines, stride);
    case 8:
      return read_rows<8, 4>(f, from, lines, stride);
    case 16:
      return read_rows<16, 2>(f, from, lines, stride);
    default:
      return read_rows<32, 1>(f, from, lines, stride);
  }
}

}  // namespace

void read_columns(const ir::MatrixFragment& f, const void* registers, FragmentColumn* columns) {
  move_to_columns(f, registers, columns);
}
void write_columns(const ir::MatrixFragment& f, const FragmentColumn* columns, void* registers) {
  move_from_columns(f, columns, registers);
}
void read_lines(const ir::MatrixFragment& f, const void* registers, uint32_t* lines, unsigned stride) {
  move_to_lines(f, registers, lines, stride);
}

}  // namespace drywarp::exec
