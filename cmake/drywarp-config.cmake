# find_package(drywarp): the program as drywarp_EXECUTABLE, drywarp::gtest with <drywarp/gtest.h>, and
#
#   drywarp_add_test(NAME <name> TARGET <target> | SOURCES <files>... [ARGUMENTS <words>...]
#                    [EXPECT <expectations>...] [CONTRACT <file>] [BASELINE <profile>] [OPTIONS <words>...])
#
# which adds a CTest test: drywarp runs the program of TARGET, or compiles SOURCES, and the test fails if an expectation is
# broken. The verdicts are also in <name>.junit.xml and <name>.sarif, in the folder of the tests.
# It needs neither a GPU nor a toolkit.
get_filename_component(drywarp_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(drywarp_EXECUTABLE drywarp HINTS "${drywarp_PREFIX}/bin")

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(drywarp REQUIRED_VARS drywarp_EXECUTABLE)

if(drywarp_FOUND AND NOT TARGET drywarp::gtest)
  add_library(drywarp::gtest INTERFACE IMPORTED)
  foreach(folder "${drywarp_PREFIX}/include" "${CMAKE_CURRENT_LIST_DIR}/../include") # installed, or in the source tree
    if(EXISTS "${folder}/drywarp/gtest.h")
      set_property(TARGET drywarp::gtest APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${folder}")
    endif()
  endforeach()
  set_property(TARGET drywarp::gtest PROPERTY INTERFACE_COMPILE_DEFINITIONS "DRYWARP_EXECUTABLE=\"${drywarp_EXECUTABLE}\"")
endif()

function(drywarp_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 TEST "" "NAME;TARGET;CONTRACT;BASELINE" "SOURCES;ARGUMENTS;EXPECT;OPTIONS")
  if(TEST_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "drywarp_add_test: unknown arguments ${TEST_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TEST_NAME OR (TEST_TARGET AND TEST_SOURCES) OR NOT (TEST_TARGET OR TEST_SOURCES))
    message(FATAL_ERROR "drywarp_add_test: needs NAME, and either TARGET or SOURCES")
  endif()
  if(NOT TEST_EXPECT AND NOT TEST_CONTRACT)
    message(FATAL_ERROR "drywarp_add_test(${TEST_NAME}): needs EXPECT or CONTRACT, otherwise it tests nothing")
  endif()
  set(options --output "${CMAKE_CURRENT_BINARY_DIR}/${TEST_NAME}.txt" --junit "${CMAKE_CURRENT_BINARY_DIR}/${TEST_NAME}.junit.xml"
              --sarif "${CMAKE_CURRENT_BINARY_DIR}/${TEST_NAME}.sarif")
  foreach(expectation IN LISTS TEST_EXPECT)
    list(APPEND options --expect "${expectation}")
  endforeach()
  foreach(file CONTRACT BASELINE)
    if(TEST_${file})
      get_filename_component(path "${TEST_${file}}" ABSOLUTE)
      string(TOLOWER ${file} option)
      list(APPEND options --${option} "${path}")
    endif()
  endforeach()
  set(program "$<TARGET_FILE:${TEST_TARGET}>")
  if(TEST_SOURCES)
    set(program "")
    foreach(source IN LISTS TEST_SOURCES)
      get_filename_component(path "${source}" ABSOLUTE)
      list(APPEND program "${path}")
    endforeach()
    if(TEST_ARGUMENTS)
      list(APPEND program --)
    endif()
  endif()
  add_test(NAME "${TEST_NAME}" COMMAND "${drywarp_EXECUTABLE}" profile ${options} ${TEST_OPTIONS} ${program} ${TEST_ARGUMENTS}
           WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
endfunction()
