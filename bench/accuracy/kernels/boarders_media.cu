// Rendering, trees of boxes, images, video, textures, tomography and sound.
#include <cuda_fp16.h>

#include "cases.h"

// ---- trees of boxes and rasters ----

// Bins of a surface area heuristic: boxes of triangles grown by atomics on ordered integers in shared memory.
__device__ __forceinline__ int ordered(float f) {
  const int i = __float_as_int(f);
  return i >= 0 ? i : i ^ 0x7fffffff;
}
struct Bin {
  int lo[3], hi[3], count;
};
__global__ __launch_bounds__(256) void sah_bins(const float4* __restrict__ lo, const float4* __restrict__ hi, Bin* __restrict__ bins, int n, float origin, float scale, int axis) {
  __shared__ Bin s[16];
  for (int i = threadIdx.x; i < 16 * 7; i += 256) {
    const int k = i % 7;
    reinterpret_cast<int*>(s)[i] = k < 3 ? 0x7fffffff : k < 6 ? (int)0x80000000 : 0;
  }
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const float4 a = lo[i], b = hi[i];
    const float c = axis == 0 ? a.x + b.x : axis == 1 ? a.y + b.y : a.z + b.z;
    Bin& bin = s[min(15, max(0, (int)((0.5f * c - origin) * scale)))];
    atomicMin(&bin.lo[0], ordered(a.x)), atomicMin(&bin.lo[1], ordered(a.y)), atomicMin(&bin.lo[2], ordered(a.z));
    atomicMax(&bin.hi[0], ordered(b.x)), atomicMax(&bin.hi[1], ordered(b.y)), atomicMax(&bin.hi[2], ordered(b.z));
    atomicAdd(&bin.count, 1);
  }
  __syncthreads();
  if (threadIdx.x < 16 && s[threadIdx.x].count) {
    for (int k = 0; k < 3; ++k) atomicMin(&bins[threadIdx.x].lo[k], s[threadIdx.x].lo[k]), atomicMax(&bins[threadIdx.x].hi[k], s[threadIdx.x].hi[k]);
    atomicAdd(&bins[threadIdx.x].count, s[threadIdx.x].count);
  }
}

// A tree over sorted Morton codes, all inner nodes at once (Karras).
__device__ int common_prefix(const uint32_t* codes, int n, int i, int j) {
  if (j < 0 || j >= n) return -1;
  const uint32_t a = codes[i], b = codes[j];
  return a == b ? 32 + __clz(i ^ j) : __clz(a ^ b);
}
__global__ void radix_tree_nodes(const uint32_t* codes, int2* children, int* parents, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1) return;
  int d = common_prefix(codes, n, i, i + 1) > common_prefix(codes, n, i, i - 1) ? 1 : -1;
  int least = common_prefix(codes, n, i, i - d);
  int lmax = 2;
  while (common_prefix(codes, n, i, i + lmax * d) > least) lmax *= 2;
  int l = 0;
  for (int t = lmax / 2; t >= 1; t /= 2)
    if (common_prefix(codes, n, i, i + (l + t) * d) > least) l += t;
  int j = i + l * d;
  int node = common_prefix(codes, n, i, j);
  int s = 0, t = l;
  do {
    t = (t + 1) / 2;
    if (common_prefix(codes, n, i, i + (s + t) * d) > node) s += t;
  } while (t > 1);
  int split = i + s * d + min(d, 0);
  int left = min(i, j) == split ? split + n - 1 : split;
  int right = max(i, j) == split + 1 ? split + 1 + n - 1 : split + 1;
  children[i] = make_int2(left, right);
  parents[left] = i;
  parents[right] = i;
}

// Boxes of a tree from the leaves up: the second child to arrive goes on.
__global__ void refit_boxes(const int2* __restrict__ children, const int* __restrict__ parents, volatile float* lo, volatile float* hi, int* __restrict__ visits, int leaves) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= leaves) return;
  int node = parents[leaves - 1 + t];
  while (node >= 0) {
    __threadfence();
    if ((atomicAdd(&visits[node], 1) & 1) == 0) return;
    const int2 c = children[node];
    for (int k = 0; k < 3; ++k) {
      lo[node * 3 + k] = fminf(lo[c.x * 3 + k], lo[c.y * 3 + k]);
      hi[node * 3 + k] = fmaxf(hi[c.x * 3 + k], hi[c.y * 3 + k]);
    }
    node = node == 0 ? -1 : parents[node];
  }
}

// Triangles of a tile's list drawn into its pixels: edge functions, depth and an attribute.
struct Setup {
  float ax, ay, ac, bx, by, bc, cx, cy, cc, zx, zy, zc;
};
__global__ __launch_bounds__(256) void rasterize_tile_lists(const Setup* __restrict__ setups, const int* __restrict__ tile_start, const int* __restrict__ tile_list, uint2* __restrict__ image, int width) {
  __shared__ Setup batch[32];
  const int tile = blockIdx.y * gridDim.x + blockIdx.x, x = blockIdx.x * 16 + threadIdx.x % 16, y = blockIdx.y * 16 + threadIdx.x / 16;
  const float fx = x + 0.5f, fy = y + 0.5f;
  float depth = 1e30f;
  uint32_t id = 0xffffffffu;
  const int begin = tile_start[tile], end = tile_start[tile + 1];
  for (int b = begin; b < end; b += 32) {
    const int m = min(32, end - b);
    for (int i = threadIdx.x; i < m * 12; i += 256) reinterpret_cast<float*>(batch)[i] = reinterpret_cast<const float*>(&setups[tile_list[b + i / 12]])[i % 12];
    __syncthreads();
    for (int k = 0; k < m; ++k) {
      const Setup& s = batch[k];
      const float e0 = s.ax * fx + s.ay * fy + s.ac, e1 = s.bx * fx + s.by * fy + s.bc, e2 = s.cx * fx + s.cy * fy + s.cc;
      if (e0 >= 0 && e1 >= 0 && e2 >= 0) {
        const float z = s.zx * fx + s.zy * fy + s.zc;
        if (z < depth) depth = z, id = tile_list[b + k];
      }
    }
    __syncthreads();
  }
  image[y * width + x] = make_uint2(__float_as_uint(depth), id);
}

// Lights culled by tiles: the tile's depth range, a list in shared memory, then the shading.
struct Light {
  float3 at;
  float radius;
  float3 color;
};
__global__ void tiled_light_shading(const float* __restrict__ depth, const float4* __restrict__ normal, const Light* __restrict__ lights, float4* __restrict__ out, int width, int nlights) {
  __shared__ unsigned zmin, zmax;
  __shared__ int count, chosen[128];
  const int t = threadIdx.y * 16 + threadIdx.x, x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (t == 0) zmin = 0x7f7fffff, zmax = 0, count = 0;
  __syncthreads();
  const float z = depth[y * width + x];
  atomicMin(&zmin, __float_as_uint(z));
  atomicMax(&zmax, __float_as_uint(z));
  __syncthreads();
  const float lo = __uint_as_float(zmin), hi = __uint_as_float(zmax), tx = blockIdx.x * 16 + 8.f, ty = blockIdx.y * 16 + 8.f;
  for (int l = t; l < nlights; l += 256) {
    const Light light = lights[l];
    const float dx = fmaxf(fabsf(light.at.x - tx) - 8.f, 0.f), dy = fmaxf(fabsf(light.at.y - ty) - 8.f, 0.f);
    if (dx * dx + dy * dy < light.radius * light.radius && light.at.z + light.radius > lo && light.at.z - light.radius < hi) {
      const int at = atomicAdd(&count, 1);
      if (at < 128) chosen[at] = l;
    }
  }
  __syncthreads();
  const float4 n = normal[y * width + x];
  float3 sum = make_float3(0.02f, 0.02f, 0.03f);
  for (int k = 0; k < min(count, 128); ++k) {
    const Light light = lights[chosen[k]];
    const float dx = light.at.x - x, dy = light.at.y - y, dz = light.at.z - z, d2 = dx * dx + dy * dy + dz * dz;
    const float fall = fmaxf(0.f, 1.f - d2 / (light.radius * light.radius)), d = fall * fall * fmaxf(0.f, (n.x * dx + n.y * dy + n.z * dz) * rsqrtf(d2 + 1e-6f));
    sum.x += d * light.color.x, sum.y += d * light.color.y, sum.z += d * light.color.z;
  }
  out[y * width + x] = make_float4(sum.x, sum.y, sum.z, 1.f);
}

// Ambient occlusion on the screen: sixteen directions turned by a hash of the pixel.
__constant__ float2 c_disk[16];
__global__ void screen_occlusion(const float* __restrict__ depth, unsigned char* __restrict__ out, int w, int h, float radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float z = depth[y * w + x];
  uint32_t r = x * 73856093u ^ y * 19349663u;
  r ^= r >> 13;
  float s, c;
  __sincosf((r & 0xffff) * 9.5873799e-5f, &s, &c);
  float hidden = 0.f;
#pragma unroll 4
  for (int k = 0; k < 16; ++k) {
    const float2 d = c_disk[k];
    const int u = min(w - 1, max(0, x + (int)((d.x * c - d.y * s) * radius / z))), v = min(h - 1, max(0, y + (int)((d.x * s + d.y * c) * radius / z)));
    const float diff = z - depth[v * w + u];
    if (diff > 0.01f) hidden += fminf(1.f, 0.3f / diff);
  }
  out[y * w + x] = (unsigned char)(255.f * (1.f - hidden / 16.f));
}

// Edges smoothed after FXAA: luminance of neighbours, then a walk along the edge.
__device__ __forceinline__ float luma_of(uchar4 p) { return p.x * 0.299f + p.y * 0.587f + p.z * 0.114f; }
__global__ void smooth_edges_fxaa(const uchar4* __restrict__ in, uchar4* __restrict__ out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  auto at = [&](int u, int v) { return in[min(h - 1, max(0, v)) * w + min(w - 1, max(0, u))]; };
  const uchar4 m = at(x, y);
  const float lm = luma_of(m), ln = luma_of(at(x, y - 1)), ls = luma_of(at(x, y + 1)), le = luma_of(at(x + 1, y)), lw = luma_of(at(x - 1, y));
  const float most = fmaxf(lm, fmaxf(fmaxf(ln, ls), fmaxf(le, lw))), least = fminf(lm, fminf(fminf(ln, ls), fminf(le, lw)));
  uchar4 result = m;
  if (most - least > fmaxf(10.f, most * 0.125f)) {
    const bool horizontal = fabsf(ln + ls - 2 * lm) >= fabsf(le + lw - 2 * lm);
    const float a = horizontal ? ln : lw, b = horizontal ? ls : le;
    const int step = fabsf(a - lm) >= fabsf(b - lm) ? -1 : 1;
    const float edge = 0.5f * (lm + (step < 0 ? a : b)), limit = fabsf((step < 0 ? a : b) - lm) * 0.25f;
    int p = 0, n = 0;
    for (; p < 8; ++p) {
      const float l = horizontal ? 0.5f * (luma_of(at(x + p + 1, y)) + luma_of(at(x + p + 1, y + step))) : 0.5f * (luma_of(at(x, y + p + 1)) + luma_of(at(x + step, y + p + 1)));
      if (fabsf(l - edge) >= limit) break;
    }
    for (; n < 8; ++n) {
      const float l = horizontal ? 0.5f * (luma_of(at(x - n - 1, y)) + luma_of(at(x - n - 1, y + step))) : 0.5f * (luma_of(at(x, y - n - 1)) + luma_of(at(x + step, y - n - 1)));
      if (fabsf(l - edge) >= limit) break;
    }
    const float f = 0.5f - (float)min(p, n) / (p + n + 1);
    const uchar4 q = horizontal ? at(x, y + step) : at(x + step, y);
    result = make_uchar4(m.x + f * (q.x - m.x), m.y + f * (q.y - m.y), m.z + f * (q.z - m.z), 255);
  }
  out[y * w + x] = result;
}

// Frames blended over time: the history along motion, clipped to the neighbours' range in another colour space.
__global__ void temporal_resolve(const ushort4* __restrict__ now, const ushort4* __restrict__ history, const __half2* __restrict__ motion, ushort4* __restrict__ out, int w, int h, float keep) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  auto color = [](ushort4 v) {
    const float r = __half2float(__ushort_as_half(v.x)), g = __half2float(__ushort_as_half(v.y)), b = __half2float(__ushort_as_half(v.z));
    return make_float3(0.25f * r + 0.5f * g + 0.25f * b, 0.5f * (r - b), 0.5f * g - 0.25f * (r + b));
  };
  float3 lo = make_float3(1e9f, 1e9f, 1e9f), hi = make_float3(-1e9f, -1e9f, -1e9f), mid = lo;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) {
      const float3 c = color(now[min(h - 1, max(0, y + dy)) * w + min(w - 1, max(0, x + dx))]);
      lo = make_float3(fminf(lo.x, c.x), fminf(lo.y, c.y), fminf(lo.z, c.z)), hi = make_float3(fmaxf(hi.x, c.x), fmaxf(hi.y, c.y), fmaxf(hi.z, c.z));
      if (dx == 0 && dy == 0) mid = c;
    }
  const float2 mv = __half22float2(motion[y * w + x]);
  const float sx = fminf(w - 1.001f, fmaxf(0.f, x - mv.x)), sy = fminf(h - 1.001f, fmaxf(0.f, y - mv.y));
  const int ix = (int)sx, iy = (int)sy;
  const float fx = sx - ix, fy = sy - iy;
  const float3 a = color(history[iy * w + ix]), b = color(history[iy * w + min(ix + 1, w - 1)]), c = color(history[min(iy + 1, h - 1) * w + ix]), d = color(history[min(iy + 1, h - 1) * w + min(ix + 1, w - 1)]);
  auto mix = [&](float p, float q, float r, float s) { return (p * (1 - fx) + q * fx) * (1 - fy) + (r * (1 - fx) + s * fx) * fy; };
  const float py = keep * fminf(hi.x, fmaxf(lo.x, mix(a.x, b.x, c.x, d.x))) + (1 - keep) * mid.x;
  const float po = keep * fminf(hi.y, fmaxf(lo.y, mix(a.y, b.y, c.y, d.y))) + (1 - keep) * mid.y;
  const float pg = keep * fminf(hi.z, fmaxf(lo.z, mix(a.z, b.z, c.z, d.z))) + (1 - keep) * mid.z;
  out[y * w + x] = make_ushort4(__half_as_ushort(__float2half(py + po - pg)), __half_as_ushort(__float2half(py + pg)), __half_as_ushort(__float2half(py - po - pg)), 0x3c00);
}

// Light of an environment as nine spherical harmonics: a block a slice of directions, sums by shuffles.
__global__ void harmonics_of_environment(const float* __restrict__ rgb, float* __restrict__ coefficients, int w, int h) {
  float acc[27];
#pragma unroll
  for (int k = 0; k < 27; ++k) acc[k] = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < w * h; i += gridDim.x * blockDim.x) {
    float st, ct, sp, cp;
    sincospif((i / w + 0.5f) / h, &st, &ct);
    sincospif(2.f * (i % w + 0.5f) / w, &sp, &cp);
    const float x = st * cp, y = st * sp, z = ct;
    const float basis[9] = {0.282095f, 0.488603f * y, 0.488603f * z, 0.488603f * x, 1.092548f * x * y, 1.092548f * y * z, 0.315392f * (3 * z * z - 1), 1.092548f * x * z, 0.546274f * (x * x - y * y)};
    const float r = rgb[3 * i] * st, g = rgb[3 * i + 1] * st, b = rgb[3 * i + 2] * st;
#pragma unroll
    for (int k = 0; k < 9; ++k) acc[3 * k] += basis[k] * r, acc[3 * k + 1] += basis[k] * g, acc[3 * k + 2] += basis[k] * b;
  }
#pragma unroll
  for (int k = 0; k < 27; ++k) {
    for (int o = 16; o; o >>= 1) acc[k] += __shfl_xor_sync(~0u, acc[k], o);
    if (threadIdx.x % 32 == 0) atomicAdd(&coefficients[k], acc[k]);
  }
}

// Reservoirs of light samples combined with those of neighbours.
struct Reservoir {
  float weight_sum, weight;
  int sample, seen;
};
__global__ void reservoirs_spatial(const Reservoir* __restrict__ in, Reservoir* __restrict__ out, const float4* __restrict__ position, const float4* __restrict__ lights, int w, int h, uint32_t frame) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  uint32_t seed = (y * w + x) * 9781u + frame * 6271u;
  auto next = [&] {
    seed = seed * 747796405u + 2891336453u;
    const uint32_t word = ((seed >> ((seed >> 28) + 4)) ^ seed) * 277803737u;
    return ((word >> 22 ^ word) >> 8) * 5.9604645e-8f;
  };
  const float4 p = position[y * w + x];
  auto target = [&](int s) {
    const float4 l = lights[s];
    const float dx = l.x - p.x, dy = l.y - p.y, dz = l.z - p.z;
    return l.w / (dx * dx + dy * dy + dz * dz + 0.01f);
  };
  Reservoir r = in[y * w + x];
  float sum = target(r.sample) * r.weight * r.seen;
  int chosen = r.sample, seen = r.seen;
  for (int k = 0; k < 5; ++k) {
    const int u = min(w - 1, max(0, x + (int)(next() * 40.f) - 20)), v = min(h - 1, max(0, y + (int)(next() * 40.f) - 20));
    const float4 q = position[v * w + u];
    if (fabsf(q.z - p.z) > 0.6f) continue;
    const Reservoir n = in[v * w + u];
    const float weight = target(n.sample) * n.weight * n.seen;
    sum += weight;
    seen += n.seen;
    if (next() * sum < weight) chosen = n.sample;
  }
  const float t = target(chosen);
  out[y * w + x] = Reservoir{sum, t > 0.f ? sum / (seen * t) : 0.f, chosen, min(seen, 500)};
}

// Noise of a path tracer removed by wavelets with holes, weights of normals, depths and luminances.
__global__ void atrous_denoise(const float4* __restrict__ color, const float4* __restrict__ guide, float4* __restrict__ out, int w, int h, int step, float sigma) {
  const float kernel[3] = {3.f / 8, 1.f / 4, 1.f / 16};
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float4 c = color[y * w + x], g = guide[y * w + x];
  const float l = 0.3f * c.x + 0.6f * c.y + 0.1f * c.z, inv = 1.f / (sigma * sqrtf(c.w) + 1e-3f);
  float4 sum = make_float4(0, 0, 0, 0);
  float weights = 0.f;
  for (int v = -2; v <= 2; ++v)
    for (int u = -2; u <= 2; ++u) {
      const int px = x + u * step, py = y + v * step;
      if (px < 0 || py < 0 || px >= w || py >= h) continue;
      const float4 q = color[py * w + px], n = guide[py * w + px];
      const float dn = fmaxf(0.f, g.x * n.x + g.y * n.y + g.z * n.z), ql = 0.3f * q.x + 0.6f * q.y + 0.1f * q.z;
      const float weight = kernel[abs(u)] * kernel[abs(v)] * __powf(dn, 32.f) * __expf(-fabsf(g.w - n.w) - fabsf(l - ql) * inv);
      sum.x += weight * q.x, sum.y += weight * q.y, sum.z += weight * q.z, sum.w += weight * weight * q.w;
      weights += weight;
    }
  const float s = 1.f / fmaxf(weights, 1e-6f);
  out[y * w + x] = make_float4(sum.x * s, sum.y * s, sum.z * s, sum.w * s * s);
}

// Clouds: a march with a shorter march to the sun at each sample.
__device__ __noinline__ float cloud_density(float x, float y, float z, const unsigned char* __restrict__ noise) {
  const int i = (int)(x * 8.f) & 63, j = (int)(y * 8.f) & 63, k = (int)(z * 8.f) & 63;
  const float base = noise[(k * 64 + j) * 64 + i] * (1.f / 255.f);
  return fmaxf(0.f, base - 0.45f) * fmaxf(0.f, 1.f - fabsf(y - 4.f) * 0.3f);
}
__global__ void march_clouds(const unsigned char* __restrict__ noise, float2* __restrict__ out, int w, int h, float time) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float dx = (x - w * 0.5f) / w, dy = 0.3f + 0.7f * y / h, dz = 1.f, inv = rsqrtf(dx * dx + dy * dy + dz * dz);
  float through = 1.f, light = 0.f, t = 1.f / (dy * inv);
  for (int s = 0; s < 48 && through > 0.02f; ++s) {
    const float px = dx * inv * t + time, py = dy * inv * t, pz = dz * inv * t;
    if (py > 8.f) break;
    const float d = cloud_density(px, py, pz, noise);
    if (d > 0.f) {
      float tau = 0.f;
      for (int k = 1; k <= 4; ++k) tau += cloud_density(px + k * 0.2f, py + k * 0.3f, pz, noise);
      light += through * d * __expf(-tau * 2.f) * 0.2f;
      through *= __expf(-d * 0.4f);
      t += 0.1f;
    } else
      t += 0.25f;
  }
  out[y * w + x] = make_float2(light, through);
}

// ---- textures and codecs ----

// Blocks of 4x4 pixels to BC1: the range of colours, end points in 565 and two bits a pixel.
__global__ void bc1_encode(const uchar4* __restrict__ image, uint2* __restrict__ blocks, int bw, int bh) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= bw * bh) return;
  int bx = b % bw, by = b / bw;
  uchar4 px[16];
  int lo[3] = {255, 255, 255}, hi[3] = {0, 0, 0};
  for (int i = 0; i < 16; i++) {
    px[i] = image[(by * 4 + i / 4) * bw * 4 + bx * 4 + i % 4];
    lo[0] = min(lo[0], px[i].x), lo[1] = min(lo[1], px[i].y), lo[2] = min(lo[2], px[i].z);
    hi[0] = max(hi[0], px[i].x), hi[1] = max(hi[1], px[i].y), hi[2] = max(hi[2], px[i].z);
  }
  for (int k = 0; k < 3; k++) {
    int inset = (hi[k] - lo[k]) >> 4;
    lo[k] += inset, hi[k] -= inset;
  }
  uint32_t c0 = (hi[0] >> 3) << 11 | (hi[1] >> 2) << 5 | hi[2] >> 3, c1 = (lo[0] >> 3) << 11 | (lo[1] >> 2) << 5 | lo[2] >> 3;
  int dr = hi[0] - lo[0], dg = hi[1] - lo[1], db = hi[2] - lo[2];
  int len = dr * dr + dg * dg + db * db + 1;
  uint32_t bits = 0;
  for (int i = 0; i < 16; i++) {
    int dot = (px[i].x - lo[0]) * dr + (px[i].y - lo[1]) * dg + (px[i].z - lo[2]) * db;
    int q = (dot * 6 + len) / (2 * len);
    const uint32_t map = 0x00023101;
    bits |= ((map >> (4 * (3 - min(3, max(0, q))))) & 3) << (2 * i);
  }
  blocks[b] = make_uint2(c0 | c1 << 16, bits);
}

// Ten bits a sample (P010) to packed colours of ten bits.
__global__ void p010_to_rgb10(const uint2* __restrict__ luma, const ushort4* __restrict__ chroma, uint4* __restrict__ out, int quads, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= quads || y >= height) return;
  const uint2 l = luma[y * quads + x];
  const ushort4 c = chroma[(y / 2) * quads + x];
  const int ys[4] = {(int)(l.x >> 6 & 1023), (int)(l.x >> 22), (int)(l.y >> 6 & 1023), (int)(l.y >> 22)};
  const int u[2] = {(c.x >> 6) - 512, (c.z >> 6) - 512}, v[2] = {(c.y >> 6) - 512, (c.w >> 6) - 512};
  uint32_t r[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int y0 = (ys[k] - 64) * 1196;
    const int red = min(1023, max(0, (y0 + 1724 * v[k / 2]) >> 10)), green = min(1023, max(0, (y0 - 193 * u[k / 2] - 668 * v[k / 2]) >> 10)), blue = min(1023, max(0, (y0 + 2199 * u[k / 2]) >> 10));
    r[k] = blue | green << 10 | red << 20 | 3u << 30;
  }
  out[y * quads + x] = make_uint4(r[0], r[1], r[2], r[3]);
}

// Residuals of 16x16: columns, then rows of an integer transform with coefficients in constant memory.
__constant__ signed char c_dct16[256];
__global__ void integer_dct16(const short* __restrict__ residual, short* __restrict__ coefficients, int blocks) {
  __shared__ int s[4][16][17];
  const int b = blockIdx.x * 4 + threadIdx.y, x = threadIdx.x % 16, half = threadIdx.x / 16;
  if (b < blocks)
    for (int y = half; y < 16; y += 2) s[threadIdx.y][y][x] = residual[b * 256 + y * 16 + x];
  __syncwarp();
  int column[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    int sum = 4;
#pragma unroll
    for (int i = 0; i < 16; ++i) sum += c_dct16[(half * 8 + k) * 16 + i] * s[threadIdx.y][i][x];
    column[k] = sum >> 3;
  }
  __syncwarp();
#pragma unroll
  for (int k = 0; k < 8; ++k) s[threadIdx.y][half * 8 + k][x] = column[k];
  __syncwarp();
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    int sum = 512;
#pragma unroll
    for (int i = 0; i < 16; ++i) sum += c_dct16[x * 16 + i] * s[threadIdx.y][half * 8 + k][i];
    if (b < blocks) coefficients[b * 256 + (half * 8 + k) * 16 + x] = (short)(sum >> 10);
  }
}

// Edge offsets of a decoder (SAO): classes by comparisons along one of four directions.
__global__ void sample_edge_offsets(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, const uint32_t* __restrict__ params, int w, int h) {
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const uint32_t p = params[(y / 64) * (w / 64) + x / 64];
  const int kind = p & 3, dx = kind == 1 ? 0 : 1, dy = kind == 0 ? 0 : kind == 3 ? -1 : 1;
  uint32_t word = *reinterpret_cast<const uint32_t*>(in + y * w + x), result = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int v = word >> 8 * k & 255, u = x + k;
    int r = v;
    if (u >= dx && u + dx < w && y >= 1 && y < h - 1) {
      const int a = in[(y - dy) * w + u - dx], b = in[(y + dy) * w + u + dx], category = (v > a) - (v < a) + (v > b) - (v < b) + 2;
      const int offset = (int)(p >> (4 + 4 * category) & 15) - 8;
      r = category == 2 ? v : min(255, max(0, v + offset));
    }
    result |= (uint32_t)r << 8 * k;
  }
  *reinterpret_cast<uint32_t*>(out + y * w + x) = result;
}

// A level of a 9/7 wavelet down the columns by lifting: a thread a column of a strip, steps in registers.
__global__ void wavelet97_columns(const float* __restrict__ in, float* __restrict__ low, float* __restrict__ high, int w, int h, int strip) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y0 = blockIdx.y * strip;
  if (x >= w) return;
  const float a = -1.586134342f, b = -0.05298011854f, c = 0.8829110762f, d = 0.4435068522f, k = 1.149604398f;
  auto at = [&](int y) {
    y = y < 0 ? -y : y >= h ? 2 * (h - 1) - y : y;
    return in[(size_t)y * w + x];
  };
  float e0 = at(y0 - 4), d0 = 0.f, s0 = 0.f, q0 = 0.f;
  for (int y = y0 - 4; y < y0 + strip + 2; y += 2) {
    const float o = at(y + 1), e1 = at(y + 2);
    const float d1 = o + a * (e0 + e1), s1 = e0 + b * (d0 + d1), q1 = d0 + c * (s0 + s1), r = s0 + d * (q0 + q1);
    if (y >= y0 + 2 && y - 2 < y0 + strip) {
      low[(size_t)((y - 2) / 2) * w + x] = r * k;
      high[(size_t)((y - 2) / 2) * w + x] = q1 / k;
    }
    e0 = e1, d0 = d1, s0 = s1, q0 = q1;
  }
}

// ---- images ----

// Histograms of gradients of cells of eight by eight, nine directions, votes between two of them.
__global__ __launch_bounds__(64) void gradient_histograms(const unsigned char* __restrict__ image, float* __restrict__ cells, int w, int h) {
  __shared__ float bins[9];
  const int tx = threadIdx.x % 8, ty = threadIdx.x / 8, x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty;
  if (threadIdx.x < 9) bins[threadIdx.x] = 0.f;
  __syncthreads();
  const float gx = (float)image[y * w + min(w - 1, x + 1)] - image[y * w + max(0, x - 1)], gy = (float)image[min(h - 1, y + 1) * w + x] - image[max(0, y - 1) * w + x];
  const float mag = hypotf(gx, gy);
  float angle = atan2f(gy, gx) * (9.f / 3.14159265f);
  if (angle < 0) angle += 9.f;
  const int b = min(8, (int)angle);
  const float f = angle - b;
  atomicAdd(&bins[b], mag * (1.f - f));
  atomicAdd(&bins[(b + 1) % 9], mag * f);
  __syncthreads();
  float v = threadIdx.x < 9 ? bins[threadIdx.x] : 0.f, sq = v * v;
  if (threadIdx.x < 32) {
    for (int o = 16; o; o >>= 1) sq += __shfl_xor_sync(~0u, sq, o);
    if (threadIdx.x < 9) cells[(blockIdx.y * gridDim.x + blockIdx.x) * 9 + threadIdx.x] = fminf(0.2f, v * rsqrtf(sq + 1e-3f));
  }
}

// Descriptors of keypoints by 256 comparisons of pixels, turned by the point's direction: a warp a point.
__constant__ char4 c_pairs[256];
__global__ void compare_descriptors(const unsigned char* __restrict__ image, const float4* __restrict__ points, uint32_t* __restrict__ out, int n, int w) {
  const int p = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (p >= n) return;
  const float4 kp = points[p];
  float s, c;
  sincosf(kp.z, &s, &c);
  const unsigned char* base = image + (int)kp.y * w + (int)kp.x;
  for (int k = 0; k < 8; ++k) {
    const char4 t = c_pairs[k * 32 + lane];
    const int ax = __float2int_rn(t.x * c - t.y * s), ay = __float2int_rn(t.x * s + t.y * c), bx = __float2int_rn(t.z * c - t.w * s), by = __float2int_rn(t.z * s + t.w * c);
    const unsigned bits = __ballot_sync(~0u, base[ay * w + ax] < base[by * w + bx]);
    if (lane == k) out[p * 8 + k] = bits;
  }
}

// Distances to the nearest feature along rows: lower envelopes of parabolas, a thread a row, the envelope in local arrays.
template <int W>
__global__ void distance_rows_envelope(const float* __restrict__ f, float* __restrict__ d, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  short v[W];
  float z[W + 1];
  int k = 0;
  v[0] = 0, z[0] = -1e20f, z[1] = 1e20f;
  for (int q = 1; q < W; ++q) {
    const float fq = f[q * rows + r];
    float s;
    while (true) {
      const int p = v[k];
      s = ((fq + q * q) - (f[p * rows + r] + p * p)) / (2 * q - 2 * p);
      if (s > z[k] || k == 0) break;
      --k;
    }
    ++k;
    v[k] = q, z[k] = s, z[k + 1] = 1e20f;
  }
  k = 0;
  for (int q = 0; q < W; ++q) {
    while (z[k + 1] < q) ++k;
    const int p = v[k];
    d[q * rows + r] = (q - p) * (q - p) + f[p * rows + r];
  }
}

// Superpixels: each pixel to the nearest of nine centres, sums of the chosen ones by atomics.
struct Centre {
  float l, a, b, x, y;
};
__global__ void superpixel_assign(const float4* __restrict__ lab, const Centre* __restrict__ centres, int* __restrict__ labels, float* __restrict__ sums, int w, int h, int grid, float weight) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float4 c = lab[y * w + x];
  const int cols = w / grid, rows = h / grid, gx = x / grid, gy = y / grid;
  float best = 1e30f;
  int label = 0;
  for (int v = max(0, gy - 1); v <= min(rows - 1, gy + 1); ++v)
    for (int u = max(0, gx - 1); u <= min(cols - 1, gx + 1); ++u) {
      const Centre& k = centres[v * cols + u];
      const float dl = c.x - k.l, da = c.y - k.a, db = c.z - k.b, dx = x - k.x, dy = y - k.y, dist = dl * dl + da * da + db * db + weight * (dx * dx + dy * dy);
      if (dist < best) best = dist, label = v * cols + u;
    }
  labels[y * w + x] = label;
  const unsigned same = __match_any_sync(__activemask(), label);
  const int leader = __ffs(same) - 1, lane = (threadIdx.y * blockDim.x + threadIdx.x) & 31;
  if (lane == leader) atomicAdd(&sums[label * 6 + 5], (float)__popc(same));
  atomicAdd(&sums[label * 6], c.x);
  atomicAdd(&sums[label * 6 + 3], (float)x);
}

// A Gaussian along columns by a recursion of the third order, forwards and backwards.
__global__ void recursive_gaussian_columns(const float* id, float* od, int w, int h, float B, float b1, float b2, float b3) {
  unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= w) return;
  id += x;
  od += x;
  float y1 = *id, y2 = y1, y3 = y1;
  for (int y = 0; y < h; y++) {
    float v = B * *id + b1 * y1 + b2 * y2 + b3 * y3;
    *od = v;
    y3 = y2, y2 = y1, y1 = v;
    id += w;
    od += w;
  }
  od -= w;
  y1 = *od, y2 = y1, y3 = y1;
  for (int y = h - 1; y >= 0; y--) {
    float v = B * *od + b1 * y1 + b2 * y2 + b3 * y3;
    *od = v;
    y3 = y2, y2 = y1, y1 = v;
    od -= w;
  }
}

// ---- tomography ----

// A slice from fans of rays: for each pixel the sum over all angles of an interpolated detector.
__constant__ float2 c_angles[360];
__global__ void fan_backproject(const float* __restrict__ sino, float* __restrict__ slice, int n, int detectors, int angles, float source) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float fx = x - 0.5f * n, fy = y - 0.5f * n;
  float sum = 0.f;
#pragma unroll 2
  for (int a = 0; a < angles; ++a) {
    const float2 cs = c_angles[a];
    const float u = source + fx * cs.y - fy * cs.x, inv = __fdividef(source, u), t = (fx * cs.x + fy * cs.y) * inv + 0.5f * detectors;
    const int i = (int)floorf(t);
    if (i >= 0 && i < detectors - 1) {
      const float f = t - i;
      sum += inv * inv * ((1.f - f) * sino[a * detectors + i] + f * sino[a * detectors + i + 1]);
    }
  }
  slice[y * n + x] = sum;
}

// Rays through a volume exactly (Siddon): lengths in each cell, a thread a ray.
__global__ void siddon_project(const float* __restrict__ volume, const float4* __restrict__ rays, float* __restrict__ sums, int n, int g) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const float4 r = rays[t];
  const float py = r.x, pz = r.y;
  const float dx = 1.f, dy = r.z, dz = r.w, len = sqrtf(dx * dx + dy * dy + dz * dz);
  int x = 0, y = (int)py, z = (int)pz;
  const int sy = dy > 0 ? 1 : -1, sz = dz > 0 ? 1 : -1;
  const float ty = 1.f / fmaxf(fabsf(dy), 1e-6f), tz = 1.f / fmaxf(fabsf(dz), 1e-6f);
  float nx = 1.f, ny = (sy > 0 ? y + 1 - py : py - y) * ty, nz = (sz > 0 ? z + 1 - pz : pz - z) * tz, at = 0.f, sum = 0.f;
  while (x < g && y >= 0 && y < g && z >= 0 && z < g) {
    const float v = volume[(z * g + y) * g + x], next = fminf(nx, fminf(ny, nz));
    sum += (next - at) * v;
    at = next;
    if (next == nx)
      ++x, nx += 1.f;
    else if (next == ny)
      y += sy, ny += ty;
    else
      z += sz, nz += tz;
  }
  sums[t] = sum * len;
}

// ---- sound ----

// A rate changed by a rational number: taps of the phase from a table in shared memory.
__global__ void resample_polyphase(const float* __restrict__ in, const float* __restrict__ taps, float* __restrict__ out, int n_in, int n_out, int up, int down) {
  extern __shared__ float table[];
  for (int i = threadIdx.x; i < up * 24; i += blockDim.x) table[i] = taps[i];
  __syncthreads();
  const int channel = blockIdx.y;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n_out; i += gridDim.x * blockDim.x) {
    const long long at = (long long)i * down;
    const int phase = (int)(at % up), first = (int)(at / up) - 11;
    float s = 0.f;
#pragma unroll 8
    for (int k = 0; k < 24; ++k) {
      const int j = first + k;
      if (j >= 0 && j < n_in) s += table[phase * 24 + k] * in[channel * n_in + j];
    }
    out[channel * n_out + i] = s;
  }
}

// IMA ADPCM: blocks of nibbles to samples, a thread a block, steps from constant memory.
__constant__ short c_steps[89];
__constant__ signed char c_adjust[8];
__global__ void adpcm_blocks(const uint32_t* __restrict__ data, short* __restrict__ pcm, int blocks, int words) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= blocks) return;
  const uint32_t head = data[b * words];
  int predictor = (short)(head & 0xffff), index = min(88, (int)(head >> 16 & 127));
  for (int w = 1; w < words; ++w) {
    uint32_t bits = data[b * words + w];
    for (int k = 0; k < 8; ++k, bits >>= 4) {
      const int step = c_steps[index];
      int diff = step >> 3;
      if (bits & 1) diff += step >> 2;
      if (bits & 2) diff += step >> 1;
      if (bits & 4) diff += step;
      predictor = min(32767, max(-32768, bits & 8 ? predictor - diff : predictor + diff));
      index = min(88, max(0, index + c_adjust[bits & 7]));
      pcm[((w - 1) * 8 + k) * blocks + b] = (short)predictor;
    }
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* f = on_device<float>(16 * M, fraction);
  float* o = zeros<float>(16 * M);
  const uchar4* pixels = on_device<uchar4>(4 * M, [](uint32_t i) { const uint32_t v = hashed(i / 3); return make_uchar4(v, v >> 8, (v >> 16) + i % 3, 255); });

  std::vector<float4> lo(500000), hi(500000);
  for (uint32_t i = 0; i < 500000; ++i) {
    const float x = fraction(i * 3) * 90, y = fraction(i * 3 + 1) * 90, z = fraction(i * 3 + 2) * 90;
    lo[i] = make_float4(x, y, z, 0), hi[i] = make_float4(x + 1, y + fraction(i), z + 2, 0);
  }
  const float4 *lo_d = on_device(lo), *hi_d = on_device(hi);
  Bin* bins = zeros<Bin>(16);
  run("sah_bins", [&] { sah_bins<<<264, 256>>>(lo_d, hi_d, bins, 500000, 0.f, 0.17f, 0); });
  constexpr int LEAVES = 300000;
  std::vector<uint32_t> codes(LEAVES);
  for (uint32_t i = 0; i < LEAVES; ++i) codes[i] = hashed(i) >> 2;
  std::sort(codes.begin(), codes.end());
  const uint32_t* codes_d = on_device(codes);
  int2* children = zeros<int2>(LEAVES);
  int* parents = zeros<int>(2 * LEAVES);
  run("radix_tree_nodes", [&] { radix_tree_nodes<<<(LEAVES + 127) / 128, 128>>>(codes_d, children, parents, LEAVES); });
  // A complete tree of 2^17 leaves.
  constexpr int FULL = 1 << 17;
  std::vector<int2> kids(FULL - 1);
  std::vector<int> up(2 * FULL - 1, 0);
  for (int i = 0; i < FULL - 1; ++i) kids[i] = make_int2(2 * i + 1, 2 * i + 2), up[2 * i + 1] = up[2 * i + 2] = i;
  const int2* kids_d = on_device(kids);
  const int* up_d = on_device(up);
  int* visits = zeros<int>(FULL);
  run("refit_boxes", [&] { refit_boxes<<<FULL / 256, 256>>>(kids_d, up_d, o, o + M, visits, FULL); });
  constexpr int TX = 80, TY = 45;
  std::vector<int> tile_start(1, 0), tile_list;
  std::vector<Setup> setups(20000);
  for (uint32_t i = 0; i < 20000; ++i) {
    const float cx = fraction(i * 2) * TX * 16, cy = fraction(i * 2 + 1) * TY * 16, s = 1.f + fraction(i) * 9;
    setups[i] = Setup{1, 0.5f, s - cx - 0.5f * cy, -1, 0.5f, s + cx - 0.5f * cy, 0, -1, s + cy, 0.001f, 0.002f, fraction(i + 7)};
  }
  for (uint32_t t = 0; t < TX * TY; ++t) {
    for (uint32_t k = 0; k < 10 + hashed(t) % 90; ++k) tile_list.push_back(int(hashed(t * 101 + k) % 20000));
    tile_start.push_back(int(tile_list.size()));
  }
  const Setup* setups_d = on_device(setups);
  const int *ts_d = on_device(tile_start), *tl_d = on_device(tile_list);
  run("rasterize_tile_lists", [&] { rasterize_tile_lists<<<dim3(TX, TY), 256>>>(setups_d, ts_d, tl_d, (uint2*)o, TX * 16); });
  const Light* lights = on_device<Light>(1024, [](uint32_t i) { return Light{make_float3(fraction(i * 3) * 1280, fraction(i * 3 + 1) * 720, fraction(i * 3 + 2)), 20.f + 60.f * fraction(i), make_float3(1, fraction(i), 0.5f)}; });
  const float* depth = on_device<float>(1920 * 1080, [](uint32_t i) { return 0.6f + 0.3f * std::sin(float(i % 1920) * 0.02f) * std::cos(float(i / 1920) * 0.03f) + 0.02f * fraction(i); });
  const float4* normals = on_device<float4>(1920 * 1080, [](uint32_t i) { const float a = fraction(i / 8) * 0.5f; return make_float4(a, 0.3f, std::sqrt(0.91f - a * a), 0.6f + 0.1f * fraction(i / 64)); });
  run("tiled_light_shading", [&] { tiled_light_shading<<<dim3(80, 45), dim3(16, 16)>>>(depth, normals, lights, (float4*)o, 1280, 1024); });
  std::vector<float2> disk(16);
  for (int i = 0; i < 16; ++i) disk[i] = make_float2(std::cos(i * 2.4f) * std::sqrt(i / 16.f), std::sin(i * 2.4f) * std::sqrt(i / 16.f));
  CHECK(cudaMemcpyToSymbol(c_disk, disk.data(), sizeof(float2) * 16));
  run("screen_occlusion", [&] { screen_occlusion<<<dim3(60, 135), dim3(32, 8)>>>(depth, (unsigned char*)o, 1920, 1080, 12.f); });
  run("smooth_edges_fxaa", [&] { smooth_edges_fxaa<<<dim3(60, 270), dim3(32, 4)>>>(pixels, (uchar4*)o, 1920, 1080); });
  const ushort4* frames = on_device<ushort4>(2 * 1280 * 720, [](uint32_t i) { return make_ushort4((unsigned short)(0x3000 + hashed(i) % 2048), (unsigned short)(0x3000 + hashed(i + 1) % 2048), (unsigned short)(0x3000 + hashed(i + 2) % 2048), 0x3c00); });
  const __half2* motion = on_device<__half2>(1280 * 720, [](uint32_t i) { return __floats2half2_rn(fraction(i / 256) * 4 - 2, fraction(i / 640) * 2 - 1); });
  run("temporal_resolve", [&] { temporal_resolve<<<dim3(40, 90), dim3(32, 8)>>>(frames, frames + 1280 * 720, motion, (ushort4*)o, 1280, 720, 0.9f); });
  run("harmonics_of_environment", [&] { harmonics_of_environment<<<264, 128>>>(f, o, 1024, 512); });
  const Reservoir* reservoirs = on_device<Reservoir>(1280 * 720, [](uint32_t i) { return Reservoir{fraction(i), 0.5f + fraction(i + 1), int(hashed(i) % 4096), 1 + int(hashed(i + 1) % 20)}; });
  run("reservoirs_spatial", [&] { reservoirs_spatial<<<dim3(80, 90), dim3(16, 8)>>>(reservoirs, (Reservoir*)o, normals, (const float4*)f, 1280, 720, 3u); });
  run("atrous_denoise_1", [&] { atrous_denoise<<<dim3(40, 45), dim3(32, 16)>>>((const float4*)f, normals, (float4*)o, 1280, 720, 1, 4.f); });
  run("atrous_denoise_8", [&] { atrous_denoise<<<dim3(40, 90), dim3(32, 8)>>>((const float4*)f, normals, (float4*)o, 1280, 720, 8, 4.f); });
  const unsigned char* noise = on_device<unsigned char>(64 * 64 * 64, [](uint32_t i) { return (unsigned char)(127 + 80 * std::sin(float(i % 64) * 0.3f) * std::sin(float(i / 64 % 64) * 0.4f) * std::cos(float(i / 4096) * 0.3f) + hashed(i) % 48); });
  run("march_clouds", [&] { march_clouds<<<dim3(80, 68), dim3(8, 8)>>>(noise, (float2*)o, 640, 540, 1.5f); });
  run("bc1_encode", [&] { bc1_encode<<<(512 * 288 + 63) / 64, 64>>>(pixels, (uint2*)o, 512, 288); });
  run("p010_to_rgb10", [&] { p010_to_rgb10<<<dim3(4, 1080), 128>>>((const uint2*)f, (const ushort4*)(f + 4 * M), (uint4*)o, 480, 1080); });
  std::vector<signed char> dct(256);
  for (int k = 0; k < 16; ++k)
    for (int i = 0; i < 16; ++i) dct[k * 16 + i] = (signed char)std::lround(64 * (k ? 1.41421356 : 1.0) * std::cos(3.14159265358979 * k * (2 * i + 1) / 32));
  CHECK(cudaMemcpyToSymbol(c_dct16, dct.data(), 256));
  const short* residual = on_device<short>(8100 * 256, [](uint32_t i) { return short(int(hashed(i) % 255) - 127); });
  run("integer_dct16", [&] { integer_dct16<<<8100 / 4, dim3(32, 4)>>>(residual, (short*)o, 8100); });
  const uint32_t* params = on_device<uint32_t>(30 * 17, [](uint32_t i) { return (hashed(i) & 3) | 0x78899 << 4 | hashed(i) % 3 << 4; });
  run("sample_edge_offsets", [&] { sample_edge_offsets<<<dim3(15, 135), dim3(32, 8)>>>((const unsigned char*)pixels, (unsigned char*)o, params, 1920, 1080); });
  run("wavelet97_columns", [&] { wavelet97_columns<<<dim3(16, 16), 128>>>(f, o, o + 4 * M, 2048, 1024, 64); });
  run("gradient_histograms", [&] { gradient_histograms<<<dim3(160, 90), 64>>>((const unsigned char*)pixels, o, 1280, 720); });
  std::vector<char4> pairs(256);
  for (uint32_t i = 0; i < 256; ++i) pairs[i] = make_char4(int(hashed(i * 4) % 25) - 12, int(hashed(i * 4 + 1) % 25) - 12, int(hashed(i * 4 + 2) % 25) - 12, int(hashed(i * 4 + 3) % 25) - 12);
  CHECK(cudaMemcpyToSymbol(c_pairs, pairs.data(), 1024));
  const float4* keypoints = on_device<float4>(20000, [](uint32_t i) { return make_float4(20 + fraction(i * 3) * 1240, 20 + fraction(i * 3 + 1) * 680, fraction(i) * 6.28f, 1); });
  run("compare_descriptors", [&] { compare_descriptors<<<2500, dim3(32, 8)>>>((const unsigned char*)pixels, keypoints, (uint32_t*)o, 20000, 1280); });
  const float* mask = on_device<float>(192 * 8192, [](uint32_t i) { return hashed(i) % 11 == 0 ? 0.f : 1e6f; });
  run("distance_rows_envelope_192", [&] { distance_rows_envelope<192><<<128, 64>>>(mask, o, 8192); });
  const Centre* centres = on_device<Centre>(80 * 45, [](uint32_t i) { return Centre{fraction(i), fraction(i + 1), fraction(i + 2), float(i % 80) * 16 + 8, float(i / 80) * 16 + 8}; });
  run("superpixel_assign", [&] { superpixel_assign<<<dim3(80, 45), dim3(16, 16)>>>((const float4*)f, centres, (int*)o, o + 4 * M, 1280, 720, 16, 0.01f); });
  run("recursive_gaussian_columns", [&] { recursive_gaussian_columns<<<3840 / 64, 64>>>(f, o, 3840, 512, 0.1f, 1.6f, -0.9f, 0.2f); });
  std::vector<float2> turns(360);
  for (int a = 0; a < 360; ++a) turns[a] = make_float2(std::cos(a * 0.0174533f), std::sin(a * 0.0174533f));
  CHECK(cudaMemcpyToSymbol(c_angles, turns.data(), sizeof(float2) * 360));
  run("fan_backproject", [&] { fan_backproject<<<dim3(32, 64), dim3(16, 8)>>>(f, o, 512, 736, 360, 1000.f); });
  const float4* rays = on_device<float4>(60000, [](uint32_t i) { return make_float4(float(i % 245) + 5.3f, float(i / 245) + 4.7f, fraction(i / 32) * 0.6f - 0.3f, fraction(i / 64) * 0.4f - 0.2f); });
  run("siddon_project", [&] { siddon_project<<<(60000 + 127) / 128, 128>>>(f, rays, o, 60000, 255); });
  run("resample_polyphase", [&] { resample_polyphase<<<dim3(96, 8), 128, 160 * 24 * 4>>>(f, f + 8 * M, o, 200000, 217680, 160, 147); });
  std::vector<short> steps(89);
  for (int i = 0; i < 89; ++i) steps[i] = short(std::min(32767.0, 7.0 * std::pow(1.1, i)));
  CHECK(cudaMemcpyToSymbol(c_steps, steps.data(), 178));
  const signed char adjust[8] = {-1, -1, -1, -1, 2, 4, 6, 8};
  CHECK(cudaMemcpyToSymbol(c_adjust, adjust, 8));
  const uint32_t* nibbles = on_device<uint32_t>(12000 * 33, hashed);
  run("adpcm_blocks", [&] { adpcm_blocks<<<(12000 + 63) / 64, 64>>>(nibbles, (short*)o, 12000, 33); });
  return 0;
}
