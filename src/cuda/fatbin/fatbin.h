// Fat binaries: what a compiler embeds in a host program for the GPU. Several entries, each PTX text or machine code
// (ELF) for one architecture, raw or compressed.
//
// Formats, from public descriptions and compilers' own output: header {u32 0xBA55ED50, u16 version, u16 header size,
// u64 size}, then entries {u16 kind, u16 version, u32 header size, u64 payload size, u32 compressed size, ..., u32 sm,
// ..., u64 flags at 40, u64 uncompressed size at 56}. A wrapper (.nvFatBinSegment) points to it: {u32 0x466243b1, u32
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
  unsigned sm = 0;                   // 90 for sm_90 or compute_90; 0: not known (PTX text with no fat binary around it)
  std::span<const uint8_t> payload;  // as stored; points into the image that was read
  uint64_t uncompressed_size = 0;    // 0 if not compressed

  // The payload, decompressed; PTX without the NULs behind it.
  [[nodiscard]] Result<std::string> contents() const;
};

// One image: a fat binary, or several one after the other, or PTX text on its own.
struct Image {
  std::vector<Entry> entries;

  [[nodiscard]] bool has_ptx() const;
  [[nodiscard]] bool has_sass_only() const;  // machine code, and no PTX to run instead
  // The PTX that a device of this compute capability (90 for 9.0) would be given: of the entries for at most that
  // architecture, the newest. nullptr: none.
  [[nodiscard]] const Entry* best_ptx(unsigned compute_capability) const;
};

// Reads images that stand one after the other, with zeroes between them at most; what lies behind the last is ignored.
// PTX text ends at a NUL or at the end of `bytes`; a bare cubin takes the rest. The entries point into `bytes`. Errors:
// `bytes` begin with none of these, sizes do not fit.
Result<Image> read_image(std::span<const uint8_t> bytes);

// The bytes of one image in this process's memory, which says its own size in its header; PTX text must end in a NUL. A
// wrapper stands for the image that it points to. Empty at address 0.
[[nodiscard]] std::span<const uint8_t> image_bytes(const void* image);
Result<Image> read_image_in_memory(const void* image);

// What __cudaRegisterFatBinary is given: the wrapper, in this process's memory. Version 2 (relocatable device code)
// carries the images that were linked into its first: those hold the PTX.
struct Wrapper {
  unsigned version = 0;
  std::vector<Image> images;  // the one that the wrapper points to, then the prelinked ones

  [[nodiscard]] bool has_sass_only() const;
  // The PTX texts to run on a device of this compute capability: of every image that has any, the best. More than one
  // belong together as one program (-rdc) and refer to each other. Empty: none that such a device could use.
  [[nodiscard]] std::vector<const Entry*> ptx(unsigned compute_capability) const;
};
Result<Wrapper> read_wrapper_in_memory(const void* wrapper);

}  // namespace drywarp::fatbin
