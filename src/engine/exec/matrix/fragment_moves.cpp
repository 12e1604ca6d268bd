// A register of all lanes is a vector: lane l has word l % 4 of line l / 4. Columns need the words one after another.
#include "engine/exec/matrix/fragment_moves.h"

#include <cstring>
#include <utility>

#include "base/access/per_cpu.h"

#define DW_MOVES_INLINE inline __attribute__((always_inline))

namespace drywarp::exec {
namespace {

constexpr unsigned kLanes = 32;

template <class E>
using Register = E __attribute__((ext_vector_type(kLanes)));
template <class E>
using Lines = E __attribute__((ext_vector_type(8)));
using Halves = uint16_t __attribute__((ext_vector_type(8)));
using Bytes = uint8_t __attribute__((ext_vector_type(16)));
using Wide8 = uint32_t __attribute__((ext_vector_type(8)));
using Wide16 = uint32_t __attribute__((ext_vector_type(16)));

constexpr auto kAllLanes = std::make_integer_sequence<unsigned, kLanes>();
constexpr auto kEightLines = std::make_integer_sequence<unsigned, 8>();

// Word w of line i is at i * 4 + w in lanes, at w * 8 + i in words.
template <class E, unsigned... at>
DW_MOVES_INLINE void lanes_to_words(const Register<E>& lanes, Register<E>& words,
                                    std::integer_sequence<unsigned, at...>) {
  words = __builtin_shufflevector(lanes, lanes, (at % 8 * 4 + at / 8)...);
}
template <class E, unsigned... at>
DW_MOVES_INLINE void words_to_lanes(const Register<E>& words, Register<E>& lanes,
                                    std::integer_sequence<unsigned, at...>) {
  lanes = __builtin_shufflevector(words, words, (at % 4 * 8 + at / 4)...);
}
template <unsigned w, class E, unsigned... line>
DW_MOVES_INLINE void store_word(const Register<E>& words, E* to, std::integer_sequence<unsigned, line...>) {
  const Lines<E> lines = __builtin_shufflevector(words, words, (w * 8 + line)...);
  std::memcpy(to, &lines, sizeof lines);
}

// How a fragment of elements of `bits` bits, `word` of them a word, lies in registers of type E.
template <class E, unsigned bits, unsigned word>
struct Layout {
  static constexpr unsigned kEach = bits < 32 ? 32 / bits : 1;             // elements of a lane's register
  static constexpr unsigned kRegisters = word / kEach;                     // of a tile
  static constexpr E kMask = static_cast<E>(~uint64_t{0} >> (64 - bits));  // of an element
  static unsigned position(const ir::MatrixFragment& f, unsigned tile) { return tile / (f.lines / 8) * 4 * word; }
  static unsigned line(const ir::MatrixFragment& f, unsigned tile) { return tile % (f.lines / 8) * 8; }
};

template <unsigned bits, unsigned word, class E>
DW_MOVES_INLINE void read(const ir::MatrixFragment& f, const E* registers, E (*columns)[kFragmentRows]) {
  using L = Layout<E, bits, word>;
  const unsigned tiles = f.tiles();
  for (unsigned tile = 0; tile < tiles; ++tile) {
    E* to = columns[L::position(f, tile)] + L::line(f, tile);
#pragma clang loop unroll(full)
    for (unsigned j = 0; j < word; ++j, to += kFragmentRows) {
      Register<E> lanes, words;
      std::memcpy(&lanes, registers + (tile * L::kRegisters + j / L::kEach) * kLanes, sizeof lanes);
      lanes = lanes >> (j % L::kEach * bits) & L::kMask;
      lanes_to_words<E>(lanes, words, kAllLanes);
      store_word<0, E>(words, to, kEightLines);
      store_word<1, E>(words, to + 1 * word * kFragmentRows, kEightLines);
      store_word<2, E>(words, to + 2 * word * kFragmentRows, kEightLines);
      store_word<3, E>(words, to + 3 * word * kFragmentRows, kEightLines);
    }
  }
}

template <unsigned bits, unsigned word, class E>
DW_MOVES_INLINE void write(const ir::MatrixFragment& f, const E (*columns)[kFragmentRows], E* registers) {
  using L = Layout<E, bits, word>;
  const unsigned tiles = f.tiles();
  for (unsigned tile = 0; tile < tiles; ++tile) {
    const E* from = columns[L::position(f, tile)] + L::line(f, tile);
#pragma clang loop unroll(full)
    for (unsigned r = 0; r < L::kRegisters; ++r) {
      Register<E> lanes, words = 0;
#pragma clang loop unroll(full)
      for (unsigned j = 0; j < L::kEach; ++j, from += kFragmentRows) {
        alignas(64) E elements[kLanes];
        for (unsigned w = 0; w < 4; ++w) std::memcpy(elements + w * 8, from + w * word * kFragmentRows, 8 * sizeof(E));
        Register<E> next;
        std::memcpy(&next, elements, sizeof next);
        words |= next << (j * bits);
      }
      words_to_lanes<E>(words, lanes, kAllLanes);
      std::memcpy(registers + (tile * L::kRegisters + r) * kLanes, &lanes, sizeof lanes);
    }
  }
}

// Four lanes in a row, which have a line's words of a tile, to its elements.
DW_MOVES_INLINE void widen(const Bytes& bytes, uint32_t* line) {
  const Wide16 wide = __builtin_convertvector(bytes, Wide16);
  std::memcpy(line, &wide, sizeof wide);
}
template <unsigned bits, class E>
DW_MOVES_INLINE void spread(const E* words, E* line) {
  if constexpr (bits >= 32) {
    std::memcpy(line, words, 4 * sizeof(E));
  } else if constexpr (bits == 16) {
    Halves halves;
    std::memcpy(&halves, words, sizeof halves);
    const Wide8 wide = __builtin_convertvector(halves, Wide8);
    std::memcpy(line, &wide, sizeof wide);
  } else {
    Bytes bytes;
    std::memcpy(&bytes, words, sizeof bytes);
    if constexpr (bits == 8) return widen(bytes, line);
    const Bytes low = bytes & 15, high = bytes >> 4;
    widen(__builtin_shufflevector(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), line);
    widen(__builtin_shufflevector(low, high, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), line + 16);
  }
}
template <unsigned bits, class E>
DW_MOVES_INLINE void read_rows(const ir::MatrixFragment& f, const E* registers, E* lines, unsigned stride) {
  constexpr unsigned kEach = bits < 32 ? 32 / bits : 1;
  const unsigned tiles = f.tiles();
  for (unsigned tile = 0; tile < tiles; ++tile)
#pragma clang loop unroll(full)
    for (unsigned line = 0; line < 8; ++line)
      spread<bits, E>(registers + tile * kLanes + line * 4, lines + line * stride + tile * 4 * kEach);
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
      return read_rows<4>(f, from, lines, stride);
    case 8:
      return read_rows<8>(f, from, lines, stride);
    case 16:
      return read_rows<16>(f, from, lines, stride);
    default:
      return read_rows<32>(f, from, lines, stride);
  }
}

DW_PER_CPU void move_to_columns64(const ir::MatrixFragment& f, const void* registers, FragmentColumn64* columns) {
  const auto* from = static_cast<const uint64_t*>(registers);
  return f.word == 1 ? read<64, 1>(f, from, columns) : read<64, 2>(f, from, columns);
}
DW_PER_CPU void move_from_columns64(const ir::MatrixFragment& f, const FragmentColumn64* columns, void* registers) {
  write<64, 2>(f, columns, static_cast<uint64_t*>(registers));
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

void read_columns(const ir::MatrixFragment& f, const void* registers, FragmentColumn64* columns) {
  move_to_columns64(f, registers, columns);
}
void write_columns(const ir::MatrixFragment& f, const FragmentColumn64* columns, void* registers) {
  move_from_columns64(f, columns, registers);
}
void read_lines(const ir::MatrixFragment& f, const void* registers, uint64_t* lines, unsigned stride) {
  read_rows<64>(f, static_cast<const uint64_t*>(registers), lines, stride);
}

}  // namespace drywarp::exec
