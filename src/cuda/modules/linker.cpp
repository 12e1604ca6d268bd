#include "cuda/modules/linker.h"

#include "cuda/fatbin/fatbin.h"
#include "cuda/modules/link_ptx.h"
#include "language/ir/build/build.h"
#include "language/ptx/parser.h"

namespace drywarp::cuda {

Error Linker::add(std::span<const uint8_t> bytes, const std::string& name, std::string& log) {
  const auto complain = [&](const Diagnostic& problem, Error error) {
    log += problem.to_string() + "\n";
    return error;
  };
  const auto image = fatbin::read_image(bytes);
  if (!image) return complain(image.problem(), Error::InvalidKernelImage);
  const fatbin::Entry* ptx = image->best_ptx(compute_capability_);
  if (!ptx)
    return complain(error(name + " has no PTX for this device", "link PTX, not machine code"),
                    Error::NoKernelImageForDevice);
  auto text = ptx->contents();
  if (!text) return complain(text.problem(), Error::InvalidKernelImage);
  if (const auto tree = ptx::parse(*text, name); !tree) return complain(tree.problem(), Error::InvalidPtx);
  units_.push_back(std::move(*text));
  return Error::Success;
}

Error Linker::complete(std::string& log) {
  if (units_.empty()) {
    log += "nothing was given to the linker\n";
    return Error::InvalidValue;
  }
  std::string text = link_ptx(units_);
  if (const auto module = ir::parse_module(text, "the linked PTX"); !module) {
    log += module.problem().to_string() + "\n";
    return Error::InvalidPtx;
  }
  text_ = std::move(text);
  return Error::Success;
}

}  // namespace drywarp::cuda
