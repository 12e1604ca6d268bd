#include <fmt/format.h>

#include "checked.h"

namespace drywarp::check {
namespace {

constexpr const char* kObject = ".shared .align 8 .b64 m;";

// Of two blocks of 64 threads; %r0 is the thread, and `body` has the object's address in %r7.
std::vector<Finding> findings_of_object(const std::string& body) {
  const std::string code = "mov.u32 %r7, m;\n" + body;
  const auto one = find(CheckTool::Synccheck, code, kObject);
  EXPECT_EQ(find(CheckTool::Synccheck, code, kObject, 3), one) << "on three threads";
  return one;
}
Lines found_of_object(const std::string& body) { return summary(findings_of_object(body)); }

std::string init(int count) {
  return fmt::format(
      "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra READY;\nmbarrier.init.shared.b64 [%r7], {};\nREADY: bar.sync 0;\n", count);
}
constexpr const char* kArrive = "mbarrier.arrive.shared.b64 %rd5, [%r7];\n";
constexpr const char* kAwait = "WAIT: mbarrier.test_wait.shared.b64 %p2, [%r7], %rd5;\n@!%p2 bra WAIT;\n";

TEST(BarrierObjects, SoundUseIsNoFinding) {
  EXPECT_EQ(found_of_object(init(64) + kArrive + kAwait), Lines());
  // Several phases, a count, and an end before the next object in the same place.
  EXPECT_EQ(
      found_of_object(init(64) + "mov.u32 %r4, 0;\nAGAIN:\n" + kArrive + kAwait +
                      "add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 3;\n@%p3 bra AGAIN;\nbar.sync 0;\n"
                      "@%p1 bra DONE;\nmbarrier.inval.shared.b64 [%r7];\nmbarrier.init.shared.b64 [%r7], 2;\nDONE:"),
      Lines());
}

TEST(BarrierObjects, UsedWithoutInitialization) {
  EXPECT_EQ(found_of_object(kArrive),
            (Lines{"barrier-not-initialized x128 @ mbarrier.arrive.shared.b64 %rd5, [%r7];"}));
  const auto after =
      findings_of_object(init(64) + "@%p1 bra DONE;\nmbarrier.inval.shared.b64 [%r7];\nDONE: bar.sync 0;\n" + kArrive);
  EXPECT_EQ(summary(after), (Lines{"barrier-not-initialized x128 @ mbarrier.arrive.shared.b64 %rd5, [%r7];"}));
  EXPECT_EQ(after[0].what, "a thread arrives at a barrier object that mbarrier.inval has ended");
}

TEST(BarrierObjects, MoreArrivalsThanExpected) {
  const auto over = findings_of_object(init(16) + kArrive);
  EXPECT_EQ(summary(over), (Lines{"barrier-overflow x4 @ mbarrier.arrive.shared.b64 %rd5, [%r7];"}));
  EXPECT_EQ(over[0].what, "more than 16 arrivals at once, where the phase lacks 16 of 16");
  EXPECT_EQ(found_of_object(init(64) + "@%p1 bra DONE;\nmbarrier.arrive.shared.b64 %rd5, [%r7], 65;\nDONE:"),
            (Lines{"barrier-overflow x2 @ mbarrier.arrive.shared.b64 %rd5, [%r7], 65;"}));
}

TEST(BarrierObjects, CountsThatCannotBe) {
  EXPECT_EQ(found_of_object(init(0)), (Lines{"barrier-count x2 @ mbarrier.init.shared.b64 [%r7], 0;"}));
}

TEST(BarrierObjects, InitializedAgainOrInUse) {
  const std::string again = "bar.sync 0;\n@%p1 bra DONE;\nmbarrier.init.shared.b64 [%r7], 64;\nDONE:";
  EXPECT_EQ(found_of_object(init(64) + again),
            (Lines{"barrier-initialized-again x2 @ mbarrier.init.shared.b64 [%r7], 64;"}));
  const auto busy =
      findings_of_object(init(64) + "setp.lt.u32 %p4, %r0, 8;\n@!%p4 bra PAST;\n" + kArrive + "PAST:\n" + again);
  EXPECT_EQ(summary(busy), (Lines{"barrier-in-use x2 @ mbarrier.init.shared.b64 [%r7], 64;"}));
  EXPECT_EQ(busy[0].what, "it is initialized again while its phase lacks 56 of 64 arrivals");
}

TEST(BarrierObjects, OverwrittenByAStore) {
  EXPECT_EQ(
      found_of_object(init(64) + "@%p1 bra DONE;\nmov.u64 %rd6, 5;\nst.shared.u64 [%r7], %rd6;\nDONE: bar.sync 0;\n" +
                      kArrive),
      (Lines{"barrier-overwritten x128 @ mbarrier.arrive.shared.b64 %rd5, [%r7];"}));
}

std::string wait_for_parity(const char* parity, const char* label) {
  return fmt::format("{0}: mbarrier.test_wait.parity.shared.b64 %p2, [%r7], {1};\n@!%p2 bra {0};\n", label, parity);
}

TEST(BarrierObjects, WaitsByParity) {
  // Three phases, each waited for with its parity.
  const std::string begin = init(64) + "mov.u32 %r4, 0;\nAGAIN:\n" + kArrive;
  const std::string end = "add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 3;\n@%p3 bra AGAIN;\n";
  EXPECT_EQ(found_of_object(begin + "and.b32 %r5, %r4, 1;\n" + wait_for_parity("%r5", "WAIT") + end), Lines());
  // The first wait of who fills a buffer is for the phase before the first. A wait may come twice.
  EXPECT_EQ(found_of_object(init(64) + wait_for_parity("1", "FREE") + "bar.sync 0;\n" + kArrive +
                            wait_for_parity("0", "ONE") + wait_for_parity("0", "TWO") + "bar.sync 0;\n" + kArrive +
                            wait_for_parity("1", "THREE")),
            Lines());
}

TEST(BarrierObjects, WaitsForTheWrongParity) {
  // Before the object can have completed a phase.
  const auto early = findings_of_object(init(64) + kArrive + "mbarrier.test_wait.parity.shared.b64 %p2, [%r7], 1;\n");
  EXPECT_EQ(summary(early), (Lines{"barrier-parity x64 @ mbarrier.test_wait.parity.shared.b64 %p2, [%r7], 1;"}));
  EXPECT_EQ(early[0].what,
            "it arrived in phase 0, and parity 1 waits for phase -1, which is over: it waits for nothing");
  // Lanes 32 and on wait for two phases in which the others arrive, and keep the parity.
  const auto kept = findings_of_object(init(32) + "setp.lt.u32 %p4, %r0, 32;\n@!%p4 bra PAST;\n" + kArrive + "PAST:\n" +
                                       wait_for_parity("0", "ONE") + "bar.sync 0;\n" + wait_for_parity("0", "TWO") +
                                       "bar.sync 0;\n@!%p4 bra DONE;\n" + kArrive + "DONE:");
  EXPECT_EQ(summary(kept), (Lines{"barrier-parity x128 @ mbarrier.test_wait.parity.shared.b64 %p2, [%r7], 0;"}));
  EXPECT_EQ(
      kept[0].what,
      "it waits again for a phase that it has seen complete, and for no phase of the other parity, of 2 that have "
      "completed: its parity stays 0");
}

TEST(BarrierObjects, BytesOfAPhase) {
  const std::string one = init(1) + "@%p1 bra DONE;\n";
  EXPECT_EQ(found_of_object(one + "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r7], 1048575;\nDONE:"), Lines());
  const auto over = findings_of_object(one +
                                       "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r7], 1048575;\n"
                                       "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r7], 25;\nDONE:");
  EXPECT_EQ(summary(over), (Lines{"barrier-count x2 @ mbarrier.expect_tx.relaxed.cta.shared.b64 [%r7], 25;"}));
  EXPECT_EQ(over[0].what, "1048600 bytes are then to come in its phase: the count holds at most 1048575");
  EXPECT_EQ(found_of_object(one + "mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r7], 1048576;\nDONE:"),
            (Lines{"barrier-count x2 @ mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r7], 1048576;"}));
  // Bytes that come before they are expected count.
  EXPECT_EQ(found_of_object(one +
                            "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r7], 64;\n"
                            "mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r7], 64;\n" +
                            wait_for_parity("0", "WAIT") + "DONE:"),
            Lines());
}

TEST(BarrierObjects, WaitsInVainForEndedThreads) {
  const auto vain = findings_of_object(init(64) + "setp.ge.u32 %p4, %r0, 40;\n@%p4 exit;\n" + kArrive +
                                       "mbarrier.test_wait.parity.shared.b64 %p2, [%r7], 0;\n");
  EXPECT_EQ(summary(vain), (Lines{"barrier-abandoned x80 @ mbarrier.test_wait.parity.shared.b64 %p2, [%r7], 0;"}));
  EXPECT_EQ(vain[0].what,
            "it waits in vain for phase 0: the block's threads have ended, and its phase lacks 24 of 64 arrivals");
}

TEST(BarrierObjects, ADeadlockNamesTheObjectAndWhatItLacks) {
  exec::Machine machine(exec::kernel("mov.u32 %r7, m;\n" + init(65) + kArrive + kAwait, kObject), {});
  const auto ran = machine.launch({1}, {64}, {machine.words(4), machine.words(4)});
  ASSERT_TRUE(ran.fault);
  EXPECT_EQ(ran.fault->kind, exec::FaultKind::BarrierDeadlock);
  EXPECT_NE(
      ran.fault->message.find("64 of 64 threads wait at the barrier object at shared offset 0x0, in phase 0, which "
                              "lacks 1 of 65 arrivals, at "),
      std::string::npos)
      << ran.fault->message;
}

// Lanes of one warp wait for each other: lane 0 fills, the others empty, round by round.
TEST(BarrierObjects, LanesOfAWarpWaitForEachOther) {
  exec::Machine machine(
      exec::kernel(
          "mov.u32 %r7, m; mov.u32 %r4, 0; mov.u32 %r5, 0; setp.eq.u32 %p1, %r0, 0;\n"
          "@%p1 mbarrier.init.shared.b64 [%r7+8], 31;\n" +
              init(1) +
              "@%p1 bra EMPTY;\n"
              "FILL: mbarrier.arrive.shared.b64 %rd5, [%r7];\n"
              "FULL: mbarrier.test_wait.parity.shared.b64 %p2, [%r7+8], %r5;\n@!%p2 bra FULL;\n"
              "add.u32 %r4, %r4, 1; and.b32 %r5, %r4, 1; setp.lt.u32 %p3, %r4, 100;\n@%p3 bra FILL;\nbra DONE;\n"
              "EMPTY: mbarrier.test_wait.parity.shared.b64 %p2, [%r7], %r5;\n@!%p2 bra EMPTY;\n"
              "mbarrier.arrive.shared.b64 %rd5, [%r7+8]; add.u32 %r4, %r4, 1; and.b32 %r5, %r4, 1;"
              "setp.lt.u32 %p3, %r4, 100;\n@%p3 bra EMPTY;\nDONE: st.global.u32 [%rd1], %r4;",
          ".shared .align 8 .b64 m[2];"),
      exec::Machine::one_worker());
  const uint64_t out = machine.words(32);
  const auto ran = machine.launch({1}, {32}, {out, out});
  ASSERT_FALSE(ran.fault) << ran.fault->message;
  EXPECT_EQ(machine.download(out, 32), std::vector<uint32_t>(32, 100));
}

// Warp 0 has diverged: lanes wait at a barrier of the block, at an object, at another one; warp 1 waits for the first.
TEST(BarrierObjects, ADivergedWarpThatWaitsForItselfIsNamed) {
  const std::string body =
      "mov.u32 %r7, m; and.b32 %r5, %r0, 3; setp.ge.u32 %p4, %r0, 32;\n" + init(64) +
      "@%p4 mov.u32 %r5, 0; setp.eq.u32 %p1, %r5, 1;\n@%p1 bra BLOCK;\nsetp.eq.u32 %p1, %r5, 2;\n@%p1 bra ENDS;\n" +
      kArrive + kAwait + "bra DONE;\nBLOCK: bar.sync 0;\nbra DONE;\nENDS: nanosleep.u32 20;\nDONE:";
  exec::Machine machine(exec::kernel(body, kObject), exec::Machine::one_worker());
  const auto ran = machine.launch({2}, {64}, {machine.words(4), machine.words(4)});
  ASSERT_TRUE(ran.fault);
  EXPECT_EQ(ran.fault->kind, exec::FaultKind::BarrierDeadlock);
  for (const char* part : {"48 of 64 threads wait at the barrier object at shared offset 0x0, in phase 0, which lacks "
                           "16 of 64 arrivals, at ",
                           "8 of 64 threads wait at the barrier at ", "8 of 64 threads have ended"})
    EXPECT_NE(ran.fault->message.find(part), std::string::npos) << part << "\n" << ran.fault->message;
}

// A loop that gives up by the clock waits for nobody.
TEST(BarrierObjects, AWaitWithATimeLimitEnds) {
  exec::Machine machine(
      exec::kernel(
          "mov.u32 %r7, m;\n" + init(65) + kArrive +
              "mov.u64 %rd4, %clock64;\nWAIT: mbarrier.test_wait.shared.b64 %p2, [%r7], %rd5;\n@%p2 bra DONE;\n"
              "mov.u64 %rd6, %clock64; sub.u64 %rd6, %rd6, %rd4; setp.lt.u64 %p3, %rd6, 1000000;\n"
              "@%p3 bra WAIT;\nDONE:",
          kObject),
      exec::Machine::one_worker());
  const auto ran = machine.launch({1}, {64}, {machine.words(4), machine.words(4)});
  EXPECT_FALSE(ran.fault) << ran.fault->message;
}

}  // namespace
}  // namespace drywarp::check
