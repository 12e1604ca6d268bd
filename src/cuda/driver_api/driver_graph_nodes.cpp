// Driver API: graph nodes of each kind and their parameters. These call the runtime's functions, and convert structures
// that differ.
#include <cstddef>
#include <cstring>

#include "cuda/c_abi/driver.h"
#include "cuda/c_abi/graph_support.h"

using namespace drywarp::cudart;
using drywarp::cuda::KernelOperation;

namespace {

// The runtime's structure begins the driver's.
static_assert(offsetof(CUDA_KERNEL_NODE_PARAMS, kern) == sizeof(cudaKernelNodeParams));
static_assert(offsetof(CUDA_KERNEL_NODE_PARAMS, extra) == offsetof(cudaKernelNodeParams, extra));
static_assert(sizeof(CUDA_MEMSET_NODE_PARAMS) == sizeof(cudaMemsetParams));
static_assert(sizeof(CUDA_HOST_NODE_PARAMS) == sizeof(cudaHostNodeParams));
static_assert(sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) == sizeof(cudaMemAllocNodeParams));
static_assert(sizeof(CUgraphNodeParams) == sizeof(cudaGraphNodeParams));

template <class To, class From>
To* as(From* from) {
  return reinterpret_cast<To*>(from);
}

// Unified memory on either side maps to cudaMemcpyDefault.
cudaMemcpyKind kind_of(CUmemorytype from, CUmemorytype to) {
  if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
  const bool from_host = from == CU_MEMORYTYPE_HOST, to_host = to == CU_MEMORYTYPE_HOST;
  if (from_host) return to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return to_host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

CUmemorytype type_of_end(bool is_array, cudaMemcpyKind kind, bool host) {
  if (is_array) return CU_MEMORYTYPE_ARRAY;
  if (kind == cudaMemcpyDefault) return CU_MEMORYTYPE_UNIFIED;
  return host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

size_t element_of(Session& session, cudaArray_const_t handle) {
  return handle && session.memory().is_live(array(handle)) ? array(handle)->element : 1;
}

Error to_runtime(Session& session, const CUDA_MEMCPY3D& c, cudaMemcpy3DParms& out) {
  out = {};
  if (c.srcLOD || c.dstLOD) return Error::InvalidValue;
  if (c.srcMemoryType == CU_MEMORYTYPE_ARRAY) out.srcArray = reinterpret_cast<cudaArray_t>(c.srcArray);
  if (c.dstMemoryType == CU_MEMORYTYPE_ARRAY) out.dstArray = reinterpret_cast<cudaArray_t>(c.dstArray);
  const size_t from_element = element_of(session, out.srcArray), to_element = element_of(session, out.dstArray);
  const size_t element = out.srcArray ? from_element : to_element;
  if (c.WidthInBytes % element || c.srcXInBytes % from_element || c.dstXInBytes % to_element)
    return Error::InvalidValue;
  const auto pointer_of = [](CUmemorytype type, const void* host, CUdeviceptr device) {
    return type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : device_pointer(device);
  };
  // A pitch of 0 means packed rows.
  const auto or_tight = [](size_t given, size_t tight) { return given ? given : tight; };
  if (!out.srcArray)
    out.srcPtr = {pointer_of(c.srcMemoryType, c.srcHost, c.srcDevice),
                  or_tight(c.srcPitch, c.srcXInBytes + c.WidthInBytes), c.WidthInBytes,
                  or_tight(c.srcHeight, c.srcY + c.Height)};
  if (!out.dstArray)
    out.dstPtr = {pointer_of(c.dstMemoryType, c.dstHost, c.dstDevice),
                  or_tight(c.dstPitch, c.dstXInBytes + c.WidthInBytes), c.WidthInBytes,
                  or_tight(c.dstHeight, c.dstY + c.Height)};
  out.srcPos = {c.srcXInBytes / from_element, c.srcY, c.srcZ};
  out.dstPos = {c.dstXInBytes / to_element, c.dstY, c.dstZ};
  out.extent = {c.WidthInBytes / element, c.Height, c.Depth};
  out.kind = kind_of(c.srcMemoryType, c.dstMemoryType);
  return Error::Success;
}

void to_driver(Session& session, const cudaMemcpy3DParms& p, CUDA_MEMCPY3D& out) {
  out = {};
  const size_t from_element = element_of(session, p.srcArray), to_element = element_of(session, p.dstArray);
  const bool from_host = p.kind == cudaMemcpyHostToDevice || p.kind == cudaMemcpyHostToHost;
  const bool to_host = p.kind == cudaMemcpyDeviceToHost || p.kind == cudaMemcpyHostToHost;
  out.srcMemoryType = type_of_end(p.srcArray, p.kind, from_host);
  out.dstMemoryType = type_of_end(p.dstArray, p.kind, to_host);
  out.srcArray = reinterpret_cast<CUarray>(p.srcArray);
  out.dstArray = reinterpret_cast<CUarray>(p.dstArray);
  if (out.srcMemoryType == CU_MEMORYTYPE_HOST)
    out.srcHost = p.srcPtr.ptr;
  else
    out.srcDevice = address(p.srcPtr.ptr);
  if (out.dstMemoryType == CU_MEMORYTYPE_HOST)
    out.dstHost = p.dstPtr.ptr;
  else
    out.dstDevice = address(p.dstPtr.ptr);
  out.srcXInBytes = p.srcPos.x * from_element, out.srcY = p.srcPos.y, out.srcZ = p.srcPos.z;
  out.dstXInBytes = p.dstPos.x * to_element, out.dstY = p.dstPos.y, out.dstZ = p.dstPos.z;
  out.srcPitch = p.srcPtr.pitch, out.srcHeight = p.srcPtr.ysize;
  out.dstPitch = p.dstPtr.pitch, out.dstHeight = p.dstPtr.ysize;
  out.WidthInBytes = p.extent.width * (p.srcArray ? from_element : to_element);
  out.Height = p.extent.height, out.Depth = p.extent.depth;
}

// Runs `call(const cudaMemcpy3DParms*)` with the copy in the runtime's form.
template <class Call>
CUresult with_copy(const CUDA_MEMCPY3D* c, Call&& call) {
  cudaMemcpy3DParms parameters;
  return driver_call([&]() -> cudaError_t {
    const auto turned = [&]() -> cudaError_t {
      DW_CALL({ return c ? to_runtime(session, *c, parameters) : Error::InvalidValue; });
    };
    const cudaError_t error = turned();
    return error == cudaSuccess ? call(&parameters) : error;
  });
}

// The same for a kernel, which either of two members may name.
template <class Call>
CUresult with_kernel(const CUDA_KERNEL_NODE_PARAMS* p, Call&& call) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  if (!p->func && !p->kern) return CUDA_ERROR_INVALID_HANDLE;
  cudaKernelNodeParams parameters;
  std::memcpy(&parameters, p, sizeof parameters);
  if (!parameters.func) parameters.func = p->kern;
  return driver_call([&] { return call(&parameters); });
}

CUDA_KERNEL_NODE_PARAMS from_first(const CUDA_KERNEL_NODE_PARAMS* p) {
  CUDA_KERNEL_NODE_PARAMS out{};
  if (p) std::memcpy(&out, p, sizeof(cudaKernelNodeParams));
  return out;
}

// Runs `call(cudaGraphNodeParams*)` with the node in the runtime's form, and copies its outputs back.
template <class Call>
CUresult with_any(CUgraphNodeParams* p, Call&& call) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  cudaGraphNodeParams same = {cudaGraphNodeTypeEmpty, {}, {}, 0};
  std::memcpy(static_cast<void*>(&same), p, sizeof same);
  const auto run = [&] { return driver_call([&] { return call(&same); }); };
  if (p->type == CU_GRAPH_NODE_TYPE_KERNEL) {
    if (!p->kernel.func && !p->kernel.kern) return CUDA_ERROR_INVALID_HANDLE;
    if (!p->kernel.func) same.kernel.func = p->kernel.kern;
  }
  if (p->type == CU_GRAPH_NODE_TYPE_MEMCPY)
    return with_copy(&p->memcpy.copyParams, [&](const cudaMemcpy3DParms* copy) {
      same.memcpy = {p->memcpy.flags, {0, 0, 0}, *copy};
      return call(&same);
    });
  const CUresult error = run();
  if (p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) p->alloc.dptr = address(same.alloc.dptr);
  if (p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL) p->conditional.phGraph_out = same.conditional.phGraph_out;
  return error;
}

}  // namespace

extern "C" {

CUresult cuGraphAddNode_v2(CUgraphNode* out, CUgraph to, const CUgraphNode* before, const CUgraphEdgeData*,
                           size_t number, CUgraphNodeParams* p) {
  if (p && p->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
    return cuGraphAddBatchMemOpNode(out, to, before, number, &p->memOp);
  return with_any(
      p, [&](cudaGraphNodeParams* same) { return cudaGraphAddNode_v2(out, to, before, nullptr, number, same); });
}
CUresult cuGraphAddNode(CUgraphNode* out, CUgraph to, const CUgraphNode* before, size_t number, CUgraphNodeParams* p) {
  return cuGraphAddNode_v2(out, to, before, nullptr, number, p);
}
CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* p) {
  if (p && p->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP) return cuGraphBatchMemOpNodeSetParams(node, &p->memOp);
  return with_any(p, [&](cudaGraphNodeParams* same) { return cudaGraphNodeSetParams(node, same); });
}
CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams* p) {
  if (p && p->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP) return cuGraphExecBatchMemOpNodeSetParams(exec, node, &p->memOp);
  return with_any(p, [&](cudaGraphNodeParams* same) { return cudaGraphExecNodeSetParams(exec, node, same); });
}
CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* out, CUgraph of, CUcontext, unsigned at_launch,
                                        unsigned flags) {
  static_assert(sizeof *out == sizeof(cudaGraphConditionalHandle));
  DW_AS(cudaGraphConditionalHandleCreate(as<cudaGraphConditionalHandle>(out), of, at_launch, flags));
}

CUresult cuGraphAddKernelNode(CUgraphNode* out, CUgraph to, const CUgraphNode* before, size_t number,
                              const CUDA_KERNEL_NODE_PARAMS* p) {
  return with_kernel(p, [&](auto* same) { return cudaGraphAddKernelNode(out, to, before, number, same); });
}
CUresult cuGraphAddMemcpyNode(CUgraphNode* out, CUgraph to, const CUgraphNode* before, size_t number,
                              const CUDA_MEMCPY3D* p, CUcontext) {
  return with_copy(p, [&](auto* same) { return cudaGraphAddMemcpyNode(out, to, before, number, same); });
}
CUresult cuGraphAddMemsetNode(CUgraphNode* out, CUgraph to, const CUgraphNode* before, size_t number,
                              const CUDA_MEMSET_NODE_PARAMS* p, CUcontext) {
  DW_AS(cudaGraphAddMemsetNode(out, to, before, number, as<const cudaMemsetParams>(p)));
}
CUresult cuGraphAddHostNode(CUgraphNode* out, CUgraph to, const CUgraphNode* before, size_t number,
                            const CUDA_HOST_NODE_PARAMS* p) {
  DW_AS(cudaGraphAddHostNode(out, to, before, number, as<const cudaHostNodeParams>(p)));
}
CUresult cuGraphAddChildGraphNode(CUgraphNode* out, CUgraph to, const CUgraphNode* before, size_t number,
                                  CUgraph child) {
  DW_AS(cudaGraphAddChildGraphNode(out, to, before, number, child));
}
CUresult cuGraphAddEmptyNode(CUgraphNode* out, CUgraph to, const CUgraphNode* before, size_t number) {
  DW_AS(cudaGraphAddEmptyNode(out, to, before, number));
}
CUresult cuGraphAddEventRecordNode(CUgraphNode* out, CUgraph to, const CUgraphNode* before, size_t number,
                                   CUevent event) {
  DW_AS(cudaGraphAddEventRecordNode(out, to, before, number, event));
}
CUresult cuGraphAddEventWaitNode(CUgraphNode* out, CUgraph to, const CUgraphNode* before, size_t number,
                                 CUevent event) {
  DW_AS(cudaGraphAddEventWaitNode(out, to, before, number, event));
}
CUresult cuGraphAddMemAllocNode(CUgraphNode* out, CUgraph to, const CUgraphNode* before, size_t number,
                                CUDA_MEM_ALLOC_NODE_PARAMS* p) {
  DW_AS(cudaGraphAddMemAllocNode(out, to, before, number, as<cudaMemAllocNodeParams>(p)));
}
CUresult cuGraphAddMemFreeNode(CUgraphNode* out, CUgraph to, const CUgraphNode* before, size_t number,
                               CUdeviceptr what) {
  DW_AS(cudaGraphAddMemFreeNode(out, to, before, number, device_pointer(what)));
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode of, CUDA_KERNEL_NODE_PARAMS* out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  cudaKernelNodeParams same;
  const CUresult error = driver_call([&] { return cudaGraphKernelNodeGetParams(of, &same); });
  if (error != CUDA_SUCCESS) return error;
  *out = {};
  std::memcpy(out, &same, sizeof same);
  // The driver's handle, not the program's stub.
  out->func = reinterpret_cast<CUfunction>(std::get<KernelOperation>(node(of)->operation).kernel);
  out->ctx = only_context();
  return CUDA_SUCCESS;
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode of, const CUDA_KERNEL_NODE_PARAMS* p) {
  return with_kernel(p, [&](auto* same) { return cudaGraphKernelNodeSetParams(of, same); });
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec in, CUgraphNode of, const CUDA_KERNEL_NODE_PARAMS* p) {
  return with_kernel(p, [&](auto* same) { return cudaGraphExecKernelNodeSetParams(in, of, same); });
}
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  DW_AS(cudaGraphKernelNodeCopyAttributes(to, from));
}
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode of, CUkernelNodeAttrID attribute, CUkernelNodeAttrValue* value) {
  static_assert(sizeof *value == sizeof(cudaKernelNodeAttrValue));
  DW_AS(cudaGraphKernelNodeGetAttribute(of, static_cast<cudaKernelNodeAttrID>(attribute),
                                        as<cudaKernelNodeAttrValue>(value)));
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode of, CUkernelNodeAttrID attribute,
                                       const CUkernelNodeAttrValue* value) {
  DW_AS(cudaGraphKernelNodeSetAttribute(of, static_cast<cudaKernelNodeAttrID>(attribute),
                                        as<const cudaKernelNodeAttrValue>(value)));
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode of, CUDA_MEMCPY3D* out) {
  DW_DRIVER({
    cudaMemcpy3DParms same;
    if (!out) return Error::InvalidValue;
    DW_TRY(stored_parameters(node(of), &same));
    to_driver(session, same, *out);
    return Error::Success;
  });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode of, const CUDA_MEMCPY3D* p) {
  return with_copy(p, [&](auto* same) { return cudaGraphMemcpyNodeSetParams(of, same); });
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec in, CUgraphNode of, const CUDA_MEMCPY3D* p, CUcontext) {
  return with_copy(p, [&](auto* same) { return cudaGraphExecMemcpyNodeSetParams(in, of, same); });
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode of, CUDA_MEMSET_NODE_PARAMS* out) {
  DW_AS(cudaGraphMemsetNodeGetParams(of, as<cudaMemsetParams>(out)));
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode of, const CUDA_MEMSET_NODE_PARAMS* p) {
  DW_AS(cudaGraphMemsetNodeSetParams(of, as<const cudaMemsetParams>(p)));
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec in, CUgraphNode of, const CUDA_MEMSET_NODE_PARAMS* p, CUcontext) {
  DW_AS(cudaGraphExecMemsetNodeSetParams(in, of, as<const cudaMemsetParams>(p)));
}
CUresult cuGraphHostNodeGetParams(CUgraphNode of, CUDA_HOST_NODE_PARAMS* out) {
  DW_AS(cudaGraphHostNodeGetParams(of, as<cudaHostNodeParams>(out)));
}
CUresult cuGraphHostNodeSetParams(CUgraphNode of, const CUDA_HOST_NODE_PARAMS* p) {
  DW_AS(cudaGraphHostNodeSetParams(of, as<const cudaHostNodeParams>(p)));
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec in, CUgraphNode of, const CUDA_HOST_NODE_PARAMS* p) {
  DW_AS(cudaGraphExecHostNodeSetParams(in, of, as<const cudaHostNodeParams>(p)));
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode of, CUgraph* out) {
  DW_AS(cudaGraphChildGraphNodeGetGraph(of, out));
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec in, CUgraphNode of, CUgraph child) {
  DW_AS(cudaGraphExecChildGraphNodeSetParams(in, of, child));
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode of, CUevent* out) {
  DW_AS(cudaGraphEventRecordNodeGetEvent(of, out));
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode of, CUevent event) {
  DW_AS(cudaGraphEventRecordNodeSetEvent(of, event));
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec in, CUgraphNode of, CUevent event) {
  DW_AS(cudaGraphExecEventRecordNodeSetEvent(in, of, event));
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode of, CUevent* out) { DW_AS(cudaGraphEventWaitNodeGetEvent(of, out)); }
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode of, CUevent event) {
  DW_AS(cudaGraphEventWaitNodeSetEvent(of, event));
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec in, CUgraphNode of, CUevent event) {
  DW_AS(cudaGraphExecEventWaitNodeSetEvent(in, of, event));
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode of, CUDA_MEM_ALLOC_NODE_PARAMS* out) {
  DW_AS(cudaGraphMemAllocNodeGetParams(of, as<cudaMemAllocNodeParams>(out)));
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode of, CUdeviceptr* out) {
  DW_AS(cudaGraphMemFreeNodeGetParams(of, out));
}

// CUDA 11's structure ends before the second member for a kernel.
#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuGraphExecKernelNodeSetParams
CUresult cuGraphAddKernelNode(CUgraphNode* out, CUgraph to, const CUgraphNode* before, size_t number,
                              const CUDA_KERNEL_NODE_PARAMS* p) {
  const auto whole = from_first(p);
  return cuGraphAddKernelNode_v2(out, to, before, number, p ? &whole : nullptr);
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode of, CUDA_KERNEL_NODE_PARAMS* out) {
  CUDA_KERNEL_NODE_PARAMS whole;
  const CUresult error = cuGraphKernelNodeGetParams_v2(of, out ? &whole : nullptr);
  if (error == CUDA_SUCCESS) std::memcpy(out, &whole, sizeof(cudaKernelNodeParams));
  return error;
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode of, const CUDA_KERNEL_NODE_PARAMS* p) {
  const auto whole = from_first(p);
  return cuGraphKernelNodeSetParams_v2(of, p ? &whole : nullptr);
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec in, CUgraphNode of, const CUDA_KERNEL_NODE_PARAMS* p) {
  const auto whole = from_first(p);
  return cuGraphExecKernelNodeSetParams_v2(in, of, p ? &whole : nullptr);
}

}  // extern "C"
