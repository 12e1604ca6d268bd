// Exchanges between lanes against results of an H200 (tests/golden/hardware/semantics_warp.txt): each row is a warp.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "engine/jit/emit/emitter.h"
#include "form_compiler.h"

namespace drywarp::jit::test {
namespace {

constexpr unsigned kMaskRow = 3;  // the member mask is a source of its own

struct WarpRow {
  uint32_t mask = 0;
  alignas(64) uint64_t sources[kMaskRow + 1][kLanes] = {};
  std::vector<std::vector<std::string>> results;  // "-" for lanes outside the mask
};

struct WarpRecord {
  ParsedForm form;
  std::vector<WarpRow> rows;
};

std::vector<WarpRecord> read_warps() {
  std::ifstream file(DRYWARP_SOURCE_DIR "/tests/golden/hardware/semantics_warp.txt");
  std::vector<WarpRecord> records;
  bool skipping = true;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] != ' ') {
      for (size_t at; (at = line.find("%mask")) != std::string::npos;) line.replace(at, 5, "%r_a3");
      // FunctionEmitter itself emits elect, activemask and the lane masks.
      skipping = !(line.starts_with("shfl") || line.starts_with("vote") || line.starts_with("match") ||
                   line.starts_with("redux"));
      if (!skipping) records.push_back({parse_recorded(line), {}});
      continue;
    }
    if (skipping) continue;
    std::istringstream words(line);
    std::string what, word;
    words >> what;
    if (what == "mask") {
      words >> word;
      records.back().rows.emplace_back();
      WarpRow& row = records.back().rows.back();
      row.mask = static_cast<uint32_t>(std::stoul(word, nullptr, 16));
      for (uint64_t& m : row.sources[kMaskRow]) m = row.mask;
      continue;
    }
    WarpRow& row = records.back().rows.back();
    const size_t index = static_cast<size_t>(what[1] - '0');
    if (what[0] == 'd') row.results.resize(std::max(row.results.size(), index + 1));
    for (unsigned lane = 0; words >> word; ++lane) {
      if (what[0] == 'd')
        row.results[index].push_back(word);
      else if (word != "-")
        row.sources[index][lane] = std::stoull(word, nullptr, 16);
    }
  }
  return records;
}

class HardwareWarpTest : public testing::TestWithParam<const char*> {};

TEST_P(HardwareWarpTest, ExchangesAgreeWithTheHardware) {
  std::vector<WarpRecord> records = read_warps();
  ASSERT_GT(records.size(), 45u);
  std::vector<ParsedForm> forms;
  for (const WarpRecord& r : records) forms.push_back(r.form);
  FormCompiler compiler(GetParam());
  std::vector<CompiledForm> compiled = compiler.compile(forms);
  unsigned compared = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    for (const WarpRow& row : records[i].rows) {
      alignas(64) uint64_t results[2][kLanes] = {};
      uint8_t carry[kLanes] = {};
      compiled[i].wide(row.sources[0], results[0], carry, row.mask);
      for (size_t d = 0; d < row.results.size(); ++d) {
        for (unsigned lane = 0; lane < row.results[d].size(); ++lane) {
          if (row.results[d][lane] == "-" || !((row.mask >> lane) & 1)) continue;
          ++compared;
          ASSERT_EQ(fmt::format("{:x}", results[d][lane]), row.results[d][lane])
              << records[i].form.form.opcode << fmt::format(" mask {:x} lane {} result {}", row.mask, lane, d);
        }
      }
    }
  }
  EXPECT_GT(compared, 10000u);
}

INSTANTIATE_TEST_SUITE_P(Levels, HardwareWarpTest, testing::Values("avx512", "avx2", "sse"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace drywarp::jit::test
