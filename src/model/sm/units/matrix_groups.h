// Products of matrices by warp groups (wgmma): asynchronous operations of the tensor cores, which a warp waits for by
// groups. Each warp of a warp group has a part of the product on the tensor core of its sub-partition.
#pragma once

#include <deque>
#include <vector>

#include "model/sm/units/schedulers.h"

namespace drywarp::sm {

class MatrixGroups {
 public:
  explicit MatrixGroups(Simulation& simulation) : s(simulation) {}

  Effect multiply(uint32_t part, uint32_t warp, const Decoded& in, Cycles now);
  // Waits for all but the last groups of the warp.
  Effect wait(uint32_t warp, const Decoded& in, Cycles now);

 private:
  // Of a warp. Products end in their order.
  struct Groups {
    uint32_t serial = 0;
    std::deque<Cycles> ended;  // when the products of a group are done
    Cycles last = 0;           // when all products so far are done
  };
  Groups& groups_of(uint32_t warp);

  Simulation& s;
  std::vector<Groups> groups_;  // by warp
};

}  // namespace drywarp::sm
