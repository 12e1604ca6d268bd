// The timing model's speed and memory for the example kernels.
//
//   timing_speed --ptx_folder=FOLDER [--waves=2] [--trace_mb=1024] [--sms=8] [--repeats=3] [--digests=1]
//                [--benchmark_...]
//
// FOLDER holds <program>.ptx for every program of kernel_cases(). Each kernel is launched once, recorded as for
// `drywarp profile --time all`, and simulated on one core. record_ms: the recorded launch; trace_MB: the size of the
// trace; peak_MB: peak resident memory of the simulation beyond that before the launch. --sms: simulates a slice of
// that many SMs. --repeats: the fastest of that many simulations. --digests: prints a digest of all results, to verify
// that a change to the simulator changes none.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>

#include "base/device/device_spec.h"
#include "base/device/occupancy.h"
#include "engine/observe/tracer.h"
#include "kernel_runner.h"
#include "language/analysis/passes.h"
#include "language/ir/passes.h"
#include "model/sass/lower.h"
#include "model/sm/sharing.h"
#include "model/sm/timing.h"

namespace drywarp::bench {
namespace {

// Resident bytes of this process: "VmRSS" now, "VmHWM" the peak since forget_peak().
double resident(std::string_view what) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(what)) return std::strtod(line.c_str() + what.size() + 1, nullptr) * 1024;
  return 0;
}
void forget_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

// CPU time of this thread, so that other load on the machine does not count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

uint64_t digest(const sm::KernelTiming& t) {
  uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&](double value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    for (unsigned i = 0; i < 8; ++i) hash = (hash ^ (bits >> 8 * i & 255)) * 0x100000001b3;
  };
  for (const double v : {t.seconds,
                         t.cycles,
                         t.active_cycles,
                         t.warp_cycles,
                         double(t.issued),
                         double(t.thread_instructions),
                         t.issue_active_cycles,
                         t.eligible_warp_cycles,
                         t.shared_wavefronts,
                         t.lane_wavefronts,
                         t.l1_busy,
                         t.l2_busiest,
                         t.l2_mean,
                         t.dram_busiest,
                         t.dram_mean,
                         t.simulated_cycles,
                         double(t.l1.load_hits),
                         double(t.l1.store_hits),
                         double(t.l2.read_hits),
                         double(t.l2.fabric_read_hits),
                         double(t.dram.read_bytes),
                         double(t.dram.write_bytes),
                         double(t.dram.row_hits)})
    mix(v);
  for (const double v : t.pipe_busy) mix(v);
  for (const double v : t.stalls) mix(v);
  for (const sm::InstructionTiming& i : t.instructions) {
    mix(double(i.issued));
    for (const double v : i.stalls) mix(v);
  }
  return hash;
}

struct Setup {
  std::string folder;
  device::DeviceSpec device;
  machine::MachineModel model;
  uint64_t waves = 2, repeats = 1, trace_bytes = 0;
  uint32_t sms = 0;
  bool digests = false;
  Machine machine{1, true};
};

void run_case(benchmark::State& state, Setup& setup, const KernelCase& c) {
  const double before = resident("VmRSS");
  auto prepared = PreparedCase::make(setup.machine, setup.folder, c);
  if (!prepared) return state.SkipWithError(prepared.problem().message.c_str());
  exec::LaunchRequest& request = (*prepared)->request;
  const auto kernel = setup.machine.engine().describe((*prepared)->module(), request.function);
  const ir::Module& module = exec::Engine::module_of((*prepared)->module());
  const ir::Function& code = exec::Engine::code((*prepared)->module(), request.function);
  auto lowered = sass::lower(module, code, {setup.device.compute_capability.number()});
  if (!lowered) return state.SkipWithError(lowered.problem().message.c_str());
  device::OccupancyRequest wanted;
  wanted.threads_per_block = static_cast<uint32_t>(request.block.count());
  wanted.registers_per_thread = lowered->registers;
  wanted.static_shared_bytes = kernel->static_shared_bytes;
  wanted.dynamic_shared_bytes = request.dynamic_shared_bytes;
  const device::Occupancy fits = device::occupancy(setup.device, wanted);
  const uint64_t wave = uint64_t{fits.blocks} * setup.model.sms;
  TraceRequest to_record{std::min(request.grid.count(), setup.waves * wave + 1), setup.trace_bytes, ~uint64_t{0},
                         sm::kSampleBlocks};
  if (setup.sms != 0) to_record.widths = {{setup.model.sms, 0}, {setup.sms, ~uint64_t{0}}};  // the slice's blocks alone
  observe::Tracer tracer(to_record, {*kernel, request.grid.count(),
                                     static_cast<uint32_t>((request.block.count() + 31) / 32), request.shared_banks});
  request.observers = {&tracer};
  const double with_buffers = resident("VmRSS");
  forget_peak();
  exec::LaunchResult result = (*prepared)->launch();
  if (result.fault) return state.SkipWithError(result.fault->message.c_str());
  request.observers.clear();
  const auto trace = tracer.take();
  double trace_bytes = 0;
  for (const BlockTrace& block : trace->blocks)
    for (const WarpTrace& warp : block.warps) trace_bytes += double(warp.bytes());
  const sm::SimulatedLaunch shape = {.blocks = request.grid.count(),
                                     .threads_per_block = wanted.threads_per_block,
                                     .blocks_per_sm = fits.blocks,
                                     .shared_capacity = fits.shared_capacity,
                                     .instructions = static_cast<uint32_t>(kernel->instructions.size()),
                                     .sms = setup.sms,
                                     .simulated = 0};
  double issued = 0;
  uint64_t hash = 0;
  double cycles = 0;
  for (auto _ : state) {
    double fastest = 0;
    for (uint64_t repeat = 0; repeat < setup.repeats; ++repeat) {
      const double begin = cpu_seconds();
      auto timed = sm::time_launch(setup.model, *lowered, *trace, shape);
      const double seconds = cpu_seconds() - begin;
      if (repeat == 0 || seconds < fastest) fastest = seconds;
      if (!timed) return state.SkipWithError(timed.problem().message.c_str());
      issued = static_cast<double>(timed->issued), cycles = timed->cycles;
      if (setup.digests) hash = digest(*timed);
    }
    state.SetIterationTime(fastest);
  }
  state.counters["warp_instructions"] = issued;
  state.counters["Mwi/s"] = benchmark::Counter(issued * 1e-6, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["blocks"] = static_cast<double>(trace->blocks.size());
  state.counters["cycles"] = cycles;
  state.counters["record_ms"] = result.seconds * 1e3;
  state.counters["trace_MB"] = trace_bytes / 1e6;
  state.counters["peak_MB"] = (resident("VmHWM") - std::max(before, with_buffers)) / 1e6;
  if (setup.digests) state.SetLabel(fmt::format("{:016x}", hash));
}

int main_program(int argc, char** argv) {
  std::string folder, waves = "2", trace_mb = "1024", digests = "0", sms = "0", repeats = "1";
  take_option(argc, argv, "--ptx_folder", folder);
  take_option(argc, argv, "--waves", waves);
  take_option(argc, argv, "--trace_mb", trace_mb);
  take_option(argc, argv, "--digests", digests);
  take_option(argc, argv, "--sms", sms);
  take_option(argc, argv, "--repeats", repeats);
  benchmark::Initialize(&argc, argv);
  if (folder.empty() || benchmark::ReportUnrecognizedArguments(argc, argv)) {
    fmt::print(stderr,
               "usage: timing_speed --ptx_folder=FOLDER [--waves=2] [--trace_mb=1024] [--sms=8] "
               "[--repeats=3] [--digests=1] [--benchmark_...]\n");
    return 2;
  }
  auto device = device::load_device("");
  if (!device) return fmt::print(stderr, "{}\n", device.problem().to_string()), 1;
  Setup setup{.folder = folder,
              .device = *device,
              .model = machine::machine_model(*device),
              .waves = std::stoul(waves),
              .repeats = std::max(1ul, std::stoul(repeats)),
              .trace_bytes = std::stoul(trace_mb) << 20,
              .sms = static_cast<uint32_t>(std::stoul(sms)),
              .digests = digests != "0"};
  const std::vector<KernelCase> cases = kernel_cases();
  for (const KernelCase& c : cases)
    benchmark::RegisterBenchmark(fmt::format("{}/{}", c.program, c.kernel).c_str(),
                                 [&](benchmark::State& state) { run_case(state, setup, c); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace drywarp::bench

int main(int argc, char** argv) { return drywarp::bench::main_program(argc, argv); }
