#include "base/support/near_names.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace drywarp {

size_t edit_distance(std::string_view a, std::string_view b, size_t limit) {
  const size_t lengths = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (lengths > limit) return lengths;
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (const char letter : a) {
    size_t diagonal = row[0]++, least = row[0];
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = diagonal + (letter != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, changed});
      least = std::min(least, row[j + 1]);
    }
    if (least > limit) return least;  // a row's least number never falls in the rows below
  }
  return row.back();
}

std::vector<std::string> nearest_first(std::string_view wanted, std::vector<std::string> names) {
  std::vector<std::pair<size_t, std::string>> ranked;
  for (std::string& name : names) {
    const size_t distance = name.find(wanted) != name.npos ? 0 : edit_distance(wanted, name);
    ranked.emplace_back(distance, std::move(name));
  }
  std::ranges::sort(ranked);
  for (size_t i = 0; i < ranked.size(); ++i) names[i] = std::move(ranked[i].second);
  return names;
}

}  // namespace drywarp
