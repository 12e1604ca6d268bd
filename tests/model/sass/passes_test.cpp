// Verifies the code of every golden kernel after each pass, and that the verifier finds broken code.
#include <gmock/gmock.h>

#include "kernels.h"
#include "language/analysis/passes.h"
#include "language/ir/passes.h"
#include "model/sass/code/print.h"
#include "model/sass/passes/passes.h"
#include "model/sass/passes/verify.h"
#include "model/sass/select/select.h"

namespace drywarp::sass {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Passes : public testing::TestWithParam<uint32_t> {};

TEST_P(Passes, LeaveCodeThatKeepsTheRules) {
  size_t kernels = 0;
  for (const std::string& file : files_that_ptxas_compiled()) {
    const ir::Module module = parse(read_text(kGolden + file));
    for (const ir::Function& function : module.functions) {
      if (function.is_declaration || !function.is_kernel) continue;
      SCOPED_TRACE(file + " " + function.name);
      const ir::Function code = analysis::code_to_run(module, function);
      const Flow flow = find_flow(code);
      Kernel kernel = select(module, code, GetParam());
      EXPECT_THAT(verify(kernel), IsEmpty()) << "after selection";
      for (const Pass& pass : kernel_passes()) {
        pass.run(kernel, flow);
        EXPECT_THAT(verify(kernel), IsEmpty()) << "after " << pass.name;
      }
      std::vector<Region> regions = form_regions(kernel, flow);
      EXPECT_THAT(verify(kernel, regions), IsEmpty()) << "after form_regions";
      for (const RegionPass& pass : region_passes()) {
        pass.run(kernel, regions);
        EXPECT_THAT(verify(kernel, regions), IsEmpty()) << "after " << pass.name;
      }
      ++kernels;
    }
  }
  EXPECT_GE(kernels, 150u);
}
INSTANTIATE_TEST_SUITE_P(Capabilities, Passes, testing::Values(50, 75, 90));

// A kernel whose first block is `load, add, store`.
struct Sample {
  Sample() {
    function = analysis::code_to_run(module, module.functions[0]);
    code = select(module, function, 90);
  }
  [[nodiscard]] Instruction& first(Operation op) {
    for (Instruction& c : code.blocks[0].code)
      if (c.op == op) return c;
    throw std::runtime_error("no such instruction");
  }
  ir::Module module = kernel("ld.global.u32 %r3, [%rd1+8]; add.s32 %r4, %r3, 7; st.global.u32 [%rd1], %r4;");
  ir::Function function;
  Kernel code;
};

TEST(Verifier, NamesWhatIsBroken) {
  const auto broken = [](Operation op, auto change) {
    Sample sample;
    EXPECT_THAT(verify(sample.code), IsEmpty());
    change(sample, sample.first(op));
    return verify(sample.code);
  };
  const auto in = [](const char* rule) { return ElementsAre(HasSubstr(rule)); };
  EXPECT_THAT(broken(Operation::Ldg, [](Sample&, Instruction& c) { c.dead = true; }), in("a dead instruction"));
  EXPECT_THAT(broken(Operation::Ldg, [](Sample&, Instruction& c) { c.bytes = 0; }), in("moves 0 bytes"));
  EXPECT_THAT(broken(Operation::Ldg, [](Sample&, Instruction& c) { c.step = 1; }), in("step 1 of a path of 1"));
  EXPECT_THAT(broken(Operation::Ldg, [](Sample& s, Instruction& c) { c.destination.set(1, s.code.make()); }),
              in("loads 4 bytes into 2 registers"));
  EXPECT_THAT(broken(Operation::Ldg, [](Sample&, Instruction& c) { c.form.distance = 3; }), in("'distance'"));
  EXPECT_THAT(broken(Operation::Ldg, [](Sample&, Instruction& c) { c.guard = c.source[0]; }), in("no predicate"));
  EXPECT_THAT(broken(Operation::Ldg, [](Sample& s, Instruction& c) { c.source.at(0).reg = s.code.make(2); }),
              in("which nothing writes"));
  EXPECT_THAT(broken(Operation::Ldg, [](Sample&, Instruction& c) { c.role = Role::Branch; }), in("follows the branch"));
  EXPECT_THAT(broken(Operation::Stg, [](Sample&, Instruction& c) { c.source.at(1).reg = 1u << 20; }),
              in("which does not exist"));
  EXPECT_THAT(broken(Operation::Stg, [](Sample&, Instruction& c) { c.uniform_base = c.source[0]; }),
              in("the uniform base"));
}

TEST(Printer, ShowsOperandsGuardAndForm) {
  Sample sample;
  Instruction& load = sample.first(Operation::Ldg);
  const std::string address = std::to_string(load.source[0].reg), to = std::to_string(load.destination[0]);
  EXPECT_EQ(print(sample.code, load), "LDG R" + to + ", [R" + address + ".2+8]");
  const Register p = sample.code.make(1, RegisterFile::Predicate);
  load.guard = Source::of(p), load.guard_negated = true, load.form.word = 2;
  EXPECT_EQ(print(sample.code, load),
            "@!P" + std::to_string(p) + " LDG R" + to + ", [R" + address + ".2+8]  {word 0x2}");
  load.guard = {}, load.form = {};
  load.uniform_base = Source::of(sample.code.make(1, RegisterFile::Uniform));
  EXPECT_EQ(print(sample.code, load),
            "LDG R" + to + ", [R" + address + ".2+UR" + std::to_string(load.uniform_base.reg) + "+8]");
}

}  // namespace
}  // namespace drywarp::sass
