// What drywarp's exit code says. `run` and `profile` end with the program's own code wherever it ran; as with env(1)
// and its like, the codes that say it did not run lie where programs seldom put theirs.
#pragma once

namespace drywarp::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailed = 125;  // drywarp itself: wrong options, no compiler, compile errors, unreadable profile
inline constexpr int kCannotRun = 126;  // the program cannot run under drywarp: static runtime, no PTX, no CUDA at all
inline constexpr int kNotFound = 127;   // there is no such program
inline constexpr int kCompiler = 1;     // `drywarp nvcc`: as nvcc, 1 for wrong options, else the compiler's own code

}  // namespace drywarp::cli
