// Results and errors: a value, or the diagnostic that says why there is none, with its place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace drywarp {

// A place in a text that a user wrote or can look at: a PTX file or a CUDA source file.
struct SourceLocation {
  std::string file;     // empty: not known
  uint32_t line = 0;    // 1-based; 0: not known
  uint32_t column = 0;  // 1-based; 0: not known

  [[nodiscard]] bool known() const { return line != 0; }
  // "file:line:column", leaving out what is not known; empty if nothing is.
  [[nodiscard]] std::string to_string() const;
  bool operator==(const SourceLocation&) const = default;
};

// What went wrong, where, and what the user can do about it. The library returns diagnostics; only the command line
// prints them.
enum class Severity { Error, Warning, Note };

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string message;      // one sentence, no trailing full stop, no place in it
  SourceLocation location;  // where in the user's text, if anywhere
  std::string hint;         // what to do about it; may be empty

  // "file:line:column: error: message\n  hint: ..." as compilers print it.
  [[nodiscard]] std::string to_string() const;
};

inline Diagnostic error_at(SourceLocation location, std::string message, std::string hint = {}) {
  return {Severity::Error, std::move(message), std::move(location), std::move(hint)};
}
inline Diagnostic error(std::string message, std::string hint = {}) {
  return {Severity::Error, std::move(message), {}, std::move(hint)};
}

// A value or the diagnostic that says why there is none. C++20 has no std::expected; this is the part of it we use.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostic problem) : state_(std::in_place_index<1>, std::move(problem)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Precondition of value(), * and ->: ok(). Precondition of problem(): !ok().
  T& value() { return std::get<0>(state_); }
  const T& value() const { return std::get<0>(state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  [[nodiscard]] const Diagnostic& problem() const { return std::get<1>(state_); }

 private:
  std::variant<T, Diagnostic> state_;
};

// Success, or the diagnostic that says why not.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Diagnostic problem) : problem_(std::move(problem)) {}

  [[nodiscard]] bool ok() const { return !problem_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Diagnostic& problem() const { return *problem_; }

 private:
  std::optional<Diagnostic> problem_;
};

}  // namespace drywarp
