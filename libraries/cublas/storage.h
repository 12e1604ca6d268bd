// Matrices that are not kept whole: one triangle of them, their bands, or a triangle without gaps (packed).
#pragma once

#include "../dense/numbers.h"
#include "handle.h"

namespace drywarp::cublas {

enum class Storage { Whole, Banded, Packed };
enum class Kind { General, Symmetric, Hermitian, Triangular };

// The place of an element that is kept. `above`: the diagonals above the main one that a band keeps.
struct Layout {
  Storage storage;
  bool lower;  // which triangle is kept
  int64_t n, ld, above;
  __host__ __device__ int64_t place(int64_t i, int64_t j) const {
    if (storage == Storage::Banded) return j * ld + above + i - j;
    if (storage == Storage::Packed) return lower ? i + (2 * n - j - 1) * j / 2 : i + j * (j + 1) / 2;
    return j * ld + i;
  }
};

template <class T>
struct Stored {
  const T* data;
  Layout layout;
  Kind kind;
  bool unit;                      // a triangle's diagonal is not read
  int64_t rows, cols;
  int64_t below, above;           // diagonals beside the main one that are not zero
  bool transposed = false, conjugated = false;

  __device__ T element(int64_t i, int64_t j) const {
    if (j - i > above || i - j > below) return T(0);
    if (kind == Kind::General) return data[layout.place(i, j)];
    const bool other = layout.lower ? i < j : i > j;
    if (kind == Kind::Triangular) return other ? T(0) : unit && i == j ? T(1) : data[layout.place(i, j)];
    const T value = other ? data[layout.place(j, i)] : data[layout.place(i, j)];
    if (kind == Kind::Symmetric) return value;
    return i == j ? T(dense::real(value)) : dense::conjugate_if(other, value);
  }
  // An element of op(A), and the columns of its row i that may hold something: [first(i), end(i)).
  __device__ T get(int64_t i, int64_t j) const {
    return dense::conjugate_if(conjugated, transposed ? element(j, i) : element(i, j));
  }
  __device__ int64_t first(int64_t i) const {
    const int64_t reach = i - (transposed ? above : below);
    return reach > 0 ? reach : 0;
  }
  __device__ int64_t end(int64_t i) const {
    const int64_t all = transposed ? rows : cols, reach = i + (transposed ? below : above) + 1;
    return reach < all ? reach : all;
  }
  [[nodiscard]] Stored under(cublasOperation_t op) const {
    Stored a = *this;
    a.transposed = op != CUBLAS_OP_N, a.conjugated = op == CUBLAS_OP_C;
    return a;
  }
};

inline bool known(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER; }

// A square matrix of which one triangle is kept: whole, in bands with k diagonals, or packed.
inline Layout triangle_layout(Storage storage, cublasFillMode_t uplo, int64_t n, int64_t ld, int64_t k = 0) {
  const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
  return {storage, lower, n, ld, lower ? 0 : k};
}
template <class T>
Stored<T> whole(Kind kind, cublasFillMode_t uplo, int64_t n, const T* a, int64_t lda, bool unit = false) {
  return {a, triangle_layout(Storage::Whole, uplo, n, lda), kind, unit, n, n, n, n};
}
template <class T>
Stored<T> packed(Kind kind, cublasFillMode_t uplo, int64_t n, const T* a, bool unit = false) {
  return {a, triangle_layout(Storage::Packed, uplo, n, 0), kind, unit, n, n, n, n};
}
template <class T>
Stored<T> band(Kind kind, cublasFillMode_t uplo, int64_t n, int64_t k, const T* a, int64_t lda, bool unit = false) {
  return {a, triangle_layout(Storage::Banded, uplo, n, lda, k), kind, unit, n, n, k, k};
}

// Device memory for one call, in the order of the stream.
template <class T>
class Scratch {
 public:
  Scratch(cublasHandle_t handle, int64_t count) : stream_(handle->stream) {
    status_ = status_of(cudaMallocAsync(reinterpret_cast<void**>(&data_), size_t(count) * sizeof(T), stream_));
  }
  ~Scratch() {
    if (data_) cudaFreeAsync(data_, stream_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] cublasStatus_t status() const { return status_; }
  [[nodiscard]] T* get() const { return data_; }

 private:
  T* data_ = nullptr;
  cudaStream_t stream_;
  cublasStatus_t status_;
};

}  // namespace drywarp::cublas
