// The driver's choices recorded with the kernels of bench/accuracy.
#include "base/device/occupancy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

namespace drywarp::device {
namespace {

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

TEST(Carveout, IsTheDriversOwnForMostKernels) {
  auto h200 = load_device("h200");
  ASSERT_TRUE(h200.ok());
  std::ifstream in(DRYWARP_SOURCE_DIR "/bench/accuracy/data/h200-kernels.csv");
  std::string line;
  ASSERT_TRUE(std::getline(in, line));
  std::map<std::string, size_t> column;
  for (const std::string& name : fields(line)) column.emplace(name, column.size());
  std::getline(in, line);  // units
  std::set<std::vector<uint64_t>> seen;
  unsigned equal = 0, near = 0;
  while (std::getline(in, line)) {
    const std::vector<std::string> row = fields(line);
    const auto number = [&](const char* name) { return std::strtoull(row.at(column.at(name)).c_str(), nullptr, 10); };
    unsigned x = 0, y = 0, z = 0;
    ASSERT_EQ(std::sscanf(row.at(column.at("block")).c_str(), "(%u, %u, %u)", &x, &y, &z), 3);
    const OccupancyRequest request{
        .registers_per_thread = static_cast<uint32_t>(number("launch__registers_per_thread")),
        .threads_per_block = x * y * z,
        .static_shared_bytes = number("launch__shared_mem_per_block_static"),
        .dynamic_shared_bytes = number("launch__shared_mem_per_block_dynamic")};
    const uint64_t recorded = number("launch__shared_mem_config_size");
    const Occupancy fits = occupancy(*h200, request);
    if (!seen.insert({request.threads_per_block, request.static_shared_bytes + request.dynamic_shared_bytes,
                      fits.limit[unsigned(OccupancyLimiter::Registers)], recorded})
             .second)
      continue;
    const auto& sizes = h200->shared_carveouts;
    const auto step = [&](uint64_t size) { return std::find(sizes.begin(), sizes.end(), size) - sizes.begin(); };
    const auto away = std::abs(step(driver_carveout(*h200, request, fits)) - step(recorded));
    equal += away == 0, near += away <= 1;
  }
  EXPECT_GE(seen.size(), 50u);
  EXPECT_GE(equal, seen.size() * 8 / 10);
  EXPECT_GE(near, seen.size() - 1);
}

TEST(Carveout, IsWhatAProgramAsksFor) {
  auto h200 = load_device("h200");
  ASSERT_TRUE(h200.ok());
  OccupancyRequest request{.registers_per_thread = 32, .threads_per_block = 256, .static_shared_bytes = 1024};
  const uint64_t free_choice = driver_carveout(*h200, request, occupancy(*h200, request));
  EXPECT_LT(free_choice, 65536u);
  request.carveout_percent = 100;
  EXPECT_EQ(driver_carveout(*h200, request, occupancy(*h200, request)), h200->shared_per_multiprocessor);
}

}  // namespace
}  // namespace drywarp::device
