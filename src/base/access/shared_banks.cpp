#include "base/access/shared_banks.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "base/device/device_spec.h"

namespace drywarp {

SharedBanks shared_banks(const device::DeviceSpec& device, bool eight_bytes) {
  SharedBanks out;
  const unsigned major = device.compute_capability.major;
  out.rule = major < 2   ? BankRule::Tesla
             : major < 3 ? BankRule::Fermi
             : major < 5 ? BankRule::Kepler
                         : BankRule::Maxwell;
  if (out.rule == BankRule::Maxwell) return out;
  const auto number = [](std::optional<uint64_t> n, uint8_t otherwise) {
    return n && std::has_single_bit(*n) && *n <= 32 ? static_cast<uint8_t>(*n) : otherwise;
  };
  out.count = number(device.timing.shared.banks, out.count);
  out.bank_bytes = std::max(number(device.timing.shared.bank_bytes, out.bank_bytes), out.word_bytes);
  if (eight_bytes) out.word_bytes = std::min<uint8_t>(out.bank_bytes, 8);
  return out;
}

}  // namespace drywarp
