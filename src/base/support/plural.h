// Counts with their nouns, for messages and reports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace drywarp {

// The noun alone: "block" for 1, else "blocks"; "launches", "passes", "copies".
[[nodiscard]] std::string noun_for(double count, std::string_view noun);
// "1 block", "2 blocks", "3 launches"
[[nodiscard]] std::string plural(uint64_t count, std::string_view noun);
// The same of a count with a fraction, three significant digits: "1 second", "2.5 sectors"
[[nodiscard]] std::string plural_real(double count, std::string_view noun);

}  // namespace drywarp
