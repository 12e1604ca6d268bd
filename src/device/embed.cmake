# Puts devices/*.toml into the program, so that it finds them wherever it is installed.
file(GLOB device_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/devices/*.toml)
list(SORT device_files)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${device_files})
set(EMBEDDED_ENTRIES "")
foreach(path IN LISTS device_files)
  get_filename_component(id ${path} NAME_WE)
  file(READ ${path} text)
  string(APPEND EMBEDDED_ENTRIES "    {\"${id}\", R\"toml(${text})toml\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/embedded_devices.cpp @ONLY CONTENT
"#include \"device/embedded_devices.h\"

namespace drywarp::device {
namespace {
constexpr EmbeddedDevice kDevices[] = {
@EMBEDDED_ENTRIES@};
}  // namespace

std::span<const EmbeddedDevice> embedded_devices() { return kDevices; }
}  // namespace drywarp::device
")
target_sources(drywarp_device PRIVATE ${PROJECT_BINARY_DIR}/generated/embedded_devices.cpp)
