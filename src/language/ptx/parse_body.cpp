// Function bodies: scopes, labels, declarations, instructions and their operands. Scopes are marks in one flat list of
// statements, so a body of any depth is read in one loop.
#include "language/ptx/parser_state.h"

namespace drywarp::ptx {

bool Parser::body() {
  const unsigned outermost = scope_depth_;
  do {
    if (token_.is(op('{'))) {
      if (scope_depth_ >= kMaxScopeDepth) return fail(token_.at, "scopes nested too deeply");
      if (scope_depth_++ != outermost) add(StatementKind::ScopeBegin, 0, token_.at);
      advance();
    } else if (token_.is(op('}'))) {
      if (--scope_depth_ != outermost) add(StatementKind::ScopeEnd, 0, token_.at);
      advance();
    } else if (token_.kind == TokenKind::End) {
      return unexpected("'}' at the end of a function");
    } else if (!statement()) {
      return false;
    }
  } while (scope_depth_ != outermost);
  return true;
}

bool Parser::statement() {
  const Position at = token_.at;
  if (accept(op(';'))) return true;
  if (token_.kind == TokenKind::Identifier) {
    const Lexer mark = lexer_;
    const Token name = token_;
    advance();
    if (!token_.is(op(':'))) {
      lexer_ = mark;
      token_ = name;
      return instruction();
    }
    advance();
    bool done = false;
    if (!labelled_directive(name.text, done)) return false;
    if (done) return true;
    tree_.names.push_back(name.text);
    add(StatementKind::Label, tree_.names.size() - 1, at);
    return true;
  }
  if (token_.is(op('@'))) return instruction();
  if (token_.kind != TokenKind::DotWord) return unexpected("an instruction");

  if (accept_word(".loc")) return loc_directive();
  if (token_.is_word(".file")) return file_directive();
  if (token_.is_word(".section")) return section();
  if (accept_word(".pragma")) {
    if (token_.kind != TokenKind::String) return unexpected("a string");
    tree_.names.push_back(token_.text);
    add(StatementKind::Pragma, tree_.names.size() - 1, at);
    while (token_.kind == TokenKind::String || token_.is(op(','))) advance();
    return expect(op(';'), "after .pragma");
  }
  constexpr std::string_view kSpaces[] = {".reg", ".param", ".local", ".shared", ".global", ".const", ".sreg", ".tex"};
  for (std::string_view space : kSpaces) {
    if (!token_.is_word(space)) continue;
    const size_t first = tree_.variables.size();
    if (!variables(Linking::None, tree_.variables, ";")) return false;
    for (size_t i = first; i < tree_.variables.size(); ++i) add(StatementKind::Variable, i, tree_.variables[i].at);
    return true;
  }
  for (const auto& [word, linking] :
       {std::pair{".extern", Linking::Extern}, {".visible", Linking::Visible}, {".weak", Linking::Weak}}) {
    if (!accept_word(word)) continue;
    const size_t first = tree_.variables.size();
    if (!variables(linking, tree_.variables, ";")) return false;
    for (size_t i = first; i < tree_.variables.size(); ++i) add(StatementKind::Variable, i, tree_.variables[i].at);
    return true;
  }
  return instruction();  // an unknown directive: kept, and reported when a launch reaches it
}

bool Parser::labelled_directive(std::string_view label, bool& done) {
  const Position at = token_.at;
  if (token_.is_word(".branchtargets") || token_.is_word(".calltargets")) {
    TargetList list;
    list.calls = token_.is_word(".calltargets");
    list.name = label;
    advance();
    std::vector<Operand> names;
    do {
      Operand target;
      target.kind = OperandKind::Name;
      target.at = token_.at;
      if (!expect_identifier(target.name, list.calls ? "a function's name" : "a label")) return false;
      names.push_back(target);
    } while (accept(op(',')));
    list.names = {uint32_t(tree_.operands.size()), uint32_t(names.size())};
    tree_.operands.insert(tree_.operands.end(), names.begin(), names.end());
    tree_.targets.push_back(list);
    add(StatementKind::Targets, tree_.targets.size() - 1, at);
    done = true;
    return expect(op(';'), "after a list of targets");
  }
  if (accept_word(".callprototype")) {
    Prototype prototype;
    prototype.name = label;
    std::string_view placeholder;
    if (token_.is(op('(')) && !parameters(prototype.results)) return false;
    if (!expect_identifier(placeholder, "'_'")) return false;
    if (token_.is(op('(')) && !parameters(prototype.parameters)) return false;
    Range ignored;  // .noreturn, .abi_preserve
    if (!function_directives(ignored)) return false;
    tree_.prototypes.push_back(prototype);
    add(StatementKind::Prototype, tree_.prototypes.size() - 1, at);
    done = true;
    return expect(op(';'), "after a prototype");
  }
  return true;
}

bool Parser::instruction() {
  Instruction result;
  result.at = token_.at;
  result.text_begin = token_.begin;
  if (accept(op('@'))) {
    result.guard_negated = accept(op('!'));
    result.guard_at = token_.at;
    if (!expect_identifier(result.guard, "a predicate")) return false;
  }
  if (token_.kind == TokenKind::DotWord) {
    result.is_directive = true;
  } else if (!expect_identifier(result.opcode, "an opcode")) {
    return false;
  }
  result.words.first = uint32_t(tree_.words.size());
  const uint32_t suffixes_begin = token_.begin;
  uint32_t suffixes_end = suffixes_begin;
  while (token_.kind == TokenKind::DotWord) {
    tree_.words.push_back(token_.text.substr(1));
    suffixes_end = token_.end;
    advance();
  }
  result.words.count = uint32_t(tree_.words.size()) - result.words.first;
  result.suffixes = std::string_view(*tree_.text).substr(suffixes_begin, suffixes_end - suffixes_begin);
  in_call_ = result.opcode == "call";
  if (!operand_list(result.operands, op(';'), 0)) return false;
  result.text_end = previous_end_;
  tree_.instructions.push_back(result);
  add(StatementKind::Instruction, tree_.instructions.size() - 1, result.at);
  return true;
}

// Moves pending_[first ...) to the tree.
Range Parser::store(std::vector<Operand>& list, size_t first) {
  const Range range{uint32_t(tree_.operands.size()), uint32_t(list.size() - first)};
  tree_.operands.insert(tree_.operands.end(), list.begin() + ptrdiff_t(first), list.end());
  list.resize(first);
  return range;
}

// Operands separated by commas up to `close`, which is read too.
bool Parser::operand_list(Range& range, uint16_t close, unsigned depth) {
  if (depth >= kMaxExpressionDepth) return fail(token_.at, "operand nested too deeply");
  const size_t first = pending_.size();
  if (!token_.is(close)) {
    do {
      Operand next;
      if (!operand(next, depth)) return false;
      pending_.push_back(next);
    } while (accept(op(',')));
  }
  range = store(pending_, first);
  if (accept(close)) return true;
  const std::string wanted = std::string("',' or '") + char(close & 0xff) + "'";
  return unexpected(wanted.c_str());
}

// Whether '(' opens a list and not an expression. Only calls have lists, and no expressions outside of them. After an
// unknown opcode, '(' before a name opens a list.
bool Parser::opens_list(unsigned depth) const {
  if (depth != 0) return false;
  if (in_call_) return true;
  Lexer ahead = lexer_;
  const Token next = ahead.next();
  return next.kind == TokenKind::Identifier && next.text != "WARP_SZ";
}

bool Parser::operand(Operand& operand, unsigned depth) {
  operand.at = token_.at;
  if (accept(op('{'))) {
    operand.kind = OperandKind::Vector;
    if (!operand_list(operand.children, op('}'), depth + 1)) return false;
  } else if (accept(op('['))) {
    operand.kind = OperandKind::Address;
    if (!operand_list(operand.children, op(']'), depth + 1)) return false;
    if (token_.kind == TokenKind::DotWord) {  // [a].unified
      operand.component = token_.text.substr(1);
      advance();
    }
    if (token_.is(op('+')) || token_.is(op('-'))) {  // [a]+4 of tcgen05
      Constant ignored;
      if (!constant(ignored)) return false;
    }
    return true;
  } else if (token_.is(op('(')) && opens_list(depth)) {
    advance();
    operand.kind = OperandKind::Tuple;
    return operand_list(operand.children, op(')'), depth + 1);
  } else if (!simple_operand(operand, depth)) {
    return false;
  }
  if (accept(op('|'))) {  // p|q
    if (depth >= kMaxExpressionDepth) return fail(token_.at, "operand nested too deeply");
    Operand second;
    if (!this->operand(second, depth + 1)) return false;
    const size_t first = pending_.size();
    pending_.push_back(operand);
    pending_.push_back(second);
    const Position at = operand.at;
    operand = {};
    operand.kind = OperandKind::Pair;
    operand.at = at;
    operand.children = store(pending_, first);
  }
  return true;
}

// A name or a constant, not a list.
bool Parser::simple_operand(Operand& operand, unsigned depth) {
  operand.at = token_.at;
  if (token_.kind == TokenKind::Identifier && token_.text != "WARP_SZ") return name_operand(operand, depth);
  if (token_.is(op('!')) || token_.is(op('-'))) {  // !p, -r; or the start of a constant
    const Lexer mark = lexer_;
    const Token sign = token_;
    advance();
    if (token_.kind == TokenKind::Identifier && token_.text != "WARP_SZ") {
      operand.invert = sign.is(op('!'));
      operand.minus = !operand.invert;
      return name_operand(operand, depth);
    }
    lexer_ = mark;
    token_ = sign;
  }
  Constant value;
  if (!constant(value, depth)) return false;
  if (value.kind == OperandKind::Integer && value.bits != 0 && accept(op('('))) {  // 0xff00(name), in initialisers
    if (token_.kind != TokenKind::Identifier) return unexpected("a variable's name");
    if (!name_operand(operand, depth + 1)) return false;
    operand.mask = value.bits;
    return expect(op(')'), "after a masked address");
  }
  operand.kind = value.kind;
  operand.bits = value.bits;
  operand.is_unsigned = value.is_unsigned;
  return true;
}

// name, name.x, name[3], name+4-2, generic(name)+8
bool Parser::name_operand(Operand& operand, unsigned depth) {
  if (token_.text == "_") {
    operand.kind = OperandKind::Sink;
    advance();
    return true;
  }
  operand.kind = OperandKind::Name;
  const Token name = token_;
  operand.name = name.text;
  advance();
  if (name.text == "generic" && accept(op('('))) {
    operand.generic = true;
    if (!expect_identifier(operand.name, "a variable's name")) return false;
    while (token_.is(op('+')) || token_.is(op('-'))) {
      const bool plus = token_.is(op('+'));
      advance();
      Constant term;
      if (!binary(term, 10, depth + 1)) return false;
      operand.bits += plus ? term.bits : 0 - term.bits;
    }
    if (!expect(op(')'), "after a variable's name")) return false;
  } else if (token_.kind == TokenKind::DotWord && token_.begin == name.end) {
    operand.component = token_.text.substr(1);
    advance();
  }
  if (accept(op('['))) {
    operand.indexed = true;
    return integer_constant(operand.bits, "an index") && expect(op(']'), "after an index");
  }
  while (token_.is(op('+')) || token_.is(op('-'))) {
    const bool plus = token_.is(op('+'));
    const Position at = token_.at;
    advance();
    Constant term;
    if (!binary(term, 10, depth + 1)) return false;
    if (term.kind != OperandKind::Integer) return fail(at, "offset must be an integer");
    operand.bits += plus ? term.bits : 0 - term.bits;
  }
  return true;
}

}  // namespace drywarp::ptx
