// What an instruction of a region must wait for.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/sass/allocate/allocate.h"
#include "model/sass/code/code.h"

namespace drywarp::sass {

// What an instruction needs of an earlier one: that it has issued, that it has read its operands, its value, or its
// guard predicate.
enum class DependsOn : uint8_t { Order, Read, Value, Guard };

// Where allocation has put registers: one place for each of its words.
class Places {
 public:
  Places(const Kernel& kernel, const Allocation& allocation) : kernel_(kernel), allocation_(allocation) {}
  template <class Visit>
  void for_each(Register r, Visit visit) const {
    constexpr uint32_t kFile = 1U << 16, kVirtual = 1U << 31;
    const RegisterInfo& info = kernel_.registers[r];
    if (const uint16_t number = allocation_.number[r]; number != machine::kNoRegister)
      for (uint32_t word = 0; word < info.words; ++word)
        visit(static_cast<uint32_t>(info.file) * kFile + number + word);
    else
      visit(kVirtual + r);
  }

 private:
  const Kernel& kernel_;
  const Allocation& allocation_;
};

// By instruction: the later ones that wait for it.
using Dependences = std::vector<std::vector<std::pair<uint32_t, DependsOn>>>;
// `places`: registers in the same place depend on each other, too. Null: each virtual register is by itself.
Dependences find_dependences(const std::vector<Instruction>& code, const Places* places = nullptr);

// The latency that a compiler assumes, in issue slots; not the device's.
unsigned assumed_latency(const Instruction& c);
// Issue slots until what waits may issue, behind an instruction of this latency.
unsigned slots_until(DependsOn needs, unsigned latency);

}  // namespace drywarp::sass
