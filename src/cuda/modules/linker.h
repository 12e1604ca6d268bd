// Links separately compiled units of PTX into one text: for programs with relocatable device code, and for cuLink*.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cuda/device/error.h"

namespace drywarp::cuda {

// Joins the PTX of separately compiled units (-rdc=true) into one text, as a device linker would: resolves external
// declarations, and makes each unit's private names unique. `units`: complete PTX texts. A single unit is returned
// unchanged. Line numbers are not preserved.
[[nodiscard]] std::string link_ptx(const std::vector<std::string>& units);

// The linker behind cuLinkCreate ... cuLinkComplete: joins units of PTX into one PTX text.
class Linker {
 public:
  explicit Linker(unsigned compute_capability) : compute_capability_(compute_capability) {}

  // Copies PTX text, a fat binary or a cubin. InvalidPtx: the text does not parse; InvalidKernelImage: none of these
  // formats; NoKernelImageForDevice: machine code without PTX. `log` gets the reason.
  Error add(std::span<const uint8_t> bytes, const std::string& name, std::string& log);
  // Joins the units. The text, which ends in a NUL, lives as long as the linker.
  Error complete(std::string& log);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  unsigned compute_capability_;
  std::vector<std::string> units_;
  std::string text_;
};

}  // namespace drywarp::cuda
