// A vector holds eight rows of a column of c.
#include "engine/exec/matrix/double_sums.h"

#include "base/access/per_cpu.h"

namespace drywarp::exec {
namespace {

using EightRows = double __attribute__((ext_vector_type(8)));

DW_PER_CPU void add_chains(DoubleProduct& p) {
  for (unsigned first = 0; first < p.rows; first += 8) {
    EightRows sums[8];
    for (unsigned n = 0; n < 8; ++n) __builtin_memcpy(&sums[n], p.c[n] + first, sizeof(EightRows));
    for (unsigned k = 0; k < p.k; ++k) {
      EightRows a;
      __builtin_memcpy(&a, p.a[k] + first, sizeof a);
#pragma clang loop unroll(full)
      for (unsigned n = 0; n < 8; ++n)
        sums[n] = __builtin_elementwise_fma(a, EightRows(__builtin_bit_cast(double, p.b[n][k])), sums[n]);
    }
    for (unsigned n = 0; n < 8; ++n) __builtin_memcpy(p.c[n] + first, &sums[n], sizeof(EightRows));
  }
}

}  // namespace

void add_products(DoubleProduct& p) { add_chains(p); }

}  // namespace drywarp::exec
