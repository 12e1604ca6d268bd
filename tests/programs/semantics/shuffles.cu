// Warp shuffles of every kind, width, type and mask, against a reference written from the PTX definition.
#include "check.h"

#include <algorithm>

enum Mode { kUp, kDown, kXor, kIdx };

// shfl.sync: the source lane of `lane`, and whether it is in range.
int source_lane(Mode mode, int lane, int b, int width, bool* in_range) {
  const int segment = lane & ~(width - 1) & 31, max_lane = segment | (width - 1);
  int j = 0;
  switch (mode) {
    case kUp: j = lane - b; *in_range = j >= segment; break;
    case kDown: j = lane + b; *in_range = j <= max_lane; break;
    case kXor: j = lane ^ b; *in_range = j <= max_lane; break;
    case kIdx: j = segment | (b & (width - 1)); *in_range = true; break;
  }
  return *in_range ? j : lane;
}

template <typename T>
__global__ void shuffle(T* out, const T* in, Mode mode, int b, int width) {
  int t = threadIdx.x;
  T v = in[t];
  switch (mode) {
    case kUp: v = __shfl_up_sync(0xffffffffu, v, b, width); break;
    case kDown: v = __shfl_down_sync(0xffffffffu, v, b, width); break;
    case kXor: v = __shfl_xor_sync(0xffffffffu, v, b, width); break;
    case kIdx: v = __shfl_sync(0xffffffffu, v, b, width); break;
  }
  out[t] = v;
}

template <typename T>
void test(const char* name) {
  std::vector<T> in(64);
  for (int i = 0; i < 64; ++i) in[i] = static_cast<T>(i * 1000003 + 17);
  Buffer<T> device_in(in), out(64);
  for (Mode mode : {kUp, kDown, kXor, kIdx})
    for (int width : {1, 2, 8, 16, 32})
      for (int b : {0, 1, 3, 15, 16, 31}) {
        shuffle<<<1, 64>>>(out.data(), device_in.data(), mode, b, width);
        CK_LAUNCH();
        std::vector<T> want(64);
        for (int i = 0; i < 64; ++i) {
          bool in_range;
          want[i] = in[i / 32 * 32 + source_lane(mode, i % 32, b, width, &in_range)];
        }
        expect_same(name, out.get(), want);
      }
}

// The index may differ from lane to lane.
__global__ void gather(int* out, const int* index) {
  int t = threadIdx.x;
  out[t] = __shfl_sync(0xffffffffu, t * 3, index[t]);
}

// Each half of the warp shuffles within its own mask and branch.
__global__ void partial_masks(int* out) {
  int t = threadIdx.x, v = t * t;
  if (t % 2 == 0) {
    for (int s = 2; s < 32; s *= 2) v += __shfl_xor_sync(0x55555555u, v, s);
  } else {
    v = __shfl_sync(0xaaaaaaaau, v, 31);
  }
  out[t] = v;
}

// No lane waits for lanes that have exited.
__global__ void after_exit(int* out) {
  int t = threadIdx.x;
  if (t >= 20) return;
  out[t] = __shfl_up_sync(0x000fffffu, t + 100, 1);
}

// Only lane 0 has a value, as where one lane adds for its whole warp; the others' is undefined.
__device__ int of_first(int v) { return __shfl_sync(0xffffffffu, v, 0); }
__global__ void one_for_all(int* out, int* sum) {
  int lane = threadIdx.x % 32, place;
  if (lane == 0) place = atomicAdd(sum, 32);
  place = of_first(place);
  out[place + lane] = threadIdx.x;
}

// The predicate of shfl.sync: whether the source was in range.
__global__ void predicate(int* out, int delta) {
  int t = threadIdx.x, v, in_range;
  asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, %3, 31, -1; selp.s32 %1, 1, 0, p; }"
               : "=r"(v), "=r"(in_range)
               : "r"(t), "r"(delta));
  out[t] = v * 2 + in_range;
}

__global__ void warp_reduce(int* out, const int* in) {
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int s = 16; s > 0; s /= 2) v += __shfl_down_sync(~0u, v, s);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

// Lane 4r + c holds elements 2c and 2c + 1 of row r of a matrix; an H200 gives the same.
__global__ void transpose(unsigned* out, const unsigned* in) {
  unsigned v;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(v) : "r"(in[threadIdx.x]));
  out[threadIdx.x] = v;
}

int main() {
  test<int>("int");
  test<unsigned>("unsigned");
  test<long long>("long long");
  test<float>("float");
  test<double>("double");
  {
    std::vector<int> index(32), want(32);
    for (int i = 0; i < 32; ++i) index[i] = (i * 7 + 3) % 32, want[i] = index[i] * 3;
    Buffer<int> device_index(index), out(32);
    gather<<<1, 32>>>(out, device_index);
    CK_LAUNCH();
    expect_same("gather", out.get(), want);
  }
  {
    std::vector<unsigned> rows(32), columns(32);
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned r = i / 4, c = i % 4 * 2;
      rows[i] = (8 * r + c) | (8 * r + c + 1) << 16, columns[i] = (8 * c + r) | (8 * (c + 1) + r) << 16;
    }
    Buffer<unsigned> in(rows), out(32);
    transpose<<<1, 32>>>(out.data(), in.data());
    CK_LAUNCH();
    expect_same("transpose", out.get(), columns);
  }
  {
    Buffer<int> out(32);
    partial_masks<<<1, 32>>>(out);
    CK_LAUNCH();
    int even = 0;
    for (int i = 0; i < 32; i += 2) even += i * i;
    std::vector<int> want(32);
    for (int i = 0; i < 32; ++i) want[i] = i % 2 ? 31 * 31 : even;
    expect_same("partial_masks", out.get(), want);
  }
  {
    Buffer<int> out(32);
    after_exit<<<1, 32>>>(out);
    CK_LAUNCH();
    std::vector<int> want(32, 0);
    for (int i = 0; i < 20; ++i) want[i] = 100 + (i ? i - 1 : 0);
    expect_same("after_exit", out.get(), want);
  }
  {
    Buffer<int> out(64), sum(1);
    one_for_all<<<1, 64>>>(out, sum);
    CK_LAUNCH();
    std::vector<int> want(64), got = out.get();
    for (int i = 0; i < 64; ++i) want[i] = i;
    if (got[0] == 32) std::rotate(got.begin(), got.begin() + 32, got.end());
    expect_same("one_for_all", got, want);
    expect_same("one_for_all's sum", sum.get(), {64});
  }
  for (int delta : {0, 1, 20, 31}) {
    Buffer<int> out(32);
    predicate<<<1, 32>>>(out, delta);
    CK_LAUNCH();
    std::vector<int> want(32);
    for (int i = 0; i < 32; ++i) want[i] = i + delta < 32 ? (i + delta) * 2 + 1 : i * 2;
    expect_same("predicate", out.get(), want);
  }
  {
    std::vector<int> in(4096);
    int sum = 0;
    for (int i = 0; i < 4096; ++i) sum += in[i] = i % 37 - 9;
    Buffer<int> device_in(in), out(1);
    warp_reduce<<<32, 128>>>(out, device_in);
    CK_LAUNCH();
    expect_same("warp_reduce", out.get(), {sum});
  }
  return finish();
}
