#include "base/support/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>

namespace drywarp {

enum class Expression::Kind : uint8_t {
  Literal,
  Name,
  Negate,
  Not,
  Complement,
  Multiply,
  Divide,
  Remainder,
  Add,
  Subtract,
  ShiftLeft,
  ShiftRight,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  And,
  Xor,
  Or,
  LogicalAnd,
  LogicalOr,
  Conditional,
  Min,
  Max,
  Abs,  // last: see operations()
};

namespace {

// Deep nesting would overflow the stack.
constexpr unsigned kDeepest = 200;
constexpr size_t kLongest = 4096;

constexpr std::string_view kTypeWords[] = {"int",     "unsigned", "signed",  "long",     "short",   "char",
                                           "size_t",  "bool",     "const",   "uint32_t", "int32_t", "uint64_t",
                                           "int64_t", "uint16_t", "int16_t", "uint8_t",  "int8_t",  "uint"};

bool is_type_word(std::string_view word) { return std::ranges::find(kTypeWords, word) != std::end(kTypeWords); }
bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

// Precedence climbing, without a lexer. The first error is kept and ends parsing.
class ExpressionParser {
 public:
  using Kind = Expression::Kind;
  ExpressionParser(std::string_view text, const NameSlots& names, std::string where)
      : text_(text), names_(names), where_(std::move(where)) {}

  Result<Expression> whole() {
    Expression expression = begin();
    const uint32_t root = conditional();
    if (!problem_ && !at_end()) complain(unexpected());
    if (problem_) return *problem_;
    return end(std::move(expression), root);
  }

  Result<ArrayIndex> array_index() {
    ArrayIndex index;
    skip_blanks();
    const size_t start = at_;
    if (const std::string_view name = word(); !name.empty() && peek() == '[') {
      index.array = name;
      while (!problem_ && take("[")) {
        Expression expression = begin();
        const uint32_t root = conditional();
        if (!problem_ && !take("]")) complain(at_end() ? "']' is missing" : unexpected());
        if (!problem_) index.subscripts.push_back(end(std::move(expression), root));
      }
      if (!problem_ && !at_end()) complain(unexpected());
      if (problem_) return *problem_;
      return index;
    }
    at_ = start;
    Result<Expression> bare = whole();
    if (!bare) return bare.problem();
    index.subscripts.push_back(std::move(*bare));
    return index;
  }

 private:
  struct Operator {
    std::string_view text;
    Kind kind;
    unsigned binding;  // the larger, the tighter
  };
  // Longer ones first: "<<" before "<".
  static constexpr Operator kBinary[] = {
      {"||", Kind::LogicalOr, 1}, {"&&", Kind::LogicalAnd, 2},
      {"==", Kind::Equal, 6},     {"!=", Kind::NotEqual, 6},
      {"<<", Kind::ShiftLeft, 8}, {">>", Kind::ShiftRight, 8},
      {"<=", Kind::LessEqual, 7}, {">=", Kind::GreaterEqual, 7},
      {"<", Kind::Less, 7},       {">", Kind::Greater, 7},
      {"|", Kind::Or, 3},         {"^", Kind::Xor, 4},
      {"&", Kind::And, 5},        {"+", Kind::Add, 9},
      {"-", Kind::Subtract, 9},   {"*", Kind::Multiply, 10},
      {"/", Kind::Divide, 10},    {"%", Kind::Remainder, 10},
  };

  Expression begin() {
    nodes_.clear();
    Expression expression;
    expression.text_ = text_;
    expression.where_ = where_;
    return expression;
  }
  Expression end(Expression expression, uint32_t root) {
    expression.nodes_ = std::move(nodes_);
    expression.root_ = root;
    return expression;
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  char peek() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool at_end() { return skip_blanks(), at_ == text_.size(); }
  bool take(std::string_view token) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  std::string_view word() {
    skip_blanks();
    if (at_ == text_.size() || !starts_name(text_[at_])) return {};
    const size_t start = at_;
    while (at_ < text_.size() && (starts_name(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return text_.substr(start, at_ - start);
  }
  [[nodiscard]] uint32_t column() const { return static_cast<uint32_t>(at_ + 1); }

  std::string unexpected() {
    if (at_end()) return "the expression ends too soon";
    if (peek() == '[') return "an index read from memory is not supported";
    if (peek() == '=') return "'=' assigns; '==' compares";
    return fmt::format("'{}' is not expected here", peek());
  }
  uint32_t complain(std::string message, std::string hint = {}, uint32_t column = 0) {
    if (!problem_) {
      if (hint.empty()) hint = fmt::format("in: {}", text_.substr(0, 200));
      problem_ = error_at({where_, 1, column != 0 ? column : this->column()}, std::move(message), std::move(hint));
    }
    return 0;
  }

  uint32_t add(Kind kind, uint32_t column, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
    nodes_.push_back({kind, column, 0, {a, b, c}});
    return static_cast<uint32_t>(nodes_.size() - 1);
  }

  struct Nesting {
    explicit Nesting(unsigned& depth) : depth(depth) { ++depth; }
    ~Nesting() { --depth; }
    unsigned& depth;
  };

  uint32_t conditional() {
    if (text_.size() > kLongest) return complain(fmt::format("longer than {} characters", kLongest), " ");
    const Nesting nesting(depth_);
    if (depth_ > kDeepest) return complain("nested too deeply");
    const uint32_t condition = binary(1);
    skip_blanks();
    const uint32_t where = column();
    if (problem_ || !take("?")) return condition;
    const uint32_t yes = conditional();
    if (!problem_ && !take(":")) return complain("':' is missing");
    const uint32_t no = problem_ ? 0 : conditional();
    return problem_ ? 0 : add(Kind::Conditional, where, condition, yes, no);
  }

  const Operator* next_operator() {
    skip_blanks();
    for (const Operator& candidate : kBinary)
      if (text_.substr(at_).starts_with(candidate.text)) return &candidate;
    return nullptr;
  }

  uint32_t binary(unsigned loosest) {
    const Nesting nesting(depth_);
    if (depth_ > kDeepest) return complain("nested too deeply");
    uint32_t left = unary();
    while (!problem_) {
      const Operator* found = next_operator();
      if (!found || found->binding < loosest) break;
      const uint32_t where = column();
      // "a += 1", "a <<= 1"
      at_ += found->text.size();
      if (at_ < text_.size() && text_[at_] == '=') return complain("assignments are not supported");
      const uint32_t right = binary(found->binding + 1);
      if (problem_) break;
      left = add(found->kind, where, left, right);
      // A long chain of operators makes as deep a tree as nested parentheses.
      if (nodes_.size() > 2 * kDeepest) return complain("too many operators");
    }
    return problem_ ? 0 : left;
  }

  uint32_t unary() {
    const Nesting nesting(depth_);
    if (depth_ > kDeepest) return complain("nested too deeply");
    skip_blanks();
    const uint32_t where = column();
    if (take("++") || take("--")) return complain("increments and decrements are not supported", {}, where);
    const auto one = [&](Kind kind) {
      const uint32_t operand = unary();
      return problem_ ? 0 : add(kind, where, operand);
    };
    if (take("-")) return one(Kind::Negate);
    if (take("~")) return one(Kind::Complement);
    if (take("!")) return one(Kind::Not);
    if (take("+")) return unary();
    return primary();
  }

  // "(int)", "(unsigned long)".
  bool take_cast() {
    const size_t start = at_;
    if (!take("(")) return false;
    bool any = false;
    size_t end = at_;  // of the last type word
    while (is_type_word(word())) any = true, end = at_;
    at_ = end;
    if (any && take(")")) return true;
    at_ = start;
    return false;
  }

  uint32_t primary() {
    if (take_cast()) return unary();
    skip_blanks();
    const uint32_t where = column();
    if (take("(")) {
      const uint32_t inner = conditional();
      if (!problem_ && !take(")")) return complain(at_end() ? "')' is missing" : unexpected());
      return inner;
    }
    if (is_digit(peek())) return literal();
    if (starts_name(peek())) return name(where);
    return complain(unexpected());
  }

  uint32_t literal() {
    const uint32_t where = column();
    int base = 10;
    if (take("0x") || take("0X"))
      base = 16;
    else if (take("0b") || take("0B"))
      base = 2;
    else if (text_[at_] == '0' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))
      base = 8, ++at_;
    uint64_t value = 0;
    bool any = false;
    for (; at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_])) != 0; ++at_) {
      const char c = static_cast<char>(std::tolower(static_cast<unsigned char>(text_[at_])));
      const int digit = is_digit(c) ? c - '0' : c - 'a' + 10;
      if (digit >= base) break;
      if (value > (static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) - static_cast<unsigned>(digit)) /
                      static_cast<unsigned>(base))
        return complain("this number does not fit into 64 bits", {}, where);
      value = value * static_cast<unsigned>(base) + static_cast<unsigned>(digit);
      any = true;
    }
    if (!any) return complain("a number has no digits", {}, where);
    while (at_ < text_.size() && std::string_view("uUlL").find(text_[at_]) != std::string_view::npos) ++at_;
    if (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == 'f' || text_[at_] == 'e'))
      return complain("only integer expressions are supported", {}, where);
    if (at_ < text_.size() && (starts_name(text_[at_]) || is_digit(text_[at_])))
      return complain(fmt::format("'{}' is not part of a number", text_[at_]));
    const uint32_t node = add(Kind::Literal, where);
    nodes_[node].value = static_cast<int64_t>(value);
    return node;
  }

  uint32_t name(uint32_t where) {
    std::string name(word());
    if (peek() == '(') return call(name, where);
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      name += "." + std::string(word());
    }
    const auto slot = names_.slot(name);
    if (!slot) {
      if (peek() == '[')
        return complain(fmt::format("'{}[...]' is read from memory, whose contents are unknown", name),
                        "for a program's accesses use drywarp explain access app.cu:LINE", where);
      return complain(fmt::format("'{}' has no value", name), names_.hint(name), where);
    }
    const uint32_t node = add(Kind::Name, where);
    nodes_[node].value = *slot;
    return node;
  }

  uint32_t call(std::string_view function, uint32_t where) {
    static constexpr struct {
      std::string_view name;
      Kind kind;
      unsigned arguments;
    } kFunctions[] = {{"min", Kind::Min, 2}, {"max", Kind::Max, 2}, {"abs", Kind::Abs, 1}};
    for (const auto& known : kFunctions) {
      if (known.name != function) continue;
      take("(");
      uint32_t arguments[2] = {};
      for (unsigned i = 0; i < known.arguments && !problem_; ++i) {
        if (i != 0 && !take(",")) return complain(fmt::format("{} takes {} arguments", function, known.arguments));
        arguments[i] = conditional();
      }
      if (!problem_ && !take(")")) return complain(at_end() ? "')' is missing" : unexpected());
      return problem_ ? 0 : add(known.kind, where, arguments[0], arguments[1]);
    }
    return complain(fmt::format("there is no function '{}'", function), "the functions are min, max and abs", where);
  }

  std::string_view text_;
  const NameSlots& names_;
  std::string where_;
  size_t at_ = 0;
  unsigned depth_ = 0;
  std::vector<Expression::Node> nodes_;
  std::optional<Diagnostic> problem_;
};

Result<Expression> parse_expression(std::string_view text, const NameSlots& names, std::string where) {
  return ExpressionParser(text, names, std::move(where)).whole();
}

Result<ArrayIndex> parse_array_index(std::string_view text, const NameSlots& names, std::string where) {
  return ExpressionParser(text, names, std::move(where)).array_index();
}

namespace {

uint64_t bits(int64_t v) { return static_cast<uint64_t>(v); }
int64_t wrapped(uint64_t v) { return static_cast<int64_t>(v); }

using Operation = int64_t (*)(int64_t, int64_t);
// The unary and binary operations by kind; null for other kinds. They wrap around like 64-bit machine integers.
template <class Kind>
constexpr auto operations() {
  std::array<Operation, static_cast<size_t>(Kind::Abs) + 1> table{};
  const auto set = [&](Kind kind, Operation operation) { table[static_cast<size_t>(kind)] = operation; };
  set(Kind::Negate, [](int64_t a, int64_t) { return wrapped(-bits(a)); });
  set(Kind::Not, [](int64_t a, int64_t) -> int64_t { return a == 0; });
  set(Kind::Complement, [](int64_t a, int64_t) { return ~a; });
  set(Kind::Multiply, [](int64_t a, int64_t b) { return wrapped(bits(a) * bits(b)); });
  set(Kind::Divide, [](int64_t a, int64_t b) { return b == -1 ? wrapped(-bits(a)) : a / b; });
  set(Kind::Remainder, [](int64_t a, int64_t b) { return b == -1 ? 0 : a % b; });
  set(Kind::Add, [](int64_t a, int64_t b) { return wrapped(bits(a) + bits(b)); });
  set(Kind::Subtract, [](int64_t a, int64_t b) { return wrapped(bits(a) - bits(b)); });
  set(Kind::ShiftLeft, [](int64_t a, int64_t b) { return wrapped(bits(a) << b); });
  set(Kind::ShiftRight, [](int64_t a, int64_t b) { return a >> b; });
  set(Kind::Less, [](int64_t a, int64_t b) -> int64_t { return a < b; });
  set(Kind::LessEqual, [](int64_t a, int64_t b) -> int64_t { return a <= b; });
  set(Kind::Greater, [](int64_t a, int64_t b) -> int64_t { return a > b; });
  set(Kind::GreaterEqual, [](int64_t a, int64_t b) -> int64_t { return a >= b; });
  set(Kind::Equal, [](int64_t a, int64_t b) -> int64_t { return a == b; });
  set(Kind::NotEqual, [](int64_t a, int64_t b) -> int64_t { return a != b; });
  set(Kind::And, [](int64_t a, int64_t b) { return a & b; });
  set(Kind::Xor, [](int64_t a, int64_t b) { return a ^ b; });
  set(Kind::Or, [](int64_t a, int64_t b) { return a | b; });
  set(Kind::LogicalAnd, [](int64_t, int64_t b) -> int64_t { return b != 0; });
  set(Kind::LogicalOr, [](int64_t, int64_t b) -> int64_t { return b != 0; });
  set(Kind::Min, [](int64_t a, int64_t b) { return std::min(a, b); });
  set(Kind::Max, [](int64_t a, int64_t b) { return std::max(a, b); });
  set(Kind::Abs, [](int64_t a, int64_t) { return a < 0 ? wrapped(-bits(a)) : a; });
  return table;
}

}  // namespace

bool Expression::evaluate(uint32_t index, std::span<const int64_t> values, int64_t& out, uint32_t& failed) const {
  const Node& node = nodes_[index];
  if (node.kind == Kind::Literal) return out = node.value, true;
  if (node.kind == Kind::Name) return out = values[static_cast<size_t>(node.value)], true;
  int64_t a = 0, b = 0;
  if (!evaluate(node.operands[0], values, a, failed)) return false;
  // These do not evaluate all their operands.
  if (node.kind == Kind::Conditional) return evaluate(node.operands[a != 0 ? 1 : 2], values, out, failed);
  if (node.kind == Kind::LogicalAnd && a == 0) return out = 0, true;
  if (node.kind == Kind::LogicalOr && a != 0) return out = 1, true;
  const bool one_operand =
      node.kind == Kind::Negate || node.kind == Kind::Not || node.kind == Kind::Complement || node.kind == Kind::Abs;
  if (!one_operand && !evaluate(node.operands[1], values, b, failed)) return false;
  const bool divides = node.kind == Kind::Divide || node.kind == Kind::Remainder;
  const bool shifts = node.kind == Kind::ShiftLeft || node.kind == Kind::ShiftRight;
  if ((divides && b == 0) || (shifts && (b < 0 || b > 63))) return failed = index, false;
  static constexpr auto kOperations = operations<Kind>();
  out = kOperations[static_cast<size_t>(node.kind)](a, b);
  return true;
}

Result<int64_t> Expression::evaluate(std::span<const int64_t> values) const {
  int64_t out = 0;
  uint32_t failed = 0;
  if (evaluate(root_, values, out, failed)) return out;
  const Node& node = nodes_[failed];
  const bool shift = node.kind == Kind::ShiftLeft || node.kind == Kind::ShiftRight;
  return error_at({where_, 1, node.column}, shift ? "a shift outside 0 to 63" : "a division by zero",
                  fmt::format("in: {}", text_));
}

}  // namespace drywarp
