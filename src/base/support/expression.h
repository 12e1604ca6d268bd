// C's integer expressions over names: "threadIdx.x % 2 == 0", "(blockIdx.x * blockDim.x + threadIdx.x) * 2".
//
// Supports all integer operators of C except assignment, increment and comma; min, max and abs; integer literals with
// suffixes; casts to integer types, which are ignored. Values are 64-bit and wrap around, so CUDA's built-in variables
// have no unsigned underflow: threadIdx.x - 1 is -1 in thread 0.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"

namespace drywarp {

// The names that an expression may use.
class NameSlots {
 public:
  virtual ~NameSlots() = default;
  // Where the name's value is among those that evaluate() gets; none: there is no such name.
  [[nodiscard]] virtual std::optional<uint32_t> slot(std::string_view name) const = 0;
  // What to do about a name that is missing.
  [[nodiscard]] virtual std::string hint(std::string_view name) const = 0;
};

class Expression {
 public:
  // `values`: by slot of the names used to parse it. Errors, with their position: division by zero, a shift outside 0
  // to 63.
  [[nodiscard]] Result<int64_t> evaluate(std::span<const int64_t> values) const;

 private:
  friend class ExpressionParser;
  enum class Kind : uint8_t;
  struct Node {
    Kind kind;
    uint32_t column = 0;  // of the operator, 1-based
    int64_t value = 0;    // of a literal; the slot of a name
    uint32_t operands[3] = {};
  };
  [[nodiscard]] bool evaluate(uint32_t node, std::span<const int64_t> values, int64_t& out, uint32_t& failed) const;

  std::vector<Node> nodes_;
  uint32_t root_ = 0;
  std::string text_, where_;
};

// `where` names the text in errors: "--index:1:5: error: ...".
Result<Expression> parse_expression(std::string_view text, const NameSlots& names, std::string where);

// The index of an array element: "tile[threadIdx.x][threadIdx.y]", "a[2 * tid]", or a bare expression.
struct ArrayIndex {
  std::string array;  // empty for a bare expression
  std::vector<Expression> subscripts;
};
Result<ArrayIndex> parse_array_index(std::string_view text, const NameSlots& names, std::string where);

}  // namespace drywarp
