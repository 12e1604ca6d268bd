// Layers of deep learning, forward and backward: embeddings, norms, activations, losses, optimizers, convolutions,
// pooling, upsampling, dropout, dense products.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "cases.h"

typedef __nv_bfloat16 bf16;
using namespace nvcuda;

// Sixteen bytes of elements, loaded and stored at once.
template <class T>
struct alignas(16) Packed128 {
  static constexpr int size = 16 / sizeof(T);
  T payload[size];
  __device__ T& operator[](int i) { return payload[i]; }
  __device__ const T& operator[](int i) const { return payload[i]; }
};
typedef Packed128<bf16> x128;
template <class T>
__device__ Packed128<T> load128(const T* address) {
  const int4 bits = *reinterpret_cast<const int4*>(address);
  Packed128<T> result;
  memcpy(&result, &bits, 16);
  return result;
}
template <class T>
__device__ void store128(T* address, const Packed128<T>& value) {
  int4 bits;
  memcpy(&bits, &value, 16);
  *reinterpret_cast<int4*>(address) = bits;
}

__device__ float warpReduceSum(float val) {
  for (int offset = 16; offset > 0; offset >>= 1) val += __shfl_xor_sync(0xffffffff, val, offset);
  return val;
}
__device__ float warpReduceMax(float val) {
  for (int offset = 16; offset > 0; offset >>= 1) val = fmaxf(val, __shfl_xor_sync(0xffffffff, val, offset));
  return val;
}
template <float (*warp_reduction)(float)>
__device__ float blockReduce(float val, float out_of_bounds = 0.0f) {
  __shared__ float shared_val[32];
  const int lane_id = threadIdx.x % 32, warp_id = threadIdx.x / 32, num_warps = blockDim.x / 32;
  float warp_val = warp_reduction(val);
  if (lane_id == 0) shared_val[warp_id] = warp_val;
  __syncthreads();
  warp_val = lane_id < num_warps ? shared_val[lane_id] : out_of_bounds;
  float block_val = warp_reduction(warp_val);
  __syncthreads();
  return block_val;
}

// ---- embeddings ----

// Token plus position embedding, one float4 a thread.
__global__ void encoder_tokpos_float4(float4* out, const int* inp, const float4* wte, const float4* wpe, int B, int T, int C4) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < B * T * C4) {
    int bt = idx / C4, t = bt % T, c = idx % C4;
    float4 a = wte[inp[bt] * C4 + c], b = wpe[t * C4 + c];
    out[idx] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
  }
}

// Gradient of the token embedding: pairs of bf16 added atomically to the token's row.
__global__ void wte_backward_atomic_bf162(__nv_bfloat162* dwte, const __nv_bfloat162* dout, const int* inp, int BT, int C2) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= BT * C2) return;
  int bt = idx / C2, c = idx % C2;
  atomicAdd(&dwte[(size_t)inp[bt] * C2 + c], dout[idx]);
}

// ---- norms ----

// Course work: each thread normalizes one row by itself, in three passes.
__global__ void layernorm_row_per_thread(float* out, float* mean, float* rstd, const float* inp, const float* weight, const float* bias, int N, int C) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < N) {
    const float* x = inp + row * C;
    float m = 0.0f;
    for (int i = 0; i < C; i++) m += x[i];
    m = m / C;
    float v = 0.0f;
    for (int i = 0; i < C; i++) {
      float xshift = x[i] - m;
      v += xshift * xshift;
    }
    float s = 1.0f / sqrtf(v / C + 1e-5f);
    for (int i = 0; i < C; i++) out[row * C + i] = s * (x[i] - m) * weight[i] + bias[i];
    mean[row] = m;
    rstd[row] = s;
  }
}

// residual = inp1 + inp2 and its layernorm, a warp a row, the row kept in registers.
template <int C>
__global__ void fused_residual_ln_bf16(bf16* residual, bf16* normed, const bf16* inp1, const bf16* inp2, const bf16* weight, const bf16* bias, int N) {
  constexpr int packs = C / (32 * x128::size);
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= N) return;
  float values[packs][x128::size];
  float sum = 0.0f, sq = 0.0f;
#pragma unroll
  for (int p = 0; p < packs; p++) {
    int c = (p * 32 + threadIdx.x) * x128::size;
    x128 a = load128(inp1 + (size_t)row * C + c), b = load128(inp2 + (size_t)row * C + c), r;
    for (int k = 0; k < x128::size; k++) {
      r[k] = __float2bfloat16((float)a[k] + (float)b[k]);
      values[p][k] = (float)r[k];
      sum += values[p][k];
    }
    store128(residual + (size_t)row * C + c, r);
  }
  float m = warpReduceSum(sum) / C;
#pragma unroll
  for (int p = 0; p < packs; p++)
    for (int k = 0; k < x128::size; k++) sq += (values[p][k] - m) * (values[p][k] - m);
  float s = rsqrtf(warpReduceSum(sq) / C + 1e-5f);
#pragma unroll
  for (int p = 0; p < packs; p++) {
    int c = (p * 32 + threadIdx.x) * x128::size;
    x128 w = load128(weight + c), b = load128(bias + c), n;
    for (int k = 0; k < x128::size; k++) n[k] = __float2bfloat16(s * (values[p][k] - m) * (float)w[k] + (float)b[k]);
    store128(normed + (size_t)row * C + c, n);
  }
}

// Backward of layernorm: warps over rows, gradients of weight and bias gathered in shared memory and then atomically.
__global__ void layernorm_bwd_shared_accum(float* dinp, float* dweight, float* dbias, const float* dout, const float* inp, const float* weight, const float* mean, const float* rstd, int rows, int C) {
  extern __shared__ float shared[];
  float *dbias_shared = shared, *dweight_shared = shared + C;
  int warpId = threadIdx.x / 32, lane = threadIdx.x % 32, warpsInGrid = gridDim.x * blockDim.x / 32;
  for (int i = threadIdx.x; i < 2 * C; i += blockDim.x) shared[i] = 0.0f;
  __syncthreads();
  for (int row = blockIdx.x * (blockDim.x / 32) + warpId; row < rows; row += warpsInGrid) {
    const float *dout_bt = dout + row * C, *inp_bt = inp + row * C;
    float dnorm_mean = 0.0f, dnorm_norm_mean = 0.0f;
    for (int i = lane; i < C; i += 32) {
      float norm_bti = (inp_bt[i] - mean[row]) * rstd[row];
      float dnorm_i = weight[i] * dout_bt[i];
      dnorm_mean += dnorm_i;
      dnorm_norm_mean += dnorm_i * norm_bti;
    }
    dnorm_mean = warpReduceSum(dnorm_mean) / C;
    dnorm_norm_mean = warpReduceSum(dnorm_norm_mean) / C;
    for (int i = lane; i < C; i += 32) {
      float norm_bti = (inp_bt[i] - mean[row]) * rstd[row];
      atomicAdd(&dbias_shared[i], dout_bt[i]);
      atomicAdd(&dweight_shared[i], norm_bti * dout_bt[i]);
      dinp[row * C + i] += (weight[i] * dout_bt[i] - dnorm_mean - norm_bti * dnorm_norm_mean) * rstd[row];
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < C; i += blockDim.x) {
    atomicAdd(&dbias[i], dbias_shared[i]);
    atomicAdd(&dweight[i], dweight_shared[i]);
  }
}

// Input gradient of RMSNorm, a block a row.
__global__ void rmsnorm_dx_block(const float4* __restrict__ dy, const float4* __restrict__ x, const float4* __restrict__ g, float4* __restrict__ dx, int H4, float eps) {
  const size_t base = (size_t)blockIdx.x * H4;
  float ss = 0.f, dot = 0.f;
  for (int i = threadIdx.x; i < H4; i += blockDim.x) {
    float4 v = x[base + i], d = dy[base + i], w = g[i];
    ss += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    dot += d.x * w.x * v.x + d.y * w.y * v.y + d.z * w.z * v.z + d.w * w.w * v.w;
  }
  ss = blockReduce<warpReduceSum>(ss);
  dot = blockReduce<warpReduceSum>(dot);
  const float inv = rsqrtf(ss / (4 * H4) + eps), k = dot * inv * inv * inv / (4 * H4);
  for (int i = threadIdx.x; i < H4; i += blockDim.x) {
    float4 v = x[base + i], d = dy[base + i], w = g[i];
    dx[base + i] = make_float4(d.x * w.x * inv - v.x * k, d.y * w.y * inv - v.y * k, d.z * w.z * inv - v.z * k, d.w * w.w * inv - v.w * k);
  }
}

// Group norm and SiLU over channels-last half data, a block a group of one image.
__global__ void group_norm_nhwc_silu(const __half2* x, const float2* gamma, const float2* beta, __half2* y, int HW, int C2, int groups) {
  const int n = blockIdx.x / groups, g = blockIdx.x % groups, cpg2 = C2 / groups, count = HW * cpg2;
  const size_t start = (size_t)n * HW * C2 + g * cpg2;
  float sum = 0.f, sumsq = 0.f;
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    float2 f = __half22float2(x[start + (size_t)(i / cpg2) * C2 + i % cpg2]);
    sum += f.x + f.y;
    sumsq += f.x * f.x + f.y * f.y;
  }
  sum = blockReduce<warpReduceSum>(sum);
  sumsq = blockReduce<warpReduceSum>(sumsq);
  const float mu = sum / (2 * count), rs = rsqrtf(fmaxf(sumsq / (2 * count) - mu * mu, 0.f) + 1e-5f);
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    const int c = i % cpg2;
    const size_t at = start + (size_t)(i / cpg2) * C2 + c;
    float2 f = __half22float2(x[at]), ga = gamma[g * cpg2 + c], be = beta[g * cpg2 + c];
    f.x = (f.x - mu) * rs * ga.x + be.x;
    f.y = (f.y - mu) * rs * ga.y + be.y;
    y[at] = __floats2half2_rn(f.x / (1.f + __expf(-f.x)), f.y / (1.f + __expf(-f.y)));
  }
}

// Training statistics of batch norm by Welford's method, a block a channel of NCHW, with running averages.
struct WelfordData {
  float mean, m2, n;
};
__device__ WelfordData welford_combine(WelfordData a, WelfordData b) {
  float n = a.n + b.n;
  if (n == 0.f) return a;
  float delta = b.mean - a.mean, ratio = b.n / n;
  return {a.mean + delta * ratio, a.m2 + b.m2 + delta * delta * a.n * ratio, n};
}
__global__ void batchnorm_collect_welford(const float* input, float* save_mean, float* save_invstd, float* running_mean, float* running_var, int N, int C, int HW, float momentum) {
  __shared__ WelfordData warps[32];
  const int c = blockIdx.x, tid = threadIdx.x;
  WelfordData w = {0.f, 0.f, 0.f};
  for (int n = 0; n < N; n++)
    for (int i = tid; i < HW; i += blockDim.x) {
      float v = input[((size_t)n * C + c) * HW + i], d = v - w.mean;
      w.n += 1.f;
      w.mean += d / w.n;
      w.m2 += d * (v - w.mean);
    }
  for (int o = 16; o > 0; o >>= 1) {
    WelfordData other = {__shfl_down_sync(~0u, w.mean, o), __shfl_down_sync(~0u, w.m2, o), __shfl_down_sync(~0u, w.n, o)};
    w = welford_combine(w, other);
  }
  if (tid % 32 == 0) warps[tid / 32] = w;
  __syncthreads();
  if (tid == 0) {
    for (int i = 1; i < blockDim.x / 32; i++) w = welford_combine(w, warps[i]);
    save_mean[c] = w.mean;
    save_invstd[c] = rsqrtf(w.m2 / w.n + 1e-5f);
    running_mean[c] = (1 - momentum) * running_mean[c] + momentum * w.mean;
    running_var[c] = (1 - momentum) * running_var[c] + momentum * w.m2 / (w.n - 1);
  }
}

// ---- activations, dropout ----

// Backward of the tanh form of GELU, eight bf16 a thread.
__global__ void gelu_backward_x128(bf16* dinp, const bf16* inp, const bf16* dout, int N) {
  int idx = (blockIdx.x * blockDim.x + threadIdx.x) * x128::size;
  if (idx >= N) return;
  x128 packed_dinp, packed_inp = load128(inp + idx), packed_dout = load128(dout + idx);
  for (int k = 0; k < x128::size; ++k) {
    float x = (float)packed_inp[k], cube = 0.044715f * x * x * x;
    float tanh_arg = 0.7978845608f * (x + cube), tanh_out = tanhf(tanh_arg);
    float coshf_out = coshf(tanh_arg), sech_out = 1.0f / (coshf_out * coshf_out);
    float local_grad = 0.5f * (1.0f + tanh_out) + x * 0.5f * sech_out * 0.7978845608f * (1.0f + 3.0f * 0.044715f * x * x);
    packed_dinp[k] = __float2bfloat16(local_grad * (float)packed_dout[k]);
  }
  store128(dinp + idx, packed_dinp);
}

// Bias, dropout and residual; the random numbers by ten rounds of Philox; the mask is kept as bytes.
__device__ uint4 philox10(uint2 key, uint4 ctr) {
#pragma unroll
  for (int r = 0; r < 10; r++) {
    uint32_t hi0 = __umulhi(0xD2511F53u, ctr.x), lo0 = 0xD2511F53u * ctr.x, hi1 = __umulhi(0xCD9E8D57u, ctr.z), lo1 = 0xCD9E8D57u * ctr.z;
    ctr = make_uint4(hi1 ^ ctr.y ^ key.x, lo1, hi0 ^ ctr.w ^ key.y, lo0);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return ctr;
}
__global__ void bias_dropout_add_philox(const float4* x, const float4* bias, const float4* residual, float4* out, uchar4* mask, int n4, int C4, float keep, uint32_t seed) {
  const float scale = 1.f / keep;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    uint4 r = philox10(make_uint2(seed, 0), make_uint4(i, 0, 0, 0));
    float4 v = x[i], b = bias[i % C4], res = residual[i];
    uchar4 m = make_uchar4(r.x * 2.3283064e-10f < keep, r.y * 2.3283064e-10f < keep, r.z * 2.3283064e-10f < keep, r.w * 2.3283064e-10f < keep);
    out[i] = make_float4(res.x + (v.x + b.x) * m.x * scale, res.y + (v.y + b.y) * m.y * scale, res.z + (v.z + b.z) * m.z * scale, res.w + (v.w + b.w) * m.w * scale);
    mask[i] = m;
  }
}

// ---- losses ----

// Cross entropy of one row of logits and its gradient: online softmax, then a pass that writes probabilities minus the target.
__global__ void __launch_bounds__(1024) classifier_fused_bf16(bf16* dlogits, const bf16* logits, float* losses, const int* targets, float dloss, int V, int P) {
  const bf16* row = logits + (size_t)blockIdx.x * P;
  const int ix = targets[blockIdx.x];
  float thread_max = -INFINITY, thread_sum = 0.0f;
  for (int i = threadIdx.x; i < P / x128::size; i += blockDim.x) {
    x128 packed = load128(row + i * x128::size);
    for (int k = 0; k < x128::size; ++k) {
      if (i * x128::size + k >= V) continue;
      float v = (float)packed[k], old = thread_max;
      thread_max = fmaxf(thread_max, v);
      thread_sum *= expf(old - thread_max);
      thread_sum += expf(v - thread_max);
    }
  }
  float block_max = blockReduce<warpReduceMax>(thread_max, -INFINITY);
  thread_sum *= expf(thread_max - block_max);
  float scale = 1.0f / blockReduce<warpReduceSum>(thread_sum);
  if (threadIdx.x == 0) losses[blockIdx.x] = -logf(expf((float)row[ix] - block_max) * scale);
  for (int i = threadIdx.x; i < P / x128::size; i += blockDim.x) {
    x128 packed = load128(row + i * x128::size), grad;
    for (int k = 0; k < x128::size; ++k) {
      int element = i * x128::size + k;
      float prob = element < V ? expf((float)packed[k] - block_max) * scale : 0.f;
      grad[k] = __float2bfloat16((prob - (element == ix ? 1.0f : 0.0f)) * dloss);
    }
    store128(dlogits + (size_t)blockIdx.x * P + i * x128::size, grad);
  }
}

// Distillation loss: KL divergence of two softened softmaxes, a warp a row.
__global__ void distill_kl_warp(const __half* student, const __half* teacher, float* loss, int rows, int V, float inv_temp) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const __half *s = student + (size_t)row * V, *t = teacher + (size_t)row * V;
  float ms = -INFINITY, mt = -INFINITY;
  for (int i = lane; i < V; i += 32) {
    ms = fmaxf(ms, __half2float(s[i]) * inv_temp);
    mt = fmaxf(mt, __half2float(t[i]) * inv_temp);
  }
  ms = warpReduceMax(ms);
  mt = warpReduceMax(mt);
  float zs = 0.f, zt = 0.f, cross = 0.f;
  for (int i = lane; i < V; i += 32) {
    float a = __half2float(s[i]) * inv_temp - ms, b = __half2float(t[i]) * inv_temp - mt, e = __expf(b);
    zs += __expf(a);
    zt += e;
    cross += e * (b - a);
  }
  zs = warpReduceSum(zs);
  zt = warpReduceSum(zt);
  cross = warpReduceSum(cross);
  if (lane == 0) loss[row] = (cross / zt - logf(zt) + logf(zs)) / (inv_temp * inv_temp);
}

// ---- optimizers ----

// AdamW on bf16 parameters with float moments; the result is rounded stochastically.
__device__ uint32_t squirrel_noise(uint32_t n, uint32_t seed) {
  n *= 0xB5297A4Du;
  n += seed;
  n ^= n >> 8;
  n += 0x68E31DA4u;
  n ^= n << 8;
  n *= 0x1B56C4E9u;
  return n ^ n >> 8;
}
__global__ void adamw_stochastic_rounding(bf16* params, const bf16* grads, float* m, float* v, size_t n, float lr, float beta1, float beta2, float c1, float c2, float eps, float decay, uint32_t seed) {
  size_t idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= n) return;
  float grad = (float)grads[idx];
  float mi = beta1 * m[idx] + (1 - beta1) * grad, vi = beta2 * v[idx] + (1 - beta2) * grad * grad;
  m[idx] = mi;
  v[idx] = vi;
  float p = (float)params[idx];
  p -= lr * (mi / c1 / (sqrtf(vi / c2) + eps) + decay * p);
  uint32_t bits = __float_as_uint(p), noise = squirrel_noise((uint32_t)idx, seed) & 0xffff;
  bits = ((bits & 0xffff) > noise ? bits | 0xffff : bits & ~0xffffu);
  params[idx] = __float2bfloat16_rn(__uint_as_float(bits));
}

// LAMB: the update of many tensors of different lengths, and the norms for the trust ratios.
__global__ void lamb_stage1_multi(const float* p, const float* g, const float* v, float* update, const int* starts, float2* norms, float decay, float eps) {
  const int tensor = blockIdx.y, end = starts[tensor + 1];
  float pn = 0.f, un = 0.f;
  for (int i = starts[tensor] + blockIdx.x * blockDim.x + threadIdx.x; i < end; i += gridDim.x * blockDim.x) {
    float u = g[i] / (sqrtf(v[i]) + eps) + decay * p[i];
    update[i] = u;
    pn += p[i] * p[i];
    un += u * u;
  }
  pn = blockReduce<warpReduceSum>(pn);
  un = blockReduce<warpReduceSum>(un);
  if (threadIdx.x == 0) {
    atomicAdd(&norms[tensor].x, pn);
    atomicAdd(&norms[tensor].y, un);
  }
}

// ---- convolutions, pooling, upsampling ----

// 3x3 convolution: an input tile with its halo in shared memory, OC output channels a thread.
template <int TILE, int OC>
__global__ void conv3x3_halo_multi_oc(const float* in, const float* weight, const float* bias, float* out, int Cin, int H, int W, int Cout) {
  __shared__ float tile[TILE + 2][TILE + 3];
  __shared__ float wsh[OC * 9];
  const int n = blockIdx.z / (Cout / OC), oc0 = blockIdx.z % (Cout / OC) * OC, tid = threadIdx.y * TILE + threadIdx.x;
  const int ox = blockIdx.x * TILE + threadIdx.x, oy = blockIdx.y * TILE + threadIdx.y;
  float acc[OC] = {};
  for (int ci = 0; ci < Cin; ci++) {
    for (int i = tid; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
      const int r = i / (TILE + 2), c = i % (TILE + 2), gy = blockIdx.y * TILE + r - 1, gx = blockIdx.x * TILE + c - 1;
      tile[r][c] = gy >= 0 && gy < H && gx >= 0 && gx < W ? in[((size_t)(n * Cin + ci) * H + gy) * W + gx] : 0.f;
    }
    if (tid < OC * 9) wsh[tid] = weight[((oc0 + tid / 9) * Cin + ci) * 9 + tid % 9];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 9; k++) {
      const float v = tile[threadIdx.y + k / 3][threadIdx.x + k % 3];
#pragma unroll
      for (int o = 0; o < OC; o++) acc[o] += v * wsh[o * 9 + k];
    }
    __syncthreads();
  }
  if (ox < W && oy < H)
    for (int o = 0; o < OC; o++) out[((size_t)(n * Cout + oc0 + o) * H + oy) * W + ox] = fmaxf(acc[o] + bias[oc0 + o], 0.f);
}

// Depthwise 7x7 convolution of channels-last data: a thread a channel, PX neighbouring outputs from one row of registers.
template <int PX>
__global__ void dwconv7x7_nhwc_rows(const __half* in, const __half* weight, const float* bias, __half* out, int H, int W, int C) {
  const int c = threadIdx.x, x0 = blockIdx.x * PX, y = blockIdx.y, n = blockIdx.z;
  if (c >= C) return;
  float acc[PX];
  for (int p = 0; p < PX; p++) acc[p] = bias[c];
  for (int ky = 0; ky < 7; ky++) {
    const int yy = y + ky - 3;
    if (yy < 0 || yy >= H) continue;
    float row[PX + 6];
#pragma unroll
    for (int i = 0; i < PX + 6; i++) {
      const int xx = x0 + i - 3;
      row[i] = xx >= 0 && xx < W ? __half2float(in[((size_t)(n * H + yy) * W + xx) * C + c]) : 0.f;
    }
#pragma unroll
    for (int kx = 0; kx < 7; kx++) {
      const float w = __half2float(weight[(ky * 7 + kx) * C + c]);
#pragma unroll
      for (int p = 0; p < PX; p++) acc[p] += w * row[p + kx];
    }
  }
  for (int p = 0; p < PX; p++)
    if (x0 + p < W) out[((size_t)(n * H + y) * W + x0 + p) * C + c] = __float2half(acc[p]);
}

// Transposed convolution in one dimension, each output gathers its taps; leaky rectifier on the input, as in vocoders.
__global__ void conv_transpose1d_vocoder(const float* x, const float* weight, const float* bias, float* y, int Cin, int Cout, int Tin, int K, int stride, int pad) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, co = blockIdx.y, n = blockIdx.z, Tout = Tin * stride;
  if (t >= Tout) return;
  float acc = bias[co];
  for (int k = (t + pad) % stride; k < K; k += stride) {
    const int ti = (t + pad - k) / stride;
    if (t + pad - k < 0 || ti >= Tin) continue;
    for (int ci = 0; ci < Cin; ci++) {
      float v = x[(n * Cin + ci) * Tin + ti];
      v = v > 0.f ? v : 0.1f * v;
      acc += v * weight[(ci * Cout + co) * K + k];
    }
  }
  y[(n * Cout + co) * Tout + t] = acc;
}

// Input transform of the Winograd algorithm F(2x2, 3x3): a thread a tile of one channel, sixteen planes out.
__global__ void winograd_f23_transform_in(const float* in, float* V, int C, int H, int W, int tilesX, int tilesY) {
  const int tile = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y, tiles = tilesX * tilesY;
  if (tile >= tiles) return;
  const int y0 = tile / tilesX * 2 - 1, x0 = tile % tilesX * 2 - 1;
  float d[4][4], t[4][4];
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) d[i][j] = y0 + i >= 0 && y0 + i < H && x0 + j >= 0 && x0 + j < W ? in[((size_t)c * H + y0 + i) * W + x0 + j] : 0.f;
#pragma unroll
  for (int j = 0; j < 4; j++) {
    t[0][j] = d[0][j] - d[2][j];
    t[1][j] = d[1][j] + d[2][j];
    t[2][j] = d[2][j] - d[1][j];
    t[3][j] = d[1][j] - d[3][j];
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const float r[4] = {t[i][0] - t[i][2], t[i][1] + t[i][2], t[i][2] - t[i][1], t[i][1] - t[i][3]};
#pragma unroll
    for (int j = 0; j < 4; j++) V[((size_t)(i * 4 + j) * C + c) * tiles + tile] = r[j];
  }
}

// Max pooling with the places of the maxima as 64 bit numbers.
template <typename scalar_t>
__global__ void max_pool2d_indices_nchw(const int nthreads, const scalar_t* bottom, int height, int width, int pooled_h, int pooled_w, int kernel, int stride, int pad, scalar_t* top, int64_t* top_mask) {
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < nthreads; index += blockDim.x * gridDim.x) {
    int pw = index % pooled_w, ph = (index / pooled_w) % pooled_h, nc = index / pooled_w / pooled_h;
    int hstart = ph * stride - pad, wstart = pw * stride - pad, hend = min(hstart + kernel, height), wend = min(wstart + kernel, width);
    hstart = max(hstart, 0);
    wstart = max(wstart, 0);
    scalar_t maxval = -INFINITY;
    int maxidx = hstart * width + wstart;
    const scalar_t* btm = bottom + (size_t)nc * height * width;
    for (int h = hstart; h < hend; ++h)
      for (int w = wstart; w < wend; ++w) {
        scalar_t val = btm[h * width + w];
        if (val > maxval || isnan(val)) {
          maxidx = h * width + w;
          maxval = val;
        }
      }
    top[index] = maxval;
    top_mask[index] = maxidx;
  }
}

// Squeeze and excitation, all of it in one block an image: mean, two small layers, scaling.
__global__ void squeeze_excite_image(const float* x, const float* w1, const float* w2, float* y, int HW, int C, int R) {
  extern __shared__ float pooled[];
  float* hidden = pooled + C;
  const int c = threadIdx.x, lane = c % 32;
  const float* xi = x + (size_t)blockIdx.x * HW * C;
  float s = 0.f;
  for (int i = 0; i < HW; i++) s += xi[i * C + c];
  pooled[c] = s / HW;
  __syncthreads();
  for (int r = c / 32; r < R; r += blockDim.x / 32) {
    float h = 0.f;
    for (int i = lane; i < C; i += 32) h += pooled[i] * w1[r * C + i];
    h = warpReduceSum(h);
    if (lane == 0) hidden[r] = fmaxf(h, 0.f);
  }
  __syncthreads();
  float gate = 0.f;
  for (int r = 0; r < R; r++) gate += hidden[r] * w2[c * R + r];
  gate = 1.f / (1.f + expf(-gate));
  for (int i = 0; i < HW; i++) y[(size_t)blockIdx.x * HW * C + i * C + c] = xi[i * C + c] * gate;
}

// Backward of bilinear upsampling: each output gradient is scattered to four inputs.
__global__ void upsample_bilinear_grad_scatter(const float* grad_out, float* grad_in, int NC, int Hi, int Wi, int Ho, int Wo) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= NC * Ho * Wo) return;
  const int wo = index % Wo, ho = index / Wo % Ho, nc = index / Wo / Ho;
  const float h = fmaxf((ho + 0.5f) * Hi / Ho - 0.5f, 0.f), w = fmaxf((wo + 0.5f) * Wi / Wo - 0.5f, 0.f);
  const int h1 = min((int)h, Hi - 1), w1 = min((int)w, Wi - 1), hp = h1 < Hi - 1, wp = w1 < Wi - 1;
  const float lh = h - h1, lw = w - w1, g = grad_out[index];
  float* base = grad_in + ((size_t)nc * Hi + h1) * Wi + w1;
  atomicAdd(base, (1 - lh) * (1 - lw) * g);
  atomicAdd(base + wp, (1 - lh) * lw * g);
  atomicAdd(base + hp * Wi, lh * (1 - lw) * g);
  atomicAdd(base + hp * Wi + wp, lh * lw * g);
}

// ---- dense products ----

// The first form of a linear layer: a thread an output, weights by rows.
__global__ void linear_forward_one_output(float* out, const float* inp, const float* weight, const float* bias, int BT, int C, int OC) {
  int bt = blockIdx.x * blockDim.x + threadIdx.x, oc = blockIdx.y * blockDim.y + threadIdx.y;
  if (bt < BT && oc < OC) {
    float val = (bias != NULL) ? bias[oc] : 0.0f;
    const float *wrow = weight + oc * C, *inp_bt = inp + bt * C;
    for (int i = 0; i < C; i++) val += inp_bt[i] * wrow[i];
    out[bt * OC + oc] = val;
  }
}

// Float product with 8x8 outputs a thread and a GELU epilogue.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__(BM* BN / (TM * TN)) sgemm_blocktile_bias_gelu(int M, int N, int K, const float* A, const float* B, const float* bias, float* C) {
  __shared__ __align__(16) float As[BK * BM];
  __shared__ __align__(16) float Bs[BK * BN];
  const int threadCol = threadIdx.x % (BN / TN), threadRow = threadIdx.x / (BN / TN);
  A += (size_t)blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += (size_t)blockIdx.y * BM * N + blockIdx.x * BN;
  const int innerRowA = threadIdx.x / (BK / 4), innerColA = threadIdx.x % (BK / 4), innerRowB = threadIdx.x / (BN / 4), innerColB = threadIdx.x % (BN / 4);
  float threadResults[TM * TN] = {0.0f}, regM[TM], regN[TN];
  for (int bkIdx = 0; bkIdx < K; bkIdx += BK) {
    float4 tmp = reinterpret_cast<const float4*>(&A[innerRowA * K + innerColA * 4])[0];
    As[(innerColA * 4 + 0) * BM + innerRowA] = tmp.x;
    As[(innerColA * 4 + 1) * BM + innerRowA] = tmp.y;
    As[(innerColA * 4 + 2) * BM + innerRowA] = tmp.z;
    As[(innerColA * 4 + 3) * BM + innerRowA] = tmp.w;
    reinterpret_cast<float4*>(&Bs[innerRowB * BN + innerColB * 4])[0] = reinterpret_cast<const float4*>(&B[innerRowB * N + innerColB * 4])[0];
    __syncthreads();
    A += BK;
    B += BK * N;
#pragma unroll
    for (int dotIdx = 0; dotIdx < BK; ++dotIdx) {
      for (int i = 0; i < TM; ++i) regM[i] = As[dotIdx * BM + threadRow * TM + i];
      for (int i = 0; i < TN; ++i) regN[i] = Bs[dotIdx * BN + threadCol * TN + i];
      for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; ++n) threadResults[m * TN + n] += regM[m] * regN[n];
    }
    __syncthreads();
  }
  for (int m = 0; m < TM; ++m)
    for (int n = 0; n < TN; n += 4) {
      float r[4];
      for (int k = 0; k < 4; k++) {
        float v = threadResults[m * TN + n + k] + bias[blockIdx.x * BN + threadCol * TN + n + k];
        r[k] = 0.5f * v * (1.0f + erff(v * 0.70710678f));
      }
      reinterpret_cast<float4*>(&C[(threadRow * TM + m) * N + threadCol * TN + n])[0] = make_float4(r[0], r[1], r[2], r[3]);
    }
}

// Linear layer and rectifier in bf16 by tensor cores: 64x64 a block of four warps, weights by rows.
__global__ void linear_relu_wmma_bf16(const bf16* A, const bf16* W, const float* bias, bf16* out, int N, int K) {
  __shared__ __align__(32) bf16 sA[64][40];
  __shared__ __align__(32) bf16 sW[64][40];
  __shared__ __align__(32) float sC[4][16 * 20];
  const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64, wm = warp / 2 * 32, wn = warp % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
  for (int i = 0; i < 4; i++) wmma::fill_fragment(acc[i / 2][i % 2], 0.f);
  for (int k0 = 0; k0 < K; k0 += 32) {
    for (int i = tid; i < 256; i += 128) {
      const int r = i / 4, c = i % 4 * 8;
      *(int4*)&sA[r][c] = *(const int4*)&A[(size_t)(m0 + r) * K + k0 + c];
      *(int4*)&sW[r][c] = *(const int4*)&W[(size_t)(n0 + r) * K + k0 + c];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> a[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::col_major> b[2];
      for (int i = 0; i < 2; i++) {
        wmma::load_matrix_sync(a[i], &sA[wm + i * 16][kk], 40);
        wmma::load_matrix_sync(b[i], &sW[wn + i * 16][kk], 40);
      }
      for (int i = 0; i < 4; i++) wmma::mma_sync(acc[i / 2][i % 2], a[i / 2], b[i % 2], acc[i / 2][i % 2]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) {
    wmma::store_matrix_sync(sC[warp], acc[i / 2][i % 2], 20, wmma::mem_row_major);
    __syncwarp();
    for (int e = lane; e < 256; e += 32) {
      const int r = e / 16, c = e % 16, col = n0 + wn + i % 2 * 16 + c;
      out[(size_t)(m0 + wm + i / 2 * 16 + r) * N + col] = __float2bfloat16(fmaxf(sC[warp][r * 20 + c] + bias[col], 0.f));
    }
    __syncwarp();
  }
}

// Gradient of the bias: sums of columns, a 32x32 block a strip of 64 columns.
__global__ void bias_backward_strip_bf16(float* dbias, const __nv_bfloat162* dout, int BT, int OC2) {
  __shared__ float2 part[32][33];
  const int col = blockIdx.x * 32 + threadIdx.x;
  float2 s = make_float2(0.f, 0.f);
  for (int r = threadIdx.y; r < BT; r += 32) {
    float2 v = __bfloat1622float2(dout[(size_t)r * OC2 + col]);
    s.x += v.x;
    s.y += v.y;
  }
  part[threadIdx.y][threadIdx.x] = s;
  __syncthreads();
  s = part[threadIdx.x][threadIdx.y];
  s.x = warpReduceSum(s.x);
  s.y = warpReduceSum(s.y);
  if (threadIdx.x == 0) {
    dbias[(blockIdx.x * 32 + threadIdx.y) * 2] += s.x;
    dbias[(blockIdx.x * 32 + threadIdx.y) * 2 + 1] += s.y;
  }
}

// Gradient of the weights, X transposed times dY, the long dimension split over blocks and added atomically.
__global__ void dweight_splitk_atomic(const float* X, const float* dY, float* dW, int M, int N, int kPerBlock) {
  __shared__ float Xs[32][32], Ys[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y, m0 = blockIdx.y * 32, n0 = blockIdx.x * 32, kBegin = blockIdx.z * kPerBlock;
  float acc[4] = {};
  for (int k0 = kBegin; k0 < kBegin + kPerBlock; k0 += 32) {
    for (int r = ty; r < 32; r += 8) {
      Xs[r][tx] = X[(size_t)(k0 + r) * M + m0 + tx];
      Ys[r][tx] = dY[(size_t)(k0 + r) * N + n0 + tx];
    }
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 32; k++) {
      const float y = Ys[k][tx];
      for (int i = 0; i < 4; i++) acc[i] += Xs[k][ty + 8 * i] * y;
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) atomicAdd(&dW[(size_t)(m0 + ty + 8 * i) * N + n0 + tx], acc[i]);
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 24;
  float* x = on_device<float>(M, [](uint32_t i) { return fraction(i) * 2 - 1; });
  float* y = on_device<float>(M, [](uint32_t i) { return fraction(i + 77777777) - 0.5f; });
  float* w = on_device<float>(1 << 22, [](uint32_t i) { return (fraction(i + 12345) - 0.5f) * 0.1f; });
  float* positive = on_device<float>(1 << 23, [](uint32_t i) { return fraction(i) * 0.01f + 1e-4f; });
  bf16* xb = on_device<bf16>(M, [](uint32_t i) { return __float2bfloat16(fraction(i) * 4 - 2); });
  bf16* wb = on_device<bf16>(M, [](uint32_t i) { return __float2bfloat16((fraction(i + 999) - 0.5f) * 0.1f); });
  __half* xh = on_device<__half>(M, [](uint32_t i) { return __float2half(fraction(i) * 2 - 1); });
  float *o = zeros<float>(M), *o2 = zeros<float>(M), *stats = zeros<float>(1 << 20);
  bf16* ob = zeros<bf16>(M);
  bf16* ob2 = zeros<bf16>(M);
  const int* tokens = on_device<int>(16384, [](uint32_t i) { return int(hashed(i) % 20000 * (hashed(i + 1) % 1000 / 999.0)); });

  run("encoder_tokpos_float4", [&] { encoder_tokpos_float4<<<4 * 1024 * 192 / 512, 512>>>((float4*)o, tokens, (const float4*)x, (const float4*)w, 4, 1024, 192); });
  run("wte_backward_atomic_bf162", [&] { wte_backward_atomic_bf162<<<8192 * 384 / 256, 256>>>((__nv_bfloat162*)ob, (const __nv_bfloat162*)wb, tokens, 8192, 384); });

  run("layernorm_row_per_thread", [&] { layernorm_row_per_thread<<<8192 / 64, 64>>>(o, stats, stats + 8192, x, w, w + 1024, 8192, 256); });
  run("fused_residual_ln_bf16_12288", [&] { fused_residual_ln_bf16<1024><<<12288 / 4, dim3(32, 4)>>>(ob, ob2, xb, wb, wb + 4096, wb, 12288); });
  run("fused_residual_ln_bf16_500", [&] { fused_residual_ln_bf16<768><<<500 / 2, dim3(32, 2)>>>(ob, ob2, xb, wb, wb + 4096, wb, 500); });
  run("layernorm_bwd_shared_accum", [&] { layernorm_bwd_shared_accum<<<132, 512, 2 * 768 * sizeof(float)>>>(o, stats, stats + 1024, y, x, w, y, positive, 4096, 768); });
  run("rmsnorm_dx_block", [&] { rmsnorm_dx_block<<<3000, 256>>>((const float4*)y, (const float4*)x, (const float4*)w, (float4*)o, 1024, 1e-6f); });
  run("group_norm_nhwc_silu", [&] { group_norm_nhwc_silu<<<8 * 32, 256>>>((const __half2*)xh, (const float2*)w, (const float2*)y, (__half2*)ob, 32 * 32, 160, 32); });
  run("batchnorm_collect_welford", [&] { batchnorm_collect_welford<<<256, 224>>>(x, stats, stats + 256, stats + 512, stats + 768, 32, 256, 196, 0.1f); });

  run("gelu_backward_x128", [&] { gelu_backward_x128<<<M / 8 / 128, 128>>>(ob, xb, wb, M); });
  run("bias_dropout_add_philox", [&] { bias_dropout_add_philox<<<528, 256>>>((const float4*)x, (const float4*)w, (const float4*)y, (float4*)o, (uchar4*)ob, 2000000, 256, 0.9f, 1337); });

  const int* targets = on_device<int>(8192, [](uint32_t i) { return int(hashed(i) % 50257); });
  run("classifier_fused_bf16", [&] { classifier_fused_bf16<<<320, 1024>>>(ob, xb, stats, targets, 1.f / 320, 50257, 50304); });
  run("distill_kl_warp", [&] { distill_kl_warp<<<2048, 128>>>(xh, xh + 4321, stats, 8192, 1000, 0.25f); });

  bf16* params = on_device<bf16>(1 << 23, [](uint32_t i) { return __float2bfloat16(fraction(i + 5) - 0.5f); });
  float *moment1 = zeros<float>(1 << 23), *moment2 = zeros<float>(1 << 23);
  run("adamw_stochastic_rounding", [&] { adamw_stochastic_rounding<<<(1 << 23) / 512, 512>>>(params, wb, moment1, moment2, 1 << 23, 1e-4f, 0.9f, 0.95f, 0.1f, 0.05f, 1e-8f, 0.1f, 42); });
  std::vector<int> starts(41, 0);
  for (uint32_t t = 0; t < 40; ++t) starts[t + 1] = starts[t] + (t % 4 == 0 ? 400000 : t % 4 == 1 ? 768 : t % 4 == 2 ? 120000 : 1 + int(hashed(t) % 9000));
  const int* starts_d = on_device(starts);
  run("lamb_stage1_multi", [&] { lamb_stage1_multi<<<dim3(16, 40), 256>>>(x, y, positive, o, starts_d, (float2*)stats, 0.01f, 1e-6f); });

  run("conv3x3_halo_multi_oc", [&] { conv3x3_halo_multi_oc<16, 8><<<dim3(4, 4, 8 * 8), dim3(16, 16)>>>(x, w, w + 100000, o, 64, 56, 56, 64); });
  run("dwconv7x7_nhwc_rows", [&] { dwconv7x7_nhwc_rows<8><<<dim3(7, 56, 16), 96>>>(xh, xh + 7000000, w, (__half*)ob, 56, 56, 96); });
  run("conv_transpose1d_vocoder", [&] { conv_transpose1d_vocoder<<<dim3(4, 128, 2), 256>>>(x, w, w + 1000000, o, 256, 128, 128, 16, 8, 4); });
  run("winograd_f23_transform_in", [&] { winograd_f23_transform_in<<<dim3(28 * 28 / 112, 512), 112>>>(x, o, 512, 56, 56, 28, 28); });
  run("max_pool2d_indices_nchw", [&] { max_pool2d_indices_nchw<float><<<2112, 256>>>(16 * 64 * 56 * 56, x, 112, 112, 56, 56, 3, 2, 1, o, (int64_t*)o2); });
  run("squeeze_excite_image", [&] { squeeze_excite_image<<<64, 256, (256 + 16) * sizeof(float)>>>(x, w, w + 8192, o, 196, 256, 16); });
  run("upsample_bilinear_grad_scatter", [&] { upsample_bilinear_grad_scatter<<<256 * 64 * 64 / 256, 256>>>(y, o, 256, 32, 32, 64, 64); });

  run("linear_forward_one_output", [&] { linear_forward_one_output<<<dim3(256 / 16, 384 / 16), dim3(16, 16)>>>(o, x, w, w + 200000, 256, 384, 384); });
  run("sgemm_blocktile_bias_gelu_1024", [&] { sgemm_blocktile_bias_gelu<128, 128, 8, 8, 8><<<dim3(3072 / 128, 1024 / 128), 256>>>(1024, 3072, 768, x, w, y, o); });
  run("sgemm_blocktile_bias_gelu_256", [&] { sgemm_blocktile_bias_gelu<64, 64, 16, 4, 4><<<dim3(768 / 64, 256 / 64), 256>>>(256, 768, 768, x, w, y, o); });
  run("linear_relu_wmma_bf16", [&] { linear_relu_wmma_bf16<<<dim3(1024 / 64, 2048 / 64), 128>>>(xb, wb, w, ob, 1024, 1024); });
  run("bias_backward_strip_bf16", [&] { bias_backward_strip_bf16<<<3072 / 64, dim3(32, 32)>>>(stats, (const __nv_bfloat162*)xb, 4096, 1536); });
  run("dweight_splitk_atomic", [&] { dweight_splitk_atomic<<<dim3(24, 24, 4), dim3(32, 8)>>>(x, y, o, 768, 768, 256); });
  return 0;
}
