#include "language/analysis/linear_form.h"

#include <algorithm>

namespace drywarp::analysis {
namespace {

int64_t saturate(int64_t value) { return std::clamp(value, -kUnbounded, kUnbounded); }
bool unbounded(int64_t value) { return value <= -kUnbounded || value >= kUnbounded; }

int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

// Searches the unknowns from the largest factor to the smallest, so that the rest of the target leaves each few values.
class Search {
 public:
  explicit Search(std::vector<Unknown> unknowns) : unknowns_(std::move(unknowns)), rest_(unknowns_.size() + 1) {
    std::sort(unknowns_.begin(), unknowns_.end(),
              [](const Unknown& a, const Unknown& b) { return a.factor > b.factor; });
    can_differ_.resize(unknowns_.size() + 1, false);
    for (size_t i = unknowns_.size(); i-- > 0;) {
      const Unknown& u = unknowns_[i];
      rest_[i] = rest_[i + 1] + u.range.scaled(u.factor);
      can_differ_[i] = can_differ_[i + 1] || u.differs;
    }
  }

  bool can_reach(size_t i, Range target, bool differs) {
    if (budget_-- <= 0) return true;
    if (rest_[i].high < target.low || rest_[i].low > target.high) return false;
    if (!differs && !can_differ_[i]) return false;
    if (i == unknowns_.size()) return true;
    const Unknown& u = unknowns_[i];
    // The values with which the rest can reach the target.
    const int64_t least = saturated_add(target.low, -rest_[i + 1].high);
    const int64_t most = saturated_add(target.high, -rest_[i + 1].low);
    const int64_t low = unbounded(least) ? u.range.low : std::max(u.range.low, -floor_divide(-least, u.factor));
    const int64_t high = unbounded(most) ? u.range.high : std::min(u.range.high, floor_divide(most, u.factor));
    if (low > high) return false;
    if (unbounded(low) || unbounded(high)) return true;
    for (int64_t value = low; value <= high; ++value) {
      const int64_t part = saturated_multiply(u.factor, value);
      const Range left{saturated_add(target.low, -part), saturated_add(target.high, -part)};
      if (can_reach(i + 1, left, differs || (u.differs && value != 0))) return true;
    }
    return false;
  }

 private:
  std::vector<Unknown> unknowns_;
  std::vector<Range> rest_;  // what unknowns from this one on can add
  std::vector<bool> can_differ_;
  int budget_ = 4096;
};

}  // namespace

int64_t saturated_add(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return a < 0 ? -kUnbounded : kUnbounded;
  return saturate(result);
}

int64_t saturated_multiply(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return (a < 0) != (b < 0) ? -kUnbounded : kUnbounded;
  return saturate(result);
}

Range Range::operator+(const Range& other) const {
  const auto add = [](int64_t a, int64_t b) { return unbounded(a) ? a : unbounded(b) ? b : saturated_add(a, b); };
  return {add(low, other.low), add(high, other.high)};
}

Range Range::scaled(int64_t factor) const {
  const auto times = [&](int64_t limit) {
    if (factor == 0) return int64_t{0};
    if (unbounded(limit)) return (limit < 0) != (factor < 0) ? -kUnbounded : kUnbounded;
    return saturated_multiply(limit, factor);
  };
  return factor < 0 ? Range{times(high), times(low)} : Range{times(low), times(high)};
}

int64_t LinearForm::factor_of(uint32_t variable) const {
  for (const Term& t : terms)
    if (t.variable == variable) return t.factor;
  return 0;
}

LinearForm LinearForm::scaled(int64_t factor) const {
  if (!known) return unknown();
  LinearForm result = number(0);
  if (factor == 0) return result;
  if (factor == 1) return *this;
  if (__builtin_mul_overflow(constant, factor, &result.constant)) return unknown();
  for (const Term& t : terms) {
    Term product = t;
    if (__builtin_mul_overflow(t.factor, factor, &product.factor)) return unknown();
    result.terms.push_back(product);
  }
  return result;
}

LinearForm sum(const LinearForm& a, const LinearForm& b, const std::vector<LaunchVariable>& variables) {
  const uint64_t allocation = a.allocation == 0 ? b.allocation : b.allocation == 0 ? a.allocation : 0;
  LinearForm result = LinearForm::number(0);
  result.allocation = allocation;
  if (!a.known || !b.known || __builtin_add_overflow(a.constant, b.constant, &result.constant))
    return LinearForm::unknown(allocation);
  auto left = a.terms.begin(), right = b.terms.begin();
  while (left != a.terms.end() || right != b.terms.end()) {
    if (right == b.terms.end() || (left != a.terms.end() && left->variable < right->variable)) {
      result.terms.push_back(*left++);
    } else if (left == a.terms.end() || right->variable < left->variable) {
      result.terms.push_back(*right++);
    } else {
      if (variables[left->variable].kind == LaunchVariable::Kind::Loop) return LinearForm::unknown(allocation);
      int64_t factor = 0;
      if (__builtin_add_overflow(left->factor, right->factor, &factor)) return LinearForm::unknown(allocation);
      if (factor != 0) result.terms.push_back({left->variable, factor});
      ++left, ++right;
    }
  }
  return result;
}

Range range_of(const LinearForm& form, const std::vector<LaunchVariable>& variables, bool loops) {
  if (!form.known) return {-kUnbounded, kUnbounded};
  Range range{form.constant, form.constant};
  for (const LinearForm::Term& t : form.terms) {
    const Range& values = variables[t.variable].range;
    if (!loops && (unbounded(values.low) || unbounded(values.high))) continue;
    range = range + values.scaled(t.factor);
  }
  return range;
}

bool different_blocks_can_overlap(std::vector<Unknown> unknowns, Range target) {
  bool differs = false;
  for (Unknown& u : unknowns) {
    // An unknown that the address does not depend on may differ.
    if (u.factor == 0) differs |= u.differs && !(u.range == Range{0, 0});
    if (u.factor < 0) u = {-u.factor, {-u.range.high, -u.range.low}, u.differs};
  }
  std::erase_if(unknowns, [](const Unknown& u) { return u.factor == 0; });
  return Search(std::move(unknowns)).can_reach(0, target, differs);
}

}  // namespace drywarp::analysis
