// PTX text to a syntax tree: the whole language up to ISA 9.0. Opcodes, suffixes and performance directives need not be
// known; what is malformed fails with file:line:column.
#pragma once

#include <string>
#include <string_view>

#include "base/support/result.h"
#include "language/ptx/ast.h"

namespace drywarp::ptx {

// `name` stands for the text in messages. Reads up to the first NUL if there is one. Linear in the text's length;
// throws only when memory runs out; nesting deeper than 64 levels of expressions or 256 of scopes is an error.
[[nodiscard]] Result<SyntaxTree> parse(std::string_view text, std::string name);

// The line of the text at `at` and a caret below its column, for messages:
//   "  add.s32 %r1, %r2 %r3;\n                    ^"
[[nodiscard]] std::string excerpt(std::string_view text, const SourceLocation& at);

}  // namespace drywarp::ptx
