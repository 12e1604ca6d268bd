// The linker that a program drives itself (cuLinkCreate ... cuLinkComplete): units of PTX in, one PTX text out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cuda/device/error.h"

namespace drywarp::cuda {

class Linker {
 public:
  explicit Linker(unsigned compute_capability) : compute_capability_(compute_capability) {}

  // PTX text, a fat binary or a cubin, copied. InvalidPtx for text that does not parse, InvalidKernelImage for what is
  // none of these, NoKernelImageForDevice for machine code without PTX. `log` gets the reason.
  Error add(std::span<const uint8_t> bytes, const std::string& name, std::string& log);
  // Joins the units; the text, with its NUL, lives as long as the linker.
  Error complete(std::string& log);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  unsigned compute_capability_;
  std::vector<std::string> units_;
  std::string text_;
};

}  // namespace drywarp::cuda
