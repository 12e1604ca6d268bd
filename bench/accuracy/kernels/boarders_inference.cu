// Models that answer: attention of several kinds, quantized products, state spaces, tokens, search of vectors, points and boxes.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>

#include "cases.h"

namespace cg = cooperative_groups;
using bf16 = __nv_bfloat16;
using bf162 = __nv_bfloat162;

template <class T>
__device__ __forceinline__ T warp_add(T v) {
#pragma unroll
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  return v;
}
__device__ __forceinline__ float warp_most(float v) {
#pragma unroll
  for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
  return v;
}

// ---- attention ----

// A stream's attention: the first tokens and a window of the last, heads of 64, a warp a query head, running maxima.
__global__ __launch_bounds__(128) void sink_window_decode(const __half2* __restrict__ q, const __half2* __restrict__ k, const __half2* __restrict__ v, __half2* __restrict__ out, const int* __restrict__ lengths, int heads, int kv_heads, int max_len, int sinks, int window, float scale) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, head = blockIdx.x * 4 + warp, seq = blockIdx.y;
  if (head >= heads) return;
  const int len = lengths[seq], kv = head * kv_heads / heads;
  const float2 query = __half22float2(q[(seq * heads + head) * 32 + lane]);
  const size_t base = (size_t)(seq * kv_heads + kv) * max_len * 32;
  float m = -1e30f, s = 0.f;
  float2 acc = make_float2(0.f, 0.f);
  const int begin = max(sinks, len - window), total = min(sinks, len) + max(0, len - begin);
  for (int i = 0; i < total; ++i) {
    const int t = i < sinks ? i : begin + i - sinks;
    const float2 key = __half22float2(k[base + t * 32 + lane]);
    const float score = warp_add(query.x * key.x + query.y * key.y) * scale, next = fmaxf(m, score), fade = __expf(m - next), p = __expf(score - next);
    const float2 value = __half22float2(v[base + t * 32 + lane]);
    s = s * fade + p;
    acc.x = acc.x * fade + p * value.x, acc.y = acc.y * fade + p * value.y;
    m = next;
  }
  out[(seq * heads + head) * 32 + lane] = __floats2half2_rn(acc.x / s, acc.y / s);
}

// Attention with capped scores: 32 queries a block, keys and values of 32 tokens in shared memory, heads of 128 in bfloat16.
__global__ __launch_bounds__(256) void capped_attention_bf16(const bf16* __restrict__ q, const bf16* __restrict__ k, const bf16* __restrict__ v, bf16* __restrict__ out, int n, float scale, float cap) {
  __shared__ bf16 sk[32][136], sv[32][136];
  __shared__ float p[32][33];
  const int t = threadIdx.x, row = t / 8, part = t % 8, head = blockIdx.y, q0 = blockIdx.x * 32;
  const bf16* qr = q + ((size_t)head * n + q0 + row) * 128;
  float acc[16] = {}, m = -1e30f, l = 0.f;
  for (int k0 = 0; k0 <= q0; k0 += 32) {
    for (int i = t; i < 512; i += 256) {
      *reinterpret_cast<uint4*>(&sk[i / 16][i % 16 * 8]) = *reinterpret_cast<const uint4*>(k + ((size_t)head * n + k0 + i / 16) * 128 + i % 16 * 8);
      *reinterpret_cast<uint4*>(&sv[i / 16][i % 16 * 8]) = *reinterpret_cast<const uint4*>(v + ((size_t)head * n + k0 + i / 16) * 128 + i % 16 * 8);
    }
    __syncthreads();
    float s[4] = {};
    for (int d = 0; d < 128; d += 2) {
      const float2 a = __bfloat1622float2(*reinterpret_cast<const bf162*>(qr + d));
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const float2 b = __bfloat1622float2(*reinterpret_cast<const bf162*>(&sk[part + 8 * c][d]));
        s[c] += a.x * b.x + a.y * b.y;
      }
    }
    float most = m;
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      s[c] = k0 + part + 8 * c <= q0 + row ? cap * tanhf(s[c] * scale / cap) : -1e30f;
      most = fmaxf(most, s[c]);
    }
    for (int o = 4; o; o >>= 1) most = fmaxf(most, __shfl_xor_sync(~0u, most, o));
    const float fade = __expf(m - most);
    float sum = 0.f;
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const float e = __expf(s[c] - most);
      p[row][part + 8 * c] = e;
      sum += e;
    }
    for (int o = 4; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
    l = l * fade + sum, m = most;
    __syncwarp();
#pragma unroll
    for (int d = 0; d < 16; ++d) acc[d] *= fade;
    for (int c = 0; c < 32; ++c) {
      const float w = p[row][c];
#pragma unroll
      for (int d = 0; d < 8; ++d) {
        const float2 x = __bfloat1622float2(*reinterpret_cast<const bf162*>(&sv[c][part * 2 + d * 16]));
        acc[2 * d] += w * x.x, acc[2 * d + 1] += w * x.y;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int d = 0; d < 8; ++d) *reinterpret_cast<bf162*>(out + ((size_t)head * n + q0 + row) * 128 + part * 2 + d * 16) = __floats2bfloat162_rn(acc[2 * d] / l, acc[2 * d + 1] / l);
}

// Two softmaxes subtracted: rows of scores in shared memory, a block a query.
__global__ __launch_bounds__(128) void differential_probabilities(const float* __restrict__ scores, __half* __restrict__ out, const float* __restrict__ lambda, int n, int rows) {
  extern __shared__ float s[];
  const int head = blockIdx.y, row = blockIdx.x, t = threadIdx.x;
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  __shared__ float part[2][4];
  const float *a = scores + ((size_t)(2 * head) * rows + row) * n, *b = scores + ((size_t)(2 * head + 1) * rows + row) * n;
  float ma = -1e30f, mb = -1e30f;
  for (int i = t; i <= row; i += 128) ma = fmaxf(ma, s[i] = a[i]), mb = fmaxf(mb, s[n + i] = b[i]);
  ma = cg::reduce(warp, ma, cg::greater<float>()), mb = cg::reduce(warp, mb, cg::greater<float>());
  if (warp.thread_rank() == 0) part[0][t / 32] = ma, part[1][t / 32] = mb;
  block.sync();
  ma = fmaxf(fmaxf(part[0][0], part[0][1]), fmaxf(part[0][2], part[0][3])), mb = fmaxf(fmaxf(part[1][0], part[1][1]), fmaxf(part[1][2], part[1][3]));
  block.sync();
  float sa = 0, sb = 0;
  for (int i = t; i <= row; i += 128) sa += s[i] = __expf(s[i] - ma), sb += s[n + i] = __expf(s[n + i] - mb);
  sa = cg::reduce(warp, sa, cg::plus<float>()), sb = cg::reduce(warp, sb, cg::plus<float>());
  if (warp.thread_rank() == 0) part[0][t / 32] = sa, part[1][t / 32] = sb;
  block.sync();
  sa = 1.f / (part[0][0] + part[0][1] + part[0][2] + part[0][3]), sb = lambda[head] / (part[1][0] + part[1][1] + part[1][2] + part[1][3]);
  for (int i = t; i < n; i += 128) out[((size_t)head * rows + row) * n + i] = __float2half(i <= row ? s[i] * sa - s[n + i] * sb : 0.f);
}

// Blocks of keys chosen by scores of their means: the sixteen best of a query group, selected one after the other by a warp.
__global__ void select_key_blocks(const float* __restrict__ scores, int* __restrict__ chosen, int queries, int blocks, int top) {
  const int q = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (q >= queries) return;
  float v[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) v[k] = k * 32 + lane < blocks ? scores[(size_t)q * blocks + k * 32 + lane] : -1e30f;
  for (int r = 0; r < top; ++r) {
    float most = -1e30f;
    int at = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k)
      if (v[k] > most) most = v[k], at = k;
    int id = at * 32 + lane;
    for (int o = 16; o; o >>= 1) {
      const float m = __shfl_xor_sync(~0u, most, o);
      const int i = __shfl_xor_sync(~0u, id, o);
      if (m > most || (m == most && i < id)) most = m, id = i;
    }
    if (lane == r % 32) chosen[q * top + r] = id;
    if ((id & 31) == lane) {
#pragma unroll
      for (int k = 0; k < 8; ++k)
        if (k == id / 32) v[k] = -1e30f;
    }
  }
}

// Keys and values in eight bits: scores of a cached head with scales of tokens, 16 bytes a lane, splits of the sequence.
__global__ __launch_bounds__(128) void fp8_cache_scores(const __half* __restrict__ q, const __nv_fp8x4_e4m3* __restrict__ cache, const float* __restrict__ token_scale, float* __restrict__ scores, int len, int heads) {
  const int head = blockIdx.y, lane8 = threadIdx.x & 7, token = (blockIdx.x * 128 + threadIdx.x) / 8;
  float query[16];
  const __half2* qp = reinterpret_cast<const __half2*>(q + head * 128 + lane8 * 16);
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const float2 x = __half22float2(qp[k]);
    query[2 * k] = x.x, query[2 * k + 1] = x.y;
  }
  if (token >= len) return;
  const uint4 raw = *reinterpret_cast<const uint4*>(cache + ((size_t)token * heads + head) * 32 + lane8 * 4);
  const unsigned words[4] = {raw.x, raw.y, raw.z, raw.w};
  float s = 0.f;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    __nv_fp8x4_e4m3 four;
    four.__x = words[k];
    const float4 x = float4(four);
    s += query[4 * k] * x.x + query[4 * k + 1] * x.y + query[4 * k + 2] * x.z + query[4 * k + 3] * x.w;
  }
  for (int o = 4; o; o >>= 1) s += __shfl_xor_sync(0xffu << (threadIdx.x & 24), s, o);
  if (lane8 == 0) scores[(size_t)head * len + token] = s * token_scale[token];
}

// Keys quantized to two bits by channel over groups of tokens, sixteen codes a word.
__global__ void quantize_keys_2bit(const __half* __restrict__ keys, uint32_t* __restrict__ codes, __half2* __restrict__ params, int channels, int groups) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, g = blockIdx.y;
  if (c >= channels || g >= groups) return;
  float v[32], lo = 1e30f, hi = -1e30f;
#pragma unroll
  for (int t = 0; t < 32; ++t) {
    v[t] = __half2float(keys[(size_t)(g * 32 + t) * channels + c]);
    lo = fminf(lo, v[t]), hi = fmaxf(hi, v[t]);
  }
  const float scale = (hi - lo) / 3.f, inv = scale > 0.f ? 1.f / scale : 0.f;
  uint32_t w[2] = {0, 0};
#pragma unroll
  for (int t = 0; t < 32; ++t) w[t / 16] |= (uint32_t)__float2int_rn((v[t] - lo) * inv) << t % 16 * 2;
  codes[(size_t)(g * 2) * channels + c] = w[0], codes[(size_t)(g * 2 + 1) * channels + c] = w[1];
  params[(size_t)g * channels + c] = __floats2half2_rn(scale, lo);
}

// Retention: a chunk of 64 tokens against its own past with decay, plus the state of what came before; heads of 32.
__global__ __launch_bounds__(256) void retention_chunk(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, const float* __restrict__ state, float* __restrict__ out, int chunks, const float* __restrict__ decay) {
  __shared__ float sq[64][33], sk[64][33], sv[64][33], ss[32][33];
  const int chunk = blockIdx.x, head = blockIdx.y, t = threadIdx.x;
  const size_t base = ((size_t)head * chunks + chunk) * 64 * 32;
  for (int i = t; i < 2048; i += 256) sq[i / 32][i % 32] = q[base + i], sk[i / 32][i % 32] = k[base + i], sv[i / 32][i % 32] = v[base + i];
  for (int i = t; i < 1024; i += 256) ss[i / 32][i % 32] = state[((size_t)head * chunks + chunk) * 1024 + i];
  __syncthreads();
  const float g = decay[head];
  const int d = t & 31;
  for (int row = t / 32; row < 64; row += 8) {
    float acc = 0.f;
    const float mine = sq[row][d];
    for (int c = 0; c < 32; ++c) acc += __shfl_sync(~0u, mine, c) * ss[c][d];
    acc *= __powf(g, row + 1.f);
    float w = 1.f;
    for (int c = row; c >= 0; --c) {
      const float s = warp_add(mine * sk[c][d]);
      acc += s * w * sv[c][d];
      w *= g;
    }
    out[base + row * 32 + d] = acc;
  }
}

// ---- quantized products ----

// Four-bit floats (E2M1) with scales of sixteen: a table in registers by selects, a warp a row.
__global__ void fp4_block_gemv(const uint32_t* __restrict__ weights, const unsigned char* __restrict__ scales, const bf162* __restrict__ x, bf16* __restrict__ y, int rows, int cols, float global_scale) {
  __shared__ float table[16];
  if (threadIdx.x < 16) {
    const int e = threadIdx.x >> 1 & 3, m = threadIdx.x & 1;
    const float mag = e ? (1.f + 0.5f * m) * (1 << (e - 1)) : 0.5f * m;
    table[threadIdx.x] = threadIdx.x & 8 ? -mag : mag;
  }
  __syncthreads();
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float sum = 0.f;
  for (int w = lane; w < cols / 8; w += 32) {
    const uint32_t bits = weights[(size_t)row * (cols / 8) + w];
    __nv_fp8_e4m3 s;
    s.__x = scales[(size_t)row * (cols / 16) + w / 2];
    float part = 0.f;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float2 v = __bfloat1622float2(x[w * 4 + k]);
      part += table[bits >> 8 * k & 15] * v.x + table[bits >> (8 * k + 4) & 15] * v.y;
    }
    sum += part * float(s);
  }
  sum = warp_add(sum);
  if (lane == 0) y[row] = __float2bfloat16(sum * global_scale);
}

// Three bits a weight, 32 weights in three words, zero points of groups; eight rows of x at once.
__global__ __launch_bounds__(128) void gptq3_gemm_few(const uint32_t* __restrict__ w, const __half* __restrict__ scale, const unsigned char* __restrict__ zero, const __half* __restrict__ x, float* __restrict__ y, int k, int n, int batch) {
  __shared__ float sx[8][128];
  const int col = blockIdx.x * 128 + threadIdx.x, k0 = blockIdx.y * 128;
  for (int i = threadIdx.x; i < 8 * 128; i += 128) sx[i / 128][i % 128] = i / 128 < batch ? __half2float(x[(size_t)(i / 128) * k + k0 + i % 128]) : 0.f;
  __syncthreads();
  float acc[8] = {};
  const float s = __half2float(scale[(size_t)blockIdx.y * n + col]);
  const int z = zero[(size_t)blockIdx.y * n + col];
  for (int g = 0; g < 4; ++g) {
    const uint32_t* p = w + (size_t)(k0 / 32 + g) * 3 * n + col;
    const uint32_t a = p[0], b = p[n], c = p[2 * n];
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      const int bit = i * 3;
      const uint32_t code = bit + 3 <= 32 ? a >> bit : bit < 32 ? a >> bit | b << (32 - bit) : bit + 3 <= 64 ? b >> (bit - 32) : bit < 64 ? b >> (bit - 32) | c << (64 - bit) : c >> (bit - 64);
      const float v = s * ((int)(code & 7) - z);
#pragma unroll
      for (int r = 0; r < 8; ++r) acc[r] += v * sx[r][g * 32 + i];
    }
  }
  for (int r = 0; r < batch; ++r) atomicAdd(&y[(size_t)r * n + col], acc[r]);
}

// Products of signs: exclusive or and counts of bits, a tile of 32 by 32 a block.
__global__ __launch_bounds__(256) void xnor_gemm(const uint32_t* __restrict__ a, const uint32_t* __restrict__ b, float* __restrict__ c, int n, int words, const float* __restrict__ alpha) {
  __shared__ uint32_t sa[32][17], sb[32][17];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  int acc[2][2] = {};
  for (int k0 = 0; k0 < words; k0 += 16) {
    for (int i = threadIdx.x; i < 512; i += 256) sa[i / 16][i % 16] = a[(size_t)(blockIdx.y * 32 + i / 16) * words + k0 + i % 16], sb[i / 16][i % 16] = b[(size_t)(blockIdx.x * 32 + i / 16) * words + k0 + i % 16];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const uint32_t a0 = sa[ty][k], a1 = sa[ty + 16][k], b0 = sb[tx][k], b1 = sb[tx + 16][k];
      acc[0][0] += __popc(a0 ^ b0), acc[0][1] += __popc(a0 ^ b1), acc[1][0] += __popc(a1 ^ b0), acc[1][1] += __popc(a1 ^ b1);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int row = blockIdx.y * 32 + ty + 16 * i, col = blockIdx.x * 32 + tx + 16 * j;
      c[(size_t)row * n + col] = alpha[col] * (words * 32 - 2 * acc[i][j]);
    }
}

// Weights as planes of bits: sums of four inputs for all patterns in shared memory, looked up by nibbles.
__global__ __launch_bounds__(256) void lookup_table_gemv(const uint32_t* __restrict__ planes, const __half* __restrict__ x, const float* __restrict__ scale, float* __restrict__ y, int rows, int cols, int bits) {
  __shared__ float lut[64][16];
  const int k0 = blockIdx.y * 256;
  for (int i = threadIdx.x; i < 1024; i += 256) {
    float s = 0.f;
    for (int b = 0; b < 4; ++b) {
      const float v = __half2float(x[k0 + i / 16 * 4 + b]);
      s += i >> b & 1 ? v : -v;
    }
    lut[i / 16][i % 16] = s;
  }
  __syncthreads();
  const int row = blockIdx.x * 256 + threadIdx.x;
  if (row >= rows) return;
  float total = 0.f;
  for (int b = 0; b < bits; ++b) {
    float sum = 0.f;
    for (int w = 0; w < 8; ++w) {
      const uint32_t word = planes[((size_t)b * (cols / 32) + k0 / 32 + w) * rows + row];
#pragma unroll
      for (int k = 0; k < 8; ++k) sum += lut[w * 8 + k][word >> 4 * k & 15];
    }
    total += sum * (1 << b);
  }
  atomicAdd(&y[row], total * scale[row]);
}

// Activations rotated by Hadamard's matrix in a warp, then to bytes with a scale a row of 128.
__global__ void hadamard_quantize_128(const __half2* __restrict__ in, char4* __restrict__ out, float* __restrict__ scales, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  const float2 a = __half22float2(in[(size_t)row * 64 + lane * 2]), b = __half22float2(in[(size_t)row * 64 + lane * 2 + 1]);
  float v[4] = {a.x + a.y + b.x + b.y, a.x - a.y + b.x - b.y, a.x + a.y - b.x - b.y, a.x - a.y - b.x + b.y};
#pragma unroll
  for (int o = 1; o < 32; o <<= 1)
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float other = __shfl_xor_sync(~0u, v[k], o);
      v[k] = lane & o ? other - v[k] : v[k] + other;
    }
  const float most = warp_most(fmaxf(fmaxf(fabsf(v[0]), fabsf(v[1])), fmaxf(fabsf(v[2]), fabsf(v[3])))), inv = 127.f / fmaxf(most, 1e-6f);
  out[(size_t)row * 32 + lane] = make_char4(__float2int_rn(v[0] * inv), __float2int_rn(v[1] * inv), __float2int_rn(v[2] * inv), __float2int_rn(v[3] * inv));
  if (lane == 0) scales[row] = most / 127.f * 0.08838835f;
}

// Bytes by tensor cores: panels of 16 columns, 16 x 16 x 16, four tiles a warp, scales of rows and columns at the end.
__global__ __launch_bounds__(128) void wmma_int8_scaled(const signed char* __restrict__ a, const signed char* __restrict__ b, const float* __restrict__ sa, const float* __restrict__ sb, __half* __restrict__ c, int m, int n, int k) {
  using namespace nvcuda;
  __shared__ int tile[4][256];
  const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, row = (blockIdx.y * 4 + warp) * 16, col0 = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> acc[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) wmma::fill_fragment(acc[j], 0);
  for (int q = 0; q < k; q += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
    wmma::load_matrix_sync(fa, a + (size_t)q * m + row * 16, 16);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
      wmma::load_matrix_sync(fb, b + (size_t)q * n + (col0 + j * 16) * 16, 16);
      wmma::mma_sync(acc[j], fa, fb, acc[j]);
    }
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    wmma::store_matrix_sync(tile[warp], acc[j], 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32) c[(size_t)(row + i / 16) * n + col0 + j * 16 + i % 16] = __float2half(tile[warp][i] * sa[row + i / 16] * sb[col0 + j * 16 + i % 16]);
    __syncwarp();
  }
}

// ---- layers of newer models ----

// A tangent in place of a normalization, with gains of channels.
__global__ void dynamic_tanh(const uint4* __restrict__ in, uint4* __restrict__ out, const float* __restrict__ gain, const float* __restrict__ bias, float alpha, int vectors, int per_row) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += gridDim.x * blockDim.x) {
    uint4 v = in[i];
    bf162* p = reinterpret_cast<bf162*>(&v);
    const int c = i % per_row * 8;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float2 x = __bfloat1622float2(p[k]);
      p[k] = __floats2bfloat162_rn(gain[c + 2 * k] * tanhf(alpha * x.x) + bias[c + 2 * k], gain[c + 2 * k + 1] * tanhf(alpha * x.y) + bias[c + 2 * k + 1]);
    }
    out[i] = v;
  }
}

// One token of a recurrent state with a vector-valued decay and a rank-one correction: a block a head of 64.
__global__ __launch_bounds__(64) void state_update_v7(float* __restrict__ state, const float* __restrict__ r, const float* __restrict__ w, const float* __restrict__ k, const float* __restrict__ v, const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out) {
  __shared__ float sr[64], sw[64], sk[64], sa[64], sb[64];
  const int head = blockIdx.x, i = threadIdx.x, at = head * 64 + i;
  sr[i] = r[at], sw[i] = __expf(-__expf(w[at])), sk[i] = k[at], sa[i] = a[at], sb[i] = b[at];
  __syncthreads();
  float4* s = reinterpret_cast<float4*>(state + (size_t)head * 4096 + i * 64);
  float4 row[16];
  float along = 0.f;
#pragma unroll
  for (int j = 0; j < 16; ++j) {
    row[j] = s[j];
    along += row[j].x * sa[4 * j] + row[j].y * sa[4 * j + 1] + row[j].z * sa[4 * j + 2] + row[j].w * sa[4 * j + 3];
  }
  const float value = v[at];
  float y = 0.f;
#pragma unroll
  for (int j = 0; j < 16; ++j) {
    row[j].x = row[j].x * sw[4 * j] + along * sb[4 * j] + value * sk[4 * j];
    row[j].y = row[j].y * sw[4 * j + 1] + along * sb[4 * j + 1] + value * sk[4 * j + 1];
    row[j].z = row[j].z * sw[4 * j + 2] + along * sb[4 * j + 2] + value * sk[4 * j + 2];
    row[j].w = row[j].w * sw[4 * j + 3] + along * sb[4 * j + 3] + value * sk[4 * j + 3];
    y += row[j].x * sr[4 * j] + row[j].y * sr[4 * j + 1] + row[j].z * sr[4 * j + 2] + row[j].w * sr[4 * j + 3];
    s[j] = row[j];
  }
  out[at] = y;
}

// A minimal gated recurrence scanned along time by a block, affine maps composed in warps.
__global__ __launch_bounds__(256) void gated_scan_time(const __half2* __restrict__ gate_and_input, float* __restrict__ out, int length, int channels) {
  __shared__ float2 carry[8];
  const int c = blockIdx.x, batch = blockIdx.y, lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  float state = 0.f;
  for (int t0 = 0; t0 < length; t0 += 256) {
    const size_t at = ((size_t)batch * channels + c) * length + t0 + threadIdx.x;
    const float2 gi = __half22float2(gate_and_input[at]);
    const float z = 1.f / (1.f + __expf(-gi.x));
    float a = 1.f - z, b = z * gi.y;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
      const float pa = __shfl_up_sync(~0u, a, o), pb = __shfl_up_sync(~0u, b, o);
      if (lane >= o) b += a * pb, a *= pa;
    }
    if (lane == 31) carry[warp] = make_float2(a, b);
    __syncthreads();
    float h = state;
    for (int w = 0; w < 8; ++w) {
      if (w == warp) out[at] = a * h + b;
      h = carry[w].x * h + carry[w].y;
    }
    state = h;
    __syncthreads();
  }
}

// Kernels made for each pixel (involution): 16 channels share one of seven by seven.
__global__ void involution_7(const float* __restrict__ in, const float* __restrict__ kernels, float* __restrict__ out, int channels, int h, int w) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, c0 = blockIdx.z * 16 + threadIdx.y * 4;
  if (x >= w) return;
  const float* k = kernels + (size_t)(c0 / 16) * 49 * h * w + y * w + x;
  float s[4] = {};
  for (int dy = 0; dy < 7; ++dy)
    for (int dx = 0; dx < 7; ++dx) {
      const int u = x + dx - 3, v = y + dy - 3;
      if (u < 0 || v < 0 || u >= w || v >= h) continue;
      const float weight = k[(dy * 7 + dx) * h * w];
#pragma unroll
      for (int c = 0; c < 4; ++c) s[c] += weight * in[((c0 + c) * h + v) * w + u];
    }
#pragma unroll
  for (int c = 0; c < 4; ++c) out[((c0 + c) * h + y) * w + x] = s[c];
}

// ---- tokens ----

// Pairs of tokens merged by rank: words of up to 32 symbols, a warp a word, the least rank until none is left.
__global__ void merge_pairs(const int* __restrict__ symbols, const int* __restrict__ lengths, const uint2* __restrict__ table, int* __restrict__ out, int* __restrict__ out_lengths, int words, unsigned mask) {
  const int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (w >= words) return;
  int n = lengths[w], s = lane < n ? symbols[w * 32 + lane] : -1;
  while (n > 1) {
    const int right = __shfl_down_sync(~0u, s, 1);
    unsigned rank = 0x7fffffffu;
    if (lane + 1 < n) {
      const unsigned key = (unsigned)s * 65536u + (unsigned)right;
      unsigned slot = (key * 0x9e3779b1u) >> 7 & mask;
      for (int tries = 0; tries < 4; ++tries, slot = (slot + 1) & mask) {
        const uint2 e = table[slot];
        if (e.x == key) rank = e.y;
        if (e.x == key || e.x == 0xffffffffu) break;
      }
    }
    const unsigned least = __reduce_min_sync(~0u, rank);
    if (least == 0x7fffffffu) break;
    const int at = __ffs(__ballot_sync(~0u, rank == least)) - 1;
    const int moved = __shfl_down_sync(~0u, s, 1);
    if (lane == at) s = 256 + (int)(least & 0x7fff);
    if (lane > at) s = moved;
    --n;
  }
  if (lane < n) out[w * 32 + lane] = s;
  if (lane == 0) out_lengths[w] = n;
}

// Longest pieces of words from a dictionary in a hash table, a thread a word.
__global__ void longest_pieces(const unsigned char* __restrict__ text, const int* __restrict__ starts, const unsigned long long* __restrict__ vocabulary, int* __restrict__ ids, int words, unsigned mask) {
  const int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= words) return;
  int p = starts[w], count = 0;
  const int end = starts[w + 1];
  while (p < end && count < 8) {
    unsigned long long h[12], x = 0xcbf29ce484222325ull;
    const int most = min(12, end - p);
    for (int k = 0; k < most; ++k) h[k] = x = (x ^ text[p + k]) * 0x100000001b3ull;
    int len = 1, id = 0;
    for (int k = most - 1; k >= 0; --k) {
      const unsigned slot = (unsigned)(h[k] >> 40) & mask;
      if (vocabulary[slot] >> 24 == h[k] >> 24) {
        id = (int)slot, len = k + 1;
        break;
      }
    }
    ids[w * 8 + count++] = id;
    p += len;
  }
  for (; count < 8; ++count) ids[w * 8 + count] = -1;
}

// Tokens that would repeat a run of n tokens forbidden: every earlier place compared, a block a sequence.
__global__ void forbid_repeated_ngrams(const int* __restrict__ tokens, const int* __restrict__ lengths, float* __restrict__ logits, int max_len, int vocabulary, int n) {
  extern __shared__ int seen[];
  const int seq = blockIdx.x, len = lengths[seq];
  for (int i = threadIdx.x; i < len; i += blockDim.x) seen[i] = tokens[seq * max_len + i];
  __syncthreads();
  for (int i = threadIdx.x; i + n <= len; i += blockDim.x) {
    bool same = true;
    for (int k = 0; k < n - 1 && same; ++k) same = seen[i + k] == seen[len - n + 1 + k];
    if (same) logits[(size_t)seq * vocabulary + seen[i + n - 1]] = -INFINITY;
  }
}

// Typical sampling: entropy of the distribution, then each token's distance from it as a key.
__global__ __launch_bounds__(512) void typical_distances(const __half* __restrict__ logits, float* __restrict__ keys, int vocabulary) {
  __shared__ float part[16][2];
  __shared__ float most_s, log_sum, entropy;
  const __half* row = logits + (size_t)blockIdx.x * vocabulary;
  const int t = threadIdx.x;
  float m = -1e30f;
  for (int i = t; i < vocabulary; i += 512) m = fmaxf(m, __half2float(row[i]));
  m = warp_most(m);
  if (t % 32 == 0) part[t / 32][0] = m;
  __syncthreads();
  if (t < 32) {
    m = warp_most(t < 16 ? part[t][0] : -1e30f);
    if (t == 0) most_s = m;
  }
  __syncthreads();
  m = most_s;
  float s = 0, e = 0;
  for (int i = t; i < vocabulary; i += 512) {
    const float x = __half2float(row[i]) - m, p = __expf(x);
    s += p, e += p * x;
  }
  s = warp_add(s), e = warp_add(e);
  if (t % 32 == 0) part[t / 32][0] = s, part[t / 32][1] = e;
  __syncthreads();
  if (t == 0) {
    s = e = 0;
    for (int w = 0; w < 16; ++w) s += part[w][0], e += part[w][1];
    log_sum = logf(s), entropy = log_sum - e / s;
  }
  __syncthreads();
  for (int i = t; i < vocabulary; i += 512) keys[(size_t)blockIdx.x * vocabulary + i] = fabsf(-(__half2float(row[i]) - m - log_sum) - entropy);
}

// ---- search of vectors, points, boxes ----

// Codes of product quantization scanned: sixteen tables of distances in shared memory, the block's nearest.
__global__ __launch_bounds__(256) void scan_product_codes(const uint4* __restrict__ codes, const float* __restrict__ tables, unsigned long long* __restrict__ nearest, int per_list, int n) {
  __shared__ float lut[16 * 256];
  __shared__ unsigned long long best[8];
  const int query = blockIdx.y;
  for (int i = threadIdx.x; i < 4096; i += 256) lut[i] = tables[query * 4096 + i];
  __syncthreads();
  unsigned long long mine = ~0ull;
  for (int i = blockIdx.x * per_list + threadIdx.x; i < min(n, (int)(blockIdx.x + 1) * per_list); i += 256) {
    const uint4 c = codes[i];
    const uint32_t w[4] = {c.x, c.y, c.z, c.w};
    float d = 0.f;
#pragma unroll
    for (int k = 0; k < 16; ++k) d += lut[k * 256 + (w[k / 4] >> k % 4 * 8 & 255)];
    const unsigned long long key = (unsigned long long)__float_as_uint(d) << 32 | (unsigned)i;
    mine = key < mine ? key : mine;
  }
  for (int o = 16; o; o >>= 1) {
    const unsigned long long other = __shfl_xor_sync(~0u, mine, o);
    mine = other < mine ? other : mine;
  }
  if (threadIdx.x % 32 == 0) best[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) mine = best[w] < mine ? best[w] : mine;
    nearest[query * gridDim.x + blockIdx.x] = mine;
  }
}

// A walk on a graph of neighbours towards a query: a warp a query, distances of 64 numbers, until nothing is nearer.
__global__ void greedy_graph_search(const __half2* __restrict__ vectors, const int* __restrict__ links, const __half2* __restrict__ queries, int2* __restrict__ found, int n, int degree, int limit) {
  const int q = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (q >= n) return;
  const float2 mine = __half22float2(queries[q * 32 + lane]);
  auto distance = [&](int v) {
    const float2 x = __half22float2(vectors[(size_t)v * 32 + lane]);
    const float a = x.x - mine.x, b = x.y - mine.y;
    return warp_add(a * a + b * b);
  };
  int at = q * 7;
  float best = distance(at);
  int hops = 0;
  for (; hops < limit; ++hops) {
    const int neighbour = lane < degree ? links[at * degree + lane] : 0;
    int next = at;
    for (int k = 0; k < degree; ++k) {
      const int v = __shfl_sync(~0u, neighbour, k);
      const float d = distance(v);
      if (d < best) best = d, next = v;
    }
    if (next == at) break;
    at = next;
  }
  if (lane == 0) found[q] = make_int2(at, hops);
}

// Late interaction: for each of 32 query tokens the best of a document's tokens, summed; a block a document.
__global__ __launch_bounds__(256) void late_interaction(const float4* __restrict__ query, const __half2* __restrict__ documents, const int* __restrict__ starts, float* __restrict__ scores) {
  __shared__ float4 q[32][17];
  __shared__ int best[32];
  const int t = threadIdx.x, doc = blockIdx.x;
  for (int i = t; i < 512; i += 256) q[i / 16][i % 16] = query[i];
  if (t < 32) best[t] = (int)0x80000000;
  __syncthreads();
  for (int d = starts[doc] + t / 32; d < starts[doc + 1]; d += 8) {
    const __half2* x = documents + (size_t)d * 32;
    float s = 0.f;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float4 a = q[t & 31][k];
      const float2 u = __half22float2(x[2 * k]), v = __half22float2(x[2 * k + 1]);
      s += a.x * u.x + a.y * u.y + a.z * v.x + a.w * v.y;
    }
    const int key = __float_as_int(s);
    atomicMax(&best[t & 31], key >= 0 ? key : key ^ 0x7fffffff);
  }
  __syncthreads();
  if (t < 32) {
    const int key = best[t];
    const float total = warp_add(__int_as_float(key >= 0 ? key : key ^ 0x7fffffff));
    if (t == 0) scores[doc] = total;
  }
}

// Boxes of three scales of a detector: sigmoids, anchors, the best of 80 classes, those above a threshold appended.
struct Detection {
  float x, y, w, h, score;
  int label;
};
__global__ void decode_anchors(const float* __restrict__ head, Detection* __restrict__ out, int* __restrict__ count, int grid, int classes, float stride, float2 a0, float2 a1, float2 a2, float threshold, int limit) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x, anchor = blockIdx.y, cells = grid * grid;
  if (cell >= cells) return;
  const float* p = head + (size_t)blockIdx.z * 3 * (classes + 5) * cells + (size_t)anchor * (classes + 5) * cells + cell;
  auto sigmoid = [](float v) { return 1.f / (1.f + __expf(-v)); };
  const float object = sigmoid(p[4 * cells]);
  if (object < threshold) return;
  float most = -1e30f;
  int label = 0;
  for (int c = 0; c < classes; ++c) {
    const float v = p[(5 + c) * cells];
    if (v > most) most = v, label = c;
  }
  const float score = object * sigmoid(most);
  if (score < threshold) return;
  const int at = atomicAdd(count, 1);
  if (at >= limit) return;
  const float2 a = anchor == 0 ? a0 : anchor == 1 ? a1 : a2;
  const float w = 2 * sigmoid(p[2 * cells]), h = 2 * sigmoid(p[3 * cells]);
  out[at] = Detection{(2 * sigmoid(p[0]) - 0.5f + cell % grid) * stride, (2 * sigmoid(p[cells]) - 0.5f + cell / grid) * stride, w * w * a.x, h * h * a.y, score, label};
}

// Points within a radius of centres, the first 32 in order: a warp a centre.
__global__ void ball_neighbours(const float* __restrict__ xyz, const float* __restrict__ centres, int* __restrict__ idx, int n, int m, float r2) {
  const int c = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31, batch = blockIdx.y;
  if (c >= m) return;
  const float* p = xyz + (size_t)batch * n * 3;
  const float *o = centres + ((size_t)batch * m + c) * 3, x = o[0], y = o[1], z = o[2];
  int* to = idx + ((size_t)batch * m + c) * 32;
  int found = 0, first = 0;
  for (int i = 0; i < n && found < 32; i += 32) {
    const int j = i + lane;
    bool in = false;
    if (j < n) {
      const float dx = p[3 * j] - x, dy = p[3 * j + 1] - y, dz = p[3 * j + 2] - z;
      in = dx * dx + dy * dy + dz * dz < r2;
    }
    const unsigned hits = __ballot_sync(~0u, in);
    if (found == 0 && hits) first = i + __ffs(hits) - 1;
    const int at = found + __popc(hits & ((1u << lane) - 1));
    if (in && at < 32) to[at] = j;
    found += __popc(hits);
  }
  if (lane >= found) to[lane] = first;
}

// Gaussians projected: covariance from scale and rotation, its image by the camera's Jacobian, the conic and the radius.
__global__ void project_gaussians(const float3* __restrict__ mean, const float3* __restrict__ scale, const float4* __restrict__ rotation, const float* __restrict__ opacity, float4* __restrict__ conic, float2* __restrict__ centre, int* __restrict__ radius, int n, float focal, int w, int h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  radius[i] = 0;
  const float3 m = mean[i];
  if (m.z < 0.2f) return;
  const float4 q = rotation[i];
  const float3 s = scale[i];
  const float r00 = 1 - 2 * (q.z * q.z + q.w * q.w), r01 = 2 * (q.y * q.z - q.x * q.w), r02 = 2 * (q.y * q.w + q.x * q.z);
  const float r10 = 2 * (q.y * q.z + q.x * q.w), r11 = 1 - 2 * (q.y * q.y + q.w * q.w), r12 = 2 * (q.z * q.w - q.x * q.y);
  const float r20 = 2 * (q.y * q.w - q.x * q.z), r21 = 2 * (q.z * q.w + q.x * q.y), r22 = 1 - 2 * (q.y * q.y + q.z * q.z);
  const float sx = s.x * s.x, sy = s.y * s.y, sz = s.z * s.z;
  const float c00 = r00 * r00 * sx + r01 * r01 * sy + r02 * r02 * sz, c01 = r00 * r10 * sx + r01 * r11 * sy + r02 * r12 * sz, c02 = r00 * r20 * sx + r01 * r21 * sy + r02 * r22 * sz;
  const float c11 = r10 * r10 * sx + r11 * r11 * sy + r12 * r12 * sz, c12 = r10 * r20 * sx + r11 * r21 * sy + r12 * r22 * sz, c22 = r20 * r20 * sx + r21 * r21 * sy + r22 * r22 * sz;
  const float iz = 1.f / m.z, j0 = focal * iz, j2x = -focal * m.x * iz * iz, j2y = -focal * m.y * iz * iz;
  const float a = j0 * j0 * c00 + 2 * j0 * j2x * c02 + j2x * j2x * c22 + 0.3f, b = j0 * j0 * c01 + j0 * j2y * c02 + j0 * j2x * c12 + j2x * j2y * c22, d = j0 * j0 * c11 + 2 * j0 * j2y * c12 + j2y * j2y * c22 + 0.3f;
  const float det = a * d - b * b;
  if (det <= 0.f) return;
  const float inv = 1.f / det, mid = 0.5f * (a + d), r = 3.f * sqrtf(mid + sqrtf(fmaxf(0.1f, mid * mid - det)));
  const float2 c = make_float2(m.x * iz * focal + 0.5f * w, m.y * iz * focal + 0.5f * h);
  if (c.x + r < 0 || c.y + r < 0 || c.x - r > w || c.y - r > h) return;
  conic[i] = make_float4(d * inv, -b * inv, a * inv, opacity[i]);
  centre[i] = c;
  radius[i] = (int)ceilf(r);
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* f = on_device<float>(16 * M, [](uint32_t i) { return fraction(i) * 2 - 1; });
  float* o = zeros<float>(16 * M);
  const __half* h = on_device<__half>(32 * M, [](uint32_t i) { return __float2half(fraction(i) * 2 - 1); });
  const bf16* b = on_device<bf16>(16 * M, [](uint32_t i) { return __float2bfloat16(fraction(i) * 2 - 1); });
  const float* positive = on_device<float>(M, [](uint32_t i) { return 0.01f + 0.05f * fraction(i); });
  const uint32_t* words = on_device<uint32_t>(8 * M, hashed);
  int* counters = zeros<int>(16);

  const int* lengths = on_device<int>(64, [](uint32_t i) { return 200 + int(hashed(i) % 1800); });
  run("sink_window_decode", [&] { sink_window_decode<<<dim3(8, 24), 128>>>((const __half2*)h, (const __half2*)h, (const __half2*)h + 4 * M, (__half2*)o, lengths, 32, 8, 2048, 4, 508, 0.125f); });
  run("capped_attention_bf16", [&] { capped_attention_bf16<<<dim3(24, 12), 256>>>(b, b + 2 * M, b + 4 * M, (bf16*)o, 768, 0.0884f, 30.f); });
  run("differential_probabilities", [&] { differential_probabilities<<<dim3(768, 8), 128, 768 * 8>>>(f, (__half*)o, positive, 768, 768); });
  run("select_key_blocks", [&] { select_key_blocks<<<20000 / 4, 128>>>(f, (int*)o, 20000, 200, 16); });
  run("fp8_cache_scores", [&] { fp8_cache_scores<<<dim3(6000 / 16, 16), 128>>>(h, (const __nv_fp8x4_e4m3*)b, positive, o, 6000, 16); });
  run("quantize_keys_2bit", [&] { quantize_keys_2bit<<<dim3(8, 256), 128>>>(h, (uint32_t*)o, (__half2*)(o + 4 * M), 1024, 256); });
  const float* decay = on_device<float>(8, [](uint32_t i) { return 0.9f + 0.01f * i; });
  run("retention_chunk", [&] { retention_chunk<<<dim3(32, 8), 256>>>(f, f + M, f + 2 * M, f + 4 * M, o, 32, decay); });
  run("fp4_block_gemv", [&] { fp4_block_gemv<<<6144 / 4, 128>>>(words, (const unsigned char*)words, (const bf162*)b, (bf16*)o, 6144, 4096, 0.01f); });
  run("gptq3_gemm_few", [&] { gptq3_gemm_few<<<dim3(32, 32), 128>>>(words, h, (const unsigned char*)words, h + M, o, 4096, 4096, 5); });
  run("xnor_gemm", [&] { xnor_gemm<<<dim3(32, 32), 256>>>(words, words + M, o, 1024, 128, positive); });
  run("lookup_table_gemv", [&] { lookup_table_gemv<<<dim3(32, 16), 256>>>(words, h, positive, o, 8192, 4096, 3); });
  run("hadamard_quantize_128", [&] { hadamard_quantize_128<<<40000 / 8, 256>>>((const __half2*)h, (char4*)o, o + 8 * M, 40000); });
  run("wmma_int8_scaled", [&] { wmma_int8_scaled<<<dim3(24, 8), 128>>>((const signed char*)words, (const signed char*)words + 4 * M, positive, positive, (__half*)o, 512, 1536, 1024); });

  run("dynamic_tanh_1024", [&] { dynamic_tanh<<<528, 256>>>((const uint4*)b, (uint4*)o, f, f + 4096, 0.7f, M, 128); });
  float* state = on_device<float>(1024 * 4096, fraction);
  run("state_update_v7", [&] { state_update_v7<<<1024, 64>>>(state, f, f + M, f + 2 * M, f + 3 * M, f + 4 * M, f + 5 * M, o); });
  run("gated_scan_time", [&] { gated_scan_time<<<dim3(256, 8), 256>>>((const __half2*)h, o, 2048, 256); });
  run("involution_7", [&] { involution_7<<<dim3(1, 56, 8), dim3(64, 4)>>>(f, f + 4 * M, o, 128, 56, 56); });

  std::vector<uint2> table(65536, make_uint2(0xffffffffu, 0));
  for (uint32_t i = 0; i < 30000; ++i) {
    const uint32_t left = i < 12000 ? 97 + hashed(i) % 26 : 256 + hashed(i) % (i / 2), key = left * 65536u + (97 + hashed(i + 1) % 26);
    uint32_t slot = (key * 0x9e3779b1u) >> 7 & 65535;
    for (int k = 0; k < 4; ++k, slot = (slot + 1) & 65535)
      if (table[slot].x == 0xffffffffu) {
        table[slot] = make_uint2(key, i);
        break;
      }
  }
  const uint2* table_d = on_device(table);
  const int* symbols = on_device<int>(50000 * 32, [](uint32_t i) { return int(97 + hashed(i) % 26); });
  const int* word_lengths = on_device<int>(50000, [](uint32_t i) { return 2 + int(hashed(i) % 14); });
  run("merge_pairs", [&] { merge_pairs<<<50000 / 8, 256>>>(symbols, word_lengths, table_d, (int*)o, (int*)o + 8 * M, 50000, 65535); });
  std::vector<unsigned char> text(900000);
  for (uint32_t i = 0; i < text.size(); ++i) text[i] = (unsigned char)(97 + hashed(i) % 5 * (hashed(i / 3) % 4));
  std::vector<int> starts(100001, 0);
  for (uint32_t i = 0; i < 100000; ++i) starts[i + 1] = starts[i] + 2 + int(hashed(i) % 13);
  text.resize(std::max<size_t>(text.size(), size_t(starts[100000]) + 16), 'a');
  std::vector<unsigned long long> vocabulary(1 << 18, 0);
  for (uint32_t i = 0; i < 200000; ++i) {
    unsigned long long x = 0xcbf29ce484222325ull;
    const uint32_t at = hashed(i) % 890000;
    for (uint32_t k = 0; k < 1 + hashed(i + 3) % 6; ++k) x = (x ^ text[at + k]) * 0x100000001b3ull;
    vocabulary[x >> 40 & 0x3ffff] = x;
  }
  const unsigned char* text_d = on_device(text);
  const int* starts_d = on_device(starts);
  const unsigned long long* vocabulary_d = on_device(vocabulary);
  run("longest_pieces", [&] { longest_pieces<<<(100000 + 127) / 128, 128>>>(text_d, starts_d, vocabulary_d, (int*)o, 100000, 0x3ffff); });
  const int* history = on_device<int>(64 * 2048, [](uint32_t i) { return int(hashed(i / 3) % 9); });
  run("forbid_repeated_ngrams", [&] { forbid_repeated_ngrams<<<64, 256, 8192>>>(history, lengths, o, 2048, 32000, 4); });
  run("typical_distances", [&] { typical_distances<<<96, 512>>>(h, o, 50304); });

  run("scan_product_codes", [&] { scan_product_codes<<<dim3(20, 16), 256>>>((const uint4*)words, f, (unsigned long long*)o, 12000, 240000); });
  std::vector<int> links(60000 * 24);
  for (uint32_t i = 0; i < links.size(); ++i) links[i] = int((i / 24 + (i % 4 ? hashed(i) % 300 : hashed(i))) % 60000);
  const int* links_d = on_device(links);
  run("greedy_graph_search", [&] { greedy_graph_search<<<8000 / 4, 128>>>((const __half2*)h, links_d, (const __half2*)h + 4 * M, (int2*)o, 8000, 24, 30); });
  std::vector<int> document(2001, 0);
  for (uint32_t i = 0; i < 2000; ++i) document[i + 1] = document[i] + 40 + int(hashed(i) % 140);
  const int* document_d = on_device(document);
  run("late_interaction", [&] { late_interaction<<<2000, 256>>>((const float4*)f, (const __half2*)h, document_d, o); });
  const float* head = on_device<float>(4 * 3 * 85 * 80 * 80, [](uint32_t i) { return fraction(i) * 8 - 5; });
  run("decode_anchors", [&] { decode_anchors<<<dim3(50, 3, 4), 128>>>(head, (Detection*)o, counters, 80, 80, 8.f, make_float2(10, 13), make_float2(16, 30), make_float2(33, 23), 0.5f, 100000); });
  run("ball_neighbours", [&] { ball_neighbours<<<dim3(256, 8), 128>>>(f, f + M, (int*)o, 8192, 1024, 0.04f); });
  const float3* means = on_device<float3>(300000, [](uint32_t i) { return make_float3(fraction(i) * 8 - 4, fraction(i + 1) * 6 - 3, fraction(i + 2) * 10); });
  const float3* scales = on_device<float3>(300000, [](uint32_t i) { return make_float3(0.01f + 0.05f * fraction(i), 0.01f + 0.02f * fraction(i + 1), 0.02f); });
  const float4* rotations = on_device<float4>(300000, [](uint32_t i) { const float a = fraction(i) * 3.14f; return make_float4(std::cos(a), std::sin(a) * 0.6f, 0.f, std::sin(a) * 0.8f); });
  run("project_gaussians", [&] { project_gaussians<<<(300000 + 255) / 256, 256>>>(means, scales, rotations, positive, (float4*)o, (float2*)(o + 4 * M), (int*)o + 8 * M, 300000, 900.f, 1280, 720); });
  return 0;
}
