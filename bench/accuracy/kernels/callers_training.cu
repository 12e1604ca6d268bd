// What stands around a network's layers: optimizers, clipping and averages of weights, quantized products and tables, masks and random numbers, choices, sums along rows, and moves of data.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cases.h"

// Adagrad on the rows of an embedding that a batch touched: one sum of squares a row.
__global__ void rowwise_adagrad(float* __restrict__ table, float* __restrict__ state, const long long* __restrict__ rows, const float* __restrict__ grad, int count, int dim, float lr) {
  const int lane = threadIdx.x, i = blockIdx.x * blockDim.y + threadIdx.y;
  if (i >= count) return;
  const long long row = rows[i];
  float sq = 0.f;
  for (int d = lane; d < dim; d += 32) {
    const float g = grad[i * dim + d];
    sq += g * g;
  }
  for (int o = 16; o > 0; o >>= 1) sq += __shfl_xor_sync(0xffffffffu, sq, o);
  float step = 0.f;
  if (lane == 0) {
    const float s = state[row] + sq / dim;
    state[row] = s;
    step = lr / (sqrtf(s) + 1e-8f);
  }
  step = __shfl_sync(0xffffffffu, step, 0);
  for (int d = lane; d < dim; d += 32) table[row * dim + d] -= step * grad[i * dim + d];
}

// RMSprop with momentum, centred, four at a time.
__global__ void rmsprop_centered4(float4* __restrict__ p, const float4* __restrict__ g, float4* __restrict__ sq, float4* __restrict__ mean, float4* __restrict__ buf, int n4, float lr, float alpha, float mom) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n4) return;
  float4 pv = p[i], gv = g[i], sv = sq[i], mv = mean[i], bv = buf[i];
#define STEP(f)                                            \
  sv.f = alpha * sv.f + (1.f - alpha) * gv.f * gv.f;       \
  mv.f = alpha * mv.f + (1.f - alpha) * gv.f;              \
  bv.f = mom * bv.f + gv.f / (sqrtf(fmaxf(sv.f - mv.f * mv.f, 0.f)) + 1e-6f); \
  pv.f -= lr * bv.f;
  STEP(x) STEP(y) STEP(z) STEP(w)
#undef STEP
  p[i] = pv, sq[i] = sv, mean[i] = mv, buf[i] = bv;
}

struct Chunk {
  const __half* data;
  int size;
};
// The sum of squares of many tensors, a chunk a block, and whether all is finite.
__global__ void chunked_norm_finite(const Chunk* chunks, float* norms, int* bad, float inv_scale) {
  __shared__ float part[32];
  Chunk chunk = chunks[blockIdx.x];
  float acc = 0;
  bool finite = true;
  int vec = chunk.size / 8;
  for (int i = threadIdx.x; i < vec; i += blockDim.x) {
    uint4 raw = ((const uint4*)chunk.data)[i];
    const __half2* h = (const __half2*)&raw;
    for (int j = 0; j < 4; j++) {
      float2 f = __half22float2(h[j]);
      f.x *= inv_scale;
      f.y *= inv_scale;
      finite = finite && isfinite(f.x) && isfinite(f.y);
      acc += f.x * f.x + f.y * f.y;
    }
  }
  for (int i = vec * 8 + threadIdx.x; i < chunk.size; i += blockDim.x) {
    float f = __half2float(chunk.data[i]) * inv_scale;
    finite = finite && isfinite(f);
    acc += f * f;
  }
  for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffff, acc, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = acc;
  if (__syncthreads_or(!finite) && threadIdx.x == 0) *bad = 1;
  if (threadIdx.x == 0) {
    float s = 0;
    for (int w = 0; w < blockDim.x / 32; w++) s += part[w];
    norms[blockIdx.x] = s;
  }
}

// Adam whose moments are bytes of a table with a scale for 2048 values: the search of the nearest byte is binary.
template <int THREADS, int PER>
__global__ void adam_bytes(float* __restrict__ p, const float* __restrict__ g, unsigned char* __restrict__ m8, unsigned char* __restrict__ v8, float* __restrict__ m_scale, float* __restrict__ v_scale, const float* __restrict__ signed_map, const float* __restrict__ plain_map, int n, float lr) {
  __shared__ float map_m[256], map_v[256], top[2][THREADS / 32];
  for (int i = threadIdx.x; i < 256; i += THREADS) {
    map_m[i] = signed_map[i];
    map_v[i] = plain_map[i];
  }
  __syncthreads();
  const float ms = m_scale[blockIdx.x], vs = v_scale[blockIdx.x];
  float m[PER], v[PER], am = 0.f, av = 0.f;
#pragma unroll
  for (int k = 0; k < PER; ++k) {
    const int i = (blockIdx.x * PER + k) * THREADS + threadIdx.x;
    m[k] = v[k] = 0.f;
    if (i < n) {
      const float grad = g[i];
      m[k] = 0.9f * map_m[m8[i]] * ms + 0.1f * grad;
      v[k] = 0.999f * map_v[v8[i]] * vs + 0.001f * grad * grad;
      p[i] -= lr * m[k] / (sqrtf(v[k]) + 1e-8f);
    }
    am = fmaxf(am, fabsf(m[k]));
    av = fmaxf(av, v[k]);
  }
  for (int o = 16; o > 0; o >>= 1) {
    am = fmaxf(am, __shfl_xor_sync(~0u, am, o));
    av = fmaxf(av, __shfl_xor_sync(~0u, av, o));
  }
  if (threadIdx.x % 32 == 0) {
    top[0][threadIdx.x / 32] = am;
    top[1][threadIdx.x / 32] = av;
  }
  __syncthreads();
  for (int w = 0; w < THREADS / 32; ++w) {
    am = fmaxf(am, top[0][w]);
    av = fmaxf(av, top[1][w]);
  }
  auto nearest = [](const float* map, float x) {
    int at = 0;
#pragma unroll
    for (int step = 128; step > 0; step >>= 1)
      if (map[at + step] <= x) at += step;
    return at < 255 && map[at + 1] - x < x - map[at] ? at + 1 : at;
  };
  const float im = am > 0.f ? 1.f / am : 0.f, iv = av > 0.f ? 1.f / av : 0.f;
#pragma unroll
  for (int k = 0; k < PER; ++k) {
    const int i = (blockIdx.x * PER + k) * THREADS + threadIdx.x;
    if (i >= n) break;
    m8[i] = (unsigned char)nearest(map_m, m[k] * im);
    v8[i] = (unsigned char)nearest(map_v, v[k] * iv);
  }
  if (threadIdx.x == 0) {
    m_scale[blockIdx.x] = am;
    v_scale[blockIdx.x] = av;
  }
}

// A running average of weights in half precision.
__global__ void ema_of_weights(__half* avg, const float* w, int n, float decay) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) avg[i] = __float2half(decay * __half2float(avg[i]) + (1.0f - decay) * w[i]);
}

__device__ __forceinline__ unsigned pcg(unsigned v) {
  const unsigned state = v * 747796405u + 2891336453u, word = ((state >> ((state >> 28) + 4u)) ^ state) * 277803737u;
  return (word >> 22) ^ word;
}
// Weights rounded to bf16 up or down by chance.
__global__ void round_stochastic_bf16(const float2* __restrict__ x, unsigned* __restrict__ y, int n, unsigned seed) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float2 v = x[i];
    const unsigned r = pcg(i ^ seed);
    const unsigned lo = (__float_as_uint(v.x) + (r & 0xffffu)) >> 16, hi = (__float_as_uint(v.y) + (r >> 16)) & 0xffff0000u;
    y[i] = lo | hi;
  }
}

// Dropout that keeps its mask as bits: a word a warp.
__global__ void dropout_bits(const float* __restrict__ x, float* __restrict__ y, unsigned* __restrict__ bits, int n, float p, unsigned seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool inside = i < n;
  const bool keep = inside && (pcg(pcg(i) + seed) >> 8) * (1.f / 16777216.f) >= p;
  const unsigned word = __ballot_sync(0xffffffffu, keep);
  if (threadIdx.x % 32 == 0 && inside) bits[i / 32] = word;
  if (inside) y[i] = keep ? x[i] / (1.f - p) : 0.f;
}

// Products of a few rows with 4-bit weights, groups of 64 with scale and zero: a warp an output, activations in shared memory.
template <int M>
__global__ void w4a16_rows(const uint4* __restrict__ weights, const __half2* __restrict__ scale_zero, const __half* __restrict__ x, __half* __restrict__ y, int N, int K) {
  extern __shared__ __half2 xs[];
  for (int i = threadIdx.x; i < M * K / 2; i += blockDim.x) xs[i] = ((const __half2*)x)[i];
  __syncthreads();
  const int lane = threadIdx.x % 32, out = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (out >= N) return;
  float acc[M] = {};
  for (int c = lane; c < K / 32; c += 32) {
    const uint4 raw = weights[(size_t)out * (K / 32) + c];
    const float2 sz = __half22float2(scale_zero[(size_t)out * (K / 64) + c / 2]);
    const unsigned words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
    for (int w = 0; w < 4; ++w)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const float lo = ((words[w] >> (8 * j) & 15) - sz.y) * sz.x, hi = ((words[w] >> (8 * j + 4) & 15) - sz.y) * sz.x;
#pragma unroll
        for (int m = 0; m < M; ++m) {
          const float2 f = __half22float2(xs[m * K / 2 + c * 16 + w * 4 + j]);
          acc[m] += lo * f.x + hi * f.y;
        }
      }
  }
#pragma unroll
  for (int m = 0; m < M; ++m) {
    for (int o = 16; o > 0; o >>= 1) acc[m] += __shfl_down_sync(0xffffffffu, acc[m], o);
    if (lane == 0) y[m * N + out] = __float2half(acc[m]);
  }
}

// Normal floats of four bits back to halves: blocks of 64 with one scale.
__global__ void dequantize_nf4(const uint2* __restrict__ packed, const float* __restrict__ absmax, uint4* __restrict__ out, int n8) {
  __shared__ float code[16];
  const float table[16] = {-1.f, -0.6961928f, -0.5250731f, -0.3949175f, -0.2844414f, -0.1847734f, -0.0910500f, 0.f, 0.0795803f, 0.1609302f, 0.2461123f, 0.3379152f, 0.4407098f, 0.5626170f, 0.7229568f, 1.f};
  if (threadIdx.x < 16) code[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n8) return;
  const uint2 p = packed[i];
  const float s = absmax[i / 4];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const unsigned w = half ? p.y : p.x;
    uint4 raw;
    __half2* h = reinterpret_cast<__half2*>(&raw);
#pragma unroll
    for (int j = 0; j < 4; ++j) h[j] = __floats2half2_rn(code[w >> (8 * j + 4) & 15] * s, code[w >> (8 * j) & 15] * s);
    out[2 * i + half] = raw;
  }
}

// Products of bytes, scales of rows and columns, in tiles of 32: plain integer arithmetic.
__global__ void w8a8_linear(const signed char* A, const signed char* B, const float* row_scale, const float* col_scale, float* C, int M, int N, int K) {
  __shared__ signed char as[32][36], bs[32][36];
  int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  int acc = 0;
  for (int k0 = 0; k0 < K; k0 += 32) {
    as[threadIdx.y][threadIdx.x] = row < M && k0 + threadIdx.x < K ? A[row * K + k0 + threadIdx.x] : 0;
    int bcol = blockIdx.x * 32 + threadIdx.y;
    bs[threadIdx.y][threadIdx.x] = bcol < N && k0 + threadIdx.x < K ? B[bcol * K + k0 + threadIdx.x] : 0;
    __syncthreads();
    for (int k = 0; k < 32; ++k) acc += as[threadIdx.y][k] * bs[threadIdx.x][k];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc * row_scale[row] * col_scale[col];
}

// Running sums of rows of any length, in order: a block a row.
template <int THREADS>
__global__ void cumsum_rows(const float* __restrict__ x, float* __restrict__ y, int cols) {
  __shared__ float warp_sum[THREADS / 32];
  __shared__ float carry;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (threadIdx.x == 0) carry = 0.f;
  for (int c0 = 0; c0 < cols; c0 += THREADS) {
    const int c = c0 + threadIdx.x;
    float v = c < cols ? x[(size_t)blockIdx.x * cols + c] : 0.f;
    for (int o = 1; o < 32; o <<= 1) {
      const float u = __shfl_up_sync(0xffffffffu, v, o);
      if (lane >= o) v += u;
    }
    if (lane == 31) warp_sum[warp] = v;
    __syncthreads();
    float base = carry;
    for (int w = 0; w < warp; ++w) base += warp_sum[w];
    if (c < cols) y[(size_t)blockIdx.x * cols + c] = v + base;
    __syncthreads();
    if (threadIdx.x == THREADS - 1) carry = v + base;
    __syncthreads();
  }
}

// The k-th largest of a row by its digits, eight bits at a time, then all that are above it.
__global__ __launch_bounds__(256) void topk_radix_select(const float* __restrict__ x, float* __restrict__ values, int* __restrict__ indices, int cols, int k) {
  __shared__ int hist[256], above, at, ties;
  const float* row = x + (size_t)blockIdx.x * cols;
  unsigned prefix = 0, mask = 0;
  int left = k;
  for (int shift = 24; shift >= 0; shift -= 8) {
    hist[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < cols; i += 256) {
      const unsigned u = __float_as_uint(row[i]), key = u & 0x80000000u ? ~u : u | 0x80000000u;
      if ((key & mask) == prefix) atomicAdd(&hist[key >> shift & 255], 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      int d = 255, sum = 0;
      while (sum + hist[d] < left) sum += hist[d--];
      at = d, above = sum;
    }
    __syncthreads();
    prefix |= (unsigned)at << shift, mask |= 255u << shift;
    left -= above;
    __syncthreads();
  }
  if (threadIdx.x == 0) at = 0, ties = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < cols; i += 256) {
    const unsigned u = __float_as_uint(row[i]), key = u & 0x80000000u ? ~u : u | 0x80000000u;
    if (key > prefix || (key == prefix && atomicAdd(&ties, 1) < left)) {
      const int to = atomicAdd(&at, 1);
      values[blockIdx.x * k + to] = row[i], indices[blockIdx.x * k + to] = i;
    }
  }
}

// A sample of each row of logits: Gumbel noise from a hash, then the largest.
__global__ void gumbel_argmax(const float* logits, int* tokens, int V, float temperature, unsigned seed) {
  __shared__ unsigned long long best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  const float* row = logits + (size_t)blockIdx.x * V;
  float top = -1e30f;
  int arg = 0;
  for (int i = threadIdx.x; i < V; i += blockDim.x) {
    float u = ((pcg(seed + blockIdx.x * V + i) >> 9) + 0.5f) / 8388608.0f;
    float v = row[i] / temperature - logf(-logf(u));
    if (v > top) top = v, arg = i;
  }
  unsigned u = __float_as_uint(top);
  u = u >> 31 ? ~u : u | 0x80000000u;
  atomicMax(&best, (unsigned long long)u << 32 | (unsigned)arg);
  __syncthreads();
  if (threadIdx.x == 0) tokens[blockIdx.x] = (int)(best & 0xffffffffu);
}

// Channels first to channels last in halves, through a padded tile.
__global__ void nchw_to_nhwc_half(const __half* __restrict__ in, __half* __restrict__ out, int C, int HW) {
  __shared__ __half tile[32][34];
  const __half* src = in + (size_t)blockIdx.z * C * HW;
  __half* dst = out + (size_t)blockIdx.z * C * HW;
  int p = blockIdx.x * 32 + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += 8) {
    const int c = blockIdx.y * 32 + j;
    if (c < C && p < HW) tile[j][threadIdx.x] = src[c * HW + p];
  }
  __syncthreads();
  const int c = blockIdx.y * 32 + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += 8) {
    p = blockIdx.x * 32 + j;
    if (c < C && p < HW) dst[p * C + c] = tile[threadIdx.x][j];
  }
}

// Messages of a graph's edges added to their targets, two halves an atomic.
__global__ void scatter_add_half2(const __half2* __restrict__ src, const long long* __restrict__ index, __half2* __restrict__ out, int edges, int width2) {
  const long long total = (long long)edges * width2;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < total; i += (long long)gridDim.x * blockDim.x) {
    const long long e = i / width2;
    atomicAdd(out + index[e] * width2 + i % width2, src[i]);
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  float* a = on_device<float>(1 << 22, fraction);
  const float* b = on_device<float>(1 << 22, [](uint32_t i) { return fraction(i * 3 + 11) - 0.5f; });
  float* c = zeros<float>(1 << 23);
  float* d = on_device<float>(1 << 22, [](uint32_t i) { return 0.01f + fraction(i + 1234567); });
  const __half* h = on_device<__half>(1 << 22, [](uint32_t i) { return __float2half(fraction(i + 5) * 2 - 1); });
  __half* ho = zeros<__half>(1 << 22);

  const long long* rows = on_device<long long>(6000, [](uint32_t i) { return (long long)(i * 4099 % 60000); });
  run("rowwise_adagrad", [&] { rowwise_adagrad<<<750, dim3(32, 8)>>>(a, c, rows, b, 6000, 64, 0.05f); });
  run("rmsprop_centered4", [&] { rmsprop_centered4<<<(150001 + 255) / 256, 256>>>((float4*)a, (const float4*)b, (float4*)d, (float4*)c, (float4*)c + 200000, 150001, 1e-3f, 0.99f, 0.9f); });
  std::vector<Chunk> chunks;
  for (int i = 0; i < 60; ++i) chunks.push_back({h + i * 65536, i % 7 == 3 ? 1000 + i : 65536 - i % 5});
  const Chunk* chunks_d = on_device(chunks);
  int* flags = zeros<int>(1 << 20);
  float* norms = zeros<float>(64);
  run("chunked_norm_finite", [&] { chunked_norm_finite<<<60, 512>>>(chunks_d, norms, flags, 1.f / 128); });
  std::vector<float> signed_map(256), plain_map(256);
  for (int i = 0; i < 256; ++i) {
    const float s = (i - 127.5f) / 127.5f, p = i / 255.f;
    signed_map[i] = s * s * (s < 0 ? -1 : 1), plain_map[i] = p * p;
  }
  const float *signed_d = on_device(signed_map), *plain_d = on_device(plain_map);
  unsigned char *m8 = on_device<unsigned char>(1 << 20, [](uint32_t i) { return (unsigned char)hashed(i); }), *v8 = on_device<unsigned char>(1 << 20, [](uint32_t i) { return (unsigned char)hashed(i + 9); });
  float *m_scale = on_device<float>(1024, fraction), *v_scale = on_device<float>(1024, fraction);
  run("adam_bytes_256", [&] { adam_bytes<256, 8><<<390, 256>>>(a, b, m8, v8, m_scale, v_scale, signed_d, plain_d, 390 * 2048 - 77, 1e-4f); });
  run("adam_bytes_128", [&] { adam_bytes<128, 4><<<1000, 128>>>(a, b, m8, v8, m_scale, v_scale, signed_d, plain_d, 512000, 1e-4f); });
  run("ema_of_weights", [&] { ema_of_weights<<<264, 512>>>(ho, a, 3000001, 0.999f); });
  run("round_stochastic_bf16", [&] { round_stochastic_bf16<<<660, 256>>>((const float2*)b, (unsigned*)c, 1900000, 42); });
  run("dropout_bits", [&] { dropout_bits<<<(1500007 + 191) / 192, 192>>>(b, c, (unsigned*)flags, 1500007, 0.1f, 7); });
  run("w4a16_rows_1", [&] { w4a16_rows<1><<<512, 256, 4096 * 2>>>((const uint4*)d, (const __half2*)h, h, ho, 4096, 4096); });
  run("w4a16_rows_4", [&] { w4a16_rows<4><<<344, 128, 4 * 2048 * 2>>>((const uint4*)d, (const __half2*)h, h, ho, 1376, 2048); });
  run("dequantize_nf4", [&] { dequantize_nf4<<<(250000 + 255) / 256, 256>>>((const uint2*)d, b, (uint4*)ho, 250000); });
  run("w8a8_linear", [&] { w8a8_linear<<<dim3(12, 10), dim3(32, 32)>>>((const signed char*)m8, (const signed char*)v8, a, b, c, 300, 384, 500); });
  run("cumsum_rows_256", [&] { cumsum_rows<256><<<600, 256>>>(b, c, 3001); });
  run("cumsum_rows_1024", [&] { cumsum_rows<1024><<<20, 1024>>>(b, c, 50257); });
  run("topk_radix_select", [&] { topk_radix_select<<<264, 256>>>(b, c, flags, 8000, 50); });
  run("gumbel_argmax", [&] { gumbel_argmax<<<80, 256>>>(b, flags, 30522, 0.8f, 99); });
  run("nchw_to_nhwc_half_49", [&] { nchw_to_nhwc_half<<<dim3(2, 16, 64), dim3(32, 8)>>>(h, ho, 512, 49); });
  run("nchw_to_nhwc_half_3000", [&] { nchw_to_nhwc_half<<<dim3(94, 3, 12), dim3(32, 8)>>>(h, ho, 67, 3000); });
  const long long* targets = on_device<long long>(30000, [](uint32_t i) { return (long long)(4000 * fraction(i) * fraction(i + 17)); });
  run("scatter_add_half2", [&] { scatter_add_half2<<<1000, 256>>>((const __half2*)h, targets, (__half2*)ho, 30000, 48); });
  return 0;
}
