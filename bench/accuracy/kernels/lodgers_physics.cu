// Physics, chemistry and finance: gravity by a tree, grids, orbits, reactions, quantum states, molecules, transport, iterative solvers, prices and risks.
#include "cases.h"

// Gravity of a tree of cells, a thread a body: a stack of nodes, open where the angle is too large.
struct Node {
  float4 center;  // mass in w
  float size;
  int child[8];  // -1: none; negative numbers below: bodies
};
__global__ void tree_gravity(const Node* __restrict__ nodes, const float4* __restrict__ bodies, float3* __restrict__ acc, int n, float theta2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 me = bodies[i];
  float3 a = make_float3(0.f, 0.f, 0.f);
  int stack[48], top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const Node& node = nodes[stack[--top]];
    float dx = node.center.x - me.x, dy = node.center.y - me.y, dz = node.center.z - me.z, r2 = dx * dx + dy * dy + dz * dz + 1e-4f;
    if (node.size * node.size < theta2 * r2) {
      float inv = rsqrtf(r2), f = node.center.w * inv * inv * inv;
      a.x += f * dx, a.y += f * dy, a.z += f * dz;
      continue;
    }
    for (int c = 0; c < 8; ++c) {
      const int k = node.child[c];
      if (k == -1) continue;
      if (k >= 0) {
        if (top < 48) stack[top++] = k;
      } else {
        const float4 b = bodies[-2 - k];
        dx = b.x - me.x, dy = b.y - me.y, dz = b.z - me.z;
        r2 = dx * dx + dy * dy + dz * dz + 1e-4f;
        float inv = rsqrtf(r2), f = b.w * inv * inv * inv;
        a.x += f * dx, a.y += f * dy, a.z += f * dz;
      }
    }
  }
  acc[i] = a;
}

struct alignas(16) Vec4d {
  double x, y, z, w;
};
// Hermite's scheme: acceleration and jerk in double precision, bodies pass through shared memory.
__global__ void hermite_acc_jerk(const Vec4d* __restrict__ pos, const Vec4d* __restrict__ vel, double3* __restrict__ acc, double3* __restrict__ jerk, int n) {
  __shared__ Vec4d sp[64], sv[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  const Vec4d p = pos[i], v = vel[i];
  double3 a = {0, 0, 0}, j = {0, 0, 0};
  for (int base = 0; base < n; base += 64) {
    sp[threadIdx.x] = pos[base + threadIdx.x];
    sv[threadIdx.x] = vel[base + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 64; ++k) {
      const double rx = sp[k].x - p.x, ry = sp[k].y - p.y, rz = sp[k].z - p.z, vx = sv[k].x - v.x, vy = sv[k].y - v.y, vz = sv[k].z - v.z;
      const double r2 = rx * rx + ry * ry + rz * rz + 1e-6, inv = rsqrt(r2), inv2 = inv * inv, m = sp[k].w * inv * inv2, rv = 3.0 * (rx * vx + ry * vy + rz * vz) * inv2;
      a.x += m * rx, a.y += m * ry, a.z += m * rz;
      j.x += m * (vx - rv * rx), j.y += m * (vy - rv * ry), j.z += m * (vz - rv * rz);
    }
    __syncthreads();
  }
  acc[i] = a, jerk[i] = j;
}

// Gauss and Seidel's sweep over one of two colors of a grid of three dimensions.
__global__ void gauss_seidel_color(float* __restrict__ u, const float* __restrict__ f, int nx, int ny, int nz, int color, float h2) {
  const int j = blockIdx.y * blockDim.y + threadIdx.y + 1, k = blockIdx.z + 1;
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + ((j + k + color) & 1);
  if (i >= nx - 1 || j >= ny - 1) return;
  const int at = (k * ny + j) * nx + i, plane = nx * ny;
  u[at] = (u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx] + u[at - plane] + u[at + plane] - h2 * f[at]) * (1.f / 6.f);
}

// Chebyshev's smoother in double precision: residual of seven points and the update in one pass.
__global__ void chebyshev_smooth_7(const double* __restrict__ x, const double* __restrict__ b, double* __restrict__ p, double* __restrict__ out, int n, double alpha, double beta) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  const int plane = n * n;
  double below = 0.0, here = x[j * n + i];
  for (int k = 0; k < n; ++k) {
    const int at = k * plane + j * n + i;
    const double above = k + 1 < n ? x[at + plane] : 0.0;
    double s = 6.0 * here - below - above;
    if (i > 0) s -= x[at - 1];
    if (i < n - 1) s -= x[at + 1];
    if (j > 0) s -= x[at - n];
    if (j < n - 1) s -= x[at + n];
    const double q = alpha * (b[at] - s) + beta * p[at];
    p[at] = q;
    out[at] = here + q;
    below = here, here = above;
  }
}

// Wave equation, eighth order, with a border that absorbs: a tile with halo of four.
__constant__ float c_wave[5] = {-2.84722222f, 1.6f, -0.2f, 0.02539683f, -0.00178571f};
template <int BX, int BY>
__global__ void wave8_absorb(const float* __restrict__ now, float* __restrict__ next, const float* __restrict__ vel2, int nx, int ny, int border) {
  __shared__ float s[BY + 8][BX + 8];
  const int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
  for (int r = threadIdx.y; r < BY + 8; r += BY)
    for (int c = threadIdx.x; c < BX + 8; c += BX) {
      const int yy = blockIdx.y * BY + r - 4, xx = blockIdx.x * BX + c - 4;
      s[r][c] = xx >= 0 && xx < nx && yy >= 0 && yy < ny ? now[yy * nx + xx] : 0.f;
    }
  __syncthreads();
  if (x >= nx || y >= ny) return;
  const int tx = threadIdx.x + 4, ty = threadIdx.y + 4;
  float lap = 2.f * c_wave[0] * s[ty][tx];
#pragma unroll
  for (int k = 1; k <= 4; ++k) lap += c_wave[k] * (s[ty][tx - k] + s[ty][tx + k] + s[ty - k][tx] + s[ty + k][tx]);
  const int edge = min(min(x, nx - 1 - x), min(y, ny - 1 - y));
  float damp = 1.f;
  if (edge < border) {
    const float d = 0.015f * (border - edge);
    damp = expf(-d * d);
  }
  next[y * nx + x] = damp * (2.f * s[ty][tx] - damp * next[y * nx + x] + vel2[y * nx + x] * lap);
}

// Smoke: vorticity's confinement adds a force where the curl turns.
__global__ void confine_vorticity(const float2* __restrict__ vel, float2* __restrict__ out, int w, int h, float eps, float dt) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || y < 2 || x >= w - 2 || y >= h - 2) return;
  auto curl = [&](int i, int j) { return 0.5f * (vel[j * w + i + 1].y - vel[j * w + i - 1].y - vel[(j + 1) * w + i].x + vel[(j - 1) * w + i].x); };
  const float c = curl(x, y);
  float gx = 0.5f * (fabsf(curl(x + 1, y)) - fabsf(curl(x - 1, y))), gy = 0.5f * (fabsf(curl(x, y + 1)) - fabsf(curl(x, y - 1)));
  const float len = sqrtf(gx * gx + gy * gy) + 1e-5f;
  gx /= len, gy /= len;
  float2 v = vel[y * w + x];
  v.x += dt * eps * gy * c;
  v.y -= dt * eps * gx * c;
  out[y * w + x] = v;
}

// Pressure from divergence: several rounds of Jacobi in shared memory on a tile that shrinks.
__global__ void pressure_tile_rounds(const float* __restrict__ div, const float* __restrict__ p, float* __restrict__ out, int w, int h, int rounds) {
  __shared__ float a[2][32][33];
  const int x = blockIdx.x * 24 + threadIdx.x - 4, y = blockIdx.y * 24 + threadIdx.y - 4;
  const int cx = min(max(x, 0), w - 1), cy = min(max(y, 0), h - 1);
  const float d = div[cy * w + cx];
  a[0][threadIdx.y][threadIdx.x] = p[cy * w + cx];
  a[1][threadIdx.y][threadIdx.x] = p[cy * w + cx];
  __syncthreads();
  int now = 0;
  const bool inner = threadIdx.x > 0 && threadIdx.x < 31 && threadIdx.y > 0 && threadIdx.y < 31;
  for (int r = 0; r < rounds; ++r) {
    if (inner) a[now ^ 1][threadIdx.y][threadIdx.x] = 0.25f * (a[now][threadIdx.y][threadIdx.x - 1] + a[now][threadIdx.y][threadIdx.x + 1] + a[now][threadIdx.y - 1][threadIdx.x] + a[now][threadIdx.y + 1][threadIdx.x] - d);
    now ^= 1;
    __syncthreads();
  }
  if (threadIdx.x >= 4 && threadIdx.x < 28 && threadIdx.y >= 4 && threadIdx.y < 28 && x < w && y < h) out[y * w + x] = a[now][threadIdx.y][threadIdx.x];
}

// Fluid of particles: density and the constraint's factor over cells of a grid.
__global__ void pbf_lambda(const float4* __restrict__ pos, const int2* __restrict__ cells, float* __restrict__ lambda, int n, int3 grid, float cell, float radius) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 p = pos[i];
  const int cx = int(p.x / cell), cy = int(p.y / cell), cz = int(p.z / cell);
  float rho = 0.f, grad2 = 0.f;
  float3 own = make_float3(0.f, 0.f, 0.f);
  const float h2 = radius * radius;
  for (int z = max(cz - 1, 0); z <= min(cz + 1, grid.z - 1); ++z)
    for (int y = max(cy - 1, 0); y <= min(cy + 1, grid.y - 1); ++y)
      for (int x = max(cx - 1, 0); x <= min(cx + 1, grid.x - 1); ++x) {
        const int2 range = cells[(z * grid.y + y) * grid.x + x];
        for (int j = range.x; j < range.y; ++j) {
          const float4 q = pos[j];
          const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, r2 = dx * dx + dy * dy + dz * dz;
          if (r2 >= h2) continue;
          const float t = h2 - r2;
          rho += t * t * t;
          if (j == i) continue;
          const float r = sqrtf(r2) + 1e-6f, g = (radius - r) * (radius - r) / r;
          own.x += g * dx, own.y += g * dy, own.z += g * dz;
          grad2 += g * g * r2;
        }
      }
  const float c = rho * 1.5f - 1.f;
  lambda[i] = -c / (grad2 + own.x * own.x + own.y * own.y + own.z * own.z + 100.f);
}

// A gate of one qubit of many, and a controlled one; amplitudes in double or single precision.
template <class C, class R>
__global__ void apply_gate(C* state, long pairs, int target, R m00r, R m00i, R m01r, R m01i, R m10r, R m10i, R m11r, R m11i, unsigned long control_mask) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  const long low = i & ((1l << target) - 1), i0 = (i - low) * 2 + low, i1 = i0 | 1l << target;
  if ((i0 & control_mask) != control_mask) return;
  const C a = state[i0], b = state[i1];
  C u, v;
  u.x = m00r * a.x - m00i * a.y + m01r * b.x - m01i * b.y;
  u.y = m00r * a.y + m00i * a.x + m01r * b.y + m01i * b.x;
  v.x = m10r * a.x - m10i * a.y + m11r * b.x - m11i * b.y;
  v.y = m10r * a.y + m10i * a.x + m11r * b.y + m11i * b.x;
  state[i0] = u, state[i1] = v;
}

// A wave function's phase by its potential, with the nonlinear term, and the squared norm.
__global__ void split_step_phase(float2* psi, const float* potential, double* norm, int n, float g, float dt) {
  __shared__ double part[8];
  double sum = 0.0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    const float2 a = psi[i];
    const float density = a.x * a.x + a.y * a.y;
    float s, c;
    sincosf(-dt * (potential[i] + g * density), &s, &c);
    psi[i] = make_float2(a.x * c - a.y * s, a.x * s + a.y * c);
    sum += density;
  }
  for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(~0u, sum, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < blockDim.x / 32; ++i) sum += part[i];
    atomicAdd(norm, sum);
  }
}

// Spins of a plane turn by Metropolis, one color of a checkerboard; a generator's state a thread.
__global__ void xy_metropolis(float* __restrict__ angle, uint4* __restrict__ rng, int L, int color, float beta, int sweeps) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, half = L / 2;
  if (x >= half || y >= L) return;
  const int col = 2 * x + ((y + color) & 1), at = y * L + col;
  uint4 s = rng[y * half + x];
  auto next = [&] {
    uint32_t t = s.x ^ (s.x << 11);
    s.x = s.y, s.y = s.z, s.z = s.w;
    s.w = s.w ^ (s.w >> 19) ^ t ^ (t >> 8);
    return s.w * 2.3283064e-10f;
  };
  const float a = angle[y * L + (col + 1) % L], b = angle[y * L + (col + L - 1) % L], c = angle[(y + 1) % L * L + col], d = angle[(y + L - 1) % L * L + col];
  float mine = angle[at];
  float e = -(cosf(mine - a) + cosf(mine - b) + cosf(mine - c) + cosf(mine - d));
  for (int i = 0; i < sweeps; ++i) {
    const float trial = mine + 2.f * (next() - 0.5f);
    const float t = -(cosf(trial - a) + cosf(trial - b) + cosf(trial - c) + cosf(trial - d));
    if (t <= e || next() < __expf(-beta * (t - e))) mine = trial, e = t;
  }
  angle[at] = mine;
  rng[y * half + x] = s;
}

// Reactions of three kinds by chance (Gillespie): a thread a trajectory until the time is over.
__global__ void gillespie_paths(int3* out, unsigned long long seed, int paths, float t_end) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= paths) return;
  unsigned long long s = seed + id * 0x9E3779B97F4A7C15ull;
  auto uniform = [&] {
    s += 0x9E3779B97F4A7C15ull;
    unsigned long long z = s;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return ((z ^ z >> 31) >> 40) * 5.9604645e-8f + 3e-8f;
  };
  int a = 60, b = 20, c = 0;
  float t = 0.f;
  while (true) {
    const float r1 = 0.5f * a, r2 = 0.02f * a * b, r3 = 0.3f * b, r4 = 4.f, sum = r1 + r2 + r3 + r4;
    t -= logf(uniform()) / sum;
    if (t > t_end) break;
    const float u = uniform() * sum;
    if (u < r1)
      --a, ++b;
    else if (u < r1 + r2)
      --a, ++b, ++c;
    else if (u < r1 + r2 + r3)
      --b;
    else
      ++a;
  }
  out[id] = make_int3(a, b, c);
}

// Reactors with a step that adapts (Cash and Karp), five species: a thread a cell.
__device__ void rates(const double* y, double* f, double temperature) {
  const double k1 = 2.0e3 * exp(-900.0 / temperature), k2 = 7.5e2 * exp(-650.0 / temperature), k3 = 40.0 * exp(-300.0 / temperature);
  const double r1 = k1 * y[0] * y[1], r2 = k2 * y[2] * y[1], r3 = k3 * y[3];
  f[0] = -r1 + 0.1 * r3;
  f[1] = -r1 - r2 + r3;
  f[2] = r1 - r2;
  f[3] = r2 - r3;
  f[4] = r3 - 0.05 * y[4];
}
__global__ void cash_karp_cells(double* __restrict__ state, const double* __restrict__ temperatures, int* __restrict__ steps, int cells, double t_end) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cells) return;
  double y[5], k1[5], k2[5], k3[5], k4[5], k5[5], k6[5], w[5];
  for (int i = 0; i < 5; ++i) y[i] = state[i * cells + c];
  const double T = temperatures[c];
  double t = 0.0, h = 1e-3;
  int n = 0;
  while (t < t_end && n < 400) {
    if (t + h > t_end) h = t_end - t;
    rates(y, k1, T);
    for (int i = 0; i < 5; ++i) w[i] = y[i] + h * 0.2 * k1[i];
    rates(w, k2, T);
    for (int i = 0; i < 5; ++i) w[i] = y[i] + h * (0.075 * k1[i] + 0.225 * k2[i]);
    rates(w, k3, T);
    for (int i = 0; i < 5; ++i) w[i] = y[i] + h * (0.3 * k1[i] - 0.9 * k2[i] + 1.2 * k3[i]);
    rates(w, k4, T);
    for (int i = 0; i < 5; ++i) w[i] = y[i] + h * (-11.0 / 54 * k1[i] + 2.5 * k2[i] - 70.0 / 27 * k3[i] + 35.0 / 27 * k4[i]);
    rates(w, k5, T);
    for (int i = 0; i < 5; ++i) w[i] = y[i] + h * (1631.0 / 55296 * k1[i] + 175.0 / 512 * k2[i] + 575.0 / 13824 * k3[i] + 44275.0 / 110592 * k4[i] + 253.0 / 4096 * k5[i]);
    rates(w, k6, T);
    double err = 0.0;
    for (int i = 0; i < 5; ++i) {
      w[i] = y[i] + h * (37.0 / 378 * k1[i] + 250.0 / 621 * k3[i] + 125.0 / 594 * k4[i] + 512.0 / 1771 * k6[i]);
      const double low = y[i] + h * (2825.0 / 27648 * k1[i] + 18575.0 / 48384 * k3[i] + 13525.0 / 55296 * k4[i] + 277.0 / 14336 * k5[i] + 0.25 * k6[i]);
      err = fmax(err, fabs(w[i] - low) / (1e-9 + 1e-6 * fabs(w[i])));
    }
    ++n;
    if (err <= 1.0) {
      t += h;
      for (int i = 0; i < 5; ++i) y[i] = w[i];
      h *= fmin(4.0, 0.9 * rsqrt(sqrt(err + 1e-12)));
    } else
      h *= fmax(0.2, 0.9 / sqrt(sqrt(err)));
  }
  for (int i = 0; i < 5; ++i) state[i * cells + c] = y[i];
  steps[c] = n;
}

// Orbits: Kepler's equation by Newton, then positions in space.
struct Elements {
  float a, e, incl, node, peri, anomaly;
};
__global__ void kepler_positions(const Elements* el, float* px, float* py, float* pz, int n, int times, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Elements k = el[i];
  float motion = rsqrtf(k.a * k.a * k.a), si, ci, so, co, sw, cw;
  sincosf(k.incl, &si, &ci);
  sincosf(k.node, &so, &co);
  sincosf(k.peri, &sw, &cw);
  for (int t = 0; t < times; ++t) {
    float M = fmodf(k.anomaly + motion * dt * t, 6.2831853f), E = M + k.e * sinf(M);
    for (int it = 0; it < 12; ++it) {
      float d = (E - k.e * sinf(E) - M) / (1.f - k.e * cosf(E));
      E -= d;
      if (fabsf(d) < 1e-6f) break;
    }
    float x = k.a * (cosf(E) - k.e), y = k.a * sqrtf(1.f - k.e * k.e) * sinf(E);
    px[t * n + i] = x * (cw * co - sw * so * ci) - y * (sw * co + cw * so * ci);
    py[t * n + i] = x * (cw * so + sw * co * ci) + y * (cw * co * ci - sw * so);
    pz[t * n + i] = x * sw * si + y * cw * si;
  }
}

// Bonds held rigid in molecules of three sites, until all three are within tolerance.
__global__ void shake_water(const float3* __restrict__ before, float3* __restrict__ now, int molecules, float tolerance) {
  const int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= molecules) return;
  float3 r[3], q[3];
#pragma unroll
  for (int i = 0; i < 3; ++i) r[i] = now[3 * m + i], q[i] = before[3 * m + i];
  const float inv_mass[3] = {0.0625f, 1.f, 1.f}, d2[3] = {1.f, 1.f, 2.667f};
  for (int it = 0; it < 60; ++it) {
    bool done = true;
#pragma unroll
    for (int b = 0; b < 3; ++b) {
      const int i = b == 2 ? 1 : 0, j = b == 0 ? 1 : 2;
      const float dx = r[i].x - r[j].x, dy = r[i].y - r[j].y, dz = r[i].z - r[j].z, diff = dx * dx + dy * dy + dz * dz - d2[b];
      if (fabsf(diff) < tolerance * d2[b]) continue;
      done = false;
      const float bx = q[i].x - q[j].x, by = q[i].y - q[j].y, bz = q[i].z - q[j].z;
      const float g = diff / (2.f * (inv_mass[i] + inv_mass[j]) * (dx * bx + dy * by + dz * bz));
      r[i].x -= g * inv_mass[i] * bx, r[i].y -= g * inv_mass[i] * by, r[i].z -= g * inv_mass[i] * bz;
      r[j].x += g * inv_mass[j] * bx, r[j].y += g * inv_mass[j] * by, r[j].z += g * inv_mass[j] * bz;
    }
    if (done) break;
  }
#pragma unroll
  for (int i = 0; i < 3; ++i) now[3 * m + i] = r[i];
}

// Born's radii: pairs of a warp's 32 atoms with 32 others by shuffles, added by atomics.
__global__ void born_radii_warp(const float4* __restrict__ atoms, const float* __restrict__ radius, float* __restrict__ sums, int tiles) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= tiles * tiles) return;
  const int ti = warp / tiles, tj = warp % tiles;
  const float4 a = atoms[ti * 32 + lane];
  const float ra = radius[ti * 32 + lane];
  float4 b = atoms[tj * 32 + lane];
  float rb = radius[tj * 32 + lane], sum = 0.f;
  for (int k = 0; k < 32; ++k) {
    const float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z, r2 = dx * dx + dy * dy + dz * dz;
    if (r2 > 1e-6f) {
      const float inv = rsqrtf(r2), r = r2 * inv, upper = r + rb;
      if (ra < upper) {
        const float l = 1.f / fmaxf(ra, fabsf(r - rb)), u = 1.f / upper, l2 = l * l, u2 = u * u;
        sum += l - u + 0.25f * (r * (u2 - l2) + rb * rb * inv * (l2 - u2)) + 0.5f * logf(u / l) * inv;
      }
    }
    b.x = __shfl_sync(~0u, b.x, (lane + 1) & 31);
    b.y = __shfl_sync(~0u, b.y, (lane + 1) & 31);
    b.z = __shfl_sync(~0u, b.z, (lane + 1) & 31);
    rb = __shfl_sync(~0u, rb, (lane + 1) & 31);
  }
  atomicAdd(&sums[ti * 32 + lane], sum);
}

// Density of electrons on a grid from contracted Gaussians: shells in constant memory.
struct Shell {
  float x, y, z, coefficient[3], exponent[3];
};
__constant__ Shell c_shells[96];
__global__ void orbital_on_grid(float* __restrict__ rho, int shells, int nx, int ny, float h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x >= nx || y >= ny) return;
  float psi = 0.f;
  for (int s = 0; s < shells; ++s) {
    const float dx = x * h - c_shells[s].x, dy = y * h - c_shells[s].y, dz = z * h - c_shells[s].z, r2 = dx * dx + dy * dy + dz * dz;
    float radial = 0.f;
#pragma unroll
    for (int k = 0; k < 3; ++k) radial += c_shells[s].coefficient[k] * __expf(-c_shells[s].exponent[k] * r2);
    psi += s % 4 == 0 ? radial : radial * (s % 4 == 1 ? dx : s % 4 == 2 ? dy : dz);
  }
  rho[(z * ny + y) * nx + x] = psi * psi;
}

// Neutrons through slabs: sweeps of ordinates over cells with diamond differences, a thread an ordinate and group.
__global__ void sn_slab_sweep(const double* __restrict__ sigma, const double* __restrict__ source, const double* __restrict__ mu, const double* __restrict__ weight, double* __restrict__ flux, int cells, int ordinates, int groups, double h) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= ordinates * groups) return;
  const int m = id % ordinates, g = id / ordinates;
  const double c = mu[m], w = weight[m], a = 2.0 * fabs(c) / h;
  double in = 0.0;
  for (int i = 0; i < cells; ++i) {
    const int cell = c > 0 ? i : cells - 1 - i;
    const double mid = (source[g * cells + cell] + a * in) / (sigma[g * cells + cell] + a);
    in = fmax(0.0, 2.0 * mid - in);
    atomicAdd(&flux[g * cells + cell], w * mid);
  }
}

// A level set towards distances: upwind differences after Godunov.
__global__ void reinitialize_distance(const float* __restrict__ phi, const float* __restrict__ phi0, float* __restrict__ out, int nx, int ny, int nz, float dx, float dt) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  auto at = [&](int i, int j, int k) { return phi[(min(max(k, 0), nz - 1) * ny + min(max(j, 0), ny - 1)) * nx + min(max(i, 0), nx - 1)]; };
  const float p = at(x, y, z), inv = 1.f / dx;
  const float a = (p - at(x - 1, y, z)) * inv, b = (at(x + 1, y, z) - p) * inv, c = (p - at(x, y - 1, z)) * inv, d = (at(x, y + 1, z) - p) * inv, e = (p - at(x, y, z - 1)) * inv, f = (at(x, y, z + 1) - p) * inv;
  const float s0 = phi0[(z * ny + y) * nx + x], s = s0 * rsqrtf(s0 * s0 + dx * dx);
  auto side = [&](float lo, float hi) {
    if (s > 0.f) lo = fmaxf(lo, 0.f), hi = fminf(hi, 0.f);
    else lo = fminf(lo, 0.f), hi = fmaxf(hi, 0.f);
    return fmaxf(lo * lo, hi * hi);
  };
  out[(z * ny + y) * nx + x] = p - dt * s * (sqrtf(side(a, b) + side(c, d) + side(e, f)) - 1.f);
}

// Two vectors' update and three products of a stabilized method in one pass.
__global__ __launch_bounds__(256) void bicgstab_update(double* __restrict__ x, double* __restrict__ r, const double* __restrict__ p, const double* __restrict__ s, const double* __restrict__ t, const double* __restrict__ r0, const double* __restrict__ scalars, double* __restrict__ dots, int n) {
  __shared__ double red[3][8];
  const double alpha = scalars[0], omega = scalars[1];
  double rr = 0, r0r = 0, xx = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const double xv = x[i] + alpha * p[i] + omega * s[i], rv = s[i] - omega * t[i];
    x[i] = xv, r[i] = rv;
    rr += rv * rv, r0r += rv * r0[i], xx += xv * xv;
  }
  for (int o = 16; o; o /= 2) rr += __shfl_xor_sync(~0u, rr, o), r0r += __shfl_xor_sync(~0u, r0r, o), xx += __shfl_xor_sync(~0u, xx, o);
  if (threadIdx.x % 32 == 0) red[0][threadIdx.x / 32] = rr, red[1][threadIdx.x / 32] = r0r, red[2][threadIdx.x / 32] = xx;
  __syncthreads();
  if (threadIdx.x < 3) {
    double v = 0;
    for (int k = 0; k < 8; ++k) v += red[threadIdx.x][k];
    atomicAdd(&dots[threadIdx.x], v);
  }
}

// American options: the regression's sums of a step, three polynomials, over the paths in the money.
__global__ void lsm_regression_sums(const float* __restrict__ spot, const float* __restrict__ cash, double* __restrict__ sums, int paths, float strike, float discount) {
  double a[8] = {};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < paths; i += blockDim.x * gridDim.x) {
    const float s = spot[i];
    if (s >= strike) continue;
    const float x = s / strike, y = cash[i] * discount, x2 = x * x;
    a[0] += 1.0, a[1] += x, a[2] += x2, a[3] += x2 * x, a[4] += x2 * x2, a[5] += y, a[6] += y * x, a[7] += y * x2;
  }
  __shared__ double block[8];
  if (threadIdx.x < 8) block[threadIdx.x] = 0.0;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    for (int o = 16; o; o >>= 1) a[k] += __shfl_down_sync(~0u, a[k], o);
    if (threadIdx.x % 32 == 0) atomicAdd(&block[k], a[k]);
  }
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&sums[threadIdx.x], block[threadIdx.x]);
}

// Volatilities of a smile after Hagan, over strikes and expiries.
__global__ void sabr_smile(const float4* __restrict__ params, const float* __restrict__ strikes, float* __restrict__ vols, int expiries, int count, float forward) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x, e = blockIdx.y;
  if (k >= count) return;
  const float4 p = params[e];  // alpha, beta, rho, nu
  const float K = strikes[k], t = 0.25f * (e + 1), omb = 1.f - p.y, logfk = logf(forward / K), fk = powf(forward * K, 0.5f * omb);
  const float a = omb * omb * p.x * p.x / (24.f * fk * fk), b = 0.25f * p.z * p.y * p.w * p.x / fk, c = (2.f - 3.f * p.z * p.z) * p.w * p.w / 24.f;
  const float v = omb * omb * logfk * logfk, d = fk * (1.f + v / 24.f + v * v / 1920.f), z = p.w / p.x * fk * logfk;
  const float xz = logf((sqrtf(1.f - 2.f * p.z * z + z * z) + z - p.z) / (1.f - p.z));
  vols[e * count + k] = p.x / d * (fabsf(z) < 1e-5f ? 1.f : z / xz) * (1.f + (a + b + c) * t);
}

// Exposure of swaps along paths of a short rate: a thread a path, all dates.
__global__ void exposure_paths(const float* __restrict__ normals, float* __restrict__ exposure, const float* __restrict__ discount_curve, int paths, int dates, float kappa, float sigma, float fixed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= paths) return;
  float r = 0.02f, df = 1.f;
  for (int t = 0; t < dates; ++t) {
    r += kappa * (0.03f - r) * 0.25f + sigma * 0.5f * normals[(size_t)t * paths + i];
    df *= expf(-0.25f * r);
    float value = 0.f, p = 1.f;
    for (int u = t + 1; u <= dates; ++u) {
      const float B = (1.f - expf(-kappa * 0.25f * (u - t))) / kappa;
      p = discount_curve[u - t] * expf(-B * (r - 0.03f));
      value += 0.25f * fixed * p;
    }
    value = 1.f - p - value;
    exposure[(size_t)t * paths + i] = fmaxf(value, 0.f) * df;
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* f = on_device<float>(8 * M, [](uint32_t i) { return fraction(i + 3) * 2 - 1; });
  const float* positive = on_device<float>(4 * M, [](uint32_t i) { return fraction(i + 9) + 0.2f; });
  float* o = zeros<float>(16 * M);
  float* g = on_device<float>(8 * M, [](uint32_t i) { return fraction(i + 5); });
  const double* d = on_device<double>(4 * M, [](uint32_t i) { return double(fraction(i + 4)) + 0.1; });
  double* dd = on_device<double>(8 * M, [](uint32_t i) { return double(fraction(i + 14)); });

  // A tree of eight times eight times ... cells over sorted bodies: four levels.
  std::vector<Node> nodes;
  std::vector<float4> bodies(16384);
  {
    const int side = 16;
    std::vector<std::vector<int>> cell(side * side * side);
    for (uint32_t i = 0; i < 16384; ++i) {
      const int at = int(i / 4);
      auto part = [&](int bit) { int v = 0; for (int k = 0; k < 4; ++k) v |= (at >> (3 * k + bit) & 1) << k; return v; };
      bodies[i] = make_float4((part(0) + fraction(3 * i)) / side, (part(1) + fraction(3 * i + 1)) / side, (part(2) + fraction(3 * i + 2)) / side, 0.5f + fraction(i));
    }
    // Level by level: node at level l has 8^(4-l) leaves of 4 bodies each.
    std::vector<int> first;
    int total = 0;
    for (int l = 0; l <= 4; ++l) first.push_back(total), total += 1 << 3 * l;
    nodes.resize(total);
    for (int l = 4; l >= 0; --l)
      for (int k = 0; k < 1 << 3 * l; ++k) {
        Node& n = nodes[first[l] + k];
        const int per = 16384 >> 3 * l;
        float x = 0, y = 0, z = 0, m = 0;
        for (int i = k * per; i < (k + 1) * per; ++i) x += bodies[i].x * bodies[i].w, y += bodies[i].y * bodies[i].w, z += bodies[i].z * bodies[i].w, m += bodies[i].w;
        n.center = make_float4(x / m, y / m, z / m, m);
        n.size = 1.f / float(1 << l);
        for (int c = 0; c < 8; ++c) n.child[c] = l < 4 ? first[l + 1] + k * 8 + c : c < 4 ? -2 - (k * 4 + c) : -1;
      }
  }
  const Node* nodes_d = on_device(nodes);
  const float4* bodies_d = on_device(bodies);
  run("tree_gravity", [&] { tree_gravity<<<16384 / 128, 128>>>(nodes_d, bodies_d, (float3*)o, 16384, 0.49f); });
  run("hermite_acc_jerk", [&] { hermite_acc_jerk<<<4096 / 64, 64>>>((const Vec4d*)d, (const Vec4d*)d + 8192, (double3*)dd, (double3*)dd + 8192, 4096); });
  run("gauss_seidel_color", [&] { gauss_seidel_color<<<dim3(2, 16, 126), dim3(32, 8)>>>(g, f, 128, 128, 128, 0, 0.01f); });
  run("chebyshev_smooth_7", [&] { chebyshev_smooth_7<<<dim3(4, 16), dim3(32, 8)>>>(d, d + 2 * M, dd, dd + 3 * M, 120, 0.2, 0.3); });
  run("wave8_absorb", [&] { wave8_absorb<32, 8><<<dim3(1200 / 32 + 1, 100), dim3(32, 8)>>>(g, o, positive, 1200, 800, 30); });
  run("confine_vorticity", [&] { confine_vorticity<<<dim3(64, 64), dim3(16, 16)>>>((const float2*)f, (float2*)o, 1024, 1024, 0.3f, 0.02f); });
  run("pressure_tile_rounds", [&] { pressure_tile_rounds<<<dim3(32, 32), dim3(32, 32)>>>(f, g, o, 768, 768, 4); });
  std::vector<float4> particles;
  std::vector<int2> cells;
  for (uint32_t c = 0; c < 32 * 32 * 16; ++c) {
    const int begin = int(particles.size());
    for (uint32_t k = 0; k < 2 + hashed(c) % 5; ++k) particles.push_back(make_float4(c % 32 + fraction(c * 31 + k), c / 32 % 32 + fraction(c * 37 + k), c / 1024 + fraction(c * 41 + k), 0.f));
    cells.push_back(make_int2(begin, int(particles.size())));
  }
  const int count = int(particles.size());
  const float4* particles_d = on_device(particles);
  const int2* cells_d = on_device(cells);
  run("pbf_lambda", [&] { pbf_lambda<<<(count + 255) / 256, 256>>>(particles_d, cells_d, o, count, make_int3(32, 32, 16), 1.f, 1.f); });
  const float r2 = 0.70710678f;
  run("apply_gate_float_5", [&] { apply_gate<float2, float><<<2 * M / 256, 256>>>((float2*)o, 2 * M, 5, r2, 0.f, r2, 0.f, r2, 0.f, -r2, 0.f, 0ul); });
  run("apply_gate_double_20", [&] { apply_gate<double2, double><<<M / 128, 128>>>((double2*)dd, M, 20, 0.8, 0.0, 0.0, -0.6, 0.0, -0.6, 0.8, 0.0, 9ul); });
  double* sums = zeros<double>(64);
  run("split_step_phase", [&] { split_step_phase<<<264, 256>>>((float2*)o, f, sums, 2 * M, 0.5f, 0.01f); });
  uint4* rng = on_device<uint4>(512 * 1024, [](uint32_t i) { return make_uint4(hashed(i), hashed(i + 1), hashed(i + 2), hashed(i + 3) | 1); });
  run("xy_metropolis", [&] { xy_metropolis<<<dim3(8, 128), dim3(64, 8)>>>(g, rng, 1024, 1, 1.1f, 4); });
  run("gillespie_paths", [&] { gillespie_paths<<<(30000 + 127) / 128, 128>>>((int3*)o, 42, 30000, 6.f); });
  const double* temperatures = on_device<double>(20000, [](uint32_t i) { return 300.0 + 200.0 * fraction(i); });
  double* species = on_device<double>(5 * 12000, [](uint32_t i) { return double(fraction(i + 14)); });
  int* io = zeros<int>(M);
  run("cash_karp_cells", [&] { cash_karp_cells<<<(12000 + 63) / 64, 64>>>(species, temperatures, io, 12000, 0.08); });
  const Elements* elements = on_device<Elements>(20000, [](uint32_t i) { return Elements{0.8f + 3 * fraction(i), 0.6f * fraction(i + 1), fraction(i + 2), 6 * fraction(i + 3), 6 * fraction(i + 4), 6 * fraction(i + 5)}; });
  run("kepler_positions", [&] { kepler_positions<<<(20000 + 191) / 192, 192>>>(elements, o, o + 2 * M, o + 4 * M, 20000, 40, 0.13f); });
  std::vector<float3> sites(3 * 100000), moved(3 * 100000);
  for (uint32_t m = 0; m < 100000; ++m) {
    const float x = fraction(m) * 50, y = fraction(m + 1) * 50, z = fraction(m + 2) * 50;
    sites[3 * m] = make_float3(x, y, z), sites[3 * m + 1] = make_float3(x + 0.577f, y + 0.816f, z), sites[3 * m + 2] = make_float3(x + 0.577f, y - 0.816f, z);
    for (uint32_t k = 0; k < 3; ++k) moved[3 * m + k] = make_float3(sites[3 * m + k].x + 0.06f * fraction(9 * m + k), sites[3 * m + k].y + 0.06f * fraction(9 * m + k + 3), sites[3 * m + k].z + 0.06f * fraction(9 * m + k + 6));
  }
  const float3* sites_d = on_device(sites);
  float3* moved_d = on_device(moved);
  run("shake_water", [&] { shake_water<<<(100000 + 127) / 128, 128>>>(sites_d, moved_d, 100000, 1e-4f); });
  run("born_radii_warp", [&] { born_radii_warp<<<110 * 110 / 4, 128>>>((const float4*)positive, positive + 100000, o, 110); });
  std::vector<Shell> shells(96);
  for (uint32_t s = 0; s < 96; ++s) shells[s] = Shell{fraction(s) * 8, fraction(s + 1) * 8, fraction(s + 2) * 8, {0.4f, 0.5f, 0.2f}, {0.2f + fraction(s), 1.f + fraction(s), 4.f}};
  CHECK(cudaMemcpyToSymbol(c_shells, shells.data(), shells.size() * sizeof(Shell)));
  run("orbital_on_grid", [&] { orbital_on_grid<<<dim3(3, 12, 96), dim3(32, 8)>>>(o, 96, 96, 96, 0.085f); });
  const double* mu = on_device<double>(32, [](uint32_t i) { return (i % 2 ? 1 : -1) * (0.03 + 0.06 * (i / 2)); });
  run("sn_slab_sweep", [&] { sn_slab_sweep<<<64, 64>>>(d, d + M, mu, d, dd, 400, 32, 128, 0.05); });
  run("reinitialize_distance", [&] { reinitialize_distance<<<dim3(4, 25, 25), dim3(32, 4, 4)>>>(f, f + 3, o, 100, 100, 100, 0.01f, 0.004f); });
  run("bicgstab_update", [&] { bicgstab_update<<<396, 256>>>(dd, dd + 2 * M, d, d + M, d + 2 * M, d + 3 * M, d + 17, sums, 1000000); });
  run("lsm_regression_sums", [&] { lsm_regression_sums<<<132, 512>>>(positive, f, sums + 8, 1500000, 0.8f, 0.99f); });
  const float4* params = on_device<float4>(40, [](uint32_t i) { return make_float4(0.1f + 0.1f * fraction(i), 0.5f + 0.4f * fraction(i + 1), -0.3f + 0.2f * fraction(i + 2), 0.3f + 0.2f * fraction(i + 3)); });
  run("sabr_smile", [&] { sabr_smile<<<dim3((6000 + 127) / 128, 40), 128>>>(params, positive, o, 40, 6000, 0.7f); });
  run("exposure_paths", [&] { exposure_paths<<<8192 / 64, 64>>>(f, o, positive, 8192, 40, 0.1f, 0.01f, 0.03f); });
  return 0;
}
