// How fast the engine runs the example kernels: warp instructions a second, counters on and off, by number of workers.
//
//   engine_speed --ptx_folder=FOLDER [--code_cache=FOLDER] [--workers=1,2] [--benchmark_...]
//
// FOLDER holds <program>.ptx for every program of kernel_cases(). Time is the launch's own, without compilation: the
// first launch of each kernel is not timed. compile_ms is what compiling it took; with a code cache (an empty folder),
// cached_ms what it takes to find the code there.
#include <benchmark/benchmark.h>
#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string_view>

#include "exec/engine.h"
#include "ir/build.h"
#include "kernel_cases.h"

namespace drywarp::bench {
namespace {

constexpr uint64_t kDeviceBytes = uint64_t{8} << 30;

// "void copy<float>(float*, ...)" of a mangled name -> "copy<float>"
std::string source_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  std::string name = status == 0 ? text.get() : mangled;
  if (name.starts_with("void ")) name.erase(0, 5);
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    depth += (name[i] == '<') - (name[i] == '>');
    if (name[i] == '(' && depth == 0) return name.substr(0, i);
  }
  return name;
}

// One engine with its memory, and the modules that it has loaded.
class Machine {
 public:
  Machine(unsigned workers, bool counters, const std::string& code_cache = "") : memory_(kDeviceBytes) {
    exec::EngineOptions options;
    options.code_cache = code_cache;
    options.workers = workers;
    options.counters = counters;
    engine_ = std::make_unique<exec::Engine>(std::move(options), memory_);
  }

  Result<std::shared_ptr<exec::LoadedModule>> load(const std::string& folder, const std::string& program) {
    auto& loaded = modules_[program];
    if (loaded) return loaded;
    std::ifstream file(folder + "/" + program + ".ptx");
    std::stringstream text;
    text << file.rdbuf();
    auto module = ir::parse_module(text.str(), program);
    if (!module) return module.problem();
    auto result = engine_->load(std::make_shared<const ir::Module>(std::move(*module)));
    if (!result) return result.problem();
    return loaded = *result;
  }

  exec::Engine& engine() { return *engine_; }
  exec::DeviceMemory& memory() { return memory_; }

 private:
  exec::DeviceMemory memory_;
  std::unique_ptr<exec::Engine> engine_;
  std::map<std::string, std::shared_ptr<exec::LoadedModule>> modules_;
};

void fill(void* data, uint64_t bytes, Fill how) {
  auto* words = static_cast<uint32_t*>(data);
  std::minstd_rand random(1);
  for (uint64_t i = 0; i < bytes / 4; ++i)
    words[i] = how == Fill::Zero         ? 0
               : how == Fill::SixToEight ? 6 + i % 3
                                         : static_cast<uint32_t>(random()) & 0x3f7f3f7f;
}

// The kernel's parameters as PTX lays them out: each aligned to its own size.
struct Parameters {
  std::vector<uint8_t> bytes;
  std::vector<uint64_t> buffers;

  template <typename T>
  void push(T value) {
    bytes.resize((bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T) + sizeof(T));
    std::memcpy(bytes.data() + bytes.size() - sizeof(T), &value, sizeof(T));
  }
};

Parameters make_parameters(exec::DeviceMemory& memory, const std::vector<Argument>& arguments) {
  Parameters out;
  for (const Argument& argument : arguments) {
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
      const uint64_t address = memory.allocate(buffer->bytes, exec::MemoryKind::Device).value_or(0);
      if (address != 0) fill(reinterpret_cast<void*>(address), buffer->bytes, buffer->fill);
      out.buffers.push_back(address);
      out.push(address);
    } else {
      std::visit(
          [&](auto v) {
            if constexpr (sizeof(v) == 4) out.push(v);
          },
          argument);
    }
  }
  return out;
}

uint64_t warp_instructions(const exec::LaunchResult& result) {
  uint64_t sum = 0;
  for (const InstructionInfo& i : result.kernel->instructions) sum += result.counts.blocks[i.block].warps;
  return sum;
}

// What a launch with counters tells of a kernel, once.
struct Known {
  uint64_t instructions = 0;
  double compile_seconds = 0, cached_seconds = 0;
};

struct Setup {
  std::string folder, code_cache;
  std::map<std::string, Known> kernels;
  std::unique_ptr<Machine> first, second;  // with counters; the second finds in the code cache what the first compiled
};

void run_case(benchmark::State& state, Setup& setup, Machine& machine, const KernelCase& c) {
  const auto launch_on = [&](Machine& on, auto&& body) {
    auto module = on.load(setup.folder, c.program);
    if (!module) return state.SkipWithError(module.problem().message.c_str());
    const ir::Module& code = exec::Engine::module_of(**module);
    exec::LaunchRequest request;
    request.grid = c.grid, request.block = c.block, request.dynamic_shared_bytes = c.dynamic_shared_bytes;
    bool found = false;
    for (ir::FunctionId f = 0; f < code.functions.size() && !found; ++f)
      if (code.functions[f].is_kernel && source_name(code.functions[f].name) == c.kernel)
        request.function = f, found = true;
    if (!found) return state.SkipWithError(("no kernel " + c.kernel).c_str());
    Parameters parameters = make_parameters(on.memory(), c.arguments);
    request.parameters = parameters.bytes;
    body(**module, request);
    for (const uint64_t address : parameters.buffers) on.memory().free(address);
  };

  Known& known = setup.kernels[c.program + "/" + c.kernel];
  if (known.instructions == 0) {
    launch_on(*setup.first, [&](exec::LoadedModule& module, const exec::LaunchRequest& request) {
      const exec::LaunchResult result = setup.first->engine().launch(module, request);
      if (result.fault) return state.SkipWithError(result.fault->message.c_str());
      known.instructions = warp_instructions(result);
      known.compile_seconds = result.compile_seconds;
    });
    if (!setup.code_cache.empty())
      launch_on(*setup.second, [&](exec::LoadedModule& module, const exec::LaunchRequest& request) {
        known.cached_seconds = setup.second->engine().launch(module, request).compile_seconds;
      });
  }
  const auto instructions = static_cast<double>(known.instructions);
  launch_on(machine, [&](exec::LoadedModule& module, const exec::LaunchRequest& request) {
    const exec::LaunchResult first = machine.engine().launch(module, request);
    if (first.fault) return state.SkipWithError(first.fault->message.c_str());
    for (auto _ : state) {
      const exec::LaunchResult result = machine.engine().launch(module, request);
      if (result.fault) return state.SkipWithError(result.fault->message.c_str());
      state.SetIterationTime(result.seconds);
    }
    state.counters["warp_instructions"] = instructions;
    state.counters["Mwi/s"] = benchmark::Counter(instructions * 1e-6, benchmark::Counter::kIsIterationInvariantRate);
    state.counters["compile_ms"] = known.compile_seconds * 1e3;
    state.counters["cached_ms"] = known.cached_seconds * 1e3;
  });
}

// Takes "--name=value" out of the arguments; `value` stays as it was if there is none.
void take_option(int& argc, char** argv, std::string_view name, std::string& value) {
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with(name) && argument.substr(name.size()).starts_with("="))
      value = argument.substr(name.size() + 1);
    else
      argv[kept++] = argv[i];
  }
  argc = kept;
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
