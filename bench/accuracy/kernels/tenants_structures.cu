// Data structures, integers and bits: tables, sorting, codes, digests, ciphers, strings, alignments, graphs, searches by
// backtracking, long numbers.
#include <algorithm>
#include <string>

#include "cases.h"

typedef unsigned char BYTE;
typedef uint32_t WORD;
typedef unsigned long long ull;

// ---- tables and sorting ----

struct KeyValue {
  uint32_t key;
  uint32_t value;
};
const uint32_t kHashTableCapacity = 1 << 21;
const uint32_t kEmpty = 0xffffffff;

// 32 bit Murmur3 hash
__host__ __device__ uint32_t murmur_slot(uint32_t k) {
  k ^= k >> 16;
  k *= 0x85ebca6b;
  k ^= k >> 13;
  k *= 0xc2b2ae35;
  k ^= k >> 16;
  return k & (kHashTableCapacity - 1);
}
__global__ void gpu_hashtable_lookup(const KeyValue* hashtable, KeyValue* kvs, unsigned int numkvs) {
  unsigned int threadid = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadid < numkvs) {
    uint32_t key = kvs[threadid].key;
    uint32_t slot = murmur_slot(key);
    while (true) {
      if (hashtable[slot].key == key) {
        kvs[threadid].value = hashtable[slot].value;
        return;
      }
      if (hashtable[slot].key == kEmpty) {
        kvs[threadid].value = kEmpty;
        return;
      }
      slot = (slot + 1) & (kHashTableCapacity - 1);
    }
  }
}

// Merging by ranks in shared memory: each key's place by a binary search in the other half.
#define SHARED_SIZE_LIMIT 1024U
template <bool inclusive>
__device__ inline unsigned binarySearch(unsigned val, const unsigned* data, unsigned L, unsigned stride) {
  unsigned pos = 0;
  for (; stride > 0; stride >>= 1) {
    unsigned newPos = min(pos + stride, L);
    if (inclusive ? data[newPos - 1] <= val : data[newPos - 1] < val) pos = newPos;
  }
  return pos;
}
__global__ void mergeSortSharedKernel(unsigned* d_DstKey, unsigned* d_DstVal, const unsigned* d_SrcKey, const unsigned* d_SrcVal, unsigned arrayLength) {
  __shared__ unsigned s_key[SHARED_SIZE_LIMIT];
  __shared__ unsigned s_val[SHARED_SIZE_LIMIT];
  const unsigned base = blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
  s_key[threadIdx.x] = d_SrcKey[base], s_val[threadIdx.x] = d_SrcVal[base];
  s_key[threadIdx.x + SHARED_SIZE_LIMIT / 2] = d_SrcKey[base + SHARED_SIZE_LIMIT / 2];
  s_val[threadIdx.x + SHARED_SIZE_LIMIT / 2] = d_SrcVal[base + SHARED_SIZE_LIMIT / 2];
  for (unsigned stride = 1; stride < arrayLength; stride <<= 1) {
    unsigned lPos = threadIdx.x & (stride - 1);
    unsigned* baseKey = s_key + 2 * (threadIdx.x - lPos);
    unsigned* baseVal = s_val + 2 * (threadIdx.x - lPos);
    __syncthreads();
    unsigned keyA = baseKey[lPos + 0], valA = baseVal[lPos + 0];
    unsigned keyB = baseKey[lPos + stride], valB = baseVal[lPos + stride];
    unsigned posA = binarySearch<false>(keyA, baseKey + stride, stride, stride) + lPos;
    unsigned posB = binarySearch<true>(keyB, baseKey + 0, stride, stride) + lPos;
    __syncthreads();
    baseKey[posA] = keyA, baseVal[posA] = valA;
    baseKey[posB] = keyB, baseVal[posB] = valB;
  }
  __syncthreads();
  d_DstKey[base] = s_key[threadIdx.x], d_DstVal[base] = s_val[threadIdx.x];
  d_DstKey[base + SHARED_SIZE_LIMIT / 2] = s_key[threadIdx.x + SHARED_SIZE_LIMIT / 2];
  d_DstVal[base + SHARED_SIZE_LIMIT / 2] = s_val[threadIdx.x + SHARED_SIZE_LIMIT / 2];
}

// Histograms of all four digits in one pass over the keys.
__global__ __launch_bounds__(256) void radix_histogram_4x8(const uint4* __restrict__ keys, uint32_t* __restrict__ histogram, int n4) {
  __shared__ uint32_t counts[4][256];
  for (int d = 0; d < 4; ++d) counts[d][threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n4; i += gridDim.x * 256) {
    const uint4 k = keys[i];
    const uint32_t w[4] = {k.x, k.y, k.z, k.w};
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int d = 0; d < 4; ++d) atomicAdd(&counts[d][w[j] >> (8 * d) & 255], 1u);
  }
  __syncthreads();
  for (int d = 0; d < 4; ++d)
    if (counts[d][threadIdx.x]) atomicAdd(&histogram[d * 256 + threadIdx.x], counts[d][threadIdx.x]);
}

// Keys that differ from the one before, written densely: ballots in warps, a scan over the warps, offsets of blocks.
__global__ void unique_scatter(const int* __restrict__ sorted, const int* __restrict__ block_offset, int* __restrict__ out, int n) {
  __shared__ int warp_count[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const bool head = i < n && (i == 0 || sorted[i] != sorted[i - 1]);
  const unsigned ballot = __ballot_sync(0xffffffff, head);
  if (lane == 0) warp_count[warp] = __popc(ballot);
  __syncthreads();
  if (warp == 0) {
    int v = lane < blockDim.x / 32 ? warp_count[lane] : 0;
    for (int o = 1; o < 32; o <<= 1) {
      int u = __shfl_up_sync(0xffffffff, v, o);
      if (lane >= o) v += u;
    }
    warp_count[lane] = v;
  }
  __syncthreads();
  if (head) out[block_offset[blockIdx.x] + (warp ? warp_count[warp - 1] : 0) + __popc(ballot & ((1u << lane) - 1))] = sorted[i];
}

// ---- codes and digests ----

// Codes of variable length: four bytes a thread, their lengths scanned, bits put into shared words by atomics.
__global__ void vlc_encode_kernel(const unsigned* __restrict__ data, const unsigned* __restrict__ gm_codewords, const unsigned* __restrict__ gm_codewordlens, unsigned* __restrict__ out, unsigned* __restrict__ outidx) {
  __shared__ unsigned codewords[256], codewordlens[256], as[256 + 1], sm_out[256 * 2 + 2];
  const unsigned kn = blockIdx.x * blockDim.x + threadIdx.x, k = threadIdx.x;
  codewords[k] = gm_codewords[k];
  codewordlens[k] = gm_codewordlens[k];
  sm_out[2 * k] = sm_out[2 * k + 1] = 0;
  if (k < 2) sm_out[512 + k] = 0;
  unsigned val32 = data[kn];
  __syncthreads();
  ull cw64 = 0;
  unsigned codewordlen = 0;
  for (unsigned i = 0; i < 4; i++) {
    BYTE tmpbyte = (BYTE)(val32 >> ((3 - i) * 8));
    unsigned tmpcw = codewords[tmpbyte];
    cw64 = (cw64 << codewordlens[tmpbyte]) | tmpcw;
    codewordlen += codewordlens[tmpbyte];
  }
  as[k] = codewordlen;
  __syncthreads();
  unsigned offset = 1;
  for (unsigned d = 256 >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (k < d) {
      unsigned ai = offset * (2 * k + 1) - 1, bi = offset * (2 * k + 2) - 1;
      as[bi] += as[ai];
    }
    offset *= 2;
  }
  if (k == 0) as[256] = as[255], as[255] = 0;
  for (unsigned d = 1; d < 256; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (k < d) {
      unsigned ai = offset * (2 * k + 1) - 1, bi = offset * (2 * k + 2) - 1;
      unsigned t = as[ai];
      as[ai] = as[bi];
      as[bi] += t;
    }
  }
  __syncthreads();
  const unsigned kc = as[k] / 32, startbit = as[k] % 32;
  const ull aligned = codewordlen ? cw64 << (64 - codewordlen) : 0;
  atomicOr(&sm_out[kc], (unsigned)(aligned >> 32 >> startbit));
  atomicOr(&sm_out[kc + 1], (unsigned)(aligned >> startbit));
  if (startbit) atomicOr(&sm_out[kc + 2], (unsigned)(aligned << (32 - startbit)));
  __syncthreads();
  const unsigned words = (as[256] + 31) / 32;
  for (unsigned i = k; i < words; i += 256) out[blockIdx.x * 512 + i] = sm_out[i];
  if (k == 0) outidx[blockIdx.x] = as[256];
}

// Eight bytes a step by eight tables in shared memory, a thread a record.
__global__ void crc32_slice_by_8(const uint2* __restrict__ records, const uint32_t* __restrict__ tables, uint32_t* __restrict__ crcs, int n, int words) {
  __shared__ uint32_t t[8][256];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) t[i >> 8][i & 255] = tables[i];
  __syncthreads();
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  uint32_t crc = 0xffffffffu;
  for (int w = 0; w < words; ++w) {
    const uint2 d = records[(size_t)r * words + w];
    const uint32_t one = d.x ^ crc, two = d.y;
    crc = t[7][one & 255] ^ t[6][one >> 8 & 255] ^ t[5][one >> 16 & 255] ^ t[4][one >> 24] ^ t[3][two & 255] ^ t[2][two >> 8 & 255] ^ t[1][two >> 16 & 255] ^ t[0][two >> 24];
  }
  crcs[r] = ~crc;
}

// Adler's sums of a page: a warp a page, both sums weighted by where the bytes are.
__global__ void adler32_pages(const BYTE* __restrict__ data, uint32_t* __restrict__ sums, int pages, int page_size) {
  const int page = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (page >= pages) return;
  const BYTE* p = data + (size_t)page * page_size;
  uint32_t a = 0;
  ull b = 0;
  for (int i = lane; i < page_size; i += 32) {
    a += p[i];
    b += (ull)(page_size - i) * p[i];
  }
  for (int o = 16; o; o /= 2) {
    a += __shfl_down_sync(0xffffffff, a, o);
    b += __shfl_down_sync(0xffffffff, b, o);
  }
  if (lane == 0) sums[page] = (uint32_t)((b + page_size) % 65521) << 16 | (a + 1) % 65521;
}

#define ROTLEFT(a, b) (((a) << (b)) | ((a) >> (32 - (b))))
// A block of text with a nonce in it, hashed until a digest begins with zeros: sixteen nonces a thread.
__global__ void sha1_prefix_search(const WORD* __restrict__ head, WORD* __restrict__ best, int per_thread) {
  const int tid = blockIdx.x * blockDim.x + threadIdx.x;
  WORD least = 0xffffffff;
  for (int trial = 0; trial < per_thread; ++trial) {
    WORD a = 0x67452301, b = 0xEFCDAB89, c = 0x98BADCFE, d = 0x10325476, e = 0xC3D2E1F0, m[80];
#pragma unroll
    for (int i = 0; i < 14; ++i) m[i] = head[i];
    m[3] = tid * per_thread + trial;
    m[14] = 0, m[15] = 440;
#pragma unroll
    for (int i = 16; i < 80; ++i) {
      m[i] = (m[i - 3] ^ m[i - 8] ^ m[i - 14] ^ m[i - 16]);
      m[i] = (m[i] << 1) | (m[i] >> 31);
    }
#pragma unroll
    for (int i = 0; i < 80; ++i) {
      const WORD f = i < 20 ? (b & c) ^ (~b & d) : i < 40 ? b ^ c ^ d
                                               : i < 60   ? (b & c) ^ (b & d) ^ (c & d)
                                                          : b ^ c ^ d;
      const WORD k = i < 20 ? 0x5a827999 : i < 40 ? 0x6ed9eba1
                                       : i < 60   ? 0x8f1bbcdc
                                                  : 0xca62c1d6;
      const WORD t = ROTLEFT(a, 5) + f + e + k + m[i];
      e = d;
      d = c;
      c = ROTLEFT(b, 30);
      b = a;
      a = t;
    }
    least = min(least, a + 0x67452301);
  }
  best[tid] = least;
}

// AES by bytes: the box in shared memory, shifted rows and mixed columns on an array of the state.
__global__ void aes_encrypt_bytes(BYTE* data, const BYTE* sbox, const BYTE* round_keys, int numblock) {
  __shared__ BYTE box[256], key[176];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) box[i] = sbox[i];
  for (int i = threadIdx.x; i < 176; i += blockDim.x) key[i] = round_keys[i];
  __syncthreads();
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= numblock) return;
  BYTE state[16], t[16];
  for (int i = 0; i < 16; ++i) state[i] = data[index * 16 + i] ^ key[i];
  for (int round = 1; round <= 10; ++round) {
    for (int c = 0; c < 4; ++c)
      for (int r = 0; r < 4; ++r) t[c * 4 + r] = box[state[((c + r) & 3) * 4 + r]];
    if (round < 10) {
      for (int c = 0; c < 4; ++c) {
        BYTE* s = t + c * 4;
        const BYTE all = s[0] ^ s[1] ^ s[2] ^ s[3], s0 = s[0];
        for (int r = 0; r < 4; ++r) {
          const BYTE x = s[r] ^ (r == 3 ? s0 : s[(r + 1) & 3]);
          state[c * 4 + r] = s[r] ^ all ^ (BYTE)((x << 1) ^ (((x >> 7) & 1) * 0x1b));
        }
      }
    } else {
      for (int i = 0; i < 16; ++i) state[i] = t[i];
    }
    for (int i = 0; i < 16; ++i) state[i] ^= key[round * 16 + i];
  }
  for (int i = 0; i < 16; ++i) data[index * 16 + i] = state[i];
}

// ---- strings ----

// Knuth, Morris and Pratt on chunks that overlap by the pattern's length.
__global__ void kmp_chunks(const char* pattern, const char* target, const int* f, int* found, int n, int m, int chunk) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  int i = chunk * index;
  int end = min(chunk * (index + 1) + m - 1, n);
  int k = 0, hits = 0;
  while (i < end) {
    if (target[i] == pattern[k]) {
      i++;
      k++;
      if (k == m) {
        hits++;
        k = f[k - 1];
      }
    } else if (k > 0) {
      k = f[k - 1];
    } else {
      i++;
    }
  }
  found[index] = hits;
}

// Horspool's skips from a table in shared memory.
__global__ void horspool_search(const BYTE* __restrict__ text, const BYTE* __restrict__ pattern, const int* __restrict__ skip, int* __restrict__ result, int n, int m, int chunk) {
  __shared__ int table[256];
  __shared__ BYTE pat[64];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) table[i] = skip[i];
  if (threadIdx.x < m) pat[threadIdx.x] = pattern[threadIdx.x];
  __syncthreads();
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int pos = thread * chunk, count = 0;
  const int last = min(pos + chunk, n - m + 1);
  while (pos < last) {
    int j = m - 1;
    while (j >= 0 && text[pos + j] == pat[j]) --j;
    if (j < 0) ++count;
    pos += table[text[pos + m - 1]];
  }
  result[thread] = count;
}

// Distances with swaps of neighbours: a thread a pair of words, three rows in local memory.
__global__ void damerau_pairs(const char* __restrict__ words, const int2* __restrict__ pairs, const int* __restrict__ lengths, int* __restrict__ out, int n) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= n) return;
  const int2 ab = pairs[p];
  const char *a = words + ab.x * 24, *b = words + ab.y * 24;
  const int la = lengths[ab.x], lb = lengths[ab.y];
  BYTE rows[3][25];
  for (int j = 0; j <= lb; ++j) rows[0][j] = j;
  for (int i = 1; i <= la; ++i) {
    BYTE *cur = rows[i % 3], *prev = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    cur[0] = i;
    for (int j = 1; j <= lb; ++j) {
      const int cost = a[i - 1] != b[j - 1];
      int v = min(min(prev[j] + 1, cur[j - 1] + 1), prev[j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) v = min(v, before[j - 2] + 1);
      cur[j] = v;
    }
  }
  out[p] = rows[la % 3][lb];
}

// A local alignment a block: a thread a residue of the query, antidiagonals through shared memory.
__global__ void sw_antidiagonals(const BYTE* __restrict__ query, const BYTE* __restrict__ database, const int* __restrict__ starts, const signed char* __restrict__ matrix, int* __restrict__ scores, int qlen, int gap) {
  extern __shared__ int h[];
  int *d0 = h, *d1 = h + qlen + 1, *d2 = d1 + qlen + 1;
  __shared__ signed char sub[24 * 24];
  __shared__ int best;
  const int t = threadIdx.x;
  for (int i = t; i < 576; i += blockDim.x) sub[i] = matrix[i];
  for (int i = t; i < 3 * (qlen + 1); i += blockDim.x) h[i] = 0;
  if (t == 0) best = 0;
  const BYTE q = t < qlen ? query[t] : 0;
  const int start = starts[blockIdx.x], len = starts[blockIdx.x + 1] - start;
  int mine = 0;
  __syncthreads();
  for (int diag = 0; diag < qlen + len - 1; ++diag) {
    const int j = diag - t;
    int v = 0;
    if (t < qlen && j >= 0 && j < len) {
      v = max(0, d0[t] + sub[q * 24 + database[start + j]]);
      v = max(v, max(d1[t], d1[t + 1]) - gap);
      mine = max(mine, v);
    }
    if (t < qlen) d2[t + 1] = v;
    __syncthreads();
    int* tmp = d0;
    d0 = d1, d1 = d2, d2 = tmp;
  }
  atomicMax(&best, mine);
  __syncthreads();
  if (t == 0) scores[blockIdx.x] = best;
}

struct TrieNode {
  int next[26];
  int word;
};
__global__ void trie_walk(const TrieNode* __restrict__ nodes, const char* __restrict__ words, const int* __restrict__ lengths, int* __restrict__ ids, int n) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= n) return;
  int node = 0, last = -1;
  for (int i = 0; i < lengths[w] && node >= 0; ++i) {
    node = nodes[node].next[words[w * 24 + i] - 'a'];
    if (node >= 0 && nodes[node].word >= 0) last = nodes[node].word;
  }
  ids[w] = last;
}

// The range of suffixes that begin with a query, by two binary searches.
__global__ void suffix_array_search(const char* __restrict__ text, const int* __restrict__ sa, const char* __restrict__ queries, int2* __restrict__ ranges, int n, int q, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= q) return;
  int bounds[2];
  for (int side = 0; side < 2; ++side) {
    int lo = 0, hi = n;
    while (lo < hi) {
      const int mid = (lo + hi) / 2, s = sa[mid];
      int c = 0;
      for (int k = 0; k < m && c == 0; ++k) c = s + k < n ? text[s + k] - queries[i * m + k] : -1;
      if (c < 0 || (side && c == 0))
        lo = mid + 1;
      else
        hi = mid;
    }
    bounds[side] = lo;
  }
  ranges[i] = make_int2(bounds[0], bounds[1]);
}

// ---- graphs ----

// Components: the higher label of an edge's ends hooked onto the lower, labels of before only read.
__global__ void cc_hook(const int2* __restrict__ edges, const int* __restrict__ label, int* __restrict__ parent, int m) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < m; e += gridDim.x * blockDim.x) {
    const int2 uv = edges[e];
    const int a = label[uv.x], b = label[uv.y];
    if (a == b) continue;
    const int high = a > b ? a : b, low = a + b - high;
    atomicMin(&parent[high], low);
  }
}
__global__ void cc_multi_jump(const int* __restrict__ parent, int* __restrict__ label, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int r = parent[v];
  while (r != parent[r]) r = parent[r];
  label[v] = r;
}

// Triangles of an oriented graph: a thread an edge, two sorted lists side by side.
__global__ void tc_edge_merge(const int* __restrict__ row, const int* __restrict__ col, const int* __restrict__ src, int m, ull* __restrict__ total) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  int count = 0;
  if (e < m) {
    int i = row[src[e]], i_end = row[src[e] + 1], j = row[col[e]], j_end = row[col[e] + 1];
    int a = i < i_end ? col[i] : -1, b = j < j_end ? col[j] : -1;
    while (i < i_end && j < j_end) {
      int d = a - b;
      if (d == 0) count++;
      if (d <= 0 && ++i < i_end) a = col[i];
      if (d >= 0 && ++j < j_end) b = col[j];
    }
  }
  for (int o = 16; o; o >>= 1) count += __shfl_down_sync(0xffffffff, count, o);
  if ((threadIdx.x & 31) == 0 && count) atomicAdd(total, (ull)count);
}

// Shortest paths: all edges of reached vertices relaxed, a warp a vertex, into a second array.
__global__ void bellman_ford_warp(const int* __restrict__ row, const int* __restrict__ col, const int* __restrict__ weight, const int* __restrict__ dist, int* __restrict__ next, int* __restrict__ changed, int n) {
  const int v = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (v >= n) return;
  const int d = dist[v];
  if (d == 0x3fffffff) return;
  bool any = false;
  for (int e = row[v] + lane; e < row[v + 1]; e += 32) {
    const int to = col[e], alt = d + weight[e];
    if (alt < dist[to]) {
      atomicMin(&next[to], alt);
      any = true;
    }
  }
  if (__any_sync(0xffffffff, any) && lane == 0) *changed = 1;
}

// ---- backtracking, bits, long numbers ----

// Queens below given beginnings: masks on a stack of each thread in shared memory.
__global__ void nqueen_stack(int n, int left, const uint32_t* __restrict__ cols, const uint32_t* __restrict__ l_masks, const uint32_t* __restrict__ r_masks, uint32_t* __restrict__ results, int total) {
  __shared__ uint32_t t_mask[96][12], t_l[96][12], t_r[96][12], m_free[96][12];
  const int tid = threadIdx.x, idx = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t all = (1u << n) - 1;
  uint32_t solved = 0;
  if (idx < total) {
    int i = 0;
    t_mask[tid][0] = cols[idx], t_l[tid][0] = l_masks[idx], t_r[tid][0] = r_masks[idx];
    m_free[tid][0] = all & ~(cols[idx] | l_masks[idx] | r_masks[idx]);
    while (i >= 0) {
      const uint32_t open = m_free[tid][i];
      if (open == 0) {
        --i;
        continue;
      }
      const uint32_t queen = open & (0u - open);
      m_free[tid][i] ^= queen;
      if (i + 1 == left) {
        ++solved;
        continue;
      }
      const uint32_t c = t_mask[tid][i] | queen, l = (t_l[tid][i] | queen) << 1, r = (t_r[tid][i] | queen) >> 1;
      ++i;
      t_mask[tid][i] = c, t_l[tid][i] = l, t_r[tid][i] = r;
      m_free[tid][i] = all & ~(c | l | r);
    }
    results[idx] = solved;
  }
}

// Sudoku by masks of rows, columns and boxes: a board a thread, its free cells one after the other, a limit of steps.
__global__ void sudoku_solve(const signed char* __restrict__ boards, signed char* __restrict__ solved, int* __restrict__ steps, int n, int limit) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= n) return;
  unsigned short rows[9] = {}, cols[9] = {}, boxes[9] = {};
  signed char free_cells[81], choice[81];
  int free_count = 0, step = 0, at = 0;
  for (int c = 0; c < 81; ++c) {
    const int v = boards[b * 81 + c];
    solved[b * 81 + c] = v;
    if (v) {
      const int bit = 1 << v;
      rows[c / 9] |= bit, cols[c % 9] |= bit, boxes[c / 27 * 3 + c % 9 / 3] |= bit;
    } else {
      choice[free_count] = 0;
      free_cells[free_count++] = c;
    }
  }
  while (at >= 0 && at < free_count && step < limit) {
    ++step;
    const int c = free_cells[at], r = c / 9, k = c % 9, x = c / 27 * 3 + k / 3;
    int v = choice[at];
    if (v) rows[r] &= ~(1 << v), cols[k] &= ~(1 << v), boxes[x] &= ~(1 << v);
    const int used = rows[r] | cols[k] | boxes[x];
    do ++v;
    while (v <= 9 && (used >> v & 1));
    if (v <= 9) {
      rows[r] |= 1 << v, cols[k] |= 1 << v, boxes[x] |= 1 << v;
      choice[at++] = v;
    } else {
      choice[at--] = 0;
    }
  }
  for (int f = 0; f < free_count; ++f) solved[b * 81 + free_cells[f]] = choice[f];
  steps[b] = step;
}

// Similarity of fingerprints of 1024 bits: rows in shared memory, counts above a threshold.
__global__ void tanimoto_matrix(const uint4* __restrict__ prints, const int* __restrict__ weight, int* __restrict__ similar, int n, float threshold) {
  __shared__ uint4 rows[32][9];
  const int q = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * 32;
  for (int i = threadIdx.x; i < 256; i += blockDim.x) rows[i / 8][i % 8] = prints[(first + i / 8) * 8 + i % 8];
  __syncthreads();
  if (q >= n) return;
  uint4 mine[8];
  for (int k = 0; k < 8; ++k) mine[k] = prints[q * 8 + k];
  int hits = 0;
  for (int r = 0; r < 32; ++r) {
    int common = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) common += __popc(mine[k].x & rows[r][k].x) + __popc(mine[k].y & rows[r][k].y) + __popc(mine[k].z & rows[r][k].z) + __popc(mine[k].w & rows[r][k].w);
    if (common > threshold * (weight[q] + weight[first + r] - common)) hits++;
  }
  similar[blockIdx.y * n + q] = hits;
}

// Products of numbers of 1024 bits, column by column with carries in three words.
__global__ __launch_bounds__(128) void bigint_mul_1024(const uint32_t* __restrict__ a, const uint32_t* __restrict__ b, uint32_t* __restrict__ c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t lo = 0, mid = 0, hi = 0;
  for (int k = 0; k < 63; ++k) {
    for (int j = max(0, k - 31); j <= min(k, 31); ++j) {
      const uint32_t x = a[j * n + i], y = b[(k - j) * n + i];
      asm("mad.lo.cc.u32 %0, %3, %4, %0;\n\tmadc.hi.cc.u32 %1, %3, %4, %1;\n\taddc.u32 %2, %2, 0;"
          : "+r"(lo), "+r"(mid), "+r"(hi)
          : "r"(x), "r"(y));
    }
    c[k * n + i] = lo;
    lo = mid, mid = hi, hi = 0;
  }
  c[63 * n + i] = lo;
}

static void place_queens(int n, int depth, uint32_t c, uint32_t l, uint32_t r, std::vector<uint32_t>* out) {
  if (depth == 0) {
    out[0].push_back(c), out[1].push_back(l), out[2].push_back(r);
    return;
  }
  for (uint32_t open = ((1u << n) - 1) & ~(c | l | r); open; open &= open - 1) {
    const uint32_t queen = open & (0u - open);
    place_queens(n, depth - 1, c | queen, (l | queen) << 1, (r | queen) >> 1, out);
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const uint32_t* words = on_device<uint32_t>(8 * M, hashed);
  int* o = zeros<int>(10 * M);

  std::vector<KeyValue> table(kHashTableCapacity, KeyValue{kEmpty, kEmpty}), asked(M);
  for (uint32_t i = 0; i < 1400000; ++i) {
    uint32_t slot = murmur_slot(hashed(i));
    while (table[slot].key != kEmpty) slot = (slot + 1) & (kHashTableCapacity - 1);
    table[slot] = KeyValue{hashed(i), i};
  }
  for (uint32_t i = 0; i < M; ++i) asked[i].key = hashed(hashed(i) % 2000000);
  KeyValue *table_d = on_device(table), *asked_d = on_device(asked);
  run("gpu_hashtable_lookup", [&] { gpu_hashtable_lookup<<<M / 1024, 1024>>>(table_d, asked_d, M); });
  run("mergeSortSharedKernel", [&] { mergeSortSharedKernel<<<1500, 512>>>((unsigned*)o, (unsigned*)o + 2 * M, words, words + 2 * M, 1024); });
  run("radix_histogram_4x8", [&] { radix_histogram_4x8<<<264, 256>>>((const uint4*)words, (uint32_t*)o, 2 * M); });
  constexpr int keys = 3000000;
  std::vector<int> sorted(keys), offsets(keys / 512 + 1, 0);
  for (int i = 0, v = 0, heads = 0; i < keys; ++i) {
    if (i % 512 == 0) offsets[i / 512] = heads;
    if (i == 0 || hashed(i) % 3 == 0) v += 1 + hashed(i) % 5, ++heads;
    sorted[i] = v;
  }
  const int *sorted_d = on_device(sorted), *offsets_d = on_device(offsets);
  run("unique_scatter", [&] { unique_scatter<<<keys / 512 + 1, 512>>>(sorted_d, offsets_d, o, keys); });

  const unsigned* code_lengths = on_device<unsigned>(256, [](uint32_t i) { return i < 16 ? 4u : 6u + hashed(i) % 9; });
  const unsigned* codes = on_device<unsigned>(256, [](uint32_t i) { return hashed(i) & 15; });
  run("vlc_encode_kernel", [&] { vlc_encode_kernel<<<8192, 256>>>(words, codes, code_lengths, (unsigned*)o, (unsigned*)o + 8 * M); });
  run("crc32_slice_by_8", [&] { crc32_slice_by_8<<<65536 / 128, 128>>>((const uint2*)words, words + M, (uint32_t*)o, 65536, 64); });
  run("adler32_pages", [&] { adler32_pages<<<1000, 256>>>((const BYTE*)words, (uint32_t*)o, 8000, 4096); });
  run("sha1_prefix_search", [&] { sha1_prefix_search<<<1056, 128>>>(words, (WORD*)o, 16); });
  BYTE* plain = (BYTE*)on_device<uint32_t>(2 * M, hashed);
  run("aes_encrypt_bytes", [&] { aes_encrypt_bytes<<<250000 / 256 + 1, 256>>>(plain, (const BYTE*)words, (const BYTE*)words + 256, 250000); });

  const char* text = on_device<char>(8000000, [](uint32_t i) { return char('a' + hashed(i) % 3 * (hashed(i / 5) % 2)); });
  const std::string pattern = "abaabaca";
  std::vector<int> failure(8, 0);
  for (int i = 1, k = 0; i < 8; ++i) {
    while (k && pattern[i] != pattern[k]) k = failure[k - 1];
    if (pattern[i] == pattern[k]) ++k;
    failure[i] = k;
  }
  const char* pattern_d = on_device(std::vector<char>(pattern.begin(), pattern.end()));
  const int* failure_d = on_device(failure);
  run("kmp_chunks", [&] { kmp_chunks<<<8000000 / 128 / 256 + 1, 256>>>(pattern_d, text, failure_d, o, 8000000, 8, 128); });
  const char* prose = on_device<char>(8000000, [](uint32_t i) { return char('a' + hashed(i) % 20); });
  const int* skips = on_device<int>(256, [](uint32_t i) { return i >= 'a' && i < 'a' + 12 ? int('a' + 12 - i) : 12; });
  const BYTE* needle = on_device<BYTE>(12, [](uint32_t i) { return BYTE('a' + i); });
  run("horspool_search", [&] { horspool_search<<<8000000 / 256 / 128 + 1, 128>>>((const BYTE*)prose, needle, skips, o, 8000000, 12, 256); });
  const int* lengths = on_device<int>(100000, [](uint32_t i) { return int(4 + hashed(i) % 21); });
  const int2* pairs = on_device<int2>(60000, [](uint32_t i) { return make_int2(int(hashed(i) % 100000), int(hashed(i + 1) % 100000)); });
  run("damerau_pairs", [&] { damerau_pairs<<<60000 / 128 + 1, 128>>>(prose, pairs, lengths, o, 60000); });
  std::vector<int> starts(1001, 0);
  for (uint32_t i = 0; i < 1000; ++i) starts[i + 1] = starts[i] + 60 + int(hashed(i) % 400);
  const int* starts_d = on_device(starts);
  const BYTE* residues = on_device<BYTE>(500000, [](uint32_t i) { return BYTE(hashed(i) % 24); });
  const signed char* matrix = on_device<signed char>(576, [](uint32_t i) { return (signed char)(i / 24 == i % 24 ? 5 : int(hashed(i) % 6) - 4); });
  run("sw_antidiagonals", [&] { sw_antidiagonals<<<1000, 160, 3 * 145 * sizeof(int)>>>(residues, residues + 200, starts_d, matrix, o, 144, 6); });
  std::vector<TrieNode> trie(1);
  std::fill_n(trie[0].next, 26, -1), trie[0].word = -1;
  for (int w = 0; w < 30000; ++w)
    for (int k = 0, at = 0, len = 2 + int(hashed(w) % 5); k < len; ++k) {
      int& next = trie[at].next[hashed(w * 24 + k) % 20];
      const bool fresh = next < 0;
      if (fresh) next = int(trie.size());
      at = next;
      if (fresh) trie.push_back(trie[0]), std::fill_n(trie.back().next, 26, -1), trie.back().word = -1;
      if (k + 1 == len) trie[at].word = w;
    }
  const TrieNode* trie_d = on_device(trie);
  run("trie_walk", [&] { trie_walk<<<100000 / 256 + 1, 256>>>(trie_d, prose, lengths, o, 100000); });
  std::vector<char> book(200000);
  std::vector<int> suffixes(book.size());
  for (uint32_t i = 0; i < book.size(); ++i) book[i] = char('a' + hashed(i) % 4), suffixes[i] = int(i);
  std::sort(suffixes.begin(), suffixes.end(), [&](int a, int b) { return std::lexicographical_compare(book.begin() + a, book.end(), book.begin() + b, book.end()); });
  const char* book_d = on_device(book);
  const int* suffixes_d = on_device(suffixes);
  run("suffix_array_search", [&] { suffix_array_search<<<125, 128>>>(book_d, suffixes_d, book_d + 5, (int2*)o, 200000, 16000, 12); });

  constexpr int vertices = 100000;
  std::vector<int> row(vertices + 1, 0), col, src, distance(vertices);
  for (int v = 0; v < vertices; ++v) {
    const size_t begin = col.size();
    for (uint32_t k = 0; k < 4 + hashed(v) % 12 + (hashed(v) % 101 == 0 ? 100 : 0); ++k) col.push_back(k % 3 ? int((v + 1 + hashed(v * 31 + k) % 60) % vertices) : int(hashed(v * 31 + k) % vertices));
    std::sort(col.begin() + begin, col.end());
    row[v + 1] = int(col.size()), src.resize(col.size(), v);
    distance[v] = hashed(v) % 3 ? int(hashed(v) % 5000) : 0x3fffffff;
  }
  const int *row_d = on_device(row), *col_d = on_device(col), *src_d = on_device(src), *distance_d = on_device(distance), m = int(col.size());
  const int* label = on_device<int>(vertices, [](uint32_t i) { return int(i - hashed(i) % (i / 2 + 1)); });
  const int2* ends = on_device<int2>(M, [](uint32_t i) { return make_int2(int(hashed(i) % vertices), int((hashed(i) % vertices + hashed(i + 1) % 500) % vertices)); });
  int* parent = on_device<int>(vertices, [](uint32_t i) { return int(i); });
  run("cc_hook", [&] { cc_hook<<<528, 256>>>(ends, label, parent, M); });
  run("cc_multi_jump", [&] { cc_multi_jump<<<vertices / 256 + 1, 256>>>(label, o, vertices); });
  run("tc_edge_merge", [&] { tc_edge_merge<<<m / 256 + 1, 256>>>(row_d, col_d, src_d, m, (ull*)o); });
  const int* weights = on_device<int>(m, [](uint32_t i) { return int(1 + hashed(i) % 200); });
  run("bellman_ford_warp", [&] { bellman_ford_warp<<<vertices / 8 + 1, 256>>>(row_d, col_d, weights, distance_d, o, o + M, vertices); });

  std::vector<uint32_t> queens[3];
  place_queens(13, 4, 0, 0, 0, queens);
  const uint32_t *columns = on_device(queens[0]), *lefts = on_device(queens[1]), *rights = on_device(queens[2]);
  const int beginnings = int(queens[0].size());
  run("nqueen_stack", [&] { nqueen_stack<<<beginnings / 96 + 1, 96>>>(13, 9, columns, lefts, rights, (uint32_t*)o, beginnings); });
  const signed char* boards = on_device<signed char>(16384 * 81, [](uint32_t i) { const uint32_t b = i / 81, c = i % 81; return (signed char)(hashed(i) % 81 < 40 ? 0 : 1 + ((c / 9 % 3 * 3 + c / 27 + c % 9) % 9 + hashed(b)) % 9); });
  run("sudoku_solve", [&] { sudoku_solve<<<128, 128>>>(boards, (signed char*)o, o + M, 16384, 800); });
  const int* set_bits = on_device<int>(16384, [](uint32_t i) { return int(480 + hashed(i) % 64); });
  run("tanimoto_matrix", [&] { tanimoto_matrix<<<dim3(128, 64), 128>>>((const uint4*)words, set_bits, o, 16384, 0.34f); });
  run("bigint_mul_1024", [&] { bigint_mul_1024<<<32768 / 128, 128>>>(words, words + M, (uint32_t*)o, 32768); });
  return 0;
}
