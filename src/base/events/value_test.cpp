#include "base/events/value_test.h"

namespace drywarp {
namespace {

uint64_t cut(uint64_t value, unsigned bits) { return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1); }
int64_t extend(uint64_t value, unsigned bits) { return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits); }

}  // namespace

bool ValueTest::holds(uint64_t value, uint64_t other) const {
  for (size_t i = 0; i < count; ++i) {
    const Step& s = steps[i];
    const uint64_t x = cut(s.other ? other : s.immediate, s.bits), v = cut(value, s.bits);
    switch (s.op) {
      case Op::ZeroExtend:
        value = v;
        break;
      case Op::SignExtend:
        value = static_cast<uint64_t>(extend(v, s.bits));
        break;
      case Op::And:
        value = v & x;
        break;
      case Op::Or:
        value = v | x;
        break;
      case Op::Xor:
        value = v ^ x;
        break;
      case Op::Add:
        value = cut(v + x, s.bits);
        break;
      case Op::Subtract:
        value = cut(v - x, s.bits);
        break;
      case Op::SubtractFrom:
        value = cut(x - v, s.bits);
        break;
      case Op::Equal:
        value = (v == x) != s.negated;
        break;
      case Op::Less:
        value = (s.reversed ? x < v : v < x) != s.negated;
        break;
      case Op::LessSigned: {
        const int64_t a = extend(v, s.bits), b = extend(x, s.bits);
        value = (s.reversed ? b < a : a < b) != s.negated;
        break;
      }
    }
  }
  return value != 0;
}

}  // namespace drywarp
