// Kernels that serve models: grouped queries, turned positions, routing to experts and back, 8-bit groups, paged caches, sampling, beams, the verification of drafts, RWKV.
#include <cuda_fp16.h>

#include "cases.h"

#define FULL 0xffffffffu

// Eight query heads share a head of keys and values in halves; each warp has its own running maximum.
__global__ __launch_bounds__(128) void gqa_decode(const float* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v, float* __restrict__ out, float2* __restrict__ ml, int T, float scale) {
  constexpr int G = 8, D = 128;
  __shared__ float4 s_acc[4][32];
  __shared__ float s_m[4], s_l[4];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, kvh = blockIdx.y;
  const int per = (T + gridDim.x - 1) / gridDim.x, t0 = blockIdx.x * per, t1 = min(T, t0 + per);
  float4 rq[G], acc[G];
  float m[G], l[G];
#pragma unroll
  for (int g = 0; g < G; ++g) {
    rq[g] = reinterpret_cast<const float4*>(q + (kvh * G + g) * D)[lane];
    acc[g] = make_float4(0, 0, 0, 0), m[g] = -1e30f, l[g] = 0;
  }
  for (int t = t0 + warp; t < t1; t += 4) {
    const uint2 kr = reinterpret_cast<const uint2*>(k + ((size_t)kvh * T + t) * D)[lane];
    const uint2 vr = reinterpret_cast<const uint2*>(v + ((size_t)kvh * T + t) * D)[lane];
    const float2 k01 = __half22float2(*reinterpret_cast<const __half2*>(&kr.x)), k23 = __half22float2(*reinterpret_cast<const __half2*>(&kr.y));
    const float2 v01 = __half22float2(*reinterpret_cast<const __half2*>(&vr.x)), v23 = __half22float2(*reinterpret_cast<const __half2*>(&vr.y));
#pragma unroll
    for (int g = 0; g < G; ++g) {
      float s = rq[g].x * k01.x + rq[g].y * k01.y + rq[g].z * k23.x + rq[g].w * k23.y;
#pragma unroll
      for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(FULL, s, o);
      s *= scale;
      const float nm = fmaxf(m[g], s), a = __expf(m[g] - nm), p = __expf(s - nm);
      m[g] = nm, l[g] = l[g] * a + p;
      acc[g].x = acc[g].x * a + p * v01.x, acc[g].y = acc[g].y * a + p * v01.y;
      acc[g].z = acc[g].z * a + p * v23.x, acc[g].w = acc[g].w * a + p * v23.y;
    }
  }
#pragma unroll
  for (int g = 0; g < G; ++g) {
    s_acc[warp][lane] = acc[g];
    if (lane == 0) s_m[warp] = m[g], s_l[warp] = l[g];
    __syncthreads();
    if (warp == 0) {
      const float mm = fmaxf(fmaxf(s_m[0], s_m[1]), fmaxf(s_m[2], s_m[3]));
      float4 r = make_float4(0, 0, 0, 0);
      float ll = 0;
      for (int w = 0; w < 4; ++w) {
        const float f = __expf(s_m[w] - mm);
        const float4 x = s_acc[w][lane];
        r.x += f * x.x, r.y += f * x.y, r.z += f * x.z, r.w += f * x.w, ll += f * s_l[w];
      }
      const int at = (kvh * G + g) * gridDim.x + blockIdx.x;
      reinterpret_cast<float4*>(out + (size_t)at * D)[lane] = r;
      if (lane == 0) ml[at] = make_float2(mm, ll);
    }
    __syncthreads();
  }
}

// Positions turned in place, queries and keys of one token a block.
__global__ void rope_qk_cached(const int64_t* __restrict__ positions, __half* __restrict__ query, __half* __restrict__ key, const __half* __restrict__ cos_sin, int heads, int kv_heads, int head_size) {
  const int token = blockIdx.x, embed = head_size / 2;
  const __half* cache = cos_sin + positions[token] * head_size;
  for (int i = threadIdx.x; i < heads * embed; i += blockDim.x) {
    __half* arr = query + ((int64_t)token * heads + i / embed) * head_size;
    const int r = i % embed;
    const __half c = __ldg(cache + r), s = __ldg(cache + embed + r), x = arr[r], y = arr[embed + r];
    arr[r] = x * c - y * s;
    arr[embed + r] = y * c + x * s;
  }
  for (int i = threadIdx.x; i < kv_heads * embed; i += blockDim.x) {
    __half* arr = key + ((int64_t)token * kv_heads + i / embed) * head_size;
    const int r = i % embed;
    const __half c = __ldg(cache + r), s = __ldg(cache + embed + r), x = arr[r], y = arr[embed + r];
    arr[r] = x * c - y * s;
    arr[embed + r] = y * c + x * s;
  }
}

// Tokens of each expert, padded to whole tiles, by one block.
__global__ void moe_align(const int* topk_ids, int* sorted_ids, int* expert_ids, int* total, int num_experts, int tile, int numel) {
  extern __shared__ int smem[];
  int *count = smem, *cumsum = smem + num_experts;
  for (int i = threadIdx.x; i < num_experts; i += blockDim.x) count[i] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < numel; i += blockDim.x) atomicAdd(&count[topk_ids[i]], 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    cumsum[0] = 0;
    for (int e = 0; e < num_experts; ++e) cumsum[e + 1] = cumsum[e] + (count[e] + tile - 1) / tile * tile;
    *total = cumsum[num_experts];
  }
  __syncthreads();
  if (threadIdx.x < num_experts) {
    for (int i = cumsum[threadIdx.x]; i < cumsum[threadIdx.x + 1]; i += tile) expert_ids[i / tile] = threadIdx.x;
    count[threadIdx.x] = 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < numel; i += blockDim.x) {
    const int e = topk_ids[i];
    sorted_ids[cumsum[e] + atomicAdd(&count[e], 1)] = i;
  }
}
// Rows back from the experts, weighted and added.
template <int K>
__global__ void moe_combine(const uint4* __restrict__ expert_out, const int* __restrict__ place, const float* __restrict__ weights, uint4* __restrict__ out, int vecs) {
  const int token = blockIdx.x;
  for (int i = threadIdx.x; i < vecs; i += blockDim.x) {
    float acc[8] = {};
#pragma unroll
    for (int k = 0; k < K; ++k) {
      const uint4 raw = expert_out[(size_t)place[token * K + k] * vecs + i];
      const float w = weights[token * K + k];
      const __half2* h = (const __half2*)&raw;
      for (int j = 0; j < 4; ++j) {
        const float2 f = __half22float2(h[j]);
        acc[2 * j] += w * f.x, acc[2 * j + 1] += w * f.y;
      }
    }
    uint4 raw;
    for (int j = 0; j < 4; ++j) ((__half2*)&raw)[j] = __floats2half2_rn(acc[2 * j], acc[2 * j + 1]);
    out[(size_t)token * vecs + i] = raw;
  }
}

// Groups of 128 to 8-bit floats (e4m3) with a scale each: a warp a group.
__device__ unsigned encode_e4m3(float x) {
  const unsigned sign = __float_as_uint(x) >> 24 & 0x80;
  float a = fminf(fabsf(x), 448.f);
  if (a < 0.015625f) return sign | (unsigned)__float2int_rn(a * 512.f);
  unsigned u = __float_as_uint(a);
  u += 0x7ffffu + ((u >> 20) & 1u);
  return sign | (((u >> 20) - (120u << 3)) & 0x7f);
}
__global__ void quantize_groups_e4m3(const float4* __restrict__ x, unsigned* __restrict__ q, float* __restrict__ scales, int groups) {
  const int group = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (group >= groups) return;
  const float4 v = x[group * 32 + lane];
  float a = fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)));
  for (int o = 16; o > 0; o >>= 1) a = fmaxf(a, __shfl_xor_sync(FULL, a, o));
  const float s = fmaxf(a, 1e-4f) / 448.f, inv = 1.f / s;
  q[group * 32 + lane] = encode_e4m3(v.x * inv) | encode_e4m3(v.y * inv) << 8 | encode_e4m3(v.z * inv) << 16 | encode_e4m3(v.w * inv) << 24;
  if (lane == 0) scales[group] = s;
}

// New keys and values into pages of 16 tokens, keys in groups of eight.
__global__ void reshape_and_cache(const __half* __restrict__ key, const __half* __restrict__ value, __half* __restrict__ key_cache, __half* __restrict__ value_cache, const int64_t* __restrict__ slots, int heads, int size) {
  const int64_t token = blockIdx.x, slot = slots[token];
  if (slot < 0) return;
  const int64_t page = slot / 16, offset = slot % 16;
  const int n = heads * size, x = 8;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const int head = i / size, at = i % size;
    key_cache[page * heads * size * 16 + head * (size / x) * 16 * x + at / x * 16 * x + offset * x + at % x] = key[token * n + i];
    value_cache[page * heads * size * 16 + head * size * 16 + at * 16 + offset] = value[token * n + i];
  }
}

template <int B>
__device__ float block_sum(float v, float* red) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(FULL, v, o);
  __syncthreads();
  if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < B / 32 ? red[threadIdx.x] : 0.f;
  if (threadIdx.x < 32) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(FULL, v, o);
    if (threadIdx.x == 0) red[0] = v;
  }
  __syncthreads();
  v = red[0];
  __syncthreads();
  return v;
}
// The least probability of the nucleus by bisection, then a token of it by a scan.
template <int B>
__global__ void sample_top_p(const float* __restrict__ probs, const float* __restrict__ uniform, int* __restrict__ out, int V, float p) {
  __shared__ float red[32], warp_total[32];
  __shared__ int chosen;
  const float* row = probs + (size_t)blockIdx.x * V;
  float lo = 0.f, hi = 0.01f, mass = 1.f;
  for (int round = 0; round < 10; ++round) {
    const float mid = 0.5f * (lo + hi);
    float s = 0;
    for (int i = threadIdx.x; i < V; i += B) s += row[i] >= mid ? row[i] : 0.f;
    s = block_sum<B>(s, red);
    if (s >= p) lo = mid, mass = s; else hi = mid;
  }
  if (threadIdx.x == 0) chosen = V;
  const float target = uniform[blockIdx.x] * mass;
  float before = 0;
  for (int i0 = 0; i0 < V; i0 += B) {
    const int i = i0 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float v = i < V && row[i] >= lo ? row[i] : 0.f, inc = v;
    for (int o = 1; o < 32; o *= 2) {
      const float t = __shfl_up_sync(FULL, inc, o);
      if (lane >= o) inc += t;
    }
    __syncthreads();
    if (lane == 31) warp_total[warp] = inc;
    __syncthreads();
    float base = before, all = 0;
    for (int w = 0; w < B / 32; ++w) {
      if (w < warp) base += warp_total[w];
      all += warp_total[w];
    }
    if (v > 0 && base + inc > target) atomicMin(&chosen, i);
    before += all;
    if (before > target) break;
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = chosen;
}

// The K best of each part of a beam's row; every round removes one.
template <int B, int K>
__global__ void beam_topk_stage1(const float* __restrict__ log_probs, const float* __restrict__ beam_scores, float* tmp, int* best_id, float* best_value, int V) {
  __shared__ float sv[B / 32];
  __shared__ int si[B / 32], winner;
  const int row = blockIdx.y, part = blockIdx.x, parts = gridDim.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = part * B + threadIdx.x; i < V; i += parts * B) tmp[row * V + i] = log_probs[row * V + i] + beam_scores[row];
  for (int k = 0; k < K; ++k) {
    float v = -1e30f;
    int id = part * B;
    for (int i = part * B + threadIdx.x; i < V; i += parts * B)
      if (tmp[row * V + i] > v) v = tmp[row * V + i], id = i;
    for (int o = 16; o > 0; o >>= 1) {
      const float ov = __shfl_down_sync(FULL, v, o);
      const int oi = __shfl_down_sync(FULL, id, o);
      if (ov > v) v = ov, id = oi;
    }
    if (lane == 0) sv[warp] = v, si[warp] = id;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 1; w < B / 32; ++w)
        if (sv[w] > v) v = sv[w], id = si[w];
      best_id[(row * parts + part) * K + k] = id, best_value[(row * parts + part) * K + k] = v;
      tmp[row * V + id] = -1e30f;
      winner = id;
    }
    __syncthreads();
  }
}

// Drafted tokens accepted while the target agrees; then one of the rest's distribution.
__global__ void speculative_verify(const float* __restrict__ target, const float* __restrict__ draft, const int* __restrict__ tokens, const float* __restrict__ uniform, int* accepted, int* next, int gamma, int V) {
  __shared__ int stop;
  __shared__ float red[32];
  const int seq = blockIdx.x;
  if (threadIdx.x == 0) {
    int k = 0;
    for (; k < gamma; ++k) {
      const int t = tokens[seq * gamma + k];
      if (uniform[seq * (gamma + 1) + k] * draft[((size_t)seq * gamma + k) * V + t] > target[((size_t)seq * (gamma + 1) + k) * V + t]) break;
    }
    stop = k;
    accepted[seq] = k;
  }
  __syncthreads();
  const int k = stop;
  const float* tp = target + ((size_t)seq * (gamma + 1) + k) * V;
  const float* dp = draft + ((size_t)seq * gamma + min(k, gamma - 1)) * V;
  float sum = 0;
  for (int i = threadIdx.x; i < V; i += 256) sum += fmaxf(tp[i] - (k < gamma ? dp[i] : 0.f), 0.f);
  const float all = block_sum<256>(sum, red);
  // Each thread's part of the sum, in order.
  if (threadIdx.x == 0) next[seq] = all > 0 ? 0 : V - 1;
  __syncthreads();
  const float goal = uniform[seq * (gamma + 1) + gamma] * all / 256;
  float part = 0;
  int last = -1;
  for (int i = threadIdx.x; i < V && part <= goal; i += 256) part += fmaxf(tp[i] - (k < gamma ? dp[i] : 0.f), 0.f), last = i;
  atomicMax(&next[seq], last);
}

// RWKV's time mixing: a channel a thread, with exponents kept apart.
__global__ void wkv_forward(const int B, const int T, const int C, const float* __restrict__ const _w, const float* __restrict__ const _u, const float* __restrict__ const _k, const float* __restrict__ const _v, float* __restrict__ const _y) {
  const int idx = blockIdx.x * blockDim.x + threadIdx.x, _b = idx / C, _c = idx % C, _offset = _b * T * C + _c;
  const float u = _u[_c], w = -__expf(_w[_c]);
  const float* __restrict__ const k = _k + _offset;
  const float* __restrict__ const v = _v + _offset;
  float* __restrict__ const y = _y + _offset;
  float p = 0, q = 0, o = -1e38f;
  for (int i = 0; i < T; i++) {
    const int ii = i * C;
    float no = max(o, u + k[ii]);
    float A = exp(o - no), B_ = exp(u + k[ii] - no);
    y[ii] = (A * p + B_ * v[ii]) / (A * q + B_);
    no = max(w + o, k[ii]);
    A = exp(w + o - no), B_ = exp(k[ii] - no);
    p = A * p + B_ * v[ii];
    q = A * q + B_;
    o = no;
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const float* a = on_device<float>(1 << 22, fraction);
  const float* b = on_device<float>(1 << 22, [](uint32_t i) { return fraction(i * 3 + 1) - 0.5f; });
  float* c = zeros<float>(1 << 23);
  const __half* h = on_device<__half>(1 << 22, [](uint32_t i) { return __float2half(fraction(i) * 4 - 2); });
  __half* ho = zeros<__half>(1 << 22);
  int* io = zeros<int>(1 << 20);
  const int *ids64 = on_device<int>(8192, [](uint32_t i) { return int(64 * fraction(i) * fraction(i + 99)); });

  run("gqa_decode_1024", [&] { gqa_decode<<<dim3(8, 8), 128>>>(b, h, h + (1 << 21), c, (float2*)c + (1 << 20), 1024, 0.0883883f); });
  run("gqa_decode_2000", [&] { gqa_decode<<<dim3(33, 8), 128>>>(b, h, h + (1 << 21), c, (float2*)c + (1 << 20), 2000, 0.0883883f); });
  const int64_t* positions = on_device<int64_t>(256, [](uint32_t i) { return int64_t(i * 7 % 2048); });
  run("rope_qk_cached_256", [&] { rope_qk_cached<<<256, 512>>>(positions, ho, ho + (1 << 20), h, 32, 8, 128); });
  run("rope_qk_cached_8", [&] { rope_qk_cached<<<8, 512>>>(positions, ho, ho + (1 << 20), h, 32, 8, 128); });
  run("moe_align_64", [&] { moe_align<<<1, 1024, 129 * 4>>>(ids64, io, io + 65536, io + 131072, 64, 16, 8192); });
  const int* places = on_device<int>(4096, [](uint32_t i) { return int(i * 1021 % 2048); });
  run("moe_combine_2", [&] { moe_combine<2><<<1024, 128>>>((const uint4*)h, places, a, (uint4*)ho, 256); });
  run("quantize_groups_e4m3", [&] { quantize_groups_e4m3<<<2048, 256>>>((const float4*)b, (unsigned*)c, c + (1 << 21), 16384); });
  const int64_t* slots = on_device<int64_t>(200, [](uint32_t i) { return hashed(i) % 16 == 0 ? int64_t(-1) : int64_t(i % 8 * 128 + i / 8); });
  run("reshape_and_cache", [&] { reshape_and_cache<<<200, 512>>>(h, h + (1 << 20), ho, ho + (1 << 21), slots, 8, 128); });
  std::vector<float> probs(32 * 32000);
  for (uint32_t r = 0; r < 32; ++r) {
    double sum = 0;
    float* p = &probs[r * 32000];
    for (uint32_t i = 0; i < 32000; ++i) sum += p[i] = 1.0f / (1 + hashed(i * 33 + r) % 32000);
    for (uint32_t i = 0; i < 32000; ++i) p[i] = float(p[i] / sum);
  }
  const float* probs_d = on_device(probs);
  run("sample_top_p_1024", [&] { sample_top_p<1024><<<32, 1024>>>(probs_d, a, io, 32000, 0.9f); });
  run("sample_top_p_256", [&] { sample_top_p<256><<<16, 256>>>(probs_d, a, io, 32000, 0.9f); });
  run("beam_topk_stage1", [&] { beam_topk_stage1<128, 8><<<dim3(8, 16), 128>>>(b, a, c, io, c + (1 << 21), 16001); });
  const int* drafted = on_device<int>(64, [](uint32_t i) { return int(hashed(i) % 16000); });
  run("speculative_verify", [&] { speculative_verify<<<8, 256>>>(probs_d, probs_d + 3, drafted, a, io, io + 64, 3, 16000); });
  run("wkv_forward", [&] { wkv_forward<<<256, 32>>>(8, 128, 1024, a, a + 1024, b, b + (1 << 20), c); });
  return 0;
}
