// Launches are asynchronous: kernels wait for the host's actions after the launch, with other operations in between.
#include <atomic>
#include <chrono>
#include <thread>

#include "check.h"

struct Box {
  volatile int go, seen;
};

__global__ void await(Box* box, int value) {
  if (threadIdx.x == 0) {
    while (box->go < value) {
    }
    box->seen = value;
  }
  __syncthreads();
}

// Every lane polls, with a sleep, and counts its iterations: the loop does more than wait.
__global__ void await_counting(Box* box, unsigned long long* turns) {
  unsigned long long n = 0;
  while (atomicAdd((int*)&box->go, 0) == 0) ++n;
  if (threadIdx.x == 0) *turns = n;
}

// Answers the host's questions until it is told to stop.
struct Mailbox {
  volatile int question, answer;
};
__global__ void serve(Mailbox* box) {
  for (int next = 1;; ++next) {
    if (threadIdx.x == 0)
      while (box->question != next && box->question >= 0) __nanosleep(100);
    __syncthreads();
    if (box->question < 0) return;
    __syncthreads();
    if (threadIdx.x == 0) {
      box->answer = next * next;
      __threadfence_system();
      box->question = 0;
    }
  }
}

__global__ void add(int* v, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] += by;
}

__device__ int device_flag;
__global__ void await_device(int* out) {
  while (*(volatile int*)&device_flag == 0) {
  }
  *out = device_flag;
}
__global__ void release_device(int value) { atomicExch(&device_flag, value); }

void CUDART_CB set_go(void* box) { static_cast<Box*>(box)->go = 1; }
void CUDART_CB wait_for_flag(void* flag) {
  while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
}

Box* make_box() {
  Box* box = nullptr;
  CK(cudaHostAlloc(&box, sizeof(Box), cudaHostAllocMapped));
  box->go = box->seen = 0;
  return box;
}

// Polls, with other work in between.
template <class Query>
int not_ready(Query&& query) {
  int times = 0;
  while (query() == cudaErrorNotReady) ++times;
  cudaGetLastError();
  return times;
}

void mapped_memory() {
  Box* box = make_box();
  await<<<1, 64>>>(box, 1);
  CK(cudaGetLastError());
  EXPECT(box->seen == 0);
  EXPECT(cudaStreamQuery(nullptr) == cudaErrorNotReady);
  EXPECT(cudaGetLastError() == cudaErrorNotReady);
  box->go = 1;
  CK(cudaDeviceSynchronize());
  EXPECT(box->seen == 1);
  EXPECT(cudaStreamQuery(nullptr) == cudaSuccess);
  CK(cudaFreeHost(box));
}

void counting() {
  Box* box = make_box();
  unsigned long long* turns;
  CK(cudaMallocManaged(&turns, sizeof *turns));
  *turns = 0;
  await_counting<<<4, 96>>>(box, turns);
  box->go = 1;
  CK(cudaDeviceSynchronize());
  EXPECT(*turns > 0);
  CK(cudaFree(turns));
  CK(cudaFreeHost(box));
}

// Operations ordered after a waiting kernel wait too; others continue.
void ordering() {
  Box* box = make_box();
  const int n = 1024;
  int *v, *w, *back;
  CK(cudaMalloc(&v, n * sizeof(int)));
  CK(cudaMalloc(&w, n * sizeof(int)));
  CK(cudaMallocHost(&back, n * sizeof(int)));
  CK(cudaMemset(v, 0, n * sizeof(int)));
  CK(cudaMemset(w, 0, n * sizeof(int)));
  CK(cudaDeviceSynchronize());
  cudaStream_t first, second, third;
  CK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CK(cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking));
  cudaEvent_t begin, done;
  CK(cudaEventCreate(&begin));
  CK(cudaEventCreate(&done));

  CK(cudaEventRecord(begin, first));
  await<<<1, 32, 0, first>>>(box, 1);
  add<<<n / 256, 256, 0, first>>>(v, n, 5);
  int pageable[n];
  for (int& x : pageable) x = 7;
  CK(cudaMemcpyAsync(w, pageable, sizeof pageable, cudaMemcpyHostToDevice, first));
  for (int& x : pageable) x = 8;  // the call has copied it before it returns
  CK(cudaEventRecord(done, first));
  CK(cudaStreamWaitEvent(third, done, 0));
  CK(cudaMemcpyAsync(back, w, n * sizeof(int), cudaMemcpyDeviceToHost, third));

  EXPECT(cudaEventQuery(begin) == cudaSuccess);
  EXPECT(cudaEventQuery(done) == cudaErrorNotReady);
  EXPECT(cudaStreamQuery(third) == cudaErrorNotReady);
  float milliseconds;
  EXPECT(cudaEventElapsedTime(&milliseconds, begin, done) == cudaErrorNotReady);
  EXPECT(cudaStreamQuery(second) == cudaSuccess);
  cudaGetLastError();
  // The legacy stream is not ordered with these: another kernel and a copy continue.
  add<<<n / 256, 256>>>(v, n, 100);
  int now = 0;
  CK(cudaMemcpy(&now, v, sizeof now, cudaMemcpyDeviceToHost));
  EXPECT(now == 100);

  // The host signals by a copy in its own stream.
  static const int one = 1;
  CK(cudaMemcpyAsync((void*)&box->go, &one, sizeof one, cudaMemcpyHostToHost, second));
  EXPECT(not_ready([&] { return cudaEventQuery(done); }) > 0 || true);
  CK(cudaEventElapsedTime(&milliseconds, begin, done));
  EXPECT(milliseconds > 0);
  CK(cudaStreamSynchronize(third));
  bool right = true;
  for (int i = 0; i < n; ++i) right = right && back[i] == 7;
  EXPECT(right);
  CK(cudaMemcpy(&now, v, sizeof now, cudaMemcpyDeviceToHost));
  EXPECT(now == 105);
  for (cudaStream_t s : {first, second, third}) CK(cudaStreamDestroy(s));
  CK(cudaFree(v));
  CK(cudaFree(w));
  CK(cudaFreeHost(back));
  CK(cudaFreeHost(box));
}

// The legacy default stream waits for blocking streams, and they wait for it.
void legacy_stream() {
  Box* box = make_box();
  int* v;
  CK(cudaMalloc(&v, sizeof(int)));
  CK(cudaMemset(v, 0, sizeof(int)));
  cudaStream_t stream, other;
  CK(cudaStreamCreate(&stream));
  CK(cudaStreamCreate(&other));
  await<<<1, 32, 0, stream>>>(box, 1);
  add<<<1, 32>>>(v, 1, 1);
  add<<<1, 32, 0, other>>>(v, 1, 1);
  EXPECT(cudaStreamQuery(other) == cudaErrorNotReady);
  cudaGetLastError();
  CK(cudaStreamDestroy(other));  // its pending work is still done
  box->go = 1;
  int now = 0;
  CK(cudaMemcpy(&now, v, sizeof now, cudaMemcpyDeviceToHost));
  EXPECT(now == 2);
  EXPECT(box->seen == 1);
  CK(cudaStreamDestroy(stream));
  CK(cudaFree(v));
  CK(cudaFreeHost(box));
}

void mailbox() {
  Mailbox* box;
  CK(cudaMallocManaged(&box, sizeof *box));
  box->question = box->answer = 0;
  serve<<<1, 128>>>(box);
  for (int i = 1; i <= 20; ++i) {
    box->question = i;
    while (box->question != 0) std::this_thread::yield();
    EXPECT(box->answer == i * i);
  }
  box->question = -1;
  CK(cudaDeviceSynchronize());
  CK(cudaFree(box));
}

// A kernel that waits for another kernel, in another stream.
void kernel_and_kernel() {
  int* out;
  CK(cudaMallocManaged(&out, sizeof(int)));
  *out = 0;
  cudaStream_t a, b;
  CK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  await_device<<<1, 1, 0, a>>>(out);
  release_device<<<1, 1, 0, b>>>(42);
  CK(cudaStreamSynchronize(a));
  EXPECT(*out == 42);
  CK(cudaStreamDestroy(a));
  CK(cudaStreamDestroy(b));
  CK(cudaFree(out));
}

void host_functions() {
  // The kernel waits for this one, which depends on nothing.
  Box* box = make_box();
  cudaStream_t a, b;
  CK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  await<<<1, 32, 0, a>>>(box, 1);
  CK(cudaLaunchHostFunc(b, set_go, box));
  CK(cudaStreamSynchronize(a));
  EXPECT(box->seen == 1);
  // This one waits for the host.
  std::atomic<bool> flag{false};
  CK(cudaLaunchHostFunc(a, wait_for_flag, &flag));
  EXPECT(cudaStreamQuery(a) == cudaErrorNotReady);
  cudaGetLastError();
  flag = true;
  EXPECT(not_ready([&] { return cudaStreamQuery(a); }) >= 0);
  CK(cudaStreamDestroy(a));
  CK(cudaStreamDestroy(b));
  CK(cudaFreeHost(box));
}

void graphs() {
  Box* box = make_box();
  int* v;
  CK(cudaMalloc(&v, sizeof(int)));
  CK(cudaMemset(v, 0, sizeof(int)));
  cudaStream_t s;
  CK(cudaStreamCreate(&s));
  CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  await<<<1, 32, 0, s>>>(box, 1);
  add<<<1, 32, 0, s>>>(v, 1, 3);
  cudaGraph_t graph;
  CK(cudaStreamEndCapture(s, &graph));
  cudaGraphExec_t exec;
  CK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  CK(cudaGraphLaunch(exec, s));
  EXPECT(cudaStreamQuery(s) == cudaErrorNotReady);
  cudaGetLastError();
  CK(cudaGraphExecDestroy(exec));
  CK(cudaGraphDestroy(graph));
  box->go = 1;
  CK(cudaStreamSynchronize(s));
  int now = 0;
  CK(cudaMemcpy(&now, v, sizeof now, cudaMemcpyDeviceToHost));
  EXPECT(now == 3);
  CK(cudaStreamDestroy(s));
  CK(cudaFree(v));
  CK(cudaFreeHost(box));
}

// Another thread of the host sets the flag while this one waits.
void two_threads() {
  Box* box = make_box();
  await<<<1, 32>>>(box, 1);
  std::thread other([box] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    box->go = 1;
  });
  CK(cudaDeviceSynchronize());
  EXPECT(box->seen == 1);
  other.join();
  CK(cudaFreeHost(box));
}

int main() {
  mapped_memory();
  counting();
  ordering();
  legacy_stream();
  mailbox();
  kernel_and_kernel();
  host_functions();
  graphs();
  two_threads();
  return finish();
}
