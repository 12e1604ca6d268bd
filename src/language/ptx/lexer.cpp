#include "language/ptx/lexer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

namespace drywarp::ptx {
namespace {

enum CharClass : uint8_t { kFollow = 1, kDigit = 2, kHex = 4, kStart = 8 };

constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[c] = kFollow | kStart;
  for (int c = 'A'; c <= 'Z'; ++c) table[c] = kFollow | kStart;
  for (int c = '0'; c <= '9'; ++c) table[c] = kFollow | kDigit | kHex;
  for (int c = 'a'; c <= 'f'; ++c) table[c] |= kHex, table[c - 32] |= kHex;
  table['_'] = table['$'] = kFollow | kStart;
  table['%'] = kStart;
  return table;
}
constexpr std::array<uint8_t, 256> kClasses = make_classes();

bool is(char c, uint8_t classes) { return (kClasses[uint8_t(c)] & classes) != 0; }

unsigned digit_value(char c) {
  if (c <= '9') return unsigned(c - '0');
  return unsigned((c | 0x20) - 'a') + 10;
}

}  // namespace

Lexer::Lexer(std::string_view text) : text_(text.substr(0, text.find('\0'))) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = line_begin_ = 3;  // a byte order mark
}

const char* Lexer::skip_blank() {
  for (;;) {
    const char c = peek();
    if (c == '\n') {
      ++at_;
      newline();
      line_is_blank_ = true;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++at_;
    } else if (c == '/' && peek(1) == '/') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '/' && peek(1) == '*') {
      const size_t close = text_.find("*/", at_ + 2);
      if (close == std::string_view::npos) return "comment without an end";
      while (at_ < close + 2) {
        if (text_[at_++] == '\n') newline();
      }
    } else if (c == '@' && peek(1) == '@') {
      at_ = std::min(text_.find('\n', at_), text_.size());  // @@DWARF: debug information of old compilers
    } else if (c == '#' && line_is_blank_) {
      size_t word = at_ + 1;
      while (word < text_.size() && (text_[word] == ' ' || text_[word] == '\t')) ++word;
      const std::string_view rest = text_.substr(word, 5);
      const bool marker = rest.starts_with("line") || (!rest.empty() && is(rest[0], kDigit));
      if (!marker) return "preprocessor directive in PTX text";
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return nullptr;
    }
  }
}

Token Lexer::finish(Token token, TokenKind kind) {
  token.kind = kind;
  token.end = uint32_t(at_);
  token.text = text_.substr(token.begin, at_ - token.begin);
  return token;
}

Token Lexer::invalid(Token token, const char* message) {
  token.message = message;
  return finish(token, TokenKind::Invalid);
}

Token Lexer::next() {
  const char* problem = skip_blank();
  Token token;
  token.at = {line_, uint32_t(at_ - line_begin_) + 1};
  token.begin = uint32_t(at_);
  if (problem != nullptr) {
    Token bad = invalid(token, problem);
    at_ = text_.size();
    return bad;
  }
  line_is_blank_ = false;
  if (at_ >= text_.size()) return finish(token, TokenKind::End);

  const char c = text_[at_];
  if (is(c, kDigit)) return number(token);
  if (is(c, kStart)) {
    ++at_;
    while (is(peek(), kFollow)) ++at_;
    if (c == '%' && at_ == token.begin + 1) {
      token.op = op('%');
      return finish(token, TokenKind::Punctuation);  // the operator of constant expressions
    }
    return finish(token, TokenKind::Identifier);
  }
  if (c == '.' && is(peek(1), kFollow)) {
    ++at_;
    while (is(peek(), kFollow) || (peek() == ':' && peek(1) == ':' && is(peek(2), kFollow))) {
      at_ += peek() == ':' ? 2 : 1;
    }
    return finish(token, TokenKind::DotWord);
  }
  if (c == '"') return string(token);

  constexpr std::string_view kSingle = "{}()[],;:@!|+-*/&^~<>=?.";
  if (kSingle.find(c) == std::string_view::npos) {
    ++at_;
    return invalid(token, "character that PTX does not use");
  }
  ++at_;
  const char d = peek();
  token.op = op(c);
  const bool doubled = (c == d && (c == '<' || c == '>' || c == '&' || c == '|' || c == '='));
  const bool with_equals = d == '=' && (c == '<' || c == '>' || c == '!');
  if (doubled || with_equals) {
    token.op = op(c, d);
    ++at_;
  }
  return finish(token, TokenKind::Punctuation);
}

Token Lexer::number(Token token) {
  const auto bit_pattern = [&](size_t digits, TokenKind kind) {
    at_ += 2;
    const size_t first = at_;
    while (is(peek(), kFollow)) {
      if (!is(peek(), kHex) || at_ - first == digits) return invalid(token, "malformed floating-point bit pattern");
      token.bits = token.bits << 4 | digit_value(text_[at_++]);
    }
    if (at_ - first != digits) return invalid(token, "floating-point bit pattern with too few digits");
    return finish(token, kind);
  };
  const char second = char(peek(1) | 0x20);
  if (peek() == '0' && second == 'f') return bit_pattern(8, TokenKind::Float32);
  if (peek() == '0' && second == 'd') return bit_pattern(16, TokenKind::Float64);

  // 1.5, 1., 1e10, 1.5E-3; but not the first half of "0x1e" or of "1.x".
  size_t end = at_;
  const bool prefixed = peek() == '0' && (second == 'x' || second == 'b');
  const auto at = [&](size_t i) { return i < text_.size() ? text_[i] : '\0'; };
  if (!prefixed) {
    bool floating = false;
    while (is(at(end), kDigit)) ++end;
    if (at(end) == '.' && !is(at(end + 1), kStart)) {
      floating = true;
      ++end;
      while (is(at(end), kDigit)) ++end;
    }
    if ((at(end) | 0x20) == 'e') {
      size_t digits = end + 1;
      if (at(digits) == '+' || at(digits) == '-') ++digits;
      if (is(at(digits), kDigit)) {
        floating = true;
        end = digits;
        while (is(at(end), kDigit)) ++end;
      }
    }
    if (floating) {
      double value = 0;
      const auto parsed = std::from_chars(text_.data() + at_, text_.data() + end, value);
      at_ = end;
      if (parsed.ec == std::errc::invalid_argument) return invalid(token, "malformed number");
      token.bits = std::bit_cast<uint64_t>(value);
      return finish(token, TokenKind::Float64);
    }
  }

  unsigned base = 10;
  if (prefixed) {
    base = second == 'x' ? 16 : 2;
    at_ += 2;
    if (!is(peek(), kHex)) return invalid(token, "number without digits");
  } else if (peek() == '0') {
    base = 8;
  }
  bool overflow = false;
  while (is(peek(), kHex)) {
    const unsigned digit = digit_value(peek());
    if (digit >= base) break;
    overflow |= token.bits > (~uint64_t{0} - digit) / base;
    token.bits = token.bits * base + digit;
    ++at_;
  }
  token.is_unsigned = token.bits >> 63 != 0;
  if (peek() == 'U' || peek() == 'u') {
    token.is_unsigned = true;
    ++at_;
  }
  if (is(peek(), kFollow)) {
    while (is(peek(), kFollow)) ++at_;
    return invalid(token, "malformed number");
  }
  if (overflow) return invalid(token, "integer that does not fit 64 bits");
  return finish(token, TokenKind::Integer);
}

Token Lexer::string(Token token) {
  ++at_;
  while (at_ < text_.size() && text_[at_] != '"') {
    if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
    if (text_[at_++] == '\n') newline();
  }
  if (at_ >= text_.size()) return invalid(token, "string without an end");
  ++at_;
  token = finish(token, TokenKind::String);
  token.text = token.text.substr(1, token.text.size() - 2);
  return token;
}

}  // namespace drywarp::ptx
