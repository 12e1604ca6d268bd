// Comments of a CUDA source that allow findings. Strings and characters are skipped, so that a program may print such
// text.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "profile/checks/suppression_names.h"
#include "profile/checks/suppressions.h"

namespace drywarp::checks {
namespace {

struct Comment {
  std::string text;  // without the marks
  uint32_t line = 0, column = 0;
};

// What a source is to a reader of comments: which lines have code, and the comments.
struct Scanned {
  std::vector<bool> code;  // by line, from 1
  std::vector<Comment> comments;
};

class CommentScanner {
 public:
  explicit CommentScanner(std::string_view source) : rest_(source) {}

  Scanned scan() {
    mark(false);
    while (!rest_.empty()) {
      if (rest_.starts_with("//"))
        comment(rest_.substr(2, rest_.find('\n') - std::min<size_t>(rest_.find('\n'), 2)), 2, 0);
      else if (rest_.starts_with("/*"))
        comment(rest_.substr(2, rest_.find("*/", 2) - 2), 2, 2);
      else if (rest_.starts_with("R\""))
        raw_string();
      else if (rest_[0] == '"' || (rest_[0] == '\'' && !in_number()))
        quoted(rest_[0]);
      else
        skip(1, true);
    }
    return std::move(found_);
  }

 private:
  void mark(bool code) {
    if (found_.code.size() <= line_) found_.code.resize(line_ + 1);
    if (code) found_.code[line_] = true;
  }
  void skip(size_t count, bool code) {
    for (count = std::min(count, rest_.size()); count != 0; --count) {
      const char c = rest_[0];
      if (code && std::isspace(static_cast<unsigned char>(c)) == 0) mark(true);
      before_ = c;
      rest_.remove_prefix(1);
      ++column_;
      if (c == '\n') ++line_, column_ = 1, mark(false);
    }
  }
  // 1'000'000
  [[nodiscard]] bool in_number() const { return std::isalnum(static_cast<unsigned char>(before_)) != 0; }
  void comment(std::string_view text, size_t mark_before, size_t mark_behind) {
    found_.comments.push_back({std::string(text), line_, column_});
    skip(mark_before + text.size() + mark_behind, false);
  }
  void quoted(char mark) {
    size_t end = 1;
    while (end < rest_.size() && rest_[end] != mark && rest_[end] != '\n') end += rest_[end] == '\\' ? 2 : 1;
    skip(end + 1, true);
  }
  void raw_string() {
    const size_t open = rest_.find('(');
    if (open == std::string_view::npos) return skip(2, true);
    const std::string close = ")" + std::string(rest_.substr(2, open - 2)) + "\"";
    const size_t end = rest_.find(close, open);
    skip(end == std::string_view::npos ? rest_.size() : end + close.size(), true);
  }

  std::string_view rest_;
  uint32_t line_ = 1, column_ = 1;
  char before_ = ' ';
  Scanned found_;
};

std::string_view trimmed(std::string_view text) {
  constexpr const char* kSpaces = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpaces);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

// Takes the first word off.
std::string word(std::string_view& text) {
  text = trimmed(text);
  const size_t end = std::min(text.size(), text.find_first_of(" \t\r\n"));
  const std::string first(text.substr(0, end));
  text = trimmed(text.substr(end));
  return first;
}

// The line that the comment is about: its own, or the next one with code.
uint32_t line_of(const Comment& comment, const std::vector<bool>& code) {
  uint32_t line = comment.line;
  while (line < code.size() && !code[line]) ++line;
  return line;
}

constexpr const char* kForm = "// drywarp: allow KIND[,KIND...] REASON";

}  // namespace

Result<std::vector<Suppression>> parse_comments(std::string_view source, const std::string& path) {
  std::vector<Suppression> all;
  if (source.find("drywarp:") == std::string_view::npos) return all;
  const Scanned scanned = CommentScanner(source).scan();
  for (const Comment& comment : scanned.comments) {
    std::string_view rest = trimmed(comment.text);
    if (!rest.starts_with("drywarp:")) continue;
    rest.remove_prefix(std::string_view("drywarp:").size());
    const SourceLocation where{path, comment.line, comment.column};
    if (const std::string verb = word(rest); verb != "allow")
      return error_at(where, fmt::format("drywarp knows no comment '{}'", verb), kForm);
    Suppression s;
    s.where = where, s.file = path, s.in_source = true;
    std::string names = word(rest) + ',';
    for (size_t comma; (comma = names.find(',')) != std::string::npos; names.erase(0, comma + 1)) {
      if (comma == 0) return error_at(where, "the comment does not say which kind of finding it allows", kForm);
      if (const auto problem = add_kind_or_tool(s, names.substr(0, comma)))
        return error_at(where, problem->message, problem->hint);
    }
    s.reason = rest;
    std::ranges::replace(s.reason, '\n', ' ');
    if (s.reason.empty()) return error_at(where, "the comment gives no reason", kForm);
    s.line = line_of(comment, scanned.code);
    all.push_back(std::move(s));
  }
  return all;
}

}  // namespace drywarp::checks
