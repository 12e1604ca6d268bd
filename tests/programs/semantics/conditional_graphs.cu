// Conditional nodes of graphs, with kernels that set their conditions: a search that continues while it improves, and a
// choice among bodies, one of which has its own condition.
#include "check.h"

__global__ void halve(float* x, float target, cudaGraphConditionalHandle again) {
  // Newton's step for a square root; continues while the value changes.
  const float before = *x, after = 0.5f * (before + target / before);
  *x = after;
  x[1] += 1;
  cudaGraphSetConditional(again, fabsf(after - before) > 1e-4f * after);
}
__global__ void choose(const int* from, cudaGraphConditionalHandle which) { cudaGraphSetConditional(which, *from); }
__global__ void add(int* to, int by) { atomicAdd(to, by); }

cudaGraphNode_t kernel_node(cudaGraph_t graph, void* function, void** arguments, unsigned threads,
                            const cudaGraphNode_t* before = nullptr) {
  cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};
  p.kernel.func = function;
  p.kernel.gridDim = dim3(1);
  p.kernel.blockDim = dim3(threads);
  p.kernel.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  CK(cudaGraphAddNode(&node, graph, before, nullptr, before ? 1 : 0, &p));
  return node;
}
cudaGraph_t* conditional_node(cudaGraph_t graph, cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                              unsigned bodies, const cudaGraphNode_t* before = nullptr) {
  cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
  p.conditional.handle = handle;
  p.conditional.type = type;
  p.conditional.size = bodies;
  cudaGraphNode_t node = nullptr;
  CK(cudaGraphAddNode(&node, graph, before, nullptr, before ? 1 : 0, &p));
  return p.conditional.phGraph_out;
}

void roots() {
  Buffer<float> x(2);
  float* data = x;
  float target = 2.0f;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphConditionalHandle again;
  CK(cudaGraphCreate(&graph, 0));
  CK(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
  cudaGraph_t* body = conditional_node(graph, again, cudaGraphCondTypeWhile, 1);
  void* arguments[] = {&data, &target, &again};
  kernel_node(body[0], (void*)halve, arguments, 1);
  CK(cudaGraphInstantiate(&exec, graph, 0));
  for (int launch = 0; launch < 2; ++launch) {
    const float start[] = {100.0f, 0.0f};
    CK(cudaMemcpy(data, start, sizeof start, cudaMemcpyHostToDevice));
    CK(cudaGraphLaunch(exec, 0));
    CK(cudaDeviceSynchronize());
    const std::vector<float> got = x.get();
    // The same steps on the host.
    float value = 100.0f, steps = 0, before;
    do {
      before = value;
      value = 0.5f * (before + target / before);
      ++steps;
    } while (fabsf(value - before) > 1e-4f * value);
    expect_same("steps to a root", std::vector<float>{got[1]}, std::vector<float>{steps});
  }
}

void choices() {
  Buffer<int> which(1), sum(1);
  int *from = which, *to = sum;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphConditionalHandle choice, inner;
  CK(cudaGraphCreate(&graph, 0));
  CK(cudaGraphConditionalHandleCreate(&choice, graph));
  void* asks[] = {&from, &choice};
  const cudaGraphNode_t asked = kernel_node(graph, (void*)choose, asks, 32);
  cudaGraph_t* body = conditional_node(graph, choice, cudaGraphCondTypeSwitch, 3, &asked);
  int by = 1;
  void* adds[] = {&to, &by};
  kernel_node(body[0], (void*)add, adds, 1);
  by = 10;
  kernel_node(body[1], (void*)add, adds, 2);
  CK(cudaGraphConditionalHandleCreate(&inner, body[2], 0, cudaGraphCondAssignDefault));
  cudaGraph_t* arms = conditional_node(body[2], inner, cudaGraphCondTypeIf, 2);
  by = 1000;
  kernel_node(arms[0], (void*)add, adds, 1);
  by = 100;
  kernel_node(arms[1], (void*)add, adds, 3);
  CK(cudaGraphInstantiate(&exec, graph, 0));
  int expected = 0;
  for (int value : {0, 1, 2, 3, -1, 1}) {
    CK(cudaMemcpy(from, &value, sizeof value, cudaMemcpyHostToDevice));
    CK(cudaGraphLaunch(exec, 0));
    CK(cudaDeviceSynchronize());
    expected += value == 0 ? 1 : value == 1 ? 20 : value == 2 ? 300 : 0;
    expect_same("choices", sum.get(), std::vector<int>{expected});
  }
  CK(cudaGraphExecDestroy(exec));
  CK(cudaGraphDestroy(graph));
}

int main() {
  roots();
  choices();
  return finish();
}
