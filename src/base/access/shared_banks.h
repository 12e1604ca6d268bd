// The banks of a device's shared memory, and how they serve a warp's lanes.
//
// Sources: CUDA C Programming Guide, the sections on compute capabilities 1.x, 2.x and 3.x (editions up to CUDA 8);
// since 5.0 recordings on an H200.
#pragma once

#include <cstdint>

namespace drywarp::device {
struct DeviceSpec;
}

namespace drywarp {

// Named after the architecture that introduced it:
//   Tesla    1.x  serves half a warp and 32 bits a lane at a time; wider accesses are split. A pass of a load serves
//   all
//                 lanes of one broadcast word, and one lane of each other bank
//   Fermi    2.x  in a pass a bank serves all lanes that need its row. 8 bytes a lane take a transaction per half warp,
//                 16 bytes one per quarter with one extra pass each
//   Kepler   3.x  the same with 64-bit banks: 8 bytes a lane take one transaction, 16 bytes two, without extra passes
//   Maxwell  5.0 on: see SharedOp
enum class BankRule : uint8_t { Tesla, Fermi, Kepler, Maxwell };

struct SharedBanks {
  BankRule rule = BankRule::Maxwell;
  uint8_t count = 32;
  uint8_t bank_bytes = 4;  // that a bank delivers in a pass
  // Successive words of this size lie in successive banks; smaller than `bank_bytes` in Kepler's mode of 4 bytes, where
  // word i and word i + 32 of an aligned 64 are one row of their bank.
  uint8_t word_bytes = 4;

  [[nodiscard]] unsigned row_bytes() const { return count * bank_bytes; }  // of all banks
  [[nodiscard]] unsigned bank_of(uint64_t address) const { return address / word_bytes % count; }
  // Shifting all addresses by this many bytes, a power of two, changes no cost.
  [[nodiscard]] uint32_t period() const { return word_bytes == bank_bytes ? word_bytes : row_bytes(); }
  bool operator==(const SharedBanks&) const = default;
};

// The banks of a device: sizes from its file's [shared], the rule from its compute capability. `eight_bytes`: the
// program asked for 8-byte banks (cudaSharedMemBankSizeEightByte); devices without them ignore it. Default: 32 banks of
// 4 bytes.
SharedBanks shared_banks(const device::DeviceSpec& device, bool eight_bytes = false);

}  // namespace drywarp
