#include "faces/compile/prelude.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/support/digest.h"
#include "faces/compile/dependency_file.h"

namespace drywarp::compile {
namespace {

constexpr uint64_t kPreludeBytes = 256ull << 20;  // some twenty sets of options

// A file that the user's options include belongs to the source, not to our headers.
bool includes_more(const Compilation& c) {
  const auto names_file = [](const std::string& option) {
    return option.starts_with("-include") || option.starts_with("-imacros");
  };
  return std::ranges::any_of(c.preprocessor, names_file) || std::ranges::any_of(c.host_options, names_file) ||
         std::ranges::any_of(c.device_options, names_file);
}

std::string prelude_key(const Compilation& c, const Toolchain& tools, const Arguments& pass) {
  Digester digester;
  digester.add("prelude").add(drywarp_version()).add(tools.clang.identity);
  for (const std::string& argument : pass) digester.add(argument);
  // The user's options may name folders relative to the current one.
  const bool relative = !c.preprocessor.empty() || !c.host_options.empty() || !c.device_options.empty();
  std::error_code ignored;
  digester.add(relative ? std::filesystem::current_path(ignored).string() : "");
  return digester.hex();
}

// A prelude that clang is making.
struct Making {
  size_t pass;
  Process process;
  std::string key, path, depfile;
};

}  // namespace

std::vector<Prelude> precompiled_preludes(const Compilation& c, const Toolchain& tools, const BuildCache& unit_cache,
                                          std::span<const Arguments> passes, const std::string& work) {
  std::vector<Prelude> preludes(passes.size());
  const BuildCache cache = unit_cache.preludes();
  if (!cache.enabled() || includes_more(c)) return preludes;
  const auto started = BuildCache::Clock::now();
  std::vector<Making> makings;
  for (size_t i = 0; i < passes.size(); ++i) {
    std::string key = prelude_key(c, tools, passes[i]);
    if (std::optional<CacheEntry> hit = cache.find(key)) {
      preludes[i] = {hit->output, hit->dependencies};
      continue;
    }
    std::string path = fmt::format("{}-{}.pch", work, i);
    std::string depfile = path + ".d";
    Result<Process> process = Process::start(precompile_command(passes[i], path, depfile), path + ".stderr",
                                             deadline_in(tools.limit_seconds));
    if (process) makings.push_back({i, std::move(*process), std::move(key), path, depfile});
  }
  for (Making& making : makings) {
    // Options with which our headers do not compile fail again in the pass, which says why.
    if (making.process.wait().code != 0) continue;
    Result<std::string> rules = read_file(making.depfile);
    if (!rules) continue;
    std::vector<std::string> headers = parse_dependencies(*rules);
    std::erase(headers, kNoSource);
    if (std::optional<std::string> kept = cache.keep(making.key, making.path, "", headers, started))
      preludes[making.pass] = {*kept, std::move(headers)};
  }
  if (!makings.empty()) cache.shrink(kPreludeBytes);
  return preludes;
}

}  // namespace drywarp::compile
