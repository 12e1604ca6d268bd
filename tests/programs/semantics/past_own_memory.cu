// Indexes and pointers that leave a thread's local memory, constants or the parameters, as an H200 lets them through:
// beside local memory is more of the thread's own, elsewhere reads give 0, and a warning a line says so.
// EXPECT-STDOUT: index: 32 reads of what was written, 0 of zeros, 32 arrays as they were
// EXPECT-STDOUT: one index: 32 reads of what was written, 0 of zeros, 32 arrays as they were
// EXPECT-STDOUT: before: 32 reads of what was written, 0 of zeros, 32 arrays as they were
// EXPECT-STDOUT: far index: 0 reads of what was written, 32 of zeros, 32 arrays as they were
// EXPECT-STDOUT: pointer: 32 reads of what was written, 0 of zeros, 32 arrays as they were
// EXPECT-STDOUT: pointer before: 32 reads of what was written, 0 of zeros, 32 arrays as they were
// EXPECT-STDOUT: atomic: 32 reads of what was written, 0 of zeros, 32 arrays as they were
// EXPECT-STDOUT: constants: 0 reads of what was written, 32 of zeros, 32 arrays as they were
// EXPECT-STDOUT: parameters: 0 reads of what was written, 32 of zeros, 32 arrays as they were
// EXPECT-STDOUT: another thread's pointer: 64 reads of the own array
// EXPECT-STDOUT: far pointer: cudaErrorIllegalAddress
// EXPECT-ERROR: warning: \S*past_own_memory\.cu:@WRITE in by_index\(.*: invalid local write of 4 bytes at offset 0x20; the thread has 32 bytes of it, which a GPU takes for the thread's own memory, by thread \(0,0,0\) of block \(0,0,0\), 32 times in this launch\. CUDA leaves that undefined; a GPU lets it through, so the kernel runs on, as there\. `drywarp check` finds all of it, and --strict
// EXPECT-ERROR: past_own_memory\.cu:@READ in by_index\(.*: invalid local read of 4 bytes at offset 0x20
// EXPECT-ERROR: past_own_memory\.cu:@ONE in by_one_index\(.*: invalid local read of 4 bytes
// EXPECT-ERROR: past_own_memory\.cu:@FAR in by_far_index\(.*: invalid local read of 4 bytes at offset 0x1000; the thread has 32 bytes of it, where a GPU reads 0
// EXPECT-ERROR: past_own_memory\.cu:@POINTER in by_pointer\(.*: invalid local read of 4 bytes at offset 0x200; the thread has 32 bytes of it
// EXPECT-ERROR: past_own_memory\.cu:@CONSTANT in constants\(.*: invalid constant read of 4 bytes
// EXPECT-ERROR: past_own_memory\.cu:@PARAMETER in parameters.*: invalid parameter read of 4 bytes at offset 0x
// EXPECT-ERROR: past_own_memory\.cu:@OTHER in of_thread_0\(.*which a GPU takes for the thread's own memory
// EXPECT-ERROR: illegal memory access in by_pointer\(
#include <cstdio>

constexpr int N = 8, kWritten = 7;

template <class Array>
__device__ void fill(Array& a, int one) {
  for (int i = 0; i < N; ++i) a[i * one] = int(threadIdx.x) + i;
}
template <class Array>
__device__ int change(const Array& a, int one) {
  int sum = 0;
  for (int i = 0; i < N; ++i) sum += a[i * one];
  return sum - N * int(threadIdx.x) - N * (N - 1) / 2;
}

__global__ void by_index(int* out, int one, int at) {
  volatile int a[N];
  fill(a, one);
  const int place = at + threadIdx.x % N;
  out[2 * threadIdx.x] = a[place];
  a[place] = kWritten;                // @WRITE
  out[2 * threadIdx.x] += a[place];   // @READ
  out[2 * threadIdx.x + 1] = change(a, one);
}
__global__ void by_one_index(int* out, int one, int at) {
  volatile int a[N];
  fill(a, one);
  a[at] = kWritten;
  out[2 * threadIdx.x] = a[at];  // @ONE
  out[2 * threadIdx.x + 1] = change(a, one);
}
__global__ void by_far_index(int* out, int one, int at) {
  volatile int a[N];
  fill(a, one);
  a[at * (threadIdx.x + 1)] = kWritten;
  out[2 * threadIdx.x] = a[at * (threadIdx.x + 1)];  // @FAR
  out[2 * threadIdx.x + 1] = change(a, one);
}
__global__ void by_pointer(int* out, int one, int at) {
  int a[N];
  fill(a, one);
  int* p = a;
  asm volatile("" : "+l"(p));
  asm volatile("st.u32 [%0], %1;" ::"l"(p + at), "r"(kWritten) : "memory");
  int v = -1;
  asm volatile("ld.u32 %0, [%1];" : "=r"(v) : "l"(p + at) : "memory");  // @POINTER
  out[2 * threadIdx.x] = v;
  out[2 * threadIdx.x + 1] = change(a, one);
}
__global__ void by_atomic(int* out, int one, int at) {
  int a[N];
  fill(a, one);
  int* p = a;
  asm volatile("" : "+l"(p));
  int v = -1;
  asm volatile("atom.add.u32 %0, [%1], %2;" : "=r"(v) : "l"(p + at), "r"(kWritten) : "memory");
  asm volatile("atom.add.u32 %0, [%1], 0;" : "=r"(v) : "l"(p + at) : "memory");
  out[2 * threadIdx.x] = v;
  out[2 * threadIdx.x + 1] = change(a, one);
}
__constant__ int table[4] = {1, 2, 3, 4};
__global__ void constants(int* out, int, int at) {
  out[2 * threadIdx.x] = table[at + threadIdx.x];  // @CONSTANT
  out[2 * threadIdx.x + 1] = 0;
}
extern "C" __global__ void parameters(int* out, int, int at) {
  int v = -1, w = -1;
  const unsigned place = 4 * at;
  asm volatile("{ .reg .u64 p; .reg .u64 i; mov.u64 p, parameters_param_2; cvt.u64.u32 i, %1; add.u64 p, p, i;"  // @PARAMETER
               "ld.param.u32 %0, [p]; }" : "=r"(v) : "r"(place));
  asm volatile("{ .reg .u64 p; .reg .u64 i; mov.u64 p, parameters_param_2; cvt.u64.u32 i, %1; add.u64 p, p, i;"
               "ld.param.u32 %0, [p]; }" : "=r"(w) : "r"(place + 4 * threadIdx.x));
  out[2 * threadIdx.x] = v | w;
  out[2 * threadIdx.x + 1] = 0;
}
// All threads use the pointer that one of them has given away.
__global__ void of_thread_0(int* out, int one, int) {
  __shared__ int* given;
  int a[N];
  fill(a, one);
  int* p = a;
  asm volatile("" : "+l"(p));
  if (threadIdx.x == 0) given = p;
  __syncthreads();
  int v = -1;
  asm volatile("ld.u32 %0, [%1];" : "=r"(v) : "l"(given + threadIdx.x % N) : "memory");  // @OTHER
  out[threadIdx.x] = v == int(threadIdx.x + threadIdx.x % N) && change(a, one) == 0;
}

template <class Kernel>
void run(const char* name, Kernel* kernel, int at) {
  static int* out;
  if (!out) cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(out, 0xff, 64 * sizeof(int));
  kernel<<<1, 32>>>(out, 1, at);
  int host[64], written = 0, zeros = 0, same = 0;
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 32; ++t) written += host[2 * t] == kWritten, zeros += host[2 * t] == 0, same += host[2 * t + 1] == 0;
  std::printf("%s: %d reads of what was written, %d of zeros, %d arrays as they were\n", name, written, zeros, same);
}

int main() {
  run("index", by_index, N);
  run("one index", by_one_index, 16 * N);
  run("before", by_index, -N);
  run("far index", by_far_index, 1024);
  run("pointer", by_pointer, 128);
  run("pointer before", by_pointer, -128);
  run("atomic", by_atomic, N);
  run("constants", constants, 1 << 20);
  run("parameters", parameters, 1000);
  int *out, host[64], own = 0;
  cudaMalloc(&out, sizeof host);
  of_thread_0<<<1, 64>>>(out, 1, 0);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (const int is_own : host) own += is_own == 1;
  std::printf("another thread's pointer: %d reads of the own array\n", own);
  by_pointer<<<1, 32>>>(out, 1, 160);
  std::printf("far pointer: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
