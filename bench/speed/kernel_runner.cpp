#include "kernel_runner.h"

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include "language/ir/build/build.h"

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

void fill(void* data, uint64_t bytes, Fill how) {
  auto* words = static_cast<uint32_t*>(data);
  std::minstd_rand random(1);
  for (uint64_t i = 0; i < bytes / 4; ++i)
    words[i] = how == Fill::Zero         ? 0
               : how == Fill::SixToEight ? 6 + i % 3
                                         : static_cast<uint32_t>(random()) & 0x3f7f3f7f;
}

// Appends a parameter as PTX lays it out: aligned to its size.
template <typename T>
void push(std::vector<uint8_t>& bytes, T value) {
  bytes.resize((bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T) + sizeof(T));
  std::memcpy(bytes.data() + bytes.size() - sizeof(T), &value, sizeof(T));
}

}  // namespace

Machine::Machine(unsigned workers, bool counters, const std::string& code_cache) : memory_(kDeviceBytes) {
  exec::EngineOptions options;
  options.code_cache = code_cache;
  options.workers = workers;
  options.counters = counters;
  engine_ = std::make_unique<exec::Engine>(std::move(options), memory_);
}

Result<std::shared_ptr<exec::LoadedModule>> Machine::load(const std::string& folder, const std::string& program) {
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

Result<std::unique_ptr<PreparedCase>> PreparedCase::make(Machine& machine, const std::string& folder,
                                                         const KernelCase& c) {
  auto module = machine.load(folder, c.program);
  if (!module) return module.problem();
  std::unique_ptr<PreparedCase> made(new PreparedCase(machine, *module));
  exec::LaunchRequest& request = made->request;
  request.grid = c.grid, request.block = c.block, request.dynamic_shared_bytes = c.dynamic_shared_bytes;
  const ir::Module& code = exec::Engine::module_of(**module);
  bool found = false;
  for (ir::FunctionId f = 0; f < code.functions.size() && !found; ++f)
    if (code.functions[f].is_kernel && source_name(code.functions[f].name) == c.kernel)
      request.function = f, found = true;
  if (!found) return error("no kernel " + c.kernel);
  for (const Argument& argument : c.arguments) {
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
      const uint64_t address = machine.memory().allocate(buffer->bytes, exec::MemoryKind::Device).value_or(0);
      if (address == 0) return error("no memory for a buffer of " + c.kernel);
      fill(reinterpret_cast<void*>(address), buffer->bytes, buffer->fill);
      made->buffers_.push_back(address);
      push(request.parameters, address);
    } else {
      std::visit(
          [&](auto v) {
            if constexpr (sizeof(v) == 4) push(request.parameters, v);
          },
          argument);
    }
  }
  return made;
}

PreparedCase::~PreparedCase() {
  for (const uint64_t address : buffers_) machine_.memory().free(address);
}

uint64_t warp_instructions(const KernelInfo& kernel, const exec::LaunchResult& result) {
  uint64_t sum = 0;
  for (const InstructionInfo& i : kernel.instructions) sum += result.counts.blocks[i.block].warps;
  return sum;
}

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

}  // namespace drywarp::bench
