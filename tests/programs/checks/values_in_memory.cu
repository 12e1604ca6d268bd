// What nothing has written, on its way through memory that is the block's or the thread's own: a finding where it is
// used, once, with the read of the memory that lacks it; none where it is not used.
// TOOLS: initcheck
// FINDS: uninitialized @TILE @TESTED
// FINDS: uninitialized @FETCHED @ABOVE
// FINDS: uninitialized @COPIED @SUMMED
// FINDS: uninitialized @TEXEL @OF_TEXEL
// FINDS: uninitialized @ELEMENT @OF_ELEMENT
// FINDS: unwritten-copy @TAIL
// SAYS: 16 bytes of 256 that it copies were never written, the first 240 bytes into
#include <cuda_pipeline.h>

struct Padded {
  char tag;  // and three bytes that nothing writes
  int value;
};

__global__ void tile(const int* in, int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];  // @TILE
  __syncthreads();
  if (s[63 - threadIdx.x] > 3) out[threadIdx.x] = 1;  // @TESTED
}
// Nobody looks at the half that nothing has written.
__global__ void half_tile(const int* in, int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = s[threadIdx.x];
}

__device__ __noinline__ void fetch(int* to, const int* from, int i) {
  to[i & 3] = from[i];  // @FETCHED
}
__device__ __noinline__ int above(const int* values, int limit) {
  int count = 0;
  for (int i = 0; i < 4; ++i) {
    if (values[i] > limit) {  // @ABOVE
      __threadfence();
      ++count;
    }
  }
  return count;
}
__global__ void called(const int* in, int* out) {
  int values[4] = {1, 2, 3, 4};
  fetch(values, in, threadIdx.x);
  out[threadIdx.x] = above(values, 2);
}

__global__ void copied(const int* in, int* out) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(int));  // @COPIED
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x] + 1;  // @SUMMED
}

__global__ void make(Padded* p) {
  p[threadIdx.x].tag = 'a';
  p[threadIdx.x].value = threadIdx.x;
}
__global__ void members(const Padded* p, int* out) {
  __shared__ uint2 s[64];
  s[threadIdx.x] = reinterpret_cast<const uint2*>(p)[threadIdx.x];  // padding and all
  __syncthreads();
  out[threadIdx.x] = (s[63 - threadIdx.x].x & 0xff) + s[63 - threadIdx.x].y;
}

__global__ void texels(cudaTextureObject_t t, float* out, int n) {
  float v = tex1Dfetch<float>(t, threadIdx.x);  // @TEXEL
  if (threadIdx.x < n) out[threadIdx.x] = v;    // @OF_TEXEL
}
__global__ void elements(cudaTextureObject_t t, float* out, int n) {
  float v = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f);  // @ELEMENT
  if (threadIdx.x < n) out[threadIdx.x] = v;            // @OF_ELEMENT
}
__global__ void draw(cudaSurfaceObject_t s) { surf2Dwrite(1.0f, s, threadIdx.x * 4, 0); }

__global__ void fill(int* out, int n) {
  if (threadIdx.x < n) out[threadIdx.x] = threadIdx.x;
}

int main() {
  int *in, *out, host[64];
  Padded* padded;
  float* real;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMalloc(&real, sizeof host);
  cudaMalloc(&padded, 64 * sizeof *padded);
  cudaMemset(in, 0, sizeof host / 2);
  tile<<<1, 64>>>(in, out);
  half_tile<<<1, 64>>>(in, out);
  called<<<1, 64>>>(in, out);
  copied<<<1, 64>>>(in, out);
  make<<<1, 64>>>(padded);
  members<<<1, 64>>>(padded, out);

  cudaTextureDesc how{};
  cudaResourceDesc what{};
  cudaTextureObject_t linear, drawn, empty;
  what.resType = cudaResourceTypeLinear;
  what.res.linear.devPtr = in;
  what.res.linear.sizeInBytes = sizeof host;
  what.res.linear.desc = cudaCreateChannelDesc<float>();
  cudaCreateTextureObject(&linear, &what, &how, nullptr);
  texels<<<1, 64>>>(linear, real, 32);
  texels<<<1, 64>>>(linear, real, 64);
  cudaArray_t first, second;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&first, &format, 64, 1, cudaArraySurfaceLoadStore);
  cudaMallocArray(&second, &format, 64, 1);
  what.resType = cudaResourceTypeArray;
  what.res.array.array = first;
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &what);
  draw<<<1, 64>>>(surface);
  cudaCreateTextureObject(&drawn, &what, &how, nullptr);
  what.res.array.array = second;
  cudaCreateTextureObject(&empty, &what, &how, nullptr);
  elements<<<1, 64>>>(drawn, real, 64);
  elements<<<1, 64>>>(empty, real, 64);

  int *tail, *whole;
  cudaMalloc(&tail, sizeof host);
  cudaMalloc(&whole, sizeof host);
  fill<<<1, 64>>>(tail, 60);
  fill<<<1, 64>>>(whole, 64);
  cudaMemcpy(host, tail, sizeof host, cudaMemcpyDeviceToHost);  // @TAIL
  cudaMemcpy(host, whole, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpy2DFromArray(host, sizeof host, first, 0, 0, sizeof host, 1, cudaMemcpyDeviceToHost);
  return cudaDeviceSynchronize() != cudaSuccess;
}
