// A matrix product whose tiles of A and B arrive by cp.async, three stages deep: 6,400 blocks.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kTile = 16, kStages = 3, kRows = 1280, kInner = 64;

__device__ void copy_later(float* shared, const float* global) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(unsigned(__cvta_generic_to_shared(shared))), "l"(global));
}

__global__ void staged_product(const float* a, const float* b, float* c) {
  __shared__ float as[kStages][kTile][kTile], bs[kStages][kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  auto fetch = [&](int tile) {
    if (tile < kInner / kTile) {
      copy_later(&as[tile % kStages][y][x], &a[row * kInner + tile * kTile + x]);
      copy_later(&bs[tile % kStages][y][x], &b[(tile * kTile + y) * kRows + column]);
    }
    asm volatile("cp.async.commit_group;");
  };
  for (int tile = 0; tile < kStages - 1; ++tile) fetch(tile);
  float sum = 0;
  for (int tile = 0; tile < kInner / kTile; ++tile) {
    fetch(tile + kStages - 1);
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 1));
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += as[tile % kStages][y][k] * bs[tile % kStages][k][x];
    __syncthreads();
  }
  c[row * kRows + column] = sum;
}

int main() {
  const int elements = kRows * kInner;
  std::vector<float> a(elements), b(elements), c(kRows * kRows);
  for (int i = 0; i < elements; ++i) a[i] = float(i % 7), b[i] = float(i % 5);
  float *da, *db, *dc;
  cudaMalloc(&da, elements * sizeof(float));
  cudaMalloc(&db, elements * sizeof(float));
  cudaMalloc(&dc, c.size() * sizeof(float));
  cudaMemcpy(da, a.data(), elements * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), elements * sizeof(float), cudaMemcpyHostToDevice);
  staged_product<<<dim3(kRows / kTile, kRows / kTile), dim3(kTile, kTile)>>>(da, db, dc);
  if (cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  int wrong = 0;
  for (int row = 0; row < kRows; row += 37)
    for (int column = 0; column < kRows; column += 41) {
      float sum = 0;
      for (int k = 0; k < kInner; ++k) sum += a[row * kInner + k] * b[k * kRows + column];
      wrong += c[row * kRows + column] != sum;
    }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
