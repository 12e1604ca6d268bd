#include "model/timeline/pipelined.h"

#include <algorithm>

namespace drywarp::timeline {

std::vector<Operation> pipelined(const std::vector<Operation>& operations, uint32_t parts) {
  std::vector<Operation> out;
  out.reserve(operations.size() * parts);
  // Part by part, as a program with a stream a part would issue them. Operation o's part p has the place
  // p * operations.size() + o.
  for (uint32_t part = 0; part < parts; ++part)
    for (const Operation& whole : operations) {
      Operation& o = out.emplace_back(whole);
      o.stream = part;
      o.synchronous = false;
      o.host_ns = 0;
      if (o.kind == Kind::Wait) o.kind = Kind::Mark;
      const double before = std::min(o.shape.overhead_ns, o.duration_ns);
      o.duration_ns = before + (o.duration_ns - before) / parts;
      o.shape.blocks = std::max(o.shape.blocks / parts, 1.0);
      for (uint32_t& on : o.after) on += part * static_cast<uint32_t>(operations.size());
    }
  return out;
}

}  // namespace drywarp::timeline
