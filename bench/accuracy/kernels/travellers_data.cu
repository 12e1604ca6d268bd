// Databases, graphs, sequences and hashes: filters, groups, joins and windows, decoded columns, sketches, trees, walks, centrality and cores, alignments and indices of genomes, digests and memory-hard mixing.
#include <cuda_runtime.h>

#include "cases.h"

typedef unsigned int u32;
typedef unsigned long long u64;

// Revenue of a range of dates, discounts and quantities (TPC-H's sixth query), four rows a thread.
__global__ void q6_revenue(const int4* __restrict__ date, const uchar4* __restrict__ discount, const uchar4* __restrict__ quantity, const int4* __restrict__ price, u64* revenue, int n4, int from, int to) {
  u64 sum = 0;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n4) {
    const int4 d = date[i];
    const bool p0 = d.x >= from && d.x < to, p1 = d.y >= from && d.y < to, p2 = d.z >= from && d.z < to, p3 = d.w >= from && d.w < to;
    if (p0 || p1 || p2 || p3) {
      const uchar4 s = discount[i], q = quantity[i];
      const bool m0 = p0 && s.x >= 5 && s.x <= 7 && q.x < 24, m1 = p1 && s.y >= 5 && s.y <= 7 && q.y < 24, m2 = p2 && s.z >= 5 && s.z <= 7 && q.z < 24, m3 = p3 && s.w >= 5 && s.w <= 7 && q.w < 24;
      if (m0 || m1 || m2 || m3) {
        const int4 p = price[i];
        sum = (m0 ? (u64)p.x * s.x : 0) + (m1 ? (u64)p.y * s.y : 0) + (m2 ? (u64)p.z * s.z : 0) + (m3 ? (u64)p.w * s.w : 0);
      }
    }
  }
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(~0u, sum, o);
  __shared__ u64 part[32];
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) sum += part[w];
    if (sum) atomicAdd(revenue, sum);
  }
}

// Sums and counts of groups: a table in shared memory first, rows that find no place there go to the global one.
template <int LOCAL>
__global__ void groupby_local_first(const u32* __restrict__ keys, const int* __restrict__ values, u32* __restrict__ table_keys, u64* __restrict__ table_sums, int n, u32 mask) {
  __shared__ u32 lk[LOCAL];
  __shared__ int ls[LOCAL];
  for (int i = threadIdx.x; i < LOCAL; i += blockDim.x) lk[i] = ~0u, ls[i] = 0;
  __syncthreads();
  auto global_add = [&](u32 key, int value) {
    for (u32 at = key * 2654435769u >> 12 & mask;; at = (at + 1) & mask) {
      const u32 was = atomicCAS(table_keys + at, ~0u, key);
      if (was == ~0u || was == key) {
        atomicAdd(table_sums + at, (u64)value);
        return;
      }
    }
  };
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const u32 key = keys[i];
    u32 at = key * 2654435769u >> 20 & (LOCAL - 1);
    bool placed = false;
    for (int probe = 0; probe < 4 && !placed; ++probe, at = (at + 1) & (LOCAL - 1)) {
      const u32 was = atomicCAS(lk + at, ~0u, key);
      if (was == ~0u || was == key) {
        atomicAdd(ls + at, values[i]);
        placed = true;
      }
    }
    if (!placed) global_add(key, values[i]);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < LOCAL; i += blockDim.x)
    if (lk[i] != ~0u) global_add(lk[i], ls[i]);
}

// Strings of a dictionary written one behind the other: half a warp a row.
__global__ void dictionary_strings(const int* __restrict__ codes, const int* __restrict__ dict_offsets, const char* __restrict__ dict, const int* __restrict__ out_offsets, char* __restrict__ out, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
  if (row >= rows) return;
  const int code = codes[row], begin = dict_offsets[code], len = dict_offsets[code + 1] - begin, to = out_offsets[row];
  for (int i = lane; i < len; i += 16) out[to + i] = dict[begin + i];
}

// Run lengths undone: each output searches its run among the runs' ends.
__global__ void rle_expand(const int* run_ends, const short* run_values, short* out, int runs, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int lo = 0, hi = runs - 1;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (run_ends[mid] > i)
      hi = mid;
    else
      lo = mid + 1;
  }
  out[i] = run_values[lo];
}

// Deltas of 128 values a block, packed with as many bits as the block needs, zigzag; a warp makes the sums.
__global__ void delta_zigzag_decode(const u32* __restrict__ packed, const uint2* __restrict__ headers, int* __restrict__ out, int blocks) {
  const int b = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (b >= blocks) return;
  const uint2 header = headers[b];
  const u32 bits = header.x >> 26, base = header.x & 0x3ffffff, mask = bits == 32 ? ~0u : (1u << bits) - 1;
  int v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const u32 bit = (lane * 4 + k) * bits, word = base + bit / 32;
    const u32 raw = __funnelshift_r(packed[word], packed[word + 1], bit & 31) & mask;
    v[k] = (int)(raw >> 1) ^ -(int)(raw & 1);
  }
  v[1] += v[0], v[2] += v[1], v[3] += v[2];
  int sum = v[3];
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    const int add = __shfl_up_sync(~0u, sum, o);
    if (lane >= o) sum += add;
  }
  const int before = sum - v[3] + (int)header.y;
  reinterpret_cast<int4*>(out)[b * 32 + lane] = make_int4(v[0] + before, v[1] + before, v[2] + before, v[3] + before);
}

// Doubles of time series by XOR (Gorilla): a thread reads a series' bits.
__global__ void gorilla_decode(const u64* __restrict__ stream, const int* __restrict__ start, double* __restrict__ out, int series, int count) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= series) return;
  const u64* words = stream + start[s];
  u64 value = words[0];
  int pos = 64, lead = 0, length = 64;
  auto take = [&](int n) {
    const int w = pos >> 6, shift = pos & 63;
    u64 v = words[w] << shift;
    if (shift + n > 64) v |= words[w + 1] >> (64 - shift);
    pos += n;
    return v >> (64 - n);
  };
  out[s] = __longlong_as_double(value);
  for (int i = 1; i < count; ++i) {
    if (take(1)) {
      if (take(1)) {
        lead = (int)take(5);
        length = (int)take(6) + 1;
      }
      value ^= take(length) << (64 - lead - length);
    }
    out[(size_t)i * series + s] = __longlong_as_double(value);
  }
}

// Averages over the last W rows of a partition, in tiles with a halo.
__global__ void window_average(const int* __restrict__ partition, const float* __restrict__ value, float* __restrict__ out, int n, int w) {
  extern __shared__ char window_memory[];
  int* sp = reinterpret_cast<int*>(window_memory);
  float* sv = reinterpret_cast<float*>(sp + blockDim.x + w - 1);
  const int begin = blockIdx.x * blockDim.x - (w - 1);
  for (int i = threadIdx.x; i < blockDim.x + w - 1; i += blockDim.x) {
    const int g = begin + i;
    sp[i] = g >= 0 && g < n ? partition[g] : -1;
    sv[i] = g >= 0 && g < n ? value[g] : 0.f;
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int me = sp[threadIdx.x + w - 1];
  float sum = 0.f;
  int count = 0;
  for (int k = threadIdx.x + w - 1; k >= (int)threadIdx.x && sp[k] == me; --k) sum += sv[k], ++count;
  out[i] = sum / count;
}

// How many rows of the other side lie within a distance: two searches a row of a sorted column.
__global__ void band_join_count(const int* __restrict__ left, const int* __restrict__ right, u32* __restrict__ counts, int n, int m, int band) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    auto lower = [&](int key) {
      int at = -1;
      for (int step = 1 << (31 - __clz(m)); step > 0; step >>= 1)
        if (at + step < m && right[at + step] < key) at += step;
      return at + 1;
    };
    const int key = left[i];
    counts[i] = lower(key + band + 1) - lower(key - band);
  }
}

struct alignas(64) BNode {
  int keys[15];
  int first_child;
};
// Keys looked up in a tree of nodes with fifteen keys, sixteen lanes a query.
__global__ void btree_find(const BNode* __restrict__ nodes, const int* __restrict__ queries, int* __restrict__ out, int n, int depth) {
  const int q = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
  const u32 group = 0xffffu << (threadIdx.x & 16);
  if (q >= n) return;
  const int key = queries[q];
  int node = 0, child = 0;
  for (int level = 0; level < depth; ++level) {
    const int word = reinterpret_cast<const int*>(nodes + node)[lane];
    const u32 greater = __ballot_sync(group, lane < 15 && key >= word) >> (threadIdx.x & 16) & 0x7fff;
    child = __shfl_sync(group, word, 15, 16) + __popc(greater);
    node = child;
  }
  if (lane == 0) out[q] = child;
}

// Distinct values estimated: registers of groups hold the most leading zeros.
__global__ void hyperloglog(const u64* __restrict__ items, u32* __restrict__ registers, int n) {
  __shared__ u32 reg[2048];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) reg[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    u64 h = items[i];
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdull;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53ull;
    h ^= h >> 33;
    const u32 bucket = (u32)(h >> 53), rank = __clzll((h << 11) | 1024) + 1;
    atomicMax(&reg[bucket], rank);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 2048; i += blockDim.x)
    if (reg[i]) atomicMax(registers + i, reg[i]);
}

// Walks over a graph whose next node is drawn by an alias table.
__global__ void alias_walks(const int* __restrict__ row, const int* __restrict__ adj, const float* __restrict__ prob, const int* __restrict__ alias, int* __restrict__ walks, int count, int length, int nodes) {
  const int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= count) return;
  int v = w % nodes;
  u32 s = w * 747796405u + 1u;
  for (int step = 0; step < length; ++step) {
    walks[(size_t)step * count + w] = v;
    const int begin = row[v], degree = row[v + 1] - begin;
    if (degree == 0) {
      v = w % nodes;
      continue;
    }
    s = s * 1664525u + 1013904223u;
    const int k = begin + (int)__umulhi(s, (u32)degree);
    s = s * 1664525u + 1013904223u;
    v = (s >> 8) * (1.f / 16777216.f) < prob[k] ? adj[k] : adj[begin + alias[k]];
  }
}

// Betweenness: dependencies of one level pulled from the next, a warp a node of the level.
__global__ void bc_dependencies(const int* __restrict__ row, const int* __restrict__ adj, const int* __restrict__ depth, const float* __restrict__ sigma, float* __restrict__ delta, const int* __restrict__ frontier, int count, int level) {
  const int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (w >= count) return;
  const int v = frontier[w];
  float sum = 0.f;
  for (int e = row[v] + lane; e < row[v + 1]; e += 32) {
    const int u = adj[e];
    if (depth[u] == level + 1) sum += (1.f + delta[u]) / sigma[u];
  }
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
  if (lane == 0) delta[v] = sum * sigma[v];
}

// Nodes of less than k neighbours leave; their neighbours' degrees fall.
__global__ void kcore_peel(const int* row, const int* adj, const unsigned char* leaving, int* degree, int nodes) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= nodes || !leaving[v]) return;
  for (int e = row[v]; e < row[v + 1]; e++)
    if (!leaving[adj[e]]) atomicSub(&degree[adj[e]], 1);
}

// Distances by Myers' bit vectors: a thread a text, the pattern's masks in shared memory.
__global__ void myers_distance(const unsigned char* __restrict__ pattern, const unsigned char* __restrict__ texts, int* __restrict__ best, int m, int length, int count) {
  __shared__ u64 peq[4];
  if (threadIdx.x < 4) {
    u64 bits = 0;
    for (int i = 0; i < m; ++i)
      if (pattern[i] == threadIdx.x) bits |= 1ull << i;
    peq[threadIdx.x] = bits;
  }
  __syncthreads();
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= count) return;
  u64 pv = ~0ull, mv = 0;
  int score = m, least = m;
  const u64 top = 1ull << (m - 1);
  for (int i = 0; i < length; ++i) {
    const u64 eq = peq[texts[(size_t)i * count + t] & 3];
    const u64 xv = eq | mv, xh = (((eq & pv) + pv) ^ pv) | eq;
    u64 ph = mv | ~(xh | pv), mh = pv & xh;
    score += (ph & top) != 0;
    score -= (mh & top) != 0;
    ph <<= 1;
    mh <<= 1;
    pv = mh | ~(xv | ph);
    mv = ph & xv;
    least = min(least, score);
  }
  best[t] = least;
}

// The least k-mers of windows (minimizers): hashes of a tile in shared memory.
__global__ void minimizers(const unsigned char* __restrict__ bases, u64* __restrict__ out, int n, int k, int w) {
  extern __shared__ u64 tile_hash[];
  const int begin = blockIdx.x * blockDim.x;
  for (int i = threadIdx.x; i < blockDim.x + w - 1; i += blockDim.x) {
    u64 h = ~0ull;
    if (begin + i + k <= n) {
      u64 forward = 0, backward = 0;
      for (int j = 0; j < k; ++j) {
        const u64 b = bases[begin + i + j] & 3;
        forward = forward << 2 | b;
        backward |= (3 - b) << (2 * j);
      }
      h = min(forward, backward);
      h = (~h + (h << 21)) & ((1ull << 2 * k) - 1);
      h ^= h >> 24;
      h = (h + (h << 3) + (h << 8)) & ((1ull << 2 * k) - 1);
    }
    tile_hash[i] = h;
  }
  __syncthreads();
  u64 least = ~0ull;
  int at = 0;
  for (int j = 0; j < w; ++j)
    if (tile_hash[threadIdx.x + j] < least) least = tile_hash[threadIdx.x + j], at = j;
  if (begin + threadIdx.x < n) out[begin + threadIdx.x] = least << 8 | at;
}

struct alignas(64) OccBlock {
  u32 count[4];
  u64 bits[6];  // three pairs: 192 symbols
};
// Reads searched backwards in an FM index.
__device__ __forceinline__ u32 fm_occ(const OccBlock* occ, u32 pos, u32 c) {
  const OccBlock* b = occ + pos / 192;
  u32 rest = pos % 192, n = b->count[c];
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    const u64 lo = b->bits[2 * i], hi = b->bits[2 * i + 1];
    const u64 match = (c & 1 ? lo : ~lo) & (c & 2 ? hi : ~hi);
    const u32 take = min(rest, 64u);
    n += __popcll(take == 64 ? match : match & ((1ull << take) - 1));
    rest -= take;
  }
  return n;
}
__global__ void fm_backward_search(const OccBlock* __restrict__ occ, const u32* __restrict__ first, const unsigned char* __restrict__ reads, uint2* __restrict__ ranges, int count, int length, u32 n) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count) return;
  u32 lo = 0, hi = n;
  for (int i = length - 1; i >= 0 && lo < hi; --i) {
    const u32 c = reads[r * length + i] & 3;
    lo = first[c] + fm_occ(occ, lo, c);
    hi = first[c] + fm_occ(occ, hi, c);
  }
  ranges[r] = make_uint2(lo, hi);
}

// Banded alignment of read and reference, a warp a pair: the band's 32 cells go down the diagonal by shuffles.
__global__ void banded_align_warp(const unsigned char* __restrict__ reads, const unsigned char* __restrict__ refs, int* __restrict__ scores, int pairs, int length) {
  const int p = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (p >= pairs) return;
  const unsigned char *a = reads + (size_t)p * length, *b = refs + (size_t)p * (length + 32);
  int h = 0, e = -1000, best = 0;
  for (int i = 0; i < length; ++i) {
    const int sub = (a[i] & 3) == (b[i + lane] & 3) ? 2 : -3;
    int up = __shfl_down_sync(~0u, h, 1), up_e = __shfl_down_sync(~0u, e, 1);
    if (lane == 31) up = 0, up_e = -1000;
    e = max(up - 5, up_e - 1);
    int cell = max(max(h + sub, e), 0);
    // Gaps along the row: a prefix maximum of cells with their distance.
    int f = cell + lane;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
      const int other = __shfl_up_sync(~0u, f, o);
      if (lane >= o) f = max(f, other);
    }
    f = __shfl_up_sync(~0u, f, 1);
    if (lane > 0) cell = max(cell, f - lane - 4);
    h = cell;
    best = max(best, h);
  }
  best = __reduce_max_sync(~0u, best);
  if (lane == 0) scores[p] = best;
}

// SHA-512 of pairs of digests: a level of a tree of hashes.
__constant__ u64 sha512_k[80];
__global__ __launch_bounds__(128) void sha512_tree_level(const u64* __restrict__ in, u64* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  auto ror = [](u64 x, int r) { return x >> r | x << (64 - r); };
  u64 s[8] = {0x6a09e667f3bcc908ull, 0xbb67ae8584caa73bull, 0x3c6ef372fe94f82bull, 0xa54ff53a5f1d36f1ull, 0x510e527fade682d1ull, 0x9b05688c2b3e6c1full, 0x1f83d9abfb41bd6bull, 0x5be0cd19137e2179ull};
  u64 w[16];
#pragma unroll 1
  for (int block = 0; block < 2; ++block) {
#pragma unroll
    for (int k = 0; k < 16; ++k) w[k] = block == 0 ? in[(size_t)k * n + i] : k == 0 ? 1ull << 63 : k == 15 ? 1024 : 0;
    u64 v[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) v[k] = s[k];
#pragma unroll 1
    for (int r = 0; r < 80; r += 16) {
#pragma unroll
      for (int k = 0; k < 16; ++k) {
        const u64 t1 = v[7] + (ror(v[4], 14) ^ ror(v[4], 18) ^ ror(v[4], 41)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) + sha512_k[r + k] + w[k];
        const u64 t2 = (ror(v[0], 28) ^ ror(v[0], 34) ^ ror(v[0], 39)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + t1, v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = t1 + t2;
        const u64 x = w[(k + 1) & 15], y = w[(k + 14) & 15];
        w[k] += (ror(x, 1) ^ ror(x, 8) ^ x >> 7) + w[(k + 9) & 15] + (ror(y, 19) ^ ror(y, 61) ^ y >> 6);
      }
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) s[k] += v[k];
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) out[(size_t)k * n + i] = s[k];
}

// Chaining values of BLAKE3's chunks of 1024 bytes, a thread a chunk.
__global__ void blake3_chunks(const uint4* __restrict__ data, u32* __restrict__ cv, int chunks) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= chunks) return;
  const u32 iv[8] = {0x6A09E667u, 0xBB67AE85u, 0x3C6EF372u, 0xA54FF53Au, 0x510E527Fu, 0x9B05688Cu, 0x1F83D9ABu, 0x5BE0CD19u};
  u32 h[8];
  for (int i = 0; i < 8; ++i) h[i] = iv[i];
  for (int b = 0; b < 16; ++b) {
    u32 m[16], v[16];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const uint4 q = data[(size_t)c * 64 + b * 4 + i];
      m[4 * i] = q.x, m[4 * i + 1] = q.y, m[4 * i + 2] = q.z, m[4 * i + 3] = q.w;
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) v[i] = h[i];
    v[8] = iv[0], v[9] = iv[1], v[10] = iv[2], v[11] = iv[3], v[12] = c, v[13] = 0, v[14] = 64, v[15] = (b == 0 ? 1 : 0) | (b == 15 ? 2 : 0);
#define G(a, b, c, d, x, y)                                  \
  v[a] += v[b] + x, v[d] = __byte_perm(v[d] ^ v[a], 0, 0x1032); \
  v[c] += v[d], v[b] = __funnelshift_r(v[b] ^ v[c], v[b] ^ v[c], 12); \
  v[a] += v[b] + y, v[d] = __byte_perm(v[d] ^ v[a], 0, 0x0321); \
  v[c] += v[d], v[b] = __funnelshift_r(v[b] ^ v[c], v[b] ^ v[c], 7);
#pragma unroll
    for (int r = 0; r < 7; ++r) {
      G(0, 4, 8, 12, m[0], m[1])
      G(1, 5, 9, 13, m[2], m[3])
      G(2, 6, 10, 14, m[4], m[5])
      G(3, 7, 11, 15, m[6], m[7])
      G(0, 5, 10, 15, m[8], m[9])
      G(1, 6, 11, 12, m[10], m[11])
      G(2, 7, 8, 13, m[12], m[13])
      G(3, 4, 9, 14, m[14], m[15])
      const int order[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
      u32 t[16];
#pragma unroll
      for (int i = 0; i < 16; ++i) t[i] = m[order[i]];
#pragma unroll
      for (int i = 0; i < 16; ++i) m[i] = t[i];
    }
#undef G
#pragma unroll
    for (int i = 0; i < 8; ++i) h[i] = v[i] ^ v[i + 8];
  }
  for (int i = 0; i < 8; ++i) cv[i * chunks + c] = h[i];
}

// scrypt's mixing: four lanes share a block of Salsa20/8, its history is read back at places that depend on it.
__global__ void scrypt_romix(uint4* __restrict__ blocks, uint4* __restrict__ scratch, int jobs, int N) {
  const int job = (blockIdx.x * blockDim.x + threadIdx.x) / 4, q = threadIdx.x % 4;
  if (job >= jobs) return;
  const u32 group = 0xfu << (threadIdx.x & 28);
  uint4 x[2] = {blocks[job * 8 + q], blocks[job * 8 + 4 + q]};
  uint4* v = scratch + (size_t)job * N * 8;
  auto salsa = [&](uint4 a) {
    const uint4 in = a;
    for (int r = 0; r < 8; ++r) {
#define ROT(y, n) __funnelshift_l(y, y, n)
      a.y ^= ROT(a.x + a.w, 7);
      a.z ^= ROT(a.y + a.x, 9);
      a.w ^= ROT(a.z + a.y, 13);
      a.x ^= ROT(a.w + a.z, 18);
#undef ROT
      const int shift = r & 1 ? 1 : 3;
      a.y = __shfl_sync(group, a.y, q + shift, 4);
      a.z = __shfl_sync(group, a.z, q + 2, 4);
      a.w = __shfl_sync(group, a.w, q + 4 - shift, 4);
    }
    return make_uint4(a.x + in.x, a.y + in.y, a.z + in.z, a.w + in.w);
  };
  auto mix = [&] {
    x[0] = salsa(make_uint4(x[0].x ^ x[1].x, x[0].y ^ x[1].y, x[0].z ^ x[1].z, x[0].w ^ x[1].w));
    x[1] = salsa(make_uint4(x[0].x ^ x[1].x, x[0].y ^ x[1].y, x[0].z ^ x[1].z, x[0].w ^ x[1].w));
  };
  for (int i = 0; i < N; ++i) {
    v[i * 8 + q] = x[0], v[i * 8 + 4 + q] = x[1];
    mix();
  }
  for (int i = 0; i < N; ++i) {
    const u32 j = __shfl_sync(group, x[1].x, 0, 4) & (N - 1);
    const uint4 a = v[j * 8 + q], b = v[j * 8 + 4 + q];
    x[0] = make_uint4(x[0].x ^ a.x, x[0].y ^ a.y, x[0].z ^ a.z, x[0].w ^ a.w);
    x[1] = make_uint4(x[1].x ^ b.x, x[1].y ^ b.y, x[1].z ^ b.z, x[1].w ^ b.w);
    mix();
  }
  blocks[job * 8 + q] = x[0], blocks[job * 8 + 4 + q] = x[1];
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const u32* words = on_device<u32>(4 * M, hashed);
  u32* out = zeros<u32>(8 * M);
  const float* f = on_device<float>(2 * M, fraction);

  const int* dates = on_device<int>(3 * M, [](uint32_t i) { return int(i / 1300 + hashed(i) % 90); });
  const unsigned char* discounts = on_device<unsigned char>(3 * M, [](uint32_t i) { return (unsigned char)(hashed(i) % 11); });
  const unsigned char* quantities = on_device<unsigned char>(3 * M, [](uint32_t i) { return (unsigned char)(hashed(i + 77) % 50); });
  const int* prices = on_device<int>(3 * M, [](uint32_t i) { return int(90000 + hashed(i) % 10000000); });
  run("q6_revenue", [&] { q6_revenue<<<(3 * M / 4 + 255) / 256, 256>>>((const int4*)dates, (const uchar4*)discounts, (const uchar4*)quantities, (const int4*)prices, (u64*)out, 3 * M / 4, 700, 1065); });
  u32* table = nullptr;
  CHECK(cudaMalloc(&table, 65536 * sizeof(u32)));
  CHECK(cudaMemset(table, 0xff, 65536 * sizeof(u32)));
  const u32* groups = on_device<u32>(M, [](uint32_t i) { return hashed(i) % 4 ? hashed(i) % 300 : hashed(i + 9) % 9000; });
  run("groupby_local_first", [&] { groupby_local_first<1024><<<132, 512>>>(groups, prices, table, (u64*)out, 900000, 65535); });
  std::vector<int> dict_offsets{0}, codes, out_offsets{0};
  for (uint32_t i = 0; i < 3000; ++i) dict_offsets.push_back(dict_offsets.back() + 4 + int(hashed(i) % (i % 10 == 0 ? 60 : 18)));
  for (uint32_t i = 0; i < 150000; ++i) {
    codes.push_back(int(hashed(i) % (hashed(i + 4) % 3 ? 200 : 3000)));
    out_offsets.push_back(out_offsets.back() + dict_offsets[codes.back() + 1] - dict_offsets[codes.back()]);
  }
  const int *dict_offsets_d = on_device(dict_offsets), *codes_d = on_device(codes), *out_offsets_d = on_device(out_offsets);
  run("dictionary_strings", [&] { dictionary_strings<<<150000 / 16 + 1, 256>>>(codes_d, dict_offsets_d, (const char*)words, out_offsets_d, (char*)out, 150000); });
  std::vector<int> run_ends;
  for (uint32_t i = 0, at = 0; i < 30000; ++i) run_ends.push_back(int(at += 1 + hashed(i) % (i % 20 ? 30 : 500)));
  const int* run_ends_d = on_device(run_ends);
  const int expanded = run_ends.back();
  run("rle_expand", [&] { rle_expand<<<(expanded + 191) / 192, 192>>>(run_ends_d, (const short*)words, (short*)out, 30000, expanded); });
  std::vector<uint2> headers;
  for (uint32_t i = 0, at = 0; i < 8000; ++i) {
    const u32 bits = 3 + hashed(i) % 14;
    headers.push_back(make_uint2(bits << 26 | at, hashed(i)));
    at += bits * 4;
  }
  const uint2* headers_d = on_device(headers);
  run("delta_zigzag_decode", [&] { delta_zigzag_decode<<<1000, 256>>>(words, headers_d, (int*)out, 8000); });
  // Series that stand still, move a little, or jump.
  constexpr int series = 6000, ticks = 100;
  std::vector<u64> stream;
  std::vector<int> series_start;
  for (uint32_t s = 0; s < series; ++s) {
    series_start.push_back(int(stream.size()));
    double value = 100.0 + hashed(s) % 50;
    u64 bits, was, word = 0;
    std::memcpy(&was, &value, 8);
    stream.push_back(was);
    int used = 0, lead = 0, length = 64;
    auto put = [&](u64 v, int n) {
      for (int k = n - 1; k >= 0; --k) {
        word = word << 1 | (v >> k & 1);
        if (++used == 64) stream.push_back(word), word = 0, used = 0;
      }
    };
    for (uint32_t t = 1; t < ticks; ++t) {
      const u32 h = hashed(s * 128 + t);
      if (h % 3) value += (int(h % 64) - 32) * (h % 11 ? 0.25 : 0.01);
      std::memcpy(&bits, &value, 8);
      const u64 x = bits ^ was;
      was = bits;
      put(x != 0, 1);
      if (x == 0) continue;
      const int l = std::min(31, __builtin_clzll(x)), m = 64 - l - __builtin_ctzll(x);
      const bool fits = l >= lead && l + m <= lead + length && t > 1 && length < 64;
      put(!fits, 1);
      if (!fits) {
        lead = l, length = m;
        put(u64(l), 5);
        put(u64(m - 1), 6);
      }
      put(x >> (64 - lead - length), length);
    }
    stream.push_back(word << (used ? 64 - used : 0));
    stream.push_back(0);
  }
  const u64* stream_d = on_device(stream);
  const int* series_start_d = on_device(series_start);
  run("gorilla_decode", [&] { gorilla_decode<<<(series + 63) / 64, 64>>>(stream_d, series_start_d, (double*)out, series, ticks); });
  const int* partitions = on_device<int>(M, [](uint32_t i) { return int((i + hashed(i / 256) % 200) / 90); });
  run("window_average_20", [&] { window_average<<<(600000 + 255) / 256, 256, 8 * (256 + 19)>>>(partitions, f, (float*)out, 600000, 20); });
  const int* sorted = on_device<int>(200000, [](uint32_t i) { return int(i * 37 + hashed(i) % 37); });
  const int* lefts = on_device<int>(200000, [](uint32_t i) { return int(hashed(i) % 7400000); });
  run("band_join_count", [&] { band_join_count<<<300, 256>>>(lefts, sorted, out, 200000, 200000, 500); });
  std::vector<BNode> nodes;
  for (int level = 0, count = 1, first = 1, span = 1 << 20; level < 5; ++level, span /= 16) {
    for (int k = 0; k < count; ++k) {
      BNode node;
      for (int i = 0; i < 15; ++i) node.keys[i] = k * span + (i + 1) * (span / 16);
      node.first_child = first + 16 * k;
      nodes.push_back(node);
    }
    first += 16 * count;
    count *= 16;
  }
  const BNode* nodes_d = on_device(nodes);
  const int* queries = on_device<int>(200000, [](uint32_t i) { return int(hashed(i + 3) & 0xfffff); });
  run("btree_find", [&] { btree_find<<<80000 * 16 / 128, 128>>>(nodes_d, queries, (int*)out, 80000, 5); });
  run("hyperloglog", [&] { hyperloglog<<<264, 256>>>((const u64*)words, out, 1500000); });
  constexpr uint32_t graph = 25000;
  std::vector<int> row{0}, adj, alias;
  for (uint32_t v = 0; v < graph; ++v) {
    const uint32_t degree = hashed(v) % 60 == 0 ? 120 + hashed(v) % 300 : hashed(v + 1) % 17;
    for (uint32_t k = 0; k < degree; ++k) {
      adj.push_back(int(hashed(v * 500 + k) % (k % 3 ? graph : 1000)));
      alias.push_back(int(hashed(v * 500 + k + 7) % degree));
    }
    row.push_back(int(adj.size()));
  }
  const int *row_d = on_device(row), *adj_d = on_device(adj), *alias_d = on_device(alias);
  run("alias_walks", [&] { alias_walks<<<(40000 + 127) / 128, 128>>>(row_d, adj_d, f, alias_d, (int*)out, 40000, 40, graph); });
  const int* depth = on_device<int>(graph, [](uint32_t i) { return int(2 + hashed(i) % 3); });
  const float* sigma = on_device<float>(graph, [](uint32_t i) { return float(1 + hashed(i) % 9); });
  std::vector<int> frontier;
  for (uint32_t v = 0; v < graph; ++v)
    if (2 + hashed(v) % 3 == 3) frontier.push_back(int(v));
  const int *frontier_d = on_device(frontier), frontier_count = int(frontier.size());
  float* delta = zeros<float>(graph);
  run("bc_dependencies", [&] { bc_dependencies<<<(frontier_count + 7) / 8, 256>>>(row_d, adj_d, depth, sigma, delta, frontier_d, frontier_count, 3); });
  const unsigned char* leaving = on_device<unsigned char>(graph, [](uint32_t i) { return (unsigned char)(hashed(i) % 60 != 0 && hashed(i + 1) % 17 < 6); });
  run("kcore_peel", [&] { kcore_peel<<<(graph + 255) / 256, 256>>>(row_d, adj_d, leaving, (int*)out, graph); });
  const unsigned char* bases = on_device<unsigned char>(8 * M, [](uint32_t i) { return (unsigned char)(hashed(i) % 4); });
  run("myers_distance", [&] { myers_distance<<<(30000 + 127) / 128, 128>>>(bases + 99, bases, (int*)out, 60, 150, 30000); });
  run("minimizers_19", [&] { minimizers<<<(500000 + 255) / 256, 256, 8 * (256 + 9)>>>(bases, (u64*)out, 500000, 19, 10); });
  std::vector<OccBlock> occ(1 << 14);
  u32 seen[4] = {};
  for (size_t b = 0; b < occ.size(); ++b) {
    for (int c = 0; c < 4; ++c) occ[b].count[c] = seen[c];
    for (uint32_t i = 0; i < 6; ++i) occ[b].bits[i] = u64(hashed(uint32_t(b * 12 + i * 2))) << 32 | hashed(uint32_t(b * 12 + i * 2 + 1));
    for (int i = 0; b + 1 < occ.size() && i < 192; ++i) ++seen[(occ[b].bits[i / 64 * 2] >> i % 64 & 1) | (occ[b].bits[i / 64 * 2 + 1] >> i % 64 & 1) << 1];
  }
  const OccBlock* occ_d = on_device(occ);
  const u32 symbols = u32(occ.size() - 1) * 192;
  const u32* first_d = on_device(std::vector<u32>{0, seen[0], seen[0] + seen[1], seen[0] + seen[1] + seen[2]});
  run("fm_backward_search", [&] { fm_backward_search<<<(40000 + 127) / 128, 128>>>(occ_d, first_d, bases, (uint2*)out, 40000, 30, symbols); });
  run("banded_align_warp", [&] { banded_align_warp<<<500, 128>>>(bases, bases + 3, (int*)out, 2000, 120); });
  std::vector<u64> constants(80);
  for (uint32_t i = 0; i < 80; ++i) constants[i] = u64(hashed(i)) << 32 | hashed(i + 80);
  CHECK(cudaMemcpyToSymbol(sha512_k, constants.data(), 80 * sizeof(u64)));
  run("sha512_tree_level_16384", [&] { sha512_tree_level<<<128, 128>>>((const u64*)words, (u64*)out, 16384); });
  run("sha512_tree_level_500", [&] { sha512_tree_level<<<4, 128>>>((const u64*)words, (u64*)out, 500); });
  run("blake3_chunks", [&] { blake3_chunks<<<(12000 + 63) / 64, 64>>>((const uint4*)words, out, 12000); });
  uint4* jobs = on_device<uint4>(2048 * 8, [](uint32_t i) { return make_uint4(hashed(i), hashed(i + 1), hashed(i + 2), hashed(i + 3)); });
  uint4* scratch = zeros<uint4>(2048 * 128 * 8);
  run("scrypt_romix", [&] { scrypt_romix<<<2048 * 4 / 64, 64>>>(jobs, scratch, 2048, 128); });
  return 0;
}
