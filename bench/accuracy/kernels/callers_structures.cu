// Sorting, compaction, graphs, tables of dynamic programming, bits, ciphers, geometry and text.
#include <cooperative_groups.h>

#include <cmath>

#include "cases.h"

namespace cg = cooperative_groups;
typedef unsigned char uchar;
typedef unsigned int uint;
typedef unsigned long long ull;

// Rows of 32 pairs sorted by a warp, without shared memory.
__global__ void sort_pairs_warp(uint* __restrict__ keys, uint* __restrict__ values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  uint k = i < n ? keys[i] : 0xffffffffu, v = i < n ? values[i] : 0u;
#pragma unroll
  for (int size = 2; size <= 32; size <<= 1)
#pragma unroll
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      const uint ok = __shfl_xor_sync(0xffffffffu, k, stride), ov = __shfl_xor_sync(0xffffffffu, v, stride);
      const bool up = (lane & size) == 0 || size == 32, lower = (lane & stride) == 0;
      const bool take = lower == up ? ok < k : ok > k;
      if (take) k = ok, v = ov;
    }
  if (i < n) keys[i] = k, values[i] = v;
}

// Positive values kept, in any order: one addition of a group of active threads.
__global__ void compact_positive(const float* in, float* out, int* count, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float v = in[i];
    if (v > 0.0f) {
      cg::coalesced_group g = cg::coalesced_threads();
      int base = 0;
      if (g.thread_rank() == 0) base = atomicAdd(count, (int)g.size());
      out[g.shfl(base, 0) + g.thread_rank()] = v;
    }
  }
}

// Ranks by counting for small rows, stable, quadratic: as many write it first.
template <int N>
__global__ void rank_sort(const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float s[N];
  const float v = in[blockIdx.x * N + threadIdx.x];
  s[threadIdx.x] = v;
  __syncthreads();
  int rank = 0;
  for (int j = 0; j < N; ++j) rank += s[j] < v || (s[j] == v && j < (int)threadIdx.x);
  out[blockIdx.x * N + rank] = v;
}

// Sums of runs of equal keys within a block's tile, flushed by atomics.
__global__ void reduce_by_key(const int* __restrict__ keys, const float* __restrict__ values, float* __restrict__ sums, int n, int per) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * per;
  if (first >= n) return;
  int key = keys[first];
  float acc = 0.f;
  for (int i = first; i < min(n, first + per); ++i) {
    const int k = keys[i];
    if (k != key) {
      atomicAdd(&sums[key], acc);
      acc = 0.f;
      key = k;
    }
    acc += values[i];
  }
  atomicAdd(&sums[key], acc);
}

// The label that most neighbours have: a warp a node, votes by match.
__global__ void label_vote(const int* __restrict__ ptr, const int* __restrict__ adj, const int* __restrict__ label, int* __restrict__ next, int nodes) {
  const int node = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (node >= nodes) return;
  const int begin = ptr[node], end = min(ptr[node + 1], begin + 32);
  const bool has = begin + lane < end;
  const int mine = has ? label[adj[begin + lane]] : -1 - lane;
  const uint same = __match_any_sync(0xffffffffu, mine);
  uint vote = has ? (uint)__popc(same) << 24 | (uint)(mine & 0xffffff) : 0u;
  vote = __reduce_max_sync(0xffffffffu, vote);
  if (lane == 0) next[node] = vote ? (int)(vote & 0xffffff) : label[node];
}

// The lightest edge that leaves a component (Boruvka): edges vote with 64-bit minima.
__global__ void lightest_edges(const int2* edges, const float* weight, const int* component, ull* best, int m) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= m) return;
  int a = component[edges[e].x], b = component[edges[e].y];
  if (a == b) return;
  ull vote = (ull)__float_as_uint(weight[e]) << 32 | (uint)e;
  const volatile ull* seen = best;
  if (vote < seen[a]) atomicMin(&best[a], vote);
  if (vote < seen[b]) atomicMin(&best[b], vote);
}

// Jaccard's similarity of an edge's ends by search in sorted lists: eight lanes an edge.
__global__ void jaccard_edges(const int* __restrict__ ptr, const int* __restrict__ adj, const int2* __restrict__ edges, float* __restrict__ out, int m) {
  const int e = (blockIdx.x * blockDim.x + threadIdx.x) >> 3, sub = threadIdx.x & 7;
  if (e >= m) return;
  const int2 uv = edges[e];
  int a0 = ptr[uv.x], a1 = ptr[uv.x + 1], b0 = ptr[uv.y], b1 = ptr[uv.y + 1];
  if (a1 - a0 > b1 - b0) {
    int t = a0; a0 = b0; b0 = t;
    t = a1; a1 = b1; b1 = t;
  }
  int common = 0;
  for (int i = a0 + sub; i < a1; i += 8) {
    const int want = adj[i];
    int lo = b0, hi = b1;
    while (lo < hi) {
      const int mid = (lo + hi) >> 1;
      if (adj[mid] < want) lo = mid + 1; else hi = mid;
    }
    common += lo < b1 && adj[lo] == want;
  }
  const uint group = 0xffu << (threadIdx.x & 24);
  for (int o = 4; o > 0; o >>= 1) common += __shfl_down_sync(group, common, o, 8);
  if (sub == 0) out[e] = (float)common / max(a1 - a0 + b1 - b0 - common, 1);
}

// Dynamic time warping with a band, a pair of series a block, diagonals in turn through three buffers.
__global__ void dtw_band(const float* x, const float* y, float* cost, int n, int band) {
  extern __shared__ float diag[];
  const float* a = x + blockIdx.x * n;
  const float* b = y + blockIdx.x * n;
  for (int i = threadIdx.x; i < 3 * n; i += blockDim.x) diag[i] = 1e30f;
  __syncthreads();
  for (int d = 0; d < 2 * n - 1; d++) {
    float *now = diag + d % 3 * n, *last = diag + (d + 2) % 3 * n, *before = diag + (d + 1) % 3 * n;
    int lo = max(max(0, d - n + 1), (d - band + 1) / 2), hi = min(min(d, n - 1), (d + band) / 2);
    for (int i = lo + threadIdx.x; i <= hi; i += blockDim.x) {
      int j = d - i;
      float best = d == 0 ? 0.0f : 1e30f;
      if (i > 0) best = fminf(best, last[i - 1]);
      if (j > 0) best = fminf(best, last[i]);
      if (i > 0 && j > 0) best = fminf(best, before[i - 1]);
      now[i] = fabsf(a[i] - b[j]) + best;
    }
    if (threadIdx.x == 0) {
      if (lo > 0) now[lo - 1] = 1e30f;
      if (hi + 1 < n) now[hi + 1] = 1e30f;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) cost[blockIdx.x] = diag[(2 * n - 2) % 3 * n + n - 1];
}

// The most base pairs of short RNAs (Nussinov), the table in shared memory, spans in turn.
template <int N>
__global__ void nussinov(const uchar* __restrict__ bases, int* __restrict__ pairs) {
  __shared__ uchar seq[N];
  __shared__ uchar best[N][N + 4];
  for (int i = threadIdx.x; i < N; i += blockDim.x) seq[i] = bases[blockIdx.x * N + i] & 3;
  for (int i = threadIdx.x; i < N * (N + 4); i += blockDim.x) best[i / (N + 4)][i % (N + 4)] = 0;
  __syncthreads();
  for (int span = 4; span < N; ++span) {
    for (int i = threadIdx.x; i + span < N; i += blockDim.x) {
      const int j = i + span;
      int v = max((int)best[i + 1][j], (int)best[i][j - 1]);
      const int s = seq[i] + seq[j];
      if (s == 3 || (s == 5 && seq[i] != seq[j])) v = max(v, best[i + 1][j - 1] + 1);
      for (int k = i + 1; k < j; ++k) v = max(v, best[i][k] + best[k + 1][j]);
      best[i][j] = (uchar)v;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) pairs[blockIdx.x] = best[0][N - 1];
}

// A counter's blocks enciphered by Speck 64/128: two blocks a thread, round keys made once a block of threads.
__global__ void speck_ctr(const uint4* __restrict__ in, uint4* __restrict__ out, uint4 key, int n) {
  __shared__ uint round_key[27];
  if (threadIdx.x == 0) {
    uint k = key.x, l[3] = {key.y, key.z, key.w};
    for (int i = 0; i < 27; ++i) {
      round_key[i] = k;
      const uint t = (k + __funnelshift_r(l[i % 3], l[i % 3], 8)) ^ i;
      l[i % 3] = t;
      k = __funnelshift_l(k, k, 3) ^ t;
    }
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint x0 = 0, y0 = 2 * i, x1 = 0, y1 = 2 * i + 1;
#pragma unroll
    for (int r = 0; r < 27; ++r) {
      const uint k = round_key[r];
      x0 = (__funnelshift_r(x0, x0, 8) + y0) ^ k;
      y0 = __funnelshift_l(y0, y0, 3) ^ x0;
      x1 = (__funnelshift_r(x1, x1, 8) + y1) ^ k;
      y1 = __funnelshift_l(y1, y1, 3) ^ x1;
    }
    uint4 v = in[i];
    v.x ^= x0, v.y ^= y0, v.z ^= x1, v.w ^= y1;
    out[i] = v;
  }
}

// Signatures of sets of words: the least of 64 hashes each, two a lane, a warp a document.
__global__ void minhash_signatures(const int* __restrict__ start, const uint* __restrict__ words, const uint2* __restrict__ coefficients, uint* __restrict__ signature, int documents) {
  const int lane = threadIdx.x % 32;
  const uint2 c0 = coefficients[lane], c1 = coefficients[32 + lane];
  for (int d = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; d < documents; d += gridDim.x * (blockDim.x / 32)) {
    uint m0 = ~0u, m1 = ~0u;
    for (int i = start[d]; i < start[d + 1]; ++i) {
      uint w = words[i];
      w ^= w >> 15;
      w *= 0x2c1b3c6du;
      w ^= w >> 12;
      m0 = min(m0, w * c0.x + c0.y);
      m1 = min(m1, (uint)(((ull)w * c1.x + c1.y) % 4294967291ull));
    }
    signature[d * 64 + lane] = m0;
    signature[d * 64 + 32 + lane] = m1;
  }
}

// Matrices of 32x32 bits transposed by a warp, five exchanges.
__global__ void bit_transpose_warp(const uint* __restrict__ in, uint* __restrict__ out, int words) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words) return;
  const int lane = threadIdx.x & 31;
  uint v = in[i];
  uint mask = 0x0000ffffu;
#pragma unroll
  for (int s = 16; s > 0; s >>= 1, mask ^= mask << s) {
    const uint o = __shfl_xor_sync(0xffffffffu, v, s);
    v = lane & s ? (v & ~mask) | ((o >> s) & mask) : (v & mask) | ((o << s) & ~mask);
  }
  out[i] = v;
}

// Curves' keys of points: 30 bits of three interleaved coordinates.
__device__ __forceinline__ uint spread3(uint x) {
  x = (x | x << 16) & 0x030000ff;
  x = (x | x << 8) & 0x0300f00f;
  x = (x | x << 4) & 0x030c30c3;
  return (x | x << 2) & 0x09249249;
}
__global__ void morton_keys(const float* __restrict__ xyz, uint* __restrict__ keys, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = fminf(fmaxf(xyz[3 * i] * 1024.f, 0.f), 1023.f), y = fminf(fmaxf(xyz[3 * i + 1] * 1024.f, 0.f), 1023.f), z = fminf(fmaxf(xyz[3 * i + 2] * 1024.f, 0.f), 1023.f);
  keys[i] = spread3((uint)x) << 2 | spread3((uint)y) << 1 | spread3((uint)z);
}

// Points within a polygon by crossings, its corners in constant memory.
__constant__ float2 corners[200];
__global__ void points_in_polygon(const float2* __restrict__ points, uchar* __restrict__ inside, int n, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 p = points[i];
  bool in = false;
  float2 a = corners[count - 1];
  for (int k = 0; k < count; ++k) {
    const float2 b = corners[k];
    if ((b.y > p.y) != (a.y > p.y) && p.x < (a.x - b.x) * (p.y - b.y) / (a.y - b.y) + b.x) in = !in;
    a = b;
  }
  inside[i] = in;
}

// The first triangle that a ray hits (Moller and Trumbore), triangles in tiles.
__global__ void rays_triangles(const float3* __restrict__ dirs, const float3* __restrict__ verts, float* __restrict__ hit_t, int* __restrict__ hit_id, int rays, int tris) {
  __shared__ float3 tile[3 * 64];
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  float3 d = r < rays ? dirs[r] : make_float3(0, 0, 1);
  d.x -= 0.5f, d.y -= 0.5f, d.z += 0.5f;
  float best = 1e30f;
  int id = -1;
  for (int t0 = 0; t0 < tris; t0 += 64) {
    const int m = min(64, tris - t0);
    __syncthreads();
    for (int i = threadIdx.x; i < 3 * m; i += blockDim.x) tile[i] = verts[3 * t0 + i];
    __syncthreads();
    for (int t = 0; t < m; ++t) {
      const float3 a = tile[3 * t], b = tile[3 * t + 1], c = tile[3 * t + 2];
      const float3 e1 = make_float3(b.x - a.x, b.y - a.y, b.z - a.z), e2 = make_float3(c.x - a.x, c.y - a.y, c.z - a.z);
      const float3 p = make_float3(d.y * e2.z - d.z * e2.y, d.z * e2.x - d.x * e2.z, d.x * e2.y - d.y * e2.x);
      const float det = e1.x * p.x + e1.y * p.y + e1.z * p.z;
      if (fabsf(det) < 1e-8f) continue;
      const float inv = 1.f / det, u = -(a.x * p.x + a.y * p.y + a.z * p.z) * inv;
      if (u < 0.f || u > 1.f) continue;
      const float3 q = make_float3(-a.y * e1.z + a.z * e1.y, -a.z * e1.x + a.x * e1.z, -a.x * e1.y + a.y * e1.x);
      const float v = (d.x * q.x + d.y * q.y + d.z * q.z) * inv;
      if (v < 0.f || u + v > 1.f) continue;
      const float dist = (e2.x * q.x + e2.y * q.y + e2.z * q.z) * inv;
      if (dist > 1e-4f && dist < best) best = dist, id = t0 + t;
    }
  }
  if (r < rays) hit_t[r] = best, hit_id[r] = id;
}

// A depth picture into a volume of truncated distances, a column of voxels a thread.
__global__ void tsdf_integrate(const float* __restrict__ depth, float2* __restrict__ volume, int side, int w, int h, float f, float voxel, float trunc) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= side || y >= side) return;
  const float px = (x - side / 2) * voxel, py = (y - side / 2) * voxel;
  for (int z = 0; z < side; ++z) {
    const float pz = 0.5f + z * voxel;
    const int u = __float2int_rn(px / pz * f) + w / 2, v = __float2int_rn(py / pz * f) + h / 2;
    if (u < 0 || v < 0 || u >= w || v >= h) continue;
    const float d = 0.7f + 0.6f * depth[v * w + u];
    const float sdf = d - pz;
    if (sdf < -trunc) continue;
    const float t = fminf(1.f, sdf / trunc);
    float2 cell = volume[(z * side + y) * side + x];
    cell.x = (cell.x * cell.y + t) / (cell.y + 1.f);
    cell.y = fminf(cell.y + 1.f, 64.f);
    volume[(z * side + y) * side + x] = cell;
  }
}

// Numbers of a text's lines parsed, signs, points and exponents included: a line a thread.
__global__ void parse_numbers(const char* text, const int* line, double* value, int lines) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lines) return;
  const char* p = text + line[i];
  bool negative = *p == '-';
  if (negative) p++;
  double v = 0;
  int scale = 0;
  while (*p >= '0' && *p <= '9') v = v * 10 + (*p++ - '0');
  if (*p == '.') {
    p++;
    while (*p >= '0' && *p <= '9') {
      v = v * 10 + (*p++ - '0');
      scale--;
    }
  }
  if (*p == 'e') {
    p++;
    bool down = *p == '-';
    if (down) p++;
    int e = 0;
    while (*p >= '0' && *p <= '9') e = e * 10 + (*p++ - '0');
    scale += down ? -e : e;
  }
  for (; scale > 0; scale--) v *= 10;
  for (; scale < 0; scale++) v /= 10;
  value[i] = negative ? -v : v;
}

// Lines, words and letters, sixteen bytes a load, upper case on the way out.
__global__ void count_and_raise(const uint4* __restrict__ text, uint4* __restrict__ raised, ull* totals, int n16) {
  uint lines = 0, words = 0, letters = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n16; i += gridDim.x * blockDim.x) {
    uint4 v = text[i];
    uchar* b = (uchar*)&v;
    bool blank = i == 0 || ((const uchar*)text)[16 * i - 1] <= ' ';
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const uchar c = b[k];
      lines += c == '\n';
      words += blank && c > ' ';
      blank = c <= ' ';
      if (c >= 'a' && c <= 'z') {
        b[k] = c - 32;
        ++letters;
      }
    }
    raised[i] = v;
  }
  lines = __reduce_add_sync(~0u, lines), words = __reduce_add_sync(~0u, words), letters = __reduce_add_sync(~0u, letters);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(totals, (ull)lines);
    atomicAdd(totals + 1, (ull)words);
    atomicAdd(totals + 2, (ull)letters);
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const float* a = on_device<float>(1 << 22, fraction);
  const float* b = on_device<float>(1 << 22, [](uint32_t i) { return fraction(i * 3 + 1) - 0.5f; });
  float* c = zeros<float>(1 << 23);
  int* io = zeros<int>(1 << 22);
  uint* keys = on_device<uint>(1 << 21, hashed);
  uint* values = on_device<uint>(1 << 21, [](uint32_t i) { return i; });

  run("sort_pairs_warp", [&] { sort_pairs_warp<<<(700001 + 255) / 256, 256>>>(keys, values, 700001); });
  int* kept = zeros<int>(1);  // goes on from launch to launch: c has room for six
  run("compact_positive", [&] { compact_positive<<<396, 256>>>(b, c, kept, 1900000); });
  run("rank_sort_128", [&] { rank_sort<128><<<1500, 128>>>(a, c); });
  run("rank_sort_600", [&] { rank_sort<600><<<60, 600>>>(a, c); });
  const int* runs = on_device<int>(1 << 20, [](uint32_t i) { return int(i / 23 + (i % 23 > hashed(i / 23) % 23)); });
  run("reduce_by_key", [&] { reduce_by_key<<<(1000000 / 16 + 127) / 128, 128>>>(runs, a, c, 1000000, 16); });
  constexpr uint32_t nodes = 30000;
  std::vector<int> ptr(nodes + 1), adj;
  std::vector<int2> edges;
  for (uint32_t u = 0; u < nodes; ++u) {
    ptr[u] = int(adj.size());
    std::set<int> row;
    for (uint32_t k = 0; k < 3 + hashed(u) % 16; ++k) row.insert(int((u + 1 + hashed(u * 20 + k) % (k & 1 ? 60 : nodes - 1)) % nodes));
    for (int v : row) {
      adj.push_back(v);
      edges.push_back(make_int2(int(u), v));
    }
  }
  ptr[nodes] = int(adj.size());
  const int *ptr_d = on_device(ptr), *adj_d = on_device(adj), m = int(adj.size());
  const int2* edges_d = on_device(edges);
  const int* labels = on_device<int>(nodes, [](uint32_t i) { return int(i / 40 + hashed(i) % 3); });
  run("label_vote", [&] { label_vote<<<(nodes * 32 + 191) / 192, 192>>>(ptr_d, adj_d, labels, io, nodes); });
  ull* best = nullptr;
  CHECK(cudaMalloc(&best, nodes * sizeof(ull)));
  CHECK(cudaMemset(best, 0xff, nodes * sizeof(ull)));
  run("lightest_edges", [&] { lightest_edges<<<(m + 255) / 256, 256>>>(edges_d, a, labels, best, m); });
  run("jaccard_edges", [&] { jaccard_edges<<<(60000 * 8 + 127) / 128, 128>>>(ptr_d, adj_d, edges_d, c, 60000); });
  run("dtw_band_250", [&] { dtw_band<<<264, 64, 3 * 250 * 4>>>(a, b, c, 250, 40); });
  run("dtw_band_600", [&] { dtw_band<<<40, 128, 3 * 600 * 4>>>(a, b, c, 600, 600); });
  const uchar* bases = on_device<uchar>(1 << 20, [](uint32_t i) { return uchar(hashed(i)); });
  run("nussinov_70", [&] { nussinov<70><<<200, 64>>>(bases, io); });
  run("speck_ctr", [&] { speck_ctr<<<528, 256>>>((const uint4*)a, (uint4*)c, make_uint4(0x03020100, 0x0b0a0908, 0x13121110, 0x1b1a1918), 500000); });
  const int* starts = on_device<int>(6001, [](uint32_t i) { return int(i * 60 + hashed(i) % 50); });
  const uint2* coefficients = on_device<uint2>(64, [](uint32_t i) { return make_uint2(hashed(i) | 1, hashed(i + 64)); });
  run("minhash_signatures", [&] { minhash_signatures<<<250, 192>>>(starts, keys, coefficients, (uint*)io, 4000); });
  run("bit_transpose_warp", [&] { bit_transpose_warp<<<6250, 160>>>(keys, (uint*)io, 1000000); });
  run("morton_keys", [&] { morton_keys<<<(1300000 + 511) / 512, 512>>>(a, (uint*)io, 1300000); });
  std::vector<float2> star(200);
  for (int i = 0; i < 200; ++i) {
    const float r = i % 2 ? 0.2f : 0.45f, t = i * 6.2831853f / 173;
    star[i] = make_float2(0.5f + r * std::cos(t), 0.5f + r * std::sin(t));
  }
  CHECK(cudaMemcpyToSymbol(corners, star.data(), 200 * sizeof(float2)));
  run("points_in_polygon", [&] { points_in_polygon<<<(100000 + 255) / 256, 256>>>((const float2*)a, (uchar*)c, 100000, 173); });
  const float3* verts = on_device<float3>(900, [](uint32_t i) { return make_float3(2 * fraction(i / 3 * 3) - 1 + 0.3f * fraction(i + 5000), 2 * fraction(i / 3 * 3 + 1) - 1 + 0.3f * fraction(i + 6000), 1 + 2 * fraction(i / 3 * 3 + 2) + 0.2f * fraction(i + 7000)); });
  run("rays_triangles", [&] { rays_triangles<<<(20000 + 95) / 96, 96>>>((const float3*)a, verts, c, io, 20000, 300); });
  float2* volume = zeros<float2>(120 * 120 * 120);
  run("tsdf_integrate", [&] { tsdf_integrate<<<dim3(4, 15), dim3(32, 8)>>>(a, volume, 120, 320, 240, 260.f, 0.01f, 0.04f); });
  std::string text;
  std::vector<int> line;
  for (uint32_t i = 0; i < 50000; ++i) {
    char buffer[40];
    line.push_back(int(text.size()));
    const double v = (fraction(i) - 0.5) * (i % 7 ? 1000 : 1);
    std::snprintf(buffer, sizeof buffer, i % 5 ? "%.3f\n" : "%.6e\n", v);
    text += buffer;
  }
  std::string plus = text;  // %e prints e+02; the parser knows no plus
  text.clear();
  std::vector<int> shifted;
  for (size_t i = 0, l = 0; i < plus.size(); ++i) {
    if (l < line.size() && size_t(line[l]) == i) shifted.push_back(int(text.size())), ++l;
    if (plus[i] != '+') text += plus[i];
  }
  const char* text_d = on_device(std::vector<char>(text.begin(), text.end()));
  const int* line_d = on_device(shifted);
  double* parsed = zeros<double>(50000);
  run("parse_numbers", [&] { parse_numbers<<<(50000 + 127) / 128, 128>>>(text_d, line_d, parsed, 50000); });
  const uchar* prose = on_device<uchar>(1 << 22, [](uint32_t i) { return uchar(hashed(i) % 6 == 0 ? (hashed(i) % 66 == 0 ? '\n' : ' ') : (hashed(i) % 20 == 1 ? 'A' : 'a') + hashed(i + 1) % 26); });
  run("count_and_raise", [&] { count_and_raise<<<300, 256>>>((const uint4*)prose, (uint4*)c, (ull*)io, 250000); });
  return 0;
}
