// Kernels whose loops run the longer the less other warps have done yet: all work in place on memory that others change
// meanwhile, and none waits for another. In shared memory (a block's warps) and in global memory (all blocks).
#include "cases.h"

typedef unsigned int uint;
typedef unsigned long long ull;

// ---- shared memory

// Components of 2048 vertices a block, joined by random edges: roots by halving of paths, hooks by compare-and-swap.
__global__ void union_runs(const int2* __restrict__ edges, int* __restrict__ roots, int count) {
  __shared__ int parent[2048];
  volatile int* const seen = parent;
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) parent[i] = i;
  __syncthreads();
  const int2* own = edges + blockIdx.x * count;
  for (int e = threadIdx.x; e < count; e += blockDim.x) {
    int a = own[e].x, b = own[e].y;
    for (;;) {
      while (seen[a] != a) {
        const int above = seen[seen[a]];
        seen[a] = above;
        a = above;
      }
      while (seen[b] != b) b = seen[b];
      if (a == b) break;
      if (a < b) { const int s = a; a = b; b = s; }
      if (atomicCAS(&parent[a], a, b) == a) break;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) {
    int r = i;
    while (seen[r] != r) r = seen[r];
    roots[blockIdx.x * 2048 + i] = r;
  }
}

// The least label spreads over a tile's areas; each warp goes on until its own row stays as it is.
__global__ void flood_labels(const unsigned char* __restrict__ area, int* __restrict__ out, int w) {
  __shared__ int storage[34][34];
  __shared__ unsigned char of[34][34];
  volatile int(*label)[34] = storage;
  const int x = threadIdx.x + 1, y = threadIdx.y + 1, t = threadIdx.y * 32 + threadIdx.x;
  for (int i = t; i < 34 * 34; i += 1024) storage[i / 34][i % 34] = 1 << 20, of[i / 34][i % 34] = 255;
  __syncthreads();
  const int at = (blockIdx.y * 32 + threadIdx.y) * w + blockIdx.x * 32 + threadIdx.x;
  of[y][x] = area[at];
  label[y][x] = t;
  __syncthreads();
  const bool left = of[y][x - 1] == of[y][x], right = of[y][x + 1] == of[y][x], up = of[y - 1][x] == of[y][x], down = of[y + 1][x] == of[y][x];
  bool again;
  do {
    const int mine = label[y][x];
    int least = mine;
    if (left) least = min(least, label[y][x - 1]);
    if (right) least = min(least, label[y][x + 1]);
    if (up) least = min(least, label[y - 1][x]);
    if (down) least = min(least, label[y + 1][x]);
    again = least < mine;
    if (again) label[y][x] = least;
  } while (__any_sync(0xffffffffu, again));
  out[at] = label[y][x];
}

// Keys of a block go to a table with open addresses in shared memory.
__global__ void insert_keys(const uint* __restrict__ keys, uint* __restrict__ table, int each) {
  __shared__ uint slots[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) slots[i] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < each; i += blockDim.x) {
    const uint key = keys[blockIdx.x * each + i] % 100000 + 1;
    uint slot = key * 2654435769u >> 20;
    for (;;) {
      const uint old = atomicCAS(&slots[slot], 0u, key);
      if (old == 0 || old == key) break;
      slot = (slot + 1) & 4095;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) table[blockIdx.x * 4096 + i] = slots[i];
}

// ---- global memory

// Chains of pointers become short: each thread halves the path before it until that ends.
__global__ void shortcut_chains(int* next, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  volatile int* seen = next;
  int a = seen[i], b = seen[a];
  while (a != b) {
    seen[i] = b;
    a = b;
    b = seen[a];
  }
}

// The same with plain loads, which may find in an L1 what others have overwritten since.
__global__ void halve_paths(int* next, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = i;
  for (;;) {
    const int a = next[at], b = next[a];
    if (a == b) break;
    next[at] = b;
    at = b;
  }
}

// Components of an image in place: a pixel joins its left and its upper neighbour.
__device__ int root_of(const volatile int* label, int x) {
  int above;
  while ((above = label[x]) != x) x = above;
  return x;
}
__global__ void hook_pixels(const unsigned char* __restrict__ area, int* label, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const int p = y * w + x;
  for (int k = 0; k < 2; ++k) {
    if ((k ? y : x) == 0) continue;
    const int q = k ? p - w : p - 1;
    if (area[p] != area[q]) continue;
    int a = root_of(label, p), b = root_of(label, q);
    while (a != b) {
      if (a < b) { const int s = a; a = b; b = s; }
      const int old = atomicMin(&label[a], b);
      if (old == a) break;
      a = old;
    }
  }
}

// Distances on a graph: each vertex takes the least over its neighbours until it finds nothing better.
__global__ void settle_distances(const int* __restrict__ rows, const int* __restrict__ cols, const int* __restrict__ weights, volatile int* distance, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int mine = distance[v];
  for (;;) {
    int least = mine;
    for (int e = rows[v]; e < rows[v + 1]; ++e) least = min(least, distance[cols[e]] + weights[e]);
    if (least == mine) break;
    distance[v] = mine = least;
  }
}

// Colours on a graph: each vertex takes the first that no neighbour has, and looks again until no smaller vertex has it.
__global__ void color_first_fit(const int* __restrict__ rows, const int* __restrict__ cols, volatile int* color, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  bool again = true;
  while (again) {
    ull taken = 0;
    for (int e = rows[v]; e < rows[v + 1]; ++e) taken |= 1ull << color[cols[e]];
    const int mine = __ffsll(~taken >> 1);
    color[v] = mine;
    again = false;
    for (int e = rows[v]; e < rows[v + 1]; ++e) again |= cols[e] < v && color[cols[e]] == mine;
  }
}

// Sums of doubles in a few bins by compare-and-swap.
__global__ void add_double_by_cas(const uint* __restrict__ keys, ull* sums, int bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    ull* const sum = sums + keys[i] % bins;
    ull old = *sum, assumed;
    do {
      assumed = old;
      old = atomicCAS(sum, assumed, __double_as_longlong(__longlong_as_double(assumed) + 1.5));
    } while (old != assumed);
  }
}

// Keys go to a table that becomes nine tenths full.
__global__ void insert_distinct(const uint* __restrict__ keys, uint* table, uint mask, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint key = keys[i];
  uint slot = key * 2654435769u & mask;
  for (;;) {
    const uint old = atomicCAS(&table[slot], 0u, key);
    if (old == 0 || old == key) break;
    slot = (slot + 1) & mask;
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  int* out = zeros<int>(1 << 21);
  const uint* words = on_device<uint>(1 << 20, hashed);

  std::vector<int2> edges(132 * 4096);
  for (uint32_t i = 0; i < edges.size(); ++i) edges[i] = make_int2(int(hashed(2 * i) % 2048), int(hashed(2 * i + 1) % 2048));
  const int2* edges_d = on_device(edges);
  run("union_runs_2000", [&] { union_runs<<<132, 512>>>(edges_d, out, 2000); });
  run("union_runs_4000", [&] { union_runs<<<132, 1024>>>(edges_d, out, 4000); });

  // Areas of a few dozen pixels, and some that wind through the whole image.
  std::vector<unsigned char> area(1024 * 1024);
  for (uint32_t i = 0; i < area.size(); ++i) {
    const uint32_t x = i % 1024, y = i / 1024;
    area[i] = hashed(x / 7 + y / 5 * 1024) % 3 == 0 ? 1 : x % 16 < 3 || y % 32 < 4 ? 2 : hashed(i) % 9 == 0 ? 3 : 4;
  }
  const unsigned char* area_d = on_device(area);
  run("flood_labels", [&] { flood_labels<<<dim3(16, 16), dim3(32, 32)>>>(area_d, out, 1024); });
  run("insert_keys_2000", [&] { insert_keys<<<264, 256>>>(words, (uint*)out, 2000); });
  run("insert_keys_3600", [&] { insert_keys<<<264, 256>>>(words, (uint*)out, 3600); });

  // Chains of 1 to 64 pointers, whose members lie anywhere.
  const int n = 1 << 18;
  std::vector<int> place(n), next(n);
  for (int i = 0; i < n; ++i) place[i] = i;
  for (int i = n - 1; i > 0; --i) std::swap(place[i], place[hashed(i) % (i + 1)]);
  for (int i = 0, left = 0; i < n; ++i) {
    const bool begins = left == 0;
    if (begins) left = 1 + int(hashed(i + 17) % 64);
    next[place[i]] = begins ? place[i] : place[i - 1];
    --left;
  }
  int* chains = on_device(next);
  run("shortcut_chains", [&] { shortcut_chains<<<n / 256, 256>>>(chains, n); });
  int* paths = on_device(next);
  run("halve_paths", [&] { halve_paths<<<n / 256, 256>>>(paths, n); });

  std::vector<int> own(1024 * 1024);
  for (int i = 0; i < int(own.size()); ++i) own[i] = i;
  int *pixels = on_device(own), *more_pixels = on_device(own);
  run("hook_pixels_512", [&] { hook_pixels<<<dim3(16, 64), dim3(32, 8)>>>(area_d, pixels, 512, 512); });
  run("hook_pixels_1024", [&] { hook_pixels<<<dim3(32, 128), dim3(32, 8)>>>(area_d, more_pixels, 1024, 1024); });

  // A graph: a ring of 2^16 vertices with a few chords each.
  const int vertices = 1 << 16;
  std::vector<std::vector<int>> adjacent(vertices);
  const auto join = [&](int a, int b) {
    if (a != b) adjacent[a].push_back(b), adjacent[b].push_back(a);
  };
  for (int v = 0; v < vertices; ++v) {
    join(v, (v + 1) % vertices);
    for (uint32_t k = 0; k < hashed(v) % 4; ++k) join(v, int(hashed(v * 4 + k) % vertices));
  }
  std::vector<int> rows(vertices + 1), cols, weights, distance(vertices, 1 << 28);
  for (int v = 0; v < vertices; ++v) {
    for (int u : adjacent[v]) cols.push_back(u), weights.push_back(1 + int(hashed(uint32_t(u) * 31 + v) % 20));
    rows[v + 1] = int(cols.size());
  }
  for (int v = 0; v < vertices; v += 97) distance[v] = int(hashed(v) % 50);
  const int *rows_d = on_device(rows), *cols_d = on_device(cols), *weights_d = on_device(weights);
  int* distance_d = on_device(distance);
  run("settle_distances", [&] { settle_distances<<<vertices / 128, 128>>>(rows_d, cols_d, weights_d, distance_d, vertices); });
  int* color = zeros<int>(vertices);
  run("color_first_fit", [&] { color_first_fit<<<vertices / 128, 128>>>(rows_d, cols_d, color, vertices); });

  ull* sums = zeros<ull>(1 << 16);
  run("add_double_by_cas_1024", [&] { add_double_by_cas<<<132, 128>>>(words, sums, 1024, 1 << 16); });
  run("add_double_by_cas_32768", [&] { add_double_by_cas<<<264, 256>>>(words, sums + 1024, 32768, 1 << 18); });
  std::vector<uint> distinct(1 << 18);
  for (uint32_t i = 0; i < distinct.size(); ++i) distinct[i] = hashed(i + 1);
  uint* table = zeros<uint>(1 << 18);
  const uint* distinct_d = on_device(distinct);
  const int nine_tenths = (1 << 18) / 10 * 9;
  run("insert_distinct", [&] { insert_distinct<<<(nine_tenths + 255) / 256, 256>>>(distinct_d, table, (1u << 18) - 1, nine_tenths); });
  return 0;
}
