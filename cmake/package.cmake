# ./dev package: a package for Debian 12 of what cmake --install lays out.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME drywarp)
set(CPACK_PACKAGE_CONTACT "drywarp developers <drywarp@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "run CUDA programs without a GPU and count what they do")
set(CPACK_PACKAGE_DESCRIPTION
"drywarp compiles and runs unmodified CUDA programs on a machine with no GPU,
counts what a GPU's profiler would count (sectors per request, bank conflicts,
divergent branches, instructions, per kernel and source line), and models how
long each kernel takes on a GPU of your choice and what limits it.
It needs no CUDA toolkit and no driver.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian_files.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What compiles a .cu file: clang brings libstdc++'s and libc's headers, binutils and LLVM along.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "clang-19, lld-19")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
