#include "store/profile_writer.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "store/codec.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace drywarp::store {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kRememberedCountBytes = 32u << 20;  // of earlier counts, to find equal ones

// May an existing file be replaced? Only by its own kind, and not while somebody writes it.
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

struct Statements {
  Statement kernel, counts, launch, transfer, api_name, api, finish;
};

Result<Statements> prepare(Database& db) {
  Statements s;
  const std::pair<Statement*, const char*> wanted[] = {
      {&s.kernel, "INSERT INTO kernel VALUES(?,?,?,?,?,?,?)"},
      {&s.counts, "INSERT INTO counts(sums) VALUES(?)"},
      {&s.launch, "INSERT INTO launch VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
      {&s.transfer, "INSERT INTO transfer VALUES(NULL,?,?,?,?,?)"},
      {&s.api_name, "INSERT INTO api_name VALUES(?,?)"},
      {&s.api, "INSERT INTO api VALUES(NULL,?,?,?)"},
      {&s.finish, "UPDATE run SET exit_code = ?, complete = 1"},
  };
  for (const auto& [statement, sql] : wanted) {
    auto prepared = db.prepare(sql);
    if (!prepared) return prepared.problem();
    *statement = std::move(*prepared);
  }
  return s;
}

}  // namespace

struct ProfileWriter::Impl {
  Impl(Database database, Statements prepared) : db(std::move(database)), sql(std::move(prepared)) {}
  ~Impl() {
    if (getpid() != owner) {  // a forked child: the file is its parent's
      abandon();
      return;
    }
    commit();
  }
  void abandon() {
    // Finalising or closing here could undo the parent's locks, so the child leaks what it inherited.
    new Statements(std::move(sql));
    db.abandon();
  }

  [[nodiscard]] bool usable() const { return problem.ok() && getpid() == owner; }
  void note(Status status) {
    if (!status && problem) problem = std::move(status);
  }

  void begin() {
    if (in_transaction) return;
    note(db.execute("BEGIN"));
    in_transaction = problem.ok();
  }
  void commit() {
    if (in_transaction) {
      in_transaction = false;
      note(db.execute("COMMIT"));
    }
    pending = 0;
    last_commit = Clock::now();
  }
  void added() {
    if (++pending >= kCommitRecords || Clock::now() - last_commit >= std::chrono::duration<double>(kCommitSeconds))
      commit();
  }

  int64_t counts_id(const LaunchCounts& counts) {
    std::string bytes = encode(counts);
    if (const auto known = remembered.find(bytes); known != remembered.end()) return known->second;
    note(sql.counts.bind_blob(0, bytes).run());
    const int64_t id = db.last_row();
    if (remembered_bytes + bytes.size() > kRememberedCountBytes) remembered.clear(), remembered_bytes = 0;
    remembered_bytes += bytes.size();
    remembered.emplace(std::move(bytes), id);
    return id;
  }

  Database db;
  Statements sql;
  pid_t owner = getpid();
  std::mutex mutex;
  Status problem;
  bool in_transaction = false;
  unsigned pending = 0;
  Clock::time_point last_commit = Clock::now();
  // Holding the kernels keeps their addresses theirs.
  std::unordered_map<std::shared_ptr<const KernelInfo>, uint32_t> kernels;
  std::unordered_map<std::string, int64_t> remembered;
  size_t remembered_bytes = 0;
  std::unordered_map<std::string, int64_t> api_names;
};

ProfileWriter::ProfileWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ProfileWriter::ProfileWriter(ProfileWriter&&) noexcept = default;
ProfileWriter& ProfileWriter::operator=(ProfileWriter&&) noexcept = default;
ProfileWriter::~ProfileWriter() = default;

Result<ProfileWriter> ProfileWriter::open(const std::string& path, const ProgramInfo& info) {
  if (auto s = check_replaceable(path); !s) return s.problem();
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
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
  auto run = db->prepare("INSERT INTO run VALUES(?,?,?,?,0,0)");
  if (!run) return run.problem();
  run->bind(0, info.program).bind(1, info.device).bind(2, info.drywarp_version).bind(3, int64_t(getpid()));
  if (auto s = run->run(); !s) return s.problem();
  auto statements = prepare(*db);
  if (!statements) return statements.problem();
  return ProfileWriter(std::make_unique<Impl>(std::move(*db), std::move(*statements)));
}

uint32_t ProfileWriter::add_kernel(const std::shared_ptr<const KernelInfo>& kernel) {
  const std::lock_guard lock(impl_->mutex);
  if (const auto known = impl_->kernels.find(kernel); known != impl_->kernels.end()) return known->second;
  const auto id = static_cast<uint32_t>(impl_->kernels.size());
  impl_->kernels.emplace(kernel, id);
  if (!impl_->usable()) return id;
  impl_->begin();
  const std::string instructions = encode(*kernel);
  Statement& row = impl_->sql.kernel;
  row.bind(0, int64_t(id)).bind(1, kernel->name).bind(2, kernel->display_name).bind(3, int64_t(kernel->registers));
  row.bind(4, int64_t(kernel->static_shared_bytes)).bind(5, int64_t(kernel->local_bytes)).bind_blob(6, instructions);
  impl_->note(row.run());
  return id;
}

void ProfileWriter::add_launch(const report::LaunchRecord& launch) {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->usable()) return;
  impl_->begin();
  const int64_t counts = launch.counted ? impl_->counts_id(launch.counts) : 0;
  Statement& row = impl_->sql.launch;
  int column = 0;
  row.bind(column++, int64_t(launch.kernel));
  for (const report::Extent& e : {launch.grid, launch.block})
    for (const uint32_t extent : {e.x, e.y, e.z}) row.bind(column++, int64_t(extent));
  row.bind(column++, int64_t(launch.dynamic_shared_bytes)).bind(column++, int64_t(launch.stream));
  row.bind(column++, launch.range).bind(column++, launch.start_seconds).bind(column++, launch.host_seconds);
  row.bind(column++, counts).bind(column++, launch.fault);
  impl_->note(row.run());
  impl_->added();
}

void ProfileWriter::add_transfer(const report::TransferRecord& transfer) {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->usable()) return;
  impl_->begin();
  Statement& row = impl_->sql.transfer;
  row.bind(0, int64_t(transfer.kind)).bind(1, int64_t(transfer.bytes)).bind(2, int64_t(transfer.stream));
  row.bind(3, transfer.start_seconds).bind(4, transfer.host_seconds);
  impl_->note(row.run());
  impl_->added();
}

void ProfileWriter::add_api(const report::ApiRecord& call) {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->usable()) return;
  impl_->begin();
  const auto [name, is_new] = impl_->api_names.try_emplace(call.name, int64_t(impl_->api_names.size()));
  if (is_new) impl_->note(impl_->sql.api_name.bind(0, name->second).bind(1, call.name).run());
  impl_->note(impl_->sql.api.bind(0, name->second).bind(1, call.start_seconds).bind(2, call.host_seconds).run());
  impl_->added();
}

Status ProfileWriter::flush() {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->usable()) impl_->commit();
  return impl_->problem;
}

Status ProfileWriter::finish(int exit_code) {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->usable()) {
    impl_->begin();
    impl_->note(impl_->sql.finish.bind(0, int64_t(exit_code)).run());
    impl_->commit();
  }
  return impl_->problem;
}

Status ProfileWriter::status() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->problem;
}

}  // namespace drywarp::store
