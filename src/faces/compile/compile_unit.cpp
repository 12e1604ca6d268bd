#include "faces/compile/compile_unit.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/support/digest.h"
#include "faces/compile/dependency_file.h"
#include "faces/compile/device_launches.h"
#include "faces/compile/device_link.h"
#include "faces/compile/diagnostics.h"
#include "faces/compile/dialect.h"
#include "faces/compile/nvcc_options/compilation.h"
#include "faces/compile/prelude.h"
#include "faces/compile/ptx_text.h"

namespace drywarp::compile {
namespace fs = std::filesystem;
namespace {

constexpr const char* kTextureNames = "drywarp_texture_names.h";

bool device_only(const Compilation& c) { return c.stage == Stage::Ptx || c.stage == Stage::Fatbin; }

std::string read_if_there(const std::string& path) {
  Result<std::string> text = read_file(path);
  return text ? *text : std::string();
}

// A running pass of clang, with the files that it writes and the headers that it does not read itself.
struct Pass {
  Process process;
  std::string said, depfile;
  Prelude prelude;
};

Result<Pass> begin(const Toolchain& tools, const Arguments& command, const std::string& stem,
                   const std::string& depfile, const Prelude& prelude = {}) {
  std::string said = stem + ".stderr";
  Result<Process> process = Process::start(command, said, deadline_in(tools.limit_seconds));
  if (!process) return process.problem();
  return Pass{std::move(*process), said, depfile, prelude};
}

struct Names {
  std::string work;
  [[nodiscard]] std::string ptx(int architecture) const { return fmt::format("{}-{}.ptx", work, architecture); }
  [[nodiscard]] std::string device_depfile(int architecture) const {
    return fmt::format("{}-{}.d", work, architecture);
  }
  [[nodiscard]] std::string host_depfile() const { return work + "-host.d"; }
  [[nodiscard]] std::string image() const { return work + ".image"; }
};

// What the passes read in place of files: see write_overlay().
struct Overlays {
  std::string device, host;
  bool kernels_launch = false;  // the sources are as device_launches makes them
  bool texture_names = false;   // the sources use texture references, whose names are else free
};

// The passes run at the same time: the host pass reads the device code from a named pipe, which it opens only after it
// has parsed the source.
class CudaUnit {
 public:
  CudaUnit(const Compilation& compilation, const Toolchain& tools, const Input& source, std::string output,
           std::string work, const Overlays& overlays, const std::vector<Prelude>& preludes)
      : c_(compilation),
        tools_(tools),
        source_(source),
        output_(std::move(output)),
        names_{std::move(work)},
        overlays_(overlays),
        preludes_(preludes) {}

  Result<CompiledUnit> run() {
    std::vector<std::pair<int, Pass>> device;
    for (int architecture : effective_architectures(c_)) {
      const Prelude& prelude = preludes_[device.size()];
      Result<Pass> pass = begin(tools_,
                                complete(device_command(c_, tools_, source_.path, architecture,
                                                        names_.ptx(architecture), names_.device_depfile(architecture)),
                                         overlays_.device, prelude),
                                names_.ptx(architecture), names_.device_depfile(architecture), prelude);
      if (!pass) return pass.problem();
      device.emplace_back(architecture, std::move(*pass));
    }
    std::vector<Pass> host;
    if (!device_only(c_)) {
      if (mkfifo(names_.image().c_str(), 0600) != 0)
        return error(fmt::format("cannot make the pipe '{}'", names_.image()));
      const Prelude& prelude = preludes_.back();
      Result<Pass> pass =
          begin(tools_,
                complete(host_command(c_, tools_, source_.path, names_.image(), output_, names_.host_depfile()),
                         overlays_.host, prelude),
                names_.work + "-host", names_.host_depfile(), prelude);
      if (!pass) return pass.problem();
      host.push_back(std::move(*pass));
    }
    Result<std::string> image = device_image(device);
    if (!image) return image.problem();
    if (!host.empty()) {
      if (Status fed = feed_pipe(names_.image(), *image, host[0].process); !fed) return fed.problem();
      collect(host[0]);
    } else if (unit_.exit_code == 0) {
      if (Status written = write_file(output_, *image); !written) return written.problem();
    }
    unit_.diagnostics = merge_diagnostics(said_);
    if (unit_.exit_code == 0 && c_.relocatable && !device_only(c_)) {
      if (Status renamed = make_unit_unique(); !renamed) return renamed.problem();
    }
    return unit_;
  }

 private:
  [[nodiscard]] Arguments complete(Arguments command, const std::string& overlay, const Prelude& prelude) const {
    if (!overlay.empty()) command.insert(command.end(), {"-ivfsoverlay", overlay});
    if (overlays_.texture_names) command.insert(command.end(), {"-include", kTextureNames});
    if (overlays_.kernels_launch && &overlay == &overlays_.device)
      command.push_back(fmt::format("-DDRYWARP_KERNELS_LAUNCH=\"{}\"", unit_id(c_, source_.path)));
    return with_precompiled(std::move(command), prelude.path);
  }

  void collect(Pass& pass) {
    Exit exit = pass.process.wait();
    if (unit_.exit_code == 0) unit_.exit_code = exit.code;
    said_.push_back(read_if_there(pass.said));
    if (exit.timed_out) said_.push_back(took_too_long("compiling " + source_.path, tools_.limit_seconds));
    std::vector<std::string> files = parse_dependencies(read_if_there(pass.depfile));
    std::erase(files, pass.prelude.path);
    std::erase(files, kNoSource);  // which the precompiled header has as its source
    files.insert(files.end(), pass.prelude.dependencies.begin(), pass.prelude.dependencies.end());
    for (std::string& file : files) {
      if (std::ranges::find(unit_.dependencies, file) == unit_.dependencies.end())
        unit_.dependencies.push_back(std::move(file));
    }
  }

  Result<std::string> device_image(std::vector<std::pair<int, Pass>>& device) {
    std::vector<std::pair<int, std::string>> images;
    for (auto& [architecture, pass] : device) {
      collect(pass);
      if (unit_.exit_code != 0) continue;
      Result<std::string> ptx = read_file(names_.ptx(architecture));
      if (!ptx) return ptx.problem();
      constexpr int kFirstWithClusters = 90;
      if (architecture >= kFirstWithClusters) *ptx = name_clusters(*ptx);
      images.emplace_back(architecture, c_.max_registers > 0 ? limit_registers(*ptx, c_.max_registers) : *ptx);
      if (!c_.relocatable && !device_only(c_)) refuse_unresolved(*ptx);
      if (c_.keep && c_.stage != Stage::Ptx) keep(architecture, images.size() == device.size(), images.back().second);
    }
    if (unit_.exit_code != 0) return std::string(1, '\0');  // for the host pass, which waits for it
    return c_.stage == Stage::Ptx ? images.back().second : pack_images(images);
  }

  void refuse_unresolved(std::string_view ptx) {
    for (const Diagnostic& problem : unresolved_functions(ptx)) {
      said_.push_back(problem.to_string() + '\n');
      unit_.exit_code = 1;
    }
  }

  void keep(int architecture, bool last, const std::string& ptx) {
    std::string stem = fs::path(source_.path).stem().string();
    fs::path folder = c_.keep_directory.empty() ? fs::path(".") : fs::path(c_.keep_directory);
    std::string name = last ? stem + ".ptx" : fmt::format("{}.compute_{}.ptx", stem, architecture);
    if (Status written = write_file((folder / name).string(), ptx); !written)
      said_.push_back(written.problem().to_string() + '\n');
  }

  Status make_unit_unique() {
    Result<std::vector<std::string>> command = rename_unit_command(output_, unit_key(c_, tools_, source_));
    if (!command) return command.problem();
    if (command->empty()) return {};
    Result<Process> process = Process::start(*command);
    if (!process) return process.problem();
    unit_.exit_code = process->wait().code;
    return {};
  }

  const Compilation& c_;
  const Toolchain& tools_;
  const Input& source_;
  std::string output_;
  Names names_;
  const Overlays& overlays_;
  const std::vector<Prelude>& preludes_;  // one a pass; the host's is the last
  CompiledUnit unit_;
  std::vector<std::string> said_;
};

// The commands of the passes that read the source, in the order in which they begin.
std::vector<Arguments> cuda_passes(const Compilation& c, const Toolchain& tools, const std::string& source,
                                   const std::string& output, const std::string& work) {
  Names names{work};
  std::vector<Arguments> commands;
  for (int architecture : effective_architectures(c)) {
    bool last = c.stage == Stage::Ptx;
    commands.push_back(device_command(c, tools, source, architecture, last ? output : names.ptx(architecture), ""));
  }
  if (!device_only(c)) commands.push_back(host_command(c, tools, source, names.image(), output, ""));
  return commands;
}

// Whether clang refused a precompiled header: its error names the file.
bool refused(const std::vector<Prelude>& preludes, const std::string& diagnostics) {
  return std::ranges::any_of(preludes, [&](const Prelude& prelude) {
    return !prelude.path.empty() && diagnostics.find(prelude.path) != std::string::npos;
  });
}

Result<Overlays> overlays(const RespelledSources& sources, const DeviceLaunches& launches, const std::string& work) {
  Overlays out;
  out.kernels_launch = launches.any();
  Result<std::string> device = write_overlay(work + "-device", launches.device_texts(sources.texts()));
  if (!device) return device.problem();
  Result<std::string> host = write_overlay(work + "-host", launches.host_texts(sources.texts()));
  if (!host) return host.problem();
  out.device = *device;
  out.host = *host;
  return out;
}

// Recompiles while clang's errors are only what nvcc accepts.
Result<CompiledUnit> compile_cuda(const Compilation& c, const Toolchain& tools, const BuildCache& cache,
                                  const Input& source, const std::string& output, const std::string& work) {
  constexpr int kRounds = 16;  // clang reports up to 20 errors in a round, but only one per asm statement
  const std::vector<Arguments> passes = cuda_passes(c, tools, kNoSource, "output", "work");
  std::vector<Prelude> preludes = precompiled_preludes(c, tools, cache.preludes(), passes, work);
  RespelledSources sources;
  DeviceLaunches launches;
  bool texture_names = false;
  for (int round = 1;; ++round) {
    const std::string round_work = fmt::format("{}-{}", work, round);
    Result<Overlays> texts = overlays(sources, launches, round_work);
    if (!texts) return texts.problem();
    texts->texture_names = texture_names;
    Result<CompiledUnit> unit = CudaUnit(c, tools, source, output, round_work, *texts, preludes).run();
    if (!unit || unit->exit_code == 0 || round == kRounds) return unit;
    if (refused(preludes, unit->diagnostics)) {
      preludes.assign(passes.size(), {});
    } else if (!texture_names && lacks_texture_names(unit->diagnostics)) {
      texture_names = true;  // other errors may come of it
    } else if (sources.respell(unit->diagnostics)) {
      launches.forget();
    } else if (c.relocatable && launches.learn(unit->diagnostics, sources.texts())) {
      // Kernels are something else there than in the precompiled header.
      std::fill(preludes.begin(), device_only(c) ? preludes.end() : std::prev(preludes.end()), Prelude());
    } else {
      return unit;
    }
  }
}

Result<CompiledUnit> compile_plain(const Compilation& c, const Toolchain& tools, const Input& source,
                                   const std::string& output, const std::string& work) {
  std::string depfile = work + ".d";
  Result<Pass> pass = begin(tools, plain_command(c, tools, source, output, depfile), work, depfile);
  if (!pass) return pass.problem();
  CompiledUnit unit;
  const Exit exit = pass->process.wait();
  unit.exit_code = exit.code;
  unit.diagnostics = read_if_there(pass->said);
  if (exit.timed_out) unit.diagnostics += took_too_long("compiling " + source.path, tools.limit_seconds);
  unit.dependencies = parse_dependencies(read_if_there(depfile));
  return unit;
}

}  // namespace

std::vector<Arguments> unit_commands(const Compilation& c, const Toolchain& tools, const Input& source,
                                     const std::string& output, const std::string& work) {
  if (source.language != Language::Cuda) return {plain_command(c, tools, source, output, "")};
  return cuda_passes(c, tools, source.path, output, work);
}

std::string unit_key(const Compilation& c, const Toolchain& tools, const Input& source) {
  Digester digester;
  std::error_code ignored;
  digester.add("unit").add(drywarp_version()).add(tools.clang.identity).add(fs::current_path(ignored).string());
  for (const char* passes : {kDevicePasses, kCheckPasses})
    digester.add(digest_file(tools.installation.library + "/" + passes).value_or(""));
  for (const Arguments& command : unit_commands(c, tools, source, "output", "work")) {
    for (const std::string& argument : command) digester.add(argument);
    digester.add("");
  }
  digester.add(std::to_string(int(c.stage))).add(std::to_string(c.max_registers));
  return digester.hex();
}

Result<CompiledUnit> compile_unit(const Compilation& c, const Toolchain& tools, const BuildCache& cache,
                                  const Input& source, const std::string& output, const std::string& work) {
  std::string key = unit_key(c, tools, source);
  if (std::optional<CacheEntry> hit = c.keep ? std::nullopt : cache.find(key)) {
    std::error_code code;
    fs::copy_file(hit->output, output, fs::copy_options::overwrite_existing, code);
    if (!code) return CompiledUnit{0, hit->diagnostics, hit->dependencies};
  }
  auto started = BuildCache::Clock::now();
  Result<CompiledUnit> unit = source.language == Language::Cuda ? compile_cuda(c, tools, cache, source, output, work)
                                                                : compile_plain(c, tools, source, output, work);
  if (unit && unit->exit_code != 0) unit->diagnostics += compile_hints(unit->diagnostics);
  if (unit && unit->exit_code == 0) cache.keep(key, output, unit->diagnostics, unit->dependencies, started);
  return unit;
}

}  // namespace drywarp::compile
