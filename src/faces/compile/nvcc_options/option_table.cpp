#include "faces/compile/nvcc_options/option_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "faces/compile/nvcc_options/compilation.h"

namespace drywarp::compile {
namespace {

using Text = std::string_view;

template <auto Member>
Status set_flag(Compilation& c, Text) {
  c.*Member = true;
  return {};
}

template <auto Member>
Status set_text(Compilation& c, Text value) {
  c.*Member = std::string(value);
  return {};
}

Result<bool> truth(Text value) {
  if (value.empty() || value == "true") return true;
  if (value == "false") return false;
  return error(fmt::format("expected true or false, not '{}'", value));
}

template <auto Member>
Status set_truth(Compilation& c, Text value) {
  Result<bool> wanted = truth(value);
  if (!wanted) return wanted.problem();
  c.*Member = *wanted;
  return {};
}

Result<unsigned> number(Text value) {
  unsigned parsed = 0;
  auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), parsed);
  if (code != std::errc() || end != value.data() + value.size()) {
    return error(fmt::format("expected a number, not '{}'", value));
  }
  return parsed;
}

template <Stage Wanted>
Status set_stage(Compilation& c, Text) {
  c.stage = Wanted;
  return {};
}

template <bool SystemHeaders, bool Only>
Status dependencies(Compilation& c, Text) {
  c.dependencies.wanted = true;
  c.dependencies.system_headers = SystemHeaders;
  if (Only) c.stage = Stage::ListDependencies;
  return {};
}

Status device_object(Compilation& c, Text) {
  c.stage = Stage::Object;
  c.relocatable = true;
  return {};
}

Status macro(Compilation& c, Text value) {
  c.preprocessor.push_back("-D" + std::string(value));
  return {};
}
Status undefine(Compilation& c, Text value) {
  c.preprocessor.push_back("-U" + std::string(value));
  return {};
}
Status include_path(Compilation& c, Text value) {
  c.preprocessor.push_back("-I" + std::string(value));
  return {};
}
Status system_include(Compilation& c, Text value) {
  c.preprocessor.insert(c.preprocessor.end(), {"-isystem", std::string(value)});
  return {};
}
Status pre_include(Compilation& c, Text value) {
  c.preprocessor.insert(c.preprocessor.end(), {"-include", std::string(value)});
  return {};
}

Status library_path(Compilation& c, Text value) {
  c.link.push_back({-1, "-L" + std::string(value)});
  return {};
}

// Libraries of the toolkit that our runtime replaces, and those that drywarp lacks.
Status library(Compilation& c, Text value) {
  static constexpr std::array ours = {"cudart", "cudart_static", "cudadevrt", "cuda", "nvToolsExt"};
  // With files of their own.
  static constexpr std::array libraries = {"nvrtc", "cublas", "cublasLt", "curand", "cusparse", "cusolver", "cufft"};
  static constexpr std::array missing = {"cudnn", "cufftw",    "nppc",     "nppi",   "nvjpeg", "nccl",
                                         "cupti", "nvidia-ml", "cutensor", "cufile", "culibos"};
  static constexpr std::array compilers = {"nvJitLink", "nvptxcompiler_static"};
  for (const char* name : ours) {
    if (value == name) return {};
  }
  for (const char* name : missing) {
    if (value == name) {
      c.warnings.push_back(fmt::format(
          "-l{}: drywarp has no {} library; a program that calls it will not link unless the linker finds one", value,
          name));
    }
  }
  for (const char* name : compilers) {
    if (value == name) {
      c.warnings.push_back(fmt::format(
          "-l{}: drywarp has no {} library; nvrtc and the driver's cuLink functions are there", value, name));
    }
  }
  // clang's OpenMP library has gcc's entry points too. Our libraries are shared ones.
  if (value.ends_with("_static") && std::ranges::find(libraries, value.substr(0, value.size() - 7)) != libraries.end())
    value.remove_suffix(7);
  c.link.push_back({-1, value == "gomp" ? "-fopenmp" : "-l" + std::string(value)});
  return {};
}

Status linker_option(Compilation& c, Text value) {
  c.link.push_back({-1, "-Wl," + std::string(value)});
  return {};
}

Status compiler_option(Compilation& c, Text value) {
  c.host_options.emplace_back(value);
  return {};
}

// There is no ptxas: its optimisation level applies to clang instead.
Status ptxas_option(Compilation& c, Text value) {
  if (value == "-O0" || value == "-O1") {
    c.fast_compile_device = value == "-O0";
    return {};
  }
  if (value == "-O2" || value == "-O3" || value == "-w" || value == "-warn-spills" || value == "--warn-on-spills")
    return {};
  if (value.starts_with("-maxrregcount=") || value.starts_with("--maxrregcount=")) {
    Result<unsigned> count = number(value.substr(value.find('=') + 1));
    if (!count) return count.problem();
    c.max_registers = int(*count);
    return {};
  }
  if (value == "-v" || value == "--verbose") {
    c.warnings.emplace_back(
        "-Xptxas -v: there is no ptxas; `drywarp profile` reports registers and shared memory per kernel");
    return {};
  }
  c.warnings.push_back(fmt::format("-Xptxas {}: ignored, there is no ptxas", value));
  return {};
}

Status optimize(Compilation& c, Text value) {
  c.host_optimization = value.empty() ? "2" : std::string(value);
  return {};
}

Status fast_compile(Compilation& c, Text value) {
  c.fast_compile_device = value == "max" || value == "mid";
  return {};
}

Status fast_math(Compilation& c, Text value) {
  Result<bool> wanted = truth(value);
  if (!wanted) return wanted.problem();
  if (!*wanted) return {};
  c.fast_math = c.flush_denormals = c.fuse_multiply_add = true;
  c.precise_division = c.precise_square_root = false;
  return {};
}

Status max_registers(Compilation& c, Text value) {
  Result<unsigned> count = number(value);
  if (!count) return count.problem();
  c.max_registers = int(*count);
  return {};
}

Status jobs(Compilation& c, Text value) {
  Result<unsigned> count = number(value);
  if (!count) return count.problem();
  c.jobs = *count;
  return {};
}

Status machine(Compilation&, Text value) {
  if (value == "64") return {};
  return error(fmt::format("-m{}: drywarp makes 64-bit programs only", value));
}

Status runtime(Compilation& c, Text value) {
  if (value == "none") {
    c.link_runtime = false;
  } else if (value == "static") {
    c.warnings.emplace_back(
        "-cudart static: drywarp's runtime is a shared library; the program is linked with -cudart shared");
  } else if (value != "shared") {
    return error(fmt::format("-cudart {}: expected none, shared or static", value));
  }
  return {};
}

Status default_stream(Compilation& c, Text value) {
  c.per_thread_default_stream = value == "per-thread";
  return {};
}

Status warning_as_error(Compilation& c, Text value) {
  static constexpr std::array others = {"cross-execution-space-call", "reorder",
                                        "default-stream-launch",      "ext-lambda-captures-this",
                                        "missing-launch-bounds",      "deprecated-declarations"};
  if (value == "all-warnings") {
    c.host_options.emplace_back("-Werror");
    c.device_options.emplace_back("-Werror");
    return {};
  }
  if (std::ranges::find(others, value) == others.end()) {
    return error(fmt::format("-Werror {}: expected a kind of warning, such as all-warnings", value));
  }
  if (value == "reorder" || value == "deprecated-declarations")
    c.host_options.push_back(fmt::format("-Werror={}", value));
  return {};
}

Status run_argument(Compilation& c, Text value) {
  c.run_arguments.emplace_back(value);
  return {};
}

template <auto Member>
Status set_dependency_text(Compilation& c, Text value) {
  c.dependencies.*Member = std::string(value);
  return {};
}

Status phony(Compilation& c, Text) {
  c.dependencies.phony_targets = true;
  return {};
}

Status profile_host(Compilation& c, Text) {
  c.host_options.emplace_back("-pg");
  c.link.push_back({-1, "-pg"});
  return {};
}

Status no_exceptions(Compilation& c, Text) {
  c.host_options.emplace_back("-fno-exceptions");
  return {};
}

template <int Which>
Status template_limit(Compilation& c, Text value) {
  c.host_options.push_back(
      fmt::format("{}{}", Which == 0 ? "-ftemplate-backtrace-limit=" : "-ftemplate-depth=", value));
  c.device_options.push_back(c.host_options.back());
  return {};
}

Status reorder(Compilation& c, Text) {
  c.host_options.emplace_back("-Wreorder");
  return {};
}

Status no_deprecated(Compilation& c, Text) {
  c.host_options.emplace_back("-Wno-deprecated-declarations");
  c.device_options.emplace_back("-Wno-deprecated-declarations");
  return {};
}

Status static_cxx(Compilation& c, Text) {
  c.link.push_back({-1, "-static-libstdc++"});
  return {};
}
Status static_gcc(Compilation& c, Text) {
  c.link.push_back({-1, "-static-libgcc"});
  return {};
}
Status threads_library(Compilation& c, Text) {
  c.host_options.emplace_back("-pthread");
  c.link.push_back({-1, "-pthread"});
  return {};
}
Status export_symbols(Compilation& c, Text) {
  c.link.push_back({-1, "-rdynamic"});
  return {};
}

using enum Treatment;
using enum OptionForm;
using C = Compilation;

constexpr const char* kNoSass = "drywarp generates no machine code for GPUs: the program contains PTX";
constexpr const char* kNoPtxas = "there is no ptxas and no nvlink";
constexpr const char* kNumbers = "only NVIDIA's compiler numbers its warnings; clang names them (-Xcompiler -Wno-...)";

// --x has no apply(): it changes how the parser treats the inputs that follow.
const Option kOptions[] = {
    // What to make
    {"--output-file", "-o", JoinedValue, Honoured, "name of the output", set_text<&C::output>},
    {"--compile", "-c", Flag, Honoured, "compile each source to an object with its PTX inside",
     set_stage<Stage::Object>},
    {"--device-c", "-dc", Flag, Honoured, "-c with -rdc=true", device_object},
    {"--link", "-link", Flag, Honoured, "compile and link (the default)", set_stage<Stage::Executable>},
    {"--device-link", "-dlink", Flag, Honoured, "make the object that registers relocatable device code",
     set_stage<Stage::DeviceLink>},
    {"--lib", "-lib", Flag, Honoured, "compile and archive into a static library", set_stage<Stage::Library>},
    {"--shared", "-shared", Flag, Honoured, "make a shared library", set_stage<Stage::SharedLibrary>},
    {"--ptx", "-ptx", Flag, Honoured, "write PTX", set_stage<Stage::Ptx>},
    {"--fatbin", "-fatbin", Flag, Honoured, "write a fat binary that holds the PTX of every architecture",
     set_stage<Stage::Fatbin>},
    {"--preprocess", "-E", Flag, Honoured, "preprocess only (host pass)", set_stage<Stage::Preprocess>},
    {"--run", "-run", Flag, Honoured, "run the program after linking", set_flag<&C::run_after>},
    {"--run-args", "-run-args", List, Honoured, "arguments for --run", run_argument},
    {"--cubin", "-cubin", Flag, Refused, kNoSass, nullptr},
    {"--ltoir", "-ltoir", Flag, Refused, kNoSass, nullptr},
    {"--optix-ir", "-optix-ir", Flag, Refused, kNoSass, nullptr},
    {"--device-w", "-dw", Flag, Honoured, "-c without relocatable device code", set_stage<Stage::Object>},
    {"--cuda", "-cuda", Flag, Refused, "clang makes no intermediate C++ file", nullptr},
    {"--relocatable-link", "-r", Flag, Refused, "partial linking would lose the registration of kernels", nullptr},

    // Inputs and dependencies
    {"--x", "-x", JoinedValue, Honoured, "language of all inputs: cu, c++ or c", nullptr},
    {"--define-macro", "-D", JoinedValue, Honoured, "define a macro", macro},
    {"--undefine-macro", "-U", JoinedValue, Honoured, "undefine a macro", undefine},
    {"--include-path", "-I", JoinedValue, Honoured, "folder to search for headers; drywarp's come first", include_path},
    {"--system-include", "-isystem", Value, Honoured, "folder to search for system headers", system_include},
    {"--pre-include", "-include", Value, Honoured, "include a file first", pre_include},
    {"--library", "-l", JoinedValue, Honoured,
     "link a library; cudart, cudadevrt, cuda, nvToolsExt, nvrtc, cublas, cublasLt, curand, cusparse, cusolver and "
     "cufft "
     "are drywarp's",
     library},
    {"--library-path", "-L", JoinedValue, Honoured, "folder to search for libraries", library_path},
    {"--output-directory", "-odir", Value, Honoured, "folder for outputs without -o", set_text<&C::output_directory>},
    {"--generate-dependencies", "-M", Flag, Honoured, "print the headers that a source reads",
     dependencies<true, true>},
    {"--generate-nonsystem-dependencies", "-MM", Flag, Honoured, "-M without system headers",
     dependencies<false, true>},
    {"--generate-dependencies-with-compile", "-MD", Flag, Honoured, "-M, and compile", dependencies<true, false>},
    {"--generate-nonsystem-dependencies-with-compile", "-MMD", Flag, Honoured, "-MM, and compile",
     dependencies<false, false>},
    {"--dependency-output", "-MF", Value, Honoured, "file for the dependencies",
     [](C& c, Text v) { return set_dependency_text<&DependencyOutput::file>(c, v); }},
    {"--dependency-target-name", "-MT", Value, Honoured, "target named in the dependencies",
     [](C& c, Text v) { return set_dependency_text<&DependencyOutput::target>(c, v); }},
    {"--generate-dependency-targets", "-MP", Flag, Honoured, "an empty target for each header", phony},
    {"--options-file", "-optf", Value, Honoured, "read more options from a file", nullptr},

    // Architectures
    {"--gpu-architecture", "-arch", Value, Honoured,
     "architecture of the PTX: sm_90, compute_80, native, all, all-major", add_architecture},
    {"--gpu-code", "-code", List, Silent, "the PTX of -arch is embedded and runs on every later device", nullptr},
    {"--generate-code", "-gencode", Value, Honoured, "arch=...,code=...; the PTX of every arch is embedded",
     add_gencode},
    {"--list-gpu-arch", "-arch-ls", Flag, Honoured, "list the architectures", set_flag<&C::list_architectures>},
    {"--list-gpu-code", "-code-ls", Flag, Honoured, "list the architectures", set_flag<&C::list_architectures>},
    {"--relocatable-device-code", "-rdc", OptionalFlag, Honoured, "device code that calls into other translation units",
     set_truth<&C::relocatable>},
    {"--entries", "-e", Value, Warned, "every kernel is kept", nullptr},
    {"--extensible-whole-program", "-ewp", Flag, Silent, "whole programs may always be extended", nullptr},
    {"--dlink-time-opt", "-dlto", Flag, Warned, "device code is linked as PTX, without optimisation across files",
     nullptr},
    {"--lto", "-lto", Flag, Warned, "device code is linked as PTX, without optimisation across files", nullptr},
    {"--gen-opt-lto", "-gen-opt-lto", Flag, Warned, "device code is linked as PTX, without optimisation across files",
     nullptr},
    {"--no-device-link", "-nodlink", Flag, Silent,
     "the registration of relocatable device code is added only where it is missing", nullptr},

    // Language and optimisation
    {"--std", "-std", Value, Honoured, "C++ standard", set_text<&C::standard>},
    {"--optimize", "-O", JoinedValue, Honoured,
     "optimisation of host code; device code is always optimised unless -G is given", optimize},
    {"--dopt", "-dopt", Value, Silent, "device code is optimised unless -G is given", nullptr},
    {"--Ofast-compile", "-Ofc", Value, Honoured, "mid and max leave device code unoptimised", fast_compile},
    {"--debug", "-g", Flag, Honoured, "debug information for host code", set_flag<&C::host_debug>},
    {"--device-debug", "-G", Flag, Honoured, "device code without optimisation", set_flag<&C::device_debug>},
    {"--generate-line-info", "-lineinfo", Flag, Honoured, "source lines in the PTX (always on)",
     [](C&, Text) { return Status(); }},
    {"--maxrregcount", "-maxrregcount", Value, Honoured,
     "limit of registers per thread, written into the PTX as .maxnreg", max_registers},
    {"--use_fast_math", "-use_fast_math", OptionalFlag, Honoured,
     "-ftz=true -prec-div=false -prec-sqrt=false -fmad=true and approximate functions", fast_math},
    {"--ftz", "-ftz", OptionalFlag, Honoured, "flush single-precision denormals", set_truth<&C::flush_denormals>},
    {"--prec-div", "-prec-div", OptionalFlag, Honoured, "IEEE single-precision division",
     set_truth<&C::precise_division>},
    {"--prec-sqrt", "-prec-sqrt", OptionalFlag, Honoured, "IEEE single-precision square root",
     set_truth<&C::precise_square_root>},
    {"--fmad", "-fmad", OptionalFlag, Honoured, "fuse multiplies and adds", set_truth<&C::fuse_multiply_add>},
    {"--expt-relaxed-constexpr", "-expt-relaxed-constexpr", Flag, Honoured,
     "constexpr host functions in device code (clang allows it anyway)", set_flag<&C::relaxed_constexpr>},
    {"--expt-extended-lambda", "-expt-extended-lambda", Flag, Honoured, "__device__ lambdas (clang allows them anyway)",
     set_flag<&C::extended_lambda>},
    {"--extended-lambda", "-extended-lambda", Flag, Honoured, "__device__ lambdas (clang allows them anyway)",
     set_flag<&C::extended_lambda>},
    {"--default-stream", "-default-stream", Value, Honoured, "legacy or per-thread", default_stream},
    {"--restrict", "-restrict", Flag, Warned, "clang cannot treat every pointer parameter as __restrict__", nullptr},
    {"--extra-device-vectorization", "-extra-device-vectorization", Flag, Silent, "no effect on PTX", nullptr},
    {"--no-host-device-initializer-list", "-nohdinitlist", Flag, Silent, "clang allows it anyway", nullptr},
    {"--no-host-device-move-forward", "-nohdmoveforward", Flag, Silent, "clang allows it anyway", nullptr},
    {"--no-align-double", "--no-align-double", Flag, Silent, "for 32-bit hosts", nullptr},
    {"--no-exceptions", "-noeh", Flag, Honoured, "no C++ exceptions in host code", no_exceptions},
    {"--ftemplate-depth", "-ftemplate-depth", Value, Honoured, "limit of nested templates", template_limit<1>},
    {"--ftemplate-backtrace-limit", "-ftemplate-backtrace-limit", Value, Honoured, "limit of a template backtrace",
     template_limit<0>},
    {"--machine", "-m", Value, Honoured, "64", machine},
    {"--m64", "-m64", Flag, Silent, "drywarp makes 64-bit programs only", nullptr},
    {"--m32", "-m32", Flag, Refused, "drywarp makes 64-bit programs only", nullptr},
    {"--keep-device-functions", "-keep-device-functions", Flag, Silent, "functions with external linkage are kept",
     nullptr},
    {"--static-global-template-stub", "-static-global-template-stub", Value, Silent, "no effect on clang's stubs",
     nullptr},
    {"--device-entity-has-hidden-visibility", "-device-entity-has-hidden-visibility", Value, Silent,
     "no effect on clang's stubs", nullptr},
    {"--frandom-seed", "-frandom-seed", Value, Silent, "the output is always the same", nullptr},
    {"--device-stack-protector", "-device-stack-protector", OptionalFlag, Silent,
     "accesses outside a stack frame are always detected", nullptr},
    {"--sanitize", "-sanitize", Value, Silent, "every access is checked anyway", nullptr},
    {"--jump-table-density", "-jtd", Value, Silent, "no effect on PTX", nullptr},

    // Other programs' options
    {"--compiler-options", "-Xcompiler", List, Honoured, "options for the host compiler, which is clang",
     compiler_option},
    {"--linker-options", "-Xlinker", List, Honoured, "options for the linker, which is lld", linker_option},
    {"--ptxas-options", "-Xptxas", List, Honoured,
     "-O0 leaves device code unoptimised; a warning names ignored options", ptxas_option},
    {"--nvlink-options", "-Xnvlink", List, Silent, kNoPtxas, nullptr},
    {"--fatbin-options", "-Xfatbin", List, Silent, "the PTX is embedded as it is", nullptr},
    {"-Xcudafe", nullptr, List, Silent, "clang replaces NVIDIA's front end", nullptr},
    {"--archive-options", "-Xarchive", List, Warned, "the archive is made with `ar rcs`", nullptr},
    {"--forward-unknown-to-host-compiler", "-forward-unknown-to-host-compiler", Flag, Honoured,
     "unknown options go to clang", set_flag<&C::forward_unknown>},
    {"--forward-unknown-to-host-linker", "-forward-unknown-to-host-linker", Flag, Honoured,
     "unknown options go to clang", set_flag<&C::forward_unknown>},
    {"--forward-unknown-opts", "-forward-unknown-opts", Flag, Honoured, "unknown options go to clang",
     set_flag<&C::forward_unknown>},
    {"--compiler-bindir", "-ccbin", Value, Warned, "clang compiles host code too; set DRYWARP_CLANG to choose one",
     nullptr},
    {"--allow-unsupported-compiler", "-allow-unsupported-compiler", Flag, Silent, "clang is the only host compiler",
     nullptr},
    {"--archiver-binary", "-arbin", Value, Warned, "the archive is made with `ar`", nullptr},
    {"--cudart", "-cudart", Value, Honoured, "none or shared; static is linked as shared", runtime},
    {"--cudadevrt", "-cudadevrt", Value, Silent, "part of drywarp's runtime", nullptr},
    {"--libdevice-directory", "-ldir", Value, Silent, "no libdevice is needed", nullptr},
    {"--target-directory", "-target-dir", Value, Silent, "no toolkit is needed", nullptr},
    {"--use-local-env", "-use-local-env", Flag, Silent, "for Windows", nullptr},
    {"--force-cl-env-setup", "-force-cl-env-setup", Flag, Silent, "for Windows", nullptr},
    {"--input-drive-prefix", "-idp", Value, Silent, "for Windows", nullptr},
    {"--dependency-drive-prefix", "-ddp", Value, Silent, "for Windows", nullptr},
    {"--drive-prefix", "-dp", Value, Silent, "for Windows", nullptr},
    {"-static-libstdc++", nullptr, Flag, Honoured, "link libstdc++ statically", static_cxx},
    {"-static-libgcc", nullptr, Flag, Honoured, "link libgcc statically", static_gcc},
    {"-pthread", nullptr, Flag, Honoured, "compile and link with POSIX threads", threads_library},
    {"-rdynamic", nullptr, Flag, Honoured, "export the program's symbols", export_symbols},
    {"--host-linker-script", "-hls", Value, Silent, kNoPtxas, nullptr},
    {"--augment-host-linker-script", "-aug-hls", Flag, Silent, kNoPtxas, nullptr},

    // Diagnostics
    {"--disable-warnings", "-w", Flag, Honoured, "no warnings from the compiler", set_flag<&C::suppress_warnings>},
    {"--Werror", "-Werror", List, Honoured, "all-warnings: warnings are errors", warning_as_error},
    {"--Wreorder", "-Wreorder", Flag, Honoured, "warn about members initialised out of order", reorder},
    {"--Wno-deprecated-declarations", "-Wno-deprecated-declarations", Flag, Honoured,
     "no warnings about deprecated declarations", no_deprecated},
    {"--Wno-deprecated-gpu-targets", "-Wno-deprecated-gpu-targets", Flag, Silent, "clang has no such warning", nullptr},
    {"--Wdefault-stream-launch", "-Wdefault-stream-launch", Flag, Warned, "clang has no such warning", nullptr},
    {"--Wmissing-launch-bounds", "-Wmissing-launch-bounds", Flag, Warned, "clang has no such warning", nullptr},
    {"--Wext-lambda-captures-this", "-Wext-lambda-captures-this", Flag, Silent, "clang warns by itself", nullptr},
    {"--diag-error", "-diag-error", List, Warned, kNumbers, nullptr},
    {"--diag-suppress", "-diag-suppress", List, Silent, kNumbers, nullptr},
    {"--diag-warn", "-diag-warn", List, Silent, kNumbers, nullptr},
    {"--display-error-number", "-err-no", Flag, Silent, kNumbers, nullptr},
    {"--no-display-error-number", "-no-err-no", Flag, Silent, kNumbers, nullptr},
    {"--brief-diagnostics", "-brief-diag", OptionalFlag, Silent, "clang's diagnostics are passed on unchanged",
     nullptr},
    {"--resource-usage", "-res-usage", Flag, Warned,
     "there is no ptxas; `drywarp profile` reports registers and shared memory per kernel", nullptr},
    {"--optimization-info", "-opt-info", List, Warned, "use -Xcompiler -Rpass=inline", nullptr},
    {"--source-in-ptx", "-src-in-ptx", Flag, Warned, "the PTX has line numbers but no source text", nullptr},

    // How to work
    {"--profile", "-pg", Flag, Honoured, "profile host code with gprof", profile_host},
    {"--threads", "-t", JoinedValue, Honoured, "sources compiled at the same time; 0: one per core", jobs},
    {"--jobs", "-j", JoinedValue, Honoured, "same as --threads", jobs},
    {"--split-compile", "-split-compile", Value, Silent, "sources are compiled at the same time anyway", nullptr},
    {"--split-compile-extended", "-split-compile-extended", Value, Silent,
     "sources are compiled at the same time anyway", nullptr},
    {"--jobserver", "-jobserver", Flag, Silent, "sources are compiled at the same time anyway", nullptr},
    {"--dryrun", "-dryrun", Flag, Honoured, "print the commands without running them", set_flag<&C::dry_run>},
    {"--verbose", "-v", Flag, Honoured, "print the commands", set_flag<&C::verbose>},
    {"--keep", "-keep", Flag, Honoured, "keep the PTX beside the output", set_flag<&C::keep>},
    {"--save-temps", "-save-temps", Flag, Honoured, "keep the PTX beside the output", set_flag<&C::keep>},
    {"--keep-dir", "-keep-dir", Value, Honoured, "folder for the kept PTX", set_text<&C::keep_directory>},
    {"--objdir-as-tempdir", "-objtemp", Flag, Silent, "temporary files are in a folder of their own", nullptr},
    {"--clean-targets", "-clean", Flag, Refused, "drywarp does not delete files", nullptr},
    {"--time", "-time", Value, Warned, "no table of times is written", nullptr},
    {"--fdevice-time-trace", "-fdevice-time-trace", Value, Warned, "no trace is written", nullptr},
    {"--fdevice-syntax-only", "-fdevice-syntax-only", Flag, Warned, "the whole compilation runs", nullptr},
    {"--dont-use-profile", "-noprof", Flag, Silent, "there is no nvcc.profile", nullptr},
    {"--no-compress", "-no-compress", Flag, Silent, "the PTX is never compressed", nullptr},
    {"--compress-mode", "-compress-mode", Value, Silent, "the PTX is never compressed", nullptr},
    {"--qpp-config", "-qpp-config", Value, Silent, "for QNX", nullptr},
    {"--compile-as-tools-patch", "-astoolspatch", Flag, Refused, "patches for NVIDIA's tools need machine code",
     nullptr},
    {"--relocatable-ptx", "-reloc-ptx", Flag, Silent, "PTX can always be linked", nullptr},
    {"--help", "-h", Flag, Honoured, "this text", set_flag<&C::show_help>},
    {"--version", "-V", Flag, Honoured, "version, in the form that build systems look for", set_flag<&C::show_version>},
};

struct TreatmentTitle {
  Treatment treatment;
  const char* title;
};
constexpr TreatmentTitle kTitles[] = {{Honoured, "Honoured"},
                                      {Silent, "Accepted without effect"},
                                      {Warned, "Ignored with a warning"},
                                      {Refused, "Refused"}};

struct FormPlaceholder {
  OptionForm form;
  const char* value;
};
constexpr FormPlaceholder kPlaceholders[] = {
    {OptionalFlag, "true|false"}, {Value, "X"}, {JoinedValue, "X"}, {List, "X,..."}};

}  // namespace

std::span<const Option> option_table() { return kOptions; }

const char* title_of(Treatment treatment) {
  const auto* found = std::ranges::find(kTitles, treatment, &TreatmentTitle::treatment);
  return found == std::end(kTitles) ? "" : found->title;
}

const char* placeholder_of(OptionForm form) {
  const auto* found = std::ranges::find(kPlaceholders, form, &FormPlaceholder::form);
  return found == std::end(kPlaceholders) ? "" : found->value;
}

}  // namespace drywarp::compile
