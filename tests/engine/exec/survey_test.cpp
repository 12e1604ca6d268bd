// Every instruction family of PTX ISA 9.0 (tests/golden/ptx/survey): all of them load, and the fault of a kernel that
// cannot run names the instruction and its place.
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "language/analysis/passes.h"
#include "machine.h"

namespace drywarp::exec {
namespace {

std::vector<std::filesystem::path> survey() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(DRYWARP_SOURCE_DIR "/tests/golden/ptx/survey"))
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The first reachable instruction that cannot be run.
const ir::Instruction* to_blame(const ir::Function& f) {
  const analysis::ControlFlow flow = analysis::control_flow(f);
  for (ir::BlockId b : flow.order)
    for (uint32_t i = f.blocks[b].first; i < f.blocks[b].end; ++i)
      if (!ir::runs(f.instructions[i])) return &f.instructions[i];
  return nullptr;
}

TEST(Survey, EveryInstructionIsKnownByName) {
  size_t instructions = 0;
  for (const auto& path : survey()) {
    const Result<ir::Module> module = ir::parse_module(text_of(path), path.filename().string());
    ASSERT_TRUE(module.ok()) << module.problem().to_string();
    for (const ir::Function& f : module->functions)
      for (const ir::Instruction& in : f.instructions) {
        ++instructions;
        EXPECT_NE(in.op, ir::Opcode::Unknown)
            << path.filename() << ": " << f.source->substr(in.text_begin, in.text_length);
      }
  }
  EXPECT_GT(instructions, 600u);
}

TEST(Survey, WhatCannotRunIsNamedWithItsPlace) {
  size_t refused = 0;
  for (const auto& path : survey()) {
    if (path.filename() == "directives.ptx") continue;  // needs a variable of another module
    Machine machine(text_of(path));
    const ir::Module& module = Engine::module_of(machine.loaded());
    for (const ir::Function& f : module.functions) {
      if (!f.is_kernel) continue;
      const ir::Instruction* blamed = to_blame(f);
      if (!blamed) continue;
      ++refused;
      const Ran result = machine.launch({1, 1, 1}, {32, 1, 1}, {}, f.name);
      ASSERT_TRUE(result.fault) << path.filename() << " " << f.name;
      EXPECT_EQ(result.fault->kind, FaultKind::IllegalInstruction) << f.name;
      const ir::Place& place = f.places[blamed->place];
      const std::string& message = result.fault->message;
      EXPECT_NE(message.find("line " + std::to_string(place.ptx_line) + " of the PTX"), std::string::npos) << message;
      EXPECT_NE(message.find(ir::info(blamed->op).mnemonic), std::string::npos) << message;
      const bool has_source = place.line != 0;
      EXPECT_EQ(result.fault->location.line, has_source ? place.line : place.ptx_line) << message;
      if (has_source) EXPECT_EQ(result.fault->location.file, "survey.cu");
    }
  }
  EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace drywarp::exec
