// Asks the CUDA occupancy API for thousands of (registers, block, shared memory, carve-out) combinations.
// Prints CSV: registers,static_shared,block,dynamic_shared,carveout,blocks
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

// Keeps kLive values alive across a barrier, so that the kernel needs about that many registers a thread.
template <int kLive, int kStatic>
__global__ void kernel(const int* in, int* out) {
  __shared__ char pool[kStatic ? kStatic : 1];
  if (kStatic) reinterpret_cast<volatile char*>(pool)[threadIdx.x % (kStatic ? kStatic : 1)] = 1;
  int live[kLive];
#pragma unroll
  for (int i = 0; i < kLive; ++i) live[i] = reinterpret_cast<const volatile int*>(in)[threadIdx.x + i * 1024];
  __syncthreads();
  int sum = kStatic ? reinterpret_cast<volatile char*>(pool)[0] : 0;
#pragma unroll
  for (int i = kLive - 1; i >= 0; --i) sum = sum * 31 + (live[i] ^ live[(i + kLive / 2) % kLive]);
  out[threadIdx.x] = sum;
}

struct Variant { const void* function; cudaFuncAttributes attributes; };

template <int kStatic, int... kIndex>
void add(std::vector<Variant>& out, std::integer_sequence<int, kIndex...>) {
  (out.push_back({reinterpret_cast<const void*>(&kernel<1 + kIndex * 6, kStatic>), {}}), ...);
}

void check(cudaError_t e) {
  if (e == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(e));
  exit(1);
}

int main() {
  std::vector<Variant> variants;
  add<0>(variants, std::make_integer_sequence<int, 41>());
  add<1000>(variants, std::make_integer_sequence<int, 8>());
  add<24576>(variants, std::make_integer_sequence<int, 6>());
  std::mt19937 random(20261121);
  const int carveouts[] = {-1, -1, -1, -1, 0, 10, 25, 50, 75, 100};
  printf("registers,static_shared,block,dynamic_shared,carveout_percent,blocks\n");
  for (Variant& v : variants) {
    check(cudaFuncGetAttributes(&v.attributes, v.function));
    const int room = 232448 - int(v.attributes.sharedSizeBytes);
    check(cudaFuncSetAttribute(v.function, cudaFuncAttributeMaxDynamicSharedMemorySize, room));
    for (int i = 0; i < 60; ++i) {
      const int carveout = carveouts[random() % 10];
      check(cudaFuncSetAttribute(v.function, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
      int block = random() % 3 ? 1 + int(random() % 1024) : 32 * (1 + int(random() % 32));
      int dynamic = 0;
      switch (random() % 4) {
        case 0: break;
        case 1: dynamic = int(random() % 8192); break;
        case 2: dynamic = int(random() % 49152); break;
        default: dynamic = int(random() % unsigned(room + 1)); break;
      }
      int blocks = -1;
      const cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, v.function, block, dynamic);
      if (e != cudaSuccess) {
        cudaGetLastError();
        blocks = -int(e);
      }
      printf("%d,%zu,%d,%d,%d,%d\n", v.attributes.numRegs, v.attributes.sharedSizeBytes, block, dynamic, carveout, blocks);
    }
  }
}
