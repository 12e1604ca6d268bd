// A session's options, from the DRYWARP_* environment variables that the command line sets for the program.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cuda/launch/time_plan.h"

namespace drywarp::cuda {

struct Options {
#define DW_OPTION(type, member, initial, variable) type member = initial;
#include "cuda/launch/options.def"
  std::string program;  // the command line; not from a variable
};

// The names of the environment variables: variable::launch_skip is that of launch_skip.
namespace variable {
#define DW_OPTION(type, member, initial, variable) inline constexpr const char* member = variable;
#include "cuda/launch/options.def"
}  // namespace variable

inline constexpr const char* kVariables[] = {
#define DW_OPTION(type, member, initial, variable) variable,
#include "cuda/launch/options.def"
};

// `variable` is getenv or a test's replacement; it returns nullptr for a variable that is not set. A value that does
// not parse is reported through `complain`, and the default stays.
Options read_options(const std::function<const char*(const char*)>& variable,
                     const std::function<void(const std::string&)>& complain);

// The running program's command line, quoted where a shell would need it.
std::string command_line();

}  // namespace drywarp::cuda
