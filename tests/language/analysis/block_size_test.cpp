// Which kernels do the same work in blocks of another size.
#include <gtest/gtest.h>

#include "ptx_kernel.h"

namespace drywarp::analysis {
namespace {

constexpr const char* kRegisters = ".reg .pred %p<9>; .reg .b32 %r<60>; .reg .b64 %rd<60>; .reg .f32 %f<9>;\n";
constexpr const char* kIndex =
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r1, %r2, %r3, %r4;\n";
constexpr const char* kStore =
    "ld.param.u64 %rd1, [a]; cvta.to.global.u64 %rd2, %rd1; mul.wide.s32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3;\n"
    "st.global.u32 [%rd4], %r1;\n";

bool any(const std::string& body, const std::string& declarations = "") {
  const PtxKernel k(declarations + ".visible .entry k(.param .u64 a) {\n", kRegisters + body);
  return any_block_size(k.module, k.f);
}

TEST(BlockSize, TheNumberInTheGridIsAllThatThreadsKnow) {
  EXPECT_TRUE(any(std::string(kIndex) + kStore));
  EXPECT_TRUE(
      any("mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mul.lo.s32 %r5, %r3, %r2; mov.u32 %r4, %tid.x;\n"
          "add.s32 %r1, %r5, %r4;\n" +
          std::string(kStore)));
  EXPECT_TRUE(
      any("mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mul.wide.u32 %rd5, %r3, %r2; mov.u32 %r4, %tid.x;\n"
          "cvt.u64.u32 %rd6, %r4; add.s64 %rd7, %rd5, %rd6; cvt.u32.u64 %r1, %rd7;\n" +
          std::string(kStore)));
}

TEST(BlockSize, AStrideOfAllThreads) {
  EXPECT_TRUE(any(std::string(kIndex) +
                  "mov.u32 %r6, %nctaid.x; mul.lo.s32 %r7, %r3, %r6;\n"
                  "again: add.s32 %r1, %r1, %r7; setp.lt.s32 %p1, %r1, 1000; @%p1 bra again;\n" +
                  kStore));
}

TEST(BlockSize, AThreadThatKnowsItsBlock) {
  EXPECT_FALSE(any(std::string(kIndex) + "mov.u32 %r1, %r4;\n" + kStore));       // threadIdx.x
  EXPECT_FALSE(any(std::string(kIndex) + "add.s32 %r1, %r1, %r2;\n" + kStore));  // blockIdx.x
  EXPECT_FALSE(any(std::string(kIndex) + "setp.lt.u32 %p1, %r4, 32; @%p1 bra on; on:\n" + kStore));
  EXPECT_FALSE(any(std::string(kIndex) + "mov.u32 %r9, %warpid; add.s32 %r1, %r1, %r9;\n" + kStore));
  EXPECT_FALSE(
      any("mov.u32 %r2, %ctaid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r1, %r2, 256, %r4;\n" + std::string(kStore)));
  // blockIdx.x * blockDim.x * 2 + threadIdx.x
  EXPECT_FALSE(
      any("mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mul.lo.s32 %r5, %r3, %r2; shl.b32 %r6, %r5, 1;\n"
          "mov.u32 %r4, %tid.x; add.s32 %r1, %r6, %r4;\n" +
          std::string(kStore)));
}

TEST(BlockSize, ALaneIsTheSameInAnyBlock) {
  EXPECT_TRUE(any(std::string(kIndex) + "mov.u32 %r9, %laneid; add.s32 %r1, %r1, %r9;\n" + kStore));
}

TEST(BlockSize, WhatABlockShares) {
  EXPECT_FALSE(any(std::string(kIndex) + "bar.sync 0;\n" + kStore));
  EXPECT_FALSE(any(std::string(kIndex) + "st.shared.u32 [tile], %r1;\n" + kStore, ".shared .align 4 .b8 tile[256];\n"));
  EXPECT_FALSE(
      any(std::string(kIndex) + "st.shared.u32 [tile], %r1;\n" + kStore, ".extern .shared .align 4 .b8 tile[];\n"));
}

}  // namespace
}  // namespace drywarp::analysis
