// Writes one run's profile to one SQLite file while the program runs, so that a program that dies leaves its profile.
//
// Cheap enough for programs with thousands of launches: a record costs one or two microseconds, and the records of
// row_log.h are inserted into the database in batches. An added record outlives the process, whatever ends it: a
// signal, abort(), _exit(), SIGKILL. Launches of a kernel with equal counts share one copy of them.
//
// Any thread may call any member. After an error (disk full) everything is dropped, and status() and finish() return
// the error; the profiled program is never disturbed. In a forked child every call does nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/support/result.h"
#include "profile/record/profile.h"

namespace drywarp::store {

inline constexpr size_t kLogBytes = 1u << 20;  // of records in the log, before they are inserted into the database

struct ProgramInfo {
  std::string program;  // the command, as typed
  std::string device;   // "NVIDIA H200"
  std::string drywarp_version;
  std::string moves;  // Profile::moves
};

// Fails if `path` exists and is not a profile, or if a process is writing it.
Status check_replaceable(const std::string& path);

class ProfileWriter {
 public:
  // Creates `path`, replacing an older profile of that name. Fails if the file cannot be created, is not a drywarp
  // profile, or is being written by another process.
  static Result<ProfileWriter> open(const std::string& path, const ProgramInfo& info);
  ProfileWriter(ProfileWriter&&) noexcept;
  ProfileWriter& operator=(ProfileWriter&&) noexcept;
  ~ProfileWriter();  // without finish() the profile stays marked as interrupted

  // The number for LaunchRecord::kernel. The same object (pointer) gives the same number.
  uint32_t add_kernel(const std::shared_ptr<const KernelInfo>& kernel);
  // A launch begins: if the process dies before add_launch(), the profile names it. One at a time.
  void begin_launch(const KernelInfo& kernel, const record::LaunchRecord& launch);
  // `drawn`: what drawings of it show, which replaces the kernel's older drawing; null: none. Its `launch` is not read.
  // Its place in Profile::launches.
  uint32_t add_launch(const record::LaunchRecord& launch, const record::DrawnLaunch* drawn = nullptr);
  uint32_t add_transfer(const record::TransferRecord& transfer);  // its place in Profile::transfers
  void add_operation_numbers(const timeline::Numbers& numbers);   // before the first operation
  void add_operation(const timeline::Operation& operation);
  void add_api(const record::ApiRecord& call);
  void add_sample(uint64_t launch, const AccessSample& sample);  // `launch`: counted from 0

  // Inserts everything into the database and marks the profile as complete; the writer stays usable (atexit handlers).
  Status finish(int exit_code);
  [[nodiscard]] Status status() const;

 private:
  struct Impl;
  explicit ProfileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace drywarp::store
