// A whole session: PTX in, launches checked and run, faults turned into errors.
#include "cuda/session/session.h"

#include <gtest/gtest.h>

#include <cstring>

namespace drywarp::cuda {
namespace {

const char* const kPtx = R"(.version 8.3
.target sm_90
.address_size 64
.visible .global .align 4 .u32 answer = 42;
.visible .entry add_one(.param .u64 data, .param .u32 count) {
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd2, %r5, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r1, [%rd3];
  add.s32 %r1, %r1, 1;
  st.global.u32 [%rd3], %r1;
DONE:
  ret;
}
.visible .entry big_shared() { .shared .align 4 .b8 s[40000]; ret; }
.visible .entry narrow() .maxntid 64, 1, 1 { ret; }
)";

class SessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(session_.ready(), Error::Success);
    const auto* text = reinterpret_cast<const uint8_t*>(kPtx);
    std::string log;
    ASSERT_EQ(session_.load_image({text, text + std::strlen(kPtx)}, "test.ptx", image_, log), Error::Success);
    EXPECT_EQ(log, "");
  }
  KernelOperation operation(const char* name, exec::Dim3 grid, exec::Dim3 block, uint32_t shared = 0) {
    KernelOperation out{session_.modules().kernel_named(*image_, name), grid, block, {}, shared, false, {}};
    EXPECT_NE(out.kernel, nullptr);
    EXPECT_EQ(session_.launcher().load(*out.kernel), Error::Success);
    return out;
  }
  Error check(const char* name, exec::Dim3 grid, exec::Dim3 block, uint32_t shared = 0) {
    return session_.launcher().check(operation(name, grid, block, shared));
  }

  std::vector<std::string> messages_;
  Session session_{Options{}, Hooks{[this](const std::string& text) { messages_.push_back(text); }, {}, {}, {}}};
  Image* image_ = nullptr;
};

TEST_F(SessionTest, RunsAKernelWithPackedArguments) {
  uint64_t data = 0;
  ASSERT_EQ(session_.memory().allocate(data, 100 * 4), Error::Success);
  auto* values = reinterpret_cast<uint32_t*>(data);
  for (uint32_t i = 0; i < 100; ++i) values[i] = i;
  KernelOperation launch = operation("add_one", {4}, {32});
  uint32_t count = 99;
  void* arguments[] = {&data, &count};
  ASSERT_EQ(Launcher::pack(*launch.kernel, arguments, launch.parameters), Error::Success);
  ASSERT_EQ(launch.parameters.size(), 12u);
  ASSERT_EQ(session_.streams().issue(*session_.streams().find(0), launch), Error::Success);
  EXPECT_EQ(values[0], 1u);
  EXPECT_EQ(values[98], 99u);
  EXPECT_EQ(values[99], 99u);
  EXPECT_TRUE(messages_.empty());
}

TEST_F(SessionTest, ConfigurationsThatCannotRunHaveCudasErrors) {
  EXPECT_EQ(check("add_one", {1}, {1024}), Error::Success);
  EXPECT_EQ(check("add_one", {1}, {1025}), Error::InvalidConfiguration);
  EXPECT_EQ(check("add_one", {1}, {64, 64}), Error::InvalidConfiguration);
  EXPECT_EQ(check("add_one", {0}, {32}), Error::InvalidConfiguration);
  EXPECT_EQ(check("add_one", {1}, {0}), Error::InvalidConfiguration);
  EXPECT_EQ(check("add_one", {1, 65536}, {32}), Error::InvalidConfiguration);
  EXPECT_EQ(check("add_one", {1}, {1, 1, 65}), Error::InvalidConfiguration);
  EXPECT_EQ(check("narrow", {1}, {64}), Error::Success);
  EXPECT_EQ(check("narrow", {1}, {65}), Error::LaunchOutOfResources);
}

// The registers are an estimate, so they must not reject a block size that a GPU would run.
TEST_F(SessionTest, AnEstimateOfManyRegistersForbidsNoBlock) {
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry hungry(.param .u64 p) {\n"
      ".reg .f32 %f<100>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n";
  for (int i = 0; i < 100; ++i) text += "ld.volatile.global.f32 %f" + std::to_string(i) + ", [%rd1];\n";
  for (int i = 100; i-- > 0;) text += "st.volatile.global.f32 [%rd1], %f" + std::to_string(i) + ";\n";
  text += "ret;\n}\n";
  Image* image = nullptr;
  std::string log;
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.c_str());
  ASSERT_EQ(session_.load_image({bytes, bytes + text.size() + 1}, "hungry.ptx", image, log), Error::Success) << log;
  KernelOperation hungry{session_.modules().kernel_named(*image, "hungry"), {1}, {1024}, {}, 0, false, {}};
  ASSERT_EQ(session_.launcher().load(*hungry.kernel), Error::Success);
  EXPECT_GT(session_.launcher().facts(*hungry.kernel).registers, 64);  // more than 1024 threads can have
  EXPECT_EQ(session_.launcher().check(hungry), Error::Success);
  EXPECT_EQ(session_.launcher().facts(*hungry.kernel).max_threads, 1024);
  EXPECT_EQ(session_.launcher().active_blocks(*hungry.kernel, 1024, 0), 1);
  EXPECT_GE(session_.launcher().active_blocks(*hungry.kernel, 256, 0), 2);
}

TEST_F(SessionTest, MuchSharedMemoryMustBeAskedFor) {
  EXPECT_EQ(check("add_one", {1}, {32}, 48 * 1024), Error::Success);
  EXPECT_EQ(check("add_one", {1}, {32}, 48 * 1024 + 4), Error::InvalidValue);
  EXPECT_EQ(check("big_shared", {1}, {32}, 49152 - 40000), Error::Success);
  EXPECT_EQ(check("big_shared", {1}, {32}, 49152 - 40000 + 4), Error::InvalidValue);
  Kernel& kernel = *operation("add_one", {1}, {32}).kernel;
  const int most = int(session_.device().attribute(Attribute::MaxSharedMemoryPerBlockOptin));
  EXPECT_EQ(session_.launcher().set_attribute(kernel, FunctionAttribute::MaxDynamicShared, most + 1),
            Error::InvalidValue);
  ASSERT_EQ(session_.launcher().set_attribute(kernel, FunctionAttribute::MaxDynamicShared, 100000), Error::Success);
  EXPECT_EQ(check("add_one", {1}, {32}, 100000), Error::Success);
  EXPECT_EQ(check("add_one", {1}, {32}, 100004), Error::InvalidValue);
}

TEST_F(SessionTest, ACooperativeGridMustFitTheDevice) {
  KernelOperation launch = operation("add_one", {1}, {1024});
  launch.cooperative = true;
  const auto resident = uint32_t(session_.launcher().active_blocks(*launch.kernel, 1024, 0)) *
                        uint32_t(session_.device().attribute(Attribute::MultiProcessorCount));
  launch.grid = {resident};
  EXPECT_EQ(session_.launcher().check(launch), Error::Success);
  launch.grid = {resident + 1};
  EXPECT_EQ(session_.launcher().check(launch), Error::CooperativeLaunchTooLarge);
}

TEST_F(SessionTest, AFaultIsTheContextsEndAndIsToldOnce) {
  KernelOperation launch = operation("add_one", {1}, {32});
  uint64_t nowhere = 64;
  uint32_t count = 1;
  void* arguments[] = {&nowhere, &count};
  ASSERT_EQ(Launcher::pack(*launch.kernel, arguments, launch.parameters), Error::Success);
  EXPECT_EQ(session_.streams().issue(*session_.streams().find(0), launch), Error::IllegalAddress);
  ASSERT_EQ(messages_.size(), 1u);
  EXPECT_NE(messages_[0].find("add_one"), std::string::npos);
  EXPECT_NE(messages_[0].find("by thread (0,0,0) of block (0,0,0)"), std::string::npos);
  EXPECT_NE(messages_[0].find("0x40"), std::string::npos);
  EXPECT_NE(messages_[0].find("cudaErrorIllegalAddress (700)"), std::string::npos);
  EXPECT_EQ(session_.ready(), Error::IllegalAddress);
  EXPECT_EQ(session_.errors().take(), Error::IllegalAddress);
  EXPECT_EQ(session_.errors().take(), Error::IllegalAddress);
}

TEST_F(SessionTest, OrdinaryErrorsAreTakenOnce) {
  session_.errors().note(Error::InvalidValue);
  EXPECT_EQ(session_.errors().peek(), Error::InvalidValue);
  EXPECT_EQ(session_.errors().take(), Error::InvalidValue);
  EXPECT_EQ(session_.errors().take(), Error::Success);
}

TEST_F(SessionTest, WhatIsNoPtxIsRefusedWithItsPlace) {
  const char* const text = ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k( { ret; }\n";
  const auto* bytes = reinterpret_cast<const uint8_t*>(text);
  Image* image = nullptr;
  std::string log;
  EXPECT_EQ(session_.load_image({bytes, bytes + std::strlen(text)}, "bad.ptx", image, log), Error::InvalidPtx);
  EXPECT_NE(log.find("bad.ptx:4"), std::string::npos);
  ASSERT_EQ(messages_.size(), 1u);
  EXPECT_NE(messages_[0].find("bad.ptx:4"), std::string::npos);
}

}  // namespace
}  // namespace drywarp::cuda
