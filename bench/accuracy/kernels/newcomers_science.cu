// Kernels of science in forms that no other file here has: bodies by tiles, waves, Monte Carlo, small dense and block-sparse algebra, hydrodynamics, rays and grids.
#include "cases.h"

__global__ void bodies_tile(const float4* __restrict__ p, float4* __restrict__ acc, int n) {
  __shared__ float4 tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = p[i];
  float3 a = make_float3(0, 0, 0);
  for (int t = 0; t < n; t += 128) {
    tile[threadIdx.x] = p[t + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < 128; ++j) {
      const float4 o = tile[j];
      const float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
      const float d2 = dx * dx + dy * dy + dz * dz + 1e-4f, inv = rsqrtf(d2), s = o.w * inv * inv * inv;
      a.x += dx * s, a.y += dy * s, a.z += dz * s;
    }
    __syncthreads();
  }
  acc[i] = make_float4(a.x, a.y, a.z, 0);
}

// Fourth-order wave equation; each block marches a tile down the rows.
__global__ void wave4(const float* __restrict__ now, const float* __restrict__ before, float* __restrict__ next, int w, int h, float c) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || y < 2 || x >= w - 2 || y >= h - 2) return;
  const int i = y * w + x;
  const float lap = -5.0f * now[i] + (4.0f / 3.0f) * (now[i - 1] + now[i + 1] + now[i - w] + now[i + w]) - (1.0f / 12.0f) * (now[i - 2] + now[i + 2] + now[i - 2 * w] + now[i + 2 * w]);
  next[i] = 2.0f * now[i] - before[i] + c * lap;
}

__device__ __forceinline__ unsigned xorshift(unsigned& s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}
// Heston paths with Box-Muller pairs.
__global__ void heston_paths(float* out, int steps, float s0, float v0, float kappa, float theta, float xi, float rho, float r, float dt, float strike) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned seed = 1234567u + 747796405u * i;
  float s = s0, v = v0;
  for (int t = 0; t < steps; ++t) {
    const float u1 = (xorshift(seed) + 1.0f) * 2.3283064e-10f, u2 = xorshift(seed) * 2.3283064e-10f;
    const float radius = sqrtf(-2.0f * __logf(u1));
    float sn, cs;
    __sincosf(6.2831853f * u2, &sn, &cs);
    const float z1 = radius * cs, z2 = rho * z1 + sqrtf(1.0f - rho * rho) * radius * sn;
    const float vp = fmaxf(v, 0.0f), root = sqrtf(vp * dt);
    s *= __expf((r - 0.5f * vp) * dt + root * z1);
    v += kappa * (theta - vp) * dt + xi * root * z2;
  }
  out[i] = fmaxf(s - strike, 0.0f);
}

// Block-sparse rows of 4x4 blocks: a quarter warp a block row.
__global__ void spmv_bsr4(const int* __restrict__ rows, const int* __restrict__ cols, const float* __restrict__ vals, const float* __restrict__ x, float* y, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, row = t / 8, part = t % 8, r = part / 2, half = part % 2;
  if (row >= n) return;
  float s = 0;
  for (int j = rows[row]; j < rows[row + 1]; ++j) {
    const float2 a = *(const float2*)&vals[j * 16 + r * 4 + half * 2], b = *(const float2*)&x[cols[j] * 4 + half * 2];
    s += a.x * b.x + a.y * b.y;
  }
  s += __shfl_xor_sync(0xffffffffu, s, 1);
  if (half == 0) y[row * 4 + r] = s;
}

// Parallel cyclic reduction in shared memory, a system a block.
__global__ void pcr_shared(const float* a, const float* b, const float* c, const float* d, float* x, int n) {
  extern __shared__ float s[];
  float *sa = s, *sb = s + n, *sc = s + 2 * n, *sd = s + 3 * n;
  const int i = threadIdx.x, at = blockIdx.x * n + i;
  sa[i] = a[at], sb[i] = b[at] + 4.0f, sc[i] = c[at], sd[i] = d[at];
  __syncthreads();
  for (int step = 1; step < n; step *= 2) {
    const int lo = max(i - step, 0), hi = min(i + step, n - 1);
    const float k1 = i - step >= 0 ? sa[i] / sb[lo] : 0.0f, k2 = i + step < n ? sc[i] / sb[hi] : 0.0f;
    const float na = -sa[lo] * k1, nb = sb[i] - sc[lo] * k1 - sa[hi] * k2, nc = -sc[hi] * k2, nd = sd[i] - sd[lo] * k1 - sd[hi] * k2;
    __syncthreads();
    sa[i] = na, sb[i] = nb, sc[i] = nc, sd[i] = nd;
    __syncthreads();
  }
  x[at] = sd[i] / sb[i];
}

// Eigenvalues of symmetric 3x3 matrices by Jacobi rotations.
__global__ void eigen3_jacobi(const double* in, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double a[3][3] = {{in[i] + 2, in[n + i], in[2 * n + i]}, {in[n + i], in[3 * n + i] + 1, in[4 * n + i]}, {in[2 * n + i], in[4 * n + i], in[5 * n + i]}};
  for (int sweep = 0; sweep < 4; ++sweep) {
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const int p = k == 2 ? 1 : 0, q = k == 0 ? 1 : 2, r = 3 - p - q;
      const double apq = a[p][q];
      const double theta = (a[q][q] - a[p][p]) / (2 * apq + 1e-300), t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1));
      const double c = 1 / sqrt(t * t + 1), s = t * c;
      const double arp = a[r][p], arq = a[r][q];
      a[p][p] -= t * apq, a[q][q] += t * apq;
      a[p][q] = a[q][p] = 0;
      a[r][p] = a[p][r] = c * arp - s * arq;
      a[r][q] = a[q][r] = s * arp + c * arq;
    }
  }
  out[i] = a[0][0], out[n + i] = a[1][1], out[2 * n + i] = a[2][2];
}

// Products of 3x3 complex matrices, stored as structures of arrays.
__global__ void su3_multiply(const float2* a, const float2* b, float2* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 x[9], y[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) x[k] = a[k * n + i], y[k] = b[k * n + i];
#pragma unroll
  for (int r = 0; r < 3; ++r)
#pragma unroll
    for (int q = 0; q < 3; ++q) {
      float2 s = make_float2(0, 0);
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        s.x += x[r * 3 + k].x * y[k * 3 + q].x - x[r * 3 + k].y * y[k * 3 + q].y;
        s.y += x[r * 3 + k].x * y[k * 3 + q].y + x[r * 3 + k].y * y[k * 3 + q].x;
      }
      c[(r * 3 + q) * n + i] = s;
    }
}

// Fluxes of the one-dimensional Euler equations in doubles (HLL).
__global__ void euler_hll(const double* rho, const double* mom, const double* ene, double* f0, double* f1, double* f2, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1) return;
  const double g = 1.4;
  double r[2], u[2], p[2], e[2], c[2];
  for (int k = 0; k < 2; ++k) {
    r[k] = rho[i + k] + 0.5;
    u[k] = mom[i + k] / r[k];
    e[k] = ene[i + k] + 2.0;
    p[k] = (g - 1) * (e[k] - 0.5 * r[k] * u[k] * u[k]);
    c[k] = sqrt(g * p[k] / r[k]);
  }
  const double sl = fmin(u[0] - c[0], u[1] - c[1]), sr = fmax(u[0] + c[0], u[1] + c[1]);
  const double a0 = r[0] * u[0], a1 = r[1] * u[1], b0 = a0 * u[0] + p[0], b1 = a1 * u[1] + p[1], d0 = u[0] * (e[0] + p[0]), d1 = u[1] * (e[1] + p[1]);
  if (sl >= 0) {
    f0[i] = a0, f1[i] = b0, f2[i] = d0;
  } else if (sr <= 0) {
    f0[i] = a1, f1[i] = b1, f2[i] = d1;
  } else {
    const double q = 1 / (sr - sl);
    f0[i] = (sr * a0 - sl * a1 + sl * sr * (r[1] - r[0])) * q;
    f1[i] = (sr * b0 - sl * b1 + sl * sr * (a1 - a0)) * q;
    f2[i] = (sr * d0 - sl * d1 + sl * sr * (e[1] - e[0])) * q;
  }
}

__constant__ float4 atoms[1024];
// Electrostatic potential on a grid, four points a thread, atoms in constant memory.
__global__ void coulomb_grid(float* grid, int w, int count, float spacing, float z) {
  const int x = blockIdx.x * blockDim.x * 4 + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float cy = y * spacing, cx = x * spacing, step = spacing * blockDim.x;
  float e0 = 0, e1 = 0, e2 = 0, e3 = 0;
  for (int a = 0; a < count; ++a) {
    const float4 atom = atoms[a];
    const float dy = cy - atom.y, dz = z - atom.z, d = dy * dy + dz * dz;
    const float x0 = cx - atom.x, x1 = x0 + step, x2 = x1 + step, x3 = x2 + step;
    e0 += atom.w * rsqrtf(x0 * x0 + d);
    e1 += atom.w * rsqrtf(x1 * x1 + d);
    e2 += atom.w * rsqrtf(x2 * x2 + d);
    e3 += atom.w * rsqrtf(x3 * x3 + d);
  }
  float* row = grid + y * w + x;
  row[0] += e0, row[blockDim.x] += e1, row[2 * blockDim.x] += e2, row[3 * blockDim.x] += e3;
}

// Sums of cosines and sines over samples of k space (MRI).
struct Sample {
  float x, y, z, phi;
};
__constant__ Sample samples[2048];
__global__ void mri_q(const float* px, const float* py, const float* pz, float* qr, float* qi, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = px[i], y = py[i], z = pz[i];
  float re = qr[i], im = qi[i];
  for (int k = 0; k < count; ++k) {
    const float arg = 6.2831853f * (samples[k].x * x + samples[k].y * y + samples[k].z * z);
    float s, c;
    __sincosf(arg, &s, &c);
    re += samples[k].phi * c;
    im += samples[k].phi * s;
  }
  qr[i] = re, qi[i] = im;
}

struct Triangle {
  float3 v, e1, e2;
};
// Nearest of all triangles for each ray (Möller and Trumbore), triangles by tiles of shared memory.
__global__ void nearest_triangle(const float* __restrict__ rays, const Triangle* __restrict__ tris, float* hit, int* id, int count, int n) {
  __shared__ Triangle tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float3 o = make_float3(rays[i], rays[n + i], -1.0f), d = make_float3(rays[2 * n + i] * 0.1f, rays[3 * n + i] * 0.1f, 1.0f);
  float best = 1e30f;
  int which = -1;
  for (int t = 0; t < count; t += 64) {
    __syncthreads();
    for (int k = threadIdx.x; k < 64 * 9; k += blockDim.x) ((float*)tile)[k] = ((const float*)(tris + t))[k];
    __syncthreads();
    for (int k = 0; k < 64; ++k) {
      const Triangle& tr = tile[k];
      const float px = d.y * tr.e2.z - d.z * tr.e2.y, py = d.z * tr.e2.x - d.x * tr.e2.z, pz = d.x * tr.e2.y - d.y * tr.e2.x;
      const float det = tr.e1.x * px + tr.e1.y * py + tr.e1.z * pz;
      if (fabsf(det) < 1e-8f) continue;
      const float inv = 1.0f / det, tx = o.x - tr.v.x, ty = o.y - tr.v.y, tz = o.z - tr.v.z;
      const float u = (tx * px + ty * py + tz * pz) * inv;
      if (u < 0 || u > 1) continue;
      const float qx = ty * tr.e1.z - tz * tr.e1.y, qy = tz * tr.e1.x - tx * tr.e1.z, qz = tx * tr.e1.y - ty * tr.e1.x;
      const float v = (d.x * qx + d.y * qy + d.z * qz) * inv;
      if (v < 0 || u + v > 1) continue;
      const float at = (tr.e2.x * qx + tr.e2.y * qy + tr.e2.z * qz) * inv;
      if (at > 0 && at < best) best = at, which = t + k;
    }
  }
  hit[i] = best, id[i] = which;
}

// Stockham transform of 1024 complex numbers in shared memory, radix 2, a block a row.
__global__ void fft1024_stockham(const float2* in, float2* out) {
  __shared__ float2 a[1024], b[1024];
  float2 *x = a, *y = b;
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) x[i] = in[blockIdx.x * 1024 + i];
  __syncthreads();
  for (int half = 512, stride = 1; half >= 1; half >>= 1, stride <<= 1) {
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {
      const int q = i % stride, p = i / stride;
      float s, c;
      __sincosf(-3.14159265f * p / half, &s, &c);
      const float2 u = x[q + stride * p], v = x[q + stride * (p + half)];
      y[q + stride * 2 * p] = make_float2(u.x + v.x, u.y + v.y);
      const float2 d = make_float2(u.x - v.x, u.y - v.y);
      y[q + stride * (2 * p + 1)] = make_float2(d.x * c - d.y * s, d.x * s + d.y * c);
    }
    __syncthreads();
    float2* z = x;
    x = y, y = z;
  }
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) out[blockIdx.x * 1024 + i] = x[i];
}

// Sums of absolute differences of 4x4 blocks over a search window (motion estimation).
__global__ void sad_search(const unsigned char* cur, const unsigned char* ref, unsigned short* sads, int w, int range) {
  const int bx = blockIdx.x * 4, by = blockIdx.y * 4, side = 2 * range + 1;
  __shared__ unsigned rows[4];
  if (threadIdx.x < 4) rows[threadIdx.x] = *(const unsigned*)&cur[(by + threadIdx.x) * w + bx];
  __syncthreads();
  for (int p = threadIdx.x; p < side * side; p += blockDim.x) {
    const int dy = p / side - range, dx = p % side - range;
    unsigned sum = 0;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const unsigned char* q = ref + (by + r + dy + range) * w + bx + dx + range;
#pragma unroll
      for (int c = 0; c < 4; ++c) sum += abs(int(rows[r] >> 8 * c & 255) - int(q[c]));
    }
    sads[(blockIdx.y * gridDim.x + blockIdx.x) * side * side + p] = (unsigned short)sum;
  }
}

// x += alpha p, r -= alpha q, and the new r.r: one pass of conjugate gradients.
__global__ void cg_update(double* x, double* r, const double* p, const double* q, double alpha, double* dots, int n) {
  __shared__ double red[8];
  double s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    x[i] += alpha * p[i];
    const double v = r[i] - alpha * q[i];
    r[i] = v;
    s += v * v;
  }
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
  if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 8; ++i) s += red[i];
    atomicAdd(dots, s);
  }
}

// Points of orbits that escape, added to an image.
__global__ void buddhabrot(unsigned* image, int size, int iterations, int samples_a_thread) {
  unsigned seed = 88172645u + 2654435761u * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = 0; k < samples_a_thread; ++k) {
    const float cx = xorshift(seed) * 2.3283064e-10f * 3.0f - 2.0f, cy = xorshift(seed) * 2.3283064e-10f * 3.0f - 1.5f;
    float x = 0, y = 0;
    int n = 0;
    while (n < iterations && x * x + y * y < 4.0f) {
      const float t = x * x - y * y + cx;
      y = 2 * x * y + cy;
      x = t;
      ++n;
    }
    if (n == iterations) continue;
    x = 0, y = 0;
    for (int j = 0; j < n; ++j) {
      const float t = x * x - y * y + cx;
      y = 2 * x * y + cy;
      x = t;
      const int px = int((x + 2.0f) * size / 3.0f), py = int((y + 1.5f) * size / 3.0f);
      if (px >= 0 && px < size && py >= 0 && py < size) atomicAdd(&image[py * size + px], 1u);
    }
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const float* a = on_device<float>(1 << 22, fraction);
  const float* b = on_device<float>(1 << 22, fraction);
  float* c = zeros<float>(1 << 23);
  const double* da = on_device<double>(1 << 21, [](uint32_t i) { return double(hashed(i) & 0xffff) / 65536.0; });
  double* dc = zeros<double>(1 << 21);
  double* dots = zeros<double>(1);
  std::vector<float> numbers(4096 * 2);
  for (uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = fraction(i + 77);
  CHECK(cudaMemcpyToSymbol(atoms, numbers.data(), sizeof(float4) * 1024));
  CHECK(cudaMemcpyToSymbol(samples, numbers.data(), sizeof(Sample) * 2048));
  run("bodies_tile_8192", [&] { bodies_tile<<<64, 128>>>((const float4*)a, (float4*)c, 8192); });
  run("bodies_tile_33792", [&] { bodies_tile<<<264, 128>>>((const float4*)a, (float4*)c, 8192); });
  run("wave4_1024", [&] { wave4<<<dim3(32, 128), dim3(32, 8)>>>(a, b, c, 1024, 1024, 0.1f); });
  run("wave4_2048", [&] { wave4<<<dim3(16, 512), dim3(128, 4)>>>(a, b, c, 2048, 2048, 0.1f); });
  run("heston_paths", [&] { heston_paths<<<528, 128>>>(c, 64, 100, 0.04f, 1.5f, 0.04f, 0.3f, -0.7f, 0.02f, 0.01f, 100); });
  std::vector<int> rows(8193), cols;
  for (uint32_t r = 0; r < 8192; ++r) {
    rows[r] = int(cols.size());
    for (uint32_t k = 0, n = 4 + hashed(r) % 12; k < n; ++k) cols.push_back(int((r + hashed(r * 31 + k) % 512) % 8192));
  }
  rows[8192] = int(cols.size());
  const int *row = on_device(rows), *col = on_device(cols);
  run("spmv_bsr4", [&] { spmv_bsr4<<<512, 128>>>(row, col, a, b, c, 8192); });
  run("pcr_shared_512", [&] { pcr_shared<<<528, 512, 8192>>>(a, b, a + 9, b + 77, c, 512); });
  run("pcr_shared_128", [&] { pcr_shared<<<2112, 128, 2048>>>(a, b, a + 9, b + 77, c, 128); });
  run("eigen3_jacobi", [&] { eigen3_jacobi<<<512, 128>>>(da, dc, 65536); });
  run("su3_multiply", [&] { su3_multiply<<<512, 256>>>((const float2*)a, (const float2*)b, (float2*)c, 131072); });
  run("euler_hll", [&] { euler_hll<<<2048, 256>>>(da, da + 3, da + 9, dc, dc + (1 << 19), dc + (1 << 20), 1 << 19); });
  run("coulomb_grid", [&] { coulomb_grid<<<dim3(4, 64), dim3(64, 4)>>>(c, 1024, 1000, 0.1f, 1.0f); });
  run("mri_q", [&] { mri_q<<<256, 256>>>(a, a + 65536, a + 131072, c, c + 65536, 1024); });
  run("nearest_triangle", [&] { nearest_triangle<<<264, 128>>>(a, (const Triangle*)b, c, (int*)c + (1 << 20), 512, 33792); });
  run("fft1024_stockham_128", [&] { fft1024_stockham<<<1024, 128>>>((const float2*)a, (float2*)c); });
  run("fft1024_stockham_512", [&] { fft1024_stockham<<<528, 512>>>((const float2*)a, (float2*)c); });
  run("sad_search", [&] { sad_search<<<dim3(80, 44), 64>>>((const unsigned char*)a, (const unsigned char*)b, (unsigned short*)c, 512, 8); });
  run("cg_update", [&] { cg_update<<<528, 256>>>(dc, dc + (1 << 20), da, da + 5, 0.1, dots, 1 << 20); });
  run("buddhabrot", [&] { buddhabrot<<<132, 128>>>((unsigned*)c, 512, 100, 8); });
  return 0;
}
