// Lanes wait for each other inside functions that are really called: recursive ones, and through pointers. Since Volta
// every lane has its own program counter, in any function.
#include <functional>

#include "check.h"

#define RECURSIVE __device__ __noinline__
// After a recursive call: keeps compilers from turning it into a loop.
#define COME_BACK asm volatile("" ::: "memory")

// ---- recursion to a different depth in each lane
// All lanes synchronize at the bottom, at 32 different depths, and read their neighbours' values in shared memory.
RECURSIVE int meet_below(volatile int* cell, int depth, int lane) {
  if (depth == 0) {
    cell[lane] = lane * 3;
    __syncwarp();
    int other = cell[lane ^ 1];
    __syncwarp();
    return other;
  }
  int below = meet_below(cell, depth - 1, lane);
  COME_BACK;
  return below + depth;
}
__global__ void meet_at_depths(int* out) {
  __shared__ volatile int cell[32];
  out[threadIdx.x] = meet_below(cell, threadIdx.x % 7, threadIdx.x);
}

// The exchange itself at different depths: one shfl, entered from calls that are nested differently.
RECURSIVE int shuffle_below(int depth, int value) {
  if (depth == 0) return __shfl_xor_sync(0xffffffffu, value, 1);
  int got = shuffle_below(depth - 1, value + 100);
  COME_BACK;
  return got * 2 + 1;
}
__global__ void shuffle_at_depths(int* out) { out[threadIdx.x] = shuffle_below(threadIdx.x % 5, threadIdx.x); }

// Votes and matches on the way down, among the lanes at the same depth.
RECURSIVE int votes_on_the_way(int depth, int mine, unsigned present) {
  unsigned goes_on = __ballot_sync(present, depth < mine);
  int sum = __popc(goes_on) + __any_sync(present, mine == 9) + __popc(__match_any_sync(present, mine & 1));
  if (depth >= mine) return sum;
  int below = votes_on_the_way(depth + 1, mine, goes_on);
  COME_BACK;
  return sum + 1000 * below;
}
__global__ void votes_in_recursion(int* out) { out[threadIdx.x] = votes_on_the_way(0, threadIdx.x % 3, 0xffffffffu); }

// Lanes that arrive at a level synchronise there, level by level.
RECURSIVE void levels(int* out, volatile int* sum, int depth, int lane) {
  unsigned here = 0xffffffffu << depth;  // lanes depth .. 31
  if (lane == depth) return;
  here &= ~(1u << depth);
  if (lane == depth + 1) *sum = *sum + depth;
  __syncwarp(here);
  out[lane] += *sum;
  __syncwarp(here);
  if (depth < 30) levels(out, sum, depth + 1, lane);
  COME_BACK;
}
__global__ void synchronise_levels(int* out) {
  __shared__ volatile int sum;
  sum = 0;
  __syncwarp();
  levels(out, &sum, 0, threadIdx.x);
}

// ---- an exchange between a lane in a function and its caller's lanes
RECURSIVE void hand_out(volatile int* box, int depth, int value) {
  if (depth > 0) {
    hand_out(box, depth - 1, value + 1);
    COME_BACK;
    return;
  }
  *box = value;
  __threadfence_block();
  __syncwarp();
}
__global__ void in_and_out(int* out) {
  __shared__ volatile int box;
  int t = threadIdx.x;
  if (t == 13) {
    hand_out(&box, 4, 1000);
    out[t] = -1;
  } else {
    __syncwarp();
    out[t] = box + t;
  }
}

// ---- locks
RECURSIVE void locked_add(int* lock, volatile int* counter, int depth) {
  if (depth > 0) {
    locked_add(lock, counter, depth - 1);
    COME_BACK;
    return;
  }
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *counter = *counter + 1;
  __threadfence();
  atomicExch(lock, 0);
}
__global__ void lock_in_function(int* lock, volatile int* counter) { locked_add(lock, counter, threadIdx.x % 4); }

// The lock is acquired in one call and released in another.
typedef void (*Action)(int*);
__device__ void take(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
}
__device__ void give(int* lock) {
  __threadfence();
  atomicExch(lock, 0);
}
__device__ Action actions[2] = {take, give};
__global__ void lock_through_pointers(int* lock, volatile int* counter, int which) {
  actions[which](lock);
  *counter = *counter + 1;
  actions[which ^ 1](lock);
}

// A lane waits in a function for a flag that another lane of its warp sets in a different function.
RECURSIVE int wait_for(volatile int* flag, int depth) {
  if (depth > 0) {
    int seen = wait_for(flag, depth - 1);
    COME_BACK;
    return seen + 1;
  }
  while (*flag == 0) {
  }
  return *flag;
}
RECURSIVE void set_flag(volatile int* flag, int depth) {
  if (depth > 0) {
    set_flag(flag, depth - 1);
    COME_BACK;
    return;
  }
  *flag = 7;
}
__global__ void flag_between_functions(int* out) {
  __shared__ volatile int flag;
  int t = threadIdx.x;
  flag = 0;
  __syncwarp();
  if (t < 31) {
    out[t] = wait_for(&flag, t % 3);
  } else {
    set_flag(&flag, 2);
    out[t] = 0;
  }
}

// ---- function pointers
typedef int (*Reduce)(unsigned mask, int value);
__device__ int sum_of(unsigned mask, int value) {
  int lane = threadIdx.x & 31, sum = 0;
  for (int k = 0; k < 32; ++k)
    if (mask >> k & 1) sum += __shfl_sync(mask, value, k);
  return sum + 0 * lane;
}
__device__ int most_of(unsigned mask, int value) {
  int most = -1;
  for (int k = 0; k < 32; ++k)
    if (mask >> k & 1) {
      int other = __shfl_sync(mask, value, k);
      most = other > most ? other : most;
    }
  return most;
}
__device__ int votes_of(unsigned mask, int value) { return __popc(__ballot_sync(mask, value % 3 == 0)); }
__device__ Reduce reductions[3] = {sum_of, most_of, votes_of};
__global__ void shuffles_through_pointers(int* out) {
  int t = threadIdx.x, kind = t % 3;
  unsigned mask = 0;
  for (int k = 0; k < 32; ++k)
    if (k % 3 == kind) mask |= 1u << k;
  out[t] = reductions[kind](mask, t * t % 41);
}

// All lanes exchange inside, although they call in two groups: first one half, then the other.
typedef int (*Exchange)(int value);
__device__ int across(int value) { return __shfl_xor_sync(0xffffffffu, value, 16); }
__device__ Exchange exchanges[2] = {across, across};
__global__ void one_function_two_arms(int* out, int first) {
  int t = threadIdx.x, r;
  if (t < 16) {
    r = exchanges[first](t + 50);
  } else {
    r = exchanges[1 - first](t + 70);
  }
  out[t] = r;
}

// ---- virtual functions
struct Shape {
  __device__ virtual int work(int value, unsigned mask) const = 0;
  __device__ virtual ~Shape() {}
};
struct Even : Shape {
  __device__ int work(int value, unsigned mask) const override { return __reduce_add_sync(mask, value); }
};
struct Odd : Shape {
  __device__ int work(int value, unsigned mask) const override {
    __syncwarp(mask);
    return __shfl_down_sync(mask, value, 2) * 10;
  }
};
__global__ void virtual_functions(int* out) {
  int t = threadIdx.x;
  Even even;
  Odd odd;
  const Shape* shape = t % 2 ? static_cast<const Shape*>(&odd) : &even;
  out[t] = shape->work(t, t % 2 ? 0xaaaaaaaau : 0x55555555u);
}

// ---- barriers of the block
RECURSIVE int barrier_below(int* s, int depth, int t) {
  if (depth > 0) {
    int r = barrier_below(s, depth - 1, t);
    COME_BACK;
    return r + 1;
  }
  s[t] = t * 5;
  __syncthreads();
  int r = s[95 - t];
  __syncthreads();
  return r;
}
__global__ void barrier_in_function(int* out) {
  __shared__ int s[96];
  int t = threadIdx.x;
  out[t] = barrier_below(s, t % 4, t) + 1000 * __syncthreads_count(t % 2);
}

// Some lanes exit inside the function: no lane waits for them.
RECURSIVE int some_leave(int depth, int t, volatile int* s) {
  if (t % 8 == 3 && depth == 1) asm volatile("exit;");
  if (depth > 0) {
    int r = some_leave(depth - 1, t, s);
    COME_BACK;
    return r;
  }
  s[t] = t;
  __syncwarp();
  __syncthreads();
  return s[63 - t] + s[t ^ 1];
}
__global__ void exits_in_function(int* out) {
  __shared__ volatile int s[64];
  s[threadIdx.x] = 500;
  __syncthreads();
  out[threadIdx.x] = some_leave(2 + threadIdx.x % 2, threadIdx.x, s);
}

// Values that the caller keeps across a call in which its lanes were rescheduled.
RECURSIVE float keeps(float x, int n, int lane) {
  float a = x * 1.5f, b = x - 2.0f;
  long long c = lane * 12345678901ll;
  double d = lane / 3.0;
  bool p = lane % 3 == 0;
  if (n == 0) return __shfl_xor_sync(0xffffffffu, x, 3);
  float inner = keeps(x + 1.0f, n - 1, lane);
  COME_BACK;
  return inner + a * 0.5f - b + static_cast<float>(c % 7) + static_cast<float>(d) + (p ? 100.0f : 0.0f);
}
__global__ void values_over_calls(float* out) { out[threadIdx.x] = keeps(threadIdx.x, threadIdx.x % 6, threadIdx.x); }
float keeps_on_host(float x, int n, int lane, const std::vector<float>& bottom) {
  float a = x * 1.5f, b = x - 2.0f;
  if (n == 0) return bottom[lane ^ 3];
  float inner = keeps_on_host(x + 1.0f, n - 1, lane, bottom);
  return inner + a * 0.5f - b + static_cast<float>(lane * 12345678901ll % 7) + static_cast<float>(lane / 3.0) +
         (lane % 3 == 0 ? 100.0f : 0.0f);
}

std::vector<int> make(int n, const std::function<int(int)>& f) {
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[i] = f(i);
  return v;
}
int votes_on_host(int depth, int mine, unsigned present) {
  unsigned goes_on = 0, same = 0;
  for (int k = 0; k < 32; ++k)
    if (present >> k & 1) {
      if (depth < k % 3) goes_on |= 1u << k;
      if ((k % 3 & 1) == (mine & 1)) same |= 1u << k;
    }
  int sum = __builtin_popcount(goes_on) + __builtin_popcount(same);
  return depth >= mine ? sum : sum + 1000 * votes_on_host(depth + 1, mine, goes_on);
}

int main() {
  auto run = [](const char* name, int threads, void (*kernel)(int*), const std::function<int(int)>& want) {
    Buffer<int> out(threads);
    kernel<<<1, threads>>>(out);
    CK_LAUNCH();
    expect_same(name, out.get(), make(threads, want));
  };
  auto triangle = [](int n) { return n * (n + 1) / 2; };
  run("meet_at_depths", 32, meet_at_depths, [&](int t) { return (t ^ 1) * 3 + triangle(t % 7); });
  run("shuffle_at_depths", 32, shuffle_at_depths, [](int t) {
    int r = (t ^ 1) + 100 * ((t ^ 1) % 5);
    for (int k = 0; k < t % 5; ++k) r = r * 2 + 1;
    return r;
  });
  run("votes_in_recursion", 32, votes_in_recursion, [](int t) { return votes_on_host(0, t % 3, 0xffffffffu); });
  run("synchronise_levels", 32, synchronise_levels, [](int t) {
    int sum = 0, out = 0;
    for (int depth = 0; depth < t && depth <= 30; ++depth) out += sum += depth;
    return out;
  });
  run("in_and_out", 32, in_and_out, [](int t) { return t == 13 ? -1 : 1004 + t; });
  run("flag_between_functions", 32, flag_between_functions, [](int t) { return t == 31 ? 0 : 7 + t % 3; });
  run("shuffles_through_pointers", 32, shuffles_through_pointers, [](int t) {
    int sum = 0, most = -1, votes = 0;
    for (int k = t % 3; k < 32; k += 3) {
      int v = k * k % 41;
      sum += v, most = v > most ? v : most, votes += v % 3 == 0;
    }
    return t % 3 == 0 ? sum : t % 3 == 1 ? most : votes;
  });
  run("virtual_functions", 32, virtual_functions,
      [](int t) { return t % 2 == 0 ? 240 : t + 2 > 31 ? t * 10 : (t + 2) * 10; });
  run("barrier_in_function", 96, barrier_in_function, [](int t) { return (95 - t) * 5 + t % 4 + 48000; });
  run("exits_in_function", 64, exits_in_function, [](int t) {
    auto left = [](int k) { return k % 8 == 3 ? 500 : k; };
    return t % 8 == 3 ? 0 : left(63 - t) + left(t ^ 1);
  });
  {
    Buffer<int> out(32);
    one_function_two_arms<<<1, 32>>>(out, 1);
    CK_LAUNCH();
    expect_same("one_function_two_arms", out.get(), make(32, [](int t) { return t < 16 ? t + 16 + 70 : t - 16 + 50; }));
  }
  {
    Buffer<int> lock(1), counter(1);
    lock_in_function<<<4, 96>>>(lock, counter);
    CK_LAUNCH();
    expect_same("lock_in_function", counter.get(), {4 * 96});
    lock_through_pointers<<<4, 96>>>(lock, counter, 0);
    CK_LAUNCH();
    expect_same("lock_through_pointers", counter.get(), {8 * 96});
  }
  {
    Buffer<float> out(32);
    values_over_calls<<<1, 32>>>(out);
    CK_LAUNCH();
    std::vector<float> bottom(32), want(32);
    for (int t = 0; t < 32; ++t) bottom[t] = float(t) + t % 6;
    for (int t = 0; t < 32; ++t) want[t] = keeps_on_host(t, t % 6, t, bottom);
    std::vector<float> got = out.get();
    for (int t = 0; t < 32; ++t)
      expect(got[t] - want[t] < 0.01f && want[t] - got[t] < 0.01f, "values_over_calls");
  }
  return finish();
}
