// Driver API: memory operations (writes and waits), in a stream or as a graph node.
#include <cstring>

#include "cuda/c_abi/driver.h"
#include "cuda/c_abi/graph_support.h"
#include "cuda/streams/copies.h"

using namespace drywarp::cudart;
using drywarp::cuda::BatchOperation;
using drywarp::cuda::FillOperation;
using drywarp::cuda::Operation;
using drywarp::cuda::WaitValue;

namespace {

constexpr unsigned kMostOperations = 256;

// A write is a fill of one or two words.
Error add_write(Session& session, const CUstreamBatchMemOpParams& p, unsigned bytes, BatchOperation& out) {
  const auto& write = p.writeValue;
  if (write.address % bytes != 0 || write.flags > CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER) return Error::InvalidValue;
  const uint64_t value = bytes == 8 ? write.value64 : write.value;
  for (unsigned at = 0; at < bytes; at += 4) {
    FillOperation fill;
    DW_TRY(drywarp::cuda::make_fill(session.memory(), write.address + at, 0, 0, uint32_t(value >> (8 * at)), 4,
                                    {1, 1, 1}, fill));
    out.parts.emplace_back(fill);
  }
  return Error::Success;
}

Error add_wait(Session& session, const CUstreamBatchMemOpParams& p, unsigned bytes, BatchOperation& out) {
  constexpr unsigned kConditions = 3;
  const auto& wait = p.waitValue;
  const auto info = session.memory().describe(wait.address);
  if (wait.address % bytes != 0 || info.kind == drywarp::cuda::PointerKind::Unregistered) return Error::InvalidValue;
  const uint64_t value = bytes == 8 ? wait.value64 : wait.value;
  out.parts.emplace_back(
      WaitValue{wait.address, value, bytes, static_cast<WaitValue::Condition>(wait.flags & kConditions)});
  return Error::Success;
}

Error make(Session& session, const CUstreamBatchMemOpParams* list, unsigned count, unsigned flags,
           BatchOperation& out) {
  if (flags || count > kMostOperations || (count && !list)) return Error::InvalidValue;
  for (unsigned i = 0; i < count; ++i) switch (list[i].operation) {
      case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        DW_TRY(add_wait(session, list[i], 4, out));
        break;
      case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        DW_TRY(add_wait(session, list[i], 8, out));
        break;
      case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        DW_TRY(add_write(session, list[i], 4, out));
        break;
      case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        DW_TRY(add_write(session, list[i], 8, out));
        break;
      case CU_STREAM_MEM_OP_BARRIER:  // operations are ordered anyway
        break;
      case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:  // there are no remote writes; an H200 returns the same
        return Error::NotSupported;
      default:
        return Error::InvalidValue;
    }
  return Error::Success;
}

CUresult issue(CUstream of, const CUstreamBatchMemOpParams* list, unsigned count, unsigned flags) {
  DW_DRIVER({
    DW_STREAM(stream, of);
    BatchOperation batch;
    DW_TRY(make(session, list, count, flags, batch));
    return batch.parts.empty() ? Error::Success : session.streams().issue(stream, std::move(batch));
  });
}

// One operation, of the union's `member`: writeValue or waitValue, whose fields have the same names.
CUresult issue_one(CUstream stream, auto member, CUstreamBatchMemOpType type, CUdeviceptr address, uint64_t value,
                   unsigned flags) {
  CUstreamBatchMemOpParams p{};
  auto& of = p.*member;
  of.operation = type;
  of.address = address;
  of.value64 = value;
  of.flags = flags;
  return issue(stream, &p, 1, 0);
}

// A node's description is its list of operations.
Error set(Session& session, drywarp::cuda::Node* node, const CUDA_BATCH_MEM_OP_NODE_PARAMS* p) {
  if (!node || !p || !std::holds_alternative<BatchOperation>(node->operation)) return Error::InvalidValue;
  BatchOperation batch;
  DW_TRY(make(session, p->paramArray, p->count, p->flags, batch));
  node->operation = std::move(batch);
  const auto* first = reinterpret_cast<const uint8_t*>(p->paramArray);
  node->description.assign(first, first + p->count * sizeof *p->paramArray);
  return Error::Success;
}

}  // namespace

extern "C" {

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr to, cuuint32_t value, unsigned flags) {
  return issue_one(stream, &CUstreamBatchMemOpParams::writeValue, CU_STREAM_MEM_OP_WRITE_VALUE_32, to, value, flags);
}
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr to, cuuint64_t value, unsigned flags) {
  return issue_one(stream, &CUstreamBatchMemOpParams::writeValue, CU_STREAM_MEM_OP_WRITE_VALUE_64, to, value, flags);
}
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr at, cuuint32_t value, unsigned flags) {
  return issue_one(stream, &CUstreamBatchMemOpParams::waitValue, CU_STREAM_MEM_OP_WAIT_VALUE_32, at, value, flags);
}
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr at, cuuint64_t value, unsigned flags) {
  return issue_one(stream, &CUstreamBatchMemOpParams::waitValue, CU_STREAM_MEM_OP_WAIT_VALUE_64, at, value, flags);
}
CUresult cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams* list, unsigned flags) {
  return issue(stream, list, count, flags);
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode* out, CUgraph to, const CUgraphNode* before, size_t number,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS* p) {
  DW_DRIVER({
    if (!p) return Error::InvalidValue;
    BatchOperation batch;
    DW_TRY(make(session, p->paramArray, p->count, p->flags, batch));
    return add_node(session, out, to, before, number, std::move(batch), p->paramArray,
                    p->count * sizeof *p->paramArray);
  });
}
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode of, CUDA_BATCH_MEM_OP_NODE_PARAMS* out) {
  DW_DRIVER({
    if (!of || !out || !std::holds_alternative<BatchOperation>(node(of)->operation)) return Error::InvalidValue;
    std::vector<uint8_t>& list = node(of)->description;
    *out = {only_context(), unsigned(list.size() / sizeof(CUstreamBatchMemOpParams)),
            reinterpret_cast<CUstreamBatchMemOpParams*>(list.data()), 0};
    return Error::Success;
  });
}
CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode of, const CUDA_BATCH_MEM_OP_NODE_PARAMS* p) {
  DW_DRIVER({ return set(session, node(of), p); });
}
CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec in, CUgraphNode of, const CUDA_BATCH_MEM_OP_NODE_PARAMS* p) {
  DW_DRIVER({ return set(session, copy_of(session, in, of), p); });
}

}  // extern "C"
