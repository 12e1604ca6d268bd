// What device files lack, held to what the models say that they need.
#include <gmock/gmock.h>

#include "device/device_features.h"
#include "timing/machine_model.h"

namespace drywarp::cli {
namespace {

// The memory model's numbers are a part of those that timing needs: a file that has all of time's has all of memory's,
// and what it lacks for memory, timing names.
TEST(Devices, TheMemoryModelIsAPartOfTiming) {
  const auto features = device::features();
  const auto memory = std::find_if(features.begin(), features.end(),
                                   [](const device::Feature& f) { return std::string_view(f.name) == "memory model"; });
  ASSERT_NE(memory, features.end());
  for (const std::string& id : device::device_ids()) {
    const auto spec = device::load_device(id);
    ASSERT_TRUE(spec.ok()) << spec.problem().to_string();
    const auto model = timing::machine_model(*spec);
    for (const std::string_view path : device::lacks(*spec, *memory)) {
      ASSERT_FALSE(model.ok()) << id << " lacks " << path;
      EXPECT_THAT(model.problem().message, testing::HasSubstr(std::string(path))) << id;
    }
  }
}

// Those whose time can be predicted: a number that goes missing takes a device off this list.
TEST(Devices, HopperCanBeTimed) {
  for (const char* id : {"h100", "h200"}) {
    const auto model = timing::machine_model(*device::load_device(id));
    EXPECT_TRUE(model.ok()) << model.problem().to_string();
  }
}

}  // namespace
}  // namespace drywarp::cli
