#include "profile/compare/lines.h"

#include <algorithm>
#include <set>

namespace drywarp::compare {
namespace {

using report::KernelModel;
using report::LineModel;

constexpr size_t kMostCells = 16u << 20;  // of the table below; larger texts are not aligned

// Pairs the lines that differ between two matches, in order.
void pair_replaced(std::vector<uint32_t>& lines, size_t first, size_t first_end, size_t second, size_t second_end) {
  for (; first < first_end && second < second_end; ++first, ++second) lines[first] = static_cast<uint32_t>(second + 1);
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::set<std::string> files_of(const KernelModel& kernel) {
  std::set<std::string> files;
  for (const LineModel& line : kernel.lines)
    if (line.line != 0) files.insert(line.file);
  return files;
}

// The file of the second kernel that is `file` of the first; empty: none.
std::string same_file(const std::string& file, const std::set<std::string>& first,
                      const std::set<std::string>& second) {
  for (const std::string& other : second)
    if (base_name(other) == base_name(file)) return other;
  return first.size() == 1 && second.size() == 1 ? *second.begin() : std::string();
}

class LineMatcher {
 public:
  LineMatcher(const KernelModel& first, const record::Profile& first_profile, const KernelModel& second,
              const record::Profile& second_profile)
      : first_profile_(first_profile),
        second_profile_(second_profile),
        first_files_(files_of(first)),
        second_files_(files_of(second)) {
    for (const LineModel& line : second.lines) left_[{line.file, line.line}] = &line;
  }

  const LineModel* take(const LineModel& line) {
    if (line.line == 0) return take(line.file, 0);
    const std::string file = same_file(line.file, first_files_, second_files_);
    if (file.empty()) return nullptr;
    const std::vector<uint32_t>* lines = aligned(line.file, file);
    if (!lines) return take(file, line.line);
    return line.line <= lines->size() && (*lines)[line.line - 1] != 0 ? take(file, (*lines)[line.line - 1]) : nullptr;
  }
  const LineModel* take_by_text(const LineModel& line) {
    const auto found = std::ranges::find_if(
        left_, [&](const auto& entry) { return !line.source.empty() && entry.second->source == line.source; });
    return found == left_.end() ? nullptr : left_.extract(found).mapped();
  }
  [[nodiscard]] const auto& left() const { return left_; }

 private:
  const LineModel* take(const std::string& file, uint32_t line) {
    auto entry = left_.extract({file, line});
    return entry.empty() ? nullptr : entry.mapped();
  }
  const std::vector<uint32_t>* aligned(const std::string& first, const std::string& second) {
    const auto a = first_profile_.kept.sources.find(first), b = second_profile_.kept.sources.find(second);
    if (a == first_profile_.kept.sources.end() || b == second_profile_.kept.sources.end()) return nullptr;
    if (a->second.empty() || b->second.empty()) return nullptr;
    const auto [known, is_new] = aligned_.try_emplace(first);
    if (is_new) known->second = align(a->second, b->second);
    return known->second.empty() ? nullptr : &known->second;
  }

  const record::Profile &first_profile_, &second_profile_;
  std::set<std::string> first_files_, second_files_;
  std::map<std::pair<std::string, uint32_t>, const LineModel*> left_;
  std::map<std::string, std::vector<uint32_t>> aligned_;
};

}  // namespace

std::vector<uint32_t> align(std::span<const std::string> a, std::span<const std::string> b) {
  if (a.size() > kMostCells / std::max<size_t>(b.size(), 1)) return {};
  // length[i][k]: of the longest common subsequence of a from i and b from k.
  const size_t width = b.size() + 1;
  std::vector<uint32_t> length((a.size() + 1) * width);
  for (size_t i = a.size(); i-- > 0;)
    for (size_t k = b.size(); k-- > 0;)
      length[i * width + k] = a[i] == b[k] ? length[(i + 1) * width + k + 1] + 1
                                           : std::max(length[(i + 1) * width + k], length[i * width + k + 1]);
  std::vector<uint32_t> lines(a.size());
  size_t i = 0, k = 0, replaced_a = 0, replaced_b = 0;
  while (i < a.size() && k < b.size()) {
    if (a[i] == b[k]) {
      pair_replaced(lines, replaced_a, i, replaced_b, k);
      lines[i++] = static_cast<uint32_t>(++k);
      replaced_a = i, replaced_b = k;
    } else if (length[(i + 1) * width + k] >= length[i * width + k + 1]) {
      ++i;
    } else {
      ++k;
    }
  }
  pair_replaced(lines, replaced_a, a.size(), replaced_b, b.size());
  return lines;
}

std::vector<LinePair> match_lines(const KernelModel& first, const record::Profile& first_profile,
                                  const KernelModel& second, const record::Profile& second_profile) {
  LineMatcher matcher(first, first_profile, second, second_profile);
  std::vector<LinePair> pairs;
  for (const LineModel& line : first.lines) pairs.push_back({&line, matcher.take(line)});
  for (LinePair& pair : pairs)
    if (!pair.second) pair.second = matcher.take_by_text(*pair.first);
  for (const auto& [place, line] : matcher.left()) pairs.push_back({nullptr, line});
  return pairs;
}

}  // namespace drywarp::compare
