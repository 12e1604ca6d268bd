#include "base/device/latency_hiding.h"

#include <gmock/gmock.h>

#include "base/device/device_features.h"
#include "known_device.h"

namespace drywarp::device {
namespace {

using testing::HasSubstr;

void expect_the_course(const HidingInput& in) {
  const ArithmeticHiding arithmetic = hide_arithmetic(in);
  EXPECT_EQ(arithmetic.warps_per_multiprocessor, 80u);
  EXPECT_EQ(arithmetic.warps, 1040u);
  const MemoryHiding memory = hide_memory(in);
  EXPECT_EQ(memory.bytes_per_cycle, 54);
  EXPECT_EQ(memory.bytes_in_flight, 18900);
  EXPECT_EQ(memory.threads, 4725u);
  EXPECT_EQ(memory.warps, 148u);
  EXPECT_EQ(memory.warps_per_multiprocessor, 12u);
}

TEST(LatencyHiding, TheCoursesExample) {
  expect_the_course({.arithmetic_latency = 20,
                     .memory_latency = 350,
                     .bytes_per_second = 196e9,
                     .clock_hz = 3.6e9,
                     .bytes_per_thread = 4,
                     .schedulers = 4,
                     .multiprocessors = 13});
}

TEST(LatencyHiding, TheCoursesExampleStandsInTheGtx970sFile) {
  const auto in = worked_example(device("gtx970"), {});
  ASSERT_TRUE(in.has_value());
  expect_the_course(*in);
  EXPECT_FALSE(worked_example(device("h200"), {}).has_value());
}

TEST(LatencyHiding, TheCoursesNumbersGivenAsOptions) {
  const auto in =
      hiding_input(device("gtx970"),
                   {.arithmetic_latency = 20, .memory_latency = 350, .bytes_per_second = 196e9, .clock_hz = 3.6e9});
  ASSERT_TRUE(in.ok()) << in.problem().to_string();
  expect_the_course(*in);
}

TEST(LatencyHiding, UsesTheDevicesNumbers) {
  const auto in = hiding_input(device("h200"), {});
  ASSERT_TRUE(in.ok()) << in.problem().to_string();
  EXPECT_EQ(hide_arithmetic(*in).warps_per_multiprocessor, 16u);  // 4 schedulers x 4 cycles
  EXPECT_EQ(hide_arithmetic(*in).warps, 16u * 132);
  const MemoryHiding memory = hide_memory(*in);
  EXPECT_EQ(memory.bytes_per_cycle, 2424);  // 4.8 TB/s at 1.98 GHz
  EXPECT_EQ(memory.bytes_in_flight, 2424.0 * 685);
  EXPECT_EQ(memory.warps_per_multiprocessor, 99u);  // more than the 64 that fit: 4 bytes a thread cannot do it
}

TEST(LatencyHiding, IndependentInstructionsAndWiderLoadsNeedFewerWarps) {
  const DeviceSpec gtx970 = device("gtx970");
  const auto wide = worked_example(gtx970, {.bytes_per_thread = 16});
  EXPECT_EQ(hide_memory(*wide).warps, 37u);  // 1181.25 threads
  const auto two = worked_example(gtx970, {.ilp = 2});
  EXPECT_EQ(hide_arithmetic(*two).warps_per_multiprocessor, 40u);
  EXPECT_EQ(hide_memory(*two).threads, 2363u);
  EXPECT_EQ(hide_arithmetic(*worked_example(gtx970, {.ilp = 1000})).warps_per_multiprocessor, 1u);
}

TEST(LatencyHiding, NamesWhatTheFileLacks) {
  DeviceSpec t4 = device("t4");
  t4.timing.dram.latency.reset();
  const auto in = hiding_input(t4, {});
  ASSERT_FALSE(in.ok());
  EXPECT_THAT(in.problem().message, HasSubstr("Tesla T4 (t4)"));
  EXPECT_THAT(in.problem().message, HasSubstr("dram.latency"));
  EXPECT_TRUE(hiding_input(t4, {.memory_latency = 500}).ok());
}

// The slides' table, column by column: the chips of four generations.
TEST(LatencyHiding, TheCoursesTable) {
  struct Column {
    const char* id;
    std::array<double, 7> operations;
    std::vector<std::pair<const char*, double>> units;
  };
  const Column columns[] = {
      {"gtx280",
       {24, 24, 120, 96, 608, 728, 24},
       {{"global, local: DRAM", 440},
        {"shared memory", 38},
        {"texture: L1 D", 261},
        {"texture: L2 D", 371},
        {"constant: L1 D", 56},
        {"constant: L1.5 D", 129},
        {"constant: L2 D", 268}}},
      {"gtx480",
       {16, 18, 22, 20, 286, 280, 16},
       {{"global, local: L1 D", 45},
        {"global, local: L2 D", 310},
        {"global, local: DRAM", 685},
        {"shared memory", 50},
        {"texture: L1 D", 224},
        {"texture: L2 D", 435},
        {"texture: DRAM", 791},
        {"constant: L1 D", 52},
        {"constant: L1.5 D", 165},
        {"constant: L2 D", 375}}},
      {"gtx680",
       {9, 9, 9, 9, 141, 138, 9},
       {{"global, local: L1 D", 30},
        {"global, local: L2 D", 175},
        {"global, local: DRAM", 300},
        {"shared memory", 33},
        {"texture: L1 D", 105},
        {"texture: L2 D", 215},
        {"texture: DRAM", 348},
        {"constant: L1 D", 42},
        {"constant: L1.5 D", 104},
        {"constant: L2 D", 215}}},
      {"gtx750ti",
       {6, 12, 13, 13, 210, 202, 6},
       {{"global, local: L2 D", 194},
        {"global, local: DRAM", 350},
        {"shared memory", 28},
        {"texture: L1 D", 92},
        {"texture: L2 D", 172},
        {"texture: DRAM", 330},
        {"constant: L1 D", 28},
        {"constant: L1.5 D", 79},
        {"constant: L2 D", 184}}},
  };
  for (const Column& column : columns) {
    const auto table = latency_table(device(column.id));
    for (size_t i = 0; i < 7; ++i)
      EXPECT_EQ(table[i].cycles, column.operations[i]) << column.id << " " << table[i].name;
    for (const auto& [name, cycles] : column.units) {
      const auto row = std::find_if(table.begin(), table.end(), [&](const LatencyRow& r) { return r.name == name; });
      ASSERT_NE(row, table.end()) << name;
      EXPECT_EQ(row->cycles, cycles) << column.id << " " << name;
    }
  }
}

TEST(LatencyHiding, TheTableTellsNoneFromNotKnown) {
  const auto find = [](const std::vector<LatencyRow>& table, const char* path) {
    return *std::find_if(table.begin(), table.end(), [&](const LatencyRow& r) {
      return r.path == path && r.group != LatencyRow::Group::Operation;
    });
  };
  const auto gt200 = latency_table(device("gtx280"));
  EXPECT_TRUE(find(gt200, "l1.hit_latency").none);
  EXPECT_TRUE(find(gt200, "l2.latency_near").none);
  EXPECT_TRUE(find(gt200, "latency.shuffle").none);
  EXPECT_FALSE(find(gt200, "texture.dram_latency").none);  // the unit exists, but its latency is not published
  EXPECT_FALSE(find(gt200, "texture.dram_latency").cycles.has_value());
  const auto h200 = latency_table(device("h200"));
  EXPECT_EQ(find(h200, "latency.alu").warps, 8u);  // 4 cycles, the pipe is busy for 2: two warps a sub-partition
  EXPECT_EQ(find(latency_table(device("h200"), 2), "latency.alu").warps, 4u);
  EXPECT_EQ(find(h200, "l2.latency_far").cycles, 449);
}

TEST(DeviceFeatures, SayWhatAFileLacks) {
  const auto feature = [](std::string_view name) {
    return *std::find_if(features().begin(), features().end(), [&](const Feature& f) { return name == f.name; });
  };
  for (const std::string& id : device_ids()) EXPECT_TRUE(lacks(*load_device(id), feature("occupancy")).empty()) << id;
  for (const Feature& f : features()) EXPECT_TRUE(lacks(device("h200"), f).empty()) << f.name;
  DeviceSpec t4 = device("t4");
  t4.timing.dram.latency.reset();
  EXPECT_THAT(lacks(t4, feature("latency hiding")), testing::ElementsAre("dram.latency"));
  EXPECT_THAT(lacks(device("rtx5090"), feature("memory model")), testing::Contains("l1.bytes_per_cycle"));
}

// A path that no file can have would always be missing.
TEST(DeviceFeatures, NameNumbersThatExist) {
  for (const Feature& f : features())
    for (const std::string_view path : f.needs) {
      if (path == "rates.dram_bytes_per_second") continue;
      TimingNumbers numbers;
      EXPECT_TRUE(set_number(numbers, path, 1)) << path;
    }
}

}  // namespace
}  // namespace drywarp::device
