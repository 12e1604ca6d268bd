// The device's clock; waiting and memory reads outside loads: mbarriers signalled by copies, the mathematics library.
#include "machine.h"

namespace drywarp::exec {
namespace {

const std::string kWork = "add.u32 %r7, %r7, 1; ";
std::string times(const std::string& text, int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += text;
  return all;
}

TEST(Clock, CountsTheInstructionsBetweenTwoReadings) {
  for (bool counters : {true, false}) {
    std::vector<uint64_t> spans;
    for (int n : {10, 110, 1010}) {
      EngineOptions options = Machine::one_worker();
      options.counters = counters;
      Machine machine(kernel("mov.u32 %r7, 0; mov.u64 %rd4, %clock64;" + times(kWork, n) +
                             "mov.u64 %rd5, %clock64; sub.u64 %rd5, %rd5, %rd4; cvt.u32.u64 %r5, %rd5;"
                             "st.global.u32 [%rd1], %r5;"),
                      options);
      spans.push_back(machine.run({1, 1, 1}, {32, 1, 1})[0]);
    }
    EXPECT_EQ(spans[1] - spans[0], 100u);
    EXPECT_EQ(spans[2] - spans[1], 900u);
    EXPECT_GE(spans[0], 10u);
  }
}

TEST(Clock, LoopsAreCountedByIteration) {
  const std::string body =
      "mov.u32 %r7, 0; mov.u64 %rd4, %clock64;\nL: add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 1000;\n@%p1 bra L;"
      "mov.u64 %rd5, %clock64; sub.u64 %rd5, %rd5, %rd4; cvt.u32.u64 %r5, %rd5; st.global.u32 [%rd1], %r5;";
  Machine machine(kernel(body));
  const uint32_t span = machine.run({1, 1, 1}, {32, 1, 1})[0];
  EXPECT_GE(span, 3000u);
  EXPECT_LT(span, 3100u);
}

TEST(Clock, GlobaltimerIsNanosecondsOfTheDevicesClockAndGoesOn) {
  EngineOptions options = Machine::one_worker();
  options.clock_khz = 2'000'000;
  Machine machine(kernel("mov.u64 %rd4, %globaltimer; nanosleep.u32 5000; mov.u64 %rd5, %globaltimer;"
                         "sub.u64 %rd6, %rd5, %rd4; cvt.u32.u64 %r5, %rd6; setp.eq.u32 %p1, %r0, 0;"
                         "@!%p1 cvt.u32.u64 %r5, %rd5; st.global.u32 [%rd1], %r5;"),
                  options);
  const auto first = machine.run({1, 1, 1}, {32, 1, 1});
  EXPECT_GE(first[0], 5000u);
  EXPECT_LT(first[0], 5100u);
  const auto second = machine.run({1, 1, 1}, {32, 1, 1});
  EXPECT_GT(second[1], first[1]);
}

TEST(Clock, ALoopThatWaitsForItEnds) {
  Machine machine(
      kernel("mov.u64 %rd4, %clock64;\nL: mov.u64 %rd5, %clock64; sub.u64 %rd6, %rd5, %rd4;"
             "setp.lt.u64 %p1, %rd6, 3000000;\n@%p1 bra L;\nst.global.u32 [%rd1], 1;"));
  EXPECT_EQ(machine.run({2, 1, 1}, {32, 1, 1})[63], 1u);
}

TEST(AsyncCopy, ArrivalsWithoutIncrementCompleteThePhase) {
  Machine machine(kernel(
      ".shared .align 8 .b64 m; .shared .align 4 .b8 s[256]; setp.eq.u32 %p1, %r0, 0;"
      "@%p1 mbarrier.init.shared.b64 [m], 64; bar.sync 0; mov.u32 %r4, s; shl.b32 %r5, %r0, 2; add.u32 %r4, %r4, %r5;"
      "ld.param.u64 %rd2, [in]; mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd2, %rd3;"
      "cp.async.ca.shared.global [%r4], [%rd3], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [m];\n"
      "L: mbarrier.test_wait.parity.shared.b64 %p2, [m], 0;\n@!%p2 bra L;\n"
      "xor.b32 %r5, %r5, 252; mov.u32 %r4, s; add.u32 %r4, %r4, %r5; ld.shared.u32 %r6, [%r4]; st.global.u32 [%rd1], "
      "%r6;"));
  std::vector<uint32_t> in(64);
  for (uint32_t i = 0; i < 64; ++i) in[i] = i * 3;
  const auto out = machine.run({1, 1, 1}, {64, 1, 1}, machine.upload(in));
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], (63 - i) * 3);
}

TEST(Mathematics, ArraysAreCheckedElementByElement) {
  const std::string text = ".extern .func (.param .b32 r) __nv_normf (.param .b32 n, .param .b64 p);\n";
  const std::string body =
      ".param .b32 n; .param .b64 p; .param .b32 r; ld.param.u64 %rd2, [in]; setp.eq.u32 %p1, %r0, 3;"
      "selp.u32 %r5, 5, 4, %p1; st.param.b32 [n], %r5; st.param.b64 [p], %rd2; call (r), __nv_normf, (n, p);"
      "ld.param.f32 %f1, [r]; st.global.f32 [%rd1], %f1;";
  Machine machine(kernel(body, text));
  const uint64_t out = machine.words(32);
  std::vector<float> in(64, 0.0f);
  in[0] = 3, in[1] = 4, in[4] = 12;
  const uint64_t all = machine.upload(in);
  ASSERT_FALSE(machine.launch({1, 1, 1}, {32, 1, 1}, {out, all}).fault);
  EXPECT_EQ(machine.download<float>(out, 4)[2], 5.0f);
  EXPECT_EQ(machine.download<float>(out, 4)[3], 13.0f);
  const uint64_t end = all + 60 * sizeof(float);
  const Ran r = machine.launch({1, 1, 1}, {32, 1, 1}, {out, end});
  ASSERT_TRUE(r.fault);
  EXPECT_EQ(r.fault->kind, FaultKind::IllegalAddress);
  EXPECT_EQ(r.fault->thread.x, 3u);
  EXPECT_EQ(r.fault->address, all + 64 * sizeof(float));
}

}  // namespace
}  // namespace drywarp::exec
