// What drawings show of a launch, in the profile file: nothing is lost, and nothing that a foreign file says is
// believed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "profile/store/compression.h"
#include "profile/store/drawing_codec.h"
#include "profile/store/profile_reader.h"
#include "profile/store/profile_writer.h"
#include "profile/store/schema.h"
#include "profile/store/sqlite.h"

namespace drywarp::store {
namespace {

using sm::Stall;
using sm::Timeline;

Timeline timeline() {
  Timeline t;
  t.sms = 2, t.schedulers = 4, t.channels = 5, t.banks = 16, t.sm = 1;
  t.end = 5000.25, t.blocks_until = 5000.25, t.warps_until = 900.5, t.dram_until = 700;
  t.blocks = {{0, 0, 0, 100, 2000.5}, {1, 0, 1, 100.0625, 300}, {1, 0, 4000000000, 310, 5000.25}};
  t.warps = {{2, 7, 1, 0, 100.0625, 300, {{100.0625, 200, Stall::LongScoreboard}, {201, 299, Stall::Barrier}}},
             {3, 5, 4000000000, 31, 310, 900.5, {}}};
  t.issues = {{200, 0, 1, false}, {299, 0, 2, false}, {299, 0, 0, true}, {310, 1, 0, false}};
  t.dram = {{400, 420.5, 500, 503.125, 4, 15, uint64_t{1} << 40, false, false},
            {390, 510, 510, 513, 0, 0, 3, true, true}};
  t.instructions.resize(3);
  t.instructions[1].issued = 77;
  t.instructions[1].stalls[unsigned(Stall::LongScoreboard)] = 1234;
  return t;
}

record::MachineListing listing() {
  record::MachineListing l;
  l.regions = {{0}, {1, 1, 2}};
  l.instructions = {{"S2R R0, SR_TID.X", "S2R", "lsu", 0, 0, 12, 0},
                    {"@P0 LDG R2, [R4.64]", "LDG", "lsu", 1, machine::kNone, 0, 1},
                    {"EXIT", "EXIT", "cbu", machine::kNone, machine::kNone, 0, 1}};
  return l;
}

BlockSteps steps() {
  return {9, {{{{0, ~0u, 1}, {1, 0xff, 7}, {5, 0xff00, 1}}, {{0, 0}, {1, 15}}, true}, {{}, {}, false}}};
}

KernelInfo small_kernel() {
  KernelInfo kernel;
  kernel.name = "k", kernel.display_name = "k()";
  kernel.files = {"a.cu"};
  kernel.instructions.resize(2);
  return kernel;
}

void expect_equal(const Timeline& a, const Timeline& b) {
  EXPECT_EQ(
      std::tie(a.sms, a.schedulers, a.channels, a.banks, a.sm, a.end, a.blocks_until, a.warps_until, a.dram_until),
      std::tie(b.sms, b.schedulers, b.channels, b.banks, b.sm, b.end, b.blocks_until, b.warps_until, b.dram_until));
  EXPECT_EQ(a.blocks, b.blocks);
  EXPECT_EQ(a.warps, b.warps);
  EXPECT_EQ(a.issues, b.issues);
  EXPECT_EQ(a.dram, b.dram);
  ASSERT_EQ(a.instructions.size(), b.instructions.size());
  for (size_t i = 0; i < a.instructions.size(); ++i) {
    EXPECT_EQ(a.instructions[i].issued, b.instructions[i].issued);
    EXPECT_EQ(a.instructions[i].stalls, b.instructions[i].stalls);
  }
}

TEST(DrawingCodec, KeepsATimeline) {
  const auto read = decode_timeline(encode(timeline()));
  ASSERT_TRUE(read.ok());
  expect_equal(*read, timeline());
}

TEST(DrawingCodec, KeepsTheRest) {
  const auto code = decode_listing(encode(listing()), small_kernel());
  ASSERT_TRUE(code.ok());
  EXPECT_EQ(code->regions, listing().regions);
  EXPECT_EQ(code->instructions, listing().instructions);
  const auto read = decode_steps(encode(steps()));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->block, steps().block);
  EXPECT_EQ(read->warps, steps().warps);
}

// Times are rounded once: a profile that is written again stays the same.
TEST(DrawingCodec, RoundsTimesOnce) {
  Timeline t = timeline();
  t.warps[0].segments[0].start += 0.01;
  t.issues[1].cycle -= 1.0 / 3;
  const std::string first = encode(t);
  const auto read = decode_timeline(first);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(encode(*read), first);
  EXPECT_NEAR(read->issues[1].cycle, t.issues[1].cycle, 1.0 / 32);
}

TEST(DrawingCodec, RefusesWhatIsOutOfRange) {
  const std::function<void(Timeline&)> changes[] = {
      [](Timeline& t) { t.sms = 1; },
      [](Timeline& t) { t.schedulers = 3; },
      [](Timeline& t) { t.channels = 4; },
      [](Timeline& t) { t.banks = 15; },
      [](Timeline& t) { t.sms = 1u << 31; },
      [](Timeline& t) { t.sm = 2; },
      [](Timeline& t) { t.instructions.resize(2); },
      [](Timeline& t) { t.blocks[0].end = 1; },
      [](Timeline& t) { t.blocks[0].slot = 1u << 30; },
      [](Timeline& t) { t.warps[0].end = 1; },
      [](Timeline& t) { t.warps[0].segments[1].end = 1; },
      [](Timeline& t) { t.warps[0].segments[1].reason = static_cast<Stall>(200); },
      [](Timeline& t) { t.dram[0].end = 1; },
      [](Timeline& t) { t.dram[0].opened = 501; },
  };
  for (const auto& change : changes) {
    Timeline t = timeline();
    change(t);
    EXPECT_FALSE(decode_timeline(encode(t)).ok()) << &change - changes;
  }
  record::MachineListing l = listing();
  l.instructions[0].region = 2;
  EXPECT_FALSE(decode_listing(encode(l), small_kernel()).ok());
  l = listing(), l.instructions[0].instruction = 2;
  EXPECT_FALSE(decode_listing(encode(l), small_kernel()).ok());
  l = listing(), l.instructions[0].file = 1;
  EXPECT_FALSE(decode_listing(encode(l), small_kernel()).ok());
  BlockSteps s = steps();
  s.warps[0].barriers[1].step = 3;
  EXPECT_FALSE(decode_steps(encode(s)).ok());
}

TEST(DrawingCodec, SurvivesDamage) {
  const std::string good = *decompress(encode(timeline()));
  for (size_t n = 0; n < good.size(); ++n) {
    EXPECT_FALSE(decode_timeline(compress(good.substr(0, n))).ok()) << n;
    for (const char byte : {'\0', '\x7f', '\xff'}) {
      std::string bad = good;
      bad[n] = byte;
      (void)decode_timeline(compress(bad));
    }
  }
  for (const char* bytes : {"", "x", "\x28\xb5\x2f\xfd", "\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff\xff\xff\x7f"})
    EXPECT_FALSE(decode_timeline(bytes).ok() || decode_steps(bytes).ok());
  EXPECT_FALSE(decompress(compress(std::string(9u << 20, 'x'))).ok());  // larger than any drawing
}

class DrawnProfile : public ::testing::Test {
 protected:
  DrawnProfile()
      : folder_(std::filesystem::temp_directory_path() /
                ("drywarp_drawn_" + std::to_string(getpid()) + "_" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "run.dwprof";
  }
  ~DrawnProfile() override { std::filesystem::remove_all(folder_); }

  void write() {
    auto writer = ProfileWriter::open(path_, {"./app", "NVIDIA H200", "0.1.0", ""});
    ASSERT_TRUE(writer.ok());
    record::LaunchRecord launch;
    record::DrawnLaunch drawn{0, listing(), timeline(), steps()};
    for (unsigned kernel = 0; kernel < 2; ++kernel) {
      launch.kernel = writer->add_kernel(std::make_shared<KernelInfo>(small_kernel()));
      writer->add_launch(launch);
      writer->add_launch(launch, &drawn);
    }
    drawn.timeline.end = 6000;
    writer->add_launch(launch, &drawn);
    ASSERT_TRUE(writer->finish(0).ok());
  }
  void execute(const char* sql) {
    auto db = Database::open(path_, Database::Mode::Existing);
    ASSERT_TRUE(db->execute(sql).ok());
  }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(DrawnProfile, HasTheLastDrawingOfEachKernel) {
  write();
  const auto profile = read_profile(path_);
  ASSERT_TRUE(profile.ok()) << profile.problem().message;
  ASSERT_EQ(profile->drawn.size(), 2u);
  EXPECT_EQ(profile->drawn[0].launch, 1u);
  EXPECT_EQ(profile->drawn[1].launch, 4u);
  EXPECT_EQ(profile->drawn[1].timeline.end, 6000);
  expect_equal(profile->drawn[0].timeline, timeline());
  EXPECT_EQ(profile->drawn[0].code.instructions, listing().instructions);
  EXPECT_EQ(profile->drawn[0].steps.warps, steps().warps);
}

TEST_F(DrawnProfile, ADrawingOfAnotherLaunchIsDamage) {
  for (const char* sql :
       {"UPDATE drawn SET launch = 99 WHERE kernel = 0", "UPDATE drawn SET launch = 0 WHERE kernel = 0",
        "UPDATE drawn SET launch = 4 WHERE kernel = 0", "UPDATE drawn SET timeline = x'00'",
        "UPDATE drawn SET timeline = steps"}) {
    write();
    execute(sql);
    EXPECT_FALSE(read_profile(path_).ok()) << sql;
  }
}

TEST_F(DrawnProfile, OlderFormatsHaveNone) {
  write();
  execute("DROP TABLE drawn; PRAGMA user_version = 9");
  const auto profile = read_profile(path_);
  ASSERT_TRUE(profile.ok()) << profile.problem().message;
  EXPECT_EQ(profile->launches.size(), 5u);
  EXPECT_TRUE(profile->drawn.empty());
}

}  // namespace
}  // namespace drywarp::store
