// Inlining keeps what a kernel computes and what it counts.
#include <algorithm>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "interpreter.h"
#include "language/ir/passes.h"
#include "language/ir/print.h"
#include "modules.h"

namespace drywarp::ir {
namespace {

size_t count(const Function& f, Opcode op, Origin origin) {
  return size_t(std::count_if(f.instructions.begin(), f.instructions.end(),
                              [&](const Instruction& i) { return i.op == op && i.origin == origin; }));
}

struct Program {
  const char* name;
  const char* functions;  // the kernel k has parameter n, pointer p
  const char* body;
  unsigned real_calls;  // that stay in the inlined kernel's code
};

class Inlining : public testing::TestWithParam<Program> {};

std::string text_of(const Program& program) {
  return std::string(program.functions) +
         ".entry k(.param .u64 p, .param .u32 n) {\n.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 "
         "%rd<20>;\n"
         "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\n" +
         program.body + "\n}\n";
}

TEST_P(Inlining, KeepsWhatAKernelComputesAndCounts) {
  const Module module = load(text_of(GetParam()));
  ASSERT_FALSE(module.functions.empty());
  const Function& kernel = function(module, "k");
  const Function inlined = inline_calls(module, kernel);
  const Status status = verify(module, inlined);
  ASSERT_TRUE(status.ok()) << status.problem().to_string();
  EXPECT_EQ(count(inlined, Opcode::Call, Origin::Text), GetParam().real_calls);
  for (uint32_t n : {0u, 1u, 2u, 3u, 7u, 200u, 0xffffffffu, 0x80000000u}) {
    std::vector<uint8_t> parameters(16);
    const uint64_t p = 0x7000;
    std::memcpy(parameters.data(), &p, 8);
    std::memcpy(parameters.data() + 8, &n, 4);
    Interpreter real(module), flat(module);
    real.run(kernel, parameters);
    flat.run(inlined, parameters);
    EXPECT_FALSE(real.stores.empty());
    EXPECT_EQ(real.stores, flat.stores) << "n = " << n;
    EXPECT_EQ(real.calls, flat.calls) << "n = " << n;
    EXPECT_EQ(real.returns, flat.returns) << "n = " << n;
  }
}

constexpr const char* kAddOne =
    ".func (.param .b32 r) add_one(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1, [a]; add.s32 %r2, %r1, 1; "
    "st.param.b32 [r], %r2; ret; }\n";

INSTANTIATE_TEST_SUITE_P(
    Ir, Inlining,
    testing::Values(
        Program{"simple", kAddOne,
                "{ .param .b32 x, y; st.param.b32 [x], %r1; call (y), add_one, (x); ld.param.b32 %r2, [y]; }\n"
                "st.global.u32 [%rd1], %r2; ret;",
                0},
        Program{"twice_in_a_loop", kAddOne,
                "mov.u32 %r3, 3;\n"
                "loop: { .param .b32 x, y; st.param.b32 [x], %r1; call (y), add_one, (x); ld.param.b32 %r1, [y]; }\n"
                "{ .param .b32 x, y; st.param.b32 [x], %r1; call (y), add_one, (x); ld.param.b32 %r1, [y]; }\n"
                "st.global.u32 [%rd1], %r1; sub.s32 %r3, %r3, 1; setp.ne.s32 %p1, %r3, 0; @%p1 bra loop; ret;",
                0},
        Program{"early_return",
                ".func (.reg .u32 r) clip(.reg .u32 a) { .reg .pred %p; setp.lt.s32 %p, a, 5; mov.u32 r, a; @%p ret; "
                "mov.u32 r, 5; ret; }\n",
                "call (%r2), clip, (%r1); call (%r3), clip, (9); call (_), clip, (%r1);\n"
                "st.global.v2.u32 [%rd1], {%r2, %r3}; ret;",
                0},
        Program{"guarded_call", kAddOne,
                ".param .b32 x, y; st.param.b32 [x], %r1; st.param.b32 [y], 77; setp.lt.s32 %p1, %r1, 3;\n"
                "@%p1 call (y), add_one, (x); ld.param.b32 %r2, [y]; st.global.u32 [%rd1+8], %r2;\n"
                "@!%p1 call (y), add_one, (x); ld.param.b32 %r2, [y]; st.global.u32 [%rd1+8], %r2; ret;",
                0},
        Program{
            "guarded_call_of_registers", ".func (.reg .u32 r) next(.reg .u32 a) { add.u32 r, a, 1; ret; }\n",
            "mov.u32 %r2, 5; setp.lt.s32 %p1, %r1, 3; @%p1 call (%r2), next, (%r1); st.global.u32 [%rd1], %r2; ret;",
            0},
        Program{"nested",
                ".func (.param .b32 r) inner(.param .b32 a) { .reg .b32 %r<3>; .local .b32 l; ld.param.b32 %r1, [a]; "
                "st.local.u32 [l], %r1; "
                "ld.local.u32 %r2, [l]; mul.lo.u32 %r2, %r2, 3; st.param.b32 [r], %r2; ret; }\n"
                ".func (.param .b32 r) outer(.param .b32 a) { .reg .b32 %r<3>; .local .b32 l; .param .b32 x, y; "
                "ld.param.b32 %r1, [a]; "
                "st.local.u32 [l], %r1; st.param.b32 [x], %r1; call (y), inner, (x); call (r), inner, (y); "
                "ld.local.u32 %r2, [l]; "
                "ld.param.b32 %r1, [r]; add.u32 %r1, %r1, %r2; st.param.b32 [r], %r1; ret; }\n",
                ".local .b32 l; st.local.u32 [l], %r1; { .param .b32 x, y; st.param.b32 [x], %r1; call (y), outer, "
                "(x); ld.param.b32 %r2, [y];\n"
                " call (y), outer, (x); ld.param.b32 %r4, [y]; }\n"
                "ld.local.u32 %r3, [l]; st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4}; ret;",
                0},
        Program{"parts_of_a_struct",
                ".func (.param .align 8 .b8 r[24]) swap(.param .align 8 .b8 a[24]) { .reg .b32 %r<5>; .reg .b64 "
                "%rd<3>; .reg .b16 %h<3>; "
                "ld.param.b64 %rd1, [a+8]; ld.param.v2.b32 {%r1, %r2}, [a]; ld.param.s8 %h1, [a+16]; ld.param.s8 %r3, "
                "[a+17]; "
                "st.param.b64 [r], %rd1; st.param.v2.b32 [r+8], {%r2, %r1}; st.param.b8 [r+16], %h1; st.param.b8 "
                "[r+17], %r3; ret; }\n",
                "{ .param .align 8 .b8 x[24]; .param .align 8 .b8 y[24]; st.param.v2.b32 [x], {%r1, 9}; st.param.b64 "
                "[x+8], %rd1; st.param.b8 [x+16], %r1;\n"
                "st.param.b8 [x+17], 200; call (y), swap, (x); ld.param.b64 %rd2, [y]; ld.param.v2.b32 {%r2, %r3}, "
                "[y+8]; ld.param.u8 %r4, [y+16]; ld.param.s8 %h2, [y+17]; }\n"
                "st.global.u64 [%rd1], %rd2; st.global.v2.u32 [%rd1], {%r2, %r3}; st.global.u32 [%rd1], %r4; "
                "st.global.u16 [%rd1], %h2; ret;",
                0},
        Program{"overlapping_parts_stay_in_memory",
                ".func (.param .b64 r) join(.param .b64 a) { .reg .b32 %r<5>; .reg .b64 %rd<3>; ld.param.b32 %r1, [a]; "
                "ld.param.b32 %r2, [a+4]; "
                "st.param.b32 [r], %r2; st.param.b32 [r+4], %r1; ret; }\n",
                "{ .param .b64 x, y; st.param.b64 [x], %rd1; st.param.b32 [x+4], %r1; call (y), join, (x); "
                "ld.param.b64 %rd2, [y]; }\n"
                "st.global.u64 [%rd1], %rd2; ret;",
                0},
        Program{"recursive",
                ".func (.param .b32 r) sum(.param .b32 a) { .reg .pred %p; .reg .b32 %r<5>; .param .b32 x, y; .local "
                ".b32 keep; ld.param.b32 %r1, [a]; mov.u32 %r3, 0;\n"
                "setp.lt.s32 %p, %r1, 1; @%p bra done; setp.gt.s32 %p, %r1, 50; @%p bra done; st.local.u32 [keep], "
                "%r1; sub.s32 %r2, %r1, 1; st.param.b32 [x], %r2; "
                "call (y), sum, (x); ld.param.b32 %r3, [y]; ld.local.u32 %r1, [keep]; add.s32 %r3, %r3, %r1;\n done: "
                "st.param.b32 [r], %r3; ret; }\n",
                "{ .param .b32 x, y; st.param.b32 [x], %r1; call (y), sum, (x); ld.param.b32 %r2, [y]; } st.global.u32 "
                "[%rd1], %r2; ret;",
                1},
        Program{"indirect", kAddOne,
                "mov.u64 %rd2, add_one; { .param .b32 x, y; st.param.b32 [x], %r1; P: .callprototype (.param .b32 _) _ "
                "(.param .b32 _);\n"
                "call (y), %rd2, (x), P; ld.param.b32 %r2, [y]; call (y), add_one, (x); ld.param.b32 %r3, [y]; } "
                "st.global.v2.u32 [%rd1], {%r2, %r3}; ret;",
                1},
        Program{"exit_in_a_callee",
                ".func maybe(.reg .u32 a) { .reg .pred %p; setp.lt.s32 %p, a, 3; @%p exit; ret; }\n",
                "st.global.u32 [%rd1], 1; call maybe, (%r1); st.global.u32 [%rd1], 2; ret;", 0},
        Program{"indexed_branch_in_a_callee",
                ".func (.reg .u32 r) pick(.reg .u32 a) { .reg .pred %p; mov.u32 r, 9; setp.gt.u32 %p, a, 2; @%p ret; "
                "T: .branchtargets A, B, A; brx.idx a, T;\n"
                "A: mov.u32 r, 1; ret; B: mov.u32 r, 2; }\n",
                "setp.gt.s32 %p1, %r1, 2; @%p1 mov.u32 %r1, 0; setp.lt.s32 %p1, %r1, 0; @%p1 mov.u32 %r1, 1; call "
                "(%r2), pick, (%r1); call (%r3), pick, (1);\n"
                "st.global.v2.u32 [%rd1], {%r2, %r3}; ret;",
                0},
        Program{"one_slot_for_two",
                ".func (.param .b32 r) both(.param .b32 a, .param .b32 b) { .reg .b32 %r<4>; st.param.b32 [r], 7; "
                "ld.param.b32 %r1, [a]; ld.param.b32 %r2, [b]; "
                "add.u32 %r3, %r1, %r2; st.param.b32 [r], %r3; ret; }\n",
                ".param .b32 x; st.param.b32 [x], %r1; call (x), both, (x, x); ld.param.b32 %r2, [x]; st.global.u32 "
                "[%rd1], %r2; ret;",
                1}),
    [](const auto& info) { return info.param.name; });

TEST(InlineCalls, WholeSlotsBecomeRegisters) {
  const Module module =
      load(text_of({"", kAddOne,
                    "{ .param .b32 x, y; st.param.b32 [x], %r1; call (y), add_one, (x); ld.param.b32 %r2, [y]; }"
                    "st.global.u32 [%rd1], %r2; ret;",
                    0}));
  const Function inlined = inline_calls(module, function(module, "k"));
  EXPECT_EQ(inlined.local_bytes, 0u);
  for (const Instruction& i : inlined.instructions) {
    if (i.address) EXPECT_NE(i.mods.space, AddressSpace::ParamFunc) << print(inlined, i);
  }
  EXPECT_GT(function(module, "k").local_bytes, 0u);
  // The listing still shows what the text has.
  const auto store = std::find_if(inlined.instructions.begin(), inlined.instructions.end(),
                                  [&](const Instruction& i) { return print(inlined, i) == "st.param.b32 [x], %r1;"; });
  ASSERT_NE(store, inlined.instructions.end());
  EXPECT_EQ(store->op, Opcode::Mov);
  EXPECT_EQ(store->origin, Origin::Text);
}

TEST(InlineCalls, LeavesSlotsOfRealCallsAlone) {
  const Module module = load(".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n" +
                             text_of({"", "",
                                      "{ .param .b64 x, y; .param .b32 z; st.param.b64 [x], %rd1; st.param.b64 [y], "
                                      "%rd1; call (z), vprintf, (x, y); ld.param.b32 %r2, [z]; } ret;",
                                      1}));
  const Function inlined = inline_calls(module, function(module, "k"));
  EXPECT_EQ(count(inlined, Opcode::St, Origin::Text), 2u);
  EXPECT_EQ(inlined.local_bytes, 20u);
}

TEST(InlineCalls, PlacesLeadToTheCall) {
  const Module module = load(
      ".file 1 \"a.cu\"\n.func inner() {\n.reg .b32 %r<2>;\n.loc 1 5 1\nmov.u32 %r1, 1;\nret; }\n"
      ".func outer() {\n.loc 1 10 1\ncall inner;\nret; }\n.entry k() {\n.loc 1 20 1\ncall outer;\nret; }\n");
  const Function inlined = inline_calls(module, function(module, "k"));
  const auto mov = std::find_if(inlined.instructions.begin(), inlined.instructions.end(),
                                [](const Instruction& i) { return i.op == Opcode::Mov; });
  ASSERT_NE(mov, inlined.instructions.end());
  std::vector<uint32_t> lines;
  for (uint32_t at = mov->place; at != kNone; at = inlined.places[at].inlined_at)
    lines.push_back(inlined.places[at].line);
  EXPECT_THAT(lines, testing::ElementsAre(5, 10, 20));
}

TEST(InlineCalls, StopsGrowing) {
  // Each function calls the next one four times: 4^20 copies without a limit.
  std::string text = ".func f0() { .reg .b32 %r<2>; mov.u32 %r1, 1; ret; }\n";
  for (int i = 1; i <= 20; ++i) {
    const std::string call = "call f" + std::to_string(i - 1) + "; ";
    text += ".func f" + std::to_string(i) + "() { " + call + call + call + call + "ret; }\n";
  }
  const Module module = load(text + ".entry k() { call f20; ret; }");
  const Function inlined = inline_calls(module, function(module, "k"));
  EXPECT_LE(inlined.instructions.size(), 1u << 16);
  EXPECT_TRUE(verify(module, inlined).ok());
}

TEST(InlineCalls, DeepChainsNeedNoStack) {
  std::string text = ".func f0() { ret; }\n";
  for (int i = 1; i <= 20000; ++i)
    text += ".func f" + std::to_string(i) + "() { call f" + std::to_string(i - 1) + "; ret; }\n";
  const Module module = load(text + ".entry k() { call f2000; ret; }");
  const Function inlined = inline_calls(module, function(module, "k"));
  EXPECT_EQ(count(inlined, Opcode::Call, Origin::InlinedCall), 2001u);
}

TEST(InlineCalls, WorkOnRealModules) {
  for (const char* name : {"calls_nvcc", "calls_nvcc_debug", "calls_clang", "syntax"}) {
    std::ifstream file(std::string(DRYWARP_SOURCE_DIR "/tests/golden/ptx/") + name + ".ptx");
    std::stringstream text;
    text << file.rdbuf();
    const Result<Module> module = parse_module(text.str(), name);
    ASSERT_TRUE(module.ok()) << module.problem().to_string();
    unsigned inlined_calls = 0;
    for (const Function& f : module->functions) {
      if (f.is_declaration) continue;
      const Function inlined = inline_calls(*module, f);
      const Status status = verify(*module, inlined);
      EXPECT_TRUE(status.ok()) << status.problem().to_string();
      inlined_calls += unsigned(count(inlined, Opcode::Call, Origin::InlinedCall));
    }
    EXPECT_GT(inlined_calls, 0u) << name;
  }
}

}  // namespace
}  // namespace drywarp::ir
