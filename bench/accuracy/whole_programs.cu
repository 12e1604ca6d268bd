// Whole programs as users write them: what a solver, a simulation, a training step or an image pipeline puts on a GPU in
// a row, with its copies, waits and streams. They were written and recorded after the model of operations; the rule
// on what the L2 holds was made from their kernels' durations. Arguments as of timeline.cu.
#include "timeline.h"

constexpr int kBlock = 256;
static unsigned blocks_of(size_t n) { return unsigned((n + kBlock - 1) / kBlock); }

// --- Vectors --------------------------------------------------------------------------------------------------------

__global__ void dot(const float* x, const float* y, float* sum, int n) {
  __shared__ float warps[kBlock / 32];
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += x[i] * y[i];
  for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(~0u, mine, s);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x < kBlock / 32) {
    mine = warps[threadIdx.x];
    for (int s = kBlock / 64; s > 0; s /= 2) mine += __shfl_down_sync(0xff, mine, s);
    if (threadIdx.x == 0) atomicAdd(sum, mine);
  }
}
__global__ void add_scaled(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
__global__ void scale_and_add(float* p, const float* r, float b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = r[i] + b * p[i];
}
__global__ void laplace(const float* x, float* y, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j >= n) return;
  const int k = i * n + j;
  float v = 4 * x[k];
  if (i > 0) v -= x[k - n];
  if (i + 1 < n) v -= x[k + n];
  if (j > 0) v -= x[k - 1];
  if (j + 1 < n) v -= x[k + 1];
  y[k] = v;
}

// Conjugate gradients on a grid of n x n: the host reads each scalar product.
static void conjugate_gradients(int n, int iterations) {
  const int size = n * n;
  float *x = reinterpret_cast<float*>(device), *r = x + size, *p = r + size, *q = p + size;
  const auto product = [&](const float* a, const float* b) {
    float sum = 0;
    CHECK(cudaMemset(sink, 0, sizeof sum));
    dot<<<264, kBlock>>>(a, b, sink, size);
    CHECK(cudaMemcpy(&sum, sink, sizeof sum, cudaMemcpyDeviceToHost));
    return sum;
  };
  for (int i = 0; i < iterations; ++i) {
    laplace<<<dim3(blocks_of(n), n), kBlock>>>(p, q, n);
    const float a = product(p, q) + 1;
    add_scaled<<<blocks_of(size), kBlock>>>(x, p, 1 / a, size);
    add_scaled<<<blocks_of(size), kBlock>>>(r, q, -1 / a, size);
    const float b = product(r, r) + 1;
    scale_and_add<<<blocks_of(size), kBlock>>>(p, r, 1 / b, size);
  }
}

// --- Simulation ------------------------------------------------------------------------------------------------------

static void heat(int n, int steps, cudaStream_t stream) {
  float *from = reinterpret_cast<float*>(device), *to = reinterpret_cast<float*>(other);
  for (int i = 0; i < steps; ++i) {
    laplace<<<dim3(blocks_of(n), n), kBlock, 0, stream>>>(from, to, n);
    std::swap(from, to);
  }
}
// Each step is saved while the next one runs.
static void heat_with_snapshots(int n, int steps) {
  const size_t bytes = size_t(n) * n * sizeof(float);
  for (int i = 0; i < steps; ++i) {
    float *from = reinterpret_cast<float*>(i % 2 ? other : device), *to = reinterpret_cast<float*>(i % 2 ? device : other);
    if (i >= 2) CHECK(cudaStreamWaitEvent(free_[0], joints[50 + i % 2], 0));  // `to` was saved two steps ago
    for (int k = 0; k < 4; ++k) laplace<<<dim3(blocks_of(n), n), kBlock, 0, free_[0]>>>(from, to, n);
    CHECK(cudaEventRecord(joints[48], free_[0]));
    CHECK(cudaStreamWaitEvent(free_[1], joints[48], 0));
    CHECK(cudaMemcpyAsync(back, to, bytes, cudaMemcpyDeviceToHost, free_[1]));
    CHECK(cudaEventRecord(joints[50 + i % 2], free_[1]));
  }
}
struct Body {
  float x, y, z, mass;
};
__global__ void attract(const Body* bodies, float4* speeds, int n) {
  __shared__ Body tile[kBlock];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Body mine = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += kBlock) {
    tile[threadIdx.x] = bodies[t + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < kBlock; ++k) {
      const float dx = tile[k].x - mine.x, dy = tile[k].y - mine.y, dz = tile[k].z - mine.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float f = tile[k].mass * inverse * inverse * inverse;
      ax += f * dx, ay += f * dy, az += f * dz;
    }
    __syncthreads();
  }
  speeds[i].x += ax, speeds[i].y += ay, speeds[i].z += az;
}
__global__ void move(Body* bodies, const float4* speeds, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bodies[i].x += speeds[i].x, bodies[i].y += speeds[i].y, bodies[i].z += speeds[i].z;
}
static void bodies(int n, int steps, size_t copied) {
  Body* b = reinterpret_cast<Body*>(device);
  float4* s = reinterpret_cast<float4*>(other);
  CHECK(cudaMemcpy(b, pageable, n * sizeof(Body), cudaMemcpyHostToDevice));
  for (int i = 0; i < steps; ++i) {
    attract<<<n / kBlock, kBlock>>>(b, s, n);
    move<<<blocks_of(n), kBlock>>>(b, s, n);
    if (copied) CHECK(cudaMemcpy(pageable, b, copied, cudaMemcpyDeviceToHost));
  }
}

// --- Images --------------------------------------------------------------------------------------------------------

constexpr int kWidth = 1920, kHeight = 1080;
constexpr size_t kFrame = size_t{kWidth} * kHeight;
__global__ void blur(const unsigned char* in, unsigned char* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || y < 2 || x >= kWidth - 2 || y >= kHeight - 2) return;
  int sum = 0;
  for (int j = -2; j <= 2; ++j)
    for (int i = -2; i <= 2; ++i) sum += in[(y + j) * kWidth + x + i];
  out[y * kWidth + x] = static_cast<unsigned char>(sum / 25);
}
__global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[(in[i] + i) & 255], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
__global__ void stretch(unsigned char* image, const unsigned* bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) image[i] = static_cast<unsigned char>((image[i] * 3 + bins[image[i]]) >> 2);
}
static void frame(int number, char* from, char* to, cudaStream_t stream, bool asynchronous) {
  auto* in = reinterpret_cast<unsigned char*>(device) + number % 4 * 4 * kFrame;
  unsigned char* out = in + 2 * kFrame;
  auto* bins = reinterpret_cast<unsigned*>(other) + number % 4 * 256;
  const auto copy = [&](void* a, const void* b, cudaMemcpyKind kind) {
    CHECK(asynchronous ? cudaMemcpyAsync(a, b, kFrame, kind, stream) : cudaMemcpy(a, b, kFrame, kind));
  };
  copy(in, from, cudaMemcpyHostToDevice);
  CHECK(cudaMemsetAsync(bins, 0, 256 * sizeof(unsigned), stream));
  blur<<<dim3((kWidth + 31) / 32, (kHeight + 7) / 8), dim3(32, 8), 0, stream>>>(in, out);
  histogram<<<132, 256, 0, stream>>>(out, bins, int(kFrame));
  stretch<<<blocks_of(kFrame), kBlock, 0, stream>>>(out, bins, int(kFrame));
  copy(to, out, cudaMemcpyDeviceToHost);
}

// --- Products and training ---------------------------------------------------------------------------------------------

__global__ void product(const float* a, const float* b, float* c, int n, int k) {
  __shared__ float ta[16][16], tb[16][17];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < k; t += 16) {
    ta[threadIdx.y][threadIdx.x] = a[row * k + t + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
static void multiply(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  product<<<dim3(n / 16, m / 16), dim3(16, 16), 0, stream>>>(a, b, c, n, k);
}
__global__ void activate(float* x, const float* bias, int n, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = fmaxf(x[i] + bias[i % width], 0.0f);
}
__global__ void descend(float* w, const float* gradient, float rate, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) w[i] -= rate * gradient[i];
}
// A step of training with three layers; the loss is read by the host if `read`.
static void train(int steps, bool read, cudaStream_t stream) {
  constexpr int batch = 128, width = 256;
  float* at = reinterpret_cast<float*>(device);
  float *x[4], *w[3], *g[3], *bias = at;
  at += width;
  for (auto& layer : x) layer = at, at += batch * width;
  for (auto& layer : w) layer = at, at += width * width;
  for (auto& layer : g) layer = at, at += width * width;
  for (int s = 0; s < steps; ++s) {
    CHECK(cudaMemcpyAsync(x[0], pinned, batch * width * sizeof(float), cudaMemcpyHostToDevice, stream));
    for (int l = 0; l < 3; ++l) {
      multiply(x[l], w[l], x[l + 1], batch, width, width, stream);
      activate<<<blocks_of(batch * width), kBlock, 0, stream>>>(x[l + 1], bias, batch * width, width);
    }
    CHECK(cudaMemsetAsync(sink, 0, sizeof(float), stream));
    dot<<<32, kBlock, 0, stream>>>(x[3], x[3], sink, batch * width);
    for (int l = 2; l >= 0; --l) {
      multiply(x[l], x[l + 1], g[l], width, width, batch, stream);
      descend<<<blocks_of(width * width), kBlock, 0, stream>>>(w[l], g[l], 0.0f, width * width);
    }
    if (!read) continue;
    CHECK(cudaMemcpyAsync(back, sink, sizeof(float), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
  }
}
// A product whose first factor does not fit: its rows come in parts, in `streams` streams.
static void product_in_parts(int parts, int streams) {
  constexpr int rows = 256, n = 512;
  for (int p = 0; p < parts; ++p) {
    cudaStream_t stream = free_[p % streams];
    float* a = reinterpret_cast<float*>(device + (p % streams + 1) * (4 << 20));
    float* c = a + rows * n;
    CHECK(cudaMemcpyAsync(a, pinned + size_t(p) * rows * n * 4, rows * n * 4, cudaMemcpyHostToDevice, stream));
    multiply(a, reinterpret_cast<float*>(other), c, rows, n, n, stream);
    CHECK(cudaMemcpyAsync(back + size_t(p) * rows * n * 4, c, rows * n * 4, cudaMemcpyDeviceToHost, stream));
  }
}

// --- Sorting, sums, random numbers ---------------------------------------------------------------------------------------

__global__ void count_digits(const unsigned* keys, unsigned* counts, int shift, int n) {
  __shared__ unsigned mine[16];
  if (threadIdx.x < 16) mine[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&mine[((keys[i] * 2654435761u + i) >> shift) & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}
__global__ void scan_counts(unsigned* counts, int n) {
  __shared__ unsigned sums[1024];
  unsigned carry = 0;
  for (int from = 0; from < n; from += 1024) {
    const int i = from + threadIdx.x;
    const unsigned own = i < n ? counts[i] : 0;
    sums[threadIdx.x] = own;
    __syncthreads();
    for (int s = 1; s < 1024; s *= 2) {
      const unsigned left = threadIdx.x >= s ? sums[threadIdx.x - s] : 0;
      __syncthreads();
      sums[threadIdx.x] += left;
      __syncthreads();
    }
    if (i < n) counts[i] = carry + sums[threadIdx.x] - own;
    carry += sums[1023];
    __syncthreads();
  }
}
__global__ void scatter(const unsigned* keys, unsigned* sorted, const unsigned* counts, int shift, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sorted[(i * 17 + (counts[((keys[i] >> shift) & 15) * gridDim.x + blockIdx.x] & 1)) & (n - 1)] = keys[i];
}
static void sort(int n, cudaStream_t stream) {
  unsigned *from = reinterpret_cast<unsigned*>(device), *to = reinterpret_cast<unsigned*>(other), *counts = from + n;
  const unsigned blocks = blocks_of(n);
  for (int shift = 0; shift < 32; shift += 4) {
    count_digits<<<blocks, kBlock, 0, stream>>>(from, counts, shift, n);
    scan_counts<<<1, 1024, 0, stream>>>(counts, int(16 * blocks));
    scatter<<<blocks, kBlock, 0, stream>>>(from, to, counts, shift, n);
    std::swap(from, to);
  }
}
__global__ void throw_darts(unsigned seed, int each, float* hits) {
  unsigned state = seed ^ (blockIdx.x * blockDim.x + threadIdx.x) * 747796405u;
  int inside = 0;
  for (int i = 0; i < each; ++i) {
    state = state * 1664525u + 1013904223u;
    const float x = float(state >> 8) * 0x1p-24f;
    state = state * 1664525u + 1013904223u;
    const float y = float(state >> 8) * 0x1p-24f;
    inside += x * x + y * y < 1.0f;
  }
  hits[blockIdx.x * blockDim.x + threadIdx.x] = float(inside);
}
// Independent estimates, each with a sum that the host gets.
static void estimates(int count, int streams) {
  for (int i = 0; i < count; ++i) {
    cudaStream_t stream = free_[i % streams];
    float* hits = reinterpret_cast<float*>(device) + i * 64 * kBlock;
    float* sum = reinterpret_cast<float*>(other) + i;
    CHECK(cudaMemsetAsync(sum, 0, sizeof(float), stream));
    throw_darts<<<64, kBlock, 0, stream>>>(i, 500, hits);
    dot<<<16, kBlock, 0, stream>>>(hits, hits, sum, 64 * kBlock);
    CHECK(cudaMemcpyAsync(back + i * 4, sum, sizeof(float), cudaMemcpyDeviceToHost, stream));
  }
}

int main(int argc, char** argv) {
  prepare(argc, argv);
  time("gradients_512_10", 0, [] { conjugate_gradients(512, 10); });
  time("gradients_1024_5", 0, [] { conjugate_gradients(1024, 5); });
  time("heat_1024_50", 1, [] { heat(1024, 50, free_[0]); });
  time("heat_256_100", 1, [] { heat(256, 100, free_[0]); });
  time_graph("heat_256_100_graph", 1, [] { heat(256, 100, free_[0]); });
  time("heat_snapshots_1024_8", 2, [] { heat_with_snapshots(1024, 8); });
  time("bodies_4096_5", 0, [] { bodies(4096, 5, 0); });
  time("bodies_4096_5_read", 0, [] { bodies(4096, 5, 4096 * sizeof(Body)); });
  time("frames_6_pageable", 0, [] {
    for (int i = 0; i < 6; ++i) frame(i, pageable + i * kFrame, pageable + i * kFrame, nullptr, false);
  });
  time("frames_8_one_stream", 1, [] {
    for (int i = 0; i < 8; ++i) frame(i, pinned + i * kFrame, back + i * kFrame, free_[0], true);
  });
  time("frames_8_four_streams", 4, [] {
    for (int i = 0; i < 8; ++i) frame(i, pinned + i * kFrame, back + i * kFrame, free_[i % 4], true);
  });
  time_graph("frames_8_four_streams_graph", 4, [] {
    for (int i = 0; i < 8; ++i) frame(i, pinned + i * kFrame, back + i * kFrame, free_[i % 4], true);
  });
  time("training_4", 1, [] { train(4, false, free_[0]); });
  time("training_4_loss_read", 1, [] { train(4, true, free_[0]); });
  time_graph("training_4_graph", 1, [] { train(4, false, free_[0]); });
  time("parts_8_one_stream", 1, [] { product_in_parts(8, 1); });
  time("parts_8_two_streams", 2, [] { product_in_parts(8, 2); });
  time("parts_8_four_streams", 4, [] { product_in_parts(8, 4); });
  time("sort_262144", 1, [] { sort(1 << 18, free_[0]); });
  time_graph("sort_65536_graph", 1, [] { sort(1 << 16, free_[0]); });
  time("estimates_16_one_stream", 1, [] { estimates(16, 1); });
  time("estimates_16_eight_streams", 8, [] { estimates(16, 8); });
  time_graph("estimates_16_eight_streams_graph", 8, [] { estimates(16, 8); });
  return 0;
}
