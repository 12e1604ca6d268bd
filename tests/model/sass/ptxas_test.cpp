// Compares the registers and mnemonics of the kernels in tests/golden with their recorded values and with ptxas's.
// DRYWARP_ACCEPT=1 rewrites tests/golden/lowering/drywarp.csv except for kernels that moved away from ptxas;
// DRYWARP_ACCEPT=worse rewrites those, too.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "kernels.h"

namespace drywarp::sass {
namespace {

constexpr const char* kColumns = "ptx,kernel,registers,registers_off,mnemonics_off,mnemonics";

using Mnemonics = std::map<std::string, int>;
struct Lowered {
  int registers = 0;
  Mnemonics mnemonics;
};
// How far a kernel is from ptxas: the difference in registers, and in instructions summed over mnemonics.
struct Distance {
  int registers = 0, mnemonics = 0;
};
using Name = std::pair<std::string, std::string>;  // the file below tests/golden, and the kernel

// Rows of cells; no cell of these files has a comma.
std::vector<std::vector<std::string>> table(const std::string& path) {
  std::istringstream lines(read_text(path));
  std::vector<std::vector<std::string>> rows;
  for (std::string line, cell; std::getline(lines, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    while (std::getline(cells, cell, ',')) rows.back().push_back(cell);
  }
  if (!rows.empty()) rows.erase(rows.begin());  // the names of the columns
  return rows;
}

Mnemonics parse_mnemonics(const std::string& text) {  // "BRA:2 EXIT:1"
  Mnemonics found;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const size_t colon = word.find(':');
    found[word.substr(0, colon)] = std::stoi(word.substr(colon + 1));
  }
  return found;
}
std::string to_text(const Mnemonics& mnemonics) {
  std::string text;
  for (const auto& [name, count] : mnemonics) text += (text.empty() ? "" : " ") + name + ":" + std::to_string(count);
  return text;
}

std::map<Name, Lowered> by_ptxas() {
  std::map<Name, Lowered> all;
  for (const auto& row : table(kGolden + "lowering/ptxas.csv"))
    all[{row.at(0), row.at(1)}] = {std::stoi(row.at(2)), parse_mnemonics(row.at(4))};
  return all;
}

// Counts every block once, on its longest path, which comes first. ptxas's counts have no NOP, for those pad its code.
Mnemonics mnemonics_of(const machine::MachineKernel& kernel) {
  std::set<uint32_t> covered;
  Mnemonics found;
  for (const machine::MachineBlock& block : kernel.blocks) {
    if (covered.count(block.path[0].block)) continue;
    for (const auto& step : block.path) covered.insert(step.block);
    for (const auto& m : block.instructions)
      if (m.op != machine::Operation::Nop) ++found[machine::info(m.op).mnemonic];
  }
  return found;
}

Distance distance(const Lowered& ours, const Lowered& theirs) {
  Distance d{std::abs(ours.registers - theirs.registers), 0};
  Mnemonics difference = ours.mnemonics;
  for (const auto& [name, count] : theirs.mnemonics) difference[name] -= count;
  for (const auto& [name, count] : difference) d.mnemonics += std::abs(count);
  return d;
}

// A row of drywarp.csv.
struct Row {
  std::vector<std::string> cells;
  [[nodiscard]] Distance distance() const { return {std::stoi(cells.at(3)), std::stoi(cells.at(4))}; }
};

TEST(Ptxas, KernelsStayAsNearAsTheyWere) {
  const char* accept = std::getenv("DRYWARP_ACCEPT");
  const bool accept_worse = accept && std::string(accept) == "worse";
  const std::map<Name, Lowered> ptxas = by_ptxas();
  ASSERT_GE(ptxas.size(), 150u);
  std::map<Name, Row> before;
  for (auto& row : table(kGolden + "lowering/drywarp.csv")) before[{row.at(0), row.at(1)}] = {row};

  const Options options{.compute_capability = 90, .multiprocessor_registers = 65536};
  std::map<std::string, ir::Module> modules;
  std::string written = std::string(kColumns) + "\n";
  for (const auto& [name, theirs] : ptxas) {
    const auto& [file, kernel] = name;
    if (!modules.count(file)) modules.emplace(file, parse(read_text(kGolden + file)));
    const ir::Module& module = modules.at(file);
    ir::FunctionId f = 0;
    while (f < module.functions.size() && module.functions[f].name != kernel) ++f;
    ASSERT_LT(f, module.functions.size()) << kernel << " is not in " << file;
    const auto machine_code = lower(module, f, options);
    ASSERT_TRUE(machine_code) << kernel << ": " << machine_code.problem().message;
    const Lowered ours{int(machine_code->registers), mnemonics_of(*machine_code)};
    const Distance now = distance(ours, theirs);
    Row row{{file, kernel, std::to_string(ours.registers), std::to_string(now.registers), std::to_string(now.mnemonics),
             to_text(ours.mnemonics)}};

    const auto old = before.find(name);
    if (old != before.end() && old->second.cells != row.cells) {
      const Distance was = old->second.distance();
      const bool worse = now.registers > was.registers || now.mnemonics > was.mnemonics;
      const std::string change = kernel + " (" + file + "): registers " + old->second.cells[2] + " -> " + row.cells[2] +
                                 " (ptxas " + std::to_string(theirs.registers) + "), instructions unlike ptxas's " +
                                 std::to_string(was.mnemonics) + " -> " + std::to_string(now.mnemonics) +
                                 "\n  before " + old->second.cells[5] + "\n  now    " + row.cells[5] + "\n  ptxas  " +
                                 to_text(theirs.mnemonics);
      if (!accept || (worse && !accept_worse)) {
        ADD_FAILURE() << (worse ? "FURTHER FROM PTXAS: " : "changed: ") << change;
        row = old->second;
      }
    } else if (old == before.end() && !accept) {
      ADD_FAILURE() << kernel << " of " << file << " is not in drywarp.csv: DRYWARP_ACCEPT=1 adds it";
    }
    for (size_t i = 0; i < row.cells.size(); ++i) written += (i ? "," : "") + row.cells[i];
    written += "\n";
  }
  if (accept)
    std::ofstream(kGolden + "lowering/drywarp.csv") << written;
  else
    EXPECT_EQ(before.size(), ptxas.size()) << "drywarp.csv has kernels that ptxas.csv lacks";
}

}  // namespace
}  // namespace drywarp::sass
