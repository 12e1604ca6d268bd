// What waiting for another block costs (data/*-polls.csv): a fence, by what is in flight; a word that many SMs read or
// change at once, a thread each; a word that some change while others poll it; a value's way between two SMs. Cycles by
// clock64, of the slowest and of the mean block; CSV: case, form, writers, pollers, mean, most.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { std::fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e)); std::exit(1); } } while (0)

enum Form { Volatile, Acquire, Add, Swap };
const char* const kForms[] = {"volatile", "acquire", "add", "swap"};
template <Form F>
__device__ int poll(int* p) {
  int v;
  if (F == Volatile) return *reinterpret_cast<volatile int*>(p);
  if (F == Add) return atomicAdd(p, 0);
  if (F == Swap) return atomicCAS(p, -7, -7);
  asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

// Fences: `lines` stores (of a warp to a line each) or loads before each. Kind 0: nothing, 1: stores, 2: loads that are used,
// 3: adds without result, 4: adds with result.
__global__ void fences(int kind, int lines, int count, int* data, long long* cycles) {
  int* own = data + (blockIdx.x * blockDim.x / 32 + threadIdx.x / 32) * 4096 + threadIdx.x % 32;
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += own[i * 32];
  __syncthreads();
  const long long begin = clock64();
  for (int i = 0; i < count; ++i) {
    for (int l = 0; l < lines; ++l) {
      int* p = own + (i * lines + l) % 64 * 32;
      if (kind == 1) *reinterpret_cast<volatile int*>(p) = i;
      if (kind == 2) sum += *reinterpret_cast<volatile int*>(p);
      if (kind == 3) atomicAdd(p, 1);
      if (kind == 4) sum += atomicAdd(p, 1 + (sum & 1));
    }
    __threadfence();
  }
  const long long end = clock64();
  own[4064] = sum;
  if (threadIdx.x % 32 == 0) cycles[blockIdx.x * blockDim.x / 32 + threadIdx.x / 32] = end - begin;
}

// The first `writers` blocks change the word, `count` times each by adds with a result (form Add) or stores and fences
// (Volatile); the others poll it, by thread 0 of each, until all writers have ended. No writers: `count` polls each.
template <Form W, Form P>
__global__ void contend(int writers, int count, int* word, int* done, long long* cycles) {
  int sum = 0;
  long long polls = 0;
  const bool writes = int(blockIdx.x) < writers;
  // Everybody begins at about the same time.
  atomicAdd(done + 64, 1);
  while (*reinterpret_cast<volatile int*>(done + 64) < int(gridDim.x)) __nanosleep(200);
  const long long begin = clock64();
  if (writes || writers == 0) {
    for (int i = 0; i < count; ++i) {
      if (!writes) sum += poll<P>(word + (sum & 1 << 30 ? 1 : 0));
      else if (W == Add) sum += atomicAdd(word, 1 + (sum & 1 << 30 ? 1 : 0));
      else *reinterpret_cast<volatile int*>(word) = i, __threadfence();
    }
    polls = count;
  } else {
    const int target = W == Add ? writers * count : count - 1;
    while (poll<P>(word) < target) ++polls;
    ++polls;
  }
  const long long end = clock64();
  done[128 + blockIdx.x] = sum;
  cycles[2 * blockIdx.x] = end - begin, cycles[2 * blockIdx.x + 1] = polls;
}

// Two blocks, on different SMs, pass a number back and forth. Write 0: volatile store, 1: fence and store, 2: release,
// 3: exchange, 4: a data word, a fence, a flag; and the other reads both.
template <Form P>
__global__ void ping_pong(int write, int count, int partner, int* words, long long* cycles) {
  if (blockIdx.x != 0 && int(blockIdx.x) != partner) return;
  const int me = blockIdx.x == 0 ? 0 : 1;
  int *mine = words + me * 64, *other = words + (1 - me) * 64;
  int sum = 0;
  const long long begin = clock64();
  for (int i = 1; i <= count; ++i) {
    if (me == 1)
      while (poll<P>(other) < i) {
      }
    if (write == 4) {
      if (me == 1) __threadfence(), sum += *reinterpret_cast<volatile int*>(other + 32);
      *reinterpret_cast<volatile int*>(mine + 32) = i + sum % 2;
    }
    if (write == 1 || write == 4) __threadfence();
    if (write == 2) asm volatile("st.global.release.gpu.b32 [%0], %1;" ::"l"(mine), "r"(i) : "memory");
    else if (write == 3) atomicExch(mine, i);
    else *reinterpret_cast<volatile int*>(mine) = i;
    if (me == 0)
      while (poll<P>(other) < i) {
      }
    if (write == 4 && me == 0) __threadfence(), sum += *reinterpret_cast<volatile int*>(other + 32);
  }
  const long long end = clock64();
  words[200 + me] = sum;
  cycles[me] = end - begin;
}

// All blocks arrive at a counter and poll it, `rounds` times.
template <Form P>
__global__ void arrive(int rounds, int* count, long long* cycles) {
  const long long begin = clock64();
  for (int r = 1; r <= rounds; ++r) {
    atomicAdd(count, 1);
    while (poll<P>(count) < r * int(gridDim.x)) {
    }
  }
  cycles[blockIdx.x] = clock64() - begin;
}

int main() {
  int *data, *words;
  long long *cycles, host[8192];
  CHECK(cudaMalloc(&data, 1 << 28));
  CHECK(cudaMemset(data, 0, 1 << 28));
  CHECK(cudaMalloc(&words, 1 << 16));
  CHECK(cudaMalloc(&cycles, sizeof host));
  std::puts("case,form,writers,pollers,mean,most");
  const auto take = [&](const char* name, const char* form, int writers, int pollers, int first, int values, int step, double scale) {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, cycles, sizeof host, cudaMemcpyDeviceToHost));
    double sum = 0, most = 0;
    for (int i = 0; i < values; ++i) sum += double(host[first + i * step]), most = std::max(most, double(host[first + i * step]));
    std::printf("%s,%s,%d,%d,%.1f,%.1f\n", name, form, writers, pollers, sum / values / scale, most / scale);
  };
  const char* kinds[] = {"none", "stores", "loads", "adds", "adds_result"};
  for (int kind = 0; kind < 5; ++kind)
    for (int lines : {1, 4, 16})
      for (int blocks : {1, 132, 264})
        for (int warps : {1, 8}) {
          if (kind == 0 && lines > 1) continue;
          for (int again = 0; again < 2; ++again) fences<<<blocks, warps * 32>>>(kind, lines, 64, data, cycles);
          char form[64];
          std::snprintf(form, sizeof form, "%s_%d", kinds[kind], lines);
          take("fence", form, blocks, warps, 0, blocks * warps, 1, 64);
        }
  const auto clear = [&] { CHECK(cudaMemset(words, 0, 1 << 16)); };
  const auto contention = [&](auto launch, const char* name, const char* form) {
    for (int writers : {0, 1, 16, 132})
      for (int pollers : {0, 1, 2, 4, 8, 16, 32, 66, 131, 264, 1056}) {
        if (writers + pollers == 0) continue;
        clear();
        const int count = 64;
        launch(writers, pollers, count);
        if (writers > 0) take((std::string(name) + "_writers").c_str(), form, writers, pollers, 0, writers, 2, count);
        if (writers == 0) take(name, form, writers, pollers, 0, pollers, 2, count);
        if (writers > 0 && pollers > 0) {
          double polls = 0, time = 0;
          for (int b = writers; b < writers + pollers; ++b) time += double(host[2 * b]), polls += double(host[2 * b + 1]);
          std::printf("%s_a_poll,%s,%d,%d,%.1f,\n", name, form, writers, pollers, time / polls);
        }
      }
  };
  contention([&](int w, int p, int n) { contend<Add, Volatile><<<w + p, 1>>>(w, n, words, words + 256, cycles); }, "contend", "add_volatile");
  contention([&](int w, int p, int n) { contend<Add, Acquire><<<w + p, 1>>>(w, n, words, words + 256, cycles); }, "contend", "add_acquire");
  contention([&](int w, int p, int n) { contend<Add, Add><<<w + p, 1>>>(w, n, words, words + 256, cycles); }, "contend", "add_add");
  contention([&](int w, int p, int n) { contend<Add, Swap><<<w + p, 1>>>(w, n, words, words + 256, cycles); }, "contend", "add_swap");
  for (int p : {0, 1, 16, 131, 1055}) {
    clear();
    contend<Volatile, Volatile><<<1 + p, 1>>>(1, 64, words, words + 256, cycles);
    take("store_and_fence", "volatile", 1, p, 0, 1, 2, 64);
  }
  const char* writes[] = {"store", "fence_store", "release", "exchange", "data_fence_flag"};
  for (int write = 0; write < 5; ++write)
    for (int partner : {1, 2, 7, 40, 100}) {
      for (Form f : {Volatile, Acquire, Add}) {
        clear();
        if (f == Volatile) ping_pong<Volatile><<<132, 1>>>(write, 64, partner, words, cycles);
        if (f == Acquire) ping_pong<Acquire><<<132, 1>>>(write, 64, partner, words, cycles);
        if (f == Add) ping_pong<Add><<<132, 1>>>(write, 64, partner, words, cycles);
        take((std::string("ping_pong_") + writes[write]).c_str(), kForms[f], 0, partner, 0, 1, 1, 64);
      }
    }
  for (int blocks : {2, 8, 16, 33, 66, 132, 264, 528, 1056})
    for (Form f : {Volatile, Acquire, Add}) {
      clear();
      if (f == Volatile) arrive<Volatile><<<blocks, 1>>>(16, words, cycles);
      if (f == Acquire) arrive<Acquire><<<blocks, 1>>>(16, words, cycles);
      if (f == Add) arrive<Add><<<blocks, 1>>>(16, words, cycles);
      take("arrive", kForms[f], blocks, blocks, 0, blocks, 1, 16);
    }
  return 0;
}
