#include "engine/check/lane_runs.h"

#include <algorithm>

#include "base/access/lane_offsets.h"

namespace drywarp::check {
namespace {

// An access that changes its pattern so often has none.
constexpr uint32_t kMostChanges = 16;

// A run that grows lane by lane.
struct OpenRun {
  uint64_t line = 0, low = 0, last = 0;  // addresses: of the lowest element, of the last lane's
  uint32_t low_lane = 0, last_lane = 0;
  int64_t stride = 0;
  LaneMask lanes = 0;
  LineBytes bytes;

  void begin(uint64_t address, uint32_t lane, uint32_t size) {
    *this = {address / kLineBytes,
             address,
             address,
             lane,
             lane,
             0,
             1u << lane,
             LineBytes::range(address % kLineBytes, size)};
  }
  bool take(uint64_t address, uint32_t lane, uint32_t size) {
    if (lanes == 0 || address / kLineBytes != line) return false;
    const auto apart = static_cast<int64_t>(address - last), gap = int64_t{lane} - last_lane;
    if (std::has_single_bit(lanes) && apart != 0) {
      if (apart % gap != 0 || std::abs(apart / gap) < size) return false;
      stride = apart / gap;
    } else if (apart != stride * gap) {
      return false;
    }
    last = address, last_lane = lane, lanes |= 1u << lane;
    bytes = bytes | LineBytes::range(address % kLineBytes, size);
    if (address < low) low = address, low_lane = lane;
    return true;
  }
};

// A further row of lanes on the same elements.
bool take_row(LaneRun& run, const LaneRun& row) {
  if (run.stride == 0 || run.stride != row.stride || run.bytes != row.bytes || run.first_byte != row.first_byte ||
      row.first_lane <= run.first_lane)
    return false;
  run.rows |= 1u << (row.first_lane - run.first_lane);
  run.lanes |= row.lanes;
  return true;
}

}  // namespace

LineBytes LineBytes::range(uint32_t first, uint32_t count) {
  const auto ones = [](uint32_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; };
  LineBytes bytes;
  if (first < 64) {
    bytes.low = ones(count) << first;
    if (first + count > 64) bytes.high = ones(first + count - 64);
  } else {
    bytes.high = ones(count) << (first - 64);
  }
  return bytes;
}

void split_lines(const uint64_t* at, LaneMask lanes, uint32_t bytes, std::vector<LineRun>& runs) {
  runs.clear();
  if (lanes == 0) return;
  const uint64_t origin = at[std::countr_zero(lanes)] / kLineBytes;
  OpenRun open;
  const auto close = [&] {
    if (open.lanes == 0) return;
    LaneRun run{open.bytes,
                open.lanes,
                static_cast<int16_t>(open.stride),
                static_cast<uint8_t>(open.low % kLineBytes),
                static_cast<uint8_t>(open.low_lane),
                1};
    const auto line = static_cast<int64_t>(open.line - origin);
    if (runs.empty() || runs.back().line != line || !take_row(runs.back().run, run)) runs.push_back({line, run});
    open.lanes = 0;
  };
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint64_t end = at[lane] + bytes;
    for (uint64_t from = at[lane]; from < end;) {  // a misaligned access may be in two lines
      const uint64_t to = std::min(end, (from / kLineBytes + 1) * kLineBytes);
      const auto size = static_cast<uint32_t>(to - from);
      if (size != bytes || !open.take(from, lane, size)) {
        close();
        open.begin(from, lane, size);
        if (size != bytes) close();
      }
      from = to;
    }
  }
  close();
}

std::span<const LineRun> LaneRuns::of(uint32_t access, const uint64_t* at, LaneMask lanes, uint32_t bytes) {
  if (patterns_.size() <= access) patterns_.resize(access + 1);
  if (!patterns_[access]) patterns_[access] = std::make_unique<Pattern>();
  Pattern& p = *patterns_[access];
  if (p.changes > kMostChanges) {
    split_lines(at, lanes, bytes, last_);
    return last_;
  }
  const uint64_t first = at[std::countr_zero(lanes)];
  if (p.lanes != lanes || p.bytes != bytes || lanes_elsewhere(at, lanes, first, p.from_first.data()) != 0) {
    ++p.changes;
    p.lanes = lanes, p.bytes = bytes;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) p.from_first[lane] = at[lane] - first;
    for (auto& runs : p.by_offset) runs.clear();
  }
  std::vector<LineRun>& runs = p.by_offset[first % kLineBytes];
  if (runs.empty()) split_lines(at, lanes, bytes, runs);
  return runs;
}

}  // namespace drywarp::check
