// Looks at a program file on disk before it is run: does it use CUDA, through which runtime, and does it carry PTX?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/support/result.h"

namespace drywarp::fatbin {

enum class CudaRuntime : uint8_t {
  None,    // no sign of CUDA in the program itself (a library it loads may still use it)
  Shared,  // needs libcudart.so: ours can take its place
  Static,  // has NVIDIA's runtime inside: talks to the driver past us, so it must be relinked
};

struct ProgramFile {
  bool elf = false;  // false: not an ELF file (a script, say); nothing else is set
  bool x86_64 = false;
  CudaRuntime runtime = CudaRuntime::None;
  std::string runtime_soname;               // "libcudart.so.12" if shared
  std::vector<std::string> needed;          // every DT_NEEDED
  bool looks_in_own_folders_first = false;  // DT_RPATH, which goes before LD_LIBRARY_PATH (ld.so(8))
  bool has_device_code = false;             // a .nv_fatbin or __nv_relfatbin section with something in it
  bool has_ptx = false;                     // ... in which at least one entry is PTX
  std::vector<unsigned> ptx_targets;        // 75 for compute_75; sorted, distinct
  std::vector<unsigned> sass_targets;

  [[nodiscard]] bool has_sass_only() const { return has_device_code && !has_ptx; }
};

// Errors: the file cannot be read, or it claims to be ELF and its tables lie outside it.
Result<ProgramFile> inspect_program(const std::string& path);

// The device code in a program file, decompressed.
struct DeviceCode {
  std::vector<std::string>
      ptx;  // of the newest architecture that a device of the asked-for one may run, else the oldest
  std::vector<std::string> cubins;  // of every architecture
};
// `compute_capability`: 90 for 9.0. Errors: as inspect_program, and code that cannot be decompressed.
Result<DeviceCode> read_device_code(const std::string& path, unsigned compute_capability);

}  // namespace drywarp::fatbin
