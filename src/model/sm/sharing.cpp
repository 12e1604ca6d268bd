#include "model/sm/sharing.h"

#include <cmath>
#include <map>
#include <unordered_map>

namespace drywarp::sm {
namespace {

// Bucket block counts by powers of two: the last row of blocks may be simulated in part.
long size_of(uint32_t blocks) { return std::lround(std::log2(blocks)); }

}  // namespace

double first_asked_share(const LaunchTrace& trace, uint64_t simulated) {
  if (simulated >= trace.blocks_in_grid) return 1;
  std::unordered_map<uint64_t, uint32_t> loaded_by;  // by line: how many of the simulated blocks
  for (const BlockTrace& block : trace.blocks) {
    if (block.block >= simulated) break;
    for (const uint64_t line : lines_of(block, trace.loads).lines) ++loaded_by[line];
  }
  struct Alike {
    double lines = 0;    // that about as many of the simulated blocks load
    double inside = 0;   // loads of them by simulated blocks, each line once a block
    double outside = 0;  // loads of them by witnesses that are not simulated, each line once a witness
  };
  std::map<long, Alike> alike;
  for (const auto& [line, blocks] : loaded_by) {
    Alike& a = alike[size_of(blocks)];
    ++a.lines;
    a.inside += blocks;
  }
  double witnesses = 0;
  for (const BlockLines& witness : trace.sample_blocks) {
    if (witness.block < simulated) continue;
    ++witnesses;
    for (const uint64_t line : witness.lines)
      if (const auto found = loaded_by.find(line); found != loaded_by.end()) ++alike[size_of(found->second)].outside;
  }
  if (loaded_by.empty() || witnesses == 0) return 1;
  const double others = static_cast<double>(trace.blocks_in_grid - simulated) / witnesses;
  double first = 0;
  for (const auto& [size, a] : alike) first += a.lines * a.inside / (a.inside + others * a.outside);
  return first / static_cast<double>(loaded_by.size());
}

}  // namespace drywarp::sm
