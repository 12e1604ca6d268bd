#include "language/ptx/parser.h"

#include <algorithm>

#include "language/ptx/parser_state.h"

namespace drywarp::ptx {

bool Parser::fail(Position at, std::string message, std::string hint) {
  if (!problem) problem = error_at({tree_.name, at.line, at.column}, std::move(message), std::move(hint));
  return false;
}

bool Parser::unexpected(const char* wanted) {
  if (token_.kind == TokenKind::Invalid) return fail(token_.at, token_.message);
  if (token_.kind == TokenKind::End)
    return fail(token_.at, std::string("expected ") + wanted + ", found the end of the text");
  constexpr size_t kMost = 40;
  std::string found(token_.text.substr(0, kMost));
  std::replace_if(found.begin(), found.end(), [](char c) { return c >= 0 && c < ' '; }, ' ');
  if (token_.text.size() > kMost) found += "...";
  return fail(token_.at, std::string("expected ") + wanted + ", found '" + found + "'");
}

bool Parser::expect(uint16_t punctuation, const char* after) {
  if (accept(punctuation)) return true;
  const std::string wanted = std::string("'") + char(punctuation & 0xff) + "' " + after;
  return unexpected(wanted.c_str());
}

bool Parser::expect_identifier(std::string_view& name, const char* what) {
  if (token_.kind != TokenKind::Identifier) return unexpected(what);
  name = token_.text;
  advance();
  return true;
}

Result<SyntaxTree> parse(std::string_view text, std::string name) {
  SyntaxTree tree;
  tree.name = std::move(name);
  if (text.size() >= ~uint32_t{0}) return error_at({tree.name, 0, 0}, "PTX text is larger than 4 GiB");
  tree.text = std::make_shared<const std::string>(text);
  const size_t instructions = text.size() / 40;  // about what compilers write
  tree.instructions.reserve(instructions);
  tree.statements.reserve(instructions);
  tree.operands.reserve(instructions * 3);
  tree.words.reserve(instructions * 2);
  Parser parser(*tree.text, tree);
  if (!parser.module()) return *parser.problem;
  return tree;
}

std::string excerpt(std::string_view text, const SourceLocation& at) {
  if (at.line == 0) return {};
  size_t begin = 0;
  for (uint32_t line = 1; line < at.line; ++line) {
    begin = text.find('\n', begin);
    if (begin == std::string_view::npos) return {};
    ++begin;
  }
  std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  std::string result(line);
  result += '\n';
  for (uint32_t column = 1; column < at.column; ++column) {
    result += column <= line.size() && line[column - 1] == '\t' ? '\t' : ' ';  // tabs keep the caret in its column
  }
  return result + '^';
}

}  // namespace drywarp::ptx
