// Compare-and-swaps of words that are for a part of them.
#include <gtest/gtest.h>

#include "ptx_kernel.h"

namespace drywarp::analysis {
namespace {

struct WordKernel : PtxKernel {
  explicit WordKernel(const std::string& body)
      : PtxKernel(".visible .entry k(.param .u64 p) {\n",
                  ".reg .pred %p<5>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [p];\n" + body),
        parts(word_parts(f)) {}
  WordPart of(ir::Opcode op, size_t which = 0) const {
    for (size_t i = 0; i < f.instructions.size(); ++i) {
      const ir::Instruction& in = f.instructions[i];
      if (in.op != op || in.mods.space != AddressSpace::Generic || which-- != 0) continue;
      return parts.empty() ? WordPart{} : parts[i];
    }
    ADD_FAILURE() << "no such instruction";
    return {};
  }
  std::string address(const WordPart& part) const {
    return part.address == ir::kNone ? "" : f.registers[part.address].name;
  }
  std::vector<WordPart> parts;
};

std::string byte_loop(const std::string& mask, const std::string& ones) {
  return "and.b64 %rd2, %rd1, " + mask +
         "; cvt.u32.u64 %r1, %rd1; shl.b32 %r2, %r1, 3; and.b32 %r3, %r2, 24; mov.u32 %r4, " + ones +
         "; shl.b32 %r5, %r4, %r3; not.b32 %r6, %r5;\nld.relaxed.gpu.b32 %r7, [%rd2];\n"
         "L: and.b32 %r8, %r7, %r6; shl.b32 %r9, 9, %r3; or.b32 %r10, %r9, %r8;\n"
         "atom.relaxed.gpu.cas.b32 %r11, [%rd2], %r7, %r10; setp.ne.s32 %p1, %r11, %r7; mov.u32 %r7, %r11;\n@%p1 bra "
         "L;";
}

TEST(WordParts, AByteOrAHalfWordAtAnyAddress) {
  const WordKernel bytes(byte_loop("-4", "255")), halves(byte_loop("-4", "65535"));
  for (const ir::Opcode op : {ir::Opcode::Atom, ir::Opcode::Ld}) {
    EXPECT_EQ(bytes.of(op).bytes, 1u);
    EXPECT_EQ(bytes.address(bytes.of(op)), "%rd1");
    EXPECT_EQ(halves.of(op).bytes, 2u);
  }
  EXPECT_EQ(WordKernel(byte_loop("-16", "255")).of(ir::Opcode::Atom).bytes, 0u);
  EXPECT_EQ(WordKernel(byte_loop("-4", "16777215")).of(ir::Opcode::Atom).bytes, 0u);
}

TEST(WordParts, AConstantPlace) {
  const WordKernel k(
      "ld.relaxed.gpu.b32 %r7, [%rd1];\nL: and.b32 %r8, %r7, -16711681; or.b32 %r10, %r8, 65536;\n"
      "atom.relaxed.gpu.cas.b32 %r11, [%rd1], %r7, %r10; setp.ne.s32 %p1, %r11, %r7; mov.u32 %r7, %r11;\n@%p1 bra L;");
  EXPECT_EQ(k.of(ir::Opcode::Atom), (WordPart{ir::kNone, 2, 1}));
  EXPECT_EQ(k.of(ir::Opcode::Ld), (WordPart{ir::kNone, 2, 1}));
}

TEST(WordParts, OneHalfOrTheOther) {
  const WordKernel k(
      "and.b64 %rd2, %rd1, -3; setp.eq.u64 %p2, %rd1, %rd2;\nld.b32 %r7, [%rd2];\nL: and.b32 %r8, %r7, 65535;\n"
      "or.b32 %r9, %r8, 65536; and.b32 %r1, %r7, -65536; or.b32 %r2, %r1, 1; selp.b32 %r10, %r2, %r9, %p2;\n"
      "atom.relaxed.gpu.cas.b32 %r11, [%rd2], %r7, %r10; setp.ne.s32 %p1, %r11, %r7; mov.u32 %r7, %r11;\n@%p1 bra L;");
  EXPECT_EQ(k.of(ir::Opcode::Atom).bytes, 2u);
  EXPECT_EQ(k.address(k.of(ir::Opcode::Ld)), "%rd1");
}

// Nothing of the old value stays, or what stays is of another value than that which is compared.
TEST(WordParts, WholeWords) {
  EXPECT_TRUE(WordKernel("atom.relaxed.gpu.cas.b32 %r11, [%rd1], %r7, %r8;").parts.empty());
  EXPECT_TRUE(WordKernel("and.b64 %rd2, %rd1, -4; and.b32 %r8, %r6, -256; or.b32 %r10, %r8, 1;\n"
                         "atom.relaxed.gpu.cas.b32 %r11, [%rd2], %r7, %r10;")
                  .parts.empty());
}

}  // namespace
}  // namespace drywarp::analysis
