// The banks of a device's shared memory, and how a warp's lanes get along in them.
//
// Sources: CUDA C Programming Guide, the sections on compute capabilities 1.x, 2.x and 3.x (they stand in its editions
// up to CUDA 8); since 5.0 what an H200 was recorded to do.
#pragma once

#include <cstdint>

namespace drywarp::device {
struct DeviceSpec;
}

namespace drywarp {

// By the architecture that brought it:
//   Tesla    1.x  half a warp and 32 bits a lane at a time (wider accesses are split). In a pass a load's lanes at one
//                 word, the broadcast word, are served, and one lane of each other bank
//   Fermi    2.x  in a pass a bank serves all lanes that want its row. Halves of the warp take turns at 8 bytes a lane,
//                 quarters at 16, and each of those takes one pass more
//   Kepler   3.x  the same with 64 bits a bank: a warp's 8 bytes a lane are one turn, its 16 bytes two, none takes more
//   Maxwell  5.0 on: see SharedOp
enum class BankRule : uint8_t { Tesla, Fermi, Kepler, Maxwell };

struct SharedBanks {
  BankRule rule = BankRule::Maxwell;
  uint8_t count = 32;
  uint8_t bank_bytes = 4;  // that a bank gives in a pass
  // Successive words of this size lie in successive banks; smaller than `bank_bytes` in Kepler's mode of 4 bytes, where
  // word i and word i + 32 of an aligned 64 are one row of their bank.
  uint8_t word_bytes = 4;

  [[nodiscard]] unsigned row_bytes() const { return count * bank_bytes; }  // of all banks
  [[nodiscard]] unsigned bank_of(uint64_t address) const { return address / word_bytes % count; }
  // Moving all lanes by so many bytes, a power of two, changes no cost.
  [[nodiscard]] uint32_t period() const { return word_bytes == bank_bytes ? word_bytes : row_bytes(); }
  bool operator==(const SharedBanks&) const = default;
};

// Those of a device: the numbers of its file's [shared], the rule by its compute capability. `eight_bytes`: the program
// asked for banks of 8 bytes (cudaSharedMemBankSizeEightByte), which devices with such banks do. A file that does not
// say what its banks are has 32 of 4 bytes.
SharedBanks shared_banks(const device::DeviceSpec& device, bool eight_bytes = false);

}  // namespace drywarp
