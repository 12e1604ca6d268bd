// Which line of one version of a source is which of another.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "profile/record/profile.h"
#include "profile/report/model/model.h"

namespace drywarp::compare {

// By line of the first text, from 1: the line of the second, or 0. Equal lines are matched by a longest common
// subsequence; between two matches, lines that were replaced are matched in order.
[[nodiscard]] std::vector<uint32_t> align(std::span<const std::string> first, std::span<const std::string> second);

// Pairs the lines of two kernels; a null pointer: the other kernel has no such line. Files are the same if their names
// without folders are, or if each kernel has only one. Their texts are aligned where both profiles kept them; otherwise
// lines have the same number. Lines that are still alone are paired by their text.
struct LinePair {
  const report::LineModel *first = nullptr, *second = nullptr;
};
[[nodiscard]] std::vector<LinePair> match_lines(const report::KernelModel& first, const record::Profile& first_profile,
                                                const report::KernelModel& second,
                                                const record::Profile& second_profile);

}  // namespace drywarp::compare
