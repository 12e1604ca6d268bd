// Kernels with which language and image models are trained and run: packed 16-bit loads, rows in a warp or a block, caches of keys,
// quantized weights. They were written after the model, and all are kept out of tuning.
#include "cases.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

using bf16 = __nv_bfloat16;

// Eight 16-bit numbers in one 128-bit access.
struct alignas(16) Eight {
  bf16 v[8];
  __device__ float operator[](int i) const { return __bfloat162float(v[i]); }
};
__device__ Eight load8(const bf16* at) { return *reinterpret_cast<const Eight*>(at); }
__device__ Eight stream8(const bf16* at) {
  const int4 bits = __ldcs(reinterpret_cast<const int4*>(at));
  return *reinterpret_cast<const Eight*>(&bits);
}
__device__ void store8(bf16* at, const Eight& x) { *reinterpret_cast<Eight*>(at) = x; }
__device__ void stream8(bf16* at, const Eight& x) { __stcs(reinterpret_cast<int4*>(at), *reinterpret_cast<const int4*>(&x)); }

__device__ float warp_sum(float x) {
  for (int offset = 16; offset > 0; offset >>= 1) x += __shfl_xor_sync(0xffffffff, x, offset);
  return x;
}
__device__ float warp_max(float x) {
  for (int offset = 16; offset > 0; offset >>= 1) x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, offset));
  return x;
}
template <class Reduce>
__device__ float block_reduce(float x, float none, Reduce reduce) {
  __shared__ float part[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  x = reduce(x);
  if (lane == 0) part[warp] = x;
  __syncthreads();
  x = reduce(lane < warps ? part[lane] : none);
  __syncthreads();
  return x;
}

__global__ void embed(bf16* out, const int* token, const bf16* word, const bf16* place, int t, int c) {
  const int at = (blockIdx.x * blockDim.x + threadIdx.x) * 8, row = at / c, i = at % c;
  const Eight a = load8(word + token[row] * c + i), b = load8(place + row % t * c + i);
  Eight sum;
  for (int k = 0; k < 8; ++k) sum.v[k] = __float2bfloat16(a[k] + b[k]);
  store8(out + at, sum);
}

// A warp normalizes a row, which it keeps in shared memory.
__global__ void add_and_normalize(bf16* residual, bf16* normed, float* mean, float* rstd, const bf16* in1, const bf16* in2,
                                  const bf16* weight, const bf16* bias, int rows, int c) {
  extern __shared__ float row_data[];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x * (blockDim.x / 32) + warp;
  if (row >= rows) return;
  float* mine = row_data + warp * c;
  float sum = 0;
  for (int i = lane * 8; i < c; i += 256) {
    const Eight a = stream8(in1 + row * c + i), b = stream8(in2 + row * c + i);
    Eight r;
    for (int k = 0; k < 8; ++k) {
      r.v[k] = __float2bfloat16(a[k] + b[k]);
      sum += r[k];
      mine[i + k] = r[k];
    }
    store8(residual + row * c + i, r);
  }
  const float m = warp_sum(sum) / float(c);
  float squares = 0;
  for (int i = lane * 8; i < c; i += 256)
    for (int k = 0; k < 8; ++k) squares += (mine[i + k] - m) * (mine[i + k] - m);
  const float s = rsqrtf(warp_sum(squares) / float(c) + 1e-5f);
  for (int i = lane * 8; i < c; i += 256) {
    const Eight w = load8(weight + i), b = load8(bias + i);
    Eight o;
    for (int k = 0; k < 8; ++k) o.v[k] = __float2bfloat16(s * (mine[i + k] - m) * w[k] + b[k]);
    stream8(normed + row * c + i, o);
  }
  if (lane == 0) mean[row] = m, rstd[row] = s;
}

__global__ void rms_norm(float* out, const float* in, const float* weight, int c) {
  const float* x = in + blockIdx.x * c;
  float squares = 0;
  for (int i = threadIdx.x; i < c; i += blockDim.x) squares += x[i] * x[i];
  const float scale = rsqrtf(block_reduce(squares, 0, warp_sum) / float(c) + 1e-6f);
  for (int i = threadIdx.x; i < c; i += blockDim.x) out[blockIdx.x * c + i] = weight[i] * scale * x[i];
}

// Gradients of rows, and of the weights summed in shared memory, then by atomics.
__global__ void normalize_backward(float* d_in, float* d_weight, float* d_bias, const float* d_out, const float* in,
                                   const float* weight, const float* mean, const float* rstd, int rows, int c) {
  extern __shared__ float sums[];  // c of the weight, c of the bias
  for (int i = threadIdx.x; i < 2 * c; i += blockDim.x) sums[i] = 0;
  __syncthreads();
  const int lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
  for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32; row < rows; row += warps) {
    const float *x = in + row * c, *d = d_out + row * c;
    const float m = mean[row], s = rstd[row];
    float first = 0, second = 0;
    for (int i = lane; i < c; i += 32) {
      const float normed = (x[i] - m) * s, g = weight[i] * d[i];
      first += g, second += g * normed;
    }
    first = warp_sum(first) / float(c), second = warp_sum(second) / float(c);
    for (int i = lane; i < c; i += 32) {
      const float normed = (x[i] - m) * s;
      atomicAdd(&sums[i], d[i] * normed);
      atomicAdd(&sums[c + i], d[i]);
      d_in[row * c + i] += (weight[i] * d[i] - first - normed * second) * s;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < c; i += blockDim.x) {
    atomicAdd(&d_weight[i], sums[i]);
    atomicAdd(&d_bias[i], sums[c + i]);
  }
}

__global__ void gelu(bf16* out, const bf16* in) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  const Eight x = stream8(in + i);
  Eight y;
  for (int k = 0; k < 8; ++k) {
    const float v = x[k];
    y.v[k] = __float2bfloat16(0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v))));
  }
  store8(out + i, y);
}

__global__ void gelu_backward(bf16* gradient, const bf16* in) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  const Eight x = stream8(in + i), d = load8(gradient + i);
  Eight y;
  for (int k = 0; k < 8; ++k) {
    const float v = x[k], u = 0.7978845608f * (v + 0.044715f * v * v * v), th = tanhf(u), ch = coshf(u);
    const float slope = 0.5f * (1 + th) + v * 0.5f / (ch * ch) * 0.7978845608f * (1.0f + 3.0f * 0.044715f * v * v);
    y.v[k] = __float2bfloat16(slope * d[k]);
  }
  store8(gradient + i, y);
}

__global__ void silu_times(float* gate, const float* up, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) gate[i] = gate[i] / (1.0f + __expf(-gate[i])) * up[i];
}

// A warp a row, of which the first t + 1 elements count; maximum and sum in one pass.
__global__ void causal_softmax(float* out, const float* in, float scale, int t, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const int own = row % t;
  const float* x = in + size_t(row) * t;
  const float4* x4 = reinterpret_cast<const float4*>(x);
  float most = -3e38f, sum = 0;
  for (int i = lane; i < (own + 1) / 4; i += 32) {
    const float4 v = x4[i];
    const float before = most;
    most = fmaxf(fmaxf(most, fmaxf(v.x, v.y)), fmaxf(v.z, v.w));
    sum *= expf(scale * (before - most));
    sum += expf(scale * (v.x - most)) + expf(scale * (v.y - most)) + expf(scale * (v.z - most)) + expf(scale * (v.w - most));
  }
  if (const int i = (own + 1) / 4 * 4 + lane; i <= own) {
    const float before = most;
    most = fmaxf(most, x[i]);
    sum = sum * expf(scale * (before - most)) + expf(scale * (x[i] - most));
  }
  const float all_most = warp_max(most);
  sum = warp_sum(sum * expf(scale * (most - all_most)));
  const float norm = 1.0f / sum;
  for (int i = lane; i <= own; i += 32) __stcs(out + size_t(row) * t + i, expf(scale * (__ldcs(x + i) - all_most)) * norm);
}

// A block of 64 queries of one head; keys and values come in tiles of 32.
template <int kHead>
__global__ void attention(float* out, const float* q, const float* k, const float* v, int t, float scale) {
  __shared__ float keys[32][kHead + 1], values[32][kHead];
  const int head = blockIdx.y, query = blockIdx.x * 64 + threadIdx.x;
  const float* mine = q + (size_t(head) * t + query) * kHead;
  float x[kHead], sums[kHead] = {}, most = -3e38f, total = 0;
  for (int i = 0; i < kHead; ++i) x[i] = mine[i] * scale;
  for (int from = 0; from < int(blockIdx.x + 1) * 64; from += 32) {
    for (int i = threadIdx.x; i < 32 * kHead; i += 64) {
      keys[i / kHead][i % kHead] = k[(size_t(head) * t + from) * kHead + i];
      values[i / kHead][i % kHead] = v[(size_t(head) * t + from) * kHead + i];
    }
    __syncthreads();
    for (int j = 0; j < 32 && from + j <= query; ++j) {
      float score = 0;
      for (int i = 0; i < kHead; ++i) score += x[i] * keys[j][i];
      const float before = most;
      most = fmaxf(most, score);
      const float kept = __expf(before - most), weight = __expf(score - most);
      total = total * kept + weight;
      for (int i = 0; i < kHead; ++i) sums[i] = sums[i] * kept + weight * values[j][i];
    }
    __syncthreads();
  }
  for (int i = 0; i < kHead; ++i) out[(size_t(head) * t + query) * kHead + i] = sums[i] / total;
}

// One query against a cache of keys: a block a head.
__global__ void decode(float* out, const float* q, const half* keys, const half* values, int t, int head_size) {
  extern __shared__ float scores[];
  const int head = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const float* query = q + head * head_size;
  for (int i = warp; i < t; i += warps) {
    const half* key = keys + (size_t(head) * t + i) * head_size;
    float score = 0;
    for (int j = lane * 2; j < head_size; j += 64) {
      const float2 two = __half22float2(*reinterpret_cast<const half2*>(key + j));
      score += two.x * query[j] + two.y * query[j + 1];
    }
    score = warp_sum(score);
    if (lane == 0) scores[i] = score * 0.088f;
  }
  __syncthreads();
  float most = -3e38f, sum = 0;
  for (int i = threadIdx.x; i < t; i += blockDim.x) most = fmaxf(most, scores[i]);
  most = block_reduce(most, -3e38f, warp_max);
  for (int i = threadIdx.x; i < t; i += blockDim.x) sum += scores[i] = __expf(scores[i] - most);
  sum = block_reduce(sum, 0, warp_sum);
  for (int j = threadIdx.x; j < head_size; j += blockDim.x) {
    float o = 0;
    for (int i = 0; i < t; ++i) o += scores[i] * __half2float(values[(size_t(head) * t + i) * head_size + j]);
    out[head * head_size + j] = o / sum;
  }
}

__global__ void split_heads(float* q, float* k, float* v, const float* in, int t, int heads, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int d = i % size, place = i / size % t, head = i / size / t % heads, batch = i / size / t / heads;
  const int from = ((batch * t + place) * 3 * heads + head) * size + d;
  q[i] = __ldcs(&in[from]);
  k[i] = __ldcs(&in[from + heads * size]);
  v[i] = __ldcs(&in[from + 2 * heads * size]);
}

__global__ void rotate(float* q, int heads, int size, int first) {
  const int head = blockIdx.y, place = blockIdx.x, i = threadIdx.x;
  const float angle = float(first + place) * powf(10000.0f, -2.0f * float(i) / float(size));
  float s, c;
  sincosf(angle, &s, &c);
  float2* at = reinterpret_cast<float2*>(q + (size_t(place) * heads + head) * size) + i;
  const float2 x = *at;
  *at = {x.x * c - x.y * s, x.x * s + x.y * c};
}

// Loss and gradient of a row of the vocabulary, in place.
__global__ void classify(bf16* logits, float* loss, const int* target, int v, int stride) {
  bf16* x = logits + size_t(blockIdx.x) * stride;
  float most = -3e38f, sum = 0;
  for (int i = int(threadIdx.x) * 8; i < v; i += blockDim.x * 8) {
    const Eight a = load8(x + i);
    for (int k = 0; k < 8; ++k) {
      const float before = most;
      most = fmaxf(most, a[k]);
      sum = sum * expf(before - most) + expf(a[k] - most);
    }
  }
  const float all = block_reduce(most, -3e38f, warp_max);
  sum = block_reduce(sum * expf(most - all), 0, warp_sum);
  const int right = target[blockIdx.x];
  if (threadIdx.x == 0) loss[blockIdx.x] = -logf(expf(__bfloat162float(x[right]) - all) / sum);
  __syncthreads();
  const float scale = 1.0f / sum;
  for (int i = int(threadIdx.x) * 8; i < v; i += blockDim.x * 8) {
    const Eight a = stream8(x + i);
    Eight d;
    for (int k = 0; k < 8; ++k) d.v[k] = __float2bfloat16((expf(a[k] - all) * scale - (i + k == right ? 1.0f : 0.0f)) / 1024.0f);
    stream8(x + i, d);
  }
}

// Sums of columns: four threads along the rows, eight along 64 columns.
__global__ void bias_gradient(float* d_bias, const bf16* d_out, int rows, int c) {
  __shared__ float part[8][32][8];
  const int column = int(blockIdx.x) * 64 + int(threadIdx.y) * 8;
  float sums[8] = {};
  for (int row = blockIdx.y * blockDim.z * 4 + threadIdx.z * 4 + threadIdx.x; row < rows; row += gridDim.y * blockDim.z * 4) {
    const Eight d = load8(d_out + size_t(row) * c + column);
    for (int k = 0; k < 8; ++k) sums[k] += d[k];
  }
  for (int k = 0; k < 8; ++k) {
    float x = sums[k];
    x += __shfl_down_sync(0xffffffff, x, 1, 4);
    x += __shfl_down_sync(0xffffffff, x, 2, 4);
    if (threadIdx.x == 0) part[k][threadIdx.z][threadIdx.y] = x;
  }
  __syncthreads();
  for (int k = threadIdx.z; k < 8; k += blockDim.z) {
    float x = 0;
    for (int r = threadIdx.x; r < int(blockDim.z); r += 4) x += part[k][r][threadIdx.y];
    x += __shfl_down_sync(0xffffffff, x, 1, 4);
    x += __shfl_down_sync(0xffffffff, x, 2, 4);
    if (threadIdx.x == 0) atomicAdd(&d_bias[column + k], x);
  }
}

__device__ unsigned mixed(unsigned a, unsigned b) {
  unsigned m = 198491317u * a + 6542989u * b;
  m *= 0xB5297A4Du;
  m ^= m >> 8;
  m += 0x68E31DA4u;
  m ^= m << 8;
  m *= 0x1B56C4E9u;
  return m ^ m >> 8;
}

// A step of Adam with weight decay; the 16-bit copy is rounded at random.
__global__ void adam(bf16* parameter, float* master, const bf16* gradient, float* m, float* v, int n, float rate, float beta1,
                     float beta2, float correct1, float correct2, float decay, unsigned seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float g = __bfloat162float(gradient[i]);
  float m1 = m[i], v1 = v[i];
  m1 = fmaf(beta1, m1, fmaf(-beta1, g, g));
  v1 = fmaf(beta2, v1, fmaf(-beta2, g * g, g * g));
  m[i] = m1, v[i] = v1;
  const float old = master[i], now = old - rate * (m1 / correct1 / (sqrtf(v1 / correct2) + 1e-8f) + decay * old);
  master[i] = now;
  const unsigned bits = __float_as_uint(now) + (mixed(i, seed) & 0xffff);
  parameter[i] = __float2bfloat16_rz(__uint_as_float(bits));
}

__global__ void square_norm(float* out, const float* in, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i] * in[i];
  sum = block_reduce(sum, 0, warp_sum);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

__global__ void embed_backward(float* d_word, const float* d_out, const int* token, int c) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&d_word[token[at / c] * c + at % c], d_out[at]);
}

// Weights of four bits in blocks of 32 with a scale, times a vector: a warp a row.
struct Block4 {
  half scale;
  unsigned char nibbles[16];
};
__global__ void quantized_rows(float* out, const Block4* weight, const float* x, int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x, blocks = columns / 32;
  float sum = 0;
  for (int b = lane / 4; b < blocks; b += 8) {
    const Block4& w = weight[size_t(row) * blocks + b];
    float part = 0;
    for (int i = lane % 4 * 4; i < lane % 4 * 4 + 4; ++i) {
      part += float((w.nibbles[i] & 15) - 8) * x[b * 32 + i];
      part += float((w.nibbles[i] >> 4) - 8) * x[b * 32 + 16 + i];
    }
    sum += part * __half2float(w.scale);
  }
  sum = warp_sum(sum);
  if (lane == 0) out[row] = sum;
}

__global__ void half_rows(float* out, const half* weight, const float* x, int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  const half2* w = reinterpret_cast<const half2*>(weight + size_t(row) * columns);
  const float2* x2 = reinterpret_cast<const float2*>(x);
  float sum = 0;
  for (int i = threadIdx.x; i < columns / 2; i += 32) {
    const float2 two = __half22float2(w[i]), v = x2[i];
    sum += two.x * v.x + two.y * v.y;
  }
  sum = warp_sum(sum);
  if (threadIdx.x == 0) out[row] = sum;
}

__global__ void quantize_rows(signed char* out, float* scales, const float* in, int c) {
  const float* x = in + size_t(blockIdx.x) * c;
  float most = 0;
  for (int i = threadIdx.x; i < c; i += blockDim.x) most = fmaxf(most, fabsf(x[i]));
  most = block_reduce(most, 0, warp_max);
  const float scale = most > 0 ? 127.0f / most : 0;
  for (int i = threadIdx.x; i < c; i += blockDim.x) out[size_t(blockIdx.x) * c + i] = (signed char)__float2int_rn(x[i] * scale);
  if (threadIdx.x == 0) scales[blockIdx.x] = most / 127.0f;
}

__global__ void dropout(float* out, const float* in, int n, float keep, unsigned seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = float(mixed(i, seed) >> 8) * (1.0f / 16777216.0f) < keep ? in[i] / keep : 0.0f;
}

// 3 x 3, padded by one: a thread a pixel of an output channel.
__global__ void convolution(float* out, const float* in, const float* weight, int channels, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, o = blockIdx.z;
  float sum = 0;
  for (int c = 0; c < channels; ++c) {
    const float* image = in + size_t(c) * n * n;
    const float* w = weight + (o * channels + c) * 9;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        if (y + dy >= 0 && y + dy < n && x + dx >= 0 && x + dx < n) sum += image[(y + dy) * n + x + dx] * w[(dy + 1) * 3 + dx + 1];
  }
  out[(size_t(o) * n + y) * n + x] = fmaxf(sum, 0.0f);
}

__global__ void pool(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % (n / 2), y = i / (n / 2) % (n / 2), c = i / (n / 2) / (n / 2);
  const float* at = in + (size_t(c) * n + 2 * y) * n + 2 * x;
  out[i] = fmaxf(fmaxf(at[0], at[1]), fmaxf(at[n], at[n + 1]));
}

__global__ void channel_statistics(float* mean, float* variance, const float* in, int count) {
  const float* x = in + size_t(blockIdx.x) * count;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x) sum += x[i], squares += x[i] * x[i];
  sum = block_reduce(sum, 0, warp_sum), squares = block_reduce(squares, 0, warp_sum);
  if (threadIdx.x == 0) mean[blockIdx.x] = sum / float(count), variance[blockIdx.x] = squares / float(count) - sum * sum / float(count) / float(count);
}

__global__ void most_likely(int* out, const float* logits, int v) {
  __shared__ float best[256];
  __shared__ int where[256];
  const float* x = logits + size_t(blockIdx.x) * v;
  float most = -3e38f;
  int at = 0;
  for (int i = threadIdx.x; i < v; i += 256)
    if (x[i] > most) most = x[i], at = i;
  best[threadIdx.x] = most, where[threadIdx.x] = at;
  for (int half = 128; half > 0; half >>= 1) {
    __syncthreads();
    if (int(threadIdx.x) < half && best[threadIdx.x + half] > best[threadIdx.x])
      best[threadIdx.x] = best[threadIdx.x + half], where[threadIdx.x] = where[threadIdx.x + half];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = where[0];
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const int t = 1024, c = 768, rows = 4 * t, heads = 12, size = 64, vocabulary = 50304, wide = 4096;
  const auto small = +[](uint32_t i) { return __float2bfloat16(fraction(i) - 0.5f); };
  const auto number = +[](uint32_t i) { return fraction(i) - 0.5f; };
  bf16 *a = on_device<bf16>(rows * c * 4, small), *b = on_device<bf16>(rows * c * 4, small), *o16 = zeros<bf16>(rows * c * 4);
  bf16* words = on_device<bf16>(8192 * c, small);
  float *x = on_device<float>(rows * c * 3, number), *y = on_device<float>(rows * c, number), *z = zeros<float>(rows * c * 3);
  float *w = on_device<float>(wide, number), *s1 = on_device<float>(rows, number), *s2 = on_device<float>(rows, number);
  float *g1 = zeros<float>(wide), *g2 = zeros<float>(8192 * c);
  int* token = on_device<int>(rows, +[](uint32_t i) { return int(hashed(i) % 8192); });
  bf16 *w16 = on_device<bf16>(c, small), *b16 = on_device<bf16>(c, small);

  run("embed", [&] { embed<<<rows * c / 8 / 256, 256>>>(o16, token, words, a, t, c); });
  run("add_and_normalize_b128", [&] { add_and_normalize<<<rows / 4, 128, 4 * c * 4>>>(o16, o16 + rows * c, s1, s2, a, b, w16, b16, rows, c); });
  run("add_and_normalize_b512", [&] { add_and_normalize<<<rows / 16, 512, 16 * c * 4>>>(o16, o16 + rows * c, s1, s2, a, b, w16, b16, rows, c); });
  run("rms_norm", [&] { rms_norm<<<512, 256>>>(z, x, w, wide); });
  run("normalize_backward", [&] { normalize_backward<<<264, 512, 2 * c * 4>>>(z, g1, g1 + c, y, x, w, s1, s2, rows, c); });
  run("gelu", [&] { gelu<<<rows * c * 4 / 8 / 128, 128>>>(o16, a); });
  run("gelu_backward", [&] { gelu_backward<<<rows * c * 4 / 8 / 128, 128>>>(b, a); });
  run("silu_times", [&] { silu_times<<<rows * c / 256, 256>>>(z, y, rows * c); });
  run("causal_softmax", [&] { causal_softmax<<<8 * t * 32 / 256, 256>>>(z, x, 0.125f, t, 8 * t); });
  run("attention_64", [&] { attention<64><<<dim3(t / 64, heads), 64>>>(z, x, x + rows * c, x + 2 * rows * c, t, 0.125f); });
  run("attention_32", [&] { attention<32><<<dim3(t / 64, 32), 64>>>(z, x, x + rows * c, x + 2 * rows * c, t, 0.18f); });
  run("split_heads", [&] { split_heads<<<rows * c / 256, 256>>>(z, z + rows * c, z + 2 * rows * c, x, t, heads, size); });
  run("rotate", [&] { rotate<<<dim3(t, heads), size / 2>>>(z, heads, size, 0); });
  run("bias_gradient_1", [&] { bias_gradient<<<dim3(c / 64, 1), dim3(4, 8, 32)>>>(g1, a, rows, c); });
  run("bias_gradient_11", [&] { bias_gradient<<<dim3(c / 64, 11), dim3(4, 8, 32)>>>(g1, a, rows, c); });
  run("adam", [&] { adam<<<rows * c / 512, 512>>>(o16, z, a, x, y, rows * c, 1e-3f, 0.9f, 0.95f, 0.1f, 0.05f, 0.1f, 42); });
  run("square_norm", [&] { square_norm<<<264, 512>>>(g1, x, rows * c * 3); });
  run("embed_backward", [&] { embed_backward<<<rows * c / 256, 256>>>(g2, x, token, c); });
  run("dropout", [&] { dropout<<<rows * c / 256, 256>>>(z, x, rows * c, 0.9f, 7); });
  run("quantize_rows", [&] { quantize_rows<<<rows, 128>>>(reinterpret_cast<signed char*>(o16), s1, x, c); });

  bf16* logits = on_device<bf16>(size_t(vocabulary) * 256, small);
  run("classify_b1024", [&] { classify<<<256, 1024>>>(logits, s1, token, 50257, vocabulary); });
  run("classify_b256", [&] { classify<<<256, 256>>>(logits, s1, token, 50257, vocabulary); });

  const half* cache = on_device<half>(2 * 32 * 2048 * 128, +[](uint32_t i) { return __float2half(fraction(i) - 0.5f); });
  run("decode_2048", [&] { decode<<<32, 256, 2048 * 4>>>(z, x, cache, cache + 32 * 2048 * 128, 2048, 128); });
  run("decode_256", [&] { decode<<<32, 128, 256 * 4>>>(z, x, cache, cache + 32 * 2048 * 128, 256, 128); });
  run("half_rows", [&] { half_rows<<<wide / 4, dim3(32, 4)>>>(z, cache, x, wide); });
  const Block4* packed = reinterpret_cast<const Block4*>(cache);  // any bits are weights
  run("quantized_rows", [&] { quantized_rows<<<wide / 4, dim3(32, 4)>>>(z, packed, y, 4096); });
  run("most_likely", [&] { most_likely<<<32, 256>>>(token, x, vocabulary); });

  const int n = 128;
  float* image = on_device<float>(64 * n * n, number);
  float* kernel = on_device<float>(64 * 64 * 9, number);
  run("convolution_16", [&] { convolution<<<dim3(n / 16, n / 16, 32), dim3(16, 16)>>>(z, image, kernel, 16, n); });
  run("convolution_64", [&] { convolution<<<dim3(n / 32, n / 4, 64), dim3(32, 4)>>>(z, image, kernel, 64, n); });
  run("pool", [&] { pool<<<64 * n * n / 4 / 256, 256>>>(z, image, n); });
  run("channel_statistics", [&] { channel_statistics<<<64, 512>>>(s1, s2, image, n * n); });
}
