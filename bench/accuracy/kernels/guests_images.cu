// Kernels on images and points in the forms of public repositories: filters, warps of images, distances, clusters.
#include <cfloat>

#include "cases.h"

// CUDA samples' separable convolution: eight results a thread, halos of one step.
#define KERNEL_RADIUS 8
__constant__ float c_Kernel[2 * KERNEL_RADIUS + 1];
__global__ void convolution_rows(float* d_Dst, float* d_Src, int imageW, int imageH, int pitch) {
  __shared__ float s_Data[4][(8 + 2) * 16];
  const int baseX = (blockIdx.x * 8 - 1) * 16 + threadIdx.x, baseY = blockIdx.y * 4 + threadIdx.y;
  d_Src += baseY * pitch + baseX;
  d_Dst += baseY * pitch + baseX;
#pragma unroll
  for (int i = 1; i < 1 + 8; i++) s_Data[threadIdx.y][threadIdx.x + i * 16] = d_Src[i * 16];
#pragma unroll
  for (int i = 0; i < 1; i++) s_Data[threadIdx.y][threadIdx.x + i * 16] = (baseX >= -i * 16) ? d_Src[i * 16] : 0;
#pragma unroll
  for (int i = 1 + 8; i < 1 + 8 + 1; i++) s_Data[threadIdx.y][threadIdx.x + i * 16] = (imageW - baseX > i * 16) ? d_Src[i * 16] : 0;
  __syncthreads();
#pragma unroll
  for (int i = 1; i < 1 + 8; i++) {
    float sum = 0;
#pragma unroll
    for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++) sum += c_Kernel[KERNEL_RADIUS - j] * s_Data[threadIdx.y][threadIdx.x + i * 16 + j];
    d_Dst[i * 16] = sum;
  }
}
__global__ void convolution_columns(float* d_Dst, float* d_Src, int imageW, int imageH, int pitch) {
  __shared__ float s_Data[16][(8 + 2) * 8 + 1];
  const int baseX = blockIdx.x * 16 + threadIdx.x, baseY = (blockIdx.y * 8 - 1) * 8 + threadIdx.y;
  d_Src += baseY * pitch + baseX;
  d_Dst += baseY * pitch + baseX;
#pragma unroll
  for (int i = 1; i < 1 + 8; i++) s_Data[threadIdx.x][threadIdx.y + i * 8] = d_Src[i * 8 * pitch];
#pragma unroll
  for (int i = 0; i < 1; i++) s_Data[threadIdx.x][threadIdx.y + i * 8] = (baseY >= -i * 8) ? d_Src[i * 8 * pitch] : 0;
#pragma unroll
  for (int i = 1 + 8; i < 1 + 8 + 1; i++) s_Data[threadIdx.x][threadIdx.y + i * 8] = (imageH - baseY > i * 8) ? d_Src[i * 8 * pitch] : 0;
  __syncthreads();
#pragma unroll
  for (int i = 1; i < 1 + 8; i++) {
    float sum = 0;
#pragma unroll
    for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++) sum += c_Kernel[KERNEL_RADIUS - j] * s_Data[threadIdx.x][threadIdx.y + i * 8 + j];
    d_Dst[i * 8 * pitch] = sum;
  }
}

// Gaussian blur of RGBA in bytes; the edge repeats.
__global__ void gaussian_blur_rgba(const uchar4* const in, uchar4* const out, int numRows, int numCols, const float* const filter, const int width) {
  const int2 p = make_int2(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y);
  if (p.x >= numCols || p.y >= numRows) return;
  float r = 0.0f, g = 0.0f, b = 0.0f;
  for (int fy = -width / 2; fy <= width / 2; ++fy) {
    for (int fx = -width / 2; fx <= width / 2; ++fx) {
      int y = min(max(p.y + fy, 0), numRows - 1), x = min(max(p.x + fx, 0), numCols - 1);
      float w = filter[(fy + width / 2) * width + fx + width / 2];
      uchar4 v = in[y * numCols + x];
      r += w * static_cast<float>(v.x);
      g += w * static_cast<float>(v.y);
      b += w * static_cast<float>(v.z);
    }
  }
  out[p.y * numCols + p.x] = make_uchar4(r, g, b, 255);
}

// Maxima over a disc, from a tile in shared memory.
__global__ void dilate_shared(const unsigned char* src, unsigned char* dst, int width, int height, int radius) {
  extern __shared__ unsigned char smem[];
  const int bw = blockDim.x + 2 * radius, bh = blockDim.y + 2 * radius;
  for (int y = threadIdx.y; y < bh; y += blockDim.y)
    for (int x = threadIdx.x; x < bw; x += blockDim.x) {
      int gx = (int)(blockIdx.x * blockDim.x) + x - radius, gy = (int)(blockIdx.y * blockDim.y) + y - radius;
      smem[y * bw + x] = (gx >= 0 && gx < width && gy >= 0 && gy < height) ? src[gy * width + gx] : 0;
    }
  __syncthreads();
  int gx = blockIdx.x * blockDim.x + threadIdx.x, gy = blockIdx.y * blockDim.y + threadIdx.y;
  if (gx >= width || gy >= height) return;
  unsigned char best = 0;
  for (int dy = -radius; dy <= radius; dy++)
    for (int dx = -radius; dx <= radius; dx++)
      if (dx * dx + dy * dy <= radius * radius) {
        unsigned char v = smem[(threadIdx.y + radius + dy) * bw + threadIdx.x + radius + dx];
        if (v > best) best = v;
      }
  dst[gy * width + gx] = best;
}

// 5 x 5 median by insertion in a local array.
__global__ void median_5x5_insertion(const unsigned char* in, unsigned char* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || y < 2 || x >= w - 2 || y >= h - 2) return;
  unsigned char window[25];
  int count = 0;
  for (int j = -2; j <= 2; j++)
    for (int i = -2; i <= 2; i++) {
      unsigned char v = in[(y + j) * w + x + i];
      int k = count++;
      while (k > 0 && window[k - 1] > v) {
        window[k] = window[k - 1];
        k--;
      }
      window[k] = v;
    }
  out[y * w + x] = window[12];
}

__global__ void equalize_apply(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, const unsigned int* __restrict__ cdf,
                               int n, unsigned int cdf_min) {
  __shared__ unsigned char lut[256];
  if (threadIdx.x < 256) lut[threadIdx.x] = (unsigned char)(255.0f * (cdf[threadIdx.x] - cdf_min) / (float)(n - cdf_min) + 0.5f);
  __syncthreads();
  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) out[i] = lut[in[i]];
}

__device__ float cubic(float x) {
  x = fabsf(x);
  if (x <= 1.0f) return 1.5f * x * x * x - 2.5f * x * x + 1.0f;
  if (x < 2.0f) return -0.5f * x * x * x + 2.5f * x * x - 4.0f * x + 2.0f;
  return 0.0f;
}
__global__ void resize_bicubic(const float* __restrict__ src, float* __restrict__ dst, int sw, int sh, int dw, int dh) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= dw || y >= dh) return;
  float fx = (x + 0.5f) * sw / dw - 0.5f, fy = (y + 0.5f) * sh / dh - 0.5f;
  int ix = (int)floorf(fx), iy = (int)floorf(fy);
  float sum = 0.0f, weight = 0.0f;
  for (int m = -1; m <= 2; m++) {
    for (int n = -1; n <= 2; n++) {
      int px = min(max(ix + n, 0), sw - 1), py = min(max(iy + m, 0), sh - 1);
      float w = cubic(fx - (ix + n)) * cubic(fy - (iy + m));
      sum += w * src[py * sw + px];
      weight += w;
    }
  }
  dst[y * dw + x] = sum / weight;
}

__global__ void rotate_bilinear(const float* in, float* out, int width, int height, float theta) {
  unsigned int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float u = (float)x - (float)width / 2, v = (float)y - (float)height / 2;
  float tu = u * cosf(theta) - v * sinf(theta) + width / 2, tv = v * cosf(theta) + u * sinf(theta) + height / 2;
  float value = 0.f;
  if (tu >= 0 && tv >= 0 && tu < width - 1 && tv < height - 1) {
    int iu = tu, iv = tv;
    float a = tu - iu, b = tv - iv;
    value = (1 - a) * (1 - b) * in[iv * width + iu] + a * (1 - b) * in[iv * width + iu + 1] + (1 - a) * b * in[(iv + 1) * width + iu] +
            a * b * in[(iv + 1) * width + iu + 1];
  }
  out[y * width + x] = value;
}

// Sums along rows of an integral image, a block a row.
__global__ void integral_rows(const unsigned char* in, unsigned int* out, int width) {
  __shared__ unsigned int buf[2][256];
  __shared__ unsigned int carry;
  int row = blockIdx.x, tid = threadIdx.x;
  if (tid == 0) carry = 0;
  for (int base = 0; base < width; base += 256) {
    int cur = 0;
    buf[0][tid] = base + tid < width ? in[row * width + base + tid] : 0;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
      buf[cur ^ 1][tid] = tid >= d ? buf[cur][tid] + buf[cur][tid - d] : buf[cur][tid];
      cur ^= 1;
      __syncthreads();
    }
    if (base + tid < width) out[row * width + base + tid] = buf[cur][tid] + carry;
    __syncthreads();
    if (tid == 255) carry += buf[cur][255];
    __syncthreads();
  }
}

__global__ void canny_suppress(const float* mag, const float* gx, const float* gy, unsigned char* out, int w, int h, float lo, float hi) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= w - 1 || y >= h - 1) return;
  int i = y * w + x;
  float m = mag[i], angle = atan2f(gy[i], gx[i]) * 57.29578f;
  if (angle < 0) angle += 180.f;
  float q, r;
  if (angle < 22.5f || angle >= 157.5f) {
    q = mag[i + 1], r = mag[i - 1];
  } else if (angle < 67.5f) {
    q = mag[i + w - 1], r = mag[i - w + 1];
  } else if (angle < 112.5f) {
    q = mag[i + w], r = mag[i - w];
  } else {
    q = mag[i - w - 1], r = mag[i + w + 1];
  }
  out[i] = m >= q && m >= r ? (m >= hi ? 255 : m >= lo ? 128 : 0) : 0;
}

struct Hsv {
  float h, s, v;
};
__global__ void rgb_to_hsv(const unsigned char* __restrict__ rgb, Hsv* __restrict__ hsv, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float r = rgb[3 * i] / 255.0f, g = rgb[3 * i + 1] / 255.0f, b = rgb[3 * i + 2] / 255.0f;
  float hi = fmaxf(r, fmaxf(g, b)), lo = fminf(r, fminf(g, b)), d = hi - lo;
  Hsv o;
  o.v = hi;
  o.s = hi > 0 ? d / hi : 0;
  if (d == 0)
    o.h = 0;
  else if (hi == r)
    o.h = 60 * fmodf((g - b) / d, 6);
  else if (hi == g)
    o.h = 60 * ((b - r) / d + 2);
  else
    o.h = 60 * ((r - g) / d + 4);
  if (o.h < 0) o.h += 360;
  hsv[i] = o;
}

__global__ void nlm_denoise(const float* __restrict__ in, float* __restrict__ out, int w, int h, float inv_h2) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 4, y = blockIdx.y * blockDim.y + threadIdx.y + 4;
  if (x >= w - 4 || y >= h - 4) return;
  float sum = 0.f, weights = 0.f;
  for (int j = -3; j <= 3; j++)
    for (int i = -3; i <= 3; i++) {
      float dist = 0.f;
      for (int n = -1; n <= 1; n++)
        for (int m = -1; m <= 1; m++) {
          float d = in[(y + j + n) * w + x + i + m] - in[(y + n) * w + x + m];
          dist += d * d;
        }
      float weight = __expf(-(dist * inv_h2 + (i * i + j * j) * 0.02f));
      sum += weight * in[(y + j) * w + x + i];
      weights += weight;
    }
  out[y * w + x] = sum / weights;
}

// A step of jump flooding: the nearest of nine seeds.
__global__ void jump_flood(const short2* in, short2* out, int size, int step) {
  int tx = blockIdx.x * blockDim.x + threadIdx.x, ty = blockIdx.y * blockDim.y + threadIdx.y;
  if (tx >= size || ty >= size) return;
  short2 best = make_short2(-1, -1);
  int best_dist = 0x7fffffff;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int nx = tx + dx * step, ny = ty + dy * step;
      if (nx < 0 || ny < 0 || nx >= size || ny >= size) continue;
      short2 s = in[ny * size + nx];
      if (s.x == -1) continue;
      int dist = (s.x - tx) * (s.x - tx) + (s.y - ty) * (s.y - ty);
      if (dist < best_dist) best_dist = dist, best = s;
    }
  out[ty * size + tx] = best;
}

// k-means: the nearest centre by constant memory, sums by shared atomics.
__constant__ float centroids[16 * 8];
__global__ void kmeans_step(const float* points, int* membership, float* sums, int* counts, int n) {
  __shared__ float s_sums[16 * 8];
  __shared__ int s_counts[16];
  for (int i = threadIdx.x; i < 128; i += blockDim.x) s_sums[i] = 0;
  if (threadIdx.x < 16) s_counts[threadIdx.x] = 0;
  __syncthreads();
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) {
    int index = -1;
    float min_dist = FLT_MAX;
    for (int c = 0; c < 16; c++) {
      float dist = 0;
      for (int f = 0; f < 8; f++) {
        float diff = points[f * n + id] - centroids[c * 8 + f];
        dist += diff * diff;
      }
      if (dist < min_dist) min_dist = dist, index = c;
    }
    membership[id] = index;
    for (int f = 0; f < 8; f++) atomicAdd(&s_sums[index * 8 + f], points[f * n + id]);
    atomicAdd(&s_counts[index], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 128; i += blockDim.x) atomicAdd(&sums[i], s_sums[i]);
  if (threadIdx.x < 16) atomicAdd(&counts[threadIdx.x], s_counts[threadIdx.x]);
}

// The K nearest of all points in three dimensions, by insertion.
template <int K>
__global__ void knn_brute(const float3* __restrict__ ref, const float3* __restrict__ query, float* __restrict__ dists, int* __restrict__ idx,
                          int nr, int nq) {
  __shared__ float3 tile[128];
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  float3 p = q < nq ? query[q] : make_float3(0, 0, 0);
  float best[K];
  int at[K];
  for (int k = 0; k < K; k++) best[k] = FLT_MAX, at[k] = -1;
  for (int base = 0; base < nr; base += 128) {
    if (base + threadIdx.x < nr) tile[threadIdx.x] = ref[base + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < min(128, nr - base); j++) {
      float dx = tile[j].x - p.x, dy = tile[j].y - p.y, dz = tile[j].z - p.z, d = dx * dx + dy * dy + dz * dz;
      if (d < best[K - 1]) {
        best[K - 1] = d, at[K - 1] = base + j;
#pragma unroll
        for (int k = K - 1; k > 0; k--)
          if (best[k] < best[k - 1]) {
            float t = best[k];
            best[k] = best[k - 1], best[k - 1] = t;
            int s = at[k];
            at[k] = at[k - 1], at[k - 1] = s;
          }
      }
    }
    __syncthreads();
  }
  if (q < nq)
    for (int k = 0; k < K; k++) dists[k * nq + q] = sqrtf(best[k]), idx[k * nq + q] = at[k];
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const size_t most = 1 << 22;
  float* a = on_device<float>(most, fraction);
  float* b = on_device<float>(most, fraction);
  float* c = zeros<float>(most);
  unsigned char* bytes = (unsigned char*)on_device<uint32_t>(1 << 21, hashed);
  unsigned char* out = zeros<unsigned char>(1 << 23);
  float taps[17];
  for (int i = 0; i < 17; ++i) taps[i] = 1.0f / 17;
  CHECK(cudaMemcpyToSymbol(c_Kernel, taps, sizeof taps));
  std::vector<float> centres(128);
  for (uint32_t i = 0; i < 128; ++i) centres[i] = fraction(i + 1000);
  CHECK(cudaMemcpyToSymbol(centroids, centres.data(), 512));

  for (int n : {256, 1536}) {
    run(sized("convolution_rows", n), [&] { convolution_rows<<<dim3(n / 128, n / 4), dim3(16, 4)>>>(c, a, n, n, n); });
    run(sized("convolution_columns", n), [&] { convolution_columns<<<dim3(n / 16, n / 64), dim3(16, 8)>>>(c, a, n, n, n); });
  }
  run("gaussian_blur_rgba", [&] { gaussian_blur_rgba<<<dim3(16, 32), dim3(32, 16)>>>((uchar4*)bytes, (uchar4*)out, 512, 512, a, 9); });
  run("dilate_shared_3", [&] { dilate_shared<<<dim3(32, 64), dim3(32, 16), 38 * 22>>>(bytes, out, 1024, 1024, 3); });
  run("dilate_shared_7", [&] { dilate_shared<<<dim3(16, 16), dim3(16, 16), 30 * 30>>>(bytes, out, 250, 250, 7); });
  run("median_5x5_insertion", [&] { median_5x5_insertion<<<dim3(12, 12), dim3(16, 16)>>>(bytes, out, 192, 192); });
  unsigned int* cdf = on_device<uint32_t>(256, [](uint32_t i) { return i * 8192u; });
  run("equalize_apply", [&] { equalize_apply<<<264, 256>>>(bytes, out, cdf, 1 << 21, 0); });
  run("resize_bicubic", [&] { resize_bicubic<<<dim3(48, 96), dim3(16, 8)>>>(a, c, 512, 512, 768, 768); });
  run("rotate_bilinear", [&] { rotate_bilinear<<<dim3(64, 64), dim3(16, 16)>>>(a, c, 1024, 1024, 0.5f); });
  run("integral_rows", [&] { integral_rows<<<720, 256>>>(bytes, (unsigned int*)c, 1280); });
  run("canny_suppress", [&] { canny_suppress<<<dim3(32, 128), dim3(32, 8)>>>(a, b, a + 99, out, 1024, 1024, 0.5f, 0.8f); });
  run("rgb_to_hsv", [&] { rgb_to_hsv<<<2048, 256>>>(bytes, (Hsv*)c, 1 << 19); });
  run("nlm_denoise", [&] { nlm_denoise<<<dim3(20, 20), dim3(16, 16)>>>(a, c, 320, 320, 2.0f); });
  std::vector<short2> seeds(512 * 512);
  for (uint32_t i = 0; i < seeds.size(); ++i) seeds[i] = hashed(i) % 50 ? short2{-1, -1} : short2{short(i % 512), short(i / 512)};
  const short2* seed = on_device(seeds);
  for (int step : {4, 64}) run(sized("jump_flood", step), [&] { jump_flood<<<dim3(32, 32), dim3(16, 16)>>>(seed, (short2*)out, 512, step); });
  run("kmeans_step", [&] { kmeans_step<<<1024, 256>>>(a, (int*)out, c, (int*)c + 256, 1 << 18); });
  run("knn_brute_8", [&] { knn_brute<8><<<64, 128>>>((float3*)a, (float3*)b, c, (int*)out, 2048, 8192); });
  return 0;
}
