#include "cuda/launch/call_checks.h"

#include <fmt/format.h>

#include <utility>

#include "cuda/launch/call_sites.h"

namespace drywarp::cuda {
namespace {

// An answer, not a failure; and errors of kernels, which have findings of their own and stay until the program ends.
bool is_answer(Error error) { return error == Error::Success || error == Error::NotReady || is_sticky(error); }

}  // namespace

void CallChecks::explain(Finding finding) {
  if (!explained_) explained_ = std::move(finding);
}

void CallChecks::ended(const char* name, Error error) {
  std::optional<Finding> finding = std::exchange(explained_, std::nullopt);
  const bool fails = !is_answer(error);
  if (!finding) {
    if (!fails || !errors_) return;
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

}  // namespace drywarp::cuda
