// What a session writes down: every launch, transfer and API call, into a profile file if there is to be one. Decides
// which launches are counted, and keeps the NVTX ranges that are open.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "cuda/launch/options.h"
#include "cuda/launch/timer.h"
#include "engine/exec/engine.h"
#include "profile/record/profile.h"
#include "profile/store/profile_writer.h"

namespace drywarp::cuda {

using Clock = std::chrono::steady_clock;

// Thread-safe.
class Recorder {
 public:
  // `complain` gets at most one sentence a problem: a bad filter, a profile that cannot be written.
  Recorder(const Options& options, const device::DeviceSpec& device, std::function<void(const std::string&)> complain);

  // Whether this launch is to be counted: the filter matches and it is within skip and count. Call once a launch.
  [[nodiscard]] bool wants(const std::string& display_name);

  // `kernel`: what is known of it without running it. The record that is given is for launch_ended().
  record::LaunchRecord launch_begins(const KernelInfo& kernel, const exec::LaunchRequest& request, uint32_t stream,
                                     std::string range, Clock::time_point start);
  void launch_ended(const std::shared_ptr<const KernelInfo>& kernel, record::LaunchRecord record, bool counted,
                    const exec::LaunchResult& result, Timer::Timed time);
  void transfer(record::TransferKind kind, uint64_t bytes, uint32_t stream, Clock::time_point start);
  void api(const char* name, Clock::time_point start);
  void finish(int exit_code);
  [[nodiscard]] bool writing() const { return writer_.has_value(); }

  // NVTX ranges of the calling thread, and ranges of the process (start/end).
  int push_range(std::string name);  // depth before
  int pop_range();                   // depth after; -2 with none open, as NVTX says
  uint64_t start_range(std::string name);
  void end_range(uint64_t id);
  // Those open in the calling thread, outermost first: "a/b".
  [[nodiscard]] std::string open_ranges() const;

  // cudaProfilerStart / Stop: launches in between are counted; a program that calls neither counts all.
  void set_collecting(bool on);

 private:
  [[nodiscard]] double since_start(Clock::time_point when) const;
  void check(const Status& status);

  std::function<void(const std::string&)> complain_;
  Clock::time_point begin_ = Clock::now();
  mutable std::mutex mutex_;
  std::optional<std::regex> filter_;
  uint64_t skip_ = 0, count_ = ~0ull, seen_ = 0;
  bool counters_ = true, collecting_ = true, complained_ = false;
  std::optional<store::ProfileWriter> writer_;
  std::map<std::thread::id, std::vector<std::string>> ranges_;
  std::map<uint64_t, std::string> process_ranges_;
  uint64_t next_range_ = 1;
};

}  // namespace drywarp::cuda
