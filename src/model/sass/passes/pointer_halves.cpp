// A pointer that steps through a loop, and that ptxas computes word by word, is in two registers that need not lie side
// by side: before its accesses two moves make a pair of them.
#include <algorithm>
#include <map>
#include <set>

#include "model/sass/code/flow.h"
#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// Whether the instruction needs the pointer in a pair: as an address, or as the addend of an IMAD.WIDE.
bool needs_pair(const Instruction& c, Register r) {
  const bool accesses = c.space != AddressSpace::None && c.source[0].is_register() && c.source[0].reg == r;
  return accesses || (c.op == ImadWide && c.source[2].is_register() && c.source[2].reg == r);
}

class PointerHalves {
 public:
  PointerHalves(Kernel& kernel, std::vector<Region>& regions)
      : kernel_(kernel), regions_(regions), flow_(find_flow(*kernel.function)) {}

  void run() {
    std::set<uint32_t> headers;
    for (const auto& around : flow_.loops)
      if (!around.empty()) headers.insert(around.back());
    for (const uint32_t header : headers) loop(header);
  }

 private:
  // What writes a pointer before the loop, and how often the loop needs it in a pair.
  struct Pointer {
    unsigned uses = 0;
    bool begins = false, begins_as_pair = false;
  };

  [[nodiscard]] bool is_inside(const Region& region, uint32_t header) const {
    const auto& around = flow_.loops[region.path[0].block];
    return std::ranges::find(around, header) != around.end() && !region.whole_loop;
  }
  // The code of the loop, each part of it once: of an unrolled one the longest.
  [[nodiscard]] std::vector<const Region*> inside(uint32_t header) const {
    std::vector<const Region*> found;
    std::set<uint32_t> seen;
    for (const Region& region : regions_)
      if (!region.fallback && is_inside(region, header) && seen.insert(region.path[0].block).second)
        found.push_back(&region);
    return found;
  }

  // What computes the value that the instruction copies.
  [[nodiscard]] static const Instruction* origin(const Region& region, const Instruction& c) {
    if (c.role != Role::Copy || !c.source[0].is_register()) return &c;
    const Instruction* found = &c;
    for (const Instruction& d : region.code) {
      if (&d == &c) break;
      if (writes_register(d, c.source[0].reg)) found = &d;
    }
    return found;
  }

  // A pointer that one IMAD.WIDE begins, or a load, keeps its pair. A single access of a single pointer needs no moves.
  // (ptxas 13, sm_90: of 168 generated loops with one and two pointers 129 have as many moves, and 51 without this.)
  void loop(uint32_t header) {
    const std::vector<const Region*> code = inside(header);
    std::map<Register, Pointer> pointers;
    for (const Region* region : code)
      for (const Instruction& c : region->code)
        if (const Register r = c.destination[0];
            r != kNone && is_pair(r) && (c.wide || c.op == ImadWide || c.role == Role::Copy))
          pointers.try_emplace(r);
    for (auto& [r, pointer] : pointers) {
      for (const Region* region : code)
        for (const Instruction& c : region->code) pointer.uses += needs_pair(c, r);
      for (const Region& region : regions_) {
        if (region.fallback || is_inside(region, header)) continue;
        for (const Instruction& c : region.code) {
          if (!writes_register(c, r)) continue;
          const Instruction* from = origin(region, c);
          pointer.begins = true;
          pointer.begins_as_pair |= !from->wide;
        }
      }
    }
    std::erase_if(pointers, [](const auto& entry) {
      const Pointer& p = entry.second;
      return !p.begins || p.begins_as_pair || p.uses == 0;
    });
    for (const auto& [r, pointer] : pointers)
      if (pointer.uses > 1 || pointers.size() > 1) make_pair(header, r);
  }

  // At the beginning of the loop.
  void make_pair(uint32_t header, Register r) {
    for (Region& region : regions_) {
      if (region.path[0].block != header || region.fallback || region.whole_loop) continue;
      Instruction move;
      move.op = Mov;
      move.form.in_sequence = true;
      move.wide = true;
      move.source.set(0, Source::of(r));
      const Register pair = kernel_.make(2);
      move.destination.set(0, pair);
      for (Instruction& c : region.code) {
        if (c.space != AddressSpace::None && c.source[0].is_register() && c.source[0].reg == r) {
          Source base = c.source[0];
          base.reg = pair;
          c.source.set(0, base);
        }
        if (writes_register(c, r)) break;
      }
      region.code.insert(region.code.begin(), move);
    }
  }

  [[nodiscard]] bool is_pair(Register r) const {
    return kernel_.registers[r].file == RegisterFile::General && kernel_.registers[r].words == 2;
  }

  Kernel& kernel_;
  std::vector<Region>& regions_;
  const Flow flow_;
};

}  // namespace

void pair_pointer_halves(Kernel& kernel, std::vector<Region>& regions) { PointerHalves(kernel, regions).run(); }

}  // namespace drywarp::sass
