// One run of a sweep or of a tuner: a request in, a measurement out.
#pragma once

#include "sweep/record/measurement.h"

namespace drywarp::cli {

// Compiles, runs, models and verifies. Whatever goes wrong is a measurement; the compiler's diagnostics go to standard
// error.
[[nodiscard]] sweep::Measurement measure_request(const sweep::Request& request);

}  // namespace drywarp::cli
