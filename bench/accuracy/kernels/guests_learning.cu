// Kernels of training and inference in the forms of public repositories. Written and recorded after the model, and after what the
// strangers_*.cu taught it, as are the other guests_*.cu.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>

#include "cases.h"

namespace cg = cooperative_groups;

// A warp a row; means and reciprocal deviations are kept for the backward pass.
__global__ void layernorm_forward(float* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd,
                                  const float* __restrict__ inp, const float* __restrict__ weight,
                                  const float* __restrict__ bias, int N, int C) {
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

// A warp a row; gradients of weights are summed in shared memory by atomics, then in global memory.
__global__ void layernorm_backward(float* dinp, float* dweight, float* dbias, const float* dout, const float* inp,
                                   const float* weight, const float* mean, const float* rstd, int N, int C) {
  extern __shared__ float shared[];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  float* dbias_shared = shared;
  float* dweight_shared = shared + C;
  for (int i = threadIdx.x; i < C; i += blockDim.x) {
    dbias_shared[i] = 0.0f;
    dweight_shared[i] = 0.0f;
  }
  __syncthreads();
  int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (idx < N) {
    const float* dout_bt = dout + idx * C;
    const float* inp_bt = inp + idx * C;
    float* dinp_bt = dinp + idx * C;
    const float mean_bt = mean[idx], rstd_bt = rstd[idx];
    float dnorm_mean = 0.0f, dnorm_norm_mean = 0.0f;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) {
      float norm = (inp_bt[i] - mean_bt) * rstd_bt;
      float dnorm = weight[i] * dout_bt[i];
      dnorm_mean += dnorm;
      dnorm_norm_mean += dnorm * norm;
    }
    dnorm_mean = cg::reduce(warp, dnorm_mean, cg::plus<float>{}) / C;
    dnorm_norm_mean = cg::reduce(warp, dnorm_norm_mean, cg::plus<float>{}) / C;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) {
      float norm = (inp_bt[i] - mean_bt) * rstd_bt;
      float dnorm = weight[i] * dout_bt[i];
      atomicAdd(&dbias_shared[i], dout_bt[i]);
      atomicAdd(&dweight_shared[i], norm * dout_bt[i]);
      float dval = dnorm - dnorm_mean - norm * dnorm_norm_mean;
      dinp_bt[i] += dval * rstd_bt;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < C; i += blockDim.x) {
    atomicAdd(&dbias[i], dbias_shared[i]);
    atomicAdd(&dweight[i], dweight_shared[i]);
  }
}

// Lower triangle only; a warp a row, four numbers a load.
__global__ void softmax_causal_online(float* out, float inv_temperature, const float* inp, int N, int T) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  int idx = (gridDim.x - blockIdx.x - 1) * warps + warp;
  if (idx >= N * T) return;
  int own_pos = idx % T, pos_by_4 = own_pos / 4;
  const float* x = inp + (size_t)idx * T;
  float maxval = -3.402823466e+38f, sumval = 0.0f;
  const float4* x_vec = reinterpret_cast<const float4*>(x);
  for (int i = lane; i < pos_by_4; i += 32) {
    float4 v = x_vec[i];
    float old = maxval;
    maxval = fmaxf(maxval, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    sumval *= expf(inv_temperature * (old - maxval));
    sumval += expf(inv_temperature * (v.x - maxval)) + expf(inv_temperature * (v.y - maxval));
    sumval += expf(inv_temperature * (v.z - maxval)) + expf(inv_temperature * (v.w - maxval));
  }
  if (4 * pos_by_4 + lane <= own_pos) {
    float old = maxval;
    maxval = fmaxf(maxval, x[4 * pos_by_4 + lane]);
    sumval *= expf(inv_temperature * (old - maxval));
    sumval += expf(inv_temperature * (x[4 * pos_by_4 + lane] - maxval));
  }
  float global_max = maxval;
  for (int offset = 16; offset > 0; offset /= 2) global_max = fmaxf(global_max, __shfl_xor_sync(0xFFFFFFFF, global_max, offset));
  sumval *= expf(inv_temperature * (maxval - global_max));
  for (int offset = 16; offset > 0; offset /= 2) sumval += __shfl_xor_sync(0xFFFFFFFF, sumval, offset);
  float norm = 1.f / sumval;
  for (int i = lane; i <= own_pos; i += 32) {
    float ev = expf(inv_temperature * (__ldcs(x + i) - global_max));
    __stcs(out + (size_t)idx * T + i, ev * norm);
  }
}

// A block four rows of a head, from the last to the first.
__global__ void softmax_causal_backward(float* dpreatt, const float* datt, const float* att, int T, float scale) {
  __shared__ float block_acc[32];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int idx = blockIdx.y, t0 = T - 1 - 4 * blockIdx.x;
  att += (size_t)idx * T * T;
  datt += (size_t)idx * T * T;
  dpreatt += (size_t)idx * T * T;
  if (warp.meta_group_rank() == 0) block_acc[warp.thread_rank()] = 0;
  for (int to = 0; to < 4; ++to) {
    int t = t0 - to;
    if (t < 0) return;
    const float* att_bth = att + t * T;
    const float* datt_bth = datt + t * T;
    float* dpreatt_bth = dpreatt + t * T;
    float local_sum = 0;
    for (int t2 = block.thread_rank(); t2 <= t; t2 += 256) local_sum += att_bth[t2] * datt_bth[t2];
    block_acc[warp.meta_group_rank()] = cg::reduce(warp, local_sum, cg::plus<float>{});
    block.sync();
    local_sum = cg::reduce(warp, block_acc[warp.thread_rank()], cg::plus<float>{});
    for (int t3 = block.thread_rank(); t3 <= t; t3 += 256)
      __stcs(dpreatt_bth + t3, scale * (__ldcs(att_bth + t3) * (__ldcs(datt_bth + t3) - local_sum)));
  }
}

__global__ void crossentropy_softmax_backward(float* dlogits, const float* dlosses, const float* probs, const int* targets,
                                              int B, int T, int V) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < B * T * V) {
    int b = i / (T * V), t = (i / V) % T, v = i % V;
    float* dlogits_bt = dlogits + b * T * V + t * V;
    const float* probs_bt = probs + b * T * V + t * V;
    float dloss = dlosses[b * T + t];
    int ix = targets[b * T + t];
    float indicator = v == ix ? 1.0f : 0.0f;
    dlogits_bt[v] += (probs_bt[v] - indicator) * dloss;
  }
}

__global__ void swiglu_backward_bf16(const __nv_bfloat162* __restrict__ dout, const __nv_bfloat162* __restrict__ gate,
                                     const __nv_bfloat162* __restrict__ up, __nv_bfloat162* __restrict__ dgate,
                                     __nv_bfloat162* __restrict__ dup, int n2) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n2; i += blockDim.x * gridDim.x) {
    float2 d = __bfloat1622float2(dout[i]), g = __bfloat1622float2(gate[i]), u = __bfloat1622float2(up[i]);
    float s0 = 1.0f / (1.0f + __expf(-g.x)), s1 = 1.0f / (1.0f + __expf(-g.y));
    dup[i] = __floats2bfloat162_rn(d.x * g.x * s0, d.y * g.y * s1);
    dgate[i] = __floats2bfloat162_rn(d.x * u.x * s0 * (1.0f + g.x * (1.0f - s0)), d.y * u.y * s1 * (1.0f + g.y * (1.0f - s1)));
  }
}

__device__ float lerp(float start, float end, float weight) { return fma(weight, end, fma(-weight, start, start)); }

// Parameters in bfloat16 beside a master copy; rounding by a hash of the place.
__global__ void adamw_mixed(__nv_bfloat16* params, float* master, const __nv_bfloat16* grads, float* m_memory, float* v_memory,
                            size_t num_parameters, float learning_rate, float beta1, float beta2, float beta1_correction,
                            float beta2_correction, float eps, float weight_decay, float grad_scale, unsigned int seed) {
  size_t idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= num_parameters) return;
  float grad = grad_scale * (float)grads[idx];
  float m = m_memory[idx], v = v_memory[idx];
  m = lerp(grad, m, beta1);
  m_memory[idx] = m;
  v = lerp(grad * grad, v, beta2);
  v_memory[idx] = v;
  m /= beta1_correction;
  v /= beta2_correction;
  float old = master[idx];
  float param = old - (learning_rate * (m / (sqrtf(v) + eps) + weight_decay * old));
  unsigned int h = (unsigned int)idx * 0xcc9e2d51u + seed;
  h = (h << 15) | (h >> 17);
  h *= 0x1b873593u;
  h ^= h >> 13;
  unsigned int bits = __float_as_uint(param), rounded = bits & 0xFFFF0000u;
  if ((h & 0xFFFF) < (bits & 0xFFFF)) rounded += 0x10000u;
  params[idx] = __float2bfloat16_rn(__uint_as_float(rounded));
  master[idx] = param;
}

__global__ void attention_query_key(float* preatt, const float* inp, int B, int T, int C, int NH) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  int total_threads = B * NH * T * T;
  if (idx < total_threads) {
    int t2 = idx % T, t = (idx / T) % T;
    if (t2 > t) {
      preatt[idx] = -INFINITY;
      return;
    }
    int h = (idx / (T * T)) % NH, b = idx / (NH * T * T);
    int C3 = C * 3, hs = C / NH;
    const float* query_t = inp + b * T * C3 + t * C3 + h * hs;
    const float* key_t2 = inp + b * T * C3 + t2 * C3 + h * hs + C;
    float val = 0.0f;
    for (int i = 0; i < hs; i++) val += query_t[i] * key_t2[i];
    val *= 1.0 / sqrtf(hs);
    preatt[idx] = val;
  }
}

// A thread a row of queries; tiles of keys and values, and the products, in shared memory.
__global__ void flash_minimal(const float* Q, const float* K, const float* V, const int N, const int d, const int Tc,
                              const int Tr, const int Bc, const int Br, const float softmax_scale, float* l, float* m, float* O) {
  int tx = threadIdx.x, bx = blockIdx.x, by = blockIdx.y;
  int qkv_offset = (bx * gridDim.y * N * d) + (by * N * d), lm_offset = (bx * gridDim.y * N) + (by * N);
  extern __shared__ float sram[];
  int tile_size = Bc * d;
  float* Qi = sram;
  float* Kj = &sram[tile_size];
  float* Vj = &sram[tile_size * 2];
  float* S = &sram[tile_size * 3];
  for (int j = 0; j < Tc; j++) {
    for (int x = 0; x < d; x++) {
      Kj[(tx * d) + x] = K[qkv_offset + (tile_size * j) + (tx * d) + x];
      Vj[(tx * d) + x] = V[qkv_offset + (tile_size * j) + (tx * d) + x];
    }
    __syncthreads();
    for (int i = 0; i < Tr; i++) {
      for (int x = 0; x < d; x++) Qi[(tx * d) + x] = Q[qkv_offset + (tile_size * i) + (tx * d) + x];
      float row_m_prev = m[lm_offset + (Br * i) + tx], row_l_prev = l[lm_offset + (Br * i) + tx];
      float row_m = -INFINITY;
      for (int y = 0; y < Bc; y++) {
        float sum = 0;
        for (int x = 0; x < d; x++) sum += Qi[(tx * d) + x] * Kj[(y * d) + x];
        sum *= softmax_scale;
        S[(Bc * tx) + y] = sum;
        if (sum > row_m) row_m = sum;
      }
      float row_l = 0;
      for (int y = 0; y < Bc; y++) {
        S[(Bc * tx) + y] = __expf(S[(Bc * tx) + y] - row_m);
        row_l += S[(Bc * tx) + y];
      }
      float row_m_new = max(row_m_prev, row_m);
      float row_l_new = (__expf(row_m_prev - row_m_new) * row_l_prev) + (__expf(row_m - row_m_new) * row_l);
      for (int x = 0; x < d; x++) {
        float pv = 0;
        for (int y = 0; y < Bc; y++) pv += S[(Bc * tx) + y] * Vj[(y * d) + x];
        O[qkv_offset + (tile_size * i) + (tx * d) + x] =
            (1 / row_l_new) * ((row_l_prev * __expf(row_m_prev - row_m_new) * O[qkv_offset + (tile_size * i) + (tx * d) + x]) +
                               (__expf(row_m - row_m_new) * pv));
      }
      m[lm_offset + (Br * i) + tx] = row_m_new;
      l[lm_offset + (Br * i) + tx] = row_l_new;
    }
    __syncthreads();
  }
}

// One query against a cache of keys in pages of 16; a block a head of a sequence.
__global__ void paged_decode(float* __restrict__ out, const float* __restrict__ q, const float* __restrict__ k_cache,
                             const float* __restrict__ v_cache, const int* __restrict__ block_tables,
                             const int* __restrict__ lengths, int max_blocks, float scale) {
  constexpr int HEAD = 64, PAGE = 16;
  __shared__ float q_s[HEAD];
  __shared__ float logits[1024];
  __shared__ float red[4];
  const int head = blockIdx.x, seq = blockIdx.y, heads = gridDim.x, tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
  const int len = lengths[seq];
  if (tid < HEAD) q_s[tid] = q[(seq * heads + head) * HEAD + tid] * scale;
  __syncthreads();
  float qk_max = -1e30f;
  for (int token = warp; token < len; token += 4) {
    const int64_t page = block_tables[seq * max_blocks + token / PAGE];
    const float* k = k_cache + ((page * heads + head) * PAGE + token % PAGE) * HEAD;
    float dot = q_s[lane] * k[lane] + q_s[lane + 32] * k[lane + 32];
#pragma unroll
    for (int mask = 16; mask >= 1; mask /= 2) dot += __shfl_xor_sync(0xffffffff, dot, mask);
    if (lane == 0) logits[token] = dot;
    qk_max = fmaxf(qk_max, dot);
  }
  if (lane == 0) red[warp] = qk_max;
  __syncthreads();
  qk_max = fmaxf(fmaxf(red[0], red[1]), fmaxf(red[2], red[3]));
  float exp_sum = 0.f;
  for (int i = tid; i < len; i += 128) {
    const float val = __expf(logits[i] - qk_max);
    logits[i] = val;
    exp_sum += val;
  }
  for (int mask = 16; mask >= 1; mask /= 2) exp_sum += __shfl_xor_sync(0xffffffff, exp_sum, mask);
  __syncthreads();
  if (lane == 0) red[warp] = exp_sum;
  __syncthreads();
  const float inv_sum = __fdividef(1.f, red[0] + red[1] + red[2] + red[3] + 1e-6f);
  const int half_of = tid / 64, d = tid % 64;
  float acc = 0.f;
  for (int token = half_of; token < len; token += 2) {
    const int64_t page = block_tables[seq * max_blocks + token / PAGE];
    acc += logits[token] * v_cache[((page * heads + head) * PAGE + token % PAGE) * HEAD + d];
  }
  __shared__ float sums[HEAD];
  if (half_of == 1) sums[d] = acc;
  __syncthreads();
  if (half_of == 0) out[(seq * heads + head) * HEAD + d] = (acc + sums[d]) * inv_sum;
}

// Neighbouring numbers rotate; the angle is computed.
__global__ void rope_interleaved(float* sq, float* sk, int pos, int dim, int kv_dim, int head_size) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= dim) return;
  pos += blockIdx.y;
  sq += blockIdx.y * dim;
  sk += blockIdx.y * kv_dim;
  int head_dim = i % head_size;
  float freq = 1.0f / powf(10000.0f, head_dim / (float)head_size);
  float val = pos * freq;
  float fcr = cosf(val), fci = sinf(val);
  int rotn = i < kv_dim ? 2 : 1;
  for (int v = 0; v < rotn; v++) {
    float* vec = v == 0 ? sq : sk;
    float v0 = vec[i], v1 = vec[i + 1];
    vec[i] = v0 * fcr - v1 * fci;
    vec[i + 1] = v0 * fci + v1 * fcr;
  }
}

__global__ void permute_heads(float* q, float* k, float* v, const float* inp, int B, int N, int NH, int d) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < B * NH * N * d) {
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
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const size_t most = 1 << 23;
  float* a = on_device<float>(most, fraction);
  float* b = on_device<float>(most, fraction);
  float* c = zeros<float>(most);
  float* d = zeros<float>(1 << 20);
  float* e = zeros<float>(1 << 20);
  __nv_bfloat16* h = on_device<__nv_bfloat16>(most, [](uint32_t i) { return __float2bfloat16(fraction(i) - 0.5f); });
  __nv_bfloat16* out = zeros<__nv_bfloat16>(2 * most);
  int* ids = on_device<int>(1 << 14, [](uint32_t i) { return int(hashed(i) % 1024u); });
  const auto h2 = [](__nv_bfloat16* p) { return reinterpret_cast<__nv_bfloat162*>(p); };

  run("layernorm_forward_768", [&] { layernorm_forward<<<1024, 256>>>(c, d, e, a, b, b + 4096, 8192, 768); });
  run("layernorm_forward_4096", [&] { layernorm_forward<<<16, 512>>>(c, d, e, a, b, b + 4096, 256, 4096); });
  run("layernorm_backward_768", [&] { layernorm_backward<<<256, 512, 2 * 768 * 4>>>(c, d, e, a, b, a, b, b + 9000, 4096, 768); });
  run("softmax_causal_online", [&] { softmax_causal_online<<<1536, 128>>>(c, 0.125f, a, 12, 512); });
  run("softmax_causal_backward", [&] { softmax_causal_backward<<<dim3(128, 24), 256>>>(c, a, b, 512, 0.125f); });
  run("crossentropy_softmax_backward", [&] { crossentropy_softmax_backward<<<12566, 256>>>(c, a, b, ids, 2, 32, 50264); });
  for (int n : {1 << 16, 1 << 22})
    run(sized("swiglu_backward_bf16", n), [&] {
      swiglu_backward_bf16<<<min(n / 256, 2112), 256>>>(h2(h), h2(h) + 64, h2(h) + 128, h2(out), h2(out + most), n - 128);
    });
  run("adamw_mixed", [&] {
    adamw_mixed<<<4096, 512>>>(out, c, h, a, b, 1 << 21, 1e-3f, 0.9f, 0.95f, 0.1f, 0.05f, 1e-8f, 0.1f, 1.f, 77u);
  });
  run("attention_query_key", [&] { attention_query_key<<<6144, 256>>>(c, a, 2, 256, 768, 12); });
  run("flash_minimal_d64", [&] {
    flash_minimal<<<dim3(4, 12), 32, 28672>>>(a, b, a + 77777, 128, 64, 4, 4, 32, 32, 0.125f, d, e, c);
  });
  run("flash_minimal_d32", [&] {
    flash_minimal<<<dim3(16, 16), 32, 16384>>>(a, b, a + 77777, 64, 32, 2, 2, 32, 32, 0.177f, d, e, c);
  });
  std::vector<int> pages(32 * 64), lengths(32);
  for (int i = 0; i < 2048; ++i) pages[i] = int(hashed(uint32_t(i)) % 512u);
  for (int i = 0; i < 32; ++i) lengths[i] = 200 + int(hashed(uint32_t(i)) % 800u);
  const int *tables = on_device(pages), *lens = on_device(lengths);
  run("paged_decode", [&] { paged_decode<<<dim3(16, 32), 128>>>(c, a, a, b, tables, lens, 64, 0.125f); });
  run("rope_interleaved", [&] { rope_interleaved<<<dim3(16, 256), 128>>>(a, b, 100, 4096, 1024, 128); });
  run("permute_heads", [&] { permute_heads<<<6144, 256>>>(c, c + (1 << 21), c + (1 << 22), a, 4, 512, 12, 64); });
  return 0;
}
