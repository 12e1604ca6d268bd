// The tables that a running program fills, and those for facts that are known only at its end. profile/tables adds
// tables for people. kFormat goes up whenever an older reader would misread a newer file.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "profile/record/profile.h"

namespace drywarp::store {

inline constexpr int64_t kApplicationId = 0x44525957;  // "DRYW", in SQLite's header: this is one of ours
inline constexpr int64_t kFormat = 11;                 // PRAGMA user_version

inline constexpr const char* kSchema = R"sql(
CREATE TABLE run(                        -- one row
  program TEXT NOT NULL, device TEXT NOT NULL, drywarp_version TEXT NOT NULL,
  writer_pid INTEGER NOT NULL, exit_code INTEGER NOT NULL, complete INTEGER NOT NULL,
  moves TEXT NOT NULL,                   -- Profile::moves
  signal INTEGER NOT NULL);              -- that ended the program; 0: none
CREATE TABLE kernel(                     -- id: LaunchRecord::kernel
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, display_name TEXT NOT NULL, registers INTEGER NOT NULL,
  static_shared INTEGER NOT NULL, local INTEGER NOT NULL, instructions BLOB NOT NULL);
CREATE TABLE counts(id INTEGER PRIMARY KEY, sums BLOB NOT NULL);
CREATE TABLE launch(                     -- in order of issue
  id INTEGER PRIMARY KEY, kernel INTEGER NOT NULL,
  grid_x INTEGER NOT NULL, grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL,
  dynamic_shared INTEGER NOT NULL, stream INTEGER NOT NULL, nvtx TEXT NOT NULL, start REAL NOT NULL, seconds REAL NOT NULL,
  counts INTEGER NOT NULL,               -- 0: not counted
  fault TEXT NOT NULL,
  carveout INTEGER NOT NULL,             -- percent of shared memory that the program requested; -1: none
  time INTEGER NOT NULL,                 -- 0: not modelled
  untimed TEXT NOT NULL,                 -- why there is no time although one was requested
  wavefront_bytes INTEGER NOT NULL);     -- LaunchCounts::wavefront_bytes, which its `sums` do not have
CREATE TABLE time(                       -- of a GPU, modelled; identical launches share one. Figures by name
  id INTEGER PRIMARY KEY, summary BLOB NOT NULL, instructions BLOB NOT NULL,
  stand_ins TEXT NOT NULL,               -- lines of "number<tab>stand-in"
  alternatives TEXT NOT NULL);           -- lines of "change<tab>seconds": the time with one cost changed
CREATE TABLE running(                    -- at most one row: the last launch that began; ended if `launch` has it
  one INTEGER PRIMARY KEY, launch INTEGER NOT NULL, name TEXT NOT NULL, display_name TEXT NOT NULL,
  grid_x INTEGER NOT NULL, grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL,
  dynamic_shared INTEGER NOT NULL, stream INTEGER NOT NULL, nvtx TEXT NOT NULL, start REAL NOT NULL);
CREATE TABLE transfer(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, bytes INTEGER NOT NULL, stream INTEGER NOT NULL,
  start REAL NOT NULL, seconds REAL NOT NULL,
  pinned INTEGER NOT NULL,               -- the host's end is page-locked memory
  gpu_seconds REAL NOT NULL);            -- modelled; 0: not known
CREATE TABLE api_name(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE api(id INTEGER PRIMARY KEY, name INTEGER NOT NULL, start REAL NOT NULL, seconds REAL NOT NULL);
CREATE TABLE sample(                     -- base/events/access_sample.h; `launch` counts from 0
  id INTEGER PRIMARY KEY, launch INTEGER NOT NULL, sample TEXT NOT NULL);
CREATE TABLE drawn(                      -- what drawings of a launch show: record/drawn_launch.h; one of a kernel
  kernel INTEGER PRIMARY KEY, launch INTEGER NOT NULL,  -- id of its row
  code BLOB NOT NULL, timeline BLOB NOT NULL, steps BLOB NOT NULL);
CREATE TABLE operation(                  -- what the GPU did and the host waited for: operation_codec.h
  id INTEGER PRIMARY KEY, operation TEXT NOT NULL);
CREATE TABLE kept(key TEXT PRIMARY KEY, value TEXT NOT NULL);  -- KeptFacts, checks; empty until the end of the run
CREATE TABLE device_numbers(number TEXT PRIMARY KEY, value TEXT NOT NULL, kind TEXT NOT NULL, source TEXT NOT NULL);
CREATE TABLE source(file TEXT NOT NULL, line INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY(file, line));
)sql";

// The texts of KeptFacts, as the keys of `kept` name them.
struct KeptText {
  const char* key;
  std::string record::KeptFacts::* member;
};
inline constexpr std::array<KeptText, 7> kKeptTexts = {{
    {"command", &record::KeptFacts::command},
    {"folder", &record::KeptFacts::folder},
    {"created", &record::KeptFacts::created},
    {"output", &record::KeptFacts::output},
    {"device_id", &record::KeptFacts::device_id},
    {"architecture", &record::KeptFacts::architecture},
    {"compute_capability", &record::KeptFacts::compute_capability},
}};
inline constexpr const char* kOutputCut = "output_cut";  // "1": the output was longer
inline constexpr const char* kChecks = "checks";         // Profile::checks: checks_codec.h; not there: not checked

}  // namespace drywarp::store
