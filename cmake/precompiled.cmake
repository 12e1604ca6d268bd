# Most of a small file's compile time is the standard library's headers. They are read once for each set of flags:
# drywarp_precompiled(<target> <set>) uses a set, which drywarp_precompiled_set(<set> <headers>...) made with the options in force there.
#
# ccache does not share precompiled headers between work trees, so they are off where CCACHE_BASEDIR says that trees share one cache.
set(DRYWARP_PRECOMPILE_DEFAULT ON)
if(DEFINED ENV{CCACHE_BASEDIR})
  set(DRYWARP_PRECOMPILE_DEFAULT OFF)
endif()
option(DRYWARP_PRECOMPILE "precompile the headers of the standard library" ${DRYWARP_PRECOMPILE_DEFAULT})

set(DRYWARP_COMMON_HEADERS
  <algorithm> <array> <bit> <charconv> <cmath> <cstdint> <cstring> <filesystem> <fstream> <functional> <iostream> <map> <memory> <mutex>
  <optional> <ranges> <set> <span> <sstream> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>
  <fmt/format.h> <fmt/ranges.h>)

# A set: the headers, compiled with these options. Targets that use it must have the same ones.
# drywarp_precompiled_set(<set> [EXECUTABLE] HEADERS <headers>... [OPTIONS <options>...] [LIBRARIES <libraries>...])
# EXECUTABLE: for executables, which are compiled as position-independent executables and not as libraries are.
function(drywarp_precompiled_set set)
  cmake_parse_arguments(SET "EXECUTABLE" "" "HEADERS;OPTIONS;LIBRARIES" ${ARGN})
  if(NOT DRYWARP_PRECOMPILE)
    return()
  endif()
  set(carrier ${CMAKE_CURRENT_BINARY_DIR}/${set}.cpp)
  file(CONFIGURE OUTPUT ${carrier} CONTENT "int main() {}\n")
  if(SET_EXECUTABLE)
    add_executable(${set} ${carrier})
  else()
    add_library(${set} OBJECT ${carrier})
  endif()
  target_link_libraries(${set} PRIVATE drywarp_options fmt::fmt ${SET_LIBRARIES})
  target_compile_options(${set} PRIVATE ${SET_OPTIONS})
  target_precompile_headers(${set} PRIVATE ${SET_HEADERS})
endfunction()

function(drywarp_precompiled set)
  if(DRYWARP_PRECOMPILE)
    foreach(target IN LISTS ARGN)
      target_precompile_headers(${target} REUSE_FROM ${set})
    endforeach()
  endif()
endfunction()
