// Pictures, video, compression, ciphers and hashes: filters, histograms, prediction, transforms, coders, block and stream ciphers, digests.
#include "cases.h"

typedef unsigned char uchar;

// Contrast limited by tiles: histograms of a tile, clipped, summed to a table.
__global__ void clahe_tables(const uchar* __restrict__ img, uchar* __restrict__ lut, int pitch, int tile, int limit) {
  __shared__ int hist[256];
  __shared__ int clipped;
  const int tid = threadIdx.x;
  hist[tid] = 0;
  if (tid == 0) clipped = 0;
  __syncthreads();
  for (int i = tid; i < tile * tile; i += 256) atomicAdd(&hist[img[(blockIdx.y * tile + i / tile) * pitch + blockIdx.x * tile + i % tile]], 1);
  __syncthreads();
  int v = hist[tid];
  if (v > limit) {
    atomicAdd(&clipped, v - limit);
    v = limit;
  }
  __syncthreads();
  hist[tid] = v + clipped / 256;
  __syncthreads();
  for (int o = 1; o < 256; o <<= 1) {
    const int t = tid >= o ? hist[tid - o] : 0;
    __syncthreads();
    hist[tid] += t;
    __syncthreads();
  }
  lut[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + tid] = (uchar)min(255, hist[tid] * 255 / (tile * tile));
}

// The tables of four tiles mixed at each pixel.
__global__ void clahe_mix(const uchar* __restrict__ img, const uchar* __restrict__ lut, uchar* __restrict__ out, int w, int h, int tiles_x, int tiles_y, float inv_tile) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float fx = x * inv_tile - 0.5f, fy = y * inv_tile - 0.5f;
  const int x0 = (int)floorf(fx), y0 = (int)floorf(fy);
  const float ax = fx - x0, ay = fy - y0;
  const int xa = max(x0, 0), xb = min(x0 + 1, tiles_x - 1), ya = max(y0, 0), yb = min(y0 + 1, tiles_y - 1), v = img[y * w + x];
  const float top = (1 - ax) * lut[(ya * tiles_x + xa) * 256 + v] + ax * lut[(ya * tiles_x + xb) * 256 + v], bottom = (1 - ax) * lut[(yb * tiles_x + xa) * 256 + v] + ax * lut[(yb * tiles_x + xb) * 256 + v];
  out[y * w + x] = (uchar)((1 - ay) * top + ay * bottom + 0.5f);
}

// Perona's and Malik's diffusion of three channels.
__global__ void diffuse_perona_rgb(const float3* in, float3* out, int w, int h, float inv_k2, float lambda) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float3 c = in[y * w + x], s = make_float3(0, 0, 0);
  const int dx[4] = {-1, 1, 0, 0}, dy[4] = {0, 0, -1, 1};
  for (int k = 0; k < 4; ++k) {
    int xx = min(max(x + dx[k], 0), w - 1), yy = min(max(y + dy[k], 0), h - 1);
    float3 n = in[yy * w + xx];
    float a = n.x - c.x, b = n.y - c.y, d = n.z - c.z, g = expf(-(a * a + b * b + d * d) * inv_k2);
    s.x += g * a, s.y += g * b, s.z += g * d;
  }
  out[y * w + x] = make_float3(c.x + lambda * s.x, c.y + lambda * s.y, c.z + lambda * s.z);
}

// Chambolle's dual step of a total variation.
__global__ void tv_dual_step(float2* __restrict__ p, const float* __restrict__ u, const float* __restrict__ g, int w, int h, float tau, float inv_lambda) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < h; y += gridDim.y * blockDim.y) {
    if (x >= w) return;
    const int i = y * w + x;
    const float v = u[i] - g[i] * inv_lambda;
    const float gx = x + 1 < w ? u[i + 1] - g[i + 1] * inv_lambda - v : 0.f, gy = y + 1 < h ? u[i + w] - g[i + w] * inv_lambda - v : 0.f;
    const float norm = 1.f + tau * sqrtf(gx * gx + gy * gy);
    const float2 old = p[i];
    p[i] = make_float2((old.x + tau * gx) / norm, (old.y + tau * gy) / norm);
  }
}

// A guided filter's coefficients from running sums of a column's window.
template <int R>
__global__ void guided_coefficients_columns(const float2* __restrict__ rows, const float2* __restrict__ squares, float2* __restrict__ ab, int w, int h, float eps) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= w) return;
  const int per = (h + gridDim.y - 1) / gridDim.y, y0 = blockIdx.y * per, y1 = min(h, y0 + per);
  float si = 0, sp = 0, sii = 0, sip = 0;
  for (int y = y0 - R; y < y0 + R; ++y) {
    const int c = min(max(y, 0), h - 1);
    const float2 a = rows[c * w + x], b = squares[c * w + x];
    si += a.x, sp += a.y, sii += b.x, sip += b.y;
  }
  constexpr float inv = 1.f / ((2 * R + 1) * (2 * R + 1));
  for (int y = y0; y < y1; ++y) {
    const int add = min(y + R, h - 1), sub = max(y - R, 0);
    float2 a = rows[add * w + x], b = squares[add * w + x];
    si += a.x, sp += a.y, sii += b.x, sip += b.y;
    const float mi = si * inv, mp = sp * inv, cov = sip * inv - mi * mp, var = sii * inv - mi * mi, k = cov / (var + eps);
    ab[y * w + x] = make_float2(k, mp - k * mi);
    a = rows[sub * w + x], b = squares[sub * w + x];
    si -= a.x, sp -= a.y, sii -= b.x, sip -= b.y;
  }
}

// A picture seen through a homography, bilinear, bytes of four channels, by a texture object.
__global__ void warp_homography_texture(cudaTextureObject_t tex, uchar4* out, int w, int h, float3 r0, float3 r1, float3 r2) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float d = 1.f / (r2.x * x + r2.y * y + r2.z), u = (r0.x * x + r0.y * y + r0.z) * d, v = (r1.x * x + r1.y * y + r1.z) * d;
  const float4 c = tex2D<float4>(tex, u + 0.5f, v + 0.5f);
  out[y * w + x] = make_uchar4(c.x * 255.f + 0.5f, c.y * 255.f + 0.5f, c.z * 255.f + 0.5f, c.w * 255.f + 0.5f);
}

// Layers of premultiplied colors over each other, front to back until opaque.
__global__ void composite_layers(const uint32_t* __restrict__ layers, uint32_t* __restrict__ out, int pixels, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  uint32_t r = 0, g = 0, b = 0, left = 255;
  for (int k = 0; k < count && left > 0; ++k) {
    const uint32_t c = layers[(size_t)k * pixels + i];
    r += (c & 255) * left / 255;
    g += (c >> 8 & 255) * left / 255;
    b += (c >> 16 & 255) * left / 255;
    left = left * (255 - (c >> 24)) / 255;
  }
  out[i] = min(r, 255u) | min(g, 255u) << 8 | min(b, 255u) << 16 | (255 - left) << 24;
}

// Half size by means of four, sixteen bytes of two rows a thread.
__global__ void halve_bytes(const uint4* __restrict__ in, uint2* __restrict__ out, int w16, int h2) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w16 || y >= h2) return;
  const uint4 a = in[2 * y * w16 + x], b = in[(2 * y + 1) * w16 + x];
  auto half = [](uint32_t p, uint32_t q) {
    const uint32_t v = __vavgu4(p, q);
    return ((v & 0xff) + (v >> 8 & 0xff) + 1) / 2 | ((v >> 16 & 0xff) + (v >> 24) + 1) / 2 << 8;
  };
  out[y * w16 + x] = make_uint2(half(a.x, b.x) | half(a.y, b.y) << 16, half(a.z, b.z) | half(a.w, b.w) << 16);
}

// Six taps for half samples of a block of 16 by 16, as motion compensation needs them.
__global__ void half_sample_six_tap(const uchar* __restrict__ ref, uchar* __restrict__ pred, const short2* __restrict__ mv, int w, int h) {
  __shared__ int line[21][16];
  const int bx = blockIdx.x * 16, by = blockIdx.y * 16;
  const short2 m = mv[blockIdx.y * gridDim.x + blockIdx.x];
  const int x0 = bx + m.x, y0 = by + m.y;
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 21 * 16; i += 256) {
    const int yy = min(max(y0 + i / 16 - 2, 0), h - 1), xx = x0 + i % 16;
    auto at = [&](int x) { return (int)ref[yy * w + min(max(x, 0), w - 1)]; };
    line[i / 16][i % 16] = at(xx - 2) - 5 * at(xx - 1) + 20 * at(xx) + 20 * at(xx + 1) - 5 * at(xx + 2) + at(xx + 3);
  }
  __syncthreads();
  const int ty = threadIdx.y, tx = threadIdx.x;
  const int v = line[ty][tx] - 5 * line[ty + 1][tx] + 20 * line[ty + 2][tx] + 20 * line[ty + 3][tx] - 5 * line[ty + 4][tx] + line[ty + 5][tx];
  pred[(by + ty) * w + bx + tx] = (uchar)min(max((v + 512) >> 10, 0), 255);
}

// Integer transform of four times four residuals, quantized, its cost: a thread a block.
__global__ void transform4_quantize(const uchar* __restrict__ src, const uchar* __restrict__ pred, short* __restrict__ coeff, int* __restrict__ bits, int w, int blocks_x, int blocks, int scale, int shift) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= blocks) return;
  const int x = b % blocks_x * 4, y = b / blocks_x * 4;
  int m[4][4];
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const uchar4 s = *reinterpret_cast<const uchar4*>(src + (y + r) * w + x), p = *reinterpret_cast<const uchar4*>(pred + (y + r) * w + x);
    const int a = s.x - p.x, c = s.y - p.y, d = s.z - p.z, e = s.w - p.w, s0 = a + e, s1 = c + d, d0 = a - e, d1 = c - d;
    m[r][0] = s0 + s1, m[r][1] = 2 * d0 + d1, m[r][2] = s0 - s1, m[r][3] = d0 - 2 * d1;
  }
  int cost = 0;
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    const int s0 = m[0][c] + m[3][c], s1 = m[1][c] + m[2][c], d0 = m[0][c] - m[3][c], d1 = m[1][c] - m[2][c];
    const int v[4] = {s0 + s1, 2 * d0 + d1, s0 - s1, d0 - 2 * d1};
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int q = (abs(v[r]) * scale + (1 << (shift - 2))) >> shift;
      coeff[b * 16 + r * 4 + c] = (short)(v[r] < 0 ? -q : q);
      cost += q ? 33 - __clz(q) : 0;
    }
  }
  bits[b] = cost;
}

// The best of nine directions of prediction inside a picture, by absolute differences: a warp a block of four times four.
__global__ void intra4_modes(const uchar* __restrict__ img, uchar* __restrict__ best_mode, int w, int blocks_x, int blocks) {
  const int b = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (b >= blocks) return;
  const int x = (b % blocks_x) * 4 + 4, y = (b / blocks_x) * 4 + 4;
  const int pr = lane % 16 / 4, pc = lane % 4, cur = img[(y + pr) * w + x + pc];
  // Neighbours in lanes: 0..3 left from below, 4 corner, 5..12 above.
  const int edge = lane < 4 ? img[(y + 3 - lane) * w + x - 1] : lane < 13 ? img[(y - 1) * w + x + lane - 5] : 0;
  int best = 1 << 30, mode = 0;
  for (int m = 0; m < 9; ++m) {
    int p;
    const int up = __shfl_sync(~0u, edge, 5 + pc), left = __shfl_sync(~0u, edge, 3 - pr);
    if (m == 0)
      p = up;
    else if (m == 1)
      p = left;
    else if (m == 2) {
      int dc = lane < 4 || (lane >= 5 && lane < 9) ? edge : 0;
      for (int o = 16; o; o >>= 1) dc += __shfl_xor_sync(~0u, dc, o);
      p = (dc + 4) >> 3;
    } else {
      const int k = m == 3 ? 6 + pr + pc : m == 4 ? 4 + pc - pr : m == 5 ? 4 + pc - pr / 2 : m == 6 ? 4 + pc / 2 - pr : m == 7 ? 5 + pc + pr / 2 : 3 - pr - pc / 2;
      const int c = max(k, 0);
      const int u = __shfl_sync(~0u, edge, max(c - 1, 0)), v = __shfl_sync(~0u, edge, c), z = __shfl_sync(~0u, edge, min(c + 1, 12));
      p = (u + 2 * v + z + 2) >> 2;
    }
    int sad = abs(cur - p);
    for (int o = 8; o; o >>= 1) sad += __shfl_xor_sync(~0u, sad, o);
    if (sad < best) best = sad, mode = m;
  }
  if (lane == 0) best_mode[b] = (uchar)mode;
}

// Rows of a picture filtered for compression: the best of five filters by the sum of differences.
__device__ __forceinline__ int paeth(int a, int b, int c) {
  const int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}
__global__ void png_row_filters(const uchar* __restrict__ img, uchar* __restrict__ out, int stride, int bpp) {
  __shared__ unsigned sums[5];
  const int y = blockIdx.x;
  const uchar *row = img + (size_t)y * stride, *above = y ? row - stride : nullptr;
  if (threadIdx.x < 5) sums[threadIdx.x] = 0;
  __syncthreads();
  unsigned s[5] = {0, 0, 0, 0, 0};
  for (int i = threadIdx.x; i < stride; i += blockDim.x) {
    const int v = row[i], a = i >= bpp ? row[i - bpp] : 0, b = above ? above[i] : 0, c = above && i >= bpp ? above[i - bpp] : 0;
    s[0] += abs((int)(signed char)v);
    s[1] += abs((int)(signed char)(v - a));
    s[2] += abs((int)(signed char)(v - b));
    s[3] += abs((int)(signed char)(v - (a + b) / 2));
    s[4] += abs((int)(signed char)(v - paeth(a, b, c)));
  }
  for (int k = 0; k < 5; ++k) {
    s[k] = __reduce_add_sync(~0u, s[k]);
    if (threadIdx.x % 32 == 0) atomicAdd(&sums[k], s[k]);
  }
  __syncthreads();
  int best = 0;
  for (int k = 1; k < 5; ++k)
    if (sums[k] < sums[best]) best = k;
  uchar* to = out + (size_t)y * (stride + 1);
  if (threadIdx.x == 0) to[0] = (uchar)best;
  for (int i = threadIdx.x; i < stride; i += blockDim.x) {
    const int v = row[i], a = i >= bpp ? row[i - bpp] : 0, b = above ? above[i] : 0, c = above && i >= bpp ? above[i - bpp] : 0;
    const int p = best == 0 ? 0 : best == 1 ? a : best == 2 ? b : best == 3 ? (a + b) / 2 : paeth(a, b, c);
    to[1 + i] = (uchar)(v - p);
  }
}

// Matches of a dictionary coder: a window in shared memory, a thread a place, the longest of all distances.
__global__ void lz_longest_match(const uchar* __restrict__ text, uint32_t* __restrict__ matches, int n, int window) {
  extern __shared__ uchar buf[];
  const int base = blockIdx.x * blockDim.x;
  for (int i = threadIdx.x; i < window + blockDim.x + 32; i += blockDim.x) {
    const int at = base - window + i;
    buf[i] = at >= 0 && at < n ? text[at] : 0;
  }
  __syncthreads();
  const int me = window + threadIdx.x;
  int best = 0, dist = 0;
  for (int d = 1; d <= window; ++d) {
    if (buf[me - d + best] != buf[me + best]) continue;
    int len = 0;
    while (len < 32 && buf[me - d + len] == buf[me + len]) ++len;
    if (len > best) {
      best = len, dist = d;
      if (best == 32) break;
    }
  }
  if (base + threadIdx.x < n) matches[base + threadIdx.x] = best >= 3 ? dist << 8 | best : 0;
}

// Range coding by asymmetric numerals: a thread a stream of words, a table of 4096 slots.
__global__ void rans_decode_streams(const uint16_t* __restrict__ words, const int* __restrict__ starts, const uint32_t* __restrict__ table, uchar* __restrict__ out, int streams, int symbols) {
  __shared__ uint32_t slots[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) slots[i] = table[i];
  __syncthreads();
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= streams) return;
  const uint16_t* in = words + starts[s];
  uint32_t x = in[0] | (uint32_t)in[1] << 16;
  int at = 2;
  for (int i = 0; i < symbols; ++i) {
    const uint32_t e = slots[x & 4095], freq = (e >> 8 & 0xfff) + 1, bias = e >> 20;
    out[i * streams + s] = (uchar)e;
    x = freq * (x >> 12) + bias;
    if (x < 65536u) x = x << 16 | in[at++];
  }
}

// Rice's codes of residuals: lengths, a scan in the block, bits set by atomics in shared memory.
__global__ void rice_encode_blocks(const short* __restrict__ residual, uint32_t* __restrict__ out, int* __restrict__ sizes, int k) {
  __shared__ uint32_t bits[512];
  __shared__ int warp_sums[8];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  for (int i = tid; i < 512; i += 256) bits[i] = 0;
  const int r = residual[blockIdx.x * 256 + tid];
  const uint32_t u = r < 0 ? -2 * r - 1 : 2 * r, q = min(u >> k, 24u);
  const int len = q + 1 + k;
  int scan = len;
  for (int o = 1; o < 32; o <<= 1) {
    const int t = __shfl_up_sync(~0u, scan, o);
    if (lane >= o) scan += t;
  }
  if (lane == 31) warp_sums[warp] = scan;
  __syncthreads();
  int begin = scan - len;
  for (int w = 0; w < warp; ++w) begin += warp_sums[w];
  const unsigned long long code = (1ull << q | (unsigned long long)(u & ((1u << k) - 1)) << (q + 1)) << (begin & 31);
  atomicOr(&bits[begin >> 5], (uint32_t)code);
  if (code >> 32) atomicOr(&bits[(begin >> 5) + 1], (uint32_t)(code >> 32));
  __syncthreads();
  int total = 0;
  for (int w = 0; w < 8; ++w) total += warp_sums[w];
  for (int i = tid; i < (total + 31) / 32; i += 256) out[blockIdx.x * 512 + i] = bits[i];
  if (tid == 0) sizes[blockIdx.x] = total;
}

// Bytes moved to the front: a warp a block of text, the table in registers of lanes.
__global__ void move_to_front_warp(const uchar* __restrict__ in, uchar* __restrict__ out, int per, int blocks) {
  const int b = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (b >= blocks) return;
  unsigned table[2] = {(unsigned)lane, (unsigned)lane + 32};
  for (int i = 0; i < per; ++i) {
    const unsigned c = in[b * per + i] & 63;
    const unsigned in_low = __ballot_sync(~0u, table[0] == c), in_high = __ballot_sync(~0u, table[1] == c);
    const int pos = in_low ? __ffs(in_low) - 1 : 32 + __ffs(in_high) - 1;
    if (lane == 0) out[b * per + i] = (uchar)pos;
    const unsigned last = __shfl_sync(~0u, table[0], 31), s0 = __shfl_up_sync(~0u, table[0], 1), s1 = __shfl_up_sync(~0u, table[1], 1);
    if (lane + 32 <= pos) table[1] = lane ? s1 : last;
    if (lane <= pos) table[0] = lane ? s0 : c;
  }
}

// Salsa20 of eight rounds, a block of 64 bytes a thread, xored to the text.
#define ROTL(x, n) __funnelshift_l(x, x, n)
#define QUARTER(a, b, c, d) \
  b ^= ROTL(a + d, 7);      \
  c ^= ROTL(b + a, 9);      \
  d ^= ROTL(c + b, 13);     \
  a ^= ROTL(d + c, 18);
struct SalsaKey {
  uint32_t k[8], nonce[2];
};
__global__ void salsa20_xor(const uint4* __restrict__ in, uint4* __restrict__ out, SalsaKey key, int blocks, int rounds) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= blocks) return;
  const uint32_t init[16] = {0x61707865u, key.k[0], key.k[1], key.k[2], key.k[3], 0x3320646eu, key.nonce[0], key.nonce[1], (uint32_t)id, 0u, 0x79622d32u, key.k[4], key.k[5], key.k[6], key.k[7], 0x6b206574u};
  uint32_t x[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) x[i] = init[i];
  for (int r = 0; r < rounds; r += 2) {
    QUARTER(x[0], x[4], x[8], x[12])
    QUARTER(x[5], x[9], x[13], x[1])
    QUARTER(x[10], x[14], x[2], x[6])
    QUARTER(x[15], x[3], x[7], x[11])
    QUARTER(x[0], x[1], x[2], x[3])
    QUARTER(x[5], x[6], x[7], x[4])
    QUARTER(x[10], x[11], x[8], x[9])
    QUARTER(x[15], x[12], x[13], x[14])
  }
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const uint4 t = in[id * 4 + q];
    out[id * 4 + q] = make_uint4(t.x ^ (x[4 * q] + init[4 * q]), t.y ^ (x[4 * q + 1] + init[4 * q + 1]), t.z ^ (x[4 * q + 2] + init[4 * q + 2]), t.w ^ (x[4 * q + 3] + init[4 * q + 3]));
  }
}

// A cipher of 32 rounds with a box of bytes in shared memory and rotations (of SM4's kind), counter mode.
__constant__ uint32_t c_round_keys[32];
__global__ void boxed_feistel_ctr(const uint4* __restrict__ in, uint4* __restrict__ out, const uchar* __restrict__ box, int blocks, uint4 nonce) {
  __shared__ uchar sb[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) sb[i] = box[i];
  __syncthreads();
  for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < blocks; b += gridDim.x * blockDim.x) {
    uint32_t x0 = nonce.x, x1 = nonce.y, x2 = nonce.z, x3 = nonce.w + b;
#pragma unroll 4
    for (int r = 0; r < 32; ++r) {
      const uint32_t a = x1 ^ x2 ^ x3 ^ c_round_keys[r];
      const uint32_t s = sb[a & 255] | sb[a >> 8 & 255] << 8 | sb[a >> 16 & 255] << 16 | (uint32_t)sb[a >> 24] << 24;
      const uint32_t t = x0 ^ s ^ ROTL(s, 2) ^ ROTL(s, 10) ^ ROTL(s, 18) ^ ROTL(s, 24);
      x0 = x1, x1 = x2, x2 = x3, x3 = t;
    }
    const uint4 p = in[b];
    out[b] = make_uint4(p.x ^ x3, p.y ^ x2, p.z ^ x1, p.w ^ x0);
  }
}

// A cipher of bits in slices: 32 blocks a thread, a Feistel network of 16 rounds on words as bits.
__global__ void sliced_feistel(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out, uint32_t target, int threads) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= threads) return;
  uint32_t l[16], r[16], k[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) k[i] = keys[i * threads + id], l[i] = target >> i & 1 ? ~0u : 0u, r[i] = target >> (i + 16) & 1 ? ~0u : 0u;
#pragma unroll 1
  for (int round = 0; round < 16; ++round) {
    uint32_t f[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const uint32_t a = r[i] ^ k[(i * 5 + 3) % 16], b = r[(i + 1) % 16] ^ k[(i * 7 + 1) % 16], c = r[(i + 5) % 16], d = r[(i + 11) % 16] ^ k[i];
      f[i] = (a & b) ^ (c | ~d) ^ (a & c & d) ^ b;
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const uint32_t t = l[i] ^ f[(i * 3 + 2) % 16];
      l[i] = r[i], r[i] = t;
    }
    const uint32_t first = k[0];
#pragma unroll
    for (int i = 0; i < 15; ++i) k[i] = k[i + 1];
    k[15] = first ^ (round & 1 ? ~0u : 0u);
  }
  uint32_t all = ~0u;
#pragma unroll
  for (int i = 0; i < 8; ++i) all &= ~(l[i] ^ r[i + 8]) | k[i];
  out[id] = all;
}

// A digest of two lines of five words (of RIPEMD's kind), a message of 64 bytes a thread.
__device__ __forceinline__ uint32_t mix5(int j, uint32_t x, uint32_t y, uint32_t z) {
  switch (j) {
    case 0: return x ^ y ^ z;
    case 1: return (x & y) | (~x & z);
    case 2: return (x | ~y) ^ z;
    case 3: return (x & z) | (y & ~z);
    default: return x ^ (y | ~z);
  }
}
__global__ void two_line_digest(const uint4* __restrict__ messages, uint32_t* __restrict__ digests, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  uint32_t w[16];
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const uint4 m = messages[id * 4 + q];
    w[4 * q] = m.x, w[4 * q + 1] = m.y, w[4 * q + 2] = m.z, w[4 * q + 3] = m.w;
  }
  const uint32_t h[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u}, kl[5] = {0u, 0x5a827999u, 0x6ed9eba1u, 0x8f1bbcdcu, 0xa953fd4eu}, kr[5] = {0x50a28be6u, 0x5c4dd124u, 0x6d703ef3u, 0x7a6d76e9u, 0u};
  uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], A = a, B = b, C = c, D = d, E = e;
#pragma unroll
  for (int j = 0; j < 5; ++j)
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const int il = (i * (2 * j + 1) + 3 * j) & 15, ir = (i * 9 + 5 + j * 7) & 15, sl = 5 + (i * 7 + j * 3) % 11, sr = 5 + (i * 5 + j * 4) % 11;
      uint32_t t = ROTL(a + mix5(j, b, c, d) + w[il] + kl[j], sl) + e;
      a = e, e = d, d = ROTL(c, 10), c = b, b = t;
      t = ROTL(A + mix5(4 - j, B, C, D) + w[ir] + kr[j], sr) + E;
      A = E, E = D, D = ROTL(C, 10), C = B, B = t;
    }
  digests[id] = h[1] + c + D;
  digests[n + id] = h[2] + d + E;
  digests[2 * n + id] = h[3] + e + A;
  digests[3 * n + id] = h[4] + a + B;
  digests[4 * n + id] = h[0] + b + C;
}

// Memory-hard mixing: blocks of 1024 bytes are squared words wise by a warp, with multiplications (of Argon2's kind).
__device__ __forceinline__ unsigned long long mul_add(unsigned long long a, unsigned long long b) { return a + b + 2ull * (uint32_t)a * (uint32_t)b; }
__device__ __forceinline__ unsigned long long ror64(unsigned long long x, int n) { return x >> n | x << (64 - n); }
__global__ void memory_mix_warp(unsigned long long* __restrict__ memory, int lanes, int blocks, int passes) {
  const int job = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (job >= lanes) return;
  unsigned long long* mem = memory + (size_t)job * blocks * 128;
  unsigned long long v[4];
  for (int k = 0; k < 4; ++k) v[k] = mem[k * 32 + lane];
  for (int b = 1; b < passes; ++b) {
    const unsigned long long pick = __shfl_sync(~0u, v[0], 0);
    const int other = (int)((uint32_t)pick % (uint32_t)blocks);
    for (int k = 0; k < 4; ++k) v[k] ^= mem[(size_t)other * 128 + k * 32 + lane];
    for (int half = 0; half < 2; ++half) {
      v[0] = mul_add(v[0], v[1]), v[3] = ror64(v[3] ^ v[0], 32), v[2] = mul_add(v[2], v[3]), v[1] = ror64(v[1] ^ v[2], 24);
      v[0] = mul_add(v[0], v[1]), v[3] = ror64(v[3] ^ v[0], 16), v[2] = mul_add(v[2], v[3]), v[1] = ror64(v[1] ^ v[2], 63);
      v[1] = __shfl_sync(~0u, v[1], (lane & 28) | ((lane + 1) & 3)), v[2] = __shfl_sync(~0u, v[2], lane ^ 2), v[3] = __shfl_sync(~0u, v[3], (lane + 8) & 31);
    }
    for (int k = 0; k < 4; ++k) mem[(size_t)(b % blocks) * 128 + k * 32 + lane] = v[k];
  }
}

// A polynomial's authentication modulo 2^130 - 5, limbs of 26 bits, a message a thread.
__global__ void poly_tags(const uint4* __restrict__ messages, const uint32_t* __restrict__ keys, uint32_t* __restrict__ tags, int n, int blocks) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  uint32_t r[5], h[5] = {0, 0, 0, 0, 0};
  for (int i = 0; i < 5; ++i) r[i] = keys[i * n + id] & 0x3ffffff;
  for (int b = 0; b < blocks; ++b) {
    const uint4 m = messages[(size_t)b * n + id];
    h[0] += m.x & 0x3ffffff;
    h[1] += __funnelshift_r(m.x, m.y, 26) & 0x3ffffff;
    h[2] += __funnelshift_r(m.y, m.z, 20) & 0x3ffffff;
    h[3] += __funnelshift_r(m.z, m.w, 14) & 0x3ffffff;
    h[4] += m.w >> 8 | 1 << 24;
    unsigned long long d[5];
#pragma unroll
    for (int i = 0; i < 5; ++i) {
      d[i] = 0;
#pragma unroll
      for (int j = 0; j < 5; ++j) d[i] += (unsigned long long)h[j] * (j <= i ? r[i - j] : 5 * r[5 + i - j]);
    }
    unsigned long long carry = 0;
#pragma unroll
    for (int i = 0; i < 5; ++i) {
      d[i] += carry;
      h[i] = (uint32_t)d[i] & 0x3ffffff;
      carry = d[i] >> 26;
    }
    h[0] += (uint32_t)carry * 5;
    h[1] += h[0] >> 26;
    h[0] &= 0x3ffffff;
  }
  tags[id] = h[0] | h[1] << 26;
  tags[n + id] = h[1] >> 6 | h[2] << 20;
  tags[2 * n + id] = h[2] >> 12 | h[3] << 14;
  tags[3 * n + id] = h[3] >> 18 | h[4] << 8;
}

// Strings of unequal length hashed four bytes at a time (of Murmur's kind), to buckets counted by atomics.
__global__ void hash_strings_to_buckets(const uint32_t* __restrict__ words, const int* __restrict__ offsets, uint32_t* __restrict__ hashes, int* __restrict__ buckets, int n, uint32_t mask) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint32_t h = 0x9747b28cu;
    const int end = offsets[i + 1];
    for (int k = offsets[i]; k < end; ++k) {
      uint32_t w = words[k] * 0xcc9e2d51u;
      w = ROTL(w, 15) * 0x1b873593u;
      h = ROTL(h ^ w, 13) * 5 + 0xe6546b64u;
    }
    h ^= h >> 16, h *= 0x85ebca6bu, h ^= h >> 13, h *= 0xc2b2ae35u, h ^= h >> 16;
    hashes[i] = h;
    atomicAdd(&buckets[h & mask], 1);
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const uchar* bytes = on_device<uchar>(8 * M, [](uint32_t i) { return (uchar)(128 + 60 * std::sin(float(i % 1920) * 0.01f) + hashed(i) % 40); });
  uchar* ob = zeros<uchar>(16 * M);
  const uint32_t* words = on_device<uint32_t>(16 * M, hashed);
  uint32_t* ow = zeros<uint32_t>(16 * M);
  const float* f = on_device<float>(8 * M, [](uint32_t i) { return fraction(i + 3); });
  float* o = zeros<float>(8 * M);
  int* io = zeros<int>(2 * M);

  run("clahe_tables", [&] { clahe_tables<<<dim3(30, 16), 256>>>(bytes, ob, 1920, 64, 40); });
  run("clahe_mix", [&] { clahe_mix<<<dim3(60, 128), dim3(32, 8)>>>(bytes, bytes + 6 * M, ob, 1920, 1024, 30, 16, 1.f / 64); });
  run("diffuse_perona_rgb", [&] { diffuse_perona_rgb<<<dim3(1280 / 16, 720 / 16), dim3(16, 16)>>>((const float3*)f, (float3*)o, 1280, 720, 20.f, 0.2f); });
  run("tv_dual_step", [&] { tv_dual_step<<<dim3(32, 20), dim3(32, 8)>>>((float2*)o, f, f + 2 * M, 1000, 900, 0.125f, 0.1f); });
  run("guided_coefficients_columns", [&] { guided_coefficients_columns<8><<<dim3(10, 20), 128>>>((const float2*)f, (const float2*)f + M, (float2*)o, 1280, 720, 0.01f); });
  std::vector<uchar4> picture(1024 * 768);
  for (uint32_t i = 0; i < picture.size(); ++i) picture[i] = make_uchar4(hashed(i), hashed(i + 1), hashed(i + 2), 255);
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  CHECK(cudaMallocArray(&array, &format, 1024, 768));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, picture.data(), 4096, 4096, 768, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc sampling = {};
  sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeClamp;
  sampling.filterMode = cudaFilterModeLinear;
  sampling.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  run("warp_homography_texture", [&] { warp_homography_texture<<<dim3(32, 96), dim3(32, 8)>>>(texture, (uchar4*)ow, 1024, 768, make_float3(0.9f, 0.15f, 10.f), make_float3(-0.1f, 0.95f, 40.f), make_float3(1e-4f, 5e-5f, 1.f)); });
  run("composite_layers", [&] { composite_layers<<<(1000000 + 255) / 256, 256>>>(words, ow, 1000000, 12); });
  run("halve_bytes", [&] { halve_bytes<<<dim3(8, 128), dim3(32, 8)>>>((const uint4*)words, (uint2*)ow, 256, 1024); });
  const short2* mv = on_device<short2>(120 * 68, [](uint32_t i) { return make_short2(short(hashed(i / 3) % 33) - 16, short(hashed(i / 3 + 7) % 17) - 8); });
  run("half_sample_six_tap", [&] { half_sample_six_tap<<<dim3(120, 67), dim3(16, 16)>>>(bytes, ob, mv, 1920, 1080); });
  run("transform4_quantize", [&] { transform4_quantize<<<(480 * 270 + 127) / 128, 128>>>(bytes, bytes + 4 * M, (short*)ow, io, 1920, 480, 480 * 270, 8066, 17); });
  run("intra4_modes", [&] { intra4_modes<<<(478 * 150 + 7) / 8, 256>>>(bytes, ob, 1920, 478, 478 * 150); });
  run("png_row_filters_rgb", [&] { png_row_filters<<<1000, 192>>>(bytes, ob, 5760, 3); });
  run("lz_longest_match", [&] { lz_longest_match<<<200000 / 256, 256, 1024 + 256 + 32>>>(bytes, ow, 200000, 1024); });
  const int* starts = on_device<int>(16384, [](uint32_t i) { return int(i) * 300; });
  std::vector<uint32_t> slots(4096);
  for (uint32_t s = 0; s < 4096; ++s) {
    // Symbols with 1, 1, 2, 4, ... 1024, 2048 slots.
    uint32_t symbol = 0, begin = 0, freq = 1;
    while (s >= begin + freq) begin += freq, freq = symbol++ == 0 ? 1 : freq * 2;
    slots[s] = symbol | (freq - 1) << 8 | (s - begin) << 20;
  }
  const uint32_t* slots_d = on_device(slots);
  run("rans_decode_streams", [&] { rans_decode_streams<<<16384 / 128, 128>>>((const uint16_t*)words, starts, slots_d, ob, 16384, 256); });
  const short* residual = on_device<short>(2 * M, [](uint32_t i) { return short(int(hashed(i) % 64) - 32 + (hashed(i) % 97 == 0 ? 100 : 0)); });
  run("rice_encode_blocks", [&] { rice_encode_blocks<<<6000, 256>>>(residual, ow, io, 4); });
  run("move_to_front_warp", [&] { move_to_front_warp<<<(2000 + 3) / 4, 128>>>(bytes, ob, 1500, 2000); });
  SalsaKey key = {{1, 2, 3, 4, 5, 6, 7, 8}, {9, 10}};
  run("salsa20_xor_8", [&] { salsa20_xor<<<1500, 128>>>((const uint4*)words, (uint4*)ow, key, 191000, 8); });
  run("salsa20_xor_20", [&] { salsa20_xor<<<500, 256>>>((const uint4*)words, (uint4*)ow, key, 128000, 20); });
  std::vector<uint32_t> round_keys(32);
  for (uint32_t i = 0; i < 32; ++i) round_keys[i] = hashed(i + 5);
  CHECK(cudaMemcpyToSymbol(c_round_keys, round_keys.data(), 128));
  const uchar* box = on_device<uchar>(256, [](uint32_t i) { return (uchar)((i * 167 + 13) ^ (i >> 3)); });
  run("boxed_feistel_ctr", [&] { boxed_feistel_ctr<<<528, 256>>>((const uint4*)words, (uint4*)ow, box, 600000, make_uint4(1, 2, 3, 4)); });
  run("sliced_feistel", [&] { sliced_feistel<<<(300000 + 127) / 128, 128>>>(words, ow, 0xdeadbeefu, 300000); });
  run("two_line_digest", [&] { two_line_digest<<<(400000 + 255) / 256, 256>>>((const uint4*)words, ow, 400000); });
  unsigned long long* mixing = on_device<unsigned long long>(1024 * 64 * 128, [](uint32_t i) { return (unsigned long long)hashed(i) << 32 | hashed(i + 1); });
  run("memory_mix_warp", [&] { memory_mix_warp<<<1024 / 2, 64>>>(mixing, 1024, 64, 128); });
  run("poly_tags", [&] { poly_tags<<<(40000 + 127) / 128, 128>>>((const uint4*)words, words + 1000, ow, 40000, 64); });
  std::vector<int> offsets(300001);
  for (uint32_t i = 0; i < 300000; ++i) offsets[i + 1] = offsets[i] + 2 + int(hashed(i) % 22);
  const int* offsets_d = on_device(offsets);
  run("hash_strings_to_buckets", [&] { hash_strings_to_buckets<<<1056, 128>>>(words, offsets_d, ow, io, 300000, 0xfffff); });
  return 0;
}
