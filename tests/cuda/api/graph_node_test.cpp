// cudaGraphAddNode and its relatives, and conditional nodes. Errors are those of an H200 (driver 580).
#include <gmock/gmock.h>

#include <fstream>

#include "program.h"

namespace {

using program::Buffer;
using testing::Each;
using testing::ElementsAre;

class GraphNodeTest : public testing::Test {
 protected:
  void SetUp() override {
    CK(cudaGraphCreate(&graph, 0));
    CK(cudaStreamCreate(&stream));
  }
  static cudaGraphNodeParams of(cudaGraphNodeType type) { return {type, {}, {}, 0}; }
  // One thread of `kernel`.
  static cudaGraphNodeParams kernel(const void* stub, void** arguments, unsigned threads = 32) {
    cudaGraphNodeParams p = of(cudaGraphNodeTypeKernel);
    p.kernel.func = const_cast<void*>(stub);
    p.kernel.gridDim = {1, 1, 1};
    p.kernel.blockDim = {threads, 1, 1};
    p.kernel.kernelParams = arguments;
    return p;
  }
  cudaGraphNode_t add(cudaGraphNodeParams& p, std::vector<cudaGraphNode_t> before = {}, cudaGraph_t to = nullptr) {
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaSuccess, cudaGraphAddNode(&node, to ? to : graph, before.data(), nullptr, before.size(), &p));
    return node;
  }
  cudaGraphConditionalHandle condition(unsigned value, unsigned flags = cudaGraphCondAssignDefault) {
    cudaGraphConditionalHandle handle = 0;
    EXPECT_EQ(cudaSuccess, cudaGraphConditionalHandleCreate(&handle, graph, value, flags));
    return handle;
  }
  static cudaGraphNodeParams conditional(cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                                         unsigned size) {
    cudaGraphNodeParams p = of(cudaGraphNodeTypeConditional);
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = size;
    return p;
  }
  void instantiate() { CK(cudaGraphInstantiate(&exec, graph, 0)); }
  void launch() {
    CK(cudaGraphLaunch(exec, stream));
    CK(cudaStreamSynchronize(stream));
  }
  // v += by in a body
  void add_in(cudaGraph_t body, int* v, int by) {
    void* arguments[] = {&v, &by};
    cudaGraphNodeParams p = kernel(&program::add, arguments);
    add(p, {}, body);
  }

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaStream_t stream = nullptr;
};

TEST_F(GraphNodeTest, EveryKindIsAddedByOneCall) {
  Buffer<int> v(32), w(32);
  int* data = v.data();
  int three = 3, called = 0;
  cudaEvent_t event;
  CK(cudaEventCreate(&event));

  cudaGraphNodeParams fill = of(cudaGraphNodeTypeMemset);
  fill.memset = {data, 0, 7, 4, 32, 1};
  const cudaGraphNode_t filled = add(fill);
  void* arguments[] = {&data, &three};
  cudaGraphNodeParams multiply = kernel(&program::multiply, arguments);
  const cudaGraphNode_t multiplied = add(multiply, {filled});
  cudaGraphNodeParams copy = of(cudaGraphNodeTypeMemcpy);
  copy.memcpy.copyParams.srcPtr = {data, 128, 128, 1};
  copy.memcpy.copyParams.dstPtr = {w.data(), 128, 128, 1};
  copy.memcpy.copyParams.extent = {128, 1, 1};
  copy.memcpy.copyParams.kind = cudaMemcpyDeviceToDevice;
  const cudaGraphNode_t copied = add(copy, {multiplied});
  cudaGraphNodeParams host = of(cudaGraphNodeTypeHost);
  host.host = {[](void* count) { ++*static_cast<int*>(count); }, &called};
  const cudaGraphNode_t hosted = add(host, {copied});
  cudaGraphNodeParams record = of(cudaGraphNodeTypeEventRecord), wait = of(cudaGraphNodeTypeWaitEvent);
  record.eventRecord.event = wait.eventWait.event = event;
  const cudaGraphNode_t recorded = add(record, {hosted}), waited = add(wait, {recorded});
  cudaGraph_t inner;
  CK(cudaGraphCreate(&inner, 0));
  add_in(inner, w.data(), 100);
  cudaGraphNodeParams child = of(cudaGraphNodeTypeGraph);
  child.graph.graph = inner;
  const cudaGraphNode_t childed = add(child, {waited});
  cudaGraphNodeParams empty = of(cudaGraphNodeTypeEmpty);
  const cudaGraphNode_t nothing = add(empty, {childed});

  const cudaGraphNode_t nodes[] = {filled, multiplied, copied, hosted, recorded, waited, childed, nothing};
  const cudaGraphNodeType types[] = {cudaGraphNodeTypeMemset, cudaGraphNodeTypeKernel,      cudaGraphNodeTypeMemcpy,
                                     cudaGraphNodeTypeHost,   cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeWaitEvent,
                                     cudaGraphNodeTypeGraph,  cudaGraphNodeTypeEmpty};
  for (size_t i = 0; i < std::size(nodes); ++i) {
    cudaGraphNodeType type{};
    CK(cudaGraphNodeGetType(nodes[i], &type));
    EXPECT_EQ(types[i], type) << i;
  }
  instantiate();
  launch();
  EXPECT_THAT(w.get(), Each(121));
  EXPECT_EQ(1, called);

  // In the executable graph only ...
  int four = 4;
  void* others[] = {&data, &four};
  cudaGraphNodeParams again = kernel(&program::multiply, others);
  CK(cudaGraphExecNodeSetParams(exec, multiplied, &again));
  launch();
  EXPECT_THAT(w.get(), Each(128));
  // ... and in the graph, for the next one.
  fill.memset.value = 1;
  CK(cudaGraphNodeSetParams(filled, &fill));
  launch();
  EXPECT_THAT(w.get(), Each(128));
  instantiate();
  launch();
  EXPECT_THAT(w.get(), Each(103));
  EXPECT_EQ(4, called);
  // A node's kind cannot change, and reserved words must be zero.
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphNodeSetParams(filled, &again));
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphExecNodeSetParams(exec, filled, &again));
  empty.reserved0[0] = 1;
  cudaGraphNode_t node;
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &empty));
  cudaGraphNodeParams unknown = of(static_cast<cudaGraphNodeType>(55));
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &unknown));
}

TEST_F(GraphNodeTest, MemoryNodesAndChildrenThatMove) {
  Buffer<int> v(32);
  cudaGraph_t inner;
  CK(cudaGraphCreate(&inner, 0));
  cudaGraphNodeParams alloc = of(cudaGraphNodeTypeMemAlloc);
  alloc.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  alloc.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
  alloc.alloc.bytesize = 128;
  const cudaGraphNode_t made = add(alloc, {}, inner);
  ASSERT_NE(nullptr, alloc.alloc.dptr);
  EXPECT_EQ(cudaErrorNotSupported, cudaGraphNodeSetParams(made, &alloc));
  cudaGraphNode_t filled, copied;
  cudaMemsetParams fill{alloc.alloc.dptr, 0, 5, 4, 32, 1};
  CK(cudaGraphAddMemsetNode(&filled, inner, &made, 1, &fill));
  CK(cudaGraphAddMemcpyNode1D(&copied, inner, &filled, 1, v.data(), alloc.alloc.dptr, 128, cudaMemcpyDeviceToDevice));
  cudaGraphNodeParams gone = of(cudaGraphNodeTypeMemFree);
  gone.free.dptr = alloc.alloc.dptr;
  add(gone, {copied}, inner);

  cudaGraphNodeParams child = of(cudaGraphNodeTypeGraph);
  child.graph.graph = inner;
  cudaGraphNode_t node;
  EXPECT_EQ(cudaErrorNotSupported, cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &child));
  child.graph.ownership = cudaGraphChildGraphOwnershipMove;
  node = add(child);
  cudaGraph_t held = nullptr;
  CK(cudaGraphChildGraphNodeGetGraph(node, &held));
  EXPECT_EQ(inner, held);
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphDestroy(inner));
  instantiate();
  launch();
  EXPECT_THAT(v.get(), Each(5));
}

TEST_F(GraphNodeTest, ParametersOfSymbolsChange) {
  Buffer<int> v(8);
  const std::vector<int> first = program::iota(8, 10), second = program::iota(8, 20);
  cudaGraphNode_t to = nullptr, from = nullptr;
  CK(cudaGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, program::table, first.data(), 32, 0,
                                    cudaMemcpyHostToDevice));
  CK(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, v.data(), program::table, 32, 0, cudaMemcpyDeviceToDevice));
  instantiate();
  launch();
  EXPECT_EQ(first, v.get());
  CK(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, to, program::table, second.data(), 16, 16, cudaMemcpyHostToDevice));
  launch();
  EXPECT_THAT(v.get(), ElementsAre(10, 11, 12, 13, 20, 21, 22, 23));
  CK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, from, v.data(), program::table, 4, 16, cudaMemcpyDeviceToDevice));
  launch();
  EXPECT_EQ(20, v.get()[0]);
  CK(cudaGraphMemcpyNodeSetParamsToSymbol(to, program::table, second.data(), 32, 0, cudaMemcpyHostToDevice));
  CK(cudaGraphMemcpyNodeSetParamsFromSymbol(from, v.data(), program::table, 8, 24, cudaMemcpyDeviceToDevice));
  instantiate();
  launch();
  EXPECT_THAT(v.get(), ElementsAre(26, 27, 12, 13, 20, 21, 22, 23));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphMemcpyNodeSetParamsToSymbol(to, program::table, second.data(), 32, 4, cudaMemcpyHostToDevice));
}

TEST_F(GraphNodeTest, IfAndElse) {
  for (unsigned value : {0u, 1u, 7u}) {
    Buffer<int> v(32);
    CK(cudaGraphCreate(&graph, 0));
    cudaGraphNodeParams p = conditional(condition(value), cudaGraphCondTypeIf, 2);
    const cudaGraphNode_t node = add(p);
    cudaGraphNodeType type{};
    CK(cudaGraphNodeGetType(node, &type));
    EXPECT_EQ(cudaGraphNodeTypeConditional, type);
    add_in(p.conditional.phGraph_out[0], v.data(), 1);
    add_in(p.conditional.phGraph_out[1], v.data(), 10);
    instantiate();
    launch();
    launch();
    EXPECT_THAT(v.get(), Each(value ? 2 : 20));
  }
}

TEST_F(GraphNodeTest, WhileRunsItsBodyAsLongAsAKernelSaysSo) {
  Buffer<int> v(2);
  int* data = v.data();
  cudaGraphConditionalHandle handle = condition(1);
  cudaGraphNodeParams p = conditional(handle, cudaGraphCondTypeWhile, 1);
  add(p);
  void* arguments[] = {&data, &handle};
  cudaGraphNodeParams body = kernel(&program::countdown, arguments, 1);
  add(body, {}, p.conditional.phGraph_out[0]);
  instantiate();
  for (int count : {7, 1, 3}) {
    const int start[] = {count, 0};
    CK(cudaMemcpy(data, start, sizeof start, cudaMemcpyHostToDevice));
    launch();
    EXPECT_THAT(v.get(), ElementsAre(0, count));
  }
}

TEST_F(GraphNodeTest, SwitchRunsTheBodyOfTheValueThatAKernelSet) {
  Buffer<int> v(32);
  int* data = v.data();
  cudaGraphConditionalHandle handle = condition(0);
  unsigned value = 3;
  void* arguments[] = {&handle, &value};
  cudaGraphNodeParams set = kernel(&program::set, arguments, 1);
  const cudaGraphNode_t setter = add(set);
  cudaGraphNodeParams p = conditional(handle, cudaGraphCondTypeSwitch, 5);
  add(p, {setter});
  for (int i = 0; i < 5; ++i) add_in(p.conditional.phGraph_out[i], data, 1 << (4 * i));
  instantiate();
  int sum = 0;
  for (; value <= 5; ++value) {  // 5 has no body
    CK(cudaGraphExecNodeSetParams(exec, setter, &set));
    launch();
    sum += value < 5 ? 1 << (4 * value) : 0;
    EXPECT_THAT(v.get(), Each(sum)) << value;
  }
}

TEST_F(GraphNodeTest, ConditionsNestAndBodiesAreCaptured) {
  Buffer<int> v(4), w(32);
  int* data = v.data();
  cudaGraphConditionalHandle outer = condition(1), inner = 0;
  cudaGraphNodeParams p = conditional(outer, cudaGraphCondTypeWhile, 1);
  add(p);
  const cudaGraph_t body = p.conditional.phGraph_out[0];
  void* arguments[] = {&data, &outer};
  cudaGraphNodeParams count = kernel(&program::countdown, arguments, 1);
  const cudaGraphNode_t counted = add(count, {}, body);
  CK(cudaGraphConditionalHandleCreate(&inner, body, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams q = conditional(inner, cudaGraphCondTypeIf, 1);
  add(q, {counted}, body);
  // The condition's default is set at the launch of the whole graph, not when its body runs again.
  CK(cudaStreamBeginCaptureToGraph(stream, q.conditional.phGraph_out[0], nullptr, nullptr, 0,
                                   cudaStreamCaptureModeRelaxed));
  CK(program::launch(&program::add, w.data(), 1, stream));
  unsigned zero = 0;
  void* set_arguments[] = {&inner, &zero};
  CK(cudaLaunchKernel(&program::set, {1, 1, 1}, {1, 1, 1}, set_arguments, 0, stream));
  cudaGraph_t captured = nullptr;
  CK(cudaStreamEndCapture(stream, &captured));
  EXPECT_EQ(q.conditional.phGraph_out[0], captured);
  const int start[] = {4, 0};
  CK(cudaMemcpy(data, start, sizeof start, cudaMemcpyHostToDevice));
  instantiate();
  launch();
  EXPECT_EQ(4, v.get()[1]);
  EXPECT_THAT(w.get(), Each(1));
}

TEST_F(GraphNodeTest, ACaptureIntoAGraphNeedNotReturnIt) {
  Buffer<int> v(32);
  CK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  EXPECT_EQ(cudaErrorInvalidValue, cudaStreamEndCapture(stream, nullptr));  // the graph would be lost
  cudaGraph_t made = nullptr;
  CK(cudaStreamEndCapture(stream, &made));
  CK(cudaGraphDestroy(made));
  CK(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
  CK(program::launch(&program::add, v.data(), 1, stream));
  CK(cudaStreamEndCapture(stream, nullptr));
  instantiate();
  launch();
  EXPECT_THAT(v.get(), Each(1));
}

TEST_F(GraphNodeTest, WhatConditionalNodesRefuse) {
  cudaGraphConditionalHandle handle = condition(1), other = 0;
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&other, graph, 0, 2));
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(nullptr, graph, 0, 0));
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&other, nullptr, 0, 0));
  // A condition without a node
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, graph, 0));
  cudaGraphInstantiateParams how = {};
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, graph, &how));
  EXPECT_EQ(cudaGraphInstantiateConditionalHandleUnused, how.result_out);
  const std::pair<cudaGraphConditionalNodeType, unsigned> wrong[] = {
      {cudaGraphCondTypeIf, 0},    {cudaGraphCondTypeIf, 3},     {cudaGraphCondTypeWhile, 0},
      {cudaGraphCondTypeWhile, 2}, {cudaGraphCondTypeSwitch, 0}, {static_cast<cudaGraphConditionalNodeType>(9), 1}};
  cudaGraphNode_t node;
  for (const auto& [type, size] : wrong) {
    cudaGraphNodeParams p = conditional(handle, type, size);
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p)) << type << " " << size;
  }
  cudaGraphNodeParams nobody = conditional(handle + 64, cudaGraphCondTypeIf, 1);
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &nobody));
  cudaGraphNodeParams p = conditional(handle, cudaGraphCondTypeWhile, 1);
  node = add(p);
  cudaGraphNode_t second;
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphAddNode(&second, graph, nullptr, nullptr, 0, &p)) << "one node a condition";
  EXPECT_EQ(cudaErrorNotSupported, cudaGraphNodeSetParams(node, &p));

  instantiate();
  EXPECT_EQ(cudaErrorNotSupported, cudaGraphExecNodeSetParams(exec, node, &p));
  cudaGraphExec_t twice;
  cudaGraph_t clone, parent;
  EXPECT_EQ(cudaErrorNotSupported, cudaGraphInstantiate(&twice, graph, 0));
  EXPECT_EQ(cudaErrorNotSupported, cudaGraphClone(&clone, graph));
  CK(cudaGraphCreate(&parent, 0));
  EXPECT_EQ(cudaErrorNotSupported, cudaGraphAddChildGraphNode(&second, parent, nullptr, 0, graph));
  CK(cudaGraphExecDestroy(exec));
  // The DOT output names the kind.
  const std::string path = testing::TempDir() + "conditional.dot";
  CK(cudaGraphDebugDotPrint(graph, path.c_str(), 0));
  std::ifstream dot(path);
  EXPECT_NE(std::string::npos, std::string(std::istreambuf_iterator<char>(dot), {}).find("conditional"));
  cudaHostNodeParams host = {[](void*) {}, nullptr};
  CK(cudaGraphAddHostNode(&second, p.conditional.phGraph_out[0], nullptr, 0, &host));
  EXPECT_EQ(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, graph, 0)) << "a host function in a body";
}

TEST_F(GraphNodeTest, AnUpdateTakesTheOtherGraphsConditions) {
  Buffer<int> v(32);
  cudaGraph_t graphs[2];
  for (int i = 0; i < 2; ++i) {
    CK(cudaGraphCreate(&graph, 0));
    graphs[i] = graph;
    cudaGraphConditionalHandle handle = condition(0);
    unsigned yes = unsigned(i);
    void* arguments[] = {&handle, &yes};
    cudaGraphNodeParams set = kernel(&program::set, arguments, 1);
    const cudaGraphNode_t setter = add(set);
    cudaGraphNodeParams p = conditional(handle, cudaGraphCondTypeIf, 1);
    add(p, {setter});
    add_in(p.conditional.phGraph_out[0], v.data(), 5);
  }
  graph = graphs[0];
  instantiate();
  launch();
  EXPECT_THAT(v.get(), Each(0));
  cudaGraphExecUpdateResultInfo info;
  CK(cudaGraphExecUpdate(exec, graphs[1], &info));
  EXPECT_EQ(cudaGraphExecUpdateSuccess, info.result);
  launch();
  EXPECT_THAT(v.get(), Each(5));
}

}  // namespace
