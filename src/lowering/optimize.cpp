#include "lowering/optimize.h"

#include "lowering/forward.h"
#include "lowering/rename.h"
#include "lowering/values.h"

namespace drywarp::lowering {

void optimize_kernel(Kernel& kernel) {
  const LiveSets live(kernel);
  Values v(kernel);
  v.find_multiple();
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b)
    rename(v, kernel.blocks[b].code, live.at(kernel.function->blocks[b].successors), true);
  for (const CodeBlock& b : kernel.blocks) v.count(b.code);
  Forwarder forward(v, true);
  for (CodeBlock& b : kernel.blocks) {
    forward.run(b.code);
    v.forget_local();
  }
  for (unsigned round = 0; round < 2; ++round)
    for (auto b = kernel.blocks.rbegin(); b != kernel.blocks.rend(); ++b) drop_dead(v, b->code);
  for (CodeBlock& b : kernel.blocks) write_directly(v, b.code);
}

void optimize_regions(Kernel& kernel, std::vector<Region>& regions, const LiveSets& live) {
  Values v(kernel);
  Forwarder forward(v, false);
  for (Region& region : regions) {
    const std::vector<Register> live_out = live.at(region.successors);
    v.start_region(region.code);
    rename(v, region.code, live_out, false);
    v.touch(region.code);
    v.count(region.code);
    for (Register r : live_out) v.keep(r);
    forward.run(region.code);
    drop_dead(v, region.code);
    write_directly(v, region.code);
  }
}

}  // namespace drywarp::lowering
