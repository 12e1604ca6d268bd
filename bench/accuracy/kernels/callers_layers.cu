// Layers of networks forward and backward: norms of planes, convolutions along one axis, by channel, transposed and deformable, regions, upsampling, gates, and small perceptrons.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cases.h"

// Instance norm and leaky ReLU: a plane a block.
template <int THREADS>
__global__ void instance_norm_lrelu(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta, float* __restrict__ y, int channels, int plane, float slope) {
  __shared__ float part[2][THREADS / 32];
  const float* src = x + (size_t)blockIdx.x * plane;
  float* dst = y + (size_t)blockIdx.x * plane;
  float sum = 0.f, sq = 0.f;
  for (int i = threadIdx.x; i < plane; i += THREADS) {
    const float v = src[i];
    sum += v;
    sq += v * v;
  }
  for (int o = 16; o > 0; o >>= 1) {
    sum += __shfl_down_sync(0xffffffffu, sum, o);
    sq += __shfl_down_sync(0xffffffffu, sq, o);
  }
  if ((threadIdx.x & 31) == 0) {
    part[0][threadIdx.x >> 5] = sum;
    part[1][threadIdx.x >> 5] = sq;
  }
  __syncthreads();
  sum = sq = 0.f;
  for (int w = 0; w < THREADS / 32; ++w) {
    sum += part[0][w];
    sq += part[1][w];
  }
  const float mean = sum / plane, inv = rsqrtf(sq / plane - mean * mean + 1e-5f);
  const int c = blockIdx.x % channels;
  const float g = gamma[c] * inv, b = beta[c] - mean * g;
  for (int i = threadIdx.x; i < plane; i += THREADS) {
    const float v = src[i] * g + b;
    dst[i] = v > 0.f ? v : v * slope;
  }
}

// Causal dilated convolution in groups along time, as in WaveNet and TCNs.
template <int K>
__global__ void grouped_conv1d_causal(const float* x, const float* w, const float* bias, float* y, int cin, int cout, int groups, int len, int dilation) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= len) return;
  int co = blockIdx.y, n = blockIdx.z;
  int per_group = cin / groups;
  int g = co / (cout / groups);
  const float* xs = x + ((size_t)n * cin + g * per_group) * len;
  const float* ws = w + (size_t)co * per_group * K;
  float acc = bias[co];
  for (int ci = 0; ci < per_group; ci++) {
    for (int k = 0; k < K; k++) {
      int p = t - (K - 1 - k) * dilation;
      if (p >= 0) acc += ws[ci * K + k] * xs[(size_t)ci * len + p];
    }
  }
  y[((size_t)n * cout + co) * len + t] = acc > 0 ? acc : 0;
}

// Depthwise 5x5 with channels last: two channels a thread.
__global__ void dwconv5_nhwc_half2(const __half2* __restrict__ in, const __half2* __restrict__ filter, __half2* __restrict__ out, int N, int H, int W, int C2) {
  const int c = threadIdx.x;
  const int pixel = blockIdx.x * blockDim.y + threadIdx.y;
  if (pixel >= N * H * W) return;
  const int x = pixel % W, y = pixel / W % H, n = pixel / (W * H);
  float2 acc = make_float2(0.f, 0.f);
#pragma unroll
  for (int dy = -2; dy <= 2; ++dy) {
    const int yy = y + dy;
    if (yy < 0 || yy >= H) continue;
#pragma unroll
    for (int dx = -2; dx <= 2; ++dx) {
      const int xx = x + dx;
      if (xx < 0 || xx >= W) continue;
      const float2 v = __half22float2(in[((n * H + yy) * W + xx) * C2 + c]);
      const float2 f = __half22float2(filter[((dy + 2) * 5 + dx + 2) * C2 + c]);
      acc.x = fmaf(v.x, f.x, acc.x);
      acc.y = fmaf(v.y, f.y, acc.y);
    }
  }
  out[pixel * C2 + c] = __float22half2_rn(acc);
}

// Gradient of a depthwise filter: a block for a tap of a channel.
__global__ void dwconv3_filter_grad(const float* __restrict__ x, const float* __restrict__ dy, float* __restrict__ dw, int N, int C, int H, int W) {
  __shared__ float red[128];
  const int c = blockIdx.x, tap = blockIdx.y, ky = tap / 3 - 1, kx = tap % 3 - 1, plane = H * W;
  float acc = 0;
  for (int i = threadIdx.x; i < N * plane; i += blockDim.x) {
    const int n = i / plane, r = i % plane, h = r / W + ky, w = r % W + kx;
    if (h < 0 || h >= H || w < 0 || w >= W) continue;
    acc += dy[(n * C + c) * plane + r] * x[(n * C + c) * plane + h * W + w];
  }
  red[threadIdx.x] = acc;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) red[threadIdx.x] += red[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) dw[c * 9 + tap] = red[0];
}

// Transposed convolution, 4x4 with stride 2: every output gathers its four taps of each channel.
__global__ void deconv4x4_stride2(const float* input, const float* weight, float* output, int inC, int outC, int inH, int inW) {
  int ox = blockIdx.x * blockDim.x + threadIdx.x;
  int oy = blockIdx.y * blockDim.y + threadIdx.y;
  int oc = blockIdx.z % outC;
  int n = blockIdx.z / outC;
  int outW = inW * 2, outH = inH * 2;
  if (ox >= outW || oy >= outH) return;
  float v = 0.0f;
  for (int ic = 0; ic < inC; ++ic) {
    for (int ky = (oy + 1) % 2; ky < 4; ky += 2) {
      int iy = (oy + 1 - ky) / 2;
      if (iy < 0 || iy >= inH) continue;
      for (int kx = (ox + 1) % 2; kx < 4; kx += 2) {
        int ix = (ox + 1 - kx) / 2;
        if (ix < 0 || ix >= inW) continue;
        v += input[((n * inC + ic) * inH + iy) * inW + ix] * weight[((ic * outC + oc) * 4 + ky) * 4 + kx];
      }
    }
  }
  output[((n * outC + oc) * outH + oy) * outW + ox] = tanhf(v);
}

template <typename T>
__device__ T bilinear_at(const T* data, int height, int width, T y, T x) {
  if (y < T(-1) || y > T(height) || x < T(-1) || x > T(width)) return 0;
  if (y <= 0) y = 0;
  if (x <= 0) x = 0;
  int y0 = (int)y, x0 = (int)x, y1, x1;
  if (y0 >= height - 1) y1 = y0 = height - 1, y = (T)y0; else y1 = y0 + 1;
  if (x0 >= width - 1) x1 = x0 = width - 1, x = (T)x0; else x1 = x0 + 1;
  T ly = y - y0, lx = x - x0, hy = 1 - ly, hx = 1 - lx;
  return hy * hx * data[y0 * width + x0] + hy * lx * data[y0 * width + x1] + ly * hx * data[y1 * width + x0] + ly * lx * data[y1 * width + x1];
}
// Regions of a feature map, averaged over samples between its points.
template <typename T>
__global__ void roi_align_forward(const int nthreads, const T* features, const T* rois, T* out, const T scale, const int channels, const int height, const int width, const int pooled, const int samples) {
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < nthreads; index += blockDim.x * gridDim.x) {
    int pw = index % pooled;
    int ph = (index / pooled) % pooled;
    int c = (index / pooled / pooled) % channels;
    int r = index / pooled / pooled / channels;
    const T* roi = rois + r * 5;
    int image = (int)roi[0];
    T x0 = roi[1] * scale, y0 = roi[2] * scale;
    T bw = max(roi[3] * scale - x0, (T)1) / pooled, bh = max(roi[4] * scale - y0, (T)1) / pooled;
    const T* plane = features + (image * channels + c) * height * width;
    T sum = 0;
    for (int iy = 0; iy < samples; iy++) {
      const T y = y0 + ph * bh + (iy + (T)0.5) * bh / samples;
      for (int ix = 0; ix < samples; ix++) {
        const T x = x0 + pw * bw + (ix + (T)0.5) * bw / samples;
        sum += bilinear_at(plane, height, width, y, x);
      }
    }
    out[index] = sum / (samples * samples);
  }
}

// Columns of a deformable convolution: every tap has its own offset and weight.
__global__ void deformable_im2col(int n, const float* im, const float* offset, const float* mask, float* col, int height, int width) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= n) return;
  const int w = index % width, h = index / width % height, c = index / width / height, plane = height * width;
  const float* src = im + c * plane;
  float* dst = col + (size_t)c * 9 * plane + h * width + w;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int tap = i * 3 + j;
      const float dy = offset[(2 * tap * height + h) * width + w], dx = offset[((2 * tap + 1) * height + h) * width + w];
      const float y = h - 1 + i + 4.f * dy, x = w - 1 + j + 4.f * dx;
      float val = 0.f;
      if (y > -1 && x > -1 && y < height && x < width) {
        const int y0 = (int)floorf(y), x0 = (int)floorf(x);
        const float ly = y - y0, lx = x - x0;
        const float v1 = y0 >= 0 && x0 >= 0 ? src[y0 * width + x0] : 0.f;
        const float v2 = y0 >= 0 && x0 + 1 < width ? src[y0 * width + x0 + 1] : 0.f;
        const float v3 = y0 + 1 < height && x0 >= 0 ? src[(y0 + 1) * width + x0] : 0.f;
        const float v4 = y0 + 1 < height && x0 + 1 < width ? src[(y0 + 1) * width + x0 + 1] : 0.f;
        val = (1 - ly) * ((1 - lx) * v1 + lx * v2) + ly * ((1 - lx) * v3 + lx * v4);
      }
      *dst = val * mask[(tap * height + h) * width + w];
      dst += plane;
    }
}

// Channels to pixels, r x r.
__global__ void pixel_shuffle(const float* __restrict__ in, float* __restrict__ out, int total, int C, int H, int W, int r) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
    int ow = i % (W * r), oh = i / (W * r) % (H * r), c = i / (W * r) / (H * r) % C, n = i / (W * r) / (H * r) / C;
    out[i] = in[(((n * C + c) * r * r + oh % r * r + ow % r) * H + oh / r) * W + ow / r];
  }
}

// Gradients of a PReLU: of its input, and of a channel's slope over the batch.
__global__ __launch_bounds__(256) void prelu_backward(const float4* __restrict__ x, const float4* __restrict__ dy, const float* __restrict__ slope, float4* __restrict__ dx, float* dslope, int N, int C, int plane4) {
  const int c = blockIdx.x;
  const float a = slope[c];
  float sum = 0.f;
  for (int n = blockIdx.y; n < N; n += gridDim.y)
    for (int i = threadIdx.x; i < plane4; i += 256) {
      const size_t at = (size_t)(n * C + c) * plane4 + i;
      const float4 v = x[at], g = dy[at];
      sum += fminf(v.x, 0.f) * g.x + fminf(v.y, 0.f) * g.y + fminf(v.z, 0.f) * g.z + fminf(v.w, 0.f) * g.w;
      dx[at] = make_float4(v.x > 0 ? g.x : a * g.x, v.y > 0 ? g.y : a * g.y, v.z > 0 ? g.z : a * g.z, v.w > 0 ? g.w : a * g.w);
    }
  for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x % 32 == 0) atomicAdd(dslope + c, sum);
}

// Gradient of bilinear upsampling: four atomic additions an output.
__global__ void upsample_bilinear_grad(const float* dout, float* din, int planes, int inH, int inW, int outH, int outW) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= planes * outH * outW) return;
  int x = i % outW, y = i / outW % outH, p = i / outW / outH;
  float sy = fmaxf((y + 0.5f) * inH / outH - 0.5f, 0.f), sx = fmaxf((x + 0.5f) * inW / outW - 0.5f, 0.f);
  int y0 = (int)sy, x0 = (int)sx;
  int y1 = y0 + (y0 < inH - 1), x1 = x0 + (x0 < inW - 1);
  float fy = sy - y0, fx = sx - x0, g = dout[i];
  float* d = din + p * inH * inW;
  atomicAdd(&d[y0 * inW + x0], (1 - fy) * (1 - fx) * g);
  atomicAdd(&d[y0 * inW + x1], (1 - fy) * fx * g);
  atomicAdd(&d[y1 * inW + x0], fy * (1 - fx) * g);
  atomicAdd(&d[y1 * inW + x1], fy * fx * g);
}

// Local response normalization across channels: a pixel a thread, a window that slides.
__global__ void lrn_across_channels(const float* in, float* out, float* scale, int N, int C, int plane, int size, float alpha_over_size, float beta) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N * plane) return;
  const float* x = in + (size_t)(i / plane) * C * plane + i % plane;
  float* y = out + (x - in);
  float* s = scale + (x - in);
  int pad = (size - 1) / 2;
  float acc = 0;
  for (int head = 0; head < C + pad; ++head) {
    if (head < C) acc += x[head * plane] * x[head * plane];
    if (head - size >= 0) acc -= x[(head - size) * plane] * x[(head - size) * plane];
    int c = head - pad;
    if (c >= 0) {
      float v = 1.0f + acc * alpha_over_size;
      s[c * plane] = v;
      y[c * plane] = x[c * plane] * powf(v, -beta);
    }
  }
}

// A step of a GRU after its two products.
__global__ void gru_step(const float* __restrict__ gates_x, const float* __restrict__ gates_h, const float* __restrict__ bias, const float* __restrict__ h_prev, float* __restrict__ h, float* __restrict__ saved, int batch, int hidden) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
  if (j >= hidden) return;
  const float *gx = gates_x + b * 3 * hidden, *gh = gates_h + b * 3 * hidden;
  const float r = 1.f / (1.f + expf(-(gx[j] + gh[j] + bias[j])));
  const float z = 1.f / (1.f + expf(-(gx[hidden + j] + gh[hidden + j] + bias[hidden + j])));
  const float hn = gh[2 * hidden + j] + bias[3 * hidden + j];
  const float n = tanhf(gx[2 * hidden + j] + bias[2 * hidden + j] + r * hn);
  const float hp = h_prev[b * hidden + j];
  h[b * hidden + j] = (1.f - z) * n + z * hp;
  float* s = saved + b * 5 * hidden + j;
  s[0] = r, s[hidden] = z, s[2 * hidden] = n, s[3 * hidden] = hp, s[4 * hidden] = hn;
}

// Channels scaled by a squeeze and an excitation, the residual, and ReLU.
__global__ void se_scale_residual(const __nv_bfloat162* __restrict__ x, const __nv_bfloat162* __restrict__ residual, const float* __restrict__ logits, __nv_bfloat162* __restrict__ y, int plane2) {
  const int nc = blockIdx.y;
  const float s = 1.f / (1.f + __expf(-logits[nc]));
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= plane2) return;
  const float2 a = __bfloat1622float2(x[nc * plane2 + i]), r = __bfloat1622float2(residual[nc * plane2 + i]);
  y[nc * plane2 + i] = __floats2bfloat162_rn(fmaxf(a.x * s + r.x, 0.f), fmaxf(a.y * s + r.y, 0.f));
}

// A perceptron of a small radiance field: a sample a thread, weights in shared memory.
template <int IN, int HID, int OUT>
__global__ void tiny_mlp(const float* __restrict__ x, const float* __restrict__ weights, float* __restrict__ y, int n) {
  __shared__ float w1[HID * IN], w2[HID * HID], w3[OUT * HID];
  for (int i = threadIdx.x; i < HID * IN; i += blockDim.x) w1[i] = weights[i];
  for (int i = threadIdx.x; i < HID * HID; i += blockDim.x) w2[i] = weights[HID * IN + i];
  for (int i = threadIdx.x; i < OUT * HID; i += blockDim.x) w3[i] = weights[HID * IN + HID * HID + i];
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  float in[IN], h[HID];
#pragma unroll
  for (int i = 0; i < IN; ++i) in[i] = x[i * n + id];
#pragma unroll
  for (int j = 0; j < HID; ++j) {
    float a = 0.f;
#pragma unroll
    for (int i = 0; i < IN; ++i) a += w1[j * IN + i] * in[i];
    h[j] = fmaxf(a, 0.f);
  }
  float out[OUT] = {};
  for (int j = 0; j < HID; ++j) {
    float a = 0.f;
#pragma unroll
    for (int i = 0; i < HID; ++i) a += w2[j * HID + i] * h[i];
    a = fmaxf(a, 0.f);
#pragma unroll
    for (int o = 0; o < OUT; ++o) out[o] += w3[o * HID + j] * a;
  }
#pragma unroll
  for (int o = 0; o < OUT; ++o) y[o * n + id] = 1.f / (1.f + __expf(-out[o]));
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const float* a = on_device<float>(1 << 22, fraction);
  const float* b = on_device<float>(1 << 22, [](uint32_t i) { return fraction(i * 5 + 3) - 0.5f; });
  float* c = zeros<float>(1 << 23);
  float* d = zeros<float>(1 << 22);
  const __half* h = on_device<__half>(1 << 22, [](uint32_t i) { return __float2half(fraction(i) * 2 - 1); });
  __half* ho = zeros<__half>(1 << 22);
  const __nv_bfloat16* bf = on_device<__nv_bfloat16>(1 << 22, [](uint32_t i) { return __float2bfloat16(fraction(i + 9) * 2 - 1); });

  run("instance_norm_lrelu_56", [&] { instance_norm_lrelu<256><<<1024, 256>>>(b, a, b, c, 64, 56 * 56, 0.2f); });
  run("instance_norm_lrelu_250", [&] { instance_norm_lrelu<1024><<<48, 1024>>>(b, a, b, c, 24, 250 * 250, 0.2f); });
  run("grouped_conv1d_causal_5", [&] { grouped_conv1d_causal<5><<<dim3(8, 96, 4), 128>>>(b, b + 65536, b, c, 96, 96, 8, 1000, 2); });
  run("grouped_conv1d_causal_3", [&] { grouped_conv1d_causal<3><<<dim3(5, 200, 3), 192>>>(b, b + 65536, b, c, 400, 200, 100, 900, 7); });
  run("dwconv5_nhwc_half2", [&] { dwconv5_nhwc_half2<<<(16 * 784 + 2) / 3, dim3(72, 3)>>>((const __half2*)h, (const __half2*)h + 4096, (__half2*)ho, 16, 28, 28, 72); });
  run("dwconv3_filter_grad", [&] { dwconv3_filter_grad<<<dim3(64, 9), 128>>>(a, b, c, 8, 64, 28, 28); });
  run("deconv4x4_stride2", [&] { deconv4x4_stride2<<<dim3(2, 16, 3 * 12), dim3(32, 4)>>>(b, b + 1000, c, 16, 3, 30, 31); });
  std::vector<float> rois;
  for (uint32_t r = 0; r < 70; ++r) {
    const float x = 500 * fraction(7 * r), y = 400 * fraction(7 * r + 1);
    for (float v : {float(r % 2), x, y, x + 20 + 280 * fraction(7 * r + 2), y + 20 + 200 * fraction(7 * r + 3)}) rois.push_back(v);
  }
  const float* rois_d = on_device(rois);
  run("roi_align_forward", [&] { roi_align_forward<float><<<(70 * 64 * 49 + 511) / 512, 512>>>(70 * 64 * 49, b, rois_d, c, 1.f / 16, 64, 38, 50, 7, 2); });
  run("deformable_im2col", [&] { deformable_im2col<<<(128 * 38 * 38 + 255) / 256, 256>>>(128 * 38 * 38, b, b + 300000, a, c, 38, 38); });
  run("pixel_shuffle_2", [&] { pixel_shuffle<<<528, 256>>>(a, c, 8 * 12 * 128 * 150, 12, 64, 75, 2); });
  run("pixel_shuffle_3", [&] { pixel_shuffle<<<2000, 128>>>(a, c, 3 * 360 * 270, 3, 120, 90, 3); });
  run("prelu_backward", [&] { prelu_backward<<<dim3(48, 4), 256>>>((const float4*)b, (const float4*)a, a, (float4*)c, d, 16, 48, 784); });
  run("upsample_bilinear_grad", [&] { upsample_bilinear_grad<<<(30 * 90 * 110 + 255) / 256, 256>>>(b, d, 30, 45, 55, 90, 110); });
  run("lrn_across_channels", [&] { lrn_across_channels<<<(16 * 729 + 127) / 128, 128>>>(b, c, d, 16, 96, 729, 5, 2e-5f, 0.75f); });
  run("gru_step_1024", [&] { gru_step<<<dim3(4, 64), 256>>>(b, b + 200000, b + 500, b, c, d, 64, 1024); });
  run("gru_step_300", [&] { gru_step<<<dim3(3, 20), 128>>>(b, b + 200000, b + 500, b, c, d, 20, 300); });
  run("se_scale_residual", [&] { se_scale_residual<<<dim3(2, 5000), 224>>>((const __nv_bfloat162*)bf, (const __nv_bfloat162*)bf + 12, b, (__nv_bfloat162*)ho, 392); });
  run("tiny_mlp_32", [&] { tiny_mlp<16, 32, 4><<<(40000 + 127) / 128, 128>>>(b, b + 700000, c, 40000); });
  return 0;
}
