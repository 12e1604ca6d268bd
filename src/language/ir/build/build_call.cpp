// Calls: direct, through a register with a prototype, through a register with a list of targets.
#include "language/ir/build/builder.h"
#include "language/ir/build/immediates.h"

namespace drywarp::ir {

uint32_t FunctionBuilder::add_prototype(const ptx::Prototype& syntax) {
  Module::Prototype prototype;
  for (uint32_t i = 0; i < syntax.results.count; ++i) {
    owner_.add_parameters(owner_.tree.variables[syntax.results.first + i], prototype.results);
  }
  for (uint32_t i = 0; i < syntax.parameters.count; ++i) {
    owner_.add_parameters(owner_.tree.variables[syntax.parameters.first + i], prototype.parameters);
  }
  owner_.module.prototypes.push_back(std::move(prototype));
  return uint32_t(owner_.module.prototypes.size() - 1);
}

// One value, or the elements of a vector register.
bool FunctionBuilder::call_operand(const ptx::Operand& operand, const std::vector<Parameter>& types,
                                   std::vector<Operand>& out) {
  const Type type = out.size() < types.size() ? types[out.size()].type : Type::B64;
  if (!source(operand, type, out)) return false;
  const Operand& made = out.back();
  if (made.kind == Operand::Kind::Symbol && owner_.module.symbols[made.id].space != AddressSpace::ParamFunc) {
    return fail(operand.at, "an argument must be a .param variable, a register or a constant");
  }
  return true;
}

bool FunctionBuilder::call_prototype(const ptx::Operand& operand, Instruction& out) {
  const Entity entity = operand.kind == ptx::OperandKind::Name ? scopes_.find(operand.name) : Entity{};
  if (entity.kind == Entity::Kind::Prototype) {
    out.prototype = entity.id;
    return true;
  }
  if (entity.kind != Entity::Kind::Targets || !owner_.tree.targets[entity.id].calls) {
    return fail(operand.at, "an indirect call needs a .callprototype or .calltargets label");
  }
  // All targets have the first one's signature.
  const ptx::Operand& first = owner_.tree.operands[owner_.tree.targets[entity.id].names.first];
  const auto found = owner_.functions.find(first.name);
  if (found == owner_.functions.end()) return undeclared(first);
  const Function& target = found->second == id_ ? out_ : owner_.module.functions[found->second];
  out.prototype = uint32_t(owner_.module.prototypes.size());
  owner_.module.prototypes.push_back({target.results, target.parameters});
  return true;
}

// call{.uni} {(results),} target {, (arguments)} {, prototype};
bool FunctionBuilder::call(const ptx::Instruction& syntax, Instruction& out) {
  const ptx::Operand* list = operands_of(syntax.operands);
  const uint32_t count = syntax.operands.count;
  uint32_t next = 0;
  const ptx::Operand* results = nullptr;
  const ptx::Operand* arguments = nullptr;
  if (next < count && list[next].kind == ptx::OperandKind::Tuple) results = &list[next++];
  if (next == count || list[next].kind != ptx::OperandKind::Name)
    return fail(syntax.at, "call without a function to call");
  const ptx::Operand& target = list[next++];
  if (next < count && list[next].kind == ptx::OperandKind::Tuple) arguments = &list[next++];
  const ptx::Operand* prototype = next < count ? &list[next++] : nullptr;
  if (next != count) return fail(list[next].at, "unexpected operand of a call");

  const std::vector<Parameter>* result_types = nullptr;
  const std::vector<Parameter>* parameter_types = nullptr;
  if (find(target.name).kind == Entity::Kind::Register) {
    if (!register_operands(target, out.src, true)) return false;
    if (prototype == nullptr) return fail(syntax.at, "an indirect call needs a .callprototype or .calltargets label");
    if (!call_prototype(*prototype, out)) return false;
    result_types = &owner_.module.prototypes[out.prototype].results;
    parameter_types = &owner_.module.prototypes[out.prototype].parameters;
  } else {
    const auto found = owner_.functions.find(target.name);
    if (found == owner_.functions.end())
      return fail(target.at, "function '" + std::string(target.name) + "' is not declared");
    out.callee = found->second;
    const Function& callee = out.callee == id_ ? out_ : owner_.module.functions[out.callee];
    result_types = &callee.results;
    parameter_types = &callee.parameters;
  }
  const auto read = [&](const ptx::Operand* tuple, const std::vector<Parameter>& types, std::vector<Operand>& into,
                        const char* what) {
    for (uint32_t i = 0; tuple != nullptr && i < tuple->children.count; ++i) {
      if (!call_operand(operands_of(tuple->children)[i], types, into)) return false;
    }
    // void f(int, ...): the last parameter is an array of open size and may be left out.
    const bool open = !types.empty() && types.back().size == 0;
    if (into.size() != types.size() && !(open && into.size() + 1 == types.size())) {
      return fail(syntax.at, "call of '" + std::string(target.name) + "' with " + std::to_string(into.size()) + " " +
                                 what + ", which has " + std::to_string(types.size()));
    }
    return true;
  };
  return read(results, *result_types, out.call_results, "results") &&
         read(arguments, *parameter_types, out.call_arguments, "arguments");
}

}  // namespace drywarp::ir
