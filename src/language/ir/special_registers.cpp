#include "language/ir/special_registers.h"

#include <unordered_map>

namespace drywarp::ir {
namespace {

// In the order of the enumerators, up to the indexed ones.
constexpr std::string_view kNames[] = {"%tid.x",
                                       "%tid.y",
                                       "%tid.z",
                                       "%ntid.x",
                                       "%ntid.y",
                                       "%ntid.z",
                                       "%ctaid.x",
                                       "%ctaid.y",
                                       "%ctaid.z",
                                       "%nctaid.x",
                                       "%nctaid.y",
                                       "%nctaid.z",
                                       "%laneid",
                                       "%warpid",
                                       "%nwarpid",
                                       "%smid",
                                       "%nsmid",
                                       "%gridid",
                                       "%lanemask_eq",
                                       "%lanemask_le",
                                       "%lanemask_lt",
                                       "%lanemask_ge",
                                       "%lanemask_gt",
                                       "%clock",
                                       "%clock_hi",
                                       "%clock64",
                                       "%globaltimer",
                                       "%globaltimer_lo",
                                       "%globaltimer_hi",
                                       "%total_smem_size",
                                       "%aggr_smem_size",
                                       "%dynamic_smem_size",
                                       "%current_graph_exec",
                                       "%clusterid.x",
                                       "%clusterid.y",
                                       "%clusterid.z",
                                       "%nclusterid.x",
                                       "%nclusterid.y",
                                       "%nclusterid.z",
                                       "%cluster_ctaid.x",
                                       "%cluster_ctaid.y",
                                       "%cluster_ctaid.z",
                                       "%cluster_nctaid.x",
                                       "%cluster_nctaid.y",
                                       "%cluster_nctaid.z",
                                       "%cluster_ctarank",
                                       "%cluster_nctarank",
                                       "%is_explicit_cluster"};
static_assert(std::size(kNames) == size_t(SpecialRegister::Envreg));

constexpr std::string_view kReserved[] = {"%reserved_smem_offset_begin", "%reserved_smem_offset_end",
                                          "%reserved_smem_offset_cap", "%reserved_smem_offset_0",
                                          "%reserved_smem_offset_1"};

const std::unordered_map<std::string_view, SpecialRegister>& by_name() {
  static const auto map = [] {
    std::unordered_map<std::string_view, SpecialRegister> result;
    for (size_t i = 0; i < std::size(kNames); ++i) result.emplace(kNames[i], SpecialRegister(i));
    return result;
  }();
  return map;
}

// "%envreg12" with prefix "%envreg" gives 12.
std::optional<uint32_t> index_after(std::string_view name, std::string_view prefix, uint32_t count) {
  if (!name.starts_with(prefix)) return std::nullopt;
  const std::string_view digits = name.substr(prefix.size());
  if (digits.empty() || digits.size() > 2) return std::nullopt;
  uint32_t value = 0;
  for (char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + uint32_t(c - '0');
  }
  return value < count ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<SpecialName> find_special(std::string_view name, std::string_view component) {
  if (!name.starts_with('%')) return std::nullopt;
  if (component.empty()) {
    if (const auto found = by_name().find(name); found != by_name().end()) return SpecialName{found->second};
    if (const auto index = index_after(name, "%envreg", 32)) return SpecialName{SpecialRegister::Envreg, *index};
    std::string_view counter = name;
    if (counter.ends_with("_64")) counter.remove_suffix(3);
    if (const auto index = index_after(counter, "%pm", 8)) return SpecialName{SpecialRegister::Pm, *index};
    for (uint32_t i = 0; i < std::size(kReserved); ++i) {
      if (name == kReserved[i]) return SpecialName{SpecialRegister::ReservedSmem, i};
    }
    return std::nullopt;
  }
  std::string_view axis = component;
  if (axis == "r") axis = "x";  // PTX takes .r .g .b .a for .x .y .z .w
  if (axis == "g") axis = "y";
  if (axis == "b") axis = "z";
  const bool fourth = axis == "w" || axis == "a";
  const std::string full = std::string(name) + '.' + std::string(fourth ? "x" : axis);
  const auto found = by_name().find(full);
  if (found == by_name().end()) return std::nullopt;
  if (!fourth) return SpecialName{found->second};
  const bool is_count = name == "%ntid" || name == "%nctaid" || name == "%nclusterid" || name == "%cluster_nctaid";
  return SpecialName{found->second, 0, true, is_count ? 1u : 0u};
}

std::string name(SpecialRegister special, uint32_t index) {
  if (special == SpecialRegister::Envreg) return "%envreg" + std::to_string(index);
  if (special == SpecialRegister::Pm) return "%pm" + std::to_string(index);
  if (special == SpecialRegister::ReservedSmem) return std::string(kReserved[index % std::size(kReserved)]);
  return std::string(kNames[size_t(special)]);
}

}  // namespace drywarp::ir
