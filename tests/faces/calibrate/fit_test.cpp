#include "faces/calibrate/fit.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "base/device/device_spec.h"

namespace drywarp::calibrate {
namespace {

using testing::HasSubstr;

std::string read(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Recorded on a GPU: what the microbenchmarks printed, what cuobjdump and Nsight Compute said.
RawResults recorded(const std::string& device) {
  const std::string file = device + ".txt";
  auto parsed = parse_raw_results(read(DRYWARP_SOURCE_DIR "/tests/golden/calibrate/" + file), file);
  if (!parsed) throw std::runtime_error(parsed.problem().to_string());
  return *parsed;
}
const RawResults& h200() {
  static const RawResults raw = recorded("h200");
  return raw;
}

double number(const Calibration& c, const char* path) {
  const FittedNumber* found = c.find(path);
  return found ? found->value : std::nan("");
}

TEST(Fit, DeviceFileOfTheH200HoldsWhatItsRecordingGives) {
  const auto spec = device::load_device("h200");
  ASSERT_TRUE(spec.ok()) << spec.problem().to_string();
  const Calibration fitted = fit(h200());
  unsigned held = 0;
  for (const FittedNumber& n : fitted.numbers) {
    if (n.path.starts_with("attributes."))
      EXPECT_EQ(spec->attributes.at(n.path.substr(11)), n.value) << n.path;
    else if (n.evidence == Evidence::Measured || n.evidence == Evidence::Counter) {
      if (n.path.starts_with("rates.")) continue;
      ASSERT_TRUE(spec->timing.number(n.path)) << n.path;
      // What was measured otherwise since says so.
      if (!spec->origins.at(n.path).source.starts_with("drywarp calibrate")) continue;
      EXPECT_NEAR(*spec->timing.number(n.path), n.value, std::abs(n.value) * 1e-6) << n.path;
      EXPECT_EQ(spec->origins.at(n.path).kind, device::NumberKind::Measured) << n.path;
      ++held;
    }
  }
  EXPECT_GT(held, 90u);
  EXPECT_EQ(number(fitted, "rates.fp32_lanes"), spec->fp32_lanes);
  EXPECT_EQ(number(fitted, "rates.fp64_lanes"), spec->fp64_lanes);
}

// Its multiprocessors' numbers are the H200's; what lies beyond them was measured.
TEST(Fit, DeviceFileOfTheH100HoldsWhatItsRecordingGives) {
  const auto spec = device::load_device("h100");
  ASSERT_TRUE(spec.ok()) << spec.problem().to_string();
  unsigned held = 0;
  for (const FittedNumber& n : fit(recorded("h100")).numbers) {
    const auto origin = spec->origins.find(n.path);
    if (origin == spec->origins.end() || origin->second.source.find("golden/calibrate/h100.txt") == std::string::npos)
      continue;
    EXPECT_NEAR(*spec->timing.number(n.path), n.value, std::abs(n.value) * 1e-6) << n.path;
    ++held;
  }
  EXPECT_GT(held, 40u);
}

TEST(Fit, WritesADeviceFileThatDrywarpReads) {
  const std::string text = device_file(fit(h200()));
  const auto spec = device::parse_device(text, "new.toml", "new");
  ASSERT_TRUE(spec.ok()) << spec.problem().to_string();
  EXPECT_EQ(spec->name, "NVIDIA H200");
  EXPECT_EQ(spec->architecture, "Hopper");
  EXPECT_EQ(spec->multiprocessors, 132u);
  EXPECT_EQ(spec->shared_carveouts.back(), 233472u);
  EXPECT_EQ(spec->timing.shared.banks, 32u);
  EXPECT_EQ(spec->timing.l2.partitions, 2u);
  EXPECT_THAT(spec->origins.at("l2.latency_far").source, HasSubstr("2026-11-21"));
  // What could not be measured is said, not made up.
  EXPECT_FALSE(spec->timing.l1.outstanding_sectors);
  EXPECT_THAT(text, HasSubstr("# Not measured: l1.outstanding_sectors"));
}

TEST(Fit, TheAssemblersSubstitutesAreNotMeasured) {
  RawResults raw = h200();
  for (auto& [kernel, counts] : raw.sass)
    if (kernel.find("4PopcELi") != kernel.npos) counts.erase("POPC");
  const Calibration fitted = fit(raw);
  EXPECT_EQ(fitted.find("latency.bit_count"), nullptr);
  EXPECT_THAT(fitted.missing, testing::Contains(HasSubstr("bit_count")));
  EXPECT_NE(fitted.find("latency.transcendental"), nullptr);
}

TEST(Fit, WithoutNsightComputeTheRestStands) {
  RawResults raw = h200();
  raw.counters.clear();
  const Calibration fitted = fit(raw);
  EXPECT_EQ(fitted.find("l2.slices"), nullptr);
  EXPECT_EQ(fitted.find("launch.overhead_ns"), nullptr);
  EXPECT_EQ(number(fitted, "l1.hit_latency"), 32);
}

TEST(Fit, ACacheWithoutFarPartHasOnePartition) {
  RawResults raw = h200();
  for (auto& [name, points] : raw.series)
    if (name.starts_with("l2.first_touch."))
      for (Point& p : points) p.y = std::min(p.y, 330.0);
  const Calibration fitted = fit(raw);
  EXPECT_EQ(number(fitted, "l2.partitions"), 1);
  EXPECT_EQ(fitted.find("l2.latency_far"), nullptr);
}

TEST(Fit, FindsWhereMissesRunOutOfPlaces) {
  RawResults raw = h200();
  // A multiprocessor that keeps 256 sectors waiting, at a latency of about 680 cycles: one sector in 2.66 cycles.
  for (Point& p : raw.series["l1.outstanding.dram"]) p.y = 680 + p.x * 680 / 256;
  EXPECT_NEAR(number(fit(raw), "l1.outstanding_sectors"), 256, 8);
}

TEST(Fit, NothingMeasuredIsNothingSaid) {
  const Calibration fitted = fit({});
  EXPECT_TRUE(fitted.numbers.empty()) << fitted.numbers.front().path;
  EXPECT_GT(fitted.missing.size(), 30u);
}

TEST(RawResults, WrongLinesAreLocated) {
  const auto problem = [](const char* text) { return parse_raw_results(text, "r.txt").problem(); };
  EXPECT_THAT(problem("value a 1\nvalue b\ntext end yes\n").message, HasSubstr("wrong length"));
  EXPECT_EQ(problem("value a 1\nvalue b\ntext end yes\n").location.line, 2u);
  EXPECT_THAT(problem("point a 1 x\ntext end yes\n").message, HasSubstr("not a number"));
  EXPECT_THAT(problem("whatever a 1\ntext end yes\n").message, HasSubstr("unknown kind"));
  EXPECT_THAT(problem("value a 1\n").message, HasSubstr("did not finish"));
}

TEST(RawResults, ReadsMachineCodeAndCounters) {
  std::string code = "\t\tFunction : _Z5chainv\n\t.headerflags\t@\"EF_CUDA_SM90\"\n";
  for (int i = 0; i < 16; ++i)
    code += "        /*0010*/              @!P0 FFMA.FTZ R1, R2, R3, R4 ;   /* 0x0000000402017223 */\n";
  code += "        /*0110*/                   EXIT ;   /* 0x000000000000794d */\n";
  EXPECT_EQ(sass_lines(code), "sass _Z5chainv FFMA 16\n");
  EXPECT_EQ(
      counter_lines("==PROF== text\n\"ID\",\"gpu__time_duration.sum\"\n\"\",\"ns\"\n\"0\",\"1,504\"\n\"1\",\"1600\"\n"),
      "ncu gpu__time_duration.sum 1504\nncu gpu__time_duration.sum 1600\n");
}

}  // namespace
}  // namespace drywarp::calibrate
