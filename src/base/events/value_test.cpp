#include "base/events/value_test.h"

namespace drywarp {
namespace {

uint64_t cut(uint64_t value, unsigned bits) { return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1); }
int64_t extend(uint64_t value, unsigned bits) { return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits); }

uint64_t result(const ValueTest::Step& s, uint64_t a, uint64_t b, uint64_t c) {
  using Op = ValueTest::Op;
  switch (s.op) {
    case Op::Constant:
      return s.immediate;
    case Op::ZeroExtend:
      return a;
    case Op::SignExtend:
      return static_cast<uint64_t>(extend(a, s.bits));
    case Op::And:
      return a & b;
    case Op::Or:
      return a | b;
    case Op::Xor:
      return a ^ b;
    case Op::Add:
      return cut(a + b, s.bits);
    case Op::Subtract:
      return cut(a - b, s.bits);
    case Op::ShiftLeft:
      return b >= s.bits ? 0 : cut(a << b, s.bits);
    case Op::ShiftRight:
      return b >= s.bits ? 0 : a >> b;
    case Op::Equal:
      return a == b ? 1 : 0;
    case Op::Less:
      return a < b ? 1 : 0;
    case Op::LessSigned:
      return extend(a, s.bits) < extend(b, s.bits) ? 1 : 0;
    case Op::Not:
      return a == 0 ? 1 : 0;
    case Op::Choose:
      return a != 0 ? b : c;
    case Op::Pair:
      return a << 8 | b;
  }
  return 0;
}

}  // namespace

uint64_t ValueTest::answer(uint64_t value, const std::array<uint64_t, kOthers>& others, uint64_t* on) const {
  std::array<uint64_t, kMostSteps + 1> results{value};
  for (size_t i = 0; i < count; ++i) {
    const Step& s = steps[i];
    const auto operand = [&](uint8_t which) {
      return cut(which >= kOther ? others[which - kOther] : which == kImmediate ? s.immediate : results[which], s.bits);
    };
    results[i + 1] = result(s, operand(s.a), operand(s.b), operand(s.c));
  }
  if (on) *on = results[goes_on];
  return decides ? results[count] : 0;
}

}  // namespace drywarp
