// Any text goes in as a device file; a device or a located error comes out, and a device that came out can answer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/device/device_spec.h"
#include "base/device/occupancy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace drywarp;
  const auto spec = device::parse_device({reinterpret_cast<const char*>(data), size}, "fuzz.toml", "fuzz");
  if (!spec) {
    if (spec.problem().message.empty()) std::abort();
    return 0;
  }
  for (const uint32_t threads : {1u, 33u, 256u, 1024u})
    (void)device::occupancy(*spec,
                            {.registers_per_thread = 37, .threads_per_block = threads, .static_shared_bytes = 1000});
  return 0;
}
