// What the optimization passes know of each register while they rewrite code: its number of uses, whether it has one
// value throughout, and the instruction that defines it.
#pragma once

#include <vector>

#include "model/sass/code/code.h"

namespace drywarp::sass {

// An instruction, and its block.
struct Definition {
  const Instruction* code = nullptr;
  uint32_t block = 0;
};
// By register: the one instruction that writes it; none where several do, or none does. Points into `blocks`.
[[nodiscard]] std::vector<Definition> only_definitions(const std::vector<CodeBlock>& blocks, size_t registers);

class Values {
 public:
  explicit Values(Kernel& of) : kernel(of) { grow(); }

  Kernel& kernel;
  std::vector<int> uses;          // by register, of the instructions that were counted
  std::vector<bool> known;        // made_by holds its definition
  std::vector<bool> variable;     // has several values: no definition holds everywhere
  std::vector<bool> multiple;     // the kernel writes it more than once
  std::vector<bool> only_added;   // every use adds it to another register
  std::vector<bool> only_scaled;  // every use multiplies it with a literal, and adds nothing
  std::vector<Instruction> made_by;

  void count(const std::vector<Instruction>& code);
  void keep(Register r) { uses[r] += 1000, touched_.push_back(r); }  // live after this code
  [[nodiscard]] bool is_kept(Register r) const { return uses[r] >= 1000; }
  void find_multiple();
  void find_only_added();
  void find_only_scaled();
  // Resets the state for the code of one region.
  void start_region(const std::vector<Instruction>& code);
  void touch(const std::vector<Instruction>& code);
  // Forgets values whose registers other blocks may write.
  void forget_local();
  // Makes room for registers created since.
  void grow();

  [[nodiscard]] bool fresh(Register r) const { return r >= originals_; }  // made by rename()
  [[nodiscard]] bool stable(Register r) const { return !variable[r]; }
  // The bits of a value that a load of a small element without a sign gives; 0: it is none.
  [[nodiscard]] unsigned loaded_bits(Register r) const { return r < bits_.size() && !multiple[r] ? bits_[r] : 0; }
  // Whether a load of a small element extended its sign.
  [[nodiscard]] bool loaded_sign(Register r) const { return r < signed_.size() && !multiple[r] && signed_[r]; }
  // Whether its sources still hold the values that it read.
  [[nodiscard]] bool usable(const Instruction& d) const;
  // The definition of an unmodified register source; null: not known.
  [[nodiscard]] const Instruction* definition(const Source& s) const;
  [[nodiscard]] bool only_use(const Source& s) const { return uses[s.reg] == 1; }
  void learn(const Instruction& c);

  // Changes of code that keep `uses` correct.
  void set(Source& place, Source to);
  void kill(Instruction& c);
  void become_copy(Instruction& c, Source from);
  void replace(Instruction& c, machine::Operation op, const Form& form, Sources sources);

 private:
  void release(const Source& s) {
    if (s.is_register()) --uses[s.reg];
  }
  void acquire(const Source& s) {
    if (s.is_register()) ++uses[s.reg];
  }
  [[nodiscard]] bool stable_everywhere(const Instruction& c) const;

  std::vector<uint8_t> bits_;  // by register
  std::vector<bool> signed_;
  std::vector<Register> learned_, touched_;
  size_t originals_ = 0;
};

}  // namespace drywarp::sass
