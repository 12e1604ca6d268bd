// An exercise: a TOML file that says what a learner's program must do, and how many points each part earns.
//
//   title = "Scale a matrix"
//   task = "The loads of `scale` are not coalesced. Make them so."
//
//   [[check]]
//   points = 4
//   says = "Every load is coalesced."
//   hint = "Let threadIdx.x run along a row."
//   kernel = "scale*"
//   expect = "gld_efficiency == 100"
//
// docs/grade.md describes every key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"
#include "profile/gates/expectation.h"

namespace drywarp::grade {

// What a check looks at.
enum class Kind : uint8_t { Exit, Output, OutputContains, OutputMatches, OutputAsSolution, Launches, Expect };
[[nodiscard]] const char* key(Kind kind);  // in the file: "output_contains"

struct Check {
  SourceLocation where;
  unsigned points = 0;  // at least 1; a check earns all of them or none
  std::string says;     // one sentence for the learner
  std::string hint;     // shown on failure; may be empty
  Kind kind{};
  int exit_code = 0;                              // Exit
  std::string text;                               // an output, a part of it, a pattern; the pattern of a kernel's name
  std::optional<gates::Expectation> expectation;  // Expect
  std::string line_with;                          // Expect: only the line that contains this text; empty: every line
};

struct Exercise {
  std::string title, lesson, task;
  std::string device;  // empty: the default
  SourceLocation device_at;
  double time_limit = 60;              // seconds that the program may run
  std::vector<std::string> arguments;  // of the program
  std::string solution;                // a path as the user would type it; empty: none
  std::vector<Check> checks;           // at least one

  [[nodiscard]] unsigned points() const;
  // A check looks at a modelled time.
  [[nodiscard]] bool needs_time() const;
  // A check compares with what the solution prints or counts.
  [[nodiscard]] bool needs_solution() const;
};

// `path` is for locations, and for the solution's folder.
Result<Exercise> parse_exercise(std::string_view text, const std::string& path);

}  // namespace drywarp::grade
