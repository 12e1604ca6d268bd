// A launch does the same on any number of workers, also when its blocks see each other's stores; launches without races
// use all workers.
#include <cstring>
#include <numeric>
#include <random>

#include "engine/exec/memory/conflict_watch.h"
#include "machine.h"

namespace drywarp::exec {
namespace {

constexpr uint32_t kBlocks = 600, kBlockThreads = 256, kElements = kBlocks * kBlockThreads;

EngineOptions with(unsigned workers) {
  EngineOptions options;
  options.workers = workers;
  return options;
}

std::vector<uint32_t> numbers(size_t count, uint32_t below, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<uint32_t> values(count);
  for (uint32_t& v : values) v = random() % below;
  return values;
}

// The results and counts of a launch.
struct Outcome {
  std::vector<uint32_t> memory;
  std::vector<uint64_t> lanes;  // by block of the code
  std::vector<uint64_t> sectors;
  std::vector<uint64_t> traced;
  unsigned workers = 0;
  bool operator==(const Outcome& other) const {
    return memory == other.memory && lanes == other.lanes && sectors == other.sectors && traced == other.traced;
  }
};

Outcome run(const std::string& text, unsigned workers, const std::vector<uint32_t>& out,
            const std::vector<uint32_t>& in = {0}, uint64_t traced = 0) {
  Machine m(text, with(workers));
  m.trace.blocks = traced;
  if (traced != 0) m.trace.bytes = m.trace.instructions = uint64_t{1} << 40;
  const uint64_t at = m.upload(out);
  const Ran r = m.launch({kBlocks}, {kBlockThreads}, {at, m.upload(in)});
  EXPECT_FALSE(r.fault.has_value()) << r.fault->message;
  Outcome o;
  o.memory = m.download(at, out.size());
  for (const BlockCounts& b : r.counts.blocks) o.lanes.push_back(b.lanes);
  for (const AccessCounts& a : r.counts.accesses) o.sectors.push_back(a.units);
  if (r.trace)
    for (const BlockTrace& b : r.trace->blocks)
      for (const WarpTrace& w : b.warps) o.traced.push_back(w.steps.size()), o.traced.push_back(w.lines.size());
  o.workers = r.workers;
  return o;
}

// A loop of %r10 iterations.
const std::string kSpend = "L: sub.u32 %r10, %r10, 1; setp.gt.s32 %p5, %r10, 0; @%p5 bra L;\n";

void expect_one_order(const std::string& text, const std::vector<uint32_t>& out, const std::vector<uint32_t>& in = {0},
                      uint64_t traced = 0) {
  const Outcome wanted = run(text, 1, out, in, traced);
  for (const unsigned workers : {2u, 4u})
    for (int again = 0; again < 3; ++again) EXPECT_TRUE(run(text, workers, out, in, traced) == wanted) << workers;
}

TEST(BlockOrder, InPlaceRelaxationHasOneOrder) {
  // Each block reads what its neighbours write.
  const std::string k = kernel(
      "add.u32 %r5, %r1, 256; min.u32 %r5, %r5, 153599; mul.wide.u32 %rd2, %r5, 4; add.u64 %rd2, %rd0, %rd2;\n"
      "ld.global.u32 %r6, [%rd2]; sub.u32 %r7, %r1, 256; max.s32 %r7, %r7, 0; mul.wide.s32 %rd3, %r7, 4;\n"
      "add.u64 %rd3, %rd0, %rd3; ld.global.u32 %r8, [%rd3]; add.u32 %r9, %r6, %r8; mad.lo.u32 %r9, %r9, 5, 3;\n"
      "and.b32 %r10, %r9, 31;\n" +
      kSpend + "st.global.u32 [%rd1], %r9;");
  expect_one_order(k, numbers(kElements, 1000));
}

TEST(BlockOrder, LevelSynchronousSearchHasOneOrder) {
  // in[0]: the level; then each vertex' eight neighbours. d[neighbour] = level + 1 where d[vertex] is the level or the
  // next one, which depends on other blocks' stores.
  const std::string k = kernel(
      "ld.param.u64 %rd4, [in]; ld.global.u32 %r5, [%rd1]; setp.gt.u32 %p1, %r5, 2; @%p1 bra E;\n"
      "mov.u32 %r6, 0; add.u32 %r13, %r5, 1;\n"
      "N: mad.lo.u32 %r7, %r1, 8, %r6; mul.wide.u32 %rd5, %r7, 4; add.u64 %rd5, %rd4, %rd5; ld.global.u32 %r8, "
      "[%rd5];\n"
      "mul.wide.u32 %rd6, %r8, 4; add.u64 %rd6, %rd0, %rd6; ld.global.u32 %r9, [%rd6];\n"
      "setp.le.u32 %p2, %r9, %r13; @%p2 bra S; st.global.u32 [%rd6], %r13;\n"
      "S: add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, 8; @%p3 bra N;\nE:");
  std::vector<uint32_t> distance(kElements, 1u << 30);
  for (size_t i = 0; i < 3000; ++i) distance[i * 37 % kElements] = 0;
  expect_one_order(k, distance, numbers(size_t{kElements} * 8, kElements));
}

TEST(BlockOrder, PlainLoadsOfWhatAtomicsChangeHaveOneOrder) {
  // in: an element of `out` for each thread. The order of the atomics changes nothing; the loaded values depend on it.
  const std::string k = kernel(
      "ld.param.u64 %rd4, [in]; mul.wide.u32 %rd5, %r1, 4; add.u64 %rd5, %rd4, %rd5; ld.global.u32 %r5, [%rd5];\n"
      "mul.wide.u32 %rd6, %r5, 4; add.u64 %rd6, %rd0, %rd6; red.global.add.u32 [%rd6], 1;\n"
      "ld.global.u32 %r10, [%rd1]; and.b32 %r10, %r10, 31;\n" +
      kSpend);
  expect_one_order(k, std::vector<uint32_t>(kElements, 0), numbers(kElements, 2000));
}

TEST(BlockOrder, TheLastBlockWins) {
  const std::string k = kernel("st.global.u32 [%rd0], %r1;");
  for (const unsigned workers : {1u, 2u, 4u})
    EXPECT_EQ(run(k, workers, std::vector<uint32_t>(4, 0)).memory[0], kElements - 1) << workers;
}

TEST(BlockOrder, ARepeatedPartCountsOnce) {
  // Blocks count themselves at out[1] with an atomic, and race for out[0].
  const std::string k = kernel(
      "ld.global.u32 %r5, [%rd0]; add.u32 %r5, %r5, 1; st.global.u32 [%rd0], %r5;\n"
      "add.u64 %rd2, %rd0, 8192; red.global.add.u32 [%rd2], 1;");
  for (const unsigned workers : {1u, 2u, 4u}) {
    const Outcome o = run(k, workers, std::vector<uint32_t>(4096, 0));
    EXPECT_EQ(o.memory[0], kBlocks * 8) << workers;  // the lanes of a warp read the same
    EXPECT_EQ(o.memory[2048], kElements) << workers;
  }
}

TEST(BlockOrder, TracesOfRacingBlocksAreTheSame) {
  const std::string k =
      kernel("ld.global.u32 %r5, [%rd1+1024]; and.b32 %r10, %r5, 31;\n" + kSpend + "st.global.u32 [%rd1], %r5;");
  expect_one_order(k, numbers(kElements + 256, 1000), {0}, 40);
}

TEST(BlockOrder, LaunchesProvenFreeOfRacesKeepAllWorkers) {
  const std::string index = "ld.param.u64 %rd4, [in]; mul.wide.u32 %rd5, %r1, 4; add.u64 %rd5, %rd4, %rd5;";
  const std::vector<uint32_t> data = numbers(kElements + 1, 100);
  // In place; from one buffer to the other; a histogram.
  EXPECT_EQ(run(kernel("ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, 7; st.global.u32 [%rd1], %r5;"), 4, data).workers,
            4u);
  EXPECT_EQ(run(kernel(index + "ld.global.u32 %r5, [%rd5]; ld.global.u32 %r6, [%rd5+4]; add.u32 %r5, %r5, %r6;"
                               "st.global.u32 [%rd1], %r5;"),
                4, data, data)
                .workers,
            4u);
  EXPECT_EQ(run(kernel(index + "ld.global.u32 %r5, [%rd5]; mul.wide.u32 %rd6, %r5, 4; add.u64 %rd6, %rd0, %rd6;"
                               "red.global.add.u32 [%rd6], 1;"),
                4, data, data)
                .workers,
            4u);
}

TEST(BlockOrder, WatchedLaunchesWithoutConflictsKeepAllWorkers) {
  // A permutation, in place and to another buffer: no analysis can prove it. A flag that all set to a value from
  // memory.
  std::vector<uint32_t> turned(kElements);
  for (uint32_t i = 0; i < kElements; ++i) turned[i] = i / kBlockThreads * kBlockThreads + (i * 7 + 3) % kBlockThreads;
  const std::string place =
      "ld.param.u64 %rd4, [in]; mul.wide.u32 %rd5, %r1, 4; add.u64 %rd5, %rd4, %rd5; ld.global.u32 %r5, [%rd5];"
      "mul.wide.u32 %rd6, %r5, 4; add.u64 %rd6, %rd0, %rd6;";
  const std::string scatter = kernel(place + "st.global.u32 [%rd6], %r1;");
  const std::string in_place =
      kernel(place + "ld.global.u32 %r6, [%rd6]; add.u32 %r6, %r6, %r5; st.global.u32 [%rd6], %r6;");
  const std::string flag = kernel(place + "ld.global.u32 %r7, [%rd4+4]; st.global.u32 [%rd0], %r7;");
  for (const std::string& text : {scatter, in_place, flag}) {
    const std::vector<uint32_t> zero(kElements, 0);
    const Outcome wanted = run(text, 1, zero, turned), got = run(text, 4, zero, turned);
    EXPECT_TRUE(got == wanted);
    EXPECT_EQ(got.workers, 4u) << text;
  }
}

// ---- ConflictWatch

struct Watched {
  explicit Watched(bool atomics_commute = true) : watch(memory, 2, atomics_commute) {
    base = memory.allocate(1 << 16, MemoryKind::Device).value();
  }
  void touch(unsigned worker, uint64_t offset, ConflictWatch::Use use) {
    const uint64_t address = base + offset;
    watch.log(worker).note(&address, 1, 4, use);
  }
  void store(unsigned worker, uint64_t offset, uint32_t value) {
    const uint64_t address = base + offset;
    watch.log(worker).note_store(&address, 1, 4, 1, &value);
    std::memcpy(reinterpret_cast<void*>(address), &value, 4);
  }
  [[nodiscard]] uint32_t word(uint64_t offset) const {
    uint32_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(base + offset), 4);
    return value;
  }
  DeviceMemory memory{uint64_t{1} << 30};
  ConflictWatch watch;
  uint64_t base = 0;
};

using Use = ConflictWatch::Use;

TEST(ConflictWatch, AConflictIsAWriteToWhatAnotherWorkerTouches) {
  const std::vector<std::tuple<Use, Use, bool>> cases = {
      {Use::Load, Use::Load, false},   {Use::Load, Use::Store, true},  {Use::Load, Use::Flag, true},
      {Use::Load, Use::Atomic, true},  {Use::Store, Use::Store, true}, {Use::Store, Use::Flag, true},
      {Use::Store, Use::Atomic, true}, {Use::Flag, Use::Atomic, true}, {Use::Atomic, Use::Atomic, false},
  };
  for (const auto& [a, b, met] : cases) {
    for (const bool turned : {false, true}) {
      Watched w;
      w.touch(0, 4092, turned ? b : a);
      w.touch(1, 4092, turned ? a : b);
      w.touch(0, 8192, Use::Store);  // each its own word of a page
      w.touch(1, 8196, Use::Store);
      EXPECT_EQ(w.watch.has_conflict(), met) << int(a) << int(b);
    }
  }
  Watched mixed(false);
  mixed.touch(0, 0, Use::Atomic);
  mixed.touch(1, 0, Use::Atomic);
  EXPECT_TRUE(mixed.watch.has_conflict());
}

TEST(ConflictWatch, OneWorkerHasNoConflict) {
  Watched w;
  for (const Use use : {Use::Load, Use::Store, Use::Flag, Use::Atomic}) w.touch(0, 64, use);
  EXPECT_FALSE(w.watch.has_conflict());
}

TEST(ConflictWatch, FlagsMayBeSetTwiceToTheSame) {
  Watched w;
  w.store(0, 16, 1);
  w.store(1, 16, 1);
  EXPECT_FALSE(w.watch.has_conflict());
  w.store(0, 16, 2);  // in order, the last value would be worker 1's
  EXPECT_TRUE(w.watch.has_conflict());
}

TEST(ConflictWatch, WideElementsTouchAllTheirWords) {
  Watched w;
  const uint64_t wide = w.base + 256, inside = w.base + 256 + 28;
  w.watch.log(0).note(&wide, 1, 32, Use::Store);
  w.watch.log(1).note(&inside, 1, 4, Use::Load);
  EXPECT_TRUE(w.watch.has_conflict());
}

TEST(ConflictWatch, UndoesWhatWasWrittenAndNothingElse) {
  Watched w;
  std::memset(reinterpret_cast<void*>(w.base), 7, 1 << 16);
  const uint32_t before = w.word(0);
  w.store(0, 128, 1);
  w.store(1, 132, 2);
  w.store(1, 128, 3);
  w.store(0, 9000 / 4 * 4, 4);
  const uint32_t host = 99;  // not the launch's, in a page that it wrote
  std::memcpy(reinterpret_cast<void*>(w.base + 256), &host, 4);
  w.watch.undo();
  EXPECT_EQ(w.word(128), before);
  EXPECT_EQ(w.word(132), before);
  EXPECT_EQ(w.word(9000 / 4 * 4), before);
  EXPECT_EQ(w.word(256), 99u);
}

TEST(ConflictWatch, IgnoresAddressesOutsideAllocations) {
  Watched w;
  const uint64_t address = 64;
  w.watch.log(0).note(&address, 1, 4, Use::Store);
  w.watch.undo();
  EXPECT_FALSE(w.watch.has_conflict());
}

}  // namespace
}  // namespace drywarp::exec
