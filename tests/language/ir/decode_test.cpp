// Opcodes, suffixes and constants to fields.
#include <bit>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "language/ir/build/immediates.h"
#include "language/ir/build/suffixes.h"
#include "language/ir/print.h"
#include "language/ir/special_registers.h"
#include "modules.h"

namespace drywarp::ir {
namespace {

DecodedOpcode decode(std::string_view text, bool in_kernel = true) {
  std::vector<std::string_view> words;
  const size_t end = std::min(text.find('.'), text.size());
  for (size_t at = end; at < text.size();) {
    const size_t next = std::min(text.find('.', at + 1), text.size());
    words.push_back(text.substr(at + 1, next - at - 1));
    at = next;
  }
  return decode_opcode(text.substr(0, end), words, in_kernel);
}

TEST(Decode, TakesTheLongestMnemonic) {
  EXPECT_EQ(decode("cp.async.ca.shared.global").op, Opcode::CpAsync);
  EXPECT_EQ(decode("cp.async.bulk.tensor.2d.shared::cluster").op, Opcode::CpAsyncBulkTensor);
  EXPECT_EQ(decode("cp.async.bulk.prefetch.tensor.1d").op, Opcode::CpAsyncBulkPrefetchTensor);
  EXPECT_EQ(decode("cp.async.mbarrier.arrive.noinc.b64").op, Opcode::CpAsyncMbarrierArrive);
  EXPECT_EQ(decode("multimem.cp.reduce.async.bulk.add").op, Opcode::MultimemCpReduceAsyncBulk);
  EXPECT_EQ(decode("bar.warp.sync").op, Opcode::BarWarpSync);
  EXPECT_EQ(decode("bar.sync").op, Opcode::Bar);
  EXPECT_EQ(decode("barrier.cluster.arrive").op, Opcode::BarrierCluster);
  EXPECT_EQ(decode("mbarrier.arrive_drop.b64").op, Opcode::MbarrierArriveDrop);
  EXPECT_EQ(decode("fence.proxy.alias").op, Opcode::FenceProxy);
  EXPECT_EQ(decode("wgmma").op, Opcode::Unknown) << "half a mnemonic is none";
}

TEST(Decode, CopiesOfManyBytesHaveTwoSpaces) {
  const Modifiers load =
      decode("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster")
          .mods;
  EXPECT_EQ(load.space, AddressSpace::SharedCluster);
  EXPECT_EQ(load.bulk.source, AddressSpace::Global);
  EXPECT_EQ(load.bulk.rank, 3);
  EXPECT_TRUE(load.bulk.completes_barrier && load.bulk.multicast);
  EXPECT_EQ(load.extra, "");
  const DecodedOpcode sum = decode("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16");
  EXPECT_EQ(sum.mods.space, AddressSpace::Global);
  EXPECT_EQ(sum.mods.bulk.source, AddressSpace::Shared);
  EXPECT_EQ(sum.mods.atom, AtomOp::Add);
  EXPECT_EQ(sum.type, Type::F16);
  EXPECT_TRUE(decode("cp.async.bulk.wait_group.read").mods.bulk.reads_alone);
  EXPECT_EQ(decode("cp.async.bulk.tensor.4d.shared::cluster.global.im2col").mods.extra, ".im2col");
}

TEST(Decode, AsynchronousStoresNameABarrierObject) {
  const DecodedOpcode store = decode("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.s32");
  EXPECT_EQ(store.op, Opcode::StAsync);
  EXPECT_EQ(store.type, Type::S32);
  EXPECT_EQ(store.mods.space, AddressSpace::SharedCluster);
  EXPECT_TRUE(store.mods.bulk.completes_barrier && store.mods.vector == 4 && store.mods.extra.empty());
  const DecodedOpcode sum = decode("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64");
  EXPECT_EQ(sum.op, Opcode::RedAsync);
  EXPECT_EQ(sum.mods.atom, AtomOp::Add);
  EXPECT_TRUE(sum.mods.bulk.completes_barrier && sum.mods.extra.empty());
  EXPECT_FALSE(decode("st.async.mmio.release.sys.global.u32").mods.bulk.completes_barrier);
}

TEST(Decode, EveryMnemonicOfTheTableMeansItself) {
  for (unsigned i = 0; i < unsigned(Opcode::Unknown); ++i) {
    EXPECT_EQ(decode(info(Opcode(i)).mnemonic).op, Opcode(i)) << info(Opcode(i)).mnemonic;
  }
}

TEST(Decode, KeepsUnknownOpcodesWhole) {
  const DecodedOpcode unknown = decode("quux.rn.f32");
  EXPECT_EQ(unknown.op, Opcode::Unknown);
  EXPECT_EQ(unknown.mods.extra, "quux.rn.f32");
  EXPECT_FALSE(info(Opcode::Unknown).runs);
}

TEST(Decode, TypesInOrder) {
  const DecodedOpcode cvt = decode("cvt.rn.satfinite.relu.e4m3x2.f32");
  EXPECT_EQ(cvt.type, Type::E4M3x2);
  EXPECT_EQ(cvt.type2, Type::F32);
  EXPECT_EQ(cvt.mods.rounding, Rounding::Rn);
  EXPECT_TRUE(cvt.mods.sat && cvt.mods.satfinite && cvt.mods.relu);
  const DecodedOpcode mma = decode("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  EXPECT_EQ(mma.type3, Type::F16);
  EXPECT_EQ(mma.mods.matrix.c_type, Type::F32);
  EXPECT_EQ(mma.mods.extra, "");
  const DecodedOpcode narrow = decode("cvt.rn.satfinite.e2m1x4.f32");
  EXPECT_EQ(narrow.type, Type::Other);
  EXPECT_EQ(narrow.mods.extra, ".e2m1x4");
}

TEST(Decode, TheSameWordMeansDifferentThings) {
  EXPECT_EQ(decode("setp.lo.u32").mods.compare, Compare::Lo);
  EXPECT_EQ(decode("mul.lo.u32").mods.part, Part::Lo);
  EXPECT_EQ(decode("setp.eq.and.s32").mods.combine, BoolOp::And);
  EXPECT_EQ(decode("atom.global.and.b32").mods.atom, AtomOp::And);
  EXPECT_EQ(decode("redux.sync.and.b32").mods.mode, Mode::ReduxAnd);
  EXPECT_EQ(decode("barrier.cta.red.and.pred").mods.mode, Mode::BarRedAnd);
  EXPECT_EQ(decode("vote.sync.uni.pred").mods.mode, Mode::VoteUni);
  EXPECT_TRUE(decode("bra.uni").mods.uni);
  EXPECT_EQ(decode("min.NaN.xorsign.abs.f32").mods.abs, false);
  EXPECT_EQ(decode("min.NaN.xorsign.abs.f32").mods.xorsign_abs, true);
  EXPECT_EQ(decode("redux.sync.min.abs.NaN.f32").mods.abs, true);
  EXPECT_EQ(decode("setp.nan.f32").mods.compare, Compare::Nan);
  EXPECT_EQ(decode("max.NaN.f32").mods.nan, true);
}

TEST(Decode, SpacesOrdersAndScopes) {
  const DecodedOpcode ld = decode("ld.acquire.sys.shared::cta.L1::evict_last.v2.b64");
  EXPECT_EQ(ld.mods.order, Order::Acquire);
  EXPECT_EQ(ld.mods.scope, Scope::Sys);
  EXPECT_EQ(ld.mods.space, AddressSpace::Shared);
  EXPECT_EQ(ld.mods.vector, 2);
  EXPECT_EQ(ld.mods.extra, ".L1::evict_last");
  EXPECT_EQ(decode("ld.param.u32").mods.space, AddressSpace::Param);
  EXPECT_EQ(decode("ld.param.u32", false).mods.space, AddressSpace::ParamFunc);
  EXPECT_EQ(decode("ld.param::entry.u32", false).mods.space, AddressSpace::Param);
  const DecodedOpcode copy = decode("cp.async.cg.shared.global");
  EXPECT_EQ(copy.mods.space, AddressSpace::Shared) << "the destination's";
  EXPECT_EQ(copy.mods.cache, CacheOperator::Cg);
  EXPECT_EQ(copy.mods.extra, ".global");
  EXPECT_EQ(decode("ld.global.cv.u32").mods.cache, CacheOperator::Cv);
  EXPECT_EQ(decode("st.global.wt.u32").mods.cache, CacheOperator::Wt);
  EXPECT_EQ(decode("ld.global.u32").mods.cache, CacheOperator::None);
  EXPECT_EQ(decode("membar.gl").mods.scope, Scope::Gpu);
  EXPECT_TRUE(decode("cvta.to.global.u64").mods.to);
  EXPECT_TRUE(decode("shf.l.wrap.b32").mods.left && decode("shf.l.wrap.b32").mods.wrap);
  EXPECT_FALSE(decode("shf.r.clamp.b32").mods.left || decode("shf.r.clamp.b32").mods.wrap);
}

ptx::Operand constant(ptx::OperandKind kind, uint64_t bits, bool is_unsigned = false) {
  ptx::Operand operand;
  operand.kind = kind;
  operand.bits = bits;
  operand.is_unsigned = is_unsigned;
  return operand;
}

TEST(Immediates, TakeTheInstructionsType) {
  using Kind = ptx::OperandKind;
  const auto integer = [](int64_t v, Type t) { return immediate_bits(constant(Kind::Integer, uint64_t(v)), t); };
  EXPECT_EQ(integer(-1, Type::S32), 0xffffffffu);
  EXPECT_EQ(integer(-1, Type::S16), 0xffffu);
  EXPECT_EQ(integer(-1, Type::B64), ~uint64_t{0});
  EXPECT_EQ(integer(2, Type::Pred), 1u);
  EXPECT_EQ(integer(3, Type::F32), std::bit_cast<uint32_t>(3.0f));
  EXPECT_EQ(integer(-3, Type::F64), std::bit_cast<uint64_t>(-3.0));
  EXPECT_EQ(immediate_bits(constant(Kind::Integer, ~uint64_t{0}, true), Type::F32), std::bit_cast<uint32_t>(0x1p64f));
  EXPECT_EQ(integer(0x3c00, Type::F16), 0x3c00u) << "16-bit formats are written as patterns";
  const auto single = [](uint32_t bits, Type t) { return immediate_bits(constant(Kind::Float32, bits), t); };
  EXPECT_EQ(single(0x7fa00001, Type::F32), 0x7fa00001u) << "a signalling NaN stays one";
  EXPECT_EQ(single(0x3f800000, Type::B32), 0x3f800000u);
  EXPECT_EQ(single(0x3f800000, Type::F64), std::bit_cast<uint64_t>(1.0));
  const auto number = [](double v, Type t) {
    return immediate_bits(constant(Kind::Float64, std::bit_cast<uint64_t>(v)), t);
  };
  EXPECT_EQ(number(0.1, Type::F32), std::bit_cast<uint32_t>(0.1f));
  EXPECT_EQ(number(0.1, Type::B64), std::bit_cast<uint64_t>(0.1));
  EXPECT_EQ(number(1.5, Type::F16), 0x3e00u);
  EXPECT_EQ(number(1.5, Type::BF16), 0x3fc0u);
}

TEST(Immediates, HalvesRoundToNearestEven) {
  EXPECT_EQ(half_bits(65504.0), 0x7bff);
  EXPECT_EQ(half_bits(65519.999), 0x7bff);
  EXPECT_EQ(half_bits(65520.0), 0x7c00);
  EXPECT_EQ(half_bits(0x1p-24), 0x0001);
  EXPECT_EQ(half_bits(0x1p-25), 0x0000);
  EXPECT_EQ(half_bits(0x1.8p-25), 0x0001);
  EXPECT_EQ(half_bits(-0.0), 0x8000);
  EXPECT_EQ(half_bits(1 + 0x1p-11), 0x3c00);
  EXPECT_EQ(half_bits(1 + 3 * 0x1p-11), 0x3c02);
  EXPECT_EQ(half_bits(std::numeric_limits<double>::infinity()), 0x7c00);
  EXPECT_EQ(half_bits(std::nan("")), 0x7fff);
  EXPECT_EQ(bfloat_bits(-3.4e38), 0xff80);
  EXPECT_EQ(bfloat_bits(0x1p-133), 0x0001);
}

// Against the compiler's own conversion, over every exponent and around every tie.
TEST(Immediates, HalvesAgreeWithTheCompilers) {
  for (int exponent = -30; exponent <= 17; ++exponent) {
    for (int step = 0; step < 4096; ++step) {
      const double value = std::ldexp(1 + step / 4096.0, exponent);
      const auto expected = std::bit_cast<uint16_t>(static_cast<_Float16>(value));
      ASSERT_EQ(half_bits(value), expected) << value;
    }
  }
}

TEST(SpecialRegisters, HaveNames) {
  EXPECT_EQ(find_special("%tid", "y")->special, SpecialRegister::TidY);
  EXPECT_EQ(find_special("%cluster_nctaid", "z")->special, SpecialRegister::ClusterNctaidZ);
  EXPECT_EQ(find_special("%lanemask_gt", "")->special, SpecialRegister::LanemaskGt);
  EXPECT_EQ(find_special("%envreg31", "")->index, 31u);
  EXPECT_FALSE(find_special("%envreg32", ""));
  EXPECT_EQ(find_special("%pm3_64", "")->special, SpecialRegister::Pm);
  EXPECT_EQ(find_special("%reserved_smem_offset_1", "")->special, SpecialRegister::ReservedSmem);
  EXPECT_TRUE(find_special("%tid", "w")->constant);
  EXPECT_EQ(find_special("%ntid", "w")->value, 1u);
  EXPECT_FALSE(find_special("%tid", ""));
  EXPECT_FALSE(find_special("%r1", ""));
  for (unsigned i = 0; i < unsigned(SpecialRegister::Envreg); ++i) {
    const std::string text = name(SpecialRegister(i), 0);
    const size_t dot = text.find('.');
    const auto found =
        find_special(text.substr(0, dot), dot == std::string::npos ? "" : std::string_view(text).substr(dot + 1));
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(found->special, SpecialRegister(i));
  }
}

TEST(Types, HaveNamesAndWidths) {
  for (unsigned i = unsigned(Type::Pred); i < unsigned(Type::Other); ++i) {
    EXPECT_EQ(type_from_name(name(Type(i))), Type(i));
    EXPECT_NE(bits(Type(i)), 0u);
  }
  EXPECT_EQ(bits(Type::F16x2), 32u);
  EXPECT_TRUE(is_float(Type::BF16x2));
  EXPECT_TRUE(is_signed(Type::S16x2));
  EXPECT_FALSE(is_signed(Type::B32));
}

// An instruction printed from its fields reads back as the same instruction.
TEST(Print, SpellsInstructionsWithoutAText) {
  const char* const lines[] = {
      "add.cc.u32 %r1, %r2, 7;",
      "@!%p1 fma.rn.ftz.sat.f32 %f1, %f2, %f3, %f4;",
      "setp.lt.and.f64 %p1, %fd1, %fd2, !%p2;",
      "mad.wide.s32 %rd1, %r1, 4, %rd2;",
      "ld.relaxed.gpu.global.v2.u32 {%r1, %r2}, [%rd1-8];",
      "st.shared.v2.u32 [%r1+4], {%r2, 5};",
      "atom.acq_rel.sys.global.cas.b32 %r1, [%rd1], %r2, %r3;",
      "shf.l.wrap.b32 %r1, %r2, %r3, 5;",
      "bar.sync 0;",
      "bar.warp.sync 0xffffffff;",
      "cvt.rzi.s32.f32 %r1, %f1;",
      "mov.u32 %r1, %ctaid.z;",
      "cvta.to.global.u64 %rd1, %rd2;",
  };
  for (const char* line : lines) {
    const Module module = load_body(line);
    ASSERT_FALSE(module.functions.empty());
    const Function& k = module.functions[0];
    EXPECT_EQ(print(k, k.instructions[0]), line);
    Instruction bare = k.instructions[0];
    bare.text_length = 0;
    EXPECT_EQ(print(k, bare), line);
  }
}

TEST(Print, SqueezesTheText) {
  const Module module = load_body("@%p1 ld.global.u32\t%r1,   // first\n   [%rd1  + 4] ;");
  EXPECT_EQ(print(module.functions[0], module.functions[0].instructions[0]), "@%p1 ld.global.u32 %r1, [%rd1 + 4];");
}

}  // namespace
}  // namespace drywarp::ir
