// Kernels of learning in further forms: attention backwards, losses that ignore labels, optimizers over lists of tensors, gradients of layers, philox, rows in registers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cases.h"

#define FULL 0xffffffffu
typedef __nv_bfloat16 bf16;
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
  T v[N];
};

// Gradients of causal attention: a block owns 32 keys and walks the tiles of queries; dQ is added by atomics.
template <int D>
__global__ void flash_backward(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V, const float* __restrict__ dO, const float* __restrict__ L,
                               const float* __restrict__ delta, float* dQ, float* dK, float* dV, int N, float scale) {
  __shared__ float sK[32][D + 1], sV[32][D + 1], sQ[32][D + 1], sdO[32][D + 1], sP[32][33], sdS[32][33];
  const int tid = threadIdx.x, row = tid / 4, sub = tid % 4, base = blockIdx.y * N * D, k0 = blockIdx.x * 32;
  for (int i = tid; i < 32 * D; i += 128) {
    sK[i / D][i % D] = K[base + k0 * D + i];
    sV[i / D][i % D] = V[base + k0 * D + i];
  }
  float gk[D / 4] = {}, gv[D / 4] = {};
  for (int q0 = k0; q0 < N; q0 += 32) {
    __syncthreads();
    for (int i = tid; i < 32 * D; i += 128) {
      sQ[i / D][i % D] = Q[base + q0 * D + i];
      sdO[i / D][i % D] = dO[base + q0 * D + i];
    }
    __syncthreads();
    const float l = L[blockIdx.y * N + q0 + row], dl = delta[blockIdx.y * N + q0 + row];
    for (int j = 0; j < 8; ++j) {
      const int c = sub + 4 * j;
      float s = 0.f, dp = 0.f;
#pragma unroll
      for (int d = 0; d < D; ++d) {
        s += sQ[row][d] * sK[c][d];
        dp += sdO[row][d] * sV[c][d];
      }
      float p = (q0 + row >= k0 + c) ? __expf(s * scale - l) : 0.f;
      sP[row][c] = p;
      sdS[row][c] = p * (dp - dl) * scale;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < D / 4; ++k) {
      const int d = sub + 4 * k;
      float dq = 0.f;
      for (int r = 0; r < 32; ++r) {
        gv[k] += sP[r][row] * sdO[r][d];
        gk[k] += sdS[r][row] * sQ[r][d];
        dq += sdS[row][r] * sK[r][d];
      }
      atomicAdd(&dQ[base + (q0 + row) * D + d], dq);
    }
  }
  for (int k = 0; k < D / 4; ++k) {
    dK[base + (k0 + row) * D + sub + 4 * k] = gk[k];
    dV[base + (k0 + row) * D + sub + 4 * k] = gv[k];
  }
}

// Loss and gradient in place; rows whose label is -100 do not count.
template <int BLOCK>
__global__ void ce_ignore_index(bf16* logits, const int64_t* __restrict__ labels, float* loss, int V, float inv_count) {
  __shared__ float sm[BLOCK / 32], sd[BLOCK / 32];
  bf16* x = logits + (size_t)blockIdx.x * V;
  const int64_t y = labels[blockIdx.x];
  if (y == -100) {
    for (int i = threadIdx.x; i < V; i += BLOCK) x[i] = __float2bfloat16(0.f);
    return;
  }
  float m = -INFINITY, d = 0.f;
  for (int i = threadIdx.x; i < V; i += BLOCK) {
    const float v = __bfloat162float(x[i]);
    if (v > m) {
      d *= __expf(m - v);
      m = v;
    }
    d += __expf(v - m);
  }
  for (int o = 16; o > 0; o /= 2) {
    const float om = __shfl_xor_sync(FULL, m, o), od = __shfl_xor_sync(FULL, d, o), nm = fmaxf(m, om);
    d = d * __expf(m - nm) + od * __expf(om - nm);
    m = nm;
  }
  if (threadIdx.x % 32 == 0) sm[threadIdx.x / 32] = m, sd[threadIdx.x / 32] = d;
  __syncthreads();
  m = sm[0], d = sd[0];
  for (int w = 1; w < BLOCK / 32; ++w) {
    const float nm = fmaxf(m, sm[w]);
    d = d * __expf(m - nm) + sd[w] * __expf(sm[w] - nm);
    m = nm;
  }
  if (threadIdx.x == 0) loss[blockIdx.x] = logf(d) + m - __bfloat162float(x[y]);
  __syncthreads();
  const float inv = inv_count / d;
  for (int i = threadIdx.x; i < V; i += BLOCK) {
    float g = __expf(__bfloat162float(x[i]) - m) * inv;
    if (i == y) g -= inv_count;
    x[i] = __float2bfloat16(g);
  }
}

#define MAX_TENSORS 24
#define MAX_BLOCKS 160
struct TensorListMetadata {
  float* addresses[4][MAX_TENSORS];
  int sizes[MAX_TENSORS];
  unsigned char block_to_tensor[MAX_BLOCKS];
  int block_to_chunk[MAX_BLOCKS];
};
__global__ void multi_tensor_adam(int chunk_size, TensorListMetadata tl, float beta1, float beta2, float corr1, float corr2, float eps, float lr, float decay) {
  const int tensor = tl.block_to_tensor[blockIdx.x], chunk = tl.block_to_chunk[blockIdx.x];
  const int n = min(chunk_size, tl.sizes[tensor] - chunk * chunk_size);
  float* g = tl.addresses[0][tensor] + chunk * chunk_size;
  float* p = tl.addresses[1][tensor] + chunk * chunk_size;
  float* m = tl.addresses[2][tensor] + chunk * chunk_size;
  float* v = tl.addresses[3][tensor] + chunk * chunk_size;
  for (int start = 0; start < n; start += blockDim.x * 4) {
    float rg[4], rp[4], rm[4], rv[4];
#pragma unroll
    for (int ii = 0; ii < 4; ii++) {
      const int i = start + threadIdx.x + ii * blockDim.x;
      rg[ii] = rp[ii] = rm[ii] = rv[ii] = 0;
      if (i < n) rg[ii] = g[i], rp[ii] = p[i], rm[ii] = m[i], rv[ii] = v[i];
    }
#pragma unroll
    for (int ii = 0; ii < 4; ii++) {
      rm[ii] = beta1 * rm[ii] + (1 - beta1) * rg[ii];
      rv[ii] = beta2 * rv[ii] + (1 - beta2) * rg[ii] * rg[ii];
      const float denom = sqrtf(rv[ii] / corr2) + eps;
      rp[ii] -= lr * ((rm[ii] / corr1) / denom + decay * rp[ii]);
    }
#pragma unroll
    for (int ii = 0; ii < 4; ii++) {
      const int i = start + threadIdx.x + ii * blockDim.x;
      if (i < n) p[i] = rp[ii], m[i] = rm[ii], v[i] = rv[ii];
    }
  }
}

__global__ void lion_step(bf16* p, float* m, const bf16* g, float lr, float b1, float b2, float wd, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n / 4; i += (size_t)gridDim.x * blockDim.x) {
    Pack<bf16, 4> pp = ((Pack<bf16, 4>*)p)[i], gg = ((const Pack<bf16, 4>*)g)[i];
    float4 mm = ((float4*)m)[i];
    float* mv = &mm.x;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float gr = __bfloat162float(gg.v[k]), c = b1 * mv[k] + (1.f - b1) * gr;
      const float sign = c > 0.f ? 1.f : c < 0.f ? -1.f : 0.f;
      float x = __bfloat162float(pp.v[k]);
      x = x * (1.f - lr * wd) - lr * sign;
      pp.v[k] = __float2bfloat16(x);
      mv[k] = b2 * mv[k] + (1.f - b2) * gr;
    }
    ((Pack<bf16, 4>*)p)[i] = pp;
    ((float4*)m)[i] = mm;
  }
}

// Rows of gradients whose ids are sorted: a warp walks 16 of them and adds a run once.
__global__ void embedding_backward_sorted(const int* __restrict__ ids, const int* __restrict__ order, const float* __restrict__ grad, float* weight_grad, int n, int dim) {
  const int first = (blockIdx.x * blockDim.y + threadIdx.y) * 16;
  for (int d = threadIdx.x; d < dim; d += 32) {
    float sum = 0;
    for (int i = first; i < first + 16 && i < n; ++i) {
      sum += grad[(size_t)order[i] * dim + d];
      if (i + 1 == n || i + 1 == first + 16 || ids[i + 1] != ids[i]) {
        atomicAdd(&weight_grad[(size_t)ids[i] * dim + d], sum);
        sum = 0;
      }
    }
  }
}

// Sums over the pixels of dy and dy * normalized x, channels last.
__global__ void group_norm_grad_channels(const float* __restrict__ dy, const float* __restrict__ x, const float* __restrict__ mean, const float* __restrict__ rstd, float* dgamma, float* dbeta, int pixels, int C, int groups) {
  const int c = blockIdx.x * 32 + threadIdx.x, n = blockIdx.y, g = c / (C / groups);
  const float mu = mean[n * groups + g], rs = rstd[n * groups + g];
  __shared__ float s1[8][33], s2[8][33];
  float a = 0, b = 0;
  for (int p = threadIdx.y; p < pixels; p += 8) {
    const size_t i = ((size_t)n * pixels + p) * C + c;
    a += dy[i] * (x[i] - mu) * rs;
    b += dy[i];
  }
  s1[threadIdx.y][threadIdx.x] = a, s2[threadIdx.y][threadIdx.x] = b;
  __syncthreads();
  if (threadIdx.y == 0) {
    for (int k = 1; k < 8; ++k) a += s1[k][threadIdx.x], b += s2[k][threadIdx.x];
    atomicAdd(dgamma + c, a), atomicAdd(dbeta + c, b);
  }
}

// Winograd F(2x2, 3x3): B^T d B of each 4x4 patch.
__global__ void winograd_input(const float* __restrict__ in, float* __restrict__ out, int C, int H, int W, int th, int tw) {
  const int tile = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
  if (tile >= th * tw) return;
  const int y0 = tile / tw * 2 - 1, x0 = tile % tw * 2 - 1;
  float d[4][4], t[4][4];
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const int y = y0 + i, x = x0 + j;
      d[i][j] = (y >= 0 && y < H && x >= 0 && x < W) ? in[(c * H + y) * W + x] : 0.f;
    }
#pragma unroll
  for (int j = 0; j < 4; j++) {
    t[0][j] = d[0][j] - d[2][j], t[1][j] = d[1][j] + d[2][j];
    t[2][j] = d[2][j] - d[1][j], t[3][j] = d[1][j] - d[3][j];
  }
  float* o = out + c * th * tw + tile;
  const int step = C * th * tw;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    o[(4 * i + 0) * step] = t[i][0] - t[i][2], o[(4 * i + 1) * step] = t[i][1] + t[i][2];
    o[(4 * i + 2) * step] = t[i][2] - t[i][1], o[(4 * i + 3) * step] = t[i][1] - t[i][3];
  }
}

// Each input collects the gradients of the windows in which it was the greatest.
__global__ void max_pool_grad(int nthreads, const float* top_diff, const int* mask, int height, int width, int pooled_h, int pooled_w, int kernel, int stride, int pad, float* bottom_diff) {
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < nthreads; index += blockDim.x * gridDim.x) {
    const int w = index % width, h = (index / width) % height, nc = index / width / height;
    const int phs = (h + pad < kernel) ? 0 : (h + pad - kernel) / stride + 1, phe = min((h + pad) / stride + 1, pooled_h);
    const int pws = (w + pad < kernel) ? 0 : (w + pad - kernel) / stride + 1, pwe = min((w + pad) / stride + 1, pooled_w);
    float gradient = 0;
    const int offset = nc * pooled_h * pooled_w;
    for (int ph = phs; ph < phe; ++ph)
      for (int pw = pws; pw < pwe; ++pw)
        if (mask[offset + ph * pooled_w + pw] == h * width + w) gradient += top_diff[offset + ph * pooled_w + pw];
    bottom_diff[index] = gradient;
  }
}

__device__ __forceinline__ uint4 philox10(uint4 c, uint2 key) {
#pragma unroll
  for (int i = 0; i < 10; ++i) {
    const unsigned hi0 = __umulhi(0xD2511F53u, c.x), lo0 = 0xD2511F53u * c.x, hi1 = __umulhi(0xCD9E8D57u, c.z), lo1 = 0xCD9E8D57u * c.z;
    c = make_uint4(hi1 ^ c.y ^ key.x, lo1, hi0 ^ c.w ^ key.y, lo0);
    key.x += 0x9E3779B9u, key.y += 0xBB67AE85u;
  }
  return c;
}
// out = residual + dropout(x), eight at a time, and a bit of the mask for each.
__global__ void dropout_add_philox(const bf16* x, const bf16* residual, bf16* out, unsigned char* mask, unsigned seed, unsigned keep_below, float scale, int n8) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n8) return;
  const Pack<bf16, 8> a = ((const Pack<bf16, 8>*)x)[i], b = ((const Pack<bf16, 8>*)residual)[i];
  const uint4 r0 = philox10(make_uint4(i, 0, 0, 0), make_uint2(seed, 0)), r1 = philox10(make_uint4(i, 1, 0, 0), make_uint2(seed, 0));
  const unsigned r[8] = {r0.x, r0.y, r0.z, r0.w, r1.x, r1.y, r1.z, r1.w};
  Pack<bf16, 8> o;
  unsigned bits = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const bool keep = r[k] < keep_below;
    bits |= unsigned(keep) << k;
    o.v[k] = __float2bfloat16(__bfloat162float(b.v[k]) + (keep ? __bfloat162float(a.v[k]) * scale : 0.f));
  }
  ((Pack<bf16, 8>*)out)[i] = o;
  mask[i] = (unsigned char)bits;
}

// A warp a row, the row in registers.
template <int PACK, int COLS_PER_THREAD>
__global__ void softmax_warp_packed(const __half* __restrict__ src, __half* __restrict__ dst, int rows) {
  constexpr int packs = COLS_PER_THREAD / PACK, cols = COLS_PER_THREAD * 32;
  const int lane = threadIdx.x, global_warp = blockIdx.x * blockDim.y + threadIdx.y, warps = gridDim.x * blockDim.y;
  for (int row = global_warp; row < rows; row += warps) {
    float buf[COLS_PER_THREAD], most = -INFINITY, sum = 0;
#pragma unroll
    for (int p = 0; p < packs; ++p) {
      const Pack<__half, PACK> in = *reinterpret_cast<const Pack<__half, PACK>*>(src + (int64_t)row * cols + (p * 32 + lane) * PACK);
#pragma unroll
      for (int i = 0; i < PACK; ++i) buf[p * PACK + i] = __half2float(in.v[i]), most = max(most, buf[p * PACK + i]);
    }
    for (int m = 16; m > 0; m /= 2) most = max(most, __shfl_xor_sync(FULL, most, m));
#pragma unroll
    for (int i = 0; i < COLS_PER_THREAD; ++i) buf[i] = __expf(buf[i] - most), sum += buf[i];
    for (int m = 16; m > 0; m /= 2) sum += __shfl_xor_sync(FULL, sum, m);
#pragma unroll
    for (int p = 0; p < packs; ++p) {
      Pack<__half, PACK> o;
#pragma unroll
      for (int i = 0; i < PACK; ++i) o.v[i] = __float2half(__fdividef(buf[p * PACK + i], sum));
      *reinterpret_cast<Pack<__half, PACK>*>(dst + (int64_t)row * cols + (p * 32 + lane) * PACK) = o;
    }
  }
}

__device__ float log_add(float a, float b) {
  const float m = fmaxf(a, b);
  return m == -INFINITY ? m : m + log1pf(expf(fminf(a, b) - m));
}
// CTC's forward variables: a sequence a block, two rows in shared memory.
__global__ void ctc_alpha(const float* __restrict__ log_probs, const int* __restrict__ targets, float* nll, int T, int C, int S) {
  extern __shared__ float alpha[];
  const int s = threadIdx.x, len = 2 * S + 1;
  const float* lp = log_probs + (size_t)blockIdx.x * T * C;
  const int label = s < len && (s & 1) ? targets[blockIdx.x * S + s / 2] : 0;
  const bool skip = s < len && (s & 1) && s >= 3 && label != targets[blockIdx.x * S + s / 2 - 1];
  float *now = alpha, *next = alpha + len;
  if (s < len) now[s] = s < 2 ? lp[label] : -INFINITY;
  __syncthreads();
  for (int t = 1; t < T; ++t) {
    if (s < len) {
      float a = now[s];
      if (s > 0) a = log_add(a, now[s - 1]);
      if (skip) a = log_add(a, now[s - 2]);
      next[s] = a + lp[t * C + label];
    }
    __syncthreads();
    float* swap = now;
    now = next, next = swap;
  }
  if (s == 0) nll[blockIdx.x] = -log_add(now[len - 1], now[len - 2]);
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const float* a = on_device<float>(1 << 22, fraction);
  const float* b = on_device<float>(1 << 22, [](uint32_t i) { return fraction(i * 3 + 1) - 0.5f; });
  float* c = zeros<float>(1 << 23);
  const __half* h = on_device<__half>(1 << 22, [](uint32_t i) { return __float2half(fraction(i) * 4 - 2); });
  __half* ho = zeros<__half>(1 << 22);
  bf16* bf = on_device<bf16>(1 << 23, [](uint32_t i) { return __float2bfloat16(fraction(i + 5) * 6 - 3); });
  int* io = zeros<int>(1 << 20);

  run("flash_backward_32", [&] { flash_backward<32><<<dim3(8, 16), 128>>>(b, b + 131072, b + 262144, b + 393216, a, a + 4096, c, c + 131072, c + 262144, 256, 0.1767767f); });
  run("flash_backward_64", [&] { flash_backward<64><<<dim3(8, 8), 128>>>(b, b + 131072, b + 262144, b + 393216, a, a + 4096, c, c + 131072, c + 262144, 256, 0.125f); });
  const int64_t* labels = on_device<int64_t>(256, [](uint32_t i) { return hashed(i) % 4 == 0 ? int64_t(-100) : int64_t(hashed(i + 7) % 32000); });
  run("ce_ignore_index_32000", [&] { ce_ignore_index<512><<<200, 512>>>(bf, labels, c, 32000, 0.006f); });

  TensorListMetadata list = {};
  int blocks = 0, at = 0;
  for (int t = 0; t < 24; ++t) {
    list.sizes[t] = t % 3 == 0 ? 1000 : t % 3 == 1 ? 65536 : 20011;
    list.addresses[0][t] = const_cast<float*>(b) + at;
    for (int k = 0; k < 3; ++k) list.addresses[k + 1][t] = c + k * (1 << 21) + at;
    for (int chunk = 0; chunk * 16384 < list.sizes[t]; ++chunk, ++blocks) list.block_to_tensor[blocks] = (unsigned char)t, list.block_to_chunk[blocks] = chunk;
    at += list.sizes[t];
  }
  run("multi_tensor_adam", [&] { multi_tensor_adam<<<blocks, 512>>>(16384, list, 0.9f, 0.999f, 0.5f, 0.1f, 1e-8f, 1e-3f, 0.01f); });
  run("lion_step", [&] { lion_step<<<264, 256>>>(bf, c, bf + (1 << 22), 1e-4f, 0.9f, 0.99f, 0.1f, 1 << 21); });
  std::vector<std::pair<int, int>> words(8192);
  for (uint32_t i = 0; i < 8192; ++i) words[i] = {int(4096 * fraction(i) * fraction(i + 9) * fraction(i + 77)), int(i)};
  std::sort(words.begin(), words.end());
  std::vector<int> word, order;
  for (auto& w : words) word.push_back(w.first), order.push_back(w.second);
  const int *word_d = on_device(word), *order_d = on_device(order);
  run("embedding_backward_sorted", [&] { embedding_backward_sorted<<<128, dim3(32, 4)>>>(word_d, order_d, b, c, 8192, 256); });
  run("group_norm_grad_channels", [&] { group_norm_grad_channels<<<dim3(10, 4), dim3(32, 8)>>>(b, a, a, a + 128, c, c + 512, 1024, 320, 32); });
  run("winograd_input_56", [&] { winograd_input<<<dim3(7, 64), 128>>>(b, c, 64, 56, 56, 28, 28); });
  std::vector<int> mask(64 * 28 * 28);
  for (uint32_t i = 0; i < mask.size(); ++i) {
    const int y = int(i / 28 % 28) * 2 + int(hashed(i) % 3) - 1, x = int(i % 28) * 2 + int(hashed(i + 5) % 3) - 1;
    mask[i] = std::max(y, 0) * 56 + std::max(x, 0);
  }
  const int* mask_d = on_device(mask);
  run("max_pool_grad", [&] { max_pool_grad<<<392, 512>>>(64 * 56 * 56, b, mask_d, 56, 56, 28, 28, 3, 2, 1, c); });
  run("dropout_add_philox", [&] { dropout_add_philox<<<1024, 256>>>(bf, bf + (1 << 21), bf + (1 << 22), (unsigned char*)io, 1234, 0xe6666666u, 1.11111f, 1 << 18); });
  const int* targets = on_device<int>(2048, [](uint32_t i) { return 1 + int(hashed(i) % 39); });
  run("softmax_warp_packed_1024", [&] { softmax_warp_packed<8, 32><<<264, dim3(32, 4)>>>(h, ho, 4096); });
  run("softmax_warp_packed_64", [&] { softmax_warp_packed<2, 2><<<2048, dim3(32, 8)>>>(h, ho, 16384); });
  run("ctc_alpha", [&] { ctc_alpha<<<32, 160, 2 * 129 * 4>>>(b, targets, c, 100, 40, 64); });
  return 0;
}
