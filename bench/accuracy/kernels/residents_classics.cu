// Classics: images and video, rays and fractals, transforms, finance, audio, courses in matrices, small linear algebra, games.
#include <cmath>

#include "cases.h"

typedef unsigned char uchar;

// ---- images and video ----

// Median of 3 x 3 by a network of exchanges
__device__ inline void order(uchar& a, uchar& b) {
  const uchar t = min(a, b);
  b = max(a, b);
  a = t;
}
__global__ void median9_exchange(const uchar* in, uchar* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  uchar p[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) p[k] = in[min(max(y + k / 3 - 1, 0), h - 1) * w + min(max(x + k % 3 - 1, 0), w - 1)];
  order(p[1], p[2]), order(p[4], p[5]), order(p[7], p[8]), order(p[0], p[1]), order(p[3], p[4]), order(p[6], p[7]), order(p[1], p[2]), order(p[4], p[5]), order(p[7], p[8]);
  order(p[0], p[3]), order(p[5], p[8]), order(p[4], p[7]), order(p[3], p[6]), order(p[1], p[4]), order(p[2], p[5]), order(p[4], p[7]), order(p[4], p[2]), order(p[6], p[4]);
  order(p[4], p[2]);
  out[y * w + x] = p[4];
}

// Erosion of rows by van Herk and Gil-Werman: minima from both ends of each segment, a row a block
__global__ void erode_rows_vanherk(const uchar* __restrict__ in, uchar* __restrict__ out, int w, int r) {
  extern __shared__ uchar rows[];  // from the left, from the right
  const int size = 2 * r + 1, padded = (w + 2 * r + size - 1) / size * size;
  uchar *left = rows, *right = rows + padded;
  const uchar* src = in + size_t(blockIdx.x) * w;
  for (int s = threadIdx.x; s < padded / size; s += blockDim.x) {
    uchar m = 255;
    for (int k = 0; k < size; ++k) {
      const int x = s * size + k - r;
      m = min(m, x >= 0 && x < w ? src[x] : uchar(255));
      left[s * size + k] = m;
    }
    m = 255;
    for (int k = size - 1; k >= 0; --k) {
      const int x = s * size + k - r;
      m = min(m, x >= 0 && x < w ? src[x] : uchar(255));
      right[s * size + k] = m;
    }
  }
  __syncthreads();
  for (int x = threadIdx.x; x < w; x += blockDim.x) out[size_t(blockIdx.x) * w + x] = min(right[x], left[x + size - 1]);
}

// Separable convolution, the columns: several results a thread out of shared memory
#define KR 8
__constant__ float blur_taps[2 * KR + 1] = {.005f, .01f, .02f, .03f, .05f, .07f, .09f, .11f, .23f, .11f, .09f, .07f, .05f, .03f, .02f, .01f, .005f};
template <int STEPS>
__global__ void blur_columns_steps(float* dst, const float* src, int w, int h, int pitch) {
  __shared__ float s[16][8 * (STEPS + 2) + 1];
  const int x = blockIdx.x * 16 + threadIdx.x, y0 = (blockIdx.y * STEPS - 1) * 8 + threadIdx.y;
  for (int i = 0; i < STEPS + 2; i++) {
    const int y = y0 + i * 8;
    s[threadIdx.x][threadIdx.y + i * 8] = x < w && y >= 0 && y < h ? src[y * pitch + x] : 0.f;
  }
  __syncthreads();
  if (x >= w) return;
#pragma unroll
  for (int i = 1; i <= STEPS; i++) {
    float sum = 0;
#pragma unroll
    for (int j = -KR; j <= KR; j++) sum += blur_taps[KR - j] * s[threadIdx.x][threadIdx.y + i * 8 + j];
    if (y0 + i * 8 < h) dst[(y0 + i * 8) * pitch + x] = sum;
  }
}

// Histogram equalisation: each block makes the table of levels, then maps four pixels a thread
__global__ void equalise_with_lut(const unsigned* __restrict__ hist, const uchar4* __restrict__ in, uchar4* __restrict__ out, int quads) {
  __shared__ unsigned cdf[256];
  __shared__ uchar lut[256];
  const int t = threadIdx.x;
  cdf[t] = hist[t];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    const unsigned v = t >= d ? cdf[t - d] : 0;
    __syncthreads();
    cdf[t] += v;
    __syncthreads();
  }
  lut[t] = uchar(255.f * (cdf[t] - cdf[0]) / fmaxf(float(cdf[255] - cdf[0]), 1.f));
  __syncthreads();
  for (int i = blockIdx.x * 256 + t; i < quads; i += gridDim.x * 256) {
    const uchar4 p = in[i];
    out[i] = make_uchar4(lut[p.x], lut[p.y], lut[p.z], lut[p.w]);
  }
}

// Hough transform for lines: a block for each angle, votes in shared memory
__global__ void hough_angle_votes(const short2* __restrict__ edges, int count, int* __restrict__ acc, int rhos, float rho_step) {
  extern __shared__ int votes[];
  for (int i = threadIdx.x; i < rhos; i += blockDim.x) votes[i] = 0;
  __syncthreads();
  float sn, cs;
  sincosf(blockIdx.x * 3.14159265f / gridDim.x, &sn, &cs);
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    const short2 e = edges[i];
    const int r = __float2int_rn((e.x * cs + e.y * sn) / rho_step) + rhos / 2;
    if (r >= 0 && r < rhos) atomicAdd(&votes[r], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < rhos; i += blockDim.x) acc[blockIdx.x * rhos + i] = votes[i];
}

// Optical flow of feature points by Lucas and Kanade, until the step is small
__device__ float bilinear(const float* im, int w, int h, float x, float y) {
  x = fminf(fmaxf(x, 0.f), w - 1.001f), y = fminf(fmaxf(y, 0.f), h - 1.001f);
  const int ix = int(x), iy = int(y);
  const float fx = x - ix, fy = y - iy, *p = im + iy * w + ix;
  return (1 - fy) * ((1 - fx) * p[0] + fx * p[1]) + fy * ((1 - fx) * p[w] + fx * p[w + 1]);
}
__global__ void lucas_kanade_points(const float* __restrict__ first, const float* __restrict__ second, int w, int h, const float2* points, float2* flow, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 p = points[i];
  float gxx = 1e-3f, gxy = 0, gyy = 1e-3f, u = 0, v = 0;
  for (int dy = -4; dy <= 4; ++dy)
    for (int dx = -4; dx <= 4; ++dx) {
      const float x = p.x + dx, y = p.y + dy;
      const float gx = .5f * (bilinear(first, w, h, x + 1, y) - bilinear(first, w, h, x - 1, y)), gy = .5f * (bilinear(first, w, h, x, y + 1) - bilinear(first, w, h, x, y - 1));
      gxx += gx * gx, gxy += gx * gy, gyy += gy * gy;
    }
  const float det = gxx * gyy - gxy * gxy;
  for (int it = 0; it < 10 && det > 1e-6f; ++it) {
    float bx = 0, by = 0;
    for (int dy = -4; dy <= 4; ++dy)
      for (int dx = -4; dx <= 4; ++dx) {
        const float x = p.x + dx, y = p.y + dy, d = bilinear(first, w, h, x, y) - bilinear(second, w, h, x + u, y + v);
        bx += d * .5f * (bilinear(first, w, h, x + 1, y) - bilinear(first, w, h, x - 1, y));
        by += d * .5f * (bilinear(first, w, h, x, y + 1) - bilinear(first, w, h, x, y - 1));
      }
    const float du = (gyy * bx - gxy * by) / det, dv = (gxx * by - gxy * bx) / det;
    u += du, v += dv;
    if (du * du + dv * dv < 1e-4f) break;
  }
  flow[i] = make_float2(u, v);
}

// Stereo: census words of both images, the best of all disparities by the number of differing bits
__global__ void stereo_census_best(const unsigned* __restrict__ left, const unsigned* __restrict__ right, uchar* __restrict__ disparity, int w, int h, int range) {
  extern __shared__ unsigned line[];
  const int y = blockIdx.y, x0 = blockIdx.x * blockDim.x, x = x0 + threadIdx.x;
  for (int i = threadIdx.x; i < blockDim.x + range; i += blockDim.x) {
    const int sx = x0 + i - range;
    line[i] = sx >= 0 && sx < w ? right[y * w + sx] : 0xffffffffu;
  }
  __syncthreads();
  if (x >= w) return;
  const unsigned c = left[y * w + x];
  int best = 99, where = 0;
  for (int d = 0; d < range; ++d) {
    const int cost = __popc(c ^ line[threadIdx.x + range - d]);
    if (cost < best) best = cost, where = d;
  }
  disparity[y * w + x] = uchar(where);
}

// Seam carving: the energies summed from the top, strips with overlapping margins
__global__ void seam_energy_strips(const float* __restrict__ energy, float* __restrict__ total, int w, int rows) {
  __shared__ float line[2][258];
  const int margin = rows - 1, x = blockIdx.x * (256 - 2 * margin) + threadIdx.x - margin, t = threadIdx.x + 1;
  if (threadIdx.x < 2) line[threadIdx.x][0] = line[threadIdx.x][257] = 1e30f;
  line[0][t] = x >= 0 && x < w ? energy[x] : 1e30f;
  __syncthreads();
  for (int y = 1; y < rows; ++y) {
    const float* last = line[(y - 1) & 1];
    const float least = fminf(last[t], fminf(last[t - 1], last[t + 1]));
    line[y & 1][t] = x >= 0 && x < w ? energy[y * w + x] + least : 1e30f;
    __syncthreads();
  }
  if (threadIdx.x >= margin && threadIdx.x < 256 - margin && x < w) total[x] = line[(rows - 1) & 1][t];
}

// Full search of motion vectors for blocks of 16 x 16: each thread tries some vectors
__global__ void motion_full_search(const uchar* __restrict__ now, const uchar* __restrict__ before, int2* __restrict__ vectors, int pitch, int w, int h) {
  __shared__ unsigned block[16][4];
  __shared__ unsigned best;
  const int bx = blockIdx.x * 16, by = blockIdx.y * 16, t = threadIdx.x;
  if (t == 0) best = ~0u;
  if (t < 64) block[t / 4][t % 4] = *reinterpret_cast<const unsigned*>(now + (by + t / 4) * pitch + bx + t % 4 * 4);
  __syncthreads();
  for (int v = t; v < 17 * 17; v += blockDim.x) {
    const int dx = v % 17 - 8, dy = v / 17 - 8;
    if (bx + dx < 0 || by + dy < 0 || bx + dx + 16 > w || by + dy + 16 > h) continue;
    unsigned sad = 0;
    for (int y = 0; y < 16; ++y) {
      const uchar* p = before + (by + dy + y) * pitch + bx + dx;
#pragma unroll
      for (int x = 0; x < 4; ++x) sad += __vsadu4(block[y][x], p[4 * x] | p[4 * x + 1] << 8 | p[4 * x + 2] << 16 | unsigned(p[4 * x + 3]) << 24);
    }
    atomicMin(&best, sad << 9 | v);
  }
  __syncthreads();
  if (t == 0) vectors[blockIdx.y * gridDim.x + blockIdx.x] = make_int2(best & 511, best >> 9);
}

// ---- transforms ----

// Cosine transform of 8 x 8 and quantisation: eight threads a block of pixels
__constant__ float dct_matrix[64];
__constant__ uchar jpeg_quant[64] = {16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26, 58, 60,  55,  14, 13,  16,  24,  40,  57, 69, 56, 14, 17, 22, 29,  51,  87,  80, 62,
                                     18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99};
__global__ void dct8_quantise(const uchar* __restrict__ image, short* __restrict__ coef, int w, int blocks) {
  __shared__ float s[16][8][9];
  const int b = blockIdx.x * 16 + threadIdx.y, k = threadIdx.x, across = w / 8;
  const bool valid = b < blocks;
  float v[8];
  if (valid) {
    const uchar* p = image + (b / across * 8 + k) * w + b % across * 8;
    for (int i = 0; i < 8; ++i) v[i] = p[i] - 128.f;
    for (int u = 0; u < 8; ++u) {
      float sum = 0.f;
      for (int i = 0; i < 8; ++i) sum += dct_matrix[u * 8 + i] * v[i];
      s[threadIdx.y][k][u] = sum;
    }
  }
  __syncthreads();
  if (!valid) return;
  for (int i = 0; i < 8; ++i) v[i] = s[threadIdx.y][i][k];
  for (int u = 0; u < 8; ++u) {
    float sum = 0.f;
    for (int i = 0; i < 8; ++i) sum += dct_matrix[u * 8 + i] * v[i];
    coef[b * 64 + u * 8 + k] = short(__float2int_rn(sum / jpeg_quant[u * 8 + k]));
  }
}

// Fourier transform of 1024 points, radix 4 between two halves of shared memory
__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__global__ void __launch_bounds__(256) fft1024_stockham4(const float2* __restrict__ in, float2* __restrict__ out) {
  __shared__ float2 s[2][1024];
  const int t = threadIdx.x;
  for (int k = 0; k < 4; ++k) s[0][t + k * 256] = in[blockIdx.x * 1024 + t + k * 256];
  __syncthreads();
  int from = 0;
  for (int p = 1; p < 1024; p *= 4) {
    const int k = t & (p - 1);
    float2 v[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      float sn, cs;
      __sincosf(-6.2831853f * r * k / (4.f * p), &sn, &cs);
      v[r] = s[from][t + r * 256] * make_float2(cs, sn);
    }
    const float2 a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3], e = make_float2(d.y, -d.x);
    const int j = (t - k) * 4 + k;
    s[from ^ 1][j] = a + c, s[from ^ 1][j + p] = b + e, s[from ^ 1][j + 2 * p] = a - c, s[from ^ 1][j + 3 * p] = b - e;
    from ^= 1;
    __syncthreads();
  }
  for (int k = 0; k < 4; ++k) out[blockIdx.x * 1024 + t + k * 256] = s[from][t + k * 256];
}

// A bank of second order filters in series, a channel a thread, samples interleaved
struct Biquad {
  float b0, b1, b2, a1, a2;
};
__global__ void biquad_series_channels(const float* __restrict__ in, float* __restrict__ out, const Biquad* __restrict__ stages, int channels, int samples) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  Biquad f[3];
  float z1[3] = {0, 0, 0}, z2[3] = {0, 0, 0};
  for (int s = 0; s < 3; ++s) f[s] = stages[s * channels + c];
  for (int n = 0; n < samples; ++n) {
    float x = in[n * channels + c];
#pragma unroll
    for (int s = 0; s < 3; ++s) {
      const float y = f[s].b0 * x + z1[s];
      z1[s] = f[s].b1 * x - f[s].a1 * y + z2[s];
      z2[s] = f[s].b2 * x - f[s].a2 * y;
      x = y;
    }
    out[n * channels + c] = x;
  }
}

// ---- rays and fractals ----

// A small path tracer: spheres in constant memory, diffuse and mirror
struct Ball {
  float4 shape;  // centre and radius
  float3 colour;
  float mirror;
};
__constant__ Ball balls[10];
__device__ float3 along(float3 o, float t, float3 d) { return make_float3(o.x + t * d.x, o.y + t * d.y, o.z + t * d.z); }
__device__ float inner(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ float3 unit(float3 a) { return along(make_float3(0, 0, 0), rsqrtf(inner(a, a) + 1e-20f), a); }
__device__ float lcg_uniform(unsigned& s) {
  s = s * 1664525u + 1013904223u;
  return (s >> 8) / 16777216.f;
}
__global__ void path_trace_balls(float4* image, int w, int h, int samples) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  unsigned seed = (y * w + x) * 9781u + 1u;
  float3 sum = make_float3(0, 0, 0);
  for (int s = 0; s < samples; ++s) {
    float3 o = make_float3(0, 1, -5), d = unit(make_float3((x + lcg_uniform(seed)) / w - .5f, (y + lcg_uniform(seed)) / h - .5f, 1.f)), through = make_float3(1, 1, 1);
    for (int bounce = 0; bounce < 5; ++bounce) {
      float nearest = 1e20f;
      int hit = -1;
      for (int k = 0; k < 10; ++k) {
        const float4 b = balls[k].shape;
        const float3 oc = make_float3(o.x - b.x, o.y - b.y, o.z - b.z);
        const float half = inner(oc, d), disc = half * half - inner(oc, oc) + b.w * b.w;
        if (disc < 0.f) continue;
        const float root = sqrtf(disc), t = -half - root > 1e-3f ? -half - root : -half + root;
        if (t > 1e-3f && t < nearest) nearest = t, hit = k;
      }
      if (hit < 0) {
        const float sky = .5f + .5f * d.y;
        sum = make_float3(sum.x + through.x * sky, sum.y + through.y * sky, sum.z + through.z);
        break;
      }
      const Ball& b = balls[hit];
      o = along(o, nearest, d);
      const float3 n = unit(make_float3(o.x - b.shape.x, o.y - b.shape.y, o.z - b.shape.z));
      through = make_float3(through.x * b.colour.x, through.y * b.colour.y, through.z * b.colour.z);
      if (lcg_uniform(seed) < b.mirror) d = along(d, -2.f * inner(d, n), n);
      else d = unit(make_float3(n.x + 2.f * lcg_uniform(seed) - 1.f, n.y + 2.f * lcg_uniform(seed) - 1.f, n.z + 2.f * lcg_uniform(seed) - 1.f));
    }
  }
  image[y * w + x] = make_float4(sum.x / samples, sum.y / samples, sum.z / samples, 1.f);
}

// Ray marching to a Mandelbulb by its distance estimate
__device__ float bulb_distance(float px, float py, float pz) {
  float x = px, y = py, z = pz, dr = 1.f, r = 0.f;
  for (int i = 0; i < 8; ++i) {
    r = sqrtf(x * x + y * y + z * z);
    if (r > 2.f) break;
    const float theta = 8.f * acosf(z / fmaxf(r, 1e-6f)), phi = 8.f * atan2f(y, x), r2 = r * r, r4 = r2 * r2, r7 = r4 * r2 * r;
    dr = 8.f * r7 * dr + 1.f;
    x = r4 * r4 * sinf(theta) * cosf(phi) + px, y = r4 * r4 * sinf(theta) * sinf(phi) + py, z = r4 * r4 * cosf(theta) + pz;
  }
  return .5f * logf(fmaxf(r, 1e-6f)) * r / dr;
}
__global__ void march_mandelbulb(unsigned* pixels, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float dx = (x - .5f * w) / h, dy = (y - .5f * h) / h, inv = rsqrtf(dx * dx + dy * dy + 1.f);
  float t = 1.f;
  int steps = 0;
  for (; steps < 48; ++steps) {
    const float d = bulb_distance(t * dx * inv, t * dy * inv, t * inv - 2.5f);
    if (d < .002f || t > 4.f) break;
    t += d;
  }
  pixels[y * w + x] = t > 4.f ? 0u : 0xff000000u | (255 - 5 * steps) * 0x010101u;
}

// Newton's fractal of z^3 - 1 in double precision
__global__ void newton_cube_roots(uchar* root, int w, int h, double scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h) return;
  double a = (i % w - w / 2) * scale + 1e-9, b = (i / w - h / 2) * scale;
  int n = 0;
  while (n < 40) {
    const double a2 = a * a, b2 = b * b, m = a2 + b2, q = 1.0 / (3.0 * m * m);
    const double da = (a - (a2 - b2) * q * 3.0) / 3.0, db = (b + 2.0 * a * b * q * 3.0) / 3.0;
    if (da * da + db * db < 1e-12) break;
    a -= da, b -= db;
    ++n;
  }
  root[i] = uchar(n * 4 + (a > 0.0 ? 0 : b > 0.0 ? 1 : 2));
}

// ---- finance ----

// American puts on a binomial tree, an option a block, prices of the tree in shared memory
struct Put {
  float spot, strike, years, rate, vol;
};
__global__ void american_put_tree(const Put* puts, float* price, int steps) {
  extern __shared__ float value[];
  const Put p = puts[blockIdx.x];
  const float dt = p.years / steps, up = expf(p.vol * sqrtf(dt)), disc = expf(-p.rate * dt), prob = (1.f / disc - 1.f / up) / (up - 1.f / up);
  const float lu = logf(up);
  for (int j = threadIdx.x; j <= steps; j += blockDim.x) value[j] = fmaxf(p.strike - p.spot * __expf(lu * (2 * j - steps)), 0.f);
  __syncthreads();
  float* from = value;
  float* to = value + steps + 1;
  for (int n = steps - 1; n >= 0; --n) {
    for (int j = threadIdx.x; j <= n; j += blockDim.x) to[j] = fmaxf(p.strike - p.spot * __expf(lu * (2 * j - n)), disc * (prob * from[j + 1] + (1.f - prob) * from[j]));
    __syncthreads();
    float* const t = from;
    from = to, to = t;
  }
  if (threadIdx.x == 0) price[blockIdx.x] = from[0];
}

// Heston paths with full truncation, payoffs of an Asian call
__global__ void heston_asian_paths(double* sums, int paths, int steps, float s0, float v0, float kappa, float theta, float sigma, float rho, float dt) {
  float mine = 0.f;
  const float root = sqrtf(dt), other = sqrtf(1.f - rho * rho);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < paths; i += gridDim.x * blockDim.x) {
    unsigned seed = i * 747796405u + 2891336453u;
    float x = __logf(s0), v = v0, mean = 0.f;
    for (int k = 0; k < steps; ++k) {
      const float r = sqrtf(-2.f * __logf(lcg_uniform(seed) + 1e-7f)), angle = 6.2831853f * lcg_uniform(seed);
      const float z1 = r * __cosf(angle), z2 = rho * z1 + other * r * __sinf(angle), vp = fmaxf(v, 0.f), sv = sqrtf(vp);
      x += -.5f * vp * dt + sv * root * z1;
      v += kappa * (theta - vp) * dt + sigma * sv * root * z2;
      mean += __expf(x);
    }
    mine += fmaxf(mean / steps - s0, 0.f);
  }
  for (int d = 16; d; d >>= 1) mine += __shfl_down_sync(0xffffffff, mine, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sums, double(mine));
}

// Volatility smiles of the SABR model (Hagan's formula), in double precision
struct SabrCurve {
  double forward, alpha, beta, rho, nu, expiry;
};
__global__ void sabr_hagan_smiles(const SabrCurve* __restrict__ curves, const double* __restrict__ moneyness, double* __restrict__ vols, int n, int strikes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * strikes) return;
  const SabrCurve c = curves[i / strikes];
  const double k = c.forward * moneyness[i % strikes], lm = log(c.forward / k), ob = 1.0 - c.beta, fk = pow(c.forward * k, 0.5 * ob);
  const double z = c.nu / c.alpha * fk * lm;
  double ratio = 1.0;
  if (fabs(z) > 1e-6) ratio = z / log((sqrt(1.0 - 2.0 * c.rho * z + z * z) + z - c.rho) / (1.0 - c.rho));
  const double q = ob * ob * lm * lm, time = ob * ob / 24.0 * c.alpha * c.alpha / (fk * fk) + 0.25 * c.rho * c.beta * c.nu * c.alpha / fk + (2.0 - 3.0 * c.rho * c.rho) / 24.0 * c.nu * c.nu;
  vols[i] = c.alpha / (fk * (1.0 + q / 24.0 + q * q / 1920.0)) * ratio * (1.0 + time * c.expiry);
}

// ---- matrices ----

// Lesson 1: the product with threads along rows
__global__ void mm_lesson_rowwise(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n) return;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}
// Lesson 4: tiles of 64 x 64, 4 x 4 results a thread, loads of four
__global__ void __launch_bounds__(256) mm_lesson_registers(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int n) {
  __shared__ float as[16][64 + 4];
  __shared__ __align__(16) float bs[16][64];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    const float4 a = *reinterpret_cast<const float4*>(&A[(row0 + t / 4) * n + k0 + t % 4 * 4]);
    as[t % 4 * 4][t / 4] = a.x, as[t % 4 * 4 + 1][t / 4] = a.y, as[t % 4 * 4 + 2][t / 4] = a.z, as[t % 4 * 4 + 3][t / 4] = a.w;
    *reinterpret_cast<float4*>(&bs[ty][tx * 4]) = *reinterpret_cast<const float4*>(&B[(k0 + ty) * n + col0 + tx * 4]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float4 b = *reinterpret_cast<const float4*>(&bs[k][tx * 4]);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float v = as[k][ty * 4 + i];
        acc[i][0] += v * b.x, acc[i][1] += v * b.y, acc[i][2] += v * b.z, acc[i][3] += v * b.w;
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) *reinterpret_cast<float4*>(&C[(row0 + ty * 4 + i) * n + col0 + tx * 4]) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

// Transposed product of a tall matrix with a vector, partial sums by atomics
__global__ void gemv_transposed_tall(const double* __restrict__ A, const double* __restrict__ x, double* y, int rows, int cols, int chunk) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, begin = blockIdx.y * chunk, end = min(begin + chunk, rows);
  if (c >= cols) return;
  double s = 0;
  for (int r = begin; r < end; ++r) s += A[size_t(r) * cols + c] * x[r];
  atomicAdd(&y[c], s);
}

// LU with pivoting of many 16 x 16 matrices: a row a lane, half a warp a matrix
__global__ void lu16_pivot_halfwarp(const float* __restrict__ in, float* __restrict__ out, int* __restrict__ pivots, int count) {
  const int lane = threadIdx.x % 16, m = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
  float a[16];
  const int safe = min(m, count - 1);
#pragma unroll
  for (int c = 0; c < 16; ++c) a[c] = in[(safe * 16 + c) * 16 + lane];
  int place = -1;
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    float big = place < 0 ? fabsf(a[k]) : -1.f;
    int who = lane;
    for (int d = 8; d; d >>= 1) {
      const float o = __shfl_xor_sync(0xffffffff, big, d, 16);
      const int w = __shfl_xor_sync(0xffffffff, who, d, 16);
      if (o > big || (o == big && w < who)) big = o, who = w;
    }
    if (lane == who) place = k;
    const float inv = 1.f / __shfl_sync(0xffffffff, a[k], who, 16);
    const float l = place < 0 ? a[k] * inv : 0.f;
    if (place < 0) a[k] = l;
#pragma unroll
    for (int c = k + 1; c < 16; ++c) a[c] -= l * __shfl_sync(0xffffffff, a[c], who, 16);
  }
  if (m >= count || place < 0) return;
  pivots[m * 16 + place] = lane;
#pragma unroll
  for (int c = 0; c < 16; ++c) out[(m * 16 + c) * 16 + place] = a[c];
}

// Cholesky factor of tiles of 32 x 32 in shared memory, a tile a block
__global__ void cholesky_tiles32(const double* __restrict__ in, double* __restrict__ out) {
  __shared__ double a[32][33];
  const int x = threadIdx.x, y = threadIdx.y;
  for (int r = y; r < 32; r += 8) a[r][x] = in[blockIdx.x * 1024 + r * 32 + x] + (r == x ? 32.0 : 0.0);
  __syncthreads();
  for (int k = 0; k < 32; ++k) {
    if (y == 0 && x == k) a[k][k] = sqrt(a[k][k]);
    __syncthreads();
    if (y == 0 && x > k) a[x][k] /= a[k][k];
    __syncthreads();
    for (int r = k + 1 + y; r < 32; r += 8)
      if (x > k && x <= r) a[r][x] -= a[r][k] * a[x][k];
    __syncthreads();
  }
  for (int r = y; r < 32; r += 8) out[blockIdx.x * 1024 + r * 32 + x] = x <= r ? a[r][x] : 0.0;
}

// ---- games ----

// Life with 32 cells in a word: sums of neighbours by full adders on bits
__device__ void count_bits(unsigned a, unsigned b, unsigned c, unsigned& low, unsigned& high) {
  low = a ^ b ^ c;
  high = (a & b) | (c & (a ^ b));
}
__global__ void life_bit_words(const unsigned* __restrict__ now, unsigned* __restrict__ next, int words, int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= words) return;
  const int l = (x + words - 1) % words, r = (x + 1) % words;
  unsigned low[3], high[3], middle = 0;
  for (int k = 0; k < 3; ++k) {
    const unsigned* row = now + (y + k + rows - 1) % rows * words;
    const unsigned c = row[x], west = c << 1 | row[l] >> 31, east = c >> 1 | row[r] << 31;
    if (k == 1) middle = c, low[k] = west ^ east, high[k] = west & east;
    else count_bits(west, c, east, low[k], high[k]);
  }
  unsigned ones, carry, twos, fours;
  count_bits(low[0], low[1], low[2], ones, carry);
  count_bits(high[0], high[1], high[2], twos, fours);
  const unsigned two = twos ^ carry, more = fours | (twos & carry);
  next[y * words + x] = two & ~more & (ones | middle);
}

// Tensor contraction: C[a][b][c] = sum over e and f of A[e][a][f] B[f][c][b][e], a result a thread
__global__ void contract_eaf_fcbe(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int na, int nb, int nc, int ne, int nf) {
  extern __shared__ float slice[];
  const int a = blockIdx.x;
  for (int i = threadIdx.x; i < ne * nf; i += blockDim.x) slice[i] = A[(i / nf * na + a) * nf + i % nf];
  __syncthreads();
  for (int i = blockIdx.y * blockDim.x + threadIdx.x; i < nb * nc; i += gridDim.y * blockDim.x) {
    const int b = i / nc, c = i % nc;
    float s = 0.f;
    for (int f = 0; f < nf; ++f)
      for (int e = 0; e < ne; ++e) s += slice[e * nf + f] * B[((f * nc + c) * nb + b) * ne + e];
    C[(a * nb + b) * nc + c] = s;
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* f = on_device<float>(16 * M, [](uint32_t i) { return fraction(i); });
  const double* d = on_device<double>(4 * M, [](uint32_t i) { return double(fraction(i)); });
  const unsigned* words = on_device<unsigned>(4 * M, [](uint32_t i) { return hashed(i); });
  const uchar* picture = on_device<uchar>(8 * M, [](uint32_t i) { return uchar((i % 2048 / 9 + (i >> 11) / 7) * 3 + hashed(i) % 40); });
  float* o = zeros<float>(16 * M);
  double* od = zeros<double>(4 * M);

  run("median9_exchange", [&] { median9_exchange<<<dim3(64, 135), dim3(32, 8)>>>(picture, (uchar*)o, 2048, 1080); });
  run("erode_rows_vanherk", [&] { erode_rows_vanherk<<<1080, 128, 2 * 2100>>>(picture, (uchar*)o, 2048, 7); });
  run("blur_columns_steps", [&] { blur_columns_steps<8><<<dim3(128, 32), dim3(16, 8)>>>(o, f, 2048, 2048, 2048); });
  const unsigned* levels = on_device<unsigned>(256, [](uint32_t i) { return 1 + hashed(i) % 20000; });
  run("equalise_with_lut", [&] { equalise_with_lut<<<264, 256>>>(levels, (const uchar4*)picture, (uchar4*)o, 2 * M); });
  const short2* edges = on_device<short2>(30000, [](uint32_t i) { return make_short2(short(hashed(i) % 1920), short(hashed(i) % 1920 / 2 + hashed(i + 1) % (i % 2 ? 5 : 500))); });
  run("hough_angle_votes", [&] { hough_angle_votes<<<180, 256, 2400 * sizeof(int)>>>(edges, 30000, (int*)o, 2400, 2.f); });
  std::vector<float> shot(1024 * 512), moved(1024 * 512);
  for (int i = 0; i < 1024 * 512; ++i) {
    const float x = i % 1024, y = i / 1024;
    shot[i] = std::sin(.11f * x) + std::cos(.17f * y + .05f * x), moved[i] = std::sin(.11f * (x - 1.3f)) + std::cos(.17f * (y + .8f) + .05f * (x - 1.3f));
  }
  const float *shot_d = on_device(shot), *moved_d = on_device(moved);
  const float2* features = on_device<float2>(4000, [](uint32_t i) { return make_float2(8.f + 1000.f * fraction(i), 8.f + 490.f * fraction(i + 9)); });
  run("lucas_kanade_points", [&] { lucas_kanade_points<<<4000 / 64 + 1, 64>>>(shot_d, moved_d, 1024, 512, features, (float2*)o, 4000); });
  run("stereo_census_best", [&] { stereo_census_best<<<dim3(8, 720), 160, (160 + 96) * sizeof(unsigned)>>>(words, words + 1280 * 720, (uchar*)o, 1280, 720, 96); });
  run("seam_energy_strips", [&] { seam_energy_strips<<<20000 / 194 + 1, 256>>>(f, o, 20000, 32); });
  run("motion_full_search", [&] { motion_full_search<<<dim3(80, 45), 96>>>(picture, picture + 4 * M, (int2*)o, 2048, 1280, 720); });

  std::vector<float> cosines(64);
  for (int u = 0; u < 8; ++u)
    for (int x = 0; x < 8; ++x) cosines[u * 8 + x] = (u ? .5f : .35355339f) * std::cos((2 * x + 1) * u * 3.14159265f / 16);
  CHECK(cudaMemcpyToSymbol(dct_matrix, cosines.data(), 64 * sizeof(float)));
  run("dct8_quantise", [&] { dct8_quantise<<<256 * 128 / 16, dim3(8, 16)>>>(picture, (short*)o, 2048, 256 * 128 - 3); });
  run("fft1024_stockham4", [&] { fft1024_stockham4<<<4096, 256>>>((const float2*)f, (float2*)o); });
  run("fft1024_stockham4_64", [&] { fft1024_stockham4<<<64, 256>>>((const float2*)f, (float2*)o); });
  const Biquad* filters = on_device<Biquad>(3 * 8192, [](uint32_t i) { return Biquad{.2f, .3f * fraction(i), .1f, -.5f * fraction(i + 1), .2f * fraction(i + 2)}; });
  run("biquad_series_channels", [&] { biquad_series_channels<<<8192 / 64, 64>>>(f, o, filters, 8192, 500); });

  std::vector<Ball> scene(10);
  for (int k = 0; k < 10; ++k) scene[k] = Ball{make_float4(4 * fraction(k) - 2, 2 * fraction(k + 20), 3 * fraction(k + 40), .3f + .4f * fraction(k + 60)), make_float3(.3f + .6f * fraction(k + 80), .7f, .6f), k % 3 ? 0.f : .8f};
  scene[0].shape = make_float4(0, -1000.5f, 0, 1000);
  CHECK(cudaMemcpyToSymbol(balls, scene.data(), scene.size() * sizeof(Ball)));
  run("path_trace_balls", [&] { path_trace_balls<<<dim3(60, 45), dim3(8, 8)>>>((float4*)o, 480, 360, 8); });
  run("march_mandelbulb", [&] { march_mandelbulb<<<dim3(20, 45), dim3(16, 8)>>>((unsigned*)o, 320, 360); });
  run("newton_cube_roots", [&] { newton_cube_roots<<<600 * 400 / 256 + 1, 256>>>((uchar*)o, 600, 400, 0.005); });

  const Put* puts = on_device<Put>(300, [](uint32_t i) { return Put{80.f + 40.f * fraction(i), 100.f, .2f + fraction(i + 1), .03f, .1f + .4f * fraction(i + 2)}; });
  run("american_put_tree", [&] { american_put_tree<<<300, 256, 2 * 513 * sizeof(float)>>>(puts, o, 512); });
  run("heston_asian_paths", [&] { heston_asian_paths<<<264, 256>>>(od, 200000, 120, 100.f, .04f, 1.5f, .04f, .3f, -.7f, 1.f / 120); });
  const SabrCurve* smiles = on_device<SabrCurve>(20000, [](uint32_t i) { return SabrCurve{.01 + .04 * fraction(i), .02 + .03 * fraction(i + 1), .3 + .4 * fraction(i + 2), .8 * fraction(i + 3) - .6, .2 + .4 * fraction(i + 4), 1. + 9 * fraction(i + 5)}; });
  const double* strikes = on_device<double>(15, [](uint32_t i) { return .5 + .0714 * i; });
  run("sabr_hagan_smiles", [&] { sabr_hagan_smiles<<<300000 / 128 + 1, 128>>>(smiles, strikes, od, 20000, 15); });

  run("mm_lesson_rowwise", [&] { mm_lesson_rowwise<<<dim3(25, 25), dim3(16, 16)>>>(f, f + M, o, 400); });
  run("mm_lesson_registers", [&] { mm_lesson_registers<<<dim3(24, 24), 256>>>(f, f + 4 * M, o, 1536); });
  run("mm_lesson_registers_512", [&] { mm_lesson_registers<<<dim3(8, 8), 256>>>(f, f + 4 * M, o, 512); });
  run("gemv_transposed_tall", [&] { gemv_transposed_tall<<<dim3(4, 64), 128>>>(d, d + M, od, 8000, 500, 125); });
  run("lu16_pivot_halfwarp", [&] { lu16_pivot_halfwarp<<<20000 / 8 + 1, 128>>>(f, o, (int*)o + 8 * M, 20000); });
  run("cholesky_tiles32", [&] { cholesky_tiles32<<<1200, dim3(32, 8)>>>(d, od); });
  run("life_bit_words", [&] { life_bit_words<<<dim3(2, 4096), 256>>>(words, (unsigned*)o, 500, 4096); });
  run("contract_eaf_fcbe", [&] { contract_eaf_fcbe<<<dim3(48, 6), 192, 24 * 16 * sizeof(float)>>>(f, f + M, o, 48, 40, 36, 24, 16); });
  return 0;
}
