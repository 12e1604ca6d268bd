// Parts a command line into drywarp's own options, the compiler's options and the program's arguments.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "base/support/result.h"

namespace drywarp::cli {

struct SplitArguments {
  std::vector<std::string> own;        // for CLI11
  std::vector<std::string> compiler;   // sources and compile options, for compile::parse_options
  std::string program;                 // an executable or a .ptx file; empty: there are sources to compile
  std::vector<std::string> arguments;  // of the program
};

// `app` knows drywarp's own options. Behind "--" everything is the program's. The first argument that is neither an
// option nor a source file is a program, and what follows is the program's as well; behind a .ptx file drywarp's
// options go on.
Result<SplitArguments> split_arguments(CLI::App& app, const std::vector<std::string>& arguments);

bool is_ptx_file(const std::string& path);

}  // namespace drywarp::cli
