// Who runs the rows of a sweep: this machine, or a cluster.
#pragma once

#include <vector>

#include "base/support/result.h"
#include "sweep/record/measurement.h"
#include "sweep/record/request.h"

namespace drywarp::sweep {

struct RowRequest {
  size_t row = 0;  // index in the sweep
  Request request;
};
struct RowResult {
  size_t row = 0;
  Measurement measurement;  // of a run that failed, too
};

// The destructor ends what still runs.
class Runner {
 public:
  virtual ~Runner() = default;
  // Takes rows of one stage, when those before have ended.
  virtual Status start(std::vector<RowRequest> rows) = 0;
  // Rows that have ended since the last call, each once. Waits a little for one; empty: none yet. Fails if rows cannot
  // be run at all.
  virtual Result<std::vector<RowResult>> ended() = 0;
  // Every row that it took has ended.
  [[nodiscard]] virtual bool idle() const = 0;
};

}  // namespace drywarp::sweep
