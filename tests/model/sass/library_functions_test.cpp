#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "kernels.h"
#include "model/sass/lower.h"

namespace drywarp::sass {
namespace {

using machine::MachineInstruction;
using machine::Operation;

std::map<Operation, size_t> operations_of_call(const std::string& function) {
  const ir::Module module = parse(R"(.version 8.3
.target sm_90
.address_size 64
.extern .func (.param .b64 result) )" +
                                  function + R"((.param .b64 x);
.visible .entry k(.param .u64 p) {
.reg .b64 %rd<3>; .reg .f64 %fd<3>;
ld.param.u64 %rd1, [p];
ld.global.f64 %fd1, [%rd1];
{ .param .b64 a; .param .b64 r; st.param.f64 [a], %fd1; call.uni (r), )" +
                                  function + R"(, (a); ld.param.f64 %fd2, [r]; }
st.global.f64 [%rd1], %fd2;
ret;
})");
  const auto code = lower(module, module.find_function("k"), {90, 0, 65536});
  std::map<Operation, size_t> counts;
  if (!code) return counts;
  for (const auto& block : code->blocks)
    for (const MachineInstruction& m : block.instructions) ++counts[m.op];
  return counts;
}

// nvcc's code for exp(double) on sm_90 executes 15 instructions for doubles, and log's 30 and a MUFU, without a call.
TEST(LibraryFunctions, CallsAreTheInstructionsThatNvccHasInline) {
  const auto exponential = operations_of_call("__nv_exp"), logarithm = operations_of_call("__nv_log");
  EXPECT_EQ(exponential.at(Operation::Dfma), 15u);
  EXPECT_FALSE(exponential.contains(Operation::Call));
  EXPECT_EQ(logarithm.at(Operation::Dfma), 30u);
  EXPECT_EQ(logarithm.at(Operation::Mufu), 1u);
}

TEST(LibraryFunctions, OtherDeclaredFunctionsAreCalled) {
  const auto unknown = operations_of_call("__nv_no_such_function");
  EXPECT_EQ(unknown.at(Operation::Call), 1u);
  EXPECT_FALSE(unknown.contains(Operation::Dfma));
}

}  // namespace
}  // namespace drywarp::sass
