#include "sweep/store/sweep_file.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "sweep/record/description_json.h"

namespace drywarp::sweep {
namespace {

constexpr int64_t kFormat = 1;

constexpr const char* kSchema = R"(
CREATE TABLE sweep (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE row (
  number INTEGER PRIMARY KEY,
  configuration TEXT NOT NULL,  -- JSON: {"BM": "32"}
  indices TEXT NOT NULL,        -- JSON: of the values
  outcome TEXT,                 -- NULL: it has not run
  stage TEXT,                   -- the last that ran
  reason TEXT,
  dropped TEXT,                 -- why the search went on without it
  seconds REAL, occupancy REAL, registers INTEGER, least_cycles REAL, host_seconds REAL,
  measurement TEXT);            -- JSON: all of it
)";

Diagnostic no_sweep(const std::string& path) {
  return error(fmt::format("'{}' is no sweep", path), "name a file that `drywarp sweep -o FILE` wrote");
}

std::string labels(const Space& space, const Configuration& configuration) {
  Json json = Json::object();
  for (size_t p = 0; p < configuration.size(); ++p)
    json[space.parameters()[p].name] = space.value(configuration, p).label;
  return text(json);
}

Status write_fact(store::Database& database, std::string_view key, const std::string& value) {
  auto insert = database.prepare("INSERT OR REPLACE INTO sweep VALUES (?, ?)");
  if (!insert) return insert.problem();
  return insert->bind(0, key).bind(1, std::string_view(value)).run();
}

Result<std::string> read_fact(store::Database& database, std::string_view key) {
  auto select = database.prepare("SELECT value FROM sweep WHERE key = ?");
  if (!select) return no_sweep(database.path());
  const auto found = select->bind(0, key).step();
  if (!found || !*found) return no_sweep(database.path());
  return select->text(0);
}

bool fits(const Configuration& configuration, const Space& space) {
  if (configuration.size() != space.parameters().size()) return false;
  for (size_t p = 0; p < configuration.size(); ++p)
    if (configuration[p] >= space.parameters()[p].values.size()) return false;
  return true;
}

Result<Row> read_row(const store::Statement& select, const Space& space, const std::string& path) {
  Row row;
  row.number = static_cast<size_t>(select.integer(0));
  const Json indices = Json::parse(select.text(1), nullptr, false);
  if (!indices.is_array()) return no_sweep(path);
  for (const Json& index : indices)
    row.configuration.push_back(index.is_number_unsigned() ? index.get<uint32_t>() : ~0u);
  if (!fits(row.configuration, space)) return no_sweep(path);
  if (select.type(2) != store::Statement::Type::Null) {
    auto measurement = parse_measurement(select.text(2), fmt::format("{}, row {}", path, row.number));
    if (!measurement) return measurement.problem();
    row.measurement = std::move(*measurement);
  }
  row.dropped = select.type(3) == store::Statement::Type::Null ? "" : select.text(3);
  return row;
}

Status write_new(store::Database& database, const Description& description, const Origin& origin,
                 const std::vector<Configuration>& configurations) {
  for (const char* sql : {"BEGIN", kSchema})
    if (Status s = database.execute(sql); !s) return s;
  for (const auto& [key, value] : {std::pair<const char*, std::string>{"format", std::to_string(kFormat)},
                                   {"description", text(to_json(description))},
                                   {"drywarp_version", origin.drywarp_version},
                                   {"sources", text(Json(origin.sources))},
                                   {"decided_rounds", "0"}})
    if (Status s = write_fact(database, key, value); !s) return s;
  auto insert = database.prepare("INSERT INTO row (number, configuration, indices) VALUES (?, ?, ?)");
  if (!insert) return insert.problem();
  for (size_t i = 0; i < configurations.size(); ++i) {
    const std::string names = labels(description.space, configurations[i]), indices = text(Json(configurations[i]));
    if (Status s = insert->bind(0, static_cast<int64_t>(i + 1))
                       .bind(1, std::string_view(names))
                       .bind(2, std::string_view(indices))
                       .run();
        !s)
      return s;
  }
  return database.execute("COMMIT");
}

}  // namespace

Result<SweepFile> SweepFile::create(const std::string& path, const Description& description, const Origin& origin,
                                    const std::vector<Configuration>& configurations) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(path + suffix, ignored);
  auto database = store::Database::open(path, store::Database::Mode::Create);
  if (!database) return database.problem();
  if (Status s = write_new(*database, description, origin, configurations); !s) return s.problem();
  return SweepFile(std::move(*database));
}

Result<SweepFile> SweepFile::open(const std::string& path) {
  auto database = store::Database::open(path, store::Database::Mode::Existing);
  if (!database) return database.problem();
  return SweepFile(std::move(*database));
}

Status SweepFile::keep(const Row& row) {
  auto update = database_.prepare(
      "UPDATE row SET outcome = ?, stage = ?, reason = ?, dropped = ?, seconds = ?, occupancy = ?, registers = ?, "
      "least_cycles = ?, host_seconds = ?, measurement = ? WHERE number = ?");
  if (!update) return update.problem();
  const Measurement m = row.measurement.value_or(Measurement{});
  const std::string whole = text(to_json(m));
  const auto bind_text = [&](int index, std::string_view value, bool there) {
    there ? update->bind(index, value) : update->bind_null(index);
  };
  const auto bind_number = [&](int index, std::optional<double> value) {
    value ? update->bind(index, *value) : update->bind_null(index);
  };
  const bool ran = row.measurement.has_value();
  bind_text(0, key(m.outcome), ran);
  bind_text(1, key(m.stage), ran);
  bind_text(2, m.reason, !m.reason.empty());
  bind_text(3, row.dropped, !row.dropped.empty());
  bind_number(4, m.seconds);
  bind_number(5, m.occupancy);
  m.registers ? update->bind(6, int64_t{*m.registers}) : update->bind_null(6);
  bind_number(7, m.cycles);
  bind_number(8, ran ? std::optional(m.host_seconds) : std::nullopt);
  bind_text(9, whole, ran);
  return update->bind(10, static_cast<int64_t>(row.number)).run();
}

Status SweepFile::keep_decision(const std::vector<Row*>& dropped, size_t decided_rounds) {
  if (Status s = database_.execute("BEGIN"); !s) return s;
  for (const Row* row : dropped)
    if (Status s = keep(*row); !s) return s;
  if (Status s = write_fact(database_, "decided_rounds", std::to_string(decided_rounds)); !s) return s;
  return database_.execute("COMMIT");
}

Result<Sweep> read_sweep(const std::string& path) {
  auto database = store::Database::open(path, store::Database::Mode::ReadOnly);
  if (!database) return database.problem();
  const auto format = read_fact(*database, "format");
  if (!format) return format.problem();
  if (*format != std::to_string(kFormat))
    return error(fmt::format("'{}' has format {}, which this drywarp cannot read", path, *format));
  const auto description = read_fact(*database, "description"), version = read_fact(*database, "drywarp_version"),
             sources = read_fact(*database, "sources");
  for (const auto* fact : {&description, &version, &sources})
    if (!*fact) return fact->problem();
  auto parsed = parse_kept_description(*description, path);
  if (!parsed) return parsed.problem();
  const auto rounds = read_fact(*database, "decided_rounds");
  if (!rounds) return rounds.problem();
  Sweep sweep{std::move(*parsed), {*version, {}}, {}, static_cast<size_t>(std::strtoul(rounds->c_str(), nullptr, 10))};
  const Json digests = Json::parse(*sources, nullptr, false);
  if (!digests.is_object()) return no_sweep(path);
  for (const auto& [file, digest] : digests.items())
    if (digest.is_string()) sweep.origin.sources[file] = digest.get<std::string>();
  auto select = database->prepare("SELECT number, indices, measurement, dropped FROM row ORDER BY number");
  if (!select) return no_sweep(path);
  while (true) {
    const auto more = select->step();
    if (!more) return more.problem();
    if (!*more) return sweep;
    auto row = read_row(*select, sweep.description.space, path);
    if (!row) return row.problem();
    sweep.rows.push_back(std::move(*row));
  }
}

}  // namespace drywarp::sweep
