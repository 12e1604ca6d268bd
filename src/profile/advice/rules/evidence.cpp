#include "profile/advice/rules/evidence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "base/support/plural.h"

namespace drywarp::advice {
namespace {

constexpr size_t kMostLines = 5;      // of a finding's evidence
constexpr double kLeastShare = 0.05;  // of the excess
constexpr double kOncePerWarp = 1.5;  // requests of a warp: more is a loop

// Of the kernel's, from 0 on.
std::string name_of_parameter(unsigned number) {
  constexpr const char* kOrdinals[] = {"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"};
  return number < std::size(kOrdinals) ? fmt::format("the {} parameter", kOrdinals[number])
                                       : fmt::format("the kernel's parameter number {}", number + 1);
}

struct Units {
  double excess = 0, all = 0;
};
Units of_loads_and_stores(const Facts& facts, Memory memory) {
  Units units;
  for (const AccessSite& s : access_sites(facts, memory)) {
    if (s.kind == metrics::AccessKind::Atomic) continue;
    units.excess += double(s.sums.excess), units.all += double(s.sums.units);
  }
  return units;
}

}  // namespace

const char* memory_name(Memory memory) {
  constexpr const char* names[] = {"global", "shared", "local"};
  return names[static_cast<size_t>(memory)];
}

const char* access_name(metrics::AccessKind kind) {
  constexpr const char* names[] = {"load", "store", "atomic"};
  return names[static_cast<size_t>(kind)];
}

void add_evidence(Finding& finding, const Facts& facts, const std::string& metric, std::string_view unit) {
  if (const auto value = facts.metric(metric)) finding.evidence.push_back({metric, *value, unit});
}

std::vector<AccessSite> wasteful_sites(const Facts& facts, Memory memory) {
  std::vector<AccessSite> sites = access_sites(facts, memory);
  std::erase_if(sites, [](const AccessSite& s) { return s.kind == metrics::AccessKind::Atomic || s.sums.excess == 0; });
  std::ranges::sort(sites, [](const AccessSite& a, const AccessSite& b) {
    return std::tie(b.sums.excess, a.instruction) < std::tie(a.sums.excess, b.instruction);  // then in PTX order
  });
  return sites;
}

bool matter(const Facts& facts, const std::vector<AccessSite>& sites) {
  if (sites.empty()) return false;
  double theirs = 0;
  for (const AccessSite& s : sites) theirs += double(s.sums.excess);
  return theirs >= kLeastShare * of_loads_and_stores(facts, sites.front().memory).excess;
}

std::vector<EvidenceLine> evidence_lines(const Facts& facts, const std::vector<AccessSite>& sites) {
  std::vector<EvidenceLine> lines;
  if (sites.empty()) return lines;
  const auto [excess, all] = of_loads_and_stores(facts, sites.front().memory);
  for (const AccessSite& s : sites) {
    if (s.line == 0 || lines.size() == kMostLines) continue;
    EvidenceLine line{s.file, s.line, {}, units_text(s), {}, {}};
    if (const LineFacts* at = facts.find_line(s.file, s.line)) line.source = at->source;
    if (excess > 0) line.excess_share = double(s.sums.excess) / excess;
    if (all > 0) line.total_share = double(s.sums.units) / all;
    line.of = s.memory == Memory::Shared ? "wavefronts" : "sectors";
    lines.push_back(std::move(line));
  }
  return lines;
}

LaneLayout layout_of(const Facts& facts, const AccessSite& site) { return lane_layout(site.sample(), facts.block); }

bool walks_columns(const Facts& facts, const AccessSite& site) {
  if (site.kind == metrics::AccessKind::Atomic || layout_of(facts, site).pattern != LanePattern::Rows) return false;
  if (facts.block.y > 1) return true;
  const double warps = facts.metric("smsp__warps_launched.sum").value_or(0);
  return double(site.sums.requests) > kOncePerWarp * warps;
}

std::string name_of(const Facts& facts, const AccessSite& site) {
  if (const auto array = array_of(facts, site)) return array->name;
  if (std::string name = base_name(facts, site); !name.empty()) return name;
  if (const auto parameter = site.instruction->base.parameter) return name_of_parameter(*parameter);
  return site.line == 0 ? "an array" : fmt::format("line {}", site.line);
}

std::string names_of(const Facts& facts, const std::vector<AccessSite>& sites) {
  std::vector<std::string> names;
  for (const AccessSite& s : sites)
    if (std::string name = name_of(facts, s); std::ranges::find(names, name) == names.end())
      names.push_back(std::move(name));
  if (names.size() > 3) return fmt::format("{}, {} and {} more", names[0], names[1], names.size() - 2);
  return fmt::format("{}", fmt::join(names, " and "));
}

std::string element_type(const AccessSite& site) {
  static constexpr std::pair<std::string_view, const char*> kTypes[] = {
      {".f32", "float"},      {".f64", "double"},   {".s32", "int"},
      {".u32", "unsigned"},   {".b32", "int"},      {".u8", "unsigned char"},
      {".s8", "signed char"}, {".b8", "char"},      {".u16", "unsigned short"},
      {".s16", "short"},      {".b16", "short"},    {".u64", "unsigned long long"},
      {".s64", "long long"},  {".b64", "long long"}};
  const std::string& text = site.instruction->info->text;
  const std::string_view op = std::string_view(text).substr(0, text.find_first_of(" \t"));
  for (const auto& [suffix, name] : kTypes)
    if (op.ends_with(suffix)) return name;
  return "T";
}

std::string distance_text(int64_t bytes, unsigned element) {
  const int64_t distance = std::abs(bytes);
  if (element == 0 || distance % element != 0) return plural(uint64_t(distance), "byte");
  const int64_t elements = distance / element;
  return plural(uint64_t(elements), "element");
}

std::string units_text(const AccessSite& s) {
  const double requests = double(s.sums.requests), units = double(s.sums.units);
  const double needed = double(s.sums.units - std::min(s.sums.excess, s.sums.units));
  const char* unit = s.memory == Memory::Shared ? "wavefront" : "sector";
  return fmt::format("{} {}: {} a request, {:.3g} would do", memory_name(s.memory), access_name(s.kind),
                     plural_real(units / requests, unit), needed / requests);
}

}  // namespace drywarp::advice
