// Loops and branches that lanes leave one by one: where the others go on together decides how many instructions a warp executes. The numbers in
// check_reconvergence.py are an H200's.
#include <cstdio>
#include <cuda_runtime.h>
// early return inside a conditional
__global__ void early(const int* a, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = a[i];
  if (x & 1) {
    int y = a[x & 1023];
    if (y > 900) return;
    x += y * 3;
    out[i + 4096] = x;
  }
  int s = x;
#pragma unroll 1
  for (int k = 0; k < 100; ++k) s = s * 5 + (s >> 3);
  out[i] = s;
}
// continue and break
__global__ void breaks(const int* a, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int best = 0;
#pragma unroll 1
  for (int d = 1; d <= n; ++d) {
    if ((a[(i + d) & 4095] & 3) != 0) continue;
    int len = 0;
    while (len < 32 && a[(i + d + len) & 4095] & 6) ++len;
    if (len > best) { best = len; if (best == 13) break; }
  }
  out[i] = best;
}
// break inside an if
__global__ void inside(const int* a, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int s = 0, k = 0;
#pragma unroll 1
  for (; k < n; ++k) {
    const int v = a[(i * 7 + k) & 4095];
    if (v & 1) { s += a[v & 4095] * 5; out[(s & 4095) + 8192] = v; if (s > 20000) break; }
    s = s * 3 + (s >> 2); s ^= s << 3; s += k;
  }
  out[i] = s + k;
}
// return from a loop
__global__ void returns(const int* a, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int s = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const int v = a[(i * 7 + k) & 4095];
    if (v & 1) { s += a[v & 4095] * 5; out[(s & 4095) + 8192] = v; if (s > 20000) { out[i] = k; return; } }
    s = s * 3 + (s >> 2); s ^= s << 3; s += k;
  }
  out[i] = s;
}
// two nested loops, break of the outer by a flag or goto
__global__ void nested(const int* a, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int s = 0, k = 0;
#pragma unroll 1
  for (; k < n; ++k) {
#pragma unroll 1
    for (int j = 0; j < 8; ++j) {
      const int v = a[(i * 7 + k * 8 + j) & 4095];
      if (v & 1) { s += a[v & 4095] * 5; if (s > 1000000) goto done; out[(s & 4095) + 8192] = v; }
      s = s * 3 + (s >> 2); s ^= s << 3;
    }
    s += k;
  }
done:
  out[i] = s + k;
}
// || with a call of a cost
__global__ void ors(const int* a, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int s = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    const int v = a[(i * 7 + k) & 4095];
    if ((v & 1) == 0 || a[v & 4095] > 500) { out[(v & 4095) + 8192] = v; s += 3; }
    s = s * 3 + (s >> 2); s ^= s << 3;
  }
  out[i] = s;
}
int main() {
  int *a, *o;
  static int h[4096];
  unsigned x = 1; for (auto& v : h) v = (x = x * 1664525u + 1013904223u) >> 20;
  cudaMalloc(&a, 16384); cudaMalloc(&o, 65536); cudaMemcpy(a, h, 16384, cudaMemcpyHostToDevice); cudaMemset(o, 0, 65536);
#define R(k, ...) { printf("CASE,%s\n", #k); k<<<16, 256>>>(a, o, 100); cudaError_t e = cudaDeviceSynchronize(); cudaMemcpy(h, o, 16384, cudaMemcpyDeviceToHost); unsigned c = 0; for (int v : h) c = c * 31 + v; printf("%s %u %s\n", #k, c, cudaGetErrorString(e)); cudaMemset(o, 0, 65536); cudaMemcpy(a, a, 4, cudaMemcpyDeviceToDevice); }
  R(early) R(breaks) R(inside) R(returns) R(nested) R(ors)
}
