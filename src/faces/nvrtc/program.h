// A program of NVRTC: a source that is compiled while another program runs.
//
// Its text and its headers are kept as files in the cache, so that reports show its lines. clang compiles a unit that
// holds the text behind
// `#line`, and a variable for each name expression, initialized with its address: the PTX then has the lowered name.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/support/result.h"

namespace drywarp::nvrtc {

struct Header {
  std::string name, text;
};

struct Source {
  std::string name;  // as the program calls it; need not be a file
  std::string text;
  std::vector<Header> headers;
};

struct Output {
  std::string ptx;
  std::string cubin;                           // a fat binary with the PTX; empty for a virtual architecture
  std::map<std::string, std::string> lowered;  // name expression -> name in the PTX
};

struct CompiledProgram {
  std::optional<Output> output;  // none: the compiler found errors
  bool options_wrong = false;
  std::string log;  // of the compiler, with the names that the program gave
};

// An error of `Result` is one of drywarp's installation: no compiler, no headers.
Result<CompiledProgram> compile_program(const Source& source, std::span<const std::string> expressions,
                                        std::span<const std::string> options);

}  // namespace drywarp::nvrtc
