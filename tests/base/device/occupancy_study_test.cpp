#include "base/device/occupancy_study.h"

#include <gtest/gtest.h>

#include <random>

namespace drywarp::device {
namespace {

DeviceSpec load(const char* id) {
  auto spec = load_device(id);
  if (!spec) throw std::runtime_error(spec.problem().to_string());
  return *spec;
}

OccupancyRequest gtx970_example() {
  return {.registers_per_thread = 48, .threads_per_block = 128, .static_shared_bytes = 4096};
}

TEST(OccupancyStudy, SweepsWhatTheAlgorithmSays) {
  const DeviceSpec device = load("gtx970");
  const auto blocks = sweep(device, gtx970_example(), SweepAxis::BlockSize);
  ASSERT_EQ(blocks.size(), 32u);
  EXPECT_EQ(blocks[3], (SweepPoint{128, 10, 40}));
  const auto registers = sweep(device, gtx970_example(), SweepAxis::Registers);
  EXPECT_EQ(registers.front().value, 8u);
  EXPECT_EQ(registers.back().value, 255u);
  EXPECT_EQ(registers[5], (SweepPoint{48, 10, 40}));
  const auto shared = sweep(device, gtx970_example(), SweepAxis::SharedMemory);
  EXPECT_EQ(shared.front(), (SweepPoint{0, 10, 40}));
  EXPECT_EQ(shared.back(), (SweepPoint{49152, 2, 8}));
  EXPECT_LE(sweep(load("h200"), gtx970_example(), SweepAxis::SharedMemory).size(), 65u);
}

TEST(OccupancyStudy, SaysWhatTheNextStepNeeds) {
  const DeviceSpec device = load("gtx970");
  const auto step = next_step(device, gtx970_example());
  ASSERT_TRUE(step);
  EXPECT_EQ(step->registers_per_thread, 40u);
  EXPECT_FALSE(step->shared_bytes);
  EXPECT_EQ(step->blocks, 12u);
  EXPECT_EQ(step->warps, 48u);
}

TEST(OccupancyStudy, StepsAreTheSmallestThatHelp) {
  std::mt19937 random(7);
  for (const char* id : {"h200", "v100", "gtx970", "gtx480", "gtx280"}) {
    const DeviceSpec device = load(id);
    unsigned steps = 0;
    for (int i = 0; i < 400; ++i) {
      const OccupancyRequest r{.registers_per_thread = 1 + uint32_t(random()) % device.max_registers_per_thread,
                               .threads_per_block = 1 + uint32_t(random()) % device.max_threads_per_block,
                               .static_shared_bytes = random() % device.shared_per_block};
      const Occupancy now = occupancy(device, r);
      const auto step = next_step(device, r);
      if (!step) continue;
      ++steps;
      EXPECT_GT(step->blocks, now.blocks);
      OccupancyRequest saved = r;
      if (step->registers_per_thread) saved.registers_per_thread = *step->registers_per_thread;
      if (step->shared_bytes) saved.static_shared_bytes = *step->shared_bytes;
      EXPECT_EQ(occupancy(device, saved).blocks, step->blocks);
      // One more of any resource that had to shrink is too much.
      if (step->registers_per_thread && *step->registers_per_thread + 1 <= device.max_registers_per_thread) {
        OccupancyRequest more = saved;
        ++more.registers_per_thread;
        EXPECT_EQ(occupancy(device, more).blocks, now.blocks) << id;
      }
      if (step->shared_bytes) {
        OccupancyRequest more = saved;
        ++more.static_shared_bytes;
        EXPECT_EQ(occupancy(device, more).blocks, now.blocks) << id;
      }
    }
    EXPECT_GT(steps, 20u) << id;
  }
}

TEST(OccupancyStudy, NoStepWhereSlotsAreUsedUp) {
  // 128-thread blocks fill Fermi's 8 block slots (course, A5): only other block sizes help.
  const DeviceSpec fermi = load("gtx480");
  const OccupancyRequest request{.registers_per_thread = 16, .threads_per_block = 128};
  EXPECT_EQ(occupancy(fermi, request).blocks * 128, 1024u);
  EXPECT_TRUE(occupancy(fermi, request).limited_by(OccupancyLimiter::Blocks));
  EXPECT_FALSE(next_step(fermi, request));
  const auto better = better_block_size(fermi, request);
  ASSERT_TRUE(better);
  EXPECT_EQ(better->threads_per_block, 160u);
  EXPECT_EQ(occupancy(fermi, {.registers_per_thread = 16, .threads_per_block = 512}).blocks, 3u);
}

// Course, A5: 192 threads fill Fermi's warp and block slots; what registers allow is the most where they limit.
TEST(OccupancyStudy, SmallestBlockWithTheMostWarps) {
  const auto fermi = smallest_best_block(load("gtx480"), {.registers_per_thread = 16, .threads_per_block = 128});
  ASSERT_TRUE(fermi);
  EXPECT_EQ(fermi->threads_per_block, 192u);
  EXPECT_EQ(fermi->warps, 48u);
  const auto maxwell = smallest_best_block(load("gtx970"), {.registers_per_thread = 48, .threads_per_block = 128});
  ASSERT_TRUE(maxwell);
  EXPECT_EQ(maxwell->warps, 40u);
  for (const char* id : {"gtx480", "gtx970", "h200"}) {
    const OccupancyRequest request{.registers_per_thread = 40, .threads_per_block = 32};
    const auto best = smallest_best_block(load(id), request);
    ASSERT_TRUE(best);
    for (const SweepPoint& point : sweep(load(id), request, SweepAxis::BlockSize))
      EXPECT_TRUE(point.warps < best->warps || point.value >= best->threads_per_block) << id << ' ' << point.value;
  }
}

TEST(OccupancyStudy, HeadroomChangesNothing) {
  const DeviceSpec device = load("h200");
  for (uint32_t block : {64u, 96u, 160u, 256u, 1024u}) {
    OccupancyRequest r{.registers_per_thread = 33, .threads_per_block = block, .static_shared_bytes = 5000};
    const uint32_t blocks = occupancy(device, r).blocks;
    const Headroom room = headroom(device, r);
    OccupancyRequest more = r;
    more.registers_per_thread = room.registers_per_thread;
    EXPECT_EQ(occupancy(device, more).blocks, blocks);
    ++more.registers_per_thread;
    EXPECT_LT(occupancy(device, more).blocks, blocks);
    more = r;
    more.static_shared_bytes = room.shared_bytes;
    EXPECT_EQ(occupancy(device, more).blocks, blocks);
    ++more.static_shared_bytes;
    EXPECT_LT(occupancy(device, more).blocks, blocks);
  }
}

TEST(OccupancyStudy, CutsGridsIntoWaves) {
  const DeviceSpec h200 = load("h200");  // 132 multiprocessors
  const auto whole = waves(h200, 2, 528);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->full, 2u);
  EXPECT_EQ(whole->tail, 0u);
  EXPECT_DOUBLE_EQ(whole->slots_used, 1);
  const auto tail = waves(h200, 2, 600);
  EXPECT_EQ(tail->full, 2u);
  EXPECT_EQ(tail->tail, 72u);
  EXPECT_EQ(tail->idle_sms, 60u);
  EXPECT_DOUBLE_EQ(tail->waves, 600.0 / 264);
  EXPECT_DOUBLE_EQ(tail->slots_used, 600.0 / 792);
  EXPECT_FALSE(waves(h200, 0, 600));
  EXPECT_FALSE(waves(h200, 2, 0));
}

}  // namespace
}  // namespace drywarp::device
