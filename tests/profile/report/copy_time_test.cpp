#include "profile/record/copy_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

namespace drywarp::record {
namespace {

device::DeviceSpec spec(const std::string& id) { return *device::load_device(id); }

std::optional<TransferKind> kind_of(const std::string& what) {
  if (what == "HtoD pinned") return TransferKind::HostToDevice;
  if (what == "DtoH pinned") return TransferKind::DeviceToHost;
  if (what == "DtoD") return TransferKind::DeviceToDevice;
  if (what == "memset") return TransferKind::Memset;
  return std::nullopt;  // of pageable memory: the host decides
}

// Within 5 % of 64 MB over the link and inside the device, within 50 % of every size.
TEST(CopyTime, IsNearWhatCuptiReportsOnAnH200) {
  std::ifstream file(std::string(DRYWARP_SOURCE_DIR) + "/tests/golden/hardware/copies_h200.csv");
  const auto device = spec("h200");
  unsigned compared = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    std::string what, bytes, median;
    std::getline(cells, what, ','), std::getline(cells, bytes, ','), std::getline(cells, median, ',');
    const auto kind = kind_of(what);
    if (!kind) continue;
    const double measured = std::stod(median) * 1e-9;
    const auto modelled = copy_seconds(device, *kind, std::stoull(bytes));
    ASSERT_TRUE(modelled) << line;
    EXPECT_LT(std::abs(*modelled / measured - 1), std::stoull(bytes) >= 1u << 26 ? 0.05 : 0.5) << line;
    ++compared;
  }
  EXPECT_EQ(compared, 36u);
}

TEST(CopyTime, ALinkWithoutLatencyHasItsBandwidth) {
  EXPECT_DOUBLE_EQ(*copy_seconds(spec("v100"), TransferKind::HostToDevice, 16'000'000), 1e-3);
}

TEST(CopyTime, InsideADeviceThePeakOfItsMemoryStandsIn) {
  const auto gtx970 = spec("gtx970");  // 7 GHz, 256 bits: 224 GB/s
  EXPECT_NEAR(*copy_seconds(gtx970, TransferKind::Memset, 224'320'000), 1e-3, 1e-5);
  EXPECT_NEAR(*copy_seconds(gtx970, TransferKind::DeviceToDevice, 112'160'000), 1e-3, 1e-5);
}

TEST(CopyTime, TheHostStagesWhatIsNotPageLocked) {
  const auto h200 = spec("h200");
  for (const TransferKind kind : {TransferKind::HostToDevice, TransferKind::DeviceToHost})
    EXPECT_GT(*copy_seconds(h200, kind, 1 << 26, true), 3 * *copy_seconds(h200, kind, 1 << 26));
  EXPECT_EQ(copy_seconds(h200, TransferKind::Memset, 1 << 26, true), copy_seconds(h200, TransferKind::Memset, 1 << 26));
  // Without a bandwidth of its own it is as fast as page-locked memory.
  EXPECT_EQ(copy_seconds(spec("v100"), TransferKind::HostToDevice, 1 << 26, true),
            copy_seconds(spec("v100"), TransferKind::HostToDevice, 1 << 26));
  EXPECT_FALSE(waits_for_host(h200, TransferKind::HostToDevice, 65536));
  EXPECT_TRUE(waits_for_host(h200, TransferKind::HostToDevice, 65537));
  EXPECT_TRUE(waits_for_host(h200, TransferKind::DeviceToHost, 4));
}

TEST(CopyTime, NothingIsInvented) {
  EXPECT_FALSE(copy_seconds(spec("gtx970"), TransferKind::HostToDevice, 4096));
  EXPECT_FALSE(copy_seconds(spec("h200"), TransferKind::HostToHost, 4096));
}

}  // namespace
}  // namespace drywarp::record
