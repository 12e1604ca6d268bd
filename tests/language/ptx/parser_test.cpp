// Syntax trees of correct texts, and the places of errors.
#include "language/ptx/parser.h"

#include <bit>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drywarp::ptx {
namespace {

const std::string kHead = ".version 8.3\n.target sm_90\n.address_size 64\n";

SyntaxTree parse_good(const std::string& text) {
  Result<SyntaxTree> tree = parse(text, "t.ptx");
  EXPECT_TRUE(tree.ok()) << tree.problem().to_string();
  return tree.ok() ? *tree : SyntaxTree{};
}

// Line 4 of the text is the first behind the head.
SyntaxTree module(const std::string& text) { return parse_good(kHead + text); }
SyntaxTree body(const std::string& text) { return module(".entry k()\n{\n" + text + "\n}\n"); }

Diagnostic problem_of(const std::string& text) {
  const Result<SyntaxTree> tree = parse(text, "t.ptx");
  EXPECT_FALSE(tree.ok()) << text;
  return tree.ok() ? Diagnostic{} : tree.problem();
}

uint64_t value_of(const std::string& expression) {
  const SyntaxTree tree = module(".global .u64 x = " + expression + ";");
  if (tree.initializers.empty()) return ~0ull;
  const Operand& value = tree.operands[tree.initializers[0].value];
  EXPECT_EQ(value.kind, OperandKind::Integer) << expression;
  return value.bits;
}

const Operand& operand(const SyntaxTree& tree, size_t index, size_t instruction = 0) {
  return tree.operands[tree.instructions[instruction].operands.first + index];
}
const Operand& child(const SyntaxTree& tree, const Operand& parent, size_t index) {
  return tree.operands[parent.children.first + index];
}

TEST(Parser, ReadsTheHead) {
  const SyntaxTree tree = parse_good(".version 7.8 .target sm_80, texmode_independent, debug .address_size 64");
  EXPECT_EQ(tree.version, "7.8");
  EXPECT_THAT(tree.target, testing::ElementsAre("sm_80", "texmode_independent", "debug"));
  EXPECT_EQ(tree.address_size, 64u);
}

TEST(Parser, StopsAtTheFirstNulAndNeedsNoNewline) {
  EXPECT_EQ(parse_good(kHead + std::string(".global .b32 a;\0\0garbage{", 26)).module_variables.size(), 1u);
  EXPECT_EQ(module(".entry k() { ret; }").functions.size(), 1u);
}

TEST(Parser, FoldsConstantExpressions) {
  EXPECT_EQ(value_of("1 + 2 * 3 - 4 / 2"), 5u);
  EXPECT_EQ(value_of("(1 + 2) * -3"), uint64_t(-9));
  EXPECT_EQ(value_of("1 << 4 | 3 ^ 1 & 7"), 18u);
  EXPECT_EQ(value_of("-16 >> 2"), uint64_t(-4));
  EXPECT_EQ(value_of("0xFFFFFFFFFFFFFFFF >> 60"), 15u) << "too large for s64: unsigned";
  EXPECT_EQ(value_of("-1 < 0"), 1u);
  EXPECT_EQ(value_of("-1 < 0U"), 0u) << "an unsigned operand makes the comparison unsigned";
  EXPECT_EQ(value_of("1 << 64"), 0u);
  EXPECT_EQ(value_of("3 > 2 ? WARP_SZ : 0"), 32u);
  EXPECT_EQ(value_of("!5 + ~0"), uint64_t(-1));
  EXPECT_EQ(value_of("017 + 0x1f + 0b101 + 9U"), 60u);
  EXPECT_EQ(value_of("(.u64) -1 / 2"), ~uint64_t{0} / 2);
  EXPECT_EQ(value_of("-9223372036854775807 - 1"), uint64_t{1} << 63);
  EXPECT_EQ(value_of("1.5 < 2.0 && 1 == 1.0 || 0"), 1u);
}

TEST(Parser, KeepsFloatBitPatterns) {
  const SyntaxTree tree = body(
      "mov.f32 %f1, 0f7FC00001; mov.f64 %fd1, 0D7ff8000000000002; mov.f32 %f1, -1.5e-3; mov.f32 %f1, -0f3f800000;"
      "mov.f32 %f1, .25; mov.f32 %f1, 2.;");
  EXPECT_EQ(operand(tree, 1, 0).kind, OperandKind::Float32);
  EXPECT_EQ(operand(tree, 1, 0).bits, 0x7FC00001u);
  EXPECT_EQ(operand(tree, 1, 1).bits, 0x7ff8000000000002u);
  EXPECT_EQ(operand(tree, 1, 2).bits, std::bit_cast<uint64_t>(-1.5e-3));
  EXPECT_EQ(operand(tree, 1, 3).bits, 0xBF800000u);
  EXPECT_EQ(operand(tree, 1, 4).bits, std::bit_cast<uint64_t>(0.25));
  EXPECT_EQ(operand(tree, 1, 5).bits, std::bit_cast<uint64_t>(2.0));
}

TEST(Parser, ReadsEveryOperandForm) {
  const SyntaxTree tree = body(
      "@!%p1 op.a.L1::b.16x2 {%r1, _, 5}, [%rd1+8], [array], [tex, {%r1, %r2}], %p1|%p2, !%p3, -%r4, %r5.h1, "
      "array+4-2, array[3], WARP_SZ, [0x10];");
  const Instruction& op = tree.instructions[0];
  EXPECT_EQ(op.opcode, "op");
  EXPECT_EQ(op.suffixes, ".a.L1::b.16x2");
  EXPECT_THAT(std::vector(tree.words.begin(), tree.words.end()), testing::ElementsAre("a", "L1::b", "16x2"));
  EXPECT_EQ(op.guard, "%p1");
  EXPECT_TRUE(op.guard_negated);
  EXPECT_EQ(op.at.line, 6u);
  EXPECT_EQ(op.at.column, 1u);
  ASSERT_EQ(op.operands.count, 12u);
  EXPECT_EQ(operand(tree, 0).kind, OperandKind::Vector);
  ASSERT_EQ(operand(tree, 0).children.count, 3u);
  EXPECT_EQ(child(tree, operand(tree, 0), 1).kind, OperandKind::Sink);
  EXPECT_EQ(child(tree, operand(tree, 0), 2).bits, 5u);
  EXPECT_EQ(operand(tree, 1).kind, OperandKind::Address);
  EXPECT_EQ(child(tree, operand(tree, 1), 0).name, "%rd1");
  EXPECT_EQ(child(tree, operand(tree, 1), 0).bits, 8u);
  EXPECT_EQ(operand(tree, 3).children.count, 2u);
  EXPECT_EQ(child(tree, operand(tree, 3), 1).kind, OperandKind::Vector);
  EXPECT_EQ(operand(tree, 4).kind, OperandKind::Pair);
  EXPECT_EQ(child(tree, operand(tree, 4), 1).name, "%p2");
  EXPECT_TRUE(operand(tree, 5).invert);
  EXPECT_TRUE(operand(tree, 6).minus);
  EXPECT_EQ(operand(tree, 7).component, "h1");
  EXPECT_EQ(operand(tree, 8).bits, 2u);
  EXPECT_TRUE(operand(tree, 9).indexed);
  EXPECT_EQ(operand(tree, 10).bits, 32u);
  EXPECT_EQ(child(tree, operand(tree, 11), 0).bits, 16u);
}

TEST(Parser, TellsACallsListsFromExpressions) {
  const SyntaxTree tree = body("call (a, b), f, (1, %r1); mov.u32 %r1, (1+2)*3; call (r), f, ((1+2), (3));");
  EXPECT_EQ(operand(tree, 0, 0).kind, OperandKind::Tuple);
  EXPECT_EQ(operand(tree, 2, 0).children.count, 2u);
  EXPECT_EQ(operand(tree, 1, 1).bits, 9u);
  EXPECT_EQ(child(tree, operand(tree, 2, 2), 0).bits, 3u);
}

TEST(Parser, ReadsDeclarations) {
  const SyntaxTree tree = module(
      ".visible .global .align 16 .v4 .f32 v[2][3], w;\n"
      ".extern .shared .align 8 .b8 s[];\n"
      ".global .attribute(.managed) .u32 m;\n"
      ".const .u8 text[] = {1, 2, 3};\n"
      ".global .b64 ps[2] = {generic(v)+8, 0xff(w)};\n");
  const auto& v = tree.module_variables;
  ASSERT_EQ(v.size(), 6u);
  EXPECT_EQ(v[0].linking, Linking::Visible);
  EXPECT_EQ(v[0].alignment, 16u);
  EXPECT_EQ(v[0].vector, 4u);
  EXPECT_EQ(v[0].elements, 6u);
  EXPECT_EQ(v[1].elements, 1u);
  EXPECT_EQ(v[2].linking, Linking::Extern);
  EXPECT_TRUE(v[2].open_array);
  EXPECT_EQ(v[2].elements, 0u);
  EXPECT_TRUE(v[3].managed);
  EXPECT_EQ(v[4].elements, 3u) << "the initialiser counts the elements of an open array";
  const Initializer& list = tree.initializers[v[5].initializer];
  const Operand& generic = tree.operands[tree.initializers[tree.initializer_items[list.items.first]].value];
  EXPECT_TRUE(generic.generic);
  EXPECT_EQ(generic.name, "v");
  EXPECT_EQ(generic.bits, 8u);
  EXPECT_EQ(tree.operands[tree.initializers[tree.initializer_items[list.items.first + 1]].value].mask, 0xffu);
}

TEST(Parser, ReadsFunctionHeads) {
  const SyntaxTree tree = module(
      ".extern .func (.param .b32 r) f (.param .b64 a, .param .align 8 .b8 b[16]) .noreturn;\n"
      ".visible .entry k (.param .u64 .ptr .global .align 4 p)\n.maxntid 128, 2\n.reqntid 64\n.minnctapersm 3 "
      ".explicitcluster "
      ".reqnctapercluster 2,1,1 .pragma \"nounroll\"; .never_heard_of 1, 2 { ret; }\n");
  ASSERT_EQ(tree.functions.size(), 2u);
  EXPECT_FALSE(tree.functions[0].has_body);
  EXPECT_EQ(tree.functions[0].results.count, 1u);
  EXPECT_EQ(tree.variables[tree.functions[0].parameters.first + 1].elements, 16u);
  const Function& k = tree.functions[1];
  EXPECT_TRUE(k.is_kernel);
  EXPECT_EQ(k.directives.count, 7u);
  const FunctionDirective& maxntid = tree.directives[k.directives.first];
  EXPECT_EQ(maxntid.name, "maxntid");
  EXPECT_EQ(tree.numbers[maxntid.numbers.first + 1], 2u);
  const Variable& p = tree.variables[k.parameters.first];
  EXPECT_TRUE(p.is_pointer);
  EXPECT_EQ(p.alignment, 0u) << ".ptr .align is the pointee's";
}

TEST(Parser, ReadsDeclarationsOfOldCompilers) {
  const SyntaxTree tree = module(".visible .func f (.param .u64 a)\n.func g .noreturn\n.global .u32 x;\n.func h()");
  EXPECT_EQ(tree.functions.size(), 3u);
  EXPECT_FALSE(tree.functions[1].has_body);
  EXPECT_EQ(tree.module_variables.size(), 1u);
  const SyntaxTree nameless = body("P: .callprototype (.reg .f64) name (.reg .s64, .param .b32 _);");
  ASSERT_EQ(nameless.prototypes.size(), 1u);
  EXPECT_EQ(nameless.prototypes[0].parameters.count, 2u);
}

TEST(Parser, KeepsUnknownOpcodesAndDirectivesOfBodies) {
  const SyntaxTree tree = body("quux.v9.f3::z {%r1}, [%rd1], \n %r2; .quuz %r1;");
  ASSERT_EQ(tree.instructions.size(), 2u);
  EXPECT_EQ(tree.instructions[0].opcode, "quux");
  EXPECT_TRUE(tree.instructions[1].is_directive);
}

TEST(Parser, SkipsWhatOnlyDebuggersRead) {
  const SyntaxTree tree = module(
      "@@DWARF .section .debug_info\n"
      ".section .debug_abbrev { .b8 1, 2 \n .b32 .debug_line+4 \n label: .b64 a-b }\n"
      ".file 1 \"a.cu\", 123, 456\n# 1 \"x.c\"\n.global .u32 x;");
  EXPECT_EQ(tree.module_variables.size(), 1u);
  ASSERT_EQ(tree.files.size(), 1u);
  EXPECT_EQ(tree.files[0].path, "a.cu");
  // Compilers write characters that are not ASCII as octal escapes.
  const SyntaxTree named = module(R"(.file 1 "gr\303\266\303\237e \"x\\y\7.cu")");
  ASSERT_EQ(named.files.size(), 1u);
  EXPECT_EQ(named.files[0].path, "größe \"x\\y\a.cu");
}

TEST(Parser, ReadsLocWithInlining) {
  const SyntaxTree tree = body(".loc 2 10 3, function_name $L__info+8, inlined_at 1 20 5\nret;");
  ASSERT_EQ(tree.locs.size(), 1u);
  EXPECT_TRUE(tree.locs[0].inlined);
  EXPECT_EQ(tree.locs[0].at_line, 20u);
  EXPECT_EQ(tree.locs[0].function_name, "$L__info");
}

struct BadText {
  const char* text;  // behind the head, from line 4 on
  uint32_t line, column;
  const char* message;
};
class Malformed : public testing::TestWithParam<BadText> {};

TEST_P(Malformed, IsLocated) {
  const Diagnostic problem = problem_of(kHead + GetParam().text);
  EXPECT_EQ(problem.location.file, "t.ptx");
  EXPECT_EQ(problem.location.line, GetParam().line) << problem.to_string();
  EXPECT_EQ(problem.location.column, GetParam().column) << problem.to_string();
  EXPECT_THAT(problem.message, testing::HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Parser, Malformed,
    testing::Values(BadText{".entry k() {\n  add.s32 %r1, %r2 %r3;\n}", 5, 20, "expected ',' or ';', found '%r3'"},
                    BadText{".entry k() {\n  ret\n}", 6, 1, "found '}'"},
                    BadText{".entry k() { ret;", 4, 18, "end of the text"},
                    BadText{"oops", 4, 1, "expected a directive, found 'oops'"},
                    BadText{".nonsense 5", 4, 1, "unknown directive '.nonsense'"},
                    BadText{".global .u32 x = 1 / 0;", 4, 20, "division by zero"},
                    BadText{".global .u32 x = 08;", 4, 18, "malformed number"},
                    BadText{".global .u32 x = 0x;", 4, 18, "without digits"},
                    BadText{".global .f32 x = 0f12;", 4, 18, "too few digits"},
                    BadText{".global .u64 x = 99999999999999999999;", 4, 18, "does not fit 64 bits"},
                    BadText{"/* never ends", 4, 1, "comment without an end"},
                    BadText{".file 1 \"never ends", 4, 9, "string without an end"},
                    BadText{".global .align 3 .u32 x;", 4, 16, "power of two"},
                    BadText{".global .u32 .f32 x;", 4, 14, "two types"},
                    BadText{".entry k() { `; }", 4, 14, "character that PTX does not use"},
                    BadText{"#define x\n", 4, 1, "preprocessor"},
                    BadText{".entry k() { mov.u32 %r1, 1.5 & 1; }", 4, 31, "needs integers"},
                    BadText{".global .u32 x[99999999999][99999999999];", 4, 29, "too large"}));

TEST(Parser, WantsAVersionFirst) {
  EXPECT_THAT(problem_of(".target sm_90").message, testing::HasSubstr(".version"));
  EXPECT_THAT(problem_of("").message, testing::HasSubstr(".version"));
}

TEST(Parser, BoundsNesting) {
  EXPECT_THAT(problem_of(kHead + ".global .u32 x = " + std::string(100000, '(')).message,
              testing::HasSubstr("too deeply"));
  EXPECT_THAT(problem_of(kHead + ".global .u32 x = " + std::string(100000, '-')).message,
              testing::HasSubstr("too deeply"));
  EXPECT_THAT(problem_of(kHead + ".global .u32 x = " + std::string(100000, '{')).message,
              testing::HasSubstr("too deeply"));
  EXPECT_THAT(problem_of(kHead + ".entry k() {" + std::string(100000, '{')).message, testing::HasSubstr("too deeply"));
  EXPECT_THAT(problem_of(kHead + ".entry k() { x " + std::string(100000, '[')).message,
              testing::HasSubstr("too deeply"));
}

TEST(Excerpt, PutsACaretBelowTheColumn) {
  EXPECT_EQ(excerpt("a\n\tb c\nd", {"", 2, 4}), "\tb c\n\t  ^");
  EXPECT_EQ(excerpt("a", {"", 9, 1}), "");
}

TEST(Parser, ReadsRealModules) {
  for (const char* name : {"calls_nvcc", "calls_nvcc_debug", "calls_clang", "syntax"}) {
    std::ifstream file(std::string(DRYWARP_SOURCE_DIR "/tests/golden/ptx/") + name + ".ptx");
    std::stringstream text;
    text << file.rdbuf();
    ASSERT_FALSE(text.str().empty()) << name;
    const SyntaxTree tree = parse_good(text.str());
    EXPECT_GT(tree.instructions.size(), 50u) << name;
    EXPECT_GT(tree.functions.size(), 2u) << name;
  }
}

}  // namespace
}  // namespace drywarp::ptx
