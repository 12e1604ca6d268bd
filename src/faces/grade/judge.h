// Holds what a program did to an exercise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "faces/grade/exercise.h"
#include "profile/record/profile.h"

namespace drywarp::grade {

// What a program did.
struct Attempt {
  bool compiled = true;  // false: it never ran
  int exit_code = 0;
  int signal = 0;          // that killed it; 0: none
  bool timed_out = false;  // it was killed at the time limit
  std::string output;      // the beginning of its standard output
  bool output_cut = false;
  record::Profile profile;  // empty if it never used CUDA
};

// A source line that a broken check is about.
struct Line {
  std::string file;
  uint32_t number = 0;
  std::string value;   // of the metric there: "12.5 %"; empty: the kernel begins there
  std::string source;  // its text; empty if the file cannot be read
};

struct Verdict {
  bool passed = false;
  std::string expected, found;  // of a check that failed; empty: nothing could be checked
  std::vector<Line> lines;
};

struct Score {
  std::string problem;            // why nothing could be checked: there are no points then; empty: it could
  std::string note;               // how the program ended, if that was a crash
  std::vector<Verdict> verdicts;  // a check each
  unsigned points = 0;
};

// `solution`: what the exercise's solution did; null unless the exercise needs it. It compiled and ran to its end.
[[nodiscard]] Score judge(const Exercise& exercise, const Attempt& attempt, const Attempt* solution);

}  // namespace drywarp::grade
