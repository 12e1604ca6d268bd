// The device files that the build put into this program (embed.cmake makes the definition from devices/*.toml).
#pragma once

#include <span>
#include <string_view>

namespace drywarp::device {

struct EmbeddedDevice {
  std::string_view id, toml;
};
[[nodiscard]] std::span<const EmbeddedDevice> embedded_devices();        // sorted by id
[[nodiscard]] std::span<const EmbeddedDevice> embedded_architectures();  // what a device file can be `based_on`; sorted

}  // namespace drywarp::device
