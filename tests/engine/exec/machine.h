// A module, its memory and an engine, for tests that run kernels written as PTX text.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/exec/engine.h"
#include "engine/observe/sampler.h"
#include "engine/observe/tracer.h"
#include "language/ir/build/build.h"

namespace drywarp::exec {

inline const std::string kHead = ".version 8.3\n.target sm_90\n.address_size 64\n";
// Placed on the line behind a kernel's brace.
inline const std::string kRegisters =
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .f32 %f<9>;\n";
// %r0 = tid.x, %r1 = the thread's number in the grid (1-D), %rd0 = parameter out, %rd1 = out + 4 * number.
inline const std::string kThread = R"(
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;
  mad.lo.u32 %r1, %r1, %r2, %r0;
  ld.param.u64 %rd0, [out];
  mul.wide.u32 %rd1, %r1, 4;
  add.u64 %rd1, %rd0, %rd1;
)";

// A kernel k(out, in) whose body finds the registers of kThread set.
inline std::string kernel(const std::string& body, const std::string& declarations = "") {
  return kHead + declarations + ".visible .entry k(.param .u64 out, .param .u64 in) {\n" + kRegisters + kThread + body +
         "\n  ret;\n}\n";
}

// A launch, and the kernel whose instructions and accesses its counts number.
struct Ran : LaunchResult {
  std::shared_ptr<const KernelInfo> kernel;
  std::shared_ptr<const LaunchTrace> trace;                  // null: not asked for
  std::shared_ptr<const std::vector<AccessSample>> samples;  // likewise
};

class Machine {
 public:
  explicit Machine(const std::string& text, EngineOptions options = one_worker(),
                   Placement placement = Placement::Close)
      : memory_(uint64_t{1} << 33, placement), engine_(std::move(options), memory_) {
    Result<ir::Module> built = ir::parse_module(text, "t.ptx");
    EXPECT_TRUE(built.ok()) << built.problem().to_string();
    if (!built.ok()) return;
    module_ = std::make_shared<const ir::Module>(std::move(*built));
    auto loaded = engine_.load(module_);
    EXPECT_TRUE(loaded.ok()) << loaded.problem().to_string();
    if (loaded.ok()) loaded_ = *loaded;
  }

  static EngineOptions one_worker() {
    EngineOptions options;
    options.workers = 1;
    return options;
  }

  template <class T>
  uint64_t upload(const std::vector<T>& values) {
    const uint64_t at = memory_.allocate(values.size() * sizeof(T), MemoryKind::Device).value();
    std::memcpy(reinterpret_cast<void*>(at), values.data(), values.size() * sizeof(T));
    return at;
  }
  uint64_t words(size_t count) { return upload(std::vector<uint32_t>(count, 0)); }
  template <class T = uint32_t>
  std::vector<T> download(uint64_t at, size_t count) {
    std::vector<T> values(count);
    std::memcpy(values.data(), reinterpret_cast<const void*>(at), count * sizeof(T));
    return values;
  }

  Ran launch(Dim3 grid, Dim3 block, const std::vector<uint64_t>& arguments, const std::string& name = "k") {
    LaunchRequest request;
    request.function = module_->find_function(name);
    EXPECT_NE(request.function, ir::kNone);
    request.grid = grid;
    request.block = block;
    request.cluster = cluster;
    request.wave = wave;
    request.observers = observers;
    request.shared_banks = shared_banks;
    request.matrix = matrix;
    const ir::Function& f = module_->functions[request.function];
    request.parameters.resize(f.parameter_bytes);
    for (size_t i = 0; i < f.parameters.size() && i < arguments.size(); ++i) {
      const ir::Symbol& s = module_->symbols[f.parameters[i].symbol];
      std::memcpy(&request.parameters[s.offset], &arguments[i], s.size);
    }
    auto kernel = Engine::describe(*loaded_, request.function);
    const auto warps = static_cast<uint32_t>((block.count() + kWarpSize - 1) / kWarpSize);
    observe::Sampler sampler(shared_banks);
    observe::Tracer tracer(
        trace, {*kernel, grid.count(), warps, shared_banks, Engine::polling_code(*loaded_, request.function)});
    if (trace.blocks != 0) request.observers.push_back(&tracer);
    if (sampled) request.observers.push_back(&sampler);
    Ran ran{engine_.launch(*loaded_, request), std::move(kernel), nullptr, nullptr};
    if (trace.blocks != 0) ran.trace = tracer.take();
    if (sampled) ran.samples = std::make_shared<const std::vector<AccessSample>>(sampler.samples());
    return ran;
  }

  // One 32-bit result a thread.
  std::vector<uint32_t> run(Dim3 grid, Dim3 block, uint64_t in = 0, size_t count = 0) {
    if (count == 0) count = grid.count() * block.count();
    const uint64_t out = words(count);
    Ran result = launch(grid, block, {out, in});
    EXPECT_FALSE(result.fault.has_value()) << result.fault->message;
    last = std::move(result);
    return download(out, count);
  }

  std::shared_ptr<const KernelInfo> describe(const std::string& name) {
    return Engine::describe(*loaded_, module_->find_function(name));
  }

  TraceRequest trace;
  std::vector<observe::Observer*> observers;
  bool sampled = false;
  std::optional<Dim3> cluster;
  uint64_t wave = 0;
  SharedBanks shared_banks;
  MatrixArithmetic matrix;
  Ran last;
  DeviceMemory& memory() { return memory_; }
  Engine& engine() { return engine_; }
  LoadedModule& loaded() { return *loaded_; }

 private:
  DeviceMemory memory_;
  Engine engine_;
  std::shared_ptr<const ir::Module> module_;
  std::shared_ptr<LoadedModule> loaded_;
};

}  // namespace drywarp::exec
