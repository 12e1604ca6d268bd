#include "profile/record/drawn_launch.h"

namespace drywarp::record {

MachineListing list(const machine::MachineKernel& kernel) {
  MachineListing listing;
  for (const machine::MachineBlock& block : kernel.blocks) {
    const auto region = static_cast<uint32_t>(listing.regions.size());
    std::vector<uint32_t>& path = listing.regions.emplace_back();
    for (const machine::PathStep& step : block.path) path.push_back(step.block);
    for (const machine::MachineInstruction& in : block.instructions) {
      const machine::OperationInfo& operation = machine::info(in.op);
      const size_t number = listing.instructions.size();
      listing.instructions.push_back({number < kernel.texts.size() ? kernel.texts[number] : operation.mnemonic,
                                      operation.mnemonic, machine::name(operation.pipe), in.ptx, in.file, in.line,
                                      region});
    }
  }
  return listing;
}

}  // namespace drywarp::record
