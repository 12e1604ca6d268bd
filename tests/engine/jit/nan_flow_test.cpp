#include "engine/jit/nan_flow.h"

#include <gtest/gtest.h>

#include "language/ir/build/build.h"

namespace drywarp::jit {
namespace {

TEST(NanFlow, FollowsArithmeticThroughMovesAndOmitsLoadedValues) {
  auto module = ir::parse_module(R"(
.version 8.0
.target sm_90
.address_size 64
.entry k()
{
  .reg .f32 loaded, copied, moved, sum, chosen;
  .reg .b32 word;
  .reg .pred p;
  .reg .b64 address;
  mov.b64 address, 0;
  mov.f32 moved, sum;
  ld.global.f32 loaded, [address];
  mov.f32 copied, loaded;
  add.f32 sum, loaded, loaded;
  setp.eq.f32 p, sum, sum;
  selp.f32 chosen, loaded, moved, p;
  mov.b32 word, sum;
  ret;
}
)",
                                 "nan_flow");
  ASSERT_TRUE(module) << module.problem().to_string();
  const ir::Function& function = module->functions.at(0);
  std::vector<bool> computed = computed_floats(function);
  for (size_t r = 0; r < function.registers.size(); ++r) {
    const std::string& name = function.registers[r].name;
    EXPECT_EQ(computed[r], name == "sum" || name == "moved" || name == "chosen") << name;
  }
}

}  // namespace
}  // namespace drywarp::jit
