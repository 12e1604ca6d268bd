// Kernels on arrays, keys and graphs in the forms of public repositories: reductions, scans, sorts, frontiers, hashes.
#include <cooperative_groups.h>

#include "cases.h"

namespace cg = cooperative_groups;
typedef unsigned long long ull;

// Two loads a step, a tree in shared memory, the last warp by shuffles.
template <typename T, unsigned int blockSize, bool nIsPow2>
__global__ void reduce6(const T* __restrict__ g_idata, T* __restrict__ g_odata, unsigned int n) {
  extern __shared__ __align__(8) char raw[];
  T* sdata = reinterpret_cast<T*>(raw);
  unsigned int tid = threadIdx.x, gridSize = blockSize * 2 * gridDim.x;
  unsigned int i = blockIdx.x * blockSize * 2 + threadIdx.x;
  T mySum = 0;
  while (i < n) {
    mySum += g_idata[i];
    if (nIsPow2 || i + blockSize < n) mySum += g_idata[i + blockSize];
    i += gridSize;
  }
  sdata[tid] = mySum;
  __syncthreads();
  if (blockSize >= 512 && tid < 256) sdata[tid] = mySum = mySum + sdata[tid + 256];
  __syncthreads();
  if (blockSize >= 256 && tid < 128) sdata[tid] = mySum = mySum + sdata[tid + 128];
  __syncthreads();
  if (blockSize >= 128 && tid < 64) sdata[tid] = mySum = mySum + sdata[tid + 64];
  __syncthreads();
  if (tid < 32) {
    if (blockSize >= 64) mySum += sdata[tid + 32];
    for (int offset = 16; offset > 0; offset /= 2) mySum += __shfl_down_sync(0xffffffff, mySum, offset);
  }
  if (tid == 0) g_odata[blockIdx.x] = mySum;
}

// One launch: the last block to finish sums what the others have left.
__global__ void reduce_single_pass(const float* g_idata, volatile float* partial, float* result, unsigned int* retired, int n) {
  __shared__ float smem[256];
  __shared__ bool amLast;
  float sum = 0.f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) sum += g_idata[i];
  smem[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 1; s < 256; s *= 2) {
    int index = 2 * s * threadIdx.x;
    if (index < 256) smem[index] += smem[index + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = smem[0];
    __threadfence();
    amLast = atomicInc(retired, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (amLast) {
    float all = 0.f;
    for (int i = threadIdx.x; i < gridDim.x; i += 256) all += partial[i];
    smem[threadIdx.x] = all;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
      if (threadIdx.x < s) smem[threadIdx.x] += smem[threadIdx.x + s];
      __syncthreads();
    }
    if (threadIdx.x == 0) *result = smem[0], *retired = 0;
  }
}

// Decoupled look-back: 1024 items a block; status in the upper half of a word.
__global__ void scan_lookback(const unsigned int* __restrict__ in, unsigned int* __restrict__ out, ull* state, unsigned int* ticket) {
  __shared__ unsigned int s_tile, warp_sum[8], s_prefix;
  if (threadIdx.x == 0) s_tile = atomicAdd(ticket, 1u);
  __syncthreads();
  const unsigned int tile = s_tile, lane = threadIdx.x & 31, wid = threadIdx.x >> 5, base = tile * 1024 + threadIdx.x * 4;
  unsigned int v[4], sum = 0;
  for (int i = 0; i < 4; i++) v[i] = in[base + i] & 0xff, sum += v[i];
  unsigned int incl = sum;
  for (int d = 1; d < 32; d <<= 1) {
    unsigned int t = __shfl_up_sync(~0u, incl, d);
    if (lane >= d) incl += t;
  }
  if (lane == 31) warp_sum[wid] = incl;
  __syncthreads();
  unsigned int before = 0, total = 0;
  for (int w = 0; w < 8; w++) {
    if (w < wid) before += warp_sum[w];
    total += warp_sum[w];
  }
  if (threadIdx.x == 0) {
    unsigned int prefix = 0;
    if (tile == 0) {
      atomicExch(&state[0], (2ull << 32) | total);
    } else {
      atomicExch(&state[tile], (1ull << 32) | total);
      int look = tile - 1;
      while (true) {
        ull s = atomicAdd(&state[look], 0ull);
        if ((s >> 32) == 0) continue;
        prefix += (unsigned int)s;
        if ((s >> 32) == 2) break;
        look--;
      }
      atomicExch(&state[tile], (2ull << 32) | (prefix + total));
    }
    s_prefix = prefix;
  }
  __syncthreads();
  unsigned int run = s_prefix + before + incl - sum;
  for (int i = 0; i < 4; i++) out[base + i] = run, run += v[i];
}

// Work-efficient scan of 512 numbers a block, with padding against bank conflicts.
#define CONFLICT_FREE_OFFSET(n) ((n) >> 5)
__global__ void prescan_blelloch(float* g_odata, const float* g_idata, int n) {
  __shared__ float temp[512 + 16];
  int thid = threadIdx.x, offset = 1;
  g_idata += (size_t)blockIdx.x * n, g_odata += (size_t)blockIdx.x * n;
  int ai = thid, bi = thid + n / 2;
  int bankOffsetA = CONFLICT_FREE_OFFSET(ai), bankOffsetB = CONFLICT_FREE_OFFSET(bi);
  temp[ai + bankOffsetA] = g_idata[ai];
  temp[bi + bankOffsetB] = g_idata[bi];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
      ai += CONFLICT_FREE_OFFSET(ai);
      bi += CONFLICT_FREE_OFFSET(bi);
      temp[bi] += temp[ai];
    }
    offset *= 2;
  }
  if (thid == 0) temp[n - 1 + CONFLICT_FREE_OFFSET(n - 1)] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
      ai += CONFLICT_FREE_OFFSET(ai);
      bi += CONFLICT_FREE_OFFSET(bi);
      float t = temp[ai];
      temp[ai] = temp[bi];
      temp[bi] += t;
    }
  }
  __syncthreads();
  g_odata[ai] = temp[ai + bankOffsetA];
  g_odata[bi] = temp[bi + bankOffsetB];
}

// Stream compaction with an atomic for the lanes that keep something.
__device__ int atomicAggInc(int* ctr) {
  auto g = cg::coalesced_threads();
  int warp_res = 0;
  if (g.thread_rank() == 0) warp_res = atomicAdd(ctr, g.size());
  return g.shfl(warp_res, 0) + g.thread_rank();
}
__global__ void filter_k(int* dst, int* nres, const int* src, int n, int mask) {
  int id = threadIdx.x + blockIdx.x * blockDim.x;
  if (id >= n) return;
  if ((src[id] & mask) == 0) dst[atomicAggInc(nres)] = src[id];
}

// 64 bins, byte counters a thread, no atomics.
__global__ void histogram64(unsigned int* partial, const uchar4* data, int count4) {
  __shared__ unsigned char s_hist[64 * 64];
  for (int i = 0; i < 16; i++) ((unsigned int*)s_hist)[threadIdx.x + i * 64] = 0;
  __syncthreads();
  unsigned char* s_thread = s_hist + ((threadIdx.x & ~63) | ((threadIdx.x & 15) << 2) | ((threadIdx.x & 0x30) >> 4));
  for (int pos = blockIdx.x * blockDim.x + threadIdx.x; pos < count4; pos += blockDim.x * gridDim.x) {
    uchar4 d = data[pos];
    s_thread[(d.x >> 2) * 64]++;
    s_thread[(d.y >> 2) * 64]++;
    s_thread[(d.z >> 2) * 64]++;
    s_thread[(d.w >> 2) * 64]++;
  }
  __syncthreads();
  const unsigned char* row = s_hist + threadIdx.x * 64;
  unsigned int sum = 0;
  for (int i = 0, pos = threadIdx.x & 63; i < 64; i++) {
    sum += row[pos];
    if (++pos == 64) pos = 0;
  }
  partial[blockIdx.x * 64 + threadIdx.x] = sum;
}

// Batcher's odd-even merge sort of 1024 pairs in shared memory.
__device__ inline void comparator(unsigned int& keyA, unsigned int& valA, unsigned int& keyB, unsigned int& valB, unsigned int dir) {
  unsigned int t;
  if ((keyA > keyB) == dir) {
    t = keyA, keyA = keyB, keyB = t;
    t = valA, valA = valB, valB = t;
  }
}
__global__ void odd_even_merge_shared(unsigned int* d_Key, unsigned int* d_Val, unsigned int arrayLength, unsigned int dir) {
  cg::thread_block cta = cg::this_thread_block();
  __shared__ unsigned int s_key[1024];
  __shared__ unsigned int s_val[1024];
  d_Key += blockIdx.x * 1024 + threadIdx.x;
  d_Val += blockIdx.x * 1024 + threadIdx.x;
  s_key[threadIdx.x] = d_Key[0];
  s_val[threadIdx.x] = d_Val[0];
  s_key[threadIdx.x + 512] = d_Key[512];
  s_val[threadIdx.x + 512] = d_Val[512];
  for (unsigned int size = 2; size <= arrayLength; size <<= 1) {
    unsigned int stride = size / 2, offset = threadIdx.x & (stride - 1);
    cg::sync(cta);
    unsigned int pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
    comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], dir);
    stride >>= 1;
    for (; stride > 0; stride >>= 1) {
      cg::sync(cta);
      unsigned int pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      if (offset >= stride) comparator(s_key[pos - stride], s_val[pos - stride], s_key[pos], s_val[pos], dir);
    }
  }
  cg::sync(cta);
  d_Key[0] = s_key[threadIdx.x];
  d_Val[0] = s_val[threadIdx.x];
  d_Key[512] = s_key[threadIdx.x + 512];
  d_Val[512] = s_val[threadIdx.x + 512];
}

// A thread merges two sorted runs of `width` each.
__global__ void merge_runs(long* source, long* dest, long size, long width) {
  long idx = blockIdx.x * blockDim.x + threadIdx.x, start = width * idx * 2;
  if (start >= size) return;
  long middle = min(start + width, size), end = min(start + 2 * width, size), i = start, j = middle;
  for (long k = start; k < end; k++) {
    if (i < middle && (j >= end || source[i] < source[j]))
      dest[k] = source[i++];
    else
      dest[k] = source[j++];
  }
}

// Rodinia's breadth-first search: masks instead of queues.
struct Node {
  int starting, no_of_edges;
};
__global__ void bfs_masks(const Node* g_graph_nodes, int* g_graph_edges, bool* g_graph_mask, bool* g_updating, bool* g_visited,
                          int* g_cost, int no_of_nodes) {
  int tid = blockIdx.x * 512 + threadIdx.x;
  if (tid < no_of_nodes && g_graph_mask[tid]) {
    g_graph_mask[tid] = false;
    for (int i = g_graph_nodes[tid].starting; i < (g_graph_nodes[tid].no_of_edges + g_graph_nodes[tid].starting); i++) {
      int id = g_graph_edges[i];
      if (!g_visited[id]) {
        g_cost[id] = g_cost[tid] + 1;
        g_updating[id] = true;
      }
    }
  }
}
__global__ void pagerank_pull(const int* row, const int* col, const float* contrib, float* next, float damping, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) {
    float sum = 0;
    for (int e = row[v]; e < row[v + 1]; e++) sum += contrib[col[e]];
    next[v] = (1 - damping) / n + damping * sum;
  }
}
// Union-find with path halving: an edge a thread.
__device__ int representative(int idx, int* nstat) {
  int curr = nstat[idx];
  if (curr != idx) {
    int next, prev = idx;
    while (curr > (next = nstat[curr])) {
      nstat[prev] = next;
      prev = curr;
      curr = next;
    }
  }
  return curr;
}
__global__ void union_edges(const int2* __restrict__ edges, int* nstat, int m) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < m; e += gridDim.x * blockDim.x) {
    int u = representative(edges[e].x, nstat), v = representative(edges[e].y, nstat);
    bool repeat;
    do {
      repeat = false;
      if (u != v) {
        int ret;
        if (u < v) {
          if ((ret = atomicCAS(&nstat[v], v, u)) != v) v = ret, repeat = true;
        } else {
          if ((ret = atomicCAS(&nstat[u], u, v)) != u) u = ret, repeat = true;
        }
      }
    } while (repeat);
  }
}
// Sums by 64-bit keys in a table with open addresses.
__global__ void group_by(const ull* keys, const unsigned int* values, ull* table_keys, unsigned int* table_sums, size_t n, ull capacity) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x) {
    ull key = keys[i] % 5000 + 1, slot = (key * 0x9E3779B97F4A7C15ull) % capacity;
    while (true) {
      ull old = atomicCAS(&table_keys[slot], 0ull, key);
      if (old == 0 || old == key) {
        atomicAdd(&table_sums[slot], values[i]);
        break;
      }
      slot = (slot + 1) % capacity;
    }
  }
}
// CSR with a few lanes a row.
template <int LANES>
__global__ void spmv_csr_subwarp(int rows, const int* __restrict__ ptr, const int* __restrict__ col, const double* __restrict__ val,
                                 const double* __restrict__ x, double* __restrict__ y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
  double sum = 0;
  if (row < rows)
    for (int k = ptr[row] + lane; k < ptr[row + 1]; k += LANES) sum += val[k] * __ldg(&x[col[k]]);
  for (int d = LANES / 2; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d, LANES);
  if (row < rows && lane == 0) y[row] = sum;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const size_t most = 1 << 22;
  uint32_t* bits = on_device<uint32_t>(most, hashed);
  uint32_t* more = zeros<uint32_t>(most);
  float* x = on_device<float>(most, fraction);
  float* y = zeros<float>(most);
  double* dx = on_device<double>(1 << 21, [](uint32_t i) { return double(fraction(i)); });
  double* dy = zeros<double>(1 << 16);
  const auto ints = [](void* p) { return reinterpret_cast<int*>(p); };

  run("reduce6_float", [&] { reduce6<float, 256, true><<<64, 256, 1024>>>(x, y, 1 << 18); });
  run("reduce6_double", [&] { reduce6<double, 512, false><<<2000, 512, 4096>>>(dx, (double*)y, 2000000); });
  unsigned int* counter = zeros<unsigned int>(4);
  run("reduce_single_pass", [&] { reduce_single_pass<<<528, 256>>>(x, y, y + 4096, counter, 1 << 21); });
  ull* state = zeros<ull>(1 << 16);
  run("scan_lookback", [&] {
    scan_lookback<<<512, 256>>>(bits, more, state, counter + 1);
  });
  for (int n : {16, 4096}) run(sized("prescan_blelloch", n), [&] { prescan_blelloch<<<n, 256>>>(y, x, 512); });
  run("filter_k_half", [&] { filter_k<<<4096, 256>>>(ints(more), ints(counter) + 2, ints(bits), 1 << 20, 1); });
  run("filter_k_rare", [&] { filter_k<<<1024, 256>>>(ints(more), ints(counter) + 3, ints(bits), 1 << 18, 63); });
  run("histogram64", [&] { histogram64<<<528, 64>>>(more, (uchar4*)bits, 1 << 20); });
  uint32_t *keys = on_device<uint32_t>(1 << 20, hashed), *values = on_device<uint32_t>(1 << 20, hashed);
  for (int n : {8, 512}) run(sized("odd_even_merge_shared", n), [&] { odd_even_merge_shared<<<n, 512>>>(keys, values, 1024, 1); });
  std::vector<long> runs(1 << 19);
  for (size_t i = 0; i < runs.size(); ++i) runs[i] = long(i % 32) * 1000 + long(hashed(uint32_t(i)) % 1000u);
  long *source = on_device(runs), *dest = zeros<long>(1 << 19);
  run("merge_runs", [&] { merge_runs<<<64, 128>>>(source, dest, 1 << 19, 32); });

  const int n = 65536;
  std::vector<int> row(n + 1), col;
  std::vector<Node> nodes(n);
  for (int v = 0; v < n; ++v) {
    nodes[v] = {int(col.size()), int(2 + hashed(uint32_t(v)) % 14u)};
    for (uint32_t i = 0; i < uint32_t(nodes[v].no_of_edges); ++i) col.push_back(int(hashed(uint32_t(v) * 61u + i) % uint32_t(n)));
    row[v + 1] = int(col.size());
  }
  std::vector<unsigned char> mask(n);
  for (int v = 0; v < n; ++v) mask[v] = hashed(uint32_t(v) + 5u) % 6 == 0;
  const Node* graph = on_device(nodes);
  int *rows = on_device(row), *cols = on_device(col);
  bool *frontier = (bool*)on_device(mask), *visited = (bool*)on_device(mask), *updating = (bool*)zeros<unsigned char>(n);
  run("bfs_masks", [&] { bfs_masks<<<128, 512>>>(graph, cols, frontier, updating, visited, ints(y), n); });
  run("pagerank_pull", [&] { pagerank_pull<<<256, 256>>>(rows, cols, x, y, 0.85f, n); });
  std::vector<int2> edge(1 << 17);
  for (uint32_t e = 0; e < edge.size(); ++e) edge[e] = {int(hashed(e) % 65536u), int(hashed(e + 999983u) % 65536u)};
  int2* edges = on_device(edge);
  int* parent = on_device<int>(n, [](uint32_t i) { return int(i); });
  run("union_edges", [&] { union_edges<<<256, 128>>>(edges, parent, 1 << 17); });
  ull* table = zeros<ull>(1 << 14);
  run("group_by", [&] { group_by<<<132, 256>>>((ull*)bits, bits, table, more, 1 << 18, 12289ull); });
  run("spmv_csr_subwarp_4", [&] { spmv_csr_subwarp<4><<<1024, 256>>>(n, rows, cols, dx, dx, dy); });
  run("spmv_csr_subwarp_16", [&] { spmv_csr_subwarp<16><<<512, 128>>>(4096, rows, cols, dx, dx, dy); });
  return 0;
}
