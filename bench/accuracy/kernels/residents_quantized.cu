// Low precision and its surroundings: quantization, packed and half precision products, sparse products, adapters,
// pruning, calibration, layouts, image preprocessing, augmentation, metrics, graph networks, recommenders.
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>

#include "cases.h"

using namespace nvcuda;
#define WARP_SIZE 32
#define FULL_MASK 0xffffffffu

static __device__ __forceinline__ float warp_reduce_sum(float x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) x += __shfl_xor_sync(FULL_MASK, x, mask, 32);
  return x;
}
static __device__ __forceinline__ float warp_reduce_max(float x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) x = fmaxf(x, __shfl_xor_sync(FULL_MASK, x, mask, 32));
  return x;
}

// ---- blocks of four, six and eight bits ----

#define QK4_0 32
struct block_q4_0 {
  half d;
  uint8_t qs[QK4_0 / 2];
};
#define QK8_1 32
struct block_q8_1 {
  half2 ds;
  int8_t qs[QK8_1];
};
#define QK_K 256
struct block_q6_K {
  uint8_t ql[QK_K / 2];
  uint8_t qh[QK_K / 4];
  int8_t scales[QK_K / 16];
  half d;
};

// Activations to eight bits, a warp a block of 32, with the block's sum beside its scale.
static __global__ void quantize_rows_q8_1(const float* __restrict__ x, void* __restrict__ vy, const int kx, const int kx_padded) {
  const int ix = blockDim.x * blockIdx.x + threadIdx.x;
  if (ix >= kx_padded) return;
  const int i_padded = blockIdx.y * kx_padded + ix, ib = i_padded / QK8_1, iqs = i_padded % QK8_1;
  block_q8_1* y = (block_q8_1*)vy;
  const float xi = ix < kx ? x[(size_t)blockIdx.y * kx + ix] : 0.0f;
  const float amax = warp_reduce_max(fabsf(xi)), sum = warp_reduce_sum(xi);
  const float d = amax / 127;
  y[ib].qs[iqs] = amax == 0.0f ? 0 : roundf(xi / d);
  if (iqs == 0) y[ib].ds = make_half2(d, sum);
}

// Matrix of 4 bit blocks times a vector of 8 bit blocks, a warp a row, four lanes a block.
static __global__ void mul_mat_vec_q4_0_lanes4(const block_q4_0* __restrict__ x, const block_q8_1* __restrict__ y, float* __restrict__ dst, const int ncols, const int nrows) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= nrows) return;
  const int blocks_per_row = ncols / QK4_0, q = threadIdx.x % 4;
  float tmp = 0.0f;
  for (int i = threadIdx.x / 4; i < blocks_per_row; i += WARP_SIZE / 4) {
    const block_q4_0* bq4 = x + (size_t)row * blocks_per_row + i;
    const uint16_t* q16 = (const uint16_t*)bq4->qs;
    const int v = q16[2 * q] | q16[2 * q + 1] << 16;
    const int *u = (const int*)y[i].qs, sumi = __dp4a((v >> 4) & 0x0F0F0F0F, u[q + 4], __dp4a(v & 0x0F0F0F0F, u[q], 0));
    const float2 ds8f = __half22float2(y[i].ds);
    tmp += __half2float(bq4->d) * (sumi * ds8f.x - 2.0f * ds8f.y);
  }
  tmp = warp_reduce_sum(tmp);
  if (threadIdx.x == 0) dst[row] = tmp;
}

// Blocks of six bits back to half precision, 64 threads a block of 256.
template <typename dst_t>
static __global__ void dequantize_superblock_q6_K(const void* __restrict__ vx, dst_t* __restrict__ yy) {
  const block_q6_K* x = (const block_q6_K*)vx;
  const int64_t i = blockIdx.x;
  const int tid = threadIdx.x, ip = tid / 32, il = tid - 32 * ip, is = 8 * ip + il / 16;
  dst_t* y = yy + i * QK_K + 128 * ip + il;
  const float d = __half2float(x[i].d);
  const uint8_t *ql = x[i].ql + 64 * ip + il, qh = x[i].qh[32 * ip + il];
  const int8_t* sc = x[i].scales + is;
  y[0] = d * sc[0] * ((int8_t)((ql[0] & 0xF) | (((qh >> 0) & 3) << 4)) - 32);
  y[32] = d * sc[2] * ((int8_t)((ql[32] & 0xF) | (((qh >> 2) & 3) << 4)) - 32);
  y[64] = d * sc[4] * ((int8_t)((ql[0] >> 4) | (((qh >> 4) & 3) << 4)) - 32);
  y[96] = d * sc[6] * ((int8_t)((ql[32] >> 4) | (((qh >> 6) & 3) << 4)) - 32);
}

// NormalFloat of four bits: two values a byte from a table of sixteen, one scale for 64 values.
__constant__ float nf4_table[16] = {-1.0f, -0.6961928f, -0.5250731f, -0.3949175f, -0.2844414f, -0.1847734f, -0.0910500f, 0.0f, 0.0795803f, 0.1609302f, 0.2461123f, 0.3379152f, 0.4407098f, 0.5626170f, 0.7229568f, 1.0f};
template <int BLOCK>
__global__ void dequantize_nf4_blockwise(const uint32_t* packed, const float* absmax, half* out, int words) {
  __shared__ float table[16];
  if (threadIdx.x < 16) table[threadIdx.x] = nf4_table[threadIdx.x];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words) return;
  const uint32_t w = packed[i];
  const float s = absmax[i * 8 / BLOCK];
  __align__(16) half2 r[4];
#pragma unroll
  for (int k = 0; k < 4; k++) r[k] = __floats2half2_rn(table[w >> (8 * k + 4) & 15] * s, table[w >> (8 * k) & 15] * s);
  *(uint4*)(out + (size_t)i * 8) = *(uint4*)r;
}

// A vector times a matrix of packed 4 bit columns with groups of zeros and scales; parts of the long dimension meet atomically.
__global__ void vecquant4_grouped_matmul(const half* __restrict__ vec, const int* __restrict__ mat, float* __restrict__ mul, const half* __restrict__ scales, const int* __restrict__ zeros, int width, int groupsize) {
  __shared__ float blockvec[256];
  const int k0 = blockIdx.y * 256, col = blockIdx.x * 256 + threadIdx.x;
  blockvec[threadIdx.x] = __half2float(vec[k0 + threadIdx.x]);
  __syncthreads();
  float res = 0;
  for (int k = 0; k < 256; k += 8) {
    const int g = (k0 + k) / groupsize;
    const float scale = __half2float(scales[g * width + col]);
    const int zero = (zeros[g * (width / 8) + col / 8] >> (col % 8 * 4) & 0xF) + 1;
    const unsigned tmp = mat[(size_t)((k0 + k) / 8) * width + col];
    float part = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) part += (int(tmp >> (4 * j) & 0xF) - zero) * blockvec[k + j];
    res += scale * part;
  }
  atomicAdd(&mul[col], res);
}

// ---- products of eight bits and of half precision ----

// int8 by int8 with dp4a, 64x64 a block, 4x4 a thread; scales by row and by column.
__global__ void __launch_bounds__(256) w8a8_gemm_dp4a_tile64(const int* A, const int* B, const float* a_scale, const float* b_scale, half* C, int N, int K4) {
  __shared__ int sA[8][65], sB[8][65];
  const int tid = threadIdx.x, tr = tid / 16, tc = tid % 16, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
  int acc[4][4] = {};
  for (int k0 = 0; k0 < K4; k0 += 8) {
    for (int i = tid; i < 512; i += 256) {
      sA[i % 8][i / 8] = A[(size_t)(m0 + i / 8) * K4 + k0 + i % 8];
      sB[i % 8][i / 8] = B[(size_t)(n0 + i / 8) * K4 + k0 + i % 8];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) {
      int a[4], b[4];
      for (int i = 0; i < 4; i++) a[i] = sA[k][tr + 16 * i], b[i] = sB[k][tc + 16 * i];
      for (int i = 0; i < 16; i++) acc[i / 4][i % 4] = __dp4a(a[i / 4], b[i % 4], acc[i / 4][i % 4]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 16; i++) {
    const int m = m0 + tr + i / 4 * 16, n = n0 + tc + i % 4 * 16;
    C[(size_t)m * N + n] = __float2half(acc[i / 4][i % 4] * a_scale[m] * b_scale[n]);
  }
}

// A tile cast to fp8 both as it lies and transposed, with the largest magnitude of all.
__global__ void fp8_cast_transpose_tile(const half* in, uint8_t* cast, uint8_t* transposed, const float* scale_ptr, int* amax_bits, int rows, int cols) {
  __shared__ uint8_t tile[32][36];
  const float scale = *scale_ptr;
  const int c = blockIdx.x * 32 + threadIdx.x;
  float amax = 0.f;
#pragma unroll
  for (int i = threadIdx.y; i < 32; i += 8) {
    const int r = blockIdx.y * 32 + i;
    const float v = __half2float(in[(size_t)r * cols + c]);
    amax = fmaxf(amax, fabsf(v));
    const uint8_t e = __nv_cvt_float_to_fp8(v * scale, __NV_SATFINITE, __NV_E4M3);
    cast[(size_t)r * cols + c] = e;
    tile[threadIdx.x][i] = e;
  }
  __syncthreads();
  for (int i = threadIdx.y; i < 32; i += 8) transposed[(size_t)(blockIdx.x * 32 + i) * rows + blockIdx.y * 32 + threadIdx.x] = tile[i][threadIdx.x];
  amax = warp_reduce_max(amax);
  if (threadIdx.x == 0) atomicMax(amax_bits, __float_as_int(amax));
}

// Row vector times a half matrix stored by rows: eight columns a thread, rows split over blocks.
__global__ void hgemv_row_split_half8(const half* x, const half* W, float* y, int N, int rows_per_block) {
  const int n = (blockIdx.x * blockDim.x + threadIdx.x) * 8, k0 = blockIdx.y * rows_per_block;
  if (n >= N) return;
  float acc[8] = {};
#pragma unroll 4
  for (int k = k0; k < k0 + rows_per_block; k++) {
    const float xv = __half2float(x[k]);
    const uint4 bits = __ldg((const uint4*)(W + (size_t)k * N + n));
    const half2* h = (const half2*)&bits;
    for (int e = 0; e < 4; e++) {
      const float2 f = __half22float2(h[e]);
      acc[2 * e] += xv * f.x;
      acc[2 * e + 1] += xv * f.y;
    }
  }
  for (int e = 0; e < 8; e++) atomicAdd(&y[n + e], acc[e]);
}

// Half product with the mma instruction, 64x64 a block of four warps, fragments read by words from shared memory.
#define HMMA16816(D0, D1, D2, D3, A0, A1, A2, A3, B0, B1)                                                                            \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"          \
               : "+f"(D0), "+f"(D1), "+f"(D2), "+f"(D3)                                                                              \
               : "r"(A0), "r"(A1), "r"(A2), "r"(A3), "r"(B0), "r"(B1))
__global__ void __launch_bounds__(128) hgemm_m16n8k16_tile64(const half* A, const half* Bt, half* C, int N, int K) {
  __shared__ __align__(16) half sA[64][40];
  __shared__ __align__(16) half sB[64][40];
  const int tid = threadIdx.x, warp = tid / 32, g = tid % 32 / 4, t2 = tid % 4 * 2, wm = warp / 2 * 32, wn = warp % 2 * 32, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
  float acc[2][4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
#pragma unroll
    for (int i = tid; i < 256; i += 128) {
      *(uint4*)&sA[i / 4][i % 4 * 8] = *(const uint4*)&A[(size_t)(m0 + i / 4) * K + k0 + i % 4 * 8];
      *(uint4*)&sB[i / 4][i % 4 * 8] = *(const uint4*)&Bt[(size_t)(n0 + i / 4) * K + k0 + i % 4 * 8];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[2][4], b[4][2];
      for (int i = 0; i < 2; i++) {
        const int r = wm + i * 16 + g;
        a[i][0] = *(uint32_t*)&sA[r][kk + t2];
        a[i][1] = *(uint32_t*)&sA[r + 8][kk + t2];
        a[i][2] = *(uint32_t*)&sA[r][kk + t2 + 8];
        a[i][3] = *(uint32_t*)&sA[r + 8][kk + t2 + 8];
      }
      for (int j = 0; j < 4; j++) {
        b[j][0] = *(uint32_t*)&sB[wn + j * 8 + g][kk + t2];
        b[j][1] = *(uint32_t*)&sB[wn + j * 8 + g][kk + t2 + 8];
      }
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) HMMA16816(acc[i][j][0], acc[i][j][1], acc[i][j][2], acc[i][j][3], a[i][0], a[i][1], a[i][2], a[i][3], b[j][0], b[j][1]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++) {
      half* c = C + (size_t)(m0 + wm + i * 16 + g) * N + n0 + wn + j * 8 + t2;
      *(half2*)c = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *(half2*)(c + 8 * N) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}

// ---- sparse products, pruning, calibration, adapters ----

// Two of four weights kept: values and two bit places; a thread two columns, R rows a block.
template <int R>
__global__ void spmm_2of4_gather_rows(const half2* values, const uint8_t* meta, const half2* B, half2* C, int K, int N2) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x, m0 = blockIdx.y * R;
  if (n >= N2) return;
  float2 acc[R] = {};
  for (int k = 0; k < K; k += 4) {
#pragma unroll
    for (int r = 0; r < R; r++) {
      const size_t at = (size_t)(m0 + r) * (K / 4) + k / 4;
      const float2 v = __half22float2(values[at]);
      const int places = meta[at];
      const float2 b0 = __half22float2(B[(size_t)(k + (places & 3)) * N2 + n]), b1 = __half22float2(B[(size_t)(k + (places >> 2 & 3)) * N2 + n]);
      acc[r].x += v.x * b0.x + v.y * b1.x;
      acc[r].y += v.x * b0.y + v.y * b1.y;
    }
  }
  for (int r = 0; r < R; r++) C[(size_t)(m0 + r) * N2 + n] = __float22half2_rn(acc[r]);
}

// Weights to the form above: of each four, the two largest, a thread two groups.
__global__ void prune_2of4_compress(const uint4* dense, uint2* values, uint16_t* meta, int n8) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n8) return;
  const uint4 bits = dense[i];
  const half* h = (const half*)&bits;
  __align__(8) half kept[4];
  unsigned places = 0;
#pragma unroll
  for (int g = 0; g < 2; g++) {
    int first = 0, second = -1;
    for (int k = 1; k < 4; k++)
      if (__habs(h[g * 4 + k]) > __habs(h[g * 4 + first])) first = k;
    for (int k = 0; k < 4; k++)
      if (k != first && (second < 0 || __habs(h[g * 4 + k]) > __habs(h[g * 4 + second]))) second = k;
    const int lo = min(first, second), hi = max(first, second);
    kept[2 * g] = h[g * 4 + lo];
    kept[2 * g + 1] = h[g * 4 + hi];
    places |= (lo | hi << 2) << (8 * g);
  }
  values[i] = *(uint2*)kept;
  meta[i] = places;
}

// Block-sparse rows of 16x16 blocks by tensor cores, a warp 16 columns of the result.
__global__ void bsr16_spmm_wmma(const int* row_ptr, const int* col_idx, const half* blocks, const half* B, float* C, int N) {
  const int brow = blockIdx.y, n0 = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, 0.f);
  for (int j = row_ptr[brow]; j < row_ptr[brow + 1]; j++) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::load_matrix_sync(a, blocks + (size_t)j * 256, 16);
    wmma::load_matrix_sync(b, B + (size_t)col_idx[j] * 16 * N + n0, N);
    wmma::mma_sync(acc, a, b, acc);
  }
  wmma::store_matrix_sync(C + (size_t)brow * 16 * N + n0, acc, N, wmma::mem_row_major);
}

// Histogram of magnitudes for calibration, in shared memory first.
__global__ void calibration_abs_histogram(const float4* x, int n4, unsigned* hist, float inv_width) {
  __shared__ unsigned bins[2048];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    const float4 v = x[i];
    atomicAdd(&bins[min(2047, (int)(fabsf(v.x) * inv_width))], 1u);
    atomicAdd(&bins[min(2047, (int)(fabsf(v.y) * inv_width))], 1u);
    atomicAdd(&bins[min(2047, (int)(fabsf(v.z) * inv_width))], 1u);
    atomicAdd(&bins[min(2047, (int)(fabsf(v.w) * inv_width))], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 2048; i += blockDim.x)
    if (bins[i]) atomicAdd(&hist[i], bins[i]);
}

// Adapters of many requests, first half: x times its own adapter's A, a block one rank of one request.
__global__ void lora_shrink_multi_adapter(const half* x, const half* A, const int* adapter, float* y, int H, int R, float scale) {
  __shared__ float part[8];
  const int r = blockIdx.x, b = blockIdx.y, tid = threadIdx.y * 32 + threadIdx.x;
  if (adapter[b] < 0) return;
  const half2 *xr = (const half2*)(x + (size_t)b * H), *ar = (const half2*)(A + ((size_t)adapter[b] * R + r) * H);
  float sum = 0.f;
  for (int i = tid; i < H / 2; i += 32 * blockDim.y) {
    const float2 a = __half22float2(ar[i]), v = __half22float2(xr[i]);
    sum += a.x * v.x + a.y * v.y;
  }
  sum = warp_reduce_sum(sum);
  if (threadIdx.x == 0) part[threadIdx.y] = sum;
  __syncthreads();
  if (tid == 0) {
    for (int w = 1; w < blockDim.y; w++) sum += part[w];
    y[b * R + r] = sum * scale;
  }
}

// Second half: the result of rank 16 times B is added to the output, a thread a column.
__global__ void lora_expand_rank16_add(const float* y, const half* B, const int* adapter, half* out, int N) {
  __shared__ float ys[16];
  const int n = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
  if (threadIdx.x < 16) ys[threadIdx.x] = y[b * 16 + threadIdx.x];
  __syncthreads();
  if (adapter[b] < 0 || n >= N) return;
  const uint4* row = (const uint4*)(B + ((size_t)adapter[b] * N + n) * 16);
  float acc = __half2float(out[(size_t)b * N + n]);
  for (int k = 0; k < 2; k++) {
    const uint4 bits = row[k];
    const half* h = (const half*)&bits;
    for (int e = 0; e < 8; e++) acc += ys[k * 8 + e] * __half2float(h[e]);
  }
  out[(size_t)b * N + n] = __float2half(acc);
}

// ---- layouts ----

// NCHW to NHWC in half precision, tiles of 64x64 by pairs.
__global__ void nchw_to_nhwc_pairs_tile64(const half* in, half* out, int C, int HW) {
  __shared__ half tile[64][66];
  const int p0 = blockIdx.x * 64, c0 = blockIdx.y * 64, tx = threadIdx.x;
  const size_t image = (size_t)blockIdx.z * C * HW;
  for (int r = threadIdx.y; r < 64; r += blockDim.y) *(half2*)&tile[r][2 * tx] = *(const half2*)&in[image + (size_t)(c0 + r) * HW + p0 + 2 * tx];
  __syncthreads();
  for (int p = threadIdx.y; p < 64; p += blockDim.y) *(half2*)&out[image + (size_t)(p0 + p) * C + c0 + 2 * tx] = __halves2half2(tile[2 * tx][p], tile[2 * tx + 1][p]);
}

// im2col of a dilated convolution: a thread one channel's window, written down a column.
template <typename Dtype>
__global__ void im2col_dilated_gpu(const int n, const Dtype* data_im, const int height, const int width, const int kernel, const int pad, const int dilation, Dtype* data_col) {
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < n; index += blockDim.x * gridDim.x) {
    const int w_col = index % width, h_col = index / width % height, c_im = index / width / height;
    const int h_offset = h_col - pad, w_offset = w_col - pad;
    Dtype* data_col_ptr = data_col + ((size_t)c_im * kernel * kernel * height + h_col) * width + w_col;
    const Dtype* data_im_ptr = data_im + ((ptrdiff_t)c_im * height + h_offset) * width + w_offset;
    for (int i = 0; i < kernel; ++i)
      for (int j = 0; j < kernel; ++j) {
        const int h_im = h_offset + i * dilation, w_im = w_offset + j * dilation;
        *data_col_ptr = h_im >= 0 && w_im >= 0 && h_im < height && w_im < width ? data_im_ptr[i * dilation * width + j * dilation] : static_cast<Dtype>(0);
        data_col_ptr += height * width;
      }
  }
}

// ---- images ----

// A camera frame into a detector's square input: bilinear by an affine matrix, grey border, BGR bytes to planes of RGB floats.
struct AffineMatrix {
  float value[6];
};
__global__ void letterbox_affine_bgr_planar(const uint8_t* src, int src_line_size, int src_width, int src_height, float* dst, int dst_width, int dst_height, AffineMatrix d2s) {
  const int position = blockDim.x * blockIdx.x + threadIdx.x;
  if (position >= dst_width * dst_height) return;
  const int dx = position % dst_width, dy = position / dst_width, area = dst_width * dst_height;
  const float src_x = d2s.value[0] * dx + d2s.value[1] * dy + d2s.value[2] + 0.5f, src_y = d2s.value[3] * dx + d2s.value[4] * dy + d2s.value[5] + 0.5f;
  float c0 = 114.f, c1 = 114.f, c2 = 114.f;
  if (src_x > -1 && src_x < src_width && src_y > -1 && src_y < src_height) {
    const int y_low = floorf(src_y), x_low = floorf(src_x), y_high = y_low + 1, x_high = x_low + 1;
    const uint8_t border[3] = {114, 114, 114};
    const float ly = src_y - y_low, lx = src_x - x_low, hy = 1 - ly, hx = 1 - lx;
    const float w1 = hy * hx, w2 = hy * lx, w3 = ly * hx, w4 = ly * lx;
    const uint8_t *v1 = border, *v2 = border, *v3 = border, *v4 = border;
    if (y_low >= 0) {
      if (x_low >= 0) v1 = src + y_low * src_line_size + x_low * 3;
      if (x_high < src_width) v2 = src + y_low * src_line_size + x_high * 3;
    }
    if (y_high < src_height) {
      if (x_low >= 0) v3 = src + y_high * src_line_size + x_low * 3;
      if (x_high < src_width) v4 = src + y_high * src_line_size + x_high * 3;
    }
    c0 = w1 * v1[0] + w2 * v2[0] + w3 * v3[0] + w4 * v4[0];
    c1 = w1 * v1[1] + w2 * v2[1] + w3 * v3[1] + w4 * v4[1];
    c2 = w1 * v1[2] + w2 * v2[2] + w3 * v3[2] + w4 * v4[2];
  }
  float* out = dst + (size_t)blockIdx.y * 3 * area + position;
  out[0] = c2 / 255.0f;
  out[area] = c1 / 255.0f;
  out[2 * area] = c0 / 255.0f;
}

// Augmentation: hue, saturation and brightness shifted and the image mirrored by each image's own numbers.
__global__ void augment_hsv_mirror(const uchar3* in, const float4* shift, float* out, int H, int W) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, n = blockIdx.z;
  if (x >= W || y >= H) return;
  const float4 s = shift[n];
  const uchar3 p = in[((size_t)n * H + y) * W + (s.w > 0.5f ? W - 1 - x : x)];
  const float r = p.x / 255.f, g = p.y / 255.f, b = p.z / 255.f, v = fmaxf(r, fmaxf(g, b)), c = v - fminf(r, fminf(g, b));
  float h = 0.f;
  if (c > 0.f) h = v == r ? (g - b) / c : v == g ? 2.f + (b - r) / c : 4.f + (r - g) / c;
  h = h / 6.f + s.x;
  h -= floorf(h);
  const float sat = fminf((v > 0.f ? c / v : 0.f) * (0.5f + s.y), 1.f), val = fminf(v * (0.5f + s.z), 1.f);
  const int sector = min(5, (int)(h * 6.f));
  const float f = h * 6.f - sector, P = val * (1 - sat), Q = val * (1 - sat * f), T = val * (1 - sat * (1 - f));
  float R, G, B;
  switch (sector) {
    case 0: R = val, G = T, B = P; break;
    case 1: R = Q, G = val, B = P; break;
    case 2: R = P, G = val, B = T; break;
    case 3: R = P, G = Q, B = val; break;
    case 4: R = T, G = P, B = val; break;
    default: R = val, G = P, B = Q;
  }
  float* o = out + (size_t)n * 3 * H * W + y * W + x;
  o[0] = (R - 0.485f) / 0.229f;
  o[H * W] = (G - 0.456f) / 0.224f;
  o[2 * H * W] = (B - 0.406f) / 0.225f;
}

// ---- metrics ----

// Segmentation: the best class of each pixel from planes of logits, counted in a confusion matrix.
template <int CLASSES>
__global__ void confusion_from_logit_planes(const half* logits, const uint8_t* label, int* confusion, int pixels) {
  __shared__ int counts[CLASSES * CLASSES];
  for (int i = threadIdx.x; i < CLASSES * CLASSES; i += blockDim.x) counts[i] = 0;
  __syncthreads();
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < pixels; p += gridDim.x * blockDim.x) {
    if (label[p] == 255) continue;
    int best = 0;
    half top = logits[p];
#pragma unroll
    for (int c = 1; c < CLASSES; c++) {
      const half v = logits[(size_t)c * pixels + p];
      if (v > top) top = v, best = c;
    }
    atomicAdd(&counts[label[p] * CLASSES + best], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < CLASSES * CLASSES; i += blockDim.x)
    if (counts[i]) atomicAdd(&confusion[i], counts[i]);
}

// Structural similarity of 8x8 squares, a warp a square.
__global__ void ssim_square8_warp(const uint8_t* a, const uint8_t* b, float* map, float* total, int W, int H) {
  const int squares_x = W / 8, sq = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (sq >= squares_x * (H / 8)) return;
  const int x = sq % squares_x * 8 + lane % 8, y = sq / squares_x * 8 + lane / 8;
  float sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
  for (int k = 0; k < 2; k++) {
    const float va = a[(y + 4 * k) * W + x], vb = b[(y + 4 * k) * W + x];
    sa += va, sb += vb, saa += va * va, sbb += vb * vb, sab += va * vb;
  }
  sa = warp_reduce_sum(sa) / 64, sb = warp_reduce_sum(sb) / 64;
  saa = warp_reduce_sum(saa) / 64 - sa * sa, sbb = warp_reduce_sum(sbb) / 64 - sb * sb, sab = warp_reduce_sum(sab) / 64 - sa * sb;
  if (lane == 0) {
    const float s = (2 * sa * sb + 6.5025f) * (2 * sab + 58.5225f) / ((sa * sa + sb * sb + 6.5025f) * (saa + sbb + 58.5225f));
    map[sq] = s;
    atomicAdd(total, s);
  }
}

// ---- graphs and recommenders ----

// Sum over neighbours by a sparse matrix of rows, a warp a node, two features a lane.
__global__ void gcn_csr_spmm_warp_node(const int* row_ptr, const int* col, const float* weight, const float2* feat, const float* bias, float2* out, int nodes) {
  const int node = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (node >= nodes) return;
  const int begin = row_ptr[node], end = row_ptr[node + 1];
  float2 acc = make_float2(bias[2 * lane], bias[2 * lane + 1]);
  for (int base = begin; base < end; base += 32) {
    const int mine = base + lane < end ? col[base + lane] : 0;
    const float w = base + lane < end ? weight[base + lane] : 0.f;
    for (int j = 0; j < min(32, end - base); j++) {
      const float2 f = feat[(size_t)__shfl_sync(FULL_MASK, mine, j) * 32 + lane];
      const float wj = __shfl_sync(FULL_MASK, w, j);
      acc.x += wj * f.x;
      acc.y += wj * f.y;
    }
  }
  out[(size_t)node * 32 + lane] = make_float2(fmaxf(acc.x, 0.f), fmaxf(acc.y, 0.f));
}

// Graph attention with four heads of sixteen channels: softmax over a node's edges and the weighted sum, 64 threads a node.
__global__ void gat_fused_softmax_aggregate(const int* row_ptr, const int* col, const float* el, const float* er, const half* feat, float* out, float slope) {
  const int node = blockIdx.x, t = threadIdx.x, head = t / 16, begin = row_ptr[node], end = row_ptr[node + 1];
  const float right = er[node * 4 + head];
  float m = -INFINITY;
  for (int j = begin + t % 16; j < end; j += 16) {
    const float e = el[col[j] * 4 + head] + right;
    m = fmaxf(m, e > 0.f ? e : slope * e);
  }
  for (int o = 8; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(FULL_MASK, m, o));
  float z = 0.f, acc = 0.f;
  for (int j = begin; j < end; j++) {
    float e = el[col[j] * 4 + head] + right;
    e = __expf((e > 0.f ? e : slope * e) - m);
    z += e;
    acc += e * __half2float(feat[(size_t)col[j] * 64 + t]);
  }
  out[(size_t)node * 64 + t] = end > begin ? acc / z : 0.f;
}

// Bags of embeddings with a weight for each member, a warp a bag of 128 columns.
__global__ void embedding_bag_weighted_mean(const float4* table, const int* indices, const int* offsets, const float* sample_weight, float4* out, int bags) {
  const int bag = blockIdx.x * blockDim.y + threadIdx.y;
  if (bag >= bags) return;
  float4 acc = make_float4(0, 0, 0, 0);
  float total = 0.f;
  for (int i = offsets[bag]; i < offsets[bag + 1]; i++) {
    const float w = sample_weight[i];
    const float4 v = table[(size_t)indices[i] * 32 + threadIdx.x];
    acc.x += w * v.x, acc.y += w * v.y, acc.z += w * v.z, acc.w += w * v.w;
    total += w;
  }
  const float inv = total > 0.f ? 1.f / total : 0.f;
  out[(size_t)bag * 32 + threadIdx.x] = make_float4(acc.x * inv, acc.y * inv, acc.z * inv, acc.w * inv);
}

// Products of all pairs of a sample's 27 feature vectors of length 64, a block a sample.
__global__ void dot_interaction_pairs(const half2* features, half* out, int out_stride) {
  __shared__ float f[27][65];
  const int tid = threadIdx.x;
  for (int i = tid; i < 27 * 32; i += blockDim.x) {
    const float2 v = __half22float2(features[(size_t)blockIdx.x * 27 * 32 + i]);
    f[i / 32][i % 32 * 2] = v.x;
    f[i / 32][i % 32 * 2 + 1] = v.y;
  }
  __syncthreads();
  half* row = out + (size_t)blockIdx.x * out_stride;
  for (int i = tid; i < 64; i += blockDim.x) row[i] = __float2half(f[0][i]);
  for (int p = tid; p < 351; p += blockDim.x) {
    int i = (int)((1.f + sqrtf(1.f + 8.f * p)) * 0.5f);
    if (i * (i - 1) / 2 > p) i--;
    if (i * (i + 1) / 2 <= p) i++;
    const int j = p - i * (i - 1) / 2;
    float s = 0.f;
#pragma unroll 16
    for (int k = 0; k < 64; k++) s += f[i][k] * f[j][k];
    row[64 + p] = __float2half(s);
  }
}

// Row-wise Adagrad on an embedding table: the gradients of one index lie together in sorted order, a warp an index.
__global__ void rowwise_adagrad_sorted_segments(float4* table, float* state, const float4* grad, const int* unique, const int* segment, const int* order, int rows, float lr) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float4 g = make_float4(0, 0, 0, 0);
  for (int i = segment[row]; i < segment[row + 1]; i++) {
    const float4 v = grad[(size_t)order[i] * 32 + lane];
    g.x += v.x, g.y += v.y, g.z += v.z, g.w += v.w;
  }
  const float sq = warp_reduce_sum(g.x * g.x + g.y * g.y + g.z * g.z + g.w * g.w) / 128;
  float acc = 0.f;
  if (lane == 0) acc = state[unique[row]] + sq, state[unique[row]] = acc;
  acc = __shfl_sync(FULL_MASK, acc, 0);
  const float step = lr / (sqrtf(acc) + 1e-8f);
  float4 p = table[(size_t)unique[row] * 32 + lane];
  table[(size_t)unique[row] * 32 + lane] = make_float4(p.x - step * g.x, p.y - step * g.y, p.z - step * g.z, p.w - step * g.w);
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 24;
  float* x = on_device<float>(M, [](uint32_t i) { return fraction(i) * 2 - 1; });
  float* positive = on_device<float>(1 << 20, [](uint32_t i) { return fraction(i) + 0.01f; });
  half* xh = on_device<half>(M, [](uint32_t i) { return __float2half(fraction(i) * 2 - 1); });
  half* yh = on_device<half>(M, [](uint32_t i) { return __float2half(fraction(i + 5555) - 0.5f); });
  const uint32_t* words = on_device<uint32_t>(1 << 22, [](uint32_t i) { return hashed(i); });
  const uint8_t* bytes = (const uint8_t*)words;
  float *o = zeros<float>(M), *o2 = zeros<float>(1 << 22), *sums = zeros<float>(1 << 16);
  half* oh = zeros<half>(M);

  const block_q4_0* q4 = on_device<block_q4_0>(128 * 6000, [](uint32_t i) { block_q4_0 b; b.d = __float2half(fraction(i) * 0.1f); for (int k = 0; k < 16; ++k) b.qs[k] = uint8_t(hashed(i * 16 + k)); return b; });
  const block_q8_1* q8 = on_device<block_q8_1>(512, [](uint32_t i) { block_q8_1 b; b.ds = __floats2half2_rn(0.01f, fraction(i)); for (int k = 0; k < 32; ++k) b.qs[k] = int8_t(hashed(i * 32 + k)); return b; });
  const block_q6_K* q6 = on_device<block_q6_K>(20000, [](uint32_t i) { block_q6_K b; for (int k = 0; k < 128; ++k) b.ql[k] = uint8_t(hashed(i + k)), b.qh[k / 2] = uint8_t(hashed(i - k)), b.scales[k / 8] = int8_t(i + k); b.d = __float2half(0.001f); return b; });
  run("quantize_rows_q8_1", [&] { quantize_rows_q8_1<<<dim3(4352 / 256, 512), 256>>>(x, o, 4100, 4352); });
  run("mul_mat_vec_q4_0_lanes4_6000", [&] { mul_mat_vec_q4_0_lanes4<<<6000 / 4, dim3(32, 4)>>>(q4, q8, o, 4096, 6000); });
  run("mul_mat_vec_q4_0_lanes4_300", [&] { mul_mat_vec_q4_0_lanes4<<<300, dim3(32, 1)>>>(q4, q8, o, 14336, 300); });
  run("dequantize_superblock_q6_K", [&] { dequantize_superblock_q6_K<half><<<20000, 64>>>(q6, oh); });
  run("dequantize_nf4_blockwise", [&] { dequantize_nf4_blockwise<64><<<2097152 / 512, 512>>>(words, positive, oh, 2097152); });
  run("vecquant4_grouped_matmul", [&] { vecquant4_grouped_matmul<<<dim3(4096 / 256, 4096 / 256), 256>>>(xh, (const int*)words, sums, yh, (const int*)words + 5000, 4096, 128); });

  run("w8a8_gemm_dp4a_tile64", [&] { w8a8_gemm_dp4a_tile64<<<dim3(2048 / 64, 512 / 64), 256>>>((const int*)words, (const int*)words + 1000000, positive, positive + 4096, oh, 2048, 256); });
  run("fp8_cast_transpose_tile", [&] { fp8_cast_transpose_tile<<<dim3(3072 / 32, 4096 / 32), dim3(32, 8)>>>(xh, (uint8_t*)o, (uint8_t*)o2, positive, (int*)sums + 60000, 4096, 3072); });
  run("hgemv_row_split_half8", [&] { hgemv_row_split_half8<<<dim3(4096 / 8 / 64, 4096 / 128), 64>>>(yh, xh, sums, 4096, 128); });
  run("hgemm_m16n8k16_tile64", [&] { hgemm_m16n8k16_tile64<<<dim3(1536 / 64, 1024 / 64), 128>>>(xh, yh, oh, 1536, 1024); });

  run("spmm_2of4_gather_rows", [&] { spmm_2of4_gather_rows<4><<<dim3(2, 512 / 4), 128>>>((const half2*)xh, bytes, (const half2*)yh, (half2*)oh, 1024, 256); });
  run("prune_2of4_compress", [&] { prune_2of4_compress<<<M / 8 / 256, 256>>>((const uint4*)xh, (uint2*)o, (uint16_t*)o2, M / 8); });
  std::vector<int> brow(257, 0), bcol;
  for (uint32_t r = 0; r < 256; ++r) {
    for (uint32_t c = 0; c < 256; ++c)
      if (hashed(r * 256 + c) % 256 < 8 + hashed(r) % 80) bcol.push_back(int(c));
    brow[r + 1] = int(bcol.size());
  }
  bcol.push_back(0);
  const int *brow_d = on_device(brow), *bcol_d = on_device(bcol);
  run("bsr16_spmm_wmma", [&] { bsr16_spmm_wmma<<<dim3(4, 256), 128>>>(brow_d, bcol_d, xh, yh, o, 256); });
  run("calibration_abs_histogram", [&] { calibration_abs_histogram<<<264, 512>>>((const float4*)x, M / 4, (unsigned*)sums + 50000, 2048.f / 1.2f); });
  const int* adapter = on_device<int>(96, [](uint32_t i) { return int(hashed(i) % 9) - 1; });
  run("lora_shrink_multi_adapter", [&] { lora_shrink_multi_adapter<<<dim3(16, 96), dim3(32, 4)>>>(xh, yh, adapter, o, 4096, 16, 0.5f); });
  run("lora_expand_rank16_add", [&] { lora_expand_rank16_add<<<dim3(4096 / 256, 96), 256>>>(x, yh, adapter, oh, 4096); });

  run("nchw_to_nhwc_pairs_tile64", [&] { nchw_to_nhwc_pairs_tile64<<<dim3(3136 / 64, 256 / 64, 16), dim3(32, 8)>>>(xh, oh, 256, 3136); });
  run("im2col_dilated_gpu", [&] { im2col_dilated_gpu<float><<<396, 512>>>(256 * 64 * 64, x, 64, 64, 3, 2, 2, o); });

  const AffineMatrix d2s = {{3.0f, 0.02f, 0.f, -0.02f, 3.0f, -420.f}};
  run("letterbox_affine_bgr_planar", [&] { letterbox_affine_bgr_planar<<<dim3(640 * 640 / 256, 4), 256>>>(bytes, 1920 * 3, 1920, 1080, o, 640, 640, d2s); });
  const float4* shift = on_device<float4>(64, [](uint32_t i) { return make_float4(fraction(i) * 0.2f, fraction(i + 99), fraction(i + 999), fraction(i + 9999)); });
  run("augment_hsv_mirror", [&] { augment_hsv_mirror<<<dim3(7, 28, 64), dim3(32, 8)>>>((const uchar3*)bytes, shift, o, 224, 224); });

  const uint8_t* label = on_device<uint8_t>(1 << 19, [](uint32_t i) { return uint8_t(hashed(i) % 50 == 0 ? 255 : hashed(i / 500) % 19); });
  run("confusion_from_logit_planes", [&] { confusion_from_logit_planes<19><<<264, 256>>>(xh, label, (int*)sums + 40000, 1 << 19); });
  run("ssim_square8_warp", [&] { ssim_square8_warp<<<(2048 / 8) * (1024 / 8) / 4, 128>>>(bytes, bytes + 3000001, o, sums, 2048, 1024); });

  constexpr int nodes = 40000;
  std::vector<int> row(nodes + 1, 0), col;
  for (uint32_t v = 0; v < nodes; ++v) {
    const uint32_t degree = hashed(v) % 18 + (hashed(v) % 97 == 0 ? 150 : 0);
    for (uint32_t k = 0; k < degree; ++k) col.push_back(int(k % 3 ? (v + hashed(v * 31 + k) % 400) % nodes : hashed(v * 31 + k) % nodes));
    row[v + 1] = int(col.size());
  }
  const int *row_d = on_device(row), *col_d = on_device(col);
  run("gcn_csr_spmm_warp_node", [&] { gcn_csr_spmm_warp_node<<<nodes / 8, 256>>>(row_d, col_d, positive, (const float2*)x, x, (float2*)o, nodes); });
  run("gat_fused_softmax_aggregate", [&] { gat_fused_softmax_aggregate<<<nodes / 4, 64>>>(row_d, col_d, x, x + 1000000, xh, o, 0.2f); });

  std::vector<int> offsets(8193, 0), unique(10000), order(20480);
  for (uint32_t i = 0; i < 8192; ++i) offsets[i + 1] = offsets[i] + int(hashed(i) % 40);
  for (uint32_t i = 0; i < 10000; ++i) unique[i] = int(i * 13 + hashed(i) % 13);
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = int((i * 7919u) % 20480);
  std::vector<int> segment(10001, 0);
  for (uint32_t i = 0; i < 10000; ++i) segment[i + 1] = std::min(20480, segment[i] + 1 + int(hashed(i) % 3));
  const int *offsets_d = on_device(offsets), *unique_d = on_device(unique), *order_d = on_device(order), *segment_d = on_device(segment);
  const int* indices = on_device<int>(8192 * 40, [](uint32_t i) { return int(hashed(i) % 131072 >> (hashed(i + 1) % 4 * 3)); });
  run("embedding_bag_weighted_mean", [&] { embedding_bag_weighted_mean<<<8192 / 4, dim3(32, 4)>>>((const float4*)x, indices, offsets_d, positive, (float4*)o, 8192); });
  run("dot_interaction_pairs", [&] { dot_interaction_pairs<<<4096, 128>>>((const half2*)xh, oh, 416); });
  float* table = on_device<float>(M, [](uint32_t i) { return fraction(i + 1) - 0.5f; });
  float* state = zeros<float>(131072);
  run("rowwise_adagrad_sorted_segments", [&] { rowwise_adagrad_sorted_segments<<<10000 / 4, 128>>>((float4*)table, state, (const float4*)x, unique_d, segment_d, order_d, 10000, 0.01f); });
  return 0;
}
