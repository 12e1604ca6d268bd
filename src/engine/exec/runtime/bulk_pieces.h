// What an instruction accesses that is no plain load or store: ranges of bytes, checked and told like these.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/exec/runtime/accesses.h"

namespace drywarp::exec {

// Bytes that follow each other, at host addresses.
struct ByteRange {
  uint64_t address = 0;
  uint32_t bytes = 0;
};

// One side of an instruction, for one lane.
struct BulkSide {
  Warp& warp;
  uint32_t instruction;
  uint32_t lane;
  AddressSpace space;
  AccessKind kind = AccessKind::Load;
  bool remote = false;  // in shared memory of another block of the cluster
};

// Whether the lane may access the range. If not: raises the fault, or tells the observers that want to know, who have
// the lane leave out what it may not access: then `allowed` says of each byte whether it may.
bool may_access(const BulkSide& side, const ByteRange& range, std::vector<bool>& allowed);

// A copy that no instruction can do: it is left out, and observers that want to know are told; or the fault is raised.
struct RefusedCopy {
  uint64_t address = 0;  // of one side
  uint32_t bytes = 0;
  uint32_t unit = 0;      // of which the address is no multiple; 0: something else is wrong
  std::string_view rule;  // what that is
};
void refuse_copy(const BulkSide& side, const RefusedCopy& copy, FaultKind kind, std::string message);

// Tells the observers. `slot`: the number of the access in its function.
void tell_bulk(const BulkSide& side, uint32_t slot, const std::vector<ByteRange>& ranges);

}  // namespace drywarp::exec
