#include "faces/explain/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace drywarp::explain {
namespace {

// Splits "32x33" and "[32][33]". An 'x' in a name or a number (0x10) does not separate.
std::vector<std::string> split_extents(const std::string& text) {
  std::vector<std::string> sides;
  std::string side;
  const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool all_digits = !side.empty() && std::ranges::all_of(side, [](char d) { return d >= '0' && d <= '9'; });
    const bool parts = c == 'x' && side != "0" && all_digits && i + 1 < text.size() && is_name(text[i + 1]);
    if (c == '[') continue;
    if (c == ']' || parts) {
      sides.push_back(side);
      side.clear();
    } else {
      side += c;
    }
  }
  if (!side.empty()) sides.push_back(side);
  return sides;
}

}  // namespace

Result<Pattern> parse_pattern(const PatternText& text) {
  Pattern pattern;
  pattern.launch = text.launch;
  if (Status status = check(text.launch); !status) return status.problem();
  if (!std::has_single_bit(text.bytes) || text.bytes > 16)
    return error(fmt::format("an element of {} bytes: a thread accesses 1, 2, 4, 8 or 16 at a time", text.bytes));
  pattern.bytes = text.bytes;
  pattern.base = text.base;
  for (const std::string& definition : text.definitions)
    if (Status status = pattern.names.define(definition); !status) return status.problem();

  pattern.text = text.index;
  if (text.index.empty()) {
    pattern.text = text.stride == 1 ? "threadIdx.x" : fmt::format("threadIdx.x * {}", text.stride);
    if (text.launch.block[1] != 1 || text.launch.block[2] != 1)
      pattern.text = text.stride == 1 ? "tid" : fmt::format("tid * {}", text.stride);
    if (text.offset != 0)
      pattern.text += fmt::format(" {} {}", text.offset < 0 ? '-' : '+', text.offset < 0 ? -text.offset : text.offset);
    pattern.text = "a[" + pattern.text + "]";
  }
  Result<ArrayIndex> index = parse_array_index(pattern.text, pattern.names, "--index");
  if (!index) return index.problem();
  pattern.index = std::move(*index);

  const std::vector<std::string> sides = split_extents(text.extents);
  const size_t subscripts = pattern.index.subscripts.size();
  for (const std::string& side : sides) {
    Result<Expression> extent = parse_expression(side, pattern.names, "--array");
    if (!extent) return extent.problem();
    pattern.extents.push_back(std::move(*extent));
  }
  if (subscripts > 1 && sides.size() + 1 < subscripts)
    return error(
        fmt::format("'{}' has {} subscripts, but the array's dimensions are unknown", pattern.text, subscripts),
        "give them: --array 32x33");
  if (subscripts > 1 && sides.size() > subscripts)
    return error(fmt::format("'{}' has {} subscripts, but --array {} has {} dimensions", pattern.text, subscripts,
                             text.extents, sides.size()));
  if (!text.condition.empty()) {
    Result<Expression> condition = parse_expression(text.condition, pattern.names, "--if");
    if (!condition) return condition.problem();
    pattern.condition = std::move(*condition);
  }
  return pattern;
}

Result<LaneAccesses> lanes_of(const Pattern& pattern, uint64_t block, uint32_t warp, int64_t pad, uint32_t row_bytes) {
  LaneAccesses out;
  std::vector<int64_t> values;
  const LaneMask present = pattern.launch.lanes_of(warp);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if ((present >> lane & 1) == 0) continue;
    if (Status status = pattern.names.values(pattern.launch, block, warp * kWarpSize + lane, values); !status)
      return status.problem();
    if (pattern.condition) {
      const Result<int64_t> takes_part = pattern.condition->evaluate(values);
      if (!takes_part) return takes_part.problem();
      if (*takes_part == 0) continue;
    }
    uint64_t linear = 0;
    const size_t subscripts = pattern.index.subscripts.size();
    for (size_t i = 0; i < subscripts; ++i) {
      if (i != 0) {
        // Subscripts and extents are aligned at the innermost.
        const Result<int64_t> extent = pattern.extents[pattern.extents.size() - subscripts + i].evaluate(values);
        if (!extent) return extent.problem();
        linear *= static_cast<uint64_t>(*extent + (i + 1 == subscripts ? pad : 0));
      }
      const Result<int64_t> subscript = pattern.index.subscripts[i].evaluate(values);
      if (!subscript) return subscript.problem();
      linear += static_cast<uint64_t>(*subscript);
    }
    out.active |= 1u << lane;
    out.index[lane] = static_cast<int64_t>(linear);
    // A gap after every word of the last bank, as programmers write it by hand.
    if (subscripts == 1 && pad != 0) {
      const int64_t row = std::max<int64_t>(1, int64_t{row_bytes} / pattern.bytes);
      const int64_t at = out.index[lane];
      out.index[lane] += (at >= 0 ? at / row : -((row - 1 - at) / row)) * pad;
    }
    out.addresses[lane] = static_cast<uint64_t>(pattern.base) + static_cast<uint64_t>(out.index[lane]) * pattern.bytes;
  }
  return out;
}

uint64_t blocks_to_examine(const LaunchConfiguration& launch) {
  return std::max<uint64_t>(1, std::min(launch.blocks(), kMaxWarps / launch.warps()));
}

}  // namespace drywarp::explain
