// A language model served: products of a vector with weights of few bits, caches of keys and values, decoding, routing to experts, choosing the next word.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>

#include "cases.h"

#define QK 32
struct block_q4 {
  half d;
  uint8_t qs[QK / 2];
};
struct block_q8 {
  half d;
  int8_t qs[QK];
};
struct block_q5k {
  half d, dmin;
  uint8_t scales[8];
  uint8_t high[16];
  uint8_t low[64];
};

static __device__ __forceinline__ float warp_reduce_sum(float x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) x += __shfl_xor_sync(0xffffffff, x, mask, 32);
  return x;
}
static __device__ __forceinline__ float warp_reduce_max(float x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, mask, 32));
  return x;
}
static __device__ __forceinline__ int get_int_b2(const void* x, int i32) {
  const uint16_t* x16 = (const uint16_t*)x;
  return x16[2 * i32] | x16[2 * i32 + 1] << 16;
}

// Activations to eight bits, 32 values a block, a thread a value.
__global__ void quantize_blocks_q8(const float* __restrict__ x, block_q8* __restrict__ y, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= k) return;
  const float v = x[(size_t)blockIdx.y * k + i];
  const float amax = warp_reduce_max(fabsf(v)), d = amax / 127.0f;
  block_q8* b = y + ((size_t)blockIdx.y * k + i) / QK;
  b->qs[i % QK] = amax == 0.0f ? 0 : (int8_t)roundf(v / d);
  if (i % QK == 0) b->d = __float2half(d);
}

// A row of four-bit weights times eight-bit activations: dot products of four bytes.
template <int nwarps>
__global__ void mul_mat_vec_q4_q8(const block_q4* __restrict__ x, const block_q8* __restrict__ y, float* __restrict__ dst, int ncols, int nrows) {
  const int row = blockIdx.x, nblocks = ncols / QK, tid = threadIdx.y * 32 + threadIdx.x;
  float sum = 0.0f;
  for (int ib = tid / 2; ib < nblocks; ib += nwarps * 16) {
    const block_q4* bx = x + (size_t)row * nblocks + ib;
    const block_q8* by = y + ib;
    int isum = 0, ysum = 0;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int j = 2 * (tid & 1) + i, v = get_int_b2(bx->qs, j);
      const int lo = get_int_b2(by->qs, j), hi = get_int_b2(by->qs, j + 4);
      isum = __dp4a(v & 0x0F0F0F0F, lo, isum);
      isum = __dp4a((v >> 4) & 0x0F0F0F0F, hi, isum);
      ysum = __dp4a(0x01010101, lo, ysum);
      ysum = __dp4a(0x01010101, hi, ysum);
    }
    sum += __half2float(bx->d) * __half2float(by->d) * (float)(isum - 8 * ysum);
  }
  __shared__ float tmp[nwarps > 1 ? nwarps - 1 : 1][32];
  if (threadIdx.y > 0) tmp[threadIdx.y - 1][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0) return;
#pragma unroll
  for (int l = 0; l < nwarps - 1; ++l) sum += tmp[l][threadIdx.x];
  sum = warp_reduce_sum(sum);
  if (threadIdx.x == 0) dst[row] = sum;
}

// Eight-bit weights and float activations: a warp a row, several rows a block.
__global__ void dequant_mul_vec_q8(const block_q8* __restrict__ w, const float* __restrict__ v, float* dst, int ncols, int nrows) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= nrows) return;
  const block_q8* r = w + (size_t)row * (ncols / QK);
  float acc = 0.f;
  for (int i = 2 * threadIdx.x; i < ncols; i += 64) {
    const block_q8& b = r[i / QK];
    const float d = __half2float(b.d);
    acc += d * b.qs[i % QK] * v[i];
    acc += d * b.qs[i % QK + 1] * v[i + 1];
  }
  acc = warp_reduce_sum(acc);
  if (threadIdx.x == 0) dst[row] = acc;
}

// Five bits with scales and minima of groups of 16: blocks of 128 weights.
__global__ void mul_vec_q5_groups(const block_q5k* __restrict__ w, const half2* __restrict__ v, float* __restrict__ dst, int ncols) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, group = lane / 4;
  const int nb = ncols / 128;
  float acc = 0.f;
  for (int b = 0; b < nb; ++b) {
    const block_q5k& k = w[(size_t)row * nb + b];
    const float d = __half2float(k.d) * (k.scales[group] & 15), m = __half2float(k.dmin) * (k.scales[group] >> 4);
    const int ql = k.low[2 * lane] | k.low[2 * lane + 1] << 8, qh = k.high[lane / 2] >> (lane & 1) * 4;
    const float2 v0 = __half22float2(v[b * 64 + lane * 2]), v1 = __half22float2(v[b * 64 + lane * 2 + 1]);
    acc += v0.x * (d * ((ql & 15) | (qh << 4 & 16)) - m);
    acc += v0.y * (d * ((ql >> 4 & 15) | (qh << 3 & 16)) - m);
    acc += v1.x * (d * ((ql >> 8 & 15) | (qh << 2 & 16)) - m);
    acc += v1.y * (d * ((ql >> 12) | (qh << 1 & 16)) - m);
  }
  acc = warp_reduce_sum(acc);
  if (lane == 0) dst[row] = acc;
}

// Weights of eight-bit floats, sixteen a load; a block a row of each of two vectors.
__global__ void fp8_matvec_two(const __nv_fp8_e4m3* __restrict__ w, const float* __restrict__ scales, const half* __restrict__ x, half* __restrict__ y, int n, int rows) {
  __shared__ float part[2][4];
  const int row = blockIdx.x;
  float a0 = 0.f, a1 = 0.f;
  for (int c = threadIdx.x * 16; c < n; c += blockDim.x * 16) {
    const uint4 raw = *reinterpret_cast<const uint4*>(w + (size_t)row * n + c);
    const __nv_fp8x2_storage_t* pairs = reinterpret_cast<const __nv_fp8x2_storage_t*>(&raw);
    const half2 *x0 = reinterpret_cast<const half2*>(x + c), *x1 = reinterpret_cast<const half2*>(x + n + c);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const half2 h(__nv_cvt_fp8x2_to_halfraw2(pairs[i], __NV_E4M3));
      const float2 f = __half22float2(h), u = __half22float2(x0[i]), v = __half22float2(x1[i]);
      a0 += f.x * u.x + f.y * u.y;
      a1 += f.x * v.x + f.y * v.y;
    }
  }
  a0 = warp_reduce_sum(a0), a1 = warp_reduce_sum(a1);
  if (threadIdx.x % 32 == 0) part[0][threadIdx.x / 32] = a0, part[1][threadIdx.x / 32] = a1;
  __syncthreads();
  if (threadIdx.x < 2) {
    const float s = part[threadIdx.x][0] + part[threadIdx.x][1] + part[threadIdx.x][2] + part[threadIdx.x][3];
    y[threadIdx.x * rows + row] = __float2half(s * scales[row]);
  }
}

// Half weights, a row a block of 128.
__global__ void matvec_half_row(float* out, const half* weight, const float* x, int n) {
  const half2* w = (const half2*)(weight + (size_t)blockIdx.x * n);
  float2 acc = make_float2(0.f, 0.f);
  for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
    float2 f = __half22float2(w[i]), v = ((const float2*)x)[i];
    acc.x += f.x * v.x;
    acc.y += f.y * v.y;
  }
  float s = warp_reduce_sum(acc.x + acc.y);
  __shared__ float lanes[32];
  if ((threadIdx.x & 31) == 0) lanes[threadIdx.x >> 5] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < (blockDim.x + 31) / 32; ++i) s += lanes[i];
    out[blockIdx.x] = s;
  }
}

// Eight rows of activations at once: weights are read once, partial sums in registers.
template <int BATCH>
__global__ void skinny_matmul_bf16(const __nv_bfloat16* __restrict__ W, const __nv_bfloat16* __restrict__ X, float* __restrict__ Y, int K, int N) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, n0 = (blockIdx.x * (blockDim.x / 32) + warp) * 2;
  if (n0 >= N) return;
  float acc[2][BATCH] = {};
  for (int k = lane * 2; k < K; k += 64) {
    const float2 w0 = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(W + (size_t)n0 * K + k));
    const float2 w1 = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(W + (size_t)(n0 + 1) * K + k));
#pragma unroll
    for (int b = 0; b < BATCH; ++b) {
      const float2 x = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(X + (size_t)b * K + k));
      acc[0][b] += w0.x * x.x + w0.y * x.y;
      acc[1][b] += w1.x * x.x + w1.y * x.y;
    }
  }
#pragma unroll
  for (int r = 0; r < 2; ++r)
#pragma unroll
    for (int b = 0; b < BATCH; ++b) {
      const float s = warp_reduce_sum(acc[r][b]);
      if (lane == b) Y[(size_t)b * N + n0 + r] = s;
    }
}

// Root mean square of one vector and its weights, the whole in one block.
__global__ void rmsnorm_one_vector(float* o, const float* x, const float* weight, int size) {
  __shared__ float shared_ss;
  float ss = 0.0f;
  for (int i = threadIdx.x; i < size; i += blockDim.x) ss += x[blockIdx.x * size + i] * x[blockIdx.x * size + i];
  __shared__ float w[32];
  ss = warp_reduce_sum(ss);
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = ss;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.f;
    for (int i = 0; i < blockDim.x / 32; i++) total += w[i];
    shared_ss = 1.0f / sqrtf(total / size + 1e-5f);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < size; i += blockDim.x) o[blockIdx.x * size + i] = weight[i] * (shared_ss * x[blockIdx.x * size + i]);
}

// Rotary embedding with sines computed in place, neighbours as pairs; queries and fewer keys.
__global__ void rope_pairs_sincos(float* sq, float* sk, const int* positions, int heads, int kv_heads, int head_size, float log_base) {
  const int token = blockIdx.x, h = blockIdx.y, i = threadIdx.x;
  float* v = h < heads ? sq + ((size_t)token * heads + h) * head_size : sk + ((size_t)token * kv_heads + h - heads) * head_size;
  const float freq = expf(-log_base * (2 * i) / head_size);
  float s, c;
  sincosf(positions[token] * freq, &s, &c);
  const float a = v[2 * i], b = v[2 * i + 1];
  v[2 * i] = a * c - b * s;
  v[2 * i + 1] = a * s + b * c;
}

// Keys and values of new words to their slots of a cache, [head][slot][channel].
__global__ void cache_update_heads(half* __restrict__ kcache, half* __restrict__ vcache, const half* __restrict__ k, const half* __restrict__ v, const int* __restrict__ slots, int heads, int max_len, int d) {
  const int token = blockIdx.x, slot = slots[token];
  if (slot < 0) return;
  for (int i = threadIdx.x; i < heads * d / 8; i += blockDim.x) {
    const int h = i / (d / 8), c = i % (d / 8);
    const size_t to = ((size_t)h * max_len + slot) * (d / 8) + c, from = (size_t)token * heads * d / 8 + i;
    reinterpret_cast<uint4*>(kcache)[to] = reinterpret_cast<const uint4*>(k)[from];
    reinterpret_cast<uint4*>(vcache)[to] = reinterpret_cast<const uint4*>(v)[from];
  }
}

// Attention of one word, a block a head: all scores in shared memory.
__global__ void decode_head_scores_shared(float* out, const float* q, const half* kcache, const half* vcache, int pos, int kv_dim, int kv_mul, int head_size) {
  extern __shared__ float att[];
  __shared__ float red[32];
  const int h = blockIdx.x, off = h / kv_mul * head_size, warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const float* qh = q + h * head_size;
  for (int t = warp; t <= pos; t += warps) {
    const half* k = kcache + (size_t)t * kv_dim + off;
    float s = 0.f;
    for (int i = lane; i < head_size; i += 32) s += qh[i] * __half2float(k[i]);
    s = warp_reduce_sum(s);
    if (lane == 0) att[t] = s * rsqrtf((float)head_size);
  }
  __syncthreads();
  float top = -1e30f;
  for (int t = threadIdx.x; t <= pos; t += blockDim.x) top = fmaxf(top, att[t]);
  top = warp_reduce_max(top);
  if (lane == 0) red[warp] = top;
  __syncthreads();
  for (int i = 0; i < warps; ++i) top = fmaxf(top, red[i]);
  __syncthreads();
  float sum = 0.f;
  for (int t = threadIdx.x; t <= pos; t += blockDim.x) sum += att[t] = __expf(att[t] - top);
  sum = warp_reduce_sum(sum);
  if (lane == 0) red[warp] = sum;
  __syncthreads();
  sum = 0.f;
  for (int i = 0; i < warps; ++i) sum += red[i];
  for (int i = threadIdx.x; i < head_size; i += blockDim.x) {
    float val = 0.f;
    for (int t = 0; t <= pos; ++t) val += att[t] * __half2float(vcache[(size_t)t * kv_dim + off + i]);
    out[h * head_size + i] = val / sum;
  }
}

// Groups of queries share keys: warps take parts of the past, running maxima are merged at the end.
template <int D, int GROUP, int WARPS>
__global__ void decode_group_online(half* __restrict__ out, const half* __restrict__ q, const half2* __restrict__ kc, const half2* __restrict__ vc, const int* __restrict__ lengths, int kv_heads, int max_len, float scale) {
  constexpr int PER = D / 64;
  __shared__ float acc_s[WARPS][GROUP][D], ml[WARPS][GROUP][2];
  const int b = blockIdx.y, kvh = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32, len = lengths[b];
  float2 qv[GROUP][PER], acc[GROUP][PER];
  float m[GROUP], l[GROUP];
#pragma unroll
  for (int g = 0; g < GROUP; ++g) {
    m[g] = -INFINITY, l[g] = 0.f;
#pragma unroll
    for (int p = 0; p < PER; ++p) {
      qv[g][p] = __half22float2(reinterpret_cast<const half2*>(q)[((size_t)(b * kv_heads + kvh) * GROUP + g) * (D / 2) + p * 32 + lane]);
      acc[g][p] = make_float2(0.f, 0.f);
    }
  }
  for (int t = warp; t < len; t += WARPS) {
    const size_t at = ((size_t)(b * kv_heads + kvh) * max_len + t) * (D / 2) + lane;
    float2 k[PER], v[PER];
#pragma unroll
    for (int p = 0; p < PER; ++p) k[p] = __half22float2(kc[at + p * 32]), v[p] = __half22float2(vc[at + p * 32]);
#pragma unroll
    for (int g = 0; g < GROUP; ++g) {
      float s = 0.f;
#pragma unroll
      for (int p = 0; p < PER; ++p) s += qv[g][p].x * k[p].x + qv[g][p].y * k[p].y;
      s = warp_reduce_sum(s) * scale;
      const float top = fmaxf(m[g], s), f = __expf(m[g] - top), e = __expf(s - top);
      m[g] = top, l[g] = l[g] * f + e;
#pragma unroll
      for (int p = 0; p < PER; ++p) acc[g][p].x = acc[g][p].x * f + e * v[p].x, acc[g][p].y = acc[g][p].y * f + e * v[p].y;
    }
  }
#pragma unroll
  for (int g = 0; g < GROUP; ++g) {
#pragma unroll
    for (int p = 0; p < PER; ++p) acc_s[warp][g][(p * 32 + lane) * 2] = acc[g][p].x, acc_s[warp][g][(p * 32 + lane) * 2 + 1] = acc[g][p].y;
    if (lane == 0) ml[warp][g][0] = m[g], ml[warp][g][1] = l[g];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < GROUP * D; i += blockDim.x) {
    const int g = i / D, c = i % D;
    float top = -INFINITY, num = 0.f, den = 0.f;
    for (int w = 0; w < WARPS; ++w) top = fmaxf(top, ml[w][g][0]);
    for (int w = 0; w < WARPS; ++w) {
      const float f = __expf(ml[w][g][0] - top);
      num += f * acc_s[w][g][c];
      den += f * ml[w][g][1];
    }
    out[((size_t)(b * kv_heads + kvh) * GROUP + g) * D + c] = __float2half(num / den);
  }
}

// Prefill by tiles of 32 queries and 32 keys in shared memory; a thread a query's row, as tutorials write it.
__global__ void prefill_tiles_plain(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V, float* __restrict__ O, int N, int d, int Tc, float scale) {
  constexpr int B = 32;
  extern __shared__ float sram[];
  float *Kj = sram, *Vj = Kj + B * d, *S = Vj + B * d;
  const int tx = threadIdx.x, row = blockIdx.x * B + tx;
  const size_t base = ((size_t)blockIdx.z * gridDim.y + blockIdx.y) * N * d;
  float q[64], o[64], m = -INFINITY, l = 0.f;
#pragma unroll
  for (int x = 0; x < 64; ++x) q[x] = Q[base + (size_t)row * d + x] * scale, o[x] = 0.f;
  for (int j = 0; j <= blockIdx.x && j < Tc; ++j) {
    for (int x = tx; x < B * d; x += blockDim.x) Kj[x] = K[base + (size_t)j * B * d + x], Vj[x] = V[base + (size_t)j * B * d + x];
    __syncthreads();
    float top = m;
    for (int y = 0; y < B; ++y) {
      float s = 0.f;
#pragma unroll
      for (int x = 0; x < 64; ++x) s += q[x] * Kj[y * d + x];
      if (row < j * B + y) s = -INFINITY;
      S[y * B + tx] = s;
      top = fmaxf(top, s);
    }
    const float f = __expf(m - top);
    l *= f;
#pragma unroll
    for (int x = 0; x < 64; ++x) o[x] *= f;
    for (int y = 0; y < B; ++y) {
      const float p = __expf(S[y * B + tx] - top);
      l += p;
#pragma unroll
      for (int x = 0; x < 64; ++x) o[x] += p * Vj[y * d + x];
    }
    m = top;
    __syncthreads();
  }
  const float inv = 1.f / l;
#pragma unroll
  for (int x = 0; x < 64; ++x) O[base + (size_t)row * d + x] = o[x] * inv;
}

// Half precision product by warps' matrix instructions, tiles of 64 in shared memory, with a bias.
__global__ __launch_bounds__(128) void wmma_64x64_bias(const half* __restrict__ A, const half* __restrict__ B, const half* __restrict__ bias, half* __restrict__ C, int M, int N, int K) {
  using namespace nvcuda;
  __shared__ half as[64][40], bs[32][72];
  __shared__ float cs[64][68];
  const int warp = threadIdx.x / 32, wr = warp / 2 * 32, wc = warp % 2 * 32, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) wmma::fill_fragment(acc[i][j], 0.f);
  for (int k0 = 0; k0 < K; k0 += 32) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int u = threadIdx.x + i * 128;
      *reinterpret_cast<uint4*>(&as[u / 4][u % 4 * 8]) = *reinterpret_cast<const uint4*>(A + (size_t)(r0 + u / 4) * K + k0 + u % 4 * 8);
      *reinterpret_cast<uint4*>(&bs[u / 8][u % 8 * 8]) = *reinterpret_cast<const uint4*>(B + (size_t)(k0 + u / 8) * N + c0 + u % 8 * 8);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[2];
      for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(fa[i], &as[wr + i * 16][k], 40), wmma::load_matrix_sync(fb[i], &bs[k][wc + i * 16], 72);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) wmma::store_matrix_sync(&cs[wr + i * 16][wc + j * 16], acc[i][j], 68, wmma::mem_row_major);
  __syncthreads();
  for (int i = threadIdx.x; i < 64 * 32; i += 128) {
    const int r = i / 32, c = i % 32 * 2;
    *reinterpret_cast<half2*>(C + (size_t)(r0 + r) * N + c0 + c) = __floats2half2_rn(cs[r][c] + __half2float(bias[c0 + c]), cs[r][c + 1] + __half2float(bias[c0 + c + 1]));
  }
}

// Two of N experts by a warp a word: softmax, the best k in turn, their weights made to sum to one.
template <int EXPERTS, int K>
__global__ void route_softmax_topk(const float* __restrict__ logits, float* __restrict__ weights, int* __restrict__ chosen, int* __restrict__ counts, int tokens) {
  constexpr int PER = EXPERTS / 32;
  const int token = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (token >= tokens) return;
  float p[PER], top = -INFINITY, sum = 0.f;
#pragma unroll
  for (int i = 0; i < PER; ++i) p[i] = logits[(size_t)token * EXPERTS + i * 32 + lane], top = fmaxf(top, p[i]);
  top = warp_reduce_max(top);
#pragma unroll
  for (int i = 0; i < PER; ++i) p[i] = __expf(p[i] - top), sum += p[i];
  sum = warp_reduce_sum(sum);
  float mine = 0.f, total = 0.f;
  int mine_at = 0;
  for (int k = 0; k < K; ++k) {
    float best = -1.f;
    int at = 0;
#pragma unroll
    for (int i = 0; i < PER; ++i)
      if (p[i] > best) best = p[i], at = i * 32 + lane;
    for (int mask = 16; mask; mask >>= 1) {
      const float other = __shfl_xor_sync(~0u, best, mask);
      const int other_at = __shfl_xor_sync(~0u, at, mask);
      if (other > best || (other == best && other_at < at)) best = other, at = other_at;
    }
    if (lane == k) mine = best / sum, mine_at = at;
    total += best / sum;
#pragma unroll
    for (int i = 0; i < PER; ++i)
      if (i * 32 + lane == at) p[i] = -2.f;
  }
  if (lane < K) {
    weights[token * K + lane] = mine / total;
    chosen[token * K + lane] = mine_at;
    atomicAdd(&counts[mine_at], 1);
  }
}

// An expert's first half for one word: gate and up rows of half weights, a warp a row.
__global__ void expert_gate_up(const half* __restrict__ w1, const half* __restrict__ w3, const float* __restrict__ x, const int* __restrict__ chosen, float* __restrict__ h, int dim, int hidden, int top_k) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y, slot = blockIdx.y, expert = chosen[slot], lane = threadIdx.x;
  if (row >= hidden) return;
  const float4* xv = reinterpret_cast<const float4*>(x + (size_t)(slot / top_k) * dim);
  const uint2 *g = reinterpret_cast<const uint2*>(w1 + ((size_t)expert * hidden + row) * dim), *u = reinterpret_cast<const uint2*>(w3 + ((size_t)expert * hidden + row) * dim);
  float gate = 0.f, up = 0.f;
  for (int i = lane; i < dim / 4; i += 32) {
    const float4 v = xv[i];
    const uint2 a = g[i], b = u[i];
    const float2 a0 = __half22float2(*(const half2*)&a.x), a1 = __half22float2(*(const half2*)&a.y), b0 = __half22float2(*(const half2*)&b.x), b1 = __half22float2(*(const half2*)&b.y);
    gate += a0.x * v.x + a0.y * v.y + a1.x * v.z + a1.y * v.w;
    up += b0.x * v.x + b0.y * v.y + b1.x * v.z + b1.y * v.w;
  }
  gate = warp_reduce_sum(gate), up = warp_reduce_sum(up);
  if (lane == 0) h[(size_t)slot * hidden + row] = gate / (1.f + __expf(-gate)) * up;
}

// Rows of experts' results summed for their words, in half precision.
__global__ void experts_weighted_sum(const half2* __restrict__ y, const float* __restrict__ weights, const int* __restrict__ place, half2* __restrict__ out, int dim2, int K) {
  const int token = blockIdx.x;
  for (int c = threadIdx.x; c < dim2; c += blockDim.x) {
    float2 acc = make_float2(0.f, 0.f);
    for (int k = 0; k < K; ++k) {
      const float2 v = __half22float2(y[(size_t)place[token * K + k] * dim2 + c]);
      const float w = weights[token * K + k];
      acc.x += w * v.x, acc.y += w * v.y;
    }
    out[(size_t)token * dim2 + c] = __float22half2_rn(acc);
  }
}

// Logits capped by tanh, divided by a temperature, repeated words punished.
__global__ void cap_and_penalize(float* logits, const uint32_t* seen, int vocab, float cap, float inv_temperature, float penalty) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
  if (i >= vocab) return;
  float x = cap * tanhf(logits[(size_t)b * vocab + i] / cap);
  if (seen[b * ((vocab + 31) / 32) + i / 32] >> (i % 32) & 1) x = x > 0 ? x / penalty : x * penalty;
  logits[(size_t)b * vocab + i] = x * inv_temperature;
}

// The largest of a row, by pairs of value and index.
struct Best {
  float v;
  int i;
};
__device__ __forceinline__ Best better(Best a, Best b) { return b.v > a.v || (b.v == a.v && b.i < a.i) ? b : a; }
__global__ void argmax_pairs(const half* __restrict__ logits, int* __restrict__ out, int vocab) {
  __shared__ Best s[32];
  Best best{-65504.f, 0};
  for (int i = threadIdx.x; i < vocab; i += blockDim.x) best = better(best, Best{__half2float(logits[(size_t)blockIdx.x * vocab + i]), i});
  for (int o = 16; o > 0; o /= 2) best = better(best, Best{__shfl_down_sync(~0u, best.v, o), __shfl_down_sync(~0u, best.i, o)});
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x < 32) {
    best = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : Best{-65504.f, 0};
    for (int o = 16; o > 0; o /= 2) best = better(best, Best{__shfl_down_sync(~0u, best.v, o), __shfl_down_sync(~0u, best.i, o)});
    if (threadIdx.x == 0) out[blockIdx.x] = best.i;
  }
}

// Top-p by a search for the threshold: halving the range of probabilities until the mass is reached, then a draw.
__global__ __launch_bounds__(512) void top_p_threshold_search(const float* __restrict__ probs, const float* __restrict__ draws, int* __restrict__ out, int vocab, float p) {
  __shared__ float red[16], bcast;
  __shared__ int winner;
  const float* row = probs + (size_t)blockIdx.x * vocab;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  auto block_sum = [&](float v) {
    v = warp_reduce_sum(v);
    __syncthreads();
    if (lane == 0) red[warp] = v;
    __syncthreads();
    if (warp == 0) {
      v = warp_reduce_sum(lane < 16 ? red[lane] : 0.f);
      if (lane == 0) bcast = v;
    }
    __syncthreads();
    return bcast;
  };
  float all = 0.f, top = 0.f;
  for (int i = threadIdx.x; i < vocab; i += 512) all += row[i], top = fmaxf(top, row[i]);
  all = block_sum(all);
  float low = 0.f, high = 1.f, mass = all;
  for (int step = 0; step < 12; ++step) {
    const float mid = 0.5f * (low + high);
    float s = 0.f;
    for (int i = threadIdx.x; i < vocab; i += 512) s += row[i] >= mid ? row[i] : 0.f;
    s = block_sum(s);
    if (s >= p * all)
      low = mid, mass = s;
    else
      high = mid;
  }
  if (threadIdx.x == 0) winner = vocab - 1;
  const float goal = draws[blockIdx.x] * mass;
  float before = 0.f;
  __syncthreads();
  for (int base = 0; base < vocab; base += 512) {
    const int i = base + threadIdx.x;
    const float v = i < vocab && row[i] >= low ? row[i] : 0.f;
    float scan = v;
    for (int o = 1; o < 32; o *= 2) {
      const float u = __shfl_up_sync(~0u, scan, o);
      if (lane >= o) scan += u;
    }
    __syncthreads();
    if (lane == 31) red[warp] = scan;
    __syncthreads();
    float ahead = before, whole = before;
    for (int k = 0; k < 16; ++k) {
      if (k < warp) ahead += red[k];
      whole += red[k];
    }
    if (v > 0.f && ahead + scan >= goal) atomicMin(&winner, i);
    before = whole;
    if (whole >= goal) break;
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = winner;
}

// The best k of each thread's share by insertion, merged in shared memory by rounds.
template <int K>
__global__ void topk_insert_merge(const float* __restrict__ logits, float* __restrict__ vals, int* __restrict__ idx, int vocab) {
  __shared__ float sv[128 * K];
  __shared__ int si[128 * K];
  float v[K];
  int at[K];
#pragma unroll
  for (int k = 0; k < K; ++k) v[k] = -INFINITY, at[k] = -1;
  for (int i = threadIdx.x; i < vocab; i += 128) {
    float x = logits[(size_t)blockIdx.x * vocab + i];
    int xi = i;
    if (x <= v[K - 1]) continue;
#pragma unroll
    for (int k = 0; k < K; ++k)
      if (x > v[k]) {
        const float tv = v[k];
        const int ti = at[k];
        v[k] = x, at[k] = xi, x = tv, xi = ti;
      }
  }
  for (int k = 0; k < K; ++k) sv[threadIdx.x * K + k] = v[k], si[threadIdx.x * K + k] = at[k];
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      const int a0 = threadIdx.x * K, b0 = (threadIdx.x + half) * K;
      int a = 0, b = 0;
      float rv[K];
      int ri[K];
#pragma unroll
      for (int k = 0; k < K; ++k) {
        const bool left = sv[a0 + a] >= sv[b0 + b];
        rv[k] = left ? sv[a0 + a] : sv[b0 + b];
        ri[k] = left ? si[a0 + a] : si[b0 + b];
        left ? ++a : ++b;
      }
#pragma unroll
      for (int k = 0; k < K; ++k) sv[a0 + k] = rv[k], si[a0 + k] = ri[k];
    }
  }
  __syncthreads();
  if (threadIdx.x < K) vals[blockIdx.x * K + threadIdx.x] = sv[threadIdx.x], idx[blockIdx.x * K + threadIdx.x] = si[threadIdx.x];
}

// Caches of beams follow their parents, a page of 16 bytes a thread.
__global__ void beams_gather_cache(const uint4* __restrict__ from, uint4* __restrict__ to, const int* __restrict__ parent, int per_beam, int layers) {
  const int beam = blockIdx.y, layer = blockIdx.z, beams = gridDim.y, source = parent[beam];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < per_beam; i += gridDim.x * blockDim.x) to[((size_t)layer * beams + beam) * per_beam + i] = from[((size_t)layer * beams + source) * per_beam + i];
}

// A tree of drafted words attends to its ancestors by bits: a warp a node and head.
__global__ void tree_attention_bits(const half* __restrict__ q, const half* __restrict__ k, const half* __restrict__ v, const unsigned long long* __restrict__ ancestors, half* __restrict__ out, int nodes, int heads, float scale) {
  const int id = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (id >= nodes * heads) return;
  const int node = id / heads, h = id % heads;
  unsigned long long bits = ancestors[node];
  const float2 a = __half22float2(reinterpret_cast<const half2*>(q)[(size_t)id * 64 + lane]), b = __half22float2(reinterpret_cast<const half2*>(q)[(size_t)id * 64 + 32 + lane]);
  float m = -INFINITY, l = 0.f;
  float4 acc = make_float4(0, 0, 0, 0);
  while (bits) {
    const int other = __ffsll(bits) - 1;
    bits &= bits - 1;
    const size_t at = ((size_t)other * heads + h) * 64 + lane;
    const float2 k0 = __half22float2(reinterpret_cast<const half2*>(k)[at]), k1 = __half22float2(reinterpret_cast<const half2*>(k)[at + 32]);
    const float s = warp_reduce_sum(a.x * k0.x + a.y * k0.y + b.x * k1.x + b.y * k1.y) * scale, top = fmaxf(m, s), f = __expf(m - top), e = __expf(s - top);
    const float2 v0 = __half22float2(reinterpret_cast<const half2*>(v)[at]), v1 = __half22float2(reinterpret_cast<const half2*>(v)[at + 32]);
    acc = make_float4(acc.x * f + e * v0.x, acc.y * f + e * v0.y, acc.z * f + e * v1.x, acc.w * f + e * v1.y);
    l = l * f + e, m = top;
  }
  reinterpret_cast<half2*>(out)[(size_t)id * 64 + lane] = __floats2half2_rn(acc.x / l, acc.y / l);
  reinterpret_cast<half2*>(out)[(size_t)id * 64 + 32 + lane] = __floats2half2_rn(acc.z / l, acc.w / l);
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* x = on_device<float>(8 * M, [](uint32_t i) { return fraction(i * 3 + 7) * 2 - 1; });
  float* o = zeros<float>(8 * M);
  const half* h = on_device<half>(32 * M, [](uint32_t i) { return __float2half(fraction(i + 3) * 0.5f - 0.25f); });
  half* ho = zeros<half>(32 * M);
  const block_q4* q4 = on_device<block_q4>(4096 * 128, [](uint32_t i) { block_q4 b; b.d = __float2half(0.01f + 0.01f * fraction(i)); for (uint32_t k = 0; k < 16; ++k) b.qs[k] = uint8_t(hashed(i * 16 + k)); return b; });
  block_q8* q8 = on_device<block_q8>(4096 * 128, [](uint32_t i) { block_q8 b; b.d = __float2half(0.01f + 0.01f * fraction(i)); for (uint32_t k = 0; k < 32; ++k) b.qs[k] = int8_t(hashed(i * 32 + k)); return b; });
  block_q8* quantized = zeros<block_q8>(64 * 344);
  const block_q5k* q5 = on_device<block_q5k>(2048 * 64, [](uint32_t i) { block_q5k b; b.d = b.dmin = __float2half(0.01f); for (uint32_t k = 0; k < 88; ++k) (k < 8 ? b.scales[k] : k < 24 ? b.high[k - 8] : b.low[k - 24]) = uint8_t(hashed(i * 88 + k)); return b; });
  const __nv_fp8_e4m3* w8 = on_device<__nv_fp8_e4m3>(14 * M, [](uint32_t i) { return __nv_fp8_e4m3(fraction(i * 5) * 2 - 1); });
  int* io = zeros<int>(M);

  run("quantize_blocks_q8", [&] { quantize_blocks_q8<<<dim3(11008 / 256, 64), 256>>>(x, quantized, 11008); });
  run("mul_mat_vec_q4_q8_4", [&] { mul_mat_vec_q4_q8<4><<<4096, dim3(32, 4)>>>(q4, q8, o, 4096, 4096); });
  run("mul_mat_vec_q4_q8_1", [&] { mul_mat_vec_q4_q8<1><<<11008, dim3(32, 1)>>>(q4, q8, o, 1024, 11008); });
  run("dequant_mul_vec_q8", [&] { dequant_mul_vec_q8<<<4096 / 4, dim3(32, 4)>>>(q8, x, o, 4096, 4096); });
  run("mul_vec_q5_groups", [&] { mul_vec_q5_groups<<<2048 / 4, 128>>>(q5, (const half2*)h, o, 8192); });
  run("fp8_matvec_two", [&] { fp8_matvec_two<<<3584, 128>>>(w8, x, h, ho, 4096, 3584); });
  run("matvec_half_row_4096", [&] { matvec_half_row<<<4096, 128>>>(o, h, x, 4096); });
  run("matvec_half_row_768", [&] { matvec_half_row<<<32000, 64>>>(o, h, x, 768); });
  run("skinny_matmul_bf16_8", [&] { skinny_matmul_bf16<8><<<4096 / 8, 128>>>((const __nv_bfloat16*)h, (const __nv_bfloat16*)h + 30 * M, o, 3072, 4096); });
  run("rmsnorm_one_vector", [&] { rmsnorm_one_vector<<<4, 1024>>>(o, x, x + M, 4096); });
  const int* positions = on_device<int>(2048, [](uint32_t i) { return int(i); });
  run("rope_pairs_sincos", [&] { rope_pairs_sincos<<<dim3(1000, 32 + 8), 64>>>(o, o + 7 * M, positions, 32, 8, 128, 13.1f); });
  const int* slots = on_device<int>(1024, [](uint32_t i) { return i % 37 == 5 ? -1 : int((i * 389) % 2048); });
  run("cache_update_heads", [&] { cache_update_heads<<<1024, 128>>>(ho, ho + 4 * M, h, h + 2 * M, slots, 8, 2048, 128); });
  run("decode_head_scores_shared", [&] { decode_head_scores_shared<<<32, 256, 2100 * sizeof(float)>>>(o, x, h, h + 4 * M, 2047, 1024, 4, 128); });
  const int* lengths = on_device<int>(16, [](uint32_t i) { return int(300 + hashed(i) % 724); });
  run("decode_group_online_4", [&] { decode_group_online<128, 4, 4><<<dim3(8, 16), 128>>>(ho, h, (const half2*)h, (const half2*)(h + 16 * M), lengths, 8, 1024, 0.088f); });
  run("prefill_tiles_plain", [&] { prefill_tiles_plain<<<dim3(16, 12, 2), 32, (2 * 32 * 64 + 32 * 32) * sizeof(float)>>>(x, x + M, x + 2 * M, o, 512, 64, 16, 0.125f); });
  run("wmma_64x64_bias_512", [&] { wmma_64x64_bias<<<dim3(1536 / 64, 512 / 64), 128>>>(h, h + 4 * M, h + 9, ho, 512, 1536, 1024); });
  run("wmma_64x64_bias_2048", [&] { wmma_64x64_bias<<<dim3(2048 / 64, 2048 / 64), 128>>>(h, h + 8 * M, h + 9, ho, 2048, 2048, 512); });
  run("route_softmax_topk_64_6", [&] { route_softmax_topk<64, 6><<<(5000 + 3) / 4, dim3(32, 4)>>>(x, o, io, io + 900000, 5000); });
  const int* chosen = on_device<int>(12, [](uint32_t i) { return int(hashed(i + 2) % 8); });
  run("expert_gate_up", [&] { expert_gate_up<<<dim3(1400 / 4, 12), dim3(32, 4)>>>(h, h + 16 * M, x, chosen, o, 1024, 1400, 2); });
  const int* place = on_device<int>(1500 * 4, [](uint32_t i) { return int((i * 1237) % 6000); });
  run("experts_weighted_sum", [&] { experts_weighted_sum<<<1500, 256>>>((const half2*)h, x + M, place, (half2*)ho, 1024, 4); });
  const uint32_t* seen = on_device<uint32_t>(32 * 1008, [](uint32_t i) { return hashed(i) & hashed(i + 77) & hashed(i + 1234); });
  float* logits = on_device<float>(32 * 32064, [](uint32_t i) { return fraction(i * 17) * 60 - 30; });
  run("cap_and_penalize", [&] { cap_and_penalize<<<dim3((32064 + 255) / 256, 32), 256>>>(logits, seen, 32064, 30.f, 1.25f, 1.1f); });
  run("argmax_pairs", [&] { argmax_pairs<<<100, 1024>>>(h, io, 128256); });
  const float* probs = on_device<float>(48 * 32000, [](uint32_t i) { const float f = fraction(i * 11 + 3); return f * f * f * f * f * f * 0.0002f + (hashed(i) % 4000 == 0 ? 0.08f : 0.f); });
  const float* draws = on_device<float>(48, fraction);
  run("top_p_threshold_search", [&] { top_p_threshold_search<<<48, 512>>>(probs, draws, io, 32000, 0.9f); });
  run("topk_insert_merge_8", [&] { topk_insert_merge<8><<<200, 128>>>(x, o, io, 32000); });
  const int* parent = on_device<int>(8, [](uint32_t i) { return int((i * 5 + 1) % 8 / 2); });
  run("beams_gather_cache", [&] { beams_gather_cache<<<dim3(24, 8, 4), 256>>>((const uint4*)h, (uint4*)ho, parent, 100000, 4); });
  const unsigned long long* ancestors = on_device<unsigned long long>(64, [](uint32_t i) { unsigned long long b = 0; for (uint32_t n = i;; n = (n - 1) / 2) { b |= 1ull << n; if (n == 0) break; } return b | (hashed(i) & ((1ull << i) - 1) & 0xff); });
  run("tree_attention_bits", [&] { tree_attention_bits<<<64 * 32 / 4, 128>>>(h, h + M, h + 2 * M, ancestors, ho, 64, 32, 0.088f); });
  return 0;
}
