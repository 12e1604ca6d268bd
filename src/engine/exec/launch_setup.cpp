#include "engine/exec/launch_setup.h"

#include <algorithm>

#include "base/support/round_up.h"
#include "engine/exec/runtime/local_memory.h"

namespace drywarp::exec {
namespace {

constexpr uint64_t kCallStack = 256 * 1024;  // local memory a thread for really called functions
constexpr size_t kBehindParameters = 64;     // bytes

// thread_index of Launch: the lanes' tid, warp by warp.
std::vector<uint32_t> thread_indices(const Dim3& block, uint32_t warps) {
  std::vector<uint32_t> index(size_t{warps} * 3 * kWarpSize + 16);
  for (uint32_t w = 0; w < warps; ++w) {
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const uint32_t t = w * kWarpSize + lane;
      uint32_t* at = &index[size_t{w} * 3 * kWarpSize + lane];
      at[0] = t % block.x, at[kWarpSize] = t / block.x % block.y, at[2 * kWarpSize] = t / block.x / block.y;
    }
  }
  return index;
}

void set_memory(Launch& launch, const LoadedKernel& kernel, bool padded, uint32_t dynamic_shared_bytes) {
  const ir::Function& code = kernel.prepared.code;
  launch.dynamic_shared_bytes = dynamic_shared_bytes;
  launch.static_shared_bytes = static_cast<uint32_t>(ir::dynamic_shared_offset(code));
  launch.shared_bytes =
      dynamic_shared_bytes != 0 ? uint64_t{launch.static_shared_bytes} + dynamic_shared_bytes : code.shared_bytes;
  launch.program_shared_bytes = static_cast<uint32_t>(launch.shared_bytes);
  if (padded) {
    launch.static_shared_bytes += static_cast<uint32_t>(code.dynamic_padding);
    launch.shared_padding = dynamic_shared_bytes != 0 ? code.dynamic_padding : code.shared_padding;
    launch.shared_bytes += launch.shared_padding;
  }
  if (kernel.prepared.uses_reserved_shared)
    launch.shared_bytes = (launch.shared_bytes + kLineBytes - 1) / kLineBytes * kLineBytes + jit::kReservedShared;
  launch.local_bytes = code.local_bytes + (kernel.owned.empty() ? 0 : kCallStack);
  const bool has_addresses = kernel.prepared.local_addresses || !kernel.owned.empty();
  launch.local_stride = local_stride(launch.local_bytes, launch.stray_accesses && has_addresses);
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) launch.local_starts[lane] = lane * launch.local_stride;
}

}  // namespace

std::vector<uint8_t> parameters_of(const LaunchRequest& request, const LoadedKernel& kernel) {
  std::vector<uint8_t> parameters = request.parameters;
  parameters.resize(std::max<size_t>(parameters.size(), kernel.prepared.code.parameter_bytes) + kBehindParameters);
  return parameters;
}

void set_up(Launch& launch, LoadedModule& module, LoadedKernel& kernel, const LoadedKernel* observed,
            const LaunchRequest& request, const EngineOptions& options) {
  launch.module = module.module.get();
  launch.loaded = &module;
  launch.kernel = &kernel;
  launch.grid = request.grid;
  launch.explicit_cluster = request.cluster.has_value();
  if (request.cluster && module.module->uses_clusters) launch.cluster = *request.cluster;
  launch.block = request.block;
  launch.warps_per_block = static_cast<uint32_t>((request.block.count() + kWarpSize - 1) / kWarpSize);
  launch.thread_index = thread_indices(request.block, launch.warps_per_block);
  launch.stray_accesses =
      options.stray_accesses && std::ranges::none_of(request.observers, [](const observe::Observer* observer) {
        return observer->events().denials;
      });
  set_memory(launch, kernel, observed && observed->options.events.denials, request.dynamic_shared_bytes);
  launch.cooperative = request.cooperative;
  launch.resident_blocks = request.resident_blocks;
  launch.counters = options.counters && request.counted;
  launch.symbols = module.symbols.data();
  launch.timeout_seconds = options.timeout_seconds;
  launch.divergent_barriers = options.divergent_barriers;
  launch.stops_at_bad_objects = options.stops_at_bad_objects;
  launch.stops_at_bad_arrivals = options.stops_at_bad_arrivals;
  launch.allows_undefined_uses = options.undefined_uses;
  launch.shared_window =
      launch.stray_accesses ? round_up(launch.shared_bytes, uint64_t{request.shared_unit}) : launch.shared_bytes;
  launch.clock_khz = std::max(1u, options.clock_khz);
  launch.shared_banks = request.shared_banks;
  launch.matrix = request.matrix;
  launch.waits = request.waits ? &request.waits : nullptr;
  launch.stuck = request.stuck ? &request.stuck : nullptr;
}

}  // namespace drywarp::exec
