add_library(drywarp_options INTERFACE)
target_compile_options(drywarp_options INTERFACE -Wall -Wextra -Wno-unused-parameter -fno-omit-frame-pointer)
# libstdc++ 12 sorts with a function that it calls deprecated itself, and clang says so at each use of a stable sort.
target_compile_options(drywarp_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
# The code cache tells builds apart by this.
add_link_options(-Wl,--build-id)
target_include_directories(drywarp_options INTERFACE ${PROJECT_SOURCE_DIR}/src)

if(DRYWARP_SANITIZE)
  string(REPLACE ";" "," sanitizers "${DRYWARP_SANITIZE}")
  add_compile_options(-fsanitize=${sanitizers} -g)
  add_link_options(-fsanitize=${sanitizers})
endif()

include(${CMAKE_CURRENT_LIST_DIR}/precompiled.cmake)

find_program(CCACHE ccache)
if(CCACHE AND DRYWARP_PRECOMPILE) # what ccache's manual asks for, to cache what includes a precompiled header
  set(CCACHE ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  add_compile_options("SHELL:$<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Xclang -fno-pch-timestamp>")
endif()
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()
