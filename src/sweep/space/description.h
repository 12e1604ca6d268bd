// A whole sweep, as a TOML file or a command line says it.
//
//   program = ["matmul.cu"]             # sources and compile options; or a program
//   arguments = ["{N}", "check"]        # {NAME}: a parameter's value
//   kernel = "tiled"                    # only kernels that match this regular expression
//   verify = "cmp out.txt expected.txt" # a shell command; it fails: the row is wrong
//   search = "halving"                  # or "grid", "random"
//   runs = 20                           # of a random search
//   per = ["N"]                         # the best is sought for each of these values
//   constraints = ["BM * BN <= 4096"]
//
//   [[parameter]]
//   name = "BM"
//   kind = "macro"                      # argument, options, registers, device, what-if
//   values = [32, 64, "96..256+32"]
//   names = ["small", "medium"]         # optional: labels of the values, without ranges
//   when = "TILED == 1"                 # optional
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"
#include "sweep/space/space.h"

namespace drywarp::sweep {

enum class Search : uint8_t { Grid, Random, Halving };
[[nodiscard]] const char* key(Search search);
[[nodiscard]] std::optional<Search> parse_search(std::string_view key);

// How a run is made, whatever the parameters.
struct Program {
  std::vector<std::string> words;      // sources and compile options, or a program
  std::vector<std::string> arguments;  // of the program; {NAME} is a parameter's value
  std::string device;                  // empty: the default
  std::string kernel;                  // regular expression; empty: every kernel
  std::string verify;                  // shell command; empty: the exit code alone decides
};

struct Description {
  Program program;
  Space space;
  Search search = Search::Grid;
  uint64_t runs = 0;  // of a random search; 0: all
  uint64_t seed = 1;
  // Parameters that are no choice, such as problem sizes: the best is sought for each of their values, and of each
  // device.
  std::vector<std::string> per;
};

// Fails with the place of the first problem. Paths stay as they are written.
Result<Description> parse_description(std::string_view text, const std::string& path);

// {NAME=VALUES} in arguments becomes a parameter and {NAME}. Fails for {NAME} that no parameter has.
Status take_arguments(Description& description, const std::vector<std::string>& arguments);

}  // namespace drywarp::sweep
