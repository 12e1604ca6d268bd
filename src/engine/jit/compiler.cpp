#include "engine/jit/compiler.h"

#include <fmt/format.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/LEB128.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <atomic>
#include <filesystem>
#include <mutex>

#include "base/support/digest.h"
#include "base/support/whole_file.h"
#include "engine/jit/build_identity.h"
#include "engine/jit/effort.h"
#include "engine/jit/function_emitter.h"
#include "engine/jit/math/lane_math.h"

namespace drywarp::jit {
namespace {

Diagnostic internal(const std::string& what) {
  return error("the kernel compiler failed: " + what, "this is a fault of drywarp: please report it with the program");
}
Diagnostic internal(llvm::Error problem) { return internal(llvm::toString(std::move(problem))); }

// Sets options of LLVM's code generator that have no other interface. They apply to the whole process.
void tune_code_generator() {
  auto& options = llvm::cl::getRegisteredOptions();
  // Limits the search for places to split a live range around the calls of slow paths. A large budget doubles the code
  // of unrolled kernels and takes a third of the compile time.
  if (auto it = options.find("grow-region-complexity-budget");
      it != options.end() && it->second->getNumOccurrences() == 0)
    it->second->addOccurrence(0, "", "30");
}

// The largest frame of the object's functions: an entry of the section is an address and the size as ULEB128.
uint64_t largest_frame(const llvm::MemoryBuffer& code) {
  uint64_t largest = 0;
  auto object = llvm::object::ObjectFile::createObjectFile(code.getMemBufferRef());
  if (!object) return llvm::consumeError(object.takeError()), 0;
  for (const llvm::object::SectionRef& section : (*object)->sections()) {
    auto name = section.getName();
    auto sizes = name ? section.getContents() : llvm::Expected<llvm::StringRef>(name.takeError());
    if (!sizes) {
      llvm::consumeError(sizes.takeError());
      continue;
    }
    if (*name != ".stack_sizes") continue;
    const uint8_t *at = sizes->bytes_begin(), *const end = sizes->bytes_end();
    while (end - at > int64_t{sizeof(uint64_t)}) {
      unsigned length = 0;
      const char* problem = nullptr;
      at += sizeof(uint64_t);
      largest = std::max(largest, llvm::decodeULEB128(at, &length, end, &problem));
      if (problem) break;
      at += length;
    }
  }
  return largest;
}

}  // namespace

struct Compiler::Impl {
  HostCpu cpu;
  std::string cache;
  uint64_t budget = kCompileBudget;
  std::string identity = build_identity();  // part of the key: other builds of drywarp generate other code
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::atomic<uint64_t> next{0};

  std::unique_ptr<llvm::TargetMachine> machine(Effort effort) const {
    std::string problem;
    const std::string triple = jit->getTargetTriple().str();
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    options.EmitStackSizeSection = true;
    std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(triple, cpu.name, cpu.features, options,
                                                                             llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                                                             code_generator_level(effort), true));
    return machine;
  }

  template <class Build>
  Result<std::unique_ptr<llvm::MemoryBuffer>> object(const std::string& name, Build build) {
    const std::string path = cache.empty() ? "" : cache + "/" + name + ".o";
    if (!path.empty())
      if (auto found = llvm::MemoryBuffer::getFile(path)) return std::move(*found);
    llvm::LLVMContext context;
    llvm::Module module(name, context);
    module.setDataLayout(jit->getDataLayout());
    module.setTargetTriple(jit->getTargetTriple().str());
    build(module);
    const Effort effort = effort_for(size_of(module, cpu.vector_bits), budget);
    for (llvm::Function& f : module) {
      if (f.isDeclaration()) continue;
      f.addFnAttr("target-cpu", cpu.name);
      f.addFnAttr("target-features", cpu.features);
      f.addFnAttr("prefer-vector-width", std::to_string(cpu.vector_bits));
      f.addFnAttr("min-legal-vector-width", std::to_string(cpu.vector_bits));
    }
    std::string problem;
    llvm::raw_string_ostream out(problem);
    if (llvm::verifyModule(module, &out)) return internal(out.str().substr(0, 2000));
    std::unique_ptr<llvm::TargetMachine> target = machine(effort);
    optimise(module, *target, effort);
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager emit;
    if (target->addPassesToEmitFile(emit, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
      return internal("no object code for this machine");
    emit.run(module);
    std::unique_ptr<llvm::MemoryBuffer> buffer = llvm::MemoryBuffer::getMemBufferCopy(stream.str(), name);
    // A cache that cannot be written is no error: only the next start is slower.
    if (!path.empty()) write_whole(path, buffer->getBuffer());
    return buffer;
  }

  template <class Build>
  Result<Compiled<uint64_t>> compile(const std::string& key, Build build) {
    const std::string name =
        "dw_" + Digester().add(identity).add(cpu.name).add(cpu.features).add(key).add(std::to_string(budget)).hex();
    auto code = object(name, [&](llvm::Module& module) { build(module, name); });
    if (!code) return code.problem();
    const uint64_t frame = largest_frame(**code);
    if (frame > kMostFrame)
      return error(fmt::format("the kernel is too large to run: a warp of it takes {} MB of stack, and {} are the most",
                               frame >> 20, kMostFrame >> 20),
                   "split the kernel, or unroll its loops less, as with #pragma unroll 1");
    auto dylib = jit->createJITDylib(fmt::format("{}.{}", name, next++));
    if (!dylib) return internal(dylib.takeError());
    dylib->addToLinkOrder(jit->getMainJITDylib());
    if (auto problem = jit->addObjectFile(*dylib, std::move(*code))) return internal(std::move(problem));
    auto address = jit->lookup(*dylib, name);
    if (!address) return internal(address.takeError());
    return Compiled<uint64_t>{address->getValue(), frame};
  }

  std::string key(const PreparedFunction& f, const CodeOptions& options, const std::string& identity, Form form) const {
    return fmt::format("|{}|{}|{}x{}x{}|{}|{}{}{}|{}|{}|{}", identity, f.code.name, f.block.x, f.block.y, f.block.z,
                       options.counters, options.events.bits(), options.watched ? "w" : "",
                       options.reschedules + 2 * options.clocked, options.vector_bits, options.shared_period,
                       static_cast<int>(form));
  }
};

Compiler::Compiler(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Compiler::~Compiler() = default;

Result<std::unique_ptr<Compiler>> Compiler::create(const HostCpu& cpu, const std::vector<RuntimeSymbol>& runtime,
                                                   std::string cache, uint64_t budget) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  static std::once_flag tuned;
  std::call_once(tuned, tune_code_generator);
  auto impl = std::make_unique<Impl>();
  impl->cpu = cpu;
  impl->budget = budget;
  if (!cache.empty() && !impl->identity.empty()) {
    std::error_code problem;
    std::filesystem::create_directories(cache, problem);
    if (!problem) impl->cache = std::move(cache);
  }
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit) return internal(jit.takeError());
  impl->jit = std::move(*jit);
  llvm::orc::SymbolMap symbols;
  for (const RuntimeSymbol& s : runtime)
    symbols[impl->jit->mangleAndIntern(s.name)] = {llvm::orc::ExecutorAddr::fromPtr(s.address),
                                                   llvm::JITSymbolFlags::Exported};
  if (auto problem = impl->jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))))
    return internal(std::move(problem));
  // Lane functions first, then functions that LLVM itself calls (memcpy, fmaf on hosts without the instruction).
  class LaneFunctions : public llvm::orc::DefinitionGenerator {
   public:
    llvm::Error tryToGenerate(llvm::orc::LookupState&, llvm::orc::LookupKind, llvm::orc::JITDylib& dylib,
                              llvm::orc::JITDylibLookupFlags, const llvm::orc::SymbolLookupSet& wanted) override {
      llvm::orc::SymbolMap found;
      for (const auto& entry : wanted)
        if (LaneFunction f = find_lane_function(*entry.first))
          found[entry.first] = {llvm::orc::ExecutorAddr::fromPtr(f), llvm::JITSymbolFlags::Exported};
      return found.empty() ? llvm::Error::success() : dylib.define(llvm::orc::absoluteSymbols(std::move(found)));
    }
  };
  impl->jit->getMainJITDylib().addGenerator(std::make_unique<LaneFunctions>());
  auto process =
      llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(impl->jit->getDataLayout().getGlobalPrefix());
  if (!process) return internal(process.takeError());
  impl->jit->getMainJITDylib().addGenerator(std::move(*process));
  return std::unique_ptr<Compiler>(new Compiler(std::move(impl)));
}

unsigned Compiler::vector_bits() const { return impl_->cpu.vector_bits; }

Result<Compiled<WarpFunction>> Compiler::compile_warp_form(const ir::Module& module, const PreparedFunction& function,
                                                           const CodeOptions& options, const std::string& identity) {
  auto address = impl_->compile(impl_->key(function, options, identity, Form::Warp),
                                [&](llvm::Module& m, const std::string& name) {
                                  llvm::IRBuilder<> builder(m.getContext());
                                  FunctionEmitter(m, builder, module, function, options, Form::Warp, name).emit();
                                });
  if (!address) return address.problem();
  return Compiled<WarpFunction>{reinterpret_cast<WarpFunction>(address->function), address->frame_bytes};
}

Result<Compiled<GroupFunction>> Compiler::compile_group_form(const ir::Module& module, const PreparedFunction& function,
                                                             const CodeOptions& options, const std::string& identity) {
  auto address = impl_->compile(impl_->key(function, options, identity, Form::Group),
                                [&](llvm::Module& m, const std::string& name) {
                                  llvm::IRBuilder<> builder(m.getContext());
                                  FunctionEmitter(m, builder, module, function, options, Form::Group, name).emit();
                                });
  if (!address) return address.problem();
  return Compiled<GroupFunction>{reinterpret_cast<GroupFunction>(address->function), address->frame_bytes};
}

std::string Compiler::dump(const ir::Module& module, const PreparedFunction& function, const CodeOptions& options) {
  llvm::LLVMContext context;
  llvm::Module m("dump", context);
  llvm::IRBuilder<> builder(context);
  FunctionEmitter(m, builder, module, function, options, Form::Warp, "kernel").emit();
  std::string text;
  llvm::raw_string_ostream out(text);
  m.print(out, nullptr);
  return text;
}

}  // namespace drywarp::jit
