// Kernels of fields, particles, markets, random numbers, pictures of scenes, and populations in further forms.
#include "cases.h"

// Lattice Boltzmann with 19 velocities: macros over one array, in the way of Parboil.
#define SIZE_X 64
#define SIZE_Y 32
#define SIZE_Z 32
#define CELLS (SIZE_X * SIZE_Y * SIZE_Z)
#define LBM_AT(x, y, z) (((x) + SIZE_X) % SIZE_X + SIZE_X * (((y) + SIZE_Y) % SIZE_Y + SIZE_Y * (((z) + SIZE_Z) % SIZE_Z)))
#define SRC(e, x, y, z) (src[(e) * CELLS + LBM_AT(x, y, z)])
__constant__ signed char lbm_c[19][3];
__constant__ float lbm_w[19];
__global__ void lbm_d3q19(const float* __restrict__ src, float* __restrict__ dst, const int* __restrict__ obstacle, float omega) {
  const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y, at = LBM_AT(x, y, z);
  float f[19], rho = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
  for (int e = 0; e < 19; ++e) {
    f[e] = SRC(e, x - lbm_c[e][0], y - lbm_c[e][1], z - lbm_c[e][2]);
    rho += f[e], ux += lbm_c[e][0] * f[e], uy += lbm_c[e][1] * f[e], uz += lbm_c[e][2] * f[e];
  }
  if (obstacle[at]) {
    dst[at] = f[0];
#pragma unroll
    for (int e = 1; e < 19; ++e) dst[(e & 1 ? e + 1 : e - 1) * CELLS + at] = f[e];
    return;
  }
  ux /= rho, uy /= rho, uz /= rho;
  const float u2 = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
  for (int e = 0; e < 19; ++e) {
    const float cu = 3.0f * (lbm_c[e][0] * ux + lbm_c[e][1] * uy + lbm_c[e][2] * uz);
    dst[e * CELLS + at] = (1.0f - omega) * f[e] + omega * lbm_w[e] * rho * (1.0f + cu + 0.5f * cu * cu - u2);
  }
}

// Magnetic fields of a Yee grid, a column of z a thread.
__global__ void fdtd3d_magnetic(const float* ex, const float* ey, const float* ez, float* hx, float* hy, float* hz, int nx, int ny, int nz, float c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx - 1 || j >= ny - 1) return;
  const int plane = nx * ny;
  int at = j * nx + i;
  float x0 = ex[at], y0 = ey[at];
  for (int k = 0; k < nz - 1; ++k, at += plane) {
    const float x1 = ex[at + plane], y1 = ey[at + plane], z = ez[at];
    hx[at] += c * ((y1 - y0) - (ez[at + nx] - z));
    hy[at] += c * ((ez[at + 1] - z) - (x1 - x0));
    hz[at] += c * ((ex[at + nx] - x0) - (ey[at + 1] - y0));
    x0 = x1, y0 = y1;
  }
}

template <typename T>
__device__ T minmod(T a, T b) {
  return a * b <= T(0) ? T(0) : (fabs(a) < fabs(b) ? a : b);
}
// Burgers' equation in two dimensions, slopes limited, a tile with a halo of two.
template <typename T, int BX, int BY>
__global__ void burgers_muscl(const T* __restrict__ u, T* __restrict__ out, int nx, int ny, T k) {
  __shared__ T s[BY + 4][BX + 4];
  const int x0 = blockIdx.x * BX - 2, y0 = blockIdx.y * BY - 2, tid = threadIdx.y * BX + threadIdx.x;
  for (int i = tid; i < (BX + 4) * (BY + 4); i += BX * BY) {
    const int x = min(max(x0 + i % (BX + 4), 0), nx - 1), y = min(max(y0 + i / (BX + 4), 0), ny - 1);
    s[i / (BX + 4)][i % (BX + 4)] = u[y * nx + x];
  }
  __syncthreads();
  const int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const int c = threadIdx.x + 2, r = threadIdx.y + 2;
  auto flux = [](T a, T b, T m, T d) {
    const T left = b + T(0.5) * minmod(b - a, m - b), right = m - T(0.5) * minmod(m - b, d - m);
    const T speed = fmax(fabs(left), fabs(right));
    return T(0.25) * (left * left + right * right) - T(0.5) * speed * (right - left);
  };
  const T fw = flux(s[r][c - 2], s[r][c - 1], s[r][c], s[r][c + 1]), fe = flux(s[r][c - 1], s[r][c], s[r][c + 1], s[r][c + 2]);
  const T fs = flux(s[r - 2][c], s[r - 1][c], s[r][c], s[r + 1][c]), fn = flux(s[r - 1][c], s[r][c], s[r + 1][c], s[r + 2][c]);
  out[y * nx + x] = s[r][c] - k * (fe - fw + fn - fs);
}

// Cells with up to 32 atoms: a block a cell, forces of the 27 cells around.
__global__ void md_cells(const float4* __restrict__ atoms, const int* __restrict__ counts, float4* __restrict__ forces, int side, float cutoff2, float epsilon, float sigma2) {
  __shared__ float4 near[32];
  const int cell = blockIdx.x, cx = cell % side, cy = cell / side % side, cz = cell / side / side, lane = threadIdx.x;
  const float4 me = atoms[cell * 32 + lane];
  float fx = 0, fy = 0, fz = 0, energy = 0;
  for (int n = 0; n < 27; ++n) {
    const int ox = cx + n % 3 - 1, oy = cy + n / 3 % 3 - 1, oz = cz + n / 9 - 1;
    if (ox < 0 || oy < 0 || oz < 0 || ox >= side || oy >= side || oz >= side) continue;
    const int other = (oz * side + oy) * side + ox, count = counts[other];
    __syncwarp();
    near[lane] = atoms[other * 32 + lane];
    __syncwarp();
    for (int k = 0; k < count; ++k) {
      const float dx = me.x - near[k].x, dy = me.y - near[k].y, dz = me.z - near[k].z, r2 = dx * dx + dy * dy + dz * dz;
      if (r2 < cutoff2 && (other != cell || k != lane)) {
        const float s = sigma2 / (r2 + 1e-3f), s3 = s * s * s, f = 24.f * epsilon * s3 * (2.f * s3 - 1.f) / (r2 + 1e-3f);
        fx += f * dx, fy += f * dy, fz += f * dz, energy += 2.f * epsilon * s3 * (s3 - 1.f);
      }
    }
  }
  if (lane < counts[cell]) forces[cell * 32 + lane] = make_float4(fx, fy, fz, energy);
}

__device__ float3 cross(float3 a, float3 b) { return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
__device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }
__device__ float3 load3(const float4* p, int i) {
  const float4 v = p[i];
  return make_float3(v.x, v.y, v.z);
}
__device__ void add3(float* f, int i, float3 v) { atomicAdd(f + 3 * i, v.x), atomicAdd(f + 3 * i + 1, v.y), atomicAdd(f + 3 * i + 2, v.z); }
// Torsions of four atoms, forces by atomics.
__global__ void dihedral_forces(const float4* __restrict__ pos, const int4* __restrict__ quads, const float4* __restrict__ params, float* force, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const int4 q = quads[t];
  const float4 prm = params[t & 63];
  const float3 p0 = load3(pos, q.x), p1 = load3(pos, q.y), p2 = load3(pos, q.z), p3 = load3(pos, q.w);
  const float3 b1 = p1 - p0, b2 = p2 - p1, b3 = p3 - p2, m = cross(b1, b2), nn = cross(b2, b3);
  const float len = sqrtf(dot(b2, b2)), phi = atan2f(len * dot(b1, nn), dot(m, nn));
  const float d = prm.x * prm.y * sinf(prm.y * phi - prm.z);
  const float3 f0 = (-d * len / (dot(m, m) + 1e-4f)) * m, f3 = (d * len / (dot(nn, nn) + 1e-4f)) * nn;
  const float s = dot(b1, b2) / (len * len + 1e-6f), r = dot(b3, b2) / (len * len + 1e-6f);
  const float3 f1 = (-1.f - s) * f0 + r * f3, f2 = s * f0 - (1.f + r) * f3;
  add3(force, q.x, f0), add3(force, q.y, f1), add3(force, q.z, f2), add3(force, q.w, f3);
}

#define MATURITIES 40
__constant__ float libor_lambda[MATURITIES];
// LIBOR paths, forward rates in local arrays, normal numbers from memory.
__global__ void libor_paths(const float* __restrict__ z, float* __restrict__ payoff, int paths, int steps, float delta) {
  const int tid = threadIdx.x + blockIdx.x * blockDim.x;
  if (tid >= paths) return;
  float L[MATURITIES];
  for (int i = 0; i < MATURITIES; i++) L[i] = 0.05f;
  for (int n = 0; n < steps; n++) {
    const float sqez = sqrtf(delta) * z[tid + n * paths];
    float v = 0;
    for (int i = n + 1; i < MATURITIES; i++) {
      const float lam = libor_lambda[i - n - 1], con1 = delta * lam, vrat = __fdividef(con1 * L[i], 1.0f + delta * L[i]);
      v += vrat;
      L[i] *= __expf(con1 * v + lam * (sqez - 0.5f * con1));
    }
  }
  float b = 1, s = 0, swap = 0;
  for (int n = steps; n < MATURITIES; n++) {
    b = b / (1.0f + delta * L[n]);
    s += delta * b;
    swap += fmaxf(b + 0.045f * s - 1.0f, 0.0f);
  }
  payoff[tid] = swap;
}

__device__ float moro_inverse(float p) {
  const float a1 = 2.50662823884f, a2 = -18.61500062529f, a3 = 41.39119773534f, a4 = -25.44106049637f, b1 = -8.4735109309f, b2 = 23.08336743743f, b3 = -21.06224101826f, b4 = 3.13082909833f;
  const float c1 = 0.337475482272615f, c2 = 0.976169019091719f, c3 = 0.160797971491821f, c4 = 2.76438810333863E-02f, c5 = 3.8405729373609E-03f, c6 = 3.951896511919E-04f;
  const float y = p - 0.5f;
  float z;
  if (fabsf(y) < 0.42f) {
    z = y * y;
    z = y * (((a4 * z + a3) * z + a2) * z + a1) / ((((b4 * z + b3) * z + b2) * z + b1) * z + 1.0f);
  } else {
    z = y > 0 ? __logf(-__logf(1.0f - p)) : __logf(-__logf(p));
    z = c1 + z * (c2 + z * (c3 + z * (c4 + z * (c5 + z * c6))));
    if (y < 0) z = -z;
  }
  return z;
}
// Quasi-random numbers of Sobol by Gray codes, a dimension a row of blocks, then normal.
__global__ void sobol_normal(const unsigned* __restrict__ directions, float* __restrict__ out, int n) {
  __shared__ unsigned v[32];
  if (threadIdx.x < 32) v[threadIdx.x] = directions[blockIdx.y * 32 + threadIdx.x];
  __syncthreads();
  const int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
  unsigned g = first ^ first >> 1, x = 0;
  for (int k = 0; g; g >>= 1, ++k)
    if (g & 1) x ^= v[k];
  const unsigned half = v[__ffs(stride) - 2];
  for (int i = first; i < n; i += stride) {
    out[(size_t)blockIdx.y * n + i] = moro_inverse((x + 0.5f) * 2.3283064e-10f * 0.9999f);
    x ^= half ^ v[__ffs(~(i | (stride - 1))) - 1];
  }
}

// Mersenne twister of a block: the state in shared memory, 624 words at a time.
__global__ void mersenne_block(unsigned* states, unsigned* out, int rounds) {
  __shared__ unsigned mt[624];
  const int t = threadIdx.x;
  for (int i = t; i < 624; i += blockDim.x) mt[i] = states[blockIdx.x * 624 + i];
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    for (int part = 0; part < 3; ++part) {
      // 227 words at a time depend only on those of before.
      const int i = part * 227 + t;
      unsigned y = 0;
      const bool mine = t < 227 && i < 624;
      if (mine) {
        y = (mt[i] & 0x80000000u) | (mt[(i + 1) % 624] & 0x7fffffffu);
        y = mt[(i + 397) % 624] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0u);
      }
      __syncthreads();
      if (mine) mt[i] = y;
      __syncthreads();
    }
    for (int i = t; i < 624; i += blockDim.x) {
      unsigned y = mt[i];
      y ^= y >> 11, y ^= y << 7 & 0x9d2c5680u, y ^= y << 15 & 0xefc60000u, y ^= y >> 18;
      out[((size_t)blockIdx.x * rounds + r) * 624 + i] = y;
    }
    __syncthreads();
  }
  for (int i = t; i < 624; i += blockDim.x) states[blockIdx.x * 624 + i] = mt[i];
}

// A scene of distance functions, marched by spheres, with a shadow and a normal by differences.
__device__ float smooth_min(float a, float b, float k) {
  const float h = __saturatef(0.5f + 0.5f * (b - a) / k);
  return b + h * (a - b) - k * h * (1.0f - h);
}
__device__ float scene(float3 p) {
  const float sphere = sqrtf(dot(p, p)) - 0.8f;
  const float q = sqrtf(p.x * p.x + p.z * p.z) - 1.3f, torus = sqrtf(q * q + p.y * p.y) - 0.25f;
  const float bx = fmaxf(fabsf(p.x - 1.5f) - 0.4f, 0.f), by = fmaxf(fabsf(p.y) - 0.6f, 0.f), bz = fmaxf(fabsf(p.z + 0.5f) - 0.4f, 0.f);
  return fminf(smooth_min(smooth_min(sphere, torus, 0.2f), sqrtf(bx * bx + by * by + bz * bz) - 0.1f, 0.3f), p.y + 1.0f);
}
__global__ void sdf_scene(uchar4* image, int w, int h, float time) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float3 eye = make_float3(3.5f * cosf(time), 1.2f, 3.5f * sinf(time));
  const float3 fwd = (-1.0f / sqrtf(dot(eye, eye))) * eye, side = cross(fwd, make_float3(0, 1, 0)), up = cross(side, fwd);
  float3 dir = fwd + ((x - 0.5f * w) / h) * side + ((0.5f * h - y) / h) * up;
  dir = rsqrtf(dot(dir, dir)) * dir;
  float t = 0, shade = 0;
  int i = 0;
  for (; i < 80 && t < 20.f; ++i) {
    const float d = scene(eye + t * dir);
    if (d < 0.001f * t) break;
    t += d;
  }
  if (i < 80 && t < 20.f) {
    const float3 p = eye + t * dir, light = make_float3(0.57735f, 0.57735f, 0.57735f);
    const float e = 0.002f, d0 = scene(p);
    float3 n = make_float3(scene(p + make_float3(e, 0, 0)) - d0, scene(p + make_float3(0, e, 0)) - d0, scene(p + make_float3(0, 0, e)) - d0);
    n = rsqrtf(dot(n, n) + 1e-12f) * n;
    float soft = 1;
    for (float s = 0.02f; s < 6.f && soft > 0.01f;) {
      const float d = scene(p + s * light);
      soft = fminf(soft, 8.f * d / s);
      s += fmaxf(d, 0.02f);
    }
    shade = 0.15f + 0.85f * fmaxf(dot(n, light), 0.f) * fmaxf(soft, 0.f);
  }
  const unsigned char g = (unsigned char)(255.f * __saturatef(powf(shade, 0.4545f)));
  image[y * w + x] = make_uchar4(g, g, (unsigned char)(255 - g), 255);
}

struct __align__(16) Bvh {
  float3 lo;
  int left;  // of an inner node; the right child follows it
  float3 hi;
  int count;  // of a leaf's spheres, from `left`
};
// Nearest sphere in a hierarchy of boxes, the nearer child first.
__device__ bool box_hit(const Bvh& b, float3 o, float3 inv, float most, float& t) {
  const float x0 = (b.lo.x - o.x) * inv.x, x1 = (b.hi.x - o.x) * inv.x, y0 = (b.lo.y - o.y) * inv.y, y1 = (b.hi.y - o.y) * inv.y, z0 = (b.lo.z - o.z) * inv.z, z1 = (b.hi.z - o.z) * inv.z;
  t = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fmaxf(fminf(z0, z1), 0.f));
  return t <= fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fminf(fmaxf(z0, z1), most));
}
__global__ void bvh_spheres(const Bvh* __restrict__ nodes, const float4* __restrict__ spheres, float* __restrict__ depth, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float3 o = make_float3(0.5f, 0.5f, -1.2f);
  float3 d = make_float3((x + 0.5f) / w - 0.5f, (y + 0.5f) / h - 0.5f, 1.0f);
  d = rsqrtf(dot(d, d)) * d;
  const float3 inv = make_float3(1.f / d.x, 1.f / d.y, 1.f / d.z);
  int stack[24], top = 0, node = 0;
  float best = 1e30f, t;
  if (!box_hit(nodes[0], o, inv, best, t)) node = -1;
  while (node >= 0) {
    const Bvh b = nodes[node];
    if (b.count > 0) {
      for (int k = b.left; k < b.left + b.count; ++k) {
        const float4 s = spheres[k];
        const float3 oc = o - make_float3(s.x, s.y, s.z);
        const float half = dot(oc, d), disc = half * half - dot(oc, oc) + s.w * s.w;
        if (disc > 0) {
          const float hit = -half - sqrtf(disc);
          if (hit > 0 && hit < best) best = hit;
        }
      }
      node = top ? stack[--top] : -1;
    } else {
      float tl, tr;
      const bool l = box_hit(nodes[b.left], o, inv, best, tl), r = box_hit(nodes[b.left + 1], o, inv, best, tr);
      if (l && r) {
        const bool first = tl <= tr;
        stack[top++] = first ? b.left + 1 : b.left;
        node = first ? b.left : b.left + 1;
      } else {
        node = l ? b.left : r ? b.left + 1 : top ? stack[--top] : -1;
      }
    }
  }
  depth[y * w + x] = best;
}

// Burning ship, four samples a pixel.
template <typename T>
__global__ void burning_ship(unsigned short* out, int w, int h, T cx, T cy, T scale, int most) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= w * h) return;
  int total = 0;
  for (int s = 0; s < 4; ++s) {
    const T x0 = cx + scale * (p % w + T(0.5) * (s & 1) - T(0.5) * w), y0 = cy + scale * (p / w + T(0.5) * (s >> 1) - T(0.5) * h);
    T x = 0, y = 0;
    int n = 0;
    for (; n < most; ++n) {
      const T xx = x * x, yy = y * y;
      if (xx + yy > T(4)) break;
      y = fabs(T(2) * x * y) + y0;
      x = xx - yy + x0;
    }
    total += n;
  }
  out[p] = (unsigned short)(total / 4);
}

__constant__ unsigned char cube_vertices[256];
// Which of the 256 cases a cube is, and how many vertices it makes.
__global__ void marching_cubes_classify(const float* __restrict__ volume, unsigned* __restrict__ counts, unsigned char* __restrict__ occupied, int n, float iso) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  if (x >= n - 1) return;
  const float* p = volume + ((size_t)z * n + y) * n + x;
  unsigned cube = 0;
  cube |= unsigned(p[0] < iso), cube |= unsigned(p[1] < iso) << 1, cube |= unsigned(p[n + 1] < iso) << 2, cube |= unsigned(p[n] < iso) << 3;
  p += n * n;
  cube |= unsigned(p[0] < iso) << 4, cube |= unsigned(p[1] < iso) << 5, cube |= unsigned(p[n + 1] < iso) << 6, cube |= unsigned(p[n] < iso) << 7;
  const unsigned v = cube_vertices[cube];
  const size_t at = ((size_t)z * (n - 1) + y) * (n - 1) + x;
  counts[at] = v, occupied[at] = v > 0;
}

// Wireworld: empty, head, tail, copper; several steps on a tile with a halo as wide.
__global__ void wireworld_steps(const unsigned char* in, unsigned char* out, int w, int h) {
  const int STEPS = 4, TILE = 32;
  __shared__ unsigned char s[2][TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * (TILE - 2 * STEPS) + tx - STEPS, y = blockIdx.y * (TILE - 2 * STEPS) + ty - STEPS;
  const bool inside = x >= 0 && y >= 0 && x < w && y < h;
  s[0][ty][tx] = inside ? in[y * w + x] : 0;
  s[1][ty][tx] = 0;
  __syncthreads();
  for (int k = 0; k < STEPS; ++k) {
    const unsigned char c = s[k & 1][ty][tx];
    unsigned char next = c == 1 ? 2 : c == 2 ? 3 : c;
    if (c == 3 && tx > 0 && ty > 0 && tx < TILE - 1 && ty < TILE - 1) {
      int heads = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) heads += s[k & 1][ty + dy][tx + dx] == 1;
      next = heads == 1 || heads == 2 ? 1 : 3;
    }
    s[(k + 1) & 1][ty][tx] = next;
    __syncthreads();
  }
  if (inside && tx >= STEPS && ty >= STEPS && tx < TILE - STEPS && ty < TILE - STEPS) out[y * w + x] = s[STEPS & 1][ty][tx];
}

// A generation: tournaments, crossover at a point, mutation, and Rastrigin's function; 16 genes an individual.
__global__ void genetic_generation(const float* __restrict__ genes, const float* __restrict__ fitness, float* __restrict__ children, float* __restrict__ scores, int population, unsigned seed) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= population) return;
  unsigned rng = seed ^ id * 2654435761u;
  auto next = [&rng] { return rng = rng * 1664525u + 1013904223u, rng >> 8; };
  int parents[2];
  for (int p = 0; p < 2; ++p) {
    int best = next() % population;
    for (int k = 0; k < 3; ++k) {
      const int rival = next() % population;
      if (fitness[rival] < fitness[best]) best = rival;
    }
    parents[p] = best;
  }
  const int cut = next() % 16;
  float score = 160;
  for (int g = 0; g < 16; ++g) {
    float v = genes[parents[g < cut ? 0 : 1] * 16 + g];
    if (next() % 100 < 5) v += (next() % 2001 / 1000.0f - 1.0f) * 0.3f;
    children[id * 16 + g] = v;
    score += v * v - 10.0f * cosf(6.2831853f * v);
  }
  scores[id] = score;
}

struct TreeNode {
  float threshold;
  short feature;  // -1: a leaf
  short left;
};
// A forest's vote for each row, trees one after another.
__global__ void forest_predict(const TreeNode* __restrict__ forest, const float* __restrict__ rows, float* __restrict__ out, int trees, int nodes_a_tree, int features, int n) {
  extern __shared__ float row[];  // features x threads
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int f = 0; f < features; ++f) row[f * blockDim.x + threadIdx.x] = rows[f * n + min(i, n - 1)];
  if (i >= n) return;
  float sum = 0;
  for (int t = 0; t < trees; ++t) {
    const TreeNode* tree = forest + t * nodes_a_tree;
    int at = 0;
    TreeNode node = tree[0];
    while (node.feature >= 0) {
      at = node.left + (row[node.feature * blockDim.x + threadIdx.x] >= node.threshold);
      node = tree[at];
    }
    sum += node.threshold;
  }
  out[i] = sum / trees;
}

// Hodgkin and Huxley's neurons in doubles, some small steps each.
__global__ void hodgkin_huxley(const double* v, const double* m, const double* h, const double* n, const double* current, double* out, int cells, int steps, double dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  double V = v[i] * 20 - 65, M = m[i] * 0.1, H = 0.5 + h[i] * 0.2, N = 0.3 + n[i] * 0.1;
  for (int s = 0; s < steps; ++s) {
    const double am = 0.1 * (V + 40.001) / (1 - exp(-(V + 40.001) / 10)), bm = 4 * exp(-(V + 65) / 18), ah = 0.07 * exp(-(V + 65) / 20), bh = 1 / (1 + exp(-(V + 35) / 10));
    const double an = 0.01 * (V + 55.001) / (1 - exp(-(V + 55.001) / 10)), bn = 0.125 * exp(-(V + 65) / 80);
    M += dt * (am * (1 - M) - bm * M), H += dt * (ah * (1 - H) - bh * H), N += dt * (an * (1 - N) - bn * N);
    V += dt * (current[i] * 10 - 120 * M * M * M * H * (V - 50) - 36 * N * N * N * N * (V + 77) - 0.3 * (V + 54.387));
  }
  out[i] = V, out[cells + i] = M, out[2 * cells + i] = H, out[3 * cells + i] = N;
}

// The expectation step of a mixture of 16 Gaussians with diagonal covariances in 8 dimensions.
template <int K, int D>
__global__ void mixture_expectation(const float* __restrict__ x, const float* __restrict__ mean, const float* __restrict__ inv_var, const float* __restrict__ log_weight, float* __restrict__ resp, float* total, int n) {
  __shared__ float s_mean[K * D], s_inv[K * D], s_w[K];
  for (int i = threadIdx.x; i < K * D; i += blockDim.x) s_mean[i] = mean[i], s_inv[i] = inv_var[i] + 0.5f;
  if (threadIdx.x < K) s_w[threadIdx.x] = log_weight[threadIdx.x];
  __syncthreads();
  float sum_ll = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float v[D], lp[K], most = -1e30f, sum = 0;
#pragma unroll
    for (int d = 0; d < D; ++d) v[d] = x[d * n + i];
#pragma unroll
    for (int k = 0; k < K; ++k) {
      float q = 0;
#pragma unroll
      for (int d = 0; d < D; ++d) {
        const float t = v[d] - s_mean[k * D + d];
        q += t * t * s_inv[k * D + d];
      }
      lp[k] = s_w[k] - 0.5f * q;
      most = fmaxf(most, lp[k]);
    }
#pragma unroll
    for (int k = 0; k < K; ++k) sum += lp[k] = expf(lp[k] - most);
#pragma unroll
    for (int k = 0; k < K; ++k) resp[k * n + i] = lp[k] / sum;
    sum_ll += most + logf(sum);
  }
  for (int o = 16; o; o /= 2) sum_ll += __shfl_xor_sync(~0u, sum_ll, o);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum_ll);
}

// Dye carried by a flow: back along it by two half steps, then between four points.
__global__ void advect_rk2(const float2* __restrict__ vel, const float4* __restrict__ dye, float4* __restrict__ out, int w, int h, float dt, float fade) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  auto clampi = [](int v, int m) { return v < 0 ? 0 : v > m ? m : v; };
  const float2 v0 = vel[y * w + x];
  const float mx = x - 0.5f * dt * v0.x, my = y - 0.5f * dt * v0.y;
  const float2 v1 = vel[clampi(int(my + 0.5f), h - 1) * w + clampi(int(mx + 0.5f), w - 1)];
  const float px = x - dt * v1.x, py = y - dt * v1.y, fx = floorf(px), fy = floorf(py), ax = px - fx, ay = py - fy;
  const int x0 = clampi(int(fx), w - 1), x1 = clampi(int(fx) + 1, w - 1), y0 = clampi(int(fy), h - 1), y1 = clampi(int(fy) + 1, h - 1);
  const float4 a = dye[y0 * w + x0], b = dye[y0 * w + x1], c = dye[y1 * w + x0], d = dye[y1 * w + x1];
  auto mix = [=](float p, float q, float r, float s) { return fade * ((p * (1 - ax) + q * ax) * (1 - ay) + (r * (1 - ax) + s * ax) * ay); };
  out[y * w + x] = make_float4(mix(a.x, b.x, c.x, d.x), mix(a.y, b.y, c.y, d.y), mix(a.z, b.z, c.z, d.z), mix(a.w, b.w, c.w, d.w));
}

static void build_bvh(std::vector<Bvh>& nodes, std::vector<float4>& s, int node, int first, int count) {
  float lo[3] = {1e30f, 1e30f, 1e30f}, hi[3] = {-1e30f, -1e30f, -1e30f};
  for (int i = first; i < first + count; ++i)
    for (int k = 0; k < 3; ++k) lo[k] = std::min(lo[k], (&s[i].x)[k] - s[i].w), hi[k] = std::max(hi[k], (&s[i].x)[k] + s[i].w);
  nodes[node].lo = make_float3(lo[0], lo[1], lo[2]), nodes[node].hi = make_float3(hi[0], hi[1], hi[2]);
  if (count <= 4) {
    nodes[node].left = first, nodes[node].count = count;
    return;
  }
  const int axis = hi[0] - lo[0] > hi[1] - lo[1] ? (hi[0] - lo[0] > hi[2] - lo[2] ? 0 : 2) : hi[1] - lo[1] > hi[2] - lo[2] ? 1 : 2;
  std::nth_element(s.begin() + first, s.begin() + first + count / 2, s.begin() + first + count, [&](const float4& a, const float4& b) { return (&a.x)[axis] < (&b.x)[axis]; });
  const int left = int(nodes.size());
  nodes.resize(left + 2);
  nodes[node].left = left, nodes[node].count = 0;
  build_bvh(nodes, s, left, first, count / 2);
  build_bvh(nodes, s, left + 1, first + count / 2, count - count / 2);
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const float* a = on_device<float>(1 << 22, [](uint32_t i) { return fraction(i) + 0.05f; });
  const float* b = on_device<float>(1 << 22, [](uint32_t i) { return fraction(i + 3) * 4 - 2; });
  float* c = zeros<float>(1 << 22);
  double* d = on_device<double>(1 << 20, [](uint32_t i) { return double(hashed(i) & 0xffff) / 65536.0; });
  double* dc = zeros<double>(1 << 20);

  // Opposite velocities lie side by side: 1 and 2, 3 and 4, and so on.
  const signed char c19[19][3] = {{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}, {1, 1, 0}, {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}, {1, 0, 1}, {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, -1}, {0, 1, -1}, {0, -1, 1}};
  float w19[19];
  for (int e = 0; e < 19; ++e) w19[e] = e == 0 ? 1 / 3.f : e < 7 ? 1 / 18.f : 1 / 36.f;
  CHECK(cudaMemcpyToSymbol(lbm_c, c19, sizeof c19));
  CHECK(cudaMemcpyToSymbol(lbm_w, w19, sizeof w19));
  const int* obstacle = on_device<int>(CELLS, [](uint32_t i) { return int(i % SIZE_X == 0 || (i / SIZE_X % SIZE_Y > 10 && i / SIZE_X % SIZE_Y < 16 && i % SIZE_X > 20 && i % SIZE_X < 28)); });
  run("lbm_d3q19", [&] { lbm_d3q19<<<dim3(SIZE_Y, SIZE_Z), SIZE_X>>>(a, c, obstacle, 1.2f); });
  run("fdtd3d_magnetic", [&] { fdtd3d_magnetic<<<dim3(4, 32), dim3(32, 4)>>>(a, a + (1 << 20), b, c, c + (1 << 20), c + (1 << 21), 128, 128, 60, 0.5f); });
  run("burgers_muscl_float", [&] { burgers_muscl<float, 32, 8><<<dim3(32, 128), dim3(32, 8)>>>(b, c, 1000, 1021, 0.1f); });
  run("burgers_muscl_double", [&] { burgers_muscl<double, 16, 16><<<dim3(20, 20), dim3(16, 16)>>>(d, dc, 317, 311, 0.1); });
  std::vector<float4> cells(1000 * 32);
  std::vector<int> counts(1000);
  for (uint32_t i = 0; i < 1000; ++i) {
    counts[i] = 18 + int(hashed(i) % 15);
    for (uint32_t k = 0; k < 32; ++k) cells[i * 32 + k] = make_float4(i % 10 + fraction(i * 97 + k), i / 10 % 10 + fraction(i * 89 + k), i / 100 + fraction(i * 83 + k), 1);
  }
  const float4* cells_d = on_device(cells);
  const int* counts_d = on_device(counts);
  run("md_cells", [&] { md_cells<<<1000, 32>>>(cells_d, counts_d, (float4*)c, 10, 1.0f, 0.2f, 0.1f); });
  const int4* quads = on_device<int4>(40000, [](uint32_t i) { const int k = int(i * 5 / 4 + hashed(i) % 3); return make_int4(k, k + 1, k + 2, k + 3 + int(hashed(i + 9) % 2)); });
  run("dihedral_forces", [&] { dihedral_forces<<<313, 128>>>((const float4*)b, quads, (const float4*)a, c, 40000); });
  std::vector<float> lambda(MATURITIES, 0.2f);
  CHECK(cudaMemcpyToSymbol(libor_lambda, lambda.data(), sizeof(float) * MATURITIES));
  run("libor_paths", [&] { libor_paths<<<264, 64>>>(b, c, 16896, 20, 0.25f); });
  const unsigned* directions = on_device<unsigned>(32 * 32, [](uint32_t i) { return (hashed(i) | 1u) << (31 - i % 32); });
  run("sobol_normal", [&] { sobol_normal<<<dim3(16, 32), 128>>>(directions, c, 65536); });
  unsigned* states = on_device<unsigned>(264 * 624, hashed);
  run("mersenne_block", [&] { mersenne_block<<<264, 256>>>(states, (unsigned*)c, 16); });
  run("sdf_scene", [&] { sdf_scene<<<dim3(30, 34), dim3(16, 8)>>>((uchar4*)c, 480, 270, 0.7f); });
  std::vector<float4> spheres(4000);
  for (uint32_t i = 0; i < spheres.size(); ++i) spheres[i] = make_float4(fraction(i * 3), fraction(i * 3 + 1), fraction(i * 3 + 2), 0.004f + 0.02f * fraction(i + 77) * fraction(i + 78));
  std::vector<Bvh> bvh(1);
  build_bvh(bvh, spheres, 0, 0, int(spheres.size()));
  const Bvh* bvh_d = on_device(bvh);
  const float4* spheres_d = on_device(spheres);
  run("bvh_spheres", [&] { bvh_spheres<<<dim3(40, 60), dim3(8, 4)>>>(bvh_d, spheres_d, c, 320, 240); });
  run("burning_ship_float", [&] { burning_ship<float><<<512, 128>>>((unsigned short*)c, 256, 256, -0.5f, -0.5f, 0.012f, 128); });
  run("burning_ship_double", [&] { burning_ship<double><<<66, 256>>>((unsigned short*)c, 128, 132, -1.75, -0.03, 0.0008, 96); });
  std::vector<unsigned char> vertices(256);
  for (int i = 0; i < 256; ++i) vertices[i] = (unsigned char)(i == 0 || i == 255 ? 0 : 3 * std::min(__builtin_popcount(i), 8 - __builtin_popcount(i)) + 3 * (hashed(i) % 2));
  CHECK(cudaMemcpyToSymbol(cube_vertices, vertices.data(), 256));
  std::vector<float> volume(100 * 100 * 100);
  for (int z = 0; z < 100; ++z)
    for (int y = 0; y < 100; ++y)
      for (int x = 0; x < 100; ++x) volume[(z * 100 + y) * 100 + x] = float((x - 50) * (x - 50) + (y - 45) * (y - 45) + (z - 52) * (z - 52)) + 200 * fraction(x / 9 + y / 9 * 12 + z / 9 * 144);
  const float* volume_d = on_device(volume);
  run("marching_cubes_classify", [&] { marching_cubes_classify<<<dim3(1, 99, 99), 128>>>(volume_d, (unsigned*)c, (unsigned char*)(c + (1 << 20)), 100, 900); });
  const unsigned char* wires = on_device<unsigned char>(1 << 20, [](uint32_t i) { return (unsigned char)(i % 1024 % 3 == 0 || i / 1024 % 5 == 0 ? (hashed(i) % 20 == 0 ? 1 : hashed(i) % 20 == 1 ? 2 : 3) : 0); });
  run("wireworld_steps", [&] { wireworld_steps<<<dim3(22, 22), dim3(32, 32)>>>(wires, (unsigned char*)c, 520, 520); });
  run("genetic_generation", [&] { genetic_generation<<<256, 128>>>(b, a, c, c + (1 << 20), 32768, 99); });
  std::vector<TreeNode> forest(64 * 1024);
  for (int t = 0; t < 64; ++t)
    for (int k = 0, next = 1; k < 1024; ++k) {
      // Some branches end early.
      const bool leaf = next > 1000 || (k > 30 && hashed(t * 1024 + k) % 4 == 0);
      forest[t * 1024 + k] = {fraction(t * 1024 + k + 5) * (leaf ? 1.f : 0.9f) + 0.05f, short(leaf || k >= next ? -1 : int(hashed(t + k * 64) % 12)), short(next)};
      if (!leaf && k < next) next += 2;
    }
  const TreeNode* forest_d = on_device(forest);
  run("forest_predict", [&] { forest_predict<<<264, 128, 12 * 128 * 4>>>(forest_d, a, c, 32, 1024, 12, 33700); });
  run("hodgkin_huxley", [&] { hodgkin_huxley<<<132, 64>>>(d, d + 16384, d + 32768, d + 49152, d + 65536, dc, 8448, 10, 0.01); });
  run("mixture_expectation", [&] { mixture_expectation<16, 8><<<264, 128>>>(a, b, a + 500, b + 900, c, c + (1 << 21), 100000); });
  run("advect_rk2", [&] { advect_rk2<<<dim3(32, 64), dim3(32, 16)>>>((const float2*)b, (const float4*)a, (float4*)c, 1000, 1000, 1.5f, 0.99f); });
  return 0;
}
