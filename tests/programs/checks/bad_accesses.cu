// Accesses that a launch may not make, one kind a kernel; each kernel goes on to its end, so all of them are found.
// TOOLS: memcheck
// OPTIONS: --destroy-on-device-error kernel
// FINDS: out-of-bounds @PAST
// FINDS: out-of-bounds @BEFORE
// FINDS: misaligned @MISALIGNED
// FINDS: null-pointer @NULLP
// FINDS: wild-pointer @HOST
// FINDS: use-after-free @FREED @FREE
// FINDS: out-of-bounds @SHARED
// FINDS: out-of-bounds @DYNAMIC
// FINDS: out-of-bounds @CONSTANT
// FINDS: out-of-bounds @LEFT
// FINDS: out-of-bounds @PARAMETER
// FINDS: out-of-bounds @PARAMETERS
// SAYS: byte 160 of the kernel's parameters, which have 44
#include <cstdio>

__global__ void sound(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = i;
}
__global__ void past(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;  // @PAST
}
__global__ void before(const int* data, int* out) {
  const int i = threadIdx.x;
  out[i] = data[i - 1];  // @BEFORE
}
__global__ void misaligned(char* data) {
  *reinterpret_cast<int*>(data + 2 + 4 * threadIdx.x) = 1;  // @MISALIGNED
}
__global__ void null(int* data) {
  data[threadIdx.x] = 1;  // @NULLP
}
__global__ void host(int* data) {
  data[threadIdx.x] = 1;  // @HOST
}
__global__ void freed(int* data) {
  data[threadIdx.x] = 1;  // @FREED
}
__global__ void shared(int* out, int last) {
  __shared__ int s[64];
  s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x + last];  // @SHARED
}
__global__ void dynamic(int* out) {
  extern __shared__ int d[];
  d[threadIdx.x] = threadIdx.x;  // @DYNAMIC
  __syncthreads();
  out[threadIdx.x] = 1;
}

__constant__ int table[16];
__global__ void constants(int* out) {
  out[threadIdx.x] = table[threadIdx.x];  // @CONSTANT
}
struct Many {
  int value[8];
};
__global__ void parameter(Many many, int* out, int i) {
  out[threadIdx.x] = many.value[i];  // @PARAMETER
}
__global__ void parameters(Many many, int* out, int i) {
  out[threadIdx.x] = many.value[i + threadIdx.x];  // @PARAMETERS
}
// Half of the warp lands nearer to the next allocation.
__global__ void left(char* data) {
  data[threadIdx.x < 16 ? 0 : 7000] = 1;  // @LEFT
}

int main() {
  int *data, *out, *gone;
  static int on_host[64];
  cudaMalloc(&data, 100 * sizeof(int));
  cudaMalloc(&out, 128 * sizeof(int));
  cudaMalloc(&gone, 100 * sizeof(int));
  cudaFree(gone);  // @FREE
  sound<<<4, 32>>>(data, 100);
  past<<<4, 32>>>(data);
  before<<<1, 32>>>(data, out);
  misaligned<<<1, 8>>>(reinterpret_cast<char*>(data + 92));  // the last one leaves the allocation, too
  null<<<1, 8>>>(nullptr);
  host<<<1, 8>>>(on_host);
  freed<<<1, 8>>>(gone);
  shared<<<2, 64>>>(out, 1);
  dynamic<<<2, 64, 100>>>(out);
  constants<<<1, 32>>>(out);
  parameter<<<1, 32>>>(Many{}, out, 40);
  parameters<<<1, 32>>>(Many{}, out, 2);
  left<<<1, 32>>>(reinterpret_cast<char*>(data));
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  std::printf("the program sees no error\n");
  return 0;
}
