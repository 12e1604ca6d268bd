// Fragments of nvcuda::wmma: a part of a matrix a thread. Which part is not specified.
#ifndef DRYWARP_MATRIX_FRAGMENTS_H
#define DRYWARP_MATRIX_FRAGMENTS_H
#pragma GCC system_header

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

namespace drywarp {

// What a fragment has of a type: in registers, in memory, and how many elements an x[i] holds.
template <class T>
struct element {
  using stored = T;
  using in_memory = T;
  static constexpr int packed = 1;
};
template <>
struct element<precision::tf32> {
  using stored = float;
  using in_memory = float;
  static constexpr int packed = 1;
};
template <class Word, int count>
struct packed_element {
  using stored = Word;
  using in_memory = void;
  static constexpr int packed = count;
};
template <>
struct element<experimental::precision::u4> : packed_element<unsigned, 8> {};
template <>
struct element<experimental::precision::s4> : packed_element<int, 8> {};
template <>
struct element<experimental::precision::b1> : packed_element<unsigned, 32> {};

// Elements a thread; 0: wmma has no such fragment. PTX's registers of halves hold 16, whatever the shape.
constexpr bool square(int m, int n, int k) { return m == 16 && n == 16 && k == 16; }
constexpr bool sixteen_deep(int m, int n, int k) {
  return square(m, n, k) || (m == 32 && n == 8 && k == 16) || (m == 8 && n == 32 && k == 16);
}
template <class T>
struct inputs {
  static constexpr bool fits(int, int, int) { return false; }
  static constexpr bool halves = false;
};
#define DRYWARP_INPUTS(type, condition, is_half)                                \
  template <>                                                                   \
  struct inputs<type> {                                                         \
    static constexpr bool fits(int m, int n, int k) { return condition; }       \
    static constexpr bool halves = is_half;                                     \
  };
DRYWARP_INPUTS(__half, sixteen_deep(m, n, k), true)
DRYWARP_INPUTS(__nv_bfloat16, sixteen_deep(m, n, k), false)
DRYWARP_INPUTS(signed char, sixteen_deep(m, n, k), false)
DRYWARP_INPUTS(unsigned char, sixteen_deep(m, n, k), false)
DRYWARP_INPUTS(precision::tf32, m == 16 && n == 16 && k == 8, false)
DRYWARP_INPUTS(double, m == 8 && n == 8 && k == 4, false)
DRYWARP_INPUTS(experimental::precision::u4, m == 8 && n == 8 && k == 32, false)
DRYWARP_INPUTS(experimental::precision::s4, m == 8 && n == 8 && k == 32, false)
DRYWARP_INPUTS(experimental::precision::b1, m == 8 && n == 8 && k == 128, false)
#undef DRYWARP_INPUTS

template <class Use, int m, int n, int k, class T>
struct count;
template <int m, int n, int k, class T>
struct count<matrix_a, m, n, k, T> {
  static constexpr int value = !inputs<T>::fits(m, n, k) ? 0 : inputs<T>::halves ? 16 : m * k / 32;
};
template <int m, int n, int k, class T>
struct count<matrix_b, m, n, k, T> {
  static constexpr int value = !inputs<T>::fits(m, n, k) ? 0 : inputs<T>::halves ? 16 : n * k / 32;
};
template <int m, int n, int k, class T>
struct count<accumulator, m, n, k, T> {
  static constexpr int value = m * n / 32;
};

template <class First, class Second>
struct same {
  static constexpr bool value = false;
};
template <class First>
struct same<First, First> {
  static constexpr bool value = true;
};

}  // namespace drywarp

template <class T, int size, int packed = 1>
struct __frag_base {
  enum { num_elements = size, num_storage_elements = size / packed };
  using element_type = T;
  using storage_element_type = typename drywarp::element<T>::stored;
  storage_element_type x[num_storage_elements];
};

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment : public __frag_base<T, drywarp::count<Use, m, n, k, T>::value, drywarp::element<T>::packed> {
  static_assert(drywarp::count<Use, m, n, k, T>::value != 0, "nvcuda::wmma has no fragment of this shape and type");
};

template <class Use, int m, int n, int k, class T, class Layout, class Value>
__device__ __forceinline__ void fill_fragment(fragment<Use, m, n, k, T, Layout>& f, const Value& value) {
#pragma unroll
  for (int i = 0; i < f.num_storage_elements; ++i) f.x[i] = value;
}

__device__ __forceinline__ float __float_to_tf32(float value) {
  float r;
  asm("{.reg .b32 t; cvt.rna.tf32.f32 t, %1; mov.b32 %0, t;}" : "=f"(r) : "f"(value));
  return r;
}

}  // namespace wmma
}  // namespace nvcuda
#endif
