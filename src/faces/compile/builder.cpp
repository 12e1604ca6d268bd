#include "faces/compile/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "base/support/digest.h"
#include "faces/compile/compile_unit.h"
#include "faces/compile/dependency_file.h"
#include "faces/compile/device_link.h"

namespace drywarp::compile {
namespace fs = std::filesystem;
namespace {

bool is_source(const Input& input) {
  return input.language == Language::Cuda || input.language == Language::Cxx || input.language == Language::C;
}

const char* extension_of(Stage stage) {
  switch (stage) {
    case Stage::Ptx:
      return ".ptx";
    case Stage::Fatbin:
      return ".fatbin";
    default:
      return ".o";
  }
}

std::string default_output(Stage stage) {
  switch (stage) {
    case Stage::DeviceLink:
      return "a_dlink.o";
    case Stage::Library:
      return "a.a";
    default:
      return "a.out";
  }
}

class Builder {
 public:
  Builder(const Compilation& compilation, const Toolchain& tools, const BuildCache& cache, std::string work)
      : c_(compilation), tools_(tools), cache_(cache), work_(std::move(work)) {}

  Result<BuildResult> run() {
    if (Status status = check(); !status) return status.problem();
    switch (c_.stage) {
      case Stage::Preprocess:
      case Stage::ListDependencies:
        return preprocess();
      case Stage::Ptx:
      case Stage::Fatbin:
      case Stage::Object:
        return compile_each();
      case Stage::DeviceLink:
      case Stage::Library:
      case Stage::Executable:
      case Stage::SharedLibrary:
        return link();
    }
    return result_;
  }

  // Every file that the result depends on, after run() has succeeded.
  [[nodiscard]] const std::vector<std::string>& dependencies() const { return dependencies_; }

 private:
  Status check() const {
    if (c_.inputs.empty()) return error("no input files", "name a .cu file");
    bool single = c_.stage == Stage::Object || c_.stage == Stage::Ptx || c_.stage == Stage::Fatbin;
    auto sources = std::ranges::count_if(c_.inputs, is_source);
    if (single && !c_.output.empty() && sources > 1) {
      return error(fmt::format("-o {} with {} sources: only one output can have that name", c_.output, sources));
    }
    if (c_.stage == Stage::Ptx && c_.architectures.size() > 1) {
      return error("-ptx with several architectures", "a PTX file holds one: name one with -arch");
    }
    for (const Input& input : c_.inputs) {
      std::error_code code;
      if (!fs::exists(input.path, code)) return error(fmt::format("there is no file '{}'", input.path));
    }
    return {};
  }

  std::string work_name(size_t index) const {
    return fmt::format("{}/{}-{}", work_, index, fs::path(c_.inputs[index].path).stem().string());
  }

  std::string unit_output(const Input& input) const {
    if (!c_.output.empty()) return c_.output;
    std::string name = fs::path(input.path).stem().string() + extension_of(c_.stage);
    return c_.output_directory.empty() ? name : (fs::path(c_.output_directory) / name).string();
  }

  // Runs a command and waits for it; false: it failed, and result_ has the diagnostics.
  bool step(const Arguments& command) {
    announce({command});
    if (c_.dry_run) return true;
    std::string said = fmt::format("{}/step-{}", work_, steps_++);
    Result<Process> process = Process::start(command, said, deadline_in(tools_.limit_seconds));
    if (!process) {
      result_.diagnostics += process.problem().to_string() + '\n';
      result_.exit_code = 1;
      return false;
    }
    const Exit exit = process->wait();
    result_.exit_code = exit.code;
    if (Result<std::string> text = read_file(said)) result_.diagnostics += *text;
    if (exit.timed_out) result_.diagnostics += took_too_long(quoted({command[0]}), tools_.limit_seconds);
    return result_.exit_code == 0;
  }

  void announce(const std::vector<Arguments>& commands) {
    if (!c_.verbose && !c_.dry_run) return;
    for (const Arguments& command : commands) result_.diagnostics += "#$ " + quoted(command) + '\n';
  }

  Result<BuildResult> preprocess() {
    for (size_t i = 0; i < c_.inputs.size(); ++i) {
      const Input& input = c_.inputs[i];
      if (!is_source(input)) continue;
      bool list = c_.stage == Stage::ListDependencies;
      std::string text = list || c_.output.empty() ? work_name(i) + ".ii" : c_.output;
      std::string depfile = work_name(i) + ".d";
      if (!step(preprocess_command(c_, tools_, input, text, depfile)) || c_.dry_run) return result_;
      if (!list && c_.output.empty()) {
        if (Result<std::string> preprocessed = read_file(text)) result_.output += *preprocessed;
      }
      if (!list && !c_.dependencies.wanted) continue;
      Result<std::string> rules = read_file(depfile);
      if (!rules) return rules.problem();
      std::string target = fs::path(input.path).stem().string() + ".o";
      std::string to = !c_.dependencies.file.empty() ? c_.dependencies.file
                       : list                        ? c_.output
                                                     : target.substr(0, target.size() - 1) + "d";
      if (Status status = write_dependencies(parse_dependencies(*rules), target, to); !status) return status.problem();
    }
    return result_;
  }

  // Empty `to`: to standard output.
  Status write_dependencies(const std::vector<std::string>& files, const std::string& target, const std::string& to) {
    std::vector<std::string> chosen;
    for (const std::string& file : files) {
      bool ours = file.starts_with(tools_.installation.include + "/");
      bool system = is_system_header(file, tools_.installation.include);
      if (ours && !c_.dependencies.system_headers) continue;
      if (c_.dependencies.system_headers || !system) chosen.push_back(file);
    }
    std::string name = c_.dependencies.target.empty() ? target : c_.dependencies.target;
    std::string text = format_dependencies(name, chosen, c_.dependencies.phony_targets);
    if (!to.empty()) return write_file(to, text);
    result_.output += text;
    return {};
  }

  // Compiles the sources with the indices `which` to `outputs` in parallel; false: one failed.
  Result<bool> compile(const std::vector<size_t>& which, const std::vector<std::string>& outputs) {
    for (size_t i = 0; i < which.size(); ++i) {
      announce(unit_commands(c_, tools_, c_.inputs[which[i]], outputs[i], work_name(which[i])));
    }
    if (c_.dry_run) return true;
    std::vector<std::optional<Result<CompiledUnit>>> units(which.size());
    std::atomic<size_t> next = 0;
    auto worker = [&] {
      for (size_t i = next++; i < which.size(); i = next++) {
        units[i] = compile_unit(c_, tools_, cache_, c_.inputs[which[i]], outputs[i], work_name(which[i]));
      }
    };
    unsigned jobs = c_.jobs != 0 ? c_.jobs : std::max(1u, std::thread::hardware_concurrency());
    {
      std::vector<std::jthread> workers;
      for (unsigned i = 1; i < std::min<size_t>(jobs, which.size()); ++i) workers.emplace_back(worker);
      worker();
    }
    for (size_t i = 0; i < which.size(); ++i) {
      const Result<CompiledUnit>& unit = *units[i];
      if (!unit) return unit.problem();
      result_.diagnostics += unit->diagnostics;
      if (result_.exit_code == 0) result_.exit_code = unit->exit_code;
      std::ranges::copy(unit->dependencies, std::back_inserter(dependencies_));
      if (unit->exit_code != 0 || !c_.dependencies.wanted) continue;
      std::string to = c_.dependencies.file;
      if (to.empty())
        to = fs::path(c_.stage == Stage::Object ? outputs[i] : unit_output(c_.inputs[which[i]]))
                 .replace_extension(".d")
                 .string();
      std::string target = c_.stage == Stage::Object || c_.output.empty() ? outputs[i] : c_.output;
      if (Status status = write_dependencies(unit->dependencies, target, to); !status) return status.problem();
    }
    return result_.exit_code == 0;
  }

  Result<BuildResult> compile_each() {
    std::vector<size_t> which;
    std::vector<std::string> outputs;
    for (size_t i = 0; i < c_.inputs.size(); ++i) {
      if (!is_source(c_.inputs[i])) continue;
      which.push_back(i);
      outputs.push_back(unit_output(c_.inputs[i]));
    }
    Result<bool> done = compile(which, outputs);
    if (!done) return done.problem();
    return result_;
  }

  Result<BuildResult> link() {
    std::vector<size_t> which;
    std::vector<std::string> outputs, names(c_.inputs.size());
    for (size_t i = 0; i < c_.inputs.size(); ++i) {
      names[i] = c_.inputs[i].path;
      if (!is_source(c_.inputs[i])) continue;
      which.push_back(i);
      names[i] = work_name(i) + ".o";
      outputs.push_back(names[i]);
    }
    Result<bool> compiled = compile(which, outputs);
    if (!compiled) return compiled.problem();
    if (!*compiled) return result_;

    std::vector<std::string> items, objects;
    for (const LinkItem& item : c_.link) {
      items.push_back(item.input >= 0 ? names[size_t(item.input)] : item.option);
      if (item.input >= 0) objects.push_back(names[size_t(item.input)]);
    }
    std::string output = c_.output.empty() ? default_output(c_.stage) : c_.output;
    if (c_.stage == Stage::Library) {
      std::error_code ignored;
      if (!c_.dry_run) fs::remove(output, ignored);  // `ar` would add to an old archive
      step(archive_command(objects, output));
      return result_;
    }
    Result<std::string> stub = registration(items, c_.stage == Stage::DeviceLink ? output : work_ + "/device_link.o");
    if (!stub) return stub.problem();
    if (c_.stage == Stage::DeviceLink || result_.exit_code != 0) return result_;
    if (!stub->empty()) items.push_back(*stub);
    std::string depfile = work_ + "/link.d";
    if (step(link_command(c_, tools_, items, output, depfile)) && !c_.dry_run) {
      if (Result<std::string> rules = read_file(depfile)) {
        for (std::string& file : parse_dependencies(*rules)) {
          // Temporary objects are no dependencies, nor is the runtime: the program loads it when it starts.
          bool lasting = !file.starts_with(work_) && !file.starts_with(tools_.installation.library + "/");
          if (lasting) dependencies_.push_back(std::move(file));
        }
      }
    }
    return result_;
  }

  // Makes the object that registers relocatable device code; empty if none is needed.
  Result<std::string> registration(const std::vector<std::string>& items, const std::string& object) {
    if (c_.dry_run) return std::string();
    Result<DeviceLink> linked = unregistered_units(linked_files(items), c_.stage == Stage::DeviceLink);
    if (!linked) return linked.problem();
    for (const Diagnostic& undefined : linked->undefined) result_.diagnostics += undefined.to_string() + '\n';
    if (!linked->undefined.empty()) {
      result_.exit_code = 1;
      return std::string();
    }
    const std::vector<DeviceUnit>* units = &linked->units;
    if (units->empty() && c_.stage != Stage::DeviceLink) return std::string();
    std::string source = work_ + "/device_link.cpp";
    std::string text = units->empty() ? "// no relocatable device code\n" : registration_stub(*units);
    if (Status written = write_file(source, text); !written) return written.problem();
    step(stub_command(tools_, source, object));
    return object;
  }

  const Compilation& c_;
  const Toolchain& tools_;
  const BuildCache& cache_;
  std::string work_;
  BuildResult result_;
  std::vector<std::string> dependencies_;
  int steps_ = 0;
};

std::string program_key(const Compilation& c, const Toolchain& tools) {
  Digester digester;
  std::error_code ignored;
  digester.add("program").add(drywarp_version()).add(fs::current_path(ignored).string());
  for (const Input& input : c.inputs) {
    digester.add(input.path);
    if (is_source(input)) digester.add(unit_key(c, tools, input));
  }
  std::vector<std::string> items;
  for (const LinkItem& item : c.link) items.push_back(item.input >= 0 ? std::to_string(item.input) : item.option);
  for (const std::string& word : link_command(c, tools, items, "output", "depfile")) digester.add(word);
  return digester.hex();
}

}  // namespace

Result<BuildResult> build(const Compilation& compilation, const Toolchain& tools, const BuildCache& cache) {
  Result<TemporaryFolder> work = TemporaryFolder::create();
  if (!work) return work.problem();
  return Builder(compilation, tools, cache, work->path()).run();
}

Result<BuiltProgram> build_program(const Compilation& compilation, const Toolchain& tools, const BuildCache& cache) {
  std::string key = program_key(compilation, tools);
  if (std::optional<CacheEntry> hit = cache.find(key)) {
    return BuiltProgram{{0, hit->diagnostics, {}}, hit->output, true, std::nullopt};
  }
  Result<TemporaryFolder> work = TemporaryFolder::create();
  if (!work) return work.problem();
  Compilation to_run = compilation;
  to_run.output = work->path() + "/program";
  auto started = BuildCache::Clock::now();
  Builder builder(to_run, tools, cache, work->path());
  Result<BuildResult> built = builder.run();
  if (!built) return built.problem();
  BuiltProgram program{*built, {}, false, std::nullopt};
  if (built->exit_code != 0) return program;
  std::set<std::string> dependencies(builder.dependencies().begin(), builder.dependencies().end());
  std::optional<std::string> kept =
      cache.keep(key, to_run.output, built->diagnostics, {dependencies.begin(), dependencies.end()}, started);
  if (kept) {
    program.path = *kept;
    cache.shrink(BuildCache::kBytes);
  } else {
    program.path = to_run.output;
    program.folder.emplace(std::move(*work));
  }
  return program;
}

}  // namespace drywarp::compile
