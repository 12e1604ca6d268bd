// Eigenvalues and right eigenvectors of any square matrix: Hessenberg's form by reflectors, Schur's form by QR steps,
// and the vectors of that by substitution. A block does one matrix.
#pragma once

#include "jacobi.h"
#include "reflectors.h"

namespace drywarp::dense {

template <class T>
using AsComplex = Complex<Real<T>>;

// Memory of one matrix's computation.
template <class T>
struct SchurWork {
  AsComplex<T>*vectors, *values;  // n x n: of Schur's form, one a thread; n
  T *form, *turned, *tau;         // n x n: A, then Schur's form; n x n: A = turned form turned^H; n
};
template <class T>
__host__ __device__ int64_t schur_work(int64_t n) {  // in numbers of type T
  return (n * n + n) * int64_t(sizeof(AsComplex<T>) / sizeof(T)) + 2 * n * n + n;
}
template <class T>
__device__ SchurWork<T> schur_work(T* work, int64_t n) {
  AsComplex<T>* const vectors = reinterpret_cast<AsComplex<T>*>(work);
  T* const rest = reinterpret_cast<T*>(vectors + n * n + n);
  return {vectors, vectors + n * n, rest, rest + n * n, rest + 2 * n * n};
}

// Zero below the first subdiagonal; `turned` becomes the product of the reflectors.
template <class T>
__device__ void to_hessenberg(const SchurWork<T>& work, int64_t n) {
  const int64_t warp = threadIdx.x / 32, warps = blockDim.x / 32, count = n > 2 ? n - 2 : 0;
  const View<T> below = columns(work.form, n).from(1, 0);  // a reflector begins below the diagonal
  const View<const T> v{below.data, 1, n, false};
  for (int64_t k = 0; k < count; ++k) {
    const T tau = make_reflector(below, n - 1, k);
    if (threadIdx.x == 0) work.tau[k] = tau;
    for (int64_t j = k + 1 + warp; j < n; j += warps) reflect(v, conjugate(tau), k, n - 1, work.form + j * n + 1, 1, false);
    __syncthreads();
    for (int64_t i = warp; i < n; i += warps) reflect(v, tau, k, n - 1, work.form + n + i, n, true);
    __syncthreads();
  }
  for (int64_t id = threadIdx.x; id < n * n; id += blockDim.x) work.turned[id] = T(id / n == id % n ? 1 : 0);
  __syncthreads();
  for (int64_t j = warp; j < n; j += warps)
    reflect_all(Sequence{true, false, false}, v, work.tau, 0, count, n - 1, work.turned + j * n + 1, 1);
  __syncthreads();
  for (int64_t id = threadIdx.x; id < n * n; id += blockDim.x)
    if (id % n > id / n + 1) work.form[id] = T(0);
  __syncthreads();
}

// The largest of a block's numbers, none of which is less than `least`.
__device__ inline int64_t largest_of_block(int64_t mine, int64_t least) {
  __shared__ long long largest;
  if (threadIdx.x == 0) largest = least;
  __syncthreads();
  if (mine > least) atomicMax(&largest, static_cast<long long>(mine));
  __syncthreads();
  const int64_t result = largest;
  __syncthreads();
  return result;
}

// The first row of the part that ends at row `last` and is not yet split; what is small above it becomes 0.
template <class T>
__device__ int64_t split(T* h, int64_t n, int64_t last, Real<T> norm) {
  int64_t mine = 0;
  for (int64_t i = 1 + threadIdx.x; i <= last; i += blockDim.x) {
    Real<T> near = size_of_pivot(h[i * n + i]) + size_of_pivot(h[(i - 1) * n + i - 1]);
    if (near == 0) near = norm;
    if (size_of_pivot(h[(i - 1) * n + i]) <= epsilon<Real<T>>() * near) mine = i;
  }
  const int64_t first = largest_of_block(mine, 0);
  if (threadIdx.x == 0 && first > 0) h[(first - 1) * n + first] = T(0);
  __syncthreads();
  return first;
}

inline constexpr int kRoundsOfValue = 60;  // QR steps for one eigenvalue, of which each tenth has an exceptional shift

// Columns x and y of `rows` rows, turned together.
template <class R>
__device__ void turn_columns(Complex<R>* x, Complex<R>* y, int64_t rows, R c, Complex<R> s) {
  for (int64_t i = threadIdx.x; i < rows; i += blockDim.x) {
    const Complex<R> a = x[i], b = y[i];
    x[i] = a * Complex<R>(c) + b * conjugate(s);
    y[i] = b * Complex<R>(c) - a * s;
  }
}

// Rows [first, last]: one QR step with a shift, by rotations.
template <class R>
__device__ void shifted_step(const SchurWork<Complex<R>>& work, int64_t n, int64_t first, int64_t last, bool exceptional) {
  using C = Complex<R>;
  C* const h = work.form;
  const auto at = [&](int64_t i, int64_t j) -> C& { return h[j * n + i]; };
  // The eigenvalue of the last two rows and columns that is nearer to the last.
  C shift = at(last, last);
  if (exceptional) {
    shift += C(size_of_pivot(at(last, last - 1)));
  } else {
    const C half = (at(last - 1, last - 1) - shift) * C(R(0.5)), product = at(last - 1, last) * at(last, last - 1);
    const C square_of = half * half + product;
    const R length = sqrt(magnitude(square_of)), angle = R(0.5) * atan2(square_of.im, square_of.re);
    C root(length * cos(angle), length * sin(angle));
    if (half.re * root.re + half.im * root.im < 0) root = -root;
    const C larger = half + root;
    if (larger != C(0)) shift -= product / larger;
  }
  for (int64_t k = first; k < last; ++k) {
    __syncthreads();
    const C x = k == first ? at(first, first) - shift : at(k, k - 1), y = k == first ? at(first + 1, first) : at(k + 1, k - 1);
    const R length = sqrt(square(x) + square(y)), of_x = magnitude(x);
    const C unit = of_x == 0 ? C(1) : x / C(of_x);
    const R c = length == 0 ? R(1) : of_x / length;
    const C s = length == 0 ? C(0) : unit * conjugate(y) / C(length);
    __syncthreads();
    for (int64_t j = (k == first ? k : k - 1) + threadIdx.x; j < n; j += blockDim.x) {
      const C a = at(k, j), b = at(k + 1, j);
      at(k, j) = C(c) * a + s * b;
      at(k + 1, j) = j == k - 1 ? C(0) : C(c) * b - conjugate(s) * a;
    }
    __syncthreads();
    turn_columns(h + k * n, h + (k + 1) * n, (k + 2 < last ? k + 2 : last) + 1, c, s);
    turn_columns(work.turned + k * n, work.turned + (k + 1) * n, n, c, s);
  }
  __syncthreads();
}

// Three neighbouring rows or columns, reflected by v = (1, q, r) and (x, y, z) = v times a factor.
template <class R>
struct SmallReflector {
  R q, r, x, y, z;
  bool of_three;
  __device__ void apply(R* a, int64_t step, bool of_rows) const {
    R p = of_rows ? a[0] + q * a[step] : x * a[0] + y * a[step];
    if (of_three) {
      p += (of_rows ? r : z) * a[2 * step];
      a[2 * step] -= p * (of_rows ? z : r);
    }
    a[0] -= of_rows ? p * x : p;
    a[step] -= of_rows ? p * y : p * q;
  }
};

// Two real shifts, or two complex ones that are conjugate, at once: the sum of the last two diagonal elements and so on.
template <class R>
struct DoubleShift {
  R x, y, w;
};

// Francis's double step over rows [first, last].
template <class R>
__device__ void double_step(const SchurWork<R>& work, int64_t n, int64_t first, int64_t last, DoubleShift<R> shift) {
  R* const h = work.form;
  const auto at = [&](int64_t i, int64_t j) -> R& { return h[j * n + i]; };
  R p = 0, q = 0, r = 0;
  const auto begin_at = [&](int64_t m) {
    const R z = at(m, m), of_x = shift.x - z, of_y = shift.y - z;
    p = (of_x * of_y - shift.w) / at(m + 1, m) + at(m, m + 1);
    q = at(m + 1, m + 1) - z - of_x - of_y;
    r = at(m + 2, m + 1);
    const R sum = fabs(p) + fabs(q) + fabs(r);
    p /= sum, q /= sum, r /= sum;
  };
  int64_t mine = first;  // it may begin behind two small elements
  for (int64_t m = first + 1 + threadIdx.x; m <= last - 2; m += blockDim.x) {
    begin_at(m);
    const R around = fabs(at(m - 1, m - 1)) + fabs(at(m, m)) + fabs(at(m + 1, m + 1));
    if (fabs(at(m, m - 1)) * (fabs(q) + fabs(r)) <= epsilon<R>() * fabs(p) * around) mine = m;
  }
  const int64_t m = largest_of_block(mine, first);
  begin_at(m);
  __syncthreads();
  for (int64_t i = m + 2 + threadIdx.x; i <= last; i += blockDim.x) {
    at(i, i - 2) = 0;
    if (i > m + 2) at(i, i - 3) = 0;
  }
  for (int64_t k = m; k < last; ++k) {
    const bool of_three = k != last - 1;
    __syncthreads();
    R scale = 1;
    if (k != m) {
      p = at(k, k - 1), q = at(k + 1, k - 1), r = of_three ? at(k + 2, k - 1) : R(0);
      scale = fabs(p) + fabs(q) + fabs(r);
      if (scale == 0) continue;
      p /= scale, q /= scale, r /= scale;
    }
    const R length = sqrt(p * p + q * q + r * r), s = p < 0 ? -length : length;
    if (s == 0) continue;
    __syncthreads();
    if (threadIdx.x == 0) {
      if (k != m)
        at(k, k - 1) = -s * scale;
      else if (first != m)
        at(k, k - 1) = -at(k, k - 1);
    }
    p += s;
    const SmallReflector<R> reflector{q / p, r / p, p / s, q / s, r / s, of_three};
    for (int64_t j = k + threadIdx.x; j < n; j += blockDim.x) reflector.apply(&at(k, j), 1, true);
    __syncthreads();
    for (int64_t i = threadIdx.x; i <= (k + 3 < last ? k + 3 : last); i += blockDim.x) reflector.apply(&at(i, k), n, false);
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) reflector.apply(work.turned + k * n + i, n, false);
  }
  __syncthreads();
}

// Two rows whose eigenvalues are real become triangular by a rotation; others stay as they are.
template <class R>
__device__ void finish_pair(const SchurWork<R>& work, int64_t n, int64_t last) {
  R* const h = work.form;
  const auto at = [&](int64_t i, int64_t j) -> R& { return h[j * n + i]; };
  const R end = at(last, last), w = at(last, last - 1) * at(last - 1, last), p = (at(last - 1, last - 1) - end) / 2;
  const R q = p * p + w, root = sqrt(fabs(q)), below = at(last, last - 1);
  __syncthreads();
  if (q < 0) {
    if (threadIdx.x == 0) work.values[last - 1] = Complex<R>(end + p, root), work.values[last] = Complex<R>(end + p, -root);
    return;
  }
  const R z = p >= 0 ? p + root : p - root, sum = fabs(below) + fabs(z), length = hypot(below / sum, z / sum);
  const R sine = below / sum / length, cosine = z / sum / length;
  for (int64_t j = last - 1 + threadIdx.x; j < n; j += blockDim.x) {
    const R a = at(last - 1, j), b = at(last, j);
    at(last - 1, j) = cosine * a + sine * b, at(last, j) = cosine * b - sine * a;
  }
  __syncthreads();
  const auto turn = [&](R* left, R* right, int64_t rows) {
    for (int64_t i = threadIdx.x; i < rows; i += blockDim.x) {
      const R a = left[i], b = right[i];
      left[i] = cosine * a + sine * b, right[i] = cosine * b - sine * a;
    }
  };
  turn(h + (last - 1) * n, h + last * n, last + 1);
  turn(work.turned + (last - 1) * n, work.turned + last * n, n);
  __syncthreads();
  if (threadIdx.x == 0) {
    at(last, last - 1) = 0;
    work.values[last - 1] = Complex<R>(z == 0 ? end : end + z), work.values[last] = Complex<R>(z == 0 ? end : end - w / z);
    at(last - 1, last - 1) = work.values[last - 1].re, at(last, last) = work.values[last].re;
  }
}

// Schur's form, and its eigenvalues. How many of these, from the first on, were not found.
template <class T>
__device__ int64_t to_schur(const SchurWork<T>& work, int64_t n) {
  using R = Real<T>;
  T* const h = work.form;
  R sum = 0;
  for (int64_t id = threadIdx.x; id < n * n; id += blockDim.x) sum += size_of_pivot(h[id]);
  const R norm = sum_of_block(sum);
  int round = 0;
  int64_t last = n - 1;
  while (last >= 0) {
    const int64_t first = split(h, n, last, norm);
    if (first == last) {
      if (threadIdx.x == 0) work.values[last] = AsComplex<T>(h[last * n + last]);
      --last, round = 0;
      continue;
    }
    const bool exceptional = round % 10 == 9;
    if constexpr (Number<T>::kComplex) {
      if (round++ == kRoundsOfValue) break;
      shifted_step(work, n, first, last, exceptional);
    } else {
      if (first == last - 1) {
        finish_pair(work, n, last);
        __syncthreads();
        last -= 2, round = 0;
        continue;
      }
      if (round++ == kRoundsOfValue) break;
      const R next = h[(last - 1) * n + last - 1], end = h[last * n + last];
      const R size = fabs(h[(last - 1) * n + last]) + fabs(h[(last - 2) * n + last - 1]);
      const DoubleShift<R> odd{end + R(0.75) * size, end + R(0.75) * size, R(-0.4375) * size * size};
      const DoubleShift<R> usual{end, next, h[(last - 1) * n + last] * h[last * n + last - 1]};
      double_step(work, n, first, last, exceptional ? odd : usual);
    }
  }
  __syncthreads();
  return last + 1;
}

// y with (form - value) y = 0, whose last element is that of eigenvalue k (of a pair: k and k + 1). By one thread.
template <class T>
__device__ void vector_of_schur(const SchurWork<T>& work, int64_t n, int64_t k, Real<T> norm) {
  using C = AsComplex<T>;
  using R = Real<T>;
  const auto at = [&](int64_t i, int64_t j) { return C(work.form[j * n + i]); };
  C* const y = work.vectors + k * n;
  const C value = work.values[k];
  const R least = epsilon<R>() * (norm == 0 ? R(1) : norm);
  const bool pair = !Number<T>::kComplex && value.im != 0;
  const int64_t last = pair ? k + 1 : k;
  for (int64_t i = last + 1; i < n; ++i) y[i] = C(0);
  y[last] = C(1);
  if (pair) y[k] = -at(k, k + 1) / (at(k, k) - value);
  const auto rest = [&](int64_t i, int64_t from) {
    C sum(0);
    for (int64_t j = from; j <= last; ++j) sum += at(i, j) * y[j];
    return -sum;
  };
  // Whether rows i - 1 and i have a pair of values, and are solved together.
  const auto second_of_pair = [&](int64_t i) { return !Number<T>::kComplex && i > 0 && at(i, i - 1) != C(0); };
  for (int64_t i = k - 1; i >= 0; --i) {
    if (i + 1 < k && second_of_pair(i + 1)) continue;  // is solved
    int64_t upmost = i;
    if (!second_of_pair(i)) {
      C below = at(i, i) - value;
      if (size_of_pivot(below) < least) below = C(least);
      y[i] = rest(i, i + 1) / below;
    } else {
      const C a = at(i - 1, i - 1) - value, b = at(i - 1, i), c = at(i, i - 1), d = at(i, i) - value;
      const C upper = rest(i - 1, i + 1), lower = rest(i, i + 1);
      C determinant = a * d - b * c;
      if (size_of_pivot(determinant) < least * least) determinant = C(least * least);
      y[i - 1] = (upper * d - b * lower) / determinant;
      y[i] = (a * lower - c * upper) / determinant;
      upmost = i - 1;
    }
    const R size = size_of_pivot(y[upmost]);
    if (epsilon<R>() * size * size > 1)
      for (int64_t j = upmost; j <= last; ++j) y[j] = y[j] / C(size);
  }
}

// What a program gets: values as complex numbers or real and imaginary parts apart, vectors as LAPACK has them.
template <class T>
struct SchurResult {
  AsComplex<T>* values;  // or null
  Real<T>*reals, *imaginaries;
  T* vectors;  // or null
  int64_t ld;
};

// Eigenvector k = turned times y, with length 1 and its largest element real; a pair's parts lie side by side. By a
// warp.
template <class T>
__device__ void store_vector(const SchurWork<T>& work, int64_t n, int64_t k, const SchurResult<T>& to) {
  using C = AsComplex<T>;
  using R = Real<T>;
  const int64_t lane = threadIdx.x % 32;
  const C* const y = work.vectors + k * n;
  const auto element = [&](int64_t i) {
    C sum(0);
    for (int64_t j = 0; j < n; ++j) sum += C(work.turned[j * n + i]) * y[j];
    return sum;
  };
  R length = 0, most = -1;
  C largest(1);
  for (int64_t i = lane; i < n; i += 32) {
    const C x = element(i);
    length += square(x);
    if (square(x) > most) most = square(x), largest = x;
  }
  length = sqrt(sum_of_warp(length));
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    const R of_other = __shfl_xor_sync(0xffffffffu, most, lanes);
    const C other = shuffle_xor(largest, lanes);
    if (of_other > most || (of_other == most && (lane & lanes))) most = of_other, largest = other;
  }
  const bool pair = !Number<T>::kComplex && work.values[k].im != 0;
  const C factor = conjugate(largest) / C(magnitude(largest) * length);
  for (int64_t i = lane; i < n; i += 32) {
    const C x = element(i);
    if constexpr (Number<T>::kComplex) {
      to.vectors[k * to.ld + i] = x * factor;
    } else if (pair) {
      const C turned = x * factor;
      to.vectors[k * to.ld + i] = turned.re, to.vectors[(k + 1) * to.ld + i] = turned.im;
    } else {
      to.vectors[k * to.ld + i] = x.re / length;
    }
  }
}

template <class T>
__device__ void find_schur_values(const T* a, int64_t n, int64_t ld, T* memory, const SchurResult<T>& to, int* info) {
  using R = Real<T>;
  const SchurWork<T> work = schur_work(memory, n);
  for (int64_t id = threadIdx.x; id < n * n; id += blockDim.x) work.form[id] = a[id / n * ld + id % n];
  __syncthreads();
  to_hessenberg(work, n);
  const int64_t missing = to_schur(work, n);
  if (threadIdx.x == 0) *info = int(missing);
  for (int64_t i = missing + threadIdx.x; i < n; i += blockDim.x) {
    if (to.values)
      to.values[i] = work.values[i];
    else
      to.reals[i] = work.values[i].re, to.imaginaries[i] = work.values[i].im;
  }
  if (!to.vectors || missing > 0) return;
  R sum = 0;
  for (int64_t id = threadIdx.x; id < n * n; id += blockDim.x)
    if (id % n <= id / n + 1) sum += size_of_pivot(work.form[id]);
  const R norm = sum_of_block(sum);
  const auto second = [&](int64_t k) { return !Number<T>::kComplex && work.values[k].im < 0; };
  for (int64_t k = threadIdx.x; k < n; k += blockDim.x)
    if (!second(k)) vector_of_schur(work, n, k, norm);
  __syncthreads();
  for (int64_t k = threadIdx.x / 32; k < n; k += blockDim.x / 32)
    if (!second(k)) store_vector(work, n, k, to);
}

}  // namespace drywarp::dense
