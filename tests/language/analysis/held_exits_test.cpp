// Lanes that leave inside a branch wait where its sides meet.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "language/ir/passes.h"
#include "ptx_kernel.h"

namespace drywarp::analysis {
namespace {

const std::string kKernelHead = ".visible .entry k(.param .u64 p) {\n";
const std::string kFirstLines =
    ".reg .pred %p<20>; .reg .b32 %r<20>; .reg .b64 %rd<4>;\nmov.u32 %r0, %tid.x;\nsetp.eq.u32 %p1, %r0, 3;\n"
    "setp.eq.u32 %p2, %r0, 4;\nsetp.eq.u32 %p3, %r0, 5;\nsetp.eq.u32 %p4, %r0, 6;\n";

struct HeldKernel {
  explicit HeldKernel(const std::string& body) : k(kKernelHead, kFirstLines + body), f(hold_leaving_lanes(k.f)) {
    const Status status = ir::verify(k.module, f);
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.problem().to_string());
    flow = control_flow(f);
  }
  // The block with `mov.u32 %r9, number`.
  [[nodiscard]] ir::BlockId at(uint64_t number) const {
    for (ir::BlockId b = 0; b < f.blocks.size(); ++b)
      for (uint32_t i = f.blocks[b].first; i < f.blocks[b].end; ++i) {
        const ir::Instruction& in = f.instructions[i];
        if (in.op == ir::Opcode::Mov && in.dst[0].id == nine() && in.src[0].bits == number) return b;
      }
    return ir::kNone;
  }
  // Where lanes that part behind that block meet: the point's own number, or that of the block behind held ones.
  [[nodiscard]] ir::BlockId meet(uint64_t number) const {
    ir::BlockId b = flow.reconvergence[at(number)];
    while (b != ir::kExit && f.instructions[f.blocks[b].first].origin == ir::Origin::Held)
      b = f.blocks[b].successors.back();
    return b;
  }
  [[nodiscard]] ir::RegisterId nine() const {
    for (ir::RegisterId r = 0; r < f.registers.size(); ++r)
      if (f.registers[r].name == "%r9") return r;
    return ir::kNone;
  }
  PtxKernel k;
  ir::Function f;
  ControlFlow flow;
};

TEST(HeldExits, BreakInsideABranch) {
  const HeldKernel k(
      "LOOP: mov.u32 %r9, 1;\n@%p1 bra REST;\nmov.u32 %r9, 2;\n@%p2 bra OUT;\n"
      "REST: mov.u32 %r9, 3;\n@%p3 bra LOOP;\nOUT: mov.u32 %r9, 4;\n");
  EXPECT_EQ(k.meet(1), k.at(3));
  EXPECT_EQ(k.meet(3), k.at(4));
}

TEST(HeldExits, ReturnInsideABranch) {
  const HeldKernel k(
      "mov.u32 %r9, 1;\n@%p1 bra REST;\nmov.u32 %r9, 2;\n@%p2 bra END;\nmov.u32 %r9, 3;\n"
      "REST: mov.u32 %r9, 4;\nEND:");
  EXPECT_EQ(k.meet(1), k.at(4));
}

// A jump out of two loops.
TEST(HeldExits, LeavesTwoLoops) {
  const HeldKernel k(
      "OUTER: mov.u32 %r9, 1;\nINNER: mov.u32 %r9, 2;\n@%p1 bra NEXT;\nmov.u32 %r9, 3;\n@%p2 bra DONE;\n"
      "NEXT: mov.u32 %r9, 4;\n@%p3 bra INNER;\nmov.u32 %r9, 5;\n@%p4 bra OUTER;\nDONE: mov.u32 %r9, 6;\n");
  EXPECT_EQ(k.meet(2), k.at(4));
  EXPECT_EQ(k.meet(4), k.at(5));
  EXPECT_EQ(k.meet(5), k.at(6));
}

TEST(HeldExits, SidesThatMeetAtTheLoopsHead) {
  const HeldKernel k(
      "LOOP: mov.u32 %r9, 1;\n@%p1 bra SIDE;\nmov.u32 %r9, 2;\n@%p2 bra OUT;\nmov.u32 %r9, 3;\nbra LOOP;\n"
      "SIDE: mov.u32 %r9, 4;\n@%p3 bra LOOP;\nmov.u32 %r9, 5;\nbra LOOP;\nOUT: mov.u32 %r9, 6;\n");
  EXPECT_EQ(k.meet(1), k.at(1));
  EXPECT_EQ(k.meet(4), k.at(1));
}

// A branch that leaves is no branch with sides; what falls into the end is no early end.
TEST(HeldExits, OthersStay) {
  // The last: what follows a loop jumps to the end, and another side falls into it.
  for (const char* body :
       {"LOOP: mov.u32 %r9, 1;\n@%p1 bra OUT;\nmov.u32 %r9, 2;\n@%p2 bra LOOP;\nOUT: mov.u32 %r9, 3;\n",
        "@%p1 bra END;\nmov.u32 %r9, 1;\n@%p2 bra NEXT;\nmov.u32 %r9, 2;\nNEXT: mov.u32 %r9, 3;\nEND:",
        "LOOP: mov.u32 %r9, 1;\n@%p1 bra LOOP;\nmov.u32 %r9, 2;\n",
        "@%p1 bra END;\n@%p2 bra SIDE;\nLOOP: mov.u32 %r9, 1;\n@%p3 bra LOOP;\nmov.u32 %r9, 2;\nbra END;\n"
        "SIDE: mov.u32 %r9, 3;\nEND:"}) {
    const HeldKernel k(body);
    EXPECT_EQ(k.f.blocks.size(), k.k.f.blocks.size()) << body;
  }
}

// The program's instructions that one lane runs: the numbers that %r9 gets. Each branch of the program takes the next
// bit of `random`.
std::vector<uint64_t> path(const ir::Function& f, std::mt19937 random) {
  std::map<ir::RegisterId, bool> flags;
  std::vector<uint64_t> numbers;
  ir::BlockId b = 0;
  for (int steps = 0; b != ir::kExit && numbers.size() < 300 && steps < 3000; ++steps) {
    const ir::Block& block = f.blocks[b];
    const ir::Instruction* last = block.first == block.end ? nullptr : &f.instructions[block.end - 1];
    if (last && last->op == ir::Opcode::Bra && last->guard && last->origin != ir::Origin::Held)
      flags[last->guard.reg] = (random() & 1) != 0;
    for (uint32_t i = block.first; i < block.end; ++i) {
      const ir::Instruction& in = f.instructions[i];
      if (in.origin == ir::Origin::Held && in.op != ir::Opcode::Bra) {
        const ir::Operand& from = in.src[0];
        const bool value = from.kind == ir::Operand::Kind::Register ? flags[from.id] : from.bits != 0;
        flags[in.dst[0].id] = value != (in.op == ir::Opcode::Not);
      } else if (in.op == ir::Opcode::Mov && in.src[0].kind == ir::Operand::Kind::Immediate) {
        numbers.push_back(in.src[0].bits);
      }
    }
    const bool goes =
        !last || last->op != ir::Opcode::Bra || !last->guard || flags[last->guard.reg] != last->guard.negate;
    b = goes ? block.successors[0] : block.successors[1];
  }
  if (numbers.size() > 300) numbers.resize(300);
  return numbers;
}

TEST(HeldExits, RandomCodeRunsTheSame) {
  std::mt19937 random(7);
  size_t held = 0;
  for (int n = 0; n < 400; ++n) {
    const unsigned blocks = 4 + random() % 14;
    std::string body;
    for (unsigned b = 0; b < blocks; ++b) {
      body += "L" + std::to_string(b) + ": mov.u32 %r9, " + std::to_string(b + 100) + ";\n";
      // Mostly forward, sometimes back; some jump always.
      const bool back = random() % 4 == 0;
      const unsigned target = back ? random() % (b + 1) : b + random() % (blocks - b + 1);
      const std::string to = target >= blocks ? "END" : "L" + std::to_string(target);
      const unsigned kind = random() % 8;
      if (kind == 0 && !back) body += "bra " + to + ";\n";
      if (kind > 0 && kind < 7)
        body += std::string("@") + (random() % 2 == 0 ? "!" : "") + "%p" + std::to_string(1 + random() % 4) + " bra " +
                to + ";\n";
    }
    body += "END:";
    const HeldKernel k(body);
    held += k.f.blocks.size() > k.k.f.blocks.size();
    for (unsigned seed = 0; seed < 8; ++seed)
      ASSERT_EQ(path(k.k.f, std::mt19937(seed)), path(k.f, std::mt19937(seed))) << body;
  }
  EXPECT_GT(held, 50U);
}

}  // namespace
}  // namespace drywarp::analysis
