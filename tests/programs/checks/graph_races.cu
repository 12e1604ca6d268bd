// Nodes of a graph that no edge orders, and launches of graphs beside other work.
// TOOLS: racecheck
// FINDS: write-write @ADD @FILL
// FINDS: read-write @READ @FILL
// FINDS: read-write @DOWNLOAD @SCALE
constexpr int N = 1024;

__global__ void fill(int* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = 1;  // @FILL
}

__global__ void add_one(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 64) data[i] = 3;  // @ADD
}

__global__ void read(const int* data, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = data[i];  // @READ
}

__global__ void scale(int* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = 2;  // @SCALE
}

int main() {
  int *data, *out, *host;
  cudaMalloc(&data, N * sizeof(int));
  cudaMalloc(&out, N * sizeof(int));
  cudaMallocHost(&host, N * sizeof(int));
  cudaStream_t a, b, c;
  for (cudaStream_t* s : {&a, &b, &c}) cudaStreamCreateWithFlags(s, cudaStreamNonBlocking);
  cudaEvent_t fork, join;
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  cudaDeviceSynchronize();

  // A capture that forks, and writes on both branches.
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, a);
  cudaStreamWaitEvent(b, fork, 0);
  fill<<<N / 256, 256, 0, a>>>(data);
  add_one<<<N / 256, 256, 0, b>>>(data);
  cudaEventRecord(join, b);
  cudaStreamWaitEvent(a, join, 0);
  cudaStreamEndCapture(a, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, a);
  // Ordered behind the graph, in its stream.
  scale<<<N / 256, 256, 0, a>>>(data);
  cudaStreamSynchronize(a);

  // A graph by hand: the reader lacks its edge.
  cudaGraph_t made;
  cudaGraphExec_t made_exec;
  cudaGraphNode_t first, second;
  void* fill_arguments[] = {&data};
  void* read_arguments[] = {&data, &out};
  cudaKernelNodeParams parameters = {};
  parameters.gridDim = dim3(N / 256);
  parameters.blockDim = dim3(256);
  parameters.func = reinterpret_cast<void*>(fill);
  parameters.kernelParams = fill_arguments;
  cudaGraphCreate(&made, 0);
  cudaGraphAddKernelNode(&first, made, nullptr, 0, &parameters);
  parameters.func = reinterpret_cast<void*>(read);
  parameters.kernelParams = read_arguments;
  cudaGraphAddKernelNode(&second, made, nullptr, 0, &parameters);
  cudaGraphInstantiate(&made_exec, made, 0);
  cudaGraphLaunch(made_exec, a);
  cudaStreamSynchronize(a);

  // Work of another stream beside a graph.
  cudaGraph_t alone;
  cudaGraphExec_t alone_exec;
  cudaStreamBeginCapture(c, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(host, data, N * sizeof(int), cudaMemcpyDeviceToHost, c);  // @DOWNLOAD
  cudaStreamEndCapture(c, &alone);
  cudaGraphInstantiate(&alone_exec, alone, 0);
  scale<<<N / 256, 256, 0, b>>>(data);
  cudaGraphLaunch(alone_exec, c);
  return cudaDeviceSynchronize() != cudaSuccess;
}
