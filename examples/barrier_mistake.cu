// A mistake: __syncthreads() inside a divergent branch.
//
//   barrier_mistake [correct | mistake | partial]      default: the first two
//
// Each thread publishes a value and reads its neighbour's. In `mistake` the two halves of every warp wait at different
// barriers. CUDA leaves that undefined; some GPUs ignore it, others hang. A checker must stop it, name both barriers,
// and return an error to the program; only then does `mistake` pass. In `partial` 40 threads of a block wait, and the
// others end without the barrier. That is undefined, too, but GPUs let it pass; a checker must name it.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    cudaError_t status = (call);                                                                      \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(2);                                                                                   \
    }                                                                                                 \
  } while (0)

constexpr int kBlock = 256;

__global__ void correct(int* out) {
  __shared__ int value[kBlock];
  int t = threadIdx.x;
  if (t % 32 < 16)
    value[t] = 2 * t;
  else
    value[t] = 3 * t;
  __syncthreads();
  out[blockIdx.x * kBlock + t] = value[t ^ 16];
}

__global__ void mistake(int* out) {
  __shared__ int value[kBlock];
  int t = threadIdx.x;
  if (t % 32 < 16) {
    value[t] = 2 * t;
    __syncthreads();  // first barrier
    out[blockIdx.x * kBlock + t] = value[t ^ 16];
  } else {
    value[t] = 3 * t;
    __syncthreads();  // second barrier
    out[blockIdx.x * kBlock + t] = value[t ^ 16] + 1;
  }
}

__global__ void partial(int* out) {
  __shared__ int value[kBlock];
  int t = threadIdx.x;
  value[t] = t;
  if (t < 40) {
    value[t] *= 2;
    __syncthreads();  // 216 threads never arrive
  }
  out[blockIdx.x * kBlock + t] = value[t];
}

int main(int argc, char** argv) {
  const char* which = argc > 1 ? argv[1] : "both";
  const auto chosen = [&](const char* kernel) { return std::strcmp(which, kernel) == 0; };
  const bool both = argc == 1, run_correct = both || chosen("correct"), run_mistake = both || chosen("mistake");
  if (argc > 2 || (!run_correct && !run_mistake && !chosen("partial"))) {
    std::fprintf(stderr, "usage: barrier_mistake [correct | mistake | partial]\n");
    return 2;
  }
  constexpr int blocks = 64, threads = blocks * kBlock;
  int* device_out;
  CHECK(cudaMalloc(&device_out, threads * sizeof(int)));
  bool pass = true;

  if (run_correct) {
    correct<<<blocks, kBlock>>>(device_out);
    CHECK(cudaGetLastError());
    std::vector<int> out(threads);
    CHECK(cudaMemcpy(out.data(), device_out, threads * sizeof(int), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < threads; ++i) {
      const int t = i % kBlock ^ 16;
      wrong += out[i] != (t % 32 < 16 ? 2 * t : 3 * t);
    }
    std::printf("  correct    %s\n", wrong ? "wrong" : "ok");
    pass = pass && wrong == 0;
  }
  if (run_mistake) {
    mistake<<<blocks, kBlock>>>(device_out);
    cudaError_t status = cudaGetLastError();
    if (status == cudaSuccess) status = cudaDeviceSynchronize();
    if (status == cudaSuccess) {
      std::printf("  mistake    not noticed: run it under drywarp, or compute-sanitizer --tool synccheck\n");
      pass = false;
    } else {
      std::printf("  mistake    stopped: %s\n", cudaGetErrorName(status));
    }
  }
  if (chosen("partial")) {
    partial<<<blocks, kBlock>>>(device_out);
    CHECK(cudaDeviceSynchronize());
    std::printf("  partial    ran: what the barrier was for is undefined\n");
  }
  std::printf("%s\n", pass ? "PASS" : "FAIL");
  return pass ? 0 : 1;
}
