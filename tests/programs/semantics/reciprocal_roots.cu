// __frsqrt_rn is correctly rounded: for every mantissa of two binades, and so for every normal number; for subnormal
// ones at every exponent.
#include <cmath>
#include <utility>

#include "check.h"

__global__ void reciprocal_roots(float* out, unsigned first) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __frsqrt_rn(__uint_as_float(first + i));
}

// The exact value lies between the midpoints to y's neighbours. Extended precision can decide that: over all arguments the
// value nearest to a midpoint is 2^-51.7 away.
bool nearest(float x, float y) {
  const long double exact = 1 / std::sqrt(static_cast<long double>(x));
  const long double below = (static_cast<long double>(std::nextafter(y, 0.0f)) + y) / 2;
  const long double above = (static_cast<long double>(std::nextafter(y, INFINITY)) + y) / 2;
  return below < exact && exact < above;
}

float of_bits(unsigned bits) {
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}

void check(unsigned first, unsigned count) {
  Buffer<float> out(count);
  reciprocal_roots<<<count / 256, 256>>>(out, first);
  CK_LAUNCH();
  const std::vector<float> got = out.get();
  unsigned wrong = 0;
  for (unsigned i = 0; i < count; ++i)
    if (!nearest(of_bits(first + i), got[i]) && wrong++ == 0)
      std::printf("FAILED: __frsqrt_rn(%a) = %a\n", of_bits(first + i), got[i]);
  if (wrong == 0) return;
  std::printf("FAILED: %u of %u are not nearest\n", wrong, count);
  ++failures();
}

int main() {
  check(0x3f800000, 1u << 24);
  for (unsigned bit = 8; bit < 24; ++bit) check((1u << bit) - 128, 256);
  check(1, 256);
  check(0x7f800000 - 256, 256);
  Buffer<float> specials(256);
  const std::vector<std::pair<unsigned, float>> cases = {{0, INFINITY}, {0x80000000, -INFINITY}, {0x7f800000, 0.0f}};
  for (auto [bits, want] : cases) {
    reciprocal_roots<<<1, 256>>>(specials, bits);
    CK_LAUNCH();
    const float got = specials.get()[0];
    if (got == want && std::signbit(got) == std::signbit(want)) continue;
    std::printf("FAILED: __frsqrt_rn(%g) = %g\n", of_bits(bits), got);
    ++failures();
  }
  reciprocal_roots<<<1, 256>>>(specials, 0xbf800000);
  CK_LAUNCH();
  for (float got : specials.get())
    if (got == got) ++failures();
  return finish();
}
