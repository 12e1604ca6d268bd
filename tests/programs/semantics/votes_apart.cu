// Lanes that name each other in a vote, a match or a reduction reach it at different places of the program: on an H200
// (driver 580) those of one kind synchronize, as shuffles do. Different kinds wait for each other forever there.
#include "check.h"

__device__ unsigned value(unsigned lane) { return (lane * 5 + 3) % 7; }

// Half of the warp takes one arm, half the other; each arm has its own predicate or value.
#define TWO_PLACES(name, here, there)                 \
  __global__ void name(unsigned* out, unsigned cut) { \
    const unsigned t = threadIdx.x;                   \
    unsigned v = value(t), r;                         \
    if (t < cut) {                                    \
      r = here;                                       \
    } else {                                          \
      out[64] = v;                                    \
      v = v * 2 - v;                                  \
      r = there;                                      \
    }                                                 \
    out[t] = r;                                       \
    out[t + 32] = v;                                  \
  }

constexpr unsigned kAll = 0xffffffffu;
TWO_PLACES(ballots, __ballot_sync(kAll, v & 1), __ballot_sync(kAll, (v & 1) == 1))
TWO_PLACES(ballots_of_opposites, __ballot_sync(kAll, v & 1), __ballot_sync(kAll, !(v & 1)))
TWO_PLACES(ballots_of_constants, __ballot_sync(kAll, 1), __ballot_sync(kAll, 1))
TWO_PLACES(anys, __any_sync(kAll, t == 3), __any_sync(kAll, v == 9))
TWO_PLACES(alls, __all_sync(kAll, v < 7), __all_sync(kAll, v < 6))
TWO_PLACES(unis, __uni_sync(kAll, v < 7), __uni_sync(kAll, v < 8))
TWO_PLACES(matches, __match_any_sync(kAll, v), __match_any_sync(kAll, v))
TWO_PLACES(matches64, __match_any_sync(kAll, (unsigned long long)v << 33), __match_any_sync(kAll, v * 8589934592ull))
__device__ unsigned all_equal(unsigned v) {
  int agree;
  const unsigned mask = __match_all_sync(kAll, v, &agree);
  return agree ? mask : 77;
}
TWO_PLACES(match_alls, all_equal(v), all_equal(v))
TWO_PLACES(match_alls_equal, all_equal(5), all_equal(v - v + 5))
TWO_PLACES(sums, __reduce_add_sync(kAll, v), __reduce_add_sync(kAll, v + 1))
TWO_PLACES(least, __reduce_min_sync(kAll, v + 2), __reduce_min_sync(kAll, v + 1))
TWO_PLACES(most, __reduce_max_sync(kAll, v), __reduce_max_sync(kAll, v + 10))
TWO_PLACES(signed_least, (unsigned)__reduce_min_sync(kAll, (int)v), (unsigned)__reduce_min_sync(kAll, -(int)v))
TWO_PLACES(ors, __reduce_or_sync(kAll, 1u << v), __reduce_or_sync(kAll, 256u << v))
TWO_PLACES(xors, __reduce_xor_sync(kAll, v), __reduce_xor_sync(kAll, v << 4))
TWO_PLACES(ands, __reduce_and_sync(kAll, v | 8), __reduce_and_sync(kAll, v | 24))

// Masks in registers: two halves of the warp, each with lanes at both places.
__global__ void halves(unsigned* out) {
  const unsigned t = threadIdx.x, mask = t & 1 ? 0xaaaaaaaau : 0x55555555u;
  unsigned r;
  if (t < 16)
    r = __ballot_sync(mask, t % 3 == 0);
  else
    r = __ballot_sync(mask, t % 5 == 0);
  out[t] = r;
}

template <class Want>
void expect(const char* what, void (*kernel)(unsigned*, unsigned), Want want) {
  for (unsigned cut : {16u, 5u, 31u}) {
    Buffer<unsigned> out(128);
    kernel<<<1, 32>>>(out, cut);
    CK(cudaDeviceSynchronize());
    std::vector<unsigned> got = out.get(), expected(64);
    got.resize(64);
    for (unsigned t = 0; t < 32; ++t) {
      expected[t] = want(t, cut);
      expected[t + 32] = (t * 5 + 3) % 7;  // the lane's own value is unchanged
    }
    expect_same(what, got, expected);
  }
}

template <class Give, class Combine>
auto over_lanes(unsigned start, Give give, Combine combine) {
  return [=](unsigned, unsigned cut) {
    unsigned r = start;
    for (unsigned t = 0; t < 32; ++t) r = combine(r, give((t * 5 + 3) % 7, t, t < cut), t);
    return r;
  };
}

int main() {
  using U = unsigned;
  const auto bit = [](U r, U v, U t) { return r | (v << t); };
  expect("ballots", ballots, over_lanes(0, [](U v, U, bool) { return v & 1; }, bit));
  expect("opposites", ballots_of_opposites, over_lanes(0, [](U v, U, bool here) { return (v & 1) ^ U(!here); }, bit));
  expect("constants", ballots_of_constants, [](U, U) { return ~0u; });
  expect("any", anys, [](U, U) { return 1u; });
  expect("all", alls,
         over_lanes(1, [](U v, U, bool here) { return U(here || v < 6); }, [](U r, U v, U) { return r & v; }));
  expect("uni", unis, [](U, U) { return 1u; });
  const auto equal = [](U lane, U) {
    U r = 0;
    for (U t = 0; t < 32; ++t) r |= U((t * 5 + 3) % 7 == (lane * 5 + 3) % 7) << t;
    return r;
  };
  expect("match any", matches, equal);
  expect("match any of 64 bits", matches64, equal);
  expect("match all", match_alls, [](U, U) { return 77u; });
  expect("match all, equal", match_alls_equal, [](U, U) { return ~0u; });
  expect("add", sums, over_lanes(0, [](U v, U, bool here) { return v + !here; }, [](U r, U v, U) { return r + v; }));
  expect("min", least,
         over_lanes(
             ~0u, [](U v, U, bool here) { return v + (here ? 2 : 1); }, [](U r, U v, U) { return std::min(r, v); }));
  expect(
      "max", most,
      over_lanes(0, [](U v, U, bool here) { return v + (here ? 0 : 10); }, [](U r, U v, U) { return std::max(r, v); }));
  expect("signed min", signed_least,
         over_lanes(
             100, [](U v, U, bool here) { return here ? v : 0 - v; },
             [](U r, U v, U) { return U(std::min(int(r), int(v))); }));
  expect("or", ors,
         over_lanes(0, [](U v, U, bool here) { return (here ? 1u : 256u) << v; }, [](U r, U v, U) { return r | v; }));
  expect("xor", xors,
         over_lanes(0, [](U v, U, bool here) { return here ? v : v << 4; }, [](U r, U v, U) { return r ^ v; }));
  expect("and", ands,
         over_lanes(~0u, [](U v, U, bool here) { return v | (here ? 8u : 24u); }, [](U r, U v, U) { return r & v; }));

  Buffer<unsigned> out(32);
  halves<<<1, 32>>>(out);
  CK(cudaDeviceSynchronize());
  std::vector<unsigned> expected(32);
  for (U t = 0; t < 32; ++t)
    for (U other = t & 1; other < 32; other += 2)
      expected[t] |= U(other < 16 ? other % 3 == 0 : other % 5 == 0) << other;
  expect_same("halves", out.get(), expected);
  return finish();
}
