#include "form_compiler.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <stdexcept>

#include "engine/jit/effort.h"
#include "engine/jit/emit/emitter.h"
#include "engine/jit/host_cpu.h"
#include "engine/jit/math/lane_math.h"

namespace drywarp::jit::test {
namespace {

using llvm::Value;

class ArrayEmitter final : public Emitter {
 public:
  ArrayEmitter(llvm::IRBuilder<>& builder, const ParsedForm& form, llvm::Function* function, unsigned width,
               unsigned bits)
      : Emitter(builder), form_(form), function_(function) {
    width_ = width;
    vector_bits_ = bits;
  }

  Value* operand(const ir::Instruction& in, unsigned index, ir::Type as) override {
    return source(in, index, as, width_);
  }

  Value* wide_operand(const ir::Instruction& in, unsigned index, ir::Type as) override {
    Value* v = source(in, index, as, width_);
    return width_ == 1 ? b.CreateVectorSplat(kLanes, v) : v;
  }

  void set(const ir::Instruction& in, unsigned index, Value* value, ir::Type as) override {
    if (unused(in, index)) return;
    const ParsedForm::Row& to = form_.rows.at(in.dst[index].id);
    unsigned lanes = value->getType()->isVectorTy() ? kLanes : 1;
    if (value->getType()->getScalarSizeInBits() != ir::bits(as))
      throw std::logic_error("result of another width than its type");
    Value* v = b.CreateBitCast(value, of_bits(ir::bits(as), lanes));
    unsigned bits = to.bits;
    v = ir::is_signed(as) ? b.CreateSExtOrTrunc(v, of_bits(bits, lanes)) : b.CreateZExtOrTrunc(v, of_bits(bits, lanes));
    b.CreateAlignedStore(b.CreateZExt(v, of_bits(64, lanes)), row(1, to.index), llvm::Align(8));
  }

  bool unused(const ir::Instruction& in, unsigned index) const override {
    return index >= in.dst.size() || in.dst[index].kind == ir::Operand::Kind::Sink;
  }
  Value* active_mask() override { return function_->getArg(3); }
  Value* active_lanes() override {
    return b.CreateBitCast(active_mask(), llvm::FixedVectorType::get(b.getInt1Ty(), kLanes));
  }
  Value* carry() override {
    return b.CreateTrunc(b.CreateAlignedLoad(int_type(8), function_->getArg(2), llvm::Align(1)), int_type(1));
  }
  void set_carry(Value* flag) override {
    b.CreateAlignedStore(b.CreateZExt(flag, int_type(8)), function_->getArg(2), llvm::Align(1));
  }

 private:
  llvm::Type* of_bits(unsigned bits, unsigned lanes) const {
    llvm::Type* scalar = b.getIntNTy(bits);
    return lanes == 1 ? scalar : llvm::FixedVectorType::get(scalar, lanes);
  }
  Value* row(unsigned argument, unsigned index) {
    return b.CreateConstGEP1_64(b.getInt64Ty(), function_->getArg(argument), uint64_t{index} * kLanes);
  }
  Value* source(const ir::Instruction& in, unsigned index, ir::Type as, unsigned width) {
    const ir::Operand& o = in.src[index];
    llvm::Type* to = type(as, width);
    if (o.kind == ir::Operand::Kind::Immediate) {
      llvm::Type* ints = of_bits(ir::bits(as), width);
      return b.CreateBitCast(constant(ints, o.bits), to);
    }
    const ParsedForm::Row& from = form_.rows.at(o.id);
    unsigned bits = from.bits;
    Value* v = b.CreateAlignedLoad(of_bits(64, width), row(from.result ? 1 : 0, from.index), llvm::Align(8));
    v = b.CreateTrunc(v, of_bits(bits, width));
    if (o.negate && bits == 1) v = b.CreateNot(v);
    return b.CreateBitCast(b.CreateZExtOrTrunc(v, of_bits(ir::bits(as), width)), to);
  }

  const ParsedForm& form_;
  llvm::Function* function_;
};

HostCpu cpu_of(const std::string& level) {
  auto cpu = host_cpu(level);
  if (!cpu) throw std::runtime_error(cpu.problem().to_string());
  return *cpu;
}

void check(llvm::Error error) {
  if (error) throw std::runtime_error(llvm::toString(std::move(error)));
}

// The function of one form at `width` lanes, for vectors of `bits` bits.
llvm::Function* emit(llvm::Module& module, const ParsedForm& form, const std::string& name, unsigned width,
                     unsigned bits) {
  llvm::IRBuilder<> builder(module.getContext());
  auto* pointer = builder.getPtrTy();
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer, pointer, builder.getInt32Ty()}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  ArrayEmitter emitter(builder, form, function, width, bits);
  for (const ir::Instruction& in : form.instructions) {
    EmitFunction emit = emit_function(in.op);
    if (!emit) throw std::logic_error("nothing emits " + form.form.opcode);
    emit(emitter, in);
  }
  builder.CreateRetVoid();
  std::string problem;
  llvm::raw_string_ostream out(problem);
  if (llvm::verifyFunction(*function, &out)) throw std::logic_error(form.form.opcode + ": " + problem);
  return function;
}

// The text of both functions of a form.
std::string emitted_text(const ParsedForm& form, const llvm::DataLayout& layout, unsigned bits) {
  llvm::LLVMContext context;
  llvm::Module module("form", context);
  module.setDataLayout(layout);
  std::string text;
  llvm::raw_string_ostream out(text);
  for (unsigned width : {kLanes, 1u}) emit(module, form, width == 1 ? "narrow" : "wide", width, bits)->print(out);
  return text;
}

}  // namespace

FormCompiler::FormCompiler(const std::string& level)
    : all_(level == "avx512"), effort_(level == "sse" ? Effort::Linear : Effort::Full) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  const HostCpu cpu = cpu_of(level);
  vector_bits_ = cpu.vector_bits;
  llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(llvm::sys::getProcessTriple())};
  builder.setCPU(cpu.name);
  std::vector<std::string> features;
  for (llvm::StringRef f : llvm::split(llvm::StringRef(cpu.features), ','))
    if (!f.empty()) features.push_back(f.str());
  builder.addFeatures(features);
  builder.setCodeGenOptLevel(code_generator_level(effort_));
  machine_ = llvm::cantFail(builder.createTargetMachine());
  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(builder)).create();
  check(jit.takeError());
  jit_ = std::move(*jit);
}

std::vector<CompiledForm> FormCompiler::compile(const std::vector<ParsedForm>& forms) {
  return compile(forms, std::vector<bool>(forms.size(), true));
}

std::vector<CompiledForm> FormCompiler::compile_what_differs(const std::vector<ParsedForm>& forms) {
  if (all_) return compile(forms);
  const unsigned widest = cpu_of("").vector_bits;
  std::vector<bool> chosen(forms.size());
  for (size_t i = 0; i < forms.size(); ++i)
    chosen[i] = i % 4 == 0 || emitted_text(forms[i], jit_->getDataLayout(), vector_bits_) !=
                                  emitted_text(forms[i], jit_->getDataLayout(), widest);
  return compile(forms, chosen);
}

std::vector<CompiledForm> FormCompiler::compile(const std::vector<ParsedForm>& forms, const std::vector<bool>& chosen) {
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>("forms", *context);
  module->setDataLayout(jit_->getDataLayout());
  for (size_t i = 0; i < forms.size(); ++i) {
    if (!chosen[i]) continue;
    for (unsigned width : {kLanes, 1u}) {
      llvm::Function* function =
          emit(*module, forms[i], fmt::format("form{}_{}", i, width == 1 ? "narrow" : "wide"), width, vector_bits_);
      function->addFnAttr("prefer-vector-width", std::to_string(vector_bits_));
      function->addFnAttr("min-legal-vector-width", std::to_string(vector_bits_));
    }
  }
  optimise(*module, *machine_, effort_);
  llvm::orc::SymbolMap helpers;
  for (llvm::Function& f : *module) {
    if (!f.isDeclaration()) continue;
    if (LaneFunction helper = find_lane_function(f.getName()))
      helpers[jit_->mangleAndIntern(f.getName())] = {llvm::orc::ExecutorAddr::fromPtr(helper),
                                                     llvm::JITSymbolFlags::Exported};
  }
  check(jit_->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(helpers))));
  check(jit_->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
  std::vector<CompiledForm> compiled(forms.size());
  for (size_t i = 0; i < forms.size(); ++i) {
    if (!chosen[i]) continue;
    auto find = [&](const char* suffix) {
      auto address = jit_->lookup("form" + std::to_string(i) + suffix);
      check(address.takeError());
      return address->toPtr<FormFunction>();
    };
    compiled[i] = {find("_wide"), find("_narrow")};
  }
  return compiled;
}

}  // namespace drywarp::jit::test
