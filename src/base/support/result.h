// A value or the diagnostic that says why there is none. C++20 has no std::expected; this is the part of it we use.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "base/support/diagnostic.h"

namespace drywarp {

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
