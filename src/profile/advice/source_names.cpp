#include "profile/advice/source_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace drywarp::advice {
namespace {

constexpr uint32_t kLinesOfFunction = 300;  // how far above a line its function is looked for

bool in_name(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

size_t skip_blanks(std::string_view text, size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

std::string trimmed(std::string_view text) {
  const size_t first = skip_blanks(text, 0);
  size_t last = text.size();
  while (last > first && (text[last - 1] == ' ' || text[last - 1] == '\t')) --last;
  return std::string(text.substr(first, last - first));
}

// Past the bracket that closes the one at `open`; npos: it is not on this line.
size_t behind_bracket(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

// What follows an array: an assignment writes it, and one with an operator reads it too.
void set_direction(ArrayUse& use, std::string_view behind) {
  size_t at = skip_blanks(behind, 0);
  while (at < behind.size() && (behind[at] == '.' || behind.substr(at).starts_with("->"))) {
    use.field = true;
    at += behind[at] == '.' ? 1 : 2;
    while (at < behind.size() && in_name(behind[at])) ++at;
    at = skip_blanks(behind, at);
  }
  behind.remove_prefix(std::min(at, behind.size()));
  const bool compound = behind.size() > 1 && std::string_view("+-*/%&|^").find(behind[0]) != std::string_view::npos &&
                        (behind[1] == '=' || (behind[1] == behind[0] && (behind[0] == '+' || behind[0] == '-')));
  const bool shift = behind.starts_with("<<=") || behind.starts_with(">>=");
  const bool assigned = behind.starts_with("=") && !behind.starts_with("==");
  use.written = compound || shift || assigned;
  use.read = !assigned;
}

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find("//")); }

}  // namespace

std::string ArrayUse::text() const {
  std::string all = name;
  for (const std::string& s : subscripts) all += "[" + s + "]";
  return all;
}

std::vector<ArrayUse> array_uses(std::string_view line) {
  line = without_comment(line);
  std::vector<ArrayUse> uses;
  for (size_t at = 0; at < line.size();) {
    if (!in_name(line[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < line.size() && in_name(line[end])) ++end;
    ArrayUse use{std::string(line.substr(at, end - at)), {}};
    size_t open = skip_blanks(line, end);
    at = end;
    std::string inside;
    while (open < line.size() && line[open] == '[') {
      const size_t behind = behind_bracket(line, open);
      if (behind == std::string_view::npos) return uses;
      use.subscripts.push_back(trimmed(line.substr(open + 1, behind - open - 2)));
      inside += use.subscripts.back() + " ";
      at = behind;
      open = skip_blanks(line, behind);
    }
    if (use.subscripts.empty()) continue;
    set_direction(use, line.substr(at));
    uses.push_back(std::move(use));
    for (ArrayUse& nested : array_uses(inside)) uses.push_back(std::move(nested));
  }
  return uses;
}

std::string SharedArray::padded(uint32_t elements) const {
  std::string all = "__shared__ " + type + " " + name;
  for (size_t i = 0; i < dimensions.size(); ++i)
    all += i + 1 == dimensions.size() ? fmt::format("[{} + {}]", dimensions[i], elements) : "[" + dimensions[i] + "]";
  return all + ";";
}

std::optional<SharedArray> find_shared_array(const Facts& facts, const std::string& file, uint32_t line,
                                             const std::string& name) {
  for (uint32_t at = line; at > 0 && at + kLinesOfFunction > line; --at) {
    const std::string text = facts.source(file, at);
    const size_t shared = text.find("__shared__");
    if (shared == std::string::npos) continue;
    for (const ArrayUse& use : array_uses(std::string_view(text).substr(shared))) {
      if (use.name != name) continue;
      SharedArray found{{}, name, use.subscripts, at};
      const size_t type = skip_blanks(text, shared + std::string_view("__shared__").size());
      size_t end = type;
      int angles = 0;  // a template's arguments may have blanks
      for (; end < text.size() && (angles != 0 || (text[end] != ' ' && text[end] != '\t')); ++end)
        angles += text[end] == '<' ? 1 : text[end] == '>' ? -1 : 0;
      found.type = text.substr(type, end - type);
      return found;
    }
  }
  return std::nullopt;
}

std::vector<std::string> kernel_parameters(const Facts& facts, const std::string& file, uint32_t line) {
  for (uint32_t at = line; at > 0 && at + kLinesOfFunction > line; --at) {
    if (facts.source(file, at).find("__global__") == std::string::npos) continue;
    std::string head;
    for (uint32_t i = at; i <= line + 1 && head.find('{') == std::string::npos; ++i)
      head += std::string(without_comment(facts.source(file, i))) + " ";
    head = head.substr(0, head.find('{'));
    // __launch_bounds__(256) has parentheses too: the last pair has the parameters.
    const size_t close = head.rfind(')'), open = head.rfind('(');
    if (close == std::string::npos || open == std::string::npos || open > close) return {};
    std::vector<std::string> names(1);
    int angles = 0;
    for (const char c : head.substr(open + 1, close - open - 1)) {
      angles += c == '<' ? 1 : c == '>' ? -1 : 0;
      if (c == ',' && angles == 0)
        names.emplace_back();
      else if (in_name(c))
        names.back() += c;
      else if (!names.back().ends_with(' '))
        names.back() += ' ';
    }
    for (std::string& name : names) {
      name = trimmed(name);
      name = name.substr(name.rfind(' ') + 1);
    }
    return names;
  }
  return {};
}

std::string base_name(const Facts& facts, const AccessSite& site) {
  const AddressBase& base = site.instruction->base;
  if (!base.parameter) return base.symbol;
  const std::vector<std::string> names = kernel_parameters(facts, site.file, site.line);
  return *base.parameter < names.size() ? names[*base.parameter] : std::string();
}

std::optional<ArrayUse> array_of(const Facts& facts, const AccessSite& site) {
  if (site.line == 0) return std::nullopt;
  std::vector<ArrayUse> uses = array_uses(facts.source(site.file, site.line));
  std::erase_if(uses, [&](const ArrayUse& use) {
    const bool direction = site.kind == metrics::AccessKind::Load ? use.read : use.written;
    if (site.kind != metrics::AccessKind::Atomic && !direction) return true;
    return find_shared_array(facts, site.file, site.line, use.name).has_value() != (site.memory == Memory::Shared);
  });
  const auto is_other = [&](const ArrayUse& use) { return use.name != uses.front().name; };
  // The operand of an atomic may be an array too.
  if (site.kind == metrics::AccessKind::Atomic || std::ranges::any_of(uses, is_other)) {
    const std::string name = base_name(facts, site);
    if (!name.empty() || site.kind != metrics::AccessKind::Atomic)
      std::erase_if(uses, [&](const ArrayUse& use) { return use.name != name; });
  }
  return uses.empty() ? std::nullopt : std::optional(uses.front());
}

}  // namespace drywarp::advice
