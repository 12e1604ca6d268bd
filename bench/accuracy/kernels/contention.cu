// Atomics on few and on many addresses, rows that a thread walks alone, values that are read again and again.
#include "cases.h"

// Column sums by atomics without a result: a warp adds to 32 consecutive addresses, each touched once a block row.
__global__ void add_columns(const float* x, float* sums, int columns, int rows_each) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int r = 0; r < rows_each; ++r) sum += x[(blockIdx.y * rows_each + r) * columns + column];
  atomicAdd(&sums[column], sum);
}
// Gradients of embeddings: each row goes to a scattered place, as a whole.
__global__ void add_rows(const float* x, const int* place, float* table, int width) {
  for (int i = threadIdx.x; i < width; i += blockDim.x) atomicAdd(&table[place[blockIdx.x] * width + i], x[blockIdx.x * width + i]);
}
__global__ void add_all(const float* x, float* y, int n, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&y[i % m], x[i]);
}

// A thread walks a row alone: 32 lines a request.
__global__ void row_mean(const float* x, float* mean, int rows, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = 0; i < width; ++i) sum += x[row * width + i];
  mean[row] = sum / width;
}
__global__ void row_normalize(const float* x, float* y, int rows, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* in = x + size_t(row) * width;
  float sum = 0, square = 0;
  for (int i = 0; i < width; ++i) sum += in[i];
  const float mean = sum / width;
  for (int i = 0; i < width; ++i) square += (in[i] - mean) * (in[i] - mean);
  const float scale = rsqrtf(square / width + 1e-5f);
  for (int i = 0; i < width; ++i) y[size_t(row) * width + i] = (in[i] - mean) * scale;
}
__global__ void row_softmax(const float* x, float* y, int rows, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* in = x + size_t(row) * width;
  float most = -1e30f, sum = 0;
  for (int i = 0; i < width; ++i) most = fmaxf(most, in[i]);
  for (int i = 0; i < width; ++i) sum += expf(in[i] - most);
  for (int i = 0; i < width; ++i) y[size_t(row) * width + i] = expf(in[i] - most) / sum;
}

// Integer atomics, one after the other on few addresses.
__global__ void count_few(const int* keys, int* counts, int n, int bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&counts[keys[i] % bins], 1);
}
__global__ void take_tickets(int* next, int* out, int each) {
  int last = 0;
  for (int i = 0; i < each; ++i) last = atomicAdd(next, threadIdx.x % 32 + 1);
  out[blockIdx.x * blockDim.x + threadIdx.x] = last;
}
__global__ void largest_few(const int* keys, int* most, int n, int bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicMax(&most[i % bins], keys[i]);
}

// The store may alias: the factor is read again in every step.
__global__ void scale_again(const float* factor, float* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = x[i] * *factor + factor[1];
}
__global__ void steps_again(const float* rate, float* state, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int s = 0; s < steps; ++s) state[i] += rate[0] * state[i] - rate[1];
}

// Integers and doubles with look-ups in a table.
__global__ void table_mix(const int* keys, const double* table, double* out, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned key = unsigned(keys[i]);
  double sum = 0;
  for (int r = 0; r < rounds; ++r) {
    sum += table[key & 255] * (key >> 8 & 15);
    key = key * 1664525u + 1013904223u;
  }
  out[i] = sum;
}
__global__ void table_walk(const int* next, const double* weight, double* out, int n, int steps) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  double product = 1;
  const int i = at;
  for (int s = 0; s < steps; ++s) {
    product = product * 0.5 + weight[at % 1024];
    at = next[at % n] + s % 7;
  }
  out[i] = product;
}
__global__ void digits_of(const unsigned long long* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = x[i];
  int sum = 0;
  while (v != 0) sum += int(v % 10), v /= 10;
  out[i] = sum;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const size_t most = size_t(1) << 24;
  float* x = on_device<float>(most, fraction);
  float* y = zeros<float>(most);
  int* keys = on_device<int>(most / 4, [](uint32_t i) { return int(hashed(i) >> 1); });
  int* counts = zeros<int>(1 << 20);
  const auto adds = [&](int rows, int columns, int each, int block) {
    run(sized("add_columns", rows, columns) + "_" + std::to_string(each),
        [=] { add_columns<<<dim3(columns / block, rows / each), block>>>(x, y, columns, each); });
  };
  adds(1024, 768, 64, 256);
  adds(1024, 3072, 128, 256);
  adds(4096, 1024, 512, 128);
  adds(256, 4096, 32, 512);
  int* places = on_device<int>(8192, [](uint32_t i) { return int(hashed(i) % 4096); });
  run("add_rows_1024_768", [&] { add_rows<<<1024, 256>>>(x, places, y, 768); });
  run("add_rows_8192_256", [&] { add_rows<<<8192, 128>>>(x, places, y, 256); });
  run("add_rows_2048_1600", [&] { add_rows<<<2048, 512>>>(x, places, y, 1600); });
  for (int m : {1 << 20, 1 << 16, 1 << 12}) run(sized("add_all", 1 << 20, m), [=] { add_all<<<4096, 256>>>(x, y, 1 << 20, m); });

  const auto rows = [&](int count, int width, int block) {
    const std::string size = "_" + std::to_string(count) + "x" + std::to_string(width) + "_b" + std::to_string(block);
    const int grid = (count + block - 1) / block;
    run("row_mean" + size, [=] { row_mean<<<grid, block>>>(x, y, count, width); });
    run("row_normalize" + size, [=] { row_normalize<<<grid, block>>>(x, y, count, width); });
    run("row_softmax" + size, [=] { row_softmax<<<grid, block>>>(x, y, count, width); });
  };
  rows(1024, 768, 32);
  rows(1024, 768, 128);
  rows(8192, 768, 256);
  rows(8192, 1024, 1024);
  rows(512, 4096, 64);
  rows(256, 8192, 32);
  rows(16384, 512, 64);

  for (int bins : {1, 4, 16, 64})
    run(sized("count_few", 1 << 20, bins), [=] { count_few<<<264, 256>>>(keys, counts, 1 << 20, bins); });
  run("take_tickets_64", [&] { take_tickets<<<64, 256>>>(counts, counts + 1024, 8); });
  run("take_tickets_512", [&] { take_tickets<<<512, 128>>>(counts, counts + 1024, 4); });
  for (int bins : {1, 8, 32}) run(sized("largest_few", 1 << 20, bins), [=] { largest_few<<<132, 1024>>>(keys, counts, 1 << 20, bins); });

  float* factors = on_device<float>(2, fraction);
  for (int n : {1 << 16, 1 << 20, 1 << 22}) run(sized("scale_again", n), [=] { scale_again<<<132, 256>>>(factors, y, n); });
  run("scale_again_many", [&] { scale_again<<<1056, 256>>>(factors, y, 1 << 22); });
  run("steps_again_32", [&] { steps_again<<<264, 128>>>(factors, y, 32); });
  run("steps_again_200", [&] { steps_again<<<32, 256>>>(factors, y, 200); });

  double* table = on_device<double>(1024, [](uint32_t i) { return double(fraction(i)); });
  double* wide = reinterpret_cast<double*>(y);
  run("table_mix_16", [&] { table_mix<<<1024, 256>>>(keys, table, wide, 1 << 18, 16); });
  run("table_mix_64", [&] { table_mix<<<264, 256>>>(keys, table, wide, 264 * 256, 64); });
  run("table_mix_200", [&] { table_mix<<<66, 128>>>(keys, table, wide, 66 * 128, 200); });
  int* next = on_device<int>(1 << 16, [](uint32_t i) { return int(hashed(i) & 0xffff); });
  run("table_walk_32", [&] { table_walk<<<512, 128>>>(next, table, wide, 1 << 16, 32); });
  run("table_walk_100", [&] { table_walk<<<64, 256>>>(next, table, wide, 1 << 16, 100); });
  unsigned long long* numbers = on_device<unsigned long long>(1 << 18, [](uint32_t i) {
    return static_cast<unsigned long long>(hashed(i)) << 20 | hashed(~i);
  });
  run("digits_of_262144", [&] { digits_of<<<1024, 256>>>(numbers, counts, 1 << 18); });
  run("digits_of_8192", [&] { digits_of<<<64, 128>>>(numbers, counts, 8192); });
  return 0;
}
