// Any text goes in as an exercise; one with checks, or an error at a line comes out.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "faces/grade/exercise.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace drywarp;
  const auto exercise = grade::parse_exercise({reinterpret_cast<const char*>(data), size}, "fuzz/exercise.toml");
  if (!exercise) {
    if (exercise.problem().message.empty() || exercise.problem().location.file.empty()) std::abort();
    return 0;
  }
  if (exercise->checks.empty() || exercise->points() == 0) std::abort();
  for (const grade::Check& check : exercise->checks)
    if (check.points == 0 || !check.where.known() ||
        (check.kind == grade::Kind::Expect) != check.expectation.has_value())
      std::abort();
  return 0;
}
