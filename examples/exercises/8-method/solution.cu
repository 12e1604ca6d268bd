// Transposes a matrix. A tile in shared memory lets loads and stores both run along rows; a column of
// padding puts the elements of a tile's column into different banks.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    cudaError_t status = (call);                                                                      \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(2);                                                                                   \
    }                                                                                                 \
  } while (0)

constexpr int kWidth = 256, kTile = 32, kRows = 8;

__global__ void transpose(int* out, const int* in) {
  __shared__ int tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int r = 0; r < kTile; r += kRows) tile[threadIdx.y + r][threadIdx.x] = in[(y + r) * kWidth + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile + threadIdx.y;
  for (int r = 0; r < kTile; r += kRows) out[(y + r) * kWidth + x] = tile[threadIdx.x][threadIdx.y + r];
}

int main() {
  constexpr int kElements = kWidth * kWidth;
  std::vector<int> in(kElements), out(kElements);
  for (int i = 0; i < kElements; ++i) in[i] = i;
  int *d_in, *d_out;
  CHECK(cudaMalloc(&d_in, kElements * sizeof(int)));
  CHECK(cudaMalloc(&d_out, kElements * sizeof(int)));
  CHECK(cudaMemcpy(d_in, in.data(), kElements * sizeof(int), cudaMemcpyHostToDevice));

  transpose<<<dim3(kWidth / kTile, kWidth / kTile), dim3(kTile, kRows)>>>(d_out, d_in);
  CHECK(cudaMemcpy(out.data(), d_out, kElements * sizeof(int), cudaMemcpyDeviceToHost));
  unsigned mixed = 0;
  for (int v : out) mixed = mixed * 31 + unsigned(v);
  std::printf("mixed %08x\n", mixed);
}
