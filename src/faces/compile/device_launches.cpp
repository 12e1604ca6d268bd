#include "faces/compile/device_launches.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "faces/compile/diagnostics.h"
#include "faces/compile/nvcc_options/process.h"

namespace drywarp::compile {
namespace fs = std::filesystem;
namespace {

// ---- finding launches

struct Token {
  size_t begin = 0;
  std::string_view text;
};

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }
bool is_word(const Token& t) { return in_word(t.text[0]) && !std::isdigit(static_cast<unsigned char>(t.text[0])); }

// The end of a string or character literal that begins at `at`, perhaps behind R.
size_t literal_end(std::string_view text, size_t at) {
  if (text[at] == 'R') {
    const size_t open = text.find('(', at);
    if (open == text.npos) return text.size();
    const std::string close = ")" + std::string(text.substr(at + 2, open - at - 2)) + "\"";
    const size_t end = text.find(close, open);
    return end == text.npos ? text.size() : end + close.size();
  }
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

std::vector<Token> tokens_of(std::string_view text) {
  constexpr std::array<std::string_view, 3> kSigns = {"<<<", "::", "->"};
  std::vector<Token> out;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    size_t end = at + 1;
    if (std::isspace(static_cast<unsigned char>(text[at])) || text[at] == '\\') {
      ++at;
      continue;
    }
    if (rest.starts_with("//") || rest.starts_with("/*")) {
      const bool line = rest[1] == '/';
      const size_t found = text.find(line ? "\n" : "*/", at + 2);
      at = found == text.npos ? text.size() : found + (line ? 0 : 2);
      continue;
    }
    if (rest[0] == '"' || rest[0] == '\'' || rest.starts_with("R\"")) {
      end = literal_end(text, at);
    } else if (in_word(rest[0])) {
      // 1'000'000 and 0x1p+3 are of no interest here.
      while (end < text.size() && in_word(text[end])) ++end;
    } else if (const auto sign = std::ranges::find_if(kSigns, [&](auto s) { return rest.starts_with(s); });
               sign != kSigns.end()) {
      end = at + sign->size();
    }
    out.push_back({at, text.substr(at, end - at)});
    at = end;
  }
  return out;
}

constexpr std::string_view kOpen = "([{", kClose = ")]}";

// The token behind the closing bracket of the opening one at `i`; nothing: there is none.
std::optional<size_t> behind(const std::vector<Token>& tokens, size_t i) {
  int depth = 0;
  for (; i < tokens.size(); ++i) {
    if (kOpen.find(tokens[i].text) != kOpen.npos) ++depth;
    if (kClose.find(tokens[i].text) != kClose.npos && --depth == 0) return i + 1;
  }
  return std::nullopt;
}

// The first of the tokens that the bracket before `end` closes: ) ] or >.
std::optional<size_t> opening(const std::vector<Token>& tokens, size_t end) {
  int depth = 0, angles = 0;
  for (size_t i = end; i-- > 0;) {
    const std::string_view t = tokens[i].text;
    if (kClose.find(t) != kClose.npos) ++depth;
    if (kOpen.find(t) != kOpen.npos) --depth;
    if (depth < 0 || t == ";") return std::nullopt;
    if (depth == 0 && t == ">") ++angles;
    if (depth == 0 && t == "<") --angles;
    if (depth == 0 && angles == 0) return i;
  }
  return std::nullopt;
}

bool is_name(const Token& t) {
  constexpr std::array<std::string_view, 6> kStatements = {"return", "else", "do", "if", "while", "for"};
  return is_word(t) && std::ranges::find(kStatements, t.text) == kStatements.end();
}

// The first token of the operand that ends before `end`: a name with the arguments of a template, subscripts and calls
// behind it, or something in parentheses. `end` if there is none.
size_t operand_begin(const std::vector<Token>& tokens, size_t end) {
  size_t begin = end;
  while (begin > 0) {
    const std::string_view last = tokens[begin - 1].text;
    if (is_name(tokens[begin - 1])) return begin - 1;
    if (last != ">" && last != "]" && last != ")") return end;
    const std::optional<size_t> open = opening(tokens, begin);
    if (!open) return end;
    begin = *open;
    const bool has_more =
        begin > 0 && (is_name(tokens[begin - 1]) || tokens[begin - 1].text == ">" || tokens[begin - 1].text == "]");
    if (last == ")" && !has_more) return begin;
  }
  return end;
}

// The same of operands that :: . and -> join.
size_t expression_begin(const std::vector<Token>& tokens, size_t end) {
  for (size_t begin = end;;) {
    const size_t operand = operand_begin(tokens, begin);
    if (operand == begin) return begin;
    begin = operand;
    const auto before = [&] { return begin > 0 ? tokens[begin - 1].text : std::string_view(); };
    if (before() == "template") --begin;
    if (before() != "::" && before() != "." && before() != "->") return begin;
    const bool is_scope = before() == "::";
    --begin;
    if (is_scope && (begin == 0 || (!is_name(tokens[begin - 1]) && before() != ">"))) return begin;
  }
}

std::optional<Launch> launch_at(const std::vector<Token>& tokens, size_t brackets) {
  const auto closes = [&](size_t i) {
    return i + 2 < tokens.size() && tokens[i].text == ">" && tokens[i + 1].text == ">" && tokens[i + 2].text == ">" &&
           tokens[i + 1].begin == tokens[i].begin + 1 && tokens[i + 2].begin == tokens[i].begin + 2;
  };
  size_t i = brackets + 1;
  while (i < tokens.size() && !closes(i)) {
    const std::optional<size_t> next =
        kOpen.find(tokens[i].text) != kOpen.npos ? behind(tokens, i) : std::optional(i + 1);
    if (!next || tokens[i].text == ";") return std::nullopt;
    i = *next;
  }
  if (i + 3 >= tokens.size() || tokens[i + 3].text != "(") return std::nullopt;
  const std::optional<size_t> end = behind(tokens, i + 3);
  const size_t kernel = expression_begin(tokens, brackets);
  if (!end || kernel == brackets) return std::nullopt;
  const Token& last = tokens[*end - 1];
  return Launch{tokens[kernel].begin, tokens[brackets].begin, tokens[brackets].begin + 3,
                tokens[i].begin,      tokens[i + 3].begin,    last.begin + 1};
}

// ---- where clang rejects them

bool names_device_code(std::string_view message) {
  return message.find("in __global__ function") != message.npos ||
         message.find("in __device__ function") != message.npos ||
         message.find("from __global__ function") != message.npos ||
         message.find("from __device__ function") != message.npos;
}

struct Rejected {
  std::vector<Place> places;    // the error's, and those of the macros that it is expanded from
  bool in_device_code = false;  // false: in host code, of a kernel that is a function of the device now
};

std::vector<Rejected> rejected(const std::string& diagnostics) {
  std::vector<Rejected> out;
  Rejected now;
  bool open = false;  // "no matching function", whose notes say why
  const auto finish = [&] {
    if (!now.places.empty() && !open) out.push_back(std::move(now));
    now = {};
    open = false;
  };
  std::istringstream lines(without_colors(diagnostics));
  for (std::string line; std::getline(lines, line);) {
    const std::optional<Message> m = message_in(line);
    if (!m) continue;
    if (m->kind == "error") {
      finish();
      const bool configuration = m->text.starts_with("reference to __host__ function 'cudaConfigureCall'") ||
                                 m->text.starts_with("reference to __host__ function '__cudaPushCallConfiguration'");
      const bool kernel = m->text.starts_with("reference to __global__ function");
      open = m->text.starts_with("no matching function for call to");
      now.in_device_code = (configuration || kernel) && names_device_code(m->text);
      if (configuration || now.in_device_code || open || m->text.starts_with("kernel call to non-global function"))
        now.places.push_back(m->place);
    } else if (!now.places.empty() && m->kind == "note") {
      if (m->text.starts_with("expanded from")) now.places.push_back(m->place);
      if (open && m->text.find("call to __global__ function from") != std::string::npos && names_device_code(m->text)) {
        open = false;
        now.in_device_code = true;
      }
    }
  }
  finish();
  return out;
}

}  // namespace

std::vector<Launch> find_launches(std::string_view text) {
  std::vector<Launch> out;
  const std::vector<Token> tokens = tokens_of(text);
  for (size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i].text != "<<<") continue;
    if (const std::optional<Launch> launch = launch_at(tokens, i)) out.push_back(*launch);
  }
  return out;
}

std::string with_calls(std::string_view text) {
  std::string out;
  size_t from = 0;
  const auto piece = [&](size_t begin, size_t end) { return text.substr(begin, end - begin); };
  for (const Launch& l : find_launches(text)) {
    if (l.kernel < from) continue;  // inside of another
    out += piece(from, l.kernel);
    out += "(__drywarp_configure_launch(";
    out += piece(l.configuration, l.configuration_end);
    out += "), ";
    out += piece(l.kernel, l.brackets);
    out += piece(l.configuration_end + 3, l.end);  // with what is between >>> and the parenthesis
    out += ", __drywarp_launched())";
    from = l.end;
  }
  return out += text.substr(from);
}

std::string without_launches(std::string_view text, const std::set<size_t>& brackets) {
  constexpr std::string_view kNothing = "((void)0)";
  std::string out(text);
  for (const Launch& l : find_launches(text)) {
    if (!brackets.contains(l.brackets)) continue;
    for (size_t i = l.kernel; i < l.end; ++i)
      if (out[i] != '\n' && !(out[i] == '\\' && out[i + 1] == '\n')) out[i] = ' ';
    // The shortest launch is longer; a line end in it may leave no room at its begin.
    size_t at = l.kernel;
    while (at + kNothing.size() <= l.end && out.find_first_not_of(' ', at) < at + kNothing.size())
      at = out.find_first_not_of(' ', at) + 1;
    if (at + kNothing.size() <= l.end) out.replace(at, kNothing.size(), kNothing);
  }
  return out;
}

bool DeviceLaunches::learn(const std::string& diagnostics, const std::map<std::string, std::string>& corrected) {
  bool changed = false;
  for (const Rejected& error : rejected(diagnostics)) {
    for (const Place& place : error.places) {
      std::error_code ignored;
      const std::string path = fs::absolute(place.file, ignored).lexically_normal().string();
      auto known = files_.find(path);
      File file;
      if (known != files_.end()) {
        file = known->second;
      } else if (const auto text = corrected.find(path); text != corrected.end()) {
        file.text = text->second;
      } else if (Result<std::string> text = read_file(path)) {
        file.text = std::move(*text);
      }
      const std::optional<size_t> at = offset_of(file.text, place);
      if (!at) continue;
      const std::vector<Launch> launches = find_launches(file.text);
      const auto launch =
          std::ranges::find_if(launches, [&](const Launch& l) { return l.kernel <= *at && *at <= l.arguments; });
      if (launch == launches.end()) continue;
      if (known == files_.end()) changed = true;
      if (error.in_device_code) changed |= file.in_device_code.insert(launch->brackets).second;
      files_[path] = std::move(file);
    }
  }
  return changed;
}

std::map<std::string, std::string> DeviceLaunches::device_texts(
    const std::map<std::string, std::string>& corrected) const {
  std::map<std::string, std::string> out = corrected;
  for (const auto& [path, file] : files_) out[path] = with_calls(file.text);
  return out;
}

std::map<std::string, std::string> DeviceLaunches::host_texts(
    const std::map<std::string, std::string>& corrected) const {
  std::map<std::string, std::string> out = corrected;
  for (const auto& [path, file] : files_) out[path] = without_launches(file.text, file.in_device_code);
  return out;
}

}  // namespace drywarp::compile
