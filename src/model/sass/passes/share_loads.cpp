#include <algorithm>
#include <utility>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// A vector that a load of the region has found, in registers that still hold it.
struct Vector {
  Instruction load;
  uint64_t changes;
};

bool reads_same(const Vector& v, const Instruction& c, uint64_t changes) {
  return v.changes == changes && v.load.op == c.op && v.load.bytes == c.bytes && v.load.offset == c.offset &&
         v.load.source == c.source && v.load.uniform_base == c.uniform_base && v.load.variable == c.variable &&
         v.load.form == c.form && v.load.destination.size() == c.destination.size();
}

bool mentions(const Vector& v, Register written) {
  return std::ranges::find(v.load.destination, written) != v.load.destination.end() ||
         (v.load.source[0].is_register() && v.load.source[0].reg == written) ||
         (v.load.uniform_base.is_register() && v.load.uniform_base.reg == written);
}

void share(std::vector<Instruction>& code) {
  std::vector<Vector> known;
  std::vector<Instruction> out;
  MemoryChanges changes;
  for (Instruction& c : code) {
    const bool vector = can_repeat(c) && !c.guard && c.destination.size() > 1;
    const auto same =
        vector ? std::ranges::find_if(known, [&](const Vector& v) { return reads_same(v, c, changes.before(c)); })
               : known.end();
    if (same != known.end()) {
      const Destinations from = same->load.destination;
      for (size_t i = 0; i < c.destination.size(); ++i) {
        const Register to = c.destination[i];
        if (to == kNone || from[i] == kNone) continue;
        std::erase_if(known, [&](const Vector& v) { return mentions(v, to); });
        out.push_back(copy_of(from[i], to, c.instruction));
        out.back().step = c.step;
      }
      continue;
    }
    for (const Register d : c.destination)
      if (d != kNone) std::erase_if(known, [&](const Vector& v) { return mentions(v, d); });
    changes.note(c);
    const bool keeps_address = std::ranges::none_of(
        c.destination, [&](Register d) { return c.source[0].is_register() && c.source[0].reg == d; });
    if (vector && keeps_address) known.push_back({c, changes.before(c)});
    out.push_back(std::move(c));
  }
  code = std::move(out);
}

}  // namespace

bool can_repeat(const Instruction& c) {
  constexpr unsigned kWord = 4;
  return c.role == Role::Load && (c.op == Ldg || c.op == Lds) && c.bytes >= kWord && c.merged[0].instruction == kNone;
}

void MemoryChanges::note(const Instruction& c) {
  if (c.role != Role::Effect) return;
  const bool exchanges = c.op == Shfl || c.op == Vote || c.op == Match || c.op == Redux || c.for_exchange;
  const bool joins = c.op == Bssy || c.op == Bsync || c.op == Break;
  if (exchanges || joins || c.op == S2r) return;
  if (c.space == AddressSpace::Local || c.space == AddressSpace::Const) return;
  const bool copies = c.op == Ldgsts;
  if (c.space != AddressSpace::Global || copies) ++shared_;
  if (c.space != AddressSpace::Shared || copies) ++global_;
}

uint64_t MemoryChanges::before(const Instruction& load) const {
  return load.read_only ? 0 : load.op == Lds ? shared_ : global_;
}

void share_vector_loads(Kernel&, std::vector<Region>& regions) {
  for (Region& region : regions) share(region.code);
}

}  // namespace drywarp::sass
