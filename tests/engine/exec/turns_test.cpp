// Loops whose end depends on what other warps write meanwhile: all warps take turns in them, iteration by iteration.
#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "machine.h"

namespace drywarp::exec {
namespace {

EngineOptions with(unsigned workers) {
  EngineOptions options;
  options.workers = workers;
  return options;
}

// %rd10 = the address of the thread's own number in out. kThread's registers have several values each, and analyses of
// addresses follow only those that have one.
const std::string kOwnNumber =
    "mov.u32 %r20, %ctaid.x;\nmov.u32 %r21, %ntid.x;\nmov.u32 %r22, %tid.x;\nmad.lo.u32 %r23, %r20, %r21, %r22;\n"
    "mul.wide.u32 %rd11, %r23, 4;\nadd.u64 %rd10, %rd0, %rd11;\n";

// Chains of up to `longest` pointers, whose members lie anywhere.
std::vector<uint32_t> chains(uint32_t count, uint32_t longest) {
  std::mt19937 random(7);
  std::vector<uint32_t> place(count), next(count);
  std::iota(place.begin(), place.end(), 0U);
  std::ranges::shuffle(place, random);
  for (uint32_t i = 0, left = 0; i < count; ++i) {
    const bool begins = left == 0;
    if (begins) left = 1 + random() % longest;
    next[place[i]] = begins ? place[i] : place[i - 1];
    --left;
  }
  return next;
}

// Each thread's pointer goes to the end of its chain, as other threads' do meanwhile. %r3: its own; %r4: the next.
// `address`: of pointer %r3, into %rd3 or %r9.
std::string jump(const std::string& space, const std::string& address, const std::string& at, const std::string& own) {
  const std::string load = "ld." + space + ".u32 ";
  return load + "%r3, " + own + ";\n" + address + load + "%r4, " + at +
         ";\nL: setp.eq.u32 %p1, %r3, %r4;\n@%p1 bra E;\nst." + space + ".u32 " + own + ", %r4;\nmov.u32 %r3, %r4;\n" +
         address + load + "%r4, " + at + ";\nbra L;\nE:\n";
}

// What lockstep makes of it: in each round every warp that has lanes left goes through one iteration, one warp after
// the other. Returns how often warps begin an iteration.
uint64_t lockstep(std::vector<uint32_t>& next) {
  const size_t warps = next.size() / kWarpSize;
  std::vector<uint32_t> own(next.size()), ahead(next.size());
  std::vector<uint32_t> lanes(warps, ~0U);
  for (size_t i = 0; i < next.size(); ++i) own[i] = next[i], ahead[i] = next[own[i]];
  uint64_t begun = 0;
  for (bool any = true; any;) {
    any = false;
    for (size_t w = 0; w < warps; ++w) {
      if (lanes[w] == 0) continue;
      ++begun;
      for (size_t l = 0; l < kWarpSize; ++l)
        if (own[w * kWarpSize + l] == ahead[w * kWarpSize + l]) lanes[w] &= ~(1U << l);
      const auto each = [&](auto&& go) {
        for (size_t l = 0; l < kWarpSize; ++l)
          if (lanes[w] >> l & 1) go(w * kWarpSize + l);
      };
      each([&](size_t i) { next[i] = ahead[i], own[i] = ahead[i]; });
      each([&](size_t i) { ahead[i] = next[own[i]]; });
      any |= lanes[w] != 0;
    }
  }
  return begun;
}

// Of the code's block that begins with the loop's comparison: the one that most warps begin.
uint64_t most_often(const Ran& ran) {
  uint64_t most = 0;
  for (const BlockCounts& b : ran.counts.blocks) most = std::max(most, b.warps);
  return most;
}

const std::string kJumpInGlobal =
    kernel(jump("global", "mul.wide.u32 %rd3, %r3, 4;\nadd.s64 %rd3, %rd0, %rd3;\n", "[%rd3]", "[%rd1]"));

TEST(Turns, PointersJumpInLockstep) {
  const std::vector<uint32_t> before = chains(64 * 256, 50);
  std::vector<uint32_t> after = before;
  const uint64_t begun = lockstep(after);
  for (const unsigned workers : {1U, 3U, 4U}) {
    Machine m(kJumpInGlobal, with(workers));
    const uint64_t at = m.upload(before);
    const Ran ran = m.launch({64}, {256}, {at, 0});
    ASSERT_FALSE(ran.fault.has_value()) << ran.fault->message;
    EXPECT_EQ(m.download(at, before.size()), after);
    EXPECT_EQ(most_often(ran), begun);
    EXPECT_EQ(ran.workers, 1U);
    EXPECT_TRUE(ran.took_turns);
  }
  // Another number of blocks in flight, other counts.
  Machine m(kJumpInGlobal);
  m.wave = 1;
  const Ran ran = m.launch({64}, {256}, {m.upload(before), 0});
  EXPECT_NE(most_often(ran), begun);
}

// The same whether some blocks are traced or none.
TEST(Turns, TheSameIfTraced) {
  const std::vector<uint32_t> before = chains(64 * 256, 50);
  std::vector<uint32_t> after = before;
  const uint64_t begun = lockstep(after);
  Machine m(kJumpInGlobal);
  m.trace = {.blocks = 5, .bytes = 1 << 20, .resident = 100};
  const Ran ran = m.launch({64}, {256}, {m.upload(before), 0});
  EXPECT_EQ(most_often(ran), begun);
  ASSERT_TRUE(ran.trace);
  EXPECT_GE(ran.trace->blocks.size(), 5U);
}

TEST(Turns, PointersJumpInSharedMemory) {
  const std::vector<uint32_t> before = chains(512, 100);
  std::vector<uint32_t> after = before;
  const uint64_t begun = lockstep(after);
  const std::string text = kernel(
      kOwnNumber +
          "mov.u32 %r8, word;\nmad.lo.u32 %r7, %r0, 4, %r8;\nld.global.u32 %r6, [%rd10];\nst.shared.u32 [%r7], %r6;\n"
          "bar.sync 0;\n" +
          jump("shared", "mad.lo.u32 %r9, %r3, 4, %r8;\n", "[%r9]", "[%r7]") + "st.global.u32 [%rd10], %r3;",
      ".shared .b32 word[512];\n");
  for (const unsigned workers : {1U, 4U}) {
    Machine m(text, with(workers));
    std::vector<uint32_t> many;
    for (int block = 0; block < 6; ++block) many.insert(many.end(), before.begin(), before.end());
    const uint64_t at = m.upload(many);
    const Ran ran = m.launch({6}, {512}, {at, 0});
    ASSERT_FALSE(ran.fault.has_value()) << ran.fault->message;
    EXPECT_EQ(m.download(at, 512), after);
    EXPECT_EQ(most_often(ran), 6 * begun);
    EXPECT_EQ(ran.workers, workers);  // blocks share nothing
    EXPECT_TRUE(ran.took_turns);
  }
}

// Counts by compare-and-swap, one lane a warp.
const std::string kCountBySwaps = kernel(
    "setp.ne.u32 %p0, %r0, 0;\n@%p0 exit;\nld.global.u32 %r3, [%rd0];\nL: add.u32 %r4, %r3, 1;\n"
    "atom.global.cas.b32 %r5, [%rd0], %r3, %r4;\nsetp.ne.u32 %p1, %r5, %r3;\nmov.u32 %r3, %r5;\n@%p1 bra L;");

TEST(Turns, OneCompareAndSwapOfARoundSucceeds) {
  Machine m(kCountBySwaps);
  const uint64_t at = m.words(1);
  const Ran ran = m.launch({100}, {32}, {at, 0});
  EXPECT_EQ(m.download(at, 1)[0], 100U);
  EXPECT_EQ(most_often(ran), 100U * 101 / 2);
}

// No more blocks are in flight than the GPU holds.
TEST(Turns, ABlockStartsWhenOneEnds) {
  Machine m(kCountBySwaps);
  m.wave = 2;
  const uint64_t at = m.words(1);
  const Ran ran = m.launch({100}, {32}, {at, 0});
  EXPECT_EQ(m.download(at, 1)[0], 100U);
  // The second block fails once. Each block that starts later does so behind the one that succeeds in that round.
  EXPECT_EQ(most_often(ran), 101U);
}

// A lane takes the lock, and gives it back behind the loop in which the others try to: turns let nobody starve.
TEST(Turns, ALoopThatMayWaitStillWaits) {
  Machine m(kernel(
      "mov.u32 %r6, 0;\nL: atom.global.cas.b32 %r5, [%rd0], 0, 1;\nsetp.ne.u32 %p1, %r5, 0;\nadd.u32 %r6, %r6, 1;\n"
      "@%p1 bra L;\nld.global.u32 %r7, [%rd0+4];\nadd.u32 %r7, %r7, 1;\nst.global.u32 [%rd0+4], %r7;\n"
      "atom.global.exch.b32 %r8, [%rd0], 0;"));
  m.wave = 8;
  const uint64_t at = m.words(2);
  const Ran ran = m.launch({40}, {1}, {at, 0});
  ASSERT_FALSE(ran.fault.has_value()) << ran.fault->message;
  EXPECT_EQ(m.download(at, 2), (std::vector<uint32_t>{0, 40}));
}

// Lane l needs l + 1 iterations of the first loop, and 32 - l of the second.
std::string two_loops(const std::string& load) {
  const auto loop = [&](const std::string& name, const std::string& last) {
    return "mov.u32 %r3, 0;\n" + name + ": " + load + " %r4, [%r9];\nadd.u32 %r3, %r3, 1;\nadd.u32 %r5, " + last +
           ", %r4;\nsetp.le.u32 %p1, %r3, %r5;\n@%p1 bra " + name + ";\n";
  };
  return kernel("mov.u32 %r9, word;\nst.shared.u32 [%r9], 0;\nbar.sync 0;\nsub.u32 %r10, 31, %r0;\n" +
                    loop("L", "%r0") + "st.global.u32 [%rd1], %r3;\n" + loop("M", "%r10") +
                    "st.global.u32 [%rd1+128], %r3;\n",
                ".shared .b32 word;\n");
}

// A lane that leaves the first loop goes through the second beside those that stay in the first.
TEST(Turns, LanesThatLeaveALoopWithAYieldRunOnAlone) {
  for (const bool yields : {false, true}) {
    Machine m(two_loops(yields ? "ld.volatile.shared.u32" : "ld.shared.u32"));
    const uint64_t at = m.words(64);
    const Ran ran = m.launch({1}, {32}, {at, 0});
    ASSERT_FALSE(ran.fault.has_value()) << ran.fault->message;
    const std::vector<uint32_t> out = m.download(at, 64);
    for (uint32_t l = 0; l < 32; ++l) {
      EXPECT_EQ(out[l], l + 1);
      EXPECT_EQ(out[32 + l], 32 - l);
    }
    std::vector<uint64_t> warps;
    for (const BlockCounts& b : ran.counts.blocks) warps.push_back(b.warps);
    std::ranges::sort(warps);
    // Each loop runs 32 times; with a YIELD, so does what is between them.
    EXPECT_EQ(warps.back(), 32U);
    EXPECT_EQ(warps[warps.size() - 3], yields ? 32U : 1U);
    EXPECT_FALSE(ran.took_turns);
  }
}

// Eight keys; lane l begins the inner loop at key l alone, and needs two iterations of it.
TEST(Turns, LanesThatComeToALoopMeetThoseInIt) {
  Machine m(
      kernel("mov.u32 %r9, word;\nst.shared.u32 [%r9], 0;\nbar.sync 0;\nmov.u32 %r3, 0;\n"
             "K: setp.ne.u32 %p1, %r3, %r0;\nmov.u32 %r5, 0;\n@%p1 bra N;\n"
             "L: ld.volatile.shared.u32 %r4, [%r9];\nadd.u32 %r5, %r5, 1;\nadd.u32 %r6, %r4, 1;\n"
             "setp.le.u32 %p2, %r5, %r6;\n@%p2 bra L;\n"
             "N: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p3, %r3, 8;\n@%p3 bra K;\nst.global.u32 [%rd1], %r3;\n",
             ".shared .b32 word;\n"));
  const uint64_t at = m.words(32);
  const Ran ran = m.launch({1}, {32}, {at, 0});
  ASSERT_FALSE(ran.fault.has_value()) << ran.fault->message;
  EXPECT_EQ(m.download(at, 32), std::vector<uint32_t>(32, 8));
  std::vector<uint64_t> warps;
  for (const BlockCounts& b : ran.counts.blocks) warps.push_back(b.warps);
  std::ranges::sort(warps, std::greater{});
  // The lane in the loop goes on with the others as soon as the next one comes to it: one pass more than keys, and one
  // of the last lane.
  EXPECT_EQ(warps[0], 10U);
  EXPECT_EQ(warps[1], 9U);
  EXPECT_EQ(warps[2], 9U);
}

// Two nested loops with a YIELD each; lane l needs l + 1 iterations of the inner one, and two of the outer one. What
// waits goes on in the order of the program: a lane that comes to the outer loop's beginning alone waits until the
// inner loop has had an iteration, and goes on with the next one that comes.
TEST(Turns, LanesMeetAtTheBeginningOfAnOuterLoop) {
  Machine m(
      kernel("mov.u32 %r9, word;\nst.shared.u32 [%r9], 0;\nbar.sync 0;\nmov.u32 %r3, 0;\n"
             "K: ld.volatile.shared.u32 %r4, [%r9];\nmov.u32 %r5, 0;\n"
             "L: ld.volatile.shared.u32 %r6, [%r9];\nadd.u32 %r5, %r5, 1;\nadd.u32 %r7, %r6, %r0;\n"
             "setp.le.u32 %p1, %r5, %r7;\n@%p1 bra L;\n"
             "add.u32 %r3, %r3, 1;\nadd.u32 %r8, %r4, 2;\nsetp.lt.u32 %p2, %r3, %r8;\n@%p2 bra K;\n"
             "st.global.u32 [%rd1], %r3;\n",
             ".shared .b32 word;\n"));
  const uint64_t at = m.words(4);
  const Ran ran = m.launch({1}, {4}, {at, 0});
  ASSERT_FALSE(ran.fault.has_value()) << ran.fault->message;
  EXPECT_EQ(m.download(at, 4), std::vector<uint32_t>(4, 2));
  std::vector<uint64_t> warps;
  for (const BlockCounts& b : ran.counts.blocks) warps.push_back(b.warps);
  // K: all lanes; 0 and 1; 2 and 3. L: all; 1 to 3; 2 and 3; all but 2; 1; three times 2 and 3; 3. Behind it: 0; 1; 2;
  // 0 and 3; 1; 2; 3.
  ASSERT_GE(warps.size(), 4U);
  EXPECT_EQ(std::vector<uint64_t>(warps.end() - 4, warps.end() - 1), (std::vector<uint64_t>{3, 9, 7}));
}

// What no other block writes keeps all workers busy.
TEST(Turns, BlocksThatShareNothingTakeNone) {
  // Each thread counts its own number down.
  Machine m(kernel(kOwnNumber + "L: ld.global.u32 %r3, [%rd10];\nsub.u32 %r4, %r3, 1;\nst.global.u32 [%rd10], %r4;\n"
                                "setp.ne.u32 %p1, %r4, 0;\n@%p1 bra L;"),
            with(4));
  const uint64_t at = m.upload(std::vector<uint32_t>(64 * 256, 9));
  const Ran ran = m.launch({64}, {256}, {at, 0});
  EXPECT_EQ(ran.workers, 4U);
  EXPECT_FALSE(ran.took_turns);
}

}  // namespace
}  // namespace drywarp::exec
