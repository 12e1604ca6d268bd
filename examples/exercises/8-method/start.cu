// Transposes a matrix. Find what limits it, change it, and profile again.
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
  int x = blockIdx.x * kTile + threadIdx.x;
  for (int r = 0; r < kTile; r += kRows) {
    int y = blockIdx.y * kTile + threadIdx.y + r;
    out[x * kWidth + y] = in[y * kWidth + x];
  }
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
