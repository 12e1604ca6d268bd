// Blocks that wait for each other: look-back and chained scans, barriers of the whole grid, flags, locks, pipelines, triangular solves,
// sums by the last block. What a case takes is mostly the way of a value from one SM to another, and polls that contend for a word.
#include <cooperative_groups.h>

#include "cases.h"

namespace cg = cooperative_groups;
typedef unsigned long long ull;

// The forms in which programs read a word that other blocks write.
__device__ int by_volatile(const int* p) { return *reinterpret_cast<const volatile int*>(p); }
__device__ int by_atomic(int* p) { return atomicAdd(p, 0); }
__device__ int by_acquire(const int* p) {
  int value;
  asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
  return value;
}
__device__ void by_release(int* p, int value) { asm volatile("st.global.release.gpu.b32 [%0], %1;" ::"l"(p), "r"(value) : "memory"); }

__device__ float block_sum(float v) {
  __shared__ float part[32];
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(~0u, v, d);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
  if (threadIdx.x < 32)
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(~0u, v, d);
  __syncthreads();
  return v;  // in thread 0
}

// Look-back by one thread: aggregates and prefixes with their status in one word.
__global__ void lookback_thread(const int* x, int* y, volatile ull* status, int* ticket) {
  __shared__ int tile, before;
  if (threadIdx.x == 0) tile = atomicAdd(ticket, 1);
  __syncthreads();
  const int i = tile * blockDim.x + threadIdx.x, v = x[i] & 15;
  const int sum = int(block_sum(float(v)));
  if (threadIdx.x == 0) {
    int prefix = 0;
    if (tile > 0) {
      status[tile] = ull(sum) << 2 | 1;
      for (int at = tile - 1;;) {
        const ull s = status[at];
        if (s == 0) continue;
        prefix += int(s >> 2);
        if ((s & 3) == 2) break;
        --at;
      }
    }
    status[tile] = ull(prefix + sum) << 2 | 2;
    before = prefix;
  }
  __syncthreads();
  y[i] = before + v;
}
// ... by a warp, which looks at 32 tiles at once, four items a thread.
__global__ void lookback_warp(const int4* x, int4* y, volatile ull* status, int* ticket) {
  __shared__ int tile, before;
  if (threadIdx.x == 0) tile = atomicAdd(ticket, 1);
  __syncthreads();
  const int i = tile * blockDim.x + threadIdx.x, lane = threadIdx.x;
  int4 v = x[i];
  v.x &= 15, v.y = (v.y & 15) + v.x, v.z = (v.z & 15) + v.y, v.w = (v.w & 15) + v.z;
  int sum = int(block_sum(float(v.w)));
  if (threadIdx.x < 32) {
    sum = __shfl_sync(~0u, sum, 0);
    if (lane == 0) status[tile] = ull(sum) << 2 | (tile == 0 ? 2 : 1);
    int prefix = 0;
    for (int last = tile - 1; last >= 0; last -= 32) {
      const int at = last - lane;
      ull s;
      do s = at >= 0 ? status[at] : 2;
      while (__any_sync(~0u, s == 0));
      const unsigned done = __ballot_sync(~0u, (s & 3) == 2);
      int add = done == 0 || lane <= __ffs(done) - 1 ? int(s >> 2) : 0;
      for (int d = 16; d > 0; d >>= 1) add += __shfl_xor_sync(~0u, add, d);
      prefix += add;
      if (done != 0) break;
    }
    if (lane == 0) status[tile] = ull(prefix + sum) << 2 | 2, before = prefix;
  }
  __syncthreads();
  v.x += before, v.y += before, v.z += before, v.w += before;
  y[i] = v;
}
// A block waits for the one before it alone: value and flag apart, with fences between them.
__global__ void scan_chained(const float* x, float* y, volatile float* prefix, int* ready) {
  __shared__ float before;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = x[i], sum = block_sum(v);
  if (threadIdx.x == 0) {
    before = 0;
    if (blockIdx.x > 0) {
      while (by_volatile(&ready[blockIdx.x - 1]) == 0) {
      }
      __threadfence();
      before = prefix[blockIdx.x - 1];
    }
    prefix[blockIdx.x] = before + sum;
    __threadfence();
    *reinterpret_cast<volatile int*>(&ready[blockIdx.x]) = 1;
  }
  __syncthreads();
  y[i] = before + v;
}

// Steps of a stencil with a barrier of the grid between them: a counter that all blocks add to, and poll.
enum class Poll { Volatile, Atomic, Acquire };
template <Poll POLL>
__device__ void grid_barrier(int* count, int target) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1);
    while ((POLL == Poll::Volatile ? by_volatile(count) : POLL == Poll::Atomic ? by_atomic(count) : by_acquire(count)) < target) {
    }
    __threadfence();
  }
  __syncthreads();
}
template <Poll POLL>
__device__ void steps_with_barriers(float* x, float* y, int steps, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int s = 0; s < steps; ++s) {
    const volatile float* from = s % 2 == 0 ? x : y;
    (s % 2 == 0 ? y : x)[i] = 0.25f * from[i == 0 ? n - 1 : i - 1] + 0.5f * from[i] + 0.25f * from[i == n - 1 ? 0 : i + 1];
    grid_barrier<POLL>(count, (s + 1) * int(gridDim.x));
  }
}
__global__ void barrier_volatile(float* x, float* y, int steps, int* count) { steps_with_barriers<Poll::Volatile>(x, y, steps, count); }
__global__ void barrier_atomic(float* x, float* y, int steps, int* count) { steps_with_barriers<Poll::Atomic>(x, y, steps, count); }
__global__ void barrier_acquire(float* x, float* y, int steps, int* count) { steps_with_barriers<Poll::Acquire>(x, y, steps, count); }
// The last to arrive releases the others by a word of its own, which only they poll.
__global__ void barrier_release(float* x, int steps, int* count, int* released) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int s = 1; s <= steps; ++s) {
    x[i] = x[i] * 0.5f + 1.0f;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      if (atomicAdd(count, 1) == s * int(gridDim.x) - 1)
        by_release(released, s);
      else
        while (by_volatile(released) < s) {
        }
    }
    __syncthreads();
  }
}
// Each block has a flag of its own; block 0 gathers all, then releases all.
__global__ void barrier_flags(float* x, int steps, volatile int* arrived, volatile int* released) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int s = 1; s <= steps; ++s) {
    x[i] = x[i] * 0.5f + 1.0f;
    __threadfence();
    __syncthreads();
    if (blockIdx.x == 0) {
      if (threadIdx.x > 0 && threadIdx.x < gridDim.x)
        while (arrived[threadIdx.x] < s) {
        }
      __syncthreads();
      if (threadIdx.x > 0 && threadIdx.x < gridDim.x) released[threadIdx.x] = s;
    } else if (threadIdx.x == 0) {
      arrived[blockIdx.x] = s;
      while (released[blockIdx.x] < s) {
      }
    }
    __syncthreads();
  }
}
__global__ void barrier_groups(float* x, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int s = 0; s < steps; ++s) {
    x[i] = x[i] * 0.5f + 1.0f;
    cg::this_grid().sync();
  }
}
// Every warp polls for itself.
__global__ void barrier_warps(float* x, int steps, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, warps = gridDim.x * blockDim.x / 32;
  for (int s = 1; s <= steps; ++s) {
    x[i] = x[i] * 0.5f + 1.0f;
    if ((threadIdx.x & 31) == 0) {
      __threadfence();
      atomicAdd(count, 1);
      while (by_volatile(count) < s * warps) {
      }
    }
    __syncwarp();
  }
}

// One block prepares what all others wait for.
__global__ void wait_for_first(const float* x, float* y, int n, float* table, int* ready) {
  if (blockIdx.x == 0) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) table[0] = sum, by_release(ready, 1);
    return;
  }
  if (threadIdx.x == 0)
    while (by_acquire(ready) == 0) {
    }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] * *reinterpret_cast<volatile float*>(table);
}
// Even blocks fill a ring of two buffers, odd ones empty it.
__global__ void produce_consume(const float* x, float* buffers, float* sums, int rounds, volatile int* filled, volatile int* emptied) {
  const int pair = blockIdx.x / 2;
  float* mine = buffers + pair * 2 * blockDim.x;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
    volatile float* slot = mine + r % 2 * blockDim.x;
    if (blockIdx.x % 2 == 0) {
      if (threadIdx.x == 0)
        while (emptied[pair] < r - 1) {
        }
      __syncthreads();
      slot[threadIdx.x] = x[(pair * rounds + r) * blockDim.x + threadIdx.x];
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) filled[pair] = r + 1;
    } else {
      if (threadIdx.x == 0)
        while (filled[pair] < r + 1) {
        }
      __syncthreads();
      sum += slot[threadIdx.x];
      __syncthreads();
      if (threadIdx.x == 0) emptied[pair] = r + 1;
    }
  }
  if (blockIdx.x % 2 == 1) sums[pair * blockDim.x + threadIdx.x] = sum;
}
// Items go through the blocks, one stage a block.
__global__ void pipeline(float* items, int count, int* done) {
  for (int k = 0; k < count; ++k) {
    if (blockIdx.x > 0) {
      if (threadIdx.x == 0)
        while (by_acquire(&done[blockIdx.x - 1]) <= k) {
        }
      __syncthreads();
    }
    volatile float* item = items + k * blockDim.x;
    item[threadIdx.x] = item[threadIdx.x] * 0.75f + float(blockIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) by_release(&done[blockIdx.x], k + 1);
  }
}
// Tiles of a matrix need those on the left and above.
__global__ void wavefront(float* cells, int width, volatile int* done) {
  const int row = blockIdx.x / width, column = blockIdx.x % width;
  if (threadIdx.x == 0) {
    if (row > 0)
      while (done[blockIdx.x - width] == 0) {
      }
    if (column > 0)
      while (done[blockIdx.x - 1] == 0) {
      }
    __threadfence();
  }
  __syncthreads();
  volatile float* own = cells + size_t(blockIdx.x) * blockDim.x;
  float v = own[threadIdx.x];
  if (row > 0) v += own[int(threadIdx.x) - width * int(blockDim.x)];
  if (column > 0) v += own[int(threadIdx.x) - int(blockDim.x)];
  own[threadIdx.x] = v * 0.3f;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) done[blockIdx.x] = 1;
}

// A lock by compare-and-swap around a sum, and one by tickets.
__global__ void lock_swap(const float* x, volatile float* sum, int* lock, int rounds) {
  for (int r = 0; r < rounds; ++r) {
    const float mine = block_sum(x[(r * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0) {
      while (atomicCAS(lock, 0, 1) != 0) {
      }
      __threadfence();
      *sum = *sum + mine;
      __threadfence();
      atomicExch(lock, 0);
    }
    __syncthreads();
  }
}
__global__ void lock_ticket(const float* x, volatile float* sum, int* next, volatile int* serving) {
  const float mine = block_sum(x[blockIdx.x * blockDim.x + threadIdx.x]);
  if (threadIdx.x == 0) {
    const int ticket = atomicAdd(next, 1);
    while (*serving != ticket) {
    }
    *sum = *sum + mine;
    __threadfence();
    *serving = ticket + 1;
  }
}
// Slices of a sum write one after the other, as tiles of a product do that is split along its depth.
__global__ void slices_in_order(const float* x, float* out, int slices, int* turn) {
  const int tile = blockIdx.x / slices, slice = blockIdx.x % slices;
  float v = 0;
  for (int k = 0; k < 16; ++k) v += x[((tile * slices + slice) * 16 + k) * blockDim.x + threadIdx.x];
  if (threadIdx.x == 0)
    while (by_acquire(&turn[tile]) != slice) {
    }
  __syncthreads();
  volatile float* place = out + tile * blockDim.x + threadIdx.x;
  *place = slice == 0 ? v : *place + v;
  __syncthreads();
  if (threadIdx.x == 0) by_release(&turn[tile], slice + 1 == slices ? 0 : slice + 1);
}

// L x = b, a row a warp, which polls whether the unknowns it needs are known; rows in the order of blocks.
__global__ void solve_rows(int n, const int* row, const int* column, const float* value, const float* b, volatile float* x, volatile int* known) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (i >= n) return;
  float sum = 0;
  for (int k = row[i] + lane; k < row[i + 1]; k += 32) {
    while (known[column[k]] == 0) {
    }
    __threadfence();
    sum += value[k] * x[column[k]];
  }
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) {
    x[i] = b[i] - sum;
    __threadfence();
    known[i] = 1;
  }
}
// ... a row a thread, which goes on where it finds an unknown known: no lane waits for another of its warp.
__global__ void solve_threads(int n, const int* row, const int* column, const float* value, const float* b, volatile float* x, volatile int* known) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  int k = row[i];
  const int end = row[i + 1];
  bool open = true;
  while (open) {
    if (k < end && known[column[k]] != 0) {
      sum += value[k] * x[column[k]];
      ++k;
    }
    if (k == end) {
      x[i] = b[i] - sum;
      __threadfence();
      known[i] = 1;
      open = false;
    }
  }
}
// ... by levels, with a barrier of the grid after each.
__global__ void solve_levels(const int* level, int levels, const int* row, const int* column, const float* value, const float* b,
                             volatile float* x, int* count) {
  for (int l = 0; l < levels; ++l) {
    for (int i = level[l] + blockIdx.x * blockDim.x + threadIdx.x; i < level[l + 1]; i += gridDim.x * blockDim.x) {
      float sum = 0;
      for (int k = row[i]; k < row[i + 1]; ++k) sum += value[k] * x[column[k]];
      x[i] = b[i] - sum;
    }
    grid_barrier<Poll::Volatile>(count, (l + 1) * int(gridDim.x));
  }
}

// The last block to finish adds up what all have left.
__global__ void sum_by_last(const float* x, volatile float* partial, float* result, int each, int* done) {
  __shared__ bool last;
  float v = 0;
  for (int k = 0; k < each; ++k) v += x[(k * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x];
  v = block_sum(v);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = v;
    __threadfence();
    last = atomicAdd(done, 1) == int(gridDim.x) - 1;
  }
  __syncthreads();
  if (!last) return;
  v = 0;
  for (int i = threadIdx.x; i < int(gridDim.x); i += blockDim.x) v += partial[i];
  v = block_sum(v);
  if (threadIdx.x == 0) *result = v, *done = 0;
}
// Fences one after the other: with a store before each, behind a load, and of all warps of all blocks.
__global__ void fence_stores(float* x, int count) {
  float* own = x + blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < count; ++i) {
    own[i % 4 * gridDim.x * blockDim.x] = float(i);
    __threadfence();
  }
}
__global__ void fence_loads(float* x, int count) {
  volatile float* own = x + blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += *own;
    __threadfence();
  }
  *own = sum;
}
__global__ void fence_adds(int* x, int count) {
  int last = 0;
  for (int i = 0; i < count; ++i) {
    last += atomicAdd(&x[blockIdx.x * 32], last + 1);
    __threadfence();
  }
  x[blockIdx.x * 32 + 1] = last;
}

// A lower triangle: each row needs up to `most` rows that lie at most `reach` above it, none in the first of every `levels` rows' groups.
struct Triangle {
  std::vector<int> row{0}, column, level;
  std::vector<float> value;
};
Triangle triangle(int n, int most, int reach) {
  Triangle t;
  for (int i = 0; i < n; ++i) {
    const int count = std::min(i, int(hashed(uint32_t(i)) % uint32_t(most + 1)));
    for (int k = 0; k < count; ++k) {
      t.column.push_back(i - 1 - int(hashed(uint32_t(i * 31 + k)) % uint32_t(std::min(i, reach))));
      t.value.push_back(0.25f * fraction(uint32_t(i + k)));
    }
    t.row.push_back(int(t.column.size()));
  }
  t.column.push_back(0), t.value.push_back(0);
  return t;
}
// Each row of a level needs rows of the level before it.
Triangle levelled(int levels, int width, int most) {
  Triangle t;
  for (int l = 0; l < levels; ++l) {
    t.level.push_back(l * width);
    for (int r = 0; r < width; ++r) {
      for (int k = 0; l > 0 && k < most; ++k) {
        t.column.push_back((l - 1) * width + int(hashed(uint32_t((l * width + r) * 7 + k)) % uint32_t(width)));
        t.value.push_back(0.25f * fraction(uint32_t(l + r + k)));
      }
      t.row.push_back(int(t.column.size()));
    }
  }
  t.level.push_back(levels * width);
  t.column.push_back(0), t.value.push_back(0);
  return t;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const size_t most = 1 << 22;
  float *x = on_device<float>(most, fraction), *y = zeros<float>(most), *z = zeros<float>(1 << 16);
  int *ix = on_device<int>(most, [](uint32_t i) { return int(hashed(i) >> 1); }), *iy = zeros<int>(most);
  // Words of a case that are zero before it; each case has its own.
  size_t used = 0;
  int* words = zeros<int>(1 << 20);
  const auto fresh = [&](size_t count) {
    int* p = words + used;
    used += (count + 63) / 32 * 32;
    return p;
  };
  const auto status = [&](int tiles) { return reinterpret_cast<ull*>(fresh(2 * size_t(tiles))); };

  for (int n : {100, 1000, 4000})
    run(sized("lookback_thread", n), [=, s = status(n), t = fresh(1)] { lookback_thread<<<n, 256>>>(ix, iy, s, t); });
  for (int n : {132, 1000, 4000})
    run(sized("lookback_warp", n), [=, s = status(n), t = fresh(1)] { lookback_warp<<<n, 256>>>((int4*)ix, (int4*)iy, s, t); });
  for (int n : {64, 500}) run(sized("scan_chained", n), [=, f = fresh(n)] { scan_chained<<<n, 256>>>(x, y, z, f); });

  for (int n : {16, 132, 528}) run(sized("barrier_volatile", n), [=, c = fresh(1)] { barrier_volatile<<<n, 256>>>(x, y, 16, c); });
  for (int n : {16, 132, 528}) run(sized("barrier_atomic", n), [=, c = fresh(1)] { barrier_atomic<<<n, 256>>>(x, y, 16, c); });
  for (int n : {66, 264}) run(sized("barrier_acquire", n), [=, c = fresh(1)] { barrier_acquire<<<n, 128>>>(x, y, 20, c); });
  for (int n : {132, 1056}) run(sized("barrier_release", n), [=, c = fresh(1), r = fresh(1)] { barrier_release<<<n, 128>>>(x, 12, c, r); });
  for (int n : {64, 132}) run(sized("barrier_flags", n), [=, a = fresh(n), r = fresh(n)] { barrier_flags<<<n, 256>>>(x, 12, a, r); });
  for (int n : {132, 264}) {
    run(sized("barrier_groups", n), [=] {
      int steps = 12;
      float* p = x;
      void* arguments[] = {&p, &steps};
      CHECK(cudaLaunchCooperativeKernel((void*)barrier_groups, dim3(n), dim3(256), arguments, 0, nullptr));
    });
  }
  for (int n : {32, 132}) run(sized("barrier_warps", n), [=, c = fresh(1)] { barrier_warps<<<n, 256>>>(x, 10, c); });

  for (int n : {132, 1000}) run(sized("wait_for_first", n), [=, r = fresh(1)] { wait_for_first<<<n, 256>>>(x, y, 1 << 16, z, r); });
  for (int n : {2, 132, 512})
    run(sized("produce_consume", n), [=, f = fresh(n), e = fresh(n)] { produce_consume<<<n, 256>>>(x, y, z, 24, f, e); });
  for (int n : {8, 64, 132}) run(sized("pipeline", n), [=, d = fresh(n)] { pipeline<<<n, 128>>>(y, 32, d); });
  for (int w : {10, 30}) run(sized("wavefront", w), [=, d = fresh(w * w)] { wavefront<<<w * w, 128>>>(y, w, d); });

  for (int n : {32, 132}) run(sized("lock_swap", n), [=, l = fresh(1)] { lock_swap<<<n, 128>>>(x, z, l, 2); });
  for (int n : {64, 264}) run(sized("lock_ticket", n), [=, a = fresh(1), s = fresh(1)] { lock_ticket<<<n, 128>>>(x, z, a, s); });
  for (int s : {4, 16}) run(sized("slices_in_order", s), [=, t = fresh(64)] { slices_in_order<<<64 * s, 256>>>(x, y, s, t); });

  const auto solve = [&](const Triangle& t, int n, auto launch) {
    launch(n, on_device(t.row), on_device(t.column), on_device(t.value), (float*)zeros<float>(n), (int*)zeros<int>(n));
  };
  for (int n : {2048, 16384})
    solve(triangle(n, 12, n / 4), n, [&](int n, int* r, int* c, float* v, float* o, int* k) {
      run(sized("solve_rows", n), [=] { solve_rows<<<n / 8, 256>>>(n, r, c, v, x, o, k); });
    });
  for (int n : {4096, 32768})
    solve(triangle(n, 4, n / 2), n, [&](int n, int* r, int* c, float* v, float* o, int* k) {
      run(sized("solve_threads", n), [=] { solve_threads<<<n / 128, 128>>>(n, r, c, v, x, o, k); });
    });
  for (int levels : {16, 64}) {
    const Triangle t = levelled(levels, 2048, 4);
    solve(t, levels * 2048, [&](int, int* r, int* c, float* v, float* o, int*) {
      run(sized("solve_levels", levels), [=, l = on_device(t.level), n = fresh(1)] { solve_levels<<<64, 128>>>(l, levels, r, c, v, x, o, n); });
    });
  }

  for (int n : {66, 1000}) run(sized("sum_by_last", n), [=, d = fresh(1)] { sum_by_last<<<n, 256>>>(x, z, z + 4096, 4, d); });
  run("fence_stores_64", [=] { fence_stores<<<1, 32>>>(y, 64); });
  run("fence_stores_256", [=] { fence_stores<<<1, 32>>>(y, 256); });
  run("fence_stores_all", [=] { fence_stores<<<264, 256>>>(y, 32); });
  run("fence_loads_256", [=] { fence_loads<<<1, 32>>>(y, 256); });
  run("fence_adds_128", [=, c = fresh(32)] { fence_adds<<<1, 1>>>(c, 128); });
  return 0;
}
