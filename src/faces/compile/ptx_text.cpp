#include "faces/compile/ptx_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <sstream>

namespace drywarp::compile {
namespace {

// Layout as read from nvcc's fat binaries.
struct FatbinHeader {
  uint32_t magic = 0xBA55ED50;
  uint16_t version = 1;
  uint16_t header_size = 16;
  uint64_t size = 0;  // of all entries with their headers
};
struct FatbinEntry {
  uint16_t kind = 1;  // PTX
  uint16_t version = 0x101;
  uint32_t header_size = 80;
  uint64_t payload_size = 0;
  uint32_t compressed_size = 0;
  uint32_t options_offset = 64;   // of options_at, which locates ptxas's options
  uint16_t minor = 3, major = 8;  // of the PTX version
  uint32_t sm = 0;
  uint32_t name_offset = 0, name_length = 0;
  uint64_t flags = 0x11;  // 64-bit, Linux; no compression
  uint64_t reserved1 = 0;
  uint64_t raw_size = 0;
  uint32_t options_at = 72, options_length = 0;
  char options[8] = {};  // none
};
static_assert(sizeof(FatbinHeader) == 16 && sizeof(FatbinEntry) == 80);

template <class T>
void append_bytes(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

bool is_directive_start(const std::string& ptx, size_t at) {
  return at == 0 || ptx[at - 1] == '\n' || ptx[at - 1] == ' ';
}

}  // namespace

std::string limit_registers(const std::string& ptx, int limit) {
  std::string changed;
  size_t from = 0;
  for (size_t at = ptx.find(".entry "); at != std::string::npos; at = ptx.find(".entry ", at + 1)) {
    size_t body = ptx.find('{', at);
    if (!is_directive_start(ptx, at) || body == std::string::npos) continue;
    std::string_view head(ptx.data() + at, body - at);
    bool bounded = head.find(".maxnreg") != head.npos || head.find(".maxntid") != head.npos ||
                   head.find(".minnctapersm") != head.npos;
    if (bounded) continue;
    changed.append(ptx, from, body - from);
    changed += fmt::format(".maxnreg {}\n", limit);
    from = body;
  }
  changed.append(ptx, from);
  return changed;
}

std::string name_clusters(const std::string& ptx) {
  constexpr std::string_view kMark = "// drywarp.cluster ";
  std::string changed = ptx;
  for (size_t at = changed.find(kMark); at != std::string::npos; at = changed.find(kMark)) {
    const size_t end = std::min(changed.find('\n', at), changed.size());
    std::istringstream words(changed.substr(at + kMark.size(), end - at - kMark.size()));
    std::string kernel;
    unsigned x = 1, y = 1, z = 1;
    words >> kernel >> x >> y >> z;
    changed.erase(at, end - at);
    const size_t entry = changed.find(fmt::format(".entry {}(", kernel));
    const size_t body = entry == std::string::npos ? entry : changed.find('{', entry);
    if (body != std::string::npos)
      changed.insert(body, fmt::format(".explicitcluster\n.reqnctapercluster {}, {}, {}\n", x, y, z));
  }
  return changed;
}

std::string pack_images(std::span<const std::pair<int, std::string>> images) {
  std::string entries;
  for (const auto& [capability, ptx] : images) {
    std::string payload = ptx + '\0';
    payload.resize((payload.size() + 7) / 8 * 8, '\0');
    FatbinEntry entry;
    entry.payload_size = payload.size();
    entry.sm = uint32_t(capability);
    append_bytes(entries, entry);
    entries += payload;
  }
  FatbinHeader header;
  header.size = entries.size();
  std::string bytes;
  append_bytes(bytes, header);
  return bytes + entries;
}

}  // namespace drywarp::compile
