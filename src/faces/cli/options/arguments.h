// Splits a command line into drywarp's options, the compiler's options and the program's arguments.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"

namespace drywarp::cli {

struct SplitArguments {
  std::vector<std::string> own;        // for CLI11
  std::vector<std::string> compiler;   // sources and compile options, for compile::parse_options
  std::string program;                 // an executable or a .ptx file; empty: sources are compiled
  std::vector<std::string> arguments;  // of the program
};

// `app` holds drywarp's options. After "--" every argument is the program's. The first argument that is neither an
// option nor a source file is the program, and the arguments after it are the program's. A .ptx or .dwprof file takes
// no arguments: drywarp's options may follow it.
Result<SplitArguments> split_arguments(CLI::App& app, const std::vector<std::string>& arguments);

bool is_ptx_file(const std::string& path);
// Whether a file of this name is a profile: it ends in ".dwprof".
inline constexpr std::string_view kProfileSuffix = ".dwprof";
bool names_profile(const std::string& path);
// Of --html: fails for the name of a profile, which a page would replace.
Status check_page_file(const std::string& path);

}  // namespace drywarp::cli
