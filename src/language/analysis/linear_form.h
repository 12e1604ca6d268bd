// Linear forms of a launch's variables: what an address is once the launch's parameters are known. Decides whether
// addresses of threads in different blocks can be equal.
#pragma once

#include <cstdint>
#include <vector>

namespace drywarp::analysis {

// Large enough for every address, small enough that two of them can be added.
inline constexpr int64_t kUnbounded = INT64_MAX / 4;
int64_t saturated_add(int64_t a, int64_t b);
int64_t saturated_multiply(int64_t a, int64_t b);

struct Range {
  int64_t low = 0, high = 0;  // both included; -kUnbounded, kUnbounded: no limit
  [[nodiscard]] Range operator+(const Range& other) const;
  [[nodiscard]] Range scaled(int64_t factor) const;
  [[nodiscard]] bool inside(int64_t least, int64_t most) const { return low >= least && high <= most; }
  bool operator==(const Range&) const = default;
};

struct LaunchVariable {
  enum class Kind : uint8_t {
    Block,   // %ctaid: the same in all threads of a block
    Thread,  // made of %tid
    Loop,    // iterations of a loop: differs from one use to the next
  };
  Kind kind = Kind::Thread;
  Range range;
};

struct LinearForm {
  struct Term {
    uint32_t variable = 0;
    int64_t factor = 0;
    bool operator==(const Term&) const = default;
  };
  bool known = false;  // false: any number, or any place of `allocation`
  int64_t constant = 0;
  std::vector<Term> terms;  // by variable, no factor is 0
  uint64_t allocation = 0;  // that the address lies in; 0: not an address, or not known

  static LinearForm number(int64_t value) { return {true, value, {}, 0}; }
  static LinearForm unknown(uint64_t allocation = 0) { return {false, 0, {}, allocation}; }
  [[nodiscard]] bool is_number() const { return known && terms.empty(); }
  [[nodiscard]] int64_t factor_of(uint32_t variable) const;
  [[nodiscard]] LinearForm scaled(int64_t factor) const;
};

// Unknown if both have the same loop variable: each may come from another iteration.
LinearForm sum(const LinearForm& a, const LinearForm& b, const std::vector<LaunchVariable>& variables);
// `loops`: counts loop variables without a bound; else ignores them.
Range range_of(const LinearForm& form, const std::vector<LaunchVariable>& variables, bool loops = true);

// One unknown of the equation below: `factor` times an integer of `range`.
struct Unknown {
  int64_t factor = 0;
  Range range;
  bool differs = false;  // not 0: the two blocks differ
};
// Whether the sum of the unknowns can lie in `target` with two different blocks. Also true if the search takes too
// long.
bool different_blocks_can_overlap(std::vector<Unknown> unknowns, Range target);

}  // namespace drywarp::analysis
