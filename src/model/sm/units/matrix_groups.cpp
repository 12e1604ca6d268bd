#include "model/sm/units/matrix_groups.h"

#include <algorithm>

namespace drywarp::sm {

MatrixGroups::Groups& MatrixGroups::groups_of(uint32_t warp) {
  if (warp >= groups_.size()) groups_.resize(s.warps.size());
  Groups& groups = groups_[warp];
  if (groups.serial != s.warps[warp].serial) groups = {}, groups.serial = s.warps[warp].serial;
  return groups;
}

// The pipe is taken for the product's time, or for that of reading its factors from shared memory if that is longer.
Effect MatrixGroups::multiply(uint32_t number, uint32_t index, const Decoded& in, Cycles now) {
  SubPartition& part = s.parts[number];
  Groups& groups = groups_of(index);
  const Cycles reads = in.wavefronts / s.model.shared_wavefronts_per_cycle;
  Cycles read = s.sms[part.sm].shared.take(now, reads) + reads;
  if (s.model.memory.l1.unified) read = std::max(read, s.memory.take_data_pipe(part.sm, now, reads) + reads);
  Cycles& pipe = part.pipe_free[unsigned(in.pipe)];
  const Cycles late = std::max(0.0, read - pipe);
  pipe = std::max(pipe + late + s.model.group_start_cycles, now + s.model.group_interval);
  groups.last = std::max(groups.last, now + in.latency + late);
  if (in.ends_group) groups.ended.push_back(groups.last);
  Effect effect;
  effect.result = now + 1;
  return effect;
}

Effect MatrixGroups::wait(uint32_t index, const Decoded& in, Cycles now) {
  Groups& groups = groups_of(index);
  Cycles done = in.pending == 0 ? groups.last : 0;
  for (; groups.ended.size() > in.pending; groups.ended.pop_front()) done = std::max(done, groups.ended.front());
  Effect effect;
  effect.next = std::max(now + 1, done);
  effect.next_reason = Stall::MathPipeThrottle;
  return effect;
}

}  // namespace drywarp::sm
