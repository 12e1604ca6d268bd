// The tokens of PTX text.
#pragma once

#include <cstdint>
#include <string_view>

namespace drywarp::ptx {

struct Position {
  uint32_t line = 0;    // 1-based
  uint32_t column = 0;  // 1-based, in bytes
};

enum class TokenKind : uint8_t {
  End,
  Invalid,      // text that is no token; `message` says why
  Identifier,   // %r1, foo, $L__BB0_1, _
  DotWord,      // .global, .L1::evict_last, .16x256b: the text includes the dot
  Integer,      // bits; is_unsigned with a U suffix or too large for s64
  Float32,      // 0f3f800000: bits holds the pattern
  Float64,      // 0d... or 1.5e3: bits holds the pattern of a double
  String,       // text is what stands between the quotes
  Punctuation,  // op
};

// Punctuation: one or two characters packed, first character in the low byte.
constexpr uint16_t op(char a, char b = 0) { return uint16_t(uint8_t(a) | uint8_t(b) << 8); }

struct Token {
  TokenKind kind = TokenKind::End;
  bool is_unsigned = false;
  uint16_t op = 0;
  Position at;
  uint32_t begin = 0;  // offset in the text
  uint32_t end = 0;
  std::string_view text;
  uint64_t bits = 0;
  const char* message = nullptr;

  [[nodiscard]] bool is(uint16_t punctuation) const { return kind == TokenKind::Punctuation && op == punctuation; }
  [[nodiscard]] bool is_word(std::string_view word) const { return kind == TokenKind::DotWord && text == word; }
};

}  // namespace drywarp::ptx
