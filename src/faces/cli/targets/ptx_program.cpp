#include "faces/cli/targets/ptx_program.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "faces/cli/options/console.h"

namespace drywarp::cli {
namespace {

// The part of the CUDA runtime's C ABI that a launch needs, called as any program calls it.
struct Dim3 {
  unsigned x, y, z;
};
struct FatbinWrapper {
  unsigned magic = 0x466243b1, version = 1;
  const void* data = nullptr;
  const void* more = nullptr;
};
constexpr int kHostToDevice = 1, kDeviceToHost = 2;

class Runtime {
 public:
  // False: the library cannot be loaded; the reason has been printed.
  bool load(const std::string& path) {
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library_) say(fmt::format("drywarp: error: {}\n", dlerror()));
    return library_ && find(register_image, "__cudaRegisterFatBinary") &&
           find(register_kernel, "__cudaRegisterFunction") && find(parameter, "cudaFuncGetParamInfo") &&
           find(allocate, "cudaMalloc") && find(copy, "cudaMemcpy") && find(launch, "cudaLaunchKernel") &&
           find(synchronize, "cudaDeviceSynchronize") && find(error_name, "cudaGetErrorName") &&
           find(error_text, "cudaGetErrorString") && find(last_error, "cudaGetLastError");
  }

  void** (*register_image)(void*) = nullptr;
  void (*register_kernel)(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*) = nullptr;
  int (*parameter)(const void*, size_t, size_t*, size_t*) = nullptr;
  int (*allocate)(void**, size_t) = nullptr;
  int (*copy)(void*, const void*, size_t, int) = nullptr;
  int (*launch)(const void*, Dim3, Dim3, void**, size_t, void*) = nullptr;
  int (*synchronize)() = nullptr;
  int (*last_error)() = nullptr;
  const char* (*error_name)(int) = nullptr;
  const char* (*error_text)(int) = nullptr;

 private:
  template <class F>
  bool find(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(library_, name));
    if (!function) say(fmt::format("drywarp: error: the runtime lacks {}\n", name));
    return function != nullptr;
  }
  void* library_ = nullptr;
};

class PtxRun {
 public:
  PtxRun(const PtxLaunch& launch, Runtime& runtime) : launch_(launch), runtime_(runtime) {}

  int run() {
    wrapper_.data = launch_.text.c_str();  // NUL-terminated, as PTX in memory must be
    void** image = runtime_.register_image(&wrapper_);
    runtime_.register_kernel(image, &stub_, const_cast<char*>(launch_.entry.c_str()), launch_.entry.c_str(), -1,
                             nullptr, nullptr, nullptr, nullptr, nullptr);
    if (!check_parameters() || !place_arguments()) return EXIT_FAILURE;
    int status =
        runtime_.launch(&stub_, dim(launch_.grid), dim(launch_.block), pointers_.data(), launch_.shared_bytes, nullptr);
    if (status == 0) status = runtime_.synchronize();
    if (status != 0) return failed(fmt::format("the launch of {}", launch_.entry), status);
    return show_buffers();
  }

 private:
  static Dim3 dim(const std::array<uint32_t, 3>& sides) { return {sides[0], sides[1], sides[2]}; }

  int failed(const std::string& what, int status) const {
    say(fmt::format("drywarp: error: {} failed: {}: {}\n", what, runtime_.error_name(status),
                    runtime_.error_text(status)));
    return EXIT_FAILURE;
  }

  bool check_parameters() {
    size_t count = 0;
    for (;; ++count) {
      size_t offset = 0, size = 0;
      int status = runtime_.parameter(&stub_, count, &offset, &size);
      if (status != 0 && count == 0 && launch_.arguments.empty()) break;
      if (status != 0) break;
      if (count >= launch_.arguments.size()) continue;
      const KernelArgument& argument = launch_.arguments[count];
      size_t given = argument.is_buffer ? sizeof(void*) : argument.bytes.size();
      if (given != size) {
        say(fmt::format("drywarp: error: argument {} of {} takes {} bytes, but --arg gives {}\n", count + 1,
                        launch_.entry, size, given));
        return false;
      }
    }
    runtime_.last_error();
    if (count != launch_.arguments.size()) {
      say(fmt::format("drywarp: error: {} takes {} arguments, but --arg gives {}\n", launch_.entry, count,
                      launch_.arguments.size()));
      return false;
    }
    return true;
  }

  bool place_arguments() {
    addresses_.resize(launch_.arguments.size());
    for (size_t i = 0; i < launch_.arguments.size(); ++i) {
      const KernelArgument& argument = launch_.arguments[i];
      if (!argument.is_buffer) {
        pointers_.push_back(const_cast<uint8_t*>(argument.bytes.data()));
        continue;
      }
      int status = runtime_.allocate(&addresses_[i], argument.bytes.size());
      if (status == 0)
        status = runtime_.copy(addresses_[i], argument.bytes.data(), argument.bytes.size(), kHostToDevice);
      if (status != 0) return failed(fmt::format("making the buffer of argument {}", i + 1), status), false;
      pointers_.push_back(&addresses_[i]);
    }
    return true;
  }

  int show_buffers() {
    for (size_t i = 0; i < launch_.arguments.size() && launch_.dump > 0; ++i) {
      const KernelArgument& argument = launch_.arguments[i];
      if (!argument.is_buffer) continue;
      std::vector<uint8_t> bytes(
          std::min<size_t>(argument.bytes.size(), size_t(launch_.dump) * size_of(argument.type)));
      int status = runtime_.copy(bytes.data(), addresses_[i], bytes.size(), kDeviceToHost);
      if (status != 0) return failed("reading a buffer", status);
      fmt::print("argument {} ({}): {}\n", i + 1, name_of(argument.type),
                 format_elements(bytes.data(), bytes.size(), argument.type, launch_.dump));
    }
    return EXIT_SUCCESS;
  }

  const PtxLaunch& launch_;
  Runtime& runtime_;
  FatbinWrapper wrapper_;
  char stub_ = 0;  // its address identifies the kernel, as a host stub's does
  std::vector<void*> addresses_, pointers_;
};

}  // namespace

int run_ptx(const PtxLaunch& launch, const std::string& path) {
  Runtime runtime;
  if (!runtime.load(path)) return EXIT_FAILURE;
  return PtxRun(launch, runtime).run();
}

}  // namespace drywarp::cli
