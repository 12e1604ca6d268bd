#include "drawn_profile.h"

#include "base/device/device_spec.h"
#include "profile/report/sample_profile.h"

namespace drywarp::document {
namespace {

// Lane l loads word `stride` l.
AccessSample sample(uint32_t access, Memory memory, uint32_t stride, uint32_t units) {
  AccessSample s;
  s.access = access, s.memory = memory, s.size = 4, s.lanes = ~0u, s.units = units, s.block = 3, s.warp = 1;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) s.addresses[lane] = 4096 + uint64_t{4} * stride * lane;
  return s;
}

record::DrawnLaunch drawn() {
  record::DrawnLaunch d;
  d.launch = 0;
  d.code.regions = {{0}};
  d.code.instructions = {{"LDG.E R2, [R4.64]", "LDG", "lsu", 1, 0, 5, 0},
                         {"BAR.SYNC 0x0", "BAR.SYNC", "adu", 3, 0, 6, 0},
                         {"NOP", "NOP", "none", machine::kNone, machine::kNone, 0, 0}};
  sm::Timeline& t = d.timeline;
  t.sms = 2, t.schedulers = 4, t.channels = 8, t.banks = 16, t.end = 100;
  t.blocks = {{0, 0, 0, 1.5, 40}, {1, 0, 1, 2, 50}, {0, 0, 2, 40, 100}};
  t.warps = {{1, 5, 0, 1, 2, 40, {{3, 20.25, sm::Stall::LongScoreboard}, {21.25, 40, sm::Stall::Barrier}}},
             {0, 4, 0, 0, 2, 40, {{2, 39, sm::Stall::LongScoreboard}}}};
  t.issues = {{2, 0, 0, false}, {20.25, 0, 1, false}, {39, 1, 1, true}};
  t.dram = {{5, 6.123456, 9.5, 12, 3, 7, 77, false, false}, {7, 12, 12, 15, 3, 7, 77, true, true}};
  t.blocks_until = t.warps_until = 100, t.dram_until = 60;
  t.instructions.resize(3);
  t.instructions[0].issued = 32768;
  t.instructions[1].issued = 32768, t.instructions[1].stalls[unsigned(sm::Stall::Barrier)] = 1234;
  d.steps.block = 0;
  d.steps.warps = {{{{0, ~0u, 1}}, {{0, 0}}, false}, {{{0, 0xffffu, 2}}, {}, true}};
  return d;
}

}  // namespace

record::Profile drawn_profile(const std::string& source) {
  record::Profile p = report::timed_profile(source);
  p.kept.command = "drywarp profile -o run.dwprof transpose.cu", p.kept.created = "2026-01-31T12:00:00Z";
  p.kept.output = "PASS\n";
  p.kept.sources[source] = {"line one", "", "", "  int i = 0;"};
  const auto device = device::load_device("h200");
  p.kept.device_id = device->id, p.kept.architecture = device->architecture, p.kept.compute_capability = "9.0";
  for (const auto& [path, origin] : device->origins)
    p.kept.device_numbers.push_back({path, device->texts.at(path), device::name(origin.kind), origin.source});
  p.transfers[0].gpu_seconds = 0.0004;
  // The last of an instruction's samples is its costliest.
  p.samples = {{0, sample(0, Memory::Global, 1, 4)},
               {1, sample(0, Memory::Global, 2, 8)},
               {0, sample(2, Memory::Shared, 32, 32)},
               {99, sample(3, Memory::Global, 1, 4)}};  // of no launch: a damaged file
  p.drawn = {drawn()};
  return p;
}

}  // namespace drywarp::document
