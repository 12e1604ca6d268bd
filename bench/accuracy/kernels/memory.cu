// Kernels bound by memory: widths, strides, gathers, scatters, transposes, chains of loads.
#include "cases.h"

template <class T>
__global__ void copy(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
template <class T, int kEach>
__global__ void copy_several(const T* in, T* out, int n) {
  const int base = blockIdx.x * blockDim.x * kEach + threadIdx.x;
  T v[kEach];
#pragma unroll
  for (int e = 0; e < kEach; ++e)
    if (base + e * blockDim.x < n) v[e] = in[base + e * blockDim.x];
#pragma unroll
  for (int e = 0; e < kEach; ++e)
    if (base + e * blockDim.x < n) out[base + e * blockDim.x] = v[e];
}
__global__ void fill(float4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = float4{1, 2, 3, 4};
}
__global__ void read_only(const float4* in, float* out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 v = in[i];
    sum += v.x * v.y + v.z * v.w;
  }
  if (sum == 12345.0f) out[0] = sum;
}
__global__ void triad(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + 3.0f * b[i];
}
__global__ void strided_read(const float* in, float* out, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[(i * stride) & (n - 1)];
}
__global__ void strided_write(const float* in, float* out, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[(i * stride) & (n - 1)] = in[i];
}
__global__ void gather(const float* in, const int* index, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[index[i]];
}
__global__ void scatter(const float* in, const int* index, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[index[i]] = in[i];
}
__global__ void broadcast(const float* in, float* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) sum += in[r * 8];
  out[i] = sum;
}
__global__ void follow(const int* next, int* out, int steps) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  for (int s = 0; s < steps; ++s) p = next[p];
  out[blockIdx.x * blockDim.x + threadIdx.x] = p;
}
struct Particle {
  float x, y, z, vx, vy, vz, mass, age;
};
__global__ void structures(Particle* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  p[i].x += 0.1f * p[i].vx;
  p[i].y += 0.1f * p[i].vy;
  p[i].z += 0.1f * p[i].vz;
}
__global__ void arrays(float* x, float* y, float* z, const float* vx, const float* vy, const float* vz, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] += 0.1f * vx[i];
  y[i] += 0.1f * vy[i];
  z[i] += 0.1f * vz[i];
}
__global__ void bytes_to_gray(const uchar4* in, uint8_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uchar4 v = in[i];
  out[i] = uint8_t((v.x * 77 + v.y * 150 + v.z * 29) >> 8);
}

template <int kPad, int kRows>
__global__ void transpose_tile(const float* in, float* out, int n) {
  __shared__ float tile[32][32 + kPad];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += kRows) tile[threadIdx.y + r][threadIdx.x] = in[(y + r) * n + x];
  __syncthreads();
  const int tx = blockIdx.y * 32 + threadIdx.x, ty = blockIdx.x * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += kRows) out[(ty + r) * n + tx] = tile[threadIdx.x][threadIdx.y + r];
}
__global__ void transpose_plain(const float* in, float* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}

__global__ void shared_traffic(float* out, int rounds, int stride) {
  __shared__ float s[2048];
  const int t = threadIdx.x;
  for (int i = t; i < 2048; i += blockDim.x) s[i] = i;
  __syncthreads();
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
    sum += s[(t * stride + r * 32) & 2047];
    s[(t * stride + r) & 2047] = sum;
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}
__global__ void spilled(const int* in, int* out, int n) {
  int local[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 32; ++k) local[k] = in[(i + k * 977) & (n - 1)];
  int sum = 0, p = i & 31;
  for (int k = 0; k < 64; ++k) {
    sum += local[p];
    p = (p * 5 + local[(p + k) & 31]) & 31;
    local[p] = sum;
  }
  out[i] = sum;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const int most = 1 << 23;  // words: 32 MB
  float* a = on_device<float>(most, fraction);
  float* b = on_device<float>(most, fraction);
  float* c = zeros<float>(most);
  int* near = on_device<int>(1 << 20, [](uint32_t i) { return int(i / 32 * 32 + hashed(i) % 32); });
  int* blocks = on_device<int>(1 << 20, [](uint32_t i) { return int(i / 4096 * 4096 + hashed(i) % 4096); });
  int* far = on_device<int>(1 << 20, [](uint32_t i) { return int(hashed(i) % (1u << 23)); });
  int* ring = on_device<int>(1 << 20, [](uint32_t i) { return int((uint64_t(i) * 1664525 + 1013904223) & 0xfffff); });
  run("copy_f32_small", [&] { copy<float><<<256, 256>>>(a, c, 1 << 16); });
  run("copy_f32", [&] { copy<float><<<16384, 256>>>(a, c, 1 << 22); });
  run("copy_f32_1024_threads", [&] { copy<float><<<4096, 1024>>>(a, c, 1 << 22); });
  run("copy_f64", [&] { copy<double><<<8192, 256>>>(reinterpret_cast<double*>(a), reinterpret_cast<double*>(c), 1 << 21); });
  run("copy_float4", [&] { copy<float4><<<4096, 256>>>(reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(c), 1 << 20); });
  run("copy_bytes", [&] { copy<uint8_t><<<16384, 256>>>(reinterpret_cast<uint8_t*>(a), reinterpret_cast<uint8_t*>(c), 1 << 22); });
  run("copy_4_each", [&] { copy_several<float, 4><<<4096, 256>>>(a, c, 1 << 22); });
  run("copy_float4_4_each", [&] { copy_several<float4, 4><<<2048, 256>>>(reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(c), 1 << 21); });
  run("fill", [&] { fill<<<8192, 256>>>(reinterpret_cast<float4*>(c), 1 << 21); });
  run("read_only", [&] { read_only<<<528, 256>>>(reinterpret_cast<float4*>(a), c, 1 << 21); });
  run("read_only_few_warps", [&] { read_only<<<132, 64>>>(reinterpret_cast<float4*>(a), c, 1 << 19); });
  run("triad", [&] { triad<<<16384, 256>>>(a, b, c, 1 << 22); });
  run("triad_l2", [&] { triad<<<1024, 256>>>(a, b, c, 1 << 18); });
  for (int stride : {2, 4, 16, 33}) run(sized("strided_read", stride), [&] { strided_read<<<4096, 256>>>(a, c, most, stride); });
  for (int stride : {2, 8, 32}) run(sized("strided_write", stride), [&] { strided_write<<<4096, 256>>>(a, c, most, stride); });
  run("gather_near", [&] { gather<<<4096, 256>>>(a, near, c, 1 << 20); });
  run("gather_blocks", [&] { gather<<<4096, 256>>>(a, blocks, c, 1 << 20); });
  run("gather_far", [&] { gather<<<4096, 256>>>(a, far, c, 1 << 20); });
  run("scatter_near", [&] { scatter<<<4096, 256>>>(a, near, c, 1 << 20); });
  run("scatter_far", [&] { scatter<<<4096, 256>>>(a, far, c, 1 << 20); });
  run("broadcast", [&] { broadcast<<<1056, 256>>>(a, c, 256); });
  run("follow_one_warp", [&] { follow<<<1, 32>>>(ring, near, 100); });
  run("follow_132_warps", [&] { follow<<<132, 32>>>(ring, near, 100); });
  run("follow_many", [&] { follow<<<528, 256>>>(ring, near, 32); });
  run("structures", [&] { structures<<<2048, 256>>>(reinterpret_cast<Particle*>(a), 1 << 19); });
  run("arrays", [&] { arrays<<<2048, 256>>>(c, c + (1 << 19), c + (2 << 19), a, a + (1 << 19), a + (2 << 19), 1 << 19); });
  run("bytes_to_gray", [&] { bytes_to_gray<<<8192, 256>>>(reinterpret_cast<uchar4*>(a), reinterpret_cast<uint8_t*>(c), 1 << 21); });
  for (int n : {512, 1024, 2048}) {
    const dim3 grid(n / 32, n / 32);
    run(sized("transpose_plain", n), [&] { transpose_plain<<<grid, dim3(32, 32)>>>(a, c, n); });
    run(sized("transpose_tile", n), [&] { transpose_tile<0, 8><<<grid, dim3(32, 8)>>>(a, c, n); });
    run(sized("transpose_padded", n), [&] { transpose_tile<1, 8><<<grid, dim3(32, 8)>>>(a, c, n); });
  }
  run("transpose_plain_2048_16x16", [&] { transpose_plain<<<dim3(128, 128), dim3(16, 16)>>>(a, c, 2048); });
  run("transpose_padded_2048_32x32", [&] { transpose_tile<1, 32><<<dim3(64, 64), dim3(32, 32)>>>(a, c, 2048); });
  for (int stride : {1, 4, 32}) run(sized("shared_traffic", stride), [&] { shared_traffic<<<264, 256>>>(c, 256, stride); });
  run("spilled", [&] { spilled<<<512, 128>>>(near, reinterpret_cast<int*>(c), 1 << 20); });
  return 0;
}
