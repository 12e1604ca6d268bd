#include "profile/advice/rules/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace drywarp::advice {
namespace {

constexpr size_t kMostLines = 5;  // of a finding's evidence

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

std::vector<EvidenceLine> evidence_lines(const Facts& facts, const std::vector<AccessSite>& sites) {
  std::vector<EvidenceLine> lines;
  if (sites.empty()) return lines;
  double excess = 0, all = 0;
  for (const AccessSite& s : access_sites(facts, sites.front().memory)) {
    if (s.kind == metrics::AccessKind::Atomic) continue;
    excess += double(s.sums.excess), all += double(s.sums.units);
  }
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

std::string units_text(const AccessSite& s) {
  const double requests = double(s.sums.requests), units = double(s.sums.units);
  const double needed = double(s.sums.units - std::min(s.sums.excess, s.sums.units));
  const char* unit = s.memory == Memory::Shared ? "wavefront" : "sector";
  const double each = units / requests;
  return fmt::format("{} {}: {:.3g} {}{} a request, {:.3g} would do", memory_name(s.memory), access_name(s.kind), each,
                     unit, each == 1 ? "" : "s", needed / requests);
}

}  // namespace drywarp::advice
