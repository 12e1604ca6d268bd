// A function's loops, and the function itself: where the sides of a branch meet as long as lanes stay in one.
#pragma once

#include <optional>
#include <vector>

#include "language/analysis/passes.h"

namespace drywarp::analysis {

// The blocks of a loop, or of the whole function, with the edges that stay in it. Where a loop's header follows, or
// nothing, the level ends. The function must outlive it.
class Level {
 public:
  // `header`: ir::kNone for the whole function.
  Level(const ir::Function& f, std::vector<ir::BlockId> blocks, ir::BlockId header);

  [[nodiscard]] bool is_function() const { return header_ == ir::kNone; }
  [[nodiscard]] size_t size() const { return blocks_.size(); }
  [[nodiscard]] const std::vector<ir::BlockId>& blocks() const { return blocks_; }  // sorted

  // Where the sides of a branch meet in this level: a block of it; nothing: only at its end, in a function.
  [[nodiscard]] std::optional<ir::BlockId> meets(ir::BlockId b) const;
  // Whether no lane comes from here to the level's end: it leaves in any case.
  [[nodiscard]] bool always_leaves(ir::BlockId b) const;
  // Whether the edge leaves the level, or ends the lanes that take it.
  [[nodiscard]] bool leaves(ir::BlockId from, ir::BlockId to) const;

 private:
  // Places in blocks_; the end's is behind the last.
  [[nodiscard]] uint32_t end() const { return static_cast<uint32_t>(blocks_.size()); }
  [[nodiscard]] uint32_t place_of(ir::BlockId b) const;
  [[nodiscard]] std::vector<uint32_t> post_dominators() const;

  const ir::Function* f_;
  std::vector<ir::BlockId> blocks_;
  ir::BlockId header_;
  std::vector<uint32_t> above_;  // the immediate post-dominator's place, by place; ir::kNone: never comes to the end
};

// All loops, inner ones first, then the function itself. A cycle with two entries is no level of its own.
// `dominator`: immediate_dominators of the function.
[[nodiscard]] std::vector<Level> levels(const ir::Function& f, const ControlFlow& flow,
                                        const std::vector<ir::BlockId>& dominator);

}  // namespace drywarp::analysis
