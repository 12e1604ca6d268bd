#include "faces/device_passes/passes.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

namespace drywarp::device_passes {
namespace {

constexpr size_t kMostMembers = 128;
constexpr size_t kMostAccesses = 31;  // nvcc copies 24 members one by one, and 32 in a loop

struct Member {
  llvm::Type* type;
  uint64_t offset;
};

// Every scalar of `type` with its offset. False: not made of structures, arrays and scalars, or too many.
bool flatten(llvm::Type* type, uint64_t offset, const llvm::DataLayout& layout, std::vector<Member>& out) {
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout* places = layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      if (!flatten(structure->getElementType(i), offset + places->getElementOffset(i), layout, out)) return false;
    return true;
  }
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    if (array->getNumElements() > kMostMembers) return false;
    const uint64_t step = layout.getTypeAllocSize(array->getElementType());
    for (uint64_t i = 0; i < array->getNumElements(); ++i)
      if (!flatten(array->getElementType(), offset + i * step, layout, out)) return false;
    return true;
  }
  if (!type->isIntegerTy() && !type->isFloatingPointTy() && !type->isPointerTy()) return false;
  out.push_back({type, offset});
  return out.size() <= kMostMembers;
}

// Joins members of equal size that fill an aligned access of at most `widest` bytes.
std::vector<Member> joined(const std::vector<Member>& members, uint64_t widest, const llvm::DataLayout& layout) {
  std::vector<Member> out;
  for (size_t i = 0; i < members.size();) {
    const Member& first = members[i];
    const uint64_t size = layout.getTypeStoreSize(first.type);
    uint64_t same = 0;  // members in a row that may join
    bool one_type = true;
    for (; same < 4 && i + same < members.size(); ++same) {
      const Member& m = members[i + same];
      if (m.type->isPointerTy() || m.offset != first.offset + same * size) break;
      if (layout.getTypeStoreSize(m.type) != size) break;
    }
    uint64_t count = 1;
    for (uint64_t bytes = widest; bytes > size && count == 1; bytes /= 2)
      if (first.offset % bytes == 0 && bytes / size <= same) count = bytes / size;
    for (uint64_t k = 1; k < count; ++k) one_type &= members[i + k].type == first.type;
    llvm::Type* element = one_type ? first.type : llvm::Type::getIntNTy(first.type->getContext(), unsigned(8 * size));
    out.push_back({count == 1 ? first.type : llvm::FixedVectorType::get(element, unsigned(count)), first.offset});
    i += count;
  }
  return out;
}

// A structure with gaps may be a union whose other members fill them: copies all bytes, as wide as both sides are
// aligned.
std::vector<Member> pieces(uint64_t length, uint64_t widest, llvm::LLVMContext& context) {
  const uint64_t bytes = std::min(widest, length & -length);
  llvm::Type* type = llvm::Type::getIntNTy(context, unsigned(8 * std::min<uint64_t>(bytes, 8)));
  if (bytes == 16) type = llvm::FixedVectorType::get(llvm::Type::getInt32Ty(context), 4);
  std::vector<Member> out;
  for (uint64_t at = 0; at < length; at += bytes) out.push_back({type, at});
  return out;
}

// The accesses that copy `length` bytes of `members`; empty: leave the memcpy.
std::vector<Member> accesses_of(const std::vector<Member>& members, uint64_t length, uint64_t widest,
                                const llvm::DataLayout& layout) {
  uint64_t covered = 0;
  bool pointers = false;
  for (const Member& m : members) {
    covered += layout.getTypeStoreSize(m.type);
    pointers |= m.type->isPointerTy();
  }
  if (covered == length) return joined(members, widest, layout);
  if (pointers) return {};  // copied as an integer, a pointer would lose its address space
  return pieces(length, widest, members[0].type->getContext());
}

// The type that a pointer points to, from its variable or its GEP. Null: unknown.
llvm::Type* pointee(llvm::Value* pointer) {
  pointer = pointer->stripPointerCasts();
  if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(pointer))
    return local->isArrayAllocation() ? nullptr : local->getAllocatedType();
  if (const auto* element = llvm::dyn_cast<llvm::GEPOperator>(pointer)) return element->getResultElementType();
  return nullptr;
}

// Whether the alignment that clang gives this side of an assignment is the assigned type's: of a variable of that type,
// or of an element of a row of that type or of scalars. A member's is often higher: that of the structure around it.
bool is_of_type(const llvm::Value* side, uint64_t length, const llvm::DataLayout& layout) {
  if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(side))
    return layout.getTypeAllocSize(local->getAllocatedType()) == length;
  const auto* element = llvm::dyn_cast<llvm::GEPOperator>(side);
  if (!element || element->getNumIndices() != 1) return false;
  const llvm::Type* type = element->getSourceElementType();
  const bool scalar = type->isFloatingPointTy() || (type->isIntegerTy() && !type->isIntegerTy(8));
  return scalar || layout.getTypeAllocSize(element->getSourceElementType()) == length;
}

// Makes an assignment of a vector as aligned on both sides as its type, as nvcc does. Where `*(float4*)&tile[i] = v`
// names the variable, clang goes by the variable's type, and would copy member by member. The variable gets the
// alignment, too: the GPU's code has 16-byte accesses to it, so ptxas must have aligned it.
void align_by_type(llvm::MemCpyInst* copy, uint64_t length, const llvm::DataLayout& layout) {
  if (!copy->hasMetadata(llvm::LLVMContext::MD_tbaa_struct)) return;  // not an assignment
  const llvm::Align to = copy->getDestAlign().valueOrOne(), from = copy->getSourceAlign().valueOrOne();
  const llvm::Align of_type = std::max(to, from);
  if (to == from || of_type.value() != length || length > kWidestAccess) return;
  if (!is_of_type(to > from ? copy->getDest() : copy->getSource(), length, layout)) return;
  copy->setDestAlignment(of_type);
  copy->setSourceAlignment(of_type);
  auto* variable =
      llvm::dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(to > from ? copy->getSource() : copy->getDest()));
  if (variable && variable->getAlign().valueOrOne() < of_type) variable->setAlignment(of_type);
}

bool expand(llvm::MemCpyInst* copy, const llvm::DataLayout& layout) {
  const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
  if (!length || copy->isVolatile()) return false;
  align_by_type(copy, length->getZExtValue(), layout);
  std::vector<Member> members;
  for (llvm::Value* side : {copy->getDest(), copy->getSource()}) {
    llvm::Type* type = pointee(side);
    if (!type || !type->isSized() || layout.getTypeAllocSize(type) != length->getZExtValue()) continue;
    members.clear();
    if (flatten(type, 0, layout, members)) break;
    members.clear();
  }
  if (members.empty()) return false;
  const std::vector<Member> accesses = accesses_of(members, length->getZExtValue(), widest_access(*copy), layout);
  if (accesses.empty() || accesses.size() > kMostAccesses) return false;
  llvm::IRBuilder<> b(copy);
  const auto place = [&](llvm::Value* base, const Member& m) {
    return m.offset == 0 ? base : b.CreateInBoundsPtrAdd(base, b.getInt64(m.offset));
  };
  std::vector<std::pair<Member, llvm::Value*>> loaded;
  for (const Member& m : accesses)
    loaded.emplace_back(m, b.CreateAlignedLoad(m.type, place(copy->getSource(), m),
                                               llvm::commonAlignment(copy->getSourceAlign().valueOrOne(), m.offset)));
  for (const auto& [m, value] : loaded)
    b.CreateAlignedStore(value, place(copy->getDest(), m),
                         llvm::commonAlignment(copy->getDestAlign().valueOrOne(), m.offset));
  copy->eraseFromParent();
  return true;
}

}  // namespace

llvm::PreservedAnalyses MemberCopies::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (auto* copy : all_of<llvm::MemCpyInst>(function)) changed |= expand(copy, function.getDataLayout());
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

namespace {

// The extractions of one element, if the vector has no other uses; else empty.
std::vector<llvm::ExtractElementInst*> lone_element(llvm::LoadInst* load) {
  std::vector<llvm::ExtractElementInst*> out;
  for (llvm::User* user : load->users()) {
    auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(user);
    if (!extract || !llvm::isa<llvm::ConstantInt>(extract->getIndexOperand())) return {};
    if (!out.empty() && extract->getIndexOperand() != out[0]->getIndexOperand()) return {};
    out.push_back(extract);
  }
  return out;
}

bool narrow(llvm::LoadInst* load, const llvm::DataLayout& layout) {
  const auto extracts = lone_element(load);
  if (extracts.empty()) return false;
  llvm::Type* element = extracts[0]->getType();
  const uint64_t offset =
      llvm::cast<llvm::ConstantInt>(extracts[0]->getIndexOperand())->getZExtValue() * layout.getTypeStoreSize(element);
  llvm::IRBuilder<> b(load);
  llvm::Value* place = load->getPointerOperand();
  if (offset != 0) place = b.CreateInBoundsPtrAdd(place, b.getInt64(offset));
  llvm::LoadInst* alone = b.CreateAlignedLoad(element, place, llvm::commonAlignment(load->getAlign(), offset));
  alone->copyMetadata(*load, {llvm::LLVMContext::MD_dbg, llvm::LLVMContext::MD_invariant_load});
  for (llvm::ExtractElementInst* extract : extracts) {
    extract->replaceAllUsesWith(alone);
    extract->eraseFromParent();
  }
  load->eraseFromParent();
  return true;
}

}  // namespace

llvm::PreservedAnalyses LoneMembers::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (auto* load : all_of<llvm::LoadInst>(function))
    if (load->isSimple() && llvm::isa<llvm::FixedVectorType>(load->getType()))
      changed |= narrow(load, function.getDataLayout());
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace drywarp::device_passes
