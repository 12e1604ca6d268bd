// Constant expressions (PTX ISA 4.5), folded while they are read. Integers are 64 bits wide, signed unless marked.
#include <bit>
#include <charconv>
#include <limits>

#include "language/ptx/parser_state.h"

namespace drywarp::ptx {
namespace {

struct Operator {
  uint16_t op;
  int precedence;
};
constexpr Operator kOperators[] = {
    {op('*'), 10},     {op('/'), 10}, {op('%'), 10}, {op('+'), 9},      {op('-'), 9},      {op('<', '<'), 8},
    {op('>', '>'), 8}, {op('<'), 7},  {op('>'), 7},  {op('<', '='), 7}, {op('>', '='), 7}, {op('=', '='), 6},
    {op('!', '='), 6}, {op('&'), 5},  {op('^'), 4},  {op('|'), 3},      {op('&', '&'), 2}, {op('|', '|'), 1},
};

int precedence_of(const Token& token) {
  if (token.kind != TokenKind::Punctuation) return 0;
  for (const Operator& entry : kOperators) {
    if (entry.op == token.op) return entry.precedence;
  }
  return 0;
}

bool is_float(const Constant& c) { return c.kind != OperandKind::Integer; }

double as_double(const Constant& c) {
  if (c.kind == OperandKind::Float64) return std::bit_cast<double>(c.bits);
  if (c.kind == OperandKind::Float32) return std::bit_cast<float>(uint32_t(c.bits));
  return c.is_unsigned ? double(c.bits) : double(int64_t(c.bits));
}

Constant from_double(double value) { return {OperandKind::Float64, false, std::bit_cast<uint64_t>(value)}; }
Constant from_bool(bool value) { return {OperandKind::Integer, false, value ? 1u : 0u}; }
bool truth(const Constant& c) { return is_float(c) ? as_double(c) != 0 : c.bits != 0; }

// nullptr, or why there is no value.
const char* apply_float(uint16_t o, double a, double b, Constant& out) {
  switch (o) {
    case op('*'):
      out = from_double(a * b);
      return nullptr;
    case op('/'):
      out = from_double(a / b);
      return nullptr;
    case op('+'):
      out = from_double(a + b);
      return nullptr;
    case op('-'):
      out = from_double(a - b);
      return nullptr;
    case op('<'):
      out = from_bool(a < b);
      return nullptr;
    case op('>'):
      out = from_bool(a > b);
      return nullptr;
    case op('<', '='):
      out = from_bool(a <= b);
      return nullptr;
    case op('>', '='):
      out = from_bool(a >= b);
      return nullptr;
    case op('=', '='):
      out = from_bool(a == b);
      return nullptr;
    case op('!', '='):
      out = from_bool(a != b);
      return nullptr;
    default:
      return "operator needs integers";
  }
}

const char* apply_integer(uint16_t o, uint64_t a, uint64_t b, bool u, bool left_unsigned, Constant& out) {
  const int64_t x = int64_t(a), y = int64_t(b);
  const auto value = [&](uint64_t bits) {
    out = {OperandKind::Integer, u, bits};
    return nullptr;
  };
  switch (o) {
    case op('*'):
      return value(a * b);
    case op('+'):
      return value(a + b);
    case op('-'):
      return value(a - b);
    case op('/'):
    case op('%'): {
      if (b == 0) return "division by zero";
      const bool overflows = !u && x == std::numeric_limits<int64_t>::min() && y == -1;
      if (o == op('/')) return value(overflows ? a : u ? a / b : uint64_t(x / y));
      return value(overflows ? 0 : u ? a % b : uint64_t(x % y));
    }
    case op('<', '<'):
      out = {OperandKind::Integer, left_unsigned, b > 63 ? 0 : a << b};
      return nullptr;
    case op('>', '>'):
      out = {OperandKind::Integer, left_unsigned,
             left_unsigned ? (b > 63 ? 0 : a >> b) : uint64_t(x >> (b > 63 ? 63 : b))};
      return nullptr;
    case op('<'):
      out = from_bool(u ? a < b : x < y);
      return nullptr;
    case op('>'):
      out = from_bool(u ? a > b : x > y);
      return nullptr;
    case op('<', '='):
      out = from_bool(u ? a <= b : x <= y);
      return nullptr;
    case op('>', '='):
      out = from_bool(u ? a >= b : x >= y);
      return nullptr;
    case op('=', '='):
      out = from_bool(a == b);
      return nullptr;
    case op('!', '='):
      out = from_bool(a != b);
      return nullptr;
    case op('&'):
      return value(a & b);
    case op('^'):
      return value(a ^ b);
    default:
      return value(a | b);
  }
}

const char* apply(uint16_t o, const Constant& a, const Constant& b, Constant& out) {
  if (o == op('&', '&')) return out = from_bool(truth(a) && truth(b)), nullptr;
  if (o == op('|', '|')) return out = from_bool(truth(a) || truth(b)), nullptr;
  if (is_float(a) || is_float(b)) return apply_float(o, as_double(a), as_double(b), out);
  return apply_integer(o, a.bits, b.bits, a.is_unsigned || b.is_unsigned, a.is_unsigned, out);
}

}  // namespace

bool Parser::constant(Constant& value, unsigned depth) { return ternary(value, depth); }

bool Parser::integer_constant(uint64_t& value, const char* what) {
  const Position at = token_.at;
  Constant folded;
  if (!constant(folded)) return false;
  if (folded.kind != OperandKind::Integer) return fail(at, std::string(what) + " must be an integer");
  value = folded.bits;
  return true;
}

bool Parser::ternary(Constant& value, unsigned depth) {
  if (!binary(value, 1, depth)) return false;
  if (!token_.is(op('?'))) return true;
  if (depth >= kMaxExpressionDepth) return fail(token_.at, "expression nested too deeply");
  advance();
  Constant yes, no;
  if (!ternary(yes, depth + 1) || !expect(op(':'), "in a conditional expression") || !ternary(no, depth + 1))
    return false;
  value = truth(value) ? yes : no;
  return true;
}

bool Parser::binary(Constant& value, int least_precedence, unsigned depth) {
  if (!unary(value, depth)) return false;
  for (;;) {
    const int precedence = precedence_of(token_);
    if (precedence < least_precedence || precedence == 0) return true;
    if (depth >= kMaxExpressionDepth) return fail(token_.at, "expression nested too deeply");
    const Token operation = token_;
    advance();
    Constant right;
    if (!binary(right, precedence + 1, depth + 1)) return false;
    const Constant left = value;
    if (const char* why = apply(operation.op, left, right, value)) return fail(operation.at, why);
  }
}

bool Parser::unary(Constant& value, unsigned depth) {
  if (depth >= kMaxExpressionDepth) return fail(token_.at, "expression nested too deeply");
  const Position at = token_.at;
  if (accept(op('+'))) return unary(value, depth + 1);
  if (accept(op('-'))) {
    if (!unary(value, depth + 1)) return false;
    if (value.kind == OperandKind::Integer) value.bits = 0 - value.bits;
    if (value.kind == OperandKind::Float32) value.bits ^= uint64_t{1} << 31;
    if (value.kind == OperandKind::Float64) value.bits ^= uint64_t{1} << 63;
    return true;
  }
  if (accept(op('!'))) {
    if (!unary(value, depth + 1)) return false;
    value = from_bool(!truth(value));
    return true;
  }
  if (accept(op('~'))) {
    if (!unary(value, depth + 1)) return false;
    if (is_float(value)) return fail(at, "operator needs integers");
    value.bits = ~value.bits;
    return true;
  }
  return primary(value, depth);
}

bool Parser::primary(Constant& value, unsigned depth) {
  const Token token = token_;
  switch (token.kind) {
    case TokenKind::Integer:
      value = {OperandKind::Integer, token.is_unsigned, token.bits};
      advance();
      return true;
    case TokenKind::Float32:
      value = {OperandKind::Float32, false, token.bits};
      advance();
      return true;
    case TokenKind::Float64:
      value = {OperandKind::Float64, false, token.bits};
      advance();
      return true;
    case TokenKind::Identifier:
      if (token.text != "WARP_SZ") break;
      value = {OperandKind::Integer, false, 32};
      advance();
      return true;
    case TokenKind::DotWord: {  // .5
      double number = 0;
      const char* last = token.text.data() + token.text.size();
      const auto parsed = std::from_chars(token.text.data(), last, number);
      if (parsed.ec != std::errc{} || parsed.ptr != last) break;
      value = from_double(number);
      advance();
      return true;
    }
    case TokenKind::Punctuation: {
      if (!accept(op('('))) break;
      const bool to_signed = token_.is_word(".s64"), to_unsigned = token_.is_word(".u64");
      if (to_signed || to_unsigned) {  // (.u64) x
        advance();
        if (!expect(op(')'), "after the type of a cast") || !unary(value, depth + 1)) return false;
        if (is_float(value)) return fail(token.at, "cast needs an integer");
        value.is_unsigned = to_unsigned;
        return true;
      }
      return ternary(value, depth + 1) && expect(op(')'), "after an expression");
    }
    default:
      break;
  }
  return unexpected("a constant");
}

}  // namespace drywarp::ptx
