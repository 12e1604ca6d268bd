#include "sweep/cluster/element.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

#include "base/support/whole_file.h"
#include "sweep/runs/row_process.h"

namespace drywarp::sweep {

namespace fs = std::filesystem;

Status run_element(std::vector<RowRequest> rows, const ElementOptions& options) {
  std::error_code failed;
  fs::create_directories(options.results, failed);
  if (failed) return error(fmt::format("cannot create '{}': {}", options.results, failed.message()));
  RowProcesses processes(options.command, options.scratch, options.limits);
  for (RowRequest& row : rows) {
    const std::string file = fmt::format("{}/{}", options.results, result_name(row.row, row.request.stage));
    if (fs::exists(file, failed)) continue;
    if (options.workers != 0) row.request.workers = options.workers;
    if (Status status = processes.start(row); !status) return status;
    std::vector<RowResult> ended;
    while (ended.empty()) ended = processes.ended();
    if (!write_whole(file, text(to_json(ended[0].measurement)) + "\n"))
      return error(fmt::format("cannot write '{}': {}", file, std::strerror(errno)));
  }
  return {};
}

}  // namespace drywarp::sweep
