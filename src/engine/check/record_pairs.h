// Two accesses to one line: whether they may race, and whether the later one stands for the other.
#pragma once

#include "engine/check/access_records.h"
#include "engine/check/race_records.h"

namespace drywarp::check {

// Strong accesses do not race, if each one's scope has the other's thread: PTX ISA, memory consistency model. Volatile
// ones of one warp do in shared memory: that is how code looks that takes the lanes to be in step. In global memory,
// where any threads talk by them, they do not.
[[nodiscard]] bool may_race(const AccessRecord& r, const AccessRecord& now);
// Whatever races with `r`, which is ordered before `now`, and comes later, races with `now` too.
[[nodiscard]] bool makes_needless(const AccessRecord& now, const AccessRecord& r, RaceListener& races);
// The same threads' later access, which stands for `r`. If it does for some of the lanes or warps, `r` keeps the
// others.
[[nodiscard]] bool is_later(const AccessRecord& now, AccessRecord& r);
// Of one of its warps alone.
[[nodiscard]] AccessRecord of_warp(const AccessRecord& r, uint32_t warp);
// Whether a thread of the warp may race with the access.
[[nodiscard]] bool warp_may_race(const AccessRecord& r, uint32_t warp, const AccessRecord& now);
// What it reads counts for its thread's order.
[[nodiscard]] bool reads_strongly(const AccessRecord& r);
// Whether it has read what the write left there, or an atomic behind that.
[[nodiscard]] bool reads(const AccessRecord& r, const AccessRecord& w);

// ---- What stores write.

// The bytes of lanes that write what the earlier store wrote. `values`: what the line had before.
[[nodiscard]] LineBytes same_values(const AccessRecord& r, const AccessRecord& now, const LineBytes& bytes,
                                    uint64_t line, const RaceRecords::Accessor& by, const LineTable::Values* values);
void write_values(const AccessRecord& now, uint64_t line, const RaceRecords::Accessor& by, LineTable::Values& values);
// Lanes of one instruction that write the same bytes.
void lanes_race(const AccessRecord& now, uint64_t line, const RaceRecords::Accessor& by);

}  // namespace drywarp::check
