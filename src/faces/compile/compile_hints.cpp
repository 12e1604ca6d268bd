#include "faces/compile/compile_hints.h"

#include <fmt/format.h>

#include <regex>
#include <set>
#include <string_view>

#include "faces/compile/diagnostic_merge.h"

namespace drywarp::compile {
namespace {

constexpr const char* kThrust =
    "Thrust and CUB are not part of drywarp: install Debian's libthrust-dev (which brings libcub-dev), or name the "
    "folder that has them with -I";
constexpr const char* kLibcuxx =
    "libcu++ in drywarp is limited to <cuda/atomic>, <cuda/barrier> and <cuda/pipeline>: name the folder that has the "
    "rest (with cuda/std in it) with -I";
constexpr const char* kLibrary = "drywarp runs CUDA programs but has none of NVIDIA's libraries, such as {}";

struct Hint {
  std::string_view prefix;  // of the header's name
  const char* text;
  const char* library = "";
};

// The first match counts.
constexpr Hint kHints[] = {
    {"thrust/", kThrust},
    {"cub/", kThrust},
    {"cuda/", kLibcuxx},
    {"nv/", kLibcuxx},
    {"cublas", kLibrary, "cuBLAS"},
    {"cufft", kLibrary, "cuFFT"},
    {"cusparse", kLibrary, "cuSPARSE"},
    {"cusolver", kLibrary, "cuSOLVER"},
    {"curand", kLibrary, "cuRAND's host interface (drywarp has its device interface, <curand_kernel.h>)"},
    {"cudnn", kLibrary, "cuDNN"},
    {"cutensor", kLibrary, "cuTENSOR"},
    {"cutlass/", kLibrary, "CUTLASS (headers only: name their folder with -I)"},
    {"cute/", kLibrary, "CuTe (headers only: name their folder with -I)"},
    {"nccl", kLibrary, "NCCL"},
    {"npp", kLibrary, "NPP"},
    {"nvrtc", kLibrary, "NVRTC, the compiler as a library"},
    {"nvjpeg", kLibrary, "nvJPEG"},
    {"nvml", kLibrary, "NVML"},
    {"cupti", kLibrary, "CUPTI"},
    {"cuda_gl_interop.h", kLibrary, "OpenGL interoperability"},
    {"cudaGL.h", kLibrary, "OpenGL interoperability"},
    {"cudaEGL.h", kLibrary, "EGL interoperability"},
    {"drywarp/warp_matrix_functions.h",
     "the warp matrix functions of <mma.h> (nvcuda::wmma) are not part of drywarp yet"},
};

constexpr const char* kLaunchInKernel =
    "drywarp: kernels that launch kernels (dynamic parallelism) are not supported yet: only host code can call {}\n";

}  // namespace

std::string compile_hints(const std::string& diagnostics) {
  static const std::regex missing(R"(fatal error: '([^']+)' file not found)");
  std::set<const char*> said;
  std::string hints;
  const std::string plain = without_colors(diagnostics);
  for (std::sregex_iterator it(plain.begin(), plain.end(), missing), end; it != end; ++it) {
    const std::string name = (*it)[1];
    for (const Hint& hint : kHints) {
      if (!name.starts_with(hint.prefix)) continue;
      const char* key = *hint.library ? hint.library : hint.text;
      if (said.insert(key).second)
        hints += fmt::format("drywarp: <{}>: {}\n", name, fmt::format(fmt::runtime(hint.text), hint.library));
      break;
    }
  }
  static const std::regex launch(
      R"(error: reference to __global__ function '([^']+)' in __(global|device)__ function)");
  static const std::regex runtime(R"(error: no matching function for call to '(cuda\w+)')");
  const bool host_only = plain.find("call to __host__ function from __") != std::string::npos;
  std::smatch m;
  if (std::regex_search(plain, m, launch) || (host_only && std::regex_search(plain, m, runtime)))
    hints += fmt::format(kLaunchInKernel, m[1].str());
  return hints;
}

}  // namespace drywarp::compile
