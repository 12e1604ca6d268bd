# Puts devices/*.toml and devices/architectures/*.toml into the program.
file(GLOB devices CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/devices/*.toml)
file(GLOB architectures CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/devices/architectures/*.toml)
embed_files(EMBEDDED_DEVICES NAME_WE ${devices})
embed_files(EMBEDDED_ARCHITECTURES NAME_WE ${architectures})
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/embedded_devices.cpp @ONLY CONTENT
"#include \"base/device/embedded_devices.h\"

namespace drywarp::device {
namespace {
constexpr EmbeddedDevice kDevices[] = {
@EMBEDDED_DEVICES@};
constexpr EmbeddedDevice kArchitectures[] = {
@EMBEDDED_ARCHITECTURES@};
}  // namespace

std::span<const EmbeddedDevice> embedded_devices() { return kDevices; }
std::span<const EmbeddedDevice> embedded_architectures() { return kArchitectures; }
}  // namespace drywarp::device
")
target_sources(drywarp_base_device PRIVATE ${PROJECT_BINARY_DIR}/generated/embedded_devices.cpp)
