// Kernels of simulation, images and linear algebra in the forms in which others write them. Written and recorded after the model.
#include "cases.h"

// Eighth order in space: planes in shared memory, the column along z in registers.
__constant__ float stencil[5];
__global__ void finite_difference_25(float* __restrict__ output, const float* __restrict__ input, int dimx, int dimy, int dimz) {
  __shared__ float tile[8 + 8][32 + 8];
  const int gx = blockIdx.x * 32 + threadIdx.x, gy = blockIdx.y * 8 + threadIdx.y, tx = threadIdx.x + 4, ty = threadIdx.y + 4;
  const int stride_y = dimx + 8, stride_z = stride_y * (dimy + 8);
  int in = (gy + 4) * stride_y + gx + 4, out = 0;
  float infront[4], behind[4], current;
#pragma unroll
  for (int i = 2; i >= 0; i--) behind[i] = input[in], in += stride_z;
  current = input[in], out = in, in += stride_z;
#pragma unroll
  for (int i = 0; i < 4; i++) infront[i] = input[in], in += stride_z;
  behind[3] = 0.f;
  for (int z = 0; z < dimz; z++) {
    for (int i = 3; i > 0; i--) behind[i] = behind[i - 1];
    behind[0] = current;
    current = infront[0];
#pragma unroll
    for (int i = 0; i < 3; i++) infront[i] = infront[i + 1];
    infront[3] = input[in];
    in += stride_z, out += stride_z;
    __syncthreads();
    if (threadIdx.y < 4) {
      tile[threadIdx.y][tx] = input[out - 4 * stride_y];
      tile[threadIdx.y + 12][tx] = input[out + 8 * stride_y];
    }
    if (threadIdx.x < 4) {
      tile[ty][threadIdx.x] = input[out - 4];
      tile[ty][threadIdx.x + 36] = input[out + 32];
    }
    tile[ty][tx] = current;
    __syncthreads();
    float value = stencil[0] * current;
#pragma unroll
    for (int i = 1; i <= 4; i++)
      value += stencil[i] * (infront[i - 1] + behind[i - 1] + tile[ty - i][tx] + tile[ty + i][tx] + tile[ty][tx - i] + tile[ty][tx + i]);
    output[out] = value;
  }
}

// Lattice Boltzmann in two dimensions with nine directions: stream by pull, then collide.
__constant__ int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float lattice_weight[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
__global__ void lbm_d2q9(const float* __restrict__ f, float* __restrict__ g, const unsigned char* __restrict__ solid, int nx, int ny, float omega) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  float q[9], rho = 0.f, ux = 0.f, uy = 0.f;
  for (int i = 0; i < 9; i++) {
    const int sx = (x - cx[i] + nx) % nx, sy = (y - cy[i] + ny) % ny;
    q[i] = f[(i * ny + sy) * nx + sx];
    rho += q[i];
    ux += q[i] * cx[i];
    uy += q[i] * cy[i];
  }
  if (solid[y * nx + x]) {
    const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
    for (int i = 0; i < 9; i++) g[(i * ny + y) * nx + x] = q[opposite[i]];
    return;
  }
  ux /= rho, uy /= rho;
  const float square = 1.5f * (ux * ux + uy * uy);
  for (int i = 0; i < 9; i++) {
    const float cu = 3.f * (cx[i] * ux + cy[i] * uy);
    const float equilibrium = lattice_weight[i] * rho * (1.f + cu + 0.5f * cu * cu - square);
    g[(i * ny + y) * nx + x] = q[i] + omega * (equilibrium - q[i]);
  }
}

__global__ void red_black(double* u, const double* __restrict__ f, int n, int color, double h2, double omega) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y + 1;
  const int j = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + (i + color) % 2;
  if (i >= n - 1 || j >= n - 1) return;
  const double old = u[i * n + j];
  const double next = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1] - h2 * f[i * n + j]);
  u[i * n + j] = old + omega * (next - old);
}

// Lennard-Jones over lists of neighbours, stored by columns.
__global__ void lj_neighbors(const float4* __restrict__ pos, float4* __restrict__ force, const int* __restrict__ neighbors,
                             const int* __restrict__ counts, int n, float cut2) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 p = pos[i];
  float4 f = make_float4(0.f, 0.f, 0.f, 0.f);
  const int count = counts[i];
  for (int k = 0; k < count; k++) {
    const float4 q = pos[neighbors[k * n + i]];
    const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < cut2 && r2 > 0.f) {
      const float inv2 = 1.f / r2, inv6 = inv2 * inv2 * inv2, s = 48.f * inv2 * inv6 * (inv6 - 0.5f);
      f.x += s * dx, f.y += s * dy, f.z += s * dz;
      f.w += 4.f * inv6 * (inv6 - 1.f);
    }
  }
  force[i] = f;
}

// Fluxes over the edges of an unstructured mesh.
__global__ void edge_flux(const int2* __restrict__ edges, const float* __restrict__ geometry, const float* __restrict__ state,
                          float* residual, int count) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= count) return;
  const int2 v = edges[e];
  const float nx = geometry[2 * e], ny = geometry[2 * e + 1];
  float l[4], r[4];
  for (int k = 0; k < 4; k++) l[k] = state[v.x * 4 + k] + 1.f, r[k] = state[v.y * 4 + k] + 1.f;
  const float vl = (l[1] * nx + l[2] * ny) / l[0], vr = (r[1] * nx + r[2] * ny) / r[0];
  const float pl = 0.4f * (l[3] - 0.5f * (l[1] * l[1] + l[2] * l[2]) / l[0]), pr = 0.4f * (r[3] - 0.5f * (r[1] * r[1] + r[2] * r[2]) / r[0]);
  const float c = fmaxf(fabsf(vl) + sqrtf(1.4f * fabsf(pl) / l[0]), fabsf(vr) + sqrtf(1.4f * fabsf(pr) / r[0]));
  for (int k = 0; k < 4; k++) {
    const float extra = k == 1 ? nx : k == 2 ? ny : 0.f;
    const float flux = 0.5f * (l[k] * vl + r[k] * vr + extra * (pl + pr) + (k == 3 ? pl * vl + pr * vr : 0.f) - c * (r[k] - l[k]));
    atomicAdd(&residual[v.x * 4 + k], flux);
    atomicAdd(&residual[v.y * 4 + k], -flux);
  }
}

// 256 complex numbers by 64 threads: four passes of radix 4 through shared memory.
__global__ void fft_radix4_256(const float2* __restrict__ in, float2* __restrict__ out) {
  __shared__ float re[256], im[256];
  const int t = threadIdx.x;
  float2 v[4];
  for (int i = 0; i < 4; i++) v[i] = in[blockIdx.x * 256 + i * 64 + t];
#pragma unroll
  for (int ns = 1; ns < 256; ns *= 4) {
    const float angle = -6.2831853f * (t % ns) / (ns * 4);
    for (int i = 1; i < 4; i++) {
      float s, c;
      __sincosf(angle * i, &s, &c);
      v[i] = make_float2(v[i].x * c - v[i].y * s, v[i].x * s + v[i].y * c);
    }
    const float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
    const float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
    v[0] = make_float2(a.x + c.x, a.y + c.y), v[2] = make_float2(a.x - c.x, a.y - c.y);
    v[1] = make_float2(b.x + d.x, b.y + d.y), v[3] = make_float2(b.x - d.x, b.y - d.y);
    if (ns < 64) {
      const int base = (t / ns) * ns * 4 + t % ns;
      __syncthreads();
      for (int i = 0; i < 4; i++) re[base + i * ns] = v[i].x, im[base + i * ns] = v[i].y;
      __syncthreads();
      for (int i = 0; i < 4; i++) v[i] = make_float2(re[i * 64 + t], im[i * 64 + t]);
    }
  }
  for (int i = 0; i < 4; i++) out[blockIdx.x * 256 + i * 64 + t] = v[i];
}

__device__ double normal_cdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752); }
__global__ void options_double(const double* __restrict__ price, const double* __restrict__ strike, double* __restrict__ call,
                               double* __restrict__ put, int n, double rate, double volatility) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double s = 10.0 + 90.0 * price[i], x = 10.0 + 90.0 * strike[i], t = 0.25 + price[i];
  const double sq = sqrt(t), d1 = (log(s / x) + (rate + 0.5 * volatility * volatility) * t) / (volatility * sq), d2 = d1 - volatility * sq;
  const double discount = exp(-rate * t), n1 = normal_cdf(d1), n2 = normal_cdf(d2);
  call[i] = s * n1 - x * discount * n2;
  put[i] = x * discount * (1.0 - n2) - s * (1.0 - n1);
}

__global__ void asian_paths(float* __restrict__ payoff, int steps, float drift, float sigma, float strike) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long s0 = 0x9E3779B97F4A7C15ull * (id + 1), s1 = 0xBF58476D1CE4E5B9ull ^ id;
  float logs = 0.f, sum = 0.f;
  for (int i = 0; i < steps; i += 2) {
    unsigned long long t = s0;
    s0 = s1;
    t ^= t << 23;
    s1 = t ^ s1 ^ (t >> 17) ^ (s1 >> 26);
    const unsigned long long r = s0 + s1;
    const float u1 = ((unsigned)r + 1.0f) * 2.3283064e-10f, u2 = (unsigned)(r >> 32) * 2.3283064e-10f;
    const float radius = sqrtf(-2.f * logf(u1));
    float sn, cs;
    sincospif(2.f * u2, &sn, &cs);
    logs += drift + sigma * radius * cs;
    sum += expf(logs);
    logs += drift + sigma * radius * sn;
    sum += expf(logs);
  }
  payoff[id] = fmaxf(100.f * sum / steps - strike, 0.f);
}

struct Ray {
  float3 o, d;
};
__device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ float3 operator*(float3 a, float b) { return make_float3(a.x * b, a.y * b, a.z * b); }
__device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ float3 normalize(float3 a) { return a * rsqrtf(dot(a, a)); }
// A path tracer: spheres in constant memory, up to eight diffuse or mirror bounces.
__constant__ float4 ball[32];
__constant__ float4 ball_color[32];
__global__ void trace_paths(float4* __restrict__ image, int width, int height, int balls, int samples) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  uint32_t seed = (y * width + x) * 9781u + 1u;
  float3 color = make_float3(0.f, 0.f, 0.f);
  for (int s = 0; s < samples; s++) {
    Ray ray;
    ray.o = make_float3(0.f, 0.f, -3.f);
    ray.d = normalize(make_float3((x + 0.5f) / width - 0.5f, (y + 0.5f) / height - 0.5f, 1.f));
    float3 through = make_float3(1.f, 1.f, 1.f);
    for (int bounce = 0; bounce < 8; bounce++) {
      float nearest = 1e20f;
      int hit = -1;
      for (int b = 0; b < balls; b++) {
        const float4 c = ball[b];
        const float3 to = make_float3(c.x, c.y, c.z) - ray.o;
        const float along = dot(to, ray.d), d2 = along * along - dot(to, to) + c.w * c.w;
        if (d2 < 0.f) continue;
        const float t = along - sqrtf(d2);
        if (t > 1e-3f && t < nearest) nearest = t, hit = b;
      }
      if (hit < 0) {
        const float sky = 0.5f + 0.5f * ray.d.y;
        color = color + through * sky;
        break;
      }
      const float4 c = ball[hit], k = ball_color[hit];
      const float3 p = ray.o + ray.d * nearest, n = normalize(p - make_float3(c.x, c.y, c.z));
      through = make_float3(through.x * k.x, through.y * k.y, through.z * k.z);
      ray.o = p;
      if (k.w > 0.5f) {
        ray.d = ray.d - n * (2.f * dot(ray.d, n));
      } else {
        float r[3];
        for (int i = 0; i < 3; i++) {
          seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5;
          r[i] = (seed >> 8) * (2.f / 16777216.f) - 1.f;
        }
        ray.d = normalize(n + normalize(make_float3(r[0], r[1], r[2])) * 0.99f);
      }
    }
  }
  image[y * width + x] = make_float4(color.x / samples, color.y / samples, color.z / samples, 1.f);
}

__global__ void newton_fractal(unsigned char* __restrict__ image, int n, int most) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  float zr = 4.f * x / n - 2.f + 1e-3f, zi = 4.f * y / n - 2.f;
  int i = 0;
  for (; i < most; i++) {
    const float r2 = zr * zr - zi * zi, i2 = 2 * zr * zi, r3 = r2 * zr - i2 * zi, i3 = r2 * zi + i2 * zr;
    const float den = 3.f * (r2 * r2 + i2 * i2);
    const float dr = ((r3 - 1.f) * r2 + i3 * i2) / den, di = (i3 * r2 - (r3 - 1.f) * i2) / den;
    zr -= dr, zi -= di;
    if (dr * dr + di * di < 1e-10f) break;
  }
  image[y * n + x] = i;
}

// Independent systems of 256 equations: parallel cyclic reduction, a block each.
__global__ void cyclic_reduction(const float* __restrict__ a_in, const float* __restrict__ b_in, const float* __restrict__ c_in,
                                 const float* __restrict__ d_in, float* __restrict__ x) {
  __shared__ float a[256], b[256], c[256], d[256];
  const int t = threadIdx.x, at = blockIdx.x * 256 + t;
  a[t] = t ? a_in[at] : 0.f, b[t] = b_in[at] + 3.f, c[t] = t < 255 ? c_in[at] : 0.f, d[t] = d_in[at];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    const int left = max(t - step, 0), right = min(t + step, 255);
    const float k1 = a[t] / b[left], k2 = c[t] / b[right];
    const float na = -a[left] * k1, nb = b[t] - (t >= step ? c[left] * k1 : 0.f) - (t + step < 256 ? a[right] * k2 : 0.f);
    const float nc = -c[right] * k2, nd = d[t] - (t >= step ? d[left] * k1 : 0.f) - (t + step < 256 ? d[right] * k2 : 0.f);
    __syncthreads();
    a[t] = na, b[t] = nb, c[t] = nc, d[t] = nd;
    __syncthreads();
  }
  x[at] = d[t] / b[t];
}

// Matrices of 16 x 16, a half-warp each: LU without pivots in shared memory.
__global__ void lu_16(const float* __restrict__ in, float* __restrict__ out, int matrices) {
  __shared__ float m[8][16][17];
  const int sub = threadIdx.x / 16, row = threadIdx.x % 16, id = blockIdx.x * 8 + sub;
  if (id >= matrices) return;
  for (int j = 0; j < 16; j++) m[sub][j][row] = in[id * 256 + j * 16 + row] + (j == row ? 16.f : 0.f);
  __syncwarp();
  for (int k = 0; k < 15; k++) {
    if (row > k) {
      const float factor = m[sub][row][k] / m[sub][k][k];
      m[sub][row][k] = factor;
      for (int j = k + 1; j < 16; j++) m[sub][row][j] -= factor * m[sub][k][j];
    }
    __syncwarp();
  }
  for (int j = 0; j < 16; j++) out[id * 256 + j * 16 + row] = m[sub][j][row];
}

// One block factors a 64 x 64 matrix by columns.
__global__ void cholesky_64(const double* __restrict__ in, double* __restrict__ out) {
  __shared__ double m[64][65];
  const int tx = threadIdx.x, ty = threadIdx.y;
  for (int i = ty; i < 64; i += 4) m[i][tx] = in[(size_t)blockIdx.x * 4096 + i * 64 + tx] * 0.01 + (i == tx ? 4.0 : 0.0);
  __syncthreads();
  for (int k = 0; k < 64; k++) {
    if (tx == k && ty == 0) m[k][k] = sqrt(m[k][k]);
    __syncthreads();
    if (ty == 0 && tx > k) m[tx][k] /= m[k][k];
    __syncthreads();
    for (int j = k + 1 + ty; j < 64; j += 4)
      if (tx >= j) m[tx][j] -= m[tx][k] * m[j][k];
    __syncthreads();
  }
  for (int i = ty; i < 64; i += 4) out[(size_t)blockIdx.x * 4096 + i * 64 + tx] = i >= tx ? m[i][tx] : 0.0;
}

struct Matrix4 {
  float m[16];
};
__global__ void multiply_4x4(const Matrix4* __restrict__ a, const Matrix4* __restrict__ b, Matrix4* __restrict__ c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Matrix4 r;
  for (int row = 0; row < 4; row++)
    for (int col = 0; col < 4; col++) {
      float sum = 0;
      for (int k = 0; k < 4; k++) sum += a[i].m[row * 4 + k] * b[i].m[k * 4 + col];
      r.m[row * 4 + col] = sum;
    }
  c[i] = r;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const size_t most = 1 << 22;
  float* a = on_device<float>(most, fraction);
  float* b = on_device<float>(most, fraction);
  float* c = zeros<float>(most);
  double* da = on_device<double>(1 << 20, [](uint32_t i) { return double(fraction(i)); });
  double* db = on_device<double>(1 << 20, [](uint32_t i) { return double(fraction(i + 5u)); });
  double* dc = zeros<double>(1 << 21);
  const float taps[5] = {0.8f, 0.2f, -0.1f, 0.05f, -0.02f};
  CHECK(cudaMemcpyToSymbol(stencil, taps, sizeof taps));
  std::vector<float4> balls(32), colors(32);
  for (uint32_t i = 0; i < 32; ++i) {
    balls[i] = {4 * fraction(i) - 2, 4 * fraction(i + 50) - 2, 3 * fraction(i + 100), 0.15f + 0.4f * fraction(i + 150)};
    colors[i] = {fraction(i + 200), fraction(i + 250), fraction(i + 300), fraction(i + 350)};
  }
  CHECK(cudaMemcpyToSymbol(ball, balls.data(), 512));
  CHECK(cudaMemcpyToSymbol(ball_color, colors.data(), 512));

  run("finite_difference_25", [&] { finite_difference_25<<<dim3(8, 32), dim3(32, 8)>>>(c, a, 256, 256, 32); });
  unsigned char* solid = on_device<unsigned char>(1 << 18, [](uint32_t i) { return (unsigned char)(hashed(i / 64) % 8 == 0); });
  run("lbm_d2q9", [&] { lbm_d2q9<<<dim3(16, 128), dim3(32, 4)>>>(a, c, solid, 512, 512, 1.2f); });
  run("red_black", [&] { red_black<<<dim3(16, 128), dim3(32, 8)>>>(dc, da, 1024, 0, 1e-4, 1.5); });
  std::vector<float4> atoms(16384);
  for (uint32_t i = 0; i < atoms.size(); ++i)
    atoms[i] = {float(i % 25) + 0.3f * fraction(i), float(i / 25 % 25) + 0.3f * fraction(i + 1), float(i / 625) + 0.3f * fraction(i + 2), 0};
  std::vector<int> list(16384 * 64), counts(16384);
  for (int i = 0; i < 16384; ++i) {
    for (int dz = -2; dz <= 2; ++dz)
      for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx) {
          const int j = i + dx + 25 * dy + 625 * dz;
          if (j == i || j < 0 || j >= 16384 || dx * dx + dy * dy + dz * dz > 6 || counts[i] == 64) continue;
          list[counts[i]++ * 16384 + i] = j;
        }
  }
  const float4* atom = on_device(atoms);
  const int *lists = on_device(list), *count = on_device(counts);
  run("lj_neighbors", [&] { lj_neighbors<<<128, 128>>>(atom, (float4*)c, lists, count, 16384, 4.f); });
  std::vector<int2> mesh(100000);
  for (uint32_t i = 0; i < mesh.size(); ++i) {
    const int v = int(i / 3);
    mesh[i] = {v, int((v + (i % 3 == 0 ? 1 : i % 3 == 1 ? 180 : hashed(i) % 3000)) % 33334)};
  }
  const int2* edges = on_device(mesh);
  run("edge_flux", [&] { edge_flux<<<782, 128>>>(edges, a, b, c, 100000); });
  for (int n : {128, 4096}) run(sized("fft_radix4_256", n), [&] { fft_radix4_256<<<n, 64>>>((float2*)a, (float2*)c); });
  run("options_double", [&] { options_double<<<512, 256>>>(da, db, dc, dc + (1 << 20), 1 << 17, 0.03, 0.3); });
  run("asian_paths", [&] { asian_paths<<<264, 128>>>(c, 64, 1e-4f, 0.01f, 98.f); });
  run("trace_paths_16", [&] { trace_paths<<<dim3(16, 16), dim3(16, 16)>>>((float4*)c, 256, 256, 16, 2); });
  run("trace_paths_32", [&] { trace_paths<<<dim3(20, 40), dim3(8, 4)>>>((float4*)c, 160, 160, 32, 1); });
  run("newton_fractal", [&] { newton_fractal<<<dim3(16, 64), dim3(32, 8)>>>((unsigned char*)c, 512, 60); });
  for (int n : {100, 2048}) run(sized("cyclic_reduction", n), [&] { cyclic_reduction<<<n, 256>>>(a, b, a, b, c); });
  run("lu_16", [&] { lu_16<<<1024, 128>>>(a, c, 8192); });
  run("cholesky_64", [&] { cholesky_64<<<200, dim3(64, 4)>>>(da, dc); });
  run("multiply_4x4", [&] { multiply_4x4<<<1024, 128>>>((Matrix4*)a, (Matrix4*)b, (Matrix4*)c, 131072); });
  return 0;
}
