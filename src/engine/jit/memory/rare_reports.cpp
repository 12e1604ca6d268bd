// Reports lanes whose division, reciprocal or root is a rare case (base/events/rare_cases.h). The conditions are those of
// ptxas 13's code for sm_90, and of its FCHK as measured on an H100.
#include "engine/jit/memory/event_reports.h"
#include "language/ir/rare_cases.h"

namespace drywarp::jit {

using ir::Opcode;
using ir::Type;

namespace {

// The operand's high word; f32: all of it.
Value* high_word(llvm::IRBuilder<>& b, Value* bits) {
  auto* words = llvm::FixedVectorType::get(b.getInt32Ty(), 32);
  return bits->getType()->getScalarSizeInBits() == 64 ? b.CreateTrunc(b.CreateLShr(bits, 32), words) : bits;
}

class RareTests {
 public:
  explicit RareTests(llvm::IRBuilder<>& builder) : b(builder) {}

  // The lanes of 32 for which the instruction is rare.
  Value* of(const ir::Instruction& in, Value* first, Value* second) {
    const bool two_words = in.type == Type::F64;
    Value* a = high_word(b, first);
    if (in.op == Opcode::Div) {
      Value* d = high_word(b, second);
      return two_words ? double_quotient(a, d, first, second) : float_quotient(a, d);
    }
    if (in.op == Opcode::Sqrt)
      return two_words ? above(plus(a, 0xfcb00000), 0x7ca00000 - 1) : above(plus(a, 0xf3000000), 0x727fffff);
    // The exponent is 0 or one of the last three; of doubles likewise.
    if (two_words) return below(masked(plus(a, 0x300402), kMagnitude), 0x400000);
    return below(masked(plus(a, 0x1800000), 0x7f800000), 0x2000000);
  }

 private:
  static constexpr uint32_t kMagnitude = 0x7fffffff;
  Value* word(uint32_t value) { return b.CreateVectorSplat(32, b.getInt32(value)); }
  Value* plus(Value* v, uint32_t value) { return b.CreateAdd(v, word(value)); }
  Value* masked(Value* v, uint32_t mask) { return b.CreateAnd(v, word(mask)); }
  Value* above(Value* v, uint32_t most) { return b.CreateICmpUGT(v, word(most)); }
  Value* below(Value* v, uint32_t end) { return b.CreateICmpULT(v, word(end)); }
  Value* exponent(Value* f32) { return masked(b.CreateLShr(f32, 23), 0xff); }

  Value* float_quotient(Value* a, Value* d) {
    constexpr uint32_t kLeast = 25, kLeastDivisor = 2, kInfinite = 255, kApart = 125;
    Value *of_a = exponent(a), *of_d = exponent(d);
    Value* dividend = above(plus(of_a, 0 - kLeast), kInfinite - 1 - kLeast);
    Value* divisor = above(plus(of_d, 0 - kLeastDivisor), kInfinite - 1 - kLeastDivisor);
    Value* apart = above(plus(b.CreateSub(of_a, of_d), kApart - 1), 2 * (kApart - 1));
    return b.CreateOr(b.CreateOr(dividend, divisor), apart);
  }

  // The high words as floats tell: a dividend below 6.6e-37, or a quotient that is subnormal or of no finite divisor.
  Value* double_quotient(Value* a, Value* d, Value* first, Value* second) {
    auto* doubles = llvm::FixedVectorType::get(b.getDoubleTy(), 32);
    Value* q = b.CreateFDiv(b.CreateBitCast(first, doubles), b.CreateBitCast(second, doubles));
    q = high_word(b, b.CreateBitCast(q, llvm::FixedVectorType::get(b.getInt64Ty(), 32)));
    Value* result = below(masked(q, kMagnitude), 0x100001);
    Value* divisor = above(masked(d, kMagnitude), 0x7f7fffff);
    return b.CreateOr(b.CreateOr(below(masked(a, kMagnitude), 0x03600000), result), divisor);
  }

  llvm::IRBuilder<>& b;
};

}  // namespace

void EventReports::report_rare_cases(const ir::Instruction& in, uint32_t index) {
  if (!ir::has_rare_cases(in) || f.prepared.numbers.instruction[index] == ir::kNone) return;
  const Type bits = in.type == Type::F64 ? Type::B64 : Type::B32;
  Value* first = values_.value_of(in.src[0], bits, 32);
  Value* second = in.op == Opcode::Div ? values_.value_of(in.src[1], bits, 32) : first;
  Value* rare = b.CreateAnd(f.lanes_to_mask(RareTests(b).of(in, first, second)), f.active_mask());
  f.when(b.CreateICmpNE(rare, i32(0)), false, [&] {
    f.call_runtime(runtime::rare_cases,
                   {f.context, i32(index), rare, f.spill(first, "dividends"), f.spill(second, "divisors")});
  });
}

}  // namespace drywarp::jit
