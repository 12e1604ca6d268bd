#include "cuda/launch/time_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "base/support/whole_file.h"

namespace drywarp::cuda {
namespace {

namespace fs = std::filesystem;

struct Launch {
  device::DeviceSpec device = *device::load_device("h200");
  machine::MachineKernel code;
  LaunchTrace trace;
  sm::SimulatedLaunch shape{.blocks = 2, .threads_per_block = 32, .blocks_per_sm = 1, .simulated = 2};
  device::Occupancy occupancy;
  std::string what_if;

  Launch() {
    code.name = "kernel";
    code.blocks = {{{{.block = 0}}, {machine::MachineInstruction{}, machine::MachineInstruction{}}}};
    WarpTrace warp{.steps = {{.block = 0, .lanes = ~0u}}, .accesses = {{.access = 0}}, .lines = {TraceLine::of(0, 3)}};
    trace.blocks = {{.block = 0, .warps = {warp}}, {.block = 1, .warps = {warp}}};
    trace.blocks_in_grid = 2;
  }
};

class TimeCacheTest : public ::testing::Test {
 protected:
  TimeCacheTest() : folder_(fs::temp_directory_path() / ("drywarp_times_" + std::to_string(::getpid()))) {}
  ~TimeCacheTest() override { fs::remove_all(folder_); }

  std::string key(const Launch& launch) const {
    return cache_.key(launch.device, launch.code, launch.trace, launch.shape, launch.occupancy, launch.what_if);
  }

  fs::path folder_;
  TimeCache cache_{folder_.string()};
};

TEST_F(TimeCacheTest, KeepsEverythingOfATime) {
  sm::LaunchTime time;
  double value = 0.1;
  for (const sm::SummaryField& field : sm::summary_fields()) field.in(time.summary) = value += 1.0 / 3;
  time.instructions.resize(3);
  time.instructions[2].issued = 7;
  time.instructions[2].stalls[1] = 9;
  time.stand_ins = {{"latency.convert", "latency.transcendental"}};
  time.alternatives = {{"coalesced", 0.25}, {"line a b.cu:7", 1e-6}};
  const std::string name = key(Launch());
  EXPECT_FALSE(cache_.find(name).has_value());
  cache_.keep(name, time);
  const auto found = TimeCache(folder_.string()).find(name);
  ASSERT_TRUE(found.has_value());
  for (const sm::SummaryField& field : sm::summary_fields())
    EXPECT_EQ(field.in(found->summary), field.in(time.summary)) << field.name;
  ASSERT_EQ(found->instructions.size(), 3u);
  EXPECT_EQ(found->instructions[2].issued, 7u);
  EXPECT_EQ(found->instructions[2].stalls, time.instructions[2].stalls);
  EXPECT_EQ(found->stand_ins, time.stand_ins);
  ASSERT_EQ(found->alternatives.size(), 2u);
  EXPECT_EQ(found->alternatives[1].change, "line a b.cu:7");
  EXPECT_EQ(found->alternatives[1].seconds, 1e-6);
}

TEST_F(TimeCacheTest, KeepsATimeline) {
  sm::Timeline timeline;
  timeline.sms = 1, timeline.schedulers = 1;
  timeline.end = timeline.warps_until = 99;
  timeline.warps = {{0, 3, 0, 2, 10, 99, {{10, 98, sm::Stall::Wait}}}};
  const std::string name = key(Launch());
  EXPECT_FALSE(cache_.find_timeline(name).has_value());
  cache_.keep_timeline(name, timeline);
  EXPECT_FALSE(cache_.find(name).has_value());  // that is apart
  const auto found = TimeCache(folder_.string()).find_timeline(name);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->warps, timeline.warps);
  std::ofstream(folder_ / (name + ".timeline")) << "damaged";
  EXPECT_FALSE(cache_.find_timeline(name).has_value());
}

TEST_F(TimeCacheTest, WhateverATimeDependsOnIsInTheKey) {
  EXPECT_EQ(key(Launch()), key(Launch()));
  const std::function<void(Launch&)> changes[] = {
      [](Launch& l) { l.device.texts["latency.fma_f32"] += "1"; },
      [](Launch& l) { l.device = *device::load_device("a100"); },
      [](Launch& l) { l.what_if = "coalesced"; },
      [](Launch& l) { l.code.registers = 1; },
      [](Launch& l) { l.code.blocks[0].instructions[1].step = 1; },
      [](Launch& l) { l.code.blocks[0].instructions[0].source.set(3, {.first = 1}); },
      [](Launch& l) { l.code.blocks[0].instructions[0].merged_access[2] = 1; },
      [](Launch& l) { l.code.blocks[0].instructions.pop_back(); },
      [](Launch& l) { l.code.blocks[0].path[0].optional = true; },
      [](Launch& l) { l.trace.blocks[0].warps[0].steps[0].lanes = 1; },
      [](Launch& l) { l.trace.blocks[1].warps[0].accesses[0].ideal_units = 1; },
      [](Launch& l) { l.trace.blocks[1].warps[0].lines[0] = TraceLine::of(128, 3); },
      [](Launch& l) { l.trace.blocks[1].warps.clear(); },
      [](Launch& l) { l.trace.blocks_in_grid = 3; },
      [](Launch& l) { l.shape.shared_capacity = 1; },
      [](Launch& l) { l.shape.sms = 8; },
      [](Launch& l) { l.shape.simulated = 1; },
      [](Launch& l) { l.occupancy.limit[0] = 1; },
      [](Launch& l) { l.occupancy.fraction = 0.5; },
  };
  std::set<std::string> keys = {key(Launch())};
  for (const auto& change : changes) {
    Launch other;
    change(other);
    EXPECT_TRUE(keys.insert(key(other)).second) << &change - changes;
  }
}

// Only simulated blocks are part of the key.
TEST_F(TimeCacheTest, BlocksBeyondTheSimulatedOnesDoNotCount) {
  Launch one, other;
  one.shape.simulated = other.shape.simulated = 1;
  other.trace.blocks[1].warps[0].steps[0].lanes = 1;
  EXPECT_EQ(key(one), key(other));
}

TEST_F(TimeCacheTest, ADamagedFileIsAsGoodAsNone) {
  const std::string name = key(Launch()), file = (folder_ / (name + ".time")).string();
  cache_.keep(name, {});
  const std::string whole = read_whole(file).value_or("");
  ASSERT_TRUE(cache_.find(name).has_value());
  for (size_t length = 0; length < whole.size(); ++length) {
    ASSERT_TRUE(write_whole(file, whole.substr(0, length)));
    EXPECT_FALSE(cache_.find(name).has_value()) << length;
  }
  ASSERT_TRUE(write_whole(file, "0 0 99999999999999999999\n"));
  EXPECT_FALSE(cache_.find(name).has_value());
  ASSERT_TRUE(write_whole(file, "18446744073709551615 1 1\n"));
  EXPECT_FALSE(cache_.find(name).has_value());
}

TEST(TimeCache, WithoutAFolderNothingIsKept) {
  const Launch launch;
  const TimeCache cache("");
  const std::string name = cache.key(launch.device, launch.code, launch.trace, launch.shape, launch.occupancy, "");
  EXPECT_TRUE(name.empty());
  cache.keep(name, {});
  EXPECT_FALSE(cache.find(name).has_value());
}

}  // namespace
}  // namespace drywarp::cuda
