#include "faces/calibrate/raw_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace drywarp::calibrate {
namespace {

constexpr const char* kCounters[] = {
    "gpu__time_duration.sum",
    "sm__cycles_elapsed.max",
    "lts__cycles_elapsed.sum",
    "lts__cycles_elapsed.avg",
    "dram__cycles_elapsed.sum",
    "dram__cycles_elapsed.avg",
    "lts__cycles_elapsed.avg.per_second",
    "dram__cycles_elapsed.avg.per_second",
    "lts__t_sectors.sum.peak_sustained",
    "dram__bytes.sum.peak_sustained",
    "dram__bytes.max.peak_sustained",
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  size_t at = 0;
  while ((at = line.find_first_not_of(" \t\r", at)) != line.npos) {
    const size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

std::optional<double> number(std::string_view word) {
  double value = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (problem != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// One line of Nsight Compute's CSV: every field is in quotes.
std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields;
  std::string field;
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      field += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      fields.push_back(std::exchange(field, {}));
    else if (line[i] != '\r')
      field += line[i];
  }
  fields.push_back(field);
  return fields;
}

}  // namespace

std::optional<double> RawResults::value(std::string_view name) const {
  const auto found = values.find(name);
  if (found == values.end()) return std::nullopt;
  return found->second;
}

const std::vector<Point>& RawResults::points(std::string_view name) const {
  static const std::vector<Point> kNone;
  const auto found = series.find(name);
  return found == series.end() ? kNone : found->second;
}

std::optional<double> RawResults::at(std::string_view name, double x) const {
  for (const Point& p : points(name))
    if (p.x == x) return p.y;
  return std::nullopt;
}

Result<RawResults> parse_raw_results(std::string_view text, const std::string& path) {
  RawResults raw;
  uint32_t line_number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++line_number;
    const auto words = words_of(line);
    if (words.empty()) continue;
    const auto bad = [&](const char* what) {
      return error_at({path, line_number, 1},
                      fmt::format("{} in the results of the microbenchmarks: '{}'", what, line));
    };
    const size_t numbers = words[0] == "point" ? 2 : words[0] == "text" ? 0 : 1;
    const size_t names = words[0] == "sass" ? 2 : 1;
    if (words[0] == "text") {
      if (words.size() < 2) return bad("a text without a name");
      const size_t at = line.find(words[1]) + words[1].size();
      raw.texts[std::string(words[1])] = std::string(line.substr(std::min(line.size(), at + 1)));
      continue;
    }
    if (words.size() != 1 + names + numbers) return bad("a line of a wrong length");
    double n[2] = {};
    for (size_t i = 0; i < numbers; ++i) {
      const auto found = number(words[1 + names + i]);
      if (!found) return bad("not a number");
      n[i] = *found;
    }
    const std::string name(words[1]);
    if (words[0] == "value")
      raw.values[name] = n[0];
    else if (words[0] == "point")
      raw.series[name].push_back({n[0], n[1]});
    else if (words[0] == "sass")
      raw.sass[name][std::string(words[2])] = uint32_t(n[0]);
    else if (words[0] == "ncu")
      raw.counters[name].push_back(n[0]);
    else
      return bad("an unknown kind of line");
  }
  if (!raw.texts.contains("end"))
    return error(fmt::format("the results in '{}' end early: the microbenchmarks did not finish", path));
  return raw;
}

std::string sass_lines(std::string_view cuobjdump) {
  std::map<std::string, std::map<std::string, uint32_t>> counts;
  std::string kernel;
  for (const std::string_view line : lines_of(cuobjdump)) {
    auto words = words_of(line);
    if (words.size() >= 3 && words[0] == "Function" && words[1] == ":") kernel = words[2];
    // /*01d0*/  @!P0 FFMA.FTZ R21, ... ;  /* encoding */
    if (kernel.empty() || words.size() < 3 || !words[0].starts_with("/*") || !words[0].ends_with("*/")) continue;
    const std::string_view operation = words[1].starts_with("@") ? words[2] : words[1];
    if (!std::isupper(static_cast<unsigned char>(operation[0]))) continue;
    ++counts[kernel][std::string(operation.substr(0, operation.find_first_of(".;")))];
  }
  std::string out;
  for (const auto& [name, operations] : counts)
    for (const auto& [mnemonic, count] : operations)
      if (count >= 16) out += fmt::format("sass {} {} {}\n", name, mnemonic, count);
  return out;
}

std::string counter_names() { return fmt::format("{}", fmt::join(kCounters, ",")); }

std::string counter_lines(std::string_view csv) {
  std::string out;
  std::vector<std::string> header;
  bool units = false;
  for (const std::string_view line : lines_of(csv)) {
    if (!line.starts_with('"')) continue;  // the program's own output, Nsight Compute's messages
    auto fields = csv_fields(line);
    if (header.empty()) {
      header = std::move(fields);
      continue;
    }
    if (!units) {
      units = true;
      continue;
    }
    for (size_t i = 0; i < fields.size() && i < header.size(); ++i) {
      if (std::find(std::begin(kCounters), std::end(kCounters), header[i]) == std::end(kCounters)) continue;
      std::erase(fields[i], ',');
      if (number(fields[i])) out += fmt::format("ncu {} {}\n", header[i], fields[i]);
    }
  }
  return out;
}

}  // namespace drywarp::calibrate
