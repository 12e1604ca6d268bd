// Which values live in uniform registers: as ptxas -O3 compiles these kernels for sm_90.
#include "model/sass/passes/passes.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "kernels.h"

namespace drywarp::sass {
namespace {

using machine::MachineInstruction;
using machine::MachineKernel;
using machine::Operation;
using machine::RegisterFile;

size_t all(const MachineKernel& k, Operation op) {
  size_t n = 0;
  for (const auto& block : k.blocks)
    n += static_cast<size_t>(std::ranges::count_if(block.instructions, [&](const auto& m) { return m.op == op; }));
  return n;
}
// Instructions of an operation that read a uniform register.
size_t reading(const MachineKernel& k, Operation op) {
  size_t n = 0;
  for (const auto& block : k.blocks)
    for (const MachineInstruction& m : block.instructions)
      n += m.op == op &&
           std::ranges::any_of(m.source, [](const auto& s) { return s && s.file == RegisterFile::Uniform; });
  return n;
}
// A loop over %r10 from 0 to `bound`; `body` may read it.
ir::Module loop(const std::string& body, const std::string& bound = "%r1", const std::string& before = "") {
  return kernel(before + "mov.u32 %r10, 0;\nLOOP:\n.pragma \"nounroll\";\n" + body +
                "add.s32 %r10, %r10, 1;\nsetp.lt.s32 %p1, %r10, " + bound +
                ";\n@%p1 bra LOOP;\nst.global.f32 [%rd1], %f1;");
}
// a[%tid.x ^ index]
std::string read_at(const std::string& index) {
  return "xor.b32 %r11, %r2, " + index +
         ";\nmul.wide.s32 %rd2, %r11, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.f32 %f2, [%rd3];\n"
         "add.f32 %f1, %f1, %f2;\n";
}

TEST(Uniform, CountersLiveInUniformRegisters) {
  const auto k = lowered(loop(read_at("%r10")));
  EXPECT_EQ(all(k, Operation::Uiadd3), 1u);
  EXPECT_EQ(reading(k, Operation::Lop3), 1u);
  EXPECT_EQ(reading(k, Operation::Isetp), 1u);  // so the bound is per lane
  EXPECT_EQ(all(k, Operation::Iadd3) + all(k, Operation::Imad), 0u);
}

TEST(Uniform, NoneBeforeTuring) {
  const auto k = lowered(loop(read_at("%r10")), 70);
  EXPECT_EQ(all(k, Operation::Uiadd3), 0u);
  EXPECT_EQ(reading(k, Operation::Lop3), 0u);
}

// Before Hopper, the bound takes the operand slot that the counter would need.
TEST(Uniform, ConstantOperandsLeaveNoSlot) {
  const auto k = lowered(loop(read_at("%r10")), 80);
  EXPECT_EQ(all(k, Operation::Uiadd3), 0u);
  EXPECT_EQ(reading(k, Operation::Lop3), 0u);
}

TEST(Uniform, CountersOfLoopsWithDivergentExitsArePerLane) {
  EXPECT_EQ(all(lowered(loop(read_at("%r10"), "%r2")), Operation::Uiadd3), 0u);
  const std::string leave = "setp.gt.f32 %p2, %f1, 0f40000000;\n@%p2 bra OUT;\n";
  const auto k = lowered(kernel("mov.u32 %r10, 0;\nLOOP:\n" + read_at("%r10") + leave +
                                "add.s32 %r10, %r10, 1;\nsetp.lt.s32 %p1, %r10, %r1;\n@%p1 bra LOOP;\nOUT:\n"
                                "st.global.f32 [%rd1], %f1;"));
  EXPECT_EQ(all(k, Operation::Uiadd3), 0u);
}

TEST(Uniform, DivergenceInsideALoopDoesNotMatter) {
  const std::string divergence =
      "setp.gt.f32 %p2, %f1, 0f40000000;\n@%p2 bra SKIP;\nbar.warp.sync -1;\nst.global.f32 [%rd1+8], %f1;\nSKIP:\n";
  EXPECT_GE(all(lowered(loop(read_at("%r10") + divergence)), Operation::Uiadd3), 1u);
}

// Only one operand slot takes an immediate or a uniform register.
TEST(Uniform, CountersThatWouldHaveToBeMovedArePerLane) {
  EXPECT_EQ(all(lowered(loop(read_at("%r10"), "1000")), Operation::Uiadd3), 0u);
  EXPECT_EQ(all(lowered(loop("mul.wide.s32 %rd2, %r10, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
                             "ld.global.f32 %f2, [%rd3];\nadd.f32 %f1, %f1, %f2;\n")),
                Operation::Uiadd3),
            0u);
  const std::string select = "setp.lt.f32 %p2, %f1, 0f00000000;\nselp.b32 %r12, %r10, %r12, %p2;\n";
  EXPECT_EQ(all(lowered(loop(read_at("%r12") + select)), Operation::Uiadd3), 0u);
}

TEST(Uniform, ValuesComputedFromCountersAreUniform) {
  const auto k = lowered(loop("and.b32 %r13, %r10, 31;\nmad.lo.s32 %r14, %r2, %r2, %r13;\n" + read_at("%r14")));
  EXPECT_EQ(all(k, Operation::Ulop3), 1u);
  EXPECT_EQ(reading(k, Operation::Imad), 1u);
  // Not where no slot is free: then the counter is not uniform either.
  const auto product = lowered(loop("and.b32 %r13, %r10, 31;\nmad.lo.s32 %r14, %r2, 3, %r13;\n" + read_at("%r14")));
  EXPECT_EQ(all(product, Operation::Ulop3) + all(product, Operation::Uiadd3), 0u);
}

TEST(Uniform, OfTwoInOneInstructionOneIsPerLane) {
  const auto k = lowered(
      loop("xor.b32 %r13, %r2, %r10;\nand.b32 %r14, %r13, %r15;\n" + read_at("%r14") + "add.s32 %r15, %r15, 5;\n",
           "%r1", "mov.u32 %r15, 7;\n"));
  EXPECT_EQ(all(k, Operation::Uiadd3), 1u);
  EXPECT_EQ(reading(k, Operation::Lop3), 1u);
}

TEST(Uniform, APointerWithASingleAccessIsMoved) {
  const std::string one = "ld.global.f32 %f2, [%rd4];\nadd.f32 %f1, %f1, %f2;\n";
  const std::string step = "add.s64 %rd4, %rd4, 4;\n", start = "mov.u64 %rd4, %rd1;\n";
  const auto k = lowered(loop(one + step, "%r1", start));
  EXPECT_EQ(all(k, Operation::Uiadd3), 3u);  // counter and pointer
  const std::string two = "ld.global.f32 %f3, [%rd4+8];\nadd.f32 %f1, %f1, %f3;\n";
  EXPECT_EQ(all(lowered(loop(one + two + step, "%r1", start)), Operation::Uiadd3), 1u);
}

TEST(Uniform, TheBlockNumberIsUniformWhereItFits) {
  const std::string read = "mov.u32 %r3, %ctaid.x;\n", use = "st.global.u32 [%rd1], %r4;";
  EXPECT_EQ(all(lowered(kernel(read + "xor.b32 %r4, %r3, %r2;\n" + use)), Operation::S2ur), 1u);
  EXPECT_EQ(all(lowered(kernel(read + "mad.lo.s32 %r4, %r3, %r1, %r2;\n" + use)), Operation::S2ur), 1u);
  // Not as the operand of a shift.
  EXPECT_EQ(all(lowered(kernel(read + "shl.b32 %r5, %r3, 5;\nadd.s32 %r4, %r5, %r2;\n" + use)), Operation::S2ur), 0u);
}

// As ptxas 13 does: in these, and in 8 like them.
TEST(Uniform, ProductsOf64BitsAreUniformWhereTheirOperandsAreNeeded) {
  const std::string block = "mov.u32 %r3, %ctaid.x;\nshl.b32 %r4, %r3, 6;\n",
                    base = "mul.wide.u32 %rd2, %r4, 4;\nadd.s64 %rd3, %rd1, %rd2;\n",
                    of_thread = "mul.wide.u32 %rd5, %r2, 4;\nadd.s64 %rd6, %rd3, %rd5;\n";
  const auto products = [](const machine::MachineKernel& k) {
    return std::pair(all(k, Operation::UimadWide), all(k, Operation::ImadWide));
  };
  // An address in global memory, which is moved, and a loop's start: the block's number is uniform for others.
  const std::string other =
      "mad.lo.s32 %r5, %r3, %r1, %r2;\nst.global.u32 [%rd1], %r5;\nxor.b32 %r6, %r4, %r2;\n"
      "st.global.u32 [%rd1+4], %r6;\n";
  const std::string step = "shl.b32 %r7, %r1, 4;\nmul.wide.u32 %rd10, %r7, 4;\n";
  EXPECT_EQ(products(lowered(loop(
                of_thread + "ld.global.f32 %f2, [%rd6];\nadd.f32 %f1, %f1, %f2;\n" + "add.s64 %rd3, %rd3, %rd10;\n",
                "%r1", block + other + base + step))),
            (std::pair<size_t, size_t>(1, 2)));
  // Not one that a product of each thread adds to, nor one of the block's number itself.
  const std::string store = "st.global.u32 [%rd6], %r2;\n";
  EXPECT_EQ(products(lowered(kernel(block + other + base + of_thread + store))), (std::pair<size_t, size_t>(0, 2)));
  const std::string number = "mov.u32 %r3, %ctaid.x;\nmul.wide.u32 %rd2, %r3, 4;\nadd.s64 %rd6, %rd1, %rd2;\n";
  EXPECT_EQ(products(lowered(kernel(number + "mad.lo.s32 %r5, %r3, %r1, %r2;\nst.global.u32 [%rd1], %r5;\n" + store))),
            (std::pair<size_t, size_t>(0, 1)));
}

// Its cross products are per lane.
TEST(Uniform, AProductOf64BitsIsNotUniformInPart) {
  const auto k = lowered(loop(read_at("%r10"), "%r1",
                              "mov.u32 %r3, %ctaid.x;\nshl.b32 %r4, %r3, 6;\ncvt.s64.s32 %rd10, %r4;\n"
                              "ld.param.u64 %rd11, [p];\nmul.lo.s64 %rd12, %rd11, %rd10;\nxor.b32 %r6, %r4, %r2;\n"
                              "st.global.u32 [%rd1+4], %r6;\nst.global.u64 [%rd1+8], %rd12;\n"));
  EXPECT_EQ(all(k, Operation::UimadWide), 0u);
}

// A row's start. ptxas computes it where it is needed, and there for lanes alone if the one block that needs it is not
// a loop, or if lanes can pass by.
TEST(Uniform, AProductOf64BitsIsUniformWhereAllLanesCome) {
  const std::string row =
      "mov.u32 %r3, %ctaid.x;\ncvt.u64.u32 %rd2, %r3;\ncvt.s64.s32 %rd3, %r1;\n"
      "mul.lo.s64 %rd4, %rd3, %rd2;\n";
  const auto store = [](const std::string& index) {
    return "cvt.s64.s32 %rd5, " + index +
           ";\nadd.s64 %rd6, %rd4, %rd5;\nshl.b64 %rd7, %rd6, 2;\n"
           "add.s64 %rd8, %rd1, %rd7;\nst.global.u32 [%rd8], %r2;\n";
  };
  const auto through_row = [&](const std::string& number) {
    return "mov.u32 %r10, %r2;\nsetp.ge.s32 %p1, %r2, %r1;\n@%p1 bra END" + number + ";\nLOOP" + number +
           ":\n.pragma \"nounroll\";\n" + store("%r10") + "add.s32 %r10, %r10, 256;\nsetp.lt.s32 %p1, %r10, %r1;\n" +
           "@%p1 bra LOOP" + number + ";\nEND" + number + ":\nbar.sync 0;\n";
  };
  const std::string passes_by = "setp.lt.s32 %p2, %r2, 7;\n@%p2 bra BEHIND;\n",
                    behind = "BEHIND:\nst.global.u32 [%rd1], %r2;\n", loops = through_row("1") + through_row("2");
  const auto uniform = [](const std::string& body) { return all(lowered(kernel(body)), Operation::UimadWide); };
  EXPECT_EQ(uniform(row + loops), 1u);
  EXPECT_EQ(uniform(row + through_row("1")), 1u);
  EXPECT_EQ(uniform("setp.lt.s32 %p2, %r2, 7;\n@%p2 ret;\n" + row + loops), 1u);
  EXPECT_EQ(uniform(row + store("%r2") + "xor.b32 %r5, %r2, 64;\n" + store("%r5")), 0u);
  EXPECT_EQ(uniform(passes_by + row + loops + behind), 0u);
  EXPECT_EQ(uniform(row + passes_by + loops + behind), 0u);
}

TEST(Uniform, WhereSomeLanesPassByValuesArePerLane) {
  const std::string value = "shr.s32 %r7, %r1, 5;\n", use = "mul.lo.s32 %r8, %r7, %r2;\nst.global.u32 [%rd1], %r8;\n";
  const auto branch = [](const std::string& then) {
    return "setp.lt.s32 %p2, %r2, %r1;\n@%p2 bra BEHIND;\n" + then +
           "bar.sync 0;\nBEHIND:\nst.global.f32 [%rd1+8], %f2;\n";
  };
  const auto uniform = [](const std::string& body) { return all(lowered(kernel(body)), Operation::Ushf); };
  EXPECT_EQ(uniform(value + use), 1u);
  EXPECT_EQ(uniform(branch(value + use)), 0u);
  EXPECT_EQ(uniform(value + branch(use)), 1u);
  // Others have ended.
  EXPECT_EQ(uniform("setp.lt.s32 %p2, %r2, 7;\n@%p2 ret;\n" + value + use), 1u);
}

TEST(Uniform, UnrolledIterationsIncrementTheCounterOnce) {
  const auto k =
      lowered(kernel("mov.u32 %r10, 0;\nLOOP:\nfma.rn.f32 %f1, %f1, %f2, %f3;\nadd.s32 %r10, %r10, 1;\n"
                     "setp.lt.s32 %p1, %r10, %r1;\n@%p1 bra LOOP;\nst.global.f32 [%rd1], %f1;"));
  for (const auto& block : k.blocks) {
    if (block.path.size() != 4) continue;
    EXPECT_EQ(std::ranges::count_if(block.instructions, [](const auto& m) { return m.op == Operation::Uiadd3; }), 1);
  }
}

// A product of two parameters bounds a loop with a counter that lanes begin at their own numbers.
TEST(Uniform, TheLimitOfALoopUnrolledByACountIsPerLane) {
  const auto summed = [](const std::string& pragma, const std::string& limit) {
    return lowered(kernel(limit + "mov.u32 %r10, %r2;\nmov.u64 %rd2, %rd1;\nLOOP:\n" + pragma +
                          "ld.global.f32 %f2, [%rd2];\nadd.f32 %f1, %f1, %f2;\nadd.s64 %rd2, %rd2, 1024;\n"
                          "add.s32 %r10, %r10, 256;\nsetp.lt.s32 %p1, %r10, %r7;\n@%p1 bra LOOP;\n"
                          "st.global.f32 [%rd1], %f1;"));
  };
  const std::string product = "mul.lo.s32 %r7, %r1, %r1;\n", parameter = "mov.u32 %r7, %r1;\n",
                    as_it_is = ".pragma \"nounroll\";\n";
  for (const std::string& limit : {product, parameter}) {
    EXPECT_EQ(reading(summed("", limit), Operation::Isetp), 0u);
    EXPECT_EQ(reading(summed(as_it_is, limit), Operation::Isetp), 1u);
  }
  EXPECT_EQ(all(summed("", product), Operation::Uimad), 0u);
  EXPECT_EQ(all(summed(as_it_is, product), Operation::Uimad), 1u);
}

TEST(Uniform, BesideTheImmediateOfAnAdditionAValueIsPerLane) {
  const std::string value = "shr.s32 %r7, %r1, 5;\n", store = "st.global.u32 [%rd1], %r8;\n";
  const auto times = lowered(kernel(value + "mul.lo.s32 %r8, %r7, %r2;\n" + store));
  EXPECT_EQ(all(times, Operation::Ushf), 1u);
  const auto plus = lowered(kernel(value + "mad.lo.s32 %r8, %r7, %r2, 3;\n" + store));
  EXPECT_EQ(all(plus, Operation::Ushf), 0u);
}

// i * v + n, of 64 bits: a pair of registers gets n, and the product reads v from a uniform register.
TEST(Uniform, AWordThatAProductOf64BitsAddsIsMoved) {
  const auto k = lowered(
      kernel("shr.s32 %r7, %r1, 5;\nmul.wide.s32 %rd2, %r2, %r7;\ncvt.s64.s32 %rd3, %r1;\nadd.s64 %rd2, %rd2, %rd3;\n"
             "st.global.u64 [%rd1], %rd2;\n"));
  EXPECT_EQ(reading(k, Operation::ImadWide), 1u);
  EXPECT_EQ(all(k, Operation::Ushf), 2u);  // v, and the sign of n
}

// A pointer that the counter moves, behind the counter's loop. ptxas computes it per lane where a per-lane product adds
// the same parameter, and then the counter, too (eight of eight generated kernels).
TEST(Uniform, AProductBesideAParameterInLanesIsPerLane) {
  const auto stepped = [](const std::string& pointer) {
    return lowered(kernel(
        "mov.u64 %rd2, values;\nmul.wide.s32 %rd4, %r2, 4;\nadd.s64 %rd5, " + pointer +
            ", %rd4;\nld.global.f32 %f1, [%rd5];\nmov.u32 %r10, 0;\nLOOP:\n.pragma \"nounroll\";\n"
            "fma.rn.f32 %f1, %f1, %f1, %f1;\nadd.s32 %r10, %r10, 4;\nsetp.lt.s32 %p1, %r10, %r1;\n"
            "@%p1 bra LOOP;\nmul.wide.s32 %rd6, %r10, 24;\nadd.s64 %rd8, %rd1, %rd6;\nadd.s64 %rd7, %rd8, 8;\nNEXT:\n"
            ".pragma \"nounroll\";\nld.global.f32 %f2, [%rd7];\nadd.f32 %f1, %f1, %f2;\n"
            "add.s64 %rd7, %rd7, 24;\nsetp.gt.f32 %p2, %f2, 0f00000000;\n@%p2 bra NEXT;\n"
            "st.global.f32 [%rd5+8], %f1;\n",
        ".global .align 4 .b8 values[4096];\n"));
  };
  EXPECT_EQ(all(stepped("%rd1"), Operation::UimadWide), 0u);
  EXPECT_EQ(all(stepped("%rd2"), Operation::UimadWide), 1u);
}

// n / 32, rounded toward zero, of a parameter: SHF, LEA.HI, SHF.
TEST(Uniform, AParameterIsDividedInThreeInstructions) {
  const auto k =
      lowered(kernel("shr.s32 %r7, %r1, 31;\nshr.u32 %r8, %r7, 27;\nadd.s32 %r9, %r1, %r8;\nshr.s32 %r10, %r9, 5;\n"
                     "setp.lt.s32 %p1, %r2, %r10;\n@!%p1 bra OUT;\nst.global.u32 [%rd1], %r2;\nOUT:\n"));
  EXPECT_EQ(all(k, Operation::Ulea), 1u);
  EXPECT_EQ(all(k, Operation::Ushf), 2u);
  EXPECT_EQ(all(k, Operation::Uiadd3), 0u);
}

TEST(Uniform, FormsArePaired) {
  EXPECT_EQ(uniform_form(Operation::Iadd3), Operation::Uiadd3);
  EXPECT_EQ(lane_form(Operation::Uiadd3), Operation::Iadd3);
  EXPECT_FALSE(has_uniform_form(Operation::Fadd));
}

}  // namespace
}  // namespace drywarp::sass
