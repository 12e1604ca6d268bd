// Inspects a program file before it runs: does it use CUDA, through which runtime, and does it contain PTX?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/support/result.h"

namespace drywarp::fatbin {

enum class CudaRuntime : uint8_t {
  None,    // no CUDA in the program itself (a library may still use it)
  Shared,  // needs libcudart.so: ours can take its place
  Static,  // contains NVIDIA's runtime, which bypasses ours: must be relinked
};

struct ProgramFile {
  bool elf = false;  // false: not an ELF file, perhaps a script; nothing else is set
  bool x86_64 = false;
  CudaRuntime runtime = CudaRuntime::None;
  std::string runtime_soname;                // "libcudart.so.12" if shared
  std::vector<std::string> needed;           // every DT_NEEDED
  bool rpath_overrides_environment = false;  // DT_RPATH, searched before LD_LIBRARY_PATH (ld.so(8))
  bool has_device_code = false;              // a non-empty .nv_fatbin or __nv_relfatbin section
  bool has_ptx = false;                      // ... with at least one PTX entry
  std::vector<unsigned> ptx_targets;         // 75 for compute_75; sorted, distinct
  std::vector<unsigned> sass_targets;

  [[nodiscard]] bool has_sass_only() const { return has_device_code && !has_ptx; }
};

// Errors: the file cannot be read; it is ELF and its tables lie outside the file.
Result<ProgramFile> inspect_program(const std::string& path);

// The device code in a program file, decompressed.
struct DeviceCode {
  std::vector<std::string> ptx;     // of the newest architecture that the device may run, else the oldest
  std::vector<std::string> cubins;  // of every architecture
};
// `compute_capability`: 90 for 9.0. Errors: as inspect_program, and code that cannot be decompressed.
Result<DeviceCode> read_device_code(const std::string& path, unsigned compute_capability);

}  // namespace drywarp::fatbin
