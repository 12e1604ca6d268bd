#include "faces/compile/nvcc_options/installation.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace drywarp::compile {
namespace fs = std::filesystem;
namespace {

struct Layout {
  const char* include;
  const char* library;
  const char* toolkit;
};

// Relative to the parent of the program's folder. No path is compiled in: both trees can be moved.
constexpr Layout kLayouts[] = {
    {"share/drywarp/include", "lib/drywarp", "lib/drywarp/toolkit"},  // installed
    {"toolkit/include", "lib", "toolkit"},                            // a build folder
};

bool holds(const fs::path& folder, const char* file) {
  std::error_code ignored;
  return fs::exists(folder / file, ignored);
}

std::string clean(const fs::path& path) {
  std::error_code code;
  fs::path real = fs::canonical(path, code);
  return code ? path.string() : real.string();
}

Installation installed_in(const fs::path& include, const fs::path& library, const fs::path& toolkit) {
  return {holds(include, "cuda_runtime.h") ? clean(include) : std::string(), clean(library),
          holds(toolkit, "bin/nvcc") ? clean(toolkit) : std::string()};
}

std::string identity_of(const std::string& path) {
  std::string real = clean(path);
  struct stat facts{};
  if (stat(real.c_str(), &facts) != 0) return real;
  return fmt::format("{} {} {}.{}", real, facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
}

// The C++ driver for a C driver: clang-19 -> clang++-19, in the same folder or in that of the symbolic link's target.
std::string cxx_beside(const std::string& c_driver) {
  std::string name = fs::path(c_driver).filename().string();
  size_t at = name.rfind("clang");
  if (at == std::string::npos) return {};
  if (name.compare(at, 7, "clang++") == 0) return c_driver;
  name.insert(at + 5, "++");
  fs::path beside = fs::path(c_driver).parent_path() / name;
  if (access(beside.c_str(), X_OK) == 0) return beside.string();
  fs::path real = fs::path(clean(c_driver)).parent_path() / "clang++";
  return access(real.c_str(), X_OK) == 0 ? real.string() : std::string();
}

}  // namespace

Result<Installation> find_installation(bool with_headers) {
  std::error_code code;
  fs::path self = fs::read_symlink("/proc/self/exe", code);
  if (!code) {
    fs::path prefix = self.parent_path().parent_path();
    for (const Layout& layout : kLayouts) {
      fs::path include = prefix / layout.include, library = prefix / layout.library;
      if ((!with_headers || holds(include, "cuda_runtime.h")) && holds(library, kRuntimeName))
        return installed_in(include, library, prefix / layout.toolkit);
    }
  }
  return error(fmt::format("cannot find {}{} beside {}", with_headers ? "drywarp's headers and " : "", kRuntimeName,
                           self.string()),
               "build the whole project (./dev build) or install it (cmake --install build)");
}

Result<Installation> installation_of_library(const std::string& library) {
  const fs::path folder = clean(fs::path(library).parent_path());
  for (const Layout& layout : kLayouts) {
    fs::path prefix = folder;
    for ([[maybe_unused]] const fs::path& part : fs::path(layout.library)) prefix = prefix.parent_path();
    const fs::path include = prefix / layout.include;
    if (fs::path(prefix / layout.library) == folder && holds(include, "cuda_runtime.h") && holds(folder, kRuntimeName))
      return installed_in(include, folder, prefix / layout.toolkit);
  }
  return error(fmt::format("cannot find drywarp's headers beside {}", folder.string()),
               "build the whole project (./dev build) or install it (cmake --install build)");
}

std::string find_on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    std::error_code ignored;
    if (access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate, ignored)) return candidate.string();
  }
  return {};
}

Result<Clang> find_clang() {
  std::string driver;
  if (const char* chosen = std::getenv("DRYWARP_CLANG"); chosen && *chosen) {
    driver = std::string(chosen).find('/') == std::string::npos ? find_on_path(chosen) : chosen;
    if (driver.empty() || access(driver.c_str(), X_OK) != 0) {
      return error(fmt::format("DRYWARP_CLANG is '{}', which is not a program", chosen), "set it to clang 19");
    }
  } else {
    for (const char* name : {"clang-19", "clang"}) {
      driver = find_on_path(name);
      if (!driver.empty()) break;
    }
  }
  if (driver.empty()) {
    return error("clang 19 was not found on PATH", "apt-get install clang-19 lld-19, or set DRYWARP_CLANG to its path");
  }
  std::string cxx = cxx_beside(driver);
  if (cxx.empty()) {
    return error(fmt::format("there is no clang++ beside '{}'", driver),
                 "apt-get install clang-19, or set DRYWARP_CLANG to its path");
  }
  return Clang{driver, cxx, identity_of(driver)};
}

std::string drywarp_version() { return DRYWARP_VERSION; }

}  // namespace drywarp::compile
