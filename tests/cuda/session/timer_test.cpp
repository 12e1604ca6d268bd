// Which launches get a time, and the reasons of the others.
#include "cuda/launch/timer.h"

#include <gtest/gtest.h>

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
  Timer::Outcome run(uint32_t depth, const char* ptx = kTimedPtx, uint32_t blocks = 2) {
    auto spec = device::load_device("h200");
    auto parsed = ir::parse_module(ptx, "main.ptx");
    if (!spec || !parsed) throw std::runtime_error("no device, or no module");
    const KernelResourceModel resources(*spec);
    exec::DeviceMemory memory(uint64_t{1} << 30);
    exec::EngineOptions options;
    options.resources = [&](const ir::Module& m, const ir::Function& f, KernelInfo& i) { resources.describe(m, f, i); };
    exec::Engine engine(options, memory);
    auto loaded = engine.load(std::make_shared<const ir::Module>(std::move(*parsed)));
    if (!loaded) throw std::runtime_error(loaded.problem().to_string());
    exec::LaunchRequest request;
    request.function = exec::Engine::module_of(**loaded).find_function("main");
    request.grid = {blocks, 1, 1}, request.block = {64, 1, 1};
    request.parameters.resize(4);
    std::memcpy(request.parameters.data(), &depth, 4);
    Timer timer(*spec, TimeMode::Auto, "", "", false, [](const std::string&) {});
    request.trace = timer.plan(engine.describe(**loaded, request.function), request, -1);
    const exec::LaunchResult result = engine.launch(**loaded, request);
    EXPECT_FALSE(result.fault);
    executed_ = 0;
    for (const BlockCounts& b : result.counts.blocks) executed_ = std::max(executed_, double(b.warps));
    return timer.time(request, result, -1);
  }
  double executed_ = 0;  // executions of the hottest PTX block
};

// Functions that are really called are not in a kernel's machine code.
TEST_F(TimerTest, NoTimeForCalledFunctions) {
  const Timer::Outcome timed = run(3);
  EXPECT_EQ(timed.time, nullptr);
  EXPECT_NE(timed.reason.find("cannot be inlined"), std::string::npos) << timed.reason;
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

}  // namespace
}  // namespace drywarp::cuda
