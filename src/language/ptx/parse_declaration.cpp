// Variables, registers, parameters and their initialisers.
#include "language/ptx/parser_state.h"

namespace drywarp::ptx {
namespace {

constexpr std::pair<std::string_view, StateSpace> kSpaces[] = {
    {".reg", StateSpace::Reg},       {".sreg", StateSpace::Sreg},   {".const", StateSpace::Const},
    {".global", StateSpace::Global}, {".local", StateSpace::Local}, {".param", StateSpace::Param},
    {".shared", StateSpace::Shared}, {".tex", StateSpace::Tex}};

}  // namespace

// `.space words name, name = init, ...` up to `end` (";"), which is read too.
bool Parser::variables(Linking linking, std::vector<Variable>& into, const char* end) {
  Variable base;
  base.linking = linking;
  if (!declaration_words(base)) return false;
  do {
    Variable variable = base;
    if (!declarator(variable)) return false;
    into.push_back(variable);
  } while (accept(op(',')));
  return expect(op(end[0]), "after a declaration");
}

// .reg/.global/..., .align n, .v4, .f32, .ptr .global, .attribute(...): in any order after the space.
bool Parser::declaration_words(Variable& base) {
  bool known = false;
  for (const auto& [word, space] : kSpaces) {
    if (!known && accept_word(word)) base.space = space, known = true;
  }
  if (!known) return unexpected("a state space such as .reg");
  if (base.space == StateSpace::Const && accept(op('['))) {  // banks of old PTX
    uint64_t bank = 0;
    if (!integer_constant(bank, "the number of a constant bank") || !expect(op(']'), "after a constant bank"))
      return false;
  }
  while (token_.kind == TokenKind::DotWord) {
    const Token word = token_;
    advance();
    if (word.text == ".align") {
      const Position at = token_.at;
      uint64_t alignment = 0;
      if (!integer_constant(alignment, "an alignment")) return false;
      constexpr uint64_t kMost = 1 << 20;
      if (alignment == 0 || alignment > kMost || (alignment & (alignment - 1)) != 0) {
        return fail(at, "an alignment must be a power of two");
      }
      if (!base.is_pointer) base.alignment = alignment;  // .ptr .align is of what is pointed to
    } else if (word.text == ".attribute") {
      if (!attribute(base.managed)) return false;
    } else if (word.text == ".ptr") {
      base.is_pointer = true;
    } else if (word.text == ".v2" || word.text == ".v4" || word.text == ".v8") {
      base.vector = uint8_t(word.text[2] - '0');
    } else if (base.is_pointer) {
      // the space that the pointer points to
    } else if (base.type.empty()) {
      base.type = word.text.substr(1);
    } else {
      return fail(word.at,
                  "declaration with two types, '." + std::string(base.type) + "' and '" + std::string(word.text) + "'");
    }
  }
  if (base.type.empty()) return unexpected("a type such as .b32");
  return true;
}

// name, name<10>, name[4][2], name[] = {...}
bool Parser::declarator(Variable& variable) {
  variable.at = token_.at;
  if (!expect_identifier(variable.name, "a name")) return false;
  if (accept(op('<'))) {
    variable.is_range = true;
    if (token_.kind != TokenKind::Integer) return unexpected("the number of registers");
    variable.range = token_.bits;
    advance();
    if (!expect(op('>'), "after the number of registers")) return false;
  }
  variable.dimensions.first = uint32_t(tree_.numbers.size());
  while (accept(op('['))) {
    uint64_t count = 0;
    const Position at = token_.at;
    const bool first = !variable.is_array;
    variable.is_array = true;
    if (token_.is(op(']'))) {
      if (!first) return fail(at, "only the first dimension of an array may be left open");
      variable.open_array = true;
    } else {
      if (!integer_constant(count, "the size of an array")) return false;
      constexpr uint64_t kMost = uint64_t{1} << 48;
      if (count > kMost || (count != 0 && variable.elements > kMost / count)) return fail(at, "array is too large");
      variable.elements *= count;
    }
    tree_.numbers.push_back(count);
    if (!expect(op(']'), "after the size of an array")) return false;
  }
  variable.dimensions.count = uint32_t(tree_.numbers.size()) - variable.dimensions.first;
  if (accept(op('='))) {
    variable.has_initializer = true;
    if (!initializer(variable.initializer, 0)) return false;
    if (variable.open_array) {  // int x[] = {1, 2}: the list counts the rows
      const Initializer& root = tree_.initializers[variable.initializer];
      if (root.is_list) variable.elements *= root.items.count;
    }
  } else if (variable.open_array) {
    variable.elements = 0;
  }
  return true;
}

// (.param .b32 a, .reg .u64 b)
bool Parser::parameters(Range& range) {
  const size_t first = tree_.variables.size();
  if (!expect(op('('), "before parameters")) return false;
  if (!token_.is(op(')'))) {
    do {
      Variable variable;
      if (!declaration_words(variable)) return false;
      const bool nameless = token_.is(op(',')) || token_.is(op(')'));  // of prototypes
      if (nameless) {
        variable.at = token_.at;
        variable.name = "_";
      } else if (!declarator(variable)) {
        return false;
      }
      tree_.variables.push_back(variable);
    } while (accept(op(',')));
  }
  range = {uint32_t(first), uint32_t(tree_.variables.size() - first)};
  return expect(op(')'), "after parameters");
}

bool Parser::initializer(uint32_t& index, unsigned depth) {
  if (depth >= kMaxExpressionDepth) return fail(token_.at, "initialiser nested too deeply");
  Initializer result;
  result.at = token_.at;
  if (accept(op('{'))) {
    result.is_list = true;
    std::vector<uint32_t> items;
    while (!token_.is(op('}'))) {
      uint32_t item = 0;
      if (!initializer(item, depth + 1)) return false;
      items.push_back(item);
      if (!accept(op(','))) break;
    }
    if (!expect(op('}'), "after a list of values")) return false;
    result.items = {uint32_t(tree_.initializer_items.size()), uint32_t(items.size())};
    tree_.initializer_items.insert(tree_.initializer_items.end(), items.begin(), items.end());
  } else {
    Operand value;
    if (!simple_operand(value, depth)) return false;
    if (value.kind == OperandKind::Name && accept(op('='))) {  // a sampler's field
      result.field = value.name;
      if (!simple_operand(value, depth)) return false;
    }
    result.value = uint32_t(tree_.operands.size());
    tree_.operands.push_back(value);
  }
  index = uint32_t(tree_.initializers.size());
  tree_.initializers.push_back(result);
  return true;
}

}  // namespace drywarp::ptx
