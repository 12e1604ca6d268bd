// Any text goes in as a sweep's file; a sweep whose configurations can be listed, or a problem with a message, comes
// out.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sweep/space/description.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace drywarp;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto description = sweep::parse_description(text, "fuzz.toml");
  if (!description) {
    if (description.problem().message.empty()) std::abort();
    return 0;
  }
  const sweep::Space& space = description->space;
  if (space.combinations() > 10'000) return 0;
  const auto all = space.all();
  if (!all) {
    if (all.problem().message.empty()) std::abort();
    return 0;
  }
  for (const sweep::Configuration& configuration : *all) {
    const auto valid = space.valid(configuration);
    if (!valid || !*valid) std::abort();
    if (space.text(configuration).empty() && !space.parameters().empty()) std::abort();
  }
  return 0;
}
