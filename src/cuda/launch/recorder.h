// Records every launch, transfer and API call of a session in a profile file, if there is one. Decides which launches
// are counted, and tracks open NVTX ranges.
#pragma once

#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/events/access_sample.h"
#include "base/events/launch_filter.h"
#include "cuda/launch/announcer.h"
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
  // `complain` gets at most one message a problem: a bad filter, a profile that cannot be written.
  Recorder(const Options& options, const device::DeviceSpec& device, std::function<void(const std::string&)> complain);

  // Of a launch to count, because the filter takes it: the number of its kernel's launches so far. Nothing: do not
  // count it. `range`: as open_ranges(). Call once for every launch.
  [[nodiscard]] std::optional<uint64_t> should_count(const KernelInfo& kernel, uint32_t stream,
                                                     const std::string& range);

  // `kernel`: what is known before the run. Pass the returned record to launch_ended().
  record::LaunchRecord launch_begins(const KernelInfo& kernel, const exec::LaunchRequest& request, uint32_t stream,
                                     std::string range, Clock::time_point start);
  // The launch's place in the profile; kNone: nothing is written.
  uint32_t launch_ended(const std::shared_ptr<const KernelInfo>& kernel, record::LaunchRecord record,
                        std::optional<uint64_t> counted, const exec::LaunchResult& result, Timer::Outcome time);
  // `pinned`: the host's end is page-locked memory. `gpu_seconds`: modelled; nothing: not known.
  // Its place in the profile, or kNone.
  uint32_t transfer(record::TransferKind kind, uint64_t bytes, uint32_t stream, bool pinned, Clock::time_point start,
                    std::optional<double> gpu_seconds);
  void operation_numbers(const timeline::Numbers& numbers);
  void operation(const timeline::Operation& operation);
  void api(const char* name, Clock::time_point start);
  void sample(uint64_t launch, const AccessSample& sample);
  void finish(int exit_code);
  [[nodiscard]] bool writing() const { return writer_.has_value(); }

  // NVTX ranges of the calling thread, and ranges of the process (start/end).
  int push_range(std::string name);  // depth before
  int pop_range();                   // depth after; -2 if none is open, as NVTX specifies
  uint64_t start_range(std::string name);
  void end_range(uint64_t id);
  // The ranges that are open in the calling thread, outermost first: "a/b".
  [[nodiscard]] std::string open_ranges() const;

  // cudaProfilerStart / Stop: launches in between are counted, copies and calls recorded; launches outside are recorded
  // without counts. A program that calls neither has all, unless Options::from_start is false.
  void set_collecting(bool on);

 private:
  [[nodiscard]] double since_start(Clock::time_point when) const;
  [[nodiscard]] bool collecting() const;
  void check(const Status& status);

  std::function<void(const std::string&)> complain_;
  Clock::time_point begin_ = Clock::now();
  mutable std::mutex mutex_;
  LaunchSelector filter_;
  bool counters_ = true, collecting_ = true, complained_ = false;
  std::optional<store::ProfileWriter> writer_;
  Announcer announcer_;
  std::map<std::thread::id, std::vector<std::string>> ranges_;
  std::map<uint64_t, std::string> process_ranges_;
  uint64_t next_range_ = 1;
};

// Keeps the costliest access of every memory instruction: in a file for `drywarp explain access app.cu:LINE`, as lines
// "launch sample", or in the profile. A launch adds the accesses that are costlier than those of all earlier launches
// of its kernel.
class SampleLog {
 public:
  // `complain` gets a message if the file cannot be written.
  SampleLog(const Options& options, Recorder& recorder, const std::function<void(const std::string&)>& complain);
  // Whether a launch is to be sampled. A profile has samples only of launches that are traced for their time: sampling
  // every block would slow the others down.
  [[nodiscard]] bool wants(const TraceRequest& trace) const {
    return file_.is_open() || (in_profile_ && trace.blocks != 0);
  }
  // Call once for every launch, in order of issue; `samples` may be null.
  void add(const KernelInfo& kernel, const std::vector<AccessSample>* samples);

 private:
  Recorder& recorder_;
  std::ofstream file_;
  bool in_profile_ = false;
  uint64_t launches_ = 0;
  std::map<std::tuple<std::string, uint32_t, drywarp::Memory>, uint32_t> known_;  // units, by kernel and instruction
};

}  // namespace drywarp::cuda
