// Lowers kernels given as a few lines of PTX.
#pragma once

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "language/ir/build/build.h"
#include "model/sass/lower.h"

namespace drywarp::sass {

inline ir::Module parse(const std::string& text) {
  auto module = ir::parse_module(text, "test.ptx");
  if (!module) ADD_FAILURE() << module.problem().message;
  return module ? std::move(*module) : ir::Module{};
}

// A kernel with a parameter `p` (64 bits, in %rd1), `n` (32 bits, in %r1), and %r2 = %tid.x. `variables`: the module's.
inline ir::Module kernel(const std::string& body, const std::string& variables = "") {
  return parse(
      ".version 8.3\n.target sm_90\n.address_size 64\n" + variables +
      ".visible .entry k(.param .u64 p, .param .u32 n) {\n"
      ".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<80>; .reg .f64 %d<20>; .reg .b16 %rs<9>;\n"
      "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\n" +
      body + "\nret;\n}\n");
}
inline machine::MachineKernel lowered(const ir::Module& module, uint32_t capability = 90) {
  auto result = lower(module, 0, Options{capability, 0});
  if (!result) ADD_FAILURE() << result.problem().message;
  return result ? *result : machine::MachineKernel{};
}

// In the first block.
inline size_t count(const machine::MachineKernel& k, machine::Operation op) {
  size_t n = 0;
  for (const machine::MachineInstruction& m : k.blocks.at(0).instructions) n += m.op == op;
  return n;
}

inline const std::string kGolden = DRYWARP_SOURCE_DIR "/tests/golden/";
inline std::string read_text(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}
// The PTX files, below kGolden, whose kernels ptxas has compiled, too.
inline std::set<std::string> files_that_ptxas_compiled() {
  std::istringstream lines(read_text(kGolden + "lowering/ptxas.csv"));
  std::set<std::string> files;
  std::string line;
  std::getline(lines, line);  // the names of the columns
  while (std::getline(lines, line)) files.insert(line.substr(0, line.find(',')));
  return files;
}

}  // namespace drywarp::sass
