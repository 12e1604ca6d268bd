#include "cuda/modules/linker.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "language/ir/build/build.h"

namespace drywarp::cuda {
namespace {

const char* const kHeader = ".version 8.3\n.target sm_90\n.address_size 64\n";

std::string caller() {
  return std::string(kHeader) + R"(
.extern .func (.param .b32 r) helper(.param .b32 a);
.extern .global .align 4 .u32 shared_value;
.global .align 1 .b8 text[4] = {97, 0, 0, 0};
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  .param .b32 in; .param .b32 out;
  ld.global.u32 %r1, [shared_value];
  mov.u64 %rd1, text;
  st.param.b32 [in], %r1;
  call (out), helper, (in);
  ret;
}
)";
}

std::string callee() {
  return std::string(kHeader) + R"(
.visible .global .align 4 .u32 shared_value = 7;
.global .align 1 .b8 text[4] = {98, 0, 0, 0};
.visible .func (.param .b32 r) helper(.param .b32 a) {
  .reg .b32 %r<2>; .reg .b64 %rd<2>;
  mov.u64 %rd1, text;
  ld.param.b32 %r1, [a];
  st.param.b32 [r], %r1;
  ret;
}
)";
}

TEST(LinkPtx, OneUnitStaysAsItIs) { EXPECT_EQ(link_ptx({caller()}), caller()); }

TEST(LinkPtx, ExternalNamesMeetTheirDefinitions) {
  for (const auto& units : {std::vector{caller(), callee()}, std::vector{callee(), caller()}}) {
    const auto module = ir::parse_module(link_ptx(units), "linked");
    ASSERT_TRUE(module) << module.problem().to_string();
    const ir::SymbolId value = module->find_symbol("shared_value");
    ASSERT_NE(value, ir::kNone);
    EXPECT_FALSE(module->symbols[value].is_extern);
    EXPECT_EQ(module->symbols[value].initial[0], 7);
    const ir::FunctionId helper = module->find_function("helper");
    ASSERT_NE(helper, ir::kNone);
    EXPECT_FALSE(module->functions[helper].is_declaration);
  }
}

// The host registers variables by these names.
TEST(LinkPtx, PrivateNamesThatNvccMadeUniqueStay) {
  const std::string header = ".version 8.3\n.target sm_90\n.address_size 64\n";
  const std::string linked = link_ptx({header + ".global .align 4 .u32 __nv_static_23__a09c57ac_1_a_v;\n",
                                       header + ".const .align 4 .u32 __nv_static_23__b19c57ac_1_b_v;\n"});
  const auto module = ir::parse_module(linked, "linked");
  ASSERT_TRUE(module) << module.problem().to_string();
  EXPECT_NE(module->find_symbol("__nv_static_23__a09c57ac_1_a_v"), ir::kNone) << linked;
  EXPECT_NE(module->find_symbol("__nv_static_23__b19c57ac_1_b_v"), ir::kNone) << linked;
}

TEST(LinkPtx, PrivateNamesStayApart) {
  const auto module = ir::parse_module(link_ptx({caller(), callee()}), "linked");
  ASSERT_TRUE(module) << module.problem().to_string();
  std::vector<uint8_t> first_letters;
  for (const ir::Symbol& symbol : module->symbols)
    if (symbol.name.starts_with("text")) first_letters.push_back(symbol.initial.at(0));
  std::ranges::sort(first_letters);
  EXPECT_EQ(first_letters, (std::vector<uint8_t>{97, 98}));
}

}  // namespace
}  // namespace drywarp::cuda
