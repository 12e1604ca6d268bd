// A program that ends in many ways; signals.py runs it.
#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

__global__ void step(int* p) { p[threadIdx.x] += 1; }

// Block 0 signals that the kernel runs.
__global__ void spin(volatile int* started, volatile int* stop, int* p) {
  *started = 1;
  if (threadIdx.x < 32) {
    while (*stop == 0) p[0] += 1;  // spin loop
  }
  __syncthreads();  // spin barrier
}

__global__ void no_loops(volatile int* started, int* p) {
  *started = 1;
  p[threadIdx.x] += 1;
}

// The first ten blocks end, the others wait.
__global__ void crowd(volatile int* started, volatile int* stop) {
  *started = 1;
  while (blockIdx.x >= 10 && *stop == 0) {}
}

namespace {

volatile int *started, *stop;
int* memory;

void say_when_running() {
  std::thread([] {
    while (*started == 0) usleep(1000);
    std::printf("running %d\n", int(getpid()));
    std::fflush(stdout);
  }).detach();
}

void handler(int number) {
  static const char text[] = "my own handler\n";
  (void)!write(1, text, sizeof text - 1);
  _exit(40 + number);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  cudaMalloc(&memory, 4096);
  cudaHostAlloc((void**)&started, 4, cudaHostAllocMapped);
  cudaHostAlloc((void**)&stop, 4, cudaHostAllocMapped);
  for (int i = 0; i < 7; ++i) step<<<2, 32>>>(memory);
  if (how == "segv") *(volatile int*)nullptr = 1;
  if (how == "abort") std::abort();
  if (how == "assert") assert(argc > 99);
  if (how == "fpe") std::raise(SIGFPE);
  if (how == "terminate") throw std::runtime_error("nobody catches this");
  if (how == "kill") std::raise(SIGKILL);
  if (how == "_exit") _exit(3);
  if (how == "quick_exit") std::quick_exit(4);
  if (how == "own_handler") {
    std::signal(SIGSEGV, handler);
    *(volatile int*)nullptr = 1;
  }
  if (how == "own_interrupt" || how == "own_interrupt_in_kernel") std::signal(SIGINT, handler);
  if (how == "own_interrupt") {
    *started = 1;
    say_when_running();
    for (;;) pause();
  }
  if (how == "thread_dies") {  // while a kernel runs
    std::thread([] {
      while (*started == 0) usleep(1000);
      std::abort();
    }).detach();
    spin<<<1, 64>>>(started, stop, memory);
  }
  say_when_running();
  if (how == "spin" || how == "own_interrupt_in_kernel") spin<<<1, 64>>>(started, stop, memory);
  if (how == "no_loops") no_loops<<<2147483647, 32>>>(started, memory);
  if (how == "host") {
    *started = 1;
    for (;;) pause();
  }
  if (how == "crowd") {
    std::thread([] {
      while (std::getchar() != '\n') {}
      *stop = 1;
    }).detach();
    crowd<<<64, 32>>>(started, stop);
  }
  if (how == "steps") return cudaDeviceSynchronize() == cudaSuccess ? 0 : 6;
  if (how == "slow" || how == "slow_behind_a_word") {
    if (how != "slow") std::fputs("a word", stdout), std::fflush(stdout);
    std::thread([] {
      usleep(2000000);
      *stop = 1;
    }).detach();
    crowd<<<64, 32>>>(started, stop);
    if (how != "slow") cudaDeviceSynchronize(), std::puts(" and another");
  }
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 6;
}
