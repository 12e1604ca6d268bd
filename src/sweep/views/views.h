// What people read of a sweep: tables, the best, the Pareto front, drawings. Writers only lay out.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sweep/store/sweep_file.h"

namespace drywarp::sweep {

// A row that has a time of the last stage.
[[nodiscard]] bool is_complete(const Sweep& sweep, const Row& row);

// What became of a row: "timed", "dropped", "not finished", "not run", or the outcome of a failure.
[[nodiscard]] const char* state_of(const Sweep& sweep, const Row& row);

// The fastest row of each group, in the order of groups: of each device, and each value of `per`.
struct Best {
  std::string group;  // "device=a100"; empty: there is one group
  const Row* row = nullptr;
  size_t of = 0;              // complete rows of the group
  const Row* next = nullptr;  // the second; null: none
};
[[nodiscard]] std::vector<Best> best_rows(const Sweep& sweep);

// Of each group the rows that no other beats in time, occupancy (more) and registers (fewer) at once, the fastest
// first.
[[nodiscard]] std::vector<const Row*> pareto_front(const Sweep& sweep);

// ---- text, at most `width` columns where names allow
void write_table(std::ostream& out, const Sweep& sweep, size_t most_rows);
void write_best(std::ostream& out, const Sweep& sweep);
void write_csv(std::ostream& out, const Sweep& sweep);
void write_json(std::ostream& out, const Sweep& sweep);
[[nodiscard]] Json sweep_json(const Sweep& sweep);  // what write_json() prints
[[nodiscard]] Json configuration_json(const Space& space, const Configuration& configuration);  // {"BM": 32}
[[nodiscard]] Json row_json(const Sweep& sweep, const Row& row);

// Time against occupancy, a drawing a group: a digit says how many rows share a place, * more than 9, # is the best.
void draw_occupancy(std::ostream& out, const Sweep& sweep);
// The best time over the values of two parameters, a cell a pair. Fails for names that are no parameters.
Status draw_heat(std::ostream& out, const Sweep& sweep, const std::string& x, const std::string& y);

// ---- a row as settings
// "-DBM=32 -maxrregcount=64", as a shell takes it; arguments and the device behind.
[[nodiscard]] std::string flags_of(const Sweep& sweep, const Row& row);
// #define lines for the row's macros, guarded so that -D overrides them.
[[nodiscard]] std::string header_of(const Sweep& sweep, const Row& row);

// ---- gates
struct Regression {
  std::string group;
  double before = 0, now = 0;  // seconds
};
// Groups whose best takes `percent` longer than the baseline's. Fails if a group of the baseline is missing.
Result<std::vector<Regression>> slower_than(const Sweep& baseline, const Sweep& sweep, double percent);

}  // namespace drywarp::sweep
