// Drawings against golden files, and JSON against the structs.
#include "faces/explain/draw/draw.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profile/report/golden.h"
#include "profile/report/writers/layout.h"

namespace drywarp::explain {
namespace {

Pattern pattern(PatternText text) {
  auto found = parse_pattern(text);
  EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.problem().to_string());
  return *found;
}

template <class T>
void expect_drawn(const std::string& name, const T& explanation) {
  const std::string unicode = draw(explanation, {true, 80}), ascii = draw(explanation, {false, 80});
  expect_golden("tests/golden/explain/" + name + ".txt", unicode);
  expect_golden("tests/golden/explain/" + name + ".ascii.txt", ascii);
  for (const char c : ascii) ASSERT_LT(static_cast<unsigned char>(c), 128) << name;
  const auto json = nlohmann::json::parse(to_json(explanation));
  EXPECT_EQ(json.at("drywarp_explain"), kExplainJsonVersion);
}

device::DeviceSpec device(const std::string& name = "") { return *device::load_device(name); }

TEST(Draw, accesses) {
  PatternText text;
  text.stride = 2, text.offset = 1;
  expect_drawn("access_stride", *explain_access(pattern(text), device(), 0, 0));
  PatternText columns;
  columns.index = "A[gid * Width + j]", columns.definitions = {"Width=4096", "j=0"};
  columns.launch = {{256, 1, 1}, {4, 1, 1}};
  expect_drawn("access_row_sums", *explain_access(pattern(columns), device(), 1, 2));
  PatternText bytes;
  bytes.bytes = 1, bytes.condition = "lane != 3";
  expect_drawn("access_bytes", *explain_access(pattern(bytes), device("gtx480"), 0, 0));
}

TEST(Draw, banks) {
  PatternText tile;
  tile.index = "tile[threadIdx.x][threadIdx.y]", tile.extents = "32x32", tile.launch = {{32, 8, 1}, {1, 1, 1}};
  expect_drawn("banks_tile", *explain_banks(pattern(tile), SharedOp::Load, device(), 0, 0));
  PatternText wide;
  wide.bytes = 8, wide.stride = 2;
  expect_drawn("banks_wide", *explain_banks(pattern(wide), SharedOp::Load, device(), 0, 0));
  PatternText strided;
  strided.stride = 32;
  expect_drawn("banks_kepler", *explain_banks(pattern(strided), SharedOp::Load, device("k40"), 0, 0));
  expect_drawn("banks_kepler_eight_bytes", *explain_banks(pattern(strided), SharedOp::Load, device("k40"), 0, 0, true));
  strided.stride = 2;
  expect_drawn("banks_gt200", *explain_banks(pattern(strided), SharedOp::Load, device("gtx280"), 0, 0));
  PatternText quads;
  quads.bytes = 16, quads.condition = "lane < 16";
  expect_drawn("banks_fermi_quads", *explain_banks(pattern(quads), SharedOp::Load, device("gtx480"), 0, 0));
  PatternText one;
  one.index = "s[0]";
  expect_drawn("banks_broadcast", *explain_banks(pattern(one), SharedOp::Load, device(), 0, 0));
}

TEST(Draw, warps) {
  expect_drawn("warps_flat", *explain_warps({{100, 1, 1}, {10, 1, 1}}));
  expect_drawn("warps_solid", *explain_warps({{6, 5, 3}, {1, 1, 1}}));
}

TEST(Draw, divergence) {
  expect_drawn("divergence_if",
               *explain_divergence({"threadIdx.x > 2", BranchKind::Condition, {}, {{128, 1, 1}, {1, 1, 1}}}));
  expect_drawn("divergence_vector",
               *explain_divergence({"gid < 1000", BranchKind::Condition, {}, {{256, 1, 1}, {4, 1, 1}}}));
  expect_drawn("divergence_loop", *explain_divergence({"6 + tid % 3", BranchKind::Loop, {}, {}}));
  expect_drawn("divergence_reduction", *explain_reduction(Reduction::Neighboured, 128, 1 << 25));
}

TEST(Draw, dram) {
  TimelineQuery query;
  query.banks = 2, query.wanted_gbs = {32, 128, 256};
  expect_drawn("dram_two_banks", *explain_timeline(query));
  query.channels = 2, query.banks = 4, query.pattern = {StreamPattern::Kind::Stride, 2};
  expect_drawn("dram_one_channel_of_two", *explain_timeline(query));
}

TEST(Draw, dramRows) {
  RowsQuery query;
  expect_drawn("dram_rows", *explain_rows(query));
  query.pattern.kind = StreamPattern::Kind::Random, query.channels = 2;
  expect_drawn("dram_rows_random", *explain_rows(query));
}

TEST(Draw, caches) { expect_drawn("caches", *explain_caches({}, device())); }

// The JSON has the explanation's figures.
TEST(Json, holdsTheFigures) {
  TimelineQuery query;
  query.banks = 1;
  const auto dram = nlohmann::json::parse(to_json(*explain_timeline(query)));
  EXPECT_NEAR(dram.at("one_bank_gb_per_second").get<double>(), 16.0 / 21, 1e-9);
  EXPECT_EQ(dram.at("banks_needed"), 21);
  PatternText text;
  text.stride = 2;
  const auto access = nlohmann::json::parse(to_json(*explain_access(pattern(text), device(), 0, 0)));
  EXPECT_EQ(access.at("warp").at("sectors"), 8);
  EXPECT_EQ(access.at("coalesced"), false);
  EXPECT_EQ(access.at("warp").at("lanes").at(5).at("address"), 40);
  EXPECT_EQ(access.at("warp").at("lanes").at(5).at("sector"), 1);
}

}  // namespace
}  // namespace drywarp::explain
