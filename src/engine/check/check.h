// Checks of a launch: observers of all its blocks that find what CUDA leaves undefined. Findings are the same on any
// number of threads: each block keeps its own, and the lowest block speaks for a line.
#pragma once

#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/events/finding.h"
#include "engine/observe/observer.h"

namespace drywarp::check {

// Where a value came from that nothing has written, and that a kernel has stored: "app.cu:12 in copy(int*)", the load
// of unwritten memory, or the shuffle that read a lane which takes no part.
struct UnknownSource {
  FindingKind kind = FindingKind::Uninitialized;
  std::string where;
  bool operator==(const UnknownSource&) const = default;
};

// The memory of the device, to checks that look at addresses. Thread-safe.
class MemoryMap {
 public:
  virtual ~MemoryMap() = default;
  // The allocation, live or freed, that holds an address or is nearest to it; empty: none is near.
  struct Near {
    FoundAllocation allocation;
    bool live = true;
    int64_t offset = 0;      // of the address from its start
    std::string may = {};    // what kernels may do there: "only be read"; empty: everything
    std::string freed = {};  // the call that freed it; empty: none, or not known
  };
  [[nodiscard]] virtual std::optional<Near> near(uint64_t address) const = 0;
  // The same, of the allocation that holds or is nearest to `beside`.
  [[nodiscard]] virtual std::optional<Near> near(uint64_t address, uint64_t beside) const = 0;
  // A kernel's malloc() made the allocation at `address`, in the line `where`.
  virtual void made(uint64_t address, const std::string& where) = 0;
  // Whether bytes have been written since they were allocated; true for memory whose writes are not known.
  [[nodiscard]] virtual bool written(uint64_t address, uint64_t bytes) const = 0;
  // Of lanes that each access `bytes`: those for which it is not.
  [[nodiscard]] virtual LaneMask unwritten(const uint64_t* addresses, LaneMask lanes, uint64_t bytes) const {
    LaneMask none = 0;
    for (LaneMask left = lanes; left != 0; left &= left - 1)
      if (!written(addresses[std::countr_zero(left)], bytes)) none |= left & -left;
    return none;
  }
  virtual void write(uint64_t address, uint64_t bytes) = 0;
  // A kernel has stored bytes whose value nothing has written: a bit for each, from `address` on. They are not written
  // then, and known by where they came from.
  virtual void store_unknown(uint64_t /*address*/, uint32_t /*bytes*/, const UnknownSource& /*source*/) {}
  // Of a byte that is not written: null: it was never stored to.
  [[nodiscard]] virtual const UnknownSource* unknown_source(uint64_t /*address*/) const { return nullptr; }
};

// The sides of a grid or a block.
using Extent = std::array<uint32_t, 3>;
// A thread by its number in its block, and a block by its number in the grid.
[[nodiscard]] ThreadPlace thread_place(const Extent& grid, const Extent& size, uint64_t block, uint32_t thread);

// A launch that is checked. Refers to the kernel's info and to the memory.
class CheckedLaunch {
 public:
  // `headers`: a folder of code that is not the program's; empty: none.
  CheckedLaunch(const KernelInfo& kernel, const Extent& grid, const Extent& block, MemoryMap& memory,
                const std::string& headers = {});
  [[nodiscard]] const KernelInfo& kernel() const { return kernel_; }
  [[nodiscard]] MemoryMap& memory() const { return memory_; }
  [[nodiscard]] const Extent& grid() const { return grid_; }
  [[nodiscard]] const Extent& block() const { return block_; }
  [[nodiscard]] uint32_t threads() const { return block_[0] * block_[1] * block_[2]; }  // of a block
  [[nodiscard]] uint32_t warps() const;                                                 // likewise
  [[nodiscard]] ThreadPlace thread(uint64_t block, uint32_t warp, uint32_t lane) const;
  // The instruction of an access, and of a barrier or warp sync by its block: the first one there. Null: none.
  [[nodiscard]] const InstructionInfo* at_access(uint32_t access) const;
  [[nodiscard]] const InstructionInfo* at_block(uint32_t code_block) const;
  // Its line in the program: of code that headers inline, the line that called it.
  [[nodiscard]] CodeLine line(const InstructionInfo& instruction) const;
  // The memory instruction of a line of PTX; without one, the first instruction there.
  [[nodiscard]] const InstructionInfo* at_line(uint32_t ptx_line, uint32_t line) const;

 private:
  const KernelInfo& kernel_;
  const Extent grid_, block_;
  MemoryMap& memory_;
  std::vector<const InstructionInfo*> by_access_, by_block_;
  std::vector<bool> in_headers_;  // by file
};

class Check;

// Of one block. A check's own class is told of events and reports.
class BlockCheck : public observe::BlockObserver {
 public:
  BlockCheck(Check& check, uint64_t block);
  BlockCheck(const BlockCheck&) = delete;
  BlockCheck& operator=(const BlockCheck&) = delete;
  ~BlockCheck() override;  // the check keeps the findings: of a block that a fault has stopped, too
  [[nodiscard]] bool looks_at_parts() const final { return true; }
  void bulk(const observe::BulkAccess& b) override {
    observe::as_accesses(b, [&](const observe::Access& a) { access(a); });
  }

 protected:
  [[nodiscard]] const CheckedLaunch& launch() const { return launch_; }
  [[nodiscard]] uint64_t block() const { return block_; }
  [[nodiscard]] ThreadPlace thread(uint32_t warp, uint32_t lane) const { return launch_.thread(block_, warp, lane); }
  // One finding for a kind and an instruction (and another one's). `make` is called for the first alone.
  template <class Make>
  void report(FindingKind kind, const InstructionInfo* at, uint64_t times, Make make,
              const InstructionInfo* other = nullptr) {
    const auto [known, is_new] = numbers_.try_emplace({kind, at, other}, findings_.size());
    if (!is_new) {
      findings_[known->second].times += times;
      return;
    }
    Finding f;
    f.kind = kind, f.times = times;
    f.kernel = launch_.kernel().display_name;
    if (at) f.where = launch_.line(*at);
    make(f);
    findings_.push_back(std::move(f));
  }

 private:
  Check& check_;
  const CheckedLaunch& launch_;
  const uint64_t block_;
  std::map<std::tuple<FindingKind, const InstructionInfo*, const InstructionInfo*>, size_t> numbers_;
  std::vector<Finding> findings_;
};

class Check : public observe::Observer {
 public:
  explicit Check(const CheckedLaunch& launch) : launch_(launch) {}
  // Block after block, warp after warp: that takes less memory.
  [[nodiscard]] bool takes_turns() const override { return false; }
  [[nodiscard]] observe::BlockRange next(uint64_t block) const override { return {block}; }
  void end(std::unique_ptr<observe::BlockObserver>) override {}
  [[nodiscard]] const CheckedLaunch& launch() const { return launch_; }

  // Of the blocks below `end`: up to the block of a fault, a launch that it has stopped is the same every time. Call
  // after the launch.
  [[nodiscard]] std::vector<Finding> findings(uint64_t end) const;

 protected:
  // What blocks did together.
  [[nodiscard]] virtual std::vector<Finding> between_blocks(uint64_t /*end*/) const { return {}; }

 private:
  friend class BlockCheck;
  void keep(uint64_t block, std::vector<Finding> found);

  const CheckedLaunch launch_;
  std::mutex mutex_;
  std::map<uint64_t, std::vector<Finding>> found_;  // by block
};

// The checks that there are: checks.def.
struct CheckInfo {
  CheckTool tool;
  std::unique_ptr<Check> (*make)(const CheckedLaunch& launch);
  const char* finds;
};
[[nodiscard]] std::span<const CheckInfo> checks();

}  // namespace drywarp::check
