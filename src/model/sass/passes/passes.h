// The passes between selection and scheduling, by file. kernel_passes() and region_passes() list them in their order.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "model/sass/code/code.h"
#include "model/sass/code/flow.h"
#include "model/sass/code/live.h"
#include "model/sass/code/values.h"

namespace drywarp::sass {

// ---- pass_list.cpp

struct Pass {
  const char* name;
  void (*run)(Kernel& kernel, const Flow& flow);
};
struct RegionPass {
  const char* name;
  void (*run)(Kernel& kernel, std::vector<Region>& regions);
};
// Between select() and form_regions(), in order.
[[nodiscard]] std::span<const Pass> kernel_passes();
// Between form_regions() and scheduling, in order.
[[nodiscard]] std::span<const RegionPass> region_passes();

// ---- optimize.cpp: what ptxas does to several instructions together. Propagates copies and constants, forms
// multiply-adds, shifted additions and three-input logic, folds additions into addresses, computes equal values once,
// drops dead ones.

// All blocks together: a register that the kernel writes once is known everywhere.
void optimize_kernel(Kernel& kernel);
// One LOP3 gives both a logic result and its comparison with zero.
void fuse_zero_tests(Kernel& kernel);
// Each region by itself, without knowledge of other blocks' values. `live`: of the kernel's blocks.
void optimize_regions(Kernel& kernel, std::vector<Region>& regions, const LiveSets& live);

// ---- fold.cpp: two instructions in one: multiply-adds, shifted additions, three-input logic, comparisons with a
// predicate, signs as modifiers, [register + immediate]

// One step of improving `c` with the definitions of its sources; false when there is none.
bool fold(Values& v, Instruction& c);
[[nodiscard]] inline bool is_plain_add(const Instruction& c) {
  return c.op == machine::Operation::Iadd3 && is_plain(c);
}

// ---- fold_floats.cpp: as fold(), of arithmetic of floats

bool fold_rounding(Values& v, Instruction& c);
bool fold_float_signs(Values& v, Instruction& c);
bool fuse_product(Values& v, Instruction& c);
bool fold_literal_product(Values& v, Instruction& c);
bool fold_saturation(Values& v, Instruction& c);

// ---- fold_halves.cpp: what takes a half of a register wherever it lies

// Takes one 16-bit element of a register, and does nothing else to it.
[[nodiscard]] bool takes_half(const Instruction& c);
// Makes a word of two halves.
[[nodiscard]] bool is_pair_of_halves(const Instruction& c);
// As fold(): of half-precision arithmetic and comparisons; of pairs; of stores.
bool fold_halves(Values& v, Instruction& c);
bool fold_pair_of_halves(Values& v, Instruction& c);
bool fold_constant_half(Values& v, Instruction& c);
bool fold_stored_half(Values& v, Instruction& c);
// A left shift by 16, which converts a bfloat16 to 32 bits, drops the upper half: nothing fetches a lower half for it,
// or masks it.
bool fold_bfloat(Values& v, Instruction& c);

// ---- fold_minima.cpp: minima and maxima of integers

bool fold_minimum(Values& v, Instruction& c);
bool fold_selected_minimum(Values& v, Instruction& c);

// ---- fold_predicates.cpp

// The truth table of a LOP3 over `inputs`, a superset of its operands; operand `inner_at` has the truth table `inner`.
[[nodiscard]] unsigned table_over(const Instruction& c, const std::array<Source, 3>& inputs, unsigned count,
                                  unsigned inner_at, unsigned inner);
// As fold(), of PLOP3, and of an integer comparison.
bool fold_predicates(Values& v, Instruction& c);
bool fold_tested_selection(Values& v, Instruction& c);

// ---- fold_words.cpp: 64-bit integers word by word: rotations, words that are known or stay as they are

// As fold(), of 64-bit sums, logic and comparisons.
// Whether both come from one block of the program: a product before a loop stays there, and its sum does not.
[[nodiscard]] bool in_one_block(const Kernel& kernel, const Instruction& a, const Instruction& b);
bool fold_wide_sum(Values& v, Instruction& c);
bool fold_wide_logic(Values& v, Instruction& c);
bool fold_word_compare(Values& v, Instruction& c);

// ---- share_loads.cpp: a load finds what an earlier one of its region found, if nothing can have changed its memory
// since. To ptxas 13 an exchange of lanes changes no memory, and a store to global memory changes no shared memory. Any
// other store and any fence may. (Within a block, nvcc leaves such loads only where an exchange lies between.)

[[nodiscard]] bool can_repeat(const Instruction& load);

// Counts what may change memory along the code.
class MemoryChanges {
 public:
  void note(const Instruction& c);
  [[nodiscard]] uint64_t before(const Instruction& load) const;

 private:
  uint64_t shared_ = 0, global_ = 0;
};

// Vectors. Single values: optimize_regions(), which also follows the copies that this leaves.
void share_vector_loads(Kernel& kernel, std::vector<Region>& regions);

// ---- split_counters.cpp: a loop may read the low word of its 64-bit counter alone, where code in front of it reads
// both words. The counter becomes two values, as ptxas has them. narrow() then halves the loop's.

// After optimization, before narrow().
void split_counters(Kernel& kernel, const Flow& flow);

// ---- sink_moves.cpp: in PTX a loop may move in each iteration what the code behind it gets if this iteration is the
// last. ptxas moves it where the loop ends.

// After optimization.
void sink_moves(Kernel& kernel, const Flow& flow);

// ---- narrow.cpp: drops upper halves without uses. Addresses of shared and local memory have 32 bits whatever their
// type in PTX: 64-bit arithmetic that only computes such addresses becomes 32-bit arithmetic, as in ptxas's code.
void narrow(Kernel& kernel);

// ---- fold_extensions.cpp: a 64-bit sum extends a 32-bit operand itself (IADD3, LEA.HI.X.SX32), where the extended
// value has no other use. So did ptxas 13 in 10 of 10 kernels; with two uses it extends the value once, as for a
// subtrahend; of two such operands it extends one. A counter is such an operand, too.

// After optimization, which forms sums of three.
void fold_extensions(Kernel& kernel);

// ---- fold_shifted_steps.cpp: a LEA adds a literal to a shifted value, too, or sets low bits that the shift has
// cleared. With ptxas 13 so does a shift without other uses, and a left shift whose other uses add it to values, all of
// which become LEAs; two literals leave the shift alone. (20 of 20 generated kernels.)

// After optimization, in which literals become offsets of addresses.
void fold_shifted_steps(Kernel& kernel);

// ---- fold_variable_addresses.cpp: loads of constant variables have the variable's place as a displacement

// After narrow(): addresses are words.
void fold_variable_addresses(Kernel& kernel);

// ---- fold_shared_places.cpp: accesses at known places of shared memory have displacements from the start of the
// block's window; an index is added to the start of its array. (ptxas 13, of five generated kernels.)

// After optimization, in which literals become offsets of addresses.
void fold_shared_places(Kernel& kernel);

// ---- promote_arrays.cpp: ptxas keeps a small array of 32-bit elements in registers, even where an index is known at
// run time only: an access compares it with every place that it may stand for, and moves the element under each
// predicate. ptxas weighs these comparisons, by the loops around them, against what the accesses to local memory
// would cost. The model chooses as ptxas does for 3,144 of
// 3,239 generated kernels.

// After narrow(), which makes addresses of 32 bits.
void promote_arrays(Kernel& kernel, const Flow& flow);
// After optimization of the regions.
void settle_indices(Kernel& kernel, std::vector<Region>& regions);

// ---- jump_tables.cpp: a chain of comparisons of one value with constants, as a switch generates, becomes a jump
// through a table. Seen in hundreds of ptxas 13's chains: from three equalities on, from two in a loop or behind an
// ordered comparison of the same value, and with a mean distance of at most five between cases. Only 32-bit values
// qualify; a final `!=` stays a comparison.

// After optimization, before place_constants().
void form_jump_tables(Kernel& kernel, const Flow& flow);

// ---- aggregate_atomics.cpp: atomics with an unused result become reductions, or write none in shared memory. At a
// uniform address ptxas first reduces the lanes' operands and lets one lane do the atomic; where old values are used,
// every lane derives its own from that lane's. (Read from ptxas 13's code for 7.5, 8.0 and 9.0.)

// After optimization, which finds uniform addresses; before place_constants().
void aggregate_atomics(Kernel& kernel, const Flow& flow);

// ---- share_reciprocals.cpp: 32-bit integer divisions by the same value share its reciprocal with the first one, if
// that runs before them in any case: in blocks that its block dominates, in loops, and behind one loop, but not behind
// a loop that is in another one. So did ptxas 13 for 9.0, of eight kernels.

// After optimization, before hoist_invariants().
void share_reciprocals(Kernel& kernel, const Flow& flow);

// ---- hoist.cpp: of a division in an innermost loop, ptxas computes before it what follows from the divisor alone: its
// reciprocal. (nvcc and clang move most of what can move of the PTX's own instructions; what they compute again, to
// save registers, ptxas moves: simple integer arithmetic. It also moves loads of read-only data.) So did ptxas 13
// for 9.0 with div and rem of u32, div.full and div.approx; of div and rem of s32 with the first one alone, if it is in
// the loop's first block: of 40 generated loops with one to three divisions all followed this rule. Not with div.rn,
// where a branch leaves the loop in some iterations before the division, or where the loop calls a subroutine (slow
// paths of square roots).

// After optimization, before choose_uniform().
void hoist_invariants(Kernel& kernel, const Flow& flow);

// ---- hoist_literals.cpp: ptxas loads a literal before an innermost loop if the loop is short, else in each iteration.

// Whether the instruction loads a literal that another one needs in a register.
[[nodiscard]] bool loads_literal(const Kernel& kernel, const Instruction& c);
// After place_constants().
void hoist_literals(Kernel& kernel, const Flow& flow);

// ---- place_constants.cpp: parameters are loaded before innermost loops, and in each iteration of those around them;
// the bases of arrays in shared memory are shared by the blocks of the same loops, and computed before loops that need
// them in each iteration. So it is in 22 kernels of ptxas 13 for 9.0 that were read, of one to three nested loops.

// Loads constants into registers; literals in each block, and again behind a slow path. After choose_uniform().
void place_constants(Kernel& kernel, const Flow& flow);
// An ALU instruction takes one operand as an immediate, constant or uniform register, and not the first.
[[nodiscard]] bool takes_operand(const Instruction& c);
// Two adjacent words of constant memory need one load.
void merge_constants(std::vector<Instruction>& code);

// ---- place.cpp: what a compiler adds to the program's own instructions

// %tid and the like do not change: reads in later blocks reuse the entry block's.
void share_special_registers(Kernel& kernel);
// Jumps to a block that only ends the kernel become EXIT.
void exit_early(Kernel& kernel);
// Drops jumps to the next block, and jumps that a preceding branch makes redundant when its condition is inverted.
void drop_jumps(Kernel& kernel, const Flow& flow);
// The blocks that lanes run while others of their warp wait at a reconvergence point, or have left a loop around them
// to exit. Lanes that exit from elsewhere part from no one.
[[nodiscard]] std::vector<bool> blocks_of_parted_lanes(const Kernel& kernel, const Flow& flow);
// By header: loops that lanes leave one after the other.
[[nodiscard]] std::vector<bool> loops_with_divergent_exits(const Kernel& kernel, const Flow& flow);
// Adds convergence barriers around divergent branches, and a YIELD to each iteration of loops that what others write
// ends (analysis::RacingLoops).
void place_barriers(Kernel& kernel, const Flow& flow);
// ---- place_breaks.cpp

// Adds BREAK before the branches by which lanes leave a loop inside another branch.
void place_breaks(Kernel& kernel);

// ---- exchange_checks.cpp: where lanes can have parted, an exchange first makes sure that its lanes are there. ptxas's
// rules, read from its code (CUDA 13, sm_90) for 130 small kernels:
//
// - WARPSYNC waits for them, once a block if the mask is one for all lanes; a __syncwarp() is one itself.
// - Where two exchanges of a kind are in code that lanes run apart, with no barrier of the block between them, they
//   share code for lanes that are not all there, to which BRA.DIV branches.
// - Lanes with masks of their own are checked in any code: by a WARPSYNC each, or for shared code by MATCH and REDUX.

void place_exchange_checks(Kernel& kernel, const Flow& flow);
// In a region, whose predicated sides are no blocks of their own.
void drop_repeated_checks(Kernel& kernel, std::vector<Region>& regions);

// ---- place.cpp

void place_prologue(Kernel& kernel);

// ---- uniform.cpp: which values live in uniform registers, one per warp (Turing and later). ptxas's rules, read from
// its code for many small kernels:
//
// - A value is uniform if an operation of the uniform datapath computes it from uniform values, constants and the
//   block's number. So is a loop counter if everything written to it is uniform and no loop around these writes has a
//   divergent exit.
// - A per-lane instruction reads one uniform register, in the slot of an immediate. A value that is read elsewhere, or
//   beside an immediate or another uniform register, is per lane. If computing it needs more than one uniform register,
//   it is still computed on the uniform datapath, and moved; beside the immediate of an addition, bases of shared
//   memory alone are.
// - A counter that would have to be moved for any such instruction is per lane.
// - What a per-lane counter is compared with is per lane in a loop that is unrolled by a count (unroll.h).
//
// Of 855 kernels that compute a value in one of ten ways, and use it in one or two of 29, 788 compute it where ptxas 13
// does.

// The uniform datapath's form of a per-lane operation; `op` itself: there is none.
[[nodiscard]] Operation uniform_form(Operation op);
inline bool has_uniform_form(Operation op) { return uniform_form(op) != op; }
// The per-lane form of an operation of the uniform datapath; `op` itself: it is per lane already.
[[nodiscard]] Operation lane_form(Operation op);
// Sets the register file of values that live in uniform registers, and the operations that compute them.
void choose_uniform(Kernel& kernel, const Flow& flow);

// ---- regions.cpp: forms regions: chains of blocks, branches whose short sides are predicated, iterations of unrolled
// loops (unroll.h). The rules are those that `ptxas -O3` of CUDA 13 followed on generated kernels (sm_90).

// In the order of their first blocks, longer paths first. Every block is also a region of its own (a `fallback` if it
// is part of a longer one).
// The blocks that are predicated sides of a branch, by block. Constants need not be placed yet.
std::vector<bool> find_sides(Kernel& kernel, const Flow& flow);
std::vector<Region> form_regions(Kernel& kernel, const Flow& flow);

// ---- pair_products.cpp: both halves of a 32-bit product, as hashes and random numbers need them, are one IMAD.WIDE

// After optimize_regions(), which adds to products.
void pair_products(std::vector<Region>& regions);

// ---- constant_loads.cpp: where all iterations of a loop are straight code, loads of constant variables have known
// addresses, and are constants

// After optimize_regions().
void place_constant_loads(Kernel& kernel, std::vector<Region>& regions);

// ---- merge_accesses.cpp: loads or stores of neighbouring words of shared memory become one of 8 or 16 bytes where the
// address is known to be aligned, as in ptxas's code. Three loads of four words become one of 16 bytes, too, even at
// the end of an array (ptxas 13: 35 of 35 generated kernels). Loads of two words join each other and single words, and
// stores of two words each other (18 of 18).
void merge_accesses(Kernel& kernel, std::vector<Region>& regions);

// ---- predicate_selects.cpp: what only a selection takes is computed under its predicate, in the other value's
// register

// After merge_halves().
void predicate_selects(Kernel& kernel, std::vector<Region>& regions);

// ---- predicate_steps.cpp: a sum with a selection of a literal or zero that nothing else takes adds the literal, and
// moves the value without it under the selection's predicate. So did ptxas 13 in 24 of 24 kernels. A counter of a loop
// needs another move then, for the sum stands beside it. (Of two literals, one is in a register by now.)

// After predicate_selects(): a step that a selection takes is predicated as it is.
void predicate_steps(Kernel& kernel, std::vector<Region>& regions);

// ---- pointer_halves.cpp: moves that make a pair of a pointer whose words a loop steps apart

void pair_pointer_halves(Kernel& kernel, std::vector<Region>& regions);

// ---- merge_halves.cpp: shared loads of neighbouring 16-bit values become one load

// After merge_accesses().
void merge_halves(Kernel& kernel, std::vector<Region>& regions);

}  // namespace drywarp::sass
