# Embeds the microbenchmarks, so that `drywarp calibrate` can build them on the machine with the GPU.
file(GLOB calibrate_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/faces/calibrate/cuda/*)
list(APPEND calibrate_sources ${CMAKE_CURRENT_SOURCE_DIR}/base/device/cuda_attributes.def)
embed_files(CARRIED_ENTRIES NAME ${calibrate_sources})
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/carried_sources.cpp @ONLY CONTENT
"#include \"faces/calibrate/carried_sources.h\"

namespace drywarp::calibrate {
namespace {
constexpr CarriedSource kCarried[] = {
@CARRIED_ENTRIES@};
}  // namespace

std::span<const CarriedSource> carried_sources() { return kCarried; }
}  // namespace drywarp::calibrate
")
target_sources(drywarp_faces_calibrate PRIVATE ${PROJECT_BINARY_DIR}/generated/carried_sources.cpp)
