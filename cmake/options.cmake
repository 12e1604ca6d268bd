add_library(drywarp_options INTERFACE)
target_compile_options(drywarp_options INTERFACE -Wall -Wextra -Wno-unused-parameter -fno-omit-frame-pointer)
# The code cache tells builds apart by this.
add_link_options(-Wl,--build-id)
target_include_directories(drywarp_options INTERFACE ${PROJECT_SOURCE_DIR}/src)

if(DRYWARP_SANITIZE)
  string(REPLACE ";" "," sanitizers "${DRYWARP_SANITIZE}")
  add_compile_options(-fsanitize=${sanitizers} -g)
  add_link_options(-fsanitize=${sanitizers})
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()
