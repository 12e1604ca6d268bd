// Adds up the charges of particles. Charges lie side by side: DRAM delivers nothing else.
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

constexpr int kParticles = 1 << 15, kThreads = 256;

__global__ void total_charge(unsigned* total, const float* charges) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned charge = unsigned(charges[i]);  // the load
  charge = __reduce_add_sync(0xffffffffu, charge);
  if (threadIdx.x % 32 == 0) atomicAdd(total, charge);
}

int main() {
  std::vector<float> charges(kParticles);
  for (int i = 0; i < kParticles; ++i) charges[i] = float(i % 13);
  float* d_charges;
  unsigned *d_total, total;
  CHECK(cudaMalloc(&d_charges, kParticles * sizeof(float)));
  CHECK(cudaMalloc(&d_total, sizeof(unsigned)));
  CHECK(cudaMemset(d_total, 0, sizeof(unsigned)));
  CHECK(cudaMemcpy(d_charges, charges.data(), kParticles * sizeof(float), cudaMemcpyHostToDevice));

  total_charge<<<kParticles / kThreads, kThreads>>>(d_total, d_charges);
  CHECK(cudaMemcpy(&total, d_total, sizeof(unsigned), cudaMemcpyDeviceToHost));
  std::printf("total charge %u\n", total);
}
