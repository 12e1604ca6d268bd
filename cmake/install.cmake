# cmake --install build --prefix DIR. The driver finds the rest from where it lies itself, so that the tree can be moved; the
# runtime's other names are links.
install(TARGETS drywarp RUNTIME DESTINATION bin)
install(TARGETS cudart nvrtc drywarp_device_passes drywarp_check_passes LIBRARY DESTINATION lib/drywarp)
install(DIRECTORY ${PROJECT_BINARY_DIR}/lib/ DESTINATION lib/drywarp FILES_MATCHING
        PATTERN "libcudart.so*" PATTERN "libcuda.so*" PATTERN "libnvToolsExt.so*"
        PATTERN "libcudadevrt.a" PATTERN "libcudart_static.a" PATTERN "libnvrtc.so*" PATTERN "libcublas.so*" PATTERN "libcublasLt.so*" PATTERN "libcurand.so*" PATTERN "libcusparse.so*" PATTERN "libcusolver.so*" PATTERN "libcufft.so*"
        PATTERN "libcudart.so.13" EXCLUDE PATTERN "libnvrtc.so.13" EXCLUDE)
install(DIRECTORY ${PROJECT_BINARY_DIR}/installed/toolkit DESTINATION lib/drywarp)
install(DIRECTORY include/ DESTINATION share/drywarp/include)
install(FILES include/drywarp/gtest.h DESTINATION include/drywarp) # for tests that are not CUDA
install(FILES cmake/drywarp-config.cmake DESTINATION lib/cmake/drywarp)
install(DIRECTORY devices/ DESTINATION share/drywarp/devices)
install(DIRECTORY examples/ DESTINATION share/drywarp/examples)
install(DIRECTORY ${PROJECT_BINARY_DIR}/documentation/ DESTINATION share)
install(DIRECTORY docs/ DESTINATION share/doc/drywarp/docs)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION share/doc/drywarp)

# The profilers under their own names, in a folder that no PATH has by itself: they must not hide NVIDIA's.
foreach(profiler nvprof ncu compute-sanitizer cuda-memcheck)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/installed/bin)
  file(CREATE_LINK ../../../bin/drywarp ${PROJECT_BINARY_DIR}/installed/bin/${profiler} SYMBOLIC)
endforeach()
install(DIRECTORY ${PROJECT_BINARY_DIR}/installed/bin DESTINATION lib/drywarp)
