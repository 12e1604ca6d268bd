#include "cuda/launch/time_plan.h"

#include <algorithm>

#include "model/sm/sharing.h"
#include "model/sm/timing.h"

namespace drywarp::cuda {
namespace {

constexpr double kFreeWork = 3e6;         // warp instructions that are simulated in any case
constexpr double kEachKernel = 1e6;       // ... for each kernel: less time than compiling it takes
constexpr double kShareOfProgram = 0.02;  // and for every one that the program executes
constexpr double kOfWhatIsLeft = 0.5;     // that one launch may have: others may follow
// Under TimeMode::Auto a launch gets no more than this if that gives it enough SMs. Held against the whole machine, 8
// of 132 SMs are within 1.9 % in the mean over the examples (docs/timing.md): more SMs gain little.
constexpr double kAimed = 1e6, kAimedOfAll = 16e6, kMostOfAll = 64e6;
constexpr uint32_t kEnoughSms = 16, kFewSms = 8;
constexpr uint64_t kFewWaves = 2;
constexpr double kMostRecorded = 8e6;  // warp instructions: far less work than simulating them
constexpr unsigned kSettled = 2;       // after so many equal launches the next are taken to be equal until one is not
constexpr size_t kRemembered = 64;     // times by shape
constexpr uint64_t kAllBytes = uint64_t{512} << 20, kAutoBytes = uint64_t{64} << 20;

}  // namespace

std::optional<TimeMode> parse_time_mode(std::string_view text) {
  if (text == "off") return TimeMode::Off;
  if (text == "auto") return TimeMode::Auto;
  if (text == "all") return TimeMode::All;
  return std::nullopt;
}

double TimePlan::left() const {
  return kFreeWork + kEachKernel * static_cast<double>(kernels_.size()) + kShareOfProgram * executed_ - spent_;
}

double TimePlan::most() const {
  return mode_ == TimeMode::All ? kMostOfAll : std::max(left() * kOfWhatIsLeft, std::min(left(), kEachKernel));
}

TraceRequest TimePlan::record(uint64_t grid) const {
  // The launch itself will add its share: nobody knows yet how much it executes.
  const double instructions = mode_ == TimeMode::All ? kMostOfAll : std::max(most(), kMostRecorded);
  return {grid, mode_ == TimeMode::All ? kAllBytes : kAutoBytes, static_cast<uint64_t>(std::max(instructions, 0.0)),
          sm::kSampleBlocks};
}

bool TimePlan::records(const Shape& shape) {
  if (mode_ != TimeMode::Auto) return mode_ == TimeMode::All;
  kernels_.insert(shape.kernel);
  const auto known = shapes_.find(shape.key());
  return left() > 0 && (known == shapes_.end() || known->second.in_a_row < kSettled);
}

TimePlan::Time TimePlan::ran(const Shape& shape, const Work& work) {
  const auto launches = shapes_.find(shape.key());
  if (launches == shapes_.end()) return nullptr;
  // Launches may touch as much and as many places, but others: with strides of 8 and of 32 words a warp's words lie in
  // 32 sectors. What was not recorded is taken to do as the last of those with its counts.
  const auto& known = launches->second.known;
  const auto same = std::find_if(known.rbegin(), known.rend(), [&](const Known& k) {
    return k.work.counts == work.counts && (!work.places || !k.work.places || *k.work.places == *work.places);
  });
  if (same == known.rend()) {
    launches->second.in_a_row = 0;
    return nullptr;
  }
  ++launches->second.in_a_row;
  executed_ += same->warp_instructions;
  return same->time;
}

TimePlan::Part TimePlan::part(uint64_t recorded, uint64_t grid, uint32_t resident, uint32_t sms,
                              double instructions_a_block) const {
  if (recorded == 0 || resident == 0 || sms == 0) return {};
  const auto blocks_of = [&](double work) {
    return std::min(static_cast<double>(recorded), std::max(work, 0.0) / std::max(instructions_a_block, 1.0));
  };
  const double aimed = blocks_of(mode_ == TimeMode::All ? kAimedOfAll : kAimed), allowed = blocks_of(most());
  const auto all = static_cast<double>(grid);
  // Small grids as they are: where there are few waves, what they share and how they end counts.
  if (all <= aimed || (all <= allowed && grid <= kFewWaves * resident * sms)) return {sms, grid};
  // Some SMs with all that they run of the grid.
  const double an_sm = all / sms;
  const auto sms_for = [&](double blocks, double each) {
    return static_cast<uint32_t>(std::min<double>(blocks / each, sms));
  };
  const uint32_t whole = std::max(sms_for(aimed, an_sm), std::min(kEnoughSms, sms_for(allowed, an_sm)));
  if (whole >= kFewSms) return {whole, sm::blocks_on(grid, whole, sms)};
  // Some SMs with their first waves of it.
  const double at_once = std::min<double>(resident, an_sm);
  for (const double waves : {4.0, 2.0, 1.0}) {
    const uint32_t some = std::min(kEnoughSms, sms_for(allowed, at_once * waves));
    if (some >= (waves > 1 ? kFewSms : 1)) return {some, static_cast<uint64_t>(std::max(some * at_once * waves, 1.0))};
  }
  return {};
}

void TimePlan::simulated(const Shape& shape, Work work, double warp_instructions, double of_all, Time time) {
  spent_ += warp_instructions;
  Launches& launches = shapes_[shape.key()];
  launches.known.push_back({std::move(work), of_all, std::move(time)});
  if (launches.known.size() > kRemembered) launches.known.pop_front();
}

std::string TimePlan::reason(bool recorded) const {
  if (left() <= 0 || recorded) return "more to simulate than --time auto does; --time all does it";
  return "it did otherwise than the launches before it, which were simulated; --time all simulates every one";
}

}  // namespace drywarp::cuda
