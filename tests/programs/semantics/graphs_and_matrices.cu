// Irregular programs: breadth-first search with frontier queues, Floyd-Warshall, sparse matrix times vector.
#include <algorithm>
#include <queue>

#include "check.h"

struct Graph {
  std::vector<int> first, to;  // compressed rows
};
Graph make_graph(int n) {
  Graph g;
  g.first.push_back(0);
  unsigned x = 7;
  for (int v = 0; v < n; ++v) {
    const int degree = v % 37 == 0 ? 40 : v % 5;
    for (int k = 0; k < degree; ++k) {
      x = x * 1664525u + 1013904223u;
      g.to.push_back(static_cast<int>((x >> 8) % n));
    }
    if (v + 1 < n && v % 3 == 0) g.to.push_back(v + 1);
    g.first.push_back(static_cast<int>(g.to.size()));
  }
  return g;
}

__global__ void expand(const int* first, const int* to, int* distance, const int* frontier, int count, int* next, int* next_count,
                       int level) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int v = frontier[i];
  for (int e = first[v]; e < first[v + 1]; ++e) {
    int w = to[e];
    if (atomicCAS(&distance[w], -1, level) == -1) next[atomicAdd(next_count, 1)] = w;
  }
}

__global__ void floyd_warshall(int* d, int n, int k) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= n) return;
  int through = d[y * n + k] + d[k * n + x];
  if (through < d[y * n + x]) d[y * n + x] = through;
}

__global__ void spmv_scalar(const int* first, const int* column, const float* value, const float* x, float* y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = first[row]; k < first[row + 1]; ++k) sum += value[k] * x[column[k]];
  y[row] = sum;
}
// One warp a row.
__global__ void spmv_vector(const int* first, const int* column, const float* value, const float* x, float* y, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int k = first[row] + lane; k < first[row + 1]; k += 32) sum += value[k] * x[column[k]];
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
  if (lane == 0) y[row] = sum;
}

int main() {
  const int n = 3000;
  const Graph g = make_graph(n);
  Buffer<int> first(g.first), to(g.to);
  {
    std::vector<int> want(n, -1);
    std::queue<int> queue;
    want[0] = 0;
    queue.push(0);
    while (!queue.empty()) {
      const int v = queue.front();
      queue.pop();
      for (int e = g.first[v]; e < g.first[v + 1]; ++e)
        if (want[g.to[e]] < 0) want[g.to[e]] = want[v] + 1, queue.push(g.to[e]);
    }
    std::vector<int> start(n, -1);
    start[0] = 0;
    Buffer<int> distance(start), a(n), b(n), size(1);
    int *frontier = a, *next = b, count = 1;
    for (int level = 1; count > 0; ++level) {
      CK(cudaMemset(size, 0, sizeof(int)));
      expand<<<(count + 127) / 128, 128>>>(first, to, distance, frontier, count, next, size, level);
      CK_LAUNCH();
      count = size.get()[0];
      std::swap(frontier, next);
    }
    expect_same("bfs", distance.get(), want);
  }
  {
    const int m = 70;
    std::vector<int> d(m * m, 1 << 20);
    for (int i = 0; i < m; ++i) {
      d[i * m + i] = 0;
      for (int k = 1; k <= 3; ++k) d[i * m + (i * 5 + k * 11) % m] = std::min(d[i * m + (i * 5 + k * 11) % m], (i * k) % 17 + 1);
    }
    Buffer<int> device(d);
    for (int k = 0; k < m; ++k) floyd_warshall<<<dim3(2, m), 64>>>(device, m, k);
    CK_LAUNCH();
    for (int k = 0; k < m; ++k)
      for (int y = 0; y < m; ++y)
        for (int x = 0; x < m; ++x) d[y * m + x] = std::min(d[y * m + x], d[y * m + k] + d[k * m + x]);
    expect_same("floyd_warshall", device.get(), d);
  }
  {
    std::vector<float> value(g.to.size()), x(n), want(n, 0.f);
    for (size_t k = 0; k < value.size(); ++k) value[k] = static_cast<int>(k % 9) - 4;
    for (int i = 0; i < n; ++i) x[i] = i % 11 - 5;
    for (int row = 0; row < n; ++row)
      for (int k = g.first[row]; k < g.first[row + 1]; ++k) want[row] += value[k] * x[g.to[k]];
    for (float& w : want) w += 0.f;  // no negative zeroes
    Buffer<float> dv(value), dx(x), y(n);
    const auto check = [&](const char* name) {
      CK_LAUNCH();
      std::vector<float> got = y.get();
      for (float& v : got) v += 0.f;
      expect_same(name, got, want);
    };
    spmv_scalar<<<(n + 127) / 128, 128>>>(first, to, dv, dx, y, n);
    check("spmv_scalar");
    spmv_vector<<<(n * 32 + 127) / 128, 128>>>(first, to, dv, dx, y, n);
    check("spmv_vector");
  }
  return finish();
}
