// From which variable of shared memory an address is computed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "language/analysis/passes.h"
#include "ptx_kernel.h"

namespace drywarp::analysis {
namespace {

// Of the accesses to shared or generic memory, in order: the name of the variable, "-" where it is not known.
std::vector<std::string> variables(const std::string& body) {
  const PtxKernel k(".visible .entry k(.param .u64 p) {\n.shared .align 4 .b8 a[64];\n.shared .align 4 .b8 b[64];\n",
                    ".reg .pred %p<5>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n" + body);
  const SharedVariables found = shared_variables(k.module, std::array{CalledCode{0, &k.f}})[0];
  std::vector<std::string> names;
  for (size_t i = 0; i < k.f.instructions.size(); ++i) {
    const ir::Instruction& in = k.f.instructions[i];
    if (!in.address || in.mods.space == AddressSpace::Param || in.mods.space == AddressSpace::Global) continue;
    names.push_back(found.accessed[i] == ir::kNone ? "-" : k.module.symbols[found.accessed[i]].name);
  }
  return names;
}
using Names = std::vector<std::string>;

TEST(SharedVariables, AddressesAreFollowedThroughArithmetic) {
  EXPECT_EQ(variables("st.shared.u32 [a+4], 1; mov.u32 %r1, b; st.shared.u32 [%r1], 1;"), (Names{"a", "b"}));
  EXPECT_EQ(variables("mov.u32 %r1, a; ld.shared.u32 %r2, [b]; shl.b32 %r3, %r2, 2; add.u32 %r4, %r3, %r1;\n"
                      "sub.u32 %r5, %r4, 8; st.shared.u32 [%r5], 1;"),
            (Names{"b", "a"}));
  EXPECT_EQ(variables("mov.u32 %r1, %tid.x; mov.u32 %r2, b; mad.lo.u32 %r3, %r1, 4, %r2; and.b32 %r4, %r3, -16;\n"
                      "st.shared.u32 [%r4], 1; mov.u64 %rd1, a; cvta.shared.u64 %rd2, %rd1; st.u32 [%rd2+60], 2;"),
            (Names{"b", "a"}));
}

TEST(SharedVariables, LoopsKeepTheVariable) {
  EXPECT_EQ(variables("mov.u32 %r1, a;\nL: add.u32 %r1, %r1, 4; st.shared.u32 [%r1], 1;\n"
                      "mov.u32 %r3, a; sub.u32 %r2, %r1, %r3; setp.lt.u32 %p1, %r2, 60; @%p1 bra L;\n"
                      "add.u32 %r5, %r2, %r3; ld.shared.u32 %r6, [%r5];"),
            (Names{"a", "a"}));
}

TEST(SharedVariables, EitherOfTwoIsNotKnown) {
  const std::string both = "mov.u32 %r1, a; mov.u32 %r2, b; mov.u32 %r3, %tid.x; setp.eq.u32 %p1, %r3, 0;\n";
  EXPECT_EQ(variables(both + "selp.b32 %r4, %r1, %r2, %p1; st.shared.u32 [%r4], 1;"), (Names{"-"}));
  EXPECT_EQ(variables(both + "mov.u32 %r4, %r1; @%p1 mov.u32 %r4, %r2; st.shared.u32 [%r4], 1;"), (Names{"-"}));
  EXPECT_EQ(variables(both + "sub.u32 %r4, %r2, %r1; add.u32 %r5, %r1, %r4; st.shared.u32 [%r5], 1;"), (Names{"-"}));
  EXPECT_EQ(variables(both + "xor.b32 %r4, %r1, %r3; st.shared.u32 [%r4], 1;"), (Names{"-"}));
}

// Of a function f(p) that stores through its parameter and gives it back: the variable of that store, and those of the
// kernel's accesses. `calls` calls it, and may use %rd1 and the results %rd5 and %rd6.
std::vector<std::string> with_calls(const std::string& calls) {
  const PtxKernel k(
      ".func (.param .b64 result) f(.param .b64 p) {\n.reg .b64 %x<3>;\nld.param.u64 %x0, [p];\n"
      "st.u32 [%x0+4], 1;\nst.param.b64 [result], %x0;\nret;\n}\n"
      ".visible .entry k(.param .u64 p) {\n.shared .align 4 .b8 a[64];\n.shared .align 4 .b8 b[64];\n",
      ".reg .b64 %rd<9>;\nmov.u64 %rd1, a;\ncvta.shared.u64 %rd1, %rd1;\nmov.u64 %rd2, b;\n"
      "cvta.shared.u64 %rd2, %rd2;\n" +
          calls);
  const ir::FunctionId f = k.module.find_function("f"), kernel = k.module.find_function("k");
  const std::array parts{CalledCode{kernel, &k.module.functions[kernel]}, CalledCode{f, &k.module.functions[f]}};
  const std::vector<SharedVariables> found = shared_variables(k.module, parts);
  std::vector<std::string> names;
  for (const size_t part : {1, 0})
    for (size_t i = 0; i < parts[part].code->instructions.size(); ++i) {
      const ir::Instruction& in = parts[part].code->instructions[i];
      if (!in.address || in.mods.space != AddressSpace::Generic) continue;
      const ir::SymbolId accessed = found[part].accessed[i];
      names.push_back(accessed == ir::kNone ? "-" : k.module.symbols[accessed].name);
    }
  return names;
}
std::string call_with(const std::string& argument, const std::string& result) {
  return fmt::format(
      "{{ .param .b64 x; .param .b64 z; st.param.b64 [x], {}; call (z), f, (x); ld.param.b64 {}, [z]; }}\n", argument,
      result);
}

TEST(SharedVariables, AddressesAreFollowedIntoFunctionsAndBack) {
  EXPECT_EQ(with_calls(call_with("%rd1", "%rd5") + "st.u32 [%rd5], 1;"), (Names{"a", "a"}));
  EXPECT_EQ(with_calls("add.s64 %rd3, %rd2, 8;\n" + call_with("%rd3", "%rd5") + "st.u32 [%rd5], 1;"),
            (Names{"b", "b"}));
  EXPECT_EQ(with_calls(call_with("%rd1", "%rd5") + call_with("%rd2", "%rd6") + "st.u32 [%rd5], 1;"), (Names{"-", "-"}));
  EXPECT_EQ(with_calls(call_with("17", "%rd5") + "st.u32 [%rd5], 1;"), (Names{"-", "-"}));
  // Through a pointer, any function that fits may be called.
  const auto through_pointer = [](const std::string& argument) {
    return "mov.u64 %rd7, f;\n{ .param .b64 x; .param .b64 z; st.param.b64 [x], " + argument +
           ";\ntype: .callprototype (.param .b64 _) _ (.param .b64 _);\n"
           "call (z), %rd7, (x), type; ld.param.b64 %rd6, [z]; }\nst.u32 [%rd6], 1;";
  };
  EXPECT_EQ(with_calls(through_pointer("%rd2")), (Names{"b", "b"}));
  EXPECT_EQ(with_calls(call_with("%rd1", "%rd5") + through_pointer("%rd1")), (Names{"a", "a"}));
  EXPECT_EQ(with_calls(call_with("%rd1", "%rd5") + through_pointer("%rd2")), (Names{"-", "-"}));
}

TEST(SharedVariables, NumbersAreNoVariables) {
  EXPECT_EQ(variables("mov.u32 %r1, %tid.x; st.shared.u32 [%r1], 1; ld.shared.u32 %r2, [a]; st.shared.u32 [%r2], 1;"),
            (Names{"-", "a", "-"}));
}

}  // namespace
}  // namespace drywarp::analysis
