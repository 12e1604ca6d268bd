// The device's heap: overruns of malloc() and new, use after free, free() of what it did not give, and what stays.
// TOOLS: memcheck,leakcheck
// OPTIONS: --destroy-on-device-error kernel
// FINDS: out-of-bounds @PAST
// FINDS: out-of-bounds @NEW
// FINDS: use-after-free @FREED
// FINDS: bad-free @TWICE
// FINDS: bad-free @INSIDE
// FINDS: bad-free @OTHERS
// FINDS: leak -
#include <cstdio>
#include <new>

// Compilers remove a malloc() whose block only they see.
template <class T>
__device__ T* seen(T* p) {
  asm volatile("" : "+l"(p));
  return p;
}

__global__ void sound(int* out) {
  int* p = static_cast<int*>(malloc(16));
  for (int i = 0; i < 4; ++i) p[i] = i;
  out[threadIdx.x] = p[3];
  free(p);
  free(nullptr);
}
__global__ void past(int n) {
  char* p = seen(static_cast<char*>(malloc(10)));
  *(volatile char*)(p + n) = 1;  // @PAST
  free(p);
}
__global__ void array(int n) {
  int* p = seen(new int[n]);
  p[n] = 1;  // @NEW
  delete[] p;
}
__global__ void freed(int* out) {
  volatile int* p = static_cast<int*>(malloc(8));
  p[0] = 1;
  free(const_cast<int*>(p));
  out[0] = p[0];  // @FREED
}
__global__ void twice() {
  char* p = seen(static_cast<char*>(malloc(8)));
  free(p);
  free(p);  // @TWICE
}
__global__ void inside() {
  char* p = seen(static_cast<char*>(malloc(8)));
  free(p + 4);  // @INSIDE
  free(p);
}
__global__ void others(int* p) {
  free(p);  // @OTHERS
}
__global__ void leaks(int** kept) { *kept = static_cast<int*>(malloc(100)); }

int main() {
  int *out, **kept;
  cudaMalloc(&out, 128);
  cudaMalloc(&kept, sizeof *kept);
  sound<<<1, 32>>>(out);
  past<<<1, 1>>>(10);
  array<<<1, 1>>>(3);
  freed<<<1, 1>>>(out);
  twice<<<1, 1>>>();
  inside<<<1, 1>>>();
  others<<<1, 1>>>(out);
  leaks<<<1, 1>>>(kept);
  cudaDeviceSynchronize();
  cudaFree(out);
  cudaFree(kept);
}
