// Kernels as benchmark suites have them: heat and speckle, factors and alignments, clusters, neural layers, stencils,
// sparse rows, atoms, sorting passes, chemistry, correlations, motion and magnetic resonance.
#include <cmath>

#include "cases.h"

typedef unsigned int uint;
struct alignas(16) doublex4 {
  double x, y, z, w;
};
#define BLOCK_SIZE 16

// ---- grids ----

// Speckle: derivatives and the diffusion coefficient of a tile, its borders in arrays of their own.
__global__ void srad_cuda_1(float* E_C, float* W_C, float* N_C, float* S_C, float* J_cuda, float* C_cuda, int cols, int rows, float q0sqr) {
  int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  int index = cols * BLOCK_SIZE * by + BLOCK_SIZE * bx + cols * ty + tx;
  int index_n = max(by * BLOCK_SIZE - 1, 0) * cols + BLOCK_SIZE * bx + tx;
  int index_s = min((by + 1) * BLOCK_SIZE, rows - 1) * cols + BLOCK_SIZE * bx + tx;
  int index_w = cols * (BLOCK_SIZE * by + ty) + max(BLOCK_SIZE * bx - 1, 0);
  int index_e = cols * (BLOCK_SIZE * by + ty) + min(BLOCK_SIZE * (bx + 1), cols - 1);
  float n, w, e, s, jc, g2, l, num, den, qsqr, c;
  __shared__ float temp[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float temp_result[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float north[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float south[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float east[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float west[BLOCK_SIZE][BLOCK_SIZE];
  north[ty][tx] = J_cuda[index_n];
  south[ty][tx] = J_cuda[index_s];
  west[ty][tx] = J_cuda[index_w];
  east[ty][tx] = J_cuda[index_e];
  __syncthreads();
  temp[ty][tx] = J_cuda[index];
  __syncthreads();
  jc = temp[ty][tx];
  n = (ty == 0 ? north[ty][tx] : temp[ty - 1][tx]) - jc;
  s = (ty == BLOCK_SIZE - 1 ? south[ty][tx] : temp[ty + 1][tx]) - jc;
  w = (tx == 0 ? west[ty][tx] : temp[ty][tx - 1]) - jc;
  e = (tx == BLOCK_SIZE - 1 ? east[ty][tx] : temp[ty][tx + 1]) - jc;
  g2 = (n * n + s * s + w * w + e * e) / (jc * jc);
  l = (n + s + w + e) / jc;
  num = (0.5 * g2) - ((1.0 / 16.0) * (l * l));
  den = 1 + (.25 * l);
  qsqr = num / (den * den);
  den = (qsqr - q0sqr) / (q0sqr * (1 + q0sqr));
  c = 1.0 / (1.0 + den);
  if (c < 0)
    temp_result[ty][tx] = 0;
  else if (c > 1)
    temp_result[ty][tx] = 1;
  else
    temp_result[ty][tx] = c;
  __syncthreads();
  C_cuda[index] = temp_result[ty][tx];
  E_C[index] = e;
  W_C[index] = w;
  S_C[index] = s;
  N_C[index] = n;
}

// A stencil of seven points: two columns a thread, the plane in shared memory, up and down in registers.
__global__ void block2D_hybrid_coarsen_x(float c0, float c1, const float* A0, float* Anext, int nx, int ny, int nz) {
  const int i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
  const int i2 = i + blockDim.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  const int sh_id = threadIdx.x + threadIdx.y * blockDim.x * 2;
  const int sh_id2 = sh_id + blockDim.x;
  extern __shared__ float sh_A0[];
  const bool w_region = i > 0 && j > 0 && i < nx - 1 && j < ny - 1;
  const bool w_region2 = j > 0 && i2 < nx - 1 && j < ny - 1;
  const bool x_l_bound = threadIdx.x == 0;
  const bool x_h_bound = threadIdx.x == blockDim.x - 1;
  const bool y_l_bound = threadIdx.y == 0;
  const bool y_h_bound = threadIdx.y == blockDim.y - 1;
#define Index3D(x, y, z) ((x) + nx * ((y) + ny * (z)))
  float bottom = 0.0f, bottom2 = 0.0f, top = 0.0f, top2 = 0.0f;
  if (i < nx && j < ny) {
    bottom = A0[Index3D(i, j, 0)];
    sh_A0[sh_id] = A0[Index3D(i, j, 1)];
  }
  if (i2 < nx && j < ny) {
    bottom2 = A0[Index3D(i2, j, 0)];
    sh_A0[sh_id2] = A0[Index3D(i2, j, 1)];
  }
  __syncthreads();
  for (int k = 1; k < nz - 1; k++) {
    float a_left_right, a_up, a_down;
    if (w_region) {
      a_left_right = x_l_bound ? A0[Index3D(i - 1, j, k)] : sh_A0[sh_id - 1];
      a_up = y_h_bound ? A0[Index3D(i, j + 1, k)] : sh_A0[sh_id + 2 * blockDim.x];
      a_down = y_l_bound ? A0[Index3D(i, j - 1, k)] : sh_A0[sh_id - 2 * blockDim.x];
      top = A0[Index3D(i, j, k + 1)];
      Anext[Index3D(i, j, k)] = (top + bottom + a_up + a_down + sh_A0[sh_id + 1] + a_left_right) * c1 - sh_A0[sh_id] * c0;
    }
    if (w_region2) {
      a_left_right = x_h_bound ? A0[Index3D(i2 + 1, j, k)] : sh_A0[sh_id2 + 1];
      a_up = y_h_bound ? A0[Index3D(i2, j + 1, k)] : sh_A0[sh_id2 + 2 * blockDim.x];
      a_down = y_l_bound ? A0[Index3D(i2, j - 1, k)] : sh_A0[sh_id2 - 2 * blockDim.x];
      top2 = A0[Index3D(i2, j, k + 1)];
      Anext[Index3D(i2, j, k)] = (top2 + bottom2 + a_up + a_down + sh_A0[sh_id2 - 1] + a_left_right) * c1 - sh_A0[sh_id2] * c0;
    }
    __syncthreads();
    bottom = sh_A0[sh_id];
    sh_A0[sh_id] = top;
    bottom2 = sh_A0[sh_id2];
    sh_A0[sh_id2] = top2;
    __syncthreads();
  }
#undef Index3D
}

// ---- dense and sparse algebra ----

typedef float DATA_TYPE;
__global__ void syr2k_kernel(int ni, int nj, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE* a, DATA_TYPE* b, DATA_TYPE* c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if ((i < ni) && (j < ni)) {
    c[i * ni + j] *= beta;
    int k;
    for (k = 0; k < nj; k++) c[i * ni + j] += alpha * a[i * nj + k] * b[j * nj + k] + alpha * b[i * nj + k] * a[j * nj + k];
  }
}

__global__ void convolution3D_kernel(int ni, int nj, int nk, DATA_TYPE* A, DATA_TYPE* B, int i) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  DATA_TYPE c11 = +2, c21 = +5, c31 = -8, c12 = -3, c22 = +6, c32 = -9, c13 = +4, c23 = +7, c33 = +10;
  i += blockIdx.z;
  if ((i < (ni - 1)) && (j < (nj - 1)) && (k < (nk - 1)) && (i > 0) && (j > 0) && (k > 0)) {
    B[i * (nk * nj) + j * nk + k] = c11 * A[(i - 1) * (nk * nj) + (j - 1) * nk + (k - 1)] + c13 * A[(i + 1) * (nk * nj) + (j - 1) * nk + (k - 1)] + c21 * A[(i - 1) * (nk * nj) + (j - 1) * nk + (k - 1)] + c23 * A[(i + 1) * (nk * nj) + (j - 1) * nk + (k - 1)] + c31 * A[(i - 1) * (nk * nj) + (j - 1) * nk + (k - 1)] + c33 * A[(i + 1) * (nk * nj) + (j - 1) * nk + (k - 1)] + c12 * A[(i + 0) * (nk * nj) + (j - 1) * nk + (k + 0)] + c22 * A[(i + 0) * (nk * nj) + (j + 0) * nk + (k + 0)] + c32 * A[(i + 0) * (nk * nj) + (j + 1) * nk + (k + 0)] + c11 * A[(i - 1) * (nk * nj) + (j - 1) * nk + (k + 1)] + c13 * A[(i + 1) * (nk * nj) + (j - 1) * nk + (k + 1)] + c21 * A[(i - 1) * (nk * nj) + (j + 0) * nk + (k + 1)] + c23 * A[(i + 1) * (nk * nj) + (j + 0) * nk + (k + 1)] + c31 * A[(i - 1) * (nk * nj) + (j + 1) * nk + (k + 1)] + c33 * A[(i + 1) * (nk * nj) + (j + 1) * nk + (k + 1)];
  }
}

__global__ void doitgen_kernel1(int nr, int nq, int np, DATA_TYPE* sum, DATA_TYPE* A, DATA_TYPE* C4, int r) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  int q = blockIdx.y * blockDim.y + threadIdx.y;
  if ((p < np) && (q < nq)) {
    sum[r * (nq * np) + q * np + p] = (DATA_TYPE)0.0;
    for (int s = 0; s < np; s++) sum[r * (nq * np) + q * np + p] = sum[r * (nq * np) + q * np + p] + A[r * (nq * np) + q * np + s] * C4[s * np + p];
  }
}

// Jagged diagonals: rows by descending length, a warp's rows of one length.
__constant__ int jds_ptr_int[256];
__global__ void spmv_jds(float* dst_vector, const float* d_data, const int* d_index, const int* d_perm, const float* x_vec, const int dim, const int* sh_zcnt_int) {
  int ix = blockIdx.x * blockDim.x + threadIdx.x;
  if (ix < dim) {
    float sum = 0.0f;
    int bound = sh_zcnt_int[ix / 32];
    int j = jds_ptr_int[0] + ix;
    float d = d_data[j];
    int i = d_index[j];
    float t = x_vec[i];
    for (int k = 1; k < bound; k++) {
      j = jds_ptr_int[k] + ix;
      sum += d * t;
      i = d_index[j];
      d = d_data[j];
      t = x_vec[i];
    }
    sum += d * t;
    dst_vector[d_perm[ix]] = sum;
  }
}

// ---- learning ----

__constant__ float c_clusters[34 * 34];
__global__ void kmeansPoint(float* features, int nfeatures, int npoints, int nclusters, int* membership, int* changed) {
  const unsigned int block_id = gridDim.x * blockIdx.y + blockIdx.x;
  const unsigned int point_id = block_id * blockDim.x * blockDim.y + threadIdx.x;
  int index = -1;
  if (point_id < npoints) {
    float min_dist = 3.40282347e+38f;
    float dist;
    for (int i = 0; i < nclusters; i++) {
      int cluster_base_index = i * nfeatures;
      float ans = 0.0;
      for (int j = 0; j < nfeatures; j++) {
        int addr = point_id + j * npoints;
        float diff = features[addr] - c_clusters[cluster_base_index + j];
        ans += diff * diff;
      }
      dist = ans;
      if (dist < min_dist) {
        min_dist = dist;
        index = i;
      }
    }
    if (membership[point_id] != index) changed[block_id] = 1;
  }
  if (point_id < npoints) membership[npoints + point_id] = index;
}

__global__ void bpnn_adjust_weights_cuda(float* delta, int hid, float* ly, int in, float* w, float* oldw) {
  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int index = (hid + 1) * BLOCK_SIZE * by + (hid + 1) * ty + tx + 1 + (hid + 1);
  int index_y = BLOCK_SIZE * by + ty + 1;
  int index_x = tx + 1;
  w[index] += ((0.3 * delta[index_x] * ly[index_y]) + (0.3 * oldw[index]));
  oldw[index] = ((0.3 * delta[index_x] * ly[index_y]) + (0.3 * oldw[index]));
}

struct Point {
  float weight;
  long assign;
  float cost;
};
// What opening a centre would save, with the centre's coordinates in shared memory.
__global__ void kernel_compute_cost(int num, int dim, long x, Point* p, int K, int stride, float* coord_d, float* work_mem_d, int* center_table_d, bool* switch_membership_d) {
  extern __shared__ float coord_s[];
  const int bid = blockIdx.x + gridDim.x * blockIdx.y;
  const int tid = blockDim.x * bid + threadIdx.x;
  if (threadIdx.x == 0)
    for (int i = 0; i < dim; i++) coord_s[i] = coord_d[i * num + x];
  __syncthreads();
  if (tid >= num) return;
  float* lower = &work_mem_d[tid * stride];
  float x_cost = 0.0f;
  for (int i = 0; i < dim; i++) x_cost += (coord_d[(i * num) + tid] - coord_s[i]) * (coord_d[(i * num) + tid] - coord_s[i]);
  x_cost = x_cost * p[tid].weight;
  float current_cost = p[tid].cost;
  int base = center_table_d[p[tid].assign];
  if (x_cost < current_cost) {
    switch_membership_d[tid] = 1;
    lower[K] += x_cost - current_cost;
  } else {
    lower[base] += current_cost - x_cost;
  }
}

// Weights of particles: pixels around a place against two brightnesses, a block's sum of the weights.
__global__ void likelihood_kernel(double* arrayX, double* arrayY, int* objxy, double* likelihood, unsigned char* I, double* weights, int Nparticles, int countOnes, int IszY, int Nfr, int max_size, double* partial_sums) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  __shared__ double buffer[512];
  if (i < Nparticles) {
    double likelihoodSum = 0.0;
    for (int y = 0; y < countOnes; y++) {
      int indX = (int)lround(arrayX[i]) + objxy[y * 2 + 1];
      int indY = (int)lround(arrayY[i]) + objxy[y * 2];
      int ind = abs(indX * IszY * Nfr + indY * Nfr + Nfr - 1);
      if (ind >= max_size) ind = 0;
      likelihoodSum += ((I[ind] - 100) * (I[ind] - 100) - (I[ind] - 228) * (I[ind] - 228)) / 50.0;
    }
    likelihood[i] = likelihoodSum / countOnes - 300;
    weights[i] = 1.0 / Nparticles * exp(likelihood[i] * 0.01);
  }
  buffer[threadIdx.x] = i < Nparticles ? weights[i] : 0.0;
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) buffer[threadIdx.x] += buffer[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial_sums[blockIdx.x] = buffer[0];
}

// ---- graphs, sorting, scans ----

// A frontier's edges by warps of any width; what was visited before is only read.
template <int W_SZ>
__global__ void BFS_kernel_warp(const unsigned int* levels, const unsigned int* edgeArray, const unsigned int* edgeArrayAux, int CHUNK_SZ, unsigned int numVertices, int curr, unsigned int* nextLevels, int* flag) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  int W_OFF = tid % W_SZ;
  int W_ID = tid / W_SZ;
  int v1 = W_ID * CHUNK_SZ;
  int chk_sz = CHUNK_SZ;
  if (v1 + CHUNK_SZ >= numVertices) chk_sz = numVertices > v1 ? numVertices - v1 : 0;
  for (int v = v1; v < chk_sz + v1; v++) {
    if (levels[v] == curr) {
      unsigned int num_nbr = edgeArray[v + 1] - edgeArray[v];
      unsigned int nbr_off = edgeArray[v];
      for (int i = W_OFF; i < num_nbr; i += W_SZ) {
        int w = edgeArrayAux[i + nbr_off];
        if (levels[w] == 0xffffffffu) {
          nextLevels[w] = curr + 1;
          *flag = 1;
        }
      }
    }
  }
}

__device__ uint scanLSB(const uint val, uint* s_data) {
  const int idx = threadIdx.x;
  s_data[idx] = 0;
  __syncthreads();
  s_data[idx + 256] = val;
  __syncthreads();
  uint t;
  for (int d = 1; d < 256; d *= 2) {
    t = s_data[idx + 256 - d];
    __syncthreads();
    s_data[idx + 256] += t;
    __syncthreads();
  }
  return s_data[idx + 255];
}
// A block's 1024 keys sorted by four bits, one after the other: four keys a thread, a scan a bit.
__global__ void radixSortBlocks(const uint nbits, const uint startbit, uint4* keysOut, uint4* valuesOut, const uint4* keysIn, const uint4* valuesIn) {
  __shared__ uint sMem[1024];
  __shared__ uint numtrue;
  const uint i = threadIdx.x + blockIdx.x * blockDim.x;
  const uint localId = threadIdx.x;
  uint4 key = keysIn[i];
  uint4 value = valuesIn[i];
  for (uint shift = startbit; shift < startbit + nbits; ++shift) {
    uint4 lsb = make_uint4(!((key.x >> shift) & 1), !((key.y >> shift) & 1), !((key.z >> shift) & 1), !((key.w >> shift) & 1));
    uint4 address = make_uint4(0, lsb.x, lsb.x + lsb.y, lsb.x + lsb.y + lsb.z);
    uint total = address.w + lsb.w;
    uint before = scanLSB(total, sMem);
    if (localId == 255) numtrue = before + total;
    __syncthreads();
    uint4 rank;
    const uint idx = localId * 4, n = numtrue;
    rank.x = lsb.x ? before + address.x : n + idx - before - address.x;
    rank.y = lsb.y ? before + address.y : n + idx + 1 - before - address.y;
    rank.z = lsb.z ? before + address.z : n + idx + 2 - before - address.z;
    rank.w = lsb.w ? before + address.w : n + idx + 3 - before - address.w;
#define AT(r) (((r)&3) * 256 + ((r) >> 2))
    sMem[AT(rank.x)] = key.x, sMem[AT(rank.y)] = key.y, sMem[AT(rank.z)] = key.z, sMem[AT(rank.w)] = key.w;
    __syncthreads();
    key = make_uint4(sMem[localId], sMem[localId + 256], sMem[localId + 512], sMem[localId + 768]);
    __syncthreads();
    sMem[AT(rank.x)] = value.x, sMem[AT(rank.y)] = value.y, sMem[AT(rank.z)] = value.z, sMem[AT(rank.w)] = value.w;
    __syncthreads();
    value = make_uint4(sMem[localId], sMem[localId + 256], sMem[localId + 512], sMem[localId + 768]);
    __syncthreads();
#undef AT
  }
  keysOut[i] = key;
  valuesOut[i] = value;
}

// The last step of a scan: a block walks its region by float4, the sum so far carried in shared memory.
template <class T, class vecT, int blockSize>
__global__ void bottom_scan(const T* g_idata, T* g_odata, const T* g_block_sums, const int n) {
  __shared__ T s_mem[blockSize * 2];
  __shared__ T s_seed;
  if (threadIdx.x == 0) s_seed = blockIdx.x == 0 ? 0 : g_block_sums[blockIdx.x - 1];
  s_mem[threadIdx.x] = 0;
  __syncthreads();
  const vecT* inVec = (const vecT*)g_idata;
  vecT* outVec = (vecT*)g_odata;
  const int n4 = n / 4;
  const int regionSize = n4 / gridDim.x;
  const int block_stop = blockIdx.x == gridDim.x - 1 ? n4 : (blockIdx.x + 1) * regionSize;
  int i = blockIdx.x * regionSize + threadIdx.x;
  for (int window = blockIdx.x * regionSize; window < block_stop; window += blockSize, i += blockSize) {
    vecT val_4 = {0, 0, 0, 0};
    if (i < block_stop) val_4 = inVec[i];
    val_4.y += val_4.x;
    val_4.z += val_4.y;
    val_4.w += val_4.z;
    s_mem[blockSize + threadIdx.x] = val_4.w;
    __syncthreads();
    for (int d = 1; d < blockSize; d *= 2) {
      T t = s_mem[blockSize + threadIdx.x - d];
      __syncthreads();
      s_mem[blockSize + threadIdx.x] += t;
      __syncthreads();
    }
    T res = s_mem[blockSize + threadIdx.x - 1] + s_seed;
    val_4.x += res;
    val_4.y += res;
    val_4.z += res;
    val_4.w += res;
    if (i < block_stop) outVec[i] = val_4;
    __syncthreads();
    if (threadIdx.x == blockSize - 1) s_seed = val_4.w;
    __syncthreads();
  }
}

// ---- physics and chemistry ----

// Forces of neighbours in a list by columns, whatever the precision.
template <class T, class forceVecType, class posVecType>
__global__ void compute_lj_force(forceVecType* __restrict__ force3, const posVecType* __restrict__ position, const int neighCount, const int* __restrict__ neighList, const T cutsq, const T lj1, const T lj2, const int inum) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  posVecType ipos = position[idx];
  forceVecType f = {0, 0, 0, 0};
  int j = 0;
  while (j < neighCount) {
    int jidx = neighList[j * inum + idx];
    posVecType jpos = position[jidx];
    T delx = ipos.x - jpos.x;
    T dely = ipos.y - jpos.y;
    T delz = ipos.z - jpos.z;
    T r2inv = delx * delx + dely * dely + delz * delz;
    if (r2inv < cutsq) {
      r2inv = T(1.0) / (r2inv + T(0.01));
      T r6inv = r2inv * r2inv * r2inv;
      T force = r2inv * r6inv * (lj1 * r6inv - lj2);
      f.x += delx * force;
      f.y += dely * force;
      f.z += delz * force;
    }
    j++;
  }
  force3[idx] = f;
}

// Rates of reactions from a cell's temperature: forward by Arrhenius, backward by equilibrium, falloffs by Troe.
#define RF(q) rf[(((q)-1) * n) + i]
#define RB(q) rb[(((q)-1) * n) + i]
#define EG(q) eg[(((q)-1) * n) + i]
#define ARRHENIUS(q, a, b, e) RF(q) = exp(real(a) + real(b) * alogt - real(e) * ti)
#define BACKWARD(q, p1, p2, r1, r2) RB(q) = RF(q) * (EG(r1) * EG(r2)) / fmax(EG(p1) * EG(p2), real(1e-30))
template <class real>
__global__ void ratt_kernel(const real* T, real* rf, real* rb, const real* eg, const real* fcent, const int n, const real tconv) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const real temp = T[i] * tconv;
  const real alogt = log(temp);
  const real ti = real(1.0) / temp;
  ARRHENIUS(1, 32.45, -0.7, 8590.0);
  ARRHENIUS(2, 10.82, 2.67, 3165.0);
  ARRHENIUS(3, 19.19, 1.51, 1726.0);
  ARRHENIUS(4, 10.48, 2.4, -1061.0);
  RF(5) = real(1e18) * ti;
  RF(6) = real(9e16) * exp(real(-0.6) * alogt);
  RF(7) = real(6e19) * exp(real(-1.25) * alogt);
  RF(8) = real(6.02e20) * ti * ti;
  ARRHENIUS(9, 29.6, 0.0, 336.0);
  ARRHENIUS(10, 32.3, -0.86, 0.0);
  ARRHENIUS(11, 30.7, 0.0, 149.7);
  ARRHENIUS(12, 16.3, 2.0, 2613.0);
  BACKWARD(1, 1, 5, 2, 3);
  BACKWARD(2, 2, 4, 1, 3);
  BACKWARD(3, 1, 6, 4, 2);
  BACKWARD(4, 3, 6, 4, 5);
  RB(5) = RF(5) * EG(1) / (EG(2) * EG(2));
  RB(6) = RF(6) * EG(1) / (EG(2) * EG(2));
  RB(7) = RF(7) * EG(6) / (EG(2) * EG(4));
  RB(8) = RF(8) * EG(5) / (EG(3) * EG(3));
  for (int q = 9; q <= 12; ++q) {
    const real rklow = exp(real(38.0) - real(1.2) * alogt - real(500.0) * ti);
    const real pr = rklow * real(1e-18) / RF(q);
    const real pcor = pr / (real(1.0) + pr);
    const real prlog = log10(fmax(pr, real(1e-30)));
    const real fc = log10(fmax(fcent[q] * exp(-temp * real(1e-4)) + real(0.3), real(1e-30)));
    const real x1 = prlog - (real(0.4) + real(0.67) * fc);
    const real x2 = real(0.75) - real(1.27) * fc - real(0.14) * x1;
    const real ratio = x1 / x2;
    RF(q) *= pcor * pow(real(10.0), fc / (real(1.0) + ratio * ratio));
    RB(q) = RF(q) * EG(q - 8) / fmax(EG(q - 7), real(1e-30));
  }
}

// Angles between points in bins of their cosines: tiles in shared memory, a binary search, a histogram a warp.
#define NUM_BINS 20
__constant__ float dev_binb[NUM_BINS + 1];
__global__ void gen_hists(unsigned int* histograms, const float* all_x_data, const float* all_y_data, const float* all_z_data, int NUM_ELEMENTS) {
  __shared__ float data_x[256], data_y[256], data_z[256];
  __shared__ unsigned int warp_hists[8][NUM_BINS];
  const int set = blockIdx.y, tid = threadIdx.x;
  const float *x = all_x_data + set * NUM_ELEMENTS, *y = all_y_data + set * NUM_ELEMENTS, *z = all_z_data + set * NUM_ELEMENTS;
  for (int w = tid; w < 8 * NUM_BINS; w += 256) warp_hists[w / NUM_BINS][w % NUM_BINS] = 0;
  const int mine = blockIdx.x * 256 + tid;
  const float xi = x[mine], yi = y[mine], zi = z[mine];
  for (int tile = 0; tile < NUM_ELEMENTS; tile += 256) {
    __syncthreads();
    data_x[tid] = x[tile + tid], data_y[tid] = y[tile + tid], data_z[tid] = z[tile + tid];
    __syncthreads();
    for (int k = 0; k < 256; k++) {
      if (tile + k <= mine) continue;
      float distance = data_x[k] * xi + data_y[k] * yi + data_z[k] * zi;
      unsigned int bin_index = 0, min = 0, max = NUM_BINS;
      while (max > min + 1) {
        unsigned int k2 = (min + max) / 2;
        if (distance >= dev_binb[k2])
          max = k2;
        else
          min = k2;
      }
      bin_index = max - 1;
      atomicAdd(&warp_hists[tid / 32][bin_index], 1U);
    }
  }
  __syncthreads();
  if (tid < NUM_BINS) {
    unsigned int sum = 0;
    for (int w = 0; w < 8; w++) sum += warp_hists[w][tid];
    histograms[(set * gridDim.x + blockIdx.x) * NUM_BINS + tid] = sum;
  }
}

// The image of samples in constant memory: a thread a voxel, with the density's phases.
struct kValues {
  float Kx, Ky, Kz, RhoPhiR, RhoPhiI;
};
__constant__ kValues ck[768];
__global__ void ComputeRhoPhi_FH(int numK, int kGlobalIndex, const float* x, const float* y, const float* z, float* outR, float* outI) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  float sX = x[t], sY = y[t], sZ = z[t];
  float oR = outR[t], oI = outI[t];
  for (int kIndex = 0; (kIndex < 768) && (kGlobalIndex < numK); kIndex++, kGlobalIndex++) {
    float expArg = 6.2831853071795864769252867665590058f * (ck[kIndex].Kx * sX + ck[kIndex].Ky * sY + ck[kIndex].Kz * sZ);
    float cosArg = cosf(expArg);
    float sinArg = sinf(expArg);
    oR += ck[kIndex].RhoPhiR * cosArg - ck[kIndex].RhoPhiI * sinArg;
    oI += ck[kIndex].RhoPhiI * cosArg + ck[kIndex].RhoPhiR * sinArg;
  }
  outR[t] = oR;
  outI[t] = oI;
}

// Potentials of a region's points from the bins around it, listed in constant memory: four planes a thread.
__constant__ int3 NbrList[27];
__global__ __launch_bounds__(128) void cutoff_potential_bins(int nx, int ny, const float4* binBaseAddr, float h, float cutoff2, float inv_cutoff2, float* regionBaseAddr) {
  __shared__ float4 AtomBinCache[8 * 8];
  const int tid = (threadIdx.z * 8 + threadIdx.y) * 8 + threadIdx.x;
  const int bx = blockIdx.x + 1, by = blockIdx.y + 1, bz = blockIdx.z + 1;
  const float x = (8 * blockIdx.x + threadIdx.x) * h, y = (8 * blockIdx.y + threadIdx.y) * h, z = (8 * blockIdx.z + 4 * threadIdx.z) * h;
  float energy[4] = {0.f, 0.f, 0.f, 0.f};
  for (int nbrs = 0; nbrs < 27; nbrs += 8) {
    const int numbins = min(8, 27 - nbrs);
    __syncthreads();
    if (tid < numbins * 8) {
      const int3 o = NbrList[nbrs + tid / 8];
      AtomBinCache[tid] = binBaseAddr[(((bz + o.z) * ny + by + o.y) * nx + bx + o.x) * 8 + tid % 8];
    }
    __syncthreads();
    for (int n = 0; n < numbins * 8; n++) {
      const float4 a = AtomBinCache[n];
      if (a.w == 0.f) continue;
      const float dx = a.x - x, dy = a.y - y, dz = a.z - z;
      const float dxy2 = dx * dx + dy * dy;
#pragma unroll
      for (int k = 0; k < 4; k++) {
        const float r2 = dxy2 + (dz - k * h) * (dz - k * h);
        if (r2 < cutoff2) {
          const float s = 1.f - r2 * inv_cutoff2;
          energy[k] += a.w * rsqrtf(r2) * s * s;
        }
      }
    }
  }
  const int gx = gridDim.x * 8, gy = gridDim.y * 8;
  for (int k = 0; k < 4; k++) regionBaseAddr[((size_t)(8 * blockIdx.z + 4 * threadIdx.z + k) * gy + 8 * blockIdx.y + threadIdx.y) * gx + 8 * blockIdx.x + threadIdx.x] = energy[k];
}

// ---- images ----

// Differences of 4 by 4 pixels for all positions of a search window: a block a macroblock's quarter.
__global__ void mb_sad_calc(unsigned short* blk_sad, const unsigned char* frame, const unsigned char* ref, int width, int height, int search) {
  __shared__ unsigned char cur[16][16];
  const int mb_x = blockIdx.x, mb_y = blockIdx.y, side = 2 * search + 1, positions = side * side;
  for (int i = threadIdx.x; i < 256; i += blockDim.x) cur[i / 16][i % 16] = frame[(mb_y * 16 + i / 16) * width + mb_x * 16 + i % 16];
  __syncthreads();
  for (int task = threadIdx.x; task < 4 * positions; task += blockDim.x) {
    const int sub = blockIdx.z * 4 + task / positions, pos = task % positions;
    const int dx = pos % side - search, dy = pos / side - search;
    const int bx = sub % 4 * 4, by = sub / 4 * 4;
    int sad = 0;
    for (int y = 0; y < 4; y++)
      for (int x = 0; x < 4; x++) {
        const int rx = min(max(mb_x * 16 + bx + x + dx, 0), width - 1), ry = min(max(mb_y * 16 + by + y + dy, 0), height - 1);
        sad += abs(cur[by + y][bx + x] - ref[ry * width + rx]);
      }
    blk_sad[((mb_y * gridDim.x + mb_x) * 16 + sub) * positions + pos] = sad;
  }
}

// Cells' outlines: the largest mean over deviation of gradients on circles, by tables of sines in constant memory.
#define NPOINTS 150
#define NCIRCLES 7
__constant__ float c_sin_angle[NPOINTS], c_cos_angle[NPOINTS];
__constant__ int c_tX[NCIRCLES * NPOINTS], c_tY[NCIRCLES * NPOINTS];
__global__ void GICOV_kernel(const float* grad_x, const float* grad_y, int grad_m, int width, int border, float* gicov) {
  int i = blockIdx.x + border;
  int j = threadIdx.x + border;
  float max_GICOV = 0.f;
  for (int k = 0; k < NCIRCLES; k++) {
    float sum = 0.f, M2 = 0.f, mean = 0.f;
    for (int n = 0; n < NPOINTS; n++) {
      int y = j + c_tY[(k * NPOINTS) + n];
      int x = i + c_tX[(k * NPOINTS) + n];
      int addr = x * grad_m + y;
      float p = grad_x[addr] * c_cos_angle[n] + grad_y[addr] * c_sin_angle[n];
      sum += p;
      float delta = p - mean;
      mean = mean + (delta / (float)(n + 1));
      M2 = M2 + (delta * (p - mean));
    }
    mean = sum / ((float)NPOINTS);
    float var = M2 / ((float)(NPOINTS - 1));
    if (((mean * mean) / var) > max_GICOV) max_GICOV = (mean * mean) / var;
  }
  gicov[(i * grad_m) + j] = max_GICOV;
}

template <class T>
void to_constant(const T& symbol, const void* host, size_t bytes) {
  CHECK(cudaMemcpyToSymbol(symbol, host, bytes));
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  float* f = on_device<float>(14 * M, fraction);
  float* positive = on_device<float>(4 * M, [](uint32_t i) { return 0.5f + fraction(i); });
  float* o = zeros<float>(16 * M);

  run("srad_cuda_1", [&] { srad_cuda_1<<<dim3(96, 96), dim3(16, 16)>>>(o, o + 3 * M, o + 6 * M, o + 9 * M, positive, o + 12 * M, 1536, 1536, 0.05f); });
  run("block2D_hybrid_coarsen_x", [&] { block2D_hybrid_coarsen_x<<<dim3(8, 128), dim3(32, 4), 32 * 2 * 4 * sizeof(float)>>>(1.f / 6, 1.f / 36, f, o, 500, 510, 48); });
  run("syr2k_kernel", [&] { syr2k_kernel<<<dim3(12, 48), dim3(32, 8)>>>(384, 256, 0.01f, 0.9f, f, f + M, o); });
  run("convolution3D_kernel", [&] { convolution3D_kernel<<<dim3(6, 24, 190), dim3(32, 8)>>>(192, 192, 192, f, o, 1); });
  run("doitgen_kernel1", [&] { doitgen_kernel1<<<dim3(16, 64), dim3(32, 8)>>>(4, 512, 512, o, f, f + 8 * M, 1); });

  constexpr int rows = 146688;
  std::vector<int> bound(rows / 32), diagonals(256, 0), perm(rows);
  for (int w = 0; w < rows / 32; ++w) bound[w] = std::max(3, 35 - w * 40 / (rows / 32));
  for (int k = 0, at = 0; k < 40; ++k) {
    diagonals[k] = at;
    for (int w = 0; w < rows / 32; ++w) at += bound[w] > k ? 32 : 0;
  }
  for (int i = 0; i < rows; ++i) perm[i] = int(uint64_t(i) * 77773 % rows);
  to_constant(jds_ptr_int, diagonals.data(), 1024);
  const int *bound_d = on_device(bound), *perm_d = on_device(perm);
  const int* columns = on_device<int>(36 * rows, [](uint32_t i) { return int((i % rows + hashed(i) % 4000) % rows); });
  run("spmv_jds", [&] { spmv_jds<<<rows / 64, 64>>>(o, f, columns, perm_d, positive, rows, bound_d); });

  std::vector<float> centres(34 * 34);
  for (uint32_t i = 0; i < centres.size(); ++i) centres[i] = fraction(i + 5);
  to_constant(c_clusters, centres.data(), centres.size() * 4);
  int* membership = zeros<int>(800000);
  run("kmeansPoint", [&] { kmeansPoint<<<dim3(40, 40), 256>>>(f, 34, 400000, 5, membership, (int*)o); });
  float *weights = on_device<float>(2 * M, fraction), *old = zeros<float>(2 * M);
  run("bpnn_adjust_weights_cuda", [&] { bpnn_adjust_weights_cuda<<<dim3(1, 4096), dim3(16, 16)>>>(f, 16, f + M, 65536, weights, old); });
  Point* points = on_device<Point>(131072, [](uint32_t i) { return Point{1.f, long(hashed(i) % 20), 8.f + 6 * fraction(i)}; });
  int* table = on_device<int>(20, [](uint32_t i) { return int(i); });
  run("kernel_compute_cost", [&] { kernel_compute_cost<<<dim3(16, 16), 512, 64 * sizeof(float)>>>(131072, 64, 4321, points, 20, 21, f, o, table, (bool*)(o + 4 * M)); });
  double* place = on_device<double>(200000, [](uint32_t i) { return 30 + 60 * double(fraction(i)); });
  int* object = on_device<int>(138, [](uint32_t i) { return int(i % 2 ? i / 2 % 9 : i / 18) - 4; });
  unsigned char* pixels = on_device<unsigned char>(4 * M, [](uint32_t i) { return (unsigned char)(hashed(i)); });
  run("likelihood_kernel", [&] { likelihood_kernel<<<196, 512>>>(place, place + 100000, object, (double*)o, pixels, (double*)o + M, 100000, 69, 128, 10, 128 * 128 * 10, (double*)o + 2 * M); });

  constexpr uint32_t vertices = 200000;
  std::vector<uint32_t> begin(vertices + 1, 0), levels(vertices);
  for (uint32_t v = 0; v < vertices; ++v) {
    begin[v + 1] = begin[v] + 2 + hashed(v) % 13 + (hashed(v) % 97 == 0 ? 90 : 0);
    levels[v] = hashed(v + 11) % 4 == 0 ? 3 : hashed(v + 11) % 4 == 1 ? 2
                                                                      : 0xffffffffu;
  }
  const uint32_t *begin_d = on_device(begin), *levels_d = on_device(levels);
  const uint32_t* edges = on_device<uint32_t>(begin[vertices], [](uint32_t i) { return hashed(i) % vertices; });
  run("BFS_kernel_warp_32", [&] { BFS_kernel_warp<32><<<vertices / 4 / 16 + 1, 512>>>(levels_d, begin_d, edges, 4, vertices, 3, (uint32_t*)o, (int*)o + M); });
  run("BFS_kernel_warp_8", [&] { BFS_kernel_warp<8><<<vertices / 64 + 1, 512>>>(levels_d, begin_d, edges, 1, vertices, 3, (uint32_t*)o, (int*)o + M); });
  const uint4* keys = on_device<uint4>(M, [](uint32_t i) { return make_uint4(hashed(4 * i), hashed(4 * i + 1), hashed(4 * i + 2), hashed(4 * i + 3)); });
  run("radixSortBlocks", [&] { radixSortBlocks<<<M / 2 / 256, 256>>>(4, 8, (uint4*)o, (uint4*)(o + 8 * M), keys, keys + M / 2); });
  run("bottom_scan", [&] { bottom_scan<float, float4, 256><<<264, 256>>>(f, o, positive, 12 * M + 64); });
  run("bottom_scan_double", [&] { bottom_scan<double, doublex4, 128><<<128, 128>>>((const double*)f, (double*)o, (const double*)positive, M); });

  constexpr int atoms = 36864;
  const int* list = on_device<int>(96 * atoms, [](uint32_t i) { return int((i % atoms + hashed(i) % 1500) % atoms); });
  const float4* at = on_device<float4>(atoms, [](uint32_t i) { return make_float4(fraction(i) * 20, fraction(i + 1) * 20, i / 1800.f, 0); });
  const doublex4* at64 = on_device<doublex4>(atoms, [](uint32_t i) { return doublex4{fraction(i) * 20., fraction(i + 1) * 20., i / 1800., 0}; });
  run("compute_lj_force", [&] { compute_lj_force<float, float4, float4><<<atoms / 256, 256>>>((float4*)o, at, 96, list, 64.f, 1.5f, 2.f, atoms); });
  run("compute_lj_force_double", [&] { compute_lj_force<double, doublex4, doublex4><<<atoms / 256, 256>>>((doublex4*)o, at64, 96, list, 64., 1.5, 2., atoms); });
  const double* positive64 = on_device<double>(M, [](uint32_t i) { return 0.5 + fraction(i); });
  run("ratt_kernel", [&] { ratt_kernel<float><<<200000 / 64, 64>>>(positive, o, o + 4 * M, positive + M, positive + 3 * M, 200000, 1000.f); });
  run("ratt_kernel_double", [&] { ratt_kernel<double><<<60000 / 64 + 1, 64>>>(positive64, (double*)o, (double*)o + M, positive64 + 65536, positive64 + 500000, 60000, 1000.); });
  float bins[NUM_BINS + 1];
  for (int k = 0; k <= NUM_BINS; ++k) bins[k] = std::cos(std::pow(10.f, (k - 16) * 0.2f));
  to_constant(dev_binb, bins, sizeof bins);
  run("gen_hists", [&] { gen_hists<<<dim3(8, 24), 256>>>((uint*)o, f, f + M, f + 2 * M, 2048); });
  std::vector<kValues> samples(768);
  for (uint32_t k = 0; k < 768; ++k) samples[k] = kValues{fraction(k) - 0.5f, fraction(k + 1) - 0.5f, fraction(k + 2) - 0.5f, fraction(k + 3), fraction(k + 4)};
  to_constant(ck, samples.data(), 768 * sizeof(kValues));
  run("ComputeRhoPhi_FH", [&] { ComputeRhoPhi_FH<<<256, 256>>>(3072, 0, f, f + M, f + 2 * M, o, o + M); });
  int3 offsets[27];
  for (int k = 0; k < 27; ++k) offsets[k] = make_int3(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
  to_constant(NbrList, offsets, sizeof offsets);
  std::vector<float4> binned(14 * 14 * 14 * 8);
  for (uint32_t i = 0; i < binned.size(); ++i) {
    const int b = int(i / 8), x = b % 14 - 1, y = b / 14 % 14 - 1, z = b / 196 - 1;
    binned[i] = make_float4(4 * (x + fraction(3 * i)), 4 * (y + fraction(3 * i + 1)), 4 * (z + fraction(3 * i + 2)), i % 8 < 3 + hashed(b) % 6 ? fraction(i) - 0.5f : 0.f);
  }
  const float4* binned_d = on_device(binned);
  run("cutoff_potential_bins", [&] { cutoff_potential_bins<<<dim3(12, 12, 12), dim3(8, 8, 2)>>>(14, 14, binned_d, 0.5f, 16.f, 1.f / 16, o); });
  run("mb_sad_calc", [&] { mb_sad_calc<<<dim3(40, 30, 4), 128>>>((unsigned short*)o, pixels, pixels + M, 640, 480, 8); });
  float sines[2][NPOINTS];
  std::vector<int> circles[2] = {std::vector<int>(NCIRCLES * NPOINTS), std::vector<int>(NCIRCLES * NPOINTS)};
  for (int n = 0; n < NPOINTS; ++n) {
    sines[0][n] = std::sin(n * 6.2831853f / NPOINTS), sines[1][n] = std::cos(n * 6.2831853f / NPOINTS);
    for (int k = 0; k < NCIRCLES; ++k) circles[0][k * NPOINTS + n] = int((8 + 2 * k) * sines[1][n]), circles[1][k * NPOINTS + n] = int((8 + 2 * k) * sines[0][n]);
  }
  to_constant(c_sin_angle, sines[0], sizeof sines[0]), to_constant(c_cos_angle, sines[1], sizeof sines[1]);
  to_constant(c_tX, circles[0].data(), sizeof(int) * NCIRCLES * NPOINTS), to_constant(c_tY, circles[1].data(), sizeof(int) * NCIRCLES * NPOINTS);
  run("GICOV_kernel", [&] { GICOV_kernel<<<596, 180>>>(f, f + M, 224, 640, 22, o); });
  return 0;
}
