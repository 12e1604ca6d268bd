// Every way in which a kernel can stop, and its message.
#include <fmt/format.h>

#include <thread>

#include "machine.h"

namespace drywarp::exec {
namespace {

using ::testing::Test;

Fault fault_of(const std::string& text, Dim3 grid, Dim3 block, EngineOptions options = Machine::one_worker(),
               size_t words = 64) {
  Machine machine(text, std::move(options));
  const uint64_t out = machine.words(words);
  const Ran result = machine.launch(grid, block, {out, out});
  EXPECT_TRUE(result.fault.has_value());
  return result.fault.value_or(Fault{});
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Faults, WritePastTheEndNamesThreadPlaceAndDistance) {
  Machine machine(kernel("st.global.u32 [%rd1], %r1;"));
  const uint64_t out = machine.words(40);
  const Ran result = machine.launch({2, 1, 1}, {32, 1, 1}, {out, 0});
  ASSERT_TRUE(result.fault.has_value());
  const Fault& f = *result.fault;
  EXPECT_EQ(f.kind, FaultKind::IllegalAddress);
  EXPECT_EQ(f.block, (Dim3{1, 0, 0}));
  ASSERT_TRUE(f.has_thread);
  EXPECT_EQ(f.thread, (Dim3{8, 0, 0}));
  ASSERT_TRUE(f.has_address);
  EXPECT_EQ(f.address, out + 160);
  EXPECT_EQ(f.instruction, "st.global.u32 [%rd1], %r1;");
  EXPECT_EQ(f.location.line, 13u);
  EXPECT_EQ(f.kernel, "k");
  EXPECT_TRUE(has(f.message, "invalid global write of 4 bytes")) << f.message;
  EXPECT_TRUE(has(f.message, "0 bytes past the end of a device allocation of 160 bytes")) << f.message;
}

TEST(Faults, NullPointer) {
  const Fault f = fault_of(kernel("mov.u64 %rd3, 0; ld.global.u32 %r5, [%rd3]; st.global.u32 [%rd1], %r5;"), {}, {});
  EXPECT_EQ(f.kind, FaultKind::IllegalAddress);
  EXPECT_EQ(f.address, 0u);
  EXPECT_TRUE(has(f.message, "null pointer")) << f.message;
}

TEST(Faults, UseAfterFree) {
  Machine machine(kernel("ld.param.u64 %rd3, [in]; ld.global.u32 %r5, [%rd3+8]; st.global.u32 [%rd1], %r5;"));
  const uint64_t out = machine.words(32), gone = machine.words(32);
  ASSERT_TRUE(machine.memory().free(gone));
  const Ran result = machine.launch({}, {32, 1, 1}, {out, gone});
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::IllegalAddress);
  EXPECT_TRUE(has(result.fault->message, "has been freed")) << result.fault->message;
}

TEST(Faults, Misaligned) {
  const Fault f = fault_of(kernel("ld.global.u32 %r5, [%rd0+2]; st.global.u32 [%rd1], %r5;"), {}, {});
  EXPECT_EQ(f.kind, FaultKind::MisalignedAddress);
  EXPECT_TRUE(has(f.message, "misaligned global read of 4 bytes")) << f.message;
  const Fault vector = fault_of(kernel("st.global.v4.u32 [%rd0+8], {%r0, %r0, %r0, %r0};"), {}, {});
  EXPECT_EQ(vector.kind, FaultKind::MisalignedAddress);
}

TEST(Faults, SharedAndLocalOutOfRange) {
  const Fault shared = fault_of(kernel(".shared .align 4 .b8 s[64]; mov.u32 %r5, s; shl.b32 %r6, %r0, 2;"
                                       "add.u32 %r5, %r5, %r6; st.shared.u32 [%r5], %r0;"),
                                {}, {32, 1, 1});
  EXPECT_EQ(shared.kind, FaultKind::SharedOutOfRange);
  EXPECT_EQ(shared.thread, (Dim3{16, 0, 0}));
  EXPECT_EQ(shared.address, 64u);
  const Fault local = fault_of(kernel(".local .align 4 .b8 l[16]; mov.u64 %rd3, l; mul.wide.u32 %rd4, %r0, 4096;"
                                      "add.u64 %rd3, %rd3, %rd4; st.local.u32 [%rd3], %r0; ld.local.u32 %r7, [%rd3];"
                                      "st.global.u32 [%rd1], %r7;"),
                               {}, {32, 1, 1});
  EXPECT_EQ(local.kind, FaultKind::SharedOutOfRange);
}

// With stray accesses each thread has more memory of its own beside its local memory; further away an index reads 0,
// and a pointer is none of its memory.
TEST(Faults, LocalMemoryIsEachThreadsOwn) {
  const auto run = [](const char* space, const char* generic, int64_t offset, bool by_lane) {
    EngineOptions options = Machine::one_worker();
    options.stray_accesses = true;
    const std::string place = by_lane ? "mul.wide.u32 %rd4, %r0, 4;" : "mov.u64 %rd4, 0;";
    Machine machine(kernel(fmt::format(".local .align 4 .b8 l[20]; mov.u64 %rd3, l; {1}{2}"
                                       "add.u64 %rd3, %rd3, %rd4; st{0}.u32 [%rd3+{3}], %r0;"
                                       "ld{0}.u32 %r7, [%rd3+{3}]; st.global.u32 [%rd1], %r7;",
                                       space, generic, place, offset)),
                    options);
    const uint64_t out = machine.words(64);
    const Ran result = machine.launch({1, 1, 1}, {64, 1, 1}, {out, out});
    if (result.fault) return std::string(by_lane ? "fault" : "fault of one offset");
    const std::vector<uint32_t> values = machine.download(out, 64);
    uint32_t own = 0, zeros = 0;
    for (uint32_t i = 0; i < 64; ++i) own += values[i] == i ? 1 : 0, zeros += values[i] == 0 ? 1 : 0;
    const auto strays = result.counts.stray_accesses.size();
    return fmt::format("{}{}", own == 64 ? "own" : zeros == 64 ? "0" : "others", strays != 0 ? "" : ", without a word");
  };
  const char* const cvta = "cvta.local.u64 %rd3, %rd3;";
  for (const bool by_lane : {false, true}) {
    // The last lane's is 252 bytes further on.
    EXPECT_EQ(run(".local", "", 20, by_lane), "own");
    EXPECT_EQ(run("", cvta, 20, by_lane), "own");
    EXPECT_EQ(run(".local", "", -960, by_lane), "own");
    EXPECT_EQ(run("", cvta, -960, by_lane), "own");
    EXPECT_EQ(run(".local", "", 4096, by_lane), "0");
    EXPECT_EQ(run(".local", "", -4096, by_lane), "0");
  }
  EXPECT_EQ(run(".local", "", 16, false), "own, without a word");
  EXPECT_EQ(run("", cvta, 16, false), "own, without a word");
  EXPECT_EQ(run("", cvta, 588, false), "own");
  EXPECT_EQ(run("", cvta, 596, false), "fault of one offset");
  EXPECT_EQ(run("", cvta, -964, false), "fault of one offset");
}

TEST(Faults, WriteToConstantMemory) {
  const Fault f = fault_of(kernel("mov.u64 %rd3, c; cvta.const.u64 %rd3, %rd3; st.u32 [%rd3], %r0;",
                                  ".visible .const .align 4 .u32 c = 1;\n"),
                           {}, {});
  EXPECT_EQ(f.kind, FaultKind::IllegalAddress);
  EXPECT_TRUE(has(f.message, "constant memory")) << f.message;
}

TEST(Faults, TrapAndBadBranchIndex) {
  const Fault trap = fault_of(kernel("setp.eq.u32 %p1, %r0, 5; @%p1 trap;"), {}, {32, 1, 1});
  EXPECT_EQ(trap.kind, FaultKind::Trap);
  EXPECT_EQ(trap.thread, (Dim3{5, 0, 0}));
  const Fault index = fault_of(kernel("T: .branchtargets A, B; brx.idx %r0, T; A: ret; B:"), {}, {32, 1, 1});
  EXPECT_EQ(index.kind, FaultKind::IllegalInstruction);
}

TEST(Faults, BarrierThatOthersNeverReach) {
  // One warp waits at barrier 0, the other at barrier 1: neither can complete.
  const Fault f =
      fault_of(kernel("setp.lt.u32 %p1, %r0, 32; @%p1 bra A; bar.sync 1; bra E; A: bar.sync 0; E:"), {}, {64, 1, 1});
  EXPECT_EQ(f.kind, FaultKind::BarrierDeadlock);
  EXPECT_TRUE(has(f.message, "32 of 64 threads wait at the barrier at")) << f.message;
}

const std::string kRecursion = R"(.func (.param .u32 r) down(.param .u32 n) {
  .reg .b32 %r<9>; .reg .pred %p<2>; .local .align 8 .b8 pad[256]; .reg .b64 %rd<3>;
  ld.param.u32 %r1, [n]; mov.u64 %rd1, pad; st.local.u32 [%rd1+8], %r1; mov.u32 %r4, 0;
  setp.eq.u32 %p1, %r1, 0; @%p1 bra E; sub.u32 %r2, %r1, 1;
  { .param .u32 a; .param .u32 b; st.param.u32 [a], %r2; call.uni (b), down, (a); ld.param.u32 %r3, [b]; }
  ld.local.u32 %r4, [%rd1+8]; add.u32 %r4, %r4, %r3;
E: st.param.u32 [r], %r4; ret;
}
)";

TEST(Faults, RecursionHasItsResultAndItsEnd) {
  const std::string text = kernel(
      "ld.param.u64 %rd3, [in]; ld.global.u32 %r5, [%rd3]; and.b32 %r6, %r0, 3; add.u32 %r5, %r5, %r6;"
      "{ .param .u32 a; .param .u32 b; st.param.u32 [a], %r5; call.uni (b), down, (a); ld.param.u32 %r7, [b]; }"
      "st.global.u32 [%rd1], %r7;",
      kRecursion);
  Machine machine(text);
  const uint64_t depth = machine.upload(std::vector<uint32_t>{6});
  const auto out = machine.run({2, 1, 1}, {40, 1, 1}, depth);
  for (uint32_t i = 0; i < out.size(); ++i) {
    const uint32_t n = 6 + i % 40 % 4;
    EXPECT_EQ(out[i], n * (n + 1) / 2) << i;
  }
  const uint64_t deep = machine.upload(std::vector<uint32_t>{100000000});
  for (int again = 0; again < 2; ++again) {
    const Ran result = machine.launch({}, {32, 1, 1}, {machine.words(32), deep});
    ASSERT_TRUE(result.fault.has_value());
    EXPECT_EQ(result.fault->kind, FaultKind::StackOverflow) << result.fault->message;
  }
  // ... after which the same stacks are reused.
  EXPECT_EQ(machine.run({}, {4, 1, 1}, depth)[0], 21u);
}

TEST(Faults, TheLowestBlockIsReportedOnAnyNumberOfWorkers) {
  // Blocks 17 and up write outside; later ones are reached first by other workers.
  const std::string text = kernel(
      "mov.u32 %r5, %ctaid.x; setp.lt.u32 %p1, %r5, 17; mov.u32 %r6, 0; @!%p1 bra W;"
      "L: add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 2000; @%p2 bra L; ret; W: st.global.u32 [%rd0+4096], %r6;");
  for (unsigned workers : {1u, 2u, 4u})
    for (int again = 0; again < 10; ++again) {
      EngineOptions options;
      options.workers = workers;
      const Fault f = fault_of(text, {200, 1, 1}, {32, 1, 1}, options);
      EXPECT_EQ(f.kind, FaultKind::IllegalAddress);
      EXPECT_EQ(f.block, (Dim3{17, 0, 0})) << workers;
      EXPECT_EQ(f.thread, (Dim3{0, 0, 0}));
    }
}

const std::string kEndless = kernel("mov.u32 %r5, 0; L: add.u32 %r5, %r5, 1; bra L;");

TEST(Faults, TimeLimitStopsAnEndlessLoop) {
  for (unsigned workers : {1u, 2u}) {
    EngineOptions options;
    options.workers = workers;
    options.timeout_seconds = 0.2;
    const Fault f = fault_of(kEndless, {4, 1, 1}, {64, 1, 1}, options);
    EXPECT_EQ(f.kind, FaultKind::Timeout);
    EXPECT_TRUE(has(f.message, "longer than 0.2 seconds")) << f.message;
  }
}

TEST(Faults, TimeLimitNamesWhereTheWarpsAre) {
  EngineOptions options;
  options.timeout_seconds = 3;  // also that of compiling the kernel, on a busy machine
  // Warps 1 and 2 wait at the barrier, warp 3 has ended, warp 0 loops.
  const Fault f = fault_of(kernel("mov.u32 %r5, %tid.x; setp.ge.u32 %p1, %r5, 96; @%p1 ret;\n"
                                  "setp.ge.u32 %p1, %r5, 32; @%p1 bra B;\n"
                                  "L: ld.volatile.global.u32 %r6, [%rd0]; setp.ne.u32 %p2, %r6, 77; @%p2 bra L;\n"
                                  "B: bar.sync 0; ret;"),
                           {1, 1, 1}, {128, 1, 1}, options);
  EXPECT_EQ(f.kind, FaultKind::Timeout);
  EXPECT_TRUE(has(f.message, "with 0 of 1 block done\nwarps of block (0,0,0): ")) << f.message;
  for (const char* part : {"2 at the barrier of t.ptx:", "1 at the end", "1 at t.ptx:"})
    EXPECT_TRUE(has(f.message, part)) << f.message;
}

TEST(Faults, TimeLimitStopsBetweenBlocks) {
  for (unsigned workers : {1u, 2u}) {
    EngineOptions options;
    options.workers = workers;
    options.timeout_seconds = 1;
    const Fault f = fault_of(kernel("ret;"), {2147483647, 1, 1}, {32, 1, 1}, options);
    EXPECT_EQ(f.kind, FaultKind::Timeout);
    EXPECT_TRUE(has(f.message, " of 2147483647 blocks done")) << f.message;
  }
}

TEST(Faults, InterruptFromAnotherThread) {
  EngineOptions options;
  options.workers = 2;
  options.timeout_seconds = 60;
  Machine machine(kEndless, options);
  const uint64_t out = machine.words(1);
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over) {
      machine.engine().interrupt();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  const Ran result = machine.launch({4, 1, 1}, {64, 1, 1}, {out, 0});
  over = true;
  other.join();
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::Interrupted);
}

}  // namespace
}  // namespace drywarp::exec
