// A program's accesses at a source line, from a profile and samples written by hand.
#include "faces/explain/source_access.h"

#include <gtest/gtest.h>

#include "faces/explain/draw/draw.h"

namespace drywarp::explain {
namespace {

// A kernel that loads from global memory and stores to shared memory in line 7, launched three times.
record::Profile profile() {
  auto kernel = std::make_shared<KernelInfo>();
  kernel->name = "_Z1kPf", kernel->display_name = "k(float*)";
  kernel->files = {"/home/somebody/app.cu"};
  InstructionInfo load;
  load.file = 0, load.line = 7, load.ptx_line = 20, load.access = 0, load.load = true, load.access_bytes = 4;
  load.text = "ld.global.f32 %f1, [%rd1];";
  InstructionInfo store = load;
  store.ptx_line = 21, store.access = 1, store.load = false, store.store = true, store.memory = Memory::Shared;
  store.text = "st.shared.f32 [%r1], %f1;";
  InstructionInfo other = load;
  other.line = 9, other.access = 2;
  kernel->instructions = {load, store, other};
  record::Profile out;
  out.kernels = {kernel};
  for (const uint64_t sectors : {40u, 320u, 320u}) {
    record::LaunchRecord launch;
    launch.grid = {10, 1, 1}, launch.block = {32, 1, 1};
    launch.counted = true;
    launch.counts.accesses.resize(3);
    launch.counts.accesses[0] = {
        .requests = 10, .lanes = 320, .bytes = 1280, .unique_bytes = 1280, .units = sectors, .ideal_units = 40};
    launch.counts.accesses[1] = {
        .requests = 10, .lanes = 320, .bytes = 1280, .unique_bytes = 1280, .units = 20, .ideal_units = 10, .ways = 2};
    out.launches.push_back(launch);
  }
  return out;
}

AccessSample sample(uint32_t access, Memory memory, uint64_t step, uint32_t units) {
  AccessSample s;
  s.access = access, s.memory = memory, s.size = 4, s.lanes = ~0u, s.block = 3, s.units = units;
  if (memory == Memory::Shared) s.op = SharedOp::Store;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) s.addresses[lane] = 256 + lane * step;
  return s;
}

TEST(AccessSample, survivesItsText) {
  AccessSample s = sample(5, Memory::Local, 4096, 77);
  s.atomic = true, s.lanes = 0x80000001, s.warp = 31, s.block = 1ull << 40, s.addresses[31] = ~0ull;
  s.banks = {BankRule::Kepler, 32, 8, 4};
  const auto back = parse_access_sample(to_line(s));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, s);
  for (const char* wrong : {"", "1 2 3", "x"}) EXPECT_FALSE(parse_access_sample(wrong).ok()) << wrong;
  EXPECT_FALSE(parse_access_sample(to_line(s) + " 1").ok());
  s.banks.count = 3;  // impossible
  EXPECT_FALSE(parse_access_sample(to_line(s)).ok());
}

TEST(SourceAccess, explainsTheCostliestLaunch) {
  const std::string text = "0 " + to_line(sample(0, Memory::Global, 4, 4)) + "\n1 " +
                           to_line(sample(0, Memory::Global, 512, 32)) + "\n0 " +
                           to_line(sample(1, Memory::Shared, 8, 2)) + "\n1 half a li";
  const auto samples = parse_samples(text);
  ASSERT_TRUE(samples.ok());
  ASSERT_EQ(samples->size(), 3);
  const auto found = explain_line(profile(), *samples, "app.cu", 7);
  ASSERT_TRUE(found.ok()) << found.problem().to_string();
  ASSERT_EQ(found->accesses.size(), 2);
  const SourceAccess& load = found->accesses[0];
  EXPECT_EQ(load.launches, 3);
  EXPECT_EQ(load.launch, 1);
  EXPECT_EQ(load.counts.units, 320);
  ASSERT_TRUE(load.sectors.has_value());
  EXPECT_EQ(load.sectors->cost.sectors, 32);
  EXPECT_EQ(load.sample->launch, 1);
  EXPECT_EQ(load.step, 512);
  const SourceAccess& store = found->accesses[1];
  ASSERT_TRUE(store.banks.has_value());
  EXPECT_EQ(store.banks->cost.ways, 2);
  EXPECT_EQ(store.step, 8);

  const std::string drawn = draw(*found, {true, 80});
  for (const char* wanted : {"k(float*)", "ld.global.f32 %f1, [%rd1];", "sectors a request  32.00; 4.00 would do",
                             "512 bytes from lane to lane", "wavefronts a request  2.00; 1.00 would do", "2-way"})
    EXPECT_NE(drawn.find(wanted), std::string::npos) << wanted << "\n" << drawn;
  const std::string json = to_json(*found);
  EXPECT_NE(json.find("\"step_bytes\": 512"), std::string::npos) << json;
}

TEST(SourceAccess, namesLinesWithAccesses) {
  const auto found = explain_line(profile(), {}, "app.cu", 8);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.problem().message, "no kernel that ran accesses memory at app.cu:8");
  EXPECT_EQ(found.problem().hint, "these lines of it do: 7");
  EXPECT_FALSE(explain_line(profile(), {}, "p.cu", 7).ok());  // the end of another file's name
}

TEST(SourceAccess, rejectsDamagedSamples) {
  EXPECT_FALSE(parse_samples("nonsense\n").ok());
  EXPECT_TRUE(parse_samples("")->empty());
}

}  // namespace
}  // namespace drywarp::explain
