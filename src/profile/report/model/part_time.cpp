#include "profile/report/model/part_time.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace drywarp::report {

void PartTime::operator+=(const sm::InstructionTiming& i) {
  issued += i.issued;
  for (unsigned k = 0; k < sm::kStalls; ++k) stalls[k] += i.stalls[k];
}

double PartTime::warp_cycles() const { return std::accumulate(stalls.begin(), stalls.end(), 0.0); }

void PartTime::finish(double kernel_warp_cycles, double kernel_seconds) {
  share = kernel_warp_cycles > 0 ? warp_cycles() / kernel_warp_cycles : 0;
  seconds = share * kernel_seconds;
}

std::vector<StallShare> largest_stalls(const PartTime& part, size_t most) {
  const double all = part.warp_cycles();
  std::vector<StallShare> shares;
  for (unsigned k = 0; k < sm::kStalls; ++k)
    if (part.stalls[k] > 0 && part.stalls[k] >= 0.01 * all)
      shares.push_back({static_cast<sm::Stall>(k), part.stalls[k] / all});
  std::ranges::sort(shares, [](const StallShare& a, const StallShare& b) {
    return a.share != b.share ? a.share > b.share : a.stall < b.stall;
  });
  if (shares.size() > most) shares.resize(most);
  return shares;
}

bool LineRange::contains(const std::string& path, uint32_t line) const {
  if (line < first || line > last || !path.ends_with(file)) return false;
  return path.size() == file.size() || path[path.size() - file.size() - 1] == '/';
}

std::optional<LineRange> parse_line_range(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  LineRange range;
  range.file = text.substr(0, colon);
  const char *at = text.data() + colon + 1, *end = text.data() + text.size();
  auto parsed = std::from_chars(at, end, range.first);
  range.last = range.first;
  if (parsed.ec == std::errc{} && parsed.ptr != end && *parsed.ptr == '-')
    parsed = std::from_chars(parsed.ptr + 1, end, range.last);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  if (range.first == 0 || range.last < range.first) return std::nullopt;
  return range;
}

}  // namespace drywarp::report
