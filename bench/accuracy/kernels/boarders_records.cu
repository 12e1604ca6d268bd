// Sorting, tables and queries, packed and compressed numbers, text, hashes and ciphers, genomes, graphs.
#include <cooperative_groups.h>

#include "cases.h"

namespace cg = cooperative_groups;

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

// Segments sorted where they fit in shared memory, with falling gaps.
__global__ void shell_sort_segments(int* data, const int* offsets, int segments) {
  extern __shared__ int s[];
  for (int seg = blockIdx.x; seg < segments; seg += gridDim.x) {
    int begin = offsets[seg], n = offsets[seg + 1] - begin;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = data[begin + i];
    __syncthreads();
    const int gaps[8] = {701, 301, 132, 57, 23, 10, 4, 1};
    for (int g = 0; g < 8; g++) {
      int gap = gaps[g];
      // Each thread owns one residue.
      for (int r = threadIdx.x; r < gap && r < n; r += blockDim.x)
        for (int i = r + gap; i < n; i += gap) {
          int v = s[i], j = i;
          while (j >= gap && s[j - gap] > v) {
            s[j] = s[j - gap];
            j -= gap;
          }
          s[j] = v;
        }
      __syncthreads();
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[begin + i] = s[i];
    __syncthreads();
  }
}

// Keys below, at and above a pivot to three places: groups of lanes reserve room together.
__global__ void partition_three_ways(const int* __restrict__ in, int* __restrict__ out, int* tails, int n, int pivot) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int v = in[i];
    if (v < pivot) {
      auto g = cg::coalesced_threads();
      int base = 0;
      if (g.thread_rank() == 0) base = atomicAdd(&tails[0], (int)g.size());
      out[g.shfl(base, 0) + g.thread_rank()] = v;
    } else if (v > pivot) {
      auto g = cg::coalesced_threads();
      int base = 0;
      if (g.thread_rank() == 0) base = atomicAdd(&tails[1], (int)g.size());
      out[n - 1 - g.shfl(base, 0) - g.thread_rank()] = v;
    } else
      atomicAdd(&tails[2], 1);
  }
}

// One doubling of ranks of suffixes: pairs of ranks as keys of 64 bits, with flags where neighbours differ.
__global__ void suffix_pair_keys(const int* __restrict__ rank, const int* __restrict__ order, u64* __restrict__ keys, u8* __restrict__ heads, int n, int h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  auto key = [&](int p) { return (u64)(u32)rank[p] << 32 | (p + h < n ? (u32)rank[p + h] + 1u : 0u); };
  const int p = order[i];
  const u64 k = key(p);
  keys[i] = k;
  heads[i] = i == 0 || key(order[i - 1]) != k;
}

// A join with a table of two levels without collisions: displacement of the bucket, then one comparison.
__global__ void join_perfect_hash(const u32* __restrict__ probe, const unsigned short* __restrict__ displace, const uint2* __restrict__ slots, u64* __restrict__ sum, u32* __restrict__ payload, int n, u32 buckets, u32 mask) {
  u64 acc = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const u32 key = probe[i], h = key * 0x9E3779B1u, d = displace[__umulhi(h, buckets)];
    const uint2 s = slots[((h ^ h >> 15) + d * 0x85EBCA6Bu) & mask];
    const bool hit = s.x == key;
    payload[i] = hit ? s.y : 0xffffffffu;
    if (hit) acc += s.y;
  }
  for (int o = 16; o; o >>= 1) acc += __shfl_down_sync(~0u, acc, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(sum, acc);
}

// A star: four filters as bitmaps of dimensions, revenues by two attributes in shared memory.
__global__ __launch_bounds__(256) void star_join_revenue(const int* __restrict__ custkey, const int* __restrict__ partkey, const int* __restrict__ suppkey, const int* __restrict__ datekey, const int* __restrict__ revenue, const u32* __restrict__ bits, const u8* __restrict__ brand, u64* __restrict__ result, int n) {
  __shared__ u64 groups[7 * 40];
  for (int g = threadIdx.x; g < 280; g += 256) groups[g] = 0;
  __syncthreads();
  const int base = blockIdx.x * 1024 + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int i = base + k * 256;
    if (i >= n) continue;
    const int c = custkey[i];
    if (!(bits[c >> 5] >> (c & 31) & 1)) continue;
    const int s = suppkey[i];
    if (!(bits[2048 + (s >> 5)] >> (s & 31) & 1)) continue;
    const int p = partkey[i];
    if (!(bits[4096 + (p >> 5)] >> (p & 31) & 1)) continue;
    atomicAdd(&groups[datekey[i] / 365 * 40 + brand[p]], (u64)revenue[i]);
  }
  __syncthreads();
  for (int g = threadIdx.x; g < 280; g += 256)
    if (groups[g]) atomicAdd(&result[g], groups[g]);
}

// Decimals of 128 bits: products of 64 bits, carries by instructions of the machine, one sum a thread.
struct Wide {
  u64 lo, hi;
};
__device__ __forceinline__ Wide add_wide(Wide a, Wide b) {
  Wide r;
  asm("add.cc.u64 %0, %2, %4;\n\taddc.u64 %1, %3, %5;" : "=l"(r.lo), "=l"(r.hi) : "l"(a.lo), "l"(a.hi), "l"(b.lo), "l"(b.hi));
  return r;
}
__global__ void decimal_product_sums(const long long* __restrict__ price, const long long* __restrict__ discount, Wide* __restrict__ sums, int n) {
  Wide acc{0, 0};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const long long p = price[i], q = 10000 - discount[i];
    acc = add_wide(acc, Wide{(u64)(p * q), (u64)__mul64hi(p, q)});
  }
  for (int o = 16; o; o >>= 1) {
    const Wide other{__shfl_xor_sync(~0u, acc.lo, o), __shfl_xor_sync(~0u, acc.hi, o)};
    acc = add_wide(acc, other);
  }
  if ((threadIdx.x & 31) == 0) sums[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = acc;
}

// Blocks of 1024 integers packed at their own width: the width by a reduction, words built in shared memory.
__global__ __launch_bounds__(128) void pack_frames(const u32* __restrict__ in, u32* __restrict__ out, u32* __restrict__ header, int frames) {
  __shared__ u32 packed[1024], low, high;
  const int frame = blockIdx.x, t = threadIdx.x;
  if (t == 0) low = 0xffffffffu, high = 0;
  for (int i = t; i < 1024; i += 128) packed[i] = 0;
  __syncthreads();
  u32 v[8], lo = 0xffffffffu, hi = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    v[k] = in[frame * 1024 + k * 128 + t];
    lo = min(lo, v[k]), hi = max(hi, v[k]);
  }
  lo = __reduce_min_sync(~0u, lo), hi = __reduce_max_sync(~0u, hi);
  if (t % 32 == 0) atomicMin(&low, lo), atomicMax(&high, hi);
  __syncthreads();
  const int width = 32 - __clz(high - low);
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const u32 d = v[k] - low, bit = (k * 128 + t) * width;
    if (width) {
      atomicOr(&packed[bit / 32], d << bit % 32);
      if (bit % 32 + width > 32) atomicOr(&packed[bit / 32 + 1], d >> (32 - bit % 32));
    }
  }
  __syncthreads();
  for (int i = t; i < width * 32; i += 128) out[frame * 1024 + i] = packed[i];
  if (t == 0) header[frame * 2] = low, header[frame * 2 + 1] = width;
}

// Words of Simple-8b: a selector says how many numbers of how many bits; offsets are known.
__constant__ u8 c_selector[32];
__global__ void unpack_simple8b(const u64* __restrict__ words, const int* __restrict__ offsets, u32* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const u64 w = words[i];
  const int s = (int)(w >> 60), count = c_selector[s], bits = c_selector[16 + s];
  u32* to = out + offsets[i];
  if (bits == 0) {
    for (int k = 0; k < count; ++k) to[k] = 1;
    return;
  }
  u64 rest = w;
  const u64 mask = (1ull << bits) - 1;
  for (int k = 0; k < count; ++k, rest >>= bits) to[k] = (u32)(rest & mask);
}

// Sets in containers: sorted short numbers looked up in bitmaps, survivors kept in order by ballots of a warp.
__global__ void intersect_containers(const unsigned short* __restrict__ arrays, const int* __restrict__ sizes, const u64* __restrict__ bitmaps, unsigned short* __restrict__ out, int* __restrict__ out_sizes, int containers) {
  const int c = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (c >= containers) return;
  const unsigned short* a = arrays + (size_t)c * 4096;
  const u64* b = bitmaps + (size_t)c * 1024;
  const int n = sizes[c];
  int kept = 0;
  for (int i = 0; i < n; i += 32) {
    const int v = i + lane < n ? a[i + lane] : -1;
    const bool in = v >= 0 && (b[v >> 6] >> (v & 63) & 1);
    const unsigned m = __ballot_sync(~0u, in);
    if (in) out[(size_t)c * 4096 + kept + __popc(m & ((1u << lane) - 1))] = v;
    kept += __popc(m);
  }
  if (lane == 0) out_sizes[c] = kept;
}

// Where fields of comma-separated text begin: parity of quotes by a scan over the block, 16 bytes a thread.
__global__ __launch_bounds__(256) void field_starts(const u8* __restrict__ text, const u8* __restrict__ parity_before, u32* __restrict__ flags, int* __restrict__ counts, int n) {
  __shared__ int warp_parity[8], total;
  const int t = threadIdx.x, at = (blockIdx.x * 256 + t) * 16;
  if (t == 0) total = 0;
  uint4 v = at < n ? *reinterpret_cast<const uint4*>(text + at) : make_uint4(0, 0, 0, 0);
  const u32 words[4] = {v.x, v.y, v.z, v.w};
  u32 quotes = 0, commas = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    const u32 c = words[k / 4] >> k % 4 * 8 & 0xff;
    quotes |= (c == '"') << k;
    commas |= (c == ',' || c == '\n') << k;
  }
  const unsigned odd = __ballot_sync(~0u, __popc(quotes) & 1);
  if (t % 32 == 0) warp_parity[t / 32] = __popc(odd) & 1;
  __syncthreads();
  int inside = parity_before[blockIdx.x] ^ (__popc(odd & ((1u << t % 32) - 1)) & 1);
  for (int w = 0; w < t / 32; ++w) inside ^= warp_parity[w];
  u32 x = quotes;
  x ^= x << 1, x ^= x << 2, x ^= x << 4, x ^= x << 8;
  if (inside) x = ~x;
  const u32 starts = commas & ~x & 0xffff;
  flags[blockIdx.x * 256 + t] = starts;
  const int c = __reduce_add_sync(~0u, __popc(starts));
  if (t % 32 == 0) atomicAdd(&total, c);
  __syncthreads();
  if (t == 0) counts[blockIdx.x] = total;
}

// Routes of addresses: a table by the first 20 bits, longer prefixes in second tables.
__global__ void route_addresses(const u32* __restrict__ addresses, const unsigned short* __restrict__ first, const unsigned short* __restrict__ second, unsigned short* __restrict__ hops, u32* __restrict__ use, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const u32 a = addresses[i];
  unsigned short r = __ldg(&first[a >> 12]);
  if (r & 0x8000) r = __ldg(&second[(r & 0x7fff) * 4096 + (a & 4095)]);
  hops[i] = r;
  atomicInc(&use[r & 63], 0xffffffffu);
}

// The inverse of a Burrows-Wheeler transform: several walks at once along the permutation.
__global__ void inverse_bwt_walks(const u32* __restrict__ link, const u32* __restrict__ starts, u8* __restrict__ out, int walks, int length) {
  const int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= walks) return;
  u32 p = starts[w];
  u32 word = 0;
  for (int k = 0; k < length; ++k) {
    const u32 e = link[p];
    word |= (e & 0xff) << (k & 3) * 8;
    if ((k & 3) == 3) {
      reinterpret_cast<u32*>(out)[w * (length / 4) + k / 4] = word;
      word = 0;
    }
    p = e >> 8;
  }
}

// Blocks of 4x4 floats as ZFP does: a common exponent, lifting of rows and columns, planes of bits by ballots.
__device__ __forceinline__ void lift4(int& x, int& y, int& z, int& w) {
  x += w, x >>= 1, w -= x, z += y, z >>= 1, y -= z, x += z, x >>= 1, z -= x, w += y, w >>= 1, y -= w, w += y >> 1, y -= w >> 1;
}
__global__ void fixed_rate_blocks(const float* __restrict__ in, u32* __restrict__ out, int bw, int bh, int planes) {
  const int half = threadIdx.x / 16, l = threadIdx.x % 16, b = (blockIdx.x * blockDim.y + threadIdx.y) * 2 + half;
  const bool real = b < bw * bh;
  const float v = real ? in[((b / bw) * 4 + l / 4) * bw * 4 + (b % bw) * 4 + l % 4] : 0.f;
  float most = fabsf(v);
  for (int o = 8; o; o >>= 1) most = fmaxf(most, __shfl_xor_sync(~0u, most, o, 16));
  const int e = most > 0.f ? ilogbf(most) + 1 : 0;
  int q = (int)ldexpf(v, 30 - e);
  for (int pass = 0; pass < 2; ++pass) {
    const int stride = pass ? 4 : 1, base = pass ? l % 4 : l / 4 * 4;
    int x = __shfl_sync(~0u, q, base, 16), y = __shfl_sync(~0u, q, base + stride, 16), z = __shfl_sync(~0u, q, base + 2 * stride, 16), w = __shfl_sync(~0u, q, base + 3 * stride, 16);
    lift4(x, y, z, w);
    const int k = pass ? l / 4 : l % 4;
    q = k == 0 ? x : k == 1 ? y : k == 2 ? z : w;
  }
  const u32 negabinary = ((u32)q + 0xaaaaaaaau) ^ 0xaaaaaaaau;
  u32 mine = 0;
  for (int p = 0; p < planes; ++p) {
    const unsigned plane = __ballot_sync(~0u, negabinary >> (31 - p) & 1) >> half * 16 & 0xffff;
    if (l == p / 2) mine |= plane << (p & 1) * 16;
  }
  if (real && l < planes / 2) out[b * (planes / 2 + 1) + 1 + l] = mine;
  if (real && l == 0) out[b * (planes / 2 + 1)] = e + 127;
}

// Predictions from seven neighbours in a volume, errors as short codes, outliers to a list.
__global__ void lorenzo_quantize(const float* __restrict__ data, unsigned short* __restrict__ codes, float* __restrict__ outliers, int* __restrict__ where, int* __restrict__ count, int nx, int ny, int nz, float inv2eb) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= nx || y >= ny) return;
  auto q = [&](int i, int j, int k) { return i < 0 || j < 0 || k < 0 ? 0 : __float2int_rn(data[(k * ny + j) * nx + i] * inv2eb); };
  for (int z = blockIdx.z * 8; z < min(nz, (int)blockIdx.z * 8 + 8); ++z) {
    const int v = q(x, y, z), predicted = q(x - 1, y, z) + q(x, y - 1, z) + q(x, y, z - 1) - q(x - 1, y - 1, z) - q(x - 1, y, z - 1) - q(x, y - 1, z - 1) + q(x - 1, y - 1, z - 1);
    const int code = v - predicted + 512, at = (z * ny + y) * nx + x;
    if (code <= 0 || code >= 1024) {
      const int o = atomicAdd(count, 1);
      outliers[o] = data[at];
      where[o] = at;
      codes[at] = 0;
    } else
      codes[at] = (unsigned short)code;
  }
}

// Doubles predicted by a hashed context, leading zero bytes of the difference counted: one stream a thread.
__global__ void predict_doubles_fcm(const u64* __restrict__ in, u8* __restrict__ lead, u64* __restrict__ residue, int streams, int length) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= streams) return;
  u64 table[32];
  for (int k = 0; k < 32; ++k) table[k] = 0;
  u32 context = 0;
  for (int i = 0; i < length; ++i) {
    const u64 v = in[(size_t)i * streams + s], diff = v ^ table[context];
    table[context] = v;
    context = (context << 2 ^ (u32)(v >> 52)) & 31;
    lead[(size_t)i * streams + s] = (u8)(__clzll((long long)diff) >> 3);
    residue[(size_t)i * streams + s] = diff;
  }
}

// Ranks and positions of ones in bits with a directory: first a search among blocks, then within the words.
__global__ void select_ones(const u64* __restrict__ bits, const u32* __restrict__ directory, const u32* __restrict__ queries, u32* __restrict__ out, int n, int blocks) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const u32 k = queries[i];
  int lo = 0, hi = blocks;
  while (hi - lo > 1) {
    const int mid = (lo + hi) / 2;
    if (directory[mid] <= k)
      lo = mid;
    else
      hi = mid;
  }
  u32 rest = k - directory[lo];
  int w = lo * 8;
  while (true) {
    const u32 c = __popcll(bits[w]);
    if (rest < c || w == lo * 8 + 7) break;
    rest -= c, ++w;
  }
  const u64 word = bits[w];
  u32 half = (u32)word;
  int at = w * 64;
  if (rest >= (u32)__popc(half)) rest -= __popc(half), half = (u32)(word >> 32), at += 32;
  out[i] = at + __fns(half, 0, (int)rest + 1);
}

// ---- hashes and ciphers ----

// Poly1305: messages of fixed length, limbs of 26 bits.
__global__ void poly1305_messages(const uint4* __restrict__ messages, const uint4* __restrict__ keys, uint4* __restrict__ tags, int n, int blocks) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint4 k = keys[i & 1023];
  const u32 r0 = k.x & 0x3ffffff, r1 = (k.x >> 26 | k.y << 6) & 0x3ffff03, r2 = (k.y >> 20 | k.z << 12) & 0x3ffc0ff, r3 = (k.z >> 14 | k.w << 18) & 0x3f03fff, r4 = k.w >> 8 & 0x00fffff;
  const u32 s1 = r1 * 5, s2 = r2 * 5, s3 = r3 * 5, s4 = r4 * 5;
  u32 h0 = 0, h1 = 0, h2 = 0, h3 = 0, h4 = 0;
  for (int b = 0; b < blocks; ++b) {
    const uint4 m = messages[(size_t)b * n + i];
    h0 += m.x & 0x3ffffff, h1 += (m.x >> 26 | m.y << 6) & 0x3ffffff, h2 += (m.y >> 20 | m.z << 12) & 0x3ffffff, h3 += (m.z >> 14 | m.w << 18) & 0x3ffffff, h4 += m.w >> 8 | 1u << 24;
    u64 d0 = (u64)h0 * r0 + (u64)h1 * s4 + (u64)h2 * s3 + (u64)h3 * s2 + (u64)h4 * s1;
    u64 d1 = (u64)h0 * r1 + (u64)h1 * r0 + (u64)h2 * s4 + (u64)h3 * s3 + (u64)h4 * s2;
    u64 d2 = (u64)h0 * r2 + (u64)h1 * r1 + (u64)h2 * r0 + (u64)h3 * s4 + (u64)h4 * s3;
    u64 d3 = (u64)h0 * r3 + (u64)h1 * r2 + (u64)h2 * r1 + (u64)h3 * r0 + (u64)h4 * s4;
    u64 d4 = (u64)h0 * r4 + (u64)h1 * r3 + (u64)h2 * r2 + (u64)h3 * r1 + (u64)h4 * r0;
    d1 += d0 >> 26, h0 = (u32)d0 & 0x3ffffff;
    d2 += d1 >> 26, h1 = (u32)d1 & 0x3ffffff;
    d3 += d2 >> 26, h2 = (u32)d2 & 0x3ffffff;
    d4 += d3 >> 26, h3 = (u32)d3 & 0x3ffffff;
    h0 += (u32)(d4 >> 26) * 5, h4 = (u32)d4 & 0x3ffffff;
    h1 += h0 >> 26, h0 &= 0x3ffffff;
  }
  tags[i] = make_uint4(h0 | h1 << 26, h1 >> 6 | h2 << 20, h2 >> 12 | h3 << 14, h3 >> 18 | h4 << 8);
}

// MurmurHash3 of 128 bits over keys of varying length.
__device__ __forceinline__ u64 rotl64(u64 x, int r) { return x << r | x >> (64 - r); }
__device__ __forceinline__ u64 finish64(u64 k) {
  k ^= k >> 33, k *= 0xff51afd7ed558ccdull, k ^= k >> 33, k *= 0xc4ceb9fe1a85ec53ull;
  return k ^ k >> 33;
}
__global__ void murmur3_128_keys(const u8* data, const int* offsets, ulonglong2* hashes, int n, u64 seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const u64 c1 = 0x87c37b91114253d5ull, c2 = 0x4cf5ad432745937full;
  const u8* p = data + offsets[i];
  int len = offsets[i + 1] - offsets[i];
  u64 h1 = seed, h2 = seed;
  auto load = [](const u8* q, int bytes) {
    u64 v = 0;
    for (int b = 0; b < bytes; b++) v |= (u64)q[b] << (8 * b);
    return v;
  };
  int left = len;
  for (; left >= 16; left -= 16, p += 16) {
    u64 k1 = load(p, 8), k2 = load(p + 8, 8);
    h1 ^= rotl64(k1 * c1, 31) * c2, h1 = (rotl64(h1, 27) + h2) * 5 + 0x52dce729;
    h2 ^= rotl64(k2 * c2, 33) * c1, h2 = (rotl64(h2, 31) + h1) * 5 + 0x38495ab5;
  }
  if (left > 8) h2 ^= rotl64(load(p + 8, left - 8) * c2, 33) * c1;
  if (left > 0) h1 ^= rotl64(load(p, min(left, 8)) * c1, 31) * c2;
  h1 ^= len, h2 ^= len, h1 += h2, h2 += h1;
  h1 = finish64(h1), h2 = finish64(h2), h1 += h2, h2 += h1;
  hashes[i] = make_ulonglong2(h1, h2);
}

// SM4 in counter mode: tables of bytes in shared memory, keys of rounds in constant memory.
__constant__ u32 c_round_keys[32];
__global__ __launch_bounds__(256) void sm4_counter(const u8* __restrict__ sbox, const uint4* __restrict__ in, uint4* __restrict__ out, int n, u32 nonce) {
  __shared__ u32 table[256];
  {
    const u32 b = sbox[threadIdx.x];
    u32 v = b << 24;
    v = v ^ __funnelshift_l(v, v, 2) ^ __funnelshift_l(v, v, 10) ^ __funnelshift_l(v, v, 18) ^ __funnelshift_l(v, v, 24);
    table[threadIdx.x] = v;
  }
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    u32 x[4] = {nonce, nonce ^ 0x5bd1e995u, 0u, (u32)i};
#pragma unroll 8
    for (int r = 0; r < 32; ++r) {
      const u32 t = x[1] ^ x[2] ^ x[3] ^ c_round_keys[r];
      const u32 a = table[t >> 24], b = table[t >> 16 & 255], c = table[t >> 8 & 255], d = table[t & 255];
      const u32 y = x[0] ^ a ^ __funnelshift_r(b, b, 8) ^ __funnelshift_r(c, c, 16) ^ __funnelshift_r(d, d, 24);
      x[0] = x[1], x[1] = x[2], x[2] = x[3], x[3] = y;
    }
    const uint4 p = in[i];
    out[i] = make_uint4(p.x ^ x[3], p.y ^ x[2], p.z ^ x[1], p.w ^ x[0]);
  }
}

// Ascon: associated data and text absorbed into five words, twelve and eight rounds.
template <int ROUNDS>
__device__ __forceinline__ void ascon_rounds(u64 (&s)[5]) {
#pragma unroll
  for (int r = 12 - ROUNDS; r < 12; ++r) {
    s[2] ^= (u64)((0xf - r) << 4 | r);
    s[0] ^= s[4], s[4] ^= s[3], s[2] ^= s[1];
    u64 t[5];
#pragma unroll
    for (int k = 0; k < 5; ++k) t[k] = ~s[k] & s[(k + 1) % 5];
#pragma unroll
    for (int k = 0; k < 5; ++k) s[k] ^= t[(k + 1) % 5];
    s[1] ^= s[0], s[0] ^= s[4], s[3] ^= s[2], s[2] = ~s[2];
    s[0] ^= rotl64(s[0], 45) ^ rotl64(s[0], 36);
    s[1] ^= rotl64(s[1], 3) ^ rotl64(s[1], 25);
    s[2] ^= rotl64(s[2], 63) ^ rotl64(s[2], 58);
    s[3] ^= rotl64(s[3], 54) ^ rotl64(s[3], 47);
    s[4] ^= rotl64(s[4], 57) ^ rotl64(s[4], 23);
  }
}
__global__ void ascon_encrypt(const ulonglong2* __restrict__ text, ulonglong2* __restrict__ cipher, ulonglong2* __restrict__ tags, int n, int blocks, u64 k0, u64 k1) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64 s[5] = {0x80800c0800000000ull, k0, k1, (u64)i, 7ull};
  ascon_rounds<12>(s);
  s[3] ^= k0, s[4] ^= k1;
  for (int b = 0; b < blocks; ++b) {
    const ulonglong2 m = text[(size_t)b * n + i];
    s[0] ^= m.x, s[1] ^= m.y;
    cipher[(size_t)b * n + i] = make_ulonglong2(s[0], s[1]);
    ascon_rounds<8>(s);
  }
  s[2] ^= k0, s[3] ^= k1;
  ascon_rounds<12>(s);
  tags[i] = make_ulonglong2(s[3] ^ k0, s[4] ^ k1);
}

// Argon2: a warp fills a block of a kilobyte from two others, four words of 64 bits a lane, shuffles between rounds.
__device__ __forceinline__ u64 blamka(u64 x, u64 y) { return x + y + 2 * (u64)(u32)x * (u32)y; }
__device__ __forceinline__ void blamka_g(u64 (&v)[4]) {
  v[0] = blamka(v[0], v[1]), v[3] = rotl64(v[3] ^ v[0], 32), v[2] = blamka(v[2], v[3]), v[1] = rotl64(v[1] ^ v[2], 40);
  v[0] = blamka(v[0], v[1]), v[3] = rotl64(v[3] ^ v[0], 48), v[2] = blamka(v[2], v[3]), v[1] = rotl64(v[1] ^ v[2], 1);
}
__global__ void argon2_fill(u64* memory, int lanes, int columns, int from, int to) {
  const int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, l = threadIdx.x & 31;
  if (w >= lanes) return;
  u64* mine = memory + (size_t)w * columns * 128;
  u64 previous[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) previous[k] = mine[(from - 1) * 128 + k * 32 + l];
  for (int c = from; c < to; ++c) {
    const u32 j = (u32)__shfl_sync(~0u, previous[0], 0);
    const u32 x = __umulhi(j, j), ref = c - 2 - __umulhi((u32)(c - 2), x);
    u64 r[4], v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      r[k] = previous[k] ^ mine[(size_t)ref * 128 + k * 32 + l];
      v[k] = r[k];
    }
    for (int pass = 0; pass < 2; ++pass) {
      blamka_g(v);
#pragma unroll
      for (int k = 1; k < 4; ++k) v[k] = __shfl_sync(~0u, v[k], (l & ~3) | ((l + k) & 3));
      blamka_g(v);
#pragma unroll
      for (int k = 1; k < 4; ++k) v[k] = __shfl_sync(~0u, v[k], pass ? (l & ~3) | ((l - k) & 3) : (l * 4 + l / 8 + k) & 31);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      previous[k] = v[k] ^ r[k];
      mine[(size_t)c * 128 + k * 32 + l] = previous[k];
    }
    __syncwarp();
  }
}

// ---- genomes ----

// Local alignment in bytes, four columns an instruction, a query a thread against one profile in shared memory.
__global__ void align_bytes_simd(const u32* __restrict__ profile, const u8* __restrict__ db, u32* __restrict__ best, int n, int length, u32 open, u32 extend) {
  __shared__ u32 prof[4 * 16];
  if (threadIdx.x < 64) prof[threadIdx.x] = profile[threadIdx.x];
  __syncthreads();
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  u32 H[16], E[16], top = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) H[k] = E[k] = 0;
  for (int i = 0; i < length; ++i) {
    const int c = db[(size_t)i * n + t] & 3;
    u32 f = 0, diagonal = H[15] << 8;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      u32 h = __vsubus4(__vaddus4(diagonal, prof[c * 16 + k]), 0x04040404u);
      diagonal = H[k];
      h = __vmaxu4(h, __vmaxu4(E[k], f));
      top = __vmaxu4(top, h);
      H[k] = h;
      const u32 gap = __vsubus4(h, open);
      E[k] = __vmaxu4(__vsubus4(E[k], extend), gap);
      f = __vmaxu4(__vsubus4(f, extend), gap);
    }
  }
  top = __vmaxu4(top, top >> 16);
  best[t] = max(top & 255, top >> 8 & 255);
}

// Alignment by wavefronts: furthest points of diagonals, extended by words of 16 letters; a block of 64 a pair.
__global__ __launch_bounds__(64) void wavefront_distance(const u32* __restrict__ a, const u32* __restrict__ b, int* __restrict__ scores, int words, int limit) {
  __shared__ int front[2][130];
  const int pair = blockIdx.x, n = words * 16;
  const u32 *x = a + pair * words, *y = b + pair * words;
  auto sixteen = [&](const u32* s, int p) {
    const int w = p >> 4, r = (p & 15) * 2;
    return __funnelshift_r(s[w], w + 1 < words ? s[w + 1] : 0u, r);
  };
  for (int k = threadIdx.x; k < 260; k += 64) front[k / 130][k % 130] = -100000;
  __syncthreads();
  if (threadIdx.x == 0) front[1][65] = -1;
  __syncthreads();
  int s = 0;
  for (; s < limit; ++s) {
    const int *old = front[(s + 1) & 1];
    int* now = front[s & 1];
    bool done = false;
    for (int k = 65 - s + (int)threadIdx.x; k <= 65 + s; k += 64) {
      int p = max(max(old[k] + 1, old[k - 1] + 1), old[k + 1]);
      const int d = k - 65;
      if (p >= 0 && p - d >= 0) {
        while (p < n && p - d < n) {
          const u32 diff = sixteen(x, p) ^ sixteen(y, p - d);
          const int same = diff ? (__ffs(diff) - 1) >> 1 : 16;
          p += same;
          if (same < 16) break;
        }
        p = min(p, min(n, n + d));
        if (d == 0 && p >= n) done = true;
      }
      now[k] = p;
    }
    if (__syncthreads_or(done)) break;
  }
  if (threadIdx.x == 0) scores[pair] = s;
}

// Linkage of pairs of sites: genotypes as planes of bits, counts of common bits in tiles.
__global__ void linkage_r2(const uint2* __restrict__ planes, float* __restrict__ r2, int sites, int words) {
  __shared__ uint2 left[16][33], right[16][33];
  const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (blockIdx.x < blockIdx.y) return;
  int both = 0, hi_hi = 0, one = 0, two = 0;
  for (int w0 = 0; w0 < words; w0 += 32) {
    for (int t = threadIdx.y * 16 + threadIdx.x; t < 512; t += 256) {
      left[t / 32][t % 32] = planes[(size_t)(blockIdx.y * 16 + t / 32) * words + w0 + t % 32];
      right[t / 32][t % 32] = planes[(size_t)(blockIdx.x * 16 + t / 32) * words + w0 + t % 32];
    }
    __syncthreads();
#pragma unroll 8
    for (int w = 0; w < 32; ++w) {
      const uint2 a = left[threadIdx.y][w], b = right[threadIdx.x][w];
      both += __popc(a.x & b.x);
      hi_hi += __popc(a.y & b.y);
      one += __popc(a.x & b.y) + __popc(a.y & b.x);
      two += __popc(a.x | a.y) - __popc(b.x | b.y);
    }
    __syncthreads();
  }
  const float cov = both + 4.f * hi_hi + 2.f * one, var = 1.f + fabsf((float)two) + words * 8.f;
  r2[(size_t)i * sites + j] = cov * cov / (var * var);
}

// Likelihoods of a tree's node from its two children: four states, four categories, scaling by the exponent.
__global__ void prune_partials(const float4* __restrict__ left, const float4* __restrict__ right, const float4* __restrict__ pl, const float4* __restrict__ pr, float4* __restrict__ out, int* __restrict__ scale, int sites) {
  __shared__ float4 ml[16], mr[16];
  const int t = threadIdx.y * 4 + threadIdx.x;
  if (t < 16) ml[t] = pl[t], mr[t] = pr[t];
  __syncthreads();
  const int site = blockIdx.x * blockDim.y + threadIdx.y, cat = threadIdx.x;
  if (site >= sites) return;
  const float4 a = left[site * 4 + cat], b = right[site * 4 + cat];
  float r[4];
#pragma unroll
  for (int s = 0; s < 4; ++s) {
    const float4 m = ml[cat * 4 + s], k = mr[cat * 4 + s];
    r[s] = (m.x * a.x + m.y * a.y + m.z * a.z + m.w * a.w) * (k.x * b.x + k.y * b.y + k.z * b.z + k.w * b.w);
  }
  float most = fmaxf(fmaxf(r[0], r[1]), fmaxf(r[2], r[3]));
  const unsigned quad = 0xfu << ((threadIdx.y * 4 & 31) & ~3);
  most = fmaxf(most, __shfl_xor_sync(quad, most, 1));
  most = fmaxf(most, __shfl_xor_sync(quad, most, 2));
  const int e = most > 0.f ? ((__float_as_int(most) >> 23) & 255) - 127 : 0;
  const float f = __int_as_float((127 - e) << 23);
  out[site * 4 + cat] = make_float4(r[0] * f, r[1] * f, r[2] * f, r[3] * f);
  if (cat == 0) scale[site] += e;
}

// Seeds chained: each anchor looks back at up to 64 before it, a warp a read, lanes share the looking back.
__global__ void chain_anchors(const int2* __restrict__ anchors, const int* __restrict__ start, int* __restrict__ score, int* __restrict__ from, int reads) {
  const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (r >= reads) return;
  const int begin = start[r], end = start[r + 1];
  for (int i = begin; i < end; ++i) {
    const int2 a = anchors[i];
    int best = 15, who = -1;
    for (int k = 0; k < 2; ++k) {
      const int j = i - 1 - k * 32 - lane;
      if (j < begin) continue;
      const int2 p = anchors[j];
      const int dx = a.x - p.x, dy = a.y - p.y;
      if (dx <= 0 || dy <= 0 || dx > 5000 || dy > 5000) continue;
      const int gap = abs(dx - dy), match = min(min(dx, dy), 15);
      const int cost = gap ? (gap >> 6) + ((31 - __clz(gap)) >> 1) : 0;
      const int s = score[j] + match - cost;
      if (s > best) best = s, who = j;
    }
    const int most = __reduce_max_sync(~0u, best);
    const int at = __reduce_max_sync(~0u, best == most ? who : -1);
    if (lane == 0) score[i] = most, from[i] = at;
    __syncwarp();
  }
}

// ---- graphs ----

// Walks of the second order: the next neighbour by rejection, with a search among the last one's neighbours.
__global__ void biased_walks(const int* __restrict__ row, const int* __restrict__ col, int* __restrict__ walks, int n, int length, float inv_p, float inv_q, u32 seed) {
  const int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= n) return;
  u32 state = w * 2654435761u ^ seed;
  auto draw = [&] {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    return state;
  };
  int last = -1, at = w;
  const float most = fmaxf(1.f, fmaxf(inv_p, inv_q));
  for (int k = 0; k < length; ++k) {
    const int b = row[at], d = row[at + 1] - b;
    int next = at;
    for (int tries = 0; tries < 16; ++tries) {
      next = col[b + draw() % d];
      if (last < 0) break;
      float weight = inv_q;
      if (next == last)
        weight = inv_p;
      else {
        int lo = row[last], hi = row[last + 1];
        while (lo < hi) {
          const int mid = (lo + hi) >> 1;
          if (col[mid] < next)
            lo = mid + 1;
          else
            hi = mid;
        }
        if (lo < row[last + 1] && col[lo] == next) weight = 1.f;
      }
      if ((draw() >> 8) * 5.9604645e-8f * most <= weight) break;
    }
    walks[k * n + w] = next;
    last = at, at = next;
  }
}

// The label of most neighbours: sorted in a small local array, then runs counted.
__global__ void majority_labels(const int* row, const int* col, const int* label, int* next, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int seen[24];
  int d = 0;
  for (int e = row[v]; e < row[v + 1] && d < 24; e++) {
    int l = label[col[e]];
    int j = d++;
    while (j > 0 && seen[j - 1] > l) {
      seen[j] = seen[j - 1];
      j--;
    }
    seen[j] = l;
  }
  int best = label[v], most = 0;
  for (int i = 0; i < d;) {
    int j = i;
    while (j < d && seen[j] == seen[i]) j++;
    if (j - i > most) most = j - i, best = seen[i];
    i = j;
  }
  next[v] = best;
}

// Rank pushed along edges where the residue is large: who crosses the threshold joins the next list.
__global__ void push_residues(const int* __restrict__ row, const int* __restrict__ col, float* rank, float* residue, const int* __restrict__ list, int size, int* __restrict__ next, int* __restrict__ tail, float alpha, float eps) {
  const int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 3, lane = threadIdx.x & 7;
  float r = 0.f;
  int v = 0;
  if (w < size) {
    v = list[w];
    if (lane == 0) r = atomicExch(&residue[v], 0.f);
  }
  r = __shfl_sync(~0u, r, 0, 8);
  if (w >= size || r == 0.f) return;
  if (lane == 0) rank[v] += alpha * r;
  const int b = row[v], e = row[v + 1];
  const float share = (1.f - alpha) * r / (e - b);
  for (int k = b + lane; k < e; k += 8) {
    const int u = col[k];
    const float old = atomicAdd(&residue[u], share);
    if (old < eps && old + share >= eps) next[atomicAdd(tail, 1)] = u;
  }
}

// Proposals of a maximal matching: the heaviest free neighbour, agreed if both choose each other.
__global__ void match_heaviest(const int* __restrict__ row, const int* __restrict__ col, const unsigned short* __restrict__ weight, const int* __restrict__ mate, int* __restrict__ choice, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || mate[v] >= 0) return;
  u64 best = 0;
  for (int e = row[v]; e < row[v + 1]; ++e) {
    const int u = col[e];
    if (mate[u] >= 0 || u == v) continue;
    const u64 key = (u64)weight[e] << 48 | (u64)((u32)(u * 0x9e3779b9u) >> 16) << 32 | (u32)u;
    best = best > key ? best : key;
  }
  choice[v] = best ? (int)(u32)best : -1;
}

// Shortest ways between all pairs of small dense graphs: products of minima and sums in tiles of 32, four rows a thread.
__global__ __launch_bounds__(256) void min_plus_tiles(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ float sa[32][33], sb[32][32];
  const int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y;
  float m[4] = {1e30f, 1e30f, 1e30f, 1e30f};
  for (int k0 = 0; k0 < n; k0 += 32) {
#pragma unroll
    for (int r = 0; r < 4; ++r) sa[y + 8 * r][x] = a[(row + 8 * r) * n + k0 + x], sb[y + 8 * r][x] = b[(k0 + y + 8 * r) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      const float v = sb[k][x];
#pragma unroll
      for (int r = 0; r < 4; ++r) m[r] = fminf(m[r], sa[y + 8 * r][k] + v);
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) c[(row + 8 * r) * n + col] = m[r];
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const u32* words = on_device<u32>(8 * M, hashed);
  u32* ow = zeros<u32>(16 * M);
  const float* f = on_device<float>(4 * M, [](uint32_t i) { return std::sin(i * 0.01f) + 0.1f * fraction(i); });
  int* counters = zeros<int>(64);

  std::vector<int> offsets(401, 0);
  for (uint32_t s = 0; s < 400; ++s) offsets[s + 1] = offsets[s] + 500 + int(hashed(s) % 1500);
  int* unsorted = on_device<int>(offsets[400], [](uint32_t i) { return int(hashed(i) >> 1); });
  const int* offsets_d = on_device(offsets);
  run("shell_sort_segments", [&] { shell_sort_segments<<<400, 128, 8192>>>(unsorted, offsets_d, 400); });
  const int* keys = on_device<int>(2 * M, [](uint32_t i) { return int(hashed(i) % 1000); });
  int* tails = zeros<int>(24);  // three of each launch's own
  run("partition_three_ways", [&] { partition_three_ways<<<264, 256>>>(keys, (int*)ow + 8 * M, tails, 2000000, 450), tails += 3; });
  const int* order = on_device<int>(M, [](uint32_t i) { return int(i * 40503u & 0xfffff); });
  run("suffix_pair_keys", [&] { suffix_pair_keys<<<(M - 5 + 255) / 256, 256>>>(keys, order, (u64*)ow, (u8*)(ow + 4 * M), M - 5, 8); });
  const u32* probe = on_device<u32>(2 * M, [](uint32_t i) { return hashed(i) % 400000; });
  const unsigned short* displace = on_device<unsigned short>(65536, [](uint32_t i) { return (unsigned short)(hashed(i) % 900); });
  const uint2* slots = on_device<uint2>(524288, [](uint32_t i) { return make_uint2(i % 3 ? hashed(i) % 400000 : i, i); });
  run("join_perfect_hash", [&] { join_perfect_hash<<<528, 256>>>(probe, displace, slots, (u64*)(counters + 8), ow, 2 * M, 65536, 524287); });
  const int* dim = on_device<int>(4 * M, [](uint32_t i) { return int(hashed(i) % 65536); });
  const int* dates = on_device<int>(M, [](uint32_t i) { return int(hashed(i) % 2555); });
  const u32* bits = on_device<u32>(6144, [](uint32_t i) { return hashed(i) & hashed(i + 9) | (i > 4096 ? hashed(i + 3) : 0); });
  const u8* brand = on_device<u8>(65536, [](uint32_t i) { return u8(hashed(i) % 40); });
  run("star_join_revenue", [&] { star_join_revenue<<<(1000000 + 1023) / 1024, 256>>>(dim, dim + M, dim + 2 * M, dates, keys, bits, brand, (u64*)ow, 1000000); });
  const long long* money = on_device<long long>(2 * M, [](uint32_t i) { return (long long)hashed(i) * 1000003 % 999999999937ll - 400000000000ll; });
  const long long* discounts = on_device<long long>(2 * M, [](uint32_t i) { return (long long)(hashed(i) % 11) * 100; });
  run("decimal_product_sums", [&] { decimal_product_sums<<<264, 256>>>(money, discounts, (Wide*)ow, 1500000); });
  const u32* narrow = on_device<u32>(3000 * 1024, [](uint32_t i) { return 100000 + hashed(i) % (3u << hashed(i / 1024) % 20); });
  run("pack_frames", [&] { pack_frames<<<3000, 128>>>(narrow, ow, ow + 15 * M, 3000); });
  const u8 selector[32] = {240, 120, 60, 30, 20, 15, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 60};
  CHECK(cudaMemcpyToSymbol(c_selector, selector, 32));
  std::vector<u64> packed(200000);
  std::vector<int> places(200000);
  int place = 0;
  for (uint32_t i = 0; i < 200000; ++i) {
    const u32 s = hashed(i) % 40 == 0 ? hashed(i) % 3 : 4 + hashed(i + 1) % 11;
    packed[i] = (u64)s << 60 | ((u64)hashed(i) << 28 ^ hashed(i + 5)) >> 4;
    places[i] = place;
    place += selector[s];
  }
  const u64* packed_d = on_device(packed);
  const int* places_d = on_device(places);
  run("unpack_simple8b", [&] { unpack_simple8b<<<(200000 + 127) / 128, 128>>>(packed_d, places_d, ow, 200000); });
  constexpr int CONTAINERS = 700;
  std::vector<unsigned short> arrays(CONTAINERS * 4096);
  std::vector<int> sizes(CONTAINERS);
  for (uint32_t c = 0; c < CONTAINERS; ++c) {
    sizes[c] = 200 + int(hashed(c) % 3500);
    for (int i = 0; i < sizes[c]; ++i) arrays[c * 4096 + i] = (unsigned short)(i * (65536 / sizes[c]) + hashed(c * 4096 + uint32_t(i)) % 12);
  }
  const unsigned short* arrays_d = on_device(arrays);
  const int* sizes_d = on_device(sizes);
  run("intersect_containers", [&] { intersect_containers<<<(CONTAINERS + 3) / 4, 128>>>(arrays_d, sizes_d, (const u64*)words, (unsigned short*)ow, (int*)ow + 8 * M, CONTAINERS); });
  const u8* csv = on_device<u8>(8 * M, [](uint32_t i) { const u32 h = hashed(i) % 64; return u8(h == 0 ? '"' : h < 8 ? ',' : h == 8 ? '\n' : 97 + h % 26); });
  const u8* parity = on_device<u8>(2048, [](uint32_t i) { return u8(hashed(i) & 1); });
  run("field_starts", [&] { field_starts<<<2048, 256>>>(csv, parity, ow, (int*)ow + 8 * M, 8 * M - 16); });
  const unsigned short* first = on_device<unsigned short>(M, [](uint32_t i) { return (unsigned short)(hashed(i) % 9 == 0 ? 0x8000 | hashed(i + 1) % 256 : hashed(i) % 5000); });
  const unsigned short* second = on_device<unsigned short>(M, [](uint32_t i) { return (unsigned short)(hashed(i / 16) % 5000); });
  run("route_addresses", [&] { route_addresses<<<(1500000 + 255) / 256, 256>>>(words, first, second, (unsigned short*)ow, (u32*)counters, 1500000); });
  const u32* link = on_device<u32>(2 * M, [](uint32_t i) { return (i * 1664525u + 1013904223u & 2097151u) << 8 | (97 + hashed(i) % 26); });
  const u32* starts = on_device<u32>(16384, [](uint32_t i) { return hashed(i) & 2097151u; });
  run("inverse_bwt_walks", [&] { inverse_bwt_walks<<<128, 128>>>(link, starts, (u8*)ow, 16384, 128); });
  run("fixed_rate_blocks_16", [&] { fixed_rate_blocks<<<(500 * 400 / 2 + 7) / 8, dim3(32, 8)>>>(f, ow, 500, 400, 16); });
  run("lorenzo_quantize", [&] { lorenzo_quantize<<<dim3(6, 24, 10), dim3(32, 8)>>>(f, (unsigned short*)ow, (float*)ow + 4 * M, (int*)ow + 8 * M, counters + 20, 180, 190, 80, 300.f); });
  const u64* series = on_device<u64>(2 * M, [](uint32_t i) { const double v = 20 + 5 * std::sin((i >> 14) * 0.1 + (i & 16383)) ; u64 b; std::memcpy(&b, &v, 8); return b & ~0xffffull; });
  run("predict_doubles_fcm", [&] { predict_doubles_fcm<<<16384 / 128, 128>>>(series, (u8*)ow, (u64*)(ow + 4 * M), 16384, 100); });
  std::vector<u64> flags(8 * 40000);
  std::vector<u32> directory(40001, 0);
  for (uint32_t b = 0; b < 40000; ++b) {
    u32 ones = 0;
    for (uint32_t k = 0; k < 8; ++k) {
      flags[b * 8 + k] = (u64)hashed(b * 8 + k) << 32 & (u64)hashed(b + k * 77) << 32 | hashed(b * 8 + k + 99);
      ones += u32(__builtin_popcountll(flags[b * 8 + k]));
    }
    directory[b + 1] = directory[b] + ones;
  }
  const u64* flags_d = on_device(flags);
  const u32* directory_d = on_device(directory);
  std::vector<u32> ranks(400000);
  for (uint32_t i = 0; i < 400000; ++i) ranks[i] = hashed(i) % directory[40000];
  const u32* ranks_d = on_device(ranks);
  run("select_ones", [&] { select_ones<<<(400000 + 127) / 128, 128>>>(flags_d, directory_d, ranks_d, ow, 400000, 40000); });

  run("poly1305_messages", [&] { poly1305_messages<<<(65536 + 127) / 128, 128>>>((const uint4*)words, (const uint4*)words, (uint4*)ow, 65536, 32); });
  std::vector<int> string_at(200001, 0);
  for (uint32_t i = 0; i < 200000; ++i) string_at[i + 1] = string_at[i] + 4 + int(hashed(i) % 60);
  const int* string_d = on_device(string_at);
  run("murmur3_128_keys", [&] { murmur3_128_keys<<<(200000 + 127) / 128, 128>>>((const u8*)words, string_d, (ulonglong2*)ow, 200000, 42); });
  std::vector<u32> round_keys(32);
  for (uint32_t i = 0; i < 32; ++i) round_keys[i] = hashed(i + 5);
  CHECK(cudaMemcpyToSymbol(c_round_keys, round_keys.data(), 128));
  const u8* sbox = on_device<u8>(256, [](uint32_t i) { return u8(i * 167 + 13); });
  run("sm4_counter", [&] { sm4_counter<<<528, 256>>>(sbox, (const uint4*)words, (uint4*)ow, 1000000, 3u); });
  run("ascon_encrypt", [&] { ascon_encrypt<<<(60000 + 63) / 64, 64>>>((const ulonglong2*)words, (ulonglong2*)ow, (ulonglong2*)(ow + 8 * M), 60000, 30, 0x0011223344556677ull, 0x8899aabbccddeeffull); });
  u64* memory = on_device<u64>(528 * 24 * 128, [](uint32_t i) { return (u64)hashed(i) << 32 | hashed(i + 1); });
  run("argon2_fill", [&] { argon2_fill<<<528 / 4, 128>>>(memory, 528, 24, 3, 24); });

  const u32* profile = on_device<u32>(64, [](uint32_t i) { return hashed(i) & 0x0f0f0f0f; });
  run("align_bytes_simd", [&] { align_bytes_simd<<<(60000 + 127) / 128, 128>>>(profile, (const u8*)words, ow, 60000, 150, 0x0a0a0a0au, 0x01010101u); });
  std::vector<u32> read_a(8000 * 20), read_b(8000 * 20);
  for (uint32_t p = 0; p < 8000; ++p)
    for (uint32_t w = 0; w < 20; ++w) {
      read_a[p * 20 + w] = hashed(p * 20 + w);
      read_b[p * 20 + w] = read_a[p * 20 + w] ^ (hashed(p * 31 + w) % 4 == 0 ? 1u << hashed(p + w) % 32 : 0u);
    }
  const u32 *read_a_d = on_device(read_a), *read_b_d = on_device(read_b);
  run("wavefront_distance", [&] { wavefront_distance<<<8000, 64>>>(read_a_d, read_b_d, (int*)ow, 20, 60); });
  run("linkage_r2", [&] { linkage_r2<<<dim3(48, 48), dim3(16, 16)>>>((const uint2*)words, (float*)ow, 768, 128); });
  const float4* partials = on_device<float4>(2 * M, [](uint32_t i) { return make_float4(0.1f + fraction(i), 0.1f + fraction(i + 1), 0.2f, 0.3f * fraction(i + 2)); });
  run("prune_partials", [&] { prune_partials<<<200000 / 64, dim3(4, 64)>>>(partials, partials + M, partials, partials + 16, (float4*)ow, (int*)ow + 8 * M, 200000); });
  std::vector<int> chain_start(1, 0);
  std::vector<int2> anchors;
  for (uint32_t r = 0; r < 3000; ++r) {
    int x = 0, y = 0;
    for (uint32_t k = 0; k < 40 + hashed(r) % 60; ++k) {
      x += 5 + int(hashed(r * 131 + k) % 60), y += 5 + int(hashed(r * 137 + k) % 60);
      anchors.push_back(make_int2(x, y));
    }
    chain_start.push_back(int(anchors.size()));
  }
  const int* chain_d = on_device(chain_start);
  const int2* anchors_d = on_device(anchors);
  run("chain_anchors", [&] { chain_anchors<<<3000 / 4, 128>>>(anchors_d, chain_d, (int*)ow, (int*)ow + M, 3000); });

  constexpr int V = 80000;
  std::vector<int> row(V + 1, 0), col;
  for (uint32_t v = 0; v < V; ++v) {
    const u32 degree = 3 + hashed(v) % 14 + (hashed(v) % 307 == 0 ? 120 : 0);
    std::set<int> neighbours;
    for (uint32_t k = 0; k < degree; ++k) neighbours.insert(int(k % 2 ? (v + 1 + hashed(v * 97 + k) % 700) % V : hashed(v * 89 + k) % V));
    col.insert(col.end(), neighbours.begin(), neighbours.end());
    row[v + 1] = int(col.size());
  }
  const int *row_d = on_device(row), *col_d = on_device(col);
  run("biased_walks", [&] { biased_walks<<<(40000 + 127) / 128, 128>>>(row_d, col_d, (int*)ow, 40000, 12, 2.f, 0.5f, 5u); });
  const int* labels = on_device<int>(V, [](uint32_t i) { return int(i / 50 + hashed(i) % 3); });
  run("majority_labels", [&] { majority_labels<<<(V + 127) / 128, 128>>>(row_d, col_d, labels, (int*)ow, V); });
  std::vector<int> list;
  for (int v = 0; v < V; v += 2) list.push_back(v);
  const int* list_d = on_device(list);
  float* residue = on_device<float>(V, [](uint32_t i) { return 0.01f * fraction(i); });
  run("push_residues", [&] { push_residues<<<(V / 2 * 8 + 255) / 256, 256>>>(row_d, col_d, (float*)ow, residue, list_d, V / 2, (int*)ow + M, counters + 30, 0.15f, 0.004f); });
  const unsigned short* weights = on_device<unsigned short>(col.size(), [](uint32_t i) { return (unsigned short)hashed(i); });
  const int* mates = on_device<int>(V, [](uint32_t i) { return hashed(i) % 3 ? -1 : 1; });
  run("match_heaviest", [&] { match_heaviest<<<(V + 255) / 256, 256>>>(row_d, col_d, weights, mates, (int*)ow, V); });
  run("min_plus_tiles", [&] { min_plus_tiles<<<dim3(24, 24), dim3(32, 8)>>>(f, f + M, (float*)ow, 768); });
  return 0;
}
