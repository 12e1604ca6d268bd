// Loads of shared memory that an H200 ran (tests/golden/hardware/shared_loads_h200.csv): the simulated unit has its
// wavefronts, latencies and rates.
#include <fstream>
#include <sstream>

#include "base/access/access_pattern.h"
#include "program.h"

namespace drywarp::sm {
namespace {

struct Recorded {
  std::string pattern;
  unsigned bytes = 0;
  uint64_t offsets[kWarpSize] = {};
  double wavefronts = 0, latency = 0, one_warp = 0, four_warps = 0, sixteen_warps = 0;
};

std::vector<Recorded> recorded() {
  std::ifstream in(DRYWARP_SOURCE_DIR "/tests/golden/hardware/shared_loads_h200.csv");
  std::vector<Recorded> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#' || line.starts_with("pattern")) continue;
    std::istringstream cells(line);
    std::string bytes, offsets, number;
    Recorded r;
    std::getline(cells, r.pattern, ',');
    std::getline(cells, bytes, ',');
    std::getline(cells, offsets, ',');
    r.bytes = static_cast<unsigned>(std::stoul(bytes));
    std::istringstream lanes(offsets);
    for (uint64_t& offset : r.offsets) lanes >> offset;
    for (double* value : {&r.wavefronts, &r.latency, &r.one_warp, &r.four_warps, &r.sixteen_warps}) {
      std::getline(cells, number, ',');
      *value = std::stod(number);
    }
    all.push_back(r);
  }
  return all;
}

// Until each of the warps has loaded so often and used its last value.
Cycles cycles_of_loads(uint32_t warps, uint32_t loads, unsigned bytes, const SharedAccess& cost) {
  machine::MachineModel model = round_machine();
  model.sms = 1, model.memory.sms = 1;
  model.shared_conflict_cycles = 2, model.shared_transaction_cycles = 1;
  Program p;
  p.threads = 32 * warps;
  for (uint32_t i = 0; i < loads; ++i) {
    MachineInstruction load = make(Operation::Lds, static_cast<int>(i));
    load.access = i, load.bytes = static_cast<uint8_t>(bytes);
    p.add(load);
    p.warp.accesses.push_back({.access = i,
                               .space = AddressSpace::Shared,
                               .lanes = kWarpSize,
                               .units = static_cast<uint16_t>(cost.wavefronts),
                               .ideal_units = static_cast<uint16_t>(cost.ideal_wavefronts)});
  }
  p.add(make(Operation::Fadd, 200, {static_cast<int>(loads) - 1}));
  p.add(make(Operation::Exit));
  return p.run(model).cycles;
}

TEST(SharedLoads, haveTheWavefrontsLatenciesAndRatesOfAnH200) {
  const std::vector<Recorded> all = recorded();
  ASSERT_GT(all.size(), 100);
  const Recorded& broadcast = all.front();
  const Cycles shortest = cycles_of_loads(1, 1, 4, {.wavefronts = 1, .ideal_wavefronts = 1});
  for (const Recorded& r : all) {
    SCOPED_TRACE(r.pattern + " " + std::to_string(r.bytes));
    const SharedAccess cost = analyze_shared(r.offsets, ~0u, r.bytes);
    EXPECT_EQ(cost.wavefronts, r.wavefronts);
    EXPECT_NEAR(cycles_of_loads(1, 1, r.bytes, cost) - shortest, r.latency - broadcast.latency, 0.6);
    const Cycles each = (cycles_of_loads(16, 40, r.bytes, cost) - cycles_of_loads(16, 8, r.bytes, cost)) / (16 * 32);
    EXPECT_NEAR(each, r.sixteen_warps, 0.1 + 0.02 * r.sixteen_warps);
  }
}

TEST(SharedLoads, ofOneWarpAreServedOneAfterTheOther) {
  for (const Recorded& r : recorded()) {
    if (r.wavefronts < 8) continue;  // the recorded loops wait for their last load
    SCOPED_TRACE(r.pattern + " " + std::to_string(r.bytes));
    const SharedAccess cost = analyze_shared(r.offsets, ~0u, r.bytes);
    const Cycles each = (cycles_of_loads(1, 40, r.bytes, cost) - cycles_of_loads(1, 8, r.bytes, cost)) / 32;
    EXPECT_NEAR(each, r.one_warp, 3.5);
    EXPECT_EQ(each, 2 * r.wavefronts);
  }
}

}  // namespace
}  // namespace drywarp::sm
