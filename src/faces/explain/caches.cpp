#include "faces/explain/caches.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "model/machine/machine_model.h"
#include "model/memory/memory_system.h"

namespace drywarp::explain {
namespace {

constexpr uint64_t kMostRequests = uint64_t{1} << 22;

std::vector<MemoryLevel> levels_of(const device::DeviceSpec& d) {
  const device::TimingNumbers& t = d.timing;
  // Since compute capability 5.0 read-only data and textures go through L1 (CUDA C++ Programming Guide).
  const bool one_cache = d.compute_capability >= device::ComputeCapability{5, 0};
  std::vector<MemoryLevel> levels;
  levels.push_back({"registers", "multiprocessor", uint64_t{d.registers_per_multiprocessor} * 4, {}, {}, {}});
  levels.push_back({"shared", "multiprocessor", d.shared_per_multiprocessor, {}, t.shared.latency, {}});
  levels.push_back(
      {"constant", "multiprocessor", t.constant.l1_bytes, t.constant.line_bytes, t.constant.l1_latency, {}});
  if (t.constant.l15_latency || t.constant.l15_bytes)
    levels.push_back({"constant, 2nd level",
                      "multiprocessor",
                      t.constant.l15_bytes,
                      t.constant.line_bytes,
                      t.constant.l15_latency,
                      {}});
  levels.push_back({one_cache ? "L1, read-only, texture" : "L1",
                    "multiprocessor",
                    t.l1.bytes,
                    t.l1.line_bytes,
                    t.l1.hit_latency,
                    {}});
  if (!one_cache) levels.push_back({"texture, read-only", "multiprocessor", {}, {}, {}, {}});
  levels.push_back({"L2", "device", d.l2_bytes != 0 ? std::optional(d.l2_bytes) : std::nullopt, t.l2.line_bytes,
                    t.l2.latency_near, t.l2.latency_far});
  levels.push_back({"DRAM", "device", d.total_memory, {}, t.dram.latency, {}});
  return levels;
}

// The memory system's counts so far.
CachePass counts_of(const memory::MemorySystem& memory) {
  CachePass sums;
  sums.l1_sectors = memory.l1_counts().load_sectors, sums.l1_hits = memory.l1_counts().load_hits;
  sums.l2_sectors = memory.l2().counts().read_sectors, sums.l2_hits = memory.l2().counts().read_hits;
  const memory::DramCounts& dram = memory.l2().dram().counts();
  sums.dram_bytes = dram.read_bytes + dram.write_bytes;
  sums.row_hits = dram.row_hits, sums.row_misses = dram.row_misses;
  return sums;
}

CachePass since(const CachePass& now, const CachePass& before) {
  CachePass out;
  out.l1_sectors = now.l1_sectors - before.l1_sectors, out.l1_hits = now.l1_hits - before.l1_hits;
  out.l2_sectors = now.l2_sectors - before.l2_sectors, out.l2_hits = now.l2_hits - before.l2_hits;
  out.dram_bytes = now.dram_bytes - before.dram_bytes;
  out.row_hits = now.row_hits - before.row_hits, out.row_misses = now.row_misses - before.row_misses;
  return out;
}

// The lines that the `warp`-th warp of a pass reads.
std::vector<TraceLine> lines_of(const CacheQuery& query, uint64_t warp, uint64_t elements, uint64_t accesses) {
  std::map<uint64_t, unsigned> lines;
  for (uint64_t i = warp * kWarpSize; i < std::min(accesses, (warp + 1) * kWarpSize); ++i) {
    const uint64_t address = query.pattern.at(i, elements) % elements * query.bytes;
    lines[address / kLineBytes] |= 1u << address % kLineBytes / kSectorBytes;
  }
  std::vector<TraceLine> out;
  for (const auto& [line, sectors] : lines) out.push_back(TraceLine::of(line * kLineBytes, sectors));
  return out;
}

}  // namespace

Result<CacheExplanation> explain_caches(const CacheQuery& query, const device::DeviceSpec& device) {
  if (!std::has_single_bit(query.bytes) || query.bytes > 16)
    return error(fmt::format("an element of {} bytes: a thread accesses 1, 2, 4, 8 or 16 at a time", query.bytes));
  if (query.multiprocessors == 0 || query.multiprocessors > device.multiprocessors)
    return error(
        fmt::format("{} multiprocessors: {} has {}", query.multiprocessors, device.name, device.multiprocessors));
  const uint64_t elements = query.size / query.bytes;
  // A pass reads each element once; with a stride, every `stride`-th.
  const bool strided = query.pattern.kind == StreamPattern::Kind::Stride;
  const uint64_t accesses = strided ? (elements + query.pattern.stride - 1) / query.pattern.stride : elements;
  const uint64_t warps = (accesses + kWarpSize - 1) / kWarpSize;
  if (elements == 0 || query.passes == 0) return error("nothing to read");
  if (warps * query.passes > kMostRequests)
    return error(fmt::format("{} passes over {} bytes are {} requests: at most {}", query.passes, query.size,
                             warps * query.passes, kMostRequests),
                 "use a smaller --size, or --bytes 16");

  CacheExplanation out;
  out.query = query;
  out.device = device.name;
  out.levels = levels_of(device);
  const Result<machine::MemoryModel> model = machine::memory_model(device);
  if (!model) {
    out.why_not = model.problem().message;
    return out;
  }
  out.stand_ins = model->stand_ins;
  out.l1_bytes = model->parameters.l1.bytes;
  out.past_l1 = !model->parameters.l1.caches_global;
  memory::MemorySystem memory(model->parameters);
  std::vector<double> clocks(query.multiprocessors, 0.0);
  for (uint32_t pass = 0; pass < query.passes; ++pass) {
    const CachePass before = counts_of(memory);
    double waited = 0;
    for (uint64_t warp = 0; warp < warps; ++warp) {
      // Issue requests in the order of time.
      const auto next = std::ranges::min_element(clocks);
      const auto sm = static_cast<uint32_t>(next - clocks.begin());
      const std::vector<TraceLine> lines = lines_of(query, warp, elements, accesses);
      const memory::Response response = memory.load(sm, lines, 1, false, *next);
      waited += response.ready - *next;
      *next = response.ready;
    }
    out.passes.push_back(since(counts_of(memory), before));
    out.passes.back().requests = warps;
    out.passes.back().mean_latency = waited / static_cast<double>(warps);
  }
  return out;
}

}  // namespace drywarp::explain
