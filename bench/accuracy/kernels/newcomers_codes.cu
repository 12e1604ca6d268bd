// Kernels of codes and integers in forms that no other file here has: hashes of 32 and 64 bits, a cipher with state in shared memory, fields of primes, noise, prefix codes.
#include "cases.h"

__constant__ unsigned k256[64];
__device__ __forceinline__ unsigned rotr(unsigned x, int n) { return __funnelshift_r(x, x, n); }
// Double SHA-256 of a header that differs in one word a thread.
__global__ void sha256_double(const unsigned* head, unsigned* out, int rounds) {
  const unsigned nonce = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned best = ~0u;
  for (int r = 0; r < rounds; ++r) {
    unsigned w[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) w[i] = head[i];
    w[3] = nonce * rounds + r;
    unsigned h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], hh = h[7];
#pragma unroll
    for (int i = 0; i < 64; ++i) {
      if (i >= 16) {
        const unsigned x = w[(i + 1) & 15], y = w[(i + 14) & 15];
        w[i & 15] += (rotr(x, 7) ^ rotr(x, 18) ^ x >> 3) + w[(i + 9) & 15] + (rotr(y, 17) ^ rotr(y, 19) ^ y >> 10);
      }
      const unsigned t1 = hh + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + k256[i] + w[i & 15];
      const unsigned t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      hh = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    best = min(best, a + h[0]);
  }
  out[nonce] = best;
}

__constant__ unsigned char sigma[12][16];
__device__ __forceinline__ unsigned long long rotr64(unsigned long long x, int n) { return x >> n | x << (64 - n); }
__global__ void blake2b_rows(const unsigned long long* in, unsigned long long* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long m[16], v[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) m[k] = in[k * n + i], v[k] = 0x6a09e667f3bcc908ull * (k + 1);
#define MIX(a, b, c, d, x, y)     \
  v[a] += v[b] + (x);             \
  v[d] = rotr64(v[d] ^ v[a], 32); \
  v[c] += v[d];                   \
  v[b] = rotr64(v[b] ^ v[c], 24); \
  v[a] += v[b] + (y);             \
  v[d] = rotr64(v[d] ^ v[a], 16); \
  v[c] += v[d];                   \
  v[b] = rotr64(v[b] ^ v[c], 63);
#pragma unroll
  for (int r = 0; r < 12; ++r) {
    const int s = r * 5 % 16;
    MIX(0, 4, 8, 12, m[s], m[(s + 1) % 16])
    MIX(1, 5, 9, 13, m[(s + 2) % 16], m[(s + 3) % 16])
    MIX(2, 6, 10, 14, m[(s + 4) % 16], m[(s + 5) % 16])
    MIX(3, 7, 11, 15, m[(s + 6) % 16], m[(s + 7) % 16])
    MIX(0, 5, 10, 15, m[(s + 8) % 16], m[(s + 9) % 16])
    MIX(1, 6, 11, 12, m[(s + 10) % 16], m[(s + 11) % 16])
    MIX(2, 7, 8, 13, m[(s + 12) % 16], m[(s + 13) % 16])
    MIX(3, 4, 9, 14, m[(s + 14) % 16], m[(s + 15) % 16])
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) out[k * n + i] = v[k] ^ v[k + 8];
}

__global__ void xxhash64_rows(const unsigned long long* data, unsigned long long* out, int words) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned long long p1 = 11400714785074694791ull, p2 = 14029467366897019727ull, p3 = 1609587929392839161ull;
  unsigned long long a = p1 + p2, b = p2, c = 0, d = 0 - p1;
  const unsigned long long* row = data + (size_t)i * words;
  for (int k = 0; k < words; k += 4) {
    a = rotr64(a + row[k] * p2, 33) * p1;
    b = rotr64(b + row[k + 1] * p2, 33) * p1;
    c = rotr64(c + row[k + 2] * p2, 33) * p1;
    d = rotr64(d + row[k + 3] * p2, 33) * p1;
  }
  unsigned long long h = rotr64(a, 63) + rotr64(b, 57) + rotr64(c, 52) + rotr64(d, 46);
  h ^= h >> 33, h *= p2, h ^= h >> 29, h *= p3, h ^= h >> 32;
  out[i] = h;
}

// A byte cipher whose 256 bytes of state lie in shared memory, a state a thread.
__global__ void rc4_shared(const unsigned char* keys, unsigned char* out, int length) {
  extern __shared__ unsigned char state[];
  unsigned char* s = state + threadIdx.x * 260;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 256; ++k) s[k] = (unsigned char)k;
  int j = 0;
  for (int k = 0; k < 256; ++k) {
    j = (j + s[k] + keys[i * 16 + k % 16]) & 255;
    const unsigned char t = s[k];
    s[k] = s[j], s[j] = t;
  }
  int x = 0, y = 0;
  for (int k = 0; k < length; ++k) {
    x = (x + 1) & 255;
    y = (y + s[x]) & 255;
    const unsigned char t = s[x];
    s[x] = s[y], s[y] = t;
    out[(size_t)k * gridDim.x * blockDim.x + i] = s[(s[x] + s[y]) & 255];
  }
}

// Products in a field of 2^255 - 19, ten limbs of 25 and 26 bits.
__global__ void field25519_square(const int* in, int* out, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int f[10];
#pragma unroll
  for (int k = 0; k < 10; ++k) f[k] = in[k * n + i] & 0x1ffffff;
  for (int r = 0; r < rounds; ++r) {
    long long h[10] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
#pragma unroll
    for (int a = 0; a < 10; ++a)
#pragma unroll
      for (int b = 0; b < 10; ++b) {
        const int twice = (a & 1) && (b & 1) ? 2 : 1, wrap = a + b >= 10 ? 19 : 1;
        h[(a + b) % 10] += (long long)(f[a] * twice) * (f[b] * wrap);
      }
    long long carry = 0;
#pragma unroll
    for (int k = 0; k < 10; ++k) {
      h[k] += carry;
      const int bits = k & 1 ? 25 : 26;
      carry = h[k] >> bits;
      f[k] = int(h[k] - (carry << bits));
    }
    f[0] += int(carry) * 19 & 0xffffff;
  }
#pragma unroll
  for (int k = 0; k < 10; ++k) out[k * n + i] = f[k];
}

// Montgomery products of 256 bits, eight limbs, with carries by 64-bit sums.
__global__ void montgomery_256(const unsigned* a, const unsigned* b, unsigned* out, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x[8], y[8];
  const unsigned p[8] = {0xd87cfd47, 0x3c208c16, 0x6871ca8d, 0x97816a91, 0x8181585d, 0xb85045b6, 0xe131a029, 0x30644e72};
#pragma unroll
  for (int k = 0; k < 8; ++k) x[k] = a[k * n + i], y[k] = b[k * n + i];
  x[7] &= 0xfffffff, y[7] &= 0xfffffff;
  for (int r = 0; r < rounds; ++r) {
    unsigned t[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      unsigned long long c = 0;
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        c += (unsigned long long)x[k] * y[j] + t[k];
        t[k] = unsigned(c), c >>= 32;
      }
      const unsigned long long top = t[8] + c;
      const unsigned m = t[0] * 0xe4866389u;
      c = (unsigned long long)m * p[0] + t[0];
      c >>= 32;
#pragma unroll
      for (int k = 1; k < 8; ++k) {
        c += (unsigned long long)m * p[k] + t[k];
        t[k - 1] = unsigned(c), c >>= 32;
      }
      c += top;
      t[7] = unsigned(c), t[8] = unsigned(c >> 32);
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) x[k] = t[k];
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) out[k * n + i] = x[k];
}

__constant__ unsigned char perm[512];
__device__ float grad(int h, float x, float y, float z) {
  h &= 15;
  const float u = h < 8 ? x : y, v = h < 4 ? y : h == 12 || h == 14 ? x : z;
  return ((h & 1) ? -u : u) + ((h & 2) ? -v : v);
}
__device__ float fade(float t) { return t * t * t * (t * (t * 6 - 15) + 10); }
// Four octaves of noise over a volume's slice.
__global__ void perlin_octaves(float* out, int w, float z, float scale) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0, amp = 1, x = px * scale, y = py * scale;
  for (int o = 0; o < 4; ++o) {
    const int ix = int(floorf(x)) & 255, iy = int(floorf(y)) & 255, iz = int(floorf(z)) & 255;
    const float fx = x - floorf(x), fy = y - floorf(y), fz = z - floorf(z), u = fade(fx), v = fade(fy), w2 = fade(fz);
    const int a = perm[ix] + iy, aa = perm[a & 255] + iz, ab = perm[(a + 1) & 255] + iz, b = perm[(ix + 1) & 255] + iy, ba = perm[b & 255] + iz, bb = perm[(b + 1) & 255] + iz;
    const float x00 = grad(perm[aa & 511], fx, fy, fz), x10 = grad(perm[ba & 511], fx - 1, fy, fz), x01 = grad(perm[ab & 511], fx, fy - 1, fz), x11 = grad(perm[bb & 511], fx - 1, fy - 1, fz);
    const float y00 = grad(perm[(aa + 1) & 511], fx, fy, fz - 1), y10 = grad(perm[(ba + 1) & 511], fx - 1, fy, fz - 1), y01 = grad(perm[(ab + 1) & 511], fx, fy - 1, fz - 1), y11 = grad(perm[(bb + 1) & 511], fx - 1, fy - 1, fz - 1);
    const float l0 = x00 + u * (x10 - x00), l1 = x01 + u * (x11 - x01), h0 = y00 + u * (y10 - y00), h1 = y01 + u * (y11 - y01);
    const float lo = l0 + v * (l1 - l0), hi = h0 + v * (h1 - h0);
    sum += amp * (lo + w2 * (hi - lo));
    amp *= 0.5f, x *= 2, y *= 2, z *= 2;
  }
  out[py * w + px] = sum;
}

// Bits of a prefix code: lengths and codes from shared tables, each thread packs 32 symbols.
__global__ void prefix_encode(const unsigned char* in, const unsigned* codes, unsigned* out, unsigned char* lengths, int n) {
  __shared__ unsigned table[256];
  if (threadIdx.x < 256) table[threadIdx.x] = codes[threadIdx.x];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i * 32 >= n) return;
  unsigned long long acc = 0;
  int bits = 0, words = 0;
  for (int k = 0; k < 32; ++k) {
    const unsigned c = table[in[i * 32 + k]], len = c >> 27;
    acc = acc << len | (c & 0x7ffffff);
    bits += len;
    if (bits >= 32) {
      bits -= 32;
      out[i * 16 + words++] = unsigned(acc >> bits);
    }
  }
  if (bits > 0) out[i * 16 + words] = unsigned(acc << (32 - bits));
  lengths[i] = (unsigned char)(words * 32 + bits > 255 ? 255 : words * 32 + bits);
}

// Parity bytes of Reed and Solomon by tables of logarithms in shared memory.
__global__ void reed_solomon(const unsigned char* data, const unsigned char* tables, unsigned char* parity, int rows, int n) {
  __shared__ unsigned char logs[256], exps[512];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) logs[k] = tables[k];
  for (int k = threadIdx.x; k < 512; k += blockDim.x) exps[k] = tables[256 + k];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int p = 0; p < 4; ++p) {
    unsigned acc = 0;
    for (int r = 0; r < rows; ++r) {
      const unsigned v = data[r * n + i];
      if (v != 0) acc ^= exps[logs[v] + (r * p) % 255];
    }
    parity[p * n + i] = (unsigned char)acc;
  }
}

// Digits of numbers in another base, by repeated division of 128 bits in words.
__global__ void to_base58(const unsigned* in, unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned w[5];
#pragma unroll
  for (int k = 0; k < 5; ++k) w[k] = in[k * n + i];
  for (int d = 0; d < 28; ++d) {
    unsigned long long rest = 0;
#pragma unroll
    for (int k = 0; k < 5; ++k) {
      const unsigned long long v = rest << 32 | w[k];
      w[k] = unsigned(v / 58);
      rest = v % 58;
    }
    out[d * n + i] = (unsigned char)rest;
  }
}

// A population of programs on a small stack machine: one instruction a step, chosen by a switch.
__global__ void stack_machine(const unsigned char* programs, int* out, int steps, int length) {
  __shared__ int stacks[8][128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned char* p = programs + (i / 32) % 64 * length;
  int top = 0, acc = i;
  for (int s = 0; s < steps; ++s) {
    const int op = p[s % length] & 7;
    switch (op) {
      case 0: acc += 3; break;
      case 1: acc = acc * 5 + 1; break;
      case 2: acc ^= acc >> 7; break;
      case 3:
        if (top < 7) stacks[top++][threadIdx.x] = acc;
        break;
      case 4:
        if (top > 0) acc += stacks[--top][threadIdx.x];
        break;
      case 5: acc = acc & 1 ? 3 * acc + 1 : acc >> 1; break;
      case 6: acc = max(acc, -acc); break;
      default: acc -= s;
    }
  }
  out[i] = acc + top;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const unsigned* a = on_device<uint32_t>(1 << 22, hashed);
  const unsigned* b = on_device<uint32_t>(1 << 22, hashed);
  unsigned* c = zeros<unsigned>(1 << 23);
  std::vector<unsigned> k(64);
  for (uint32_t i = 0; i < 64; ++i) k[i] = hashed(i + 5);
  CHECK(cudaMemcpyToSymbol(k256, k.data(), 256));
  std::vector<unsigned char> permutation(512);
  for (uint32_t i = 0; i < 512; ++i) permutation[i] = (unsigned char)(hashed(i & 255) >> 8);
  CHECK(cudaMemcpyToSymbol(perm, permutation.data(), 512));
  run("sha256_double", [&] { sha256_double<<<528, 256>>>(a, c, 2); });
  run("blake2b_rows", [&] { blake2b_rows<<<512, 128>>>((const unsigned long long*)a, (unsigned long long*)c, 65536); });
  run("xxhash64_rows_32", [&] { xxhash64_rows<<<512, 128>>>((const unsigned long long*)a, (unsigned long long*)c, 32); });
  run("rc4_shared", [&] { rc4_shared<<<264, 64, 64 * 260>>>((const unsigned char*)a, (unsigned char*)c, 256); });
  run("field25519_square", [&] { field25519_square<<<264, 128>>>((const int*)a, (int*)c, 33792, 20); });
  run("montgomery_256", [&] { montgomery_256<<<264, 128>>>(a, b, c, 33792, 20); });
  run("perlin_octaves", [&] { perlin_octaves<<<dim3(32, 64), dim3(16, 16)>>>((float*)c, 512, 1.5f, 0.05f); });
  std::vector<unsigned> codes(256);
  for (uint32_t i = 0; i < 256; ++i) {
    const unsigned length = 3 + hashed(i) % 10;
    codes[i] = length << 27 | (hashed(i + 300) & ((1u << length) - 1));
  }
  const unsigned* code = on_device(codes);
  run("prefix_encode", [&] { prefix_encode<<<256, 256>>>((const unsigned char*)a, code, c, (unsigned char*)(c + (1 << 22)), 1 << 21); });
  std::vector<unsigned char> logs(768);
  for (uint32_t i = 0; i < 768; ++i) logs[i] = (unsigned char)(hashed(i) % 255);
  const unsigned char* tables = on_device(logs);
  run("reed_solomon", [&] { reed_solomon<<<512, 256>>>((const unsigned char*)a, tables, (unsigned char*)c, 16, 131072); });
  run("to_base58", [&] { to_base58<<<256, 128>>>(a, (unsigned char*)c, 32768); });
  run("stack_machine", [&] { stack_machine<<<528, 128>>>((const unsigned char*)b, (int*)c, 512, 64); });
  return 0;
}
