// What racecheck does where it may remember no more: it says what it gave up, keeps the races that it has found, and
// invents none.
#include <fmt/format.h>

#include <algorithm>

#include "checked.h"
#include "engine/check/race_check.h"

namespace drywarp::check {
namespace {

// Two blocks of 64 threads; `out` has 4,096 words, `in` 256.
std::vector<Finding> find_within(const RaceLimits& limits, const std::string& body, unsigned workers = 1) {
  exec::EngineOptions options;
  options.workers = workers;
  exec::Machine machine(exec::kernel(body, ".shared .align 4 .b8 buffer[4096];\n"), options);
  const uint64_t out = machine.words(4096), in = machine.words(256);
  Checked checked = run_made([&](const CheckedLaunch& launch) { return std::make_unique<RaceCheck>(launch, limits); },
                             machine, {2}, {64}, {out, in});
  EXPECT_FALSE(checked.ran.fault) << (checked.ran.fault ? checked.ran.fault->message : "");
  return checked.findings;
}

Lines lines_of(const std::vector<Finding>& findings) {
  Lines lines;
  for (const Finding& f : findings) lines.push_back(fmt::format("{} @ {}", info(f.kind).key, f.where.instruction));
  std::ranges::sort(lines);
  return lines;
}

const Finding* note_of(const std::vector<Finding>& findings) {
  const auto found = std::ranges::find(findings, FindingKind::Incomplete, &Finding::kind);
  return found == findings.end() ? nullptr : &*found;
}

// Each thread stores 16 words, a line a warp each; then it loads another warp's first word, and the last one.
std::string many_lines() {
  std::string body = "mov.u32 %r9, buffer; shl.b32 %r8, %r0, 2; add.u32 %r9, %r9, %r8; xor.b32 %r6, %r9, 128;\n";
  for (unsigned i = 0; i < 16; ++i) body += fmt::format("st.shared.u32 [%r9+{}], %r0;\n", 256 * i);
  return body + "ld.shared.u32 %r7, [%r6];\nld.shared.u32 %r7, [%r6+3840];\n";
}

TEST(RaceLimits, RacesFoundBeforeTheBoundStayAndWhatIsGivenUpIsSaid) {
  const std::string body = many_lines();
  const std::string early = "read-write @ st.shared.u32 [%r9+0], %r0;";
  const std::string late = "read-write @ st.shared.u32 [%r9+3840], %r0;";
  EXPECT_EQ(lines_of(find_within({}, body)), (Lines{early, late}));
  const std::vector<Finding> bounded = find_within({.records = 8}, body);
  EXPECT_EQ(lines_of(bounded), (Lines{"incomplete @ st.shared.u32 [%r9+2048], %r0;", early}));
  const Finding* note = note_of(bounded);
  ASSERT_TRUE(note);
  EXPECT_NE(note->what.find("keeps 8 records of accesses"), std::string::npos) << note->what;
  EXPECT_GT(note->times, 20);
  EXPECT_EQ(find_within({.records = 8}, body, 3), bounded) << "on three threads";
}

TEST(RaceLimits, ALineHasItsOwnBound) {
  // 64 instructions store to one line of one block each: a record each.
  std::string body = "mov.u32 %r9, buffer; setp.eq.u32 %p1, %r0, 0; setp.eq.u32 %p2, %r0, 32;\n";
  for (unsigned i = 0; i < 32; ++i) body += fmt::format("@%p1 st.shared.u8 [%r9+{}], %r0;\n", i);
  body += "@%p2 ld.shared.u8 %r7, [%r9];\n@%p2 ld.shared.u8 %r7, [%r9+31];\n";
  const std::string first = "read-write @ @%p1 st.shared.u8 [%r9+0], %r0;";
  EXPECT_EQ(lines_of(find_within({}, body)), (Lines{first, "read-write @ @%p1 st.shared.u8 [%r9+31], %r0;"}));
  const std::vector<Finding> bounded = find_within({.in_list = 8}, body);
  EXPECT_EQ(lines_of(bounded), (Lines{"incomplete @ @%p1 st.shared.u8 [%r9+8], %r0;", first}));
}

TEST(RaceLimits, WordsThatAllBlocksWriteAreSampledTheSameWayOnAnyNumberOfThreads) {
  // Each block writes one value to all words: whichever are looked at, some of an instruction are among them.
  std::string body = "mov.u32 %r7, 7; mul.wide.u32 %rd8, %r0, 4; add.u64 %rd9, %rd0, %rd8;\n";
  for (unsigned i = 0; i < 16; ++i) body += fmt::format("st.global.u32 [%rd9+{}], %r7;\n", 256 * i);
  const auto all = find_within({}, body);
  EXPECT_EQ(all.size(), 16u);
  EXPECT_FALSE(note_of(all));
  const auto bounded = find_within({.same_writes = 200}, body);
  const Finding* note = note_of(bounded);
  ASSERT_TRUE(note) << fmt::format("{}", fmt::join(summary(bounded), "\n"));
  EXPECT_NE(note->what.find("one of 8 was compared"), std::string::npos) << note->what;
  EXPECT_GE(bounded.size(), 10u);
  EXPECT_EQ(find_within({.same_writes = 200}, body, 3), bounded) << "on three threads";
}

// The last block resets the count by a plain store: it has read from what the others added. If the reads are not
// remembered, the store races with nothing that is known.
TEST(RaceLimits, ReadsThatAreNotRememberedMakeNoFalseRace) {
  const std::string body = R"(
  setp.ne.u32 %p1, %r0, 0; @%p1 bra END;
  atom.global.add.u32 %r7, [%rd0], 1;
  atom.global.or.b32 %r8, [%rd0], 0;
  setp.ne.u32 %p2, %r7, 1; @%p2 bra END;
  st.global.u32 [%rd0], 0;
END:)";
  EXPECT_EQ(lines_of(find_within({}, body)), Lines());
  for (size_t records = 1; records < 4; ++records)
    for (const Finding& f : find_within({.records = records}, body))
      EXPECT_EQ(f.kind, FindingKind::Incomplete) << records << ": " << f.what;
}

// A lock that each thread takes once: their accesses to its word fill its list, which is looked through now and then,
// not at each access.
TEST(RaceLimits, AListThatStaysFullIsNotLookedThroughAtEachAccess) {
  const std::string body = R"(
  mov.u32 %r6, 0;
  NEXT: setp.ne.u32 %p1, %r6, %r0; @%p1 bra SKIP;
  TAKE: atom.global.cas.b32 %r7, [%rd0], 0, 1; setp.ne.u32 %p2, %r7, 0; @%p2 bra TAKE;
  membar.gl;
  ld.global.u32 %r8, [%rd0+4]; add.u32 %r8, %r8, 1; st.global.u32 [%rd0+4], %r8;
  membar.gl;
  atom.global.exch.b32 %r7, [%rd0], 0;
  SKIP: add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, 64; @%p3 bra NEXT;)";
  EXPECT_EQ(lines_of(find_within({}, body)), Lines());
  for (const Finding& f : find_within({.in_list = 64}, body)) EXPECT_EQ(f.kind, FindingKind::Incomplete) << f.what;
}

}  // namespace
}  // namespace drywarp::check
