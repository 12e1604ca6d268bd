#include "profile/store/profile_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <unordered_map>

#include "profile/store/checks_codec.h"
#include "profile/store/codec.h"
#include "profile/store/drawing_codec.h"
#include "profile/store/operation_codec.h"
#include "profile/store/row_log.h"
#include "profile/store/schema.h"
#include "profile/store/sqlite.h"

namespace drywarp::store {
namespace {

Status each_row(Database& db, const char* sql, const std::function<Status(const Statement&)>& take) {
  auto statement = db.prepare(sql);
  if (!statement) return statement.problem();
  for (;;) {
    auto row = statement->step();
    if (!row) return row.problem();
    if (!*row) return {};
    if (auto s = take(*statement); !s) return s;
  }
}

Status read_run(Database& db, record::Profile& profile) {
  bool found = false;
  const auto format = db.number("PRAGMA user_version");
  if (!format) return format.problem();
  const std::string query = fmt::format("SELECT program, device, drywarp_version, exit_code, complete, {}, {} FROM run",
                                        *format >= 6 ? "moves" : "''", *format >= 7 ? "signal" : "0");
  auto s = each_row(db, query.c_str(), [&](const Statement& row) {
    found = true;
    profile.program = row.text(0), profile.device = row.text(1), profile.drywarp_version = row.text(2);
    profile.exit_code = static_cast<int>(row.integer(3)), profile.complete = row.integer(4) != 0;
    profile.moves = row.text(5), profile.signal = static_cast<int>(row.integer(6));
    return Status();
  });
  if (s && !found) return error("the record of the run is missing");
  return s;
}

Status read_kernels(Database& db, record::Profile& profile) {
  return each_row(
      db, "SELECT id, name, display_name, registers, static_shared, local, instructions FROM kernel ORDER BY id",
      [&](const Statement& row) -> Status {
        if (row.integer(0) != static_cast<int64_t>(profile.kernels.size())) return error("a kernel is missing");
        auto kernel = std::make_shared<KernelInfo>();
        kernel->name = row.text(1), kernel->display_name = row.text(2);
        kernel->registers = static_cast<uint32_t>(row.integer(3));
        kernel->static_shared_bytes = row.integer(4), kernel->local_bytes = row.integer(5);
        if (auto s = decode_kernel(row.blob(6), *kernel); !s) return s;
        profile.kernels.push_back(std::move(kernel));
        return {};
      });
}

// Indices in a kernel's instructions must lie inside the counts of its launches, or the counts be empty, as of a launch
// that failed before it began.
bool fits(const KernelInfo& kernel, const LaunchCounts& counts) {
  const auto inside = [](uint32_t index, size_t entries, size_t size) {
    return index == InstructionInfo::kNone || size == 0 || (size >= entries && index <= size - entries);
  };
  for (const InstructionInfo& i : kernel.instructions) {
    if (!inside(i.block, 1, counts.blocks.size()) || !inside(i.predicate, 1, counts.predicates.size()) ||
        !inside(i.branch, 1, counts.branches.size()) ||
        !inside(i.access, i.generic ? kMemories : 1, counts.accesses.size()))
      return false;
  }
  return true;
}

record::Extent extent(const Statement& row, int column) {
  return {uint32_t(row.integer(column)), uint32_t(row.integer(column + 1)), uint32_t(row.integer(column + 2))};
}

using Times = std::unordered_map<int64_t, std::shared_ptr<const sm::LaunchTime>>;

// Formats before 4 do not have the stand-ins for numbers that a device file lacks; formats before 7 no alternatives.
Result<Times> read_times(Database& db, int64_t format) {
  Times times;
  const std::string query = fmt::format("SELECT id, summary, instructions, {}, {} FROM time",
                                        format >= 4 ? "stand_ins" : "''", format >= 7 ? "alternatives" : "''");
  auto s = each_row(db, query.c_str(), [&](const Statement& row) -> Status {
    auto summary = decode_time(row.blob(1));
    if (!summary) return summary.problem();
    auto instructions = decode_instruction_times(row.blob(2));
    if (!instructions) return instructions.problem();
    times.emplace(row.integer(0), std::make_shared<const sm::LaunchTime>(
                                      sm::LaunchTime{*summary, std::move(*instructions), decode_stand_ins(row.text(3)),
                                                     decode_alternatives(row.text(4))}));
    return {};
  });
  if (!s) return s.problem();
  return times;
}

Status read_launches(Database& db, record::Profile& profile) {
  // Times of format 2 are figures without names and cannot be read.
  const auto format = db.number("PRAGMA user_version");
  if (!format) return format.problem();
  const bool has_times = *format >= 3;
  auto times = has_times ? read_times(db, *format) : Result<Times>(Times{});
  if (!times) return times.problem();
  std::unordered_map<int64_t, LaunchCounts> counts;
  auto s = each_row(db, "SELECT id, sums FROM counts", [&](const Statement& row) -> Status {
    auto decoded = decode_counts(row.blob(1), *format);
    if (!decoded) return decoded.problem();
    counts.emplace(row.integer(0), std::move(*decoded));
    return {};
  });
  if (!s) return s;
  const std::string select = fmt::format(
      "SELECT kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared, stream, nvtx, start,"
      " seconds, counts, fault, {}, {}, {} FROM launch ORDER BY id",
      has_times ? "time, untimed" : "0, ''", *format >= 5 ? "carveout" : "-1",
      *format >= 6 ? "wavefront_bytes" : "128");
  return each_row(db, select.c_str(), [&](const Statement& row) -> Status {
    record::LaunchRecord launch;
    if (row.integer(0) < 0 || row.integer(0) >= static_cast<int64_t>(profile.kernels.size()))
      return error("a launch of an unknown kernel");
    launch.kernel = static_cast<uint32_t>(row.integer(0));
    launch.grid = extent(row, 1), launch.block = extent(row, 4);
    launch.dynamic_shared_bytes = static_cast<uint32_t>(row.integer(7));
    launch.stream = static_cast<uint32_t>(row.integer(8));
    launch.range = row.text(9), launch.start_seconds = row.real(10), launch.host_seconds = row.real(11);
    launch.fault = row.text(13);
    if (const int64_t id = row.integer(14); id != 0) {
      const auto found = times->find(id);
      const size_t instructions = profile.kernels[launch.kernel]->instructions.size();
      if (found == times->end() || found->second->instructions.size() > instructions)
        return error("the time of a launch is missing or does not fit its kernel");
      launch.time = found->second;
    }
    launch.untimed = row.text(15);
    launch.carveout = static_cast<int>(row.integer(16));
    if (const int64_t id = row.integer(12); id != 0) {
      const auto found = counts.find(id);
      if (found == counts.end() || !fits(*profile.kernels[launch.kernel], found->second))
        return error("the counts of a launch are missing or do not fit its kernel");
      launch.counted = true;
      launch.counts = found->second;
      launch.counts.wavefront_bytes = static_cast<uint32_t>(row.integer(17));
    }
    profile.launches.push_back(std::move(launch));
    return {};
  });
}

// The launch that was running when the process died, if any.
Status read_running(Database& db, record::Profile& profile) {
  return each_row(
      db,
      "SELECT name, display_name, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared, stream, nvtx,"
      " start FROM running WHERE launch > (SELECT coalesce(max(id), 0) FROM launch)",
      [&](const Statement& row) {
        record::LaunchRecord launch;
        const auto known = std::ranges::find(profile.kernels, row.text(0), &KernelInfo::name);
        launch.kernel = static_cast<uint32_t>(known - profile.kernels.begin());
        if (known == profile.kernels.end()) {
          auto kernel = std::make_shared<KernelInfo>();
          kernel->name = row.text(0), kernel->display_name = row.text(1);
          profile.kernels.push_back(std::move(kernel));
        }
        launch.grid = extent(row, 2), launch.block = extent(row, 5);
        launch.dynamic_shared_bytes = static_cast<uint32_t>(row.integer(8));
        launch.stream = static_cast<uint32_t>(row.integer(9));
        launch.range = row.text(10), launch.start_seconds = row.real(11);
        launch.fault = "the program ended while it ran";
        profile.launches.push_back(std::move(launch));
        return Status();
      });
}

Status read_transfers(Database& db, record::Profile& profile) {
  const auto format = db.number("PRAGMA user_version");
  if (!format) return format.problem();
  const std::string query =
      fmt::format("SELECT kind, bytes, stream, start, seconds, pinned, {} FROM transfer ORDER BY id",
                  *format >= 9 ? "gpu_seconds" : "0");
  return each_row(db, query.c_str(), [&](const Statement& row) -> Status {
    if (row.integer(0) < 0 || row.integer(0) > int64_t(record::TransferKind::Memset))
      return error("a transfer of an unknown kind");
    profile.transfers.push_back({static_cast<record::TransferKind>(row.integer(0)), uint64_t(row.integer(1)),
                                 uint32_t(row.integer(2)), row.real(3), row.real(4), row.integer(5) != 0, row.real(6)});
    return {};
  });
}

Status read_api(Database& db, record::Profile& profile) {
  return each_row(
      db, "SELECT api_name.name, start, seconds FROM api JOIN api_name ON api.name = api_name.id ORDER BY api.id",
      [&](const Statement& row) {
        profile.api_calls.push_back({row.text(0), row.real(1), row.real(2)});
        return Status();
      });
}

Status read_samples(Database& db, record::Profile& profile) {
  return each_row(db, "SELECT launch, sample FROM sample ORDER BY id", [&](const Statement& row) -> Status {
    const auto sample = parse_access_sample(row.text(1));
    if (!sample) return error("a sample is damaged");
    // The sample of a launch that did not end has no launch.
    if (row.integer(0) >= 0 && row.integer(0) < static_cast<int64_t>(profile.launches.size()))
      profile.samples.push_back({static_cast<uint64_t>(row.integer(0)), *sample});
    return {};
  });
}

// The launch of a drawing is written before it.
Status read_drawn(Database& db, record::Profile& profile) {
  const char* const query = "SELECT kernel, launch, code, timeline, steps FROM drawn ORDER BY launch";
  return each_row(db, query, [&](const Statement& row) -> Status {
    const auto launch = static_cast<uint64_t>(row.integer(1)) - 1;
    if (launch >= profile.launches.size() || profile.launches[launch].kernel != row.integer(0))
      return error("a drawing of an unknown launch");
    auto code = decode_listing(row.blob(2), *profile.kernels[profile.launches[launch].kernel]);
    if (!code) return code.problem();
    auto timeline = decode_timeline(row.blob(3));
    if (!timeline) return timeline.problem();
    auto steps = decode_steps(row.blob(4));
    if (!steps) return steps.problem();
    if (timeline->instructions.size() != code->instructions.size()) return error("a record is damaged");
    profile.drawn.push_back({launch, std::move(*code), std::move(*timeline), std::move(*steps)});
    return {};
  });
}

// Row 0 has the numbers.
Status read_operations(Database& db, record::Profile& profile) {
  return each_row(db, "SELECT id, operation FROM operation ORDER BY id", [&](const Statement& row) -> Status {
    if (row.integer(0) == 0) {
      const auto numbers = decode_numbers(row.text(1));
      if (!numbers) return error("the numbers of operations are damaged");
      profile.operation_numbers = *numbers;
      return {};
    }
    const auto place = static_cast<uint32_t>(profile.operations.size());
    auto operation = decode_operation(row.text(1), place);
    if (!operation || row.integer(0) != int64_t{place} + 1) return error("an operation is damaged");
    // The launch or transfer of a program that was killed may be missing.
    const bool kernel = operation->kind == timeline::Kind::Kernel;
    const size_t known = kernel ? profile.launches.size() : profile.transfers.size();
    if (operation->subject >= known) operation->subject = timeline::kNone;
    profile.operations.push_back(std::move(*operation));
    return {};
  });
}

Status read_kept(Database& db, record::Profile& profile) {
  record::KeptFacts& kept = profile.kept;
  auto s = each_row(db, "SELECT key, value FROM kept", [&](const Statement& row) {
    for (const KeptText& text : kKeptTexts)
      if (row.text(0) == text.key) kept.*text.member = row.text(1);
    if (row.text(0) == kOutputCut) kept.output_cut = row.text(1) == "1";
    if (row.text(0) != kChecks) return Status();
    auto report = decode_checks(row.text(1));
    if (!report) return Status(report.problem());
    report->program = profile.program, report->version = profile.drywarp_version;
    profile.checks = std::move(*report);
    return Status();
  });
  if (!s) return s;
  s = each_row(db, "SELECT number, value, kind, source FROM device_numbers ORDER BY number", [&](const Statement& row) {
    kept.device_numbers.push_back({row.text(0), row.text(1), row.text(2), row.text(3)});
    return Status();
  });
  if (!s) return s;
  return each_row(db, "SELECT file, line, text FROM source ORDER BY file, line", [&](const Statement& row) -> Status {
    std::vector<std::string>& lines = kept.sources[row.text(0)];
    if (row.integer(1) != static_cast<int64_t>(lines.size()) + 1) return error("a line of a source file is missing");
    lines.push_back(row.text(2));
    return {};
  });
}

}  // namespace

Status check_profile(Database& db, const std::string& path) {
  constexpr const char* kHint = "`drywarp profile -o run.dwprof ...` writes a profile";
  const auto id = db.number("PRAGMA application_id");
  if (!id) return error(fmt::format("{} is not a drywarp profile: it is no SQLite file", path), kHint);
  if (*id != kApplicationId)
    return error(fmt::format("{} is not a drywarp profile: it is an SQLite file of another program", path), kHint);
  const auto format = db.number("PRAGMA user_version");
  if (!format) return format.problem();
  if (*format > kFormat)
    return error(
        fmt::format("{} was written by a newer drywarp (format {}, this one reads up to {})", path, *format, kFormat),
        "read it with the drywarp that wrote it, or profile again with this one");
  return {};
}

Result<record::Profile> read_profile(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return error(fmt::format("there is no profile {}", path));
  auto db = Database::open(path, Database::Mode::Existing);
  if (!db) return db.problem();
  if (auto s = check_profile(*db, path); !s) return s.problem();
  record::Profile profile;
  // One transaction: a profile that is still being written is read as of one moment. The log's rows are inserted and
  // rolled back, since the log belongs to the writer, which may be alive.
  const std::string log = read_row_log(RowLog::path_beside(path));
  if (auto s = db->execute(log.empty() ? "BEGIN" : "BEGIN IMMEDIATE"); !s) return s.problem();
  const auto damaged = [&](const Status& s) {
    return error(fmt::format("{} is damaged: {}", path, s.problem().message));
  };
  if (!log.empty()) {
    auto inserter = RowInserter::prepare(*db);
    if (!inserter) return inserter.problem();
    if (auto s = inserter->insert(log); !s) return damaged(s);
  }
  for (const auto part : {read_run, read_kernels, read_launches, read_running, read_transfers, read_api})
    if (auto s = part(*db, profile); !s) return damaged(s);
  const auto format = db->number("PRAGMA user_version");
  if (!format) return format.problem();
  if (*format >= 7)
    for (const auto part : {read_samples, read_kept})
      if (auto s = part(*db, profile); !s) return damaged(s);
  if (*format >= 10)
    if (auto s = read_drawn(*db, profile); !s) return damaged(s);
  if (*format >= 11)
    if (auto s = read_operations(*db, profile); !s) return damaged(s);
  if (auto s = db->execute("ROLLBACK"); !s) return s.problem();
  return profile;
}

}  // namespace drywarp::store
