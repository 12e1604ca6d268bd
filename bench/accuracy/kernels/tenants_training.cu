// Training of a small language model in plain CUDA: each step in its naive and its improved versions, fp32 and bfloat16.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>

#include <cfloat>

#include "cases.h"

namespace cg = cooperative_groups;
typedef __nv_bfloat16 floatX;
#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
#define WARP_SIZE 32

// Sixteen bytes at once of any element.
template <class E>
struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(E);
  E value[size];
  __device__ E& operator[](int i) { return value[i]; }
  __device__ const E& operator[](int i) const { return value[i]; }
};
typedef Pack<floatX> x128;
typedef Pack<float> f128;

template <class E>
__device__ Pack<E> load128(const E* address) {
  return *reinterpret_cast<const Pack<E>*>(address);
}
template <class E>
__device__ Pack<E> load128cs(const E* address) {
  const int4 bits = __ldcs(reinterpret_cast<const int4*>(address));
  Pack<E> p;
  memcpy(&p, &bits, 16);
  return p;
}
template <class E>
__device__ void store128(E* address, Pack<E> p) {
  *reinterpret_cast<Pack<E>*>(address) = p;
}
template <class E>
__device__ void store128cs(E* address, Pack<E> p) {
  int4 bits;
  memcpy(&bits, &p, 16);
  __stcs(reinterpret_cast<int4*>(address), bits);
}

__device__ inline float warpReduceSum(float val) {
  for (int offset = 16; offset > 0; offset /= 2) val += __shfl_xor_sync(0xFFFFFFFF, val, offset);
  return val;
}
__device__ inline float warpReduceMax(float val) {
  for (int offset = 16; offset > 0; offset /= 2) val = fmaxf(val, __shfl_xor_sync(0xFFFFFFFF, val, offset));
  return val;
}
using reduction = float (*)(float);
template <reduction warp_reduction>
__device__ float blockReduce(float val, bool final_sync = false, float out_of_bounds = 0.0f) {
  __shared__ float shared_val[WARP_SIZE];
  const int lane_id = threadIdx.x % WARP_SIZE;
  const int warp_id = threadIdx.x / WARP_SIZE;
  const int num_warps = blockDim.x / WARP_SIZE;
  float warp_val = warp_reduction(val);
  if (lane_id == 0) shared_val[warp_id] = warp_val;
  __syncthreads();
  warp_val = (lane_id < num_warps) ? shared_val[lane_id] : out_of_bounds;
  float block_val = warp_reduction(warp_val);
  if (final_sync) __syncthreads();
  return block_val;
}

// ---- encoder ----

// Naive: a thread a token, a loop over the channels.
__global__ void encoder_forward_kernel1(float* out, const int* inp, const float* wte, const float* wpe, int B, int T, int C) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  int N = B * T;
  if (idx < N) {
    int b = idx / T;
    int t = idx % T;
    float* out_bt = out + b * T * C + t * C;
    int ix = inp[b * T + t];
    const float* wte_ix = wte + ix * C;
    const float* wpe_t = wpe + t * C;
    for (int i = 0; i < C; i++) out_bt[i] = wte_ix[i] + wpe_t[i];
  }
}

// Sixteen bytes a thread.
__global__ void encoder_forward_kernel3(floatX* out, const int* inp, const floatX* wte, const floatX* wpe, int B, int T, int C) {
  int idx = (blockIdx.x * blockDim.x + threadIdx.x) * x128::size;
  int N = B * T * C;
  if (idx >= N) return;
  int bt = idx / C;
  int b = bt / T;
  int t = bt % T;
  int c = idx % C;
  int ix = inp[b * T + t];
  x128 packed_out;
  x128 wte128 = load128cs(wte + ix * C + c);
  x128 wpe128 = load128cs(wpe + t * C + c);
  for (int k = 0; k < x128::size; k++) packed_out[k] = (floatX)((float)wte128[k] + (float)wpe128[k]);
  store128(out + b * T * C + t * C + c, packed_out);
}

// ---- layernorm ----

// A warp a row, the row read three times.
__global__ void layernorm_forward_kernel3(float* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd, const float* __restrict__ inp, const float* __restrict__ weight, const float* __restrict__ bias, int N, int C) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (idx >= N) return;
  const float* x = inp + idx * C;
  float sum = 0.0f;
  for (int i = warp.thread_rank(); i < C; i += warp.size()) sum += x[i];
  sum = cg::reduce(warp, sum, cg::plus<float>{});
  float m = sum / C;
  if (warp.thread_rank() == 0 && mean != nullptr) __stcs(mean + idx, m);
  sum = 0.0f;
  for (int i = warp.thread_rank(); i < C; i += warp.size()) {
    float diff = x[i] - m;
    sum += diff * diff;
  }
  sum = cg::reduce(warp, sum, cg::plus<float>{});
  float s = rsqrtf(sum / C + 1e-5f);
  if (warp.thread_rank() == 0 && rstd != nullptr) __stcs(rstd + idx, s);
  float* o = out + idx * C;
  for (int c = warp.thread_rank(); c < C; c += warp.size()) {
    float n = s * (__ldcs(x + c) - m);
    __stcs(o + c, n * weight[c] + bias[c]);
  }
}

// Residual and layernorm at once: weights and a row a warp in shared memory, blocks of (32, 4).
__global__ void fused_residual_forward_kernel5(floatX* residual, floatX* normed, float* mean, float* rstd, const floatX* inp1, const floatX* inp2, const floatX* weight, const floatX* bias, int N, int C) {
  extern __shared__ char params[];
  x128* s_weight = reinterpret_cast<x128*>(params);
  x128* s_bias = s_weight + C / x128::size;
  x128* s_res = s_bias + C / x128::size * (1 + threadIdx.y);
  int sidx = (threadIdx.x + WARP_SIZE * threadIdx.y) * x128::size;
  for (int i = sidx; i < C; i += blockDim.y * WARP_SIZE * x128::size) {
    s_weight[i / x128::size] = load128(weight + i);
    s_bias[i / x128::size] = load128(bias + i);
  }
  __syncthreads();
  int idx = blockIdx.x * blockDim.y + threadIdx.y;
  if (idx >= N) return;
  residual += C * idx, normed += C * idx, inp1 += C * idx, inp2 += C * idx;
  const float eps = 1e-5f;
  float sum = 0.0f;
  for (int c = threadIdx.x * x128::size; c < C; c += WARP_SIZE * x128::size) {
    const x128 in1 = load128cs(inp1 + c);
    const x128 in2 = load128cs(inp2 + c);
    x128 out;
    for (int k = 0; k < x128::size; ++k) {
      out[k] = (floatX)((float)in1[k] + (float)in2[k]);
      sum += (float)out[k];
    }
    store128cs(residual + c, out);
    s_res[c / x128::size] = out;
  }
  sum = warpReduceSum(sum);
  float m = sum / C;
  float v = 0.f;
  for (int c = threadIdx.x * x128::size; c < C; c += WARP_SIZE * x128::size) {
    const x128 res = s_res[c / x128::size];
    for (int k = 0; k < x128::size; ++k) v += ((float)res[k] - m) * ((float)res[k] - m);
  }
  v = warpReduceSum(v) / C;
  float s = rsqrtf(v + eps);
  for (int c = threadIdx.x * x128::size; c < C; c += WARP_SIZE * x128::size) {
    const x128 res = s_res[c / x128::size];
    const x128 w = s_weight[c / x128::size];
    const x128 b = s_bias[c / x128::size];
    x128 out;
    for (int k = 0; k < x128::size; ++k) out[k] = (floatX)(s * ((float)res[k] - m) * (float)w[k] + (float)b[k]);
    store128cs(normed + c, out);
  }
  if (threadIdx.x == 0) {
    mean[idx] = m;
    rstd[idx] = s;
  }
}

// Naive: a thread a token, atomics for the parameters.
__global__ void layernorm_backward_kernel1(float* dinp, float* dweight, float* dbias, const float* dout, const float* inp, const float* weight, const float* mean, const float* rstd, int B, int T, int C) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= B * T) return;
  int b = idx / T;
  int t = idx % T;
  const float* dout_bt = dout + b * T * C + t * C;
  const float* inp_bt = inp + b * T * C + t * C;
  float* dinp_bt = dinp + b * T * C + t * C;
  float mean_bt = mean[b * T + t];
  float rstd_bt = rstd[b * T + t];
  float dnorm_mean = 0.0f;
  float dnorm_norm_mean = 0.0f;
  for (int i = 0; i < C; i++) {
    float norm_bti = (inp_bt[i] - mean_bt) * rstd_bt;
    float dnorm_i = weight[i] * dout_bt[i];
    dnorm_mean += dnorm_i;
    dnorm_norm_mean += dnorm_i * norm_bti;
  }
  dnorm_mean = dnorm_mean / C;
  dnorm_norm_mean = dnorm_norm_mean / C;
  for (int i = 0; i < C; i++) {
    float norm_bti = (inp_bt[i] - mean_bt) * rstd_bt;
    float dnorm_i = weight[i] * dout_bt[i];
    atomicAdd(&dbias[i], dout_bt[i]);
    atomicAdd(&dweight[i], norm_bti * dout_bt[i]);
    float dval = 0.0f;
    dval += dnorm_i;
    dval -= dnorm_mean;
    dval -= norm_bti * dnorm_norm_mean;
    dval *= rstd_bt;
    dinp_bt[i] += dval;
  }
}

// A warp a token in bfloat16, parameters' gradients first in shared memory.
__global__ void layernorm_backward_kernel4(floatX* dinp, float* dweight, float* dbias, const floatX* dout, const floatX* inp, const floatX* weight, const float* mean, const float* rstd, int N, int C) {
  extern __shared__ float shared[];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int base_idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  float* dbias_shared = shared;
  float* dweight_shared = shared + C;
  for (int i = threadIdx.x; i < C; i += blockDim.x) {
    dbias_shared[i] = 0.0f;
    dweight_shared[i] = 0.0f;
  }
  __syncthreads();
  const int warps_in_grid = gridDim.x * warp.meta_group_size();
  for (int idx = base_idx; idx < N; idx += warps_in_grid) {
    const floatX* dout_bt = dout + (size_t)idx * C;
    const floatX* inp_bt = inp + (size_t)idx * C;
    floatX* dinp_bt = dinp + (size_t)idx * C;
    const float mean_bt = mean[idx];
    const float rstd_bt = rstd[idx];
    float dnorm_mean = 0.0f;
    float dnorm_norm_mean = 0.0f;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) {
      float norm_bti = ((float)inp_bt[i] - mean_bt) * rstd_bt;
      float dnorm_i = (float)weight[i] * (float)dout_bt[i];
      dnorm_mean += dnorm_i;
      dnorm_norm_mean += dnorm_i * norm_bti;
    }
    dnorm_mean = cg::reduce(warp, dnorm_mean, cg::plus<float>{}) / C;
    dnorm_norm_mean = cg::reduce(warp, dnorm_norm_mean, cg::plus<float>{}) / C;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) {
      float dout_i = (float)__ldcs(&dout_bt[i]);
      float norm_bti = ((float)__ldcs(&inp_bt[i]) - mean_bt) * rstd_bt;
      float dnorm_i = (float)weight[i] * dout_i;
      atomicAdd(&dbias_shared[i], dout_i);
      atomicAdd(&dweight_shared[i], norm_bti * dout_i);
      float dval = (dnorm_i - dnorm_mean - norm_bti * dnorm_norm_mean) * rstd_bt;
      dinp_bt[i] = (floatX)((float)dinp_bt[i] + dval);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < C; i += blockDim.x) {
    atomicAdd(&dbias[i], dbias_shared[i]);
    atomicAdd(&dweight[i], dweight_shared[i]);
  }
}

// ---- softmax ----

__global__ void softmax_forward_kernel1(float* out, const float* inp, int N, int C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    const float* inp_row = inp + i * C;
    float* out_row = out + i * C;
    float maxval = -INFINITY;
    for (int j = 0; j < C; j++) {
      if (inp_row[j] > maxval) maxval = inp_row[j];
    }
    double sum = 0.0;
    for (int j = 0; j < C; j++) {
      out_row[j] = expf(inp_row[j] - maxval);
      sum += out_row[j];
    }
    for (int j = 0; j < C; j++) out_row[j] /= (float)sum;
  }
}

// A block a row, eight loads in flight a thread.
__global__ void softmax_forward_kernel7(float* out, const float* inp, int N, int C) {
  const int UNROLL_FACTOR = 8;
  const int row = blockIdx.x;
  const float* x = inp + (size_t)row * C;
  float* y = out + (size_t)row * C;
  const int tid = threadIdx.x;
  float maxval = -INFINITY;
  for (int i = tid; i < C; i += blockDim.x * UNROLL_FACTOR) {
#pragma unroll
    for (int u = 0; u < UNROLL_FACTOR; u++) maxval = fmaxf(maxval, x[min(C - 1, (int)(i + u * blockDim.x))]);
  }
  const float offset = blockReduce<warpReduceMax>(maxval, true, -FLT_MAX);
  float sumval = 0.0f;
  for (int i = tid; i < C; i += blockDim.x * UNROLL_FACTOR) {
    float reg_array[UNROLL_FACTOR];
#pragma unroll
    for (int u = 0; u < UNROLL_FACTOR; u++) reg_array[u] = __ldcs(&x[min(C - 1, (int)(i + u * blockDim.x))]);
#pragma unroll
    for (int u = 0; u < UNROLL_FACTOR; u++) {
      if (i + u * blockDim.x < C) {
        float output = expf(reg_array[u] - offset);
        y[i + u * blockDim.x] = output;
        sumval += output;
      }
    }
  }
  const float sum = blockReduce<warpReduceSum>(sumval, true);
  for (int i = tid; i < C; i += blockDim.x * UNROLL_FACTOR) {
#pragma unroll
    for (int u = 0; u < UNROLL_FACTOR; u++)
      if (i + u * blockDim.x < C) y[i + u * blockDim.x] = y[i + u * blockDim.x] / sum;
  }
}

// Gradient of the causal softmax: four rows of one head a block, masked tail written as zero.
template <int BlockSize>
__global__ void softmax_autoregressive_backward_kernel4(floatX* dpreatt, const floatX* datt, const floatX* att, int T, float scale) {
  const int TPerBlock = 4;
  const int hs = blockIdx.y;
  att += (size_t)hs * T * T, datt += (size_t)hs * T * T, dpreatt += (size_t)hs * T * T;
  const int t0 = T - 1 - blockIdx.x * TPerBlock;
  for (int to = 0; to < TPerBlock; ++to) {
    const int t = t0 - to;
    if (t < 0) return;
    const floatX* att_bth = att + t * T;
    const floatX* datt_bth = datt + t * T;
    floatX* dpreatt_bth = dpreatt + t * T;
    float local_sum = 0;
    for (int t2 = threadIdx.x; t2 <= t; t2 += BlockSize) local_sum += (float)att_bth[t2] * (float)datt_bth[t2];
    local_sum = blockReduce<warpReduceSum>(local_sum, true);
    for (int t3 = threadIdx.x; t3 < T; t3 += BlockSize) {
      float acc = 0.0f;
      if (t3 <= t) acc = (float)__ldcs(att_bth + t3) * ((float)__ldcs(datt_bth + t3) - local_sum);
      __stcs(dpreatt_bth + t3, (floatX)(scale * acc));
    }
  }
}

// ---- attention ----

__global__ void attention_query_key_kernel1(float* preatt, const float* inp, int B, int T, int C, int NH) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  int total_threads = B * NH * T * T;
  if (idx < total_threads) {
    int t2 = idx % T;
    int t = (idx / T) % T;
    if (t2 > t) {
      preatt[idx] = -INFINITY;
      return;
    }
    int h = (idx / (T * T)) % NH;
    int b = idx / (NH * T * T);
    int C3 = C * 3;
    int hs = C / NH;
    const float* query_t = inp + b * T * C3 + t * C3 + h * hs;
    const float* key_t2 = inp + b * T * C3 + t2 * C3 + h * hs + C;
    float val = 0.0f;
    for (int i = 0; i < hs; i++) val += query_t[i] * key_t2[i];
    val *= 1.0f / sqrtf((float)hs);
    preatt[idx] = val;
  }
}

__global__ void attention_value_kernel1(float* out, const float* att, const float* inp, int B, int T, int C, int NH) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < B * T * NH) {
    int h = idx % NH;
    int t = (idx / NH) % T;
    int b = idx / (NH * T);
    int C3 = C * 3;
    int hs = C / NH;
    float* out_bth = out + b * T * C + t * C + h * hs;
    const float* att_bth = att + b * NH * T * T + h * T * T + t * T;
    for (int i = 0; i < hs; i++) out_bth[i] = 0.0f;
    for (int t2 = 0; t2 <= t; t2++) {
      const float* value_t2 = inp + b * T * C3 + t2 * C3 + h * hs + C * 2;
      float att_btht2 = att_bth[t2];
      for (int i = 0; i < hs; i++) out_bth[i] += att_btht2 * value_t2[i];
    }
  }
}

__global__ void permute_kernel(floatX* q, floatX* k, floatX* v, const floatX* inp, int B, int N, int NH, int d) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= B * NH * N * d) return;
  int b = idx / (NH * N * d);
  int rest = idx % (NH * N * d);
  int nh_ = rest / (N * d);
  rest = rest % (N * d);
  int n = rest / d;
  int d_ = rest % d;
  int inp_idx = (b * N * 3 * NH * d) + (n * 3 * NH * d) + (0 * NH * d) + (nh_ * d) + d_;
  q[idx] = __ldcs(&inp[inp_idx]);
  k[idx] = __ldcs(&inp[inp_idx + NH * d]);
  v[idx] = __ldcs(&inp[inp_idx + 2 * (NH * d)]);
}

// ---- pointwise ----

#define GELU_SCALING_FACTOR sqrtf(2.0f / 3.14159265f)
__global__ void gelu_forward_kernel2(floatX* out, const floatX* inp, int N) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * x128::size;
  if (i < N) {
    x128 packed_out;
    x128 packed_inp = load128cs(inp + i);
    for (int k = 0; k < packed_inp.size; ++k) {
      float xi = (float)packed_inp[k];
      float cube = 0.044715f * xi * xi * xi;
      packed_out[k] = (floatX)(0.5f * xi * (1.0f + tanhf(GELU_SCALING_FACTOR * (xi + cube))));
    }
    store128(out + i, packed_out);
  }
}

__global__ void gelu_backward_kernel1(float* dinp, const float* inp, const float* dout, const int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    float x = inp[i];
    float cube = 0.044715f * x * x * x;
    float tanh_arg = GELU_SCALING_FACTOR * (x + cube);
    float tanh_out = tanhf(tanh_arg);
    float coshf_out = coshf(tanh_arg);
    float sech_out = 1.0f / (coshf_out * coshf_out);
    float local_grad = 0.5f * (1.0f + tanh_out) + x * 0.5f * sech_out * GELU_SCALING_FACTOR * (1.0f + 3.0f * 0.044715f * x * x);
    dinp[i] = local_grad * dout[i];
  }
}

// ---- classifier ----

// Loss and gradient of the logits in place: a block a row, from the end, the second reading from the cache.
__global__ void __launch_bounds__(1024) fused_classifier_kernel5(floatX* logits, float* losses, float dloss, const int* targets, int V, int P) {
  int idx = gridDim.x - (blockIdx.x + 1);
  int ix = targets[idx];
  floatX* row = logits + (size_t)idx * P;
  float thread_maxval = -INFINITY;
  float thread_sumval = 0.0f;
  int i = (V + x128::size - 1) / x128::size + threadIdx.x - blockDim.x;
  while ((i + 1) * x128::size > V) {
    for (int k = 0; k < x128::size; ++k) {
      if (i * x128::size + k >= V) break;
      float v = (float)row[i * x128::size + k];
      float old_maxval = thread_maxval;
      thread_maxval = fmaxf(thread_maxval, v);
      thread_sumval *= expf((old_maxval - thread_maxval));
      thread_sumval += expf(v - thread_maxval);
    }
    i -= blockDim.x;
  }
  for (; i >= 0; i -= blockDim.x) {
    x128 packed_x = load128(row + i * x128::size);
    for (int k = 0; k < x128::size; ++k) {
      float v = (float)packed_x[k];
      float old_maxval = thread_maxval;
      thread_maxval = fmaxf(thread_maxval, v);
      thread_sumval *= expf((old_maxval - thread_maxval));
      thread_sumval += expf(v - thread_maxval);
    }
  }
  float block_maxval = blockReduce<warpReduceMax>(thread_maxval, true, -FLT_MAX);
  thread_sumval *= expf(thread_maxval - block_maxval);
  float block_sumval = blockReduce<warpReduceSum>(thread_sumval, true);
  float scale = 1.f / block_sumval;
  if (threadIdx.x == 0) losses[idx] -= logf(expf((float)row[ix] - block_maxval) * scale);
  __syncthreads();
  for (int j = threadIdx.x; j < V / x128::size; j += blockDim.x) {
    x128 packed = load128(row + j * x128::size);
    for (int k = 0; k < x128::size; ++k) {
      int element = j * x128::size + k;
      float prob = expf((float)packed[k] - block_maxval) * scale;
      float indicator = (element == ix) ? 1.0f : 0.0f;
      packed[k] = (floatX)((prob - indicator) * dloss);
    }
    store128cs(row + j * x128::size, packed);
  }
}

// ---- matmul ----

__global__ void matmul_forward_kernel1(float* out, const float* inp, const float* weight, const float* bias, int BT, int C, int OC) {
  int bt = blockIdx.x * blockDim.x + threadIdx.x;
  int oc = blockIdx.y * blockDim.y + threadIdx.y;
  if (bt < BT && oc < OC) {
    float val = (bias != nullptr) ? bias[oc] : 0.0f;
    const float* wrow = weight + oc * C;
    const float* inp_bt = inp + bt * C;
    for (int i = 0; i < C; i++) val += inp_bt[i] * wrow[i];
    out[bt * OC + oc] = val;
  }
}

__device__ float4 ld_vec(const float* address) { return *reinterpret_cast<const float4*>(address); }
__device__ void st_vec(float* address, float4 val) { *reinterpret_cast<float4*>(address) = val; }

// Tiles of 128 by 128, 8 by 8 a thread, 32 channels at a time in shared memory.
__global__ void __launch_bounds__(16 * 16, 2) matmul_forward_kernel4(float* out, const float* inp, const float* weight, const float* bias, int C, int OC) {
  int oc = 8 * (blockIdx.y * blockDim.y + threadIdx.y);
  __shared__ float lhs_s[128][32];
  __shared__ float rhs_s[128][32];
  inp += 128 * blockIdx.x * C;
  weight += 128 * blockIdx.y * C;
  out += 128 * blockIdx.x * OC + 128 * blockIdx.y;
  float vals[8][8] = {};
  if (bias != nullptr) {
    for (int i = 0; i < 8; i++) {
      for (int j = 0; j < 8; j += 4) {
        float4 b = ld_vec(bias + oc + j);
        vals[i][j + 0] = b.x;
        vals[i][j + 1] = b.y;
        vals[i][j + 2] = b.z;
        vals[i][j + 3] = b.w;
      }
    }
  }
  int si_start = 4 * (16 * threadIdx.y + threadIdx.x);
  for (int so = 0; so < C; so += 32) {
    __syncthreads();
    int xmod8 = threadIdx.x % 8;
    int xby8 = threadIdx.x / 8;
    int xo = 4 * xmod8;
    for (int y = 2 * threadIdx.y + xby8; y < 128; y += 32) {
      st_vec(&lhs_s[y][xo], ld_vec(inp + y * C + so + xo));
      st_vec(&rhs_s[y][xo], ld_vec(weight + y * C + so + xo));
    }
    __syncthreads();
    for (int si = si_start; si < si_start + 32; si += 4) {
      float4 rhs[8];
      for (int u = 0; u < 8; ++u) rhs[u] = ld_vec(&rhs_s[u + 8 * threadIdx.y][si % 32]);
      for (int ii = 0; ii < 8; ++ii) {
        float4 lhs = ld_vec(&lhs_s[ii + 8 * threadIdx.x][si % 32]);
        for (int ji = 0; ji < 8; ++ji) {
          vals[ii][ji] += lhs.x * rhs[ji].x;
          vals[ii][ji] += lhs.y * rhs[ji].y;
          vals[ii][ji] += lhs.z * rhs[ji].z;
          vals[ii][ji] += lhs.w * rhs[ji].w;
        }
      }
    }
  }
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; j += 4) {
      float4 result;
      result.x = vals[i][j + 0];
      result.y = vals[i][j + 1];
      result.z = vals[i][j + 2];
      result.w = vals[i][j + 3];
      st_vec(out + (8 * threadIdx.x + i) * OC + 8 * threadIdx.y + j, result);
    }
  }
}

// Gradient of a bias in bfloat16: blocks of (4, 8, warps), eight channels a thread, through shuffles and shared memory.
__global__ void matmul_bias_grad_kernel9(float* dbias, const floatX* dout, int BT, int OC) {
  __shared__ float sub_results[x128::size][32][8];
  const int local_oc = (threadIdx.x + blockIdx.x * 8) * x128::size;
  const int bt_per_block = 4 * blockDim.z;
  float accumulators[x128::size] = {};
  if (local_oc < OC) {
    for (int idx = blockIdx.y * bt_per_block + threadIdx.y + 4 * threadIdx.z; idx < BT; idx += gridDim.y * bt_per_block) {
      x128 packed_dout = load128(dout + (size_t)idx * OC + local_oc);
      for (int k = 0; k < x128::size; k++) accumulators[k] += (float)packed_dout[k];
    }
  }
  for (int k = 0; k < x128::size; k++) {
    float v = accumulators[k];
    v += __shfl_down_sync(0xffffffff, v, 8, 32);
    v += __shfl_down_sync(0xffffffff, v, 16, 32);
    if (threadIdx.y == 0) sub_results[k][threadIdx.z][threadIdx.x] = v;
  }
  __syncthreads();
  for (int k = threadIdx.z; k < x128::size; k += blockDim.z) {
    float a = 0.f;
    for (int r = threadIdx.y; r < (int)blockDim.z; r += 4) a += sub_results[k][r][threadIdx.x];
    a += __shfl_down_sync(0xffffffff, a, 8, 32);
    a += __shfl_down_sync(0xffffffff, a, 16, 32);
    if (threadIdx.y == 0 && local_oc < OC) atomicAdd(dbias + local_oc + k, a);
  }
}

// ---- optimizer ----

__device__ inline float lerp(float start, float end, float weight) { return fma(weight, end, fma(-weight, start, start)); }
__global__ void adamw_kernel1(float* params, const float* grads, float* m_memory, float* v_memory, long num_parameters, float learning_rate, float beta1, float beta2, float beta1_correction, float beta2_correction, float eps, float weight_decay) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= num_parameters) return;
  m_memory[i] = beta1 * m_memory[i] + (1.0f - beta1) * grads[i];
  v_memory[i] = beta2 * v_memory[i] + (1.0f - beta2) * grads[i] * grads[i];
  float m_hat = m_memory[i] / beta1_correction;
  float v_hat = v_memory[i] / beta2_correction;
  params[i] -= learning_rate * (m_hat / (sqrtf(v_hat) + eps) + weight_decay * params[i]);
}

__device__ unsigned SquirrelNoise5(unsigned position, unsigned seed) {
  unsigned mangled = position;
  mangled *= 0xd2a80a3fu;
  mangled += seed;
  mangled ^= (mangled >> 9);
  mangled += 0xa884f197u;
  mangled ^= (mangled >> 11);
  mangled *= 0x6C736F4Bu;
  mangled ^= (mangled >> 13);
  mangled += 0xB79F3ABBu;
  mangled ^= (mangled >> 15);
  return mangled;
}
// Parameters in bfloat16 by stochastic rounding, several layers by the grid's second dimension.
template <typename Tp, typename Tg>
__global__ void adamw_kernel3(Tp* params, float* master, const Tg* grads, float* m_memory, float* v_memory, size_t num_parameters, ptrdiff_t stride, float learning_rate, float beta1, float beta2, float beta1_correction, float beta2_correction, float eps, float weight_decay, float grad_scale, unsigned seed) {
  params += blockIdx.y * stride, master += blockIdx.y * stride, grads += blockIdx.y * stride;
  m_memory += blockIdx.y * stride, v_memory += blockIdx.y * stride;
  size_t idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= num_parameters) return;
  float grad = grad_scale * (float)grads[idx];
  float m = m_memory[idx];
  float v = v_memory[idx];
  m = lerp(grad, m, beta1);
  m_memory[idx] = m;
  v = lerp(grad * grad, v, beta2);
  v_memory[idx] = v;
  m /= beta1_correction;
  v /= beta2_correction;
  float old_param = master[idx];
  float param = old_param - (learning_rate * (m / (sqrtf(v) + eps) + weight_decay * old_param));
  unsigned threshold = SquirrelNoise5(idx + blockIdx.y * 0x9e3779b1u, seed) & 0xFFFFu;
  unsigned bits = __float_as_uint(param);
  bits = (bits & 0xFFFFu) > threshold ? (bits | 0xFFFFu) : (bits & ~0xFFFFu);
  params[idx] = __float2bfloat16_rn(__uint_as_float(bits));
  master[idx] = param;
}

template <class T>
__global__ void global_norm_squared_kernel(float* out, const T* data, size_t count, ptrdiff_t stride) {
  data += blockIdx.y * stride;
  size_t index = blockIdx.x * blockDim.x + threadIdx.x;
  size_t grid_width = blockDim.x * gridDim.x;
  float accumulator = 0.f;
  for (size_t i = index; i < count; i += grid_width) accumulator += (float)data[i] * (float)data[i];
  float block_sum = blockReduce<warpReduceSum>(accumulator);
  if (threadIdx.x == 0) out[blockIdx.y * gridDim.x + blockIdx.x] = out[blockIdx.y * gridDim.x + blockIdx.x] + block_sum;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20, B = 8, T = 1024, C = 768, NH = 12, V = 50257, P = 50304;
  const float* f = on_device<float>(16 * M, [](uint32_t i) { return fraction(i) * 2 - 1; });
  const floatX* x = on_device<floatX>(32 * M, [](uint32_t i) { return __float2bfloat16(fraction(i) * 2 - 1); });
  const float* positive = on_device<float>(M, [](uint32_t i) { return 0.5f + fraction(i); });
  const int* tokens = on_device<int>(B * T, [](uint32_t i) { return int(hashed(i) % 8000); });
  const int* targets = on_device<int>(B * T, [](uint32_t i) { return int(hashed(i + 77) % 50257); });
  float* o = zeros<float>(16 * M);
  floatX* ox = (floatX*)o;
  float* g = zeros<float>(8 * M);

  run("encoder_forward_kernel1", [&] { encoder_forward_kernel1<<<CEIL_DIV(B * T, 128), 128>>>(o, tokens, f, f + 8 * M, B, T, C); });
  run("encoder_forward_kernel3", [&] { encoder_forward_kernel3<<<CEIL_DIV(B * T * C, 512 * 8), 512>>>(ox, tokens, x, x + 8 * M, B, T, C); });
  run("layernorm_forward_kernel3", [&] { layernorm_forward_kernel3<<<CEIL_DIV(B * T * 32, 512), 512>>>(o, o + 8 * M, o + 9 * M, f, f + 8 * M, f + 9 * M, B * T, C); });
  run("fused_residual_forward_kernel5", [&] { fused_residual_forward_kernel5<<<CEIL_DIV(B * T, 4), dim3(32, 4), 6 * C * sizeof(floatX)>>>(ox, ox + 8 * M, o + 9 * M, o + 10 * M, x, x + 8 * M, x + 16 * M, x + 17 * M, B * T, C); });
  float* dparams = zeros<float>(8192);
  run("layernorm_backward_kernel1", [&] { layernorm_backward_kernel1<<<CEIL_DIV(2 * 256, 64), 64>>>(g, dparams, dparams + 4096, f, f + 2 * M, f + 8 * M, positive, positive + 8192, 2, 256, 384); });
  run("layernorm_backward_kernel4", [&] { layernorm_backward_kernel4<<<264, 256, 2 * C * sizeof(float)>>>(ox, dparams, dparams + 4096, x, x + 8 * M, x + 16 * M, positive, positive + 8192, 4 * T, C); });
  run("softmax_forward_kernel1", [&] { softmax_forward_kernel1<<<CEIL_DIV(8192, 64), 64>>>(o, f, 8192, 256); });
  run("softmax_forward_kernel7", [&] { softmax_forward_kernel7<<<200, 512>>>(o, f, 200, V); });
  run("softmax_autoregressive_backward_kernel4", [&] { softmax_autoregressive_backward_kernel4<256><<<dim3(512 / 4, 2 * NH), 256>>>(ox, x, x + 8 * M, 512, 0.125f); });
  run("attention_query_key_kernel1", [&] { attention_query_key_kernel1<<<CEIL_DIV(NH * 512 * 512, 256), 256>>>(o, f, 1, 512, C, NH); });
  run("attention_value_kernel1", [&] { attention_value_kernel1<<<CEIL_DIV(8 * 64 * NH, 64), 64>>>(o, f, f + 8 * M, 8, 64, C, NH); });
  run("permute_kernel", [&] { permute_kernel<<<CEIL_DIV(B * T * C, 256), 256>>>(ox, ox + 8 * M, ox + 16 * M, x, B, T, NH, 64); });
  run("gelu_forward_kernel2", [&] { gelu_forward_kernel2<<<CEIL_DIV(B * T * 4 * C, 512 * 8), 512>>>(ox, x, B * T * 4 * C); });
  run("gelu_backward_kernel1", [&] { gelu_backward_kernel1<<<CEIL_DIV(B * T * C, 256), 256>>>(o, f, f + 8 * M, B * T * C); });
  floatX* logits = on_device<floatX>(size_t(256) * P, [](uint32_t i) { return __float2bfloat16(fraction(i) * 8 - 4); });
  run("fused_classifier_kernel5", [&] { fused_classifier_kernel5<<<256, 1024>>>(logits, o, 1.f / 256, targets, V, P); });
  run("matmul_forward_kernel1", [&] { matmul_forward_kernel1<<<dim3(512 / 16, C / 16), dim3(16, 16)>>>(o, f, f + 2 * M, f + 8 * M, 512, C, C); });
  run("matmul_forward_kernel4", [&] { matmul_forward_kernel4<<<dim3(1024 / 128, 3 * C / 128), dim3(16, 16)>>>(o, f, f + 4 * M, f + 8 * M, C, 3 * C); });
  run("matmul_bias_grad_kernel9", [&] { matmul_bias_grad_kernel9<<<dim3(3 * C / 64, 12), dim3(8, 4, 16)>>>(dparams, x, B * T, 3 * C); });
  float* m = zeros<float>(8 * M);
  float* v = zeros<float>(8 * M);
  float* master = on_device<float>(8 * M, [](uint32_t i) { return fraction(i) - 0.5f; });
  run("adamw_kernel1", [&] { adamw_kernel1<<<CEIL_DIV(5000000, 512), 512>>>(master, f, m, v, 5000000, 3e-4f, 0.9f, 0.95f, 0.1f, 0.05f, 1e-8f, 0.1f); });
  run("adamw_kernel3", [&] { adamw_kernel3<floatX, floatX><<<dim3(CEIL_DIV(2 * C * C, 512), 7), 512>>>(ox, master, x, m, v, 2 * C * C, 2 * C * C, 3e-4f, 0.9f, 0.95f, 0.1f, 0.05f, 1e-8f, 0.1f, 0.7f, 1337u); });
  run("global_norm_squared_kernel", [&] { global_norm_squared_kernel<floatX><<<dim3(132 * 2, 4), 512>>>(g, x, 7 * M + 123, 8 * M); });
  return 0;
}
