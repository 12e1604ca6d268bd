#include "model/sass/lower.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include <gmock/gmock.h>

#include "base/support/round_up.h"
#include "kernels.h"
#include "language/analysis/passes.h"
#include "language/ir/build/build.h"
#include "language/ir/passes.h"
#include "model/sass/allocate/allocate.h"
#include "model/sass/passes/passes.h"
#include "walk.h"

namespace drywarp::sass {
namespace {

using machine::MachineInstruction;
using machine::MachineKernel;
using machine::Operation;

size_t in_all(const MachineKernel& k, Operation op) {
  size_t n = 0;
  for (const auto& block : k.blocks)
    for (const MachineInstruction& m : block.instructions) n += m.op == op;
  return n;
}

// Nested branches of a switch, for example.
TEST(Placement, BranchesWithOneReconvergencePointShareABarrier) {
  const std::string arm =
      "ld.global.f32 %f1, [%rd1+4]; st.global.f32 [%rd1+8], %f1; st.global.f32 [%rd1+12], %f1; bar.warp.sync -1;";
  const auto k = lowered(kernel("setp.gt.u32 %p1, %r2, 7; @%p1 bra A; setp.gt.u32 %p2, %r2, 3; @%p2 bra B;\n" + arm +
                                "bra E;\nA:\n" + arm + "bra E;\nB:\n" + arm +
                                "bra E;\nE:\nld.global.f32 %f3, [%rd1+32]; st.global.f32 [%rd1+16], %f3;"));
  size_t opened = 0, closed = 0;
  for (const auto& block : k.blocks)
    for (const MachineInstruction& m : block.instructions)
      opened += m.op == Operation::Bssy, closed += m.op == Operation::Bsync;
  EXPECT_EQ(opened, 1u);
  EXPECT_EQ(closed, 1u);
}

// As in ptxas's code of Fibonacci's numbers: two CALLs, a frame with the return address, the argument, the first result
// and the convergence barrier.
TEST(Calls, ARecursiveFunctionSavesWhatLivesAcrossItsCalls) {
  const ir::Module module = parse(R"(.version 8.3
.target sm_90
.address_size 64
.func (.param .b32 result) number(.param .b32 n) {
.reg .pred %p<2>; .reg .b32 %r<9>;
ld.param.u32 %r1, [n];
setp.lt.s32 %p1, %r1, 2;
mov.u32 %r5, %r1;
@%p1 bra END;
add.s32 %r2, %r1, -1;
{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), number, (a); ld.param.b32 %r3, [b]; }
add.s32 %r4, %r1, -2;
{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r4; call.uni (b), number, (a); ld.param.b32 %r6, [b]; }
add.s32 %r5, %r3, %r6;
END:
st.param.b32 [result], %r5;
ret;
}
.visible .entry k(.param .u64 p) {
.reg .b32 %r<9>; .reg .b64 %rd<3>;
ld.param.u64 %rd1, [p];
mov.u32 %r1, %tid.x;
{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), number, (a); ld.param.b32 %r2, [b]; }
st.global.u32 [%rd1], %r2;
ret;
}
)");
  auto result = lower(module, module.find_function("k"), Options{90, 0});
  ASSERT_TRUE(result) << result.problem().message;
  std::map<Operation, unsigned> kernel, function;
  uint32_t own_blocks = 2;  // of the kernel: a call ends the first
  int frame = 0, pushed = 0;
  for (const auto& block : result->blocks) {
    if (block.path.size() > 1) continue;  // every block is there alone, too
    for (const MachineInstruction& m : block.instructions) {
      ++(block.path[0].block < own_blocks ? kernel : function)[m.op];
      frame += m.frame_step, pushed = std::max<int>(pushed, m.frame_step);
    }
  }
  EXPECT_EQ(kernel[Operation::Call], 1u);
  EXPECT_EQ(kernel[Operation::Ret] + kernel[Operation::Stl] + kernel[Operation::Ldl], 0u);
  EXPECT_EQ(function[Operation::Call], 2u);
  EXPECT_EQ(function[Operation::Ret], 1u);
  EXPECT_EQ(function[Operation::Stl], 5u);
  EXPECT_EQ(function[Operation::Ldl], 5u);
  EXPECT_EQ(function[Operation::Bmov], 2u);
  EXPECT_EQ(function[Operation::Exit], 0u);
  EXPECT_EQ(frame, 0);
  EXPECT_EQ(pushed, 5);
}

// Lanes may call different functions: they reconverge behind the call. The pointer is looked up in a table.
TEST(Calls, ThroughAPointerReconverge) {
  const auto k =
      lowered(kernel("ld.global.u64 %rd2, [%rd1];\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;\n"
                     "prototype: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                     "call (b), %rd2, (a), prototype;\nld.param.b32 %r3, [b]; }\nst.global.u32 [%rd1], %r3;"));
  std::map<Operation, unsigned> of;
  for (const auto& block : k.blocks)
    for (const MachineInstruction& m : block.instructions) ++of[m.op];
  EXPECT_EQ(of[Operation::CallPointer], 1u);
  EXPECT_EQ(of[Operation::Bssy], 1u);
  EXPECT_EQ(of[Operation::Bsync], 1u);
  EXPECT_EQ(of[Operation::Stl] + of[Operation::Ldl], 0u);  // arguments and results are in registers
}

// A group's end waits for nothing, and a wait says how many groups may stay unfinished. Copies with .cg go past the L1.
TEST(Selection, AsynchronousCopiesHaveGroups) {
  const auto k =
      lowered(kernel("cp.async.cg.shared.global [%r1], [%rd1], 16;\ncp.async.commit_group;\n"
                     "cp.async.ca.shared.global [%r1+16], [%rd1+16], 16;\ncp.async.commit_group;\n"
                     "cp.async.wait_group 1;\ncp.async.wait_all;"));
  std::vector<std::string> found;
  for (const auto& block : k.blocks)
    for (const MachineInstruction& m : block.instructions) {
      if (m.op == Operation::Ldgsts) found.push_back(m.past_l1 ? "past" : "through");
      if (m.op == Operation::Ldgdepbar) found.push_back("end");
      if (m.op == Operation::Depbar) found.push_back("wait " + std::to_string(m.pending));
    }
  EXPECT_EQ(found, (std::vector<std::string>{"past", "end", "through", "end", "wait 1", "end", "wait 0"}));
}

// What ptxas for sm_90 puts around them: nothing behind an acquire of a block's scope.
TEST(Selection, ReleasesAndAcquiresFenceInTheirScope) {
  using enum Operation;
  const auto fences = [](const std::string& text) {
    const auto k = lowered(kernel(text + " st.global.u32 [%rd1+64], %r2;"));
    return std::array{count(k, Membar), count(k, Depbar), count(k, Cctl)};
  };
  using Counts = std::array<size_t, 3>;
  EXPECT_EQ(fences("ld.relaxed.gpu.global.u32 %r2, [%rd1];"), (Counts{0, 0, 0}));
  EXPECT_EQ(fences("ld.acquire.gpu.global.u32 %r2, [%rd1];"), (Counts{0, 0, 1}));
  EXPECT_EQ(fences("ld.acquire.cta.global.u32 %r2, [%rd1];"), (Counts{0, 0, 0}));
  EXPECT_EQ(fences("st.release.gpu.global.u32 [%rd1], %r2;"), (Counts{1, 2, 0}));
  EXPECT_EQ(fences("st.release.cta.global.u32 [%rd1], %r2;"), (Counts{1, 0, 0}));
  EXPECT_EQ(fences("atom.acq_rel.gpu.global.add.u32 %r2, [%rd1], 1;"), (Counts{1, 2, 1}));
  EXPECT_EQ(fences("atom.acq_rel.cta.global.add.u32 %r2, [%rd1], 1;"), (Counts{1, 0, 0}));
  EXPECT_EQ(fences("atom.global.add.u32 %r2, [%rd1], 1;"), (Counts{0, 0, 0}));
}

// An IMAD has one slot for a uniform register; ptxas for sm_90 gives it to the value that the program reads first.
TEST(Selection, TheBlockNumberIsUniformIfReadBeforeTheBlockSize) {
  const std::string tail = "mad.lo.s32 %r5, %r3, %r4, %r2; st.global.u32 [%rd1], %r5;";
  const std::string number_first = "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;" + tail;
  const auto first = lowered(kernel(number_first));
  const auto later = lowered(kernel("mov.u32 %r4, %ntid.x; mov.u32 %r3, %ctaid.x;" + tail));
  EXPECT_EQ(count(first, Operation::S2ur), 1u);
  EXPECT_EQ(count(first, Operation::S2r), 1u);  // of the thread's number
  EXPECT_EQ(count(later, Operation::S2ur), 0u);
  EXPECT_EQ(count(later, Operation::S2r), 1u);
  EXPECT_EQ(count(later, Operation::S2rBlock), 1u);  // another unit serves registers of the block
  EXPECT_EQ(count(first, Operation::Ldc), count(later, Operation::Ldc) + 1);
  EXPECT_EQ(count(first, Operation::Uldc) + 1, count(later, Operation::Uldc));
  // Not uniform if a per-lane register needs the number, too.
  EXPECT_EQ(count(lowered(kernel(number_first + "st.global.u32 [%rd1+4], %r3;")), Operation::S2ur), 0u);
  // Before Hopper, operations read constants directly.
  EXPECT_EQ(count(lowered(kernel(number_first), 86), Operation::S2ur), 0u);
}

// rotate(x * a, 15) * b, as compilers write it: x * a >> 17 | x * (a << 15).
TEST(Selection, TheOrOfValuesWithoutCommonBitsIsASum) {
  const std::string half = "ld.global.u32 %r3, [%rd1]; mul.lo.s32 %r4, %r3, -862048943; shr.u32 %r5, %r4, 17;";
  const std::string rest = "or.b32 %r7, %r5, %r6; st.global.u32 [%rd1], %r7;";
  const auto disjoint = lowered(kernel(half + "mul.lo.s32 %r6, %r3, 380141568;" + rest));
  EXPECT_EQ(count(disjoint, Operation::Lea), 1u);
  EXPECT_EQ(count(disjoint, Operation::Shf) + count(disjoint, Operation::Lop3), 0u);
  const auto shared = lowered(kernel(half + "mul.lo.s32 %r6, %r3, 380141569;" + rest));
  EXPECT_EQ(count(shared, Operation::Lop3), 1u);
}

TEST(Selection, AddsOf64BitsAreTwoInstructions) {
  const auto k =
      lowered(kernel("ld.global.u64 %rd2, [%rd1]; ld.global.u64 %rd3, [%rd1+8]; add.s64 %rd4, %rd2, %rd3;"
                     "st.global.u64 [%rd1], %rd4;"));
  EXPECT_EQ(count(k, Operation::Iadd3), 2u);
}

TEST(Selection, HopperHasTheMinimumOfThreeAndOfASum) {
  const std::string of_three =
      "ld.global.u32 %r3, [%rd1]; min.s32 %r4, %r3, %r2; min.s32 %r5, %r4, %r1; st.global.u32 [%rd1], %r5;";
  const std::string of_sum = "add.s32 %r3, %r2, %r1; min.s32 %r4, %r3, 100; st.global.u32 [%rd1], %r4;";
  EXPECT_EQ(count(lowered(kernel(of_three)), Operation::Imnmx), 1u);
  EXPECT_EQ(count(lowered(kernel(of_three), 80), Operation::Imnmx), 2u);
  EXPECT_EQ(count(lowered(kernel(of_sum)), Operation::Iadd3), 0u);
  EXPECT_EQ(count(lowered(kernel(of_sum), 80), Operation::Iadd3) + count(lowered(kernel(of_sum), 80), Operation::Imad),
            1u);
}

TEST(Selection, LogicTestsItsResultForZero) {
  const auto k =
      lowered(kernel("and.b32 %r3, %r2, 12; setp.eq.s32 %p1, %r3, 0; selp.b32 %r4, %r1, %r2, %p1;"
                     "st.global.u32 [%rd1], %r4;"));
  EXPECT_EQ(count(k, Operation::Lop3), 1u);
  EXPECT_EQ(count(k, Operation::Isetp), 0u);
}

TEST(Selection, LogicOfThreeValuesIsOneInstruction) {
  const auto k =
      lowered(kernel("xor.b32 %r3, %r1, %r2; ld.global.u32 %r4, [%rd1]; and.b32 %r5, %r4, %r2; not.b32 %r6, %r4;"
                     "and.b32 %r7, %r6, %r1; or.b32 %r8, %r5, %r7; st.global.u32 [%rd1], %r8;"));
  EXPECT_EQ(count(k, Operation::Lop3), 1u);
  // Of 64 bits, one for each word.
  const auto wide = lowered(kernel(
      "ld.global.u64 %rd2, [%rd1]; ld.global.u64 %rd3, [%rd1+8]; ld.global.u64 %rd4, [%rd1+16]; not.b64 %rd5, %rd3;"
      "and.b64 %rd6, %rd5, %rd4; xor.b64 %rd7, %rd2, %rd6; st.global.u64 [%rd1], %rd7;"));
  EXPECT_EQ(count(wide, Operation::Lop3), 2u);
}

TEST(Selection, ProductsOfDoublesFuseWithAdditions) {
  const std::string loads = "ld.global.f64 %d1, [%rd1]; ld.global.f64 %d2, [%rd1+8]; ld.global.f64 %d3, [%rd1+16];";
  const auto k = lowered(kernel(loads + "mul.f64 %d4, %d1, %d2; sub.f64 %d5, %d3, %d4; st.global.f64 [%rd1], %d5;"));
  EXPECT_EQ(count(k, Operation::Dfma), 1u);
  EXPECT_EQ(count(k, Operation::Dmul) + count(k, Operation::Dadd), 0u);
  const auto rounded =
      lowered(kernel(loads + "mul.rn.f64 %d4, %d1, %d2; sub.rn.f64 %d5, %d3, %d4; st.global.f64 [%rd1], %d5;"));
  EXPECT_EQ(count(rounded, Operation::Dfma), 0u);
}

// Two addresses that differ by a constant share one computation; the load adds the constant.
TEST(Selection, ConstantsMoveFromWideMultiplyAddsToAddresses) {
  const auto k =
      lowered(kernel("mul.wide.s32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; add.s64 %rd4, %rd1, 16;"
                     "add.s64 %rd5, %rd4, %rd2; ld.global.u32 %r3, [%rd3]; ld.global.u32 %r4, [%rd5];"
                     "add.s32 %r5, %r3, %r4; st.global.u32 [%rd3], %r5;"));
  EXPECT_EQ(count(k, Operation::ImadWide), 1u);
}

// Instructions that read or write a register pair.
unsigned pairs(const MachineKernel& k, Operation op) {
  unsigned sum = 0;
  for (const auto& block : k.blocks)
    for (const MachineInstruction& m : block.instructions)
      sum += m.op == op && (m.source[0].count == 2 || m.destination[0].count == 2);
  return sum;
}

// Addresses of shared memory have 32 bits, whatever their type in PTX.
TEST(Selection, UpperHalvesOfSharedAddressesAreDropped) {
  const std::string body =
      "mul.wide.u32 %rd2, %r2, 12; add.s64 %rd3, %rd1, %rd2; ld.shared.u32 %r3, [%rd3+4]; st.shared.u32 [%rd3], %r3;";
  const auto k = lowered(kernel(body));
  EXPECT_EQ(count(k, Operation::ImadWide), 0u);
  EXPECT_EQ(count(k, Operation::Imad), 1u);
  EXPECT_EQ(pairs(k, Operation::Lds), 0u);
  // Not if something reads them.
  const auto global = lowered(kernel(body + "st.global.u32 [%rd3], %r3;"));
  EXPECT_EQ(count(global, Operation::ImadWide), 1u);
  EXPECT_EQ(pairs(global, Operation::Lds), 1u);
}

// A loop-carried address: sums lose their upper halves, a product that depends on itself does not.
TEST(Selection, UpperHalvesOfLoopCarriedAddresses) {
  const auto loop = [](const std::string& step) {
    return lowered(
        kernel("mul.wide.u32 %rd2, %r2, 12; add.s64 %rd3, %rd1, %rd2; mul.wide.u32 %rd4, %r1, 12;\nL:\n"
               "st.shared.u32 [%rd3], %r2;" +
               step + "ld.shared.u32 %r2, [%rd3]; setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra L;"));
  };
  EXPECT_EQ(pairs(loop("add.s64 %rd3, %rd3, 4096;"), Operation::ImadWide), 0u);
  EXPECT_EQ(pairs(loop("add.s64 %rd3, %rd3, %rd4;"), Operation::ImadWide), 2u);
}

TEST(Selection, TwoAdjacentParametersAreOneLoad) {
  const auto module = parse(
      ".version 8.3\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 p, .param .u32 n, .param .u32 m) {\n"
      ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n"
      "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [m]; mov.u32 %r3, %tid.x;\n"
      "add.s32 %r4, %r3, %r1; mul.lo.s32 %r5, %r4, %r2; st.global.u32 [%rd1], %r5; ret;\n}\n");
  const auto k = lowered(module);
  EXPECT_EQ(count(k, Operation::Uldc), 2u);  // and the descriptor of global memory
}

TEST(Selection, OneLaneDoesAnAtomicAtAUniformAddress) {
  const std::string body = "ld.global.u32 %r3, [%rd1+64]; red.global.add.u32 [%rd1], %r3;";
  const auto k = lowered(kernel(body));
  EXPECT_EQ(count(k, Operation::Redux), 1u);
  EXPECT_EQ(count(k, Operation::Red), 1u);
  for (const MachineInstruction& m : k.blocks.at(0).instructions)
    if (m.op == Operation::Red) EXPECT_TRUE(m.one_lane && m.guard);
  // So does an atomic with an unused result.
  const auto unused = lowered(kernel("ld.global.u32 %r3, [%rd1+64]; atom.global.add.u32 %r4, [%rd1], %r3;"));
  EXPECT_EQ(count(unused, Operation::Redux), 1u);
  EXPECT_EQ(count(unused, Operation::Atomg), 0u);
  // Not without REDUX, for floating point, or for per-lane addresses.
  EXPECT_EQ(count(lowered(kernel(body), 75), Operation::Redux), 0u);
  EXPECT_EQ(count(lowered(kernel("ld.global.f32 %f1, [%rd1+64]; red.global.add.f32 [%rd1], %f1;")), Operation::Redux),
            0u);
  EXPECT_EQ(
      count(lowered(kernel("mul.wide.s32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; red.global.add.u32 [%rd3], %r2;")),
            Operation::Redux),
      0u);
}

// As ptxas 13 for sm_90: a move takes the sum from its uniform register to the leader's atomic. Operations other than
// additions share no REDUX.
TEST(Selection, AMoveTakesTheSumOfAWarpToTheAtomic) {
  const auto counts = [](const std::string& op) {
    const auto k = lowered(kernel("ld.global.u32 %r3, [%rd1+64]; red.global." + op + ".u32 [%rd1], %r3;\n" +
                                  "red.global." + op + ".u32 [%rd1+4], %r3;"));
    return std::pair{count(k, Operation::Redux), count(k, Operation::Mov)};
  };
  EXPECT_EQ(counts("add").first, 1u);
  EXPECT_EQ(counts("max").first, 2u);
  EXPECT_EQ(counts("add").second, 2u);
  EXPECT_EQ(counts("max").second, 2u);
}

// As ptxas 13 for sm_90.
TEST(Placement, ALoopThatOthersEndYieldsOnceInAnIteration) {
  const auto yields = [](const std::string& body) {
    return in_all(lowered(kernel("ld.global.u32 %r3, [%rd1];\nLOOP:\n" + body +
                                 "@%p1 bra LOOP;\n"
                                 "st.global.u32 [%rd1+4], %r3;")),
                  Operation::Yield);
  };
  EXPECT_EQ(yields("add.s32 %r4, %r3, %r2; atom.global.cas.b32 %r5, [%rd1], %r3, %r4;\n"
                   "setp.ne.s32 %p1, %r5, %r3; mov.u32 %r3, %r5;\n"),
            1u);
  EXPECT_EQ(yields("add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r2;\n"), 0u);
}

// As ptxas 13 compiles atomicAdd(p, 1), (p, n), (p, a[i]) for 7.5, 8.0 and 9.0 when their results are used.
TEST(Selection, LanesDeriveTheirResultsFromOneAtomicAddition) {
  const std::string end = " st.global.u32 [%rd1+64], %r4;";
  for (const uint32_t capability : {75u, 80u, 90u}) {
    const auto ones = lowered(kernel("atom.global.add.u32 %r4, [%rd1], 1;" + end), capability);
    const auto same = lowered(kernel("atom.global.add.u32 %r4, [%rd1], %r1;" + end), capability);
    const auto own =
        lowered(kernel("ld.global.u32 %r3, [%rd1+64]; atom.global.add.u32 %r4, [%rd1], %r3;" + end), capability);
    for (const auto* k : {&ones, &same, &own}) {
      const bool scans = k == &own;  // a part of a warp has an atomic for each lane instead
      EXPECT_EQ(count(*k, Operation::Atomg), scans ? 2u : 1u);
      EXPECT_EQ(count(*k, Operation::Vote), 1u);
      EXPECT_EQ(count(*k, Operation::S2rBlock), 0u);  // the lane's number and the mask of lower lanes
      for (const MachineInstruction& m : k->blocks.at(0).instructions)
        if (m.op == Operation::Atomg) {
          EXPECT_TRUE(m.guard);
          EXPECT_NE(m.one_lane, m.acts_in == machine::ActsIn::PartsOfWarps);
          EXPECT_EQ(m.acts_in == machine::ActsIn::AllWarps, !scans);
        }
    }
    EXPECT_EQ(count(ones, Operation::Popc), 2u);
    EXPECT_EQ(count(ones, Operation::Shfl), 1u);
    EXPECT_EQ(count(ones, Operation::Imad), 0u);
    EXPECT_EQ(count(same, Operation::Imad), 2u);
    EXPECT_EQ(count(own, Operation::Shfl), 7u);
    EXPECT_EQ(count(own, Operation::Popc), 0u);
    // As cooperative groups count the lanes that are active.
    const auto active = lowered(
        kernel("activemask.b32 %r3; popc.b32 %r5, %r3; atom.global.add.u32 %r4, [%rd1], %r5;" + end), capability);
    EXPECT_EQ(count(active, Operation::Shfl), 1u);
    EXPECT_EQ(count(active, Operation::Imad), 2u);
  }
  // Additions only; not where addresses differ, and not before 7.0.
  for (const char* body : {"atom.global.max.u32 %r4, [%rd1], %r2;",
                           "mul.wide.s32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; atom.global.add.u32 %r4, [%rd3], 1;"})
    EXPECT_EQ(count(lowered(kernel(body + end)), Operation::Shfl), 0u) << body;
  EXPECT_EQ(count(lowered(kernel("atom.global.add.u32 %r4, [%rd1], 1;" + end), 61), Operation::Shfl), 0u);
}

// CUDA's headers name the predicate of each SHFL; ptxas's code has PT there if nothing reads it.
TEST(Selection, WritesThePredicateOfAnExchangeOnlyForItsReaders) {
  const std::string exchange = "shfl.sync.up.b32 %r4|%p1, %r2, 1, 0, -1; ";
  const auto written = [&](const std::string& use) {
    const auto k = lowered(kernel(exchange + use));
    for (const MachineInstruction& m : k.blocks.at(0).instructions)
      if (m.op == Operation::Shfl)
        return std::ranges::count(m.destination, machine::RegisterFile::Predicate, &machine::RegisterRange::file);
    return std::ptrdiff_t{-1};
  };
  EXPECT_EQ(written("st.global.u32 [%rd1], %r4;"), 0);
  EXPECT_EQ(written("@%p1 st.global.u32 [%rd1], %r4;"), 1);
}

TEST(Selection, TransposesAMatrixInOneInstruction) {
  const auto k = lowered(kernel("movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r2; st.global.u32 [%rd1], %r4;"));
  EXPECT_EQ(count(k, Operation::Movm), 1u);
  EXPECT_EQ(count(k, Operation::Warpsync), 0u);  // as ptxas: all lanes must be there
}

TEST(Selection, MarksLoadsThatBypassTheL1) {
  const auto k =
      lowered(kernel("ld.global.u32 %r3, [%rd1]; ld.volatile.global.u32 %r4, [%rd1+4]; ld.global.cg.u32 %r5, [%rd1+8];"
                     "add.s32 %r3, %r3, %r4; add.s32 %r3, %r3, %r5; st.global.u32 [%rd1+12], %r3;"));
  std::vector<bool> past;
  for (const MachineInstruction& m : k.blocks.at(0).instructions)
    if (m.op == Operation::Ldg) past.push_back(m.past_l1);
  EXPECT_THAT(past, testing::UnorderedElementsAre(false, true, true));
}

TEST(Selection, AnIndexedAddressIsOneWideMultiplyAdd) {
  const auto k = lowered(kernel("mul.wide.s32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3+16], %r2;"));
  EXPECT_EQ(count(k, Operation::ImadWide), 1u);
  EXPECT_EQ(count(k, Operation::Iadd3), 0u);
}

TEST(Selection, MovesAndAddressConversionsCostNothing) {
  const auto with = lowered(kernel("cvta.to.global.u64 %rd2, %rd1; mov.u64 %rd3, %rd2; st.global.u32 [%rd3], %r2;"));
  const auto without = lowered(kernel("st.global.u32 [%rd1], %r2;"));
  EXPECT_EQ(with.instruction_count(), without.instruction_count());
}

TEST(Selection, LogicMergesIntoThreeInputs) {
  const auto k = lowered(kernel("and.b32 %r3, %r2, 7; or.b32 %r4, %r3, %r1; st.global.u32 [%rd1], %r4;"));
  EXPECT_EQ(count(k, Operation::Lop3), 1u);
}

TEST(Selection, ProductsFuseWithSumsThatFlushAlike) {
  const auto fused = [](const std::string& product, const std::string& sum, Operation op = Operation::Ffma) {
    const auto k = lowered(kernel("ld.global.f32 %f1, [%rd1]; " + product + ".f32 %f2, %f1, %f1; " + sum +
                                  ".f32 %f3, %f2, %f1; st.global.f32 [%rd1], %f3;"));
    return count(k, op) == 1u && count(k, Operation::Fmul) == 0u && count(k, Operation::Fadd) == 0u;
  };
  EXPECT_TRUE(fused("mul", "add"));
  EXPECT_TRUE(fused("mul.ftz", "add.ftz"));
  EXPECT_TRUE(fused("mul.ftz", "sub.ftz"));
  EXPECT_TRUE(fused("mul", "add.sat"));
  EXPECT_TRUE(fused("mul.ftz", "add.ftz.sat"));
  EXPECT_FALSE(fused("mul.ftz", "add"));
  EXPECT_FALSE(fused("mul", "add.ftz"));
  EXPECT_FALSE(fused("mul.rn", "add"));
  EXPECT_FALSE(fused("mul", "add.rn"));
  EXPECT_FALSE(fused("mul.sat", "add"));
  const auto half =
      lowered(kernel("ld.global.b16 %rs1, [%rd1]; mul.f16 %rs2, %rs1, %rs1; add.f16 %rs3, %rs2, %rs1;"
                     "st.global.b16 [%rd1], %rs3;"));
  EXPECT_EQ(count(half, Operation::Hfma2), 1u);
  EXPECT_EQ(count(half, Operation::Hadd2) + count(half, Operation::Hmul2), 0u);
}

// Four registers of A, two of B, four of C; four results, of which the last is stored.
TEST(Selection, AMatrixInstructionHasTenOperands) {
  std::string text;
  for (int i = 1; i <= 10; ++i)
    text += (i <= 6 ? "ld.global.u32 %r" : "ld.global.f32 %f") + std::to_string(20 + i) + ", [%rd1+" +
            std::to_string(1024 * i) + "];\n";
  text +=
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r21,%r22,%r23,%r24}, {%r25,%r26},"
      "{%f27,%f28,%f29,%f30};\nst.global.f32 [%rd1], %f4;";
  const auto k = lowered(kernel(text));
  EXPECT_EQ(count(k, Operation::Ldg), 10u);
  ASSERT_EQ(count(k, Operation::Hmma16816), 1u);
  std::set<uint16_t> loaded;
  for (const MachineInstruction& m : k.blocks[0].instructions) {
    if (m.op == Operation::Ldg) loaded.insert(m.destination[0].first);
    if (m.op != Operation::Hmma16816) continue;
    std::set<uint16_t> read;
    for (const machine::RegisterRange& r : m.source) read.insert(r.first);
    EXPECT_EQ(read, loaded);
    EXPECT_EQ(read.size(), 10u);
    EXPECT_EQ(m.destination.size(), 4u);
  }
}

TEST(Selection, AStoreReadsEveryPartOfAVector) {
  const auto k =
      lowered(kernel("ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1]; st.global.v4.f32 [%rd1+16], {%f1,%f2,%f3,%f4};"));
  for (const MachineInstruction& m : k.blocks[0].instructions)
    if (m.op == Operation::Stg) EXPECT_EQ(m.source.size(), 5u);  // the address and four parts
}

TEST(Selection, DropsDeadInstructions) {
  const auto k = lowered(kernel("add.f32 %f1, %f2, %f3; ld.global.f32 %f4, [%rd1]; st.global.u32 [%rd1], %r2;"));
  EXPECT_EQ(count(k, Operation::Fadd), 0u);
  EXPECT_EQ(count(k, Operation::Ldg), 0u);
}

TEST(Selection, VectorsAreOneAccessInConsecutiveRegisters) {
  const auto k =
      lowered(kernel("ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1]; st.global.v4.f32 [%rd1+16], {%f1,%f2,%f3,%f4};"));
  ASSERT_EQ(count(k, Operation::Ldg), 1u);
  for (const auto& m : k.blocks[0].instructions)
    if (m.op == Operation::Ldg) {
      EXPECT_EQ(m.bytes, 16);
      EXPECT_EQ(m.destination[0].count, 4);
      EXPECT_EQ(m.destination[0].first % 4, 0);
    }
  EXPECT_EQ(count(k, Operation::Stg), 1u);
}

// As in ptxas 13's code: small elements of a vector share registers. A PRMT takes an element, but operands of I2F.S8
// and of conversions of halves have selectors. Stores need a PRMT for each element beyond the first of a word.
TEST(Selection, SmallElementsOfVectorsShareRegisters) {
  const auto counts = [](const std::string& text) {
    const auto k = lowered(kernel(text));
    return std::array{count(k, Operation::Ldg), count(k, Operation::Prmt), count(k, Operation::I2f),
                      count(k, Operation::I2fp), count(k, Operation::Hadd2)};
  };
  using Counts = std::array<size_t, 5>;
  const std::string bytes = "ld.global.v4.u8 {%rs1, %rs2, %rs3, %rs4}, [%rd1];\n";
  const std::string store = "st.global.v2.f32 [%rd1+16], {%f1, %f2};";
  EXPECT_EQ(counts(bytes + "cvt.rn.f32.u16 %f1, %rs1; cvt.rn.f32.u16 %f2, %rs3;" + store), (Counts{1, 2, 0, 2, 0}));
  EXPECT_EQ(counts(bytes + "cvt.s16.s8 %rs5, %rs1; cvt.s16.s8 %rs6, %rs3; cvt.rn.f32.s16 %f1, %rs5;" +
                   "cvt.rn.f32.s16 %f2, %rs6;" + store),
            (Counts{1, 0, 2, 0, 0}));
  EXPECT_EQ(
      counts("ld.global.v2.u16 {%rs1, %rs2}, [%rd1]; cvt.rn.f32.u16 %f1, %rs1; cvt.rn.f32.s16 %f2, %rs2;" + store),
      (Counts{1, 0, 2, 0, 0}));
  EXPECT_EQ(counts("ld.global.u8 %rs1, [%rd1]; cvt.rn.f32.u16 %f1, %rs1;"
                   "ld.global.s8 %rs2, [%rd1+1]; cvt.rn.f32.s16 %f2, %rs2;" +
                   store),
            (Counts{2, 0, 1, 1, 0}));
  // As clang writes it.
  EXPECT_EQ(counts("ld.global.u32 %r3, [%rd1]; bfe.s32 %r4, %r3, 8, 8; cvt.s8.s32 %rs1, %r4; cvt.rn.f32.s16 %f1, %rs1;"
                   "bfe.s32 %r5, %r3, 16, 16; cvt.rn.f32.s32 %f2, %r5;" +
                   store),
            (Counts{1, 1, 1, 1, 0}));
  EXPECT_EQ(counts("ld.global.v2.u16 {%rs1, %rs2}, [%rd1]; cvt.f32.f16 %f1, %rs1; cvt.f32.f16 %f2, %rs2;" + store),
            (Counts{1, 0, 0, 0, 2}));
  EXPECT_EQ(
      counts("ld.global.u32 %r1, [%rd1]; mov.b32 {%rs1, %rs2}, %r1; cvt.f32.f16 %f1, %rs1; cvt.f32.f16 %f2, %rs2;" +
             store),
      (Counts{1, 0, 0, 0, 2}));
  EXPECT_EQ(counts("ld.global.u8 %rs1, [%rd1]; ld.global.u8 %rs2, [%rd1+1]; ld.global.u8 %rs3, [%rd1+2];"
                   "st.global.v4.u8 [%rd1+4], {%rs1, %rs2, %rs3, %rs1};"),
            (Counts{3, 3, 0, 0, 0}));
  EXPECT_EQ(counts("ld.global.u16 %rs1, [%rd1]; ld.global.u16 %rs2, [%rd1+2];"
                   "st.global.v4.u16 [%rd1+4], {%rs1, %rs2, %rs2, %rs1};"),
            (Counts{2, 2, 0, 0, 0}));
}

// Loads of elements without a sign leave nothing to mask.
TEST(Selection, WhatALoadExtendsNeedsNoMask) {
  const auto masks = [](const std::string& text) { return count(lowered(kernel(text)), Operation::Lop3); };
  const std::string use = "cvt.u32.u16 %r3, %rs1; and.b32 %r4, %r3, ";
  const std::string store = "; st.global.u32 [%rd1+16], %r4;";
  EXPECT_EQ(masks("ld.global.u8 %rs1, [%rd1];" + use + "255" + store), 0u);
  EXPECT_EQ(masks("ld.global.v2.u8 {%rs1, %rs2}, [%rd1];" + use + "255" + store), 0u);
  EXPECT_EQ(masks("ld.global.u8 %rs1, [%rd1];" + use + "127" + store), 1u);
  EXPECT_EQ(masks("ld.global.s8 %rs1, [%rd1];" + use + "255" + store), 1u);
  EXPECT_EQ(masks("ld.global.u16 %rs1, [%rd1];" + use + "255" + store), 1u);
}

// LEA.HI.X.SX32 adds a 32-bit value's sign to the upper word of an address.
TEST(Selection, AnAddressTakesAnIndexOf32Bits) {
  const auto k =
      lowered(kernel("ld.global.u32 %r3, [%rd1]; add.s32 %r4, %r3, %r2; cvt.s64.s32 %rd2, %r4;"
                     "add.s64 %rd3, %rd1, %rd2; ld.global.u8 %rs1, [%rd3]; st.global.u8 [%rd1], %rs1;"));
  EXPECT_EQ(count(k, Operation::Shf), 0u);
  EXPECT_EQ(count(k, Operation::Lea), 2u);
}

// Addresses of constant memory have 32 bits, and LDC.64 is its widest load.
TEST(Selection, ConstantsAtAComputedAddress) {
  const auto k =
      lowered(kernel("ld.global.u32 %r3, [%rd1]; mul.wide.s32 %rd2, %r3, 16; mov.u64 %rd3, table;"
                     "add.s64 %rd4, %rd3, %rd2; ld.const.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4];"
                     "st.global.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};",
                     ".const .align 16 .b8 table[512];\n"));
  size_t loads = 0, traced = 0;
  for (const auto& block : k.blocks)
    for (const MachineInstruction& m : block.instructions) {
      if (m.op != Operation::Ldc || m.space != AddressSpace::Const) continue;
      loads += m.bytes == 8;
      traced += m.access != machine::kNone;
    }
  EXPECT_EQ(loads, 2u);
  EXPECT_EQ(traced, 2u);  // how many words their lanes load
  EXPECT_EQ(count(k, Operation::ImadWide), 0u);
}

// Registers that nothing reads would make later instructions wait for the atomic.
TEST(Selection, AtomicsOfSharedMemoryWriteNoUnusedResult) {
  for (const bool used : {false, true}) {
    const auto k =
        lowered(kernel(std::string("atom.shared.add.u32 %r3, [%r2], 1;") + (used ? "st.global.u32 [%rd1], %r3;" : "")));
    ASSERT_EQ(count(k, Operation::Atoms), 1u);
    for (const MachineInstruction& m : k.blocks[0].instructions)
      if (m.op == Operation::Atoms) EXPECT_EQ(bool(m.destination[0]), used);
  }
}

// A mask with bits in one word alone computes that word.
TEST(Selection, AMaskOfOneWordIsOneInstruction) {
  const auto masks = [](const std::string& mask) {
    return count(
        lowered(kernel("ld.global.u64 %rd2, [%rd1]; and.b64 %rd3, %rd2, " + mask + "; st.global.u64 [%rd1], %rd3;")),
        Operation::Lop3);
  };
  EXPECT_EQ(masks("1"), 1u);
  EXPECT_EQ(masks("0xff00000000"), 1u);
  EXPECT_EQ(masks("0xff00000001"), 2u);
}

// FSEL's operands have signs.
TEST(Selection, ASelectionTakesAbsoluteValues) {
  const auto k =
      lowered(kernel("ld.global.v2.f32 {%f1, %f2}, [%rd1]; abs.f32 %f3, %f1; neg.f32 %f4, %f2;\n"
                     "setp.gt.f32 %p1, %f3, 0f3F800000; selp.f32 %f5, %f3, %f4, %p1;"
                     "st.global.f32 [%rd1], %f5;"));
  EXPECT_EQ(count(k, Operation::Fadd), 0u);
  EXPECT_EQ(count(k, Operation::Fsel), 1u);
}

TEST(Selection, AdjacentSharedLoadsBecomeOne) {
  const std::string text =
      ".shared .align 4 .b8 s[4096];\nmov.u32 %r3, s;\nshl.b32 %r4, %r2, 6;\nadd.s32 %r5, %r3, %r4;\n"
      "ld.shared.f32 %f1, [%r5]; ld.shared.f32 %f2, [%r5+4]; ld.shared.f32 %f3, [%r5+8]; ld.shared.f32 %f4, [%r5+12];\n"
      "add.f32 %f5, %f1, %f2; add.f32 %f6, %f3, %f4; add.f32 %f7, %f5, %f6; st.global.f32 [%rd1], %f7;";
  const auto k = lowered(kernel(text));
  ASSERT_EQ(count(k, Operation::Lds), 1u);
  for (const auto& m : k.blocks[0].instructions)
    if (m.op == Operation::Lds) {
      EXPECT_EQ(m.bytes, 16);
      EXPECT_NE(m.merged_access[2], machine::kNone);
    }
  // Not if the address is not known to be a multiple of 16.
  std::string by_four = text;
  by_four.replace(by_four.find("%r2, 6"), 6, "%r2, 2");
  EXPECT_EQ(count(lowered(kernel(by_four)), Operation::Lds), 4u);
}

// ptxas 13 stores neighbouring words of a scan's tile by one STS.128.
TEST(Selection, AdjacentSharedStoresBecomeOne) {
  const auto stores = [](const std::string& between, const std::string& shift = "6", const std::string& how = "") {
    const auto k = lowered(
        kernel(".shared .align 4 .b8 s[8192];\nmov.u32 %r3, s;\nshl.b32 %r4, %r2, " + shift +
               ";\nadd.s32 %r5, %r3, %r4;\nld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];\n" + "st" + how +
               ".shared.f32 [%r5+4], %f2; add.f32 %f5, %f1, %f2; st" + how + ".shared.f32 [%r5], %f5; st" + how +
               ".shared.f32 [%r5+8], %f3;\n" + between + "st" + how +
               ".shared.f32 [%r5+12], %f4; bar.sync 0; ld.shared.f32 %f6, [%r5+64]; st.global.f32 [%rd1+64], %f6;"));
    std::vector<MachineInstruction> found;
    for (const auto& m : k.blocks[0].instructions)
      if (m.op == Operation::Sts) found.push_back(m);
    return found;
  };
  const auto one = stores("");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].bytes, 16);
  EXPECT_EQ(one[0].source.size(), 5u);  // the address and four words
  for (const uint32_t other : one[0].merged_access) EXPECT_NE(other, machine::kNone);
  // The first two words are aligned, too.
  EXPECT_EQ(stores("bar.sync 0;\n").size(), 3u);
  EXPECT_EQ(stores("", "3").size(), 2u);
  EXPECT_EQ(stores("", "2").size(), 4u);
  // An access between them may be of the same word.
  EXPECT_EQ(stores("ld.shared.f32 %f4, [%r2];\n").size(), 3u);
  EXPECT_EQ(stores("st.shared.f32 [%r2], %f1;\n").size(), 4u);
  EXPECT_EQ(stores("", "6", ".volatile").size(), 4u);
}

// The tiles of a matrix product whose rows lie at `or`s of aligned parts: ptxas 13 loads the 8 words as two of 128
// bits.
TEST(Selection, BitsThatAreZeroInAllPartsOfAnAddressAlignIt) {
  const auto k = lowered(kernel(
      ".shared .align 4 .b8 s[4096];\nld.global.u32 %r6, [%rd1];\nshl.b32 %r3, %r2, 3;\nand.b32 %r4, %r3, 120;\n"
      "shl.b32 %r5, %r6, 7;\nor.b32 %r7, %r5, %r4;\nshl.b32 %r8, %r7, 2;\nmov.u32 %r9, s;\nadd.s32 %r10, %r9, %r8;\n"
      "ld.shared.f32 %f1, [%r10]; ld.shared.f32 %f2, [%r10+4]; ld.shared.f32 %f3, [%r10+8]; "
      "ld.shared.f32 %f4, [%r10+12];\nadd.f32 %f5, %f1, %f2; add.f32 %f6, %f3, %f4; add.f32 %f7, %f5, %f6;"
      "st.global.f32 [%rd1], %f7;"));
  EXPECT_EQ(count(k, Operation::Lds), 1u);
}

// A loop from a constant to a constant that steps through a row of shared memory word by word.
std::string row_loop(unsigned iterations, const std::string& more = "") {
  return ".shared .align 16 .b8 s[8192];\nmov.u32 %r3, s;\nshl.b32 %r4, %r2, 6;\nadd.s32 %r5, %r3, %r4;\nmov.u32 %r10, "
         "0;\n"
         "LOOP:\nld.shared.f32 %f2, [%r5];\nfma.rn.f32 %f1, %f2, %f3, %f1;\n" +
         more + "add.s32 %r5, %r5, 4;\nadd.s32 %r10, %r10, 1;\nsetp.ne.s32 %p1, %r10, " + std::to_string(iterations) +
         ";\n@%p1 bra LOOP;\nst.global.f32 [%rd1], %f1;";
}
TEST(MergeAccesses, IterationsOfAnUnrolledLoopShareLoads) {
  const auto widest = [](const MachineKernel& k) {
    const MachineInstruction* found = nullptr;
    for (const auto& b : k.blocks)
      for (const auto& m : b.instructions)
        if (m.op == Operation::Lds && (!found || m.bytes > found->bytes)) found = &m;
    return *found;
  };
  // All iterations: the address is the one before the loop.
  const MachineInstruction whole = widest(lowered(kernel(row_loop(8))));
  EXPECT_EQ(whole.bytes, 16);
  EXPECT_EQ(whole.merged_access[0], whole.access);
  EXPECT_THAT(whole.merged_step, testing::ElementsAre(whole.step + 1, whole.step + 2, whole.step + 3));
  // Four of them at a time, which step by 16 bytes.
  std::string more;
  for (int i = 0; i < 64; ++i) more += "fma.rn.f32 %f4, %f4, %f3, %f1;\n";
  const MachineKernel part = lowered(kernel(row_loop(64, more)));
  EXPECT_EQ(part.blocks[1].path.size(), 4u);
  EXPECT_EQ(widest(part).bytes, 16);
}

// As ptxas 13.
TEST(Hoisting, InvariantIntegersOfAnInnermostLoopAreComputedBeforeIt) {
  const auto shifts_in_loop = [](const std::string& shift) {
    const auto k = lowered(kernel("mov.u32 %r10, 0;\nmov.u32 %r11, 0;\nLOOP:\n.pragma \"nounroll\";\n" + shift +
                                  "xor.b32 %r5, %r4, %r10;\nld.shared.u32 %r6, [%r5];\nadd.s32 %r11, %r11, %r6;\n"
                                  "add.s32 %r10, %r10, 4;\nsetp.lt.s32 %p1, %r10, %r1;\n@%p1 bra LOOP;\n"
                                  "st.global.u32 [%rd1], %r11;"));
    unsigned found = 0;
    for (const auto& b : k.blocks)
      for (const auto& m : b.instructions)
        found += b.path.size() == 1 && b.path[0].block == 1 && m.op == Operation::Shf;
    return found;
  };
  EXPECT_EQ(shifts_in_loop("shr.u32 %r4, %r2, 3;\n"), 0u);
  EXPECT_EQ(shifts_in_loop("shr.u32 %r4, %r11, 3;\n"), 1u);
}

TEST(Hoisting, TheReciprocalOfADivisorThatIsInvariantIsComputedBeforeTheLoop) {
  const auto in_loop = [](const std::string& divide, const std::string& before = "", const std::string& after = "") {
    const auto k =
        lowered(kernel("ld.global.u32 %r5, [%rd1+64];\nmov.u32 %r10, 0;\nLOOP:\n.pragma \"nounroll\";\n"
                       "ld.global.u32 %r3, [%rd1];\n" +
                       before + divide + after +
                       "st.global.u32 [%rd1], %r4;\nadd.s64 %rd1, %rd1, 1024;\nEND:\nadd.s32 %r10, %r10, 1;\n"
                       "setp.lt.s32 %p1, %r10, %r1;\n@%p1 bra LOOP;"));
    unsigned found = 0;
    for (const auto& b : k.blocks)
      for (const auto& m : b.instructions)
        found += b.path[0].block != 0 && m.op == Operation::Mufu && b.path.size() == 1;
    return found;
  };
  EXPECT_EQ(in_loop("rem.s32 %r4, %r3, %r5;\n"), 0u);
  EXPECT_EQ(in_loop("div.u32 %r4, %r3, %r5;\n"), 0u);
  EXPECT_EQ(in_loop("div.u32 %r4, %r5, %r3;\n"), 1u);  // another divisor each time
  // Of signed divisions the first one alone.
  EXPECT_EQ(in_loop("rem.s32 %r6, %r3, %r5;\ndiv.s32 %r4, %r6, %r1;\n"), 1u);
  EXPECT_EQ(in_loop("rem.u32 %r6, %r3, %r5;\ndiv.u32 %r4, %r6, %r1;\n"), 0u);
  EXPECT_EQ(in_loop("rem.u32 %r6, %r3, %r5;\ndiv.s32 %r4, %r6, %r1;\n"), 0u);
  EXPECT_EQ(in_loop("rem.s32 %r4, %r3, %r5;\n",
                    "setp.eq.s32 %p2, %r3, 0;\n@%p2 bra END;\natom.global.add.u32 %r6, [%rd1], 1;\n"),
            1u);  // not in each iteration
}

// As ptxas 13: never out of a loop around a loop.
TEST(Hoisting, TheReciprocalStaysInALoopAroundALoop) {
  const auto k = lowered(
      kernel("ld.global.u32 %r5, [%rd1+64];\nmov.u32 %r10, 0;\nOUTER:\n.pragma \"nounroll\";\nmov.u32 %r11, 0;\n"
             "LOOP:\n.pragma \"nounroll\";\nld.global.u32 %r3, [%rd1];\ndiv.u32 %r4, %r3, %r5;\n"
             "st.global.u32 [%rd1], %r4;\nadd.s64 %rd1, %rd1, 1024;\nadd.s32 %r11, %r11, 1;\n"
             "setp.lt.s32 %p1, %r11, %r1;\n@%p1 bra LOOP;\nadd.s32 %r10, %r10, 1;\nsetp.lt.s32 %p1, %r10, %r1;\n"
             "@%p1 bra OUTER;"));
  std::vector<uint32_t> with_reciprocal;
  for (const auto& b : k.blocks)
    for (const auto& m : b.instructions)
      if (m.op == Operation::Mufu) with_reciprocal.push_back(b.path[0].block);
  EXPECT_THAT(with_reciprocal, testing::ElementsAre(1u));
}

// As ptxas 13: a later block computes no reciprocal of the same divisor.
TEST(Divisions, ShareTheReciprocalOfTheSameDivisor) {
  const auto reciprocals = [](const std::string& other) {
    const auto k =
        lowered(kernel("ld.global.u32 %r3, [%rd1];\nld.global.u32 %r5, [%rd1+64];\ndiv.s32 %r4, %r3, %r5;\n"
                       "st.global.u32 [%rd1], %r4;\nsetp.lt.s32 %p1, %r3, 7;\n@%p1 bra END;\n"
                       "atom.global.add.u32 %r6, [%rd1], 1;\ndiv.s32 %r7, %r6, " +
                       other + ";\nst.global.u32 [%rd1+8], %r7;\nEND:\n"));
    unsigned found = 0;
    for (const auto& b : k.blocks)
      for (const auto& m : b.instructions) found += m.op == Operation::Mufu;
    return found;
  };
  EXPECT_EQ(reciprocals("%r5"), 1u);
  EXPECT_EQ(reciprocals("%r1"), 2u);
}

// As ptxas 13: of a parameter the absolute value is not computed twice, and not negated.
TEST(Doubles, RootsAndReciprocalsAreRefinedAsPtxasDoesIt) {
  const auto of = [](const std::string& function) {
    return lowered(kernel("ld.global.f64 %d1, [%rd1]; " + function + " %d2, %d1; st.global.f64 [%rd1], %d2;"));
  };
  // A guess without refinement is only what flushes subnormals.
  EXPECT_EQ(count(of("rsqrt.approx.ftz.f64"), Operation::Dfma), 0u);
  const auto reciprocal_root = of("rsqrt.approx.f64"), root = of("sqrt.rn.f64"), reciprocal = of("rcp.rn.f64");
  EXPECT_EQ(count(reciprocal_root, Operation::Dfma), 3u);
  EXPECT_EQ(count(reciprocal_root, Operation::Dmul), 2u);
  EXPECT_EQ(count(root, Operation::Dfma), 5u);
  EXPECT_EQ(count(root, Operation::Dmul), 3u);
  EXPECT_EQ(count(reciprocal, Operation::Dfma), 5u);
  for (const auto& k : {reciprocal_root, root, reciprocal}) {
    EXPECT_EQ(count(k, Operation::Mufu), 1u);
    EXPECT_EQ(count(k, Operation::Bsync), 1u);
  }
}

TEST(Divisions, OfAParameterTakeTwoInstructionsLess) {
  const auto length = [](const std::string& divisor) {
    return lowered(kernel("ld.global.u32 %r3, [%rd1];\nld.global.u32 %r5, [%rd1+64];\ndiv.s32 %r4, %r3, " + divisor +
                          ";\nst.global.v2.u32 [%rd1], {%r4, %r5};"))
        .blocks.at(0)
        .instructions.size();
  };
  EXPECT_EQ(length("%r1"), length("%r5") - 1);  // two less, and one that loads it
}

// The LEA.HI of a division shifts right: it is not a sum with the same value shifted left ...
// As ptxas 13: the shifted operand is in a register.
TEST(Selection, AShiftedLiteralIsMovedToARegister) {
  const auto moves = [](const std::string& value) {
    const auto k = lowered(kernel("shl.b32 %r3, " + value + ", %r2; st.global.u32 [%rd1], %r3;"));
    EXPECT_EQ(count(k, Operation::Shf), 1u) << value;
    return count(k, Operation::Mov);
  };
  EXPECT_EQ(moves("-5"), moves("%r1") + 1);
}

TEST(Selection, ADivisionByAPowerOfTwoIsNoShiftedSum) {
  const auto k =
      lowered(kernel("ld.global.u32 %r3, [%rd1]; shr.s32 %r4, %r3, 31; shl.b32 %r5, %r4, 30; add.s32 %r6, %r5, %r3;"
                     "div.s32 %r7, %r3, 4; st.global.u32 [%rd1], %r6; st.global.u32 [%rd1+4], %r7;"));
  EXPECT_EQ(count(k, Operation::Lea), 2u);
}

// ... and its result is not aligned.
TEST(MergeAccesses, LeaHighIsNotAligned) {
  const auto loads = [](Shift shift) {
    Kernel kernel;
    const Register x = kernel.make(), address = kernel.make();
    std::vector<Region> regions(1);
    Instruction lea;
    lea.op = Operation::Lea;
    lea.form = {.shift = shift, .distance = 4};
    lea.source = {Source::of(x), Source::immediate(64)};
    lea.destination.set(0, address);
    regions[0].code.push_back(lea);
    for (const int64_t offset : {0, 4}) {
      Instruction load;
      load.op = Operation::Lds;
      load.role = Role::Load;
      load.space = AddressSpace::Shared;
      load.bytes = 4;
      load.source.set(0, Source::of(address));
      load.offset = offset;
      load.destination.set(0, kernel.make());
      regions[0].code.push_back(load);
    }
    merge_accesses(kernel, regions);
    return regions[0].code.size() - 1;
  };
  EXPECT_EQ(loads(Shift::Left), 1u);
  EXPECT_EQ(loads(Shift::Right), 2u);
}

// As ptxas 13 does, in these and 31 others.
TEST(MergeAccesses, ThreeOfFourWordsAreOneLoad) {
  const auto widths = [](std::initializer_list<int> words) {
    std::string body = "shl.b32 %r3, %r2, 4; mov.u32 %r4, s; add.s32 %r4, %r4, %r3;\n";
    for (const int w : words) body += fmt::format("ld.shared.f32 %f2, [%r4+{}]; add.f32 %f1, %f1, %f2;\n", 4 * w);
    const MachineKernel k = lowered(kernel(body + "st.global.f32 [%rd1], %f1;", ".shared .align 16 .b8 s[4096];\n"));
    std::vector<int> found;
    for (const MachineInstruction& m : k.blocks.at(0).instructions)
      if (m.op == Operation::Lds) found.push_back(m.bytes);
    return found;
  };
  EXPECT_EQ(widths({0, 1, 2}), (std::vector{16}));
  EXPECT_EQ(widths({1, 2, 3}), (std::vector{16}));
  EXPECT_EQ(widths({3, 1, 0}), (std::vector{16}));
  EXPECT_EQ(widths({1, 2}), (std::vector{4, 4}));
  EXPECT_EQ(widths({2, 3, 4}), (std::vector{8, 4}));
  EXPECT_EQ(widths({0, 1, 2, 3, 4, 5, 6}), (std::vector{16, 16}));
}

// As ptxas 13 does, in these and ten others.
TEST(MergeAccesses, VectorsOfTwoWordsJoinTheirNeighbours) {
  const auto widths = [](Operation op, const std::string& accesses, int shift = 4) {
    const MachineKernel k =
        lowered(kernel(fmt::format("shl.b32 %r3, %r2, {}; mov.u32 %r4, s; add.s32 %r4, %r4, %r3;\n", shift) + accesses,
                       ".shared .align 8 .b8 s[4096];\n"));
    std::vector<int> found;
    for (const MachineInstruction& m : k.blocks.at(0).instructions)
      if (m.op == op) found.push_back(m.bytes);
    return found;
  };
  const std::string first = "ld.shared.v2.f32 {%f1, %f2}, [%r4];\n", second = "ld.shared.v2.f32 {%f3, %f4}, [%r4+8];\n",
                    words = "ld.shared.f32 %f3, [%r4+8]; ld.shared.f32 %f4, [%r4+12];\n",
                    one = "ld.shared.f32 %f3, [%r4+8]; add.f32 %f4, %f3, %f3;\n",
                    use =
                        "add.f32 %f5, %f1, %f2; add.f32 %f6, %f3, %f4; add.f32 %f7, %f5, %f6;\n"
                        "st.global.f32 [%rd1], %f7;";
  EXPECT_EQ(widths(Operation::Lds, first + second + use), (std::vector{16}));
  EXPECT_EQ(widths(Operation::Lds, second + first + use), (std::vector{16}));
  EXPECT_EQ(widths(Operation::Lds, first + second + use, 3), (std::vector{8, 8}));
  EXPECT_EQ(widths(Operation::Lds, first + words + use), (std::vector{16}));
  EXPECT_EQ(widths(Operation::Lds, first + one + use), (std::vector{16}));
  // Words do not join a double.
  const std::string number = "ld.shared.f64 %d1, [%r4+8]; cvt.rn.f32.f64 %f3, %d1; add.f32 %f4, %f3, %f3;\n";
  EXPECT_EQ(widths(Operation::Lds, first + number + use), (std::vector{8, 8}));
  const std::string values = "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n",
                    pair = "st.shared.v2.f32 [%r4], {%f1, %f2};\n";
  EXPECT_EQ(widths(Operation::Sts, values + pair + "st.shared.v2.f32 [%r4+8], {%f3, %f4};\n"), (std::vector{16}));
  EXPECT_EQ(widths(Operation::Sts, values + pair + "st.shared.f32 [%r4+8], %f3;\n"), (std::vector{8, 4}));
}

// As ptxas 13 does.
TEST(SharedPlaces, KnownOnesAreAtTheStartOfTheWindow) {
  const std::string arrays = ".shared .align 4 .b8 s[4];\n.shared .align 4 .b8 t[64];\n.shared .align 4 .b8 u[64];\n";
  const auto bases = [&](const std::string& body) {
    const MachineKernel k = lowered(kernel(body, arrays));
    return std::array{count(k, Operation::Ulea), count(k, Operation::Umov), count(k, Operation::Uiadd3)};
  };
  const std::string known = "st.shared.u32 [s], %r2; st.shared.u32 [t+8], %r2; st.shared.u32 [u+4], %r2;\n";
  EXPECT_EQ(bases(known), (std::array<size_t, 3>{1, 1, 0}));
  const std::string at_index =
      "shl.b32 %r3, %r2, 2; mov.u32 %r4, u; add.s32 %r5, %r4, %r3; st.shared.u32 [%r5], %r1;\n";
  EXPECT_EQ(bases(known + at_index), (std::array<size_t, 3>{2, 1, 1}));
  // So they are aligned as the window is.
  std::string words;
  for (int i = 0; i < 8; ++i) words += fmt::format("ld.shared.f32 %f2, [t+{}]; add.f32 %f1, %f1, %f2;\n", 4 * i);
  EXPECT_EQ(
      count(lowered(kernel(words + "st.shared.u32 [s], %r2; st.global.f32 [%rd1], %f1;", arrays)), Operation::Lds), 3u);
}

// As ptxas 13 does.
TEST(SinkMoves, ALoopMovesItsResultWhereItEnds) {
  const MachineKernel k = lowered(
      kernel("mov.u32 %r3, 0;\nLOOP:\nmul.wide.s32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r4, [%rd3];\n"
             "setp.eq.s32 %p1, %r4, %r2; mov.u32 %r5, %r3; @%p1 bra DONE;\n"
             "add.s32 %r3, %r3, 1; setp.lt.s32 %p2, %r3, %r1; mov.u32 %r5, -1; @%p2 bra LOOP;\nbra.uni DONE;\n"
             "DONE:\nst.global.u32 [%rd1+64], %r5;"));
  size_t inside = 0, moves = 0;
  for (const auto& b : k.blocks)
    for (const MachineInstruction& m : b.instructions)
      if (b.path[0].block == 1 || b.path[0].block == 2)  // LOOP, and what follows its branch
        ++inside, moves += m.op == Operation::Mov || m.op == Operation::ImadMov;
  EXPECT_GT(inside, 4u);
  EXPECT_EQ(moves, 0u);
}

// Loops and branches
std::string counted_loop(const std::string& body, const std::string& pragma = "") {
  return "mov.u32 %r10, 0;\nLOOP:\n" + pragma + body +
         "add.s32 %r10, %r10, 1;\nsetp.lt.s32 %p1, %r10, %r1;\n@%p1 bra LOOP;\nst.global.f32 [%rd1], %f1;";
}
size_t longest_path(const MachineKernel& k) {
  size_t longest = 0;
  for (const auto& b : k.blocks) longest = std::max(longest, b.path.size());
  return longest;
}

TEST(Regions, CountedLoopsAreUnrolledFourTimes) {
  const auto k = lowered(kernel(counted_loop("fma.rn.f32 %f1, %f1, %f2, %f3;\n")));
  ASSERT_EQ(longest_path(k), 4u);
  for (const auto& b : k.blocks) {
    if (b.path.size() != 4) continue;
    const auto counts = [&](Operation op) {
      return std::count_if(b.instructions.begin(), b.instructions.end(), [&](const auto& m) { return m.op == op; });
    };
    EXPECT_EQ(counts(Operation::Ffma), 4);
    EXPECT_EQ(counts(Operation::Uiadd3), 1);  // of the counter
    EXPECT_EQ(counts(Operation::Isetp), 1);
    EXPECT_EQ(counts(Operation::Bra), 1);
  }
}

TEST(Regions, ALoopThatIsUnrolledByItsCountIsEnteredByComparisons) {
  const auto comparisons = [](const std::string& pragma) {
    const auto k = lowered(kernel(counted_loop("fma.rn.f32 %f1, %f1, %f2, %f3;\n", pragma)));
    return count(k, Operation::Isetp) + count(k, Operation::Plop3);  // of the first block
  };
  EXPECT_EQ(comparisons(""), 7u);
  EXPECT_EQ(comparisons(".pragma \"nounroll\";\n"), 0u);
}

TEST(Regions, LongLoopsAndNounrollLoopsAreNotUnrolled) {
  std::string body;
  for (int i = 0; i < 30; ++i) body += "fma.rn.f32 %f1, %f1, %f2, %f3;\n";
  EXPECT_EQ(longest_path(lowered(kernel(counted_loop(body)))), 1u);
  EXPECT_EQ(longest_path(lowered(kernel(counted_loop("fma.rn.f32 %f1, %f1, %f2, %f3;\n", ".pragma \"nounroll\";\n")))),
            1u);
}

TEST(Regions, ShortSidesArePredicated) {
  const std::string side =
      "setp.lt.s32 %p1, %r2, %r1;\n@%p1 bra SKIP;\nst.global.u32 [%rd1], %r2;\nSKIP:\n"
      "st.global.u32 [%rd1+4], %r2;";
  const auto k = lowered(kernel(side));
  ASSERT_EQ(k.blocks[0].path.size(), 3u);
  EXPECT_TRUE(k.blocks[0].path[1].optional);
  EXPECT_EQ(count(k, Operation::Bra), 0u);
  const auto predicated = std::count_if(k.blocks[0].instructions.begin(), k.blocks[0].instructions.end(),
                                        [](const auto& m) { return bool(m.guard); });
  EXPECT_EQ(predicated, 1);
}

// ptxas 13 predicates sides with loads from global memory, too, but for those that store without other work beside, and
// where lanes join from elsewhere without a load before that the branch does not wait for.
TEST(Regions, SidesWithLoadsArePredicatedBesideWork) {
  const auto predicated = [](const std::string& before, const std::string& side, const std::string& behind) {
    const auto k = lowered(kernel("setp.ge.s32 %p2, %r2, 99;\n@%p2 bra OUT;\n" + before +
                                  "setp.lt.s32 %p1, %r2, %r1;\n@%p1 bra SKIP;\n" + side + "SKIP:\n" + behind +
                                  "bar.sync 0;\nOUT: ret;"));
    return std::ranges::any_of(k.blocks, [](const machine::MachineBlock& block) {
      return std::ranges::any_of(block.instructions, [](const auto& m) { return m.op == Operation::Ldg && m.guard; });
    });
  };
  const std::string load = "ld.global.f32 %f1, [%rd1];\n", store = "st.global.f32 [%rd1+8], %f1;\n",
                    work = "fma.rn.f32 %f2, %f3, %f3, %f4;\nfma.rn.f32 %f2, %f2, %f3, %f4;\n",
                    use = "st.global.f32 [%rd1+4], %f2;\n", use_load = "st.global.f32 [%rd1+4], %f1;\n";
  EXPECT_TRUE(predicated("", load, use_load));
  EXPECT_FALSE(predicated("", load + store, ""));
  EXPECT_TRUE(predicated("", load + store, work + use));
  EXPECT_TRUE(predicated(work, load + store, use));
  const std::string elsewhere = "setp.lt.s32 %p3, %r2, 7;\n@%p3 bra SKIP;\nex2.approx.f32 %f5, %f5;\n";
  EXPECT_FALSE(predicated(elsewhere, load, use_load));
  EXPECT_TRUE(predicated(elsewhere + "ld.global.f32 %f2, [%rd1+16];\n", load, use + use_load));
}

// Behind a branch that stays in the same loop, as ptxas 13: only with other work beside, stores or not.
TEST(Regions, SidesWithLoadsBehindABranchInALoopNeedWork) {
  const auto predicated = [](const std::string& work) {
    std::string longer = "ld.shared.f32 %f1, [%r2];\n";
    for (int i = 0; i < 24; ++i) longer += "fma.rn.f32 %f1, %f1, %f1, %f2;\n";
    const auto k = lowered(kernel("LOOP:\nsetp.ge.s32 %p1, %r2, 99;\n@%p1 bra JOIN;\n" + longer +
                                  "st.shared.f32 [%r2+512], %f1;\nJOIN:\n" + work +
                                  "setp.lt.s32 %p2, %r2, %r1;\n@%p2 bra SKIP;\nld.global.f32 %f3, [%rd1];\n"
                                  "add.f32 %f4, %f4, %f3;\nSKIP:\nadd.s32 %r3, %r3, 1;\nsetp.lt.s32 %p3, %r3, %r1;\n"
                                  "@%p3 bra LOOP;\nst.global.f32 [%rd1+4], %f4;\nst.global.f32 [%rd1+8], %f5;"));
    return std::ranges::any_of(k.blocks, [](const machine::MachineBlock& block) {
      return std::ranges::any_of(block.instructions, [](const auto& m) { return m.op == Operation::Ldg && m.guard; });
    });
  };
  EXPECT_FALSE(predicated(""));
  EXPECT_TRUE(predicated("ld.shared.f32 %f6, [%r2+1024];\nfma.rn.f32 %f5, %f6, %f5, %f6;\n"));
}

// Of a load of four bytes ptxas predicates one PRMT each.
TEST(Regions, BytesOfAVectorAreTakenOnceInAPredicatedSide) {
  const auto k =
      lowered(kernel("mov.b16 %rs1, 0;\nmov.b16 %rs2, 0;\nsetp.lt.s32 %p1, %r2, %r1;\n@%p1 bra SKIP;\n"
                     "ld.global.nc.v4.u8 {%rs1, %rs2, %rs3, %rs4}, [%rd1];\nSKIP:\n"
                     "cvt.rn.f32.u16 %f1, %rs1;\ncvt.rn.f32.u16 %f2, %rs2;\nst.global.v2.f32 [%rd1+8], {%f1, %f2};"));
  EXPECT_EQ(
      std::ranges::count_if(k.blocks[0].instructions, [](const auto& m) { return m.op == Operation::Prmt && m.guard; }),
      2);
}

// As ptxas 13: a pointer that a loop steps word by word is moved into a pair for its accesses, if there are several, or
// if there is another such pointer. Not where other values take the registers.
TEST(Regions, PointersThatStepWordByWordAreMovedIntoPairs) {
  const auto moves = [](const std::string& begin, const std::string& body, int values = 0) {
    std::string load, store;
    for (int v = 10; v < 10 + values; ++v) {
      const std::string at = "[%rd1+" + std::to_string(8192 + 512 * v) + "]", value = "%f" + std::to_string(v);
      load += "ld.global.f32 " + value + ", " + at + ";\n";
      store += "mul.f32 " + value + ", " + value + ", %f4;\nst.global.f32 " + at + ", " + value + ";\n";
    }
    const auto k = lowered(kernel("cvt.u64.u32 %rd2, %r2;\nadd.s64 %rd4, %rd1, 4096;\n" + begin + load +
                                  "LOOP:\n.pragma \"nounroll\";\n" + body +
                                  "add.s32 %r3, %r3, 1;\nsetp.lt.s32 %p3, %r3, %r1;\n@%p3 bra LOOP;\n"
                                  "st.global.f32 [%rd1+4], %f4;\n" +
                                  store));
    size_t n = 0;
    for (const auto& block : k.blocks)
      if (!block.instructions.empty() && block.instructions.back().op == Operation::Bra)
        n = std::max<size_t>(n, std::ranges::count_if(block.instructions, [](const MachineInstruction& m) {
                               const bool move = m.op == Operation::Mov || m.op == Operation::ImadMov;
                               return move && m.source.size() == 1 &&
                                      m.source[0].file == machine::RegisterFile::General;
                             }));
    return n;
  };
  const std::string words = "shl.b64 %rd5, %rd2, 2;\nadd.s64 %rd3, %rd1, %rd5;\nadd.s64 %rd3, %rd3, 8;\n",
                    pair = "mul.wide.u32 %rd5, %r2, 4;\nadd.s64 %rd3, %rd1, %rd5;\n",
                    once = "ld.global.f32 %f1, [%rd3];\nadd.f32 %f4, %f4, %f1;\n",
                    again = "ld.global.f32 %f2, [%rd3+128];\nadd.f32 %f4, %f4, %f2;\n",
                    step = "add.s64 %rd3, %rd3, 256;\n";
  EXPECT_EQ(moves(words, once + step), 0u);
  EXPECT_EQ(moves(words, once + again + step), 2u);
  EXPECT_EQ(moves(words, once + again + step, 12), 2u);
  EXPECT_EQ(moves(words, once + again + step, 21), 0u);
  EXPECT_EQ(moves(pair, once + again + step), 0u);
}

// A predicated branch opens no convergence barrier, also where other lanes join its end: as in ptxas's code.
TEST(Regions, APredicatedSideBeforeAJoinOfOthersNeedsNoBarrier) {
  const auto k = lowered(kernel(
      "setp.gt.u32 %p2, %r1, 9;\n@%p2 bra JOIN;\nex2.approx.f32 %f5, %f5;\nsetp.lt.s32 %p1, %r2, %r1;\n@%p1 bra JOIN;\n"
      "st.global.u32 [%rd1], %r2;\nJOIN:\nst.global.u32 [%rd1+4], %r2;"));
  size_t predicated = 0;
  for (const auto& block : k.blocks) {
    const bool has_side = block.path.size() == 2 && block.path[1].optional;
    predicated += has_side;
    for (const MachineInstruction& m : block.instructions) {
      EXPECT_NE(m.op, Operation::Bsync);
      EXPECT_FALSE(has_side && m.op == Operation::Bssy);
    }
  }
  EXPECT_EQ(predicated, 1u);
}

// Longer paths would never match a trace, and their blocks would run alone, with all their branches.
TEST(Regions, PathsAreNoLongerThanTracesCanMatch) {
  std::string body;
  for (int i = 0; i < 60; ++i) {
    const std::string n = std::to_string(i);
    body +=
        "setp.eq.s32 %p1, %r2, " + n + ";\n@%p1 bra S" + n + ";\nst.shared.u32 [%r1+" + n + "], %r2;\nS" + n + ":\n";
  }
  const auto k = lowered(kernel(body));
  EXPECT_LE(longest_path(k), machine::kLongestPath);
  EXPECT_GT(longest_path(k), machine::kLongestPath / 2);
}

// The place of a constant variable is a displacement of the loads, and two neighbouring words are one LDC.64 where the
// index and the place are aligned.
TEST(Constants, NeighboursAtAComputedIndexAreOneLoad) {
  const auto loads = [](const std::string& index, const std::string& variables) {
    const auto k = lowered(kernel("and.b32 %r3, %r2, 3; mov.u64 %rd3, table; mul.wide.u32 %rd4, %r3, " + index +
                                      "; add.s64 %rd5, %rd3, %rd4;\n"
                                      "ld.const.f32 %f1, [%rd5]; ld.const.f32 %f2, [%rd5+4];\n"
                                      "add.f32 %f3, %f1, %f2; st.global.f32 [%rd1], %f3;",
                                  variables));
    return std::ranges::count_if(k.blocks.at(0).instructions, [](const MachineInstruction& m) {
      return m.op == Operation::Ldc && m.space == AddressSpace::Const;
    });
  };
  const std::string table = ".const .align 4 .b8 table[64];\n";
  EXPECT_EQ(loads("16", table), 1);
  EXPECT_EQ(loads("4", table), 2);
  EXPECT_EQ(loads("16", ".const .align 4 .b8 before[12];\n" + table), 2);
}

// ptxas reads a pointer parameter once in each predicated side.
TEST(Regions, PredicatedSidesReadTheirOwnParameters) {
  const auto module = parse(
      ".version 8.3\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n) {\n"
      ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n"
      "ld.param.u64 %rd1, [p]; ld.param.u64 %rd5, [q]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
      "setp.gt.s32 %p1, %r2, %r1; @%p1 bra A; mul.wide.s32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;\n"
      "st.global.u32 [%rd3], %r2; A: setp.gt.s32 %p2, %r2, 77; @%p2 bra B; mul.wide.s32 %rd6, %r2, 8;\n"
      "add.s64 %rd7, %rd1, %rd6; st.global.u32 [%rd7], %r2; B: st.global.u32 [%rd5], %r2; ret;\n}\n");
  const auto k = lowered(module);
  ASSERT_EQ(k.blocks[0].path.size(), 5u);
  size_t guarded = 0;
  for (const MachineInstruction& m : k.blocks[0].instructions) guarded += m.op == Operation::Ldc && m.guard;
  EXPECT_EQ(guarded, 2u);
}

// A register that both sides write: neither side may write it for the other's lanes, and a literal is no exception.
TEST(Regions, ALiteralOfOneSideIsForItsLanesAlone) {
  const auto module = parse(
      ".version 8.3\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 p, .param .u32 n) {\n"
      ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<3>; .reg .pred %p<3>;\n"
      "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mul.wide.s32 %rd2, %r2, 4;\n"
      "add.s64 %rd3, %rd1, %rd2; setp.gt.s32 %p1, %r2, %r1; ld.global.f32 %f2, [%rd3];\n"
      "@%p1 bra A; mul.f32 %f1, %f2, %f2;\n"
      "bra.uni B; A: mov.f32 %f1, 0f40000000; B: st.global.f32 [%rd3+4], %f1; ret;\n}\n");
  const auto k = lowered(module);
  const auto& code = k.blocks[0].instructions;
  const auto product = std::ranges::find(code, Operation::Fmul, &MachineInstruction::op);
  ASSERT_NE(product, code.end());
  ASSERT_TRUE(product->guard);
  const auto literal = std::ranges::find_if(code, [&](const MachineInstruction& m) {
    return m.op != Operation::Fmul && m.destination[0] == product->destination[0] && m.guard;
  });
  ASSERT_NE(literal, code.end());
  EXPECT_EQ(literal->guard, product->guard);
  EXPECT_NE(literal->guard_negated, product->guard_negated);
}

// nvcc writes such a jump for the else side.
TEST(Regions, SidesBehindAJumpArePredicated) {
  const auto k = lowered(
      kernel("setp.lt.s32 %p1, %r2, %r1;\n@%p1 bra THEN;\nbra.uni ELSE;\nTHEN:\nadd.s32 %r3, %r2, 5;\nbra.uni END;\n"
             "ELSE:\nadd.s32 %r3, %r2, 7;\nEND:\nst.global.u32 [%rd1], %r3;"));
  EXPECT_EQ(k.blocks[0].path.size(), 5u);
  EXPECT_EQ(count(k, Operation::Bra), 0u);
}

// The length limit of loops that read global memory without writing it is larger.
TEST(Regions, LoopsThatReadAreUnrolledUpToALargerLimit) {
  std::string body = "ld.global.f32 %f2, [%rd1+64]; ld.global.f32 %f4, [%rd1+68];\n";
  for (int i = 0; i < 24; ++i) body += "fma.rn.f32 %f1, %f1, %f2, %f4;\n";
  EXPECT_EQ(longest_path(lowered(kernel(counted_loop(body)))), 4u);
  EXPECT_EQ(longest_path(lowered(kernel(counted_loop(body + "st.global.f32 [%rd1+72], %f1;\n")))), 4u);
  for (int i = 0; i < 18; ++i) body += "fma.rn.f32 %f1, %f1, %f2, %f4;\n";
  EXPECT_EQ(longest_path(lowered(kernel(counted_loop(body)))), 4u);
  EXPECT_EQ(longest_path(lowered(kernel(counted_loop(body + "st.global.f32 [%rd1+72], %f1;\n")))), 1u);
}

TEST(Regions, ShortLoopsWithAConstantTripCountAreFullyUnrolled) {
  const auto iterations = [](const std::string& bound, const std::string& body) {
    return longest_path(
        lowered(kernel("mov.u32 %r10, 0;\nLOOP:\n" + body + "add.s32 %r10, %r10, 2;\nsetp.ne.s32 %p1, %r10, " + bound +
                       ";\n@%p1 bra LOOP;\nst.global.f32 [%rd1], %f1;")));
  };
  std::string body;
  for (int i = 0; i < 30; ++i) body += "fma.rn.f32 %f1, %f1, %f2, %f3;\n";
  EXPECT_EQ(iterations("10", body), 5u);
  EXPECT_EQ(iterations("40", body), 10u);                                 // too long as a whole
  EXPECT_EQ(iterations("200", "fma.rn.f32 %f1, %f1, %f2, %f3;\n"), 50u);  // too many steps for a path
  for (int i = 0; i < 50; ++i) body += "fma.rn.f32 %f1, %f1, %f2, %f3;\n";
  EXPECT_EQ(iterations("40", body), 1u);   // too long, also in part
  EXPECT_EQ(iterations("%r1", body), 1u);  // not known

  const std::string compared_first =
      "mov.u32 %r10, 0;\nLOOP:\nfma.rn.f32 %f1, %f1, %f2, %f3;\nsetp.ne.s32 %p1, %r10, 8;\nadd.s32 %r10, %r10, 2;\n"
      "@%p1 bra LOOP;\nst.global.f32 [%rd1], %f1;";
  EXPECT_EQ(longest_path(lowered(kernel(compared_first))), 5u);
}

// As ptxas 13 compiles for 9.0: each iteration loads a word more than the one before.
TEST(Selection, IterationsShareWhatTheyOnlyRead) {
  const auto loads = [](const std::string& load) {
    const auto k = lowered(kernel("mov.u32 %r10, 0; mov.u64 %rd2, %rd1; mov.f32 %f9, 0f00000000;\nLOOP:\n" + load +
                                  " %f1, [%rd2];\n" + load + " %f2, [%rd2+4];\n" + load +
                                  " %f3, [%rd2+8];\nfma.rn.f32 %f4, %f1, %f2, %f3;\nadd.f32 %f9, %f9, %f4;\n"
                                  "add.s64 %rd2, %rd2, 4;\nadd.s32 %r10, %r10, 1;\nsetp.ne.s32 %p1, %r10, 7;\n"
                                  "@%p1 bra LOOP;\nst.global.f32 [%rd1], %f9;"));
    size_t most = 0;
    for (const auto& block : k.blocks)
      most = std::max<size_t>(most, std::ranges::count(block.instructions, Operation::Ldg, &MachineInstruction::op));
    return most;
  };
  EXPECT_EQ(loads("ld.global.nc.f32"), 9u);
  EXPECT_EQ(loads("ld.volatile.global.f32"), 21u);
}

// As Philox multiplies: ptxas 13 for 9.0.
TEST(PairProducts, BothHalvesOfAProductAreOneInstruction) {
  const std::string load = "ld.global.u32 %r3, [%rd1+4]; ", store = "st.global.v2.u32 [%rd1], {%r4, %r5};";
  const auto products = [&](const std::string& body) {
    const auto k = lowered(kernel(load + body + store));
    return std::array{count(k, Operation::ImadWide), count(k, Operation::Imad), count(k, Operation::ImadHi)};
  };
  using Counts = std::array<size_t, 3>;
  EXPECT_EQ(products("mul.hi.u32 %r4, %r3, -766435501; mul.lo.s32 %r5, %r3, -766435501;"), (Counts{1, 0, 0}));
  EXPECT_EQ(products("mul.lo.s32 %r5, %r2, %r3; mul.hi.s32 %r4, %r3, %r2;"), (Counts{1, 0, 0}));
  // Of other factors; a factor changes in between.
  EXPECT_EQ(products("mul.hi.u32 %r4, %r3, 77; mul.lo.s32 %r5, %r3, 78;"), (Counts{0, 1, 1}));
  EXPECT_EQ(products("mul.hi.u32 %r4, %r3, %r2; ld.global.u32 %r3, [%rd1+8]; mul.lo.s32 %r5, %r3, %r2;"),
            (Counts{0, 1, 1}));
}

// An int counter that nvcc made 64 bits wide: code in front of the loop multiplies all of it, the loop compares its low
// word. ptxas 13 steps that word alone.
TEST(Narrow, ACounterWhoseLoopReadsItsLowWordHasOne) {
  const auto k = lowered(
      kernel("cvt.s64.s32 %rd2, %r2; cvt.s64.s32 %rd3, %r1; mul.lo.s64 %rd4, %rd2, %rd3; add.s64 %rd5, %rd1, %rd4;\n"
             "mov.f32 %f1, 0f00000000;\nL:\nld.global.f32 %f2, [%rd5]; fma.rn.f32 %f1, %f2, %f2, %f1;\n"
             "add.s64 %rd2, %rd2, 1; cvt.u32.u64 %r3, %rd2; setp.lt.s32 %p1, %r3, %r1;\n@%p1 bra L;\n"
             "st.global.f32 [%rd1], %f1;"));
  size_t sums = 0;
  for (const machine::MachineBlock& block : k.blocks)
    if (block.path[0].block == 1 && block.path.size() == 1)
      for (const MachineInstruction& m : block.instructions)
        sums += m.op == Operation::Iadd3 || m.op == Operation::Viadd || m.op == Operation::ImadMov;
  EXPECT_EQ(sums, 1u);
}

// v % 10 of a 64-bit v, of which 32 bits are used: of the quotient's product ptxas computes only the low word.
TEST(Narrow, TheLowWordOfAProductNeedsOneMultiplication) {
  const auto products = [](const std::string& use) {
    const auto k =
        lowered(kernel("ld.global.u64 %rd2, [%rd1];\nmul.lo.s64 %rd3, %rd2, 10;\nsub.s64 %rd4, %rd3, %rd2;\n" + use));
    return std::pair(count(k, Operation::Imad) + count(k, Operation::ImadWide), count(k, Operation::Iadd3));
  };
  const auto low = products("cvt.u32.u64 %r3, %rd4;\nst.global.u32 [%rd1], %r3;");
  const auto least = products("cvt.u32.u64 %r3, %rd4;\nmin.u32 %r3, %r3, 7;\nst.global.u32 [%rd1], %r3;");
  const auto whole = products("st.global.u64 [%rd1], %rd4;");
  EXPECT_EQ(low, (std::pair<size_t, size_t>(1, 1)));
  EXPECT_EQ(least.first, 1u);
  EXPECT_EQ(whole, (std::pair<size_t, size_t>(2, 3)));
}

// As nvcc writes a loop of nine taps: two iterations joined, and left between them.
TEST(Regions, LoopsThatAreLeftInTheMiddleBecomeStraightCodeWithTheirConstants) {
  const std::string variable = ".const .align 4 .b8 weights[36];\n";
  // `from`: where the pointer to the weights starts; clang puts it into their middle.
  const auto code = [&](const std::string& bound, int from = 0) {
    const auto weight = [&](int offset) { return "[%rd2+" + std::to_string(offset - from) + "]"; };
    return lowered(
        kernel("mov.u32 %r10, " + bound + ";\nmov.u64 %rd3, weights;\nadd.s64 %rd2, %rd3, " + std::to_string(from) +
                   ";\nbra.uni MIDDLE;\nAGAIN:\n" + "ld.global.f32 %f2, [%rd1+8]; ld.const.f32 %f3, " + weight(4) +
                   "; fma.rn.f32 %f1, %f3, %f2, %f1;\n" + "add.s64 %rd1, %rd1, 16; add.s64 %rd2, %rd2, 8;\nMIDDLE:\n" +
                   "ld.global.f32 %f4, [%rd1]; ld.const.f32 %f5, " + weight(0) + "; fma.rn.f32 %f1, %f5, %f4, %f1;\n" +
                   "add.s32 %r10, %r10, -2;\nsetp.eq.s32 %p1, %r10, 0;\n@%p1 bra END;\nbra.uni AGAIN;\n" +
                   "END:\nst.global.f32 [%rd1], %f1;",
               variable));
  };
  EXPECT_EQ(longest_path(code("%r1")), 2u);  // the jump and the second half
  for (const int from : {0, 16}) {
    const MachineKernel whole = code("10", from);
    // Five times the first half, and the jump and the second half between any two.
    ASSERT_EQ(longest_path(whole), 13u);
    for (const auto& b : whole.blocks) {
      if (b.path.size() != 13) continue;
      const auto counts = [&](Operation op) {
        return std::count_if(b.instructions.begin(), b.instructions.end(), [&](const auto& m) { return m.op == op; });
      };
      EXPECT_EQ(counts(Operation::Ffma), 9);
      EXPECT_EQ(counts(Operation::Ldg), 9);
      EXPECT_EQ(counts(Operation::Uldc), 5);  // nine words, two at a time
      EXPECT_EQ(counts(Operation::Ldc), 0);
      EXPECT_EQ(counts(Operation::Isetp) + counts(Operation::Bra), 0);
    }
  }
}

// The largest number of instructions or iterations for which `holds` is true.
unsigned most(const std::function<bool(unsigned)>& holds) {
  unsigned n = 0;
  for (unsigned i = 1; i <= 80; ++i)
    if (holds(i)) n = i;
  return n;
}
std::string repeated(const std::string& line, unsigned times) {
  std::string text;
  for (unsigned i = 0; i < times; ++i) text += line;
  return text;
}

// The exact limits seen in ptxas's code; the recorded kernels do not reach each of them.
TEST(Regions, StepsOfAddressesWeighOne) {
  const auto most_unrolled = [](unsigned pointers) {
    return most([&](unsigned n) {
      std::string before, body, ends;
      for (unsigned p = 0; p < pointers; ++p) {
        const std::string pointer = "%rd" + std::to_string(10 + p), value = "%f" + std::to_string(10 + p);
        before += "mul.wide.u32 " + pointer + ", %r1, " + std::to_string(64 * (p + 1)) + "; add.s64 " + pointer + ", " +
                  pointer + ", %rd1;\n";
        body += "ld.global.f32 " + value + ", [" + pointer + "]; add.f32 %f1, %f1, " + value + ";\n";
        ends += "add.s64 " + pointer + ", " + pointer + ", 4;\n";
      }
      body += repeated("fma.rn.f32 %f1, %f1, %f2, %f3;\n", n) + ends;
      return longest_path(lowered(kernel(before + counted_loop(body)))) == 4;
    });
  };
  EXPECT_EQ(most_unrolled(1), 43u);
  EXPECT_EQ(most_unrolled(4), 34u);
}

TEST(Regions, LimitsOfUnrollingAndOfPredication) {
  const std::string fma = "fma.rn.f32 %f1, %f1, %f2, %f3;\n";
  const auto unrolled = [&](const std::string& body) { return longest_path(lowered(kernel(counted_loop(body)))) == 4; };
  const std::string load = "ld.global.f32 %f2, [%rd1+64];\n", loads = load + "ld.global.f32 %f3, [%rd1+68];\n";
  const std::string many = loads +
                           "ld.global.f32 %f4, [%rd1+72]; ld.global.f32 %f5, [%rd1+76];\n"
                           "ld.global.f32 %f6, [%rd1+80]; ld.global.f32 %f7, [%rd1+84];\n"
                           "add.f32 %f3, %f4, %f5; add.f32 %f2, %f6, %f7; add.f32 %f3, %f2, %f3;\n";
  // The loop itself adds three instructions.
  EXPECT_EQ(most([&](unsigned n) { return unrolled(repeated(fma, n)); }), 18u);
  EXPECT_EQ(most([&](unsigned n) { return unrolled(load + repeated(fma, n)); }), 44u);
  EXPECT_EQ(most([&](unsigned n) { return unrolled(loads + repeated(fma, n)); }), 42u);
  EXPECT_EQ(most([&](unsigned n) { return unrolled(many + repeated(fma, n)); }), 35u);

  // A root is five instructions and a MUFU, which counts as one; a sine is one.
  const std::string root = "rsqrt.approx.f32 %f2, %f2;\n", sine = "sin.approx.f32 %f2, %f2;\n";
  EXPECT_EQ(most([&](unsigned n) { return unrolled(load + root + repeated(fma, n)); }), 38u);
  EXPECT_EQ(most([&](unsigned n) { return unrolled(load + sine + repeated(fma, n)); }), 43u);

  const auto fully_unrolled = [&](unsigned iterations, unsigned length) {
    return longest_path(lowered(kernel("mov.u32 %r10, 0;\nLOOP:\n" + repeated(fma, length) +
                                       "add.s32 %r10, %r10, 1;\nsetp.ne.s32 %p1, %r10, " + std::to_string(iterations) +
                                       ";\n@%p1 bra LOOP;\nst.global.f32 [%rd1], %f1;"))) == iterations;
  };
  EXPECT_EQ(most([&](unsigned n) { return n > 4 && fully_unrolled(n, 1); }), machine::kLongestPath);
  EXPECT_EQ(most([&](unsigned length) { return fully_unrolled(8, length); }), 52u);   // ptxas: 32 to 63
  EXPECT_EQ(most([&](unsigned length) { return fully_unrolled(16, length); }), 32u);  // 32 to 63
  EXPECT_EQ(most([&](unsigned length) { return fully_unrolled(48, length); }), 15u);  // 16 to 31

  const auto predicated = [&](const std::string& then, const std::string& otherwise, const std::string& join = "",
                              const std::string& before = "") {
    const auto k = lowered(kernel(before + "setp.lt.s32 %p1, %r2, %r1;\n@%p1 bra SKIP;\n" + then +
                                  (otherwise.empty() ? "" : "bra END;\n") + "SKIP:\n" + otherwise + "END:\n" + join +
                                  "st.global.f32 [%rd1+4], %f1;\nOUT: ret;"));
    return std::ranges::any_of(k.blocks, [](const machine::MachineBlock& block) {
      return std::ranges::any_of(block.path, [](const auto& step) { return step.optional; });
    });
  };
  EXPECT_EQ(most([&](unsigned n) { return predicated(repeated(fma, n), ""); }), 8u);
  EXPECT_EQ(most([&](unsigned n) { return predicated(repeated(fma, n), repeated(fma, n)); }), 6u);
  EXPECT_EQ(most([&](unsigned n) { return predicated(repeated("st.shared.u32 [%r2], %r2;\n", n), ""); }), 8u);
  // The kernel's first branch, before a block of six instructions.
  const std::string guard = "setp.ge.s32 %p2, %r2, 100;\n@%p2 bra OUT;\n";
  EXPECT_EQ(most([&](unsigned n) { return predicated(repeated(fma, n), "", repeated(fma, 6)); }), 20u);
  EXPECT_EQ(most([&](unsigned n) { return predicated(repeated(fma, n), "", repeated(fma, 6), guard); }), 8u);
}

// ptxas 13 predicates longer sides where loads from global memory overlap with them.
TEST(Regions, SidesBesideReadsMayBeLonger) {
  const std::string fma = "fma.rn.f32 %f1, %f1, %f3, %f4;\n", read = "ld.global.f32 %f2, [%rd1+64];\n";
  const auto longest = [&](const std::string& head, const std::string& side, const std::string& join) {
    return most([&](unsigned n) {
      const auto k =
          lowered(kernel("mov.u32 %r10, 0;\nLOOP:\n" + head + "setp.lt.s32 %p1, %r2, %r10;\n@%p1 bra SKIP;\n" + side +
                         repeated(fma, n) + "SKIP:\n" + join +
                         "add.s32 %r10, %r10, 1;\nsetp.ne.s32 %p2, %r10, %r1;\n@%p2 bra LOOP;\n"
                         "st.global.f32 [%rd1+4], %f1;"));
      return std::ranges::any_of(k.blocks, [](const machine::MachineBlock& block) {
        return std::ranges::any_of(block.path, [](const auto& step) { return step.optional; });
      });
    });
  };
  const std::string use = "add.f32 %f3, %f3, %f2;\n",
                    more = "setp.gt.s32 %p2, %r2, 9;\n@%p2 bra MORE;\natom.global.add.f32 %f2, [%rd1], %f3;\nMORE:\n";
  EXPECT_EQ(longest("", "", ""), 8u);
  EXPECT_EQ(longest("", read + use, ""), 17u);  // and the pointer, a parameter
  const std::string stores = "st.global.f32 [%rd1+72], %f6;\nst.global.f32 [%rd1+76], %f6;\n";
  EXPECT_EQ(longest("", read + "st.shared.f32 [%r1], %f2;\n", ""), 0u);  // without work beside
  EXPECT_EQ(longest("", read + "st.shared.f32 [%r1], %f2;\n", stores), 16u);
  const std::string two = read + "ld.shared.f32 %f3, [%r1+4];\nst.shared.f32 [%r1], %f2;\n";
  EXPECT_GT(longest("", two, ""), 0u);  // beside a load from shared memory
  const auto next = [](int i) {
    const std::string n = std::to_string(i);
    return "setp.lt.s32 %p1, %r1, " + n + ";\n@%p1 bra N" + n + ";\nld.global.f32 %f2, [%rd1+" + n +
           "];\nst.shared.f32 [%r1+" + n + "], %f2;\nN" + n + ":\n";
  };
  EXPECT_GT(longest("", read + "st.shared.f32 [%r1], %f2;\n", next(8)), 0u);  // beside another side
  EXPECT_EQ(longest(read, "", use), 20u);
  EXPECT_EQ(longest("", "", read + use), 8u);  // in the block that ends an iteration
  EXPECT_EQ(longest("", "", read + use + more), 20u);
}

TEST(Regions, LoopsWithASecondExitConditionAreNotUnrolled) {
  const std::string loop =
      "mov.u32 %r10, 0;\nLOOP:\nfma.rn.f32 %f1, %f1, %f2, %f3;\nadd.s32 %r10, %r10, 1;\n"
      "setp.lt.s32 %p2, %r10, %r1;\nsetp.lt.and.f32 %p1, %f1, 0f40800000, %p2;\n@%p1 bra LOOP;\n"
      "st.global.f32 [%rd1], %f1;";
  EXPECT_EQ(longest_path(lowered(kernel(loop))), 1u);
}

// A switch: comparisons of one value with `cases`, each a branch to an arm of its own.
std::string switch_of(const std::vector<int>& cases, const std::string& type = "s32", const std::string& before = "") {
  std::string text = "ld.global.u32 %r3, [%rd1]; cvt.u16.u32 %rs1, %r3;\n" + before, arms;
  for (size_t i = 0; i < cases.size(); ++i) {
    text += "setp.eq." + type + " %p1, " + (type == "s16" ? "%rs1" : "%r3") + ", " + std::to_string(cases[i]) +
            "; @%p1 bra A" + std::to_string(i) + ";\n";
    arms += "A" + std::to_string(i) + ":\n";
    for (size_t k = 0; k <= i; ++k) arms += "atom.global.add.f32 %f1, [%rd1+8], 0f40000000;\n";
    arms += "bra END;\n";
  }
  return text + "bra END;\n" + arms + "END:\nst.global.u32 [%rd1+4], %r3;";
}
TEST(JumpTables, ReplaceThreeEqualitiesCloseTogether) {
  const auto table = lowered(kernel(switch_of({0, 1, 2})));
  EXPECT_EQ(in_all(table, Operation::Brx), 1u);
  EXPECT_EQ(in_all(table, Operation::Isetp), 0u);
  EXPECT_EQ(in_all(lowered(kernel(switch_of({40, 41, 45, 43}))), Operation::Brx), 1u);
  EXPECT_EQ(in_all(lowered(kernel(switch_of({0, 1, 10}))), Operation::Brx), 1u);
  EXPECT_EQ(in_all(lowered(kernel(switch_of({0, 1, 11}))), Operation::Brx), 0u);
  EXPECT_EQ(in_all(lowered(kernel(switch_of({0, 1, 2, 15}))), Operation::Brx), 1u);
  EXPECT_EQ(in_all(lowered(kernel(switch_of({0, 1, 2, 16}))), Operation::Brx), 0u);
}
TEST(JumpTables, ReplaceTwoEqualitiesBehindAnOrderedComparison) {
  EXPECT_EQ(in_all(lowered(kernel(switch_of({0, 1}))), Operation::Brx), 0u);
  EXPECT_EQ(
      in_all(lowered(kernel(switch_of({0, 1}, "s32", "setp.gt.s32 %p2, %r3, 1; @%p2 bra END;\n"))), Operation::Brx),
      1u);
}
TEST(JumpTables, DoNotReplaceNarrowComparisons) {
  EXPECT_EQ(in_all(lowered(kernel(switch_of({0, 1, 2}, "s16"))), Operation::Brx), 0u);
}

// A loop's constants stay in registers, but not at the price of occupancy.
TEST(Allocation, RematerializesConstantsBeforeOccupancyDrops) {
  std::string body;
  for (int i = 0; i < 40; ++i)
    body += "fma.rn.f32 %f1, %f1, 0f3f80" + std::to_string(1000 + i) + ", 0f3f90" + std::to_string(1000 + i) + ";\n";
  const auto k = lowered(kernel(counted_loop(body)));
  EXPECT_LE(k.registers, 32u);
  EXPECT_EQ(k.spill_store_bytes + k.spill_load_bytes, 0u);
}

TEST(Allocation, NeverGivesOneRegisterToTwoLiveValues) {
  std::string body;
  for (int i = 0; i < 20; ++i)
    body += "ld.global.f32 %f" + std::to_string(i + 10) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
  body += "add.f32 %f1, %f10, %f11;\n";
  for (int i = 2; i < 20; ++i) body += "add.f32 %f1, %f1, %f" + std::to_string(i + 10) + ";\n";
  const auto k = lowered(kernel(body + "st.global.f32 [%rd1], %f1;"));
  // No register is written again before it is read.
  std::map<unsigned, bool> unread;
  for (const auto& m : k.blocks[0].instructions) {
    for (const auto& s : m.source)
      if (s && s.file == machine::RegisterFile::General)
        for (unsigned w = 0; w < s.count; ++w) unread[s.first + w] = false;
    for (const auto& d : m.destination)
      if (d && d.file == machine::RegisterFile::General)
        for (unsigned w = 0; w < d.count; ++w) {
          EXPECT_FALSE(unread[d.first + w]) << "register " << d.first + w;
          unread[d.first + w] = true;
          EXPECT_NE(d.first + w, 1u) << "the stack pointer";
        }
  }
  EXPECT_GE(k.registers, 12u);
  EXPECT_LE(k.registers, 32u);
}

// 16 words that four vectors have become 32 values of the loop behind. These leave rows of registers for the vectors,
// or the vectors would be loaded one after another.
TEST(Allocation, ValuesOfLoadedVectorsLeaveRoomForThese) {
  std::string body = "cvt.u64.u32 %rd2, %r2;\nshl.b64 %rd2, %rd2, 4;\nadd.s64 %rd3, %rd1, %rd2;\n", loop, sum;
  for (unsigned v = 0; v < 4; ++v) {
    const auto f = [&](unsigned k) { return "%f" + std::to_string(4 * v + k); };
    body += "ld.global.nc.v4.f32 {" + f(0) + ", " + f(1) + ", " + f(2) + ", " + f(3) + "}, [%rd3+" +
            std::to_string(v * 4096) + "];\n";
    for (unsigned k = 0; k < 4; ++k) {
      const std::string of = f(k), a = "%f" + std::to_string(16 + 8 * v + 2 * k),
                        b = "%f" + std::to_string(17 + 8 * v + 2 * k);
      body += "add.f32 " + a + ", " + of + ", 0f3F800000;\nmul.f32 " + b + ", " + of + ", " + of + ";\n";
      loop += "mul.f32 " + a + ", " + a + ", " + b + ";\n";
      sum += "add.f32 %f50, %f50, " + a + ";\n";
    }
  }
  const auto k = lowered(kernel(body + "mov.f32 %f50, 0f00000000;\nL:\n" + loop +
                                "add.s32 %r1, %r1, -1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra L;\n" + sum +
                                "st.global.f32 [%rd3], %f50;"));
  unsigned loads = 0;
  for (const machine::MachineInstruction& m : k.blocks.at(0).instructions) {
    if (m.op == Operation::Fadd || m.op == Operation::Fmul) break;
    loads += m.op == Operation::Ldg;
  }
  EXPECT_EQ(loads, 4u);
  EXPECT_LE(k.registers, 48u);
}

// The parts of a vector are last read at different times, so their registers need not be adjacent. The instruction
// names those that it writes and no others: a load that seemed to write its neighbour's registers would wait for it.
TEST(Allocation, AVectorWritesItsOwnRegistersOnly) {
  const auto f = [](unsigned i) { return "%f" + std::to_string(i); };
  std::string loads, first, rest;
  for (unsigned v = 0; v < 6; ++v) {
    const unsigned at = 10 + 4 * v;
    loads += "ld.global.v4.f32 {" + f(at) + "," + f(at + 1) + "," + f(at + 2) + "," + f(at + 3) + "}, [%rd1+" +
             std::to_string(16 * v) + "];\n";
    first += "st.shared.f32 [%r4+" + std::to_string(4 * v) + "], " + f(at) + ";\n";
    for (unsigned i = 1; i < 4; ++i)
      rest += "st.shared.f32 [%r4+" + std::to_string(128 * i + 4 * v) + "], " + f(at + i) + ";\n";
  }
  const auto k = lowered(kernel(counted_loop(loads + first + rest)));
  unsigned vectors = 0;
  for (const auto& block : k.blocks) {
    std::map<unsigned, bool> unread;
    for (const auto& m : block.instructions) {
      for (const auto& s : m.source)
        if (s && s.file == machine::RegisterFile::General)
          for (unsigned w = 0; w < s.count; ++w) unread[s.first + w] = false;
      if (m.op != Operation::Ldg) continue;
      unsigned words = 0;
      for (const auto& d : m.destination)
        for (unsigned w = 0; w < d.count; ++w, ++words) {
          EXPECT_FALSE(unread[d.first + w]) << "register " << d.first + w;
          unread[d.first + w] = true;
        }
      EXPECT_EQ(words, 4u);
      ++vectors;
    }
  }
  EXPECT_GE(vectors, 6u);
}

TEST(Balance, AdditionsRunOnBothPipes) {
  std::string registers, immediates;
  for (int i = 10; i < 30; ++i) {
    const std::string r = "%r" + std::to_string(i), place = "[%rd1+" + std::to_string(4 * i) + "]";
    registers += "ld.global.u32 " + r + ", " + place + "; add.s32 " + r + ", " + r + ", %r2; st.global.u32 " + place +
                 ", " + r + ";\n";
    immediates += "add.s32 " + r + ", %r2, " + std::to_string(i) + "; st.global.u32 " + place + ", " + r + ";\n";
  }
  const auto both = lowered(kernel(registers)), one = lowered(kernel(immediates));
  EXPECT_NEAR(double(count(both, Operation::Iadd3)), 10, 1);
  EXPECT_NEAR(double(count(both, Operation::Imad)), 10, 1);
  EXPECT_EQ(count(one, Operation::Imad), 0u);
  EXPECT_NEAR(double(count(one, Operation::Iadd3)), 10, 1);
  EXPECT_NEAR(double(count(one, Operation::Viadd)), 10, 1);
  const auto before = lowered(kernel(immediates), 80);
  EXPECT_EQ(count(before, Operation::Iadd3), 20u);
  EXPECT_EQ(count(before, Operation::Viadd), 0u);
}

TEST(Balance, AZeroComesFromTheMultiplier) {
  const auto k =
      lowered(kernel("st.global.u32 [%rd1], 0; ld.global.u64 %rd2, [%rd1+8]; shr.u64 %rd3, %rd2, 32;"
                     "ld.global.u32 %r6, [%rd1+16]; mul.wide.u32 %rd4, %r6, %r6; add.s64 %rd5, %rd4, %rd3;"
                     "st.global.u64 [%rd1+24], %rd5;"));
  EXPECT_EQ(count(k, Operation::Shf), 0u);
  EXPECT_EQ(count(k, Operation::ImadMov), 1u);
}

TEST(Allocation, KeepsToLaunchBounds) {
  std::string loads, sums = "mov.f32 %f1, 0f00000000;\n";
  for (int i = 10; i < 70; ++i) {
    loads += "ld.volatile.global.f32 %f" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
    sums += "add.f32 %f1, %f1, %f" + std::to_string(79 - i) + ";\n";
  }
  ir::Module module = kernel(loads + "bar.sync 0;\n" + sums + "st.global.f32 [%rd1], %f1;");
  const auto free = lower(module, 0, Options{90, 0, 65536});
  ASSERT_TRUE(free);
  EXPECT_GT(free->registers, 60u);
  module.functions[0].maxntid[0] = 1024;
  module.functions[0].minnctapersm = 2;
  const auto bound = lower(module, 0, Options{90, 0, 65536});
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->registers, 32u);
  EXPECT_EQ(free->spill_store_bytes, 0u);
  // Values that do not fit are spilled, and not all others. Launch bounds override -maxrregcount.
  EXPECT_GE(bound->spill_store_bytes, 4 * (free->registers - 34));
  EXPECT_LE(bound->spill_store_bytes, 4 * 60u);
  EXPECT_EQ(bound->spill_frame_bytes, bound->spill_store_bytes);
  const auto wide = lower(module, 0, Options{90, 24, 65536});
  EXPECT_EQ(wide->registers, 32u);
}

// With 36 values live across the loads no schedule fits 32 registers, so loads need not be serialized to save some.
TEST(Allocation, IssuesLoadsTogetherIfOccupancyDropsAnyway) {
  std::string kept, sums, ahead = "mov.f32 %f1, 0f00000000;\n";
  for (int i = 10; i < 46; ++i) {
    kept += "ld.volatile.global.f32 %f" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
    sums += "add.f32 %f1, %f1, %f" + std::to_string(55 - i) + ";\n";
  }
  for (int i = 50; i < 56; ++i) {
    ahead += "ld.global.f32 %f" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
    ahead += "add.f32 %f1, %f1, %f" + std::to_string(i) + ";\n";
  }
  const auto k =
      lowered(kernel(kept + "bar.sync 0;\n" + ahead + "bar.sync 0;\n" + sums + "st.global.f32 [%rd1], %f1;"));
  EXPECT_LE(k.registers, 48u);
  unsigned barriers = 0, loads = 0;
  for (const MachineInstruction& m : k.blocks[0].instructions) {
    barriers += m.op == Operation::Bar;
    if (barriers == 1 && m.op == Operation::Fadd) break;
    loads += barriers == 1 && m.op == Operation::Ldg;
  }
  EXPECT_GE(loads, 4u);  // in flight before the first use
}

// A loop with as many loads as sums, in blocks of at most this many threads.
ir::Module loop_of_sums(int sums, uint32_t block) {
  std::string before, loop, after;
  for (int i = 0; i < sums; ++i) {
    const std::string sum = "%s" + std::to_string(i), value = "%g" + std::to_string(i);
    before += "mov.f32 " + sum + ", 0f00000000;\n";
    loop += "ld.global.f32 " + value + ", [%rd2+" + std::to_string(1024 * i) + "];\n";
    loop += "fma.rn.f32 " + sum + ", " + sum + ", 0f3F000000, " + value + ";\n";
    after += "st.global.f32 [%rd1+" + std::to_string(1024 * i) + "], " + sum + ";\n";
  }
  ir::Module module =
      kernel(".reg .f32 %s<130>; .reg .f32 %g<130>;\nadd.s64 %rd2, %rd1, 8; mov.u32 %r3, 0;\n" + before +
             "L:\n.pragma \"nounroll\";\n" + loop +
             "add.s64 %rd2, %rd2, 4096; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1; @%p1 bra L;\n" + after);
  module.functions[0].maxntid[0] = block;
  return module;
}

// With one register more than 32 hold beside loads in flight, fewer blocks fit: then more of those blocks' registers
// are used. ptxas 13's numbers for sm_90, in the units in which they are allocated.
TEST(Allocation, UsesTheRegistersOfAnOccupancyStep) {
  const auto registers = [](int sums, uint32_t block) {
    const auto code = lower(loop_of_sums(sums, block), 0, Options{90, 0, 65536});
    return code ? round_up(code->registers, kRegisterUnit) : 0;
  };
  EXPECT_EQ(registers(16, 128), 32u);
  EXPECT_EQ(registers(32, 128), 48u);
  EXPECT_EQ(registers(48, 128), 64u);
  EXPECT_EQ(registers(96, 128), 128u);
  EXPECT_EQ(registers(40, 256), 64u);
}

// What only the usual path of a reciprocal or a square root reads is dead in its subroutine. With ptxas 13 for sm_90,
// 20 and 21 values beside them are the most that 32 registers hold.
TEST(Allocation, OperandsOfTheUsualPathTakeNoRegisterBesideItsSubroutine) {
  const auto registers = [](const std::string& op, int values) {
    std::string before, after;
    for (int i = 1; i <= values; ++i) {
      const std::string f = "%f" + std::to_string(i), at = "[%rd3+" + std::to_string(512 * i) + "]";
      before += "ld.global.f32 " + f + ", " + at + ";\n";
      after += "mul.f32 " + f + ", " + f + ", %f71;\nst.global.f32 " + at + ", " + f + ";\n";
    }
    const auto code = lower(kernel("mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;\n" + before +
                                   "ld.global.f32 %f70, [%rd3];\n" + op + " %f71, %f70;\n" + after),
                            0, Options{90, 0, 65536});
    return code ? code->registers : 0;
  };
  EXPECT_LE(registers("rcp.rn.f32", 20), 32u);
  EXPECT_GT(registers("rcp.rn.f32", 21), 32u);
  EXPECT_LE(registers("sqrt.rn.f32", 21), 32u);
  EXPECT_GT(registers("sqrt.rn.f32", 22), 32u);
}

// Registers are not kept for blocks that shared memory leaves no room for. With 32 KB and 64 threads a block six fit
// into 228 KB, and ptxas 13 gives a product with two buffers 149 registers, where it gives one with 16 KB 123.
TEST(Allocation, KeepsNoRegistersForBlocksWithoutSharedMemory) {
  const auto registers = [](uint32_t shared, uint32_t block) {
    ir::Module module = loop_of_sums(32, block);
    module.functions[0].shared_bytes = shared;
    Options options{90, 0, 65536};
    options.multiprocessor_shared = 228 << 10, options.shared_reserved_per_block = 1 << 10;
    const auto code = lower(module, 0, options);
    return code ? round_up(code->registers, kRegisterUnit) : 0;
  };
  EXPECT_EQ(registers(0, 128), 48u);
  EXPECT_EQ(registers(16 << 10, 128), 48u);  // 13 blocks, of which 48 registers leave ten
  EXPECT_GT(registers(32 << 10, 128), 64u);  // six, of which each may have 80
  EXPECT_GT(registers(32 << 10, 64), 64u);
}

// A number of registers that the compiler tells changes nothing else: it has the whole unit that the number ends in.
TEST(Allocation, OrdersAsFreelyWhereTheRegistersAreTold) {
  const ir::Module module = loop_of_sums(32, 128);
  const auto order = [](const MachineKernel& code) {
    std::vector<uint32_t> order;
    for (const machine::MachineBlock& block : code.blocks)
      for (const MachineInstruction& m : block.instructions) order.push_back(m.ptx);
    return order;
  };
  Options options{90, 0, 65536};
  const auto chosen = lower(module, 0, options);
  ASSERT_TRUE(chosen);
  for (const uint32_t told : {48u, 45u}) {
    options.registers = told;
    const auto code = lower(module, 0, options);
    ASSERT_TRUE(code);
    EXPECT_EQ(code->registers, told);
    EXPECT_EQ(order(*code), order(*chosen)) << told;
  }
}

TEST(Allocation, SpillsToLocalMemoryAndReloads) {
  std::string loads, stores;
  for (int i = 10; i < 58; ++i) {
    loads += "ld.global.f32 %f" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
    stores += "st.global.f32 [%rd1+" + std::to_string(4 * (57 - i) + 512) + "], %f" + std::to_string(i) + ";\n";
  }
  const ir::Module module = kernel(loads + "bar.sync 0;\n" + stores);
  const auto k = lower(module, 0, Options{90, 32});
  ASSERT_TRUE(k);
  EXPECT_EQ(k->registers, 32u);
  // 48 values and an address: ptxas 13.0 stores and loads 164 bytes with 32 registers.
  EXPECT_NEAR(k->spill_store_bytes, 164, 100);
  EXPECT_EQ(k->spill_load_bytes, k->spill_store_bytes);
  EXPECT_EQ(count(*k, Operation::Stl) * 4, k->spill_store_bytes);
  EXPECT_EQ(count(*k, Operation::Ldl) * 4, k->spill_load_bytes);
  bool behind_barrier = false;
  for (const MachineInstruction& m : k->blocks[0].instructions) {
    behind_barrier |= m.op == Operation::Bar;
    if (m.op != Operation::Stl && m.op != Operation::Ldl) continue;
    EXPECT_TRUE(m.spill);
    EXPECT_EQ(m.access, machine::kNone);
    EXPECT_EQ(m.space, AddressSpace::Local);
    EXPECT_EQ(behind_barrier, m.op == Operation::Ldl);
  }
}

TEST(Allocation, RematerializesConstantsBeforeItSpills) {
  std::string set, use;
  for (int i = 10; i < 50; ++i) {
    set += "mov.f32 %f" + std::to_string(i) + ", 0f3f80" + std::to_string(1000 + i) + ";\n";
    use += "st.global.f32 [%rd1+" + std::to_string(4 * i) + "], %f" + std::to_string(i) + ";\n";
  }
  const auto k =
      lower(kernel(set + "$L: bar.sync 0;\n" + use + "setp.lt.s32 %p1, %r2, %r1; @%p1 bra $L;"), 0, Options{90, 24});
  ASSERT_TRUE(k);
  EXPECT_LE(k->registers, 24u);
  EXPECT_EQ(k->spill_store_bytes, 0u);
}

TEST(Lower, FailsForFunctionsWithoutABody) {
  const ir::Module module = parse(".version 8.3\n.target sm_90\n.address_size 64\n.extern .func f;\n");
  ASSERT_FALSE(module.functions.empty());
  EXPECT_FALSE(lower(module, module.functions[0], Options{}));
  EXPECT_FALSE(lower(module, 0, Options{}));
}

// Every kernel that nvcc compiled from the examples and the ladder.
struct File {
  std::string name;
};
std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(DRYWARP_SOURCE_DIR) + "/tests/golden/lowering"))
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void take(const MachineInstruction& m, std::multiset<uint32_t>& accesses) {
  if (m.access != machine::kNone) accesses.insert(m.access);
  for (uint32_t merged : m.merged_access)
    if (merged != machine::kNone) accesses.insert(merged);
}

class Golden : public testing::TestWithParam<std::filesystem::path> {
 protected:
  void SetUp() override {
    std::ifstream in(GetParam());
    std::stringstream text;
    text << in.rdbuf();
    module = parse(text.str());
    for (ir::FunctionId f = 0; f < module.functions.size(); ++f)
      if (module.functions[f].is_kernel) kernels.push_back(f);
  }
  ir::Function prepared(ir::FunctionId f) const {
    return analysis::split_at_waits(module, ir::inline_calls(module, module.functions[f]));
  }
  ir::Module module;
  std::vector<ir::FunctionId> kernels;
};

TEST_P(Golden, KeepsToAnyBudget) {
  for (ir::FunctionId f : kernels)
    for (const uint32_t most : {16u, 24u, 32u}) {
      const auto k = lower(module, f, Options{90, most});
      ASSERT_TRUE(k);
      uint32_t highest = 0;
      size_t stores = 0, loads = 0;
      for (const machine::MachineBlock& block : k->blocks)
        for (const MachineInstruction& m : block.instructions) {
          for (const auto& range : {m.destination[0], m.destination[1], m.source[0], m.source[1], m.source[2]})
            if (range && range.file == machine::RegisterFile::General)
              highest = std::max<uint32_t>(highest, range.first + range.count);
          stores += m.spill && m.op == Operation::Stl;
          loads += m.spill && m.op == Operation::Ldl;
        }
      EXPECT_EQ(k->spill_store_bytes == 0, stores == 0) << k->name;
      EXPECT_EQ(k->spill_load_bytes == 0, loads == 0) << k->name;
      const bool bounded = k->registers > most;
      EXPECT_LE(highest, bounded ? k->registers : most) << k->name << " with at most " << most;
    }
}

TEST_P(Golden, EveryBlockStandsAloneAndLongerPathsComeFirst) {
  for (ir::FunctionId f : kernels) {
    const ir::Function code = prepared(f);
    const auto k = lower(module, code, Options{});
    ASSERT_TRUE(k);
    std::set<uint32_t> alone;
    for (size_t i = 0; i < k->blocks.size(); ++i) {
      const auto& path = k->blocks[i].path;
      ASSERT_FALSE(path.empty());
      EXPECT_FALSE(path[0].optional);
      if (path.size() == 1) EXPECT_TRUE(alone.insert(path[0].block).second);
      if (i == 0) continue;
      const auto& before = k->blocks[i - 1].path;
      EXPECT_LE(before[0].block, path[0].block);
      if (before[0].block == path[0].block) EXPECT_GE(before.size(), path.size());
    }
    EXPECT_EQ(alone.size(), code.blocks.size()) << code.name;
  }
}

TEST_P(Golden, EveryWalkIsMatchedAndTakesItsAccessesOnce) {
  std::mt19937 random(7);
  for (ir::FunctionId f : kernels) {
    const ir::Function code = prepared(f);
    const auto k = lower(module, code, Options{});
    ASSERT_TRUE(k);
    // Accesses of each block, from the machine block of that block alone; dead loads have none.
    std::map<uint32_t, std::multiset<uint32_t>> of_block;
    for (const auto& b : k->blocks)
      if (b.path.size() == 1)
        for (const auto& m : b.instructions) take(m, of_block[b.path[0].block]);
    for (int round = 0; round < 20; ++round) {
      const std::vector<uint32_t> steps = walk(code, random, 300);
      for (size_t at = 0; at < steps.size();) {
        const machine::MachineBlock* block = longest_fit(*k, steps, at);
        ASSERT_NE(block, nullptr) << code.name << " block " << steps[at];
        std::vector<size_t> taken;
        const size_t length = match(*block, steps, at, &taken);
        for (size_t i = 0; i < taken.size(); ++i) {
          std::multiset<uint32_t> accesses;
          for (const auto& m : block->instructions) {
            ASSERT_LT(m.step, block->path.size());
            if (m.step == taken[i]) take(m, accesses);
          }
          EXPECT_EQ(accesses, of_block[steps[at + i]]) << code.name << " block " << steps[at + i];
        }
        at += length;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Nvcc, Golden, testing::ValuesIn(golden_files()),
                         [](const auto& info) { return info.param.stem().string(); });

// As ptxas 13: 45 instructions where a sum is one.
TEST(Lowering, TheNthSetBitIsSearchedByHalves) {
  const auto k =
      lowered(kernel("ld.global.u32 %r3, [%rd1]; ld.global.u32 %r4, [%rd1+4]; fns.b32 %r5, %r3, 0, %r4;"
                     "st.global.u32 [%rd1], %r5;"));
  const auto without =
      lowered(kernel("ld.global.u32 %r3, [%rd1]; ld.global.u32 %r4, [%rd1+4]; add.s32 %r5, %r3, %r4;"
                     "st.global.u32 [%rd1], %r5;"));
  EXPECT_EQ(count(k, Operation::Popc), 4u);
  EXPECT_EQ(count(k, Operation::Isetp), 8u);
  EXPECT_EQ(count(k, Operation::Bra), 2u);
  EXPECT_EQ(k.blocks.at(0).instructions.size(), without.blocks.at(0).instructions.size() + 44);
}

// As ptxas 13: behind the subroutine of a division of floats, what integer divisions share is computed again.
TEST(Lowering, ReciprocalsAreSharedUpToTheNextSlowPath) {
  const std::string loads = "ld.global.u32 %r3, [%rd1]; ld.global.u32 %r4, [%rd1+4]; ld.global.f32 %f1, [%rd1+8];";
  const std::string first = "rem.u32 %r5, %r3, %r2;", second = "rem.u32 %r6, %r4, %r2;";
  const std::string store = "st.global.u32 [%rd1], %r5; st.global.u32 [%rd1+4], %r6;";
  EXPECT_EQ(count(lowered(kernel(loads + first + second + store)), Operation::I2f), 1u);
  const std::string slow = "div.rn.f32 %f2, %f1, 0f40C00000; st.global.f32 [%rd1+8], %f2;";
  EXPECT_EQ(count(lowered(kernel(loads + first + slow + second + store)), Operation::I2f), 2u);
  EXPECT_EQ(count(lowered(kernel(loads + first + second + slow + store)), Operation::I2f), 1u);
}

}  // namespace
}  // namespace drywarp::sass
