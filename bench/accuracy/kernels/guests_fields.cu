// Kernels of physics, finance and geometry in the forms of public repositories.
#include "cases.h"

// Rodinia's HotSpot: several steps a launch, halos recomputed.
#define BLOCK 16
#define IN_RANGE(x, min, max) ((x) >= (min) && (x) <= (max))
__global__ void hotspot_temp(int iteration, float* power, float* temp_src, float* temp_dst, int grid_cols, int grid_rows,
                             int border_cols, int border_rows, float Cap, float Rx, float Ry, float Rz, float step) {
  __shared__ float temp_on_cuda[BLOCK][BLOCK];
  __shared__ float power_on_cuda[BLOCK][BLOCK];
  __shared__ float temp_t[BLOCK][BLOCK];
  float amb_temp = 80.0, step_div_Cap = step / Cap, Rx_1 = 1 / Rx, Ry_1 = 1 / Ry, Rz_1 = 1 / Rz;
  int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  int small_block_rows = BLOCK - iteration * 2, small_block_cols = BLOCK - iteration * 2;
  int blkY = small_block_rows * by - border_rows, blkX = small_block_cols * bx - border_cols;
  int blkYmax = blkY + BLOCK - 1, blkXmax = blkX + BLOCK - 1;
  int yidx = blkY + ty, xidx = blkX + tx, index = grid_cols * yidx + xidx;
  if (IN_RANGE(yidx, 0, grid_rows - 1) && IN_RANGE(xidx, 0, grid_cols - 1)) {
    temp_on_cuda[ty][tx] = temp_src[index];
    power_on_cuda[ty][tx] = power[index];
  }
  __syncthreads();
  int validYmin = (blkY < 0) ? -blkY : 0, validYmax = (blkYmax > grid_rows - 1) ? BLOCK - 1 - (blkYmax - grid_rows + 1) : BLOCK - 1;
  int validXmin = (blkX < 0) ? -blkX : 0, validXmax = (blkXmax > grid_cols - 1) ? BLOCK - 1 - (blkXmax - grid_cols + 1) : BLOCK - 1;
  int N = ty - 1, S = ty + 1, W = tx - 1, E = tx + 1;
  N = (N < validYmin) ? validYmin : N;
  S = (S > validYmax) ? validYmax : S;
  W = (W < validXmin) ? validXmin : W;
  E = (E > validXmax) ? validXmax : E;
  bool computed;
  for (int i = 0; i < iteration; i++) {
    computed = false;
    if (IN_RANGE(tx, i + 1, BLOCK - i - 2) && IN_RANGE(ty, i + 1, BLOCK - i - 2) && IN_RANGE(tx, validXmin, validXmax) &&
        IN_RANGE(ty, validYmin, validYmax)) {
      computed = true;
      temp_t[ty][tx] =
          temp_on_cuda[ty][tx] +
          step_div_Cap * (power_on_cuda[ty][tx] + (temp_on_cuda[S][tx] + temp_on_cuda[N][tx] - 2.0 * temp_on_cuda[ty][tx]) * Ry_1 +
                          (temp_on_cuda[ty][E] + temp_on_cuda[ty][W] - 2.0 * temp_on_cuda[ty][tx]) * Rx_1 +
                          (amb_temp - temp_on_cuda[ty][tx]) * Rz_1);
    }
    __syncthreads();
    if (i == iteration - 1) break;
    if (computed) temp_on_cuda[ty][tx] = temp_t[ty][tx];
    __syncthreads();
  }
  if (computed) temp_dst[index] = temp_t[ty][tx];
}

// Rodinia's SRAD: the coefficient of diffusion from four neighbours by index arrays.
__global__ void srad_coefficient(float* d_I, float* d_dN, float* d_dS, float* d_dE, float* d_dW, float* d_c, const int* d_iN,
                                 const int* d_iS, const int* d_jE, const int* d_jW, long d_Ne, int d_Nr, float d_q0sqr) {
  int ei = blockIdx.x * blockDim.x + threadIdx.x;
  if (ei < d_Ne) {
    int row = (ei + 1) % d_Nr - 1, col = (ei + 1) / d_Nr + 1 - 1;
    if ((ei + 1) % d_Nr == 0) row = d_Nr - 1, col = col - 1;
    float d_Jc = d_I[ei];
    float d_dN_loc = d_I[d_iN[row] + d_Nr * col] - d_Jc, d_dS_loc = d_I[d_iS[row] + d_Nr * col] - d_Jc;
    float d_dW_loc = d_I[row + d_Nr * d_jW[col]] - d_Jc, d_dE_loc = d_I[row + d_Nr * d_jE[col]] - d_Jc;
    float d_G2 = (d_dN_loc * d_dN_loc + d_dS_loc * d_dS_loc + d_dW_loc * d_dW_loc + d_dE_loc * d_dE_loc) / (d_Jc * d_Jc);
    float d_L = (d_dN_loc + d_dS_loc + d_dW_loc + d_dE_loc) / d_Jc;
    float d_num = (0.5 * d_G2) - ((1.0 / 16.0) * (d_L * d_L));
    float d_den = 1 + (0.25 * d_L);
    float d_qsqr = d_num / (d_den * d_den);
    d_den = (d_qsqr - d_q0sqr) / (d_q0sqr * (1 + d_q0sqr));
    float d_c_loc = 1.0 / (1.0 + d_den);
    if (d_c_loc < 0)
      d_c_loc = 0;
    else if (d_c_loc > 1)
      d_c_loc = 1;
    d_dN[ei] = d_dN_loc;
    d_dS[ei] = d_dS_loc;
    d_dW[ei] = d_dW_loc;
    d_dE[ei] = d_dE_loc;
    d_c[ei] = d_c_loc;
  }
}

__global__ void fdtd_step2(int nx, int ny, double* ex, double* hz) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if ((i < nx) && (j < ny) && (j > 0)) ex[i * ny + j] = ex[i * ny + j] - 0.5f * (hz[i * ny + j] - hz[i * ny + (j - 1)]);
}

// Two species that react; the edges wrap around.
__global__ void gray_scott(const float2* __restrict__ in, float2* __restrict__ out, int w, int h, float du, float dv, float f, float k) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const int xl = (x - 1 + w) % w, xr = (x + 1) % w, yu = (y - 1 + h) % h, yd = (y + 1) % h;
  const float2 c = in[y * w + x];
  float2 lap = make_float2(-c.x, -c.y);
  const float2 l = in[y * w + xl], r = in[y * w + xr], u = in[yu * w + x], d = in[yd * w + x];
  const float2 lu = in[yu * w + xl], ru = in[yu * w + xr], ld = in[yd * w + xl], rd = in[yd * w + xr];
  lap.x += 0.2f * (l.x + r.x + u.x + d.x) + 0.05f * (lu.x + ru.x + ld.x + rd.x);
  lap.y += 0.2f * (l.y + r.y + u.y + d.y) + 0.05f * (lu.y + ru.y + ld.y + rd.y);
  const float uvv = c.x * c.y * c.y;
  out[y * w + x] = make_float2(c.x + du * lap.x - uvv + f * (1.0f - c.x), c.y + dv * lap.y + uvv - (f + k) * c.y);
}

// Seven points in double precision, 2.5D: a column a thread, the plane in shared memory.
__global__ void stencil7_march(const double* __restrict__ in, double* __restrict__ out, int nx, int ny, int nz, double c0, double c1) {
  __shared__ double tile[10][34];
  const int i = blockIdx.x * 32 + threadIdx.x + 1, j = blockIdx.y * 8 + threadIdx.y + 1, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const size_t plane = (size_t)nx * ny;
  size_t at = (size_t)j * nx + i;
  double behind = in[at], current = in[at + plane], ahead;
  for (int k = 1; k < nz - 1; k++) {
    at += plane;
    ahead = in[at + plane];
    tile[ty][tx] = current;
    if (threadIdx.x == 0) tile[ty][0] = in[at - 1];
    if (threadIdx.x == 31) tile[ty][33] = in[at + 1];
    if (threadIdx.y == 0) tile[0][tx] = in[at - nx];
    if (threadIdx.y == 7) tile[9][tx] = in[at + nx];
    __syncthreads();
    out[at] = c0 * current + c1 * (behind + ahead + tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
    __syncthreads();
    behind = current;
    current = ahead;
  }
}

// Smoothed particles in cells of a grid.
__global__ void sph_density(const float4* __restrict__ pos, const int* __restrict__ cell_start, const int* __restrict__ cell_end,
                            float* __restrict__ density, int n, int3 grid, float h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = pos[i];
  int3 c = make_int3((int)floorf(p.x / h), (int)floorf(p.y / h), (int)floorf(p.z / h));
  float h2 = h * h, sum = 0.f;
  for (int z = -1; z <= 1; z++)
    for (int y = -1; y <= 1; y++)
      for (int x = -1; x <= 1; x++) {
        int3 q = make_int3(c.x + x, c.y + y, c.z + z);
        if (q.x < 0 || q.y < 0 || q.z < 0 || q.x >= grid.x || q.y >= grid.y || q.z >= grid.z) continue;
        int hash = (q.z * grid.y + q.y) * grid.x + q.x;
        int start = cell_start[hash];
        if (start == -1) continue;
        for (int j = start; j < cell_end[hash]; j++) {
          float4 o = pos[j];
          float dx = p.x - o.x, dy = p.y - o.y, dz = p.z - o.z, r2 = dx * dx + dy * dy + dz * dz;
          if (r2 < h2) sum += (h2 - r2) * (h2 - r2) * (h2 - r2);
        }
      }
  density[i] = sum * 315.0f / (64.0f * 3.14159265f * powf(h, 9.0f));
}

// Charges of particles on the corners of cells.
__global__ void pic_deposit(const float2* __restrict__ pos, const float* __restrict__ charge, float* rho, int n, int nx, int ny) {
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += blockDim.x * gridDim.x) {
    float x = pos[p].x * (nx - 2), y = pos[p].y * (ny - 2);
    int i = (int)x, j = (int)y;
    float fx = x - i, fy = y - j, q = charge[p];
    atomicAdd(&rho[j * nx + i], q * (1 - fx) * (1 - fy));
    atomicAdd(&rho[j * nx + i + 1], q * fx * (1 - fy));
    atomicAdd(&rho[(j + 1) * nx + i], q * (1 - fx) * fy);
    atomicAdd(&rho[(j + 1) * nx + i + 1], q * fx * fy);
  }
}

// A pass of a radix-2 transform in global memory; factors are computed.
__global__ void fft_radix2_stage(const float2* x, float2* y, int n, int s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  int p = i / s, q = i % s, m = n / (2 * s);
  float angle = -3.14159265358979f * p / m, wr, wi;
  sincosf(angle, &wi, &wr);
  float2 a = x[q + s * (p + 0)], b = x[q + s * (p + m)];
  y[q + s * (2 * p + 0)] = make_float2(a.x + b.x, a.y + b.y);
  float2 d = make_float2(a.x - b.x, a.y - b.y);
  y[q + s * (2 * p + 1)] = make_float2(d.x * wr - d.y * wi, d.x * wi + d.y * wr);
}

struct Philox {
  uint4 ctr;
  uint2 key;
};
__device__ uint4 philox10(Philox s) {
#pragma unroll
  for (int i = 0; i < 10; i++) {
    unsigned int hi0 = __umulhi(0xD2511F53u, s.ctr.x), lo0 = 0xD2511F53u * s.ctr.x;
    unsigned int hi1 = __umulhi(0xCD9E8D57u, s.ctr.z), lo1 = 0xCD9E8D57u * s.ctr.z;
    s.ctr = make_uint4(hi1 ^ s.ctr.y ^ s.key.x, lo1, hi0 ^ s.ctr.w ^ s.key.y, lo0);
    s.key.x += 0x9E3779B9u, s.key.y += 0xBB67AE85u;
  }
  return s.ctr;
}
// Calls on a basket by Box and Muller.
__global__ void option_philox(float* __restrict__ sums, int paths, float S, float X, float vol, float mu, unsigned int seed) {
  __shared__ float red[256];
  float sum = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < paths; i += blockDim.x * gridDim.x) {
    uint4 r = philox10({make_uint4(i, 0, 0, 0), make_uint2(seed, 42u)});
    float u0 = (r.x + 0.5f) * 2.3283064e-10f, u1 = (r.y + 0.5f) * 2.3283064e-10f;
    float rad = sqrtf(-2.0f * logf(u0)), s, c;
    sincospif(2.0f * u1, &s, &c);
    sum += fmaxf(S * __expf(mu + vol * rad * s) - X, 0.f) + fmaxf(S * __expf(mu + vol * rad * c) - X, 0.f);
  }
  red[threadIdx.x] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) red[threadIdx.x] += red[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = red[0];
}

__global__ void julia_double(unsigned char* image, int w, int h, double cr, double ci, int max_iter) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  double zr = 3.0 * (x - w / 2) / w, zi = 2.0 * (y - h / 2) / h;
  int i = 0;
  while (i < max_iter && zr * zr + zi * zi < 4.0) {
    double t = zr * zr - zi * zi + cr;
    zi = 2.0 * zr * zi + ci;
    zr = t;
    i++;
  }
  image[y * w + x] = 255 * i / max_iter;
}

// Spheres and a floor by their distance; normals by differences, one shadow ray.
__device__ float scene(float3 p) {
  float qx = p.x - 4.0f * floorf(p.x / 4.0f) - 2.0f, qz = p.z - 4.0f * floorf(p.z / 4.0f) - 2.0f;
  float ball = sqrtf(qx * qx + p.y * p.y + qz * qz) - 1.0f;
  return fminf(ball, p.y + 1.0f);
}
__device__ float march(float3 o, float3 d, int steps) {
  float t = 0.02f;
  for (int i = 0; i < steps; i++) {
    float dist = scene(make_float3(o.x + t * d.x, o.y + t * d.y, o.z + t * d.z));
    if (dist < 0.001f) return t;
    t += dist;
    if (t > 40.0f) break;
  }
  return -1.0f;
}
__global__ void ray_march(uchar4* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float u = (2.0f * x - w) / h, v = (h - 2.0f * y) / h, n = rsqrtf(u * u + v * v + 2.25f);
  float3 o = make_float3(0.5f, 1.0f, -3.0f), d = make_float3(u * n, v * n, 1.5f * n);
  float t = march(o, d, 80);
  float shade = 0.1f;
  if (t > 0) {
    float3 p = make_float3(o.x + t * d.x, o.y + t * d.y, o.z + t * d.z);
    float e = 0.001f, s = scene(p);
    float3 g = make_float3(scene(make_float3(p.x + e, p.y, p.z)) - s, scene(make_float3(p.x, p.y + e, p.z)) - s,
                           scene(make_float3(p.x, p.y, p.z + e)) - s);
    float inv = rsqrtf(g.x * g.x + g.y * g.y + g.z * g.z);
    float3 light = make_float3(0.577f, 0.577f, -0.577f);
    float diffuse = fmaxf((g.x * light.x + g.y * light.y + g.z * light.z) * inv, 0.0f);
    if (march(p, light, 40) > 0) diffuse *= 0.3f;
    shade += 0.9f * diffuse;
  }
  unsigned char c = (unsigned char)(255.0f * fminf(shade, 1.0f));
  out[y * w + x] = make_uchar4(c, c, c, 255);
}

// The Lorenz system by Runge and Kutta's fourth order.
__global__ void lorenz_rk4(double* state, const double* rho, int n, int steps, double dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double y[3] = {state[i], state[n + i], state[2 * n + i]}, k[4][3], t[3];
  const double r = 20 + 10 * rho[i];
  for (int s = 0; s < steps; s++) {
    for (int stage = 0; stage < 4; stage++) {
      for (int c = 0; c < 3; c++) t[c] = y[c] + (stage == 0 ? 0.0 : (stage == 3 ? dt : 0.5 * dt) * k[stage > 0 ? stage - 1 : 0][c]);
      k[stage][0] = 10.0 * (t[1] - t[0]);
      k[stage][1] = t[0] * (r - t[2]) - t[1];
      k[stage][2] = t[0] * t[1] - 8.0 / 3.0 * t[2];
    }
    for (int c = 0; c < 3; c++) y[c] += dt / 6.0 * (k[0][c] + 2.0 * k[1][c] + 2.0 * k[2][c] + k[3][c]);
  }
  for (int c = 0; c < 3; c++) state[c * n + i] = y[c];
}

// Spins of a checkerboard's one color, by a table of probabilities and a generator a thread.
__global__ void ising_update(signed char* lattice, const signed char* __restrict__ op_lattice, unsigned int* rng, float inv_temp, int nx, int ny,
                             bool is_black) {
  const long long tid = static_cast<long long>(blockDim.x) * blockIdx.x + threadIdx.x;
  const int i = tid / ny, j = tid % ny;
  if (i >= nx || j >= ny) return;
  int ipp = (i + 1 < nx) ? i + 1 : 0, inn = (i - 1 >= 0) ? i - 1 : nx - 1;
  int jpp = (j + 1 < ny) ? j + 1 : 0, jnn = (j - 1 >= 0) ? j - 1 : ny - 1;
  int joff = is_black ? ((i % 2) ? jpp : jnn) : ((i % 2) ? jnn : jpp);
  signed char nn_sum = op_lattice[inn * ny + j] + op_lattice[i * ny + j] + op_lattice[ipp * ny + j] + op_lattice[i * ny + joff];
  signed char lij = lattice[i * ny + j];
  float acceptance_ratio = exp(-2.0f * inv_temp * nn_sum * lij);
  unsigned int s = rng[tid];
  s ^= s << 13, s ^= s >> 17, s ^= s << 5;
  rng[tid] = s;
  if (s * 2.3283064e-10f < acceptance_ratio) lattice[i * ny + j] = -lij;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const size_t most = 1 << 22;
  float* a = on_device<float>(most, fraction);
  float* b = on_device<float>(most, fraction);
  float* c = zeros<float>(5 << 20);
  double* da = on_device<double>(1 << 21, [](uint32_t i) { return double(fraction(i)); });
  double* dc = zeros<double>(1 << 21);

  for (int n : {128, 1024}) {
    const int blocks = (n + 11) / 12;
    run(sized("hotspot_temp", n),
        [&] { hotspot_temp<<<dim3(blocks, blocks), dim3(16, 16)>>>(2, a, b, c, n, n, 2, 2, 0.5f, 1.2f, 1.1f, 7.f, 0.01f); });
  }
  std::vector<int> north(512), south(512), west(512), east(512);
  for (int i = 0; i < 512; ++i) north[i] = west[i] = std::max(i - 1, 0), south[i] = east[i] = std::min(i + 1, 511);
  const int *iN = on_device(north), *iS = on_device(south), *jE = on_device(east), *jW = on_device(west);
  float* image = on_device<float>(1 << 18, [](uint32_t i) { return fraction(i) + 0.5f; });
  const int ne = 512 * 512;
  run("srad_coefficient", [&] {
    srad_coefficient<<<512, 512>>>(image, c, c + ne, c + 2 * ne, c + 3 * ne, c + 4 * ne, iN, iS, jE, jW, ne, 512, 0.05f);
  });
  run("fdtd_step2", [&] { fdtd_step2<<<dim3(32, 128), dim3(32, 8)>>>(1024, 1024, dc, da); });
  run("gray_scott", [&] { gray_scott<<<dim3(64, 64), dim3(16, 16)>>>((float2*)a, (float2*)c, 1024, 1024, 1.f, 0.5f, 0.055f, 0.062f); });
  run("gray_scott_small", [&] { gray_scott<<<dim3(13, 25), dim3(16, 8)>>>((float2*)a, (float2*)c, 200, 200, 1.f, 0.5f, 0.055f, 0.062f); });
  run("stencil7_march", [&] { stencil7_march<<<dim3(6, 24), dim3(32, 8)>>>(da, dc, 194, 194, 50, 0.4, 0.1); });
  std::vector<float4> place;
  std::vector<int> starts, ends;
  for (uint32_t cell = 0; cell < 24 * 24 * 24; ++cell) {
    const uint32_t count = hashed(cell) % 5u;
    starts.push_back(count ? int(place.size()) : -1);
    for (uint32_t i = 0; i < count; ++i)
      place.push_back({(cell % 24 + fraction(7 * cell + i)) * 0.1f, (cell / 24 % 24 + fraction(7 * cell + i + 3)) * 0.1f,
                       (cell / 576 + fraction(7 * cell + i + 9)) * 0.1f, 0.f});
    ends.push_back(int(place.size()));
  }
  const int particles = int(place.size());
  const float4* places = on_device(place);
  const int *start = on_device(starts), *end = on_device(ends);
  run("sph_density", [&] { sph_density<<<(particles + 127) / 128, 128>>>(places, start, end, c, particles, make_int3(24, 24, 24), 0.1f); });
  run("pic_deposit", [&] { pic_deposit<<<264, 256>>>((float2*)a, b, c, 1 << 18, 256, 256); });
  for (int s : {1, 1024}) run(sized("fft_radix2_stage", s), [&] { fft_radix2_stage<<<2048, 256>>>((float2*)a, (float2*)c, 1 << 20, s); });
  run("option_philox", [&] { option_philox<<<264, 256>>>(c, 1 << 20, 100.f, 105.f, 0.2f, 0.01f, 99u); });
  run("julia_double", [&] { julia_double<<<dim3(20, 20), dim3(16, 16)>>>((unsigned char*)c, 320, 320, -0.8, 0.156, 100); });
  run("ray_march", [&] { ray_march<<<dim3(24, 32), dim3(16, 8)>>>((uchar4*)c, 384, 256); });
  run("lorenz_rk4", [&] { lorenz_rk4<<<64, 64>>>(dc, da, 4096, 50, 0.01); });
  signed char* spins = on_device<signed char>(1 << 20, [](uint32_t i) { return (signed char)(hashed(i) & 1 ? 1 : -1); });
  unsigned int* states = on_device<uint32_t>(1 << 20, [](uint32_t i) { return hashed(i) | 1u; });
  run("ising_update", [&] { ising_update<<<2048, 256>>>(spins, spins + (1 << 19), states, 0.5f, 1024, 512, true); });
  return 0;
}
