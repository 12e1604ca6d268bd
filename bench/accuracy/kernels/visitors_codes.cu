// Kernels of images, text, ciphers, hashes, sequences and tables of dynamic programming in further forms.
#include "cases.h"

typedef unsigned char uchar;
typedef unsigned int uint;
typedef unsigned long long ull;

#define BDIMX 32
#define BDIMY 8
#define CLAMP(v, lo, hi) ((v) < (lo) ? (lo) : (v) > (hi) ? (hi) : (v))

// Corners after Harris: gradients and their products summed over 5x5, from a tile.
__global__ void harris_corners(const uchar* __restrict__ img, float* __restrict__ response, int width, int height, float k) {
  __shared__ float tile[BDIMY + 6][BDIMX + 6 + 1];
  const int bx = blockIdx.x * BDIMX, by = blockIdx.y * BDIMY;
  for (int y = threadIdx.y; y < BDIMY + 6; y += BDIMY)
    for (int x = threadIdx.x; x < BDIMX + 6; x += BDIMX) tile[y][x] = img[CLAMP(by + y - 3, 0, height - 1) * width + CLAMP(bx + x - 3, 0, width - 1)];
  __syncthreads();
  const int x = bx + threadIdx.x, y = by + threadIdx.y;
  if (x >= width || y >= height) return;
  float xx = 0, yy = 0, xy = 0;
#pragma unroll
  for (int j = 1; j < 6; ++j)
#pragma unroll
    for (int i = 1; i < 6; ++i) {
      const int r = threadIdx.y + j, c = threadIdx.x + i;
      const float gx = tile[r][c + 1] - tile[r][c - 1], gy = tile[r + 1][c] - tile[r - 1][c];
      xx += gx * gx, yy += gy * gy, xy += gx * gy;
    }
  response[y * width + x] = xx * yy - xy * xy - k * (xx + yy) * (xx + yy);
}

// Optical flow of Lucas and Kanade, a window of 7x7 a pixel, without shared memory.
__global__ void lucas_kanade(const float* a, const float* b, float2* flow, int w, int h) {
  int x = blockDim.x * blockIdx.x + threadIdx.x;
  int y = blockDim.y * blockIdx.y + threadIdx.y;
  if (x < 4 || y < 4 || x >= w - 4 || y >= h - 4) return;
  float sxx = 0.0f, sxy = 0.0f, syy = 0.0f, sxt = 0.0f, syt = 0.0f;
  for (int j = -3; j <= 3; j++) {
    for (int i = -3; i <= 3; i++) {
      int p = (y + j) * w + x + i;
      float ix = (a[p + 1] - a[p - 1]) / 2.0f;
      float iy = (a[p + w] - a[p - w]) / 2.0f;
      float it = b[p] - a[p];
      sxx += ix * ix;
      sxy += ix * iy;
      syy += iy * iy;
      sxt += ix * it;
      syt += iy * it;
    }
  }
  float det = sxx * syy - sxy * sxy;
  if (fabsf(det) > 1e-6f)
    flow[y * w + x] = make_float2((sxy * syt - syy * sxt) / det, (sxy * sxt - sxx * syt) / det);
  else
    flow[y * w + x] = make_float2(0.0f, 0.0f);
}

// Colours from a mosaic (RGGB), after Malvar: a 2x2 cell a thread.
__global__ void demosaic_malvar(const unsigned short* __restrict__ raw, ushort4* __restrict__ rgb, int w, int h) {
  const int cx = (blockIdx.x * blockDim.x + threadIdx.x) * 2, cy = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
  if (cx >= w || cy >= h) return;
  int p[6][6];
#pragma unroll
  for (int j = 0; j < 6; ++j)
#pragma unroll
    for (int i = 0; i < 6; ++i) p[j][i] = __ldg(&raw[min(max(cy + j - 2, 0), h - 1) * w + min(max(cx + i - 2, 0), w - 1)]);
  auto out = [](int v) { return (unsigned short)min(max(v >> 4, 0), 65535); };
#pragma unroll
  for (int dy = 0; dy < 2; ++dy)
#pragma unroll
    for (int dx = 0; dx < 2; ++dx) {
      const int j = dy + 2, i = dx + 2, c = p[j][i], n4 = p[j - 1][i] + p[j + 1][i] + p[j][i - 1] + p[j][i + 1], far = p[j - 2][i] + p[j + 2][i] + p[j][i - 2] + p[j][i + 2];
      const int diag = p[j - 1][i - 1] + p[j - 1][i + 1] + p[j + 1][i - 1] + p[j + 1][i + 1];
      const int cross = out(8 * c + 4 * n4 - 2 * far), other = out(12 * c + 4 * diag - 3 * far);
      const int hor = out(10 * c + 8 * (p[j][i - 1] + p[j][i + 1]) - 2 * (p[j][i - 2] + p[j][i + 2]) - 2 * diag + p[j - 2][i] + p[j + 2][i]);
      const int ver = out(10 * c + 8 * (p[j - 1][i] + p[j + 1][i]) - 2 * (p[j - 2][i] + p[j + 2][i]) - 2 * diag + p[j][i - 2] + p[j][i + 2]);
      ushort4 o;
      if (dx == dy)
        o = dx == 0 ? make_ushort4(c, cross, other, 0xffff) : make_ushort4(other, cross, c, 0xffff);
      else
        o = dx ? make_ushort4(hor, c, ver, 0xffff) : make_ushort4(ver, c, hor, 0xffff);
      rgb[(cy + dy) * w + cx + dx] = o;
    }
}

// Integer inverse cosine transforms of JPEG: eight threads a block of 8x8, a column, then a row.
__device__ void idct8(int* v) {
  const int t0 = (v[0] + v[4]) << 12, t1 = (v[0] - v[4]) << 12, t2 = v[2] * 2217 - v[6] * 5352, t3 = v[2] * 5352 + v[6] * 2217;
  const int e0 = t0 + t3, e3 = t0 - t3, e1 = t1 + t2, e2 = t1 - t2;
  const int z5 = (v[7] + v[3] + v[5] + v[1]) * 4816, z1 = (v[7] + v[1]) * -3685, z2 = (v[5] + v[3]) * -10497, z3 = (v[7] + v[3]) * -8034 + z5, z4 = (v[5] + v[1]) * -1597 + z5;
  const int o0 = v[7] * 1223 + z1 + z3, o1 = v[5] * 8410 + z2 + z4, o2 = v[3] * 12586 + z2 + z3, o3 = v[1] * 6149 + z1 + z4;
  v[0] = e0 + o3, v[7] = e0 - o3, v[1] = e1 + o2, v[6] = e1 - o2, v[2] = e2 + o1, v[5] = e2 - o1, v[3] = e3 + o0, v[4] = e3 - o0;
}
__global__ void jpeg_idct(const short* __restrict__ coefficients, const unsigned short* __restrict__ quant, uchar* __restrict__ out, int blocks, int pitch) {
  __shared__ int s[32][8][9];
  const int col = threadIdx.x & 7, in_block = threadIdx.x >> 3, b = blockIdx.x * 32 + in_block, across = pitch / 8;
  int v[8];
  if (b < blocks) {
    for (int i = 0; i < 8; ++i) v[i] = coefficients[b * 64 + i * 8 + col] * quant[i * 8 + col];
    idct8(v);
    for (int i = 0; i < 8; ++i) s[in_block][i][col] = (v[i] + 1024) >> 11;
  }
  __syncthreads();
  if (b >= blocks) return;
  for (int i = 0; i < 8; ++i) v[i] = s[in_block][col][i];
  idct8(v);
  uchar4 lo, hi;
  auto pack = [](int x) { return (uchar)min(max(((x + 65536) >> 17) + 128, 0), 255); };
  lo = make_uchar4(pack(v[0]), pack(v[1]), pack(v[2]), pack(v[3])), hi = make_uchar4(pack(v[4]), pack(v[5]), pack(v[6]), pack(v[7]));
  uchar4* row = (uchar4*)(out + (b / across * 8 + col) * pitch + b % across * 8);
  row[0] = lo, row[1] = hi;
}

// Components of a tile by union of labels in shared memory.
__device__ int find_root(const volatile int* labels, int x) {
  while (labels[x] != x) x = labels[x];
  return x;
}
__global__ void components_tile(const uchar* img, int* out, int w) {
  __shared__ int labels[1024];
  __shared__ uchar pix[1024];
  const int t = threadIdx.y * 32 + threadIdx.x, g = (blockIdx.y * 32 + threadIdx.y) * w + blockIdx.x * 32 + threadIdx.x;
  pix[t] = img[g] > 120;
  labels[t] = t;
  __syncthreads();
  for (int dir = 0; dir < 2; ++dir) {
    const int o = dir ? t - 32 : t - 1;
    if ((dir ? threadIdx.y : threadIdx.x) > 0 && pix[t] == pix[o]) {
      int a = find_root(labels, t), b = find_root(labels, o);
      while (a != b) {
        if (a < b) { const int s = a; a = b; b = s; }
        const int old = atomicMin(&labels[a], b);
        if (old == a) break;
        a = old;
      }
    }
  }
  __syncthreads();
  const int r = find_root(labels, t);
  out[g] = (blockIdx.y * 32 + r / 32) * w + blockIdx.x * 32 + r % 32;
}

// Erosion along rows after van Herk: minima from both ends of windows.
__global__ void erode_van_herk(const uchar* in, uchar* out, int w, int k) {
  extern __shared__ uchar buf[];
  const int padded = (w + k - 1 + k) / k * k;
  uchar *src = buf, *pre = buf + padded, *suf = pre + padded;
  const uchar* row = in + (size_t)blockIdx.x * w;
  for (int i = threadIdx.x; i < padded; i += blockDim.x) src[i] = i >= k / 2 && i - k / 2 < w ? row[i - k / 2] : 255;
  __syncthreads();
  for (int s = threadIdx.x; s < padded / k; s += blockDim.x) {
    uchar m = 255;
    for (int i = s * k; i < s * k + k; ++i) m = min(m, src[i]), pre[i] = m;
    m = 255;
    for (int i = s * k + k - 1; i >= s * k; --i) m = min(m, src[i]), suf[i] = m;
  }
  __syncthreads();
  for (int x = threadIdx.x; x < w; x += blockDim.x) out[(size_t)blockIdx.x * w + x] = min(suf[x], pre[x + k - 1]);
}

// Votes of edge points for lines: a block an angle group, an accumulator in shared memory.
__global__ void hough_lines(const short2* __restrict__ points, int count, int* __restrict__ accumulator, int rhos, float rho_step) {
  extern __shared__ int acc[];
  const float angle = blockIdx.x * 3.14159265f / gridDim.x, c = cosf(angle), s = sinf(angle);
  for (int i = threadIdx.x; i < rhos; i += blockDim.x) acc[i] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    const short2 p = points[i];
    const int r = __float2int_rn((p.x * c + p.y * s) / rho_step) + rhos / 2;
    if (r >= 0 && r < rhos) atomicAdd(&acc[r], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < rhos; i += blockDim.x) accumulator[blockIdx.x * rhos + i] = acc[i];
}

// Weak edges that touch strong ones become strong until a tile stays as it is.
__global__ void hysteresis_tile(uchar* edges, int w, int h, int* changed) {
  __shared__ uchar s[34][34];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 34 * 34; i += 1024) {
    const int gx = blockIdx.x * 32 + i % 34 - 1, gy = blockIdx.y * 32 + i / 34 - 1;
    s[i / 34][i % 34] = gx >= 0 && gy >= 0 && gx < w && gy < h ? edges[gy * w + gx] : 0;
  }
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int again, any = 0;
  do {
    __syncthreads();
    bool mine = false;
    if (s[ty][tx] == 1)
      for (int j = -1; j <= 1 && !mine; ++j)
        for (int i = -1; i <= 1; ++i) mine |= s[ty + j][tx + i] == 2;
    again = __syncthreads_or(mine);
    if (mine) s[ty][tx] = 2, any = 1;
  } while (again);
  if (any) edges[y * w + x] = 2, *changed = 1;
}

// Costs of a stereo match along a scan line (SGM): a warp a line, 64 disparities, two a lane.
__global__ void sgm_path_rows(const uchar2* __restrict__ cost, ushort2* __restrict__ sum, int w, int h, int p1, int p2) {
  const int line = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (line >= h) return;
  int l0 = 0, l1 = 0, least = 0;
  for (int x = 0; x < w; ++x) {
    const size_t at = ((size_t)line * w + x) * 32 + lane;
    const uchar2 c = cost[at];
    int below = __shfl_up_sync(0xffffffff, l1, 1), above = __shfl_down_sync(0xffffffff, l0, 1);
    if (lane == 0) below = 1 << 20;
    if (lane == 31) above = 1 << 20;
    const int n0 = c.x + min(min(l0, least + p2), min(below, l1) + p1) - least;
    const int n1 = c.y + min(min(l1, least + p2), min(l0, above) + p1) - least;
    l0 = n0, l1 = n1;
    least = min(l0, l1);
    for (int o = 16; o > 0; o >>= 1) least = min(least, __shfl_xor_sync(0xffffffff, least, o));
    sum[at] = make_ushort2(l0, l1);
  }
}

__device__ __forceinline__ uint rol(uint x, int n) { return __funnelshift_l(x, x, n); }
__device__ void sha1_block(uint* h, const uint* block) {
  uint w[16], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
#pragma unroll
  for (int i = 0; i < 16; ++i) w[i] = block[i];
#pragma unroll
  for (int i = 0; i < 80; ++i) {
    if (i >= 16) w[i & 15] = rol(w[(i + 13) & 15] ^ w[(i + 8) & 15] ^ w[(i + 2) & 15] ^ w[i & 15], 1);
    const uint f = i < 20 ? (b & c) | (~b & d) : i < 40 ? b ^ c ^ d : i < 60 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
    const uint k = i < 20 ? 0x5a827999 : i < 40 ? 0x6ed9eba1 : i < 60 ? 0x8f1bbcdc : 0xca62c1d6;
    const uint t = rol(a, 5) + f + e + k + w[i & 15];
    e = d, d = c, c = rol(b, 30), b = a, a = t;
  }
  h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
}
// Rounds of PBKDF2 with HMAC-SHA1.
__global__ void pbkdf2_sha1(const uint* states, uint* out, int rounds, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  uint inner[5], outer[5], u[5], t[5], block[16];
  for (int i = 0; i < 5; ++i) inner[i] = states[i * n + id], outer[i] = states[(5 + i) * n + id], u[i] = t[i] = states[(10 + i) * n + id];
  for (int r = 0; r < rounds; ++r) {
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i < 5; ++i) block[i] = u[i];
      block[5] = 0x80000000u;
      for (int i = 6; i < 15; ++i) block[i] = 0;
      block[15] = (64 + 20) * 8;
      for (int i = 0; i < 5; ++i) u[i] = pass ? outer[i] : inner[i];
      sha1_block(u, block);
    }
    for (int i = 0; i < 5; ++i) t[i] ^= u[i];
  }
  for (int i = 0; i < 5; ++i) out[i * n + id] = t[i];
}

#define SIPROUND                                                     \
  do {                                                               \
    v0 += v1, v1 = v1 << 13 | v1 >> 51, v1 ^= v0, v0 = v0 << 32 | v0 >> 32; \
    v2 += v3, v3 = v3 << 16 | v3 >> 48, v3 ^= v2;                    \
    v0 += v3, v3 = v3 << 21 | v3 >> 43, v3 ^= v0;                    \
    v2 += v1, v1 = v1 << 17 | v1 >> 47, v1 ^= v2, v2 = v2 << 32 | v2 >> 32; \
  } while (0)
// SipHash-2-4 of strings of several lengths.
__global__ void siphash_strings(const uchar* data, const int* offsets, ull* out, ull k0, ull k1, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uchar* p = data + offsets[i];
  const int len = offsets[i + 1] - offsets[i];
  ull v0 = 0x736f6d6570736575ULL ^ k0, v1 = 0x646f72616e646f6dULL ^ k1, v2 = 0x6c7967656e657261ULL ^ k0, v3 = 0x7465646279746573ULL ^ k1;
  int at = 0;
  for (; at + 8 <= len; at += 8) {
    ull m = 0;
    for (int b = 0; b < 8; ++b) m |= (ull)p[at + b] << 8 * b;
    v3 ^= m;
    SIPROUND;
    SIPROUND;
    v0 ^= m;
  }
  ull m = (ull)len << 56;
  for (int b = 0; at + b < len; ++b) m |= (ull)p[at + b] << 8 * b;
  v3 ^= m;
  SIPROUND;
  SIPROUND;
  v0 ^= m, v2 ^= 0xff;
  for (int r = 0; r < 4; ++r) SIPROUND;
  out[i] = v0 ^ v1 ^ v2 ^ v3;
}

// Products in GF(2^128) by shifts, as in GHASH.
__global__ void ghash_multiply(const ulonglong2* __restrict__ x, ulonglong2 h, ulonglong2* __restrict__ y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const ulonglong2 a = x[i];
    ulonglong2 z = make_ulonglong2(0, 0), v = h;
    for (int half = 0; half < 2; ++half) {
      const ull bits = half ? a.y : a.x;
      for (int b = 63; b >= 0; --b) {
        const ull m = 0 - (bits >> b & 1);
        z.x ^= v.x & m, z.y ^= v.y & m;
        const ull carry = 0 - (v.y & 1);
        v.y = v.y >> 1 | v.x << 63;
        v.x = v.x >> 1 ^ (carry & 0xe100000000000000ULL);
      }
    }
    y[i] = z;
  }
}

// XTEA in cipher-block chaining, decrypted: every block on its own.
__global__ void xtea_cbc_decrypt(const uint2* __restrict__ in, uint2* __restrict__ out, uint4 key, uint2 iv, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint k[4] = {key.x, key.y, key.z, key.w};
  const uint2 c = in[i], before = i ? in[i - 1] : iv;
  uint v0 = c.x, v1 = c.y, sum = 0x9e3779b9u * 32;
#pragma unroll 8
  for (int r = 0; r < 32; ++r) {
    v1 -= ((v0 << 4 ^ v0 >> 5) + v0) ^ (sum + k[sum >> 11 & 3]);
    sum -= 0x9e3779b9u;
    v0 -= ((v1 << 4 ^ v1 >> 5) + v1) ^ (sum + k[sum & 3]);
  }
  out[i] = make_uint2(v0 ^ before.x, v1 ^ before.y);
}

// Local alignment with affine gaps: a block a pair, a diagonal at a time.
__global__ void smith_waterman_affine(const char* __restrict__ a, const char* __restrict__ b, int* __restrict__ best, int n, int m) {
  extern __shared__ int dp[];
  int *h0 = dp, *h1 = dp + n + 1, *h2 = dp + 2 * (n + 1), *e = dp + 3 * (n + 1), *f = dp + 4 * (n + 1);
  __shared__ int top;
  for (int i = threadIdx.x; i < 5 * (n + 1); i += blockDim.x) dp[i] = i < 3 * (n + 1) ? 0 : -10000;
  if (threadIdx.x == 0) top = 0;
  __syncthreads();
  const char *s = a + blockIdx.x * n, *t = b + blockIdx.x * m;
  int mine = 0;
  for (int d = 2; d <= n + m; ++d) {
    const int i = threadIdx.x + 1, j = d - i;
    int h = 0, up = 0, gap = 0;
    const bool in = i <= n && j >= 1 && j <= m;
    if (in) {
      up = max(h1[i - 1] - 11, f[i - 1] - 1);  // From the row above.
      gap = max(h1[i] - 11, e[i] - 1);
      h = max(max(0, h0[i - 1] + (s[i - 1] == t[j - 1] ? 5 : -3)), max(up, gap));
      mine = max(mine, h);
    }
    __syncthreads();
    if (in) h2[i] = h, e[i] = gap, f[i] = up;
    __syncthreads();
    int* r = h0;
    h0 = h1, h1 = h2, h2 = r;
  }
  atomicMax(&top, mine);
  __syncthreads();
  if (threadIdx.x == 0) best[blockIdx.x] = top;
}

// Longest common subsequences by bits, 64 characters of a pattern in a word.
__global__ void lcs_bits(const uchar* __restrict__ texts, const ull* __restrict__ match, int* __restrict__ out, int length, int n) {
  __shared__ ull masks[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) masks[i] = match[i];
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  ull v = ~0ULL;
  const uchar* t = texts + (size_t)id * length;
  for (int i = 0; i < length; ++i) {
    const ull u = v & masks[t[i]];
    v = (v + u) | (v - u);
  }
  out[id] = __popcll(~v);
}

// Is it UTF-8? Sixteen bytes a thread, with the three before them.
__global__ void utf8_validate(const uint4* __restrict__ text, int* bad, int n16) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n16) return;
  const uint4 v = text[i];
  const uint word[5] = {i ? ((const uint*)text)[4 * i - 1] : 0u, v.x, v.y, v.z, v.w};
  bool error = false;
  if (((word[0] | v.x | v.y | v.z | v.w) & 0x80808080u) != 0) {
    for (int k = 4; k < 20; ++k) {
      auto byte = [&](int at) { return word[at >> 2] >> 8 * (at & 3) & 255; };
      const uint b = byte(k), b1 = byte(k - 1), b2 = byte(k - 2), b3 = byte(k - 3);
      const bool continues = (b & 0xc0) == 0x80, must = b1 >= 0xc0 || b2 >= 0xe0 || b3 >= 0xf0;
      error |= continues != must || b == 0xc0 || b == 0xc1 || b > 0xf4 || (b1 == 0xe0 && b < 0xa0) || (b1 == 0xed && b > 0x9f) || (b1 == 0xf0 && b < 0x90) || (b1 == 0xf4 && b > 0x8f);
    }
  }
  if (__any_sync(__activemask(), error) && error) atomicAdd(bad, 1);
}

// Four characters to three bytes, by a table in shared memory.
__global__ void base64_decode(const uchar4* __restrict__ in, uchar* __restrict__ out, const uchar* __restrict__ table, int n) {
  __shared__ uchar lut[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) lut[i] = table[i];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uchar4 c = in[i];
    const uint v = lut[c.x] << 18 | lut[c.y] << 12 | lut[c.z] << 6 | lut[c.w];
    out[3 * i] = uchar(v >> 16), out[3 * i + 1] = uchar(v >> 8), out[3 * i + 2] = uchar(v);
  }
}

// Structure of JSON: a bit for each bracket, colon or comma outside strings; a warp goes along 1024 characters.
__global__ void json_structure(const char* __restrict__ text, uint* __restrict__ bits, int n) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp * 1024 >= n) return;
  uint in_string = 0;
  for (int k = 0; k < 32; ++k) {
    const char c = text[warp * 1024 + k * 32 + lane];
    uint quotes = __ballot_sync(0xffffffff, c == '"');
    const uint structure = __ballot_sync(0xffffffff, c == '{' || c == '}' || c == '[' || c == ']' || c == ':' || c == ',');
    for (int s = 1; s < 32; s <<= 1) quotes ^= quotes << s;
    quotes ^= in_string;
    in_string = 0 - (quotes >> 31);
    if (lane == k) bits[warp * 32 + k] = structure & ~quotes;
  }
}

// Words of 21 bases, the smaller of both strands, counted in a table with open addressing.
__global__ void count_kmers(const uint* __restrict__ packed, ull* keys, uint* counts, uint mask, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int bit = 2 * i, w = bit >> 5, s = bit & 31;
  const ull lo = (ull)packed[w + 1] << 32 | packed[w];
  ull kmer = lo >> s;
  if (s > 22) kmer |= (ull)packed[w + 2] << (64 - s);
  kmer &= (1ULL << 42) - 1;
  ull rc = ~kmer;
  rc = (rc >> 2 & 0x3333333333333333ULL) | (rc & 0x3333333333333333ULL) << 2;
  rc = (rc >> 4 & 0x0f0f0f0f0f0f0f0fULL) | (rc & 0x0f0f0f0f0f0f0f0fULL) << 4;
  const uint a = __byte_perm((uint)rc, 0, 0x0123), b = __byte_perm((uint)(rc >> 32), 0, 0x0123);
  rc = ((ull)a << 32 | b) >> 22;
  const ull key = min(kmer, rc) + 1;
  uint slot = (uint)(key * 0x9E3779B97F4A7C15ULL >> 40) & mask;
  for (int probe = 0; probe < 64; ++probe, slot = (slot + 1) & mask) {
    const ull old = atomicCAS(&keys[slot], 0ULL, key);
    if (old == 0 || old == key) {
      atomicAdd(&counts[slot], 1u);
      return;
    }
  }
}

// One item of a knapsack: the next row of values.
__global__ void knapsack_item(const int* __restrict__ before, int* __restrict__ after, uchar* __restrict__ taken, int capacity, int weight, int value) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c > capacity) return;
  const int skip = before[c], take = c >= weight ? before[c - weight] + value : -1;
  after[c] = take > skip ? take : skip;
  taken[c] = take > skip;
}

// Floyd and Warshall by tiles, the third phase: all tiles but the pivot's row and column.
__global__ void floyd_phase3(int* d, int n, int pivot) {
  const int bx = blockIdx.x, by = blockIdx.y;
  if (bx == pivot || by == pivot) return;
  __shared__ int row[32][32], col[32][32];
  const int x = bx * 32 + threadIdx.x, y = by * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    col[threadIdx.y + j][threadIdx.x] = d[(y + j) * n + pivot * 32 + threadIdx.x];
    row[threadIdx.y + j][threadIdx.x] = d[(pivot * 32 + threadIdx.y + j) * n + x];
  }
  __syncthreads();
  for (int j = 0; j < 32; j += 8) {
    int best = d[(y + j) * n + x];
#pragma unroll
    for (int k = 0; k < 32; ++k) best = min(best, col[threadIdx.y + j][k] + row[k][threadIdx.x]);
    d[(y + j) * n + x] = best;
  }
}

// Primes of a segment a block, bits in shared memory: the small primes by all threads, the others a thread each.
__global__ void sieve_segment(const int* __restrict__ primes, int count, int* total, int words) {
  extern __shared__ uint bits[];
  for (int i = threadIdx.x; i < words; i += blockDim.x) bits[i] = 0;
  __syncthreads();
  const ull low = 3 + 2ULL * blockIdx.x * words * 32;
  auto first_multiple = [low](uint p) {
    ull from = (low + p - 1) / p * p;
    if (!(from & 1)) from += p;
    if (from < (ull)p * p) from = (ull)p * p;
    return (from - low) / 2;
  };
  const uint end = words * 32;
  for (int k = 0; k < 30; ++k) {
    const uint p = primes[k];
    for (ull i = first_multiple(p) + (ull)threadIdx.x * p; i < end; i += p * blockDim.x) atomicOr(&bits[i >> 5], 1u << (i & 31));
  }
  for (int k = 30 + threadIdx.x; k < count; k += blockDim.x) {
    const uint p = primes[k];
    for (ull i = first_multiple(p); i < end; i += p) atomicOr(&bits[i >> 5], 1u << (i & 31));
  }
  __syncthreads();
  int mine = 0;
  for (int i = threadIdx.x; i < words; i += blockDim.x) mine += __popc(~bits[i]);
  mine = __reduce_add_sync(0xffffffff, mine);
  if (threadIdx.x % 32 == 0) atomicAdd(total, mine);
}

// Factors after Pollard: a number of 32 bits a thread, products gathered before each gcd.
__device__ uint gcd_binary(uint a, uint b) {
  if (a == 0) return b;
  if (b == 0) return a;
  const int shift = __ffs(a | b) - 1;
  a >>= __ffs(a) - 1;
  while (b) {
    b >>= __ffs(b) - 1;
    if (a > b) { const uint t = a; a = b; b = t; }
    b -= a;
  }
  return a << shift;
}
__global__ void pollard_rho(const uint* __restrict__ numbers, uint* __restrict__ factors, int most, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint m = numbers[i];
  uint x = 2, y = 2, q = 1, g = 1;
  for (int round = 0; round < most && g == 1; ++round) {
    for (int k = 0; k < 16; ++k) {
      x = uint(((ull)x * x + 1) % m);
      y = uint(((ull)y * y + 1) % m);
      y = uint(((ull)y * y + 1) % m);
      q = uint((ull)q * (x > y ? x - y : y - x) % m);
    }
    g = gcd_binary(q, m);
  }
  factors[i] = g;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const uint* words = on_device<uint>(1 << 21, hashed);
  uint* out = zeros<uint>(1 << 22);
  const float* a = on_device<float>(1 << 20, fraction);
  // A picture with areas of similar pixels.
  std::vector<uchar> picture(1024 * 1024), edges(1024 * 1024);
  for (uint32_t i = 0; i < picture.size(); ++i) {
    const uint32_t x = i % 1024, y = i / 1024;
    picture[i] = uchar(200 * fraction(x / 24 + y / 17 * 64) + 40 * fraction(i));
    edges[i] = hashed(i) % 100 < 30 ? 1 : hashed(i) % 1000 > 990 ? 2 : 0;
  }
  const uchar* img = on_device(picture);
  uchar* edges_d = on_device(edges);

  run("harris_corners", [&] { harris_corners<<<dim3(20, 60), dim3(BDIMX, BDIMY)>>>(img, (float*)out, 630, 475, 0.04f); });
  run("lucas_kanade", [&] { lucas_kanade<<<dim3(40, 30), dim3(16, 16)>>>(a, a + 3, (float2*)out, 640, 480); });
  run("demosaic_malvar", [&] { demosaic_malvar<<<dim3(20, 60), dim3(32, 8)>>>((const unsigned short*)words, (ushort4*)out, 1280, 960); });
  const short* coefficients = on_device<short>(1 << 19, [](uint32_t i) { return short(i % 64 < 10 ? int(hashed(i) % 32) - 16 : hashed(i) % 16 == 0 ? 1 : 0); });
  const unsigned short* quant = on_device<unsigned short>(64, [](uint32_t i) { return (unsigned short)(8 + i); });
  run("jpeg_idct", [&] { jpeg_idct<<<250, 256>>>(coefficients, quant, (uchar*)out, 8000, 800); });
  run("components_tile", [&] { components_tile<<<dim3(16, 16), dim3(32, 32)>>>(img, (int*)out, 1024); });
  run("erode_van_herk_15", [&] { erode_van_herk<<<700, 128, 3 * 1050>>>(img, (uchar*)out, 1000, 15); });
  const short2* points = on_device<short2>(6000, [](uint32_t i) { return i % 3 ? make_short2(short(i % 640), short((i % 640) / 2 + hashed(i) % 3)) : make_short2(short(hashed(i) % 640), short(hashed(i + 1) % 480)); });
  run("hough_lines", [&] { hough_lines<<<180, 256, 1602 * 4>>>(points, 6000, (int*)out, 1602, 1.0f); });
  run("hysteresis_tile", [&] { hysteresis_tile<<<dim3(16, 16), dim3(32, 32)>>>(edges_d, 512, 512, (int*)out); });
  run("sgm_path_rows", [&] { sgm_path_rows<<<60, dim3(32, 4)>>>((const uchar2*)words, (ushort2*)out, 300, 240, 10, 120); });
  run("pbkdf2_sha1", [&] { pbkdf2_sha1<<<132, 128>>>(words, out, 4, 16896); });
  std::vector<int> offsets(32769);
  for (uint32_t i = 0; i < 32768; ++i) offsets[i + 1] = offsets[i] + 4 + int(hashed(i) % 16 == 0 ? 60 + hashed(i + 3) % 120 : hashed(i + 3) % 40);
  const int* offsets_d = on_device(offsets);
  run("siphash_strings", [&] { siphash_strings<<<256, 128>>>((const uchar*)words, offsets_d, (ull*)out, 0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL, 32768); });
  run("ghash_multiply", [&] { ghash_multiply<<<132, 256>>>((const ulonglong2*)words, make_ulonglong2(0x66e94bd4ef8a2c3bULL, 0x884cfa59ca342b2eULL), (ulonglong2*)out, 67584); });
  run("xtea_cbc_decrypt", [&] { xtea_cbc_decrypt<<<1024, 256>>>((const uint2*)words, (uint2*)out, make_uint4(1, 22, 333, 4444), make_uint2(5, 6), 262000); });
  const char* bases = on_device<char>(1 << 18, [](uint32_t i) { return "ACGT"[hashed(i / 3 * 3 + hashed(i) % 5 / 4) & 3]; });
  run("smith_waterman_affine_128", [&] { smith_waterman_affine<<<132, 128, 5 * 129 * 4>>>(bases, bases + 999, (int*)out, 128, 150); });
  run("smith_waterman_affine_250", [&] { smith_waterman_affine<<<40, 256, 5 * 251 * 4>>>(bases, bases + 999, (int*)out, 250, 300); });
  std::vector<ull> match(256);
  for (uint32_t i = 0; i < 64; ++i) match["ACGT"[hashed(i + 5) & 3]] |= 1ULL << i;
  const ull* match_d = on_device(match);
  run("lcs_bits", [&] { lcs_bits<<<32, 64>>>((const uchar*)bases, match_d, (int*)out, 128, 2048); });
  std::vector<uchar> text;
  for (uint32_t i = 0; text.size() < (1 << 21) - 8; ++i) {
    // Paragraphs without and with letters of two and three bytes.
    const uint32_t r = hashed(i) % 20;
    if (i / 3000 % 3 && r == 0)
      text.insert(text.end(), {0xc3, uchar(0x80 + hashed(i + 1) % 64)});
    else if (i / 3000 % 3 == 2 && r == 1)
      text.insert(text.end(), {0xe2, 0x82, uchar(0x80 + hashed(i + 1) % 64)});
    else
      text.push_back(uchar(97 + r));
  }
  text.resize(1 << 21, ' ');
  const uchar* text_d = on_device(text);
  run("utf8_validate", [&] { utf8_validate<<<512, 256>>>((const uint4*)text_d, (int*)out, 1 << 17); });
  const char* alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<uchar> table(256), coded(1 << 21);
  for (uint32_t i = 0; i < 64; ++i) table[uchar(alphabet[i])] = uchar(i);
  for (uint32_t i = 0; i < coded.size(); ++i) coded[i] = uchar(alphabet[hashed(i) % 64]);
  const uchar *table_d = on_device(table), *coded_d = on_device(coded);
  run("base64_decode", [&] { base64_decode<<<264, 256>>>((const uchar4*)coded_d, (uchar*)out, table_d, 1 << 19); });
  std::string json;
  for (uint32_t i = 0; json.size() < 1 << 20; ++i) json += "{\"id\": " + std::to_string(hashed(i) % 100000) + ", \"name\": \"a, b: " + std::string(hashed(i + 1) % 30, 'x') + "\", \"tags\": [1, 2, 3]},\n";
  const char* json_d = on_device(std::vector<char>(json.begin(), json.end()));
  run("json_structure", [&] { json_structure<<<128, 256>>>(json_d, out, 1 << 20); });
  ull* kmer_keys = zeros<ull>(1 << 19);
  run("count_kmers", [&] { count_kmers<<<1000, 256>>>(words, kmer_keys, out, (1u << 19) - 1, 256000); });
  const int* values = on_device<int>(100001, [](uint32_t i) { return int(i / 10 + hashed(i) % 50); });
  run("knapsack_item", [&] { knapsack_item<<<98, 1024>>>(values, (int*)out, (uchar*)(out + (1 << 20)), 100000, 137, 60); });
  int* distances = on_device<int>(512 * 512, [](uint32_t i) { return int(hashed(i) % 1000); });
  run("floyd_phase3", [&] { floyd_phase3<<<dim3(16, 16), dim3(32, 8)>>>(distances, 512, 5); });
  std::vector<int> primes;
  for (int i = 3; i < 6000; i += 2) {
    bool prime = true;
    for (int p : primes) prime = prime && i % p != 0;
    if (prime) primes.push_back(i);
  }
  const int* primes_d = on_device(primes);
  run("sieve_segment", [&] { sieve_segment<<<132, 256, 8192>>>(primes_d, int(primes.size()), (int*)out, 2048); });
  std::vector<uint> numbers(8448);
  for (uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = uint(primes[100 + hashed(i) % 600]) * uint(primes[100 + hashed(i + 7) % 600]);
  const uint* numbers_d = on_device(numbers);
  run("pollard_rho", [&] { pollard_rho<<<132, 32>>>(numbers_d, out, 24, 4224); });
  return 0;
}
