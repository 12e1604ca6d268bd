// The levels of a device's memory, and the hit rates of a working set that is read several times (course A8). Kernels
// are timed with the same model (model/memory/memory_system.h).
#pragma once

#include <optional>

#include "base/device/device_spec.h"
#include "faces/explain/dram_timeline.h"
#include "model/machine/machine_model.h"

namespace drywarp::explain {

// A level as the device file describes it.
struct MemoryLevel {
  std::string name;
  std::string of;  // "multiprocessor" or "device"
  std::optional<uint64_t> bytes, line_bytes;
  std::optional<double> latency;      // cycles
  std::optional<double> far_latency;  // of the farther partition
};

struct CacheQuery {
  uint64_t size = 64 << 10;  // bytes of the working set
  StreamPattern pattern;     // of elements in it
  unsigned bytes = 4;        // an element
  uint32_t passes = 3;
  uint32_t multiprocessors = 1;  // share the reads; each waits for a warp's load before it issues the next
};

// One pass over the working set.
struct CachePass {
  uint64_t requests = 0;
  uint64_t l1_sectors = 0, l1_hits = 0, l2_sectors = 0, l2_hits = 0;
  uint64_t dram_bytes = 0, row_hits = 0, row_misses = 0;
  double mean_latency = 0;  // cycles per request
};

struct CacheExplanation {
  CacheQuery query;
  std::string device;
  std::vector<MemoryLevel> levels;
  std::vector<CachePass> passes;            // empty: see why_not
  uint64_t l1_bytes = 0;                    // that hold data in these passes, without shared memory's least part
  bool past_l1 = false;                     // global loads bypass L1
  std::string why_not;                      // the numbers that the file lacks for a run
  std::vector<machine::StandIn> stand_ins;  // replaced numbers that the file lacks
};

// Errors: sizes that make no sense.
Result<CacheExplanation> explain_caches(const CacheQuery& query, const device::DeviceSpec& device);

}  // namespace drywarp::explain
