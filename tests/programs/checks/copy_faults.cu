// An asynchronous copy of whole warps that faults is a finding without addresses, which differ from run to run. Here the size promises an alignment that the source does not have.
// TOOLS: memcheck
// FINDS: misaligned @COPY
// SAYS: misaligned global read of 16 bytes: 4 bytes into a device allocation of 1024 bytes
// EXPECT-EXIT: 123
#include <cooperative_groups.h>
#include <cuda/barrier>

__global__ void copy(const char* in, int from, char* out) {
  __shared__ alignas(16) char s[256];
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(cooperative_groups::this_thread_block(), s, in + from, cuda::aligned_size_t<16>(sizeof s), b);  // @COPY
  b.arrive_and_wait();
  out[threadIdx.x] = s[threadIdx.x];
}

int main() {
  char *in, *out;
  cudaMalloc(&in, 1024);
  cudaMalloc(&out, 64);
  cudaMemset(in, 0, 1024);
  copy<<<1, 64>>>(in, 16, out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  copy<<<1, 64>>>(in, 4, out);
  return cudaDeviceSynchronize() == cudaErrorMisalignedAddress ? 0 : 2;
}
