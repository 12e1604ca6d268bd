// Loads and stores of wmma whose lines lie an odd number of elements apart, which CUDA forbids. An H200 runs them: where
// it accesses pairs of elements, a line has half as many of them, rounded down. The sums are of what it loaded and
// stored.
// EXPECT-STDOUT: 16x16x16: factors 9d4082c5, sums 7e014905, stored 022c3a45, stored to shared memory 022c3a45
// EXPECT-STDOUT: 32x8x16: factors 6c8c6245, sums c9afa3c5, stored ee92a4c5, stored to shared memory ee92a4c5
// EXPECT-STDOUT: 8x32x16: factors 613ad245, sums 2b12e3c5, stored 3fb558c5, stored to shared memory 3fb558c5
// EXPECT-ERROR: odd_matrix_lines.cu:@FACTORS in .*: lines of a matrix of wmma that lie 34 bytes apart, which is no multiple of 16, by thread .* this run finds the lines where an H200 does
// EXPECT-ERROR: odd_matrix_lines.cu:@SUMS in .*: lines of a matrix of wmma that lie 68 bytes apart
// EXPECT-ERROR: odd_matrix_lines.cu:@STORED in .*: lines of a matrix of wmma that lie 68 bytes apart
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>
#include <cstdio>

using namespace nvcuda;

constexpr int kElements = 2048, kMost = 32;

template <class Fragment, class T>
__global__ void load(const T* from, float* out, int line) {
  Fragment f;
  wmma::load_matrix_sync(f, from, line);  // @FACTORS
  for (int i = 0; i < f.num_elements; ++i) out[threadIdx.x * kMost + i] = float(f.x[i]);
}
template <class Fragment, class T>
__global__ void load_sums(const T* from, float* out, int line, wmma::layout_t layout) {
  Fragment f;
  wmma::load_matrix_sync(f, from, line, layout);  // @SUMS
  for (int i = 0; i < f.num_elements; ++i) out[threadIdx.x * kMost + i] = float(f.x[i]);
}
template <class Fragment, class T>
__global__ void store(T* to, int line, wmma::layout_t layout) {
  Fragment f;
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = T(int(threadIdx.x * 8 + i));
  wmma::store_matrix_sync(to, f, line, layout);  // @STORED
}
template <class Fragment, class T>
__global__ void store_shared(T* to, int line, wmma::layout_t layout) {
  __shared__ alignas(32) T s[kElements];
  for (int i = threadIdx.x; i < kElements; i += 32) s[i] = T(-1);
  __syncwarp();
  Fragment f;
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = T(int(threadIdx.x * 8 + i));
  wmma::store_matrix_sync(s, f, line, layout);
  __syncwarp();
  for (int i = threadIdx.x; i < kElements; i += 32) to[i] = s[i];
}

// Of what one kind of access has moved.
class Sum {
 public:
  template <class T>
  void add(const T* values, int count) {
    if (cudaDeviceSynchronize() != cudaSuccess) sum_ = 0;
    for (int i = 0; i < count; ++i) sum_ = (sum_ ^ uint32_t(int(float(values[i])))) * 16777619u;
  }
  [[nodiscard]] unsigned value() const { return sum_; }

 private:
  uint32_t sum_ = 2166136261u;
};

template <class T>
T* matrix(bool counts) {
  T* m;
  cudaMallocManaged(&m, kElements * sizeof(T));
  for (int i = 0; i < kElements; ++i) m[i] = T(counts ? i : -1);
  return m;
}
float* results() {
  float* out;
  cudaMallocManaged(&out, 32 * kMost * sizeof(float));
  for (int i = 0; i < 32 * kMost; ++i) out[i] = 0;
  return out;
}

template <class Fragment>
void factors(Sum& sum, int line) {
  float* out = results();
  load<Fragment><<<1, 32>>>(matrix<half>(true), out, line);
  sum.add(out, 32 * kMost);
}
template <class Fragment, class T>
void sums(Sum& loaded, Sum& stored, Sum& shared, int line, bool by_rows) {
  const auto layout = by_rows ? wmma::mem_row_major : wmma::mem_col_major;
  float* out = results();
  load_sums<Fragment><<<1, 32>>>(matrix<T>(true), out, line, layout);
  loaded.add(out, 32 * kMost);
  T* to = matrix<T>(false);
  store<Fragment><<<1, 32>>>(to, line, layout);
  stored.add(to, kElements);
  T* through = matrix<T>(false);
  store_shared<Fragment><<<1, 32>>>(through, line, layout);
  shared.add(through, kElements);
}

template <int M, int N, int K>
void shape() {
  Sum loaded, sum, stored, shared;
  factors<wmma::fragment<wmma::matrix_a, M, N, K, half, wmma::row_major>>(loaded, K + 1);
  factors<wmma::fragment<wmma::matrix_a, M, N, K, half, wmma::col_major>>(loaded, M + 1);
  factors<wmma::fragment<wmma::matrix_b, M, N, K, half, wmma::row_major>>(loaded, N + 1);
  factors<wmma::fragment<wmma::matrix_b, M, N, K, half, wmma::col_major>>(loaded, K + 1);
  for (const bool by_rows : {true, false}) {
    const int line = (by_rows ? N : M) + 1;
    sums<wmma::fragment<wmma::accumulator, M, N, K, half>, half>(sum, stored, shared, line, by_rows);
    sums<wmma::fragment<wmma::accumulator, M, N, K, float>, float>(sum, stored, shared, line, by_rows);
    sums<wmma::fragment<wmma::accumulator, M, N, K, int>, int>(sum, stored, shared, line, by_rows);
  }
  printf("%dx%dx%d: factors %08x, sums %08x, stored %08x, stored to shared memory %08x\n", M, N, K, loaded.value(),
         sum.value(), stored.value(), shared.value());
}

int main() {
  shape<16, 16, 16>();
  shape<32, 8, 16>();
  shape<8, 32, 16>();
}
