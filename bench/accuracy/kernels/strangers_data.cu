// Kernels on arrays, graphs, keys and bytes in the forms in which others write them. Written and recorded after the model.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "cases.h"

namespace cg = cooperative_groups;

// Exclusive sums: four items a thread, warps by shuffles, a block's total for the next level.
__global__ void scan_blocks_of_four(const int4* __restrict__ in, int4* __restrict__ out, int* __restrict__ totals, int n4) {
  __shared__ int warp_sums[32];
  const int gid = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
  int4 v = gid < n4 ? in[gid] : make_int4(0, 0, 0, 0);
  const int sum = v.x + v.y + v.z + v.w;
  int inclusive = sum;
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    const int up = __shfl_up_sync(0xffffffff, inclusive, offset);
    if (lane >= offset) inclusive += up;
  }
  if (lane == 31) warp_sums[wid] = inclusive;
  __syncthreads();
  if (wid == 0) {
    int w = lane < blockDim.x / 32 ? warp_sums[lane] : 0;
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
      const int up = __shfl_up_sync(0xffffffff, w, offset);
      if (lane >= offset) w += up;
    }
    warp_sums[lane] = w;
  }
  __syncthreads();
  int prefix = inclusive - sum + (wid > 0 ? warp_sums[wid - 1] : 0);
  int4 r;
  r.x = prefix;
  r.y = r.x + v.x;
  r.z = r.y + v.y;
  r.w = r.z + v.z;
  if (gid < n4) out[gid] = r;
  if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = r.w + v.w;
}

__global__ void scan_add_totals(int4* data, const int* __restrict__ offsets, int n4) {
  const int gid = blockIdx.x * blockDim.x + threadIdx.x;
  if (gid >= n4) return;
  const int offset = offsets[blockIdx.x];
  int4 v = data[gid];
  v.x += offset, v.y += offset, v.z += offset, v.w += offset;
  data[gid] = v;
}

// A pass of a radix sort over four bits: ranks in the block by eight ballots, then the scatter.
__global__ void radix_scatter(const uint32_t* __restrict__ keys, const uint32_t* __restrict__ block_offsets,
                              uint32_t* __restrict__ out, int shift, int n) {
  __shared__ uint32_t counts[8][16], starts[16];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, gid = blockIdx.x * 256 + tid;
  if (tid < 128) counts[tid / 16][tid % 16] = 0;
  if (tid < 16) starts[tid] = block_offsets[tid * gridDim.x + blockIdx.x];
  __syncthreads();
  const uint32_t key = gid < n ? keys[gid] : 0xffffffffu, digit = (key >> shift) & 15;
  uint32_t peers = 0xffffffffu;
#pragma unroll
  for (int bit = 0; bit < 4; bit++) {
    const uint32_t set = __ballot_sync(0xffffffffu, (digit >> bit) & 1);
    peers &= (digit >> bit) & 1 ? set : ~set;
  }
  const uint32_t before = __popc(peers & ((1u << lane) - 1));
  if (before == 0) counts[warp][digit] = __popc(peers);
  __syncthreads();
  if (tid < 16) {
    uint32_t sum = starts[tid];
    for (int w = 0; w < 8; w++) {
      const uint32_t c = counts[w][tid];
      counts[w][tid] = sum;
      sum += c;
    }
  }
  __syncthreads();
  if (gid < n) out[counts[warp][digit] + before] = key;
}

// Merge path: each thread finds its diagonal, then merges eight.
__global__ void merge_path(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ out, int na, int nb) {
  const int diag = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (diag >= na + nb) return;
  int lo = max(0, diag - nb), hi = min(diag, na);
  while (lo < hi) {
    const int mid = (lo + hi) >> 1;
    if (a[mid] <= b[diag - 1 - mid])
      lo = mid + 1;
    else
      hi = mid;
  }
  int i = lo, j = diag - lo;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    const bool from_a = j >= nb || (i < na && a[i] <= b[j]);
    out[diag + k] = from_a ? a[i++] : b[j++];
  }
}

// 256 bins, one copy for each of four groups of lanes, 16 bytes a load.
__global__ void histogram_bytes(const uint4* __restrict__ data, unsigned int* __restrict__ bins, int n16) {
  __shared__ unsigned int local[4][257];
  for (int i = threadIdx.x; i < 4 * 257; i += blockDim.x) (&local[0][0])[i] = 0;
  __syncthreads();
  unsigned int* mine = local[threadIdx.x & 3];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n16; i += gridDim.x * blockDim.x) {
    const uint4 v = data[i];
    const unsigned int w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 4; k++) {
      atomicAdd(&mine[w[k] & 0xff], 1);
      atomicAdd(&mine[(w[k] >> 8) & 0xff], 1);
      atomicAdd(&mine[(w[k] >> 16) & 0xff], 1);
      atomicAdd(&mine[w[k] >> 24], 1);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[0][i] + local[1][i] + local[2][i] + local[3][i]);
}

// A level of a breadth-first search with queues; a warp a vertex of the frontier.
__global__ void bfs_queue(const int* __restrict__ row_ptr, const int* __restrict__ col, const int* __restrict__ queue, int count,
                          int* __restrict__ level, int* __restrict__ next, int* __restrict__ next_count, int depth) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (warp >= count) return;
  const int v = queue[warp], end = row_ptr[v + 1];
  for (int e = row_ptr[v] + lane; e < end; e += 32) {
    const int u = col[e];
    if (level[u] == -1 && atomicCAS(&level[u], -1, depth) == -1) next[atomicAdd(next_count, 1)] = u;
  }
}

struct Slot {
  uint32_t key, value;
};
__device__ uint32_t murmur_final(uint32_t k) {
  k ^= k >> 16;
  k *= 0x85ebca6b;
  k ^= k >> 13;
  k *= 0xc2b2ae35;
  k ^= k >> 16;
  return k;
}
__global__ void hash_insert(Slot* table, const uint32_t* __restrict__ keys, int n, uint32_t capacity) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const uint32_t key = keys[id];
  uint32_t slot = murmur_final(key) & (capacity - 1);
  while (true) {
    const uint32_t prev = atomicCAS(&table[slot].key, 0u, key);
    if (prev == 0u || prev == key) {
      table[slot].value = id;
      return;
    }
    slot = (slot + 1) & (capacity - 1);
  }
}
__global__ void hash_lookup(const Slot* __restrict__ table, const uint32_t* __restrict__ keys, uint32_t* __restrict__ out, int n,
                            uint32_t capacity) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const uint32_t key = keys[id];
  uint32_t slot = murmur_final(key) & (capacity - 1), found = 0xffffffffu;
  for (int tries = 0; tries < 64; tries++) {
    const Slot s = table[slot];
    if (s.key == key) {
      found = s.value;
      break;
    }
    if (s.key == 0u) break;
    slot = (slot + 1) & (capacity - 1);
  }
  out[id] = found;
}

__global__ void spmv_ell(int rows, int width, const int* __restrict__ indices, const double* __restrict__ values,
                         const double* __restrict__ x, double* __restrict__ y) {
  const int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row < rows) {
    double dot = 0;
    for (int n = 0; n < width; n++) {
      const int col = indices[rows * n + row];
      const double val = values[rows * n + row];
      if (val != 0) dot += val * x[col];
    }
    y[row] += dot;
  }
}

// Sorted by row: a segmented sum in the warp, one atomic a segment.
__global__ void spmv_coo(const int* __restrict__ rows, const int* __restrict__ cols, const float* __restrict__ vals,
                         const float* __restrict__ x, float* y, int nnz) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  const int row = i < nnz ? rows[i] : -1;
  float sum = i < nnz ? vals[i] * x[cols[i]] : 0.f;
  for (int d = 1; d < 32; d <<= 1) {
    const float other = __shfl_up_sync(~0u, sum, d);
    const int other_row = __shfl_up_sync(~0u, row, d);
    if (lane >= d && other_row == row) sum += other;
  }
  const int next_row = __shfl_down_sync(~0u, row, 1);
  if (row >= 0 && (lane == 31 || next_row != row)) atomicAdd(&y[row], sum);
}

__global__ void min_max_reduce(const int* __restrict__ in, int* __restrict__ out, int n) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int lo = 0x7fffffff, hi = -0x7fffffff;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    lo = min(lo, in[i]);
    hi = max(hi, in[i]);
  }
  lo = cg::reduce(warp, lo, cg::less<int>());
  hi = cg::reduce(warp, hi, cg::greater<int>());
  if (warp.thread_rank() == 0) {
    atomicMin(&out[0], lo);
    atomicMax(&out[1], hi);
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const size_t most = 1 << 22;
  uint32_t* bits = on_device<uint32_t>(most, hashed);
  uint32_t* more = zeros<uint32_t>(most);
  float* x = on_device<float>(most, fraction);
  float* y = zeros<float>(most);
  const auto ints = [](void* p) { return reinterpret_cast<int*>(p); };

  for (int blocks : {64, 1024})
    run(sized("scan_blocks_of_four", blocks), [&] { scan_blocks_of_four<<<blocks, 256>>>((int4*)bits, (int4*)more, ints(y), blocks * 256); });
  run("scan_add_totals", [&] { scan_add_totals<<<1024, 256>>>((int4*)more, ints(bits), 1024 * 256); });
  const int n = 1 << 19;
  std::vector<uint32_t> offset(16 * (n / 256));
  {
    uint32_t sum = 0;
    std::vector<uint32_t> count(offset.size());
    for (int i = 0; i < n; i++) count[(hashed(i) >> 8 & 15) * (n / 256) + i / 256]++;
    for (size_t i = 0; i < offset.size(); i++) offset[i] = sum, sum += count[i];
  }
  const uint32_t* offsets = on_device(offset);
  run("radix_scatter", [&] { radix_scatter<<<n / 256, 256>>>(bits, offsets, more, 8, n); });
  std::vector<int> sorted(1 << 19);
  for (size_t i = 0; i < sorted.size(); i++) sorted[i] = int(8 * i + hashed(uint32_t(i)) % 8);
  const int* first = on_device(sorted);
  for (size_t i = 0; i < sorted.size(); i++) sorted[i] = int(8 * i + hashed(uint32_t(i) + 99u) % 8);
  const int* second = on_device(sorted);
  for (int m : {1 << 15, 1 << 19}) run(sized("merge_path", m), [&] { merge_path<<<m / 4 / 128, 128>>>(first, second, ints(more), m, m); });
  run("histogram_bytes", [&] { histogram_bytes<<<264, 256>>>((uint4*)bits, more, 1 << 19); });

  std::vector<int> row_ptr(65537), col, queue;
  for (int v = 0; v < 65536; ++v) {
    for (uint32_t i = 0, degree = 4 + hashed(uint32_t(v)) % 41; i < degree; ++i) col.push_back(int(hashed(uint32_t(v) * 61u + i) % 65536u));
    row_ptr[v + 1] = int(col.size());
  }
  std::vector<int> level(65536, -1);
  for (int i = 0; i < 2048; ++i) queue.push_back(i * 32), level[i * 32] = 0;
  const int *row_ptrs = on_device(row_ptr), *cols = on_device(col), *queues = on_device(queue);
  int* levels = on_device(level);
  int* next_count = zeros<int>(4);
  run("bfs_queue", [&] { bfs_queue<<<256, 256>>>(row_ptrs, cols, queues, 2048, levels, ints(more), next_count, 1); });

  Slot* table = zeros<Slot>(1 << 19);
  run("hash_insert", [&] { hash_insert<<<1024, 256>>>(table, bits + 1, 1 << 18, 1 << 19); });
  std::vector<Slot> filled(1 << 17);
  for (uint32_t i = 1; i <= (1 << 16) * 3 / 2; ++i) {
    uint32_t k = hashed(i), slot = k;
    slot ^= slot >> 16, slot *= 0x85ebca6b, slot ^= slot >> 13, slot *= 0xc2b2ae35, slot ^= slot >> 16;
    for (slot &= (1 << 17) - 1; filled[slot].key; slot = (slot + 1) & ((1 << 17) - 1)) {}
    filled[slot] = {k, i};
  }
  const Slot* full = on_device(filled);
  run("hash_lookup", [&] { hash_lookup<<<512, 256>>>(full, bits + 1, more, 1 << 17, 1 << 17); });

  int* indices = on_device<int>(32768 * 24, [](uint32_t i) { return int((i % 32768 + hashed(i) % 512) % 32768); });
  double* values = on_device<double>(32768 * 24, [](uint32_t i) { return hashed(i) % 5 ? double(fraction(i)) : 0.0; });
  double* result = zeros<double>(32768);
  run("spmv_ell", [&] { spmv_ell<<<256, 128>>>(32768, 24, indices, values, values, result); });
  std::vector<int> coo(col.size());
  for (int v = 0; v < 65536; ++v) std::fill(coo.begin() + row_ptr[v], coo.begin() + row_ptr[v + 1], v);
  const int* coo_rows = on_device(coo);
  const int nnz = int(coo.size());
  run("spmv_coo", [&] { spmv_coo<<<(nnz + 255) / 256, 256>>>(coo_rows, cols, x, x, y, nnz); });

  run("min_max_reduce", [&] { min_max_reduce<<<528, 256>>>(ints(bits), ints(more), 1 << 21); });
  return 0;
}
