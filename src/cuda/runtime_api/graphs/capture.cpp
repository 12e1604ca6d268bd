// Stream capture.
#include "cuda/c_abi/graph_support.h"

using namespace drywarp::cudart;
using drywarp::cuda::CaptureInfo;
using drywarp::cuda::CaptureMode;
using drywarp::cuda::CaptureStatus;
using drywarp::cuda::Graph;
using drywarp::cuda::Node;

namespace {

Error nodes_of(const cudaGraphNode_t* list, size_t number, std::vector<Node*>& out) {
  if (number && !list) return Error::InvalidValue;
  for (size_t i = 0; i < number; ++i) out.push_back(node(list[i]));
  return Error::Success;
}

bool is_mode(cudaStreamCaptureMode mode) { return unsigned(mode) <= cudaStreamCaptureModeRelaxed; }

}  // namespace

namespace drywarp::cudart {

Error capture_info(Session& session, cudaStream_t of, cudaStreamCaptureStatus* status, unsigned long long* id,
                   cudaGraph_t* graph, const cudaGraphNode_t** dependencies, size_t* number) {
  DW_STREAM(stream, of);
  if (!status) return Error::InvalidValue;
  const CaptureInfo info = session.streams().capture_info(stream);
  *status = static_cast<cudaStreamCaptureStatus>(info.status);
  if (info.status != CaptureStatus::Active) return Error::Success;
  if (id) *id = info.id;
  if (graph) *graph = handle(info.graph);
  // A Node* and a cudaGraphNode_t are the same pointer.
  if (dependencies) *dependencies = reinterpret_cast<const cudaGraphNode_t*>(info.frontier->data());
  if (number) *number = info.frontier->size();
  return Error::Success;
}

Error update_capture(Session& session, cudaStream_t of, cudaGraphNode_t* list, size_t number, unsigned flags) {
  DW_STREAM(stream, of);
  std::vector<Node*> nodes;
  DW_TRY(nodes_of(list, number, nodes));
  if (flags > cudaStreamSetCaptureDependencies) return Error::InvalidValue;
  return session.streams().set_frontier(stream, std::move(nodes), flags == cudaStreamSetCaptureDependencies);
}

}  // namespace drywarp::cudart

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t of, enum cudaStreamCaptureMode mode) {
  DW_CALL({
    DW_STREAM(stream, of);
    if (!is_mode(mode)) return Error::InvalidValue;
    DW_TRY(session.streams().begin_capture(stream, static_cast<CaptureMode>(mode), nullptr, {}));
    // Register the graph now: the program may query it and add to it during the capture.
    session.graphs().adopt(stream.capture->graph);
    return Error::Success;
  });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t of, cudaGraph_t into, const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData*, size_t number, enum cudaStreamCaptureMode mode) {
  DW_CALL({
    DW_STREAM(stream, of);
    if (!is_mode(mode) || !session.graphs().is_live(graph(into))) return Error::InvalidValue;
    std::vector<Node*> nodes;
    DW_TRY(nodes_of(dependencies, number, nodes));
    return session.streams().begin_capture(stream, static_cast<CaptureMode>(mode), graph(into), std::move(nodes));
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t of, cudaGraph_t* out) {
  DW_CALL({
    DW_STREAM(stream, of);
    // A program that captures into its own graph already has it.
    const bool has_graph = stream.capture && stream.capture->into;
    if (!out && !has_graph) return Error::InvalidValue;
    if (out) *out = nullptr;
    std::shared_ptr<Graph> captured;
    Graph* into = nullptr;
    const Error error = session.streams().end_capture(stream, captured, into);
    if (error != Error::Success) {
      if (captured) session.graphs().destroy(captured.get());
      return error;
    }
    if (out) *out = handle(into ? into : captured.get());
    return Error::Success;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t of, enum cudaStreamCaptureStatus* status) {
  DW_CALL({ return capture_info(session, of, status, nullptr, nullptr, nullptr, nullptr); });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode* mode) {
  DW_CALL({
    if (!mode || !is_mode(*mode)) return Error::InvalidValue;
    *mode = static_cast<cudaStreamCaptureMode>(session.streams().exchange_mode(static_cast<CaptureMode>(*mode)));
    return Error::Success;
  });
}

}  // extern "C"
