// libdevice's integer functions, and reinterpretations.
#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/jit/math/lane_math_table.h"

namespace drywarp::jit {
namespace {

using I = int32_t;
using U = uint32_t;
using L = int64_t;
using UL = uint64_t;

I low24(I a) { return static_cast<I>(static_cast<U>(a) << 8) >> 8; }

template <class T>
T reversed(T v) {
  T r = 0;
  for (size_t i = 0; i < 8 * sizeof(T); ++i, v >>= 1) r = static_cast<T>((r << 1) | (v & 1));
  return r;
}

U permuted(U a, U b, U selector) {
  UL both = (UL{b} << 32) | a;
  U result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    U nibble = (selector >> (4 * i)) & 15;
    U byte = static_cast<U>(both >> (8 * (nibble & 7))) & 0xff;
    if (nibble & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

uint16_t half_bits(float x) {
  return std::isnan(x) ? uint16_t{0x7fff} : std::bit_cast<uint16_t>(static_cast<_Float16>(x));
}

constexpr LaneEntry kIntegerFunctions[] = {
    lane_entry("__nv_clz", [](U a) { return static_cast<I>(std::countl_zero(a)); }),
    lane_entry("__nv_clzll", [](UL a) { return static_cast<I>(std::countl_zero(a)); }),
    lane_entry("__nv_popc", [](U a) { return static_cast<I>(std::popcount(a)); }),
    lane_entry("__nv_popcll", [](UL a) { return static_cast<I>(std::popcount(a)); }),
    lane_entry("__nv_ffs", [](U a) { return a ? static_cast<I>(std::countr_zero(a) + 1) : 0; }),
    lane_entry("__nv_ffsll", [](UL a) { return a ? static_cast<I>(std::countr_zero(a) + 1) : 0; }),
    lane_entry("__nv_byte_perm", [](U a, U b, U c) { return permuted(a, b, c); }),
    lane_entry("__nv_brev", [](U a) { return reversed(a); }),
    lane_entry("__nv_brevll", [](UL a) { return reversed(a); }),
    lane_entry("__nv_min", [](I a, I b) { return std::min(a, b); }),
    lane_entry("__nv_umin", [](U a, U b) { return std::min(a, b); }),
    lane_entry("__nv_llmin", [](L a, L b) { return std::min(a, b); }),
    lane_entry("__nv_ullmin", [](UL a, UL b) { return std::min(a, b); }),
    lane_entry("__nv_max", [](I a, I b) { return std::max(a, b); }),
    lane_entry("__nv_umax", [](U a, U b) { return std::max(a, b); }),
    lane_entry("__nv_llmax", [](L a, L b) { return std::max(a, b); }),
    lane_entry("__nv_ullmax", [](UL a, UL b) { return std::max(a, b); }),
    lane_entry("__nv_mulhi", [](I a, I b) { return static_cast<I>((L{a} * b) >> 32); }),
    lane_entry("__nv_umulhi", [](U a, U b) { return static_cast<U>((UL{a} * b) >> 32); }),
    lane_entry("__nv_mul64hi", [](L a, L b) { return static_cast<L>((static_cast<__int128>(a) * b) >> 64); }),
    lane_entry("__nv_umul64hi",
               [](UL a, UL b) { return static_cast<UL>((static_cast<unsigned __int128>(a) * b) >> 64); }),
    lane_entry("__nv_mul24", [](I a, I b) { return static_cast<I>(L{low24(a)} * low24(b)); }),
    lane_entry("__nv_umul24", [](U a, U b) { return static_cast<U>(UL{a & 0xffffff} * (b & 0xffffff)); }),
    lane_entry("__nv_sad", [](I a, I b, U c) { return static_cast<U>(a > b ? U(a) - U(b) : U(b) - U(a)) + c; }),
    lane_entry("__nv_usad", [](U a, U b, U c) { return (a > b ? a - b : b - a) + c; }),
    lane_entry("__nv_abs", [](I a) { return static_cast<I>(a < 0 ? 0u - static_cast<U>(a) : static_cast<U>(a)); }),
    lane_entry("__nv_llabs",
               [](L a) { return static_cast<L>(a < 0 ? UL{0} - static_cast<UL>(a) : static_cast<UL>(a)); }),
    lane_entry("__nv_hadd", [](I a, I b) { return static_cast<I>((L{a} + b) >> 1); }),
    lane_entry("__nv_rhadd", [](I a, I b) { return static_cast<I>((L{a} + b + 1) >> 1); }),
    lane_entry("__nv_uhadd", [](U a, U b) { return static_cast<U>((UL{a} + b) >> 1); }),
    lane_entry("__nv_urhadd", [](U a, U b) { return static_cast<U>((UL{a} + b + 1) >> 1); }),
    lane_entry("__nv_int_as_float", [](U a) { return a; }),
    lane_entry("__nv_uint_as_float", [](U a) { return a; }),
    lane_entry("__nv_float_as_int", [](U a) { return a; }),
    lane_entry("__nv_float_as_uint", [](U a) { return a; }),
    lane_entry("__nv_longlong_as_double", [](UL a) { return a; }),
    lane_entry("__nv_double_as_longlong", [](UL a) { return a; }),
    lane_entry("__nv_hiloint2double", [](U high, U low) { return (UL{high} << 32) | low; }),
    lane_entry("__nv_double2loint", [](UL a) { return static_cast<U>(a); }),
    lane_entry("__nv_double2hiint", [](UL a) { return static_cast<U>(a >> 32); }),
    lane_entry("__nv_float2half_rn", [](float a) { return half_bits(a); }),
    lane_entry("__nv_half2float", [](uint16_t a) { return static_cast<float>(std::bit_cast<_Float16>(a)); }),
};

}  // namespace

std::span<const LaneEntry> integer_lane_functions() { return kIntegerFunctions; }

}  // namespace drywarp::jit
