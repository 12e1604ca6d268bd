# Loops, divisions and rows make nvcc's accesses: a different factor of unrolling is different code and a different time.
source "$(dirname "$0")/common.sh"

cat >k.cu <<'CU'
#include <algorithm>
#define KERNEL extern "C" __global__ void
KERNEL block_stride(const float* in, float* out, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 256) sum += in[i];
  out[0] = sum;
}
KERNEL tile(const float* in, float* out, int n) {
  __shared__ float tile[8][64];
  for (int k = 0; k < n; k += 8) {
    for (int i = threadIdx.x; i < 512; i += 256) tile[i % 8][i / 8] = in[i / 8 * n + k + i % 8];
    __syncthreads();
    out[k] = tile[threadIdx.y][threadIdx.x];
    __syncthreads();
  }
}
KERNEL one_by_one(const float* in, float* out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i];
  out[0] = sum;
}
KERNEL as_told(const float* in, float* out, int n) {
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) sum += in[i];
  out[0] = sum;
}
KERNEL long_body(const float* p, float* out, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i) {
    s += p[i] * p[i * n] + p[i * n + 5] * p[n * i + 7];
    out[i] = s + p[i + 3 * n] * p[i / 3] * p[i / 7] * p[i / 9];
  }
}
KERNEL divided(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}
KERNEL few(const float* in, float* out, int n) {
  for (unsigned i = threadIdx.x; i < 512; i += 256) out[i * n] = in[i * n + 5];
}
KERNEL neighbours(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x] + in[threadIdx.x + 1] + in[threadIdx.x + 2];
}
KERNEL quotient(int* out) { out[0] = int(threadIdx.x) / 8; }
KERNEL row(const float* in, float* out) {
  __shared__ float row[512];
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const unsigned from = threadIdx.x / 8 * 8;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += row[from + i];
  out[threadIdx.x] = sum;
}
KERNEL short_function(const double* in, double* out, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += exp(in[i]);
  out[0] = sum;
}
KERNEL function(const double* in, double* out, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += tanh(in[i]);
  out[0] = sum;
}
KERNEL long_function(const double* in, double* out, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += erfc(in[i]);
  out[0] = sum;
}
KERNEL same_functions(const double* in, double* out, int n, double a, double b) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i] * exp(-a);
  out[0] = sum + sin(b);
  out[1] = sum * sin(b);
}
KERNEL search(const unsigned* open, unsigned* found, int n) {
  unsigned left[16], count = 0;
  int depth = 2;
  left[2] = open[threadIdx.x];
  while (depth >= 2) {
    if (left[depth] == 0) {
      depth--;
      continue;
    }
    const unsigned bit = left[depth] & -left[depth];
    left[depth] ^= bit;
    if (depth == n - 1) {
      count++;
      continue;
    }
    depth++;
    left[depth] = open[bit & 31] & ~bit;
  }
  found[threadIdx.x] = count;
}
KERNEL largest(const int* in, int* out, int n) {
  int most = 0;
  for (int i = 0; i < n; ++i) most = std::max(most, in[i]);
  out[0] = most;
}
CU
expect 0 "$DRYWARP" nvcc -ptx -arch=sm_90 -lineinfo k.cu
[[ $(grep -c '^[[:space:]]*\.file' k.ptx) == 1 ]] || fail "a line is that of a header, not the program's"

# of KERNEL: its PTX
of() { awk -v k="entry $1(" 'index($0, ".entry") { on = index($0, k) } on' k.ptx; }
# loads KERNEL NUMBER: the number of loads from global memory, nvcc's where nothing else is said
loads() {
  local found
  found=$(of "$1" | grep -c 'ld\.global')
  [[ $found == "$2" ]] || fail "$1 has $found loads"
}
loads block_stride 5 # four, and one for what remains
loads tile 5 # nvcc's has 7: three for what remains
loads one_by_one 5
loads as_told 1
# ptxas may unroll the loop of four again, as nvcc's, but not the one for what remains
[[ $(of one_by_one | grep -c 'nounroll') == 1 ]] || fail "the unrolled loop says nounroll"
of as_told | grep -q nounroll || fail "as_told lacks nounroll"
of one_by_one | grep -A1 '@%p[0-9]* bra' | grep -q 'bra\.uni.*BB[0-9]*_3' && fail "a loop is repeated by a second branch"
loads long_body 24 # two, and one for what remains
loads divided 1    # the count would take a division
loads few 1
# nvcc has the code of mathematical functions: long ones make loops long, and what has the same
# arguments is computed once.
loads short_function 5
loads function 3
loads long_function 1
of same_functions | sed -n '/Loop Header/,$p' | grep -q '__nv_exp' && fail "exp(-a) is computed in the loop"
[[ $(of same_functions | grep -c '^[[:space:]]*__nv_sin,') == 1 ]] || fail "sin(b) is computed twice"
of quotient | grep -q 'shr\.s32' || fail "quotient knows that %tid is not negative"
# one_base KERNEL SPACE: the kernel's loads have one base and offsets from it
one_base() {
  [[ $(of "$1" | grep -o "ld\.$2\.f32.*\[%r[d0-9]*" | grep -o '\[.*' | sort -u | wc -l) == 1 ]] || fail "$1 has several bases"
}
# Lanes that go on reconverge in each iteration with those that step back.
of search | grep -q 'Header: Depth=2' && fail "a loop with several continues has an inner loop"
of search | grep -q '// latch' && fail "a mark of our passes is left"
one_base neighbours global
one_base row shared

# Loops with constant counts become straight code up to nvcc's size, and 8, 4 or 2 iterations at once beyond; what divides
# by a loop's variable divides; long functions are inlined, so that their caller's arrays are registers.
cat >k.cu <<'CU'
#define KERNEL extern "C" __global__ void
template <int N, int Taps> __device__ float taps(const float* p, const float* q, int n) {
  float s = 0;
  for (int i = 0; i < N; ++i)
#pragma unroll
    for (int k = 0; k < Taps; ++k) s += p[i * n + k] * q[k];
  return s;
}
KERNEL whole(const float* p, const float* q, float* o, int n) { o[threadIdx.x] = taps<64, 1>(p, q, n); }
KERNEL quarter(const float* p, const float* q, float* o, int n) { o[threadIdx.x] = taps<64, 4>(p, q, n); }
KERNEL half(const float* p, const float* q, float* o, int n) { o[threadIdx.x] = taps<33, 8>(p, q, n); }
KERNEL two(const float* p, const float* q, float* o, int n) { o[threadIdx.x] = taps<9, 9>(p, q, n); }
KERNEL neighbored(float* x) {
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (threadIdx.x % (2 * s) == 0) x[threadIdx.x] += x[threadIdx.x + s];
    __syncthreads();
  }
}
KERNEL known(float* x) {
#pragma unroll
  for (unsigned s = 1; s < 64; s *= 2) {
    if (threadIdx.x % (2 * s) == 0) x[threadIdx.x] += x[threadIdx.x + s];
    __syncthreads();
  }
}
KERNEL array(const float* p, float* o, int n) {
  float sum[64] = {};
  const auto use = [&](int k) {
#pragma unroll
    for (int i = 0; i < 64; ++i)
#pragma unroll
      for (int j = 0; j < 16; ++j) sum[i] += p[k * n + i] * p[k + j];
  };
  for (int k = 0; k < n; ++k) use(k);
#pragma unroll
  for (int i = 0; i < 64; ++i) o[i] = sum[i];
}
CU
expect 0 "$DRYWARP" nvcc -ptx -arch=sm_90 k.cu
loads whole 65 # with those of q
loads quarter 20 # four: q is read in each iteration
loads half 24  # two
loads two 27
of neighbored | grep -q 'rem\.u32' || fail "neighbored does not divide"
of known | grep -q 'rem\.u32' && fail "known divides"
grep -q 'divisor\|\.local' k.ptx && fail "a divisor is marked, or the array is in local memory"

# A second condition of up to four operations is computed before the first one's branch, and both share one branch, as
# nvcc's do: each iteration of a loop has one. No condition that reads memory or calls a function of mathematics.
cat >k.cu <<'CU'
#define KERNEL extern "C" __global__ void
#define IF(condition)              \
  const auto x = p[threadIdx.x];   \
  if (int(threadIdx.x) < n && condition) p[threadIdx.x + 64] = x, __syncthreads(), p[threadIdx.x + 128] = p[threadIdx.x ^ 1]
KERNEL four(float* p, int n, float a, float b) { IF((((x * a) + b) * a) + b < 4); }
KERNEL five(float* p, int n, float a, float b) { IF(((((x * a) + b) * a) + b) * a < 4); }
KERNEL loads_more(float* p, int n, float a, float b) { IF(p[threadIdx.x + 32] < x); }
KERNEL converts(double* p, int n, float a, float b) { IF((x * a) * a < 4); }
KERNEL converts_more(double* p, int n, float a, float b) { IF(((x * a) * a) * a < 4); }
KERNEL three(float* p, int n, int m, float a, float b) { IF(int(threadIdx.y) < m && (x * a) + b < 4); }
KERNEL escapes(int* p, int n, float a, float b) {
  float x = 0, y = 0;
  int i = 0;
  while (i < n && x * x + y * y < 4) {
    const float next = x * x - y * y + a;
    y = 2 * x * y + b;
    x = next;
    ++i;
  }
  p[threadIdx.x] = i;
}
CU
expect 0 "$DRYWARP" nvcc -ptx -arch=sm_90 k.cu
# branches KERNEL NUMBER: the number of conditional branches, nvcc's
branches() {
  local found
  found=$(of "$1" | grep -c '@!\?%p[0-9]* bra')
  [[ $found == "$2" ]] || fail "$1 has $found conditional branches"
}
branches four 1
branches five 2
branches loads_more 2
branches converts 1
branches converts_more 2
branches three 1
branches escapes 2

# Each instruction of a loop counts, conversions of indices and addresses too, a vector once, a division as four. The
# factors are nvcc's, on both sides of where they change.
cat >k.cu <<'CU'
#define KERNEL extern "C" __global__ void
template <int Operations> __device__ float repeat(float v, float f) {
#pragma unroll
  for (int k = 0; k < Operations; ++k) v = k % 2 == Operations % 2 ? fmaxf(v, f) : v * f;  // none can be left out
  return v;
}
#define LOOP(name, count, operations, more) \
  KERNEL name(float* o, const float* g, int n, float f) { \
    __shared__ float4 tile[256]; \
    tile[threadIdx.x].x = f; \
    __syncthreads(); \
    float v = o[threadIdx.x]; \
    for (int i = 0; i < count; ++i) { \
      more; \
      v = repeat<operations>(v, f); \
    } \
    o[threadIdx.x] = v + tile[n].y; \
  }
LOOP(eight, 256, 24, )
LOOP(four, 256, 25, )
LOOP(sixty_four, 256, 2, )
LOOP(eleven, 11, 35, )
LOOP(two_of_14, 14, 31, )
LOOP(four_at_run_time, n, 49, )
LOOP(two_at_run_time, n, 50, )
LOOP(two_of_many, n, 92, )
LOOP(one_of_many, n, 93, )
LOOP(eight_vectors, 256, 18, float4 t = tile[i]; v += t.x; v += t.y; v += t.z; v += t.w)
LOOP(four_vectors, 256, 19, float4 t = tile[i]; v += t.x; v += t.y; v += t.z; v += t.w)
LOOP(eight_reads, 256, 20, v += g[i])
LOOP(four_reads, 256, 21, v += g[i])
LOOP(eight_divide, 256, 20, v /= g[0])
LOOP(four_divide, 256, 21, v /= g[0])
// A local array becomes registers, however long the loop is; its elements count where they are told apart.
KERNEL array(float* o, const float* g, int n, float f) {
  float sum[256];
#pragma unroll
  for (int i = 0; i < 256; ++i) sum[i] = g[i + threadIdx.x];
  for (int r = 0; r < n; ++r)
    for (int i = 0; i < 256; ++i) sum[i] += g[i * n] * f;
#pragma unroll
  for (int i = 0; i < 256; ++i) o[i + threadIdx.x] = sum[i];
}
template <int N> __device__ void column(float* o, int n) {
  __shared__ float tile[1024];
  float sum[N] = {};
  tile[threadIdx.x] = o[threadIdx.x];
  __syncthreads();
  for (int k = 0; k < 64; ++k) {
    const float y = tile[k * 64 + threadIdx.x % 64];
    for (int i = 0; i < N; ++i) sum[i] += tile[(threadIdx.x / 64 * N + i) * 8 + k] * y;
  }
  for (int i = 0; i < N; ++i) o[i * n] = sum[i];
}
KERNEL four_columns(float* o, int n) { column<6>(o, n); }
KERNEL two_columns(float* o, int n) { column<7>(o, n); }
KERNEL two_of_8_columns(float* o, int n) { column<8>(o, n); }  // clang's addresses are shorter than nvcc's
// An outer loop is measured with all that its inner loop computes, the same in each iteration or not.
template <int N> __device__ void nearest(const float* p, const float* q, float* o, int n, int m) {
  float least = 1e30f;
  for (int c = 0; c < m; ++c) {
    float d = 0;
    for (int f = 0; f < N; ++f) d += p[f * n + threadIdx.x] * q[c * N + f];
    least *= d;
  }
  o[threadIdx.x] = least;
}
KERNEL four_outer(const float* p, const float* q, float* o, int n, int m) { nearest<4>(p, q, o, n, m); }
KERNEL two_outer(const float* p, const float* q, float* o, int n, int m) { nearest<8>(p, q, o, n, m); }
KERNEL one_outer(const float* p, const float* q, float* o, int n, int m) { nearest<9>(p, q, o, n, m); }
// The program's counter is needed behind the loop, and another one says when it ends.
KERNEL two_counters(const float* x, float* o, int columns, int rows) {
  float sum = 0;
  for (int r = 0; r < rows; ++r) sum += x[(blockIdx.y * rows + r) * columns + threadIdx.x];
  o[threadIdx.x] = sum;
}
__constant__ float weights[81];
KERNEL convolve(const float* x, float* o, int n) {
  const int across = threadIdx.x, down = threadIdx.y;
  float sum = 0;
  for (int i = -4; i <= 4; ++i)
    for (int j = -4; j <= 4; ++j) sum += weights[(i + 4) * 9 + j + 4] * x[(down + i) * n + across + j];
  o[threadIdx.x] = sum;
}
// A sum with the counter has several uses, and is computed once.
KERNEL rounds(const unsigned* in, unsigned* out) {
  unsigned a = in[threadIdx.x], b = a ^ 5, c = ~a, d = b + 7;
#pragma unroll 8
  for (int r = 0; r < 64; ++r) {
    const unsigned t = d + (a >> 6 | a << 26) + (a & b ^ ~a & c) + 0x428a2f98u + r;
    d = c, c = b, b = a + t, a = t + (b >> 2 | b << 30);
  }
  out[threadIdx.x] = a + d;
}
CU
expect 0 "$DRYWARP" nvcc -ptx -arch=sm_90 k.cu
# operations KERNEL NUMBER: how often the kernel has its loop's operation
operations() {
  local found
  found=$(of "$1" | grep -c "${3:-\(max\|mul\|fma\.rn\)\.f32}")
  [[ $found == "$2" ]] || fail "$1 has $found operations"
}
operations eight $((8 * 24))
operations four $((4 * 25))
operations sixty_four $((64 * 2))
operations eleven $((11 * 35))
operations two_of_14 $((2 * 31))
operations four_at_run_time $((5 * 49))
operations two_at_run_time $((3 * 50))
operations two_of_many $((3 * 92))
operations one_of_many 93
operations eight_vectors $((8 * 18))
operations four_vectors $((4 * 19))
operations eight_reads $((8 * 20))
operations four_reads $((4 * 21))
operations eight_divide $((8 * 20))
operations four_divide $((4 * 21))
operations four_columns $((4 * 6)) fma
operations two_columns $((2 * 7)) fma
operations two_of_8_columns $((2 * 8)) fma
operations four_outer 5 mul\\.f32
operations two_outer 3 mul\\.f32
operations one_outer 1 mul\\.f32
of two_counters | grep -q 'setp\.ne\.s32.*%r[0-9]*, %r' && fail "the loop compares the program's counter"
of convolve | grep -q 'cvt\.u32\.u64' && fail "a count is read from an offset"
of rounds | grep -q 'sub\.s32' && fail "a sum with the counter is computed again"
of array | grep -q '\.local' && fail "an array's elements are in local memory"
exit 0
