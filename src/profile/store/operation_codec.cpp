#include "profile/store/operation_codec.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <tuple>

namespace drywarp::store {
namespace {

// Members in the order of a line.
auto operation_members(auto& o) {
  return std::tie(o.stream, o.thread, o.priority, o.in_graph, o.synchronous, o.duration_ns, o.host_ns, o.shape.blocks,
                  o.shape.slots, o.shape.overhead_ns, o.shape.sm_share, o.shape.memory_share, o.subject);
}
auto numbers_of(auto& n) {
  return std::tie(n.submit_ns, n.wake_ns, n.kernel_gap_ns, n.dependency_gap_ns, n.copy_gap_ns, n.graph_gap_ns,
                  n.mark_ns, n.both_ways_share);
}

void write_number(std::string& line, double value) { line += fmt::format(" {}", value); }
void write_number(std::string& line, bool value) { line += value ? " 1" : " 0"; }
void write_number(std::string& line, std::integral auto value) { line += fmt::format(" {}", value); }

bool read_plain(std::string_view& line, auto& value) {
  while (line.starts_with(' ')) line.remove_prefix(1);
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc()) return false;
  line.remove_prefix(size_t(end - line.data()));
  return line.empty() || line.front() == ' ';
}
bool read_number(std::string_view& line, std::integral auto& value) { return read_plain(line, value); }
bool read_number(std::string_view& line, bool& value) {
  unsigned number = 0;
  if (!read_plain(line, number) || number > 1) return false;
  value = number == 1;
  return true;
}
// Times and amounts: far beyond any program's, but small enough to add up.
bool read_number(std::string_view& line, double& value) {
  return read_plain(line, value) && value >= 0 && value <= 1e18;
}

bool read_numbers(std::string_view& line, auto members) {
  return std::apply([&](auto&... member) { return (read_number(line, member) && ...); }, members);
}

}  // namespace

std::string encode(const timeline::Operation& operation) {
  std::string line = fmt::format("{}", unsigned(operation.kind));
  std::apply([&](const auto&... member) { (write_number(line, member), ...); }, operation_members(operation));
  for (const uint32_t on : operation.after) write_number(line, on);
  return line;
}

std::optional<timeline::Operation> decode_operation(std::string_view line, uint32_t place) {
  timeline::Operation out;
  unsigned kind = 0;
  if (!read_number(line, kind) || kind >= timeline::kKinds) return std::nullopt;
  out.kind = timeline::Kind(kind);
  if (!read_numbers(line, operation_members(out))) return std::nullopt;
  while (!line.empty()) {
    uint32_t on = 0;
    if (!read_number(line, on) || on >= place) return std::nullopt;
    out.after.push_back(on);
  }
  return out;
}

std::string encode(const timeline::Numbers& numbers) {
  std::string line;
  std::apply([&](const auto&... number) { (write_number(line, number), ...); }, numbers_of(numbers));
  return line;
}

std::optional<timeline::Numbers> decode_numbers(std::string_view line) {
  timeline::Numbers out;
  if (!read_numbers(line, numbers_of(out)) || !line.empty()) return std::nullopt;
  return out;
}

}  // namespace drywarp::store
