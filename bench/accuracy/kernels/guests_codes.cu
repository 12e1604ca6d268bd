// Kernels on bytes, words and strings in the forms of public repositories: ciphers, digests, alignment, automata, long integers.
#include "cases.h"

typedef unsigned long long ull;

// A candidate of a search for an MD5 digest a thread.
#define F(x, y, z) ((x & y) | (~x & z))
#define G(x, y, z) ((x & z) | (y & ~z))
#define H(x, y, z) (x ^ y ^ z)
#define I(x, y, z) (y ^ (x | ~z))
__constant__ uint32_t md5_k[64];
__constant__ int md5_r[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
__device__ __forceinline__ uint32_t rotl(uint32_t x, int n) { return (x << n) | (x >> (32 - n)); }
__global__ void md5_search(uint32_t first, uint32_t target, uint32_t* found, uint4* digests) {
  const uint32_t id = blockIdx.x * blockDim.x + threadIdx.x, candidate = first + id;
  uint32_t w[16] = {0};
  for (int i = 0; i < 8; i++) {
    uint32_t digit = (candidate >> (28 - 4 * i)) & 15, c = digit < 10 ? '0' + digit : 'a' + digit - 10;
    w[i / 4] |= c << (8 * (i % 4));
  }
  w[2] = 0x80;
  w[14] = 64;
  uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
#pragma unroll
  for (int i = 0; i < 64; i++) {
    uint32_t f;
    int g;
    if (i < 16)
      f = F(b, c, d), g = i;
    else if (i < 32)
      f = G(b, c, d), g = (5 * i + 1) % 16;
    else if (i < 48)
      f = H(b, c, d), g = (3 * i + 5) % 16;
    else
      f = I(b, c, d), g = (7 * i) % 16;
    uint32_t t = d;
    d = c;
    c = b;
    b = b + rotl(a + f + md5_k[i] + w[g], md5_r[i / 16 * 4 + i % 4]);
    a = t;
  }
  a += 0x67452301, b += 0xefcdab89, c += 0x98badcfe, d += 0x10325476;
  if (a == target) *found = candidate;
  digests[id & 0xffff] = make_uint4(a, b, c, d);
}

// AES-128, counter mode: four tables in shared memory, ten rounds.
__global__ void aes_tables(const uint4* __restrict__ in, uint4* __restrict__ out, const uint32_t* __restrict__ tables,
                           const uint32_t* __restrict__ round_keys, int n) {
  __shared__ uint32_t t0[256], t1[256], t2[256], t3[256], rk[44];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) t0[i] = tables[i], t1[i] = tables[256 + i], t2[i] = tables[512 + i], t3[i] = tables[768 + i];
  if (threadIdx.x < 44) rk[threadIdx.x] = round_keys[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t s0 = i ^ rk[0], s1 = 77 ^ rk[1], s2 = 99 ^ rk[2], s3 = rk[3], u0, u1, u2, u3;
  for (int r = 1; r < 10; r++) {
    u0 = t0[s0 >> 24] ^ t1[(s1 >> 16) & 0xff] ^ t2[(s2 >> 8) & 0xff] ^ t3[s3 & 0xff] ^ rk[4 * r];
    u1 = t0[s1 >> 24] ^ t1[(s2 >> 16) & 0xff] ^ t2[(s3 >> 8) & 0xff] ^ t3[s0 & 0xff] ^ rk[4 * r + 1];
    u2 = t0[s2 >> 24] ^ t1[(s3 >> 16) & 0xff] ^ t2[(s0 >> 8) & 0xff] ^ t3[s1 & 0xff] ^ rk[4 * r + 2];
    u3 = t0[s3 >> 24] ^ t1[(s0 >> 16) & 0xff] ^ t2[(s1 >> 8) & 0xff] ^ t3[s2 & 0xff] ^ rk[4 * r + 3];
    s0 = u0, s1 = u1, s2 = u2, s3 = u3;
  }
  uint4 v = in[i];
  v.x ^= (t2[s0 >> 24] & 0xff000000) ^ (t3[(s1 >> 16) & 0xff] & 0x00ff0000) ^ (t0[(s2 >> 8) & 0xff] & 0x0000ff00) ^ (t1[s3 & 0xff] & 0xff) ^ rk[40];
  v.y ^= (t2[s1 >> 24] & 0xff000000) ^ (t3[(s2 >> 16) & 0xff] & 0x00ff0000) ^ (t0[(s3 >> 8) & 0xff] & 0x0000ff00) ^ (t1[s0 & 0xff] & 0xff) ^ rk[41];
  v.z ^= (t2[s2 >> 24] & 0xff000000) ^ (t3[(s3 >> 16) & 0xff] & 0x00ff0000) ^ (t0[(s0 >> 8) & 0xff] & 0x0000ff00) ^ (t1[s1 & 0xff] & 0xff) ^ rk[42];
  v.w ^= (t2[s3 >> 24] & 0xff000000) ^ (t3[(s0 >> 16) & 0xff] & 0x00ff0000) ^ (t0[(s1 >> 8) & 0xff] & 0x0000ff00) ^ (t1[s2 & 0xff] & 0xff) ^ rk[43];
  out[i] = v;
}

// CRC-32 of a record a thread, byte by byte, the table in constant memory.
__constant__ uint32_t crc_table[256];
__global__ void crc32_records(const unsigned char* data, uint32_t* crcs, int length, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const unsigned char* p = data + (size_t)id * length;
  uint32_t crc = 0xffffffff;
  for (int i = 0; i < length; i++) crc = crc_table[(crc ^ p[i]) & 0xff] ^ (crc >> 8);
  crcs[id] = ~crc;
}

// Keccak-f[1600], the state in registers.
__constant__ ull keccak_rc[24];
#define ROTL64(x, n) (((x) << (n)) | ((x) >> (64 - (n))))
__global__ void keccak_f(const ull* __restrict__ in, ull* __restrict__ out, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const int rot[24] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44};
  const int pil[24] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};
  ull st[25], bc[5], t;
#pragma unroll
  for (int i = 0; i < 25; i++) st[i] = i < 17 ? in[i * n + id] : 0;
#pragma unroll 1
  for (int r = 0; r < 24; r++) {
#pragma unroll
    for (int i = 0; i < 5; i++) bc[i] = st[i] ^ st[i + 5] ^ st[i + 10] ^ st[i + 15] ^ st[i + 20];
#pragma unroll
    for (int i = 0; i < 5; i++) {
      t = bc[(i + 4) % 5] ^ ROTL64(bc[(i + 1) % 5], 1);
#pragma unroll
      for (int j = 0; j < 25; j += 5) st[j + i] ^= t;
    }
    t = st[1];
#pragma unroll
    for (int i = 0; i < 24; i++) {
      int j = pil[i];
      bc[0] = st[j];
      st[j] = ROTL64(t, rot[i]);
      t = bc[0];
    }
#pragma unroll
    for (int j = 0; j < 25; j += 5) {
#pragma unroll
      for (int i = 0; i < 5; i++) bc[i] = st[j + i];
#pragma unroll
      for (int i = 0; i < 5; i++) st[j + i] ^= (~bc[(i + 1) % 5]) & bc[(i + 2) % 5];
    }
    st[0] ^= keccak_rc[r];
  }
  for (int i = 0; i < 4; i++) out[i * n + id] = st[i];
}

// Rodinia's Needleman-Wunsch: blocks of an anti-diagonal, the wave front in shared memory.
__device__ __host__ int maximum(int a, int b, int c) {
  int k = a <= b ? b : a;
  return k <= c ? c : k;
}
__global__ void needle_shared_1(int* referrence, int* matrix_cuda, int cols, int penalty, int i, int block_width) {
  int bx = blockIdx.x, tx = threadIdx.x, b_index_x = bx, b_index_y = i - 1 - bx;
  int index = cols * 16 * b_index_y + 16 * b_index_x + tx + (cols + 1);
  int index_n = cols * 16 * b_index_y + 16 * b_index_x + tx + 1;
  int index_w = cols * 16 * b_index_y + 16 * b_index_x + cols, index_nw = cols * 16 * b_index_y + 16 * b_index_x;
  __shared__ int temp[17][17];
  __shared__ int ref[16][16];
  if (tx == 0) temp[tx][0] = matrix_cuda[index_nw];
  for (int ty = 0; ty < 16; ty++) ref[ty][tx] = referrence[index + cols * ty];
  __syncthreads();
  temp[tx + 1][0] = matrix_cuda[index_w + cols * tx];
  __syncthreads();
  temp[0][tx + 1] = matrix_cuda[index_n];
  __syncthreads();
  for (int m = 0; m < 16; m++) {
    if (tx <= m) {
      int t_index_x = tx + 1, t_index_y = m - tx + 1;
      temp[t_index_y][t_index_x] = maximum(temp[t_index_y - 1][t_index_x - 1] + ref[t_index_y - 1][t_index_x - 1],
                                           temp[t_index_y][t_index_x - 1] - penalty, temp[t_index_y - 1][t_index_x] - penalty);
    }
    __syncthreads();
  }
  for (int m = 14; m >= 0; m--) {
    if (tx <= m) {
      int t_index_x = tx + 16 - m, t_index_y = 16 - tx;
      temp[t_index_y][t_index_x] = maximum(temp[t_index_y - 1][t_index_x - 1] + ref[t_index_y - 1][t_index_x - 1],
                                           temp[t_index_y][t_index_x - 1] - penalty, temp[t_index_y - 1][t_index_x] - penalty);
    }
    __syncthreads();
  }
  for (int ty = 0; ty < 16; ty++) matrix_cuda[index + ty * cols] = temp[ty + 1][tx + 1];
}

// The distance of two strings of 32 characters a thread; a row in local memory.
__global__ void levenshtein(const char* __restrict__ a, const char* __restrict__ b, int* __restrict__ result, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  const char *s = a + id * 32, *t = b + id * 32;
  int row[33];
  for (int j = 0; j <= 32; j++) row[j] = j;
  for (int i = 1; i <= 32; i++) {
    int diag = row[0];
    row[0] = i;
    for (int j = 1; j <= 32; j++) {
      int up = row[j], cost = s[i - 1] == t[j - 1] ? 0 : 1;
      row[j] = min(min(up + 1, row[j - 1] + 1), diag + cost);
      diag = up;
    }
  }
  result[id] = row[32];
}

// A deterministic automaton over chunks of a text; chunks overlap by the longest word.
__global__ void dfa_match(const unsigned char* __restrict__ text, const short* __restrict__ table, int* matches, int chunk, int overlap, int n) {
  int start = (blockIdx.x * blockDim.x + threadIdx.x) * chunk, state = 0, count = 0;
  if (start >= n) return;
  int end = min(start + chunk + overlap, n);
  for (int i = start; i < end; i++) {
    state = table[state * 256 + text[i]];
    if (state >= 48 && i - start >= overlap) count++;
  }
  if (count) atomicAdd(matches, count);
}

// Powers modulo a 64-bit number by adding and doubling: Miller and Rabin's test.
__device__ ull mulmod(ull a, ull b, ull m) {
  ull hi = __umul64hi(a, b), lo = a * b;
  if (hi == 0) return lo % m;
  ull r = 0;
  for (a %= m; b; b >>= 1) {
    if (b & 1) r = r >= m - a ? r - (m - a) : r + a;
    a = a >= m - a ? a - (m - a) : a + a;
  }
  return r;
}
__global__ void miller_rabin(ull first, unsigned char* prime, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  ull v = first + 2 * id, d = v - 1;
  int s = 0;
  while (!(d & 1)) d >>= 1, s++;
  ull x = 1, base = 2;
  for (ull e = d; e; e >>= 1) {
    if (e & 1) x = mulmod(x, base, v);
    base = mulmod(base, base, v);
  }
  bool ok = x == 1 || x == v - 1;
  for (int i = 1; i < s && !ok; i++) {
    x = mulmod(x, x, v);
    ok = x == v - 1;
  }
  prime[id] = ok;
}

// Life with 64 cells a word.
__global__ void life_bits(const ull* in, ull* out, int words, int rows) {
  size_t tid = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  for (size_t i = tid; i < (size_t)words * rows; i += (size_t)blockDim.x * gridDim.x) {
    int x = i % words, y = i / words, l = (x + words - 1) % words, r = (x + 1) % words;
    ull s0 = 0, s1 = 0, s2 = 0;
    for (int dy = -1; dy <= 1; dy++) {
      const ull* row = in + (size_t)((y + dy + rows) % rows) * words;
      ull c = row[x], left = (c << 1) | (row[l] >> 63), right = (c >> 1) | (row[r] << 63);
      ull part[3] = {left, right, dy ? c : 0};
      for (int k = 0; k < 3; k++) {
        ull carry = s0 & part[k];
        s0 ^= part[k];
        s2 |= s1 & carry;
        s1 ^= carry;
      }
    }
    out[i] = ~s2 & s1 & (s0 | in[i]);
  }
}

// Sums of 256 bits with carries; the nearest code by Hamming distance; lengths of numbers in seven bits a byte.
__global__ void add_256(const uint32_t* __restrict__ a, const uint32_t* __restrict__ b, uint32_t* __restrict__ c, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  ull carry = 0;
  for (int i = 0; i < 8; i++) {
    carry += (ull)a[id * 8 + i] + b[id * 8 + i];
    c[id * 8 + i] = (uint32_t)carry;
    carry >>= 32;
  }
}
__global__ void hamming_nearest(const ull* __restrict__ queries, const ull* __restrict__ base, int* __restrict__ best, int nq, int nb) {
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= nq) return;
  ull q0 = queries[4 * q], q1 = queries[4 * q + 1], q2 = queries[4 * q + 2], q3 = queries[4 * q + 3];
  int least = 257, at = -1;
  for (int i = 0; i < nb; i++) {
    int d = __popcll(q0 ^ base[4 * i]) + __popcll(q1 ^ base[4 * i + 1]) + __popcll(q2 ^ base[4 * i + 2]) + __popcll(q3 ^ base[4 * i + 3]);
    if (d < least) least = d, at = i;
  }
  best[q] = at;
}
__global__ void varint_lengths(const uint32_t* __restrict__ in, unsigned char* __restrict__ lengths, unsigned int* total, int n) {
  __shared__ unsigned int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) {
    uint32_t v = in[id] >> (in[id] & 31);
    unsigned char length = 1;
    while (v >= 0x80) v >>= 7, length++;
    lengths[id] = length;
    atomicAdd(&sum, length);
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(total, sum);
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const size_t most = 1 << 22;
  uint32_t* bits = on_device<uint32_t>(most, hashed);
  uint32_t* more = zeros<uint32_t>(most);
  uint32_t* count = zeros<uint32_t>(8);
  std::vector<uint32_t> words(1024);
  for (uint32_t i = 0; i < 1024; ++i) words[i] = hashed(i + 31u);
  CHECK(cudaMemcpyToSymbol(md5_k, words.data(), 256));
  CHECK(cudaMemcpyToSymbol(crc_table, words.data(), 1024));
  CHECK(cudaMemcpyToSymbol(keccak_rc, words.data(), 192));
  unsigned char* letters = on_device<unsigned char>(1 << 21, [](uint32_t i) { return (unsigned char)('a' + hashed(i) % 4u); });

  for (int n : {132, 2048}) run(sized("md5_search", n), [&] { md5_search<<<n, 256>>>(0x1000, 0x12345678, count, (uint4*)more); });
  run("aes_tables", [&] { aes_tables<<<1024, 256>>>((uint4*)bits, (uint4*)more, bits, bits + 4096, 1 << 18); });
  run("crc32_records_64", [&] { crc32_records<<<256, 128>>>((unsigned char*)bits, more, 64, 1 << 15); });
  run("crc32_records_1500", [&] { crc32_records<<<40, 64>>>((unsigned char*)bits, more, 1500, 2500); });
  run("keccak_f", [&] { keccak_f<<<512, 128>>>((ull*)bits, (ull*)more, 1 << 16); });
  int* reference = on_device<int>(1537 * 1537, [](uint32_t i) { return int(hashed(i) % 20u) - 10; });
  for (int n : {8, 96}) run(sized("needle_shared_1", n), [&] { needle_shared_1<<<n, 16>>>(reference, (int*)more, 1537, 10, n, n); });
  run("levenshtein", [&] { levenshtein<<<128, 128>>>((char*)letters, (char*)letters + 5000, (int*)more, 16384); });
  short* table = on_device<short>(64 * 256, [](uint32_t i) { return short(hashed(i) % 64u); });
  run("dfa_match", [&] { dfa_match<<<128, 128>>>(letters, table, (int*)count, 64, 8, 1 << 20); });
  run("miller_rabin_small", [&] { miller_rabin<<<64, 128>>>(1000001ull, (unsigned char*)more, 8192); });
  run("miller_rabin_large", [&] { miller_rabin<<<8, 64>>>(100000000003ull, (unsigned char*)more, 512); });
  run("life_bits", [&] { life_bits<<<256, 256>>>((ull*)bits, (ull*)more, 64, 8192); });
  run("add_256", [&] { add_256<<<1024, 256>>>(bits, bits + 77, more, 1 << 18); });
  run("hamming_nearest", [&] { hamming_nearest<<<128, 64>>>((ull*)bits, (ull*)bits + 4096, (int*)more, 8192, 1024); });
  run("varint_lengths", [&] { varint_lengths<<<2048, 256>>>(bits, (unsigned char*)more, count, 1 << 19); });
  return 0;
}
