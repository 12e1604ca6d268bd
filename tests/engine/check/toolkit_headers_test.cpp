#include "engine/check/toolkit_headers.h"

#include <gtest/gtest.h>

namespace drywarp::check {
namespace {

TEST(ToolkitHeaders, AreKnownByTheirPath) {
  for (const char* path : {
           "/usr/local/cuda/bin/../targets/x86_64-linux/include/crt/mma.hpp",
           "/usr/local/cuda-13.0/include/cccl/cuda/__barrier/barrier_block_scope.h",
           "/usr/local/cuda/include/cooperative_groups/details/sync.h",
           "/usr/include/crt/mma.hpp",
           "/home/ann/venv/lib/python3.11/site-packages/nvidia/cuda_runtime/include/cuda_fp16.hpp",
           "/home/ann/venv/lib/python3.11/site-packages/nvidia/cu13/include/cooperative_groups.h",
           "/home/ann/app/build/_deps/cccl-src/libcudacxx/include/cuda/std/atomic",
       })
    EXPECT_TRUE(is_toolkit_header(path)) << path;
  for (const char* path : {"/home/ann/app/scan.cu", "scan.cu", "/home/ann/cuda/include/scan.cuh",
                           "/home/ann/app/include/scan.cuh", "/usr/include/eigen3/Eigen/Core", "include/reduce.h", ""})
    EXPECT_FALSE(is_toolkit_header(path)) << path;
}

}  // namespace
}  // namespace drywarp::check
