// The files that a sweep's results depend on: if one changes, the results are of another program.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace drywarp::sweep {

// Digests by path: the files among the words, and what they include with quotation marks, from their own folders and
// those of -I. A file that cannot be read has an empty digest.
[[nodiscard]] std::map<std::string, std::string> source_digests(const std::vector<std::string>& words);

}  // namespace drywarp::sweep
