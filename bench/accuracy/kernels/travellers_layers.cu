// Layers of models for pictures, volumes, sounds, graphs and states: convolutions in one to three dimensions, pooling, resizing, modulated norms, recurrences, sparse and local attention, points, and radiance fields.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cases.h"

// A 3x3x3 convolution, four outputs along x a thread, weights in shared memory.
template <int CIN>
__global__ void conv3d_k3(const __half* __restrict__ x, const float* __restrict__ w, __half* __restrict__ y, int cout, int D, int H, int W) {
  __shared__ float ws[CIN * 27];
  const int co = blockIdx.y;
  for (int i = threadIdx.x; i < CIN * 27; i += blockDim.x) ws[i] = w[co * CIN * 27 + i];
  __syncthreads();
  const int quads = W / 4, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= D * H * quads) return;
  const int xq = i % quads * 4, yy = i / quads % H, z = i / (quads * H);
  float acc[4] = {0.f, 0.f, 0.f, 0.f};
  for (int ci = 0; ci < CIN; ++ci)
    for (int dz = 0; dz < 3; ++dz) {
      const int zz = z + dz - 1;
      if ((unsigned)zz >= (unsigned)D) continue;
#pragma unroll
      for (int dy = 0; dy < 3; ++dy) {
        const int yr = yy + dy - 1;
        if ((unsigned)yr >= (unsigned)H) continue;
        const __half* row = x + ((size_t)(ci * D + zz) * H + yr) * W;
        float v[6];
#pragma unroll
        for (int k = 0; k < 6; ++k) {
          const int xx = xq + k - 1;
          v[k] = xx >= 0 && xx < W ? __half2float(row[xx]) : 0.f;
        }
#pragma unroll
        for (int dx = 0; dx < 3; ++dx) {
          const float wt = ws[ci * 27 + dz * 9 + dy * 3 + dx];
#pragma unroll
          for (int k = 0; k < 4; ++k) acc[k] += wt * v[k + dx];
        }
      }
    }
  __half2* out = reinterpret_cast<__half2*>(y + ((size_t)(co * D + z) * H + yy) * W + xq);
  out[0] = __floats2half2_rn(acc[0], acc[1]);
  out[1] = __floats2half2_rn(acc[2], acc[3]);
}

// A vocoder's layer: snake activation, then a transposed convolution along time.
__global__ void snake_conv_transpose1d(const float* x, const float* alpha, const float* w, float* y, int cin, int cout, int len, int stride, int kernel) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, co = blockIdx.y;
  int out_len = len * stride;
  if (t >= out_len) return;
  int pad = (kernel - stride) / 2;
  float acc = 0;
  for (int k = (t + pad) % stride; k < kernel; k += stride) {
    int src = (t + pad - k) / stride;
    if (t + pad < k || src >= len) continue;
    for (int ci = 0; ci < cin; ci++) {
      float v = x[ci * len + src];
      float a = alpha[ci];
      float s = __sinf(a * v);
      v += s * s / (a + 1e-9f);
      acc += v * w[(ci * cout + co) * kernel + k];
    }
  }
  y[(size_t)co * out_len + t] = acc;
}

// Winograd's last step: 4x4 products to 2x2 outputs with bias and ReLU.
__global__ void winograd_output_2x2(const float* __restrict__ m, const float* __restrict__ bias, float* __restrict__ y, int tiles_x, int tiles, int channels) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
  if (t >= tiles) return;
  float d[4][4], r[2][4];
#pragma unroll
  for (int i = 0; i < 16; ++i) d[i / 4][i % 4] = m[((size_t)i * channels + c) * tiles + t];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    r[0][j] = d[0][j] + d[1][j] + d[2][j];
    r[1][j] = d[1][j] - d[2][j] - d[3][j];
  }
  const float b = bias[c];
  const int W = 2 * tiles_x, ox = t % tiles_x * 2, oy = t / tiles_x * 2;
  float* out = y + (size_t)c * tiles * 4 + oy * W + ox;
#pragma unroll
  for (int i = 0; i < 2; ++i)
    *reinterpret_cast<float2*>(out + i * W) = make_float2(fmaxf(r[i][0] + r[i][1] + r[i][2] + b, 0.f), fmaxf(r[i][1] - r[i][2] - r[i][3] + b, 0.f));
}

// The greatest of 2x2x2 cells, channels last, eight channels a load.
__global__ void max_pool3d_ndhwc(const uint4* __restrict__ x, uint4* __restrict__ y, int D, int H, int W, int C8) {
  const int total = D / 2 * (H / 2) * (W / 2) * C8;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
    const int c = i % C8, ox = i / C8 % (W / 2), oy = i / (C8 * (W / 2)) % (H / 2), oz = i / (C8 * (W / 2) * (H / 2));
    __half2 best[4];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const uint4 v = x[((size_t)((2 * oz + k / 4) * H + 2 * oy + k / 2 % 2) * W + 2 * ox + k % 2) * C8 + c];
      const __half2* h = reinterpret_cast<const __half2*>(&v);
#pragma unroll
      for (int j = 0; j < 4; ++j) best[j] = k == 0 ? h[j] : __hmax2(best[j], h[j]);
    }
    y[i] = *reinterpret_cast<const uint4*>(best);
  }
}

// Volumes enlarged with corners aligned, all three axes at once.
__global__ void upsample_trilinear3d(const int n, const float rd, const float rh, const float rw, const float* in, float* out, int channels, int d1, int h1, int w1, int d2, int h2, int w2) {
  const int index = threadIdx.x + blockIdx.x * blockDim.x;
  if (index >= n) return;
  const int x2 = index % w2, y2 = index / w2 % h2, z2 = index / (w2 * h2);
  const float zr = rd * z2, yr = rh * y2, xr = rw * x2;
  const int z = (int)zr, y = (int)yr, x = (int)xr;
  const int zp = z < d1 - 1 ? 1 : 0, yp = y < h1 - 1 ? 1 : 0, xp = x < w1 - 1 ? 1 : 0;
  const float z1l = zr - z, z0l = 1.f - z1l, y1l = yr - y, y0l = 1.f - y1l, x1l = xr - x, x0l = 1.f - x1l;
  for (int c = 0; c < channels; ++c) {
    const float* p = in + ((size_t)(c * d1 + z) * h1 + y) * w1 + x;
    const float val = z0l * (y0l * (x0l * p[0] + x1l * p[xp]) + y1l * (x0l * p[yp * w1] + x1l * p[yp * w1 + xp])) + z1l * (y0l * (x0l * p[zp * h1 * w1] + x1l * p[zp * h1 * w1 + xp]) + y1l * (x0l * p[zp * h1 * w1 + yp * w1] + x1l * p[zp * h1 * w1 + yp * w1 + xp]));
    out[(size_t)c * n + index] = val;
  }
}

// Norm of a token, shifted and scaled by its picture's vectors (DiT): a warp a token.
__global__ void adaln_modulate(const float4* __restrict__ x, const float4* __restrict__ shift, const float4* __restrict__ scale, float4* __restrict__ y, int rows, int tokens, int C4) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const int b = row / tokens;
  float s = 0.f, q = 0.f;
  for (int i = lane; i < C4; i += 32) {
    const float4 v = x[(size_t)row * C4 + i];
    s += v.x + v.y + v.z + v.w;
    q += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int o = 16; o > 0; o >>= 1) {
    s += __shfl_xor_sync(~0u, s, o);
    q += __shfl_xor_sync(~0u, q, o);
  }
  const float mean = s / (4 * C4), rstd = rsqrtf(q / (4 * C4) - mean * mean + 1e-6f);
  for (int i = lane; i < C4; i += 32) {
    float4 v = x[(size_t)row * C4 + i];
    const float4 a = scale[b * C4 + i], t = shift[b * C4 + i];
    v.x = (v.x - mean) * rstd * (1.f + a.x) + t.x;
    v.y = (v.y - mean) * rstd * (1.f + a.y) + t.y;
    v.z = (v.z - mean) * rstd * (1.f + a.z) + t.z;
    v.w = (v.w - mean) * rstd * (1.f + a.w) + t.w;
    y[(size_t)row * C4 + i] = v;
  }
}

// A chunk's state in Mamba 2: decayed inputs times B, an outer product summed over time; a block has 64 dimensions of a head.
template <int P, int N, int L>
__global__ void ssd_chunk_state(const __half* __restrict__ x, const __half* __restrict__ B, const float* __restrict__ dt, const float* __restrict__ A, float* __restrict__ states, int heads, int chunks) {
  __shared__ float xs[16][P], bs[16][N], decay[L];
  const int chunk = blockIdx.x, head = blockIdx.y, tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const size_t t0 = (size_t)chunk * L;
  if (threadIdx.x < 32) {
    float total = 0.f;
    for (int i = L - 32; i >= 0; i -= 32) {
      const float d = dt[(t0 + i + threadIdx.x) * heads + head];
      float later = d;
      for (int o = 1; o < 32; o <<= 1) {
        const float add = __shfl_down_sync(~0u, later, o);
        if (threadIdx.x + o < 32) later += add;
      }
      decay[i + threadIdx.x] = __expf(A[head] * (total + later - d)) * d;
      total += __shfl_sync(~0u, later, 0);
    }
  }
  float acc[P / 16][N / 16] = {};
  for (int i0 = 0; i0 < L; i0 += 16) {
    __syncthreads();
    for (int i = threadIdx.x; i < 16 * P; i += 256) xs[i / P][i % P] = __half2float(x[((t0 + i0 + i / P) * heads + head) * P + i % P]) * decay[i0 + i / P];
    for (int i = threadIdx.x; i < 16 * N; i += 256) bs[i / N][i % N] = __half2float(B[(t0 + i0 + i / N) * N + i % N]);
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < 16; ++k)
#pragma unroll
      for (int i = 0; i < P / 16; ++i)
#pragma unroll
        for (int j = 0; j < N / 16; ++j) acc[i][j] += xs[k][ty + 16 * i] * bs[k][tx + 16 * j];
  }
  for (int i = 0; i < P / 16; ++i)
    for (int j = 0; j < N / 16; ++j) states[((size_t)(chunk * heads + head) * P + ty + 16 * i) * N + tx + 16 * j] = acc[i][j];
}

// One token of a causal convolution over a short rolling state, with SiLU.
template <int WIDTH>
__global__ void causal_conv1d_update(__nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ state, const __nv_bfloat16* __restrict__ weight, const float* __restrict__ bias, int dim) {
  const int b = blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= dim) return;
  __nv_bfloat16* s = state + ((size_t)b * dim + c) * (WIDTH - 1);
  float v[WIDTH];
#pragma unroll
  for (int i = 0; i < WIDTH - 1; ++i) v[i] = __bfloat162float(s[i]);
  v[WIDTH - 1] = __bfloat162float(x[b * dim + c]);
  float acc = bias[c];
#pragma unroll
  for (int i = 0; i < WIDTH; ++i) acc += v[i] * __bfloat162float(weight[c * WIDTH + i]);
#pragma unroll
  for (int i = 0; i < WIDTH - 1; ++i) s[i] = __float2bfloat16(v[i + 1]);
  x[b * dim + c] = __float2bfloat16(acc / (1.f + __expf(-acc)));
}

// The gated delta rule: a thread has a column of the state, keys go through shared memory.
template <int D>
__global__ __launch_bounds__(D) void gated_delta_rule(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, const float* __restrict__ gate, const float* __restrict__ beta, float* __restrict__ o, int T, float k_scale) {
  __shared__ float kq[2][2][D];
  float S[D];
#pragma unroll
  for (int i = 0; i < D; ++i) S[i] = 0.f;
  const size_t base = (size_t)blockIdx.x * T * D;
  for (int t = 0; t < T; ++t) {
    const int b = t & 1;
    kq[b][0][threadIdx.x] = k[base + (size_t)t * D + threadIdx.x] * k_scale;
    kq[b][1][threadIdx.x] = q[base + (size_t)t * D + threadIdx.x];
    const float vt = v[base + (size_t)t * D + threadIdx.x], g = __expf(-gate[blockIdx.x * T + t]), bt = beta[blockIdx.x * T + t];
    __syncthreads();
    float kv = 0.f, out = 0.f;
#pragma unroll
    for (int i = 0; i < D; ++i) {
      S[i] *= g;
      kv += S[i] * kq[b][0][i];
    }
    const float delta = (vt - kv) * bt;
#pragma unroll
    for (int i = 0; i < D; ++i) {
      S[i] += kq[b][0][i] * delta;
      out += S[i] * kq[b][1][i];
    }
    o[base + (size_t)t * D + threadIdx.x] = out;
  }
}

// Attention whose mask is a list of key blocks for each block of queries: a warp a query, lanes share 64 dimensions' keys by turns.
__global__ void block_sparse_attention(const __half2* __restrict__ Q, const __half2* __restrict__ K, const __half2* __restrict__ V, __half2* __restrict__ O, const int* __restrict__ row_ptr, const int* __restrict__ col_idx, int T, float scale) {
  __shared__ float2 ks[32][33], vs[32][33];
  const int qb = blockIdx.x, warp = threadIdx.y, lane = threadIdx.x;
  const size_t base = (size_t)blockIdx.y * T * 32;
  float2 q[4], acc[4];
  float m[4], l[4];
  for (int r = 0; r < 4; ++r) {
    q[r] = __half22float2(Q[base + (qb * 32 + warp * 4 + r) * 32 + lane]);
    acc[r] = make_float2(0.f, 0.f);
    m[r] = -1e30f, l[r] = 0.f;
  }
  for (int e = row_ptr[qb]; e < row_ptr[qb + 1]; ++e) {
    const int kb = col_idx[e];
    __syncthreads();
    for (int r = warp; r < 32; r += 8) {
      ks[r][lane] = __half22float2(K[base + (kb * 32 + r) * 32 + lane]);
      vs[r][lane] = __half22float2(V[base + (kb * 32 + r) * 32 + lane]);
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      float s = 0.f;
      for (int d = 0; d < 32; ++d) {
        const float qx = __shfl_sync(~0u, q[r].x, d), qy = __shfl_sync(~0u, q[r].y, d);
        s += qx * ks[lane][d].x + qy * ks[lane][d].y;
      }
      s *= scale;
      if (kb == qb && lane > warp * 4 + r) s = -1e30f;
      float top = s;
      for (int o = 16; o; o >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
      const float nm = fmaxf(m[r], top), p = __expf(s - nm), keep = __expf(m[r] - nm);
      float sum = p;
      for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
      l[r] = l[r] * keep + sum;
      m[r] = nm;
      acc[r].x *= keep, acc[r].y *= keep;
      for (int j = 0; j < 32; ++j) {
        const float pj = __shfl_sync(~0u, p, j);
        acc[r].x += pj * vs[j][lane].x, acc[r].y += pj * vs[j][lane].y;
      }
    }
  }
  for (int r = 0; r < 4; ++r) O[base + (qb * 32 + warp * 4 + r) * 32 + lane] = __floats2half2_rn(acc[r].x / l[r], acc[r].y / l[r]);
}

// Attention to a pixel's neighbourhood: first scores, a thread one of them; windows stop at the border.
__global__ void neighborhood_qk(const float* __restrict__ query, const float* __restrict__ key, const float* __restrict__ rpb, float* __restrict__ attn, int H, int W, int dim, int kernel) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, head = blockIdx.z;
  const int kk = kernel * kernel;
  if (x >= W * kk) return;
  const int j = x / kk, ki = x % kk / kernel, kj = x % kernel;
  const int half = kernel / 2, ni = min(max(y - half, 0), H - kernel), nj = min(max(j - half, 0), W - kernel);
  const float* q = query + ((size_t)(head * H + y) * W + j) * dim;
  const float* k = key + ((size_t)(head * H + ni + ki) * W + nj + kj) * dim;
  float sum = 0.f;
  for (int d = 0; d < dim; ++d) sum += q[d] * k[d];
  const int pi = ni + ki - y + kernel - 1, pj = nj + kj - j + kernel - 1;
  attn[((size_t)(head * H + y) * W + j) * kk + x % kk] = sum + rpb[(head * (2 * kernel - 1) + pi) * (2 * kernel - 1) + pj];
}

// Graph attention: softmax of a node's edges and the weighted sum of its neighbours, a warp a node and head.
__global__ void gat_aggregate(const int* __restrict__ rowptr, const int* __restrict__ col, const float* __restrict__ el, const float* __restrict__ er, const float2* __restrict__ feat, float2* __restrict__ out, int nodes, int heads) {
  const int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (w >= nodes * heads) return;
  const int v = w / heads, h = w % heads, begin = rowptr[v], end = rowptr[v + 1];
  const float right = er[v * heads + h];
  float top = -1e30f, sum = 0.f;
  for (int e = begin + lane; e < end; e += 32) {
    float s = el[col[e] * heads + h] + right;
    s = s > 0.f ? s : 0.2f * s;
    top = fmaxf(top, s);
  }
  for (int o = 16; o; o >>= 1) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
  float2 acc = make_float2(0.f, 0.f);
  for (int e = begin; e < end; ++e) {
    const int u = col[e];
    float s = el[u * heads + h] + right;
    s = s > 0.f ? s : 0.2f * s;
    const float p = __expf(s - top);
    sum += p;
    const float2 f = feat[((size_t)u * heads + h) * 32 + lane];
    acc.x += p * f.x, acc.y += p * f.y;
  }
  const float inv = end > begin ? 1.f / sum : 0.f;
  out[(size_t)w * 32 + lane] = make_float2(acc.x * inv, acc.y * inv);
}

// The points farthest from those chosen so far: a block a cloud.
template <unsigned int block_size>
__global__ void furthest_point_sampling(int n, int m, const float* __restrict__ dataset, float* __restrict__ temp, int* __restrict__ idxs) {
  __shared__ float dists[block_size];
  __shared__ int dists_i[block_size];
  dataset += (size_t)blockIdx.x * n * 3, temp += (size_t)blockIdx.x * n, idxs += (size_t)blockIdx.x * m;
  const int tid = threadIdx.x;
  int old = 0;
  if (tid == 0) idxs[0] = old;
  for (int k = tid; k < n; k += block_size) temp[k] = 1e10f;
  for (int j = 1; j < m; j++) {
    int besti = 0;
    float best = -1;
    const float x1 = dataset[old * 3], y1 = dataset[old * 3 + 1], z1 = dataset[old * 3 + 2];
    for (int k = tid; k < n; k += block_size) {
      const float x2 = dataset[k * 3], y2 = dataset[k * 3 + 1], z2 = dataset[k * 3 + 2];
      const float d = (x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1) + (z2 - z1) * (z2 - z1);
      const float d2 = min(d, temp[k]);
      temp[k] = d2;
      besti = d2 > best ? k : besti;
      best = d2 > best ? d2 : best;
    }
    dists[tid] = best;
    dists_i[tid] = besti;
    __syncthreads();
    for (unsigned s = block_size / 2; s > 0; s >>= 1) {
      if (tid < s && dists[tid + s] > dists[tid]) {
        dists[tid] = dists[tid + s];
        dists_i[tid] = dists_i[tid + s];
      }
      __syncthreads();
    }
    old = dists_i[0];
    if (tid == 0) idxs[j] = old;
    __syncthreads();
  }
}

// Weights of -1, 0 and 1, sixteen a word, times bytes (BitNet): a warp a row.
__global__ void ternary_gemv(const uint32_t* __restrict__ w, const int4* __restrict__ x, float* __restrict__ y, int rows, int words, float scale) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  int acc = 0;
  for (int i = lane; i < words; i += 32) {
    uint32_t packed = __ldg(w + (size_t)row * words + i);
    const int4 v = x[i];
    const int part[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const uint32_t bits = packed >> (8 * k) & 0xff;
      const uint32_t spread = (bits & 3) | (bits & 12) << 6 | (bits & 48) << 12 | (bits & 192) << 18;
      acc = __dp4a(part[k], (int)__vsub4(spread & 0x03030303u, 0x01010101u), acc);
    }
  }
  acc = __reduce_add_sync(~0u, acc);
  if (lane == 0) y[row] = acc * scale;
}

// A hash grid's features of points on levels of growing resolution.
__global__ void hash_grid_encode(const float3* __restrict__ points, const __half2* __restrict__ table, float2* __restrict__ out, int n, int log2_size, float base, float growth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, level = blockIdx.y;
  if (i >= n) return;
  const float res = base * powf(growth, (float)level);
  const float3 p = points[i];
  const float fx = p.x * res, fy = p.y * res, fz = p.z * res;
  const uint32_t x = (uint32_t)fx, y = (uint32_t)fy, z = (uint32_t)fz;
  const float tx = fx - x, ty = fy - y, tz = fz - z;
  const uint32_t mask = (1u << log2_size) - 1, side = (uint32_t)res + 2;
  const bool dense = side * side * side <= mask;
  const __half2* grid = table + ((size_t)level << log2_size);
  float2 acc = make_float2(0.f, 0.f);
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const uint32_t cx = x + (k & 1), cy = y + (k >> 1 & 1), cz = z + (k >> 2);
    const uint32_t at = dense ? cx + side * (cy + side * cz) : (cx ^ cy * 2654435761u ^ cz * 805459861u) & mask;
    const float w = (k & 1 ? tx : 1.f - tx) * (k & 2 ? ty : 1.f - ty) * (k & 4 ? tz : 1.f - tz);
    const float2 f = __half22float2(__ldg(grid + at));
    acc.x += w * f.x, acc.y += w * f.y;
  }
  out[(size_t)i * gridDim.y + level] = acc;
}

struct Splat {
  float2 mean;
  float3 conic;
  float opacity;
  float3 color;
};
// Gaussians of a tile laid over its pixels from front to back, until nothing shines through.
__global__ __launch_bounds__(256) void splat_tiles(const uint2* __restrict__ ranges, const uint32_t* __restrict__ point_list, const Splat* __restrict__ splats, float* __restrict__ image, int W, int H) {
  __shared__ Splat batch[256];
  const int px = blockIdx.x * 16 + threadIdx.x, py = blockIdx.y * 16 + threadIdx.y, rank = threadIdx.y * 16 + threadIdx.x;
  const bool inside = px < W && py < H;
  bool done = !inside;
  const uint2 range = ranges[blockIdx.y * gridDim.x + blockIdx.x];
  float T = 1.f;
  float3 C = make_float3(0.f, 0.f, 0.f);
  for (uint32_t at = range.x; at < range.y; at += 256) {
    if (__syncthreads_count(done) == 256) break;
    if (at + rank < range.y) batch[rank] = splats[point_list[at + rank]];
    __syncthreads();
    const int count = min(256u, range.y - at);
    for (int j = 0; !done && j < count; ++j) {
      const Splat& s = batch[j];
      const float dx = s.mean.x - px, dy = s.mean.y - py;
      const float power = -0.5f * (s.conic.x * dx * dx + s.conic.z * dy * dy) - s.conic.y * dx * dy;
      if (power > 0.f) continue;
      const float alpha = fminf(0.99f, s.opacity * __expf(power));
      if (alpha < 1.f / 255.f) continue;
      const float next = T * (1.f - alpha);
      if (next < 0.0001f) {
        done = true;
        continue;
      }
      C.x += s.color.x * alpha * T, C.y += s.color.y * alpha * T, C.z += s.color.z * alpha * T;
      T = next;
    }
  }
  if (inside) {
    image[py * W + px] = C.x;
    image[(H + py) * W + px] = C.y;
    image[(2 * H + py) * W + px] = C.z + T;
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* a = on_device<float>(4 * M, fraction);
  const float* b = on_device<float>(4 * M, [](uint32_t i) { return fraction(i * 3 + 2) - 0.5f; });
  float* c = zeros<float>(8 * M);
  const __half* h = on_device<__half>(8 * M, [](uint32_t i) { return __float2half(fraction(i + 21) * 2 - 1); });
  __half* ho = zeros<__half>(8 * M);
  __nv_bfloat16* bf = on_device<__nv_bfloat16>(4 * M, [](uint32_t i) { return __float2bfloat16(fraction(i * 5) * 2 - 1); });

  run("conv3d_k3_16", [&] { conv3d_k3<16><<<dim3(48, 16), 128>>>(h, b, ho, 16, 16, 48, 32); });
  run("conv3d_k3_4", [&] { conv3d_k3<4><<<dim3((24 * 60 * 14 + 191) / 192, 8), 192>>>(h, b, ho, 8, 24, 60, 56); });
  run("snake_conv_transpose1d", [&] { snake_conv_transpose1d<<<dim3(16, 24), 256>>>(b, a, b + M, c, 48, 24, 512, 8, 16); });
  run("winograd_output_2x2", [&] { winograd_output_2x2<<<dim3((784 + 127) / 128, 256), 128>>>(b, a, c, 28, 784, 256); });
  run("max_pool3d_ndhwc", [&] { max_pool3d_ndhwc<<<330, 256>>>((const uint4*)h, (uint4*)ho, 16, 64, 64, 14); });
  run("upsample_trilinear3d", [&] { upsample_trilinear3d<<<(48 * 64 * 64 + 1023) / 1024, 1024>>>(48 * 64 * 64, 23.f / 47, 31.f / 63, 31.f / 63, a, c, 12, 24, 32, 32, 48, 64, 64); });
  run("adaln_modulate_1152", [&] { adaln_modulate<<<(12 * 256 + 3) / 4, 128>>>((const float4*)b, (const float4*)a, (const float4*)a + 50000, (float4*)c, 12 * 256, 256, 288); });
  run("ssd_chunk_state", [&] { ssd_chunk_state<64, 64, 128><<<dim3(16, 24), 256>>>(h, h + 4 * M, a, b, c, 24, 16); });
  run("causal_conv1d_update", [&] { causal_conv1d_update<4><<<dim3(40, 128), 128>>>(bf, bf + M, bf + 3 * M + 500000, a, 5120); });
  run("gated_delta_rule_64", [&] { gated_delta_rule<64><<<64, 64>>>(b, b + M, b + 2 * M, a, a + M, c, 256, 0.4f); });
  std::vector<int> row_ptr{0}, col_idx;
  for (int q = 0; q < 48; ++q) {
    for (int k = 0; k <= q; ++k)
      if (k == 0 || q - k < 4 || hashed(uint32_t(q * 64 + k)) % 6 == 0) col_idx.push_back(k);
    row_ptr.push_back(int(col_idx.size()));
  }
  const int *row_ptr_d = on_device(row_ptr), *col_idx_d = on_device(col_idx);
  run("block_sparse_attention", [&] { block_sparse_attention<<<dim3(48, 8), dim3(32, 8)>>>((const __half2*)h, (const __half2*)h + M, (const __half2*)h + 2 * M, (__half2*)ho, row_ptr_d, col_idx_d, 1536, 0.125f); });
  run("neighborhood_qk_7", [&] { neighborhood_qk<<<dim3((56 * 49 + 127) / 128, 56, 4), 128>>>(a, b, b + 3 * M, c, 56, 56, 32, 7); });
  constexpr uint32_t nodes = 12000;
  std::vector<int> rows{0}, cols;
  for (uint32_t v = 0; v < nodes; ++v) {
    const uint32_t degree = hashed(v) % 50 == 0 ? 150 : 2 + hashed(v + 7) % 14;
    for (uint32_t k = 0; k < degree; ++k) cols.push_back(int(hashed(v * 200 + k) % (k % 2 ? nodes : 600)));
    rows.push_back(int(cols.size()));
  }
  const int *rows_d = on_device(rows), *cols_d = on_device(cols);
  run("gat_aggregate", [&] { gat_aggregate<<<(nodes * 4 + 7) / 8, 256>>>(rows_d, cols_d, b, b + 100000, (const float2*)a, (float2*)c, nodes, 4); });
  run("furthest_point_sampling_8", [&] { furthest_point_sampling<512><<<8, 512>>>(4096, 128, a, c, (int*)c + M); });
  run("furthest_point_sampling_64", [&] { furthest_point_sampling<256><<<64, 256>>>(1024, 64, a, c, (int*)c + M); });
  const uint32_t* ternary = on_device<uint32_t>(3 * M, [](uint32_t i) {
    uint32_t w = 0;
    for (uint32_t k = 0; k < 16; ++k) w |= (hashed(i) >> k) % 3 << (2 * k);
    return w;
  });
  run("ternary_gemv_4096", [&] { ternary_gemv<<<1024, 128>>>(ternary, (const int4*)h, c, 4096, 256, 0.01f); });
  run("ternary_gemv_11008", [&] { ternary_gemv<<<1376, 256>>>(ternary, (const int4*)h, c, 11008, 256, 0.01f); });
  run("hash_grid_encode", [&] { hash_grid_encode<<<dim3((60000 + 511) / 512, 12), 512>>>((const float3*)a, (const __half2*)h, (float2*)c, 60000, 18, 16.f, 1.5f); });
  // Every tile has some gaussians near it, a few tiles very many.
  std::vector<Splat> splats;
  std::vector<uint2> ranges;
  std::vector<uint32_t> list;
  for (uint32_t t = 0; t < 40 * 24; ++t) {
    const uint32_t begin = uint32_t(list.size()), count = hashed(t) % 12 == 0 ? 900 : hashed(t) % 200;
    for (uint32_t k = 0; k < count; ++k) {
      list.push_back(uint32_t(splats.size()));
      const uint32_t s = t * 1000 + k;
      const float r = 0.02f + 0.3f * fraction(s);
      splats.push_back({make_float2(t % 40 * 16 - 6 + 28 * fraction(s + 1), t / 40 * 16 - 6 + 28 * fraction(s + 2)), make_float3(r, 0.1f * r, 0.8f * r), 0.05f + 0.6f * fraction(s + 3), make_float3(fraction(s + 4), fraction(s + 5), fraction(s + 6))});
    }
    ranges.push_back(make_uint2(begin, uint32_t(list.size())));
  }
  for (size_t i = 0; i < list.size(); ++i) list[i] = uint32_t(i ^ 1) < list.size() ? uint32_t(i ^ 1) : uint32_t(i);
  const Splat* splats_d = on_device(splats);
  const uint2* ranges_d = on_device(ranges);
  const uint32_t* list_d = on_device(list);
  run("splat_tiles", [&] { splat_tiles<<<dim3(40, 24), dim3(16, 16)>>>(ranges_d, list_d, splats_d, c, 635, 380); });
  return 0;
}
