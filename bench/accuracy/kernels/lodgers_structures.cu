// Sorting, scans, tables, graphs, sparse and dense solvers, genomes, geometry, random numbers, search in text.
#include <cuda_fp16.h>

#include "cases.h"

// Four bits of a block's keys by ballots of warps: sixteen counters, then a scan, then the scatter in shared memory.
__global__ __launch_bounds__(256) void radix_block_4bits(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out, uint32_t* __restrict__ counts, int shift) {
  __shared__ uint32_t warp_counts[8][16], sorted[256], base[16];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const uint32_t key = keys[blockIdx.x * 256 + tid], digit = key >> shift & 15;
  unsigned same = ~0u;
#pragma unroll
  for (int b = 0; b < 4; ++b) {
    const unsigned ones = __ballot_sync(~0u, digit >> b & 1);
    same &= digit >> b & 1 ? ones : ~ones;
  }
  if (lane < 16) warp_counts[warp][lane] = 0;
  __syncwarp();
  const int rank = __popc(same & ((1u << lane) - 1));
  if (rank == 0) warp_counts[warp][digit] = __popc(same);
  __syncthreads();
  if (tid < 16) {
    uint32_t sum = 0;
    for (int w = 0; w < 8; ++w) {
      const uint32_t c = warp_counts[w][tid];
      warp_counts[w][tid] = sum;
      sum += c;
    }
    counts[blockIdx.x * 16 + tid] = sum;
    uint32_t scan = sum;
    for (int o = 1; o < 16; o <<= 1) {
      const uint32_t t = __shfl_up_sync(0xffff, scan, o, 16);
      if (tid >= o) scan += t;
    }
    base[tid] = scan - sum;
  }
  __syncthreads();
  sorted[base[digit] + warp_counts[warp][digit] + rank] = key;
  __syncthreads();
  out[blockIdx.x * 256 + tid] = sorted[tid];
}

// Keys classified by a tree of splitters in shared memory, as sample sort does: several keys a thread at once.
template <int LOG_BUCKETS, int PER>
__global__ void classify_by_splitters(const float* __restrict__ keys, const float* __restrict__ tree, unsigned char* __restrict__ bucket, int* __restrict__ totals, int n) {
  constexpr int K = 1 << LOG_BUCKETS;
  __shared__ float t[K];
  __shared__ int count[K];
  for (int i = threadIdx.x; i < K; i += blockDim.x) t[i] = tree[i], count[i] = 0;
  __syncthreads();
  const int base = blockIdx.x * blockDim.x * PER + threadIdx.x;
  float k[PER];
  int j[PER];
#pragma unroll
  for (int p = 0; p < PER; ++p) k[p] = base + p * blockDim.x < n ? keys[base + p * blockDim.x] : 2.f, j[p] = 1;
#pragma unroll
  for (int l = 0; l < LOG_BUCKETS; ++l)
#pragma unroll
    for (int p = 0; p < PER; ++p) j[p] = 2 * j[p] + (k[p] > t[j[p]]);
#pragma unroll
  for (int p = 0; p < PER; ++p)
    if (base + p * blockDim.x < n) {
      bucket[base + p * blockDim.x] = (unsigned char)(j[p] - K);
      atomicAdd(&count[j[p] - K], 1);
    }
  __syncthreads();
  for (int i = threadIdx.x; i < K; i += blockDim.x)
    if (count[i]) atomicAdd(&totals[i], count[i]);
}

// Rows of 64 sorted by a warp, two keys a lane, in registers.
__global__ void bitonic_rows_64(int* __restrict__ data, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  int a = data[row * 64 + lane], b = data[row * 64 + 32 + lane];
#pragma unroll
  for (int k = 2; k <= 64; k <<= 1) {
    if (k == 64) {
      const int lo = min(a, b), hi = max(a, b);
      a = lo, b = hi;
    }
#pragma unroll
    for (int j = k == 64 ? 16 : k / 2; j > 0; j >>= 1) {
      const int pa = __shfl_xor_sync(~0u, a, j), pb = __shfl_xor_sync(~0u, b, j);
      const bool up_a = k >= 64 || (lane & k) == 0 , up_b = k == 64 ? true : k == 32 ? false : (lane & k) == 0, low = (lane & j) == 0;
      a = (low == up_a) ? min(a, pa) : max(a, pa);
      b = (low == up_b) ? min(b, pb) : max(b, pb);
    }
  }
  data[row * 64 + lane] = a;
  data[row * 64 + 32 + lane] = b;
}

// A block's exclusive scan with a warp that rakes over all partial sums.
template <typename T, int THREADS>
__global__ void scan_raking(const T* in, T* out, T* totals, int n) {
  __shared__ T rake[THREADS + THREADS / 32];
  const int i0 = (blockIdx.x * THREADS + threadIdx.x) * 4;
  T v[4], sum = 0;
  for (int k = 0; k < 4; ++k) {
    v[k] = i0 + k < n ? in[i0 + k] : 0;
    sum += v[k];
  }
  rake[threadIdx.x + threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    constexpr int SEG = THREADS / 32;
    T local = 0;
    for (int k = 0; k < SEG; ++k) {
      const int at = threadIdx.x * SEG + k;
      local += rake[at + at / 32];
    }
    T incl = local;
    for (int o = 1; o < 32; o <<= 1) {
      const T t = __shfl_up_sync(~0u, incl, o);
      if (threadIdx.x >= o) incl += t;
    }
    T run = incl - local;
    for (int k = 0; k < SEG; ++k) {
      const int at = threadIdx.x * SEG + k;
      const T t = rake[at + at / 32];
      rake[at + at / 32] = run;
      run += t;
    }
    if (threadIdx.x == 31) totals[blockIdx.x] = run;
  }
  __syncthreads();
  T run = rake[threadIdx.x + threadIdx.x / 32];
  for (int k = 0; k < 4; ++k) {
    if (i0 + k < n) out[i0 + k] = run;
    run += v[k];
  }
}

// A worklist's edges relaxed: a vertex a thread, changed neighbours to the next list once.
__global__ void sssp_worklist(const int* __restrict__ row, const int* __restrict__ col, const int* __restrict__ weight, int* dist, const int* __restrict__ list, int size, int* next, int* next_size, int* stamp, int round) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const int v = list[i], d = dist[v];
  for (int e = row[v]; e < row[v + 1]; ++e) {
    const int u = col[e], nd = d + weight[e];
    if (nd < atomicMin(&dist[u], nd) && atomicExch(&stamp[u], round) != round) next[atomicAdd(next_size, 1)] = u;
  }
}

// Gains of communities: a warp a vertex, neighbours' communities in a table of its own in shared memory.
__global__ __launch_bounds__(128) void louvain_best_move(const int* __restrict__ row, const int* __restrict__ col, const float* __restrict__ w, const int* __restrict__ community, const float* __restrict__ degree, const float* __restrict__ total, int* __restrict__ move, int n, float inv_2m) {
  __shared__ int keys[4][128];
  __shared__ float sums[4][128];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, v = blockIdx.x * 4 + warp;
  if (v >= n) return;
  for (int i = lane; i < 128; i += 32) keys[warp][i] = -1, sums[warp][i] = 0.f;
  __syncwarp();
  for (int e = row[v] + lane; e < row[v + 1]; e += 32) {
    const int c = community[col[e]];
    int slot = (c * 0x9E3779B1u) >> 25;
    while (true) {
      const int old = atomicCAS(&keys[warp][slot], -1, c);
      if (old == -1 || old == c) break;
      slot = (slot + 1) & 127;
    }
    atomicAdd(&sums[warp][slot], w[e]);
  }
  __syncwarp();
  const int own = community[v];
  const float k = degree[v];
  float best = 0.f;
  int to = own;
  for (int i = lane; i < 128; i += 32) {
    const int c = keys[warp][i];
    if (c < 0) continue;
    const float gain = sums[warp][i] - k * (total[c] - (c == own ? k : 0.f)) * inv_2m;
    if (gain > best || (gain == best && c < to)) best = gain, to = c;
  }
  for (int o = 16; o; o >>= 1) {
    const float g = __shfl_xor_sync(~0u, best, o);
    const int c = __shfl_xor_sync(~0u, to, o);
    if (g > best || (g == best && c < to)) best = g, to = c;
  }
  if (lane == 0) move[v] = to;
}

// Luby's choice of independent vertices by random priorities.
__global__ void independent_set_round(const int* row, const int* col, const unsigned char* state_in, unsigned char* state_out, int n, uint32_t seed) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  unsigned char s = state_in[v];
  if (s == 0) {
    uint32_t mine = (v ^ seed) * 2654435761u;
    mine ^= mine >> 15;
    bool best = true;
    for (int e = row[v]; e < row[v + 1]; e++) {
      int u = col[e];
      if (state_in[u] == 1) {
        s = 2;
        best = false;
        break;
      }
      if (state_in[u] != 0 || u == v) continue;
      uint32_t other = (u ^ seed) * 2654435761u;
      other ^= other >> 15;
      if (other > mine || (other == mine && u > v)) best = false;
    }
    if (best && s == 0) s = 1;
  }
  state_out[v] = s;
}

// Support of edges: sorted lists of both ends intersected by binary search, a warp an edge.
__global__ void truss_support(const int* __restrict__ row, const int* __restrict__ col, const int2* __restrict__ edges, int* __restrict__ support, int m) {
  const int e = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (e >= m) return;
  int2 uv = edges[e];
  if (row[uv.x + 1] - row[uv.x] > row[uv.y + 1] - row[uv.y]) {
    const int t = uv.x;
    uv.x = uv.y, uv.y = t;
  }
  const int b0 = row[uv.y], b1 = row[uv.y + 1];
  int found = 0;
  for (int i = row[uv.x] + lane; i < row[uv.x + 1]; i += 32) {
    const int key = col[i];
    int lo = b0, hi = b1;
    while (lo < hi) {
      const int mid = (lo + hi) >> 1;
      if (col[mid] < key)
        lo = mid + 1;
      else
        hi = mid;
    }
    found += lo < b1 && col[lo] == key;
  }
  found = __reduce_add_sync(~0u, found);
  if (lane == 0) support[e] = found;
}

// A sparse product with two right hand sides in double, lanes of four a row, and the product with the vector.
template <int LANES>
__global__ void spmv_two_rhs_dot(const int* __restrict__ row, const int* __restrict__ col, const double* __restrict__ val, const double2* __restrict__ x, double2* __restrict__ y, double* __restrict__ dot, int n) {
  const int r = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, l = threadIdx.x % LANES;
  double2 s = make_double2(0, 0);
  double d = 0;
  if (r < n) {
    for (int e = row[r] + l; e < row[r + 1]; e += LANES) {
      const double2 v = x[col[e]];
      s.x += val[e] * v.x, s.y += val[e] * v.y;
    }
#pragma unroll
    for (int o = LANES / 2; o; o >>= 1) s.x += __shfl_xor_sync(~0u, s.x, o, LANES), s.y += __shfl_xor_sync(~0u, s.y, o, LANES);
    if (l == 0) {
      y[r] = s;
      const double2 v = x[r];
      d = s.x * v.x + s.y * v.y;
    }
  }
  for (int o = 16; o; o >>= 1) d += __shfl_down_sync(~0u, d, o);
  if (threadIdx.x % 32 == 0) atomicAdd(dot, d);
}

// Blocks of three times three along one level of a triangle: forward substitution.
__global__ void block3_level_solve(const int* __restrict__ row, const int* __restrict__ col, const float* __restrict__ blocks, const float* __restrict__ inv_diag, const float* __restrict__ b, float* x, const int* __restrict__ level, int size) {
  const int i = blockIdx.x * blockDim.y + threadIdx.y;
  if (i >= size) return;
  const int r = level[i], t = threadIdx.x;
  float s[3] = {0.f, 0.f, 0.f};
  for (int e = row[r] + t; e < row[r + 1]; e += 8) {
    const float *m = blocks + e * 9, *v = x + col[e] * 3;
    for (int k = 0; k < 3; ++k) s[k] += m[k * 3] * v[0] + m[k * 3 + 1] * v[1] + m[k * 3 + 2] * v[2];
  }
  for (int k = 0; k < 3; ++k)
    for (int o = 4; o; o >>= 1) s[k] += __shfl_xor_sync(0xffu << (threadIdx.y % 4 * 8), s[k], o, 8);
  if (t < 3) {
    const float* d = inv_diag + r * 9 + t * 3;
    x[r * 3 + t] = d[0] * (b[r * 3] - s[0]) + d[1] * (b[r * 3 + 1] - s[1]) + d[2] * (b[r * 3 + 2] - s[2]);
  }
}

// Small systems with pivots: a warp a matrix of 24 rows, a row a lane in registers.
template <int N>
__global__ void lu_pivot_warp(const float* __restrict__ matrices, float* __restrict__ rhs, int count) {
  const int id = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (id >= count) return;
  float a[N], b = lane < N ? rhs[id * N + lane] : 0.f;
#pragma unroll
  for (int j = 0; j < N; ++j) a[j] = lane < N ? matrices[(size_t)id * N * N + j * N + lane] : 0.f;
  int place = -1;  // the step at which this lane's row was the pivot
#pragma unroll
  for (int k = 0; k < N; ++k) {
    float most = place < 0 && lane < N ? fabsf(a[k]) : -1.f;
    int who = lane;
    for (int o = 16; o; o >>= 1) {
      const float m = __shfl_xor_sync(~0u, most, o);
      const int w = __shfl_xor_sync(~0u, who, o);
      if (m > most || (m == most && w < who)) most = m, who = w;
    }
    if (lane == who) place = k;
    const float inv = 1.f / __shfl_sync(~0u, a[k], who), f = place >= 0 ? 0.f : a[k] * inv;
#pragma unroll
    for (int j = k; j < N; ++j) a[j] -= f * __shfl_sync(~0u, a[j], who);
    b -= f * __shfl_sync(~0u, b, who);
  }
#pragma unroll
  for (int k = N - 1; k >= 0; --k) {
    const int who = __ffs(__ballot_sync(~0u, place == k)) - 1;
    const float x = __shfl_sync(~0u, b, who) / __shfl_sync(~0u, a[k], who);
    if (lane == who) b = x;
    if (place >= 0 && place < k) b -= a[k] * x;
  }
  if (lane < N) rhs[id * N + place] = b;
}

// Singular values by rotations from one side: a block a matrix of 32 columns, a warp a pair of columns.
__global__ __launch_bounds__(512) void jacobi_svd_32(float* __restrict__ matrices, float* __restrict__ values, int sweeps) {
  __shared__ float m[32][33];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float* g = matrices + blockIdx.x * 1024;
  for (int c = warp; c < 32; c += 16) m[c][lane] = g[c * 32 + lane];
  __syncthreads();
  for (int s = 0; s < sweeps; ++s)
    for (int round = 0; round < 31; ++round) {
      // A round robin of 32: column 31 stays.
      const int p = warp == 0 ? 31 : (round + warp) % 31, q = warp == 0 ? round : (round + 31 - warp) % 31;
      const float a = m[p][lane], b = m[q][lane];
      float aa = a * a, bb = b * b, ab = a * b;
      for (int o = 16; o; o >>= 1) aa += __shfl_xor_sync(~0u, aa, o), bb += __shfl_xor_sync(~0u, bb, o), ab += __shfl_xor_sync(~0u, ab, o);
      if (fabsf(ab) > 1e-6f * sqrtf(aa * bb)) {
        const float zeta = (bb - aa) / (2.f * ab), t = copysignf(1.f, zeta) / (fabsf(zeta) + sqrtf(1.f + zeta * zeta)), c = rsqrtf(1.f + t * t), sn = c * t;
        m[p][lane] = c * a - sn * b;
        m[q][lane] = sn * a + c * b;
      }
      __syncthreads();
    }
  for (int c = warp; c < 32; c += 16) {
    float v = m[c][lane] * m[c][lane];
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    if (lane == 0) values[blockIdx.x * 32 + c] = sqrtf(v);
    g[c * 32 + lane] = m[c][lane];
  }
}

// Many patterns at once: states of an automaton (Aho and Corasick) over overlapping pieces of text.
__global__ void automaton_pieces(const unsigned char* __restrict__ text, const short* __restrict__ go, const unsigned char* __restrict__ accepts, int* __restrict__ counts, int n, int piece, int overlap) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x, begin = id * piece;
  if (begin >= n) return;
  const int end = min(n, begin + piece + overlap);
  int state = 0, found = 0;
  for (int i = begin; i < end; ++i) {
    state = go[state * 32 + (text[i] & 31)];
    if (accepts[state] && (i < begin + piece)) ++found;
  }
  counts[id] = found;
}

// Rolling hashes of all windows, compared with a few in constant memory.
__constant__ uint32_t c_needles[16];
__global__ void rolling_hash_find(const unsigned char* __restrict__ text, uint32_t* __restrict__ hits, int n, int window, uint32_t base, uint32_t power, int per) {
  const int begin = (blockIdx.x * blockDim.x + threadIdx.x) * per;
  if (begin + window > n) return;
  uint32_t h = 0;
  for (int i = 0; i < window; ++i) h = h * base + text[begin + i];
  for (int k = 0; k < per && begin + k + window <= n; ++k) {
    uint32_t mask = 0;
#pragma unroll
    for (int j = 0; j < 16; ++j) mask |= (h >> 12 == c_needles[j] >> 12) << j;
    if (mask) atomicOr(&hits[(begin + k) / 32], 1u << ((begin + k) & 31));
    if (begin + k + window < n) h = (h - text[begin + k] * power) * base + text[begin + k + window];
  }
}

// Wildcards ? and * against words of fixed slots: backtracking, a thread a word.
__constant__ char c_pattern[32];
__global__ void glob_match_words(const char* __restrict__ words, int slot, unsigned char* __restrict__ match, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char* s = words + (size_t)i * slot;
  int p = 0, k = 0, star = -1, mark = 0;
  while (k < slot && s[k]) {
    if (c_pattern[p] == '?' || (c_pattern[p] == s[k] && c_pattern[p] != 0)) {
      ++p, ++k;
    } else if (c_pattern[p] == '*') {
      star = p++, mark = k;
    } else if (star >= 0) {
      p = star + 1, k = ++mark;
    } else
      break;
  }
  while (c_pattern[p] == '*') ++p;
  match[i] = (k == slot || s[k] == 0) && c_pattern[p] == 0;
}

// A read's likelihood given a haplotype (pair HMM): a warp a pair, anti-diagonals by shuffles, columns in strips of 32.
__global__ void pair_hmm_warp(const unsigned char* __restrict__ reads, const unsigned char* __restrict__ quals, const unsigned char* __restrict__ haps, float* __restrict__ out, int rlen, int hlen, int pairs) {
  const int id = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (id >= pairs) return;
  const unsigned char *r = reads + id / 4 * rlen, *q = quals + id / 4 * rlen, *h = haps + id % 4 * hlen;
  const float open = 0.0001f, extend = 0.1f, stay = 1.f - 2 * open;
  float total = 0.f;
  extern __shared__ float edge[];
  float* my_edge = edge + threadIdx.x / 32 * 3 * hlen;
  for (int i = lane; i < 3 * hlen; i += 32) my_edge[i] = i >= 2 * hlen ? 1.f / hlen : 0.f;
  __syncwarp();
  for (int r0 = 0; r0 < rlen; r0 += 32) {
    const int row = r0 + lane;
    const unsigned char base = row < rlen ? r[row] : 255;
    const float err = row < rlen ? exp2f(-0.33219f * q[row]) : 1.f;
    float M = 0.f, I = 0.f, D = 0.f, pm = 0.f, pi = 0.f, pd = 0.f;
    for (int step = 0; step < hlen + 31; ++step) {
      float um = __shfl_up_sync(~0u, M, 1), ui = __shfl_up_sync(~0u, I, 1), ud = __shfl_up_sync(~0u, D, 1);
      const int col = step - lane;
      if (lane == 0 && col >= 0 && col < hlen) um = my_edge[col], ui = my_edge[hlen + col], ud = my_edge[2 * hlen + col];
      const bool in = col >= 0 && col < hlen;
      if (in) {
        const float prior = base == h[col] ? 1.f - err : err * 0.33333333f;
        const float m = prior * (stay * pm + (1.f - extend) * (pi + pd)), i = open * um + extend * ui, d = open * M + extend * D;
        M = m, I = i, D = d;
        if (row == rlen - 1) total += m + i;
      }
      pm = um, pi = ui, pd = ud;
      if (lane == 31 && in) my_edge[col] = M, my_edge[hlen + col] = I, my_edge[2 * hlen + col] = D;
    }
    __syncwarp();
  }
  for (int o = 16; o; o >>= 1) total += __shfl_xor_sync(~0u, total, o);
  if (lane == 0) out[id] = log10f(total + 1e-38f);
}

// Ends of reads with bad qualities cut off: a running sum from the end, sixteen reads' bytes a load.
__global__ void trim_read_ends(const unsigned char* __restrict__ quals, int* __restrict__ keep, int reads, int length, int threshold) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= reads) return;
  const uint4* q = reinterpret_cast<const uint4*>(quals + (size_t)i * length);
  int sum = 0, most = 0, cut = length;
  for (int w = length / 16 - 1; w >= 0; --w) {
    const uint4 v = q[w];
    const uint32_t part[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 15; k >= 0; --k) {
      sum += threshold - (int)(part[k / 4] >> k % 4 * 8 & 0xff);
      if (sum > most) most = sum, cut = w * 16 + k;
    }
    if (sum < -200) break;
  }
  keep[i] = cut;
}

// Points inside the circle of three others, exact enough by doubles when floats are not sure.
__global__ void incircle_filtered(const float2* __restrict__ p, const int4* __restrict__ quads, signed char* __restrict__ sign, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int4 q = quads[i];
  const float2 a = p[q.x], b = p[q.y], c = p[q.z], d = p[q.w];
  const float ax = a.x - d.x, ay = a.y - d.y, bx = b.x - d.x, by = b.y - d.y, cx = c.x - d.x, cy = c.y - d.y;
  const float la = ax * ax + ay * ay, lb = bx * bx + by * by, lc = cx * cx + cy * cy;
  float det = la * (bx * cy - by * cx) - lb * (ax * cy - ay * cx) + lc * (ax * by - ay * bx);
  const float bound = 4e-6f * (la * (fabsf(bx * cy) + fabsf(by * cx)) + lb * (fabsf(ax * cy) + fabsf(ay * cx)) + lc * (fabsf(ax * by) + fabsf(ay * bx)));
  if (fabsf(det) < bound) {
    const double dax = (double)a.x - d.x, day = (double)a.y - d.y, dbx = (double)b.x - d.x, dby = (double)b.y - d.y, dcx = (double)c.x - d.x, dcy = (double)c.y - d.y;
    const double v = (dax * dax + day * day) * (dbx * dcy - dby * dcx) - (dbx * dbx + dby * dby) * (dax * dcy - day * dcx) + (dcx * dcx + dcy * dcy) * (dax * dby - day * dbx);
    det = v > 0 ? 1.f : v < 0 ? -1.f : 0.f;
  }
  sign[i] = det > 0 ? 1 : det < 0 ? -1 : 0;
}

// Boxes sorted along one axis: overlapping pairs, counted and written by a warp's common counter.
__global__ void sweep_and_prune(const float* __restrict__ lo_x, const float* __restrict__ hi_x, const float4* __restrict__ yz, int2* __restrict__ pairs, int* __restrict__ count, int n, int limit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool mine = i < n;
  const float end = mine ? hi_x[i] : -1.f;
  const float4 a = mine ? yz[i] : make_float4(0, 0, 0, 0);
  int j = i + 1;
  bool active = mine;
  while (__any_sync(~0u, active)) {
    active = active && j < n && lo_x[j] <= end;
    bool hit = false;
    if (active) {
      const float4 b = yz[j];
      hit = a.x <= b.y && b.x <= a.y && a.z <= b.w && b.z <= a.w;
    }
    const unsigned hits = __ballot_sync(~0u, hit);
    if (hits) {
      int base = 0;
      if (threadIdx.x % 32 == 0) base = atomicAdd(count, __popc(hits));
      base = __shfl_sync(~0u, base, 0);
      const int at = base + __popc(hits & ((1u << threadIdx.x % 32) - 1));
      if (hit && at < limit) pairs[at] = make_int2(i, j);
    }
    ++j;
  }
}

// Contours' cells by bits of four corners: counts of segments by a block, written with one atomic.
__global__ void marching_squares_segments(const float* __restrict__ field, float4* __restrict__ segments, int* __restrict__ total, int w, int h, float iso, int limit) {
  __shared__ int block_count, block_base;
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (threadIdx.x == 0 && threadIdx.y == 0) block_count = 0;
  __syncthreads();
  int code = 0, lines = 0, place = 0;
  float a = 0, b = 0, c = 0, d = 0;
  if (x < w - 1 && y < h - 1) {
    a = field[y * w + x], b = field[y * w + x + 1], c = field[(y + 1) * w + x + 1], d = field[(y + 1) * w + x];
    code = (a > iso) | (b > iso) << 1 | (c > iso) << 2 | (d > iso) << 3;
    lines = code == 0 || code == 15 ? 0 : code == 5 || code == 10 ? 2 : 1;
    if (lines) place = atomicAdd(&block_count, lines);
  }
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) block_base = atomicAdd(total, block_count);
  __syncthreads();
  if (!lines) return;
  const float2 e[4] = {make_float2(x + (iso - a) / (b - a), y), make_float2(x + 1, y + (iso - b) / (c - b)), make_float2(x + (iso - d) / (c - d), y + 1), make_float2(x, y + (iso - a) / (d - a))};
  const unsigned long long from = 0x0123012201100230ull, to = 0x0301213103102130ull;
  for (int k = 0; k < lines; ++k) {
    const int at = block_base + place + k;
    const float2 p = e[(from >> 4 * code & 3) ^ (k ? 1 : 0)], q = e[(to >> 4 * code & 3) ^ (k ? 1 : 0)];
    if (at < limit) segments[at] = make_float4(p.x, p.y, q.x, q.y);
  }
}

// Uniform numbers of a combined recursive generator with two moduli, in doubles.
__global__ void combined_recursive(double* __restrict__ out, const uint32_t* __restrict__ seeds, int n, int per) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  const unsigned long long m1 = 4294967087ull, m2 = 4294944443ull;
  unsigned long long a0 = seeds[id] % m1, a1 = seeds[id + 1] % m1, a2 = seeds[id + 2] % m1, b0 = seeds[id + 3] % m2, b1 = seeds[id + 4] % m2, b2 = seeds[id + 5] % m2;
  for (int i = 0; i < per; ++i) {
    const unsigned long long p1 = (1403580ull * a1 + (m1 - 810728ull) * a0) % m1, p2 = (527612ull * b2 + (m2 - 1370589ull) * b0) % m2;
    a0 = a1, a1 = a2, a2 = p1, b0 = b1, b1 = b2, b2 = p2;
    const int at = i * threads + id;
    if (at < n) out[at] = (double)(p1 > p2 ? p1 - p2 : p1 + m1 - p2) * 2.328306549295728e-10;
  }
}

// Halton's points of six dimensions, digits reversed by divisions at run time.
__global__ void halton_points(float* __restrict__ out, int n, int start, const int* __restrict__ primes, int dims) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * dims; i += blockDim.x * gridDim.x) {
    int k = i / dims + start;
    const int b = primes[i % dims];
    float f = 1.f, r = 0.f;
    while (k > 0) {
      f /= b;
      r += f * (k % b);
      k /= b;
    }
    out[i] = r;
  }
}

// Poisson's numbers: multiplication for small means, rejection for large ones.
__global__ void poisson_numbers(const float* __restrict__ mean, int* __restrict__ out, int n, unsigned long long seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long state = (i + seed) * 6364136223846793005ull + 1442695040888963407ull;
  auto uniform = [&] {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t x = (uint32_t)((state >> 18 ^ state) >> 27), rot = (uint32_t)(state >> 59);
    x = __funnelshift_r(x, x, rot);
    return (x >> 8) * 5.9604645e-8f + 2.9e-8f;
  };
  const float l = mean[i];
  if (l < 12.f) {
    float p = expf(-l), u = uniform();
    int k = 0;
    while (u > p) u -= p, ++k, p *= l / k;
    out[i] = k;
    return;
  }
  const float s = sqrtf(2.f * l), logl = logf(l), g = l * logl - lgammaf(l + 1.f);
  while (true) {
    const float y = tanf(3.14159265f * uniform()), em = s * y + l;
    if (em < 0.f) continue;
    const float k = floorf(em), t = 0.9f * (1.f + y * y) * expf(k * logl - lgammaf(k + 1.f) - g);
    if (uniform() <= t) {
      out[i] = (int)k;
      return;
    }
  }
}

// Bits of several columns combined and counted: a query on a bitmap index.
__global__ void bitmap_and_or_count(const uint4* __restrict__ a, const uint4* __restrict__ b, const uint4* __restrict__ c, const uint4* __restrict__ deleted, uint4* __restrict__ out, unsigned long long* __restrict__ count, int n) {
  int ones = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uint4 p = a[i], q = b[i], r = c[i], d = deleted[i];
    const uint4 v = make_uint4((p.x & (q.x | r.x)) & ~d.x, (p.y & (q.y | r.y)) & ~d.y, (p.z & (q.z | r.z)) & ~d.z, (p.w & (q.w | r.w)) & ~d.w);
    ones += __popc(v.x) + __popc(v.y) + __popc(v.z) + __popc(v.w);
    out[i] = v;
  }
  ones = __reduce_add_sync(~0u, ones);
  if (threadIdx.x % 32 == 0) atomicAdd(count, (unsigned long long)ones);
}

// Dates as text to days, with a check of every field.
__global__ void parse_dates(const char* __restrict__ text, int* __restrict__ days, int* __restrict__ bad, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool wrong = false;
  if (i < n) {
    const char* s = text + (size_t)i * 11;
    auto digits = [&](int from, int count) {
      int v = 0;
      for (int k = 0; k < count; ++k) {
        const int d = s[from + k] - '0';
        if (d < 0 || d > 9) wrong = true;
        v = v * 10 + d;
      }
      return v;
    };
    int y = digits(0, 4), m = digits(5, 2), d = digits(8, 2);
    if (s[4] != '-' || s[7] != '-' || m < 1 || m > 12 || d < 1 || d > 31) wrong = true;
    y -= m <= 2;
    const int era = y / 400, yoe = y - era * 400, doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1, doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    days[i] = wrong ? INT32_MIN : era * 146097 + doe - 719468;
  }
  const unsigned errors = __ballot_sync(~0u, wrong);
  if (errors && threadIdx.x % 32 == 0) atomicAdd(bad, __popc(errors));
}

// A transform of 256 complex halves a block of 64 threads: radix four, exchanged through shared memory.
__global__ __launch_bounds__(64) void fft256_half(const half2* __restrict__ in, half2* __restrict__ out) {
  __shared__ float2 s[256];
  const int t = threadIdx.x;
  float2 v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) v[k] = __half22float2(in[blockIdx.x * 256 + k * 64 + t]);
#pragma unroll
  for (int pass = 0; pass < 4; ++pass) {
    const int span = 64 >> 2 * pass;
    const float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y), c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
    const float2 r[4] = {make_float2(a.x + c.x, a.y + c.y), make_float2(b.x + d.x, b.y + d.y), make_float2(a.x - c.x, a.y - c.y), make_float2(b.x - d.x, b.y - d.y)};
    const int j = t % span, group = t / span;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      float sn, cs;
      __sincosf(-6.2831853f * k * j / (4 * span), &sn, &cs);
      s[group * 4 * span + k * span + j] = make_float2(r[k].x * cs - r[k].y * sn, r[k].x * sn + r[k].y * cs);
    }
    __syncthreads();
    if (pass < 3) {
      const int next = span / 4, g = t / next, i = t % next;
#pragma unroll
      for (int k = 0; k < 4; ++k) v[k] = s[g * 4 * next + k * next + i];
      __syncthreads();
    }
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int at = k * 64 + t, digits = (at & 3) << 6 | (at >> 2 & 3) << 4 | (at >> 4 & 3) << 2 | at >> 6;
    out[blockIdx.x * 256 + at] = __float22half2_rn(s[digits]);
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const uint32_t* words = on_device<uint32_t>(8 * M, hashed);
  uint32_t* ow = zeros<uint32_t>(8 * M);
  int* ints = on_device<int>(4 * M, [](uint32_t i) { return int(hashed(i) % 100000); });
  int* io = zeros<int>(8 * M);
  const float* f = on_device<float>(8 * M, fraction);
  float* o = zeros<float>(8 * M);

  run("radix_block_4bits", [&] { radix_block_4bits<<<4 * M / 256, 256>>>(words, ow, (uint32_t*)io, 8); });
  std::vector<float> tree(128);
  for (int k = 1; k < 128; ++k) {
    int level = 0;
    while (2 << level <= k) ++level;
    tree[k] = (2.f * (k - (1 << level)) + 1.f) / (2 << level);
  }
  const float* tree_d = on_device(tree);
  run("classify_by_splitters", [&] { classify_by_splitters<7, 8><<<(3000000 + 2047) / 2048, 256>>>(f, tree_d, (unsigned char*)ow, io, 3000000); });
  run("bitonic_rows_64", [&] { bitonic_rows_64<<<30000 / 4, 128>>>(ints, 30000); });
  run("scan_raking_int_256", [&] { scan_raking<int, 256><<<2000000 / 1024 + 1, 256>>>(ints, io, io + 4 * M, 2000000); });
  run("scan_raking_float_128", [&] { scan_raking<float, 128><<<1500000 / 512 + 1, 128>>>(f, o, o + 4 * M, 1500000); });

  // A graph with a few vertices of high degree; neighbours sorted, far and near.
  constexpr int V = 60000;
  std::vector<int> row(V + 1), col;
  for (uint32_t v = 0; v < V; ++v) {
    const uint32_t degree = 2 + hashed(v) % 12 + (hashed(v) % 211 == 0 ? 70 : 0);
    std::set<int> neighbours;
    for (uint32_t k = 0; k < degree; ++k) neighbours.insert(int(k % 3 ? (v + hashed(v * 97 + k) % 400) % V : hashed(v * 89 + k) % V));
    col.insert(col.end(), neighbours.begin(), neighbours.end());
    row[v + 1] = int(col.size());
  }
  const int E = int(col.size());
  std::vector<int> weight(E), list, community(V);
  std::vector<float> degree(V), total(V, 0.f);
  std::vector<int2> edges;
  for (int e = 0; e < E; ++e) weight[e] = 1 + int(hashed(uint32_t(e)) % 50);
  for (int v = 0; v < V; ++v) {
    community[v] = v / 7;
    degree[v] = float(row[v + 1] - row[v]);
    total[v / 7] += degree[v];
    if (v % 3 == 0) list.push_back(v);
    for (int e = row[v]; e < row[v + 1] && edges.size() < 300000; ++e) edges.push_back(make_int2(v, col[e]));
  }
  const int *row_d = on_device(row), *col_d = on_device(col), *weight_d = on_device(weight), *list_d = on_device(list), *community_d = on_device(community);
  const float *degree_d = on_device(degree), *total_d = on_device(total);
  const int2* edges_d = on_device(edges);
  int* dist = on_device<int>(V, [](uint32_t i) { return i % 3 == 0 ? int(hashed(i) % 40) : 60; });
  int *next = zeros<int>(V), *stamp = zeros<int>(V), *counters = zeros<int>(4);
  run("sssp_worklist", [&] { sssp_worklist<<<(int(list.size()) + 255) / 256, 256>>>(row_d, col_d, weight_d, dist, list_d, int(list.size()), next, counters, stamp, 1); });
  run("louvain_best_move", [&] { louvain_best_move<<<(V + 3) / 4, 128>>>(row_d, col_d, f, community_d, degree_d, total_d, io, V, 1.f / E); });
  const unsigned char* states = on_device<unsigned char>(V, [](uint32_t i) { return (unsigned char)(hashed(i) % 8 == 0 ? 1 : hashed(i) % 8 < 4 ? 2 : 0); });
  run("independent_set_round", [&] { independent_set_round<<<(V + 255) / 256, 256>>>(row_d, col_d, states, (unsigned char*)ow, V, 77u); });
  run("truss_support", [&] { truss_support<<<(int(edges.size()) + 7) / 8, 256>>>(row_d, col_d, edges_d, io, int(edges.size())); });
  const double* values = on_device<double>(E, [](uint32_t i) { return double(fraction(i)) - 0.5; });
  const double2* x2 = on_device<double2>(V, [](uint32_t i) { return make_double2(fraction(i), fraction(i + 1)); });
  double2* y2 = zeros<double2>(V);
  double* dot = zeros<double>(1);
  run("spmv_two_rhs_dot_4", [&] { spmv_two_rhs_dot<4><<<(V * 4 + 127) / 128, 128>>>(row_d, col_d, values, x2, y2, dot, V); });
  run("spmv_two_rhs_dot_16", [&] { spmv_two_rhs_dot<16><<<(V * 16 + 255) / 256, 256>>>(row_d, col_d, values, x2, y2, dot, V); });
  // One level: rows of the upper half that need only the lower half.
  constexpr int R = 24000;
  std::vector<int> brow(R + 1), bcol, level;
  for (uint32_t r = 0; r < R; ++r) {
    if (r >= R / 2) {
      level.push_back(int(r));
      for (uint32_t k = 0; k < 4 + hashed(r) % 20; ++k) bcol.push_back(int((r - R / 2 + hashed(r * 31 + k) % 500) % (R / 2)));
    }
    brow[r + 1] = int(bcol.size());
  }
  const int *brow_d = on_device(brow), *bcol_d = on_device(bcol), *level_d = on_device(level);
  run("block3_level_solve", [&] { block3_level_solve<<<(R / 2 + 15) / 16, dim3(8, 16)>>>(brow_d, bcol_d, f, f + 4 * M, f + 5 * M, o, level_d, R / 2); });
  float* rhs = on_device<float>(24 * 6000, fraction);
  run("lu_pivot_warp_24", [&] { lu_pivot_warp<24><<<6000 / 4, 128>>>(f, rhs, 6000); });
  run("lu_pivot_warp_10", [&] { lu_pivot_warp<10><<<14000 / 2, 64>>>(f, rhs, 14000); });
  float* square = on_device<float>(300 * 1024, [](uint32_t i) { return fraction(i) - 0.5f; });
  run("jacobi_svd_32", [&] { jacobi_svd_32<<<300, 512>>>(square, o, 5); });
  const unsigned char* text = on_device<unsigned char>(8 * M, [](uint32_t i) { return (unsigned char)(97 + hashed(i) % 6 * (hashed(i / 5) % 4) % 26); });
  std::vector<short> go(200 * 32);
  std::vector<unsigned char> accepts(200);
  for (uint32_t s = 0; s < 200; ++s) {
    accepts[s] = s % 9 == 8;
    for (uint32_t c = 0; c < 32; ++c) go[s * 32 + c] = short(hashed(s * 32 + c) % 3 ? hashed(s + c * 7) % 12 : (s + c) % 200);
  }
  const short* go_d = on_device(go);
  const unsigned char* accepts_d = on_device(accepts);
  run("automaton_pieces", [&] { automaton_pieces<<<(20000 + 127) / 128, 128>>>(text, go_d, accepts_d, io, 20000 * 128, 128, 12); });
  std::vector<uint32_t> needles(16);
  for (uint32_t i = 0; i < 16; ++i) needles[i] = hashed(i * 3 + 1);
  CHECK(cudaMemcpyToSymbol(c_needles, needles.data(), 64));
  uint32_t power = 1;
  for (int i = 0; i < 23; ++i) power *= 257u;
  run("rolling_hash_find", [&] { rolling_hash_find<<<(1500000 / 16 + 127) / 128, 128>>>(text, ow, 1500000, 24, 257u, power, 16); });
  const char pattern[32] = "*a?c*b*";
  CHECK(cudaMemcpyToSymbol(c_pattern, pattern, 32));
  run("glob_match_words", [&] { glob_match_words<<<(200000 + 255) / 256, 256>>>((const char*)text, 20, (unsigned char*)ow, 200000); });
  const unsigned char* quals = on_device<unsigned char>(4 * M, [](uint32_t i) { const uint32_t at = i % 160; return (unsigned char)(at > 100 + hashed(i / 160) % 60 ? 2 + hashed(i) % 20 : 25 + hashed(i) % 15); });
  run("pair_hmm_warp", [&] { pair_hmm_warp<<<4000 / 4, 128, 4 * 3 * 200 * sizeof(float)>>>(text, quals, text + 7 * M, o, 100, 200, 4000); });
  run("trim_read_ends", [&] { trim_read_ends<<<(26000 + 63) / 64, 64>>>(quals, io, 26000, 160, 20); });
  const int4* quads = on_device<int4>(600000, [](uint32_t i) { const int b = int(hashed(i) % 500000); return make_int4(b, b + 3, b + int(hashed(i + 1) % 900), b + int(hashed(i + 2) % 900)); });
  run("incircle_filtered", [&] { incircle_filtered<<<(600000 + 255) / 256, 256>>>((const float2*)f, quads, (signed char*)ow, 600000); });
  std::vector<float> lo(40000), hi(40000);
  std::vector<float4> yz(40000);
  for (uint32_t i = 0; i < 40000; ++i) {
    lo[i] = i * 0.025f;
    hi[i] = lo[i] + 0.2f + 2.f * fraction(i);
    const float y = fraction(i + 1) * 30, z = fraction(i + 2) * 30;
    yz[i] = make_float4(y, y + 2.f, z, z + 2.f);
  }
  const float *lo_d = on_device(lo), *hi_d = on_device(hi);
  const float4* yz_d = on_device(yz);
  run("sweep_and_prune", [&] { sweep_and_prune<<<(40000 + 127) / 128, 128>>>(lo_d, hi_d, yz_d, (int2*)ow, counters + 1, 40000, 2 * M); });
  const float* field = on_device<float>(1500 * 1000, [](uint32_t i) { return std::sin(float(i % 1500) * 0.05f) * std::cos(float(i / 1500) * 0.07f) + 0.1f * fraction(i); });
  run("marching_squares_segments", [&] { marching_squares_segments<<<dim3(47, 125), dim3(32, 8)>>>(field, (float4*)o, counters + 2, 1500, 1000, 0.2f, 500000); });
  run("combined_recursive", [&] { combined_recursive<<<264, 128>>>((double*)o, words, 264 * 128 * 40, 40); });
  const int* primes = on_device<int>(6, [](uint32_t i) { const int p[6] = {2, 3, 5, 7, 11, 13}; return p[i]; });
  run("halton_points", [&] { halton_points<<<600, 256>>>(o, 400000, 1000, primes, 6); });
  const float* means = on_device<float>(400000, [](uint32_t i) { return i / 1000 % 3 ? 0.5f + 8.f * fraction(i) : 20.f + 60.f * fraction(i); });
  run("poisson_numbers", [&] { poisson_numbers<<<(400000 + 191) / 192, 192>>>(means, io, 400000, 5); });
  run("bitmap_and_or_count", [&] { bitmap_and_or_count<<<264, 512>>>((const uint4*)words, (const uint4*)words + M / 2, (const uint4*)words + M, (const uint4*)words + M + M / 2, (uint4*)ow, (unsigned long long*)io, 500000); });
  std::vector<char> dates(300000 * 11 + 1);
  for (uint32_t i = 0; i < 300000; ++i) std::snprintf(&dates[i * 11], 12, "%04u-%02u-%02u,", 1900 + hashed(i) % 200, 1 + hashed(i + 1) % 12, 1 + hashed(i + 2) % (hashed(i) % 50 == 0 ? 40 : 28));
  const char* dates_d = on_device(dates);
  run("parse_dates", [&] { parse_dates<<<(300000 + 255) / 256, 256>>>(dates_d, io, counters + 3, 300000); });
  const half2* signal = on_device<half2>(4 * M, [](uint32_t i) { return __floats2half2_rn(fraction(i) - 0.5f, fraction(i + 1) - 0.5f); });
  run("fft256_half", [&] { fft256_half<<<4 * M / 256, 64>>>(signal, (half2*)ow); });
  return 0;
}
