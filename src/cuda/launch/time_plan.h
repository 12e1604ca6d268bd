// Decides which launches have their times modelled, and how much of each is simulated.
//
// Modelling a whole program can take far longer than running it. For a large grid, a slice of the GPU is simulated:
// some SMs, with their share of the grid, L2 and DRAM. By default (TimeMode::Auto) the work has a budget too: a few
// million warp instructions, one million for each kernel, and a share of what the program executes. The budget counts
// work, not seconds, so the same program gives the same report on any machine. Equal launches (same kernel,
// configuration and counts) are simulated once.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "base/events/counts.h"
#include "base/events/warp_trace.h"
#include "engine/exec/engine.h"
#include "model/sm/summary.h"

namespace drywarp::cuda {

enum class TimeMode : uint8_t { Off, Auto, All };
[[nodiscard]] std::optional<TimeMode> parse_time_mode(std::string_view text);  // "off", "auto", "all"

class TimePlan {
 public:
  using Time = std::shared_ptr<const sm::LaunchTime>;

  explicit TimePlan(TimeMode mode) : mode_(mode) {}

  // Launches of the same configuration may be equal.
  struct Configuration {
    const KernelInfo* kernel = nullptr;
    exec::Dim3 grid, block;
    uint32_t dynamic_shared_bytes = 0;
    int carveout = -1;
    using Key = std::tuple<const KernelInfo*, std::array<uint32_t, 7>, int>;
    [[nodiscard]] Key key() const {
      return {kernel, {grid.x, grid.y, grid.z, block.x, block.y, block.z, dynamic_shared_bytes}, carveout};
    }
  };

  // Whether to record a launch of this configuration, so that it can be simulated: not if the last ones equalled
  // earlier ones, nor if the budget is spent.
  [[nodiscard]] bool should_record(const Configuration& configuration);
  // What to record of a launch: as much as may be simulated. `resident`: blocks of an SM; `sms`: of the device.
  [[nodiscard]] TraceRequest trace_request(uint64_t grid, uint32_t resident, uint32_t sms) const;

  // The work of a launch, to compare launches.
  struct Work {
    std::string counts;                   // encoded
    std::optional<uint64_t> places = {};  // digest_of_addresses() its trace, if it was recorded
  };
  // Call after a launch. Returns the time of an earlier, equal launch; null: there is none, and the caller must call
  // add_executed().
  Time find_equal(const Configuration& configuration, const Work& work);
  // Adds the warp instructions that a new kind of launch executed.
  void add_executed(uint64_t warp_instructions) { executed_ += static_cast<double>(warp_instructions); }
  // How many SMs and how many of the recorded blocks to simulate, of those in `rows`; 0: not even one SM's blocks are
  // within the budget.
  struct Slice {
    uint32_t sms = 0;
    uint64_t blocks = 0;
    BlockRows rows = {};
  };
  struct Recorded {
    uint64_t blocks = 0;
    BlockRows rows = {};  // whose blocks they are; rows of one block: blocks in turn, which belong together
    bool awaits = false;  // blocks wait for others, wherever these run
  };
  // `resident`: resident blocks of an SM; `sms`: of the device.
  [[nodiscard]] Slice slice(const Recorded& recorded, uint64_t grid, uint32_t resident, uint32_t sms,
                            double instructions_a_block) const;
  // Adds a simulated launch: equal launches get its time. `warp_instructions`: simulated; `of_all`: executed by the
  // launch.
  void add_simulated(const Configuration& configuration, Work work, double warp_instructions, double of_all, Time time);

  // Why a launch that ran has no time.
  [[nodiscard]] std::string reason(bool recorded) const;

 private:
  [[nodiscard]] double budget_left() const;
  [[nodiscard]] double launch_budget() const;  // warp instructions that may be simulated of one launch

  struct Known {
    Work work;
    double warp_instructions = 0;
    Time time;
  };
  struct Launches {
    std::deque<Known> known;  // newest last
    unsigned in_a_row = 0;    // how many of the last launches equalled a known one
  };
  TimeMode mode_;
  std::map<Configuration::Key, Launches> launches_;
  std::set<const KernelInfo*> kernels_;  // that should_record() was asked about
  double executed_ = 0, spent_ = 0;      // warp instructions: by the program, by the simulator
};

}  // namespace drywarp::cuda
