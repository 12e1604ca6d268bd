// Turns in loops that others' writes end sooner or later (analysis/racing_loops): warps advance together there, an
// iteration each.
//
// In a loop with a YIELD (analysis::RacingLoops::yielding) the lanes of a warp do so too. Those that leave do not wait
// for those that stay: those that leave in one iteration run on together, apart from all others, until they begin an
// iteration of such a loop, where others may be, or all lanes must be together. When all that run wait, the next ones
// in the order of the program go on: on an H200 a warp of two nested loops, two loops behind each other and one of
// compare-and-swaps logged the time of each step.
#pragma once

#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {

// Whether a loop begins at a block of the function in which the warp takes turns with others; or its lanes do.
bool takes_turn(const Warp& warp, const Activation& function, uint32_t block);
bool yields(const Warp& warp, const Activation& function, uint32_t block);
// Of the running function: others have their turn.
void take_turn(Warp& warp, uint32_t block);

// What LaneGroup::apart becomes of lanes that go from the block that ran last to another one.
uint32_t apart_behind(Warp& warp, uint32_t block);
// The warp form hands over at such a loop's beginning: see dw_take_turn. Lanes that wait elsewhere do so no longer.
void begin_apart(Warp& warp, uint32_t block);
// Lanes have come to such a loop where others wait already, and their companions have passed it by: the loop has one
// iteration before these run on, with those that leave it then.
void begin_joined(Warp& warp);
// The lanes that wait at the beginning of a loop have an iteration; other warps have their turn before, if they take
// turns in it.
void begin_turn(Warp& warp, Activation& function, uint32_t block);

}  // namespace drywarp::exec
