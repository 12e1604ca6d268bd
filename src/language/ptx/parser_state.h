// The parser's state: the current token, errors, the pools. Members are in parse_*.cpp, by construct. Private to this
// room.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/support/result.h"
#include "language/ptx/ast.h"
#include "language/ptx/lexer.h"

namespace drywarp::ptx {

// A folded constant expression.
struct Constant {
  OperandKind kind = OperandKind::Integer;  // Integer, Float32, Float64
  bool is_unsigned = false;
  uint64_t bits = 0;
};

// Every member that returns bool returns false once `problem` is set; the caller gives up at once.
class Parser {
 public:
  Parser(std::string_view text, SyntaxTree& tree) : lexer_(text), tree_(tree) { advance(); }

  bool module();  // parse_module.cpp
  std::optional<Diagnostic> problem;

 private:
  // Tokens
  void advance() {
    previous_end_ = token_.end;
    token_ = lexer_.next();
  }
  bool accept(uint16_t punctuation) {
    if (!token_.is(punctuation)) return false;
    advance();
    return true;
  }
  bool accept_word(std::string_view word) {
    if (!token_.is_word(word)) return false;
    advance();
    return true;
  }
  bool expect(uint16_t punctuation, const char* after);
  bool expect_identifier(std::string_view& name, const char* what);
  bool fail(Position at, std::string message, std::string hint = {});
  bool unexpected(const char* wanted);  // "expected WANTED, found 'x'"

  // parse_module.cpp
  bool module_item();
  bool linked_item();
  bool function(Linking linking, bool is_kernel, Position at);
  bool function_directives(Range& range);
  bool file_directive();
  bool section();
  bool loc_directive();
  bool attribute(bool& managed);

  // parse_declaration.cpp
  bool variables(Linking linking, std::vector<Variable>& into, const char* end);
  bool declaration_words(Variable& base);
  bool declarator(Variable& variable);
  bool parameters(Range& range);
  bool initializer(uint32_t& index, unsigned depth);

  // parse_body.cpp
  bool body();
  bool statement();
  bool labelled_directive(std::string_view label, bool& done);
  bool instruction();
  bool operand_list(Range& range, uint16_t close, unsigned depth);
  [[nodiscard]] bool opens_list(unsigned depth) const;
  bool operand(Operand& operand, unsigned depth);
  bool simple_operand(Operand& operand, unsigned depth);
  bool name_operand(Operand& operand, unsigned depth);
  Range store(std::vector<Operand>& list, size_t first);

  // parse_expression.cpp
  bool constant(Constant& value, unsigned depth = 0);        // a whole expression
  bool integer_constant(uint64_t& value, const char* what);  // one that gives an integer
  bool ternary(Constant& value, unsigned depth);
  bool binary(Constant& value, int least_precedence, unsigned depth);
  bool unary(Constant& value, unsigned depth);
  bool primary(Constant& value, unsigned depth);

  void add(StatementKind kind, size_t index, Position at) { tree_.statements.push_back({kind, uint32_t(index), at}); }

  static constexpr unsigned kMaxExpressionDepth = 64;
  static constexpr unsigned kMaxScopeDepth = 256;

  Lexer lexer_;
  Token token_;
  uint32_t previous_end_ = 0;
  SyntaxTree& tree_;
  unsigned scope_depth_ = 0;
  bool in_call_ = false;
  std::vector<Operand> pending_;  // operands of lists that are not complete yet
};

}  // namespace drywarp::ptx
