// Turns prepared functions into machine code with LLVM's ORC, and keeps the object code in a folder between runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/support/result.h"
#include "engine/jit/host_cpu.h"
#include "engine/jit/kernel_code.h"
#include "engine/jit/runtime_abi.h"

namespace drywarp::jit {

// The functions of DW_RUNTIME_FUNCTIONS, in any order.
struct RuntimeSymbol {
  const char* name;
  void* address;
};

// A function of this size takes some ten seconds with all that LLVM does; an unrolled matrix product is a tenth of it.
inline constexpr uint64_t kCompileBudget = 100'000;

class Compiler {
 public:
  // `cache`: folder for object code, made if need be; empty: none. `budget`: the largest function that is optimised, in
  // machine instructions nearly; larger ones are compiled in proportion to their size (effort.h).
  static Result<std::unique_ptr<Compiler>> create(const HostCpu& cpu, const std::vector<RuntimeSymbol>& runtime,
                                                  std::string cache, uint64_t budget = kCompileBudget);
  ~Compiler();

  // `identity` distinguishes modules in the cache: a digest of the PTX text. Thread-safe.
  Result<WarpFunction> compile_warp_form(const ir::Module& module, const PreparedFunction& function,
                                         const CodeOptions& options, const std::string& identity);
  Result<GroupFunction> compile_group_form(const ir::Module& module, const PreparedFunction& function,
                                           const CodeOptions& options, const std::string& identity);
  [[nodiscard]] unsigned vector_bits() const;

  // The LLVM IR before optimisation, for tests and for looking at.
  std::string dump(const ir::Module& module, const PreparedFunction& function, const CodeOptions& options);

 private:
  struct Impl;
  explicit Compiler(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace drywarp::jit
