// PTX text to tokens, one at a time. Comments, white space, line markers and "@@DWARF" lines vanish here.
#pragma once

#include <string_view>

#include "language/ptx/token.h"

namespace drywarp::ptx {

// Reads `text` up to its end or its first NUL. The text must stay alive and must be shorter than 4 GiB. A copy of a
// lexer marks a place to return to.
class Lexer {
 public:
  explicit Lexer(std::string_view text);
  // Never fails; returns End for ever at the end. A Token of kind Invalid says what is wrong with the text.
  Token next();

 private:
  [[nodiscard]] char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  const char* skip_blank();  // the problem in the text, or null
  void newline() {
    ++line_;
    line_begin_ = at_;
  }
  Token number(Token token);
  Token string(Token token);
  Token finish(Token token, TokenKind kind);
  Token invalid(Token token, const char* message);

  std::string_view text_;
  size_t at_ = 0;
  size_t line_begin_ = 0;
  uint32_t line_ = 1;
  bool line_is_blank_ = true;  // nothing but white space before at_ in this line
};

}  // namespace drywarp::ptx
