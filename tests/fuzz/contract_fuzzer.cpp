// Any text goes in as a contract and as an expectation; expectations or located errors come out.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "profile/gates/contract.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace drywarp;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto contract = gates::parse_contract(text, "fuzz.toml");
  if (contract ? contract->expectations.empty() : contract.problem().message.empty()) std::abort();
  const auto expectation = gates::parse_expectation(text, {"fuzz", 1, 1});
  if (!expectation) {
    const uint32_t column = expectation.problem().location.column;
    if (expectation.problem().message.empty() || column == 0 || column > size + 1) std::abort();
    return 0;
  }
  // What was read once can be read again.
  if (!gates::parse_expectation(expectation->text, {})) std::abort();
  return 0;
}
