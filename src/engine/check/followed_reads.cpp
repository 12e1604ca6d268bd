// Reads whose values go through functions that are really called, one of which may compare what another one has read.
#include <algorithm>
#include <utility>

#include "base/access/lanes.h"
#include "engine/check/thread_order.h"

namespace drywarp::check {

void ThreadOrder::FollowedRead::add(const TestedLanes& test, uint32_t lane) {
  Stage stage{test.test, {}};
  for (size_t i = 0; i < stage.others.size(); ++i) stage.others[i] = test.others[i][lane];
  stages.push_back(stage);
}

bool ThreadOrder::FollowedRead::same_answers(uint64_t a, uint64_t b) const {
  return std::ranges::all_of(stages, [&](const Stage& stage) {
    uint64_t next_a = 0, next_b = 0;
    const bool same = stage.test.answer(a, stage.others, &next_a) == stage.test.answer(b, stage.others, &next_b);
    a = next_a, b = next_b;
    return same;
  });
}

// What an acquiring read learns orders the read itself, which is compared at once.
bool ThreadOrder::follow(uint32_t warp, uint32_t lane, uint32_t access, const Reading& r, const TestedLanes& test,
                         const observe::CallValue& to) {
  constexpr size_t kWord = 4;
  const uint64_t first = r.address / kWord, last = (r.address + r.bytes - 1) / kWord;
  auto read = std::make_unique<FollowedRead>();
  if (acquires(r.order) || r.unread || last - first >= read->end.size()) return false;
  for (uint64_t word = first; word <= last; ++word) {
    const ReleasedWords::History* const history = words(r.memory).history(word);
    if (!history) return false;
    read->end[word - first] = history->end();
  }
  read->reading = r, read->access = access, read->goes_to = to;
  read->add(test, lane);
  thread(warp, lane).followed = std::move(read);
  following_[warp] |= LaneMask{1} << lane;
  return true;
}

void ThreadOrder::settle(uint32_t warp, LaneMask lanes, bool by_answers) {
  for_lanes(lanes & following_[warp], [&](uint32_t lane) {
    const std::unique_ptr<FollowedRead> read = std::move(thread(warp, lane).followed);
    following_[warp] &= ~(LaneMask{1} << lane);
    read->by_answers = by_answers;
    const Reading& r = read->reading;
    for (uint64_t word = r.address / 4; word <= (r.address + r.bytes - 1) / 4; ++word)
      acquire(warp, lane, word, r, read.get());
    if (read->fence) fence_lanes(*read->fence);
  });
}

void ThreadOrder::begin_access(const observe::Access& a) {
  if (a.memory == Memory::Local) return;
  LaneMask again = 0;  // what the lane has read there before is gone
  for_lanes(a.lanes & following_[a.warp], [&](uint32_t lane) {
    if (a.followed && thread(a.warp, lane).followed->access == a.access) again |= LaneMask{1} << lane;
  });
  settle(a.warp, again, true);
  settle(a.warp, a.lanes, false);
}

void ThreadOrder::followed(const observe::Followed& f) {
  LaneMask ends = 0;
  for_lanes(f.lanes & following_[f.warp], [&](uint32_t lane) {
    FollowedRead& read = *thread(f.warp, lane).followed;
    if (!(read.goes_to == f.as)) return;
    read.add(*f.tested, lane);
    read.goes_to = f.goes_to;
    if (f.tested->test.goes_on == 0) ends |= LaneMask{1} << lane;
  });
  settle(f.warp, ends, true);
}

}  // namespace drywarp::check
