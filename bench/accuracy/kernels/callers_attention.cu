// Pieces of transformers: attention in tiles, with windows, slopes and sinks, heads split and merged, turned positions of images, embeddings, caches, linear attention, and losses.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cases.h"

namespace cg = cooperative_groups;

// Attention within a window: four threads share a query of 64 dimensions, keys and values come in padded tiles.
template <int BR, int BC, int D>
__global__ void window_attention_tile(const __half* __restrict__ Q, const __half* __restrict__ K, const __half* __restrict__ V, __half* __restrict__ O, int T, int window, float scale) {
  __shared__ float ks[BC][D + 1], vs[BC][D + 1];
  const int part = threadIdx.x % 4, row = threadIdx.x / 4, q0 = blockIdx.x * BR;
  const size_t base = (size_t)blockIdx.y * T * D;
  const int query = q0 + row;
  float q[D / 4], o[D / 4], m = -1e30f, l = 0.f;
#pragma unroll
  for (int i = 0; i < D / 4; ++i) {
    q[i] = query < T ? __half2float(Q[base + (size_t)query * D + i * 4 + part]) * scale : 0.f;
    o[i] = 0.f;
  }
  const int first = max(0, q0 - window) / BC * BC, last = min(T, q0 + BR);
  for (int k0 = first; k0 < last; k0 += BC) {
    __syncthreads();
    for (int i = threadIdx.x; i < BC * D / 2; i += blockDim.x) {
      const int r = i / (D / 2), c = i % (D / 2) * 2;
      float2 k = make_float2(0.f, 0.f), v = k;
      if (k0 + r < T) {
        k = __half22float2(*reinterpret_cast<const __half2*>(K + base + (size_t)(k0 + r) * D + c));
        v = __half22float2(*reinterpret_cast<const __half2*>(V + base + (size_t)(k0 + r) * D + c));
      }
      ks[r][c] = k.x, ks[r][c + 1] = k.y;
      vs[r][c] = v.x, vs[r][c + 1] = v.y;
    }
    __syncthreads();
    for (int j = 0; j < BC; ++j) {
      float s = 0.f;
#pragma unroll
      for (int i = 0; i < D / 4; ++i) s += q[i] * ks[j][i * 4 + part];
      s += __shfl_xor_sync(0xffffffffu, s, 1);
      s += __shfl_xor_sync(0xffffffffu, s, 2);
      const int key = k0 + j;
      if (key > query || key < query - window || key >= T) continue;
      const float nm = fmaxf(m, s), keep = __expf(m - nm), p = __expf(s - nm);
      l = l * keep + p;
      m = nm;
#pragma unroll
      for (int i = 0; i < D / 4; ++i) o[i] = o[i] * keep + p * vs[j][i * 4 + part];
    }
  }
  if (query >= T) return;
  const float inv = 1.f / l;
#pragma unroll
  for (int i = 0; i < D / 4; ++i) O[base + (size_t)query * D + i * 4 + part] = __float2half(o[i] * inv);
}

// Scores and softmax with a sink and ALiBi's slopes: a warp a row, eight halves a load.
__global__ void alibi_softmax_half8(const uint4* __restrict__ scores, uint4* __restrict__ out, int rows, int cols8, int heads, float sink) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const int cols = cols8 * 8, head = row / cols % heads, q = row % cols;
  const float slope = exp2f(-8.f * (head + 1) / heads);
  float v[4][8], top = sink;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int c = k * 32 + lane;
    if (c < cols8) {
      const uint4 raw = scores[(size_t)row * cols8 + c];
      const __half* h = reinterpret_cast<const __half*>(&raw);
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const int key = c * 8 + j;
        v[k][j] = key <= q ? __half2float(h[j]) - slope * (q - key) : -1e30f;
        top = fmaxf(top, v[k][j]);
      }
    }
  }
  for (int o = 16; o > 0; o >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, o));
  float sum = 0.f;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (k * 32 + lane < cols8)
#pragma unroll
      for (int j = 0; j < 8; ++j) sum += v[k][j] = __expf(v[k][j] - top);
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  const float inv = 1.f / (sum + __expf(sink - top));
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (k * 32 + lane < cols8) {
      uint4 raw;
      __half2* h = reinterpret_cast<__half2*>(&raw);
#pragma unroll
      for (int j = 0; j < 4; ++j) h[j] = __floats2half2_rn(v[k][2 * j] * inv, v[k][2 * j + 1] * inv);
      out[(size_t)row * cols8 + k * 32 + lane] = raw;
    }
}

// Bias added to queries, keys and values, and their heads brought apart: [B][T][3][H][D] to three [B][H][T][D].
__global__ void qkv_bias_to_heads(const float* __restrict__ qkv, const float* __restrict__ bias, float* __restrict__ q, float* __restrict__ k, float* __restrict__ v, int B, int T, int H, int D) {
  const int hd = H * D, total = B * T * 3 * hd;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
    const int d = i % D, h = i / D % H, which = i / hd % 3, t = i / (3 * hd) % T, b = i / (3 * hd * T);
    const float x = qkv[i] + bias[i % (3 * hd)];
    float* dst = which == 0 ? q : which == 1 ? k : v;
    dst[((b * H + h) * T + t) * D + d] = x;
  }
}

// Positions of a picture's patches: half the pairs turn by the row, half by the column.
__global__ void rope_2d_bf16(__nv_bfloat162* x, int tokens, int heads, int pairs, int width) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int n = tokens * heads * pairs;
  if (i >= n) return;
  int p = i % pairs;
  int token = i / (pairs * heads);
  int pos = p < pairs / 2 ? token / width : token % width;
  float freq = powf(10000.0f, -2.0f * (p % (pairs / 2)) / pairs);
  float s, c;
  sincosf(pos * freq, &s, &c);
  float2 v = __bfloat1622float2(x[i]);
  x[i] = __floats2bfloat162_rn(v.x * c - v.y * s, v.x * s + v.y * c);
}

// Words, positions and segments embedded and normalized: a block a token.
template <int THREADS, int PER>
__global__ void embed_three_norm(const int* __restrict__ words, const unsigned char* __restrict__ segments, const float* __restrict__ word_table, const float* __restrict__ position_table, const float* __restrict__ segment_table, const float* __restrict__ gamma, const float* __restrict__ beta, float* __restrict__ out, int T) {
  constexpr int E = THREADS * PER;
  __shared__ float red[THREADS / 32 + 1];
  const int token = blockIdx.x, w = words[token], s = segments[token];
  float v[PER], sum = 0.f;
#pragma unroll
  for (int k = 0; k < PER; ++k) {
    const int e = k * THREADS + threadIdx.x;
    v[k] = word_table[(size_t)w * E + e] + position_table[(token % T) * E + e] + segment_table[s * E + e];
    sum += v[k];
  }
  auto reduce = [&](float x) {
    for (int o = 16; o > 0; o >>= 1) x += __shfl_xor_sync(0xffffffffu, x, o);
    __syncthreads();
    if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = x;
    __syncthreads();
    float all = 0.f;
#pragma unroll
    for (int i = 0; i < THREADS / 32; ++i) all += red[i];
    return all;
  };
  const float mean = reduce(sum) / E;
  float sq = 0.f;
#pragma unroll
  for (int k = 0; k < PER; ++k) sq += (v[k] - mean) * (v[k] - mean);
  const float inv = rsqrtf(reduce(sq) / E + 1e-12f);
#pragma unroll
  for (int k = 0; k < PER; ++k) {
    const int e = k * THREADS + threadIdx.x;
    out[(size_t)token * E + e] = (v[k] - mean) * inv * gamma[e] + beta[e];
  }
}

// New keys of a step into an 8-bit cache, a scale a head: a warp a head.
__global__ void kv_append_int8(const __half* __restrict__ k, char4* __restrict__ cache, float* __restrict__ scales, const int* __restrict__ lengths, int heads, int capacity) {
  const int b = blockIdx.y, head = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (head >= heads) return;
  const int pos = lengths[b];
  if (pos >= capacity) return;
  const uint2 raw = reinterpret_cast<const uint2*>(k + (b * heads + head) * 128)[lane];
  const float2 a = __half22float2(reinterpret_cast<const __half2*>(&raw)[0]), c = __half22float2(reinterpret_cast<const __half2*>(&raw)[1]);
  float top = fmaxf(fmaxf(fabsf(a.x), fabsf(a.y)), fmaxf(fabsf(c.x), fabsf(c.y)));
  for (int o = 16; o > 0; o >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, o));
  const float inv = top > 0.f ? 127.f / top : 0.f;
  cache[((size_t)(b * heads + head) * capacity + pos) * 32 + lane] = make_char4((signed char)__float2int_rn(a.x * inv), (signed char)__float2int_rn(a.y * inv), (signed char)__float2int_rn(c.x * inv), (signed char)__float2int_rn(c.y * inv));
  if (lane == 0) scales[(b * heads + head) * capacity + pos] = top / 127.f;
}

// Linear attention along the sequence: the state of keys and values is held by a block, a column a thread.
template <int D>
__global__ void linear_attention_scan(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, float* __restrict__ o, int T) {
  __shared__ float sq[D], sk[D];
  float state[D], norm = 0.f;
#pragma unroll
  for (int i = 0; i < D; ++i) state[i] = 0.f;
  const size_t base = (size_t)blockIdx.x * T * D;
  for (int t = 0; t < T; ++t) {
    const float qv = q[base + t * D + threadIdx.x], kv = k[base + t * D + threadIdx.x], vv = v[base + t * D + threadIdx.x];
    __syncthreads();
    sq[threadIdx.x] = qv > 0.f ? qv + 1.f : __expf(qv);
    sk[threadIdx.x] = kv > 0.f ? kv + 1.f : __expf(kv);
    norm += kv > 0.f ? kv + 1.f : __expf(kv);
    __syncthreads();
    float acc = 0.f;
#pragma unroll
    for (int i = 0; i < D; ++i) {
      state[i] += sk[i] * vv;
      acc += sq[i] * state[i];
    }
    o[base + t * D + threadIdx.x] = acc / (1.f + norm);
  }
}

// Scores of a window's heads (Swin): the bias by relative place, the mask of shifted windows, softmax.
__global__ void swin_bias_softmax(float* scores, const float* table, const int* region, int heads, int windows, int side) {
  extern __shared__ float row_value[];
  const int n = side * side;
  const int q = blockIdx.x, head = blockIdx.y % heads, window = blockIdx.y / heads;
  float* s = scores + ((size_t)blockIdx.y * n + q) * n;
  const int mine = region[(window % windows) * n + q];
  for (int k = threadIdx.x; k < n; k += blockDim.x) {
    int dy = q / side - k / side + side - 1, dx = q % side - k % side + side - 1;
    float x = s[k] + table[(dy * (2 * side - 1) + dx) * heads + head];
    if (region[(window % windows) * n + k] != mine) x -= 100.0f;
    row_value[k] = x;
  }
  __syncthreads();
  float top = -1e30f, sum = 0;
  for (int k = 0; k < n; k++) top = fmaxf(top, row_value[k]);
  for (int k = 0; k < n; k++) sum += expf(row_value[k] - top);
  for (int k = threadIdx.x; k < n; k += blockDim.x) s[k] = expf(row_value[k] - top) / sum;
}

// Tokens of a sentence averaged under its mask and scaled to length one.
__global__ void masked_mean_pool(const float* __restrict__ hidden, const int* __restrict__ mask, float* __restrict__ out, int T, int E) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  __shared__ float total;
  if (block.thread_rank() == 0) total = 0.f;
  block.sync();
  const int b = blockIdx.x;
  float part = 0.f;
  for (int e = threadIdx.x; e < E; e += blockDim.x) {
    float sum = 0.f;
    int count = 0;
    for (int t = 0; t < T; ++t) {
      if (mask[b * T + t] == 0) continue;
      sum += hidden[((size_t)b * T + t) * E + e];
      ++count;
    }
    sum /= max(count, 1);
    out[b * E + e] = sum;
    part += sum * sum;
  }
  part = cg::reduce(warp, part, cg::plus<float>());
  if (warp.thread_rank() == 0) atomicAdd(&total, part);
  block.sync();
  const float inv = rsqrtf(total + 1e-9f);
  for (int e = threadIdx.x; e < E; e += blockDim.x) out[b * E + e] *= inv;
}

// Cross entropy with smoothed labels on bf16 logits: loss of a row and the gradient over it.
__global__ __launch_bounds__(512) void smoothed_nll_bf16(const __nv_bfloat16* __restrict__ logits, const long long* __restrict__ labels, float* __restrict__ loss, __nv_bfloat16* __restrict__ grad, int V, float smooth) {
  __shared__ float3 red[16];
  const __nv_bfloat16* x = logits + (size_t)blockIdx.x * V;
  float m = -INFINITY, l = 0.f, all = 0.f;
  for (int i = threadIdx.x; i < V; i += 512) {
    const float v = __bfloat162float(x[i]);
    if (v > m) {
      l *= __expf(m - v);
      m = v;
    }
    l += __expf(v - m);
    all += v;
  }
  for (int o = 16; o > 0; o >>= 1) {
    const float om = __shfl_xor_sync(0xffffffffu, m, o), ol = __shfl_xor_sync(0xffffffffu, l, o), nm = fmaxf(m, om);
    l = l * __expf(m - nm) + ol * __expf(om - nm);
    m = nm;
    all += __shfl_xor_sync(0xffffffffu, all, o);
  }
  if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = make_float3(m, l, all);
  __syncthreads();
  m = red[0].x;
  for (int w = 1; w < 16; ++w) m = fmaxf(m, red[w].x);
  l = all = 0.f;
  for (int w = 0; w < 16; ++w) {
    l += red[w].y * __expf(red[w].x - m);
    all += red[w].z;
  }
  const float lse = m + __logf(l);
  const long long label = labels[blockIdx.x];
  if (threadIdx.x == 0) loss[blockIdx.x] = (1.f - smooth) * (lse - __bfloat162float(x[label])) + smooth * (lse - all / V);
  for (int i = threadIdx.x; i < V; i += 512) {
    float g = __expf(__bfloat162float(x[i]) - lse) - smooth / V;
    if (i == label) g -= 1.f - smooth;
    grad[(size_t)blockIdx.x * V + i] = __float2bfloat16(g);
  }
}

// A margin between an anchor's friend and foe: a warp a triplet, halves.
__global__ void triplet_margin(const __half2* __restrict__ emb, const int3* __restrict__ triplets, float* __restrict__ losses, int count, int dim2, float margin) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  for (int t = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank(); t < count; t += gridDim.x * warp.meta_group_size()) {
    const int3 id = triplets[t];
    float near = 0.f, far = 0.f;
    for (int i = warp.thread_rank(); i < dim2; i += 32) {
      const float2 a = __half22float2(emb[id.x * dim2 + i]), p = __half22float2(emb[id.y * dim2 + i]), n = __half22float2(emb[id.z * dim2 + i]);
      near += (a.x - p.x) * (a.x - p.x) + (a.y - p.y) * (a.y - p.y);
      far += (a.x - n.x) * (a.x - n.x) + (a.y - n.y) * (a.y - n.y);
    }
    for (int o = 16; o > 0; o /= 2) {
      near += warp.shfl_down(near, o);
      far += warp.shfl_down(far, o);
    }
    if (warp.thread_rank() == 0) losses[t] = fmaxf(sqrtf(near) - sqrtf(far) + margin, 0.f);
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const float* a = on_device<float>(1 << 22, fraction);
  const float* b = on_device<float>(1 << 22, [](uint32_t i) { return fraction(i * 3 + 7) - 0.5f; });
  float* c = zeros<float>(1 << 23);
  const __half* h = on_device<__half>(1 << 22, [](uint32_t i) { return __float2half(fraction(i + 77) * 2 - 1); });
  __half* ho = zeros<__half>(1 << 22);
  __nv_bfloat16* bf = on_device<__nv_bfloat16>(1 << 22, [](uint32_t i) { return __float2bfloat16(fraction(i * 11) * 6 - 3); });

  run("window_attention_tile_600", [&] { window_attention_tile<32, 32, 64><<<dim3(19, 12), 128>>>(h, h + (1 << 20), h + (1 << 21), ho, 600, 96, 0.125f); });
  run("window_attention_tile_2048", [&] { window_attention_tile<64, 48, 64><<<dim3(32, 2), 256>>>(h, h + (1 << 20), h + (1 << 21), ho, 2048, 255, 0.125f); });
  run("alibi_softmax_half8_512", [&] { alibi_softmax_half8<<<(12 * 512 + 7) / 8, 256>>>((const uint4*)h, (uint4*)ho, 12 * 512, 64, 12, 0.5f); });
  run("alibi_softmax_half8_1000", [&] { alibi_softmax_half8<<<1000, 128>>>((const uint4*)h, (uint4*)ho, 4000, 125, 4, 0.5f); });
  run("qkv_bias_to_heads", [&] { qkv_bias_to_heads<<<1056, 256>>>(b, a, c, c + (1 << 20), c + (1 << 21), 2, 400, 12, 80); });
  run("rope_2d_bf16", [&] { rope_2d_bf16<<<(576 * 16 * 40 + 255) / 256, 256>>>((__nv_bfloat162*)bf, 576, 16, 40, 24); });
  const int* words = on_device<int>(1200, [](uint32_t i) { return int(hashed(i) % 5000); });
  const unsigned char* segments = on_device<unsigned char>(1200, [](uint32_t i) { return (unsigned char)(i % 300 > 140); });
  run("embed_three_norm_768", [&] { embed_three_norm<256, 3><<<1200, 256>>>(words, segments, a, b, b + 300000, a, b, c, 300); });
  run("embed_three_norm_384", [&] { embed_three_norm<96, 4><<<1200, 96>>>(words, segments, a, b, b + 300000, a, b, c, 300); });
  const int* lengths = on_device<int>(60, [](uint32_t i) { return int(hashed(i) % 66); });
  run("kv_append_int8", [&] { kv_append_int8<<<dim3(2, 60), dim3(32, 6)>>>(h, (char4*)c, c + (1 << 22), lengths, 12, 64); });
  run("linear_attention_scan", [&] { linear_attention_scan<64><<<60, 64>>>(b, b + 1000000, b + 2000000, c, 200); });
  float* scores = on_device<float>(1 << 20, [](uint32_t i) { return 4 * fraction(i * 31) - 2; });
  const int* region = on_device<int>(16 * 49, [](uint32_t i) { return i / 49 == 15 ? int(i % 49 / 7 > 3) * 2 + int(i % 7 > 3) : 0; });
  run("swin_bias_softmax", [&] { swin_bias_softmax<<<dim3(49, 16 * 6), 64, 49 * 4>>>(scores, a, region, 6, 16, 7); });
  const int* mask = on_device<int>(128 * 64, [](uint32_t i) { return int(i % 64 < 12 + i / 64 % 50); });
  run("masked_mean_pool", [&] { masked_mean_pool<<<128, 384>>>(a, mask, c, 64, 384); });
  const long long* labels = on_device<long long>(100, [](uint32_t i) { return (long long)(hashed(i) % 32003); });
  run("smoothed_nll_bf16", [&] { smoothed_nll_bf16<<<100, 512>>>(bf, labels, c, (__nv_bfloat16*)ho, 32003, 0.1f); });
  const int3* triplets = on_device<int3>(20000, [](uint32_t i) { return make_int3(hashed(3 * i) % 8000, hashed(3 * i + 1) % 8000, hashed(3 * i + 2) % 8000); });
  run("triplet_margin", [&] { triplet_margin<<<300, 192>>>((const __half2*)h, triplets, c, 20000, 128, 0.3f); });
  return 0;
}
