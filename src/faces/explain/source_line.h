// The instructions of a source line in the kernels that ran.
#pragma once

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profile/record/profile.h"

namespace drywarp::explain {

// Whether `file` is the path or its end, from a folder's name on.
[[nodiscard]] bool names_file(const std::string& path, const std::string& file);
// Blanks and tabs as one blank.
[[nodiscard]] std::string with_single_blanks(const std::string& text);

template <class Explained>
struct LineSearch {
  std::vector<Explained> found;  // by kernel and instruction
  std::string path;              // of the file, as the compiler names it
  std::set<uint32_t> others;     // lines of the file at which there is something, too
};

// `explain(kernel, instruction)`: what an instruction did, a vector; empty if it did not run or is of no interest.
template <class Explained, class Explain>
LineSearch<Explained> search_line(const record::Profile& profile, const std::string& file, uint32_t line,
                                  Explain explain) {
  LineSearch<Explained> search;
  for (uint32_t k = 0; k < profile.kernels.size(); ++k) {
    const KernelInfo& kernel = *profile.kernels[k];
    for (const InstructionInfo& i : kernel.instructions) {
      if (i.file >= kernel.files.size() || !names_file(kernel.files[i.file], file)) continue;
      std::vector<Explained> here = explain(k, i);
      if (here.empty()) continue;
      if (i.line != line) {
        search.others.insert(i.line);
        continue;
      }
      search.path = kernel.files[i.file];
      for (Explained& e : here) {
        e.kernel = kernel.display_name;
        e.instruction = with_single_blanks(i.text);
        e.ptx_line = i.ptx_line;
      }
      std::ranges::move(here, std::back_inserter(search.found));
    }
  }
  return search;
}

}  // namespace drywarp::explain
