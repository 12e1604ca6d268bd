#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "checked.h"

namespace drywarp::check {
namespace {

const std::string kBuffer = ".shared .align 4 .b8 buffer[1024];\n";
// %r4 = the address of the thread's word, %r5 = buffer.
const std::string kMine = "mov.u32 %r5, buffer; shl.b32 %r4, %r0, 2; add.u32 %r4, %r4, %r5;\n";

std::vector<Finding> race_findings(const std::string& body) {
  const auto findings = find(CheckTool::Racecheck, kMine + body, kBuffer);
  EXPECT_EQ(find(CheckTool::Racecheck, kMine + body, kBuffer, 3), findings) << "on three threads";
  return findings;
}
// Without the times: how many conflicts are seen depends on the order of warps; whether one is, does not.
Lines races(const std::string& body) {
  Lines lines;
  for (const Finding& f : race_findings(body))
    lines.push_back(fmt::format("{} @ {}", info(f.kind).key, f.where.instruction));
  std::ranges::sort(lines);
  return lines;
}

TEST(RaceCheck, FindsNothingWhereABarrierOrders) {
  EXPECT_EQ(races("st.shared.u32 [%r4], %r0;\nbar.sync 0;\nxor.b32 %r6, %r4, 128;\nld.shared.u32 %r7, [%r6];\n"
                  "bar.sync 0;\nst.shared.u32 [%r4], %r7;"),
            Lines());
}

TEST(RaceCheck, FindsAReadOfAnotherWarpsWord) {
  const auto findings = race_findings("st.shared.u32 [%r4], %r0;\nxor.b32 %r6, %r4, 128;\nld.shared.u32 %r7, [%r6];");
  ASSERT_EQ(summary(findings), (Lines{"read-write x128 @ st.shared.u32 [%r4], %r0;"}));
  EXPECT_EQ(findings[0].other->where.instruction, "ld.shared.u32 %r7, [%r6];");
  EXPECT_NE(findings[0].thread, findings[0].other->thread);
}

// Whichever warp runs first: the reader is the first or the second.
TEST(RaceCheck, DoesNotDependOnTheOrderThatHappened) {
  for (const char* writer : {"0", "32"})
    EXPECT_EQ(races(fmt::format("setp.eq.u32 %p1, %r0, {};\n@%p1 st.shared.u32 [%r5], %r0;\n"
                                "@!%p1 ld.shared.u32 %r7, [%r5];",
                                writer)),
              (Lines{"read-write @ @%p1 st.shared.u32 [%r5], %r0;", "warp-level @ @%p1 st.shared.u32 [%r5], %r0;"}))
        << writer;
}

TEST(RaceCheck, FindsWarpSynchronousCode) {
  const std::string reduce = "st.shared.u32 [%r4], %r0;\n{}xor.b32 %r6, %r4, 4;\nld.shared.u32 %r7, [%r6];";
  EXPECT_EQ(races(fmt::format(fmt::runtime(reduce), "")), (Lines{"warp-level @ st.shared.u32 [%r4], %r0;"}));
  EXPECT_EQ(races(fmt::format(fmt::runtime(reduce), "bar.warp.sync 0xffffffff;\n")), Lines());
  // A shuffle orders no memory.
  EXPECT_EQ(races(fmt::format(fmt::runtime(reduce), "shfl.sync.bfly.b32 %r9, %r0, 4, 31, 0xffffffff;\n")),
            (Lines{"warp-level @ st.shared.u32 [%r4], %r0;"}));
}

// All lanes read what the first one has written: it does not race with itself.
TEST(RaceCheck, NamesTwoThreads) {
  const auto findings = race_findings(
      "setp.eq.u32 %p1, %r0, 0;\n@%p1 st.shared.u32 [%r5], %r0;\nsetp.lt.u32 %p2, %r0, 32;\n"
      "@%p2 ld.shared.u32 %r7, [%r5];");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].thread, (ThreadPlace{{0, 0, 0}, {0, 0, 0}}));
  EXPECT_EQ(findings[0].other->thread, (ThreadPlace{{0, 0, 0}, {1, 0, 0}}));
}

TEST(RaceCheck, TellsWritesOfOneValueApart) {
  EXPECT_EQ(races("mov.u32 %r6, 7;\nst.shared.u32 [%r5], %r6;"), (Lines{"same-value @ st.shared.u32 [%r5], %r6;"}));
  EXPECT_EQ(races("st.shared.u32 [%r5], %r0;")[0].substr(0, 11), "write-write");
}

TEST(RaceCheck, ComparesBytes) {
  EXPECT_EQ(races("add.u32 %r6, %r5, %r0;\nst.shared.u8 [%r6], %r0;"), Lines());
  EXPECT_EQ(races("add.u32 %r6, %r5, %r0; setp.lt.u32 %p1, %r0, 63;\n@%p1 st.shared.u8 [%r6+1], %r0;\n"
                  "st.shared.u8 [%r6], %r0;")[0]
                .substr(0, 11),
            "warp-level ");
}

TEST(RaceCheck, LetsAtomicsMeet) {
  EXPECT_EQ(races("atom.shared.add.u32 %r6, [%r5], 1;\nred.shared.add.u32 [%r5], 1;"), Lines());
  EXPECT_EQ(races("setp.eq.u32 %p1, %r0, 40;\n@%p1 ld.shared.u32 %r6, [%r5];\nred.shared.add.u32 [%r5], 1;"),
            (Lines{"read-write @ red.shared.add.u32 [%r5], 1;", "warp-level @ red.shared.add.u32 [%r5], 1;"}));
  // How a loop of compare-and-swaps begins.
  EXPECT_EQ(races("ld.shared.u32 %r6, [%r5];\natom.shared.cas.b32 %r7, [%r5], %r6, %r0;"),
            (Lines{"beside-swap @ atom.shared.cas.b32 %r7, [%r5], %r6, %r0;"}));
  // A flag of one warp that another one waits for.
  EXPECT_EQ(races("setp.eq.u32 %p1, %r0, 40;\n@%p1 st.volatile.shared.u32 [%r5], %r0;\n"
                  "setp.lt.u32 %p1, %r0, 32;\n@%p1 ld.volatile.shared.u32 %r6, [%r5];"),
            Lines());
}

TEST(RaceCheck, OrdersByNamedBarriers) {
  // Warp 1 produces, warp 0 consumes.
  const std::string body =
      "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra READ;\nst.shared.u32 [%r4], %r0;\n{}bra END;\n"
      "READ: {}ld.shared.u32 %r7, [%r4+128];\nEND:";
  EXPECT_EQ(races(fmt::format(fmt::runtime(body), "bar.arrive 3, 64;\n", "bar.sync 3, 64;\n")), Lines());
  EXPECT_EQ(races(fmt::format(fmt::runtime(body), "bar.sync 3, 32;\n", "bar.sync 4, 32;\n")),
            (Lines{"read-write @ st.shared.u32 [%r4], %r0;"}));
}

TEST(RaceCheck, OrdersByFencesWithAtomics) {
  // Thread 0 publishes word 1 by a flag in word 0; thread 32 waits for it.
  const std::string body = R"(
  setp.eq.u32 %p1, %r0, 0; setp.eq.u32 %p2, %r0, 32;
  @%p2 bra WAIT;
  @!%p1 bra END;
  st.shared.u32 [%r5+4], %r1;
  {}
  atom.shared.exch.b32 %r6, [%r5], 1;
  bra END;
WAIT:
  atom.shared.cas.b32 %r6, [%r5], 1, 1;
  setp.ne.u32 %p3, %r6, 1;
  @%p3 bra WAIT;
  {}
  ld.shared.u32 %r7, [%r5+4];
END:)";
  const auto with = [&](const char* before, const char* after) {
    std::string text = body;
    text.replace(text.find("{}"), 2, before);
    text.replace(text.find("{}"), 2, after);
    return races(text);
  };
  EXPECT_EQ(with("membar.cta;", "membar.cta;"), Lines());
  const Lines race{"read-write @ st.shared.u32 [%r5+4], %r1;"};
  EXPECT_EQ(with("", "membar.cta;"), race);
  EXPECT_EQ(with("membar.cta;", ""), race);
}

// Thread 0 publishes word 1 by 1, and word 2 by 4; thread 32 goes on at either, and knows of word 1 alone, although it
// has read the last one in this run.
TEST(RaceCheck, UnderstandsWaitsForOneOfTwoValues) {
  const std::string body = R"(
  mov.u32 %r9, 0; mov.u32 %r10, 4;
  setp.eq.u32 %p1, %r0, 0; setp.eq.u32 %p2, %r0, 32;
  @%p2 bra WAIT;
  @!%p1 bra END;
  st.shared.u32 [%r5+4], %r1;
  membar.cta;
  st.volatile.shared.u32 [%r5], 1;
  st.shared.u32 [%r5+8], %r1;
  membar.cta;
  st.volatile.shared.u32 [%r5], 4;
  bra END;
WAIT:
  ld.volatile.shared.u32 %r6, [%r5];
  {}
  membar.cta;
  ld.shared.u32 %r7, [%r5+{}];
END:)";
  const char* const waits[] = {"setp.eq.u32 %p3, %r6, 4;\n@%p3 bra GO;\nsetp.ne.u32 %p4, %r6, 1;\n@%p4 bra WAIT;\nGO:",
                               "setp.ne.u32 %p3, %r6, 4;\nsetp.ne.and.u32 %p4, %r6, 1, %p3;\n@%p4 bra WAIT;",
                               "setp.le.u32 %p3, %r6, %r9;\nsetp.gt.or.u32 %p4, %r6, %r10, %p3;\n@%p4 bra WAIT;"};
  for (const char* wait : waits) {
    EXPECT_EQ(races(fmt::format(fmt::runtime(body), wait, 4)), Lines()) << wait;
    EXPECT_EQ(races(fmt::format(fmt::runtime(body), wait, 8)), (Lines{"read-write @ st.shared.u32 [%r5+8], %r1;"}))
        << wait;
  }
}

// A flag that is the second element of a vector.
TEST(RaceCheck, ReleasesEachWordOfAnAccess) {
  const std::string body = R"(
  setp.eq.u32 %p1, %r0, 0; setp.eq.u32 %p2, %r0, 32;
  @%p2 bra WAIT;
  @!%p1 bra END;
  st.shared.u32 [%r5+4], %r1;
  {}
  st.volatile.shared.v2.u32 [%r5+8], {%r1, 1};
  bra END;
WAIT:
  ld.volatile.shared.u32 %r6, [%r5+12];
  setp.ne.u32 %p3, %r6, 1;
  @%p3 bra WAIT;
  membar.cta;
  ld.shared.u32 %r7, [%r5+4];
END:)";
  const auto with = [&](const char* fence) {
    std::string text = body;
    return races(text.replace(text.find("{}"), 2, fence));
  };
  EXPECT_EQ(with("membar.cta;"), Lines());
  EXPECT_EQ(with(""), (Lines{"read-write @ st.shared.u32 [%r5+4], %r1;"}));
}

// In global memory volatile accesses of the lanes of one warp are as those of any threads.
TEST(RaceCheck, TakesLanesToBeInStepInSharedMemoryAlone) {
  const auto in = [](const char* space, const char* address) {
    return races(fmt::format("xor.b32 %r6, %r0, 1;\nst.volatile.{0}.u32 [{1}], %r6;\nld.volatile.{0}.u32 %r7, [{1}];",
                             space, address));
  };
  const std::string store = "st.volatile.shared.u32 [%r5], %r6;";
  EXPECT_EQ(in("shared", "%r5"), (Lines{"warp-level @ " + store, "write-write @ " + store}));
  EXPECT_EQ(in("global", "%rd0"), Lines());
}

// A lock that is taken 8,000 times a block: what each of the releases adds is joined once, or this would take ten
// seconds.
TEST(RaceCheck, TakesLocksForLong) {
  const std::clock_t began = std::clock();
  EXPECT_EQ(races("and.b32 %r6, %r0, 31;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 st.shared.v2.u32 [%r5], {0, 0};\nbar.sync 0;\n"
                  "setp.ne.u32 %p1, %r6, 0;\n@%p1 bra END;\nmov.u32 %r7, 0;\n"
                  "TAKE: atom.shared.cas.b32 %r8, [%r5], 0, 1;\nsetp.ne.u32 %p2, %r8, 0;\n@%p2 bra TAKE;\nmembar.cta;\n"
                  "ld.shared.u32 %r9, [%r5+4];\nadd.u32 %r9, %r9, 1;\nst.shared.u32 [%r5+4], %r9;\nmembar.cta;\n"
                  "atom.shared.exch.b32 %r8, [%r5], 0;\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p3, %r7, 4000;\n"
                  "@%p3 bra TAKE;\nEND:"),
            Lines());
  EXPECT_LT(std::clock() - began, 6 * CLOCKS_PER_SEC);
}

TEST(RaceCheck, OrdersByBarrierObjects) {
  const std::string object = ".shared .align 8 .b8 object[8];\n" + kBuffer;
  const std::string body = kMine +
                           "mov.u32 %r8, object; setp.eq.u32 %p1, %r0, 0;\n"
                           "@%p1 mbarrier.init.shared.b64 [%r8], 64;\nbar.sync 0;\nst.shared.u32 [%r4], %r0;\n"
                           "mbarrier.arrive.shared.b64 %rd3, [%r8];\n"
                           "WAIT: mbarrier.try_wait.shared.b64 %p2, [%r8], %rd3;\n@!%p2 bra WAIT;\n"
                           "xor.b32 %r6, %r4, 128;\nld.shared.u32 %r7, [%r6];";
  EXPECT_EQ(summary(find(CheckTool::Racecheck, body, object)), Lines());
}

TEST(RaceCheck, LooksAtGlobalMemoryInsideABlock) {
  const std::string body =
      "st.global.u32 [%rd1], %r0;\n{}xor.b32 %r6, %r1, 32; mul.wide.u32 %rd4, %r6, 4;\n"
      "add.u64 %rd4, %rd0, %rd4;\nld.global.u32 %r7, [%rd4];";
  EXPECT_EQ(races(fmt::format(fmt::runtime(body), "bar.sync 0;\n")), Lines());
  const auto findings = race_findings(fmt::format(fmt::runtime(body), ""));
  ASSERT_EQ(summary(findings), (Lines{"read-write x128 @ st.global.u32 [%rd1], %r0;"}));
  EXPECT_EQ(findings[0].allocation->size, 1024);
}

TEST(RaceCheck, FindsRacesBetweenBlocks) {
  // Each thread of both blocks writes the word of its number in the block.
  const std::string mine = "mul.wide.u32 %rd4, %r0, 4; add.u64 %rd4, %rd0, %rd4;\n";
  const auto findings = race_findings(mine + "st.global.u32 [%rd4], %r1;");
  ASSERT_EQ(summary(findings), (Lines{"write-write x64 @ st.global.u32 [%rd4], %r1;"}));
  EXPECT_EQ(findings[0].thread, (ThreadPlace{{0, 0, 0}, {0, 0, 0}}));
  EXPECT_EQ(findings[0].other->thread, (ThreadPlace{{1, 0, 0}, {0, 0, 0}}));
  // One block writes what the other reads.
  EXPECT_EQ(races("st.global.u32 [%rd1], %r0;\nxor.b32 %r6, %r1, 64; mul.wide.u32 %rd4, %r6, 4;\n"
                  "add.u64 %rd4, %rd0, %rd4;\nld.global.u32 %r7, [%rd4];"),
            (Lines{"read-write @ st.global.u32 [%rd1], %r0;"}));
  EXPECT_EQ(races(mine + "red.global.add.u32 [%rd4], 1;"), Lines());
  EXPECT_EQ(races(mine + "ld.global.u32 %r7, [%rd4];"), Lines());
  // Neighbouring bytes of one word.
  EXPECT_EQ(races("mov.u32 %r6, %ctaid.x; cvt.u64.u32 %rd5, %r6; add.u64 %rd4, %rd0, %rd5; setp.eq.u32 %p1, %r0, 0;\n"
                  "@%p1 st.global.u8 [%rd4], %r6;"),
            Lines());
  // A fence alone orders nothing.
  EXPECT_EQ(races(mine + "st.global.u32 [%rd4], %r1;\nmembar.gl;"),
            (Lines{"write-write @ st.global.u32 [%rd4], %r1;"}));
}

}  // namespace
}  // namespace drywarp::check
