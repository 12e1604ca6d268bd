// Images, video, signals and finance in the manner of the toolkit's samples: filters through textures, cosines and
// wavelets, fractals, disparity and flow, deinterlacing, filter banks, options, quasirandom numbers.
#include <cmath>

#include "cases.h"

typedef unsigned int uint;
typedef unsigned char uchar;
#define IMUL(a, b) __mul24(a, b)
#define iDivUp(a, b) (((a) + (b)-1) / (b))

__host__ __device__ inline uint rgbaFloatToInt(float4 rgba) {
  rgba.x = fminf(fmaxf(rgba.x, 0.f), 1.f);
  rgba.y = fminf(fmaxf(rgba.y, 0.f), 1.f);
  rgba.z = fminf(fmaxf(rgba.z, 0.f), 1.f);
  rgba.w = fminf(fmaxf(rgba.w, 0.f), 1.f);
  return (uint(rgba.w * 255.0f) << 24) | (uint(rgba.z * 255.0f) << 16) | (uint(rgba.y * 255.0f) << 8) | uint(rgba.x * 255.0f);
}
__device__ inline float4 rgbaIntToFloat(uint c) {
  float4 rgba;
  rgba.x = (c & 0xff) * 0.003921568627f;
  rgba.y = ((c >> 8) & 0xff) * 0.003921568627f;
  rgba.z = ((c >> 16) & 0xff) * 0.003921568627f;
  rgba.w = ((c >> 24) & 0xff) * 0.003921568627f;
  return rgba;
}
__device__ inline float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ inline float4 operator-(float4 a, float4 b) { return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
__device__ inline float4 operator*(float s, float4 a) { return make_float4(s * a.x, s * a.y, s * a.z, s * a.w); }

// ---- images ----

__constant__ float cGaussian[64];
__device__ float euclideanLen(float4 a, float4 b, float d) {
  float mod = (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) + (b.z - a.z) * (b.z - a.z);
  return __expf(-mod / (2.f * d * d));
}
__global__ void d_bilateral_filter(uint* od, int w, int h, float e_d, int r, cudaTextureObject_t rgbaTex) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0.0f;
  float factor;
  float4 t = {0.f, 0.f, 0.f, 0.f};
  float4 center = tex2D<float4>(rgbaTex, x, y);
  for (int i = -r; i <= r; i++) {
    for (int j = -r; j <= r; j++) {
      float4 curPix = tex2D<float4>(rgbaTex, x + j, y + i);
      factor = cGaussian[i + r] * cGaussian[j + r] * euclideanLen(curPix, center, e_d);
      t = t + factor * curPix;
      sum += factor;
    }
  }
  od[y * w + x] = rgbaFloatToInt(1.f / sum * t);
}

// Sums along rows by a running window: a thread a row.
__global__ void d_boxfilter_rgba_x(const uint* id, uint* od, int w, int h, int r) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= h) return;
  id += y * w, od += y * w;
  const float scale = 1.0f / (float)((r << 1) + 1);
  float4 t = r * rgbaIntToFloat(id[0]);
  for (int x = 0; x <= r; x++) t = t + rgbaIntToFloat(id[x]);
  od[0] = rgbaFloatToInt(scale * t);
  for (int x = 1; x < w; x++) {
    t = t + rgbaIntToFloat(id[min(x + r, w - 1)]);
    t = t - rgbaIntToFloat(id[max(x - r - 1, 0)]);
    od[x] = rgbaFloatToInt(scale * t);
  }
}

// A recursive Gaussian down a column and up again.
template <bool clampToEdge>
__global__ void d_recursiveGaussian_rgba(const uint* id, uint* od, int w, int h, float a0, float a1, float a2, float a3, float b1, float b2, float coefp, float coefn) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= w) return;
  id += x;
  od += x;
  float4 xp = make_float4(0.0f, 0.0f, 0.0f, 0.0f), yp = xp, yb = xp;
  if (clampToEdge) {
    xp = rgbaIntToFloat(*id);
    yb = coefp * xp;
    yp = yb;
  }
  for (int y = 0; y < h; y++) {
    float4 xc = rgbaIntToFloat(*id);
    float4 yc = a0 * xc + a1 * xp - b1 * yp - b2 * yb;
    *od = rgbaFloatToInt(yc);
    id += w;
    od += w;
    xp = xc;
    yb = yp;
    yp = yc;
  }
  id -= w;
  od -= w;
  float4 xn = make_float4(0.0f, 0.0f, 0.0f, 0.0f), xa = xn, yn = xn, ya = xn;
  if (clampToEdge) {
    xn = xa = rgbaIntToFloat(*id);
    yn = coefn * xn;
    ya = yn;
  }
  for (int y = h - 1; y >= 0; y--) {
    float4 xc = rgbaIntToFloat(*id);
    float4 yc = a2 * xn + a3 * xa - b1 * yn - b2 * ya;
    xa = xn;
    xn = xc;
    ya = yn;
    yn = yc;
    *od = rgbaFloatToInt(rgbaIntToFloat(*od) + yc);
    id -= w;
    od -= w;
  }
}

// Cosines of blocks of eight by eight, a thread a row and then a column, in shared memory.
#define C_a 1.387039845322148f
#define C_b 1.306562964876377f
#define C_c 1.175875602419359f
#define C_d 0.785694958387102f
#define C_e 0.541196100146197f
#define C_f 0.275899379282943f
#define C_norm 0.3535533905932737f
#define KER2_BLOCK_WIDTH 32
#define KER2_BLOCK_HEIGHT 16
#define KER2_SMEMBLOCK_STRIDE (KER2_BLOCK_WIDTH + 1)
__device__ void CUDAsubroutineInplaceDCTvector(float* Vect0, int Step) {
  float* v[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) v[k] = Vect0 + k * Step;
  float X07P = *v[0] + *v[7], X16P = *v[1] + *v[6], X25P = *v[2] + *v[5], X34P = *v[3] + *v[4];
  float X07M = *v[0] - *v[7], X61M = *v[6] - *v[1], X25M = *v[2] - *v[5], X43M = *v[4] - *v[3];
  float X07P34PP = X07P + X34P, X07P34PM = X07P - X34P, X16P25PP = X16P + X25P, X16P25PM = X16P - X25P;
  *v[0] = C_norm * (X07P34PP + X16P25PP);
  *v[2] = C_norm * (C_b * X07P34PM + C_e * X16P25PM);
  *v[4] = C_norm * (X07P34PP - X16P25PP);
  *v[6] = C_norm * (C_e * X07P34PM - C_b * X16P25PM);
  *v[1] = C_norm * (C_a * X07M - C_c * X61M + C_d * X25M - C_f * X43M);
  *v[3] = C_norm * (C_c * X07M + C_f * X61M - C_a * X25M + C_d * X43M);
  *v[5] = C_norm * (C_d * X07M + C_a * X61M + C_f * X25M - C_c * X43M);
  *v[7] = C_norm * (C_f * X07M + C_d * X61M + C_c * X25M + C_a * X43M);
}
__global__ void CUDAkernel2DCT(float* dst, float* src, int ImgStride) {
  __shared__ float block[KER2_BLOCK_HEIGHT * KER2_SMEMBLOCK_STRIDE];
  int OffsThreadInRow = threadIdx.y * 8 + threadIdx.x;
  int OffsThreadInCol = threadIdx.z * 8;
  src += (blockIdx.y * KER2_BLOCK_HEIGHT + OffsThreadInCol) * ImgStride + blockIdx.x * KER2_BLOCK_WIDTH + OffsThreadInRow;
  dst += (blockIdx.y * KER2_BLOCK_HEIGHT + OffsThreadInCol) * ImgStride + blockIdx.x * KER2_BLOCK_WIDTH + OffsThreadInRow;
  float* bl_ptr = block + OffsThreadInCol * KER2_SMEMBLOCK_STRIDE + OffsThreadInRow;
#pragma unroll
  for (unsigned int i = 0; i < 8; i++) bl_ptr[i * KER2_SMEMBLOCK_STRIDE] = src[i * ImgStride];
  __syncthreads();
  CUDAsubroutineInplaceDCTvector(block + (OffsThreadInCol + threadIdx.x) * KER2_SMEMBLOCK_STRIDE + OffsThreadInRow - threadIdx.x, 1);
  __syncthreads();
  CUDAsubroutineInplaceDCTvector(bl_ptr, KER2_SMEMBLOCK_STRIDE);
  __syncthreads();
  for (unsigned int i = 0; i < 8; i++) dst[i * ImgStride] = bl_ptr[i * KER2_SMEMBLOCK_STRIDE];
}

__constant__ short Q[64];
__global__ void CUDAkernelQuantizationShort(short* SrcDst, int Stride) {
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  short curCoef = SrcDst[(blockIdx.y * blockDim.y + ty) * Stride + blockIdx.x * 8 + tx];
  short curQuant = Q[(ty & 7) * 8 + tx];
  if (curCoef < 0) {
    curCoef = -curCoef;
    curCoef += curQuant >> 1;
    curCoef /= curQuant;
    curCoef = -curCoef;
  } else {
    curCoef += curQuant >> 1;
    curCoef /= curQuant;
  }
  curCoef = curCoef * curQuant;
  SrcDst[(blockIdx.y * blockDim.y + ty) * Stride + blockIdx.x * 8 + tx] = curCoef;
}

// Edges of bytes from a tile in shared memory, four pixels a thread.
__device__ uchar ComputeSobel(uchar ul, uchar um, uchar ur, uchar ml, uchar mm, uchar mr, uchar ll, uchar lm, uchar lr, float fScale) {
  short Horz = ur + 2 * mr + lr - ul - 2 * ml - ll;
  short Vert = ul + 2 * um + ur - ll - 2 * lm - lr;
  short Sum = (short)(fScale * (abs((int)Horz) + abs((int)Vert)));
  return Sum < 0 ? 0 : Sum > 0xff ? 0xff
                                  : Sum;
}
__global__ void SobelShared(uchar4* pSobel, const uchar* image, int pitch, int w, int h, float fScale) {
  __shared__ uchar tile[6][4 * 64 + 8];
  const int x0 = blockIdx.x * 256, y0 = blockIdx.y * 4;
  for (int r = threadIdx.y; r < 6; r += 4)
    for (int c = threadIdx.x; c < 258; c += 64) tile[r][c] = image[min(max(y0 + r - 1, 0), h - 1) * pitch + min(max(x0 + c - 1, 0), w - 1)];
  __syncthreads();
  const int x = x0 + 4 * threadIdx.x, y = y0 + threadIdx.y;
  if (x >= w || y >= h) return;
  const uchar *a = &tile[threadIdx.y][4 * threadIdx.x], *b = &tile[threadIdx.y + 1][4 * threadIdx.x], *c = &tile[threadIdx.y + 2][4 * threadIdx.x];
  uchar4 out;
  out.x = ComputeSobel(a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], fScale);
  out.y = ComputeSobel(a[1], a[2], a[3], b[1], b[2], b[3], c[1], c[2], c[3], fScale);
  out.z = ComputeSobel(a[2], a[3], a[4], b[2], b[3], b[4], c[2], c[3], c[4], fScale);
  out.w = ComputeSobel(a[3], a[4], a[5], b[3], b[4], b[5], c[3], c[4], c[5], fScale);
  pSobel[(y * pitch + x) / 4] = out;
}

// The Mandelbrot set in pairs of floats.
__device__ inline void dsadd(float& c0, float& c1, float a0, float a1, float b0, float b1) {
  float t1 = __fadd_rn(a0, b0), e = __fsub_rn(t1, a0);
  float t2 = __fadd_rn(__fadd_rn(__fadd_rn(__fsub_rn(b0, e), __fsub_rn(a0, __fsub_rn(t1, e))), a1), b1);
  c0 = __fadd_rn(t1, t2);
  c1 = __fsub_rn(t2, __fsub_rn(c0, t1));
}
__device__ inline void dsmul(float& c0, float& c1, float a0, float a1, float b0, float b1) {
  float c11 = __fmul_rn(a0, b0), c21 = __fmaf_rn(a0, b0, -c11);
  float c2 = __fadd_rn(__fmul_rn(a0, b1), __fmul_rn(a1, b0));
  float t1 = __fadd_rn(c11, c2), e = __fsub_rn(t1, c11);
  float t2 = __fadd_rn(__fadd_rn(__fadd_rn(__fsub_rn(c2, e), __fsub_rn(c11, __fsub_rn(t1, e))), c21), __fmul_rn(a1, b1));
  c0 = __fadd_rn(t1, t2);
  c1 = __fsub_rn(t2, __fsub_rn(c0, t1));
}
__global__ void MandelbrotDS(uchar4* dst, int imageW, int imageH, int crunch, double xOff, double yOff, double scale) {
  const int ix = blockDim.x * blockIdx.x + threadIdx.x, iy = blockDim.y * blockIdx.y + threadIdx.y;
  if (ix >= imageW || iy >= imageH) return;
  const double px = ix * scale + xOff, py = iy * scale + yOff;
  const float xp0 = (float)px, xp1 = (float)(px - xp0), yp0 = (float)py, yp1 = (float)(py - yp0);
  float x0 = 0, x1 = 0, y0 = 0, y1 = 0, xx0 = 0, xx1 = 0, yy0 = 0, yy1 = 0, sum0 = 0, sum1 = 0;
  int i = crunch;
  do {
    dsmul(y0, y1, x0, x1, y0, y1);
    dsadd(y0, y1, y0, y1, y0, y1);
    dsadd(y0, y1, y0, y1, yp0, yp1);
    dsadd(x0, x1, xx0, xx1, -yy0, -yy1);
    dsadd(x0, x1, x0, x1, xp0, xp1);
    dsmul(yy0, yy1, y0, y1, y0, y1);
    dsmul(xx0, xx1, x0, x1, x0, x1);
    dsadd(sum0, sum1, xx0, xx1, yy0, yy1);
  } while (--i && sum0 + sum1 < 4.0f);
  dst[imageW * iy + ix] = make_uchar4(i * 3, i * 5, i * 7, 0);
}

__global__ void d_renderFastBicubic(uchar4* d_output, uint width, uint height, float tx, float ty, float scale, float cx, float cy, cudaTextureObject_t texObj) {
  uint x = __umul24(blockIdx.x, blockDim.x) + threadIdx.x;
  uint y = __umul24(blockIdx.y, blockDim.y) + threadIdx.y;
  if (x >= width || y >= height) return;
  float u = (x - cx) * scale + cx + tx - 0.5f, v = (y - cy) * scale + cy + ty - 0.5f;
  float px = floorf(u), py = floorf(v), fx = u - px, fy = v - py;
  auto w0 = [](float a) { return (1.0f / 6.0f) * (a * (a * (-a + 3.0f) - 3.0f) + 1.0f); };
  auto w1 = [](float a) { return (1.0f / 6.0f) * (a * a * (3.0f * a - 6.0f) + 4.0f); };
  auto w2 = [](float a) { return (1.0f / 6.0f) * (a * (a * (-3.0f * a + 3.0f) + 3.0f) + 1.0f); };
  auto w3 = [](float a) { return (1.0f / 6.0f) * (a * a * a); };
  float g0x = w0(fx) + w1(fx), g1x = w2(fx) + w3(fx);
  float h0x = -1.0f + (w1(fx) / (w0(fx) + w1(fx))) + 0.5f, h1x = 1.0f + (w3(fx) / (w2(fx) + w3(fx))) + 0.5f;
  float h0y = -1.0f + (w1(fy) / (w0(fy) + w1(fy))) + 0.5f, h1y = 1.0f + (w3(fy) / (w2(fy) + w3(fy))) + 0.5f;
  float c = (w0(fy) + w1(fy)) * (g0x * tex2D<float>(texObj, px + h0x, py + h0y) + g1x * tex2D<float>(texObj, px + h1x, py + h0y)) + (w2(fy) + w3(fy)) * (g0x * tex2D<float>(texObj, px + h0x, py + h1y) + g1x * tex2D<float>(texObj, px + h1x, py + h1y));
  uchar grey = c * 0xff;
  d_output[y * width + x] = make_uchar4(grey, grey, grey, 0);
}

// Disparities by absolute differences of four bytes at once, windows of 17 by 17 from shared memory.
#define RAD 8
#define STEPS 3
__device__ unsigned int usad4(unsigned int A, unsigned int B, unsigned int C) {
  unsigned int result;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;"
      : "=r"(result)
      : "r"(A), "r"(B), "r"(C));
  return result;
}
__global__ void stereoDisparityKernel(const uint* g_img0, const uint* g_img1, uint* g_odata, int w, int h, int minDisparity, int maxDisparity) {
  const int tidx = blockDim.x * blockIdx.x + threadIdx.x;
  const int tidy = blockDim.y * blockIdx.y + threadIdx.y;
  const int sidx = threadIdx.x + RAD, sidy = threadIdx.y + RAD;
  __shared__ unsigned int diff[8 + 2 * RAD][32 + 2 * RAD];
  unsigned int best_cost = 9999999, best_disparity = 0;
  for (int d = minDisparity; d <= maxDisparity; d++) {
    for (int i = 0; i < STEPS; i++) {
      const int y = min(max(tidy - RAD + i * RAD, 0), h - 1);
      uint a = g_img0[y * w + min(max(tidx - RAD, 0), w - 1)], b = g_img1[y * w + min(max(tidx - RAD + d, 0), w - 1)];
      diff[sidy - RAD + i * RAD][sidx - RAD] = usad4(a, b, 0);
      if (threadIdx.x < 2 * RAD) {
        a = g_img0[y * w + min(tidx - RAD + 32, w - 1)], b = g_img1[y * w + min(max(tidx - RAD + 32 + d, 0), w - 1)];
        diff[sidy - RAD + i * RAD][sidx - RAD + 32] = usad4(a, b, 0);
      }
    }
    __syncthreads();
    for (int j = 0; j < STEPS; j++) {
      const int yoff = threadIdx.y + j * RAD;
      unsigned int cost = 0;
#pragma unroll
      for (int i = -RAD; i <= RAD; i++) cost += diff[yoff][sidx + i];
      __syncthreads();
      diff[yoff][sidx] = cost;
      __syncthreads();
    }
    unsigned int cost = 0;
#pragma unroll
    for (int i = -RAD; i <= RAD; i++) cost += diff[sidy + i][sidx];
    if (cost < best_cost) {
      best_cost = cost;
      best_disparity = d + 8;
    }
    __syncthreads();
  }
  if (tidy < h && tidx < w) g_odata[tidy * w + tidx] = best_disparity;
}

// Derivatives of two frames in space and time by five taps.
__global__ void ComputeDerivativesKernel(int width, int height, int stride, float* Ix, float* Iy, float* Iz, cudaTextureObject_t texSource, cudaTextureObject_t texTarget) {
  const int ix = threadIdx.x + blockIdx.x * blockDim.x;
  const int iy = threadIdx.y + blockIdx.y * blockDim.y;
  const int pos = ix + iy * stride;
  if (ix >= width || iy >= height) return;
  const float x = ix + 0.5f, y = iy + 0.5f;
  float t[2];
  for (int axis = 0; axis < 2; ++axis) {
    const float dx = axis == 0, dy = axis == 1;
    for (int k = 0; k < 2; ++k) {
      const cudaTextureObject_t tex = k ? texTarget : texSource;
      t[k] = tex2D<float>(tex, x - 2.0f * dx, y - 2.0f * dy) - tex2D<float>(tex, x - dx, y - dy) * 8.0f + tex2D<float>(tex, x + dx, y + dy) * 8.0f - tex2D<float>(tex, x + 2.0f * dx, y + 2.0f * dy);
    }
    (axis ? Iy : Ix)[pos] = (t[0] + t[1]) / 24.0f;
  }
  Iz[pos] = tex2D<float>(texTarget, x, y) - tex2D<float>(texSource, x, y);
}

// ---- video and signals ----

// The missing lines of a field: along edges in space, bounded by what neighbouring fields allow.
__global__ void yadif_lines(uchar* __restrict__ dst, const uchar* __restrict__ prev, const uchar* __restrict__ cur, const uchar* __restrict__ next, int w, int h, int parity) {
  const int xo = blockIdx.x * blockDim.x + threadIdx.x, yo = blockIdx.y * blockDim.y + threadIdx.y;
  if (xo >= w || yo >= h) return;
  if ((yo & 1) == parity) {
    dst[yo * w + xo] = cur[yo * w + xo];
    return;
  }
  const int ya = max(yo - 1, 0), yb = min(yo + 1, h - 1);
  auto at = [&](const uchar* p, int x, int y) { return (int)p[y * w + min(max(x, 0), w - 1)]; };
  int A[7], B[7];
#pragma unroll
  for (int k = 0; k < 7; ++k) A[k] = at(cur, xo + k - 3, ya), B[k] = at(cur, xo + k - 3, yb);
  int spatial_pred = (A[3] + B[3]) / 2;
  int spatial_score = abs(A[2] - B[2]) + abs(A[3] - B[3]) + abs(A[4] - B[4]);
  int score = abs(A[1] - B[3]) + abs(A[2] - B[4]) + abs(A[3] - B[5]);
  if (score < spatial_score) {
    spatial_score = score, spatial_pred = (A[2] + B[4]) / 2;
    score = abs(A[0] - B[4]) + abs(A[1] - B[5]) + abs(A[2] - B[6]);
    if (score < spatial_score) spatial_score = score, spatial_pred = (A[1] + B[5]) / 2;
  }
  score = abs(A[3] - B[1]) + abs(A[4] - B[2]) + abs(A[5] - B[3]);
  if (score < spatial_score) {
    spatial_score = score, spatial_pred = (A[4] + B[2]) / 2;
    score = abs(A[4] - B[0]) + abs(A[5] - B[1]) + abs(A[6] - B[2]);
    if (score < spatial_score) spatial_score = score, spatial_pred = (A[5] + B[1]) / 2;
  }
  const int C = A[3], G = B[3], D = (at(prev, xo, yo) + at(cur, xo, yo)) / 2;
  const int d0 = abs(at(prev, xo, yo) - at(cur, xo, yo)), d1 = (abs(at(prev, xo, ya) - C) + abs(at(prev, xo, yb) - G)) / 2, d2 = (abs(at(next, xo, ya) - C) + abs(at(next, xo, yb) - G)) / 2;
  const int diff = max(max(d0 / 2, d1), d2);
  spatial_pred = min(max(spatial_pred, D - diff), D + diff);
  dst[yo * w + xo] = min(max(spatial_pred, 0), 255);
}

// Motion between frames: a vertical and a horizontal filter of five taps, the sum of absolute differences.
__global__ void motion_score_5tap(const unsigned short* __restrict__ src, const unsigned short* __restrict__ previous, unsigned short* __restrict__ blurred, unsigned long long* __restrict__ sad, int w, int h) {
  const int filter[5] = {3571, 16004, 26386, 16004, 3571};
  __shared__ unsigned short tile[12][36];
  __shared__ unsigned row[12][36];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8, t = threadIdx.y * 32 + threadIdx.x;
  for (int i = t; i < 12 * 36; i += 256) tile[i / 36][i % 36] = src[min(abs(y0 + i / 36 - 2), h - 1) * w + min(abs(x0 + i % 36 - 2), w - 1)];
  __syncthreads();
  for (int i = t; i < 8 * 36; i += 256) {
    unsigned s = 0;
    for (int k = 0; k < 5; ++k) s += filter[k] * tile[i / 36 + k][i % 36];
    row[i / 36][i % 36] = (s + 512) >> 10;
  }
  __syncthreads();
  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  unsigned difference = 0;
  if (x < w && y < h) {
    unsigned long long s = 0;
    for (int k = 0; k < 5; ++k) s += (unsigned long long)filter[k] * row[threadIdx.y][threadIdx.x + k];
    const unsigned short value = (unsigned short)(s >> 22);
    blurred[y * w + x] = value;
    difference = abs((int)value - (int)previous[y * w + x]);
  }
  difference = __reduce_add_sync(~0u, difference);
  if (threadIdx.x == 0) atomicAdd(sad, (unsigned long long)difference);
}

// Up by one whole number, filtered, down by another: a thread an output of a channel.
template <typename T>
__global__ void upfirdn1D(const T* __restrict__ inp, const T* __restrict__ h_trans_flip, const int up, const int down, const int x_shape, const int h_per_phase, T* __restrict__ out, const int outW) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int stride = blockDim.x * gridDim.x;
  for (int tid = t; tid < outW; tid += stride) {
    int x_idx = (tid * down) / up;
    int h_idx = (tid * down) % up * h_per_phase;
    int x_conv_idx = x_idx - h_per_phase + 1;
    if (x_conv_idx < 0) {
      h_idx -= x_conv_idx;
      x_conv_idx = 0;
    }
    T temp = 0;
    int stop = (x_shape < (x_idx + 1)) ? x_shape : (x_idx + 1);
    for (int x_c = x_conv_idx; x_c < stop; x_c++) {
      temp += inp[blockIdx.y * x_shape + x_c] * h_trans_flip[h_idx];
      h_idx += 1;
    }
    out[blockIdx.y * outW + tid] = temp;
  }
}

// Second-order sections in a pipeline: a thread a section, samples handed on through shared memory.
template <typename T>
__global__ void sosfilt_pipeline(const int n_samples, const int n_sections, const T* __restrict__ sos, T* __restrict__ x_in) {
  extern __shared__ unsigned char raw[];
  T* s_out = reinterpret_cast<T*>(raw);
  const int ty = threadIdx.x, tx = blockIdx.x;
  s_out[ty] = 0;
  const T b0 = sos[ty * 6], b1 = sos[ty * 6 + 1], b2 = sos[ty * 6 + 2], a1 = sos[ty * 6 + 4], a2 = sos[ty * 6 + 5];
  T zi0 = 0, zi1 = 0;
  __syncthreads();
  T* x = x_in + tx * n_samples;
  for (int n = 0; n < n_samples + n_sections - 1; ++n) {
    const int mine = n - ty;
    const bool active = mine >= 0 && mine < n_samples;
    T xn = 0, y = 0;
    if (active) {
      xn = ty == 0 ? x[n] : s_out[ty - 1];
      y = b0 * xn + zi0;
      zi0 = b1 * xn - a1 * y + zi1;
      zi1 = b2 * xn - a2 * y;
    }
    __syncwarp();
    if (active) {
      if (ty < n_sections - 1)
        s_out[ty] = y;
      else
        x[mine] = y;
    }
    __syncwarp();
  }
}

// Haar wavelets: a block's pairs, level by level in shared memory without conflicts of banks.
__global__ void dwtHaar1D(float* id, float* od, float* approx_final, const unsigned int dlevels, const unsigned int slength_step_half, const int bdim) {
  extern __shared__ float shared[];
  const int tid = threadIdx.x, tid_global = blockIdx.x * bdim + tid;
  const int idata = blockIdx.x * (2 * bdim) + tid;
  shared[tid] = id[idata];
  shared[tid + bdim] = id[idata + bdim];
  __syncthreads();
  float data0 = shared[2 * tid], data1 = shared[2 * tid + 1];
  __syncthreads();
  od[tid_global + slength_step_half] = (data0 - data1) * 0.70710678f;
  int atid = tid + (tid >> 4);
  shared[atid] = (data0 + data1) * 0.70710678f;
  __syncthreads();
  int offset_neighbor = 1, num_threads = bdim >> 1, idata0 = tid * 2;
  for (unsigned int i = 1; i < dlevels; ++i) {
    if (tid < num_threads) {
      int idata1 = idata0 + offset_neighbor;
      int g_wpos = ((int)gridDim.x + (int)blockIdx.x) * num_threads;
      int c0 = idata0 + (idata0 >> 4), c1 = idata1 + (idata1 >> 4);
      od[g_wpos + tid] = (shared[c0] - shared[c1]) * 0.70710678f;
      shared[c0] = (shared[c0] + shared[c1]) * 0.70710678f;
      num_threads = num_threads >> 1;
      offset_neighbor <<= 1;
      idata0 = idata0 << 1;
    }
    __syncthreads();
  }
  if (tid == 0) approx_final[blockIdx.x] = shared[0];
}

// Walsh's transform: one step of radix four in global memory.
__global__ void fwtBatch2Kernel(float* d_Output, float* d_Input, int stride) {
  const int pos = blockIdx.x * blockDim.x + threadIdx.x;
  const int N = blockDim.x * gridDim.x * 4;
  float* d_Src = d_Input + blockIdx.y * N;
  float* d_Dst = d_Output + blockIdx.y * N;
  int lo = pos & (stride - 1);
  int i0 = ((pos - lo) << 2) + lo;
  int i1 = i0 + stride;
  int i2 = i1 + stride;
  int i3 = i2 + stride;
  float D0 = d_Src[i0], D1 = d_Src[i1], D2 = d_Src[i2], D3 = d_Src[i3];
  float T;
  T = D0, D0 = D0 + D2, D2 = T - D2;
  T = D1, D1 = D1 + D3, D3 = T - D3;
  T = D0, d_Dst[i0] = D0 + D1, d_Dst[i1] = T - D1;
  T = D2, d_Dst[i2] = D2 + D3, d_Dst[i3] = T - D3;
}

// ---- finance and numbers ----

__device__ inline float cndGPU(float d) {
  const float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
  float cnd = 0.39894228040143267793994605993438f * __expf(-0.5f * d * d) * (K * (0.31938153f + K * (-0.356563782f + K * (1.781477937f + K * (-1.821255978f + K * 1.330274429f)))));
  if (d > 0) cnd = 1.0f - cnd;
  return cnd;
}
__launch_bounds__(128) __global__ void BlackScholesGPU(float2* __restrict d_CallResult, float2* __restrict d_PutResult, float2* __restrict d_StockPrice, float2* __restrict d_OptionStrike, float2* __restrict d_OptionYears, float Riskfree, float Volatility, int optN) {
  const int opt = blockDim.x * blockIdx.x + threadIdx.x;
  auto body = [&](float& call, float& put, float S, float X, float T) {
    float sqrtT = __fdividef(1.0F, rsqrtf(T));
    float d1 = __fdividef(__logf(S / X) + (Riskfree + 0.5f * Volatility * Volatility) * T, Volatility * sqrtT);
    float d2 = d1 - Volatility * sqrtT;
    float CNDD1 = cndGPU(d1), CNDD2 = cndGPU(d2), expRT = __expf(-Riskfree * T);
    call = S * CNDD1 - X * expRT * CNDD2;
    put = X * expRT * (1.0f - CNDD2) - S * (1.0f - CNDD1);
  };
  if (opt < (optN / 2)) {
    float callResult1, callResult2, putResult1, putResult2;
    body(callResult1, putResult1, d_StockPrice[opt].x, d_OptionStrike[opt].x, d_OptionYears[opt].x);
    body(callResult2, putResult2, d_StockPrice[opt].y, d_OptionStrike[opt].y, d_OptionYears[opt].y);
    d_CallResult[opt] = make_float2(callResult1, callResult2);
    d_PutResult[opt] = make_float2(putResult1, putResult2);
  }
}

struct OptionData {
  double S, X, vDt, puByDf, pdByDf;
};
// A binomial tree a block: eight steps of nodes a thread in registers, neighbours through shared memory.
#define NUM_STEPS 1024
#define THREADBLOCK_SIZE 128
#define ELEMS_PER_THREAD (NUM_STEPS / THREADBLOCK_SIZE)
__global__ void binomialOptionsKernel(const OptionData* options, float* d_CallValue) {
  __shared__ double call_exchange[THREADBLOCK_SIZE + 1];
  const int tid = threadIdx.x;
  const double S = options[blockIdx.x].S, X = options[blockIdx.x].X, vDt = options[blockIdx.x].vDt, puByDf = options[blockIdx.x].puByDf, pdByDf = options[blockIdx.x].pdByDf;
  double call[ELEMS_PER_THREAD + 1];
#pragma unroll
  for (int i = 0; i < ELEMS_PER_THREAD; ++i) {
    double d = S * exp(vDt * (2.0 * (tid * ELEMS_PER_THREAD + i) - NUM_STEPS)) - X;
    call[i] = (d > 0.0) ? d : 0.0;
  }
  if (tid == 0) call_exchange[THREADBLOCK_SIZE] = fmax(S * exp(vDt * NUM_STEPS) - X, 0.0);
  int final_it = max(0, tid * ELEMS_PER_THREAD - 1);
#pragma unroll 16
  for (int i = NUM_STEPS; i > 0; --i) {
    call_exchange[tid] = call[0];
    __syncthreads();
    call[ELEMS_PER_THREAD] = call_exchange[tid + 1];
    __syncthreads();
    if (i > final_it) {
#pragma unroll
      for (int j = 0; j < ELEMS_PER_THREAD; ++j) call[j] = puByDf * call[j + 1] + pdByDf * call[j];
    }
  }
  if (tid == 0) d_CallValue[blockIdx.x] = (float)call[0];
}

// Paths of an option over a block, sums by a tree; the numbers are drawn beforehand.
__global__ void MonteCarloOneBlockPerOption(const float* __restrict__ samples, const float4* __restrict__ options, double2* __restrict__ values, int pathN) {
  const int SUM_N = 256;
  __shared__ double s_SumCall[SUM_N], s_Sum2Call[SUM_N];
  for (int optionIndex = blockIdx.x; optionIndex < 512; optionIndex += gridDim.x) {
    const float S = options[optionIndex].x, X = options[optionIndex].y, MuByT = options[optionIndex].z, VBySqrtT = options[optionIndex].w;
    for (int iSum = threadIdx.x; iSum < SUM_N; iSum += blockDim.x) {
      double sum = 0, sum2 = 0;
      for (int i = iSum; i < pathN; i += SUM_N) {
        float callValue = fmaxf(S * __expf(MuByT + VBySqrtT * samples[i]) - X, 0.f);
        sum += callValue;
        sum2 += callValue * callValue;
      }
      s_SumCall[iSum] = sum;
      s_Sum2Call[iSum] = sum2;
    }
    __syncthreads();
    for (int s = SUM_N / 2; s > 0; s >>= 1) {
      if (threadIdx.x < s) s_SumCall[threadIdx.x] += s_SumCall[threadIdx.x + s], s_Sum2Call[threadIdx.x] += s_Sum2Call[threadIdx.x + s];
      __syncthreads();
    }
    if (threadIdx.x == 0) values[optionIndex] = make_double2(s_SumCall[0], s_Sum2Call[0]);
    __syncthreads();
  }
}

#define QRNG_DIMENSIONS 3
#define QRNG_RESOLUTION 31
__constant__ unsigned int c_Table[QRNG_DIMENSIONS][QRNG_RESOLUTION];
__global__ void quasirandomGeneratorKernel(float* d_Output, unsigned int seed, unsigned int N) {
  unsigned int* dimBase = &c_Table[threadIdx.y][0];
  unsigned int tid = IMUL(blockDim.x, blockIdx.x) + threadIdx.x;
  unsigned int threadN = IMUL(blockDim.x, gridDim.x);
  for (unsigned int pos = tid; pos < N; pos += threadN) {
    unsigned int result = 0;
    unsigned int data = seed + pos;
    for (int bit = 0; bit < QRNG_RESOLUTION; bit++, data >>= 1)
      if (data & 1) result ^= dimBase[bit];
    d_Output[IMUL(threadIdx.y, N) + pos] = (float)(result + 1) * (1.0f / 2147483648.0f);
  }
}

__device__ inline float MoroInvCNDgpu(unsigned int x) {
  bool negate = false;
  if (x >= 0x80000000UL) {
    x = 0xffffffffUL - x;
    negate = true;
  }
  const float x1 = 1.0f / static_cast<float>(0xffffffffUL), x2 = x1 / 2.0f;
  float p1 = x * x1 + x2, p2 = p1 - 0.5f, z;
  if (p1 > 0.08f) {
    z = p2 * p2;
    z = p2 * (((-25.44106049637f * z + 41.39119773534f) * z + -18.61500062529f) * z + 2.50662823884f) / ((((3.13082909833f * z + -21.06224101826f) * z + 23.08336743743f) * z + -8.4735109309f) * z + 1.0f);
  } else {
    z = __logf(-__logf(p1));
    z = -(0.337475482f + z * (0.976169019f + z * (0.160797971f + z * (2.76438810e-2f + z * (3.8405729e-3f + z * (3.951896e-4f + z * (3.21767e-5f + z * (2.888167e-7f + z * 3.960315e-7f))))))));
  }
  return negate ? -z : z;
}
__global__ void inverseCNDKernel(float* d_Output, unsigned int* d_Input, unsigned int pathN) {
  unsigned int distance = ((unsigned int)-1) / (pathN + 1);
  unsigned int tid = IMUL(blockDim.x, blockIdx.x) + threadIdx.x;
  unsigned int threadN = IMUL(blockDim.x, gridDim.x);
  for (unsigned int pos = tid; pos < pathN; pos += threadN) {
    unsigned int d = d_Input ? d_Input[pos] : (pos + 1) * distance;
    d_Output[pos] = (float)MoroInvCNDgpu(d);
  }
}

template <class T>
cudaTextureObject_t texture_of(const std::vector<T>& host, int w, int h, cudaTextureFilterMode filter) {
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  CHECK(cudaMallocArray(&array, &format, w, h));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, host.data(), w * sizeof(T), w * sizeof(T), h, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc sampling = {};
  sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeClamp;
  sampling.filterMode = filter;
  sampling.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  return texture;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  float* f = on_device<float>(8 * M, [](uint32_t i) { return fraction(i); });
  uint* words = on_device<uint>(4 * M, hashed);
  const uchar* bytes = (const uchar*)words;
  float* o = zeros<float>(8 * M);
  uint* ow = (uint*)o;

  std::vector<uchar4> colours(1024 * 768);
  std::vector<uchar> greys[2] = {std::vector<uchar>(1024 * 768), std::vector<uchar>(1024 * 768)};
  for (uint32_t i = 0; i < colours.size(); ++i) {
    const int x = i % 1024, y = i / 1024, g = 128 + int(60 * std::sin(x * 0.03f) * std::cos(y * 0.02f));
    colours[i] = make_uchar4(uchar(g + hashed(i) % 32), uchar(g / 2 + hashed(i + 1) % 32), uchar(g + hashed(i + 2) % 16), 255);
    greys[0][i] = uchar(g + hashed(i) % 8), greys[1][i] = uchar(g + hashed(i + 5) % 12);
  }
  float weights[64];
  for (int k = 0; k < 64; ++k) weights[k] = std::exp(-(k - 5) * (k - 5) / 18.f);
  CHECK(cudaMemcpyToSymbol(cGaussian, weights, sizeof weights));
  const cudaTextureObject_t rgba = texture_of(colours, 1024, 768, cudaFilterModePoint);
  const cudaTextureObject_t first = texture_of(greys[0], 1024, 768, cudaFilterModeLinear), second = texture_of(greys[1], 1024, 768, cudaFilterModeLinear);
  const uint* picture = (const uint*)on_device(colours);
  run("d_bilateral_filter_5", [&] { d_bilateral_filter<<<dim3(64, 48), dim3(16, 16)>>>(ow, 1024, 768, 0.1f, 5, rgba); });
  run("d_boxfilter_rgba_x", [&] { d_boxfilter_rgba_x<<<12, 64>>>(picture, ow, 1024, 768, 10); });
  run("d_recursiveGaussian_rgba", [&] { d_recursiveGaussian_rgba<true><<<16, 64>>>(picture, ow, 1024, 300, 0.02f, 0.016f, 0.014f, -0.012f, -1.72f, 0.74f, 0.5f, 0.1f); });
  run("CUDAkernel2DCT", [&] { CUDAkernel2DCT<<<dim3(64, 96), dim3(8, 4, 2)>>>(o, f, 2048); });
  short* coefficients = on_device<short>(4 * M, [](uint32_t i) { return short(int(hashed(i) % 2000) - 1000); });
  short table[64];
  for (int k = 0; k < 64; ++k) table[k] = short(16 + k);
  CHECK(cudaMemcpyToSymbol(Q, table, sizeof table));
  run("CUDAkernelQuantizationShort", [&] { CUDAkernelQuantizationShort<<<dim3(256, 256), dim3(8, 8)>>>(coefficients, 2048); });
  run("SobelShared", [&] { SobelShared<<<dim3(8, 512), dim3(64, 4)>>>((uchar4*)ow, bytes, 2048, 2048, 2048, 0.5f); });
  run("MandelbrotDS", [&] { MandelbrotDS<<<dim3(40, 30), dim3(16, 16)>>>((uchar4*)ow, 640, 480, 384, -0.7471, 0.1102, 3e-6); });
  run("d_renderFastBicubic", [&] { d_renderFastBicubic<<<dim3(128, 64), dim3(16, 16)>>>((uchar4*)ow, 2048, 1024, 3.3f, -7.1f, 0.45f, 500.f, 300.f, first); });
  run("stereoDisparityKernel", [&] { stereoDisparityKernel<<<dim3(20, 60), dim3(32, 8)>>>(picture, picture + 3, ow, 640, 480, -8, 0); });
  run("ComputeDerivativesKernel", [&] { ComputeDerivativesKernel<<<dim3(32, 128), dim3(32, 6)>>>(1024, 768, 1024, o, o + M, o + 2 * M, first, second); });
  run("yadif_lines", [&] { yadif_lines<<<dim3(60, 68), dim3(32, 16)>>>((uchar*)ow, bytes, bytes + 4 * M, bytes + 8 * M, 1920, 1080, 1); });
  const unsigned short* deep = (const unsigned short*)words;
  run("motion_score_5tap", [&] { motion_score_5tap<<<dim3(60, 135), dim3(32, 8)>>>(deep, deep + 4 * M, (unsigned short*)ow, (unsigned long long*)(o + 4 * M), 1920, 1080); });
  run("upfirdn1D", [&] { upfirdn1D<float><<<dim3(132, 8), 256>>>(f, f + 4 * M, 5, 3, 100000, 24, o, 166000); });
  run("upfirdn1D_double", [&] { upfirdn1D<double><<<dim3(66, 4), 256>>>((const double*)f, (const double*)f + 3 * M, 3, 7, 200000, 40, (double*)o, 85000); });
  const float* sections = on_device<float>(32 * 6, [](uint32_t i) { const float c[6] = {0.3f, 0.2f, 0.1f, 1.f, -0.6f, 0.25f}; return c[i % 6] + 0.02f * fraction(i); });
  float* channels = on_device<float>(1056 * 1200, fraction);
  run("sosfilt_pipeline", [&] { sosfilt_pipeline<float><<<1056, 32, 32 * sizeof(float)>>>(1200, 32, sections, channels); });
  run("dwtHaar1D", [&] { dwtHaar1D<<<8192, 256, 512 * sizeof(float)>>>(f, o, o + 7 * M, 9, 8192 * 256, 256); });
  run("fwtBatch2Kernel", [&] { fwtBatch2Kernel<<<dim3(4096, 2), 256>>>(o, f, 1024); });

  run("BlackScholesGPU", [&] { BlackScholesGPU<<<M / 128, 128>>>((float2*)o, (float2*)(o + 2 * M), (float2*)f, (float2*)(f + 2 * M), (float2*)(f + 4 * M), 0.02f, 0.3f, 2 * M - 10); });
  const OptionData* options = on_device<OptionData>(384, [](uint32_t i) { return OptionData{5. + 25 * fraction(i), 1. + 99 * fraction(i + 1), 0.009, 0.501, 0.4989}; });
  run("binomialOptionsKernel", [&] { binomialOptionsKernel<<<384, THREADBLOCK_SIZE>>>(options, o); });
  const float* normal = on_device<float>(65536, [](uint32_t i) { return fraction(i) + fraction(i + 1) + fraction(i + 2) - 1.5f; });
  const float4* contracts = on_device<float4>(512, [](uint32_t i) { return make_float4(5 + 45 * fraction(i), 10 + 15 * fraction(i + 1), 0.05f, 0.2f + 0.3f * fraction(i)); });
  run("MonteCarloOneBlockPerOption", [&] { MonteCarloOneBlockPerOption<<<256, 256>>>(normal, contracts, (double2*)o, 32768); });
  unsigned int directions[QRNG_DIMENSIONS][QRNG_RESOLUTION];
  for (uint32_t k = 0; k < QRNG_DIMENSIONS * QRNG_RESOLUTION; ++k) directions[k / QRNG_RESOLUTION][k % QRNG_RESOLUTION] = hashed(k) & 0x7fffffff;
  CHECK(cudaMemcpyToSymbol(c_Table, directions, sizeof directions));
  run("quasirandomGeneratorKernel", [&] { quasirandomGeneratorKernel<<<264, dim3(128, QRNG_DIMENSIONS)>>>(o, 1000, 2 * M); });
  run("inverseCNDKernel", [&] { inverseCNDKernel<<<264, 128>>>(o, words, 3 * M); });
  return 0;
}
