#include "engine/exec/blocks/fiber.h"

#include <gtest/gtest.h>

namespace drywarp::exec {
namespace {

struct Touched {
  Fiber fiber;
  size_t left = 0, frame = 0;
};

// Touches `frame` bytes below its own frame, as compiled code does that keeps all its values there.
void touch(void* argument) {
  Touched& run = *static_cast<Touched*>(argument);
  run.left = run.fiber.stack_left();
  auto* bytes = static_cast<volatile char*>(__builtin_alloca(run.frame));
  for (size_t i = 0; i < run.frame; i += 4096) bytes[i] = 1;
  for (;;) run.fiber.leave();
}

TEST(Fiber, ALargerStackIsMappedWhereOneIsWanted) {
  Touched run;
  ASSERT_TRUE(run.fiber.start(touch, &run));
  run.fiber.resume();
  EXPECT_GT(run.left, Fiber::kStackBytes - 65536);
  EXPECT_LE(run.left, Fiber::kStackBytes);
  run.frame = size_t{40} << 20;
  ASSERT_TRUE(run.fiber.start(touch, &run, size_t{48} << 20));
  run.fiber.resume();
  EXPECT_GT(run.left, size_t{47} << 20);
  // A larger one is used again.
  ASSERT_TRUE(run.fiber.start(touch, &run));
  run.fiber.resume();
  EXPECT_EQ(run.fiber.bytes(), size_t{48} << 20);
}

}  // namespace
}  // namespace drywarp::exec
