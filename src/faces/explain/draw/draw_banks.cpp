#include <fmt/format.h>

#include <bit>

#include "faces/explain/draw/sketch.h"

namespace drywarp::explain {
namespace {

constexpr size_t kMostPassesOfTurn = 8;  // that are drawn
constexpr unsigned kBanksARow = 16;

const char* verb(SharedOp op) {
  switch (op) {
    case SharedOp::Load:
    case SharedOp::GenericLoad:
      return "load";
    case SharedOp::Store:
      return "store";
    case SharedOp::Atomic:
      return "atomic";
    case SharedOp::Swap:
      return "compare-and-swap";
    case SharedOp::Copy:
    case SharedOp::CopyPastL1:
      break;
  }
  return "asynchronous copy";
}

// The banks in rows of 16, with a line per pass that has the lanes served.
std::string draw_turn(const BankTurn& turn, const Pen& pen) {
  std::string out;
  bool shared = false;
  for (const auto& pass : turn.passes)
    for (const BankTurn::Cell& cell : pass) shared = shared || std::popcount(cell.lanes) > 1;
  const size_t width = shared ? 4 : 3;
  const auto banks = static_cast<unsigned>(turn.passes.empty() ? 0 : turn.passes.front().size());
  for (unsigned first = 0; first < banks; first += kBanksARow) {
    const unsigned end = std::min(first + kBanksARow, banks);
    bool used = false;
    for (const auto& pass : turn.passes)
      for (unsigned bank = first; bank < end; ++bank) used = used || pass[bank].lanes != 0;
    if (!used) {
      out += fmt::format("    banks {}{}{}: idle\n", first, pen.to(), end - 1);
      continue;
    }
    out += "    bank  ";
    for (unsigned bank = first; bank < end; ++bank) out += right(fmt::format("{}", bank), width);
    out += "\n          " + repeat(pen.line(), (end - first) * width) + '\n';
    for (size_t pass = 0; pass < turn.passes.size() && pass < kMostPassesOfTurn; ++pass) {
      out += fmt::format("  pass {:>2}  ", pass + 1);
      for (unsigned bank = first; bank < end; ++bank)
        out += right(cell(turn.passes[pass][bank].lanes, width - 1, pen), width);
      out += '\n';
    }
    if (turn.passes.size() > kMostPassesOfTurn)
      out += fmt::format("       {}  {}\n", pen.more(), plural(turn.passes.size() - kMostPassesOfTurn, "more pass"));
  }
  return out;
}

std::string verdict_text(const BankExplanation& e) {
  const SharedAccess& cost = e.shown.cost;
  const bool one_word = cost.unique_bytes == e.bytes && std::popcount(e.shown.lanes.active) > 1;
  const std::string passes =
      fmt::format("{}, {} without conflicts", plural(cost.wavefronts, "wavefront"), cost.ideal_wavefronts);
  if (cost.ways > 1) return fmt::format("{}-way conflict: {}.", cost.ways, passes);
  if (cost.wavefronts > cost.ideal_wavefronts) return fmt::format("Conflicts: {}.", passes);
  return fmt::format("{}: {}.", one_word ? "No conflict, a broadcast" : "No conflict",
                     plural(cost.wavefronts, "wavefront"));
}

std::string padding_text(const BankExplanation& e) {
  const unsigned row = std::max(1u, e.padded_bytes() / e.bytes);
  const auto padded = [&](uint32_t elements) {
    return e.pads_rows ? fmt::format("rows longer by {}", plural(elements, "element"))
                       : fmt::format("a gap of {} after every {}", plural(elements, "element"), row);
  };
  if (!e.suggestion)
    return fmt::format("\nPadding: {} at most: none needs fewer wavefronts.\n", padded(e.tried.back().elements));
  const Padding& best = *e.suggestion;
  return fmt::format("\nPadding: {}: {} instead of {}{} (tried from 0 on).\n", padded(best.elements),
                     plural(best.wavefronts, "wavefront"), e.tried.front().wavefronts,
                     best.wavefronts == best.ideal_wavefronts ? ", no conflicts" : "");
}

std::string banks_text(const BankExplanation& e) {
  const SharedBanks& b = e.banks;
  std::string text = fmt::format("{} banks of {} bytes", b.count, b.bank_bytes);
  if (b.word_bytes != b.bank_bytes)
    text += fmt::format(", each two words of {} bytes, {} words apart", b.word_bytes, b.count);
  if (b.rule == BankRule::Tesla)
    text += e.bytes > 4 ? ", for half a warp and 4 bytes a lane at a time" : ", for half a warp at a time";
  if (b.rule == BankRule::Fermi && e.bytes == 16) text += "; a quarter warp with 16 bytes a lane takes one extra pass";
  return text;
}

}  // namespace

std::string draw_turns(const std::vector<BankTurn>& turns, const Pen& pen) {
  std::string out;
  for (const BankTurn& turn : turns) {
    out += '\n';
    if (turns.size() > 1)
      out += fmt::format("  Lanes {} access together: {}\n", lane_list(turn.lanes, pen),
                         plural(turn.wavefronts, "wavefront"));
    out += draw_turn(turn, pen);
  }
  return out;
}

std::string draw(const BankExplanation& e, const Pen& pen) {
  std::string out = fmt::format("{}, {} of {} a thread, block {}\n\nWarp {} of block {}: ", e.text, verb(e.op),
                                plural(e.bytes, "byte"), to_string(e.launch.block), e.shown.warp, e.shown.block);
  if (e.shown.lanes.active == 0) return out + "no lane takes part: no request.\n";
  out += verdict_text(e) + "\n";
  out += draw_turns(e.shown.turns, pen);
  out += '\n';
  std::vector<std::pair<std::string, std::string>> rows;
  if (e.warps > 1)
    rows.emplace_back("warps", fmt::format("{}{}", e.warps,
                                           e.examined_blocks < e.launch.blocks()
                                               ? fmt::format(", of the first {} blocks", e.examined_blocks)
                                               : ""));
  rows.emplace_back("wavefronts", fmt::format("{}; {} without conflicts", e.wavefronts, e.ideal_wavefronts));
  rows.emplace_back("worst conflict", fmt::format("{}-way", e.worst_ways));
  rows.emplace_back("efficiency", percent(e.efficiency()));
  rows.emplace_back(e.device,
                    e.device_known ? banks_text(e) : "its file does not describe its banks; assumed: 32 of 4 bytes");
  out += facts(rows);
  if (!e.tried.empty()) out += padding_text(e);
  return out;
}

}  // namespace drywarp::explain
