// Physics and chemistry mini-apps: lattices, particles, grids, finite elements, sparse matrices, quantum gates, transport,
// stiff reactions, columns of air and water.
#include <cmath>

#include "cases.h"

// ---- grids ----

// Lattice Boltzmann, two dimensions and nine directions: pull, relax, bounce back at walls
__constant__ int lat_x[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, lat_y[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1}, lat_opp[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
__constant__ float lat_w[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

__global__ void d2q9_pull_bgk(const float* __restrict__ fin, float* __restrict__ fout, const unsigned char* __restrict__ solid, int nx, int ny, float omega) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= nx) return;
  const int plane = nx * ny, here = y * nx + x;
  if (solid[here]) {
    for (int q = 0; q < 9; ++q) fout[q * plane + here] = fin[lat_opp[q] * plane + here];
    return;
  }
  float f[9], rho = 0.f, ux = 0.f, uy = 0.f;
#pragma unroll
  for (int q = 0; q < 9; ++q) {
    const int xs = (x - lat_x[q] + nx) % nx, ys = (y - lat_y[q] + ny) % ny;
    f[q] = fin[q * plane + ys * nx + xs];
    rho += f[q];
    ux += lat_x[q] * f[q];
    uy += lat_y[q] * f[q];
  }
  ux /= rho, uy /= rho;
  const float usq = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int q = 0; q < 9; ++q) {
    const float cu = 3.f * (lat_x[q] * ux + lat_y[q] * uy);
    const float feq = lat_w[q] * rho * (1.f + cu + 0.5f * cu * cu - usq);
    fout[q * plane + here] = f[q] + omega * (feq - f[q]);
  }
}

// Acoustic wave, eighth order: tiles of a plane in shared memory, columns of z in registers
#define RAD 4
__constant__ float fd_weight[RAD + 1] = {-2.8472222f, 1.6f, -0.2f, 0.025396825f, -0.0017857143f};

__global__ void acoustic_march_z(const float* __restrict__ u, const float* __restrict__ prev, const float* __restrict__ vel2, float* __restrict__ next, int nx, int ny, int planes) {
  __shared__ float tile[8 + 2 * RAD][32 + 2 * RAD];
  const int sx = nx + 2 * RAD, stride = sx * (ny + 2 * RAD);
  const int tx = threadIdx.x, ty = threadIdx.y;
  int at = (blockIdx.z * planes + RAD) * stride + (blockIdx.y * 8 + ty + RAD) * sx + blockIdx.x * 32 + tx + RAD;
  float behind[RAD], ahead[RAD], mid = u[at];
#pragma unroll
  for (int r = 0; r < RAD; ++r) {
    behind[r] = u[at - (r + 1) * stride];
    ahead[r] = u[at + (r + 1) * stride];
  }
  for (int z = 0; z < planes; ++z) {
    __syncthreads();
    tile[ty + RAD][tx + RAD] = mid;
    if (tx < RAD) {
      tile[ty + RAD][tx] = u[at - RAD];
      tile[ty + RAD][tx + 32 + RAD] = u[at + 32];
    }
    if (ty < RAD) {
      tile[ty][tx + RAD] = u[at - RAD * sx];
      tile[ty + 8 + RAD][tx + RAD] = u[at + 8 * sx];
    }
    __syncthreads();
    float lap = 3.f * fd_weight[0] * mid;
#pragma unroll
    for (int r = 1; r <= RAD; ++r)
      lap += fd_weight[r] * (tile[ty + RAD][tx + RAD - r] + tile[ty + RAD][tx + RAD + r] + tile[ty + RAD - r][tx + RAD] + tile[ty + RAD + r][tx + RAD] + behind[r - 1] + ahead[r - 1]);
    next[at] = 2.f * mid - prev[at] + vel2[at] * lap;
    if (z + 1 == planes) break;
    at += stride;
#pragma unroll
    for (int r = RAD - 1; r > 0; --r) behind[r] = behind[r - 1];
    behind[0] = mid, mid = ahead[0];
#pragma unroll
    for (int r = 0; r < RAD - 1; ++r) ahead[r] = ahead[r + 1];
    ahead[RAD - 1] = u[at + RAD * stride];
  }
}

// Maxwell: the electric field in a box of many materials
struct Medium {
  float keep, drive;
};
__constant__ Medium media[8] = {{1.f, .5f}, {.99f, .45f}, {.97f, .4f}, {.95f, .33f}, {.9f, .3f}, {.8f, .2f}, {.5f, .1f}, {0.f, 0.f}};

__global__ void yee_electric(float* ex, float* ey, float* ez, const float* __restrict__ hx, const float* __restrict__ hy, const float* __restrict__ hz, const uint8_t* __restrict__ id, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
  if (i < 1 || j < 1 || k < 1 || i >= n || j >= n) return;
  const int at = (k * n + j) * n + i;
  const Medium m = media[id[at]];
  const float a = hx[at], b = hy[at], c = hz[at];
  ex[at] = m.keep * ex[at] + m.drive * ((c - hz[at - n]) - (b - hy[at - n * n]));
  ey[at] = m.keep * ey[at] + m.drive * ((a - hx[at - n * n]) - (c - hz[at - 1]));
  ez[at] = m.keep * ez[at] + m.drive * ((b - hy[at - 1]) - (a - hx[at - n]));
}

// Compressible flow in two dimensions, Rusanov fluxes, an array of structures of doubles
struct Conserved {
  double rho, mx, my, e;
};
__device__ inline double gas_pressure(const Conserved& q) { return 0.4 * (q.e - 0.5 * (q.mx * q.mx + q.my * q.my) / q.rho); }
template <int DIR>
__device__ Conserved rusanov_flux(const Conserved& l, const Conserved& r) {
  const double pl = gas_pressure(l), pr = gas_pressure(r);
  const double ul = (DIR ? l.my : l.mx) / l.rho, ur = (DIR ? r.my : r.mx) / r.rho;
  const double s = fmax(fabs(ul) + sqrt(1.4 * pl / l.rho), fabs(ur) + sqrt(1.4 * pr / r.rho));
  Conserved f;
  f.rho = 0.5 * (l.rho * ul + r.rho * ur - s * (r.rho - l.rho));
  f.mx = 0.5 * (l.mx * ul + r.mx * ur + (DIR ? 0.0 : pl + pr) - s * (r.mx - l.mx));
  f.my = 0.5 * (l.my * ul + r.my * ur + (DIR ? pl + pr : 0.0) - s * (r.my - l.my));
  f.e = 0.5 * ((l.e + pl) * ul + (r.e + pr) * ur - s * (r.e - l.e));
  return f;
}
__global__ void euler2d_rusanov(const Conserved* __restrict__ q, Conserved* __restrict__ out, int nx, int ny, double lambda) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const Conserved c = q[y * nx + x];
  const Conserved w = rusanov_flux<0>(q[y * nx + max(x - 1, 0)], c), e = rusanov_flux<0>(c, q[y * nx + min(x + 1, nx - 1)]);
  const Conserved s = rusanov_flux<1>(q[max(y - 1, 0) * nx + x], c), n = rusanov_flux<1>(c, q[min(y + 1, ny - 1) * nx + x]);
  Conserved r;
  r.rho = c.rho - lambda * (e.rho - w.rho + n.rho - s.rho);
  r.mx = c.mx - lambda * (e.mx - w.mx + n.mx - s.mx);
  r.my = c.my - lambda * (e.my - w.my + n.my - s.my);
  r.e = c.e - lambda * (e.e - w.e + n.e - s.e);
  out[y * nx + x] = r;
}

// Multigrid: full weighting of 27 fine points
__global__ void mg_full_weighting(const double* fine, double* coarse, int nf, int nc) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= nc * nc * nc) return;
  const int i = t % nc, j = t / nc % nc, k = t / (nc * nc);
  if (i == 0 || j == 0 || k == 0 || i == nc - 1 || j == nc - 1 || k == nc - 1) {
    coarse[t] = 0.0;
    return;
  }
  double s = 0.0;
  for (int dz = -1; dz <= 1; dz++)
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        const double w = 1.0 / (8 << (abs(dx) + abs(dy) + abs(dz)));
        s += w * fine[((2 * k + dz) * nf + 2 * j + dy) * nf + 2 * i + dx];
      }
  coarse[t] = s;
}

// One colour of successive overrelaxation with varying coefficients
__global__ void sor_colour_sweep(float* u, const float* __restrict__ f, const float* __restrict__ k, int n, int colour, float w) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + ((y + colour) & 1);
  if (x >= n - 1 || y >= n - 1) return;
  const int p = y * n + x;
  const float kc = k[p], e = 0.5f * (kc + k[p + 1]), l = 0.5f * (kc + k[p - 1]), t = 0.5f * (kc + k[p + n]), b = 0.5f * (kc + k[p - n]);
  const float gs = (e * u[p + 1] + l * u[p - 1] + t * u[p + n] + b * u[p - n] - f[p]) / (e + l + t + b);
  u[p] += w * (gs - u[p]);
}

// ---- particles ----

// Lennard-Jones and a shifted Coulomb term over a list of neighbours, stored one neighbour of all atoms after the other
__constant__ float2 lj_pairs[4] = {{1.0f, 1.0f}, {0.8f, 0.95f}, {0.8f, 0.95f}, {0.5f, 0.9f}};

__global__ void md_lj_coulomb(const float4* __restrict__ atoms, const int* __restrict__ neighbours, const int* __restrict__ count, float4* force, int n, float box, float cutsq) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 a = atoms[i];
  const int ti = a.w > 0.f;
  float fx = 0.f, fy = 0.f, fz = 0.f, pe = 0.f;
  for (int k = 0, m = count[i]; k < m; ++k) {
    const float4 b = __ldg(&atoms[neighbours[k * n + i]]);
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    dx -= box * rintf(dx / box);
    dy -= box * rintf(dy / box);
    dz -= box * rintf(dz / box);
    const float r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < cutsq) {
      const float2 p = lj_pairs[ti * 2 + (b.w > 0.f)];
      const float inv2 = 1.f / r2, s2 = p.y * p.y * inv2, s6 = s2 * s2 * s2, qq = a.w * b.w * sqrtf(inv2);
      const float scale = (24.f * p.x * s6 * (2.f * s6 - 1.f) + qq) * inv2;
      fx += dx * scale, fy += dy * scale, fz += dz * scale;
      pe += 4.f * p.x * s6 * (s6 - 1.f) + qq;
    }
  }
  force[i] = make_float4(fx, fy, fz, 0.5f * pe);
}

// Ewald sum: the structure factor of each wave vector, a block each
__global__ void ewald_structure_factor(const float4* __restrict__ atoms, const int3* waves, float2* S, float2* energy, int n, float invbox) {
  __shared__ float re[8], im[8];
  const int3 k = waves[blockIdx.x];
  float c = 0.f, s = 0.f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const float4 a = atoms[i];
    float sn, cs;
    sincospif(2.f * invbox * (k.x * a.x + k.y * a.y + k.z * a.z), &sn, &cs);
    c += a.w * cs;
    s += a.w * sn;
  }
  for (int d = 16; d; d >>= 1) {
    c += __shfl_down_sync(0xffffffff, c, d);
    s += __shfl_down_sync(0xffffffff, s, d);
  }
  if ((threadIdx.x & 31) == 0) re[threadIdx.x >> 5] = c, im[threadIdx.x >> 5] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    c = s = 0.f;
    for (int w = 0; w < blockDim.x / 32; ++w) c += re[w], s += im[w];
    const float kk = float(k.x * k.x + k.y * k.y + k.z * k.z) * invbox * invbox;
    S[blockIdx.x] = make_float2(c, s);
    energy[blockIdx.x].x = kk > 0.f ? expf(-kk * 2.f) / kk * (c * c + s * s) : 0.f;
  }
}

// Particle in cell: field to particle, push, charge back to the grid
struct Charge {
  float x, y, vx, vy;
};
__device__ float wrapped(float v, float n) { return v - n * floorf(v / n); }
__global__ void pic_push_deposit(const Charge* in, Charge* out, const float2* __restrict__ field, float* rho, int count, int nx, int ny, float dt) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    Charge p = in[i];
    int ix = min(int(p.x), nx - 1), iy = min(int(p.y), ny - 1), jx = (ix + 1) % nx, jy = (iy + 1) % ny;
    float fx = p.x - ix, fy = p.y - iy;
    const float2 a = field[iy * nx + ix], b = field[iy * nx + jx], c = field[jy * nx + ix], d = field[jy * nx + jx];
    p.vx += dt * ((1 - fy) * ((1 - fx) * a.x + fx * b.x) + fy * ((1 - fx) * c.x + fx * d.x));
    p.vy += dt * ((1 - fy) * ((1 - fx) * a.y + fx * b.y) + fy * ((1 - fx) * c.y + fx * d.y));
    p.x = wrapped(p.x + dt * p.vx, float(nx));
    p.y = wrapped(p.y + dt * p.vy, float(ny));
    out[i] = p;
    ix = min(int(p.x), nx - 1), iy = min(int(p.y), ny - 1), jx = (ix + 1) % nx, jy = (iy + 1) % ny;
    fx = p.x - ix, fy = p.y - iy;
    atomicAdd(&rho[iy * nx + ix], (1 - fx) * (1 - fy));
    atomicAdd(&rho[iy * nx + jx], fx * (1 - fy));
    atomicAdd(&rho[jy * nx + ix], (1 - fx) * fy);
    atomicAdd(&rho[jy * nx + jx], fx * fy);
  }
}

// Smoothed particles: density and pressure from the 27 cells around
__global__ void sph_density_cells(const float4* __restrict__ pos, const int* __restrict__ cell_start, float2* result, int n, int side, float h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 p = pos[i];
  const int cx = int(p.x), cy = int(p.y), cz = int(p.z);
  const float h2 = h * h, poly6 = 315.f / (64.f * 3.14159265f * h2 * h2 * h2 * h2 * h);
  float density = 0.f;
  for (int z = max(cz - 1, 0); z <= min(cz + 1, side - 1); ++z)
    for (int y = max(cy - 1, 0); y <= min(cy + 1, side - 1); ++y)
      for (int x = max(cx - 1, 0); x <= min(cx + 1, side - 1); ++x) {
        const int c = (z * side + y) * side + x;
        for (int j = cell_start[c]; j < cell_start[c + 1]; ++j) {
          const float4 o = pos[j];
          const float d2 = (p.x - o.x) * (p.x - o.x) + (p.y - o.y) * (p.y - o.y) + (p.z - o.z) * (p.z - o.z);
          if (d2 < h2) {
            const float w = h2 - d2;
            density += o.w * w * w * w;
          }
        }
      }
  density *= poly6;
  const float ratio = density / 4.f;
  result[i] = make_float2(density, 1000.f * (powf(ratio, 7.f) - 1.f));
}

// Barnes-Hut: the walk of an octree with a stack of each thread's own
struct TreeCell {
  float4 centre;  // and the mass
  float size;
  int child;  // the first of eight, or -1
};
__global__ void octree_gravity(const TreeCell* __restrict__ tree, const float4* bodies, float4* acc, int n, float theta2) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 b = bodies[i];
  float ax = 0.f, ay = 0.f, az = 0.f;
  int stack[48], top = 0, visits = 0;
  stack[top++] = 0;
  while (top > 0) {
    const TreeCell c = tree[stack[--top]];
    if (c.centre.w == 0.f) continue;
    const float dx = c.centre.x - b.x, dy = c.centre.y - b.y, dz = c.centre.z - b.z, r2 = dx * dx + dy * dy + dz * dz + 1e-4f;
    ++visits;
    if (c.child < 0 || c.size * c.size < theta2 * r2) {
      const float inv = rsqrtf(r2), s = c.centre.w * inv * inv * inv;
      ax += dx * s, ay += dy * s, az += dz * s;
    } else
      for (int k = 7; k >= 0; --k) stack[top++] = c.child + k;
  }
  acc[i] = make_float4(ax, ay, az, float(visits));
}

// Hermite integrator: accelerations and their rates in double precision
struct Star {
  double x, y, z, vx, vy, vz, m;
};
__global__ void hermite_star_forces(const Star* stars, double3* acc, double3* jerk, int n, double eps2) {
  __shared__ Star tile[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  const Star me = stars[min(i, n - 1)];
  double3 a = make_double3(0, 0, 0), j = a;
  for (int base = 0; base < n; base += 64) {
    if (base + threadIdx.x < n) tile[threadIdx.x] = stars[base + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < min(64, n - base); ++k) {
      const Star& o = tile[k];
      const double dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z, ux = o.vx - me.vx, uy = o.vy - me.vy, uz = o.vz - me.vz;
      const double r2 = dx * dx + dy * dy + dz * dz + eps2, inv = rsqrt(r2), inv2 = inv * inv;
      const double m3 = o.m * inv * inv2, rv = -3.0 * (dx * ux + dy * uy + dz * uz) * inv2;
      a.x += m3 * dx, a.y += m3 * dy, a.z += m3 * dz;
      j.x += m3 * (ux + rv * dx), j.y += m3 * (uy + rv * dy), j.z += m3 * (uz + rv * dz);
    }
    __syncthreads();
  }
  if (i < n) acc[i] = a, jerk[i] = j;
}

// ---- elements and sparse matrices ----

// Element by element product for hexahedra of eight nodes
__constant__ double hex_stiffness[64];

__global__ void __launch_bounds__(128) hex8_element_apply(const int4* __restrict__ nodes, const double* __restrict__ kappa, const double* __restrict__ u, double* y, int elements) {
  const int e = blockIdx.x * 128 + threadIdx.x;
  if (e >= elements) return;
  const int4 lo = nodes[2 * e], hi = nodes[2 * e + 1];
  const int id[8] = {lo.x, lo.y, lo.z, lo.w, hi.x, hi.y, hi.z, hi.w};
  double v[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) v[k] = u[id[k]];
  const double scale = kappa[e];
#pragma unroll
  for (int r = 0; r < 8; ++r) {
    double s = 0.0;
#pragma unroll
    for (int k = 0; k < 8; ++k) s += hex_stiffness[r * 8 + k] * v[k];
    atomicAdd(&y[id[r]], scale * s);
  }
}

// Spectral elements of order seven: the stiffness by sums along lines, an element a block
__global__ void sem_stiffness_p7(const double* __restrict__ u, const double* __restrict__ geo, const double* __restrict__ deriv, double* w) {
  __shared__ double D[8][8], plane[8][8], pr[8][8], ps[8][8];
  const int i = threadIdx.x, j = threadIdx.y, e = blockIdx.x, ij = j * 8 + i;
  D[j][i] = deriv[ij];
  double col[8], acc[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) col[k] = u[e * 512 + k * 64 + ij], acc[k] = 0.0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    plane[j][i] = col[k];
    __syncthreads();
    double ur = 0, us = 0, ut = 0;
#pragma unroll
    for (int m = 0; m < 8; ++m) {
      ur += D[i][m] * plane[j][m];
      us += D[j][m] * plane[m][i];
      ut += D[k][m] * col[m];
    }
    const double* g = geo + e * 6 * 512 + k * 64 + ij;
    const double g0 = g[0], g1 = g[512], g2 = g[1024], g3 = g[1536], g4 = g[2048], g5 = g[2560];
    pr[j][i] = g0 * ur + g1 * us + g2 * ut;
    ps[j][i] = g1 * ur + g3 * us + g4 * ut;
    const double gt = g2 * ur + g4 * us + g5 * ut;
    __syncthreads();
#pragma unroll
    for (int m = 0; m < 8; ++m) {
      acc[k] += D[m][i] * pr[j][m] + D[m][j] * ps[m][i];
      acc[m] += D[k][m] * gt;
    }
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) w[e * 512 + k * 64 + ij] = acc[k];
}

// Sparse product, sliced ELLPACK with permuted rows
__global__ void spmv_sliced_ell(const int* __restrict__ slice, const int* __restrict__ cols, const double* __restrict__ vals, const int* __restrict__ perm, const double* __restrict__ x, double* y, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const int s = r >> 5, lane = r & 31, begin = slice[s], width = (slice[s + 1] - begin) >> 5;
  double sum = 0.0;
  for (int k = 0; k < width; ++k) {
    const int at = begin + k * 32 + lane, c = cols[at];
    if (c >= 0) sum += vals[at] * __ldg(&x[c]);
  }
  y[perm[r]] = sum;
}

// Sparse product with blocks of 4 x 4, a warp for each row of blocks
__global__ void bsr4_warp_product(const int* __restrict__ ptr, const int* __restrict__ col, const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y, int block_rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= block_rows) return;
  float sum = 0.f;
  for (int b = ptr[row] + lane / 16; b < ptr[row + 1]; b += 2) sum += val[b * 16 + lane % 16] * x[col[b] * 4 + lane % 4];
  sum += __shfl_xor_sync(0xffffffffu, sum, 16);
  sum += __shfl_xor_sync(0xffffffffu, sum, 2);
  sum += __shfl_xor_sync(0xffffffffu, sum, 1);
  if (lane < 16 && lane % 4 == 0) y[row * 4 + lane / 4] = sum;
}

// Sparse product from coordinates: sums by segments in the warp, then atomics
__global__ void spmv_coo_segments(const int* __restrict__ rows, const int* __restrict__ cols, const float* __restrict__ vals, const float* __restrict__ x, float* y, int nnz) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  int row = -1;
  float v = 0.f;
  if (i < nnz) row = rows[i], v = vals[i] * x[cols[i]];
  for (int d = 1; d < 32; d <<= 1) {
    const float left = __shfl_up_sync(0xffffffff, v, d);
    const int owner = __shfl_up_sync(0xffffffff, row, d);
    if (lane >= d && owner == row) v += left;
  }
  const int after = __shfl_down_sync(0xffffffff, row, 1);
  if (row >= 0 && (lane == 31 || after != row)) atomicAdd(y + row, v);
}

// ---- other sciences ----

// Quantum circuit: a controlled rotation on the amplitudes
__global__ void statevec_controlled_u(double2* amp, int target, int control, double2 u00, double2 u01, double2 u10, double2 u11, long long half) {
  const long long t = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (t >= half) return;
  const long long low = ((t >> target) << (target + 1)) | (t & ((1LL << target) - 1)), high = low | (1LL << target);
  if (((low >> control) & 1) == 0) return;
  const double2 a = amp[low], b = amp[high];
  amp[low] = make_double2(u00.x * a.x - u00.y * a.y + u01.x * b.x - u01.y * b.y, u00.x * a.y + u00.y * a.x + u01.x * b.y + u01.y * b.x);
  amp[high] = make_double2(u10.x * a.x - u10.y * a.y + u11.x * b.x - u11.y * b.y, u10.x * a.y + u10.y * a.x + u11.x * b.y + u11.y * b.x);
}

// Photons in a block of voxels by Woodcock tracking
__device__ __forceinline__ unsigned mix_bits(unsigned a) {
  a = (a ^ 61u) ^ (a >> 16);
  a *= 9u;
  a ^= a >> 4;
  a *= 0x27d4eb2du;
  return a ^ (a >> 15);
}
__device__ float next_uniform(unsigned& s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return (s >> 8) * 5.9604645e-8f;
}
__global__ void woodcock_photons(const float* __restrict__ sigma, float* dose, int side, int photons, float sigma_max, float albedo) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= photons) return;
  unsigned s = mix_bits(id + 1u) | 1u;
  float x = 0.5f * side, y = side * next_uniform(s), z = 0.01f, ux = 0.f, uy = 0.f, uz = 1.f, weight = 1.f;
  for (int event = 0; event < 500; ++event) {
    const float step = -__logf(next_uniform(s) + 1e-7f) / sigma_max;
    x += step * ux, y += step * uy, z += step * uz;
    if (x < 0.f || y < 0.f || z < 0.f || x >= side || y >= side || z >= side) break;
    const int v = (int(z) * side + int(y)) * side + int(x);
    if (next_uniform(s) * sigma_max > sigma[v]) continue;
    atomicAdd(&dose[v], weight * (1.f - albedo));
    weight *= albedo;
    if (weight < 0.05f) {
      if (next_uniform(s) > 0.2f) break;
      weight *= 5.f;
    }
    const float mu = 2.f * next_uniform(s) - 1.f, r = sqrtf(1.f - mu * mu);
    float sn, cs;
    __sincosf(6.2831853f * next_uniform(s), &sn, &cs);
    ux = r * cs, uy = r * sn, uz = mu;
  }
}

// Radiation in columns of air: two streams, layers added from the ground up
#define LAYERS 60
__global__ void two_stream_columns(const float* __restrict__ tau, const float* __restrict__ ssa, const float* __restrict__ mu0, float* up, float* down, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns || mu0[c] <= 0.05f) return;  // night
  float refl[LAYERS], trans[LAYERS], albedo[LAYERS + 1];
  for (int l = 0; l < LAYERS; ++l) {
    const float t = 0.3f * tau[l * columns + c], w = 0.99f * ssa[l * columns + c], g = 0.85f;
    const float g1 = 0.25f * (8.f - w * (5.f + 3.f * g)), g2 = 0.75f * w * (1.f - g), k = sqrtf(fmaxf(g1 * g1 - g2 * g2, 1e-6f));
    const float e = expf(-k * t), e2 = e * e, d = 1.f / (k * (1.f + e2) + g1 * (1.f - e2));
    refl[l] = g2 * (1.f - e2) * d;
    trans[l] = 2.f * k * e * d;
  }
  albedo[LAYERS] = 0.2f;
  for (int l = LAYERS - 1; l >= 0; --l) albedo[l] = refl[l] + trans[l] * trans[l] * albedo[l + 1] / (1.f - refl[l] * albedo[l + 1]);
  float flux = 1361.f * mu0[c];
  down[c] = flux;
  up[c] = flux * albedo[0];
  for (int l = 0; l < LAYERS; ++l) {
    flux *= trans[l] / (1.f - refl[l] * albedo[l + 1]);
    down[(l + 1) * columns + c] = flux;
    up[(l + 1) * columns + c] = flux * albedo[l + 1];
  }
}

// Ocean columns: implicit vertical mixing by the Thomas algorithm, factors in global scratch
__global__ void ocean_vertical_mixing(double* __restrict__ temp, const double* __restrict__ kv, const int* __restrict__ bottom, double* __restrict__ scratch, int columns, double dtz2) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  const int kb = bottom[c];
  if (kb < 2) return;  // land
  double above = 0.0, cp = 0.0, dp = 0.0;
  for (int k = 0; k < kb; ++k) {
    const int at = k * columns + c;
    const double below = k + 1 < kb ? dtz2 * kv[at] : 0.0;
    const double inv = 1.0 / (1.0 + above + below - above * cp);
    dp = (temp[at] + above * dp) * inv;
    cp = below * inv;
    scratch[at] = cp;
    temp[at] = dp;
    above = below;
  }
  double t = dp;
  for (int k = kb - 2; k >= 0; --k) {
    const int at = k * columns + c;
    t = temp[at] + scratch[at] * t;
    temp[at] = t;
  }
}

// Stiff kinetics (Robertson), one cell a thread: a Rosenbrock method with its own steps
__device__ void robertson(const double* y, const double* k, double* f) {
  const double a = k[0] * y[0], b = k[1] * y[1] * y[1], c = k[2] * y[1] * y[2];
  f[0] = -a + c, f[1] = a - c - b, f[2] = b;
}
__device__ void solve3(const double (*m)[3], const double* r, double* x) {
  const double l10 = m[1][0] / m[0][0], l20 = m[2][0] / m[0][0];
  const double u11 = m[1][1] - l10 * m[0][1], u12 = m[1][2] - l10 * m[0][2];
  const double l21 = (m[2][1] - l20 * m[0][1]) / u11, u22 = m[2][2] - l20 * m[0][2] - l21 * u12;
  const double y1 = r[1] - l10 * r[0], y2 = r[2] - l20 * r[0] - l21 * y1;
  x[2] = y2 / u22;
  x[1] = (y1 - u12 * x[2]) / u11;
  x[0] = (r[0] - m[0][1] * x[1] - m[0][2] * x[2]) / m[0][0];
}
__global__ void robertson_ensemble(const double* __restrict__ rates, double* __restrict__ state, int* steps, int cells, double tend, double tol) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cells) return;
  const double k[3] = {0.04 * rates[c], 3e7 * rates[cells + c], 1e4 * rates[2 * cells + c]}, gamma = 1.7071067811865475;
  double y[3] = {1.0, 0.0, 0.0}, t = 0.0, h = 1e-4;
  int taken = 0;
  while (t < tend && taken < 160) {
    h = fmin(h, tend - t);
    const double gh = gamma * h;
    const double m[3][3] = {{1.0 + gh * k[0], -gh * k[2] * y[2], -gh * k[2] * y[1]}, {-gh * k[0], 1.0 + gh * (k[2] * y[2] + 2 * k[1] * y[1]), gh * k[2] * y[1]}, {0.0, -2.0 * gh * k[1] * y[1], 1.0}};
    double f[3], k1[3], k2[3], z[3];
    robertson(y, k, f);
    solve3(m, f, k1);
    for (int i = 0; i < 3; ++i) z[i] = y[i] + h * k1[i];
    robertson(z, k, f);
    for (int i = 0; i < 3; ++i) f[i] -= 2.0 * k1[i];
    solve3(m, f, k2);
    double err = 1e-12;
    for (int i = 0; i < 3; ++i) err = fmax(err, fabs(0.5 * h * (k1[i] + k2[i])) / (1e-7 + tol * fabs(y[i])));
    if (err < 1.0) {
      for (int i = 0; i < 3; ++i) y[i] += h * (1.5 * k1[i] + 0.5 * k2[i]);
      t += h;
    }
    h *= fmin(4.0, fmax(0.2, 0.9 / sqrt(err)));
    ++taken;
  }
  for (int i = 0; i < 3; ++i) state[i * cells + c] = y[i];
  steps[c] = taken;
}

// Many tridiagonal systems by parallel cyclic reduction, a block each
template <typename T>
__global__ void pcr_tridiagonal(const T* a, const T* b, const T* c, const T* d, T* x, int n) {
  extern __shared__ double pcr_space[];
  T *sa = reinterpret_cast<T*>(pcr_space), *sb = sa + n, *sc = sb + n, *sd = sc + n;
  const int i = threadIdx.x, g = blockIdx.x * n + i;
  sa[i] = i ? a[g] : T(0);
  sb[i] = b[g];
  sc[i] = i + 1 < n ? c[g] : T(0);
  sd[i] = d[g];
  __syncthreads();
  for (int s = 1; s < n; s <<= 1) {
    const int lo = max(i - s, 0), hi = min(i + s, n - 1);
    const T p = i >= s ? sa[i] / sb[lo] : T(0), q = i + s < n ? sc[i] / sb[hi] : T(0);
    const T na = -sa[lo] * p, nb = sb[i] - sc[lo] * p - sa[hi] * q, nc = -sc[hi] * q, nd = sd[i] - sd[lo] * p - sd[hi] * q;
    __syncthreads();
    sa[i] = na, sb[i] = nb, sc[i] = nc, sd[i] = nd;
    __syncthreads();
  }
  x[g] = sd[i] / sb[i];
}

// Eigenvalues of small symmetric matrices by cyclic Jacobi rotations, one matrix a thread
__global__ void jacobi_eigen_5x5(const float* __restrict__ packed, float* __restrict__ values, int count) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= count) return;
  float a[5][5];
#pragma unroll
  for (int i = 0, at = 0; i < 5; ++i)
#pragma unroll
    for (int j = 0; j <= i; ++j, ++at) a[i][j] = a[j][i] = packed[at * count + t];
  for (int sweep = 0; sweep < 12; ++sweep) {
    float off = 0.f;
#pragma unroll
    for (int i = 1; i < 5; ++i)
#pragma unroll
      for (int j = 0; j < i; ++j) off += a[i][j] * a[i][j];
    if (off < 1e-9f) break;
#pragma unroll
    for (int p = 0; p < 4; ++p)
#pragma unroll
      for (int q = p + 1; q < 5; ++q) {
        const float apq = a[p][q];
        if (fabsf(apq) < 1e-12f) continue;
        const float tau = (a[q][q] - a[p][p]) / (2.f * apq), tn = copysignf(1.f, tau) / (fabsf(tau) + sqrtf(1.f + tau * tau));
        const float c = rsqrtf(1.f + tn * tn), s = tn * c;
#pragma unroll
        for (int k = 0; k < 5; ++k) {
          const float u = a[k][p], v = a[k][q];
          a[k][p] = c * u - s * v;
          a[k][q] = s * u + c * v;
        }
#pragma unroll
        for (int k = 0; k < 5; ++k) {
          const float u = a[p][k], v = a[q][k];
          a[p][k] = c * u - s * v;
          a[q][k] = s * u + c * v;
        }
      }
  }
#pragma unroll
  for (int i = 0; i < 5; ++i) values[t * 5 + i] = a[i][i];
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* f = on_device<float>(16 * M, [](uint32_t i) { return fraction(i); });
  const double* d = on_device<double>(10 * M, [](uint32_t i) { return 0.2 + 0.8 * fraction(i); });
  float* o = zeros<float>(16 * M);
  double* od = zeros<double>(4 * M);

  const unsigned char* solid = on_device<unsigned char>(M, [](uint32_t i) { return (unsigned char)(hashed(i / 8) % 40 == 0); });
  run("d2q9_pull_bgk", [&] { d2q9_pull_bgk<<<dim3(4, 1024), 256>>>(f, o, solid, 1024, 1024, 1.2f); });
  run("acoustic_march_z", [&] { acoustic_march_z<<<dim3(8, 32, 4), dim3(32, 8)>>>(f, f + 5 * M, f + 2 * M, o, 256, 256, 16); });
  const uint8_t* material = on_device<uint8_t>(160 * 160 * 160, [](uint32_t i) { return uint8_t(i / 160 / 160 < 60 ? hashed(i / 32) % 8 : 0); });
  constexpr int box = 160 * 160 * 160;
  run("yee_electric", [&] { yee_electric<<<dim3(5, 20, 160), dim3(32, 8)>>>(o, o + box, o + 2 * box, f, f + box, f + 2 * box, material, 160); });
  const Conserved* gas = on_device<Conserved>(600 * 400, [](uint32_t i) { return Conserved{1.0 + fraction(i), fraction(i + 1) - 0.5, fraction(i + 2) - 0.5, 2.0 + fraction(i + 3)}; });
  run("euler2d_rusanov", [&] { euler2d_rusanov<<<dim3(38, 25), dim3(16, 16)>>>(gas, (Conserved*)od, 600, 400, 0.1); });
  run("mg_full_weighting", [&] { mg_full_weighting<<<(65 * 65 * 65 + 255) / 256, 256>>>(d, od, 129, 65); });
  run("mg_full_weighting_33", [&] { mg_full_weighting<<<(33 * 33 * 33 + 255) / 256, 256>>>(d, od, 65, 33); });
  float* relaxed = zeros<float>(4 * M);
  run("sor_colour_sweep", [&] { sor_colour_sweep<<<dim3(16, 512), dim3(64, 4)>>>(relaxed, f, f + 4 * M, 2048, 1, 1.3f); });

  // atoms near the points of a cubic lattice, and their lists
  constexpr int side = 32, atoms = side * side * side, longest = 96;
  std::vector<float4> atom(atoms);
  for (int i = 0; i < atoms; ++i)
    atom[i] = make_float4(i % side + 0.4f * fraction(3 * i), i / side % side + 0.4f * fraction(3 * i + 1), i / side / side + 0.4f * fraction(3 * i + 2), hashed(i) & 1 ? 0.4f : -0.4f);
  std::vector<int> list(size_t(longest) * atoms, 0), counts(atoms, 0);
  for (int i = 0; i < atoms; ++i)
    for (int k = 0; k < 125; ++k) {
      const int dx = k % 5 - 2, dy = k / 5 % 5 - 2, dz = k / 25 - 2;
      const int x = i % side + dx, y = i / side % side + dy, z = i / side / side + dz, j = ((z + side) % side * side + (y + side) % side) * side + (x + side) % side;
      float rx = atom[i].x - atom[j].x, ry = atom[i].y - atom[j].y, rz = atom[i].z - atom[j].z;
      rx -= side * std::rint(rx / side), ry -= side * std::rint(ry / side), rz -= side * std::rint(rz / side);
      if (i != j && rx * rx + ry * ry + rz * rz < 6.5f && counts[i] < longest) list[size_t(counts[i]++) * atoms + i] = j;
    }
  const float4* atom_d = on_device(atom);
  const int *list_d = on_device(list), *counts_d = on_device(counts);
  run("md_lj_coulomb", [&] { md_lj_coulomb<<<atoms / 128, 128>>>(atom_d, list_d, counts_d, (float4*)o, atoms, float(side), 5.8f); });
  const int3* waves = on_device<int3>(400, [](uint32_t i) { return make_int3(int(i % 8), int(i / 8 % 8) - 3, int(i / 64) - 3); });
  run("ewald_structure_factor", [&] { ewald_structure_factor<<<400, 256>>>(atom_d, waves, (float2*)o, (float2*)o + 1024, 20000, 1.f / side); });
  const Charge* charges = on_device<Charge>(M, [](uint32_t i) { return Charge{511.f * fraction(i), float(i / 2048) + fraction(i + 7), fraction(i + 1) - 0.5f, fraction(i + 2) - 0.5f}; });
  run("pic_push_deposit", [&] { pic_push_deposit<<<1056, 256>>>(charges, (Charge*)o, (const float2*)f, o + 8 * M, M, 512, 512, 0.1f); });
  constexpr int cells = 28;
  std::vector<int> cell_start(cells * cells * cells + 1, 0);
  std::vector<float4> fluid;
  for (int c = 0; c < cells * cells * cells; ++c) {
    for (uint32_t k = 0; k < (c / cells / cells < 20 ? 2 + hashed(c) % 5 : hashed(c) % 2); ++k)
      fluid.push_back(make_float4(c % cells + fraction(c * 64 + k), c / cells % cells + fraction(c * 64 + k + 16), c / cells / cells + fraction(c * 64 + k + 32), 1.f));
    cell_start[c + 1] = int(fluid.size());
  }
  const float4* fluid_d = on_device(fluid);
  const int* cell_d = on_device(cell_start);
  run("sph_density_cells", [&] { sph_density_cells<<<int(fluid.size()) / 64 + 1, 64>>>(fluid_d, cell_d, (float2*)o, int(fluid.size()), cells, 1.f); });

  // bodies around the middle of a box and an octree of five levels under its root
  std::vector<float4> bodies(16384);
  std::vector<TreeCell> tree((8 * 8 * 8 * 8 * 8 * 8 - 1) / 7, TreeCell{make_float4(0, 0, 0, 0), 0.f, -1});
  for (int i = 0; i < 16384; ++i) {
    float p[3];
    for (int k = 0; k < 3; ++k) {
      const float r = 2.f * fraction(i * 3 + k) - 1.f;
      p[k] = std::min(0.5f + 0.5f * r * std::fabs(r), 0.9999f);
    }
    bodies[i] = make_float4(p[0], p[1], p[2], 1.f / 16384);
    for (int level = 0, first = 0, index = 0; level <= 5; ++level) {
      TreeCell& c = tree[first + index];
      const float m = bodies[i].w, total = c.centre.w + m;
      c.centre = make_float4((c.centre.x * c.centre.w + p[0] * m) / total, (c.centre.y * c.centre.w + p[1] * m) / total, (c.centre.z * c.centre.w + p[2] * m) / total, total);
      c.size = 1.f / float(1 << level);
      const int scale = 2 << level, octant = (int(p[0] * scale) & 1) | (int(p[1] * scale) & 1) << 1 | (int(p[2] * scale) & 1) << 2;
      const int width = 1 << 3 * level;
      if (level < 5) c.child = first + width + index * 8;
      first += width, index = index * 8 + octant;
    }
  }
  const float4* bodies_d = on_device(bodies);
  const TreeCell* tree_d = on_device(tree);
  run("octree_gravity", [&] { octree_gravity<<<64, 256>>>(tree_d, bodies_d, (float4*)o, 16384, 0.49f); });
  const Star* stars = on_device<Star>(4096, [](uint32_t i) { return Star{fraction(i), fraction(i + 1), fraction(i + 2), fraction(i + 3), fraction(i + 4), fraction(i + 5), 1e-3}; });
  for (int n : {1000, 4096}) run(sized("hermite_star_forces", n), [&] { hermite_star_forces<<<(n + 63) / 64, 64>>>(stars, (double3*)od, (double3*)od + 4096, n, 1e-4); });

  std::vector<int4> hexes;
  for (int z = 0; z < 44; ++z)
    for (int y = 0; y < 44; ++y)
      for (int x = 0; x < 44; ++x) {
        const int a = (z * 45 + y) * 45 + x, b = a + 45 * 45;
        hexes.push_back(make_int4(a, a + 1, a + 46, a + 45)), hexes.push_back(make_int4(b, b + 1, b + 46, b + 45));
      }
  std::vector<double> stiffness(64);
  for (int i = 0; i < 64; ++i) stiffness[i] = i / 8 == i % 8 ? 1.0 : -1.0 / 7;
  CHECK(cudaMemcpyToSymbol(hex_stiffness, stiffness.data(), 64 * sizeof(double)));
  const int4* hexes_d = on_device(hexes);
  run("hex8_element_apply", [&] { hex8_element_apply<<<(44 * 44 * 44 + 127) / 128, 128>>>(hexes_d, d, d + M, od, 44 * 44 * 44); });
  run("sem_stiffness_p7", [&] { sem_stiffness_p7<<<2400, dim3(8, 8)>>>(d, d + 2 * M, d, od); });

  constexpr int rows = 100000;
  std::vector<int> coo_row, coo_col, slices(1, 0), ell_col, perm(rows);
  std::vector<std::vector<int>> pattern(rows);
  for (int r = 0; r < rows; ++r) {
    for (uint32_t k = 0; k < 3 + hashed(r) % 18 + (hashed(r) % 97 == 0 ? 60 : 0); ++k) pattern[r].push_back(k % 4 ? int((r + hashed(r * 91 + k) % 300) % rows) : int(hashed(r * 91 + k) % rows));
    perm[r] = r;
    for (int c : pattern[r]) coo_row.push_back(r), coo_col.push_back(c);
  }
  for (int s = 0; s < rows; s += 1024) std::stable_sort(perm.begin() + s, perm.begin() + std::min(s + 1024, rows), [&](int a, int b) { return pattern[a].size() > pattern[b].size(); });
  for (int s = 0; s < rows; s += 32) {
    size_t width = 0;
    for (int l = 0; l < 32; ++l) width = std::max(width, pattern[perm[s + l]].size());
    for (size_t k = 0; k < width; ++k)
      for (int l = 0; l < 32; ++l) ell_col.push_back(k < pattern[perm[s + l]].size() ? pattern[perm[s + l]][k] : -1);
    slices.push_back(int(ell_col.size()));
  }
  const int *slices_d = on_device(slices), *ell_d = on_device(ell_col), *perm_d = on_device(perm), *coo_row_d = on_device(coo_row), *coo_col_d = on_device(coo_col), nnz = int(coo_row.size());
  run("spmv_sliced_ell", [&] { spmv_sliced_ell<<<(rows + 255) / 256, 256>>>(slices_d, ell_d, d, perm_d, d + M, od, rows); });
  run("spmv_coo_segments", [&] { spmv_coo_segments<<<(nnz + 511) / 512, 512>>>(coo_row_d, coo_col_d, f, f + 4 * M, o, nnz); });
  std::vector<int> bptr(1, 0), bcol;
  for (int r = 0; r < 20000; ++r) {
    for (uint32_t k = 0; k < 5 + hashed(r) % 9; ++k) bcol.push_back(int((r + hashed(r * 17 + k) % 2000) % 20000));
    bptr.push_back(int(bcol.size()));
  }
  const int *bptr_d = on_device(bptr), *bcol_d = on_device(bcol);
  run("bsr4_warp_product", [&] { bsr4_warp_product<<<2500, 256>>>(bptr_d, bcol_d, f, f + 8 * M, o, 20000); });

  double2* amplitudes = on_device<double2>(4 * M, [](uint32_t i) { return make_double2((fraction(i) - 0.5) * 1e-3, (fraction(i + 9) - 0.5) * 1e-3); });
  const double2 u00 = make_double2(0.8, 0.0), u01 = make_double2(0.0, -0.6), u10 = make_double2(0.0, -0.6), u11 = make_double2(0.8, 0.0);
  run("statevec_controlled_u", [&] { statevec_controlled_u<<<2 * M / 256, 256>>>(amplitudes, 3, 17, u00, u01, u10, u11, 2LL * M); });
  run("statevec_controlled_u_19", [&] { statevec_controlled_u<<<2 * M / 128, 128>>>(amplitudes, 19, 1, u00, u01, u10, u11, 2LL * M); });
  run("woodcock_photons", [&] { woodcock_photons<<<65536 / 128, 128>>>(f, o, 64, 65536, 1.f, 0.8f); });
  run("two_stream_columns", [&] { two_stream_columns<<<20000 / 64 + 1, 64>>>(f, f + 2 * M, f + 4 * M, o, o + 2 * M, 20000); });
  const int* bottom = on_device<int>(50000, [](uint32_t i) { return int(hashed(i / 200) % 5 == 0 ? 0 : 12 + hashed(i / 16) % 29); });
  double* temperature = on_device<double>(50000 * 40, [](uint32_t i) { return 20.0 * fraction(i); });
  run("ocean_vertical_mixing", [&] { ocean_vertical_mixing<<<50000 / 128 + 1, 128>>>(temperature, d, bottom, od, 50000, 0.7); });
  run("robertson_ensemble", [&] { robertson_ensemble<<<8192 / 32, 32>>>(d, od, (int*)o, 8192, 40.0, 1e-3); });
  run("pcr_tridiagonal", [&] { pcr_tridiagonal<double><<<1500, 256, 4 * 256 * sizeof(double)>>>(d, (const double*)d + 4 * M, d + M, d + 2 * M, od, 256); });
  run("pcr_tridiagonal_1024", [&] { pcr_tridiagonal<float><<<96, 1024, 4 * 1024 * sizeof(float)>>>(f, f + 4 * M, f + M, f + 2 * M, o, 1024); });
  run("jacobi_eigen_5x5", [&] { jacobi_eigen_5x5<<<40000 / 128 + 1, 128>>>(f, o, 40000); });
  return 0;
}
