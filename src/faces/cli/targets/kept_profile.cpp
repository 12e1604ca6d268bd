#include "faces/cli/targets/kept_profile.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "base/device/device_spec.h"
#include "faces/compile/nvcc_options/process.h"
#include "profile/report/model/parts.h"
#include "profile/store/profile_writer.h"
#include "profile/tables/tables.h"

namespace drywarp::cli {
namespace {

std::optional<std::pair<uint64_t, int64_t>> identity(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return std::pair(uint64_t{info.st_ino}, int64_t{info.st_ctim.tv_sec} * 1'000'000'000 + info.st_ctim.tv_nsec);
}

void add_device(record::KeptFacts& kept, const std::string& which) {
  const auto device = device::load_device(which);
  if (!device) return;
  kept.device_id = device->id;
  kept.architecture = device->architecture;
  kept.compute_capability = fmt::format("{}.{}", device->compute_capability.major, device->compute_capability.minor);
  for (const auto& [path, origin] : device->origins)
    kept.device_numbers.push_back({path, device->texts.at(path), device::name(origin.kind), origin.source});
}

void add_sources(record::Profile& profile) {
  for (const auto& kernel : profile.kernels)
    for (const InstructionInfo& i : kernel->instructions) {
      if (i.line == 0 || i.file >= kernel->files.size()) continue;
      const std::string& file = kernel->files[i.file];
      if (!profile.kept.sources.contains(file)) profile.kept.sources[file] = report::read_source(file);
    }
}

}  // namespace

bool is_profile_file(const std::string& path) {
  constexpr std::string_view kSqlite = "SQLite format 3";
  std::ifstream in(path, std::ios::binary);
  std::array<char, kSqlite.size()> head{};
  return in.read(head.data(), head.size()) && std::string_view(head.data(), head.size()) == kSqlite;
}

Result<KeptProfile> KeptProfile::at(const std::string& path, int output) {
  std::error_code unknown;
  const std::string whole = std::filesystem::absolute(path, unknown).string();
  if (std::filesystem::is_directory(path, unknown))
    return error(fmt::format("cannot write '{}': it is a folder", path));
  const std::string folder = std::filesystem::path(whole).parent_path().string();
  const bool there = std::filesystem::exists(path, unknown);
  if (access(folder.c_str(), W_OK | X_OK) != 0 || (there && access(path.c_str(), W_OK) != 0))
    return error(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
  if (Status s = store::check_replaceable(whole); !s) return s.problem();
  auto captured = CapturedOutput::to(output);
  if (!captured) return captured.problem();
  KeptProfile kept(whole, std::move(*captured));
  kept.before_ = identity(kept.path_);
  return kept;
}

bool KeptProfile::written() const {
  const auto now = identity(path_);
  return now && now != before_;
}

void KeptProfile::add_facts(record::Profile& profile, const char* command, const Words& words,
                            const std::string& device) const {
  record::KeptFacts& kept = profile.kept;
  kept.command = fmt::format("drywarp {} {}", command, compile::quoted(words));
  std::error_code unknown;
  kept.folder = std::filesystem::current_path(unknown).string();
  kept.created = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  kept.output = output_.text(), kept.output_cut = output_.cut();
  add_device(kept, device);
  add_sources(profile);
}

Status KeptProfile::complete(record::Profile& profile, const char* command, const Words& words,
                             const std::string& device) const {
  add_facts(profile, command, words, device);
  return tables::keep_profile(path_, profile);
}

void KeptProfile::remove() const {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-log"}) std::filesystem::remove(path_ + suffix, ignored);
}

}  // namespace drywarp::cli
