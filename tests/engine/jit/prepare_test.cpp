// The analysis of a kernel before code generation.
#include <gtest/gtest.h>

#include "engine/jit/abi/kernel_code.h"
#include "engine/jit/emit/nan_flow.h"
#include "language/ir/build/build.h"

namespace drywarp::jit {
namespace {

bool order_sensitive(const std::string& body) {
  auto module = ir::parse_module(
      ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
      ".reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; ld.param.u64 %rd1, [p];\n" +
          body + "\nret;\n}\n",
      "t.ptx");
  EXPECT_TRUE(module.ok()) << module.problem().to_string();
  return module.ok() && analyse(*module, module->functions[module->find_function("k")]).order_sensitive;
}

TEST(OrderSensitive, IfTheOrderOfBlocksCanChangeResults) {
  EXPECT_TRUE(order_sensitive("atom.global.add.u32 %r1, [%rd1], 1; st.global.u32 [%rd1+4], %r1;"));
  EXPECT_TRUE(order_sensitive("atom.global.add.f32 %f1, [%rd1], 1.0;"));  // sums round
  EXPECT_TRUE(order_sensitive("red.global.add.f32 [%rd1], 1.0;"));
  EXPECT_TRUE(order_sensitive("atom.global.exch.b32 %r1, [%rd1], 1;"));
  EXPECT_TRUE(order_sensitive("atom.global.cas.b32 %r1, [%rd1], 1, 2;"));
  EXPECT_TRUE(order_sensitive("atom.add.u32 %r1, [%rd1], 1; st.global.u32 [%rd1+4], %r1;"));
  EXPECT_TRUE(order_sensitive("ld.volatile.global.u32 %r1, [%rd1];"));
}

TEST(OrderSensitive, NotIfTheOrderOfBlocksCannotChangeResults) {
  EXPECT_FALSE(order_sensitive("red.global.add.u32 [%rd1], 1;"));
  EXPECT_FALSE(order_sensitive("atom.global.add.u32 %r1, [%rd1], 1;"));  // %r1 is not read: clang's form of `red`
  EXPECT_FALSE(order_sensitive("atom.global.max.u32 %r1, [%rd1], 1;"));
  // A block's shared memory is its own.
  EXPECT_FALSE(order_sensitive("cvt.u32.u64 %r2, %rd1; atom.shared.add.u32 %r1, [%r2], 1; st.global.u32 [%rd1], %r1;"));
  EXPECT_FALSE(order_sensitive("cvt.u32.u64 %r2, %rd1; ld.volatile.shared.u32 %r1, [%r2]; st.global.u32 [%rd1], %r1;"));
}

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
