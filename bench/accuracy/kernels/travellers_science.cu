// Sciences: bodies, fields in media and lattices, finite elements with and without matrices, grids of several levels, sparse products, molecules, stiff chemistry, neutrons' cross sections, and walks.
#include <cuda_runtime.h>

#include "cases.h"

// Accelerations by all bodies: a warp passes 32 of them around by shuffles.
__global__ void bodies_shuffle(const float4* __restrict__ pos, float3* __restrict__ acc, int n, float soft2) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  const float4 me = pos[min(i, n - 1)];
  float ax = 0.f, ay = 0.f, az = 0.f;
  for (int j0 = 0; j0 < n; j0 += 32) {
    float4 other = pos[min(j0 + lane, n - 1)];
    if (j0 + lane >= n) other.w = 0.f;
#pragma unroll 8
    for (int k = 0; k < 32; ++k) {
      const float dx = __shfl_sync(~0u, other.x, k) - me.x, dy = __shfl_sync(~0u, other.y, k) - me.y, dz = __shfl_sync(~0u, other.z, k) - me.z;
      const float r2 = dx * dx + dy * dy + dz * dz + soft2, inv = rsqrtf(r2), f = __shfl_sync(~0u, other.w, k) * inv * inv * inv;
      ax += f * dx, ay += f * dy, az += f * dz;
    }
  }
  if (i < n) acc[i] = make_float3(ax, ay, az);
}

// The electric field of a plane with absorbing layers (CPML) at its left and right.
__global__ void maxwell_tm_cpml(float* __restrict__ ez, const float* __restrict__ hx, const float* __restrict__ hy, float* __restrict__ psi, const float* __restrict__ b, const float* __restrict__ c, const float* __restrict__ eps_inv, int nx, int ny, int layer) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx || y >= ny) return;
  const int i = y * nx + x;
  const float dhy = hy[i] - hy[i - 1], dhx = hx[i] - hx[i - nx];
  float curl = dhy - dhx;
  if (x < layer || x >= nx - layer) {
    const int k = x < layer ? x : nx - 1 - x;
    const int at = y * 2 * layer + (x < layer ? k : 2 * layer - 1 - k);
    const float p = b[k] * psi[at] + c[k] * dhy;
    psi[at] = p;
    curl += p;
  }
  ez[i] += 0.5f * eps_inv[i] * curl;
}

// Heat on a lattice of five speeds, carried by a given flow; pulled from the neighbours, bounced at the walls.
__global__ void thermal_lbm_d2q5(const float* g, float* g_new, const float* ux, const float* uy, float* temperature, int nx, int ny, float omega) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y;
  if (x >= nx) return;
  int n = nx * ny, i = y * nx + x;
  int xm = x == 0 ? nx - 1 : x - 1, xp = x == nx - 1 ? 0 : x + 1;
  float f0 = g[i];
  float f1 = g[n + y * nx + xm];
  float f2 = g[2 * n + y * nx + xp];
  float f3 = y > 0 ? g[3 * n + i - nx] : -g[4 * n + i] + 2.0f / 6.0f;
  float f4 = y < ny - 1 ? g[4 * n + i + nx] : -g[3 * n + i];
  float t = f0 + f1 + f2 + f3 + f4;
  temperature[i] = t;
  float u = ux[i], v = uy[i];
  g_new[i] = f0 + omega * (t / 3.0f - f0);
  g_new[n + i] = f1 + omega * (t / 6.0f * (1 + 3 * u) - f1);
  g_new[2 * n + i] = f2 + omega * (t / 6.0f * (1 - 3 * u) - f2);
  g_new[3 * n + i] = f3 + omega * (t / 6.0f * (1 + 3 * v) - f3);
  g_new[4 * n + i] = f4 + omega * (t / 6.0f * (1 - 3 * v) - f4);
}

// Stiffness of linear tetrahedra added into a sparse matrix; the column is searched in the row.
__global__ void fem_tet_assemble(const int4* __restrict__ tets, const float3* __restrict__ nodes, const int* __restrict__ row_ptr, const int* __restrict__ cols, float* __restrict__ values, int count) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= count) return;
  const int4 t = tets[e];
  const int id[4] = {t.x, t.y, t.z, t.w};
  float3 p[4];
  for (int i = 0; i < 4; ++i) p[i] = nodes[id[i]];
  const float3 a = make_float3(p[1].x - p[0].x, p[1].y - p[0].y, p[1].z - p[0].z), b = make_float3(p[2].x - p[0].x, p[2].y - p[0].y, p[2].z - p[0].z), c = make_float3(p[3].x - p[0].x, p[3].y - p[0].y, p[3].z - p[0].z);
  auto cross = [](float3 u, float3 v) { return make_float3(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x); };
  float3 g[4];
  g[1] = cross(b, c), g[2] = cross(c, a), g[3] = cross(a, b);
  const float det = a.x * g[1].x + a.y * g[1].y + a.z * g[1].z, inv = 1.f / det;
  for (int i = 1; i < 4; ++i) g[i] = make_float3(g[i].x * inv, g[i].y * inv, g[i].z * inv);
  g[0] = make_float3(-g[1].x - g[2].x - g[3].x, -g[1].y - g[2].y - g[3].y, -g[1].z - g[2].z - g[3].z);
  const float volume = fabsf(det) / 6.f;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      int lo = row_ptr[id[i]], hi = row_ptr[id[i] + 1] - 1;
      while (lo < hi) {
        const int mid = (lo + hi) / 2;
        if (cols[mid] < id[j])
          lo = mid + 1;
        else
          hi = mid;
      }
      atomicAdd(values + lo, volume * (g[i].x * g[j].x + g[i].y * g[j].y + g[i].z * g[j].z));
    }
}

// Laplace's operator on hexahedra without a matrix: gather, eight by eight from constant memory, scatter.
__constant__ float hex_stiffness[64];
__global__ __launch_bounds__(128) void hex8_matrix_free(const float* __restrict__ u, const float* __restrict__ kappa, float* __restrict__ r, int nx, int ny, int nz) {
  const int e = blockIdx.x * 128 + threadIdx.x;
  if (e >= nx * ny * nz) return;
  const int x = e % nx, y = e / nx % ny, z = e / (nx * ny);
  const int base = (z * (ny + 1) + y) * (nx + 1) + x, dy = nx + 1, dz = (nx + 1) * (ny + 1);
  float v[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i] = u[base + (i & 1) + (i >> 1 & 1) * dy + (i >> 2) * dz];
  const float k = kappa[e];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    float s = 0.f;
#pragma unroll
    for (int j = 0; j < 8; ++j) s += hex_stiffness[i * 8 + j] * v[j];
    atomicAdd(r + base + (i & 1) + (i >> 1 & 1) * dy + (i >> 2) * dz, k * s);
  }
}

// Forces of a scalar field on a lattice of four dimensions, sizes are powers of two.
__global__ void phi4_force(const double* __restrict__ phi, double* __restrict__ momentum, int log_l, int log_t, double kappa, double lambda, double dt) {
  const int volume = 1 << (3 * log_l + log_t), l = (1 << log_l) - 1;
  for (int s = blockIdx.x * blockDim.x + threadIdx.x; s < volume; s += gridDim.x * blockDim.x) {
    double sum = 0;
#pragma unroll
    for (int d = 0; d < 3; ++d) {
      const int shift = d * log_l, x = s >> shift & l, rest = s & ~(l << shift);
      sum += phi[rest | ((x + 1) & l) << shift] + phi[rest | ((x - 1) & l) << shift];
    }
    const int tm = (1 << log_t) - 1, t = s >> (3 * log_l), rest = s & ((1 << (3 * log_l)) - 1);
    sum += phi[rest | ((t + 1) & tm) << (3 * log_l)] + phi[rest | ((t - 1) & tm) << (3 * log_l)];
    const double p = phi[s];
    momentum[s] += dt * (2 * kappa * sum - 2 * p - 4 * lambda * (p * p - 1) * p);
  }
}

// Residual and its restriction to the coarser grid, 27 points weighted, in one kernel.
__device__ __forceinline__ double poisson_residual(const double* u, const double* f, int x, int y, int z, int n, double h2) {
  const size_t i = ((size_t)z * n + y) * n + x;
  return f[i] - (6 * u[i] - u[i - 1] - u[i + 1] - u[i - n] - u[i + n] - u[i - (size_t)n * n] - u[i + (size_t)n * n]) * h2;
}
__global__ void restrict_residual_27(const double* __restrict__ u, const double* __restrict__ f, double* __restrict__ coarse, int n, int nc, double h2) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1, z = blockIdx.z + 1;
  if (x >= nc - 1 || y >= nc - 1) return;
  double sum = 0;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const int xx = 2 * x + dx, yy = 2 * y + dy, zz = 2 * z + dz;
        if (xx < 1 || yy < 1 || zz < 1 || xx >= n - 1 || yy >= n - 1 || zz >= n - 1) continue;
        const double w = 0.125 / (1 << (abs(dx) + abs(dy) + abs(dz)));
        sum += w * poisson_residual(u, f, xx, yy, zz, n, h2);
      }
  coarse[((size_t)z * nc + y) * nc + x] = sum;
}

// Corrections of the coarser grid added, between its points by parity.
__global__ void prolong_add(const double* coarse, double* fine, int n, int nc) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x >= n || y >= n) return;
  int cx = x / 2, cy = y / 2, cz = z / 2;
  double sum = 0;
  int count = 0;
  for (int k = 0; k <= (z & 1); k++)
    for (int j = 0; j <= (y & 1); j++)
      for (int i = 0; i <= (x & 1); i++) {
        sum += coarse[((size_t)min(cz + k, nc - 1) * nc + min(cy + j, nc - 1)) * nc + min(cx + i, nc - 1)];
        count++;
      }
  fine[((size_t)z * n + y) * n + x] += sum / count;
}

// A sparse product whose threads have equal parts of rows and values together (merge path).
template <int ITEMS>
__global__ void spmv_merge_path(const int* __restrict__ row_end, const int* __restrict__ cols, const float* __restrict__ vals, const float* __restrict__ x, float* __restrict__ y, int rows, int nnz) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int total = rows + nnz, diagonal = min(thread * ITEMS, total), stop = min(diagonal + ITEMS, total);
  if (diagonal >= total) return;
  auto search = [&](int d) {
    int lo = max(d - nnz, 0), hi = min(d, rows);
    while (lo < hi) {
      const int mid = (lo + hi) >> 1;
      if (row_end[mid] <= d - 1 - mid)
        lo = mid + 1;
      else
        hi = mid;
    }
    return lo;
  };
  int row = search(diagonal), k = diagonal - row;
  const int last_row = search(stop), last_k = stop - last_row;
  float sum = 0.f;
  bool first = true;
  for (; row < last_row; ++row) {
    for (; k < row_end[row]; ++k) sum += vals[k] * x[cols[k]];
    if (first)
      atomicAdd(y + row, sum);
    else
      y[row] += sum;
    first = false;
    sum = 0.f;
  }
  for (; k < last_k; ++k) sum += vals[k] * x[cols[k]];
  if (row < rows && sum != 0.f) atomicAdd(y + row, sum);
}

// Ewald's sums in reciprocal space: a block a wave vector, all atoms' phases.
__global__ void ewald_structure(const float4* __restrict__ atoms, const float4* __restrict__ waves, float2* __restrict__ rho, int n) {
  __shared__ float2 part[8];
  const float4 k = waves[blockIdx.x];
  float re = 0.f, im = 0.f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const float4 a = atoms[i];
    float s, c;
    sincosf(k.x * a.x + k.y * a.y + k.z * a.z, &s, &c);
    re += a.w * c, im += a.w * s;
  }
  for (int o = 16; o > 0; o >>= 1) re += __shfl_down_sync(~0u, re, o), im += __shfl_down_sync(~0u, im, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = make_float2(re, im);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) re += part[w].x, im += part[w].y;
    rho[blockIdx.x] = make_float2(re * k.w, im * k.w);
  }
}

// Charges spread on a mesh by cubic splines, 64 cells an atom, sixteen threads with four cells each.
__global__ void pme_spread(const float4* __restrict__ atoms, float* __restrict__ mesh, int n, int side) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 16, part = threadIdx.x % 16;
  if (i >= n) return;
  const float4 a = atoms[i];
  auto spline = [](float t, int k) {
    const float s = 1.f - t;
    return k == 0 ? s * s * s / 6.f : k == 1 ? (4.f - 6.f * t * t + 3.f * t * t * t) / 6.f : k == 2 ? (4.f - 6.f * s * s + 3.f * s * s * s) / 6.f : t * t * t / 6.f;
  };
  const float fx = a.x * side, fy = a.y * side, fz = a.z * side;
  const int ix = (int)fx, iy = (int)fy, iz = (int)fz, ky = part % 4, kz = part / 4;
  const float w = a.w * spline(fy - iy, ky) * spline(fz - iz, kz);
  const int y = (iy + ky + side - 1) % side, z = (iz + kz + side - 1) % side;
#pragma unroll
  for (int k = 0; k < 4; ++k) atomicAdd(mesh + ((size_t)z * side + y) * side + (ix + k + side - 1) % side, w * spline(fx - ix, k));
}

// Silicon by Stillinger and Weber: pairs and triples of a list of neighbours.
__global__ void stillinger_weber(const float4* pos, const int* neighbors, const int* counts, float* energy, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 p = pos[i];
  const float cut = 1.8f;
  float e = 0.f;
  const int m = counts[i];
  for (int a = 0; a < m; ++a) {
    const float4 q = pos[neighbors[a * stride + i]];
    const float ax = q.x - p.x, ay = q.y - p.y, az = q.z - p.z, ra2 = ax * ax + ay * ay + az * az;
    if (ra2 >= cut * cut || ra2 < 1e-6f) continue;
    const float ra = sqrtf(ra2), inv2 = 1.f / ra2, ga = expf(1.2f / (ra - cut));
    e += 0.5f * 7.05f * (0.602f * inv2 * inv2 - 1.f) * expf(1.f / (ra - cut));
    for (int b = a + 1; b < m; ++b) {
      const float4 s = pos[neighbors[b * stride + i]];
      const float bx = s.x - p.x, by = s.y - p.y, bz = s.z - p.z, rb2 = bx * bx + by * by + bz * bz;
      if (rb2 >= cut * cut || rb2 < 1e-6f) continue;
      const float rb = sqrtf(rb2), cosine = (ax * bx + ay * by + az * bz) / (ra * rb) + 1.f / 3.f;
      e += 21.f * ga * expf(1.2f / (rb - cut)) * cosine * cosine;
    }
  }
  energy[i] = e;
}

// Stiff chemistry of three species (Robertson) in each cell by Rosenbrock's method with steps that adapt.
__global__ void robertson_rosenbrock(double* __restrict__ y, const double* __restrict__ temperature, int* __restrict__ steps, int cells, double t_end) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells) return;
  double a = y[cell], b = y[cells + cell], c = y[2 * cells + cell];
  const double k1 = 0.04 * temperature[cell], k2 = 3e7, k3 = 1e4, gamma = 1.7071067811865475;
  double t = 0, h = 1e-4;
  int count = 0;
  while (t < t_end && count < 200) {
    if (t + h > t_end) h = t_end - t;
    // (I - gamma h J) of a and b; c follows from the sum.
    const double j00 = -k1 - k3 * b, j01 = k3 * (1 - a - 2 * b), j10 = k1 - k3 * (-b), j11 = -2 * k2 * b - k3 * (1 - a - 2 * b);
    const double g = gamma * h, m00 = 1 - g * j00, m01 = -g * j01, m10 = -g * j10, m11 = 1 - g * j11, det = 1 / (m00 * m11 - m01 * m10);
    const double f0 = -k1 * a + k3 * b * c, f1 = k1 * a - k3 * b * c - k2 * b * b;
    const double u0 = (m11 * f0 - m01 * f1) * det, u1 = (m00 * f1 - m10 * f0) * det;
    const double a2 = a + h * u0, b2 = b + h * u1, c2 = 1 - a2 - b2;
    const double r0 = -k1 * a2 + k3 * b2 * c2 - 2 * u0, r1 = k1 * a2 - k3 * b2 * c2 - k2 * b2 * b2 - 2 * u1;
    const double v0 = (m11 * r0 - m01 * r1) * det, v1 = (m00 * r1 - m10 * r0) * det;
    const double err = 0.5 * h * (fabs(u0 + v0) / (1e-4 * fabs(a) + 1e-8) + fabs(u1 + v1) / (1e-4 * fabs(b) + 1e-10));
    if (err < 1) {
      a += h * (1.5 * u0 + 0.5 * v0);
      b += h * (1.5 * u1 + 0.5 * v1);
      c = 1 - a - b;
      t += h;
    }
    h *= fmin(4.0, fmax(0.25, 0.9 * rsqrt(err + 1e-12)));
    ++count;
  }
  y[cell] = a, y[cells + cell] = b, y[2 * cells + cell] = c;
  steps[cell] = count;
}

struct XsPoint {
  double energy;
  float total, elastic, absorption, fission;
};
// Macroscopic cross sections of neutrons: every nuclide's grid is searched from a hint of equal bins.
__global__ void macro_xs_lookup(const XsPoint* __restrict__ grids, const int* __restrict__ bins, const int* __restrict__ material_start, const int* __restrict__ nuclides, const float* __restrict__ density, const double* __restrict__ energies, const int* __restrict__ materials, float4* __restrict__ out, int lookups, int points, int bin_count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lookups) return;
  const double e = energies[i];
  const int m = materials[i], bin = min((int)(e * bin_count), bin_count - 1);
  float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);
  for (int k = material_start[m]; k < material_start[m + 1]; ++k) {
    const int nuc = nuclides[k];
    const XsPoint* grid = grids + (size_t)nuc * points;
    int lo = bins[nuc * (bin_count + 1) + bin], hi = bins[nuc * (bin_count + 1) + bin + 1] + 1;
    while (hi - lo > 1) {
      const int mid = (lo + hi) >> 1;
      if (grid[mid].energy <= e)
        lo = mid;
      else
        hi = mid;
    }
    lo = min(lo, points - 2);
    const XsPoint p = grid[lo], q = grid[lo + 1];
    const float f = (float)((q.energy - e) / (q.energy - p.energy)), d = density[k];
    sum.x += d * (q.total - f * (q.total - p.total));
    sum.y += d * (q.elastic - f * (q.elastic - p.elastic));
    sum.z += d * (q.absorption - f * (q.absorption - p.absorption));
    sum.w += d * (q.fission - f * (q.fission - p.fission));
  }
  out[i] = sum;
}

// Laplace's equation by walks on spheres within a box that has a ball cut out.
__global__ void walk_on_spheres(const float3* __restrict__ starts, float* __restrict__ value, int points, int walks, float eps) {
  const int p = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
  if (p >= points) return;
  unsigned long long state = (p * 32ull + lane) * 6364136223846793005ull + 1442695040888963407ull;
  auto next = [&] {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(state >> 40) * (1.f / 16777216.f);
  };
  float sum = 0.f;
  for (int w = lane; w < walks; w += 32) {
    float3 x = starts[p];
    for (int step = 0; step < 64; ++step) {
      const float wall = fminf(fminf(fminf(x.x, 1.f - x.x), fminf(x.y, 1.f - x.y)), fminf(x.z, 1.f - x.z));
      const float ball = sqrtf((x.x - .5f) * (x.x - .5f) + (x.y - .5f) * (x.y - .5f) + (x.z - .5f) * (x.z - .5f)) - 0.25f;
      const float r = fminf(wall, ball);
      if (r < eps) {
        sum += ball < wall ? 1.f : 0.f;
        break;
      }
      const float z = 2.f * next() - 1.f, phi = 6.2831853f * next(), q = sqrtf(fmaxf(0.f, 1.f - z * z));
      x.x += r * q * __cosf(phi), x.y += r * q * __sinf(phi), x.z += r * z;
    }
  }
  for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  if (lane == 0) value[p] = sum / walks;
}

// A spectral element's stiffness (Nekbone's ax): derivatives along three axes, one block an element, planes of N by N threads.
template <int N>
__global__ __launch_bounds__(N * N) void nekbone_ax(const double* __restrict__ u, const double* __restrict__ geo, const double* __restrict__ D, double* __restrict__ w) {
  __shared__ double d[N][N], plane[N][N], gr[N][N], gs[N][N];
  const int i = threadIdx.x, j = threadIdx.y;
  const size_t e = (size_t)blockIdx.x * N * N * N;
  d[j][i] = D[j * N + i];
  double col[N], out[N];
#pragma unroll
  for (int k = 0; k < N; ++k) {
    col[k] = u[e + (k * N + j) * N + i];
    out[k] = 0;
  }
#pragma unroll
  for (int k = 0; k < N; ++k) {
    __syncthreads();
    plane[j][i] = col[k];
    __syncthreads();
    double r = 0, s = 0, t = 0;
#pragma unroll
    for (int m = 0; m < N; ++m) {
      r += d[i][m] * plane[j][m];
      s += d[j][m] * plane[m][i];
      t += d[k][m] * col[m];
    }
    const double* g = geo + 3 * e + (k * N + j) * N + i;
    gr[j][i] = g[0] * r;
    gs[j][i] = g[N * N * N] * s;
    t *= g[2 * N * N * N];
    __syncthreads();
    double sum = 0;
#pragma unroll
    for (int m = 0; m < N; ++m) {
      sum += d[m][i] * gr[j][m] + d[m][j] * gs[m][i];
      out[m] += d[k][m] * t;
    }
    out[k] += sum;
  }
#pragma unroll
  for (int k = 0; k < N; ++k) w[e + (k * N + j) * N + i] = out[k];
}

// Fluxes of fifth order (WENO) along rows in tiles with a halo.
__global__ void weno5_advect(const float* __restrict__ q, float* __restrict__ out, int n, int rows, float cfl) {
  __shared__ float s[256 + 6];
  __shared__ float flux[257];
  const int row = blockIdx.y, x0 = blockIdx.x * 256;
  for (int i = threadIdx.x; i < 262; i += 256) s[i] = q[(size_t)row * n + (x0 + i - 3 + n) % n];
  __syncthreads();
  for (int i = threadIdx.x; i < 257; i += 256) {
    const float a = s[i], b = s[i + 1], c = s[i + 2], d = s[i + 3], e = s[i + 4];
    const float b0 = 13.f / 12 * (a - 2 * b + c) * (a - 2 * b + c) + 0.25f * (a - 4 * b + 3 * c) * (a - 4 * b + 3 * c);
    const float b1 = 13.f / 12 * (b - 2 * c + d) * (b - 2 * c + d) + 0.25f * (b - d) * (b - d);
    const float b2 = 13.f / 12 * (c - 2 * d + e) * (c - 2 * d + e) + 0.25f * (3 * c - 4 * d + e) * (3 * c - 4 * d + e);
    const float w0 = 0.1f / ((1e-6f + b0) * (1e-6f + b0)), w1 = 0.6f / ((1e-6f + b1) * (1e-6f + b1)), w2 = 0.3f / ((1e-6f + b2) * (1e-6f + b2));
    flux[i] = (w0 * (2 * a - 7 * b + 11 * c) + w1 * (-b + 5 * c + 2 * d) + w2 * (2 * c + 5 * d - e)) / (6 * (w0 + w1 + w2));
  }
  __syncthreads();
  const int x = x0 + threadIdx.x;
  if (x < n) out[(size_t)row * n + x] = s[threadIdx.x + 3] - cfl * (flux[threadIdx.x + 1] - flux[threadIdx.x]);
}

struct alignas(16) Primitive {
  double x, y, z, w;
};
// Repulsion integrals of s functions: a thread a pair of pairs, three primitives each, Boys' function by erf.
__global__ void eri_ssss(const Primitive* __restrict__ pairs, double* __restrict__ coulomb, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j > i) return;
  double sum = 0;
  for (int a = 0; a < 3; ++a) {
    const Primitive p = pairs[i * 3 + a];
    for (int b = 0; b < 3; ++b) {
      const Primitive q = pairs[j * 3 + b];
      const double rho = p.w * q.w / (p.w + q.w);
      const double t = rho * ((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z));
      const double boys = t < 1e-8 ? 1 - t / 3 : 0.8862269254527580 * erf(sqrt(t)) * rsqrt(t);
      sum += boys * 34.98683665524972 / (p.w * q.w * sqrt(p.w + q.w));
    }
  }
  coulomb[(size_t)i * n + j] = sum;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* a = on_device<float>(4 * M, fraction);
  const float* b = on_device<float>(4 * M, [](uint32_t i) { return fraction(i * 3 + 2) - 0.5f; });
  float* c = zeros<float>(8 * M);
  const double* da = on_device<double>(2 * M, [](uint32_t i) { return 0.5 + 0.5 * fraction(i * 5); });
  double* dc = zeros<double>(3 * M);

  run("bodies_shuffle_8000", [&] { bodies_shuffle<<<(8000 + 127) / 128, 128>>>((const float4*)a, (float3*)c, 8000, 1e-4f); });
  float* ez = zeros<float>(1500 * 900);
  run("maxwell_tm_cpml", [&] { maxwell_tm_cpml<<<dim3(47, 113), dim3(32, 8)>>>(ez, a, b, c, a + 100, a + 300, a + 5000, 1500, 900, 20); });
  run("thermal_lbm_d2q5_640", [&] { thermal_lbm_d2q5<<<dim3(5, 400), 128>>>(a, c, b, b + M, c + 4 * M, 640, 400, 1.4f); });
  // Cubes of a box cut into six tetrahedra.
  constexpr int B = 22;
  std::vector<int4> tets;
  std::vector<float3> nodes;
  std::vector<std::set<int>> near((B + 1) * (B + 1) * (B + 1));
  for (int z = 0; z <= B; ++z)
    for (int y = 0; y <= B; ++y)
      for (int x = 0; x <= B; ++x) nodes.push_back(make_float3(x + 0.2f * fraction(x * 3 + y), y + 0.2f * fraction(y * 5 + z), z + 0.2f * fraction(z * 7 + x)));
  for (int z = 0; z < B; ++z)
    for (int y = 0; y < B; ++y)
      for (int x = 0; x < B; ++x) {
        const int at[3] = {1, B + 1, (B + 1) * (B + 1)}, first = (z * (B + 1) + y) * (B + 1) + x, last = first + at[0] + at[1] + at[2];
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            if (i != j) {
              const int id[4] = {first, first + at[i], first + at[i] + at[j], last};
              tets.push_back(make_int4(id[0], id[1], id[2], id[3]));
              for (int u : id)
                for (int v : id) near[u].insert(v);
            }
      }
  std::vector<int> row_ptr{0}, cols;
  for (const auto& row : near) {
    cols.insert(cols.end(), row.begin(), row.end());
    row_ptr.push_back(int(cols.size()));
  }
  const int4* tets_d = on_device(tets);
  const float3* nodes_d = on_device(nodes);
  const int *row_ptr_d = on_device(row_ptr), *cols_d = on_device(cols), tet_count = int(tets.size()), node_count = int(nodes.size()), nnz = int(cols.size());
  run("fem_tet_assemble", [&] { fem_tet_assemble<<<(tet_count + 127) / 128, 128>>>(tets_d, nodes_d, row_ptr_d, cols_d, c, tet_count); });
  std::vector<float> stiffness(64);
  for (int i = 0; i < 64; ++i) stiffness[i] = i % 9 == 0 ? 1.f / 3 : -0.04f * float(__builtin_popcount(i / 8 ^ i % 8));
  CHECK(cudaMemcpyToSymbol(hex_stiffness, stiffness.data(), 64 * sizeof(float)));
  run("hex8_matrix_free", [&] { hex8_matrix_free<<<(60 * 60 * 60 + 127) / 128, 128>>>(b, a, c, 60, 60, 60); });
  run("phi4_force_16", [&] { phi4_force<<<396, 256>>>(da, dc, 5, 5, 0.18, 0.02, 0.01); });
  run("restrict_residual_27_109", [&] { restrict_residual_27<<<dim3(2, 14, 53), dim3(32, 4)>>>(da, da + 40, dc, 109, 55, 1.0); });
  run("prolong_add_129", [&] { prolong_add<<<dim3(4, 33, 129), dim3(33, 4)>>>(da, dc, 129, 65); });
  const int* row_end = on_device(std::vector<int>(row_ptr.begin() + 1, row_ptr.end()));
  run("spmv_merge_path_fem", [&] { spmv_merge_path<7><<<((node_count + nnz + 6) / 7 + 127) / 128, 128>>>(row_end, cols_d, a, b, c, node_count, nnz); });
  std::vector<int> skewed, skewed_cols;
  for (uint32_t r = 0; r < 40000; ++r) {
    const uint32_t n = hashed(r) % 400 == 0 ? 2500 : hashed(r) % 3 == 0 ? 0 : hashed(r + 5) % 20;
    for (uint32_t k = 0; k < n; ++k) skewed_cols.push_back(int(hashed(r * 2500 + k) % 40000));
    skewed.push_back(int(skewed_cols.size()));
  }
  const int *skewed_d = on_device(skewed), *skewed_cols_d = on_device(skewed_cols), skewed_nnz = int(skewed_cols.size());
  run("spmv_merge_path_skewed", [&] { spmv_merge_path<11><<<((40000 + skewed_nnz + 10) / 11 + 255) / 256, 256>>>(skewed_d, skewed_cols_d, a, b, c, 40000, skewed_nnz); });
  const float4* waves = on_device<float4>(400, [](uint32_t i) { return make_float4(6.2831853f * float(i % 8), 6.2831853f * (float(i / 8 % 8) - 4), 6.2831853f * (float(i / 64) - 3), 0.01f); });
  run("ewald_structure", [&] { ewald_structure<<<400, 256>>>((const float4*)a, waves, (float2*)c, 6000); });
  run("pme_spread_64", [&] { pme_spread<<<(30000 * 16 + 255) / 256, 256>>>((const float4*)a, c, 30000, 64); });
  constexpr int cells = 24, atoms = cells * cells * cells;
  const float4* silicon = on_device<float4>(atoms, [](uint32_t i) { return make_float4(i % 24 + 0.3f * fraction(i), i / 24 % 24 + 0.3f * fraction(i + 1), i / 576 + 0.3f * fraction(i + 2), 0.f); });
  std::vector<int> neighbors(26 * atoms, 0), counts(atoms, 0);
  for (int i = 0; i < atoms; ++i)
    for (int k = 0; k < 27; ++k) {
      const int x = i % cells + k % 3 - 1, y = i / cells % cells + k / 3 % 3 - 1, z = i / (cells * cells) + k / 9 - 1;
      if (k != 13 && x >= 0 && y >= 0 && z >= 0 && x < cells && y < cells && z < cells) neighbors[counts[i]++ * atoms + i] = (z * cells + y) * cells + x;
    }
  const int *neighbors_d = on_device(neighbors), *counts_d = on_device(counts);
  run("stillinger_weber", [&] { stillinger_weber<<<(atoms + 95) / 96, 96>>>(silicon, neighbors_d, counts_d, c, atoms, atoms); });
  double* species = on_device<double>(3 * 20000, [](uint32_t i) { return i < 20000 ? 1.0 : 0.0; });
  run("robertson_rosenbrock", [&] { robertson_rosenbrock<<<(20000 + 63) / 64, 64>>>(species, da, (int*)c, 20000, 40.0); });
  constexpr int points = 2000, bin_count = 256, nuclide_count = 60;
  std::vector<XsPoint> grids;
  std::vector<int> bins, start{0}, nuclides;
  for (uint32_t n = 0; n < nuclide_count; ++n) {
    std::vector<double> e(points);
    for (uint32_t i = 0; i < points; ++i) e[i] = double(hashed(n * 5000 + i)) / 4294967296.0;
    std::sort(e.begin(), e.end());
    e[0] = 0, e[points - 1] = 1;
    for (uint32_t i = 0; i < points; ++i) grids.push_back({e[i], fraction(i), fraction(i + 1), fraction(i + 2), fraction(i + 3)});
    for (int k = 0; k <= bin_count; ++k) bins.push_back(std::max(0, int(std::upper_bound(e.begin(), e.end(), double(k) / bin_count) - e.begin()) - 1));
  }
  for (uint32_t m = 0; m < 12; ++m) {
    for (uint32_t k = 0; k < (m == 0 ? 50 : 4 + 2 * m); ++k) nuclides.push_back(int((k * 7 + m) % nuclide_count));
    start.push_back(int(nuclides.size()));
  }
  const XsPoint* grids_d = on_device(grids);
  const int *bins_d = on_device(bins), *start_d = on_device(start), *nuclides_d = on_device(nuclides);
  const double* energies = on_device<double>(60000, [](uint32_t i) { return double(hashed(i + 31)) / 4294967296.0; });
  const int* materials = on_device<int>(60000, [](uint32_t i) { return hashed(i) % 7 == 0 ? 0 : int(hashed(i) % 12); });
  run("macro_xs_lookup", [&] { macro_xs_lookup<<<(60000 + 255) / 256, 256>>>(grids_d, bins_d, start_d, nuclides_d, a, energies, materials, (float4*)c, 60000, points, bin_count); });
  run("walk_on_spheres", [&] { walk_on_spheres<<<500, 128>>>((const float3*)a, c, 2000, 256, 1e-3f); });
  run("nekbone_ax_10", [&] { nekbone_ax<10><<<400, dim3(10, 10)>>>(da, da + 400000, da + 77, dc); });
  run("nekbone_ax_8", [&] { nekbone_ax<8><<<1100, dim3(8, 8)>>>(da, da + 200000, da + 77, dc); });
  run("weno5_advect", [&] { weno5_advect<<<dim3(8, 500), 256>>>(a, c, 2000, 500, 0.4f); });
  const Primitive* pairs = on_device<Primitive>(3 * 900, [](uint32_t i) { return Primitive{5 * fraction(i / 3), 5 * fraction(i / 3 + 1000), 5 * fraction(i / 3 + 2000), 0.3 + i % 3 + fraction(i)}; });
  run("eri_ssss", [&] { eri_ssss<<<dim3(29, 113), dim3(32, 8)>>>(pairs, dc, 900); });
  return 0;
}
