#include "language/ir/build/scopes.h"

#include <algorithm>
#include <string>

namespace drywarp::ir {

void Scopes::open() {
  if (opened_ == scopes_.size()) scopes_.emplace_back().parent = current_;
  current_ = opened_++;
}

void Scopes::close() {
  if (scopes_[current_].parent != kNone) current_ = scopes_[current_].parent;
}

void Scopes::rewind() {
  current_ = 0;
  opened_ = 1;
}

bool Scopes::declare(std::string_view name, Entity entity) {
  Scope& scope = scopes_[current_];
  if (!scope.ranges.empty() && find_in_ranges(scope, name)) return false;
  return scope.names.emplace(name, entity).second;
}

RegisterId Scopes::add_registers(std::string_view name, Type type, uint8_t width) {
  const auto first = RegisterId(registers_.size());
  if (width == 1) {
    registers_.push_back({std::string(name), type});
    return first;
  }
  for (unsigned i = 0; i < width; ++i) registers_.push_back({std::string(name) + '.' + "xyzwabcd"[i], type});
  return first;
}

bool Scopes::declare_register(std::string_view name, Type type, uint8_t width) {
  Scope& scope = scopes_[current_];
  if (scope.names.contains(name) || find_in_ranges(scope, name)) return false;
  scope.names.emplace(name, Entity{Entity::Kind::Register, width, add_registers(name, type, width)});
  return true;
}

bool Scopes::declare_register_range(std::string_view prefix, uint64_t count, Type type, uint8_t width) {
  std::vector<Range>& ranges = scopes_[current_].ranges;
  if (std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) { return range.prefix == prefix; }))
    return false;
  ranges.push_back({prefix, count, type, width});
  return true;
}

// %r12 belongs to %r<100>: the digits are the number, without leading zeroes. The prefix may end in digits itself.
Entity Scopes::find_in_ranges(Scope& scope, std::string_view name) {
  for (const Range& range : scope.ranges) {
    if (!name.starts_with(range.prefix)) continue;
    const std::string_view digits = name.substr(range.prefix.size());
    if (digits.empty() || digits.size() > 10 || (digits.size() > 1 && digits[0] == '0')) continue;
    if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
    uint64_t number = 0;
    for (char c : digits) number = number * 10 + uint64_t(c - '0');
    if (number >= range.count) continue;
    const Entity entity{Entity::Kind::Register, range.width, add_registers(name, range.type, range.width)};
    scope.names.emplace(name, entity);
    return entity;
  }
  return {};
}

Entity Scopes::find(std::string_view name) {
  for (uint32_t id = current_; id != kNone; id = scopes_[id].parent) {
    Scope& scope = scopes_[id];
    if (const auto found = scope.names.find(name); found != scope.names.end()) return found->second;
    if (const Entity entity = find_in_ranges(scope, name)) return entity;
  }
  return {};
}

}  // namespace drywarp::ir
