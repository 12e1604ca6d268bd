// Where literals are loaded, and what divisions do not share. Expected: ptxas 13's code for 9.0 of the same loops.
#include <fmt/format.h>

#include <array>

#include "kernels.h"

namespace drywarp::sass {
namespace {

using machine::MachineInstruction;
using machine::MachineKernel;
using machine::Operation;

// A loop of `count` dependent FFMA that need a literal in a register, and `more`, n times.
std::string chain(unsigned count, const std::string& more = "") {
  std::string body = "mov.u32 %r3, 0; cvt.rn.f32.s32 %f1, %r2; mov.f32 %f2, %f1;\nL:\n.pragma \"nounroll\";\n";
  for (unsigned i = 0; i < count; ++i) body += "fma.rn.f32 %f1, %f1, 0f3F800347, 0f3F000000;\n";
  return body + more + "add.s32 %r3, %r3, 1; setp.ne.s32 %p1, %r3, %r1; @%p1 bra L;\nst.global.f32 [%rd1], %f1;" +
         "st.global.f32 [%rd1+4], %f2;";
}

bool loads_literal(const MachineInstruction& m) {
  return (m.op == Operation::Mov || m.op == Operation::ImadMov) && m.destination[0] && !m.source[0];
}

const machine::MachineBlock& loop_of(const MachineKernel& k) {
  for (const machine::MachineBlock& block : k.blocks)
    if (block.path.size() == 1 && !block.instructions.empty() && block.instructions.back().op == Operation::Bra &&
        block.instructions.size() > 3)
      return block;
  ADD_FAILURE() << "there is no loop";
  return k.blocks.at(0);
}

size_t literals_in_loop(const std::string& body) {
  const MachineKernel k = lowered(kernel(body));
  return static_cast<size_t>(std::ranges::count_if(loop_of(k).instructions, loads_literal));
}

TEST(Literals, AreLoadedBeforeShortLoopsAndInLongOnes) {
  EXPECT_EQ(literals_in_loop(chain(22)), 0u);
  EXPECT_EQ(literals_in_loop(chain(23)), 1u);
  const std::string shared = "ld.shared.f32 %f3, [%r3]; add.f32 %f2, %f2, %f3;\n";
  EXPECT_EQ(literals_in_loop(chain(14, shared)), 0u);
  EXPECT_EQ(literals_in_loop(chain(19, shared)), 1u);
  // Any read from beyond the SM keeps them in the loop.
  EXPECT_EQ(literals_in_loop(chain(1, "ld.global.f32 %f3, [%rd1+8]; add.f32 %f2, %f2, %f3;\n")), 1u);
}

// UMOVs in a loop of `count` DFMA that take `literals` different doubles in turn, behind `before`.
size_t doubles_in_loop(unsigned count, unsigned literals, const std::string& before = "") {
  std::string body = "ld.global.f64 %d1, [%rd1]; ld.global.f64 %d2, [%rd1+8]; mov.u32 %r3, 0;\n" + before + "L:\n";
  for (unsigned i = 0; i < count; ++i)
    body += fmt::format("fma.rn.f64 %d1, %d1, 0d3FB99999{:08X}, %d2;\n", 0x12345671 + i % literals);
  const MachineKernel k = lowered(
      kernel(body + "add.s32 %r3, %r3, %r1; setp.lt.s32 %p1, %r3, %r2; @%p1 bra L;\nst.global.f64 [%rd1], %d1;"));
  return static_cast<size_t>(std::ranges::count_if(
      loop_of(k).instructions, [](const MachineInstruction& m) { return m.op == Operation::Umov; }));
}

TEST(Literals, DoublesAreLoadedLikewise) {
  EXPECT_EQ(doubles_in_loop(2, 2), 0u);
  EXPECT_EQ(doubles_in_loop(4, 1), 0u);
  EXPECT_EQ(doubles_in_loop(4, 4), 8u);
  EXPECT_EQ(doubles_in_loop(6, 1), 0u);
  EXPECT_EQ(doubles_in_loop(6, 2), 4u);
  EXPECT_EQ(doubles_in_loop(8, 1), 2u);
  EXPECT_EQ(doubles_in_loop(16, 16), 32u);
  // What the code before the loop has loaded is still there.
  EXPECT_EQ(doubles_in_loop(8, 1, "fma.rn.f64 %d1, %d1, 0d3FB9999912345671, %d2;\n"), 0u);
}

TEST(Literals, DoublesInARegisterAreLoadedAgainBehindASlowPath) {
  const auto loads = [](const std::string& between) {
    const MachineKernel k =
        lowered(kernel("ld.global.f64 %d1, [%rd1]; ld.global.f64 %d2, [%rd1+8]; mov.u32 %r3, 0;\nL:\n"
                       "mov.f64 %d4, 0d3FB9999912345671;\nfma.rn.f64 %d1, %d1, %d4, %d2;\n" +
                       between +
                       "fma.rn.f64 %d1, %d1, %d4, %d2;\nadd.s32 %r3, %r3, %r1; setp.lt.s32 %p1, %r3, %r2; @%p1 bra L;\n"
                       "st.global.f64 [%rd1], %d1;"));
    size_t n = 0;
    for (const machine::MachineBlock& block : k.blocks)
      n += static_cast<size_t>(std::ranges::count_if(
          block.instructions, [](const MachineInstruction& m) { return m.op == Operation::Umov; }));
    return n;
  };
  EXPECT_EQ(loads("ld.global.f64 %d2, [%rd1+16];\n"), 2u);
  EXPECT_EQ(loads("div.rn.f64 %d2, %d1, %d2;\n"), 4u);
}

TEST(Divisions, OfWhatAllLanesHaveNeedNoBarrier) {
  const auto barriers = [](const std::string& operands) {
    return count(lowered(kernel(operands + "div.rn.f32 %f3, %f1, %f2; st.global.f32 [%rd1], %f3;")), Operation::Bssy);
  };
  const std::string parameters = "cvt.rn.f32.s32 %f2, %r1; add.f32 %f1, %f2, 0f3F800000;\n";
  EXPECT_EQ(barriers(parameters), 0u);
  EXPECT_EQ(barriers(parameters + "ex2.approx.ftz.f32 %f1, %f2;\n"), 0u);
  EXPECT_EQ(barriers("mov.u32 %r3, %ctaid.x; cvt.rn.f32.s32 %f1, %r3; cvt.rn.f32.s32 %f2, %r1;\n"), 0u);
  EXPECT_EQ(barriers(parameters + "cvt.rn.f32.s32 %f1, %r2;\n"), 1u);
  EXPECT_EQ(barriers(parameters + "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];\n"),
            1u);
}

// As ptxas 13 writes them, with BSSY and BSYNC around the branch to the subroutine.
TEST(Divisions, OfDoublesAndTheirRoots) {
  const auto operations = [](const std::string& instruction) {
    const MachineKernel k = lowered(kernel("ld.global.f64 %d1, [%rd1]; ld.global.f64 %d2, [%rd1+8];\n" + instruction +
                                           "\nst.global.f64 [%rd1+16], %d3; st.global.f64 [%rd1+24], %d2;"));
    using enum machine::Operation;
    return std::array{count(k, Mufu),
                      count(k, Dfma),
                      count(k, Dmul),
                      count(k, Mov) + count(k, ImadMov),
                      count(k, Fsetp) + count(k, Isetp),
                      count(k, Bssy)};
  };
  using Operations = std::array<size_t, 6>;
  EXPECT_EQ(operations("rsqrt.approx.f64 %d3, %d1;"), (Operations{1, 3, 2, 3, 1, 1}));
  EXPECT_EQ(operations("sqrt.rn.f64 %d3, %d1;"), (Operations{1, 5, 3, 3, 1, 1}));
  EXPECT_EQ(operations("rcp.rn.f64 %d3, %d1;"), (Operations{1, 5, 0, 0, 1, 1}));
  EXPECT_EQ(operations("div.rn.f64 %d3, %d1, %d2;"), (Operations{1, 7, 1, 1, 2, 1}));
  EXPECT_EQ(operations("rsqrt.approx.ftz.f64 %d3, %d1;")[0], 1u);
}

TEST(Divisions, DoNotShareTheReciprocal) {
  const std::string both =
      "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4]; ld.global.f32 %f3, [%rd1+8];\n"
      "div.{0}.f32 %f4, %f1, %f3; div.{0}.f32 %f5, %f2, %f3;\n"
      "st.global.f32 [%rd1+12], %f4; st.global.f32 [%rd1+16], %f5;";
  EXPECT_EQ(count(lowered(kernel(fmt::format(fmt::runtime(both), "rn"))), Operation::Mufu), 2u);
  EXPECT_EQ(count(lowered(kernel(fmt::format(fmt::runtime(both), "approx.ftz"))), Operation::Mufu), 1u);
}

// The code of div.approx, div.full and the approximate functions without .ftz: operands that end there are scaled under
// a predicate, others are selected. What uses a division's product is fused with it.
TEST(Divisions, ScaleSubnormalOperands) {
  using enum Operation;
  const auto code = [](const std::string& body) {
    const MachineKernel k = lowered(
        kernel("ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4]; ld.global.f32 %f3, [%rd1+8];\n" + body));
    std::map<Operation, unsigned> found, guarded;
    for (const machine::MachineBlock& block : k.blocks)
      for (const MachineInstruction& in : block.instructions) ++found[in.op], guarded[in.op] += bool(in.guard);
    return std::array{found[Fsetp], found[Fmul], guarded[Fmul], found[Fsel], found[Ffma], found[Fadd], guarded[Fadd]};
  };
  using Counts = std::array<unsigned, 7>;
  const std::string store = "st.global.f32 [%rd1+12], %f4;", keep = "st.global.f32 [%rd1+16], ";
  EXPECT_EQ(code("div.approx.f32 %f4, %f1, %f2;" + store), (Counts{1, 3, 2, 0, 0, 0, 0}));
  EXPECT_EQ(code("div.approx.f32 %f4, %f1, %f2; add.f32 %f4, %f4, %f3;" + store), (Counts{1, 2, 2, 0, 1, 0, 0}));
  EXPECT_EQ(code("div.approx.f32 %f4, %f1, %f2;" + store + keep + "%f2;"), (Counts{1, 3, 1, 1, 0, 0, 0}));
  EXPECT_EQ(code("div.full.f32 %f4, %f1, %f2;" + store), (Counts{2, 5, 4, 0, 0, 0, 0}));
  EXPECT_EQ(code("mov.f32 %f1, 0f3F800000; div.approx.f32 %f4, %f1, %f2;" + store), (Counts{1, 2, 1, 1, 0, 0, 0}));
  EXPECT_EQ(code("div.approx.f32 %f4, %f1, 0f40400000; add.f32 %f4, %f4, %f3;" + store), (Counts{0, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(code("ex2.approx.f32 %f4, %f1;" + store), (Counts{1, 2, 2, 0, 0, 0, 0}));
  EXPECT_EQ(code("ex2.approx.f32 %f4, %f1;" + store + keep + "%f1;"), (Counts{1, 2, 1, 1, 0, 0, 0}));
  EXPECT_EQ(code("lg2.approx.f32 %f4, %f1;" + store), (Counts{1, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(code("rcp.approx.f32 %f4, %f1;" + store), (Counts{2, 2, 0, 2, 0, 0, 0}));
}

// ptxas 13 predicates a side with FADD, FMUL, an exponential (FSETP, FMUL, MUFU, FMUL), FMUL and a copy: eight.
TEST(Divisions, AScaledOperandIsOneInstructionOfASide) {
  const auto predicated = [](const std::string& more) {
    const MachineKernel k = lowered(kernel(
        "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4]; mov.u32 %r3, 0;\nL:\n"
        "setp.gt.f32 %p1, %f1, %f2; @%p1 bra M;\nsub.f32 %f3, %f2, %f1; mul.f32 %f3, %f3, 0f3FB8AA3B; "
        "ex2.approx.f32 %f4, %f3; mul.rn.f32 %f2, %f2, %f4; mul.rn.f32 %f2, %f2, %f1;" +
        more + "\nM:\nadd.s32 %r3, %r3, 1; setp.ne.s32 %p2, %r3, %r1; @%p2 bra L;\nst.global.f32 [%rd1+8], %f2;"));
    return std::ranges::any_of(k.blocks, [](const machine::MachineBlock& block) {
      return std::ranges::any_of(block.instructions,
                                 [](const MachineInstruction& in) { return in.op == Operation::Mufu && in.guard; });
    });
  };
  EXPECT_TRUE(predicated(""));
  EXPECT_FALSE(predicated("mul.rn.f32 %f2, %f2, %f4; mul.rn.f32 %f2, %f2, %f3;"));
}

TEST(Divisions, LiteralsAreLoadedAgainBehindThem) {
  const auto literals = [](const std::string& between) {
    const MachineKernel k = lowered(kernel(
        "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4];\nfma.rn.f32 %f1, %f1, 0f3F800347, 0f3F000000;\n" +
        between + "fma.rn.f32 %f1, %f1, 0f3F800347, 0f3F000000;\nst.global.f32 [%rd1+8], %f1;"));
    return std::ranges::count_if(k.blocks.at(0).instructions, loads_literal);
  };
  EXPECT_EQ(literals("mul.rn.f32 %f1, %f1, %f2;\n"), 1);
  EXPECT_EQ(literals("div.rn.f32 %f1, %f1, %f2;\n"), 2);
}

TEST(Saturation, IsTheOperationsOwn) {
  const auto additions = [](const std::string& more) {
    return count(lowered(kernel("ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4];\nfma.rn.f32 %f3, %f1, %f2, "
                                "0f3F000000; cvt.sat.f32.f32 %f4, %f3;\nst.global.f32 [%rd1+8], %f4;" +
                                more)),
                 Operation::Fadd);
  };
  EXPECT_EQ(additions(""), 0u);
  EXPECT_EQ(additions("st.global.f32 [%rd1+12], %f3;"), 1u);  // the sum has another use
}

// ATOMS.POPC.INC adds one and names no operand.
TEST(SharedAtomics, CountUpWithoutALiteral) {
  const auto literals = [](const std::string& atomic) {
    const MachineKernel k = lowered(kernel("shl.b32 %r3, %r2, 2;\n" + atomic));
    return std::ranges::count_if(k.blocks.at(0).instructions, loads_literal);
  };
  EXPECT_EQ(literals("atom.shared.add.u32 %r4, [%r3], 1;"), 0);
  EXPECT_EQ(literals("atom.shared.add.u32 %r4, [%r3], 2;"), 1);
  EXPECT_EQ(literals("atom.shared.add.u32 %r4, [%r3], 1; st.global.u32 [%rd1], %r4;"), 1);
}

// Sums of a loop that are stored as vectors, and so lie side by side. As ptxas 13: CS2R.
TEST(Zeros, OfNeighboursAreMadeTogether) {
  std::string start, sums;
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 8}) {
    start += fmt::format("mov.f32 %f{}, 0f00000000;\n", n);
    sums += fmt::format("ld.global.f32 %f2{0}, [%rd1+{1}]; fma.rn.f32 %f{0}, %f2{0}, %f2{0}, %f{0};\n", n, 4 * n);
  }
  const MachineKernel k = lowered(kernel("mov.u32 %r3, 0;\n" + start + "L:\n.pragma \"nounroll\";\n" + sums +
                                         "add.s32 %r3, %r3, 1; setp.ne.s32 %p1, %r3, %r1; @%p1 bra L;\n"
                                         "st.global.v4.f32 [%rd1], {%f1,%f2,%f3,%f4};"
                                         "st.global.v4.f32 [%rd1+16], {%f5,%f6,%f7,%f8};"));
  EXPECT_GE(count(k, Operation::Cs2r), 3u);

  EXPECT_EQ(2 * count(k, Operation::Cs2r) + count(k, Operation::Mov) + count(k, Operation::ImadMov), 8u);
}

TEST(Exits, BehindALoopAreNotInItsIterations) {
  const MachineKernel k = lowered(kernel(
      "mov.u32 %r3, 0;\nL:\nst.global.u32 [%rd1], %r3; add.s32 %r3, %r3, 3; setp.lt.s32 %p1, %r3, %r1; @%p1 bra L;"));
  size_t exits = 0;
  for (const MachineInstruction& m : loop_of(k).instructions) exits += m.op == Operation::Exit;
  EXPECT_EQ(exits, 0u);
}

}  // namespace
}  // namespace drywarp::sass
