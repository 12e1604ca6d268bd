// Runs operations: in the issuing thread, or in a thread of their own if they may wait for the host.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "cuda/session/session.h"
#include "cuda/streams/copies.h"
#include "profile/record/copy_time.h"
#include "profile/record/operations.h"

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

// Inside a graph: what the next operation of a node is after. Those without a node before them are after the launch.
struct GraphPlace {
  std::vector<uint32_t> after;
};

struct Session::OperationRunner {
  Session& session;
  Stream& stream;
  Background* background;
  const check::OperationMoment* moment;  // null: without OperationChecks
  // Of a node of a graph, with checks: the nodes of the launch, and its number among them, which becomes that of the
  // last node inside it. Else null.
  check::GraphOrder* nodes;
  size_t* number;
  GraphPlace* place = nullptr;  // null: the operation is no node of a graph

  [[nodiscard]] OperationLog& log() const { return session.machine_->log; }
  void log(timeline::Operation operation) const {
    operation.thread = background ? background->work.issuer : log().thread();
    if (!place) return session.streams().log(stream, std::move(operation));
    operation.synchronous = false;
    add_in_graph(std::move(operation));
  }
  void add_in_graph(timeline::Operation operation) const {
    operation.in_graph = true;
    operation.stream = stream.number;
    operation.priority = stream.priority;
    operation.after = place->after;
    if (const uint32_t at = log().add(std::move(operation)); at != timeline::kNone) place->after = {at};
  }
  // Later launches find there what a copy or a fill has written.
  void leave_in_l2(const Box& to, size_t width, const Extent3& extent) const {
    const exec::DeviceMemory& memory = session.memory().device_memory();
    if (!memory.reserves(to.address)) return;
    for (size_t z = 0; z < extent.depth; ++z)
      for (size_t y = 0; y < extent.height; ++y)
        session.launcher().wrote(to.address - memory.base() + z * to.slice + y * to.pitch, width);
  }
  // `subject`: the transfer.
  void log_copy(record::TransferKind kind, std::optional<double> seconds, bool synchronous, uint32_t subject) const {
    if (kind == record::TransferKind::HostToHost) return;
    if (!seconds) session.say_untimed(kind);
    timeline::Operation operation;
    operation.kind = record::kind_of(kind);
    operation.duration_ns = 1e9 * seconds.value_or(0);
    operation.synchronous = synchronous;
    operation.subject = subject;
    log(std::move(operation));
  }
  // Null without checks.
  [[nodiscard]] const std::vector<void*>* stack_of_call() const { return moment ? moment->stack.get() : nullptr; }
  [[nodiscard]] OperationChecks* checks() const { return moment ? session.machine_->checks.operations() : nullptr; }

  Error operator()(const KernelOperation& kernel) const {
    std::vector<exec::DeviceOperation> launches;
    const Error error = run_grid(kernel, launches);
    return error == Error::Success ? run_launches(kernel, std::move(launches)) : error;
  }
  // `launches`: what its threads have launched.
  Error run_grid(const KernelOperation& kernel, std::vector<exec::DeviceOperation>& launches) const {
    const OperationChecks::Running running(checks());
    Launcher::LaunchContext context{stream.number, {}, nullptr, {}, {}, {}, &launches, moment};
    if (!place) {
      stream.has_workspace |= kernel.cooperative;
      context.has_workspace = stream.has_workspace;
    }
    if (background) {
      context.range = background->work.range;
      context.lock = &background->lock;
      context.waits = [&work = background->work] { work.waits = true; };
      context.stuck = [&work = background->work](bool is) {
        work.stuck = is;
        return work.hopeless.load();
      };
    } else {
      context.range = session.recorder().open_ranges();
    }
    context.ran = [this](const sm::LaunchTime* time, uint32_t subject) {
      timeline::Operation operation;
      operation.kind = timeline::Kind::Kernel;
      operation.subject = subject;
      if (time) {
        operation.duration_ns = record::kernel_ns(time->summary, session.device().spec());
        operation.shape = record::shape_of(time->summary, session.device().spec());
      }
      log(std::move(operation));
    };
    const Error error = session.launcher().run(kernel, std::move(context));
    if (session.hooks_.launch_done) session.hooks_.launch_done();
    return error;
  }
  // A grid has ended when all that it launched has, and tail launches begin behind everything else.
  Error run_launches(const KernelOperation& by, std::vector<exec::DeviceOperation> launches) const {
    std::ranges::stable_partition(launches, [](const auto& l) { return l.stream != exec::kTailLaunchStream; });
    std::optional<check::GraphOrder> own;
    if (checks() && !nodes) own.emplace(*moment);
    check::GraphOrder* const order = own ? &*own : nodes;
    std::optional<size_t> last;  // to checks, each is a node behind the one before it
    if (number) last = *number;
    GraphPlace behind{stream.tail};  // and to the time line: no call of the host's
    for (exec::DeviceOperation& launch : launches) {
      OperationRunner runner = *this;
      if (!place) runner.place = &behind;
      check::OperationMoment at;
      size_t end = 0;
      if (checks()) {
        at = order->add(last ? std::vector{*last} : std::vector<size_t>());
        end = order->size() - 1;
        runner.moment = &at;
        runner.nodes = order;
        runner.number = &end;
      }
      const Error error = std::visit([&](auto& what) { return runner.run_launch(by, what); }, launch.what);
      if (error != Error::Success) return error;
      last = end;
    }
    if (!place && !launches.empty()) stream.tail = behind.after;
    if (number && last) *number = *last;
    return Error::Success;
  }
  Error run_launch(const KernelOperation& by, exec::DeviceLaunch& launch) const {
    Image& image = *by.kernel->image;
    Kernel* kernel = session.modules().kernel_named(image, image.code().functions[launch.function].name);
    Error error = kernel ? session.launcher().load(*kernel) : Error::InvalidDeviceFunction;
    if (error != Error::Success) return error;
    const KernelOperation operation{kernel,
                                    launch.grid,
                                    launch.block,
                                    {},
                                    launch.dynamic_shared_bytes,
                                    false,
                                    false,
                                    std::move(launch.parameters),
                                    by.permissions};
    error = session.launcher().check(operation);
    if (error == Error::Success) return (*this)(operation);
    // Device code rarely asks whether its launch failed, and the program never learns of it otherwise.
    session.hooks_.message(fmt::format("drywarp: {} launches {}, which fails: {}",
                                       by.kernel->compiled.info->display_name, kernel->compiled.info->display_name,
                                       error_text(int(error))));
    return Error::Success;
  }
  Error run_launch(const KernelOperation&, const exec::DeviceCopy& copy) const {
    CopyOperation operation;
    operation.from.address = copy.from;
    operation.to.address = copy.to;
    operation.extent = {copy.bytes, 1, 1};
    operation.kind = record::TransferKind::DeviceToDevice;
    return (*this)(operation);
  }
  Error run_launch(const KernelOperation&, const exec::DeviceFill& fill) const {
    FillOperation operation;
    operation.to.address = fill.to;
    operation.extent = {fill.bytes, 1, 1};
    operation.value = fill.value;
    return (*this)(operation);
  }
  Error operator()(const CopyOperation& copy) const {
    if (session.memory().is_unallocated_graph_memory(copy.from.address) ||
        session.memory().is_unallocated_graph_memory(copy.to.address))
      return Error::InvalidValue;
    const OperationChecks::Running running(checks());
    const auto start = Clock::now();
    perform(copy);
    if (checks()) checks()->copied(*moment, copy);
    if (copy.kind == record::TransferKind::DeviceToHost)
      session.machine_->checks.read_for_host(copy.from, copy.extent.width, copy.extent, stack_of_call());
    const bool inside = copy.kind == record::TransferKind::DeviceToDevice;
    session.machine_->checks.wrote(copy.to, inside ? &copy.from : nullptr, copy.extent.width, copy.extent);
    leave_in_l2(copy.to, copy.extent.width, copy.extent);
    const device::DeviceSpec& device = session.device().spec();
    const auto modelled = record::copy_seconds(device, copy.kind, bytes(copy), copy.pageable);
    const uint32_t subject =
        session.recorder().transfer(copy.kind, bytes(copy), stream.number, copy.pinned, start, modelled);
    const bool synchronous = copy.pageable && record::waits_for_host(device, copy.kind, bytes(copy));
    log_copy(copy.kind, modelled, synchronous, subject);
    return Error::Success;
  }
  Error operator()(const FillOperation& fill) const {
    if (session.memory().is_unallocated_graph_memory(fill.to.address)) return Error::InvalidValue;
    const OperationChecks::Running running(checks());
    const auto start = Clock::now();
    perform(fill);
    if (checks()) checks()->filled(*moment, fill);
    session.machine_->checks.wrote(fill.to, nullptr, fill.extent.width * fill.element, fill.extent);
    leave_in_l2(fill.to, fill.extent.width * fill.element, fill.extent);
    constexpr auto kKind = record::TransferKind::Memset;
    const auto modelled = record::copy_seconds(session.device().spec(), kKind, bytes(fill));
    log_copy(kKind, modelled, false,
             session.recorder().transfer(kKind, bytes(fill), stream.number, false, start, modelled));
    return Error::Success;
  }
  // Release the lock: the host function may wait for another thread that calls the runtime.
  Error operator()(const HostOperation& host) const {
    timeline::Operation mark;
    mark.kind = timeline::Kind::Mark;
    log(std::move(mark));
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
  // A graph inside a graph begins behind the nodes before it. A launch begins and ends with a mark.
  Error run_nodes(const Graph& graph) const {
    GraphPlace whole;
    OperationRunner inside = *this;
    if (place) {
      whole = *place;
      inside.place = &whole;
    } else {
      const device::CallNumbers& calls = session.device().spec().timing.calls;
      timeline::Operation launch;
      launch.kind = timeline::Kind::Mark;
      launch.in_graph = true;
      launch.host_ns = calls.graph_ns.value_or(0) + double(graph.nodes().size()) * calls.graph_node_ns.value_or(0);
      log(std::move(launch));
      whole.after = stream.tail;
      inside.place = &whole;
    }
    std::map<const Node*, std::vector<uint32_t>> ends;
    const Error error = checks() ? inside.run_ordered_nodes(graph, ends) : inside.run_plain_nodes(graph, ends);
    std::set<const Node*> followed;
    for (const auto& node : graph.nodes()) followed.insert(node->dependencies.begin(), node->dependencies.end());
    std::vector<uint32_t> last;
    for (const auto& [node, after] : ends)
      if (!followed.contains(node)) last.insert(last.end(), after.begin(), after.end());
    if (!last.empty()) whole.after = std::move(last);
    if (place) {
      *place = std::move(whole);
    } else {
      timeline::Operation end;
      end.kind = timeline::Kind::Mark;
      end.thread = background ? background->work.issuer : log().thread();
      inside.add_in_graph(std::move(end));
      stream.tail = whole.after;
    }
    return error;
  }
  Error run_plain_nodes(const Graph& graph, std::map<const Node*, std::vector<uint32_t>>& ends) const {
    for (const Node* node : graph.ordered())
      if (const Error error = run_node(*node, nullptr, nullptr, nullptr, ends); error != Error::Success) return error;
    return Error::Success;
  }
  Error run_node(const Node& node, const check::OperationMoment* at, check::GraphOrder* order, size_t* number_of_node,
                 std::map<const Node*, std::vector<uint32_t>>& ends) const {
    GraphPlace own;
    for (const Node* before : node.dependencies) {
      const std::vector<uint32_t>& ended = ends[before];
      own.after.insert(own.after.end(), ended.begin(), ended.end());
    }
    if (node.dependencies.empty()) own = *place;
    const OperationRunner runner{session, stream, background, at, order, number_of_node, &own};
    const Error error = node.enabled ? std::visit(runner, node.operation) : Error::Success;
    session.note(error);
    ends[&node] = std::move(own.after);
    return error;
  }
  // Tells checks which nodes are after which.
  Error run_ordered_nodes(const Graph& graph, std::map<const Node*, std::vector<uint32_t>>& ends) const {
    std::optional<check::GraphOrder> own;
    if (!nodes) own.emplace(*moment);
    check::GraphOrder& order = own ? *own : *nodes;
    std::map<const Node*, size_t> last;  // the number of each node's last part
    std::vector<size_t> all;
    for (const Node* node : graph.ordered(Graph::Functions::Late)) {
      std::vector<size_t> after;
      if (number) after.push_back(*number);
      for (const Node* dependency : node->dependencies) after.push_back(last.at(dependency));
      check::OperationMoment at = order.add(after);
      if (!node->made.empty()) at.place = node->made;
      size_t end = order.size() - 1;
      if (const Error error = run_node(*node, &at, &order, &end, ends); error != Error::Success) return error;
      last[node] = end;
      all.push_back(end);
    }
    if (!number || all.empty()) return Error::Success;
    (void)order.add(all);
    *number = order.size() - 1;
    return Error::Success;
  }
  Error operator()(const RecordOperation& record) const {
    Event* event = session.streams().find_event(record.event);
    if (!event) return Error::Success;
    timeline::Operation mark;
    mark.thread = background ? background->work.issuer : log().thread();
    mark.in_graph = place != nullptr;
    mark.after = place ? place->after : session.streams().tail_of(stream);
    session.streams().log_record(*event, stream, mark);
    session.streams().stamp(*event);
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
    if (!place)
      session.streams().log_wait(stream, *event);
    else if (event->recorded && event->mark)
      place->after.push_back(*event->mark);
    if (!nodes) return Error::Success;
    nodes->wait(event->order);
    checks()->wait(stream.line, event->order);
    return Error::Success;
  }
  Error operator()(const EmptyOperation&) const { return Error::Success; }
};

Error Session::run(Stream& stream, const Operation& operation, Background* background,
                   const check::OperationMoment* moment) {
  const Error error =
      std::visit(OperationRunner{*this, stream, background, moment, nullptr, nullptr, nullptr}, operation);
  note(error);
  return error;
}

void Session::note(Error error) {
  if (is_sticky(error)) errors_.note(error);
}

void Session::say_untimed(record::TransferKind kind) {
  if (!options_.model_clock || kind == record::TransferKind::HostToHost) return;
  if (!std::exchange(said_untimed_copy_, true))
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
