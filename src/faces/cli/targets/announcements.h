// Hears of a program's launches while it runs: the other end of cuda/launch/announcer.h.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/support/result.h"
#include "cuda/launch/announcer.h"

namespace drywarp::cli {

class Announcements {
 public:
  using Heard = std::function<void(const cuda::Announcement&)>;
  // Listens at `path`. `heard` is called in another thread, without SIGPIPE; the program waits until it returns.
  static Result<Announcements> at(const std::string& path, Heard heard);
  Announcements(Announcements&&) noexcept;
  Announcements& operator=(Announcements&&) = delete;
  ~Announcements();  // afterwards nothing is heard

 private:
  struct Impl;
  explicit Announcements(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace drywarp::cli
