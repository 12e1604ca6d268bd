// Short conditions of && and || are joined into one branch.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "language/ir/passes.h"
#include "ptx_kernel.h"

namespace drywarp::analysis {
namespace {

using ir::Opcode;

const std::string kOneParameter = ".visible .entry k(.param .u64 p) {\n";
const std::string kMakeFirst =
    ".reg .pred %p<20>; .reg .b32 %r<30>; .reg .f32 %f<20>; .reg .b64 %rd<4>;\nmov.u32 %r0, %tid.x;\n"
    "mov.u32 %r1, %ctaid.x;\nld.param.u64 %rd1, [p];\nsetp.eq.u32 %p1, %r0, 3;\n";

struct Joined {
  explicit Joined(const std::string& body) : k(kOneParameter, kMakeFirst + body), f(join_short_circuits(k.f)) {
    const Status status = ir::verify(k.module, f);
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.problem().to_string());
    for (unsigned values = 0; values < 64; ++values) EXPECT_EQ(stores(k.f, values), stores(f, values)) << values;
  }
  // How many conditional branches are left.
  [[nodiscard]] long branches() const {
    return std::ranges::count_if(f.instructions, [](const auto& in) { return in.op == Opcode::Bra && in.guard; });
  }
  // What a lane stores for which bit n of `values` is predicate %p(n + 1), however it was computed.
  [[nodiscard]] static std::vector<uint64_t> stores(const ir::Function& f, unsigned values) {
    std::vector<uint64_t> found;
    std::map<ir::RegisterId, bool> made;
    const auto is_set = [&](ir::RegisterId r, bool negate) {
      const auto known = made.find(r);
      const bool set =
          known != made.end() ? known->second : (values >> (std::stoi(f.registers[r].name.substr(2)) - 1) & 1) != 0;
      return set != negate;
    };
    for (ir::BlockId b = 0; b != ir::kExit;) {
      ir::BlockId next = f.blocks[b].successors[0];
      for (uint32_t i = f.blocks[b].first; i < f.blocks[b].end; ++i) {
        const ir::Instruction& in = f.instructions[i];
        if (in.op == Opcode::St) found.push_back(in.src[0].bits);
        if (in.op == Opcode::Or && in.type == ir::Type::Pred)
          made[in.dst[0].id] = is_set(in.src[0].id, in.src[0].negate) || is_set(in.src[1].id, in.src[1].negate);
        if (in.op == Opcode::Bra && in.guard && !is_set(in.guard.reg, in.guard.negate))
          next = f.blocks[b].successors[1];
      }
      b = next;
    }
    return found;
  }
  PtxKernel k;
  ir::Function f;
};

// `n` instructions that make %p2; the last one is the comparison.
std::string second(unsigned n, const std::string& last = "setp.gt.s32 %p2, %r20, 100;\n") {
  std::string code;
  for (unsigned i = 1; i < n; ++i) code += i == 1 ? "add.s32 %r20, %r0, %r1;\n" : "xor.b32 %r20, %r20, %r0;\n";
  return code + last;
}
const std::string kEither = "bra J;\nT: st.global.u32 [%rd1], 1;\nJ: st.global.u32 [%rd1], 2;\n";

TEST(ShortCircuits, EitherOfTwo) {
  EXPECT_EQ(Joined("@%p1 bra T;\n" + second(5) + "@%p2 bra T;\n" + kEither).branches(), 1);
  EXPECT_EQ(Joined("@%p1 bra T;\n" + second(5) + "@!%p2 bra T;\n" + kEither).branches(), 1);
  EXPECT_EQ(Joined("@!%p1 bra T;\n" + second(5) + "@!%p2 bra J;\n" + kEither.substr(7)).branches(), 1);
}

TEST(ShortCircuits, BothOfTwo) {
  const std::string rest = "st.global.u32 [%rd1], 1;\nJ: st.global.u32 [%rd1], 2;\n";
  EXPECT_EQ(Joined("@%p1 bra J;\n" + second(5) + "@%p2 bra J;\n" + rest).branches(), 1);
  EXPECT_EQ(Joined("@!%p1 bra J;\n" + second(5) + "@%p2 bra J;\n" + rest).branches(), 1);
}

// The second condition stands behind the target.
TEST(ShortCircuits, SecondStandsElsewhere) {
  const Joined k("@!%p1 bra Y;\nT: st.global.u32 [%rd1], 1;\nbra J;\nY: " + second(3) +
                 "@%p2 bra T;\nst.global.u32 [%rd1], 3;\nJ: st.global.u32 [%rd1], 2;\n");
  EXPECT_EQ(k.branches(), 1);
}

TEST(ShortCircuits, LongOrSlowOrReadConditionsStay) {
  EXPECT_EQ(Joined("@%p1 bra T;\n" + second(6) + "@%p2 bra T;\n" + kEither).branches(), 2);
  const std::string compare = "setp.gt.f32 %p2, %f1, 0f40000000;\n";
  EXPECT_EQ(Joined("@%p1 bra T;\nld.global.f32 %f1, [%rd1];\n" + compare + "@%p2 bra T;\n" + kEither).branches(), 2);
  EXPECT_EQ(Joined("@%p1 bra T;\nex2.approx.f32 %f1, %f2;\n" + compare + "@%p2 bra T;\n" + kEither).branches(), 2);
  const std::string read = "bra J;\nT: st.global.u32 [%rd1], 1;\nJ: st.global.u32 [%rd1 + 4], %r20;\n";
  EXPECT_EQ(Joined("@%p1 bra T;\n" + second(3) + "@%p2 bra T;\n" + read).branches(), 2);
}

// Absolute values of floats and literals are operands.
TEST(ShortCircuits, OperandsAreFree) {
  const std::string more = second(4, "abs.f32 %f1, %f2;\nmov.f32 %f3, 0f40000000;\nsetp.gt.f32 %p2, %f1, %f3;\n");
  EXPECT_EQ(Joined("@%p1 bra T;\n" + more + "@%p2 bra T;\n" + kEither).branches(), 1);
}

// The last two are joined first, which counts as one more: 1 + 1 + 1 fit into five, 2 + 2 do, 2 + 3 do not.
TEST(ShortCircuits, Chains) {
  const auto third = [](unsigned n) {
    std::string code;
    for (unsigned i = 1; i < n; ++i) code += i == 1 ? "add.s32 %r21, %r0, %r1;\n" : "xor.b32 %r21, %r21, %r0;\n";
    return code + "setp.gt.s32 %p3, %r21, 100;\n@%p3 bra T;\n";
  };
  EXPECT_EQ(Joined("@%p1 bra T;\n" + second(2) + "@%p2 bra T;\n" + third(2) + kEither).branches(), 1);
  EXPECT_EQ(Joined("@%p1 bra T;\n" + second(2) + "@%p2 bra T;\n" + third(3) + kEither).branches(), 2);
  const std::string fourth = "setp.gt.s32 %p4, %r1, 7;\n@%p4 bra T;\n";
  EXPECT_EQ(Joined("@%p1 bra T;\n" + second(1) + "@%p2 bra T;\n" + third(1) + fourth + kEither).branches(), 1);
}

TEST(ShortCircuits, LanesThatEndDoSoOneByOne) {
  EXPECT_EQ(Joined("@%p1 bra E;\n" + second(2) +
                   "@%p2 bra E;\nst.global.u32 [%rd1], 1;\nbra J;\nE: ret;\nJ: "
                   "st.global.u32 [%rd1], 2;\n")
                .branches(),
            2);
}

}  // namespace
}  // namespace drywarp::analysis
