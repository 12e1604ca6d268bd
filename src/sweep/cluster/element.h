// An element of an array job, on its node: runs its rows one after the other, and writes a file for each.
#pragma once

#include "sweep/cluster/array_script.h"

namespace drywarp::sweep {

struct ElementOptions {
  std::vector<std::string> command;  // as RowProcesses has it
  std::string scratch;               // a folder of this node, for the rows' own files
  std::string results;               // created if it is not there
  unsigned workers = 0;              // threads of a row; 0: one a core
  Limits limits;
};

// A row whose result is there, because a node was lost and the element runs again, does not run again.
Status run_element(std::vector<RowRequest> rows, const ElementOptions& options);

}  // namespace drywarp::sweep
