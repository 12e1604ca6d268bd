// What a fault that stopped a launch is to reports of checks.
#pragma once

#include <optional>

#include "base/events/finding.h"
#include "engine/exec/engine.h"

namespace drywarp::cuda {

// Nothing: the fault is no fault of the program.
[[nodiscard]] std::optional<FindingKind> finding_kind(exec::FaultKind kind);
[[nodiscard]] Finding finding_of(const exec::Fault& fault, FindingKind kind);

}  // namespace drywarp::cuda
