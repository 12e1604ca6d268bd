#include "model/sm/sharing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <unordered_map>

namespace drywarp::sm {
namespace {

// Bucket block counts by powers of two: the last row of blocks may be simulated in part.
long size_of(uint32_t blocks) { return std::lround(std::log2(blocks)); }

}  // namespace

double first_fetch_share(const LaunchTrace& trace, uint64_t simulated) {
  if (simulated >= trace.blocks_in_grid) return 1;
  std::unordered_map<uint64_t, uint32_t> loaded_by;  // by line: the number of simulated blocks that load it
  for (const BlockTrace& block : std::span(trace.blocks).first(std::min<size_t>(simulated, trace.blocks.size())))
    for (const uint64_t line : lines_of(block, trace.loads).lines) ++loaded_by[line];
  struct Bucket {
    double lines = 0;    // lines that about this many simulated blocks load
    double inside = 0;   // (line, block) pairs: simulated blocks that load them
    double outside = 0;  // (line, block) pairs: sample blocks outside the slice that load them
  };
  std::map<long, Bucket> buckets;
  for (const auto& [line, blocks] : loaded_by) {
    Bucket& a = buckets[size_of(blocks)];
    ++a.lines;
    a.inside += blocks;
  }
  double samples = 0;
  for (const BlockLines& sample : trace.sample_blocks) {
    if (sample.place < simulated) continue;
    ++samples;
    for (const uint64_t line : sample.lines)
      if (const auto found = loaded_by.find(line); found != loaded_by.end()) ++buckets[size_of(found->second)].outside;
  }
  if (loaded_by.empty() || samples == 0) return 1;
  const double others = static_cast<double>(trace.blocks_in_grid - simulated) / samples;
  double first = 0;
  for (const auto& [size, a] : buckets) first += a.lines * a.inside / (a.inside + others * a.outside);
  return first / static_cast<double>(loaded_by.size());
}

}  // namespace drywarp::sm
