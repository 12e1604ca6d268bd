// Loads whose values are needed in one branch alone: compilers move them there, and they keep the lines on which the
// program reads.
// TOOLS: racecheck
// FINDS: warp-level @WRITE @FIRST
// FINDS: warp-level @WRITE @SECOND
#include <cstdint>

constexpr int N = 32;

__device__ uint32_t pack(const uint8_t* a) {
  return uint32_t(a[1] << 8) |   // @FIRST
         uint32_t(a[2] << 16);   // @SECOND
}
struct State {
  uint32_t words[4];
  __device__ explicit State(const uint8_t* key) {
    for (int i = 0; i < 4; ++i) words[i] = pack(key + 4 * i);
  }
  __device__ uint32_t mix(uint32_t count) const {
    uint32_t sum = count;
    for (uint32_t word : words) sum = (sum << 7 | sum >> 25) + word;
    return sum;
  }
};

__global__ void mixes(const uint8_t* __restrict__ text, uint8_t* __restrict__ key, uint32_t* __restrict__ out, int n) {
  key[threadIdx.x] = text[threadIdx.x];  // @WRITE
  if (threadIdx.x == 0) {
    const State state(key);
    for (int i = 0; i < n; ++i) out[i] = state.mix(i);
  }
}

int main() {
  uint8_t *text, *key;
  uint32_t* out;
  cudaMalloc(&text, N), cudaMalloc(&key, N), cudaMalloc(&out, N * sizeof *out);
  cudaMemset(text, 1, N);
  mixes<<<1, N>>>(text, key, out, N);
  return cudaDeviceSynchronize() != cudaSuccess;
}
