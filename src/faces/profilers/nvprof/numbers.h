// Times and sizes as nvprof writes them: five significant digits and a unit.
#pragma once

#include <string>

namespace drywarp::profilers {

// "1.2345us", "12.345ms", "0ns"; `seconds` is not negative.
[[nodiscard]] std::string nvprof_time(double seconds);

}  // namespace drywarp::profilers
