// Queries the CUDA occupancy API for tens of thousands of combinations of registers, static and dynamic shared memory,
// opted-in limit, launch bound, named barriers, block size and carve-out.
//
//   nvcc -O3 -arch=native occupancy.cu -o occupancy && ./occupancy | ./thin_occupancy.py > occupancy_h200.csv
//   ./occupancy sizes > potential_block_h200.csv
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

template <int kLast>
__device__ __forceinline__ void barriers() {
  if constexpr (kLast > 0) {
    barriers<kLast - 1>();
    asm volatile("bar.sync %0;" ::"n"(kLast) : "memory");
  }
}

// Keeps kLive values alive across a barrier, so that the kernel needs about that many registers a thread.
template <int kLive, int kStatic, int kBarriers, int kBound>
__device__ __forceinline__ void body(const int* in, int* out) {
  __shared__ char pool[kStatic ? kStatic : 1];
  if (kStatic) reinterpret_cast<volatile char*>(pool)[threadIdx.x % (kStatic ? kStatic : 1)] = 1;
  int live[kLive];
#pragma unroll
  for (int i = 0; i < kLive; ++i) live[i] = reinterpret_cast<const volatile int*>(in)[threadIdx.x + i * 1024];
  __syncthreads();
  barriers<kBarriers - 1>();
  int sum = kStatic ? reinterpret_cast<volatile char*>(pool)[0] : 0;
#pragma unroll
  for (int i = kLive - 1; i >= 0; --i) sum = sum * 31 + (live[i] ^ live[(i + kLive / 2) % kLive]);
  out[threadIdx.x] = sum;
}
template <int kLive, int kStatic, int kBarriers>
__global__ void kernel(const int* in, int* out) {
  body<kLive, kStatic, kBarriers, 0>(in, out);
}
template <int kLive, int kStatic, int kBarriers, int kBound>
__global__ void __launch_bounds__(kBound) bounded(const int* in, int* out) {
  body<kLive, kStatic, kBarriers, kBound>(in, out);
}

struct Variant {
  const void* function;
  int barriers;
  cudaFuncAttributes attributes;
};
std::vector<Variant> variants;

template <int kLive, int kStatic, int kBarriers = 1>
void add() {
  variants.push_back({reinterpret_cast<const void*>(&kernel<kLive, kStatic, kBarriers>), kBarriers, {}});
}
template <int kLive, int kStatic, int kBound>
void add_bounded() {
  variants.push_back({reinterpret_cast<const void*>(&bounded<kLive, kStatic, 1, kBound>), 1, {}});
}
template <int kStatic, int... kLive>
void add_all(std::integer_sequence<int, kLive...>) {
  (add<kLive, kStatic>(), ...);
}
template <int kStatic, int... kIndex>
void add_every_register_count(std::integer_sequence<int, kIndex...>) {
  (add<1 + kIndex * 6, kStatic>(), ...);
}

void check(cudaError_t e) {
  if (e == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(e));
  exit(1);
}

int main(int argc, char** argv) {
  add_every_register_count<0>(std::make_integer_sequence<int, 41>());
  using Some = std::integer_sequence<int, 1, 12, 25, 40, 57, 80, 110, 150, 200>;
  add_all<1>(Some()), add_all<129>(Some()), add_all<1000>(Some()), add_all<3072>(Some()), add_all<4097>(Some());
  add_all<8192>(Some()), add_all<11264>(Some()), add_all<16384>(Some()), add_all<24576>(Some());
  add_all<33000>(Some()), add_all<49152>(Some());
  add<1, 0, 2>(), add<1, 0, 3>(), add<1, 0, 5>(), add<1, 0, 8>(), add<1, 0, 16>(), add<60, 4097, 4>();
  add<100, 0, 7>(), add<20, 1000, 11>();
  add_bounded<1, 0, 64>(), add_bounded<30, 0, 100>(), add_bounded<60, 4097, 256>(), add_bounded<120, 0, 480>();
  add_bounded<200, 1000, 192>();

  int optin = 0;
  check(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  std::mt19937 random(20261121);
  const int carveouts[] = {-1, -1, -1, 0, 7, 25, 50, 75, 100};
  const bool sizes = argc > 1 && !strcmp(argv[1], "sizes");
  puts(sizes ? "registers,static_shared,max_threads,barriers,dynamic_shared,max_dynamic,carveout_percent,block_limit,"
               "error,block,min_grid"
             : "registers,static_shared,max_threads,barriers,block,dynamic_shared,max_dynamic,carveout_percent,blocks,"
               "wanted_blocks,available_dynamic");
  for (Variant& v : variants) {
    check(cudaFuncGetAttributes(&v.attributes, v.function));
    const int fixed = int(v.attributes.sharedSizeBytes), room = optin - fixed;
    for (int i = 0; i < (sizes ? 12 : 120); ++i) {
      // The default limit is 48 KB for both kinds together.
      int max_dynamic = i % 4 == 0 ? 49152 - fixed : i % 4 == 1 ? int(random() % unsigned(room + 1)) : room;
      check(cudaFuncSetAttribute(v.function, cudaFuncAttributeMaxDynamicSharedMemorySize, max_dynamic));
      const int carveout = carveouts[random() % 9];
      check(cudaFuncSetAttribute(v.function, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
      const int block = random() % 3 ? 1 + int(random() % 1024) : 32 * (1 + int(random() % 32));
      int dynamic = 0;
      switch (random() % 5) {
        case 0:
          break;
        case 1:
          dynamic = int(random() % 2048);
          break;
        case 2:
          dynamic = int(random() % 8192);
          break;
        case 3:
          dynamic = int(random() % 49152);
          break;
        default:
          dynamic = int(random() % unsigned(room + 1));
          break;
      }
      printf("%d,%d,%d,%d,", v.attributes.numRegs, fixed, v.attributes.maxThreadsPerBlock, v.barriers);
      if (sizes) {
        const int limit = random() % 2 ? 0 : 1 + int(random() % 1024);
        int grid = 0, best = 0;
        const cudaError_t e = cudaOccupancyMaxPotentialBlockSize(
            &grid, &best, reinterpret_cast<void (*)(const int*, int*)>(const_cast<void*>(v.function)), dynamic, limit);
        cudaGetLastError();
        printf("%d,%d,%d,%d,%d,%d,%d\n", dynamic, max_dynamic, carveout, limit, int(e), best, grid);
        continue;
      }
      int blocks = -1;
      const cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, v.function, block, dynamic);
      cudaGetLastError();
      if (e != cudaSuccess) blocks = -int(e);
      const int wanted = 1 + int(random() % 8);
      size_t available = 0;
      const cudaError_t a = cudaOccupancyAvailableDynamicSMemPerBlock(&available, v.function, wanted, block);
      cudaGetLastError();
      printf("%d,%d,%d,%d,%d,%d,%ld\n", block, dynamic, max_dynamic, carveout, blocks, wanted,
             a == cudaSuccess ? long(available) : -long(a));
    }
  }
}
