// Host functions whose accesses something orders with the operations of other streams: events, waits, and what the
// program's own threads tell each other. Nothing is found, and each function runs.
// TOOLS: racecheck
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <thread>
constexpr int N = 2048;

__global__ void fill(int* data, int value) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {
  }
}

void count(void* data) { static_cast<int*>(data)[7] += 1; }
struct Told {
  int* data;
  std::promise<void> done;
  std::atomic<bool> flag{false};
};
void tell(void* argument) {
  auto& told = *static_cast<Told*>(argument);
  told.data[7] += 1;
  told.done.set_value();
}
void raise_flag(void* argument) {
  auto& told = *static_cast<Told*>(argument);
  told.data[7] += 1;
  told.flag = true;
}
void set(void* data) { *static_cast<volatile int*>(data) = 1; }

int main() {
  int *managed, *pinned;
  cudaMallocManaged(&managed, N * sizeof(int));
  cudaMallocHost(&pinned, N * sizeof(int));
  cudaStream_t stream, other;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  int sum = 0;
  const auto launch = [&](cudaStream_t where, int value) { fill<<<N / 256, 256, 0, where>>>(managed, value); };

  // The same stream, before and behind.
  launch(other, 1);
  cudaLaunchHostFunc(other, count, managed);
  cudaLaunchHostFunc(other, count, managed);
  cudaStreamSynchronize(other);
  sum += managed[7];  // 3
  cudaLaunchHostFunc(other, count, managed);
  launch(other, 10);
  cudaStreamSynchronize(other);
  sum += managed[7];  // 10

  // An event.
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaLaunchHostFunc(other, count, managed);
  cudaEventRecord(event, other);
  cudaStreamWaitEvent(stream, event, 0);
  launch(stream, 20);
  cudaDeviceSynchronize();
  sum += managed[7];  // 20

  // The host waits for the function, or sees that it has ended.
  cudaLaunchHostFunc(other, count, managed);
  cudaStreamSynchronize(other);
  sum += managed[7];  // 21
  launch(stream, 30);
  cudaStreamSynchronize(stream);
  cudaLaunchHostFunc(other, count, managed);
  while (cudaStreamQuery(other) == cudaErrorNotReady) std::this_thread::yield();
  launch(stream, 40);
  cudaStreamSynchronize(stream);
  cudaLaunchHostFunc(other, count, managed);
  cudaEventRecord(event, other);
  while (cudaEventQuery(event) == cudaErrorNotReady) std::this_thread::yield();
  sum += managed[7];  // 41

  // The function tells the host by the program's own means: it wakes it, or sets what it polls.
  Told told{managed, {}, {}};
  cudaLaunchHostFunc(other, tell, &told);
  told.done.get_future().wait();
  launch(stream, 50);
  cudaStreamSynchronize(stream);
  cudaLaunchHostFunc(other, raise_flag, &told);
  while (!told.flag) std::this_thread::yield();
  launch(stream, 60);
  cudaStreamSynchronize(stream);
  sum += managed[7];  // 60

  // A kernel waits for what the function sets, and the host for the kernel.
  pinned[0] = 0;
  cudaLaunchHostFunc(other, set, pinned);
  wait_for<<<1, 1, 0, stream>>>(pinned);
  cudaStreamSynchronize(stream);

  // Other memory.
  cudaLaunchHostFunc(other, count, pinned);
  launch(stream, 70);
  cudaStreamSynchronize(stream);
  cudaStreamSynchronize(other);
  sum += managed[7];  // 70
  return sum == 3 + 10 + 20 + 21 + 41 + 60 + 70 ? EXIT_SUCCESS : EXIT_FAILURE;
}
