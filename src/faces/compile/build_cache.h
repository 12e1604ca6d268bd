// A cache of compiled units and programs.
//
// An entry's key is a digest of everything that is known before the compiler runs: options, compiler, folder, names of
// the sources. The headers are known only afterwards, so an entry lists the digest of every file that the compiler
// read, and is valid while all of them match. A new header earlier on the include path goes unnoticed, as in other
// compiler caches.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace drywarp::compile {

struct CacheEntry {
  std::string output;       // path of the cached file
  std::string diagnostics;  // the compiler's
  std::vector<std::string> dependencies;
};

class BuildCache {
 public:
  using Clock = std::filesystem::file_time_type::clock;

  explicit BuildCache(std::string folder);  // empty: no cache
  // DRYWARP_CACHE_DIR, else XDG_CACHE_HOME/drywarp, else ~/.cache/drywarp; empty if none is set.
  static std::string default_folder();

  [[nodiscard]] bool enabled() const { return !folder_.empty(); }
  // The cache of our precompiled headers, in a folder of its own with a limit of its own: they serve many programs.
  [[nodiscard]] BuildCache preludes() const { return BuildCache(folder_.empty() ? "" : folder_ + "/preludes"); }

  [[nodiscard]] std::optional<CacheEntry> find(const std::string& key) const;
  // Stores a copy of `output` and returns its path. Stores nothing and returns nullopt if a dependency changed after
  // `started`, since the compiler may have read the old contents, or if writing fails: a full disk must not fail a
  // build.
  std::optional<std::string> keep(const std::string& key, const std::string& output, const std::string& diagnostics,
                                  const std::vector<std::string>& dependencies, Clock::time_point started) const;

  // The folder in which running programs cache their kernels' code and times; empty without a cache.
  [[nodiscard]] std::string kernels() const { return folder_.empty() ? "" : folder_ + "/kernels"; }

  // The folder of sources that programs compile while they run, where reports find their lines; empty without a cache.
  [[nodiscard]] std::string sources() const { return folder_.empty() ? "" : folder_ + "/sources"; }

  static constexpr uint64_t kBytes = 2ull << 30;  // what programs and units may take
  // Removes the least recently used entries and the oldest of kernels() and sources() until at most `bytes` remain.
  void shrink(uint64_t bytes) const;

 private:
  [[nodiscard]] std::filesystem::path entry(const std::string& key) const;
  std::string folder_;
};

}  // namespace drywarp::compile
