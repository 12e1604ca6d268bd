// Networks for pictures: convolutions in several forms and their gradients, pooling, batch and group norms, losses, augmentation, patches, and the small kernels of diffusion.
#include <cuda_fp16.h>

#include "cases.h"

template <typename T>
__device__ T block_sum(T v) {
  static __shared__ T shared[32];
  const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  __syncthreads();
  if (lane == 0) shared[wid] = v;
  __syncthreads();
  v = threadIdx.x < (blockDim.x + 31) / 32 ? shared[lane] : T(0);
  if (wid == 0)
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x == 0) shared[0] = v;
  __syncthreads();
  return shared[0];
}

#define KERNEL_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

// Convolution, a thread an output, sizes at run time.
__global__ void conv2d_direct(const float* x, const float* w, const float* b, float* y, int C, int H, int W, int K, int R, int stride, int pad, int OH, int OW, int total) {
  KERNEL_LOOP(i, total) {
    int ow = i % OW, oh = i / OW % OH, k = i / (OW * OH) % K, n = i / (OW * OH * K);
    float sum = b[k];
    for (int c = 0; c < C; c++)
      for (int r = 0; r < R; r++) {
        int ih = oh * stride - pad + r;
        if (ih < 0 || ih >= H) continue;
        for (int s = 0; s < R; s++) {
          int iw = ow * stride - pad + s;
          if (iw >= 0 && iw < W) sum += x[((n * C + c) * H + ih) * W + iw] * w[((k * C + c) * R + r) * R + s];
        }
      }
    y[i] = sum;
  }
}

// Five times five with a tile of input in shared memory and the filter in constant memory; four outputs' channels a thread.
__constant__ float c_filter[8 * 25 * 8];
__global__ void conv5x5_constant_filter(const float* __restrict__ in, float* __restrict__ out, int C, int H, int W) {
  __shared__ float tile[20][36];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16, kg = blockIdx.z * 4;
  float acc[4] = {0, 0, 0, 0};
  for (int c = 0; c < C; ++c) {
    __syncthreads();
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 20 * 36; i += 512) {
      const int r = i / 36, q = i % 36, yy = y0 + r - 2, xx = x0 + q - 2;
      tile[r][q] = yy >= 0 && yy < H && xx >= 0 && xx < W ? in[(c * H + yy) * W + xx] : 0.f;
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 5; ++r)
#pragma unroll
      for (int s = 0; s < 5; ++s) {
        const float v = tile[threadIdx.y + r][threadIdx.x + s];
#pragma unroll
        for (int k = 0; k < 4; ++k) acc[k] += v * c_filter[((kg + k) * C + c) * 25 + r * 5 + s];
      }
  }
  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  if (x < W && y < H)
    for (int k = 0; k < 4; ++k) out[((kg + k) * H + y) * W + x] = fmaxf(acc[k], 0.f);
}

// One times one: a product of filters and pixels, tiles of 32 filters and 64 pixels.
__global__ void conv1x1_tile_pixels(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int C, int K, int P) {
  __shared__ float ws[16][33], xs[16][64];
  const int n = blockIdx.z, p0 = blockIdx.x * 64, k0 = blockIdx.y * 32, tid = threadIdx.x;
  float acc[8] = {};
  for (int c0 = 0; c0 < C; c0 += 16) {
    for (int i = tid; i < 512; i += 256) ws[i % 16][i / 16] = k0 + i / 16 < K ? w[(k0 + i / 16) * C + c0 + i % 16] : 0.f;
    for (int i = tid; i < 1024; i += 256) xs[i / 64][i % 64] = p0 + i % 64 < P ? x[((size_t)n * C + c0 + i / 64) * P + p0 + i % 64] : 0.f;
    __syncthreads();
#pragma unroll 4
    for (int c = 0; c < 16; ++c) {
      const float v = xs[c][tid % 64];
#pragma unroll
      for (int k = 0; k < 8; ++k) acc[k] += ws[c][tid / 64 * 8 + k] * v;
    }
    __syncthreads();
  }
  if (p0 + tid % 64 < P)
    for (int k = 0; k < 8; ++k)
      if (k0 + tid / 64 * 8 + k < K) y[((size_t)n * K + k0 + tid / 64 * 8 + k) * P + p0 + tid % 64] = acc[k];
}

// Seven times seven by channels, half2, channels last: a thread two channels of four neighbouring pixels.
__global__ void dwconv7_channels_last(const __half2* __restrict__ x, const __half2* __restrict__ w, const __half2* __restrict__ b, __half2* __restrict__ y, int H, int W, int C2) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, w0 = (blockIdx.y * blockDim.y + threadIdx.y) * 4, h = blockIdx.z;
  if (c >= C2 || w0 >= W) return;
  float2 acc[4];
  const float2 bias = __half22float2(b[c]);
#pragma unroll
  for (int i = 0; i < 4; ++i) acc[i] = bias;
  for (int r = 0; r < 7; ++r) {
    const int hh = h + r - 3;
    if (hh < 0 || hh >= H) continue;
    float2 line[10];
#pragma unroll
    for (int i = 0; i < 10; ++i) {
      const int ww = w0 + i - 3;
      line[i] = ww >= 0 && ww < W ? __half22float2(x[((size_t)hh * W + ww) * C2 + c]) : make_float2(0.f, 0.f);
    }
#pragma unroll
    for (int s = 0; s < 7; ++s) {
      const float2 f = __half22float2(w[(r * 7 + s) * C2 + c]);
#pragma unroll
      for (int i = 0; i < 4; ++i) acc[i].x += line[i + s].x * f.x, acc[i].y += line[i + s].y * f.y;
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (w0 + i < W) y[((size_t)h * W + w0 + i) * C2 + c] = __float22half2_rn(acc[i]);
}

// The input's gradient of a three times three convolution with stride, gathered.
template <int R, int STRIDE>
__global__ void conv_input_grad_gather(const float* __restrict__ dy, const float* __restrict__ w, float* __restrict__ dx, int C, int H, int W, int K, int OH, int OW) {
  const int iw = blockIdx.x * blockDim.x + threadIdx.x, ih = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.z % C, n = blockIdx.z / C;
  if (iw >= W || ih >= H) return;
  float sum = 0.f;
  for (int k = 0; k < K; ++k) {
    const float *g = dy + ((size_t)n * K + k) * OH * OW, *f = w + ((size_t)k * C + c) * R * R;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const int y = ih + R / 2 - r;
      if (y % STRIDE != 0 || y < 0 || y / STRIDE >= OH) continue;
#pragma unroll
      for (int s = 0; s < R; ++s) {
        const int x = iw + R / 2 - s;
        if (x % STRIDE == 0 && x >= 0 && x / STRIDE < OW) sum += g[y / STRIDE * OW + x / STRIDE] * f[r * R + s];
      }
    }
  }
  dx[(((size_t)n * C + c) * H + ih) * W + iw] = sum;
}

// The filter's gradient: a block a filter and channel, threads over pixels, one sum a tap.
__global__ void conv_filter_grad_block(const float* x, const float* dy, float* dw, int N, int C, int K, int H, int W) {
  const int k = blockIdx.x / C, c = blockIdx.x % C;
  float acc[9] = {};
  for (int i = threadIdx.x; i < N * H * W; i += blockDim.x) {
    const int px = i % W, py = i / W % H, n = i / (W * H);
    const float g = dy[((n * K + k) * H + py) * W + px];
#pragma unroll
    for (int t = 0; t < 9; ++t) {
      const int yy = py + t / 3 - 1, xx = px + t % 3 - 1;
      if (yy >= 0 && yy < H && xx >= 0 && xx < W) acc[t] += g * x[((n * C + c) * H + yy) * W + xx];
    }
  }
#pragma unroll
  for (int t = 0; t < 9; ++t) {
    const float s = block_sum(acc[t]);
    if (threadIdx.x == 0) dw[blockIdx.x * 9 + t] = s;
  }
}

// Largest of two times two, four channels' halves a thread, channels last.
__global__ void max_pool2_half4(const uint2* __restrict__ x, uint2* __restrict__ y, int H, int W, int C4, int total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  const int c = i % C4, ow = i / C4 % (W / 2), oh = i / (C4 * (W / 2)) % (H / 2), n = i / (C4 * (W / 2) * (H / 2));
  const uint2* p = x + (((size_t)n * H + oh * 2) * W + ow * 2) * C4 + c;
  const uint2 a = p[0], b = p[C4], d = p[W * C4], e = p[W * C4 + C4];
  auto m = [](unsigned u, unsigned v) {
    const __half2 r = __hmax2(*(const __half2*)&u, *(const __half2*)&v);
    return *(const unsigned*)&r;
  };
  y[i] = make_uint2(m(m(a.x, b.x), m(d.x, e.x)), m(m(a.y, b.y), m(d.y, e.y)));
}

// The gradient of means of windows that overlap, borders not counted.
__global__ void avg_pool_grad_windows(const float* dy, float* dx, int channels, int H, int W, int OH, int OW, int kernel, int stride, int pad) {
  KERNEL_LOOP(i, channels * H * W) {
    const int w = i % W + pad, h = i / W % H + pad, c = i / (W * H);
    const int ph0 = h < kernel ? 0 : (h - kernel) / stride + 1, ph1 = min(h / stride + 1, OH), pw0 = w < kernel ? 0 : (w - kernel) / stride + 1, pw1 = min(w / stride + 1, OW);
    float g = 0;
    for (int ph = ph0; ph < ph1; ++ph)
      for (int pw = pw0; pw < pw1; ++pw) {
        const int h0 = max(ph * stride - pad, 0), w0 = max(pw * stride - pad, 0), h1 = min(ph * stride - pad + kernel, H), w1 = min(pw * stride - pad + kernel, W);
        g += dy[(c * OH + ph) * OW + pw] / ((h1 - h0) * (w1 - w0));
      }
    dx[i] = g;
  }
}

// Batch norm in training: a block a channel, two passes, then the layer and a rectifier at once.
__global__ void batch_norm_train_relu(const float* x, float* y, const float* gamma, const float* beta, float* run_mean, float* run_var, int N, int C, int P, float momentum, float eps) {
  const int c = blockIdx.x, m = N * P;
  float s = 0.f;
  for (int i = threadIdx.x; i < m; i += blockDim.x) s += x[((i / P) * C + c) * P + i % P];
  const float mean = block_sum(s) / m;
  float v = 0.f;
  for (int i = threadIdx.x; i < m; i += blockDim.x) {
    const float d = x[((i / P) * C + c) * P + i % P] - mean;
    v += d * d;
  }
  const float var = block_sum(v) / m, inv = rsqrtf(var + eps), g = gamma[c] * inv, b = beta[c] - mean * g;
  if (threadIdx.x == 0) {
    run_mean[c] += momentum * (mean - run_mean[c]);
    run_var[c] += momentum * (var - run_var[c]);
  }
  for (int i = threadIdx.x; i < m; i += blockDim.x) {
    const int at = ((i / P) * C + c) * P + i % P;
    y[at] = fmaxf(x[at] * g + b, 0.f);
  }
}

// Batch norm folded to a scale and a shift, with a shortcut and a rectifier, half precision.
__global__ void scale_shift_add_relu(const __half2* __restrict__ x, const __half2* __restrict__ shortcut, const __half2* __restrict__ scale, const __half2* __restrict__ shift, __half2* __restrict__ y, int C2, int n) {
  KERNEL_LOOP(i, n) {
    const int c = i % C2;
    y[i] = __hmax2(__hadd2(__hfma2(x[i], scale[c], shift[c]), shortcut[i]), __float2half2_rn(0.f));
  }
}

// Group norm's sums: blocks have slices of a group, channels last, atomics for the whole; and what follows from them.
__global__ void group_sums_nhwc(const __half2* __restrict__ x, float2* __restrict__ sums, int P, int C2, int group2, int rows_per_block) {
  extern __shared__ float2 part[];
  const int n = blockIdx.y, c = threadIdx.x, p0 = blockIdx.x * rows_per_block, p1 = min(P, p0 + rows_per_block);
  float2 s = make_float2(0.f, 0.f);
  for (int p = p0; p < p1; ++p) {
    const float2 v = __half22float2(x[((size_t)n * P + p) * C2 + c]);
    s.x += v.x + v.y;
    s.y += v.x * v.x + v.y * v.y;
  }
  part[c] = s;
  __syncthreads();
  if (c % group2 == 0) {
    for (int i = 1; i < group2; ++i) s.x += part[c + i].x, s.y += part[c + i].y;
    float* out = reinterpret_cast<float*>(sums + n * (C2 / group2) + c / group2);
    atomicAdd(out, s.x);
    atomicAdd(out + 1, s.y);
  }
}
__global__ void group_norm_swish_nhwc(const __half2* __restrict__ x, const float2* __restrict__ sums, const float* __restrict__ gamma, const float* __restrict__ beta, __half2* __restrict__ y, int P, int C2, int group2, float inv_count) {
  const int c = threadIdx.x, n = blockIdx.y;
  const float2 s = sums[n * (C2 / group2) + c / group2];
  const float mean = s.x * inv_count, inv = rsqrtf(fmaxf(s.y * inv_count - mean * mean, 0.f) + 1e-5f);
  const float g0 = gamma[2 * c] * inv, g1 = gamma[2 * c + 1] * inv, b0 = beta[2 * c] - mean * g0, b1 = beta[2 * c + 1] - mean * g1;
  for (int p = blockIdx.x; p < P; p += gridDim.x) {
    float2 v = __half22float2(x[((size_t)n * P + p) * C2 + c]);
    v.x = v.x * g0 + b0, v.y = v.y * g1 + b1;
    v.x = v.x / (1.f + __expf(-v.x)), v.y = v.y / (1.f + __expf(-v.y));
    y[((size_t)n * P + p) * C2 + c] = __float22half2_rn(v);
  }
}

// Sines and cosines of a step of diffusion.
__global__ void timestep_sines(const float* t, float* emb, int half_dim, int batch, float max_period) {
  int b = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= half_dim || b >= batch) return;
  float freq = expf(-logf(max_period) * j / half_dim);
  float arg = t[b] * freq;
  emb[b * 2 * half_dim + j] = cosf(arg);
  emb[b * 2 * half_dim + half_dim + j] = sinf(arg);
}

// Noise is added for training; its normal numbers come from hashes, two a thread.
__device__ inline uint32_t pcg(uint32_t v) {
  uint32_t state = v * 747796405u + 2891336453u, word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
  return (word >> 22u) ^ word;
}
__global__ void add_noise_box_muller(const float2* x0, float2* xt, float2* noise, const int* t, const float* alphas, int per_sample2, int total2, uint32_t seed) {
  KERNEL_LOOP(i, total2) {
    const float abar = alphas[t[i / per_sample2]], sa = sqrtf(abar), sn = sqrtf(1.f - abar);
    const uint32_t r0 = pcg(2 * i + seed), r1 = pcg(r0 + 2 * i + 1);
    const float radius = sqrtf(-2.f * logf((r0 + 1.f) * 2.3283063e-10f));
    float s, c;
    sincospif(r1 * 4.6566128e-10f, &s, &c);
    const float2 e = make_float2(radius * c, radius * s), x = x0[i];
    noise[i] = e;
    xt[i] = make_float2(sa * x.x + sn * e.x, sa * x.y + sn * e.y);
  }
}

// One step back with guidance: both predictions, clipped to the range of pictures.
__global__ void guided_step_eta(const __half* eps_cond, const __half* eps_uncond, float* x, float guidance, float sqrt_a, float sqrt_1ma, float sqrt_ap, float dir, float sigma, const float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float u = __half2float(eps_uncond[i]), e = u + guidance * (__half2float(eps_cond[i]) - u);
  float x0 = (x[i] - sqrt_1ma * e) / sqrt_a;
  x0 = fminf(1.f, fmaxf(-1.f, x0));
  x[i] = sqrt_ap * x0 + dir * e + sigma * z[i];
}

// Twice as large by neighbours, sixteen bytes of channels a thread.
__global__ void upsample2_nearest_vec(const uint4* __restrict__ in, uint4* __restrict__ out, int H, int W, int C8) {
  const int c = threadIdx.x, ow = blockIdx.x * blockDim.y + threadIdx.y, oh = blockIdx.y;
  if (ow < 2 * W) out[((size_t)oh * 2 * W + ow) * C8 + c] = __ldg(&in[((size_t)(oh / 2) * W + ow / 2) * C8 + c]);
}

// Patches of a picture as rows, with their positions' embedding: from bytes, normalized.
template <int PATCH>
__global__ void patches_from_bytes(const uchar4* __restrict__ img, __half* __restrict__ rows, int W, int patches_x, float3 mean, float3 inv_std) {
  const int patch = blockIdx.x, px = patch % patches_x, py = patch / patches_x;
  for (int i = threadIdx.x; i < PATCH * PATCH; i += blockDim.x) {
    const uchar4 v = img[((size_t)blockIdx.y * gridDim.x / patches_x * PATCH + py * PATCH + i / PATCH) * W + px * PATCH + i % PATCH];
    __half* r = rows + ((size_t)blockIdx.y * gridDim.x + patch) * 3 * PATCH * PATCH + i;
    r[0] = __float2half((v.x / 255.f - mean.x) * inv_std.x);
    r[PATCH * PATCH] = __float2half((v.y / 255.f - mean.y) * inv_std.y);
    r[2 * PATCH * PATCH] = __float2half((v.z / 255.f - mean.z) * inv_std.z);
  }
}

// Attention to the 77 words of a prompt: keys and values of a head in shared memory, a warp a pixel.
__global__ __launch_bounds__(256) void cross_attention_77(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v, __half* __restrict__ o, int pixels, int heads, float scale) {
  constexpr int D = 40, KEYS = 77;
  __shared__ __half ks[KEYS][D + 2], vs[KEYS][D + 2];
  __shared__ float ps[8][80], qs[8][D];
  const int h = blockIdx.y, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < KEYS * D; i += 256) {
    ks[i / D][i % D] = k[(size_t)(i / D) * heads * D + h * D + i % D];
    vs[i / D][i % D] = v[(size_t)(i / D) * heads * D + h * D + i % D];
  }
  __syncthreads();
  for (int p = blockIdx.x * 8 + warp; p < pixels; p += gridDim.x * 8) {
    const size_t at = ((size_t)p * heads + h) * D;
    for (int i = lane; i < D; i += 32) qs[warp][i] = __half2float(q[at + i]) * scale;
    __syncwarp();
    float s[3], top = -INFINITY, sum = 0.f;
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      const int key = j * 32 + lane;
      s[j] = -INFINITY;
      if (key < KEYS) {
        float dot = 0.f;
        for (int i = 0; i < D; ++i) dot += qs[warp][i] * __half2float(ks[key][i]);
        s[j] = dot;
      }
      top = fmaxf(top, s[j]);
    }
    for (int m = 16; m; m /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, m));
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      s[j] = __expf(s[j] - top);
      sum += s[j];
      if (j * 32 + lane < 80) ps[warp][j * 32 + lane] = s[j];
    }
    for (int m = 16; m; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
    __syncwarp();
    for (int c = lane; c < D; c += 32) {
      float acc = 0.f;
      for (int key = 0; key < KEYS; ++key) acc += ps[warp][key] * __half2float(vs[key][c]);
      o[at + c] = __float2half(acc / sum);
    }
    __syncwarp();
  }
}

// The nearest entry of a codebook: entries pass through shared memory, a thread a vector of eight.
__global__ void nearest_codeword(const float4* __restrict__ z, const float4* __restrict__ codes, int* __restrict__ index, float* __restrict__ loss, int n, int entries) {
  __shared__ float4 sc[128 * 2];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 a = i < n ? z[2 * i] : make_float4(0, 0, 0, 0), b = i < n ? z[2 * i + 1] : make_float4(0, 0, 0, 0);
  float best = 1e30f;
  int at = 0;
  for (int e0 = 0; e0 < entries; e0 += 128) {
    __syncthreads();
    for (int j = threadIdx.x; j < 256; j += blockDim.x) sc[j] = codes[e0 * 2 + j];
    __syncthreads();
#pragma unroll 2
    for (int e = 0; e < 128; ++e) {
      const float4 c = sc[2 * e], d = sc[2 * e + 1];
      const float d0 = a.x - c.x, d1 = a.y - c.y, d2 = a.z - c.z, d3 = a.w - c.w, d4 = b.x - d.x, d5 = b.y - d.y, d6 = b.z - d.z, d7 = b.w - d.w;
      const float dist = d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3 + d4 * d4 + d5 * d5 + d6 * d6 + d7 * d7;
      if (dist < best) best = dist, at = e0 + e;
    }
  }
  if (i < n) index[i] = at;
  const float s = block_sum(i < n ? best : 0.f);
  if (threadIdx.x == 0) atomicAdd(loss, s);
}

// Gate by GELU of the second half, in half precision.
__global__ void geglu_half2(const __half2* __restrict__ in, __half2* __restrict__ out, int H2) {
  const int row = blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= H2) return;
  const float2 a = __half22float2(in[(size_t)row * 2 * H2 + c]), g = __half22float2(in[(size_t)row * 2 * H2 + H2 + c]);
  out[(size_t)row * H2 + c] = __floats2half2_rn(a.x * g.x * normcdff(g.x), a.y * g.y * normcdff(g.y));
}

// Mean and largest of each channel for its attention: a warp a channel.
__global__ void channel_mean_max(const float4* __restrict__ x, float* __restrict__ mean, float* __restrict__ most, int channels, int P4) {
  const int c = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (c >= channels) return;
  float s = 0.f, m = -INFINITY;
  for (int p = lane; p < P4; p += 32) {
    const float4 v = x[(size_t)c * P4 + p];
    s += v.x + v.y + v.z + v.w;
    m = fmaxf(fmaxf(fmaxf(m, v.x), fmaxf(v.y, v.z)), v.w);
  }
  for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o), m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  if (lane == 0) mean[c] = s / (4 * P4), most[c] = m;
}

// Loss of boxes by their intersection, union and smallest cover.
struct Box {
  float x1, y1, x2, y2;
};
__global__ void generalized_iou_loss(const Box* pred, const Box* truth, float* loss, int n) {
  KERNEL_LOOP(i, n) {
    Box a = pred[i], b = truth[i];
    float ax = a.x2 - a.x1, ay = a.y2 - a.y1, bx = b.x2 - b.x1, by = b.y2 - b.y1;
    float iw = fmaxf(fminf(a.x2, b.x2) - fmaxf(a.x1, b.x1), 0.f), ih = fmaxf(fminf(a.y2, b.y2) - fmaxf(a.y1, b.y1), 0.f);
    float inter = iw * ih, uni = ax * ay + bx * by - inter;
    float cover = (fmaxf(a.x2, b.x2) - fminf(a.x1, b.x1)) * (fmaxf(a.y2, b.y2) - fminf(a.y1, b.y1));
    loss[i] = 1.f - inter / (uni + 1e-7f) + (cover - uni) / (cover + 1e-7f);
  }
}

// Cut out at random, mirrored by chance, mixed with another picture, to floats by planes.
__global__ void crop_flip_mixup(const uchar3* __restrict__ images, float* __restrict__ out, const int4* __restrict__ crops, const int* __restrict__ partner, const float* __restrict__ lambda, int H, int W, int S) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, n = blockIdx.z;
  if (x >= S || y >= S) return;
  float v[3] = {0.f, 0.f, 0.f};
  for (int half = 0; half < 2; ++half) {
    const int m = half ? partner[n] : n;
    const int4 c = crops[m];
    const float share = half ? 1.f - lambda[n] : lambda[n];
    const uchar3 p = images[((size_t)m * H + c.y + y) * W + c.x + (c.z ? S - 1 - x : x)];
    v[0] += share * p.x, v[1] += share * p.y, v[2] += share * p.z;
  }
  for (int k = 0; k < 3; ++k) out[(((size_t)n * 3 + k) * S + y) * S + x] = v[k] * (1.f / 127.5f) - 1.f;
}

// Binary cross entropy of logits with soft targets and weights of classes, loss and gradient.
__global__ void bce_logits_soft(const float* __restrict__ x, const float* __restrict__ target, const float* __restrict__ pos_weight, float* __restrict__ grad, float* __restrict__ total, int classes, int n, float smoothing) {
  float loss = 0.f;
  KERNEL_LOOP(i, n) {
    const float w = pos_weight[i % classes], t = target[i] * (1.f - smoothing) + 0.5f * smoothing, v = x[i], lw = 1.f + (w - 1.f) * t;
    const float softplus = log1pf(expf(-fabsf(v))) + fmaxf(-v, 0.f), sig = 1.f / (1.f + expf(-v));
    loss += (1.f - t) * v + lw * softplus;
    grad[i] = (1.f - t) - lw * (1.f - sig);
  }
  loss = block_sum(loss);
  if (threadIdx.x == 0) atomicAdd(total, loss);
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* x = on_device<float>(16 * M, [](uint32_t i) { return fraction(i + 31) * 2 - 1; });
  const float* w = on_device<float>(2 * M, [](uint32_t i) { return (fraction(i * 3 + 31) - 0.5f) * 0.2f; });
  float* o = zeros<float>(16 * M);
  const __half* h = on_device<__half>(16 * M, [](uint32_t i) { return __float2half(fraction(i + 3) * 2 - 1); });
  __half* ho = zeros<__half>(32 * M);
  const float* positive = on_device<float>(M, [](uint32_t i) { return fraction(i + 5) + 0.25f; });
  int* io = zeros<int>(M);
  std::vector<float> filter(8 * 25 * 8);
  for (size_t i = 0; i < filter.size(); ++i) filter[i] = fraction(uint32_t(i)) - 0.5f;
  CHECK(cudaMemcpyToSymbol(c_filter, filter.data(), filter.size() * sizeof(float)));

  run("conv2d_direct_3_s1", [&] { conv2d_direct<<<1024, 256>>>(x, w, w + M, o, 32, 56, 56, 64, 3, 1, 1, 56, 56, 2 * 64 * 56 * 56); });
  run("conv2d_direct_7_s2", [&] { conv2d_direct<<<2048, 128>>>(x, w, w + M, o, 3, 224, 224, 64, 7, 2, 3, 112, 112, 64 * 112 * 112); });
  run("conv5x5_constant_filter", [&] { conv5x5_constant_filter<<<dim3(20, 23, 2), dim3(32, 16)>>>(x, o, 8, 360, 640); });
  run("conv1x1_tile_pixels", [&] { conv1x1_tile_pixels<<<dim3(13, 6, 8), 256>>>(x, w, o, 256, 180, 784); });
  run("dwconv7_channels_last", [&] { dwconv7_channels_last<<<dim3(2, 4, 56), dim3(96, 4)>>>((const __half2*)h, (const __half2*)h + M, (const __half2*)h + 2 * M, (__half2*)ho, 56, 56, 192); });
  run("conv_input_grad_gather_s1", [&] { conv_input_grad_gather<3, 1><<<dim3(1, 4, 4 * 64), dim3(32, 8)>>>(x, w, o, 64, 28, 28, 64, 28, 28); });
  run("conv_input_grad_gather_s2", [&] { conv_input_grad_gather<3, 2><<<dim3(2, 7, 2 * 48), dim3(32, 8)>>>(x, w, o, 48, 56, 56, 64, 28, 28); });
  run("conv_filter_grad_block", [&] { conv_filter_grad_block<<<48 * 32, 256>>>(x, x + 4 * M, o, 4, 32, 48, 28, 28); });
  run("max_pool2_half4", [&] { max_pool2_half4<<<(8 * 56 * 56 * 32 + 255) / 256, 256>>>((const uint2*)h, (uint2*)ho, 112, 112, 32, 8 * 56 * 56 * 32); });
  run("avg_pool_grad_windows", [&] { avg_pool_grad_windows<<<1056, 256>>>(x, o, 256, 56, 56, 28, 28, 3, 2, 1); });
  run("batch_norm_train_relu", [&] { batch_norm_train_relu<<<128, 512>>>(x, o, w, w + 1000, o + 15 * M, o + 15 * M + 256, 16, 128, 1024, 0.1f, 1e-5f); });
  run("scale_shift_add_relu", [&] { scale_shift_add_relu<<<792, 512>>>((const __half2*)h, (const __half2*)h + 3 * M, (const __half2*)h, (const __half2*)h + 500, (__half2*)ho, 256, 4 * M); });
  float2* sums = zeros<float2>(64);
  run("group_sums_nhwc", [&] { group_sums_nhwc<<<dim3(64, 2), 160, 160 * sizeof(float2)>>>((const __half2*)h, sums, 4096, 160, 5, 64); });
  run("group_norm_swish_nhwc", [&] { group_norm_swish_nhwc<<<dim3(256, 2), 160>>>((const __half2*)h, sums, w, w + 1000, (__half2*)ho, 4096, 160, 5, 1.f / 40960); });
  const float* steps = on_device<float>(64, [](uint32_t i) { return float(hashed(i) % 1000); });
  run("timestep_sines", [&] { timestep_sines<<<dim3(2, 64), 128>>>(steps, o, 160, 64, 10000.f); });
  const int* t = on_device<int>(64, [](uint32_t i) { return int(hashed(i) % 1000); });
  const float* alphas = on_device<float>(1000, [](uint32_t i) { return std::exp(-6.f * float(i + 1) * float(i + 1) / 1e6f); });
  run("add_noise_box_muller", [&] { add_noise_box_muller<<<660, 256>>>((const float2*)x, (float2*)o, (float2*)o + 2 * M, t, alphas, 24576, 64 * 24576, 99u); });
  run("guided_step_eta", [&] { guided_step_eta<<<(1000000 + 255) / 256, 256>>>(h, h + M, o, 7.5f, 0.8f, 0.6f, 0.85f, 0.5f, 0.1f, x, 1000000); });
  run("upsample2_nearest_vec", [&] { upsample2_nearest_vec<<<dim3(64, 256), dim3(40, 4)>>>((const uint4*)h, (uint4*)ho, 128, 128, 40); });
  const uchar4* pixels = on_device<uchar4>(8 * 224 * 224, [](uint32_t i) { const uint32_t v = hashed(i); return make_uchar4(v, v >> 8, v >> 16, 255); });
  run("patches_from_bytes_16", [&] { patches_from_bytes<16><<<dim3(196, 8), 256>>>(pixels, ho, 224, 14, make_float3(0.48f, 0.46f, 0.41f), make_float3(3.7f, 3.8f, 3.6f)); });
  run("patches_from_bytes_14", [&] { patches_from_bytes<14><<<dim3(256, 8), 128>>>(pixels, ho, 224, 16, make_float3(0.48f, 0.46f, 0.41f), make_float3(3.7f, 3.8f, 3.6f)); });
  run("cross_attention_77", [&] { cross_attention_77<<<dim3(64, 8), 256>>>(h, h + 4 * M, h + 5 * M, ho, 4096, 8, 0.158f); });
  run("nearest_codeword", [&] { nearest_codeword<<<(20000 + 127) / 128, 128>>>((const float4*)x, (const float4*)x + M, io, o, 20000, 1024); });
  run("geglu_half2", [&] { geglu_half2<<<dim3(5, 2048), 256>>>((const __half2*)h, (__half2*)ho, 1280); });
  run("channel_mean_max", [&] { channel_mean_max<<<4096 / 4, 128>>>((const float4*)x, o, o + 8192, 4096, 784); });
  const Box* boxes = on_device<Box>(400000, [](uint32_t i) { const float a = fraction(i) * 600, b = fraction(i + 7) * 400; return Box{a, b, a + 5 + fraction(i + 9) * 100, b + 5 + fraction(i + 17) * 100}; });
  run("generalized_iou_loss", [&] { generalized_iou_loss<<<500, 256>>>(boxes, boxes + 1, o, 399999); });
  const uchar3* images = on_device<uchar3>(16 * 256 * 256, [](uint32_t i) { const uint32_t v = hashed(i); return make_uchar3(v, v >> 8, v >> 16); });
  const int4* crops = on_device<int4>(16, [](uint32_t i) { return make_int4(int(hashed(i) % 32), int(hashed(i + 50) % 32), int(hashed(i + 90) % 2), 0); });
  const int* partner = on_device<int>(16, [](uint32_t i) { return int((i * 7 + 3) % 16); });
  run("crop_flip_mixup", [&] { crop_flip_mixup<<<dim3(7, 28, 16), dim3(32, 8)>>>(images, o, crops, partner, positive, 256, 256, 224); });
  run("bce_logits_soft", [&] { bce_logits_soft<<<264, 512>>>(x, positive, positive, o, o + 2 * M, 80, M, 0.1f); });
  return 0;
}
