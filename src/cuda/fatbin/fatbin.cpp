#include "cuda/fatbin/fatbin.h"

#include <elf.h>
#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace drywarp::fatbin {
namespace {

constexpr uint32_t kImageMagic = 0xBA55ED50, kWrapperMagic = 0x466243B1;
constexpr unsigned kLinkedWrapper = 2;
constexpr uint16_t kPtxKind = 1, kElfKind = 2;
constexpr uint64_t kLz4Flag = 0x2000, kZstdFlag = 0x8000, kOtherCompressionFlags = 0x1000 | 0x4000;
// Far more than any module needs; a limit against damaged sizes.
constexpr uint64_t kMaxUncompressed = (uint64_t(1) << 31) - 1;
constexpr uint64_t kMaxLz4Ratio = 255;
constexpr size_t kMaxPrelinked = 1 << 16;

struct ImageHeader {
  uint32_t magic;
  uint16_t version, header_size;
  uint64_t size;  // of all entries
};
struct EntryHeader {
  uint16_t kind, version;
  uint32_t header_size;
  uint64_t payload_size;  // padded
  uint32_t compressed_size, reserved;
  uint16_t minor, major;
  uint32_t sm, name_offset, name_size;
  uint64_t flags;
};
constexpr size_t kUncompressedSizeAt = 56;  // after EntryHeader, in headers that are long enough
struct WrapperLayout {
  uint32_t magic, version;
  const void* data;
  const void* const* prelinked;
};
static_assert(sizeof(ImageHeader) == 16 && sizeof(EntryHeader) == 48 && sizeof(WrapperLayout) == 24);

using Bytes = std::span<const uint8_t>;

template <class T>
T load(Bytes bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool starts_with_magic(Bytes bytes) {
  return bytes.size() >= sizeof(ImageHeader) && load<uint32_t>(bytes, 0) == kImageMagic;
}

bool looks_like_elf(Bytes bytes) {
  return bytes.size() >= 4 && std::memcmp(bytes.data(),
                                          "\x7f"
                                          "ELF",
                                          4) == 0;
}

// PTX begins with comments and white space, then `.version`.
bool looks_like_ptx(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n\f\v");
  if (first == std::string_view::npos || (text[first] != '.' && text[first] != '/')) return false;
  return text.find(".version") != std::string_view::npos;
}

// The number in ".target sm_90a".
unsigned target_of(std::string_view ptx) {
  size_t at = ptx.find(".target");
  at = at == std::string_view::npos ? at : ptx.find("sm_", at);
  unsigned sm = 0;
  if (at != std::string_view::npos)
    for (at += 3; at < ptx.size() && ptx[at] >= '0' && ptx[at] <= '9' && sm < 10000; ++at)
      sm = sm * 10 + unsigned(ptx[at] - '0');
  return sm;
}

Diagnostic damaged(const char* what, size_t at) {
  return error(fmt::format("the fat binary is damaged: {} at byte {}", what, at), "build the program again");
}

// Reads the entry at `at`, and moves `at` past it.
Result<Entry> read_entry(Bytes bytes, size_t& at) {
  if (bytes.size() - at < sizeof(EntryHeader)) return damaged("an entry is cut off", at);
  const auto header = load<EntryHeader>(bytes, at);
  if (header.header_size < sizeof(EntryHeader) || header.header_size > bytes.size() - at)
    return damaged("an entry's header does not fit", at);
  if (header.payload_size > bytes.size() - at - header.header_size)
    return damaged("an entry's contents do not fit", at);
  Entry entry;
  entry.kind = header.kind == kPtxKind ? EntryKind::Ptx : header.kind == kElfKind ? EntryKind::Elf : EntryKind::Other;
  entry.sm = header.sm;
  uint64_t stored = header.payload_size;
  if (header.flags & (kZstdFlag | kLz4Flag | kOtherCompressionFlags)) {
    entry.compression = header.flags & kZstdFlag  ? Compression::Zstd
                        : header.flags & kLz4Flag ? Compression::Lz4
                                                  : Compression::Unknown;
    if (header.header_size < kUncompressedSizeAt + sizeof(uint64_t))
      return damaged("a compressed entry does not say its size", at);
    entry.uncompressed_size = load<uint64_t>(bytes, at + kUncompressedSizeAt);
    if (header.compressed_size > stored) return damaged("a compressed entry is larger than its place", at);
    if (header.compressed_size != 0) stored = header.compressed_size;
  }
  entry.payload = bytes.subspan(at + header.header_size, stored);
  at += header.header_size + header.payload_size;
  return entry;
}

// Reads the fat binary at the start of `bytes`; `used` gets its size.
Status read_fat_binary(Bytes bytes, std::vector<Entry>& entries, size_t& used) {
  const auto header = load<ImageHeader>(bytes, 0);
  if (header.header_size < sizeof(ImageHeader) || header.header_size > bytes.size() ||
      header.size > bytes.size() - header.header_size)
    return damaged("it is cut off", 0);
  used = header.header_size + header.size;
  for (size_t at = header.header_size; at < used;) {
    auto entry = read_entry(bytes.first(used), at);
    if (!entry) return entry.problem();
    entries.push_back(*entry);
  }
  return {};
}

bool any_of_kind(const std::vector<Entry>& entries, EntryKind kind) {
  return std::any_of(entries.begin(), entries.end(), [kind](const Entry& e) { return e.kind == kind; });
}

}  // namespace

Result<std::string> Entry::contents() const {
  std::string out;
  if (compression == Compression::None) {
    out.assign(payload.begin(), payload.end());
  } else {
    if (compression == Compression::Unknown)
      return error("the program's device code is compressed in a way that drywarp does not know",
                   "compile with -compress-mode=none");
    if (uncompressed_size > kMaxUncompressed)
      return error("the fat binary is damaged: an entry claims to be larger than 2 GB");
    // Check the claimed size against the stored bytes before allocating.
    size_t got = size_t(-1);
    if (compression == Compression::Zstd) {
      const unsigned long long frame = ZSTD_getFrameContentSize(payload.data(), payload.size());
      if (frame == ZSTD_CONTENTSIZE_UNKNOWN || frame == uncompressed_size) {
        out.resize(uncompressed_size);
        got = ZSTD_decompress(out.data(), out.size(), payload.data(), payload.size());
      }
    } else if (payload.size() <= kMaxUncompressed && uncompressed_size / kMaxLz4Ratio <= payload.size()) {
      out.resize(uncompressed_size);
      got = size_t(LZ4_decompress_safe(reinterpret_cast<const char*>(payload.data()), out.data(), int(payload.size()),
                                       int(out.size())));
    }
    if (got != out.size())
      return error("the fat binary is damaged: an entry does not decompress", "build the program again");
  }
  if (kind == EntryKind::Ptx) out.erase(out.find_last_not_of('\0') + 1);
  return out;
}

bool Image::has_ptx() const { return any_of_kind(entries, EntryKind::Ptx); }
bool Image::has_sass_only() const { return !has_ptx() && any_of_kind(entries, EntryKind::Elf); }

const Entry* Image::best_ptx(unsigned compute_capability) const {
  const Entry* best = nullptr;
  for (const Entry& e : entries)
    if (e.kind == EntryKind::Ptx && e.sm <= compute_capability && (!best || e.sm > best->sm)) best = &e;
  return best;
}

Result<Image> read_image(Bytes bytes) {
  Image image;
  bool any = false;
  for (size_t at = 0; at < bytes.size();) {
    const Bytes rest = bytes.subspan(at);
    const std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
    if (rest[0] == 0) {
      ++at;
      continue;
    }
    if (starts_with_magic(rest)) {
      size_t used = 0;
      if (auto status = read_fat_binary(rest, image.entries, used); !status) return status.problem();
      at += used;
    } else if (looks_like_elf(rest)) {
      image.entries.push_back({.kind = EntryKind::Elf, .payload = rest});
      at = bytes.size();
    } else if (const std::string_view ptx = text.substr(0, text.find('\0')); looks_like_ptx(ptx)) {
      image.entries.push_back({.kind = EntryKind::Ptx, .sm = target_of(ptx), .payload = rest.first(ptx.size())});
      at += ptx.size();
    } else {
      break;
    }
    any = true;
  }
  if (!any) return error("this is neither a fat binary nor PTX text");
  return image;
}

Bytes image_bytes(const void* image) {
  if (!image) return {};
  const auto* bytes = static_cast<const uint8_t*>(image);
  uint32_t magic;
  std::memcpy(&magic, bytes, sizeof magic);
  if (magic == kWrapperMagic) return image_bytes(load<WrapperLayout>({bytes, sizeof(WrapperLayout)}, 0).data);
  if (magic == kImageMagic) {
    const auto header = load<ImageHeader>({bytes, sizeof(ImageHeader)}, 0);
    return {bytes, header.header_size + size_t(header.size)};
  }
  if (looks_like_elf({bytes, sizeof magic})) {
    // The section table is the last part of every cubin.
    const auto header = load<Elf64_Ehdr>({bytes, sizeof(Elf64_Ehdr)}, 0);
    return {bytes, std::max<size_t>(sizeof header, header.e_shoff + size_t(header.e_shnum) * header.e_shentsize)};
  }
  return {bytes, std::strlen(static_cast<const char*>(image))};
}

Result<Image> read_image_in_memory(const void* image) {
  if (!image) return error("the program registered a fat binary at address 0");
  return read_image(image_bytes(image));
}

bool Wrapper::has_sass_only() const {
  const auto ptx = [](const Image& i) { return i.has_ptx(); };
  const auto sass = [](const Image& i) { return i.has_sass_only(); };
  return std::none_of(images.begin(), images.end(), ptx) && std::any_of(images.begin(), images.end(), sass);
}

std::vector<const Entry*> Wrapper::ptx(unsigned compute_capability) const {
  std::vector<const Entry*> out;
  for (const Image& image : images)
    if (const Entry* best = image.best_ptx(compute_capability)) out.push_back(best);
  return out;
}

Result<Wrapper> read_wrapper_in_memory(const void* wrapper) {
  if (!wrapper) return error("the program registered a fat binary at address 0");
  const auto layout = load<WrapperLayout>({static_cast<const uint8_t*>(wrapper), sizeof(WrapperLayout)}, 0);
  if (layout.magic != kWrapperMagic)
    return error(
        fmt::format("the program registered something that is no fat binary (it begins with {:#010x})", layout.magic));
  Wrapper out;
  out.version = layout.version;
  auto main = read_image_in_memory(layout.data);
  if (!main) return main.problem();
  out.images.push_back(std::move(*main));
  if (layout.version != kLinkedWrapper || !layout.prelinked) return out;
  for (size_t i = 0; i < kMaxPrelinked && layout.prelinked[i]; ++i) {
    auto image = read_image_in_memory(layout.prelinked[i]);
    if (!image) return image.problem();
    out.images.push_back(std::move(*image));
  }
  return out;
}

}  // namespace drywarp::fatbin
