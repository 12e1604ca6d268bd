// What stands at module scope: .version, .target, .file, linked functions and variables, debug sections.
#include <algorithm>
#include <utility>

#include "language/ptx/parser_state.h"

namespace drywarp::ptx {
namespace {

constexpr std::string_view kVariableSpaces[] = {".global", ".const", ".shared", ".local",
                                                ".reg",    ".param", ".tex",    ".sreg"};

// Characters that are not ASCII are octal escapes in file names: "gr\303\266\303\237e.cu".
std::string unescaped(std::string_view quoted) {
  const auto digit = [&](size_t at) { return at < quoted.size() && quoted[at] >= '0' && quoted[at] <= '7'; };
  std::string text;
  for (size_t at = 0; at < quoted.size();) {
    if (quoted[at] != '\\' || at + 1 == quoted.size()) {
      text += quoted[at++];
    } else if (!digit(++at)) {
      text += quoted[at++];
    } else {
      unsigned value = 0;
      for (const size_t end = at + 3; at < end && digit(at); ++at) value = value * 8 + unsigned(quoted[at] - '0');
      text += static_cast<char>(value);
    }
  }
  return text;
}

bool is_variable_space(const Token& token) {
  if (token.kind != TokenKind::DotWord) return false;
  for (std::string_view space : kVariableSpaces) {
    if (token.text == space) return true;
  }
  return token.text.starts_with(".const[");
}

// A word that starts the next item of the module ends a function's directives.
bool starts_module_item(const Token& token) {
  if (is_variable_space(token)) return true;
  constexpr std::string_view kWords[] = {".extern", ".visible", ".weak",  ".common",  ".entry",  ".func",
                                         ".file",   ".section", ".alias", ".version", ".target", ".address_size"};
  return token.kind == TokenKind::DotWord &&
         std::find(std::begin(kWords), std::end(kWords), token.text) != std::end(kWords);
}

}  // namespace

bool Parser::module() {
  while (token_.kind != TokenKind::End) {
    if (!module_item()) return false;
  }
  if (tree_.version.empty()) {
    return fail({1, 1}, "PTX text has no .version directive", "a PTX module starts with .version and .target");
  }
  return true;
}

bool Parser::module_item() {
  const Position at = token_.at;
  if (accept(op(';'))) return true;
  if (token_.kind != TokenKind::DotWord) return unexpected("a directive");
  if (tree_.version.empty() && !token_.is_word(".version")) {
    return fail(at, "PTX text does not start with .version", "a PTX module starts with .version and .target");
  }
  if (accept_word(".version")) {
    if (token_.kind != TokenKind::Float64) return unexpected("a version number such as 8.3");
    tree_.version = token_.text;
    advance();
    return true;
  }
  if (accept_word(".target")) {
    do {
      std::string_view name;
      if (!expect_identifier(name, "a target such as sm_90")) return false;
      tree_.target.push_back(name);
    } while (accept(op(',')));
    return true;
  }
  if (accept_word(".address_size")) {
    uint64_t size = 0;
    const Position size_at = token_.at;
    if (!integer_constant(size, "the address size")) return false;
    if (size != 32 && size != 64) return fail(size_at, "the address size must be 32 or 64");
    tree_.address_size = uint32_t(size);
    return true;
  }
  if (token_.is_word(".file")) return file_directive();
  if (token_.is_word(".section")) return section();
  if (accept_word(".loc")) return loc_directive();
  if (accept_word(".pragma")) {
    do {
      if (token_.kind != TokenKind::String) return unexpected("a string");
      advance();
    } while (accept(op(',')));
    return expect(op(';'), "after .pragma");
  }
  if (accept_word(".alias")) {
    Alias alias{{}, {}, at};
    if (!expect_identifier(alias.name, "a function's name") || !expect(op(','), "between the names of .alias") ||
        !expect_identifier(alias.target, "a function's name")) {
      return false;
    }
    tree_.aliases.push_back(alias);
    return expect(op(';'), "after .alias");
  }
  return linked_item();
}

bool Parser::linked_item() {
  const Position at = token_.at;
  Linking linking = Linking::None;
  constexpr std::pair<std::string_view, Linking> kLinking[] = {{".extern", Linking::Extern},
                                                               {".visible", Linking::Visible},
                                                               {".weak", Linking::Weak},
                                                               {".common", Linking::Common}};
  for (bool again = true; again;) {
    again = false;
    for (const auto& [word, value] : kLinking) {
      if (accept_word(word)) linking = value, again = true;
    }
  }
  if (accept_word(".entry")) return function(linking, true, at);
  if (accept_word(".func")) return function(linking, false, at);
  if (is_variable_space(token_)) return variables(linking, tree_.module_variables, ";");
  if (token_.kind != TokenKind::DotWord) return unexpected("a directive");
  return fail(token_.at, "unknown directive '" + std::string(token_.text) + "'");
}

bool Parser::file_directive() {
  advance();
  File file;
  if (!integer_constant(file.number, "the number of a file")) return false;
  if (token_.kind != TokenKind::String) return unexpected("a file name in quotes");
  file.path = unescaped(token_.text);
  advance();
  while (accept(op(','))) {  // time stamp, size
    uint64_t ignored = 0;
    if (!integer_constant(ignored, "the time stamp or size of a file")) return false;
  }
  tree_.files.push_back(std::move(file));
  return true;
}

// Skips a section: DWARF data, which nothing here reads.
bool Parser::section() {
  advance();
  if (token_.kind != TokenKind::DotWord && token_.kind != TokenKind::Identifier) return unexpected("a section's name");
  advance();
  if (token_.kind == TokenKind::String || token_.is(op(','))) {  // attributes of old compilers
    while (token_.kind == TokenKind::String || token_.is(op(',')) || token_.kind == TokenKind::Identifier) advance();
  }
  if (!expect(op('{'), "after a section's name")) return false;
  unsigned depth = 1;
  while (depth != 0) {
    if (token_.kind == TokenKind::End || token_.kind == TokenKind::Invalid) return unexpected("'}' at a section's end");
    if (token_.is(op('{'))) ++depth;
    if (token_.is(op('}'))) --depth;
    advance();
  }
  return true;
}

// .loc file line column [, function_name label [+ n], inlined_at file line column]
bool Parser::loc_directive() {
  Loc loc;
  const Position at = token_.at;
  const auto number = [&](uint32_t& out) {
    if (token_.kind != TokenKind::Integer) return unexpected("a number of .loc");
    out = uint32_t(token_.bits);
    advance();
    return true;
  };
  if (!number(loc.file) || !number(loc.line)) return false;
  if (token_.kind == TokenKind::Integer && !number(loc.column)) return false;
  while (accept(op(','))) {
    std::string_view word;
    if (!expect_identifier(word, "function_name or inlined_at")) return false;
    if (word == "function_name") {
      if (token_.kind != TokenKind::Identifier && token_.kind != TokenKind::DotWord) return unexpected("a label");
      loc.function_name = token_.text;
      advance();
      uint64_t offset = 0;
      if (accept(op('+')) && !integer_constant(offset, "an offset")) return false;
    } else if (word == "inlined_at") {
      loc.inlined = true;
      if (!number(loc.at_file) || !number(loc.at_line)) return false;
      if (token_.kind == TokenKind::Integer && !number(loc.at_column)) return false;
    } else {
      while (token_.kind == TokenKind::Integer) advance();  // is_stmt, discriminator and the like
    }
  }
  tree_.locs.push_back(loc);
  if (scope_depth_ != 0) add(StatementKind::Loc, tree_.locs.size() - 1, at);
  return true;
}

// .attribute(.managed), .attribute(.unified(a, b))
bool Parser::attribute(bool& managed) {
  if (!expect(op('('), "after .attribute")) return false;
  do {
    if (token_.kind != TokenKind::DotWord) return unexpected("an attribute such as .managed");
    if (token_.text == ".managed") managed = true;
    advance();
    if (accept(op('('))) {
      do {
        uint64_t ignored = 0;
        if (!integer_constant(ignored, "an attribute's value")) return false;
      } while (accept(op(',')));
      if (!expect(op(')'), "after an attribute's values")) return false;
    }
  } while (accept(op(',')));
  return expect(op(')'), "after .attribute");
}

bool Parser::function(Linking linking, bool is_kernel, Position at) {
  Function function;
  function.linking = linking;
  function.is_kernel = is_kernel;
  const size_t first_directive = tree_.directives.size();
  bool managed = false;
  while (token_.kind == TokenKind::DotWord) {  // .func .attribute(.unified(1, 2)) (results) name
    if (accept_word(".attribute")) {
      if (!attribute(managed)) return false;
    } else {
      return unexpected("a function's name");
    }
  }
  if (token_.is(op('(')) && !parameters(function.results)) return false;
  function.at = token_.at;
  if (!expect_identifier(function.name, "a function's name")) return false;
  if (token_.is(op('(')) && !parameters(function.parameters)) return false;
  if (!function_directives(function.directives)) return false;
  function.directives.first = uint32_t(first_directive);
  const bool ends_head = token_.kind == TokenKind::End || starts_module_item(token_);  // PTX 2 has no semicolon there
  if (!accept(op(';')) && !ends_head) {
    function.has_body = true;
    function.body.first = uint32_t(tree_.statements.size());
    if (!token_.is(op('{'))) return unexpected("'{' or ';' after a function's head");
    if (!body()) return false;
    function.body.count = uint32_t(tree_.statements.size()) - function.body.first;
  }
  tree_.functions.push_back(function);
  return true;
}

// .maxntid 128, 1, 1  .minnctapersm 2  .noreturn  .pragma "x";  and any other word with numbers
bool Parser::function_directives(Range& range) {
  const size_t first = tree_.directives.size();
  while (token_.kind == TokenKind::DotWord && !starts_module_item(token_)) {
    FunctionDirective directive;
    directive.at = token_.at;
    directive.name = token_.text.substr(1);
    advance();
    if (directive.name == "attribute") {
      bool managed = false;
      if (!attribute(managed)) return false;
      continue;
    }
    directive.numbers.first = uint32_t(tree_.numbers.size());
    if (token_.kind == TokenKind::String) {
      directive.text = token_.text;
      do {
        if (token_.kind != TokenKind::String) return unexpected("a string");
        advance();
      } while (accept(op(',')));
      if (!expect(op(';'), "after .pragma")) return false;
    } else if (token_.kind != TokenKind::DotWord && !token_.is(op('{')) && !token_.is(op(';'))) {
      do {
        uint64_t number = 0;
        if (!integer_constant(number, "a directive's value")) return false;
        tree_.numbers.push_back(number);
      } while (accept(op(',')));
    }
    directive.numbers.count = uint32_t(tree_.numbers.size()) - directive.numbers.first;
    tree_.directives.push_back(directive);
  }
  range = {uint32_t(first), uint32_t(tree_.directives.size() - first)};
  return true;
}

}  // namespace drywarp::ptx
