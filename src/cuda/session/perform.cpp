// Runs operations: in the issuing thread, or in a thread of their own if they may wait for the host.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "cuda/session/session.h"
#include "cuda/streams/copies.h"
#include "profile/record/copy_time.h"

namespace drywarp::cuda {
namespace {

constexpr auto kPollInterval = std::chrono::microseconds(50);

bool holds(const WaitValue& wait) {
  using Condition = WaitValue::Condition;
  const unsigned unused = 64 - 8 * wait.bytes;  // bits
  uint64_t found = 0;
  std::memcpy(&found, reinterpret_cast<const void*>(wait.address), wait.bytes);
  switch (wait.condition) {
    case Condition::AtLeast:
      return int64_t((found - wait.value) << unused) >= 0;
    case Condition::Equal:
      return (found - wait.value) << unused == 0;
    case Condition::And:
      return (found & wait.value) << unused != 0;
    case Condition::Nor:
      return ~(found | wait.value) << unused != 0;
  }
  return true;
}

}  // namespace

struct Session::OperationRunner {
  Session& session;
  Stream& stream;
  Background* background;
  const check::OperationMoment* moment;  // null: without OperationChecks
  // Of a node of a graph, with checks: the nodes of the launch, and its number among them, which becomes that of the
  // last node inside it. Else null.
  check::GraphOrder* nodes;
  size_t* number;

  // Null without checks.
  [[nodiscard]] OperationChecks* checks() const { return moment ? session.machine_->checks.operations() : nullptr; }

  Error operator()(const KernelOperation& kernel) const {
    const OperationChecks::Running running(checks());
    Launcher::LaunchContext context{stream.number, {}, nullptr, {}, {}, {}, moment};
    if (background) {
      context.range = background->work.range;
      context.lock = &background->lock;
      context.waits = [&work = background->work] { work.waits = true; };
      if (session.machine_->checks.looks_for(CheckTool::Synccheck))
        context.stuck = [&work = background->work](bool is) {
          work.stuck = is;
          return work.hopeless.load();
        };
    } else {
      context.range = session.recorder().open_ranges();
    }
    context.modelled = [this](double nanoseconds) { session.streams().advance(stream, nanoseconds); };
    const Error error = session.launcher().run(kernel, std::move(context));
    if (session.hooks_.launch_done) session.hooks_.launch_done();
    return error;
  }
  Error operator()(const CopyOperation& copy) const {
    if (session.memory().is_unallocated_graph_memory(copy.from.address) ||
        session.memory().is_unallocated_graph_memory(copy.to.address))
      return Error::InvalidValue;
    const OperationChecks::Running running(checks());
    const auto start = Clock::now();
    perform(copy);
    if (checks()) checks()->copied(*moment, copy);
    const bool inside = copy.kind == record::TransferKind::DeviceToDevice;
    session.machine_->checks.wrote(copy.to, inside ? &copy.from : nullptr, copy.extent.width, copy.extent);
    const auto modelled = record::copy_seconds(session.device().spec(), copy.kind, bytes(copy));
    session.recorder().transfer(copy.kind, bytes(copy), stream.number, copy.pinned, start, modelled);
    session.advance_by_copy(stream, copy.kind, modelled);
    return Error::Success;
  }
  Error operator()(const FillOperation& fill) const {
    if (session.memory().is_unallocated_graph_memory(fill.to.address)) return Error::InvalidValue;
    const OperationChecks::Running running(checks());
    const auto start = Clock::now();
    perform(fill);
    if (checks()) checks()->filled(*moment, fill);
    session.machine_->checks.wrote(fill.to, nullptr, fill.extent.width * fill.element, fill.extent);
    constexpr auto kKind = record::TransferKind::Memset;
    const auto modelled = record::copy_seconds(session.device().spec(), kKind, bytes(fill));
    session.recorder().transfer(kKind, bytes(fill), stream.number, false, start, modelled);
    session.advance_by_copy(stream, kKind, modelled);
    return Error::Success;
  }
  // Release the lock: the host function may wait for another thread that calls the runtime.
  Error operator()(const HostOperation& host) const {
    Work& work = background->work;
    work.host_code = Clock::now();
    if (checks()) checks()->host_function(moment);
    background->lock.unlock();
    host.function(host.data);
    background->lock.lock();
    if (checks()) checks()->host_function(nullptr);
    work.host_code.reset();
    return Error::Success;
  }
  Error operator()(const WaitValue& wait) const {
    const OperationChecks::Running running(checks());
    if (checks()) checks()->wait_for_value();
    while (!holds(wait) && !session.draining_) {
      background->work.waits = true;
      background->lock.unlock();
      std::this_thread::sleep_for(kPollInterval);
      background->lock.lock();
    }
    return Error::Success;
  }
  Error operator()(const BatchOperation& batch) const {
    for (const auto& part : batch.parts)
      if (const Error error = std::visit(*this, part); error != Error::Success) return error;
    return Error::Success;
  }
  Error operator()(const ConditionalOperation& conditional) const {
    using Kind = ConditionalOperation::Kind;
    const Condition& condition = *conditional.condition;
    if (conditional.kind == Kind::While) {
      while (condition.value() != 0 && !session.draining_)
        if (const Error error = run_nodes(*conditional.bodies[0]); error != Error::Success) return error;
      return Error::Success;
    }
    const size_t which = conditional.kind == Kind::Switch ? condition.value() : condition.value() == 0;
    return which < conditional.bodies.size() ? run_nodes(*conditional.bodies[which]) : Error::Success;
  }
  Error operator()(const ChildOperation& child) const {
    for (const auto& node : child.graph->nodes()) {
      const auto* made = std::get_if<AllocateOperation>(&node->operation);
      if (!made || !session.memory().is_allocated(made->address)) continue;
      if (!child.frees_first) return Error::InvalidValue;
      session.memory().free(made->address, stream.number);
    }
    child.graph->begin_launch();
    return run_nodes(*child.graph);
  }
  Error run_nodes(const Graph& graph) const {
    if (checks()) return run_ordered_nodes(graph);
    for (const Node* node : graph.ordered()) {
      if (!node->enabled) continue;
      if (const Error error = run_node(*node, nullptr, nullptr, nullptr); error != Error::Success) return error;
    }
    return Error::Success;
  }
  Error run_node(const Node& node, const check::OperationMoment* at, check::GraphOrder* order, size_t* place) const {
    const Error error = std::visit(OperationRunner{session, stream, background, at, order, place}, node.operation);
    session.note(error);
    return error;
  }
  // Tells checks which nodes are after which.
  Error run_ordered_nodes(const Graph& graph) const {
    std::optional<check::GraphOrder> own;
    if (!nodes) own.emplace(*moment);
    check::GraphOrder& order = own ? *own : *nodes;
    std::map<const Node*, size_t> last;  // the number of each node's last part
    std::vector<size_t> all;
    for (const Node* node : graph.ordered()) {
      std::vector<size_t> after;
      if (number) after.push_back(*number);
      for (const Node* dependency : node->dependencies) after.push_back(last.at(dependency));
      check::OperationMoment at = order.add(after);
      if (!node->made.empty()) at.place = node->made;
      size_t place = order.size() - 1;
      if (node->enabled)
        if (const Error error = run_node(*node, &at, &order, &place); error != Error::Success) return error;
      last[node] = place;
      all.push_back(place);
    }
    if (!number || all.empty()) return Error::Success;
    (void)order.add(all);
    *number = order.size() - 1;
    return Error::Success;
  }
  Error operator()(const RecordOperation& record) const {
    Event* event = session.streams().find_event(record.event);
    if (!event) return Error::Success;
    session.streams().stamp(*event, stream);
    if (nodes) event->order = check::after(*moment);
    return Error::Success;
  }
  Error operator()(const FreeOperation& gone) const {
    if (checks()) checks()->freed(*moment, gone.address);
    return session.memory().free(gone.address, stream.number);
  }
  Error operator()(const AllocateOperation& made) const {
    const Error error = session.memory().allocate_graph_memory(made.address, stream.number);
    if (checks() && error == Error::Success) checks()->allocated(*moment, made.address);
    return error;
  }
  // Its dependencies are done before it begins.
  Error operator()(const WaitOperation& wait) const {
    const Event* event = session.streams().find_event(wait.event);
    if (!event) return Error::Success;
    session.streams().wait_modelled(stream, *event);
    if (!nodes) return Error::Success;
    nodes->wait(event->order);
    checks()->wait(stream.line, event->order);
    return Error::Success;
  }
  Error operator()(const EmptyOperation&) const { return Error::Success; }
};

Error Session::run(Stream& stream, const Operation& operation, Background* background,
                   const check::OperationMoment* moment) {
  const Error error = std::visit(OperationRunner{*this, stream, background, moment, nullptr, nullptr}, operation);
  note(error);
  return error;
}

void Session::note(Error error) {
  if (is_sticky(error)) errors_.note(error);
}

void Session::advance_by_copy(Stream& stream, record::TransferKind kind, std::optional<double> seconds) {
  if (!options_.model_clock || kind == record::TransferKind::HostToHost) return;
  if (seconds)
    streams().advance(stream, 1e9 * *seconds);
  else if (!std::exchange(said_untimed_copy_, true))
    hooks_.message(
        fmt::format("drywarp: copies between host and device have no modelled time, and events leave them out: the "
                    "file of {} has no bandwidth of its link to the host",
                    device().spec().name));
}

bool Session::may_wait(const Operation& operation) {
  if (const auto* kernel = std::get_if<KernelOperation>(&operation))
    return exec::Engine::may_wait(kernel->kernel->image->loaded(), kernel->kernel->function);
  if (const auto* batch = std::get_if<BatchOperation>(&operation))
    return std::ranges::any_of(batch->parts, [](const auto& part) { return std::holds_alternative<WaitValue>(part); });
  if (std::holds_alternative<HostOperation>(operation)) return true;
  return std::ranges::any_of(inner_graphs(operation), [](const auto& inner) {
    return std::ranges::any_of(inner->nodes(),
                               [](const auto& node) { return node->enabled && may_wait(node->operation); });
  });
}

}  // namespace drywarp::cuda
