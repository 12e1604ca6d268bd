// DRAM with its rows: a bank has one open row. An access to the open row only reads; a bank with another open row first
// precharges and activates (a bank conflict). Rixner et al., Memory Access Scheduling, ISCA 2000 (course A2).
#pragma once

#include <cstdint>
#include <vector>

#include "base/support/result.h"
#include "faces/explain/dram_timeline.h"

namespace drywarp::explain {

struct RowsQuery {
  // In any unit of time. JEDEC's names: tRP, tRCD, CL.
  double precharge = 7, activate = 7, read = 6, transfer = 1;
  uint32_t banks = 4, channels = 1;  // banks: per channel
  uint32_t row_bursts = 4;           // bursts that a row holds
  StreamPattern pattern;  // of bursts: interleaved over channels; consecutive ones fill a row, then the next bank
};

struct RowAccess {
  enum class Kind : uint8_t { Hit, Closed, Conflict } kind{};  // Closed: the bank had no open row
  uint64_t burst = 0, row = 0;
  uint32_t channel = 0, bank = 0;
  // Precharge from `begin` (Conflict), activation from `precharged`, the read from `activated`, the burst from `data`.
  double begin = 0, precharged = 0, activated = 0, data = 0, end = 0;
};

struct DramRows {
  RowsQuery query;
  std::vector<RowAccess> accesses;  // the first ones, by their bursts' times
  // Of a long run.
  uint64_t bursts = 0, hits = 0, closed = 0, conflicts = 0;
  double utilization = 0;  // of all channels' buses, 0 to 1
};

// The controller reorders within a window: of its oldest requests it serves the one whose burst can begin first.
// Errors: a time that is not positive, more than 1024 banks, channels or bursts a row.
Result<DramRows> explain_rows(const RowsQuery& query);

}  // namespace drywarp::explain
