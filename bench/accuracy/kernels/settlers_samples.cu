// Samples, lessons and homework: vectors, sums, scans, pictures, sorts, sparse rows, atomics.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <climits>
#include <cmath>

#include "cases.h"

namespace cg = cooperative_groups;

// ---- vectors and sums ----

#define COARSE 8
// Adds vectors of doubles, every thread takes eight values a block's width apart
__global__ void vecadd_coarse8(const double* A, const double* B, double* C, int N) {
  int base = blockIdx.x * blockDim.x * COARSE + threadIdx.x;
  for (int c = 0; c < COARSE; c++) {
    int i = base + c * blockDim.x;
    if (i < N) C[i] = A[i] + B[i];
  }
}

// Sums a block after adding two values on load, sequential addresses in shared memory
__global__ void reduce3_first_add(const int* g_idata, int* g_odata, unsigned int n) {
  extern __shared__ int sdata3[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
  int mySum = (i < n) ? g_idata[i] : 0;
  if (i + blockDim.x < n) mySum += g_idata[i + blockDim.x];
  sdata3[tid] = mySum;
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sdata3[tid] = mySum = mySum + sdata3[tid + s];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = mySum;
}

// Dot product over a grid of 32 blocks, the rest is left to the host
const int threadsPerBlock = 256;
__global__ void dot_book_gridstride(const float* a, const float* b, float* c, int N) {
  __shared__ float cache[threadsPerBlock];
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  int cacheIndex = threadIdx.x;
  float temp = 0;
  while (tid < N) {
    temp += a[tid] * b[tid];
    tid += blockDim.x * gridDim.x;
  }
  cache[cacheIndex] = temp;
  __syncthreads();
  int i = blockDim.x / 2;
  while (i != 0) {
    if (cacheIndex < i) cache[cacheIndex] += cache[cacheIndex + i];
    __syncthreads();
    i /= 2;
  }
  if (cacheIndex == 0) c[blockIdx.x] = cache[0];
}

// Counts odd and even values and their sums by partitions of a tile of 32
__global__ void odd_even_count_sum_cg(const int* inputArr, int* numOfOdds, int* sumOfOddAndEvens, unsigned int size) {
  cg::thread_block cta = cg::this_thread_block();
  cg::grid_group grid = cg::this_grid();
  cg::thread_block_tile<32> tile32 = cg::tiled_partition<32>(cta);
  for (int i = grid.thread_rank(); i < size; i += grid.size()) {
    int elem = inputArr[i];
    auto subTile = cg::binary_partition(tile32, elem & 1);
    int sum = elem;
    for (int o = 1; o < subTile.size(); o *= 2) {
      int other = subTile.shfl(sum, (subTile.thread_rank() + o) % subTile.size());
      if (subTile.thread_rank() % (2 * o) == 0 && subTile.thread_rank() + o < subTile.size()) sum += other;
    }
    if (subTile.thread_rank() == 0) {
      if (elem & 1) {
        atomicAdd(numOfOdds, (int)subTile.size());
        atomicAdd(&sumOfOddAndEvens[0], sum);
      } else {
        atomicAdd(&sumOfOddAndEvens[1], sum);
      }
    }
    tile32.sync();
  }
}

// ---- scans ----

#define SECTION_SIZE 1024
// Inclusive scan of sections, two buffers take turns
__global__ void kogge_stone_double_buffer(const float* X, float* Y, float* sums, unsigned int N) {
  __shared__ float buffer1_s[SECTION_SIZE];
  __shared__ float buffer2_s[SECTION_SIZE];
  float* in = buffer1_s;
  float* out = buffer2_s;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  in[threadIdx.x] = i < N ? X[i] : 0.0f;
  __syncthreads();
  for (unsigned int stride = 1; stride <= blockDim.x / 2; stride *= 2) {
    if (threadIdx.x >= stride)
      out[threadIdx.x] = in[threadIdx.x] + in[threadIdx.x - stride];
    else
      out[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float* tmp = in;
    in = out;
    out = tmp;
  }
  if (i < N) Y[i] = in[threadIdx.x];
  if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = in[threadIdx.x];
}

#define SUBSECTION 8
#define BK_BLOCK 256
// Inclusive scan: sequential parts of eight values in shared memory, a balanced tree over their ends
__global__ void brent_kung_coarsened(const int* X, int* Y, int* sums, int N) {
  __shared__ int XY[BK_BLOCK * SUBSECTION];
  __shared__ int ends[BK_BLOCK];
  const int start = blockIdx.x * BK_BLOCK * SUBSECTION, t = threadIdx.x;
  for (int j = 0; j < SUBSECTION; ++j) {
    const int i = start + j * BK_BLOCK + t;
    XY[j * BK_BLOCK + t] = i < N ? X[i] : 0;
  }
  __syncthreads();
  for (int j = 1; j < SUBSECTION; ++j) XY[t * SUBSECTION + j] += XY[t * SUBSECTION + j - 1];
  ends[t] = XY[t * SUBSECTION + SUBSECTION - 1];
  for (int stride = 1; stride < BK_BLOCK; stride *= 2) {
    __syncthreads();
    int index = (t + 1) * 2 * stride - 1;
    if (index < BK_BLOCK) ends[index] += ends[index - stride];
  }
  for (int stride = BK_BLOCK / 4; stride > 0; stride /= 2) {
    __syncthreads();
    int index = (t + 1) * stride * 2 - 1;
    if (index + stride < BK_BLOCK) ends[index + stride] += ends[index];
  }
  __syncthreads();
  if (t > 0)
    for (int j = 0; j < SUBSECTION; ++j) XY[t * SUBSECTION + j] += ends[t - 1];
  __syncthreads();
  for (int j = 0; j < SUBSECTION; ++j) {
    const int i = start + j * BK_BLOCK + t;
    if (i < N) Y[i] = XY[j * BK_BLOCK + t];
  }
  if (t == 0) sums[blockIdx.x] = ends[BK_BLOCK - 1];
}

// ---- histograms, atomics, primes ----

#define NUM_BINS 7
// Letters of a text by fours, privatized, runs of the same bin gathered before the atomic
__global__ void histo_text_aggregated(const char* data, unsigned int length, unsigned int* histo) {
  __shared__ unsigned int histo_s[NUM_BINS];
  for (unsigned int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x) histo_s[bin] = 0u;
  __syncthreads();
  unsigned int accumulator = 0;
  int prevBinIdx = -1;
  unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned int i = tid; i < length; i += blockDim.x * gridDim.x) {
    int alphabet_position = data[i] - 'a';
    if (alphabet_position >= 0 && alphabet_position < 26) {
      int bin = alphabet_position / 4;
      if (bin == prevBinIdx) {
        ++accumulator;
      } else {
        if (accumulator > 0) atomicAdd(&(histo_s[prevBinIdx]), accumulator);
        accumulator = 1;
        prevBinIdx = bin;
      }
    }
  }
  if (accumulator > 0) atomicAdd(&(histo_s[prevBinIdx]), accumulator);
  __syncthreads();
  for (unsigned int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x) {
    unsigned int binValue = histo_s[bin];
    if (binValue > 0) atomicAdd(&(histo[bin]), binValue);
  }
}

// All atomic instructions on eleven shared words of global memory
__global__ void atomic_intrinsics_all(int* g_odata) {
  const unsigned int tid = blockDim.x * blockIdx.x + threadIdx.x;
  atomicAdd(&g_odata[0], 10);
  atomicSub(&g_odata[1], 10);
  atomicExch(&g_odata[2], tid);
  atomicMax(&g_odata[3], tid);
  atomicMin(&g_odata[4], tid);
  atomicInc((unsigned int*)&g_odata[5], 17);
  atomicDec((unsigned int*)&g_odata[6], 137);
  atomicCAS(&g_odata[7], tid - 1, tid);
  atomicAnd(&g_odata[8], 2 * tid + 7);
  atomicOr(&g_odata[9], 1 << (tid % 31));
  atomicXor(&g_odata[10], tid);
}

// Counts primes among odd numbers by trial division
__global__ void count_primes_trial(unsigned int limit, unsigned int* count, unsigned char* flags) {
  unsigned int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int n = 2 * id + 3;
  if (n > limit) return;
  bool isPrime = true;
  for (unsigned int d = 3; d * d <= n; d += 2) {
    if (n % d == 0) {
      isPrime = false;
      break;
    }
  }
  flags[id] = isPrime;
  if (isPrime) atomicAdd(count, 1);
}

// ---- sorts and merges ----

// Sorts the part of a block with odd-even transpositions, one comparison a thread a phase
__global__ void odd_even_sort_block(const int* in, int* out, int n) {
  extern __shared__ int brick[];
  const int tid = threadIdx.x, base = blockIdx.x * n;
  for (int i = tid; i < n; i += blockDim.x) brick[i] = in[base + i];
  __syncthreads();
  for (int phase = 0; phase < n; ++phase) {
    const int i = 2 * tid + (phase & 1);
    if (i + 1 < n) {
      if (brick[i] > brick[i + 1]) {
        int t = brick[i];
        brick[i] = brick[i + 1];
        brick[i + 1] = t;
      }
    }
    __syncthreads();
  }
  for (int i = tid; i < n; i += blockDim.x) out[base + i] = brick[i];
}

__device__ int co_rank(int k, const int* A, int m, const int* B, int n) {
  int i = k < m ? k : m;
  int j = k - i;
  int i_low = 0 > (k - n) ? 0 : k - n;
  int j_low = 0 > (k - m) ? 0 : k - m;
  int delta;
  while (true) {
    if (i > 0 && j < n && A[i - 1] > B[j]) {
      delta = ((i - i_low + 1) >> 1);
      j_low = j;
      j = j + delta;
      i = i - delta;
    } else if (j > 0 && i < m && B[j - 1] >= A[i]) {
      delta = ((j - j_low + 1) >> 1);
      i_low = i;
      i = i + delta;
      j = j - delta;
    } else {
      break;
    }
  }
  return i;
}

// Merges two sorted arrays, each thread finds the ends of its part by co-ranks and merges it alone
__global__ void merge_corank_basic(const int* A, int m, const int* B, int n, int* C, int elementsPerThread) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  int k_curr = min(tid * elementsPerThread, m + n), k_next = min(k_curr + elementsPerThread, m + n);
  if (k_curr == k_next) return;
  int i = co_rank(k_curr, A, m, B, n), i_next = co_rank(k_next, A, m, B, n);
  int j = k_curr - i, j_next = k_next - i_next, k = k_curr;
  while (i < i_next && j < j_next) {
    if (A[i] <= B[j])
      C[k++] = A[i++];
    else
      C[k++] = B[j++];
  }
  while (i < i_next) C[k++] = A[i++];
  while (j < j_next) C[k++] = B[j++];
}

// ---- matrices ----

#define TILE_DIM 32
// Transposes a square matrix in place, a block swaps a tile and its mirror
__global__ void transpose_inplace_tiles(float* data, int n) {
  __shared__ float s_src[TILE_DIM][TILE_DIM + 1];
  __shared__ float s_dst[TILE_DIM][TILE_DIM + 1];
  if (blockIdx.y > blockIdx.x) return;
  const int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  const int dx = blockIdx.y * TILE_DIM + threadIdx.x, dy = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += blockDim.y)
    if (x < n && y + j < n) s_src[threadIdx.y + j][threadIdx.x] = data[(y + j) * n + x];
  if (blockIdx.y < blockIdx.x)
    for (int j = 0; j < TILE_DIM; j += blockDim.y)
      if (dx < n && dy + j < n) s_dst[threadIdx.y + j][threadIdx.x] = data[(dy + j) * n + dx];
  __syncthreads();
  for (int j = 0; j < TILE_DIM; j += blockDim.y)
    if (dx < n && dy + j < n) data[(dy + j) * n + dx] = s_src[threadIdx.x][threadIdx.y + j];
  if (blockIdx.y < blockIdx.x)
    for (int j = 0; j < TILE_DIM; j += blockDim.y)
      if (x < n && y + j < n) data[(y + j) * n + x] = s_dst[threadIdx.x][threadIdx.y + j];
}

// Product of matrices with tiles copied asynchronously four stages ahead
template <int BLOCK_SIZE, int STAGES>
__global__ void matmul_async_copy_stages(float* __restrict__ C, const float* __restrict__ A, const float* __restrict__ B, int wA, int wB) {
  __shared__ __align__(16) float As[STAGES][BLOCK_SIZE][BLOCK_SIZE];
  __shared__ __align__(16) float Bs[STAGES][BLOCK_SIZE][BLOCK_SIZE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int aBegin = wA * BLOCK_SIZE * blockIdx.y, bBegin = BLOCK_SIZE * blockIdx.x, tiles = wA / BLOCK_SIZE;
  auto copy = [&](int tile) {
    if (tile < tiles && tx < BLOCK_SIZE / 4) {
      __pipeline_memcpy_async(&As[tile % STAGES][ty][4 * tx], &A[aBegin + tile * BLOCK_SIZE + wA * ty + 4 * tx], 16);
      __pipeline_memcpy_async(&Bs[tile % STAGES][ty][4 * tx], &B[bBegin + tile * BLOCK_SIZE * wB + wB * ty + 4 * tx], 16);
    }
    __pipeline_commit();
  };
  for (int s = 0; s < STAGES - 1; ++s) copy(s);
  float Csub = 0;
  for (int t = 0; t < tiles; ++t) {
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    copy(t + STAGES - 1);
    const int stage = t % STAGES;
#pragma unroll
    for (int k = 0; k < BLOCK_SIZE; ++k) Csub += As[stage][ty][k] * Bs[stage][k][tx];
  }
  C[wB * (BLOCK_SIZE * blockIdx.y + ty) + bBegin + tx] = Csub;
}

// Product of double matrices on tensor cores, a tile of 8 x 8 a warp, straight from global memory
__global__ void simple_dmma_gemm(const double* a, const double* b, double* c, double* d, int m_ld, int n_ld, int k_ld, double alpha, double beta) {
  using namespace nvcuda;
  int warpM = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  int warpN = (blockIdx.y * blockDim.y + threadIdx.y);
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> a_frag;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> b_frag;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> acc_frag, c_frag;
  wmma::fill_fragment(acc_frag, 0.0);
  if (warpM * 8 >= m_ld || warpN * 8 >= n_ld) return;
  for (int i = 0; i < k_ld; i += 4) {
    wmma::load_matrix_sync(a_frag, a + i + warpM * 8 * k_ld, k_ld);
    wmma::load_matrix_sync(b_frag, b + i + warpN * 8 * k_ld, k_ld);
    wmma::mma_sync(acc_frag, a_frag, b_frag, acc_frag);
  }
  const int at = warpN * 8 + warpM * 8 * n_ld;
  wmma::load_matrix_sync(c_frag, c + at, n_ld, wmma::mem_row_major);
  for (int i = 0; i < c_frag.num_elements; i++) c_frag.x[i] = alpha * acc_frag.x[i] + beta * c_frag.x[i];
  wmma::store_matrix_sync(d + at, c_frag, n_ld, wmma::mem_row_major);
}

// One Jacobi sweep over rows in CSR, a row a thread
__global__ void jacobi_csr_sweep(const int* rowPtr, const int* colIdx, const double* vals, const double* diag, const double* b, const double* x, double* x_new, double* residual, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    double sum = b[row];
    for (int j = rowPtr[row]; j < rowPtr[row + 1]; j++) {
      int col = colIdx[j];
      if (col != row) sum -= vals[j] * x[col];
    }
    double next = sum / diag[row];
    residual[row] = fabs(next - x[row]);
    x_new[row] = next;
  }
}

// One level of a breadth-first search, an edge a thread
__global__ void bfs_edge_centric(const unsigned int* src, const unsigned int* dst, unsigned int numEdges, unsigned int* level, unsigned int* newVertexVisited, unsigned int currLevel) {
  unsigned int edge = blockIdx.x * blockDim.x + threadIdx.x;
  if (edge < numEdges) {
    unsigned int vertex = src[edge];
    if (level[vertex] == currLevel - 1) {
      unsigned int neighbor = dst[edge];
      if (level[neighbor] >= currLevel) {
        level[neighbor] = currLevel;
        *newVertexVisited = 1;
      }
    }
  }
}

// ---- stencils, bodies, options ----

#define RADIUS 7
#define BLOCK_1D 256
// Sums of fifteen neighbours through shared memory with a halo
__global__ void stencil_1d_radius7(const int* in, int* out, int n) {
  __shared__ int temp[BLOCK_1D + 2 * RADIUS];
  int gindex = threadIdx.x + blockIdx.x * blockDim.x;
  int lindex = threadIdx.x + RADIUS;
  temp[lindex] = gindex < n ? in[gindex] : 0;
  if (threadIdx.x < RADIUS) {
    temp[lindex - RADIUS] = gindex >= RADIUS ? in[gindex - RADIUS] : 0;
    temp[lindex + BLOCK_1D] = gindex + BLOCK_1D < n ? in[gindex + BLOCK_1D] : 0;
  }
  __syncthreads();
  int result = 0;
  for (int offset = -RADIUS; offset <= RADIUS; offset++) result += temp[lindex + offset];
  if (gindex < n) out[gindex] = result;
}

// All 27 neighbours of a cell of doubles, nothing cached by hand
__global__ void stencil27_naive_double(const double* in, double* out, int nx, int ny, int nz, double c0, double c1, double c2, double c3) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i < 1 || j < 1 || k < 1 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1) return;
  double faces = 0, edges = 0, corners = 0, center = 0;
  for (int dz = -1; dz <= 1; dz++)
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        double v = in[((k + dz) * ny + (j + dy)) * nx + (i + dx)];
        int far = abs(dx) + abs(dy) + abs(dz);
        if (far == 0) center = v;
        if (far == 1) faces += v;
        if (far == 2) edges += v;
        if (far == 3) corners += v;
      }
  out[(k * ny + j) * nx + i] = c0 * center + c1 * faces + c2 * edges + c3 * corners;
}

struct Body {
  float x, y, z, vx, vy, vz;
};
// Forces of all bodies on one, structures read as they are
__global__ void body_force_naive(const Body* p, Body* out, float dt, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) {
    float Fx = 0.0f, Fy = 0.0f, Fz = 0.0f;
    for (int j = 0; j < n; j++) {
      float dx = p[j].x - p[i].x;
      float dy = p[j].y - p[i].y;
      float dz = p[j].z - p[i].z;
      float distSqr = dx * dx + dy * dy + dz * dz + 1e-9f;
      float invDist = rsqrtf(distSqr);
      float invDist3 = invDist * invDist * invDist;
      Fx += dx * invDist3;
      Fy += dy * invDist3;
      Fz += dz * invDist3;
    }
    out[i].vx = p[i].vx + dt * Fx;
    out[i].vy = p[i].vy + dt * Fy;
    out[i].vz = p[i].vz + dt * Fz;
  }
}

// European calls by antithetic paths, a generator of 64 bits a thread, sums of a block by atomics
__global__ void mc_european_xorshift(float S0, float K, float r, float sigma, float T, int pathsPerThread, unsigned long long seed, double* sums) {
  __shared__ float block_sum, block_sq;
  if (threadIdx.x == 0) block_sum = block_sq = 0.0f;
  __syncthreads();
  unsigned long long state = seed + (blockIdx.x * blockDim.x + threadIdx.x) * 0x9E3779B97F4A7C15ull;
  const float drift = (r - 0.5f * sigma * sigma) * T, vol = sigma * sqrtf(T);
  float sum = 0.0f, sq = 0.0f;
  for (int p = 0; p < pathsPerThread; ++p) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    const unsigned long long bits = state * 2685821657736338717ull;
    const float u1 = ((unsigned)(bits >> 32) + 1.0f) * 2.3283064e-10f, u2 = (unsigned)bits * 2.3283064e-10f;
    const float z = sqrtf(-2.0f * logf(fminf(u1, 1.0f))) * cosf(6.2831853f * u2);
    const float up = fmaxf(S0 * expf(drift + vol * z) - K, 0.0f), down = fmaxf(S0 * expf(drift - vol * z) - K, 0.0f);
    const float payoff = 0.5f * (up + down);
    sum += payoff;
    sq += payoff * payoff;
  }
  atomicAdd(&block_sum, sum);
  atomicAdd(&block_sq, sq);
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&sums[0], (double)block_sum);
    atomicAdd(&sums[1], (double)block_sq);
  }
}

// ---- transforms ----

// Every frequency by its definition in double
__global__ void dft_naive_double(const double2* x, double2* X, int N) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= N) return;
  double re = 0, im = 0;
  for (int n = 0; n < N; n++) {
    double angle = -2.0 * M_PI * ((long long)k * n % N) / N;
    double s, c;
    sincos(angle, &s, &c);
    re += x[n].x * c - x[n].y * s;
    im += x[n].x * s + x[n].y * c;
  }
  X[k] = make_double2(re, im);
}

// Walsh transform of a row in shared memory, four values a thread a stage
__global__ void fwtBatch1_shared(float* d_Output, const float* d_Input, int log2N) {
  cg::thread_block cta = cg::this_thread_block();
  const int N = 1 << log2N;
  const int base = blockIdx.x << log2N;
  extern __shared__ float s_data[];
  for (int pos = threadIdx.x; pos < N; pos += blockDim.x) s_data[pos] = d_Input[base + pos];
  const int pos = threadIdx.x;
  for (int stride = N >> 2; stride > 0; stride >>= 2) {
    int lo = pos & (stride - 1);
    int i0 = ((pos - lo) << 2) + lo;
    int i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
    cg::sync(cta);
    float D0 = s_data[i0], D1 = s_data[i1], D2 = s_data[i2], D3 = s_data[i3];
    float T = D0;
    D0 = D0 + D2;
    D2 = T - D2;
    T = D1;
    D1 = D1 + D3;
    D3 = T - D3;
    T = D0;
    s_data[i0] = D0 + D1;
    s_data[i1] = T - D1;
    T = D2;
    s_data[i2] = D2 + D3;
    s_data[i3] = T - D3;
  }
  if (log2N & 1) {
    cg::sync(cta);
    for (int p = threadIdx.x; p < N / 2; p += blockDim.x) {
      int i0 = p << 1, i1 = i0 + 1;
      float D0 = s_data[i0], D1 = s_data[i1];
      s_data[i0] = D0 + D1;
      s_data[i1] = D0 - D1;
    }
  }
  cg::sync(cta);
  for (int p = threadIdx.x; p < N; p += blockDim.x) d_Output[base + p] = s_data[p];
}

__constant__ float DCTv8matrix[64];
// Inverse cosine transform of blocks of 8 x 8 as two products of matrices, a block of 64 threads each
__global__ void idct8x8_naive(const short* src, unsigned char* dst, int width, const unsigned char* quant) {
  __shared__ float cur[64], mid[64];
  const int tx = threadIdx.x, ty = threadIdx.y, at = (ty << 3) + tx;
  const int offset = (blockIdx.y * 8 + ty) * width + blockIdx.x * 8 + tx;
  cur[at] = (float)src[offset] * quant[at];
  __syncthreads();
  float acc = 0;
  for (int i = 0; i < 8; i++) acc += DCTv8matrix[i * 8 + ty] * cur[i * 8 + tx];
  mid[at] = acc;
  __syncthreads();
  acc = 0;
  for (int i = 0; i < 8; i++) acc += mid[(ty << 3) + i] * DCTv8matrix[i * 8 + tx];
  acc += 128.0f;
  dst[offset] = (unsigned char)(acc < 0.0f ? 0.0f : acc > 255.0f ? 255.0f : acc);
}

// ---- pictures ----

#define FILTER_RADIUS 2
#define CONV_TILE 32
__constant__ float F_c[2 * FILTER_RADIUS + 1][2 * FILTER_RADIUS + 1];
// Convolution with tiles without halos in shared memory, neighbours outside of the tile from the caches
__global__ void conv2d_cached_halo(const float* N, float* P, int width, int height) {
  int col = blockIdx.x * CONV_TILE + threadIdx.x;
  int row = blockIdx.y * CONV_TILE + threadIdx.y;
  __shared__ float N_s[CONV_TILE][CONV_TILE];
  if (row < height && col < width)
    N_s[threadIdx.y][threadIdx.x] = N[row * width + col];
  else
    N_s[threadIdx.y][threadIdx.x] = 0.0f;
  __syncthreads();
  if (col < width && row < height) {
    float Pvalue = 0.0f;
    for (int fRow = 0; fRow < 2 * FILTER_RADIUS + 1; fRow++) {
      for (int fCol = 0; fCol < 2 * FILTER_RADIUS + 1; fCol++) {
        int sx = (int)threadIdx.x - FILTER_RADIUS + fCol, sy = (int)threadIdx.y - FILTER_RADIUS + fRow;
        if (sx >= 0 && sx < CONV_TILE && sy >= 0 && sy < CONV_TILE) {
          Pvalue += F_c[fRow][fCol] * N_s[sy][sx];
        } else if (row - FILTER_RADIUS + fRow >= 0 && row - FILTER_RADIUS + fRow < height && col - FILTER_RADIUS + fCol >= 0 && col - FILTER_RADIUS + fCol < width) {
          Pvalue += F_c[fRow][fCol] * N[(row - FILTER_RADIUS + fRow) * width + col - FILTER_RADIUS + fCol];
        }
      }
    }
    P[row * width + col] = Pvalue;
  }
}

// Blurs one channel of a picture, coordinates clamped at the borders
__global__ void gaussian_blur_clamp_channel(const unsigned char* const inputChannel, unsigned char* const outputChannel, int numRows, int numCols, const float* const filter, const int filterWidth) {
  const int2 p = make_int2(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y);
  if (p.x >= numCols || p.y >= numRows) return;
  float result = 0.f;
  for (int r = -filterWidth / 2; r <= filterWidth / 2; ++r) {
    for (int c = -filterWidth / 2; c <= filterWidth / 2; ++c) {
      int image_r = min(max(p.y + r, 0), numRows - 1);
      int image_c = min(max(p.x + c, 0), numCols - 1);
      float image_value = static_cast<float>(inputChannel[image_r * numCols + image_c]);
      float filter_value = filter[(r + filterWidth / 2) * filterWidth + c + filterWidth / 2];
      result += image_value * filter_value;
    }
  }
  outputChannel[p.y * numCols + p.x] = result;
}

// Maps logarithmic luminance through a cumulative distribution and goes back to red, green and blue
__global__ void hdr_tonemap_cdf(const float* d_x, const float* d_y, const float* d_log_Y, const float* d_cdf_norm, float* d_r_new, float* d_g_new, float* d_b_new, float min_log_Y, float max_log_Y,
    float log_Y_range, int num_bins, int num_pixels_y,
                                int num_pixels_x) {
  int nx = num_pixels_x, ny = num_pixels_y;
  int2 image_index_2d = make_int2((blockIdx.x * blockDim.x) + threadIdx.x, (blockIdx.y * blockDim.y) + threadIdx.y);
  int image_index_1d = (nx * image_index_2d.y) + image_index_2d.x;
  if (image_index_2d.x < nx && image_index_2d.y < ny) {
    float x = d_x[image_index_1d];
    float y = d_y[image_index_1d];
    float log_Y = d_log_Y[image_index_1d];
    int bin_index = min(num_bins - 1, int((num_bins * (log_Y - min_log_Y)) / log_Y_range));
    float Y_new = d_cdf_norm[bin_index];
    float X_new = x * (Y_new / y);
    float Z_new = (1 - x - y) * (Y_new / y);
    d_r_new[image_index_1d] = (X_new * 3.2406f) + (Y_new * -1.5372f) + (Z_new * -0.4986f);
    d_g_new[image_index_1d] = (X_new * -0.9689f) + (Y_new * 1.8758f) + (Z_new * 0.0415f);
    d_b_new[image_index_1d] = (X_new * 0.0557f) + (Y_new * -0.2040f) + (Z_new * 1.0570f);
  }
}

// Matches a template with a channel of a picture around every pixel
__global__ void normalized_cross_correlation(float* d_response, const unsigned char* d_original, const unsigned char* d_template, int num_pixels_y, int num_pixels_x, int template_half_height,
    int template_height, int template_half_width,
                                             int template_width, int template_size, float template_mean) {
  int ny = num_pixels_y, nx = num_pixels_x, knx = template_width;
  int2 p = make_int2((blockIdx.x * blockDim.x) + threadIdx.x, (blockIdx.y * blockDim.y) + threadIdx.y);
  if (p.x >= nx || p.y >= ny) return;
  float image_sum = 0.0f;
  for (int y = -template_half_height; y <= template_half_height; y++)
    for (int x = -template_half_width; x <= template_half_width; x++) {
      int2 q = make_int2(min(nx - 1, max(0, x + p.x)), min(ny - 1, max(0, y + p.y)));
      image_sum += (float)d_original[(nx * q.y) + q.x];
    }
  float image_mean = image_sum / (float)template_size;
  float sum_of_products = 0.0f, sum_image_squares = 0.0f, sum_template_squares = 0.0f;
  for (int y = -template_half_height; y <= template_half_height; y++)
    for (int x = -template_half_width; x <= template_half_width; x++) {
      int2 q = make_int2(min(nx - 1, max(0, x + p.x)), min(ny - 1, max(0, y + p.y)));
      float image_diff = (float)d_original[(nx * q.y) + q.x] - image_mean;
      float template_diff = (float)d_template[(knx * (y + template_half_height)) + x + template_half_width] - template_mean;
      sum_of_products += template_diff * image_diff;
      sum_template_squares += template_diff * template_diff;
      sum_image_squares += image_diff * image_diff;
    }
  float result = 0.0f;
  if (sum_image_squares > 0.0f && sum_template_squares > 0.0f) result = sum_of_products / sqrtf(sum_image_squares * sum_template_squares);
  d_response[(nx * p.y) + p.x] = result;
}

#define OIL_LEVELS 20
// Oil painting: the mean colour of the commonest intensity around a pixel, counts in local arrays
__global__ void oil_paint_intensity(const uchar4* in, uchar4* out, int width, int height, int radius) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int count[OIL_LEVELS + 1] = {0}, sumR[OIL_LEVELS + 1] = {0}, sumG[OIL_LEVELS + 1] = {0}, sumB[OIL_LEVELS + 1] = {0};
  for (int j = max(y - radius, 0); j <= min(y + radius, height - 1); j++) {
    for (int i = max(x - radius, 0); i <= min(x + radius, width - 1); i++) {
      uchar4 c = in[j * width + i];
      int level = ((c.x + c.y + c.z) / 3 * OIL_LEVELS) / 255;
      count[level]++;
      sumR[level] += c.x;
      sumG[level] += c.y;
      sumB[level] += c.z;
    }
  }
  int best = 0;
  for (int l = 1; l <= OIL_LEVELS; l++)
    if (count[l] > count[best]) best = l;
  out[y * width + x] = make_uchar4(sumR[best] / count[best], sumG[best] / count[best], sumB[best] / count[best], 255);
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* f = on_device<float>(8 * M, fraction);
  float* o = zeros<float>(16 * M);
  const double* d = on_device<double>(4 * M, [](uint32_t i) { return double(fraction(i)) - 0.5; });
  double* od = zeros<double>(4 * M);
  const int* ints = on_device<int>(4 * M, [](uint32_t i) { return int(hashed(i) % 1000); });
  int* oi = zeros<int>(4 * M);

  // vectors and sums
  constexpr int odd = 2000003;
  run("vecadd_coarse8", [&] { vecadd_coarse8<<<(odd + 256 * COARSE - 1) / (256 * COARSE), 256>>>(d, d + 2 * M - 50000, od, odd); });
  run("reduce3_first_add", [&] { reduce3_first_add<<<4 * M / 512, 256, 256 * sizeof(int)>>>(ints, oi, 4 * M); });
  run("dot_book_gridstride_33792", [&] { dot_book_gridstride<<<32, threadsPerBlock>>>(f, f + 4 * M, o, 33 * 1024); });
  run("dot_book_gridstride_4000000", [&] { dot_book_gridstride<<<32, threadsPerBlock>>>(f, f + 4 * M, o, 4000000); });
  int* counted = zeros<int>(16);
  run("odd_even_count_sum_cg", [&] { odd_even_count_sum_cg<<<132, 256>>>(ints, counted, counted + 1, 132 * 256 * 3); });

  // scans
  run("kogge_stone_double_buffer", [&] { kogge_stone_double_buffer<<<1000, SECTION_SIZE>>>(f, o, o + 8 * M, 1000 * 1024 - 77); });
  run("brent_kung_coarsened", [&] { brent_kung_coarsened<<<(3000000 + BK_BLOCK * SUBSECTION - 1) / (BK_BLOCK * SUBSECTION), BK_BLOCK>>>(ints, (int*)o, oi, 3000000); });

  // histograms, atomics, primes
  std::vector<char> text(6 * M);
  const char* common = "the quick etaoin shrdlu and of to in a is that e t a o n ";
  for (int i = 0; i < 6 * M; ++i) text[i] = common[hashed(i) % 57];
  const char* text_d = on_device(text);
  unsigned int* letters = zeros<unsigned int>(NUM_BINS);
  run("histo_text_aggregated", [&] { histo_text_aggregated<<<528, 256>>>(text_d, 6 * M, letters); });
  int* words = zeros<int>(11);
  run("atomic_intrinsics_all", [&] { atomic_intrinsics_all<<<64, 256>>>(words); });
  run("count_primes_trial", [&] { count_primes_trial<<<256, 256>>>(131072, (unsigned int*)counted + 8, (unsigned char*)o); });

  // sorts and merges
  run("odd_even_sort_block", [&] { odd_even_sort_block<<<32, 512, 1024 * sizeof(int)>>>(ints, oi, 1024); });
  std::vector<int> left(M + 1000), right(M / 2);
  for (size_t i = 0; i < left.size(); ++i) left[i] = int(i) * 3 + int(hashed(i) % 3);
  for (size_t i = 0; i < right.size(); ++i) right[i] = int(i) * (i < right.size() / 2 ? 2 : 9) + int(hashed(i + 5) % 2);
  const int *left_d = on_device(left), *right_d = on_device(right);
  run("merge_corank_basic", [&] { merge_corank_basic<<<(int(left.size() + right.size()) / 16 + 256) / 256, 256>>>(left_d, int(left.size()), right_d, int(right.size()), oi, 16); });

  // matrices
  float* square = on_device<float>(2000 * 2000, fraction);
  run("transpose_inplace_tiles", [&] { transpose_inplace_tiles<<<dim3(63, 63), dim3(32, 8)>>>(square, 2000); });
  run("matmul_async_copy_stages", [&] { matmul_async_copy_stages<16, 4><<<dim3(32, 30), dim3(16, 16)>>>(o, f, f + M, 320, 512); });
  run("simple_dmma_gemm", [&] { simple_dmma_gemm<<<dim3(16, 16), dim3(128, 4)>>>(d, d + M, od, od + M, 512, 512, 256, 1.1, 1.2); });
  constexpr int rows = 120000;
  std::vector<int> row_ptr(1, 0), col_idx;
  for (int r = 0; r < rows; ++r) {
    const uint32_t count = 4 + hashed(r) % 6 + (hashed(r) % 701 == 0 ? 150 : 0);
    col_idx.push_back(r);
    for (uint32_t k = 0; k < count; ++k) col_idx.push_back(k % 3 ? std::min(rows - 1, std::max(0, r + int(hashed(r * 17 + k) % 400) - 200)) : int(hashed(r * 17 + k) % rows));
    row_ptr.push_back(int(col_idx.size()));
  }
  const int *row_ptr_d = on_device(row_ptr), *col_idx_d = on_device(col_idx);
  const double* diagonal = on_device<double>(rows, [](uint32_t i) { return 8.0 + fraction(i); });
  run("jacobi_csr_sweep", [&] { jacobi_csr_sweep<<<(rows + 255) / 256, 256>>>(row_ptr_d, col_idx_d, d, diagonal, d + M, d + 3 * M, od, od + M, rows); });
  constexpr int vertices = 100000, edges = 1600000;
  std::vector<unsigned int> edge_src(edges), edge_dst(edges), levels(vertices, UINT_MAX);
  for (int e = 0; e < edges; ++e) {
    const float skew = fraction(e * 2 + 1);
    edge_src[e] = unsigned(int64_t(e) * vertices / edges);
    edge_dst[e] = e % 4 ? hashed(e) % vertices : unsigned(skew * skew * skew * skew * (vertices - 1));
  }
  levels[17] = 0;
  for (unsigned int level = 1; level <= 3; ++level)
    for (int e = 0; e < edges; ++e)
      if (levels[edge_src[e]] == level - 1 && levels[edge_dst[e]] == UINT_MAX) levels[edge_dst[e]] = level;
  const unsigned int *edge_src_d = on_device(edge_src), *edge_dst_d = on_device(edge_dst);
  unsigned int *levels_d = on_device(levels), *visited = zeros<unsigned int>(1);
  run("bfs_edge_centric", [&] { bfs_edge_centric<<<(edges + 255) / 256, 256>>>(edge_src_d, edge_dst_d, edges, levels_d, visited, 4); });

  // stencils, bodies, options
  run("stencil_1d_radius7", [&] { stencil_1d_radius7<<<(2500000 + BLOCK_1D - 1) / BLOCK_1D, BLOCK_1D>>>(ints, oi, 2500000); });
  run("stencil27_naive_double", [&] { stencil27_naive_double<<<dim3(17, 17, 25), dim3(8, 8, 4)>>>(d, od, 130, 130, 98, -1.0, 0.1, 0.02, 0.005); });
  const Body* bodies = on_device<Body>(4096, [](uint32_t i) { return Body{fraction(6 * i), fraction(6 * i + 1), fraction(6 * i + 2), 0.f, 0.f, 0.f}; });
  for (int n : {1500, 4096}) run(sized("body_force_naive", n), [&] { body_force_naive<<<(n + 255) / 256, 256>>>(bodies, (Body*)o, 0.01f, n); });
  double* sums = zeros<double>(2);
  run("mc_european_xorshift", [&] { mc_european_xorshift<<<264, 256>>>(100.f, 105.f, 0.03f, 0.25f, 1.5f, 24, 88172645463325252ull, sums); });

  // transforms
  run("dft_naive_double", [&] { dft_naive_double<<<8, 128>>>((const double2*)d, (double2*)od, 1000); });
  run("fwtBatch1_shared", [&] { fwtBatch1_shared<<<1024, 512, 2048 * sizeof(float)>>>(o, f, 11); });
  float cosines[64];
  for (int i = 0; i < 64; ++i) cosines[i] = (i / 8 ? 0.5f : 0.35355339f) * std::cos((2 * (i % 8) + 1) * (i / 8) * 3.14159265f / 16);
  CHECK(cudaMemcpyToSymbol(DCTv8matrix, cosines, sizeof(cosines)));
  const short* coefficients = on_device<short>(1024 * 768, [](uint32_t i) { return short(hashed(i) % 5 == 0 ? int(hashed(i + 1) % 15) - 7 : 0); });
  const unsigned char* quant = on_device<unsigned char>(64, [](uint32_t i) { return (unsigned char)(10 + i / 8 * 4 + i % 8 * 4); });
  run("idct8x8_naive", [&] { idct8x8_naive<<<dim3(128, 96), dim3(8, 8)>>>(coefficients, (unsigned char*)o, 1024, quant); });

  // pictures
  float weights[25];
  for (int i = 0; i < 25; ++i) weights[i] = 1.f / (1 + std::abs(i / 5 - 2) + std::abs(i % 5 - 2)) / 10;
  CHECK(cudaMemcpyToSymbol(F_c, weights, sizeof(weights)));
  run("conv2d_cached_halo", [&] { conv2d_cached_halo<<<dim3(32, 24), dim3(CONV_TILE, CONV_TILE)>>>(f, o, 1000, 750); });
  const unsigned char* gray = on_device<unsigned char>(1024 * 1024, [](uint32_t i) { return (unsigned char)((i % 1024 / 8 + i / 8192 + hashed(i) % 32) & 255); });
  std::vector<float> gaussian(81);
  float total = 0;
  for (int i = 0; i < 81; ++i) total += gaussian[i] = std::exp(-((i / 9 - 4) * (i / 9 - 4) + (i % 9 - 4) * (i % 9 - 4)) / 8.f);
  for (float& g : gaussian) g /= total;
  const float* gaussian_d = on_device(gaussian);
  run("gaussian_blur_clamp_channel", [&] { gaussian_blur_clamp_channel<<<dim3(35, 20), dim3(16, 16)>>>(gray, (unsigned char*)o, 313, 557, gaussian_d, 9); });
  const float *cx = on_device<float>(M, [](uint32_t i) { return 0.2f + 0.2f * fraction(i); }), *cy = on_device<float>(M, [](uint32_t i) { return 0.25f + 0.2f * fraction(i + 5); });
  std::vector<float> cdf(1024);
  for (int i = 0; i < 1024; ++i) cdf[i] = std::sqrt(i / 1024.f);
  const float* cdf_d = on_device(cdf);
  run("hdr_tonemap_cdf", [&] { hdr_tonemap_cdf<<<dim3(29, 43), dim3(32, 16)>>>(cx, cy, f, cdf_d, o, o + M, o + 2 * M, 0.f, 1.f, 1.f, 1024, 681, 900); });
  run("normalized_cross_correlation", [&] { normalized_cross_correlation<<<dim3(9, 11), dim3(32, 16)>>>(o, gray, gray + 5000, 176, 288, 6, 13, 5, 11, 143, 100.f); });
  const uchar4* picture = on_device<uchar4>(512 * 384, [](uint32_t i) {
    return make_uchar4((unsigned char)(i % 512 / 3 + hashed(i) % 60), (unsigned char)(i / 512 / 2 + hashed(i + 1) % 60), (unsigned char)(hashed(i / 16) % 256), 255);
  });
  run("oil_paint_intensity", [&] { oil_paint_intensity<<<dim3(20, 15), dim3(16, 16)>>>(picture, (uchar4*)o, 317, 236, 3); });
  return 0;
}
