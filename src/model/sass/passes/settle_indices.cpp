#include <unordered_map>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {

using enum machine::Operation;

// Where the address became known after all: in a loop that has become straight code.
void settle_indices(Kernel&, std::vector<Region>& regions) {
  for (Region& region : regions) {
    std::unordered_map<Register, bool> known;  // predicates
    for (Instruction& c : region.code) {
      const bool compares = c.op == Isetp && c.form.beside_slow_path && c.form.compare == ir::Compare::Eq;
      if (compares && c.source[0].is_immediate() && c.source[1].is_immediate()) {
        known[c.destination[0]] = static_cast<uint32_t>(c.source[0].value) == static_cast<uint32_t>(c.source[1].value);
        c.dead = true;
      } else if (const auto holds = c.guard ? known.find(c.guard.reg) : known.end(); holds != known.end()) {
        c.dead = !holds->second;
        c.guard = {};
        c.role = Role::Copy;
      }
    }
    std::erase_if(region.code, [](const Instruction& c) { return c.dead; });
  }
}

}  // namespace drywarp::sass
