// A barrier of the whole block that completed although threads of the block never arrived. Hardware lets the waiting
// ones pass once the others have ended, or wait at another one; CUDA leaves it undefined or, since compute
// capability 7.0, counts ended threads as arrived.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace drywarp {

struct BarrierNote {
  // The most precise first.
  enum class Kind : uint8_t {
    DivergentWarp,   // lanes of one warp waited; the others of that warp ran on without the barrier, and ended
    SkippedByWarps,  // whole warps ran on without it, and ended
    ThreadsEnded,    // threads ended before it, in the first block of the grid too: no guard for the end of an array
    WarpsApart,      // whole warps waited at another barrier instead
  } kind{};
  uint32_t code_block = 0;          // index into LaunchCounts::blocks; the barrier is its first instruction
  uint64_t times = 0;               // that it completed so
  std::array<uint32_t, 3> block{};  // the first one in which it happened
  uint32_t warp = 0;                // DivergentWarp: its number in the block
  uint32_t waited = 0, absent = 0;  // lanes of that warp, warps of the block, threads of the block: by kind
  // CUDA leaves it undefined. Otherwise it is defined since compute capability 7.0.
  [[nodiscard]] bool divergent() const { return kind != Kind::ThreadsEnded; }
  bool operator==(const BarrierNote&) const = default;
};
inline constexpr unsigned kBarrierNoteKinds = 4;

// Adds a note to those of a launch. A barrier has one note: its most precise kind in its lowest block, so that the note
// is the same every time; how often it happened is added up over kinds.
void add(std::vector<BarrierNote>& notes, const BarrierNote& note);

// "of warp 1 of block (0,0,0), 8 lanes wait at it and 24 run on and end without it"
[[nodiscard]] std::string what_happened(const BarrierNote& note);
// What CUDA says of it: a sentence.
[[nodiscard]] const char* meaning(const BarrierNote& note);
// "divergent barrier", "skipped barrier", "barrier", "different barriers"
[[nodiscard]] const char* name(BarrierNote::Kind kind);
// For tables: "divergent_warp", "skipped_by_warps", "threads_ended", "warps_apart"
[[nodiscard]] const char* key(BarrierNote::Kind kind);

}  // namespace drywarp
