// Kernels of whole programs: simulation, images, learning, finance, graphs, coding. They were written after the model,
// and all are kept out of tuning.
#include "cases.h"

#include <cuda_fp16.h>

// Forces between the bodies of a box and of its neighbours, one box in shared memory at a time.
__global__ void box_forces(const float4* body, float4* force, const int* neighbour, int boxes_around) {
  __shared__ float4 home[128], other[128];
  const int t = threadIdx.x, box = blockIdx.x;
  home[t] = body[box * 128 + t];
  float4 sum = {0, 0, 0, 0};
  for (int k = 0; k < boxes_around; ++k) {
    other[t] = body[neighbour[box * boxes_around + k] * 128 + t];
    __syncthreads();
    const float4 me = home[t];
    for (int j = 0; j < 128; ++j) {
      const float4 it = other[j];
      const float r2 = me.w + it.w - (me.x * it.x + me.y * it.y + me.z * it.z);
      const float v = expf(-0.5f * r2), f = 2.0f * v;
      sum.x += f * (me.x - it.x), sum.y += f * (me.y - it.y), sum.z += f * (me.z - it.z), sum.w += v;
    }
    __syncthreads();
  }
  force[box * 128 + t] = sum;
}

// Four heat steps in a tile; neighbouring tiles recompute the border.
__global__ void heat_pyramid(const float* from, const float* power, float* to, int n) {
  __shared__ float now[16][16], next[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = min(max(int(blockIdx.x) * 8 + tx - 4, 0), n - 1), y = min(max(int(blockIdx.y) * 8 + ty - 4, 0), n - 1);
  now[ty][tx] = from[y * n + x];
  const float p = power[y * n + x];
  __syncthreads();
  bool valid = false;
  for (int i = 1; i <= 4; ++i) {
    valid = tx >= i && tx < 16 - i && ty >= i && ty < 16 - i;
    if (valid)
      next[ty][tx] = now[ty][tx] + 0.1f * (p + (now[ty - 1][tx] + now[ty + 1][tx] - 2.0f * now[ty][tx]) * 0.5f +
                                           (now[ty][tx - 1] + now[ty][tx + 1] - 2.0f * now[ty][tx]) * 0.25f +
                                           (80.0f - now[ty][tx]) * 0.01f);
    __syncthreads();
    if (i == 4) break;
    if (valid) now[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (valid) to[y * n + x] = next[ty][tx];
}

__global__ void fourier_1024(const float2* in, float2* out) {
  __shared__ float2 a[1024], b[1024];
  const int t = threadIdx.x;
  for (int i = t; i < 1024; i += 512) a[i] = in[blockIdx.x * 1024 + i];
  float2 *x = a, *y = b;
  for (int half = 1; half < 1024; half <<= 1) {
    __syncthreads();
    const int k = t & (half - 1), j = (t - k) * 2 + k;
    float s, c;
    __sincosf(-3.14159265f * float(k) / float(half), &s, &c);
    const float2 u = x[t], w = x[t + 512];
    const float2 v = {w.x * c - w.y * s, w.x * s + w.y * c};
    y[j] = {u.x + v.x, u.y + v.y};
    y[j + half] = {u.x - v.x, u.y - v.y};
    float2* z = x;
    x = y, y = z;
  }
  __syncthreads();
  for (int i = t; i < 1024; i += 512) out[blockIdx.x * 1024 + i] = x[i];
}

__global__ void shortest_step(int* distance, int n, int k) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  const int through = distance[i * n + k] + distance[k * n + j];
  if (through < distance[i * n + j]) distance[i * n + j] = through;
}

__global__ void rank_push(const int* start, const int* edge, const float* rank, float* next, int nodes) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= nodes) return;
  const int degree = start[v + 1] - start[v];
  if (degree == 0) return;
  const float share = 0.85f * rank[v] / float(degree);
  for (int e = start[v]; e < start[v + 1]; ++e) atomicAdd(&next[edge[e]], share);
}

__constant__ float filter[25];
__global__ void filter_tile(const float* image, float* out, int n) {
  __shared__ float tile[20][36];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 20 * 36; i += 512) {
    const int y = y0 + i / 36 - 2, x = x0 + i % 36 - 2;
    tile[i / 36][i % 36] = x >= 0 && x < n && y >= 0 && y < n ? image[y * n + x] : 0.0f;
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int dy = 0; dy < 5; ++dy)
#pragma unroll
    for (int dx = 0; dx < 5; ++dx) sum += filter[dy * 5 + dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
  out[(y0 + threadIdx.y) * n + x0 + threadIdx.x] = sum;
}

__device__ float block_sum(float v, float* shared) {
  for (int s = 16; s > 0; s >>= 1) v += __shfl_xor_sync(0xffffffffu, v, s);
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = v;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < int(blockDim.x / 32); ++i) sum += shared[i];
  __syncthreads();
  return sum;
}
__global__ void normalize_rows(const float* in, float* out, const float* scale, const float* shift, int columns) {
  __shared__ float shared[32];
  const float* row = in + blockIdx.x * columns;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += row[i];
  const float mean = block_sum(sum, shared) / columns;
  float square = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) square += (row[i] - mean) * (row[i] - mean);
  const float inverse = rsqrtf(block_sum(square, shared) / columns + 1e-5f);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] = (row[i] - mean) * inverse * scale[i] + shift[i];
}

__global__ void gelu(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float x = in[i];
    out[i] = 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
  }
}

__global__ void embed(const int* token, const float4* table, float4* out, int width) {
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    out[blockIdx.x * width + i] = table[token[blockIdx.x] * width + i];
}

__global__ void gemv_half(const __half2* a, const __half2* x, float* y, int n) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int j = lane; j < n / 2; j += 32) {
    const float2 p = __half22float2(__hmul2(a[row * (n / 2) + j], x[j]));
    sum += p.x + p.y;
  }
  for (int s = 16; s > 0; s >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, s);
  if (lane == 0) y[row] = sum;
}

__global__ void gemm_bytes(const int* a, const int* b, int* c, int n) {  // b transposed; four bytes a word
  __shared__ int as[16][17], bs[16][17];
  const int tx = threadIdx.x, ty = threadIdx.y, words = n / 4;
  int sum = 0;
  for (int p = 0; p < words; p += 16) {
    as[ty][tx] = a[(blockIdx.y * 16 + ty) * words + p + tx];
    bs[ty][tx] = b[(blockIdx.x * 16 + ty) * words + p + tx];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum = __dp4a(as[ty][k], bs[tx][k], sum);
    __syncthreads();
  }
  c[(blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx] = sum;
}

__global__ void compact(const int* in, int* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const int v = i < n ? in[i] : 0;
  const unsigned kept = __ballot_sync(0xffffffffu, v > 0);
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(kept));
  base = __shfl_sync(0xffffffffu, base, 0);
  if (v > 0) out[base + __popc(kept & ((1u << lane) - 1))] = v;
}

__global__ void digits(const uint32_t* in, uint32_t* counts, int n, int shift) {
  __shared__ uint32_t bins[256];
  if (threadIdx.x < 256) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 4 * blockDim.x + threadIdx.x, k = 0; k < 4; ++k, i += blockDim.x)
    if (i < n) atomicAdd(&bins[in[i] >> shift & 255], 1u);
  __syncthreads();
  if (threadIdx.x < 256) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

__global__ void life(const uint8_t* from, uint8_t* to, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx || dy) alive += from[((y + dy + n) % n) * n + (x + dx + n) % n];
  to[y * n + x] = alive == 3 || (alive == 2 && from[y * n + x]);
}

__global__ void spheres(const float4* sphere, int count, float* image, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float ox = x - 0.5f * n, oy = y - 0.5f * n;
  float nearest = 1e30f, shade = 0;
  for (int i = 0; i < count; ++i) {
    const float4 s = sphere[i];
    const float dx = ox - s.x * n, dy = oy - s.y * n, d2 = s.w * s.w - dx * dx - dy * dy;
    if (d2 > 0) {
      const float depth = s.z - sqrtf(d2);
      if (depth < nearest) nearest = depth, shade = sqrtf(d2) / s.w;
    }
  }
  image[y * n + x] = shade;
}

// One option a block: the tree is evaluated backwards in shared memory.
__global__ void binomial(const float* price, float* value, int steps) {
  __shared__ float call[513];
  const int t = threadIdx.x;
  const float s = price[blockIdx.x], up = 0.02f * t;
  call[t] = fmaxf(s * expf(up - 0.01f * steps) - 100.0f, 0.0f);
  if (t == 0) call[steps] = fmaxf(s * expf(0.01f * steps) - 100.0f, 0.0f);
  for (int i = steps; i > 0; --i) {
    __syncthreads();
    const float v = t < i ? 0.503f * call[t + 1] + 0.496f * call[t] : 0;
    __syncthreads();
    if (t < i) call[t] = v;
  }
  if (t == 0) value[blockIdx.x] = call[0];
}

__global__ void smooth_27(const double* in, double* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
  double sum = 0;
  for (int c = -1; c <= 1; ++c)
    for (int b = -1; b <= 1; ++b)
      for (int a = -1; a <= 1; ++a) sum += in[((z + c) * n + y + b) * n + x + a];
  out[(z * n + y) * n + x] = sum * (1.0 / 27.0);
}

__global__ void checksum(const uint8_t* in, uint32_t* out, const uint32_t* table, int length) {
  __shared__ uint32_t shared[256];
  shared[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  const uint8_t* p = in + size_t(blockIdx.x * blockDim.x + threadIdx.x) * length;
  uint32_t crc = ~0u;
  for (int i = 0; i < length; ++i) crc = shared[(crc ^ p[i]) & 255] ^ crc >> 8;
  out[blockIdx.x * blockDim.x + threadIdx.x] = ~crc;
}

__global__ void invert_4x4(const float* in, float* out, int n) {  // element k of matrix i at k * n + i
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a[4][8];
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) a[r][c] = in[(r * 4 + c) * n + i] + (r == c ? 4.0f : 0.0f), a[r][c + 4] = r == c;
#pragma unroll
  for (int p = 0; p < 4; ++p) {
    const float inverse = 1.0f / a[p][p];
#pragma unroll
    for (int c = 0; c < 8; ++c) a[p][c] *= inverse;
#pragma unroll
    for (int r = 0; r < 4; ++r)
      if (r != p) {
        const float f = a[r][p];
#pragma unroll
        for (int c = 0; c < 8; ++c) a[r][c] -= f * a[p][c];
      }
  }
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) out[(r * 4 + c) * n + i] = a[r][c + 4];
}

// Tridiagonal systems, one a thread, interleaved.
__global__ void thomas(const float* lower, const float* middle, const float* upper, float* right, float* work,
                       int systems, int n) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  float c = upper[s] / (middle[s] + 3.0f), d = right[s] / (middle[s] + 3.0f);
  work[s] = c, right[s] = d;
  for (int i = 1; i < n; ++i) {
    const int at = i * systems + s;
    const float m = 1.0f / (middle[at] + 3.0f - lower[at] * c);
    c = upper[at] * m, d = (right[at] - lower[at] * d) * m;
    work[at] = c, right[at] = d;
  }
  for (int i = n - 2; i >= 0; --i) {
    const int at = i * systems + s;
    right[at] = d = right[at] - work[at] * d;
  }
}

__global__ void dot_double(const double* a, const double* b, double* out, int n) {
  __shared__ double part[256];
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += a[i] * b[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, part[0]);
}

__global__ void pi_darts(uint32_t* hits, int darts) {
  uint32_t s = 12345u + (blockIdx.x * blockDim.x + threadIdx.x) * 747796405u, in = 0;
  for (int i = 0; i < darts; ++i) {
    s ^= s << 13, s ^= s >> 17, s ^= s << 5;
    const float x = float(s & 0xffff) * (1.0f / 65536.0f), y = float(s >> 16) * (1.0f / 65536.0f);
    in += x * x + y * y < 1.0f;
  }
  in = __reduce_add_sync(0xffffffffu, in);
  if (threadIdx.x % 32 == 0) atomicAdd(hits, in);
}

__global__ void permute_3d(const float* in, float* out, int a, int b, int c) {  // [a][b][c] to [c][a][b]
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= a * b * c) return;
  const int z = i % c, y = i / c % b, x = i / (b * c);
  out[(z * a + x) * b + y] = in[i];
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const size_t most = 1 << 22;
  float* a = on_device<float>(most, fraction);
  float* b = on_device<float>(most, fraction);
  float* c = zeros<float>(most);
  float* d = zeros<float>(most);
  uint32_t* bits = on_device<uint32_t>(most, hashed);
  uint32_t* count = zeros<uint32_t>(most);
  const auto f4 = [](float* p) { return reinterpret_cast<float4*>(p); };
  const auto f2 = [](float* p) { return reinterpret_cast<float2*>(p); };
  const auto h2 = [](float* p) { return reinterpret_cast<__half2*>(p); };
  const auto f64 = [](float* p) { return reinterpret_cast<double*>(p); };
  const auto ints = [](uint32_t* p) { return reinterpret_cast<int*>(p); };

  int* around = on_device<int>(1000 * 27, [](uint32_t i) { return int((i / 27 + hashed(i) % 27) % 1000); });
  for (int boxes : {64, 256})
    run(sized("box_forces", boxes), [&] { box_forces<<<boxes, 128>>>(f4(a), f4(c), around, 8); });
  for (int n : {512, 1024})
    run(sized("heat_pyramid", n), [&] { heat_pyramid<<<dim3(n / 8, n / 8), dim3(16, 16)>>>(a, b, c, n); });
  for (int n : {32, 1024}) run(sized("fourier_1024", n), [&] { fourier_1024<<<n, 512>>>(f2(a), f2(c)); });
  for (int n : {512, 1536})
    run(sized("shortest_step", n), [&] { shortest_step<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(ints(bits), n, 77); });
  std::vector<int> start(65537), edge;
  for (int v = 0; v < 65536; ++v) {
    for (uint32_t i = 0, degree = hashed(uint32_t(v)) % 17; i < degree; ++i)
      edge.push_back(int(hashed(uint32_t(v) * 37u + i) % 65536u));
    start[v + 1] = int(edge.size());
  }
  const int *starts = on_device(start), *edges = on_device(edge);
  run("rank_push", [&] { rank_push<<<256, 256>>>(starts, edges, a, c, 65536); });
  for (int n : {512, 2048})
    run(sized("filter_tile", n), [&] { filter_tile<<<dim3(n / 32, n / 16), dim3(32, 16)>>>(a, c, n); });
  for (int n : {256, 1024, 4096})
    run(sized("normalize_rows", n), [&] { normalize_rows<<<(1 << 20) / n, 256>>>(a, c, b, b, n); });
  for (int n : {1 << 18, 1 << 22}) run(sized("gelu", n), [&] { gelu<<<528, 256>>>(a, c, n); });
  int* token = on_device<int>(4096, [](uint32_t i) { return int(hashed(i) % 4096u); });
  run("embed_256", [&] { embed<<<4096, 64>>>(token, f4(a), f4(c), 64); });
  run("embed_1024", [&] { embed<<<1024, 256>>>(token, f4(a), f4(c), 256); });
  for (int n : {1024, 2048}) run(sized("gemv_half", n), [&] { gemv_half<<<n / 8, 256>>>(h2(a), h2(b), c, n); });
  for (int n : {512, 1024})
    run(sized("gemm_bytes", n),
        [&] { gemm_bytes<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(ints(bits), ints(bits), ints(count), n); });
  run("compact", [&] { compact<<<4096, 256>>>(ints(bits), ints(count), ints(count) + (most - 1), 1 << 20); });
  run("digits", [&] { digits<<<1024, 256>>>(bits, count, 1 << 20, 8); });
  run("life", [&] {
    life<<<dim3(32, 128), dim3(32, 8)>>>(reinterpret_cast<uint8_t*>(bits), reinterpret_cast<uint8_t*>(count), 1024);
  });
  run("spheres", [&] { spheres<<<dim3(32, 32), dim3(16, 16)>>>(f4(a), 100, c, 512); });
  for (int steps : {128, 512}) run(sized("binomial", steps), [&] { binomial<<<264, steps>>>(a, c, steps); });
  run("smooth_27", [&] { smooth_27<<<dim3(4, 16, 96), dim3(32, 8)>>>(f64(a), f64(c), 96); });
  run("checksum", [&] { checksum<<<64, 256>>>(reinterpret_cast<uint8_t*>(bits), count, bits, 64); });
  run("invert_4x4", [&] { invert_4x4<<<1024, 128>>>(a, c, 131072); });
  for (int n : {16, 64}) run(sized("thomas", n), [&] { thomas<<<256, 128>>>(a, b, a, c, d, 32768, n); });
  run("dot_double", [&] { dot_double<<<264, 256>>>(f64(a), f64(b), f64(c), 1 << 20); });
  run("pi_darts", [&] { pi_darts<<<528, 256>>>(count, 256); });
  run("permute_3d", [&] { permute_3d<<<8192, 256>>>(a, c, 128, 128, 128); });
  return 0;
}
