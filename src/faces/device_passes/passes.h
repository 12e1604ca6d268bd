// The passes that the plug-in adds to clang's device compilation, and what they share.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>

#include <algorithm>

namespace drywarp::device_passes {

// Dynamic parallelism, in sources that compile/device_launches has prepared, whose kernels clang sees as functions of
// the device: turns the call of a kernel that stands between our two marks into the calls of CUDA's device runtime that
// launch it, and gives static kernels the names that clang gives them elsewhere.
struct DeviceLaunches : llvm::PassInfoMixin<DeviceLaunches> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }  // without optimization too
};

// Lanes may pass undefined values to what exchanges values between lanes, directly or in functions that it calls, as in
// nvcc: of `if (lane == 0) x = f(); x = __shfl_sync(~0u, x, 0);` clang concludes that the lane is always 0.
struct ExchangedValues : llvm::PassInfoMixin<ExchangedValues> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// Relocatable device code: gives each static variable and function of a source one name.
//
// A static variable that the host also uses gets a global name with the unit's id (x -> x__static__1f...). clang
// renames it where it meets the host's use, so kernels before that refer to an undefined external `x`: the pass makes
// them refer to the definition. It also removes clang's list of symbols that other sources use,
// __clang_gpu_used_external, which would declare other sources' kernels as external functions.
struct UnitNames : llvm::PassInfoMixin<UnitNames> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }  // without optimization too
};

// Keeps static variables of the device, as nvcc does: the host may write them by their names (cuModuleGetGlobal), which
// clang cannot see.
struct StaticVariables : llvm::PassInfoMixin<StaticVariables> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// __cluster_dims__ is an annotation, for LLVM 19 has no directive of PTX for it: notes each kernel's as a comment at
// the head of the PTX, from which compile/ptx_text makes the directive.
struct ClusterDimensions : llvm::PassInfoMixin<ClusterDimensions> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }  // without optimization too
};
inline constexpr llvm::StringLiteral kClusterAnnotation = "drywarp.cluster", kClusterMark = "// drywarp.cluster";

// Turns copies of small structures into accesses to their members, all loads before all stores.
//
// `float4 v = in[i]` is a memcpy in LLVM's IR. SROA cannot split it if the variable is only copied (PTX has no 16-byte
// integer), and the variable stays in local memory. nvcc copies member by member. Members of equal size that fill an
// aligned access of 4, 8 or 16 bytes (float4, uchar4, double2) become one vector access, as in nvcc, however many of
// them are used. If only one member is used, nvcc loads that member alone (LoneMembers).
struct MemberCopies : llvm::PassInfoMixin<MemberCopies> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

// Narrows a vector load of which only one element is used. Runs last.
struct LoneMembers : llvm::PassInfoMixin<LoneMembers> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

// Widens the memcpys that remain at the end because their type is unknown. Aligned copies of 16 bytes become one
// access; the PTX backend would make two of 8 bytes. Long copies become a loop with the widest aligned access; the
// backend would copy byte by byte. nvcc does both, and counts of sectors and requests must not depend on the compiler.
// Short copies to and from local variables stay as they are.
struct WidenCopies : llvm::PassInfoMixin<WidenCopies> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

// Forgets what values %tid, %ntid and their like can have. nvcc divides an index that is an int as if it could be
// negative (t / 8), and sees no small bound in how often `for (int i = threadIdx.x; i < 512; i += 64)` runs, so that
// the loop is unrolled by a factor that divides the run-time count.
struct UnknownRanges : llvm::PassInfoMixin<UnknownRanges> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

// Hides from clang that a divisor is a power of two because each iteration of a loop doubles or halves it, as in
// `t % (2 * stride)`: clang would make a mask of the remainder. nvcc divides, and half the time of such a loop goes
// there. Between this pass and RevealedDivisors, which removes it again, the divisor goes through inline assembly. Runs
// before the first combination of instructions.
struct HiddenDivisors : llvm::PassInfoMixin<HiddenDivisors> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// After loops are unrolled: where the divisor has become a constant. At the end: everywhere.
struct RevealedDivisors : llvm::PassInfoMixin<RevealedDivisors> {
  explicit RevealedDivisors(bool all) : all_(all) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }

 private:
  bool all_;
};

// Makes in[threadIdx.x + 5] an offset of in[threadIdx.x]'s address, as in nvcc: says of additions that they cannot
// wrap, for which the values of %tid and its like are known for a moment. Runs last.
struct AddressOffsets : llvm::PassInfoMixin<AddressOffsets> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

// Says of inline assembly without side effects, such as that of our expf, that its lanes need not be together: clang
// takes all assembly for a barrier, and does not unroll a loop with one by a run-time count.
struct PureAssembly : llvm::PassInfoMixin<PureAssembly> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

// Says of mathematical functions, which stay calls (__nv_exp), that they read and write no memory but what they get
// pointers to, and that their lanes need not be together: clang computes them once where nvcc, which has their code,
// does.
struct LibraryFunctions : llvm::PassInfoMixin<LibraryFunctions> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// Computes the second condition of `if (a < b && f(c))` or `while (a < b && f(c))` before the branch of the first one,
// so that clang joins both in one branch, where nvcc does: f(c) is short and reads no memory. clang joins what takes a
// single instruction. Runs before clang simplifies control flow.
struct JoinedConditions : llvm::PassInfoMixin<JoinedConditions> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

// Keeps loops with several `continue` one loop. Where clang knows of one of them that the loop goes on, it branches to
// the loop's start from there, and then makes an inner loop of the other ways back: lanes that take the first one wait
// until all others have left it. nvcc tests the condition in one place for all, so that lanes reconverge in each
// iteration. A search by backtracking executed 11 times as many instructions on an H100. Gives such a loop one block
// that goes back, with a mark that clang may not duplicate. Runs before clang simplifies loops.
struct SingleLatches : llvm::PassInfoMixin<SingleLatches> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};
// Removes the marks. Runs last.
struct FreedLatches : llvm::PassInfoMixin<FreedLatches> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }
};

// Decides, before clang does, which innermost loops become straight code, and how many iterations at once others take,
// by nvcc's measure. An outer loop is measured right behind its inner loop's unrolling, before what is the same in each
// iteration leaves the loop. Loops whose count is known at run time alone take four or two iterations at once; clang
// leaves those whose count takes a few instructions to compute, such as `for (int i = threadIdx.x; i < 512; i += 64)`.
struct LoopFactors : llvm::PassInfoMixin<LoopFactors> {
  static llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager&,
                                     llvm::LoopStandardAnalysisResults& analyses, llvm::LPMUpdater&);
};

// Lets clang unroll the parts that LoopFactors has decided.
struct PartsOfLoops : llvm::PassInfoMixin<PartsOfLoops> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

// Gives loops nvcc's counters, by which ptxas decides whether it unrolls them again. It does not where the program's
// counter is used in the loop, and what is left is computed from it: clang compares the counter itself. It does where a
// count of 32 bits is apart; clang reads it from a 64-bit offset that steps through memory. Runs last.
struct Counters : llvm::PassInfoMixin<Counters> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

// Lets a loop's last branch repeat the loop where it is taken, as nvcc's do: `setp.ne; @%p bra loop`, not `setp.eq; @%p
// bra out; bra.uni loop`, which is one instruction more an iteration. Runs last.
struct LoopBranches : llvm::PassInfoMixin<LoopBranches> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

// Gives x | 7 the base that (x & ~7) + 0 to 6 have. clang turns (x & ~7) + 7 into x | 7; the address of a row's last
// element then has no offset from the others' in PTX, and the row cannot be read by vector accesses. Runs last.
struct SharedBases : llvm::PassInfoMixin<SharedBases> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

// Says of accesses how their addresses are aligned, so that the backend reads and writes neighbours of 16 bytes at
// once, as nvcc's does. clang does not know it of shared memory: it sees the variable through a cast of its address
// space. Runs behind SharedBases.
struct AlignedAccesses : llvm::PassInfoMixin<AlignedAccesses> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

// Gives what functions of our headers and of the standard library become the line of the program that called them, as
// if they were intrinsics. PTX of clang 19 does not say where code is inlined from. Accesses that optimization has
// taken the line from get one, too. Runs last.
struct CallersLines : llvm::PassInfoMixin<CallersLines> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }  // without optimization too
};

inline constexpr uint64_t kWidestAccess = 16;  // of a thread, in bytes

// The function's instructions of a kind, collected so that they can be replaced.
template <class Kind>
llvm::SmallVector<Kind*, 8> all_of(llvm::Function& function) {
  llvm::SmallVector<Kind*, 8> out;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* one = llvm::dyn_cast<Kind>(&instruction)) out.push_back(one);
  return out;
}

// Erases the calls that a pass has put there for another; `wanted` has replaced the uses of those that have any.
template <class Wanted>
llvm::PreservedAnalyses erase_calls(llvm::Function& function, Wanted wanted) {
  bool changed = false;
  for (auto* call : all_of<llvm::CallInst>(function)) {
    if (!wanted(*call)) continue;
    call->eraseFromParent();
    changed = true;
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

// The widest access for which both sides of a copy are aligned, in bytes.
inline uint64_t widest_access(const llvm::MemCpyInst& copy) {
  return std::min(
      {kWidestAccess, copy.getSourceAlign().valueOrOne().value(), copy.getDestAlign().valueOrOne().value()});
}

// Answers which memory an address is in, where its variable is known.
struct KnownSpaces : llvm::PassInfoMixin<KnownSpaces> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace drywarp::device_passes
