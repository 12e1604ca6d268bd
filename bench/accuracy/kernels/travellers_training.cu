// A training step's odd jobs: gradients of norms, biases, masks and embeddings, losses of several kinds, optimizers, advantages, initial weights, and buckets of gradients.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cases.h"

typedef __nv_bfloat16 floatX;

template <class ElementType>
struct alignas(16) Packed128 {
  static constexpr int size = 16 / sizeof(ElementType);
  ElementType payload[size];
  __device__ ElementType& operator[](int i) { return payload[i]; }
  __device__ const ElementType& operator[](int i) const { return payload[i]; }
};
typedef Packed128<floatX> x128;
__device__ __forceinline__ x128 load128(const floatX* p) { return *reinterpret_cast<const x128*>(p); }
__device__ __forceinline__ x128 load128cs(const floatX* p) {
  const int4 raw = __ldcs(reinterpret_cast<const int4*>(p));
  return *reinterpret_cast<const x128*>(&raw);
}
__device__ __forceinline__ void store128cs(floatX* p, const x128& v) { __stcs(reinterpret_cast<int4*>(p), *reinterpret_cast<const int4*>(&v)); }

__device__ inline float warpReduceSum(float val) {
  for (int offset = 16; offset > 0; offset /= 2) val += __shfl_xor_sync(0xFFFFFFFF, val, offset);
  return val;
}
__device__ inline float warpReduceMax(float val) {
  for (int offset = 16; offset > 0; offset /= 2) val = fmaxf(val, __shfl_xor_sync(0xFFFFFFFF, val, offset));
  return val;
}
using reduction_func_t = float (*)(float);
template <reduction_func_t warp_reduction>
__device__ inline float blockReduce(float val, float out_of_bounds = 0.0f) {
  __shared__ float shared_val[32];
  const int lane_id = threadIdx.x % 32, warp_id = threadIdx.x / 32, num_warps = blockDim.x / 32;
  float warp_val = warp_reduction(val);
  __syncthreads();
  if (lane_id == 0) shared_val[warp_id] = warp_val;
  __syncthreads();
  warp_val = (lane_id < num_warps) ? shared_val[lane_id] : out_of_bounds;
  return warp_reduction(warp_val);
}

// Heads of queries normalized one by one, then turned: a warp a head.
__global__ void qk_norm_rope_fused(floatX* qk, const float* weight, const float2* freqs, int tokens, int heads, float eps) {
  const int head = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (head >= tokens * heads) return;
  floatX* x = qk + (size_t)head * 128 + lane * 4;
  uint2 raw = *reinterpret_cast<uint2*>(x);
  __nv_bfloat162* p = reinterpret_cast<__nv_bfloat162*>(&raw);
  float2 a = __bfloat1622float2(p[0]), b = __bfloat1622float2(p[1]);
  const float rms = rsqrtf(warpReduceSum(a.x * a.x + a.y * a.y + b.x * b.x + b.y * b.y) / 128.f + eps);
  const float4 w = reinterpret_cast<const float4*>(weight)[lane];
  a.x *= rms * w.x, a.y *= rms * w.y, b.x *= rms * w.z, b.y *= rms * w.w;
  const float2 f0 = freqs[(head / heads) * 64 + lane * 2], f1 = freqs[(head / heads) * 64 + lane * 2 + 1];
  p[0] = __floats2bfloat162_rn(a.x * f0.x - a.y * f0.y, a.x * f0.y + a.y * f0.x);
  p[1] = __floats2bfloat162_rn(b.x * f1.x - b.y * f1.y, b.x * f1.y + b.y * f1.x);
  *reinterpret_cast<uint2*>(x) = raw;
}

// Columns of a gradient summed for a bias: threads of eight columns, warps' rows apart, the rest by shared memory.
__global__ void matmul_backward_bias_kernel(float* dbias, const floatX* dout, int BT, int OC) {
  constexpr int bdx = 4, bdy = 32 / bdx;
  const int warp_d = threadIdx.x, warp_c = threadIdx.y, block_d = threadIdx.z;
  const int local_oc = warp_c * x128::size, global_oc = blockIdx.x * bdy * x128::size + local_oc;
  const int local_bt = warp_d + bdx * block_d, bt_per_block = bdx * blockDim.z;
  float accumulators[x128::size];
  for (int k = 0; k < x128::size; k++) accumulators[k] = 0.0f;
  if (global_oc < OC)
    for (int idx = blockIdx.y * bt_per_block + local_bt; idx < BT; idx += gridDim.y * bt_per_block) {
      x128 packed = load128(dout + (size_t)idx * OC + global_oc);
      for (int k = 0; k < x128::size; k++) accumulators[k] += __bfloat162float(packed[k]);
    }
  __shared__ float sub_results[x128::size][32][bdy];
  for (int k = 0; k < x128::size; k++) {
    float v = accumulators[k];
    v += __shfl_down_sync(0xffffffff, v, 1, 4);
    v += __shfl_down_sync(0xffffffff, v, 2, 4);
    if (warp_d == 0) sub_results[k][block_d][warp_c] = v;
  }
  __syncthreads();
  for (int k = block_d; k < x128::size; k += blockDim.z) {
    float a = 0.f;
    for (int r = warp_d; r < blockDim.z; r += bdx) {
      float v = sub_results[k][r][warp_c];
      v += __shfl_down_sync(0xffffffff, v, 1, 4);
      v += __shfl_down_sync(0xffffffff, v, 2, 4);
      a += v;
    }
    if (warp_d == 0 && global_oc < OC) atomicAdd(dbias + global_oc + k, a);
  }
}

// Gradients of positions: eight channels a thread, summed over the batch.
__global__ void wpe_backward_kernel(floatX* dwpe, const floatX* dout, int B, int T, int C) {
  const int idx = (blockIdx.x * blockDim.x + threadIdx.x) * x128::size;
  if (idx >= T * C) return;
  float accum[x128::size] = {0.0f};
  for (int b = 0; b < B; b++) {
    x128 packed = load128cs(dout + (size_t)b * T * C + idx);
    for (int k = 0; k < x128::size; k++) accum[k] += __bfloat162float(packed[k]);
  }
  x128 old = load128(dwpe + idx);
  for (int k = 0; k < x128::size; k++) old[k] = __float2bfloat16(__bfloat162float(old[k]) + accum[k]);
  *reinterpret_cast<x128*>(dwpe + idx) = old;
}

// A loss over a part of the words: sums of all parts are known, the gradient replaces the logits; the square of the logarithm is punished.
__global__ __launch_bounds__(1024) void vocab_parallel_ce_grad(floatX* logits, float* losses, const int* targets, const float2* max_and_sum, int V, int first_word, float z_weight, float dloss) {
  const int64_t row = gridDim.x - 1 - blockIdx.x;
  const float2 ms = max_and_sum[row];
  const float lse = ms.x + logf(ms.y), inv = 1.f / ms.y, z = 1.f + 2.f * z_weight * lse;
  const int ix = targets[row] - first_word;
  floatX* x = logits + row * V;
  if (threadIdx.x == 0) losses[row] = (ix >= 0 && ix < V ? -__bfloat162float(x[ix]) : 0.f) + lse + z_weight * lse * lse;
  __syncthreads();
  for (int i = threadIdx.x; i < V / x128::size; i += blockDim.x) {
    x128 p = load128cs(x + i * x128::size);
    for (int k = 0; k < x128::size; ++k) {
      const float prob = expf(__bfloat162float(p[k]) - ms.x) * inv;
      p[k] = __float2bfloat16((prob * z - (i * x128::size + k == ix ? 1.0f : 0.0f)) * dloss);
    }
    store128cs(x + i * x128::size, p);
  }
}

// X times its transpose for Newton's and Schulz's iteration (Muon): tiles above the diagonal are mirrored, and a polynomial's part is added.
__global__ __launch_bounds__(256) void xxt_mirrored(const floatX* __restrict__ X, floatX* __restrict__ A, int rows, int cols, float b) {
  const int bi = blockIdx.y, bj = blockIdx.x;
  if (bj > bi) return;
  __shared__ float s1[16][65], s2[16][65];
  const int tx = threadIdx.x & 15, ty = threadIdx.x >> 4;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < cols; k0 += 16) {
    for (int i = threadIdx.x; i < 64 * 8; i += 256) {
      const int r = i >> 3, k = (i & 7) * 2;
      const float2 u = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(X + (size_t)(bi * 64 + r) * cols + k0 + k));
      const float2 v = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(X + (size_t)(bj * 64 + r) * cols + k0 + k));
      s1[k][r] = u.x, s1[k + 1][r] = u.y;
      s2[k][r] = v.x, s2[k + 1][r] = v.y;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      float u[4], v[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) u[i] = s1[k][ty * 4 + i], v[i] = s2[k][tx * 4 + i];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] = fmaf(u[i], v[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const int r = bi * 64 + ty * 4 + i, c = bj * 64 + tx * 4 + j;
      const floatX v = __float2bfloat16(b * acc[i][j]);
      A[(size_t)r * rows + c] = v;
      if (bi != bj) A[(size_t)c * rows + r] = v;
    }
}

// Adafactor: the second moment is a product of a row's and a column's.
template <int VEC>
__global__ void adafactor_apply(float* __restrict__ param, const floatX* __restrict__ grad, const float* __restrict__ row_moment, const float* __restrict__ col_moment, const float* __restrict__ row_mean, int rows, int cols, float lr, float clip) {
  const int c = (blockIdx.x * blockDim.x + threadIdx.x) * VEC;
  if (c >= cols) return;
  const float inv_mean = 1.f / *row_mean;
  float cm[VEC];
#pragma unroll
  for (int k = 0; k < VEC; ++k) cm[k] = rsqrtf(col_moment[c + k] + 1e-30f);
  for (int r = blockIdx.y; r < rows; r += gridDim.y) {
    const float rm = rsqrtf(row_moment[r] * inv_mean + 1e-30f);
    const size_t at = (size_t)r * cols + c;
#pragma unroll
    for (int k = 0; k < VEC; ++k) {
      const float u = __bfloat162float(grad[at + k]) * rm * cm[k];
      param[at + k] -= lr * fminf(fmaxf(u, -clip), clip);
    }
  }
}

struct TensorList {
  float* param[24];
  float* momentum[24];
  const __half* grad[24];
  int size[24];
  unsigned char block_tensor[200];
  int block_chunk[200];
};
// SGD with Nesterov's momentum over a list of tensors in the kernel's parameters; a block a chunk.
__global__ void sgd_nesterov_list(TensorList list, int chunk_size, float lr, float mom, float wd, float inv_scale) {
  const int t = list.block_tensor[blockIdx.x], begin = list.block_chunk[blockIdx.x] * chunk_size, n = min(list.size[t] - begin, chunk_size);
  float *p = list.param[t] + begin, *m = list.momentum[t] + begin;
  const __half* g = list.grad[t] + begin;
  for (int i0 = 0; i0 < n; i0 += blockDim.x * 4) {
    float pv[4], mv[4], gv[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int i = i0 + threadIdx.x + k * blockDim.x;
      pv[k] = mv[k] = gv[k] = 0.f;
      if (i < n) pv[k] = p[i], mv[k] = m[i], gv[k] = __half2float(g[i]) * inv_scale;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      gv[k] += wd * pv[k];
      mv[k] = mom * mv[k] + gv[k];
      pv[k] -= lr * (gv[k] + mom * mv[k]);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int i = i0 + threadIdx.x + k * blockDim.x;
      if (i < n) p[i] = pv[k], m[i] = mv[k];
    }
  }
}

// LAMB's first stage: moments, the update, and the squares of both norms.
__global__ void lamb_stage1(const float4* __restrict__ p, const float4* __restrict__ g, float4* __restrict__ m, float4* __restrict__ v, float4* __restrict__ update, double* norms, int n4, float b1, float b2, float c1, float c2) {
  float pn = 0.f, un = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    const float4 pv = p[i], gv = g[i];
    float4 mv = m[i], vv = v[i], u;
    auto one = [&](float pe, float ge, float& me, float& ve, float& ue) {
      me = b1 * me + (1.f - b1) * ge;
      ve = b2 * ve + (1.f - b2) * ge * ge;
      ue = me * c1 / (sqrtf(ve * c2) + 1e-6f) + 0.01f * pe;
      pn += pe * pe;
      un += ue * ue;
    };
    one(pv.x, gv.x, mv.x, vv.x, u.x);
    one(pv.y, gv.y, mv.y, vv.y, u.y);
    one(pv.z, gv.z, mv.z, vv.z, u.z);
    one(pv.w, gv.w, mv.w, vv.w, u.w);
    m[i] = mv, v[i] = vv, update[i] = u;
  }
  pn = blockReduce<warpReduceSum>(pn);
  un = blockReduce<warpReduceSum>(un);
  if (threadIdx.x == 0) {
    atomicAdd(&norms[0], (double)pn);
    atomicAdd(&norms[1], (double)un);
  }
}

// GELU by tanh, backward, in place.
__global__ void gelu_backward_inplace_kernel(floatX* d_in_out, const floatX* inp) {
  const int idx = (blockIdx.x * blockDim.x + threadIdx.x) * x128::size;
  x128 packed_dinp, packed_inp = load128cs(inp + idx), packed_dout = load128(d_in_out + idx);
  for (int k = 0; k < packed_inp.size; ++k) {
    float x = __bfloat162float(packed_inp[k]);
    float cube = 0.044715f * x * x * x;
    float tanh_arg = 0.7978845608f * (x + cube);
    float tanh_out = tanhf(tanh_arg);
    float coshf_out = coshf(tanh_arg);
    float sech_out = 1.0f / (coshf_out * coshf_out);
    float local_grad = 0.5f * (1.0f + tanh_out) + x * 0.5f * sech_out * 0.7978845608f * (1.0f + 3.0f * 0.044715f * x * x);
    packed_dinp[k] = __float2bfloat16(local_grad * __bfloat162float(packed_dout[k]));
  }
  *reinterpret_cast<x128*>(d_in_out + idx) = packed_dinp;
}

// Through dropout, mask and softmax of attention: a warp a row of up to 1024, bits for what was kept.
template <int LOG2>
__global__ void masked_softmax_dropout_grad(__half* __restrict__ grad_in, const __half* __restrict__ grad, const __half* __restrict__ probs, const uint32_t* __restrict__ keep, int rows, int cols, float inv_keep, float scale) {
  constexpr int PER = (1 << LOG2) / 32;
  const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (row >= rows) return;
  float p[PER], g[PER], sum = 0.f;
#pragma unroll
  for (int i = 0; i < PER; ++i) {
    const int c = i * 32 + lane;
    p[i] = g[i] = 0.f;
    if (c < cols) {
      p[i] = __half2float(probs[(size_t)row * cols + c]);
      const bool kept = keep[(size_t)row * ((cols + 31) / 32) + i] >> lane & 1;
      g[i] = kept ? __half2float(grad[(size_t)row * cols + c]) * inv_keep : 0.f;
    }
    sum += p[i] * g[i];
  }
  sum = warpReduceSum(sum);
#pragma unroll
  for (int i = 0; i < PER; ++i)
    if (i * 32 + lane < cols) grad_in[(size_t)row * cols + i * 32 + lane] = __float2half(scale * p[i] * (g[i] - sum));
}

// Policies' clipped loss of tokens with a penalty by the reference, and its gradient by the logarithm of the probability.
__global__ void ppo_clip_loss_grad(const float* logp, const float* old_logp, const float* ref_logp, const float* advantages, const int* sequence, const unsigned char* mask, float* grad, float* totals, int n, float low, float high, float beta) {
  float loss = 0, clipped = 0, kl_sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (!mask[i]) {
      grad[i] = 0;
      continue;
    }
    float adv = advantages[sequence[i]];
    float ratio = expf(logp[i] - old_logp[i]);
    float plain = ratio * adv, limited = fminf(fmaxf(ratio, 1 - low), 1 + high) * adv;
    float d = ref_logp[i] - logp[i];
    float kl = expf(d) - d - 1;
    loss += -fminf(plain, limited) + beta * kl;
    clipped += plain > limited;
    kl_sum += kl;
    grad[i] = (plain <= limited ? -plain : 0.0f) + beta * (1 - expf(d));
  }
  loss = blockReduce<warpReduceSum>(loss);
  clipped = blockReduce<warpReduceSum>(clipped);
  kl_sum = blockReduce<warpReduceSum>(kl_sum);
  if (threadIdx.x == 0) {
    atomicAdd(totals, loss);
    atomicAdd(totals + 1, clipped);
    atomicAdd(totals + 2, kl_sum);
  }
}

// Contrastive loss of a square of similarities: the block of a row reads its column, too.
__global__ void infonce_row_col(const float* __restrict__ sim, float* __restrict__ loss, int n, float inv_temperature) {
  const int r = blockIdx.x;
  float rm = -INFINITY, cm = -INFINITY;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    rm = fmaxf(rm, sim[(size_t)r * n + i]);
    cm = fmaxf(cm, sim[(size_t)i * n + r]);
  }
  rm = blockReduce<warpReduceMax>(rm, -INFINITY);
  cm = blockReduce<warpReduceMax>(cm, -INFINITY);
  float rs = 0.f, cs = 0.f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    rs += __expf((sim[(size_t)r * n + i] - rm) * inv_temperature);
    cs += __expf((sim[(size_t)i * n + r] - cm) * inv_temperature);
  }
  rs = blockReduce<warpReduceSum>(rs);
  cs = blockReduce<warpReduceSum>(cs);
  if (threadIdx.x == 0) loss[r] = 0.5f * (__logf(rs) + __logf(cs) + (rm + cm - 2.f * sim[(size_t)r * n + r]) * inv_temperature);
}

// Terms of Dice's loss of classes: softmax over the classes of each pixel, sums by shared atomics.
template <int CLASSES>
__global__ void dice_terms(const float* __restrict__ logits, const unsigned char* __restrict__ labels, float* __restrict__ inter, float* __restrict__ denom, int pixels) {
  __shared__ float si[CLASSES], sd[CLASSES];
  if (threadIdx.x < CLASSES) si[threadIdx.x] = sd[threadIdx.x] = 0.f;
  __syncthreads();
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < pixels; p += gridDim.x * blockDim.x) {
    float v[CLASSES], m = -1e30f, s = 0.f;
#pragma unroll
    for (int c = 0; c < CLASSES; ++c) m = fmaxf(m, v[c] = logits[(size_t)c * pixels + p]);
#pragma unroll
    for (int c = 0; c < CLASSES; ++c) s += v[c] = __expf(v[c] - m);
    const int label = labels[p];
    const float inv = 1.f / s;
#pragma unroll
    for (int c = 0; c < CLASSES; ++c) {
      const float prob = v[c] * inv;
      if (c == label) atomicAdd(&si[c], prob);
      const float d = warpReduceSum(prob + (c == label ? 1.f : 0.f));
      if (threadIdx.x % 32 == 0) atomicAdd(&sd[c], d);
    }
  }
  __syncthreads();
  if (threadIdx.x < CLASSES) {
    atomicAdd(&inter[threadIdx.x], si[threadIdx.x]);
    atomicAdd(&denom[threadIdx.x], sd[threadIdx.x]);
  }
}

// Advantages of many environments, from the last step to the first.
__global__ void gae_advantages(const float* rewards, const float* values, const unsigned char* dones, float* advantages, float* returns, int steps, int envs, float gamma, float lambda) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= envs) return;
  float last = 0, next_value = values[steps * envs + e];
  for (int t = steps - 1; t >= 0; t--) {
    int i = t * envs + e;
    float alive = dones[i] ? 0.0f : 1.0f;
    float v = values[i];
    float delta = rewards[i] + gamma * next_value * alive - v;
    last = delta + gamma * lambda * alive * last;
    advantages[i] = last;
    returns[i] = last + v;
    next_value = v;
  }
}

// Batch norm, channels last, backward: sums of the gradient and of its product with the input. Blocks of 32 channels times 8 rows.
__global__ void bn_backward_reduce_nhwc(const __half* __restrict__ dy, const __half* __restrict__ x, const float* __restrict__ mean, const float* __restrict__ inv_std, float* __restrict__ sum_dy, float* __restrict__ sum_dy_xmu, int rows, int C) {
  __shared__ float2 part[8][33];
  const int c = blockIdx.x * 32 + threadIdx.x;
  float2 acc = make_float2(0.f, 0.f);
  if (c < C) {
    const float mu = mean[c], is = inv_std[c];
#pragma unroll 4
    for (int r = blockIdx.y * 8 + threadIdx.y; r < rows; r += gridDim.y * 8) {
      const float g = __half2float(dy[(size_t)r * C + c]);
      acc.x += g;
      acc.y += g * (__half2float(x[(size_t)r * C + c]) - mu) * is;
    }
  }
  part[threadIdx.y][threadIdx.x] = acc;
  __syncthreads();
  if (threadIdx.y == 0 && c < C) {
    for (int i = 1; i < 8; ++i) acc.x += part[i][threadIdx.x].x, acc.y += part[i][threadIdx.x].y;
    atomicAdd(sum_dy + c, acc.x);
    atomicAdd(sum_dy_xmu + c, acc.y);
  }
}

// Weights' gradient of a 1x1 convolution: tiles of output and input channels, the pixels split over blocks.
__global__ void pointwise_wgrad_tile(const float* __restrict__ x, const float* __restrict__ dy, float* __restrict__ dw, int cin, int cout, int pixels, int slice) {
  __shared__ float xs[32][33], ys[32][33];
  const int ci0 = blockIdx.x * 32, co0 = blockIdx.y * 32, p_begin = blockIdx.z * slice, p_end = min(pixels, p_begin + slice);
  float acc[4] = {0.f, 0.f, 0.f, 0.f};
  for (int p0 = p_begin; p0 < p_end; p0 += 32) {
    const int p = p0 + threadIdx.x;
    for (int r = threadIdx.y; r < 32; r += 8) {
      xs[r][threadIdx.x] = p < p_end && ci0 + r < cin ? x[(size_t)(ci0 + r) * pixels + p] : 0.f;
      ys[r][threadIdx.x] = p < p_end && co0 + r < cout ? dy[(size_t)(co0 + r) * pixels + p] : 0.f;
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      const float xv = xs[threadIdx.x][k];
#pragma unroll
      for (int j = 0; j < 4; ++j) acc[j] += xv * ys[threadIdx.y + 8 * j][k];
    }
    __syncthreads();
  }
  if (ci0 + threadIdx.x >= cin) return;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int co = co0 + threadIdx.y + 8 * j;
    if (co < cout) atomicAdd(dw + (size_t)co * cin + ci0 + threadIdx.x, acc[j]);
  }
}

// A bucket of reduced gradients spread to their tensors and averaged: the tensor of an element is searched.
__global__ void bucket_unflatten_scale(const __half* __restrict__ bucket, float* const* __restrict__ tensors, const int* __restrict__ offsets, int count, int total, float scale) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += blockDim.x * gridDim.x) {
    int lo = 0, hi = count;
    while (hi - lo > 1) {
      const int mid = (lo + hi) / 2;
      if (offsets[mid] <= i)
        lo = mid;
      else
        hi = mid;
    }
    tensors[lo][i - offsets[lo]] = __half2float(bucket[i]) * scale;
  }
}

// Normal numbers cut off at two deviations, by Philox's rounds; what falls outside is drawn again.
__device__ uint4 philox4x32_10(uint4 c, uint2 k) {
#pragma unroll
  for (int i = 0; i < 10; ++i) {
    const uint32_t h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x, h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
    c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
    k.x += 0x9E3779B9u, k.y += 0xBB67AE85u;
  }
  return c;
}
__global__ void trunc_normal_philox(__half2* __restrict__ w, int n2, float std, uint2 seed) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n2; i += gridDim.x * blockDim.x) {
    float2 z = make_float2(3.f, 3.f);
    for (uint32_t round = 0; round < 8 && (fabsf(z.x) > 2.f || fabsf(z.y) > 2.f); ++round) {
      const uint4 r = philox4x32_10(make_uint4(i, round, 0, 0), seed);
      const float radius = sqrtf(-2.f * __logf((r.x + 0.5f) * 2.3283064e-10f));
      float s, c;
      __sincosf(6.2831853f * 2.3283064e-10f * r.y, &s, &c);
      if (fabsf(z.x) > 2.f) z.x = radius * c;
      if (fabsf(z.y) > 2.f) z.y = radius * s;
    }
    w[i] = __floats2half2_rn(z.x * std, z.y * std);
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const floatX* x = on_device<floatX>(8 * M, [](uint32_t i) { return __float2bfloat16(fraction(i * 7 + 1) * 4 - 2); });
  floatX* y = on_device<floatX>(8 * M, [](uint32_t i) { return __float2bfloat16(fraction(i * 3 + 5) * 4 - 2); });
  const __half* h = on_device<__half>(8 * M, [](uint32_t i) { return __float2half(fraction(i + 21) * 0.25f - 0.125f); });
  __half* ho = zeros<__half>(8 * M);
  float* a = on_device<float>(4 * M, fraction);
  const float* b = on_device<float>(4 * M, [](uint32_t i) { return fraction(i * 3 + 2) - 0.5f; });
  float* c = zeros<float>(8 * M);

  const float2* freqs = on_device<float2>(1024 * 64, [](uint32_t i) { const float t = float(i / 64) * std::pow(1e6f, -float(i % 64) / 64); return make_float2(std::cos(t), std::sin(t)); });
  run("qk_norm_rope_fused", [&] { qk_norm_rope_fused<<<(1024 * 40 + 7) / 8, 256>>>(y, b, freqs, 1024, 40, 1e-6f); });
  run("matmul_backward_bias_768", [&] { matmul_backward_bias_kernel<<<dim3(12, 11), dim3(4, 8, 16)>>>(c, x, 8192, 768); });
  run("matmul_backward_bias_5120", [&] { matmul_backward_bias_kernel<<<dim3(80, 3), dim3(4, 8, 32)>>>(c, x, 1600, 5120); });
  run("wpe_backward", [&] { wpe_backward_kernel<<<(1024 * 768 / 8 + 255) / 256, 256>>>(y, x, 8, 1024, 768); });
  const int* targets = on_device<int>(256, [](uint32_t i) { return int(hashed(i) % 50304); });
  const float2* ms = on_device<float2>(256, [](uint32_t i) { return make_float2(2.f, 9000.f + float(i)); });
  run("vocab_parallel_ce_grad", [&] { vocab_parallel_ce_grad<<<256, 1024>>>(y, c, targets, ms, 25152, 0, 1e-4f, 1.f / 256); });
  run("xxt_mirrored_768", [&] { xxt_mirrored<<<dim3(12, 12), 256>>>(x, y, 768, 1024, -4.775f); });
  run("xxt_mirrored_1280", [&] { xxt_mirrored<<<dim3(20, 20), 256>>>(x, y, 1280, 640, -4.775f); });
  run("adafactor_apply", [&] { adafactor_apply<4><<<dim3(3, 120), 256>>>(c, x, a, a + 1024, a + 8192, 1000, 3072, 1e-3f, 1.f); });
  TensorList list = {};
  int blocks = 0;
  for (int t = 0, at = 0; t < 24; ++t) {
    const int n = t % 4 == 0 ? 200000 + 17 * t : t % 4 == 1 ? 768 : 40000 + 1000 * t;
    list.param[t] = c + at, list.momentum[t] = c + 4 * M + at, list.grad[t] = h + at, list.size[t] = n;
    for (int k = 0; k * 16384 < n; ++k) list.block_tensor[blocks] = (unsigned char)t, list.block_chunk[blocks++] = k;
    at += (n + 31) / 32 * 32;
  }
  run("sgd_nesterov_list", [&] { sgd_nesterov_list<<<blocks, 512>>>(list, 16384, 0.01f, 0.9f, 1e-4f, 1.f / 1024); });
  double* norms = zeros<double>(2);
  run("lamb_stage1", [&] { lamb_stage1<<<264, 512>>>((const float4*)a, (const float4*)b, (float4*)c, (float4*)(c + 2 * M), (float4*)(c + 4 * M), norms, 450000, 0.9f, 0.999f, 1.2f, 1.1f); });
  run("gelu_backward_inplace", [&] { gelu_backward_inplace_kernel<<<1536, 256>>>(y, x); });
  const uint32_t* keep = on_device<uint32_t>(M, [](uint32_t i) { return hashed(i) | hashed(i + 999) | hashed(i + 4321); });
  run("masked_softmax_dropout_grad_512", [&] { masked_softmax_dropout_grad<9><<<(8000 + 3) / 4, dim3(32, 4)>>>(ho, h, h + 4 * M, keep, 8000, 490, 1.f / 0.9f, 0.125f); });
  run("masked_softmax_dropout_grad_64", [&] { masked_softmax_dropout_grad<6><<<(40000 + 7) / 8, dim3(32, 8)>>>(ho, h, h + 4 * M, keep, 40000, 64, 1.f / 0.9f, 0.125f); });
  const int* sequence = on_device<int>(800000, [](uint32_t i) { return int(i / 640); });
  const unsigned char* mask = on_device<unsigned char>(800000, [](uint32_t i) { return (unsigned char)(i % 640 > 80 && i % 640 < 240 + hashed(i / 640) % 400); });
  run("ppo_clip_loss_grad", [&] { ppo_clip_loss_grad<<<400, 256>>>(b, b + 1000, b + 3000, b + 3 * M, sequence, mask, c, c + 2 * M, 800000, 0.2f, 0.28f, 0.04f); });
  run("infonce_row_col_1024", [&] { infonce_row_col<<<1024, 256>>>(b, c, 1024, 14.f); });
  const unsigned char* labels = on_device<unsigned char>(220160, [](uint32_t i) { return (unsigned char)(hashed(i / 97) % 9 ? hashed(i / 700) % 8 : 0); });
  run("dice_terms_8", [&] { dice_terms<8><<<215, 256>>>(a, labels, c, c + 64, 220160); });
  const unsigned char* dones = on_device<unsigned char>(128 * 4096, [](uint32_t i) { return (unsigned char)(hashed(i) % 100 == 0); });
  run("gae_advantages", [&] { gae_advantages<<<4096 / 64, 64>>>(a, b, dones, c, c + M, 128, 4096, 0.99f, 0.95f); });
  run("bn_backward_reduce_nhwc_256", [&] { bn_backward_reduce_nhwc<<<dim3(8, 66), dim3(32, 8)>>>(h, h + 4 * M, b, a, c, c + 1024, 14000, 256); });
  run("pointwise_wgrad_tile", [&] { pointwise_wgrad_tile<<<dim3(5, 8, 12), dim3(32, 8)>>>(a, b, c, 144, 240, 6272, 544); });
  std::vector<float*> tensors;
  std::vector<int> offsets;
  int total = 0;
  for (uint32_t t = 0; t < 70; ++t) {
    tensors.push_back(c + total);
    offsets.push_back(total);
    total += t % 3 ? 1024 + int(hashed(t) % 3000) : 60000 + int(hashed(t) % 50000);
  }
  float* const* tensors_d = on_device(tensors);
  const int* offsets_d = on_device(offsets);
  run("bucket_unflatten_scale", [&] { bucket_unflatten_scale<<<528, 256>>>(h, tensors_d, offsets_d, 70, total, 0.125f); });
  run("trunc_normal_philox", [&] { trunc_normal_philox<<<700, 128>>>((__half2*)ho, 1000000, 0.02f, make_uint2(1234, 5678)); });
  return 0;
}
