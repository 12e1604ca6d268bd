// The driver API's graphs: the runtime's graphs in the driver's structures.
#include <cuda.h>
#include <dlfcn.h>
#include <gmock/gmock.h>

#include "program.h"

namespace {

using program::Buffer;
using testing::Each;
using testing::ElementsAre;

#define CU(call) ASSERT_EQ(CUDA_SUCCESS, (call))

class DriverGraphTest : public testing::Test {
 protected:
  void SetUp() override {
    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    CU(cuCtxCreate(&context, 0, device));
    CU(cuModuleLoadData(&module, program::kPtx));
    CU(cuModuleGetFunction(&add, module, "add"));
    CU(cuModuleGetFunction(&multiply, module, "multiply"));
    CU(cuGraphCreate(&graph, 0));
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  }
  static CUDA_KERNEL_NODE_PARAMS kernel(CUfunction function, void** arguments, unsigned threads = 32) {
    CUDA_KERNEL_NODE_PARAMS p = {};
    p.func = function;
    p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimY = p.blockDimZ = 1;
    p.blockDimX = threads;
    p.kernelParams = arguments;
    return p;
  }
  void launch() {
    CU(cuGraphLaunch(exec, stream));
    CU(cuStreamSynchronize(stream));
  }
  static CUdeviceptr at(const void* p) { return reinterpret_cast<CUdeviceptr>(p); }

  CUdevice device = -1;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction add = nullptr, multiply = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CUstream stream = nullptr;
};

TEST_F(DriverGraphTest, NodesOfEveryKindRunAndSayWhatTheyDo) {
  Buffer<int> v(32), w(32);
  int* data = v.data();
  int three = 3, called = 0;
  CUgraphNode filled, multiplied, copied, hosted, nothing;
  CUDA_MEMSET_NODE_PARAMS fill = {at(data), 0, 7, 4, 32, 1};
  CU(cuGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill, context));
  void* arguments[] = {&data, &three};
  CUDA_KERNEL_NODE_PARAMS k = kernel(multiply, arguments);
  CU(cuGraphAddKernelNode(&multiplied, graph, &filled, 1, &k));
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = at(data);
  copy.dstDevice = at(w.data());
  copy.WidthInBytes = 128;
  copy.Height = copy.Depth = 1;
  CU(cuGraphAddMemcpyNode(&copied, graph, &multiplied, 1, &copy, context));
  CUDA_HOST_NODE_PARAMS host = {[](void* count) { ++*static_cast<int*>(count); }, &called};
  CU(cuGraphAddHostNode(&hosted, graph, &copied, 1, &host));
  CU(cuGraphAddEmptyNode(&nothing, graph, &hosted, 1));
  CU(cuGraphInstantiate(&exec, graph, 0));
  launch();
  EXPECT_THAT(w.get(), Each(21));
  EXPECT_EQ(1, called);

  CUDA_KERNEL_NODE_PARAMS told;
  CU(cuGraphKernelNodeGetParams(multiplied, &told));
  EXPECT_EQ(multiply, told.func);
  EXPECT_EQ(32u, told.blockDimX);
  EXPECT_EQ(data, *static_cast<int**>(told.kernelParams[0]));
  EXPECT_EQ(3, *static_cast<int*>(told.kernelParams[1]));
  CUDA_MEMCPY3D copy_told;
  CU(cuGraphMemcpyNodeGetParams(copied, &copy_told));
  EXPECT_EQ(at(data), copy_told.srcDevice);
  EXPECT_EQ(at(w.data()), copy_told.dstDevice);
  EXPECT_EQ(CU_MEMORYTYPE_DEVICE, copy_told.dstMemoryType);
  EXPECT_EQ(128u, copy_told.WidthInBytes);
  CUDA_MEMSET_NODE_PARAMS fill_told;
  CU(cuGraphMemsetNodeGetParams(filled, &fill_told));
  EXPECT_EQ(7u, fill_told.value);
  CUgraphNodeType type;
  CU(cuGraphNodeGetType(hosted, &type));
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_HOST, type);

  int four = 4;
  void* others[] = {&data, &four};
  k = kernel(nullptr, others);
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuGraphExecKernelNodeSetParams(exec, multiplied, &k));
  k.kern = reinterpret_cast<CUkernel>(add);
  CU(cuGraphExecKernelNodeSetParams(exec, multiplied, &k));
  launch();
  EXPECT_THAT(w.get(), Each(11));
  fill.value = 9;
  CU(cuGraphExecMemsetNodeSetParams(exec, filled, &fill, context));
  copy.WidthInBytes = 4;
  CU(cuGraphExecMemcpyNodeSetParams(exec, copied, &copy, context));
  launch();
  EXPECT_EQ(13, w.get()[0]);
  EXPECT_EQ(11, w.get()[1]);
  CU(cuGraphNodeSetEnabled(exec, hosted, 0));
  launch();
  EXPECT_EQ(3, called);

  size_t count = 0;
  CU(cuGraphGetEdges(graph, nullptr, nullptr, &count));
  EXPECT_EQ(4u, count);
  CUgraphNode before[1];
  CU(cuGraphNodeGetDependencies_v2(copied, before, nullptr, &(count = 1)));
  EXPECT_EQ(multiplied, before[0]);
  CUgraph clone;
  CUgraphNode cloned;
  CU(cuGraphClone(&clone, graph));
  CU(cuGraphNodeFindInClone(&cloned, copied, clone));
  EXPECT_NE(copied, cloned);
  CU(cuGraphDestroyNode(nothing));
  CUgraphExecUpdateResultInfo info;
  EXPECT_EQ(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(exec, graph, &info));
  EXPECT_EQ(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, info.result);
  CU(cuGraphExecUpdate(exec, clone, &info));
}

TEST_F(DriverGraphTest, OneCallAddsNodesOfAnyKind) {
  Buffer<int> v(32);
  int* data = v.data();
  int two = 2;
  struct {
    int* v;
    int by;
  } packed = {data, two};
  size_t bytes = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  CUgraphNode filled, added, copied;
  CUgraphNodeParams p = {};
  p.type = CU_GRAPH_NODE_TYPE_MEMSET;
  p.memset = {at(data), 0, 7, 4, 32, 1, context};
  CU(cuGraphAddNode(&filled, graph, nullptr, 0, &p));
  p = {};
  p.type = CU_GRAPH_NODE_TYPE_KERNEL;
  p.kernel = kernel(add, nullptr);
  p.kernel.extra = extra;
  CU(cuGraphAddNode_v2(&added, graph, &filled, nullptr, 1, &p));
  std::vector<int> out(32);
  p = {};
  p.type = CU_GRAPH_NODE_TYPE_MEMCPY;
  CUDA_MEMCPY3D& copy = p.memcpy.copyParams;
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = at(data);
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = out.data();
  copy.WidthInBytes = 128;
  copy.Height = copy.Depth = 1;
  CU(cuGraphAddNode(&copied, graph, &added, 1, &p));
  CUDA_GRAPH_INSTANTIATE_PARAMS how = {};
  CU(cuGraphInstantiateWithParams(&exec, graph, &how));
  EXPECT_EQ(CUDA_GRAPH_INSTANTIATE_SUCCESS, how.result_out);
  launch();
  EXPECT_THAT(out, Each(9));
  CUDA_MEMCPY3D told;
  CU(cuGraphMemcpyNodeGetParams(copied, &told));
  EXPECT_EQ(CU_MEMORYTYPE_HOST, told.dstMemoryType);
  EXPECT_EQ(out.data(), told.dstHost);
  copy.WidthInBytes = 8;
  out.assign(32, 0);
  CU(cuGraphExecNodeSetParams(exec, copied, &p));
  launch();
  EXPECT_EQ(9, out[1]);
  EXPECT_EQ(0, out[2]);
  p = {};
  p.type = CU_GRAPH_NODE_TYPE_KERNEL;
  CUgraphNode none;
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuGraphAddNode(&none, graph, nullptr, 0, &p)) << "an H200's answer";
}

TEST_F(DriverGraphTest, WhileWithTheDriversHandle) {
  Buffer<int> v(2);
  int* data = v.data();
  CUfunction countdown;
  CU(cuModuleGetFunction(&countdown, module, "countdown"));
  CUgraphConditionalHandle handle = 0;
  CU(cuGraphConditionalHandleCreate(&handle, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNodeParams p = {};
  p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  p.conditional = {handle, CU_GRAPH_COND_TYPE_WHILE, 1, nullptr, context};
  CUgraphNode node, inner;
  CU(cuGraphAddNode(&node, graph, nullptr, 0, &p));
  void* arguments[] = {&data, &handle};
  const CUDA_KERNEL_NODE_PARAMS k = kernel(countdown, arguments, 1);
  CU(cuGraphAddKernelNode(&inner, p.conditional.phGraph_out[0], nullptr, 0, &k));
  CU(cuGraphInstantiate(&exec, graph, 0));
  const int start[] = {5, 0};
  CU(cuMemcpyHtoD(at(data), start, sizeof start));
  launch();
  EXPECT_THAT(v.get(), ElementsAre(0, 5));
}

TEST_F(DriverGraphTest, CaptureIsSeenAndSteered) {
  Buffer<int> v(32);
  int* data = v.data();
  int one = 1;
  void* arguments[] = {&data, &one};
  CU(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  CU(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
  CUstreamCaptureStatus status;
  cuuint64_t id = 0;
  CUgraph into = nullptr;
  const CUgraphNode* frontier = nullptr;
  size_t count = 0;
  CU(cuStreamGetCaptureInfo(stream, &status, &id, &into, &frontier, &count));
  EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_ACTIVE, status);
  EXPECT_NE(0u, id);
  ASSERT_EQ(1u, count);
  CUgraphNode child, sub;
  const CUDA_KERNEL_NODE_PARAMS k = kernel(add, arguments);
  CU(cuGraphAddKernelNode(&sub, graph, nullptr, 0, &k));
  CU(cuGraphAddChildGraphNode(&child, into, frontier, 1, graph));
  CU(cuStreamUpdateCaptureDependencies(stream, &child, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  CU(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
  CUgraph captured;
  CU(cuStreamEndCapture(stream, &captured));
  CU(cuGraphInstantiate(&exec, captured, 0));
  launch();
  EXPECT_THAT(v.get(), Each(3));
}

TEST_F(DriverGraphTest, WordsAreWrittenAndWaitedForInBatches) {
  Buffer<int> v(4);
  const CUdeviceptr first = at(v.data());
  CUstreamBatchMemOpParams list[3] = {};
  list[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  list[0].writeValue.address = first;
  list[0].writeValue.value = 5;
  list[1].memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
  list[2].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
  list[2].writeValue.address = first + 8;
  list[2].writeValue.value64 = 0x700000006;
  CU(cuStreamBatchMemOp(stream, 3, list, 0));
  CU(cuStreamSynchronize(stream));
  EXPECT_THAT(v.get(), ElementsAre(5, 0, 6, 7));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp(stream, 3, list, 1));
  CUstreamBatchMemOpParams flush = {};
  flush.operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
  EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED, cuStreamBatchMemOp(stream, 1, &flush, 0)) << "an H200's answer";

  list[1] = list[0];
  list[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  list[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  list[0].writeValue.value = list[1].waitValue.value = 8;
  list[2].writeValue.value64 = 9;
  const CUDA_BATCH_MEM_OP_NODE_PARAMS p = {context, 3, list, 0};
  CUgraphNode node;
  CU(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &p));
  CU(cuGraphInstantiate(&exec, graph, 0));
  launch();
  EXPECT_THAT(v.get(), ElementsAre(8, 0, 9, 0));
  CUDA_BATCH_MEM_OP_NODE_PARAMS told;
  CU(cuGraphBatchMemOpNodeGetParams(node, &told));
  ASSERT_EQ(3u, told.count);
  EXPECT_EQ(9u, told.paramArray[2].writeValue.value64);
  list[2].writeValue.value64 = 10;
  CU(cuGraphExecBatchMemOpNodeSetParams(exec, node, &p));
  launch();
  EXPECT_THAT(v.get(), ElementsAre(8, 0, 10, 0));
}

TEST_F(DriverGraphTest, EntryPointsHaveTheSignatureOfTheVersionAskedFor) {
  const auto found = [](const char* name, int version) {
    void* entry = nullptr;
    EXPECT_EQ(CUDA_SUCCESS, cuGetProcAddress(name, &entry, version, 0, nullptr)) << name;
    return entry;
  };
  const auto symbol = [](const char* name) { return dlsym(RTLD_DEFAULT, name); };
  EXPECT_EQ(symbol("cuCtxGetDevice"), found("cuCtxGetDevice", 12080));
  EXPECT_EQ(symbol("cuCtxGetDevice_v2"), found("cuCtxGetDevice", 13000));
  EXPECT_EQ(symbol("cuCtxSynchronize"), found("cuCtxSynchronize", 12080));
  EXPECT_EQ(symbol("cuGraphAddNode"), found("cuGraphAddNode", 12020));
  EXPECT_EQ(symbol("cuGraphAddNode_v2"), found("cuGraphAddNode", 12030));
  EXPECT_EQ(symbol("cuGraphGetEdges_v2"), found("cuGraphGetEdges", 13000));
  EXPECT_EQ(symbol("cuStreamGetCaptureInfo_v2"), found("cuStreamGetCaptureInfo", 11040));
  EXPECT_EQ(symbol("cuStreamGetCaptureInfo_v3"), found("cuStreamGetCaptureInfo", 12080));
  EXPECT_EQ(symbol("cuMemAlloc_v2"), found("cuMemAlloc", 13000));
}

}  // namespace
