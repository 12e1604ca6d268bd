// Sequence models: attention forward and backward, caches of keys and values, rotary positions, masks, sampling, beam
// search, routing to experts, state spaces, recurrent cells, linear attention.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>

#include "cases.h"

typedef __nv_bfloat16 bf16;
using namespace nvcuda;

__inline__ __device__ float warpAllSum(float v) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) v += __shfl_xor_sync(0xffffffffu, v, mask, 32);
  return v;
}
__inline__ __device__ float warpAllMax(float v) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, mask, 32));
  return v;
}
template <bool MAX>
__inline__ __device__ float blockAllReduce(float v) {
  __shared__ float smem[32];
  const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
  v = MAX ? warpAllMax(v) : warpAllSum(v);
  if (lane == 0) smem[wid] = v;
  __syncthreads();
  v = lane < (blockDim.x + 31) / 32 ? smem[lane] : (MAX ? -INFINITY : 0.f);
  v = MAX ? warpAllMax(v) : warpAllSum(v);
  __syncthreads();
  return v;
}

// ---- attention, step by step ----

// Scores of the plain form: a thread a pair of positions, queries and keys inside (B, T, 3C).
__global__ void attention_scores_pair_thread(float* preatt, const float* inp, int B, int T, int C, int NH) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < B * NH * T * T) {
    int t2 = idx % T, t = (idx / T) % T;
    if (t2 > t) {
      preatt[idx] = -INFINITY;
      return;
    }
    int h = (idx / (T * T)) % NH, b = idx / (NH * T * T), hs = C / NH;
    const float *query_t = inp + (size_t)b * T * 3 * C + t * 3 * C + h * hs, *key_t2 = inp + (size_t)b * T * 3 * C + t2 * 3 * C + h * hs + C;
    float val = 0.0f;
    for (int i = 0; i < hs; i++) val += query_t[i] * key_t2[i];
    preatt[idx] = val * rsqrtf((float)hs);
  }
}

// Causal softmax, a warp a row: online over float4, the rows in reversed order, zeros are not written.
__global__ void softmax_causal_online_warp(float* out, float inv_temperature, const float* inp, int N, int T) {
  int idx = (gridDim.x - blockIdx.x - 1) * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (idx >= N * T) return;
  int own_pos = idx % T, pos_by_4 = own_pos / 4;
  const float* x = inp + (size_t)idx * T;
  float maxval = -1e30f, sumval = 0.0f;
  const float4* x_vec = reinterpret_cast<const float4*>(x);
  for (int i = lane; i < pos_by_4; i += 32) {
    float4 v = x_vec[i];
    float old_maxval = maxval;
    maxval = fmaxf(fmaxf(maxval, fmaxf(v.x, v.y)), fmaxf(v.z, v.w));
    sumval *= expf(inv_temperature * (old_maxval - maxval));
    sumval += expf(inv_temperature * (v.x - maxval)) + expf(inv_temperature * (v.y - maxval)) + expf(inv_temperature * (v.z - maxval)) + expf(inv_temperature * (v.w - maxval));
  }
  if (4 * pos_by_4 + lane <= own_pos) {
    float old_maxval = maxval;
    maxval = fmaxf(maxval, x[4 * pos_by_4 + lane]);
    sumval *= expf(inv_temperature * (old_maxval - maxval));
    sumval += expf(inv_temperature * (x[4 * pos_by_4 + lane] - maxval));
  }
  float global_maxval = warpAllMax(maxval);
  sumval *= expf(inv_temperature * (maxval - global_maxval));
  float norm = 1.f / warpAllSum(sumval);
  for (int i = lane; i <= own_pos; i += 32) __stcs(out + (size_t)idx * T + i, expf(inv_temperature * (__ldcs(x + i) - global_maxval)) * norm);
}

// ---- attention, fused ----

// The small version for learning: one query row a thread, keys and values by tiles of 32, scores in shared memory.
__global__ void flash_rows_tutorial(const float* Q, const float* K, const float* V, const int N, const float softmax_scale, float* l, float* m, float* O) {
  const int d = 64, Bc = 32, tx = threadIdx.x;
  const size_t qkv_offset = (size_t)blockIdx.y * N * d, row = (size_t)blockIdx.x * 32 + tx;
  __shared__ float Kj[Bc * d], Vj[Bc * d], S[Bc * (Bc + 1)];
  float q[d], o[d] = {0.f}, row_m = -INFINITY, row_l = 0.f;
  for (int x = 0; x < d; x++) q[x] = Q[qkv_offset + row * d + x];
  for (int j = 0; j < N / Bc; j++) {
    for (int x = tx; x < Bc * d; x += 32) {
      Kj[x] = K[qkv_offset + (size_t)j * Bc * d + x];
      Vj[x] = V[qkv_offset + (size_t)j * Bc * d + x];
    }
    __syncthreads();
    float tile_m = -INFINITY;
    for (int y = 0; y < Bc; y++) {
      float sum = 0;
#pragma unroll
      for (int x = 0; x < d; x++) sum += q[x] * Kj[y * d + x];
      S[tx * (Bc + 1) + y] = sum * softmax_scale;
      tile_m = fmaxf(tile_m, sum * softmax_scale);
    }
    const float new_m = fmaxf(row_m, tile_m), alpha = __expf(row_m - new_m);
    row_l *= alpha;
#pragma unroll
    for (int x = 0; x < d; x++) o[x] *= alpha;
    for (int y = 0; y < Bc; y++) {
      const float p = __expf(S[tx * (Bc + 1) + y] - new_m);
      row_l += p;
#pragma unroll
      for (int x = 0; x < d; x++) o[x] += p * Vj[y * d + x];
    }
    row_m = new_m;
    __syncthreads();
  }
  for (int x = 0; x < d; x++) O[qkv_offset + row * d + x] = o[x] / row_l;
  l[(size_t)blockIdx.y * N + row] = row_l;
  m[(size_t)blockIdx.y * N + row] = row_m;
}

// Tensor core version: four warps of 16 queries, tiles of 32 keys, output kept in shared memory between tiles.
__global__ void __launch_bounds__(128) fmha_wmma_d64(const __half* Q, const __half* K, const __half* V, __half* O, int T, int kv_len, int H, float scale) {
  constexpr int D = 64, LK = 72, LS = 36, LP = 40, LO = 68;
  __shared__ __align__(32) __half sK[32 * LK];
  __shared__ __align__(32) __half sV[32 * LK];
  __shared__ __align__(32) float sS[4][16 * LS];
  __shared__ __align__(32) __half sP[4][16 * LP];
  __shared__ __align__(32) float sO[4][16 * LO];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = lane / 2, part = lane % 2, stride = H * D;
  const size_t head = (size_t)blockIdx.z * T * stride + blockIdx.y * D;
  const int q0 = blockIdx.x * 64 + warp * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> q[4];
  for (int k = 0; k < 4; k++) wmma::load_matrix_sync(q[k], Q + head + (size_t)q0 * stride + k * 16, stride);
  for (int i = lane; i < 16 * LO; i += 32) sO[warp][i] = 0.f;
  float m = -INFINITY, l = 0.f;
  for (int k0 = 0; k0 < kv_len; k0 += 32) {
    for (int i = threadIdx.x; i < 256; i += 128) {
      const int r = i / 8, c = i % 8 * 8;
      const size_t at = head + (size_t)(k0 + r) * stride + c;
      *(int4*)&sK[r * LK + c] = k0 + r < kv_len ? *(const int4*)(K + at) : make_int4(0, 0, 0, 0);
      *(int4*)&sV[r * LK + c] = k0 + r < kv_len ? *(const int4*)(V + at) : make_int4(0, 0, 0, 0);
    }
    __syncthreads();
    for (int n = 0; n < 2; n++) {
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> s;
      wmma::fill_fragment(s, 0.f);
      for (int k = 0; k < 4; k++) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
        wmma::load_matrix_sync(b, &sK[n * 16 * LK + k * 16], LK);
        wmma::mma_sync(s, q[k], b, s);
      }
      wmma::store_matrix_sync(&sS[warp][n * 16], s, LS, wmma::mem_row_major);
    }
    __syncwarp();
    float s[16], tile_max = -INFINITY, sum = 0.f;
    for (int i = 0; i < 16; i++) {
      s[i] = k0 + part * 16 + i < kv_len ? sS[warp][row * LS + part * 16 + i] * scale : -INFINITY;
      tile_max = fmaxf(tile_max, s[i]);
    }
    tile_max = fmaxf(tile_max, __shfl_xor_sync(~0u, tile_max, 1));
    const float new_m = fmaxf(m, tile_max), alpha = __expf(m - new_m);
    for (int i = 0; i < 16; i++) {
      const float p = __expf(s[i] - new_m);
      sum += p;
      sP[warp][row * LP + part * 16 + i] = __float2half(p);
    }
    l = l * alpha + sum + __shfl_xor_sync(~0u, sum, 1);
    m = new_m;
    for (int i = 0; i < 32; i++) sO[warp][row * LO + part * 32 + i] *= alpha;
    __syncwarp();
    for (int n = 0; n < 4; n++) {
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> o;
      wmma::load_matrix_sync(o, &sO[warp][n * 16], LO, wmma::mem_row_major);
      for (int k = 0; k < 2; k++) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> p;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> v;
        wmma::load_matrix_sync(p, &sP[warp][k * 16], LP);
        wmma::load_matrix_sync(v, &sV[k * 16 * LK + n * 16], LK);
        wmma::mma_sync(o, p, v, o);
      }
      wmma::store_matrix_sync(&sO[warp][n * 16], o, LO, wmma::mem_row_major);
    }
    __syncthreads();
  }
  for (int i = 0; i < 32; i++) O[head + (size_t)(q0 + row) * stride + part * 32 + i] = __float2half(sO[warp][row * LO + part * 32 + i] / l);
}

// Gradients of keys and values: a thread a key, its vectors in registers, queries by tiles in shared memory.
template <int D, int QT>
__global__ void __launch_bounds__(64) mha_bwd_dkdv_key_thread(const float* q, const float* k, const float* v, const float* dout, const float* lse, const float* delta, float* dk, float* dv, int T, float scale) {
  __shared__ float qs[QT][D], dos[QT][D], ls[QT], ds[QT];
  const int key = blockIdx.x * blockDim.x + threadIdx.x;
  const size_t base = (size_t)blockIdx.y * T * D;
  float kr[D], vr[D], dkr[D] = {}, dvr[D] = {};
#pragma unroll
  for (int i = 0; i < D; i++) {
    kr[i] = k[base + (size_t)key * D + i];
    vr[i] = v[base + (size_t)key * D + i];
  }
  for (int q0 = blockIdx.x * blockDim.x / QT * QT; q0 < T; q0 += QT) {
    for (int i = threadIdx.x; i < QT * D; i += blockDim.x) {
      qs[i / D][i % D] = q[base + (size_t)q0 * D + i];
      dos[i / D][i % D] = dout[base + (size_t)q0 * D + i];
    }
    for (int i = threadIdx.x; i < QT; i += blockDim.x) {
      ls[i] = lse[blockIdx.y * T + q0 + i];
      ds[i] = delta[blockIdx.y * T + q0 + i];
    }
    __syncthreads();
    for (int r = 0; r < QT; r++) {
      if (q0 + r < key) continue;
      float s = 0.f, dp = 0.f;
#pragma unroll
      for (int i = 0; i < D; i++) {
        s += qs[r][i] * kr[i];
        dp += dos[r][i] * vr[i];
      }
      const float p = __expf(s * scale - ls[r]), g = p * (dp - ds[r]) * scale;
#pragma unroll
      for (int i = 0; i < D; i++) {
        dvr[i] += p * dos[r][i];
        dkr[i] += g * qs[r][i];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < D; i++) {
    dk[base + (size_t)key * D + i] = dkr[i];
    dv[base + (size_t)key * D + i] = dvr[i];
  }
}

// Attention in a sliding window with linear biases, a warp a query, two channels a lane.
__global__ void sliding_window_alibi_warp(const float2* q, const float2* k, const float2* v, float2* out, int T, int H, int window) {
  const int t = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32, h = blockIdx.y;
  if (t >= T) return;
  const float slope = exp2f(-8.f * (h + 1) / H);
  const float2 qv = q[((size_t)h * T + t) * 32 + lane];
  float m = -INFINITY, l = 0.f;
  float2 acc = make_float2(0.f, 0.f);
  for (int j = max(0, t - window + 1); j <= t; j++) {
    const float2 kv = k[((size_t)h * T + j) * 32 + lane], vv = v[((size_t)h * T + j) * 32 + lane];
    const float s = warpAllSum(qv.x * kv.x + qv.y * kv.y) * 0.125f - slope * (t - j);
    const float nm = fmaxf(m, s), a = __expf(m - nm), p = __expf(s - nm);
    acc.x = acc.x * a + p * vv.x;
    acc.y = acc.y * a + p * vv.y;
    l = l * a + p;
    m = nm;
  }
  out[((size_t)h * T + t) * 32 + lane] = make_float2(acc.x / l, acc.y / l);
}

// ---- decoding with a cache ----

// Attention of one query over pages of 16 tokens; keys as [page, head, 16, 16 tokens, 8], values as [page, head, 128, 16 tokens].
__global__ void paged_attention_decode_h128(__half* out, const __half* q, const __half* k_cache, const __half* v_cache, const int* block_tables, const int* context_lens, int num_heads, int max_blocks, float scale) {
  constexpr int HEAD = 128, BLOCK = 16, X = 8;
  extern __shared__ float logits[];
  __shared__ float q_vec[HEAD];
  const int head = blockIdx.x, seq = blockIdx.y, tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
  const int context_len = context_lens[seq], num_blocks = (context_len + BLOCK - 1) / BLOCK;
  const int* table = block_tables + seq * max_blocks;
  q_vec[tid] = __half2float(q[((size_t)seq * num_heads + head) * HEAD + tid]) * scale;
  __syncthreads();
  float qk_max = -INFINITY;
  const int token = lane / 2, part = lane % 2;
  for (int b = warp; b < num_blocks; b += 4) {
    const __half* k_ptr = k_cache + ((size_t)table[b] * num_heads + head) * HEAD * BLOCK;
    float qk = 0.f;
#pragma unroll
    for (int j = part; j < HEAD / X; j += 2) {
      const uint4 bits = *reinterpret_cast<const uint4*>(k_ptr + (j * BLOCK + token) * X);
      const __half2* h = reinterpret_cast<const __half2*>(&bits);
      for (int e = 0; e < 4; e++) {
        const float2 f = __half22float2(h[e]);
        qk += f.x * q_vec[j * X + 2 * e] + f.y * q_vec[j * X + 2 * e + 1];
      }
    }
    qk += __shfl_xor_sync(~0u, qk, 1);
    const bool masked = b * BLOCK + token >= context_len;
    if (part == 0) logits[b * BLOCK + token] = masked ? -INFINITY : qk;
    if (!masked) qk_max = fmaxf(qk_max, qk);
  }
  qk_max = blockAllReduce<true>(qk_max);
  float exp_sum = 0.f;
  for (int i = tid; i < num_blocks * BLOCK; i += blockDim.x) {
    const float val = __expf(logits[i] - qk_max);
    logits[i] = val;
    exp_sum += val;
  }
  exp_sum = blockAllReduce<false>(exp_sum);
  float acc = 0.f;
  for (int b = 0; b < num_blocks; b++) {
    const __half* v_ptr = v_cache + (((size_t)table[b] * num_heads + head) * HEAD + tid) * BLOCK;
    for (int part8 = 0; part8 < 2; part8++) {
      const uint4 bits = *reinterpret_cast<const uint4*>(v_ptr + part8 * 8);
      const __half* h = reinterpret_cast<const __half*>(&bits);
      for (int e = 0; e < 8; e++) acc += logits[b * BLOCK + part8 * 8 + e] * __half2float(h[e]);
    }
  }
  out[((size_t)seq * num_heads + head) * HEAD + tid] = __float2half(acc / exp_sum);
}

// Grouped queries over one split of the cache: asynchronous copies into two buffers, a warp a query head.
__device__ __forceinline__ void cp_async16(void* smem, const void* gmem) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"((uint32_t)__cvta_generic_to_shared(smem)), "l"(gmem));
}
__global__ void __launch_bounds__(128) gqa_flash_decode_cp_async(const __half* q, const __half* k, const __half* v, float* partial, float* lse, int S, int Hkv, int tiles_per_split, float scale) {
  constexpr int D = 128, LD = D + 8;
  __shared__ __align__(16) __half sk[2][32][LD];
  __shared__ __align__(16) __half sv[2][32][LD];
  __shared__ float sq[4][D];
  const int tid = threadIdx.x, g = tid / 32, lane = tid % 32, split = blockIdx.x, hkv = blockIdx.y, b = blockIdx.z;
  const int hq = hkv * 4 + g, Hq = Hkv * 4;
  for (int i = lane; i < D; i += 32) sq[g][i] = __half2float(q[((size_t)b * Hq + hq) * D + i]) * scale;
  const size_t first = ((size_t)b * S + (size_t)split * tiles_per_split * 32) * Hkv + hkv;
  auto copy = [&](int tile, int buffer) {
    for (int i = tid; i < 32 * 16; i += 128) {
      const size_t at = (first + (size_t)(tile * 32 + i / 16) * Hkv) * D + i % 16 * 8;
      cp_async16(&sk[buffer][i / 16][i % 16 * 8], k + at);
      cp_async16(&sv[buffer][i / 16][i % 16 * 8], v + at);
    }
    asm volatile("cp.async.commit_group;\n");
  };
  copy(0, 0);
  float m = -INFINITY, l = 0.f, acc[4] = {};
  for (int tile = 0; tile < tiles_per_split; tile++) {
    if (tile + 1 < tiles_per_split) {
      copy(tile + 1, (tile + 1) & 1);
      asm volatile("cp.async.wait_group 1;\n");
    } else {
      asm volatile("cp.async.wait_group 0;\n");
    }
    __syncthreads();
    float s = 0.f;
#pragma unroll 4
    for (int c = 0; c < D / 8; c++) {
      const uint4 bits = *reinterpret_cast<const uint4*>(&sk[tile & 1][lane][c * 8]);
      const __half2* h = reinterpret_cast<const __half2*>(&bits);
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const float2 f = __half22float2(h[e]);
        s += f.x * sq[g][c * 8 + 2 * e] + f.y * sq[g][c * 8 + 2 * e + 1];
      }
    }
    const float nm = fmaxf(m, warpAllMax(s)), alpha = __expf(m - nm), p = __expf(s - nm);
    l = l * alpha + warpAllSum(p);
    m = nm;
    for (int e = 0; e < 4; e++) acc[e] *= alpha;
    for (int t = 0; t < 32; t++) {
      const float pt = __shfl_sync(~0u, p, t);
      const __half2* h = reinterpret_cast<const __half2*>(&sv[tile & 1][t][lane * 4]);
      const float2 a = __half22float2(h[0]), c = __half22float2(h[1]);
      acc[0] += pt * a.x;
      acc[1] += pt * a.y;
      acc[2] += pt * c.x;
      acc[3] += pt * c.y;
    }
    __syncthreads();
  }
  const size_t row = ((size_t)split * gridDim.z + b) * Hq + hq;
  for (int e = 0; e < 4; e++) partial[row * D + lane * 4 + e] = acc[e] / l;
  if (lane == 0) lse[row] = m + __logf(l);
}

// Rotary positions in place on queries and keys of one token a block; cosines and sines from a table.
template <typename scalar_t, bool IS_NEOX>
__global__ void rotary_positions_inplace(const int64_t* positions, scalar_t* query, scalar_t* key, const scalar_t* cos_sin, int rot_dim, int query_stride, int key_stride, int num_heads, int num_kv_heads, int head_size) {
  const int token = blockIdx.x, embed_dim = rot_dim / 2;
  const scalar_t *cos_ptr = cos_sin + positions[token] * rot_dim, *sin_ptr = cos_ptr + embed_dim;
  for (int i = threadIdx.x; i < (num_heads + num_kv_heads) * embed_dim; i += blockDim.x) {
    const int head = i / embed_dim, off = i % embed_dim;
    scalar_t* arr = head < num_heads ? query + (size_t)token * query_stride + head * head_size : key + (size_t)token * key_stride + (head - num_heads) * head_size;
    const int xi = IS_NEOX ? off : 2 * off, yi = IS_NEOX ? embed_dim + off : 2 * off + 1;
    const float c = (float)cos_ptr[off], s = (float)sin_ptr[off], x = (float)arr[xi], y = (float)arr[yi];
    arr[xi] = (scalar_t)(x * c - y * s);
    arr[yi] = (scalar_t)(y * c + x * s);
  }
}

// New keys and values written into their slots of a paged cache as fp8; slots below zero are padding.
__global__ void write_kv_slots_fp8(const __half* key, const __half* value, uint8_t* key_cache, uint8_t* value_cache, const int* slot_mapping, int num_heads, int head_size, int block_size, float k_inv_scale, float v_inv_scale) {
  const int token = blockIdx.x, slot = slot_mapping[token], x = 16;
  if (slot < 0) return;
  const size_t block = slot / block_size;
  const int offset = slot % block_size, n = num_heads * head_size;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const int head = i / head_size, d = i % head_size;
    const size_t kdst = (((block * num_heads + head) * (head_size / x) + d / x) * block_size + offset) * x + d % x;
    const size_t vdst = ((block * num_heads + head) * head_size + d) * block_size + offset;
    key_cache[kdst] = __nv_cvt_float_to_fp8(__half2float(key[(size_t)token * n + i]) * k_inv_scale, __NV_SATFINITE, __NV_E4M3);
    value_cache[vdst] = __nv_cvt_float_to_fp8(__half2float(value[(size_t)token * n + i]) * v_inv_scale, __NV_SATFINITE, __NV_E4M3);
  }
}

// Mask of packed sequences as bits, a thread a pair: the same document, causal, and no padding.
__global__ void packed_documents_mask_bits(const int* segment, uint32_t* bits, int T) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x, q = blockIdx.y;
  const int sq = segment[q];
  const unsigned word = __ballot_sync(~0u, k < T && k <= q && sq >= 0 && segment[min(k, T - 1)] == sq);
  if (threadIdx.x % 32 == 0 && k < T) bits[(size_t)q * (T / 32) + k / 32] = word;
}

// ---- sampling ----

// The k largest of a row by four passes of eight bits from the top, then one pass that collects.
__device__ uint32_t ordered_bits(float f) {
  const uint32_t b = __float_as_uint(f);
  return b & 0x80000000u ? ~b : b | 0x80000000u;
}
__global__ void __launch_bounds__(1024) radix_topk_row(const float* logits, float* values, int* indices, int V, int k) {
  __shared__ int hist[256];
  __shared__ uint32_t prefix;
  __shared__ int remaining, taken, ties;
  const float* row = logits + (size_t)blockIdx.x * V;
  if (threadIdx.x == 0) prefix = 0, remaining = k, taken = 0, ties = 0;
  for (int shift = 24; shift >= 0; shift -= 8) {
    if (threadIdx.x < 256) hist[threadIdx.x] = 0;
    __syncthreads();
    const uint32_t mask = shift == 24 ? 0u : ~0u << (shift + 8), wanted = prefix;
    for (int i = threadIdx.x; i < V; i += blockDim.x) {
      const uint32_t b = ordered_bits(row[i]);
      if ((b & mask) == wanted) atomicAdd(&hist[b >> shift & 255], 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      int digit = 255, left = remaining;
      while (digit > 0 && hist[digit] < left) left -= hist[digit--];
      remaining = left;
      prefix = wanted | (uint32_t)digit << shift;
    }
    __syncthreads();
  }
  const uint32_t kth = prefix;
  for (int i = threadIdx.x; i < V; i += blockDim.x) {
    const float f = row[i];
    const uint32_t b = ordered_bits(f);
    if (b > kth || (b == kth && atomicAdd(&ties, 1) < remaining)) {
      const int at = atomicAdd(&taken, 1);
      if (at < k) values[blockIdx.x * k + at] = f, indices[blockIdx.x * k + at] = i;
    }
  }
}

// One token a row by the largest of logits plus Gumbel noise.
__device__ uint32_t pcg_step(uint32_t v) {
  const uint32_t state = v * 747796405u + 2891336453u, word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
  return word >> 22 ^ word;
}
__global__ void gumbel_argmax_sample(const __half* logits, int* token, int V, const float* temperature, uint32_t seed) {
  __shared__ float best_v[32];
  __shared__ int best_i[32];
  const __half* row = logits + (size_t)blockIdx.x * V;
  const float inv_t = 1.f / temperature[blockIdx.x];
  float bv = -INFINITY;
  int bi = 0;
  for (int i = threadIdx.x; i < V; i += blockDim.x) {
    const float u = ((pcg_step(i ^ pcg_step(seed + blockIdx.x)) >> 8) + 0.5f) * 5.9604645e-8f;
    const float v = __half2float(row[i]) * inv_t - __logf(-__logf(u));
    if (v > bv) bv = v, bi = i;
  }
  for (int o = 16; o > 0; o >>= 1) {
    const float ov = __shfl_down_sync(~0u, bv, o);
    const int oi = __shfl_down_sync(~0u, bi, o);
    if (ov > bv || (ov == bv && oi < bi)) bv = ov, bi = oi;
  }
  if (threadIdx.x % 32 == 0) best_v[threadIdx.x / 32] = bv, best_i[threadIdx.x / 32] = bi;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; w++)
      if (best_v[w] > bv) bv = best_v[w], bi = best_i[w];
    token[blockIdx.x] = bi;
  }
}

// Beam search: the candidates of all beams of a sentence sorted in shared memory, the best ones become the new beams.
__global__ void beam_candidates_bitonic(const float* cand_logp, const int* cand_token, const float* beam_score, float* new_score, int* parent, int* token, int beams, int per_beam, float length_norm) {
  __shared__ float key[128];
  __shared__ short id[128];
  const int t = threadIdx.x, n = beams * per_beam;
  key[t] = t < n ? (beam_score[blockIdx.x * beams + t / per_beam] + cand_logp[(size_t)blockIdx.x * n + t]) * length_norm : -INFINITY;
  id[t] = t;
  __syncthreads();
  for (int size = 2; size <= 128; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      const int other = t ^ stride;
      if (other > t) {
        const bool descending = (t & size) == 0;
        if ((key[t] < key[other]) == descending) {
          const float k = key[t];
          key[t] = key[other], key[other] = k;
          const short s = id[t];
          id[t] = id[other], id[other] = s;
        }
      }
      __syncthreads();
    }
  if (t < beams) {
    new_score[blockIdx.x * beams + t] = key[t] / length_norm;
    parent[blockIdx.x * beams + t] = id[t] / per_beam;
    token[blockIdx.x * beams + t] = id[t] < n ? cand_token[(size_t)blockIdx.x * n + id[t]] : 0;
  }
}

// Penalties for repetition: the tokens seen so far as bits in shared memory, then one pass over the row.
__global__ void repetition_penalty_bitset(const float* logits, float* out, const int* history, const int* lengths, int V, int max_len, float penalty, float presence) {
  extern __shared__ unsigned seen[];
  for (int i = threadIdx.x; i < (V + 31) / 32; i += blockDim.x) seen[i] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < lengths[blockIdx.x]; i += blockDim.x) {
    const int t = history[blockIdx.x * max_len + i];
    atomicOr(&seen[t / 32], 1u << t % 32);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < V; i += blockDim.x) {
    float v = logits[(size_t)blockIdx.x * V + i];
    if (seen[i / 32] >> i % 32 & 1) v = (v > 0.f ? v / penalty : v * penalty) - presence;
    out[(size_t)blockIdx.x * V + i] = v;
  }
}

// ---- experts ----

// Gate of 64 experts, a warp a token: softmax, then the best K one after another, renormalized.
template <int K>
__global__ void moe_gate64_topk_warp(const float2* gating, float* weights, int* experts, int tokens) {
  const int token = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (token >= tokens) return;
  float2 p = gating[(size_t)token * 32 + lane];
  const float m = warpAllMax(fmaxf(p.x, p.y));
  p.x = __expf(p.x - m);
  p.y = __expf(p.y - m);
  float total = 0.f, mine = 0.f;
  int expert = 0;
  for (int k = 0; k < K; k++) {
    float v = fmaxf(p.x, p.y);
    int e = p.x >= p.y ? 2 * lane : 2 * lane + 1;
    for (int o = 16; o > 0; o >>= 1) {
      const float ov = __shfl_xor_sync(~0u, v, o);
      const int oe = __shfl_xor_sync(~0u, e, o);
      if (ov > v || (ov == v && oe < e)) v = ov, e = oe;
    }
    total += v;
    if (lane == k) mine = v, expert = e;
    if (e == 2 * lane) p.x = -1.f;
    if (e == 2 * lane + 1) p.y = -1.f;
  }
  if (lane < K) {
    weights[token * K + lane] = mine / total;
    experts[token * K + lane] = expert;
  }
}

// Assignments sorted by expert and padded to whole tiles, all in one block.
__global__ void moe_align_tiles_one_block(const int* topk_ids, int* sorted_ids, int* tile_expert, int* total_padded, int numel, int E, int tile) {
  extern __shared__ int counts[];  // (threads + 1) x E, then E + 1 starts
  int* starts = counts + (blockDim.x + 1) * E;
  const int per_thread = (numel + blockDim.x - 1) / blockDim.x, begin = threadIdx.x * per_thread, end = min(numel, begin + per_thread);
  for (int i = threadIdx.x; i < (blockDim.x + 1) * E; i += blockDim.x) counts[i] = 0;
  __syncthreads();
  for (int i = begin; i < end; i++) ++counts[(threadIdx.x + 1) * E + topk_ids[i]];
  __syncthreads();
  if (threadIdx.x < E)
    for (int t = 1; t <= blockDim.x; t++) counts[t * E + threadIdx.x] += counts[(t - 1) * E + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    starts[0] = 0;
    for (int e = 0; e < E; e++) starts[e + 1] = starts[e] + (counts[blockDim.x * E + e] + tile - 1) / tile * tile;
    *total_padded = starts[E];
  }
  __syncthreads();
  if (threadIdx.x < E)
    for (int i = starts[threadIdx.x]; i < starts[threadIdx.x + 1]; i += tile) tile_expert[i / tile] = threadIdx.x;
  for (int i = begin; i < end; i++) {
    const int e = topk_ids[i];
    sorted_ids[starts[e] + counts[threadIdx.x * E + e]++] = i;
  }
}

// The experts' rows brought back to their tokens and added by their weights, a block a token.
__global__ void moe_finalize_weighted_rows(const uint4* expert_out, const int* row_of, const float* weights, uint4* out, int hidden8, int K) {
  const int token = blockIdx.x;
  for (int c = threadIdx.x; c < hidden8; c += blockDim.x) {
    float acc[8] = {};
    for (int k = 0; k < K; k++) {
      const uint4 bits = expert_out[(size_t)row_of[token * K + k] * hidden8 + c];
      const bf16* h = reinterpret_cast<const bf16*>(&bits);
      const float w = weights[token * K + k];
      for (int e = 0; e < 8; e++) acc[e] += w * __bfloat162float(h[e]);
    }
    uint4 packed;
    bf16* h = reinterpret_cast<bf16*>(&packed);
    for (int e = 0; e < 8; e++) h[e] = __float2bfloat16(acc[e]);
    out[(size_t)token * hidden8 + c] = packed;
  }
}

// ---- state spaces and recurrent cells ----

// Selective scan: a thread a channel with its 16 states in registers, the shared B and C by chunks of 32 steps.
__global__ void selective_scan_channel_thread(const float* u, const float* delta, const float* A_log, const float* Bm, const float* Cm, const float* D, const float* z, float* y, int L, int dim) {
  constexpr int N = 16, CH = 32;
  __shared__ float sB[CH][N], sC[CH][N];
  const int c = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
  float h[N] = {}, A[N];
#pragma unroll
  for (int n = 0; n < N; n++) A[n] = -expf(A_log[c * N + n]);
  for (int l0 = 0; l0 < L; l0 += CH) {
    for (int i = threadIdx.x; i < CH * N; i += blockDim.x) {
      sB[i / N][i % N] = Bm[((size_t)b * L + l0) * N + i];
      sC[i / N][i % N] = Cm[((size_t)b * L + l0) * N + i];
    }
    __syncthreads();
    for (int t = 0; t < CH; t++) {
      const size_t at = ((size_t)b * L + l0 + t) * dim + c;
      const float uv = u[at], raw = delta[at], dt = raw > 20.f ? raw : log1pf(__expf(raw)), zv = z[at];
      float acc = D[c] * uv;
#pragma unroll
      for (int n = 0; n < N; n++) {
        h[n] = h[n] * __expf(dt * A[n]) + dt * uv * sB[t][n];
        acc += h[n] * sC[t][n];
      }
      y[at] = acc * zv / (1.f + __expf(-zv));
    }
    __syncthreads();
  }
}

// One step of an LSTM after its products: gates, cell and hidden state, and what the backward pass needs.
template <typename T>
__global__ void lstm_gates_pointwise(const T* igates, const T* hgates, const T* bias, const T* cx, T* hy, T* cy, T* workspace, int hsz, int total) {
  for (int li = blockIdx.x * blockDim.x + threadIdx.x; li < total; li += gridDim.x * blockDim.x) {
    const int offset = li / hsz * 4 * hsz + li % hsz, col = li % hsz;
    float g[4];
    for (int k = 0; k < 4; k++) {
      g[k] = (float)igates[offset + k * hsz] + (float)hgates[offset + k * hsz] + (float)bias[col + k * hsz];
      g[k] = k == 2 ? tanhf(g[k]) : 1.f / (1.f + __expf(-g[k]));
      workspace[offset + k * hsz] = (T)g[k];
    }
    const float c = g[1] * (float)cx[li] + g[0] * g[2];
    cy[li] = (T)c;
    hy[li] = (T)(g[3] * tanhf(c));
  }
}

// A whole GRU sequence in one block a sample: a thread a gate row, recurrent weights read in half precision at each step.
template <int HID>
__global__ void gru_sequence_block(const float* xg, const __half* Wh, const float* bh, float* out, int steps) {
  __shared__ float h[HID], gate[3 * HID];
  const int t = threadIdx.x;
  if (t < HID) h[t] = 0.f;
  __syncthreads();
  for (int s = 0; s < steps; s++) {
    float acc = bh[t];
#pragma unroll 8
    for (int k = 0; k < HID; k++) acc += h[k] * __half2float(Wh[k * 3 * HID + t]);
    const float xv = xg[((size_t)blockIdx.x * steps + s) * 3 * HID + t];
    gate[t] = t < 2 * HID ? 1.f / (1.f + __expf(-(acc + xv))) : acc;
    __syncthreads();
    if (t >= 2 * HID) {
      const int i = t - 2 * HID;
      const float n = tanhf(xv + gate[i] * gate[t]), hn = (1.f - gate[HID + i]) * n + gate[HID + i] * h[i];
      h[i] = hn;
      out[((size_t)blockIdx.x * steps + s) * HID + i] = hn;
    }
    __syncthreads();
  }
}

// Linear attention: the state of one chunk, elu(K) + 1 transposed times V, 4x4 a thread.
__global__ void linear_attention_chunk_state(const bf16* k, const bf16* v, float* state, float* ksum, int T) {
  __shared__ float ks[64][64], vs[64][64];
  const int tid = threadIdx.x, r0 = tid / 16 * 4, c0 = tid % 16 * 4;
  const size_t base = ((size_t)blockIdx.y * T + blockIdx.x * 64) * 64;
  for (int i = tid; i < 4096; i += 256) {
    const float x = __bfloat162float(k[base + i]);
    ks[i / 64][i % 64] = x > 0.f ? x + 1.f : __expf(x);
    vs[i / 64][i % 64] = __bfloat162float(v[base + i]);
  }
  __syncthreads();
  float acc[4][4] = {}, sum = 0.f;
  for (int t = 0; t < 64; t++) {
    const float4 a = *(const float4*)&ks[t][r0], b = *(const float4*)&vs[t][c0];
    const float ar[4] = {a.x, a.y, a.z, a.w}, br[4] = {b.x, b.y, b.z, b.w};
    for (int i = 0; i < 16; i++) acc[i / 4][i % 4] += ar[i / 4] * br[i % 4];
    if (tid < 64) sum += ks[t][tid];
  }
  const size_t chunk = (size_t)blockIdx.y * gridDim.x + blockIdx.x;
  for (int i = 0; i < 4; i++) *(float4*)&state[chunk * 4096 + (r0 + i) * 64 + c0] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
  if (tid < 64) ksum[chunk * 64 + tid] = sum;
}

// Time mixing with an exponential decay, a thread a channel along the whole sequence.
__global__ void time_mix_decay_scan(const int T, const int C, const float* w_, const float* u_, const float* k_, const float* v_, float* y_) {
  const int idx = blockIdx.x * blockDim.x + threadIdx.x, b = idx / C, c = idx % C;
  const size_t offset = (size_t)b * T * C + c;
  const float u = u_[c], w = -__expf(w_[c]);
  float p = 0, q = 0, o = -1e38f;
  for (int i = 0; i < T; i++) {
    const float kk = k_[offset + (size_t)i * C], vv = v_[offset + (size_t)i * C];
    float no = fmaxf(o, u + kk), A = expf(o - no), B = expf(u + kk - no);
    y_[offset + (size_t)i * C] = (A * p + B * vv) / (A * q + B);
    no = fmaxf(w + o, kk);
    A = expf(w + o - no);
    B = expf(kk - no);
    p = A * p + B * vv;
    q = A * q + B;
    o = no;
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 24;
  float* x = on_device<float>(M, [](uint32_t i) { return fraction(i) * 2 - 1; });
  float* y = on_device<float>(M, [](uint32_t i) { return fraction(i + 77777777) - 0.5f; });
  float* positive = on_device<float>(1 << 22, [](uint32_t i) { return fraction(i) + 0.01f; });
  __half* xh = on_device<__half>(M, [](uint32_t i) { return __float2half(fraction(i) * 2 - 1); });
  __half* yh = on_device<__half>(M, [](uint32_t i) { return __float2half(fraction(i + 5555) - 0.5f); });
  bf16* xb = on_device<bf16>(M, [](uint32_t i) { return __float2bfloat16(fraction(i) * 2 - 1); });
  float *o = zeros<float>(M), *o2 = zeros<float>(1 << 23), *stats = zeros<float>(1 << 20);
  int* ints = zeros<int>(1 << 20);

  run("attention_scores_pair_thread", [&] { attention_scores_pair_thread<<<2 * 12 * 256, 256>>>(o, x, 2, 256, 768, 12); });
  run("softmax_causal_online_warp", [&] { softmax_causal_online_warp<<<12 * 1024 / 8, 256>>>(o, 0.125f, x, 12, 1024); });

  run("flash_rows_tutorial", [&] { flash_rows_tutorial<<<dim3(256 / 32, 48), 32>>>(x, y, x + 1000000, 256, 0.125f, stats, stats + 20000, o); });
  run("fmha_wmma_d64", [&] { fmha_wmma_d64<<<dim3(512 / 64, 12, 4), 128>>>(xh, yh, xh + 1600000, (__half*)o, 512, 500, 12, 0.125f); });
  run("mha_bwd_dkdv_key_thread", [&] { mha_bwd_dkdv_key_thread<32, 32><<<dim3(512 / 64, 32), 64>>>(x, y, x + 1000000, y + 1000000, positive, y, o, o + 1000000, 512, 0.17f); });
  run("sliding_window_alibi_warp", [&] { sliding_window_alibi_warp<<<dim3(1024 / 4, 8), 128>>>((const float2*)x, (const float2*)y, (const float2*)x + 600000, (float2*)o, 1024, 8, 96); });

  const int* block_tables = on_device<int>(64 * 40, [](uint32_t i) { return int(hashed(i) % 1024); });
  const int* context_lens = on_device<int>(64, [](uint32_t i) { return int(100 + hashed(i) % 540); });
  run("paged_attention_decode_h128", [&] { paged_attention_decode_h128<<<dim3(8, 64), 128, 640 * sizeof(float)>>>((__half*)o, yh, xh, yh, block_tables, context_lens, 8, 40, 0.088f); });
  run("gqa_flash_decode_cp_async", [&] { gqa_flash_decode_cp_async<<<dim3(8, 4, 8), 128>>>(yh, xh, yh, o, stats, 2048, 4, 8, 0.088f); });
  bf16* heads = on_device<bf16>(3000 * 20 * 128, [](uint32_t i) { return __float2bfloat16(fraction(i) - 0.5f); });
  const bf16* cos_sin = on_device<bf16>(4096 * 128, [](uint32_t i) { return __float2bfloat16(i / 64 % 2 ? 0.8f : 0.6f); });
  const int64_t* positions = on_device<int64_t>(3000, [](uint32_t i) { return int64_t(hashed(i / 700) % 3000 + i % 700); });
  run("rotary_positions_inplace_3000", [&] { rotary_positions_inplace<bf16, true><<<3000, 512>>>(positions, heads, heads + 3000 * 16 * 128, cos_sin, 128, 16 * 128, 4 * 128, 16, 4, 128); });
  run("rotary_positions_inplace_96", [&] { rotary_positions_inplace<bf16, false><<<96, 256>>>(positions, heads, heads + 3000 * 16 * 128, cos_sin, 64, 16 * 128, 4 * 128, 16, 4, 128); });
  const int* slots = on_device<int>(2048, [](uint32_t i) { return i % 13 == 0 ? -1 : int(i / 16 * 37 % 512 * 16 + i % 16); });
  run("write_kv_slots_fp8", [&] { write_kv_slots_fp8<<<2048, 256>>>(xh, yh, (uint8_t*)o, (uint8_t*)o2, slots, 8, 128, 16, 8.f, 4.f); });
  const int* segment = on_device<int>(4096, [](uint32_t i) { return i > 4000 ? -1 : int(i / 300 + (i % 300 > 170)); });
  run("packed_documents_mask_bits", [&] { packed_documents_mask_bits<<<dim3(4096 / 512, 4096), 512>>>(segment, (uint32_t*)o, 4096); });

  run("radix_topk_row", [&] { radix_topk_row<<<48, 1024>>>(x, stats, ints, 32000, 50); });
  run("gumbel_argmax_sample", [&] { gumbel_argmax_sample<<<200, 512>>>(xh, ints, 50257, positive, 7); });
  const int* history = on_device<int>(128 * 1024, [](uint32_t i) { return int(hashed(i) % 32000); });
  run("beam_candidates_bitonic", [&] { beam_candidates_bitonic<<<1024, 128>>>(x, history, y, stats, ints, ints + 10000, 8, 16, 0.3f); });
  const int* lengths = on_device<int>(128, [](uint32_t i) { return int(hashed(i) % 1024); });
  run("repetition_penalty_bitset", [&] { repetition_penalty_bitset<<<128, 1024, 1000 * sizeof(unsigned)>>>(x, o, history, lengths, 32000, 1024, 1.2f, 0.1f); });

  run("moe_gate64_topk_warp", [&] { moe_gate64_topk_warp<6><<<16384 / 4, dim3(32, 4)>>>((const float2*)x, stats, ints, 16384); });
  const int* assigned = on_device<int>(16384, [](uint32_t i) { return int(hashed(i) % 32 * (hashed(i + 1) % 4 ? 1 : 0)); });
  run("moe_align_tiles_one_block", [&] { moe_align_tiles_one_block<<<1, 256, (257 * 32 + 33) * sizeof(int)>>>(assigned, ints, ints + 100000, ints + 200000, 16384, 32, 64); });
  const int* row_of = on_device<int>(8192, [](uint32_t i) { return int(i * 2654435761u >> 19); });
  run("moe_finalize_weighted_rows", [&] { moe_finalize_weighted_rows<<<4096, 128>>>((const uint4*)xb, row_of, positive, (uint4*)o, 2048 / 8, 2); });

  run("selective_scan_channel_thread", [&] { selective_scan_channel_thread<<<dim3(1536 / 64, 4), 64>>>(x, y, positive, x + 5000, y + 7000, positive, x + 2000000, o, 256, 1536); });
  run("lstm_gates_pointwise", [&] { lstm_gates_pointwise<__half><<<264, 512>>>(xh, yh, xh + 999, yh + 4444444, (__half*)o, (__half*)o + 1000000, (__half*)o2, 1024, 512 * 1024); });
  run("gru_sequence_block", [&] { gru_sequence_block<128><<<64, 384>>>(x, yh, y, o, 32); });
  run("linear_attention_chunk_state", [&] { linear_attention_chunk_state<<<dim3(16, 96), 256>>>(xb, xb + 6300000, o, stats, 1024); });
  run("time_mix_decay_scan", [&] { time_mix_decay_scan<<<8 * 768 / 32, 32>>>(256, 768, x, y, x + 5000, y + 5000, o); });
  return 0;
}
