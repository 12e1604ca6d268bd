#include "cuda/launch/recorder.h"

#include <unistd.h>

#include <sstream>

#include "profile/record/profile.h"

namespace drywarp::cuda {
namespace {

double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

record::Extent extent(const exec::Dim3& d) { return {d.x, d.y, d.z}; }

// A part of the filter that is wrong is left out, and said.
LaunchFilter filter_of(const Options& options, const std::function<void(const std::string&)>& complain) {
  LaunchFilter filter;
  const auto good = [&](const auto& parsed) {
    if (!parsed) complain(parsed.problem().message + "; every kernel is counted");
    return static_cast<bool>(parsed);
  };
  if (!options.kernel_filter.empty())
    if (auto name = NamePattern::parse("regex:" + options.kernel_filter); good(name)) filter.name = std::move(*name);
  if (!options.kernel_id.empty())
    if (auto id = KernelId::parse(options.kernel_id); good(id)) filter.id = std::move(*id);
  const auto ranges = [&](const std::string& lines, std::vector<RangePattern>& to) {
    std::istringstream in(lines);
    for (std::string line; std::getline(in, line);)
      if (auto range = RangePattern::parse(line); good(range)) to.push_back(std::move(*range));
  };
  ranges(options.ranges_included, filter.include);
  ranges(options.ranges_excluded, filter.exclude);
  filter.base = parse_name_base(options.kernel_base).value_or(NameBase::Demangled);
  filter.skip_before_match = options.launch_skip_before_match;
  filter.skip = options.launch_skip;
  filter.count = options.launch_count;
  return filter;
}

}  // namespace

Recorder::Recorder(const Options& options, const device::DeviceSpec& device,
                   std::function<void(const std::string&)> complain)
    : complain_(std::move(complain)),
      filter_(filter_of(options, complain_)),
      counters_(options.counters),
      collecting_(options.from_start),
      announcer_(options.announce) {
  if (options.profile.empty()) return;
  auto writer = store::ProfileWriter::open(options.profile,
                                           {options.program, device.name, DRYWARP_VERSION, record::moves_of(device)});
  if (writer)
    writer_.emplace(std::move(*writer));
  else
    complain_(writer.problem().to_string());
  announcer_.say({Announcement::Kind::Process, static_cast<uint64_t>(getpid()), 0, options.program});
}

double Recorder::since_start(Clock::time_point when) const { return seconds(when - begin_); }

std::optional<uint64_t> Recorder::should_count(const KernelInfo& kernel, uint32_t stream, const std::string& range) {
  const std::lock_guard hold(mutex_);
  return counters_ && collecting_ ? filter_.takes(kernel, stream, range) : std::nullopt;
}

record::LaunchRecord Recorder::launch_begins(const KernelInfo& kernel, const exec::LaunchRequest& request,
                                             uint32_t stream, std::string range, Clock::time_point start) {
  record::LaunchRecord record;
  record.grid = extent(request.grid);
  record.block = extent(request.block);
  record.dynamic_shared_bytes = request.dynamic_shared_bytes;
  record.stream = stream;
  record.start_seconds = since_start(start);
  record.range = std::move(range);
  if (writer_) writer_->begin_launch(kernel, record);
  return record;
}

uint32_t Recorder::launch_ended(const std::shared_ptr<const KernelInfo>& kernel, record::LaunchRecord record,
                                std::optional<uint64_t> counted, const exec::LaunchResult& result,
                                Timer::Outcome time) {
  if (!writer_) return timeline::kNone;
  record.kernel = writer_->add_kernel(kernel);
  record.host_seconds = result.seconds;
  record.counted = counted && result.started;
  if (record.counted) record.counts = result.counts;
  record.time = std::move(time.time);
  record.untimed = std::move(time.reason);
  if (result.fault) record.fault = result.fault->message;
  const uint32_t place = writer_->add_launch(record, time.drawn.get());
  check(writer_->status());
  if (!record.counted) return place;
  const std::lock_guard hold(mutex_);
  announcer_.say({Announcement::Kind::Launch, *counted, record.stream, kernel->display_name});
  return place;
}

bool Recorder::collecting() const {
  const std::lock_guard hold(mutex_);
  return collecting_;
}

uint32_t Recorder::transfer(record::TransferKind kind, uint64_t bytes, uint32_t stream, bool pinned,
                            Clock::time_point start, std::optional<double> gpu_seconds) {
  if (!writer_ || !collecting()) return timeline::kNone;
  return writer_->add_transfer(
      {kind, bytes, stream, since_start(start), seconds(Clock::now() - start), pinned, gpu_seconds.value_or(0)});
}

void Recorder::operation_numbers(const timeline::Numbers& numbers) {
  if (writer_) writer_->add_operation_numbers(numbers);
}

void Recorder::operation(const timeline::Operation& operation) {
  if (writer_) writer_->add_operation(operation);
}

void Recorder::api(const char* name, Clock::time_point start) {
  if (writer_ && collecting()) writer_->add_api({name, since_start(start), seconds(Clock::now() - start)});
}

void Recorder::sample(uint64_t launch, const AccessSample& sample) {
  if (writer_) writer_->add_sample(launch, sample);
}

void Recorder::finish(int exit_code) {
  if (writer_) check(writer_->finish(exit_code));
}

void Recorder::check(const Status& status) {
  if (status.ok()) return;
  const std::lock_guard hold(mutex_);
  if (!std::exchange(complained_, true)) complain_(status.problem().to_string());
}

std::string Recorder::open_ranges() const {
  const std::lock_guard hold(mutex_);
  std::string out;
  const auto append = [&](const std::string& name) { out += out.empty() ? name : "/" + name; };
  for (const auto& [id, name] : process_ranges_) append(name);
  if (const auto mine = ranges_.find(std::this_thread::get_id()); mine != ranges_.end())
    for (const std::string& name : mine->second) append(name);
  return out;
}

int Recorder::push_range(std::string name) {
  const std::lock_guard hold(mutex_);
  auto& mine = ranges_[std::this_thread::get_id()];
  mine.push_back(std::move(name));
  return static_cast<int>(mine.size()) - 1;
}

int Recorder::pop_range() {
  const std::lock_guard hold(mutex_);
  auto& mine = ranges_[std::this_thread::get_id()];
  if (mine.empty()) return -2;
  mine.pop_back();
  return static_cast<int>(mine.size());
}

uint64_t Recorder::start_range(std::string name) {
  const std::lock_guard hold(mutex_);
  process_ranges_[next_range_] = std::move(name);
  return next_range_++;
}

void Recorder::end_range(uint64_t id) {
  const std::lock_guard hold(mutex_);
  process_ranges_.erase(id);
}

void Recorder::set_collecting(bool on) {
  const std::lock_guard hold(mutex_);
  collecting_ = on;
}

SampleLog::SampleLog(const Options& options, Recorder& recorder,
                     const std::function<void(const std::string&)>& complain)
    : recorder_(recorder), in_profile_(options.keep_samples) {
  if (options.samples.empty()) return;
  file_.open(options.samples, std::ios::trunc);
  if (!file_) complain(fmt::format("drywarp: '{}' cannot be written", options.samples));
}

void SampleLog::add(const KernelInfo& kernel, const std::vector<AccessSample>* samples) {
  const uint64_t launch = launches_++;
  if (!samples) return;
  for (const AccessSample& sample : *samples) {
    uint32_t& units = known_[{kernel.name, sample.access, sample.memory}];
    if (sample.units <= units) continue;
    units = sample.units;
    if (file_.is_open()) file_ << launch << ' ' << to_line(sample) << '\n';
    if (in_profile_) recorder_.sample(launch, sample);
  }
  file_.flush();
}

}  // namespace drywarp::cuda
