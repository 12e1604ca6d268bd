#include <algorithm>
#include <cmath>

#include "model/machine/machine_model.h"

namespace drywarp::machine {

MachineModel slice(const MachineModel& model, uint32_t sms) {
  MachineModel part = model;
  if (sms >= model.sms || sms == 0) return part;
  const double share = static_cast<double>(sms) / model.sms;
  part.sms = part.memory.sms = sms;
  part.dispatch_cycles /= share;
  memory::L2Parameters& l2 = part.memory.l2;
  for (uint64_t* bytes : {&l2.bytes, &l2.dirty_bytes, &l2.partial_bytes})
    *bytes = static_cast<uint64_t>(static_cast<double>(*bytes) * share);
  if (l2.coalescers != 0) l2.coalescers = std::max(1u, static_cast<uint32_t>(std::lround(l2.coalescers * share)));
  if (l2.atomic_units == 0) l2.atomic_units = l2.slices;
  l2.atomic_unit_share *= share;
  // The slice has whole L2 slices and channels. Their rates compensate for the rounding.
  const uint32_t together = std::max(1u, l2.partitions);
  const double slices = l2.slices * share;
  l2.slices = together * std::max(1u, static_cast<uint32_t>(std::lround(slices / together)));
  for (double* rate : {&l2.bytes_per_cycle, &l2.write_bytes_per_cycle, &l2.lines_per_cycle, &l2.peaks.requests,
                       &l2.peaks.sectors, &l2.peaks.sectors_out, &l2.peaks.packets_in})
    *rate *= slices / l2.slices;
  l2.fabric_bytes_per_cycle *= share;
  memory::DramParameters& dram = part.memory.dram;
  const double channels = dram.channels * share;
  dram.channels = std::max(1u, static_cast<uint32_t>(std::lround(channels)));
  dram.bytes_per_cycle *= channels / dram.channels;
  return part;
}

void share_lines(MachineModel& part, const MachineModel& whole, double first_fetched) {
  memory::L2Parameters& l2 = part.memory.l2;
  if (l2.bytes == 0) return;  // no cache keeps lines that others fetched
  l2.first_fetch_share = std::clamp(first_fetched, 0.0, 1.0);
  const auto all = static_cast<double>(whole.memory.l2.bytes);
  l2.bytes = static_cast<uint64_t>(std::min(all, static_cast<double>(l2.bytes) / std::max(l2.first_fetch_share, 1e-3)));
}

}  // namespace drywarp::machine
