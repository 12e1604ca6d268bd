// Kernels in the forms of benchmark suites and of scientific proxy applications: dense and sparse algebra, particles, lattices, seismic
// waves, weather columns, sequences, ciphers, finance, video, tomography.
#include <cmath>

#include "cases.h"

// ---- suites of small programs ----

// Gram-Schmidt, third kernel: project every later column on column k of Q and subtract
__global__ void gramschmidt_kernel3(float* a, float* r, float* q, int k, int ni, int nj) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;

  if ((j > k) && (j < nj)) {
    r[k * nj + j] = 0.0f;

    int i;
    for (i = 0; i < ni; i++) {
      r[k * nj + j] += q[i * nj + k] * a[i * nj + j];
    }

    for (i = 0; i < ni; i++) {
      a[i * nj + j] -= q[i * nj + k] * r[k * nj + j];
    }
  }
}

// Path through a grid of weights: several rows per launch, blocks overlap by the height of the pyramid
#define BLOCK_SIZE 256
#define HALO 1
#define IN_RANGE(x, min, max) ((x) >= (min) && (x) <= (max))
#define MIN(a, b) ((a) <= (b) ? (a) : (b))

__global__ void dynproc_kernel(int iteration, int* gpuWall, int* gpuSrc, int* gpuResults, int cols, int startStep, int border) {
  __shared__ int prev[BLOCK_SIZE];
  __shared__ int result[BLOCK_SIZE];

  int bx = blockIdx.x;
  int tx = threadIdx.x;
  int small_block_cols = BLOCK_SIZE - iteration * HALO * 2;
  int blkX = small_block_cols * bx - border;
  int blkXmax = blkX + BLOCK_SIZE - 1;
  int xidx = blkX + tx;

  int validXmin = (blkX < 0) ? -blkX : 0;
  int validXmax = (blkXmax > cols - 1) ? BLOCK_SIZE - 1 - (blkXmax - cols + 1) : BLOCK_SIZE - 1;
  int W = tx - 1;
  int E = tx + 1;
  W = (W < validXmin) ? validXmin : W;
  E = (E > validXmax) ? validXmax : E;
  bool isValid = IN_RANGE(tx, validXmin, validXmax);

  if (IN_RANGE(xidx, 0, cols - 1)) {
    prev[tx] = gpuSrc[xidx];
  }
  __syncthreads();

  bool computed = false;
  for (int i = 0; i < iteration; i++) {
    computed = false;
    if (IN_RANGE(tx, i + 1, BLOCK_SIZE - i - 2) && isValid) {
      computed = true;
      int left = prev[W];
      int up = prev[tx];
      int right = prev[E];
      int shortest = MIN(left, up);
      shortest = MIN(shortest, right);
      int index = cols * (startStep + i) + xidx;
      result[tx] = shortest + gpuWall[index];
    }
    __syncthreads();
    if (i == iteration - 1) break;
    if (computed) prev[tx] = result[tx];
    __syncthreads();
  }
  if (computed) gpuResults[xidx] = result[tx];
}

// Back-propagation, forward layer: partial sums of 16 hidden units over 16 inputs
__global__ void bpnn_layerforward_CUDA(float* input_cuda, float* output_hidden_cuda, float* input_hidden_cuda, float* hidden_partial_sum, int in, int hid) {
  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int index = (hid + 1) * 16 * by + (hid + 1) * ty + tx + 1 + (hid + 1);
  int index_in = 16 * by + ty + 1;

  __shared__ float input_node[16];
  __shared__ float weight_matrix[16][16];
  if (tx == 0) input_node[ty] = input_cuda[index_in];
  __syncthreads();
  weight_matrix[ty][tx] = input_hidden_cuda[index];
  __syncthreads();
  weight_matrix[ty][tx] = weight_matrix[ty][tx] * input_node[ty];
  __syncthreads();

  for (int i = 1; i <= 4; i++) {
    int power_two = 1 << i;
    if (ty % power_two == 0) weight_matrix[ty][tx] = weight_matrix[ty][tx] + weight_matrix[ty + power_two / 2][tx];
    __syncthreads();
  }

  output_hidden_cuda[index] = weight_matrix[ty][tx];
  if (tx == 0) hidden_partial_sum[by * hid + ty] = weight_matrix[tx][ty];
}

// Particle filter: the new index of every particle by a linear search of the cumulative weights
__global__ void find_index_kernel(double* arrayX, double* arrayY, double* CDF, double* u, double* xj, double* yj, int Nparticles) {
  int block_id = blockIdx.x;
  int i = blockDim.x * block_id + threadIdx.x;

  if (i < Nparticles) {
    int index = -1;
    int x;
    for (x = 0; x < Nparticles; x++) {
      if (CDF[x] >= u[i]) {
        index = x;
        break;
      }
    }
    if (index == -1) {
      index = Nparticles - 1;
    }
    xj[i] = arrayX[index];
    yj[i] = arrayY[index];
  }
}

// Unstructured Euler solver: fluxes of one tetrahedral cell through its four faces
#define NDIM 3
#define NNB 4
#define NVAR 5
#define GAMMA 1.4f
__constant__ float ff_variable[NVAR] = {1.4f, 1.68f, 0.02f, 0.01f, 3.508f};

struct Float3 {
  float x, y, z;
};

__device__ inline void compute_velocity(float density, const Float3& momentum, Float3& velocity) {
  velocity.x = momentum.x / density;
  velocity.y = momentum.y / density;
  velocity.z = momentum.z / density;
}
__device__ inline float compute_pressure(float density, float energy, float speed_sqd) { return (GAMMA - 1.0f) * (energy - 0.5f * density * speed_sqd); }

__global__ void cuda_compute_flux(int nelr, int* elements_surrounding_elements, float* normals, float* variables, float* fluxes) {
  const float smoothing_coefficient = 0.2f;
  const int i = (blockDim.x * blockIdx.x + threadIdx.x);
  if (i >= nelr) return;

  float density_i = variables[i + 0 * nelr];
  Float3 momentum_i = {variables[i + 1 * nelr], variables[i + 2 * nelr], variables[i + 3 * nelr]};
  float density_energy_i = variables[i + 4 * nelr];
  Float3 velocity_i;
  compute_velocity(density_i, momentum_i, velocity_i);
  float speed_sqd_i = velocity_i.x * velocity_i.x + velocity_i.y * velocity_i.y + velocity_i.z * velocity_i.z;
  float speed_i = sqrtf(speed_sqd_i);
  float pressure_i = compute_pressure(density_i, density_energy_i, speed_sqd_i);
  float speed_of_sound_i = sqrtf(GAMMA * pressure_i / density_i);
  float enthalpy_i = density_energy_i + pressure_i;

  float flux_density = 0.0f, flux_energy = 0.0f;
  Float3 flux_momentum = {0.0f, 0.0f, 0.0f};

#pragma unroll
  for (int j = 0; j < NNB; j++) {
    int nb = elements_surrounding_elements[i + j * nelr];
    float nx = normals[i + (j + 0 * NNB) * nelr];
    float ny = normals[i + (j + 1 * NNB) * nelr];
    float nz = normals[i + (j + 2 * NNB) * nelr];
    float normal_len = sqrtf(nx * nx + ny * ny + nz * nz);

    if (nb >= 0) {
      float density_nb = variables[nb + 0 * nelr];
      Float3 momentum_nb = {variables[nb + 1 * nelr], variables[nb + 2 * nelr], variables[nb + 3 * nelr]};
      float energy_nb = variables[nb + 4 * nelr];
      Float3 velocity_nb;
      compute_velocity(density_nb, momentum_nb, velocity_nb);
      float speed_sqd_nb = velocity_nb.x * velocity_nb.x + velocity_nb.y * velocity_nb.y + velocity_nb.z * velocity_nb.z;
      float pressure_nb = compute_pressure(density_nb, energy_nb, speed_sqd_nb);
      float speed_of_sound_nb = sqrtf(GAMMA * pressure_nb / density_nb);
      float enthalpy_nb = energy_nb + pressure_nb;

      float factor = -normal_len * smoothing_coefficient * 0.5f * (speed_i + sqrtf(speed_sqd_nb) + speed_of_sound_i + speed_of_sound_nb);
      flux_density += factor * (density_i - density_nb);
      flux_energy += factor * (density_energy_i - energy_nb);
      flux_momentum.x += factor * (momentum_i.x - momentum_nb.x);
      flux_momentum.y += factor * (momentum_i.y - momentum_nb.y);
      flux_momentum.z += factor * (momentum_i.z - momentum_nb.z);

      const float normal[NDIM] = {nx, ny, nz};
      const float mi[NDIM] = {momentum_i.x, momentum_i.y, momentum_i.z}, mn[NDIM] = {momentum_nb.x, momentum_nb.y, momentum_nb.z};
      const float vi[NDIM] = {velocity_i.x, velocity_i.y, velocity_i.z}, vn[NDIM] = {velocity_nb.x, velocity_nb.y, velocity_nb.z};
#pragma unroll
      for (int d = 0; d < NDIM; d++) {
        float half = 0.5f * normal[d];
        flux_density += half * (mn[d] + mi[d]);
        flux_energy += half * (vn[d] * enthalpy_nb + vi[d] * enthalpy_i);
        flux_momentum.x += half * (mn[0] * vn[d] + mi[0] * vi[d] + (d == 0 ? pressure_nb + pressure_i : 0.0f));
        flux_momentum.y += half * (mn[1] * vn[d] + mi[1] * vi[d] + (d == 1 ? pressure_nb + pressure_i : 0.0f));
        flux_momentum.z += half * (mn[2] * vn[d] + mi[2] * vi[d] + (d == 2 ? pressure_nb + pressure_i : 0.0f));
      }
    } else if (nb == -1) {
      flux_momentum.x += nx * pressure_i;
      flux_momentum.y += ny * pressure_i;
      flux_momentum.z += nz * pressure_i;
    } else {
      float ux = ff_variable[1] / ff_variable[0], uy = ff_variable[2] / ff_variable[0], uz = ff_variable[3] / ff_variable[0];
      float un = 0.5f * (nx * (ux + velocity_i.x) + ny * (uy + velocity_i.y) + nz * (uz + velocity_i.z));
      flux_density += un * (ff_variable[0] + density_i);
      flux_energy += un * (ff_variable[4] + density_energy_i);
      flux_momentum.x += un * (ff_variable[1] + momentum_i.x);
      flux_momentum.y += un * (ff_variable[2] + momentum_i.y);
      flux_momentum.z += un * (ff_variable[3] + momentum_i.z);
    }
  }

  fluxes[i + 0 * nelr] = flux_density;
  fluxes[i + 1 * nelr] = flux_momentum.x;
  fluxes[i + 2 * nelr] = flux_momentum.y;
  fluxes[i + 3 * nelr] = flux_momentum.z;
  fluxes[i + 4 * nelr] = flux_energy;
}

// Heat of a chip of several layers: a thread marches up through z and keeps three planes in registers
__global__ void hotspotOpt1(float* p, float* tIn, float* tOut, float sdc, int nx, int ny, int nz, float ce, float cw, float cn, float cs, float ct, float cb, float cc) {
  float amb_temp = 80.0f;

  int i = blockDim.x * blockIdx.x + threadIdx.x;
  int j = blockDim.y * blockIdx.y + threadIdx.y;
  int c = i + j * nx;
  int xy = nx * ny;

  int W = (i == 0) ? c : c - 1;
  int E = (i == nx - 1) ? c : c + 1;
  int N = (j == 0) ? c : c - nx;
  int S = (j == ny - 1) ? c : c + nx;

  float temp1, temp2, temp3;
  temp1 = temp2 = tIn[c];
  temp3 = tIn[c + xy];
  tOut[c] = cc * temp2 + cw * tIn[W] + ce * tIn[E] + cs * tIn[S] + cn * tIn[N] + cb * temp1 + ct * temp3 + sdc * p[c] + ct * amb_temp;
  c += xy, W += xy, E += xy, N += xy, S += xy;

  for (int k = 1; k < nz - 1; ++k) {
    temp1 = temp2;
    temp2 = temp3;
    temp3 = tIn[c + xy];
    tOut[c] = cc * temp2 + cw * tIn[W] + ce * tIn[E] + cs * tIn[S] + cn * tIn[N] + cb * temp1 + ct * temp3 + sdc * p[c] + ct * amb_temp;
    c += xy, W += xy, E += xy, N += xy, S += xy;
  }
  temp1 = temp2;
  temp2 = temp3;
  tOut[c] = cc * temp2 + cw * tIn[W] + ce * tIn[E] + cs * tIn[S] + cn * tIn[N] + cb * temp1 + ct * temp3 + sdc * p[c] + ct * amb_temp;
}

// ---- hydrodynamics ----

// Lagrangian hydrodynamics: Flanagan-Belytschko hourglass forces of a hexahedral element
__constant__ double hg_gamma[4][8] = {{1, 1, -1, -1, -1, -1, 1, 1}, {1, -1, -1, 1, -1, 1, 1, -1}, {1, -1, 1, -1, 1, -1, 1, -1}, {-1, 1, -1, 1, 1, -1, 1, -1}};

__device__ inline void hourglass_modes(const double (*hourgam)[4], const double* v, double coefficient, double* force) {
  double h[4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    h[i] = 0.0;
#pragma unroll
    for (int n = 0; n < 8; n++) h[i] += hourgam[n][i] * v[n];
  }
#pragma unroll
  for (int n = 0; n < 8; n++) force[n] = coefficient * (hourgam[n][0] * h[0] + hourgam[n][1] * h[1] + hourgam[n][2] * h[2] + hourgam[n][3] * h[3]);
}

__global__ void CalcFBHourglassForceForElems(const double* __restrict__ dvdx, const double* __restrict__ dvdy, const double* __restrict__ dvdz, const double* __restrict__ x8n,
                                             const double* __restrict__ y8n, const double* __restrict__ z8n, const double* __restrict__ determ, const double* __restrict__ xd,
                                             const double* __restrict__ yd, const double* __restrict__ zd, const double* __restrict__ ss, const double* __restrict__ elemMass,
                                             const int* __restrict__ nodelist, double* __restrict__ fx_elem, double* __restrict__ fy_elem, double* __restrict__ fz_elem, double hourg, int numElem) {
  int elem = blockDim.x * blockIdx.x + threadIdx.x;
  if (elem < numElem) {
    double hourgam[8][4];
    double volinv = 1.0 / determ[elem];
#pragma unroll
    for (int i1 = 0; i1 < 4; i1++) {
      double hourmodx = 0.0, hourmody = 0.0, hourmodz = 0.0;
#pragma unroll
      for (int n = 0; n < 8; n++) {
        hourmodx += x8n[elem + numElem * n] * hg_gamma[i1][n];
        hourmody += y8n[elem + numElem * n] * hg_gamma[i1][n];
        hourmodz += z8n[elem + numElem * n] * hg_gamma[i1][n];
      }
#pragma unroll
      for (int n = 0; n < 8; n++)
        hourgam[n][i1] = hg_gamma[i1][n] - volinv * (dvdx[elem + numElem * n] * hourmodx + dvdy[elem + numElem * n] * hourmody + dvdz[elem + numElem * n] * hourmodz);
    }
    double volume13 = cbrt(determ[elem]);
    double coefficient = -hourg * 0.01 * ss[elem] * elemMass[elem] / volume13;

    double v[8], f[8];
    int node[8];
#pragma unroll
    for (int n = 0; n < 8; n++) node[n] = nodelist[elem + numElem * n];
#pragma unroll
    for (int n = 0; n < 8; n++) v[n] = xd[node[n]];
    hourglass_modes(hourgam, v, coefficient, f);
#pragma unroll
    for (int n = 0; n < 8; n++) fx_elem[elem + numElem * n] = f[n];
#pragma unroll
    for (int n = 0; n < 8; n++) v[n] = yd[node[n]];
    hourglass_modes(hourgam, v, coefficient, f);
#pragma unroll
    for (int n = 0; n < 8; n++) fy_elem[elem + numElem * n] = f[n];
#pragma unroll
    for (int n = 0; n < 8; n++) v[n] = zd[node[n]];
    hourglass_modes(hourgam, v, coefficient, f);
#pragma unroll
    for (int n = 0; n < 8; n++) fz_elem[elem + numElem * n] = f[n];
  }
}

// Staggered grid in two dimensions, predictor: work done by pressure and viscosity on the volume of a cell
__global__ void pdv_kernel_predict(const int nx, const int ny, const double dt, const double* __restrict__ xarea, const double* __restrict__ yarea, const double* __restrict__ volume,
                                   const double* __restrict__ density0, double* __restrict__ density1, const double* __restrict__ energy0, double* __restrict__ energy1,
                                   const double* __restrict__ pressure, const double* __restrict__ viscosity, const double* __restrict__ xvel0, const double* __restrict__ yvel0) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y * blockDim.y + threadIdx.y;
  if (j >= nx || k >= ny) return;
  const int s = nx + 1, here = k * s + j;
  const double left_flux = (xarea[here] * (xvel0[here] + xvel0[here + s] + xvel0[here] + xvel0[here + s])) * 0.25 * dt * 0.5;
  const double right_flux = (xarea[here + 1] * (xvel0[here + 1] + xvel0[here + s + 1] + xvel0[here + 1] + xvel0[here + s + 1])) * 0.25 * dt * 0.5;
  const double bottom_flux = (yarea[here] * (yvel0[here] + yvel0[here + 1] + yvel0[here] + yvel0[here + 1])) * 0.25 * dt * 0.5;
  const double top_flux = (yarea[here + s] * (yvel0[here + s] + yvel0[here + s + 1] + yvel0[here + s] + yvel0[here + s + 1])) * 0.25 * dt * 0.5;
  const double total_flux = right_flux - left_flux + top_flux - bottom_flux;
  const double volume_change = volume[here] / (volume[here] + total_flux);
  const double recip_volume = 1.0 / volume[here];
  const double energy_change = (pressure[here] / density0[here] + viscosity[here] / density0[here]) * total_flux * recip_volume;
  energy1[here] = energy0[here] - energy_change;
  density1[here] = density0[here] * volume_change;
}

// ---- lattices of quantum chromodynamics ----

// Staggered fermions: one colour vector per site of one parity from its eight neighbours and their links
__device__ inline void su3_madd(float2* acc, const float2* u, const float2* v, float sign) {
#pragma unroll
  for (int r = 0; r < 3; r++) {
    float re = 0.f, im = 0.f;
#pragma unroll
    for (int c = 0; c < 3; c++) {
      re += u[r * 3 + c].x * v[c].x - u[r * 3 + c].y * v[c].y;
      im += u[r * 3 + c].x * v[c].y + u[r * 3 + c].y * v[c].x;
    }
    acc[r].x += sign * re, acc[r].y += sign * im;
  }
}

__global__ void __launch_bounds__(128) staggered_dslash(const float2* __restrict__ links_here, const float2* __restrict__ links_other, const float2* __restrict__ in, float2* __restrict__ out, int4 dims, int half_volume,
                                                        int parity) {
  const int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= half_volume) return;
  const int xh = dims.x / 2;
  int x[4], rest = idx / xh;
  x[1] = rest % dims.y, rest /= dims.y;
  x[2] = rest % dims.z, x[3] = rest / dims.z;
  x[0] = 2 * (idx % xh) + ((x[1] + x[2] + x[3] + parity) & 1);
  const int size[4] = {dims.x, dims.y, dims.z, dims.w};
  float2 acc[3] = {{0.f, 0.f}, {0.f, 0.f}, {0.f, 0.f}};
  int phase = 0;
#pragma unroll
  for (int d = 0; d < 4; d++) {
    const float eta = (phase & 1) ? -1.f : 1.f;
    phase += x[d];
#pragma unroll
    for (int way = 0; way < 2; way++) {
      int y[4] = {x[0], x[1], x[2], x[3]};
      y[d] = way ? (x[d] == 0 ? size[d] - 1 : x[d] - 1) : (x[d] == size[d] - 1 ? 0 : x[d] + 1);
      const int nb = (((y[3] * size[2] + y[2]) * size[1] + y[1]) * size[0] + y[0]) >> 1;
      float2 v[3], u[9];
#pragma unroll
      for (int c = 0; c < 3; c++) v[c] = in[c * half_volume + nb];
      if (way == 0) {
#pragma unroll
        for (int e = 0; e < 9; e++) u[e] = links_here[(d * 9 + e) * half_volume + idx];
        su3_madd(acc, u, v, eta);
      } else {
#pragma unroll
        for (int r = 0; r < 3; r++)
#pragma unroll
          for (int c = 0; c < 3; c++) {
            const float2 l = links_other[(d * 9 + c * 3 + r) * half_volume + nb];
            u[r * 3 + c] = make_float2(l.x, -l.y);
          }
        su3_madd(acc, u, v, -eta);
      }
    }
  }
#pragma unroll
  for (int c = 0; c < 3; c++) out[c * half_volume + idx] = acc[c];
}

// Clover term: two Hermitian blocks of 6 x 6, packed in 36 reals each, times a spinor of twelve complex numbers
__global__ void clover_term_apply(const float4* __restrict__ clover, const float4* __restrict__ in, float4* __restrict__ out, int sites) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  const int chirality = blockIdx.y;
  if (s >= sites) return;
  float c[36];
#pragma unroll
  for (int k = 0; k < 9; k++) {
    const float4 t = clover[(chirality * 9 + k) * sites + s];
    c[4 * k] = t.x, c[4 * k + 1] = t.y, c[4 * k + 2] = t.z, c[4 * k + 3] = t.w;
  }
  float re[6], im[6];
#pragma unroll
  for (int k = 0; k < 3; k++) {
    const float4 t = in[(chirality * 3 + k) * sites + s];
    re[2 * k] = t.x, im[2 * k] = t.y, re[2 * k + 1] = t.z, im[2 * k + 1] = t.w;
  }
  float yr[6], yi[6];
#pragma unroll
  for (int i = 0; i < 6; i++) {
    yr[i] = c[i] * re[i], yi[i] = c[i] * im[i];
#pragma unroll
    for (int j = 0; j < 6; j++) {
      if (i == j) continue;
      const int hi = i > j ? i : j, lo = i > j ? j : i;
      const int k = 6 + 2 * (hi * (hi - 1) / 2 + lo);
      const float a = c[k], b = i > j ? c[k + 1] : -c[k + 1];
      yr[i] += a * re[j] - b * im[j];
      yi[i] += a * im[j] + b * re[j];
    }
  }
#pragma unroll
  for (int k = 0; k < 3; k++) out[(chirality * 3 + k) * sites + s] = make_float4(yr[2 * k], yi[2 * k], yr[2 * k + 1], yi[2 * k + 1]);
}

// ---- earth ----

// Spectral elements of 125 points, acoustic medium: stiffness times potential, added to the points of the mesh
#define NGLLX 5
#define NGLL2 25
#define NGLL3 125
#define NGLL3_PADDED 128
__constant__ float d_hprime_xx[NGLL2], d_hprimewgll_xx[NGLL2], d_wgll[NGLLX] = {0.1f, 0.5444444f, 0.7111111f, 0.5444444f, 0.1f};

__global__ void __launch_bounds__(NGLL3_PADDED) kernel_2_acoustic_impl(const int nb_blocks, const int* __restrict__ d_ibool, const float* __restrict__ potential, float* potential_dot_dot, const float* __restrict__ geometry,
                                                                       const float* __restrict__ d_rhostore, const int stride) {
  const int bx = blockIdx.x;
  const int tx = threadIdx.x;
  const int K = tx / NGLL2, J = (tx - K * NGLL2) / NGLLX, I = tx - K * NGLL2 - J * NGLLX;

  __shared__ float s_dummy_loc[NGLL3], s_temp1[NGLL3], s_temp2[NGLL3], s_temp3[NGLL3];
  __shared__ float sh_hprime_xx[NGLL2], sh_hprimewgll_xx[NGLL2];

  if (bx >= nb_blocks) return;
  const int active = tx < NGLL3 ? 1 : 0;
  int iglob = 0;
  const int offset = bx * NGLL3_PADDED + tx;
  if (active) {
    iglob = d_ibool[offset] - 1;
    s_dummy_loc[tx] = potential[iglob];
  }
  if (tx < NGLL2) {
    sh_hprime_xx[tx] = d_hprime_xx[tx];
    sh_hprimewgll_xx[tx] = d_hprimewgll_xx[tx];
  }
  __syncthreads();

  if (active) {
    float temp1l = 0.f, temp2l = 0.f, temp3l = 0.f;
#pragma unroll
    for (int l = 0; l < NGLLX; l++) {
      temp1l += s_dummy_loc[K * NGLL2 + J * NGLLX + l] * sh_hprime_xx[l * NGLLX + I];
      temp2l += s_dummy_loc[K * NGLL2 + l * NGLLX + I] * sh_hprime_xx[l * NGLLX + J];
      temp3l += s_dummy_loc[l * NGLL2 + J * NGLLX + I] * sh_hprime_xx[l * NGLLX + K];
    }
    const float xixl = geometry[offset], etaxl = geometry[offset + stride], gammaxl = geometry[offset + 2 * stride];
    const float xiyl = geometry[offset + 3 * stride], etayl = geometry[offset + 4 * stride], gammayl = geometry[offset + 5 * stride];
    const float xizl = geometry[offset + 6 * stride], etazl = geometry[offset + 7 * stride], gammazl = geometry[offset + 8 * stride];
    const float jacobianl = 1.f / (xixl * (etayl * gammazl - etazl * gammayl) - xiyl * (etaxl * gammazl - etazl * gammaxl) + xizl * (etaxl * gammayl - etayl * gammaxl));
    const float dpotentialdxl = xixl * temp1l + etaxl * temp2l + gammaxl * temp3l;
    const float dpotentialdyl = xiyl * temp1l + etayl * temp2l + gammayl * temp3l;
    const float dpotentialdzl = xizl * temp1l + etazl * temp2l + gammazl * temp3l;
    const float rho_invl_times_jacobianl = 1.f / d_rhostore[offset] * jacobianl;
    s_temp1[tx] = rho_invl_times_jacobianl * (dpotentialdxl * xixl + dpotentialdyl * xiyl + dpotentialdzl * xizl);
    s_temp2[tx] = rho_invl_times_jacobianl * (dpotentialdxl * etaxl + dpotentialdyl * etayl + dpotentialdzl * etazl);
    s_temp3[tx] = rho_invl_times_jacobianl * (dpotentialdxl * gammaxl + dpotentialdyl * gammayl + dpotentialdzl * gammazl);
  }
  __syncthreads();

  if (active) {
    float temp1l = 0.f, temp2l = 0.f, temp3l = 0.f;
#pragma unroll
    for (int l = 0; l < NGLLX; l++) {
      temp1l += s_temp1[K * NGLL2 + J * NGLLX + l] * sh_hprimewgll_xx[I * NGLLX + l];
      temp2l += s_temp2[K * NGLL2 + l * NGLLX + I] * sh_hprimewgll_xx[J * NGLLX + l];
      temp3l += s_temp3[l * NGLL2 + J * NGLLX + I] * sh_hprimewgll_xx[K * NGLLX + l];
    }
    const float sum_terms = -(d_wgll[J] * d_wgll[K] * temp1l + d_wgll[I] * d_wgll[K] * temp2l + d_wgll[I] * d_wgll[J] * temp3l);
    atomicAdd(&potential_dot_dot[iglob], sum_terms);
  }
}

// Weather model: fourth-order horizontal diffusion with limited fluxes, Laplacians of a tile in shared memory
#define HD_X 32
#define HD_Y 8
__global__ void hdiff_limited(const double* __restrict__ in, const double* __restrict__ coeff, double* __restrict__ out, int nx, int ny) {
  __shared__ double lap[HD_Y + 2][HD_X + 2];
  const int sx = nx + 4, plane = sx * (ny + 4);
  const int i0 = blockIdx.x * HD_X, j0 = blockIdx.y * HD_Y;
  const double* u = in + (size_t)blockIdx.z * plane;
  for (int t = threadIdx.y * HD_X + threadIdx.x; t < (HD_X + 2) * (HD_Y + 2); t += HD_X * HD_Y) {
    const int li = t % (HD_X + 2), lj = t / (HD_X + 2);
    const int i = min(i0 + li, nx + 1), j = min(j0 + lj, ny + 1);
    const int at = (j + 1) * sx + i + 1;
    lap[lj][li] = 4.0 * u[at] - (u[at - 1] + u[at + 1] + u[at - sx] + u[at + sx]);
  }
  __syncthreads();
  const int i = i0 + threadIdx.x, j = j0 + threadIdx.y;
  if (i >= nx || j >= ny) return;
  const int at = (j + 2) * sx + i + 2, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const double mid = lap[ty][tx], here = u[at];
  double fx1 = lap[ty][tx + 1] - mid, fx0 = mid - lap[ty][tx - 1], fy1 = lap[ty + 1][tx] - mid, fy0 = mid - lap[ty - 1][tx];
  fx1 = fx1 * (u[at + 1] - here) > 0.0 ? 0.0 : fx1;
  fx0 = fx0 * (here - u[at - 1]) > 0.0 ? 0.0 : fx0;
  fy1 = fy1 * (u[at + sx] - here) > 0.0 ? 0.0 : fy1;
  fy0 = fy0 * (here - u[at - sx]) > 0.0 ? 0.0 : fy0;
  out[(size_t)blockIdx.z * plane + at] = here - coeff[(size_t)blockIdx.z * plane + at] * (fx1 - fx0 + fy1 - fy0);
}

// Bulk microphysics: rain falls through the levels of a column in as many small steps as its speed asks for
__global__ void rain_sedimentation(const float* __restrict__ qr_in, const float* __restrict__ rho, const float* __restrict__ dz, float* __restrict__ qr_out, float* __restrict__ precip, int columns, int levels, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= columns) return;
  float q[48], fastest = 0.f;
  for (int k = 0; k < levels; k++) {
    q[k] = qr_in[k * columns + i];
    if (q[k] > 1e-9f) {
      const float vt = 36.34f * powf(rho[k * columns + i] * 0.001f * q[k], 0.1364f) * sqrtf(1.2f / rho[k * columns + i]);
      fastest = fmaxf(fastest, vt / dz[k * columns + i]);
    }
  }
  const int steps = max(1, min(8, (int)(fastest * dt + 0.99f)));
  const float sub = dt / steps;
  float ground = 0.f;
  for (int n = 0; n < steps; n++) {
    float above = 0.f;
    for (int k = levels - 1; k >= 0; k--) {
      const float den = rho[k * columns + i], thick = dz[k * columns + i];
      float flux = 0.f;
      if (q[k] > 1e-9f) flux = den * q[k] * 36.34f * powf(den * 0.001f * q[k], 0.1364f) * sqrtf(1.2f / den);
      flux = fminf(flux, q[k] * den * thick / sub);
      q[k] += sub * (above - flux) / (den * thick);
      above = flux;
    }
    ground += above * sub;
  }
  for (int k = 0; k < levels; k++) qr_out[k * columns + i] = fmaxf(q[k], 0.f);
  precip[i] = ground;
}

// ---- molecules ----

// Cluster pairs: 64 atoms in shared memory against lists of clusters of 8 atoms, one thread per pair, a mask says which pairs count
struct ClusterEntry {
  int cj;
  unsigned imask;
};
__global__ void __launch_bounds__(64) nbnxn_cluster_pairs(const float4* __restrict__ xq, const int* __restrict__ list_start, const ClusterEntry* __restrict__ list, const float2* __restrict__ lj_comb, float* f, float rcut2,
                                                          float two_k_rf) {
  __shared__ float4 xqib[64];
  __shared__ float2 ljib[64];
  const int tidxi = threadIdx.x, tidxj = threadIdx.y, tidx = tidxj * 8 + tidxi;
  const int sci = blockIdx.x;
  xqib[tidx] = xq[sci * 64 + tidx];
  ljib[tidx] = lj_comb[sci * 64 + tidx];
  __syncthreads();

  float3 fci_buf[8];
#pragma unroll
  for (int i = 0; i < 8; i++) fci_buf[i] = make_float3(0.f, 0.f, 0.f);

  for (int e = list_start[sci]; e < list_start[sci + 1]; e++) {
    const int cj = list[e].cj;
    const unsigned imask = list[e].imask;
    const int aj = cj * 8 + tidxj;
    const float4 xqbuf = xq[aj];
    const float2 ljj = lj_comb[aj];
    float3 fcj_buf = make_float3(0.f, 0.f, 0.f);
#pragma unroll
    for (int i = 0; i < 8; i++) {
      if (imask & (1u << i)) {
        const float4 xi = xqib[i * 8 + tidxi];
        const float dx = xi.x - xqbuf.x, dy = xi.y - xqbuf.y, dz = xi.z - xqbuf.z;
        float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < rcut2 && sci * 64 + i * 8 + tidxi < aj) {
          r2 = fmaxf(r2, 3.82e-3f);
          const float inv_r = rsqrtf(r2), inv_r2 = inv_r * inv_r;
          const float2 lji = ljib[i * 8 + tidxi];
          const float inv_r6 = inv_r2 * inv_r2 * inv_r2;
          float F_invr = inv_r6 * (lji.y * ljj.y * inv_r6 - lji.x * ljj.x) * inv_r2;
          F_invr += xi.w * xqbuf.w * (inv_r2 * inv_r - two_k_rf);
          fcj_buf.x -= dx * F_invr, fcj_buf.y -= dy * F_invr, fcj_buf.z -= dz * F_invr;
          fci_buf[i].x += dx * F_invr, fci_buf[i].y += dy * F_invr, fci_buf[i].z += dz * F_invr;
        }
      }
    }
#pragma unroll
    for (int m = 1; m < 8; m <<= 1) {
      fcj_buf.x += __shfl_xor_sync(0xffffffffu, fcj_buf.x, m);
      fcj_buf.y += __shfl_xor_sync(0xffffffffu, fcj_buf.y, m);
      fcj_buf.z += __shfl_xor_sync(0xffffffffu, fcj_buf.z, m);
    }
    if (tidxi < 3) atomicAdd(&f[aj * 3 + tidxi], tidxi == 0 ? fcj_buf.x : tidxi == 1 ? fcj_buf.y : fcj_buf.z);
  }
#pragma unroll
  for (int i = 0; i < 8; i++) {
    float3 fi = fci_buf[i];
#pragma unroll
    for (int m = 8; m < 32; m <<= 1) {
      fi.x += __shfl_xor_sync(0xffffffffu, fi.x, m);
      fi.y += __shfl_xor_sync(0xffffffffu, fi.y, m);
      fi.z += __shfl_xor_sync(0xffffffffu, fi.z, m);
    }
    const int lane_row = tidxj & 3;
    if (lane_row < 3) atomicAdd(&f[(sci * 64 + i * 8 + tidxi) * 3 + lane_row], lane_row == 0 ? fi.x : lane_row == 1 ? fi.y : fi.z);
  }
}

// Particle mesh Ewald, gather: sixteen threads per atom read a spline of order four from the grid of potentials
__device__ inline void spline4(float t, float* w, float* d) {
  const float u = 1.f - t;
  w[0] = u * u * u / 6.f, w[3] = t * t * t / 6.f;
  w[1] = (3.f * t * t * t - 6.f * t * t + 4.f) / 6.f;
  w[2] = 1.f - w[0] - w[1] - w[3];
  d[0] = -0.5f * u * u, d[3] = 0.5f * t * t;
  d[1] = 1.5f * t * t - 2.f * t;
  d[2] = -d[0] - d[1] - d[3];
}
__global__ void pme_gather_forces(const float4* __restrict__ xq, const float* __restrict__ grid, float4* __restrict__ forces, int atoms, int n, float scale) {
  const int atom = (blockIdx.x * blockDim.x + threadIdx.x) >> 4;
  const int ithz = threadIdx.x & 3, ithy = threadIdx.x >> 2 & 3;
  if (atom >= atoms) return;
  const float4 a = xq[atom];
  const float sx = a.x * scale, sy = a.y * scale, sz = a.z * scale;
  const int gx = (int)sx, gy = (int)sy, gz = (int)sz;
  float wx[4], wy[4], wz[4], dx[4], dy[4], dz[4];
  spline4(sx - gx, wx, dx), spline4(sy - gy, wy, dy), spline4(sz - gz, wz, dz);
  float ty = 0.f, dty = 0.f, tz = 0.f, dtz = 0.f;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    if (ithy == k) ty = wy[k], dty = dy[k];
    if (ithz == k) tz = wz[k], dtz = dz[k];
  }
  int iy = gy + ithy, iz = gz + ithz;
  iy -= iy >= n ? n : 0, iz -= iz >= n ? n : 0;
  float fx = 0.f, fy = 0.f, fz = 0.f;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    int ix = gx + k;
    ix -= ix >= n ? n : 0;
    const float value = __ldg(&grid[(ix * n + iy) * n + iz]);
    fx += dx[k] * ty * tz * value, fy += wx[k] * dty * tz * value, fz += wx[k] * ty * dtz * value;
  }
#pragma unroll
  for (int m = 8; m > 0; m >>= 1) {
    fx += __shfl_down_sync(0xffffffffu, fx, m, 16);
    fy += __shfl_down_sync(0xffffffffu, fy, m, 16);
    fz += __shfl_down_sync(0xffffffffu, fz, m, 16);
  }
  if ((threadIdx.x & 15) == 0) forces[atom] = make_float4(-a.w * scale * fx, -a.w * scale * fy, -a.w * scale * fz, 0.f);
}

// Perturbative triples of coupled cluster: t3(h3,h2,h1,p6,p5,p4) -= t2(h7,p4,p5,h1) * v2(h3,h2,p6,h7), tiles of 64 x 64
#define T1 16
__global__ void __launch_bounds__(256) ccsd_t_d1(int h1d, int h2d, int h3d, int h7d, int p4d, int p5d, int p6d, double* __restrict__ t3, const double* __restrict__ t2, const double* __restrict__ v2) {
  __shared__ double t2_shm[4 * T1][T1 + 1], v2_shm[T1][4 * T1];
  const int rows = h3d * h2d * p6d, cols = h1d * p5d * p4d;
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const int row0 = blockIdx.x * 64, col0 = blockIdx.y * 64;
  double acc[4][4] = {};
  for (int base = 0; base < h7d; base += T1) {
    const int depth = min(T1, h7d - base);
#pragma unroll
    for (int q = 0; q < 4; q++) {
      const int col = col0 + ty + 16 * q;
      if (col < cols && tx < depth) {
        const int h1 = col % h1d, p5 = col / h1d % p5d, p4 = col / h1d / p5d;
        t2_shm[ty + 16 * q][tx] = t2[base + tx + h7d * (p4 + p4d * (p5 + p5d * h1))];
      }
      const int row = row0 + tx + 16 * q;
      if (row < rows && ty < depth) {
        const int h3 = row % h3d, h2 = row / h3d % h2d, p6 = row / h3d / h2d;
        v2_shm[ty][tx + 16 * q] = v2[h3 + h3d * (h2 + h2d * (p6 + p6d * (base + ty)))];
      }
    }
    __syncthreads();
    for (int k = 0; k < depth; k++) {
      double a[4], b[4];
#pragma unroll
      for (int q = 0; q < 4; q++) a[q] = t2_shm[ty + 16 * q][k], b[q] = v2_shm[k][tx + 16 * q];
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) acc[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const int col = col0 + ty + 16 * i;
    if (col >= cols) continue;
    const int h1 = col % h1d, p5 = col / h1d % p5d, p4 = col / h1d / p5d;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const int row = row0 + tx + 16 * j;
      if (row >= rows) continue;
      const int h3 = row % h3d, h2 = row / h3d % h2d, p6 = row / h3d / h2d;
      t3[h3 + h3d * (h2 + h2d * (h1 + h1d * (p6 + p6d * (p5 + p5d * p4))))] -= acc[i][j];
    }
  }
}

// ---- random numbers, sequences, ciphers ----

// Embarrassingly parallel: pairs of Gaussian deviates by the polar method, counted in square annuli; generator modulo 2^46
#define EP_A 1220703125ull
#define EP_MASK ((1ull << 46) - 1)
__device__ inline unsigned long long ep_power(unsigned long long a, unsigned n) {
  unsigned long long r = 1;
  while (n) {
    if (n & 1) r = (r * a) & EP_MASK;
    a = (a * a) & EP_MASK;
    n >>= 1;
  }
  return r;
}
__global__ void ep_gaussian_pairs(unsigned long long seed, int pairs_per_thread, double* sums, int* counts) {
  __shared__ int q[10];
  __shared__ double partial[2][4];
  if (threadIdx.x < 10) q[threadIdx.x] = 0;
  __syncthreads();
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long x = (seed * ep_power(EP_A, 2 * pairs_per_thread * t)) & EP_MASK;
  const double r46 = 1.0 / (double)(1ull << 46);
  double sx = 0.0, sy = 0.0;
  for (int i = 0; i < pairs_per_thread; i++) {
    x = (x * EP_A) & EP_MASK;
    const double x1 = 2.0 * (r46 * (double)x) - 1.0;
    x = (x * EP_A) & EP_MASK;
    const double x2 = 2.0 * (r46 * (double)x) - 1.0;
    const double t1 = x1 * x1 + x2 * x2;
    if (t1 <= 1.0) {
      const double t2 = sqrt(-2.0 * log(t1) / t1);
      const double t3 = x1 * t2, t4 = x2 * t2;
      const int l = (int)fmax(fabs(t3), fabs(t4));
      atomicAdd(&q[min(l, 9)], 1);
      sx += t3, sy += t4;
    }
  }
  for (int m = 16; m > 0; m >>= 1) sx += __shfl_down_sync(0xffffffffu, sx, m), sy += __shfl_down_sync(0xffffffffu, sy, m);
  if ((threadIdx.x & 31) == 0) partial[0][threadIdx.x >> 5] = sx, partial[1][threadIdx.x >> 5] = sy;
  __syncthreads();
  if (threadIdx.x < 10) atomicAdd(&counts[threadIdx.x], q[threadIdx.x]);
  if (threadIdx.x < 2) atomicAdd(&sums[threadIdx.x], partial[threadIdx.x][0] + partial[threadIdx.x][1] + partial[threadIdx.x][2] + partial[threadIdx.x][3]);
}

// Block tridiagonal lines of 5 x 5 blocks, one thread per line: forward elimination and back substitution
__global__ void bt_x_solve(const double* __restrict__ lhsa, const double* __restrict__ lhsb, const double* __restrict__ lhsc, const double* __restrict__ rhs, double* cprime, double* x, int lines, int cells) {
  const int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  double c[5][5] = {}, r[5] = {};
  for (int i = 0; i < cells; i++) {
    double b[5][5], cn[5][5], rn[5];
#pragma unroll
    for (int m = 0; m < 5; m++) {
      rn[m] = rhs[(i * 5 + m) * lines + line];
#pragma unroll
      for (int n = 0; n < 5; n++) {
        b[m][n] = lhsb[(i * 25 + m * 5 + n) * lines + line];
        cn[m][n] = lhsc[(i * 25 + m * 5 + n) * lines + line];
      }
    }
    if (i > 0) {
#pragma unroll
      for (int m = 0; m < 5; m++)
#pragma unroll
        for (int k = 0; k < 5; k++) {
          const double a = lhsa[(i * 25 + m * 5 + k) * lines + line];
          rn[m] -= a * r[k];
#pragma unroll
          for (int n = 0; n < 5; n++) b[m][n] -= a * c[k][n];
        }
    }
#pragma unroll
    for (int p = 0; p < 5; p++) {
      const double pivot = 1.0 / b[p][p];
#pragma unroll
      for (int n = p + 1; n < 5; n++) b[p][n] *= pivot;
#pragma unroll
      for (int n = 0; n < 5; n++) cn[p][n] *= pivot;
      rn[p] *= pivot;
#pragma unroll
      for (int m = 0; m < 5; m++) {
        if (m == p) continue;
        const double coeff = b[m][p];
#pragma unroll
        for (int n = p + 1; n < 5; n++) b[m][n] -= coeff * b[p][n];
#pragma unroll
        for (int n = 0; n < 5; n++) cn[m][n] -= coeff * cn[p][n];
        rn[m] -= coeff * rn[p];
      }
    }
#pragma unroll
    for (int m = 0; m < 5; m++) {
      r[m] = rn[m];
      x[(i * 5 + m) * lines + line] = rn[m];
#pragma unroll
      for (int n = 0; n < 5; n++) {
        c[m][n] = cn[m][n];
        cprime[(i * 25 + m * 5 + n) * lines + line] = cn[m][n];
      }
    }
  }
  for (int i = cells - 2; i >= 0; i--) {
    double s[5];
#pragma unroll
    for (int m = 0; m < 5; m++) {
      s[m] = x[(i * 5 + m) * lines + line];
#pragma unroll
      for (int n = 0; n < 5; n++) s[m] -= cprime[(i * 25 + m * 5 + n) * lines + line] * r[n];
    }
#pragma unroll
    for (int m = 0; m < 5; m++) r[m] = s[m], x[(i * 5 + m) * lines + line] = s[m];
  }
}

// Profile search, first filter: ungapped local scores of bytes, a warp per sequence, 256 positions of the model in two words per lane
__global__ void msv_filter_warp(const uint8_t* __restrict__ residues, const int* __restrict__ offsets, const uint32_t* __restrict__ match_scores, int sequences, int* __restrict__ scores) {
  __shared__ uint32_t rbv[28][64];
  for (int t = threadIdx.x; t < 28 * 64; t += blockDim.x) rbv[t / 64][t % 64] = match_scores[t];
  __syncthreads();
  const int lane = threadIdx.x & 31, seq = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (seq >= sequences) return;
  const int base = 190, tec = 3, tjb = 28;
  const uint32_t biasv = 0x0c0c0c0cu;
  uint32_t dp0 = 0, dp1 = 0;
  int xJ = 0, xB = base - tjb;
  bool overflow = false;
  for (int i = offsets[seq]; i < offsets[seq + 1]; i++) {
    const uint32_t* row = rbv[residues[i]];
    uint32_t before0 = __shfl_up_sync(0xffffffffu, dp0, 1);
    uint32_t before1 = __shfl_up_sync(0xffffffffu, dp1, 1);
    const uint32_t last0 = __shfl_sync(0xffffffffu, dp0, 31);
    if (lane == 0) before0 = 0, before1 = last0;
    const uint32_t xBv = xB * 0x01010101u;
    uint32_t sv = __vmaxu4(__byte_perm(before0, dp0, 0x6543), xBv);
    dp0 = __vsubus4(__vaddus4(sv, biasv), row[lane]);
    sv = __vmaxu4(__byte_perm(before1, dp1, 0x6543), xBv);
    dp1 = __vsubus4(__vaddus4(sv, biasv), row[32 + lane]);
    const uint32_t xEv = __vmaxu4(dp0, dp1);
    const unsigned mine = max(max(xEv & 255, xEv >> 8 & 255), max(xEv >> 16 & 255, xEv >> 24));
    const int xE = (int)__reduce_max_sync(0xffffffffu, mine);
    if (xE >= 255 - 12) {
      overflow = true;
      break;
    }
    xJ = max(xJ, xE - tec);
    xB = max(max(base, xJ) - tjb, 0);
  }
  if (lane == 0) scores[seq] = overflow ? 1 << 20 : xJ;
}

// SM3: the digest of one short message per thread, all rounds unrolled
__device__ inline uint32_t rotl32(uint32_t x, int n) { return __funnelshift_l(x, x, n); }
__global__ void sm3_messages(const uint32_t* __restrict__ messages, uint32_t* __restrict__ digests, int count, int words) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= count) return;
  uint32_t v[8] = {0x7380166fu, 0x4914b2b9u, 0x172442d7u, 0xda8a0600u, 0xa96f30bcu, 0x163138aau, 0xe38dee4du, 0xb0fb0e4eu};
  const int blocks = (words + 3 + 15) / 16;
  for (int blk = 0; blk < blocks; blk++) {
    uint32_t w[68];
#pragma unroll
    for (int j = 0; j < 16; j++) {
      const int at = blk * 16 + j;
      w[j] = at < words ? messages[at * count + t] : at == words ? 0x80000000u : at == blocks * 16 - 1 ? words * 32u : 0u;
    }
#pragma unroll
    for (int j = 16; j < 68; j++) {
      const uint32_t y = w[j - 16] ^ w[j - 9] ^ rotl32(w[j - 3], 15);
      w[j] = y ^ rotl32(y, 15) ^ rotl32(y, 23) ^ rotl32(w[j - 13], 7) ^ w[j - 6];
    }
    uint32_t a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6], h = v[7];
#pragma unroll
    for (int j = 0; j < 64; j++) {
      const uint32_t tj = j < 16 ? 0x79cc4519u : 0x7a879d8au;
      const uint32_t a12 = rotl32(a, 12);
      const uint32_t ss1 = rotl32(a12 + e + rotl32(tj, j % 32), 7), ss2 = ss1 ^ a12;
      const uint32_t ff = j < 16 ? a ^ b ^ c : (a & b) | (a & c) | (b & c), gg = j < 16 ? e ^ f ^ g : (e & f) | (~e & g);
      const uint32_t tt1 = ff + d + ss2 + (w[j] ^ w[j + 4]), tt2 = gg + h + ss1 + w[j];
      d = c, c = rotl32(b, 9), b = a, a = tt1;
      h = g, g = rotl32(f, 19), f = e, e = tt2 ^ rotl32(tt2, 9) ^ rotl32(tt2, 17);
    }
    v[0] ^= a, v[1] ^= b, v[2] ^= c, v[3] ^= d, v[4] ^= e, v[5] ^= f, v[6] ^= g, v[7] ^= h;
  }
#pragma unroll
  for (int k = 0; k < 8; k++) digests[t * 8 + k] = v[k];
}

// Combined multiple recursive generator: two recurrences modulo primes near 2^32, uniform doubles
__global__ void mrg32k3a_uniform(uint32_t* state, double* __restrict__ out, int streams, int per_stream) {
  const uint64_t m1 = 4294967087ull, m2 = 4294944443ull;
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= streams) return;
  uint64_t s10 = state[t], s11 = state[streams + t], s12 = state[2 * streams + t];
  uint64_t s20 = state[3 * streams + t], s21 = state[4 * streams + t], s22 = state[5 * streams + t];
  for (int i = 0; i < per_stream; i++) {
    const uint64_t p1 = (1403580ull * s11 + 810728ull * (m1 - s10)) % m1;
    s10 = s11, s11 = s12, s12 = p1;
    const uint64_t p2 = (527612ull * s22 + 1370589ull * (m2 - s20)) % m2;
    s20 = s21, s21 = s22, s22 = p2;
    out[(size_t)i * streams + t] = (p1 > p2 ? p1 - p2 : p1 - p2 + m1) * 2.328306549295728e-10;
  }
  state[t] = (uint32_t)s10, state[streams + t] = (uint32_t)s11, state[2 * streams + t] = (uint32_t)s12;
  state[3 * streams + t] = (uint32_t)s20, state[4 * streams + t] = (uint32_t)s21, state[5 * streams + t] = (uint32_t)s22;
}

// ---- pictures ----

// Directional enhancement filter of a video codec: primary taps along the edge of an 8 x 8 block, secondary taps at 45 degrees
__constant__ int8_t cdef_dirs[8][2][2] = {{{-1, 1}, {-2, 2}}, {{0, 1}, {-1, 2}}, {{0, 1}, {0, 2}}, {{0, 1}, {1, 2}}, {{1, 1}, {2, 2}}, {{1, 0}, {2, 1}}, {{1, 0}, {2, 0}}, {{1, 0}, {2, -1}}};

__device__ inline int cdef_constrain(int diff, int threshold, int damping) {
  if (!threshold) return 0;
  const int shift = max(0, damping - (31 - __clz(threshold)));
  const int a = abs(diff), m = min(a, max(0, threshold - (a >> shift)));
  return diff < 0 ? -m : m;
}
__global__ void cdef_filter_8x8(const uint16_t* __restrict__ src, uint16_t* __restrict__ dst, const uint8_t* __restrict__ block_dir, const uint8_t* __restrict__ block_strength, int blocks_x, int blocks_y, int stride, int damping) {
  const int bx = blockIdx.x * blockDim.z + threadIdx.z, by = blockIdx.y;
  if (bx >= blocks_x || by >= blocks_y) return;
  const int at = (by * 8 + threadIdx.y + 3) * stride + bx * 8 + threadIdx.x + 3;
  const int x = src[at];
  const int strength = block_strength[by * blocks_x + bx], pri = strength >> 2, sec = (strength & 3) == 3 ? 4 : strength & 3;
  if (strength == 0) {
    dst[at] = (uint16_t)x;
    return;
  }
  const int dir = block_dir[by * blocks_x + bx];
  int sum = 0, most = x, least = x;
#pragma unroll
  for (int k = 0; k < 2; k++) {
    const int weight = (pri & 1) ? 3 : 4 - 2 * k;
    const int o = cdef_dirs[dir][k][0] * stride + cdef_dirs[dir][k][1];
    const int p0 = src[at + o], p1 = src[at - o];
    sum += weight * (cdef_constrain(p0 - x, pri, damping) + cdef_constrain(p1 - x, pri, damping));
    most = max(most, max(p0, p1)), least = min(least, min(p0, p1));
#pragma unroll
    for (int side = 0; side < 2; side++) {
      const int d2 = (dir + (side ? 6 : 2)) & 7;
      const int o2 = cdef_dirs[d2][k][0] * stride + cdef_dirs[d2][k][1];
      const int s0 = src[at + o2], s1 = src[at - o2];
      sum += (2 - k) * (cdef_constrain(s0 - x, sec, damping) + cdef_constrain(s1 - x, sec, damping));
      most = max(most, max(s0, s1)), least = min(least, min(s0, s1));
    }
  }
  dst[at] = (uint16_t)min(max(x + ((8 + sum - (sum < 0)) >> 4), least), most);
}

// Tomography with a cone of rays: every voxel gathers from several projections, bilinear, weighted by the distance to the source
__constant__ float proj_matrix[8][12];
__device__ inline float detector(const float* image, int i, int j, int width, int height) { return i >= 0 && i < width && j >= 0 && j < height ? image[j * width + i] : 0.0f; }
__global__ void cone_backproject(const float* __restrict__ images, float* volume, int L, float O_Index, float voxelSize, int width, int height, int projections) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z;
  if (x >= L || y >= L) return;
  float wx = O_Index + x * voxelSize, wy = O_Index + y * voxelSize, wz = O_Index + z * voxelSize;
  float result = 0.0f;
  for (int p = 0; p < projections; p++) {
    const float* A_n = proj_matrix[p];
    const float* I_n = images + p * width * height;
    float u_n = A_n[0] * wx + A_n[1] * wy + A_n[2] * wz + A_n[3];
    float v_n = A_n[4] * wx + A_n[5] * wy + A_n[6] * wz + A_n[7];
    float w_n = A_n[8] * wx + A_n[9] * wy + A_n[10] * wz + A_n[11];
    u_n = u_n / w_n;
    v_n = v_n / w_n;
    int i = (int)floorf(u_n), j = (int)floorf(v_n);
    float alpha = u_n - i, beta = v_n - j;
    float value = (1.0f - alpha) * (1.0f - beta) * detector(I_n, i, j, width, height) + alpha * (1.0f - beta) * detector(I_n, i + 1, j, width, height) +
                  (1.0f - alpha) * beta * detector(I_n, i, j + 1, width, height) + alpha * beta * detector(I_n, i + 1, j + 1, width, height);
    result += value / (w_n * w_n);
  }
  volume[(z * L + y) * L + x] += result;
}

// ---- cells, plasmas, matrices, options ----

// Cardiac tissue, Beeler-Reuter membrane: gates by Rush-Larsen, one step of the potential with diffusion
__constant__ float br_rate[12][7] = {{0.0005f, 0.083f, 50.f, 0.f, 0.f, 0.057f, 1.f}, {0.0013f, -0.06f, 20.f, 0.f, 0.f, -0.04f, 1.f}, {0.f, 0.f, 47.f, -1.f, 47.f, -0.1f, -1.f}, {40.f, -0.056f, 72.f, 0.f, 0.f, 0.f, 0.f},
                                     {0.126f, -0.25f, 77.f, 0.f, 0.f, 0.f, 0.f}, {1.7f, 0.f, 22.5f, 0.f, 0.f, -0.082f, 1.f}, {0.055f, -0.25f, 78.f, 0.f, 0.f, -0.2f, 1.f}, {0.3f, 0.f, 32.f, 0.f, 0.f, -0.1f, 1.f},
                                     {0.095f, -0.01f, -5.f, 0.f, 0.f, -0.072f, 1.f}, {0.07f, -0.017f, 44.f, 0.f, 0.f, 0.05f, 1.f}, {0.012f, -0.008f, 28.f, 0.f, 0.f, 0.15f, 1.f}, {0.0065f, -0.02f, 30.f, 0.f, 0.f, -0.2f, 1.f}};

__device__ inline float br_alpha(int k, float v) {
  const float* c = br_rate[k];
  return (c[0] * expf(c[1] * (v + c[2])) + c[3] * (v + c[4])) / (expf(c[5] * (v + c[2])) + c[6]);
}
__global__ void beeler_reuter_step(const float* __restrict__ v_in, float* __restrict__ v_out, float* calcium, float* gates, int nx, int ny, float dt, float diffusion) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const int n = nx * ny, i = y * nx + x;
  const float v = v_in[i];
  const float lap = v_in[x > 0 ? i - 1 : i] + v_in[x < nx - 1 ? i + 1 : i] + v_in[y > 0 ? i - nx : i] + v_in[y < ny - 1 ? i + nx : i] - 4.f * v;
  float g[6];
#pragma unroll
  for (int k = 0; k < 6; k++) {
    const float a = br_alpha(2 * k, v), b = br_alpha(2 * k + 1, v), rate = a + b, steady = a / rate;
    g[k] = steady - (steady - gates[k * n + i]) * expf(-dt * rate);
    gates[k * n + i] = g[k];
  }
  const float ca = calcium[i];
  const float ik1 = 0.35f * (4.f * (expf(0.04f * (v + 85.f)) - 1.f) / (expf(0.08f * (v + 53.f)) + expf(0.04f * (v + 53.f))) + 0.2f * (v + 23.f) / (1.f - expf(-0.04f * (v + 23.f))));
  const float ix1 = g[0] * 0.8f * (expf(0.04f * (v + 77.f)) - 1.f) / expf(0.04f * (v + 35.f));
  const float ina = (4.f * g[1] * g[1] * g[1] * g[2] * g[3] + 0.003f) * (v - 50.f);
  const float is = 0.09f * g[4] * g[5] * (v + 82.3f + 13.0287f * logf(ca));
  calcium[i] = ca + dt * (-1e-7f * is + 0.07f * (1e-7f - ca));
  v_out[i] = v + dt * (diffusion * lap - (ik1 + ix1 + ina + is));
}

// Particle in cell: charge-conserving currents of a moved particle, splines of second order over five points
struct Moved {
  float x0, y0, x1, y1, vz, weight;
};
__device__ inline void spline2(float* s, int at, float d) {
  s[at] = 0.5f * (d - 0.5f) * (d - 0.5f);
  s[at + 1] = 0.75f - d * d;
  s[at + 2] = 0.5f * (d + 0.5f) * (d + 0.5f);
}
__global__ void esirkepov_current_2d(const Moved* __restrict__ particles, float* jx, float* jy, float* jz, int count, int stride, float dx_over_dt) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= count) return;
  const Moved m = particles[p];
  const int ipo = (int)rintf(m.x0), jpo = (int)rintf(m.y0), ip = (int)rintf(m.x1), jp = (int)rintf(m.y1);
  float sx0[5] = {}, sy0[5] = {}, sx1[5] = {}, sy1[5] = {};
  spline2(sx0, 1, m.x0 - ipo), spline2(sy0, 1, m.y0 - jpo);
  spline2(sx1, 1 + ip - ipo, m.x1 - ip), spline2(sy1, 1 + jp - jpo, m.y1 - jp);
  const float cr = m.weight * dx_over_dt, crz = m.weight * m.vz;
  const int base = (jpo - 2) * stride + ipo - 2;
  for (int j = 0; j < 5; j++) {
    const float a = sy0[j] + 0.5f * (sy1[j] - sy0[j]);
    float flow = 0.f;
    for (int i = 0; i < 4; i++) {
      flow -= cr * (sx1[i] - sx0[i]) * a;
      if (flow != 0.f) atomicAdd(&jx[base + j * stride + i + 1], flow);
    }
  }
  for (int i = 0; i < 5; i++) {
    const float a = sx0[i] + 0.5f * (sx1[i] - sx0[i]);
    float flow = 0.f;
    for (int j = 0; j < 4; j++) {
      flow -= cr * (sy1[j] - sy0[j]) * a;
      if (flow != 0.f) atomicAdd(&jy[base + (j + 1) * stride + i], flow);
    }
  }
  for (int j = 0; j < 5; j++)
    for (int i = 0; i < 5; i++) {
      const float dsx = sx1[i] - sx0[i], dsy = sy1[j] - sy0[j];
      const float w = sx0[i] * sy0[j] + 0.5f * dsx * sy0[j] + 0.5f * sx0[i] * dsy + dsx * dsy / 3.f;
      if (w != 0.f) atomicAdd(&jz[base + j * stride + i], crz * w);
    }
}

// Matrix product of doubles on tensor cores: tiles of 64 x 64, four warps of 32 x 32 each
__global__ void __launch_bounds__(128) dgemm_dmma_64x64(const double* __restrict__ A, const double* __restrict__ B, double* __restrict__ C, int M, int N, int K, double alpha, double beta) {
  __shared__ __align__(16) double As[64][20];
  __shared__ __align__(16) double Bs[16][68];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int wr = (warp >> 1) * 32, wc = (warp & 1) * 32;
  double acc[4][4][2] = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
    for (int q = 0; q < 4; q++) {
      const int e = (q * 128 + threadIdx.x) * 2;
      *(double2*)&As[e / 16][e % 16] = *(const double2*)&A[(row0 + e / 16) * K + k0 + e % 16];
      *(double2*)&Bs[e / 64][e % 64] = *(const double2*)&B[(k0 + e / 64) * N + col0 + e % 64];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 16; kk += 4) {
      double a[4], b[4];
#pragma unroll
      for (int t = 0; t < 4; t++) {
        a[t] = As[wr + t * 8 + lane / 4][kk + lane % 4];
        b[t] = Bs[kk + lane % 4][wc + t * 8 + lane / 4];
      }
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
          asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};\n" : "+d"(acc[i][j][0]), "+d"(acc[i][j][1]) : "d"(a[i]), "d"(b[j]));
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      double2* c = (double2*)&C[(row0 + wr + i * 8 + lane / 4) * N + col0 + wc + j * 8 + lane % 4 * 2];
      double2 old = *c;
      old.x = alpha * acc[i][j][0] + beta * old.x;
      old.y = alpha * acc[i][j][1] + beta * old.y;
      *c = old;
    }
}

// Incomplete factors by fixed-point sweeps: one thread per entry merges a row of L with a column of U
__global__ void ilu0_fixed_point(int nnz, const int* __restrict__ coo_row, const int* __restrict__ coo_col, const double* __restrict__ values, const int* __restrict__ position, const int* __restrict__ l_ptr,
                                 const int* __restrict__ l_col, double* l_val, const int* __restrict__ u_ptr, const int* __restrict__ u_row, double* u_val) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= nnz) return;
  const int i = coo_row[e], j = coo_col[e], bound = min(i, j);
  double sum = values[e];
  int lb = l_ptr[i], ub = u_ptr[j];
  const int le = l_ptr[i + 1], ue = u_ptr[j + 1];
  while (lb < le && ub < ue) {
    const int lc = l_col[lb], ur = u_row[ub];
    if (lc >= bound || ur >= bound) break;
    if (lc == ur) sum -= l_val[lb] * u_val[ub];
    lb += lc <= ur;
    ub += ur <= lc;
  }
  if (i > j)
    l_val[position[e]] = sum / u_val[ue - 1];
  else
    u_val[position[e]] = sum;
}

// Brownian bridge in its own order of points, path in local memory, and the payoff of an Asian option
#define BRIDGE_STEPS 64
struct BridgePoint {
  int index, left, right;
  float left_weight, right_weight, deviation;
};
__constant__ BridgePoint bridge[BRIDGE_STEPS];
__global__ void brownian_bridge_paths(const float* __restrict__ normals, float* __restrict__ payoff, int paths, float spot, float strike, float drift_dt, float sigma) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= paths) return;
  float path[BRIDGE_STEPS];
  path[BRIDGE_STEPS - 1] = bridge[0].deviation * normals[p];
  for (int i = 1; i < BRIDGE_STEPS; i++) {
    const BridgePoint b = bridge[i];
    float value = b.right_weight * path[b.right] + b.deviation * normals[(size_t)i * paths + p];
    if (b.left) value += b.left_weight * path[b.left - 1];
    path[b.index] = value;
  }
  float mean = 0.f;
  for (int i = 0; i < BRIDGE_STEPS; i++) mean += spot * __expf(drift_dt * (i + 1) + sigma * path[i]);
  payoff[p] = fmaxf(mean / BRIDGE_STEPS - strike, 0.f);
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  float* f = on_device<float>(12 * M, [](uint32_t i) { return fraction(i); });
  double* d = on_device<double>(8 * M, [](uint32_t i) { return 0.2 + 0.8 * fraction(i); });
  float* o = zeros<float>(12 * M);
  double* od = zeros<double>(6 * M);

  float* q = on_device<float>(1024 * 2048, [](uint32_t i) { return hashed(i) & 1 ? 0.03125f : -0.03125f; });
  run("gramschmidt_kernel3", [&] { gramschmidt_kernel3<<<8, 256>>>(f, o, q, 3, 1024, 2048); });
  int* wall = on_device<int>(100000 * 40, [](uint32_t i) { return int(hashed(i) % 10); });
  run("dynproc_kernel", [&] { dynproc_kernel<<<(100000 + 215) / 216, BLOCK_SIZE>>>(20, wall, wall, (int*)o, 100000, 1, 20); });
  run("bpnn_layerforward_CUDA", [&] { bpnn_layerforward_CUDA<<<dim3(1, 4096), dim3(16, 16)>>>(f, o, f + M, o + 2 * M, 65536, 16); });
  std::vector<double> cdf(10000), draws(10000);
  double total = 0;
  for (int i = 0; i < 10000; ++i) cdf[i] = total += 0.1 + fraction(i) * fraction(i + 77);
  for (int i = 0; i < 10000; ++i) cdf[i] /= total, draws[i] = (i + 0.37) / 10000;
  double *cdf_d = on_device(cdf), *draws_d = on_device(draws);
  run("find_index_kernel", [&] { find_index_kernel<<<(10000 + 511) / 512, 512>>>(d, d + M, cdf_d, draws_d, od, od + M, 10000); });

  constexpr int nelr = 80000;
  std::vector<int> around(4 * nelr);
  for (int i = 0; i < nelr; ++i)
    for (int j = 0; j < 4; ++j) {
      const int nb = i + (j == 0 ? -1 : j == 1 ? 1 : j == 2 ? -290 - int(hashed(i) % 20) : 290 + int(hashed(i + 5) % 20));
      around[j * nelr + i] = nb < 0 ? -1 : nb >= nelr ? -2 : hashed(i * 4 + j) % 500 == 0 ? -1 : nb;
    }
  int* around_d = on_device(around);
  float* flow = on_device<float>(5 * nelr, [](uint32_t i) { return i < nelr ? 1.f + fraction(i) : i < 4 * nelr ? fraction(i) - 0.5f : 3.5f + fraction(i); });
  run("cuda_compute_flux", [&] { cuda_compute_flux<<<(nelr + 191) / 192, 192>>>(nelr, around_d, f, flow, o); });
  run("hotspotOpt1", [&] { hotspotOpt1<<<dim3(8, 128), dim3(64, 4)>>>(f, f + 2 * M, o, 0.3f, 512, 512, 8, 0.1f, 0.1f, 0.1f, 0.1f, 0.05f, 0.05f, 0.5f); });

  constexpr int edge = 45, elems = edge * edge * edge;
  std::vector<int> nodes(8 * elems);
  for (int e = 0; e < elems; ++e) {
    const int base = (e / edge / edge * (edge + 1) + e / edge % edge) * (edge + 1) + e % edge, up = (edge + 1) * (edge + 1);
    const int corner[8] = {base, base + 1, base + edge + 2, base + edge + 1, base + up, base + up + 1, base + up + edge + 2, base + up + edge + 1};
    for (int n = 0; n < 8; ++n) nodes[n * elems + e] = corner[n];
  }
  int* nodes_d = on_device(nodes);
  const double* e8 = d;
  run("CalcFBHourglassForceForElems", [&] {
    CalcFBHourglassForceForElems<<<(elems + 255) / 256, 256>>>(e8, e8 + 8 * elems, e8 + 16 * elems, e8 + 24 * elems, e8 + 32 * elems, e8 + 40 * elems, e8 + 48 * elems, e8 + 49 * elems, e8 + 51 * elems, e8 + 53 * elems,
                                                               e8 + 55 * elems, e8 + 56 * elems, nodes_d, od, od + 8 * elems, od + 16 * elems, 3.0, elems);
  });
  constexpr int cl = 720 * 722;
  run("pdv_kernel_predict", [&] { pdv_kernel_predict<<<dim3(12, 180), dim3(64, 4)>>>(720, 720, 0.01, d, d + cl, d + 2 * cl, d + 3 * cl, od, d + 4 * cl, od + cl, d + 5 * cl, d + 6 * cl, d + 7 * cl, d + 8 * cl); });

  constexpr int half_volume = 16 * 16 * 16 * 32 / 2;
  const float2* links = (const float2*)f;
  run("staggered_dslash", [&] { staggered_dslash<<<half_volume / 128, 128>>>(links, links + 36 * half_volume, links + 80 * half_volume, (float2*)o, make_int4(16, 16, 16, 32), half_volume, 1); });
  run("clover_term_apply", [&] { clover_term_apply<<<dim3(100000 / 128 + 1, 2), 128>>>((const float4*)f, (const float4*)f + 18 * 100000, (float4*)o, 100000); });

  constexpr int spectral = 20 * 20 * 20;
  std::vector<int> ibool(spectral * 128, 1);
  for (int e = 0; e < spectral; ++e)
    for (int t = 0; t < 125; ++t) ibool[e * 128 + t] = 1 + ((e / 400 * 4 + t / 25) * 81 + e / 20 % 20 * 4 + t / 5 % 5) * 81 + e % 20 * 4 + t % 5;
  std::vector<float> hprime(25);
  for (int i = 0; i < 25; ++i) hprime[i] = fraction(i) - 0.5f;
  CHECK(cudaMemcpyToSymbol(d_hprime_xx, hprime.data(), 100));
  CHECK(cudaMemcpyToSymbol(d_hprimewgll_xx, hprime.data(), 100));
  int* ibool_d = on_device(ibool);
  float* geometry = on_device<float>(9 * spectral * 128, [](uint32_t i) { return i / (spectral * 128) % 4 == 0 ? 1.f + 0.2f * fraction(i) : 0.1f * fraction(i); });
  float* rhostore = on_device<float>(spectral * 128, [](uint32_t i) { return 1.f + fraction(i); });
  run("kernel_2_acoustic_impl", [&] { kernel_2_acoustic_impl<<<spectral, NGLL3_PADDED>>>(spectral, ibool_d, f, o, geometry, rhostore, spectral * 128); });
  run("hdiff_limited", [&] { hdiff_limited<<<dim3(6, 20, 50), dim3(HD_X, HD_Y)>>>(d, d + 2 * M, od, 190, 157); });
  constexpr int columns = 12000, levels = 40;
  float* rain = on_device<float>(columns * levels, [](uint32_t i) { return hashed(i % columns / 50) % 3 == 0 && i / columns < 26 ? 2e-3f * fraction(i) : 0.f; });
  float* air = on_device<float>(columns * levels, [](uint32_t i) { return 1.2f * std::exp(-float(i / columns) / 22.f); });
  float* thick = on_device<float>(columns * levels, [](uint32_t i) { return 120.f + 12.f * float(i / columns) + 5.f * fraction(i); });
  run("rain_sedimentation", [&] { rain_sedimentation<<<(columns + 63) / 64, 64>>>(rain, air, thick, o, o + M, columns, levels, 90.f); });

  // 256 boxes of 64 atoms, their octants are the clusters
  constexpr int boxes = 8 * 8 * 4, atoms = boxes * 64;
  std::vector<float4> xq(atoms);
  std::vector<float2> comb(atoms);
  std::vector<float> centre(boxes * 8 * 3);
  for (int c = 0; c < boxes * 8; ++c) {
    const int b = c / 8;
    const float cx = b % 8 + 0.5f * (c & 1), cy = b / 8 % 8 + 0.5f * (c >> 1 & 1), cz = b / 64 + 0.5f * (c >> 2 & 1);
    centre[3 * c] = cx, centre[3 * c + 1] = cy, centre[3 * c + 2] = cz;
    for (int a = c * 8; a < c * 8 + 8; ++a) {
      xq[a] = make_float4(cx + 0.5f * fraction(3 * a), cy + 0.5f * fraction(3 * a + 1), cz + 0.5f * fraction(3 * a + 2), a % 3 ? 0.41f : -0.82f);
      comb[a] = a % 3 ? make_float2(0.f, 0.f) : make_float2(0.05f, 0.0016f);
    }
  }
  std::vector<int> list_start(1, 0);
  std::vector<ClusterEntry> list;
  for (int b = 0; b < boxes; ++b) {
    for (int cj = b * 8; cj < boxes * 8; ++cj) {
      unsigned mask = 0;
      for (int i = 0; i < 8; ++i) {
        float r2 = 0;
        for (int k = 0; k < 3; ++k) r2 += (centre[3 * (b * 8 + i) + k] - centre[3 * cj + k]) * (centre[3 * (b * 8 + i) + k] - centre[3 * cj + k]);
        if (r2 < 1.2f) mask |= 1u << i;
      }
      if (mask) list.push_back(ClusterEntry{cj, mask});
    }
    list_start.push_back(int(list.size()));
  }
  float4* xq_d = on_device(xq);
  float2* comb_d = on_device(comb);
  int* list_start_d = on_device(list_start);
  ClusterEntry* list_d = on_device(list);
  run("nbnxn_cluster_pairs", [&] { nbnxn_cluster_pairs<<<boxes, dim3(8, 8)>>>(xq_d, list_start_d, list_d, comb_d, o + 2 * M, 0.64f, 1.5f); });
  float4* charges = on_device<float4>(60000, [](uint32_t i) { return make_float4(0.0625f * (i % 127) + 0.05f * fraction(i), 7.9f * fraction(i / 127 + 31), 7.9f * fraction(i / 127 + 9999), hashed(i) & 1 ? 0.4f : -0.4f); });
  run("pme_gather_forces", [&] { pme_gather_forces<<<(60000 * 16 + 255) / 256, 256>>>(charges, f, (float4*)o, 60000, 64, 8.f); });
  run("ccsd_t_d1", [&] { ccsd_t_d1<<<dim3((12 * 12 * 14 + 63) / 64, (12 * 14 * 14 + 63) / 64), 256>>>(12, 12, 12, 12, 14, 14, 14, od, d, d + M); });

  int* counts = zeros<int>(16);
  run("ep_gaussian_pairs", [&] { ep_gaussian_pairs<<<132, 128>>>(271828183ull, 32, od, counts); });
  constexpr int lines = 4096, cells = 20;
  double* lower = on_device<double>(25 * lines * cells, [](uint32_t i) { return 0.2 * fraction(i) - 0.1; });
  double* middle = on_device<double>(25 * lines * cells, [](uint32_t i) { return i / lines % 25 % 6 == 0 ? 4.0 + fraction(i) : 0.2 * fraction(i); });
  run("bt_x_solve", [&] { bt_x_solve<<<lines / 64, 64>>>(lower, middle, lower, d, od, od + 25 * lines * cells, lines, cells); });
  std::vector<int> starts(1, 0);
  for (int s = 0; s < 700; ++s) starts.push_back(starts.back() + 50 + int(140.f * fraction(s) * fraction(s + 1000)) + (s % 50 == 0 ? 200 : 0));
  int* starts_d = on_device(starts);
  uint8_t* residues = on_device<uint8_t>(starts.back(), [](uint32_t i) { return uint8_t(20.f * fraction(i) * (0.5f + 0.5f * fraction(i + 1))); });
  uint32_t* profile = on_device<uint32_t>(28 * 64, [](uint32_t i) { return 0x08080808u + (hashed(i) & 0x07070707u) + (hashed(i + 1) & 0x07070707u); });
  run("msv_filter_warp", [&] { msv_filter_warp<<<(700 + 3) / 4, 128>>>(residues, starts_d, profile, 700, (int*)o); });
  run("sm3_messages", [&] { sm3_messages<<<(40000 + 255) / 256, 256>>>((const uint32_t*)f, (uint32_t*)o, 40000, 20); });
  uint32_t* recurrences = on_device<uint32_t>(6 * 33792, [](uint32_t i) { return hashed(i) % 4294944442u + 1u; });
  run("mrg32k3a_uniform", [&] { mrg32k3a_uniform<<<132, 256>>>(recurrences, od, 33792, 24); });

  constexpr int bw = 160, bh = 90, stride = 8 * bw + 8;
  uint16_t* picture = on_device<uint16_t>(stride * (8 * bh + 6), [](uint32_t i) { return uint16_t(i % stride / 5 + i / stride / 7 + hashed(i) % 24); });
  uint8_t* directions = on_device<uint8_t>(bw * bh, [](uint32_t i) { return uint8_t(hashed(i) % 8); });
  uint8_t* strengths = on_device<uint8_t>(bw * bh, [](uint32_t i) { return uint8_t(hashed(i / 4) % 3 == 0 ? 0 : hashed(i / 64) % 40 + 4); });
  run("cdef_filter_8x8", [&] { cdef_filter_8x8<<<dim3(bw / 4, bh), dim3(8, 8, 4)>>>(picture, (uint16_t*)o, directions, strengths, bw, bh, stride, 5); });
  std::vector<float> matrices(8 * 12);
  for (int p = 0; p < 8; ++p) {
    const float c = std::cos(0.4f * p), s = std::sin(0.4f * p), far = 500.f, mag = 2.2f;
    const float rows[12] = {-s * mag - 256.f * c / far, c * mag - 256.f * s / far, 0.f, 256.f, -192.f * c / far, -192.f * s / far, mag, 192.f, -c / far, -s / far, 0.f, 1.f};
    std::copy(rows, rows + 12, matrices.begin() + 12 * p);
  }
  CHECK(cudaMemcpyToSymbol(proj_matrix, matrices.data(), matrices.size() * sizeof(float)));
  run("cone_backproject", [&] { cone_backproject<<<dim3(3, 12, 90), dim3(32, 8)>>>(f, o, 90, -100.f, 2.25f, 512, 384, 8); });

  constexpr int tissue = 480 * 270;
  float* volts = on_device<float>(tissue, [](uint32_t i) { return i % 480 < 100 ? 20.f * fraction(i) : -84.f + 3.f * fraction(i); });
  float* calcium = on_device<float>(tissue, [](uint32_t i) { return 2e-7f + 1e-7f * fraction(i); });
  float* gates = on_device<float>(6 * tissue, [](uint32_t i) { return fraction(i); });
  run("beeler_reuter_step", [&] { beeler_reuter_step<<<dim3(15, 34), dim3(32, 8)>>>(volts, o, calcium, gates, 480, 270, 0.01f, 0.5f); });
  Moved* moved = on_device<Moved>(100000, [](uint32_t i) {
    const float x = 4.f + i / 8 % 112 + fraction(i), y = 4.f + i / 896 + fraction(i + 3);
    return Moved{x, y, x + 0.6f * fraction(i + 5) - 0.3f, y + 0.6f * fraction(i + 9) - 0.3f, fraction(i + 2) - 0.5f, 1e-3f};
  });
  run("esirkepov_current_2d", [&] { esirkepov_current_2d<<<(100000 + 127) / 128, 128>>>(moved, o + M, o + 2 * M, o + 3 * M, 100000, 128, 2.f); });
  run("dgemm_dmma_64x64", [&] { dgemm_dmma_64x64<<<dim3(12, 12), 128>>>(d, d + M, od, 768, 768, 768, 1.0, 0.5); });

  constexpr int side = 220, n = side * side;
  std::vector<int> row, col, position, l_ptr(1, 0), l_col, u_ptr(n + 1, 0), u_row;
  std::vector<double> value;
  for (int r = 0; r < n; ++r) {
    std::vector<int> c = {r};
    for (int step : {-side, -1, 1, side})
      if (r + step >= 0 && r + step < n) c.push_back(r + step);
    for (int k = 0; k < (r % 128 == 0 ? 50 : int(hashed(r) % 3)); ++k) c.push_back(int(hashed(r * 64 + k) % n));
    std::sort(c.begin(), c.end());
    c.erase(std::unique(c.begin(), c.end()), c.end());
    for (int j : c) {
      row.push_back(r), col.push_back(j), value.push_back(j == r ? 60.0 : -0.5 - fraction(r + j));
      if (j < r)
        l_col.push_back(j);
      else
        ++u_ptr[j + 1];
    }
    l_ptr.push_back(int(l_col.size()));
  }
  for (int j = 0; j < n; ++j) u_ptr[j + 1] += u_ptr[j];
  std::vector<int> u_next(u_ptr.begin(), u_ptr.end() - 1);
  u_row.resize(u_ptr[n]);
  std::vector<double> l_val(l_col.size(), 0.0), u_val(u_row.size(), 1.0);
  for (size_t e = 0, l = 0; e < row.size(); ++e) {
    if (col[e] < row[e]) {
      l_val[l] = value[e] / 60.0;
      position.push_back(int(l++));
    } else {
      const int at = u_next[col[e]]++;
      u_row[at] = row[e], u_val[at] = value[e];
      position.push_back(at);
    }
  }
  const int nnz = int(row.size());
  int *row_d = on_device(row), *col_d = on_device(col), *position_d = on_device(position), *l_ptr_d = on_device(l_ptr), *l_col_d = on_device(l_col), *u_ptr_d = on_device(u_ptr), *u_row_d = on_device(u_row);
  double *value_d = on_device(value), *l_val_d = on_device(l_val), *u_val_d = on_device(u_val);
  run("ilu0_fixed_point", [&] { ilu0_fixed_point<<<(nnz + 255) / 256, 256>>>(nnz, row_d, col_d, value_d, position_d, l_ptr_d, l_col_d, l_val_d, u_ptr_d, u_row_d, u_val_d); });

  std::vector<BridgePoint> points(BRIDGE_STEPS);
  std::vector<int> used(BRIDGE_STEPS, 0);
  const float dt = 1.f / BRIDGE_STEPS;
  used[BRIDGE_STEPS - 1] = 1;
  points[0] = BridgePoint{BRIDGE_STEPS - 1, 0, 0, 0.f, 0.f, 1.f};
  for (int i = 1, j = 0; i < BRIDGE_STEPS; ++i) {
    while (used[j]) ++j;
    int k = j;
    while (!used[k]) ++k;
    const int l = j + ((k - 1 - j) >> 1);
    used[l] = 1;
    const float left = j ? j * dt : 0.f, here = (l + 1) * dt, right = (k + 1) * dt;
    points[i] = BridgePoint{l, j, k, (right - here) / (right - left), (here - left) / (right - left), std::sqrt((here - left) * (right - here) / (right - left))};
    j = k + 1 >= BRIDGE_STEPS ? 0 : k + 1;
  }
  CHECK(cudaMemcpyToSymbol(bridge, points.data(), points.size() * sizeof(BridgePoint)));
  float* normals = on_device<float>(BRIDGE_STEPS * 65536, [](uint32_t i) { return 2.f * (fraction(i) + fraction(i + 1) + fraction(i + 2)) - 3.f; });
  run("brownian_bridge_paths", [&] { brownian_bridge_paths<<<65536 / 128, 128>>>(normals, o, 65536, 100.f, 101.f, 0.0003f, 0.2f); });
  return 0;
}
