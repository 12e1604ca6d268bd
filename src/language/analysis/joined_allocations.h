// The allocations of a pointer that is one of several: of the heads of lists at first, then of their nodes.
#pragma once

#include <optional>
#include <vector>

#include "language/analysis/address_forms.h"

namespace drywarp::analysis {

class JoinedAllocations {
 public:
  JoinedAllocations(const ir::Function& code, AddressForms& forms) : code_(code), forms_(forms) {}

  // All in which the register's address may lie, in order; nothing: that is not known.
  std::optional<std::vector<uint64_t>> of(ir::RegisterId r);

 private:
  // Adds to `found_`; false: it may be any address.
  bool follow(ir::RegisterId r);
  bool follow(const ir::Instruction& in);

  const ir::Function& code_;
  AddressForms& forms_;
  std::vector<bool> followed_;
  std::vector<uint64_t> found_;
};

}  // namespace drywarp::analysis
