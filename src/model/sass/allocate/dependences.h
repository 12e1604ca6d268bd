// What an instruction of a region must wait for.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/sass/code/code.h"

namespace drywarp::sass {

// What an instruction needs of an earlier one: that it has issued, its value, or its guard predicate.
enum class DependsOn : uint8_t { Order, Value, Guard };

// By instruction: the later ones that wait for it.
using Dependences = std::vector<std::vector<std::pair<uint32_t, DependsOn>>>;
Dependences find_dependences(const std::vector<Instruction>& code);

// The latency that a compiler assumes, in issue slots; not the device's.
unsigned assumed_latency(const Instruction& c);
// Issue slots until what waits may issue, behind an instruction of this latency.
unsigned slots_until(DependsOn needs, unsigned latency);

}  // namespace drywarp::sass
