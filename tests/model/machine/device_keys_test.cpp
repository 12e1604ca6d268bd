// base/device keeps the keys of [latency] and [issue] as text. This test compares them with the table of operations.
#include <gtest/gtest.h>

#include <set>

#include "base/device/device_spec.h"
#include "model/machine/machine_code.h"

namespace drywarp::machine {
namespace {

std::set<std::string, std::less<>> known_keys() {
  std::set<std::string, std::less<>> keys;
#define DW_TIMING_CLASS(name, text, description) keys.insert(text);
#define DW_OPERATION(name, mnemonic, pipe, timing) keys.insert(mnemonic);
#include "model/machine/operations.def"
  return keys;
}

TEST(DeviceKeys, LatencyAndIssueNameOperations) {
  const auto known = known_keys();
  unsigned checked = 0;
  for (const std::string& id : device::device_ids()) {
    const auto spec = device::load_device(id);
    ASSERT_TRUE(spec.ok()) << spec.problem().to_string();
    for (const auto* table : {&spec->timing.latency, &spec->timing.issue})
      for (const auto& [key, value] : *table) {
        EXPECT_TRUE(known.contains(key)) << id << ": " << key;
        ++checked;
      }
  }
  EXPECT_GT(checked, 0u);
}

}  // namespace
}  // namespace drywarp::machine
