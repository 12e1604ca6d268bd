// Constant memory, device variables and the symbol API.
#include "check.h"

__constant__ int coefficients[64];
__constant__ double pi = 3.141592653589793;
__constant__ struct {
  int a;
  float b[3];
} settings = {7, {1.f, 2.f, 3.f}};
__device__ int counter = 5;
__device__ float table[100];
__device__ int* pointer;
__device__ const char text[] = "device text";
__device__ int* to_counter = &counter;  // an address in an initialiser
static __device__ long long hidden = 1ll << 40;
__managed__ int managed = 3;

template <int N>
__device__ int templated = N * 10;

// Uniform, per lane, and through a pointer.
__global__ void read_constants(float* out, int which) {
  int t = threadIdx.x;
  const int* p = coefficients + t % 8;
  out[t] = coefficients[which] + coefficients[t % 64] * 2 + p[which] + static_cast<float>(pi) + settings.a + settings.b[t % 3];
}

__global__ void use_variables(int* out) {
  int t = threadIdx.x;
  atomicAdd(&counter, 1);
  table[t] += t;
  if (t == 0) {
    *to_counter += 1000;
    pointer[1] = 77;
    out[0] = text[7];
    out[1] = static_cast<int>(hidden >> 38);
    out[2] = templated<3> + templated<4>;
    managed += 4;
  }
}

int main() {
  std::vector<int> c(64);
  for (int i = 0; i < 64; ++i) c[i] = i * i;
  CK(cudaMemcpyToSymbol(coefficients, c.data(), 64 * sizeof(int)));
  for (int which : {0, 5}) {
    Buffer<float> out(96);
    read_constants<<<1, 96>>>(out, which);
    CK_LAUNCH();
    std::vector<float> want(96);
    for (int t = 0; t < 96; ++t)
      want[t] = c[which] + c[t % 64] * 2 + c[t % 8 + which] + static_cast<float>(3.141592653589793) + 7 + (t % 3 + 1.f);
    std::vector<float> got = out.get();
    bool near = true;
    for (int t = 0; t < 96; ++t) near = near && got[t] - want[t] < 1e-3f && want[t] - got[t] < 1e-3f;
    EXPECT(near);
  }
  // A part in the middle; a change between launches.
  const int patch[2] = {-1, -2};
  CK(cudaMemcpyToSymbol(coefficients, patch, sizeof patch, 10 * sizeof(int)));
  int back[4];
  CK(cudaMemcpyFromSymbol(back, coefficients, sizeof back, 9 * sizeof(int)));
  EXPECT(back[0] == 81 && back[1] == -1 && back[2] == -2 && back[3] == 144);

  Buffer<int> target(2), out(3);
  int* address = target;
  CK(cudaMemcpyToSymbol(pointer, &address, sizeof address));
  std::vector<float> start(100, 0.5f);
  CK(cudaMemcpyToSymbol(table, start.data(), 400, 0, cudaMemcpyHostToDevice));
  use_variables<<<1, 100>>>(out);
  CK_LAUNCH();
  int count;
  CK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  EXPECT(count == 5 + 100 + 1000);
  std::vector<float> got(100);
  CK(cudaMemcpyFromSymbol(got.data(), table, 400));
  EXPECT(got[0] == 0.5f && got[99] == 99.5f);
  expect_same("pointer", target.get(), {0, 77});
  expect_same("initialised", out.get(), {'t', 4, 70});
  EXPECT(managed == 7);

  void* where;
  size_t size;
  CK(cudaGetSymbolAddress(&where, counter));
  CK(cudaGetSymbolSize(&size, table));
  EXPECT(size == 400);
  CK(cudaMemset(where, 0, sizeof(int)));
  CK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  EXPECT(count == 0);
  EXPECT(cudaMemcpyToSymbol(counter, patch, 8) == cudaErrorInvalidValue);
  cudaGetLastError();
  return finish();
}
