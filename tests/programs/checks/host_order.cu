// The host accesses what it shares with the device when nothing there uses it: nothing is found.
// TOOLS: racecheck
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>
constexpr int N = 2048;

__global__ void fill(int* data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value;
}

__global__ void wait_for_host(volatile int* flag, volatile int* answer) {
  *answer = 1;
  __threadfence_system();
  while (*flag == 0) {
  }
}

struct Shared {
  int of_device[16], of_host[16];
};

sigjmp_buf back;
void on_fault(int) { siglongjmp(back, 1); }

void callback(void* data) { static_cast<int*>(data)[0] += 1; }

int main() {
  int *managed, *device, *pinned;
  Shared* both;
  cudaMallocManaged(&managed, N * sizeof(int));
  cudaMallocManaged(&both, sizeof(Shared));
  cudaMalloc(&device, N * sizeof(int));
  cudaMallocHost(&pinned, N * sizeof(int));
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  int sum = 0;

  // Other bytes of one page.
  fill<<<1, 16>>>(both->of_device, 16, 1);
  both->of_host[3] = 4;
  fill<<<1, 16>>>(both->of_device, 16, 2);
  sum += both->of_host[3];
  cudaDeviceSynchronize();
  sum += both->of_device[0];

  // A launch reads what the host wrote before it; the host may read beside it.
  for (int i = 0; i < N; ++i) managed[i] = i;
  cudaMemcpyAsync(device, managed, N * sizeof(int), cudaMemcpyDefault, stream);
  sum += managed[5];
  cudaStreamSynchronize(stream);
  managed[5] = 1;

  // Half of a pinned buffer is filled while the other half is copied.
  for (int i = 0; i < 4; ++i) {
    int* half = pinned + i % 2 * (N / 2);
    cudaStreamSynchronize(stream);
    cudaMemcpyAsync(device, half, N / 2 * sizeof(int), cudaMemcpyHostToDevice, stream);
    int* next = pinned + (i + 1) % 2 * (N / 2);
    for (int k = 0; k < N / 2; ++k) next[k] = i;
  }
  cudaStreamSynchronize(stream);

  // Pageable memory may be used again at once.
  std::vector<int> pageable(N, 3);
  cudaMemcpyAsync(device, pageable.data(), N * sizeof(int), cudaMemcpyHostToDevice, stream);
  pageable[0] = 4;
  cudaStreamSynchronize(stream);
  cudaMemcpy(managed, device, N * sizeof(int), cudaMemcpyDeviceToHost);
  sum += managed[0];
  cudaMemset(managed, 0, N * sizeof(int));
  sum += managed[1];

  // A launch that the host talks to.
  pinned[0] = pinned[1] = 0;
  wait_for_host<<<1, 1, 0, stream>>>(pinned, pinned + 1);
  while (static_cast<volatile int*>(pinned)[1] == 0) {
  }
  static_cast<volatile int*>(pinned)[0] = 1;
  cudaStreamSynchronize(stream);

  // A host function is an operation of its stream.
  fill<<<N / 256, 256, 0, stream>>>(managed, N, 8);
  cudaLaunchHostFunc(stream, callback, managed);
  cudaStreamSynchronize(stream);
  sum += managed[0];

  // A fault of the program's own comes to its own handler, also beside pages that are closed.
  fill<<<N / 256, 256, 0, stream>>>(managed, N, 8);
  std::signal(SIGSEGV, on_fault);
  fill<<<N / 256, 256, 0, stream>>>(managed, N, 9);
  volatile int* volatile nowhere = nullptr;
  if (sigsetjmp(back, 1) == 0) {
    *nowhere = sum;
    return EXIT_FAILURE;
  }
  cudaStreamSynchronize(stream);
  return sum == 4 + 2 + 5 + 3 + 9 && managed[7] == 9 ? EXIT_SUCCESS : EXIT_FAILURE;
}
