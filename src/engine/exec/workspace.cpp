#include "engine/exec/workspace.h"

#include <algorithm>
#include <utility>

namespace drywarp::exec {
namespace {

constexpr uint64_t kBytes = 4096;

}  // namespace

Workspaces::Lease::Lease(Workspaces& workspaces, bool wanted) : workspaces_(workspaces) {
  if (!wanted) return;
  {
    const std::lock_guard hold(workspaces_.mutex_);
    address_ = std::exchange(workspaces_.idle_, 0);
  }
  if (address_ == 0) address_ = workspaces_.memory_.allocate(kBytes, MemoryKind::ModuleGlobal).value_or(0);
  if (address_ != 0) std::fill_n(reinterpret_cast<uint8_t*>(address_), kBytes, uint8_t{0});
}

Workspaces::Lease::~Lease() {
  if (address_ == 0) return;
  const std::lock_guard hold(workspaces_.mutex_);
  if (workspaces_.idle_ != 0) workspaces_.memory_.free(std::exchange(workspaces_.idle_, 0));
  workspaces_.idle_ = address_;
}

}  // namespace drywarp::exec
