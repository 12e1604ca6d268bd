#include "profile/report/writers/named_table.h"

#include <fmt/format.h>

namespace drywarp::report {

std::string enumerated(std::span<const std::string_view> names, std::string_view conjunction) {
  std::string all;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i != 0) all += i + 1 == names.size() ? fmt::format(" {} ", conjunction) : ", ";
    all += names[i];
  }
  return all;
}

Diagnostic unknown_name(std::string_view owner, std::string_view noun, std::string_view name,
                        std::span<const std::string_view> known) {
  return error(fmt::format("{} has no {} '{}'", owner, noun, name),
               fmt::format("the {}s are {}", noun, enumerated(known)));
}

}  // namespace drywarp::report
