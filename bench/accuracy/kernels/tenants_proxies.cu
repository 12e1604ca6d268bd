// Proxies of scientific applications: neutrons, hydrodynamics on meshes, heat, docking, particles and fields, molecular
// dynamics, spectral elements, multigrid, weather and quantum circuits.
#include <cmath>

#include "cases.h"

// ---- transport of neutrons ----

struct alignas(16) doublex4 {
  double x, y, z, w;
};
typedef struct {
  double energy, total_xs, elastic_xs, absorbtion_xs, fission_xs, nu_fission_xs;
} NuclideGridPoint;

__host__ __device__ uint64_t fast_forward_LCG(uint64_t seed, uint64_t n) {
  const uint64_t m = 9223372036854775808ULL;
  uint64_t a = 2806196910506780709ULL, c = 1ULL, a_new = 1, c_new = 0;
  n = n % m;
  while (n > 0) {
    if (n & 1) {
      a_new *= a;
      c_new = c_new * a + c;
    }
    c *= (a + 1);
    a *= a;
    n >>= 1;
  }
  return (a_new * seed + c_new) % m;
}
__host__ __device__ double LCG_random_double(uint64_t* seed) {
  const uint64_t m = 9223372036854775808ULL;
  *seed = (2806196910506780709ULL * (*seed) + 1ULL) % m;
  return (double)(*seed) / (double)m;
}
__device__ long grid_search_nuclide(long n, double quarry, const NuclideGridPoint* A, long low, long high) {
  long lowerLimit = low, upperLimit = high, length = upperLimit - lowerLimit;
  while (length > 1) {
    long examinationPoint = lowerLimit + (length / 2);
    if (A[examinationPoint].energy > quarry)
      upperLimit = examinationPoint;
    else
      lowerLimit = examinationPoint;
    length = upperLimit - lowerLimit;
  }
  return lowerLimit;
}

// Macroscopic cross sections: energies hashed to bins, then a search in each nuclide's grid.
__global__ void xs_lookup_hash(long lookups, const int* num_nucs, const double* concs, const int* mats, const NuclideGridPoint* nuclide_grids, const int* index_grid, int* verification, int max_num_nucs, long n_isotopes, long n_gridpoints, int hash_bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lookups) return;
  uint64_t seed = fast_forward_LCG(1070, 2 * i);
  double p_energy = LCG_random_double(&seed);
  double roll = LCG_random_double(&seed);
  const int mat = roll < 0.14 ? 0 : roll < 0.30 ? 1
                                : roll < 0.75   ? 2
                                                : 3;
  double macro_xs_vector[5] = {0};
  const long bin = (long)(p_energy * hash_bins);
  for (int j = 0; j < num_nucs[mat]; j++) {
    double xs_vector[5];
    int p_nuc = mats[mat * max_num_nucs + j];
    double conc = concs[mat * max_num_nucs + j];
    long u_low = index_grid[bin * n_isotopes + p_nuc];
    long u_high = bin == hash_bins - 1 ? n_gridpoints - 1 : index_grid[(bin + 1) * n_isotopes + p_nuc] + 1;
    long idx = grid_search_nuclide(n_gridpoints, p_energy, &nuclide_grids[p_nuc * n_gridpoints], u_low, u_high);
    const NuclideGridPoint* low = &nuclide_grids[p_nuc * n_gridpoints + (idx >= n_gridpoints - 1 ? n_gridpoints - 2 : idx)];
    const NuclideGridPoint* high = low + 1;
    double f = (high->energy - p_energy) / (high->energy - low->energy);
    xs_vector[0] = high->total_xs - f * (high->total_xs - low->total_xs);
    xs_vector[1] = high->elastic_xs - f * (high->elastic_xs - low->elastic_xs);
    xs_vector[2] = high->absorbtion_xs - f * (high->absorbtion_xs - low->absorbtion_xs);
    xs_vector[3] = high->fission_xs - f * (high->fission_xs - low->fission_xs);
    xs_vector[4] = high->nu_fission_xs - f * (high->nu_fission_xs - low->nu_fission_xs);
    for (int k = 0; k < 5; k++) macro_xs_vector[k] += xs_vector[k] * conc;
  }
  int max_idx = 0;
  for (int j = 1; j < 5; j++) max_idx = macro_xs_vector[j] > macro_xs_vector[max_idx] ? j : max_idx;
  verification[i] = max_idx + 1;
}

struct RSComplex {
  double r, i;
};
__device__ RSComplex c_add(RSComplex A, RSComplex B) { return {A.r + B.r, A.i + B.i}; }
__device__ RSComplex c_mul(RSComplex A, RSComplex B) { return {A.r * B.r - A.i * B.i, A.r * B.i + A.i * B.r}; }
__device__ RSComplex c_div(RSComplex A, RSComplex B) {
  double denom = B.r * B.r + B.i * B.i;
  return {(A.r * B.r + A.i * B.i) / denom, (A.i * B.r - A.r * B.i) / denom};
}
struct Pole {
  RSComplex MP_EA, MP_RT, MP_RA, MP_RF;
  short l_value;
};
// The Faddeeva function near the origin by a sum of exponentials, afar by two terms.
__device__ RSComplex fast_nuclear_W(RSComplex Z) {
  if (Z.r * Z.r + Z.i * Z.i < 36.0) {
    const double e = exp(12. * -Z.i);
    RSComplex prefactor = {-e * sin(12. * Z.r) * 0.0833333, e * cos(12. * Z.r) * 0.0833333};
    const double an[5] = {2.758402e-1, 2.245740e-1, 1.594149e-1, 9.866577e-2, 5.324414e-2};
    const double neg_1n[5] = {-1.0, 1.0, -1.0, 1.0, -1.0};
    RSComplex sum = {0, 0};
    for (int n = 0; n < 5; n++) {
      RSComplex top = {neg_1n[n] * prefactor.r - 1.0, neg_1n[n] * prefactor.i};
      RSComplex bot = {(n + 1) * (n + 1) * 9.8696 - 144.0 * (Z.r * Z.r - Z.i * Z.i), -288.0 * Z.r * Z.i};
      RSComplex q = c_div(top, bot);
      sum = c_add(sum, {an[n] * q.r, an[n] * q.i});
    }
    return c_mul({0.0, 8.124330e+01 * 0.1}, c_mul(Z, sum));
  }
  RSComplex z2 = c_mul(Z, Z);
  RSComplex one = c_div({0.512424224754768462984202823134979415014943561548661637413182, 0}, {z2.r - 0.275255128608410950901357962647054304017026259671664935783653, z2.i});
  RSComplex two = c_div({0.051765358792987823963876628425793170829107067780337219430904, 0}, {z2.r - 2.724744871391589049098642037352945695982973740328335064216346, z2.i});
  return c_mul(c_mul(Z, {0, 1}), c_add(one, two));
}
__global__ void rs_lookup_poles(int lookups, const int* num_nucs, const int* mats, const double* concs, const Pole* poles, const int2* windows, const double* pseudo_K0RS, doublex4* out, int max_num_nucs, int max_num_poles, int n_windows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lookups) return;
  uint64_t seed = fast_forward_LCG(1337, 2 * i);
  double E = LCG_random_double(&seed);
  int mat = (int)(LCG_random_double(&seed) * 4);
  double macro[4] = {0, 0, 0, 0};
  for (int n = 0; n < num_nucs[mat]; n++) {
    const int nuc = mats[mat * max_num_nucs + n];
    const int window = (int)(E * n_windows);
    const int2 w = windows[nuc * n_windows + window];
    const double dopp = 0.5 / sqrt(E + 0.01);
    double sigT = E * pseudo_K0RS[nuc * 4 + 0], sigA = E * 0.1, sigF = E * 0.02;
    RSComplex sigTfactors[4];
    for (int l = 0; l < 4; l++) {
      double phi = pseudo_K0RS[nuc * 4 + l] * sqrt(E);
      if (l == 1)
        phi -= -atan(phi);
      else if (l == 2)
        phi -= atan(3.0 * phi / (3.0 - phi * phi));
      else if (l == 3)
        phi -= atan(phi * (15.0 - phi * phi) / (15.0 - 6.0 * phi * phi));
      phi *= 2.0;
      sigTfactors[l] = {cos(phi), -sin(phi)};
    }
    for (int k = w.x; k < w.y; k++) {
      const Pole pole = poles[nuc * max_num_poles + k];
      RSComplex Z = {(E - pole.MP_EA.r) * dopp * 40, -pole.MP_EA.i * dopp * 40};
      RSComplex faddeeva = fast_nuclear_W(Z);
      sigT += c_mul(pole.MP_RT, c_mul(faddeeva, sigTfactors[pole.l_value])).r;
      sigA += c_mul(pole.MP_RA, faddeeva).r;
      sigF += c_mul(pole.MP_RF, faddeeva).r;
    }
    const double c = concs[mat * max_num_nucs + n];
    macro[0] += sigT * c, macro[1] += sigA * c, macro[2] += sigF * c, macro[3] += (sigT - sigA) * c;
  }
  out[i] = {macro[0], macro[1], macro[2], macro[3]};
}

// Particles through a mesh of cubes until they are absorbed, leave, or their time is over.
__global__ void cycle_tracking(doublex4* position_energy, double3* direction, uint64_t* seeds, double* tally, int n, int mesh, double dt) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= n) return;
  uint64_t seed = seeds[p];
  doublex4 r = position_energy[p];
  double3 d = direction[p];
  double time_left = dt, track = 0.0;
  for (int segments = 0; segments < 200; ++segments) {
    const int cx = (int)floor(r.x), cy = (int)floor(r.y), cz = (int)floor(r.z);
    if (cx < 0 || cy < 0 || cz < 0 || cx >= mesh || cy >= mesh || cz >= mesh) break;
    const bool dense = ((cx >> 2) + (cy >> 2) + (cz >> 2)) & 1;
    const double sigma = (dense ? 1.7 : 0.4) * (1.0 + 0.3 / sqrt(r.w));
    const double collision = -log(LCG_random_double(&seed) + 1e-15) / sigma;
    const double fx = ((d.x > 0 ? cx + 1 : cx) - r.x) / d.x, fy = ((d.y > 0 ? cy + 1 : cy) - r.y) / d.y, fz = ((d.z > 0 ? cz + 1 : cz) - r.z) / d.z;
    const double facet = fmin(fx, fmin(fy, fz)) + 1e-9, census = time_left * sqrt(r.w);
    const double step = fmin(collision, fmin(facet, census));
    r.x += step * d.x, r.y += step * d.y, r.z += step * d.z;
    time_left -= step / sqrt(r.w);
    track += step;
    if (step == census) break;
    if (step == collision) {
      if (LCG_random_double(&seed) < 0.15) break;
      const double mu = 2.0 * LCG_random_double(&seed) - 1.0, phi = 6.283185307179586 * LCG_random_double(&seed);
      const double s = sqrt(1.0 - mu * mu);
      d = {s * cos(phi) + 1e-12, s * sin(phi) + 1e-12, mu + 1e-12};
      r.w *= 0.3 + 0.7 * LCG_random_double(&seed);
    }
  }
  tally[p] = track + r.x + time_left;
}

// Moments from directions: zones fastest, the matrix of the directions in shared memory.
template <int MOMENTS, int DIRECTIONS>
__global__ void ltimes(double* __restrict__ phi, const double* __restrict__ ell, const double* __restrict__ psi, int zones, int groups) {
  __shared__ double l[MOMENTS * DIRECTIONS];
  for (int k = threadIdx.x; k < MOMENTS * DIRECTIONS; k += blockDim.x) l[k] = ell[k];
  __syncthreads();
  const int z = blockIdx.x * blockDim.x + threadIdx.x, g = blockIdx.y;
  if (z >= zones) return;
  double sum[MOMENTS] = {};
  for (int d = 0; d < DIRECTIONS; ++d) {
    const double p = psi[(d * groups + g) * zones + z];
#pragma unroll
    for (int m = 0; m < MOMENTS; ++m) sum[m] += l[m * DIRECTIONS + d] * p;
  }
#pragma unroll
  for (int m = 0; m < MOMENTS; ++m) phi[(m * groups + g) * zones + z] = sum[m];
}

// ---- hydrodynamics ----

typedef double Real_t;
// Volumes, lengths and rates of strain of hexahedra whose corners are gathered.
__global__ void CalcKinematics(int numElem, Real_t dt, const int* __restrict__ nodelist, const Real_t* __restrict__ volo, const Real_t* __restrict__ x, const Real_t* __restrict__ y, const Real_t* __restrict__ z, const Real_t* __restrict__ xd, const Real_t* __restrict__ yd, const Real_t* __restrict__ zd, Real_t* vnew, Real_t* dxx, Real_t* dyy, Real_t* dzz, Real_t* vdov) {
  int k = blockDim.x * blockIdx.x + threadIdx.x;
  if (k >= numElem) return;
  Real_t px[8], py[8], pz[8], qx[8], qy[8], qz[8], B[3][8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    int n = nodelist[k + i * numElem];
    px[i] = x[n], py[i] = y[n], pz[i] = z[n];
    qx[i] = xd[n], qy[i] = yd[n], qz[i] = zd[n];
  }
#define DIAGONALS(p, a, b, c)                                                                \
  Real_t a = Real_t(.125) * ((p[6] - p[0]) + (p[5] - p[3]) - (p[7] - p[1]) - (p[4] - p[2])), \
         b = Real_t(.125) * ((p[6] - p[0]) - (p[5] - p[3]) + (p[7] - p[1]) - (p[4] - p[2])), \
         c = Real_t(.125) * ((p[6] - p[0]) + (p[5] - p[3]) + (p[7] - p[1]) + (p[4] - p[2]))
  const Real_t half = Real_t(0.5) * dt;
#pragma unroll
  for (int i = 0; i < 8; ++i) px[i] -= half * qx[i], py[i] -= half * qy[i], pz[i] -= half * qz[i];
  DIAGONALS(px, fjxxi, fjxet, fjxze);
  DIAGONALS(py, fjyxi, fjyet, fjyze);
  DIAGONALS(pz, fjzxi, fjzet, fjzze);
  const Real_t cj[3][3] = {{(fjyet * fjzze) - (fjzet * fjyze), -(fjyxi * fjzze) + (fjzxi * fjyze), (fjyxi * fjzet) - (fjzxi * fjyet)},
                           {-(fjxet * fjzze) + (fjzet * fjxze), (fjxxi * fjzze) - (fjzxi * fjxze), -(fjxxi * fjzet) + (fjzxi * fjxet)},
                           {(fjxet * fjyze) - (fjyet * fjxze), -(fjxxi * fjyze) + (fjyxi * fjxze), (fjxxi * fjyet) - (fjyxi * fjxet)}};
#pragma unroll
  for (int d = 0; d < 3; ++d) {
    B[d][0] = -cj[d][0] - cj[d][1] - cj[d][2];
    B[d][1] = cj[d][0] - cj[d][1] - cj[d][2];
    B[d][2] = cj[d][0] + cj[d][1] - cj[d][2];
    B[d][3] = -cj[d][0] + cj[d][1] - cj[d][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) B[d][4 + i] = -B[d][(i + 2) % 4];
  }
  const Real_t volume = Real_t(8.) * (fjxet * cj[0][1] + fjyet * cj[1][1] + fjzet * cj[2][1]);
  const Real_t inv_detJ = Real_t(1.0) / volume;
#define GRADIENT(q, d) inv_detJ*(B[d][0] * (q[0] - q[6]) + B[d][1] * (q[1] - q[7]) + B[d][2] * (q[2] - q[4]) + B[d][3] * (q[3] - q[5]))
  const Real_t gx = GRADIENT(qx, 0), gy = GRADIENT(qy, 1), gz = GRADIENT(qz, 2);
  const Real_t third = (gx + gy + gz) / Real_t(3.0);
  vnew[k] = volume / volo[k];
  vdov[k] = gx + gy + gz;
  dxx[k] = gx - third, dyy[k] = gy - third, dzz[k] = gz - third;
}

// The equation of state: energy in three half steps with clamps, then the sound speed.
__device__ Real_t pressure(Real_t e, Real_t compression, Real_t vnewc) {
  Real_t p = Real_t(2.0) / Real_t(3.0) * (compression + Real_t(1.)) * e;
  if (fabs(p) < Real_t(1.e-7)) p = Real_t(0.0);
  if (vnewc >= Real_t(1.e9)) p = Real_t(0.0);
  return p < Real_t(0.) ? Real_t(0.) : p;
}
__global__ void EvalEOS(int length, const Real_t* vnew, const Real_t* delv_in, Real_t* e, Real_t* p, Real_t* q, Real_t* ss, const Real_t* qq_in, const Real_t* ql_in) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= length) return;
  const Real_t v = fmin(fmax(vnew[i], Real_t(1e-9)), Real_t(1e9)), delv = delv_in[i] * Real_t(0.01), e_old = e[i], p_old = p[i], q_old = q[i], qq = qq_in[i], ql = ql_in[i];
  const Real_t compression = Real_t(1.) / v - Real_t(1.), vchalf = v - delv * Real_t(.5), compHalf = Real_t(1.) / vchalf - Real_t(1.);
  auto sound = [](Real_t pb, Real_t en, Real_t vol, Real_t pr) {
    Real_t c2 = (pb * en + vol * vol * Real_t(0.6667) * pr);
    return c2 <= Real_t(.1111111e-36) ? Real_t(.3333333e-18) : sqrt(c2);
  };
  Real_t e_new = fmax(e_old - Real_t(0.5) * delv * (p_old + q_old), Real_t(-1e15));
  Real_t pHalf = pressure(e_new, compHalf, v), q_new;
  const Real_t vhalf = Real_t(1.) / (Real_t(1.) + compHalf);
  if (delv > Real_t(0.))
    q_new = Real_t(0.);
  else
    q_new = sound(Real_t(0.6667) * (compHalf + Real_t(1.)), e_new, vhalf, pHalf) * ql + qq;
  e_new = e_new + Real_t(0.5) * delv * (Real_t(3.0) * (p_old + q_old) - Real_t(4.0) * (pHalf + q_new));
  if (fabs(e_new) < Real_t(1e-7)) e_new = Real_t(0.);
  Real_t p_new = pressure(e_new, compression, v);
  Real_t q_tilde = delv > Real_t(0.) ? Real_t(0.) : sound(Real_t(0.6667) * (compression + Real_t(1.)), e_new, v, p_new) * ql + qq;
  e_new = e_new - (Real_t(7.0) * (p_old + q_old) - Real_t(8.0) * (pHalf + q_new) + (p_new + q_tilde)) * delv / Real_t(6.);
  p_new = pressure(e_new, compression, v);
  if (delv <= Real_t(0.)) q_new = sound(Real_t(0.6667) * (compression + Real_t(1.)), e_new, v, p_new) * ql + qq;
  e[i] = e_new, p[i] = p_new, q[i] = q_new;
  ss[i] = sound(Real_t(0.6667) * (compression + Real_t(1.)), e_new, v, p_new);
}

#define THARR2D(x_offset, y_offset, big_row) ((column + (x_offset)) + (row + (y_offset)) * (x_max + 4 + (big_row)))
#define CELL_INDEX const int column = threadIdx.x + blockIdx.x * blockDim.x, row = threadIdx.y + blockIdx.y * blockDim.y
__global__ void ideal_gas(int x_max, int y_max, const double* __restrict__ density, const double* __restrict__ energy, double* __restrict__ pressure, double* __restrict__ soundspeed) {
  CELL_INDEX;
  if (row >= 2 && row <= y_max + 1 && column >= 2 && column <= x_max + 1) {
    const double v = 1.0 / density[THARR2D(0, 0, 0)];
    pressure[THARR2D(0, 0, 0)] = (1.4 - 1.0) * density[THARR2D(0, 0, 0)] * energy[THARR2D(0, 0, 0)];
    const double pressurebyenergy = (1.4 - 1.0) * density[THARR2D(0, 0, 0)];
    const double pressurebyvolume = -density[THARR2D(0, 0, 0)] * pressure[THARR2D(0, 0, 0)];
    const double sound_speed_squared = v * v * (pressure[THARR2D(0, 0, 0)] * pressurebyenergy - pressurebyvolume);
    soundspeed[THARR2D(0, 0, 0)] = sqrt(sound_speed_squared);
  }
}
__global__ void viscosity(int x_max, int y_max, const double* __restrict__ celldx, const double* __restrict__ celldy, const double* __restrict__ density0, const double* __restrict__ pressure, double* __restrict__ viscosity, const double* __restrict__ xvel0, const double* __restrict__ yvel0) {
  CELL_INDEX;
  if (row >= 2 && row <= y_max + 1 && column >= 2 && column <= x_max + 1) {
    const double ugrad = (xvel0[THARR2D(1, 0, 1)] + xvel0[THARR2D(1, 1, 1)]) - (xvel0[THARR2D(0, 0, 1)] + xvel0[THARR2D(0, 1, 1)]);
    const double vgrad = (yvel0[THARR2D(0, 1, 1)] + yvel0[THARR2D(1, 1, 1)]) - (yvel0[THARR2D(0, 0, 1)] + yvel0[THARR2D(1, 0, 1)]);
    const double div = (celldx[column] * ugrad) + (celldy[row] * vgrad);
    const double strain2 = (xvel0[THARR2D(0, 1, 1)] + xvel0[THARR2D(1, 1, 1)] - xvel0[THARR2D(0, 0, 1)] - xvel0[THARR2D(1, 0, 1)]) / (2.0 * celldy[row]) + (yvel0[THARR2D(1, 0, 1)] + yvel0[THARR2D(1, 1, 1)] - yvel0[THARR2D(0, 0, 1)] - yvel0[THARR2D(0, 1, 1)]) / (2.0 * celldx[column]);
    double pgradx = (pressure[THARR2D(1, 0, 0)] - pressure[THARR2D(-1, 0, 0)]) / (celldx[column] + celldx[column + 1]);
    double pgrady = (pressure[THARR2D(0, 1, 0)] - pressure[THARR2D(0, -1, 0)]) / (celldy[row] + celldy[row + 1]);
    const double pgradx2 = pgradx * pgradx, pgrady2 = pgrady * pgrady;
    const double limiter = ((0.5 * ugrad / celldx[column]) * pgradx2 + (0.5 * vgrad / celldy[row]) * pgrady2 + strain2 * pgradx * pgrady) / fmax(pgradx2 + pgrady2, 1.0e-16);
    if (limiter > 0.0 || div >= 0.0) {
      viscosity[THARR2D(0, 0, 0)] = 0.0;
    } else {
      pgradx = copysign(fmax(1.0e-16, fabs(pgradx)), pgradx);
      pgrady = copysign(fmax(1.0e-16, fabs(pgrady)), pgrady);
      const double pgrad = sqrt(pgradx * pgradx + pgrady * pgrady);
      const double xgrad = fabs(celldx[column] * pgrad / pgradx);
      const double ygrad = fabs(celldy[row] * pgrad / pgrady);
      const double grad = fmin(xgrad, ygrad);
      viscosity[THARR2D(0, 0, 0)] = 2.0 * density0[THARR2D(0, 0, 0)] * grad * grad * limiter * limiter;
    }
  }
}
__global__ void advec_cell_ener_flux_x(int x_max, int y_max, const double* __restrict__ volume, const double* __restrict__ vol_flux_x, const double* __restrict__ pre_vol, const double* __restrict__ density1, const double* __restrict__ energy1, double* __restrict__ ener_flux, double* __restrict__ mass_flux_x, const double* __restrict__ vertexdx) {
  CELL_INDEX;
  if (row >= 2 && row <= y_max + 1 && column >= 2 && column <= x_max + 1) {
    int upwind, donor, downwind, dif;
    if (vol_flux_x[THARR2D(0, 0, 1)] > 0.0) {
      upwind = -2, donor = -1, downwind = 0, dif = donor;
    } else {
      upwind = min(1, x_max + 3 - column), donor = 0, downwind = -1, dif = upwind;
    }
    const double sigmat = fabs(vol_flux_x[THARR2D(0, 0, 1)] / pre_vol[THARR2D(donor, 0, 1)]);
    const double sigma3 = (1.0 + sigmat) * (vertexdx[column] / vertexdx[column + dif]);
    const double sigma4 = 2.0 - sigmat;
    const double sigmav = sigmat;
    double diffuw = density1[THARR2D(donor, 0, 0)] - density1[THARR2D(upwind, 0, 0)];
    double diffdw = density1[THARR2D(downwind, 0, 0)] - density1[THARR2D(donor, 0, 0)];
    const double limiter = diffuw * diffdw > 0.0 ? (1.0 - sigmav) * copysign(1.0, diffdw) * fmin(fabs(diffuw), fmin(fabs(diffdw), (1.0 / 6.0) * (sigma3 * fabs(diffuw) + sigma4 * fabs(diffdw)))) : 0.0;
    mass_flux_x[THARR2D(0, 0, 1)] = vol_flux_x[THARR2D(0, 0, 1)] * (density1[THARR2D(donor, 0, 0)] + limiter);
    const double sigmam = fabs(mass_flux_x[THARR2D(0, 0, 1)]) / (density1[THARR2D(donor, 0, 0)] * pre_vol[THARR2D(donor, 0, 1)]);
    diffuw = energy1[THARR2D(donor, 0, 0)] - energy1[THARR2D(upwind, 0, 0)];
    diffdw = energy1[THARR2D(downwind, 0, 0)] - energy1[THARR2D(donor, 0, 0)];
    const double limiter2 = diffuw * diffdw > 0.0 ? (1.0 - sigmam) * copysign(1.0, diffdw) * fmin(fabs(diffuw), fmin(fabs(diffdw), (1.0 / 6.0) * (sigma3 * fabs(diffuw) + sigma4 * fabs(diffdw)))) : 0.0;
    ener_flux[THARR2D(0, 0, 1)] = mass_flux_x[THARR2D(0, 0, 1)] * (energy1[THARR2D(donor, 0, 0)] + limiter2);
  }
}

// Conjugate gradients on heat: the matrix applied by its face coefficients, and the block's part of a product.
template <int BLOCK_SZ>
__global__ void tea_cg_calc_w(int x_max, int y_max, double* __restrict__ pw, const double* __restrict__ p, double* __restrict__ w, const double* __restrict__ Kx, const double* __restrict__ Ky) {
  __shared__ double pw_shared[BLOCK_SZ];
  const int gid = threadIdx.x + blockIdx.x * blockDim.x, lid = threadIdx.x;
  const int column = gid % x_max + 2, row = gid / x_max + 2;
  pw_shared[lid] = 0.0;
  if (row <= y_max + 1) {
    const double smvp = (1.0 + (Ky[THARR2D(0, 1, 0)] + Ky[THARR2D(0, 0, 0)]) + (Kx[THARR2D(1, 0, 0)] + Kx[THARR2D(0, 0, 0)])) * p[THARR2D(0, 0, 0)] - (Ky[THARR2D(0, 1, 0)] * p[THARR2D(0, 1, 0)] + Ky[THARR2D(0, 0, 0)] * p[THARR2D(0, -1, 0)]) - (Kx[THARR2D(1, 0, 0)] * p[THARR2D(1, 0, 0)] + Kx[THARR2D(0, 0, 0)] * p[THARR2D(-1, 0, 0)]);
    w[THARR2D(0, 0, 0)] = smvp;
    pw_shared[lid] = smvp * p[THARR2D(0, 0, 0)];
  }
  __syncthreads();
#pragma unroll
  for (int offset = BLOCK_SZ / 2; offset > 0; offset /= 2) {
    if (lid < offset) pw_shared[lid] += pw_shared[lid + offset];
    __syncthreads();
  }
  if (lid == 0) pw[blockIdx.x] = pw_shared[0];
}

// ---- particles ----

struct FFParams {
  int hbtype;
  float radius, hphb, elsc;
};
struct Atom {
  float x, y, z;
  int type;
};
// Energies of poses of a ligand against a protein: several poses a thread, the force field in shared memory.
template <size_t PPWI>
__global__ void fasten_main(int natlig, int natpro, const Atom* __restrict__ protein, const Atom* __restrict__ ligand, const float* __restrict__ transforms, float* __restrict__ etotals, const FFParams* __restrict__ forcefield, int numTransforms, int numAtomTypes) {
  extern __shared__ FFParams local_forcefield[];
  const int lid = threadIdx.x, gid = blockIdx.x, lsz = blockDim.x;
  size_t ix = gid * lsz * PPWI + lid;
  ix = ix < numTransforms ? ix : numTransforms - PPWI;
  float etot[PPWI], transform[PPWI][3][4];
  for (int i = lid; i < numAtomTypes; i += lsz) local_forcefield[i] = forcefield[i];
  for (int i = 0; i < PPWI; i++) {
    size_t index = ix + i * lsz;
    const float sx = sinf(transforms[index]), cx = cosf(transforms[index]);
    const float sy = sinf(transforms[numTransforms + index]), cy = cosf(transforms[numTransforms + index]);
    const float sz = sinf(transforms[2 * numTransforms + index]), cz = cosf(transforms[2 * numTransforms + index]);
    transform[i][0][0] = cy * cz, transform[i][0][1] = sx * sy * cz - cx * sz, transform[i][0][2] = cx * sy * cz + sx * sz, transform[i][0][3] = transforms[3 * numTransforms + index];
    transform[i][1][0] = cy * sz, transform[i][1][1] = sx * sy * sz + cx * cz, transform[i][1][2] = cx * sy * sz - sx * cz, transform[i][1][3] = transforms[4 * numTransforms + index];
    transform[i][2][0] = -sy, transform[i][2][1] = sx * cy, transform[i][2][2] = cx * cy, transform[i][2][3] = transforms[5 * numTransforms + index];
    etot[i] = 0.0f;
  }
  __syncthreads();
  for (int il = 0; il < natlig; il++) {
    const Atom l_atom = ligand[il];
    const FFParams l_params = local_forcefield[l_atom.type];
    const bool lhphb_ltz = l_params.hphb<0.f, lhphb_gtz = l_params.hphb> 0.f;
    float lpos[PPWI][3];
    for (int i = 0; i < PPWI; i++)
      for (int d = 0; d < 3; d++) lpos[i][d] = transform[i][d][3] + l_atom.x * transform[i][d][0] + l_atom.y * transform[i][d][1] + l_atom.z * transform[i][d][2];
    for (int ip = 0; ip < natpro; ip++) {
      const Atom p_atom = protein[ip];
      const FFParams p_params = local_forcefield[p_atom.type];
      const float radij = p_params.radius + l_params.radius, r_radij = 1.f / radij;
      const float elcdst = (p_params.hbtype == 70 && l_params.hbtype == 70) ? 4.f : 2.f, elcdst1 = elcdst == 4.f ? .25f : .5f;
      const bool type_E = p_params.hbtype == 69 || l_params.hbtype == 69;
      const bool phphb_ltz = p_params.hphb<0.f, phphb_gtz = p_params.hphb> 0.f, phphb_nz = p_params.hphb != 0.f;
      const float p_hphb = p_params.hphb * (phphb_ltz && lhphb_gtz ? -1.f : 1.f), l_hphb = l_params.hphb * (phphb_gtz && lhphb_ltz ? -1.f : 1.f);
      const float distdslv = phphb_ltz ? (lhphb_ltz ? 5.5f : 1.f) : (lhphb_ltz ? 1.f : -3.4e38f), r_distdslv = 1.f / distdslv;
      const float chrg_init = l_params.elsc * p_params.elsc, dslv_init = p_hphb + l_hphb;
      for (int i = 0; i < PPWI; i++) {
        const float x = lpos[i][0] - p_atom.x, y = lpos[i][1] - p_atom.y, z = lpos[i][2] - p_atom.z;
        const float distij = sqrtf(x * x + y * y + z * z), distbb = distij - radij;
        const bool zone1 = distbb < 0.f;
        etot[i] += (1.f - (distij * r_radij)) * (zone1 ? 2.f * 38.f : 0.f);
        float chrg_e = chrg_init * ((zone1 ? 1.f : (1.f - distbb * elcdst1)) * (distbb < elcdst ? 1.f : 0.f));
        chrg_e = type_E ? -fabsf(chrg_e) : chrg_e;
        etot[i] += chrg_e * 45.f;
        const float coeff = (1.f - (distbb * r_distdslv));
        float dslv_e = dslv_init * ((distbb < distdslv && phphb_nz) ? 1.f : 0.f);
        dslv_e *= (zone1 ? 1.f : coeff);
        etot[i] += dslv_e;
      }
    }
  }
  const size_t td_base = gid * lsz * PPWI + lid;
  if (td_base < numTransforms)
    for (int i = 0; i < PPWI; i++) etotals[td_base + i * lsz] = etot[i] * 0.5f;
}

// Forces of gravity at short range by a polynomial in the squared distance, all against all of a leaf.
__global__ void Step10_short_range(const float4* __restrict__ particles, float3* __restrict__ force, int leaf, float fsrrmax2, float mp_rsm2) {
  const float ma0 = 0.269327f, ma1 = -0.0750978f, ma2 = 0.0114808f, ma3 = -0.00109313f, ma4 = 0.0000605491f, ma5 = -0.00000147177f;
  const float4* mine = particles + (size_t)blockIdx.x * leaf;
  for (int i = threadIdx.x; i < leaf; i += blockDim.x) {
    const float4 p = mine[i];
    float xi = 0.f, yi = 0.f, zi = 0.f;
    for (int j = 0; j < leaf; j++) {
      float dxc = mine[j].x - p.x, dyc = mine[j].y - p.y, dzc = mine[j].z - p.z;
      float r2 = dxc * dxc + dyc * dyc + dzc * dzc;
      float m = (r2 < fsrrmax2) ? mine[j].w : 0.0f;
      float f = r2 + mp_rsm2;
      f = m * (rsqrtf(f) / f - (ma0 + r2 * (ma1 + r2 * (ma2 + r2 * (ma3 + r2 * (ma4 + r2 * ma5))))));
      xi = xi + f * dxc;
      yi = yi + f * dyc;
      zi = zi + f * dzc;
    }
    force[(size_t)blockIdx.x * leaf + i] = make_float3(xi, yi, zi);
  }
}

// Atoms of link cells: a thread an atom of a padded cell, 27 neighbour cells by a table, double precision.
__global__ void LJ_Force_thread_atom(const int* __restrict__ nAtoms, const int* __restrict__ nbrBoxes, const double* __restrict__ rx, const double* __restrict__ ry, const double* __restrict__ rz, double* __restrict__ fx, double* __restrict__ fy, double* __restrict__ fz, double* __restrict__ e, int nBoxes, double rCut2, double s6, double eShift) {
  const int slot = blockIdx.x * blockDim.x + threadIdx.x, iBox = slot / 16, i = slot % 16;
  if (iBox >= nBoxes || i >= nAtoms[iBox]) return;
  const double x = rx[slot], y = ry[slot], z = rz[slot];
  double ifx = 0, ify = 0, ifz = 0, ie = 0;
  for (int j = 0; j < 27; j++) {
    const int jBox = nbrBoxes[iBox * 27 + j];
    for (int jOff = jBox * 16; jOff < jBox * 16 + nAtoms[jBox]; jOff++) {
      const double dx = x - rx[jOff], dy = y - ry[jOff], dz = z - rz[jOff], r2 = dx * dx + dy * dy + dz * dz;
      if (r2 <= rCut2 && r2 > 0.0) {
        const double ir2 = 1.0 / r2, r6 = s6 * (ir2 * ir2 * ir2), fr = r6 * ir2 * (48.0 * r6 - 24.0);
        ie += r6 * (r6 - 1.0) - eShift;
        ifx += fr * dx, ify += fr * dy, ifz += fr * dz;
      }
    }
  }
  fx[slot] = ifx, fy[slot] = ify, fz[slot] = ifz, e[slot] = ie * 0.5 * 4.0;
}

// Particles take six fields by trilinear weights from a staggered mesh, and move; charge goes back by atomics.
__global__ void gather_push_deposit(float4* pos, float4* mom, const float* __restrict__ fields, float* __restrict__ rho, int np, int nx, int ny, int nz, float qdt_2m, float dt) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= np) return;
  float4 x = pos[p], u = mom[p];
  float eb[6] = {};
  const int stride = nx * ny * nz;
#pragma unroll
  for (int c = 0; c < 6; ++c) {
    const float px = x.x - (c == 0 || c == 4 || c == 5 ? 0.5f : 0.f), py = x.y - (c == 1 || c == 3 || c == 5 ? 0.5f : 0.f), pz = x.z - (c == 2 || c == 3 || c == 4 ? 0.5f : 0.f);
    const int i = (int)px, j = (int)py, k = (int)pz;
    const float a = px - i, b = py - j, d = pz - k;
    const float* f = fields + c * stride + (k * ny + j) * nx + i;
    eb[c] = (1 - d) * ((1 - b) * ((1 - a) * f[0] + a * f[1]) + b * ((1 - a) * f[nx] + a * f[nx + 1])) + d * ((1 - b) * ((1 - a) * f[nx * ny] + a * f[nx * ny + 1]) + b * ((1 - a) * f[nx * ny + nx] + a * f[nx * ny + nx + 1]));
  }
  u.x += qdt_2m * eb[0], u.y += qdt_2m * eb[1], u.z += qdt_2m * eb[2];
  const float g = qdt_2m * rsqrtf(1.f + u.x * u.x + u.y * u.y + u.z * u.z), tx = g * eb[3], ty = g * eb[4], tz = g * eb[5], s = 2.f / (1.f + tx * tx + ty * ty + tz * tz);
  const float vx = u.x + u.y * tz - u.z * ty, vy = u.y + u.z * tx - u.x * tz, vz = u.z + u.x * ty - u.y * tx;
  u.x += s * (vy * tz - vz * ty) + qdt_2m * eb[0], u.y += s * (vz * tx - vx * tz) + qdt_2m * eb[1], u.z += s * (vx * ty - vy * tx) + qdt_2m * eb[2];
  const float step = dt * rsqrtf(1.f + u.x * u.x + u.y * u.y + u.z * u.z);
  x.x = fminf(fmaxf(x.x + u.x * step, 1.f), nx - 2.f), x.y = fminf(fmaxf(x.y + u.y * step, 1.f), ny - 2.f), x.z = fminf(fmaxf(x.z + u.z * step, 1.f), nz - 2.f);
  const int i = (int)x.x, j = (int)x.y, k = (int)x.z;
  const float a = x.x - i, b = x.y - j, d = x.z - k;
#pragma unroll
  for (int c = 0; c < 8; ++c) atomicAdd(&rho[((k + (c >> 2)) * ny + j + (c >> 1 & 1)) * nx + i + (c & 1)], x.w * (c & 1 ? a : 1 - a) * (c & 2 ? b : 1 - b) * (c & 4 ? d : 1 - d));
  pos[p] = x, mom[p] = u;
}

// ---- elements, levels, states ----

// Mass matrix by sums over one dimension after the other: four by four by four unknowns, five points a side.
template <int D1D, int Q1D>
__global__ void mass_pa_apply_3d(int NE, const double* __restrict__ b_, const double* __restrict__ d_, const double* __restrict__ x_, double* __restrict__ y_) {
  __shared__ double B[Q1D][D1D], s0[Q1D * Q1D * Q1D], s1[Q1D * Q1D * Q1D];
  const int e = blockIdx.x, tx = threadIdx.x, ty = threadIdx.y;
  if (ty < D1D) B[tx][ty] = b_[ty * Q1D + tx];
  if (tx < D1D && ty < D1D)
    for (int dz = 0; dz < D1D; ++dz) s0[(dz * D1D + ty) * D1D + tx] = x_[((e * D1D + dz) * D1D + ty) * D1D + tx];
  __syncthreads();
  if (ty < D1D)
    for (int dz = 0; dz < D1D; ++dz) {
      double u = 0;
      for (int dx = 0; dx < D1D; ++dx) u += B[tx][dx] * s0[(dz * D1D + ty) * D1D + dx];
      s1[(dz * D1D + ty) * Q1D + tx] = u;
    }
  __syncthreads();
  double u[Q1D];
  for (int dz = 0; dz < D1D; ++dz) {
    double v = 0;
    for (int dy = 0; dy < D1D; ++dy) v += B[ty][dy] * s1[(dz * D1D + dy) * Q1D + tx];
    u[dz] = v;
  }
  double r[D1D] = {};
  for (int qz = 0; qz < Q1D; ++qz) {
    double v = 0;
    for (int dz = 0; dz < D1D; ++dz) v += B[qz][dz] * u[dz];
    v *= d_[((e * Q1D + qz) * Q1D + ty) * Q1D + tx];
    for (int dz = 0; dz < D1D; ++dz) r[dz] += B[qz][dz] * v;
  }
  for (int dz = 0; dz < D1D; ++dz) s0[(dz * Q1D + ty) * Q1D + tx] = r[dz];
  __syncthreads();
  if (ty < D1D)
    for (int dz = 0; dz < D1D; ++dz) {
      double v = 0;
      for (int qy = 0; qy < Q1D; ++qy) v += B[qy][ty] * s0[(dz * Q1D + qy) * Q1D + tx];
      s1[(dz * D1D + ty) * Q1D + tx] = v;
    }
  __syncthreads();
  if (tx < D1D && ty < D1D)
    for (int dz = 0; dz < D1D; ++dz) {
      double v = 0;
      for (int qx = 0; qx < Q1D; ++qx) v += B[qx][tx] * s1[(dz * D1D + ty) * Q1D + qx];
      y_[((e * D1D + dz) * D1D + ty) * D1D + tx] += v;
    }
}

// Red and black relaxation with coefficients on faces; boxes by the grid's third dimension.
__global__ void gsrb_variable(double* __restrict__ phi, const double* __restrict__ rhs, const double* __restrict__ beta_i, const double* __restrict__ beta_j, const double* __restrict__ beta_k, const double* __restrict__ lambda, int dim, int color, double b_h2inv) {
  const int side = dim + 2, plane = side * side, i = 1 + blockIdx.x * blockDim.x + threadIdx.x, j = 1 + blockIdx.y * blockDim.y + threadIdx.y;
  const size_t box = (size_t)blockIdx.z * side * plane;
  if (i > dim || j > dim) return;
  for (int k = 1; k <= dim; ++k) {
    if (((i ^ j ^ k ^ color) & 1) == 0) continue;
    const size_t ijk = box + (size_t)k * plane + j * side + i;
    const double helmholtz = phi[ijk] - b_h2inv * (beta_i[ijk + 1] * (phi[ijk + 1] - phi[ijk]) - beta_i[ijk] * (phi[ijk] - phi[ijk - 1]) + beta_j[ijk + side] * (phi[ijk + side] - phi[ijk]) - beta_j[ijk] * (phi[ijk] - phi[ijk - side]) + beta_k[ijk + plane] * (phi[ijk + plane] - phi[ijk]) - beta_k[ijk] * (phi[ijk] - phi[ijk - plane]));
    phi[ijk] = phi[ijk] + lambda[ijk] * (rhs[ijk] - helmholtz);
  }
}

// Weather in a plane: fluxes of four quantities by fourth order with a little diffusion.
__global__ void compute_tendencies_x(const double* state, double* flux, const double* hy_dens, const double* hy_theta, int nx, int nz, double hv_coef) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y;
  if (i > nx) return;
  double vals[4], d3_vals[4];
  for (int ll = 0; ll < 4; ll++) {
    double stencil[4];
    for (int s = 0; s < 4; s++) stencil[s] = state[ll * (nz + 4) * (nx + 4) + (k + 2) * (nx + 4) + i + s];
    vals[ll] = -stencil[0] / 12 + 7 * stencil[1] / 12 + 7 * stencil[2] / 12 - stencil[3] / 12;
    d3_vals[ll] = -stencil[0] + 3 * stencil[1] - 3 * stencil[2] + stencil[3];
  }
  const double r = vals[0] + hy_dens[k + 2], u = vals[1] / r, w = vals[2] / r, t = (vals[3] + hy_theta[k + 2]) / r;
  const double p = 27.562941092972594 * pow((r * t), 1.400278940027894);
  flux[0 * (nz + 1) * (nx + 1) + k * (nx + 1) + i] = r * u - hv_coef * d3_vals[0];
  flux[1 * (nz + 1) * (nx + 1) + k * (nx + 1) + i] = r * u * u + p - hv_coef * d3_vals[1];
  flux[2 * (nz + 1) * (nx + 1) + k * (nx + 1) + i] = r * u * w - hv_coef * d3_vals[2];
  flux[3 * (nz + 1) * (nx + 1) + k * (nx + 1) + i] = r * u * t - hv_coef * d3_vals[3];
}

// Amplitudes of a register: a unitary of two qubits under a mask of controls.
__global__ void two_qubit_unitary(double2* __restrict__ amps, long long numTasks, int q1, int q2, long long ctrlMask, const double2* __restrict__ u) {
  const long long task = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (task >= numTasks) return;
  const int lo = min(q1, q2), hi = max(q1, q2);
  long long i00 = (task >> lo << (lo + 1)) | (task & ((1LL << lo) - 1));
  i00 = (i00 >> hi << (hi + 1)) | (i00 & ((1LL << hi) - 1));
  if ((ctrlMask & i00) != ctrlMask) return;
  const long long ind[4] = {i00, i00 | 1LL << q1, i00 | 1LL << q2, i00 | 1LL << q1 | 1LL << q2};
  double2 a[4];
  for (int k = 0; k < 4; ++k) a[k] = amps[ind[k]];
  for (int r = 0; r < 4; ++r) {
    double2 s = {0, 0};
    for (int c = 0; c < 4; ++c) {
      const double2 m = u[r * 4 + c];
      s.x += m.x * a[c].x - m.y * a[c].y, s.y += m.x * a[c].y + m.y * a[c].x;
    }
    amps[ind[r]] = s;
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const double* f = on_device<double>(6 * M, [](uint32_t i) { return double(fraction(i)); });
  const double* positive = on_device<double>(6 * M, [](uint32_t i) { return 0.5 + fraction(i); });
  double* o = zeros<double>(8 * M);

  constexpr int nuclides = 68, grid = 1500, bins = 2000;
  std::vector<NuclideGridPoint> points(nuclides * grid);
  std::vector<int> index(bins * nuclides);
  for (int n = 0; n < nuclides; ++n) {
    for (int j = 0; j < grid; ++j) {
      const uint32_t k = n * grid + j;
      points[k] = {(j + 0.9 * fraction(k)) / grid, fraction(k + 1), fraction(k + 2), fraction(k + 3), fraction(k + 4), fraction(k + 5)};
    }
    for (int b = 0, j = 0; b < bins; ++b) {
      while (j + 1 < grid && points[n * grid + j + 1].energy <= double(b) / bins) ++j;
      index[b * nuclides + n] = j;
    }
  }
  const NuclideGridPoint* points_d = on_device(points);
  const int* index_d = on_device(index);
  const int* in_material = on_device(std::vector<int>{34, 5, 4, 21});
  const int* materials = on_device<int>(4 * 34, [](uint32_t i) { return int(i % 34 * 2 + i / 34 % 2); });
  run("xs_lookup_hash", [&] { xs_lookup_hash<<<200000 / 256 + 1, 256>>>(200000, in_material, positive, materials, points_d, index_d, (int*)o, 34, nuclides, grid, bins); });
  const Pole* poles = on_device<Pole>(nuclides * 200, [](uint32_t i) { return Pole{{i % 200 / 200., -0.001 - 0.02 * fraction(i)}, {fraction(i + 1), fraction(i + 2)}, {fraction(i + 3), 0.1}, {0.2, fraction(i + 4)}, short(hashed(i) & 3)}; });
  const int2* windows = on_device<int2>(nuclides * 50, [](uint32_t i) { return make_int2(int(i % 50 * 4), int(i % 50 * 4 + 1 + hashed(i) % 4)); });
  run("rs_lookup_poles", [&] { rs_lookup_poles<<<50000 / 128 + 1, 128>>>(50000, in_material, materials, positive, poles, windows, f, (doublex4*)o, 34, 200, 50); });
  doublex4* place = on_device<doublex4>(60000, [](uint32_t i) { return doublex4{20 + 8. * fraction(i), 20 + 8. * fraction(i + 1), 20 + 8. * fraction(i + 2), 0.5 + fraction(i + 3)}; });
  double3* heading = on_device<double3>(60000, [](uint32_t i) { const double a = 6.28 * fraction(i) + 1e-3; return double3{0.8 * std::cos(a), 0.8 * std::sin(a), i % 2 ? 0.6 : -0.6}; });
  uint64_t* seeds = on_device<uint64_t>(60000, [](uint32_t i) { return uint64_t(hashed(i)) << 20 | i; });
  run("cycle_tracking", [&] { cycle_tracking<<<60000 / 128 + 1, 128>>>(place, heading, seeds, o, 60000, 48, 12.0); });
  run("ltimes", [&] { ltimes<9, 48><<<dim3(4096 / 128, 16), 128>>>(o, f, positive, 4096, 16); });

  constexpr int edge = 60, elements = edge * edge * edge, side = edge + 1, nodes = side * side * side;
  std::vector<int> corners(8 * elements);
  std::vector<double> xyz(3 * nodes);
  for (int e = 0; e < elements; ++e) {
    const int n = (e / edge / edge * side + e / edge % edge) * side + e % edge, s2 = side * side;
    const int of[8] = {n, n + 1, n + side + 1, n + side, n + s2, n + s2 + 1, n + s2 + side + 1, n + s2 + side};
    for (int k = 0; k < 8; ++k) corners[e + k * elements] = of[k];
  }
  for (int n = 0; n < nodes; ++n) xyz[n] = n % side + 0.2 * fraction(n), xyz[nodes + n] = n / side % side + 0.2 * fraction(n + 1), xyz[2 * nodes + n] = n / side / side + 0.2 * fraction(n + 2);
  const int* corners_d = on_device(corners);
  const double* xyz_d = on_device(xyz);
  run("CalcKinematics", [&] { CalcKinematics<<<(elements + 63) / 64, 64>>>(elements, 1e-3, corners_d, positive, xyz_d, xyz_d + nodes, xyz_d + 2 * nodes, f, f + M, f + 2 * M, o, o + M, o + 2 * M, o + 3 * M, o + 4 * M); });
  double* energy = on_device<double>(3 * M, [](uint32_t i) { return double(fraction(i)); });
  const double* change = on_device<double>(M, [](uint32_t i) { return fraction(i) - 0.5; });
  run("EvalEOS", [&] { EvalEOS<<<500000 / 128, 128>>>(500000 / 128 * 128, positive, change, energy, energy + M, energy + 2 * M, o, f, f + M); });
  const dim3 cells(960 / 32 + 1, 960 / 4 + 1), block(32, 4);
  run("ideal_gas", [&] { ideal_gas<<<cells, block>>>(960, 960, positive, positive + M, o, o + M); });
  run("viscosity", [&] { viscosity<<<cells, block>>>(960, 960, positive, positive + 1000, positive + M, f, o, f + M, f + 2 * M); });
  const double* signs = on_device<double>(M, [](uint32_t i) { return 0.2 * (fraction(i / 7) - 0.5); });
  run("advec_cell_ener_flux_x", [&] { advec_cell_ener_flux_x<<<cells, block>>>(960, 960, positive, signs, positive + M, positive + 2 * M, f, o, o + M, positive + 3 * M); });
  run("tea_cg_calc_w", [&] { tea_cg_calc_w<256><<<960 * 960 / 256, 256>>>(960, 960, o, f, o + M, positive, positive + M); });

  const Atom* protein = on_device<Atom>(400, [](uint32_t i) { return Atom{30 * fraction(i), 30 * fraction(i + 1), 30 * fraction(i + 2), int(hashed(i) % 64)}; });
  const Atom* ligand = on_device<Atom>(26, [](uint32_t i) { return Atom{6 * fraction(i), 6 * fraction(i + 1), 6 * fraction(i + 2), int(hashed(i + 9) % 64)}; });
  const FFParams* field = on_device<FFParams>(64, [](uint32_t i) { return FFParams{int(68 + i % 3), 1.2f + fraction(i), i % 3 ? fraction(i) - 0.5f : 0.f, fraction(i + 1) - 0.5f}; });
  const float* turns = on_device<float>(6 * 32768, [](uint32_t i) { return i < 3 * 32768 ? 6.28f * fraction(i) : 24 * fraction(i); });
  run("fasten_main", [&] { fasten_main<2><<<256, 64, 64 * sizeof(FFParams)>>>(26, 400, protein, ligand, turns, (float*)o, field, 32768, 64); });
  const float4* leaves = on_device<float4>(400 * 512, [](uint32_t i) { return make_float4(3 * fraction(i), 3 * fraction(i + 1), 3 * fraction(i + 2), 1.f); });
  run("Step10_short_range", [&] { Step10_short_range<<<400, 256>>>(leaves, (float3*)o, 450, 3.1f, 0.01f); });

  constexpr int boxes = 4096;
  const int* held = on_device<int>(boxes, [](uint32_t i) { return int(6 + hashed(i) % 9); });
  std::vector<int> near(boxes * 27);
  std::vector<double> atoms(3 * boxes * 16);
  for (int b = 0; b < boxes; ++b) {
    const int at[3] = {b % 16, b / 16 % 16, b / 256};
    for (int k = 0; k < 27; ++k) near[b * 27 + k] = (at[0] + k % 3 + 15) % 16 + (at[1] + k / 3 % 3 + 15) % 16 * 16 + (at[2] + k / 9 + 15) % 16 * 256;
    for (int k = 0; k < 48; ++k) atoms[k / 16 * boxes * 16 + b * 16 + k % 16] = 5 * (at[k / 16] + fraction(b * 48 + k));
  }
  const int* near_d = on_device(near);
  const double* atoms_d = on_device(atoms);
  run("LJ_Force_thread_atom", [&] { LJ_Force_thread_atom<<<boxes * 16 / 128, 128>>>(held, near_d, atoms_d, atoms_d + boxes * 16, atoms_d + 2 * boxes * 16, o, o + M, o + 2 * M, o + 3 * M, boxes, 25.0, 150.0, 0.01); });
  float4* position = on_device<float4>(300000, [](uint32_t i) { const int c = int(i / 3); return make_float4(2 + c % 90 + fraction(i), 2 + c / 90 % 60 + fraction(i + 1), 2 + c / 5400 + fraction(i + 2), 1.f); });
  float4* momentum = on_device<float4>(300000, [](uint32_t i) { return make_float4(fraction(i) - 0.5f, fraction(i + 1) - 0.5f, fraction(i + 2) - 0.5f, 0); });
  const float* waves = on_device<float>(6 * 96 * 64 * 32, [](uint32_t i) { return fraction(i) - 0.5f; });
  run("gather_push_deposit", [&] { gather_push_deposit<<<(300000 + 255) / 256, 256>>>(position, momentum, waves, (float*)o, 300000, 96, 64, 32, 0.05f, 0.5f); });

  run("mass_pa_apply_3d", [&] { mass_pa_apply_3d<4, 5><<<16000, dim3(5, 5)>>>(16000, f, positive, f + M, o); });
  double* smoothed = on_device<double>(2 * M, [](uint32_t i) { return double(fraction(i)); });
  run("gsrb_variable", [&] { gsrb_variable<<<dim3(1, 8, 32), dim3(32, 4)>>>(smoothed, f, positive, positive + 2 * M, positive + 4 * M, f + 3 * M, 32, 1, 0.05); });
  const double* state = on_device<double>(4 * 804 * 404, [](uint32_t i) { return 0.01 * fraction(i); });
  const double* hydrostatic = on_device<double>(1000, [](uint32_t i) { return i < 500 ? 1.0 - 0.001 * i : 300.0; });
  run("compute_tendencies_x", [&] { compute_tendencies_x<<<dim3(801 / 128 + 1, 400), 128>>>(state, o, hydrostatic, hydrostatic + 500, 800, 400, 0.05); });
  double2* amplitudes = on_device<double2>(2 * M, [](uint32_t i) { return double2{fraction(i) - 0.5, fraction(i + 1) - 0.5}; });
  const double2* unitary = on_device<double2>(16, [](uint32_t i) { return double2{i / 4 == i % 4 ? 0.6 : 0.0, i / 4 == 3 - i % 4 ? 0.8 : 0.0}; });
  run("two_qubit_unitary", [&] { two_qubit_unitary<<<M / 2 / 128, 128>>>(amplitudes, M / 2, 2, 13, 0, unitary); });
  run("two_qubit_unitary_controlled", [&] { two_qubit_unitary<<<M / 2 / 128, 128>>>(amplitudes, M / 2, 0, 1, 1 << 7, unitary); });
  return 0;
}
