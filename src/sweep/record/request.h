// What one run of a sweep is to do, complete in itself: `drywarp measure` needs nothing else, on this machine or
// another.
//
//   {"program": ["matmul.cu", "-DBM=32"], "arguments": ["512"], "device": "a100", "stage": "whole"}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"
#include "sweep/record/json.h"
#include "sweep/space/description.h"

namespace drywarp::sweep {

// How much of a run is modelled. A later stage costs more.
enum class Stage : uint8_t {
  Counts,  // no times
  Slice,   // times of a bounded share of the work
  Whole,   // the time of every launch
};
[[nodiscard]] const char* key(Stage stage);
[[nodiscard]] std::optional<Stage> parse_stage(std::string_view key);

struct Request {
  std::vector<std::string> program;    // sources and compile options, or a program
  std::vector<std::string> arguments;  // of the program
  std::string device;                  // empty: the default
  std::string kernel;                  // regular expression; empty: every kernel
  std::string what_if;                 // the time is that with this change; empty: as it is
  std::string verify;                  // shell command that reads the program's output; empty: none
  Stage stage = Stage::Whole;
  double limit_seconds = 0;  // of the program; 0: none
  unsigned workers = 0;      // threads that run blocks; 0: one a core
};

[[nodiscard]] Request request_for(const Program& program, const Space& space, const Configuration& configuration);

[[nodiscard]] Json to_json(const Request& request);
// `where` names the text in errors.
Result<Request> parse_request(std::string_view text, const std::string& where);

}  // namespace drywarp::sweep
