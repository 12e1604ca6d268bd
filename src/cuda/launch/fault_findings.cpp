#include "cuda/launch/fault_findings.h"

#include <fmt/format.h>

#include <string>

namespace drywarp::cuda {
namespace {

// Addresses differ from run to run; the allocation, and where in it, does not.
std::string without_address(const exec::Fault& fault) {
  std::string message = fault.message;
  const std::string address = fmt::format(" at address {:#x};", fault.address);
  if (const size_t at = message.find(address); fault.has_address && at != std::string::npos)
    message.replace(at, address.size(), ":");
  return message;
}

}  // namespace

std::optional<FindingKind> finding_kind(exec::FaultKind kind) {
  using exec::FaultKind;
  switch (kind) {
    case FaultKind::IllegalAddress:
    case FaultKind::SharedOutOfRange:
    case FaultKind::NoSharedAddress:
    case FaultKind::ClusterSharedMemory:
      return FindingKind::OutOfBounds;
    case FaultKind::MisalignedAddress:
      return FindingKind::Misaligned;
    case FaultKind::NotCooperative:
      return FindingKind::GridNotCooperative;
    case FaultKind::BarrierDeadlock:
      return FindingKind::BarrierDeadlock;
    case FaultKind::AssertFailed:
    case FaultKind::BarrierObject:
    case FaultKind::Trap:
    case FaultKind::StackOverflow:
    case FaultKind::IllegalInstruction:
      return FindingKind::Fault;
    default:
      return std::nullopt;
  }
}

Finding finding_of(const exec::Fault& fault, FindingKind kind) {
  Finding f;
  f.kind = kind;
  f.kernel = fault.kernel;
  f.where = {fault.location.file, fault.location.line, 0, fault.instruction};
  f.what = without_address(fault);
  if (fault.has_thread)
    f.thread =
        ThreadPlace{{fault.block.x, fault.block.y, fault.block.z}, {fault.thread.x, fault.thread.y, fault.thread.z}};
  return f;
}

}  // namespace drywarp::cuda
