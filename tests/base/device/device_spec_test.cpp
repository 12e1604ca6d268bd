#include "base/device/device_spec.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

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

TEST(DeviceSpec, InheritsWhatNobodyPublished) {
  const auto v100 = load_device("v100"), h200 = load_device("h200"), gtx280 = load_device("gtx280");
  ASSERT_TRUE(v100.ok() && h200.ok() && gtx280.ok());
  EXPECT_TRUE(v100->timing.scheduler.memory_queue);
  EXPECT_EQ(v100->origins.at("scheduler.memory_queue").kind, NumberKind::Assumed);
  EXPECT_EQ(h200->origins.at("scheduler.memory_queue").kind, NumberKind::Measured);  // its own replaces it
  EXPECT_TRUE(v100->timing.l2.ways);
  EXPECT_FALSE(gtx280->timing.l2.ways);  // it has no L2
  EXPECT_FALSE(gtx280->origins.contains("l2.ways"));
  EXPECT_FALSE(gtx280->texts.contains("l2.ways"));
}

TEST(DeviceSpec, EveryNumberOfEveryDeviceHasASource) {
  const auto ids = device_ids();
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(DRYWARP_SOURCE_DIR "/devices"))
    files += entry.path().extension() == ".toml";
  EXPECT_EQ(ids.size(), files);
  for (const std::string& id : ids) {
    const auto spec = load_device(id);
    ASSERT_TRUE(spec.ok()) << spec.problem().to_string();
    for (const auto& [name, value] : spec->attributes)
      EXPECT_TRUE(spec->origins.contains("attributes." + name)) << id << " " << name;
  }
}

TEST(DeviceSpec, FindsDevicesByNameOrPath) {
  EXPECT_EQ(load_device("")->id, "h200");
  EXPECT_EQ(load_device("RTX4090")->id, "rtx4090");
  EXPECT_EQ(load_device(DRYWARP_SOURCE_DIR "/devices/v100.toml")->multiprocessors, 80u);
  const std::pair<const char*, const char*> names[] = {
      {"GTX 970", "gtx970"},           {"gtx-970", "gtx970"},        {"NVIDIA GeForce GTX 970", "gtx970"},
      {"NVIDIA H200", "h200"},         {"H100 SXM", "h100"},         {"nvidia h100 80gb hbm3", "h100"},
      {"Tesla V100", "v100"},          {"V100-SXM2-16GB", "v100"},   {"Tesla K40", "k40"},
      {"GeForce GTX 280", "gtx280"},   {"RTX 2080 Ti", "rtx2080ti"}, {"TITAN V", "titanv"},
      {"geforce rtx 5090", "rtx5090"}, {"NVIDIA B200", "b200"},      {"NVIDIA L40", "l40"}};
  for (const auto& [name, id] : names) {
    const auto found = load_device(name);
    ASSERT_TRUE(found.ok()) << name << ": " << found.problem().to_string();
    EXPECT_EQ(found->id, id) << name;
  }
  const auto unknown = load_device("voodoo2");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.problem().message, HasSubstr("voodoo2"));
  EXPECT_THAT(unknown.problem().hint, HasSubstr("h200"));
  EXPECT_THAT(load_device("gtx 1070").problem().hint, HasSubstr("did you mean gtx1080 or gtx970"));
  EXPECT_THAT(load_device("970").problem().hint, HasSubstr("gtx970"));
  EXPECT_THAT(load_device("RTX 4090 Ti").problem().hint, HasSubstr("rtx4090"));
  EXPECT_THAT(load_device("/nowhere/x.toml").problem().message, HasSubstr("/nowhere/x.toml"));
}

// The published limits of every compute capability (NVIDIA's cuda_occupancy.h and programming guide), independent of
// the device files.
TEST(DeviceSpec, LimitsAreThoseOfTheComputeCapability) {
  struct Row {
    uint32_t cc, warps, threads, blocks, shared_kb, shared_block_kb, registers, unit, registers_thread, shared_unit,
        granularity, sub_partitions, reserved;
  };
  constexpr Row kRows[] = {
      {13, 32, 1024, 8, 16, 16, 16384, 512, 124, 512, 2, 1, 0},
      {20, 48, 1536, 8, 48, 48, 32768, 64, 63, 128, 2, 2, 0},
      {30, 64, 2048, 16, 48, 48, 65536, 256, 63, 256, 4, 4, 0},
      {35, 64, 2048, 16, 48, 48, 65536, 256, 255, 256, 4, 4, 0},
      {50, 64, 2048, 32, 64, 48, 65536, 256, 255, 256, 4, 4, 0},
      {52, 64, 2048, 32, 96, 48, 65536, 256, 255, 256, 2, 4, 0},
      {60, 64, 2048, 32, 64, 48, 65536, 256, 255, 256, 2, 2, 0},
      {61, 64, 2048, 32, 96, 48, 65536, 256, 255, 256, 4, 4, 0},
      {70, 64, 2048, 32, 96, 96, 65536, 256, 255, 256, 4, 4, 0},
      {75, 32, 1024, 16, 64, 64, 65536, 256, 255, 256, 4, 4, 0},
      {80, 64, 2048, 32, 164, 163, 65536, 256, 255, 128, 4, 4, 1024},
      {86, 48, 1536, 16, 100, 99, 65536, 256, 255, 128, 4, 4, 1024},
      {89, 48, 1536, 24, 100, 99, 65536, 256, 255, 128, 4, 4, 1024},
      {90, 64, 2048, 32, 228, 227, 65536, 256, 255, 128, 4, 4, 1024},
      {100, 64, 2048, 32, 228, 227, 65536, 256, 255, 128, 4, 4, 1024},
      {120, 48, 1536, 24, 100, 99, 65536, 256, 255, 128, 4, 4, 1024},
  };
  std::set<uint32_t> seen;
  for (const std::string& id : device_ids()) {
    const auto d = load_device(id);
    ASSERT_TRUE(d.ok()) << d.problem().to_string();
    const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                  [&](const Row& r) { return r.cc == d->compute_capability.number(); });
    ASSERT_NE(row, std::end(kRows)) << id;
    seen.insert(row->cc);
    EXPECT_EQ(d->max_warps_per_multiprocessor(), row->warps) << id;
    EXPECT_EQ(d->max_threads_per_multiprocessor, row->threads) << id;
    EXPECT_EQ(d->max_blocks_per_multiprocessor, row->blocks) << id;
    EXPECT_EQ(d->shared_per_multiprocessor, row->shared_kb * 1024) << id;
    EXPECT_EQ(d->shared_per_block_optin, row->shared_block_kb * 1024) << id;
    EXPECT_EQ(d->registers_per_multiprocessor, row->registers) << id;
    EXPECT_EQ(d->registers_per_block, row->registers) << id;
    EXPECT_EQ(d->register_allocation_unit, row->unit) << id;
    EXPECT_EQ(d->registers_allocated_per_block, row->cc < 20) << id;
    EXPECT_EQ(d->max_registers_per_thread, row->registers_thread) << id;
    EXPECT_EQ(d->shared_allocation_unit, row->shared_unit) << id;
    EXPECT_EQ(d->warp_allocation_granularity, row->granularity) << id;
    EXPECT_EQ(d->sub_partitions, row->sub_partitions) << id;
    EXPECT_EQ(d->shared_reserved_per_block, row->reserved) << id;
    EXPECT_EQ(d->max_threads_per_block, row->cc < 20 ? 512u : 1024u) << id;
    EXPECT_EQ(d->odd_register_counts.empty(), row->cc != 20) << id;
  }
  EXPECT_EQ(seen.size(), std::size(kRows)) << "every compute capability of the table has a device";
}

// Bandwidth follows from clock and bus: a mistake in any of the three shows.
TEST(DeviceSpec, MemoryClockAndBusMakeTheBandwidth) {
  for (const std::string& id : device_ids()) {
    const auto d = load_device(id);
    ASSERT_TRUE(d.ok()) << d.problem().to_string();
    ASSERT_TRUE(d->dram_bytes_per_second.has_value()) << id;
    const double peak = 2.0 * d->memory_clock_khz * 1e3 * d->memory_bus_bits / 8;
    EXPECT_NEAR(peak / double(*d->dram_bytes_per_second), 1, 0.01) << id;
  }
}

TEST(DeviceSpec, ADeviceInheritsItsArchitecture) {
  const auto spec = load_device("gtx480");
  ASSERT_TRUE(spec.ok()) << spec.problem().to_string();
  EXPECT_EQ(spec->based_on, "cc20");
  EXPECT_EQ(spec->architecture, "Fermi");
  EXPECT_EQ(spec->fp32_lanes, 32u);                                                 // of the architecture
  EXPECT_EQ(spec->fp64_lanes, 4u);                                                  // a GeForce's own
  EXPECT_EQ(spec->origins.at("rates.fp64_lanes").kind, NumberKind::Specification);  // ... with its own source
  EXPECT_THAT(spec->origins.at("rates.fp32_lanes").source, HasSubstr("throughput"));
  EXPECT_EQ(spec->texts.at("rates.fp64_lanes"), "4");
  EXPECT_EQ(spec->texts.at("multiprocessor.shared_carveouts"), "[16384, 49152]");
  EXPECT_EQ(spec->texts.at("l1.unified"), "true");

  const std::string mine = "name = \"Mine\"\nbased_on = \"cc89\"\n[sources.s]\nkind = \"measured\"\ntext = \"x\"\n";
  EXPECT_THAT(problem_of(mine).message, HasSubstr("no 'memory.total'"));
  const auto unknown = problem_of(replaced(mine, "cc89", "cc88"));
  EXPECT_THAT(unknown.message, HasSubstr("cc88"));
  EXPECT_THAT(unknown.hint, HasSubstr("cc86, cc89"));
  EXPECT_EQ(unknown.location.line, 2u);
  EXPECT_THAT(problem_of(replaced(mine, "\"cc89\"", "89")).message, HasSubstr("'based_on' must be a text"));
  EXPECT_THAT(problem_of(replaced(mine, "[sources.s]", "also_called = \"me\"\n[sources.s]")).message,
              HasSubstr("also_called"));
  // Another device's numbers, and through it its architecture's; the file's own win.
  const std::string other = replaced(mine, "cc89", "h100") + "[dram]\nlatency = { value = 1, source = \"s\" }\n";
  const auto h100 = load_device("h100"), based = parse_device(other, "mine.toml", "mine");
  ASSERT_TRUE(h100.ok() && based.ok()) << based.problem().to_string();
  EXPECT_EQ(based->name, "Mine");
  EXPECT_EQ(based->based_on, "h100");
  EXPECT_EQ(based->texts.at("dram.latency"), "1");
  EXPECT_EQ(based->texts.at("l2.latency_far"), h100->texts.at("l2.latency_far"));
  EXPECT_EQ(based->texts.at("multiprocessor.sub_partitions"), h100->texts.at("multiprocessor.sub_partitions"));
  EXPECT_EQ(load_device("h100")->id, "h100");
  // A device cannot use the sources of the file that it inherits.
  EXPECT_THAT(problem_of(mine + "[memory]\nsource = \"guide\"\ntotal = 1\n").message, HasSubstr("no 'guide'"));
}

// The H100's multiprocessors are the H200's: measured numbers are in both files, and must stay the same.
TEST(DeviceSpec, HoppersNumbersAreThoseOfTheH200) {
  const auto h100 = load_device("h100"), h200 = load_device("h200");
  ASSERT_TRUE(h100.ok() && h200.ok());
  unsigned compared = 0;
  for (const auto& [path, origin] : h100->origins) {
    // Copies, calls and what lies beyond the multiprocessors were measured on an H100.
    if (origin.kind != NumberKind::Measured || path.starts_with("copies.") || path.starts_with("calls.") ||
        origin.source.find("on an H100") != std::string::npos)
      continue;
    EXPECT_THAT(origin.source, HasSubstr("H200")) << path;
    const auto there = h200->texts.find(path);
    ASSERT_NE(there, h200->texts.end()) << path;
    EXPECT_EQ(h100->texts.at(path), there->second) << path;
    ++compared;
  }
  EXPECT_GT(compared, 50u);
}

TEST(DeviceSpec, UnpublishedNumbersAreAbsent) {
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
  // A misspelt key would leave its number to a stand-in, or to a default.
  for (const auto& [key, wrong] : {std::pair{"fma_f32", "fma_fp32"},
                                   {"\nStackSize", "\nStakSize"},
                                   {"\nMaxPitch", "\nMaxPich"},
                                   {"\nt_ras", "\nt_rass"}}) {
    const std::string name = key[0] == '\n' ? key + 1 : key, misspelt = wrong[0] == '\n' ? wrong + 1 : wrong;
    const auto unknown = problem_of(replaced(good, key, wrong));
    EXPECT_THAT(unknown.message, HasSubstr("." + misspelt + "'")) << wrong;
    EXPECT_THAT(unknown.hint, HasSubstr("." + name + "'")) << wrong;
    EXPECT_GT(unknown.location.line, 0u);
  }
  EXPECT_THAT(problem_of(replaced(good, "{ value = 128, source = \"throughput\" }", "128")).message,
              HasSubstr("no source"));
  EXPECT_THAT(problem_of(replaced(good, "source = \"throughput\"", "source = \"hearsay\"")).message,
              HasSubstr("hearsay"));
  EXPECT_THAT(problem_of(replaced(good, "kind = \"measured\"", "kind = \"guessed\"")).message, HasSubstr("guessed"));
  EXPECT_THAT(problem_of(replaced(good, "name = \"NVIDIA H200\"", "")).message, HasSubstr("'name'"));
  EXPECT_THAT(problem_of(replaced(good, "200704, 233472]", "200704]")).message, HasSubstr("carve-out"));
  EXPECT_THAT(problem_of(replaced(good, "WarpSize = 32", "WarpSize = 64")).message, HasSubstr("32 threads"));
  // A contradiction is located at the number that is too large, a missing number at its table.
  const auto line_of = [&](const std::string& text, const std::string& what) {
    return unsigned(std::count(text.begin(), text.begin() + std::ptrdiff_t(text.find(what)), '\n')) + 1;
  };
  const std::string odd = replaced(good, "WarpSize = 32", "WarpSize = 64");
  EXPECT_EQ(problem_of(odd).location.line, line_of(odd, "WarpSize = 64"));
  const std::string large = replaced(good, "\nMaxThreadsPerBlock = 1024", "\nMaxThreadsPerBlock = 4096");
  EXPECT_THAT(problem_of(large).message, HasSubstr("must fit on a multiprocessor"));
  EXPECT_EQ(problem_of(large).location.line, line_of(large, "MaxThreadsPerBlock = 4096"));
  const std::string without = replaced(good, "\nClockRate = 1980000", "");
  EXPECT_EQ(problem_of(without).location.line, line_of(without, "[attributes]"));
  EXPECT_GT(problem_of("name = [").location.line, 0u);
  EXPECT_FALSE(problem_of("").message.empty());
  EXPECT_TRUE(problem_of(good).message.empty());
}

}  // namespace
}  // namespace drywarp::device
