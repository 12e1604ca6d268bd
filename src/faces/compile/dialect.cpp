#include "faces/compile/dialect.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <sstream>
#include <string_view>

#include "faces/compile/diagnostics.h"
#include "faces/compile/nvcc_options/process.h"

namespace drywarp::compile {
namespace {

// Corrects the text at the position of clang's error, without adding or removing lines; false: the error has another
// cause.
using Correction = bool (*)(std::string& text, size_t at);

// asm("mov.u32 %0, %smid;" : ...): with operands, a register's name needs %%; nvcc accepts a single %. clang's position
// is after the percent sign.
bool double_percent(std::string& text, size_t at) {
  const size_t percent = text.rfind('%', at == 0 ? 0 : at - 1);
  if (percent == std::string::npos || text.find('\n', percent) < at) return false;
  text.insert(percent, 1, '%');
  return true;
}

// __shared__ alignas(16) float tile[64]: C++ requires alignas first; C's _Alignas may follow other specifiers.
bool c_alignas(std::string& text, size_t at) {
  constexpr std::string_view word = "alignas";
  if (text.compare(at, word.size(), word) != 0) return false;
  text.replace(at, word.size(), "_Alignas");
  return true;
}

// Whether the line is a preprocessor's, or goes on from one.
bool in_directive(std::string_view text, size_t at) {
  for (size_t end = at;;) {
    const size_t newline = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    const size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    const size_t first = text.find_first_not_of(" \t", start);
    if (first != std::string_view::npos && text[first] == '#') return true;
    if (start < 2 || text[start - 2] != '\\') return false;
    end = start - 1;
  }
}
// The length of `alignas(...)` at `at`; 0: there is none, or it stands in a macro, which may be right elsewhere.
size_t alignas_length(std::string_view text, size_t at) {
  constexpr std::string_view word = "alignas";
  if (text.compare(at, word.size(), word) != 0 || in_directive(text, at)) return 0;
  size_t end = text.find_first_not_of(" \t\r\n", at + word.size());
  if (end == std::string_view::npos || text[end] != '(') return 0;
  for (int open = 0; end < text.size(); ++end) {
    if (text[end] == '(') ++open;
    if (text[end] == ')' && --open == 0) return end + 1 - at;
  }
  return 0;
}
bool remove_alignas(std::string& text, size_t at) {
  const size_t length = alignas_length(text, at);
  for (size_t i = at; i < at + length; ++i)
    if (text[i] != '\n') text[i] = ' ';
  return length != 0;
}
// As an attribute, which may stand where alignas may not.
bool attribute_for_alignas(std::string& text, size_t at) {
  const size_t length = alignas_length(text, at);
  if (length == 0) return false;
  const std::string argument = text.substr(text.find('(', at), at + length - text.find('(', at));
  text.replace(at, length, "__attribute__((aligned" + argument + "))");
  return true;
}

// float alignas(16) tile[64]: nvcc warns that it does not apply here, and goes on without it. Behind an array's bounds
// it does apply.
bool alignas_of_type(std::string& text, size_t at) {
  const size_t before = text.find_last_not_of(" \t\r\n", at == 0 ? 0 : at - 1);
  const bool of_array = at != 0 && before != std::string::npos && text[before] == ']';
  return of_array ? attribute_for_alignas(text, at) : remove_alignas(text, at);
}
// alignas(16) typedef struct {...} name: it applies. Elsewhere nvcc goes on without it.
bool alignas_of_declaration(std::string& text, size_t at) {
  const size_t next = text.find_first_not_of(" \t\r\n", at + alignas_length(text, at));
  const bool of_typedef = next != std::string::npos && text.compare(next, 7, "typedef") == 0;
  return of_typedef ? attribute_for_alignas(text, at) : remove_alignas(text, at);
}
// alignas(16) struct X {...}: without a variable, nvcc goes on without it. clang's position is behind `struct`.
bool alignas_before_class(std::string& text, size_t at) {
  const size_t word = text.rfind("alignas", at);
  const size_t end = word == std::string::npos ? 0 : word + alignas_length(text, word);
  return end > word && end < at && text.find_first_of(";{}", end) >= at && remove_alignas(text, word);
}
// struct {...} alignas(16) name: nvcc goes on without it. clang's position is behind the bracket.
bool alignas_behind_class(std::string& text, size_t at) {
  const size_t word = text.find_first_not_of(" \t\r\n", at);
  return word != std::string::npos && remove_alignas(text, word);
}

// kernel<< <grid, block>> >(...): written by formatters that do not know CUDA. Joins the three brackets.
bool split_brackets(std::string& text, size_t at) {
  const char bracket = text[at];
  if (bracket != '<' && bracket != '>') return false;
  const size_t before = text.find_last_not_of(" \t\r\n", at == 0 ? 0 : at - 1);
  if (before == std::string::npos || before == 0 || before + 1 >= at) return false;
  if (text[before] != bracket || text[before - 1] != bracket) return false;
  text[at] = ' ';
  if (text[before + 1] == ' ')
    text[before + 1] = bracket;
  else
    text.insert(before + 1, 1, bracket);
  return true;
}

// #define UNROLL #pragma unroll: nvcc takes the macro for the directive. C++ has _Pragma for that.
bool pragma_in_macro(std::string& text, size_t at) {
  constexpr std::string_view word = "#pragma";
  if (text.compare(at, word.size(), word) != 0) return false;
  const size_t end = std::min(text.find('\n', at), text.size());
  const size_t start = text.find_first_not_of(" \t", at + word.size());
  if (start >= end || text[end - 1] == '\\') return false;
  std::string says = text.substr(start, end - start);
  if (says.find_first_of("\"\\\r") != std::string::npos) return false;
  text.replace(at, end - at, "_Pragma(\"" + says + "\")");
  return true;
}

// The end of `<...>`, whose first bracket is at `at`; npos: no arguments of a template.
size_t template_arguments_end(std::string_view text, size_t at) {
  int angles = 0, others = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ';' || c == '{' || c == '}') return std::string_view::npos;
    if (c == '(' || c == '[') ++others;
    if (c == ')' || c == ']') --others;
    if (others != 0) continue;
    if (c == '<') ++angles;
    if (c == '>' && --angles == 0) return at + 1;
  }
  return std::string_view::npos;
}

// cast<T>::copy<4>(to, from): of a class that depends on a parameter, copy<4> needs `template` before it. nvcc takes it
// for a template's name where arguments follow. clang's position is the begin of the whole name.
bool template_keyword(std::string& text, size_t at) {
  const auto is_name = [&](size_t i) { return std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_'; };
  for (bool qualified = false; at < text.size(); qualified = true) {
    const size_t name = at;
    while (at < text.size() && is_name(at)) ++at;
    if (at == name) return false;
    if (at < text.size() && text[at] == '<') {
      at = template_arguments_end(text, at);
      if (at == std::string::npos) return false;
      if (qualified && text[at] == '(') {
        text.insert(name, "template ");
        return true;
      }
    }
    if (text.compare(at, 2, "::") != 0) return false;
    at += 2;
  }
  return false;
}

// Whether `at` lies in the brackets that follow the last `asm` before it.
bool in_assembly(std::string_view text, size_t at) {
  size_t i = text.rfind("asm", at);
  int open = 0;
  bool quoted = false, opened = false;
  for (; i < at; ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '\\') ++i;
    if (quoted) continue;
    if (text[i] == '(') ++open, opened = true;
    if (text[i] == ')' && --open == 0) return false;
  }
  return opened;
}
// asm("..." :: "r"(value) "l"(to)): nvcc does without the comma between two operands. clang's position is the quote of
// the second.
bool comma_of_operands(std::string& text, size_t at) {
  if (text[at] != '"' || !in_assembly(text, at)) return false;
  const size_t before = text.find_last_not_of(" \t\r\n", at - 1);
  if (text[before] != ')') return false;
  text.insert(before + 1, 1, ',');
  return true;
}

bool no_expression(std::string& text, size_t at) { return split_brackets(text, at) || pragma_in_macro(text, at); }

struct Rule {
  std::string_view message;
  Correction correct;
};

constexpr Rule kRules[] = {
    {"invalid % escape in inline assembly string", double_percent},
    {"an attribute list cannot appear here", c_alignas},
    {"'alignas' attribute cannot be applied to types", alignas_of_type},
    {"'alignas' attribute cannot be applied to an enumeration", attribute_for_alignas},
    {"'alignas' attribute only applies to variables", alignas_of_declaration},
    {"misplaced attributes; expected attributes here", alignas_before_class},
    {"expected ';' after", alignas_behind_class},
    {"expected expression", no_expression},
    {"expected ')'", comma_of_operands},
    {"missing 'template' keyword prior to dependent template name", template_keyword},
    {"reference to overloaded function could not be resolved", template_keyword},
};

// The position that a line names, if kind and message match.
std::optional<Place> place_in(const std::string& line, std::string_view kind, std::string_view message) {
  const std::optional<Message> m = message_in(line);
  if (!m || m->kind != kind || !m->text.starts_with(message)) return std::nullopt;
  return m->place;
}

// The positions of errors that can be corrected. An error in a macro's expansion is corrected in its definition.
std::map<Place, Correction> places(const std::string& diagnostics) {
  std::map<Place, Correction> found;
  std::optional<Place> at;
  Correction correct = nullptr;
  const auto finish = [&] {
    if (at) found[*at] = correct;
    at.reset();
  };
  std::istringstream lines(without_colors(diagnostics));
  for (std::string line; std::getline(lines, line);) {
    if (line.find(": error: ") != std::string::npos) finish();
    for (const Rule& rule : kRules) {
      if (std::optional<Place> place = place_in(line, "error", rule.message)) {
        at = place;
        correct = rule.correct;
      }
    }
    if (!at) continue;
    if (std::optional<Place> place = place_in(line, "note", "expanded from")) at = place;
  }
  finish();
  return found;
}

bool correct_in(std::string& text, const Place& place, Correction correct) {
  const std::optional<size_t> at = offset_of(text, place);
  return at && correct(text, *at);
}

}  // namespace

bool RespelledSources::respell(const std::string& diagnostics) {
  bool changed = false;
  const std::map<Place, Correction> found = places(diagnostics);
  // From the end, so that a correction does not move the positions that follow.
  for (auto it = found.rbegin(); it != found.rend(); ++it) {
    std::error_code code;
    const std::string path = std::filesystem::absolute(it->first.file, code).lexically_normal().string();
    auto text = texts_.find(path);
    if (text != texts_.end()) {
      changed |= correct_in(text->second, it->first, it->second);
      continue;
    }
    Result<std::string> original = read_file(path);
    if (!original) continue;
    if (!correct_in(*original, it->first, it->second)) continue;
    texts_[path] = std::move(*original);
    changed = true;
  }
  return changed;
}

Result<std::string> write_overlay(const std::string& stem, const std::map<std::string, std::string>& texts) {
  if (texts.empty()) return std::string();
  nlohmann::json roots = nlohmann::json::array();
  for (const auto& [path, text] : texts) {
    const std::string copy = fmt::format("{}-{}.respelled", stem, roots.size());
    if (Status written = write_file(copy, text); !written) return written.problem();
    roots.push_back({{"type", "file"}, {"name", path}, {"external-contents", copy}});
  }
  const nlohmann::json all = {
      {"version", 0}, {"case-sensitive", true}, {"use-external-names", false}, {"roots", std::move(roots)}};
  const std::string overlay = stem + ".overlay";
  if (Status written = write_file(overlay, all.dump()); !written) return written.problem();
  return overlay;
}

}  // namespace drywarp::compile
