// Training: embeddings, norms, softmaxes, attention backward, biases, classifiers, losses, optimizers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cfloat>
#include <cmath>

#include "cases.h"

typedef __nv_bfloat16 bf16;

// 16 bytes of elements, loaded and stored at once
template <class T>
struct alignas(16) Packed128 {
  static constexpr int size = 16 / sizeof(T);
  T payload[size];
  __device__ T& operator[](int i) { return payload[i]; }
  __device__ const T& operator[](int i) const { return payload[i]; }
};
typedef Packed128<bf16> x128;
typedef Packed128<float> f128;

template <class T>
__device__ Packed128<T> load128(const T* address) {
  Packed128<T> v;
  *reinterpret_cast<int4*>(&v) = *reinterpret_cast<const int4*>(address);
  return v;
}
template <class T>
__device__ Packed128<T> load128cs(const T* address) {
  Packed128<T> v;
  *reinterpret_cast<int4*>(&v) = __ldcs(reinterpret_cast<const int4*>(address));
  return v;
}
template <class T>
__device__ void store128(T* address, const Packed128<T>& v) {
  *reinterpret_cast<int4*>(address) = *reinterpret_cast<const int4*>(&v);
}
template <class T>
__device__ void store128cs(T* address, const Packed128<T>& v) {
  __stcs(reinterpret_cast<int4*>(address), *reinterpret_cast<const int4*>(&v));
}

__device__ inline float warpReduceSum(float val) {
  for (int offset = 16; offset > 0; offset /= 2) val += __shfl_xor_sync(0xffffffffu, val, offset);
  return val;
}
__device__ inline float warpReduceMax(float val) {
  for (int offset = 16; offset > 0; offset /= 2) val = fmaxf(val, __shfl_xor_sync(0xffffffffu, val, offset));
  return val;
}
// all threads get the result; the scratch holds 32 floats
__device__ inline float blockReduceSum(float val, float* scratch) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  val = warpReduceSum(val);
  __syncthreads();
  if (lane == 0) scratch[warp] = val;
  __syncthreads();
  val = lane < int(blockDim.x) / 32 ? scratch[lane] : 0.f;
  return warpReduceSum(val);
}

// ---- embeddings ----

// Token plus position embedding, one thread an element
__global__ void encoder_forward_kernel2(float* out, const int* inp, const float* wte, const float* wpe, int B, int T, int C) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  int N = B * T * C;
  if (idx < N) {
    int bt = idx / C;
    int b = bt / T;
    int t = bt % T;
    int c = idx % C;
    int ix = inp[b * T + t];
    float* out_btc = out + b * T * C + t * C + c;
    const float* wte_ix = wte + ix * C + c;
    const float* wpe_tc = wpe + t * C + c;
    *out_btc = *wte_ix + *wpe_tc;
  }
}

// Gradient of both embedding tables by atomics
__global__ void encoder_backward_kernel1(float* dwte, float* dwpe, const float* dout, const int* inp, int B, int T, int C) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= B * T * C) return;
  int bt = idx / C, c = idx % C, t = bt % T;
  float d = dout[idx];
  atomicAdd(dwte + inp[bt] * C + c, d);
  atomicAdd(dwpe + t * C + c, d);
}

__device__ inline bf16 stochastic_round(float v, unsigned seed) {
  seed *= 0xB5297A4Du;
  seed ^= seed >> 8;
  seed += 0x68E31DA4u;
  seed ^= seed << 8;
  seed *= 0x1B56C4E9u;
  seed ^= seed >> 8;
  const unsigned bits = (__float_as_uint(v) + (seed & 0xffffu)) & 0xffff0000u;
  return __float2bfloat16_rn(__uint_as_float(bits));
}

// Gradient of the token table from buckets of equal tokens: a block a bucket and 256 channels, no atomics
template <int BLOCK>
__global__ void wte_backward_kernel(bf16* dwte, const int4* bucket_info, const int* workload, const bf16* dout, unsigned seed, int C) {
  constexpr int WARPS = BLOCK / 32;
  __shared__ float accum_shared[x128::size * BLOCK];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int4 info = bucket_info[blockIdx.x];  // first item, items, token, group of channels
  const int c = info.w * 32 * x128::size + lane * x128::size;
  float accum[x128::size] = {0.f};
  for (int item = warp; item < info.y; item += WARPS) {
    const int bt = workload[info.x + item];
    const x128 packed = load128cs(dout + size_t(bt) * C + c);
    for (int k = 0; k < x128::size; k++) accum[k] += __bfloat162float(packed[k]);
  }
  if (warp > 0)
    for (int k = 0; k < x128::size; k++) accum_shared[threadIdx.x + k * BLOCK] = accum[k];
  __syncthreads();
  if (warp > 0) return;
  for (int i = threadIdx.x + 32; i < min(BLOCK, info.y * 32); i += 32)
    for (int k = 0; k < x128::size; k++) accum[k] += accum_shared[i + k * BLOCK];
  bf16* target = dwte + size_t(info.z) * C + c;
  x128 packed = load128(target);
  for (int k = 0; k < x128::size; k++) packed[k] = stochastic_round(accum[k] + __bfloat162float(packed[k]), seed + unsigned(blockIdx.x * 256 + lane * 8 + k));
  store128(target, packed);
}

// Dense embedding gradient: 32 indices a step, equal ones added up in shared memory, 32 features a block
__global__ void embedding_backward_feature_kernel(const int64_t* indices, const float* __restrict__ grad, float* __restrict__ grad_weight, int n, int64_t stride, int64_t padding_idx) {
  extern __shared__ char buf[];
  float* smem = (float*)buf;
  int* indices_batch = (int*)(buf + sizeof(float) * 32 * blockDim.y);
  const int s = int(stride), f = threadIdx.x + blockIdx.x * blockDim.x;
  for (int batch_start = 0; batch_start < n; batch_start += blockDim.x * blockDim.y) {
    const int tid = threadIdx.x + threadIdx.y * blockDim.x;
    if (batch_start + tid < n) indices_batch[tid] = int(indices[batch_start + tid]);
    const int batch_end = min(batch_start + int(blockDim.x * blockDim.y), n);
    for (int chunk_start = batch_start; chunk_start < batch_end; chunk_start += blockDim.y) {
      __syncthreads();
      const int n_this_chunk = min(batch_end - chunk_start, int(blockDim.y));
      const int src_row = chunk_start + threadIdx.y;
      const bool in_rows = src_row < n && f < s;
      const int dst_row = src_row < n ? indices_batch[src_row - batch_start] : -1;
      if (in_rows && dst_row != padding_idx) smem[threadIdx.y * 32 + threadIdx.x] = grad[src_row * stride + f];
      __syncthreads();
      if (src_row < n && dst_row != padding_idx) {
        const int mine = int(threadIdx.x) < n_this_chunk ? indices_batch[chunk_start - batch_start + threadIdx.x] : -2;
        unsigned matchmask = __ballot_sync(0xffffffffu, dst_row == mine);
        const int first = __ffs(matchmask) - 1;
        if (int(threadIdx.y) == first) {
          matchmask ^= 1u << first;
          while (matchmask) {
            const int other = __ffs(matchmask) - 1;
            if (f < s) smem[threadIdx.y * 32 + threadIdx.x] += smem[other * 32 + threadIdx.x];
            matchmask ^= 1u << other;
          }
          if (f < s) grad_weight[dst_row * stride + f] += smem[threadIdx.y * 32 + threadIdx.x];
        }
      }
    }
    __syncthreads();
  }
}

// ---- layer norm ----

// Reciprocal deviation of each row by a tree in shared memory
__global__ void rstd_kernel(float* rstd, const float* inp, const float* mean, int N, int C, int block_size) {
  extern __shared__ float shared[];
  int idx = blockIdx.x;
  int tid = threadIdx.x;
  const float* x = inp + idx * C;
  float m = mean[idx];
  float sum = 0.0f;
  for (int i = tid; i < C; i += block_size) {
    float diff = x[i] - m;
    sum += diff * diff;
  }
  shared[tid] = sum;
  __syncthreads();
  for (int stride = block_size / 2; stride >= 1; stride /= 2) {
    __syncthreads();
    if (tid < stride) shared[tid] += shared[tid + stride];
  }
  if (tid == 0) rstd[idx] = 1.0f / sqrtf(shared[0] / C + 1e-5f);
}

// A block a row, one pass for both moments, two levels of warps
__global__ void layernorm_forward_kernel5(float* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd, const float* __restrict__ inp, const float* __restrict__ weight,
                                          const float* __restrict__ bias, int C) {
  __shared__ float shared_sum[32], shared_sum2[32];
  const int num_warps = blockDim.x / 32, warp_id = threadIdx.x / 32, lane_id = threadIdx.x % 32, idx = blockIdx.x;
  const float* x = inp + size_t(idx) * C;
  float thread_sum = 0.f, thread_sum2 = 0.f;
  for (int i = threadIdx.x; i < C; i += blockDim.x) {
    const float xi = x[i];
    thread_sum += xi;
    thread_sum2 += xi * xi;
  }
  const float warp_sum = warpReduceSum(thread_sum), warp_sum2 = warpReduceSum(thread_sum2);
  if (lane_id == 0) shared_sum[warp_id] = warp_sum, shared_sum2[warp_id] = warp_sum2;
  __syncthreads();
  const float block_sum = warpReduceSum(lane_id < num_warps ? shared_sum[lane_id] : 0.f);
  const float block_sum2 = warpReduceSum(lane_id < num_warps ? shared_sum2[lane_id] : 0.f);
  const float m = block_sum / C;
  const float s = rsqrtf(block_sum2 / C - m * m + 1e-5f);
  if (threadIdx.x == 0) {
    __stcs(mean + idx, m);
    __stcs(rstd + idx, s);
  }
  for (int i = threadIdx.x; i < C; i += blockDim.x) __stcs(out + size_t(idx) * C + i, s * (__ldcs(x + i) - m) * weight[i] + bias[i]);
}

// A warp a row of bf16 kept in shared memory, with weight and bias beside it
__global__ void layernorm_forward_kernel6(bf16* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd, const bf16* __restrict__ inp, const bf16* __restrict__ weight,
                                          const bf16* __restrict__ bias, int N, int C) {
  extern __shared__ int4 params[];
  x128* s_weight = reinterpret_cast<x128*>(params);
  x128* s_bias = s_weight + C / x128::size;
  x128* s_in = s_bias + C / x128::size + threadIdx.y * (C / x128::size);
  const int sidx = (threadIdx.x + 32 * threadIdx.y) * x128::size;
  for (int i = sidx; i < C; i += blockDim.y * 32 * x128::size) {
    s_weight[i / x128::size] = load128(weight + i);
    s_bias[i / x128::size] = load128(bias + i);
  }
  __syncthreads();
  const int idx = blockIdx.x * blockDim.y + threadIdx.y;
  if (idx >= N) return;
  inp += size_t(idx) * C;
  out += size_t(idx) * C;
  float sum = 0.f;
  for (int c = threadIdx.x * x128::size; c < C; c += 32 * x128::size) {
    const x128 in_data = load128cs(inp + c);
    for (int k = 0; k < x128::size; ++k) sum += __bfloat162float(in_data[k]);
    s_in[c / x128::size] = in_data;
  }
  const float m = warpReduceSum(sum) / C;
  float v = 0.f;
  for (int c = threadIdx.x * x128::size; c < C; c += 32 * x128::size) {
    const x128 in_data = s_in[c / x128::size];
    for (int k = 0; k < x128::size; ++k) v += (__bfloat162float(in_data[k]) - m) * (__bfloat162float(in_data[k]) - m);
  }
  const float s = rsqrtf(warpReduceSum(v) / C + 1e-5f);
  for (int c = threadIdx.x * x128::size; c < C; c += 32 * x128::size) {
    const x128 in_data = s_in[c / x128::size], w = s_weight[c / x128::size], b = s_bias[c / x128::size];
    x128 out_data;
    for (int k = 0; k < x128::size; ++k) out_data[k] = __float2bfloat16(s * (__bfloat162float(in_data[k]) - m) * __bfloat162float(w[k]) + __bfloat162float(b[k]));
    store128cs(out + c, out_data);
  }
  if (threadIdx.x == 0) {
    __stcs(mean + idx, m);
    __stcs(rstd + idx, s);
  }
}

// Layer norm backward in bf16: persistent blocks, column sums in shared memory, the last block adds up the blocks' sums
template <int WARPS>
__global__ void __launch_bounds__(WARPS * 32, 2)
    layernorm_backward_kernel10(bf16* dinp, bf16* dweight, bf16* dbias, float* scratch, unsigned* counter, const bf16* dout, const bf16* inp, const bf16* weight, const float* mean, const float* rstd,
                                int BT, int C) {
  extern __shared__ float ln_shared[];
  constexpr int CHUNK = 32 * x128::size;
  float *tmp_bias = ln_shared + 2 * C, *tmp_weight = tmp_bias + WARPS * CHUNK;
  __shared__ bool last;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 2 * C; i += blockDim.x) ln_shared[i] = 0.f;
  __syncthreads();
  for (int base = blockIdx.x * WARPS; base < BT; base += gridDim.x * WARPS) {
    const int bt = base + warp;
    const bool active = bt < BT;
    const size_t row = size_t(active ? bt : 0) * C;
    const float m = mean[active ? bt : 0], r = rstd[active ? bt : 0];
    float dnorm_mean = 0.f, dnorm_norm_mean = 0.f;
    for (int c = lane * x128::size; c < C; c += CHUNK) {
      const x128 d = load128(dout + row + c), x = load128(inp + row + c), w = load128(weight + c);
      for (int k = 0; k < x128::size; k++) {
        const float dnorm = __bfloat162float(w[k]) * __bfloat162float(d[k]);
        dnorm_mean += dnorm;
        dnorm_norm_mean += dnorm * (__bfloat162float(x[k]) - m);
      }
    }
    dnorm_mean = warpReduceSum(dnorm_mean) / C;
    dnorm_norm_mean = warpReduceSum(dnorm_norm_mean) / C * r;
    for (int chunk = 0; chunk < C; chunk += CHUNK) {
      const int c = chunk + lane * x128::size;
      const x128 d = load128cs(dout + row + c), x = load128cs(inp + row + c), w = load128(weight + c);
      x128 di = load128(dinp + row + c);
      for (int k = 0; k < x128::size; k++) {
        const float dk = __bfloat162float(d[k]), norm = (__bfloat162float(x[k]) - m) * r;
        tmp_bias[warp * CHUNK + k * 32 + lane] = active ? dk : 0.f;
        tmp_weight[warp * CHUNK + k * 32 + lane] = active ? dk * norm : 0.f;
        di[k] = __float2bfloat16(__bfloat162float(di[k]) + (__bfloat162float(w[k]) * dk - dnorm_mean - norm * dnorm_norm_mean) * r);
      }
      if (active) store128cs(dinp + row + c, di);
      __syncthreads();
      for (int i = threadIdx.x; i < 2 * CHUNK; i += blockDim.x) {
        const float* tmp = i < CHUNK ? tmp_bias : tmp_weight;
        const int j = i % CHUNK;
        float total = 0.f;
        for (int other = 0; other < WARPS; other++) total += tmp[other * CHUNK + j];
        ln_shared[(i < CHUNK ? 0 : C) + chunk + j % 32 * x128::size + j / 32] += total;
      }
      __syncthreads();
    }
  }
  for (int i = threadIdx.x; i < 2 * C; i += blockDim.x) scratch[blockIdx.x * 2 * C + i] = ln_shared[i];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  for (int c = threadIdx.x; c < C; c += blockDim.x) {
    float b = 0.f, w = 0.f;
    for (unsigned block = 0; block < gridDim.x; block++) {
      b += __ldcg(scratch + block * 2 * C + c);
      w += __ldcg(scratch + block * 2 * C + C + c);
    }
    dbias[c] = __float2bfloat16(b + __bfloat162float(dbias[c]));
    dweight[c] = __float2bfloat16(w + __bfloat162float(dweight[c]));
  }
}

// Gradients of gamma and beta: a strip of 32 columns a block, rows over the block's height, transposed to finish
template <int ROWS>
__global__ void GammaBetaBackwardCUDAKernel(int64_t M, int64_t N, const half* __restrict__ dY, const half* __restrict__ X, const float* __restrict__ mean, const float* __restrict__ rstd,
                                            half* __restrict__ dg, half* __restrict__ db) {
  __shared__ float g_shared[ROWS][33], b_shared[ROWS][33];
  const int64_t j = blockIdx.x * 32 + threadIdx.x;
  float dg_sum = 0.f, db_sum = 0.f;
  if (j < N) {
    for (int64_t i = threadIdx.y; i < M; i += ROWS * 8) {
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        const int64_t row = i + u * ROWS;
        if (row < M) {
          const float dy = __half2float(dY[row * N + j]);
          dg_sum += dy * (__half2float(X[row * N + j]) - mean[row]) * rstd[row];
          db_sum += dy;
        }
      }
    }
  }
  g_shared[threadIdx.y][threadIdx.x] = dg_sum;
  b_shared[threadIdx.y][threadIdx.x] = db_sum;
  __syncthreads();
  for (int col = threadIdx.y; col < 32; col += ROWS) {
    const float g = warpReduceSum(threadIdx.x < ROWS ? g_shared[threadIdx.x][col] : 0.f);
    const float b = warpReduceSum(threadIdx.x < ROWS ? b_shared[threadIdx.x][col] : 0.f);
    const int64_t out = blockIdx.x * 32 + col;
    if (threadIdx.x == 0 && out < N) {
      dg[out] = __float2half(g);
      db[out] = __float2half(b);
    }
  }
}

// ---- softmax and attention ----

// Online softmax with a block a row: pairs of maximum and sum merged by a tree
__global__ void softmax_forward_online_kernel2(float* out, const float* inp, int N, int C) {
  extern __shared__ float pairs[];
  float* maxvals = pairs;
  float* sumvals = pairs + blockDim.x;
  const int tid = threadIdx.x;
  const float* x = inp + size_t(blockIdx.x) * C;
  float* y = out + size_t(blockIdx.x) * C;
  float maxval = -INFINITY;
  double sum = 0.0;
  for (int i = tid; i < C; i += blockDim.x) {
    const float v = x[i];
    if (v > maxval) {
      sum = sum * expf(maxval - v);
      maxval = v;
    }
    sum += expf(v - maxval);
  }
  maxvals[tid] = maxval;
  sumvals[tid] = float(sum);
  for (unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    __syncthreads();
    if (tid < int(stride)) {
      const float a = maxvals[tid], b = maxvals[tid + stride];
      const float bigger = fmaxf(a, b);
      sumvals[tid] = sumvals[tid] * expf(a - bigger) + sumvals[tid + stride] * expf(b - bigger);
      maxvals[tid] = bigger;
    }
  }
  __syncthreads();
  const float norm = 1.f / sumvals[0], top = maxvals[0];
  for (int i = tid; i < C; i += blockDim.x) y[i] = expf(x[i] - top) * norm;
}

// Causal softmax of bf16 scores, a warp a row, later rows first
__global__ void softmax_forward_kernel5(bf16* out, float inv_temperature, const bf16* inp, int N, int T) {
  const int lane_id = threadIdx.x % 32, warp_id = threadIdx.x / 32, num_warps = blockDim.x / 32;
  const int idx = (gridDim.x - blockIdx.x - 1) * num_warps + warp_id;
  if (idx >= N * T) return;
  const int own_pos = idx % T, pos_by_2 = (own_pos + 1) / 2;
  const __nv_bfloat162* x2 = reinterpret_cast<const __nv_bfloat162*>(inp + size_t(idx) * T);
  float maxval = -FLT_MAX, sumval = 0.f;
  for (int i = lane_id; i < pos_by_2; i += 32) {
    const float2 v = __bfloat1622float2(x2[i]);
    const float old_maxval = maxval;
    maxval = fmaxf(maxval, fmaxf(v.x, v.y));
    sumval *= expf(inv_temperature * (old_maxval - maxval));
    sumval += expf(inv_temperature * (v.x - maxval)) + expf(inv_temperature * (v.y - maxval));
  }
  if (2 * pos_by_2 + lane_id <= own_pos) {
    const float v = __bfloat162float(inp[size_t(idx) * T + 2 * pos_by_2 + lane_id]);
    const float old_maxval = maxval;
    maxval = fmaxf(maxval, v);
    sumval *= expf(inv_temperature * (old_maxval - maxval));
    sumval += expf(inv_temperature * (v - maxval));
  }
  const float global_maxval = warpReduceMax(maxval);
  sumval *= expf(inv_temperature * (maxval - global_maxval));
  const float norm = 1.f / warpReduceSum(sumval);
  for (int i = lane_id; i <= own_pos; i += 32) {
    const float ev = expf(inv_temperature * (__bfloat162float(__ldcs(inp + size_t(idx) * T + i)) - global_maxval));
    __stcs(out + size_t(idx) * T + i, __float2bfloat16(ev * norm));
  }
}

// Causal softmax with a thread a row
__global__ void attention_softmax_kernel1(float* att, const float* preatt, int B, int T, int NH) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  int total_threads = B * T * NH;
  if (idx < total_threads) {
    int h = idx % NH;
    int t = (idx / NH) % T;
    int b = idx / (NH * T);
    const float* preatt_bth = preatt + b * NH * T * T + h * T * T + t * T;
    float* att_bth = att + b * NH * T * T + h * T * T + t * T;
    float maxval = -10000.0f;
    for (int t2 = 0; t2 <= t; t2++)
      if (preatt_bth[t2] > maxval) maxval = preatt_bth[t2];
    float expsum = 0.0f;
    for (int t2 = 0; t2 <= t; t2++) {
      float expv = expf(preatt_bth[t2] - maxval);
      expsum += expv;
      att_bth[t2] = expv;
    }
    float expsum_inv = expsum == 0.0f ? 0.0f : 1.0f / expsum;
    for (int t2 = 0; t2 < T; t2++) {
      if (t2 <= t)
        att_bth[t2] *= expsum_inv;
      else
        att_bth[t2] = 0.0f;
    }
  }
}

// The whole backward of attention in one naive kernel: a thread a query, atomics into keys and values
__global__ void attention_backward_kernel1(float* dinp, float* dpreatt, float* datt, const float* dout, const float* inp, const float* att, int B, int T, int C, int NH) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= B * T * NH) return;
  int h = idx % NH;
  int t = (idx / NH) % T;
  int b = idx / (NH * T);
  int C3 = C * 3, hs = C / NH;
  float scale = 1.0f / sqrtf((float)hs);
  int row = b * NH * T * T + h * T * T + t * T;
  const float* dout_bth = dout + b * T * C + t * C + h * hs;
  const float* query_t = inp + b * T * C3 + t * C3 + h * hs;
  float* dquery_t = dinp + b * T * C3 + t * C3 + h * hs;
  for (int t2 = 0; t2 <= t; t2++) {
    const float* value_t2 = inp + b * T * C3 + t2 * C3 + h * hs + C * 2;
    float* dvalue_t2 = dinp + b * T * C3 + t2 * C3 + h * hs + C * 2;
    float sum = 0.0f;
    for (int i = 0; i < hs; i++) {
      sum += value_t2[i] * dout_bth[i];
      atomicAdd(&dvalue_t2[i], att[row + t2] * dout_bth[i]);
    }
    datt[row + t2] = sum;
  }
  for (int t2 = 0; t2 <= t; t2++) {
    float sum = 0.0f;
    for (int t3 = 0; t3 <= t; t3++) {
      float indicator = t2 == t3 ? 1.0f : 0.0f;
      sum += att[row + t2] * (indicator - att[row + t3]) * datt[row + t3];
    }
    dpreatt[row + t2] = sum;
  }
  for (int t2 = 0; t2 <= t; t2++) {
    const float* key_t2 = inp + b * T * C3 + t2 * C3 + h * hs + C;
    float* dkey_t2 = dinp + b * T * C3 + t2 * C3 + h * hs + C;
    float d = dpreatt[row + t2] * scale;
    for (int i = 0; i < hs; i++) {
      dquery_t[i] += key_t2[i] * d;
      atomicAdd(&dkey_t2[i], query_t[i] * d);
    }
  }
}

// Softmax backward in place, four rows a block from the last to the first
template <int BLOCK>
__global__ void softmax_autoregressive_backward_inplace_kernel(bf16* datt, const bf16* att, int T, float scale) {
  constexpr int T_PER_BLOCK = 4;
  __shared__ float scratch[32];
  const size_t head = size_t(blockIdx.y) * T * T;
  const int t0 = T - 1 - T_PER_BLOCK * blockIdx.x;
  for (int to = 0; to < T_PER_BLOCK; ++to) {
    const int t = t0 - to;
    if (t < 0) return;
    const bf16* att_bth = att + head + size_t(t) * T;
    bf16* datt_bth = datt + head + size_t(t) * T;
    float local_sum = 0.f;
    for (int t2 = threadIdx.x; t2 <= t; t2 += BLOCK) local_sum += __bfloat162float(att_bth[t2]) * __bfloat162float(datt_bth[t2]);
    local_sum = blockReduceSum(local_sum, scratch);
    for (int t3 = threadIdx.x; t3 < T; t3 += BLOCK) {
      if (t3 <= t) {
        const float acc = __bfloat162float(__ldcs(att_bth + t3)) * (__bfloat162float(__ldcs(datt_bth + t3)) - local_sum);
        __stcs(datt_bth + t3, __float2bfloat16(scale * acc));
      } else {
        __stcs(datt_bth + t3, __float2bfloat16(0.f));
      }
    }
  }
}

// Gradients of query, key and value back into one array of (B, N, 3, NH, d)
__global__ void permute_kernel_backward(float* dinp, const float* dq, const float* dk, const float* dv, int B, int N, int NH, int d) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < B * NH * N * d) {
    int b = idx / (NH * N * d);
    int rest = idx % (NH * N * d);
    int nh_ = rest / (N * d);
    rest = rest % (N * d);
    int n = rest / d;
    int d_ = rest % d;
    int inp_idx = (b * N * 3 * NH * d) + (n * 3 * NH * d) + (0 * NH * d) + (nh_ * d) + d_;
    dinp[inp_idx] += dq[idx];
    dinp[inp_idx + NH * d] += dk[idx];
    dinp[inp_idx + 2 * (NH * d)] += dv[idx];
  }
}

// Gradient of repeated key and value heads: a thread an element of the packed heads
__global__ void repkv_backward_kernel1(float* dinp, const float* dout, int B, int T, int NH, int NH_KV, int d) {
  const int nrep = NH / NH_KV, packed = NH + 2 * NH_KV;
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= B * T * packed * d) return;
  const int origin = idx;
  const int d_ = idx % d;
  idx /= d;
  const int head = idx % packed;
  const float* from = dout + size_t(idx / packed) * 3 * NH * d + d_;
  if (head < NH) {
    dinp[origin] = from[head * d];
    return;
  }
  const int which = (head - NH) / NH_KV, kv = (head - NH) % NH_KV;
  float sum = 0.f;
  for (int rep = 0; rep < nrep; ++rep) sum += from[((1 + which) * NH + kv * nrep + rep) * d];
  dinp[origin] = sum;
}

// ---- elementwise ----

#define GELU_SCALING_FACTOR sqrtf(2.0f / 3.14159265f)
// GELU by the tangent, one thread an element
__global__ void gelu_forward_kernel1(float* out, const float* inp, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    float xi = inp[i];
    float cube = 0.044715f * xi * xi * xi;
    out[i] = 0.5f * xi * (1.0f + tanhf(GELU_SCALING_FACTOR * (xi + cube)));
  }
}

// Residual sum of packed bf16
__global__ void residual_forward_kernel2(bf16* out, const bf16* inp1, const bf16* inp2, int N) {
  int idx = (blockIdx.x * blockDim.x + threadIdx.x) * x128::size;
  if (idx < N) {
    x128 packed_out;
    const x128 packed_inp1 = load128cs(inp1 + idx), packed_inp2 = load128cs(inp2 + idx);
    for (int k = 0; k < packed_inp1.size; ++k) packed_out[k] = __float2bfloat16(__bfloat162float(packed_inp1[k]) + __bfloat162float(packed_inp2[k]));
    store128(out + idx, packed_out);
  }
}

// Dropout backward with a byte a mask, eight halves a thread in a grid-stride loop
__global__ void dropout_grad_mask_kernel(const int N, const float scale, half* __restrict__ Xdata, const half* __restrict__ grad, const uint8_t* __restrict__ mask) {
  const half2 h_scale = __float2half2_rn(scale);
  const float4* grad_cast = reinterpret_cast<const float4*>(grad);
  float4* x_cast = reinterpret_cast<float4*>(Xdata);
  const uint2* mask_cast = reinterpret_cast<const uint2*>(mask);
  for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < N / 8; j += blockDim.x * gridDim.x) {
    float4 g = grad_cast[j];
    half2* g_h = reinterpret_cast<half2*>(&g);
    uint2 m = mask_cast[j];
    const uint8_t* m_b = reinterpret_cast<const uint8_t*>(&m);
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const half2 keep = __floats2half2_rn(float(m_b[2 * i]), float(m_b[2 * i + 1]));
      g_h[i] = __hmul2(__hmul2(g_h[i], h_scale), keep);
    }
    x_cast[j] = g;
  }
}

// ---- bias gradients ----

// Bias gradient with a warp a column: every load its own line
__global__ void matmul_backward_bias_kernel3(float* dbias, const float* dout, int BT, int OC) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= OC) return;
  float sum = 0.0f;
  for (int i = lane; i < BT; i += 32) sum += dout[i * OC + warp];
  sum = warpReduceSum(sum);
  if (lane == 0) dbias[warp] += sum;
}

// Bias gradient in bf16: four lanes of eight columns, eight rows a warp, many warps deep, one atomic a column
__global__ void matmul_backward_bias_kernel7(float* dbias, const bf16* dout, int BT, int OC) {
  __shared__ float sub_results[8][32][4];
  const int local_oc = threadIdx.x * x128::size, global_oc = blockIdx.x * 32 + local_oc;
  const int bt_per_block = blockDim.y * blockDim.z, local_bt = threadIdx.y + blockDim.y * threadIdx.z;
  float accumulators[x128::size];
  for (int k = 0; k < x128::size; k++) accumulators[k] = 0.f;
  for (int idx = blockIdx.y * bt_per_block + local_bt; idx < BT; idx += gridDim.y * bt_per_block) {
    const x128 packed = load128(dout + size_t(idx) * OC + global_oc);
    for (int k = 0; k < x128::size; k++) accumulators[k] += __bfloat162float(packed[k]);
  }
  for (int k = 0; k < x128::size; k++) {
    float v = accumulators[k];
    v += __shfl_down_sync(0xffffffffu, v, 16);
    v += __shfl_down_sync(0xffffffffu, v, 8);
    v += __shfl_down_sync(0xffffffffu, v, 4);
    if (threadIdx.y == 0) sub_results[k][threadIdx.z][threadIdx.x] = v;
  }
  __syncthreads();
  for (int k = threadIdx.z; k < x128::size; k += blockDim.z) {
    float a = 0.f;
    for (int r = threadIdx.y; r < int(blockDim.z); r += blockDim.y) a += sub_results[k][r][threadIdx.x];
    a += __shfl_down_sync(0xffffffffu, a, 16);
    a += __shfl_down_sync(0xffffffffu, a, 8);
    a += __shfl_down_sync(0xffffffffu, a, 4);
    if (threadIdx.y == 0) atomicAdd(&dbias[global_oc + k], a);
  }
}

// ---- classifiers and losses ----

// Loss of each position from its probabilities
__global__ void crossentropy_forward_kernel1(float* losses, const float* probs, const int* targets, int B, int T, int V) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < B * T) {
    int b = i / T;
    int t = i % T;
    const float* probs_bt = probs + b * T * V + t * V;
    int ix = targets[b * T + t];
    losses[b * T + t] = -logf(probs_bt[ix]);
  }
}

// Softmax, loss and gradient of the logits in place, a block a row, read backwards the first time
__global__ void fused_classifier_kernel3(float* logits, float* losses, const float* dlosses, const int* targets, int V, int P) {
  __shared__ float shared_max[32], shared_sum[32];
  const int idx = blockIdx.x, ix = targets[idx], lane_id = threadIdx.x % 32, warp_id = threadIdx.x / 32, num_warps = blockDim.x / 32;
  const float* x = logits + size_t(idx) * P;
  float thread_max = -INFINITY, thread_sum = 0.f;
  for (int i = V - 1 - threadIdx.x; i >= 0; i -= blockDim.x) {
    const float v = x[i], old = thread_max;
    thread_max = fmaxf(thread_max, v);
    thread_sum *= expf(old - thread_max);
    thread_sum += expf(v - thread_max);
  }
  const float warp_max = warpReduceMax(thread_max);
  if (lane_id == 0) shared_max[warp_id] = warp_max;
  __syncthreads();
  const float offset = warpReduceMax(lane_id < num_warps ? shared_max[lane_id] : -FLT_MAX);
  thread_sum *= expf(thread_max - offset);
  const float warp_sum = warpReduceSum(thread_sum);
  if (lane_id == 0) shared_sum[warp_id] = warp_sum;
  __syncthreads();
  const float scale = 1.f / warpReduceSum(lane_id < num_warps ? shared_sum[lane_id] : 0.f);
  if (threadIdx.x == 0) losses[idx] = -logf(fmaxf(expf(x[ix] - offset) * scale, 1e-30f));
  __syncthreads();
  const float dloss = dlosses ? dlosses[idx] : 1.f / gridDim.x;
  for (int i = threadIdx.x; i < V; i += blockDim.x) {
    const float v = __ldcs(x + i);
    const float prob = expf(v - offset) * scale;
    const float indicator = i == ix ? 1.f : 0.f;
    __stcs(logits + size_t(idx) * P + i, (prob - indicator) * dloss);
  }
}

// Negative log likelihood of images: weighted classes, ignored pixels, double sums by atomics
__global__ void nll_loss2d_forward_kernel(double* output, double* total_weight, const float* input, const int64_t* target, const float* weights, int n_classes, int map_nelem, int blocks_per_sample,
                                          int64_t ignore_index) {
  __shared__ double warp_input[32], warp_weight[32];
  double input_sum = 0, acc_weight = 0;
  const int sample = blockIdx.x / blocks_per_sample, toffset = sample * map_nelem, ioffset = sample * map_nelem * n_classes;
  const int step = blockDim.x * blocks_per_sample;
  for (int i = (blockIdx.x % blocks_per_sample) * blockDim.x + threadIdx.x; i < map_nelem; i += step) {
    const int64_t t = target[toffset + i];
    if (t != ignore_index) {
      const float cur_weight = weights ? weights[t] : 1.f;
      input_sum -= double(input[ioffset + i + map_nelem * t] * cur_weight);
      acc_weight += cur_weight;
    }
  }
  for (int offset = 16; offset > 0; offset >>= 1) {
    input_sum += __shfl_down_sync(0xffffffffu, input_sum, offset);
    acc_weight += __shfl_down_sync(0xffffffffu, acc_weight, offset);
  }
  if (threadIdx.x % 32 == 0) warp_input[threadIdx.x / 32] = input_sum, warp_weight[threadIdx.x / 32] = acc_weight;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < int(blockDim.x) / 32; w++) input_sum += warp_input[w], acc_weight += warp_weight[w];
    atomicAdd(total_weight, acc_weight);
    atomicAdd(output, input_sum);
  }
}

#define CUDA_1D_KERNEL_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
// Gradient of the focal loss of detectors, a thread a class of an anchor
__global__ void SigmoidFocalLossBackward(const int nthreads, const float* logits, const int* targets, const float* d_losses, const int num_classes, const float gamma, const float alpha,
                                         float* d_logits) {
  CUDA_1D_KERNEL_LOOP(i, nthreads) {
    int n = i / num_classes;
    int d = i % num_classes;
    int t = targets[n];
    float c1 = (t == (d + 1));
    float c2 = (t >= 0 && t != (d + 1));
    float zn = 1.0 - alpha;
    float zp = alpha;
    float p = 1. / (1. + expf(-logits[i]));
    float term1 = powf(1. - p, gamma) * (1. - p - (p * gamma * logf(max(p, FLT_MIN))));
    float term2 = powf(p, gamma) * ((-1. * logits[i] * (logits[i] >= 0) - logf(1. + expf(logits[i] - 2. * logits[i] * (logits[i] >= 0)))) * (1. - p) * gamma);
    term2 = powf(p, gamma) * (-p) + term2;
    d_logits[i] = 0.0;
    d_logits[i] += -c1 * zp * term1;
    d_logits[i] += -c2 * zn * term2;
    d_logits[i] = d_logits[i] * d_losses[i];
  }
}

// ---- batch norm ----

struct Float2 {
  float v1, v2;
};
// Batch norm backward of NCHW: a block a channel sums twice over the batch, then writes the gradient
__global__ void batch_norm_backward_kernel(const float* __restrict__ input, const float* __restrict__ grad_output, float* __restrict__ grad_input, float* grad_weight, float* grad_bias,
                                           const float* weight, const float* save_mean, const float* save_invstd, int N, int C, int HW) {
  __shared__ Float2 shared[32];
  const int plane = blockIdx.x, tid = threadIdx.x + threadIdx.y * blockDim.x, warps = blockDim.x * blockDim.y / 32;
  const float mean = save_mean[plane], invstd = save_invstd[plane], weight_val = weight ? weight[plane] : 1.f, norm = 1.f / (N * HW);
  Float2 sum = {0.f, 0.f};
  for (int batch = threadIdx.y; batch < N; batch += blockDim.y)
    for (int x = threadIdx.x; x < HW; x += blockDim.x) {
      const size_t at = (size_t(batch) * C + plane) * HW + x;
      const float g = grad_output[at], c = input[at] - mean;
      sum.v1 += g;
      sum.v2 += g * c;
    }
  sum.v1 = warpReduceSum(sum.v1), sum.v2 = warpReduceSum(sum.v2);
  if (tid % 32 == 0) shared[tid / 32] = sum;
  __syncthreads();
  if (tid < 32) {
    Float2 part = tid < warps ? shared[tid] : Float2{0.f, 0.f};
    part.v1 = warpReduceSum(part.v1), part.v2 = warpReduceSum(part.v2);
    __syncwarp();
    if (tid == 0) shared[0] = part;
  }
  __syncthreads();
  const float grad_output_sum = shared[0].v1, dot_p = shared[0].v2;
  const float grad_mean = grad_output_sum * norm, proj_scale = dot_p * norm * invstd * invstd, grad_scale = invstd * weight_val;
  for (int batch = threadIdx.y; batch < N; batch += blockDim.y)
    for (int x = threadIdx.x; x < HW; x += blockDim.x) {
      const size_t at = (size_t(batch) * C + plane) * HW + x;
      const float proj = (input[at] - mean) * proj_scale;
      grad_input[at] = (grad_output[at] - proj - grad_mean) * grad_scale;
    }
  if (tid == 0) {
    grad_weight[plane] = dot_p * invstd;
    grad_bias[plane] = grad_output_sum;
  }
}

// ---- optimizers ----

// Global norm of packed bf16 in a grid-stride loop, one atomic a block
__global__ void norm_kernel1(float* out, const bf16* data, size_t count) {
  __shared__ float scratch[32];
  const size_t index = (size_t(blockIdx.x) * blockDim.x + threadIdx.x) * x128::size;
  const size_t grid_width = size_t(blockDim.x) * gridDim.x * x128::size;
  float accumulator = 0.f;
  for (size_t i = index; i < count; i += grid_width) {
    const x128 packed = load128(data + i);
    for (int k = 0; k < x128::size; k++) accumulator += __bfloat162float(packed[k]) * __bfloat162float(packed[k]);
  }
  const float block_sum = blockReduceSum(accumulator, scratch);
  if (threadIdx.x == 0) atomicAdd(out, block_sum);
}

__device__ inline unsigned char quantize_by_search(const float* map, float x) {
  int pivot = 127, lower = 0, upper = 255;
#pragma unroll
  for (int step = 64; step > 0; step >>= 1) {
    if (x > map[pivot]) {
      lower = pivot;
      pivot += step;
    } else {
      upper = pivot;
      pivot -= step;
    }
  }
  if (x > map[pivot]) return fabsf(map[min(upper, 255)] - x) < fabsf(map[pivot] - x) ? (unsigned char)upper : (unsigned char)pivot;
  return fabsf(map[lower] - x) < fabsf(map[pivot] - x) ? (unsigned char)lower : (unsigned char)pivot;
}

// Adam with both moments in bytes: a scale a block of 2048, tables of 256 values searched in shared memory
template <int PER>
__global__ void __launch_bounds__(256) adam_8bit_blockwise(float* p, const half* __restrict__ g, unsigned char* state1, unsigned char* state2, const float* __restrict__ quantiles1,
                                                           const float* __restrict__ quantiles2, float* absmax1, float* absmax2, float beta1, float beta2, float eps, float step_size,
                                                           float weight_decay, int n) {
  __shared__ float smem_q1[256], smem_q2[256], top1[8], top2[8];
  smem_q1[threadIdx.x] = quantiles1[threadIdx.x];
  smem_q2[threadIdx.x] = quantiles2[threadIdx.x];
  __syncthreads();
  const int first = blockIdx.x * 256 * PER + threadIdx.x * PER;
  if (first >= n) return;
  const float old1 = absmax1[blockIdx.x], old2 = absmax2[blockIdx.x];
  alignas(16) half grads[PER];
  alignas(8) unsigned char c1[PER], c2[PER];
  *reinterpret_cast<float4*>(grads) = *reinterpret_cast<const float4*>(g + first);
  *reinterpret_cast<uint2*>(c1) = *reinterpret_cast<const uint2*>(state1 + first);
  *reinterpret_cast<uint2*>(c2) = *reinterpret_cast<const uint2*>(state2 + first);
  float s1[PER], s2[PER], max1 = 1e-12f, max2 = 1e-12f;
#pragma unroll
  for (int j = 0; j < PER; j++) {
    const float gv = __half2float(grads[j]);
    s1[j] = smem_q1[c1[j]] * old1 * beta1 + (1.f - beta1) * gv;
    s2[j] = smem_q2[c2[j]] * old2 * beta2 + (1.f - beta2) * gv * gv;
    max1 = fmaxf(max1, fabsf(s1[j]));
    max2 = fmaxf(max2, fabsf(s2[j]));
  }
  max1 = warpReduceMax(max1), max2 = warpReduceMax(max2);
  if (threadIdx.x % 32 == 0) top1[threadIdx.x / 32] = max1, top2[threadIdx.x / 32] = max2;
  __syncthreads();
#pragma unroll
  for (int w = 0; w < 8; w++) max1 = fmaxf(max1, top1[w]), max2 = fmaxf(max2, top2[w]);
#pragma unroll
  for (int j = 0; j < PER; j++) {
    float v = p[first + j] + step_size * (s1[j] / (sqrtf(s2[j]) + eps));
    if (weight_decay > 0.f) v *= 1.f - weight_decay;
    p[first + j] = v;
    c1[j] = quantize_by_search(smem_q1, s1[j] / max1);
    c2[j] = quantize_by_search(smem_q2, s2[j] / max2);
  }
  *reinterpret_cast<uint2*>(state1 + first) = *reinterpret_cast<const uint2*>(c1);
  *reinterpret_cast<uint2*>(state2 + first) = *reinterpret_cast<const uint2*>(c2);
  if (threadIdx.x == 0) absmax1[blockIdx.x] = max1, absmax2[blockIdx.x] = max2;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* f = on_device<float>(16 * M, [](uint32_t i) { return 2.f * fraction(i) - 1.f; });
  const bf16* b = on_device<bf16>(16 * M, [](uint32_t i) { return __float2bfloat16(2.f * fraction(i) - 1.f); });
  const half* h = on_device<half>(8 * M, [](uint32_t i) { return __float2half(2.f * fraction(i + 5) - 1.f); });
  const float* pos = on_device<float>(65536, [](uint32_t i) { return 0.5f + fraction(i); });
  float* o = zeros<float>(40 * M);
  bf16* ob = zeros<bf16>(16 * M);
  half* oh = zeros<half>(8 * M);

  // words of a text: a few very frequent
  constexpr int vocab = 16384;
  const auto word = [](uint32_t i) { return int(float(vocab - 1) * std::pow(fraction(i * 3 + 1), 4.f)); };
  std::vector<int> text(8192);
  for (int i = 0; i < 8192; ++i) text[i] = word(i);
  const int* tokens = on_device(text);
  constexpr int C = 768, T = 1024;
  run("encoder_forward_kernel2", [&] { encoder_forward_kernel2<<<4 * T * C / 512, 512>>>(o, tokens, f, f + 13 * M, 4, T, C); });
  float* dwte = zeros<float>(size_t(vocab) * C);
  run("encoder_backward_kernel1", [&] { encoder_backward_kernel1<<<4 * T * C / 256, 256>>>(dwte, o, f, tokens, 4, T, C); });
  std::vector<std::vector<int>> places(vocab);
  for (int i = 0; i < 8192; ++i) places[text[i]].push_back(i);
  std::vector<int> workload, order;
  for (int v = 0; v < vocab; ++v)
    if (!places[v].empty()) order.push_back(v);
  std::sort(order.begin(), order.end(), [&](int x, int y) { return places[x].size() != places[y].size() ? places[x].size() > places[y].size() : x < y; });
  std::vector<int4> buckets;
  for (int v : order) {
    for (int group = 0; group < C / 256; ++group) buckets.push_back(make_int4(int(workload.size()), int(places[v].size()), v, group));
    workload.insert(workload.end(), places[v].begin(), places[v].end());
  }
  const int4* buckets_d = on_device(buckets);
  const int* workload_d = on_device(workload);
  run("wte_backward_kernel", [&] { wte_backward_kernel<256><<<int(buckets.size()), 256>>>(ob, buckets_d, workload_d, b, 1234u, C); });
  std::vector<int64_t> wide(text.begin(), text.begin() + 4096);
  const int64_t* indices = on_device(wide);
  run("embedding_backward_feature_kernel", [&] { embedding_backward_feature_kernel<<<500 / 32 + 1, dim3(32, 32), 32 * 32 * 4 + 32 * 32 * 4>>>(indices, f, dwte, 4096, 500, 0); });

  run("rstd_kernel", [&] { rstd_kernel<<<8192, 128, 128 * sizeof(float)>>>(o, f, pos, 8192, C, 128); });
  run("layernorm_forward_kernel5", [&] { layernorm_forward_kernel5<<<4096, 256>>>(o, o + 16 * M, o + 17 * M, f, pos, pos + 1600, 1600); });
  run("layernorm_forward_kernel6", [&] { layernorm_forward_kernel6<<<8192 / 8, dim3(32, 8), 10 * 1024 * 2>>>(ob, o, o + M, b, b + 9 * M, b + 10 * M, 8192, 1024); });
  unsigned* counter = zeros<unsigned>(1);
  run("layernorm_backward_kernel10", [&] {
    layernorm_backward_kernel10<16><<<264, 512, (2 * C + 2 * 16 * 256) * sizeof(float)>>>(ob, ob + 8 * M, ob + 9 * M, o, counter, b, b + 4 * M, b + 9 * M, pos, pos + 8192, 5000, C);
  });
  run("GammaBetaBackwardCUDAKernel", [&] { GammaBetaBackwardCUDAKernel<16><<<32, dim3(32, 16)>>>(4096, 1000, h, h + 4 * M, pos, pos + 4096, oh, oh + 4096); });

  run("softmax_forward_online_kernel2", [&] { softmax_forward_online_kernel2<<<512, 256, 2 * 256 * sizeof(float)>>>(o, f, 512, 5000); });
  run("softmax_forward_kernel5", [&] { softmax_forward_kernel5<<<48 * 512 / 8, 256>>>(ob, 0.125f, b, 48, 512); });
  run("attention_softmax_kernel1", [&] { attention_softmax_kernel1<<<4 * 256 * 12 / 256, 256>>>(o, f, 4, 256, 12); });
  float* probabilities = on_device<float>(4 * 12 * 48 * 48, [](uint32_t i) { return i % 48 <= i / 48 % 48 ? 1.f / (1 + i / 48 % 48) : 0.f; });
  run("attention_backward_kernel1", [&] { attention_backward_kernel1<<<4 * 48 * 12 / 64, 64>>>(o, o + M, o + 2 * M, f, f + M, probabilities, 4, 48, 384, 12); });
  run("softmax_autoregressive_backward_inplace_kernel", [&] { softmax_autoregressive_backward_inplace_kernel<256><<<dim3(128, 48), 256>>>(ob, b, 512, 0.125f); });
  run("permute_kernel_backward", [&] { permute_kernel_backward<<<4 * 12 * 1024 * 64 / 256, 256>>>(o, f, f + 3 * M, f + 6 * M, 4, 1024, 12, 64); });
  run("repkv_backward_kernel1", [&] { repkv_backward_kernel1<<<4 * 512 * 48 * 64 / 512, 512>>>(o + 16 * M, f, 4, 512, 32, 8, 64); });

  for (int n : {300000, 4 * M}) run(sized("gelu_forward_kernel1", n), [&] { gelu_forward_kernel1<<<(n + 127) / 128, 128>>>(o, f, n); });
  run("residual_forward_kernel2", [&] { residual_forward_kernel2<<<8 * M / 8 / 256, 256>>>(ob, b, b + 8 * M, 8 * M); });
  const uint8_t* mask = on_device<uint8_t>(8 * M, [](uint32_t i) { return uint8_t(hashed(i) % 10 != 0); });
  run("dropout_grad_mask_kernel", [&] { dropout_grad_mask_kernel<<<1024, 512>>>(8 * M, 1.f / 0.9f, oh, h, mask); });

  run("matmul_backward_bias_kernel3", [&] { matmul_backward_bias_kernel3<<<768 / 4, 128>>>(o, f, 4096, 768); });
  run("matmul_backward_bias_kernel7", [&] { matmul_backward_bias_kernel7<<<dim3(3072 / 32, 11), dim3(4, 8, 16)>>>(o, b, 5000, 3072); });

  const float* probs = on_device<float>(8 * M, [](uint32_t i) { return 0.01f + fraction(i) / 1024.f; });
  const int* targets = on_device<int>(8192, [](uint32_t i) { return int(hashed(i) % 1024); });
  run("crossentropy_forward_kernel1", [&] { crossentropy_forward_kernel1<<<8192 / 128, 128>>>(o, probs, targets, 8, 1024, 1024); });
  float* logits = on_device<float>(128 * 50304, [](uint32_t i) { return 8.f * fraction(i) - 4.f; });
  run("fused_classifier_kernel3", [&] { fused_classifier_kernel3<<<128, 1024>>>(logits, o, nullptr, targets, 50257, 50304); });
  const int64_t* labels = on_device<int64_t>(8 * 65536, [](uint32_t i) { return hashed(i / 24) % 13 == 0 ? int64_t(255) : int64_t(hashed(i / 24) % 21); });
  double* sums = zeros<double>(2);
  run("nll_loss2d_forward_kernel", [&] { nll_loss2d_forward_kernel<<<8 * 64, 256>>>(sums, sums + 1, f, labels, pos, 21, 65536, 64, 255); });
  const int* anchors = on_device<int>(20000, [](uint32_t i) { return hashed(i) % 20 == 0 ? int(1 + hashed(i + 7) % 80) : hashed(i) % 50 == 1 ? -1 : 0; });
  run("SigmoidFocalLossBackward", [&] { SigmoidFocalLossBackward<<<(20000 * 80 + 511) / 512, 512>>>(20000 * 80, f, anchors, f + 2 * M, 80, 2.f, 0.25f, o); });

  run("batch_norm_backward_kernel", [&] { batch_norm_backward_kernel<<<192, dim3(32, 16)>>>(f, f + 6 * M, o, o + 16 * M, o + 17 * M, pos, pos + 256, pos + 512, 32, 192, 28 * 28); });

  float* norm = zeros<float>(1);
  run("norm_kernel1", [&] { norm_kernel1<<<2 * 132, 512>>>(norm, b, size_t(12) * M); });
  std::vector<float> signed_map(256), unsigned_map(256);
  for (int i = 0; i < 256; ++i) {
    const float s = (i - 127) / 128.f, u = i / 255.f;
    signed_map[i] = s * s * s;
    unsigned_map[i] = u * u * u;
  }
  const float *map1 = on_device(signed_map), *map2 = on_device(unsigned_map);
  unsigned char* state1 = on_device<unsigned char>(M, [](uint32_t i) { return (unsigned char)hashed(i); });
  unsigned char* state2 = on_device<unsigned char>(M, [](uint32_t i) { return (unsigned char)(1 + hashed(i + 9) % 200); });
  float* scales = on_device<float>(1024, [](uint32_t i) { return 0.5f + fraction(i); });
  run("adam_8bit_blockwise", [&] { adam_8bit_blockwise<8><<<M / 2048, 256>>>(o, h, state1, state2, map1, map2, scales, scales + 512, 0.9f, 0.999f, 1e-8f, -1e-3f, 0.01f, M); });
}
