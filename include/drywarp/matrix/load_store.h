// load_matrix_sync and store_matrix_sync.
#ifndef DRYWARP_MATRIX_LOAD_STORE_H
#define DRYWARP_MATRIX_LOAD_STORE_H
#pragma GCC system_header

namespace nvcuda {
namespace wmma {

// A fragment's registers of 32 bits, as operands of an instruction.
#define DRYWARP_OUT1 "=r"(r[0])
#define DRYWARP_OUT2 DRYWARP_OUT1, "=r"(r[1])
#define DRYWARP_OUT4 DRYWARP_OUT2, "=r"(r[2]), "=r"(r[3])
#define DRYWARP_OUT8 DRYWARP_OUT4, "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
#define DRYWARP_IN2 "r"(r[0]), "r"(r[1])
#define DRYWARP_IN4 DRYWARP_IN2, "r"(r[2]), "r"(r[3])
#define DRYWARP_IN8 DRYWARP_IN4, "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7])
#define DRYWARP_LOADED1 "{%0}, [%1], %2;"
#define DRYWARP_LOADED2 "{%0, %1}, [%2], %3;"
#define DRYWARP_LOADED4 "{%0, %1, %2, %3}, [%4], %5;"
#define DRYWARP_LOADED8 "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
#define DRYWARP_STORED2 "[%0], {%1, %2}, %3;"
#define DRYWARP_STORED4 "[%0], {%1, %2, %3, %4}, %5;"
#define DRYWARP_STORED8 "[%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;"

#define DRYWARP_LOAD(text, n)                                                                       \
  {                                                                                                 \
    unsigned r[n];                                                                                  \
    asm volatile("wmma.load." text " " DRYWARP_LOADED##n : DRYWARP_OUT##n : "l"(p), "r"(ldm) : "memory"); \
    static_assert(sizeof r == sizeof f.x, "registers of the fragment");                             \
    __builtin_memcpy(f.x, r, sizeof r);                                                             \
  }
#define DRYWARP_STORE(text, n)                                                                      \
  {                                                                                                 \
    unsigned r[n];                                                                                  \
    static_assert(sizeof r == sizeof f.x, "registers of the fragment");                             \
    __builtin_memcpy(r, f.x, sizeof r);                                                             \
    asm volatile("wmma.store.d." text " " DRYWARP_STORED##n ::"l"(p), DRYWARP_IN##n, "r"(ldm) : "memory"); \
  }

// matrix_a or matrix_b. `letter`: a or b.
#define DRYWARP_LOAD_LAYOUT(use, letter, layout, m, n, k, T, memory, type, registers)                          \
  __device__ __forceinline__ void load_matrix_sync(fragment<use, m, n, k, T, layout##_major>& f, const memory* p, \
                                                   unsigned ldm)                                               \
      DRYWARP_LOAD(#letter ".sync.aligned." #layout ".m" #m "n" #n "k" #k "." type, registers)
#define DRYWARP_LOAD_INPUTS(m, n, k, T, memory, type, a_registers, b_registers)                      \
  DRYWARP_LOAD_LAYOUT(matrix_a, a, row, m, n, k, T, memory, type, a_registers)                       \
  DRYWARP_LOAD_LAYOUT(matrix_a, a, col, m, n, k, T, memory, type, a_registers)                       \
  DRYWARP_LOAD_LAYOUT(matrix_b, b, row, m, n, k, T, memory, type, b_registers)                       \
  DRYWARP_LOAD_LAYOUT(matrix_b, b, col, m, n, k, T, memory, type, b_registers)
// Elements smaller than a byte: a by rows, b by columns alone.
#define DRYWARP_LOAD_PACKED(m, n, k, T, type)                                      \
  DRYWARP_LOAD_LAYOUT(matrix_a, a, row, m, n, k, T, void, type, 1)                 \
  DRYWARP_LOAD_LAYOUT(matrix_b, b, col, m, n, k, T, void, type, 1)

#define DRYWARP_SUMS(m, n, k, T, type, registers)                                                            \
  __device__ __forceinline__ void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* p, unsigned ldm, \
                                                   layout_t layout) {                                        \
    if (layout == mem_row_major)                                                                             \
      DRYWARP_LOAD("c.sync.aligned.row.m" #m "n" #n "k" #k "." type, registers)                              \
    else                                                                                                     \
      DRYWARP_LOAD("c.sync.aligned.col.m" #m "n" #n "k" #k "." type, registers)                              \
  }                                                                                                          \
  __device__ __forceinline__ void store_matrix_sync(T* p, const fragment<accumulator, m, n, k, T>& f, unsigned ldm, \
                                                    layout_t layout) {                                       \
    if (layout == mem_row_major)                                                                             \
      DRYWARP_STORE("sync.aligned.row.m" #m "n" #n "k" #k "." type, registers)                               \
    else                                                                                                     \
      DRYWARP_STORE("sync.aligned.col.m" #m "n" #n "k" #k "." type, registers)                               \
  }

#define DRYWARP_SIXTEEN_DEEP(m, n, bfloat_a, bfloat_b, bytes_a, bytes_b)                             \
  DRYWARP_LOAD_INPUTS(m, n, 16, __half, __half, "f16", 8, 8)                                         \
  DRYWARP_LOAD_INPUTS(m, n, 16, __nv_bfloat16, __nv_bfloat16, "bf16", bfloat_a, bfloat_b)            \
  DRYWARP_LOAD_INPUTS(m, n, 16, signed char, signed char, "s8", bytes_a, bytes_b)                    \
  DRYWARP_LOAD_INPUTS(m, n, 16, unsigned char, unsigned char, "u8", bytes_a, bytes_b)                \
  DRYWARP_SUMS(m, n, 16, __half, "f16", 4)                                                           \
  DRYWARP_SUMS(m, n, 16, float, "f32", 8)                                                            \
  DRYWARP_SUMS(m, n, 16, int, "s32", 8)
DRYWARP_SIXTEEN_DEEP(16, 16, 4, 4, 2, 2)
DRYWARP_SIXTEEN_DEEP(32, 8, 8, 2, 4, 1)
DRYWARP_SIXTEEN_DEEP(8, 32, 2, 8, 1, 4)
DRYWARP_LOAD_INPUTS(16, 16, 8, precision::tf32, float, "tf32", 4, 4)
DRYWARP_SUMS(16, 16, 8, float, "f32", 8)
DRYWARP_LOAD_PACKED(8, 8, 32, experimental::precision::u4, "u4")
DRYWARP_LOAD_PACKED(8, 8, 32, experimental::precision::s4, "s4")
DRYWARP_SUMS(8, 8, 32, int, "s32", 2)
DRYWARP_LOAD_PACKED(8, 8, 128, experimental::precision::b1, "b1")
DRYWARP_SUMS(8, 8, 128, int, "s32", 2)

// ---- double: registers of 64 bits

#define DRYWARP_LOAD_DOUBLE(use, letter, layout)                                                                 \
  __device__ __forceinline__ void load_matrix_sync(fragment<use, 8, 8, 4, double, layout##_major>& f,            \
                                                   const double* p, unsigned ldm) {                              \
    asm volatile("wmma.load." #letter ".sync.aligned." #layout ".m8n8k4.f64 {%0}, [%1], %2;"                     \
                 : "=d"(f.x[0])                                                                                  \
                 : "l"(p), "r"(ldm)                                                                              \
                 : "memory");                                                                                    \
  }
DRYWARP_LOAD_DOUBLE(matrix_a, a, row)
DRYWARP_LOAD_DOUBLE(matrix_a, a, col)
DRYWARP_LOAD_DOUBLE(matrix_b, b, row)
DRYWARP_LOAD_DOUBLE(matrix_b, b, col)
#undef DRYWARP_LOAD_DOUBLE

__device__ __forceinline__ void load_matrix_sync(fragment<accumulator, 8, 8, 4, double>& f, const double* p,
                                                 unsigned ldm, layout_t layout) {
  if (layout == mem_row_major)
    asm volatile("wmma.load.c.sync.aligned.row.m8n8k4.f64 {%0, %1}, [%2], %3;"
                 : "=d"(f.x[0]), "=d"(f.x[1])
                 : "l"(p), "r"(ldm)
                 : "memory");
  else
    asm volatile("wmma.load.c.sync.aligned.col.m8n8k4.f64 {%0, %1}, [%2], %3;"
                 : "=d"(f.x[0]), "=d"(f.x[1])
                 : "l"(p), "r"(ldm)
                 : "memory");
}
__device__ __forceinline__ void store_matrix_sync(double* p, const fragment<accumulator, 8, 8, 4, double>& f,
                                                  unsigned ldm, layout_t layout) {
  if (layout == mem_row_major)
    asm volatile("wmma.store.d.sync.aligned.row.m8n8k4.f64 [%0], {%1, %2}, %3;" ::"l"(p), "d"(f.x[0]), "d"(f.x[1]),
                 "r"(ldm)
                 : "memory");
  else
    asm volatile("wmma.store.d.sync.aligned.col.m8n8k4.f64 [%0], {%1, %2}, %3;" ::"l"(p), "d"(f.x[0]), "d"(f.x[1]),
                 "r"(ldm)
                 : "memory");
}

#undef DRYWARP_SIXTEEN_DEEP
#undef DRYWARP_SUMS
#undef DRYWARP_LOAD_PACKED
#undef DRYWARP_LOAD_INPUTS
#undef DRYWARP_LOAD_LAYOUT
#undef DRYWARP_STORE
#undef DRYWARP_LOAD
#undef DRYWARP_STORED2
#undef DRYWARP_STORED4
#undef DRYWARP_STORED8
#undef DRYWARP_LOADED1
#undef DRYWARP_LOADED2
#undef DRYWARP_LOADED4
#undef DRYWARP_LOADED8
#undef DRYWARP_IN2
#undef DRYWARP_IN4
#undef DRYWARP_IN8
#undef DRYWARP_OUT1
#undef DRYWARP_OUT2
#undef DRYWARP_OUT4
#undef DRYWARP_OUT8

}  // namespace wmma
}  // namespace nvcuda
#endif
