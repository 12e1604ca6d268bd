// Adds up the charges of particles. Only one of eight floats that DRAM delivers is wanted.
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

struct Particle {
  float x, y, z, vx, vy, vz, mass, charge;
};

__global__ void total_charge(unsigned* total, const Particle* particles) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned charge = unsigned(particles[i].charge);  // the load
  charge = __reduce_add_sync(0xffffffffu, charge);
  if (threadIdx.x % 32 == 0) atomicAdd(total, charge);
}

int main() {
  std::vector<Particle> particles(kParticles);
  for (int i = 0; i < kParticles; ++i) particles[i] = {0, 0, 0, 0, 0, 0, 1, float(i % 13)};
  Particle* d_particles;
  unsigned *d_total, total;
  CHECK(cudaMalloc(&d_particles, kParticles * sizeof(Particle)));
  CHECK(cudaMalloc(&d_total, sizeof(unsigned)));
  CHECK(cudaMemset(d_total, 0, sizeof(unsigned)));
  CHECK(cudaMemcpy(d_particles, particles.data(), kParticles * sizeof(Particle), cudaMemcpyHostToDevice));

  total_charge<<<kParticles / kThreads, kThreads>>>(d_total, d_particles);
  CHECK(cudaMemcpy(&total, d_total, sizeof(unsigned), cudaMemcpyDeviceToHost));
  std::printf("total charge %u\n", total);
}
