// Lookup of lane functions by name, and the dw_* helpers that emitted code calls.
#include "engine/jit/math/lane_math.h"

#include <algorithm>
#include <cmath>
#include <iterator>
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

namespace {

// Most 64-bit dividends and divisors are small, and the host's narrow division is several times faster.
uint64_t divide(uint64_t a, uint64_t b) {
  if (b == 0) return ~uint64_t{0};
  if (((a | b) >> 32) == 0) return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
  return a / b;
}

int64_t divide(int64_t a, int64_t b) {
  uint64_t ua = a < 0 ? 0 - static_cast<uint64_t>(a) : static_cast<uint64_t>(a);
  uint64_t ub = b < 0 ? 0 - static_cast<uint64_t>(b) : static_cast<uint64_t>(b);
  uint64_t q = divide(ua, ub);
  return static_cast<int64_t>((a ^ b) < 0 && b != 0 ? 0 - q : q);
}

// fns: the |offset|-th set bit of `mask` from `base`, upwards or downwards; offset 0: bit `base` itself.
uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t offset) {
  constexpr uint32_t kNone = 0xffffffff;
  if (base > 31) return kNone;
  if (offset == 0) return (mask >> base) & 1 ? base : kNone;
  int32_t left = offset > 0 ? offset : (offset == INT32_MIN ? INT32_MAX : -offset);
  for (int32_t at = static_cast<int32_t>(base); at >= 0 && at < 32; at += offset > 0 ? 1 : -1)
    if ((mask >> at) & 1 && --left == 0) return static_cast<uint32_t>(at);
  return kNone;
}

#define DW_DIRECTED(to, mode)                                                                                   \
  directed_entry<mode>(lane::add_f64.to, [](double a, double b) { return a + b; }),                             \
      directed_entry<mode>(lane::mul_f64.to, [](double a, double b) { return a * b; }),                         \
      directed_entry<mode>(lane::fma_f64.to, [](double a, double b, double c) { return std::fma(a, b, c); }),   \
      directed_entry<mode>(lane::div_f64.to, [](double a, double b) { return a / b; }),                         \
      directed_entry<mode>(lane::sqrt_f64.to, [](double a) { return std::sqrt(a); }),                           \
      lane_entry(lane::f64_from_s64.to, [](int64_t a) { return rounded<double>(static_cast<Quad>(a), mode); }), \
      lane_entry(lane::f64_from_u64.to, [](uint64_t a) { return rounded<double>(static_cast<Quad>(a), mode); })

constexpr LaneEntry kIeeeFunctions[] = {
    DW_DIRECTED(rz, Towards::Zero),
    DW_DIRECTED(rm, Towards::Down),
    DW_DIRECTED(rp, Towards::Up),
    lane_entry(lane::fma_rn_f64, [](double a, double b, double c) { return std::fma(a, b, c); }),
    lane_entry(lane::div_u64, [](uint64_t a, uint64_t b) { return divide(a, b); }),
    lane_entry(lane::div_s64, [](int64_t a, int64_t b) { return divide(a, b); }),
    lane_entry(lane::fns,
               [](uint32_t mask, uint32_t base, int32_t offset) { return find_nth_set(mask, base, offset); }),
};

constexpr bool is_defined(std::string_view name) {
  return std::ranges::find(kIeeeFunctions, name, &LaneEntry::name) != std::end(kIeeeFunctions);
}
#define DW_LANE_HELPER(helper, result, parameters) static_assert(is_defined(lane::helper.name));
#define DW_DIRECTED_HELPER(helper, result, parameters)                                  \
  static_assert(is_defined(lane::helper.rz.name) && is_defined(lane::helper.rm.name) && \
                is_defined(lane::helper.rp.name));
#include "engine/jit/math/lane_helpers.def"

}  // namespace

std::span<const LaneEntry> ieee_lane_functions() { return kIeeeFunctions; }

}  // namespace drywarp::jit
