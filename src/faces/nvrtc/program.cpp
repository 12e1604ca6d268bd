#include "faces/nvrtc/program.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "base/support/digest.h"
#include "base/support/whole_file.h"
#include "faces/compile/compile_unit.h"
#include "faces/compile/ptx_text.h"
#include "faces/nvrtc/options.h"

namespace drywarp::nvrtc {
namespace fs = std::filesystem;
namespace {

constexpr const char* kNameVariable = "__drywarp_name_";
constexpr const char* kUnitName = "unit.cu";
constexpr int kDefaultArchitecture = 52;  // as in NVRTC

// The folder of a source's files. A name that leads out of it, "../a.h" or "/a.h", loses that part.
fs::path inside(const fs::path& folder, const std::string& name) {
  fs::path path = folder;
  for (const fs::path& part : fs::path(name).relative_path().lexically_normal())
    if (part != ".." && part != ".") path /= part;
  return path;
}

Status write(const fs::path& path, const std::string& text) {
  std::error_code code;
  fs::create_directories(path.parent_path(), code);
  if (!code && read_whole(path.string()) == text) return {};
  if (code || !write_whole(path.string(), text)) return error(fmt::format("cannot write '{}'", path.string()));
  return {};
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// Where the files of a source lie, and the text that clang compiles.
struct Files {
  fs::path folder, source, headers, unit;
};

Files files_of(const Source& source, const std::string& unit, const std::string& root) {
  Digester digester;
  digester.add(source.name).add(source.text).add(unit);
  for (const Header& header : source.headers) digester.add(header.name).add(header.text);
  const fs::path folder = fs::path(root) / digester.hex();
  Files files{folder, inside(folder / "source", source.name), folder / "headers", folder / kUnitName};
  // A file that the program has read itself is shown under its own name.
  std::error_code code;
  if (const fs::path own = fs::absolute(source.name, code).lexically_normal();
      !code && read_whole(own.string()) == source.text)
    files.source = own;
  return files;
}

Status write_files(const Source& source, const Files& files, const std::string& unit) {
  if (Status status = write(files.source, source.text); !status) return status;
  for (const Header& header : source.headers)
    if (Status status = write(inside(files.headers, header.name), header.text); !status) return status;
  return write(files.unit, unit);
}

constexpr const char* kSourcePlace =
    "<source>";  // stands for the path in a unit, which is a part of the path's own digest

std::string unit_text(const Source& source, std::span<const std::string> expressions, bool default_device) {
  std::string unit;
  if (default_device)
    unit +=
        "#pragma clang force_cuda_host_device begin\n"
        "#pragma clang attribute push(__attribute__((device)), apply_to = variable(is_global))\n";
  unit += fmt::format("#line 1 \"{}\"\n{}\n", kSourcePlace, source.text);
  if (default_device) unit += "#pragma clang attribute pop\n#pragma clang force_cuda_host_device end\n";
  for (size_t i = 0; i < expressions.size(); ++i)
    unit += fmt::format(
        "#line 1 \"name expression {1}\"\nextern \"C\" {{ __attribute__((used)) static __device__ const void* "
        "const {0}{1} = (const void*)({2}); }}\n",
        kNameVariable, i, expressions[i]);
  return unit;
}

// Takes the variables of name expressions out of the PTX, and reads what they point to.
Status take_lowered_names(std::string& ptx, std::span<const std::string> expressions,
                          std::map<std::string, std::string>& lowered) {
  for (size_t i = 0; i < expressions.size(); ++i) {
    const std::string start = fmt::format("{}{} = ", kNameVariable, i);
    const size_t at = ptx.find(start);
    const size_t end = at == std::string::npos ? at : ptx.find(";\n", at);
    if (end == std::string::npos) return error(fmt::format("'{}' names no kernel and no variable", expressions[i]));
    std::string name = ptx.substr(at + start.size(), end - at - start.size());
    if (name.starts_with("generic(")) name = name.substr(8, name.size() - 9);
    lowered[expressions[i]] = name;
    const size_t line = ptx.rfind('\n', at) + 1;
    ptx.erase(line, end + 2 - line);
  }
  return {};
}

Result<compile::Toolchain> toolchain() {
  Dl_info facts{};
  if (dladdr(reinterpret_cast<const void*>(&compile_program), &facts) == 0 || !facts.dli_fname)
    return error("cannot find drywarp's run-time compiler among the loaded libraries");
  Result<compile::Installation> installation = compile::installation_of_library(facts.dli_fname);
  if (!installation) return installation.problem();
  Result<compile::Clang> clang = compile::find_clang();
  if (!clang) return clang.problem();
  return compile::Toolchain{*clang, *installation};
}

}  // namespace

Result<CompiledProgram> compile_program(const Source& source, std::span<const std::string> expressions,
                                        std::span<const std::string> words) {
  CompiledProgram done;
  Result<Options> options = read_options(words);
  if (!options) {
    done.options_wrong = true;
    done.log = options.problem().to_string() + '\n';
    return done;
  }
  compile::Compilation& c = options->compilation;
  if (!c.suppress_warnings)
    for (const std::string& text : c.warnings) done.log += "warning: " + text + '\n';
  const Result<compile::Toolchain> tools = toolchain();
  if (!tools) return tools.problem();
  const Result<compile::TemporaryFolder> work = compile::TemporaryFolder::create();
  if (!work) return work.problem();

  const compile::BuildCache cache(compile::BuildCache::default_folder());
  std::string unit = unit_text(source, expressions, options->default_device);
  const Files files = files_of(source, unit, cache.enabled() ? cache.sources() : work->path());
  replace_all(unit, kSourcePlace, files.source.string());
  if (Status status = write_files(source, files, unit); !status) return status.problem();
  c.preprocessor.insert(c.preprocessor.begin(), "-I" + files.headers.string());
  std::error_code ignored;
  c.preprocessor.push_back("-I" + fs::absolute(source.name, ignored).parent_path().string());
  if (c.architectures.empty()) c.architectures = {kDefaultArchitecture};

  const std::string output = work->path() + "/unit.ptx";
  const Result<compile::CompiledUnit> compiled = compile::compile_unit(
      c, *tools, cache, {files.unit.string(), compile::Language::Cuda}, output, work->path() + "/unit");
  if (!compiled) return compiled.problem();
  std::string said = compiled->diagnostics;
  replace_all(said, files.source.string(), source.name);
  replace_all(said, files.headers.string() + '/', "");
  done.log += said;
  if (compiled->exit_code != 0) return done;
  Result<std::string> ptx = compile::read_file(output);
  if (!ptx) return ptx.problem();
  Output made;
  if (Status status = take_lowered_names(*ptx, expressions, made.lowered); !status) {
    done.log += status.problem().to_string() + '\n';
    return done;
  }
  if (options->machine_code) made.cubin = compile::pack_images(std::vector{std::pair{c.architectures[0], *ptx}});
  made.ptx = std::move(*ptx);
  done.output = std::move(made);
  cache.shrink(compile::BuildCache::kBytes);
  return done;
}

}  // namespace drywarp::nvrtc
