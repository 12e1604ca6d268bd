// Measured: which of 4,000 generated loops nvcc 13 unrolls, and by what factor. They have 1 to 110 additions and
// products, with each of 30 other kinds of instruction, and 3 to 1,001 iterations or a count that is known at run time.
#include "faces/device_passes/loop_size.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>

namespace drywarp::device_passes {
namespace {

constexpr unsigned kLongestPart = 202, kLongestWhole = 405, kLongestForArray = 3200;
// The comparison and the branch at a loop's end.
constexpr unsigned kEnd = 2;
// Loops that are longer than this are not unrolled at run-time counts.
constexpr unsigned kLongestAtRunTime = 93;
// Up to so many iterations are tried out: if much of the loop becomes constants, more of it becomes straight code.
constexpr unsigned kTriedIterations = 10, kLargestGain = 400;
constexpr unsigned kRunTimeFactor = 4;

using Values = llvm::SmallPtrSet<const llvm::Value*, 16>;

// A pointer to shared memory has 32 bits, so that an int needs no conversion to be its index.
bool narrow(const llvm::Value* pointer) {
  constexpr unsigned kShared = 3;
  return llvm::getUnderlyingObject(pointer)->getType()->getPointerAddressSpace() == kShared;
}

bool converts_index(const llvm::GetElementPtrInst& address) {
  return !narrow(&address) && llvm::any_of(address.indices(), [](const llvm::Value* index) {
    return llvm::isa<llvm::SExtInst, llvm::ZExtInst>(index);
  });
}

// p[i + 1] is p[i]'s address and a constant here; an addition, a conversion and an address of its own in nvcc. A
// member's address is the structure's and a constant in both.
unsigned cost(const llvm::GetElementPtrInst& address, const llvm::DataLayout& layout) {
  if (!address.hasAllConstantIndices()) return 1;
  const auto* base = llvm::dyn_cast<llvm::GetElementPtrInst>(address.getPointerOperand());
  if (!base || base->hasAllConstantIndices()) return 0;
  llvm::APInt offset(layout.getIndexTypeSizeInBits(address.getType()), 0);
  if (!address.accumulateConstantOffset(layout, offset)) return 0;
  const uint64_t element = layout.getTypeAllocSize(base->getResultElementType());
  return element == 0 || offset.srem(element) != 0 ? 0 : converts_index(*base) ? 3 : 2;
}

// Whether an index is converted for addresses in shared memory alone.
bool indexes_shared(const llvm::Instruction& one) {
  return llvm::isa<llvm::SExtInst, llvm::ZExtInst>(one) && llvm::all_of(one.users(), [](const llvm::User* user) {
           return llvm::isa<llvm::GetElementPtrInst>(user) && narrow(user);
         });
}

unsigned cost(const llvm::IntrinsicInst& call) {
  switch (call.getIntrinsicID()) {  // what are two or three instructions in nvcc
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::umax:
      return 2;
    case llvm::Intrinsic::abs:
    case llvm::Intrinsic::fshl:
    case llvm::Intrinsic::fshr:
      return 3;
    default:
      return call.isAssumeLikeIntrinsic() ? 0 : 1;
  }
}

// nvcc has the code of the mathematical functions that stay calls here. Measured: it takes four iterations of
// `s += f(in[i])` at once with the short ones, one with the long ones, and two with the others.
constexpr llvm::StringLiteral kShort[] = {"atan", "atanhf", "cosh",      "erfcinvf",   "erff",       "erfinvf",
                                          "exp",  "hypot",  "nextafter", "nextafterf", "normcdfinvf"};
constexpr llvm::StringLiteral kLong[] = {"acosh",     "asinh",      "atanh",   "erfc",    "erfcinv", "erfcx",
                                         "erfinv",    "fmod",       "fmodf",   "j0",      "j0f",     "j1",
                                         "j1f",       "lgamma",     "lgammaf", "log1p",   "normcdf", "normcdfinv",
                                         "remainder", "remainderf", "tgamma",  "tgammaf", "y0",      "y1"};
unsigned cost(llvm::StringRef function) {
  constexpr unsigned kOfShort = 40, kOfOthers = 70, kOfLong = 120;
  return llvm::is_contained(kShort, function) ? kOfShort : llvm::is_contained(kLong, function) ? kOfLong : kOfOthers;
}

// An element of a local array at a constant index, which becomes a register.
bool is_element(const llvm::Instruction& one) {
  const llvm::Value* place = llvm::getLoadStorePointerOperand(&one);
  if (!place) return false;
  const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(place);
  return llvm::isa<llvm::AllocaInst>(address && address->hasAllConstantIndices() ? address->getPointerOperand()
                                                                                 : place);
}

// (x * 4 + 1) * 8 is x * 32 + 8 here, and stays in nvcc: what clang has made one instruction or none of. Of
// (x * 4 + 1) * 8 + y, (x * 32 + y) + 8 is left.
unsigned distributed(const llvm::Instruction& one, const llvm::DataLayout& layout) {
  using namespace llvm::PatternMatch;
  const llvm::APInt* more = nullptr;
  llvm::Value *sum = nullptr, *first = nullptr, *second = nullptr;
  if (!match(&one, m_AddLike(m_Value(sum), m_APInt(more))) && !match(&one, m_AddLike(m_APInt(more), m_Value(sum))))
    return 0;
  const auto is_multiple = [&](llvm::Value* value) {
    return more->countr_zero() > 0 &&
           llvm::computeKnownBits(value, layout).countMinTrailingZeros() > more->countr_zero();
  };
  if (is_multiple(sum)) return 1;
  return match(sum, m_AddLike(m_Value(first), m_Value(second))) && (is_multiple(first) || is_multiple(second)) ? 2 : 0;
}

unsigned cost(const llvm::Instruction& one, const llvm::DataLayout& layout) {
  constexpr unsigned kDivision = 4;
  using llvm::isa;
  if (isa<llvm::PHINode, llvm::TruncInst, llvm::BitCastInst, llvm::AddrSpaceCastInst, llvm::PtrToIntInst,
          llvm::IntToPtrInst, llvm::ExtractElementInst, llvm::InsertElementInst, llvm::ExtractValueInst,
          llvm::InsertValueInst, llvm::FreezeInst>(one) ||
      indexes_shared(one) || is_element(one))
    return 0;
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&one);
  if (branch && branch->isUnconditional() && branch->getSuccessor(0)->getUniquePredecessor()) return 0;  // one block
  if (one.isIntDivRem() || one.getOpcode() == llvm::Instruction::FDiv || one.getOpcode() == llvm::Instruction::FRem)
    return kDivision;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&one)) return cost(*intrinsic);
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&one);
  const llvm::Function* called = call ? call->getCalledFunction() : nullptr;
  if (llvm::StringRef name = called ? called->getName() : ""; name.consume_front("__nv_")) return cost(name);
  return 1 + distributed(one, layout);
}

// Counters that start at a constant and change by one.
Values counters(const llvm::Loop& loop) {
  Values out;
  const llvm::BasicBlock *before = loop.getLoopPredecessor(), *latch = loop.getLoopLatch();
  if (!before || !latch) return out;
  for (const llvm::PHINode& value : loop.getHeader()->phis()) {
    const auto* next = llvm::dyn_cast<llvm::BinaryOperator>(value.getIncomingValueForBlock(latch));
    if (next && next->getOperand(0) == &value && llvm::isa<llvm::ConstantInt>(next->getOperand(1)) &&
        llvm::isa<llvm::ConstantInt>(value.getIncomingValueForBlock(before)))
      out.insert(&value);
  }
  return out;
}

}  // namespace

LoopSize LoopSize::times(unsigned factor) const {
  return {factor * (all - 1) + 1, folded == 0 ? 0 : factor * (folded - 1) + 1};
}

bool LoopSize::fits(unsigned factor) const { return all * factor + kEnd <= kLongestPart; }

bool LoopSize::whole(unsigned count) const {
  if (count == 1) return true;
  if (count > kTriedIterations) return all * count + kEnd < kLongestWhole;
  const unsigned straight = (all - folded) * count;
  if (straight == 0) return true;
  const unsigned gain = std::min(kLargestGain, 100 * (all + kEnd) * count / straight);
  return straight < kLongestWhole * gain / 100;
}

bool LoopSize::fits_for_array(unsigned count) const { return all * count <= kLongestForArray; }

bool walks_local_array(const llvm::Loop& loop) {
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& one : *block) {
      const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&one);
      if (address && !address->hasAllConstantIndices() &&
          llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address)))
        return true;
    }
  return false;
}

LoopSize size_of(const llvm::Loop& loop) {
  const llvm::DataLayout& layout = loop.getHeader()->getModule()->getDataLayout();
  LoopSize size;
  Values folded = counters(loop);
  const auto is_folded = [&](const llvm::Value* value) {
    return llvm::isa<llvm::Constant>(value) || folded.contains(value);
  };
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& one : block->instructionsWithoutDebug()) {
      const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&one);
      const unsigned mine = address ? cost(*address, layout) : cost(one, layout);
      size.all += mine;
      const bool computes = llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst>(one);
      if (computes && llvm::all_of(one.operands(), is_folded)) {
        folded.insert(&one);
        size.folded += mine;
      }
    }
  // Of these, the comparison at the end is folded, too.
  size.all -= std::min(size.all, kEnd);
  const auto* end =
      loop.getLoopLatch() ? llvm::dyn_cast<llvm::BranchInst>(loop.getLoopLatch()->getTerminator()) : nullptr;
  if (end && end->isConditional() && folded.contains(end->getCondition())) --size.folded;
  return size;
}

unsigned part_of(const LoopSize& size, unsigned constant) {
  unsigned factor = constant == 0 ? 1 : constant & -constant;
  while (factor > 1 && !size.fits(factor)) factor /= 2;
  if (factor > 1 || (constant != 0 && constant % 2 == 0)) return factor;
  if (constant == 0 && size.all > kLongestAtRunTime) return 1;
  for (factor = kRunTimeFactor; factor > 1 && !size.fits(factor);) factor /= 2;
  return factor;
}

}  // namespace drywarp::device_passes
