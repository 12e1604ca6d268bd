// Models that learn: losses and their slopes, optimizers, layers backwards, graphs of neighbours, random fields, indexing.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cases.h"

namespace cg = cooperative_groups;
using bf16 = __nv_bfloat16;

#define FULL 0xffffffffu
#define GRID_STRIDE(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

template <typename T>
__inline__ __device__ T warpReduceSum(T val) {
  for (int mask = 16; mask > 0; mask >>= 1) val += __shfl_xor_sync(FULL, val, mask, 32);
  return val;
}
template <typename T>
__inline__ __device__ T blockReduceSum(T val) {
  static __shared__ T shared[32];
  int lane = threadIdx.x & 0x1f;
  int wid = threadIdx.x >> 5;
  val = warpReduceSum<T>(val);
  if (lane == 0) shared[wid] = val;
  __syncthreads();
  val = (threadIdx.x < (blockDim.x / 32.f)) ? shared[lane] : (T)(0.0f);
  val = warpReduceSum<T>(val);
  if (threadIdx.x == 0) shared[0] = val;
  __syncthreads();
  val = shared[0];
  __syncthreads();
  return val;
}
__inline__ __device__ float blockReduceMax(float val) {
  static __shared__ float shared[32];
  for (int mask = 16; mask > 0; mask >>= 1) val = fmaxf(val, __shfl_xor_sync(FULL, val, mask, 32));
  if ((threadIdx.x & 31) == 0) shared[threadIdx.x >> 5] = val;
  __syncthreads();
  val = threadIdx.x % 32 < blockDim.x / 32 ? shared[threadIdx.x & 31] : -1e30f;
  for (int mask = 16; mask > 0; mask >>= 1) val = fmaxf(val, __shfl_xor_sync(FULL, val, mask, 32));
  __syncthreads();
  return val;
}

// ---- losses ----

// A teacher's distribution and a student's: the divergence of rows at a temperature, and its slope.
__global__ void distill_kl_rows(const float* student, const float* teacher, float* grad, float* loss, int cols, float inv_t) {
  const float* s = student + (size_t)blockIdx.x * cols;
  const float* t = teacher + (size_t)blockIdx.x * cols;
  float ms = -1e30f, mt = -1e30f;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    ms = fmaxf(ms, s[i] * inv_t);
    mt = fmaxf(mt, t[i] * inv_t);
  }
  ms = blockReduceMax(ms);
  mt = blockReduceMax(mt);
  float ss = 0, st = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    ss += expf(s[i] * inv_t - ms);
    st += expf(t[i] * inv_t - mt);
  }
  ss = blockReduceSum<float>(ss);
  st = blockReduceSum<float>(st);
  float ls = logf(ss) + ms, lt = logf(st) + mt, kl = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    float lp = s[i] * inv_t - ls, lq = t[i] * inv_t - lt, q = expf(lq);
    kl += q * (lq - lp);
    grad[(size_t)blockIdx.x * cols + i] = (expf(lp) - q) * inv_t;
  }
  kl = blockReduceSum<float>(kl);
  if (threadIdx.x == 0) loss[blockIdx.x] = kl;
}

// Margins of angles between a face and its class: in place on cosines, a row a block.
__global__ void angular_margin(__half* __restrict__ cosines, const int* __restrict__ labels, int classes, float cos_m, float sin_m, float threshold, float scale) {
  __half2* row = reinterpret_cast<__half2*>(cosines + (size_t)blockIdx.x * classes);
  const int label = labels[blockIdx.x];
  for (int i = threadIdx.x; i < classes / 2; i += blockDim.x) {
    float2 v = __half22float2(row[i]);
    if (i == label / 2) {
      float& c = label & 1 ? v.y : v.x;
      const float s = sqrtf(fmaxf(0.f, 1.f - c * c));
      c = c > threshold ? c * cos_m - s * sin_m : c - sin_m * 0.5f;
    }
    row[i] = __floats2half2_rn(v.x * scale, v.y * scale);
  }
}

// Preferences: sums of token log-probabilities of pairs of answers, the loss and the weight of its slope; a warp a pair.
__global__ void preference_pairs(const bf16* __restrict__ policy, const bf16* __restrict__ reference, const int2* __restrict__ spans, float* __restrict__ loss, float2* __restrict__ weight, int pairs, int max_len, float beta) {
  const int p = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (p >= pairs) return;
  float margin = 0.f;
#pragma unroll
  for (int side = 0; side < 2; ++side) {
    const int2 span = spans[p * 2 + side];
    const size_t base = (size_t)(p * 2 + side) * max_len;
    float sum = 0.f;
    for (int i = span.x + lane; i < span.y; i += 32) sum += __bfloat162float(policy[base + i]) - __bfloat162float(reference[base + i]);
    sum = warpReduceSum(sum);
    margin += side ? -sum : sum;
  }
  if (lane == 0) {
    const float x = beta * margin, sig = 1.f / (1.f + __expf(x));
    loss[p] = x > 0 ? log1pf(__expf(-x)) : -x + log1pf(__expf(x));
    weight[p] = make_float2(-beta * sig, beta * sig);
  }
}

// Transducers: forward variables along diagonals, a block an utterance, a thread a label position.
__global__ void transducer_alphas(const float* __restrict__ blank, const float* __restrict__ emit, float* __restrict__ alpha, const int* __restrict__ frames, const int* __restrict__ labels, int T, int U) {
  const int b = blockIdx.x, u = threadIdx.x, t_len = frames[b], u_len = labels[b] + 1;
  const size_t base = (size_t)b * T * U;
  if (u == 0) alpha[base] = 0.f;
  __syncthreads();
  for (int n = 1; n < t_len + u_len - 1; ++n) {
    const int t = n - u;
    if (u < u_len && t >= 0 && t < t_len) {
      const float skip = t > 0 ? alpha[base + (size_t)(t - 1) * U + u] + blank[base + (size_t)(t - 1) * U + u] : -1e30f;
      const float word = u > 0 ? alpha[base + (size_t)t * U + u - 1] + emit[base + (size_t)t * U + u - 1] : -1e30f;
      const float most = fmaxf(skip, word);
      alpha[base + (size_t)t * U + u] = most + log1pf(expf(fminf(skip, word) - most));
    }
    __syncthreads();
  }
}

// Sequences of tags: logarithms of sums over all paths, a warp a sentence, a tag a lane, transitions in shared memory.
__global__ void crf_log_partition(const float* __restrict__ emissions, const float* __restrict__ transitions, const int* __restrict__ lengths, float* __restrict__ out, int sentences, int max_len) {
  __shared__ float trans[32 * 33];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) trans[i / 32 * 33 + i % 32] = transitions[i];
  __syncthreads();
  const int s = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, tag = threadIdx.x & 31;
  if (s >= sentences) return;
  const float* e = emissions + (size_t)s * max_len * 32;
  float a = e[tag];
  for (int t = 1; t < lengths[s]; ++t) {
    float m = -1e30f;
    for (int k = 0; k < 32; ++k) m = fmaxf(m, __shfl_sync(FULL, a, k) + trans[k * 33 + tag]);
    float sum = 0.f;
    for (int k = 0; k < 32; ++k) sum += __expf(__shfl_sync(FULL, a, k) + trans[k * 33 + tag] - m);
    a = m + __logf(sum) + e[t * 32 + tag];
  }
  float m = a;
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(FULL, m, o));
  const float total = warpReduceSum(__expf(a - m));
  if (tag == 0) out[s] = m + logf(total);
}

// Sparse probabilities (sparsemax) of rows of 256 by bisection: eight numbers a lane, a warp a row.
__global__ void sparse_softmax_256(const float4* __restrict__ in, float4* __restrict__ out, int rows) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float4 a = in[row * 64 + lane], b = in[row * 64 + 32 + lane];
  const float v[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
  float m = -1e30f;
  for (int k = 0; k < 8; ++k) m = fmaxf(m, v[k]);
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(FULL, m, o));
  float lo = m - 1.f, hi = m;
  for (int it = 0; it < 20; ++it) {
    const float mid = 0.5f * (lo + hi);
    float s = 0.f;
#pragma unroll
    for (int k = 0; k < 8; ++k) s += fmaxf(0.f, v[k] - mid);
    s = warpReduceSum(s);
    if (s >= 1.f)
      lo = mid;
    else
      hi = mid;
  }
  const float tau = 0.5f * (lo + hi);
  out[row * 64 + lane] = make_float4(fmaxf(0.f, a.x - tau), fmaxf(0.f, a.y - tau), fmaxf(0.f, a.z - tau), fmaxf(0.f, a.w - tau));
  out[row * 64 + 32 + lane] = make_float4(fmaxf(0.f, b.x - tau), fmaxf(0.f, b.y - tau), fmaxf(0.f, b.z - tau), fmaxf(0.f, b.w - tau));
}

// Costs between queries and targets of a detector: classes, boxes and overlaps in a matrix.
__global__ void assignment_costs(const float* __restrict__ probabilities, const float4* __restrict__ boxes, const int* __restrict__ labels, const float4* __restrict__ targets, float* __restrict__ cost, int queries, int n, int classes) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, q = blockIdx.y;
  if (t >= n) return;
  const float4 a = boxes[q], b = targets[t];
  const float l1 = fabsf(a.x - b.x) + fabsf(a.y - b.y) + fabsf(a.z - b.z) + fabsf(a.w - b.w);
  const float ax0 = a.x - a.z * 0.5f, ax1 = a.x + a.z * 0.5f, ay0 = a.y - a.w * 0.5f, ay1 = a.y + a.w * 0.5f;
  const float bx0 = b.x - b.z * 0.5f, bx1 = b.x + b.z * 0.5f, by0 = b.y - b.w * 0.5f, by1 = b.y + b.w * 0.5f;
  const float inter = fmaxf(0.f, fminf(ax1, bx1) - fmaxf(ax0, bx0)) * fmaxf(0.f, fminf(ay1, by1) - fmaxf(ay0, by0)), uni = a.z * a.w + b.z * b.w - inter;
  const float hull = (fmaxf(ax1, bx1) - fminf(ax0, bx0)) * (fmaxf(ay1, by1) - fminf(ay0, by0));
  const float p = probabilities[q * classes + labels[t]];
  const float pos = 0.25f * (1 - p) * (1 - p) * -__logf(p + 1e-8f), neg = 0.75f * p * p * -__logf(1 - p + 1e-8f);
  cost[q * n + t] = 5.f * l1 + 2.f * (pos - neg) - 2.f * (inter / uni - (hull - uni) / hull);
}

// ---- optimizers ----

// Three moments (Adan), four numbers a thread.
__global__ void adan_update(float4* __restrict__ p, const float4* __restrict__ g, float4* __restrict__ last, float4* __restrict__ m, float4* __restrict__ v, float4* __restrict__ n, int count, float b1, float b2, float b3, float lr, float decay, float eps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float4 P = p[i], G = g[i], L = last[i], A = m[i], B = v[i], C = n[i];
  auto one = [&](float& w, float x, float& old, float& a, float& b, float& c) {
    const float d = x - old, u = x + b2 * d;
    a = b1 * a + (1 - b1) * x;
    b = b2 * b + (1 - b2) * d;
    c = b3 * c + (1 - b3) * u * u;
    w = (w - lr * (a + b2 * b) / (sqrtf(c) + eps)) / (1 + lr * decay);
    old = x;
  };
  one(P.x, G.x, L.x, A.x, B.x, C.x), one(P.y, G.y, L.y, A.y, B.y, C.y), one(P.z, G.z, L.z, A.z, B.z, C.z), one(P.w, G.w, L.w, A.w, B.w, C.w);
  p[i] = P, last[i] = L, m[i] = A, v[i] = B, n[i] = C;
}

// A step clipped by curvature (Sophia), weights in bfloat16 rounded by noise.
__global__ void clipped_curvature_step(bf16* __restrict__ w, const bf16* __restrict__ g, float* __restrict__ m, const float* __restrict__ h, int n, float beta, float lr, float rho, float decay, uint32_t seed) {
  GRID_STRIDE(i, n) {
    const float x = __bfloat162float(w[i]), a = beta * m[i] + (1.f - beta) * __bfloat162float(g[i]);
    m[i] = a;
    const float step = fminf(1.f, fabsf(a) / fmaxf(rho * h[i], 1e-15f));
    const float r = x * (1.f - lr * decay) - lr * copysignf(step, a);
    uint32_t k = i * 0x9e3779b9u + seed;
    k = (k ^ k >> 16) * 0x45d9f3bu, k ^= k >> 16;
    const uint32_t bits = __float_as_uint(r) + (k & 0xffff);
    w[i] = __ushort_as_bfloat16((unsigned short)(bits >> 16));
  }
}

// An iteration towards an orthogonal matrix: a X + (b A + c A A) X, where a thread makes two by two of B = b A + c A A.
__global__ __launch_bounds__(256) void orthogonal_polynomial(const float* __restrict__ A, float* __restrict__ B, int n, float b, float c) {
  __shared__ float s0[32][36], s1[32][36];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row = blockIdx.y * 32, col = blockIdx.x * 32;
  float acc[2][2] = {{0, 0}, {0, 0}};
  for (int k = 0; k < n; k += 32) {
    const int r = threadIdx.x / 8, q = threadIdx.x % 8 * 4;
    *reinterpret_cast<float4*>(&s0[r][q]) = *reinterpret_cast<const float4*>(&A[(row + r) * n + k + q]);
    *reinterpret_cast<float4*>(&s1[r][q]) = *reinterpret_cast<const float4*>(&A[(k + r) * n + col + q]);
    __syncthreads();
#pragma unroll 8
    for (int i = 0; i < 32; ++i) {
      const float x0 = s0[ty * 2][i], x1 = s0[ty * 2 + 1][i];
      const float2 y = *reinterpret_cast<const float2*>(&s1[i][tx * 2]);
      acc[0][0] += x0 * y.x, acc[0][1] += x0 * y.y, acc[1][0] += x1 * y.x, acc[1][1] += x1 * y.y;
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int at = (row + ty * 2 + i) * n + col + tx * 2;
    const float2 v = *reinterpret_cast<const float2*>(&A[at]);
    *reinterpret_cast<float2*>(&B[at]) = make_float2(b * v.x + c * acc[i][0], b * v.y + c * acc[i][1]);
  }
}

// Trust ratios of layers (LARS): norms by one block of each layer, then its update in the same kernel.
__global__ __launch_bounds__(512) void layerwise_step(float* __restrict__ w, const __half* __restrict__ g, float* __restrict__ momentum, const int* __restrict__ starts, float lr, float trust, float decay) {
  const int begin = starts[blockIdx.x], end = starts[blockIdx.x + 1];
  float ww = 0, gg = 0;
  for (int i = begin + threadIdx.x; i < end; i += 512) {
    const float a = w[i], b = __half2float(g[i]);
    ww += a * a, gg += b * b;
  }
  ww = sqrtf(blockReduceSum(ww)), gg = sqrtf(blockReduceSum(gg));
  const float local = ww > 0 && gg > 0 ? trust * ww / (gg + decay * ww + 1e-9f) : 1.f;
  for (int i = begin + threadIdx.x; i < end; i += 512) {
    const float v = 0.9f * momentum[i] + lr * local * (__half2float(g[i]) + decay * w[i]);
    momentum[i] = v;
    w[i] -= v;
  }
}

// Gradients of several workers added, divided by the scale, and checked for what is not finite.
__global__ void unscale_and_check(const uint4* const* __restrict__ parts, float4* __restrict__ out, int* __restrict__ bad, int workers, int vectors, float inv) {
  bool wrong = false;
  GRID_STRIDE(i, vectors) {
    float s[8] = {};
    for (int w = 0; w < workers; ++w) {
      uint4 v = parts[w][i];
      const __half2* h = reinterpret_cast<const __half2*>(&v);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const float2 x = __half22float2(h[k]);
        s[2 * k] += x.x, s[2 * k + 1] += x.y;
      }
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      s[k] *= inv;
      wrong |= !isfinite(s[k]);
    }
    out[2 * i] = make_float4(s[0], s[1], s[2], s[3]), out[2 * i + 1] = make_float4(s[4], s[5], s[6], s[7]);
  }
  if (__syncthreads_or(wrong) && threadIdx.x == 0) atomicOr(bad, 1);
}

// ---- layers, forwards and backwards ----

// Mish and its slope, by a functor over vectors.
struct MishGrad {
  __device__ float operator()(float x, float dy) const {
    const float sp = x > 20.f ? x : log1pf(expf(x)), t = tanhf(sp), s = 1.f / (1.f + expf(-x));
    return dy * (t + x * s * (1.f - t * t));
  }
};
struct SquaredReluGrad {
  __device__ float operator()(float x, float dy) const { return x > 0.f ? 2.f * x * dy : 0.f; }
};
template <typename Op, int VEC>
__global__ void pointwise_backward(const float* __restrict__ x, const float* __restrict__ dy, float* __restrict__ dx, int n, Op op) {
  struct __align__(sizeof(float) * VEC) Pack {
    float v[VEC];
  };
  GRID_STRIDE(i, n / VEC) {
    Pack a = reinterpret_cast<const Pack*>(x)[i], b = reinterpret_cast<const Pack*>(dy)[i], c;
#pragma unroll
    for (int k = 0; k < VEC; ++k) c.v[k] = op(a.v[k], b.v[k]);
    reinterpret_cast<Pack*>(dx)[i] = c;
  }
}

// Weights normalized per filter: mean and variance of each, out of place.
__global__ void standardize_weights(const float* w, float* out, int fan, float eps) {
  extern __shared__ float buffer[];
  const float* row = w + (size_t)blockIdx.x * fan;
  float sum = 0;
  for (int i = threadIdx.x; i < fan; i += blockDim.x) {
    buffer[i] = row[i];
    sum += buffer[i];
  }
  float mean = blockReduceSum<float>(sum) / fan;
  float var = 0;
  for (int i = threadIdx.x; i < fan; i += blockDim.x) {
    float d = buffer[i] - mean;
    var += d * d;
  }
  float inv = rsqrtf(blockReduceSum<float>(var) / fan + eps) * rsqrtf((float)fan);
  for (int i = threadIdx.x; i < fan; i += blockDim.x) out[(size_t)blockIdx.x * fan + i] = (buffer[i] - mean) * inv;
}

// Instances normalized, backwards: a plane a block, sums of slopes and of products.
__global__ __launch_bounds__(256) void instance_norm_slopes(const __half2* __restrict__ x, const __half2* __restrict__ dy, __half2* __restrict__ dx, const float2* __restrict__ stats, const float* __restrict__ gamma, int pairs, int channels) {
  const size_t base = (size_t)blockIdx.x * pairs;
  const float2 st = stats[blockIdx.x];
  float s0 = 0.f, s1 = 0.f;
  for (int i = threadIdx.x; i < pairs; i += 256) {
    const float2 a = __half22float2(x[base + i]), g = __half22float2(dy[base + i]);
    s0 += g.x + g.y;
    s1 += g.x * (a.x - st.x) * st.y + g.y * (a.y - st.x) * st.y;
  }
  s0 = blockReduceSum(s0), s1 = blockReduceSum(s1);
  const float inv = 1.f / (2 * pairs), k = gamma[blockIdx.x % channels] * st.y;
  for (int i = threadIdx.x; i < pairs; i += 256) {
    const float2 a = __half22float2(x[base + i]), g = __half22float2(dy[base + i]);
    dx[base + i] = __floats2half2_rn(k * (g.x - inv * (s0 + (a.x - st.x) * st.y * s1)), k * (g.y - inv * (s0 + (a.y - st.x) * st.y * s1)));
  }
}

// Columns back to an image (col2im): each pixel gathers its places.
__global__ void columns_to_image(const int n, const float* data_col, const int height, const int width, const int ksize, const int pad, const int stride, const int height_col, const int width_col, float* data_im) {
  GRID_STRIDE(index, n) {
    float val = 0;
    int w = index % width + pad;
    int h = (index / width) % height + pad;
    int c = index / (width * height);
    int w_col_start = (w < ksize) ? 0 : (w - ksize) / stride + 1;
    int w_col_end = min(w / stride + 1, width_col);
    int h_col_start = (h < ksize) ? 0 : (h - ksize) / stride + 1;
    int h_col_end = min(h / stride + 1, height_col);
    int offset = (c * ksize * ksize + h * ksize + w) * height_col * width_col;
    int coeff_h_col = (1 - stride * ksize * height_col) * width_col;
    int coeff_w_col = (1 - stride * height_col * width_col);
    for (int h_col = h_col_start; h_col < h_col_end; ++h_col)
      for (int w_col = w_col_start; w_col < w_col_end; ++w_col) val += data_col[offset + h_col * coeff_h_col + w_col * coeff_w_col];
    data_im[index] = val;
  }
}

// Samples of a grid, backwards: slopes of places in registers, slopes of the image by atomics.
__global__ void grid_sample_slopes(const float* __restrict__ image, const float2* __restrict__ grid, const float* __restrict__ dy, float* __restrict__ dimage, float2* __restrict__ dgrid, int c, int h, int w, int out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
  if (i >= out) return;
  const float2 g = grid[b * out + i];
  const float x = ((g.x + 1.f) * w - 1.f) * 0.5f, y = ((g.y + 1.f) * h - 1.f) * 0.5f;
  const int x0 = (int)floorf(x), y0 = (int)floorf(y);
  const float fx = x - x0, fy = y - y0;
  float gx = 0.f, gy = 0.f;
  for (int k = 0; k < c; ++k) {
    const float d = dy[((size_t)b * c + k) * out + i];
    const size_t plane = ((size_t)b * c + k) * h * w;
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const int u = x0 + (q & 1), v = y0 + (q >> 1);
      if (u < 0 || v < 0 || u >= w || v >= h) continue;
      const float wx = q & 1 ? fx : 1.f - fx, wy = q >> 1 ? fy : 1.f - fy, pixel = image[plane + v * w + u];
      atomicAdd(&dimage[plane + v * w + u], d * wx * wy);
      gx += (q & 1 ? pixel : -pixel) * wy * d;
      gy += (q >> 1 ? pixel : -pixel) * wx * d;
    }
  }
  dgrid[b * out + i] = make_float2(gx * w * 0.5f, gy * h * 0.5f);
}

// Gates of a convolutional memory cell: four maps to a state and an output, channels last, two halves at once.
__global__ void memory_cell_gates(const __half2* __restrict__ maps, const float2* __restrict__ peephole, float2* __restrict__ cell, __half2* __restrict__ hidden, int pairs, int pixels) {
  const int p = threadIdx.x, pixel = blockIdx.x * blockDim.y + threadIdx.y;
  if (p >= pairs || pixel >= pixels) return;
  auto sigmoid = [](float v) { return 1.f / (1.f + __expf(-v)); };
  const __half2* m = maps + (size_t)pixel * 4 * pairs + p;
  const float2 i = __half22float2(m[0]), f = __half22float2(m[pairs]), g = __half22float2(m[2 * pairs]), o = __half22float2(m[3 * pairs]);
  const float2 pi = peephole[p], pf = peephole[pairs + p], po = peephole[2 * pairs + p];
  float2 c = cell[(size_t)pixel * pairs + p];
  c.x = sigmoid(f.x + pf.x * c.x) * c.x + sigmoid(i.x + pi.x * c.x) * tanhf(g.x);
  c.y = sigmoid(f.y + pf.y * c.y) * c.y + sigmoid(i.y + pi.y * c.y) * tanhf(g.y);
  cell[(size_t)pixel * pairs + p] = c;
  hidden[(size_t)pixel * pairs + p] = __floats2half2_rn(sigmoid(o.x + po.x * c.x) * tanhf(c.x), sigmoid(o.y + po.y * c.y) * tanhf(c.y));
}

// Weights made whole numbers by channel with a straight-through slope for scales, a block a channel.
__global__ void fake_quantize_channels(const float* __restrict__ w, const float* __restrict__ dy, float* __restrict__ out, float* __restrict__ dw, const float* __restrict__ scales, float* __restrict__ dscales, int n, float qmin, float qmax) {
  const float s = scales[blockIdx.x], inv = 1.f / s;
  float ds = 0.f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const size_t at = (size_t)blockIdx.x * n + i;
    const float v = w[at] * inv, q = fminf(qmax, fmaxf(qmin, nearbyintf(v))), g = dy[at];
    const bool inside = v >= qmin && v <= qmax;
    out[at] = q * s;
    dw[at] = inside ? g : 0.f;
    ds += g * (inside ? q - v : q);
  }
  ds = blockReduceSum(ds);
  if (threadIdx.x == 0) dscales[blockIdx.x] = ds * rsqrtf(n * qmax);
}

// Codewords follow their inputs: counts and sums by atomics of pairs of halves.
__global__ void codeword_sums(const __half2* __restrict__ x, const int* __restrict__ code, __half2* __restrict__ sums, float* __restrict__ counts, int rows, int pairs) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
  if (row >= rows) return;
  const int c = code[row];
  for (int i = tile.thread_rank(); i < pairs; i += 16) atomicAdd(&sums[(size_t)c * pairs + i], x[(size_t)row * pairs + i]);
  if (tile.thread_rank() == 0) atomicAdd(&counts[c], 1.f);
}

// Means and variances to a sample and its divergence from the normal distribution.
__global__ void latent_sample_kl(const float2* __restrict__ moments, float* __restrict__ z, float* __restrict__ kl, int n, uint32_t seed) {
  float sum = 0.f;
  GRID_STRIDE(i, n) {
    const float2 m = moments[i];
    uint32_t a = i * 0x85ebca6bu ^ seed, b = i * 0xc2b2ae35u + seed;
    a = (a ^ a >> 13) * 0x27d4eb2fu, a ^= a >> 15, b = (b ^ b >> 16) * 0x165667b1u, b ^= b >> 13;
    const float u = ((a >> 9) + 1) * 1.1920929e-7f, n01 = sqrtf(-2.f * logf(u)) * cospif((b >> 8) * 1.1920929e-7f);
    const float log_var = fminf(20.f, fmaxf(-30.f, m.y)), var = expf(log_var);
    z[i] = m.x + sqrtf(var) * n01;
    sum += 0.5f * (m.x * m.x + var - 1.f - log_var);
  }
  sum = blockReduceSum(sum);
  if (threadIdx.x == 0) atomicAdd(kl, sum);
}

// ---- graphs and indices ----

// Softmax of edges at each node of a graph, four heads: a warp a node, two passes over its edges.
__global__ void edge_softmax_heads(const int* __restrict__ row, const float4* __restrict__ score, float4* __restrict__ out, int nodes) {
  const int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (v >= nodes) return;
  const int b = row[v], e = row[v + 1];
  float4 m = make_float4(-1e30f, -1e30f, -1e30f, -1e30f);
  for (int i = b + lane; i < e; i += 32) {
    const float4 s = score[i];
    m = make_float4(fmaxf(m.x, s.x), fmaxf(m.y, s.y), fmaxf(m.z, s.z), fmaxf(m.w, s.w));
  }
  for (int o = 16; o; o >>= 1) m = make_float4(fmaxf(m.x, __shfl_xor_sync(FULL, m.x, o)), fmaxf(m.y, __shfl_xor_sync(FULL, m.y, o)), fmaxf(m.z, __shfl_xor_sync(FULL, m.z, o)), fmaxf(m.w, __shfl_xor_sync(FULL, m.w, o)));
  float4 t = make_float4(0, 0, 0, 0);
  for (int i = b + lane; i < e; i += 32) {
    const float4 s = score[i];
    t.x += __expf(s.x - m.x), t.y += __expf(s.y - m.y), t.z += __expf(s.z - m.z), t.w += __expf(s.w - m.w);
  }
  t.x = warpReduceSum(t.x), t.y = warpReduceSum(t.y), t.z = warpReduceSum(t.z), t.w = warpReduceSum(t.w);
  for (int i = b + lane; i < e; i += 32) {
    const float4 s = score[i];
    out[i] = make_float4(__expf(s.x - m.x) / t.x, __expf(s.y - m.y) / t.y, __expf(s.z - m.z) / t.z, __expf(s.w - m.w) / t.w);
  }
}

// Features of neighbours with symmetric weights of degrees: 64 channels, a half warp a node, four channels a lane.
__global__ void graph_convolve_64(const int* __restrict__ row, const int* __restrict__ col, const float* __restrict__ inv_sqrt_degree, const float4* __restrict__ x, float4* __restrict__ y, int nodes) {
  const int v = blockIdx.x * blockDim.y + threadIdx.y, l = threadIdx.x;
  if (v >= nodes) return;
  const float dv = inv_sqrt_degree[v];
  float4 s = x[v * 16 + l];
  s.x *= dv, s.y *= dv, s.z *= dv, s.w *= dv;
  int e = row[v];
  const int end = row[v + 1];
  for (; e + 1 < end; e += 2) {
    const int a = col[e], b = col[e + 1];
    const float da = inv_sqrt_degree[a], db = inv_sqrt_degree[b];
    const float4 p = x[a * 16 + l], q = x[b * 16 + l];
    s.x += da * p.x + db * q.x, s.y += da * p.y + db * q.y, s.z += da * p.z + db * q.z, s.w += da * p.w + db * q.w;
  }
  if (e < end) {
    const int a = col[e];
    const float da = inv_sqrt_degree[a];
    const float4 p = x[a * 16 + l];
    s.x += da * p.x, s.y += da * p.y, s.z += da * p.z, s.w += da * p.w;
  }
  y[v * 16 + l] = make_float4(s.x * dv, s.y * dv, s.z * dv, s.w * dv);
}

// The largest of what is scattered to a place, floats as ordered integers.
__global__ void scatter_largest(const float* __restrict__ src, const int* __restrict__ index, unsigned* __restrict__ out, int rows, int width) {
  const long long total = (long long)rows * width;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < total; i += (long long)gridDim.x * blockDim.x) {
    const int r = (int)(i / width), c = (int)(i % width);
    const unsigned b = __float_as_uint(src[i]), key = b & 0x80000000u ? ~b : b | 0x80000000u;
    unsigned* to = &out[(size_t)index[r] * width + c];
    if (*to < key) atomicMax(to, key);
  }
}

// Numbers to buckets between boundaries: a search in shared memory, counts in the same pass.
__global__ void bucketize_and_count(const float* __restrict__ x, const float* __restrict__ bounds, short* __restrict__ out, unsigned* __restrict__ counts, int n, int buckets) {
  extern __shared__ float b[];
  unsigned* c = reinterpret_cast<unsigned*>(b + buckets);
  for (int i = threadIdx.x; i < buckets; i += blockDim.x) b[i] = bounds[i], c[i] = 0;
  __syncthreads();
  GRID_STRIDE(i, n) {
    const float v = x[i];
    int lo = 0, len = buckets;
    while (len > 0) {
      const int half = len >> 1;
      if (b[lo + half] <= v)
        lo += half + 1, len -= half + 1;
      else
        len = half;
    }
    out[i] = (short)lo;
    if (lo < buckets) atomicAdd(&c[lo], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < buckets; i += blockDim.x)
    if (c[i]) atomicAdd(&counts[i], c[i]);
}

// Spectrograms masked in time and frequency, values by a mean: spans of each example in constant memory.
__constant__ short4 c_spans[64];
__global__ void mask_spectrograms(float* __restrict__ x, const float* __restrict__ mean, int frames, int bins) {
  const int f = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.z;
  const short4 s = c_spans[b];
  for (int t = blockIdx.y; t < frames; t += gridDim.y) {
    if (f >= bins) break;
    float v = x[((size_t)b * frames + t) * bins + f];
    if ((t >= s.x && t < s.y) || (f >= s.z && f < s.w)) v = mean[b];
    x[((size_t)b * frames + t) * bins + f] = (v - mean[b]) * 0.25f;
  }
}

// Experts' loads and mean probabilities for a balancing loss: a row of 64 experts a half warp, sums in shared memory.
__global__ __launch_bounds__(256) void balance_statistics(const float4* __restrict__ probabilities, const int2* __restrict__ chosen, float* __restrict__ means, int* __restrict__ loads, int tokens) {
  __shared__ float sm[64];
  __shared__ int sl[64];
  if (threadIdx.x < 64) sm[threadIdx.x] = 0.f, sl[threadIdx.x] = 0;
  __syncthreads();
  const int l = threadIdx.x % 16;
  float4 acc = make_float4(0, 0, 0, 0);
  for (int t = blockIdx.x * 16 + threadIdx.x / 16; t < tokens; t += gridDim.x * 16) {
    const float4 p = probabilities[t * 16 + l];
    acc.x += p.x, acc.y += p.y, acc.z += p.z, acc.w += p.w;
    if (l == 0) {
      const int2 c = chosen[t];
      atomicAdd(&sl[c.x], 1), atomicAdd(&sl[c.y], 1);
    }
  }
  atomicAdd(&sm[l * 4], acc.x), atomicAdd(&sm[l * 4 + 1], acc.y), atomicAdd(&sm[l * 4 + 2], acc.z), atomicAdd(&sm[l * 4 + 3], acc.w);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&means[threadIdx.x], sm[threadIdx.x]), atomicAdd(&loads[threadIdx.x], sl[threadIdx.x]);
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* f = on_device<float>(16 * M, [](uint32_t i) { return fraction(i) * 4 - 2; });
  float* o = zeros<float>(16 * M);
  float* w = on_device<float>(16 * M, fraction);
  __half* h = on_device<__half>(16 * M, [](uint32_t i) { return __float2half(fraction(i) * 2 - 1); });
  bf16* b = on_device<bf16>(8 * M, [](uint32_t i) { return __float2bfloat16(fraction(i) * 2 - 1); });
  const float* positive = on_device<float>(2 * M, [](uint32_t i) { return 0.01f + 0.9f * fraction(i); });
  int* counters = zeros<int>(256);

  run("distill_kl_rows", [&] { distill_kl_rows<<<1024, 256>>>(f, f + 4 * M, o, o + 8 * M, 4000, 0.5f); });
  const int* labels = on_device<int>(1024, [](uint32_t i) { return int(hashed(i) % 8000); });
  run("angular_margin", [&] { angular_margin<<<1024, 128>>>(h, labels, 8000, 0.8776f, 0.4794f, -0.8776f, 1.01f); });
  const int2* spans = on_device<int2>(8192, [](uint32_t i) { const int a = int(hashed(i / 2) % 200); return make_int2(a, a + 100 + int(hashed(i) % 500)); });
  run("preference_pairs", [&] { preference_pairs<<<2048 / 4, 128>>>(b, b + 4 * M, spans, o, (float2*)o + M, 2048, 1000, 0.1f); });
  const int* frames = on_device<int>(96, [](uint32_t i) { return 150 + int(hashed(i) % 100); });
  const int* targets = on_device<int>(96, [](uint32_t i) { return 30 + int(hashed(i + 5) % 60); });
  run("transducer_alphas", [&] { transducer_alphas<<<96, 96>>>(f, f + 4 * M, o, frames, targets, 250, 96); });
  const int* sentences = on_device<int>(4000, [](uint32_t i) { return 10 + int(hashed(i) % 50); });
  run("crf_log_partition", [&] { crf_log_partition<<<1000, 128>>>(f, f + 8 * M, sentences, o, 4000, 64); });
  run("sparse_softmax_256", [&] { sparse_softmax_256<<<30000 / 8, 256>>>((const float4*)f, (float4*)o, 30000); });
  const int* classes = on_device<int>(2000, [](uint32_t i) { return int(hashed(i) % 91); });
  run("assignment_costs", [&] { assignment_costs<<<dim3(8, 900), 128>>>(positive, (const float4*)positive, classes, (const float4*)(positive + M), o, 900, 1000, 91); });

  run("adan_update", [&] { adan_update<<<(600000 + 255) / 256, 256>>>((float4*)w, (const float4*)f, (float4*)o, (float4*)o + M, (float4*)o + 2 * M, (float4*)o + 3 * M, 600000, 0.98f, 0.92f, 0.99f, 1e-3f, 0.02f, 1e-8f); });
  run("clipped_curvature_step", [&] { clipped_curvature_step<<<792, 256>>>(b, b + 4 * M, o, positive, 2 * M, 0.96f, 1e-4f, 0.04f, 0.1f, 9u); });
  run("orthogonal_polynomial", [&] { orthogonal_polynomial<<<dim3(24, 24), 256>>>(f, o, 768, -4.775f, 2.0315f); });
  std::vector<int> layers(201, 0);
  for (uint32_t i = 0; i < 200; ++i) layers[i + 1] = layers[i] + 500 + int(hashed(i) % 40000);
  const int* layers_d = on_device(layers);
  run("layerwise_step", [&] { layerwise_step<<<200, 512>>>(w, h, o, layers_d, 0.1f, 0.001f, 1e-4f); });
  std::vector<const uint4*> parts(4);
  for (int i = 0; i < 4; ++i) parts[i] = (const uint4*)(h + i * 4 * M);
  const uint4* const* parts_d = on_device(parts);
  run("unscale_and_check", [&] { unscale_and_check<<<528, 256>>>(parts_d, (float4*)o, counters, 4, M / 2, 1.f / 1024); });

  run("pointwise_backward_mish", [&] { pointwise_backward<MishGrad, 4><<<1056, 256>>>(f, f + 8 * M, o, 4 * M, MishGrad()); });
  run("pointwise_backward_relu2", [&] { pointwise_backward<SquaredReluGrad, 2><<<2112, 128>>>(f, f + 8 * M, o, 3 * M, SquaredReluGrad()); });
  run("standardize_weights", [&] { standardize_weights<<<1024, 256, 2304 * 4>>>(f, o, 2304, 1e-5f); });
  run("instance_norm_slopes", [&] { instance_norm_slopes<<<512, 256>>>((const __half2*)h, (const __half2*)h + 4 * M, (__half2*)o, (const float2*)positive, positive, 8192, 128); });
  run("columns_to_image", [&] { columns_to_image<<<1056, 256>>>(48 * 112 * 112, f, 112, 112, 3, 1, 1, 112, 112, o); });
  run("columns_to_image_5x5_s2", [&] { columns_to_image<<<528, 512>>>(32 * 128 * 128, f, 128, 128, 5, 2, 2, 64, 64, o); });
  const float2* places = on_device<float2>(8 * 9216, [](uint32_t i) { return make_float2((i % 96) / 48.f - 1.f + 0.1f * fraction(i), (i / 96 % 96) / 48.f - 1.f + 0.1f * fraction(i + 1)); });
  run("grid_sample_slopes", [&] { grid_sample_slopes<<<dim3(72, 8), 128>>>(f, places, f + 4 * M, o, (float2*)(o + 8 * M), 16, 96, 96, 9216); });
  run("memory_cell_gates", [&] { memory_cell_gates<<<8192 / 8, dim3(32, 8)>>>((const __half2*)h, (const float2*)positive, (float2*)o, (__half2*)(o + 8 * M), 32, 8192); });
  run("fake_quantize_channels", [&] { fake_quantize_channels<<<768, 192>>>(f, f + 4 * M, o, o + 4 * M, positive, o + 8 * M, 3072, -8.f, 7.f); });
  const int* codes = on_device<int>(50000, [](uint32_t i) { return int(hashed(i) % (hashed(i + 1) % 3 ? 1024 : 40)); });
  run("codeword_sums", [&] { codeword_sums<<<(50000 * 16 + 255) / 256, 256>>>((const __half2*)h, codes, (__half2*)o, o + 4 * M, 50000, 32); });
  run("latent_sample_kl", [&] { latent_sample_kl<<<396, 256>>>((const float2*)f, o, (float*)counters + 1, 2000000, 3u); });

  constexpr int V = 60000;
  std::vector<int> row(V + 1, 0), col;
  std::vector<float> degree(V);
  for (uint32_t v = 0; v < V; ++v) {
    const uint32_t d = 1 + hashed(v) % 20 + (hashed(v) % 97 == 0 ? 90 : 0);
    for (uint32_t k = 0; k < d; ++k) col.push_back(int(k % 4 ? (v + hashed(v * 83 + k) % 500) % V : hashed(v * 79 + k) % V));
    row[v + 1] = int(col.size());
    degree[v] = 1.f / std::sqrt(1.f + d);
  }
  const int *row_d = on_device(row), *col_d = on_device(col);
  const float* degree_d = on_device(degree);
  run("edge_softmax_heads", [&] { edge_softmax_heads<<<V / 8, 256>>>(row_d, (const float4*)f, (float4*)o, V); });
  run("graph_convolve_64", [&] { graph_convolve_64<<<V / 8, dim3(16, 8)>>>(row_d, col_d, degree_d, (const float4*)f, (float4*)o, V); });
  const int* index = on_device<int>(60000, [](uint32_t i) { return int(hashed(i) % 6000); });
  unsigned* largest = zeros<unsigned>(6000 * 48);
  run("scatter_largest", [&] { scatter_largest<<<528, 256>>>(f, index, largest, 60000, 48); });
  std::vector<float> bounds(255);
  for (int i = 0; i < 255; ++i) bounds[i] = -1.9f + i * 0.015f;
  const float* bounds_d = on_device(bounds);
  run("bucketize_and_count", [&] { bucketize_and_count<<<396, 256, 255 * 8>>>(f, bounds_d, (short*)o, (unsigned*)o + 8 * M, 3000000, 255); });
  std::vector<short4> masks(64);
  for (uint32_t i = 0; i < 64; ++i) {
    const int t = int(hashed(i) % 600), k = int(hashed(i + 70) % 60);
    masks[i] = make_short4(short(t), short(t + hashed(i + 3) % 100), short(k), short(k + hashed(i + 9) % 27));
  }
  CHECK(cudaMemcpyToSymbol(c_spans, masks.data(), 512));
  run("mask_spectrograms", [&] { mask_spectrograms<<<dim3(1, 100, 32), 96>>>(w, positive, 800, 80); });
  const int2* experts = on_device<int2>(60000, [](uint32_t i) { return make_int2(int(hashed(i) % 64), int(hashed(i + 7) % 20)); });
  run("balance_statistics", [&] { balance_statistics<<<264, 256>>>((const float4*)w, experts, o, counters + 64, 60000); });
  return 0;
}
