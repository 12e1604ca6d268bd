// Fat binaries: the GPU code that a compiler embeds in a host program. Each entry is PTX text or machine code (ELF) for
// one architecture, raw or compressed.
//
// Format, from public descriptions and compilers' output: header {u32 0xBA55ED50, u16 version, u16 header size, u64
// size}, then entries {u16 kind, u16 version, u32 header size, u64 payload size, u32 compressed size, ..., u32 sm, ...,
// u64 flags at 40, u64 uncompressed size at 56}. A wrapper (.nvFatBinSegment) points to it: {u32 0x466243b1, u32
// version, data, extra}.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/support/result.h"

namespace drywarp::fatbin {

enum class EntryKind : uint8_t { Ptx, Elf, Other };
enum class Compression : uint8_t { None, Lz4, Zstd, Unknown };

struct Entry {
  EntryKind kind = EntryKind::Other;
  Compression compression = Compression::None;
  unsigned sm = 0;                   // 90 for sm_90 or compute_90; 0: unknown (PTX text without a fat binary)
  std::span<const uint8_t> payload;  // as stored; points into the image that was read
  uint64_t uncompressed_size = 0;    // 0 if not compressed

  // The decompressed payload; PTX without trailing NULs.
  [[nodiscard]] Result<std::string> contents() const;
};

// One image: one or several consecutive fat binaries, or plain PTX text.
struct Image {
  std::vector<Entry> entries;

  [[nodiscard]] bool has_ptx() const;
  [[nodiscard]] bool has_sass_only() const;  // machine code, and no PTX
  // The newest PTX for at most this compute capability (90 for 9.0); nullptr: none.
  [[nodiscard]] const Entry* best_ptx(unsigned compute_capability) const;
};

// Reads consecutive images, which zeroes may separate; ignores the bytes after the last. PTX text ends at a NUL or at
// the end of `bytes`; a bare cubin takes the rest. The entries point into `bytes`. Errors: `bytes` begins with none of
// these, sizes do not fit.
Result<Image> read_image(std::span<const uint8_t> bytes);

// The bytes of an image in this process's memory. The header has the size; PTX text must end in a NUL. For a wrapper,
// the image that it points to. Empty at address 0.
[[nodiscard]] std::span<const uint8_t> image_bytes(const void* image);
Result<Image> read_image_in_memory(const void* image);

// The wrapper that __cudaRegisterFatBinary gets, in this process's memory. Version 2 (relocatable device code) also has
// the images that were linked into its first one; they hold the PTX.
struct Wrapper {
  unsigned version = 0;
  std::vector<Image> images;  // the wrapper's own, then the prelinked ones

  [[nodiscard]] bool has_sass_only() const;
  // The PTX to run on a device of this compute capability: the best of every image. Several texts form one program
  // (-rdc) and refer to each other. Empty: the device can run none.
  [[nodiscard]] std::vector<const Entry*> ptx(unsigned compute_capability) const;
};
Result<Wrapper> read_wrapper_in_memory(const void* wrapper);

}  // namespace drywarp::fatbin
