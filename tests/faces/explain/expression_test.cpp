// C's integer expressions: values, precedence, names, and errors with their places.
#include "base/support/expression.h"

#include <gtest/gtest.h>

#include "faces/explain/names.h"

namespace drywarp::explain {
namespace {

// For thread 37 of a 16x8 block, block 5 of a 4x2 grid.
Result<int64_t> value(const std::string& text, const std::vector<std::string>& definitions = {}) {
  Names names;
  for (const std::string& definition : definitions)
    if (Status status = names.define(definition); !status) return status.problem();
  const Result<Expression> expression = parse_expression(text, names, "text");
  if (!expression) return expression.problem();
  std::vector<int64_t> values;
  if (Status status = names.values({{16, 8, 1}, {4, 2, 1}}, 5, 37, values); !status) return status.problem();
  return expression->evaluate(values);
}

void expect(const std::string& text, int64_t wanted, const std::vector<std::string>& definitions = {}) {
  const Result<int64_t> found = value(text, definitions);
  ASSERT_TRUE(found.ok()) << text << ": " << found.problem().to_string();
  EXPECT_EQ(*found, wanted) << text;
}

void expect_error(const std::string& text, const std::string& wanted) {
  const Result<int64_t> found = value(text);
  ASSERT_FALSE(found.ok()) << text << " = " << *found;
  EXPECT_TRUE(found.problem().to_string().starts_with(wanted)) << found.problem().to_string();
}

TEST(Expression, followsCsPrecedence) {
  expect("1 + 2 * 3", 7);
  expect("(1 + 2) * 3", 9);
  expect("10 - 4 - 3", 3);
  expect("100 / 10 / 2", 5);
  expect("1 << 2 + 1", 8);
  expect("7 & 3 == 3", 1);  // == binds tighter than &
  expect("1 | 2 ^ 3 & 1", 1 | (2 ^ (3 & 1)));
  expect("1 < 2 == 1", 1);
  expect("0 || 1 && 0", 0);
  expect("1 ? 2 : 0 ? 3 : 4", 2);
  expect("-2 * -3", 6);
  expect("!0 + ~0", 0);
  expect("- - 5", 5);
  expect("-7 / 2", -3);
  expect("-7 % 2", -1);
  expect("-8 >> 1", -4);
}

TEST(Expression, readsNumbersAsC) {
  expect("0x1F + 0b101 + 017 + 9u + 1UL + 0", 31 + 5 + 15 + 9 + 1);
  expect("9223372036854775807", INT64_MAX);
  expect("(int)7 + (unsigned long)2 + (size_t)threadIdx.x", 14);
}

TEST(Expression, knowsThreads) {
  expect("threadIdx.x", 5);
  expect("threadIdx.y", 2);
  expect("tid", 37);
  expect("lane", 5);
  expect("warp", 1);
  expect("blockIdx.x * 10 + blockIdx.y", 11);
  expect("bid", 5);
  expect("gid", 5 * 128 + 37);
  expect("Row", 1 * 8 + 2);
  expect("Col", 1 * 16 + 5);
  expect("gridDim.x * gridDim.y", 8);
  expect("warpSize", 32);
  expect("min(tx, ty) + max(tx, ty) * 100 + abs(0 - 3)", 505);
}

TEST(Expression, knowsDefinitions) {
  expect("Row * Width + k", 10 * 1024 + 3, {"Width=1024", "k=3"});
  expect("b", 8, {"a=3", "b = a + tx"});
  expect("tid", 1, {"tid=1"});  // anew
}

TEST(Expression, shortCircuits) {
  expect("0 && 1 / 0", 0);
  expect("1 || 1 / 0", 1);
  expect("1 ? 2 : 1 / 0", 2);
}

TEST(Expression, wrapsAround) {
  expect("9223372036854775807 + 1", INT64_MIN);
  expect("(-9223372036854775807 - 1) / -1", INT64_MIN);
  expect("(-9223372036854775807 - 1) % -1", 0);
}

TEST(Expression, errorsHavePositions) {
  expect_error("", "text:1:1: error: the expression ends too soon");
  expect_error("1 +", "text:1:4: error: the expression ends too soon");
  expect_error("tid * k", "text:1:7: error: 'k' has no value");
  expect_error("threadIdx.w", "text:1:1: error: 'threadIdx.w' has no value");
  expect_error("threadIdx", "text:1:1: error: 'threadIdx' has no value");
  expect_error("(1", "text:1:3: error: ')' is missing");
  expect_error("1 ) 2", "text:1:3: error: ')' is not expected here");
  expect_error("tid = 2", "text:1:5: error: '=' assigns; '==' compares");
  expect_error("tid += 2", "text:1:6: error: assignments are not supported");
  expect_error("tid++", "text:1:6: error: the expression ends too soon");
  expect_error("++tid", "text:1:1: error: increments and decrements are not supported");
  expect_error("1.5", "text:1:1: error: only integer expressions are supported");
  expect_error("99999999999999999999", "text:1:1: error: this number does not fit into 64 bits");
  expect_error("12abc", "text:1:3: error: 'a' is not part of a number");
  expect_error("a[tid]", "text:1:1: error: 'a[...]' is read from memory");
  expect_error("sin(1)", "text:1:1: error: there is no function 'sin'");
  expect_error("min(1)", "text:1:6: error: min takes 2 arguments");
  expect_error("1 ? 2", "text:1:6: error: ':' is missing");
  expect_error("7 / (tid - 37)", "text:1:3: error: a division by zero");
  expect_error("7 % 0", "text:1:3: error: a division by zero");
  expect_error("1 << 64", "text:1:3: error: a shift outside 0 to 63");
  expect_error("(int foo)1", "text:1:2: error: 'int' has no value");
  expect_error("\xff", "text:1:1: error: ");
}

TEST(Expression, rejectsExcessiveInput) {
  expect_error(std::string(1000, '('), "text:1:");
  expect_error(std::string(1000, '-') + "1", "text:1:");
  std::string chain = "1";
  for (int i = 0; i < 1000; ++i) chain += "+1";
  expect_error(chain, "text:1:");
  expect_error(std::string(5000, '1'), "text:1:1: error: longer than 4096 characters");
}

TEST(ArrayIndex, takesSubscripts) {
  const Names names;
  const auto two = parse_array_index(" tile[tx][ty + 1] ", names, "text");
  ASSERT_TRUE(two.ok());
  EXPECT_EQ(two->array, "tile");
  EXPECT_EQ(two->subscripts.size(), 2);
  const auto bare = parse_array_index("tid * 33 + bid", names, "text");
  ASSERT_TRUE(bare.ok());
  EXPECT_EQ(bare->array, "");
  EXPECT_EQ(bare->subscripts.size(), 1);
  for (const char* wrong : {"a[", "a[]", "a[1", "a[1]b", "a[1][", "[1]", "a[1] + 2"})
    EXPECT_FALSE(parse_array_index(wrong, names, "text").ok()) << wrong;
}

TEST(Names, rejectInvalidDefinitions) {
  Names names;
  for (const char* wrong : {"", "x", "=1", "1x=2", "a.b=1", "x=", "x=y"})
    EXPECT_FALSE(names.define(wrong).ok()) << wrong;
}

}  // namespace
}  // namespace drywarp::explain
