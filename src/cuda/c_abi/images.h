// Images loaded at run time: the driver's modules, and the libraries of both APIs. Each handle is an Image's address.
#pragma once

#include <chrono>
#include <string>

#include "cuda/c_abi/launch_configuration.h"
#include "cuda/c_abi/runtime.h"

namespace drywarp::cudart {

// The options of calls that load code at run time: log buffers and a wall time. Options for machine code (registers,
// optimisation, target) are ignored: there is no machine code.
class JitOptions {
 public:
  // `names`: CUjit_option's numbers, which are cudaJitOption's. The lists must outlive this.
  JitOptions(unsigned count, const int* names, void** values) : count_(count), names_(names), values_(values) {}
  [[nodiscard]] bool valid() const { return count_ == 0 || (names_ && values_); }
  // Fills the program's log buffers and the wall time.
  void write_logs(const std::string& info, const std::string& errors) const;

 private:
  void** value_of(int name) const;
  void write(int buffer, int size, const std::string& text) const;

  unsigned count_;
  const int* names_;
  void** values_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

inline cuda::Image* image(const void* handle) { return static_cast<cuda::Image*>(const_cast<void*>(handle)); }

// PTX text, a fat binary or a cubin, in memory or in a file.
Error load_image(Session& session, const void* data, const JitOptions& options, cuda::Image*& out);
Error load_image_file(Session& session, const char* path, const JitOptions& options, cuda::Image*& out);

// InvalidResourceHandle if `handle` is no live image; SymbolNotFound if the image lacks the name.
Error kernel_of(Session& session, const void* handle, const char* name, cuda::Kernel*& out);
Error global_of(Session& session, const void* handle, const char* name, uint64_t& address, uint64_t& bytes);
// Every kernel of the image, in the order of its text.
Error kernels_of(Session& session, const void* handle, std::vector<cuda::Kernel*>& out);

}  // namespace drywarp::cudart
