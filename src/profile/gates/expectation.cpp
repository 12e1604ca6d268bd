#include "profile/gates/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace drywarp::gates {
namespace {

// The longest first, since "<" begins "<=".
constexpr struct {
  std::string_view text;
  Comparison comparison;
} kComparisons[] = {{"==", Comparison::Equal},   {"!=", Comparison::NotEqual}, {"<=", Comparison::AtMost},
                    {">=", Comparison::AtLeast}, {"<", Comparison::Less},      {">", Comparison::Greater}};

// Names beside those of metrics.def that people write in gates.
constexpr struct {
  std::string_view name, metric, unit;
  double scale;
} kShortNames[] = {
    {"time", "gpu__time_duration.sum", "ns", 1},
    {"time_ns", "gpu__time_duration.sum", "ns", 1},
    {"time_us", "gpu__time_duration.sum", "us", 1e-3},
    {"time_ms", "gpu__time_duration.sum", "ms", 1e-6},
    {"excessive_shared_wavefronts", "shared_wavefronts_excess", "wavefront", 1},
    {"excessive_global_sectors", "global_sectors_excess", "sector", 1},
};

// Other units for a bound than the metric's own.
constexpr struct {
  std::string_view unit, written;
  double factor;
} kUnits[] = {
    {"ns", "us", 1e3},       {"ns", "ms", 1e6},       {"ns", "s", 1e9},        {"byte", "B", 1},
    {"byte", "KB", 1e3},     {"byte", "MB", 1e6},     {"byte", "GB", 1e9},     {"byte/s", "B/s", 1},
    {"byte/s", "KB/s", 1e3}, {"byte/s", "MB/s", 1e6}, {"byte/s", "GB/s", 1e9}, {"us", "ns", 1e-3},
    {"us", "ms", 1e3},       {"us", "s", 1e6},        {"ms", "ns", 1e-6},      {"ms", "us", 1e-3},
    {"ms", "s", 1e3},
};

// No metric has a longer name; looking for near names of a longer one would take long.
constexpr size_t kLongestName = 200;

constexpr const char* kForm = "for example: kernel:transpose* gld_efficiency >= 90";

constexpr const char* kLaunchForm = "launches of a kernel count from 1: launch:3 or launch:3-5";

bool is_space(char c) { return c == ' ' || c == '\t'; }

class ExpectationParser {
 public:
  ExpectationParser(std::string_view text, const SourceLocation& where) : text_(text), where_(where) {}

  Result<Expectation> parse(Selection within) {
    e_.text = std::string(text_), e_.where = where_;
    e_.kernel = std::move(within.kernel), e_.launch = within.launch, e_.line = std::move(within.line);
    while (!problem_ && (take("kernel:") || take("launch:") || take("line:"))) selector();
    skip();
    e_.comparing = std::string(text_.substr(at_));
    if (!problem_) metric();
    if (!problem_) comparison();
    if (!problem_) bound();
    skip();
    if (!problem_ && at_ < text_.size()) fail(at_, fmt::format("'{}' is too much", text_.substr(at_)), kForm);
    if (problem_) return *problem_;
    return std::move(e_);
  }

 private:
  void fail(size_t at, std::string what, std::string hint) {
    SourceLocation place = where_;
    place.line = std::max(1u, where_.line);
    place.column = std::max(1u, where_.column) + static_cast<uint32_t>(at);
    problem_ = error_at(std::move(place), std::move(what), std::move(hint));
  }
  void skip() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  bool take(std::string_view word) {
    skip();
    if (!text_.substr(at_).starts_with(word)) return false;
    taken_ = word, at_ += word.size();
    return true;
  }
  // Up to the next space, or in quotes.
  std::string_view word() {
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      const size_t end = text_.find(text_[at_], at_ + 1);
      if (end == std::string_view::npos) {
        fail(at_, "the quotation mark is not closed", kForm);
        return {};
      }
      const std::string_view quoted = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
      return quoted;
    }
    const size_t begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void selector() {
    const bool kernel = taken_ == "kernel:", launch = taken_ == "launch:";
    const size_t begin = at_;
    const std::string value(word());
    if (problem_) return;
    if (value.empty())
      return fail(begin, fmt::format("{} names nothing", taken_), "kernel:transpose*, launch:3, line:file.cu:17");
    if (kernel ? !e_.kernel.empty() : launch ? e_.launch.has_value() : e_.line.has_value())
      return fail(begin, fmt::format("there are two of {}", taken_), "write two expectations");
    if (kernel) {
      e_.kernel = value;
    } else if (launch) {
      if (e_.launch = parse_launch_range(value); !e_.launch)
        fail(begin, fmt::format("'{}' is no number of a launch", value), kLaunchForm);
    } else if (e_.line = parse_line_range(value); !e_.line) {
      fail(begin, fmt::format("'{}' is no line of a file", value), "line:transpose.cu:17 or line:transpose.cu:17-20");
    }
  }

  void metric() {
    e_.modelled = take("modelled:");
    skip();
    const size_t begin = at_;
    constexpr std::string_view kEnds = " \t=!<>";
    while (at_ < text_.size() && kEnds.find(text_[at_]) == std::string_view::npos) ++at_;
    const std::string name(text_.substr(begin, at_ - begin));
    if (name.empty()) return fail(begin, "a metric's name is missing", kForm);
    e_.metric_name = name;
    const auto* const brief =
        std::ranges::find(kShortNames, std::string_view(name), [](const auto& s) { return s.name; });
    const bool is_brief = brief != std::end(kShortNames);
    if (!is_brief && name.find_first_of("*?,") != std::string::npos)
      return fail(begin, fmt::format("'{}' is not the name of one metric", name), "write an expectation for each");
    const std::string_view wanted = is_brief ? brief->metric : std::string_view(name);
    e_.metric = metrics::find_metric(wanted);
    if (!e_.metric && name.size() > kLongestName) return fail(begin, "this is no metric's name", kForm);
    if (!e_.metric) {
      const auto chosen = metrics::select(name);  // for its suggestions
      return chosen ? fail(begin, fmt::format("there is no metric '{}'", name), kForm)
                    : fail(begin, chosen.problem().message, chosen.problem().hint);
    }
    e_.unit = std::string(is_brief ? brief->unit : e_.metric->unit);
    if (is_brief) e_.scale = brief->scale;
    check_class(begin);
  }

  void check_class(size_t begin) {
    using metrics::MetricClass;
    const metrics::Metric& m = *e_.metric;
    if (!m.has_values()) return fail(begin, fmt::format("{} is not available", e_.metric_name), std::string(m.reason));
    if (m.klass == MetricClass::Exact && e_.modelled)
      return fail(begin, fmt::format("{} is counted, not modelled", e_.metric_name), "leave out 'modelled:'");
    if (m.klass == MetricClass::Modelled && !m.compilers && !e_.modelled)
      return fail(begin, fmt::format("{} is modelled, not counted", e_.metric_name),
                  fmt::format("ask for it by name: modelled:{}", e_.metric_name));
    if (e_.line && (e_.needs_time() || m.group == metrics::Group::Launch))
      fail(begin, fmt::format("{} is a metric of whole launches, not of lines", e_.metric_name), "leave out 'line:'");
  }

  void comparison() {
    for (const auto& c : kComparisons)
      if (take(c.text)) {
        e_.comparison = c.comparison;
        return;
      }
    fail(at_, "a comparison is missing", "==, !=, <, <=, > or >=");
  }

  std::optional<double> number() {
    skip();
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (problem == std::errc() && std::isfinite(value)) {
      at_ += static_cast<size_t>(end - begin);
      return value;
    }
    fail(at_, at_ == text_.size() ? "a number is missing" : "this is no number", "a number, or baseline + 2%");
    return std::nullopt;
  }

  void bound() {
    double sign = 1;
    if (take("baseline")) {
      e_.bound.baseline = true;
      skip();
      if (at_ == text_.size()) return;
      if (take("-"))
        sign = -1;
      else if (!take("+"))
        return fail(at_, "only a tolerance can follow 'baseline'", "baseline + 2%, baseline - 100");
    }
    skip();
    const size_t begin = at_;
    const std::optional<double> value = number();
    if (!value) return;
    if (e_.bound.baseline && *value < 0) return fail(begin, "a tolerance is not negative", "baseline - 2%");
    e_.bound.value = sign * *value;
    unit();
  }

  void unit() {
    skip();
    const size_t begin = at_;
    const std::string_view written = word();
    if (problem_ || written.empty()) return;
    if (e_.bound.baseline && written == "%") {
      e_.bound.percent = true;
      return;
    }
    // The table has "sector"; people write "sectors" too.
    if (written == e_.unit || (written.ends_with('s') && written.substr(0, written.size() - 1) == e_.unit)) return;
    for (const auto& u : kUnits)
      if (u.unit == e_.unit && u.written == written) {
        e_.bound.value *= u.factor;
        return;
      }
    fail(begin, fmt::format("'{}' is no unit of {}", written, e_.metric_name),
         e_.unit.empty() ? "it has none" : fmt::format("it is in {}", e_.unit));
  }

  std::string_view text_, taken_;
  SourceLocation where_;
  size_t at_ = 0;
  Expectation e_;
  std::optional<Diagnostic> problem_;
};

}  // namespace

const char* name(Comparison comparison) {
  constexpr std::array<const char*, 6> names = {"==", "!=", "<", "<=", ">", ">="};
  return names[static_cast<size_t>(comparison)];
}

bool holds(double found, Comparison comparison, double expected) {
  const bool equal = std::abs(found - expected) <= 1e-9 * std::max(std::abs(found), std::abs(expected));
  switch (comparison) {
    case Comparison::Equal:
      return equal;
    case Comparison::NotEqual:
      return !equal;
    case Comparison::Less:
      return !equal && found < expected;
    case Comparison::AtMost:
      return equal || found < expected;
    case Comparison::Greater:
      return !equal && found > expected;
    case Comparison::AtLeast:
      return equal || found > expected;
  }
  return false;
}

double Bound::resolve(double baseline_value) const {
  if (!baseline) return value;
  return baseline_value + (percent ? std::abs(baseline_value) * value / 100 : value);
}

std::string Expectation::line_text() const {
  if (!line) return {};
  return line->first == line->last ? fmt::format("{}:{}", line->file, line->first)
                                   : fmt::format("{}:{}-{}", line->file, line->first, line->last);
}

std::string Expectation::launch_text() const {
  if (!launch) return {};
  return launch->first == launch->last ? fmt::format("{}", launch->first)
                                       : fmt::format("{}-{}", launch->first, launch->last);
}

std::string Expectation::full_text() const {
  const bool quoted = kernel.find_first_of(" \t") != std::string::npos;
  std::string text = comparing;
  if (line) text = fmt::format("line:{} {}", line_text(), text);
  if (launch) text = fmt::format("launch:{} {}", launch_text(), text);
  if (!kernel.empty()) text = fmt::format("kernel:{0}{1}{0} {2}", quoted ? "\"" : "", kernel, text);
  return text;
}

std::optional<LaunchRange> parse_launch_range(std::string_view text) {
  const auto number = [&]() -> std::optional<uint64_t> {
    uint64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || value == 0) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return value;
  };
  const auto first = number();
  auto last = first;
  if (first && text.starts_with('-')) text.remove_prefix(1), last = number();
  if (!first || !last || !text.empty() || *last < *first) return std::nullopt;
  return LaunchRange{*first, *last};
}

Result<Expectation> parse_expectation(std::string_view text, const SourceLocation& where, Selection within) {
  return ExpectationParser(text, where).parse(std::move(within));
}

}  // namespace drywarp::gates
