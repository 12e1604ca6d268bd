// A profile that stays as a file: `drywarp profile -o run.dwprof`.
#pragma once

#include <optional>
#include <string>

#include "base/support/result.h"
#include "faces/cli/options/arguments.h"
#include "faces/cli/options/command.h"
#include "faces/cli/targets/captured_output.h"
#include "profile/record/profile.h"

namespace drywarp::cli {

// Whether the file is an SQLite file, as profiles are.
[[nodiscard]] bool is_profile_file(const std::string& path);

// The file of a run's profile, with the program's output. The program writes it while it runs, so that it is there
// whatever ends the run.
class KeptProfile {
 public:
  // Fails if the file could not be written, before anything is compiled or run. `output`: the stream to which the
  // program's output goes on, as for CapturedOutput.
  static Result<KeptProfile> at(const std::string& path, int output);

  [[nodiscard]] const std::string& path() const { return path_; }  // absolute: the program may change its folder
  [[nodiscard]] bool written() const;                              // by this run
  [[nodiscard]] CapturedOutput& output() { return output_; }
  // Adds what is known only now. `command`: drywarp's, with these words.
  void add_facts(record::Profile& profile, const char* command, const Words& words, const std::string& device) const;
  // The same, in the file too.
  Status complete(record::Profile& profile, const char* command, const Words& words, const std::string& device) const;
  void remove() const;

 private:
  KeptProfile(std::string path, CapturedOutput output) : path_(std::move(path)), output_(std::move(output)) {}
  std::string path_;
  CapturedOutput output_;
  std::optional<std::pair<uint64_t, int64_t>> before_;  // the older file's inode and time of change
};

}  // namespace drywarp::cli
