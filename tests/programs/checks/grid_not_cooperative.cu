// A kernel that synchronizes its grid: launched as it must be, and as any other. A GPU gives the stream of the first memory
// for the barrier, so that the second runs through there, and traps in another stream and in a graph.
// TOOLS: synccheck
// FINDS: grid-not-cooperative @SYNC
// FINDS: grid-not-cooperative @MISSING
// SAYS: use cudaLaunchCooperativeKernel
#include <cooperative_groups.h>

// Each block reads what the others have written before the barrier; their number differs from launch to launch.
__global__ void wait_for_all(int* out, int round) {
  out[blockIdx.x] = round;
  cooperative_groups::this_grid().sync();  // @SYNC
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += out[b] == round;
  if (threadIdx.x == 0) atomicAdd(out + 64, sum);
}
__global__ void wait_in_vain(int* out) {
  cooperative_groups::this_grid().sync();  // @MISSING
  out[blockIdx.x] = 1;
}
__global__ void ask(int* out) { *out = cooperative_groups::this_grid().is_valid(); }

int main() {
  int *out, sum, valid;
  cudaMalloc(&out, 65 * sizeof(int));
  cudaMemset(out, 0, 65 * sizeof(int));
  const auto is_valid = [&](cudaStream_t stream) {
    ask<<<1, 1, 0, stream>>>(out + 63);
    cudaStreamSynchronize(stream);
    cudaMemcpy(&valid, out + 63, sizeof valid, cudaMemcpyDeviceToHost);
    return valid != 0;
  };
  cudaStream_t other;
  cudaStreamCreate(&other);
  if (is_valid(0)) return 2;
  int round = 1;
  void* arguments[] = {&out, &round};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(wait_for_all), 4, 64, arguments, 0, nullptr);
  if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  if (!is_valid(0) || is_valid(other)) return 4;
  wait_for_all<<<4, 64>>>(out, 2);
  wait_for_all<<<7, 64>>>(out, 3);
  if (cudaDeviceSynchronize() != cudaSuccess) return 5;
  cudaMemcpy(&sum, out + 64, sizeof sum, cudaMemcpyDeviceToHost);
  if (sum != 4 * 4 + 4 * 4 + 7 * 7) return 6;
  // A new stream has what the last one had that was destroyed.
  const auto make = [] {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    return stream;
  };
  const auto synchronize_in = [&](cudaStream_t stream) {
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(wait_for_all), 4, 64, arguments, 0, stream);
    cudaStreamSynchronize(stream);
  };
  cudaStream_t first = make(), second = make(), third = make();
  synchronize_in(first), synchronize_in(third);
  cudaStreamDestroy(first), cudaStreamDestroy(second), cudaStreamDestroy(third);
  for (const bool valid : {true, false, true, false})
    if (is_valid(make()) != valid) return 7;
  wait_in_vain<<<4, 64, 0, other>>>(out);
  return cudaDeviceSynchronize() != cudaErrorLaunchFailure;
}
