// Copies by memcpy_async of sizes or types that promise an alignment which the addresses do not have fault, as on a GPU;
// without a promise any address will do. A process for each, as a fault stays.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace cg = cooperative_groups;
constexpr int N = 64;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ int wrong;
__device__ void compare(const char* to, const char* from, int bytes) {
  for (int i = threadIdx.x; i < bytes; i += blockDim.x)
    if (to[i] != from[i]) atomicAdd(&wrong, 1);
}

// Any addresses, and aligned ones with their promise.
__global__ void sound(const char* in, int to, int from, int bytes) {
  __shared__ alignas(16) char s[4 * N];
  __shared__ Barrier b;
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&b, blockDim.x);
  cg::memcpy_async(block, s + to, in + from, bytes);
  cg::wait(block);
  compare(s + to, in + from, bytes);
  block.sync();
  cuda::memcpy_async(block, s + from, in + to, bytes, b);
  b.arrive_and_wait();
  compare(s + from, in + to, bytes);
  block.sync();
  cuda::memcpy_async(block, s + 16, in + 32, cuda::aligned_size_t<16>(N), b);
  b.arrive_and_wait();
  compare(s + 16, in + 32, N);
}
__global__ void group_promises(const char* in) {
  __shared__ alignas(16) char s[2 * N];
  auto alone = cg::tiled_partition<1>(cg::this_thread_block());
  if (threadIdx.x == 0) cg::memcpy_async(alone, s, in + 4, cuda::aligned_size_t<16>(N));
  cg::wait(alone);
}
__global__ void type_promises(const char* in) {
  __shared__ int s[2 * N];
  auto alone = cg::tiled_partition<1>(cg::this_thread_block());
  if (threadIdx.x == 0) cg::memcpy_async(alone, s, reinterpret_cast<const int*>(in + 1), N);
  cg::wait(alone);
}
__global__ void barrier_promises(const char* in) {
  __shared__ alignas(16) char s[2 * N];
  __shared__ Barrier b;
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  if (threadIdx.x == 0) cuda::memcpy_async(s + 4, in, cuda::aligned_size_t<16>(N), b);
  b.arrive_and_wait();
}

cudaError_t run(int which) {
  char *in, host[16 * N];
  for (int i = 0; i < 16 * N; ++i) host[i] = static_cast<char>(7 * i);
  cudaMalloc(&in, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  const int cases[][3] = {{1, 1, 37}, {0, 1, N}, {4, 8, N - 1}, {2, 6, N}};
  if (which == 0)
    for (const auto& [to, from, bytes] : cases) sound<<<1, N>>>(in, to, from, bytes);
  if (which == 1) group_promises<<<1, N>>>(in);
  if (which == 2) type_promises<<<1, N>>>(in);
  if (which == 3) barrier_promises<<<1, N>>>(in);
  int bad = -1;
  if (which != 0) return cudaDeviceSynchronize();
  cudaMemcpyFromSymbol(&bad, wrong, sizeof bad);
  return bad == 0 ? cudaSuccess : cudaErrorUnknown;
}

int main() {
  for (int which = 0; which < 4; ++which) {
    const pid_t child = fork();
    if (child == 0) _exit(run(which) == (which == 0 ? cudaSuccess : cudaErrorMisalignedAddress) ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return printf("case %d\n", which), 1;
  }
  return 0;
}
