// In single precision, which has all sums exactly: 64 products of 8 bits are below 2^23. A vector holds a column.
#include "engine/exec/matrix/whole_sums.h"

#include "base/access/per_cpu.h"

namespace drywarp::exec {
namespace {

using I = int32_t __attribute__((ext_vector_type(kFragmentRows)));
using F = float __attribute__((ext_vector_type(kFragmentRows)));

DW_PER_CPU void products_of(const WholeProduct& p, int32_t (*sums)[kFragmentRows]) {
  const int shift = static_cast<int>(32 - p.bits);
  F a[kMostWholeFactors];
  for (unsigned k = 0; k < p.k; ++k) {
    I bits;
    __builtin_memcpy(&bits, p.a[k], sizeof bits);
    if (p.a_signed) bits = bits << shift >> shift;
    a[k] = __builtin_convertvector(bits, F);
  }
  for (unsigned n = 0; n < p.columns; ++n) {
    F even = 0, odd = 0;
    for (unsigned k = 0; k < p.k; k += 2) {
      const auto value = [&](unsigned at) {
        const auto bits = static_cast<int32_t>(p.b[n][at]);
        return static_cast<float>(p.b_signed ? static_cast<int32_t>(p.b[n][at] << shift) >> shift : bits);
      };
      even += a[k] * value(k);
      odd += a[k + 1] * value(k + 1);
    }
    const I sum = __builtin_convertvector(F(even + odd), I);
    __builtin_memcpy(sums[n], &sum, sizeof sum);
  }
}

}  // namespace

void whole_products(const WholeProduct& p, int32_t (*sums)[kFragmentRows]) { products_of(p, sums); }

}  // namespace drywarp::exec
