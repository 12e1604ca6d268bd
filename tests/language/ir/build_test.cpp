// Modules built from text: operands, names, blocks, layouts, places, errors.
#include "language/ir/build/build.h"

#include <algorithm>
#include <cstring>

#include <gmock/gmock.h>

#include "language/ir/passes.h"
#include "language/ir/print.h"
#include "modules.h"

namespace drywarp::ir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Build, FlattensOperands) {
  const Module module = load_body(
      "ld.global.v4.u32 {%r1, _, %r2, %r3}, [%rd1+16];\n"
      "mov.b64 %rd1, {%r1, 7};\n"
      "setp.lt.or.s32 %p1|%p2, %r1, -1, !%p3;\n"
      "atom.global.cas.b32 %r4, [%rd1], %r1, 9;\n"
      "cp.async.cg.shared.global [%r1], [%rd2], 16;\n"
      "bar.red.popc.u32 %r5, 1, %p1;\n"
      "bar.sync 1, 64;\n"
      "shl.b64 %rd3, %rd2, 3;\n"
      "vote.sync.all.pred %p4, !%p1, -1;");
  const auto& i = module.functions[0].instructions;
  ASSERT_EQ(i[0].dst.size(), 4u);
  EXPECT_EQ(i[0].dst[1].kind, Operand::Kind::Sink);
  EXPECT_EQ(i[0].address->offset, 16);
  EXPECT_EQ(i[1].src.size(), 2u);
  EXPECT_EQ(i[1].src[1].bits, 7u);
  ASSERT_EQ(i[2].dst.size(), 2u);
  EXPECT_EQ(i[2].src[1].bits, 0xffffffffu);
  EXPECT_TRUE(i[2].src[2].negate);
  EXPECT_EQ(i[3].src.size(), 2u);
  EXPECT_EQ(i[4].address->reg, i[1].src[0].id);
  EXPECT_TRUE(i[4].address2);
  EXPECT_EQ(i[4].src[0].bits, 16u);
  EXPECT_EQ(i[5].dst.size(), 1u);
  EXPECT_EQ(i[6].dst.size(), 0u);
  EXPECT_EQ(i[6].src.size(), 2u);
  EXPECT_EQ(i[7].src[1].bits, 3u);
  EXPECT_TRUE(i[8].src[0].negate);
}

TEST(Build, ImmediatesOfVectorsTakeThePiecesType) {
  const Module module = load_body(
      "mov.b64 %rd1, {1.0, -1};\nmov.v2.f32 {%f1, %f2}, {1.0, 2.0};\nst.global.v2.f32 [%rd1], {1.5, 0f7f800000};");
  const auto& i = module.functions[0].instructions;
  EXPECT_EQ(i[0].src[0].bits, 0x3f800000u);
  EXPECT_EQ(i[0].src[1].bits, 0xffffffffu);
  EXPECT_EQ(i[1].src[1].bits, 0x40000000u);
  EXPECT_EQ(i[2].src[0].bits, 0x3fc00000u);
}

TEST(Build, VectorRegistersAreRowsOfRegisters) {
  const Module module = load_body(".reg .v4 .f32 v; mov.v4.f32 v, {%f1, %f1, %f1, %f1}; add.f32 v.w, v.y, v.r;");
  const auto& i = module.functions[0].instructions;
  ASSERT_EQ(i[0].dst.size(), 4u);
  EXPECT_EQ(i[1].dst[0].id, i[0].dst[0].id + 3);
  EXPECT_EQ(i[1].src[0].id, i[0].dst[0].id + 1);
  EXPECT_EQ(i[1].src[1].id, i[0].dst[0].id);
}

TEST(Build, RegistersPlusNumbersAreAddedBefore) {
  const Module module = load_body("setp.eq.u32 %p1, %r1, 0; @%p1 bra L; L: @%p1 st.global.u32 [%rd1], %r1+-4;");
  const Function& k = module.functions[0];
  ASSERT_EQ(k.instructions.size(), 5u);
  const Instruction &add = k.instructions[2], &store = k.instructions[3];
  EXPECT_EQ(add.op, Opcode::Add);
  EXPECT_EQ(add.origin, Origin::Added);
  EXPECT_EQ(add.src[1].bits, 0xfffffffcu);
  EXPECT_EQ(add.dst[0].id, store.src[0].id);
  EXPECT_EQ(k.blocks[1].first, 2u) << "the label stands before both";
}

TEST(Calls, VectorRegistersAreSeveralParameters) {
  const Module module =
      load(".func (.reg .v2 .u32 r) swap(.reg .v2 .u32 a) { mov.u32 r.x, a.y; mov.u32 r.y, a.x; ret; }\n" +
           kernel_text(".reg .v2 .u32 v; call (v), swap, (v); ret;"));
  EXPECT_EQ(function(module, "swap").parameters.size(), 2u);
  const Instruction& call = function(module, "k").instructions[0];
  ASSERT_EQ(call.call_arguments.size(), 2u);
  EXPECT_EQ(call.call_arguments[1].id, call.call_arguments[0].id + 1);
  EXPECT_EQ(call.call_results.size(), 2u);
}

TEST(Build, AddressesMayBeMarkedUnified) {
  const Module module = load_body("ld.global.f32 %f1, [%rd1+4].unified;");
  EXPECT_EQ(module.functions[0].instructions[0].mods.extra, ".unified");
  EXPECT_EQ(module.functions[0].instructions[0].address->offset, 4);
}

TEST(Build, CutsBlocksOnlyWhereControlGoes) {
  const Module module = load_body(
      "  mov.u32 %r1, 0;\n"
      "unused:\n"
      "  add.s32 %r1, %r1, 1;\n"
      "loop:\n"
      "  add.s32 %r1, %r1, 1;\n"
      "  setp.lt.s32 %p1, %r1, 9;\n"
      "  @%p1 bra loop;\n"
      "  @!%p1 ret;\n"
      "  bra.uni end;\n"
      "end:");
  const Function& k = module.functions[0];
  ASSERT_EQ(k.blocks.size(), 5u);
  EXPECT_THAT(k.blocks[0].successors, ElementsAre(1));
  EXPECT_THAT(k.blocks[1].successors, ElementsAre(1, 2));
  EXPECT_THAT(k.blocks[2].successors, ElementsAre(kExit, 3));
  EXPECT_THAT(k.blocks[3].successors, ElementsAre(4));
  EXPECT_THAT(k.blocks[4].successors, ElementsAre(kExit));
  EXPECT_EQ(k.instructions.back().op, Opcode::Ret);
  EXPECT_EQ(k.instructions.back().origin, Origin::Added) << "leaving the end is a return that does not count";
  EXPECT_EQ(k.blocks[0].end, 2u);
}

TEST(Build, ResolvesIndexedBranches) {
  const Module module = load_body("brx.idx %r1, T;\nT: .branchtargets B, A, B;\nA: ret;\nB: exit;");
  const Function& k = module.functions[0];
  EXPECT_THAT(k.instructions[0].targets, ElementsAre(2, 1, 2));
  EXPECT_THAT(k.blocks[0].successors, ElementsAre(2, 1));
}

TEST(Build, ScopesHideAndEnd) {
  const Module module = load_body(
      "mov.u32 %r1, 1;\n"
      "{ .reg .b32 %r1; mov.u32 %r1, 2; L: bra L; }\n"
      "{ .reg .b32 x; L: mov.u32 %r1, 3; bra L; }\n");
  const auto& i = module.functions[0].instructions;
  EXPECT_NE(i[0].dst[0].id, i[1].dst[0].id);
  EXPECT_EQ(i[0].dst[0].id, i[3].dst[0].id);
  EXPECT_EQ(i[2].target, 1u);
  EXPECT_EQ(i[4].target, 2u);
}

TEST(Build, HugeRegisterRangesCostNothing) {
  const Module module = load_body(".reg .b32 %big<4000000000>; mov.u32 %big3999999999, 1;");
  EXPECT_LE(module.functions[0].registers.size(), 2u);
}

TEST(Build, LaysOutKernelParameters) {
  const Module module = load(
      ".entry k(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20], .param .u16 d, .param .v2 .f32 e) { ret; }");
  EXPECT_EQ(symbol(module, "a").offset, 0u);
  EXPECT_EQ(symbol(module, "b").offset, 8u);
  EXPECT_EQ(symbol(module, "c").offset, 16u);
  EXPECT_EQ(symbol(module, "d").offset, 36u);
  EXPECT_EQ(symbol(module, "e").offset, 40u);
  EXPECT_EQ(module.functions[0].parameter_bytes, 48u);
  EXPECT_EQ(module.functions[0].parameters[2].size, 20u);
}

TEST(Build, ReadsPerformanceDirectives) {
  const Module module = load(".entry k() .maxntid 256, 2 .reqntid 8 .minnctapersm 3 .maxnreg 40 { ret; }");
  EXPECT_THAT(module.functions[0].maxntid, ElementsAre(256, 2, 1));
  EXPECT_THAT(module.functions[0].reqntid, ElementsAre(8, 1, 1));
  EXPECT_EQ(module.functions[0].minnctapersm, 3u);
  EXPECT_EQ(module.functions[0].maxnreg, 40u);
}

TEST(Build, AClustersBarrierIsOneMoreBarrierOfTheBlock) {
  const Module module = load(
      ".entry k() .explicitcluster .reqnctapercluster 2, 3 "
      "{ .reg .b32 %r<4>; .reg .b64 %rd<4>; .shared .align 4 .b32 word; mapa.u64 %rd1, %rd2, %r1;\n"
      "mapa.shared::cluster.u32 %r1, word, 0; getctarank.u64 %r2, %rd1; barrier.cluster.arrive.aligned;\n"
      "barrier.cluster.wait.acquire.aligned; barrier.cluster.arrive.relaxed; ret; }");
  EXPECT_TRUE(module.uses_clusters);
  EXPECT_THAT(module.functions[0].cluster, ElementsAre(2, 3, 1));
  const auto& i = module.functions[0].instructions;
  for (const Instruction& in : i) EXPECT_TRUE(runs(in));
  EXPECT_EQ(i[0].op, Opcode::Mapa);
  EXPECT_EQ(i[1].src[0].kind, Operand::Kind::Symbol);
  EXPECT_EQ(i[1].mods.space, AddressSpace::SharedCluster);
  for (const size_t at : {3, 4, 5}) {
    EXPECT_EQ(i[at].op, Opcode::Barrier);
    EXPECT_EQ(i[at].mods.scope, Scope::Cluster);
  }
  EXPECT_EQ(i[3].mods.mode, Mode::BarArrive);
  EXPECT_EQ(i[3].mods.order, Order::Release);
  EXPECT_EQ(i[4].mods.mode, Mode::BarSync);
  EXPECT_EQ(i[5].mods.order, Order::Relaxed);
}

TEST(Build, OnlyTheKnownFormOfMovmatrixRuns) {
  const auto form_runs = [](const std::string& suffixes) {
    return runs(load_body("movmatrix.sync.aligned" + suffixes + " %r1, %r2;").functions[0].instructions[0]);
  };
  EXPECT_TRUE(form_runs(".m8n8.trans.b16"));
  EXPECT_FALSE(form_runs(".m16n8.trans.b16"));
  EXPECT_FALSE(form_runs(".m8n8.b16"));
  EXPECT_FALSE(form_runs(".m8n8.trans.b8"));
}

TEST(Build, AsynchronousStoresAreAStoreAndTheBytesOfABarrierObject) {
  const Module module = load_body(
      "@%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%r1+8], {%rd1, %rd2}, [%r2];\n"
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%r1], %r3, [%r2+16];\n"
      "st.async.mmio.release.sys.global.u32 [%rd1], %r1;\n"
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.and.u32 [%r1], %r3, [%r2];\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r1], %r3, [%r2];");
  const auto& i = module.functions[0].instructions;
  EXPECT_EQ(i[0].origin, Origin::Expanded);
  EXPECT_TRUE(runs(i[0]) && !i[0].address && i[0].src.empty());
  EXPECT_EQ(i[1].op, Opcode::St);
  EXPECT_EQ(i[1].origin, Origin::Part);
  EXPECT_EQ(i[1].address->offset, 8);
  EXPECT_EQ(i[1].src.size(), 2u);
  EXPECT_FALSE(i[1].address2);
  EXPECT_EQ(i[2].op, Opcode::MbarrierCompleteTx);
  EXPECT_EQ(i[2].origin, Origin::Part);
  EXPECT_EQ(i[2].src[0].bits, 16u);
  EXPECT_TRUE(i[0].guard && i[1].guard && i[2].guard);
  EXPECT_EQ(i[4].op, Opcode::Red);
  EXPECT_EQ(i[4].mods.atom, AtomOp::Inc);
  EXPECT_EQ(i[5].address->offset, 16);
  EXPECT_EQ(i[5].src[0].bits, 4u);
  for (size_t other = 6; other < 9; ++other) EXPECT_FALSE(runs(i[other])) << other;
}

TEST(Layout, SiblingScopesShareTheirSlots) {
  const Module module = load_body(
      ".local .align 4 .b8 a[20];\n"
      "{ .param .b64 s; .param .b32 t; st.param.b64 [s], 1; }\n"
      "{ .param .b64 u; st.param.b64 [u], 1; }");
  EXPECT_EQ(symbol(module, "a").offset, 0u);
  EXPECT_EQ(symbol(module, "s").offset, 24u);
  EXPECT_EQ(symbol(module, "t").offset, 32u);
  EXPECT_EQ(symbol(module, "u").offset, 24u);
  EXPECT_EQ(module.functions[0].local_bytes, 36u);
  EXPECT_EQ(module.functions[0].instructions[0].mods.space, AddressSpace::ParamFunc);
}

TEST(Layout, FramesOfCalleesFollowThoseOfAllCallers) {
  const Module module = load(
      ".func leaf() { .local .b8 l[8]; ret; }\n"
      ".func middle() { .local .b8 m[40]; call leaf; ret; }\n"
      ".func recursive() { .local .b8 x[12]; call recursive; call leaf; ret; }\n"
      ".entry k() { .local .b8 a[100]; call leaf; call middle; call recursive; ret; }");
  EXPECT_EQ(symbol(module, "a").offset, 0u);
  EXPECT_EQ(symbol(module, "m").offset, 112u);
  EXPECT_EQ(symbol(module, "l").offset, 160u);
  EXPECT_EQ(symbol(module, "x").offset, 0u) << "a real call gives a frame of its own";
  EXPECT_EQ(function(module, "k").local_bytes, 168u);
  EXPECT_EQ(function(module, "recursive").local_bytes, 168u);
}

TEST(Layout, PaddingKeepsTheVariablesOfAKernelApart) {
  const Module module = load(
      ".shared .align 4 .b8 everywhere[16];\n"
      ".extern .shared .align 2048 .b8 dynamic_part[];\n"
      ".entry a() { .shared .align 8 .b8 in_a[40]; .reg .b32 %r<2>; ld.shared.u32 %r1, [everywhere]; ret; }\n"
      ".entry b() { .shared .align 4096 .b8 in_b[8]; .shared .b8 last[3]; .reg .b32 %r<2>; ld.shared.u32 %r1, "
      "[everywhere];\n"
      "ld.shared.u32 %r1, [dynamic_part]; ret; }\n"
      ".entry c() { .shared .align 8 .b8 in_c[40]; ret; }\n");
  const auto padding = [&](const char* name) { return symbol(module, name).padding; };
  EXPECT_EQ(padding("everywhere"), 0u);
  EXPECT_EQ(padding("in_a"), 1024u);
  EXPECT_EQ(padding("in_b"), 4096u);
  EXPECT_EQ(padding("last"), symbol(module, "last").offset > symbol(module, "in_b").offset ? 5120u : 1024u);
  EXPECT_EQ(padding("in_c"), 0u) << "it is alone";
  // Rows of banks stay where they are, and alignments hold.
  for (const char* name : {"in_a", "in_b", "last"})
    EXPECT_EQ(padding(name) % std::max(256u, symbol(module, name).alignment), 0u) << name;
  EXPECT_EQ(function(module, "a").shared_padding, 1024u);
  EXPECT_EQ(function(module, "b").dynamic_padding % 2048, 0u);
  EXPECT_GE(function(module, "b").dynamic_padding, function(module, "b").shared_padding + 1024);
  EXPECT_EQ(function(module, "b").shared_bytes, symbol(module, "in_b").offset + 8) << "what a program sees has none";
}

TEST(Layout, SharedMemoryIsAKernelsOwn) {
  const Module module = load(
      ".shared .align 4 .b8 everywhere[16];\n"
      ".shared .align 16 .b8 only_b[8];\n"
      ".shared .b8 unused[1000];\n"
      ".extern .shared .align 32 .b8 dynamic_part[];\n"
      ".func f() { .shared .b8 in_f[24]; .reg .b32 %r<2>; ld.shared.u32 %r1, [everywhere]; ret; }\n"
      ".entry a() { .shared .align 8 .b8 in_a[40]; call f; ret; }\n"
      ".entry b() { .reg .b32 %r<2>; ld.shared.u32 %r1, [only_b]; ld.shared.u32 %r1, [dynamic_part]; call f; ret; }\n"
      ".entry c() { .shared .align 8 .b8 in_c[40]; ret; }\n");
  EXPECT_EQ(function(module, "a").shared_bytes, 80u);
  EXPECT_EQ(function(module, "b").shared_bytes, 56u);
  EXPECT_EQ(function(module, "c").shared_bytes, 40u);
  EXPECT_EQ(symbol(module, "in_c").offset, 0u);
  EXPECT_EQ(symbol(module, "only_b").offset % 16, 0u);
  // Within a kernel nothing overlaps.
  for (const auto& [x, y] : {std::pair{"in_a", "in_f"},
                             {"in_a", "everywhere"},
                             {"in_f", "everywhere"},
                             {"only_b", "in_f"},
                             {"only_b", "everywhere"}}) {
    const Symbol &p = symbol(module, x), &q = symbol(module, y);
    EXPECT_TRUE(p.offset + p.size <= q.offset || q.offset + q.size <= p.offset) << x << " " << y;
  }
  EXPECT_EQ(dynamic_shared_offset(function(module, "b")), 64u);
  EXPECT_EQ(dynamic_shared_offset(function(module, "c")), 48u);
}

TEST(Layout, FindsWhatAKernelCanReach) {
  const Module module = load(
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
      ".func by_address() { ret; }\n"
      ".func in_table() { ret; }\n"
      ".func never() { ret; }\n"
      ".global .u64 table[1] = {in_table};\n"
      ".entry direct() { call by_address; ret; }\n"
      ".entry indirect() { .reg .b64 %rd<2>; ld.global.u64 %rd1, [table]; P: .callprototype _ (); call %rd1, (), P; "
      "ret; }\n");
  EXPECT_EQ(function(module, "direct").reachable.size(), 2u);
  const auto& reachable = function(module, "indirect").reachable;
  EXPECT_THAT(reachable, testing::Contains(module.find_function("in_table")));
  EXPECT_THAT(reachable, testing::Not(testing::Contains(module.find_function("never"))));
}

template <class T>
T at(const Symbol& symbol, size_t offset) {
  T value{};
  EXPECT_LE(offset + sizeof value, symbol.initial.size());
  if (offset + sizeof value <= symbol.initial.size()) std::memcpy(&value, symbol.initial.data() + offset, sizeof value);
  return value;
}

TEST(Variables, HaveInitialBytes) {
  const Module module = load(
      ".global .align 8 .b8 grid[3][4] = {{1, 2}, {3}, {4, 5, 6, 7}};\n"
      ".global .u16 flat[2][2] = {1, 2, 3, 4};\n"
      ".const .v2 .f32 pairs[2] = {{1.0, 2.0}, {3.0}};\n"
      ".global .f64 d[] = {0.5, 0f3f800000};\n"
      ".global .s32 scalar = -7;\n"
      ".global .u32 zero;");
  EXPECT_THAT(symbol(module, "grid").initial, ElementsAre(1, 2, 0, 0, 3, 0, 0, 0, 4, 5, 6, 7));
  EXPECT_EQ(at<uint16_t>(symbol(module, "flat"), 6), 4u);
  EXPECT_EQ(at<float>(symbol(module, "pairs"), 8), 3.0f);
  EXPECT_EQ(symbol(module, "d").size, 16u);
  EXPECT_EQ(at<double>(symbol(module, "d"), 8), 1.0);
  EXPECT_EQ(at<int32_t>(symbol(module, "scalar"), 0), -7);
  EXPECT_TRUE(symbol(module, "zero").initial.empty());
}

TEST(Variables, HaveRelocations) {
  const Module module = load(
      ".func f() { ret; }\n"
      ".global .u32 words[4];\n"
      ".global .u64 p[4] = {words, generic(later)+8, f, words[2]};\n"
      ".global .u8 bytes[2] = {0xff(words), 0xff00(words)};\n"
      ".global .u32 later;");
  const auto& r = symbol(module, "p").relocations;
  ASSERT_EQ(r.size(), 4u);
  EXPECT_EQ(r[0].symbol, module.find_symbol("words"));
  EXPECT_FALSE(r[0].generic);
  EXPECT_EQ(r[1].symbol, module.find_symbol("later"));
  EXPECT_EQ(r[1].addend, 8);
  EXPECT_TRUE(r[1].generic);
  EXPECT_EQ(r[2].function, module.find_function("f"));
  EXPECT_EQ(r[2].offset, 16u);
  EXPECT_EQ(r[3].addend, 8) << "an index counts elements";
  EXPECT_EQ(symbol(module, "bytes").relocations[1].mask, 0xff00u);
  EXPECT_EQ(symbol(module, "bytes").relocations[1].bytes, 1u);
}

TEST(Variables, DeclarationAndDefinitionAreOne) {
  const Module module = load(".extern .global .u32 x;\n.visible .global .u32 x = 5;\n.extern .global .u32 x;\n");
  EXPECT_EQ(module.symbols.size(), 1u);
  EXPECT_FALSE(module.symbols[0].is_extern);
  EXPECT_EQ(at<uint32_t>(module.symbols[0], 0), 5u);
}

TEST(Places, FollowLocAndInlining) {
  const Module module = load(
      ".entry k() {\n.reg .b32 %r<4>;\n"
      ".loc 7 10 3\nmov.u32 %r1, 1;\n"
      ".loc 9 5 1, function_name $L, inlined_at 7 10 3\nmov.u32 %r1, 2;\nmov.u32 %r1, 3;\n"
      ".loc 9 50 1, function_name $L, inlined_at 9 5 1\nmov.u32 %r1, 4;\nret; }\n"
      ".file 7 \"main.cu\"\n.file 9 \"inner.h\"");
  const Function& k = module.functions[0];
  EXPECT_THAT(module.files, ElementsAre("main.cu", "inner.h"));
  const auto place = [&](size_t i) { return k.places[k.instructions[i].place]; };
  EXPECT_EQ(place(0).file, 0u);
  EXPECT_EQ(place(0).line, 10u);
  EXPECT_EQ(place(0).ptx_line, 7u);
  EXPECT_EQ(place(0).inlined_at, kNone);
  EXPECT_EQ(place(2).ptx_line, 10u);
  ASSERT_NE(place(3).inlined_at, kNone);
  const Place middle = k.places[place(3).inlined_at];
  EXPECT_EQ(middle.line, 5u);
  ASSERT_NE(middle.inlined_at, kNone) << "the chain goes on to the outermost call";
  EXPECT_EQ(k.places[middle.inlined_at].line, 10u);
}

TEST(Calls, KeepTheirOperands) {
  const Module module = load(
      ".func (.reg .u32 r) by_register(.reg .u32 a, .reg .u64 b) { mov.u32 r, a; ret; }\n"
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
      ".alias other, by_register;\n"
      ".func (.reg .u32 r) other(.reg .u32 a, .reg .u64 b);\n" +
      kernel_text("call (%r1), by_register, (%r2, 5);\ncall (%r1), other, (1, %rd1);\n"
                  "{ .param .b64 x, y; .param .b32 z; call.uni (z), vprintf, (x, y); call _nothing; }") +
      ".func _nothing();");
  const auto& i = function(module, "k").instructions;
  EXPECT_EQ(i[0].callee, module.find_function("by_register"));
  EXPECT_EQ(i[0].call_arguments[1].bits, 5u);
  EXPECT_EQ(i[1].callee, i[0].callee) << "an alias is its target";
  EXPECT_EQ(i[2].call_arguments[1].kind, Operand::Kind::Symbol);
  EXPECT_EQ(module.symbols[i[2].call_results[0].id].name, "z");
  EXPECT_TRUE(i[2].mods.uni);
}

TEST(Calls, IndirectOnesHaveAPrototype) {
  const Module module =
      load(".func (.param .b32 r) f(.param .b64 a) { ret; }\n" +
           kernel_text(".param .b64 x; .param .b32 z; mov.u64 %rd1, f;\n"
                       "call (z), %rd1, (x), P;\nP: .callprototype (.param .b32 _) _ (.param .b64 _);\n"
                       "T: .calltargets f;\n call (z), %rd1, (x), T;"));
  const auto& i = function(module, "k").instructions;
  EXPECT_EQ(i[0].src[0].kind, Operand::Kind::Function);
  EXPECT_EQ(i[1].callee, kNone);
  EXPECT_EQ(i[1].src[0].id, i[0].dst[0].id);
  EXPECT_EQ(module.prototypes[i[1].prototype].parameters[0].size, 8u);
  EXPECT_EQ(module.prototypes[i[2].prototype].results[0].type, Type::B32);
}

TEST(Unknown, OpcodesDoNotKillAModule) {
  const Module module = load_body(
      "quux.rn.f32 %not_declared, [whatever], (a, b), {1, 2};\n"
      ".quuz 5;\n"
      "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;\n"
      "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];\n"
      "ret;");
  const auto& i = module.functions[0].instructions;
  ASSERT_EQ(i.size(), 5u);
  EXPECT_EQ(i[0].op, Opcode::Unknown);
  EXPECT_EQ(i[0].mods.extra, "quux.rn.f32");
  EXPECT_EQ(module.functions[0].places[i[0].place].ptx_line, 6u);
  EXPECT_EQ(i[1].op, Opcode::Unknown);
  EXPECT_EQ(i[1].mods.extra, ".quuz");
  EXPECT_FALSE(info(i[2].op).runs);
  EXPECT_EQ(i[3].dst.size(), 4u);
  EXPECT_TRUE(runs(i[3]));
}

struct BadBody {
  const char* text;  // of a kernel's body, from line 6 on
  uint32_t line, column;
  const char* message;
};
class Rejected : public testing::TestWithParam<BadBody> {};

TEST_P(Rejected, WithItsPlace) {
  const Diagnostic problem =
      problem_of(".func (.param .b32 r) f(.param .b32 a) { ret; }\n" + kernel_text(GetParam().text));
  EXPECT_EQ(problem.location.file, "t.ptx");
  EXPECT_EQ(problem.location.line, GetParam().line + 1) << problem.to_string();
  EXPECT_EQ(problem.location.column, GetParam().column) << problem.to_string();
  EXPECT_THAT(problem.message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(Build, Rejected,
                         testing::Values(BadBody{"mov.u32 %r1, %r99;", 6, 14, "'%r99' is not declared"},
                                         BadBody{"mov.u32 %x, 1;", 6, 9, "'%x' is not declared"},
                                         BadBody{"mov.u32 %r1, %r01;", 6, 14, "not declared"},
                                         BadBody{"{ .reg .b32 in; } mov.u32 in, 1;", 6, 27, "'in' is not declared"},
                                         BadBody{"@%p10 ret;", 6, 2, "not declared"},
                                         BadBody{"@%r1 ret;", 6, 2, "no predicate"},
                                         BadBody{"bra nowhere;", 6, 5, "label 'nowhere' is not declared"},
                                         BadBody{"{ L: } bra L;", 6, 12, "label 'L'"},
                                         BadBody{"L: ret; L: ret;", 6, 9, "'L' is declared twice"},
                                         BadBody{".reg .b32 a; .reg .f32 a;", 6, 24, "declared twice"},
                                         BadBody{".reg .b32 %r<3>;", 6, 11, "declared twice"},
                                         BadBody{".local .b32 a; .shared .b32 a;", 6, 29, "declared twice"},
                                         BadBody{"add.s32 %r1, %r2;", 6, 1, "wrong operands for 'add.s32'"},
                                         BadBody{"add.s32 %r1, %r2, %r3, %r4;", 6, 1, "wrong operands"},
                                         BadBody{"add.s32 5, %r2, %r3;", 6, 9, "must be a register"},
                                         BadBody{"ld.global.u32 %r1, %r2;", 6, 1, "wrong operands"},
                                         BadBody{"st.global.u32 [nothing], 1;", 6, 16, "'nothing' is not declared"},
                                         BadBody{".reg .quux a;", 6, 12, "unknown type '.quux'"},
                                         BadBody{"mov.u32 %r1+4, %r2;", 6, 9, "no array and no address"},
                                         BadBody{"mov.u32 %r1, %r2.q;", 6, 14, "no component"},
                                         BadBody{"call nowhere;", 6, 6, "function 'nowhere' is not declared"},
                                         BadBody{"call f;", 6, 1, "with 0 results"},
                                         BadBody{".param .b32 x; call (x), f;", 6, 16, "with 0 arguments"},
                                         BadBody{"call %rd1, (), %rd1;", 6, 16, "needs a .callprototype"},
                                         BadBody{"brx.idx %r1, L; L: ret;", 6, 14, "no list of branch targets"},
                                         BadBody{"L: mov.u32 %r1, L;", 6, 17, "a label, not a value"},
                                         BadBody{".shared .b32 s = 5;", 6, 14, "only .global and .const"},
                                         BadBody{".global .b32 s[2] = {1, 2, 3};", 6, 21, "more initial values"},
                                         BadBody{".global .b32 s = s;", 6, 18, "8 bytes"},
                                         BadBody{".global .b64 s = t;", 6, 18, "'t' is not declared"}));

TEST(Build, RejectsDuplicatesOfTheModule) {
  EXPECT_THAT(problem_of(".global .u32 x; .global .u32 x;").message, HasSubstr("declared twice"));
  EXPECT_THAT(problem_of(".entry k() { ret; } .entry k() { ret; }").message, HasSubstr("defined twice"));
  EXPECT_THAT(problem_of(".func k(); .entry k() { ret; }").message, HasSubstr("declared twice"));
  EXPECT_THAT(problem_of(".entry k(.param .u32 a, .param .u32 a) { ret; }").message, HasSubstr("declared twice"));
  EXPECT_THAT(problem_of(".global .u32 k; .entry k() { ret; }").message, HasSubstr("declared twice"));
}

TEST(Build, ForwardDeclarationsMeetTheirBodies) {
  const Module module = load(
      ".func (.param .b32 r) f(.param .b32 a);\n.entry k() { .param .b32 x, y; call (x), f, (y); ret; }\n"
      ".func (.param .b32 r) f(.param .b32 b) { ret; }\n");
  EXPECT_EQ(module.functions.size(), 2u);
  EXPECT_FALSE(function(module, "f").is_declaration);
  EXPECT_NE(function(module, "f").parameters[0].symbol, kNone);
}

TEST(Verify, FindsBrokenFunctions) {
  const Module module = load_body("setp.eq.s32 %p1, %r1, 0; @%p1 bra L; add.s32 %r1, %r1, 1; L: ret;");
  const Function good = module.functions[0];
  ASSERT_TRUE(verify(module, good).ok());
  const auto broken = [&](auto change) {
    Function f = good;
    change(f);
    return !verify(module, f).ok();
  };
  EXPECT_TRUE(broken([](Function& f) { f.instructions[0].dst[0].id = 99; }));
  EXPECT_TRUE(broken([](Function& f) { f.instructions[0].src.pop_back(); }));
  EXPECT_TRUE(broken([](Function& f) { f.instructions[0].dst[0].kind = Operand::Kind::Immediate; }));
  EXPECT_TRUE(broken([](Function& f) { f.instructions[1].guard.reg = f.instructions[0].src[0].id; }));
  EXPECT_TRUE(broken([](Function& f) { f.instructions[1].target = 7; }));
  EXPECT_TRUE(broken([](Function& f) { f.blocks[0].successors = {1}; }));
  EXPECT_TRUE(broken([](Function& f) { f.blocks[1].first += 1; }));
  EXPECT_TRUE(broken([](Function& f) { f.blocks.pop_back(); }));
  EXPECT_TRUE(broken([](Function& f) { f.instructions[0].place = 1000; }));
}

}  // namespace
}  // namespace drywarp::ir
