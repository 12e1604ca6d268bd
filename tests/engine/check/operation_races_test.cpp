// Footprints of launches, and the operations that they race with.
#include "engine/check/operation_races.h"

#include <gtest/gtest.h>

#include "checked.h"

namespace drywarp::check {
namespace {

class OperationRacesTest : public ::testing::Test {
 protected:
  // One allocation of 4096 bytes.
  struct OneAllocation : MemoryMap {
    [[nodiscard]] std::optional<Near> near(uint64_t address) const override {
      return Near{{1, 4096, "a device allocation", {}}, true, static_cast<int64_t>(address - kBase)};
    }
    [[nodiscard]] std::optional<Near> near(uint64_t address, uint64_t) const override { return near(address); }
    void made(uint64_t, const std::string&) override {}
    [[nodiscard]] bool written(uint64_t, uint64_t) const override { return true; }
    void write(uint64_t, uint64_t) override {}
  };
  static constexpr uint64_t kBase = uint64_t{1} << 40;

  std::unique_ptr<RunOperation> operation(uint32_t line, MemoryUse use, uint64_t first, uint64_t bytes,
                                          const void* key = nullptr, bool strong = false) {
    auto made = std::make_unique<RunOperation>();
    made->moment = order_.issue(line);
    made->moment.stream = line;
    auto part = std::make_shared<Footprint::Part>();
    part->key = key;
    part->use = use;
    part->strong = strong;
    part->bytes.insert(kBase + first, bytes);
    made->footprint.parts.push_back(part);
    return made;
  }
  std::vector<FindingKind> kinds(std::unique_ptr<RunOperation> o) {
    std::vector<FindingKind> all;
    for (const Finding& f : races_.add(std::move(o))) all.push_back(f.kind);
    return all;
  }

  OneAllocation memory_;
  OperationOrder order_;
  OperationRaces races_{memory_, kBase};
  uint32_t a_ = order_.add_stream(false), b_ = order_.add_stream(false);
  using Kinds = std::vector<FindingKind>;
};

TEST_F(OperationRacesTest, ALaunchThatIsLeftOutIsNamedWithAChosenOneAlone) {
  using Role = RunOperation::Role;
  const auto with = [&](Role role, uint32_t line, MemoryUse use, uint64_t first) {
    auto made = operation(line, use, first, 100, &memory_);
    made->role = role;
    return kinds(std::move(made));
  };
  const auto nobody = [](const OperationMoment&) { return false; };
  EXPECT_EQ(with(Role::LeftOut, a_, MemoryUse::Write, 0), Kinds());
  EXPECT_EQ(with(Role::LeftOut, b_, MemoryUse::Write, 0), Kinds());
  EXPECT_EQ(with(Role::Transfer, b_, MemoryUse::Write, 0), Kinds());
  EXPECT_TRUE(races_.host_access(kBase, true, nobody).size() == 1) << "the copy";
  EXPECT_EQ(with(Role::Chosen, b_, MemoryUse::Read, 0), Kinds{FindingKind::ReadWrite});
  EXPECT_EQ(with(Role::Transfer, a_, MemoryUse::Write, 0), (Kinds{FindingKind::WriteWrite, FindingKind::ReadWrite}));
  // What is left out later does not stand for what was chosen.
  order_.host_waits_for_all();
  races_.forget([&](const OperationMoment& m) { return order_.host_knows(m); });
  EXPECT_EQ(with(Role::Chosen, a_, MemoryUse::Write, 0), Kinds());
  EXPECT_EQ(with(Role::LeftOut, a_, MemoryUse::Write, 0), Kinds());
  EXPECT_EQ(with(Role::Transfer, b_, MemoryUse::Read, 0), Kinds{FindingKind::ReadWrite});
}

TEST_F(OperationRacesTest, TheSameBytesAndAWrite) {
  EXPECT_EQ(kinds(operation(a_, MemoryUse::Write, 0, 100)), Kinds());
  EXPECT_EQ(kinds(operation(b_, MemoryUse::Read, 100, 100)), Kinds()) << "other bytes";
  EXPECT_EQ(kinds(operation(b_, MemoryUse::Read, 99, 10)), Kinds{FindingKind::ReadWrite});
  EXPECT_EQ(kinds(operation(b_, MemoryUse::Write, 50, 1)), Kinds{FindingKind::WriteWrite});
  EXPECT_EQ(kinds(operation(a_, MemoryUse::Read, 0, 10)), Kinds()) << "the same stream";
  order_.host_waits_for_all();
  races_.forget([&](const OperationMoment& m) { return order_.host_knows(m); });
  EXPECT_TRUE(races_.kept().empty());
}

TEST_F(OperationRacesTest, AFindingHasBothSides) {
  (void)races_.add(operation(a_, MemoryUse::Write, 0, 100));
  const auto found = races_.add(operation(b_, MemoryUse::Read, 64, 100));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what,
            "read of byte 64 of a device allocation of 4096 bytes, in stream 2, which nothing orders with stream 1");
  EXPECT_EQ(found[0].address, 64u);
  EXPECT_EQ(found[0].other->what, "write");
}

TEST_F(OperationRacesTest, StrongAccessesDoNotRaceWithEachOther) {
  EXPECT_EQ(kinds(operation(a_, MemoryUse::Write, 0, 4, nullptr, true)), Kinds());
  EXPECT_EQ(kinds(operation(b_, MemoryUse::Write, 0, 4, nullptr, true)), Kinds());
  EXPECT_EQ(kinds(operation(b_, MemoryUse::Write, 0, 4)), Kinds{FindingKind::WriteWrite});
}

TEST_F(OperationRacesTest, LaunchesThatSynchronizeAreNotCompared) {
  const auto with_flag = [&](uint32_t line, MemoryUse use) {
    auto o = operation(line, use, 0, 64);
    auto flag = std::make_shared<Footprint::Part>();
    flag->use = MemoryUse::Write, flag->strong = true;
    flag->bytes.insert(kBase + 128, 4);
    o->footprint.parts.push_back(flag);
    o->footprint.fences = true;
    return o;
  };
  EXPECT_EQ(kinds(with_flag(a_, MemoryUse::Write)), Kinds());
  EXPECT_EQ(kinds(with_flag(b_, MemoryUse::Read)), Kinds());
}

TEST_F(OperationRacesTest, FreesAndAllocationsInTheOrderOfAStream) {
  EXPECT_EQ(kinds(operation(a_, MemoryUse::Read, 0, 64)), Kinds());
  EXPECT_EQ(kinds(operation(b_, MemoryUse::Free, 0, 4096)), Kinds{FindingKind::UnorderedFree});
  races_.renew(kBase, 4096);
  EXPECT_EQ(kinds(operation(b_, MemoryUse::Allocate, 0, 4096)), Kinds());
  EXPECT_EQ(kinds(operation(b_, MemoryUse::Write, 0, 64)), Kinds());
  EXPECT_EQ(kinds(operation(a_, MemoryUse::Free, 0, 4096)),
            (Kinds{FindingKind::UnorderedFree, FindingKind::UnorderedFree}));
}

// A loop of launches without a wait takes the memory of one, and its races stay.
TEST_F(OperationRacesTest, TheSameCodeLaterReplacesWhatItAccessedBefore) {
  const int code = 0, other = 0;
  for (int i = 0; i < 1000; ++i) (void)races_.add(operation(a_, MemoryUse::Write, 0, 2048, &code));
  EXPECT_EQ(races_.kept().size(), 1u);
  (void)races_.add(operation(a_, MemoryUse::Write, 1024, 1024, &code));
  EXPECT_EQ(races_.kept().size(), 2u) << "the other half is kept";
  (void)races_.add(operation(a_, MemoryUse::Read, 0, 2048, &other));
  EXPECT_EQ(kinds(operation(b_, MemoryUse::Write, 0, 4)), (Kinds{FindingKind::WriteWrite, FindingKind::ReadWrite}));
  EXPECT_EQ(kinds(operation(b_, MemoryUse::Read, 2000, 4)), Kinds{FindingKind::ReadWrite});
}

TEST_F(OperationRacesTest, TheHost) {
  (void)races_.add(operation(a_, MemoryUse::Write, 0, 100));
  (void)races_.add(operation(b_, MemoryUse::Read, 200, 100));
  const auto known = [&](const OperationMoment& m) { return order_.host_knows(m); };
  EXPECT_EQ(races_.host_access(kBase + 50, false, known).size(), 1u);
  EXPECT_EQ(races_.host_access(kBase + 150, true, known).size(), 0u);
  EXPECT_EQ(races_.host_access(kBase + 250, false, known).size(), 0u) << "both read";
  EXPECT_EQ(races_.host_access(kBase + 250, true, known).size(), 1u);
  order_.host_waits_for(a_);
  EXPECT_EQ(races_.host_access(kBase + 50, true, known).size(), 0u);
}

// ---- footprints

Footprint footprint_of(const std::string& body, unsigned workers, uint64_t& out, const std::string& declarations = "") {
  exec::EngineOptions options;
  options.workers = workers;
  exec::Machine machine(exec::kernel(body, declarations), options);
  out = machine.words(4096);
  const uint64_t in = machine.words(256);
  const auto kernel = machine.describe("k");
  MachineMemory memory(machine.memory());
  const CheckedLaunch launch(*kernel, {8, 1, 1}, {64, 1, 1}, memory);
  FootprintObserver observer(launch);
  machine.observers = {&observer};
  (void)machine.launch({8}, {64}, {out, in});
  machine.observers.clear();
  return observer.take();
}

// Thread t of block b writes word 64 * b + t.
constexpr const char* kEachItsWord = "st.global.u32 [%rd1], %r1;\n";

TEST(FootprintObserver, HasEveryByteAndItsThread) {
  for (const unsigned workers : {1u, 3u}) {
    uint64_t out = 0;
    const Footprint all = footprint_of(kEachItsWord, workers, out);
    ASSERT_EQ(all.parts.size(), 1u);
    const Footprint::Part& part = *all.parts[0];
    EXPECT_EQ(part.use, MemoryUse::Write);
    EXPECT_FALSE(part.strong);
    EXPECT_EQ(part.bytes.count(out, 4096 * 4), 8u * 64 * 4);
    EXPECT_TRUE(part.bytes.has_all(out, 8 * 64 * 4));
    const auto thread = all.thread(part, out + 4 * (64 * 5 + 17) + 2);
    ASSERT_TRUE(thread);
    EXPECT_EQ(*thread, (ThreadPlace{{5, 0, 0}, {17, 0, 0}}));
    EXPECT_FALSE(all.thread(part, out + 8 * 64 * 4));
    EXPECT_FALSE(all.fences);
  }
}

// More rows than there are witnesses, so that columns are inserted at once: each thread reads a row of 256 bytes, and
// of each eight words seven.
TEST(FootprintObserver, HasEveryByteOfColumns) {
  uint64_t out = 0;
  const Footprint all = footprint_of(
      "mul.wide.u32 %rd5, %r0, 256; add.u64 %rd5, %rd0, %rd5; mov.u32 %r5, 0;\n"
      "L: and.b32 %r6, %r5, 7; setp.eq.u32 %p1, %r6, 7;\n@%p1 bra NEXT;\nld.global.u32 %r7, [%rd5];\n"
      "NEXT: add.u64 %rd5, %rd5, 4; add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 64;\n@%p2 bra L;\n",
      1, out);
  ASSERT_EQ(all.parts.size(), 1u);
  const ByteSet& bytes = all.parts[0]->bytes;
  EXPECT_EQ(bytes.count(out, 4096 * 4), 64u * 56 * 4);
  for (uint64_t word = 0; word < 4096; ++word)
    ASSERT_EQ(bytes.count(out + 4 * word, 4), word % 8 == 7 ? 0u : 4u) << word;
  EXPECT_TRUE(all.thread(*all.parts[0], out + 256 * 17)) << "by a witness";
}

TEST(FootprintObserver, KnowsAtomicsByTheirScope) {
  uint64_t out = 0;
  const Footprint device = footprint_of("atom.global.add.u32 %r1, [%rd0], 1;\n", 1, out);
  ASSERT_EQ(device.parts.size(), 1u);
  EXPECT_TRUE(device.parts[0]->strong);
  EXPECT_FALSE(device.parts[0]->with_host);
  EXPECT_EQ(device.parts[0]->bytes.count(out, 4096), 4u);
  const Footprint block = footprint_of("atom.relaxed.cta.global.add.u32 %r1, [%rd0], 1;\n", 1, out);
  EXPECT_FALSE(block.parts.at(0)->strong);
  const Footprint system = footprint_of("atom.relaxed.sys.global.add.u32 %r1, [%rd0], 1;\nfence.sc.gpu;\n", 1, out);
  EXPECT_TRUE(system.parts.at(0)->with_host);
  EXPECT_TRUE(system.fences);
}

}  // namespace
}  // namespace drywarp::check
