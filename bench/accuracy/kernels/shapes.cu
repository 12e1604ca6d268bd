// Launches of every configuration: small grids, tails, few warps, many small blocks, barriers, divergence.
#include "cases.h"

__global__ void empty() {}
__global__ void one_store(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }

__global__ void work(float* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = i, b = i + 1, c = i + 2, d = i + 3;
  for (int r = 0; r < rounds; ++r) a = a * 1.0001f + 0.5f, b = b * 1.0001f + a, c = c * 1.0001f + 0.5f, d = d * 1.0001f + c;
  out[i] = a + b + c + d;
}

// Shared memory limits the resident blocks.
__global__ void work_with_shared(const float* in, float* out, int n) {
  extern __shared__ float own[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 16; ++k) {
    own[threadIdx.x] = in[(i + k * 65536) & (n - 1)];
    __syncthreads();
    sum += own[(threadIdx.x + 37) % blockDim.x];
    __syncthreads();
  }
  out[i] = sum;
}

// Registers limit the resident blocks: many live values.
template <int kValues>
__global__ void __launch_bounds__(256) many_registers(const float* in, float* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[kValues];
#pragma unroll
  for (int k = 0; k < kValues; ++k) v[k] = in[i + k * 256];
  for (int r = 0; r < rounds; ++r)
#pragma unroll
    for (int k = 0; k < kValues; ++k) v[k] = v[k] * 0.999f + v[(k + 7) % kValues];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kValues; ++k) sum += v[k];
  out[i] = sum;
}

__global__ void barriers(int* out, int rounds) {
  __shared__ int s[1024];
  const int t = threadIdx.x;
  s[t] = t;
  for (int r = 0; r < rounds; ++r) {
    __syncthreads();
    const int v = s[(t + 1) % blockDim.x];
    __syncthreads();
    s[t] = v + 1;
  }
  out[blockIdx.x * blockDim.x + t] = s[t];
}

__global__ void diverge(const float* in, float* out, int rounds, int ways) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[i];
  for (int r = 0; r < rounds; ++r) {
    switch ((threadIdx.x + r) % ways) {
      case 0: a = a * 1.1f + 1; break;
      case 1: a = a / 1.3f; break;
      case 2: a = sqrtf(a) + 2; break;
      case 3: a = a * a - 3; break;
      case 4: a = __expf(-a); break;
      case 5: a = fminf(a, 9.0f) * 0.5f; break;
      case 6: a = fabsf(a - 4) + 0.1f; break;
      default: a = a + 0.01f; break;
    }
  }
  out[i] = a;
}
__global__ void uneven_lanes(const int* length, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < length[i]; ++k) sum += k * k ^ i;
  out[i] = sum;
}
// Most blocks end at once, a few run for a long time.
__global__ void uneven_blocks(float* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int own = blockIdx.x % 16 == 0 ? rounds * 16 : rounds;
  float a = i;
  for (int r = 0; r < own; ++r) a = a * 1.0001f + 0.5f;
  out[i] = a;
}
__global__ void leader_only(const int* in, int* out, int rounds) {
  __shared__ int total;
  int sum = 0;
  if (threadIdx.x == 0) {
    for (int r = 0; r < rounds; ++r) sum += in[blockIdx.x * 64 + r];
    total = sum;
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = total + threadIdx.x;
}

// A level of a breadth-first search.
__global__ void search_level(const int* start, const int* edge, const int* frontier, int* next, int* depth, int nodes, int level) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || !frontier[node]) return;
  for (int e = start[node]; e < start[node + 1]; ++e) {
    const int to = edge[e];
    if (depth[to] < 0) depth[to] = level, next[to] = 1;
  }
}

// The path with the smallest sum through a grid, several rows a launch: halo and barriers.
__global__ void path_rows(const int* wall, const int* from, int* to, int columns, int first, int rows) {
  __shared__ int before[256], now[256];
  const int own = 256 - 2 * rows, x = blockIdx.x * own + threadIdx.x - rows;
  const bool inside = x >= 0 && x < columns;
  before[threadIdx.x] = inside ? from[x] : 1 << 20;
  __syncthreads();
  for (int r = 0; r < rows; ++r) {
    const bool valid = threadIdx.x > r && threadIdx.x < 255 - r && inside;
    if (valid) {
      const int best = min(before[threadIdx.x], min(before[threadIdx.x - 1], before[threadIdx.x + 1]));
      now[threadIdx.x] = best + wall[(first + r) * columns + x];
    }
    __syncthreads();
    if (valid) before[threadIdx.x] = now[threadIdx.x];
    __syncthreads();
  }
  if (threadIdx.x >= rows && threadIdx.x < 256 - rows && inside) to[x] = before[threadIdx.x];
}

// Diagonals of an alignment's table, 16 x 16 a block.
__global__ void align_tile(const int* score, int* table, int columns, int diagonal, int penalty) {
  __shared__ int t[17][17];
  const int bx = blockIdx.x, by = diagonal - 1 - bx, tx = threadIdx.x;
  const int base = columns * 16 * by + 16 * bx;
  t[tx + 1][0] = table[base + columns * (tx + 1)];
  t[0][tx + 1] = table[base + tx + 1];
  if (tx == 0) t[0][0] = table[base];
  __syncwarp();
  for (int m = 0; m < 16; ++m) {
    if (tx <= m) {
      const int x = tx + 1, y = m - tx + 1;
      t[y][x] = max(t[y - 1][x - 1] + score[base + columns * y + x], max(t[y][x - 1] - penalty, t[y - 1][x] - penalty));
    }
    __syncthreads();
  }
  for (int m = 14; m >= 0; --m) {
    if (tx <= m) {
      const int x = tx + 16 - m, y = 16 - tx;
      t[y][x] = max(t[y - 1][x - 1] + score[base + columns * y + x], max(t[y][x - 1] - penalty, t[y - 1][x] - penalty));
    }
    __syncthreads();
  }
  for (int y = 0; y < 16; ++y) table[base + columns * (y + 1) + tx + 1] = t[y + 1][tx + 1];
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const int most = 1 << 22;
  float* a = on_device<float>(most, [](uint32_t i) { return fraction(i) * 5 + 1; });
  float* c = zeros<float>(most);
  int* ints = on_device<int>(most, [](uint32_t i) { return int(hashed(i) % 97); });
  int* out = reinterpret_cast<int*>(c);
  run("empty_1", [&] { empty<<<1, 32>>>(); });
  run("empty_132", [&] { empty<<<132, 128>>>(); });
  run("empty_10000", [&] { empty<<<10000, 128>>>(); });
  run("empty_100000_32", [&] { empty<<<100000, 32>>>(); });
  run("empty_4000_1024", [&] { empty<<<4000, 1024>>>(); });
  run("one_store_65536_32", [&] { one_store<<<65536, 32>>>(out); });
  run("one_store_4096_512", [&] { one_store<<<4096, 512>>>(out); });
  for (int blocks : {1, 2, 10, 66, 100, 132, 133, 200, 264, 265, 400, 1056, 1100})
    run(sized("work_blocks", blocks), [&] { work<<<blocks, 256>>>(c, 400); });
  for (int threads : {32, 64, 96, 160, 512, 1024})
    run(sized("work_threads", threads), [&] { work<<<264, threads>>>(c, 200); });
  for (int kb : {1, 16, 56, 100, 200}) {
    CHECK(cudaFuncSetAttribute(work_with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    run(sized("work_with_shared_kb", kb), [&] { work_with_shared<<<1056, 256, kb * 1024>>>(a, c, most); });
  }
  run("many_registers_16", [&] { many_registers<16><<<528, 256>>>(a, c, 64); });
  run("many_registers_64", [&] { many_registers<64><<<528, 256>>>(a, c, 32); });
  run("many_registers_128", [&] { many_registers<128><<<528, 256>>>(a, c, 16); });
  for (int threads : {64, 256, 1024}) run(sized("barriers", threads), [&] { barriers<<<264, threads>>>(out, 64); });
  for (int ways : {1, 2, 4, 8}) run(sized("diverge", ways), [&] { diverge<<<528, 256>>>(a, c, 64, ways); });
  run("uneven_lanes", [&] { uneven_lanes<<<1024, 256>>>(ints, out); });
  run("uneven_blocks", [&] { uneven_blocks<<<1056, 256>>>(c, 100); });
  run("leader_only", [&] { leader_only<<<1056, 128>>>(ints, out, 64); });

  const int nodes = 1 << 17;
  std::vector<int> start(nodes + 1), edge, frontier(nodes), depth(nodes);
  for (int n = 0; n < nodes; ++n) {
    const int degree = 2 + int(hashed(n) % 9);
    for (int e = 0; e < degree; ++e) edge.push_back(int(hashed(n * 16u + e) % nodes));
    start[n + 1] = int(edge.size());
    frontier[n] = hashed(n + 77u) % 5 == 0;
    depth[n] = frontier[n] ? 1 : -1;
  }
  int *starts = on_device(start), *edges = on_device(edge), *front = on_device(frontier), *depths = on_device(depth);
  run("search_level", [&] { search_level<<<nodes / 256, 256>>>(starts, edges, front, out, depths, nodes, 2); });
  run("path_rows", [&] { path_rows<<<(100000 + 215) / 216, 256>>>(ints, ints, out, 100000, 0, 20); });
  run("align_tile_64", [&] { align_tile<<<64, 16>>>(ints, out, 2049, 64, 10); });
  return 0;
}
