#include "base/support/plural.h"

#include <fmt/format.h>

namespace drywarp {

std::string noun_for(double count, std::string_view noun) {
  if (count == 1) return std::string(noun);
  if (noun.ends_with("py")) return std::string(noun.substr(0, noun.size() - 1)) + "ies";  // copies
  return std::string(noun) + (noun.ends_with("ch") || noun.ends_with("s") ? "es" : "s");
}

std::string plural(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}", count, noun_for(static_cast<double>(count), noun));
}

std::string plural_real(double count, std::string_view noun) {
  return fmt::format("{:.3g} {}", count, noun_for(count, noun));
}

}  // namespace drywarp
