// The engine's speed for the example kernels: warp instructions a second, with and without counters, by number of
// workers.
//
//   engine_speed --ptx_folder=FOLDER [--code_cache=FOLDER] [--workers=1,2] [--benchmark_...]
//
// FOLDER holds <program>.ptx for every program of kernel_cases(). Times exclude compilation: the first launch of each
// kernel is not timed. compile_ms is the time to compile it. With a code cache (an empty folder), cached_ms is the time
// to load the code from it.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "kernel_runner.h"

namespace drywarp::bench {
namespace {

// Facts about a kernel from one launch with counters.
struct Known {
  uint64_t instructions = 0;
  double compile_seconds = 0, cached_seconds = 0;
};

struct Setup {
  std::string folder, code_cache;
  std::map<std::string, Known> kernels;
  std::unique_ptr<Machine> first, second;  // with counters; the second loads the first one's code from the cache
};

void run_case(benchmark::State& state, Setup& setup, Machine& machine, const KernelCase& c) {
  const auto launch_on = [&](Machine& on, auto&& body) {
    auto prepared = PreparedCase::make(on, setup.folder, c);
    if (!prepared) return state.SkipWithError(prepared.problem().message.c_str());
    body(**prepared);
  };

  Known& known = setup.kernels[c.program + "/" + c.kernel];
  if (known.instructions == 0) {
    launch_on(*setup.first, [&](PreparedCase& prepared) {
      const exec::LaunchResult result = prepared.launch();
      if (result.fault) return state.SkipWithError(result.fault->message.c_str());
      known.instructions =
          warp_instructions(*exec::Engine::describe(prepared.module(), prepared.request.function), result);
      known.compile_seconds = result.compile_seconds;
    });
    if (!setup.code_cache.empty())
      launch_on(*setup.second,
                [&](PreparedCase& prepared) { known.cached_seconds = prepared.launch().compile_seconds; });
  }
  const auto instructions = static_cast<double>(known.instructions);
  launch_on(machine, [&](PreparedCase& prepared) {
    const exec::LaunchResult first = prepared.launch();
    if (first.fault) return state.SkipWithError(first.fault->message.c_str());
    for (auto _ : state) {
      const exec::LaunchResult result = prepared.launch();
      if (result.fault) return state.SkipWithError(result.fault->message.c_str());
      state.SetIterationTime(result.seconds);
    }
    state.counters["warp_instructions"] = instructions;
    state.counters["Mwi/s"] = benchmark::Counter(instructions * 1e-6, benchmark::Counter::kIsIterationInvariantRate);
    state.counters["compile_ms"] = known.compile_seconds * 1e3;
    state.counters["cached_ms"] = known.cached_seconds * 1e3;
  });
}

int main_program(int argc, char** argv) {
  Setup setup;
  std::string workers = "1,2";
  take_option(argc, argv, "--ptx_folder", setup.folder);
  take_option(argc, argv, "--code_cache", setup.code_cache);
  take_option(argc, argv, "--workers", workers);
  benchmark::Initialize(&argc, argv);
  if (setup.folder.empty() || benchmark::ReportUnrecognizedArguments(argc, argv)) {
    fmt::print(stderr,
               "usage: engine_speed --ptx_folder=FOLDER [--code_cache=FOLDER] [--workers=1,2] [--benchmark_...]\n");
    return 2;
  }

  const std::vector<KernelCase> cases = kernel_cases();
  setup.first = std::make_unique<Machine>(1, true, setup.code_cache);
  setup.second = std::make_unique<Machine>(1, true, setup.code_cache);
  std::vector<std::unique_ptr<Machine>> machines;
  std::stringstream list(workers);
  for (std::string item; std::getline(list, item, ',');)
    for (const bool counters : {true, false}) {
      machines.push_back(std::make_unique<Machine>(std::strtoul(item.c_str(), nullptr, 10), counters));
      Machine& machine = *machines.back();
      for (const KernelCase& c : cases)
        benchmark::RegisterBenchmark(
            fmt::format("{}/{}/counters:{}/workers:{}", c.program, c.kernel, counters ? "on" : "off", item).c_str(),
            [&](benchmark::State& state) { run_case(state, setup, machine, c); })
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond)
            ->MinTime(0.1);
    }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace drywarp::bench

int main(int argc, char** argv) { return drywarp::bench::main_program(argc, argv); }
