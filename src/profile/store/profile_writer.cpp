#include "profile/store/profile_writer.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>
#include <unordered_map>

#include "profile/store/codec.h"
#include "profile/store/drawing_codec.h"
#include "profile/store/operation_codec.h"
#include "profile/store/row_log.h"
#include "profile/store/schema.h"
#include "profile/store/sqlite.h"

namespace drywarp::store {
namespace {

constexpr size_t kRememberedCountBytes = 32u << 20;  // of earlier counts, to find equal ones

void add_extents(Row& row, const record::LaunchRecord& launch) {
  for (const record::Extent& e : {launch.grid, launch.block})
    for (const uint32_t extent : {e.x, e.y, e.z}) row.integer(extent);
}

}  // namespace

Status check_replaceable(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) || std::filesystem::file_size(path, ignored) == 0) return {};
  const Diagnostic foreign =
      error(fmt::format("{} exists and is not a drywarp profile", path), "name another file, or remove that one first");
  auto db = Database::open(path, Database::Mode::Existing);
  if (!db) return db.problem();
  const auto id = db->number("PRAGMA application_id");
  if (!id || *id != kApplicationId) return foreign;
  const auto format = db->number("PRAGMA user_version");
  if (!format || *format != kFormat) return {};
  const auto pid = db->number("SELECT writer_pid FROM run WHERE complete = 0");
  if (pid && *pid > 0 && *pid != getpid() && kill(static_cast<pid_t>(*pid), 0) == 0)
    return error(fmt::format("{} is being written by process {}", path, *pid));
  return {};
}

struct ProfileWriter::Impl {
  Impl(Database database, RowInserter prepared, RowLog empty)
      : db(std::move(database)), inserter(std::move(prepared)), log(std::move(empty)) {}
  ~Impl() {
    if (!mine()) {  // a forked child: the file is its parent's
      abandon();
      return;
    }
    drain();
    if (problem) log.remove();
  }
  void abandon() {
    // Finalising or closing here could undo the parent's locks, so the child leaks what it inherited.
    new RowInserter(std::move(inserter));
    db.abandon();
  }

  [[nodiscard]] bool mine() const { return getpid() == owner; }
  void note(Status status) {
    if (!status && problem) problem = std::move(status);
  }

  void add(const Row& row) {
    if (!problem) return;
    note(log.append(row));
    if (log.rows().size() >= kLogBytes) drain();
  }
  void drain() {
    if (!problem || log.rows().empty()) return;
    note(db.execute("BEGIN IMMEDIATE"));
    if (problem) note(inserter.insert(log.rows()));
    if (problem) note(db.execute("COMMIT"));
    if (problem) note(log.clear());
  }

  uint64_t counts_id(const LaunchCounts& counts) {
    std::string bytes = encode(counts);
    if (const auto known = remembered.find(bytes); known != remembered.end()) return known->second;
    const uint64_t id = ++last_counts;
    add(Row(RowKind::Counts).integer(id).blob(bytes));
    if (remembered_bytes + bytes.size() > kRememberedCountBytes) remembered.clear(), remembered_bytes = 0;
    remembered_bytes += bytes.size();
    remembered.emplace(std::move(bytes), id);
    return id;
  }

  uint64_t time_id(const std::shared_ptr<const sm::LaunchTime>& time) {
    const auto [known, is_new] = times.try_emplace(time, times.size() + 1);
    if (is_new)
      add(Row(RowKind::Time)
              .integer(known->second)
              .blob(encode(time->summary))
              .blob(encode(time->instructions))
              .text(encode(time->stand_ins))
              .text(encode(time->alternatives)));
    return known->second;
  }

  Database db;
  RowInserter inserter;
  RowLog log;
  pid_t owner = getpid();
  std::mutex mutex;
  Status problem;
  uint64_t last_counts = 0, last_launch = 0, last_transfer = 0, last_api = 0, last_sample = 0, last_operation = 0;
  // Owning the kernels keeps their addresses from being reused.
  std::unordered_map<std::shared_ptr<const KernelInfo>, uint32_t> kernels;
  std::unordered_map<std::shared_ptr<const sm::LaunchTime>, uint64_t> times;  // likewise
  std::unordered_map<std::string, uint64_t> remembered;
  size_t remembered_bytes = 0;
  std::unordered_map<std::string, uint64_t> api_names;
};

ProfileWriter::ProfileWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ProfileWriter::ProfileWriter(ProfileWriter&&) noexcept = default;
ProfileWriter& ProfileWriter::operator=(ProfileWriter&&) noexcept = default;
ProfileWriter::~ProfileWriter() = default;

Result<ProfileWriter> ProfileWriter::open(const std::string& path, const ProgramInfo& info) {
  if (auto s = check_replaceable(path); !s) return s.problem();
  for (const char* suffix : {"", "-wal", "-shm", "-journal", "-log"}) {
    std::error_code ignored;
    std::filesystem::remove(path + suffix, ignored);
  }
  auto db = Database::open(path, Database::Mode::Create);
  if (!db) return db.problem();
  // WAL: a commit is one append. Without syncing, a commit outlives the process, though not a power cut.
  const std::string setup = fmt::format(
      "PRAGMA application_id={}; PRAGMA user_version={}; PRAGMA journal_mode=WAL;"
      "PRAGMA synchronous=OFF; BEGIN; {} COMMIT;",
      kApplicationId, kFormat, kSchema);
  if (auto s = db->execute(setup.c_str()); !s) return s.problem();
  auto run = db->prepare("INSERT INTO run VALUES(?,?,?,?,0,0,?,0)");
  if (!run) return run.problem();
  run->bind(0, info.program).bind(1, info.device).bind(2, info.drywarp_version).bind(3, int64_t(getpid()));
  run->bind(4, info.moves);
  if (auto s = run->run(); !s) return s.problem();
  auto inserter = RowInserter::prepare(*db);
  if (!inserter) return inserter.problem();
  auto log = RowLog::create(RowLog::path_beside(path));
  if (!log) return log.problem();
  return ProfileWriter(std::make_unique<Impl>(std::move(*db), std::move(*inserter), std::move(*log)));
}

// Every member checks mine() before locking: in a forked child, another thread of the parent may have held the lock.

uint32_t ProfileWriter::add_kernel(const std::shared_ptr<const KernelInfo>& kernel) {
  if (!impl_->mine()) return 0;
  const std::lock_guard lock(impl_->mutex);
  if (const auto known = impl_->kernels.find(kernel); known != impl_->kernels.end()) return known->second;
  const auto id = static_cast<uint32_t>(impl_->kernels.size());
  impl_->kernels.emplace(kernel, id);
  Row row(RowKind::Kernel);
  row.integer(id).text(kernel->name).text(kernel->display_name).integer(kernel->registers);
  row.integer(kernel->static_shared_bytes).integer(kernel->local_bytes).blob(encode(*kernel));
  impl_->add(row);
  return id;
}

void ProfileWriter::begin_launch(const KernelInfo& kernel, const record::LaunchRecord& launch) {
  if (!impl_->mine()) return;
  const std::lock_guard lock(impl_->mutex);
  Row row(RowKind::Running);
  row.integer(impl_->last_launch + 1).text(kernel.name).text(kernel.display_name);
  add_extents(row, launch);
  row.integer(launch.dynamic_shared_bytes).integer(launch.stream).text(launch.range).real(launch.start_seconds);
  impl_->add(row);
}

uint32_t ProfileWriter::add_launch(const record::LaunchRecord& launch, const record::DrawnLaunch* drawn) {
  if (!impl_->mine()) return 0;
  const std::lock_guard lock(impl_->mutex);
  const uint64_t counts = launch.counted ? impl_->counts_id(launch.counts) : 0;
  const uint64_t time = launch.time ? impl_->time_id(launch.time) : 0;
  Row row(RowKind::Launch);
  row.integer(++impl_->last_launch).integer(launch.kernel);
  add_extents(row, launch);
  row.integer(launch.dynamic_shared_bytes).integer(launch.stream).text(launch.range);
  row.real(launch.start_seconds).real(launch.host_seconds).integer(counts).text(launch.fault);
  row.integer(launch.carveout).integer(time).text(launch.untimed);
  row.integer(launch.counts.wavefront_bytes);
  impl_->add(row);
  const auto place = static_cast<uint32_t>(impl_->last_launch - 1);
  if (!drawn) return place;
  Row drawing(RowKind::Drawn);
  drawing.integer(launch.kernel).integer(impl_->last_launch);
  impl_->add(drawing.blob(encode(drawn->code)).blob(encode(drawn->timeline)).blob(encode(drawn->steps)));
  return place;
}

uint32_t ProfileWriter::add_transfer(const record::TransferRecord& transfer) {
  if (!impl_->mine()) return 0;
  const std::lock_guard lock(impl_->mutex);
  Row row(RowKind::Transfer);
  row.integer(++impl_->last_transfer).integer(static_cast<uint64_t>(transfer.kind)).integer(transfer.bytes);
  row.integer(transfer.stream).real(transfer.start_seconds).real(transfer.host_seconds);
  impl_->add(row.integer(transfer.pinned).real(transfer.gpu_seconds));
  return static_cast<uint32_t>(impl_->last_transfer - 1);
}

void ProfileWriter::add_operation_numbers(const timeline::Numbers& numbers) {
  if (!impl_->mine()) return;
  const std::lock_guard lock(impl_->mutex);
  impl_->add(Row(RowKind::Operation).integer(0).text(encode(numbers)));
}

void ProfileWriter::add_operation(const timeline::Operation& operation) {
  if (!impl_->mine()) return;
  const std::lock_guard lock(impl_->mutex);
  impl_->add(Row(RowKind::Operation).integer(++impl_->last_operation).text(encode(operation)));
}

void ProfileWriter::add_api(const record::ApiRecord& call) {
  if (!impl_->mine()) return;
  const std::lock_guard lock(impl_->mutex);
  const auto [name, is_new] = impl_->api_names.try_emplace(call.name, impl_->api_names.size());
  if (is_new) impl_->add(Row(RowKind::ApiName).integer(name->second).text(call.name));
  Row row(RowKind::Api);
  impl_->add(row.integer(++impl_->last_api).integer(name->second).real(call.start_seconds).real(call.host_seconds));
}

void ProfileWriter::add_sample(uint64_t launch, const AccessSample& sample) {
  if (!impl_->mine()) return;
  const std::lock_guard lock(impl_->mutex);
  impl_->add(Row(RowKind::Sample).integer(++impl_->last_sample).integer(launch).text(to_line(sample)));
}

Status ProfileWriter::finish(int exit_code) {
  if (!impl_->mine()) return {};
  const std::lock_guard lock(impl_->mutex);
  impl_->add(Row(RowKind::Finish).integer(static_cast<uint64_t>(int64_t{exit_code})));
  impl_->drain();
  return impl_->problem;
}

Status ProfileWriter::status() const {
  if (!impl_->mine()) return {};
  const std::lock_guard lock(impl_->mutex);
  return impl_->problem;
}

}  // namespace drywarp::store
