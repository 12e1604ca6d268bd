// A Slurm array job as one script, complete in itself: an element is a line of requests behind the script's end. Slurm
// brings the script to the node, so that nodes need no file of ours.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sweep/runs/pool.h"
#include "sweep/runs/runner.h"

namespace drywarp::sweep {

struct ArrayJob {
  std::string drywarp;  // path of the program, on the nodes
  std::string folder;   // current folder of the rows
  std::string results;  // folder on the nodes, shared or not: results, and logs in its folder "logs"
  // sbatch's long options: {"partition", "debug"}; a value may be empty.
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<std::string> more_options;  // as they are: "--exclusive"
  unsigned at_a_time = 0;                 // elements; 0: as many as the cluster has room for
  size_t rows_an_element = 1;
  Limits limits;  // of a row
};

[[nodiscard]] std::string array_script(const ArrayJob& job, const std::vector<RowRequest>& rows);

// The rows of an element, from 1, or of all elements for 0. `where` names the script in errors.
Result<std::vector<RowRequest>> rows_of_script(std::string_view script, size_t element, const std::string& where);

// The file of a row's result in the folder: results of stages do not mix.
[[nodiscard]] std::string result_name(size_t row, Stage stage);
// The row of a file that may have such a name; none: it has not.
[[nodiscard]] std::optional<size_t> row_of_result(std::string_view name);

}  // namespace drywarp::sweep
