// What the passes of optimize.h know of registers while they rewrite code: how often each is read, whether it has one
// value in all of the code that is looked at, and the instruction that made it.
#pragma once

#include <array>
#include <vector>

#include "model/sass/code/code.h"

namespace drywarp::sass {

// Variant of the copies that rename() puts at the end: the old name gets the last value.
inline constexpr uint32_t kEndCopy = 0xe0d;

class Values {
 public:
  explicit Values(Kernel& of) : kernel(of) { grow(); }

  Kernel& kernel;
  std::vector<int> uses;         // by register, of the instructions that were counted
  std::vector<bool> known;       // made_by holds the instruction that makes it
  std::vector<bool> variable;    // has several values: nothing may be concluded from one
  std::vector<bool> multiple;    // the kernel writes it more than once
  std::vector<bool> only_added;  // all that read it add it to something in a register
  std::vector<Code> made_by;

  void count(const std::vector<Code>& code);
  void keep(Register r) { uses[r] += 1000, touched_.push_back(r); }  // read behind this code, too
  [[nodiscard]] bool is_kept(Register r) const { return uses[r] >= 1000; }
  void find_multiple();
  void find_only_added();
  // Ready for the code of one region; what an earlier one left is forgotten.
  void start_region(const std::vector<Code>& code);
  void touch(const std::vector<Code>& code);
  // Forgets values whose registers other blocks may write.
  void forget_local();
  // Room for registers that were made since.
  void grow();

  [[nodiscard]] bool fresh(Register r) const { return r >= originals_; }  // made by rename()
  [[nodiscard]] bool stable(Register r) const { return !variable[r]; }
  // Its sources still have the values that it read.
  [[nodiscard]] bool usable(const Code& d) const;
  // What makes a source that is taken as it is; null: not known.
  [[nodiscard]] const Code* definition(const Source& s) const;
  [[nodiscard]] bool only_use(const Source& s) const { return uses[s.reg] == 1; }
  void learn(const Code& c);

  // Changes of code that keep `uses` true.
  void set(Source& place, Source to);
  void kill(Code& c);
  void become_copy(Code& c, Source from);
  void replace(Code& c, machine::Operation op, uint32_t variant, std::array<Source, 6> sources);

 private:
  void release(const Source& s) {
    if (s.is_register()) --uses[s.reg];
  }
  void acquire(const Source& s) {
    if (s.is_register()) ++uses[s.reg];
  }
  [[nodiscard]] bool stable_everywhere(const Code& c) const;

  std::vector<Register> learned_, touched_;
  size_t originals_ = 0;
};

}  // namespace drywarp::sass
