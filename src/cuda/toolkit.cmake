# A folder laid out as NVIDIA's toolkit, for build systems that look for one: CMake, and Makefiles with CUDA_PATH.
# `prefix` is the path from the folder to the parent of bin/; `include` and `library` are the headers and the library.
function(drywarp_toolkit folder prefix include library)
  file(MAKE_DIRECTORY ${folder}/bin ${folder}/nvvm/libdevice)
  foreach(link "bin/nvcc=../${prefix}/bin/drywarp" "include=${include}" "lib64=${library}" "lib=${library}")
    string(REGEX MATCH "^([^=]+)=(.+)$" matched ${link})
    file(CREATE_LINK ${CMAKE_MATCH_2} ${folder}/${CMAKE_MATCH_1} SYMBOLIC)
  endforeach()
  file(WRITE ${folder}/nvvm/libdevice/README "CMake looks for this folder. clang needs no libdevice with drywarp's headers.\n")
endfunction()

drywarp_toolkit(${PROJECT_BINARY_DIR}/toolkit .. ${PROJECT_SOURCE_DIR}/include ../lib)
drywarp_toolkit(${PROJECT_BINARY_DIR}/installed/toolkit ../../.. ../../../share/drywarp/include ..)

# Libraries that build files link by name: an empty archive, and a linker script that links our runtime instead.
file(WRITE ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libcudadevrt.a "!<arch>\n")
file(WRITE ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libcudart_static.a "INPUT(-lcudart)\n")
