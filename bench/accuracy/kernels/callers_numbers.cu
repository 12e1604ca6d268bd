// Finance, sparse matrices, statistics and physics: volatilities, barriers and trees, products of sparse rows, densities and bootstraps, springs, grains, particles in fields, photons and waves.
#include "cases.h"

// Volatilities that prices imply, by Newton's method until it settles.
__device__ inline float normal_cdf(float x) { return 0.5f * erfcf(-x * 0.70710678f); }
__global__ void implied_volatility(const float* __restrict__ price, const float* __restrict__ strike, const float* __restrict__ expiry, float* __restrict__ vol, int n, float spot, float rate) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float K = 80.f + 40.f * strike[i], T = 0.1f + 2.f * expiry[i], root = sqrtf(T), discount = K * expf(-rate * T);
  const float target = fmaxf(spot - discount, 0.f) + 1.f + 12.f * price[i];
  float sigma = 0.25f;
  for (int k = 0; k < 20; ++k) {
    const float d1 = (logf(spot / K) + (rate + 0.5f * sigma * sigma) * T) / (sigma * root), d2 = d1 - sigma * root;
    const float diff = spot * normal_cdf(d1) - discount * normal_cdf(d2) - target;
    if (fabsf(diff) < 1e-4f) break;
    const float vega = spot * root * 0.39894228f * expf(-0.5f * d1 * d1);
    sigma = fminf(fmaxf(sigma - diff / fmaxf(vega, 1e-3f), 0.01f), 4.f);
  }
  vol[i] = sigma;
}

// An American put on a tree of three branches: an option a block, levels in shared memory.
__global__ void trinomial_american(const float* spot, float* value, int steps, float strike, float rate, float vol, float T) {
  extern __shared__ float v[];
  const int nodes = 2 * steps + 1;
  const float dt = T / steps, dx = vol * sqrtf(3.f * dt), drift = rate - 0.5f * vol * vol;
  const float pu = 1.f / 6 + drift * sqrtf(dt / (12.f * vol * vol)), pd = 1.f / 6 - drift * sqrtf(dt / (12.f * vol * vol)), pm = 2.f / 3, disc = expf(-rate * dt);
  const float s0 = 80.f + 40.f * spot[blockIdx.x];
  float *now = v, *next = v + nodes;
  for (int i = threadIdx.x; i < nodes; i += blockDim.x) now[i] = fmaxf(strike - s0 * expf((i - steps) * dx), 0.f);
  __syncthreads();
  for (int level = steps - 1; level >= 0; --level) {
    for (int i = threadIdx.x; i <= 2 * level; i += blockDim.x) {
      const float hold = disc * (pd * now[i] + pm * now[i + 1] + pu * now[i + 2]);
      next[i] = fmaxf(hold, strike - s0 * expf((i - level) * dx));
    }
    __syncthreads();
    float* t = now;
    now = next;
    next = t;
  }
  if (threadIdx.x == 0) value[blockIdx.x] = now[0];
}

// Paths that stop when they touch a barrier; normals of xorshift by Box and Muller.
__global__ void knock_out_paths(float* payoff, int paths, int steps, float s0, float strike, float barrier, float drift, float vol) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= paths) return;
  unsigned long long x = 0x9E3779B97F4A7C15ull * (id + 1);
  float s = s0;
  bool alive = true;
  for (int t = 0; t < steps && alive; t += 2) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    float u = ((unsigned)x >> 8) * (1.0f / 16777216.0f) + 3e-8f, w = (unsigned)(x >> 40) * (1.0f / 16777216.0f);
    float r = sqrtf(-2.0f * __logf(u)), sn, cs;
    __sincosf(6.2831853f * w, &sn, &cs);
    s *= __expf(drift + vol * r * cs);
    if (s >= barrier) alive = false;
    s *= __expf(drift + vol * r * sn);
    if (s >= barrier) alive = false;
  }
  payoff[id] = alive ? fmaxf(s - strike, 0.0f) : 0.0f;
}

// Yields of bonds with yearly coupons by bisection, in double precision.
__global__ void bond_yields(const double* price, const int* years, double* yield, int n, double coupon) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) {
    double lo = -0.05, hi = 0.5;
    for (int k = 0; k < 24; k++) {
      double mid = 0.5 * (lo + hi), q = 1.0 / (1.0 + mid), f = 1.0, pv = 0.0;
      for (int y = 0; y < years[i]; y++) {
        f *= q;
        pv += coupon * f;
      }
      pv += 100.0 * f;
      if (pv > price[i]) lo = mid;
      else hi = mid;
    }
    yield[i] = 0.5 * (lo + hi);
  }
}

// A product of sparse matrices by rows: a block a row, columns in a hash table of shared memory.
template <int SLOTS>
__global__ void spgemm_row_hash(const int* __restrict__ ap, const int* __restrict__ ai, const float* __restrict__ av, const int* __restrict__ bp, const int* __restrict__ bi, const float* __restrict__ bv, int* __restrict__ counts, int* __restrict__ ci, float* __restrict__ cv) {
  __shared__ int key[SLOTS];
  __shared__ float val[SLOTS];
  __shared__ int used;
  for (int i = threadIdx.x; i < SLOTS; i += blockDim.x) key[i] = -1, val[i] = 0.f;
  if (threadIdx.x == 0) used = 0;
  __syncthreads();
  const int row = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int j = ap[row] + warp; j < ap[row + 1]; j += blockDim.x / 32) {
    const int mid = ai[j];
    const float x = av[j];
    for (int k = bp[mid] + lane; k < bp[mid + 1]; k += 32) {
      const int col = bi[k];
      int slot = (unsigned)(col * 107) % SLOTS;
      for (;;) {
        const int old = atomicCAS(&key[slot], -1, col);
        if (old == -1 || old == col) break;
        slot = slot + 1 == SLOTS ? 0 : slot + 1;
      }
      atomicAdd(&val[slot], x * bv[k]);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < SLOTS; i += blockDim.x)
    if (key[i] >= 0) {
      const int at = atomicAdd(&used, 1);
      ci[row * SLOTS + at] = key[i];
      cv[row * SLOTS + at] = val[i];
    }
  __syncthreads();
  if (threadIdx.x == 0) counts[row] = used;
}

// A matrix of diagonals times a vector.
__global__ void spmv_diagonals(const double* __restrict__ data, const int* __restrict__ offsets, const double* __restrict__ x, double* __restrict__ y, int rows, int diagonals) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  double dot = 0;
  for (int d = 0; d < diagonals; ++d) {
    const int c = r + offsets[d];
    if (c >= 0 && c < rows) dot += data[(size_t)d * rows + r] * x[c];
  }
  y[r] = dot;
}

// The density of samples at points of a line, tile by tile.
__global__ void kde_gaussian(const float* samples, const float* at, float* density, int n, int m, float h) {
  __shared__ float tile[200];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i < m ? at[i] : 0.0f;
  float sum = 0.0f, s = 0.5f / (h * h);
  for (int t = 0; t < n; t += blockDim.x) {
    if (t + threadIdx.x < n) tile[threadIdx.x] = samples[t + threadIdx.x];
    __syncthreads();
    int count = min((int)blockDim.x, n - t);
    for (int j = 0; j < count; j++) {
      float d = x - tile[j];
      sum += expf(-d * d * s);
    }
    __syncthreads();
  }
  if (i < m) density[i] = sum / (n * h * 2.5066283f);
}

// Means of resamples: a block a resample, indices from a linear congruence.
template <int B>
__global__ void bootstrap_means(const float* __restrict__ x, float* __restrict__ means, int n) {
  __shared__ double part[B / 32];
  unsigned state = blockIdx.x * 9781u + threadIdx.x * 6271u + 1u;
  double sum = 0;
  for (int i = threadIdx.x; i < n; i += B) {
    state = state * 1664525u + 1013904223u;
    sum += x[__umulhi(state, n)];
  }
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < B / 32; ++w) sum += part[w];
    means[blockIdx.x] = float(sum / n);
  }
}

// Correlations of all pairs of variables, a tile of 16x16 pairs a block, rows are observations.
__global__ void pearson_pairs(const float* __restrict__ x, float* __restrict__ r, int vars, int obs) {
  __shared__ float a[16][17], b[16][17];
  const int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * 16 + ty, j = blockIdx.x * 16 + tx;
  if (blockIdx.x < blockIdx.y) return;
  float si = 0, sj = 0, sii = 0, sjj = 0, sij = 0;
  for (int t0 = 0; t0 < obs; t0 += 16) {
    const int ca = blockIdx.y * 16 + tx, cb = blockIdx.x * 16 + tx;
    a[ty][tx] = t0 + ty < obs && ca < vars ? x[(t0 + ty) * vars + ca] : 0.f;
    b[ty][tx] = t0 + ty < obs && cb < vars ? x[(t0 + ty) * vars + cb] : 0.f;
    __syncthreads();
#pragma unroll
    for (int t = 0; t < 16; ++t) {
      const float u = a[t][ty], v = b[t][tx];
      si += u, sj += v, sii += u * u, sjj += v * v, sij += u * v;
    }
    __syncthreads();
  }
  if (i <= j && j < vars) {
    const float value = (obs * sij - si * sj) * rsqrtf((obs * sii - si * si) * (obs * sjj - sj * sj));
    r[i * vars + j] = value;
    r[j * vars + i] = value;
  }
}

// Cloth: springs to eight neighbours, Verlet's step, a ball to slide over.
__global__ void cloth_verlet(const float4* __restrict__ now, const float4* __restrict__ before, float4* __restrict__ after, int w, int h, float rest, float k, float dt2) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const int id = y * w + x;
  const float4 p = now[id], q = before[id];
  if (p.w == 0.f) {
    after[id] = p;
    return;
  }
  float3 f = make_float3(0.f, -9.81f, 0.f);
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) {
      if ((i == 0 && j == 0) || x + i < 0 || x + i >= w || y + j < 0 || y + j >= h) continue;
      const float4 o = now[(y + j) * w + x + i];
      const float dx = o.x - p.x, dy = o.y - p.y, dz = o.z - p.z, length = sqrtf(dx * dx + dy * dy + dz * dz) + 1e-9f;
      const float want = i != 0 && j != 0 ? rest * 1.41421356f : rest, s = k * (length - want) / length;
      f.x += s * dx, f.y += s * dy, f.z += s * dz;
    }
  float4 n = make_float4(p.x + 0.99f * (p.x - q.x) + f.x * dt2, p.y + 0.99f * (p.y - q.y) + f.y * dt2, p.z + 0.99f * (p.z - q.z) + f.z * dt2, p.w);
  const float r2 = n.x * n.x + n.y * n.y + n.z * n.z;
  if (r2 < 0.25f) {
    const float s = 0.5f * rsqrtf(r2 + 1e-12f);
    n.x *= s, n.y *= s, n.z *= s;
  }
  after[id] = n;
}

struct Particle {
  float x, y, z, vx, vy, vz;
};
// Boris's push of particles (an array of structures) in fields on a grid.
__global__ void boris_push(Particle* particles, const float3* e_field, const float3* b_field, int n, int cells, float qm, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle p = particles[i];
  int cx = min((int)(p.x * cells), cells - 1), cy = min((int)(p.y * cells), cells - 1), cz = min((int)(p.z * cells), cells - 1);
  float3 e = e_field[(cz * cells + cy) * cells + cx], b = b_field[(cz * cells + cy) * cells + cx];
  float h = 0.5f * qm * dt;
  float ux = p.vx + h * e.x, uy = p.vy + h * e.y, uz = p.vz + h * e.z;
  float tx = h * b.x, ty = h * b.y, tz = h * b.z, t2 = 2.0f / (1.0f + tx * tx + ty * ty + tz * tz);
  float wx = ux + uy * tz - uz * ty, wy = uy + uz * tx - ux * tz, wz = uz + ux * ty - uy * tx;
  ux += t2 * (wy * tz - wz * ty);
  uy += t2 * (wz * tx - wx * tz);
  uz += t2 * (wx * ty - wy * tx);
  p.vx = ux + h * e.x;
  p.vy = uy + h * e.y;
  p.vz = uz + h * e.z;
  p.x += p.vx * dt;
  p.y += p.vy * dt;
  p.z += p.vz * dt;
  p.x -= floorf(p.x);
  p.y -= floorf(p.y);
  p.z -= floorf(p.z);
  particles[i] = p;
}

// Grains that press and rub their neighbours in a grid of cells, sorted by cell.
__global__ void grains_collide(const float4* __restrict__ pos, const float4* __restrict__ vel, const int2* __restrict__ cell, float4* __restrict__ out, int n, int side, float radius) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 p = pos[i], v = vel[i];
  const int gx = (int)(p.x * side), gy = (int)(p.y * side), gz = (int)(p.z * side);
  float3 f = make_float3(0, 0, 0);
  for (int dz = -1; dz <= 1; dz++)
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        const int x = gx + dx, y = gy + dy, z = gz + dz;
        if (x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side) continue;
        const int2 range = cell[(z * side + y) * side + x];
        for (int j = range.x; j < range.y; ++j) {
          if (j == i) continue;
          const float4 o = pos[j];
          const float rx = o.x - p.x, ry = o.y - p.y, rz = o.z - p.z, d2 = rx * rx + ry * ry + rz * rz;
          if (d2 >= 4 * radius * radius || d2 == 0.f) continue;
          const float d = sqrtf(d2), nx = rx / d, ny = ry / d, nz = rz / d;
          const float4 w = vel[j];
          const float ux = w.x - v.x, uy = w.y - v.y, uz = w.z - v.z, un = ux * nx + uy * ny + uz * nz, press = -500.f * (2 * radius - d);
          f.x += press * nx + 0.02f * ux + 0.1f * (ux - un * nx);
          f.y += press * ny + 0.02f * uy + 0.1f * (uy - un * ny);
          f.z += press * nz + 0.02f * uz + 0.1f * (uz - un * nz);
        }
      }
  out[i] = make_float4(v.x + f.x, v.y + f.y, v.z + f.z, 0.f);
}

// Photons in a slab that scatters and absorbs; roulette ends weak ones.
__device__ float next_uniform(uint2& s) {
  s.x = 36969 * (s.x & 65535) + (s.x >> 16);
  s.y = 18000 * (s.y & 65535) + (s.y >> 16);
  return (((s.x << 16) + s.y) >> 8) * (1.f / 16777216.f) + 2e-8f;
}
__global__ __launch_bounds__(128) void photon_slab(float* absorbed, float* left, int photons, float mu_a, float mu_s, float g, float depth, int bins) {
  const int id = blockIdx.x * 128 + threadIdx.x;
  if (id >= photons) return;
  uint2 rng = make_uint2(id * 2654435761u + 12345u, id * 2246822519u + 777u);
  float z = 0.f, uz = 1.f, weight = 1.f;
  const float mu_t = mu_a + mu_s;
  for (int step = 0; step < 300; ++step) {
    z -= uz * __logf(next_uniform(rng)) / mu_t;
    if (z < 0.f || z > depth) {
      atomicAdd(&left[z > depth], weight);
      break;
    }
    const float part = weight * mu_a / mu_t;
    weight -= part;
    atomicAdd(&absorbed[min((int)(z / depth * bins), bins - 1)], part);
    const float t = (1.f - g * g) / (1.f - g + 2.f * g * next_uniform(rng)), c = fminf(fmaxf((1.f + g * g - t * t) / (2.f * g), -1.f), 1.f);
    uz = fminf(fmaxf(uz * c + sqrtf(fmaxf((1.f - c * c) * (1.f - uz * uz), 0.f)) * __cosf(6.2831853f * next_uniform(rng)), -1.f), 1.f);
    if (weight < 0.01f) {
      if (next_uniform(rng) > 0.1f) break;
      weight *= 10.f;
    }
  }
}

// Shallow water after Lax and Friedrichs with walls: height and two momenta a cell, ghost cells in a padded tile.
template <int BX, int BY>
__global__ void shallow_water(const float* __restrict__ h, const float* __restrict__ hu, const float* __restrict__ hv, float* __restrict__ h2, float* __restrict__ hu2, float* __restrict__ hv2, int nx, int ny, float lambda) {
  __shared__ float s[3][BY + 2][BX + 3];
  const int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
  for (int i = threadIdx.y * BX + threadIdx.x; i < (BX + 2) * (BY + 2); i += BX * BY) {
    const int tx = i % (BX + 2), ty = i / (BX + 2);
    const int gx = blockIdx.x * BX + tx - 1, gy = blockIdx.y * BY + ty - 1;
    const int cx = min(max(gx, 0), nx - 1), cy = min(max(gy, 0), ny - 1);
    s[0][ty][tx] = h[cy * nx + cx];
    s[1][ty][tx] = gx == cx ? hu[cy * nx + cx] : -hu[cy * nx + cx];
    s[2][ty][tx] = gy == cy ? hv[cy * nx + cx] : -hv[cy * nx + cx];
  }
  __syncthreads();
  if (x >= nx || y >= ny) return;
  const int c = threadIdx.x + 1, r = threadIdx.y + 1;
  auto flux_x = [&](int k, int yy, int xx) {
    const float H = s[0][yy][xx], U = s[1][yy][xx], V = s[2][yy][xx];
    return k == 0 ? U : k == 1 ? U * U / H + 4.905f * H * H : U * V / H;
  };
  auto flux_y = [&](int k, int yy, int xx) {
    const float H = s[0][yy][xx], U = s[1][yy][xx], V = s[2][yy][xx];
    return k == 0 ? V : k == 1 ? U * V / H : V * V / H + 4.905f * H * H;
  };
  float* const out[3] = {h2, hu2, hv2};
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const float mean = 0.25f * (s[k][r][c - 1] + s[k][r][c + 1] + s[k][r - 1][c] + s[k][r + 1][c]);
    out[k][y * nx + x] = mean - 0.5f * lambda * (flux_x(k, r, c + 1) - flux_x(k, r, c - 1) + flux_y(k, r + 1, c) - flux_y(k, r - 1, c));
  }
}

// Coupled oscillators, everyone with everyone: phases in shared memory, double precision.
__global__ void kuramoto(const double* theta, const double* omega, double* next, int n, double coupling, double dt) {
  __shared__ double sn[96], cs[96];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double ss = 0, cc = 0;
  for (int t = 0; t < n; t += blockDim.x) {
    if (t + threadIdx.x < n) sincos(theta[t + threadIdx.x], &sn[threadIdx.x], &cs[threadIdx.x]);
    __syncthreads();
    const int m = min((int)blockDim.x, n - t);
    for (int j = 0; j < m; ++j) {
      ss += sn[j];
      cc += cs[j];
    }
    __syncthreads();
  }
  if (i >= n) return;
  double s, c;
  sincos(theta[i], &s, &c);
  next[i] = theta[i] + dt * (omega[i] + coupling / n * (ss * c - cc * s));
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const float* a = on_device<float>(1 << 22, fraction);
  const float* b = on_device<float>(1 << 22, [](uint32_t i) { return fraction(i * 3 + 1) - 0.5f; });
  float* c = zeros<float>(1 << 23);
  int* io = zeros<int>(1 << 22);
  const double* da = on_device<double>(1 << 21, [](uint32_t i) { return double(fraction(i)); });
  double* dc = zeros<double>(1 << 20);

  run("implied_volatility", [&] { implied_volatility<<<(120000 + 255) / 256, 256>>>(a, a + 300000, a + 600000, c, 120000, 100.f, 0.02f); });
  run("trinomial_american_200", [&] { trinomial_american<<<150, 128, 2 * 401 * 4>>>(a, c, 200, 100.f, 0.05f, 0.3f, 1.f); });
  run("trinomial_american_77", [&] { trinomial_american<<<1000, 64, 2 * 155 * 4>>>(a, c, 77, 100.f, 0.05f, 0.3f, 1.f); });
  run("knock_out_paths", [&] { knock_out_paths<<<(100000 + 191) / 192, 192>>>(c, 100000, 120, 100.f, 95.f, 125.f, 0.0001f, 0.015f); });
  const double* prices = on_device<double>(12000, [](uint32_t i) { return 80.0 + 40.0 * fraction(i); });
  const int* years = on_device<int>(12000, [](uint32_t i) { return int(1 + hashed(i) % 30); });
  run("bond_yields", [&] { bond_yields<<<(12000 + 63) / 64, 64>>>(prices, years, dc, 12000, 4.5); });
  std::vector<int> ptr(3001), col;
  for (uint32_t r = 0; r < 3000; ++r) {
    ptr[r] = int(col.size());
    for (uint32_t k = 0; k < 4 + hashed(r) % 9; ++k) col.push_back(int((r + hashed(r * 16 + k) % (k % 3 ? 40 : 3000)) % 3000));
  }
  ptr[3000] = int(col.size());
  const int *ptr_d = on_device(ptr), *col_d = on_device(col);
  run("spgemm_row_hash_509", [&] { spgemm_row_hash<509><<<3000, 64>>>(ptr_d, col_d, a, ptr_d, col_d, b, io, io + 4096, c); });
  const int* offsets = on_device<int>(9, [](uint32_t i) { return (int(i) - 4) * (i % 3 ? 1 : 317); });
  run("spmv_diagonals", [&] { spmv_diagonals<<<(200000 + 127) / 128, 128>>>(da, offsets, da + 1000, dc, 200000, 9); });
  run("kde_gaussian", [&] { kde_gaussian<<<100, 200>>>(a, a + 5000, c, 1700, 19999, 0.02f); });
  run("bootstrap_means_256", [&] { bootstrap_means<256><<<500, 256>>>(a, c, 20011); });
  run("bootstrap_means_64", [&] { bootstrap_means<64><<<3000, 64>>>(a, c, 997); });
  run("pearson_pairs", [&] { pearson_pairs<<<dim3(19, 19), dim3(16, 16)>>>(a, c, 300, 500); });
  const float4* cloth = on_device<float4>(500 * 420, [](uint32_t i) { return make_float4(i % 500 * 0.004f - 1 + 0.001f * fraction(i), 0.6f, i / 500 * 0.004f - 0.8f, i < 500 && i % 50 == 0 ? 0.f : 1.f); });
  run("cloth_verlet", [&] { cloth_verlet<<<dim3(16, 105), dim3(32, 4)>>>(cloth, cloth, (float4*)c, 500, 420, 0.004f, 900.f, 1e-5f); });
  Particle* particles = on_device<Particle>(300000, [](uint32_t i) { return Particle{fraction(6 * i), fraction(6 * i + 1), fraction(6 * i + 2), fraction(6 * i + 3) - 0.5f, fraction(6 * i + 4) - 0.5f, fraction(6 * i + 5) - 0.5f}; });
  run("boris_push", [&] { boris_push<<<(300000 + 255) / 256, 256>>>(particles, (const float3*)b, (const float3*)a, 300000, 40, 1.f, 0.01f); });
  std::vector<float4> grains;
  std::vector<int2> cells;
  for (uint32_t k = 0; k < 22 * 22 * 22; ++k) {
    const int first = int(grains.size());
    for (uint32_t g = 0; g < hashed(k) % 6; ++g) grains.push_back(make_float4((k % 22 + 0.001f + 0.998f * fraction(k * 21 + g)) / 22, (k / 22 % 22 + 0.001f + 0.998f * fraction(k * 23 + g + 5)) / 22, (k / 484 + 0.001f + 0.998f * fraction(k * 29 + g + 9)) / 22, 0.f));
    cells.push_back(make_int2(first, int(grains.size())));
  }
  const float4* grains_d = on_device(grains);
  const int2* cells_d = on_device(cells);
  const int count = int(grains.size());
  run("grains_collide", [&] { grains_collide<<<(count + 95) / 96, 96>>>(grains_d, (const float4*)b, cells_d, (float4*)c, count, 22, 0.5f / 22); });
  run("photon_slab", [&] { photon_slab<<<(15000 + 127) / 128, 128>>>(c, c + 4096, 15000, 0.6f, 9.f, 0.8f, 2.f, 2000); });
  const float* heights = on_device<float>(500000, [](uint32_t i) { return 1.f + 0.2f * fraction(i); });
  run("shallow_water_32", [&] { shallow_water<32, 8><<<dim3(22, 65), dim3(32, 8)>>>(heights, b, b + 500000, c, c + 500000, c + 1000000, 700, 520, 0.05f); });
  run("shallow_water_16", [&] { shallow_water<16, 16><<<dim3(14, 14), dim3(16, 16)>>>(heights, b, b + 500000, c, c + 500000, c + 1000000, 211, 222, 0.05f); });
  run("kuramoto", [&] { kuramoto<<<28, 96>>>(da, da + 5000, dc, 2600, 1.5, 0.01); });
  return 0;
}
