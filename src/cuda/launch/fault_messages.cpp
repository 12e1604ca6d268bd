#include "cuda/launch/fault_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace drywarp::cuda {
namespace {

using exec::FaultKind;

struct FaultError {
  FaultKind kind;
  Error error;
  const char* title;
};

constexpr FaultError kFaults[] = {
    {FaultKind::IllegalAddress, Error::IllegalAddress, "illegal memory access"},
    {FaultKind::MisalignedAddress, Error::MisalignedAddress, "misaligned memory access"},
    {FaultKind::SharedOutOfRange, Error::IllegalAddress, "shared or local memory access out of range"},
    {FaultKind::ClusterSharedMemory, Error::LaunchFailure, "access to no shared memory of the cluster"},
    {FaultKind::BarrierObject, Error::LaunchFailure, "arrivals that a barrier object does not wait for"},
    {FaultKind::NoSharedAddress, Error::IllegalInstruction, "shared memory access far out of range"},
    {FaultKind::IllegalInstruction, Error::IllegalInstruction, "instruction that cannot run"},
    {FaultKind::AssertFailed, Error::Assert, "assertion failed"},
    {FaultKind::Trap, Error::LaunchFailure, "trap"},
    {FaultKind::NotCooperative, Error::LaunchFailure, "barrier of the grid in a launch that is not cooperative"},
    {FaultKind::BarrierDeadlock, Error::LaunchFailure, "barrier that some threads never reach"},
    {FaultKind::StackOverflow, Error::LaunchFailure, "stack overflow"},
    {FaultKind::Timeout, Error::LaunchTimeout, "time limit reached"},
    {FaultKind::Interrupted, Error::LaunchFailure, "interrupted"},
    {FaultKind::Abandoned, Error::Success, "stopped"},
    {FaultKind::OutOfHostMemory, Error::MemoryAllocation, "out of memory on this machine"},
    {FaultKind::CompileFailed, Error::LaunchFailure, "kernel that could not be compiled (a bug in drywarp)"},
};

const FaultError& entry(FaultKind kind) {
  const auto* found = std::ranges::find(kFaults, kind, &FaultError::kind);
  return found == std::end(kFaults) ? kFaults[std::size(kFaults) - 1] : *found;
}

std::string triple(const exec::Dim3& d) { return fmt::format("({},{},{})", d.x, d.y, d.z); }

}  // namespace

Error error_of(FaultKind kind) { return entry(kind).error; }

std::string describe(const exec::Fault& fault) {
  const FaultError& what = entry(fault.kind);
  std::string text = fmt::format("drywarp: {} in {}", what.title, fault.kernel.empty() ? "a kernel" : fault.kernel);
  const std::string place = fault.location.to_string();
  if (!place.empty() && !fault.instruction.empty())
    text += fmt::format("\n  at {}: {}", place, fault.instruction);
  else if (!place.empty())
    text += "\n  at " + place;
  else if (!fault.instruction.empty())
    text += "\n  at " + fault.instruction;
  if (fault.has_thread) text += fmt::format("\n  by thread {} of block {}", triple(fault.thread), triple(fault.block));
  if (fault.has_address) text += fmt::format("{} address 0x{:x}", fault.has_thread ? ", at" : "\n  at", fault.address);
  if (!fault.message.empty()) {
    // The engine's message may have several lines; indent them all.
    std::string indented;
    for (const char c : fault.message) indented += c == '\n' ? std::string("\n  ") : std::string(1, c);
    text += "\n  " + indented;
  }
  if (fault.kind == FaultKind::Interrupted || fault.kind == FaultKind::Abandoned) return text;  // no error
  return text + fmt::format("\n  the program sees {} ({})", error_name(int(what.error)), int(what.error));
}

}  // namespace drywarp::cuda
