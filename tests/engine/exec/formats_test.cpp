// Conversions to and from formats of less than 8 bits, every pattern, against their definition (OCP Microscaling
// Formats 1.0); and fma.oob against what an H200 answered.
#include <algorithm>
#include <bit>
#include <cmath>

#include "machine.h"

namespace drywarp::exec {
namespace {

struct Format {
  const char* name;
  unsigned bits, exponent, mantissa;
  int bias;
};
const Format kFormats[] = {{"e2m3", 6, 2, 3, 1}, {"e3m2", 6, 3, 2, 3}, {"e2m1", 4, 2, 1, 1}};

double value_of(const Format& f, uint32_t code) {
  const uint32_t mantissa = code & ((1u << f.mantissa) - 1), exponent = code >> f.mantissa & ((1u << f.exponent) - 1);
  const double magnitude = exponent == 0
                               ? std::ldexp(mantissa, 1 - f.bias - int(f.mantissa))
                               : std::ldexp((1u << f.mantissa) + mantissa, int(exponent) - f.bias - int(f.mantissa));
  return code >> (f.bits - 1) ? -magnitude : magnitude;
}

// Nearest, ties to the even code, finite.
uint32_t code_of(const Format& f, float x) {
  const uint32_t sign = 1u << (f.bits - 1);
  if (std::isnan(x)) return sign - 1;
  const double magnitude = std::min<double>(std::fabs(x), value_of(f, sign - 1));
  uint32_t best = 0;
  for (uint32_t code = 1; code < sign; ++code) {
    const double d = std::fabs(magnitude - value_of(f, code)), least = std::fabs(magnitude - value_of(f, best));
    if (d < least || (d == least && code % 2 == 0)) best = code;
  }
  return std::signbit(x) ? best | sign : best;
}

float half_value(uint32_t h) {
  const uint32_t exponent = h >> 10 & 31, mantissa = h & 1023;
  const float magnitude = exponent == 31  ? (mantissa ? NAN : INFINITY)
                          : exponent == 0 ? std::ldexp(float(mantissa), -24)
                                          : std::ldexp(float(mantissa + 1024), int(exponent) - 25);
  return h >> 15 ? -magnitude : magnitude;
}

std::vector<float> interesting() {
  std::vector<float> values{0.0f, -0.0f, NAN, -NAN, INFINITY, -INFINITY, 1e30f, 1e-30f, 0x1p-149f, -3e38f, 100, -29};
  for (const Format& f : kFormats)
    for (uint32_t code = 0; code < 1u << f.bits; ++code) {
      const double v = value_of(f, code), next = value_of(f, (code + 1) & ((1u << f.bits) - 1));
      const float middle = static_cast<float>((v + next) / 2);
      for (float x :
           {static_cast<float>(v), middle, std::nextafter(middle, INFINITY), std::nextafter(middle, -INFINITY)})
        values.push_back(x);
    }
  while (values.size() % 32 != 0) values.push_back(1.0f);
  return values;
}

std::string load_input = "ld.param.u64 %rd2, [in]; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd2, %rd3;";

TEST(SmallFormats, FromEveryPattern) {
  for (const Format& f : kFormats) {
    const std::string n = f.name;
    const bool nibbles = f.bits == 4;
    // The thread's number as the upper element, its complement as the lower.
    const std::string body =
        (nibbles ? "and.b32 %r3, %r1, 15; not.b32 %r4, %r1; and.b32 %r4, %r4, 15; shl.b32 %r3, %r3, "
                   "4; or.b32 %r3, %r3, %r4; cvt.u16.u32 %h1, %r3; .reg .b8 %c; cvt.u8.u16 %c, %h1; "
                 : "and.b32 %r3, %r1, 63; not.b32 %r4, %r1; and.b32 %r4, %r4, 63; shl.b32 %r3, %r3, "
                   "8; or.b32 %r3, %r3, %r4; cvt.u16.u32 %h1, %r3; ") +
        std::string("cvt.rn.f16x2.") + n + "x2 %r5, " + (nibbles ? "%c" : "%h1") + "; st.global.u32 [%rd1], %r5;";
    Machine machine(kHead + ".visible .entry k(.param .u64 out, .param .u64 in) {\n" + kRegisters + kThread + body +
                    "\n ret;\n}\n");
    const auto out = machine.run({2, 1, 1}, {32, 1, 1});
    const uint32_t all = (1u << f.bits) - 1;
    for (uint32_t i = 0; i < out.size(); ++i) {
      EXPECT_EQ(half_value(out[i] >> 16), value_of(f, i & all)) << n << " " << i;
      EXPECT_EQ(half_value(out[i] & 0xffff), value_of(f, ~i & all)) << n << " " << i;
    }
  }
}

TEST(SmallFormats, ToNearestEven) {
  const std::vector<float> values = interesting();
  for (const Format& f : kFormats) {
    const std::string n = f.name;
    const bool nibbles = f.bits == 4;
    const std::string body = load_input + "ld.global.f32 %f1, [%rd3]; neg.f32 %f2, %f1; " +
                             (nibbles ? ".reg .b8 %c; cvt.rn.satfinite.e2m1x2.f32 %c, %f1, %f2; cvt.u32.u8 %r5, %c; "
                                      : "cvt.rn.satfinite." + n + "x2.f32 %h1, %f1, %f2; cvt.u32.u16 %r5, %h1; ") +
                             "st.global.u32 [%rd1], %r5;";
    Machine machine(kernel(body));
    const auto out = machine.run({uint32_t(values.size() / 32), 1, 1}, {32, 1, 1}, machine.upload(values));
    const unsigned width = nibbles ? 4 : 8;
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(out[i], code_of(f, values[i]) << width | code_of(f, -values[i])) << n << " of " << values[i];
  }
}

TEST(SmallFormats, Exponents) {
  const std::vector<float> values = interesting();
  const std::string body = load_input +
                           "ld.global.f32 %f1, [%rd3]; mov.f32 %f2, 0f3F800000;"
                           "cvt.rz.satfinite.ue8m0x2.f32 %h1, %f1, %f2; cvt.rp.satfinite.ue8m0x2.f32 %h2, %f1, %f2;"
                           "cvt.u32.u16 %r5, %h1; cvt.u32.u16 %r6, %h2; shl.b32 %r6, %r6, 16; or.b32 %r5, %r5, %r6;"
                           "st.global.u32 [%rd1], %r5;";
  Machine machine(kernel(body));
  const auto out = machine.run({uint32_t(values.size() / 32), 1, 1}, {32, 1, 1}, machine.upload(values));
  for (size_t i = 0; i < values.size(); ++i) {
    const float x = std::fabs(values[i]);
    uint32_t down = 0, up = 0;
    if (std::isnan(x)) {
      down = up = 0xff;
    } else if (std::isinf(x)) {
      down = up = 0xfe;
    } else if (x >= 0x1p-126f) {
      down = static_cast<uint32_t>(std::ilogb(x) + 127);
      up = std::min(0xfeu, down + (std::ldexp(1.0f, std::ilogb(x)) != x));
    } else {
      up = x > 0x1p-127f;
    }
    EXPECT_EQ(out[i], (up << 8 | 127u) << 16 | (down << 8 | 127u)) << values[i];
  }
  Machine back(
      kernel("shl.b32 %r3, %r1, 8; or.b32 %r3, %r3, 255; cvt.u16.u32 %h1, %r3; cvt.rn.bf16x2.ue8m0x2 %r5, %h1;"
             "st.global.u32 [%rd1], %r5;"));
  const auto numbers = back.run({8, 1, 1}, {32, 1, 1});
  for (uint32_t i = 0; i < 255; ++i)
    EXPECT_EQ(std::bit_cast<float>(numbers[i] & 0xffff0000u), std::ldexp(1.0f, int(i) - 127));
  EXPECT_EQ(numbers[255], 0x7fff7fffu);
  EXPECT_EQ(numbers[3] & 0xffff, 0x7fffu);
}

TEST(FmaOob, OnePatternMakesTheSumZero) {
  for (const std::string type : {"f16", "bf16"}) {
    const std::string body = "cvt.u16.u32 %h1, %r1; mov.b16 %h2, 0x3c00; mov.b16 %h3, 0x4500; fma.rn.oob." + type +
                             " %h4, %h1, %h2, %h3; fma.rn.oob." + type + " %h5, %h2, %h1, %h3; fma.rn.oob.relu." +
                             type + " %h6, %h1, %h2, %h3; fma.rn." + type + " %h7, %h1, %h2, %h3; fma.rn.oob." + type +
                             " %h8, %h2, %h2, %h1;"
                             "setp.ne.u16 %p1, %h4, %h7; selp.u32 %r5, 1, 0, %p1; setp.ne.u16 %p2, %h5, %h4; selp.u32 "
                             "%r6, 2, 0, %p2; or.b32 %r5, %r5, %r6;"
                             "cvt.u32.u16 %r6, %h4; shl.b32 %r6, %r6, 16; or.b32 %r5, %r5, %r6;"
                             "cvt.u32.u16 %r6, %h6; setp.eq.u32 %p3, %r6, 0; selp.u32 %r7, 4, 0, %p3; or.b32 %r5, %r5, "
                             "%r7; st.global.u32 [%rd1], %r5;";
    Machine machine(kernel(body));
    const auto out = machine.run({2048, 1, 1}, {32, 1, 1});
    for (uint32_t i = 0; i < 65536; ++i) {
      const bool outside = (i & 0x7fff) == 0x7ff7;
      EXPECT_EQ(out[i] & 3, outside ? 1u : 0u) << type << " " << i;
      if (outside) EXPECT_EQ(out[i], 5u) << type << " " << i;
    }
  }
}

}  // namespace
}  // namespace drywarp::exec
