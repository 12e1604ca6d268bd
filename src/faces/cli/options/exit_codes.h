// drywarp's exit codes. `run` and `profile` exit with the program's code if it ran. The codes for a program that did
// not run are those of env(1), which programs seldom use.
#pragma once

namespace drywarp::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailed = 125;  // drywarp itself: wrong options, no compiler, compile errors, unreadable profile
inline constexpr int kCannotRun = 126;  // the program cannot run under drywarp: static runtime, no PTX, not CUDA
inline constexpr int kNotFound = 127;   // no such program
inline constexpr int kCompiler = 1;     // `drywarp nvcc`, like nvcc: 1 for wrong options, else the compiler's exit code

}  // namespace drywarp::cli
