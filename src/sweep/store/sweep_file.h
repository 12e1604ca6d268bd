// A sweep is one SQLite file: what it varies, and a row for each configuration, written as results come.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profile/store/sqlite.h"
#include "sweep/record/measurement.h"
#include "sweep/space/description.h"

namespace drywarp::sweep {

// What results depend on beside the description.
struct Origin {
  std::string drywarp_version;
  std::map<std::string, std::string> sources;  // digests by path
  bool operator==(const Origin&) const = default;
};

struct Row {
  size_t number = 0;  // from 1
  Configuration configuration;
  std::optional<Measurement> measurement;  // of the last stage that ran; none: it has not run
  std::string dropped;                     // why the search went on without it; empty: it did not
};

struct Sweep {
  Description description;
  Origin origin;
  std::vector<Row> rows;
  size_t decided_rounds = 0;  // of the search: who goes on is known
};

class SweepFile {
 public:
  // A new file, whose rows have not run. Replaces what is there.
  static Result<SweepFile> create(const std::string& path, const Description& description, const Origin& origin,
                                  const std::vector<Configuration>& configurations);
  static Result<SweepFile> open(const std::string& path);

  // One transaction each: a sweep that is killed has every row that ended.
  Status keep(const Row& row);
  // Who goes on after a round of the search, at once.
  Status keep_decision(const std::vector<Row*>& dropped, size_t decided_rounds);

 private:
  explicit SweepFile(store::Database database) : database_(std::move(database)) {}
  store::Database database_;
};

Result<Sweep> read_sweep(const std::string& path);

}  // namespace drywarp::sweep
