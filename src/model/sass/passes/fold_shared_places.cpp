#include <map>
#include <utility>
#include <vector>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

struct Base {
  uint32_t block = 0;
  uint64_t place = 0;            // of the variable, from the window's start
  std::vector<Instruction*> at;  // accesses
  bool has_other_uses = false;
};

bool is_address(const Instruction& c, const Source& s) {
  using enum machine::Operation;
  const bool accesses = c.space == AddressSpace::Shared && (c.op == Lds || c.op == Sts || c.op == Atoms);
  return accesses && &s == &c.source[0] && is_plain_register(s) && !c.uniform_base;
}

}  // namespace

void fold_shared_places(Kernel& kernel) {
  std::map<Register, Base> bases;
  const std::vector<unsigned> writes = count_writes(kernel);
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b)
    for (const Instruction& c : kernel.blocks[b].code)
      if (is_shared_base(c) && !c.guard && writes[c.destination[0]] == 1 && c.source[1].value > kSharedStart)
        bases[c.destination[0]] = {.block = b, .place = c.source[1].value - kSharedStart};
  if (bases.empty()) return;
  for (CodeBlock& block : kernel.blocks)
    for (Instruction& c : block.code)
      for_each_source(std::as_const(c), [&](const Source& s) {
        const auto base = bases.find(s.reg);
        if (base == bases.end()) return;
        if (is_address(c, s))
          base->second.at.push_back(&c);
        else
          base->second.has_other_uses = true;
      });
  std::map<uint32_t, Register> starts;  // by block
  for (auto& [r, base] : bases) {
    if (base.at.empty()) continue;
    const auto [start, is_new] = starts.try_emplace(base.block, kNone);
    if (is_new) start->second = kernel.make();
    for (Instruction* c : base.at) {
      c->source.set(0, Source::of(start->second));
      c->offset += static_cast<int64_t>(base.place);
    }
  }
  for (const auto& [b, start] : starts) {
    std::vector<Instruction> out;
    bool is_there = false;
    for (Instruction& c : kernel.blocks[b].code) {
      const auto base = is_shared_base(c) ? bases.find(c.destination[0]) : bases.end();
      if (base != bases.end() && !base->second.at.empty()) {
        Instruction window = c;
        window.source.set(1, Source::immediate(kSharedStart));
        window.destination.set(0, start);
        if (!is_there) out.push_back(window);
        is_there = true;
        if (!base->second.has_other_uses) continue;
      }
      out.push_back(std::move(c));
    }
    kernel.blocks[b].code = std::move(out);
  }
}

}  // namespace drywarp::sass
