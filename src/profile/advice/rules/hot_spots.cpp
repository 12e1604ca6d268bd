#include "profile/advice/rules/hot_spots.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace drywarp::advice {
namespace {

constexpr size_t kMostSpots = 5;  // of a finding's evidence

}  // namespace

std::string_view operation(const InstructionInfo& instruction) {
  std::string_view text = instruction.text;
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' '), text.size()));
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_first_of(" \t;"));
}

double warp_cycles(const InstructionFacts& instruction) {
  return std::accumulate(instruction.time.stalls.begin(), instruction.time.stalls.end(), 0.0);
}

std::vector<EvidenceLine> hot_lines(const Facts& facts, const HotSpots& spots) {
  struct Spot {
    double weight = 0;
    metrics::Sums sums;
  };
  std::map<std::pair<std::string, uint32_t>, Spot> by_line;
  for (const InstructionFacts& i : facts.instructions) {
    const double weight = spots.weight(i);
    if (weight <= 0 || i.info->line == 0) continue;
    Spot& spot = by_line[{i.file, i.info->line}];
    spot.weight += weight, spot.sums += i.sums;
  }
  std::vector<std::pair<const std::pair<std::string, uint32_t>*, const Spot*>> ranked;
  for (const auto& [place, spot] : by_line) ranked.emplace_back(&place, &spot);
  std::ranges::sort(ranked, [](const auto& a, const auto& b) {
    return std::tie(b.second->weight, *a.first) < std::tie(a.second->weight, *b.first);  // then by place
  });
  std::vector<EvidenceLine> lines;
  for (const auto& [place, spot] : ranked) {
    if (lines.size() == kMostSpots) break;
    EvidenceLine& line = lines.emplace_back();
    line.file = place->first, line.line = place->second, line.what = spots.what(spot->sums), line.of = spots.of;
    if (const LineFacts* at = facts.find_line(line.file, line.line)) line.source = at->source;
    if (spots.total > 0) line.total_share = spot->weight / spots.total;
  }
  return lines;
}

}  // namespace drywarp::advice
