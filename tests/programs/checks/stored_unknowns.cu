// What nothing has written, on its way through global memory: the first store is a finding, and so is where the value
// steers a branch, becomes an address or goes into an atomic behind it, in the same kernel or a later one; copies of
// the copy are none.
// TOOLS: initcheck
// FINDS: uninitialized @FIRST @STORED
// FINDS: uninitialized @AGAIN @BRANCH
// FINDS: uninitialized @INDEX @ADDRESS
// FINDS: uninitialized @COPIED @TESTED
// FINDS: uninitialized @OWN @OWN_STORED
// FINDS: uninitialized @BACK @OWN_BRANCH
// FINDS: uninitialized @OTHER @SUM
// SAYS: holds an unwritten value from
__global__ void first(const int* in, int* out) {
  int v = in[threadIdx.x];  // @FIRST
  out[threadIdx.x] = v;     // @STORED
}
// Nothing is said of copies of copies, and sums of them.
__global__ void moves(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x] + 1; }
__global__ void branches(const int* in, int* out) {
  int v = in[threadIdx.x];         // @AGAIN
  if (v > 3) out[threadIdx.x] = 1; // @BRANCH
}
__global__ void indexes(const int* in, int* out) {
  int i = in[threadIdx.x] & 31;  // @INDEX
  out[i] = 1;                    // @ADDRESS
}
__global__ void copied(const int* in, int* out) {
  int v = in[threadIdx.x];         // @COPIED
  if (v > 4) out[threadIdx.x] = 1; // @TESTED
}
__global__ void own(const int* in, volatile int* between, int* out) {
  int v = in[threadIdx.x];          // @OWN
  between[threadIdx.x] = v;         // @OWN_STORED
  int w = between[threadIdx.x];     // @BACK
  if (w > 5) out[threadIdx.x] = 1;  // @OWN_BRANCH
}
// The value that nothing has written is named, not the copy beside it.
__global__ void sums(const int* copy, const int* in, int* out) {
  int v = copy[threadIdx.x];
  int w = in[threadIdx.x];     // @OTHER
  out[threadIdx.x] = v + w;    // @SUM
}

int main() {
  int *in, *a, *b, *c, *out;
  for (int** p : {&in, &a, &b, &c, &out}) cudaMalloc(p, 32 * sizeof(int));
  cudaMemset(out, 0, 32 * sizeof(int));
  first<<<1, 32>>>(in, a);
  moves<<<1, 32>>>(a, b);
  branches<<<1, 32>>>(b, out);
  indexes<<<1, 32>>>(b, out);
  cudaMemcpy(c, b, 32 * sizeof(int), cudaMemcpyDeviceToDevice);
  copied<<<1, 32>>>(c, out);
  own<<<1, 32>>>(in, c, out);
  sums<<<1, 32>>>(b, in, c);
  int host[32];
  cudaMemcpy(host, b, sizeof(host), cudaMemcpyDeviceToHost);  // the store was a finding
  // What is written afterwards, or allocated anew, is known.
  cudaMemset(a, 0, 32 * sizeof(int));
  branches<<<1, 32>>>(a, out);
  moves<<<1, 32>>>(a, b);
  branches<<<1, 32>>>(b, out);
  cudaFree(c);
  return cudaDeviceSynchronize() != cudaSuccess;
}
