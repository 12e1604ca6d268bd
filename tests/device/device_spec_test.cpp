#include "device/device_spec.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

namespace drywarp::device {
namespace {

using testing::HasSubstr;

std::string h200_text() {
  std::ifstream in(DRYWARP_SOURCE_DIR "/devices/h200.toml");
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("not in the file: " + from);
  return text.replace(at, from.size(), to);
}

Diagnostic problem_of(const std::string& text) {
  const auto spec = parse_device(text, "my.toml", "my");
  return spec ? Diagnostic{} : spec.problem();
}

TEST(DeviceSpec, H200SaysWhatTheHardwareSays) {
  const auto spec = load_device("h200");
  ASSERT_TRUE(spec.ok()) << spec.problem().to_string();
  EXPECT_EQ(spec->name, "NVIDIA H200");
  EXPECT_EQ(spec->compute_capability.number(), 90u);
  std::ifstream in(DRYWARP_SOURCE_DIR "/tests/golden/hardware/device_h200.txt");
  std::map<std::string, int64_t> said;
  std::string line;
  while (std::getline(in, line))
    if (const size_t equals = line.find(" = "); equals != std::string::npos && line.find("name") == std::string::npos)
      said[line.substr(0, equals)] = std::stoll(line.substr(equals + 3));
  ASSERT_GT(said.size(), 200u);
  for (const auto& [name, value] : spec->attributes) EXPECT_EQ(said.at("attribute.cudaDevAttr" + name), value) << name;
  for (const auto& [name, value] : spec->limits) EXPECT_EQ(said.at("limit.cudaLimit" + name), value) << name;
  EXPECT_EQ(int64_t(spec->total_memory), said.at("property.totalGlobalMem"));
  EXPECT_EQ(int64_t(spec->multiprocessors), said.at("property.multiProcessorCount"));
  EXPECT_EQ(int64_t(spec->shared_per_block_optin), said.at("property.sharedMemPerBlockOptin"));
  EXPECT_EQ(int64_t(spec->max_grid[1]), said.at("property.maxGridSize[1]"));
  EXPECT_EQ(spec->origins.at("attributes.ClockRate").kind, NumberKind::Measured);
  EXPECT_EQ(spec->origins.at("rates.dram_bytes_per_second").kind, NumberKind::Specification);
}

TEST(DeviceSpec, EveryNumberOfEveryDeviceHasASource) {
  const auto ids = device_ids();
  EXPECT_GE(ids.size(), 5u);
  for (const std::string& id : ids) {
    const auto spec = load_device(id);
    ASSERT_TRUE(spec.ok()) << spec.problem().to_string();
    for (const auto& [name, value] : spec->attributes)
      EXPECT_TRUE(spec->origins.contains("attributes." + name)) << id << " " << name;
  }
}

TEST(DeviceSpec, FindsDevicesByIdOrPath) {
  EXPECT_EQ(load_device("")->id, "h200");
  EXPECT_EQ(load_device("RTX4090")->id, "rtx4090");
  EXPECT_EQ(load_device(DRYWARP_SOURCE_DIR "/devices/v100.toml")->multiprocessors, 80u);
  const auto unknown = load_device("voodoo2");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.problem().message, HasSubstr("voodoo2"));
  EXPECT_THAT(unknown.problem().hint, HasSubstr("h200"));
  EXPECT_THAT(load_device("/nowhere/x.toml").problem().message, HasSubstr("/nowhere/x.toml"));
}

TEST(DeviceSpec, WhatNobodyPublishedIsAbsent) {
  const auto spec = parse_device(replaced(h200_text(), "fp64_lanes", "# fp64_lanes"), "my.toml", "my");
  ASSERT_TRUE(spec.ok()) << spec.problem().to_string();
  EXPECT_FALSE(spec->fp64_lanes.has_value());
  EXPECT_EQ(spec->fp32_lanes, 128u);
  EXPECT_FALSE(spec->attribute("NoSuchAttribute").has_value());
}

TEST(DeviceSpec, MapsCudasAttributeNumbers) {
  EXPECT_EQ(attribute_name(16), "MultiProcessorCount");
  EXPECT_EQ(attribute_name(1), "MaxThreadsPerBlock");
  EXPECT_EQ(attribute_name(75), "ComputeCapabilityMajor");
  EXPECT_EQ(attribute_name(111), "ReservedSharedMemoryPerBlock");
  EXPECT_FALSE(attribute_name(0).has_value());
  EXPECT_FALSE(attribute_name(94).has_value());  // reserved
  EXPECT_FALSE(attribute_name(100000).has_value());
}

TEST(DeviceSpec, WrongFilesSayWhatAndWhere) {
  const std::string good = h200_text();
  const auto problem = problem_of(replaced(good, "ClockRate = 1980000", "ClockRate = \"fast\""));
  EXPECT_THAT(problem.message, HasSubstr("attributes.ClockRate"));
  EXPECT_EQ(problem.location.file, "my.toml");
  EXPECT_GT(problem.location.line, 50u);

  EXPECT_THAT(problem_of(replaced(good, "\nClockRate = 1980000", "")).message, HasSubstr("no 'attributes.ClockRate'"));
  EXPECT_THAT(problem_of(replaced(good, "\nClockRate = 1980000", "\nClockRate = -5")).message,
              HasSubstr("cannot be -5"));
  EXPECT_THAT(problem_of(replaced(good, "\nClockRate = 1980000", "\nClockRate = 5000000000")).message,
              HasSubstr("cannot be"));
  EXPECT_THAT(problem_of(replaced(good, "sub_partitions = 4", "sub_partitions = 0")).message, HasSubstr("cannot be 0"));
  EXPECT_THAT(problem_of(replaced(good, "sub_partitions", "sub_divisions")).message, HasSubstr("sub_partitions"));
  EXPECT_THAT(problem_of(replaced(good, "[rates]", "[rates]\nspeed = { value = 3, source = \"cuda\" }")).message,
              HasSubstr("rates.speed"));
  EXPECT_THAT(problem_of(replaced(good, "[rates]", "[rats]")).message, HasSubstr("rats"));
  EXPECT_THAT(problem_of(replaced(good, "{ value = 128, source = \"throughput\" }", "128")).message,
              HasSubstr("no source"));
  EXPECT_THAT(problem_of(replaced(good, "source = \"throughput\"", "source = \"hearsay\"")).message,
              HasSubstr("hearsay"));
  EXPECT_THAT(problem_of(replaced(good, "kind = \"measured\"", "kind = \"guessed\"")).message, HasSubstr("guessed"));
  EXPECT_THAT(problem_of(replaced(good, "name = \"NVIDIA H200\"", "")).message, HasSubstr("'name'"));
  EXPECT_THAT(problem_of(replaced(good, "200704, 233472]", "200704]")).message, HasSubstr("carve-out"));
  EXPECT_THAT(problem_of(replaced(good, "WarpSize = 32", "WarpSize = 64")).message, HasSubstr("32 threads"));
  EXPECT_GT(problem_of("name = [").location.line, 0u);
  EXPECT_FALSE(problem_of("").message.empty());
  EXPECT_TRUE(problem_of(good).message.empty());
}

}  // namespace
}  // namespace drywarp::device
