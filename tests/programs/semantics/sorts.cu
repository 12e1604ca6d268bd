// Bitonic sort in shared and global memory, a stable radix sort, odd-even sort, merge by rank.
#include <algorithm>

#include "check.h"

__global__ void bitonic_shared(unsigned* data) {
  extern __shared__ unsigned s[];
  unsigned t = threadIdx.x, n = blockDim.x;
  unsigned* mine = data + blockIdx.x * n;
  s[t] = mine[t];
  for (unsigned k = 2; k <= n; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      unsigned other = t ^ j;
      if (other > t) {
        const bool up = (t & k) == 0;
        if ((s[t] > s[other]) == up) {
          unsigned v = s[t];
          s[t] = s[other];
          s[other] = v;
        }
      }
    }
  __syncthreads();
  mine[t] = s[t];
}

__global__ void bitonic_step(unsigned* data, unsigned j, unsigned k) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
  if (other <= i) return;
  unsigned a = data[i], b = data[other];
  if ((a > b) == ((i & k) == 0)) data[i] = b, data[other] = a;
}

// Radix sort, 4 bits a pass: count by block, scan on one block, scatter in order.
constexpr int kRadix = 16, kBlock = 128;
__global__ void radix_count(const unsigned* in, unsigned* counts, int shift, int n) {
  __shared__ unsigned bins[kRadix];
  if (threadIdx.x < kRadix) bins[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) atomicAdd(&bins[in[i] >> shift & 15], 1u);
  __syncthreads();
  if (threadIdx.x < kRadix) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}
__global__ void exclusive_scan(unsigned* v, int n) {
  __shared__ unsigned s[1024];
  unsigned carry = 0;
  for (int base = 0; base < n; base += 1024) {
    int t = threadIdx.x;
    unsigned own = base + t < n ? v[base + t] : 0;
    s[t] = own;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
      unsigned other = t >= d ? s[t - d] : 0;
      __syncthreads();
      s[t] += other;
      __syncthreads();
    }
    if (base + t < n) v[base + t] = carry + s[t] - own;
    carry += s[1023];
    __syncthreads();
  }
}
__global__ void radix_scatter(unsigned* out, const unsigned* in, const unsigned* offsets, int shift, int n) {
  __shared__ unsigned warp_count[kBlock / 32][kRadix];
  int t = threadIdx.x, lane = t % 32, warp = t / 32, i = blockIdx.x * kBlock + t;
  for (int k = t; k < kBlock / 32 * kRadix; k += kBlock) warp_count[0][k] = 0;
  __syncthreads();
  unsigned key = i < n ? in[i] : 0, digit = i < n ? key >> shift & 15 : 16;
  unsigned peers = __match_any_sync(~0u, digit);
  unsigned rank = __popc(peers & ((1u << lane) - 1));
  if (digit < 16 && rank == 0) warp_count[warp][digit] = __popc(peers);
  __syncthreads();
  if (digit == 16) return;
  unsigned before = 0;
  for (int w = 0; w < warp; ++w) before += warp_count[w][digit];
  out[offsets[digit * gridDim.x + blockIdx.x] + before + rank] = key;
}

__global__ void odd_even(int* data, int n, int* changed) {
  __shared__ int any;
  int t = threadIdx.x;
  do {
    __syncthreads();
    if (t == 0) any = 0;
    __syncthreads();
    for (int phase = 0; phase < 2; ++phase) {
      int i = 2 * t + phase;
      if (i + 1 < n && data[i] > data[i + 1]) {
        int v = data[i];
        data[i] = data[i + 1];
        data[i + 1] = v;
        any = 1;
      }
      __syncthreads();
    }
    if (t == 0) ++*changed;
  } while (any);
}

// Merges two sorted halves: each thread finds its element's place by binary search.
__global__ void merge(int* out, const int* a, int na, const int* b, int nb) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= na + nb) return;
  const bool first = i < na;
  int v = first ? a[i] : b[i - na];
  const int* other = first ? b : a;
  int lo = 0, hi = first ? nb : na;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (first ? other[mid] < v : other[mid] <= v) lo = mid + 1;
    else hi = mid;
  }
  out[(first ? i : i - na) + lo] = v;
}

std::vector<unsigned> random_keys(int n) {
  std::vector<unsigned> v(n);
  unsigned x = 12345;
  for (unsigned& k : v) k = x = x * 1664525u + 1013904223u;
  return v;
}

int main() {
  {
    std::vector<unsigned> keys = random_keys(512 * 6);
    Buffer<unsigned> data(keys);
    bitonic_shared<<<6, 512, 512 * sizeof(unsigned)>>>(data);
    CK_LAUNCH();
    for (int b = 0; b < 6; ++b) std::sort(keys.begin() + b * 512, keys.begin() + (b + 1) * 512);
    expect_same("bitonic_shared", data.get(), keys);
  }
  {
    const unsigned n = 1 << 13;
    std::vector<unsigned> keys = random_keys(n);
    Buffer<unsigned> data(keys);
    for (unsigned k = 2; k <= n; k *= 2)
      for (unsigned j = k / 2; j > 0; j /= 2) bitonic_step<<<n / 256, 256>>>(data, j, k);
    CK_LAUNCH();
    std::sort(keys.begin(), keys.end());
    expect_same("bitonic_step", data.get(), keys);
  }
  {
    const int n = 20011, blocks = (n + kBlock - 1) / kBlock;
    std::vector<unsigned> keys = random_keys(n);
    Buffer<unsigned> a(keys), b(n), counts(kRadix * blocks);
    unsigned *from = a, *to = b;
    for (int shift = 0; shift < 32; shift += 4) {
      radix_count<<<blocks, kBlock>>>(from, counts, shift, n);
      exclusive_scan<<<1, 1024>>>(counts, kRadix * blocks);
      radix_scatter<<<blocks, kBlock>>>(to, from, counts, shift, n);
      std::swap(from, to);
    }
    CK_LAUNCH();
    std::sort(keys.begin(), keys.end());
    expect_same("radix", a.get(), keys);
  }
  {
    const int n = 301;
    std::vector<int> v(n);
    for (int i = 0; i < n; ++i) v[i] = i * 7919 % 1009;
    Buffer<int> data(v), rounds(1);
    odd_even<<<1, 160>>>(data, n, rounds);
    CK_LAUNCH();
    std::sort(v.begin(), v.end());
    expect_same("odd_even", data.get(), v);
    EXPECT(rounds.get()[0] > 1 && rounds.get()[0] <= n);
  }
  {
    std::vector<int> a(777), b(1001), want;
    for (int i = 0; i < 777; ++i) a[i] = i * 3 % 400 + i;
    for (int i = 0; i < 1001; ++i) b[i] = i * 2 + i % 5;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    want = a;
    want.insert(want.end(), b.begin(), b.end());
    std::sort(want.begin(), want.end());
    Buffer<int> da(a), db(b), out(1778);
    merge<<<14, 128>>>(out, da, 777, db, 1001);
    CK_LAUNCH();
    expect_same("merge", out.get(), want);
  }
  return finish();
}
