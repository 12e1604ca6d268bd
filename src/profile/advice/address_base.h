// Where an access's address comes from, as far as PTX shows it: the kernel's pointer parameter, or the shared array.
#pragma once

#include <optional>
#include <string>

#include "profile/advice/facts.h"

namespace drywarp::advice {

struct AddressBase {
  std::optional<unsigned> parameter;  // its number; nothing: none, or several
  std::string symbol;                 // of shared memory, as the source names it: "tile"; empty: none, or several
};
[[nodiscard]] AddressBase address_base(const Facts& facts, const InstructionFacts& access);

}  // namespace drywarp::advice
