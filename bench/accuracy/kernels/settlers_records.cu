// Data structures and algorithms of records, texts, graphs and shapes: tables, filters, sorts, joins, decoders, trees.
#include <cmath>
#include <queue>
#include <unordered_map>

#include "cases.h"

// ---- tables and filters ----

__host__ __device__ inline uint32_t mix32(uint32_t k) {
  k ^= k >> 16, k *= 0x85ebca6bu, k ^= k >> 13, k *= 0xc2b2ae35u;
  return k ^ k >> 16;
}
__host__ __device__ inline uint64_t mix64(uint64_t k) {
  k ^= k >> 33, k *= 0xff51afd7ed558ccdull, k ^= k >> 33, k *= 0xc4ceb9fe1a85ec53ull;
  return k ^ k >> 33;
}

// Slab lists: the lanes of a warp search one slab of 30 keys at a time for the queries of all its lanes in turn
#define EMPTY_KEY 0xffffffffu
__global__ void slab_search_warp(const uint32_t* __restrict__ slabs, const uint32_t* __restrict__ queries, int* __restrict__ found_at, int count, int buckets) {
  const int tid = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  uint32_t my_key = tid < count ? queries[tid] : EMPTY_KEY;
  uint32_t my_slab = mix32(my_key) % buckets;
  int my_result = -1;
  bool to_search = tid < count;
  uint32_t work, next = 0, last_work = 0;
  while ((work = __ballot_sync(0xffffffffu, to_search))) {
    const int src = __ffs(work) - 1;
    const uint32_t key = __shfl_sync(0xffffffffu, my_key, src);
    next = last_work != work ? __shfl_sync(0xffffffffu, my_slab, src) : next;
    const uint32_t word = slabs[(size_t)next * 32 + lane];
    const uint32_t hit = __ballot_sync(0xffffffffu, word == key) & 0x3fffffffu;
    last_work = work;
    if (hit) {
      if (lane == src) my_result = next * 32 + __ffs(hit) - 1, to_search = false;
    } else {
      const uint32_t link = __shfl_sync(0xffffffffu, word, 31);
      if (link == EMPTY_KEY) {
        if (lane == src) to_search = false;
      } else {
        next = link;
      }
    }
  }
  if (tid < count) found_at[tid] = my_result;
}

// Cuckoo filter: two buckets of four fingerprints of sixteen bits each, answers as a mask per warp
__host__ __device__ inline uint32_t fingerprint16(uint64_t h) { return (uint32_t)(h >> 48) | 1u; }
__device__ inline bool has_lane16(uint64_t bucket, uint32_t fp) {
  const uint64_t x = bucket ^ (fp * 0x0001000100010001ull);
  return ((x - 0x0001000100010001ull) & ~x & 0x8000800080008000ull) != 0;
}
__global__ void cuckoo_filter_contains(const uint64_t* __restrict__ buckets, uint32_t mask, const uint64_t* __restrict__ keys, uint32_t* __restrict__ present, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool in = false;
  if (i < count) {
    const uint64_t h = mix64(keys[i]);
    const uint32_t fp = fingerprint16(h), b1 = (uint32_t)h & mask;
    in = has_lane16(__ldg(&buckets[b1]), fp);
    if (!in) in = has_lane16(__ldg(&buckets[(b1 ^ mix32(fp)) & mask]), fp);
  }
  const uint32_t ballot = __ballot_sync(0xffffffffu, in);
  if ((threadIdx.x & 31) == 0 && i < count) present[i >> 5] = ballot;
}

// Quotient filter: slots of thirteen bits of remainder and three of state; back to the start of the cluster, forward to the run
#define QF_OCCUPIED 1
#define QF_CONTINUATION 2
#define QF_SHIFTED 4
__global__ void quotient_filter_lookup(const uint16_t* __restrict__ table, int qbits, const uint32_t* __restrict__ keys, uint8_t* __restrict__ present, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const uint32_t h = mix32(keys[i]);
  const uint32_t quotient = h >> (32 - qbits), remainder = h & 0x1fff;
  uint16_t slot = table[quotient];
  if (!(slot & QF_OCCUPIED)) {
    present[i] = 0;
    return;
  }
  uint32_t b = quotient;
  while (table[b] & QF_SHIFTED) b--;
  uint32_t s = b;
  while (b != quotient) {
    do {
      s++;
    } while (table[s] & QF_CONTINUATION);
    do {
      b++;
    } while (!(table[b] & QF_OCCUPIED));
  }
  uint8_t in = 0;
  do {
    const uint32_t r = table[s] >> 3;
    if (r == remainder) {
      in = 1;
      break;
    }
    if (r > remainder) break;
    s++;
  } while (table[s] & QF_CONTINUATION);
  present[i] = in;
}

// ---- sorting and merging ----

// Multisplit into 32 buckets: ranks in a warp from five ballots, offsets of blocks and buckets from an earlier pass
__global__ void __launch_bounds__(256) multisplit_block_scatter(const uint32_t* __restrict__ keys, const uint32_t* __restrict__ values, const uint32_t* __restrict__ offsets, uint32_t* __restrict__ keys_out, uint32_t* __restrict__ values_out,
                                                                int blocks) {
  __shared__ uint32_t warp_hist[32][9];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  uint32_t key[4], rank[4];
  int bucket[4];
  uint32_t total = 0;
#pragma unroll
  for (int r = 0; r < 4; r++) {
    key[r] = keys[(blockIdx.x * 8 + warp) * 128 + r * 32 + lane];
    bucket[r] = key[r] >> 27;
    uint32_t same = 0xffffffffu, mine = 0xffffffffu;
#pragma unroll
    for (int bit = 0; bit < 5; bit++) {
      const uint32_t votes = __ballot_sync(0xffffffffu, bucket[r] >> bit & 1);
      same &= (bucket[r] >> bit & 1) ? votes : ~votes;
      mine &= (lane >> bit & 1) ? votes : ~votes;
    }
    rank[r] = __popc(same & ((1u << lane) - 1)) + __shfl_sync(0xffffffffu, total, bucket[r]);
    total += __popc(mine);
  }
  warp_hist[lane][warp] = total;
  __syncthreads();
  if (threadIdx.x < 32) {
    uint32_t sum = offsets[threadIdx.x * blocks + blockIdx.x];
#pragma unroll
    for (int w = 0; w < 8; w++) {
      const uint32_t c = warp_hist[threadIdx.x][w];
      warp_hist[threadIdx.x][w] = sum;
      sum += c;
    }
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < 4; r++) {
    const uint32_t to = warp_hist[bucket[r]][warp] + rank[r];
    keys_out[to] = key[r];
    values_out[to] = values[(blockIdx.x * 8 + warp) * 128 + r * 32 + lane];
  }
}

// Segments of uneven length, a warp each: bitonic exchange of lanes up to 32 elements, ranks by counting above
#define SEG_MAX 256
__global__ void segments_sort_warp(const int* __restrict__ ptr, const float* __restrict__ keys, const int* __restrict__ ids, float* __restrict__ keys_out, int* __restrict__ ids_out, int segments) {
  __shared__ float buffer[4][SEG_MAX];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int s = blockIdx.x * 4 + warp;
  if (s >= segments) return;
  const int begin = ptr[s], n = ptr[s + 1] - begin;
  if (n <= 32) {
    float k = lane < n ? keys[begin + lane] : INFINITY;
    int v = lane < n ? ids[begin + lane] : -1;
#pragma unroll
    for (int size = 2; size <= 32; size *= 2)
#pragma unroll
      for (int step = size / 2; step > 0; step /= 2) {
        const float ok = __shfl_xor_sync(0xffffffffu, k, step);
        const int ov = __shfl_xor_sync(0xffffffffu, v, step);
        const bool up = (lane & size) == 0 || size == 32, low = (lane & step) == 0;
        if ((up == low) ? ok < k : ok > k) k = ok, v = ov;
      }
    if (lane < n) keys_out[begin + lane] = k, ids_out[begin + lane] = v;
  } else {
    for (int i = lane; i < n; i += 32) buffer[warp][i] = keys[begin + i];
    __syncwarp();
    for (int i = lane; i < n; i += 32) {
      const float k = buffer[warp][i];
      int place = 0;
      for (int j = 0; j < n; j++) place += buffer[warp][j] < k || (buffer[warp][j] == k && j < i);
      keys_out[begin + place] = k;
      ids_out[begin + place] = ids[begin + i];
    }
  }
}

// Eight sorted runs, one thread per range of values: a tree of losers in local memory
__global__ void merge_runs_loser_tree(const int* __restrict__ runs, const int* __restrict__ splits, const int* __restrict__ out_start, int* __restrict__ merged, int ranges, int run_length) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= ranges) return;
  int at[8], end[8], head[8], loser[8];
  for (int r = 0; r < 8; r++) {
    at[r] = r * run_length + splits[t * 8 + r];
    end[r] = r * run_length + splits[(t + 1) * 8 + r];
    head[r] = at[r] < end[r] ? runs[at[r]] : 0x7fffffff;
    loser[r] = -1;
  }
  int winner = 0;
  for (int r = 0; r < 8; r++) {
    int w = r;
    for (int node = (r + 8) / 2; node > 0; node /= 2) {
      if (loser[node] < 0) {
        loser[node] = w;
        w = -1;
        break;
      }
      if (head[loser[node]] < head[w]) {
        const int swap = loser[node];
        loser[node] = w, w = swap;
      }
    }
    if (w >= 0) winner = w;
  }
  for (int o = out_start[t]; o < out_start[t + 1]; o++) {
    merged[o] = head[winner];
    const int next = ++at[winner];
    head[winner] = next < end[winner] ? runs[next] : 0x7fffffff;
    int w = winner;
    for (int node = (winner + 8) / 2; node > 0; node /= 2)
      if (head[loser[node]] < head[w]) {
        const int swap = loser[node];
        loser[node] = w, w = swap;
      }
    winner = w;
  }
}

// ---- columns ----

// Vertical bit slices of a column of codes: lower <= code < upper for 32 rows per word, stops when no row is undecided
template <int BITS>
__global__ void bitweaving_between(const uint32_t* __restrict__ slices, uint32_t lower, uint32_t upper, uint32_t* __restrict__ result, unsigned long long* matches, int words) {
  unsigned hits = 0;
  for (int w = blockIdx.x * blockDim.x + threadIdx.x; w < words; w += gridDim.x * blockDim.x) {
    uint32_t lt_low = 0, eq_low = ~0u, lt_up = 0, eq_up = ~0u;
#pragma unroll
    for (int bit = BITS - 1; bit >= 0; bit--) {
      const uint32_t x = slices[(size_t)bit * words + w];
      const uint32_t a = 0u - (lower >> bit & 1), b = 0u - (upper >> bit & 1);
      lt_low |= eq_low & ~x & a, eq_low &= ~(x ^ a);
      lt_up |= eq_up & ~x & b, eq_up &= ~(x ^ b);
      if ((bit & 3) == 0 && (eq_low | eq_up) == 0) break;
    }
    const uint32_t in = ~lt_low & lt_up;
    result[w] = in;
    hits += __popc(in);
  }
  hits = __reduce_add_sync(0xffffffffu, hits);
  if ((threadIdx.x & 31) == 0) atomicAdd(matches, (unsigned long long)hits);
}

// Join, last step: every output row finds its probe row among the offsets of the block, searched in shared memory
__global__ void __launch_bounds__(256) expand_join_ranges(const int* __restrict__ offsets, const int* __restrict__ build_start, const int* __restrict__ build_rows, int2* __restrict__ pairs, int probe_rows, int total) {
  constexpr int tile = 1024;
  __shared__ int first, last;
  __shared__ int window[tile + 2];
  const int begin = blockIdx.x * tile, end = min(begin + tile, total);
  if (threadIdx.x < 2) {
    const int target = threadIdx.x == 0 ? begin : end - 1;
    int lo = 0, hi = probe_rows;
    while (hi - lo > 1) {
      const int mid = (lo + hi) / 2;
      if (offsets[mid] <= target)
        lo = mid;
      else
        hi = mid;
    }
    if (threadIdx.x == 0)
      first = lo;
    else
      last = lo;
  }
  __syncthreads();
  const int f = first, n = last - f + 1;
  const bool fits = n <= tile + 2;
  if (fits)
    for (int i = threadIdx.x; i < n; i += blockDim.x) window[i] = offsets[f + i];
  __syncthreads();
  for (int o = begin + threadIdx.x; o < end; o += blockDim.x) {
    int lo = 0, hi = n;
    while (hi - lo > 1) {
      const int mid = (lo + hi) >> 1;
      if ((fits ? window[mid] : offsets[f + mid]) <= o)
        lo = mid;
      else
        hi = mid;
    }
    const int row = f + lo;
    pairs[o] = make_int2(row, build_rows[build_start[row] + o - offsets[row]]);
  }
}

// Rolling window over time: back to the first row within an hour, then sum and largest value of the rows between
__global__ void rolling_time_window(const long long* __restrict__ stamps, const double* __restrict__ values, double* __restrict__ sums, double* __restrict__ largest, int* __restrict__ counts, int rows, long long span) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) {
    const long long oldest = stamps[i] - span;
    int step = 1, lo = i;
    while (lo - step >= 0 && stamps[lo - step] > oldest) {
      lo -= step;
      step <<= 1;
    }
    while (step > 0) {
      if (lo - step >= 0 && stamps[lo - step] > oldest) lo -= step;
      step >>= 1;
    }
    double sum = 0.0, most = values[i];
    for (int j = lo; j <= i; j++) {
      sum += values[j];
      most = fmax(most, values[j]);
    }
    sums[i] = sum, largest[i] = most, counts[i] = i - lo + 1;
  }
}

// The 32 smallest of a row, a warp per row: two waiting places per lane, merged with the sorted queue of the warp when one is full
__device__ inline void lane_sort(float& k, int& v, int lane, bool descending) {
#pragma unroll
  for (int size = 2; size <= 32; size *= 2)
#pragma unroll
    for (int step = size / 2; step > 0; step /= 2) {
      const float ok = __shfl_xor_sync(0xffffffffu, k, step);
      const int ov = __shfl_xor_sync(0xffffffffu, v, step);
      const bool low = (lane & step) == 0, up = (size == 32 || (lane & size) == 0) != descending;
      if (low == up ? ok < k : ok > k) k = ok, v = ov;
    }
}
__device__ inline void queue_merge(float& qk, int& qv, float k, int v, int lane) {
  lane_sort(k, v, lane, true);
  if (k < qk) qk = k, qv = v;
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    const float ok = __shfl_xor_sync(0xffffffffu, qk, step);
    const int ov = __shfl_xor_sync(0xffffffffu, qv, step);
    if ((lane & step) == 0 ? ok < qk : ok > qk) qk = ok, qv = ov;
  }
}
__global__ void warp_select_32(const float* __restrict__ distances, float* __restrict__ best, int* __restrict__ index, int rows, int cols) {
  const int lane = threadIdx.x & 31, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  const float* d = distances + (size_t)row * cols;
  float qk = INFINITY, limit = INFINITY, wait0 = INFINITY, wait1 = INFINITY;
  int qv = -1, id0 = -1, id1 = -1, waiting = 0;
  for (int c = lane; c - lane < cols; c += 32) {
    const float k = c < cols ? d[c] : INFINITY;
    if (k < limit) {
      wait1 = wait0, id1 = id0;
      wait0 = k, id0 = c;
      waiting++;
    }
    if (__any_sync(0xffffffffu, waiting == 2)) {
      queue_merge(qk, qv, wait0, id0, lane);
      queue_merge(qk, qv, wait1, id1, lane);
      limit = __shfl_sync(0xffffffffu, qk, 31);
      wait0 = wait1 = INFINITY, waiting = 0;
    }
  }
  queue_merge(qk, qv, wait0, id0, lane);
  queue_merge(qk, qv, wait1, id1, lane);
  best[row * 32 + lane] = qk;
  index[row * 32 + lane] = qv;
}

// ---- texts ----

// Jaro-Winkler similarity of pairs of names, matched letters as bits
__global__ void jaro_winkler_pairs(const char* __restrict__ names, const int* __restrict__ offsets, const int2* __restrict__ pairs, float* __restrict__ similarity, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int2 p = pairs[i];
  const char *a = names + offsets[p.x], *b = names + offsets[p.y];
  const int la = offsets[p.x + 1] - offsets[p.x], lb = offsets[p.y + 1] - offsets[p.y];
  const int window = max(max(la, lb) / 2 - 1, 0);
  uint32_t used_a = 0, used_b = 0;
  for (int x = 0; x < la; x++) {
    const char c = a[x];
    const int hi = min(x + window + 1, lb);
    for (int y = max(x - window, 0); y < hi; y++)
      if (!(used_b >> y & 1) && b[y] == c) {
        used_a |= 1u << x, used_b |= 1u << y;
        break;
      }
  }
  const int matches = __popc(used_a);
  if (matches == 0) {
    similarity[i] = 0.f;
    return;
  }
  int transposed = 0;
  for (uint32_t ra = used_a, rb = used_b; ra; ra &= ra - 1, rb &= rb - 1) transposed += a[__ffs(ra) - 1] != b[__ffs(rb) - 1];
  const float m = matches, jaro = (m / la + m / lb + (m - transposed / 2) / m) / 3.f;
  int prefix = 0;
  while (prefix < 4 && prefix < la && prefix < lb && a[prefix] == b[prefix]) prefix++;
  similarity[i] = jaro + prefix * 0.1f * (1.f - jaro);
}

// Byte-pair tokens of words: the pair of least rank is merged until no pair is in the table
struct MergeRule {
  uint32_t pair;
  int rank;
};
__device__ inline int merge_rank(const MergeRule* rules, uint32_t mask, int a, int b) {
  const uint32_t pair = (uint32_t)a << 16 | (uint32_t)b;
  for (uint32_t h = mix32(pair) & mask;; h = (h + 1) & mask) {
    const MergeRule r = rules[h];
    if (r.pair == pair) return r.rank;
    if (r.rank < 0) return 0x7fffffff;
  }
}
__global__ void bpe_merge_words(const char* __restrict__ text, const int* __restrict__ offsets, const MergeRule* __restrict__ rules, uint32_t mask, uint16_t* __restrict__ tokens, int* __restrict__ lengths, int words) {
  const int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= words) return;
  short symbol[24];
  int n = min(offsets[w + 1] - offsets[w], 24);
  for (int i = 0; i < n; i++) symbol[i] = text[offsets[w] + i] - 'a';
  while (n > 1) {
    int best = 0x7fffffff, where = -1;
    for (int i = 0; i + 1 < n; i++) {
      const int rank = merge_rank(rules, mask, symbol[i], symbol[i + 1]);
      if (rank < best) best = rank, where = i;
    }
    if (where < 0) break;
    symbol[where] = (short)(26 + best);
    n--;
    for (int i = where + 1; i < n; i++) symbol[i] = symbol[i + 1];
  }
  lengths[w] = n;
  for (int i = 0; i < n; i++) tokens[offsets[w] + i] = (uint16_t)symbol[i];
}

// Lines with quoted fields, a warp per line: commas outside of quotes by the parity of a prefix of a mask
__global__ void csv_columns_warp(const char* __restrict__ text, const int* __restrict__ lines, int* __restrict__ ends, int* __restrict__ found, int count, int columns) {
  const int lane = threadIdx.x & 31, line = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (line >= count) return;
  const int begin = lines[line], end = lines[line + 1];
  int column = 0;
  uint32_t carry = 0;
  for (int base = begin; base < end; base += 32) {
    const char c = base + lane < end ? text[base + lane] : '\0';
    uint32_t inside = __ballot_sync(0xffffffffu, c == '"');
    inside ^= inside << 1, inside ^= inside << 2, inside ^= inside << 4, inside ^= inside << 8, inside ^= inside << 16;
    inside ^= carry;
    carry = (uint32_t)((int32_t)inside >> 31);
    const uint32_t commas = __ballot_sync(0xffffffffu, c == ',' || c == '\n') & ~inside;
    if (commas >> lane & 1) {
      const int mine = column + __popc(commas & ((1u << lane) - 1));
      if (mine < columns) ends[line * columns + mine] = base + lane;
    }
    column += __popc(commas);
  }
  if (lane == 0) found[line] = column;
}

// UTF-8 to UTF-16, a block per 4096 bytes whose place in the output is known: sixteen bytes per thread, a scan of their units
__global__ void __launch_bounds__(256) utf8_to_utf16_block(const uint8_t* __restrict__ text, const int* __restrict__ block_start, uint16_t* __restrict__ out, int bytes) {
  __shared__ int warp_sum[8];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int first = blockIdx.x * 4096 + threadIdx.x * 16, last = min(first + 16, bytes);
  int units = 0;
  for (int i = first; i < last; i++) {
    const uint8_t c = text[i];
    units += ((c & 0xc0) != 0x80) + (c >= 0xf0);
  }
  int inclusive = units;
  for (int m = 1; m < 32; m <<= 1) {
    const int t = __shfl_up_sync(0xffffffffu, inclusive, m);
    if (lane >= m) inclusive += t;
  }
  if (lane == 31) warp_sum[warp] = inclusive;
  __syncthreads();
  int at = block_start[blockIdx.x] + inclusive - units;
  for (int w = 0; w < warp; w++) at += warp_sum[w];
  for (int i = first; i < last; i++) {
    const uint32_t c = text[i];
    if ((c & 0xc0) == 0x80) continue;
    if (c < 0x80) {
      out[at++] = (uint16_t)c;
    } else if (c < 0xe0) {
      out[at++] = (uint16_t)((c & 0x1f) << 6 | (text[i + 1] & 0x3f));
    } else if (c < 0xf0) {
      out[at++] = (uint16_t)((c & 0x0f) << 12 | (text[i + 1] & 0x3f) << 6 | (text[i + 2] & 0x3f));
    } else {
      const uint32_t code = ((c & 7) << 18 | (text[i + 1] & 0x3f) << 12 | (text[i + 2] & 0x3f) << 6 | (text[i + 3] & 0x3f)) - 0x10000;
      out[at++] = (uint16_t)(0xd800 | code >> 10);
      out[at++] = (uint16_t)(0xdc00 | (code & 0x3ff));
    }
  }
}

// Microseconds since 1970 to year, month, day, hour, minute, day of the week and ISO week
struct Calendar {
  short year;
  uint8_t month, day, hour, minute, weekday, week;
};
__global__ void extract_calendar_fields(const long long* __restrict__ micros, Calendar* __restrict__ out, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  const long long us = micros[i];
  long long seconds = us / 1000000;
  if (us % 1000000 < 0) seconds--;
  int days = (int)(seconds / 86400), second = (int)(seconds % 86400);
  if (second < 0) second += 86400, days--;
  const int z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097;
  const unsigned doe = z - era * 146097, yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
  const int month = mp < 10 ? mp + 3 : mp - 9, year = (int)yoe + era * 400 + (month <= 2);
  const int weekday = ((days % 7) + 10) % 7;  // Monday is 0
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  const int of_year = month <= 2 ? (int)doy - 306 : (int)doy + 59 + leap;
  int week = (of_year - weekday + 10) / 7;
  if (week < 1) week = 52;
  Calendar c;
  c.year = (short)year, c.month = (uint8_t)month, c.day = (uint8_t)(doy - (153 * mp + 2) / 5 + 1);
  c.hour = (uint8_t)(second / 3600), c.minute = (uint8_t)(second / 60 % 60), c.weekday = (uint8_t)weekday, c.week = (uint8_t)week;
  out[i] = c;
}

// ---- packed columns and codes ----

// Pages of dictionary indices in runs and bit-packed groups, a warp per page, values gathered from the dictionary
__global__ void parquet_hybrid_decode(const uint8_t* __restrict__ bytes, const int* __restrict__ page_offset, const int* __restrict__ page_row, const double* __restrict__ dictionary, double* __restrict__ out, int pages, int width) {
  const int lane = threadIdx.x & 31, page = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  if (page >= pages) return;
  const uint8_t* p = bytes + page_offset[page];
  int row = page_row[page];
  const int end = page_row[page + 1];
  const uint32_t mask = (1u << width) - 1;
  while (row < end) {
    uint32_t header = 0;
    for (int shift = 0;; shift += 7) {
      const uint8_t b = *p++;
      header |= (uint32_t)(b & 0x7f) << shift;
      if (!(b & 0x80)) break;
    }
    if (header & 1) {
      const int groups = header >> 1, n = min(groups * 8, end - row);
      for (int i = lane; i < n; i += 32) {
        const int bit = i * width;
        const uint8_t* q = p + (bit >> 3);
        const uint32_t word = q[0] | q[1] << 8 | q[2] << 16;
        out[row + i] = dictionary[word >> (bit & 7) & mask];
      }
      p += groups * width;
      row += n;
    } else {
      const int n = min((int)(header >> 1), end - row);
      const uint32_t index = p[0] | (width > 8 ? p[1] << 8 : 0);
      const double value = dictionary[index & mask];
      for (int i = lane; i < n; i += 32) out[row + i] = value;
      p += (width + 7) / 8;
      row += n;
    }
  }
}

// Strings of one-byte codes for symbols of up to eight bytes, code 255 announces a plain byte; a thread per string
__global__ void fsst_decode_strings(const uint8_t* __restrict__ codes, const int* __restrict__ code_offset, const uint64_t* __restrict__ symbols, const uint8_t* __restrict__ symbol_length, const int* __restrict__ out_offset,
                                    uint8_t* __restrict__ out, int strings) {
  __shared__ uint64_t symbol[256];
  __shared__ uint8_t length[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) symbol[i] = symbols[i], length[i] = symbol_length[i];
  __syncthreads();
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= strings) return;
  uint8_t* o = out + out_offset[s];
  for (int i = code_offset[s]; i < code_offset[s + 1]; i++) {
    const int c = codes[i];
    if (c == 255) {
      *o++ = codes[++i];
      continue;
    }
    uint64_t v = symbol[c];
    for (int k = length[c]; k > 0; k--) {
      *o++ = (uint8_t)v;
      v >>= 8;
    }
  }
}

// Huffman encoder: 2048 symbols per block, a scan of the lengths of eight symbols per thread, bits put together in shared memory
__global__ void __launch_bounds__(256) huffman_encode_chunks(const uint2* __restrict__ symbols, const uint32_t* __restrict__ codebook, uint32_t* __restrict__ out, int* __restrict__ chunk_bits) {
  __shared__ uint32_t book[256], stream[1024 + 1];
  __shared__ int warp_bits[8];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  book[t] = codebook[t];
  for (int i = t; i < 1025; i += 256) stream[i] = 0;
  __syncthreads();
  const uint2 packed = symbols[blockIdx.x * 256 + t];
  uint32_t code[8];
  int bits = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    code[k] = book[((k < 4 ? packed.x : packed.y) >> (k & 3) * 8) & 255];
    bits += code[k] >> 16;
  }
  int scan = bits;
#pragma unroll
  for (int m = 1; m < 32; m <<= 1) {
    const int up = __shfl_up_sync(0xffffffffu, scan, m);
    if (lane >= m) scan += up;
  }
  if (lane == 31) warp_bits[warp] = scan;
  __syncthreads();
  int at = scan - bits, total = 0;
#pragma unroll
  for (int w = 0; w < 8; w++) {
    if (w < warp) at += warp_bits[w];
    total += warp_bits[w];
  }
  int word = at >> 5, filled = at & 31;
  uint64_t buffer = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    buffer |= (uint64_t)(code[k] & 0xffff) << filled;
    filled += code[k] >> 16;
    if (filled >= 32) {
      atomicOr(&stream[word++], (uint32_t)buffer);
      buffer >>= 32, filled -= 32;
    }
  }
  if (filled) atomicOr(&stream[word], (uint32_t)buffer);
  __syncthreads();
  for (int i = t; i < (total + 31) / 32; i += 256) out[blockIdx.x * 1024 + i] = stream[i];
  if (t == 0) chunk_bits[blockIdx.x] = total;
}

// ---- searches and ranges ----

// Lower bound in a sorted array laid out level by level
__global__ void eytzinger_lower_bound(const int* __restrict__ tree, int n, const int* __restrict__ queries, int* __restrict__ answers, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const int key = queries[i];
    unsigned k = 1;
    while (k <= (unsigned)n) k = 2 * k + (tree[k] < key);
    k >>= __ffs(~k);
    answers[i] = k ? tree[k] : 0x7fffffff;
  }
}

// Intervals that hold a point: an implicit tree over the sorted starts with the largest end of every subtree
__global__ void interval_stab_count(const int* __restrict__ starts, const int* __restrict__ ends, const int* __restrict__ max_end, const int* __restrict__ points, int* __restrict__ counts, int n, int queries) {
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= queries) return;
  const int x = points[q];
  int2 stack[40];
  int top = 0, count = 0;
  stack[top++] = make_int2(0, n);
  while (top > 0) {
    const int2 range = stack[--top];
    const int mid = (range.x + range.y) >> 1;
    if (max_end[mid] <= x) continue;
    if (range.x < mid) stack[top++] = make_int2(range.x, mid);
    if (starts[mid] <= x) {
      count += ends[mid] > x;
      if (mid + 1 < range.y) stack[top++] = make_int2(mid + 1, range.y);
    }
  }
  counts[q] = count;
}

// Wavelet matrix: the k-th smallest of a range, sixteen levels of bits with their ranks
__device__ inline int wavelet_rank(const uint2* level, int at) {
  const uint2 w = level[at >> 5];
  return w.y + __popc(w.x & ((1u << (at & 31)) - 1));
}
__global__ void wavelet_matrix_quantile(const uint2* __restrict__ levels, const int* __restrict__ zeros, int words, const int4* __restrict__ queries, int* __restrict__ answers, int count) {
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= count) return;
  int l = queries[q].x, r = queries[q].y, k = queries[q].z, value = 0;
#pragma unroll 4
  for (int b = 15; b >= 0; b--) {
    const uint2* level = levels + (15 - b) * words;
    const int l1 = wavelet_rank(level, l), r1 = wavelet_rank(level, r);
    const int l0 = l - l1, r0 = r - r1;
    if (k < r0 - l0) {
      l = l0, r = r0;
    } else {
      k -= r0 - l0;
      value |= 1 << b;
      l = zeros[15 - b] + l1, r = zeros[15 - b] + r1;
    }
  }
  answers[q] = value;
}

// Rectangles that meet a window: a packed R-tree of 32 children per node, a warp per window, its stack in shared memory
struct RTreeLevels {
  int first[6], count[6], levels;
};
__global__ void __launch_bounds__(128) rtree_window_count(const float4* __restrict__ boxes, RTreeLevels tree, const float4* __restrict__ windows, int* __restrict__ counts, int queries) {
  __shared__ int stack[4][128];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, q = blockIdx.x * 4 + warp;
  if (q >= queries) return;
  const float4 w = windows[q];
  int top = 1, count = 0;
  if (lane == 0) stack[warp][0] = tree.levels << 24;
  __syncwarp();
  while (top > 0) {
    const int entry = stack[warp][--top], below = (entry >> 24) - 1, child = (entry & 0xffffff) * 32 + lane;
    __syncwarp();
    bool meets = false;
    if (child < tree.count[below]) {
      const float4 b = boxes[tree.first[below] + child];
      meets = b.x <= w.z && b.z >= w.x && b.y <= w.w && b.w >= w.y;
    }
    const unsigned hits = __ballot_sync(0xffffffffu, meets);
    if (below == 0) {
      count += __popc(hits);
    } else {
      if (meets) stack[warp][top + __popc(hits & ((1u << lane) - 1))] = below << 24 | child;
      top += __popc(hits);
      __syncwarp();
    }
  }
  if (lane == 0) counts[q] = count;
}

// Common prefixes of neighbours in a suffix array, four bytes at a time from any address
__device__ inline uint32_t word_at(const uint32_t* text, int at) { return __funnelshift_r(text[at >> 2], text[(at >> 2) + 1], (at & 3) * 8); }
__global__ void lcp_neighbours_direct(const uint32_t* __restrict__ text, const int* __restrict__ suffixes, int* __restrict__ lcp, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i == 0) {
    lcp[0] = 0;
    return;
  }
  const int a = suffixes[i - 1], b = suffixes[i], limit = n - max(a, b);
  int l = 0;
  while (l < limit) {
    const uint32_t differ = word_at(text, a + l) ^ word_at(text, b + l);
    if (differ) {
      l += (__ffs(differ) - 1) >> 3;
      break;
    }
    l += 4;
  }
  lcp[i] = min(l, limit);
}

// ---- graphs ----

// PageRank by pushing: a warp per vertex adds its share to all it points to
__global__ void pagerank_push_warp(const int* __restrict__ row_ptr, const int* __restrict__ col, const float* __restrict__ rank, float* next, float damping, int n) {
  const int lane = threadIdx.x & 31;
  for (int v = (blockIdx.x * blockDim.x + threadIdx.x) >> 5; v < n; v += (gridDim.x * blockDim.x) >> 5) {
    const int begin = row_ptr[v], end = row_ptr[v + 1];
    if (begin == end) continue;
    const float share = damping * rank[v] / (end - begin);
    for (int e = begin + lane; e < end; e += 32) atomicAdd(&next[col[e]], share);
  }
}

// Triangles of an oriented graph: a warp per vertex, neighbours of neighbours are looked for by binary search
__global__ void triangles_binary_search_warp(const int* __restrict__ row_ptr, const int* __restrict__ col, unsigned long long* total, int n) {
  const int u = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (u >= n) return;
  const int ub = row_ptr[u], ue = row_ptr[u + 1];
  int mine = 0;
  for (int e = ub; e < ue; e++) {
    const int v = col[e], ve = row_ptr[v + 1];
    for (int k = row_ptr[v] + lane; k < ve; k += 32) {
      const int w = col[k];
      int lo = ub, hi = ue;
      while (lo < hi) {
        const int mid = (lo + hi) / 2;
        if (col[mid] < w)
          lo = mid + 1;
        else
          hi = mid;
      }
      mine += lo < ue && col[lo] == w;
    }
  }
  for (int m = 16; m > 0; m /= 2) mine += __shfl_down_sync(0xffffffffu, mine, m);
  if (lane == 0 && mine) atomicAdd(total, (unsigned long long)mine);
}

// Betweenness, forward: edges from one level of depth to the next add up the numbers of shortest paths
__global__ void brandes_forward_edges(const int* __restrict__ from, const int* __restrict__ to, const int* __restrict__ depth, const double* __restrict__ sigma, double* sigma_next, int level, int edges) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < edges; e += gridDim.x * blockDim.x) {
    const int u = from[e];
    if (depth[u] != level) continue;
    const int v = to[e];
    if (depth[v] == level + 1) atomicAdd(&sigma_next[v], sigma[u]);
  }
}

// Connected components of many small graphs, a block per graph: least labels spread along the edges until nothing changes
__global__ void __launch_bounds__(64) components_small_graphs(const int* __restrict__ vertex_start, const int* __restrict__ edge_start, const uchar2* __restrict__ edges, int* __restrict__ components, uint8_t* __restrict__ labels) {
  __shared__ int label[2][128];
  const int g = blockIdx.x, n = vertex_start[g + 1] - vertex_start[g];
  const int eb = edge_start[g], ee = edge_start[g + 1];
  for (int v = threadIdx.x; v < n; v += blockDim.x) label[0][v] = label[1][v] = v;
  __syncthreads();
  int now = 0, changed = 1;
  while (changed) {
    changed = 0;
    for (int e = eb + threadIdx.x; e < ee; e += blockDim.x) {
      const uchar2 ab = edges[e];
      const int a = label[now][ab.x], b = label[now][ab.y];
      if (a < b) {
        atomicMin(&label[now ^ 1][ab.y], a);
        changed = 1;
      } else if (b < a) {
        atomicMin(&label[now ^ 1][ab.x], b);
        changed = 1;
      }
    }
    changed = __syncthreads_or(changed);
    now ^= 1;
    for (int v = threadIdx.x; v < n; v += blockDim.x) label[now ^ 1][v] = label[now][v];
    __syncthreads();
  }
  int roots = 0;
  for (int v = threadIdx.x; v < n; v += blockDim.x) {
    roots += label[now][v] == v;
    labels[vertex_start[g] + v] = (uint8_t)label[now][v];
  }
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (roots) atomicAdd(&sum, roots);
  __syncthreads();
  if (threadIdx.x == 0) components[g] = sum;
}

// ---- shapes ----

// Triangles in clip space cut by the six planes of the view, polygons in local memory; vertices left and area on the screen
__device__ inline float plane_distance(const float4& v, int plane) {
  const float c = plane < 2 ? v.x : plane < 4 ? v.y : v.z;
  return (plane & 1) ? v.w - c : v.w + c;
}
__global__ void clip_triangles_sutherland(const float4* __restrict__ vertices, const int3* __restrict__ triangles, uint8_t* __restrict__ corners, float* __restrict__ areas, int count) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= count) return;
  float4 poly[10], cut[10];
  const int3 tri = triangles[t];
  poly[0] = vertices[tri.x], poly[1] = vertices[tri.y], poly[2] = vertices[tri.z];
  int n = 3;
  for (int plane = 0; plane < 6 && n > 0; plane++) {
    int m = 0;
    float4 prev = poly[n - 1];
    float dp = plane_distance(prev, plane);
    for (int i = 0; i < n; i++) {
      const float4 cur = poly[i];
      const float dc = plane_distance(cur, plane);
      if ((dp >= 0.f) != (dc >= 0.f)) {
        const float s = dp / (dp - dc);
        if (m < 10) cut[m++] = make_float4(prev.x + s * (cur.x - prev.x), prev.y + s * (cur.y - prev.y), prev.z + s * (cur.z - prev.z), prev.w + s * (cur.w - prev.w));
      }
      if (dc >= 0.f && m < 10) cut[m++] = cur;
      prev = cur, dp = dc;
    }
    n = m;
    for (int i = 0; i < n; i++) poly[i] = cut[i];
  }
  float area = 0.f;
  for (int i = 0; i < n; i++) {
    const float4 a = poly[i], b = poly[i + 1 < n ? i + 1 : 0];
    area += (a.x * b.y - b.x * a.y) / fmaxf(a.w * b.w, 1e-6f);
  }
  corners[t] = (uint8_t)n;
  areas[t] = 0.5f * area;
}

template <class Make>
static void lay_out(const std::vector<int>& sorted, std::vector<int>& tree, size_t k, Make& next) {
  if (k >= tree.size()) return;
  lay_out(sorted, tree, 2 * k, next);
  tree[k] = sorted[next++];
  lay_out(sorted, tree, 2 * k + 1, next);
}
static int largest_end(const std::vector<int>& ends, std::vector<int>& most, int lo, int hi) {
  if (lo >= hi) return -1;
  const int mid = (lo + hi) / 2;
  most[mid] = std::max(ends[mid], std::max(largest_end(ends, most, lo, mid), largest_end(ends, most, mid + 1, hi)));
  return most[mid];
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* f = on_device<float>(4 * M, [](uint32_t i) { return fraction(i); });
  const double* d = on_device<double>(M, [](uint32_t i) { return double(fraction(i)); });
  float* o = zeros<float>(8 * M);
  int* oi = (int*)o;

  // slabs: 30 keys, one word of no use, the number of the next slab
  constexpr int buckets = 12000;
  std::vector<uint32_t> slabs(size_t(buckets) * 32, EMPTY_KEY);
  std::vector<int> last_slab(buckets), used(buckets, 0);
  for (int b = 0; b < buckets; ++b) last_slab[b] = b;
  for (uint32_t i = 0; i < 300000; ++i) {
    const uint32_t key = hashed(i) & 0x7fffffff, b = mix32(key) % buckets;
    if (used[b] == 30) {
      slabs[size_t(last_slab[b]) * 32 + 31] = uint32_t(slabs.size() / 32);
      last_slab[b] = int(slabs.size() / 32), used[b] = 0;
      slabs.resize(slabs.size() + 32, EMPTY_KEY);
    }
    slabs[size_t(last_slab[b]) * 32 + used[b]++] = key;
  }
  const uint32_t* slabs_d = on_device(slabs);
  const uint32_t* slab_queries = on_device<uint32_t>(200000, [](uint32_t i) { return hashed(hashed(i) % (i % 4 ? 300000 : 600000)) & 0x7fffffff; });
  run("slab_search_warp", [&] { slab_search_warp<<<(200000 + 127) / 128, 128>>>(slabs_d, slab_queries, oi, 200000, buckets); });

  constexpr uint32_t cuckoo_mask = M - 1;
  std::vector<uint64_t> cuckoo(M, 0);
  for (uint32_t i = 0; i < 2 * M; ++i) {
    const uint64_t h = mix64(i * 2654435761ull);
    uint32_t fp = fingerprint16(h), b = uint32_t(h) & cuckoo_mask;
    for (int kicks = 0, done = 0; kicks < 60 && !done; ++kicks) {
      for (int lane = 0; lane < 4 && !done; ++lane)
        if ((cuckoo[b] >> 16 * lane & 0xffff) == 0) cuckoo[b] |= uint64_t(fp) << 16 * lane, done = 1;
      if (!done && kicks > 0) {
        const int lane = hashed(i + kicks) & 3;
        const uint32_t out = uint32_t(cuckoo[b] >> 16 * lane & 0xffff);
        cuckoo[b] ^= uint64_t(out ^ fp) << 16 * lane;
        fp = out;
      }
      b = (b ^ mix32(fp)) & cuckoo_mask;
    }
  }
  const uint64_t* cuckoo_d = on_device(cuckoo);
  const uint64_t* cuckoo_keys = on_device<uint64_t>(3 * M / 2, [](uint32_t i) { return uint64_t((hashed(i) % (3u << 20)) * 2654435761ull); });
  run("cuckoo_filter_contains", [&] { cuckoo_filter_contains<<<3 * M / 2 / 256, 256>>>(cuckoo_d, cuckoo_mask, cuckoo_keys, (uint32_t*)o, 3 * M / 2); });

  constexpr int qbits = 18;
  std::vector<uint32_t> prints;
  for (uint32_t i = 0; i < 200000; ++i) {
    const uint32_t h = mix32(i * 7919u);
    prints.push_back(h >> (32 - qbits) << 13 | (h & 0x1fff));
  }
  std::sort(prints.begin(), prints.end());
  prints.erase(std::unique(prints.begin(), prints.end()), prints.end());
  std::vector<uint16_t> quotients((1 << qbits) + 4096, 0);
  for (size_t i = 0, free = 0; i < prints.size(); ++i) {
    const size_t q = prints[i] >> 13, at = std::max(q, free);
    const bool same = i > 0 && prints[i - 1] >> 13 == q;
    quotients[q] |= QF_OCCUPIED;
    quotients[at] |= uint16_t((prints[i] & 0x1fff) << 3 | (same ? QF_CONTINUATION : 0) | (at != q ? QF_SHIFTED : 0));
    free = at + 1;
  }
  const uint16_t* quotients_d = on_device(quotients);
  const uint32_t* quotient_keys = on_device<uint32_t>(400000, [](uint32_t i) { return hashed(i) % 400000 * 7919u; });
  run("quotient_filter_lookup", [&] { quotient_filter_lookup<<<(400000 + 255) / 256, 256>>>(quotients_d, qbits, quotient_keys, (uint8_t*)o, 400000); });

  constexpr int split_blocks = 1536, split_keys = split_blocks * 1024;
  std::vector<uint32_t> unsplit(split_keys), block_offset(32 * split_blocks, 0);
  for (int i = 0; i < split_keys; ++i) {
    unsplit[i] = uint32_t(double(fraction(i)) * fraction(i / 3) * 4294967295.0);
    ++block_offset[(unsplit[i] >> 27) * split_blocks + i / 1024];
  }
  for (uint32_t i = 0, sum = 0; i < block_offset.size(); ++i) {
    const uint32_t c = block_offset[i];
    block_offset[i] = sum, sum += c;
  }
  const uint32_t *unsplit_d = on_device(unsplit), *block_offset_d = on_device(block_offset);
  run("multisplit_block_scatter", [&] { multisplit_block_scatter<<<split_blocks, 256>>>(unsplit_d, (const uint32_t*)f, block_offset_d, (uint32_t*)o, (uint32_t*)o + 2 * M, split_blocks); });
  std::vector<int> segment(1, 0);
  for (int s = 0; s < 16000; ++s) segment.push_back(segment.back() + (hashed(s) % 40 == 0 ? 33 + int(hashed(s + 1) % 220) : int(hashed(s + 2) % 33)));
  const int* segment_d = on_device(segment);
  run("segments_sort_warp", [&] { segments_sort_warp<<<16000 / 4, 128>>>(segment_d, f, (const int*)f + M, o, oi + M, 16000); });

  constexpr int run_length = 100000, ranges = 8192;
  std::vector<int> runs(8 * run_length), splits(8 * (ranges + 1)), out_start(ranges + 1, 0);
  for (int r = 0; r < 8; ++r)
    for (int i = 0, x = 0; i < run_length; ++i) runs[r * run_length + i] = x += int(hashed(r * run_length + i) % 2000);
  for (int t = 0; t <= ranges; ++t)
    for (int r = 0; r < 8; ++r) {
      const auto begin = runs.begin() + r * run_length;
      splits[t * 8 + r] = t == ranges ? run_length : t == 0 ? 0 : int(std::lower_bound(begin, begin + run_length, int(100000000ll * t / ranges)) - begin);
      out_start[t] += splits[t * 8 + r];
    }
  const int *runs_d = on_device(runs), *splits_d = on_device(splits), *out_start_d = on_device(out_start);
  run("merge_runs_loser_tree", [&] { merge_runs_loser_tree<<<ranges / 64, 64>>>(runs_d, splits_d, out_start_d, oi, ranges, run_length); });

  constexpr int slice_words = 500000;
  const uint32_t* slices = on_device<uint32_t>(12 * slice_words, [](uint32_t i) { return hashed(i) & (i < slice_words ? hashed(i + 1) : ~0u); });
  unsigned long long* matches = zeros<unsigned long long>(2);
  run("bitweaving_between", [&] { bitweaving_between<12><<<528, 256>>>(slices, 500, 1700, (uint32_t*)o, matches, slice_words); });
  constexpr int probe_rows = 300000;
  std::vector<int> offsets(1, 0), build_start;
  for (int i = 0; i < probe_rows; ++i) {
    const int many = hashed(i) % 5000 == 0 ? 2500 : hashed(i) % 3 == 0 ? 0 : int(hashed(i + 1) % 6);
    build_start.push_back(int(hashed(i / 2) % (M - 2500)));
    offsets.push_back(offsets.back() + many);
  }
  const int *offsets_d = on_device(offsets), *build_start_d = on_device(build_start), joined = offsets.back();
  run("expand_join_ranges", [&] { expand_join_ranges<<<(joined + 1023) / 1024, 256>>>(offsets_d, build_start_d, (const int*)f, (int2*)o, probe_rows, joined); });
  std::vector<long long> stamps(300000);
  long long clock = 1700000000;
  for (int i = 0; i < 300000; ++i) stamps[i] = clock += hashed(i / 400) % 8 == 0 ? 20 + hashed(i) % 40 : 100 + hashed(i) % 500;
  const long long* stamps_d = on_device(stamps);
  double* od = (double*)o;
  run("rolling_time_window", [&] { rolling_time_window<<<264, 256>>>(stamps_d, d, od, od + M / 2, oi + 4 * M, 300000, 3600); });
  run("warp_select_32", [&] { warp_select_32<<<500 / 4, 128>>>(f, o, oi + M, 500, 4000); });

  std::string names;
  std::vector<int> name_at(1, 0);
  for (int i = 0; i < 20000; ++i) {
    for (uint32_t k = 0; k < 4 + hashed(i) % 6 + (hashed(i) % 11 == 0 ? 8 : 0); ++k) names.push_back("eariotnslcudpmhgbfywkvxzjq"[int(26 * fraction(i * 24 + k) * fraction(i * 24 + k + 7))]);
    name_at.push_back(int(names.size()));
  }
  const char* names_d = on_device(std::vector<char>(names.begin(), names.end()));
  const int* name_at_d = on_device(name_at);
  const int2* name_pairs = on_device<int2>(100000, [](uint32_t i) { return make_int2(int(hashed(i) % 20000), int(hashed(i + 123456) % 20000)); });
  run("jaro_winkler_pairs", [&] { jaro_winkler_pairs<<<(100000 + 127) / 128, 128>>>(names_d, name_at_d, name_pairs, o, 100000); });
  std::vector<MergeRule> rules(8192, MergeRule{0xffffffffu, -1});
  for (int i = 0; i < 2000;) {
    static uint32_t draw = 0;
    const float x = fraction(draw++), y = fraction(draw++);
    const uint32_t pair = uint32_t(x * x * x * float(26 + i)) << 16 | uint32_t(y * y * y * float(26 + i));
    uint32_t h = mix32(pair) & 8191;
    while (rules[h].rank >= 0 && rules[h].pair != pair) h = (h + 1) & 8191;
    if (rules[h].rank < 0) rules[h] = MergeRule{pair, i++};
  }
  std::string prose;
  std::vector<int> word_at(1, 0);
  for (int w = 0; w < 30000; ++w) {
    for (uint32_t k = 0; k < 2 + hashed(w) % 7 + (hashed(w) % 9 == 0 ? 8 : 0); ++k) prose.push_back(char('a' + int(26 * fraction(w * 20 + k) * fraction(w * 20 + k + 3) * 0.999f)));
    word_at.push_back(int(prose.size()));
  }
  const MergeRule* rules_d = on_device(rules);
  const char* prose_d = on_device(std::vector<char>(prose.begin(), prose.end()));
  const int* word_at_d = on_device(word_at);
  run("bpe_merge_words", [&] { bpe_merge_words<<<(30000 + 127) / 128, 128>>>(prose_d, word_at_d, rules_d, 8191, (uint16_t*)o, oi + M, 30000); });
  std::string csv;
  std::vector<int> line_at(1, 0);
  for (int l = 0; l < 40000; ++l) {
    for (int c = 0; c < 12; ++c) {
      const uint32_t h = hashed(l * 12 + c);
      if (c == 3 && h % 4 == 0)
        csv += "\"Smith, J. & Sons, Ltd\"";
      else
        for (uint32_t k = 0; k < 1 + h % (c == 5 ? 24 : 8); ++k) csv.push_back(char('0' + hashed(h + k) % 10));
      csv.push_back(c == 11 ? '\n' : ',');
    }
    line_at.push_back(int(csv.size()));
  }
  const char* csv_d = on_device(std::vector<char>(csv.begin(), csv.end()));
  const int* line_at_d = on_device(line_at);
  run("csv_columns_warp", [&] { csv_columns_warp<<<40000 / 8, 256>>>(csv_d, line_at_d, oi, oi + M, 40000, 12); });
  std::vector<uint8_t> utf8;
  std::vector<int> utf16_at;
  for (uint32_t i = 0, units = 0; utf8.size() < 3000000; ++i) {
    const uint32_t h = hashed(i), kind = hashed(i / 300) % 4 == 0 ? h % 8 : 7;
    const uint32_t code = kind < 2 ? 0x4e00 + h % 20000 : kind < 5 ? 0x400 + h % 0x80 : kind == 5 ? 0x1f300 + h % 500 : 0x20 + h % 0x5f;
    const int length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int k = 0; k < length; ++k) {
      if (utf8.size() % 4096 == 0) utf16_at.push_back(int(units + (k > 0 ? (length == 4 ? 2 : 1) : 0)));
      utf8.push_back(uint8_t(k ? 0x80 | (code >> 6 * (length - 1 - k) & 0x3f) : length == 1 ? code : ((0xf00 >> length) & 0xff) | code >> 6 * (length - 1)));
    }
    units += length == 4 ? 2 : 1;
  }
  const uint8_t* utf8_d = on_device(utf8);
  const int *utf16_at_d = on_device(utf16_at), utf8_bytes = int(utf8.size());
  run("utf8_to_utf16_block", [&] { utf8_to_utf16_block<<<int(utf16_at.size()), 256>>>(utf8_d, utf16_at_d, (uint16_t*)o, utf8_bytes); });
  const long long* micros = on_device<long long>(600000, [](uint32_t i) { return (long long)hashed(i) * 700000ll - 500000000000000ll; });
  run("extract_calendar_fields", [&] { extract_calendar_fields<<<(600000 + 255) / 256, 256>>>(micros, (Calendar*)o, 600000); });

  constexpr int pages = 1200, width = 11;
  std::vector<uint8_t> hybrid;
  std::vector<int> page_offset, page_row(1, 0);
  for (int p = 0; p < pages; ++p) {
    page_offset.push_back(int(hybrid.size()));
    int rows = 0;
    const int want = 1000 + int(hashed(p) % 1500);
    for (uint32_t k = hashed(p); rows < want; k = hashed(k + 1)) {
      if (k % 3 == 0) {
        const int n = 8 + int(k / 3 % 400);
        hybrid.push_back(uint8_t(n * 2 & 0x7f) | (n >= 64 ? 0x80 : 0));
        if (n >= 64) hybrid.push_back(uint8_t(n >> 6));
        hybrid.push_back(uint8_t(k >> 8)), hybrid.push_back(uint8_t(k >> 16 & 7));
        rows += n;
      } else {
        const int groups = 1 + int(k / 3 % 30);
        hybrid.push_back(uint8_t(groups << 1 | 1));
        for (int b = 0; b < groups * width; ++b) hybrid.push_back(uint8_t(hashed(k + b)));
        rows += groups * 8;
      }
    }
    page_row.push_back(page_row.back() + rows);
  }
  hybrid.resize(hybrid.size() + 16, 0);
  const uint8_t* hybrid_d = on_device(hybrid);
  const int *page_offset_d = on_device(page_offset), *page_row_d = on_device(page_row);
  run("parquet_hybrid_decode", [&] { parquet_hybrid_decode<<<pages / 4, 128>>>(hybrid_d, page_offset_d, page_row_d, d, od, pages, width); });
  std::vector<uint64_t> symbols(256);
  std::vector<uint8_t> symbol_length(256), codes;
  for (uint32_t i = 0; i < 256; ++i) symbols[i] = 0x2065687420646e61ull + i * 0x0101010101ull, symbol_length[i] = uint8_t(1 + hashed(i) % 8);
  std::vector<int> code_offset(1, 0), text_offset(1, 0);
  for (uint32_t s = 0; s < 100000; ++s) {
    int length = 0;
    for (uint32_t k = 0; k < 3 + hashed(s) % 20; ++k) {
      const uint32_t h = hashed(s * 32 + k);
      if (h % 30 == 0)
        codes.push_back(255), codes.push_back(uint8_t(h >> 8)), length += 1;
      else
        codes.push_back(uint8_t((h >> 8) % 255)), length += symbol_length[(h >> 8) % 255];
    }
    code_offset.push_back(int(codes.size())), text_offset.push_back(text_offset.back() + length);
  }
  const uint8_t *codes_d = on_device(codes), *symbol_length_d = on_device(symbol_length);
  const uint64_t* symbols_d = on_device(symbols);
  const int *code_offset_d = on_device(code_offset), *text_offset_d = on_device(text_offset);
  run("fsst_decode_strings", [&] { fsst_decode_strings<<<(100000 + 127) / 128, 128>>>(codes_d, code_offset_d, symbols_d, symbol_length_d, text_offset_d, (uint8_t*)o, 100000); });

  // Huffman's lengths for falling frequencies, codes in order of length
  std::vector<int> parent(511, -1), bits(256, 0);
  std::priority_queue<std::pair<long, int>, std::vector<std::pair<long, int>>, std::greater<std::pair<long, int>>> heap;
  for (int s = 0; s < 256; ++s) heap.push({20 + 4000 / (1 + s), s});
  for (int node = 256; node < 511; ++node) {
    const auto a = heap.top();
    heap.pop();
    const auto b = heap.top();
    heap.pop();
    parent[a.second] = parent[b.second] = node;
    heap.push({a.first + b.first, node});
  }
  std::vector<uint32_t> book(256);
  for (int s = 0; s < 256; ++s)
    for (int n = parent[s]; n >= 0; n = parent[n]) ++bits[s];
  uint32_t code = 0;
  for (int length = 1; length <= 16; ++length, code <<= 1)
    for (int s = 0; s < 256; ++s)
      if (bits[s] == length) book[s] = uint32_t(length) << 16 | code++;
  const uint32_t* book_d = on_device(book);
  const uint8_t* plain = on_device<uint8_t>(3 * M, [](uint32_t i) { return uint8_t(255.f * fraction(i) * fraction(i + 1) * fraction(i + 2)); });
  uint32_t* encoded = zeros<uint32_t>(1536 * 1024);
  run("huffman_encode_chunks", [&] { huffman_encode_chunks<<<1536, 256>>>((const uint2*)plain, book_d, encoded, oi); });

  const int* wanted = on_device<int>(M / 2, [](uint32_t i) { return int(hashed(i) >> 1); });
  for (int n : {65535, 4000000}) {
    std::vector<int> sorted(n), tree(n + 1, 0);
    for (int i = 0; i < n; ++i) sorted[i] = int((2147480000ll * i + hashed(i) % 400) / n);
    size_t next = 0;
    lay_out(sorted, tree, 1, next);
    const int* tree_d = on_device(tree);
    run(sized("eytzinger_lower_bound", n), [&] { eytzinger_lower_bound<<<n > 100000 ? 2048 : 528, 256>>>(tree_d, n, wanted, oi, M / 2); });
  }
  constexpr int intervals = 200000;
  std::vector<int> begins(intervals), ends(intervals), most(intervals);
  for (int i = 0; i < intervals; ++i) {
    begins[i] = i * 500 + int(hashed(i) % 500);
    ends[i] = begins[i] + (hashed(i) % 1000 == 0 ? 500000 : 200 + int(hashed(i + 1) % 3000));
  }
  largest_end(ends, most, 0, intervals);
  const int *begins_d = on_device(begins), *ends_d = on_device(ends), *most_d = on_device(most);
  const int* stabs = on_device<int>(60000, [](uint32_t i) { return int(hashed(i) % 100000000); });
  run("interval_stab_count", [&] { interval_stab_count<<<(60000 + 127) / 128, 128>>>(begins_d, ends_d, most_d, stabs, oi, intervals, 60000); });

  constexpr int wn = 1 << 19, wwords = wn / 32 + 1;
  std::vector<uint16_t> values(wn), ones;
  std::vector<uint2> level(16 * wwords, make_uint2(0, 0));
  std::vector<int> zero_count(16);
  for (int i = 0; i < wn; ++i) values[i] = uint16_t(65535.f * fraction(i) * fraction(i + 1));
  for (int b = 0; b < 16; ++b) {
    size_t kept = 0;
    ones.clear();
    for (int i = 0; i < wn; ++i) {
      if (i % 32 == 0) level[b * wwords + i / 32].y = uint32_t(ones.size());
      if (values[i] >> (15 - b) & 1) {
        level[b * wwords + i / 32].x |= 1u << i % 32;
        ones.push_back(values[i]);
      } else {
        values[kept++] = values[i];
      }
    }
    level[b * wwords + wwords - 1].y = uint32_t(ones.size());
    zero_count[b] = int(kept);
    std::copy(ones.begin(), ones.end(), values.begin() + kept);
  }
  const uint2* level_d = on_device(level);
  const int* zero_count_d = on_device(zero_count);
  const int4* quantiles = on_device<int4>(150000, [](uint32_t i) {
    const int l = int(hashed(i) % (wn - 2000)), length = 1 + int(hashed(i + 1) % 2000);
    return make_int4(l, l + length, length / 2, 0);
  });
  run("wavelet_matrix_quantile", [&] { wavelet_matrix_quantile<<<(150000 + 127) / 128, 128>>>(level_d, zero_count_d, wwords, quantiles, oi, 150000); });

  // rectangles in rows of tiles, packed by 32 upwards
  std::vector<float4> boxes(100000);
  RTreeLevels tree{{0}, {100000}, 0};
  for (int i = 0; i < 100000; ++i) {
    const int tile = i / 32;
    const float x = tile % 56 + fraction(3 * i), y = tile / 56 + fraction(3 * i + 1), s = hashed(i) % 200 == 0 ? 2.f : 0.1f * fraction(3 * i + 2);
    boxes[i] = make_float4(x, y, x + s, y + 0.5f * s);
  }
  while (tree.count[tree.levels] > 1) {
    const int below = tree.levels++, first = tree.first[below], count = tree.count[below];
    tree.first[tree.levels] = int(boxes.size());
    tree.count[tree.levels] = (count + 31) / 32;
    for (int p = 0; p < count; p += 32) {
      float4 b = boxes[first + p];
      for (int k = p + 1; k < std::min(p + 32, count); ++k) {
        const float4 c = boxes[first + k];
        b = make_float4(std::min(b.x, c.x), std::min(b.y, c.y), std::max(b.z, c.z), std::max(b.w, c.w));
      }
      boxes.push_back(b);
    }
  }
  const float4* boxes_d = on_device(boxes);
  const float4* windows = on_device<float4>(8000, [](uint32_t i) {
    const float x = 55.f * fraction(i), y = 55.f * fraction(i + 9), s = 0.2f + 2.5f * fraction(i + 1) * fraction(i + 2);
    return make_float4(x, y, x + s, y + s);
  });
  run("rtree_window_count", [&] { rtree_window_count<<<8000 / 4, 128>>>(boxes_d, tree, windows, oi, 8000); });

  constexpr int genome = 120000;
  std::vector<char> dna(genome + 16, '\0');
  for (int i = 0; i < genome; ++i) dna[i] = i > 20000 && hashed(i / 700) % 3 == 0 && hashed(i) % 60 != 0 ? dna[i - 700 * (1 + hashed(i / 700 + 5) % 20)] : "ACGT"[hashed(i) % 4];
  std::vector<int> suffixes(genome);
  for (int i = 0; i < genome; ++i) suffixes[i] = i;
  std::sort(suffixes.begin(), suffixes.end(), [&](int a, int b) {
    const int c = std::memcmp(dna.data() + a, dna.data() + b, genome - std::max(a, b));
    return c ? c < 0 : a > b;
  });
  const char* dna_d = on_device(dna);
  const int* suffixes_d = on_device(suffixes);
  run("lcp_neighbours_direct", [&] { lcp_neighbours_direct<<<(genome + 255) / 256, 256>>>((const uint32_t*)dna_d, suffixes_d, oi, genome); });

  // a graph of skewed degrees, edges both ways
  constexpr int vertices = 60000;
  std::vector<std::vector<int>> near(vertices);
  for (uint32_t e = 0; e < 400000; ++e) {
    const float x = fraction(2 * e), y = fraction(2 * e + 1);
    const int a = int((x * x * x + hashed(e) % 1000 * 1e-5f) * 0.99f * vertices) % vertices, b = int((y + hashed(e + 7) % 1000 * 1e-5f) * 0.99f * vertices) % vertices;
    if (a != b) near[a].push_back(b), near[b].push_back(a);
  }
  std::vector<int> row_ptr(1, 0), col, from, depth(vertices, -1), frontier(1, 1);
  for (int v = 0; v < vertices; ++v) {
    std::sort(near[v].begin(), near[v].end());
    near[v].erase(std::unique(near[v].begin(), near[v].end()), near[v].end());
    for (int w : near[v]) col.push_back(w), from.push_back(v);
    row_ptr.push_back(int(col.size()));
  }
  depth[1] = 0;
  for (size_t i = 0; i < frontier.size(); ++i)
    for (int w : near[frontier[i]])
      if (depth[w] < 0) depth[w] = depth[frontier[i]] + 1, frontier.push_back(w);
  const int *row_ptr_d = on_device(row_ptr), *col_d = on_device(col), *from_d = on_device(from), *depth_d = on_device(depth), edges = int(col.size());
  run("pagerank_push_warp", [&] { pagerank_push_warp<<<1056, 256>>>(row_ptr_d, col_d, f, o, 0.85f, vertices); });
  run("brandes_forward_edges", [&] { brandes_forward_edges<<<1320, 256>>>(from_d, col_d, depth_d, d, od + M, 2, edges); });
  std::vector<int> up_ptr(1, 0), up_col;
  constexpr int oriented = 15000;
  for (int v = 0; v < oriented; ++v) {
    for (int w : near[v])
      if (w < oriented && (near[w].size() > near[v].size() || (near[w].size() == near[v].size() && w > v))) up_col.push_back(w);
    up_ptr.push_back(int(up_col.size()));
  }
  const int *up_ptr_d = on_device(up_ptr), *up_col_d = on_device(up_col);
  run("triangles_binary_search_warp", [&] { triangles_binary_search_warp<<<(oriented + 3) / 4, 128>>>(up_ptr_d, up_col_d, matches + 1, oriented); });
  std::vector<int> vertex_start(1, 0), edge_start(1, 0);
  std::vector<uchar2> bonds;
  for (int g = 0; g < 3000; ++g) {
    const int n = 8 + int(hashed(g) % 100);
    for (int v = 1; v < n; ++v)
      if (hashed(g * 128 + v) % 12) bonds.push_back(make_uchar2((unsigned char)(v - 1 - int(hashed(g * 128 + v) % std::min(v, 4))), (unsigned char)v));
    vertex_start.push_back(vertex_start.back() + n), edge_start.push_back(int(bonds.size()));
  }
  const int *vertex_start_d = on_device(vertex_start), *edge_start_d = on_device(edge_start);
  const uchar2* bonds_d = on_device(bonds);
  run("components_small_graphs", [&] { components_small_graphs<<<3000, 64>>>(vertex_start_d, edge_start_d, bonds_d, oi, (uint8_t*)o + 4 * M); });

  const float4* corner = on_device<float4>(40000, [](uint32_t i) {
    const float w = 0.5f + 3.f * fraction(i / 16);
    return make_float4(w * (2.4f * fraction(i / 16 + 50000) - 1.2f) + 0.1f * fraction(i), w * (2.4f * fraction(i / 16 + 90000) - 1.2f) + 0.1f * fraction(i + 1), w * (2.2f * fraction(i / 16 + 70000) - 1.1f), w);
  });
  const int3* facets = on_device<int3>(100000, [](uint32_t i) {
    const int base = int(i * 2 / 5 / 16 * 16);
    return make_int3(base + int(hashed(i) % 16), base + int(hashed(i + 1) % 16), base + int(hashed(i + 2) % 24) % (40000 - base));
  });
  run("clip_triangles_sutherland", [&] { clip_triangles_sutherland<<<(100000 + 127) / 128, 128>>>(corner, facets, (uint8_t*)o, o + M, 100000); });
  return 0;
}
