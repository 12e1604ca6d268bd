// Kernels on data and graphs in forms that no other file here has: splits by ballots, joins, text, segments, runs, edges, intersections, shortest paths.
#include "cases.h"

// A block sorts 1024 keys by 4 bits in four splits, ranks by ballots.
__global__ void split_by_ballot(const unsigned* in, unsigned* out, int shift) {
  __shared__ unsigned keys[1024];
  __shared__ int zeros_of[32];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  unsigned key = in[blockIdx.x * 1024 + t];
  for (int bit = shift; bit < shift + 4; ++bit) {
    const bool one = key >> bit & 1;
    const unsigned ones = __ballot_sync(0xffffffffu, one);
    if (lane == 0) zeros_of[warp] = 32 - __popc(ones);
    __syncthreads();
    if (warp == 0) {
      int v = zeros_of[lane], sum = v;
      for (int d = 1; d < 32; d *= 2) {
        const int o = __shfl_up_sync(0xffffffffu, sum, d);
        if (lane >= d) sum += o;
      }
      zeros_of[lane] = sum;
    }
    __syncthreads();
    const int before = warp == 0 ? 0 : zeros_of[warp - 1], all = zeros_of[31];
    const int ones_here = __popc(ones & ((1u << lane) - 1)), zeros_here = lane - ones_here;
    const int place = one ? all + (warp * 32 - before) + ones_here : before + zeros_here;
    keys[place] = key;
    __syncthreads();
    key = keys[t];
  }
  out[blockIdx.x * 1024 + t] = key;
}

// Exclusive scan of four numbers a thread, 256 threads, by shuffles.
__global__ void scan_int4_shuffle(const int4* in, int4* out, int* totals) {
  __shared__ int sums[8];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, i = blockIdx.x * 256 + t;
  const int4 v = in[i];
  const int mine = v.x + v.y + v.z + v.w;
  int s = mine;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const int o = __shfl_up_sync(0xffffffffu, s, d);
    if (lane >= d) s += o;
  }
  if (lane == 31) sums[warp] = s;
  __syncthreads();
  int base = 0;
  for (int w = 0; w < warp; ++w) base += sums[w];
  const int e = base + s - mine;
  out[i] = make_int4(e, e + v.x, e + v.x + v.y, e + v.x + v.y + v.z);
  if (t == 255) totals[blockIdx.x] = base + s;
}

// 256 bins, a table a warp, merged at the end.
__global__ void histogram_per_warp(const uchar4* in, unsigned* out, int n4) {
  __shared__ unsigned bins[8][256];
  for (int i = threadIdx.x; i < 8 * 256; i += blockDim.x) ((unsigned*)bins)[i] = 0;
  __syncthreads();
  unsigned* mine = bins[threadIdx.x / 32];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    const uchar4 v = in[i];
    atomicAdd(&mine[v.x], 1u);
    atomicAdd(&mine[v.y], 1u);
    atomicAdd(&mine[v.z], 1u);
    atomicAdd(&mine[v.w], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) {
    unsigned s = 0;
    for (int w = 0; w < 8; ++w) s += bins[w][b];
    atomicAdd(&out[b], s);
  }
}

// Probe of a join: linear probing, matches are written through a counter a block.
__global__ void join_probe(const uint2* __restrict__ table, unsigned mask, const unsigned* __restrict__ keys, uint2* out, unsigned* count, int n) {
  __shared__ unsigned found, base;
  for (int first = blockIdx.x * blockDim.x; first < n; first += gridDim.x * blockDim.x) {
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    const int i = first + threadIdx.x;
    unsigned place = ~0u, value = 0;
    if (i < n) {
      const unsigned key = keys[i];
      for (unsigned at = key * 2654435761u & mask;; at = (at + 1) & mask) {
        const uint2 e = table[at];
        if (e.x == key) {
          value = e.y;
          place = atomicAdd(&found, 1u);
          break;
        }
        if (e.x == ~0u) break;
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(count, found);
    __syncthreads();
    if (place != ~0u) out[base + place] = make_uint2(i, value);
  }
}

// Starts of words in text, 16 bytes a thread, summed over the block.
__global__ void count_words(const uint4* text, unsigned* words, int n) {
  unsigned c = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uint4 v = text[i];
    unsigned before = i == 0 ? 32 : ((const unsigned char*)text)[i * 16 - 1];
    const unsigned w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const unsigned ch = w[k / 4] >> (k % 4 * 8) & 255;
      const bool space = ch <= 32 || ch > 240, was = before <= 32 || before > 240;
      c += !space && was;
      before = ch;
    }
  }
  for (int d = 16; d > 0; d >>= 1) c += __shfl_down_sync(0xffffffffu, c, d);
  if (threadIdx.x % 32 == 0) atomicAdd(words, c);
}

// Segmented sums by flags, a warp scan and a carry a block.
__global__ void segmented_scan(const float* x, const unsigned char* heads, float* y) {
  __shared__ float tail[32];
  __shared__ int open_[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = x[i];
  int f = heads[i] < 40;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const float o = __shfl_up_sync(0xffffffffu, v, d);
    const int of = __shfl_up_sync(0xffffffffu, f, d);
    if (lane >= d && !f) v += o;
    if (lane >= d) f |= of;
  }
  if (lane == 31) tail[warp] = v, open_[warp] = f;
  __syncthreads();
  if (threadIdx.x < 32) {
    float tv = tail[lane];
    int tf = open_[lane];
    for (int d = 1; d < 32; d *= 2) {
      const float o = __shfl_up_sync(0xffffffffu, tv, d);
      const int of = __shfl_up_sync(0xffffffffu, tf, d);
      if (lane >= d && !tf) tv += o;
      if (lane >= d) tf |= of;
    }
    tail[lane] = tv;
  }
  __syncthreads();
  if (warp > 0 && !f) v += tail[warp - 1];
  y[i] = v;
}

// One relaxation of all edges of a graph in rows (Bellman and Ford).
__global__ void relax_edges(const int* __restrict__ rows, const int* __restrict__ cols, const int* __restrict__ weights, int* dist, int* changed, int n) {
  const int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= n) return;
  const int d = dist[u];
  if (d > 1 << 29) return;
  for (int j = rows[u]; j < rows[u + 1]; ++j) {
    const int v = cols[j], nd = d + weights[j];
    if (nd < dist[v]) {
      atomicMin(&dist[v], nd);
      *changed = 1;
    }
  }
}

// Common neighbours of each edge's ends: a thread merges two sorted lists.
__global__ void count_triangles(const int* __restrict__ rows, const int* __restrict__ cols, const int2* __restrict__ edges, unsigned long long* total, int m) {
  unsigned c = 0;
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < m; e += gridDim.x * blockDim.x) {
    const int2 uv = edges[e];
    int i = rows[uv.x], j = rows[uv.y];
    const int iend = rows[uv.x + 1], jend = rows[uv.y + 1];
    while (i < iend && j < jend) {
      const int a = cols[i], b = cols[j];
      c += a == b;
      i += a <= b;
      j += b <= a;
    }
  }
  for (int d = 16; d > 0; d >>= 1) c += __shfl_down_sync(0xffffffffu, c, d);
  if (threadIdx.x % 32 == 0 && c != 0) atomicAdd(total, (unsigned long long)c);
}

// Frontier of a search, an edge a thread by binary search of the frontier's prefix sums.
__global__ void expand_by_edges(const int* __restrict__ prefix, const int* __restrict__ frontier, int size, const int* __restrict__ rows, const int* __restrict__ cols, int* level, int* next, int* count, int edges, int depth) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  int lo = 0, hi = size - 1;
  while (lo < hi) {
    const int mid = (lo + hi + 1) / 2;
    if (prefix[mid] <= e)
      lo = mid;
    else
      hi = mid - 1;
  }
  const int v = cols[rows[frontier[lo]] + e - prefix[lo]];
  if (level[v] < 0 && atomicCAS(&level[v], -1, depth) == -1) next[atomicAdd(count, 1)] = v;
}

// Pointers jump to the root, and a flag says whether any moved.
__global__ void jump_pointers(int* parent, int* moved, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int p = parent[i], g = parent[p];
  while (p != g) {
    parent[i] = g;
    p = g;
    g = parent[p];
    *moved = 1;
  }
}

// A pass of a bitonic sort in global memory.
__global__ void bitonic_global(unsigned* keys, unsigned* values, int j, int k) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = 2 * t - (t & (j - 1)), o = i + j;
  const unsigned a = keys[i], b = keys[o];
  if ((a > b) == ((i & k) == 0)) {
    keys[i] = b, keys[o] = a;
    const unsigned v = values[i];
    values[i] = values[o], values[o] = v;
  }
}

// Lengths of runs: a warp looks for the next head.
__global__ void run_lengths(const unsigned char* x, unsigned short* length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned char v = x[i] >> 6;
  if (i > 0 && x[i - 1] >> 6 == v) {
    length[i] = 0;
    return;
  }
  int j = i + 1;
  while (j < n && x[j] >> 6 == v) ++j;
  length[i] = (unsigned short)(j - i);
}

// Cuckoo look-up: two places, keys of 64 bits.
__global__ void cuckoo_lookup(const unsigned long long* __restrict__ table, unsigned size, const unsigned long long* __restrict__ keys, unsigned char* hit, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned long long k = keys[i];
  const unsigned h1 = unsigned(k * 0x9e3779b97f4a7c15ull >> 32) % size, h2 = unsigned((k ^ k >> 33) * 0xff51afd7ed558ccdull >> 32) % size;
  bool found = table[h1] == k;
  if (!found) found = table[h2] == k;
  hit[i] = found;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const unsigned* a = on_device<uint32_t>(1 << 22, hashed);
  unsigned* b = on_device<uint32_t>(1 << 22, hashed);
  unsigned* c = zeros<unsigned>(1 << 23);
  run("split_by_ballot", [&] { split_by_ballot<<<1024, 1024>>>(a, c, 8); });
  run("scan_int4_shuffle", [&] { scan_int4_shuffle<<<2048, 256>>>((const int4*)a, (int4*)c, (int*)c + (1 << 22)); });
  run("histogram_per_warp", [&] { histogram_per_warp<<<264, 256>>>((const uchar4*)a, c, 1 << 21); });
  std::vector<uint2> table(1 << 17, uint2{~0u, 0});
  std::vector<unsigned> keys(1 << 18);
  for (uint32_t i = 0; i < keys.size(); ++i) keys[i] = hashed(i % 100000 * 2) & 0x7fffffff;
  for (uint32_t i = 0; i < 60000; ++i) {
    unsigned at = (hashed(i * 2) & 0x7fffffff) * 2654435761u & 0x1ffff;
    while (table[at].x != ~0u) at = (at + 1) & 0x1ffff;
    table[at] = uint2{hashed(i * 2) & 0x7fffffff, i};
  }
  const uint2* tab = on_device(table);
  const unsigned* key = on_device(keys);
  unsigned* found = zeros<unsigned>(1);
  run("join_probe", [&] { join_probe<<<264, 256>>>(tab, 0x1ffff, key, (uint2*)c, found, 1 << 18); });
  run("count_words", [&] { count_words<<<528, 256>>>((const uint4*)a, c, 1 << 20); });
  run("segmented_scan_256", [&] { segmented_scan<<<4096, 256>>>((const float*)a, (const unsigned char*)b, (float*)c); });
  run("segmented_scan_1024", [&] { segmented_scan<<<512, 1024>>>((const float*)a, (const unsigned char*)b, (float*)c); });
  const int n = 65536;
  std::vector<int> rows(n + 1), cols, weights, dist(n), prefix, frontier;
  std::vector<int2> edges;
  for (int u = 0; u < n; ++u) {
    rows[u] = int(cols.size());
    const int degree = 2 + hashed(u) % 6 + (hashed(u * 7) % 64 == 0 ? 60 : 0);
    std::vector<int> mine;
    for (int k = 0; k < degree; ++k) mine.push_back(int(hashed(u) % 3 ? (u + hashed(u * 97 + k) % 1000) % n : hashed(u * 131 + k) % n));
    std::sort(mine.begin(), mine.end());
    for (int v : mine) cols.push_back(v), weights.push_back(1 + int(hashed(uint32_t(cols.size())) % 20)), edges.push_back(int2{u, v});
    dist[u] = hashed(u * 3) % 4 ? 1 << 30 : int(hashed(u) % 100);
  }
  rows[n] = int(cols.size());
  int sum = 0;
  for (int u = 0; u < n; u += 5) frontier.push_back(u), prefix.push_back(sum), sum += rows[u + 1] - rows[u];
  const int *row = on_device(rows), *col = on_device(cols), *weight = on_device(weights), *pre = on_device(prefix), *front = on_device(frontier);
  const int2* edge = on_device(edges);
  int* distance = on_device(dist);
  run("relax_edges", [&] { relax_edges<<<n / 256, 256>>>(row, col, weight, distance, (int*)c, n); });
  run("count_triangles", [&] { count_triangles<<<528, 128>>>(row, col, edge, (unsigned long long*)c, int(edges.size())); });
  int* next = zeros<int>(1);
  int* level = on_device<int>(n, [](uint32_t i) { return hashed(i) % 3 ? -1 : 0; });
  run("expand_by_edges", [&] { expand_by_edges<<<(sum + 255) / 256, 256>>>(pre, front, int(frontier.size()), row, col, level, (int*)c, next, sum, 1); });
  int* parent = on_device<int>(1 << 18, [](uint32_t i) { return int(i == 0 ? 0 : i - 1 - hashed(i) % std::min<uint32_t>(i, 50000)); });
  run("jump_pointers", [&] { jump_pointers<<<1024, 256>>>(parent, (int*)c, 1 << 18); });
  run("bitonic_global_1", [&] { bitonic_global<<<2048, 256>>>(b, c, 1, 1 << 20); });
  run("bitonic_global_65536", [&] { bitonic_global<<<2048, 256>>>(b, c, 65536, 1 << 20); });
  run("run_lengths", [&] { run_lengths<<<4096, 256>>>((const unsigned char*)a, (unsigned short*)c, 1 << 20); });
  run("cuckoo_lookup", [&] { cuckoo_lookup<<<1024, 256>>>((const unsigned long long*)a, 1000003, (const unsigned long long*)a + 5000, (unsigned char*)c, 1 << 18); });
  return 0;
}
