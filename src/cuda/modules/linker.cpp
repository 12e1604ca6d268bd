#include "cuda/modules/linker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include "cuda/fatbin/fatbin.h"
#include "language/ir/build/build.h"
#include "language/ptx/parser.h"

namespace drywarp::cuda {
namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }

// The end of the token at `at`: a name with its leading dot, a number, a string, a comment, a run of white space, or
// one character.
size_t token_end(std::string_view text, size_t at) {
  const auto run = [&](size_t from, auto&& more) {
    while (from < text.size() && more(text[from])) ++from;
    return from;
  };
  const auto past = [&](std::string_view what) {
    const size_t found = text.find(what, at + 2);
    return found == text.npos ? text.size() : found + what.size();
  };
  const char c = text[at];
  if (text.substr(at, 2) == "//") return std::min(text.find('\n', at), text.size());
  if (text.substr(at, 2) == "/*") return past("*/");
  if (c == '"') {
    const size_t end = text.find('"', at + 1);
    return end == text.npos ? text.size() : end + 1;
  }
  if (std::isspace(static_cast<unsigned char>(c)))
    return run(at, [](char s) { return std::isspace(static_cast<unsigned char>(s)); });
  if (c == '.' || starts_name(c) || std::isdigit(static_cast<unsigned char>(c))) return run(at + 1, in_name);
  return at + 1;
}

// A statement at module scope, with its ';' or its body.
struct Statement {
  std::vector<std::string_view> tokens;
  std::string name;  // that it declares; empty for directives
  bool is_extern = false, is_global = false, is_function = false, has_body = false;
  [[nodiscard]] std::string_view first() const {
    for (const std::string_view t : tokens)
      if (!std::isspace(static_cast<unsigned char>(t[0])) && !t.starts_with("//") && !t.starts_with("/*")) return t;
    return {};
  }
};

bool is_blank(std::string_view t) {
  return std::isspace(static_cast<unsigned char>(t[0])) || t.starts_with("//") || t.starts_with("/*");
}

// Directives that end with the line instead of a semicolon.
bool ends_with_line(std::string_view directive) {
  return directive == ".version" || directive == ".target" || directive == ".address_size" || directive == ".file";
}

void classify(Statement& s) {
  int parentheses = 0;
  for (const std::string_view t : s.tokens) {
    if (is_blank(t)) continue;
    if (t == ".extern") s.is_extern = true;
    if (t == ".extern" || t == ".visible" || t == ".weak" || t == ".common" || t == ".entry") s.is_global = true;
    if (t == ".func" || t == ".entry") s.is_function = true;
    if (t == "(") ++parentheses;
    if (t == ")") --parentheses;
    if (t == "=" || t == "{" || (t == ";" && parentheses == 0)) break;
    // The last name outside parentheses before an initialiser, a body or the brackets of an array.
    if (parentheses == 0 && (starts_name(t[0])) && s.name.empty()) s.name = t;
  }
  const std::string_view first = s.first();
  if (ends_with_line(first) || first == ".section") s.name.clear();
}

std::vector<Statement> statements(std::string_view text) {
  std::vector<Statement> out(1);
  int braces = 0;
  bool has_initialiser = false;
  const auto close = [&] {
    classify(out.back());
    out.emplace_back();
    has_initialiser = false;
  };
  for (size_t at = 0; at < text.size();) {
    const size_t end = token_end(text, at);
    const std::string_view token = text.substr(at, end - at);
    at = end;
    const bool line_over = braces == 0 && ends_with_line(out.back().first()) &&
                           std::isspace(static_cast<unsigned char>(token[0])) && token.find('\n') != token.npos;
    out.back().tokens.push_back(token);
    if (token == "=") has_initialiser = true;
    if (token == "{") ++braces;
    if (token == "}" && --braces == 0 && !has_initialiser) {
      out.back().has_body = true;
      close();
    } else if (line_over || (token == ";" && braces == 0)) {
      close();
    }
  }
  if (out.back().first().empty())
    out.pop_back();
  else
    classify(out.back());
  return out;
}

// Labels of the debug sections; .loc's function_name refers to them.
std::set<std::string> section_labels(const std::vector<Statement>& unit) {
  std::set<std::string> out;
  for (const Statement& s : unit) {
    if (s.first() != ".section") continue;
    for (size_t i = 0; i + 1 < s.tokens.size(); ++i)
      if (starts_name(s.tokens[i][0]) && s.tokens[i + 1] == ":") out.emplace(s.tokens[i]);
  }
  return out;
}

// Rewrites a unit's statement: appends the unit's number to private names, and adds `file_base` to file numbers.
std::string rewritten(const Statement& s, const std::set<std::string>& private_names, size_t unit, unsigned file_base) {
  std::string out;
  std::string_view previous;
  for (const std::string_view t : s.tokens) {
    const bool file_number = (previous == ".file" || previous == ".loc" || previous == "inlined_at") &&
                             std::isdigit(static_cast<unsigned char>(t[0]));
    if (file_number)
      out += std::to_string(std::stoul(std::string(t)) + file_base);
    else if (private_names.contains(std::string(t)))
      out += fmt::format("{}$unit{}", t, unit);
    else
      out += t;
    if (!is_blank(t)) previous = t;
  }
  return out;
}

unsigned highest_file(const std::vector<Statement>& unit) {
  unsigned highest = 0;
  for (const Statement& s : unit) {
    if (s.first() != ".file") continue;
    for (const std::string_view t : s.tokens)
      if (std::isdigit(static_cast<unsigned char>(t[0]))) {
        highest = std::max(highest, unsigned(std::stoul(std::string(t))));
        break;
      }
  }
  return highest;
}

}  // namespace

std::string link_ptx(const std::vector<std::string>& units) {
  if (units.size() == 1) return units[0];
  std::vector<std::vector<Statement>> parsed;
  std::map<std::string, std::string> defined;  // with the linkage of the definition
  for (const std::string& unit : units) {
    parsed.push_back(statements(unit));
    for (const Statement& s : parsed.back())
      if (!s.name.empty() && s.is_global && !s.is_extern && (!s.is_function || s.has_body))
        defined.emplace(s.name, s.first() == ".weak" ? ".weak" : ".visible");
  }
  // Order: the first unit's header; every variable; forward declarations of functions; functions with bodies.
  std::string header, variables, declarations, functions;
  std::set<std::string> declared, emitted;
  unsigned file_base = 0;
  for (size_t u = 0; u < parsed.size(); ++u) {
    std::set<std::string> private_names = section_labels(parsed[u]);
    // nvcc has already made __nv_static_ names unique, and registers them with the runtime, so they must not change.
    for (const Statement& s : parsed[u])
      if (!s.name.empty() && !s.is_global && !s.name.starts_with("__nv_static_")) private_names.insert(s.name);
    for (const Statement& s : parsed[u]) {
      const std::string_view first = s.first();
      const std::string text = rewritten(s, private_names, u, file_base);
      if (first == ".version" || first == ".target" || first == ".address_size") {
        if (u == 0) header += text;
      } else if (s.is_function && !s.has_body) {
        // One declaration is enough; declarations precede every use.
        if (!private_names.contains(s.name) && !declared.insert(s.name).second) continue;
        const auto definition = s.is_extern ? defined.find(s.name) : defined.end();
        const size_t word = text.find(".extern");
        declarations +=
            definition == defined.end() ? text : text.substr(0, word) + definition->second + text.substr(word + 7);
      } else if (s.is_function) {
        const bool duplicate = s.is_global && !emitted.insert(s.name).second;  // .weak: the first wins
        if (!duplicate) functions += text;
      } else if (!s.name.empty()) {
        if (s.is_extern && defined.contains(s.name)) continue;
        if (s.is_global && !emitted.insert(s.name).second) continue;
        variables += text;
      } else {
        functions += text;
      }
    }
    file_base += highest_file(parsed[u]);
  }
  return header + "\n" + variables + "\n" + declarations + "\n" + functions;
}

Error Linker::add(std::span<const uint8_t> bytes, const std::string& name, std::string& log) {
  const auto complain = [&](const Diagnostic& problem, Error error) {
    log += problem.to_string() + "\n";
    return error;
  };
  const auto image = fatbin::read_image(bytes);
  if (!image) return complain(image.problem(), Error::InvalidKernelImage);
  const fatbin::Entry* ptx = image->best_ptx(compute_capability_);
  if (!ptx)
    return complain(error(name + " has no PTX for this device", "link PTX, not machine code"),
                    Error::NoKernelImageForDevice);
  auto text = ptx->contents();
  if (!text) return complain(text.problem(), Error::InvalidKernelImage);
  if (const auto tree = ptx::parse(*text, name); !tree) return complain(tree.problem(), Error::InvalidPtx);
  units_.push_back(std::move(*text));
  return Error::Success;
}

Error Linker::complete(std::string& log) {
  if (units_.empty()) {
    log += "nothing was given to the linker\n";
    return Error::InvalidValue;
  }
  std::string text = link_ptx(units_);
  if (const auto module = ir::parse_module(text, "the linked PTX"); !module) {
    log += module.problem().to_string() + "\n";
    return Error::InvalidPtx;
  }
  text_ = std::move(text);
  return Error::Success;
}

}  // namespace drywarp::cuda
