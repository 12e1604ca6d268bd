// Stores of many warps to one word or to few, alone, behind chains of loads, and in a relaxation of edges
// (data/h200-flags.csv): how a slice of the L2 that many stores go to holds up warps. For ncu; prints
// "CASE,name". Build with -I kernels.
#include "cases.h"

// One store a warp, to `words` words on lines of their own.
__global__ void flag_only(int* flag, int warps, int words) {
  const int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (v < warps && threadIdx.x % 32 == 0) flag[v % words * 32] = 1;
}

// Behind a chain of `steps` loads, which lead anywhere.
__global__ void chain_flag(const int* __restrict__ next, int* flag, int warps, int steps, int sets) {
  const int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (v >= warps) return;
  int at = v;
  for (int i = 0; i < steps; ++i) at = next[at];
  if (sets == (at >= 0) && threadIdx.x % 32 == 0) *flag = 1;
}

// A warp a vertex; with or without the reductions and the stores. Stores go to `flags` words.
__global__ void relax(const int* __restrict__ row, const int* __restrict__ col, const int* __restrict__ weight, const int* __restrict__ dist,
                      int* __restrict__ next, int* __restrict__ changed, int n, int reduces, int flags) {
  const int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (v >= n) return;
  const int d = dist[v];
  if (d == 0x3fffffff) return;
  bool any = false;
  for (int e = row[v] + lane; e < row[v + 1]; e += 32) {
    const int to = col[e], other = d + weight[e];
    if (other >= dist[to]) continue;
    if (reduces) atomicMin(&next[to], other);
    any = true;
  }
  if (__any_sync(0xffffffff, any) && lane == 0 && flags) changed[flags == 1 ? 0 : v % flags * 32] = 1;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  int* out = zeros<int>(1 << 22);
  for (int n : {66000, 264000}) {
    for (int words : {1, 2, 8, 64, 1024}) run(sized("flag_only", n, words), [&] { flag_only<<<n / 8, 256>>>(out, n, words); });
    run(sized("flag_block", n), [&] { flag_only<<<n, 32>>>(out, n, 1); });
  }
  const int* next = on_device<int>(1 << 20, [](uint32_t i) { return int(hashed(i) & 0xfffff); });
  for (int n : {66000, 264000})
    for (int steps : {1, 4, 16}) {
      run(sized("chain_flag", n, steps), [&] { chain_flag<<<n / 8, 256>>>(next, out, n, steps, 1); });
      run(sized("chain_only", n, steps), [&] { chain_flag<<<n / 8, 256>>>(next, out, n, steps, 0); });
    }
  constexpr int vertices = 100000;
  std::vector<int> row(vertices + 1, 0), col, distance(vertices);
  for (int v = 0; v < vertices; ++v) {
    const size_t begin = col.size();
    const uint32_t edges = 4 + hashed(v) % 12 + (hashed(v) % 101 == 0 ? 100 : 0);
    for (uint32_t k = 0; k < edges; ++k) col.push_back(int((k % 3 ? v + 1 + hashed(v * 31 + k) % 60 : hashed(v * 31 + k)) % vertices));
    std::sort(col.begin() + begin, col.end());
    row[v + 1] = int(col.size());
    distance[v] = hashed(v) % 3 ? int(hashed(v) % 5000) : 0x3fffffff;
  }
  const int *row_d = on_device(row), *col_d = on_device(col), *distance_d = on_device(distance);
  const int* weights = on_device<int>(col.size(), [](uint32_t i) { return int(1 + hashed(i) % 200); });
  for (int reduces : {0, 1})
    for (int flags : {0, 1, 64, 1024})
      run(std::string("relax") + (reduces ? "_reduced" : "") + "_" + std::to_string(flags),
          [&] { relax<<<vertices / 8 + 1, 256>>>(row_d, col_d, weights, distance_d, out, out + (1 << 20), vertices, reduces, flags); });
  return 0;
}
