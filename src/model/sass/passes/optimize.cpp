#include "model/sass/passes/optimize.h"

#include <unordered_map>

#include "model/sass/code/values.h"
#include "model/sass/passes/forward.h"
#include "model/sass/passes/rename.h"

namespace drywarp::sass {

void optimize_kernel(Kernel& kernel) {
  const LiveSets live(kernel);
  Values v(kernel);
  v.find_multiple();
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b)
    rename(v, kernel.blocks[b].code, live.at(kernel.function->blocks[b].successors), true);
  for (const CodeBlock& b : kernel.blocks) v.count(b.code);
  v.find_only_added();
  Forwarder forward(v, true);
  for (CodeBlock& b : kernel.blocks) {
    forward.run(b.code);
    v.forget_local();
  }
  for (unsigned round = 0; round < 2; ++round)
    for (auto b = kernel.blocks.rbegin(); b != kernel.blocks.rend(); ++b) drop_dead(v, b->code);
  for (CodeBlock& b : kernel.blocks) write_directly(v, b.code);
}

void join_zero_tests(Kernel& kernel) {
  using enum machine::Operation;
  std::vector<unsigned> reads(kernel.registers.size());
  for (const CodeBlock& block : kernel.blocks)
    for (const Code& c : block.code) for_each_source(c, [&](const Source& s) { ++reads[s.reg]; });
  for (CodeBlock& block : kernel.blocks) {
    std::unordered_map<Register, size_t> made;  // by which logic of this block
    for (size_t i = 0; i < block.code.size(); ++i) {
      Code& c = block.code[i];
      const auto compare = static_cast<ir::Compare>(c.variant & 0xff);
      const bool tests = c.op == Isetp && !c.wide && !c.guard && c.destination[1] == kNone && !c.source[2] &&
                         c.variant >> 16 == 0 && (compare == ir::Compare::Eq || compare == ir::Compare::Ne) &&
                         ir::bits(static_cast<ir::Type>(c.variant >> 8)) == 32 && c.source[0].is_register() &&
                         c.source[0].modifiers == 0 && c.source[1].is_immediate() && c.source[1].value == 0;
      if (tests)
        if (const auto logic = made.find(c.source[0].reg); logic != made.end()) {
          auto& to = block.code[logic->second].destination;
          to[--reads[c.source[0].reg] == 0 ? 0 : 1] = c.destination[0];
          made.erase(logic);
          c.dead = true;
          continue;
        }
      for (const Register d : c.destination)
        if (d != kNone) made.erase(d);
      if (c.op == Lop3 && !c.wide && !c.guard && c.role == Role::Pure && c.variant <= 0xff && c.destination[1] == kNone)
        made[c.destination[0]] = i;
    }
    std::erase_if(block.code, [](const Code& c) { return c.dead; });
  }
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

}  // namespace drywarp::sass
