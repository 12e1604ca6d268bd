// Which accesses of shared, local or constant memory can be done together. Private to the passes that merge accesses.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "model/sass/code/code.h"

namespace drywarp::sass {

inline constexpr unsigned kWidest = 16, kWidestConstant = 8;  // bytes of an access

inline bool same_base(const Instruction& a, const Instruction& b) {
  return a.source[0] == b.source[0] && a.uniform_base == b.uniform_base && a.variable == b.variable;
}
inline bool writes(const Instruction& c, const Source& s) { return s.is_register() && writes_register(c, s.reg); }

inline bool may_write_shared(const Instruction& c) {
  return c.role == Role::Effect && c.op != machine::Operation::Shfl && c.space != AddressSpace::Global;
}

// Loads from the same base as the one at `first`, up to an instruction that `may_write` what they read.
template <class IsLoad>
std::vector<size_t> loads_from(const std::vector<Instruction>& code, size_t first, IsLoad is_load,
                               bool (*may_write)(const Instruction&) = may_write_shared) {
  std::vector<size_t> group{first};
  for (size_t k = first + 1; k < code.size(); ++k) {
    const Instruction& c = code[k];
    if (may_write(c)) break;
    if (is_load(c) && same_base(c, code[first])) group.push_back(k);
    if (writes(c, code[first].source[0])) break;
  }
  return group;
}

// Of `group`, the accesses of the aligned bytes around the one at `i`, by address: as many as `widest`, or else fewer,
// down to two accesses. Their elements have `each` bytes. None if an element is missing; one of four may be if
// `can_lack`.
inline std::vector<size_t> parts_of(const std::vector<Instruction>& code, const std::vector<size_t>& group, size_t i,
                                    unsigned each, unsigned base_zeros, unsigned widest = kWidest,
                                    bool can_lack = false) {
  for (unsigned bytes = widest; bytes > each; bytes /= 2) {
    if (base_zeros < static_cast<unsigned>(std::countr_zero(bytes))) continue;
    const int64_t start = code[i].offset & ~int64_t(bytes - 1), end = start + bytes;
    std::vector<size_t> parts;
    unsigned missing = 0;
    for (int64_t offset = start; offset < end;) {
      const auto is_there = [&](size_t k) {
        return !code[k].dead && code[k].offset == offset && offset + code[k].bytes <= end;
      };
      const auto found = std::ranges::find_if(group, is_there);
      if (found != group.end()) parts.push_back(*found);
      missing += found == group.end();
      offset += found == group.end() ? each : code[*found].bytes;
    }
    const bool has_all = missing == 0 || (can_lack && missing == 1 && bytes == 4 * each);
    if (has_all && parts.size() > 1 && std::ranges::find(parts, i) != parts.end()) return parts;
  }
  return {};
}

}  // namespace drywarp::sass
