// Layers over images, and filters of images, in the forms in which others write them. Written and recorded after the model.
#include <cuda_fp16.h>

#include "cases.h"

__global__ void depthwise_conv3x3(const float* __restrict__ in, const float* __restrict__ w, const float* __restrict__ bias,
                                  float* __restrict__ out, int channels, int height, int width, int stride) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x, oh = height / stride, ow = width / stride;
  if (index >= channels * oh * ow) return;
  const int x = index % ow, y = (index / ow) % oh, c = index / (ow * oh);
  float sum = bias[c];
  for (int ky = 0; ky < 3; ky++) {
    const int iy = y * stride + ky - 1;
    if (iy < 0 || iy >= height) continue;
    for (int kx = 0; kx < 3; kx++) {
      const int ix = x * stride + kx - 1;
      if (ix >= 0 && ix < width) sum += in[(c * height + iy) * width + ix] * w[c * 9 + ky * 3 + kx];
    }
  }
  out[index] = fminf(fmaxf(sum, 0.f), 6.f);
}

// As in Caffe: a thread a column of one channel.
__global__ void im2col(int n, const float* data_im, int height, int width, int ksize, int pad, int stride, int height_col,
                       int width_col, float* data_col) {
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < n; index += blockDim.x * gridDim.x) {
    int w_out = index % width_col;
    index /= width_col;
    int h_out = index % height_col;
    int channel_in = index / height_col;
    index = (channel_in * height_col + h_out) * width_col + w_out;
    int h_in = h_out * stride - pad, w_in = w_out * stride - pad;
    float* col = data_col + (channel_in * ksize * ksize * height_col + h_out) * width_col + w_out;
    const float* im = data_im + (channel_in * height + h_in) * width + w_in;
    for (int i = 0; i < ksize; ++i)
      for (int j = 0; j < ksize; ++j) {
        int h = h_in + i, w = w_in + j;
        *col = (h >= 0 && w >= 0 && h < height && w < width) ? im[i * width + j] : 0;
        col += height_col * width_col;
      }
  }
}

// Normalization over groups of channels of an image whose channels lie together, and SiLU.
__global__ void group_norm_silu(const half* __restrict__ in, const half* __restrict__ weight, const half* __restrict__ bias,
                                half* __restrict__ out, int pixels, int channels, int per_group) {
  __shared__ float sums[2][32];
  const int group = blockIdx.x, n = blockIdx.y, pairs = per_group / 2;
  const half2* x = (const half2*)(in + (size_t)n * pixels * channels + group * per_group);
  half2* y = (half2*)(out + (size_t)n * pixels * channels + group * per_group);
  float sum = 0.f, square = 0.f;
  for (int i = threadIdx.x; i < pixels * pairs; i += blockDim.x) {
    const float2 v = __half22float2(x[i / pairs * (channels / 2) + i % pairs]);
    sum += v.x + v.y;
    square += v.x * v.x + v.y * v.y;
  }
  for (int o = 16; o > 0; o /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, o);
    square += __shfl_down_sync(0xffffffff, square, o);
  }
  if (threadIdx.x % 32 == 0) sums[0][threadIdx.x / 32] = sum, sums[1][threadIdx.x / 32] = square;
  __syncthreads();
  sum = square = 0.f;
  for (int i = 0; i < blockDim.x / 32; i++) sum += sums[0][i], square += sums[1][i];
  const float mean = sum / (pixels * per_group), inv = rsqrtf(square / (pixels * per_group) - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < pixels * pairs; i += blockDim.x) {
    const int c = i % pairs, at = i / pairs * (channels / 2) + c;
    const float2 v = __half22float2(x[at]);
    const float2 w = __half22float2(((const half2*)(weight + group * per_group))[c]);
    const float2 b = __half22float2(((const half2*)(bias + group * per_group))[c]);
    const float p = (v.x - mean) * inv * w.x + b.x, q = (v.y - mean) * inv * w.y + b.y;
    y[at] = __floats2half2_rn(p / (1.f + __expf(-p)), q / (1.f + __expf(-q)));
  }
}

// Welford's mean and variance, merged across lanes and warps; a block a channel of NCHW.
__global__ void batch_norm_welford(const float* __restrict__ in, float* __restrict__ mean_out, float* __restrict__ var_out, int batch,
                                   int channels, int pixels) {
  __shared__ float means[32], m2s[32], counts[32];
  float mean = 0.f, m2 = 0.f, count = 0.f;
  for (int n = 0; n < batch; n++)
    for (int i = threadIdx.x; i < pixels; i += blockDim.x) {
      const float x = in[(n * channels + blockIdx.x) * pixels + i];
      count += 1.f;
      const float delta = x - mean;
      mean += delta / count;
      m2 += delta * (x - mean);
    }
  auto merge = [&](float other_mean, float other_m2, float other_count) {
    const float total = count + other_count, delta = other_mean - mean;
    if (total == 0.f) return;
    mean += delta * other_count / total;
    m2 += other_m2 + delta * delta * count * other_count / total;
    count = total;
  };
  for (int o = 16; o > 0; o >>= 1)
    merge(__shfl_xor_sync(~0u, mean, o), __shfl_xor_sync(~0u, m2, o), __shfl_xor_sync(~0u, count, o));
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) means[warp] = mean, m2s[warp] = m2, counts[warp] = count;
  __syncthreads();
  if (warp != 0) return;
  const int warps = blockDim.x / 32;
  mean = lane < warps ? means[lane] : 0.f, m2 = lane < warps ? m2s[lane] : 0.f, count = lane < warps ? counts[lane] : 0.f;
  for (int o = 16; o > 0; o >>= 1)
    merge(__shfl_xor_sync(~0u, mean, o), __shfl_xor_sync(~0u, m2, o), __shfl_xor_sync(~0u, count, o));
  if (lane == 0) mean_out[blockIdx.x] = mean, var_out[blockIdx.x] = m2 / count;
}

// A graph layer: the mean of the neighbours' features, a warp a node, two features a lane.
__global__ void neighbor_mean(const int* __restrict__ ptr, const int* __restrict__ idx, const float2* __restrict__ x, float2* __restrict__ out, int nodes) {
  const int node = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (node >= nodes) return;
  float2 sum = make_float2(0.f, 0.f);
  const int begin = ptr[node], end = ptr[node + 1];
  for (int e = begin; e < end; e++) {
    const float2 v = x[idx[e] * 32 + lane];
    sum.x += v.x, sum.y += v.y;
  }
  const float scale = 1.f / max(end - begin, 1);
  out[node * 32 + lane] = make_float2(sum.x * scale, sum.y * scale);
}

__global__ void max_pool_indices(const float* __restrict__ in, float* __restrict__ out, int* __restrict__ where, int channels, int height, int width) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x, oh = height / 2, ow = width / 2;
  if (index >= channels * oh * ow) return;
  const int pw = index % ow, ph = index / ow % oh, c = index / ow / oh;
  const int hstart = max(ph * 2 - 1, 0), wstart = max(pw * 2 - 1, 0), hend = min(ph * 2 + 2, height), wend = min(pw * 2 + 2, width);
  const float* slice = in + c * height * width;
  float best = -3.402823e38f;
  int best_at = -1;
  for (int h = hstart; h < hend; ++h)
    for (int w = wstart; w < wend; ++w)
      if (slice[h * width + w] > best) best_at = h * width + w, best = slice[best_at];
  out[index] = best;
  where[index] = best_at;
}

// Boxes sorted by score: which of the later 64 a box suppresses.
__global__ void nms_bitmask(int n, float threshold, const float4* __restrict__ boxes, unsigned long long* __restrict__ mask) {
  const int row_start = blockIdx.y, col_start = blockIdx.x;
  if (row_start > col_start) return;
  const int row_size = min(n - row_start * 64, 64), col_size = min(n - col_start * 64, 64);
  __shared__ float4 block_boxes[64];
  if (threadIdx.x < col_size) block_boxes[threadIdx.x] = boxes[64 * col_start + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < row_size) {
    const int cur = 64 * row_start + threadIdx.x;
    const float4 a = boxes[cur];
    unsigned long long t = 0;
    const int start = row_start == col_start ? threadIdx.x + 1 : 0;
    for (int i = start; i < col_size; i++) {
      const float4 b = block_boxes[i];
      const float left = fmaxf(a.x, b.x), right = fminf(a.x + a.z, b.x + b.z), top = fmaxf(a.y, b.y), bottom = fminf(a.y + a.w, b.y + b.w);
      const float inter = fmaxf(right - left, 0.f) * fmaxf(bottom - top, 0.f);
      if (inter / (a.z * a.w + b.z * b.w - inter) > threshold) t |= 1ull << i;
    }
    mask[cur * gridDim.x + col_start] = t;
  }
}

__global__ void grid_sample(const float* __restrict__ in, const float2* __restrict__ grid, float* __restrict__ out, int channels, int h, int w) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= h * w) return;
  const float2 g = grid[i];
  const float x = ((g.x * 2.f) * w - 1.f) * 0.5f, y = ((g.y * 2.f) * h - 1.f) * 0.5f;
  const int x0 = (int)floorf(x), y0 = (int)floorf(y), x1 = x0 + 1, y1 = y0 + 1;
  const float nw = (x1 - x) * (y1 - y), ne = (x - x0) * (y1 - y), sw = (x1 - x) * (y - y0), se = (x - x0) * (y - y0);
  for (int c = 0; c < channels; c++) {
    const float* p = in + c * h * w;
    float v = 0.f;
    if (y0 >= 0 && y0 < h && x0 >= 0 && x0 < w) v += p[y0 * w + x0] * nw;
    if (y0 >= 0 && y0 < h && x1 >= 0 && x1 < w) v += p[y0 * w + x1] * ne;
    if (y1 >= 0 && y1 < h && x0 >= 0 && x0 < w) v += p[y1 * w + x0] * sw;
    if (y1 >= 0 && y1 < h && x1 >= 0 && x1 < w) v += p[y1 * w + x1] * se;
    out[c * h * w + i] = v;
  }
}

__global__ void bilateral_filter(const float* __restrict__ in, float* __restrict__ out, int width, int height, int radius, float space, float range) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float center = in[y * width + x];
  float sum = 0.f, weights = 0.f;
  for (int dy = -radius; dy <= radius; dy++)
    for (int dx = -radius; dx <= radius; dx++) {
      const int px = min(max(x + dx, 0), width - 1), py = min(max(y + dy, 0), height - 1);
      const float v = in[py * width + px], d = v - center;
      const float w = expf(-(dx * dx + dy * dy) * space - d * d * range);
      sum += w * v;
      weights += w;
    }
  out[y * width + x] = sum / weights;
}

__device__ __forceinline__ void order(int& a, int& b) {
  const int low = min(a, b);
  b = max(a, b);
  a = low;
}
__global__ void median_3x3(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  int p[9];
  for (int i = 0; i < 9; i++) p[i] = in[(y + i / 3 - 1) * width + x + i % 3 - 1];
  order(p[1], p[2]), order(p[4], p[5]), order(p[7], p[8]), order(p[0], p[1]), order(p[3], p[4]), order(p[6], p[7]);
  order(p[1], p[2]), order(p[4], p[5]), order(p[7], p[8]), order(p[0], p[3]), order(p[5], p[8]), order(p[4], p[7]);
  order(p[3], p[6]), order(p[1], p[4]), order(p[2], p[5]), order(p[4], p[7]), order(p[4], p[2]), order(p[6], p[4]);
  order(p[4], p[2]);
  out[y * width + x] = p[4];
}

// Running sums: a thread a column.
__global__ void box_columns(const float* __restrict__ in, float* __restrict__ out, int width, int height, int radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  const float scale = 1.f / (2 * radius + 1);
  float sum = in[x] * radius;
  for (int y = 0; y < radius + 1; y++) sum += in[y * width + x];
  out[x] = sum * scale;
  for (int y = 1; y < height; y++) {
    sum += in[min(y + radius, height - 1) * width + x];
    sum -= in[max(y - radius - 1, 0) * width + x];
    out[y * width + x] = sum * scale;
  }
}

__global__ void transpose_bytes(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int width, int height) {
  __shared__ unsigned char tile[32][36];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

__constant__ float cosines[64];
__global__ void dct_8x8(const float* __restrict__ in, short* __restrict__ out, int width) {
  __shared__ float block[8][32], half_way[8][32];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty, base = tx & ~7, u = tx & 7;
  block[ty][tx] = in[y * width + x] * 255.f - 128.f;
  __syncthreads();
  float sum = 0.f;
#pragma unroll
  for (int k = 0; k < 8; k++) sum += block[ty][base + k] * cosines[u * 8 + k];
  half_way[ty][tx] = sum;
  __syncthreads();
  sum = 0.f;
#pragma unroll
  for (int k = 0; k < 8; k++) sum += half_way[k][tx] * cosines[ty * 8 + k];
  out[y * width + x] = (short)rintf(sum / (1 + ty + u));
}

__global__ void nv12_to_rgb(const unsigned char* __restrict__ luma, const uchar2* __restrict__ chroma, uchar3* __restrict__ rgb, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const uchar2 uv = chroma[(y / 2) * (width / 2) + x / 2];
  const int c = luma[y * width + x] - 16, d = uv.x - 128, e = uv.y - 128;
  const int r = (298 * c + 409 * e + 128) >> 8, g = (298 * c - 100 * d - 208 * e + 128) >> 8, b = (298 * c + 516 * d + 128) >> 8;
  rgb[y * width + x] = make_uchar3(min(max(r, 0), 255), min(max(g, 0), 255), min(max(b, 0), 255));
}

__global__ void resize_bilinear(const uchar4* __restrict__ in, uchar4* __restrict__ out, int iw, int ih, int ow, int oh) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= ow || y >= oh) return;
  const float fx = (x + 0.5f) * iw / ow - 0.5f, fy = (y + 0.5f) * ih / oh - 0.5f;
  const int x0 = max((int)floorf(fx), 0), y0 = max((int)floorf(fy), 0), x1 = min(x0 + 1, iw - 1), y1 = min(y0 + 1, ih - 1);
  const float ax = fx - x0, ay = fy - y0;
  const uchar4 a = in[y0 * iw + x0], b = in[y0 * iw + x1], c = in[y1 * iw + x0], d = in[y1 * iw + x1];
  auto mix = [&](float p, float q, float r, float s) {
    const float top = p + (q - p) * ax, bottom = r + (s - r) * ax;
    return (unsigned char)(top + (bottom - top) * ay + 0.5f);
  };
  out[y * ow + x] = make_uchar4(mix(a.x, b.x, c.x, d.x), mix(a.y, b.y, c.y, d.y), mix(a.z, b.z, c.z, d.z), mix(a.w, b.w, c.w, d.w));
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const size_t most = 1 << 22;
  float* a = on_device<float>(most, fraction);
  float* b = on_device<float>(most, fraction);
  float* c = zeros<float>(most);
  int* where = zeros<int>(most);
  half* h = on_device<half>(most, [](uint32_t i) { return __float2half(fraction(i) - 0.5f); });
  half* out = zeros<half>(most);
  uint32_t* bits = on_device<uint32_t>(most, hashed);
  const auto bytes = [](void* p) { return reinterpret_cast<unsigned char*>(p); };

  run("depthwise_conv3x3_s1", [&] { depthwise_conv3x3<<<64 * 56 * 56 / 256, 256>>>(a, b, b, c, 64, 56, 56, 1); });
  run("depthwise_conv3x3_s2", [&] { depthwise_conv3x3<<<32 * 112 * 112 / 128, 128>>>(a, b, b, c, 32, 224, 224, 2); });
  run("im2col_3x3", [&] { im2col<<<64 * 56 * 56 / 512, 512>>>(64 * 56 * 56, a, 56, 56, 3, 1, 1, 56, 56, c); });
  run("group_norm_silu_40", [&] { group_norm_silu<<<dim3(32, 2), 256>>>(h, h, h, out, 1024, 1280, 40); });
  run("group_norm_silu_8", [&] { group_norm_silu<<<dim3(32, 8), 512>>>(h, h, h, out, 1024, 256, 8); });
  run("batch_norm_welford_64", [&] { batch_norm_welford<<<64, 512>>>(a, c, c + 64, 16, 64, 3136); });
  run("batch_norm_welford_512", [&] { batch_norm_welford<<<512, 64>>>(a, c, c + 512, 32, 512, 49); });
  std::vector<int> ptr(16385), idx;
  for (int v = 0; v < 16384; ++v) {
    for (uint32_t i = 0, degree = hashed(uint32_t(v)) % 24; i < degree; ++i) idx.push_back(int(hashed(uint32_t(v) * 31u + i) % 16384u));
    ptr[v + 1] = int(idx.size());
  }
  const int *ptrs = on_device(ptr), *indices = on_device(idx);
  run("neighbor_mean", [&] { neighbor_mean<<<4096, dim3(32, 4)>>>(ptrs, indices, (float2*)a, (float2*)c, 16384); });
  run("max_pool_indices", [&] { max_pool_indices<<<64 * 56 * 56 / 256, 256>>>(a, c, where, 64, 112, 112); });
  std::vector<float4> box(2000);
  for (uint32_t i = 0; i < box.size(); ++i) box[i] = {fraction(4 * i), fraction(4 * i + 1), 0.02f + 0.2f * fraction(4 * i + 2), 0.02f + 0.2f * fraction(4 * i + 3)};
  const float4* boxes = on_device(box);
  run("nms_bitmask", [&] { nms_bitmask<<<dim3(32, 32), 64>>>(2000, 0.5f, boxes, (unsigned long long*)c); });
  float2* warp = on_device<float2>(1 << 16, [](uint32_t i) {
    return float2{(i % 256 + 8 * fraction(i)) / 256.0f, (i / 256 + 8 * fraction(i + 3)) / 256.0f};
  });
  run("grid_sample", [&] { grid_sample<<<256, 256>>>(a, warp, c, 16, 256, 256); });
  for (int r : {2, 5})
    run(sized("bilateral_filter", r), [&] { bilateral_filter<<<dim3(16, 32), dim3(32, 16)>>>(a, c, 512, 512, r, 0.1f, 20.f); });
  run("median_3x3", [&] { median_3x3<<<dim3(60, 135), dim3(32, 8)>>>(bytes(bits), bytes(c), 1920, 1080); });
  run("box_columns", [&] { box_columns<<<16, 64>>>(a, c, 1024, 1024, 7); });
  run("transpose_bytes", [&] { transpose_bytes<<<dim3(64, 64), dim3(32, 8)>>>(bytes(bits), bytes(c), 2048, 2048); });
  float cosine[64];
  for (int i = 0; i < 64; ++i) cosine[i] = 1.0f / (1 + i % 9);
  CHECK(cudaMemcpyToSymbol(cosines, cosine, sizeof cosine));
  run("dct_8x8", [&] { dct_8x8<<<dim3(32, 128), dim3(32, 8)>>>(a, (short*)c, 1024); });
  run("nv12_to_rgb", [&] { nv12_to_rgb<<<dim3(40, 90), dim3(32, 8)>>>(bytes(bits), (uchar2*)(bits + (1 << 20)), (uchar3*)c, 1280, 720); });
  run("resize_bilinear", [&] { resize_bilinear<<<dim3(60, 68), dim3(16, 16)>>>((uchar4*)bits, (uchar4*)c, 1280, 720, 960, 1080); });
  return 0;
}
