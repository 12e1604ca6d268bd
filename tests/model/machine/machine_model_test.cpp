// The model that is read from a device file, and stand-ins for missing numbers.
#include "model/machine/machine_model.h"

#include <gmock/gmock.h>

#include <set>

namespace drywarp::machine {
namespace {

using machine::TimingClass;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

device::DeviceSpec spec(const char* id) { return *device::load_device(id); }
ClassSet only(TimingClass c) { return set_of(c); }
float latency(const MachineModel& m, TimingClass c) { return m.latency[unsigned(c)]; }

TEST(MachineModel, AFileThatHasEverythingHasNoGaps) {
  const MachineModel m = machine_model(spec("h200"));
  EXPECT_TRUE(m.gaps.empty()) << m.gaps.front().path;
  EXPECT_TRUE(can_time(m, ~ClassSet{0}).ok());
}

// A conflict-free 128-bit load has four wavefronts, two cycles apart, and takes 32 cycles instead of 23.
TEST(MachineModel, FurtherTransactionsOfWideSharedLoadsTakeACycle) {
  EXPECT_EQ(machine_model(spec("h200")).shared_conflict_cycles, 2);
  EXPECT_EQ(machine_model(spec("h200")).shared_transaction_cycles, 1);
  device::DeviceSpec d = spec("h200");
  d.timing.shared.latency_128 = std::nullopt;
  EXPECT_EQ(machine_model(d).shared_transaction_cycles, 0);
}

TEST(MachineModel, ANeighbourStandsInAndIsNamed) {
  device::DeviceSpec d = spec("h200");
  d.timing.latency.erase("convert");
  d.timing.latency["transcendental"] = 19;
  const MachineModel m = machine_model(d);
  EXPECT_EQ(latency(m, TimingClass::Convert), 19);
  EXPECT_EQ(stand_ins(m, only(TimingClass::Convert)),
            (std::vector<StandIn>{{"latency.convert", "latency.transcendental"}}));
  EXPECT_TRUE(stand_ins(m, only(TimingClass::FmaF32)).empty()) << "code without conversions does not care";
}

// If a stand-in is missing too, its own stand-in is used. The model reports the number that it used.
TEST(MachineModel, StandInsAreFollowedToANumber) {
  device::DeviceSpec d = spec("h200");
  for (const char* gone : {"imad", "imad_wide", "fma_f32"}) d.timing.latency.erase(gone);
  d.timing.latency["alu"] = 5;
  const MachineModel m = machine_model(d);
  EXPECT_EQ(latency(m, TimingClass::ImadWide), 5);
  EXPECT_THAT(stand_ins(m, only(TimingClass::ImadWide)), Contains(StandIn{"latency.imad_wide", "latency.alu"}));
}

TEST(MachineModel, ANumberWithoutStandInBlocksOnlyCodeThatNeedsIt) {
  device::DeviceSpec d = spec("h200");
  d.timing.dram.latency.reset();
  const MachineModel m = machine_model(d);
  EXPECT_TRUE(can_time(m, only(TimingClass::FmaF32) | only(TimingClass::SharedLoad)).ok());
  const Status loads = can_time(m, only(TimingClass::GlobalLoad));
  ASSERT_FALSE(loads.ok());
  EXPECT_THAT(loads.problem().message, HasSubstr("has no dram.latency"));
}

// No GPU before compute capability 8.0 has REDUX, so its latency is neither missing nor replaced.
TEST(MachineModel, InstructionsThatTheGpuDoesNotHaveAreNotLacking) {
  const MachineModel m = machine_model(spec("v100"));
  EXPECT_THAT(m.gaps, Contains(Field(&Gap::path, "latency.redux")));
  EXPECT_THAT(stand_ins(m, ~ClassSet{0}), Not(Contains(Field(&StandIn::number, "latency.redux"))));
  const Status redux = can_time(m, only(TimingClass::Redux));
  ASSERT_FALSE(redux.ok());
  EXPECT_THAT(redux.problem().message, HasSubstr("latency.redux"));
  EXPECT_THAT(redux.problem().message, Not(HasSubstr("has no latency.redux")));
}

TEST(MachineModel, AnUnknownLaunchOverheadIsLeftOutAndReported) {
  device::DeviceSpec d = spec("h200");
  d.timing.launch.overhead_ns.reset(), d.timing.launch.overhead_cycles.reset();
  const MachineModel m = machine_model(d);
  EXPECT_EQ(m.launch_seconds, 0);
  EXPECT_EQ(m.launch_cycles, 0);
  EXPECT_THAT(stand_ins(m, only(TimingClass::FmaF32)), Contains(Field(&StandIn::number, "launch.overhead_ns")));
}

// GT200 has neither an L1 nor an L2 for global memory: requests go to the memory controllers.
TEST(MachineModel, AGpuWithoutCachesHasNoCaches) {
  const MachineModel m = machine_model(spec("gtx280"));
  EXPECT_EQ(m.l1_bytes, 0u);
  EXPECT_FALSE(m.memory.l1.caches_global);
  EXPECT_EQ(m.memory.l2.bytes, 0u);
  EXPECT_EQ(m.memory.l2.slices, m.memory.dram.channels);
  EXPECT_EQ(m.memory.l2.latency_near, m.memory.dram.latency);
  EXPECT_TRUE(can_time(m, only(TimingClass::GlobalLoad)).ok())
      << can_time(m, only(TimingClass::GlobalLoad)).problem().message;
}

TEST(MachineModel, TheMemoryAloneNamesItsStandIns) {
  const auto memory = memory_model(spec("rtx2080ti"));
  ASSERT_TRUE(memory.ok()) << memory.problem().message;
  EXPECT_THAT(memory->stand_ins, Contains(Field(&StandIn::number, "l1.bytes_per_cycle")));
  EXPECT_THAT(memory->stand_ins, Not(Contains(Field(&StandIn::number, "latency.convert"))));
}

std::set<std::string, std::less<>> known_keys() {
  std::set<std::string, std::less<>> keys;
#define DW_TIMING_CLASS(name, text, description) keys.insert(text);
#define DW_OPERATION(name, mnemonic, pipe, timing) keys.insert(mnemonic);
#include "base/device/operations.def"
  return keys;
}

// base/device keeps the keys of [latency] and [issue] as text. This test compares them with the table of operations.
TEST(DeviceKeys, LatencyAndIssueNameOperations) {
  const auto known = known_keys();
  unsigned checked = 0;
  for (const std::string& id : device::device_ids()) {
    const auto spec = device::load_device(id);
    ASSERT_TRUE(spec.ok()) << spec.problem().to_string();
    for (const auto* table : {&spec->timing.latency, &spec->timing.issue})
      for (const auto& [key, value] : *table) {
        EXPECT_TRUE(known.contains(key)) << id << ": " << key;
        ++checked;
      }
  }
  EXPECT_GT(checked, 0u);
}

}  // namespace
}  // namespace drywarp::machine
