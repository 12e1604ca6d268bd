// Simple graphs: captured from a stream, built by hand, launched again and again.
#include "check.h"

__global__ void add(int* v, int by) { v[threadIdx.x] += by; }
__global__ void multiply(int* v, int by) { v[threadIdx.x] *= by; }

int main() {
  Buffer<int> v(32);
  int* data = v;
  {
    cudaStream_t stream;
    CK(cudaStreamCreate(&stream));
    cudaGraph_t graph;
    CK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CK(cudaMemsetAsync(data, 0, 128, stream));
    add<<<1, 32, 0, stream>>>(data, 3);
    multiply<<<1, 32, 0, stream>>>(data, 5);
    cudaStreamCaptureStatus status;
    CK(cudaStreamIsCapturing(stream, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    CK(cudaStreamEndCapture(stream, &graph));
    expect_same("nothing ran while capturing", v.get(), std::vector<int>(32, 0));
    cudaGraphExec_t exec;
    CK(cudaGraphInstantiate(&exec, graph, 0));
    for (int k = 0; k < 3; ++k) CK(cudaGraphLaunch(exec, stream));
    CK(cudaStreamSynchronize(stream));
    expect_same("captured", v.get(), std::vector<int>(32, 15));
    size_t nodes = 0;
    CK(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT(nodes == 3);
    CK(cudaGraphExecDestroy(exec));
    CK(cudaGraphDestroy(graph));
    CK(cudaStreamDestroy(stream));
  }
  {
    cudaGraph_t graph;
    CK(cudaGraphCreate(&graph, 0));
    int two = 2, seven = 7;
    void* args_add[] = {&data, &two};
    void* args_multiply[] = {&data, &seven};
    cudaKernelNodeParams p = {};
    p.gridDim = 1;
    p.blockDim = 32;
    p.func = reinterpret_cast<void*>(add);
    p.kernelParams = args_add;
    cudaGraphNode_t first, second;
    CK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &p));
    p.func = reinterpret_cast<void*>(multiply);
    p.kernelParams = args_multiply;
    CK(cudaGraphAddKernelNode(&second, graph, &first, 1, &p));
    two = 100;  // arguments were copied when the node was added
    cudaGraphExec_t exec;
    CK(cudaGraphInstantiate(&exec, graph, 0));
    CK(cudaGraphLaunch(exec, 0));
    CK(cudaDeviceSynchronize());
    expect_same("built", v.get(), std::vector<int>(32, 17 * 7));
    CK(cudaGraphExecDestroy(exec));
    CK(cudaGraphDestroy(graph));
  }
  return finish();
}
