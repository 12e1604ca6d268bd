// Lowers every kernel of PTX files and prints the result for a comparison with ptxas: registers, instructions by
// mnemonic, and with --code the code.
//
//   bench_lowering [--cc 90] [--max-registers 32 | --registers 32] [--code] [--blocks] file.ptx ...
//
// --registers: exactly so many, as where a compiler's number is known, launch bounds or not.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "language/analysis/passes.h"
#include "language/ir/build/build.h"
#include "language/ir/passes.h"
#include "model/sass/lower.h"

using namespace drywarp;

namespace {

std::string text(const machine::RegisterRange& r) {
  static constexpr const char* kFile[] = {"R", "P", "UR", "UP"};
  std::string s = fmt::format("{}{}", kFile[unsigned(r.file)], r.first);
  return r.count > 1 ? s + fmt::format(".{}", r.count * 32) : s;
}

void print(const machine::MachineKernel& kernel) {
  for (const machine::MachineBlock& block : kernel.blocks) {
    fmt::print("  path");
    for (const auto& step : block.path) fmt::print(" {}{}", step.block, step.optional ? "?" : "");
    fmt::print("\n");
    for (const auto& m : block.instructions) {
      fmt::print("    {}{:<10}", m.guard ? fmt::format("@{} ", text(m.guard)) : "", info(m.op).mnemonic);
      for (const auto& d : m.destination)
        if (d) fmt::print(" {}", text(d));
      fmt::print(" <-");
      for (const auto& s : m.source)
        if (s) fmt::print(" {}", text(s));
      fmt::print("   ; {}{}\n", m.ptx == machine::kNone ? std::string("-") : std::to_string(m.ptx),
                 m.access == machine::kNone ? "" : " access");
    }
  }
}

// Prints each machine block's path and length, and the PTX line of each block's first instruction, to convert counts of
// PTX blocks into counts of machine instructions.
void print_blocks(const ir::Module& module, ir::FunctionId f, const machine::MachineKernel& kernel) {
  const ir::Function code = analysis::split_at_waits(module, ir::inline_calls(module, module.functions[f]));
  for (size_t b = 0; b < code.blocks.size(); ++b) {
    uint32_t line = 0;
    for (uint32_t i = code.blocks[b].first; i < code.blocks[b].end && line == 0; ++i)
      if (code.instructions[i].origin != ir::Origin::Added && code.instructions[i].place != ir::kNone)
        line = code.places[code.instructions[i].place].ptx_line;
    fmt::print("BLOCK {} {} {}\n", b, line, fmt::join(code.blocks[b].successors, ","));
  }
  for (const auto& block : kernel.blocks) {
    fmt::print("PATH {}", block.instructions.size());
    for (const auto& step : block.path) fmt::print(" {}{}", step.block, step.optional ? "?" : "");
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  sass::Options options;
  options.multiprocessor_shared = 228 << 10, options.shared_reserved_per_block = 1 << 10;  // an H200's
  bool code = false, blocks = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--cc") {
      options.compute_capability = static_cast<uint32_t>(std::stoul(argv[++i]));
      continue;
    }
    if (argument == "--max-registers") {
      options.max_registers = static_cast<uint32_t>(std::stoul(argv[++i]));
      continue;
    }
    if (argument == "--registers") {
      options.registers = static_cast<uint32_t>(std::stoul(argv[++i]));
      continue;
    }
    if (argument == "--blocks") {
      blocks = true;
      continue;
    }
    if (argument == "--code") {
      code = true;
      continue;
    }
    std::ifstream in(argument);
    std::stringstream buffer;
    buffer << in.rdbuf();
    auto module = ir::parse_module(buffer.str(), argument);
    if (!module) {
      fmt::print("FILE {} ERROR {}\n", argument, module.problem().message);
      continue;
    }
    for (ir::FunctionId f = 0; f < module->functions.size(); ++f) {
      const ir::Function& function = module->functions[f];
      if (!function.is_kernel || function.is_declaration) continue;
      const auto start = std::chrono::steady_clock::now();
      auto lowered = sass::lower(*module, f, options);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (!lowered) {
        fmt::print("KERNEL {} ERROR {}\n", function.name, lowered.problem().message);
        continue;
      }
      std::map<std::string, unsigned> mix;
      unsigned total = 0;
      // Count every block once: the shortest path that starts at it and that no longer path covers.
      std::vector<bool> covered(function.instructions.size() * 2 + 64, false);
      std::vector<const machine::MachineBlock*> chosen;
      for (const auto& block : lowered->blocks) {
        if (covered.size() <= block.path[0].block) covered.resize(block.path[0].block + 1);
        if (covered[block.path[0].block]) continue;
        chosen.push_back(&block);
        for (const auto& step : block.path) {
          if (covered.size() <= step.block) covered.resize(step.block + 1);
          covered[step.block] = true;
        }
      }
      for (const auto* block : chosen)
        for (const auto& m : block->instructions) ++mix[info(m.op).mnemonic], ++total;
      fmt::print("KERNEL {} registers {} spill {} {} predicates {} instructions {} ptx {} seconds {:.4f} MIX",
                 lowered->name, lowered->registers, lowered->spill_store_bytes, lowered->spill_load_bytes,
                 lowered->predicates, total, function.instructions.size(), seconds);
      for (const auto& [name, count] : mix) fmt::print(" {}={}", name, count);
      fmt::print("\n");
      if (code) print(*lowered);
      if (blocks) print_blocks(*module, f, *lowered);
    }
  }
}
