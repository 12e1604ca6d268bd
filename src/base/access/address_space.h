// The state space of an instruction's address. (ptx::StateSpace is what PTX text declares; drywarp::Memory is which
// memory the lanes were counted for.)
#pragma once

#include <cstdint>

namespace drywarp {

enum class AddressSpace : uint8_t {
  Generic,
  Global,
  Shared,
  Local,
  Const,
  Param,          // of the kernel
  ParamFunc,      // of a function that is called
  SharedCluster,  // shared memory of any block of the cluster
  Register,       // no address: a register instead
  None,           // no memory at all
};

// As messages call it: "shared". An address whose space is not known counts as global.
constexpr const char* name(AddressSpace space) {
  switch (space) {
    case AddressSpace::Shared:
      return "shared";
    case AddressSpace::Local:
      return "local";
    case AddressSpace::Const:
      return "constant";
    case AddressSpace::Param:
      return "parameter";
    default:
      return "global";
  }
}

}  // namespace drywarp
