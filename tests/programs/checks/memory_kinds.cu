// Constant memory that a kernel writes, and accesses that are not aligned, in the memories that bad_accesses.cu leaves;
// the same aligned, and read.
// TOOLS: memcheck
// FINDS: read-only @CONSTANT
// FINDS: misaligned @DYNAMIC
// FINDS: misaligned @PARAMETER
// FINDS: misaligned @ATOMIC
// OPTIONS: --destroy-on-device-error kernel
struct Many {
  int values[16];
};
__constant__ int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};

// `bytes`: from where the element is; 0 is right.
__global__ void dynamic(int* out, int bytes) {
  extern __shared__ char pieces[];
  for (int i = 0; i < 8; ++i) pieces[threadIdx.x * 8 + i] = i;
  __syncthreads();
  out[threadIdx.x] = *reinterpret_cast<int*>(pieces + threadIdx.x * 8 + bytes);  // @DYNAMIC
}
__global__ void parameter(Many many, int* out, int bytes) {
  out[threadIdx.x] = *reinterpret_cast<const int*>(reinterpret_cast<const char*>(many.values) + bytes);  // @PARAMETER
}
__global__ void add(char* counts, int bytes) {
  atomicAdd(reinterpret_cast<int*>(counts + bytes), 1);  // @ATOMIC
}
__global__ void read(int* out) { out[threadIdx.x] = table[threadIdx.x % 8]; }
__global__ void write(int* values) {
  values[threadIdx.x % 8] = 5;  // @CONSTANT
}

int main(int argc, char** argv) {
  const char only = argc > 1 ? argv[1][0] : 0;
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(out, 0, 64 * sizeof(int));
  if (!only || only == '0') {
    dynamic<<<1, 32, 512>>>(out, 4);
    parameter<<<1, 32>>>(Many{}, out, 4);
    add<<<1, 32>>>(reinterpret_cast<char*>(out), 4);
    read<<<1, 32>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  }
  if (!only || only == '1') dynamic<<<1, 32, 512>>>(out, 1);
  if (!only || only == '2') parameter<<<1, 32>>>(Many{}, out, 1);
  if (!only || only == '3') add<<<1, 32>>>(reinterpret_cast<char*>(out), 2);
  void* values;
  cudaGetSymbolAddress(&values, table);
  if (!only || only == '4') write<<<1, 32>>>(static_cast<int*>(values));
  return cudaDeviceSynchronize() != cudaSuccess;
}
