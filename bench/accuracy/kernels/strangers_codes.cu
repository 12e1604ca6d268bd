// Kernels on text, ciphers, boards and whole numbers in the forms in which others write them. Written and recorded after the model.
#include "cases.h"

__constant__ char needle[16];
__global__ void find_pattern(const char* __restrict__ text, int n, int length, int* __restrict__ hits, int* __restrict__ count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n - length) return;
  int j = 0;
  while (j < length && text[i + j] == needle[j]) j++;
  if (j == length) hits[atomicAdd(count, 1)] = i;
}

#define QUARTER(a, b, c, d)                                              \
  a += b, d ^= a, d = (d << 16) | (d >> 16), c += d, b ^= c, b = (b << 12) | (b >> 20); \
  a += b, d ^= a, d = (d << 8) | (d >> 24), c += d, b ^= c, b = (b << 7) | (b >> 25);
__global__ void chacha20(const uint32_t* __restrict__ key, uint4* __restrict__ data, uint32_t nonce, int blocks) {
  const int block = blockIdx.x * blockDim.x + threadIdx.x;
  if (block >= blocks) return;
  uint32_t s[16], x[16];
  s[0] = 0x61707865, s[1] = 0x3320646e, s[2] = 0x79622d32, s[3] = 0x6b206574;
  for (int i = 0; i < 8; i++) s[4 + i] = key[i];
  s[12] = block, s[13] = nonce, s[14] = 0, s[15] = 1;
  for (int i = 0; i < 16; i++) x[i] = s[i];
  for (int round = 0; round < 10; round++) {
    QUARTER(x[0], x[4], x[8], x[12])
    QUARTER(x[1], x[5], x[9], x[13])
    QUARTER(x[2], x[6], x[10], x[14])
    QUARTER(x[3], x[7], x[11], x[15])
    QUARTER(x[0], x[5], x[10], x[15])
    QUARTER(x[1], x[6], x[11], x[12])
    QUARTER(x[2], x[7], x[8], x[13])
    QUARTER(x[3], x[4], x[9], x[14])
  }
  for (int i = 0; i < 4; i++) {
    uint4 v = data[block * 4 + i];
    v.x ^= x[4 * i] + s[4 * i], v.y ^= x[4 * i + 1] + s[4 * i + 1];
    v.z ^= x[4 * i + 2] + s[4 * i + 2], v.w ^= x[4 * i + 3] + s[4 * i + 3];
    data[block * 4 + i] = v;
  }
}

// Queens on a board: the first two rows come with the thread, the rest by backtracking in bits.
__global__ void queens(int n, unsigned long long* solutions) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int c0 = id / n, c1 = id % n;
  const unsigned all = (1u << n) - 1;
  unsigned count = 0;
  if (id < n * n && abs(c0 - c1) > 1) {
    unsigned cols[16], left[16], right[16], open[16];
    int depth = 2;
    cols[2] = (1u << c0) | (1u << c1);
    left[2] = (((1u << c0) << 1 | (1u << c1)) << 1) & all;
    right[2] = ((1u << c0) >> 1 | (1u << c1)) >> 1;
    open[2] = all & ~(cols[2] | left[2] | right[2]);
    while (depth >= 2) {
      if (open[depth] == 0) {
        depth--;
        continue;
      }
      const unsigned bit = open[depth] & -open[depth];
      open[depth] ^= bit;
      if (depth == n - 1) {
        count++;
        continue;
      }
      cols[depth + 1] = cols[depth] | bit;
      left[depth + 1] = ((left[depth] | bit) << 1) & all;
      right[depth + 1] = (right[depth] | bit) >> 1;
      depth++;
      open[depth] = all & ~(cols[depth] | left[depth] | right[depth]);
    }
  }
  if (count) atomicAdd(solutions, (unsigned long long)count);
}

__global__ void collatz(unsigned long long first, int n, int* __restrict__ steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long x = first + i;
  int count = 0;
  while (x != 1) {
    x = (x & 1) ? 3 * x + 1 : x / 2;
    count++;
  }
  steps[i] = count;
}

// One stage of a number-theoretic transform: 64-bit products and remainders.
__global__ void ntt_stage(uint32_t* data, const uint32_t* __restrict__ roots, int half, int n, uint32_t modulus) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  const int group = i / half, k = i % half, at = group * 2 * half + k;
  const uint32_t u = data[at] % modulus;
  const uint32_t v = (uint32_t)((unsigned long long)data[at + half] * roots[n / (2 * half) * k] % modulus);
  const unsigned long long sum = (unsigned long long)u + v;
  data[at] = sum >= modulus ? (uint32_t)(sum - modulus) : (uint32_t)sum;
  data[at + half] = u >= v ? u - v : (uint32_t)((unsigned long long)u + modulus - v);
}

__global__ void interpolate_table(const float* __restrict__ xs, const float* __restrict__ ys, int points,
                                  const float* __restrict__ query, float* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float q = query[i];
  int low = 0, high = points - 1;
  while (high - low > 1) {
    const int mid = (low + high) / 2;
    if (xs[mid] <= q)
      low = mid;
    else
      high = mid;
  }
  const float t = (q - xs[low]) / (xs[high] - xs[low]);
  out[i] = ys[low] + t * (ys[high] - ys[low]);
}

__global__ void base64_encode(const unsigned char* __restrict__ in, char* __restrict__ out, int triples) {
  __shared__ char alphabet[64];
  if (threadIdx.x < 64) {
    const int c = threadIdx.x;
    alphabet[c] = c < 26 ? 'A' + c : c < 52 ? 'a' + c - 26 : c < 62 ? '0' + c - 52 : c == 62 ? '+' : '/';
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= triples) return;
  const int v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
  out[4 * i] = alphabet[v >> 18];
  out[4 * i + 1] = alphabet[v >> 12 & 63];
  out[4 * i + 2] = alphabet[v >> 6 & 63];
  out[4 * i + 3] = alphabet[v & 63];
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const size_t most = 1 << 22;
  uint32_t* bits = on_device<uint32_t>(most, hashed);
  uint32_t* more = zeros<uint32_t>(most);
  float* x = on_device<float>(most, fraction);
  float* y = zeros<float>(most);
  int* count = zeros<int>(1);
  const auto ints = [](void* p) { return reinterpret_cast<int*>(p); };

  std::vector<char> text(1 << 20);
  for (size_t i = 0; i < text.size(); ++i) text[i] = "abca"[hashed(uint32_t(i)) % 4];
  const char* texts = on_device(text);
  CHECK(cudaMemcpyToSymbol(needle, "abcaabac", 8));
  run("find_pattern", [&] { find_pattern<<<4096, 256>>>(texts, 1 << 20, 8, ints(more), count); });
  run("chacha20_small", [&] { chacha20<<<40, 128>>>(bits, (uint4*)more, 77, 5120); });
  run("chacha20", [&] { chacha20<<<1024, 256>>>(bits, (uint4*)more, 77, 1 << 18); });
  run("queens_11", [&] { queens<<<4, 32>>>(11, (unsigned long long*)y); });
  run("collatz", [&] { collatz<<<512, 256>>>(1000000007ull, 1 << 17, ints(more)); });
  run("ntt_stage_8", [&] { ntt_stage<<<1024, 256>>>(bits, more, 8, 1 << 19, 998244353u); });
  run("ntt_stage_16384", [&] { ntt_stage<<<1024, 256>>>(bits, more, 16384, 1 << 19, 998244353u); });
  std::vector<float> knot(4097);
  for (size_t i = 0; i < knot.size(); ++i) knot[i] = float(i) / 4096.0f;
  const float* knots = on_device(knot);
  run("interpolate_table", [&] { interpolate_table<<<2048, 128>>>(knots, x, 4097, x + 5000, y, 1 << 18); });
  run("base64_encode", [&] { base64_encode<<<2048, 256>>>((unsigned char*)bits, (char*)more, 1 << 19); });
  return 0;
}
