// A server of language models: norms and gates that end in 8-bit floats, paged and latent attention, quantized and grouped products, routing, adapters, caches, and the choice of tokens.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>

#include "cases.h"

using bf16 = __nv_bfloat16;
using bf162 = __nv_bfloat162;
using fp8 = __nv_fp8_e4m3;

struct alignas(16) Bf8 {
  bf162 v[4];
};
struct alignas(8) F8x8 {
  fp8 v[8];
};

// RMS norm whose output is quantized with one scale for all.
__global__ void rms_norm_static_fp8_quant(fp8* __restrict__ out, const bf16* __restrict__ input, const bf16* __restrict__ weight, const float* __restrict__ scale, float epsilon, int hidden_size) {
  __shared__ float s_variance;
  __shared__ float s_part[32];
  float variance = 0.0f;
  const Bf8* in = reinterpret_cast<const Bf8*>(input + (size_t)blockIdx.x * hidden_size);
  for (int idx = threadIdx.x; idx < hidden_size / 8; idx += blockDim.x) {
    const Bf8 p = in[idx];
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const float2 f = __bfloat1622float2(p.v[j]);
      variance += f.x * f.x + f.y * f.y;
    }
  }
  for (int mask = 16; mask > 0; mask >>= 1) variance += __shfl_xor_sync(0xffffffff, variance, mask);
  if ((threadIdx.x & 31) == 0) s_part[threadIdx.x >> 5] = variance;
  __syncthreads();
  if (threadIdx.x < 32) {
    variance = threadIdx.x < (blockDim.x + 31) / 32 ? s_part[threadIdx.x] : 0.0f;
    for (int mask = 16; mask > 0; mask >>= 1) variance += __shfl_xor_sync(0xffffffff, variance, mask);
    if (threadIdx.x == 0) s_variance = rsqrtf(variance / hidden_size + epsilon);
  }
  __syncthreads();
  const float scale_inv = 1.0f / *scale;
  F8x8* o = reinterpret_cast<F8x8*>(out + (size_t)blockIdx.x * hidden_size);
  for (int idx = threadIdx.x; idx < hidden_size / 8; idx += blockDim.x) {
    const Bf8 p = in[idx], w = reinterpret_cast<const Bf8*>(weight)[idx];
    F8x8 q;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const float2 f = __bfloat1622float2(p.v[j]), g = __bfloat1622float2(w.v[j]);
      q.v[2 * j] = fp8(f.x * s_variance * g.x * scale_inv);
      q.v[2 * j + 1] = fp8(f.y * s_variance * g.y * scale_inv);
    }
    o[idx] = q;
  }
}

// Attention of one new token a sequence over pages of 16 tokens; a block has one partition of the context. Two threads share a token.
template <int HEAD, int PAGE, int PART, int THREADS>
__global__ void paged_attention_partition(float* __restrict__ exp_sums, float* __restrict__ max_logits, float* __restrict__ tmp_out, const __half* __restrict__ q, const __half* __restrict__ k_cache, const __half* __restrict__ v_cache, int num_kv_heads, float scale, const int* __restrict__ block_tables, const int* __restrict__ seq_lens, int max_blocks) {
  constexpr int WARPS = THREADS / 32, VECS = HEAD / 16, V_ROWS = HEAD / 16;
  static_assert(PAGE == 16, "two threads a token");
  const int seq = blockIdx.y, part = blockIdx.z, head = blockIdx.x, heads = gridDim.x, parts = gridDim.z;
  const int seq_len = seq_lens[seq];
  if (part * PART >= seq_len) return;
  const int first = part * PART, last = min(first + PART, seq_len);
  const int kv_head = head / (heads / num_kv_heads);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int token_in_page = lane / 2, half_of_group = lane % 2;
  __shared__ uint4 q_vecs[2][VECS];
  __shared__ float logits[PART];
  __shared__ float red[2][WARPS];
  __shared__ float out_smem[WARPS][HEAD];
  if (threadIdx.x < 2 * VECS) q_vecs[threadIdx.x % 2][threadIdx.x / 2] = reinterpret_cast<const uint4*>(q + ((size_t)seq * heads + head) * HEAD)[threadIdx.x];
  __syncthreads();
  const int* table = block_tables + seq * max_blocks;
  const int page_end = (last + PAGE - 1) / PAGE;
  float qk_max = -3.4e38f;
  for (int page = first / PAGE + warp; page < page_end; page += WARPS) {
    const __half* k = k_cache + ((size_t)table[page] * num_kv_heads + kv_head) * HEAD * PAGE + token_in_page * 8;
    float qk = 0.f;
#pragma unroll
    for (int i = 0; i < VECS; i++) {
      const uint4 kv = *reinterpret_cast<const uint4*>(k + (i * 2 + half_of_group) * PAGE * 8), qv = q_vecs[half_of_group][i];
      const __half2 *a = reinterpret_cast<const __half2*>(&kv), *b = reinterpret_cast<const __half2*>(&qv);
#pragma unroll
      for (int j = 0; j < 4; j++) {
        const float2 x = __half22float2(a[j]), y = __half22float2(b[j]);
        qk += x.x * y.x + x.y * y.y;
      }
    }
    qk += __shfl_xor_sync(0xffffffff, qk, 1);
    qk *= scale;
    const int token = page * PAGE + token_in_page;
    const bool masked = token >= last;
    if (half_of_group == 0) logits[token - first] = masked ? 0.f : qk;
    if (!masked) qk_max = fmaxf(qk_max, qk);
  }
  for (int mask = 16; mask >= 2; mask /= 2) qk_max = fmaxf(qk_max, __shfl_xor_sync(0xffffffff, qk_max, mask));
  if (lane == 0) red[0][warp] = qk_max;
  __syncthreads();
  qk_max = red[0][0];
  for (int w = 1; w < WARPS; w++) qk_max = fmaxf(qk_max, red[0][w]);
  float exp_sum = 0.f;
  for (int i = threadIdx.x; i < last - first; i += THREADS) {
    const float v = __expf(logits[i] - qk_max);
    logits[i] = v;
    exp_sum += v;
  }
  for (int mask = 16; mask >= 1; mask /= 2) exp_sum += __shfl_xor_sync(0xffffffff, exp_sum, mask);
  if (lane == 0) red[1][warp] = exp_sum;
  __syncthreads();
  exp_sum = 0.f;
  for (int w = 0; w < WARPS; w++) exp_sum += red[1][w];
  const float inv_sum = __fdividef(1.f, exp_sum + 1e-6f);
  if (threadIdx.x == 0) {
    const int at = (seq * heads + head) * parts + part;
    exp_sums[at] = exp_sum;
    max_logits[at] = qk_max;
  }
  float acc[V_ROWS];
#pragma unroll
  for (int i = 0; i < V_ROWS; i++) acc[i] = 0.f;
  for (int page = first / PAGE + warp; page < page_end; page += WARPS) {
    const __half* v = v_cache + ((size_t)table[page] * num_kv_heads + kv_head) * HEAD * PAGE;
    const int token = page * PAGE + (lane % 2) * 8;
    float w[8];
#pragma unroll
    for (int j = 0; j < 8; j++) w[j] = token + j < last ? logits[token + j - first] : 0.f;
#pragma unroll
    for (int i = 0; i < V_ROWS; i++) {
      const uint4 raw = *reinterpret_cast<const uint4*>(v + (lane / 2 + i * 16) * PAGE + (lane % 2) * 8);
      const __half* h = reinterpret_cast<const __half*>(&raw);
#pragma unroll
      for (int j = 0; j < 8; j++) acc[i] += w[j] * __half2float(h[j]);
    }
  }
#pragma unroll
  for (int i = 0; i < V_ROWS; i++) {
    acc[i] += __shfl_xor_sync(0xffffffff, acc[i], 1);
    if (lane % 2 == 0) out_smem[warp][lane / 2 + i * 16] = acc[i];
  }
  __syncthreads();
  for (int d = threadIdx.x; d < HEAD; d += THREADS) {
    float sum = 0.f;
    for (int w = 0; w < WARPS; w++) sum += out_smem[w][d];
    tmp_out[((size_t)(seq * heads + head) * parts + part) * HEAD + d] = sum * inv_sum;
  }
}

// Its partitions brought together.
template <int HEAD, int PART>
__global__ void paged_attention_reduce(__half* __restrict__ out, const float* __restrict__ exp_sums, const float* __restrict__ max_logits, const float* __restrict__ tmp_out, const int* __restrict__ seq_lens, int max_parts) {
  extern __shared__ float shared_mem[];
  const int head = blockIdx.x, seq = blockIdx.y;
  const int parts = (seq_lens[seq] + PART - 1) / PART, row = seq * gridDim.x + head;
  float* rescale = shared_mem;
  float top = -3.4e38f, total = 0.f;
  for (int i = 0; i < parts; i++) top = fmaxf(top, max_logits[row * max_parts + i]);
  for (int i = threadIdx.x; i < parts; i += blockDim.x) rescale[i] = exp_sums[row * max_parts + i] * expf(max_logits[row * max_parts + i] - top);
  __syncthreads();
  for (int i = 0; i < parts; i++) total += rescale[i];
  const float inv = 1.f / (total + 1e-6f);
  for (int d = threadIdx.x; d < HEAD; d += blockDim.x) {
    float acc = 0.f;
    for (int i = 0; i < parts; i++) acc += tmp_out[(row * max_parts + i) * HEAD + d] * rescale[i] * inv;
    out[row * HEAD + d] = __float2half(acc);
  }
}

// Attention over a shared prefix and over a request's own tokens, merged by their sums' logarithms.
__global__ void merge_attn_states(uint4* output, float* output_lse, const uint4* prefix_output, const float* prefix_lse, const uint4* suffix_output, const float* suffix_lse, int tokens, int heads, int head_size) {
  const uint32_t threads_per_head = head_size / 8;
  const uint32_t idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= tokens * heads * threads_per_head) return;
  const uint32_t token = idx / threads_per_head / heads, head = idx / threads_per_head % heads;
  float p_lse = prefix_lse[head * tokens + token], s_lse = suffix_lse[head * tokens + token];
  p_lse = isinf(p_lse) ? -INFINITY : p_lse;
  s_lse = isinf(s_lse) ? -INFINITY : s_lse;
  const float max_lse = fmaxf(p_lse, s_lse);
  const float p_se = expf(p_lse - max_lse), s_se = expf(s_lse - max_lse), out_se = p_se + s_se;
  const float p_scale = p_se / out_se, s_scale = s_se / out_se;
  uint4 p = prefix_output[idx], s = suffix_output[idx], o;
  const bf162 *pb = reinterpret_cast<bf162*>(&p), *sb = reinterpret_cast<bf162*>(&s);
  bf162* ob = reinterpret_cast<bf162*>(&o);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 a = __bfloat1622float2(pb[i]), b = __bfloat1622float2(sb[i]);
    ob[i] = __floats2bfloat162_rn(a.x * p_scale + b.x * s_scale, a.y * p_scale + b.y * s_scale);
  }
  output[idx] = o;
  if (idx % threads_per_head == 0) output_lse[head * tokens + token] = logf(out_se) + max_lse;
}

// Latent attention: all heads read the same 512 latent and 64 turned dimensions. A warp takes every eighth token, the block one head.
__global__ __launch_bounds__(256) void mla_decode_latent(const bf162* __restrict__ q, const bf162* __restrict__ latent, const int* __restrict__ table, const int* __restrict__ lens, bf162* __restrict__ out, int max_pages, float scale) {
  constexpr int C2 = 256, ALL2 = 288;
  __shared__ float merged[8][2];
  __shared__ float2 acc_s[8][C2];
  const int head = blockIdx.x, seq = blockIdx.y, warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const int len = lens[seq];
  float2 qr[9], acc[8];
#pragma unroll
  for (int i = 0; i < 9; ++i) qr[i] = __bfloat1622float2(q[(size_t)(seq * gridDim.x + head) * ALL2 + i * 32 + lane]);
#pragma unroll
  for (int i = 0; i < 8; ++i) acc[i] = make_float2(0.f, 0.f);
  float m = -INFINITY, l = 0.f;
  for (int t = warp; t < len; t += 8) {
    const bf162* row = latent + ((size_t)table[seq * max_pages + t / 64] * 64 + t % 64) * ALL2;
    float2 c[9];
#pragma unroll
    for (int i = 0; i < 9; ++i) c[i] = __bfloat1622float2(row[i * 32 + lane]);
    float s = 0.f;
#pragma unroll
    for (int i = 0; i < 9; ++i) s = fmaf(qr[i].x, c[i].x, fmaf(qr[i].y, c[i].y, s));
#pragma unroll
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    s *= scale;
    const float nm = fmaxf(m, s), a = exp2f(m - nm), p = exp2f(s - nm);
    l = l * a + p;
    m = nm;
#pragma unroll
    for (int i = 0; i < 8; ++i) acc[i].x = acc[i].x * a + p * c[i].x, acc[i].y = acc[i].y * a + p * c[i].y;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) acc_s[warp][i * 32 + lane] = acc[i];
  if (lane == 0) merged[warp][0] = m, merged[warp][1] = l;
  __syncthreads();
  float top = merged[0][0];
  for (int w = 1; w < 8; ++w) top = fmaxf(top, merged[w][0]);
  float sum = 0.f;
  float2 o = make_float2(0.f, 0.f);
  for (int w = 0; w < 8; ++w) {
    const float k = exp2f(merged[w][0] - top);
    sum += merged[w][1] * k;
    o.x += acc_s[w][threadIdx.x].x * k, o.y += acc_s[w][threadIdx.x].y * k;
  }
  out[(size_t)(seq * gridDim.x + head) * C2 + threadIdx.x] = __floats2bfloat162_rn(o.x / sum, o.y / sum);
}

// SiLU of the gate times the other half, quantized in groups of 128: a warp a group.
__global__ void silu_mul_group_fp8(const bf16* __restrict__ gate_up, fp8* __restrict__ out, float* __restrict__ scales, int tokens, int d) {
  const int groups = d / 128, g = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (g >= tokens * groups) return;
  const int token = g / groups, at = g % groups * 128 + lane * 4;
  const uint2 a = *reinterpret_cast<const uint2*>(gate_up + (size_t)token * 2 * d + at), b = *reinterpret_cast<const uint2*>(gate_up + (size_t)token * 2 * d + d + at);
  float y[4], top = 1e-10f;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float x = __bfloat162float(reinterpret_cast<const bf16*>(&a)[i]);
    y[i] = x / (1.f + __expf(-x)) * __bfloat162float(reinterpret_cast<const bf16*>(&b)[i]);
    top = fmaxf(top, fabsf(y[i]));
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, o));
  const float scale = top / 448.f;
  uint32_t packed;
  fp8* p = reinterpret_cast<fp8*>(&packed);
  for (int i = 0; i < 4; ++i) p[i] = fp8(y[i] / scale);
  *reinterpret_cast<uint32_t*>(out + (size_t)token * d + at) = packed;
  if (lane == 0) scales[g] = scale;
}

// Weights of 4 bits to halves by logic on the exponent's bits, AWQ's order of nibbles.
__device__ __forceinline__ uint4 dequantize_s4_to_fp16x2(uint32_t source) {
  uint4 result;
  uint32_t* h = reinterpret_cast<uint32_t*>(&result);
  constexpr uint32_t immLut = (0xf0 & 0xcc) | 0xaa;
  const uint32_t top = source >> 8;
  asm("lop3.b32 %0, %1, %2, %3, %4;\n" : "=r"(h[0]) : "r"(source), "n"(0x000f000f), "n"(0x64006400), "n"(immLut));
  asm("lop3.b32 %0, %1, %2, %3, %4;\n" : "=r"(h[1]) : "r"(source), "n"(0x00f000f0), "n"(0x64006400), "n"(immLut));
  asm("lop3.b32 %0, %1, %2, %3, %4;\n" : "=r"(h[2]) : "r"(top), "n"(0x000f000f), "n"(0x64006400), "n"(immLut));
  asm("lop3.b32 %0, %1, %2, %3, %4;\n" : "=r"(h[3]) : "r"(top), "n"(0x00f000f0), "n"(0x64006400), "n"(immLut));
  asm("sub.f16x2 %0, %1, %2;\n" : "=r"(h[0]) : "r"(h[0]), "r"(0x64006400));
  asm("fma.rn.f16x2 %0, %1, %2, %3;\n" : "=r"(h[1]) : "r"(h[1]), "r"(0x2c002c00), "r"(0xd400d400));
  asm("sub.f16x2 %0, %1, %2;\n" : "=r"(h[2]) : "r"(h[2]), "r"(0x64006400));
  asm("fma.rn.f16x2 %0, %1, %2, %3;\n" : "=r"(h[3]) : "r"(h[3]), "r"(0x2c002c00), "r"(0xd400d400));
  return result;
}
__global__ __launch_bounds__(64) void awq_dequantize_weights(const int* __restrict__ B, const __half* __restrict__ scales, const int* __restrict__ zeros, __half* __restrict__ C, int group) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y, cols = blockDim.x * gridDim.x;
  const uint4 zero = dequantize_s4_to_fp16x2(zeros[col + row / group * cols]);
  const uint4 scale = reinterpret_cast<const uint4*>(scales + 8 * (row / group * cols))[col];
  uint4 w = dequantize_s4_to_fp16x2(B[col + row * cols]);
  const __half2 *z = reinterpret_cast<const __half2*>(&zero), *s = reinterpret_cast<const __half2*>(&scale);
  __half2* v = reinterpret_cast<__half2*>(&w);
#pragma unroll
  for (int i = 0; i < 4; ++i) v[i] = __hmul2(__hsub2(v[i], z[i]), s[i]);
  reinterpret_cast<uint4*>(C)[col + row * cols] = w;
}

// Sixteen rows times 4-bit weights on tensor cores: warps split K, a warp has 32 columns; weights are packed in the fragments' order.
__global__ __launch_bounds__(128) void w4a16_mma_m16(const __half* __restrict__ A, const uint32_t* __restrict__ W, const __half* __restrict__ scales, __half* __restrict__ C, int N, int K) {
  __shared__ float part[4][16][33];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, n0 = blockIdx.x * 32, r = lane / 4, q = lane % 4;
  float acc[4][4] = {};
  for (int k32 = warp; k32 < K / 32; k32 += 4) {
    uint32_t a[2][4];
#pragma unroll
    for (int s = 0; s < 2; ++s) {
      const __half* p = A + (size_t)r * K + k32 * 32 + s * 16 + q * 2;
      a[s][0] = *reinterpret_cast<const uint32_t*>(p);
      a[s][1] = *reinterpret_cast<const uint32_t*>(p + 8 * (size_t)K);
      a[s][2] = *reinterpret_cast<const uint32_t*>(p + 8);
      a[s][3] = *reinterpret_cast<const uint32_t*>(p + 8 * (size_t)K + 8);
    }
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      const int n = n0 + t * 8 + r;
      const uint4 b = dequantize_s4_to_fp16x2(W[(size_t)(k32 * 4 + q) * N + n]);
      const __half2 scale = __half2half2(scales[(k32 / 4) * N + n]), eight = __float2half2_rn(8.f);
      uint32_t h[4];
      const uint32_t raw[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        __half2 v = *reinterpret_cast<const __half2*>(&raw[i]);
        v = __hmul2(__hsub2(v, eight), scale);
        h[i] = *reinterpret_cast<uint32_t*>(&v);
      }
#pragma unroll
      for (int s = 0; s < 2; ++s)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                     : "+f"(acc[t][0]), "+f"(acc[t][1]), "+f"(acc[t][2]), "+f"(acc[t][3])
                     : "r"(a[s][0]), "r"(a[s][1]), "r"(a[s][2]), "r"(a[s][3]), "r"(h[2 * s]), "r"(h[2 * s + 1]));
    }
  }
#pragma unroll
  for (int t = 0; t < 4; ++t) {
    part[warp][r][t * 8 + q * 2] = acc[t][0], part[warp][r][t * 8 + q * 2 + 1] = acc[t][1];
    part[warp][r + 8][t * 8 + q * 2] = acc[t][2], part[warp][r + 8][t * 8 + q * 2 + 1] = acc[t][3];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += 128) {
    const int row = i / 32, col = i % 32;
    C[(size_t)row * N + n0 + col] = __float2half(part[0][row][col] + part[1][row][col] + part[2][row][col] + part[3][row][col]);
  }
}

// A product of 8-bit floats whose scales hold for blocks of 128: dequantized into tiles of floats.
template <int BM, int BN, int BK>
__global__ void fp8_blockscale_gemm(const fp8* __restrict__ A, const fp8* __restrict__ W, const float* __restrict__ As, const float* __restrict__ Ws, bf16* __restrict__ C, int M, int N, int K) {
  __shared__ float sa[BK][BM + 4], sw[BK][BN + 4];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, m0 = blockIdx.y * BM, n0 = blockIdx.x * BN, kb = K / 128;
  float acc[BM / 16][BN / 16] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = threadIdx.x; i < BM * BK / 4; i += 256) {
      const int m = i / (BK / 4), k = i % (BK / 4) * 4;
      const uint32_t raw = m0 + m < M ? *reinterpret_cast<const uint32_t*>(A + (size_t)(m0 + m) * K + k0 + k) : 0u;
      const float s = m0 + m < M ? As[(m0 + m) * kb + k0 / 128] : 0.f;
      for (int j = 0; j < 4; ++j) sa[k + j][m] = float(reinterpret_cast<const fp8*>(&raw)[j]) * s;
    }
    for (int i = threadIdx.x; i < BN * BK / 4; i += 256) {
      const int n = i / (BK / 4), k = i % (BK / 4) * 4;
      const uint32_t raw = *reinterpret_cast<const uint32_t*>(W + (size_t)(n0 + n) * K + k0 + k);
      const float s = Ws[(n0 + n) / 128 * kb + k0 / 128];
      for (int j = 0; j < 4; ++j) sw[k + j][n] = float(reinterpret_cast<const fp8*>(&raw)[j]) * s;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k)
#pragma unroll
      for (int i = 0; i < BM / 16; ++i)
#pragma unroll
        for (int j = 0; j < BN / 16; ++j) acc[i][j] += sa[k][ty * (BM / 16) + i] * sw[k][tx + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < BM / 16; ++i) {
    const int m = m0 + ty * (BM / 16) + i;
    if (m >= M) break;
    for (int j = 0; j < BN / 16; ++j) C[(size_t)m * N + n0 + tx + 16 * j] = __float2bfloat16(acc[i][j]);
  }
}

// Routing with groups of experts: sigmoid and a correction, the sum of a group's best two, four of eight groups, eight experts. A warp a token.
__global__ void grouped_topk_sigmoid(const float* __restrict__ gating, const float* __restrict__ correction, float* __restrict__ weights, int* __restrict__ ids, int tokens) {
  const int token = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (token >= tokens) return;
  float score[8], choice[8], best = -1e30f, second = -1e30f;
  for (int i = 0; i < 8; i++) {
    const int e = lane * 8 + i;
    score[i] = 1.f / (1.f + expf(-gating[token * 256 + e]));
    choice[i] = score[i] + correction[e];
    if (choice[i] > best) {
      second = best;
      best = choice[i];
    } else if (choice[i] > second) {
      second = choice[i];
    }
  }
  for (int o = 1; o < 4; o <<= 1) {
    const float ob = __shfl_xor_sync(~0u, best, o), os = __shfl_xor_sync(~0u, second, o);
    second = fmaxf(fminf(best, ob), fmaxf(second, os));
    best = fmaxf(best, ob);
  }
  const float group_score = best + second;
  int rank = 0;
  for (int g = 0; g < 8; g++) {
    const float other = __shfl_sync(~0u, group_score, g * 4);
    rank += other > group_score || (other == group_score && g < lane / 4);
  }
  if (rank >= 4)
    for (int i = 0; i < 8; i++) choice[i] = -1e30f;
  float total = 0.f, mine = 0.f;
  int my_id = 0;
  for (int k = 0; k < 8; k++) {
    float v = choice[0];
    int at = 0;
#pragma unroll
    for (int i = 1; i < 8; i++)
      if (choice[i] > v) v = choice[i], at = i;
    int id = lane * 8 + at;
    for (int o = 16; o > 0; o >>= 1) {
      const float ov = __shfl_xor_sync(~0u, v, o);
      const int oi = __shfl_xor_sync(~0u, id, o);
      if (ov > v || (ov == v && oi < id)) v = ov, id = oi;
    }
    float raw = 0.f;
    if (id / 8 == lane) {
#pragma unroll
      for (int i = 0; i < 8; i++)
        if (i == id % 8) raw = score[i], choice[i] = -1e30f;
    }
    raw = __shfl_sync(~0u, raw, id / 8);
    total += raw;
    if (lane == k) mine = raw, my_id = id;
  }
  if (lane < 8) {
    weights[token * 8 + lane] = mine / (total + 1e-20f) * 2.5f;
    ids[token * 8 + lane] = my_id;
  }
}

// Tokens' rows copied into their experts' order.
__global__ void moe_permute_rows(const uint4* __restrict__ x, const int* __restrict__ sorted, uint4* __restrict__ out, int rows, int topk, int vecs) {
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const uint4* src = x + (size_t)(sorted[row] / topk) * vecs;
    for (int i = threadIdx.x; i < vecs; i += blockDim.x) out[(size_t)row * vecs + i] = src[i];
  }
}

// Products of the experts' rows: a block finds its expert in a list and uses WMMA on 64x64 tiles.
__global__ __launch_bounds__(128) void moe_grouped_gemm(const __half* __restrict__ X, const __half* __restrict__ W, const int* __restrict__ tile_expert, const int* __restrict__ tile_row, const int* __restrict__ expert_end, __half* __restrict__ Y, int N, int K) {
  using namespace nvcuda;
  __shared__ __half xs[64][40], ws[64][40];
  __shared__ float ys[64][68];
  const int expert = tile_expert[blockIdx.y], row0 = tile_row[blockIdx.y], rows = min(64, expert_end[expert] - row0), n0 = blockIdx.x * 64, warp = threadIdx.x / 32;
  const __half* w = W + (size_t)expert * N * K;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[4];
  for (int j = 0; j < 4; ++j) wmma::fill_fragment(c[j], 0.f);
  for (int k0 = 0; k0 < K; k0 += 32) {
    for (int i = threadIdx.x; i < 64 * 4; i += 128) {
      const int r = i / 4, v = i % 4 * 8;
      *reinterpret_cast<uint4*>(&xs[r][v]) = r < rows ? *reinterpret_cast<const uint4*>(X + (size_t)(row0 + r) * K + k0 + v) : make_uint4(0, 0, 0, 0);
      *reinterpret_cast<uint4*>(&ws[r][v]) = __ldg(reinterpret_cast<const uint4*>(w + (size_t)(n0 + r) * K + k0 + v));
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
      wmma::load_matrix_sync(a, &xs[warp * 16][k], 40);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
        wmma::load_matrix_sync(b, &ws[j * 16][k], 40);
        wmma::mma_sync(c[j], a, b, c[j]);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) wmma::store_matrix_sync(&ys[warp * 16][j * 16], c[j], 68, wmma::mem_row_major);
  __syncthreads();
  for (int i = threadIdx.x; i < rows * 32; i += 128) {
    const int r = i / 32, col = i % 32 * 2;
    *reinterpret_cast<__half2*>(Y + (size_t)(row0 + r) * N + n0 + col) = __floats2half2_rn(ys[r][col], ys[r][col + 1]);
  }
}

// Penalties for what the prompt and the output have had, and the temperature.
__global__ void apply_penalties(float* __restrict__ logits, const unsigned char* __restrict__ in_prompt, const int* __restrict__ output_counts, const float* __restrict__ repetition, const float* __restrict__ frequency, const float* __restrict__ presence, const float* __restrict__ temperature, int vocab) {
  const int seq = blockIdx.y;
  const float rep = repetition[seq], freq = frequency[seq], pres = presence[seq], inv_t = 1.0f / temperature[seq];
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < vocab; v += gridDim.x * blockDim.x) {
    const size_t at = (size_t)seq * vocab + v;
    float x = logits[at];
    const int count = output_counts[at];
    if (count > 0 || in_prompt[at]) x = x > 0 ? x / rep : x * rep;
    if (count > 0) x -= freq * count + pres;
    logits[at] = x * inv_t;
  }
}

// A grammar's allowed tokens, a bit each: the others' logits become minus infinity.
__global__ void grammar_bitmask_half(__half* __restrict__ logits, const int* __restrict__ bitmask, const int* __restrict__ indices, int vocab, int stride) {
  const int row = indices[blockIdx.y], i0 = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (i0 >= vocab) return;
  const uint32_t bits = (uint32_t)bitmask[row * stride + i0 / 32] >> (i0 % 32) & 0xff;
  if (bits == 0xff) return;
  uint4* p = reinterpret_cast<uint4*>(logits + (size_t)row * vocab + i0);
  uint4 raw = bits ? *p : make_uint4(0, 0, 0, 0);
  __half* h = reinterpret_cast<__half*>(&raw);
#pragma unroll
  for (int i = 0; i < 8; ++i)
    if (!(bits >> i & 1)) h[i] = __ushort_as_half(0xfc00);
  *p = raw;
}

// Tokens whose probability is at least a share of the greatest; one of them is drawn by its place in the sum.
__global__ __launch_bounds__(1024) void min_p_sample(const float* __restrict__ logits, const float* __restrict__ uniform, int* __restrict__ out, int vocab, float min_p) {
  __shared__ float red[33];
  __shared__ float sums[1024];
  __shared__ int chosen;
  const float* x = logits + (size_t)blockIdx.x * vocab;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float m = -INFINITY;
  for (int i = threadIdx.x; i < vocab; i += 1024) m = fmaxf(m, x[i]);
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  if (lane == 0) red[warp] = m;
  if (threadIdx.x == 0) chosen = vocab - 1;
  __syncthreads();
  m = red[lane];
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  const float limit = m + __logf(min_p);
  const int per = (vocab + 1023) / 1024, begin = threadIdx.x * per, end = min(begin + per, vocab);
  float sum = 0.f;
  for (int i = begin; i < end; ++i)
    if (x[i] >= limit) sum += __expf(x[i] - m);
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int d = 1; d < 1024; d <<= 1) {
    const float add = threadIdx.x >= d ? sums[threadIdx.x - d] : 0.f;
    __syncthreads();
    sums[threadIdx.x] += add;
    __syncthreads();
  }
  const float target = uniform[blockIdx.x] * sums[1023];
  float run = threadIdx.x ? sums[threadIdx.x - 1] : 0.f;
  if (run <= target && target < sums[threadIdx.x]) {
    for (int i = begin; i < end; ++i)
      if (x[i] >= limit) {
        run += __expf(x[i] - m);
        if (run > target) {
          chosen = i;
          break;
        }
      }
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = chosen;
}

// Drafts by looking up the last words in the text so far: the latest match of an n-gram.
__global__ void ngram_propose(const int* tokens, const int* lengths, int* drafts, int capacity, int n, int k) {
  __shared__ int found;
  const int* text = tokens + (size_t)blockIdx.x * capacity;
  int len = lengths[blockIdx.x];
  if (threadIdx.x == 0) found = -1;
  __syncthreads();
  for (int i = threadIdx.x; i + n < len; i += blockDim.x) {
    bool same = true;
    for (int j = 0; j < n && same; j++) same = text[i + j] == text[len - n + j];
    if (same) atomicMax(&found, i);
  }
  __syncthreads();
  for (int j = threadIdx.x; j < k; j += blockDim.x) {
    int at = found + n + j;
    drafts[blockIdx.x * k + j] = found >= 0 && at < len ? text[at] : -1;
  }
}

// New latent rows into a cache of 8-bit floats, the turned part behind.
__global__ void concat_and_cache_mla(const bf16* __restrict__ kv_c, const bf16* __restrict__ k_pe, fp8* __restrict__ cache, const int64_t* __restrict__ slot_mapping, int rank, int pe, const float* __restrict__ scale) {
  const int64_t token = blockIdx.x, slot = slot_mapping[token];
  if (slot < 0) return;
  auto copy = [&](const bf16* src, int n, int offset) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) cache[slot * (rank + pe) + offset + i] = fp8(__bfloat162float(src[token * n + i]) / *scale);
  };
  copy(kv_c, rank, 0);
  copy(k_pe, pe, rank);
}

// Positions of text, rows and columns in one head: sections of the cosines come from three tables.
__global__ void mrope_three_sections(bf16* __restrict__ q, const float2* __restrict__ cos_sin, const int* __restrict__ positions, int tokens, int heads, int half_dim, int s0, int s1) {
  const int token = blockIdx.x;
  for (int i = threadIdx.x; i < heads * half_dim; i += blockDim.x) {
    const int d = i % half_dim, head = i / half_dim;
    const int axis = d < s0 ? 0 : d < s0 + s1 ? 1 : 2;
    const float2 cs = __ldg(&cos_sin[positions[axis * tokens + token] * half_dim + d]);
    bf16* p = q + ((size_t)token * heads + head) * 2 * half_dim + d;
    const float x = __bfloat162float(p[0]), y = __bfloat162float(p[half_dim]);
    p[0] = __float2bfloat16(x * cs.x - y * cs.y);
    p[half_dim] = __float2bfloat16(y * cs.x + x * cs.y);
  }
}

// Adapters of many requests, first half: a warp makes one of a token's rank outputs.
__global__ void bgmv_shrink(float* __restrict__ y, const __half* __restrict__ x, const __half* __restrict__ a, const int64_t* __restrict__ adapter, int rank, int hidden) {
  const int token = blockIdx.y, r = blockIdx.x * blockDim.y + threadIdx.y;
  const int64_t id = adapter[token];
  if (id < 0 || r >= rank) return;
  const uint4 *xv = reinterpret_cast<const uint4*>(x + (size_t)token * hidden), *av = reinterpret_cast<const uint4*>(a + ((size_t)id * rank + r) * hidden);
  float sum = 0.f;
  for (int i = threadIdx.x; i < hidden / 8; i += 32) {
    const uint4 p = xv[i], q = __ldg(av + i);
    const __half2 *ph = reinterpret_cast<const __half2*>(&p), *qh = reinterpret_cast<const __half2*>(&q);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float2 u = __half22float2(ph[j]), v = __half22float2(qh[j]);
      sum += u.x * v.x + u.y * v.y;
    }
  }
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
  if (threadIdx.x == 0) y[token * rank + r] = sum;
}

// Second half: rank inputs to all outputs, added.
template <int RANK>
__global__ void bgmv_expand(__half* __restrict__ y, const float* __restrict__ x, const __half* __restrict__ b, const int64_t* __restrict__ adapter, int out_dim, float scale) {
  __shared__ float xs[RANK];
  const int token = blockIdx.y, o = blockIdx.x * blockDim.x + threadIdx.x;
  const int64_t id = adapter[token];
  if (id < 0) return;
  if (threadIdx.x < RANK) xs[threadIdx.x] = x[token * RANK + threadIdx.x] * scale;
  __syncthreads();
  if (o >= out_dim) return;
  const __half2* row = reinterpret_cast<const __half2*>(b + ((size_t)id * out_dim + o) * RANK);
  float sum = __half2float(y[(size_t)token * out_dim + o]);
#pragma unroll
  for (int i = 0; i < RANK / 2; ++i) {
    const float2 w = __half22float2(row[i]);
    sum += xs[2 * i] * w.x + xs[2 * i + 1] * w.y;
  }
  y[(size_t)token * out_dim + o] = __float2half(sum);
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const bf16* bf = on_device<bf16>(8 * M, [](uint32_t i) { return __float2bfloat16(fraction(i * 5 + 3) * 4 - 2); });
  bf16* bo = zeros<bf16>(8 * M);
  const __half* h = on_device<__half>(16 * M, [](uint32_t i) { return __float2half(fraction(i + 11) - 0.5f); });
  __half* ho = zeros<__half>(8 * M);
  float* f = on_device<float>(4 * M, [](uint32_t i) { return fraction(i * 3 + 1) * 8 - 4; });
  float* out = zeros<float>(4 * M);
  const fp8* q8 = on_device<fp8>(4 * M, [](uint32_t i) { return fp8(fraction(i * 9) * 16 - 8); });
  fp8* o8 = zeros<fp8>(8 * M);
  const float* scale = on_device<float>(1, [](uint32_t) { return 0.02f; });
  const uint32_t* words = on_device<uint32_t>(2 * M, hashed);

  run("rms_norm_static_fp8_quant_4096", [&] { rms_norm_static_fp8_quant<<<1024, 512>>>(o8, bf, bf, scale, 1e-6f, 4096); });
  run("rms_norm_static_fp8_quant_7168", [&] { rms_norm_static_fp8_quant<<<48, 896>>>(o8, bf, bf, scale, 1e-6f, 7168); });
  const int* table = on_device<int>(16 * 64, [](uint32_t i) { return int(i * 389 % 1024); });
  const int* lens = on_device<int>(16, [](uint32_t i) { return i == 3 ? 1024 : int(120 + hashed(i + 40) % 890); });
  run("paged_attention_partition", [&] { paged_attention_partition<128, 16, 256, 128><<<dim3(16, 16, 4), 128>>>(out, out + 4096, out + 8192, h + 5000 * 8, h, h + 8 * M, 4, 0.088f, table, lens, 64); });
  run("paged_attention_reduce", [&] { paged_attention_reduce<128, 256><<<dim3(16, 16), 128, 16>>>(ho, out, out + 4096, out + 8192, lens, 4); });
  run("merge_attn_states", [&] { merge_attn_states<<<(900 * 32 * 16 + 127) / 128, 128>>>((uint4*)bo, out, (const uint4*)bf, f, (const uint4*)(bf + 4 * M), f + M, 900, 32, 128); });
  const int* pages = on_device<int>(24 * 8, [](uint32_t i) { return int(i * 101 % 192); });
  const int* mla_lens = on_device<int>(24, [](uint32_t i) { return int(60 + hashed(i) % 450); });
  run("mla_decode_latent", [&] { mla_decode_latent<<<dim3(16, 24), 256>>>((const bf162*)bf, (const bf162*)bf, pages, mla_lens, (bf162*)bo, 8, 0.06f); });
  run("silu_mul_group_fp8", [&] { silu_mul_group_fp8<<<(700 * 44 + 7) / 8, 256>>>(bf, o8, out, 700, 5632); });
  run("awq_dequantize_weights", [&] { awq_dequantize_weights<<<dim3(512 / 8, 1792 / 8), dim3(8, 8)>>>((const int*)words, h, (const int*)words + M, ho, 128); });
  run("w4a16_mma_m16_4096", [&] { w4a16_mma_m16<<<128, 128>>>(h, words, h + M, ho, 4096, 4096); });
  run("w4a16_mma_m16_1536", [&] { w4a16_mma_m16<<<48, 128>>>(h, words, h + M, ho, 1536, 8192); });
  run("fp8_blockscale_gemm_128", [&] { fp8_blockscale_gemm<64, 64, 32><<<dim3(24, 2), 256>>>(q8, q8 + M, f, f + M, bo, 128, 1536, 1024); });
  run("fp8_blockscale_gemm_30", [&] { fp8_blockscale_gemm<16, 64, 64><<<dim3(32, 2), 256>>>(q8, q8 + M, f, f + M, bo, 30, 2048, 1024); });
  const float* correction = on_device<float>(256, [](uint32_t i) { return 0.1f * fraction(i); });
  run("grouped_topk_sigmoid", [&] { grouped_topk_sigmoid<<<(3001 + 3) / 4, dim3(32, 4)>>>(f, correction, out, (int*)out + M, 3001); });
  // Eight experts, the first liked best.
  std::vector<int> sorted, tile_expert, tile_row, expert_end;
  for (int e = 0; e < 8; ++e) {
    const int begin = int(sorted.size());
    for (int i = 0; i < 2048; ++i) {
      const int want = int(hashed(i / 2) % 24), first = want < 9 ? want / 3 : 3 + want % 5, second = (first + 1 + int(hashed(i / 2 + 9000) % 7)) % 8;
      if ((i % 2 ? second : first) == e) sorted.push_back(i);
    }
    expert_end.push_back(int(sorted.size()));
    for (int r = begin; r < expert_end.back(); r += 64) tile_expert.push_back(e), tile_row.push_back(r);
  }
  const int *sorted_d = on_device(sorted), *te = on_device(tile_expert), *tr = on_device(tile_row), *ee = on_device(expert_end), tiles = int(te ? tile_expert.size() : 0);
  run("moe_permute_rows", [&] { moe_permute_rows<<<528, 256>>>((const uint4*)h, sorted_d, (uint4*)ho, 2048, 2, 4096 / 8); });
  run("moe_grouped_gemm", [&] { moe_grouped_gemm<<<dim3(8, tiles), 128>>>(h, h + 4 * M, te, tr, ee, ho, 512, 1024); });
  const unsigned char* in_prompt = on_device<unsigned char>(40 * 32000, [](uint32_t i) { return (unsigned char)(hashed(i) % 40 == 0); });
  const int* counts = on_device<int>(40 * 32000, [](uint32_t i) { return hashed(i + 5) % 60 == 0 ? int(hashed(i) % 4) : 0; });
  const float* knobs = on_device<float>(64, [](uint32_t i) { return 0.7f + 0.6f * fraction(i); });
  run("apply_penalties", [&] { apply_penalties<<<dim3(16, 40), 256>>>(f, in_prompt, counts, knobs, knobs + 1, knobs + 2, knobs + 3, 32000); });
  const int* bits = on_device<int>(64 * 4008, [](uint32_t i) { return hashed(i) % 3 == 0 ? -1 : hashed(i) % 3 == 1 ? 0 : int(hashed(i + 3)); });
  const int* rows = on_device<int>(48, [](uint32_t i) { return int(47 - i); });
  run("grammar_bitmask_half", [&] { grammar_bitmask_half<<<dim3((128256 / 8 + 255) / 256, 48), 256>>>(ho, bits, rows, 128256, 4008); });
  const float* uniform = on_device<float>(64, fraction);
  const float* logits = on_device<float>(2 * M, [](uint32_t i) { return 18.f * fraction(i) * fraction(i + 77); });
  run("min_p_sample_32000", [&] { min_p_sample<<<40, 1024>>>(logits, uniform, (int*)out, 32000, 0.05f); });
  const int* text = on_device<int>(128 * 4096, [](uint32_t i) { return int(hashed(hashed(i) % 200 / (1 + hashed(i + 9) % 8)) % 5000); });
  const int* text_lens = on_device<int>(128, [](uint32_t i) { return int(200 + hashed(i) % 3896); });
  run("ngram_propose", [&] { ngram_propose<<<128, 128>>>(text, text_lens, (int*)out, 4096, 3, 6); });
  const int64_t* slots = on_device<int64_t>(6000, [](uint32_t i) { return int64_t(i % 50 == 49 ? -1 : int64_t(i * 7919u % 12007u)); });
  run("concat_and_cache_mla", [&] { concat_and_cache_mla<<<6000, 512>>>(bf, bf + 4 * M, o8, slots, 512, 64, scale); });
  const float2* cos_sin = on_device<float2>(2048 * 64, [](uint32_t i) { const float t = float(i / 64) * std::pow(10000.f, -float(i % 64) / 64); return make_float2(std::cos(t), std::sin(t)); });
  const int* positions = on_device<int>(3 * 1400, [](uint32_t i) { const uint32_t t = i % 1400; return int(i < 1400 ? t : i < 2800 ? t / 40 : t % 40); });
  run("mrope_three_sections", [&] { mrope_three_sections<<<1400, 256>>>(bo, cos_sin, positions, 1400, 28, 64, 16, 24); });
  const int64_t* adapter = on_device<int64_t>(96, [](uint32_t i) { return int64_t(hashed(i) % 9) - 1; });
  run("bgmv_shrink_16", [&] { bgmv_shrink<<<dim3(4, 96), dim3(32, 4)>>>(out, h, h + M, adapter, 16, 4096); });
  run("bgmv_expand_16", [&] { bgmv_expand<16><<<dim3(16, 96), 256>>>(ho, out, h + M, adapter, 4096, 0.5f); });
  return 0;
}
