// docs/profile-file.md.
#include <fmt/format.h>

#include <ostream>

#include "profile/store/schema.h"
#include "profile/tables/tables.h"

namespace drywarp::tables {
namespace {

constexpr const char* kIntroduction = R"(# The profile file

    drywarp profile -o run.dwprof app.cu      # keep the profile
    drywarp show run.dwprof                   # print its report again, in any format
    drywarp query run.dwprof "SELECT ..."     # ask it in SQL
    drywarp compare before.dwprof after.dwprof

A profile is one SQLite file. The program writes it while it runs, so a run that was killed leaves its profile: with it lie files with
the suffixes `-wal`, `-shm` and `-log`, which belong to it. `show`, `query` and `compare` read it as it is. A run that ended, by
whatever exit code or signal, leaves one file.

SQLite's header says what the file is: `application_id` is {:#x} ("DRYW"), `user_version` is the format, now {}. The format goes up
whenever an older drywarp would misread a newer file; a newer file is refused, and an older one is read. `drywarp query` needs the tables
below, which files have from format 7 on.

`drywarp query FILE` without a query lists the tables. Examples:

```sql
-- the kernels, the slowest first
SELECT name, calls, seconds, limiter FROM kernels ORDER BY seconds DESC;
-- one metric of every launch
SELECT launch, kernel, value FROM metrics WHERE name = 'gld_efficiency';
-- the lines with the most sectors
SELECT file, line, value FROM line_metrics WHERE name = 'global_sectors' ORDER BY value DESC LIMIT 5;
-- what warps wait for at each line
SELECT line, reason, warp_cycles FROM stalls ORDER BY warp_cycles DESC LIMIT 10;
-- the addresses of a warp's lanes, one a row
SELECT line, a.key AS lane, a.value AS address FROM accesses, json_each(accesses.addresses) AS a WHERE line = 12;
```

## Tables to query

Counts are exact, times and stalls modelled; `class` of a metric says which. NULL means that there is no value, never 0.
Addresses of global memory count from the start of the device's memory, those of shared memory from the start of the block's.
)";

constexpr const char* kRecorded = R"(
## Tables that drywarp reads

The program fills these while it runs. Their BLOBs are drywarp's own encoding. The tables above have what is in them, except for
`drawn`: pictures show that.

```sql)";

}  // namespace

void write_schema_page(std::ostream& out) {
  out << fmt::format(fmt::runtime(kIntroduction), store::kApplicationId, store::kFormat);
  for (const Table& table : all_tables()) {
    out << fmt::format("\n### `{}`\n\n{}\n\n| column | type | meaning |\n|---|---|---|\n", table.name, table.meaning);
    for (const Column& c : table.columns) out << fmt::format("| `{}` | {} | {} |\n", c.name, c.type, c.meaning);
  }
  out << kRecorded << store::kSchema << "```\n";
}

}  // namespace drywarp::tables
