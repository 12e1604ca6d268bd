#include "base/device/timing_numbers.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace drywarp::device {
namespace {

using Kind = TimingNumberInfo::Kind;

constexpr TimingNumberInfo kNumbers[] = {
#define DW_COUNT(table, member, unit, least, most, text) \
  {#table, #member, #table "." #member, unit, text, Kind::Count, double(least), double(most)},
#define DW_REAL(table, member, unit, least, most, text) \
  {#table, #member, #table "." #member, unit, text, Kind::Real, least, most},
#define DW_FLAG(table, member, unit, text) {#table, #member, #table "." #member, unit, text, Kind::Flag, 0, 1},
#include "base/device/timing_numbers.def"
};

constexpr TimingTableInfo kTables[] = {
#define DW_TABLE(type, table, text) {#table, text},
#include "base/device/timing_numbers.def"
};

// How to read and write each of kNumbers, by index.
template <class T>
std::optional<double> as_real(const std::optional<T>& value) {
  return value ? std::optional<double>(double(*value)) : std::nullopt;
}
struct Access {
  std::optional<double> (*get)(const TimingNumbers&);
  void (*set)(TimingNumbers&, double);
  void (*clear)(TimingNumbers&);
};
constexpr Access kAccess[] = {
#define DW_COUNT(table, member, unit, least, most, text)                     \
  {[](const TimingNumbers& n) { return as_real(n.table.member); },           \
   [](TimingNumbers& n, double value) { n.table.member = uint64_t(value); }, \
   [](TimingNumbers& n) { n.table.member.reset(); }},
#define DW_REAL(table, member, unit, least, most, text)            \
  {[](const TimingNumbers& n) { return as_real(n.table.member); }, \
   [](TimingNumbers& n, double value) { n.table.member = value; }, [](TimingNumbers& n) { n.table.member.reset(); }},
#define DW_FLAG(table, member, unit, text)                              \
  {[](const TimingNumbers& n) { return as_real(n.table.member); },      \
   [](TimingNumbers& n, double value) { n.table.member = value != 0; }, \
   [](TimingNumbers& n) { n.table.member.reset(); }},
#include "base/device/timing_numbers.def"
};

const Access* access(std::string_view path) {
  for (size_t i = 0; i < std::size(kNumbers); ++i)
    if (path == kNumbers[i].path) return &kAccess[i];
  return nullptr;
}

// The map and the KEY of "latency.KEY" or "issue.KEY".
using Operations = std::map<std::string, double, std::less<>>;
struct OperationNumber {
  Operations TimingNumbers::* map;
  std::string_view key;
};
std::optional<OperationNumber> operation_number(std::string_view path) {
  const size_t dot = path.find('.');
  if (dot == path.npos) return std::nullopt;
  if (path.substr(0, dot) == "latency") return OperationNumber{&TimingNumbers::latency, path.substr(dot + 1)};
  if (path.substr(0, dot) == "issue") return OperationNumber{&TimingNumbers::issue, path.substr(dot + 1)};
  return std::nullopt;
}

std::optional<double> find_number(const Operations& table, std::string_view timing_class, std::string_view mnemonic) {
  auto found = mnemonic.empty() ? table.end() : table.find(mnemonic);
  if (found == table.end()) found = table.find(timing_class);
  if (found == table.end()) return std::nullopt;
  return found->second;
}

}  // namespace

std::span<const TimingNumberInfo> timing_numbers() { return kNumbers; }
std::span<const TimingTableInfo> timing_tables() { return kTables; }

std::string bound_text(double bound) {
  constexpr double kWrittenOut = 1e10;
  return bound == std::floor(bound) && bound < kWrittenOut ? fmt::format("{:.0f}", bound) : fmt::format("{}", bound);
}

std::optional<double> TimingNumbers::latency_of(std::string_view timing_class, std::string_view mnemonic) const {
  return find_number(latency, timing_class, mnemonic);
}

std::optional<double> TimingNumbers::issue_of(std::string_view timing_class, std::string_view mnemonic) const {
  return find_number(issue, timing_class, mnemonic);
}

std::optional<double> TimingNumbers::number(std::string_view path) const {
  if (const auto operation = operation_number(path)) return find_number(this->*operation->map, operation->key, {});
  const Access* found = access(path);
  return found ? found->get(*this) : std::nullopt;
}

void clear_number(TimingNumbers& numbers, std::string_view path) {
  if (const auto operation = operation_number(path))
    (numbers.*operation->map).erase(std::string(operation->key));
  else if (const Access* found = access(path))
    found->clear(numbers);
}

bool set_number(TimingNumbers& numbers, std::string_view path, double value) {
  if (const auto operation = operation_number(path)) {
    (numbers.*operation->map).insert_or_assign(std::string(operation->key), value);
    return true;
  }
  const Access* found = access(path);
  if (found) found->set(numbers, value);
  return found != nullptr;
}

}  // namespace drywarp::device
