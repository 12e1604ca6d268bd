#include "base/device/occupancy.h"
#include "known_device.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <vector>

namespace drywarp::device {
namespace {

// Only what occupancy needs, from the published table of limits.
struct Row {
  uint32_t threads, blocks, shared, registers, block_registers, unit, shared_unit, granularity, partitions, reserved;
};
DeviceSpec from_row(const Row& r) {
  DeviceSpec d;
  d.warp_size = 32, d.max_threads_per_block = 1024, d.max_registers_per_thread = 255;
  d.max_threads_per_multiprocessor = r.threads, d.max_blocks_per_multiprocessor = r.blocks;
  d.shared_per_multiprocessor = r.shared, d.shared_per_block_optin = r.shared - r.reserved,
  d.shared_reserved_per_block = r.reserved;
  d.registers_per_multiprocessor = r.registers, d.registers_per_block = r.block_registers;
  d.register_allocation_unit = r.unit, d.shared_allocation_unit = r.shared_unit;
  d.warp_allocation_granularity = r.granularity, d.sub_partitions = r.partitions;
  d.shared_carveouts = {r.shared};
  return d;
}

// The rows of a recording: numbers by column.
std::vector<std::map<std::string, long>> recording(const char* file) {
  std::ifstream in(std::string(DRYWARP_SOURCE_DIR "/tests/golden/hardware/") + file);
  std::vector<std::map<std::string, long>> rows;
  std::vector<std::string> columns;
  for (std::string line, cell; std::getline(in, line);) {
    std::istringstream cells(line);
    const bool header = columns.empty();
    for (size_t i = 0; std::getline(cells, cell, ','); ++i) {
      if (header) {
        columns.push_back(cell);
        continue;
      }
      if (i == 0) rows.emplace_back();
      rows.back()[columns.at(i)] = std::stol(cell);
    }
  }
  return rows;
}

OccupancyRequest request_of(std::map<std::string, long>& row) {
  OccupancyRequest request{.registers_per_thread = uint32_t(row["registers"]),
                           .threads_per_block = uint32_t(row["block"]),
                           .static_shared_bytes = uint64_t(row["static_shared"]),
                           .dynamic_shared_bytes = uint64_t(row["dynamic_shared"]),
                           .barriers = uint32_t(row["barriers"]),
                           .max_dynamic_shared_bytes = uint64_t(row["max_dynamic"])};
  if (row["carveout_percent"] >= 0) request.carveout_percent = uint32_t(row["carveout_percent"]);
  return request;
}

TEST(Occupancy, AnswersAsTheHardwareDid) {
  const DeviceSpec h200 = device("h200");
  auto rows = recording("occupancy_h200.csv");
  EXPECT_EQ(rows.size(), 1345u);
  for (auto& row : rows) {
    ASSERT_EQ(occupancy(h200, request_of(row)).blocks, uint32_t(row["blocks"])) << testing::PrintToString(row);
    const auto available = available_dynamic_shared(h200, request_of(row), uint32_t(row["wanted_blocks"]));
    ASSERT_EQ(available ? long(*available) : -1, row["available_dynamic"]) << testing::PrintToString(row);
  }
}

TEST(Occupancy, PicksTheBlockSizeThatTheHardwareDid) {
  const DeviceSpec h200 = device("h200");
  auto rows = recording("potential_block_h200.csv");
  EXPECT_EQ(rows.size(), 1836u);
  for (auto& row : rows) {
    ASSERT_EQ(row["error"], 0);
    const uint64_t dynamic = uint64_t(row["dynamic_shared"]);
    const long bound = row["max_threads"], asked = row["block_limit"];
    const auto best = max_potential_block_size(h200, request_of(row), uint32_t(asked ? std::min(asked, bound) : bound),
                                               [&](uint32_t) { return dynamic; });
    ASSERT_EQ(best.threads_per_block, uint32_t(row["block"])) << testing::PrintToString(row);
    ASSERT_EQ(best.min_grid, uint32_t(row["min_grid"])) << testing::PrintToString(row);
  }
}

TEST(Occupancy, RoundsRegistersPerWarpAndPartition) {
  // Naive division of the register file says 10.
  const DeviceSpec cc80 = from_row({2048, 32, 167936, 65536, 65536, 256, 128, 4, 4, 1024});
  const Occupancy o = occupancy(cc80, {.registers_per_thread = 40, .threads_per_block = 160});
  EXPECT_EQ(o.limit[unsigned(OccupancyLimiter::Registers)], 9u);
  EXPECT_EQ(occupancy(cc80, {.threads_per_block = 32, .dynamic_shared_bytes = 163 * 1024}).blocks, 1u);
  EXPECT_EQ(occupancy(cc80, {.threads_per_block = 32, .dynamic_shared_bytes = 163 * 1024 + 1}).blocks, 0u);
}

TEST(Occupancy, NamesTheLimiter) {
  const DeviceSpec cc86 = from_row({1536, 16, 102400, 65536, 65536, 256, 128, 4, 4, 1024});
  const Occupancy o = occupancy(cc86, {.registers_per_thread = 64, .threads_per_block = 256});
  EXPECT_EQ(o.blocks, 4u);
  EXPECT_NEAR(o.fraction, 2.0 / 3, 1e-9);
  EXPECT_TRUE(o.limited_by(OccupancyLimiter::Registers));
  EXPECT_FALSE(o.limited_by(OccupancyLimiter::Warps));
  EXPECT_FALSE(o.limited_by(OccupancyLimiter::Blocks));
}

TEST(Occupancy, MatchesTheCourseOnAGtx970) {
  const Occupancy o =
      occupancy(device("gtx970"), {.registers_per_thread = 48, .threads_per_block = 128, .static_shared_bytes = 4096});
  EXPECT_EQ(o.warps, 40u);
  EXPECT_DOUBLE_EQ(o.fraction, 0.625);
  EXPECT_EQ(o.limit[unsigned(OccupancyLimiter::Registers)], 10u);
  EXPECT_EQ(o.limit[unsigned(OccupancyLimiter::SharedMemory)], 24u);
}

TEST(Occupancy, KnowsFermi) {
  DeviceSpec fermi = from_row({1536, 8, 49152, 32768, 32768, 64, 128, 2, 2, 0});
  fermi.odd_register_counts = {21, 22, 29, 30, 37, 38, 45, 46};
  fermi.register_allocation_unit_odd = 128;
  EXPECT_NEAR(occupancy(fermi, {.registers_per_thread = 16, .threads_per_block = 128}).fraction, 2.0 / 3, 1e-9);
  EXPECT_EQ(occupancy(fermi, {.registers_per_thread = 16, .threads_per_block = 512}).blocks, 3u);
  EXPECT_DOUBLE_EQ(occupancy(fermi, {.registers_per_thread = 16, .threads_per_block = 192}).fraction, 1.0);
  // 21 registers: 672 a warp, 704 in units of 64, 768 in units of 128.
  EXPECT_EQ(occupancy(fermi, {.registers_per_thread = 21, .threads_per_block = 64})
                .limit[unsigned(OccupancyLimiter::Registers)],
            21u);
  EXPECT_EQ(occupancy(fermi, {.registers_per_thread = 23, .threads_per_block = 64})
                .limit[unsigned(OccupancyLimiter::Registers)],
            21u);
  fermi.odd_register_counts.clear();
  EXPECT_EQ(occupancy(fermi, {.registers_per_thread = 21, .threads_per_block = 64})
                .limit[unsigned(OccupancyLimiter::Registers)],
            23u);
}

TEST(Occupancy, AllocatesTeslaRegistersPerBlock) {
  DeviceSpec tesla = from_row({768, 8, 16384, 8192, 8192, 256, 512, 2, 1, 0});
  tesla.registers_allocated_per_block = true;
  tesla.max_threads_per_block = 512;
  // 10 registers x 32 x round_up(3 warps, 2) = 1280 a block.
  EXPECT_EQ(occupancy(tesla, {.registers_per_thread = 10, .threads_per_block = 96})
                .limit[unsigned(OccupancyLimiter::Registers)],
            6u);
  EXPECT_EQ(occupancy(tesla, {.registers_per_thread = 10, .threads_per_block = 513}).blocks, 0u);
}

TEST(Occupancy, SharesOutNamedBarriers) {
  const DeviceSpec h200 = device("h200");
  const Occupancy o = occupancy(h200, {.registers_per_thread = 16, .threads_per_block = 32, .barriers = 16});
  EXPECT_EQ(o.blocks, 4u);
  EXPECT_TRUE(o.limited_by(OccupancyLimiter::Barriers));
  DeviceSpec without = h200;
  without.block_barriers.reset();
  EXPECT_EQ(occupancy(without, {.registers_per_thread = 16, .threads_per_block = 32, .barriers = 16}).blocks, 32u);
}

TEST(Occupancy, ChecksPascalsFirstForFourPartitions) {
  // 5 warps of 104 registers: 6 x 3328 in two partitions fit, 8 x 3328 in four do not fit 24576.
  DeviceSpec p100 = from_row({2048, 32, 65536, 65536, 24576, 256, 256, 2, 2, 0});
  const OccupancyRequest request{.registers_per_thread = 104, .threads_per_block = 160};
  EXPECT_GT(occupancy(p100, request).blocks, 0u);
  p100.register_check_partitions = 4;
  EXPECT_EQ(occupancy(p100, request).blocks, 0u);
}

TEST(Occupancy, RefusesWhatCannotBeLaunched) {
  const DeviceSpec h200 = device("h200");
  EXPECT_EQ(occupancy(h200, {.registers_per_thread = 32, .threads_per_block = 0}).blocks, 0u);
  EXPECT_EQ(occupancy(h200, {.registers_per_thread = 32, .threads_per_block = 1025}).blocks, 0u);
  EXPECT_EQ(occupancy(h200, {.registers_per_thread = 65, .threads_per_block = 1024}).blocks, 0u);
  EXPECT_EQ(occupancy(h200, {.registers_per_thread = 256, .threads_per_block = 32}).blocks, 0u);
}

TEST(Occupancy, FindsTheBlockSizeWithMostWarps) {
  const DeviceSpec h200 = device("h200");
  const DynamicSharedOf none = [](uint32_t) { return 0u; };
  const PotentialBlockSize best = max_potential_block_size(h200, {.registers_per_thread = 32}, 0, none);
  EXPECT_EQ(best.threads_per_block, 1024u);
  EXPECT_EQ(best.min_grid, 2u * 132);
  const PotentialBlockSize limited = max_potential_block_size(h200, {.registers_per_thread = 32}, 100, none);
  EXPECT_EQ(limited.threads_per_block, 64u);  // 32 blocks: 2048 threads; 96: 21 x 96 = 2016; 100: 16 x 100 = 1600
  EXPECT_EQ(limited.min_grid, 32u * 132);
}

}  // namespace
}  // namespace drywarp::device
