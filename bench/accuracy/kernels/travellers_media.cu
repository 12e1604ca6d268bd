// Pictures, video, sound, shapes and money: filters, corners, stereo and flow, bits of morphology, colours and sizes, blocks of codecs, rays and voxels, spectra and echoes, prices and risks.
#include <cuda_fp16.h>

#include "cases.h"

typedef unsigned char u8;

// Mosaic to colours: black level, white balance, bilinear, a tile with a border in shared memory.
__global__ void demosaic_rggb_tile(const unsigned short* __restrict__ raw, uchar4* __restrict__ out, int w, int h, float black, float3 gain) {
  __shared__ float s[10][34];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 340; i += 256) {
    const int x = min(max(x0 + i % 34 - 1, 0), w - 1), y = min(max(y0 + i / 34 - 1, 0), h - 1);
    const float g = y % 2 == 0 ? (x % 2 == 0 ? gain.x : gain.y) : (x % 2 == 0 ? gain.y : gain.z);
    s[i / 34][i % 34] = fmaxf(0.f, raw[y * w + x] - black) * g;
  }
  __syncthreads();
  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y, i = threadIdx.x + 1, j = threadIdx.y + 1;
  if (x >= w || y >= h) return;
  const float c = s[j][i], cross = 0.25f * (s[j][i - 1] + s[j][i + 1] + s[j - 1][i] + s[j + 1][i]), diag = 0.25f * (s[j - 1][i - 1] + s[j - 1][i + 1] + s[j + 1][i - 1] + s[j + 1][i + 1]);
  const float hor = 0.5f * (s[j][i - 1] + s[j][i + 1]), ver = 0.5f * (s[j - 1][i] + s[j + 1][i]);
  float3 rgb;
  if (y % 2 == 0)
    rgb = x % 2 == 0 ? make_float3(c, cross, diag) : make_float3(hor, c, ver);
  else
    rgb = x % 2 == 0 ? make_float3(ver, c, hor) : make_float3(diag, cross, c);
  auto tone = [](float v) { return (u8)(255.f * __powf(fminf(v, 1.f), 1.f / 2.2f)); };
  out[y * w + x] = make_uchar4(tone(rgb.x), tone(rgb.y), tone(rgb.z), 255);
}

// One step of Horn and Schunck's flow, averages from a tile.
__global__ void horn_schunck_step(const float* __restrict__ ix, const float* __restrict__ iy, const float* __restrict__ it, const float2* __restrict__ flow, float2* __restrict__ next, int w, int h, float alpha2) {
  __shared__ float2 s[18][18];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 324; i += 256) {
    const int sx = min(max((int)blockIdx.x * 16 + i % 18 - 1, 0), w - 1), sy = min(max((int)blockIdx.y * 16 + i / 18 - 1, 0), h - 1);
    s[i / 18][i % 18] = flow[sy * w + sx];
  }
  __syncthreads();
  if (x >= w || y >= h) return;
  const int i = threadIdx.x + 1, j = threadIdx.y + 1;
  const float u = (s[j][i - 1].x + s[j][i + 1].x + s[j - 1][i].x + s[j + 1][i].x) / 6 + (s[j - 1][i - 1].x + s[j - 1][i + 1].x + s[j + 1][i - 1].x + s[j + 1][i + 1].x) / 12;
  const float v = (s[j][i - 1].y + s[j][i + 1].y + s[j - 1][i].y + s[j + 1][i].y) / 6 + (s[j - 1][i - 1].y + s[j - 1][i + 1].y + s[j + 1][i - 1].y + s[j + 1][i + 1].y) / 12;
  const int at = y * w + x;
  const float gx = ix[at], gy = iy[at], t = (gx * u + gy * v + it[at]) / (alpha2 + gx * gx + gy * gy);
  next[at] = make_float2(u - gx * t, v - gy * t);
}

// The best disparity of census words: 64 candidates, a warp two of a lane each, along a row.
__global__ void hamming_stereo(const unsigned long long* __restrict__ left, const unsigned long long* __restrict__ right, float* __restrict__ disparity, int w, int h) {
  const int y = blockIdx.y, x = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (x >= w) return;
  int best = 1 << 20;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int d = lane + 32 * k;
    int cost = 1000;
    if (x >= d + 2 && x < w - 2) {
      cost = 0;
#pragma unroll
      for (int o = -2; o <= 2; ++o) cost += __popcll(left[y * w + x + o] ^ right[y * w + x + o - d]);
    }
    best = min(best, cost << 8 | d);
  }
  best = __reduce_min_sync(0xffffffffu, best);
  if (lane == 0) disparity[y * w + x] = (best >> 8) < 140 ? float(best & 255) : -1.f;
}

// Opening of a picture of bits with a 3x3 square, 32 pixels a word.
__device__ __forceinline__ uint32_t row3(uint32_t l, uint32_t c, uint32_t r, bool erode) {
  const uint32_t a = c << 1 | l >> 31, b = c >> 1 | r << 31;
  return erode ? a & b & c : a | b | c;
}
__global__ void bit_morphology(const uint32_t* in, uint32_t* out, int words, int rows, int erode) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= words || y >= rows) return;
  uint32_t result = erode ? ~0u : 0u;
  for (int dy = -1; dy <= 1; dy++) {
    int yy = y + dy;
    if (yy < 0 || yy >= rows) continue;
    uint32_t l = x > 0 ? in[yy * words + x - 1] : (erode ? ~0u : 0u);
    uint32_t r = x < words - 1 ? in[yy * words + x + 1] : (erode ? ~0u : 0u);
    uint32_t v = row3(l, in[yy * words + x], r, erode);
    result = erode ? result & v : result | v;
  }
  out[y * words + x] = result;
}

// Colours to CIE Lab and back with more or less of them.
__global__ void lab_saturation(const uchar4* __restrict__ in, uchar4* __restrict__ out, int n, float amount) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uchar4 p = in[i];
    auto linear = [](u8 v) {
      const float c = v * (1.f / 255.f);
      return c <= 0.04045f ? c / 12.92f : __powf((c + 0.055f) / 1.055f, 2.4f);
    };
    const float r = linear(p.x), g = linear(p.y), b = linear(p.z);
    auto f = [](float t) { return t > 0.008856f ? cbrtf(t) : 7.787f * t + 16.f / 116.f; };
    const float fx = f((0.4124f * r + 0.3576f * g + 0.1805f * b) / 0.9505f), fy = f(0.2126f * r + 0.7152f * g + 0.0722f * b), fz = f((0.0193f * r + 0.1192f * g + 0.9505f * b) / 1.089f);
    const float a = 500.f * (fx - fy) * amount, bb = 200.f * (fy - fz) * amount;
    auto inverse = [](float t) { return t > 0.2069f ? t * t * t : (t - 16.f / 116.f) / 7.787f; };
    const float x = 0.9505f * inverse(fy + a / 500.f), y = inverse(fy), z = 1.089f * inverse(fy - bb / 200.f);
    auto gamma = [](float v) {
      v = fminf(fmaxf(v, 0.f), 1.f);
      v = v <= 0.0031308f ? 12.92f * v : 1.055f * __powf(v, 1.f / 2.4f) - 0.055f;
      return (u8)(255.f * v + 0.5f);
    };
    out[i] = make_uchar4(gamma(3.2406f * x - 1.5372f * y - 0.4986f * z), gamma(-0.9689f * x + 1.8758f * y + 0.0415f * z), gamma(0.0557f * x - 0.2040f * y + 1.0570f * z), p.w);
  }
}

// Rows made shorter by Lanczos's window of three lobes; weights are computed by each thread.
__global__ void lanczos3_rows(const float4* __restrict__ in, float4* __restrict__ out, int w_in, int w_out, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w_out) return;
  const float scale = (float)w_in / w_out, centre = (x + 0.5f) * scale, radius = 3.f * scale;
  const int first = max(0, (int)(centre - radius)), last = min(w_in - 1, (int)(centre + radius));
  float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);
  float total = 0.f;
  for (int i = first; i <= last; ++i) {
    const float t = (i + 0.5f - centre) / scale, pt = 3.14159265f * t;
    const float wt = fabsf(t) < 1e-4f ? 1.f : fabsf(t) < 3.f ? 3.f * sinf(pt) * sinf(pt / 3.f) / (pt * pt) : 0.f;
    const float4 p = in[(size_t)y * w_in + i];
    sum.x += wt * p.x, sum.y += wt * p.y, sum.z += wt * p.z, sum.w += wt * p.w;
    total += wt;
  }
  const float inv = 1.f / total;
  out[(size_t)y * w_out + x] = make_float4(sum.x * inv, sum.y * inv, sum.z * inv, sum.w * inv);
}

// Corners by the ring of sixteen pixels (FAST), with a quick test of four.
__constant__ int2 ring[16];
__global__ void fast9_corners(const u8* __restrict__ img, int2* __restrict__ corners, int* count, int w, int h, int threshold, int capacity) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 3, y = blockIdx.y * blockDim.y + threadIdx.y + 3;
  if (x >= w - 3 || y >= h - 3) return;
  const int c = img[y * w + x], lo = c - threshold, hi = c + threshold;
  int bright = 0, dark = 0;
#pragma unroll
  for (int k = 0; k < 16; k += 4) {
    const int v = img[(y + ring[k].y) * w + x + ring[k].x];
    bright += v > hi;
    dark += v < lo;
  }
  if (bright < 2 && dark < 2) return;
  uint32_t mb = 0, md = 0;
  for (int k = 0; k < 16; ++k) {
    const int v = img[(y + ring[k].y) * w + x + ring[k].x];
    mb |= (uint32_t)(v > hi) << k;
    md |= (uint32_t)(v < lo) << k;
  }
  mb |= mb << 16, md |= md << 16;
  uint32_t rb = mb, rd = md;
#pragma unroll
  for (int k = 1; k < 9; ++k) rb &= mb >> k, rd &= md >> k;
  if (((rb | rd) & 0xffff) == 0) return;
  const int at = atomicAdd(count, 1);
  if (at < capacity) corners[at] = make_int2(x, y);
}

// Edges of 8x8 blocks smoothed where the step is small (as H.264 does for luma), a thread a line of four edges.
__global__ void deblock_vertical(u8* frame, const u8* qp, int w, int h, int stride) {
  int bx = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (bx >= w / 8 || y >= h) return;
  int q = (qp[(y / 8) * (w / 8) + bx] + qp[(y / 8) * (w / 8) + bx - 1] + 1) / 2;
  int alpha = q * q / 12 + 2, beta = q / 3 + 1, tc = q / 8 + 1;
  u8* p = frame + y * stride + bx * 8;
  int p2 = p[-3], p1 = p[-2], p0 = p[-1], q0 = p[0], q1 = p[1], q2 = p[2];
  if (abs(p0 - q0) >= alpha || abs(p1 - p0) >= beta || abs(q1 - q0) >= beta) return;
  int bound = tc;
  if (abs(p2 - p0) < beta) {
    p[-2] = p1 + min(max((p2 + (p0 + q0 + 1) / 2 - 2 * p1) / 2, -tc), tc);
    bound++;
  }
  if (abs(q2 - q0) < beta) {
    p[1] = q1 + min(max((q2 + (p0 + q0 + 1) / 2 - 2 * q1) / 2, -tc), tc);
    bound++;
  }
  int delta = min(max((4 * (q0 - p0) + p1 - q1 + 4) / 8, -bound), bound);
  p[-1] = min(max(p0 + delta, 0), 255);
  p[0] = min(max(q0 - delta, 0), 255);
}

// Motion of 16x16 blocks by a diamond that moves until its middle is best; a warp a block, four pixels a word.
__global__ void diamond_search(const u8* __restrict__ cur, const u8* __restrict__ ref, short2* __restrict__ motion, int w, int h) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, across = w / 16;
  if (warp >= across * (h / 16)) return;
  const int bx = warp % across * 16, by = warp / across * 16, row = lane / 2, col = lane % 2 * 8;
  const uint2 mine = *reinterpret_cast<const uint2*>(cur + (by + row) * w + bx + col);
  auto sad = [&](int mx, int my) {
    const int x = bx + mx, y = by + my;
    if (x < 0 || y < 0 || x + 16 > w || y + 16 > h) return 1 << 28;
    const u8* p = ref + (y + row) * w + x + col;
    uint32_t sum = 0, a = 0, b = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) a |= (uint32_t)p[k] << (8 * k), b |= (uint32_t)p[k + 4] << (8 * k);
    sum = __vsadu4(mine.x, a) + __vsadu4(mine.y, b);
    return (int)__reduce_add_sync(~0u, sum);
  };
  int mx = 0, my = 0, best = sad(0, 0), step = 4;
  for (int i = 0; i < 32 && step > 0; ++i) {
    int nx = mx, ny = my;
    const int dx[4] = {step, -step, 0, 0}, dy[4] = {0, 0, step, -step};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int s = sad(mx + dx[k], my + dy[k]);
      if (s < best) best = s, nx = mx + dx[k], ny = my + dy[k];
    }
    if (nx == mx && ny == my) step /= 2;
    mx = nx, my = ny;
  }
  if (lane == 0) motion[warp] = make_short2(mx, my);
}

// Colours through a cube of 33 by tetrahedra.
__global__ void lut3d_tetrahedral(const float3* __restrict__ in, const float4* __restrict__ lut, float3* __restrict__ out, int n, int side) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float3 c = in[i];
  const float fr = c.x * (side - 1), fg = c.y * (side - 1), fb = c.z * (side - 1);
  const int r = min((int)fr, side - 2), g = min((int)fg, side - 2), b = min((int)fb, side - 2);
  const float x = fr - r, y = fg - g, z = fb - b;
  const float4* p = lut + (r * side + g) * side + b;
  const int sr = side * side, sg = side;
  int first, second;
  float a, m, l;
  if (x > y) {
    if (y > z)
      first = sr, second = sr + sg, a = x, m = y, l = z;
    else if (x > z)
      first = sr, second = sr + 1, a = x, m = z, l = y;
    else
      first = 1, second = sr + 1, a = z, m = x, l = y;
  } else {
    if (z > y)
      first = 1, second = sg + 1, a = z, m = y, l = x;
    else if (z > x)
      first = sg, second = sg + 1, a = y, m = z, l = x;
    else
      first = sg, second = sr + sg, a = y, m = x, l = z;
  }
  const float4 v0 = p[0], v1 = p[first], v2 = p[second], v3 = p[sr + sg + 1];
  const float w0 = 1.f - a, w1 = a - m, w2 = m - l;
  out[i] = make_float3(w0 * v0.x + w1 * v1.x + w2 * v2.x + l * v3.x, w0 * v0.y + w1 * v1.y + w2 * v2.y + l * v3.y, w0 * v0.z + w1 * v1.z + w2 * v2.z + l * v3.z);
}

// Likeness of two pictures by windows of 7x7 (SSIM); sums run down the columns of a strip.
__global__ void ssim_strip(const u8* __restrict__ a, const u8* __restrict__ b, float* __restrict__ total, int w, int h, int strip) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y0 = blockIdx.y * strip;
  float result = 0.f;
  if (x < w - 6) {
    int sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
    auto row = [&](int y, int sign) {
#pragma unroll
      for (int k = 0; k < 7; ++k) {
        const int p = a[y * w + x + k], q = b[y * w + x + k];
        sa += sign * p, sb += sign * q, saa += sign * p * p, sbb += sign * q * q, sab += sign * p * q;
      }
    };
    for (int y = y0; y < min(y0 + 6, h); ++y) row(y, 1);
    for (int y = y0; y < y0 + strip && y + 6 < h; ++y) {
      row(y + 6, 1);
      const float ma = sa / 49.f, mb = sb / 49.f, va = saa / 49.f - ma * ma, vb = sbb / 49.f - mb * mb, cov = sab / 49.f - ma * mb;
      result += (2 * ma * mb + 6.5025f) * (2 * cov + 58.5225f) / ((ma * ma + mb * mb + 6.5025f) * (va + vb + 58.5225f));
      row(y, -1);
    }
  }
  for (int o = 16; o > 0; o >>= 1) result += __shfl_down_sync(~0u, result, o);
  if (threadIdx.x % 32 == 0) atomicAdd(total, result);
}

struct BvhNode {
  float3 lo;
  int left;  // a leaf has the first triangle and a count
  float3 hi;
  int count;
};
// Rays through a tree of boxes with triangles, a stack a thread, the nearer child first.
__global__ __launch_bounds__(64) void bvh_triangles(const BvhNode* __restrict__ nodes, const float4* __restrict__ tris, const float3* __restrict__ dirs, float2* __restrict__ hits, int rays, float3 origin) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rays) return;
  const float3 d = dirs[r], inv = make_float3(1.f / d.x, 1.f / d.y, 1.f / d.z);
  auto box = [&](const BvhNode& n, float far) {
    const float x0 = (n.lo.x - origin.x) * inv.x, x1 = (n.hi.x - origin.x) * inv.x, y0 = (n.lo.y - origin.y) * inv.y, y1 = (n.hi.y - origin.y) * inv.y, z0 = (n.lo.z - origin.z) * inv.z, z1 = (n.hi.z - origin.z) * inv.z;
    const float in = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fmaxf(fminf(z0, z1), 0.f)), out = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fminf(fmaxf(z0, z1), far));
    return in <= out ? in : 1e30f;
  };
  int stack[24], top = 0, node = 0, id = -1;
  float best = 1e29f;
  while (true) {
    const BvhNode n = nodes[node];
    if (n.count > 0) {
      for (int t = n.left; t < n.left + n.count; ++t) {
        const float4 a = tris[3 * t], e1 = tris[3 * t + 1], e2 = tris[3 * t + 2];
        const float px = d.y * e2.z - d.z * e2.y, py = d.z * e2.x - d.x * e2.z, pz = d.x * e2.y - d.y * e2.x;
        const float det = e1.x * px + e1.y * py + e1.z * pz;
        if (fabsf(det) < 1e-9f) continue;
        const float s = 1.f / det, tx = origin.x - a.x, ty = origin.y - a.y, tz = origin.z - a.z, u = (tx * px + ty * py + tz * pz) * s;
        if (u < 0.f || u > 1.f) continue;
        const float qx = ty * e1.z - tz * e1.y, qy = tz * e1.x - tx * e1.z, qz = tx * e1.y - ty * e1.x, v = (d.x * qx + d.y * qy + d.z * qz) * s;
        if (v < 0.f || u + v > 1.f) continue;
        const float dist = (e2.x * qx + e2.y * qy + e2.z * qz) * s;
        if (dist > 1e-4f && dist < best) best = dist, id = t;
      }
    } else {
      int near = n.left, far = n.left + 1;
      float dn = box(nodes[near], best), df = box(nodes[far], best);
      if (df < dn) {
        const float swap = dn;
        dn = df, df = swap;
        near = n.left + 1, far = n.left;
      }
      if (df < 1e29f) stack[top++] = far;
      if (dn < 1e29f) {
        node = near;
        continue;
      }
    }
    if (top == 0) break;
    node = stack[--top];
  }
  hits[r] = make_float2(best, __int_as_float(id));
}

// Triangles into a grid of bits: each looks at the cells of its box and tests planes.
__global__ void voxelize_triangles(const float4* __restrict__ tris, uint32_t* __restrict__ bits, int count, int side) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= count) return;
  const float4 a = tris[3 * t], e1 = tris[3 * t + 1], e2 = tris[3 * t + 2];
  const float nx = e1.y * e2.z - e1.z * e2.y, ny = e1.z * e2.x - e1.x * e2.z, nz = e1.x * e2.y - e1.y * e2.x;
  const float h = 1.f / side, reach = 0.5f * h * (fabsf(nx) + fabsf(ny) + fabsf(nz));
  auto low = [&](float o, float u, float v) { return max(0, (int)((o + fminf(0.f, fminf(u, v))) * side)); };
  auto high = [&](float o, float u, float v) { return min(side - 1, (int)((o + fmaxf(0.f, fmaxf(u, v))) * side)); };
  const int x0 = low(a.x, e1.x, e2.x), x1 = high(a.x, e1.x, e2.x), y0 = low(a.y, e1.y, e2.y), y1 = high(a.y, e1.y, e2.y), z0 = low(a.z, e1.z, e2.z), z1 = high(a.z, e1.z, e2.z);
  for (int z = z0; z <= z1; ++z)
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x) {
        const float d = nx * ((x + .5f) * h - a.x) + ny * ((y + .5f) * h - a.y) + nz * ((z + .5f) * h - a.z);
        if (fabsf(d) > reach) continue;
        const int cell = (z * side + y) * side + x;
        atomicOr(bits + cell / 32, 1u << (cell & 31));
      }
}

// Windows of 512 samples to powers: Hann, a transform in shared memory, a block a frame.
__global__ __launch_bounds__(256) void stft_power_512(const float* __restrict__ samples, float* __restrict__ power, int hop) {
  __shared__ float2 s[512];
  const float* in = samples + (size_t)blockIdx.x * hop;
  for (int k = 0; k < 2; ++k) {
    const int i = threadIdx.x + k * 256;
    s[__brev(i) >> 23] = make_float2(in[i] * (0.5f - 0.5f * cospif(2.f * i / 511.f)), 0.f);
  }
  __syncthreads();
#pragma unroll
  for (int half = 1; half < 512; half *= 2) {
    const int k = threadIdx.x & (half - 1), i = (threadIdx.x - k) * 2 + k;
    float sn, cs;
    __sincosf(-3.14159265f * k / half, &sn, &cs);
    const float2 a = s[i], b = s[i + half];
    const float2 t = make_float2(b.x * cs - b.y * sn, b.x * sn + b.y * cs);
    s[i] = make_float2(a.x + t.x, a.y + t.y);
    s[i + half] = make_float2(a.x - t.x, a.y - t.y);
    __syncthreads();
  }
  const float2 v = s[threadIdx.x];
  power[(size_t)blockIdx.x * 256 + threadIdx.x] = v.x * v.x + v.y * v.y;
}

// An echo in pieces: the spectra of past blocks times those of the room's response.
__global__ void partitioned_reverb(const float2* __restrict__ history, const float2* __restrict__ response, float2* __restrict__ out, int bins, int parts, int head) {
  const int bin = blockIdx.x * blockDim.x + threadIdx.x, channel = blockIdx.y;
  if (bin >= bins) return;
  float2 acc = make_float2(0.f, 0.f);
  for (int p = 0; p < parts; ++p) {
    int slot = head - p;
    if (slot < 0) slot += parts;
    const float2 x = history[(size_t)slot * bins + bin], h = response[((size_t)channel * parts + p) * bins + bin];
    acc.x += x.x * h.x - x.y * h.y;
    acc.y += x.x * h.y + x.y * h.x;
  }
  out[channel * bins + bin] = acc;
}

// Predictors of speech frames: autocorrelations by a warp, Levinson's recursion by its lanes.
__global__ void lpc_levinson(const float* __restrict__ samples, float* __restrict__ lpc, int frames, int length) {
  const int frame = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (frame >= frames) return;
  const float* x = samples + (size_t)frame * (length / 2);
  float r = 0.f;
  for (int i = lane; i < length; ++i) r += x[i] * x[i - lane];
  const float r0 = __shfl_sync(~0u, r, 0);
  float error = r0 + 1e-6f, a = lane == 0 ? 1.f : 0.f;
  for (int m = 1; m <= 16; ++m) {
    const float rm = __shfl_sync(~0u, r, (m - lane) & 31);
    float k = lane < m ? a * rm : 0.f;
    for (int o = 16; o > 0; o >>= 1) k += __shfl_xor_sync(~0u, k, o);
    k = -k / error;
    const float mirrored = __shfl_sync(~0u, a, (m - lane) & 31);
    if (lane <= m) a += k * mirrored;
    error *= 1.f - k * k;
  }
  if (lane <= 16) lpc[frame * 17 + lane] = a;
}

// Options under a volatility that depends on place and time: Crank and Nicolson's steps, a block an option, cyclic reduction would be overkill: a thread sweeps.
template <int N>
__global__ void local_vol_crank_nicolson(const float4* options, float* prices, int count, int steps) {
  __shared__ float v[N], d[N], cp[N], lo[N], mid[N], up[N];
  const float4 o = options[blockIdx.x];  // spot, strike, time, rate
  const float s_max = 3 * o.y, ds = s_max / (N - 1), dt = o.z / steps;
  const int i = threadIdx.x;
  v[i] = fmaxf(o.y - i * ds, 0.f);
  for (int t = 0; t < steps; ++t) {
    const float s = i * ds, vol = 0.2f + 0.1f * __expf(-s / o.y) + 0.05f * t / steps;
    const float a = 0.25f * dt * (vol * vol * i * i - o.w * i), b = 0.5f * dt * (vol * vol * i * i + o.w), c = 0.25f * dt * (vol * vol * i * i + o.w * i);
    lo[i] = -a, mid[i] = 1.f + b, up[i] = -c;
    __syncthreads();
    d[i] = i == 0 || i == N - 1 ? v[i] : a * v[i - 1] + (1.f - b) * v[i] + c * v[i + 1];
    __syncthreads();
    if (i == 0) {
      float p = 0.f, q = d[0];
      cp[0] = 0.f;
      for (int k = 1; k < N - 1; ++k) {
        const float w = 1.f / (mid[k] - lo[k] * p);
        p = up[k] * w;
        q = (d[k] - lo[k] * q) * w;
        cp[k] = p, d[k] = q;
      }
      float x = 0.f;
      v[N - 1] = 0.f;
      for (int k = N - 2; k > 0; --k) v[k] = x = d[k] - cp[k] * x;
    }
    __syncthreads();
  }
  if (i == 0) {
    const int at = min((int)(o.x / ds), N - 2);
    const float f = o.x / ds - at;
    prices[blockIdx.x] = v[at] * (1.f - f) + v[at + 1] * f;
  }
}

// Likelihoods of GARCH(1,1) for many parameters over one series of returns.
__global__ void garch_likelihood(const float* __restrict__ returns, const float3* __restrict__ parameters, float* __restrict__ likelihood, int n, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float3 p = parameters[i];
  float variance = p.x / (1.f - p.y - p.z), sum = 0.f;
  for (int t = 0; t < n; ++t) {
    const float r = __ldg(returns + t), r2 = r * r;
    sum += logf(variance) + r2 / variance;
    variance = p.x + p.y * r2 + p.z * variance;
  }
  likelihood[i] = -0.5f * sum;
}

// Losses of a portfolio whose factors hang together: a scenario a thread, the triangle's rows in constant memory.
__constant__ float factor_root[24 * 25 / 2];
__global__ void portfolio_scenarios(const float4* __restrict__ positions, const unsigned char* __restrict__ factor, float* __restrict__ loss, int scenarios, int count) {
  extern __shared__ float shocks[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t s = i * 9781u + 7u;
  float z[24];
#pragma unroll
  for (int k = 0; k < 24; k += 2) {
    s = s * 1664525u + 1013904223u;
    const float u = ((s >> 8) + 1) * (1.f / 16777217.f);
    s = s * 1664525u + 1013904223u;
    float sn, cs;
    sincospif((s >> 8) * (2.f / 16777216.f), &sn, &cs);
    const float r = sqrtf(-2.f * logf(u));
    z[k] = r * cs, z[k + 1] = r * sn;
  }
#pragma unroll
  for (int k = 0; k < 24; ++k) {
    float x = 0.f;
#pragma unroll
    for (int j = 0; j <= k; ++j) x += factor_root[k * (k + 1) / 2 + j] * z[j];
    shocks[k * blockDim.x + threadIdx.x] = x;
  }
  if (i >= scenarios) return;
  float total = 0.f;
  for (int p = 0; p < count; ++p) {
    const float4 pos = positions[p];  // amount, delta, gamma, volatility
    const float x = pos.w * shocks[factor[p] * blockDim.x + threadIdx.x];
    total += pos.x * (pos.y * x + 0.5f * pos.z * x * x);
  }
  loss[i] = total;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* a = on_device<float>(8 * M, fraction);
  const float* b = on_device<float>(4 * M, [](uint32_t i) { return fraction(i * 3 + 2) - 0.5f; });
  float* c = zeros<float>(8 * M);
  // A picture with flat parts, edges and noise, and the same moved a little.
  static auto pixel = [](int x, int y) { return u8(60 + 120 * ((x / 37 + y / 29) % 2) + hashed(uint32_t(y * 4096 + x)) % (x / 200 % 2 ? 30 : 4)); };
  const u8* img = on_device<u8>(2048 * 1100, [](uint32_t i) { return pixel(int(i % 1600), int(i / 1600)); });
  const u8* moved = on_device<u8>(2048 * 1100, [](uint32_t i) { return pixel(int(i % 1600) + 3 + int(i / 1600 / 300), int(i / 1600) + 2); });

  const unsigned short* raw = on_device<unsigned short>(1500 * 1000, [](uint32_t i) { return (unsigned short)(300 + hashed(i / 3) % 3500); });
  run("demosaic_rggb_tile", [&] { demosaic_rggb_tile<<<dim3(47, 125), dim3(32, 8)>>>(raw, (uchar4*)c, 1500, 1000, 256.f, make_float3(0.0004f, 0.00026f, 0.00036f)); });
  run("horn_schunck_step", [&] { horn_schunck_step<<<dim3(60, 34), dim3(16, 16)>>>(b, b + M, b + 2 * M, (const float2*)a, (float2*)c, 950, 540, 0.04f); });
  const unsigned long long* census = on_device<unsigned long long>(640 * 200, [](uint32_t i) { return (unsigned long long)hashed(i % 640 + i / 640 * 1000) << 32 | hashed(i + 5); });
  const unsigned long long* census_right = on_device<unsigned long long>(640 * 200, [](uint32_t i) { return (unsigned long long)hashed(i % 640 + 9 + i / 640 % 40 + i / 640 * 1000) << 32 | hashed(i + 14 + i / 640 % 40); });
  run("hamming_stereo", [&] { hamming_stereo<<<dim3(160, 200), dim3(32, 4)>>>(census, census_right, c, 640, 200); });
  const uint32_t* bits = on_device<uint32_t>(128 * 4096, [](uint32_t i) { return hashed(i / 3) | hashed(i); });
  run("bit_morphology_erode", [&] { bit_morphology<<<dim3(4, 512), dim3(32, 8)>>>(bits, (uint32_t*)c, 128, 4096, 1); });
  run("lab_saturation", [&] { lab_saturation<<<528, 256>>>((const uchar4*)img, (uchar4*)c, 500000, 1.3f); });
  run("lanczos3_rows", [&] { lanczos3_rows<<<dim3(5, 300), 128>>>((const float4*)a, (float4*)c, 1500, 600, 300); });
  const std::vector<int2> circle = {{0, -3}, {1, -3}, {2, -2}, {3, -1}, {3, 0}, {3, 1}, {2, 2}, {1, 3}, {0, 3}, {-1, 3}, {-2, 2}, {-3, 1}, {-3, 0}, {-3, -1}, {-2, -2}, {-1, -3}};
  CHECK(cudaMemcpyToSymbol(ring, circle.data(), sizeof(int2) * 16));
  int* count = zeros<int>(1);
  run("fast9_corners", [&] { fast9_corners<<<dim3(50, 125), dim3(32, 8)>>>(img, (int2*)c, count, 1600, 1000, 20, 100000); });
  u8* frame = on_device<u8>(1600 * 1000, [](uint32_t i) { return u8(pixel(int(i % 1600), int(i / 1600)) + (i / 8 % 200 * 7 + i / 12800 * 3) % 9); });
  const u8* qp = on_device<u8>(200 * 125, [](uint32_t i) { return u8(20 + hashed(i) % 20); });
  run("deblock_vertical", [&] { deblock_vertical<<<dim3(7, 125), dim3(32, 8)>>>(frame, qp, 1600, 1000, 1600); });
  run("diamond_search", [&] { diamond_search<<<(100 * 62 + 3) / 4, 128>>>(img, moved, (short2*)c, 1600, 992); });
  run("lut3d_tetrahedral", [&] { lut3d_tetrahedral<<<(700000 + 255) / 256, 256>>>((const float3*)a, (const float4*)a, (float3*)c, 700000, 33); });
  run("ssim_strip", [&] { ssim_strip<<<dim3(13, 32), 128>>>(img, moved, c, 1600, 1000, 32); });
  // A bumpy ground of 2 x 80 x 80 triangles and a tree by the middle of the longer side.
  struct Triangle {
    float3 p[3], centre;
  };
  std::vector<Triangle> ground;
  auto height = [](int x, int z) { return 0.2f + 0.1f * std::sin(x * 0.2f) * std::cos(z * 0.17f) + 0.01f * fraction(uint32_t(z * 99 + x)); };
  for (int z = 0; z < 80; ++z)
    for (int x = 0; x < 80; ++x)
      for (int k = 0; k < 2; ++k) {
        Triangle t;
        const int xs[2][3] = {{0, 1, 0}, {1, 1, 0}}, zs[2][3] = {{0, 0, 1}, {0, 1, 1}};
        t.centre = make_float3(0, 0, 0);
        for (int j = 0; j < 3; ++j) {
          const int px = x + xs[k][j], pz = z + zs[k][j];
          t.p[j] = make_float3(px / 80.f, height(px, pz), pz / 80.f);
          t.centre.x += t.p[j].x / 3, t.centre.y += t.p[j].y / 3, t.centre.z += t.p[j].z / 3;
        }
        ground.push_back(t);
      }
  std::vector<BvhNode> tree(1);
  struct Job {
    int node, begin, end;
  };
  for (std::vector<Job> jobs{{0, 0, int(ground.size())}}; !jobs.empty();) {
    const Job j = jobs.back();
    jobs.pop_back();
    float3 lo = make_float3(1e9f, 1e9f, 1e9f), hi = make_float3(-1e9f, -1e9f, -1e9f);
    for (int i = j.begin; i < j.end; ++i)
      for (const float3& p : ground[i].p) {
        lo = make_float3(std::min(lo.x, p.x), std::min(lo.y, p.y), std::min(lo.z, p.z));
        hi = make_float3(std::max(hi.x, p.x), std::max(hi.y, p.y), std::max(hi.z, p.z));
      }
    BvhNode n{lo, j.begin, hi, j.end - j.begin};
    if (n.count > 4) {
      const bool by_x = hi.x - lo.x > hi.z - lo.z;
      const int mid = (j.begin + j.end) / 2;
      std::nth_element(ground.begin() + j.begin, ground.begin() + mid, ground.begin() + j.end, [by_x](const Triangle& s, const Triangle& t) { return by_x ? s.centre.x < t.centre.x : s.centre.z < t.centre.z; });
      n.left = int(tree.size()), n.count = 0;
      tree.resize(tree.size() + 2);
      jobs.push_back({n.left, j.begin, mid});
      jobs.push_back({n.left + 1, mid, j.end});
    }
    tree[j.node] = n;
  }
  std::vector<float4> tris;
  for (const Triangle& t : ground) {
    tris.push_back(make_float4(t.p[0].x, t.p[0].y, t.p[0].z, 0.f));
    for (int j = 1; j < 3; ++j) tris.push_back(make_float4(t.p[j].x - t.p[0].x, t.p[j].y - t.p[0].y, t.p[j].z - t.p[0].z, 0.f));
  }
  const BvhNode* tree_d = on_device(tree);
  const float4* tris_d = on_device(tris);
  const float3* dirs = on_device<float3>(300 * 200, [](uint32_t i) { return make_float3((i % 300 - 150) / 150.f, 0.1f - i / 300 / 200.f, 1.f); });
  run("bvh_triangles", [&] { bvh_triangles<<<(60000 + 63) / 64, 64>>>(tree_d, tris_d, dirs, (float2*)c, 60000, make_float3(0.5f, 0.6f, -0.4f)); });
  uint32_t* voxels = zeros<uint32_t>(256 * 256 * 256 / 32);
  run("voxelize_triangles_256", [&] { voxelize_triangles<<<(12800 + 127) / 128, 128>>>(tris_d, voxels, 12800, 256); });
  run("stft_power_512_1500", [&] { stft_power_512<<<1500, 256>>>(b, c, 160); });
  run("stft_power_512_90", [&] { stft_power_512<<<90, 256>>>(b, c, 256); });
  run("partitioned_reverb", [&] { partitioned_reverb<<<dim3(9, 6), 64>>>((const float2*)a, (const float2*)(a + 2 * M), (float2*)c, 513, 200, 57); });
  run("lpc_levinson", [&] { lpc_levinson<<<500, dim3(32, 4)>>>(b, c, 2000, 320); });
  const float4* options = on_device<float4>(300, [](uint32_t i) { return make_float4(80 + 40 * fraction(i), 100.f, 0.25f + 2 * fraction(i + 9), 0.03f); });
  run("local_vol_crank_nicolson_128", [&] { local_vol_crank_nicolson<128><<<300, 128>>>(options, c, 300, 50); });
  const float3* parameters = on_device<float3>(8000, [](uint32_t i) { return make_float3(1e-6f + 1e-5f * fraction(i), 0.02f + 0.15f * fraction(i + 1), 0.5f + 0.3f * fraction(i + 2)); });
  run("garch_likelihood", [&] { garch_likelihood<<<(8000 + 63) / 64, 64>>>(b, parameters, c, 1500, 8000); });
  CHECK(cudaMemcpyToSymbol(factor_root, std::vector<float>(300, 0.2f).data(), 300 * sizeof(float)));
  const unsigned char* factors = on_device<unsigned char>(500, [](uint32_t i) { return (unsigned char)(hashed(i) % 24); });
  run("portfolio_scenarios", [&] { portfolio_scenarios<<<(30000 + 127) / 128, 128, 24 * 128 * 4>>>((const float4*)b, factors, c, 30000, 400); });
  return 0;
}
