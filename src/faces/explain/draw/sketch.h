// What drawings share: texts of fixed width, lanes as ranges, facts under each other.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "faces/explain/draw/draw.h"
#include "profile/report/model/numbers.h"

namespace drywarp::explain {

using report::plural;

// Padded with blanks to `width` characters (not bytes).
[[nodiscard]] std::string left(const std::string& text, size_t width);
[[nodiscard]] std::string right(const std::string& text, size_t width);
[[nodiscard]] std::string repeat(const char* glyph, size_t count);

// "0-7, 9, 16-31".
[[nodiscard]] std::string lane_list(LaneMask lanes, const Pen& pen);
// 32 characters: a block for each lane of `lanes`, a dot for others of `among`, blank elsewhere.
[[nodiscard]] std::string lane_row(LaneMask lanes, LaneMask among, const Pen& pen);
// In as few characters as a cell has: "7", "0-3" or "x16".
[[nodiscard]] std::string cell(LaneMask lanes, size_t width, const Pen& pen);

// A warp's sectors, a row each; the passes through the banks, turn by turn.
[[nodiscard]] std::string draw_sectors(const LaneAccesses& lanes, unsigned bytes, const Pen& pen);
[[nodiscard]] std::string draw_turns(const std::vector<BankTurn>& turns, const Pen& pen);

// "  name    value" lines, values in one column.
[[nodiscard]] std::string facts(const std::vector<std::pair<std::string, std::string>>& rows);
[[nodiscard]] std::string percent(double value);  // "4.8 %", "100 %"
// A character for each value, the taller the larger: eighths of a block, or digits. `most` is full height.
[[nodiscard]] std::string heights(const std::vector<double>& values, double most, const Pen& pen);
// "threadIdx (0, 1)" with as many sides as `shape` needs.
[[nodiscard]] std::string thread_place(const Extent3& thread, const Extent3& block);

}  // namespace drywarp::explain
