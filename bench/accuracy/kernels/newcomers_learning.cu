// Kernels of learning in forms that no other file here has: decoding in parts, rows of int8, blocks of 4-bit weights, convolutions by tiles, bags of embeddings.
#include <cuda_fp16.h>

#include <cfloat>

#include "cases.h"

__device__ __forceinline__ float warp_sum(float v) {
  for (int mask = 16; mask > 0; mask >>= 1) v += __shfl_xor_sync(0xffffffffu, v, mask);
  return v;
}
__device__ __forceinline__ float warp_max(float v) {
  for (int mask = 16; mask > 0; mask >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, mask));
  return v;
}

// One query against a part of the keys: a warp a key, then the part's maximum, sum and mean of values.
template <int D>
__global__ void decode_part(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, float* part_out, float* part_stats, int keys, float scale) {
  extern __shared__ float scores[];
  __shared__ float query[D];
  __shared__ float red[32];
  const int head = blockIdx.y, per = (keys + gridDim.x - 1) / gridDim.x, first = blockIdx.x * per, last = min(keys, first + per);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int i = threadIdx.x; i < D; i += blockDim.x) query[i] = q[head * D + i] * scale;
  __syncthreads();
  float most = -FLT_MAX;
  for (int j = first + warp; j < last; j += warps) {
    const float* row = k + ((size_t)head * keys + j) * D;
    float s = 0;
#pragma unroll
    for (int i = lane; i < D; i += 32) s += query[i] * row[i];
    s = warp_sum(s);
    if (lane == 0) scores[j - first] = s;
    most = fmaxf(most, s);
  }
  if (lane == 0) red[warp] = most;
  __syncthreads();
  most = lane < warps ? red[lane] : -FLT_MAX;
  most = warp_max(most);
  __syncthreads();
  float sum = 0;
  for (int j = threadIdx.x; j < last - first; j += blockDim.x) {
    const float e = __expf(scores[j] - most);
    scores[j] = e;
    sum += e;
  }
  sum = warp_sum(sum);
  if (lane == 0) red[warp] = sum;
  __syncthreads();
  sum = warp_sum(lane < warps ? red[lane] : 0.0f);
  for (int i = threadIdx.x; i < D; i += blockDim.x) {
    float acc = 0;
    for (int j = 0; j < last - first; ++j) acc += scores[j] * v[((size_t)head * keys + first + j) * D + i];
    part_out[((size_t)head * gridDim.x + blockIdx.x) * D + i] = acc;
  }
  if (threadIdx.x == 0) {
    part_stats[2 * (head * gridDim.x + blockIdx.x)] = most;
    part_stats[2 * (head * gridDim.x + blockIdx.x) + 1] = sum;
  }
}

__global__ void rmsnorm_backward(const float* x, const float* w, const float* dy, float* dx, int n) {
  __shared__ float s_sq[8], s_dot[8];
  const float* xr = x + (size_t)blockIdx.x * n;
  const float* gr = dy + (size_t)blockIdx.x * n;
  float sq = 0, dot = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    sq += xr[i] * xr[i];
    dot += gr[i] * w[i] * xr[i];
  }
  sq = warp_sum(sq), dot = warp_sum(dot);
  if (threadIdx.x % 32 == 0) s_sq[threadIdx.x / 32] = sq, s_dot[threadIdx.x / 32] = dot;
  __syncthreads();
  sq = 0, dot = 0;
  for (int i = 0; i < blockDim.x / 32; ++i) sq += s_sq[i], dot += s_dot[i];
  const float r = rsqrtf(sq / n + 1e-6f), c = dot * r * r * r / n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) dx[(size_t)blockIdx.x * n + i] = gr[i] * w[i] * r - xr[i] * c;
}

__global__ void quantize_rows_absmax(const float4* x, char4* q, float* scales, int n4) {
  __shared__ float red[32];
  const float4* row = x + (size_t)blockIdx.x * n4;
  float most = 0;
  for (int i = threadIdx.x; i < n4; i += blockDim.x) {
    const float4 v = row[i];
    most = fmaxf(most, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
  }
  most = warp_max(most);
  if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = most;
  __syncthreads();
  if (threadIdx.x < 32) {
    most = threadIdx.x < blockDim.x / 32 ? red[threadIdx.x] : 0;
    most = warp_max(most);
    if (threadIdx.x == 0) red[0] = most;
  }
  __syncthreads();
  const float scale = red[0] / 127.0f, inverse = scale > 0 ? 1.0f / scale : 0.0f;
  for (int i = threadIdx.x; i < n4; i += blockDim.x) {
    const float4 v = row[i];
    q[(size_t)blockIdx.x * n4 + i] = make_char4((signed char)__float2int_rn(v.x * inverse), (signed char)__float2int_rn(v.y * inverse),
                                                (signed char)__float2int_rn(v.z * inverse), (signed char)__float2int_rn(v.w * inverse));
  }
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;
}

// Blocks of 32 weights: a scale and 16 bytes of two weights each.
struct Block4 {
  half d;
  unsigned char qs[16];
};
__global__ void gemv_blocks_of_4bit(const Block4* __restrict__ w, const float* __restrict__ x, float* y, int blocks_a_row) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int b = threadIdx.x; b < blocks_a_row; b += 32) {
    const Block4* block = &w[(size_t)row * blocks_a_row + b];
    const float d = __half2float(block->d);
    float s = 0;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const int byte = block->qs[i];
      s += x[b * 32 + i] * ((byte & 15) - 8) + x[b * 32 + i + 16] * ((byte >> 4) - 8);
    }
    sum += d * s;
  }
  sum = warp_sum(sum);
  if (threadIdx.x == 0) y[row] = sum;
}

// 3x3 convolution of several channels, a tile of 16x16 pixels a block, four output channels a thread.
__global__ void conv3x3_tile(const float* __restrict__ in, const float* __restrict__ weights, float* out, int channels, int outs, int h, int w) {
  __shared__ float tile[18][18 + 1];
  const int x0 = blockIdx.x * 16, y0 = blockIdx.y * 16, out0 = blockIdx.z * 4;
  float acc[4] = {0, 0, 0, 0};
  for (int c = 0; c < channels; ++c) {
    for (int i = threadIdx.y * 16 + threadIdx.x; i < 18 * 18; i += 256) {
      const int y = y0 + i / 18 - 1, x = x0 + i % 18 - 1;
      tile[i / 18][i % 18] = (y >= 0 && y < h && x >= 0 && x < w) ? in[(c * h + y) * w + x] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int o = 0; o < 4; ++o) {
      const float* k = weights + ((out0 + o) * channels + c) * 9;
#pragma unroll
      for (int i = 0; i < 9; ++i) acc[o] += k[i] * tile[threadIdx.y + i / 3][threadIdx.x + i % 3];
    }
    __syncthreads();
  }
#pragma unroll
  for (int o = 0; o < 4; ++o) out[((out0 + o) * h + y0 + threadIdx.y) * w + x0 + threadIdx.x] = fmaxf(acc[o], 0.0f);
}

__global__ void embedding_bag(const float* __restrict__ table, const int* __restrict__ ids, const int* __restrict__ offsets, float* out, int bags, int dim) {
  const int bag = blockIdx.x * blockDim.y + threadIdx.y;
  if (bag >= bags) return;
  const int begin = offsets[bag], end = offsets[bag + 1];
  for (int d = threadIdx.x; d < dim; d += blockDim.x) {
    float s = 0;
    for (int i = begin; i < end; ++i) s += table[(size_t)ids[i] * dim + d];
    out[(size_t)bag * dim + d] = s / max(1, end - begin);
  }
}

// log softmax of long rows: running maximum and sum of each thread, joined at the end.
__global__ void log_softmax_online(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float s_m[32], s_s[32];
  const float* row = x + (size_t)blockIdx.x * n;
  float m = -INFINITY, s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const float v = row[i];
    if (v > m) {
      s = s * expf(m - v) + 1.0f;
      m = v;
    } else {
      s += expf(v - m);
    }
  }
  for (int d = 16; d > 0; d >>= 1) {
    const float om = __shfl_down_sync(0xffffffffu, m, d), os = __shfl_down_sync(0xffffffffu, s, d);
    const float nm = fmaxf(m, om);
    s = s * expf(m - nm) + os * expf(om - nm);
    m = nm;
  }
  if (threadIdx.x % 32 == 0) s_m[threadIdx.x / 32] = m, s_s[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < blockDim.x / 32; ++i) {
      const float nm = fmaxf(m, s_m[i]);
      s = s * expf(m - nm) + s_s[i] * expf(s_m[i] - nm);
      m = nm;
    }
    s_m[0] = m + logf(s);
  }
  __syncthreads();
  const float norm = s_m[0];
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[(size_t)blockIdx.x * n + i] = row[i] - norm;
}

// The k largest of a row by sorting pairs in shared memory.
__global__ void topk_bitonic(const float* x, float* values, int* indices, int k) {
  __shared__ float key[1024];
  __shared__ int at[1024];
  const int t = threadIdx.x;
  key[t] = x[(size_t)blockIdx.x * 1024 + t], at[t] = t;
  key[t + 512] = x[(size_t)blockIdx.x * 1024 + t + 512], at[t + 512] = t + 512;
  for (int size = 2; size <= 1024; size <<= 1)
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      const int i = 2 * t - (t & (stride - 1)), j = i + stride;
      const bool down = (i & size) == 0;
      if ((key[i] < key[j]) == down) {
        const float v = key[i];
        const int a = at[i];
        key[i] = key[j], at[i] = at[j];
        key[j] = v, at[j] = a;
      }
    }
  __syncthreads();
  if (t < k) values[blockIdx.x * k + t] = key[t], indices[blockIdx.x * k + t] = at[t];
}

// y += (x A) B with a rank of 16: a block a row.
__global__ void lora_row(const float* __restrict__ x, const float* __restrict__ a, const float* __restrict__ b, float* y, int n, int m, float alpha) {
  __shared__ float middle[16];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int r = warp; r < 16; r += blockDim.x / 32) {
    float s = 0;
    for (int i = lane; i < n; i += 32) s += x[(size_t)blockIdx.x * n + i] * a[r * n + i];
    s = warp_sum(s);
    if (lane == 0) middle[r] = s * alpha;
  }
  __syncthreads();
  for (int j = threadIdx.x; j < m; j += blockDim.x) {
    float s = 0;
#pragma unroll
    for (int r = 0; r < 16; ++r) s += middle[r] * b[r * m + j];
    y[(size_t)blockIdx.x * m + j] += s;
  }
}

// Eight halves a thread: bias and hard swish.
__global__ void hardswish_bias_half8(const uint4* x, const uint4* bias, uint4* y, int n8, int row8) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n8) return;
  uint4 v = x[i], b = bias[i % row8];
  half2* h = (half2*)&v;
  const half2* c = (const half2*)&b;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    float2 f = __half22float2(__hadd2(h[j], c[j]));
    f.x *= fminf(fmaxf(f.x + 3.0f, 0.0f), 6.0f) * (1.0f / 6.0f);
    f.y *= fminf(fmaxf(f.y + 3.0f, 0.0f), 6.0f) * (1.0f / 6.0f);
    h[j] = __floats2half2_rn(f.x, f.y);
  }
  y[i] = v;
}

__global__ void adaptive_avg_pool(const float* in, float* out, int channels, int h, int w, int oh, int ow) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= channels * oh * ow) return;
  const int x = i % ow, y = i / ow % oh, c = i / (ow * oh);
  const int y0 = y * h / oh, y1 = ((y + 1) * h + oh - 1) / oh, x0 = x * w / ow, x1 = ((x + 1) * w + ow - 1) / ow;
  float s = 0;
  for (int yy = y0; yy < y1; ++yy)
    for (int xx = x0; xx < x1; ++xx) s += in[(c * h + yy) * w + xx];
  out[i] = s / ((y1 - y0) * (x1 - x0));
}

// Focal loss with its gradient, one class a thread.
__global__ void focal_loss(const float* logits, const int* labels, float* loss, float* grad, int n, int classes, float gamma, float alpha) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * classes; i += gridDim.x * blockDim.x) {
    const int row = i / classes, c = i % classes;
    const float x = logits[i], p = 1.0f / (1.0f + expf(-x));
    const bool hit = labels[row] == c;
    const float pt = hit ? p : 1.0f - p, a = hit ? alpha : 1.0f - alpha;
    const float logpt = logf(fmaxf(pt, 1e-7f)), power = powf(1.0f - pt, gamma);
    loss[i] = -a * power * logpt;
    grad[i] = (hit ? -1.0f : 1.0f) * a * power * (1.0f - pt - gamma * pt * logpt);
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const float* a = on_device<float>(1 << 24, fraction);
  const float* b = on_device<float>(1 << 22, fraction);
  float* c = zeros<float>(1 << 24);
  float* d = zeros<float>(1 << 20);
  run("decode_part_64", [&] { decode_part<64><<<dim3(8, 32), 128, 4096>>>(b, a, a + 100, c, d, 2048, 0.125f); });
  run("decode_part_128", [&] { decode_part<128><<<dim3(4, 16), 256, 8192>>>(b, a, a + 100, c, d, 4096, 0.088f); });
  run("rmsnorm_backward", [&] { rmsnorm_backward<<<2048, 256>>>(a, b, a + 64, c, 2048); });
  run("quantize_rows_absmax_512", [&] { quantize_rows_absmax<<<512, 256>>>((const float4*)a, (char4*)c, d, 1024); });
  run("quantize_rows_absmax_4096", [&] { quantize_rows_absmax<<<4096, 128>>>((const float4*)a, (char4*)c, d, 256); });
  run("gemv_blocks_of_4bit", [&] { gemv_blocks_of_4bit<<<1024, dim3(32, 4)>>>((const Block4*)a, b, d, 128); });
  run("conv3x3_tile", [&] { conv3x3_tile<<<dim3(8, 8, 8), dim3(16, 16)>>>(a, b, c, 32, 32, 128, 128); });
  std::vector<int> ids(1 << 16), offsets(2049);
  for (uint32_t i = 0; i < ids.size(); ++i) ids[i] = int(hashed(i) % 60000);
  for (uint32_t i = 0; i <= 2048; ++i) offsets[i] = int(i * 31 + hashed(i) % 20);
  const int *id = on_device(ids), *offset = on_device(offsets);
  run("embedding_bag", [&] { embedding_bag<<<512, dim3(64, 4)>>>(a, id, offset, c, 2048, 128); });
  run("log_softmax_online_32000", [&] { log_softmax_online<<<264, 512>>>(a, c, 32000); });
  run("log_softmax_online_1000", [&] { log_softmax_online<<<2048, 128>>>(a, c, 1000); });
  run("topk_bitonic", [&] { topk_bitonic<<<1024, 512>>>(a, c, (int*)d, 32); });
  run("lora_row", [&] { lora_row<<<512, 256>>>(a, b, b + 65536, c, 2048, 2048, 2.0f); });
  run("hardswish_bias_half8", [&] { hardswish_bias_half8<<<4096, 256>>>((const uint4*)a, (const uint4*)b, (uint4*)c, 1 << 20, 256); });
  run("adaptive_avg_pool_7", [&] { adaptive_avg_pool<<<196, 256>>>(a, c, 1024, 60, 60, 7, 7); });
  const int* labels = on_device<int>(1 << 16, [](uint32_t i) { return int(hashed(i) % 90); });
  run("focal_loss", [&] { focal_loss<<<1056, 256>>>(a, labels, c, c + (1 << 22), 20000, 90, 2.0f, 0.25f); });
  return 0;
}
