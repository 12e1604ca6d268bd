#include "cuda/launch/call_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cuda/launch/call_sites.h"

namespace drywarp::cuda {
namespace {

bool launches(std::string_view name) {
  constexpr std::string_view kLaunches[] = {"cudaLaunch", "cuLaunch", "__cudaLaunch", "cudaGraphLaunch",
                                            "cuGraphLaunch"};
  return std::ranges::any_of(kLaunches, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool is_answer(Error error) { return error == Error::Success || error == Error::NotReady; }

}  // namespace

void CallChecks::explain(Finding finding) {
  if (!explained_) explained_ = std::move(finding);
}

void CallChecks::ended(const char* name, Error error) {
  std::optional<Finding> finding = std::exchange(explained_, std::nullopt);
  if (faulted_ && is_sticky(error) && launches(name)) ++lost_launches_;
  // Errors of kernels have findings of their own, and stay until the program ends. The kernel fails in the call that
  // launches it, which on a GPU has returned by then.
  const bool faults = is_sticky(error) && !std::exchange(faulted_, faulted_ || is_sticky(error)) && launches(name);
  const bool fails = !is_answer(error) && !faults && (errors_ == Errors::Passed || !is_sticky(error));
  if (!finding) {
    if (!fails || errors_ == Errors::Explained) return;
    finding.emplace();
    finding->kind = FindingKind::ApiError;
  }
  const std::vector<void*> stack = host_stack();
  finding->where = {callers_of_library(stack), 0, 0, name};
  finding->launched = calls_to_library(stack);
  if (fails)
    finding->what += fmt::format("{}{} returns {} ({})", finding->what.empty() ? "" : "; ", name,
                                 error_name(static_cast<int>(error)), error_text(static_cast<int>(error)));
  found_({*finding});
}

void CallChecks::gave(const char* name, Error error) {
  if (errors_ == Errors::Passed) ended(name, error);
}

}  // namespace drywarp::cuda
