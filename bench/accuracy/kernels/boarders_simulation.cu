// Molecules, lattices of fields, particles, partial differential equations, quantum chemistry and automata: steps of simulations.
#include "cases.h"

#define IDX2(i, j, n) ((i) + (n) * (j))

struct Particle {
  float x, y, z;
  int type;
};

// Pairs within a radius, from sorted cells: each atom's list is a column of a matrix.
__global__ void build_neighbor_list(const float4* pos, const int* cell_start, int* list, int* count, int n, int cells, float inv_cell, float rlist2, int max_neigh) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = pos[i];
  int cx = (int)(p.x * inv_cell), cy = (int)(p.y * inv_cell), cz = (int)(p.z * inv_cell);
  int c = 0;
  for (int dz = -1; dz <= 1; dz++)
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        int x = cx + dx, y = cy + dy, z = cz + dz;
        if (x < 0 || y < 0 || z < 0 || x >= cells || y >= cells || z >= cells) continue;
        int cell = (z * cells + y) * cells + x;
        int end = cell_start[cell + 1];
        for (int j = cell_start[cell]; j < end; j++) {
          if (j == i) continue;
          float4 q = pos[j];
          float ddx = p.x - q.x, ddy = p.y - q.y, ddz = p.z - q.z;
          float r2 = ddx * ddx + ddy * ddy + ddz * ddz;
          if (r2 < rlist2 && c < max_neigh) {
            list[c * n + i] = j;
            c++;
          }
        }
      }
  count[i] = c;
}

// Embedded atoms: the density at each atom from cubic splines in a table, then the embedding energy and its slope.
__global__ void eam_density_embed(const float4* __restrict__ pos, const int* __restrict__ list, const int* __restrict__ count, const float4* __restrict__ rho_spline, const float4* __restrict__ f_spline, float* __restrict__ rho_out, float* __restrict__ fp, int n, float rdr, int nr, float drho_inv, int nrho) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 xi = pos[i];
  float rho = 0.f;
  const int numj = count[i];
  for (int jj = 0; jj < numj; ++jj) {
    const float4 xj = pos[list[jj * n + i]];
    const float dx = xi.x - xj.x, dy = xi.y - xj.y, dz = xi.z - xj.z;
    float p = sqrtf(dx * dx + dy * dy + dz * dz) * rdr;
    int m = (int)p;
    m = min(m, nr - 2);
    p = fminf(p - m, 1.f);
    const float4 c = __ldg(&rho_spline[m]);
    rho += ((c.w * p + c.z) * p + c.y) * p + c.x;
  }
  float q = rho * drho_inv;
  const int m = max(0, min((int)q, nrho - 2));
  q = fminf(q - m, 1.f);
  const float4 c = __ldg(&f_spline[m]);
  rho_out[i] = ((c.w * q + c.z) * q + c.y) * q + c.x;
  fp[i] = (3.f * c.w * q + 2.f * c.z) * q + c.y;
}

// A thermostat of Langevin: half a kick, half a drift, noise from a counter, half a drift.
__device__ __forceinline__ uint2 tea_rounds(uint32_t v0, uint32_t v1) {
  uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    sum += 0x9e3779b9;
    v0 += ((v1 << 4) + 0xa341316c) ^ (v1 + sum) ^ ((v1 >> 5) + 0xc8013ea4);
    v1 += ((v0 << 4) + 0xad90777d) ^ (v0 + sum) ^ ((v0 >> 5) + 0x7e95761e);
  }
  return make_uint2(v0, v1);
}

__global__ void langevin_baoab(float4* __restrict__ pos, float4* __restrict__ vel, const float4* __restrict__ force, int n, float dt, float c1, float c2, float box, uint32_t step) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float4 x = pos[i], v = vel[i];
    const float4 f = force[i];
    const float im = v.w, h = 0.5f * dt;
    v.x += h * f.x * im, v.y += h * f.y * im, v.z += h * f.z * im;
    x.x += h * v.x, x.y += h * v.y, x.z += h * v.z;
    const uint2 a = tea_rounds(i, step), b = tea_rounds(i, step ^ 0x80000000u);
    const float u = sqrtf(-2.f * __logf((a.x + 1u) * 2.3283064e-10f + 1e-12f)), w = sqrtf(-2.f * __logf(b.x * 2.3283064e-10f + 1e-12f));
    float s, c;
    __sincosf(a.y * 1.46291808e-9f, &s, &c);
    const float sigma = c2 * sqrtf(im);
    v.x = c1 * v.x + sigma * u * c;
    v.y = c1 * v.y + sigma * u * s;
    v.z = c1 * v.z + sigma * w * __cosf(b.y * 1.46291808e-9f);
    x.x += h * v.x, x.y += h * v.y, x.z += h * v.z;
    x.x -= box * floorf(x.x / box), x.y -= box * floorf(x.y / box), x.z -= box * floorf(x.z / box);
    pos[i] = x;
    vel[i] = v;
  }
}

// Angles between three atoms: harmonic in the angle, forces added with atomics.
__global__ void angle_bend_forces(const float4* x, const int4* angles, const float2* coeff, float* fx, float* fy, float* fz, float* energy, int nangles) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float e = 0.0f;
  if (t < nangles) {
    int4 a = angles[t];
    float2 k = coeff[a.w];
    float4 x1 = x[a.x], x2 = x[a.y], x3 = x[a.z];
    float d1x = x1.x - x2.x, d1y = x1.y - x2.y, d1z = x1.z - x2.z;
    float d2x = x3.x - x2.x, d2y = x3.y - x2.y, d2z = x3.z - x2.z;
    float rsq1 = d1x * d1x + d1y * d1y + d1z * d1z + 1e-6f, rsq2 = d2x * d2x + d2y * d2y + d2z * d2z + 1e-6f;
    float r1 = sqrt(rsq1), r2 = sqrt(rsq2);
    float c = (d1x * d2x + d1y * d2y + d1z * d2z) / (r1 * r2);
    if (c > 1.0f) c = 1.0f;
    if (c < -1.0f) c = -1.0f;
    float s = sqrt(1.0f - c * c);
    if (s < 0.001f) s = 0.001f;
    float dtheta = acos(c) - k.y;
    float tk = k.x * dtheta;
    e = tk * dtheta;
    float a0 = -2.0f * tk / s;
    float a11 = a0 * c / rsq1, a12 = -a0 / (r1 * r2), a22 = a0 * c / rsq2;
    float f1x = a11 * d1x + a12 * d2x, f1y = a11 * d1y + a12 * d2y, f1z = a11 * d1z + a12 * d2z;
    float f3x = a22 * d2x + a12 * d1x, f3y = a22 * d2y + a12 * d1y, f3z = a22 * d2z + a12 * d1z;
    atomicAdd(&fx[a.x], f1x);
    atomicAdd(&fy[a.x], f1y);
    atomicAdd(&fz[a.x], f1z);
    atomicAdd(&fx[a.y], -(f1x + f3x));
    atomicAdd(&fy[a.y], -(f1y + f3y));
    atomicAdd(&fz[a.y], -(f1z + f3z));
    atomicAdd(&fx[a.z], f3x);
    atomicAdd(&fy[a.z], f3y);
    atomicAdd(&fz[a.z], f3z);
  }
  __shared__ float sum[256];
  sum[threadIdx.x] = e;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) sum[threadIdx.x] += sum[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(energy, sum[0]);
}

// Dissipative particles: soft repulsion, friction and pairwise noise that both sides draw alike.
__global__ void dpd_pair_forces(const float4* __restrict__ pos, const float4* __restrict__ vel, const int* __restrict__ list, const int* __restrict__ count, float4* __restrict__ force, int n, float a, float gamma, float sigma, uint32_t step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 xi = pos[i], vi = vel[i];
  float3 f = make_float3(0.f, 0.f, 0.f);
  for (int k = 0, m = count[i]; k < m; ++k) {
    const int j = list[k * n + i];
    const float4 xj = pos[j];
    const float dx = xi.x - xj.x, dy = xi.y - xj.y, dz = xi.z - xj.z, r2 = dx * dx + dy * dy + dz * dz;
    if (r2 >= 1.f || r2 < 1e-8f) continue;
    const float4 vj = vel[j];
    const float rinv = rsqrtf(r2), w = 1.f - r2 * rinv;
    const float dot = (dx * (vi.x - vj.x) + dy * (vi.y - vj.y) + dz * (vi.z - vj.z)) * rinv;
    uint32_t h = (min(i, j) * 0x9e3779b1u) ^ (max(i, j) * 0x85ebca77u) ^ step;
    h ^= h >> 15, h *= 0x2c1b3c6du, h ^= h >> 12, h *= 0x297a2d39u, h ^= h >> 15;
    const float xi_r = (int(h >> 8) - (1 << 23)) * 2.0648e-7f;
    const float s = (a * w - gamma * w * w * dot + sigma * w * xi_r) * rinv;
    f.x += s * dx, f.y += s * dy, f.z += s * dz;
  }
  force[i] = make_float4(f.x, f.y, f.z, 0.f);
}

// Bodies that turn: quaternions and angular momenta by a splitting with rotations about the principal axes.
struct Body {
  float4 q;
  float3 momentum;
  float3 inertia;
};
__device__ __noinline__ void rotate_axis(Body* b, int axis, float dt) {
  const float l = axis == 0 ? b->momentum.x : axis == 1 ? b->momentum.y : b->momentum.z;
  const float i = axis == 0 ? b->inertia.x : axis == 1 ? b->inertia.y : b->inertia.z;
  float s, c;
  sincosf(dt * l / i, &s, &c);
  const float3 p = b->momentum;
  if (axis == 0)
    b->momentum = make_float3(p.x, c * p.y + s * p.z, c * p.z - s * p.y);
  else if (axis == 1)
    b->momentum = make_float3(c * p.x - s * p.z, p.y, c * p.z + s * p.x);
  else
    b->momentum = make_float3(c * p.x + s * p.y, c * p.y - s * p.x, p.z);
  sincosf(0.5f * dt * l / i, &s, &c);
  const float4 q = b->q;
  if (axis == 0)
    b->q = make_float4(c * q.x - s * q.y, c * q.y + s * q.x, c * q.z + s * q.w, c * q.w - s * q.z);
  else if (axis == 1)
    b->q = make_float4(c * q.x - s * q.z, c * q.y - s * q.w, c * q.z + s * q.x, c * q.w + s * q.y);
  else
    b->q = make_float4(c * q.x - s * q.w, c * q.y + s * q.z, c * q.z - s * q.y, c * q.w + s * q.x);
}
__global__ void turn_rigid_bodies(Body* bodies, int n, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Body b = bodies[i];
  rotate_axis(&b, 2, 0.5f * dt);
  rotate_axis(&b, 1, 0.5f * dt);
  rotate_axis(&b, 0, dt);
  rotate_axis(&b, 1, 0.5f * dt);
  rotate_axis(&b, 2, 0.5f * dt);
  bodies[i] = b;
}

// Quarks on a lattice: the hopping term of Wilson's operator, half spinors, matrices of three rows.
template <bool DAGGER>
__device__ __forceinline__ void su3_times(const float2* __restrict__ u, const float2 (&in)[3], float2 (&out)[3], int stride) {
#pragma unroll
  for (int r = 0; r < 3; ++r) {
    float2 s = make_float2(0.f, 0.f);
#pragma unroll
    for (int c = 0; c < 3; ++c) {
      const float2 m = DAGGER ? u[(c * 3 + r) * stride] : u[(r * 3 + c) * stride];
      const float im = DAGGER ? -m.y : m.y;
      s.x += m.x * in[c].x - im * in[c].y;
      s.y += m.x * in[c].y + im * in[c].x;
    }
    out[r] = s;
  }
}
__global__ __launch_bounds__(128) void wilson_hopping(const float2* __restrict__ links, const float2* __restrict__ in, float2* __restrict__ out, int lx, int ly, int lz, int lt) {
  const int sites = lx * ly * lz * lt, site = blockIdx.x * blockDim.x + threadIdx.x;
  if (site >= sites) return;
  const int size[4] = {lx, ly, lz, lt};
  int at[4] = {site % lx, site / lx % ly, site / (lx * ly) % lz, site / (lx * ly * lz)};
  float2 acc[12];
#pragma unroll
  for (int k = 0; k < 12; ++k) acc[k] = make_float2(0.f, 0.f);
#pragma unroll
  for (int d = 0; d < 4; ++d) {
    int stride = 1;
#pragma unroll
    for (int k = 0; k < d; ++k) stride *= size[k];
    const int fwd = at[d] + 1 == size[d] ? site - stride * (size[d] - 1) : site + stride;
    const int back = at[d] == 0 ? site + stride * (size[d] - 1) : site - stride;
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const int other = side ? back : fwd;
      const float sign = side ? 1.f : -1.f;
      float2 h[2][3], r[2][3];
#pragma unroll
      for (int s = 0; s < 2; ++s)
#pragma unroll
        for (int c = 0; c < 3; ++c) {
          const float2 a = in[(s * 3 + c) * sites + other], b = in[((d == 3 ? 2 + s : 3 - s) * 3 + c) * sites + other];
          const float f = (d == 1 && s == 1) ? -sign : sign;
          // i times the other half in even directions.
          h[s][c] = d == 0 || d == 2 ? make_float2(a.x - f * b.y, a.y + f * b.x) : make_float2(a.x + f * b.x, a.y + f * b.y);
        }
#pragma unroll
      for (int s = 0; s < 2; ++s) {
        if (side)
          su3_times<true>(links + (size_t)d * 9 * sites + other, h[s], r[s], sites);
        else
          su3_times<false>(links + (size_t)d * 9 * sites + site, h[s], r[s], sites);
#pragma unroll
        for (int c = 0; c < 3; ++c) {
          const float f = (d == 1 && s == 1) ? -sign : sign;
          acc[s * 3 + c].x += r[s][c].x, acc[s * 3 + c].y += r[s][c].y;
          float2& low = acc[(d == 3 ? 2 + s : 3 - s) * 3 + c];
          if (d == 0 || d == 2)
            low.x += f * r[s][c].y, low.y -= f * r[s][c].x;
          else
            low.x += f * r[s][c].x, low.y += f * r[s][c].y;
        }
      }
    }
  }
#pragma unroll
  for (int k = 0; k < 12; ++k) out[k * sites + site] = acc[k];
}

// Mean plaquette of a gauge field of unit quaternions (SU(2)): six planes a site, one sum a block.
__device__ float4 qmul(float4 a, float4 b) {
  return make_float4(a.x * b.x - a.y * b.y - a.z * b.z - a.w * b.w, a.x * b.y + a.y * b.x + a.z * b.w - a.w * b.z, a.x * b.z + a.z * b.x + a.w * b.y - a.y * b.w, a.x * b.w + a.w * b.x + a.y * b.z - a.z * b.y);
}
__device__ float4 qconj(float4 a) { return make_float4(a.x, -a.y, -a.z, -a.w); }
__global__ void plaquettes_su2(const float4* __restrict__ u, double* __restrict__ sums, int log_l) {
  const int l = 1 << log_l, sites = 1 << (4 * log_l), mask = l - 1;
  float mine = 0.f;
  for (int s = blockIdx.x * blockDim.x + threadIdx.x; s < sites; s += gridDim.x * blockDim.x)
    for (int mu = 0; mu < 3; ++mu)
      for (int nu = mu + 1; nu < 4; ++nu) {
        const int sm = (s & ~(mask << mu * log_l)) | ((s + (1 << mu * log_l)) & (mask << mu * log_l));
        const int sn = (s & ~(mask << nu * log_l)) | ((s + (1 << nu * log_l)) & (mask << nu * log_l));
        const float4 a = qmul(u[mu * sites + s], u[nu * sites + sm]), b = qmul(u[nu * sites + s], u[mu * sites + sn]);
        mine += qmul(a, qconj(b)).x;
      }
  __shared__ float part[32];
  for (int o = 16; o > 0; o /= 2) mine += __shfl_down_sync(0xffffffff, mine, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x < 32) {
    mine = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.f;
    for (int o = 16; o > 0; o /= 2) mine += __shfl_down_sync(0xffffffff, mine, o);
    if (threadIdx.x == 0) sums[blockIdx.x] = mine;
  }
}

// Potts spins of q states on one colour of a checkerboard: heat bath with a table of weights in shared memory.
__global__ void potts_heat_bath(unsigned char* spins, int width, int height, int q, float beta, int color, uint32_t seed) {
  __shared__ float weight[8];
  if (threadIdx.x < 8 && threadIdx.y == 0) weight[threadIdx.x] = expf(beta * threadIdx.x);
  __syncthreads();
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + ((y + color) & 1);
  if (x >= width || y >= height) return;
  int up = spins[((y + height - 1) % height) * width + x], down = spins[((y + 1) % height) * width + x];
  int left = spins[y * width + (x + width - 1) % width], right = spins[y * width + (x + 1) % width];
  float total = 0.0f;
  for (int s = 0; s < q; s++) total += weight[(up == s) + (down == s) + (left == s) + (right == s)];
  uint32_t r = (y * width + x) * 747796405u + seed;
  r = ((r >> ((r >> 28) + 4)) ^ r) * 277803737u;
  r = (r >> 22) ^ r;
  float u = (r >> 8) * (1.0f / 16777216.0f) * total;
  int s = 0;
  for (; s < q - 1; s++) {
    u -= weight[(up == s) + (down == s) + (left == s) + (right == s)];
    if (u < 0.0f) break;
  }
  spins[y * width + x] = s;
}

// Two phases after Shan and Chen: pseudopotentials of a tile with borders, then the force on each site.
__global__ void shan_chen_force(const float* __restrict__ rho, float2* __restrict__ force, int nx, int ny, float g, float rho0) {
  __shared__ float psi[18][34];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
  for (int t = threadIdx.y * 32 + threadIdx.x; t < 18 * 34; t += 512) {
    const int ty = t / 34, tx = t - ty * 34;
    const int gx = (x0 + tx - 1 + nx) % nx, gy = (y0 + ty - 1 + ny) % ny;
    psi[ty][tx] = rho0 * (1.f - expf(-rho[gy * nx + gx] / rho0));
  }
  __syncthreads();
  const int x = threadIdx.x + 1, y = threadIdx.y + 1;
  const float straight = 1.f / 9.f, diagonal = 1.f / 36.f;
  const float fx = straight * (psi[y][x + 1] - psi[y][x - 1]) + diagonal * (psi[y + 1][x + 1] - psi[y + 1][x - 1] + psi[y - 1][x + 1] - psi[y - 1][x - 1]);
  const float fy = straight * (psi[y + 1][x] - psi[y - 1][x]) + diagonal * (psi[y + 1][x + 1] + psi[y + 1][x - 1] - psi[y - 1][x + 1] - psi[y - 1][x - 1]);
  if (x0 + (int)threadIdx.x < nx && y0 + (int)threadIdx.y < ny) force[(y0 + threadIdx.y) * nx + x0 + threadIdx.x] = make_float2(-g * psi[y][x] * fx, -g * psi[y][x] * fy);
}

// The odd step of a lattice Boltzmann scheme in one array (AA): read from neighbours, write to neighbours.
__global__ void lbm_aa_odd_d2q9(float* f, int nx, int ny, float omega) {
  const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1}, opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
  const float w[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, cells = nx * ny;
  if (x >= nx) return;
  float v[9], rho = 0.f, ux = 0.f, uy = 0.f;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const int sx = (x - cx[k] + nx) % nx, sy = (y - cy[k] + ny) % ny;
    v[k] = f[opposite[k] * cells + sy * nx + sx];
    rho += v[k], ux += v[k] * cx[k], uy += v[k] * cy[k];
  }
  ux /= rho, uy /= rho;
  const float usq = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const float cu = 3.f * (cx[k] * ux + cy[k] * uy), eq = w[k] * rho * (1.f + cu + 0.5f * cu * cu - usq);
    const int sx = (x + cx[k] + nx) % nx, sy = (y + cy[k] + ny) % ny;
    f[k * cells + sy * nx + sx] = v[k] - omega * (v[k] - eq);
  }
}

// Phases that separate (Cahn and Hilliard): the chemical potential of a tile with one border, then its Laplacian.
#define TILE 16
__global__ void cahn_hilliard_step(const double* c, double* c_new, int n, double dt, double kappa, double h2inv) {
  __shared__ double s[TILE + 4][TILE + 4], mu[TILE + 2][TILE + 2];
  int bx = blockIdx.x * TILE, by = blockIdx.y * TILE;
  int tid = threadIdx.y * TILE + threadIdx.x;
  for (int k = tid; k < (TILE + 4) * (TILE + 4); k += TILE * TILE) {
    int ly = k / (TILE + 4), lx = k % (TILE + 4);
    int gx = (bx + lx - 2) & (n - 1), gy = (by + ly - 2) & (n - 1);
    s[ly][lx] = c[IDX2(gx, gy, n)];
  }
  __syncthreads();
  for (int k = tid; k < (TILE + 2) * (TILE + 2); k += TILE * TILE) {
    int ly = k / (TILE + 2) + 1, lx = k % (TILE + 2) + 1;
    double v = s[ly][lx];
    mu[ly - 1][lx - 1] = v * v * v - v - kappa * h2inv * (s[ly][lx + 1] + s[ly][lx - 1] + s[ly + 1][lx] + s[ly - 1][lx] - 4.0 * v);
  }
  __syncthreads();
  int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
  double lap = h2inv * (mu[ly][lx + 1] + mu[ly][lx - 1] + mu[ly + 1][lx] + mu[ly - 1][lx] - 4.0 * mu[ly][lx]);
  c_new[IDX2(bx + threadIdx.x, by + threadIdx.y, n)] = s[ly + 1][lx + 1] + dt * lap;
}

// Dendrites: an anisotropic phase field with its heat, everything read from global memory.
__global__ void dendrite_kobayashi(const float* phi, const float* temp, float* phi_new, float* temp_new, int nx, int ny, float dx, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 2 || j < 2 || i >= nx - 2 || j >= ny - 2) return;
  float eps[5], deps[5], px[5], py[5];
  const int ox[5] = {0, 1, -1, 0, 0}, oy[5] = {0, 0, 0, 1, -1};
#pragma unroll
  for (int k = 0; k < 5; k++) {
    int a = i + ox[k], b = j + oy[k];
    px[k] = (phi[b * nx + a + 1] - phi[b * nx + a - 1]) / (2 * dx);
    py[k] = (phi[(b + 1) * nx + a] - phi[(b - 1) * nx + a]) / (2 * dx);
    float theta = atan2f(py[k], px[k]);
    eps[k] = 0.01f * (1.0f + 0.02f * cosf(6.0f * (theta - 0.2f)));
    deps[k] = -0.01f * 6.0f * 0.02f * sinf(6.0f * (theta - 0.2f));
  }
  float p = phi[j * nx + i], t = temp[j * nx + i];
  float lap_p = (phi[j * nx + i + 1] + phi[j * nx + i - 1] + phi[(j + 1) * nx + i] + phi[(j - 1) * nx + i] - 4 * p) / (dx * dx);
  float lap_t = (temp[j * nx + i + 1] + temp[j * nx + i - 1] + temp[(j + 1) * nx + i] + temp[(j - 1) * nx + i] - 4 * t) / (dx * dx);
  float term1 = (eps[3] * deps[3] * px[3] - eps[4] * deps[4] * px[4]) / (2 * dx);
  float term2 = -(eps[1] * deps[1] * py[1] - eps[2] * deps[2] * py[2]) / (2 * dx);
  float m = 0.9f / 3.14159265f * atanf(10.0f * (1.0f - t));
  float dphi = dt / 0.0003f * (term1 + term2 + eps[0] * eps[0] * lap_p + p * (1.0f - p) * (p - 0.5f + m));
  phi_new[j * nx + i] = p + dphi;
  temp_new[j * nx + i] = t + dt * lap_t + 1.8f * dphi;
}

// Elastic waves in velocities and stresses, fourth order on a staggered grid: velocities in three dimensions.
__global__ void elastic_velocities(float* __restrict__ vx, float* __restrict__ vy, float* __restrict__ vz, const float* __restrict__ sxx, const float* __restrict__ syy, const float* __restrict__ szz, const float* __restrict__ sxy, const float* __restrict__ sxz, const float* __restrict__ syz, const float* __restrict__ buoyancy, int nx, int ny, int nz, float dth) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || x >= nx - 2 || y < 2 || y >= ny - 2) return;
  const float c0 = 9.f / 8.f, c1 = -1.f / 24.f;
  const int plane = nx * ny;
  for (int z = 2 + blockIdx.z; z < nz - 2; z += gridDim.z) {
    const int p = z * plane + y * nx + x;
#define DF(f, s) (c0 * (f[p + (s)] - f[p]) + c1 * (f[p + 2 * (s)] - f[p - (s)]))
#define DB(f, s) (c0 * (f[p] - f[p - (s)]) + c1 * (f[p + (s)] - f[p - 2 * (s)]))
    const float b = dth * buoyancy[p];
    vx[p] += b * (DF(sxx, 1) + DB(sxy, nx) + DB(sxz, plane));
    vy[p] += b * (DB(sxy, 1) + DF(syy, nx) + DB(syz, plane));
    vz[p] += b * (DB(sxz, 1) + DB(syz, nx) + DF(szz, plane));
#undef DF
#undef DB
  }
}

// A smoother by lines: every second line of a plane solved exactly, a thread a line, in double precision.
__global__ void zebra_lines(double* __restrict__ u, const double* __restrict__ f, double* __restrict__ work, int nx, int ny, int planes, double ax, double ay, int color) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, lines = (nx - 2) / 2;
  if (t >= lines * planes) return;
  const int plane = t / lines, i = 1 + color + 2 * (t % lines);
  double *v = u + (size_t)plane * nx * ny, *c = work + (size_t)plane * nx * ny;
  const double* g = f + (size_t)plane * nx * ny;
  const double diag = 2 * ax + 2 * ay;
  double beta = diag, d = (g[nx + i] + ax * (v[nx + i - 1] + v[nx + i + 1]) + ay * v[i]) / beta;
  v[nx + i] = d;
  for (int j = 2; j < ny - 1; ++j) {
    const double gam = -ay / beta;
    c[j * nx + i] = gam;
    beta = diag + ay * gam;
    d = (g[j * nx + i] + ax * (v[j * nx + i - 1] + v[j * nx + i + 1]) + ay * d + (j == ny - 2 ? ay * v[(ny - 1) * nx + i] : 0.0)) / beta;
    v[j * nx + i] = d;
  }
  for (int j = ny - 3; j >= 1; --j) {
    d = v[j * nx + i] - c[(j + 1) * nx + i] * d;
    v[j * nx + i] = d;
  }
}

// Discontinuous elements of four times four times four nodes: the derivative in each direction of a flux, an element a block row.
__constant__ float c_derivative[16];
__global__ void dg_volume_p3(const float* __restrict__ u, const float4* __restrict__ metric, float* __restrict__ rhs, int elements) {
  __shared__ float s[4][3][64];
  const int node = threadIdx.x, e = blockIdx.x * 4 + threadIdx.y, i = node & 3, j = node >> 2 & 3, k = node >> 4;
  const bool in = e < elements;
  const float4 m = in ? metric[e] : make_float4(0, 0, 0, 0);
  const float v = in ? u[e * 64 + node] : 0.f;
  s[threadIdx.y][0][node] = m.x * v * v * 0.5f;
  s[threadIdx.y][1][node] = m.y * v;
  s[threadIdx.y][2][node] = m.z * v * (1.f - v);
  __syncthreads();
  float r = 0.f;
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    r += c_derivative[i * 4 + q] * s[threadIdx.y][0][k * 16 + j * 4 + q];
    r += c_derivative[j * 4 + q] * s[threadIdx.y][1][k * 16 + q * 4 + i];
    r += c_derivative[k * 4 + q] * s[threadIdx.y][2][q * 16 + j * 4 + i];
  }
  if (in) rhs[e * 64 + node] = -m.w * r;
}

// Edges of an unstructured mesh: Roe's flux of the Euler equations between two cells, residuals by atomics in double.
struct Conserved {
  double rho, mx, my, e;
};
__global__ void roe_edge_flux(const Conserved* __restrict__ cells, const int2* __restrict__ edges, const double2* __restrict__ normals, Conserved* __restrict__ residual, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const double gamma = 1.4;
  const int2 lr = edges[t];
  const double2 nv = normals[t];
  const Conserved a = cells[lr.x], b = cells[lr.y];
  const double len = sqrt(nv.x * nv.x + nv.y * nv.y), nx = nv.x / len, ny = nv.y / len;
  const double ul = a.mx / a.rho, vl = a.my / a.rho, ur = b.mx / b.rho, vr = b.my / b.rho;
  const double pl = (gamma - 1) * (a.e - 0.5 * a.rho * (ul * ul + vl * vl)), pr = (gamma - 1) * (b.e - 0.5 * b.rho * (ur * ur + vr * vr));
  const double hl = (a.e + pl) / a.rho, hr = (b.e + pr) / b.rho, wl = sqrt(a.rho), wr = sqrt(b.rho), inv = 1.0 / (wl + wr);
  const double u = (wl * ul + wr * ur) * inv, v = (wl * vl + wr * vr) * inv, h = (wl * hl + wr * hr) * inv, q2 = 0.5 * (u * u + v * v);
  const double c = sqrt(fmax((gamma - 1) * (h - q2), 1e-10)), un = u * nx + v * ny, unl = ul * nx + vl * ny, unr = ur * nx + vr * ny;
  const double drho = b.rho - a.rho, dp = pr - pl, dun = unr - unl, rho = wl * wr;
  const double l1 = fabs(un - c), l2 = fabs(un), l3 = fabs(un + c);
  const double a1 = l1 * (dp - rho * c * dun) / (2 * c * c), a2 = l2 * (drho - dp / (c * c)), a3 = l3 * (dp + rho * c * dun) / (2 * c * c);
  const double du = ur - ul - dun * nx, dv = vr - vl - dun * ny;
  const double f0 = 0.5 * (a.rho * unl + b.rho * unr - (a1 + a2 + a3));
  const double f1 = 0.5 * (a.mx * unl + pl * nx + b.mx * unr + pr * nx - (a1 * (u - c * nx) + a2 * u + a3 * (u + c * nx) + l2 * rho * du));
  const double f2 = 0.5 * (a.my * unl + pl * ny + b.my * unr + pr * ny - (a1 * (v - c * ny) + a2 * v + a3 * (v + c * ny) + l2 * rho * dv));
  const double f3 = 0.5 * (a.rho * hl * unl + b.rho * hr * unr - (a1 * (h - c * un) + a2 * q2 + a3 * (h + c * un) + l2 * rho * (u * du + v * dv)));
  double *l = &residual[lr.x].rho, *r = &residual[lr.y].rho;
  atomicAdd(l + 0, -f0 * len), atomicAdd(l + 1, -f1 * len), atomicAdd(l + 2, -f2 * len), atomicAdd(l + 3, -f3 * len);
  atomicAdd(r + 0, f0 * len), atomicAdd(r + 1, f1 * len), atomicAdd(r + 2, f2 * len), atomicAdd(r + 3, f3 * len);
}

// Far fields of plane potentials: a box's local expansion from the multipoles of its list, a lane a coefficient.
__constant__ float c_binomial[32 * 32];
__global__ void multipole_to_local(const float2* __restrict__ multipoles, const float2* __restrict__ centres, const int* __restrict__ list_start, const int* __restrict__ list, float2* __restrict__ locals, int boxes) {
  const int box = blockIdx.x * blockDim.y + threadIdx.y, l = threadIdx.x;
  if (box >= boxes) return;
  const float2 own = centres[box];
  float2 sum = make_float2(0.f, 0.f);
  for (int e = list_start[box]; e < list_start[box + 1]; ++e) {
    const int other = list[e];
    const float zx = centres[other].x - own.x, zy = centres[other].y - own.y, inv = 1.f / (zx * zx + zy * zy);
    const float2 w = make_float2(zx * inv, -zy * inv);
    const float2 mine = multipoles[other * 16 + l];
    float2 power = w;
    float2 part = make_float2(0.f, 0.f);
    for (int k = 1; k < 16; ++k) {
      const float ax = __shfl_sync(0xffffffffu, mine.x, k, 16), ay = __shfl_sync(0xffffffffu, mine.y, k, 16);
      const float c = (k & 1 ? -1.f : 1.f) * c_binomial[(l + k - 1) * 32 + k - 1];
      part.x += c * (ax * power.x - ay * power.y), part.y += c * (ax * power.y + ay * power.x);
      power = make_float2(power.x * w.x - power.y * w.y, power.x * w.y + power.y * w.x);
    }
    float2 wl = make_float2(1.f, 0.f);
    for (int k = 0; k < l; ++k) wl = make_float2(wl.x * w.x - wl.y * w.y, wl.x * w.y + wl.y * w.x);
    sum.x += part.x * wl.x - part.y * wl.y, sum.y += part.x * wl.y + part.y * wl.x;
  }
  locals[box * 16 + l] = sum;
}

// Vortices that move one another (Biot and Savart), smoothed: sources in shared memory, two targets a thread.
__global__ void vortex_velocities(const float4* __restrict__ x, const float4* __restrict__ alpha, float4* __restrict__ u, int n, float delta2) {
  extern __shared__ float4 sh[];
  float4* sa = sh + blockDim.x;
  const int i0 = blockIdx.x * blockDim.x * 2 + threadIdx.x, i1 = i0 + blockDim.x;
  const float4 x0 = i0 < n ? x[i0] : make_float4(0, 0, 0, 0), x1 = i1 < n ? x[i1] : make_float4(0, 0, 0, 0);
  float3 u0 = make_float3(0, 0, 0), u1 = make_float3(0, 0, 0);
  for (int base = 0; base < n; base += blockDim.x) {
    __syncthreads();
    const int j = base + threadIdx.x;
    sh[threadIdx.x] = j < n ? x[j] : make_float4(0, 0, 0, 0);
    sa[threadIdx.x] = j < n ? alpha[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < blockDim.x; ++k) {
      const float4 p = sh[k], a = sa[k];
      float dx = x0.x - p.x, dy = x0.y - p.y, dz = x0.z - p.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + delta2);
      r = r * r * r;
      u0.x += r * (a.y * dz - a.z * dy), u0.y += r * (a.z * dx - a.x * dz), u0.z += r * (a.x * dy - a.y * dx);
      dx = x1.x - p.x, dy = x1.y - p.y, dz = x1.z - p.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + delta2);
      r = r * r * r;
      u1.x += r * (a.y * dz - a.z * dy), u1.y += r * (a.z * dx - a.x * dz), u1.z += r * (a.x * dy - a.y * dx);
    }
  }
  const float s = -0.0795774715f;
  if (i0 < n) u[i0] = make_float4(s * u0.x, s * u0.y, s * u0.z, 0.f);
  if (i1 < n) u[i1] = make_float4(s * u1.x, s * u1.y, s * u1.z, 0.f);
}

// Bonds of a peridynamic solid: stretch, breakage as bits, the sum of forces by a warp a node.
__global__ void peridynamic_bonds(const float3* __restrict__ x, const float3* __restrict__ disp, const int* __restrict__ neighbours, uint32_t* __restrict__ broken, float3* __restrict__ force, float* __restrict__ damage, int n, int slots, float c, float critical) {
  const int node = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (node >= n) return;
  const float3 xi = x[node], ui = disp[node];
  float fx = 0, fy = 0, fz = 0;
  int lost = 0, all = 0;
  for (int base = 0; base < slots; base += 32) {
    const int word = (node * slots + base) / 32;
    const uint32_t bits = broken[word];
    const int j = neighbours[node * slots + base + lane];
    bool now = bits >> lane & 1;
    if (j >= 0) {
      ++all;
      const float3 xj = x[j], uj = disp[j];
      const float rx = xj.x - xi.x, ry = xj.y - xi.y, rz = xj.z - xi.z;
      const float ex = rx + uj.x - ui.x, ey = ry + uj.y - ui.y, ez = rz + uj.z - ui.z;
      const float r = sqrtf(rx * rx + ry * ry + rz * rz) + 1e-9f, e = sqrtf(ex * ex + ey * ey + ez * ez) + 1e-9f, stretch = (e - r) / r;
      now |= stretch > critical;
      if (!now) {
        const float s = c * stretch / e;
        fx += s * ex, fy += s * ey, fz += s * ez;
      }
      lost += now;
    }
    const uint32_t after = __ballot_sync(~0u, now);
    __syncwarp();
    if (lane == 0 && after != bits) broken[word] = after;
  }
  for (int o = 16; o; o >>= 1) fx += __shfl_xor_sync(~0u, fx, o), fy += __shfl_xor_sync(~0u, fy, o), fz += __shfl_xor_sync(~0u, fz, o);
  lost = __reduce_add_sync(~0u, lost), all = __reduce_add_sync(~0u, all);
  if (lane == 0) {
    force[node] = make_float3(fx, fy, fz);
    damage[node] = all ? float(lost) / all : 0.f;
  }
}

// Material points to a grid: quadratic weights, mass and momentum of 27 nodes by atomics.
struct Point {
  float3 x, v;
  float c[9];
  float volume, mass;
};
__global__ void material_points_to_grid(const Point* __restrict__ points, float4* __restrict__ grid, int n, int g, float inv_dx, float dt, float stiffness) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const Point p = points[t];
  const float gx = p.x.x * inv_dx, gy = p.x.y * inv_dx, gz = p.x.z * inv_dx;
  const int bx = (int)(gx - 0.5f), by = (int)(gy - 0.5f), bz = (int)(gz - 0.5f);
  const float fx = gx - bx, fy = gy - by, fz = gz - bz;
  float w[3][3];
  const float f[3] = {fx, fy, fz};
  for (int d = 0; d < 3; ++d) {
    w[d][0] = 0.5f * (1.5f - f[d]) * (1.5f - f[d]);
    w[d][1] = 0.75f - (f[d] - 1.f) * (f[d] - 1.f);
    w[d][2] = 0.5f * (f[d] - 0.5f) * (f[d] - 0.5f);
  }
  const float stress = -dt * 4.f * stiffness * p.volume * inv_dx * inv_dx * (p.volume - 1.f);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) {
        const float dx = (i - fx) / inv_dx, dy = (j - fy) / inv_dx, dz = (k - fz) / inv_dx, weight = w[0][i] * w[1][j] * w[2][k];
        float* cell = &grid[((bz + k) * g + by + j) * g + bx + i].x;
        atomicAdd(cell, weight * (p.mass * (p.v.x + p.c[0] * dx + p.c[1] * dy + p.c[2] * dz) + stress * dx));
        atomicAdd(cell + 1, weight * (p.mass * (p.v.y + p.c[3] * dx + p.c[4] * dy + p.c[5] * dz) + stress * dy));
        atomicAdd(cell + 2, weight * (p.mass * (p.v.z + p.c[6] * dx + p.c[7] * dy + p.c[8] * dz) + stress * dz));
        atomicAdd(cell + 3, weight * p.mass);
      }
}

// Becke's weights of integration points between atoms, in double precision.
struct __align__(16) Nucleus {
  double x, y, z, charge;
};
__global__ void becke_weights(const double3* __restrict__ points, const int* __restrict__ owner, const Nucleus* __restrict__ atoms, double* __restrict__ weights, int n, int natoms) {
  __shared__ Nucleus at[64];
  for (int a = threadIdx.x; a < natoms; a += blockDim.x) at[a] = atoms[a];
  __syncthreads();
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const double3 p = points[t];
  const int mine = owner[t];
  double total = 0, own = 0;
  for (int a = 0; a < natoms; ++a) {
    const double ra = sqrt((p.x - at[a].x) * (p.x - at[a].x) + (p.y - at[a].y) * (p.y - at[a].y) + (p.z - at[a].z) * (p.z - at[a].z));
    double cell = 1;
    for (int b = 0; b < natoms && cell > 1e-12; ++b) {
      if (a == b) continue;
      const double rb = sqrt((p.x - at[b].x) * (p.x - at[b].x) + (p.y - at[b].y) * (p.y - at[b].y) + (p.z - at[b].z) * (p.z - at[b].z));
      const double dx = at[a].x - at[b].x, dy = at[a].y - at[b].y, dz = at[a].z - at[b].z;
      double mu = (ra - rb) * rsqrt(dx * dx + dy * dy + dz * dz);
      for (int k = 0; k < 3; ++k) mu = mu * (1.5 - 0.5 * mu * mu);
      cell *= 0.5 * (1 - mu);
    }
    total += cell;
    if (a == mine) own = cell;
  }
  weights[t] = own / total;
}

// Exchange and correlation of a local density: cube roots, logarithms and an arc tangent in double precision.
__global__ void local_density_xc(const double* __restrict__ rho, double* __restrict__ energy, double* __restrict__ potential, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const double r = rho[i];
    if (r < 1e-10) {
      energy[i] = potential[i] = 0;
      continue;
    }
    const double a = 0.0310907, x0 = -0.10498, b = 3.72744, c = 12.9352;
    const double third = cbrt(r), ex = -0.7385587663820224 * third;
    const double x = sqrt(0.6203504908994 / third), xx = x * x + b * x + c, q = sqrt(4 * c - b * b), xx0 = x0 * x0 + b * x0 + c;
    const double at = atan(q / (2 * x + b)), l1 = log(x * x / xx), l2 = log((x - x0) * (x - x0) / xx);
    const double ec = a * (l1 + 2 * b / q * at - b * x0 / xx0 * (l2 + 2 * (b + 2 * x0) / q * at));
    const double dec = a * (2 / x - (2 * x + b) / xx - 4 * b / ((2 * x + b) * (2 * x + b) + q * q) - b * x0 / xx0 * (2 / (x - x0) - (2 * x + b) / xx - 4 * (b + 2 * x0) / ((2 * x + b) * (2 * x + b) + q * q)));
    energy[i] = r * (ex + ec);
    potential[i] = 4.0 / 3.0 * ex + ec - x / 6 * dec;
  }
}

// Grains on a pile that topple: atomics to neighbours, a flag when something moved.
__global__ void sandpile_topple(const int* __restrict__ height, int* __restrict__ next, int n, int* changed) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x >= n || y >= n) return;
  int h = height[y * n + x];
  if (h >= 4) {
    int k = h / 4;
    atomicSub(&next[y * n + x], 4 * k);
    if (x > 0) atomicAdd(&next[y * n + x - 1], k);
    if (x < n - 1) atomicAdd(&next[y * n + x + 1], k);
    if (y > 0) atomicAdd(&next[(y - 1) * n + x], k);
    if (y < n - 1) atomicAdd(&next[(y + 1) * n + x], k);
    *changed = 1;
  }
}

// Cars on a ring (Nagel and Schreckenberg): many rings, a block a ring, several steps with the road in shared memory.
__global__ void traffic_rings(signed char* __restrict__ roads, int length, int steps, int vmax, float slow, uint32_t seed) {
  extern __shared__ signed char lanes_of_road[];
  signed char *road = lanes_of_road, *next = road + length;
  signed char* mine = roads + (size_t)blockIdx.x * length;
  for (int i = threadIdx.x; i < length; i += blockDim.x) road[i] = mine[i];
  __syncthreads();
  for (int s = 0; s < steps; ++s) {
    for (int i = threadIdx.x; i < length; i += blockDim.x) next[i] = -1;
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += blockDim.x) {
      int v = road[i];
      if (v < 0) continue;
      v = min(v + 1, vmax);
      int gap = 1;
      while (gap <= v && road[(i + gap) % length] < 0) ++gap;
      v = min(v, gap - 1);
      uint32_t h = (i + s * 7919 + blockIdx.x * 104729) ^ seed;
      h = (h ^ h >> 16) * 0x45d9f3bu, h = (h ^ h >> 16) * 0x45d9f3bu, h ^= h >> 16;
      if (v > 0 && (h & 0xffff) < slow * 65536.f) --v;
      next[(i + v) % length] = v;
    }
    __syncthreads();
    signed char* t = road;
    road = next, next = t;
  }
  for (int i = threadIdx.x; i < length; i += blockDim.x) mine[i] = road[i];
}

// A lattice gas on hexagons: 64 cells a word, a plane of bits a direction, collisions by logic alone.
__global__ void lattice_gas_bits(const unsigned long long* __restrict__ in, unsigned long long* __restrict__ out, int words, int rows, unsigned long long coin) {
  const int w = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, plane = words * rows;
  if (w >= words || y >= rows) return;
  const int left = w ? w - 1 : words - 1, right = w + 1 < words ? w + 1 : 0, up = y ? y - 1 : rows - 1, down = y + 1 < rows ? y + 1 : 0;
  auto west = [&](int p, int row) { return in[p * plane + row * words + w] << 1 | in[p * plane + row * words + left] >> 63; };
  auto east = [&](int p, int row) { return in[p * plane + row * words + w] >> 1 | in[p * plane + row * words + right] << 63; };
  const bool odd = y & 1;
  const unsigned long long a = west(0, y), d = east(3, y);
  const unsigned long long b = odd ? in[plane + down * words + w] : west(1, down), c = odd ? east(2, down) : in[2 * plane + down * words + w];
  const unsigned long long e = odd ? east(4, up) : in[4 * plane + up * words + w], f = odd ? in[5 * plane + up * words + w] : west(5, up);
  const unsigned long long toss = coin * (y * 2654435761ull + w * 40503ull + 1);
  const unsigned long long three = (a ^ b) & (b ^ c) & (c ^ d) & (d ^ e) & (e ^ f);
  const unsigned long long ad = a & d & ~(b | c | e | f), be = b & e & ~(a | c | d | f), cf = c & f & ~(a | b | d | e);
  const int at = y * words + w;
  out[at] = a ^ (ad | three | (toss & be) | (~toss & cf));
  out[3 * plane + at] = d ^ (ad | three | (toss & be) | (~toss & cf));
  out[plane + at] = b ^ (be | three | (toss & cf) | (~toss & ad));
  out[4 * plane + at] = e ^ (be | three | (toss & cf) | (~toss & ad));
  out[2 * plane + at] = c ^ (cf | three | (toss & ad) | (~toss & be));
  out[5 * plane + at] = f ^ (cf | three | (toss & ad) | (~toss & be));
}

// Arrival times in a tile: sweeps until nothing changes, after the rule of an upwind quadratic.
__global__ void eikonal_tiles(const float* __restrict__ speed, const float* __restrict__ time, float* __restrict__ out, int n, int limit) {
  __shared__ float t[18][18];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  const float slowness = 1.f / speed[y * n + x];
  t[ty + 1][tx + 1] = time[y * n + x];
  if (ty == 0) t[0][tx + 1] = y > 0 ? time[(y - 1) * n + x] : 1e9f;
  if (ty == 15) t[17][tx + 1] = y < n - 1 ? time[(y + 1) * n + x] : 1e9f;
  if (tx == 0) t[ty + 1][0] = x > 0 ? time[y * n + x - 1] : 1e9f;
  if (tx == 15) t[ty + 1][17] = x < n - 1 ? time[y * n + x + 1] : 1e9f;
  __syncthreads();
  for (int s = 0; s < limit; ++s) {
    const float a = fminf(t[ty + 1][tx], t[ty + 1][tx + 2]), b = fminf(t[ty][tx + 1], t[ty + 2][tx + 1]), old = t[ty + 1][tx + 1];
    const float diff = fabsf(a - b);
    float v = diff >= slowness ? fminf(a, b) + slowness : 0.5f * (a + b + sqrtf(2.f * slowness * slowness - diff * diff));
    v = fminf(v, old);
    const int more = __syncthreads_or(v < old - 1e-6f);
    t[ty + 1][tx + 1] = v;
    __syncthreads();
    if (!more) break;
  }
  out[y * n + x] = t[ty + 1][tx + 1];
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  float* o = zeros<float>(16 * M);
  const float* f = on_device<float>(8 * M, fraction);

  // Atoms sorted by cells of a cube.
  constexpr int CELLS = 16, ATOMS = 40000;
  std::vector<std::vector<float4>> in_cell(CELLS * CELLS * CELLS);
  for (uint32_t i = 0; i < ATOMS; ++i) {
    const float4 p = make_float4(fraction(i * 3) * CELLS, fraction(i * 3 + 1) * CELLS, fraction(i * 3 + 2) * CELLS, 1.f);
    in_cell[(int(p.z) * CELLS + int(p.y)) * CELLS + int(p.x)].push_back(p);
  }
  std::vector<int> start(1, 0);
  std::vector<float4> atoms;
  for (const auto& cell : in_cell) {
    atoms.insert(atoms.end(), cell.begin(), cell.end());
    start.push_back(int(atoms.size()));
  }
  float4* pos = on_device(atoms);
  const int* start_d = on_device(start);
  int *list = zeros<int>(96 * ATOMS), *count = zeros<int>(ATOMS);
  run("build_neighbor_list", [&] { build_neighbor_list<<<(ATOMS + 127) / 128, 128>>>(pos, start_d, list, count, ATOMS, CELLS, 1.f, 1.f, 96); });
  // The lists come from the host, so that every case stands alone.
  std::vector<int> lists(96 * ATOMS, 0), counts(ATOMS, 0);
  for (int z = 0; z < CELLS; ++z)
    for (int y = 0; y < CELLS; ++y)
      for (int x = 0; x < CELLS; ++x)
        for (int i = start[(z * CELLS + y) * CELLS + x]; i < start[(z * CELLS + y) * CELLS + x + 1]; ++i)
          for (int c = 0; c < 27; ++c) {
            const int u = x + c % 3 - 1, v = y + c / 3 % 3 - 1, w = z + c / 9 - 1;
            if (u < 0 || v < 0 || w < 0 || u >= CELLS || v >= CELLS || w >= CELLS) continue;
            const int cell = (w * CELLS + v) * CELLS + u;
            for (int j = start[cell]; j < start[cell + 1]; ++j) {
              const float dx = atoms[i].x - atoms[j].x, dy = atoms[i].y - atoms[j].y, dz = atoms[i].z - atoms[j].z;
              if (i != j && dx * dx + dy * dy + dz * dz < 1.2f && counts[i] < 96) lists[counts[i]++ * ATOMS + i] = j;
            }
          }
  const int *lists_d = on_device(lists), *counts_d = on_device(counts);
  const float4* spline = on_device<float4>(2000, [](uint32_t i) { return make_float4(1.f - i * 0.001f, -0.001f, 0.0001f * fraction(i), 0.00001f); });
  run("eam_density_embed", [&] { eam_density_embed<<<(ATOMS + 127) / 128, 128>>>(pos, lists_d, counts_d, spline, spline + 1000, o, o + M, ATOMS, 800.f, 1000, 20.f, 1000); });
  float4* xyz = on_device<float4>(M, [](uint32_t i) { return make_float4(fraction(i) * 50, fraction(i + 1) * 50, fraction(i + 2) * 50, 0.f); });
  float4* vel = on_device<float4>(M, [](uint32_t i) { return make_float4(fraction(i) - 0.5f, fraction(i + 5) - 0.5f, fraction(i + 9) - 0.5f, 1.f / (1 + i % 16)); });
  run("langevin_baoab", [&] { langevin_baoab<<<528, 256>>>(xyz, vel, (const float4*)f, 900000, 0.002f, 0.99f, 0.1f, 50.f, 17u); });
  const int4* angles = on_device<int4>(200000, [](uint32_t i) { const int b = int(i * 5 % 299900); return make_int4(b + int(hashed(i) % 40), b + 41, b + 42 + int(hashed(i + 1) % 40), int(hashed(i) % 20)); });
  run("angle_bend_forces", [&] { angle_bend_forces<<<(200000 + 255) / 256, 256>>>(xyz, angles, (const float2*)f, o, o + M, o + 2 * M, o + 3 * M, 200000); });
  run("dpd_pair_forces", [&] { dpd_pair_forces<<<(ATOMS + 63) / 64, 64>>>(pos, vel, lists_d, counts_d, (float4*)o, ATOMS, 25.f, 4.5f, 3.f, 99u); });
  Body* bodies = on_device<Body>(200000, [](uint32_t i) { return Body{make_float4(1, 0, 0, 0), make_float3(fraction(i) - 0.5f, fraction(i + 1), fraction(i + 2)), make_float3(1, 2, 1 + fraction(i))}; });
  run("turn_rigid_bodies", [&] { turn_rigid_bodies<<<(200000 + 127) / 128, 128>>>(bodies, 200000, 0.01f); });
  const float2* fermions = on_device<float2>(12 * 65536, [](uint32_t i) { return make_float2(fraction(i) - 0.5f, fraction(i + 1) - 0.5f); });
  const float2* links = on_device<float2>(36 * 65536, [](uint32_t i) { return make_float2(fraction(i * 3) - 0.5f, fraction(i * 3 + 1) - 0.5f); });
  run("wilson_hopping", [&] { wilson_hopping<<<65536 / 128, 128>>>(links, fermions, (float2*)o, 16, 16, 16, 16); });
  const float4* quaternions = on_device<float4>(4 * 65536, [](uint32_t i) { const float a = fraction(i) * 6.28f; return make_float4(std::cos(a), std::sin(a) * 0.6f, std::sin(a) * 0.8f, 0.f); });
  run("plaquettes_su2", [&] { plaquettes_su2<<<132, 256>>>(quaternions, (double*)o, 4); });
  unsigned char* spins = on_device<unsigned char>(2048 * 1536, [](uint32_t i) { return (unsigned char)(hashed(i) % 5); });
  run("potts_heat_bath", [&] { potts_heat_bath<<<dim3(32, 192), dim3(32, 8)>>>(spins, 2048, 1536, 5, 0.9f, 0, 12345u); });
  run("shan_chen_force", [&] { shan_chen_force<<<dim3(40, 50), dim3(32, 16)>>>(f, (float2*)o, 1280, 800, -5.f, 1.f); });
  float* populations = on_device<float>(9 * 1200 * 700, [](uint32_t i) { return 0.1f + 0.01f * fraction(i); });
  run("lbm_aa_odd_d2q9", [&] { lbm_aa_odd_d2q9<<<dim3(10, 700), 128>>>(populations, 1200, 700, 1.7f); });
  const double* doubles = on_device<double>(4 * M, [](uint32_t i) { return double(fraction(i)) * 2 - 1; });
  double* od = zeros<double>(4 * M);
  run("cahn_hilliard_step", [&] { cahn_hilliard_step<<<dim3(64, 64), dim3(TILE, TILE)>>>(doubles, od, 1024, 1e-3, 0.5, 1.0); });
  run("dendrite_kobayashi", [&] { dendrite_kobayashi<<<dim3(50, 150), dim3(16, 4)>>>(f, f + M, o, o + M, 800, 600, 0.03f, 1e-4f); });
  run("elastic_velocities", [&] { elastic_velocities<<<dim3(6, 24, 8), dim3(32, 8)>>>(o, o + 4 * M, o + 8 * M, f, f + M, f + 2 * M, f + 3 * M, f + 4 * M, f + 5 * M, f + 6 * M, 180, 180, 30, 0.01f); });
  run("zebra_lines", [&] { zebra_lines<<<(126 * 60 + 63) / 64, 64>>>(od, doubles, od + 2 * M, 254, 128, 60, 1.0, 3.0, 0); });
  std::vector<float> derivative(16);
  for (int i = 0; i < 16; ++i) derivative[i] = fraction(uint32_t(i)) * 2 - 1;
  CHECK(cudaMemcpyToSymbol(c_derivative, derivative.data(), 64));
  const float4* metric = on_device<float4>(30001, [](uint32_t i) { return make_float4(1 + fraction(i), 1, 1 - fraction(i), 0.5f); });
  run("dg_volume_p3", [&] { dg_volume_p3<<<(30001 + 3) / 4, dim3(64, 4)>>>(f, metric, o, 30001); });
  const Conserved* cells = on_device<Conserved>(100000, [](uint32_t i) { return Conserved{1.0 + fraction(i), fraction(i + 1) - 0.5, fraction(i + 2) - 0.5, 3.0 + fraction(i + 3)}; });
  const int2* edges = on_device<int2>(150000, [](uint32_t i) { const int a = int(uint64_t(i) * 2 / 3); return make_int2(a, int((a + 1 + hashed(i) % 300) % 100000)); });
  const double2* normals = on_device<double2>(150000, [](uint32_t i) { return make_double2(fraction(i) - 0.5, fraction(i + 1) - 0.6); });
  run("roe_edge_flux", [&] { roe_edge_flux<<<(150000 + 127) / 128, 128>>>(cells, edges, normals, (Conserved*)od, 150000); });
  std::vector<float> binomial(1024, 0.f);
  for (int a = 0; a < 32; ++a)
    for (int b = 0; b <= a; ++b) binomial[a * 32 + b] = b == 0 || b == a ? 1.f : binomial[(a - 1) * 32 + b - 1] + binomial[(a - 1) * 32 + b];
  CHECK(cudaMemcpyToSymbol(c_binomial, binomial.data(), 4096));
  std::vector<float2> centres(4096);
  std::vector<int> interaction_start(1, 0), interaction;
  for (int b = 0; b < 4096; ++b) {
    centres[b] = make_float2(float(b % 64), float(b / 64));
    for (int k = 0; k < 27; ++k) {
      const int x = b % 64 + (k % 6) - 3, y = b / 64 + k / 6 - 2;
      if (x < 0 || y < 0 || x > 63 || y > 63 || (std::abs(x - b % 64) < 2 && std::abs(y - b / 64) < 2)) continue;
      interaction.push_back(y * 64 + x);
    }
    // Two boxes share a warp: lists of the same length.
    while (interaction.size() % 16) interaction.push_back((b + 2000) % 4096);
    interaction_start.push_back(int(interaction.size()));
    if (b % 2 && interaction_start[b + 1] - interaction_start[b] != interaction_start[b] - interaction_start[b - 1]) {
      while (interaction_start[b + 1] - interaction_start[b] < interaction_start[b] - interaction_start[b - 1]) interaction.push_back((b + 2001) % 4096), ++interaction_start[b + 1];
      while (interaction_start[b + 1] - interaction_start[b] > interaction_start[b] - interaction_start[b - 1]) interaction.pop_back(), --interaction_start[b + 1];
    }
  }
  const float2* centres_d = on_device(centres);
  const int *is_d = on_device(interaction_start), *il_d = on_device(interaction);
  run("multipole_to_local", [&] { multipole_to_local<<<4096 / 8, dim3(16, 8)>>>((const float2*)f, centres_d, is_d, il_d, (float2*)o, 4096); });
  run("vortex_velocities", [&] { vortex_velocities<<<20480 / 256, 128, 128 * 32>>>((const float4*)f, (const float4*)f + M, (float4*)o, 20480, 0.01f); });
  const float3* nodes = on_device<float3>(50000, [](uint32_t i) { return make_float3(float(i % 40), float(i / 40 % 40), float(i / 1600)); });
  const float3* moved = on_device<float3>(50000, [](uint32_t i) { return make_float3(fraction(i) * 0.1f, fraction(i + 1) * 0.1f, fraction(i + 2) * 0.1f); });
  std::vector<int> bonds(40000 * 128);
  for (int i = 0; i < 40000; ++i)
    for (int k = 0; k < 128; ++k) {
      const int j = i + (k % 5 - 2) + (k / 5 % 5 - 2) * 40 + (k / 25 - 2) * 1600;
      bonds[i * 128 + k] = k < 125 && j >= 0 && j < 40000 && j != i ? j : -1;
    }
  const int* bonds_d = on_device(bonds);
  uint32_t* broken = zeros<uint32_t>(40000 * 4);
  run("peridynamic_bonds", [&] { peridynamic_bonds<<<40000 / 8, 256>>>(nodes, moved, bonds_d, broken, (float3*)o, o + M, 40000, 128, 10.f, 0.05f); });
  const Point* points = on_device<Point>(60000, [](uint32_t i) {
    Point p;
    p.x = make_float3(1.f + fraction(i / 8 * 3) * 28 + fraction(i), 1.f + fraction(i / 8 * 3 + 1) * 28 + fraction(i + 1), 1.f + fraction(i / 8 * 3 + 2) * 28 + fraction(i + 2));
    p.v = make_float3(fraction(i + 3), fraction(i + 4), 0.f);
    for (int k = 0; k < 9; ++k) p.c[k] = fraction(i * 9 + k) - 0.5f;
    p.volume = 0.9f + 0.2f * fraction(i), p.mass = 1.f;
    return p;
  });
  run("material_points_to_grid", [&] { material_points_to_grid<<<(60000 + 127) / 128, 128>>>(points, (float4*)o, 60000, 34, 1.f, 0.001f, 100.f); });
  const double3* integration = on_device<double3>(20000, [](uint32_t i) { return make_double3(fraction(i) * 12, fraction(i + 1) * 12, fraction(i + 2) * 12); });
  const Nucleus* nuclei = on_device<Nucleus>(24, [](uint32_t i) { return Nucleus{fraction(i * 3) * 12, fraction(i * 3 + 1) * 12, fraction(i * 3 + 2) * 12, 1}; });
  const int* owners = on_device<int>(20000, [](uint32_t i) { return int(i / 834); });
  run("becke_weights", [&] { becke_weights<<<(20000 + 127) / 128, 128>>>(integration, owners, nuclei, od, 20000, 24); });
  const double* densities = on_device<double>(600000, [](uint32_t i) { return i / 512 % 5 == 0 ? 0.0 : double(fraction(i)) * 3; });
  run("local_density_xc", [&] { local_density_xc<<<264, 256>>>(densities, od, od + M, 600000); });
  const int* heights = on_device<int>(1024 * 1024, [](uint32_t i) { return int(hashed(i) % 6); });
  int* next_heights = on_device<int>(1024 * 1024, [](uint32_t i) { return int(hashed(i) % 6); });
  int* flag = zeros<int>(1);
  run("sandpile_topple", [&] { sandpile_topple<<<dim3(32, 128), dim3(32, 8)>>>(heights, next_heights, 1024, flag); });
  signed char* roads = on_device<signed char>(400 * 3000, [](uint32_t i) { return (signed char)(hashed(i) % 4 ? -1 : int(hashed(i + 1) % 5)); });
  run("traffic_rings", [&] { traffic_rings<<<400, 256, 6000>>>(roads, 3000, 20, 5, 0.2f, 7u); });
  const unsigned long long* gas = on_device<unsigned long long>(6 * 32 * 2048, [](uint32_t i) { return (unsigned long long)hashed(i) << 32 & (unsigned long long)hashed(i + 7) << 32 | (hashed(i + 1) & hashed(i + 2)); });
  unsigned long long* gas_out = zeros<unsigned long long>(6 * 32 * 2048);
  run("lattice_gas_bits", [&] { lattice_gas_bits<<<dim3(1, 256), dim3(32, 8)>>>(gas, gas_out, 32, 2048, 0x9e3779b97f4a7c15ull); });
  const float* speeds = on_device<float>(768 * 768, [](uint32_t i) { return 0.5f + fraction(i / 3); });
  const float* arrival = on_device<float>(768 * 768, [](uint32_t i) { return hashed(i) % 60 == 0 ? 0.f : 1e9f; });
  run("eikonal_tiles", [&] { eikonal_tiles<<<dim3(48, 48), dim3(16, 16)>>>(speeds, arrival, o, 768, 40); });
  return 0;
}
