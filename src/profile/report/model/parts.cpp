#include "profile/report/model/parts.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

namespace drywarp::report {
namespace {

constexpr uintmax_t kLargestSource = 16u << 20;  // larger files are not source files

}  // namespace

std::vector<std::string> read_source(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored) || std::filesystem::file_size(file, ignored) > kLargestSource)
    return {};
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

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

std::string SourceLines::get(const std::string& file, uint32_t line) {
  if (file.empty() || line == 0) return {};
  auto known = files_.find(file);
  if (known == files_.end())
    known = files_.emplace(file, reads_disk_ ? read_source(file) : std::vector<std::string>()).first;
  if (line > known->second.size()) return {};
  const std::string& text = known->second[line - 1];
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

}  // namespace drywarp::report
