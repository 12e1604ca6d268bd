// Which launches get a time, and what the others are told.
#include "session/timer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "exec/engine.h"
#include "ir/build.h"
#include "session/kernel_resources.h"

namespace drywarp::session {
namespace {

// `main` calls `deep` through recursion `depth` times, so that it cannot be inlined.
constexpr const char* kPtx = R"(.version 8.0
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

class TimerTest : public ::testing::Test {
 protected:
  Timer::Timed run(uint32_t depth) {
    auto spec = device::load_device("h200");
    auto parsed = ir::parse_module(kPtx, "deep.ptx");
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
    request.grid = {2, 1, 1}, request.block = {64, 1, 1};
    request.parameters.resize(4);
    std::memcpy(request.parameters.data(), &depth, 4);
    Timer timer(*spec, TimeMode::Auto, "", [](const std::string&) {});
    request.trace = timer.plan(engine.describe(**loaded, request.function), request, -1);
    const exec::LaunchResult result = engine.launch(**loaded, request);
    EXPECT_FALSE(result.fault);
    return timer.time(request, result, -1);
  }
};

// What a kernel spends in functions that it really calls is not in its machine code.
TEST_F(TimerTest, NoTimeForCalledFunctions) {
  const Timer::Timed timed = run(3);
  EXPECT_EQ(timed.time, nullptr);
  EXPECT_NE(timed.reason.find("cannot be inlined"), std::string::npos) << timed.reason;
}

TEST_F(TimerTest, TimeWhereNoneIsReached) {
  const Timer::Timed timed = run(0);
  EXPECT_NE(timed.time, nullptr) << timed.reason;
}

}  // namespace
}  // namespace drywarp::session
