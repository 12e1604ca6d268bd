// The operators for reduce and the scans.
#ifndef DRYWARP_GROUPS_OPERATIONS_H
#define DRYWARP_GROUPS_OPERATIONS_H
#pragma GCC system_header

namespace cooperative_groups {

namespace details {
template <class T>
struct bare_type {
  typedef T type;
};
template <class T>
struct bare_type<T&> : bare_type<T> {};
template <class T>
struct bare_type<T&&> : bare_type<T> {};
template <class T>
struct bare_type<const T> : bare_type<T> {};
template <class T>
struct bare_type<volatile T> : bare_type<T> {};
template <class T>
using bare = typename bare_type<T>::type;
}  // namespace details

template <class T>
struct plus {
  __device__ T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  __device__ T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  __device__ T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  __device__ T operator()(T a, T b) const { return a ^ b; }
};

}  // namespace cooperative_groups

#endif
