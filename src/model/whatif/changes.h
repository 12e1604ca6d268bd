// The changes that scenarios.def names. Each returns false if the launch has no such cost.
#pragma once

#include "model/whatif/what_if.h"

namespace drywarp::whatif {

// ---- accesses.cpp, divergence.cpp: what warps do
bool coalesce(TimedLaunch& launch, const KernelInfo& kernel);
bool remove_bank_conflicts(TimedLaunch& launch, const KernelInfo& kernel);
bool remove_divergence(TimedLaunch& launch, const KernelInfo& kernel);
bool remove_reloads(TimedLaunch& launch, const KernelInfo& kernel);

// ---- coarsen.cpp: two blocks' work in one
bool coarsen(TimedLaunch& launch, const KernelInfo& kernel);

// ---- widen.cpp: four threads' work in one
bool widen(TimedLaunch& launch, const KernelInfo& kernel);

// ---- regroup.cpp: of the sample blocks, as `after` threads, or blocks, become one where `before` did
void renumber_samples(LaunchTrace& trace, uint32_t before, uint32_t after);

// ---- shared.cpp: what moves to shared memory
bool tile(TimedLaunch& launch, const KernelInfo& kernel);
bool privatize(TimedLaunch& launch, const KernelInfo& kernel);

// ---- code.cpp: the instructions
bool remove_barriers(TimedLaunch& launch, const KernelInfo& kernel);
bool remove_atomics(TimedLaunch& launch, const KernelInfo& kernel);
bool free_addresses(TimedLaunch& launch, const KernelInfo& kernel);
bool remove_local(TimedLaunch& launch, const KernelInfo& kernel);
bool hide_loads(TimedLaunch& launch, const KernelInfo& kernel);

// Only the instructions of the question's lines cost anything.
bool keep_only_lines(TimedLaunch& launch, const KernelInfo& kernel, const LineRange& lines);

// ---- machine.cpp: the machine
bool fill_sms(TimedLaunch& launch, const KernelInfo& kernel);
bool add_block(TimedLaunch& launch, const KernelInfo& kernel);
bool add_warps(TimedLaunch& launch, MoreWarps more);
bool fill_warp_slots(TimedLaunch& launch, const KernelInfo& kernel);
bool hit_l1(TimedLaunch& launch, const KernelInfo& kernel);
bool hit_l2(TimedLaunch& launch, const KernelInfo& kernel);
bool free_shared(TimedLaunch& launch, const KernelInfo& kernel);
bool free_l1(TimedLaunch& launch, const KernelInfo& kernel);
bool free_l2(TimedLaunch& launch, const KernelInfo& kernel);
bool free_dram(TimedLaunch& launch, const KernelInfo& kernel);

// ---- accesses.cpp
// A load from global memory; `loads`: loads_of() the kernel.
[[nodiscard]] bool loads_global(const TraceAccess& access, const std::vector<bool>& loads);
// Whether two accesses, each of its warp, touch the same sectors with as many lanes.
[[nodiscard]] bool touch_the_same(const WarpTrace& one, const TraceAccess& a, const WarpTrace& other,
                                  const TraceAccess& b);

// Whether a recorded warp accesses this space.
[[nodiscard]] bool accesses(const LaunchTrace& trace, AddressSpace space);

}  // namespace drywarp::whatif
