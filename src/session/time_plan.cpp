#include "session/time_plan.h"

#include <algorithm>

namespace drywarp::session {
namespace {

constexpr double kFreeWork = 8e6;         // warp instructions that are simulated in any case: two or three seconds
constexpr double kShareOfProgram = 0.02;  // and for every one that the program executes
constexpr unsigned kSettled = 2;    // after so many equal launches the next are taken to be equal until one is not
constexpr size_t kRemembered = 64;  // times by shape
constexpr uint64_t kAllBytes = uint64_t{1} << 30, kAutoBytes = uint64_t{128} << 20;

}  // namespace

std::optional<TimeMode> parse_time_mode(std::string_view text) {
  if (text == "off") return TimeMode::Off;
  if (text == "auto") return TimeMode::Auto;
  if (text == "all") return TimeMode::All;
  return std::nullopt;
}

double TimePlan::left() const { return kFreeWork + kShareOfProgram * executed_ - spent_; }

uint64_t TimePlan::trace_bytes() const { return mode_ == TimeMode::All ? kAllBytes : kAutoBytes; }

bool TimePlan::records(const Shape& shape) const {
  if (mode_ != TimeMode::Auto) return mode_ == TimeMode::All;
  const auto known = shapes_.find(shape.key());
  return left() > 0 && (known == shapes_.end() || known->second.in_a_row < kSettled);
}

uint64_t TimePlan::waves() const { return mode_ == TimeMode::All ? 4 : 2; }

TimePlan::Time TimePlan::ran(const Shape& shape, const std::string& counts) {
  const auto launches = shapes_.find(shape.key());
  if (launches == shapes_.end()) return nullptr;
  const auto same = std::ranges::find(launches->second.known, counts, &Known::counts);
  if (same == launches->second.known.end()) {
    launches->second.in_a_row = 0;
    return nullptr;
  }
  ++launches->second.in_a_row;
  executed_ += same->warp_instructions;
  return same->time;
}

uint64_t TimePlan::blocks(uint64_t recorded, uint64_t grid, uint64_t wave, double instructions_a_block) const {
  if (mode_ == TimeMode::All) return recorded;
  for (const uint64_t n : {recorded, std::min(recorded, wave)})
    if (n >= std::min(grid, wave) && static_cast<double>(n) * instructions_a_block <= left()) return n;
  return 0;
}

void TimePlan::simulated(const Shape& shape, std::string counts, double warp_instructions, double of_all, Time time) {
  spent_ += warp_instructions;
  Launches& launches = shapes_[shape.key()];
  launches.known.push_back({std::move(counts), of_all, std::move(time)});
  if (launches.known.size() > kRemembered) launches.known.pop_front();
}

std::string TimePlan::reason(bool recorded) const {
  if (left() <= 0 || recorded) return "more to simulate than --time auto does; --time all does it";
  return "it did otherwise than the launches before it, which were simulated; --time all simulates every one";
}

}  // namespace drywarp::session
