// Which short sides of branches are predicated instead of branched around, as ptxas 13 -O3 does for sm_90.
#pragma once

#include <set>
#include <vector>

#include "model/sass/code/flow.h"
#include "model/sass/passes/passes.h"

namespace drywarp::sass {

// Computed from constants only: computed whether or not the branch is taken, and shared.
[[nodiscard]] bool is_made_of_constants(const Instruction& instruction);

// What is before a side in its chain of blocks.
struct BeforeSide {
  bool reads = false;          // a predicated side that reads global memory
  bool behind_branch = false;  // the chain begins where lanes join behind a branch that stays
};

// A side: a block, or one that only jumps and its target. It branches off at the end of `at`, and its lanes meet the
// others at `join`.
class PredicatedSides {
 public:
  PredicatedSides(const Kernel& kernel, const Flow& flow);

  [[nodiscard]] bool alone(uint32_t at, const std::vector<uint32_t>& side, uint32_t join, BeforeSide before) const;
  [[nodiscard]] bool both(uint32_t at, const std::vector<uint32_t>& first, const std::vector<uint32_t>& second,
                          uint32_t join, BeforeSide before) const;
  [[nodiscard]] bool reads_global(uint32_t b) const;

 private:
  [[nodiscard]] const std::vector<uint32_t>& successors(uint32_t b) const {
    return kernel_.function->blocks[b].successors;
  }
  [[nodiscard]] unsigned longest_side(uint32_t at, uint32_t join) const;
  [[nodiscard]] bool works_behind(uint32_t join) const;
  [[nodiscard]] bool reads_shared(uint32_t b) const;
  [[nodiscard]] bool reads_beside(uint32_t b) const;
  [[nodiscard]] bool overlaps_reads(uint32_t at, uint32_t join) const;
  [[nodiscard]] bool leads_to_inner_loop(uint32_t at, uint32_t b) const;
  [[nodiscard]] bool joined_from_elsewhere(uint32_t at, uint32_t join) const;
  [[nodiscard]] bool hides_reads(uint32_t at, uint32_t side, uint32_t join, bool stores, bool behind_branch) const;
  [[nodiscard]] bool decides_next(uint32_t at, uint32_t side, uint32_t join) const;
  [[nodiscard]] bool waits_for_constants(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) const;
  [[nodiscard]] bool works_beside(uint32_t at, const std::vector<uint32_t>& sides, uint32_t join) const;
  [[nodiscard]] unsigned work_beside(uint32_t at, const std::vector<uint32_t>& sides, uint32_t join) const;
  [[nodiscard]] bool is_predicate(Register r) const;
  [[nodiscard]] static bool writes_any(const Instruction& c, const std::set<Register>& some);
  [[nodiscard]] std::vector<uint32_t> straight_on(uint32_t b) const;
  [[nodiscard]] std::vector<uint32_t> behind(uint32_t join) const;
  [[nodiscard]] bool sets_constants(const std::vector<uint32_t>& side) const;
  [[nodiscard]] bool in_innermost_loop(uint32_t b) const;
  [[nodiscard]] unsigned longest_with_reads(uint32_t at, unsigned stores, bool finds_place) const;
  [[nodiscard]] bool fits(uint32_t at, uint32_t side, uint32_t join, unsigned longest, BeforeSide before) const;

  const Kernel& kernel_;
  const Flow& flow_;
  std::vector<unsigned> writes_;    // by register
  std::vector<bool> is_parameter_;  // ... of the kernel
};

}  // namespace drywarp::sass
