// Dense and sparse algebra, transforms and receivers, optimization, prices and risks.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include "cases.h"

#define BLOCK_DIM 16

// ---- dense ----

// Complex matrices, a tile of 16 a block, each thread one number: as a first version is written.
__global__ void cgemm_tile(float2* C, float2* A, float2* B, int wA, int wB) {
  __shared__ float2 As[BLOCK_DIM][BLOCK_DIM];
  __shared__ float2 Bs[BLOCK_DIM][BLOCK_DIM];
  int bx = blockIdx.x, by = blockIdx.y;
  int tx = threadIdx.x, ty = threadIdx.y;
  int aBegin = wA * BLOCK_DIM * by;
  int aEnd = aBegin + wA - 1;
  int bBegin = BLOCK_DIM * bx;
  float2 Csub = make_float2(0, 0);
  for (int a = aBegin, b = bBegin; a <= aEnd; a += BLOCK_DIM, b += BLOCK_DIM * wB) {
    As[ty][tx] = A[a + wA * ty + tx];
    Bs[ty][tx] = B[b + wB * ty + tx];
    __syncthreads();
    for (int k = 0; k < BLOCK_DIM; ++k) {
      Csub.x += As[ty][k].x * Bs[k][tx].x - As[ty][k].y * Bs[k][tx].y;
      Csub.y += As[ty][k].x * Bs[k][tx].y + As[ty][k].y * Bs[k][tx].x;
    }
    __syncthreads();
  }
  C[wB * BLOCK_DIM * by + BLOCK_DIM * bx + wB * ty + tx] = Csub;
}

// Double precision: tiles of 64 by 32, eight numbers a thread, the next tile copied asynchronously.
__global__ __launch_bounds__(256) void dgemm_async_stages(const double* __restrict__ a, const double* __restrict__ b, double* __restrict__ c, int n, int k) {
  __shared__ __align__(16) double sa[2][64][16], sb[2][16][32];
  const int t = threadIdx.x, row0 = blockIdx.y * 64, col0 = blockIdx.x * 32, tx = t % 16, ty = t / 16;
  auto fetch = [&](int stage, int k0) {
    for (int i = t; i < 512; i += 256) __pipeline_memcpy_async(&sa[stage][i / 8][i % 8 * 2], &a[(size_t)(row0 + i / 8) * k + k0 + i % 8 * 2], 16);
    __pipeline_memcpy_async(&sb[stage][t / 16][t % 16 * 2], &b[(size_t)(k0 + t / 16) * n + col0 + t % 16 * 2], 16);
    __pipeline_commit();
  };
  double acc[4][2] = {};
  fetch(0, 0);
  for (int k0 = 0, stage = 0; k0 < k; k0 += 16, stage ^= 1) {
    if (k0 + 16 < k) {
      fetch(stage ^ 1, k0 + 16);
      __pipeline_wait_prior(1);
    } else
      __pipeline_wait_prior(0);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < 16; ++q) {
      const double b0 = sb[stage][q][tx], b1 = sb[stage][q][tx + 16];
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const double v = sa[stage][ty + 16 * r][q];
        acc[r][0] += v * b0, acc[r][1] += v * b1;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) c[(size_t)(row0 + ty + 16 * r) * n + col0 + tx] = acc[r][0], c[(size_t)(row0 + ty + 16 * r) * n + col0 + tx + 16] = acc[r][1];
}

// A triangle's inverse applied from the left: the diagonal tile in shared memory, a column a thread in registers.
template <int N>
__global__ void trsm_left_lower(const float* __restrict__ l, float* __restrict__ b, int columns, int batch_stride) {
  __shared__ float s[N][N];
  const float* mine = l + blockIdx.y * N * N;
  for (int i = threadIdx.x; i < N * N; i += blockDim.x) s[i / N][i % N] = mine[i];
  __syncthreads();
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= columns) return;
  float* x = b + (size_t)blockIdx.y * batch_stride + col;
  float v[N];
#pragma unroll
  for (int i = 0; i < N; ++i) v[i] = x[i * columns];
#pragma unroll
  for (int i = 0; i < N; ++i) {
    v[i] /= s[i][i];
#pragma unroll
    for (int j = i + 1; j < N; ++j) v[j] -= s[j][i] * v[i];
  }
#pragma unroll
  for (int i = 0; i < N; ++i) x[i * columns] = v[i];
}

// Gram and Schmidt on short wide columns: a warp a matrix of 64 rows and K columns, two rows a lane.
template <int K>
__global__ void gram_schmidt_warp(float* __restrict__ q, float* __restrict__ r, int count) {
  const int id = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (id >= count) return;
  float a[K][2];
  float* m = q + (size_t)id * 64 * K;
#pragma unroll
  for (int k = 0; k < K; ++k) a[k][0] = m[k * 64 + lane], a[k][1] = m[k * 64 + 32 + lane];
#pragma unroll
  for (int k = 0; k < K; ++k) {
    float norm = a[k][0] * a[k][0] + a[k][1] * a[k][1];
    for (int o = 16; o; o >>= 1) norm += __shfl_xor_sync(~0u, norm, o);
    const float inv = rsqrtf(norm);
    a[k][0] *= inv, a[k][1] *= inv;
    if (lane == 0) r[(size_t)id * K * K + k * K + k] = norm * inv;
#pragma unroll
    for (int j = k + 1; j < K; ++j) {
      float dot = a[k][0] * a[j][0] + a[k][1] * a[j][1];
      for (int o = 16; o; o >>= 1) dot += __shfl_xor_sync(~0u, dot, o);
      a[j][0] -= dot * a[k][0], a[j][1] -= dot * a[k][1];
      if (lane == 0) r[(size_t)id * K * K + k * K + j] = dot;
    }
  }
#pragma unroll
  for (int k = 0; k < K; ++k) m[k * 64 + lane] = a[k][0], m[k * 64 + 32 + lane] = a[k][1];
}

// Exponentials of 4x4 matrices by scaling, a Pade quotient and squaring, a thread a matrix in double precision.
__device__ void mul4(const double* a, const double* b, double* c) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      double s = 0;
      for (int k = 0; k < 4; k++) s += a[i * 4 + k] * b[k * 4 + j];
      c[i * 4 + j] = s;
    }
}
__global__ void expm4_pade(const double* __restrict__ in, double* __restrict__ out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  double A[16], A2[16], U[16], V[16], norm = 0;
  for (int i = 0; i < 16; i++) {
    A[i] = in[i * n + t];
    norm = fmax(norm, fabs(A[i]));
  }
  int s = max(0, (int)ceil(log2(norm * 4 + 1e-30)));
  double scale = exp2(-(double)s);
  for (int i = 0; i < 16; i++) A[i] *= scale;
  mul4(A, A, A2);
  for (int i = 0; i < 16; i++) {
    U[i] = A2[i] + (i % 5 == 0 ? 60.0 : 0.0);
    V[i] = 12 * A2[i] + (i % 5 == 0 ? 120.0 : 0.0);
  }
  double AU[16];
  mul4(A, U, AU);
  for (int i = 0; i < 16; i++) {
    U[i] = V[i] + AU[i];
    V[i] = V[i] - AU[i];
  }
  for (int k = 0; k < 4; k++) {
    double inv = 1.0 / V[k * 4 + k];
    for (int i = k + 1; i < 4; i++) {
      double f = V[i * 4 + k] * inv;
      for (int j = k; j < 4; j++) V[i * 4 + j] -= f * V[k * 4 + j];
      for (int j = 0; j < 4; j++) U[i * 4 + j] -= f * U[k * 4 + j];
    }
  }
  for (int k = 3; k >= 0; k--)
    for (int j = 0; j < 4; j++) {
      double v = U[k * 4 + j];
      for (int i = k + 1; i < 4; i++) v -= V[k * 4 + i] * U[i * 4 + j];
      U[k * 4 + j] = v / V[k * 4 + k];
    }
  for (int q = 0; q < s; q++) {
    mul4(U, U, A2);
    for (int i = 0; i < 16; i++) U[i] = A2[i];
  }
  for (int i = 0; i < 16; i++) out[i * n + t] = U[i];
}

// Tall and thin: products of a matrix's columns among themselves, 16 by 16 partial sums a block, added at the end.
__global__ __launch_bounds__(256) void tall_gram_16(const float* __restrict__ x, float* __restrict__ gram, int rows) {
  __shared__ float s[64][17];
  const int i = threadIdx.x % 16, j = threadIdx.x / 16;
  float sum = 0.f;
  for (int r0 = blockIdx.x * 64; r0 < rows; r0 += gridDim.x * 64) {
    for (int t = threadIdx.x; t < 1024; t += 256) s[t / 16][t % 16] = r0 + t / 16 < rows ? x[(size_t)r0 * 16 + t] : 0.f;
    __syncthreads();
#pragma unroll 16
    for (int k = 0; k < 64; ++k) sum += s[k][i] * s[k][j];
    __syncthreads();
  }
  atomicAdd(&gram[j * 16 + i], sum);
}

// Products by tensor cores of bfloat16 with the second matrix in columns, sums over slices added by atomics.
__global__ __launch_bounds__(128) void wmma_slices_bf16(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b, float* __restrict__ c, int m, int n, int k, int slice) {
  using namespace nvcuda;
  const int warp = threadIdx.x / 32, row = blockIdx.y * 32 + warp / 2 * 16, col = blockIdx.x * 32 + warp % 2 * 16, k0 = blockIdx.z * slice;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, 0.f);
  for (int q = k0; q < k0 + slice; q += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb;
    wmma::load_matrix_sync(fa, a + (size_t)row * k + q, k);
    wmma::load_matrix_sync(fb, b + (size_t)col * k + q, k);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  __shared__ float out[4][256];
  wmma::store_matrix_sync(out[warp], acc, 16, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x % 32; i < 256; i += 32) atomicAdd(&c[(size_t)(row + i / 16) * n + col + i % 16], out[warp][i]);
}

// ---- sparse ----

// Half of a symmetric matrix: each entry used twice, the other half by atomics in double.
__global__ void spmv_symmetric_half(const int* __restrict__ row, const int* __restrict__ col, const double* __restrict__ val, const double* __restrict__ x, double* __restrict__ y, int n) {
  const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 8, l = threadIdx.x % 8;
  double s = 0, xr = 0;
  if (r < n) {
    xr = x[r];
    for (int e = row[r] + l; e < row[r + 1]; e += 8) {
      const int c = col[e];
      const double v = val[e];
      s += v * x[c];
      if (c != r) atomicAdd(&y[c], v * xr);
    }
  }
  for (int o = 4; o; o >>= 1) s += __shfl_down_sync(~0u, s, o, 8);
  if (r < n && l == 0) atomicAdd(&y[r], s);
}

// A triangle solved without levels: a warp a row waits for the flags of the rows before it.
__global__ void trisolve_by_flags(const int* __restrict__ row, const int* __restrict__ col, const float* __restrict__ val, const float* __restrict__ b, volatile float* x, volatile int* ready, int n, int round) {
  const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (r >= n) return;
  float s = 0.f;
  const int end = row[r + 1] - 1;
  for (int e = row[r] + lane; e < end; e += 32) {
    const int c = col[e];
    while (ready[c] != round) __nanosleep(40);
    __threadfence();
    s += val[e] * x[c];
  }
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if (lane == 0) {
    x[r] = (b[r] - s) / val[end];
    __threadfence();
    ready[r] = round;
  }
}

// Strong connections and the weights of aggregates: one pass over rows.
__global__ void amg_strong_links(const int* __restrict__ row, const int* __restrict__ col, const float* __restrict__ val, const float* __restrict__ diag, unsigned char* __restrict__ strong, float* __restrict__ measure, int n, float theta) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int count = 0;
  const float di = fabsf(diag[i]);
  for (int e = row[i]; e < row[i + 1]; ++e) {
    const int j = col[e];
    const float v = val[e];
    const bool s = j != i && v * v > theta * theta * di * fabsf(diag[j]);
    strong[e] = s;
    count += s;
    if (s) atomicAdd(&measure[j], 1.f);
  }
  uint32_t h = i * 2654435761u;
  h ^= h >> 16;
  atomicAdd(&measure[i], (h & 1023) * (1.f / 1024) + 0.001f * count);
}

// Rows transposed into columns: the place of each entry by an atomic counter.
__global__ void csr_to_csc(const int* __restrict__ row, const int* __restrict__ col, const float* __restrict__ val, int* __restrict__ fill, int* __restrict__ out_row, float* __restrict__ out_val, int n, int limit) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31, warps = gridDim.x * blockDim.x / 32;
  for (int r = warp; r < n; r += warps)
    for (int e = row[r] + lane; e < row[r + 1]; e += 32) {
      const int at = atomicAdd(&fill[col[e]], 1);
      if (at < limit) out_row[at] = r, out_val[at] = val[e];
    }
}

// Two of four kept: the largest of each group, values packed and places as bits.
__global__ void prune_two_of_four(const uint2* __restrict__ in, __half2* __restrict__ kept, unsigned short* __restrict__ meta, int groups) {
  const int g = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned bits = 0;
  if (g < groups) {
    const uint2 raw = in[g];
    __half h[4];
    *reinterpret_cast<uint2*>(h) = raw;
    int first = 0, second = -1;
    for (int k = 1; k < 4; ++k)
      if (__hgt(__habs(h[k]), __habs(h[first])))
        second = first, first = k;
      else if (second < 0 || __hgt(__habs(h[k]), __habs(h[second])))
        second = k;
    const int lo = min(first, second), hi = max(first, second);
    kept[g] = __halves2half2(h[lo], h[hi]);
    bits = lo | hi << 2;
  }
  bits |= __shfl_down_sync(~0u, bits, 1, 4) << 4;
  bits |= __shfl_down_sync(~0u, bits, 2, 4) << 8;
  if (g < groups && (g & 3) == 0) meta[g / 4] = (unsigned short)bits;
}

// ---- transforms and receivers ----

// Walsh and Hadamard of 1024 numbers: five steps in registers, then five between warps.
__global__ __launch_bounds__(256) void walsh_hadamard_1024(const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float s[1024];
  const int t = threadIdx.x;
  float4 v = reinterpret_cast<const float4*>(in)[blockIdx.x * 256 + t];
  float a = v.x + v.y, b = v.x - v.y, c = v.z + v.w, d = v.z - v.w;
  v = make_float4(a + c, b + d, a - c, b - d);
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    const float x = __shfl_xor_sync(~0u, v.x, o), y = __shfl_xor_sync(~0u, v.y, o), z = __shfl_xor_sync(~0u, v.z, o), w = __shfl_xor_sync(~0u, v.w, o);
    v = t & o ? make_float4(x - v.x, y - v.y, z - v.z, w - v.w) : make_float4(v.x + x, v.y + y, v.z + z, v.w + w);
  }
  reinterpret_cast<float4*>(s)[t] = v;
  __syncthreads();
  float p[4];
#pragma unroll
  for (int g = 0; g < 2; ++g) {
    // Eight numbers 128 apart, by two threads of four.
    const int i = t & 127, h = t >> 7;
    if (g == 0)
      for (int k = 0; k < 4; ++k) p[k] = s[i + 128 * (2 * k + h)];
  }
  const float e = p[0] + p[1], f = p[0] - p[1], q = p[2] + p[3], r = p[2] - p[3];
  __syncthreads();
  const int i = t & 127, h = t >> 7;
  s[i + 128 * h] = e + q, s[i + 128 * (2 + h)] = f + r, s[i + 128 * (4 + h)] = e - q, s[i + 128 * (6 + h)] = f - r;
  __syncthreads();
  for (int k = 0; k < 2; ++k) {
    const int j = (t & 127) + 256 * (2 * k + h);
    const float x = s[j], y = s[j + 128];
    out[blockIdx.x * 1024 + j] = (x + y) * 0.03125f;
    out[blockIdx.x * 1024 + j + 128] = (x - y) * 0.03125f;
  }
}

// Codes of sparse parities (min-sum): a check node's messages, a thread a check of a lifted base graph.
__constant__ short2 c_base[12 * 8];
__global__ void ldpc_check_nodes(const signed char* __restrict__ llr, signed char* __restrict__ messages, int z, int frames) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, check = blockIdx.y, frame = blockIdx.z;
  if (i >= z) return;
  const signed char* l = llr + (size_t)frame * 24 * z;
  signed char* m = messages + ((size_t)frame * 12 + check) * 8 * z;
  int v[8], least = 127, next = 127, at = 0, sign = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const short2 b = c_base[check * 8 + k];
    int p = i + b.y;
    if (p >= z) p -= z;
    v[k] = l[b.x * z + p] - m[k * z + i];
    const int mag = abs(v[k]);
    sign ^= v[k];
    if (mag < least)
      next = least, least = mag, at = k;
    else if (mag < next)
      next = mag;
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int mag = (k == at ? next : least) * 3 / 4;
    m[k * z + i] = (signed char)((sign ^ v[k]) < 0 ? -mag : mag);
  }
}

// Soft bits of 64-QAM: distances by the nested absolute values.
__global__ void qam64_soft_bits(const float2* __restrict__ symbols, const float* __restrict__ noise, char2* __restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float2 s = symbols[i];
    const float w = 16.f / noise[i / 12];
    const float a = 0.6172134f, b = 0.3086067f;
    const float x1 = a - fabsf(s.x), y1 = a - fabsf(s.y), x2 = b - fabsf(x1), y2 = b - fabsf(y1);
    auto clip = [](float v) { return (char)fminf(127.f, fmaxf(-127.f, rintf(v))); };
    out[i * 3] = make_char2(clip(s.x * w), clip(s.y * w));
    out[i * 3 + 1] = make_char2(clip(x1 * w), clip(y1 * w));
    out[i * 3 + 2] = make_char2(clip(x2 * w), clip(y2 * w));
  }
}

// A beam from many channels: delays in fractions of samples, weights, a pixel a thread.
__global__ void delay_and_sum(const short* __restrict__ rf, const float* __restrict__ weights, float* __restrict__ image, int channels, int samples, int nx, int nz, float pitch, float dx, float dz, float rate) {
  const int ix = blockIdx.x * blockDim.x + threadIdx.x, iz = blockIdx.y * blockDim.y + threadIdx.y;
  if (ix >= nx || iz >= nz) return;
  const float x = (ix - 0.5f * nx) * dx, z = (iz + 8) * dz;
  float sum = 0.f;
  for (int c = 0; c < channels; ++c) {
    const float ex = (c - 0.5f * channels) * pitch - x;
    if (fabsf(ex) > 0.5f * z) continue;
    const float t = (z + sqrtf(z * z + ex * ex)) * rate;
    const int i = (int)t;
    if (i + 1 >= samples) continue;
    const float f = t - i;
    sum += weights[c] * ((1.f - f) * rf[c * samples + i] + f * rf[c * samples + i + 1]);
  }
  image[iz * nx + ix] = sum;
}

// Targets above the clutter: means of cells on both sides with prefix sums in shared memory.
__global__ __launch_bounds__(256) void cfar_rows(const float2* __restrict__ spectrum, unsigned char* __restrict__ hits, int n, int guard, int train, float factor) {
  __shared__ float power[1024 + 1], sums[8];
  const int t = threadIdx.x, row = blockIdx.x;
  float p[4], run = 0.f;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float2 v = spectrum[(size_t)row * n + t * 4 + k];
    p[k] = run += v.x * v.x + v.y * v.y;
  }
  float scan = run;
  for (int o = 1; o < 32; o <<= 1) {
    const float u = __shfl_up_sync(~0u, scan, o);
    if (t % 32 >= o) scan += u;
  }
  if (t % 32 == 31) sums[t / 32] = scan;
  __syncthreads();
  float before = scan - run;
  for (int w = 0; w < t / 32; ++w) before += sums[w];
  if (t == 0) power[0] = 0.f;
#pragma unroll
  for (int k = 0; k < 4; ++k) power[t * 4 + k + 1] = before + p[k];
  __syncthreads();
  for (int i = t; i < n; i += 256) {
    const int l0 = max(0, i - guard - train), l1 = max(0, i - guard), r0 = min(n, i + guard + 1), r1 = min(n, i + guard + train + 1);
    const float noise = (power[l1] - power[l0] + power[r1] - power[r0]) / (l1 - l0 + r1 - r0), own = power[i + 1] - power[i];
    hits[(size_t)row * n + i] = own > factor * noise;
  }
}

// Periods of unevenly sampled data (Lomb and Scargle): a frequency a thread, samples through shared memory.
__global__ void lomb_scargle(const float2* __restrict__ samples, float* __restrict__ power, int n, float f0, float df, int frequencies) {
  __shared__ float2 s[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float w = 6.2831853f * (f0 + i * df);
  float cc = 0, cs = 0, yc = 0, ys = 0;
  for (int base = 0; base < n; base += 256) {
    __syncthreads();
    s[threadIdx.x] = base + threadIdx.x < n ? samples[base + threadIdx.x] : make_float2(0, 0);
    __syncthreads();
    for (int k = 0; k < min(256, n - base); ++k) {
      float si, co;
      __sincosf(w * s[k].x, &si, &co);
      cc += co * co, cs += co * si, yc += s[k].y * co, ys += s[k].y * si;
    }
  }
  const float ss = n - cc, tau = 0.5f * atan2f(2 * cs, cc - ss), st = sinf(tau), ct = cosf(tau);
  const float a = ct * yc + st * ys, b = ct * ys - st * yc, da = ct * ct * cc + 2 * ct * st * cs + st * st * ss, db = ct * ct * ss - 2 * ct * st * cs + st * st * cc;
  if (i < frequencies) power[i] = a * a / da + b * b / db;
}

// Pulses of far stars: sums along delays of channels for many dispersion measures, bytes four at a time.
__global__ __launch_bounds__(128) void dedisperse(const unsigned char* __restrict__ filterbank, const float* __restrict__ delays, unsigned short* __restrict__ out, int channels, int samples, int out_samples, float dm0, float ddm) {
  const int t = (blockIdx.x * 128 + threadIdx.x) * 4, trial = blockIdx.y;
  if (t >= out_samples) return;
  const float dm = dm0 + trial * ddm;
  int s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma unroll 4
  for (int c = 0; c < channels; ++c) {
    const unsigned char* p = filterbank + (size_t)c * samples + t + __float2int_rn(dm * delays[c]);
    s0 += p[0], s1 += p[1], s2 += p[2], s3 += p[3];
  }
  *reinterpret_cast<ushort4*>(out + (size_t)trial * out_samples + t) = make_ushort4(s0, s1, s2, s3);
}

// Antennas correlated: complex bytes, 8 by 8 tiles of pairs, dot products of four bytes.
__global__ __launch_bounds__(64) void correlate_antennas(const uint2* __restrict__ voltages, int2* __restrict__ visibilities, int antennas, int steps) {
  if (blockIdx.x > blockIdx.y) return;
  __shared__ uint2 a[8][9], b[8][9];
  const int x = threadIdx.x % 8, y = threadIdx.x / 8, channel = blockIdx.z;
  const uint2* v = voltages + (size_t)channel * antennas * steps;
  int re = 0, im = 0;
  for (int t0 = 0; t0 < steps; t0 += 8) {
    a[y][x] = v[(blockIdx.y * 8 + y) * steps + t0 + x];
    b[y][x] = v[(blockIdx.x * 8 + y) * steps + t0 + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const uint2 p = a[y][k], q = b[x][k];
      re = __dp4a((int)p.x, (int)q.x, __dp4a((int)p.y, (int)q.y, re));
      im = __dp4a((int)p.y, (int)q.x, im) - __dp4a((int)p.x, (int)q.y, 0);
    }
    __syncthreads();
  }
  visibilities[((size_t)channel * antennas + blockIdx.y * 8 + y) * antennas + blockIdx.x * 8 + x] = make_int2(re, im);
}

// ---- optimization ----

// The best exchange of two edges of a tour, a pair a step, the block's best to one word.
__global__ __launch_bounds__(256) void two_opt_best(const float2* __restrict__ cities, unsigned long long* __restrict__ best, int n) {
  extern __shared__ float2 c[];
  for (int i = threadIdx.x; i < n; i += 256) c[i] = cities[i];
  __syncthreads();
  auto dist = [&](int i, int j) { return sqrtf((c[i].x - c[j].x) * (c[i].x - c[j].x) + (c[i].y - c[j].y) * (c[i].y - c[j].y)); };
  float gain = 0.f;
  int bi = 0, bj = 0;
  for (int i = 1 + blockIdx.x; i < n - 2; i += gridDim.x) {
    const float d0 = dist(i - 1, i);
    for (int j = i + 1 + threadIdx.x; j < n - 1; j += 256) {
      const float g = d0 + dist(j, j + 1) - dist(i - 1, j) - dist(i, j + 1);
      if (g > gain) gain = g, bi = i, bj = j;
    }
  }
  unsigned long long key = (unsigned long long)__float_as_uint(gain) << 32 | (unsigned)(bi << 16 | bj);
  for (int o = 16; o; o >>= 1) {
    const unsigned long long other = __shfl_xor_sync(~0u, key, o);
    key = other > key ? other : key;
  }
  if (threadIdx.x % 32 == 0) atomicMax(best, key);
}

// Curves fitted in thousands: steps of Levenberg and Marquardt, a thread a curve of 20 samples and three parameters.
__global__ void fit_decays(const float* __restrict__ t, const float* __restrict__ y, float4* __restrict__ params, int n, int iterations) {
  __shared__ float st[20];
  if (threadIdx.x < 20) st[threadIdx.x] = t[threadIdx.x];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = params[i].x, b = params[i].y, c = params[i].z, lambda = 1e-2f, cost = 1e30f;
  for (int it = 0; it < iterations; ++it) {
    float h00 = 0, h01 = 0, h02 = 0, h11 = 0, h12 = 0, g0 = 0, g1 = 0, g2 = 0, now = 0;
    for (int k = 0; k < 20; ++k) {
      const float e = __expf(-b * st[k]), r = y[k * n + i] - (a * e + c), jb = -a * st[k] * e;
      now += r * r;
      h00 += e * e, h01 += e * jb, h02 += e, h11 += jb * jb, h12 += jb;
      g0 += e * r, g1 += jb * r, g2 += r;
    }
    lambda = now < cost ? lambda * 0.3f : lambda * 4.f;
    cost = now;
    const float m00 = h00 * (1 + lambda), m11 = h11 * (1 + lambda) + 1e-9f, m22 = 20.f * (1 + lambda);
    const float det = m00 * (m11 * m22 - h12 * h12) - h01 * (h01 * m22 - h12 * h02) + h02 * (h01 * h12 - m11 * h02), inv = 1.f / det;
    const float da = inv * (g0 * (m11 * m22 - h12 * h12) - h01 * (g1 * m22 - h12 * g2) + h02 * (g1 * h12 - m11 * g2));
    const float db = inv * (m00 * (g1 * m22 - h12 * g2) - g0 * (h01 * m22 - h12 * h02) + h02 * (h01 * g2 - g1 * h02));
    const float dc = inv * (m00 * (m11 * g2 - g1 * h12) - h01 * (h01 * g2 - g1 * h02) + g0 * (h01 * h12 - m11 * h02));
    a += da, b += db, c += dc;
    if (fabsf(da) + fabsf(db) + fabsf(dc) < 1e-5f) break;
  }
  params[i] = make_float4(a, b, c, cost);
}

// Particles of a swarm in 32 dimensions, a warp a particle: the move, the cost (Rastrigin) and its own best.
__global__ void swarm_move(float* __restrict__ x, float* __restrict__ v, float* __restrict__ own, float* __restrict__ own_cost, const float* __restrict__ best, int n, float inertia, float c1, float c2, uint32_t step) {
  const int p = blockIdx.x * blockDim.y + threadIdx.y, d = threadIdx.x;
  if (p >= n) return;
  const int at = p * 32 + d;
  uint32_t h = at * 0x9e3779b9u ^ step;
  h = (h ^ h >> 16) * 0x7feb352du, h = (h ^ h >> 15) * 0x846ca68bu, h ^= h >> 16;
  const float r1 = (h & 0xffff) * 1.5258789e-5f, r2 = (h >> 16) * 1.5258789e-5f;
  const float pos = x[at], vel = inertia * v[at] + c1 * r1 * (own[at] - pos) + c2 * r2 * (best[d] - pos), now = fminf(5.12f, fmaxf(-5.12f, pos + vel));
  v[at] = vel, x[at] = now;
  float cost = now * now - 10.f * cospif(2.f * now) + 10.f;
  for (int o = 16; o; o >>= 1) cost += __shfl_xor_sync(~0u, cost, o);
  const float old = own_cost[p];
  __syncwarp();
  if (cost < old) {
    own[at] = now;
    if (d == 0) own_cost[p] = cost;
  }
}

// Scaling of a transport plan (Sinkhorn) in logarithms: a block a row, maxima and sums.
__global__ __launch_bounds__(128) void sinkhorn_rows_log(const float* __restrict__ cost, const float* __restrict__ g, float* __restrict__ f, int n, float inv_eps, float log_mu) {
  __shared__ float sm[4], ss[4];
  const float* row = cost + (size_t)blockIdx.x * n;
  float most = -1e30f, sum = 0.f;
  for (int j = threadIdx.x; j < n; j += 128) {
    const float v = (g[j] - row[j]) * inv_eps, next = fmaxf(most, v);
    sum = sum * __expf(most - next) + __expf(v - next);
    most = next;
  }
  for (int o = 16; o; o >>= 1) {
    const float m = __shfl_xor_sync(~0u, most, o), s = __shfl_xor_sync(~0u, sum, o), next = fmaxf(most, m);
    sum = sum * __expf(most - next) + s * __expf(m - next);
    most = next;
  }
  if (threadIdx.x % 32 == 0) sm[threadIdx.x / 32] = most, ss[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 4; ++w) {
      const float next = fmaxf(most, sm[w]);
      sum = sum * __expf(most - next) + ss[w] * __expf(sm[w] - next);
      most = next;
    }
    f[blockIdx.x] = (log_mu - most - __logf(sum)) / inv_eps;
  }
}

// Products of a chain of matrices: one diagonal of the table, a warp an entry.
__global__ void matrix_chain_diagonal(const float* __restrict__ dims, float* __restrict__ cost, short* __restrict__ split, int n, int d) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (i + d >= n) return;
  const int j = i + d;
  float best = 1e38f;
  int at = i;
  for (int k = i + lane; k < j; k += 32) {
    const float c = cost[i * n + k] + cost[(k + 1) * n + j] + dims[i] * dims[k + 1] * dims[j + 1];
    if (c < best) best = c, at = k;
  }
  for (int o = 16; o; o >>= 1) {
    const float c = __shfl_xor_sync(~0u, best, o);
    const int k = __shfl_xor_sync(~0u, at, o);
    if (c < best || (c == best && k < at)) best = c, at = k;
  }
  if (lane == 0) cost[i * n + j] = best, split[i * n + j] = at;
}

// ---- prices ----

// Prices by sums of cosines of a characteristic function: a thread a strike, terms shared by the block.
__global__ void cosine_method(const float* __restrict__ strikes, float* __restrict__ prices, int n, int terms, float spot, float rate, float maturity, float sigma, float nu, float theta) {
  extern __shared__ float2 phi[];
  const float a = -2.f, b = 2.f, w = 3.14159265f / (b - a);
  for (int k = threadIdx.x; k < terms; k += blockDim.x) {
    const float u = k * w, re = 1.f + 0.5f * sigma * sigma * nu * u * u, im = -theta * nu * u;
    const float lr = -maturity / nu * 0.5f * logf(re * re + im * im), ang = -maturity / nu * atan2f(im, re) + u * rate * maturity;
    float s, c;
    sincosf(ang - u * a, &s, &c);
    const float m = expf(lr);
    phi[k] = make_float2(m * c, m * s);
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = logf(spot / strikes[i]);
  float sum = 0.f;
  for (int k = 0; k < terms; ++k) {
    const float u = k * w;
    float s, c;
    __sincosf(u * x, &s, &c);
    const float chi = (cospif(k * 1.f) * 7.3890561f - cosf(u * 2.f) + u * sinf(u * 2.f)) / (1.f + u * u), psi = k ? -sinf(u * 2.f) / u : 2.f;
    const float v = (phi[k].x * c - phi[k].y * s) * (chi - psi);
    sum += k ? v : 0.5f * v;
  }
  prices[i] = strikes[i] * expf(-rate * maturity) * sum * 2.f / (b - a);
}

// Jumps and diffusion (Merton): paths with numbers of jumps by inversion, a block's mean by shuffles.
__global__ void merton_jump_paths(double* __restrict__ sums, int paths, int steps, float mu, float sigma, float lambda_dt, float jump_mean, float jump_dev, float strike, uint32_t seed) {
  float pay = 0.f;
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < paths; p += gridDim.x * blockDim.x) {
    uint32_t x = p * 1099087573u + seed, y = 362436069u ^ p, z = 521288629u, w = 88675123u;
    auto next = [&] {
      const uint32_t t = x ^ (x << 11);
      x = y, y = z, z = w;
      return (w = w ^ (w >> 19) ^ t ^ (t >> 8));
    };
    for (int k = 0; k < 4; ++k) next();
    float s = 0.f;
    for (int k = 0; k < steps; ++k) {
      const float u1 = (next() >> 8) * 5.9604645e-8f + 3e-8f, u2 = (next() >> 8) * 5.9604645e-8f;
      const float r = sqrtf(-2.f * __logf(u1));
      float si, co;
      __sincosf(6.2831853f * u2, &si, &co);
      s += mu + sigma * r * co;
      float u = (next() >> 8) * 5.9604645e-8f, q = __expf(-lambda_dt);
      int jumps = 0;
      while (u > q && jumps < 8) u -= q, ++jumps, q *= lambda_dt / jumps;
      if (jumps) s += jumps * jump_mean + sqrtf((float)jumps) * jump_dev * r * si;
    }
    pay += fmaxf(0.f, __expf(s) - strike);
  }
  for (int o = 16; o; o >>= 1) pay += __shfl_down_sync(~0u, pay, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(sums, (double)pay);
}

// Sensitivities backwards through a basket's paths: the path kept in local memory, then the sweep back.
__global__ void adjoint_basket(const float* __restrict__ normals, const float* __restrict__ vols, float* __restrict__ delta, float* __restrict__ vega, int paths, int steps, float dt, float strike) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= paths) return;
  float path[65];
  path[0] = 1.f;
  float mean = 0.f;
  for (int k = 0; k < steps; ++k) {
    const float v = vols[k];
    path[k + 1] = path[k] * __expf(-0.5f * v * v * dt + v * sqrtf(dt) * normals[k * paths + p]);
    mean += path[k + 1];
  }
  mean /= steps;
  float bar = mean > strike ? 1.f / steps : 0.f, s = 0.f, g = 0.f;
  for (int k = steps - 1; k >= 0; --k) {
    s += bar;
    const float z = normals[k * paths + p], v = vols[k];
    g += s * path[k + 1] * (z * sqrtf(dt) - v * dt);
    s *= path[k + 1] / path[k];
  }
  delta[p] = s;
  vega[p] = g;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* f = on_device<float>(8 * M, [](uint32_t i) { return fraction(i) * 2 - 1; });
  float* o = zeros<float>(8 * M);
  const double* d = on_device<double>(2 * M, [](uint32_t i) { return double(fraction(i)) - 0.5; });
  double* od = zeros<double>(2 * M);
  const float* positive = on_device<float>(2 * M, [](uint32_t i) { return 0.5f + fraction(i); });

  run("cgemm_tile", [&] { cgemm_tile<<<dim3(24, 32), dim3(16, 16)>>>((float2*)o, (float2*)f, (float2*)f + M, 400, 384); });
  run("dgemm_async_stages", [&] { dgemm_async_stages<<<dim3(16, 16), 256>>>(d, d + M, od, 512, 640); });
  run("trsm_left_lower_16", [&] { trsm_left_lower<16><<<dim3(4, 200), 64>>>(positive, o, 256, 16 * 256); });
  run("trsm_left_lower_32", [&] { trsm_left_lower<32><<<dim3(4, 150), 128>>>(positive, o, 500, 32 * 500); });
  float* columns = on_device<float>(6000 * 64 * 8, fraction);
  run("gram_schmidt_warp_8", [&] { gram_schmidt_warp<8><<<6000 / 4, 128>>>(columns, o, 6000); });
  run("expm4_pade", [&] { expm4_pade<<<(40000 + 63) / 64, 64>>>(d, od, 40000); });
  run("tall_gram_16", [&] { tall_gram_16<<<264, 256>>>(f, o, 400000); });
  const __nv_bfloat16* b16 = on_device<__nv_bfloat16>(4 * M, [](uint32_t i) { return __float2bfloat16(fraction(i) - 0.5f); });
  run("wmma_slices_bf16", [&] { wmma_slices_bf16<<<dim3(12, 8, 8), 128>>>(b16, b16 + M, o, 256, 384, 2048, 256); });

  constexpr int N = 70000;
  std::vector<int> row(N + 1, 0), col, lrow(N + 1, 0), lcol;
  for (uint32_t r = 0; r < N; ++r) {
    std::set<int> at;
    for (uint32_t k = 0; k < 4 + hashed(r) % 12; ++k) at.insert(int((r + hashed(r * 53 + k) % (k % 4 ? 200 : 9000)) % N));
    at.insert(int(r));
    col.insert(col.end(), at.begin(), at.end());
    row[r + 1] = int(col.size());
  }
  constexpr int L = 16000;
  for (uint32_t r = 0; r < L; ++r) {
    std::set<int> at;
    for (uint32_t k = 0; k < 3 + hashed(r) % 8 && r >= 600; ++k) at.insert(int(r - 600 + hashed(r * 41 + k) % 100));
    at.insert(int(r));
    lcol.insert(lcol.end(), at.begin(), at.end());
    lrow[r + 1] = int(lcol.size());
  }
  const int *row_d = on_device(row), *col_d = on_device(col), *lrow_d = on_device(lrow), *lcol_d = on_device(lcol);
  run("spmv_symmetric_half", [&] { spmv_symmetric_half<<<(N * 8 + 127) / 128, 128>>>(row_d, col_d, d, d + M, od, N); });
  int* ready = zeros<int>(L);
  int round = 0;
  run("trisolve_by_flags", [&] { trisolve_by_flags<<<L / 4, 128>>>(lrow_d, lcol_d, positive, f, o, ready, L, ++round); });
  unsigned char* bytes = zeros<unsigned char>(4 * M);
  run("amg_strong_links", [&] { amg_strong_links<<<(N + 127) / 128, 128>>>(row_d, col_d, f, positive, bytes, o, N, 0.25f); });
  std::vector<int> fill(N, 0);
  for (int c : col) ++fill[c];
  for (int c = 0, sum = 0; c < N; ++c) {
    const int count = fill[c];
    fill[c] = sum;
    sum += count;
  }
  int* fill_d = on_device(fill);
  run("csr_to_csc", [&] { csr_to_csc<<<264, 256>>>(row_d, col_d, f, fill_d, (int*)o, o + 2 * M, N, 2 * M); });
  const __half* h16 = on_device<__half>(4 * M, [](uint32_t i) { return __float2half(fraction(i) - 0.5f); });
  run("prune_two_of_four", [&] { prune_two_of_four<<<M / 256, 256>>>((const uint2*)h16, (__half2*)o, (unsigned short*)(o + 2 * M), M); });

  run("walsh_hadamard_1024", [&] { walsh_hadamard_1024<<<3000, 256>>>(f, o); });
  std::vector<short2> base(96);
  for (uint32_t i = 0; i < 96; ++i) base[i] = make_short2(short(hashed(i) % 24), short(hashed(i + 7) % 384));
  CHECK(cudaMemcpyToSymbol(c_base, base.data(), 384));
  const signed char* llr = on_device<signed char>(100 * 24 * 384, [](uint32_t i) { return (signed char)(int(hashed(i) % 60) - 24); });
  run("ldpc_check_nodes", [&] { ldpc_check_nodes<<<dim3(3, 12, 100), 128>>>(llr, (signed char*)bytes, 384, 100); });
  run("qam64_soft_bits", [&] { qam64_soft_bits<<<264, 256>>>((const float2*)f, positive, (char2*)o, 900000); });
  const short* rf = on_device<short>(128 * 3000, [](uint32_t i) { return short(hashed(i) % 2000) ; });
  run("delay_and_sum", [&] { delay_and_sum<<<dim3(8, 64), dim3(32, 8)>>>(rf, positive, o, 128, 3000, 256, 512, 0.3f, 0.15f, 0.1f, 26.f); });
  run("cfar_rows", [&] { cfar_rows<<<1500, 256>>>((const float2*)f, bytes, 1024, 4, 16, 6.f); });
  run("lomb_scargle", [&] { lomb_scargle<<<20000 / 256 + 1, 256>>>((const float2*)f, o, 1500, 0.01f, 0.002f, 20000); });
  std::vector<float> delays(256);
  for (int c = 0; c < 256; ++c) delays[c] = 4000.f * (1.f / ((1.f - c * 0.001f) * (1.f - c * 0.001f)) - 1.f) / 100;
  const float* delays_d = on_device(delays);
  const unsigned char* bank = on_device<unsigned char>(256 * 12000, [](uint32_t i) { return (unsigned char)hashed(i); });
  run("dedisperse", [&] { dedisperse<<<dim3(16, 64), 128>>>(bank, delays_d, (unsigned short*)o, 256, 12000, 8192, 0.f, 0.5f); });
  run("correlate_antennas", [&] { correlate_antennas<<<dim3(16, 16, 32), 64>>>((const uint2*)f, (int2*)o, 128, 256); });

  unsigned long long* best = zeros<unsigned long long>(4);
  run("two_opt_best", [&] { two_opt_best<<<264, 256, 5000 * 8>>>((const float2*)f, best, 5000); });
  const float* times = on_device<float>(20, [](uint32_t i) { return i * 0.2f; });
  std::vector<float> decays(20 * 50000);
  std::vector<float4> guess(50000);
  for (uint32_t i = 0; i < 50000; ++i) {
    for (int k = 0; k < 20; ++k) decays[k * 50000 + i] = (1 + fraction(i)) * std::exp(-(0.5f + fraction(i + 1)) * k * 0.2f) + 0.1f + 0.02f * fraction(i * 20 + k);
    guess[i] = make_float4(1.5f, 1.f, 0.f, 0.f);
  }
  const float* decays_d = on_device(decays);
  float4* guess_d = on_device(guess);
  run("fit_decays", [&] { fit_decays<<<(50000 + 127) / 128, 128>>>(times, decays_d, guess_d, 50000, 12); });
  float* swarm = on_device<float>(3 * 20000 * 32, [](uint32_t i) { return fraction(i) * 10 - 5; });
  float* own_cost = on_device<float>(20000, [](uint32_t i) { return 300.f + 100.f * fraction(i); });
  run("swarm_move", [&] { swarm_move<<<20000 / 8, dim3(32, 8)>>>(swarm, swarm + 640000, swarm + 1280000, own_cost, f, 20000, 0.7f, 1.4f, 1.4f, 3u); });
  run("sinkhorn_rows_log", [&] { sinkhorn_rows_log<<<2048, 128>>>(positive, positive, o, 1000, 20.f, -7.f); });
  run("matrix_chain_diagonal", [&] { matrix_chain_diagonal<<<(1400 * 32 + 127) / 128, 128>>>(positive, o, (short*)(o + 4 * M), 2000, 600); });
  run("cosine_method", [&] { cosine_method<<<(60000 + 127) / 128, 128, 128 * 8>>>(positive, o, 60000, 128, 1.f, 0.03f, 1.f, 0.2f, 0.3f, -0.1f); });
  run("merton_jump_paths", [&] { merton_jump_paths<<<264, 128>>>(od, 100000, 50, -0.0004f, 0.03f, 0.02f, -0.05f, 0.1f, 1.f, 11u); });
  run("adjoint_basket", [&] { adjoint_basket<<<(32768 + 127) / 128, 128>>>(f, positive, o, o + M, 32768, 64, 0.02f, 1.f); });
  return 0;
}
