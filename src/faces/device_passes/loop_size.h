// How nvcc 13 measures a loop, and how many iterations it unrolls by that measure.
#pragma once

#include <llvm/Analysis/LoopInfo.h>

namespace drywarp::device_passes {

// A loop's size, and how many of its instructions become constants once the loop is straight code: those that depend on
// its counter alone. Both without the comparison and the branch at its end, which are there once.
struct LoopSize {
  unsigned all = 0, folded = 0;

  // Of `factor` iterations at once, whose counters are increased once.
  LoopSize times(unsigned factor) const;
  // Whether so many iterations at once are few enough.
  bool fits(unsigned factor) const;
  // Whether `count` iterations become straight code.
  bool whole(unsigned count) const;
  // Whether they do where a local array's elements become registers by that.
  bool fits_for_array(unsigned count) const;
};

LoopSize size_of(const llvm::Loop& loop);

// Whether a local array's index changes with the iterations.
bool walks_local_array(const llvm::Loop& loop);

// As many iterations at once as nvcc takes of a loop whose count is `constant`, or 0 if that is known at run time
// alone.
unsigned part_of(const LoopSize& size, unsigned constant);

}  // namespace drywarp::device_passes
