// Addresses that the engine computes once a warp, where wrap-around could make a lane's own arithmetic differ.
#include <bit>

#include "machine.h"

namespace drywarp::exec {
namespace {

std::vector<uint32_t> numbers(size_t count) {
  std::vector<uint32_t> v(count);
  for (size_t i = 0; i < count; ++i) v[i] = static_cast<uint32_t>(i * 2654435761u);
  return v;
}

class Addresses : public ::testing::TestWithParam<const char*> {
 protected:
  static EngineOptions options() {
    EngineOptions options = Machine::one_worker();
    options.cpu = GetParam();
    return options;
  }
};

// unsigned tid - 1 wraps in lane 0 alone: extended to 64 bits it is 2^32 - 1 there.
TEST_P(Addresses, UnsignedIndexWrapsInsideAWarp) {
  Machine machine(kernel("sub.u32 %r5, %r0, 1; cvt.u64.u32 %rd3, %r5; shr.u64 %rd4, %rd3, 32; mul.wide.u32 %rd5, %r5, "
                         "4; shr.u64 %rd5, %rd5, 30; cvt.u32.u64 %r6, %rd5; cvt.u32.u64 %r7, %rd3; add.u32 %r7, %r7, "
                         "%r6; st.global.u32 [%rd1], %r7;"),
                  options());
  const auto out = machine.run({}, {64, 1, 1});
  for (uint32_t t = 0; t < 64; ++t) {
    const uint32_t i = t - 1;
    EXPECT_EQ(out[t], i + static_cast<uint32_t>((uint64_t{i} * 4) >> 30)) << t;
  }
}

// [register + offset] with a 32-bit register: what nvcc makes of t[y - 1][x] with a base that went below zero.
TEST_P(Addresses, SharedAddressAndOffsetAreA32BitSum) {
  const std::string before =
      ".shared .align 4 .b8 s[512]; mov.u32 %r4, s; shl.b32 %r5, %r0, 2; add.u32 %r6, %r4, %r5;"
      "st.shared.u32 [%r6], %r0; bar.sync 0;";
  const std::string lanes = "xor.b32 %r5, %r0, 5; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r4; sub.u32 %r5, %r5, 256;";
  const std::string affine = "sub.u32 %r5, %r6, 256;", uniform = "sub.u32 %r5, %r4, 256;";
  const std::string load = "ld.shared.u32 %r7, [%r5+256]; st.global.u32 [%rd1], %r7;";
  for (const auto& [address, flip, mask] :
       {std::tuple{lanes, 5u, ~0u}, std::tuple{affine, 0u, ~0u}, std::tuple{uniform, 0u, 0u}}) {
    Machine machine(kernel(before + address + load), options());
    const auto out = machine.run({}, {64, 1, 1});
    for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], (t ^ flip) & mask) << address << t;
  }
}

// An address of shared memory has 32 bits, in a 64-bit register too: x[i - 64] with an unsigned i lies 16 GiB away, and
// at x[i - 64 + 64] all the same.
TEST_P(Addresses, OfSharedMemoryHas32BitsInAnyRegister) {
  const std::string before =
      ".shared .align 4 .b8 s[512]; mov.u32 %r4, s; cvt.u64.u32 %rd4, %r4; shl.b32 %r5, %r0, 2; add.u32 %r6, %r4, %r5;"
      "st.shared.u32 [%r6], %r0; bar.sync 0;";
  const std::string lanes = "xor.b32 %r5, %r0, 5; sub.u32 %r5, %r5, 64;", affine = "sub.u32 %r5, %r0, 64;",
                    uniform = "mov.u32 %r5, -64;", place = "mul.wide.u32 %rd5, %r5, 4; add.u64 %rd5, %rd5, %rd4;";
  const std::string load = "ld.shared.u32 %r7, [%rd5+256]; st.global.u32 [%rd1], %r7;";
  const std::string change =
      "atom.shared.add.u32 %r8, [%rd5+256], 0; ld.shared.u32 %r7, [%rd5+256];"
      "st.shared.u32 [%rd5+256], %r7; add.u32 %r7, %r7, %r8; st.global.u32 [%rd1], %r7;";
  for (const auto& [address, flip, mask] :
       {std::tuple{lanes, 5u, ~0u}, std::tuple{affine, 0u, ~0u}, std::tuple{uniform, 0u, 0u}}) {
    for (const auto& [access, times] : {std::pair{load, 1u}, std::pair{change, 2u}}) {
      Machine machine(kernel(before + address + place + access), options());
      const auto out = machine.run({}, {64, 1, 1});
      for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], times * ((t ^ flip) & mask)) << address << t;
    }
  }
}

TEST_P(Addresses, WrappedIndexAsAddressFaultsOrIsSelected) {
  // x[tid - 1] with a guard for lane 0: its address lies 16 GiB away and is not touched.
  Machine machine(kernel("ld.param.u64 %rd2, [in]; sub.u32 %r5, %r0, 1; mul.wide.u32 %rd3, %r5, 4; add.u64 %rd3, %rd2, "
                         "%rd3; mov.u32 %r6, 7; setp.ne.u32 %p1, %r0, 0; @%p1 ld.global.u32 %r6, [%rd3];"
                         "st.global.u32 [%rd1], %r6;"),
                  options());
  const auto data = numbers(64);
  const uint64_t in = machine.upload(data);
  const auto out = machine.run({}, {64, 1, 1}, in);
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t == 0 ? 7 : data[t - 1]) << t;
}

TEST_P(Addresses, SignedOverflowInsideAWarp) {
  Machine machine(kernel("add.s32 %r5, %r0, 2147483632; mul.wide.s32 %rd3, %r5, 4; shr.s64 %rd4, %rd3, 8;"
                         "cvt.u32.u64 %r6, %rd4; st.global.u32 [%rd1], %r6;"),
                  options());
  const auto out = machine.run({}, {32, 1, 1});
  for (uint32_t t = 0; t < 32; ++t) {
    const auto i = static_cast<int32_t>(2147483632u + t);
    EXPECT_EQ(out[t], static_cast<uint32_t>((int64_t{i} * 4) >> 8)) << t;
  }
}

TEST_P(Addresses, SignedWrapDecidesWhichElementIsRead) {
  // (int)(2^31 - 16 + tid) / wraps to negative: bytes before and after the base by way of a shift that keeps it near.
  Machine machine(kernel("ld.param.u64 %rd2, [in]; add.s32 %r5, %r0, 2147483632; shl.b32 %r5, %r5, 1;"
                         "mul.wide.s32 %rd3, %r5, 4; add.s64 %rd3, %rd2, %rd3; ld.global.u32 %r6, [%rd3];"
                         "st.global.u32 [%rd1], %r6;"),
                  options());
  const auto data = numbers(128);
  const uint64_t in = machine.upload(data) + 64 * 4;
  const auto out = machine.run({}, {32, 1, 1}, in);
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], data[static_cast<size_t>(64 + 2 * (static_cast<int>(t) - 16))]) << t;
}

TEST_P(Addresses, StridesOfEverySignAndWidth) {
  const auto data = numbers(16384);
  for (int stride : {-17, -4, -1, 0, 1, 2, 3, 8, 33})
    for (int width : {1, 2, 4, 8, 16}) {
      const char* loads[] = {"ld.global.u8 %r6, [%rd3];", "ld.global.s16 %r6, [%rd3];", "ld.global.u32 %r6, [%rd3];",
                             "ld.global.v2.u32 {%r7, %r6}, [%rd3];", "ld.global.v4.u32 {%r7, %r8, %r9, %r6}, [%rd3];"};
      const int kind = std::countr_zero(static_cast<unsigned>(width));
      Machine machine(kernel("ld.param.u64 %rd2, [in]; mul.lo.s32 %r5, %r0, " + std::to_string(stride) +
                             "; mul.wide.s32 %rd3, %r5, " + std::to_string(width) + "; add.s64 %rd3, %rd2, %rd3;" +
                             loads[kind] + "st.global.u32 [%rd1], %r6;"),
                      options());
      const uint64_t in = machine.upload(data) + 16384;
      const auto out = machine.run({}, {40, 1, 1}, in);
      for (int t = 0; t < 40; ++t) {
        const char* at = reinterpret_cast<const char*>(data.data()) + 16384 + int64_t{stride} * t * width;
        uint32_t expected = 0;
        if (kind == 0) expected = static_cast<uint8_t>(*at);
        int16_t half;
        std::memcpy(&half, at, 2);
        if (kind == 1) expected = static_cast<uint32_t>(int32_t{half});
        if (kind >= 2) std::memcpy(&expected, at + width - 4, 4);
        ASSERT_EQ(out[static_cast<size_t>(t)], expected)
            << "stride " << stride << " width " << width << " thread " << t;
      }
    }
}

TEST_P(Addresses, OffsetsBeyondTwoToThe31) {
  Machine machine(kernel("ld.param.u64 %rd2, [in]; mul.lo.u32 %r5, %r0, 33554432; mul.wide.u32 %rd3, %r5, 4;"
                         "add.u64 %rd3, %rd2, %rd3; st.global.u32 [%rd3+4], %r0; ld.global.u32 %r6, [%rd3+4];"
                         "st.global.u32 [%rd1], %r6;"),
                  options());
  const uint64_t big = machine.memory().allocate(uint64_t{134217728} * 31 + 4096, MemoryKind::Device).value();
  const auto out = machine.run({}, {32, 1, 1}, big);
  for (uint32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(out[t], t);
    uint32_t there;
    std::memcpy(&there, reinterpret_cast<const void*>(big + uint64_t{t} * 134217728 + 4), 4);
    EXPECT_EQ(there, t);
  }
}

TEST_P(Addresses, RowsOfSixteenAndEight) {
  for (uint32_t width : {16u, 8u, 4u, 2u}) {
    const std::string text = kHead + ".visible .entry k(.param .u64 out, .param .u64 in) {\n" + kRegisters + R"(
      mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %ntid.y; ld.param.u64 %rd0, [out];
      ld.param.u64 %rd2, [in];
      mad.lo.u32 %r3, %r0, %r2, %r1;     // transposed: x * height + y
      mul.wide.u32 %rd3, %r3, 4; add.u64 %rd3, %rd2, %rd3; ld.global.u32 %r4, [%rd3];
      mov.u32 %r5, %ntid.x; mad.lo.u32 %r6, %r1, %r5, %r0; mul.wide.u32 %rd4, %r6, 4; add.u64 %rd4, %rd0, %rd4;
      st.global.u32 [%rd4], %r4; ret; })";
    Machine machine(text, options());
    const uint32_t height = 12;
    const auto data = numbers(width * height);
    const uint64_t in = machine.upload(data);
    const auto out = machine.run({}, {width, height, 1}, in);
    for (uint32_t y = 0; y < height; ++y)
      for (uint32_t x = 0; x < width; ++x) EXPECT_EQ(out[y * width + x], data[x * height + y]) << x << ", " << y;
  }
}

INSTANTIATE_TEST_SUITE_P(Cpus, Addresses, ::testing::Values("avx512", "avx2", "sse"),
                         [](const auto& p) { return std::string(p.param); });

}  // namespace
}  // namespace drywarp::exec
