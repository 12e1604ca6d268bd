#include "profile/report/model/launch_occupancy.h"

#include <gmock/gmock.h>

namespace drywarp::report {
namespace {

using testing::HasSubstr;

// The course's GTX 970: 54 B per cycle, 350 cycles of memory latency, 20 of every instruction.
const device::HidingOptions kCourse{
    .arithmetic_latency = 20, .memory_latency = 350, .bytes_per_second = 196e9, .clock_hz = 3.6e9};

device::DeviceSpec gtx970() {
  auto spec = device::load_device("gtx970");
  if (!spec) throw std::runtime_error(spec.problem().to_string());
  return *spec;
}

// A kernel whose warps run three multiply-adds and a load of `sectors` sectors.
record::Profile profile(record::Extent grid, record::Extent block, uint64_t sectors, bool loads = true) {
  auto kernel = std::make_shared<KernelInfo>();
  kernel->display_name = "axpy(float*)";
  kernel->registers = 32;
  InstructionInfo fma;
  fma.klass = InstructionClass::Fp32;
  kernel->instructions = {fma, fma, fma};
  record::LaunchRecord launch;
  launch.grid = grid, launch.block = block, launch.counted = true;
  launch.counts.blocks = {{.warps = 1000, .lanes = 32000}};
  if (loads) {
    InstructionInfo load;
    load.klass = InstructionClass::LoadStore, load.load = true, load.access = 0, load.access_bytes = 4;
    kernel->instructions.push_back(load);
    AccessCounts access;
    access.requests = 1000, access.lanes = 32000, access.bytes = 128000, access.units = 1000 * sectors;
    launch.counts.accesses = {access};
  }
  record::Profile p;
  p.kernels = {kernel};
  p.launches = {launch};
  return p;
}

TEST(KernelHiding, CountsWarpsPresentAndNeeded) {
  const auto kernels = kernel_hiding(profile({100, 1, 1}, {256, 1, 1}, 4), gtx970(), kCourse);
  ASSERT_TRUE(kernels.ok()) << kernels.problem().to_string();
  ASSERT_EQ(kernels->size(), 1u);
  const KernelHiding& k = kernels->at(0);
  EXPECT_EQ(k.kernel, "axpy(float*)");
  EXPECT_EQ(k.warps_by_occupancy, 64u);
  EXPECT_DOUBLE_EQ(k.warps_present, 800.0 / 13);  // fewer than fit
  EXPECT_EQ(k.arithmetic_instructions, 3000u);
  EXPECT_EQ(k.requests, 1000u);
  EXPECT_EQ(k.bytes_per_request, 128);
  EXPECT_EQ(k.warps_for_arithmetic, 80u);
  EXPECT_EQ(k.warps_for_bandwidth, 12u);  // 18,900 B / 128 B / 13
  EXPECT_EQ(k.warps_for_issue, 410u);     // 4 schedulers x (3 x 20 + 350) / 4 instructions
  EXPECT_EQ(k.warps_needed, 12u);
  EXPECT_EQ(k.hidden(), 1);
}

TEST(KernelHiding, ASmallGridHidesLittle) {
  const auto kernels = kernel_hiding(profile({13, 1, 1}, {64, 1, 1}, 4), gtx970(), kCourse);
  ASSERT_TRUE(kernels.ok());
  EXPECT_EQ(kernels->at(0).warps_present, 2);
  EXPECT_DOUBLE_EQ(kernels->at(0).hidden(), 2.0 / 12);
}

TEST(KernelHiding, WithoutLoadsOnlyArithmeticCounts) {
  const auto kernels = kernel_hiding(profile({1300, 1, 1}, {256, 1, 1}, 0, false), gtx970(), kCourse);
  ASSERT_TRUE(kernels.ok());
  EXPECT_EQ(kernels->at(0).warps_needed, 80u);
  EXPECT_EQ(kernels->at(0).warps_for_bandwidth, 0u);
  EXPECT_DOUBLE_EQ(kernels->at(0).hidden(), 64.0 / 80);
}

TEST(KernelHiding, WideAndIndependentLoadsNeedFewerWarps) {
  EXPECT_EQ(kernel_hiding(profile({100, 1, 1}, {256, 1, 1}, 32), gtx970(), kCourse)->at(0).warps_for_bandwidth, 2u);
  device::HidingOptions two = kCourse;
  two.ilp = 2;
  const auto kernels = kernel_hiding(profile({100, 1, 1}, {256, 1, 1}, 4), gtx970(), two);
  EXPECT_EQ(kernels->at(0).warps_for_bandwidth, 6u);
  EXPECT_EQ(kernels->at(0).warps_for_issue, 205u);
  EXPECT_EQ(kernels->at(0).warps_for_arithmetic, 40u);
}

TEST(KernelHiding, WeighsLatenciesByInstructionMix) {
  record::Profile p = profile({100, 1, 1}, {256, 1, 1}, 4);
  auto mixed = std::make_shared<KernelInfo>(*p.kernels[0]);
  mixed->instructions[2].klass = InstructionClass::Fp64;
  p.kernels = {mixed};
  const auto kernels = kernel_hiding(p, gtx970(), {});
  ASSERT_TRUE(kernels.ok()) << kernels.problem().to_string();
  EXPECT_DOUBLE_EQ(kernels->at(0).arithmetic_latency, (6 + 6 + 48) / 3.0);
}

TEST(KernelHiding, JoinsLaunchesOfOneConfiguration) {
  record::Profile p = profile({100, 1, 1}, {256, 1, 1}, 4);
  p.launches.push_back(p.launches[0]);
  p.launches.push_back(p.launches[0]);
  p.launches[2].block = {128, 1, 1};
  p.launches.push_back(p.launches[0]);
  p.launches[3].counted = false;
  const auto kernels = kernel_hiding(p, gtx970(), kCourse);
  ASSERT_EQ(kernels->size(), 2u);
  EXPECT_EQ(kernels->at(0).launches, 2u);
  EXPECT_EQ(kernels->at(0).requests, 2000u);
  EXPECT_EQ(kernels->at(1).launches, 1u);
}

// Named barriers, the carve-out, and an estimate that forbids no block.
TEST(KernelHiding, UsesTheOccupancyOfTheLaunch) {
  auto spec = device::load_device("h200");
  ASSERT_TRUE(spec.ok());
  record::Profile p = profile({10000, 1, 1}, {64, 1, 1}, 4);
  const auto warps = [&](auto change, int carveout = -1, uint32_t block = 64) {
    auto kernel = std::make_shared<KernelInfo>(*p.kernels[0]);
    change(*kernel);
    record::Profile changed = p;
    changed.kernels = {kernel};
    changed.launches[0].carveout = carveout, changed.launches[0].block.x = block;
    const auto kernels = kernel_hiding(changed, *spec, kCourse);
    return kernels.ok() ? kernels->at(0).warps_by_occupancy : 0;
  };
  EXPECT_EQ(warps([](KernelInfo&) {}), 64u);
  EXPECT_EQ(warps([](KernelInfo& k) { k.barriers = 16; }), 8u);  // 64 barriers per multiprocessor
  EXPECT_EQ(warps([](KernelInfo& k) { k.registers = 100; }, -1, 1024), 32u);
  EXPECT_LT(warps([](KernelInfo& k) { k.static_shared_bytes = 8192; }, 10),
            warps([](KernelInfo& k) { k.static_shared_bytes = 8192; }));
}

TEST(KernelHiding, NamesNumbersThatTheDeviceLacks) {
  auto t4 = device::load_device("t4");
  t4->timing.dram.latency.reset();
  const auto kernels = kernel_hiding(profile({1, 1, 1}, {32, 1, 1}, 4), *t4, {});
  ASSERT_FALSE(kernels.ok());
  EXPECT_THAT(kernels.problem().message, HasSubstr("dram.latency"));
}

}  // namespace
}  // namespace drywarp::report
