// Every access pattern recorded on an H200, one warp instruction each: our arithmetic gives the hardware's counters
// exactly. tools/record/ says how the file was made.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/access/access_pattern.h"

namespace drywarp {
namespace {

struct Pattern {
  std::map<std::string, std::string> columns;
  std::array<uint64_t, kWarpSize> offsets{};
  LaneMask active = 0;
  unsigned size = 0;

  [[nodiscard]] const std::string& text(const std::string& column) const { return columns.at(column); }
  [[nodiscard]] std::optional<double> number(const std::string& column) const {
    const std::string& cell = columns.at(column);
    return cell.empty() ? std::nullopt : std::optional(std::stod(cell));
  }
};

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> all(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      all.emplace_back();
    else if (c != '\r')
      all.back() += c;
  }
  return all;
}

std::vector<Pattern> recorded(const std::string& memory) {
  std::ifstream in(DRYWARP_SOURCE_DIR "/tests/golden/hardware/access_patterns.csv");
  std::vector<std::string> header;
  std::vector<Pattern> patterns;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto row = cells(line);
    if (header.empty()) {
      header = row;
      continue;
    }
    Pattern p;
    for (size_t i = 0; i < header.size(); ++i) p.columns[header[i]] = i < row.size() ? row[i] : "";
    if (p.text("memory") != memory) continue;
    p.active = static_cast<LaneMask>(std::stoul(p.text("mask"), nullptr, 16));
    p.size = static_cast<unsigned>(std::stoul(p.text("size")));
    std::istringstream offsets(p.text("offsets"));
    for (uint64_t& o : p.offsets) offsets >> o;
    patterns.push_back(std::move(p));
  }
  return patterns;
}

std::string place(const Pattern& p) {
  return p.text("op") + " size " + p.text("size") + " mask " + p.text("mask") + ": " + p.text("pattern");
}

// Global memory behaves the same through generic addresses and under guards.
class HardwareGlobal : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Hardware, HardwareGlobal, ::testing::Values("global", "generic_global", "guarded_global"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(HardwareGlobal, SectorsAndEfficiency) {
  const auto patterns = recorded(GetParam());
  ASSERT_GT(patterns.size(), 100u);
  for (const Pattern& p : patterns) {
    const GlobalAccess g = analyze_global(p.offsets.data(), p.active, p.size);
    EXPECT_EQ(g.sectors, p.number("sectors")) << place(p);
    EXPECT_EQ(p.active != 0, p.number("requests")) << place(p);
    if (const auto pct = p.number("data_bytes_pct"))
      EXPECT_NEAR(100.0 * g.unique_bytes / (32.0 * g.sectors), *pct, 0.006) << place(p);
  }
}

TEST(Hardware, GlobalAtomicsMoveASectorARound) {
  const auto patterns = recorded("global_atomic");
  ASSERT_GT(patterns.size(), 800u);
  unsigned equal = 0;
  for (const Pattern& p : patterns) {
    const double ours = analyze_atomic(p.offsets.data(), p.active).sectors, hardware = *p.number("sectors");
    equal += ours == hardware;
    EXPECT_LE(ours, hardware) << place(p);
    EXPECT_GE(ours + 3, hardware) << place(p);
  }
  EXPECT_EQ(patterns.size() - equal,
            7u);  // scattered addresses for which the hardware takes more rounds than needed
}

class HardwareShared : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Hardware, HardwareShared, ::testing::Values("shared", "generic_shared", "guarded_shared"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(HardwareShared, WavefrontsConflictsAndEfficiency) {
  const auto patterns = recorded(GetParam());
  ASSERT_GT(patterns.size(), 100u);
  const SharedOp load = std::string(GetParam()) == "generic_shared" ? SharedOp::GenericLoad : SharedOp::Load;
  for (const Pattern& p : patterns) {
    const SharedOp op = p.text("op") == "st" ? SharedOp::Store : load;
    const SharedAccess s = analyze_shared(p.offsets.data(), p.active, p.size, op);
    EXPECT_EQ(s.wavefronts, p.number("wavefronts")) << place(p);
    if (const auto conflicts = p.number("conflicts"))
      EXPECT_EQ(s.wavefronts - s.ideal_wavefronts, *conflicts) << place(p);
    if (const auto pct = p.number("data_bytes_pct"))
      EXPECT_NEAR(100.0 * s.unique_bytes / (128.0 * s.wavefronts), *pct, 0.006) << place(p);
  }
}

TEST(Hardware, SharedAtomicWavefronts) {
  const auto patterns = recorded("shared_atomic");
  ASSERT_GT(patterns.size(), 700u);
  for (const Pattern& p : patterns) {
    const std::string& name = p.text("op");
    const bool swap = name.find(".cas.") != std::string::npos || name.find(".f32") != std::string::npos;
    const SharedAccess s = analyze_shared(p.offsets.data(), p.active, p.size, swap ? SharedOp::Swap : SharedOp::Atomic);
    EXPECT_EQ(s.wavefronts, p.number("wavefronts")) << place(p);
  }
}

TEST(Hardware, AsynchronousCopies) {
  const auto patterns = recorded("async_copy");
  ASSERT_GT(patterns.size(), 150u);
  for (const Pattern& p : patterns) {
    const SharedOp op = p.text("op") == "cp.async.cg" ? SharedOp::CopyPastL1 : SharedOp::Copy;
    EXPECT_EQ(analyze_global(p.offsets.data(), p.active, p.size).sectors, p.number("sectors")) << place(p);
    EXPECT_EQ(analyze_shared(p.offsets.data(), p.active, p.size, op).wavefronts, p.number("wavefronts")) << place(p);
  }
}

TEST(Hardware, LocalRequestsAndSectors) {
  const auto patterns = recorded("local");
  ASSERT_GT(patterns.size(), 400u);
  for (const Pattern& p : patterns) {
    EXPECT_EQ(analyze_local(p.offsets.data(), p.active, p.size).sectors, p.number("sectors")) << place(p);
    EXPECT_EQ(local_requests(p.size), p.number("requests")) << place(p);
  }
}

}  // namespace
}  // namespace drywarp
