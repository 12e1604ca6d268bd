// Writes one run's profile to one SQLite file while the program runs, so that a program that dies leaves what it did.
//
// Cheap enough for programs that launch thousands of times: a launch costs a few microseconds plus its share of a
// commit. A record is on disk at the latest kCommitSeconds after the next one is added, at every flush(), and at once
// if nothing was committed for that long; a process killed with SIGKILL loses at most what came after the last commit.
// Launches of a kernel with equal counts share one copy of them.
//
// Any thread may call any member. What goes wrong (disk full) is remembered: everything after it is dropped, and
// status(), flush() and finish() say what it was; the profiled program is never disturbed. In a forked child every call
// does nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "report/profile.h"
#include "support/result.h"

namespace drywarp::store {

inline constexpr double kCommitSeconds = 0.2;
inline constexpr unsigned kCommitRecords = 4096;

struct ProgramInfo {
  std::string program;  // the command, as typed
  std::string device;   // "NVIDIA H200"
  std::string drywarp_version;
};

class ProfileWriter {
 public:
  // Creates `path`, replacing an older profile of that name. Fails if the file cannot be made, is something other than
  // a drywarp profile, or is being written by another process.
  static Result<ProfileWriter> open(const std::string& path, const ProgramInfo& info);
  ProfileWriter(ProfileWriter&&) noexcept;
  ProfileWriter& operator=(ProfileWriter&&) noexcept;
  ~ProfileWriter();  // commits; without finish() the profile stays marked as interrupted

  // The number to put in LaunchRecord::kernel. The same object (pointer) gives the same number.
  uint32_t add_kernel(const std::shared_ptr<const KernelInfo>& kernel);
  void add_launch(const report::LaunchRecord& launch);
  void add_transfer(const report::TransferRecord& transfer);
  void add_api(const report::ApiRecord& call);

  Status flush();                // commits what was added
  Status finish(int exit_code);  // commits and marks the profile as complete; the writer stays usable (atexit handlers)
  [[nodiscard]] Status status() const;

 private:
  struct Impl;
  explicit ProfileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace drywarp::store
