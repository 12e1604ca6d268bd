// What ptxas weighs when it unrolls a loop whose count only the launch knows.
#pragma once

#include <span>

#include "model/sass/code/code.h"

namespace drywarp::sass {

// ptxas unrolls before it joins operations: a sum of three, a shifted addition, a LOP3 and an address with an offset
// are several operations yet, and a 64-bit one is one. So almost each instruction of the PTX weighs one. Read from
// ptxas 13's code for some 250 kinds of loops, each beside 0 to 59 FFMA: the most that it still unrolls show the weight
// of the rest. That number is ptxas's for all but 10 kinds.
struct LoopWeight {
  unsigned weight = 0;
  unsigned shared_reads = 0;
  bool reads_outside = false;  // global memory or the thread's own
  bool stays_one = false;      // has an operation with a slow path, or a fence
  bool acts_together = false;  // has a barrier, an exchange of lanes, an atomic or the like

  void add(const Kernel& kernel, const Step& step);
  // Reads of shared memory raise the bound, and reads of other memory give another one: the higher one holds (44 of 44
  // loops of up to four reads of global memory and up to 32 of shared memory).
  [[nodiscard]] bool is_light() const;
};

}  // namespace drywarp::sass
