// Which launches have their time modelled, and how much of each is simulated.
//
// Modelling all of a program can take far longer than running it. Of a large grid a slice of the machine is simulated:
// some of the SMs, with their share of L2 and DRAM and of the grid. By default (TimeMode::Auto) the work is bounded,
// too: some million warp instructions, one for each kernel, and a share of what the program itself executes. What is
// bounded is work and not seconds, so that the same program gives the same report on any machine. Launches that do the
// same (kernel, shape and every count equal) are simulated once.
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

  // What makes two launches comparable.
  struct Shape {
    const KernelInfo* kernel = nullptr;
    exec::Dim3 grid, block;
    uint32_t dynamic_shared_bytes = 0;
    int carveout = -1;
    using Key = std::tuple<const KernelInfo*, std::array<uint32_t, 7>, int>;
    [[nodiscard]] Key key() const {
      return {kernel, {grid.x, grid.y, grid.z, block.x, block.y, block.z, dynamic_shared_bytes}, carveout};
    }
  };

  // Whether a launch of this shape is to be recorded, so that it can be simulated: not when the last ones did the same
  // as one before, nor when the budget is spent.
  [[nodiscard]] bool records(const Shape& shape);
  // What to record of a launch: as much as may be simulated of it.
  [[nodiscard]] TraceRequest record(uint64_t grid) const;

  // What a launch did.
  struct Work {
    std::string counts;                   // as bytes
    std::optional<uint64_t> places = {};  // digest_of_addresses() its trace, if it was recorded
  };
  // The launch ran. The time of an earlier launch that did the same; null: there is none, and
  // `executed` is to be called.
  Time ran(const Shape& shape, const Work& work);
  // The launch, which did as none before it, executed so many warp instructions.
  void executed(uint64_t warp_instructions) { executed_ += static_cast<double>(warp_instructions); }
  // On how many SMs to simulate how many of the recorded blocks; none: not even one SM's are within the budget.
  struct Part {
    uint32_t sms = 0;
    uint64_t blocks = 0;
  };
  // `resident`: blocks at once on an SM; `sms`: of the device.
  [[nodiscard]] Part part(uint64_t recorded, uint64_t grid, uint32_t resident, uint32_t sms,
                          double instructions_a_block) const;
  // So many of the launch's warp instructions were simulated; launches that do the same have this time.
  void simulated(const Shape& shape, Work work, double warp_instructions, double of_all, Time time);

  // Why a launch that ran has no time.
  [[nodiscard]] std::string reason(bool recorded) const;

 private:
  [[nodiscard]] double left() const;
  [[nodiscard]] double most() const;  // warp instructions that may be simulated of one launch

  struct Known {
    Work work;
    double warp_instructions = 0;
    Time time;
  };
  struct Launches {
    std::deque<Known> known;  // newest last
    unsigned in_a_row = 0;    // the last so many did the same as a known one
  };
  TimeMode mode_;
  std::map<Shape::Key, Launches> shapes_;
  std::set<const KernelInfo*> kernels_;  // that were to be recorded
  double executed_ = 0, spent_ = 0;      // warp instructions: by the program, by the simulator
};

}  // namespace drywarp::cuda
