// mma_sync and bmma_sync.
#ifndef DRYWARP_MATRIX_MULTIPLY_H
#define DRYWARP_MATRIX_MULTIPLY_H
#pragma GCC system_header

namespace nvcuda {
namespace wmma {

#define DRYWARP_SET1(a) "{%" #a "}"
#define DRYWARP_SET2(a, b) "{%" #a ", %" #b "}"
#define DRYWARP_SET4(a, b, c, d) "{%" #a ", %" #b ", %" #c ", %" #d "}"
#define DRYWARP_SET8(a, b, c, d, e, f, g, h) \
  "{%" #a ", %" #b ", %" #c ", %" #d ", %" #e ", %" #f ", %" #g ", %" #h "}"
// Registers of each operand, then the numbers of their asm operands: d a b c.
#define DRYWARP_SETS_4884 \
  DRYWARP_SET4(0, 1, 2, 3) ", " DRYWARP_SET8(4, 5, 6, 7, 8, 9, 10, 11) ", " DRYWARP_SET8(12, 13, 14, 15, 16, 17, 18, 19) ", " DRYWARP_SET4(20, 21, 22, 23) ";"
#define DRYWARP_SETS_4888 \
  DRYWARP_SET4(0, 1, 2, 3) ", " DRYWARP_SET8(4, 5, 6, 7, 8, 9, 10, 11) ", " DRYWARP_SET8(12, 13, 14, 15, 16, 17, 18, 19) ", " DRYWARP_SET8(20, 21, 22, 23, 24, 25, 26, 27) ";"
#define DRYWARP_SETS_8884 \
  DRYWARP_SET8(0, 1, 2, 3, 4, 5, 6, 7) ", " DRYWARP_SET8(8, 9, 10, 11, 12, 13, 14, 15) ", " DRYWARP_SET8(16, 17, 18, 19, 20, 21, 22, 23) ", " DRYWARP_SET4(24, 25, 26, 27) ";"
#define DRYWARP_SETS_8888 \
  DRYWARP_SET8(0, 1, 2, 3, 4, 5, 6, 7) ", " DRYWARP_SET8(8, 9, 10, 11, 12, 13, 14, 15) ", " DRYWARP_SET8(16, 17, 18, 19, 20, 21, 22, 23) ", " DRYWARP_SET8(24, 25, 26, 27, 28, 29, 30, 31) ";"
#define DRYWARP_SETS_8448 \
  DRYWARP_SET8(0, 1, 2, 3, 4, 5, 6, 7) ", " DRYWARP_SET4(8, 9, 10, 11) ", " DRYWARP_SET4(12, 13, 14, 15) ", " DRYWARP_SET8(16, 17, 18, 19, 20, 21, 22, 23) ";"
#define DRYWARP_SETS_8828 \
  DRYWARP_SET8(0, 1, 2, 3, 4, 5, 6, 7) ", " DRYWARP_SET8(8, 9, 10, 11, 12, 13, 14, 15) ", " DRYWARP_SET2(16, 17) ", " DRYWARP_SET8(18, 19, 20, 21, 22, 23, 24, 25) ";"
#define DRYWARP_SETS_8288 \
  DRYWARP_SET8(0, 1, 2, 3, 4, 5, 6, 7) ", " DRYWARP_SET2(8, 9) ", " DRYWARP_SET8(10, 11, 12, 13, 14, 15, 16, 17) ", " DRYWARP_SET8(18, 19, 20, 21, 22, 23, 24, 25) ";"
#define DRYWARP_SETS_8228 \
  DRYWARP_SET8(0, 1, 2, 3, 4, 5, 6, 7) ", " DRYWARP_SET2(8, 9) ", " DRYWARP_SET2(10, 11) ", " DRYWARP_SET8(12, 13, 14, 15, 16, 17, 18, 19) ";"
#define DRYWARP_SETS_8418 \
  DRYWARP_SET8(0, 1, 2, 3, 4, 5, 6, 7) ", " DRYWARP_SET4(8, 9, 10, 11) ", " DRYWARP_SET1(12) ", " DRYWARP_SET8(13, 14, 15, 16, 17, 18, 19, 20) ";"
#define DRYWARP_SETS_8148 \
  DRYWARP_SET8(0, 1, 2, 3, 4, 5, 6, 7) ", " DRYWARP_SET1(8) ", " DRYWARP_SET4(9, 10, 11, 12) ", " DRYWARP_SET8(13, 14, 15, 16, 17, 18, 19, 20) ";"
#define DRYWARP_SETS_2112 DRYWARP_SET2(0, 1) ", " DRYWARP_SET1(2) ", " DRYWARP_SET1(3) ", " DRYWARP_SET2(4, 5) ";"

#define DRYWARP_IN1(r) "r"(r[0])
#define DRYWARP_IN2(r) DRYWARP_IN1(r), "r"(r[1])
#define DRYWARP_IN4(r) DRYWARP_IN2(r), "r"(r[2]), "r"(r[3])
#define DRYWARP_IN8(r) DRYWARP_IN4(r), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7])
#define DRYWARP_OUT2(r) "=r"(r[0]), "=r"(r[1])
#define DRYWARP_OUT4(r) DRYWARP_OUT2(r), "=r"(r[2]), "=r"(r[3])
#define DRYWARP_OUT8(r) DRYWARP_OUT4(r), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])

#define DRYWARP_MULTIPLY(text, nd, na, nb, nc)                                                            \
  {                                                                                                       \
    unsigned rd[nd], ra[na], rb[nb], rc[nc];                                                              \
    static_assert(sizeof rd == sizeof d.x && sizeof ra == sizeof a.x && sizeof rb == sizeof b.x &&        \
                      sizeof rc == sizeof c.x,                                                            \
                  "registers of the fragments");                                                          \
    __builtin_memcpy(ra, a.x, sizeof ra), __builtin_memcpy(rb, b.x, sizeof rb);                           \
    __builtin_memcpy(rc, c.x, sizeof rc);                                                                 \
    asm volatile(text " " DRYWARP_SETS_##nd##na##nb##nc                                                   \
                 : DRYWARP_OUT##nd(rd)                                                                    \
                 : DRYWARP_IN##na(ra), DRYWARP_IN##nb(rb), DRYWARP_IN##nc(rc));                           \
    __builtin_memcpy(d.x, rd, sizeof rd);                                                                 \
  }

#define DRYWARP_MMA_LAYOUT(la, lb, m, n, k, T, TD, TC, types, nd, na, nb, nc)                             \
  __device__ __forceinline__ void mma_sync(fragment<accumulator, m, n, k, TD>& d,                         \
                                           const fragment<matrix_a, m, n, k, T, la##_major>& a,           \
                                           const fragment<matrix_b, m, n, k, T, lb##_major>& b,           \
                                           const fragment<accumulator, m, n, k, TC>& c)                   \
      DRYWARP_MULTIPLY("wmma.mma.sync.aligned." #la "." #lb ".m" #m "n" #n "k" #k "." types, nd, na, nb, nc)
#define DRYWARP_MMA(...)                         \
  DRYWARP_MMA_LAYOUT(row, row, __VA_ARGS__)      \
  DRYWARP_MMA_LAYOUT(row, col, __VA_ARGS__)      \
  DRYWARP_MMA_LAYOUT(col, row, __VA_ARGS__)      \
  DRYWARP_MMA_LAYOUT(col, col, __VA_ARGS__)

// Whole numbers can stop at the ends of their range.
#define DRYWARP_WHOLE_LAYOUT(la, lb, m, n, k, T, types, nd, na, nb, nc)                                          \
  __device__ __forceinline__ void mma_sync(fragment<accumulator, m, n, k, int>& d,                               \
                                           const fragment<matrix_a, m, n, k, T, la##_major>& a,                  \
                                           const fragment<matrix_b, m, n, k, T, lb##_major>& b,                  \
                                           const fragment<accumulator, m, n, k, int>& c, bool saturates = false) { \
    if (saturates)                                                                                               \
      DRYWARP_MULTIPLY("wmma.mma.sync.aligned." #la "." #lb ".m" #m "n" #n "k" #k ".satfinite." types, nd, na, nb, nc) \
    else                                                                                                         \
      DRYWARP_MULTIPLY("wmma.mma.sync.aligned." #la "." #lb ".m" #m "n" #n "k" #k "." types, nd, na, nb, nc)     \
  }
#define DRYWARP_WHOLE(...)                         \
  DRYWARP_WHOLE_LAYOUT(row, row, __VA_ARGS__)      \
  DRYWARP_WHOLE_LAYOUT(row, col, __VA_ARGS__)      \
  DRYWARP_WHOLE_LAYOUT(col, row, __VA_ARGS__)      \
  DRYWARP_WHOLE_LAYOUT(col, col, __VA_ARGS__)

#define DRYWARP_SIXTEEN_DEEP(m, n, bfloat_a, bfloat_b, bytes_a, bytes_b)                                          \
  DRYWARP_MMA(m, n, 16, __half, float, float, "f32.f32", 8, 8, 8, 8)                                              \
  DRYWARP_MMA(m, n, 16, __half, __half, __half, "f16.f16", 4, 8, 8, 4)                                            \
  DRYWARP_MMA(m, n, 16, __half, float, __half, "f32.f16", 8, 8, 8, 4)                                             \
  DRYWARP_MMA(m, n, 16, __half, __half, float, "f16.f32", 4, 8, 8, 8)                                             \
  DRYWARP_MMA(m, n, 16, __nv_bfloat16, float, float, "f32.bf16.bf16.f32", 8, bfloat_a, bfloat_b, 8)               \
  DRYWARP_WHOLE(m, n, 16, signed char, "s32.s8.s8.s32", 8, bytes_a, bytes_b, 8)                                   \
  DRYWARP_WHOLE(m, n, 16, unsigned char, "s32.u8.u8.s32", 8, bytes_a, bytes_b, 8)
DRYWARP_SIXTEEN_DEEP(16, 16, 4, 4, 2, 2)
DRYWARP_SIXTEEN_DEEP(32, 8, 8, 2, 4, 1)
DRYWARP_SIXTEEN_DEEP(8, 32, 2, 8, 1, 4)
DRYWARP_MMA(16, 16, 8, precision::tf32, float, float, "f32.tf32.tf32.f32", 8, 4, 4, 8)
DRYWARP_WHOLE_LAYOUT(row, col, 8, 8, 32, experimental::precision::u4, "s32.u4.u4.s32", 2, 1, 1, 2)
DRYWARP_WHOLE_LAYOUT(row, col, 8, 8, 32, experimental::precision::s4, "s32.s4.s4.s32", 2, 1, 1, 2)

__device__ __forceinline__ void bmma_sync(
    fragment<accumulator, 8, 8, 128, int>& d,
    const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major>& a,
    const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major>& b,
    const fragment<accumulator, 8, 8, 128, int>& c, experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
    experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
  if (op == experimental::bmmaBitOpAND)
    DRYWARP_MULTIPLY("wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 2, 1, 1, 2)
  else
    DRYWARP_MULTIPLY("wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 2, 1, 1, 2)
}

#define DRYWARP_DOUBLE(la, lb)                                                                                      \
  __device__ __forceinline__ void mma_sync(                                                                         \
      fragment<accumulator, 8, 8, 4, double>& d, const fragment<matrix_a, 8, 8, 4, double, la##_major>& a,          \
      const fragment<matrix_b, 8, 8, 4, double, lb##_major>& b, const fragment<accumulator, 8, 8, 4, double>& c) {  \
    asm volatile("wmma.mma.sync.aligned." #la "." #lb ".m8n8k4.rn.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"  \
                 : "=d"(d.x[0]), "=d"(d.x[1])                                                                       \
                 : "d"(a.x[0]), "d"(b.x[0]), "d"(c.x[0]), "d"(c.x[1]));                                             \
  }
DRYWARP_DOUBLE(row, row)
DRYWARP_DOUBLE(row, col)
DRYWARP_DOUBLE(col, row)
DRYWARP_DOUBLE(col, col)

#undef DRYWARP_DOUBLE
#undef DRYWARP_SIXTEEN_DEEP
#undef DRYWARP_WHOLE
#undef DRYWARP_WHOLE_LAYOUT
#undef DRYWARP_MMA
#undef DRYWARP_MMA_LAYOUT
#undef DRYWARP_MULTIPLY
#undef DRYWARP_IN1
#undef DRYWARP_IN2
#undef DRYWARP_IN4
#undef DRYWARP_IN8
#undef DRYWARP_OUT2
#undef DRYWARP_OUT4
#undef DRYWARP_OUT8
#undef DRYWARP_SET1
#undef DRYWARP_SET2
#undef DRYWARP_SET4
#undef DRYWARP_SET8
#undef DRYWARP_SETS_2112
#undef DRYWARP_SETS_4884
#undef DRYWARP_SETS_4888
#undef DRYWARP_SETS_8148
#undef DRYWARP_SETS_8228
#undef DRYWARP_SETS_8288
#undef DRYWARP_SETS_8418
#undef DRYWARP_SETS_8448
#undef DRYWARP_SETS_8828
#undef DRYWARP_SETS_8884
#undef DRYWARP_SETS_8888

namespace experimental {
using wmma::bmma_sync;
using wmma::fill_fragment;
using wmma::fragment;
using wmma::load_matrix_sync;
using wmma::mma_sync;
using wmma::store_matrix_sync;
}  // namespace experimental

}  // namespace wmma
}  // namespace nvcuda
#endif
