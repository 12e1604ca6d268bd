#include "base/events/access_sample.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

namespace drywarp {

std::string to_line(const AccessSample& s) {
  std::string line =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}", s.access, static_cast<unsigned>(s.memory), s.size,
                  static_cast<unsigned>(s.op), static_cast<unsigned>(s.banks.rule), s.banks.count, s.banks.bank_bytes,
                  s.banks.word_bytes, s.atomic ? 1 : 0, s.lanes, s.block, s.warp, s.units);
  for (const uint64_t address : s.addresses) line += fmt::format(" {}", address);
  const AccessReuse& r = s.reuse;
  return line + fmt::format(" {} {} {} {}", r.blocks, r.requested, r.block_bytes, r.grid_bytes);
}

Result<AccessSample> parse_access_sample(std::string_view line) {
  bool good = true;
  const auto next = [&](uint64_t below) -> uint64_t {
    while (line.starts_with(' ')) line.remove_prefix(1);
    uint64_t value = 0;
    const auto [end, problem] = std::from_chars(line.data(), line.data() + line.size(), value);
    good = good && problem == std::errc() && value <= below;
    line.remove_prefix(static_cast<size_t>(end - line.data()));
    return value;
  };
  AccessSample s;
  s.access = static_cast<uint32_t>(next(~0u));
  s.memory = static_cast<Memory>(next(kMemories - 1));
  s.size = static_cast<uint8_t>(next(32));
  s.op = static_cast<SharedOp>(next(static_cast<unsigned>(SharedOp::CopyPastL1)));
  s.banks.rule = static_cast<BankRule>(next(static_cast<unsigned>(BankRule::Maxwell)));
  // Powers of two, as shared_banks() makes them.
  for (uint8_t* number : {&s.banks.count, &s.banks.bank_bytes, &s.banks.word_bytes}) {
    *number = static_cast<uint8_t>(next(kWarpSize));
    good = good && std::has_single_bit(*number);
  }
  good = good && s.banks.word_bytes >= 4 && s.banks.word_bytes <= s.banks.bank_bytes;
  s.atomic = next(1) != 0;
  s.lanes = static_cast<LaneMask>(next(~0u));
  s.block = next(~uint64_t{0});
  s.warp = static_cast<uint32_t>(next(~0u));
  s.units = static_cast<uint32_t>(next(~0u));
  for (uint64_t& address : s.addresses) address = next(~uint64_t{0});
  if (!line.empty())  // older samples end here
    for (uint64_t* number : {&s.reuse.blocks, &s.reuse.requested, &s.reuse.block_bytes, &s.reuse.grid_bytes})
      *number = next(~uint64_t{0});
  if (!good || !line.empty() || s.size == 0) return error("malformed access sample");
  return s;
}

}  // namespace drywarp
