// Which accesses of shared memory can be done together. Private to the passes that merge accesses.
#pragma once

#include <algorithm>
#include <vector>

#include "model/sass/code/code.h"

namespace drywarp::sass {

inline bool same_base(const Instruction& a, const Instruction& b) {
  return a.bytes == b.bytes && a.source[0] == b.source[0] && a.uniform_base == b.uniform_base;
}
inline bool writes(const Instruction& c, const Source& s) {
  return s.is_register() && std::ranges::find(c.destination, s.reg) != c.destination.end();
}

// Loads from the same base as the one at `first`, up to the next write of shared memory.
template <class IsLoad>
std::vector<size_t> loads_from(const std::vector<Instruction>& code, size_t first, IsLoad is_load) {
  std::vector<size_t> group{first};
  for (size_t k = first + 1; k < code.size(); ++k) {
    const Instruction& c = code[k];
    if (c.role == Role::Effect && c.op != machine::Operation::Shfl && c.space != AddressSpace::Global) break;
    if (is_load(c) && same_base(c, code[first])) group.push_back(k);
    if (writes(c, code[first].source[0])) break;
  }
  return group;
}

}  // namespace drywarp::sass
