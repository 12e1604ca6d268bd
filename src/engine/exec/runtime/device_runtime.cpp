// CUDA's device runtime: kernels that launch kernels. A launch is noted here, and runs when the grid that made it has
// ended (cuda/session). Launches of a grid run one after the other, so that streams and events need no more than a
// name.
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/runtime/accesses.h"
#include "engine/exec/runtime/provided_calls.h"

namespace drywarp::exec {
namespace {

constexpr uint64_t kSuccess = 0, kInvalidValue = 1, kMemoryAllocation = 2;  // cudaError_t

struct Call {
  Warp& warp;
  const ir::Instruction& in;
  uint32_t instruction, lane;
  uint64_t frame;

  [[nodiscard]] uint64_t argument(size_t index) const { return exec::argument(warp, in, index, frame, lane); }
  [[nodiscard]] Dim3 size(size_t index) const {
    std::array<uint32_t, 3> sides{1, 1, 1};
    read_argument(warp, in, index, frame, lane, sides.data(), sizeof sides);
    return {sides[0], sides[1], sides[2]};
  }
  [[nodiscard]] DeviceMemory& memory() const { return *warp.worker->launch->memory; }
  // 0: there is no memory left.
  [[nodiscard]] uint64_t allocate(uint64_t bytes) const {
    const uint64_t address = memory().allocate(std::max<uint64_t>(bytes, 1), MemoryKind::Heap).value_or(0);
    if (address != 0) tell_heap(warp, instruction, lane, address, std::max<uint64_t>(bytes, 1));
    return address;
  }
  // False: it is no block of the heap.
  [[nodiscard]] bool release(uint64_t address) const {
    const auto block = memory().find(address);
    if (!block || block->kind != MemoryKind::Heap || block->base != address) return false;
    tell_heap(warp, instruction, lane, address, 0);
    return memory().free(address);
  }
  // Whether these bytes are in global memory.
  [[nodiscard]] bool holds(uint64_t address, uint64_t bytes, bool writable) const {
    const auto window = find_window(warp, AddressSpace::Global, address, bytes);
    return window && (window->writable || !writable);
  }
  // Writes through a pointer that the program gives; false: it points to no memory that the thread may write.
  template <class T>
  [[nodiscard]] bool store(uint64_t address, T value) const {
    const auto window = find_window(warp, AddressSpace::Generic, address, sizeof value);
    if (!window || !window->writable || address % alignof(T) != 0) return false;
    std::memcpy(reinterpret_cast<void*>(address), &value, sizeof value);
    return true;
  }
};

// The kernel that a pointer of device code names; kNone: none of this module.
ir::FunctionId kernel_of(const Call& call, uint64_t pointer) {
  const ir::Module& module = *call.warp.worker->launch->module;
  if (!jit::is_function_token(pointer)) return ir::kNone;
  const ir::FunctionId id = jit::function_of_token(pointer);
  const bool is_kernel = id < module.functions.size() && module.functions[id].is_kernel;
  return is_kernel && !module.functions[id].is_declaration ? id : ir::kNone;
}

// (kernel, grid, block, shared): memory for the kernel's arguments, which the program fills; null: no such launch.
uint64_t get_parameter_buffer(const Call& call) {
  DeviceLaunch launch;
  launch.function = kernel_of(call, call.argument(0));
  launch.grid = call.size(1);
  launch.block = call.size(2);
  launch.dynamic_shared_bytes = static_cast<uint32_t>(call.argument(3));
  if (launch.function == ir::kNone || launch.grid.count() == 0 || launch.block.count() == 0) return 0;
  const uint64_t bytes = call.warp.worker->launch->module->functions[launch.function].parameter_bytes;
  const uint64_t buffer = call.allocate(bytes);
  if (buffer != 0) call.warp.owner->prepared_launches[buffer] = std::move(launch);
  return buffer;
}

// (buffer, stream)
uint64_t launch_device(const Call& call) {
  Block& block = *call.warp.owner;
  const auto prepared = block.prepared_launches.find(call.argument(0));
  if (prepared == block.prepared_launches.end()) return kInvalidValue;
  DeviceLaunch launch = std::move(prepared->second);
  const auto* arguments = reinterpret_cast<const uint8_t*>(prepared->first);
  launch.parameters.assign(arguments,
                           arguments + call.warp.worker->launch->module->functions[launch.function].parameter_bytes);
  const bool ours = call.release(prepared->first);
  block.prepared_launches.erase(prepared);
  if (!ours) return kInvalidValue;
  block.launches.push_back({call.argument(1), std::move(launch)});
  return kSuccess;
}

// (to, from, bytes, direction, stream)
uint64_t copy(const Call& call) {
  const DeviceCopy copy{call.argument(1), call.argument(0), call.argument(2)};
  if (copy.bytes == 0) return kSuccess;
  if (!call.holds(copy.from, copy.bytes, false) || !call.holds(copy.to, copy.bytes, true)) return kInvalidValue;
  call.warp.owner->launches.push_back({call.argument(4), copy});
  return kSuccess;
}
// (to, value, bytes, stream)
uint64_t fill(const Call& call) {
  const DeviceFill fill{call.argument(0), call.argument(2), static_cast<uint8_t>(call.argument(1))};
  if (fill.bytes == 0) return kSuccess;
  if (!call.holds(fill.to, fill.bytes, true)) return kInvalidValue;
  call.warp.owner->launches.push_back({call.argument(3), fill});
  return kSuccess;
}

// (pointer to the handle, ...): of streams and events, for which nobody waits here.
uint64_t create_handle(const Call& call) {
  constexpr uint64_t kHandle = 0x1000;  // none of those that CUDA reserves
  return call.store(call.argument(0), kHandle) ? kSuccess : kInvalidValue;
}

uint64_t succeed(const Call&) { return kSuccess; }
uint64_t get_device(const Call& call) { return call.store(call.argument(0), int32_t{0}) ? kSuccess : kInvalidValue; }
uint64_t count_devices(const Call& call) { return call.store(call.argument(0), int32_t{1}) ? kSuccess : kInvalidValue; }

uint64_t allocate_memory(const Call& call) {
  const uint64_t address = call.allocate(call.argument(1));
  if (address == 0) return kMemoryAllocation;
  return call.store(call.argument(0), address) ? kSuccess : kInvalidValue;
}
uint64_t free_memory(const Call& call) {
  const uint64_t address = call.argument(0);
  return address == 0 || call.release(address) ? kSuccess : kInvalidValue;
}

struct Provided {
  std::string_view name;  // behind the prefix
  uint64_t (*run)(const Call&);
};
constexpr Provided kProvided[] = {
    {"GetParameterBufferV2", get_parameter_buffer},
    {"LaunchDeviceV2", launch_device},
    {"LaunchDeviceV2_ptsz", launch_device},
    {"MemcpyAsync", copy},
    {"MemcpyAsync_ptsz", copy},
    {"MemsetAsync", fill},
    {"MemsetAsync_ptsz", fill},
    {"StreamCreate", create_handle},
    {"StreamCreateWithFlags", create_handle},
    {"StreamDestroy", succeed},
    {"StreamWaitEvent", succeed},
    {"StreamWaitEvent_ptsz", succeed},
    {"EventCreate", create_handle},
    {"EventCreateWithFlags", create_handle},
    {"EventRecord", succeed},
    {"EventRecord_ptsz", succeed},
    {"EventRecordWithFlags", succeed},
    {"EventRecordWithFlags_ptsz", succeed},
    {"EventDestroy", succeed},
    {"GetLastError", succeed},
    {"PeekAtLastError", succeed},
    {"SetLastError", succeed},
    {"GetDevice", get_device},
    {"GetDeviceCount", count_devices},
    {"Malloc", allocate_memory},
    {"Free", free_memory},
};
// As the program calls them, as it did before CUDA 12, and what NVIDIA's libcudadevrt, which nvcc links, calls itself.
constexpr std::string_view kPrefixes[] = {"__cudaCDP2", "cuda", "__cuda_syscall_cnpv2"};

const Provided* provided(std::string_view name) {
  for (const std::string_view prefix : kPrefixes) {
    if (!name.starts_with(prefix)) continue;
    const auto found = std::ranges::find(kProvided, name.substr(prefix.size()), &Provided::name);
    if (found != std::end(kProvided)) return found;
  }
  return nullptr;
}

}  // namespace

bool call_device_runtime(Warp& warp, const ir::Instruction& in, uint32_t instruction, const std::string& name,
                         uint32_t mask, uint64_t frame) {
  const Provided* function = provided(name);
  if (!function) return false;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    give(warp, in, frame, lane, function->run({warp, in, instruction, lane, frame}));
  }
  return true;
}

}  // namespace drywarp::exec
