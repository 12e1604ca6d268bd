// Compiles prepared functions to machine code with LLVM's ORC, and caches the object code in a folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/support/result.h"
#include "engine/jit/abi/kernel_code.h"
#include "engine/jit/abi/runtime_abi.h"
#include "engine/jit/host_cpu.h"

namespace drywarp::jit {

// The functions of runtime_functions.def, in any order.
struct RuntimeSymbol {
  const char* name;
  void* address;
};

// Optimising a function of this size takes about five seconds. An unrolled matrix product has a tenth of it.
inline constexpr uint64_t kCompileBudget = 100'000;

// A compiled function, and the bytes that it takes of the stack that it runs on.
template <class Function>
struct Compiled {
  Function function{};
  uint64_t frame_bytes = 0;
};

// Of one function. Where registers stay in memory, each value of 32 lanes has a place of its own.
inline constexpr uint64_t kMostFrame = uint64_t{1} << 30;

class Compiler {
 public:
  // `cache`: folder for object code, created if missing; empty: no cache. `budget`: the size of the largest function
  // that is optimised, in units of effort.h's size_of().
  static Result<std::unique_ptr<Compiler>> create(const HostCpu& cpu, const std::vector<RuntimeSymbol>& runtime,
                                                  std::string cache, uint64_t budget = kCompileBudget);
  ~Compiler();

  // `identity` distinguishes modules in the cache: a digest of the PTX text. Thread-safe.
  Result<Compiled<WarpFunction>> compile_warp_form(const ir::Module& module, const PreparedFunction& function,
                                                   const CodeOptions& options, const std::string& identity);
  Result<Compiled<GroupFunction>> compile_group_form(const ir::Module& module, const PreparedFunction& function,
                                                     const CodeOptions& options, const std::string& identity);
  [[nodiscard]] unsigned vector_bits() const;

  // The LLVM IR before optimisation, for tests and debugging.
  std::string dump(const ir::Module& module, const PreparedFunction& function, const CodeOptions& options);

 private:
  struct Impl;
  explicit Compiler(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace drywarp::jit
