// nvcc's command line in typed form, independent of clang, and its names of GPU architectures as compute capabilities.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"

namespace drywarp::compile {

enum class Language { Cuda, Cxx, C, Object, Archive, SharedObject };

// The last stage, whose result is the output.
enum class Stage { Preprocess, ListDependencies, Ptx, Fatbin, Object, DeviceLink, Library, Executable, SharedLibrary };

struct Input {
  std::string path;
  Language language = Language::Cuda;
};

// One item of the link line, in the order of the command line: an input file or an option such as -lm.
struct LinkItem {
  int input = -1;      // index into Compilation::inputs, or -1
  std::string option;  // when input is -1
};

struct DependencyOutput {
  bool wanted = false;         // -MD, -MMD, -M, -MM
  bool system_headers = true;  // false: -MMD, -MM
  bool phony_targets = false;  // -MP
  std::string file, target;    // -MF, -MT; empty: derived from the output
};

struct Compilation {
  Stage stage = Stage::Executable;
  std::vector<Input> inputs;
  std::vector<LinkItem> link;
  std::string output;            // empty: nvcc's default name
  std::string output_directory;  // -odir; empty: the current folder

  std::vector<std::string> preprocessor;  // -I -D -U -include -isystem, in order; every pass gets them
  std::string standard;                   // "c++17"; empty: clang's default
  std::vector<int> architectures;         // compute capabilities, 90 = sm_90; empty: the default
  bool accelerated_features = false;      // sm_90a
  std::string host_optimization;          // "0".."3", "s"; empty: the default
  std::vector<std::string> host_options;  // -Xcompiler, and options that go straight to the host compiler
  std::vector<std::string> device_options;
  bool host_debug = false;           // -g
  bool device_debug = false;         // -G
  bool red_zones = false;            // padding beside local variables of kernels, for checks
  bool own_lines = false;            // accesses stay where they are, each with its line, for checks
  bool without_host = false;         // the source sees none of the host's headers, as in NVRTC
  bool relocatable = false;          // -rdc=true, -dc
  bool flush_denormals = false;      // -ftz=true
  bool precise_division = true;      // -prec-div
  bool precise_square_root = true;   // -prec-sqrt
  bool fuse_multiply_add = true;     // -fmad
  bool fast_math = false;            // --use_fast_math
  bool fast_compile_device = false;  // -Ofc max, -Xptxas -O0: device code is not optimised
  bool extended_lambda = false;
  bool relaxed_constexpr = false;
  bool per_thread_default_stream = false;
  bool suppress_warnings = false;  // -w
  bool link_runtime = true;        // false: -cudart none
  int max_registers = 0;           // -maxrregcount; 0: no limit
  DependencyOutput dependencies;

  bool verbose = false, dry_run = false, keep = false;
  std::string keep_directory;
  unsigned jobs = 0;       // -t / -j; 0: one per core
  bool run_after = false;  // -run
  std::vector<std::string> run_arguments;
  bool show_version = false, show_help = false, list_architectures = false;
  bool forward_unknown = false;       // unknown options go to the host compiler
  std::vector<std::string> warnings;  // options that are not honoured, one sentence each
};

// Architectures are compute capabilities: 90 for sm_90.
inline constexpr int kDefaultArchitecture = 90;
inline constexpr int kNewestArchitecture = 90;  // of clang 19; newer ones are compiled as this one, with a warning
inline constexpr int kOldestArchitecture = 35;

Status add_architecture(Compilation& compilation, std::string_view value);  // -arch sm_80
// -gencode arch=compute_80,code=[sm_80,compute_80]
Status add_gencode(Compilation& compilation, std::string_view value);

// Unless the options name an architecture, compiles for this compute capability (52), or for the nearest older one that
// clang knows; for older devices than those, for the oldest.
void compile_for_device(Compilation& compilation, int capability);

// The architectures to compile for, never empty.
std::vector<int> effective_architectures(const Compilation& compilation);
std::span<const int> known_architectures();  // of clang 19, in order
std::string architecture_list();             // "compute_35\n..." for --list-gpu-arch

}  // namespace drywarp::compile
