// Which launches get a time, and the reasons of the others.
#include "cuda/launch/timer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "cuda/modules/kernel_resources.h"
#include "engine/exec/engine.h"
#include "language/ir/build/build.h"

namespace drywarp::cuda {
namespace {

// `main` calls `deep` through recursion `depth` times, so that it cannot be inlined.
constexpr const char* kTimedPtx = R"(.version 8.0
.target sm_90
.address_size 64
.func deep(.param .b32 depth) {
  .reg .pred %p<2>; .reg .b32 %r<3>;
  ld.param.u32 %r1, [depth];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  add.s32 %r2, %r1, -1;
  { .param .b32 next; st.param.b32 [next], %r2; call.uni deep, (next); }
DONE:
  ret;
}
.visible .entry main(.param .u32 depth) {
  .reg .pred %p<2>; .reg .b32 %r<2>;
  ld.param.u32 %r1, [depth];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  { .param .b32 first; st.param.b32 [first], %r1; call.uni deep, (first); }
DONE:
  ret;
}
)";

// The first 64 blocks run `depth` iterations, the others none: a grid that is larger than its data.
constexpr const char* kUneven = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry main(.param .u32 depth) {
  .reg .pred %p<3>; .reg .b32 %r<5>;
  mov.u32 %r2, %ctaid.x;
  setp.ge.u32 %p1, %r2, 64;
  @%p1 bra DONE;
  ld.param.u32 %r1, [depth];
  mov.u32 %r3, 0;
TURN:
  mad.lo.u32 %r3, %r3, %r2, %r1;
  add.s32 %r1, %r1, -1;
  setp.ne.u32 %p2, %r1, 0;
  @%p2 bra TURN;
  setp.eq.u32 %p2, %r3, 12345;
  @%p2 trap;
DONE:
  ret;
}
)";

class TimerTest : public ::testing::Test {
 protected:
  Timer::Outcome run(uint32_t depth, const std::string& ptx = kTimedPtx, uint32_t blocks = 2, bool time_line = true) {
    auto spec = device::load_device("h200");
    auto parsed = ir::parse_module(ptx, "main.ptx");
    if (!spec || !parsed) throw std::runtime_error("no device, or no module");
    const KernelResourceModel resources(*spec);
    exec::DeviceMemory memory(uint64_t{1} << 30);
    exec::EngineOptions options;
    exec::Engine engine(options, memory);
    auto loaded = engine.load(std::make_shared<const ir::Module>(std::move(*parsed)));
    if (!loaded) throw std::runtime_error(loaded.problem().to_string());
    exec::LaunchRequest request;
    request.function = exec::Engine::module_of(**loaded).find_function("main");
    request.grid = {blocks, 1, 1}, request.block = {64, 1, 1};
    request.parameters.resize(4);
    std::memcpy(request.parameters.data(), &depth, 4);
    Timer timer(*spec, TimeMode::Auto, "", "", false, false, time_line, [](const std::string&) {});
    const ir::Module& module = exec::Engine::module_of(**loaded);
    const auto parts = exec::Engine::parts(**loaded, request.function);
    const CompiledKernel kernel = resources.compile(module, parts, *exec::Engine::describe(**loaded, request.function));
    const Timer::Plan plan = timer.plan(kernel, request, -1);
    ObservedRun run = run_observed(engine, **loaded, *kernel.info, request, {plan.trace});
    const exec::LaunchResult& result = run.result;
    EXPECT_FALSE(result.fault);
    executed_ = 0;
    for (const BlockCounts& b : result.counts.blocks) executed_ = std::max(executed_, double(b.warps));
    Timer::Outcome timed = timer.time(plan, module, parts, request, run);
    kernel_ = kernel.info, request_ = request, run_ = run;
    return timed;
  }
  std::shared_ptr<const KernelInfo> kernel_;
  exec::LaunchRequest request_;
  ObservedRun run_;
  double executed_ = 0;  // executions of the hottest PTX block
};

// Each level takes as long as the one before, and the function's own instructions have their share.
TEST_F(TimerTest, CalledFunctionsTakeTime) {
  const Timer::Outcome few = run(3), many = run(13);
  ASSERT_NE(few.time, nullptr) << few.reason;
  ASSERT_NE(many.time, nullptr) << many.reason;
  const double cycles = many.time->summary.elapsed_cycles - few.time->summary.elapsed_cycles;
  EXPECT_GT(cycles, 10 * 60);
  EXPECT_LT(cycles, 10 * 600);
  // A CALL and a RET of each level, and what saves registers.
  const double issued = many.time->summary.warp_instructions - few.time->summary.warp_instructions;
  EXPECT_GE(issued, 10 * 10 * 2 * 2);  // levels, instructions, warps
  const auto in_function = std::ranges::find_if(kernel_->instructions, [](const InstructionInfo& i) {
    return i.text.find("add.s32") != std::string::npos;  // main has none
  });
  ASSERT_NE(in_function, kernel_->instructions.end());
  const auto index = static_cast<size_t>(in_function - kernel_->instructions.begin());
  ASSERT_LT(index, many.time->instructions.size());
  EXPECT_GE(many.time->instructions[index].issued, 13u * 4);
}

TEST_F(TimerTest, TimesLaunchesOnceWithoutATimeLine) {
  const Timer::Outcome both = run(3), alone = run(3, kTimedPtx, 2, false);
  ASSERT_NE(both.time, nullptr) << both.reason;
  ASSERT_NE(alone.time, nullptr) << alone.reason;
  EXPECT_NE(both.in_program, nullptr);
  EXPECT_EQ(alone.in_program, nullptr);
  EXPECT_EQ(alone.time->summary.duration_ns, both.time->summary.duration_ns);
}

TEST_F(TimerTest, TimeWhereNoneIsReached) {
  const Timer::Outcome timed = run(0);
  EXPECT_NE(timed.time, nullptr) << timed.reason;
}

// A few blocks do more than is recorded; the others must not be extrapolated from them.
TEST_F(TimerTest, BlocksThatDoNothingAreNotTakenToWork) {
  const Timer::Outcome timed = run(60000, kUneven, 20000);
  ASSERT_NE(timed.time, nullptr) << timed.reason;
  EXPECT_LT(timed.time->summary.warp_instructions, 8 * executed_);
  EXPECT_GT(timed.time->summary.warp_instructions, executed_);
}

// ---- which costs are taken away, so that advice can say what its cure gains

// A warp's lanes load 4 KiB apart.
constexpr const char* kHead = R"(.version 8.0
.target sm_90
.address_size 64
.global .align 4 .b8 buffer[4194304];
.shared .align 4 .b8 tile[8192];
.visible .entry main(.param .u32 depth) {
  .reg .b32 %r<6>; .reg .b64 %rd<5>; .reg .f32 %f<7>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.u32 %r3, %r1, 1024, %r2;
  mov.u64 %rd1, buffer;
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
)";

const std::string kUncoalesced = std::string(kHead) + R"(
  add.f32 %f2, %f1, %f1;
  st.global.f32 [%rd3], %f2;
  ret;
}
)";

// The same, and shared memory that a warp's lanes reach through one bank.
const std::string kTwoCosts = std::string(kHead) + R"(
  mov.u32 %r4, tile;
  mad.lo.u32 %r5, %r1, 128, %r4;
  st.shared.f32 [%r5], %f1;
  ld.volatile.shared.f32 %f2, [%r5];
  ld.volatile.shared.f32 %f3, [%r5];
  ld.volatile.shared.f32 %f4, [%r5];
  add.f32 %f5, %f2, %f3;
  add.f32 %f6, %f5, %f4;
  st.global.f32 [%rd3], %f6;
  ret;
}
)";

class GainQuestionsTest : public TimerTest {
 protected:
  void SetUp() override { launch(kUncoalesced); }
  void launch(const std::string& ptx) {
    const Timer::Outcome timed = run(0, ptx, 1024);
    ASSERT_NE(timed.time, nullptr) << timed.reason;
    time_ = timed.time;
  }
  std::vector<std::string> ask(GainQuestions& questions, double warp_instructions = 1e4) {
    std::vector<std::string> asked;
    for (const whatif::Question& q : questions.of(kernel_, request_, run_, *time_, warp_instructions))
      asked.push_back(q.text);
    return asked;
  }
  std::shared_ptr<const sm::LaunchTime> time_;
};

TEST_F(GainQuestionsTest, OfTheRulesThatFireOnce) {
  GainQuestions questions(true);
  const auto first = ask(questions);
  EXPECT_NE(std::ranges::find(first, "coalesced"), first.end());
  EXPECT_EQ(std::ranges::find(first, "no-bank-conflicts"), first.end());  // it accesses no shared memory
  EXPECT_TRUE(ask(questions).empty());
}

TEST_F(GainQuestionsTest, NoneIfUnwanted) {
  GainQuestions questions(false);
  EXPECT_TRUE(ask(questions).empty());
}

// Timing again costs as much as timing: what was timed before pays for it, beyond an allowance.
TEST_F(GainQuestionsTest, WithinABudgetOfWork) {
  launch(kTwoCosts);
  GainQuestions little(true), much(true);
  ASSERT_GE(ask(little, 1e4).size(), 2u);
  EXPECT_EQ(ask(much, 5e6).size(), 1u);  // 4e6 and 5e6 pay for one of 5e6 ...
  EXPECT_EQ(ask(much, 5e6).size(), 1u);  // ... and the next launch for another
}

}  // namespace
}  // namespace drywarp::cuda
