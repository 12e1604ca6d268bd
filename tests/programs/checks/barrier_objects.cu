// Barrier objects (mbarrier): arrivals, initialization, invalidation, stores over them, a wait that never ends; and sound use.
// TOOLS: synccheck
// FINDS: barrier-not-initialized @NEVER
// FINDS: barrier-not-initialized @AFTER
// FINDS: barrier-overflow @MANY
// FINDS: barrier-in-use @BUSY
// FINDS: barrier-initialized-again @AGAIN
// FINDS: barrier-overwritten @STORED
// FINDS: barrier-deadlock @FOREVER
// EXPECT-EXIT: 1
#include <cstdint>

#define SHARED(b) static_cast<uint32_t>(__cvta_generic_to_shared(b))
#define INIT(b, n) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SHARED(b)), "r"(n) : "memory")
#define INVAL(b) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(SHARED(b)) : "memory")
#define ARRIVE(b, token) asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(SHARED(b)) : "memory")
#define WAIT(b, token)                                                                                           \
  asm volatile("{.reg .pred p;\nW%=: mbarrier.test_wait.shared.b64 p, [%0], %1;\n@!p bra W%=;}" ::"r"(SHARED(b)), \
               "l"(token)                                                                                        \
               : "memory")

__global__ void sound(int* out) {
  __shared__ uint64_t b;
  __shared__ int s[64];
  uint64_t token;
  if (threadIdx.x == 0) INIT(&b, 64);
  __syncthreads();
  for (int i = 0; i < 3; ++i) {
    s[threadIdx.x] = i;
    ARRIVE(&b, token);
    WAIT(&b, token);
  }
  __syncthreads();
  if (threadIdx.x == 0) INVAL(&b);
  out[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void never() {
  __shared__ uint64_t b;
  uint64_t token;
  ARRIVE(&b, token);  // @NEVER
}

__global__ void after() {
  __shared__ uint64_t b;
  uint64_t token;
  if (threadIdx.x == 0) {
    INIT(&b, 64);
    INVAL(&b);
  }
  __syncthreads();
  ARRIVE(&b, token);  // @AFTER
}

__global__ void many() {
  __shared__ uint64_t b;
  uint64_t token;
  if (threadIdx.x == 0) INIT(&b, 16);
  __syncthreads();
  ARRIVE(&b, token);  // @MANY
}

__global__ void again() {
  __shared__ uint64_t b;
  uint64_t token;
  if (threadIdx.x == 0) INIT(&b, 64);
  __syncthreads();
  if (threadIdx.x < 8) ARRIVE(&b, token);
  __syncthreads();
  if (threadIdx.x == 0) INIT(&b, 64);  // @BUSY
  __syncthreads();
  if (threadIdx.x == 0) INIT(&b, 64);  // @AGAIN
}

__global__ void stored() {
  __shared__ uint64_t b;
  uint64_t token;
  if (threadIdx.x == 0) INIT(&b, 1);
  __syncthreads();
  if (threadIdx.x == 1) *reinterpret_cast<volatile uint64_t*>(&b) = uint64_t{1} << 63 | 7;
  __syncthreads();
  if (threadIdx.x == 2) ARRIVE(&b, token);  // @STORED
}

__global__ void forever() {
  __shared__ uint64_t b;
  uint64_t token;
  if (threadIdx.x == 0) INIT(&b, 65);
  __syncthreads();
  ARRIVE(&b, token);
  WAIT(&b, token);  // @FOREVER
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  sound<<<2, 64>>>(out);
  never<<<2, 64>>>();
  after<<<2, 64>>>();
  many<<<2, 64>>>();
  again<<<2, 64>>>();
  stored<<<2, 64>>>();
  forever<<<2, 64>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}
