#include "inputs.h"

#include <bit>
#include <cmath>

namespace drywarp::jit::test {
namespace {

std::vector<uint64_t> double_edges() {
  std::vector<double> reals = {0.0,
                               1.0,
                               1.5,
                               2.0,
                               2.5,
                               3.0,
                               3.5,
                               0.5,
                               0.25,
                               0.75,
                               0.1,
                               3.14159265358979,
                               100.0,
                               127.0,
                               127.5,
                               128.0,
                               128.5,
                               255.0,
                               255.5,
                               256.0,
                               32767.5,
                               32768.0,
                               65504.0,
                               65519.0,
                               65520.0,
                               65535.5,
                               65536.0,
                               2147483647.0,
                               2147483647.5,
                               2147483648.0,
                               2147483649.0,
                               4294967295.0,
                               4294967295.5,
                               4294967296.0,
                               448.0,
                               464.0,
                               480.0,
                               57344.0,
                               61440.0,
                               0x1p-14,
                               0x1p-24,
                               0x1p-25,
                               0x1.8p-25,
                               0x1p-6,
                               0x1p-9,
                               0x1p-10,
                               0x1p-16,
                               0x1p-17,
                               0x1.01p0,
                               0x1.03p0,
                               0x1.002p0,
                               0x1.006p0,
                               0x1.ffffffp0,
                               0x1.000001p0,
                               0x1.fffffep127,
                               0x1.ffffffp127,
                               0x1p-126,
                               0x1p-127,
                               0x1.fffffcp-127,
                               0x1p-149,
                               0x1p-150,
                               0x1.8p-149,
                               0x1p-133,
                               0x1p-134,
                               0x1.8p-133,
                               0x1p23,
                               0x1.000002p23,
                               0x1p24,
                               0x1p52,
                               0x1p53,
                               0x1p62,
                               0x1p63,
                               0x1p64,
                               0x1.fffffffffffffp62,
                               0x1p-1022,
                               0x1p-1074,
                               0x1.fffffffffffffp1023,
                               0x1p1000,
                               0x1p-1000,
                               INFINITY};
  std::vector<uint64_t> bits;
  for (double r : reals)
    for (double s : {r, -r}) bits.push_back(std::bit_cast<uint64_t>(s));
  for (uint64_t nan : {0x7ff8000000000000u, 0xfff8000000000000u, 0x7ff0000000000001u, 0x7fffffffffffffffu})
    bits.push_back(nan);
  return bits;
}

std::vector<uint64_t> float_edges() {
  std::vector<uint64_t> bits;
  for (uint64_t d : double_edges())
    bits.push_back(std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(d))));
  for (uint32_t b : {0x7fc00000u, 0xffc00000u, 0x7fffffffu, 0x7f800001u, 0x007fffffu, 0x807fffffu, 0x00800001u,
                     0x4effffffu, 0x4f7fffffu, 0x5effffffu, 0x5f7fffffu, 0x477fefffu, 0x477ff000u, 0x3f801000u,
                     0x3f803000u, 0x3f808000u, 0x3f818000u})
    bits.push_back(b);
  return bits;
}

std::vector<uint64_t> half_edges() {
  return {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3c01,
          0x3bff, 0x3800, 0x4000, 0x4200, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7fff,
          0x7c01, 0x3f80, 0xbf80, 0x3f81, 0x4049, 0x007f, 0x807f, 0x0080, 0x7f7f, 0xff7f, 0x7f80,
          0xff80, 0x7fc0, 0x4300, 0x4b00, 0x3555, 0x2e66, 0x7e7e, 0x0808, 0x7f7f, 0x7d7d, 0xfefe};
}

std::vector<uint64_t> integer_edges() {
  std::vector<uint64_t> v;
  for (unsigned shift : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 15u, 16u, 23u, 24u, 31u, 32u, 33u, 47u, 52u, 53u, 62u, 63u})
    for (int64_t d : {-1, 0, 1}) {
      v.push_back((uint64_t{1} << shift) + static_cast<uint64_t>(d));
      v.push_back(~((uint64_t{1} << shift) + static_cast<uint64_t>(d)));
    }
  for (uint64_t x : {10u, 31u, 32u, 33u, 63u, 64u, 65u, 100u, 255u, 256u, 1000u}) v.push_back(x);
  return v;
}

}  // namespace

uint64_t Inputs::value(const ParsedForm::Slot& slot, const std::vector<uint64_t>& earlier) {
  static const auto doubles = double_edges(), floats = float_edges(), halves = half_edges(), integers = integer_edges();
  auto pick = [&](const std::vector<uint64_t>& from) { return from[random_() % from.size()]; };
  if (slot.bits == 1) return random_() & 1;
  uint64_t mask = ~uint64_t{0} >> (64 - slot.bits);
  uint64_t kind = random_() % 16;
  if (kind == 0 && !earlier.empty()) return earlier.back() & mask;
  if (kind == 1 && !earlier.empty()) return (earlier.back() ^ (uint64_t{1} << (slot.bits - 1))) & mask;
  if (kind == 2 && !earlier.empty()) return (earlier.back() + 1) & mask;
  if (kind < 5) return random_() & mask;
  if (kind < 7) return (random_() % 256) & mask;
  if (kind < 9) return pick(integers) & mask;
  if (slot.bits == 64) {
    if (slot.kind == 'l' && kind < 12) return pick(integers);
    if (kind < 13) return pick(doubles);
    return std::bit_cast<uint64_t>(
        std::ldexp(static_cast<double>(static_cast<int64_t>(random_())), static_cast<int>(random_() % 80) - 90));
  }
  if (slot.bits == 32) {
    if (slot.kind == 'r' && kind < 12) return kind < 10 ? pick(integers) & mask : pick(halves) | (pick(halves) << 16);
    if (kind < 13) return pick(floats);
    double scaled =
        std::ldexp(static_cast<double>(static_cast<int32_t>(random_())), static_cast<int>(random_() % 60) - 60);
    return std::bit_cast<uint32_t>(static_cast<float>(scaled));
  }
  return pick(halves);
}

}  // namespace drywarp::jit::test
