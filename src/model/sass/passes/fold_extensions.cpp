#include <algorithm>
#include <map>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// What a kernel does with each register.
struct Uses {
  explicit Uses(const Kernel& kernel) : reads(kernel.registers.size()), writes(kernel.registers.size()) {
    for (const CodeBlock& block : kernel.blocks)
      for (const Instruction& c : block.code) {
        for_each_source(c, [&](const Source& s) { ++reads[s.reg]; });
        for (const Register d : c.destination)
          if (d != kNone) ++writes[d];
      }
  }
  std::vector<unsigned> reads, writes;
};

bool is_wide_sum(const Instruction& c) {
  return c.op == Iadd3 && is_plain(c) && c.wide && !c.guard && c.source[0].is_register() && c.source[1] &&
         !c.source[2] && c.destination[1] == kNone;
}

}  // namespace

void fold_extensions(Kernel& kernel) {
  Uses uses(kernel);
  for (CodeBlock& block : kernel.blocks) {
    std::map<Register, size_t> extended;  // by which instruction of this block
    for (size_t i = 0; i < block.code.size(); ++i) {
      Instruction& c = block.code[i];
      if (extends_word(c) && c.role == Role::Pure && !c.guard && c.source[0].is_register() &&
          c.source[0].modifiers == 0 && uses.writes[c.destination[0]] == 1)
        extended[c.destination[0]] = i;
      for (const Register d : c.destination)
        std::erase_if(extended, [&](const auto& e) { return block.code[e.second].source[0].reg == d; });
      if (!is_wide_sum(c)) continue;
      for (Source& s : c.source) {
        const auto made = s.is_register() && s.modifiers == 0 ? extended.find(s.reg) : extended.end();
        if (made == extended.end() || uses.reads[s.reg] != 1) continue;
        Instruction& extension = block.code[made->second];
        s = Source::of(extension.source[0].reg);
        c.form.from = ir::Type::S32;
        extension.dead = true;
        break;
      }
    }
    std::erase_if(block.code, [](const Instruction& c) { return c.dead; });
  }
}

}  // namespace drywarp::sass
