#include "cuda/launch/time_plan.h"

#include <algorithm>
#include <bit>

#include "model/sm/sharing.h"
#include "model/sm/timing.h"

namespace drywarp::cuda {
namespace {

constexpr double kBaseBudget = 3e6;             // warp instructions that are always simulated
constexpr double kBudgetPerKernel = 1e6;        // ... for each kernel: takes less time than compiling it
constexpr double kBudgetShareOfProgram = 0.02;  // ... for each one that the program executes
constexpr double kLaunchShareOfBudget = 0.5;    // for one launch: others may follow
// Under TimeMode::Auto a launch gets no more than this if that covers enough SMs. Simulating 8 of 132 SMs differs from
// simulating all by 1.9 % in the mean over the examples (docs/timing.md), so more SMs gain little.
constexpr double kAutoTarget = 1e6, kAllTarget = 16e6, kAllMaximum = 64e6;
constexpr uint32_t kEnoughSms = 16, kMinimumSms = 8;
constexpr uint64_t kFewWaves = 2;
constexpr double kMaximumRecorded = 8e6;  // warp instructions: recording costs far less than simulating
constexpr unsigned kEqualInARow = 2;      // after so many equal launches, recording stops until one differs
constexpr size_t kMaximumKnown = 64;      // times for each configuration
constexpr uint64_t kAllBytes = uint64_t{512} << 20, kAutoBytes = uint64_t{64} << 20;

}  // namespace

std::optional<TimeMode> parse_time_mode(std::string_view text) {
  if (text == "off") return TimeMode::Off;
  if (text == "auto") return TimeMode::Auto;
  if (text == "all") return TimeMode::All;
  return std::nullopt;
}

double TimePlan::budget_left() const {
  return kBaseBudget + kBudgetPerKernel * static_cast<double>(kernels_.size()) + kBudgetShareOfProgram * executed_ -
         spent_;
}

double TimePlan::launch_budget() const {
  return mode_ == TimeMode::All
             ? kAllMaximum
             : std::max(budget_left() * kLaunchShareOfBudget, std::min(budget_left(), kBudgetPerKernel));
}

TraceRequest TimePlan::trace_request(uint64_t grid, uint32_t resident, uint32_t sms) const {
  // The launch adds its own share to the budget, but how much it executes is not known yet.
  const double instructions = mode_ == TimeMode::All ? kAllMaximum : std::max(launch_budget(), kMaximumRecorded);
  const auto most = static_cast<uint64_t>(std::max(instructions, 0.0));
  TraceRequest request{grid, mode_ == TimeMode::All ? kAllBytes : kAutoBytes, most, sm::kSampleBlocks,
                       uint64_t{resident} * sms};
  // All blocks, for what they leave in the caches, or those of a slice that simulates the target; at last of the fewest
  // SMs that say enough.
  const auto target = static_cast<uint64_t>(mode_ == TimeMode::All ? kAllTarget : kAutoTarget),
             allowed = static_cast<uint64_t>(std::max(launch_budget(), 0.0));
  request.widths.push_back({sms, most});
  for (uint32_t some = std::bit_floor(sms / 2); some >= kMinimumSms; some /= 2)
    request.widths.push_back({some, some > kEnoughSms ? target : std::max(target, allowed)});
  request.widths.back().instructions = most;
  return request;
}

bool TimePlan::should_record(const Configuration& configuration) {
  if (mode_ != TimeMode::Auto) return mode_ == TimeMode::All;
  kernels_.insert(configuration.kernel);
  const auto known = launches_.find(configuration.key());
  return budget_left() > 0 && (known == launches_.end() || known->second.in_a_row < kEqualInARow);
}

TimePlan::Time TimePlan::find_equal(const Configuration& configuration, const Work& work) {
  const auto launches = launches_.find(configuration.key());
  if (launches == launches_.end()) return nullptr;
  // Launches with equal counts may access different addresses: with strides of 8 and of 32 words, a warp touches 32
  // sectors either way. An unrecorded launch is taken to equal the last one with its counts.
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

TimePlan::Slice TimePlan::slice(const Recorded& recorded, uint64_t grid, uint32_t resident, uint32_t sms,
                                double instructions_a_block) const {
  if (recorded.blocks == 0 || resident == 0 || sms == 0) return {};
  const auto blocks_of = [&](double work) {
    return std::min(static_cast<double>(recorded.blocks), std::max(work, 0.0) / std::max(instructions_a_block, 1.0));
  };
  const double target = blocks_of(mode_ == TimeMode::All ? kAllTarget : kAutoTarget),
               allowed = blocks_of(launch_budget());
  const auto all = static_cast<double>(grid);
  // Simulate small grids whole: with few waves, sharing between blocks and the tail matter.
  if (all <= target || (all <= allowed && grid <= kFewWaves * resident * sms)) return {sms, grid};
  // Those of a slice of the machine alone would wait for fewer others.
  if (recorded.awaits && allowed >= std::min<double>(all, uint64_t{resident} * sms))
    return {sms, static_cast<uint64_t>(std::min(all, allowed))};
  const BlockRows& rows = recorded.rows;
  const auto widest = rows.row > 1 ? static_cast<uint32_t>(rows.width) : sms;  // whose blocks were recorded
  const auto part = [&](uint32_t some, double blocks) {
    return Slice{some, static_cast<uint64_t>(std::max(blocks, 1.0)),
                 rows.row > 1 ? BlockRows{rows.row, some} : BlockRows()};
  };
  // Some SMs with their whole share of the grid.
  const double blocks_per_sm = all / sms;
  const auto sms_for = [&](double blocks, double each) {
    return static_cast<uint32_t>(std::min<double>(blocks / each, widest));
  };
  const uint32_t whole =
      std::max(sms_for(target, blocks_per_sm), std::min(kEnoughSms, sms_for(allowed, blocks_per_sm)));
  if (whole >= kMinimumSms) return part(whole, static_cast<double>(sm::blocks_on(grid, whole, sms)));
  // Some SMs with their first waves.
  const double resident_blocks = std::min<double>(resident, blocks_per_sm);
  for (const double waves : {4.0, 2.0, 1.0}) {
    const uint32_t some = std::min(kEnoughSms, sms_for(allowed, resident_blocks * waves));
    if (some >= (waves > 1 ? kMinimumSms : 1)) return part(some, some * resident_blocks * waves);
  }
  return {};
}

void TimePlan::add_simulated(const Configuration& configuration, Work work, double warp_instructions, double of_all,
                             Time time) {
  spent_ += warp_instructions;
  Launches& launches = launches_[configuration.key()];
  launches.known.push_back({std::move(work), of_all, std::move(time)});
  if (launches.known.size() > kMaximumKnown) launches.known.pop_front();
}

std::string TimePlan::reason(bool recorded) const {
  if (budget_left() <= 0 || recorded) return "it exceeds the simulation budget of --time auto; use --time all";
  return "it differs from the earlier launches, which were simulated; --time all simulates every launch";
}

}  // namespace drywarp::cuda
