// Finds where accesses' addresses come from: PTX is followed from the address to a parameter or a symbol.
#pragma once

#include "profile/advice/facts.h"

namespace drywarp::advice {

// Sets InstructionFacts::base and `moves` of every access.
void find_address_bases(Facts& facts);

}  // namespace drywarp::advice
