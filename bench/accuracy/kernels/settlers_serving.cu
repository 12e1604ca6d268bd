// Inference: quantized weights, caches of keys and values, routing, sampling, state spaces, detection.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cfloat>
#include <cmath>

#include "cases.h"

// ---- quantized blocks ----

#define QK_K 256
struct block_q3_K {
  uint8_t hmask[QK_K / 8];
  uint8_t qs[QK_K / 4];
  uint8_t scales[12];
  half d;
};
struct block_q5_K {
  half2 dm;
  uint8_t scales[12];
  uint8_t qh[QK_K / 8];
  uint8_t qs[QK_K / 2];
};
struct block_q4_0 {
  half d;
  uint8_t qs[16];
};
struct block_q4_1 {
  half2 dm;
  uint8_t qs[16];
};
struct block_q8_0 {
  half d;
  int8_t qs[32];
};
struct block_q8_1 {
  half2 ds;
  int8_t qs[32];
};

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) v += __shfl_xor_sync(0xffffffff, v, mask, 32);
  return v;
}
__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, mask, 32));
  return v;
}
__device__ __forceinline__ int load_int_b2(const void* p, int i) {
  const uint16_t* h = (const uint16_t*)p + 2 * i;
  return h[0] | (h[1] << 16);
}

// Dequantizes superblocks of 3-bit weights to half, 64 threads a superblock
__global__ void dequantize_block_q3_K(const void* __restrict__ vx, half* __restrict__ yy) {
  const int64_t i = blockIdx.x;
  const block_q3_K* x = (const block_q3_K*)vx;
  const int r = threadIdx.x / 4, tid = r / 2, is0 = r % 2;
  const int l0 = 16 * is0 + 4 * (threadIdx.x % 4);
  const int n = tid / 4, j = tid - 4 * n;
  const uint8_t m = 1 << (4 * n + j);
  const int is = 8 * n + 2 * j + is0, shift = 2 * j;
  const uint8_t* sc = x[i].scales;
  int us;
  if (is < 4)
    us = (sc[is] & 0xF) | (((sc[is + 8] >> 0) & 3) << 4);
  else if (is < 8)
    us = (sc[is] & 0xF) | (((sc[is + 4] >> 2) & 3) << 4);
  else if (is < 12)
    us = (sc[is - 8] >> 4) | (((sc[is] >> 4) & 3) << 4);
  else
    us = (sc[is - 8] >> 4) | (((sc[is - 4] >> 6) & 3) << 4);
  const float dl = __half2float(x[i].d) * (us - 32);
  half* y = yy + i * QK_K + 128 * n + 32 * j;
  const uint8_t *q = x[i].qs + 32 * n, *hm = x[i].hmask;
  for (int l = l0; l < l0 + 4; ++l) y[l] = __float2half(dl * ((int8_t)((q[l] >> shift) & 3) - ((hm[l] & m) ? 0 : 4)));
}

// Matrix of 5-bit superblocks times one vector of 8-bit blocks, four warps a row
template <int NWARPS>
__global__ void __launch_bounds__(NWARPS * 32) mul_mat_vec_q5_K_q8_1(const block_q5_K* __restrict__ x, const block_q8_1* __restrict__ y, float* __restrict__ dst, int ncols, int nrows) {
  const int row = blockIdx.x, tid = 32 * threadIdx.y + threadIdx.x;
  const int superblocks = ncols / QK_K;
  float acc = 0.0f;
  for (int ib = tid / 16; ib < superblocks; ib += NWARPS * 2) {
    const block_q5_K* b = x + (int64_t)row * superblocks + ib;
    const int part = tid % 16, pair = part / 4, lane4 = part % 4;  // a pair of 32-value groups, an int of them
    const block_q8_1* b8 = y + ib * 8 + 2 * pair;
    const int* ql = (const int*)b->qs + 8 * pair + lane4;
    const int* qh = (const int*)b->qh + lane4;
    const int vl0 = ql[0], vl1 = ql[4], vh0 = qh[0] >> (2 * pair), vh1 = qh[4] >> (2 * pair);
    const uint16_t* s16 = (const uint16_t*)b->scales;
    uint16_t aux[2];
    if (pair < 2) {
      aux[0] = s16[pair] & 0x3f3f;
      aux[1] = s16[pair + 2] & 0x3f3f;
    } else {
      aux[0] = (s16[pair + 2] & 0x0f0f) | ((s16[pair - 2] & 0xc0c0) >> 2);
      aux[1] = ((s16[pair + 2] >> 4) & 0x0f0f) | ((s16[pair] & 0xc0c0) >> 2);
    }
    const uint8_t *sc = (const uint8_t*)aux, *mn = sc + 2;
    float sumd = 0.0f, summ = 0.0f;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const float d8 = __low2float(b8[i].ds);
      const int* q8 = (const int*)b8[i].qs + lane4;
      const int u0 = q8[0], u1 = q8[4];
      const int v0 = ((vl0 >> (4 * i)) & 0x0f0f0f0f) | (((vh0 >> i) << 4) & 0x10101010);
      const int v1 = ((vl1 >> (4 * i)) & 0x0f0f0f0f) | (((vh1 >> i) << 4) & 0x10101010);
      sumd += d8 * (__dp4a(v0, u0, __dp4a(v1, u1, 0)) * sc[i]);
      summ += d8 * (__dp4a(0x01010101, u0, __dp4a(0x01010101, u1, 0)) * mn[i]);
    }
    const float2 dm = __half22float2(b->dm);
    acc += dm.x * sumd - dm.y * summ;
  }
  __shared__ float partial[NWARPS][32];
  partial[threadIdx.y][threadIdx.x] = acc;
  __syncthreads();
  if (threadIdx.y > 0) return;
  acc = 0.0f;
#pragma unroll
  for (int w = 0; w < NWARPS; ++w) acc += partial[w][threadIdx.x];
  acc = warp_sum(acc);
  if (threadIdx.x == 0) dst[row] = acc;
}

// Matrix of 8-bit blocks times a small batch of columns, two rows a block
template <int NCOLS_Y, int ROWS>
__global__ void __launch_bounds__(128) mul_mat_vec_q8_0_cols(const block_q8_0* __restrict__ x, const block_q8_1* __restrict__ y, float* __restrict__ dst, int blocks_per_row, int stride_col_y,
    int nrows) {
  const int tid = threadIdx.x, row0 = ROWS * blockIdx.x;
  float tmp[NCOLS_Y][ROWS] = {{0.0f}};
  const int kqs = 2 * (tid % 4);
  for (int kb = tid / 4; kb < blocks_per_row; kb += 32) {
#pragma unroll
    for (int j = 0; j < NCOLS_Y; ++j) {
      const block_q8_1* by = y + j * stride_col_y + kb;
      const int u0 = ((const int*)by->qs)[kqs], u1 = ((const int*)by->qs)[kqs + 1];
      const float dy = __low2float(by->ds);
#pragma unroll
      for (int i = 0; i < ROWS; ++i) {
        const block_q8_0* bx = x + (int64_t)(row0 + i) * blocks_per_row + kb;
        const int sumi = __dp4a(load_int_b2(bx->qs, kqs), u0, __dp4a(load_int_b2(bx->qs, kqs + 1), u1, 0));
        tmp[j][i] += __half2float(bx->d) * dy * sumi;
      }
    }
  }
  __shared__ float shared_tmp[3][NCOLS_Y][ROWS][32];
  const int warp = tid / 32, lane = tid % 32;
  if (warp > 0)
    for (int j = 0; j < NCOLS_Y; ++j)
      for (int i = 0; i < ROWS; ++i) shared_tmp[warp - 1][j][i][lane] = tmp[j][i];
  __syncthreads();
  if (warp > 0) return;
#pragma unroll
  for (int j = 0; j < NCOLS_Y; ++j) {
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
#pragma unroll
      for (int l = 0; l < 3; ++l) tmp[j][i] += shared_tmp[l][j][i][lane];
      tmp[j][i] = warp_sum(tmp[j][i]);
    }
    if (lane < ROWS && row0 + lane < nrows) dst[j * nrows + row0 + lane] = tmp[j][lane];
  }
}

// Matrix of 4-bit blocks with minima times 8-bit columns, tiles of 64 x 64 in shared memory
#define MMQ_X 64
#define MMQ_Y 64
__global__ void __launch_bounds__(256) mul_mat_q4_1_mmq(const block_q4_1* __restrict__ x, const block_q8_1* __restrict__ y, float* __restrict__ dst, int blocks_per_row, int nrows) {
  __shared__ int x_qs[MMQ_Y][2 * 4 + 1];
  __shared__ half2 x_dm[MMQ_Y][2];
  __shared__ int y_qs[MMQ_X][2 * 8 + 1];
  __shared__ half2 y_ds[MMQ_X][2];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const int row0 = blockIdx.x * MMQ_Y, col0 = blockIdx.y * MMQ_X;
  float sum[4][4] = {{0.0f}};
  for (int kb0 = 0; kb0 < blocks_per_row; kb0 += 2) {
    for (int i = threadIdx.x; i < MMQ_Y * 8; i += 256) {
      const int r = i / 8, k = i % 8;
      x_qs[r][k] = ((const int*)x[(size_t)(row0 + r) * blocks_per_row + kb0 + k / 4].qs)[k % 4];
    }
    for (int i = threadIdx.x; i < MMQ_X * 16; i += 256) {
      const int c = i / 16, k = i % 16;
      y_qs[c][k] = ((const int*)y[(size_t)(col0 + c) * blocks_per_row + kb0 + k / 8].qs)[k % 8];
    }
    if (threadIdx.x < 128)
      x_dm[threadIdx.x / 2][threadIdx.x % 2] = x[(size_t)(row0 + threadIdx.x / 2) * blocks_per_row + kb0 + threadIdx.x % 2].dm;
    else
      y_ds[threadIdx.x / 2 - 64][threadIdx.x % 2] = y[(size_t)(col0 + threadIdx.x / 2 - 64) * blocks_per_row + kb0 + threadIdx.x % 2].ds;
    __syncthreads();
#pragma unroll
    for (int kb = 0; kb < 2; ++kb)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int r = ty + 16 * i;
        const float2 dm = __half22float2(x_dm[r][kb]);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const int c = tx + 16 * j;
          int sumi = 0;
#pragma unroll
          for (int k = 0; k < 4; ++k) {
            const int v = x_qs[r][kb * 4 + k];
            sumi = __dp4a(v & 0x0f0f0f0f, y_qs[c][kb * 8 + k], sumi);
            sumi = __dp4a((v >> 4) & 0x0f0f0f0f, y_qs[c][kb * 8 + k + 4], sumi);
          }
          const float2 ds = __half22float2(y_ds[c][kb]);
          sum[i][j] += dm.x * ds.x * sumi + dm.y * ds.y;
        }
      }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; ++j)
#pragma unroll
    for (int i = 0; i < 4; ++i) dst[(size_t)(col0 + tx + 16 * j) * nrows + row0 + ty + 16 * i] = sum[i][j];
}

// Copies strided floats into blocks of 4 bits, one thread a block of the grid
__global__ void cpy_f32_to_q4_0(const char* cx, char* cdst, int ne, int ne00, int ne01, int nb01, int nb02) {
  const int i = (blockDim.x * blockIdx.x + threadIdx.x) * 32;
  if (i >= ne) return;
  const int i02 = i / (ne00 * ne01), i01 = (i - i02 * ne00 * ne01) / ne00, i00 = i - i02 * ne00 * ne01 - i01 * ne00;
  const float* xi = (const float*)(cx + i02 * nb02 + i01 * nb01) + i00;
  block_q4_0* dst = (block_q4_0*)cdst + i / 32;
  float amax = 0.0f, vmax = 0.0f;
  for (int j = 0; j < 32; ++j) {
    const float v = xi[j];
    if (amax < fabsf(v)) {
      amax = fabsf(v);
      vmax = v;
    }
  }
  const float d = vmax / -8, id = d ? 1.0f / d : 0.0f;
  dst->d = __float2half(d);
  for (int j = 0; j < 16; ++j) {
    const float x0 = xi[j] * id, x1 = xi[16 + j] * id;
    const uint8_t xi0 = min(15, (int8_t)(x0 + 8.5f)), xi1 = min(15, (int8_t)(x1 + 8.5f));
    dst->qs[j] = xi0 | (xi1 << 4);
  }
}

// ---- operators with strides and broadcasts ----

__device__ __forceinline__ uint32_t fastdiv(uint32_t n, const uint3 f) { return (__umulhi(n, f.x) + n) >> f.y; }
__device__ __forceinline__ uint32_t fastmod(uint32_t n, const uint3 f) { return n - fastdiv(n, f) * f.z; }
static uint3 fastdiv_values(uint32_t d) {
  uint32_t l = 0;
  while (l < 32 && (uint32_t(1) << l) < d) ++l;
  return make_uint3(uint32_t((uint64_t(1) << 32) * ((uint64_t(1) << l) - d) / d + 1), l, d);
}
struct OpScaleAdd {
  __device__ static float apply(float a, float b) { return a * 0.5f + b; }
};

// Binary operator over four dimensions, the second operand in half and repeated where it is smaller
template <class Op, class src1_t>
__global__ void k_bin_bcast_fastdiv(const float* __restrict__ src0, const src1_t* __restrict__ src1, float* __restrict__ dst, int ne0, int ne1, int ne2, uint3 ne3, uint3 ne10, uint3 ne11,
    uint3 ne12, uint3 ne13,
                                    int s1, int s2, int s3, int s11, int s12, int s13) {
  const uint32_t i0s = blockDim.x * blockIdx.x + threadIdx.x;
  const uint32_t i1 = blockDim.y * blockIdx.y + threadIdx.y;
  const uint32_t i2 = fastdiv(blockDim.z * blockIdx.z + threadIdx.z, ne3);
  const uint32_t i3 = (blockDim.z * blockIdx.z + threadIdx.z) - i2 * ne3.z;
  if (i0s >= (uint32_t)ne0 || i1 >= (uint32_t)ne1 || i2 >= (uint32_t)ne2 || i3 >= ne3.z) return;
  const uint32_t i11 = fastmod(i1, ne11), i12 = fastmod(i2, ne12), i13 = fastmod(i3, ne13);
  const size_t row = (size_t)i3 * s3 + (size_t)i2 * s2 + (size_t)i1 * s1;
  const src1_t* b = src1 + (size_t)i13 * s13 + (size_t)i12 * s12 + (size_t)i11 * s11;
  for (int i0 = i0s; i0 < ne0; i0 += blockDim.x * gridDim.x) dst[row + i0] = Op::apply(src0[row + i0], float(b[fastmod(i0, ne10)]));
}

// Concatenates two tensors along a dimension known when compiled, any strides in bytes
template <int dim>
__global__ void __launch_bounds__(128) concat_f32_strided(const char* src0, const char* src1, char* dst, int64_t ne00, int64_t ne01, int64_t ne02, uint64_t nb00, uint64_t nb01, uint64_t nb02,
    uint64_t nb03, uint64_t nb10, uint64_t nb11,
                                                          uint64_t nb12, uint64_t nb13, int64_t ne0, uint64_t nb1, uint64_t nb2, uint64_t nb3) {
  const int64_t i3 = blockIdx.z, i2 = blockIdx.y, i1 = blockIdx.x;
  for (int64_t i0 = threadIdx.x; i0 < ne0; i0 += blockDim.x) {
    const float* x;
    if (i0 < (dim == 0 ? ne00 : ne0) && (dim != 1 || i1 < ne01) && (dim != 2 || i2 < ne02))
      x = (const float*)(src0 + i3 * nb03 + i2 * nb02 + i1 * nb01 + i0 * nb00);
    else
      x = (const float*)(src1 + i3 * nb13 + (i2 - (dim == 2 ? ne02 : 0)) * nb12 + (i1 - (dim == 1 ? ne01 : 0)) * nb11 + (i0 - (dim == 0 ? ne00 : 0)) * nb10);
    ((float*)(dst + i3 * nb3 + i2 * nb2 + i1 * nb1))[i0] = *x;
  }
}

// Softmax of a row with a mask in half and a slope of its head, the row kept in shared memory
template <int ncols_template>
__global__ void soft_max_f32_mask_slope(const float* x, const half* mask, float* dst, int ncols_par, int nrows_y, float scale, float max_bias, float m0, float m1, uint32_t n_head_log2) {
  const int ncols = ncols_template == 0 ? ncols_par : ncols_template;
  const int tid = threadIdx.x, rowx = blockIdx.x, rowy = rowx % nrows_y;
  const int warp_id = threadIdx.x / 32, lane_id = threadIdx.x % 32;
  const uint32_t h = rowx / nrows_y;
  const float slope = max_bias > 0.0f ? powf(h < n_head_log2 ? m0 : m1, h < n_head_log2 ? h + 1 : 2 * (h - n_head_log2) + 1) : 1.0f;
  extern __shared__ float soft_max_data[];
  float *buf_iw = soft_max_data, *vals = soft_max_data + 32;
  float max_val = -INFINITY;
#pragma unroll
  for (int col0 = 0; col0 < ncols; col0 += blockDim.x) {
    const int col = col0 + tid;
    if (ncols_template == 0 && col >= ncols) break;
    const float val = x[(int64_t)rowx * ncols + col] * scale + slope * __half2float(mask[(int64_t)rowy * ncols + col]);
    vals[col] = val;
    max_val = fmaxf(max_val, val);
  }
  max_val = warp_max(max_val);
  if (warp_id == 0) buf_iw[lane_id] = -INFINITY;
  __syncthreads();
  if (lane_id == 0) buf_iw[warp_id] = max_val;
  __syncthreads();
  max_val = warp_max(buf_iw[lane_id]);
  float tmp = 0.0f;
#pragma unroll
  for (int col0 = 0; col0 < ncols; col0 += blockDim.x) {
    const int col = col0 + tid;
    if (ncols_template == 0 && col >= ncols) break;
    const float val = expf(vals[col] - max_val);
    tmp += val;
    vals[col] = val;
  }
  tmp = warp_sum(tmp);
  __syncthreads();
  if (warp_id == 0) buf_iw[lane_id] = 0.0f;
  __syncthreads();
  if (lane_id == 0) buf_iw[warp_id] = tmp;
  __syncthreads();
  const float inv_sum = 1.0f / warp_sum(buf_iw[lane_id]);
#pragma unroll
  for (int col0 = 0; col0 < ncols; col0 += blockDim.x) {
    const int col = col0 + tid;
    if (ncols_template == 0 && col >= ncols) return;
    dst[(int64_t)rowx * ncols + col] = vals[col] * inv_sum;
  }
}

// ---- tokens: rotary positions, gates, norms ----

// Rotates the first rot_dim values of each head of queries and keys in place, a block a token
template <typename scalar_t>
__global__ void rotary_embedding_partial(const int64_t* __restrict__ positions, scalar_t* __restrict__ query, scalar_t* __restrict__ key, const scalar_t* __restrict__ cos_sin_cache, int rot_dim,
    int64_t query_stride,
                                         int64_t key_stride, int num_heads, int num_kv_heads, int head_size) {
  const int token_idx = blockIdx.x;
  const int64_t pos = positions[token_idx];
  const scalar_t* cache_ptr = cos_sin_cache + pos * rot_dim;
  const int embed_dim = rot_dim / 2;
  const scalar_t *cos_ptr = cache_ptr, *sin_ptr = cache_ptr + embed_dim;
  auto apply = [&](scalar_t* arr, int rot_offset) {
    const int x_index = rot_offset, y_index = embed_dim + rot_offset;
    const scalar_t c = cos_ptr[x_index], s = sin_ptr[x_index];
    const scalar_t x = arr[x_index], y = arr[y_index];
    arr[x_index] = x * c - y * s;
    arr[y_index] = y * c + x * s;
  };
  const int nq = num_heads * embed_dim;
  for (int i = threadIdx.x; i < nq; i += blockDim.x) apply(query + token_idx * query_stride + i / embed_dim * head_size, i % embed_dim);
  const int nk = num_kv_heads * embed_dim;
  for (int i = threadIdx.x; i < nk; i += blockDim.x) apply(key + token_idx * key_stride + i / embed_dim * head_size, i % embed_dim);
}

// Clamped gate of interleaved pairs: (up + 1) * gate * sigmoid(alpha * gate)
__global__ void swigluoai_interleaved(__nv_bfloat16* __restrict__ out, const __nv_bfloat16* __restrict__ input, const int d, const float alpha, const float limit) {
  const int64_t token_idx = blockIdx.x;
  for (int64_t idx = threadIdx.x; idx < d; idx += blockDim.x) {
    const __nv_bfloat16 gate = __ldg(&input[token_idx * 2 * d + 2 * idx]);
    const __nv_bfloat16 up = __ldg(&input[token_idx * 2 * d + 2 * idx + 1]);
    const float g = fminf(__bfloat162float(gate), limit), u = fmaxf(fminf(__bfloat162float(up), limit), -limit);
    const float glu = g / (1.0f + expf(-g * alpha));
    out[token_idx * d + idx] = __float2bfloat16((u + 1.0f) * glu);
  }
}

// Bias, residual and layer norm of 8-bit products in columns of 32, the result 8 bits again
__global__ void add_bias_residual_ln_int8(char4* out, const char4* in, const half2* residual, const half2* bias, const half2* gamma, const half2* beta, int m, int n, const float* in_scale,
    float out_scale) {
  __shared__ float s_red[32];
  __shared__ float s_mean, s_rstd;
  const int row = blockIdx.x, col = threadIdx.x << 2, warps = blockDim.x >> 5;
  const int at = ((col & 0xffffffe0) * m + (row << 5) + (col & 31)) >> 2;
  const char4 q = __ldg(in + at);
  const float deq = __ldg(in_scale);
  const float2 r0 = __half22float2(residual[2 * at]), r1 = __half22float2(residual[2 * at + 1]);
  const float2 b0 = __half22float2(bias[2 * threadIdx.x]), b1 = __half22float2(bias[2 * threadIdx.x + 1]);
  float v[4] = {q.x * deq + r0.x + b0.x, q.y * deq + r0.y + b0.y, q.z * deq + r1.x + b1.x, q.w * deq + r1.y + b1.y};
  float sum = warp_sum(v[0] + v[1] + v[2] + v[3]);
  if ((threadIdx.x & 31) == 0) s_red[threadIdx.x >> 5] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = warp_sum(threadIdx.x < warps ? s_red[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) s_mean = sum / n;
  }
  __syncthreads();
  float var = 0.0f;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    v[i] -= s_mean;
    var += v[i] * v[i];
  }
  var = warp_sum(var);
  if ((threadIdx.x & 31) == 0) s_red[threadIdx.x >> 5] = var;
  __syncthreads();
  if (threadIdx.x < 32) {
    var = warp_sum(threadIdx.x < warps ? s_red[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) s_rstd = rsqrtf(var / n + 1e-6f);
  }
  __syncthreads();
  const float2 g0 = __half22float2(gamma[2 * threadIdx.x]), g1 = __half22float2(gamma[2 * threadIdx.x + 1]);
  const float2 e0 = __half22float2(beta[2 * threadIdx.x]), e1 = __half22float2(beta[2 * threadIdx.x + 1]);
  auto to_int8 = [&](float x) { return (signed char)fminf(fmaxf(rintf(x * out_scale), -127.0f), 127.0f); };
  out[at] = make_char4(to_int8(v[0] * s_rstd * g0.x + e0.x), to_int8(v[1] * s_rstd * g0.y + e0.y), to_int8(v[2] * s_rstd * g1.x + e1.x), to_int8(v[3] * s_rstd * g1.y + e1.y));
}

// Scale and zero point of each token from its least and largest value, then 8-bit values
template <typename scalar_t>
__global__ void dynamic_scaled_int8_azp(const scalar_t* __restrict__ input, int8_t* __restrict__ out, float* __restrict__ scale_out, int32_t* __restrict__ azp_out, const int hidden_size) {
  const int tid = threadIdx.x;
  const int64_t token_idx = blockIdx.x;
  input += token_idx * hidden_size;
  out += token_idx * hidden_size;
  float lo = FLT_MAX, hi = -FLT_MAX;
  for (int i = tid; i < hidden_size; i += blockDim.x) {
    const float val = static_cast<float>(input[i]);
    lo = fminf(lo, val);
    hi = fmaxf(hi, val);
  }
  __shared__ float s_lo[32], s_hi[32], s_scale;
  __shared__ int32_t s_azp;
  lo = -warp_max(-lo), hi = warp_max(hi);
  if (tid % 32 == 0) s_lo[tid / 32] = lo, s_hi[tid / 32] = hi;
  __syncthreads();
  if (tid == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) lo = fminf(lo, s_lo[w]), hi = fmaxf(hi, s_hi[w]);
    const float scale_val = (hi - lo) / 255.0f;
    const float azp_float = nearbyintf(-128.0f - lo / scale_val);
    scale_out[token_idx] = s_scale = scale_val;
    azp_out[token_idx] = s_azp = static_cast<int32_t>(azp_float);
  }
  __syncthreads();
  const float scale_val = s_scale;
  const int32_t azp_val = s_azp;
  for (int i = tid; i < hidden_size; i += blockDim.x) {
    const int32_t q = __float2int_rn(static_cast<float>(input[i]) / scale_val) + azp_val;
    out[i] = static_cast<int8_t>(min(max(q, -128), 127));
  }
}

// ---- attention ----

__device__ __forceinline__ void cp_async_16(void* smem, const void* gmem) {
  const uint32_t s = (uint32_t)__cvta_generic_to_shared(smem);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(s), "l"(gmem));
}
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;\n"); }
template <int N>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(N));
}
__device__ __forceinline__ void unpack_fp8x8(const uint2 raw, float scale, float* out) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const __half2_raw h = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)((i < 2 ? raw.x : raw.y) >> (16 * (i & 1))), __NV_E4M3);
    const float2 f = __half22float2(__half2(h));
    out[2 * i] = f.x * scale, out[2 * i + 1] = f.y * scale;
  }
}

// Decoding with pages of 8-bit floats, four query heads share a head of the cache: 16 threads a query, halves of a tile for z
template <int PAGE, int TILE>
__global__ void __launch_bounds__(128) batch_decode_paged_gqa4(const half* __restrict__ q, const uint8_t* __restrict__ kv, const int* __restrict__ indptr, const int* __restrict__ indices,
    const int* __restrict__ last_page_len,
                                                               half* __restrict__ o, float* __restrict__ lse, int kv_heads, float sm_scale, float kv_scale) {
  constexpr int D = 128;
  __shared__ __align__(16) uint8_t k_smem[2][TILE][D], v_smem[2][TILE][D];
  __shared__ float sync_o[4][D], sync_md[4][2];
  const int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z, tid = (tz * 4 + ty) * 16 + tx;
  const int batch = blockIdx.x, head = blockIdx.y, qo_head = head * 4 + ty;
  const int first = indptr[batch], pages = indptr[batch + 1] - first;
  const int kv_len = (pages - 1) * PAGE + last_page_len[batch];
  float q_vec[8], o_vec[8] = {0.f}, m = -5e4f, d = 0.f;
  {
    const uint4 raw = *(const uint4*)(q + ((size_t)batch * kv_heads * 4 + qo_head) * D + tx * 8);
    const half2* h = (const half2*)&raw;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 f = __half22float2(h[i]);
      q_vec[2 * i] = f.x * sm_scale, q_vec[2 * i + 1] = f.y * sm_scale;
    }
  }
  // a page: keys [heads][PAGE][D], then values likewise
  auto load_tile = [&](int tile, int stage) {
    for (int c = tid; c < TILE * D / 16; c += 128) {
      const int row = c / (D / 16), chunk = c % (D / 16), token = min(tile * TILE + row, kv_len - 1);
      const uint8_t* page = kv + (size_t)indices[first + token / PAGE] * 2 * kv_heads * PAGE * D;
      const size_t at = ((size_t)head * PAGE + token % PAGE) * D + chunk * 16;
      cp_async_16(&k_smem[stage][row][chunk * 16], page + at);
      cp_async_16(&v_smem[stage][row][chunk * 16], page + (size_t)kv_heads * PAGE * D + at);
    }
    cp_async_commit();
  };
  const int tiles = (kv_len + TILE - 1) / TILE;
  load_tile(0, 0);
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      load_tile(t + 1, (t + 1) & 1);
      cp_async_wait<1>();
    } else {
      cp_async_wait<0>();
    }
    __syncthreads();
    float s[TILE / 2], m_prev = m;
#pragma unroll
    for (int j = 0; j < TILE / 2; ++j) {
      const int row = tz * (TILE / 2) + j;
      float k_vec[8];
      unpack_fp8x8(*(const uint2*)&k_smem[t & 1][row][tx * 8], kv_scale, k_vec);
      s[j] = 0.f;
#pragma unroll
      for (int i = 0; i < 8; ++i) s[j] += q_vec[i] * k_vec[i];
#pragma unroll
      for (int offset = 8; offset > 0; offset /= 2) s[j] += __shfl_xor_sync(0xffffffff, s[j], offset);
      s[j] = t * TILE + row < kv_len ? s[j] : -5e4f;
      m = fmaxf(m, s[j]);
    }
    const float o_scale = exp2f(m_prev - m);
    d *= o_scale;
#pragma unroll
    for (int i = 0; i < 8; ++i) o_vec[i] *= o_scale;
#pragma unroll
    for (int j = 0; j < TILE / 2; ++j) {
      s[j] = exp2f(s[j] - m);
      d += s[j];
      float v_vec[8];
      unpack_fp8x8(*(const uint2*)&v_smem[t & 1][tz * (TILE / 2) + j][tx * 8], kv_scale, v_vec);
#pragma unroll
      for (int i = 0; i < 8; ++i) o_vec[i] += s[j] * v_vec[i];
    }
    __syncthreads();
  }
  if (tz == 1) {
    for (int i = 0; i < 8; ++i) sync_o[ty][tx * 8 + i] = o_vec[i];
    if (tx == 0) sync_md[ty][0] = m, sync_md[ty][1] = d;
  }
  __syncthreads();
  if (tz == 1) return;
  const float m_other = sync_md[ty][0], m_all = fmaxf(m, m_other), a = exp2f(m - m_all), b = exp2f(m_other - m_all);
  const float d_all = d * a + sync_md[ty][1] * b;
  half* out = o + ((size_t)batch * kv_heads * 4 + qo_head) * D + tx * 8;
#pragma unroll
  for (int i = 0; i < 8; ++i) out[i] = __float2half((o_vec[i] * a + sync_o[ty][tx * 8 + i] * b) / d_all);
  if (tx == 0) lse[batch * kv_heads * 4 + qo_head] = m_all + log2f(d_all);
}

// One query against keys of 8-bit blocks and values of half, a slice of the cache a block, unnormalized parts out
template <int D>
__global__ void __launch_bounds__(D) flash_attn_vec_q8_0_keys(const float* __restrict__ Q, const block_q8_0* __restrict__ K, const half* __restrict__ V, const half* __restrict__ mask,
    float* __restrict__ dst, float2* __restrict__ dst_meta,
                                                              float scale, int ne11, int heads_ratio) {
  const int head = blockIdx.z, kv_head = head / heads_ratio, ip = blockIdx.x, parts = gridDim.x;
  const int tid = threadIdx.y * 32 + threadIdx.x;
  K += (size_t)kv_head * ne11 * (D / 32);
  V += (size_t)kv_head * ne11 * D;
  __shared__ half KQ[D];
  __shared__ float kqmax_shared[32], kqsum_shared[32];
  // the query as 8-bit values, an int a lane
  const float4 qf = ((const float4*)(Q + head * D))[threadIdx.x];
  float amax = fmaxf(fmaxf(fabsf(qf.x), fabsf(qf.y)), fmaxf(fabsf(qf.z), fabsf(qf.w)));
#pragma unroll
  for (int o = 4; o > 0; o >>= 1) amax = fmaxf(amax, __shfl_xor_sync(0xffffffff, amax, o));
  const float q_d = amax / 127.0f * scale, inv = amax > 0.0f ? 127.0f / amax : 0.0f;
  const int q_int = (__float2int_rn(qf.x * inv) & 255) | (__float2int_rn(qf.y * inv) & 255) << 8 | (__float2int_rn(qf.z * inv) & 255) << 16 | __float2int_rn(qf.w * inv) << 24;
  if (threadIdx.y == 0) kqmax_shared[threadIdx.x] = -FLT_MAX / 2, kqsum_shared[threadIdx.x] = 0.0f;
  __syncthreads();
  float kqmax = -FLT_MAX / 2, kqsum = 0.0f, VKQ = 0.0f;
  for (int k0 = ip * D; k0 < ne11; k0 += parts * D) {
    float kqmax_new = kqmax;
    for (int i = 0; i < D; i += D / 32) {
      const int i_KQ = i + threadIdx.y;
      const block_q8_0* kb = K + (size_t)(k0 + i_KQ) * (D / 32) + threadIdx.x / 8;
      float sum = __dp4a(load_int_b2(kb->qs, threadIdx.x % 8), q_int, 0) * (__half2float(kb->d) * q_d);
      sum = warp_sum(sum) + __half2float(mask[k0 + i_KQ]);
      kqmax_new = fmaxf(kqmax_new, sum);
      if (threadIdx.x == 0) KQ[i_KQ] = __float2half(sum);
    }
    if (threadIdx.x == 0) kqmax_shared[threadIdx.y] = kqmax_new;
    __syncthreads();
    kqmax_new = warp_max(kqmax_shared[threadIdx.x]);
    const float KQ_max_scale = expf(kqmax - kqmax_new);
    kqmax = kqmax_new;
    const float val = expf(__half2float(KQ[tid]) - kqmax);
    kqsum = kqsum * KQ_max_scale + val;
    KQ[tid] = __float2half(val);
    VKQ *= KQ_max_scale;
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < D; ++k) VKQ += __half2float(V[(size_t)(k0 + k) * D + tid]) * __half2float(KQ[k]);
    __syncthreads();
  }
  kqsum = warp_sum(kqsum);
  if (threadIdx.x == 0) kqsum_shared[threadIdx.y] = kqsum;
  __syncthreads();
  kqsum = warp_sum(kqsum_shared[threadIdx.x]);
  dst[((size_t)head * parts + ip) * D + tid] = VKQ;
  if (tid == 0) dst_meta[head * parts + ip] = make_float2(kqmax, kqsum);
}

// Joins the parts of a split attention, one value of a head a thread
template <int D>
__global__ void __launch_bounds__(D) flash_attn_combine_parts(const float* __restrict__ parts, const float2* __restrict__ parts_meta, float* __restrict__ dst, const int parallel_blocks) {
  const int head = blockIdx.x, token = blockIdx.y, j = token * gridDim.x + head, tid = threadIdx.x;
  parts += (size_t)j * parallel_blocks * D;
  parts_meta += j * parallel_blocks;
  extern __shared__ float2 meta[];
  for (int i = tid; i < 2 * parallel_blocks; i += D) ((float*)meta)[i] = ((const float*)parts_meta)[i];
  __syncthreads();
  float kqmax = meta[0].x;
  for (int l = 1; l < parallel_blocks; ++l) kqmax = max(kqmax, meta[l].x);
  float numerator = 0.0f, denominator = 0.0f;
  for (int l = 0; l < parallel_blocks; ++l) {
    const float s = expf(meta[l].x - kqmax);
    numerator += s * parts[l * D + tid];
    denominator += s * meta[l].y;
  }
  dst[(size_t)j * D + tid] = numerator / denominator;
}

__device__ __forceinline__ void ldmatrix_x4(uint32_t* r, const void* p) {
  const uint32_t a = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ __forceinline__ void ldmatrix_x4_trans(uint32_t* r, const void* p) {
  const uint32_t a = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ __forceinline__ void mma_16816(float* c, const uint32_t* a, const uint32_t* b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ uint32_t pack_half2(float x, float y) {
  const half2 h = __floats2half2_rn(x, y);
  return *(const uint32_t*)&h;
}

// Causal prefill of ragged sequences, 64 queries a block, tensor core fragments straight from registers
__global__ void __launch_bounds__(128) prefill_ragged_mma(const half* __restrict__ q, const half* __restrict__ k, const half* __restrict__ v, half* __restrict__ o,
    const int* __restrict__ cu_seqlens, int heads, int kv_heads, float scale_log2) {
  constexpr int D = 64, LD = D + 8;
  __shared__ __align__(16) half sQ[64][LD], sK[64][LD], sV[64][LD];
  const int begin = cu_seqlens[blockIdx.z], len = cu_seqlens[blockIdx.z + 1] - begin, q0 = blockIdx.x * 64;
  if (q0 >= len) return;
  const int head = blockIdx.y, kv_head = head / (heads / kv_heads), tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
  auto load = [&](half(*dst)[LD], const half* src, int row0, int nheads, int h) {
    for (int c = tid; c < 64 * 8; c += 128) {
      const int r = c / 8, at = c % 8 * 8;
      if (row0 + r < len)
        cp_async_16(&dst[r][at], src + ((size_t)(begin + row0 + r) * nheads + h) * D + at);
      else
        *(uint4*)&dst[r][at] = make_uint4(0, 0, 0, 0);
    }
    cp_async_commit();
  };
  load(sQ, q, q0, heads, head);
  load(sK, k, 0, kv_heads, kv_head);
  cp_async_wait<1>();
  __syncthreads();
  uint32_t qa[4][4];
#pragma unroll
  for (int ks = 0; ks < 4; ++ks) ldmatrix_x4(qa[ks], &sQ[warp * 16 + lane % 16][ks * 16 + lane / 16 * 8]);
  float acc[8][4] = {{0.f}}, row_max[2] = {-INFINITY, -INFINITY}, row_sum[2] = {0.f, 0.f};
  const int tiles = blockIdx.x + 1;
  for (int t = 0; t < tiles; ++t) {
    load(sV, v, t * 64, kv_heads, kv_head);
    cp_async_wait<1>();
    __syncthreads();
    float s[8][4] = {{0.f}};
#pragma unroll
    for (int ks = 0; ks < 4; ++ks)
#pragma unroll
      for (int nt = 0; nt < 4; ++nt) {
        uint32_t b[4];
        ldmatrix_x4(b, &sK[nt * 16 + lane / 16 * 8 + lane % 8][ks * 16 + lane / 8 % 2 * 8]);
        mma_16816(s[2 * nt], qa[ks], b);
        mma_16816(s[2 * nt + 1], qa[ks], b + 2);
      }
    if (t + 1 == tiles) {
#pragma unroll
      for (int nt = 0; nt < 8; ++nt)
#pragma unroll
        for (int e = 0; e < 4; ++e)
          if (nt * 8 + lane % 4 * 2 + e % 2 > warp * 16 + lane / 4 + e / 2 * 8) s[nt][e] = -INFINITY;
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float m = row_max[h];
#pragma unroll
      for (int nt = 0; nt < 8; ++nt) m = fmaxf(m, fmaxf(s[nt][2 * h], s[nt][2 * h + 1]));
      m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, 1));
      m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, 2));
      const float shrink = exp2f((row_max[h] - m) * scale_log2);
      row_max[h] = m, row_sum[h] *= shrink;
#pragma unroll
      for (int nt = 0; nt < 8; ++nt) {
        s[nt][2 * h] = exp2f((s[nt][2 * h] - m) * scale_log2);
        s[nt][2 * h + 1] = exp2f((s[nt][2 * h + 1] - m) * scale_log2);
        row_sum[h] += s[nt][2 * h] + s[nt][2 * h + 1];
        acc[nt][2 * h] *= shrink, acc[nt][2 * h + 1] *= shrink;
      }
    }
    __syncthreads();
    if (t + 1 < tiles) {
      load(sK, k, (t + 1) * 64, kv_heads, kv_head);
      cp_async_wait<1>();
    } else {
      cp_async_wait<0>();
    }
    __syncthreads();
#pragma unroll
    for (int ks = 0; ks < 4; ++ks) {
      const uint32_t a[4] = {pack_half2(s[2 * ks][0], s[2 * ks][1]), pack_half2(s[2 * ks][2], s[2 * ks][3]), pack_half2(s[2 * ks + 1][0], s[2 * ks + 1][1]), pack_half2(s[2 * ks + 1][2],
          s[2 * ks + 1][3])};
#pragma unroll
      for (int nt = 0; nt < 4; ++nt) {
        uint32_t b[4];
        ldmatrix_x4_trans(b, &sV[ks * 16 + lane / 8 % 2 * 8 + lane % 8][nt * 16 + lane / 16 * 8]);
        mma_16816(acc[2 * nt], a, b);
        mma_16816(acc[2 * nt + 1], a, b + 2);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    row_sum[h] += __shfl_xor_sync(0xffffffff, row_sum[h], 1);
    row_sum[h] += __shfl_xor_sync(0xffffffff, row_sum[h], 2);
    const int row = q0 + warp * 16 + lane / 4 + h * 8;
    if (row >= len) continue;
    half* out = o + ((size_t)(begin + row) * heads + head) * D + lane % 4 * 2;
    const float inv = 1.f / row_sum[h];
#pragma unroll
    for (int nt = 0; nt < 8; ++nt) *(half2*)(out + nt * 8) = __floats2half2_rn(acc[nt][2 * h] * inv, acc[nt][2 * h + 1] * inv);
  }
}

// ---- experts ----

// Softmax of router logits and the best k of them, rows shared by groups of lanes
template <int VPT, int NUM_EXPERTS, int WARPS>
__global__ void __launch_bounds__(WARPS * 32) topk_gating_softmax_subwarp(const float* __restrict__ input, float* __restrict__ output, int* __restrict__ indices, int* __restrict__ source_rows,
    int num_rows, int k) {
  constexpr int THREADS_PER_ROW = NUM_EXPERTS / VPT, ROWS_PER_WARP = 32 / THREADS_PER_ROW;
  const int lane = threadIdx.x, group = lane / THREADS_PER_ROW, in_group = lane % THREADS_PER_ROW;
  const int row = (blockIdx.x * WARPS + threadIdx.y) * ROWS_PER_WARP + group;
  if (row >= num_rows) return;
  __align__(16) float chunk[VPT];
  const float4* read = (const float4*)(input + (size_t)row * NUM_EXPERTS) + in_group;
#pragma unroll
  for (int i = 0; i < VPT / 4; ++i) ((float4*)chunk)[i] = read[i * THREADS_PER_ROW];
  float row_max = chunk[0];
#pragma unroll
  for (int i = 1; i < VPT; ++i) row_max = max(row_max, chunk[i]);
#pragma unroll
  for (int mask = THREADS_PER_ROW / 2; mask > 0; mask /= 2) row_max = max(row_max, __shfl_xor_sync(0xffffffff, row_max, mask, THREADS_PER_ROW));
  float row_sum = 0;
#pragma unroll
  for (int i = 0; i < VPT; ++i) {
    chunk[i] = expf(chunk[i] - row_max);
    row_sum += chunk[i];
  }
#pragma unroll
  for (int mask = THREADS_PER_ROW / 2; mask > 0; mask /= 2) row_sum += __shfl_xor_sync(0xffffffff, row_sum, mask, THREADS_PER_ROW);
  const float reciprocal = 1.f / row_sum;
#pragma unroll
  for (int i = 0; i < VPT; ++i) chunk[i] *= reciprocal;
  for (int k_idx = 0; k_idx < k; ++k_idx) {
    float max_val = chunk[0];
    int expert = in_group * 4;
#pragma unroll
    for (int i = 0; i < VPT; ++i) {
      const int col = i / 4 * 4 * THREADS_PER_ROW + in_group * 4 + i % 4;
      if (chunk[i] > max_val) max_val = chunk[i], expert = col;
    }
#pragma unroll
    for (int mask = THREADS_PER_ROW / 2; mask > 0; mask /= 2) {
      const float other = __shfl_xor_sync(0xffffffff, max_val, mask, THREADS_PER_ROW);
      const int other_expert = __shfl_xor_sync(0xffffffff, expert, mask, THREADS_PER_ROW);
      if (other > max_val || (other == max_val && other_expert < expert)) max_val = other, expert = other_expert;
    }
    if (in_group == 0) {
      const int idx = k * row + k_idx;
      output[idx] = max_val;
      indices[idx] = expert;
      source_rows[idx] = k_idx * num_rows + row;
    }
    if (k_idx + 1 < k && expert / 4 % THREADS_PER_ROW == in_group) {
#pragma unroll
      for (int i = 0; i < VPT; ++i)
        if (expert == i / 4 * 4 * THREADS_PER_ROW + in_group * 4 + i % 4) chunk[i] = -10000.f;
    }
  }
}

// Few tokens of an expert times its 4-bit weights, one column a thread, parts of k added with atomics
template <int BLOCK_M, int BLOCK_K, int GROUP>
__global__ void __launch_bounds__(128) moe_wna16_gemm_small(const half* __restrict__ input, float* __restrict__ output, const uint32_t* __restrict__ qweight, const half* __restrict__ scales,
    const float* __restrict__ topk_weights,
                                                            const int* __restrict__ sorted_token_ids, const int* __restrict__ expert_ids, const int* __restrict__ num_tokens_post_pad, int num_valid,
                                                                int top_k, int size_n, int size_k) {
  __shared__ __align__(16) half block_input[BLOCK_M][BLOCK_K];
  if (blockIdx.x * BLOCK_M >= num_tokens_post_pad[0]) return;
  const int expert = expert_ids[blockIdx.x], offset_k = blockIdx.z * BLOCK_K, n = blockIdx.y * 128 + threadIdx.x;
  int num_valid_tokens = 0;
  for (int m = 0; m < BLOCK_M; ++m) {
    const int token_index = sorted_token_ids[blockIdx.x * BLOCK_M + m];
    if (token_index >= num_valid) break;
    num_valid_tokens = m + 1;
    for (int i = threadIdx.x; i < BLOCK_K; i += 128) block_input[m][i] = input[(size_t)(token_index / top_k) * size_k + offset_k + i];
  }
  __syncthreads();
  const uint32_t* w = qweight + ((size_t)expert * size_n + n) * (size_k / 8) + offset_k / 8;
  const half* sc = scales + ((size_t)expert * size_n + n) * (size_k / GROUP) + offset_k / GROUP;
  float res[BLOCK_M] = {0.f};
  for (int g = 0; g < BLOCK_K / GROUP; ++g) {
    const half2 scale = __half2half2(sc[g]);
    for (int c = 0; c < GROUP / 32; ++c) {
      const uint4 packed = ((const uint4*)w)[g * (GROUP / 32) + c];
      const uint32_t words[4] = {packed.x, packed.y, packed.z, packed.w};
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        half2 dq[4];
#pragma unroll
        for (int p = 0; p < 4; ++p) {
          const uint32_t bits = ((words[j] >> (4 * p)) & 0x000f000f) | 0x64006400;
          dq[p] = __hmul2(__hsub2(*(const half2*)&bits, __float2half2_rn(1032.f)), scale);
        }
        const int k0 = g * GROUP + c * 32 + j * 8;
#pragma unroll
        for (int m = 0; m < BLOCK_M; ++m) {
          if (m >= num_valid_tokens) break;
          half2 sum = __float2half2_rn(0.f);
#pragma unroll
          for (int p = 0; p < 4; ++p) sum = __hfma2(*(const half2*)&block_input[m][k0 + 2 * p], dq[p], sum);
          res[m] += __half2float(sum.x) + __half2float(sum.y);
        }
      }
    }
  }
  for (int m = 0; m < num_valid_tokens; ++m) {
    const int token_index = sorted_token_ids[blockIdx.x * BLOCK_M + m];
    atomicAdd(&output[(size_t)token_index * size_n + n], res[m] * topk_weights[token_index]);
  }
}

// ---- sampling, beams, drafts ----

// Sampling with top-k and top-p: draw, test the drawn probability as a pivot, and narrow the range until it is accepted
__global__ void __launch_bounds__(1024) top_k_top_p_pivot_sampling(const float* __restrict__ probs, int* __restrict__ output, const int* __restrict__ top_k_arr, const float* __restrict__ top_p_arr,
    int d, uint32_t seed) {
  __shared__ float warp_part[32], warp_part2[32], chunk_total;
  __shared__ int warp_count[32], sampled_id;
  const int bx = blockIdx.x, tx = threadIdx.x, lane = tx % 32, warp = tx / 32, k = top_k_arr[bx];
  const float p = top_p_arr[bx];
  const float4* row = (const float4*)(probs + (size_t)bx * d);
  float low = 0.f, high = 1.f, q = 1.f;
  int id = d - 1;
  for (int round = 0; round < 32; ++round) {
    uint32_t h = (seed + bx * 7919u + round * 104729u) * 0x9E3779B1u;
    h = (h ^ h >> 15) * 0x85ebca77u;
    const float u = (h >> 8) * (1.f / 16777216.f) * q;
    if (tx == 0) sampled_id = d - 1;
    float aggregate = 0.f;
    for (int i = 0; i < (d / 4 + 1023) / 1024; ++i) {
      const int at = i * 1024 + tx;
      float4 v = at < d / 4 ? row[at] : make_float4(0.f, 0.f, 0.f, 0.f);
      v.x = v.x > low ? v.x : 0.f, v.y = v.y > low ? v.y : 0.f, v.z = v.z > low ? v.z : 0.f, v.w = v.w > low ? v.w : 0.f;
      const float mine = v.x + v.y + v.z + v.w;
      float scan = mine;
#pragma unroll
      for (int o = 1; o < 32; o *= 2) {
        const float t = __shfl_up_sync(0xffffffff, scan, o);
        if (lane >= o) scan += t;
      }
      if (lane == 31) warp_part[warp] = scan;
      __syncthreads();
      if (warp == 0) {
        float w = warp_part[lane];
#pragma unroll
        for (int o = 1; o < 32; o *= 2) {
          const float t = __shfl_up_sync(0xffffffff, w, o);
          if (lane >= o) w += t;
        }
        warp_part[lane] = w;
        if (lane == 31) chunk_total = w;
      }
      __syncthreads();
      const float total = chunk_total;
      if (aggregate + total > u) {
        float before = aggregate + (warp ? warp_part[warp - 1] : 0.f) + scan - mine;
        const float e[4] = {v.x, v.y, v.z, v.w};
        int found = -1;
#pragma unroll
        for (int j = 3; j >= 0; --j) {
          float upto = before;
          for (int l = 0; l <= j; ++l) upto += e[l];
          if (e[j] > 0.f && upto > u) found = j;
        }
        if (found >= 0) atomicMin(&sampled_id, at * 4 + found);
        break;
      }
      aggregate += total;
    }
    __syncthreads();
    id = sampled_id;
    const float pivot0 = probs[(size_t)bx * d + id], pivot1 = (pivot0 + high) / 2;
    float sum0 = 0.f, sum1 = 0.f;
    int counts = 0;
    for (int at = tx; at < d / 4; at += 1024) {
      const float4 v = row[at];
      const float e[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if (e[j] > pivot0) sum0 += e[j], counts += 1;
        if (e[j] > pivot1) sum1 += e[j], counts += 1 << 16;
      }
    }
    sum0 = warp_sum(sum0), sum1 = warp_sum(sum1);
    counts = __reduce_add_sync(0xffffffff, counts);
    if (lane == 0) warp_part[warp] = sum0, warp_part2[warp] = sum1, warp_count[warp] = counts;
    __syncthreads();
    sum0 = warp_sum(warp_part[lane]), sum1 = warp_sum(warp_part2[lane]);
    counts = __reduce_add_sync(0xffffffff, warp_count[lane]);
    __syncthreads();
    if ((counts & 0xffff) < k && sum0 < p) break;
    if ((counts >> 16) < k && sum1 < p)
      low = pivot0, high = pivot1, q = sum0;
    else
      low = pivot1, q = sum1;
  }
  if (tx == 0) output[bx] = id;
}

// The cache indirection of beam search: each beam takes over its parent's row and adds its own step
__global__ void update_cache_indirection(int* __restrict__ tgt, const int* __restrict__ src, const int* __restrict__ beam_ids, const bool* __restrict__ finished,
    const int* __restrict__ input_lengths, int batch_dim, int local_batch,
                                         int beam_width, int max_seq_len, int step) {
  const int time_step = threadIdx.x + blockIdx.x * blockDim.x;
  const int bb_id = threadIdx.y + blockIdx.y * blockDim.y;
  if (bb_id >= beam_width * local_batch || time_step >= min(step + 1, max_seq_len) || finished[bb_id]) return;
  const int batch_id = bb_id / beam_width, beam_id = bb_id % beam_width;
  if (time_step < input_lengths[bb_id] - 1) return;
  const int src_beam = beam_ids[batch_id * beam_width + beam_id];
  const uint32_t tgt_offset = (batch_id * beam_width + beam_id) * max_seq_len + time_step % max_seq_len;
  const uint32_t src_offset = (batch_id * beam_width + src_beam) * max_seq_len + time_step % max_seq_len;
  tgt[tgt_offset] = time_step == step ? beam_id : src[src_offset];
}

// Mask, positions and links of a tree of drafted tokens, a request a block, a token a thread
__global__ void eagle_tree_mask(const int64_t* __restrict__ parent_list, const int64_t* __restrict__ selected_index, const int64_t* __restrict__ verified_seq_len, bool* tree_mask,
    int64_t* positions, int64_t* retrieve_index,
                                int64_t* next_token, int64_t* next_sibling, int topk, int depth, int draft_token_num) {
  const int bid = blockIdx.x, tid = threadIdx.x;
  if (tid >= draft_token_num) return;
  int64_t seq_tree_idx = (int64_t)draft_token_num * draft_token_num * bid;
  for (int i = 0; i < bid; ++i) seq_tree_idx += verified_seq_len[i] * draft_token_num;
  const int64_t seq_len = verified_seq_len[bid];
  const int64_t token_tree_idx = seq_tree_idx + (seq_len + draft_token_num) * tid + seq_len + 1;
  tree_mask[token_tree_idx - 1] = true;
  for (int i = 0; i < draft_token_num - 1; ++i) tree_mask[token_tree_idx + i] = false;
  const int64_t* selected = selected_index + bid * (draft_token_num - 1);
  const int64_t* parents = parent_list + bid * (topk * (depth - 1) + 1);
  if (tid == 0) {
    positions[bid * draft_token_num] = seq_len;
    for (int i = draft_token_num - 1; i > 0; --i) {
      retrieve_index[bid * draft_token_num + i] = bid * draft_token_num + i;
      const int64_t parent_tb_idx = selected[i - 1] / topk;
      int parent_position = 0;
      if (parent_tb_idx > 0) {
        const int64_t parent_token = parents[parent_tb_idx];
        for (; parent_position < draft_token_num - 1; ++parent_position)
          if (selected[parent_position] == parent_token) {
            ++parent_position;
            break;
          }
      }
      const int64_t at = bid * draft_token_num + parent_position;
      if (i == draft_token_num - 1) {
        for (int j = 0; j < draft_token_num; ++j) next_token[bid * draft_token_num + j] = next_sibling[bid * draft_token_num + j] = -1;
      }
      const int64_t origin = next_token[at];
      next_token[at] = i;
      if (origin != -1) next_sibling[bid * draft_token_num + i] = origin;
    }
    retrieve_index[bid * draft_token_num] = bid * draft_token_num;
  } else {
    int position = 0, cur = tid - 1;
    while (true) {
      ++position;
      tree_mask[token_tree_idx + cur] = true;
      const int64_t parent_tb_idx = selected[cur] / topk;
      if (parent_tb_idx == 0) break;
      const int64_t token_idx = parents[parent_tb_idx];
      for (cur = 0; cur < draft_token_num - 1; ++cur)
        if (selected[cur] == token_idx) break;
      if (cur == draft_token_num - 1) break;
    }
    positions[bid * draft_token_num + tid] = position + seq_len;
  }
}

// Copies blocks of the caches of all layers, a pair of blocks of a layer a block
template <typename scalar_t>
__global__ void copy_blocks_layers(const int64_t* key_cache_ptrs, const int64_t* value_cache_ptrs, const int64_t* __restrict__ block_mapping, const int numel_per_block) {
  const int layer_idx = blockIdx.x, pair_idx = blockIdx.y;
  scalar_t *key_cache = reinterpret_cast<scalar_t*>(key_cache_ptrs[layer_idx]), *value_cache = reinterpret_cast<scalar_t*>(value_cache_ptrs[layer_idx]);
  const int64_t src_block_offset = block_mapping[2 * pair_idx] * numel_per_block, dst_block_offset = block_mapping[2 * pair_idx + 1] * numel_per_block;
  for (int i = threadIdx.x; i < numel_per_block; i += blockDim.x) key_cache[dst_block_offset + i] = key_cache[src_block_offset + i];
  for (int i = threadIdx.x; i < numel_per_block; i += blockDim.x) value_cache[dst_block_offset + i] = value_cache[src_block_offset + i];
}

// ---- state spaces ----

// Causal convolution of width 4 over the tokens of a channel, a channel a thread, the window in registers
template <int split_d_inner, int d_conv>
__global__ void ssm_conv_d4_tokens(const float* __restrict__ src0, const float* __restrict__ src1, float* __restrict__ dst, int nb01, int nb02, int nb11, int dst_nb1, int dst_nb2, int64_t n_t) {
  const int tid = threadIdx.x, bidx = blockIdx.x, bidy = blockIdx.y;
  const float* x_block = (const float*)((const char*)src0 + (size_t)bidx * nb02 + (size_t)bidy * split_d_inner * nb01);
  const float* w_block = (const float*)((const char*)src1 + (size_t)bidy * split_d_inner * nb11);
  float* y_block = (float*)((char*)dst + (size_t)bidx * dst_nb2 + bidy * split_d_inner * sizeof(float));
  const int stride_x = nb01 / sizeof(float), stride_w = nb11 / sizeof(float), stride_y = dst_nb1 / sizeof(float);
  float x[d_conv] = {0.0f}, w[d_conv] = {0.0f};
#pragma unroll
  for (int j = 0; j < d_conv; ++j) w[j] = w_block[tid * stride_w + j];
  for (int64_t i = 0; i < n_t; ++i) {
    float sumf = 0.0f;
    if (i == 0) {
      for (int j = 0; j < d_conv; ++j) x[j] = x_block[tid * stride_x + j];
    } else {
      x[(i - 1) % d_conv] = x_block[tid * stride_x + i + d_conv - 1];
    }
#pragma unroll
    for (int j = 0; j < d_conv; ++j) sumf += x[(i + j) % d_conv] * w[j];
    y_block[i * stride_y + tid] = sumf;
  }
}

// Scan of a state space with scalar decay per head, a warp keeps the 128 states of one channel
template <int c_factor, int d_state>
__global__ void __launch_bounds__(128) ssm_scan_group_warp(const float* __restrict__ state0, const float* __restrict__ x, const float* __restrict__ dt, const float* __restrict__ A,
    const float* __restrict__ B, const float* __restrict__ C,
                                                           float* __restrict__ y, float* __restrict__ state, int n_head, int head_dim, int n_group, int n_tok) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warp_idx = blockIdx.x * 4 + warp;
  const int head_idx = warp_idx / head_dim, head_off = warp_idx % head_dim, seq_idx = blockIdx.y;
  const int group = head_idx / (n_head / n_group);
  const size_t state_at = ((size_t)seq_idx * n_head * head_dim + warp_idx) * d_state;
  const float a = A[head_idx];
  float st[c_factor];
#pragma unroll
  for (int j = 0; j < c_factor; ++j) st[j] = state0[state_at + 32 * j + lane];
  for (int i = 0; i < n_tok; ++i) {
    const size_t token = (size_t)seq_idx * n_tok + i;
    const float dt_raw = dt[token * n_head + head_idx], dt_soft_plus = dt_raw <= 20.0f ? log1pf(expf(dt_raw)) : dt_raw;
    const float x_dt = x[token * n_head * head_dim + warp_idx] * dt_soft_plus, dA = expf(dt_soft_plus * a);
    float state_sum = 0.0f;
#pragma unroll
    for (int j = 0; j < c_factor; ++j) {
      const size_t at = (token * n_group + group) * d_state + 32 * j + lane;
      st[j] = st[j] * dA + B[at] * x_dt;
      state_sum += st[j] * C[at];
    }
    state_sum = warp_sum(state_sum);
    if (lane == 0) y[(token * n_head + head_idx) * head_dim + head_off] = state_sum;
  }
#pragma unroll
  for (int j = 0; j < c_factor; ++j) state[state_at + 32 * j + lane] = st[j];
}

// ---- pictures ----

// Transposed convolution, an output value a thread, every tap tested for its stride
__global__ void conv_transpose_2d_gather(const float* __restrict__ input, const half* __restrict__ kernel, float* __restrict__ output, const int in_w, const int in_h, const int out_w,
    const int out_h, const int kernel_w, const int kernel_h,
                                         const int stride, const int c_in, const int c_out, const int batches) {
  const int global_idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (global_idx >= out_w * out_h * c_out * batches) return;
  const int out_x_idx = global_idx % out_w, out_y_idx = (global_idx / out_w) % out_h, c_idx = (global_idx / (out_w * out_h)) % c_out, n_idx = global_idx / (out_w * out_h * c_out);
  float accumulator = 0;
  for (int c_in_idx = 0; c_in_idx < c_in; c_in_idx++) {
    for (int kh = 0; kh < kernel_h; ++kh) {
      const int in_y_idx = out_y_idx - kh;
      if (in_y_idx < 0 || in_y_idx % stride) continue;
      const int in_row = in_y_idx / stride;
      if (in_row >= in_h) continue;
      for (int kw = 0; kw < kernel_w; ++kw) {
        const int in_x_idx = out_x_idx - kw;
        if (in_x_idx < 0 || in_x_idx % stride) continue;
        const int in_col = in_x_idx / stride;
        if (in_col >= in_w) continue;
        const float input_val = input[((n_idx * c_in + c_in_idx) * in_h + in_row) * in_w + in_col];
        const half kern_val = kernel[((c_in_idx * c_out + c_idx) * kernel_h + kh) * kernel_w + kw];
        accumulator += input_val * __half2float(kern_val);
      }
    }
  }
  output[global_idx] = accumulator;
}

template <typename T>
__device__ T bilinear_interpolate(const T* input, int height, int width, T y, T x) {
  if (y < -1.0 || y > height || x < -1.0 || x > width) return 0;
  if (y <= 0) y = 0;
  if (x <= 0) x = 0;
  int y_low = (int)y, x_low = (int)x, y_high, x_high;
  if (y_low >= height - 1) {
    y_high = y_low = height - 1;
    y = (T)y_low;
  } else {
    y_high = y_low + 1;
  }
  if (x_low >= width - 1) {
    x_high = x_low = width - 1;
    x = (T)x_low;
  } else {
    x_high = x_low + 1;
  }
  const T ly = y - y_low, lx = x - x_low, hy = 1. - ly, hx = 1. - lx;
  return hy * hx * input[y_low * width + x_low] + hy * lx * input[y_low * width + x_high] + ly * hx * input[y_high * width + x_low] + ly * lx * input[y_high * width + x_high];
}

// Position-sensitive RoI align: every bin reads its own channel
template <typename T>
__global__ void ps_roi_align_avg(int nthreads, const T* input, const T spatial_scale, int channels, int height, int width, int pooled_height, int pooled_width, int sampling_ratio, const T* rois,
    int channels_out, T* output,
                                 int* channel_mapping) {
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < nthreads; index += blockDim.x * gridDim.x) {
    const int pw = index % pooled_width, ph = (index / pooled_width) % pooled_height;
    const int c_out = (index / pooled_width / pooled_height) % channels_out, n = index / pooled_width / pooled_height / channels_out;
    const T* offset_rois = rois + n * 5;
    const int roi_batch_ind = offset_rois[0];
    const T roi_start_w = offset_rois[1] * spatial_scale - T(0.5), roi_start_h = offset_rois[2] * spatial_scale - T(0.5);
    const T roi_end_w = offset_rois[3] * spatial_scale - T(0.5), roi_end_h = offset_rois[4] * spatial_scale - T(0.5);
    const T bin_size_h = (roi_end_h - roi_start_h) / pooled_height, bin_size_w = (roi_end_w - roi_start_w) / pooled_width;
    const int c_in = (c_out * pooled_height + ph) * pooled_width + pw;
    const T hstart = ph * bin_size_h + roi_start_h, wstart = pw * bin_size_w + roi_start_w;
    const int roi_bin_grid_h = sampling_ratio > 0 ? sampling_ratio : (int)ceilf((roi_end_h - roi_start_h) / pooled_height);
    const int roi_bin_grid_w = sampling_ratio > 0 ? sampling_ratio : (int)ceilf((roi_end_w - roi_start_w) / pooled_width);
    const T* offset_input = input + (roi_batch_ind * channels + c_in) * height * width;
    T out_sum = 0;
    for (int iy = 0; iy < roi_bin_grid_h; iy++) {
      const T y = hstart + (iy + T(.5)) * bin_size_h / roi_bin_grid_h;
      for (int ix = 0; ix < roi_bin_grid_w; ix++) out_sum += bilinear_interpolate(offset_input, height, width, y, wstart + (ix + T(.5)) * bin_size_w / roi_bin_grid_w);
    }
    output[index] = out_sum / (roi_bin_grid_h * roi_bin_grid_w);
    channel_mapping[index] = c_in;
  }
}

// Attention by sampled points of four levels, a channel of a query a thread
__global__ void __launch_bounds__(256) ms_deformable_sampling(const int n, const float* __restrict__ data_value, const int64_t* __restrict__ spatial_shapes,
    const int64_t* __restrict__ level_start_index, const float* __restrict__ sampling_loc,
                                                              const float* __restrict__ attn_weight, const int spatial_size, const int num_heads, const int channels, const int num_levels,
                                                                  const int num_query, const int num_point, float* __restrict__ data_col) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= n) return;
  int rest = index;
  const int c_col = rest % channels;
  rest /= channels;
  const int sampling_index = rest, m_col = rest % num_heads;
  rest /= num_heads;
  const int b_col = rest / num_query;
  int weight_ptr = sampling_index * num_levels * num_point, loc_ptr = weight_ptr << 1;
  const int qid_stride = num_heads * channels;
  float col = 0;
  for (int level = 0; level < num_levels; ++level) {
    const int spatial_h = spatial_shapes[level * 2], spatial_w = spatial_shapes[level * 2 + 1];
    const float* value = data_value + ((int64_t)b_col * spatial_size + level_start_index[level]) * qid_stride + m_col * channels + c_col;
    for (int p = 0; p < num_point; ++p) {
      const float w_im = sampling_loc[loc_ptr] * spatial_w - 0.5f, h_im = sampling_loc[loc_ptr + 1] * spatial_h - 0.5f, weight = attn_weight[weight_ptr];
      if (h_im > -1 && w_im > -1 && h_im < spatial_h && w_im < spatial_w) {
        const int h_low = floorf(h_im), w_low = floorf(w_im), h_high = h_low + 1, w_high = w_low + 1;
        const float lh = h_im - h_low, lw = w_im - w_low, hh = 1 - lh, hw = 1 - lw;
        float v1 = 0, v2 = 0, v3 = 0, v4 = 0;
        if (h_low >= 0 && w_low >= 0) v1 = value[(h_low * spatial_w + w_low) * qid_stride];
        if (h_low >= 0 && w_high <= spatial_w - 1) v2 = value[(h_low * spatial_w + w_high) * qid_stride];
        if (h_high <= spatial_h - 1 && w_low >= 0) v3 = value[(h_high * spatial_w + w_low) * qid_stride];
        if (h_high <= spatial_h - 1 && w_high <= spatial_w - 1) v4 = value[(h_high * spatial_w + w_high) * qid_stride];
        col += weight * (hh * hw * v1 + hh * lw * v2 + lh * hw * v3 + lh * lw * v4);
      }
      weight_ptr += 1;
      loc_ptr += 2;
    }
  }
  data_col[index] = col;
}

struct Bbox {
  float xmin, ymin, xmax, ymax;
};
__device__ __forceinline__ float jaccard_overlap(const Bbox a, const Bbox b) {
  const float w = fminf(a.xmax, b.xmax) - fmaxf(a.xmin, b.xmin), h = fminf(a.ymax, b.ymax) - fmaxf(a.ymin, b.ymin);
  if (w <= 0.f || h <= 0.f) return 0.f;
  const float inter = w * h;
  return inter / ((a.xmax - a.xmin) * (a.ymax - a.ymin) + (b.xmax - b.xmin) * (b.ymax - b.ymin) - inter);
}

// Suppression of overlapping boxes of all classes of an image, an image a block, the boxes of a class in registers
template <int TSIZE>
__global__ void all_class_nms(const int num_classes, const int num_preds_per_class, const int top_k, const float nms_threshold, const float score_threshold, const Bbox* __restrict__ bbox_data,
    float* before_scores, const int* before_index,
                              float* after_scores, int* after_index) {
  extern __shared__ bool kept_flag[];
  for (int c = 0; c < num_classes; ++c) {
    const int offset = blockIdx.x * num_classes * num_preds_per_class + c * num_preds_per_class, max_idx = offset + top_k;
    const int bbox_offset = blockIdx.x * num_preds_per_class;
    Bbox loc_bbox[TSIZE];
#pragma unroll
    for (int t = 0; t < TSIZE; ++t) {
      const int cur_idx = threadIdx.x + blockDim.x * t, item_idx = offset + cur_idx;
      if (item_idx < max_idx) {
        loc_bbox[t] = bbox_data[bbox_offset + before_index[item_idx]];
        kept_flag[cur_idx] = before_scores[item_idx] > score_threshold;
      }
    }
    __syncthreads();
    for (int ref = 0; ref < top_k; ++ref) {
      if (!kept_flag[ref]) continue;
      const Bbox ref_bbox = bbox_data[bbox_offset + before_index[offset + ref]];
#pragma unroll
      for (int t = 0; t < TSIZE; ++t) {
        const int cur_idx = threadIdx.x + blockDim.x * t;
        if (cur_idx < top_k && cur_idx > ref && kept_flag[cur_idx] && jaccard_overlap(ref_bbox, loc_bbox[t]) > nms_threshold) kept_flag[cur_idx] = false;
      }
      __syncthreads();
    }
#pragma unroll
    for (int t = 0; t < TSIZE; ++t) {
      const int cur_idx = threadIdx.x + blockDim.x * t, item_idx = offset + cur_idx;
      if (item_idx < max_idx) {
        after_scores[item_idx] = kept_flag[cur_idx] ? before_scores[item_idx] : 0.f;
        after_index[item_idx] = kept_flag[cur_idx] ? before_index[item_idx] : -1;
      }
    }
    __syncthreads();
  }
}

template <class Block, class Fix>
static Block* quantized(size_t count, uint32_t seed, Fix fix) {
  std::vector<Block> host(count);
  uint8_t* raw = reinterpret_cast<uint8_t*>(host.data());
  for (size_t i = 0; i + 4 <= count * sizeof(Block); i += 4) {
    const uint32_t h = hashed(uint32_t(i) + seed);
    std::memcpy(raw + i, &h, 4);
  }
  for (size_t i = 0; i < count; ++i) fix(host[i], uint32_t(i) + seed);
  return on_device(host);
}
static half small_half(uint32_t i) { return __float2half(fraction(i) - 0.5f); }
static float centred(uint32_t i) { return fraction(i) - 0.5f; }

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* f = on_device<float>(8 * M, centred);
  const half* h = on_device<half>(8 * M, small_half);
  float* o = zeros<float>(16 * M);
  auto fix_q8_1 = [](block_q8_1& b, uint32_t i) {
    const float d = 0.01f + 0.02f * fraction(i);
    int sum = 0;
    for (int8_t q : b.qs) sum += q;
    b.ds = __floats2half2_rn(d, d * sum * 0.01f);
  };

  // weights
  const block_q3_K* q3 = quantized<block_q3_K>(16384, 1, [](block_q3_K& b, uint32_t i) { b.d = __float2half(0.001f + 0.001f * fraction(i)); });
  run("dequantize_block_q3_K", [&] { dequantize_block_q3_K<<<16384, 64>>>(q3, (half*)o); });
  const block_q8_1* columns = quantized<block_q8_1>(128 * 128, 2, fix_q8_1);
  const block_q5_K* q5 = quantized<block_q5_K>(4096 * 16, 3, [](block_q5_K& b, uint32_t i) { b.dm = __floats2half2_rn(0.001f + 0.001f * fraction(i), 0.002f); });
  run("mul_mat_vec_q5_K_q8_1", [&] { mul_mat_vec_q5_K_q8_1<4><<<4096, dim3(32, 4)>>>(q5, columns, o, 4096, 4096); });
  const block_q8_0* q8 = quantized<block_q8_0>(4096 * 128, 4, [](block_q8_0& b, uint32_t i) { b.d = __float2half(0.002f + 0.001f * fraction(i)); });
  run("mul_mat_vec_q8_0_cols_4", [&] { mul_mat_vec_q8_0_cols<4, 2><<<2048, 128>>>(q8, columns, o, 128, 128, 4096); });
  run("mul_mat_vec_q8_0_cols_7", [&] { mul_mat_vec_q8_0_cols<7, 2><<<512, 128>>>(q8, columns, o, 128, 128, 1024); });
  const block_q4_1* q4 = quantized<block_q4_1>(1536 * 64, 5, [](block_q4_1& b, uint32_t i) { b.dm = __floats2half2_rn(0.01f + 0.01f * fraction(i), -0.1f); });
  run("mul_mat_q4_1_mmq", [&] { mul_mat_q4_1_mmq<<<dim3(1536 / MMQ_Y, 128 / MMQ_X), 256>>>(q4, columns, o, 64, 1536); });
  run("cpy_f32_to_q4_0", [&] { cpy_f32_to_q4_0<<<128 * 32 * 96 / 32, 1>>>((const char*)f, (char*)o, 128 * 32 * 96, 128, 32, 96 * 128 * 4, 128 * 4); });

  // strides
  const uint3 by64 = fastdiv_values(64), by77 = fastdiv_values(77), by8 = fastdiv_values(8), by1 = fastdiv_values(1);
  run("k_bin_bcast_fastdiv", [&] {
    k_bin_bcast_fastdiv<OpScaleAdd, half><<<dim3(1, 8, 77 * 8), dim3(32, 4, 1)>>>(f, h, o, 64, 32, 77, by8, by64, by1, by77, by1, 64, 64 * 32, 64 * 32 * 77, 0, 64, 0);
  });
  run("concat_f32_strided", [&] {
    concat_f32_strided<1><<<dim3(520, 8, 4), 128>>>((const char*)f, (const char*)(f + 4 * M), (char*)o, 128, 500, 8, 4, 128 * 8 * 4, 128 * 4, 128 * 8 * 500 * 4, 20 * 4, 4, 128 * 20 * 4,
        128 * 20 * 8 * 4, 128, 128 * 4, 128 * 520 * 4,
                                                    128 * 520 * 8 * 4);
  });
  run("soft_max_f32_mask_slope_4096", [&] { soft_max_f32_mask_slope<4096><<<1024, 1024, (32 + 4096) * sizeof(float)>>>(f, h, o, 4096, 32, 0.08f, 8.0f, 0.84f, 0.92f, 32); });
  run("soft_max_f32_mask_slope_333", [&] { soft_max_f32_mask_slope<0><<<333 * 12, 352, (32 + 352) * sizeof(float)>>>(f, h, o, 333, 333, 0.125f, 8.0f, 0.5f, 0.7f, 8); });

  // tokens
  const int64_t* positions = on_device<int64_t>(2048, [](uint32_t i) { return int64_t(i < 1500 ? i : hashed(i) % 4096); });
  half *query = on_device<half>(2048 * 32 * 128, small_half), *key = on_device<half>(2048 * 8 * 128, small_half);
  const half* cos_sin = on_device<half>(4096 * 64, [](uint32_t i) {
    const float angle = float(i / 64) * std::pow(10000.f, -float(i % 32) / 32);
    return __float2half(i % 64 < 32 ? std::cos(angle) : std::sin(angle));
  });
  run("rotary_embedding_partial", [&] { rotary_embedding_partial<half><<<2048, 512>>>(positions, query, key, cos_sin, 64, 32 * 128, 8 * 128, 32, 8, 128); });
  const __nv_bfloat16* b = on_device<__nv_bfloat16>(2048 * 5120, [](uint32_t i) { return __float2bfloat16(6.f * (fraction(i) + fraction(i + 7) - 1.f)); });
  run("swigluoai_interleaved", [&] { swigluoai_interleaved<<<1024, 1024>>>((__nv_bfloat16*)o, b, 2880, 1.702f, 7.0f); });
  const char4* products = (const char4*)columns;
  const float* in_scale = on_device(std::vector<float>{0.02f});
  run("add_bias_residual_ln_int8", [&] { add_bias_residual_ln_int8<<<512, 256>>>((char4*)o, products, (const half2*)h, (const half2*)(h + M), (const half2*)(h + 2 * M), (const half2*)(h + 3 * M),
      512, 1024, in_scale, 40.f); });
  run("dynamic_scaled_int8_azp", [&] { dynamic_scaled_int8_azp<__nv_bfloat16><<<2048, 256>>>(b, (int8_t*)o, o + 4 * M, (int32_t*)o + 5 * M, 5120); });

  // caches
  constexpr int requests = 12, pages = 640;
  std::vector<int> indptr(1, 0), last, indices;
  for (int r = 0; r < requests; ++r) {
    const int len = 60 + int(hashed(r + 5) % 800);
    for (int p = 0; p < (len + 15) / 16; ++p) indices.push_back(int(hashed(p * 31 + r) % pages));
    last.push_back((len - 1) % 16 + 1);
    indptr.push_back(int(indices.size()));
  }
  const int *indptr_d = on_device(indptr), *indices_d = on_device(indices), *last_d = on_device(last);
  const uint8_t* pool = on_device<uint8_t>(size_t(pages) * 2 * 8 * 16 * 128, [](uint32_t i) { return uint8_t((hashed(i) & 0x80) | (0x18 + hashed(i + 3) % 32)); });
  run("batch_decode_paged_gqa4", [&] { batch_decode_paged_gqa4<16, 32><<<dim3(requests, 8), dim3(16, 4, 2)>>>(h, pool, indptr_d, indices_d, last_d, (half*)o, o + M, 8, 0.088f * 1.4427f, 1.f); });
  run("flash_attn_vec_q8_0_keys", [&] { flash_attn_vec_q8_0_keys<128><<<dim3(4, 1, 32), dim3(32, 4)>>>(f, q8, h, h + 4 * M, o, (float2*)(o + 4 * M), 0.088f, 2048, 4); });
  const float2* meta = on_device<float2>(32 * 24 * 16, [](uint32_t i) { return make_float2(3.f * fraction(i), 1.f + 50.f * fraction(i + 1)); });
  run("flash_attn_combine_parts", [&] { flash_attn_combine_parts<128><<<dim3(32, 24), 128, 16 * sizeof(float2)>>>(f, meta, o, 16); });
  const int* seqlens = on_device(std::vector<int>{0, 700, 833, 1249, 1800});
  run("prefill_ragged_mma", [&] { prefill_ragged_mma<<<dim3(11, 16, 4), 128>>>(h, h + 2 * M, h + 3 * M, (half*)o, seqlens, 16, 4, 0.125f * 1.4427f); });
  half* caches = zeros<half>(size_t(16) * 2 * 48 * 16384);
  std::vector<int64_t> key_ptrs, value_ptrs, mapping;
  for (int l = 0; l < 16; ++l) {
    key_ptrs.push_back((int64_t)(caches + size_t(2 * l) * 48 * 16384));
    value_ptrs.push_back((int64_t)(caches + size_t(2 * l + 1) * 48 * 16384));
  }
  for (int p = 0; p < 20; ++p) mapping.push_back(p / 2), mapping.push_back(20 + p);
  const int64_t *key_ptrs_d = on_device(key_ptrs), *value_ptrs_d = on_device(value_ptrs), *mapping_d = on_device(mapping);
  run("copy_blocks_layers", [&] { copy_blocks_layers<half><<<dim3(16, 20), 1024>>>(key_ptrs_d, value_ptrs_d, mapping_d, 16384); });

  // experts
  const float* logits = on_device<float>(8192 * 128, [](uint32_t i) { return 4.f * fraction(i) + (hashed(i / 128 + i % 128 * 64) % 9 == 0 ? 2.f : 0.f); });
  run("topk_gating_softmax_subwarp", [&] { topk_gating_softmax_subwarp<8, 128, 4><<<1024, dim3(32, 4)>>>(logits, o, (int*)o + M, (int*)o + 2 * M, 8192, 8); });
  constexpr int experts = 8, tokens = 18, top_k = 2;
  std::vector<std::vector<int>> of_expert(experts);
  for (int t = 0; t < tokens; ++t) {
    const int first = int(hashed(t) % 8 % 5), second = int((first + 1 + hashed(t + 100) % 7) % 8);
    of_expert[first].push_back(t * top_k), of_expert[second].push_back(t * top_k + 1);
  }
  std::vector<int> sorted, block_expert;
  for (int e = 0; e < experts; ++e)
    for (size_t i = 0; i < of_expert[e].size(); i += 4) {
      for (size_t j = i; j < i + 4; ++j) sorted.push_back(j < of_expert[e].size() ? of_expert[e][j] : tokens * top_k);
      block_expert.push_back(e);
    }
  const int padded = int(sorted.size());
  const int *sorted_d = on_device(sorted), *block_expert_d = on_device(block_expert), *padded_d = on_device(std::vector<int>{padded});
  const uint32_t* nibbles = on_device<uint32_t>(size_t(experts) * 1024 * 2048 / 8, hashed);
  const half* scales = on_device<half>(experts * 1024 * 16, [](uint32_t i) { return __float2half(0.005f + 0.005f * fraction(i)); });
  const float* topk_weights = on_device<float>(tokens * top_k, fraction);
  float* moe_out = zeros<float>(tokens * top_k * 1024);
  run("moe_wna16_gemm_small", [&] { moe_wna16_gemm_small<4, 512, 128><<<dim3(padded / 4, 8, 4), 128>>>(h, moe_out, nibbles, scales, topk_weights, sorted_d, block_expert_d, padded_d, tokens * top_k,
      top_k, 1024, 2048); });

  // sampling and beams
  constexpr int vocab = 32000;
  std::vector<float> probs(32 * vocab);
  for (int r = 0; r < 32; ++r) {
    double sum = 0;
    for (int i = 0; i < vocab; ++i) sum += probs[r * vocab + i] = 1.f / (2.f + hashed(i * 37 + r) % vocab);
    for (int i = 0; i < vocab; ++i) probs[r * vocab + i] /= float(sum);
  }
  const float* probs_d = on_device(probs);
  const int* top_ks = on_device<int>(32, [](uint32_t i) { return int(i % 3 ? 50 : 1000); });
  const float* top_ps = on_device<float>(32, [](uint32_t i) { return i % 4 ? 0.9f : 0.6f; });
  run("top_k_top_p_pivot_sampling", [&] { top_k_top_p_pivot_sampling<<<32, 1024>>>(probs_d, (int*)o, top_ks, top_ps, vocab, 1234u); });
  const int *parents = on_device<int>(256, [](uint32_t i) { return int(hashed(i) % 4); }), *cached = on_device<int>(256 * 2048, [](uint32_t i) { return int(hashed(i) % 4); });
  const int* input_lengths = on_device<int>(256, [](uint32_t i) { return int(10 + hashed(i / 4) % 600); });
  const char* finished = on_device<char>(256, [](uint32_t i) { return char(hashed(i) % 16 == 0); });
  run("update_cache_indirection", [&] { update_cache_indirection<<<dim3(64, 256), dim3(32, 1)>>>((int*)o, cached, parents, (const bool*)finished, input_lengths, 64, 64, 4, 2048, 1900); });
  constexpr int drafts = 64, deep = 6, wide = 8, trees = 48;
  std::vector<int64_t> tree_parents, selected, tree_lens;
  size_t mask_size = 0;
  for (int r = 0; r < trees; ++r) {
    tree_parents.push_back(-1);
    for (int s = 0; s < wide; ++s) tree_parents.push_back(s), selected.push_back(s);
    for (int level = 1; level < deep; ++level) {
      std::set<int> picks;
      for (uint32_t n = 0; picks.size() < 11; ++n) picks.insert(int(hashed(n + 100 * level + 1000 * r) % (n % 3 ? 24 : wide * wide)));
      int s = 0;
      for (int pick : picks) {
        const int64_t token = wide + (level - 1) * wide * wide + pick;
        selected.push_back(token);
        if (s++ < wide && level + 1 < deep) tree_parents.push_back(token);
      }
    }
    tree_lens.push_back(100 + hashed(r) % 2000);
    mask_size += size_t(tree_lens.back() + drafts) * drafts;
  }
  const int64_t *tree_parents_d = on_device(tree_parents), *selected_d = on_device(selected), *tree_lens_d = on_device(tree_lens);
  bool* tree_mask = zeros<bool>(mask_size);
  int64_t* links = zeros<int64_t>(4 * trees * drafts);
  run("eagle_tree_mask", [&] { eagle_tree_mask<<<trees, drafts>>>(tree_parents_d, selected_d, tree_lens_d, tree_mask, links, links + trees * drafts, links + 2 * trees * drafts,
      links + 3 * trees * drafts, wide, deep, drafts); });

  // state spaces
  run("ssm_conv_d4_tokens", [&] { ssm_conv_d4_tokens<128, 4><<<dim3(4, 32), 128>>>(f, f + 4 * M, o, 67 * 4, 67 * 4096 * 4, 4 * 4, 4096 * 4, 4096 * 64 * 4, 64); });
  const float* decay = on_device<float>(64, [](uint32_t i) { return -0.5f - fraction(i); });
  run("ssm_scan_group_warp", [&] { ssm_scan_group_warp<4, 128><<<dim3(64 * 64 / 4, 1), 128>>>(f, f + M, f + 2 * M, decay, f + 3 * M, f + 4 * M, o, o + 4 * M, 64, 64, 8, 32); });

  // pictures
  run("conv_transpose_2d_gather", [&] { conv_transpose_2d_gather<<<256, 256>>>(f, h, o, 32, 32, 64, 64, 2, 2, 2, 64, 16, 1); });
  std::vector<float> rois;
  for (uint32_t r = 0; r < 300; ++r) {
    const float x = 600.f * fraction(r), y = 600.f * fraction(r + 1000);
    rois.insert(rois.end(), {float(hashed(r) % 2), x, y, x + 20.f + 180.f * fraction(r + 2000), y + 20.f + 180.f * fraction(r + 3000)});
  }
  const float* rois_d = on_device(rois);
  run("ps_roi_align_avg", [&] { ps_roi_align_avg<float><<<(300 * 490 + 511) / 512, 512>>>(300 * 490, f, 0.0625f, 490, 50, 50, 7, 7, 2, rois_d, 10, o, (int*)o + M); });
  const int64_t *shapes = on_device(std::vector<int64_t>{80, 107, 40, 54, 20, 27, 10, 14}), *starts = on_device(std::vector<int64_t>{0, 8560, 10720, 11260});
  const float* places = on_device<float>(2 * 300 * 8 * 16 * 2, [](uint32_t i) { return 0.1f + 0.9f * fraction(i / 256 * 2 + i % 2) + 0.1f * (fraction(i) - 0.5f); });
  const float* weights = on_device<float>(2 * 300 * 8 * 16, [](uint32_t i) { return fraction(i) / 8.f; });
  run("ms_deformable_sampling", [&] { ms_deformable_sampling<<<600, 256>>>(2 * 300 * 256, f, shapes, starts, places, weights, 11400, 8, 32, 4, 300, 4, o); });
  constexpr int images = 8, classes = 5, preds = 1000, kept = 400;
  const Bbox* boxes = on_device<Bbox>(images * preds, [](uint32_t i) {
    const float x = 500.f * fraction(i / 5), y = 500.f * fraction(i / 5 + 9999), j = 12.f * fraction(i + 77);
    return Bbox{x + j, y - j, x + 40.f + 2 * j, y + 50.f};
  });
  std::vector<float> scores(images * classes * preds);
  std::vector<int> order(images * classes * preds);
  for (int i = 0; i < images * classes * preds; ++i) scores[i] = 0.95f - 0.9f * float(i % preds) / preds, order[i] = int(hashed(i) % preds);
  float* scores_d = on_device(scores);
  const int* order_d = on_device(order);
  run("all_class_nms", [&] { all_class_nms<2><<<images, 256, 512>>>(classes, preds, kept, 0.5f, 0.65f, boxes, scores_d, order_d, o, (int*)o + M); });
  return 0;
}
