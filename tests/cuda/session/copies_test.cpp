#include "cuda/streams/copies.h"

#include <gtest/gtest.h>

#include <numeric>

namespace drywarp::cuda {
namespace {

class Copies : public ::testing::Test {
 protected:
  exec::DeviceMemory device_{uint64_t(1) << 30};
  Memory memory_{device_};
  uint64_t allocate(size_t size) {
    uint64_t address = 0;
    EXPECT_EQ(memory_.allocate(address, size), Error::Success);
    return address;
  }
  static CopyEnd at(const void* p, size_t pitch = 0, size_t rows = 0) {
    return {reinterpret_cast<uint64_t>(p), pitch, rows};
  }
};

TEST_F(Copies, HostToDeviceAndBack) {
  const uint64_t there = allocate(16);
  std::vector<uint8_t> in(16), out(16);
  std::iota(in.begin(), in.end(), 1);
  CopyOperation copy;
  ASSERT_EQ(make_copy(memory_, {there}, at(in.data()), {16, 1, 1}, CopyKind::HostToDevice, copy), Error::Success);
  EXPECT_EQ(copy.kind, record::TransferKind::HostToDevice);
  perform(copy);
  ASSERT_EQ(make_copy(memory_, at(out.data()), {there}, {16, 1, 1}, CopyKind::Default, copy), Error::Success);
  EXPECT_EQ(copy.kind, record::TransferKind::DeviceToHost);
  perform(copy);
  EXPECT_EQ(in, out);
}

TEST_F(Copies, PastAnAllocationIsAnInvalidValue) {
  const uint64_t there = allocate(100);
  uint8_t host[200] = {};
  CopyOperation copy;
  EXPECT_EQ(make_copy(memory_, {there}, at(host), {101, 1, 1}, CopyKind::HostToDevice, copy), Error::InvalidValue);
  EXPECT_EQ(make_copy(memory_, {there + 50}, at(host), {51, 1, 1}, CopyKind::HostToDevice, copy), Error::InvalidValue);
  EXPECT_EQ(make_copy(memory_, {there + 50}, at(host), {50, 1, 1}, CopyKind::HostToDevice, copy), Error::Success);
}

TEST_F(Copies, AHostPointerIsNoDeviceMemory) {
  const uint64_t there = allocate(16);
  uint8_t host[16] = {};
  CopyOperation copy;
  EXPECT_EQ(make_copy(memory_, at(host), {there}, {16, 1, 1}, CopyKind::HostToDevice, copy), Error::InvalidValue);
  EXPECT_EQ(make_copy(memory_, {there}, at(host), {16, 1, 1}, CopyKind::DeviceToDevice, copy), Error::InvalidValue);
  EXPECT_EQ(make_copy(memory_, {there}, at(host), {16, 1, 1}, static_cast<CopyKind>(7), copy),
            Error::InvalidMemcpyDirection);
  // Registered memory is accepted.
  ASSERT_EQ(memory_.register_host(reinterpret_cast<uint64_t>(host), 16, 0), Error::Success);
  EXPECT_EQ(make_copy(memory_, {there}, at(host), {16, 1, 1}, CopyKind::DeviceToDevice, copy), Error::Success);
  EXPECT_EQ(memory_.unregister_host(reinterpret_cast<uint64_t>(host)), Error::Success);
}

TEST_F(Copies, RowsOfDifferentPitch) {
  uint64_t there = 0;
  size_t pitch = 0;
  ASSERT_EQ(memory_.allocate_pitched(there, pitch, 3, 2), Error::Success);
  EXPECT_EQ(pitch % kPitchAlignment, 0u);
  const uint8_t in[6] = {1, 2, 3, 4, 5, 6};
  uint8_t out[8] = {};
  CopyOperation copy;
  ASSERT_EQ(make_copy(memory_, {there, pitch}, at(in, 3), {3, 2, 1}, CopyKind::HostToDevice, copy), Error::Success);
  perform(copy);
  ASSERT_EQ(make_copy(memory_, at(out, 4), {there, pitch}, {3, 2, 1}, CopyKind::DeviceToHost, copy), Error::Success);
  perform(copy);
  EXPECT_EQ(std::vector<uint8_t>(out, out + 8), (std::vector<uint8_t>{1, 2, 3, 0, 4, 5, 6, 0}));
  EXPECT_EQ(make_copy(memory_, {there, pitch}, at(in, 2), {3, 2, 1}, CopyKind::HostToDevice, copy),
            Error::InvalidPitchValue);
}

// What an H200's driver says.
TEST_F(Copies, PitchesOfOneRowAndOfOneSlice) {
  const uint64_t there = allocate(1024);
  uint8_t host[1024] = {};
  CopyOperation copy;
  const auto error = [&](size_t pitch, size_t rows, const Extent3& extent) {
    const CopyEnd from{reinterpret_cast<uint64_t>(host), pitch, rows};
    return make_copy(memory_, {there, 32, 8}, from, extent, CopyKind::HostToDevice, copy);
  };
  for (const size_t pitch : {0, 32, 33, 4096}) EXPECT_EQ(error(pitch, 0, {32, 1, 1}), Error::Success) << pitch;
  for (const size_t pitch : {1, 31}) EXPECT_EQ(error(pitch, 0, {32, 1, 1}), Error::InvalidValue) << pitch;
  for (const size_t pitch : {0, 1, 31}) EXPECT_EQ(error(pitch, 0, {32, 2, 1}), Error::InvalidPitchValue) << pitch;
  for (const size_t rows : {0, 5, 20}) EXPECT_EQ(error(32, rows, {32, 5, 1}), Error::Success) << rows;
  EXPECT_EQ(error(32, 1, {32, 5, 1}), Error::InvalidValue);
  for (const size_t rows : {0, 1}) EXPECT_EQ(error(32, rows, {32, 5, 3}), Error::InvalidPitchValue) << rows;
  EXPECT_EQ(error(32, 5, {32, 5, 3}), Error::Success);
  for (const Extent3& nothing : {Extent3{0, 5, 1}, {32, 0, 1}, {32, 5, 0}})
    EXPECT_EQ(error(1, 1, nothing), Error::Success);
  FillOperation fill;
  EXPECT_EQ(make_fill(memory_, there, 1, 0, 0, 1, {32, 1, 1}, fill), Error::Success);
  EXPECT_EQ(make_fill(memory_, there, 31, 0, 0, 1, {32, 5, 1}, fill), Error::InvalidValue);
}

TEST_F(Copies, ALineWrapsAtAnArraysRows) {
  Array* array = nullptr;
  ASSERT_EQ(memory_.create_array(array, {8, 0, 0, 0, 1}, {3, 3, 0}, 0), Error::Success);
  const uint8_t in[5] = {1, 2, 3, 4, 5};
  std::vector<CopyOperation> pieces;
  const CopyEnd to{0, 0, 0, array, 2, 0, 0};
  ASSERT_EQ(make_wrapped_copy(memory_, to, at(in), 5, CopyKind::HostToDevice, pieces), Error::Success);
  for (const auto& piece : pieces) perform(piece);
  const auto* bytes = reinterpret_cast<const uint8_t*>(array->address);
  EXPECT_EQ(std::vector<uint8_t>(bytes, bytes + 9), (std::vector<uint8_t>{0, 0, 1, 2, 3, 4, 5, 0, 0}));
}

TEST_F(Copies, FillsByElement) {
  const uint64_t there = allocate(16);
  FillOperation fill;
  ASSERT_EQ(make_fill(memory_, there, 8, 0, 0x01020304, 4, {1, 2, 1}, fill), Error::Success);
  perform(fill);
  const auto* words = reinterpret_cast<const uint32_t*>(there);
  EXPECT_EQ(words[0], 0x01020304u);
  EXPECT_EQ(words[1], 0u);
  EXPECT_EQ(words[2], 0x01020304u);
  EXPECT_EQ(make_fill(memory_, there, 0, 0, 0, 1, {17, 1, 1}, fill), Error::InvalidValue);
  EXPECT_EQ(make_fill(memory_, there, 0, 0, 0, 3, {1, 1, 1}, fill), Error::InvalidValue);
}

TEST_F(Copies, OnlyWhatWasAllocatedIsFreed) {
  const uint64_t there = allocate(16);
  EXPECT_EQ(memory_.free(there + 8), Error::InvalidValue);
  EXPECT_EQ(memory_.free(there), Error::Success);
  EXPECT_EQ(memory_.free(there), Error::InvalidValue);
  EXPECT_EQ(memory_.free(0), Error::Success);
  uint64_t too_much = 0;
  EXPECT_EQ(memory_.allocate(too_much, size_t(1) << 31), Error::MemoryAllocation);
}

}  // namespace
}  // namespace drywarp::cuda
