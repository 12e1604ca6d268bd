// The passes over the code of a function, each in a file of its own; shapes.h and block_races.h have more.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "language/analysis/code_numbers.h"
#include "language/ir/kernel.h"

namespace drywarp::analysis {

// ---- control_flow.cpp

// The control-flow graph of a function: predecessors, order, and immediate post-dominators, where diverged lanes
// reconverge (Fung et al., "Dynamic Warp Formation", MICRO 2007).
struct ControlFlow {
  std::vector<std::vector<ir::BlockId>> predecessors;
  std::vector<ir::BlockId> order;  // reverse post-order of the reachable blocks, entry first
  std::vector<bool> reachable;
  std::vector<ir::BlockId> reconvergence;  // immediate post-dominator of each block; kExit: only the function's end
  std::vector<bool> loop_header;           // some edge from a later or equal block in `order` leads here
};

ControlFlow control_flow(const ir::Function& function);

// The immediate dominator of each block; the entry is its own, and an unreachable block has none (kNone).
std::vector<ir::BlockId> immediate_dominators(const ir::Function& function, const ControlFlow& flow);

// The blocks of the loop that begins at `header`, which comes first: all from which a path leads back to it.
[[nodiscard]] std::vector<ir::BlockId> loop_body(const ControlFlow& flow, ir::BlockId header);

// The blocks that lanes can run between leaving `block` and reaching its reconvergence point, as a flag a block.
std::vector<bool> divergent_region(const ir::Function& function, const ControlFlow& flow, ir::BlockId block);

// ---- liveness.cpp

// Which registers hold values that a lane can still read.

// A set of registers of one function.
class RegisterSet {
 public:
  explicit RegisterSet(size_t registers = 0) : words_((registers + 63) / 64, 0) {}
  [[nodiscard]] bool has(ir::RegisterId r) const { return words_[r / 64] >> (r % 64) & 1; }
  void add(ir::RegisterId r) { words_[r / 64] |= uint64_t{1} << (r % 64); }
  void remove(ir::RegisterId r) { words_[r / 64] &= ~(uint64_t{1} << (r % 64)); }
  // True if the union grew.
  bool merge(const RegisterSet& other);
  [[nodiscard]] std::vector<ir::RegisterId> list() const;
  bool operator==(const RegisterSet&) const = default;

 private:
  std::vector<uint64_t> words_;
};

// Calls `visit(register)` for every register that the instruction reads (guard and addresses included) or writes.
template <class Visit>
void for_each_use(const ir::Instruction& in, Visit visit) {
  if (in.guard) visit(in.guard.reg);
  for (const auto& s : in.src)
    if (s.kind == ir::Operand::Kind::Register) visit(s.id);
  for (const auto* a : {&in.address, &in.address2})
    if (a->has_value() && (*a)->reg != ir::kNone) visit((*a)->reg);
  for (const auto& s : in.call_arguments)
    if (s.kind == ir::Operand::Kind::Register) visit(s.id);
}
template <class Visit>
void for_each_definition(const ir::Instruction& in, Visit visit) {
  for (const auto& d : in.dst)
    if (d.kind == ir::Operand::Kind::Register) visit(d.id);
  for (const auto& d : in.call_results)
    if (d.kind == ir::Operand::Kind::Register) visit(d.id);
}

struct Liveness {
  std::vector<RegisterSet> live_in;  // a block
};

// ---- word_parts.cpp

// A compare-and-swap of a word that swaps one or two bytes of it, and the rest for itself, as cuda::atomic_ref of small
// types does; or a load of what such a one compares with.
struct WordPart {
  ir::RegisterId address = ir::kNone;  // of the bytes; kNone: they are `offset` bytes behind the word's
  uint32_t offset = 0;
  uint32_t bytes = 0;  // 0: the instruction is for the whole word
  bool operator==(const WordPart&) const = default;
};
// By instruction; empty: none has such a part.
[[nodiscard]] std::vector<WordPart> word_parts(const ir::Function& function);

// The addresses in `parts` count as read.
Liveness liveness(const ir::Function& function, const ControlFlow& flow, std::span<const WordPart> parts = {});

// ---- used_reads.cpp

// Plain loads whose value only some lanes go on to use: a compiler loads a variable before the condition under which
// the program looks at it, and may compute there with it. Nothing that orders threads is between the load and the uses.
struct UsedReads {
  std::vector<bool> early;                      // by instruction; empty: there are none
  std::vector<std::vector<uint32_t>> at_block;  // such loads whose value is first used there
};
[[nodiscard]] UsedReads used_reads(const ir::Function& function, const ControlFlow& flow, const Liveness& live);

// ---- short_circuits.cpp

// Joins the two branches of `a || b` and `a && b` as ptxas does where b takes few instructions: all lanes compute b.
[[nodiscard]] ir::Function join_short_circuits(ir::Function function);

// ---- held_exits.cpp

// Leads edges that leave a loop, or end lanes, inside a branch through the point where the branch's sides meet as long
// as they stay, so that immediate post-dominators are where a GPU's lanes reconverge. The flags and jumps are
// Origin::Held.
[[nodiscard]] ir::Function hold_leaving_lanes(ir::Function function);

// Whether the instruction sets such a flag for lanes that leave; what clears one does not.
[[nodiscard]] bool sets_held_flag(const ir::Instruction& instruction);

// ---- split_blocks.cpp

// Splits blocks so that every instruction at which lanes of a warp or warps of a block wait for each other starts a
// block of its own: there, a diverged warp can be handed to the lane-group scheduler, and lane groups can wait. A call
// ends its block: lanes return from it one group at a time.

// bar, barrier: warps of the block wait for each other.
[[nodiscard]] bool waits_for_warps(const ir::Instruction& in);

// A call that is really made: neither inlined nor answered by the engine itself (mathematics, printf ...).
[[nodiscard]] bool really_calls(const ir::Module& module, const ir::Instruction& in);

// In a really called function an exchange is a block of its own, so that lanes in different calls can exchange.
[[nodiscard]] ir::Function split_at_waits(const ir::Module& module, ir::Function function);

// The function as the engine runs it: calls inlined, short conditions joined, lanes that leave held until others meet,
// blocks split at waits.
[[nodiscard]] ir::Function code_to_run(const ir::Module& module, const ir::Function& function);

// ---- called_functions.cpp

// The kernel, and the functions that it really calls at any depth: those that are called directly, and all whose
// address is taken if one is called through a pointer. In the order of their numbers (code_numbers.h). `code_of`: a
// function as the engine runs it.
[[nodiscard]] std::vector<ir::FunctionId> functions_to_run(
    const ir::Module& module, ir::FunctionId kernel, const std::function<const ir::Function&(ir::FunctionId)>& code_of);

// A kernel and the functions that it really calls, as the engine runs them.
struct KernelToRun {
  std::map<ir::FunctionId, ir::Function> functions;
  std::vector<CodePart> parts;  // the kernel first
};
[[nodiscard]] KernelToRun kernel_to_run(const ir::Module& module, ir::FunctionId kernel);

// ---- waiting_loops.cpp

// Loops in which a lane can wait for another thread: locks, flags, barriers of the whole grid.
enum class Waiting : uint8_t {
  Never,    // reads nothing that another thread may write while the loop runs
  Perhaps,  // reads such a value
  Only,     // ... and does nothing else: an iteration has no side effects, so each polls the same condition
};

// A loop that polls what other threads write: an iteration in vain changes nothing, so the next one polls again.
struct PollLoop {
  ir::BlockId header = 0;
  std::vector<bool> inside;     // by block
  std::vector<bool> idle;       // by block: of the loop, and an iteration through such blocks alone changes nothing
  std::vector<uint32_t> reads;  // instructions by which it polls
};

struct WaitingLoops {
  std::vector<Waiting> header;   // by block; Never where no loop begins
  std::vector<bool> after;       // blocks to which loops that only wait exit
  std::vector<bool> on_objects;  // by block: of a loop that only waits, for barrier objects (mbarrier) alone
  // By block: of a loop that changes nothing but by repeatable attempts, and that what it reads alone can end.
  std::vector<bool> endless;
  std::vector<bool> after_endless;  // blocks to which such loops exit
  std::vector<PollLoop> polls;      // those of `header` that can poll in vain, but not those that poll barrier objects
  std::vector<bool> polls_header;   // by block: such a loop begins
  std::vector<bool> after_polls;    // by block: such a loop exits there
};

// %clock, %clock64, %globaltimer and their halves.
[[nodiscard]] bool reads_clock(const ir::Instruction& in);

WaitingLoops waiting_loops(const ir::Module& module, const ir::Function& function, const ControlFlow& flow,
                           const Liveness& live);

// ---- racing_loops.cpp

// Loops whose end depends on memory that other threads change meanwhile, though they wait for nobody: of union-find, of
// pointer jumping, of tables with open addresses. How often they run depends on how far the others are.
struct RacingLoops {
  // By block: such a loop begins, on shared memory that other warps may write before the next barrier.
  std::vector<bool> in_block;
  // ... on global memory that the function may write.
  std::vector<bool> in_grid;
  std::vector<uint32_t> loads;  // instructions that decide in the latter
  bool atomics = false;         // so do atomics
  // Loops with a YIELD, by their first blocks, and the blocks (by block) of each: ptxas puts one into a loop that ends
  // by what the program says that others write, whether anybody does: by volatile loads, loads with an order, or
  // atomics. It puts none into a loop that votes end, nor into an unrolled one that counts. A YIELD releases all lanes
  // that wait for those in the loop.
  std::map<ir::BlockId, std::vector<bool>> yielding;
  [[nodiscard]] bool any_in_block() const { return std::ranges::find(in_block, true) != in_block.end(); }
  [[nodiscard]] bool any_in_grid() const { return atomics || !loads.empty(); }
};
RacingLoops racing_loops(const ir::Module& module, const ir::Function& function, const ControlFlow& flow,
                         const WaitingLoops& waiting);

// ---- block_barriers.cpp

// Stores to shared memory after a barrier and loads, with no barrier between: other warps may still have to read the
// old value. Such a program has a race. On a GPU, whose warps run side by side, the readers win in practice; here warps
// run one after the other, so the writer must wait for them.
//
// By instruction: whether it overwrites what another warp may still read since the last barrier. On each path between
// barriers only the first such instruction is marked: one wait is enough.
std::vector<bool> overwrites_late_readers(const ir::Function& function, const ControlFlow& flow);

// ---- thread_ends.cpp

// Where threads end, and what a guard such as `if (i >= n) return` stands before.
struct ThreadEnds {
  std::vector<bool> only_ends;     // by block: a thread at its beginning does nothing more than end
  std::vector<bool> behind_guard;  // by block: reached from a branch at which other threads end
  [[nodiscard]] bool at_end(ir::BlockId block) const { return block == ir::kExit || only_ends[block]; }
};
[[nodiscard]] ThreadEnds thread_ends(const ir::Function& function);

// ---- chosen_ends.cpp

// By block: a branch at which some threads end, and the thread's place in its block alone decides which. It is no guard
// against the end of data.
[[nodiscard]] std::vector<bool> chosen_ends(const ir::Function& function, const ControlFlow& flow,
                                            const ThreadEnds& ends);

// ---- address_arithmetic.cpp

// By instruction: whether all that it computes ends in addresses of memory accesses, directly or through others like
// it.
[[nodiscard]] std::vector<bool> address_arithmetic(const ir::Function& function);

// ---- loop_exits.cpp

// By block: whether a loop contains it and one of its successors is outside of that loop: lanes leave the innermost
// loop here, some of them perhaps in an earlier iteration than others.
[[nodiscard]] std::vector<bool> loop_exits(const ir::Function& function, const ControlFlow& flow);

// ---- active_masks.cpp

// By instruction: a shuffle, a reduction or a __syncwarp() whose mask is what activemask gave, and that nothing else in
// the function looks at. So the function cannot know which lanes take part. Votes and matches answer for whichever
// lanes do, and count as no look at the mask.
[[nodiscard]] std::vector<bool> unread_active_masks(const ir::Function& function);

// ---- unread_values.cpp

// It computes its results, and does nothing else.
[[nodiscard]] bool only_computes(const ir::Instruction& in);
// By instruction: a load or an atomic whose value reaches no branch, no memory, no address and no other thread.
[[nodiscard]] std::vector<bool> unread_values(const ir::Function& function);

// ---- shared_variables.cpp

struct SharedVariables {
  std::vector<ir::SymbolId> all;  // of shared memory, that the function declares or uses; each once
  // By instruction: the one from whose address that of its access is computed; kNone: no one, more than one, or it is
  // not known. Addresses that went through memory are not known.
  std::vector<ir::SymbolId> accessed;
};
// A kernel, and the functions that it really calls.
struct CalledCode {
  ir::FunctionId id = 0;
  const ir::Function* code = nullptr;  // that runs
};
[[nodiscard]] std::vector<SharedVariables> shared_variables(const ir::Module& module,
                                                            std::span<const CalledCode> parts);

// ---- pointer_sources.cpp

// Where a pointer is that a kernel loads.
struct PointerSource {
  // Kept: at a place in the kernel's parameters or in a variable of the module. Listed: somewhere in the allocation
  // that a pointer at such a place names. InVariable: somewhere in the variable. Beyond: where such a one leads, and so
  // on. OfVariable: it is the variable's address, which is loaded from nowhere.
  enum class Kind : uint8_t { Kept, Listed, InVariable, Beyond, OfVariable };
  Kind kind = Kind::Kept;
  ir::SymbolId variable = ir::kNone;  // kNone: the parameters
  uint64_t offset = 0;                // of the place
  bool operator==(const PointerSource&) const = default;
};
// The pointers from which alone addresses of accesses are computed.
struct PointerSources {
  std::vector<PointerSource> all;  // never OfVariable
  // By instruction of a kernel's code: a number among them. kNone: that is not known, or there is none. Addresses that
  // went through other memory, or through functions that are really called, are not known.
  std::vector<uint32_t> of;
};
[[nodiscard]] PointerSources pointer_sources(const ir::Module& module, const ir::Function& code);
// By register: whether all that it holds are addresses computed from one pointer of many at a source, the one that was
// loaded last. Not if the function takes the distance of two of these, which may lead from one to the other. Empty:
// there are none.
[[nodiscard]] std::vector<bool> computed_addresses(const ir::Module& module, const ir::Function& code);

// ---- block_size.cpp

// Whether blocks of another size, of whole warps and along x alone, do the same work if they have as many threads in
// all: threads know themselves by %ctaid.x * %ntid.x + %tid.x alone, and share nothing in their block.
[[nodiscard]] bool any_block_size(const ir::Module& module, const ir::Function& code);

// How many of a block's sixteen named barriers (bar.sync 0 .. 15) a kernel uses, as ptxas counts them.
//
// One more than the highest number; all sixteen if a number is not known before the kernel runs; 0: no barriers.
[[nodiscard]] uint32_t named_barriers(const ir::Function& code);

}  // namespace drywarp::analysis
