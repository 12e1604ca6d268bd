// Data and bits: joins and groups, sorting and scans, packed and compressed columns, text, filters, learning on tables, time
// series, graphs, checksums, ciphers, long numbers, alignment of genomes.
#include <cooperative_groups.h>

#include <algorithm>

#include "cases.h"

namespace cg = cooperative_groups;
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

// ---- tables ----

// Hash join, probing side: chains of the build table, matches appended to a ring with one atomic for each group of lanes
struct BuildRow {
  u32 key;
  int payload;
  int next;
};
__host__ __device__ inline u32 join_bucket(u32 key, int bits) { return (key * 2654435769u) >> (32 - bits); }

__global__ void join_probe_chains(const int* __restrict__ heads, const BuildRow* __restrict__ build, const u32* __restrict__ keys, int rows, int bits, u32* cursor, int2* matches, u32 ring_mask) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) {
    const u32 key = keys[i];
    int at = heads[join_bucket(key, bits)];
    while (at >= 0) {
      const BuildRow row = build[at];
      if (row.key == key) {
        auto together = cg::coalesced_threads();
        u32 base = 0;
        if (together.thread_rank() == 0) base = atomicAdd(cursor, together.size());
        base = together.shfl(base, 0);
        matches[(base + together.thread_rank()) & ring_mask] = make_int2(i, row.payload);
      }
      at = row.next;
    }
  }
}

// GROUP BY with sums and counts: a small table in shared memory, overflow goes to the global one
#define GROUP_SLOTS 1024
__global__ void groupby_shared_table(const int* __restrict__ key, const float* __restrict__ value, int rows, float* sums, u32* counts) {
  __shared__ int slot_key[GROUP_SLOTS];
  __shared__ float slot_sum[GROUP_SLOTS];
  __shared__ u32 slot_count[GROUP_SLOTS];
  for (int i = threadIdx.x; i < GROUP_SLOTS; i += blockDim.x) slot_key[i] = -1, slot_sum[i] = 0.f, slot_count[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += blockDim.x * gridDim.x) {
    const int k = key[i];
    int s = (k * 40503u >> 4) % GROUP_SLOTS;
    bool done = false;
    for (int tries = 0; tries < 16 && !done; ++tries) {
      int seen = slot_key[s];
      if (seen == -1) {
        const int before = atomicCAS(&slot_key[s], -1, k);
        seen = before == -1 ? k : before;
      }
      if (seen == k) {
        atomicAdd(&slot_sum[s], value[i]);
        atomicAdd(&slot_count[s], 1u);
        done = true;
      }
      s = (s + 1) % GROUP_SLOTS;
    }
    if (!done) {
      atomicAdd(&sums[k], value[i]);
      atomicAdd(&counts[k], 1u);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < GROUP_SLOTS; i += blockDim.x)
    if (slot_key[i] >= 0) {
      atomicAdd(&sums[slot_key[i]], slot_sum[i]);
      atomicAdd(&counts[slot_key[i]], slot_count[i]);
    }
}

// Each block sorts its keys by one bit after the other, places by ballots
__global__ void __launch_bounds__(512) split_sort_blocks(const u32* in, u32* out, int bits) {
  __shared__ u32 keys[512];
  __shared__ int zeros_before[17];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  u32 mine = in[blockIdx.x * 512 + t];
  for (int b = 0; b < bits; ++b) {
    const u32 zero = __ballot_sync(0xffffffff, !((mine >> b) & 1));
    if (lane == 0) zeros_before[warp] = __popc(zero);
    __syncthreads();
    if (t == 0) {
      int sum = 0;
      for (int w = 0; w < 16; ++w) {
        const int c = zeros_before[w];
        zeros_before[w] = sum;
        sum += c;
      }
      zeros_before[16] = sum;
    }
    __syncthreads();
    const int rank = zeros_before[warp] + __popc(zero & ((1u << lane) - 1));
    keys[(mine >> b) & 1 ? zeros_before[16] + t - rank : rank] = mine;
    __syncthreads();
    mine = keys[t];
  }
  out[blockIdx.x * 512 + t] = mine;
}

// Two sorted arrays into one: each thread finds its diagonal, then merges a run
template <int RUN>
__global__ void merge_by_diagonals(const int* __restrict__ a, int na, const int* __restrict__ b, int nb, int* __restrict__ out) {
  const int diag = (blockIdx.x * blockDim.x + threadIdx.x) * RUN;
  if (diag >= na + nb) return;
  int lo = max(0, diag - nb), hi = min(diag, na);
  while (lo < hi) {
    const int mid = (lo + hi) / 2;
    if (a[mid] <= b[diag - 1 - mid]) lo = mid + 1;
    else hi = mid;
  }
  int i = lo, j = diag - lo;
  for (int k = 0; k < RUN && diag + k < na + nb; ++k) {
    const bool from_a = j >= nb || (i < na && a[i] <= b[j]);
    out[diag + k] = from_a ? a[i++] : b[j++];
  }
}

// Exclusive scan of tiles: padded shared memory, rows raked by threads, warps by shuffles
template <int THREADS, int ITEMS>
__global__ void scan_raked_tiles(const int* __restrict__ in, int* __restrict__ out, int* __restrict__ totals, int n) {
  __shared__ int buf[THREADS * ITEMS + THREADS * ITEMS / 32];
  __shared__ int warp_sum[32];
  const int base = blockIdx.x * THREADS * ITEMS, t = threadIdx.x;
#define PAD(i) ((i) + ((i) >> 5))
  for (int k = 0; k < ITEMS; ++k) {
    const int i = k * THREADS + t;
    buf[PAD(i)] = base + i < n ? in[base + i] : 0;
  }
  __syncthreads();
  int sum = 0;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) sum += buf[PAD(t * ITEMS + k)];
  int incl = sum;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const int left = __shfl_up_sync(~0u, incl, d);
    if ((t & 31) >= d) incl += left;
  }
  if ((t & 31) == 31) warp_sum[t >> 5] = incl;
  __syncthreads();
  int running = incl - sum;
  for (int w = 0; w < t >> 5; ++w) running += warp_sum[w];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int v = buf[PAD(t * ITEMS + k)];
    buf[PAD(t * ITEMS + k)] = running;
    running += v;
  }
  __syncthreads();
  for (int k = 0; k < ITEMS; ++k) {
    const int i = k * THREADS + t;
    if (base + i < n) out[base + i] = buf[PAD(i)];
  }
  if (t == THREADS - 1) totals[blockIdx.x] = running;
#undef PAD
}

// ---- encodings ----

// Frame of reference: 128 values in each block with a width and a base of its own
struct FrameHeader {
  u32 first_word;
  u32 base;
  u32 width;
};
__global__ void frame_unpack(const u32* __restrict__ packed, const FrameHeader* __restrict__ headers, u32* __restrict__ out, int frames) {
  const int f = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (f >= frames) return;
  const FrameHeader h = headers[f];
  const u32 mask = h.width == 32 ? ~0u : (1u << h.width) - 1;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const u32 bit = (k * 32 + lane) * h.width, word = h.first_word + bit / 32;
    out[f * 128 + k * 32 + lane] = h.base + (__funnelshift_r(packed[word], packed[word + 1], bit % 32) & mask);
  }
}

// Varints of 7 bits a byte: a thread decodes a chunk of 32 and undoes the differences
__global__ void varint_delta_chunks(const u8* __restrict__ bytes, const u32* __restrict__ offsets, u32* __restrict__ out, int chunks) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= chunks) return;
  const u8* p = bytes + offsets[c];
  u32 total = 0;
  for (int k = 0; k < 32; ++k) {
    u32 v = 0, b;
    int shift = 0;
    do {
      b = *p++;
      v |= (b & 127) << shift;
      shift += 7;
    } while ((b & 128) && shift < 35);
    total += (v >> 1) ^ (0u - (v & 1));
    out[c * 32 + k] = total;
  }
}

// Matches and literals (an LZ77 in bytes), a warp for each page of 4 KB
__global__ void lz_page_decode(const u8* __restrict__ stream, const u32* __restrict__ starts, u8* out, int pages) {
  const int page = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (page >= pages) return;
  const u8* s = stream + starts[page];
  u8* dst = out + size_t(page) * 4096;
  int have = 0;
  while (have < 4096) {
    const int literals = s[0], length = s[1], distance = s[2] | s[3] << 8;
    s += 4;
    for (int i = lane; i < literals && have + i < 4096; i += 32) dst[have + i] = s[i];
    s += literals;
    have += literals;
    __syncwarp();
    if (distance > 0 && distance <= have)
      for (int i = lane; i < length && have + i < 4096; i += 32) dst[have + i] = dst[have - distance + i % distance];
    have += max(length, 1);
    __syncwarp();
  }
}

// ---- text ----

// JSON, first stage: which bytes lie in strings, which are structural; 1 KB a warp
__device__ u32 bytes_equal(uint4 v, u32 c) {
  const u32 w[4] = {v.x, v.y, v.z, v.w};
  u32 m = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const u32 e = __vcmpeq4(w[k], c * 0x01010101u) & 0x08040201u;
    m |= ((e | e >> 8 | e >> 16 | e >> 24) & 15) << (4 * k);
  }
  return m;
}
__global__ void json_string_masks(const uint4* __restrict__ text, u32* __restrict__ in_string, u32* __restrict__ structural, int words) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  u32 quotes = 0, marks = 0;
  if (i < words) {
    const uint4 a = text[2 * i], b = text[2 * i + 1];
    quotes = bytes_equal(a, '"') | bytes_equal(b, '"') << 16;
    for (const char c : {'{', '}', '[', ']', ':', ','}) marks |= bytes_equal(a, c) | bytes_equal(b, c) << 16;
  }
  u32 inside = quotes;
  for (int d = 1; d < 32; d <<= 1) inside ^= inside << d;
  const u32 odd = __ballot_sync(0xffffffff, __popc(quotes) & 1);
  if (__popc(odd & ((1u << lane) - 1)) & 1) inside = ~inside;
  if (i < words) {
    in_string[i] = inside;
    structural[i] = marks & ~inside;
  }
}

// Bloom filter in blocks of 256 bits
__global__ void bloom_blocks_probe(const uint4* __restrict__ filter, const u64* __restrict__ keys, u32* __restrict__ hits, int n, u32 blocks) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool maybe = false;
  if (i < n) {
    const u64 h = keys[i] * 0x9E3779B97F4A7C15ull;
    const u32 block = __umulhi(u32(h >> 32), blocks), low = u32(h);
    const uint4 a = filter[block * 2], b = filter[block * 2 + 1];
    const u32 salt[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
    const u32 word[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    maybe = true;
#pragma unroll
    for (int k = 0; k < 8; ++k) maybe = maybe && (word[k] >> ((low * salt[k]) >> 27) & 1);
  }
  const u32 vote = __ballot_sync(0xffffffff, maybe);
  if (threadIdx.x % 32 == 0 && i < n) hits[i / 32] = vote;
}

// ---- learning on tables, time series ----

// K-means: the nearest centre, and new sums in shared memory
template <int DIM, int K>
__global__ void kmeans_assign_sum(const float* __restrict__ points, const float* __restrict__ centres, int* __restrict__ owner, float* sums, int* sizes, int n) {
  __shared__ float c[K][DIM + 1], s[K][DIM];
  __shared__ int members[K];
  for (int i = threadIdx.x; i < K * DIM; i += blockDim.x) c[i / DIM][i % DIM] = centres[i], s[i / DIM][i % DIM] = 0.f;
  if (threadIdx.x < K) members[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float p[DIM], best = 3e38f;
    int who = 0;
#pragma unroll
    for (int d = 0; d < DIM; ++d) p[d] = points[i * DIM + d];
    for (int k = 0; k < K; ++k) {
      float dist = 0.f;
#pragma unroll
      for (int d = 0; d < DIM; ++d) dist += (p[d] - c[k][d]) * (p[d] - c[k][d]);
      if (dist < best) best = dist, who = k;
    }
    owner[i] = who;
    for (int d = 0; d < DIM; ++d) atomicAdd(&s[who][d], p[d]);
    atomicAdd(&members[who], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < K * DIM; i += blockDim.x) atomicAdd(&sums[i], s[i / DIM][i % DIM]);
  if (threadIdx.x < K) atomicAdd(&sizes[threadIdx.x], members[threadIdx.x]);
}

// The eight nearest of all references, kept sorted by insertion
__global__ void knn8_insertion(const float3* __restrict__ queries, const float3* __restrict__ refs, int nq, int nr, float* dist, int* index) {
  constexpr int K = 8;
  __shared__ float3 tile[128];
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  const float3 me = queries[min(q, nq - 1)];
  float best[K];
  int id[K];
#pragma unroll
  for (int k = 0; k < K; ++k) best[k] = 1e30f, id[k] = -1;
  for (int base = 0; base < nr; base += 128) {
    __syncthreads();
    if (base + threadIdx.x < nr) tile[threadIdx.x] = refs[base + threadIdx.x];
    __syncthreads();
    const int m = min(128, nr - base);
    for (int j = 0; j < m; ++j) {
      const float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      float d = dx * dx + dy * dy + dz * dz;
      if (d >= best[K - 1]) continue;
      int who = base + j;
#pragma unroll
      for (int k = 0; k < K; ++k)
        if (d < best[k]) {
          const float fd = best[k];
          const int fi = id[k];
          best[k] = d, id[k] = who;
          d = fd, who = fi;
        }
    }
  }
  if (q < nq)
    for (int k = 0; k < K; ++k) dist[q * K + k] = best[k], index[q * K + k] = id[k];
}

// A forest of decision trees votes on each row of a table
struct Split {
  float threshold;
  short feature;  // negative: a leaf of class -1 - feature
  short left;     // the right one follows it
};
__global__ void forest_vote(const Split* __restrict__ trees, int trees_count, int nodes, const float* __restrict__ table, int features, u8* __restrict__ label, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  int votes[4] = {0, 0, 0, 0};
  const float* x = table + r * features;
  for (int t = 0; t < trees_count; ++t) {
    const Split* tree = trees + t * nodes;
    Split s = tree[0];
    while (s.feature >= 0) s = tree[s.left + (x[s.feature] > s.threshold)];
    ++votes[-1 - s.feature & 3];
  }
  int best = 0;
  for (int c = 1; c < 4; ++c)
    if (votes[c] > votes[best]) best = c;
  label[r] = u8(best);
}

// Dynamic time warping of a pair of series by antidiagonals, one pair a block
__global__ void dtw_pair_block(const float* __restrict__ a, const float* __restrict__ b, float* cost, int len, int band) {
  extern __shared__ float diag[];  // three diagonals of len + 1
  const int i = threadIdx.x;
  const float mine = a[blockIdx.x * len + i];
  for (int k = i; k < 3 * (len + 1); k += blockDim.x) diag[k] = 1e20f;
  __syncthreads();
  if (i == 0) diag[0] = 0.f;
  float *before = diag, *last = diag + len + 1, *now = last + len + 1;
  __syncthreads();
  for (int s = 0; s < 2 * len - 1; ++s) {
    const int j = s - i;
    float v = 1e20f;
    if (j >= 0 && j < len && abs(i - j) <= band) {
      const float d = mine - b[blockIdx.x * len + j];
      v = d * d + fminf(before[i], fminf(last[i], last[i + 1]));
    }
    now[i + 1] = v;
    if (i == 0) now[0] = 1e20f;
    __syncthreads();
    float* const old = before;
    before = last, last = now, now = old;
  }
  if (i == len - 1) cost[blockIdx.x] = last[len];
}

// ---- graphs ----

// Breadth first from below: unvisited vertices look for a parent in the frontier's bits
__global__ void bfs_pull_from_bits(const int* __restrict__ row, const int* __restrict__ col, const u32* __restrict__ frontier, const u32* __restrict__ visited, u32* next, int* parent, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  bool found = false;
  if (v < n && !(visited[v >> 5] >> (v & 31) & 1)) {
    const int end = row[v + 1];
    for (int e = row[v]; e < end; ++e) {
      const int u = col[e];
      if (frontier[u >> 5] >> (u & 31) & 1) {
        parent[v] = u;
        found = true;
        break;
      }
    }
  }
  const u32 bits = __ballot_sync(~0u, found);
  if ((threadIdx.x & 31) == 0 && v < n) next[v >> 5] = bits;
}

// PageRank: eight lanes pull for a vertex
__global__ void pagerank_pull_octets(const int* __restrict__ row, const int* __restrict__ col, const float* __restrict__ rank, const int* __restrict__ degree, float* __restrict__ out, float* residual, int n, float damping) {
  auto octet = cg::tiled_partition<8>(cg::this_thread_block());
  const int v = blockIdx.x * (blockDim.x / 8) + threadIdx.x / 8;
  if (v >= n) return;
  float s = 0.f;
  for (int e = row[v] + octet.thread_rank(); e < row[v + 1]; e += 8) {
    const int u = col[e];
    s += rank[u] / float(degree[u]);
  }
  for (int d = 4; d; d >>= 1) s += octet.shfl_down(s, d);
  if (octet.thread_rank() == 0) {
    const float fresh = (1.f - damping) / n + damping * s, change = fabsf(fresh - rank[v]);
    out[v] = fresh;
    if (change > 1e-3f) atomicAdd(residual, change);
  }
}

// Colouring by Jones and Plassmann, a round: local maxima take the least colour that is free
__device__ u32 vertex_weight(int v) { return (v + 1) * 2246822519u ^ (v >> 7) * 3266489917u; }
__global__ void colour_local_maxima(const int* __restrict__ row, const int* __restrict__ col, const signed char* __restrict__ colour, signed char* __restrict__ out, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  if (colour[v] >= 0) {
    out[v] = colour[v];
    return;
  }
  const u32 mine = vertex_weight(v);
  u64 taken = 0;
  for (int e = row[v]; e < row[v + 1]; ++e) {
    const int u = col[e], c = colour[u];
    if (c >= 0) taken |= 1ull << (c & 63);
    else if (u != v) {
      const u32 w = vertex_weight(u);
      if (w > mine || (w == mine && u > v)) {
        out[v] = -1;
        return;
      }
    }
  }
  out[v] = (signed char)(__ffsll(~taken) - 1);
}

// Triangles at a vertex: its neighbours in a hash set of the block, the neighbours' lists looked up
__global__ void triangles_hashed_list(const int* __restrict__ row, const int* __restrict__ col, int n, u32* total) {
  __shared__ int set[512];
  for (int v = blockIdx.x; v < n; v += gridDim.x) {
    for (int i = threadIdx.x; i < 512; i += blockDim.x) set[i] = -1;
    __syncthreads();
    const int begin = row[v], end = min(row[v + 1], begin + 256);
    for (int e = begin + threadIdx.x; e < end; e += blockDim.x) {
      u32 h = col[e] * 2654435761u >> 23;
      while (true) {
        const int old = atomicCAS(&set[h], -1, col[e]);
        if (old == -1 || old == col[e]) break;
        h = (h + 1) & 511;
      }
    }
    __syncthreads();
    u32 found = 0;
    for (int e = begin; e < end; ++e) {
      const int u = col[e];
      if (u <= v) continue;
      for (int f = row[u] + threadIdx.x; f < row[u + 1]; f += blockDim.x) {
        const int w = col[f];
        u32 h = w * 2654435761u >> 23;
        while (set[h] != -1 && set[h] != w) h = (h + 1) & 511;
        found += w > u && set[h] == w;
      }
    }
    if (found) atomicAdd(total, found);
    __syncthreads();
  }
}

// Connected parts of a tile of an image: union-find in shared memory
__device__ int find_label(const volatile int* label, int i) {
  while (label[i] != i) i = label[i];
  return i;
}
__device__ void unite_labels(int* label, int a, int b) {
  while (true) {
    a = find_label(label, a), b = find_label(label, b);
    if (a == b) return;
    if (a < b) {
      const int t = a;
      a = b, b = t;
    }
    const int old = atomicMin(&label[a], b);
    if (old == a) return;
    a = old;
  }
}
__global__ void label_tile_components(const u8* __restrict__ image, int* __restrict__ labels, int width) {
  __shared__ int label[32 * 16];
  __shared__ u8 pixel[32 * 16];
  const int x = threadIdx.x, y = threadIdx.y, t = y * 32 + x, gx = blockIdx.x * 32 + x, gy = blockIdx.y * 16 + y;
  pixel[t] = image[gy * width + gx];
  label[t] = t;
  __syncthreads();
  if (pixel[t]) {
    if (x && pixel[t - 1]) unite_labels(label, t, t - 1);
    if (y && pixel[t - 32]) unite_labels(label, t, t - 32);
  }
  __syncthreads();
  const int root = find_label(label, t);
  labels[gy * width + gx] = pixel[t] ? int((blockIdx.y * 16 + root / 32) * width + blockIdx.x * 32 + root % 32) : -1;
}

// ---- checksums, ciphers, long numbers, sequences ----

// CRC-32 of records, four bytes a step with four tables
__global__ void crc32_slices(const u32* __restrict__ tables, const u32* __restrict__ data, const int2* __restrict__ records, u32* __restrict__ crc, int n) {
  __shared__ u32 t[4][256];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) t[i >> 8][i & 255] = tables[i];
  __syncthreads();
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  u32 c = ~0u;
  const int2 rec = records[r];
  for (int w = 0; w < rec.y; ++w) {
    c ^= data[rec.x + w];
    c = t[3][c & 255] ^ t[2][c >> 8 & 255] ^ t[1][c >> 16 & 255] ^ t[0][c >> 24];
  }
  crc[r] = ~c;
}

// Speck128/128 in counter mode
__device__ __forceinline__ u64 ror64(u64 x, int r) { return x >> r | x << (64 - r); }
__global__ void speck128_counter(const ulonglong2* __restrict__ in, ulonglong2* __restrict__ out, ulonglong2 key, u64 nonce, int blocks) {
  __shared__ u64 round_key[32];
  if (threadIdx.x == 0) {
    u64 a = key.x, b = key.y;
    for (int i = 0; i < 32; ++i) {
      round_key[i] = a;
      b = (ror64(b, 8) + a) ^ u64(i);
      a = ror64(a, 61) ^ b;
    }
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= blocks) return;
  u64 x = nonce, y = i;
#pragma unroll 8
  for (int r = 0; r < 32; ++r) {
    x = (ror64(x, 8) + y) ^ round_key[r];
    y = ror64(y, 61) ^ x;
  }
  const ulonglong2 v = in[i];
  out[i] = make_ulonglong2(v.x ^ x, v.y ^ y);
}

// Powers modulo a number of 256 bits, products by Montgomery's method
struct Big256 {
  u32 w[8];
};
__device__ void mont_product(u32* r, const u32* a, const u32* b, const u32* m, u32 minv) {
  u32 t[10] = {0};
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    u64 carry = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      carry += u64(a[j]) * b[i] + t[j];
      t[j] = u32(carry);
      carry >>= 32;
    }
    carry += t[8];
    t[8] = u32(carry), t[9] = u32(carry >> 32);
    const u32 q = t[0] * minv;
    carry = (u64(q) * m[0] + t[0]) >> 32;
#pragma unroll
    for (int j = 1; j < 8; ++j) {
      carry += u64(q) * m[j] + t[j];
      t[j - 1] = u32(carry);
      carry >>= 32;
    }
    carry += t[8];
    t[7] = u32(carry), t[8] = t[9] + u32(carry >> 32);
  }
  u32 borrow = 0, s[8];
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const u64 d = u64(t[j]) - m[j] - borrow;
    s[j] = u32(d), borrow = u32(d >> 32) & 1;
  }
  const bool take = t[8] || !borrow;
#pragma unroll
  for (int j = 0; j < 8; ++j) r[j] = take ? s[j] : t[j];
}
__global__ void powmod_256(const Big256* base, const u64* exponent, Big256* out, Big256 modulus, Big256 one, u32 minv, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Big256 b = base[i], r = one;
  for (u64 e = exponent[i]; e; e >>= 1) {
    if (e & 1) mont_product(r.w, r.w, b.w, modulus.w, minv);
    mont_product(b.w, b.w, b.w, modulus.w, minv);
  }
  out[i] = r;
}

// Edit distance of reads of up to 64 letters to windows of a genome, a column of bits at a time (Myers)
__global__ void myers_read_windows(const u8* __restrict__ genome, const u8* __restrict__ reads, const int* __restrict__ lengths, const int* __restrict__ where, int2* __restrict__ best, int n, int window) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  const int len = lengths[r];
  u64 eq[4] = {0, 0, 0, 0};
  for (int k = 0; k < len; ++k) {
    const u64 bit = 1ull << k;
    switch (reads[r * 64 + k]) {
      case 'A': eq[0] |= bit; break;
      case 'C': eq[1] |= bit; break;
      case 'G': eq[2] |= bit; break;
      default: eq[3] |= bit;
    }
  }
  const u64 last = 1ull << (len - 1);
  u64 pv = ~0ull, mv = 0;
  int score = len, least = len, at = -1;
  const u8* text = genome + where[r];
  for (int j = 0; j < window; ++j) {
    const u8 c = text[j];
    const u64 e = c == 'A' ? eq[0] : c == 'C' ? eq[1] : c == 'G' ? eq[2] : eq[3];
    const u64 xv = e | mv, xh = (((e & pv) + pv) ^ pv) | e;
    u64 ph = mv | ~(xh | pv), mh = pv & xh;
    if (ph & last) ++score;
    else if (mh & last) --score;
    ph <<= 1, mh <<= 1;
    pv = mh | ~(xv | ph);
    mv = ph & xv;
    if (score < least) least = score, at = j;
    if (least == 0) break;
  }
  best[r] = make_int2(least, at);
}

// Sobol points in Gray code order, a dimension for each row of blocks
__constant__ u32 sobol_direction[16][32];
__global__ void sobol_gray_points(float* __restrict__ out, int points) {
  const u32* v = sobol_direction[blockIdx.y];
  const int stride = gridDim.x * blockDim.x;
  u32 i = blockIdx.x * blockDim.x + threadIdx.x, x = 0;
  for (u32 g = i ^ i >> 1, k = 0; g; g >>= 1, ++k)
    if (g & 1) x ^= v[k];
  const int jump = __ffs(stride) - 1;  // a power of two
  for (; i < u32(points); i += stride) {
    out[blockIdx.y * points + i] = x * 2.3283064365386963e-10f;
    x ^= v[jump - 1] ^ v[__ffs(~(i >> jump)) - 1 + jump];
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const u32* words = on_device<u32>(8 * M, [](uint32_t i) { return hashed(i); });
  const float* f = on_device<float>(8 * M, [](uint32_t i) { return fraction(i); });
  u32* o = zeros<u32>(16 * M);

  std::vector<int> heads(1 << 17, -1);
  std::vector<BuildRow> build(200000);
  for (int i = 0; i < 200000; ++i) {
    const u32 key = hashed(i * 3 + 1) % 250000;
    int& head = heads[join_bucket(key, 17)];
    build[i] = BuildRow{key, i, head}, head = i;
  }
  const int* heads_d = on_device(heads);
  const BuildRow* build_d = on_device(build);
  const u32* probe = on_device<u32>(M, [](uint32_t i) { return hashed(i + 77) % 400000; });
  u32* cursor = zeros<u32>(16);
  run("join_probe_chains", [&] { join_probe_chains<<<1056, 256>>>(heads_d, build_d, probe, M, 17, cursor, (int2*)o, (1u << 22) - 1); });
  const int* group = on_device<int>(4 * M, [](uint32_t i) { return int(hashed(i) % 16 ? hashed(i) % 600 : hashed(i) % 5000); });
  run("groupby_shared_table", [&] { groupby_shared_table<<<264, 512>>>(group, f, 4 * M, (float*)o, o + 8192); });
  run("split_sort_blocks", [&] { split_sort_blocks<<<2048, 512>>>(words, o, 32); });
  run("split_sort_blocks_100", [&] { split_sort_blocks<<<100, 512>>>(words, o, 32); });
  std::vector<int> rising(M);
  for (int i = 0; i < M; ++i) rising[i] = int(hashed(i) >> 2);
  std::sort(rising.begin(), rising.begin() + 700000), std::sort(rising.begin() + 700000, rising.end());
  const int* rising_d = on_device(rising);
  run("merge_by_diagonals", [&] { merge_by_diagonals<16><<<M / 16 / 128, 128>>>(rising_d, 700000, rising_d + 700000, M - 700000, (int*)o); });
  run("scan_raked_tiles", [&] { scan_raked_tiles<256, 8><<<8 * M / 2048, 256>>>((const int*)words, (int*)o, (int*)o + 8 * M, 8 * M - 5); });

  std::vector<FrameHeader> frames(40000);
  u32 word = 0;
  for (u32 i = 0; i < frames.size(); ++i) {
    frames[i] = FrameHeader{word, hashed(i) % 100000, 3 + hashed(i + 1) % 17};
    word += frames[i].width * 4;
  }
  const FrameHeader* frames_d = on_device(frames);
  run("frame_unpack", [&] { frame_unpack<<<40000 / 4, 128>>>(words, frames_d, o, 40000); });
  std::vector<u8> varints;
  std::vector<u32> chunk;
  for (u32 i = 0; i < 60000 * 32; ++i) {
    if (i % 32 == 0) chunk.push_back(u32(varints.size()));
    u32 v = hashed(i) >> (8 + hashed(i + 3) % 22);
    for (; v > 127; v >>= 7) varints.push_back(u8(v | 128));
    varints.push_back(u8(v));
  }
  const u8* varints_d = on_device(varints);
  const u32* chunk_d = on_device(chunk);
  run("varint_delta_chunks", [&] { varint_delta_chunks<<<60000 / 192 + 1, 192>>>(varints_d, chunk_d, o, 60000); });
  std::vector<u8> stream;
  std::vector<u32> starts;
  for (u32 p = 0, at = 1; p < 3000; ++p) {
    starts.push_back(u32(stream.size()));
    for (int have = 0; have < 4096; ++at) {
      const int literals = 1 + int(hashed(at) % 24), length = 4 + int(hashed(at + 1) % 60), distance = 1 + int(hashed(at + 2) % (have + literals));
      for (int b : {literals, length, distance & 255, distance >> 8}) stream.push_back(u8(b));
      for (int k = 0; k < literals; ++k) stream.push_back(u8(hashed(at * 32 + k)));
      have += literals + length;
    }
  }
  const u8* stream_d = on_device(stream);
  const u32* starts_d = on_device(starts);
  run("lz_page_decode", [&] { lz_page_decode<<<3000 / 4, 128>>>(stream_d, starts_d, (u8*)o, 3000); });

  const char* json = on_device<char>(16 * M, [](uint32_t i) { return "{\"name\":[12,3.5],\"t\":true}, abcdef"[(i + hashed(i / 64) % 3) % 34]; });
  run("json_string_masks", [&] { json_string_masks<<<M / 2 / 256, 256>>>((const uint4*)json, o, o + M, M / 2); });
  const uint4* filter = on_device<uint4>(2 * M, [](uint32_t i) { return make_uint4(~hashed(i) | hashed(i + 1), hashed(i) | hashed(i + 2), ~0u, hashed(i + 3) | hashed(i + 4) | hashed(i + 5)); });
  run("bloom_blocks_probe", [&] { bloom_blocks_probe<<<2 * M / 256, 256>>>(filter, (const u64*)words, o, 2 * M, M); });

  run("kmeans_assign_sum", [&] { kmeans_assign_sum<12, 40><<<264, 256>>>(f, f + 4 * M, (int*)o, (float*)o + M, (int*)o + 2 * M, 250000); });
  run("knn8_insertion", [&] { knn8_insertion<<<6000 / 128 + 1, 128>>>((const float3*)f, (const float3*)f + 100000, 6000, 5000, (float*)o, (int*)o + M); });
  std::vector<Split> forest(48 * 255);
  for (int t = 0; t < 48; ++t)
    for (int k = 0; k < 255; ++k) {
      const u32 h = hashed(t * 255 + k);
      const bool leaf = k >= 127 || (k > 6 && h % 9 == 0);
      forest[t * 255 + k] = Split{0.25f + 0.5f * fraction(h), short(leaf ? -1 - int(h % 4) : int(h % 30)), short(2 * k + 1)};
    }
  const Split* forest_d = on_device(forest);
  run("forest_vote", [&] { forest_vote<<<30000 / 128 + 1, 128>>>(forest_d, 48, 255, f, 30, (u8*)o, 30000); });
  run("dtw_pair_block", [&] { dtw_pair_block<<<500, 256, 3 * 257 * sizeof(float)>>>(f, f + M, (float*)o, 256, 60); });

  constexpr int n = 120000;
  std::vector<int> row(n + 1, 0), col, degree(n);
  for (int v = 0; v < n; ++v) {
    const size_t begin = col.size();
    for (u32 k = 0; k < 3 + hashed(v) % 14 + (hashed(v) % 211 == 0 ? 150 : 0); ++k) col.push_back(k % 3 ? int((v + 1 + hashed(v * 37 + k) % 50) % n) : int(hashed(v * 37 + k) % n));
    std::sort(col.begin() + begin, col.end());
    row[v + 1] = int(col.size()), degree[v] = int(col.size() - begin);
  }
  const int *row_d = on_device(row), *col_d = on_device(col), *degree_d = on_device(degree);
  const u32* frontier = on_device<u32>(n / 32 + 1, [](uint32_t i) { return hashed(i) & hashed(i + 1) & hashed(i + 2); });
  const u32* visited = on_device<u32>(n / 32 + 1, [](uint32_t i) { return hashed(i) | (i % 7 ? 0u : ~0u); });
  run("bfs_pull_from_bits", [&] { bfs_pull_from_bits<<<n / 256 + 1, 256>>>(row_d, col_d, frontier, visited, o, (int*)o + M, n); });
  run("pagerank_pull_octets", [&] { pagerank_pull_octets<<<n / 32 + 1, 256>>>(row_d, col_d, f, degree_d, (float*)o, (float*)o + M, n, 0.85f); });
  const signed char* colours = on_device<signed char>(n, [](uint32_t i) { return (signed char)(hashed(i) % 3 ? -1 : int(hashed(i + 1) % 20)); });
  run("colour_local_maxima", [&] { colour_local_maxima<<<n / 512 + 1, 512>>>(row_d, col_d, colours, (signed char*)o, n); });
  run("triangles_hashed_list", [&] { triangles_hashed_list<<<1500, 64>>>(row_d, col_d, 9000, o); });
  const u8* blobs = on_device<u8>(2 * M, [](uint32_t i) { return u8(hashed((i >> 11 >> 1) * 700 + (i % 2048) / 3) % 5 < 3); });
  run("label_tile_components", [&] { label_tile_components<<<dim3(64, 64), dim3(32, 16)>>>(blobs, (int*)o, 2048); });

  std::vector<u32> tables(1024);
  for (u32 i = 0; i < 256; ++i) {
    u32 c = i;
    for (int k = 0; k < 8; ++k) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    tables[i] = c;
  }
  for (u32 i = 256; i < 1024; ++i) tables[i] = tables[i - 256] >> 8 ^ tables[tables[i - 256] & 255];
  const u32* tables_d = on_device(tables);
  const int2* records = on_device<int2>(40000, [](uint32_t i) { return make_int2(int(i * 100), int(8 + hashed(i) % 90)); });
  run("crc32_slices", [&] { crc32_slices<<<40000 / 256 + 1, 256>>>(tables_d, words, records, o, 40000); });
  run("speck128_counter", [&] { speck128_counter<<<2 * M / 1024, 1024>>>((const ulonglong2*)words, (ulonglong2*)o, make_ulonglong2(0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull), 99, 2 * M); });
  Big256 modulus, one;
  for (int k = 0; k < 8; ++k) modulus.w[k] = hashed(k + 900) | 1, one.w[k] = ~modulus.w[k];
  modulus.w[7] |= 0x80000000u, one.w[7] = ~modulus.w[7], one.w[0] += 1;
  u32 minv = 1;
  for (int k = 0; k < 5; ++k) minv *= 2 - modulus.w[0] * minv;
  run("powmod_256", [&] { powmod_256<<<16384 / 64, 64>>>((const Big256*)words, (const u64*)words + M, (Big256*)o, modulus, one, 0u - minv, 16384); });
  std::vector<u8> genome(500000), reads(60000 * 64);
  std::vector<int> lengths(60000), where(60000);
  for (u32 i = 0; i < genome.size(); ++i) genome[i] = "ACGT"[hashed(i) % 4];
  for (u32 r = 0; r < 60000; ++r) {
    lengths[r] = 40 + int(hashed(r) % 25), where[r] = int(hashed(r + 5) % 499000);
    for (u32 k = 0; k < 64; ++k) reads[r * 64 + k] = hashed(r * 64 + k) % 30 == 0 ? 'A' : genome[where[r] + k + hashed(r) % 60];
  }
  const u8 *genome_d = on_device(genome), *reads_d = on_device(reads);
  const int *lengths_d = on_device(lengths), *where_d = on_device(where);
  run("myers_read_windows", [&] { myers_read_windows<<<60000 / 128 + 1, 128>>>(genome_d, reads_d, lengths_d, where_d, (int2*)o, 60000, 150); });
  std::vector<u32> directions(16 * 32);
  for (int i = 0; i < 512; ++i) directions[i] = (1u << (31 - i % 32)) | (i / 32 ? hashed(i) & ~0u << (31 - i % 32) : 0);
  CHECK(cudaMemcpyToSymbol(sobol_direction, directions.data(), directions.size() * sizeof(u32)));
  run("sobol_gray_points", [&] { sobol_gray_points<<<dim3(32, 16), 128>>>((float*)o, 500000); });
  return 0;
}
