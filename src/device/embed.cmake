# Puts devices/*.toml and devices/architectures/*.toml into the program, so that it finds them wherever it is installed.
function(embed_device_files folder out)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.toml)
  list(SORT files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(entries "")
  foreach(path IN LISTS files)
    get_filename_component(id ${path} NAME_WE)
    file(READ ${path} text)
    string(APPEND entries "    {\"${id}\", R\"toml(${text})toml\"},\n")
  endforeach()
  set(${out} "${entries}" PARENT_SCOPE)
endfunction()

embed_device_files(${PROJECT_SOURCE_DIR}/devices EMBEDDED_DEVICES)
embed_device_files(${PROJECT_SOURCE_DIR}/devices/architectures EMBEDDED_ARCHITECTURES)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/embedded_devices.cpp @ONLY CONTENT
"#include \"device/embedded_devices.h\"

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
target_sources(drywarp_device PRIVATE ${PROJECT_BINARY_DIR}/generated/embedded_devices.cpp)
