// Reductions, scans, histograms, sorting: threads that work together.
#include "cases.h"

__global__ void sum_atomic(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}
__global__ void sum_shared(const int* in, int* out, int n) {
  extern __shared__ int part[];
  const int t = threadIdx.x;
  int own = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) own += in[i];
  part[t] = own;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, part[0]);
}
__global__ void sum_warps(const float4* in, float* out, int n) {
  float own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 v = in[i];
    own += v.x + v.y + v.z + v.w;
  }
  for (int s = 16; s > 0; s >>= 1) own += __shfl_xor_sync(0xffffffffu, own, s);
  if (threadIdx.x % 32 == 0) atomicAdd(out, own);
}
__global__ void max_per_row(const float* in, float* out, int columns) {
  __shared__ float part[8];
  const float* row = in + size_t(blockIdx.x) * columns;
  float most = -1e30f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) most = fmaxf(most, row[i]);
  for (int s = 16; s > 0; s >>= 1) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, s));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) most = fmaxf(most, part[w]);
    out[blockIdx.x] = most;
  }
}
__global__ void softmax_row(const float* in, float* out, int columns) {
  __shared__ float part[32];
  const float* row = in + size_t(blockIdx.x) * columns;
  float* to = out + size_t(blockIdx.x) * columns;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  float most = -1e30f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) most = fmaxf(most, row[i]);
  for (int s = 16; s > 0; s >>= 1) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, s));
  if (lane == 0) part[warp] = most;
  __syncthreads();
  most = part[0];
  for (int w = 1; w < warps; ++w) most = fmaxf(most, part[w]);
  __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(row[i] - most);
  for (int s = 16; s > 0; s >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, s);
  if (lane == 0) part[warp] = sum;
  __syncthreads();
  sum = 0;
  for (int w = 0; w < warps; ++w) sum += part[w];
  for (int i = threadIdx.x; i < columns; i += blockDim.x) to[i] = expf(row[i] - most) / sum;
}

// Inclusive, by doubling distances.
__global__ void scan_doubling(const int* in, int* out) {
  __shared__ int v[2][512];
  const int t = threadIdx.x;
  int from = 0;
  v[0][t] = in[blockIdx.x * 512 + t];
  __syncthreads();
  for (int d = 1; d < 512; d *= 2) {
    v[1 - from][t] = t >= d ? v[from][t] + v[from][t - d] : v[from][t];
    from = 1 - from;
    __syncthreads();
  }
  out[blockIdx.x * 512 + t] = v[from][t];
}
// Exclusive, up and down a tree.
__global__ void scan_tree(const int* in, int* out) {
  __shared__ int v[1024];
  const int t = threadIdx.x;
  v[2 * t] = in[blockIdx.x * 1024 + 2 * t];
  v[2 * t + 1] = in[blockIdx.x * 1024 + 2 * t + 1];
  int offset = 1;
  for (int d = 512; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) v[offset * (2 * t + 2) - 1] += v[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) v[1023] = 0;
  for (int d = 1; d < 1024; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      const int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1, x = v[left];
      v[left] = v[right];
      v[right] += x;
    }
  }
  __syncthreads();
  out[blockIdx.x * 1024 + 2 * t] = v[2 * t];
  out[blockIdx.x * 1024 + 2 * t + 1] = v[2 * t + 1];
}
__global__ void scan_warp(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int v = in[i];
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += other;
  }
  out[i] = v;
}

__global__ void histogram_global(const uint32_t* in, uint32_t* bins, int n, uint32_t mask) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i] & mask], 1u);
}
__global__ void histogram_shared(const uint32_t* in, uint32_t* bins, int n) {
  __shared__ uint32_t own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[in[i] & 255], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
__global__ void histogram_warps(const uint32_t* in, uint32_t* bins, int n) {
  __shared__ uint32_t own[8][256];
  for (int i = threadIdx.x; i < 8 * 256; i += 256) own[i / 256][i % 256] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&own[threadIdx.x / 32][in[i] & 255], 1u);
  __syncthreads();
  uint32_t sum = 0;
  for (int w = 0; w < 8; ++w) sum += own[w][threadIdx.x];
  atomicAdd(&bins[threadIdx.x], sum);
}

__global__ void atomics_spread(uint32_t* out, int rounds) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r) atomicAdd(&out[(i + r * 4096) & 0xfffff], 1u);
}
__global__ void atomics_cas(uint32_t* out, int rounds) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    uint32_t old = out[i & 4095], assumed;
    do {
      assumed = old;
      old = atomicCAS(&out[i & 4095], assumed, assumed + 3);
    } while (old != assumed);
  }
}
__global__ void take_tickets(uint32_t* counter, uint32_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = atomicAdd(counter, 1u + (i & 1));
}

__global__ void bitonic_global(uint32_t* v, int j, int k) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
  if (other <= i) return;
  const bool up = (i & k) == 0;
  const uint32_t a = v[i], b = v[other];
  if ((a > b) == up) v[i] = b, v[other] = a;
}
__global__ void bitonic_shared(uint32_t* v) {
  __shared__ uint32_t s[1024];
  const int t = threadIdx.x;
  s[t] = v[blockIdx.x * 1024 + t];
  s[t + 512] = v[blockIdx.x * 1024 + t + 512];
  for (int k = 2; k <= 1024; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      const int i = 2 * t - (t & (j - 1));
      const bool up = (i & k) == 0;
      const uint32_t a = s[i], b = s[i + j];
      if ((a > b) == up) s[i] = b, s[i + j] = a;
    }
  __syncthreads();
  v[blockIdx.x * 1024 + t] = s[t];
  v[blockIdx.x * 1024 + t + 512] = s[t + 512];
}
__global__ void merge_ranks(const uint32_t* a, const uint32_t* b, uint32_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t x = a[i];
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (b[middle] < x)
      low = middle + 1;
    else
      high = middle;
  }
  out[i + low] = x;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const int most = 1 << 22;
  int* in = on_device<int>(most, [](uint32_t i) { return int(hashed(i) % 7); });
  uint32_t* random = on_device<uint32_t>(most, hashed);
  uint32_t* skewed = on_device<uint32_t>(most, [](uint32_t i) { return hashed(i) % 100 < 70 ? 5u : hashed(i); });
  std::vector<uint32_t> ascending(1 << 18);
  for (size_t i = 0; i < ascending.size(); ++i) ascending[i] = uint32_t(i * 16 + hashed(uint32_t(i)) % 16);
  uint32_t* sorted = on_device(ascending);
  float* reals = on_device<float>(most, fraction);
  int* out = zeros<int>(most);
  uint32_t* bins = zeros<uint32_t>(1 << 20);
  for (int n : {1 << 18, 1 << 20}) run(sized("sum_atomic", n), [&] { sum_atomic<<<n / 256, 256>>>(in, out, n); });
  for (int blocks : {132, 528, 1056}) run(sized("sum_shared", most, blocks), [&] { sum_shared<<<blocks, 256, 1024>>>(in, out, most); });
  run("sum_shared_512_threads", [&] { sum_shared<<<264, 512, 2048>>>(in, out, most); });
  run("sum_warps", [&] { sum_warps<<<528, 256>>>(reinterpret_cast<float4*>(reals), reals, most / 4); });
  run("max_per_row_4096x512", [&] { max_per_row<<<4096, 256>>>(reals, reinterpret_cast<float*>(out), 512); });
  run("softmax_2048x1024", [&] { softmax_row<<<2048, 256>>>(reals, reinterpret_cast<float*>(out), 1024); });
  run("softmax_128x16384", [&] { softmax_row<<<128, 1024>>>(reals, reinterpret_cast<float*>(out), 16384); });
  run("scan_doubling", [&] { scan_doubling<<<2048, 512>>>(in, out); });
  run("scan_tree", [&] { scan_tree<<<1024, 512>>>(in, out); });
  run("scan_warp", [&] { scan_warp<<<4096, 256>>>(in, out); });
  run("histogram_global_256", [&] { histogram_global<<<1056, 256>>>(random, bins, most / 2, 255); });
  run("histogram_global_1m", [&] { histogram_global<<<1056, 256>>>(random, bins, most / 2, (1 << 20) - 1); });
  run("histogram_global_skewed", [&] { histogram_global<<<1056, 256>>>(skewed, bins, most / 8, 255); });
  run("histogram_shared", [&] { histogram_shared<<<528, 256>>>(random, bins, most / 2); });
  run("histogram_shared_skewed", [&] { histogram_shared<<<528, 256>>>(skewed, bins, most / 2); });
  run("histogram_warps", [&] { histogram_warps<<<528, 256>>>(random, bins, most / 2); });
  run("atomics_spread", [&] { atomics_spread<<<528, 256>>>(bins, 16); });
  run("atomics_cas", [&] { atomics_cas<<<64, 64>>>(bins, 4); });
  run("take_tickets", [&] { take_tickets<<<1024, 256>>>(bins, reinterpret_cast<uint32_t*>(out), 1 << 18); });
  run("bitonic_global_far", [&] { bitonic_global<<<8192, 256>>>(random, 1 << 15, 1 << 16); });
  run("bitonic_global_near", [&] { bitonic_global<<<8192, 256>>>(random, 1, 1 << 16); });
  run("bitonic_shared", [&] { bitonic_shared<<<1024, 512>>>(random); });
  run("merge_ranks", [&] { merge_ranks<<<1024, 256>>>(sorted, sorted, reinterpret_cast<uint32_t*>(out), 1 << 18); });
  return 0;
}
