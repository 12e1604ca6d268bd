// Grid-wide synchronisation by a cooperative launch: every block must be resident, and all must arrive.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

// Each block passes its value to the next one, round after round.
__global__ void relay(int* a, int* b, int rounds) {
  cg::grid_group grid = cg::this_grid();
  int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    b[i] = a[(i + blockDim.x) % n] + 1;
    grid.sync();
    int* t = a;
    a = b;
    b = t;
  }
}

// A sum over the whole grid in one kernel.
__global__ void sum(const int* in, int* partial, int* out, int n) {
  cg::grid_group grid = cg::this_grid();
  __shared__ int block_sum;
  if (threadIdx.x == 0) block_sum = 0;
  __syncthreads();
  int mine = 0;
  for (unsigned i = grid.thread_rank(); i < n; i += grid.size()) mine += in[i];
  atomicAdd(&block_sum, mine);
  __syncthreads();
  if (threadIdx.x == 0) partial[blockIdx.x] = block_sum;
  cg::sync(grid);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    int total = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) total += partial[b];
    *out = total;
  }
}

// By hand, with a counter in global memory.
__global__ void hand_made(volatile unsigned* arrived, int* value) {
  if (threadIdx.x == 0) {
    value[blockIdx.x] = blockIdx.x * 10;
    __threadfence();
    atomicAdd(const_cast<unsigned*>(arrived), 1u);
    while (*arrived < gridDim.x) {
    }
    __threadfence();
    value[gridDim.x + blockIdx.x] = value[(blockIdx.x + 1) % gridDim.x];
  }
}

int main() {
  cudaDeviceProp prop;
  CK(cudaGetDeviceProperties(&prop, 0));
  EXPECT(prop.cooperativeLaunch == 1);
  int supported = 0;
  CK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
  EXPECT(supported == 1);

  for (int blocks : {1, 7, 64}) {
    for (int rounds : {1, 5}) {
      const int n = blocks * 128;
      std::vector<int> start(n), want(n);
      for (int i = 0; i < n; ++i) start[i] = i * 3;
      Buffer<int> a(start), b(n);
      int *pa = a, *pb = b;
      void* args[] = {&pa, &pb, const_cast<int*>(&rounds)};
      CK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(relay), dim3(blocks), dim3(128), args, 0, nullptr));
      CK_LAUNCH();
      for (int i = 0; i < n; ++i) want[i] = start[(i + rounds * 128) % n] + rounds;
      expect_same("relay", (rounds % 2 ? b : a).get(), want);
    }
  }
  {
    int per_sm = 0;
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, sum, 256, 0));
    EXPECT(per_sm >= 1);
    int blocks = prop.multiProcessorCount, n = 50001;
    std::vector<int> in(n);
    int want = 0;
    for (int i = 0; i < n; ++i) want += in[i] = i % 91 - 40;
    Buffer<int> device_in(in), partial(blocks), out(1);
    int *p0 = device_in, *p1 = partial, *p2 = out;
    void* args[] = {&p0, &p1, &p2, &n};
    CK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(sum), dim3(blocks), dim3(256), args, 0, nullptr));
    CK_LAUNCH();
    expect_same("sum", out.get(), {want});

    // More blocks than can be resident: refused, and not sticky.
    const dim3 too_many(prop.multiProcessorCount * per_sm + 1);
    const cudaError_t status =
        cudaLaunchCooperativeKernel(reinterpret_cast<void*>(sum), too_many, dim3(256), args, 0, nullptr);
    EXPECT(status == cudaErrorCooperativeLaunchTooLarge);
    EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  }
  {
    Buffer<unsigned> arrived(1);
    Buffer<int> value(40);
    hand_made<<<20, 32>>>(arrived, value);
    CK_LAUNCH();
    std::vector<int> want(40);
    for (int b = 0; b < 20; ++b) want[b] = b * 10, want[20 + b] = (b + 1) % 20 * 10;
    expect_same("hand_made", value.get(), want);
  }
  return finish();
}
