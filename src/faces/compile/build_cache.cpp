#include "faces/compile/build_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/support/digest.h"
#include "faces/compile/nvcc_options/process.h"

namespace drywarp::compile {
namespace fs = std::filesystem;
namespace {

constexpr const char* kManifest = "manifest";
constexpr const char* kOutput = "output";
constexpr const char* kDiagnostics = "diagnostics";
constexpr const char* kFormat = "drywarp build 1";

}  // namespace

BuildCache::BuildCache(std::string folder) : folder_(std::move(folder)) {}

std::string BuildCache::default_folder() {
  auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (std::string chosen = variable("DRYWARP_CACHE_DIR"); !chosen.empty()) return chosen;
  if (std::string base = variable("XDG_CACHE_HOME"); base.starts_with('/')) return base + "/drywarp";
  if (std::string home = variable("HOME"); !home.empty()) return home + "/.cache/drywarp";
  return {};
}

fs::path BuildCache::entry(const std::string& key) const {
  return fs::path(folder_) / "build" / key.substr(0, 2) / key;
}

std::optional<CacheEntry> BuildCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  fs::path place = entry(key);
  std::ifstream manifest(place / kManifest);
  std::string line;
  if (!manifest || !std::getline(manifest, line) || line != kFormat) return std::nullopt;
  CacheEntry found;
  while (std::getline(manifest, line)) {
    size_t space = line.find(' ');
    if (space == std::string::npos) return std::nullopt;
    std::string path = line.substr(space + 1);
    std::optional<std::string> digest = digest_file(path);
    if (!digest || *digest != line.substr(0, space)) return std::nullopt;
    found.dependencies.push_back(std::move(path));
  }
  std::error_code code;
  found.output = (place / kOutput).string();
  if (!fs::exists(found.output, code)) return std::nullopt;
  if (Result<std::string> said = read_file((place / kDiagnostics).string())) found.diagnostics = *said;
  fs::last_write_time(place, Clock::now(), code);  // for shrink()
  return found;
}

std::optional<std::string> BuildCache::keep(const std::string& key, const std::string& output,
                                            const std::string& diagnostics,
                                            const std::vector<std::string>& dependencies,
                                            Clock::time_point started) const {
  static std::atomic<unsigned> serial = 0;
  if (folder_.empty()) return std::nullopt;
  std::string manifest = std::string(kFormat) + '\n';
  for (const std::string& path : dependencies) {
    std::error_code code;
    std::string whole = fs::absolute(path, code).string();
    std::optional<std::string> digest = digest_file(whole);
    if (code || !digest || fs::last_write_time(whole, code) >= started || code) return std::nullopt;
    manifest += *digest + ' ' + whole + '\n';
  }
  std::error_code code;
  fs::path place = entry(key);
  fs::path work = fs::path(folder_) / "build" / fmt::format("new-{}-{}", getpid(), serial++);
  fs::create_directories(work, code);
  if (!code) fs::create_directories(place.parent_path(), code);
  if (!code) fs::copy_file(output, work / kOutput, code);
  bool written = !code && write_file((work / kManifest).string(), manifest).ok() &&
                 write_file((work / kDiagnostics).string(), diagnostics).ok();
  if (written) {
    // Renaming a folder over a non-empty one fails: move an outdated entry away first.
    fs::path old = work.string() + "-old";
    fs::rename(place, old, code);
    fs::rename(work, place, code);
    written = !code;
    std::error_code ignored;
    fs::remove_all(old, ignored);
  }
  if (!written) {
    fs::remove_all(work, code);
    return std::nullopt;
  }
  return (place / kOutput).string();
}

void BuildCache::shrink(uint64_t bytes) const {
  struct Kept {
    fs::path place;
    fs::file_time_type used;
    uint64_t size;
  };
  std::vector<Kept> entries;
  uint64_t total = 0;
  std::error_code code;
  for (fs::directory_iterator group(fs::path(folder_) / "build", code), end; !code && group != end;
       group.increment(code)) {
    std::error_code inner;
    for (fs::directory_iterator item(group->path(), inner); !inner && item != end; item.increment(inner)) {
      std::error_code ignored;
      uint64_t size = fs::file_size(item->path() / kOutput, ignored);
      if (ignored) continue;
      entries.push_back({item->path(), fs::last_write_time(item->path(), ignored), size});
      total += size;
    }
  }
  for (fs::directory_iterator file(kernels(), code), end; !code && file != end; file.increment(code)) {
    std::error_code ignored;
    uint64_t size = file->file_size(ignored);
    if (ignored) continue;
    entries.push_back({file->path(), file->last_write_time(ignored), size});
    total += size;
  }
  for (fs::directory_iterator unit(sources(), code), end; !code && unit != end; unit.increment(code)) {
    std::error_code inner;
    uint64_t size = 0;
    for (fs::recursive_directory_iterator file(unit->path(), inner), last; !inner && file != last;
         file.increment(inner)) {
      std::error_code ignored;
      if (uint64_t bytes_of = file->file_size(ignored); !ignored) size += bytes_of;
    }
    entries.push_back({unit->path(), unit->last_write_time(inner), size});
    total += size;
  }
  std::ranges::sort(entries, {}, &Kept::used);
  for (const Kept& kept : entries) {
    if (total <= bytes) break;
    fs::remove_all(kept.place, code);
    total -= kept.size;
  }
}

}  // namespace drywarp::compile
