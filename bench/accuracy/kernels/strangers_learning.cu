// Kernels of learning in the forms in which others write them: half2, quantized weights, online softmax, tensor cores with shared
// tiles, recurrences. Written and recorded after the model, as are the other strangers_*.cu.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include "cases.h"

namespace cg = cooperative_groups;
using namespace nvcuda;

__device__ __forceinline__ uint32_t pcg_hash(uint32_t input) {
  uint32_t state = input * 747796405u + 2891336453u;
  uint32_t word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
  return (word >> 22u) ^ word;
}

__global__ void bias_gelu_dropout(const half2* __restrict__ x, const half2* __restrict__ bias, half2* __restrict__ y,
                                  unsigned char* __restrict__ mask, int total, int cols, float p, uint32_t seed) {
  const float scale = 1.0f / (1.0f - p);
  for (int idx = blockIdx.x * blockDim.x + threadIdx.x; idx < total; idx += gridDim.x * blockDim.x) {
    float2 v = __half22float2(__hadd2(x[idx], bias[idx % cols]));
    v.x = 0.5f * v.x * (1.0f + erff(v.x * 0.70710678f));
    v.y = 0.5f * v.y * (1.0f + erff(v.y * 0.70710678f));
    const uint32_t r = pcg_hash(idx ^ seed);
    const bool k0 = (r & 0xffff) * (1.0f / 65536.0f) >= p, k1 = (r >> 16) * (1.0f / 65536.0f) >= p;
    y[idx] = __floats2half2_rn(k0 ? v.x * scale : 0.0f, k1 ? v.y * scale : 0.0f);
    mask[idx] = (unsigned char)(k0 | (k1 << 1));
  }
}

template <int BLOCK>
__global__ void add_rmsnorm_half2(half2* __restrict__ hidden, const half2* __restrict__ residual,
                                  const half2* __restrict__ gamma, half2* __restrict__ out, int cols, float eps) {
  __shared__ float shared_sum[BLOCK / 32];
  __shared__ float inv_rms;
  const int row = blockIdx.x, tid = threadIdx.x;
  half2* h = hidden + (size_t)row * cols;
  const half2* r = residual + (size_t)row * cols;
  float sum = 0.0f;
  for (int i = tid; i < cols; i += BLOCK) {
    const half2 v = __hadd2(h[i], r[i]);
    h[i] = v;
    const float2 f = __half22float2(v);
    sum += f.x * f.x + f.y * f.y;
  }
  for (int mask = 16; mask > 0; mask >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, mask);
  if (tid % 32 == 0) shared_sum[tid / 32] = sum;
  __syncthreads();
  if (tid == 0) {
    float total = 0.0f;
    for (int i = 0; i < BLOCK / 32; i++) total += shared_sum[i];
    inv_rms = rsqrtf(total / (2 * cols) + eps);
  }
  __syncthreads();
  const half2 s = __float2half2_rn(inv_rms);
  for (int i = tid; i < cols; i += BLOCK) out[(size_t)row * cols + i] = __hmul2(__hmul2(h[i], s), gamma[i]);
}

// Tables of cosines and sines; the two halves of a head rotate against each other.
__global__ void rope_neox(half* __restrict__ query, half* __restrict__ key, const float* __restrict__ cos_sin,
                          const int* __restrict__ positions, int heads, int head_dim) {
  const int token = blockIdx.x, half_dim = head_dim / 2;
  const float* cs = cos_sin + positions[token] * head_dim;
  for (int i = threadIdx.x; i < heads * half_dim; i += blockDim.x) {
    const int head = i / half_dim, d = i % half_dim;
    const float c = cs[d], s = cs[half_dim + d];
    const size_t at = ((size_t)token * heads + head) * head_dim + d;
    const float q0 = __half2float(query[at]), q1 = __half2float(query[at + half_dim]);
    query[at] = __float2half(q0 * c - q1 * s);
    query[at + half_dim] = __float2half(q1 * c + q0 * s);
    const float k0 = __half2float(key[at]), k1 = __half2float(key[at + half_dim]);
    key[at] = __float2half(k0 * c - k1 * s);
    key[at + half_dim] = __float2half(k1 * c + k0 * s);
  }
}

// Softmax of the experts' gates and the best K of them, a warp a token.
template <int EXPERTS, int K>
__global__ void moe_topk(const float* __restrict__ logits, float* __restrict__ weights, int* __restrict__ ids, int tokens) {
  const int token = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (token >= tokens) return;
  float v[EXPERTS / 32], mx = -INFINITY, sum = 0.f;
#pragma unroll
  for (int i = 0; i < EXPERTS / 32; i++) {
    v[i] = logits[token * EXPERTS + i * 32 + lane];
    mx = fmaxf(mx, v[i]);
  }
  for (int m = 16; m; m >>= 1) mx = fmaxf(mx, __shfl_xor_sync(~0u, mx, m));
#pragma unroll
  for (int i = 0; i < EXPERTS / 32; i++) {
    v[i] = __expf(v[i] - mx);
    sum += v[i];
  }
  for (int m = 16; m; m >>= 1) sum += __shfl_xor_sync(~0u, sum, m);
  const float inv = 1.f / sum;
  for (int k = 0; k < K; k++) {
    float best = -1.f;
    int where = 0;
#pragma unroll
    for (int i = 0; i < EXPERTS / 32; i++)
      if (v[i] > best) best = v[i], where = i * 32 + lane;
    for (int m = 16; m; m >>= 1) {
      const float ob = __shfl_xor_sync(~0u, best, m);
      const int ow = __shfl_xor_sync(~0u, where, m);
      if (ob > best || (ob == best && ow < where)) best = ob, where = ow;
    }
#pragma unroll
    for (int i = 0; i < EXPERTS / 32; i++)
      if (where == i * 32 + lane) v[i] = -1.f;
    if (lane == 0) {
      weights[token * K + k] = best * inv;
      ids[token * K + k] = where;
    }
  }
}

__global__ void cross_entropy(const float4* __restrict__ logits, const int* __restrict__ labels, float* __restrict__ loss,
                              float* __restrict__ lse_out, int vocab4) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  __shared__ float maxes[32], sums[32];
  const float4* row = logits + (size_t)blockIdx.x * vocab4;
  float m = -INFINITY, s = 0.f;
  for (int i = threadIdx.x; i < vocab4; i += blockDim.x) {
    const float4 x = row[i];
    const float local = fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w));
    if (local > m) {
      s *= __expf(m - local);
      m = local;
    }
    s += __expf(x.x - m) + __expf(x.y - m) + __expf(x.z - m) + __expf(x.w - m);
  }
  const float wm = cg::reduce(warp, m, cg::greater<float>());
  const float ws = cg::reduce(warp, s * __expf(m - wm), cg::plus<float>());
  if (warp.thread_rank() == 0) {
    maxes[warp.meta_group_rank()] = wm;
    sums[warp.meta_group_rank()] = ws;
  }
  block.sync();
  if (threadIdx.x == 0) {
    float total_m = -INFINITY, total = 0.f;
    for (int i = 0; i < (int)warp.meta_group_size(); i++) total_m = fmaxf(total_m, maxes[i]);
    for (int i = 0; i < (int)warp.meta_group_size(); i++) total += sums[i] * expf(maxes[i] - total_m);
    const float lse = logf(total) + total_m;
    lse_out[blockIdx.x] = lse;
    loss[blockIdx.x] = lse - reinterpret_cast<const float*>(row)[labels[blockIdx.x]];
  }
}

// Weights of four bits, eight a word, groups of 128 with a scale and a zero; a block an output.
__global__ void gemv_int4_grouped(const uint4* __restrict__ weights, const half* __restrict__ x, const half2* __restrict__ scale_zero,
                                  half* __restrict__ y, int k) {
  __shared__ float partial[4];
  const int row = blockIdx.x, per_row = k / 32;
  float acc = 0.f;
  for (int i = threadIdx.x; i < per_row; i += blockDim.x) {
    const uint4 packed = weights[(size_t)row * per_row + i];
    const float2 sz = __half22float2(scale_zero[row * (k / 128) + i / 4]);
    const uint32_t words[4] = {packed.x, packed.y, packed.z, packed.w};
    float part = 0.f;
#pragma unroll
    for (int w = 0; w < 4; w++)
#pragma unroll
      for (int b = 0; b < 8; b++) {
        const float q = (float)((words[w] >> (4 * b)) & 0xf);
        part = fmaf(q - sz.y, __half2float(x[i * 32 + w * 8 + b]), part);
      }
    acc += part * sz.x;
  }
  for (int o = 16; o; o >>= 1) acc += __shfl_down_sync(~0u, acc, o);
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = acc;
  __syncthreads();
  if (threadIdx.x == 0) y[row] = __float2half(partial[0] + partial[1] + partial[2] + partial[3]);
}

__global__ void gemv_int8_dequant(const char4* __restrict__ w, const float4* __restrict__ x, const float* __restrict__ scale,
                                  float* __restrict__ y, int k4, int rows) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float sum = 0;
#pragma unroll 4
  for (int i = threadIdx.x; i < k4; i += 32) {
    const char4 q = w[(size_t)row * k4 + i];
    const float4 v = x[i];
    sum += q.x * v.x + q.y * v.y + q.z * v.z + q.w * v.w;
  }
  for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  if (threadIdx.x == 0) y[row] = sum * scale[row];
}

// Tiles of 32 queries and 32 keys; scores in shared memory, each thread keeps a quarter of a row of the output.
template <int D>
__global__ void flash_forward(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                              float* __restrict__ o, int n, float scale) {
  constexpr int B = 32;
  __shared__ float qs[B][D + 1], ks[B][D + 1], vs[B][D], s[B][B + 1];
  const int tid = threadIdx.x, row = tid / 4, part = tid % 4;
  const size_t base = (size_t)blockIdx.y * n * D;
  for (int i = tid; i < B * D; i += 128) qs[i / D][i % D] = q[base + (size_t)blockIdx.x * B * D + i] * scale;
  float acc[D / 4] = {0.f}, m = -INFINITY, l = 0.f;
  for (int j = 0; j < n; j += B) {
    __syncthreads();
    for (int i = tid; i < B * D; i += 128) {
      ks[i / D][i % D] = k[base + (size_t)j * D + i];
      vs[i / D][i % D] = v[base + (size_t)j * D + i];
    }
    __syncthreads();
    float row_max = -INFINITY;
    for (int c = part; c < B; c += 4) {
      float dot = 0.f;
#pragma unroll
      for (int d = 0; d < D; d++) dot += qs[row][d] * ks[c][d];
      s[row][c] = dot;
      row_max = fmaxf(row_max, dot);
    }
    row_max = fmaxf(row_max, __shfl_xor_sync(~0u, row_max, 1));
    row_max = fmaxf(row_max, __shfl_xor_sync(~0u, row_max, 2));
    const float m_new = fmaxf(m, row_max), alpha = __expf(m - m_new);
    __syncwarp();
    float row_sum = 0.f;
    for (int c = part; c < B; c += 4) {
      const float e = __expf(s[row][c] - m_new);
      s[row][c] = e;
      row_sum += e;
    }
    row_sum += __shfl_xor_sync(~0u, row_sum, 1);
    row_sum += __shfl_xor_sync(~0u, row_sum, 2);
    l = l * alpha + row_sum;
    m = m_new;
    __syncwarp();
#pragma unroll
    for (int d = 0; d < D / 4; d++) acc[d] *= alpha;
    for (int c = 0; c < B; c++) {
      const float p = s[row][c];
#pragma unroll
      for (int d = 0; d < D / 4; d++) acc[d] += p * vs[c][d * 4 + part];
    }
  }
  const float inv = 1.f / l;
  for (int d = 0; d < D / 4; d++) o[base + ((size_t)blockIdx.x * B + row) * D + d * 4 + part] = acc[d] * inv;
}

// 64 x 64 tiles by four warps, the next tile's loads under way while this one is multiplied.
__global__ void __launch_bounds__(128) wmma_double_buffered(const half* __restrict__ A, const half* __restrict__ B,
                                                            float* __restrict__ C, int M, int N, int K) {
  constexpr int BM = 64, BN = 64, BK = 32, PA = BK + 8, PB = BN + 8;
  __shared__ __align__(16) half As[2][BM * PA];
  __shared__ __align__(16) half Bs[2][BK * PB];
  const int warp = threadIdx.x / 32, wr = warp / 2, wc = warp % 2, bx = blockIdx.x * BN, by = blockIdx.y * BM;
  auto load = [&](int stage, int k0) {
    for (int i = threadIdx.x; i < BM * BK / 8; i += 128)
      __pipeline_memcpy_async(&As[stage][i / (BK / 8) * PA + i % (BK / 8) * 8],
                              &A[(size_t)(by + i / (BK / 8)) * K + k0 + i % (BK / 8) * 8], 16);
    for (int i = threadIdx.x; i < BK * BN / 8; i += 128)
      __pipeline_memcpy_async(&Bs[stage][i / (BN / 8) * PB + i % (BN / 8) * 8],
                              &B[(size_t)(k0 + i / (BN / 8)) * N + bx + i % (BN / 8) * 8], 16);
    __pipeline_commit();
  };
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::fill_fragment(c[i][j], 0.0f);
  load(0, 0);
  const int tiles = K / BK;
  for (int t = 0; t < tiles; t++) {
    if (t + 1 < tiles) {
      load((t + 1) & 1, (t + 1) * BK);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
      for (int i = 0; i < 2; i++) wmma::load_matrix_sync(a[i], &As[t & 1][(wr * 32 + i * 16) * PA + kk], PA);
      for (int j = 0; j < 2; j++) wmma::load_matrix_sync(b[j], &Bs[t & 1][kk * PB + wc * 32 + j * 16], PB);
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::mma_sync(c[i][j], a[i], b[j], c[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      wmma::store_matrix_sync(&C[(size_t)(by + wr * 32 + i * 16) * N + bx + wc * 32 + j * 16], c[i][j], N, wmma::mem_row_major);
}

// C += A B over a part of K: 32 x 32 tiles, 2 x 2 results a thread.
__global__ void gemm_split_k(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K, int part) {
  __shared__ float as[16][33], bs[16][32];
  const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx, row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  float acc[2][2] = {{0.f, 0.f}, {0.f, 0.f}};
  const int end = min(K, (int)(blockIdx.z + 1) * part);
  for (int k0 = blockIdx.z * part; k0 < end; k0 += 16) {
    for (int i = tid; i < 512; i += 256) {
      as[i % 16][i / 16] = A[(row0 + i / 16) * K + k0 + i % 16];
      bs[i / 32][i % 32] = B[(k0 + i / 32) * N + col0 + i % 32];
    }
    __syncthreads();
    for (int k = 0; k < 16; k++)
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) acc[i][j] += as[k][ty + 16 * i] * bs[k][tx + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) atomicAdd(&C[(row0 + ty + 16 * i) * N + col0 + tx + 16 * j], acc[i][j]);
}

// The state-space recurrence: a thread a channel, 16 states in registers.
__global__ void selective_scan(const float* __restrict__ u, const float* __restrict__ delta, const float* __restrict__ A,
                               const float* __restrict__ B, const float* __restrict__ C, float* __restrict__ y, int length, int channels) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  float a[16], h[16];
#pragma unroll
  for (int s = 0; s < 16; s++) a[s] = -A[c * 16 + s], h[s] = 0.f;
  for (int t = 0; t < length; t++) {
    const float x = u[t * channels + c], d = delta[t * channels + c];
    const float dt = d > 20.f ? d : log1pf(__expf(d));
    float out = 0.f;
#pragma unroll
    for (int s = 0; s < 16; s++) {
      h[s] = __expf(dt * a[s]) * h[s] + dt * B[t * 16 + s] * x;
      out += h[s] * C[t * 16 + s];
    }
    y[t * channels + c] = out;
  }
}

__global__ void lstm_cell(const float* __restrict__ gates, const float* __restrict__ bias, float* __restrict__ cell,
                          float* __restrict__ hidden, int batch, int size) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= batch * size) return;
  int b = idx / size, j = idx % size;
  const float* g = gates + b * 4 * size;
  float i = 1.f / (1.f + expf(-(g[j] + bias[j])));
  float f = 1.f / (1.f + expf(-(g[size + j] + bias[size + j])));
  float z = tanhf(g[2 * size + j] + bias[2 * size + j]);
  float o = 1.f / (1.f + expf(-(g[3 * size + j] + bias[3 * size + j])));
  float c = f * cell[idx] + i * z;
  cell[idx] = c;
  hidden[idx] = o * tanhf(c);
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const size_t most = 1 << 23;
  float* a = on_device<float>(most, fraction);
  float* b = on_device<float>(most, fraction);
  float* c = zeros<float>(most);
  float* d = zeros<float>(1 << 20);
  half* h = on_device<half>(most, [](uint32_t i) { return __float2half(fraction(i) - 0.5f); });
  half* g = on_device<half>(most, [](uint32_t i) { return __float2half(fraction(i + 7u) - 0.5f); });
  half* out = zeros<half>(most);
  uint32_t* bits = on_device<uint32_t>(most, hashed);
  int* ids = on_device<int>(1 << 14, [](uint32_t i) { return int(hashed(i) % 2048u); });
  const auto h2 = [](half* p) { return reinterpret_cast<half2*>(p); };
  const auto f4 = [](float* p) { return reinterpret_cast<float4*>(p); };
  const auto any = [](void* p) { return p; };

  for (int n : {1 << 17, 1 << 21})
    run(sized("bias_gelu_dropout", n), [&] {
      bias_gelu_dropout<<<min(n / 256, 1056), 256>>>(h2(h), h2(g), h2(out), (unsigned char*)any(c), n, 1536, 0.1f, 1234u);
    });
  run("add_rmsnorm_half2_1024", [&] { add_rmsnorm_half2<128><<<2048, 128>>>(h2(out), h2(h), h2(g), h2(out) + most / 4, 512, 1e-6f); });
  run("add_rmsnorm_half2_8192", [&] { add_rmsnorm_half2<512><<<64, 512>>>(h2(out), h2(h), h2(g), h2(out) + most / 4, 4096, 1e-6f); });
  run("rope_neox", [&] { rope_neox<<<512, 256>>>(h, g, a, ids, 32, 128); });
  run("moe_topk_64", [&] { moe_topk<64, 8><<<1024, 128>>>(a, c, (int*)any(d), 4096); });
  run("moe_topk_256", [&] { moe_topk<256, 2><<<64, 256>>>(a, c, (int*)any(d), 512); });
  run("cross_entropy_32000", [&] { cross_entropy<<<128, 1024>>>(f4(a), ids, c, d, 8000); });
  run("cross_entropy_50304", [&] { cross_entropy<<<96, 256>>>(f4(a), ids, c, d, 12576); });
  run("gemv_int4_4096", [&] { gemv_int4_grouped<<<4096, 128>>>((uint4*)any(bits), h, h2(g), out, 4096); });
  run("gemv_int8_2048", [&] { gemv_int8_dequant<<<512, dim3(32, 4)>>>((char4*)any(bits), f4(a), b, c, 512, 2048); });
  run("gemv_int8_8192", [&] { gemv_int8_dequant<<<128, dim3(32, 8)>>>((char4*)any(bits), f4(a), b, c, 2048, 1024); });
  run("flash_forward_32", [&] { flash_forward<32><<<dim3(16, 12), 128>>>(a, b, b + 4096, c, 512, 0.17f); });
  run("flash_forward_64", [&] { flash_forward<64><<<dim3(8, 16), 128>>>(a, b, b + 4096, c, 256, 0.125f); });
  for (int n : {512, 1024})
    run(sized("wmma_double_buffered", n), [&] { wmma_double_buffered<<<dim3(n / 64, n / 64), 128>>>(h, g, c, n, n, n); });
  run("gemm_split_k", [&] { gemm_split_k<<<dim3(4, 4, 16), dim3(16, 16)>>>(a, b, c, 128, 128, 4096, 256); });
  run("selective_scan", [&] { selective_scan<<<24, 64>>>(a, b, a, b, b + 77, c, 256, 1536); });
  run("lstm_cell", [&] { lstm_cell<<<1024, 256>>>(a, b, d, c, 256, 1024); });
  return 0;
}
