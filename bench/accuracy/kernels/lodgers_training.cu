// A language model's training step, layer by layer, forward and backward: embeddings, norms, attention in plain pieces, products of several tilings, activations, the loss, the optimizer.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>

#include "cases.h"

namespace cg = cooperative_groups;
typedef __nv_bfloat16 bf16;

#define WARP 32
#define FULL 0xffffffffu

__device__ inline float sum_warp(float v) {
#pragma unroll
  for (int mask = WARP / 2; mask; mask >>= 1) v += __shfl_xor_sync(FULL, v, mask);
  return v;
}
__device__ inline float max_warp(float v) {
#pragma unroll
  for (int mask = WARP / 2; mask; mask >>= 1) v = fmaxf(v, __shfl_xor_sync(FULL, v, mask));
  return v;
}

struct Bf16x8 {
  uint4 raw;
  __device__ explicit Bf16x8(const bf16* p) : raw(*reinterpret_cast<const uint4*>(p)) {}
  __device__ void unpack(float (&f)[8]) const {
    const uint32_t w[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) f[2 * i] = __uint_as_float(w[i] << 16), f[2 * i + 1] = __uint_as_float(w[i] & 0xffff0000u);
  }
};
__device__ inline void store8(bf16* p, const float (&f)[8]) {
  __nv_bfloat162 v[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) v[i] = __floats2bfloat162_rn(f[2 * i], f[2 * i + 1]);
  *reinterpret_cast<uint4*>(p) = *reinterpret_cast<const uint4*>(v);
}

// Words' and positions' embeddings, four channels a thread.
__global__ void token_position_embed(float4* out, const int* tokens, const float4* wte, const float4* wpe, int B, int T, int C4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= B * T * C4) return;
  int bt = i / C4, c = i % C4, t = bt % T;
  float4 e = wte[tokens[bt] * C4 + c], p = wpe[t * C4 + c];
  out[i] = make_float4(e.x + p.x, e.y + p.y, e.z + p.z, e.w + p.w);
}

// Their gradients by atomics, a channel a thread.
__global__ void token_position_grad(float* dwte, float* dwpe, const float* dout, const int* tokens, int B, int T, int C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < B * T * C) {
    int bt = i / C, c = i % C;
    float d = dout[i];
    atomicAdd(dwte + (size_t)tokens[bt] * C + c, d);
    atomicAdd(dwpe + (bt % T) * C + c, d);
  }
}

// Layer norm with a thread a row, as a first version has it.
__global__ void layer_norm_thread_row(float* out, float* mean, float* rstd, const float* inp, const float* weight, const float* bias, int N, int C) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= N) return;
  const float* x = inp + (size_t)row * C;
  float m = 0.0f;
  for (int i = 0; i < C; i++) m += x[i];
  m = m / C;
  float v = 0.0f;
  for (int i = 0; i < C; i++) {
    float d = x[i] - m;
    v += d * d;
  }
  float s = 1.0f / sqrtf(v / C + 1e-5f);
  for (int i = 0; i < C; i++) out[(size_t)row * C + i] = s * (x[i] - m) * weight[i] + bias[i];
  mean[row] = m;
  rstd[row] = s;
}

// The same with a tile of a warp a row.
__global__ void layer_norm_warp_tile(float* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd, const float* __restrict__ inp, const float* __restrict__ weight, const float* __restrict__ bias, int N, int C) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  const int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= N) return;
  const float* x = inp + (size_t)row * C;
  float sum = 0.0f, squares = 0.0f;
  for (int i = warp.thread_rank(); i < C; i += warp.size()) {
    const float v = x[i];
    sum += v;
    squares += v * v;
  }
  sum = cg::reduce(warp, sum, cg::plus<float>{});
  squares = cg::reduce(warp, squares, cg::plus<float>{});
  const float m = sum / C, s = rsqrtf(squares / C - m * m + 1e-5f);
  if (warp.thread_rank() == 0) {
    __stcs(mean + row, m);
    __stcs(rstd + row, s);
  }
  float* o = out + (size_t)row * C;
  for (int c = warp.thread_rank(); c < C; c += warp.size()) __stcs(o + c, s * (__ldcs(x + c) - m) * weight[c] + bias[c]);
}

// A sum for the residual stream, and its norm: a warp a row, the row and the weights in shared memory.
__global__ void residual_then_layer_norm(bf16* residual, bf16* normed, const bf16* a, const bf16* b, const bf16* weight, const bf16* bias, int N, int C) {
  extern __shared__ uint4 pool[];
  uint4 *s_weight = pool, *s_bias = pool + C / 8, *s_row = pool + 2 * (C / 8) + threadIdx.y * (C / 8);
  for (int i = threadIdx.x + WARP * threadIdx.y; i < C / 8; i += WARP * blockDim.y) {
    s_weight[i] = reinterpret_cast<const uint4*>(weight)[i];
    s_bias[i] = reinterpret_cast<const uint4*>(bias)[i];
  }
  __syncthreads();
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= N) return;
  const size_t at = (size_t)row * C;
  float sum = 0.f;
  for (int c = threadIdx.x * 8; c < C; c += WARP * 8) {
    float x[8], y[8];
    Bf16x8(a + at + c).unpack(x);
    Bf16x8(b + at + c).unpack(y);
    for (int k = 0; k < 8; ++k) {
      x[k] += y[k];
      sum += x[k];
    }
    store8(residual + at + c, x);
    store8(reinterpret_cast<bf16*>(s_row) + c, x);
  }
  const float m = sum_warp(sum) / C;
  float v = 0.f;
  for (int c = threadIdx.x * 8; c < C; c += WARP * 8) {
    float x[8];
    Bf16x8(reinterpret_cast<bf16*>(s_row) + c).unpack(x);
    for (int k = 0; k < 8; ++k) v += (x[k] - m) * (x[k] - m);
  }
  const float s = rsqrtf(sum_warp(v) / C + 1e-5f);
  for (int c = threadIdx.x * 8; c < C; c += WARP * 8) {
    float x[8], w[8], h[8];
    Bf16x8(reinterpret_cast<bf16*>(s_row) + c).unpack(x);
    Bf16x8(reinterpret_cast<bf16*>(s_weight) + c).unpack(w);
    Bf16x8(reinterpret_cast<bf16*>(s_bias) + c).unpack(h);
    for (int k = 0; k < 8; ++k) x[k] = (x[k] - m) * s * w[k] + h[k];
    store8(normed + at + c, x);
  }
}

// Layer norm's gradients: warps take rows in turn; weights' gradients gather in shared memory by atomics, then in global memory.
__global__ void layer_norm_grad(float* dinp, float* dweight, float* dbias, const float* dout, const float* inp, const float* weight, const float* mean, const float* rstd, int N, int C) {
  extern __shared__ float acc[];
  float *acc_bias = acc, *acc_weight = acc + C;
  for (int i = threadIdx.x; i < 2 * C; i += blockDim.x) acc[i] = 0.0f;
  __syncthreads();
  int warps = blockDim.x / WARP, warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
  for (int row = blockIdx.x * warps + warp; row < N; row += gridDim.x * warps) {
    const float *dy = dout + (size_t)row * C, *x = inp + (size_t)row * C;
    float* dx = dinp + (size_t)row * C;
    const float m = mean[row], s = rstd[row];
    float dn_mean = 0.0f, dn_norm_mean = 0.0f;
    for (int i = lane; i < C; i += WARP) {
      float norm = (x[i] - m) * s, dn = weight[i] * dy[i];
      dn_mean += dn;
      dn_norm_mean += dn * norm;
    }
    dn_mean = sum_warp(dn_mean) / C;
    dn_norm_mean = sum_warp(dn_norm_mean) / C;
    for (int i = lane; i < C; i += WARP) {
      float norm = (x[i] - m) * s;
      atomicAdd(&acc_bias[i], dy[i]);
      atomicAdd(&acc_weight[i], norm * dy[i]);
      dx[i] += (weight[i] * dy[i] - dn_mean - norm * dn_norm_mean) * s;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < C; i += blockDim.x) {
    atomicAdd(dbias + i, acc_bias[i]);
    atomicAdd(dweight + i, acc_weight[i]);
  }
}

// Root mean square: a block a row, partial sums in shared memory halved.
template <int THREADS>
__global__ void rms_forward_tree(float* y, float* inv_rms, const float* x, const float* w, int C, float eps) {
  __shared__ float part[THREADS];
  const float* row = x + (size_t)blockIdx.x * C;
  float ss = 0.f;
  for (int i = threadIdx.x; i < C; i += THREADS) ss = fmaf(row[i], row[i], ss);
  part[threadIdx.x] = ss;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  const float r = 1.f / sqrtf(part[0] / C + eps);
  if (threadIdx.x == 0) inv_rms[blockIdx.x] = r;
  for (int i = threadIdx.x; i < C; i += THREADS) y[(size_t)blockIdx.x * C + i] = w[i] * (r * row[i]);
}

// Its gradients: blocks walk over rows, a thread keeps its channels' weights and their gradients in registers.
template <int PER>
__global__ __launch_bounds__(256) void rms_grad_rows(bf16* __restrict__ dx, float* __restrict__ dw_part, const bf16* __restrict__ dy, const bf16* __restrict__ x, const float* __restrict__ w, const float* __restrict__ inv_rms, int N) {
  constexpr int C = PER * 256;
  __shared__ float red[8];
  float wr[PER], dw[PER];
#pragma unroll
  for (int k = 0; k < PER; ++k) wr[k] = w[k * 256 + threadIdx.x], dw[k] = 0.f;
  for (int row = blockIdx.x; row < N; row += gridDim.x) {
    const size_t at = (size_t)row * C + threadIdx.x;
    const float r = inv_rms[row];
    float xs[PER], g[PER], dot = 0.f;
#pragma unroll
    for (int k = 0; k < PER; ++k) {
      xs[k] = __bfloat162float(x[at + k * 256]) * r;
      const float d = __bfloat162float(dy[at + k * 256]);
      dw[k] += d * xs[k];
      g[k] = d * wr[k];
      dot += g[k] * xs[k];
    }
    dot = sum_warp(dot);
    if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = dot;
    __syncthreads();
    dot = 0.f;
#pragma unroll
    for (int k = 0; k < 8; ++k) dot += red[k];
    __syncthreads();
    dot /= C;
#pragma unroll
    for (int k = 0; k < PER; ++k) dx[at + k * 256] = __float2bfloat16(r * (g[k] - xs[k] * dot));
  }
#pragma unroll
  for (int k = 0; k < PER; ++k) dw_part[(size_t)blockIdx.x * C + k * 256 + threadIdx.x] = dw[k];
}

// Softmax with the row kept in shared memory.
__global__ void softmax_shared_row(float* out, const float* inp, int C) {
  extern __shared__ float shared[];
  float *row = shared, *aux = shared + C;
  int tid = threadIdx.x, warp = tid / 32, lane = tid % 32, warps = blockDim.x / 32;
  const float* x = inp + (size_t)blockIdx.x * C;
  float top = -INFINITY;
  for (int i = tid; i < C; i += blockDim.x) {
    row[i] = x[i];
    top = fmaxf(top, row[i]);
  }
  top = max_warp(top);
  if (lane == 0) aux[warp] = top;
  __syncthreads();
  top = aux[0];
  for (int i = 1; i < warps; i++) top = fmaxf(top, aux[i]);
  __syncthreads();
  float sum = 0.0f;
  for (int i = tid; i < C; i += blockDim.x) {
    row[i] = expf(row[i] - top);
    sum += row[i];
  }
  sum = sum_warp(sum);
  if (lane == 0) aux[warp] = sum;
  __syncthreads();
  sum = aux[0];
  for (int i = 1; i < warps; i++) sum += aux[i];
  for (int i = tid; i < C; i += blockDim.x) out[(size_t)blockIdx.x * C + i] = row[i] / sum;
}

// Gradient of causal attention's softmax: a block has four rows from the last one on.
template <int BLOCK>
__global__ void softmax_grad_four_rows(float* dpre, const float* datt, const float* att, int T, float scale) {
  __shared__ float block_acc[32];
  const int bh = blockIdx.y, t0 = T - 1 - 4 * blockIdx.x;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int k = 0; k < 4; ++k) {
    const int t = t0 - k;
    if (t < 0) return;
    const float *a = att + ((size_t)bh * T + t) * T, *da = datt + ((size_t)bh * T + t) * T;
    float local = 0;
    for (int i = threadIdx.x; i <= t; i += BLOCK) local += a[i] * da[i];
    __syncthreads();
    local = sum_warp(local);
    if (lane == 0) block_acc[warp] = local;
    __syncthreads();
    local = sum_warp(lane < BLOCK / 32 ? block_acc[lane] : 0.f);
    for (int i = threadIdx.x; i <= t; i += BLOCK) __stcs(dpre + ((size_t)bh * T + t) * T + i, scale * __ldcs(a + i) * (__ldcs(da + i) - local));
  }
}

// Causal scores by tiles of 16 queries and keys.
__global__ void causal_scores_tile16(float* preatt, const float* q, const float* k, int T, int HS, float scale) {
  const int bh = blockIdx.z, t = blockIdx.y * 16 + threadIdx.y, t2 = blockIdx.x * 16 + threadIdx.x;
  if (blockIdx.x > blockIdx.y) return;
  __shared__ float qs[16][16], ks[16][17];
  float dot = 0.f;
  for (int d = 0; d < HS; d += 16) {
    qs[threadIdx.y][threadIdx.x] = q[((size_t)bh * T + t) * HS + d + threadIdx.x];
    ks[threadIdx.y][threadIdx.x] = k[((size_t)bh * T + blockIdx.x * 16 + threadIdx.y) * HS + d + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) dot += qs[threadIdx.y][i] * ks[threadIdx.x][i];
    __syncthreads();
  }
  preatt[((size_t)bh * T + t) * T + t2] = t2 <= t ? dot * scale : -1e10f;
}

// Values weighted by attention: a thread a channel of a query.
__global__ void attend_values_thread(float* out, const float* att, const float* v, int B, int T, int NH, int HS) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= B * NH * T * HS) return;
  int d = idx % HS, t = idx / HS % T, bh = idx / (HS * T), h = bh % NH, b = bh / NH;
  const float* a = att + ((size_t)bh * T + t) * T;
  float acc = 0.0f;
  for (int t2 = 0; t2 <= t; t2++) acc += a[t2] * v[((size_t)bh * T + t2) * HS + d];
  out[((size_t)(b * T + t) * NH + h) * HS + d] = acc;
}

// The gradient of the values: columns of attention, from the diagonal down.
__global__ void attend_values_grad(float* __restrict__ dv, const float* __restrict__ att, const float* __restrict__ dout, int T, int NH, int HS) {
  __shared__ float a[32][33];
  const int bh = blockIdx.y, h = bh % NH, b = bh / NH, key0 = blockIdx.x * 32;
  const int d = threadIdx.x, part = threadIdx.y;
  float acc[8] = {};
  for (int t0 = key0; t0 < T; t0 += 32) {
    for (int i = part * blockDim.x + d; i < 32 * 32; i += blockDim.x * blockDim.y) {
      const int t = t0 + i / 32, key = key0 + i % 32;
      a[i % 32][i / 32] = key <= t ? att[((size_t)bh * T + t) * T + key] : 0.f;
    }
    __syncthreads();
    for (int t = 0; t < 32; ++t) {
      const float g = dout[((size_t)(b * T + t0 + t) * NH + h) * HS + d];
#pragma unroll
      for (int k = 0; k < 8; ++k) acc[k] = fmaf(a[part * 8 + k][t], g, acc[k]);
    }
    __syncthreads();
  }
  for (int k = 0; k < 8; ++k) dv[((size_t)bh * T + key0 + part * 8 + k) * HS + d] = acc[k];
}

// Packed queries, keys and values to heads.
__global__ void qkv_to_heads_bf16(bf16* q, bf16* k, bf16* v, const bf16* inp, int B, int N, int NH, int d) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= B * NH * N * d) return;
  int b = idx / (NH * N * d), rest = idx % (NH * N * d);
  int nh = rest / (N * d);
  rest = rest % (N * d);
  int n = rest / d, at = (b * N * 3 * NH * d) + (n * 3 * NH * d) + (nh * d) + rest % d;
  q[idx] = __ldcs(&inp[at]);
  k[idx] = __ldcs(&inp[at + NH * d]);
  v[idx] = __ldcs(&inp[at + 2 * NH * d]);
}

// And heads back, eight channels a thread.
__global__ void heads_to_rows_x8(uint4* __restrict__ out, const uint4* __restrict__ inp, int N, int NH, int d8) {
  const int n = blockIdx.x * blockDim.y + threadIdx.y, b = blockIdx.y;
  if (n >= N) return;
  for (int i = threadIdx.x; i < NH * d8; i += blockDim.x) out[((size_t)b * N + n) * NH * d8 + i] = inp[(((size_t)b * NH + i / d8) * N + n) * d8 + i % d8];
}

// A linear layer, a thread an output.
__global__ void linear_thread(float* out, const float* inp, const float* weight, const float* bias, int BT, int C, int OC) {
  int bt = blockIdx.x * blockDim.x + threadIdx.x, oc = blockIdx.y * blockDim.y + threadIdx.y;
  if (bt < BT && oc < OC) {
    float val = bias != NULL ? bias[oc] : 0.0f;
    const float *w = weight + oc * C, *x = inp + bt * C;
    for (int i = 0; i < C; i++) val += x[i] * w[i];
    out[bt * OC + oc] = val;
  }
}

// The same by tiles of 32.
#define TILE 32
__global__ void linear_tile32_bias(float* out, const float* inp, const float* weight, const float* bias, int BT, int C, int OC) {
  __shared__ float xs[TILE][TILE], ws[TILE][TILE + 1];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < (C + TILE - 1) / TILE; ++k) {
    int c = k * TILE + threadIdx.x, wrow = blockIdx.x * TILE + threadIdx.y;
    xs[threadIdx.y][threadIdx.x] = row < BT && c < C ? inp[row * C + c] : 0.0f;
    ws[threadIdx.y][threadIdx.x] = wrow < OC && c < C ? weight[wrow * C + c] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) acc += xs[threadIdx.y][i] * ws[threadIdx.x][i];
    __syncthreads();
  }
  if (row < BT && col < OC) out[row * OC + col] = acc + (bias ? bias[col] : 0.0f);
}

// The same by blocks of 128 times 128 with eight times eight outputs a thread.
__device__ inline float4 ld_vec(const float* address) { return *reinterpret_cast<const float4*>(address); }
__device__ inline void st_vec(float* address, float4 val) { *reinterpret_cast<float4*>(address) = val; }
__global__ __launch_bounds__(256, 2) void linear_registers_8x8(float* out, const float* inp, const float* weight, const float* bias, int C, int OC) {
  __shared__ float lhs[128][32], rhs[128][32];
  const int oc = 8 * (blockIdx.y * blockDim.y + threadIdx.y);
  inp += 128 * blockIdx.x * C;
  weight += 128 * blockIdx.y * C;
  out += 128 * blockIdx.x * OC + 128 * blockIdx.y;
  float vals[8][8] = {};
  if (bias != NULL)
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 8; j += 4) {
        float4 b = ld_vec(bias + oc + j);
        vals[i][j + 0] = b.x, vals[i][j + 1] = b.y, vals[i][j + 2] = b.z, vals[i][j + 3] = b.w;
      }
  const int first = 4 * (16 * threadIdx.y + threadIdx.x);
  for (int so = 0; so < C; so += 32) {
    __syncthreads();
    for (int y = 2 * threadIdx.y + threadIdx.x / 8, xo = 4 * (threadIdx.x % 8); y < 128; y += 32) {
      st_vec(&lhs[y][xo], ld_vec(inp + y * C + so + xo));
      st_vec(&rhs[y][xo], ld_vec(weight + y * C + so + xo));
    }
    __syncthreads();
    for (int si = first; si < first + 32; si += 4) {
      float4 r[8];
      for (int u = 0; u < 8; ++u) r[u] = ld_vec(&rhs[u + 8 * threadIdx.y][si % 32]);
      for (int ii = 0; ii < 8; ++ii) {
        float4 l = ld_vec(&lhs[ii + 8 * threadIdx.x][si % 32]);
        for (int ji = 0; ji < 8; ++ji) vals[ii][ji] += l.x * r[ji].x + l.y * r[ji].y + l.z * r[ji].z + l.w * r[ji].w;
      }
    }
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; j += 4) st_vec(out + (8 * threadIdx.x + i) * OC + 8 * threadIdx.y + j, make_float4(vals[i][j], vals[i][j + 1], vals[i][j + 2], vals[i][j + 3]));
}

// The input's gradient: tiles of 64 by 64, four times four a thread.
__global__ __launch_bounds__(256) void linear_input_grad(float* __restrict__ dinp, const float* __restrict__ dout, const float* __restrict__ weight, int C, int OC) {
  __shared__ float ds[16][68], ws[16][64];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < OC; k0 += 16) {
    const int r = threadIdx.x / 4, kk = threadIdx.x % 4 * 4;
    const float4 d = *reinterpret_cast<const float4*>(dout + (size_t)(row0 + r) * OC + k0 + kk);
    ds[kk][r] = d.x, ds[kk + 1][r] = d.y, ds[kk + 2][r] = d.z, ds[kk + 3][r] = d.w;
    *reinterpret_cast<float4*>(&ws[ty][tx * 4]) = *reinterpret_cast<const float4*>(weight + (size_t)(k0 + ty) * C + col0 + tx * 4);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float4 u = *reinterpret_cast<const float4*>(&ds[k][ty * 4]), v = *reinterpret_cast<const float4*>(&ws[k][tx * 4]);
      const float us[4] = {u.x, u.y, u.z, u.w}, vs[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] += us[i] * vs[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) *reinterpret_cast<float4*>(dinp + (size_t)(row0 + ty * 4 + i) * C + col0 + tx * 4) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

// The weight's gradient: parts of the rows to blocks, added by atomics.
__global__ void linear_weight_grad_parts(float* dweight, const float* dout, const float* inp, int BT, int C, int OC) {
  __shared__ float d[32][32], x[32][32];
  const int c = blockIdx.x * 32 + threadIdx.x, per = (BT + gridDim.z - 1) / gridDim.z, begin = blockIdx.z * per, end = min(BT, begin + per);
  float acc[4] = {0.f, 0.f, 0.f, 0.f};
  for (int t = begin; t < end; t += 32) {
    for (int k = threadIdx.y; k < 32; k += 8) {
      d[k][threadIdx.x] = t + k < end ? dout[(size_t)(t + k) * OC + blockIdx.y * 32 + threadIdx.x] : 0.f;
      x[k][threadIdx.x] = t + k < end ? inp[(size_t)(t + k) * C + c] : 0.f;
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k)
      for (int j = 0; j < 4; ++j) acc[j] += d[k][threadIdx.y + 8 * j] * x[k][threadIdx.x];
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) atomicAdd(&dweight[(size_t)(blockIdx.y * 32 + threadIdx.y + 8 * j) * C + c], acc[j]);
}

// The bias's gradient: 32 columns a block, warps' rows apart.
__global__ void bias_grad_32_columns(float* dbias, const float* dout, int BT, int OC) {
  extern __shared__ float smem[];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, col = blockIdx.x * 32 + lane, warps = blockDim.x / 32;
  float sum = 0.0f;
  for (int row = warp; row < BT; row += warps) sum += dout[row * OC + col];
  smem[lane + warp * 32] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = 0.0f;
    for (int j = 0; j < warps; j++) sum += smem[lane + j * 32];
    dbias[col] += sum;
  }
}

// GELU of eight values a thread.
__global__ void gelu_tanh_x8(bf16* out, const bf16* inp) {
  const size_t i = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * 8;
  float x[8];
  Bf16x8(inp + i).unpack(x);
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const float cube = 0.044715f * x[k] * x[k] * x[k];
    x[k] = 0.5f * x[k] * (1.0f + tanhf(0.79788456f * (x[k] + cube)));
  }
  store8(out + i, x);
}

// Exact GELU's gradient, with the error function.
__global__ void gelu_erf_grad(float* __restrict__ dx, const float* __restrict__ x, const float* __restrict__ dy, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    const float v = x[i], cdf = 0.5f * (1.f + erff(v * 0.70710678f)), pdf = 0.39894228f * expf(-0.5f * v * v);
    dx[i] = dy[i] * (cdf + v * pdf);
  }
}

// Gate times value of one row, both halves of which the product before has left side by side.
__global__ void swiglu_halves(bf16* out, const bf16* inp, int H) {
  const int row = blockIdx.x;
  const bf16 *gate = inp + (size_t)row * 2 * H, *up = gate + H;
  for (int c = threadIdx.x; c < H; c += blockDim.x) {
    const float g = (float)gate[c];
    out[(size_t)row * H + c] = __float2bfloat16(g / (1.f + expf(-g)) * (float)up[c]);
  }
}

struct SoftmaxParams {
  float scale, offset;
};
__device__ SoftmaxParams whole_block_softmax(const float* x, int V, int P) {
  __shared__ float maxima[32], sums[32];
  float top = -INFINITY, sum = 0.f;
  for (int i = (V + blockDim.x - 1) / blockDim.x * blockDim.x + threadIdx.x - blockDim.x; i >= 0; i -= blockDim.x) {
    if (i >= V) continue;
    const float v = x[i], old = top;
    top = fmaxf(top, v);
    sum = sum * expf(old - top) + expf(v - top);
  }
  const float warp_top = max_warp(top);
  const float warp_sum = sum_warp(sum * expf(top - warp_top));
  if (threadIdx.x % 32 == 0) maxima[threadIdx.x / 32] = warp_top, sums[threadIdx.x / 32] = warp_sum;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const float t = lane < blockDim.x / 32 ? maxima[lane] : -FLT_MAX, s = lane < blockDim.x / 32 ? sums[lane] : 0.f;
  const float all_top = max_warp(t);
  const float all_sum = sum_warp(s * expf(t - all_top));
  return {1.f / all_sum, all_top};
}
// Loss and gradient in place of the logits of a padded vocabulary.
__global__ void loss_and_logit_grad(float* logits, float* losses, const int* targets, int V, int P, float dloss) {
  const int row = blockIdx.x, target = targets[row];
  float* x = logits + (size_t)row * P;
  const SoftmaxParams sp = whole_block_softmax(x, V, P);
  if (threadIdx.x == 0) losses[row] = -logf(expf(x[target] - sp.offset) * sp.scale);
  __syncthreads();
  for (int i = threadIdx.x; i < V; i += blockDim.x) {
    const float p = expf(x[i] - sp.offset) * sp.scale;
    x[i] = (p - (i == target ? 1.f : 0.f)) * dloss;
  }
}

// Gradient of the loss from probabilities, a thread an element.
__global__ void probabilities_minus_one_hot(float* dlogits, const float* dlosses, const float* probs, const int* targets, int N, int V) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N * V) {
    int row = i / V, v = i % V;
    dlogits[i] += (probs[i] - (v == targets[row] ? 1.0f : 0.0f)) * dlosses[row];
  }
}

__device__ inline uint32_t squirrel(uint32_t x, uint32_t seed) {
  x *= 0xB5297A4Du;
  x += seed;
  x ^= x >> 8;
  x += 0x68E31DA4u;
  x ^= x << 8;
  x *= 0x1B56C4E9u;
  return x ^ x >> 8;
}
// AdamW with a master copy; the weights in bfloat16 are rounded by chance.
__global__ void adamw_master_weights(bf16* params, float* master, const bf16* grads, float* m, float* v, size_t count, const float* grad_scale, float lr, float beta1, float beta2, float correction1, float correction2, float eps, float decay, uint32_t seed) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i >= count) return;
  float g = *grad_scale * (float)grads[i];
  float mi = m[i], vi = v[i];
  mi = fmaf(beta1, mi, fmaf(-beta1, g, g));
  vi = fmaf(beta2, vi, fmaf(-beta2, g * g, g * g));
  m[i] = mi;
  v[i] = vi;
  mi /= correction1;
  vi /= correction2;
  float old = master[i];
  float p = old - lr * (mi / (sqrtf(vi) + eps) + decay * old);
  const uint32_t bits = __float_as_uint(p), low = bits & 0xffffu, chance = squirrel((uint32_t)i, seed) & 0xffffu;
  params[i] = __ushort_as_bfloat16((unsigned short)((bits >> 16) + (chance < low ? 1 : 0)));
  master[i] = p;
}

// The norm of all gradients: squares of a slice a row of blocks, then one block for the rest.
__global__ void squared_norm_slices(float* out, const bf16* data, size_t count, ptrdiff_t stride) {
  const bf16* slice = data + blockIdx.y * stride;
  float acc = 0.f;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += blockDim.x * (size_t)gridDim.x) acc += (float)slice[i] * (float)slice[i];
  __shared__ float part[32];
  acc = sum_warp(acc);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = acc;
  __syncthreads();
  if (threadIdx.x < 32) {
    acc = sum_warp(threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.f);
    if (threadIdx.x == 0) out[blockIdx.y * gridDim.x + blockIdx.x] += acc;
  }
}
__global__ void norm_to_clip_scale(float* scale, const float* partial, int n, float limit) {
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  __shared__ float s[32];
  float acc = 0.f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) acc += partial[i];
  acc = cg::reduce(warp, acc, cg::plus<float>());
  if (warp.thread_rank() == 0) s[warp.meta_group_rank()] = acc;
  block.sync();
  if (warp.meta_group_rank() == 0) {
    acc = warp.thread_rank() < warp.meta_group_size() ? s[warp.thread_rank()] : 0.f;
    acc = cg::reduce(warp, acc, cg::plus<float>());
    if (warp.thread_rank() == 0) {
      const float norm = sqrtf(acc);
      *scale = isfinite(norm) ? (norm > limit ? limit / norm : 1.f) : 0.f;
    }
  }
}

// Rotary embedding's gradient: turned back, all heads of a word a block.
__global__ void rotary_grad_inplace(bf16* dqkv, const float* cosines, const float* sines, int T, int heads, int hs) {
  const int bt = blockIdx.x, t = bt % T, pairs = hs / 2;
  bf16* base = dqkv + (size_t)bt * heads * hs;
  for (int i = threadIdx.x; i < heads * pairs; i += blockDim.x) {
    const int h = i / pairs, j = i - h * pairs;
    bf16 *lo = base + h * hs + j, *hi = lo + pairs;
    const float c = cosines[t * pairs + j], s = sines[t * pairs + j], a = __bfloat162float(*lo), b = __bfloat162float(*hi);
    *lo = __float2bfloat16(a * c + b * s);
    *hi = __float2bfloat16(b * c - a * s);
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* a = on_device<float>(16 * M, [](uint32_t i) { return fraction(i + 11) - 0.5f; });
  const float* w = on_device<float>(4 * M, [](uint32_t i) { return (fraction(i * 5 + 3) - 0.5f) * 0.1f; });
  float* o = zeros<float>(16 * M);
  float* g = on_device<float>(4 * M, [](uint32_t i) { return fraction(i * 3 + 1) - 0.5f; });
  const bf16* x = on_device<bf16>(8 * M, [](uint32_t i) { return __float2bfloat16(fraction(i * 7 + 2) * 2 - 1); });
  bf16* y = on_device<bf16>(8 * M, [](uint32_t i) { return __float2bfloat16(fraction(i * 9 + 2) * 2 - 1); });
  bf16* z = zeros<bf16>(8 * M);
  const float* positive = on_device<float>(2 * M, [](uint32_t i) { return fraction(i + 5) + 0.25f; });
  float* stats = zeros<float>(2 * 16384);
  const int* tokens = on_device<int>(4096, [](uint32_t i) { return int(hashed(i) % 4000); });

  run("token_position_embed", [&] { token_position_embed<<<4096 * 192 / 512, 512>>>((float4*)o, tokens, (const float4*)a, (const float4*)w, 4, 1024, 192); });
  run("token_position_grad", [&] { token_position_grad<<<(2048 * 768 + 255) / 256, 256>>>(o, o + 8 * M, a, tokens, 2, 1024, 768); });
  run("layer_norm_thread_row", [&] { layer_norm_thread_row<<<4096 / 128, 128>>>(o, stats, stats + 8192, a, w, w + 768, 4096, 384); });
  run("layer_norm_warp_tile_768", [&] { layer_norm_warp_tile<<<8192 / 8, 256>>>(o, stats, stats + 8192, a, w, w + 768, 8192, 768); });
  run("layer_norm_warp_tile_1600", [&] { layer_norm_warp_tile<<<(2000 + 15) / 16, 512>>>(o, stats, stats + 8192, a, w, w + 1600, 2000, 1600); });
  run("residual_then_layer_norm", [&] { residual_then_layer_norm<<<8192 / 4, dim3(32, 4), 6 * 768 * sizeof(bf16)>>>(z, y, x, x + M, x, x + 4096, 8192, 768); });
  run("layer_norm_grad", [&] { layer_norm_grad<<<264, 512, 2 * 768 * sizeof(float)>>>(o, o + 15 * M, o + 15 * M + 4096, a, a + 4 * M, w, w + 100, positive, 4096, 768); });
  run("rms_forward_tree_2048", [&] { rms_forward_tree<256><<<2048, 256>>>(o, stats, a, w, 2048, 1e-6f); });
  run("rms_grad_rows_8", [&] { rms_grad_rows<8><<<264, 256>>>(z, o, x, y, w, positive, 3000); });
  run("softmax_shared_row_1024", [&] { softmax_shared_row<<<8192, 256, (1024 + 32) * sizeof(float)>>>(o, a, 1024); });
  run("softmax_shared_row_4096", [&] { softmax_shared_row<<<1500, 1024, (4096 + 32) * sizeof(float)>>>(o, a, 4096); });
  run("softmax_grad_four_rows", [&] { softmax_grad_four_rows<256><<<dim3(256, 12), 256>>>(o, a, a + M, 1024, 0.125f); });
  run("causal_scores_tile16", [&] { causal_scores_tile16<<<dim3(64, 64, 12), dim3(16, 16)>>>(o, a, a + M, 1024, 64, 0.125f); });
  run("attend_values_thread", [&] { attend_values_thread<<<12 * 512 * 64 / 256, 256>>>(o, a, w, 1, 512, 12, 64); });
  run("attend_values_grad", [&] { attend_values_grad<<<dim3(512 / 32, 24), dim3(64, 4)>>>(o, a, w, 512, 12, 64); });
  run("qkv_to_heads_bf16", [&] { qkv_to_heads_bf16<<<(2048 * 768 + 255) / 256, 256>>>(z, z + 2 * M, z + 4 * M, x, 2, 1024, 12, 64); });
  run("heads_to_rows_x8", [&] { heads_to_rows_x8<<<dim3(1024 / 2, 6), dim3(96, 2)>>>((uint4*)z, (const uint4*)x, 1024, 12, 8); });
  run("linear_thread", [&] { linear_thread<<<dim3(512 / 16, 768 / 16), dim3(16, 16)>>>(o, a, w, w + 1000, 512, 384, 768); });
  run("linear_tile32_bias", [&] { linear_tile32_bias<<<dim3(768 / 32, 1000 / 32 + 1), dim3(32, 32)>>>(o, a, w, w + 1000, 1000, 500, 768); });
  run("linear_registers_8x8_768", [&] { linear_registers_8x8<<<dim3(16, 18), dim3(16, 16)>>>(o, a, w, w + 1000, 768, 2304); });
  run("linear_registers_8x8_256", [&] { linear_registers_8x8<<<dim3(8, 8), dim3(16, 16)>>>(o, a, w, nullptr, 256, 1024); });
  run("linear_input_grad", [&] { linear_input_grad<<<dim3(768 / 64, 1024 / 64), 256>>>(o, a, w, 768, 1024); });
  run("linear_weight_grad_parts", [&] { linear_weight_grad_parts<<<dim3(384 / 32, 384 / 32, 8), dim3(32, 8)>>>(o, a, a + 4 * M, 4000, 384, 384); });
  run("bias_grad_32_columns", [&] { bias_grad_32_columns<<<3072 / 32, 1024, 1024 * sizeof(float)>>>(o, a, 4096, 3072); });
  run("gelu_tanh_x8", [&] { gelu_tanh_x8<<<6 * M / 8 / 256, 256>>>(z, x); });
  run("gelu_erf_grad", [&] { gelu_erf_grad<<<528, 256>>>(o, a, a + M, 3000001); });
  run("swiglu_halves_2816", [&] { swiglu_halves<<<1400, 352>>>(z, x, 2816); });
  float* logits = on_device<float>(6 * M, [](uint32_t i) { return fraction(i * 13 + 1) * 8 - 4; });
  run("loss_and_logit_grad_50257", [&] { loss_and_logit_grad<<<120, 1024>>>(logits, stats, tokens, 50257, 50304, 1.f / 120); });
  run("loss_and_logit_grad_4096", [&] { loss_and_logit_grad<<<1024, 256>>>(logits, stats, tokens, 4000, 4096, 1.f / 1024); });
  run("probabilities_minus_one_hot", [&] { probabilities_minus_one_hot<<<(512 * 4003 + 511) / 512, 512>>>(o, positive, a, tokens, 512, 4003); });
  run("adamw_master_weights", [&] { adamw_master_weights<<<(3000000 + 511) / 512, 512>>>(z, g, x, o, o + 4 * M, 3000000, positive, 3e-4f, 0.9f, 0.95f, 0.1f, 0.05f, 1e-8f, 0.1f, 1337u); });
  run("squared_norm_slices", [&] { squared_norm_slices<<<dim3(44, 6), 512>>>(stats, x, 1000000, 1200000); });
  run("norm_to_clip_scale", [&] { norm_to_clip_scale<<<1, 1024>>>(stats, a, 12000, 1.f); });
  run("rotary_grad_inplace", [&] { rotary_grad_inplace<<<2048, 192>>>(y, a, a + M, 1024, 24, 64); });
  return 0;
}
