// A name for every value, so that what is known of a name stays true; and the old names back where they cost nothing.
#pragma once

#include <vector>

#include "model/sass/code/code.h"
#include "model/sass/code/values.h"

namespace drywarp::sass {

// Gives every definition a name of its own; variable registers keep theirs. At the end the old names get the last
// values, if they live on. `live_out`: sorted. `all_defined_elsewhere_too`: registers that other blocks write as well
// (Values::multiple) are renamed even if this code writes them once.
void rename(Values& v, std::vector<Code>& code, const std::vector<Register>& live_out, bool all_defined_elsewhere_too);

// A final `r = r'` vanishes where the instruction that makes r' can write r itself.
void write_directly(Values& v, std::vector<Code>& code);

// Drops what nothing reads. Values::uses must count all uses.
void drop_dead(Values& v, std::vector<Code>& code);

}  // namespace drywarp::sass
