// Programmatic dependent launches: one waits for the launch before it, the other does not.
// TOOLS: racecheck
// FINDS: read-write @READ @FILL
constexpr int N = 1024;

__global__ void fill(int* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = 1;  // @FILL
}

__global__ void waits(const int* data, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaGridDependencySynchronize();
  out[i] = data[i];
}

__global__ void hurries(const int* data, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = data[i];  // @READ
}

int main() {
  int *data, *out, *other;
  cudaMalloc(&data, N * sizeof(int));
  cudaMalloc(&out, N * sizeof(int));
  cudaMalloc(&other, N * sizeof(int));
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t configuration = {};
  configuration.gridDim = dim3(N / 256);
  configuration.blockDim = dim3(256);
  configuration.attrs = &attribute;
  configuration.numAttrs = 1;
  fill<<<N / 256, 256>>>(data);
  cudaLaunchKernelEx(&configuration, waits, static_cast<const int*>(data), out);
  cudaDeviceSynchronize();
  fill<<<N / 256, 256>>>(data);
  cudaLaunchKernelEx(&configuration, hurries, static_cast<const int*>(data), other);
  return cudaDeviceSynchronize() != cudaSuccess;
}
