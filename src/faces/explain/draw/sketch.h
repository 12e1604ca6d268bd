// Helpers of the drawings: fixed-width text, ranges of lanes, tables of facts.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "faces/explain/draw/draw.h"
#include "profile/report/model/numbers.h"

namespace drywarp::explain {

using report::plural;

// Padded with spaces to `width` characters (not bytes).
[[nodiscard]] std::string left(const std::string& text, size_t width);
[[nodiscard]] std::string right(const std::string& text, size_t width);
[[nodiscard]] std::string repeat(const char* glyph, size_t count);

// "0-7, 9, 16-31".
[[nodiscard]] std::string lane_list(LaneMask lanes, const Pen& pen);
// 32 characters: a block for each lane of `lanes`, a dot for the other lanes of `among`, else a space.
[[nodiscard]] std::string lane_row(LaneMask lanes, LaneMask among, const Pen& pen);
// In at most `width` characters: "7", "0-3" or "x16".
[[nodiscard]] std::string cell(LaneMask lanes, size_t width, const Pen& pen);

// "Not coalesced: 2 sectors where 1 would do, 12.5 % of their bytes are wanted."
[[nodiscard]] std::string verdict_text(const WarpAccess& access, unsigned bytes);
// A warp's sectors, one per row; the passes over the banks, by turn.
[[nodiscard]] std::string draw_sectors(const LaneAccesses& lanes, unsigned bytes, const Pen& pen);
[[nodiscard]] std::string draw_turns(const std::vector<BankTurn>& turns, const Pen& pen);

// "  name    value" lines, values in one column.
[[nodiscard]] std::string facts(const std::vector<std::pair<std::string, std::string>>& rows);
[[nodiscard]] std::string percent(double value);  // "4.8 %", "100 %"
// A character per value whose height shows the value: eighths of a block, or digits. `most` is full height.
[[nodiscard]] std::string heights(const std::vector<double>& values, double most, const Pen& pen);
// "(0, 1)", with as many coordinates as `block` has dimensions.
[[nodiscard]] std::string thread_place(const Extent3& thread, const Extent3& block);

}  // namespace drywarp::explain
