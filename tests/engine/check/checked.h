// Runs a kernel of PTX text under one check.
#pragma once

#include "engine/check/check.h"
#include "engine/exec/machine.h"
#include "engine/exec/memory/written_bytes.h"

namespace drywarp::check {

// The device's memory as a Machine has it.
class MachineMemory : public MemoryMap {
 public:
  explicit MachineMemory(exec::DeviceMemory& memory) : memory_(memory) {}
  [[nodiscard]] std::optional<Near> near(uint64_t address) const override {
    const auto a = memory_.nearest(address);
    if (!a) return std::nullopt;
    return Near{{a->id, a->size, "a device allocation", {}}, a->live, static_cast<int64_t>(address - a->base), {}};
  }
  [[nodiscard]] std::optional<Near> near(uint64_t address, uint64_t beside) const override {
    auto found = near(beside);
    if (found) found->offset += static_cast<int64_t>(address - beside);
    return found;
  }
  void made(uint64_t, const std::string&) override {}
  [[nodiscard]] bool written(uint64_t address, uint64_t bytes) const override {
    return written_.written(address, bytes);
  }
  [[nodiscard]] LaneMask unwritten(const uint64_t* addresses, LaneMask lanes, uint64_t bytes) const override {
    return written_.unwritten(addresses, lanes, bytes);
  }
  void write(uint64_t address, uint64_t bytes) override { written_.mark(address, bytes); }

 private:
  exec::DeviceMemory& memory_;
  exec::WrittenBytes written_{memory_.base(), memory_.capacity()};
};

struct Checked {
  exec::Ran ran;
  std::vector<Finding> findings;
};

inline const CheckInfo& check_of(CheckTool tool) {
  for (const CheckInfo& c : checks())
    if (c.tool == tool) return c;
  ADD_FAILURE() << name(tool);
  return checks()[0];
}

// `make(launch)` makes the check.
template <class Make>
Checked run_made(Make make, exec::Machine& machine, exec::Dim3 grid, exec::Dim3 block,
                 const std::vector<uint64_t>& arguments) {
  const auto kernel = machine.describe("k");
  MachineMemory memory(machine.memory());
  const CheckedLaunch launch(*kernel, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, memory);
  const std::unique_ptr<Check> check = make(launch);
  machine.observers = {check.get()};
  Checked checked{machine.launch(grid, block, arguments), {}};
  machine.observers.clear();
  checked.findings = check->findings(grid.count());
  return checked;
}

inline Checked run_checked(CheckTool tool, exec::Machine& machine, exec::Dim3 grid, exec::Dim3 block,
                           const std::vector<uint64_t>& arguments) {
  return run_made(check_of(tool).make, machine, grid, block, arguments);
}

// Of two blocks of 64 threads, on so many threads of the host; `out` and `in` are 256 words each.
inline std::vector<Finding> find(CheckTool tool, const std::string& body, const std::string& declarations = "",
                                 unsigned workers = 1) {
  exec::EngineOptions options;
  options.workers = workers;
  exec::Machine machine(exec::kernel(body, declarations), options);
  const uint64_t out = machine.words(256), in = machine.words(256);
  Checked checked = run_checked(tool, machine, {2}, {64}, {out, in});
  EXPECT_FALSE(checked.ran.fault) << (checked.ran.fault ? checked.ran.fault->message : "");
  return checked.findings;
}

// "key x times @ PTX text"
inline std::vector<std::string> summary(const std::vector<Finding>& findings) {
  std::vector<std::string> lines;
  for (const Finding& f : findings)
    lines.push_back(fmt::format("{} x{} @ {}", info(f.kind).key, f.times, f.where.instruction));
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace drywarp::check
