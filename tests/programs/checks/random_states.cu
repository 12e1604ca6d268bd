// A thread's generator, copied whole from memory and back: none of its bytes is unwritten behind curand_init().
// TOOLS: initcheck
#include <curand_kernel.h>

template <class State>
__global__ void init(State* states) {
  curand_init(7, threadIdx.x, 0, states + threadIdx.x);
}
template <class State>
__global__ void draw(State* states, float* out) {
  State own = states[threadIdx.x];
  for (int i = 0; i < 3; ++i) out[threadIdx.x] += curand_uniform(&own);
  states[threadIdx.x] = own;
}
template <class State>
__global__ void copy(const State* from, State* to) {
  to[threadIdx.x] = from[threadIdx.x];
}

template <class State>
void run(float* out) {
  State *states, *copies;
  cudaMalloc(&states, 64 * sizeof(State));
  cudaMalloc(&copies, 64 * sizeof(State));
  init<<<1, 64>>>(states);
  draw<<<1, 64>>>(states, out);
  copy<<<1, 64>>>(states, copies);
}

int main() {
  float* out;
  cudaMalloc(&out, 64 * sizeof *out);
  cudaMemset(out, 0, 64 * sizeof *out);
  run<curandStateXORWOW_t>(out);
  run<curandStateMRG32k3a_t>(out);
  run<curandStatePhilox4_32_10_t>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
