// What was built before, kept by what it was built from.
//
// An entry's key is a digest of everything that is known before the compiler runs (options, compiler, folder, names of
// the sources). Which headers that reads is known only afterwards, so an entry lists the digest of every file it was
// made of, and counts only while all of them still have it. A header that newly appears earlier on the include path is
// not noticed, as with other compiler caches.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace drywarp::compile {

struct CacheEntry {
  std::string output;       // path of the kept file
  std::string diagnostics;  // what the compiler said
  std::vector<std::string> dependencies;
};

class BuildCache {
 public:
  using Clock = std::filesystem::file_time_type::clock;

  explicit BuildCache(std::string folder);  // empty: keeps nothing, finds nothing
  // DRYWARP_CACHE_DIR, else XDG_CACHE_HOME/drywarp, else ~/.cache/drywarp; empty with none of them.
  static std::string default_folder();

  [[nodiscard]] std::optional<CacheEntry> find(const std::string& key) const;
  // Takes a copy of `output`. Nothing is kept when a dependency changed after `started`: it may have been read before.
  // Returns where the output now is; nullopt when it was not kept (a full disk is no reason to fail a build).
  std::optional<std::string> keep(const std::string& key, const std::string& output, const std::string& diagnostics,
                                  const std::vector<std::string>& dependencies, Clock::time_point started) const;

  // Where the programs that run keep their kernels' code and times; empty with no folder. Files of any name.
  [[nodiscard]] std::string kernels() const { return folder_.empty() ? "" : folder_ + "/kernels"; }

  // Removes the entries used longest ago, and the files of kernels() made longest ago, until at most `bytes` remain.
  void shrink(uint64_t bytes) const;

 private:
  [[nodiscard]] std::filesystem::path entry(const std::string& key) const;
  std::string folder_;
};

}  // namespace drywarp::compile
