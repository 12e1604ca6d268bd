// Prefix sums: Hillis-Steele, Blelloch with padded banks, shuffles, and three kernels for any length.
#include "check.h"

constexpr int kBlock = 256;

__global__ void hillis_steele(int* out, const int* in, int n) {
  __shared__ int buffer[2][kBlock];
  int t = threadIdx.x, i = blockIdx.x * kBlock + t, from = 0;
  buffer[0][t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = 1; s < kBlock; s *= 2) {
    buffer[1 - from][t] = buffer[from][t] + (t >= s ? buffer[from][t - s] : 0);
    from = 1 - from;
    __syncthreads();
  }
  if (i < n) out[i] = buffer[from][t];
}

__device__ int padded(int i) { return i + i / 32; }
// Exclusive; each thread has two elements; the block's sum goes to `sums`.
__global__ void blelloch(int* out, int* sums, const int* in, int n) {
  __shared__ int s[2 * kBlock + 2 * kBlock / 32];
  int t = threadIdx.x, base = blockIdx.x * 2 * kBlock;
  s[padded(t)] = base + t < n ? in[base + t] : 0;
  s[padded(t + kBlock)] = base + t + kBlock < n ? in[base + t + kBlock] : 0;
  int offset = 1;
  for (int d = kBlock; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s[padded(offset * (2 * t + 2) - 1)] += s[padded(offset * (2 * t + 1) - 1)];
    offset *= 2;
  }
  if (t == 0) {
    if (sums) sums[blockIdx.x] = s[padded(2 * kBlock - 1)];
    s[padded(2 * kBlock - 1)] = 0;
  }
  for (int d = 1; d <= kBlock; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      int left = padded(offset * (2 * t + 1) - 1), right = padded(offset * (2 * t + 2) - 1);
      int v = s[left];
      s[left] = s[right];
      s[right] += v;
    }
  }
  __syncthreads();
  if (base + t < n) out[base + t] = s[padded(t)];
  if (base + t + kBlock < n) out[base + t + kBlock] = s[padded(t + kBlock)];
}
__global__ void add_base(int* out, const int* bases, int n) {
  int i = blockIdx.x * 2 * kBlock + threadIdx.x;
  int base = bases[blockIdx.x];
  if (i < n) out[i] += base;
  if (i + kBlock < n) out[i + kBlock] += base;
}
void scan(int* out, const int* in, int n) {
  const int blocks = (n + 2 * kBlock - 1) / (2 * kBlock);
  if (blocks == 1) {
    blelloch<<<1, kBlock>>>(out, nullptr, in, n);
    return;
  }
  Buffer<int> sums(blocks), bases(blocks);
  blelloch<<<blocks, kBlock>>>(out, sums, in, n);
  scan(bases, sums, blocks);
  add_base<<<blocks, kBlock>>>(out, bases, n);
  CK_LAUNCH();
}

__device__ int warp_scan(int v) {
  int lane = threadIdx.x % 32;
  for (int s = 1; s < 32; s *= 2) {
    int other = __shfl_up_sync(~0u, v, s);
    if (lane >= s) v += other;
  }
  return v;
}
__global__ void shuffle_scan(int* out, const int* in) {
  __shared__ int sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int v = warp_scan(in[i]);
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0) sums[lane] = warp_scan(lane < blockDim.x / 32 ? sums[lane] : 0);
  __syncthreads();
  out[i] = v + (warp ? sums[warp - 1] : 0);
}

int main() {
  const int n = 300000;
  std::vector<int> in(n), exclusive(n), by_256(n), by_512(n);
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    in[i] = i * 31 % 19 - 6;
    exclusive[i] = sum;
    sum += in[i];
    by_256[i] = (i % 256 ? by_256[i - 1] : 0) + in[i];
    by_512[i] = (i % 512 ? by_512[i - 1] : 0) + in[i];
  }
  Buffer<int> device_in(in), out(n);
  hillis_steele<<<(n + kBlock - 1) / kBlock, kBlock>>>(out, device_in, n);
  CK_LAUNCH();
  expect_same("hillis_steele", out.get(), by_256);
  for (int length : {1, 511, 513, n}) {
    Buffer<int> result(length);
    scan(result, device_in, length);
    CK_LAUNCH();
    expect_same("blelloch", result.get(), std::vector<int>(exclusive.begin(), exclusive.begin() + length));
  }
  const int whole = n / 512 * 512;
  shuffle_scan<<<whole / 512, 512>>>(out, device_in);
  CK_LAUNCH();
  std::vector<int> got = out.get();
  got.resize(whole);
  expect_same("shuffle_scan", got, std::vector<int>(by_512.begin(), by_512.begin() + whole));
  return finish();
}
