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

// The options that the user chose word by word.
Arguments users_options(const Compilation& c) {
  Arguments all = c.preprocessor;
  all.insert(all.end(), c.host_options.begin(), c.host_options.end());
  all.insert(all.end(), c.device_options.begin(), c.device_options.end());
  return all;
}

// A file that an option includes belongs to the source, not to our headers.
bool includes_file(const std::string& option) {
  return option.starts_with("-include") || option.starts_with("-imacros");
}

// `folder`: the current one, if the pass may name folders relative to it.
std::string prelude_key(const Toolchain& tools, const Arguments& pass, const std::string& folder) {
  Digester digester;
  digester.add("prelude").add(drywarp_version()).add(tools.clang.identity);
  for (const std::string& argument : pass) digester.add(argument);
  return digester.add(folder).hex();
}

// A prelude that clang is making.
struct Making {
  size_t pass;
  Process process;
  std::string key, path, depfile;
};

}  // namespace

std::vector<Prelude> precompiled_preludes(const Compilation& c, const Toolchain& tools, const BuildCache& cache,
                                          std::span<const Arguments> passes, const std::string& work) {
  std::vector<Prelude> preludes(passes.size());
  const Arguments options = users_options(c);
  if (!cache.enabled() || std::ranges::any_of(options, includes_file)) return preludes;
  std::error_code ignored;
  const std::string folder = options.empty() ? "" : std::filesystem::current_path(ignored).string();
  const auto started = BuildCache::Clock::now();
  std::vector<Making> makings;
  for (size_t i = 0; i < passes.size(); ++i) {
    std::string key = prelude_key(tools, passes[i], folder);
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
    // If our headers do not compile with these options, the pass fails too, and says why.
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
