#include "engine/jit/math/lane_math.h"

#include <unordered_map>

#include "engine/jit/math/lane_math_table.h"

namespace drywarp::jit {
namespace {

const LaneEntry* find(std::string_view name) {
  static const auto map = [] {
    std::unordered_map<std::string_view, const LaneEntry*> result;
    for (auto table : {ieee_lane_functions(), rounded_lane_functions(), integer_lane_functions(),
                       float_lane_functions(), double_lane_functions()})
      for (const LaneEntry& entry : table) result.emplace(entry.name, &entry);
    return result;
  }();
  auto found = map.find(name);
  return found == map.end() ? nullptr : found->second;
}

}  // namespace

LaneFunction find_lane_function(std::string_view name) {
  const LaneEntry* entry = find(name);
  return entry ? entry->function : nullptr;
}

const MathSignature* find_math_signature(std::string_view name) {
  const LaneEntry* entry = find(name);
  return entry && name.starts_with("__nv_") ? &entry->signature : nullptr;
}

}  // namespace drywarp::jit
