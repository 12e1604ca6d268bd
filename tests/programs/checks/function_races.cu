// A host function accesses memory that an operation of another stream uses, which is issued behind it: nothing orders
// the two, and so it is where the host has waited for that operation alone.
// TOOLS: racecheck
// FINDS: host-race @WRITES @FILL
// FINDS: host-race @READS @DOWNLOAD
// FINDS: host-race @COUNTS @FILL
// FINDS: host-race @IN_GRAPH @DOUBLE
#include <cstdlib>
constexpr int N = 2048;

__global__ void fill(int* data, int value) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = value;  // @FILL
}
__global__ void twice(int* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] *= 2;  // @DOUBLE
}

int sum = 0;
void writes(void* data) {
  static_cast<int*>(data)[5] = 1;  // @WRITES
}
void reads(void* data) {
  sum += static_cast<int*>(data)[6];  // @READS
}
void counts(void* data) {
  static_cast<int*>(data)[7] += 1;  // @COUNTS
}
void in_graph(void* data) {
  static_cast<int*>(data)[8] = 1;  // @IN_GRAPH
}

int main() {
  int *managed, *device, *pinned;
  cudaMallocManaged(&managed, N * sizeof(int));
  cudaMalloc(&device, N * sizeof(int));
  cudaMallocHost(&pinned, N * sizeof(int));
  cudaMemset(device, 0, N * sizeof(int));
  cudaStream_t stream, other;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);

  cudaLaunchHostFunc(other, writes, managed);
  fill<<<N / 256, 256, 0, stream>>>(managed, 6);
  cudaDeviceSynchronize();

  cudaLaunchHostFunc(other, reads, pinned);
  cudaMemcpyAsync(pinned, device, N * sizeof(int), cudaMemcpyDeviceToHost, stream);  // @DOWNLOAD
  cudaDeviceSynchronize();

  // The host knows of the kernel, and the function does not.
  cudaLaunchHostFunc(other, counts, managed);
  fill<<<N / 256, 256, 0, stream>>>(managed, 6);
  cudaStreamSynchronize(stream);
  cudaStreamSynchronize(other);

  // A node beside one of the same graph, made before it.
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t node;
  cudaGraphCreate(&graph, 0);
  cudaHostNodeParams host = {};
  host.fn = in_graph;
  host.userData = managed;
  cudaGraphAddHostNode(&node, graph, nullptr, 0, &host);
  cudaKernelNodeParams kernel = {};
  void* arguments[] = {&managed};
  kernel.func = reinterpret_cast<void*>(twice);
  kernel.gridDim = {N / 256, 1, 1};
  kernel.blockDim = {256, 1, 1};
  kernel.kernelParams = arguments;
  cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel);
  cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  return cudaDeviceSynchronize() == cudaSuccess ? EXIT_SUCCESS : EXIT_FAILURE;
}
