// Kernels of data, graphs and sparse matrices in further forms: ranks by match, merges, levels of a graph, colours, bitmaps, products of sparse and dense,
// aggregates of a query, joins by partitions, filters, and formats that are decoded.
#include <cstddef>

#include "cases.h"

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned char u8;

// Ranks of 8-bit digits by __match_any_sync; counters of each warp in shared memory.
template <int WARPS, int ITEMS>
__global__ void radix_rank_match(const u32* __restrict__ keys, u32* __restrict__ out, u32* __restrict__ digit_counts, int shift) {
  __shared__ u32 counts[WARPS][256];
  __shared__ u32 totals[256];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, base = blockIdx.x * WARPS * 32 * ITEMS;
  for (int i = lane; i < 256; i += 32) counts[warp][i] = 0;
  __syncwarp();
  u32 key[ITEMS], rank[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) key[k] = keys[base + (warp * ITEMS + k) * 32 + lane];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const u32 digit = key[k] >> shift & 255, peers = __match_any_sync(~0u, digit), before = counts[warp][digit];
    rank[k] = before + __popc(peers & ((1u << lane) - 1));
    __syncwarp();
    if (lane == 31 - __clz(peers)) counts[warp][digit] = before + __popc(peers);
    __syncwarp();
  }
  __syncthreads();
  for (int d = threadIdx.x; d < 256; d += WARPS * 32) {
    u32 sum = 0;
    for (int w = 0; w < WARPS; ++w) {
      const u32 c = counts[w][d];
      counts[w][d] = sum;
      sum += c;
    }
    totals[d] = sum;
    digit_counts[d * gridDim.x + blockIdx.x] = sum;
  }
  __syncthreads();
  if (warp == 0) {
    u32 carry = 0;
    for (int i = 0; i < 256; i += 32) {
      const u32 v = totals[i + lane];
      u32 s = v;
      for (int o = 1; o < 32; o <<= 1) {
        const u32 t = __shfl_up_sync(~0u, s, o);
        if (lane >= o) s += t;
      }
      totals[i + lane] = carry + s - v;
      carry += __shfl_sync(~0u, s, 31);
    }
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const u32 digit = key[k] >> shift & 255;
    out[base + totals[digit] + counts[warp][digit] + rank[k]] = key[k];
  }
}

// A block sorts its pairs by merging, each element finds its place by binary search.
template <typename K, typename V>
__global__ void merge_sort_block(K* keys, V* values, int n) {
  extern __shared__ __align__(16) char raw[];
  K* sk = (K*)raw;
  V* sv = (V*)(sk + 1024);
  const int t = threadIdx.x, at = blockIdx.x * 1024 + t;
  sk[t] = keys[at], sv[t] = values[at];
  for (int width = 1; width < n; width *= 2) {
    __syncthreads();
    const K key = sk[t];
    const V value = sv[t];
    const int pair = t & ~(2 * width - 1), right = t & width, other = pair + (right ? 0 : width);
    int lo = 0, hi = width;
    while (lo < hi) {
      const int mid = (lo + hi) / 2;
      const bool less = right ? !(key < sk[other + mid]) : sk[other + mid] < key;
      if (less) lo = mid + 1; else hi = mid;
    }
    const int place = pair + (t & (width - 1)) + lo;
    __syncthreads();
    sk[place] = key, sv[place] = value;
  }
  __syncthreads();
  keys[at] = sk[t], values[at] = sv[t];
}

// Selected items of a block, four a thread, put together in shared memory and then written.
template <int BLOCK, typename Pred>
__global__ void select_if_block(const int* in, int* out, int* count, int n, Pred pred) {
  __shared__ int buffer[BLOCK * 4], warp_sums[BLOCK / 32], start, selected;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = blockIdx.x * BLOCK * 4 + threadIdx.x * 4;
  int item[4], flags = 0;
  for (int k = 0; k < 4; k++) {
    item[k] = first + k < n ? in[first + k] : 0;
    if (first + k < n && pred(item[k])) flags |= 1 << k;
  }
  const int mine = __popc(flags);
  int sum = mine;
  for (int o = 1; o < 32; o <<= 1) {
    const int t = __shfl_up_sync(~0u, sum, o);
    if (lane >= o) sum += t;
  }
  if (lane == 31) warp_sums[warp] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    int total = 0;
    for (int w = 0; w < BLOCK / 32; ++w) {
      const int t = warp_sums[w];
      warp_sums[w] = total;
      total += t;
    }
    start = atomicAdd(count, total);
    selected = total;
  }
  __syncthreads();
  int place = sum - mine + warp_sums[warp];
  for (int k = 0; k < 4; k++)
    if (flags >> k & 1) buffer[place++] = item[k];
  __syncthreads();
  for (int i = threadIdx.x; i < selected; i += BLOCK) out[start + i] = buffer[i];
}
struct Multiple {
  int divisor;
  __device__ bool operator()(int x) const { return x % divisor == 0; }
};

// Breadth-first search in the way of Rodinia: a thread a node.
struct Node {
  int starting;
  int no_of_edges;
};
__global__ void bfs_mask_kernel(Node* g_graph_nodes, int* g_graph_edges, bool* g_graph_mask, bool* g_updating, bool* g_visited, int* g_cost, int no_of_nodes) {
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

// Bottom up: nodes without a parent look for one in the frontier's bits.
__global__ void bfs_bottom_up(const int* __restrict__ row, const int* __restrict__ col, const u32* __restrict__ frontier, u32* __restrict__ next, int* parent, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  bool found = false;
  if (v < n && parent[v] < 0)
    for (int e = row[v], end = row[v + 1]; e < end; ++e) {
      const int u = col[e];
      if (frontier[u >> 5] >> (u & 31) & 1) {
        parent[v] = u;
        found = true;
        break;
      }
    }
  const u32 bits = __ballot_sync(0xffffffff, found);
  if ((threadIdx.x & 31) == 0 && v < n) next[v >> 5] = bits;
}

// A warp a vertex takes the least label of its neighbours.
__global__ void min_label_warp(const int* __restrict__ row, const int* __restrict__ col, int* label, int* changed, int n) {
  const int lane = threadIdx.x % 32;
  for (int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32; v < n; v += gridDim.x * blockDim.x / 32) {
    int least = 0x7fffffff;
    for (int e = row[v] + lane; e < row[v + 1]; e += 32) least = min(least, label[col[e]]);
    least = __reduce_min_sync(0xffffffff, least);
    if (lane == 0 && least < label[v]) {
      atomicMin(&label[v], least);
      *changed = 1;
    }
  }
}

// Jones and Plassmann: a vertex with the greatest number among its uncoloured neighbours takes this round's colour.
__global__ void color_independent(int color, int n, const int* Ao, const int* Ac, const int* randoms, int* colors) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) {
    bool f = true;
    if (colors[i] != -1) continue;
    int ir = randoms[i];
    for (int k = Ao[i]; k < Ao[i + 1]; k++) {
      int j = Ac[k], jc = colors[j];
      if (((jc != -1) && (jc != color)) || (i == j)) continue;
      int jr = randoms[j];
      if (ir <= jr) f = false;
    }
    if (f) colors[i] = color;
  }
}

// Triangles of a vertex: its neighbours as bits in shared memory, their neighbours looked up.
__global__ void triangles_bitmap(const int* __restrict__ row, const int* __restrict__ col, u64* total, int n) {
  extern __shared__ u32 bits[];
  const int words = (n + 31) / 32;
  for (int i = threadIdx.x; i < words; i += blockDim.x) bits[i] = 0;
  __syncthreads();
  u64 sum = 0;
  for (int v = blockIdx.x; v < n; v += gridDim.x) {
    const int first = row[v], last = row[v + 1];
    for (int e = first + threadIdx.x; e < last; e += blockDim.x) atomicOr(&bits[col[e] >> 5], 1u << (col[e] & 31));
    __syncthreads();
    for (int e = first + threadIdx.x / 32; e < last; e += blockDim.x / 32) {
      const int u = col[e];
      if (u <= v) continue;
      for (int f = row[u] + threadIdx.x % 32; f < row[u + 1]; f += 32) {
        const int w = col[f];
        if (w > u && (bits[w >> 5] >> (w & 31) & 1)) ++sum;
      }
    }
    __syncthreads();
    for (int e = first + threadIdx.x; e < last; e += blockDim.x) bits[col[e] >> 5] = 0;
    __syncthreads();
  }
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffff, sum, o);
  if (threadIdx.x % 32 == 0 && sum) atomicAdd(total, sum);
}

// A sparse matrix times 64 columns: a warp a row, the row's columns and values shared by shuffles.
__global__ void spmm_row_warp(const int* __restrict__ rowptr, const int* __restrict__ colind, const float* __restrict__ val, const float* __restrict__ B, float* __restrict__ C, int rows) {
  const int lane = threadIdx.x, r = blockIdx.x * blockDim.y + threadIdx.y;
  if (r >= rows) return;
  const int lb = rowptr[r], hb = rowptr[r + 1];
  float acc0 = 0, acc1 = 0;
  for (int p = lb; p < hb; p += 32) {
    const int c = p + lane < hb ? colind[p + lane] * 64 : 0;
    const float v = p + lane < hb ? val[p + lane] : 0.0f;
    for (int k = 0, m = min(32, hb - p); k < m; ++k) {
      const int off = __shfl_sync(0xffffffff, c, k) + lane;
      const float x = __shfl_sync(0xffffffff, v, k);
      acc0 += x * B[off];
      acc1 += x * B[off + 32];
    }
  }
  C[r * 64 + lane] = acc0, C[r * 64 + 32 + lane] = acc1;
}

// Dot products of rows at the places of a sparse matrix, eight lanes a place.
__global__ void sddmm_coo(const int* __restrict__ rows, const int* __restrict__ cols, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ out, int nnz) {
  const int e = (blockIdx.x * blockDim.x + threadIdx.x) / 8, l = threadIdx.x % 8;
  if (e >= nnz) return;
  const float4 *a = (const float4*)(A + rows[e] * 64), *b = (const float4*)(B + cols[e] * 64);
  float4 s = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const float4 x = __ldg(a + l + 8 * i), y = __ldg(b + l + 8 * i);
    s.x += x.x * y.x, s.y += x.y * y.y, s.z += x.z * y.z, s.w += x.w * y.w;
  }
  float v = s.x + s.y + s.z + s.w;
  const unsigned mask = __activemask();
  v += __shfl_xor_sync(mask, v, 4), v += __shfl_xor_sync(mask, v, 2), v += __shfl_xor_sync(mask, v, 1);
  if (l == 0) out[e] = v;
}

// Slices of 32 rows, each as wide as its longest.
__global__ void spmv_sell(const int* __restrict__ slice_start, const int* __restrict__ slice_cols, const double* __restrict__ slice_vals, const double* __restrict__ x, double* __restrict__ y, int n) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x, s = r / 32, lane = r % 32;
  if (r >= n) return;
  double sum = 0;
  for (int i = slice_start[s] + lane; i < slice_start[s + 1]; i += 32) {
    const int c = slice_cols[i];
    if (c >= 0) sum += slice_vals[i] * x[c];
  }
  y[r] = sum;
}

// CSR-stream: a block's products into shared memory, then a thread a row.
__global__ void spmv_csr_stream(const int* __restrict__ row_blocks, const int* __restrict__ rowptr, const int* __restrict__ cols, const float* __restrict__ vals, const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float products[1024];
  const int r0 = row_blocks[blockIdx.x], r1 = row_blocks[blockIdx.x + 1], p0 = rowptr[r0], nnz = rowptr[r1] - p0;
  for (int i = threadIdx.x; i < nnz; i += blockDim.x) products[i] = vals[p0 + i] * x[cols[p0 + i]];
  __syncthreads();
  for (int r = r0 + threadIdx.x; r < r1; r += blockDim.x) {
    float s = 0;
    for (int i = rowptr[r] - p0; i < rowptr[r + 1] - p0; ++i) s += products[i];
    y[r] = s;
  }
}

struct LineItem {
  const int* ship_date;
  const u8* flag;  // 0 to 5: return flag and status
  const double* quantity;
  const double* price;
  const double* discount;
  const double* tax;
};
// Query 1 of TPC-H: six groups, a copy of the sums in shared memory for each block.
__global__ void tpch_q1(LineItem t, double* result, u64* counts, int cutoff, int n) {
  __shared__ double sums[6][5];
  __shared__ u32 cnt[6];
  if (threadIdx.x < 30) (&sums[0][0])[threadIdx.x] = 0;
  if (threadIdx.x < 6) cnt[threadIdx.x] = 0;
  __syncthreads();
  double acc[6][4] = {};
  int c[6] = {};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (t.ship_date[i] > cutoff) continue;
    const int g = t.flag[i];
    const double q = t.quantity[i], p = t.price[i], d = p * (1.0 - t.discount[i]), ch = d * (1.0 + t.tax[i]);
#pragma unroll
    for (int k = 0; k < 6; ++k)
      if (g == k) acc[k][0] += q, acc[k][1] += p, acc[k][2] += d, acc[k][3] += ch, c[k]++;
  }
#pragma unroll
  for (int k = 0; k < 6; ++k) {
    for (int j = 0; j < 4; ++j) {
      double v = acc[k][j];
      for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
      if ((threadIdx.x & 31) == 0) atomicAdd(&sums[k][j], v);
    }
    const u32 all = __reduce_add_sync(0xffffffff, c[k]);
    if ((threadIdx.x & 31) == 0) atomicAdd(&cnt[k], all);
  }
  __syncthreads();
  if (threadIdx.x < 30) atomicAdd(&result[threadIdx.x], (&sums[0][0])[threadIdx.x]);
  if (threadIdx.x < 6) atomicAdd(&counts[threadIdx.x], (u64)cnt[threadIdx.x]);
}

// A block joins a partition: chains of build keys in shared memory, then the probes.
__global__ void join_partition_chains(const int* __restrict__ build_keys, const int* __restrict__ build_start, const int* __restrict__ probe_keys, const int* __restrict__ probe_start, int2* __restrict__ out, int* out_count, int capacity) {
  __shared__ int head[512], next[1024], keys[1024];
  const int b0 = build_start[blockIdx.x], nb = build_start[blockIdx.x + 1] - b0, p0 = probe_start[blockIdx.x], np = probe_start[blockIdx.x + 1] - p0;
  for (int i = threadIdx.x; i < 512; i += blockDim.x) head[i] = -1;
  __syncthreads();
  for (int i = threadIdx.x; i < nb; i += blockDim.x) {
    const int k = build_keys[b0 + i];
    keys[i] = k;
    next[i] = atomicExch(&head[(u32)k * 2654435761u >> 23], i);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < np; i += blockDim.x) {
    const int k = probe_keys[p0 + i];
    for (int e = head[(u32)k * 2654435761u >> 23]; e >= 0; e = next[e])
      if (keys[e] == k) {
        const int at = atomicAdd(out_count, 1);
        if (at < capacity) out[at] = make_int2(b0 + e, p0 + i);
      }
  }
}

__host__ __device__ inline u32 murmur(u32 h) {
  h ^= h >> 16, h *= 0x85ebca6b, h ^= h >> 13, h *= 0xc2b2ae35, h ^= h >> 16;
  return h;
}
__global__ void bloom_insert(const u32* keys, int n, u32* filter, u32 mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const u32 h1 = murmur(keys[i]), h2 = murmur(h1) | 1;
  for (u32 k = 0; k < 4; ++k) {
    const u32 bit = (h1 + k * h2) & mask;
    atomicOr(&filter[bit >> 5], 1u << (bit & 31));
  }
}
__global__ void bloom_query(const u32* keys, int n, const u32* filter, u32 mask, u8* maybe) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const u32 h1 = murmur(keys[i]), h2 = murmur(h1) | 1;
  bool in = true;
  for (u32 k = 0; k < 4 && in; ++k) {
    const u32 bit = (h1 + k * h2) & mask;
    in = filter[bit >> 5] >> (bit & 31) & 1;
  }
  maybe[i] = in;
}

// Blocks of 128 numbers in as many bits as the greatest needs, above a reference.
__global__ void unpack_for(const u32* __restrict__ packed, const int2* __restrict__ headers, const int* __restrict__ references, int* __restrict__ out) {
  const int block = blockIdx.x * blockDim.y + threadIdx.y;
  const int2 header = headers[block];  // first word, bits
  const u32* p = packed + header.x;
  const u32 mask = header.y == 32 ? ~0u : (1u << header.y) - 1;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int i = threadIdx.x + 32 * k, bit = i * header.y, w = bit >> 5, s = bit & 31;
    const u64 both = (u64)p[w + 1] << 32 | p[w];
    out[block * 128 + i] = references[block] + (int)((u32)(both >> s) & mask);
  }
}

// Codes of up to 11 bits; each thread decodes a segment by a table in shared memory.
__global__ void huffman_decode(const u32* __restrict__ stream, const u32* __restrict__ bit_offset, const unsigned short* __restrict__ table, u8* __restrict__ out, int symbols, int segments) {
  __shared__ unsigned short lut[2048];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) lut[i] = table[i];
  __syncthreads();
  const int seg = blockIdx.x * blockDim.x + threadIdx.x;
  if (seg >= segments) return;
  const u32 start = bit_offset[seg];
  const u32* p = stream + (start >> 5);
  u64 window = ((u64)p[0] << 32 | p[1]) << (start & 31);
  int have = 64 - (start & 31);
  p += 2;
  for (int i = 0; i < symbols; i += 4) {
    u32 word = 0;
    for (int k = 0; k < 4; ++k) {
      const u32 e = lut[window >> 53];
      word |= (e & 255) << 8 * k;
      window <<= e >> 8, have -= e >> 8;
      if (have < 32) {
        window |= (u64)*p++ << (32 - have);
        have += 32;
      }
    }
    *(u32*)(out + (size_t)seg * symbols + i) = word;
  }
}

// LZ4's sequences: a warp a block of 4096 bytes; all lanes read the tokens and share the copies.
__global__ void lz4_decode_warp(const u8* __restrict__ in, const int* __restrict__ offsets, u8* out, int blocks) {
  const int block = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (block >= blocks) return;
  const u8 *s = in + offsets[block], *end = in + offsets[block + 1];
  u8* d = out + (size_t)block * 4096;
  int o = 0;
  while (s < end) {
    const int token = *s++;
    int literals = token >> 4;
    if (literals == 15) {
      int b;
      do literals += b = *s++;
      while (b == 255);
    }
    for (int i = lane; i < literals; i += 32) d[o + i] = s[i];
    s += literals, o += literals;
    if (s >= end) break;
    const int back = s[0] | s[1] << 8;
    s += 2;
    int length = (token & 15) + 4;
    if (length == 19) {
      int b;
      do length += b = *s++;
      while (b == 255);
    }
    __syncwarp();
    for (int i = lane; i < length; i += 32) d[o + i] = d[o - back + i % back];
    __syncwarp();
    o += length;
  }
}

// The 16 least of a stream: a heap a thread, its levels in shared memory.
__global__ void heap_smallest16(const float* __restrict__ in, float* __restrict__ out, int per_thread) {
  __shared__ float heap[16][64];
  const int t = threadIdx.x, threads = gridDim.x * blockDim.x, id = blockIdx.x * blockDim.x + t;
  for (int i = 0; i < 16; ++i) heap[i][t] = 1e30f;
  for (int k = 0; k < per_thread; ++k) {
    const float v = in[(size_t)k * threads + id];
    if (v >= heap[0][t]) continue;
    int at = 0;
    for (;;) {
      int child = 2 * at + 1;
      if (child >= 16) break;
      if (child + 1 < 16 && heap[child + 1][t] > heap[child][t]) ++child;
      if (heap[child][t] <= v) break;
      heap[at][t] = heap[child][t];
      at = child;
    }
    heap[at][t] = v;
  }
  for (int i = 0; i < 16; ++i) out[(size_t)i * threads + id] = heap[i][t];
}

struct KdNode {
  float split;
  int axis;  // -1: a leaf
  int first, count;
};
// Nearest neighbour in a kd-tree of 3D points, children of i at 2i+1 and 2i+2, with a stack.
__global__ void kd_nearest(const KdNode* __restrict__ nodes, const float3* __restrict__ points, const float3* __restrict__ queries, int* nearest, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float3 q = queries[i];
  float best = 1e30f;
  int who = -1, top = 0;
  int stack[32];
  float gap[32];
  stack[0] = 0, gap[0] = 0, top = 1;
  while (top > 0) {
    --top;
    if (gap[top] >= best) continue;
    int node = stack[top];
    KdNode nd = nodes[node];
    while (nd.axis >= 0) {
      const float d = (nd.axis == 0 ? q.x : nd.axis == 1 ? q.y : q.z) - nd.split;
      const int near = 2 * node + (d < 0 ? 1 : 2), far = 2 * node + (d < 0 ? 2 : 1);
      if (d * d < best && top < 32) stack[top] = far, gap[top] = d * d, ++top;
      node = near;
      nd = nodes[node];
    }
    for (int k = nd.first; k < nd.first + nd.count; ++k) {
      const float dx = points[k].x - q.x, dy = points[k].y - q.y, dz = points[k].z - q.z, d2 = dx * dx + dy * dy + dz * dz;
      if (d2 < best) best = d2, who = k;
    }
  }
  nearest[i] = who;
}

// Host side.
struct Graph {
  std::vector<int> row, col;
};
// Degrees as in a web's graph: few nodes have most edges.
static Graph scale_free(int n, int edges_a_node) {
  std::vector<std::pair<int, int>> edges;
  for (int v = 1; v < n; ++v)
    for (int k = 0; k < edges_a_node; ++k) {
      const double f = fraction(uint32_t(v * 131 + k));
      const int u = int(v * f * f * f);
      if (u != v) edges.push_back({u, v}), edges.push_back({v, u});
    }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  Graph g;
  g.row.assign(n + 1, 0);
  for (auto& e : edges) ++g.row[e.first + 1], g.col.push_back(e.second);
  for (int v = 0; v < n; ++v) g.row[v + 1] += g.row[v];
  return g;
}

static void build_kd(std::vector<KdNode>& nodes, std::vector<float3>& points, size_t node, int first, int count, int depth) {
  if (nodes.size() <= node) nodes.resize(node + 1, KdNode{0, -1, 0, 0});
  if (count <= 8) {
    nodes[node] = {0, -1, first, count};
    return;
  }
  const int axis = depth % 3, half = count / 2;
  auto at = [axis](const float3& p) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; };
  std::nth_element(points.begin() + first, points.begin() + first + half, points.begin() + first + count, [&](const float3& a, const float3& b) { return at(a) < at(b); });
  nodes[node] = {at(points[first + half]), axis, 0, 0};
  build_kd(nodes, points, 2 * node + 1, first, half, depth + 1);
  build_kd(nodes, points, 2 * node + 2, first + half, count - half, depth + 1);
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  u32* keys = on_device<u32>(1 << 20, hashed);
  u32* out = zeros<u32>(1 << 22);
  int* ints = zeros<int>(1 << 20);
  const float* a = on_device<float>(1 << 22, fraction);
  const double* da = on_device<double>(1 << 19, [](uint32_t i) { return double(hashed(i) & 0xffff) / 65536.0; });
  double* dout = zeros<double>(1 << 17);

  run("radix_rank_match_8", [&] { radix_rank_match<8, 8><<<256, 256>>>(keys, out, out + (1 << 20), 8); });
  run("radix_rank_match_16", [&] { radix_rank_match<16, 12><<<80, 512>>>(keys, out, out + (1 << 20), 0); });
  u32* pairs = on_device<u32>(1 << 18, hashed);
  run("merge_sort_block_u32", [&] { merge_sort_block<u32, int><<<200, 1024, 8192>>>(pairs, ints, 1024); });
  u64* wide = on_device<u64>(1 << 15, [](uint32_t i) { return u64(hashed(i)) << 32 | hashed(i + 1); });
  run("merge_sort_block_u64", [&] { merge_sort_block<u64, u64><<<16, 1024, 16384>>>(wide, (u64*)ints, 1024); });
  run("select_if_block_3", [&] { select_if_block<256><<<1000, 256>>>((const int*)keys, (int*)out, ints, 1023000, Multiple{3}); });
  run("select_if_block_50", [&] { select_if_block<256><<<200, 256>>>((const int*)keys, (int*)out, ints + 1, 204800, Multiple{50}); });

  const int n = 16384;
  const Graph g = scale_free(n, 8);
  const int *row = on_device(g.row), *col = on_device(g.col);
  std::vector<Node> nodes(n);
  std::vector<u8> mask(n), visited(n);
  std::vector<u32> bits(n / 32);
  std::vector<int> parent(n, -1), label(n);
  for (int v = 0; v < n; ++v) {
    nodes[v] = {g.row[v], g.row[v + 1] - g.row[v]};
    visited[v] = hashed(v) % 3 == 0, mask[v] = visited[v] && hashed(v) % 2;
    label[v] = int(hashed(v + 5) % n);
    if (mask[v]) bits[v / 32] |= 1u << v % 32;
    if (visited[v]) parent[v] = 0;
  }
  Node* nodes_d = on_device(nodes);
  u8 *mask_d = on_device(mask), *visited_d = on_device(visited), *updating_d = zeros<u8>(n);
  u32 *bits_d = on_device(bits), *next_d = zeros<u32>(n / 32);
  int *parent_d = on_device(parent), *label_d = on_device(label), *cost_d = zeros<int>(n), *colors_d = on_device(std::vector<int>(n, -1));
  const int* randoms_d = on_device(label);
  run("bfs_mask_kernel", [&] { bfs_mask_kernel<<<32, 512>>>(nodes_d, const_cast<int*>(col), (bool*)mask_d, (bool*)updating_d, (bool*)visited_d, cost_d, n); });
  run("bfs_bottom_up", [&] { bfs_bottom_up<<<128, 128>>>(row, col, bits_d, next_d, parent_d, n); });
  run("min_label_warp", [&] { min_label_warp<<<132, 256>>>(row, col, label_d, ints, n); });
  run("color_independent", [&] { color_independent<<<128, 128>>>(0, n, row, col, randoms_d, colors_d); });
  const Graph small = scale_free(2000, 6);
  const int *small_row = on_device(small.row), *small_col = on_device(small.col);
  u64* total = zeros<u64>(8);
  run("triangles_bitmap", [&] { triangles_bitmap<<<132, 128, 63 * 4>>>(small_row, small_col, total, 2000); });
  run("spmm_row_warp", [&] { spmm_row_warp<<<n / 4, dim3(32, 4)>>>(row, col, a, a, (float*)out, n); });
  std::vector<int> coo(g.col.size());
  for (int v = 0; v < n; ++v)
    for (int e = g.row[v]; e < g.row[v + 1]; ++e) coo[e] = v;
  const int *coo_d = on_device(coo), nnz = int(coo.size());
  run("sddmm_coo", [&] { sddmm_coo<<<(nnz * 8 + 255) / 256, 256>>>(coo_d, col, a, a + (1 << 20), (float*)out, nnz); });
  std::vector<int> slice_start = {0}, slice_cols, row_blocks = {0}, band_row = {0}, band_col;
  for (int s = 0; s < n / 32; ++s) {
    int longest = 0, length[32];
    for (int l = 0; l < 32; ++l) longest = std::max(longest, length[l] = 3 + int(hashed(s * 32 + l) % 9));
    for (int k = 0; k < longest; ++k)
      for (int l = 0; l < 32; ++l) slice_cols.push_back(k < length[l] ? (s * 32 + l + int(hashed(k * 77 + l) % 200)) % n : -1);
    slice_start.push_back(int(slice_cols.size()));
  }
  for (int r = 0; r < n; ++r) {
    for (uint32_t k = 0, m = hashed(r + 31) % 24; k < m; ++k) band_col.push_back(int((r + hashed(r * 31 + k) % 4096) % n));
    if (int(band_col.size()) - band_row[row_blocks.back()] > 1024) row_blocks.push_back(r);
    band_row.push_back(int(band_col.size()));
  }
  row_blocks.push_back(n);
  const int *ss = on_device(slice_start), *sc = on_device(slice_cols), *rb = on_device(row_blocks), *br = on_device(band_row), *bc = on_device(band_col);
  run("spmv_sell", [&] { spmv_sell<<<n / 128, 128>>>(ss, sc, da, da, dout, n); });
  run("spmv_csr_stream", [&] { spmv_csr_stream<<<int(row_blocks.size()) - 1, 256>>>(rb, br, bc, a, a, (float*)out); });
  const LineItem items = {on_device<int>(1 << 19, [](uint32_t i) { return int(hashed(i) % 2500); }), on_device<u8>(1 << 19, [](uint32_t i) { return u8("\0\0\1\2\2\2\3\3\4\5"[hashed(i + 3) % 10]); }), da, da, da, da};
  run("tpch_q1", [&] { tpch_q1<<<264, 256>>>(items, dout, total, 2400, 1 << 19); });
  std::vector<int> build_start(265), probe_start(265);
  for (int p = 0; p < 264; ++p) build_start[p + 1] = build_start[p] + 400 + int(hashed(p) % 500), probe_start[p + 1] = probe_start[p] + 1500 + int(hashed(p + 9) % 2000);
  const int *bs = on_device(build_start), *ps = on_device(probe_start);
  const int* join_keys = on_device<int>(1 << 20, [](uint32_t i) { return int(hashed(i) % 2000); });
  run("join_partition_chains", [&] { join_partition_chains<<<264, 256>>>(join_keys, bs, join_keys + 7, ps, (int2*)out, ints, 1 << 21); });
  u32* filter = zeros<u32>(1 << 17);
  run("bloom_insert", [&] { bloom_insert<<<1024, 256>>>(keys, 1 << 18, filter, (1u << 22) - 1); });
  run("bloom_query", [&] { bloom_query<<<2048, 256>>>(keys + (1 << 17), 1 << 19, filter, (1u << 22) - 1, (u8*)out); });
  std::vector<int2> headers;
  for (int b = 0, at = 0; b < 4096; ++b) {
    const int width = 1 + int(hashed(b) % 20);
    headers.push_back(make_int2(at, width));
    at += 4 * width;
  }
  const int2* headers_d = on_device(headers);
  run("unpack_for", [&] { unpack_for<<<512, dim3(32, 8)>>>(keys, headers_d, (const int*)keys, (int*)out); });
  std::vector<unsigned short> lut(2048);
  for (uint32_t i = 0; i < 2048; ++i) {
    const int zeros_in_front = i ? 10 - (31 - __builtin_clz(i)) : 11;
    lut[i] = (unsigned short)(std::min(zeros_in_front + 3, 11) << 8 | (zeros_in_front * 4 + int(i & 3)));
  }
  const unsigned short* lut_d = on_device(lut);
  const u32* offsets = on_device<u32>(8192, [](uint32_t i) { return i * 1024 + hashed(i) % 32; });
  run("huffman_decode", [&] { huffman_decode<<<64, 128>>>(keys, offsets, lut_d, (u8*)out, 192, 8192); });
  std::vector<u8> packed;
  std::vector<int> starts = {0};
  for (uint32_t b = 0; b < 396; ++b) {
    int o = 0;
    for (uint32_t k = 0; o < 4000; ++k) {
      const uint32_t r = hashed(b * 1000 + k);
      const int literals = o == 0 ? 12 : int(r % 8 == 7 ? 15 : r % 5), length = int(r >> 8 & 15) == 15 ? 19 + int(r >> 12 & 31) : 4 + int(r >> 8 & 7), back = 1 + int(r >> 20) % std::min(o + literals, 2000);
      packed.push_back(u8(literals << 4 | std::min(length - 4, 15)));
      if (literals == 15) packed.push_back(0);
      for (int i = 0; i < literals; ++i) packed.push_back(u8(hashed(r + i)));
      packed.push_back(u8(back)), packed.push_back(u8(back >> 8));
      if (length >= 19) packed.push_back(u8(length - 19));
      o += literals + length;
    }
    packed.push_back(3 << 4), packed.insert(packed.end(), 3, 7);
    starts.push_back(int(packed.size()));
  }
  const u8* packed_d = on_device(packed);
  const int* starts_d = on_device(starts);
  run("lz4_decode_warp", [&] { lz4_decode_warp<<<99, 128>>>(packed_d, starts_d, (u8*)out, 396); });
  run("heap_smallest16", [&] { heap_smallest16<<<264, 64>>>(a, (float*)out, 128); });
  std::vector<float3> points(20000), queries(16384);
  for (uint32_t i = 0; i < points.size(); ++i) points[i] = make_float3(fraction(3 * i), fraction(3 * i + 1) * fraction(i), fraction(3 * i + 2));
  for (uint32_t i = 0; i < queries.size(); ++i) queries[i] = make_float3(fraction(i + 50) * 0.1f + (i / 128) / 128.0f * 0.9f, fraction(7 * i), fraction(i + 99));
  std::vector<KdNode> tree;
  build_kd(tree, points, 0, 0, int(points.size()), 0);
  const KdNode* tree_d = on_device(tree);
  const float3 *points_d = on_device(points), *queries_d = on_device(queries);
  run("kd_nearest", [&] { kd_nearest<<<128, 128>>>(tree_d, points_d, queries_d, ints, 16384); });
  return 0;
}
