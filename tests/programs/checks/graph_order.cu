// Graphs whose edges order what their nodes share: nothing is found.
// TOOLS: racecheck
constexpr int N = 1024;

__global__ void fill(int* data) { data[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

__global__ void read(const int* data, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = data[i];
}

int main() {
  int *data, *left, *right, *host;
  cudaMalloc(&data, N * sizeof(int));
  cudaMalloc(&left, N * sizeof(int));
  cudaMalloc(&right, N * sizeof(int));
  cudaMallocHost(&host, N * sizeof(int));
  cudaStream_t a, b, c;
  for (cudaStream_t* s : {&a, &b, &c}) cudaStreamCreateWithFlags(s, cudaStreamNonBlocking);
  cudaEvent_t fork, join;
  cudaEventCreate(&fork);
  cudaEventCreate(&join);

  // A diamond: two readers beside each other, then one that overwrites.
  cudaGraph_t graph, outer;
  cudaGraphExec_t exec, outer_exec;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  fill<<<N / 256, 256, 0, a>>>(data);
  cudaEventRecord(fork, a);
  cudaStreamWaitEvent(b, fork, 0);
  read<<<N / 256, 256, 0, a>>>(data, left);
  read<<<N / 256, 256, 0, b>>>(data, right);
  cudaEventRecord(join, b);
  cudaStreamWaitEvent(a, join, 0);
  fill<<<N / 256, 256, 0, a>>>(data);
  cudaStreamEndCapture(a, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  // Launches of one executable graph follow each other in whatever streams.
  cudaGraphLaunch(exec, a);
  cudaGraphLaunch(exec, a);
  cudaGraphLaunch(exec, b);
  read<<<N / 256, 256, 0, b>>>(data, left);
  cudaEventRecord(join, b);
  cudaStreamWaitEvent(c, join, 0);
  cudaMemcpyAsync(host, left, N * sizeof(int), cudaMemcpyDeviceToHost, c);
  cudaStreamSynchronize(c);
  host[0] = 0;

  // A child graph, and a node behind all of it.
  cudaGraphNode_t child, copy;
  cudaGraphCreate(&outer, 0);
  cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph);
  cudaGraphAddMemcpyNode1D(&copy, outer, &child, 1, host, right, N * sizeof(int), cudaMemcpyDeviceToHost);
  cudaGraphInstantiate(&outer_exec, outer, 0);
  cudaGraphLaunch(outer_exec, a);
  fill<<<N / 256, 256, 0, a>>>(right);
  return cudaDeviceSynchronize() != cudaSuccess;
}
