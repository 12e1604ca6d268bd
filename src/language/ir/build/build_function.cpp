// A function's names, variables and places. For the rest see build_instruction.cpp and build_blocks.cpp.
#include <algorithm>

#include "language/ir/build/builder.h"

#include "base/support/round_up.h"

namespace drywarp::ir {
namespace {

uint64_t position_key(uint32_t file, uint32_t line, uint32_t column) {
  return uint64_t{file} << 48 ^ uint64_t { line } << 16 ^ column;
}

}  // namespace

FunctionBuilder::FunctionBuilder(ModuleBuilder& owner, const ptx::Function& syntax, FunctionId id)
    : owner_(owner), syntax_(syntax), id_(id), out_(std::move(owner.module.functions[id])), scopes_(out_.registers) {}

bool FunctionBuilder::build() {
  if (!declare_parameters() || !declare_names()) return false;
  struct Directive {
    std::string_view name;
    uint32_t* values;
    size_t count;
  };
  const Directive directives[] = {{"reqntid", out_.reqntid, 3},
                                  {"maxntid", out_.maxntid, 3},
                                  {"reqnctapercluster", out_.cluster, 3},
                                  {"minnctapersm", &out_.minnctapersm, 1},
                                  {"maxnreg", &out_.maxnreg, 1}};
  for (uint32_t i = 0; i < syntax_.directives.count; ++i) {
    const ptx::FunctionDirective& given = owner_.tree.directives[syntax_.directives.first + i];
    for (const Directive& directive : directives) {
      if (given.name != directive.name) continue;
      for (size_t k = 0; k < directive.count; ++k) {
        directive.values[k] = k < given.numbers.count ? uint32_t(owner_.tree.numbers[given.numbers.first + k]) : 1;
      }
    }
  }
  const ptx::Statement* statements = owner_.tree.statements.data() + syntax_.body.first;
  out_.instructions.reserve(
      size_t(std::count_if(statements, statements + syntax_.body.count,
                           [](const ptx::Statement& s) { return s.kind == ptx::StatementKind::Instruction; })) +
      1);
  for (uint32_t i = 0; i < syntax_.body.count; ++i) {
    if (!statement(statements[i])) return false;
  }
  if (!cut_blocks()) return false;
  owner_.module.functions[id_] = std::move(out_);
  return true;
}

Entity FunctionBuilder::find(std::string_view name) {
  if (const Entity entity = scopes_.find(name)) return entity;
  if (const auto found = owner_.module_registers.find(name); found != owner_.module_registers.end()) {
    scopes_.declare_register(name, found->second.first, found->second.second);
    return scopes_.find(name);
  }
  return {};
}

bool FunctionBuilder::undeclared(const ptx::Operand& operand) {
  return fail(operand.at, "'" + std::string(operand.name) + "' is not declared");
}

bool FunctionBuilder::declare_parameters() {
  const auto declare = [&](ptx::Range range, std::vector<Parameter>& list) {
    size_t next = 0;  // in `list`, where a vector of registers is several parameters
    for (uint32_t i = 0; i < range.count; ++i) {
      const ptx::Variable& variable = owner_.tree.variables[range.first + i];
      Parameter& parameter = list[next];
      if (parameter.type == Type::None) return fail(variable.at, "unknown type '." + std::string(variable.type) + "'");
      if (variable.space == ptx::StateSpace::Reg) {
        const auto reg = RegisterId(out_.registers.size());
        if (!scopes_.declare_register(variable.name, parameter.type, variable.vector)) {
          return fail(variable.at, "'" + std::string(variable.name) + "' is declared twice");
        }
        for (unsigned k = 0; k < variable.vector; ++k) list[next++].reg = reg + k;
        continue;
      }
      ++next;
      if (variable.space != ptx::StateSpace::Param) return fail(variable.at, "a parameter must be .param or .reg");
      if (!out_.is_kernel) {
        if (!add_frame_symbol(variable, AddressSpace::ParamFunc, parameter.symbol)) return false;
        continue;
      }
      Symbol symbol;
      if (!owner_.make_symbol(variable, AddressSpace::Param, symbol)) return false;
      symbol.offset = round_up(out_.parameter_bytes, symbol.alignment);
      out_.parameter_bytes = symbol.offset + symbol.size;
      parameter.symbol = SymbolId(owner_.module.symbols.size());
      out_.symbols.push_back(parameter.symbol);
      if (!scopes_.declare(variable.name, {Entity::Kind::Symbol, 1, parameter.symbol})) {
        return fail(variable.at, "'" + std::string(variable.name) + "' is declared twice");
      }
      owner_.module.symbols.push_back(std::move(symbol));
      owner_.element_size.push_back(uint32_t(owner_.element_bytes(variable)));
    }
    return true;
  };
  return declare(syntax_.results, out_.results) && declare(syntax_.parameters, out_.parameters);
}

// Labels, prototypes and target lists can be used before their declaration.
bool FunctionBuilder::declare_names() {
  const auto declare = [&](std::string_view name, Entity::Kind kind, uint32_t id, ptx::Position at) {
    return scopes_.declare(name, {kind, 1, id}) || fail(at, "'" + std::string(name) + "' is declared twice");
  };
  for (uint32_t i = 0; i < syntax_.body.count; ++i) {
    const ptx::Statement& statement = owner_.tree.statements[syntax_.body.first + i];
    bool good = true;
    switch (statement.kind) {
      case ptx::StatementKind::ScopeBegin:
        scopes_.open();
        break;
      case ptx::StatementKind::ScopeEnd:
        scopes_.close();
        break;
      case ptx::StatementKind::Label:
        good = declare(owner_.tree.names[statement.index], Entity::Kind::Label, uint32_t(labels_.size()), statement.at);
        labels_.emplace_back();
        break;
      case ptx::StatementKind::Prototype:
        good = declare(owner_.tree.prototypes[statement.index].name, Entity::Kind::Prototype,
                       add_prototype(owner_.tree.prototypes[statement.index]), statement.at);
        break;
      case ptx::StatementKind::Targets:
        good = declare(owner_.tree.targets[statement.index].name, Entity::Kind::Targets, statement.index, statement.at);
        break;
      default:
        break;
    }
    if (!good) return false;
  }
  scopes_.rewind();
  return true;
}

bool FunctionBuilder::statement(const ptx::Statement& statement) {
  switch (statement.kind) {
    case ptx::StatementKind::Instruction:
      return instruction(owner_.tree.instructions[statement.index]);
    case ptx::StatementKind::Variable:
      return variable(owner_.tree.variables[statement.index]);
    case ptx::StatementKind::Loc:
      set_loc(owner_.tree.locs[statement.index]);
      return true;
    case ptx::StatementKind::Label: {
      const Entity entity = scopes_.find(owner_.tree.names[statement.index]);
      labels_[entity.id].position = uint32_t(out_.instructions.size());
      return true;
    }
    case ptx::StatementKind::ScopeBegin:
      scopes_.open();
      frame_marks_.push_back(frame_);
      return true;
    case ptx::StatementKind::ScopeEnd:
      scopes_.close();
      frame_ = frame_marks_.back();  // the scope's variables are dead: the next scope may use their memory
      frame_marks_.pop_back();
      return true;
    default:
      return true;  // pragmas are hints; prototypes and targets are declared already
  }
}

bool FunctionBuilder::add_frame_symbol(const ptx::Variable& variable, AddressSpace space, SymbolId& id) {
  Symbol symbol;
  if (!owner_.make_symbol(variable, space, symbol)) return false;
  symbol.offset = round_up(frame_, symbol.alignment);
  frame_ = symbol.offset + symbol.size;
  constexpr uint64_t kMost = uint64_t{1} << 40;
  if (frame_ > kMost) return fail(variable.at, "local variables are too large");
  out_.local_bytes = std::max(out_.local_bytes, frame_);
  id = SymbolId(owner_.module.symbols.size());
  out_.symbols.push_back(id);
  owner_.module.symbols.push_back(std::move(symbol));
  owner_.element_size.push_back(uint32_t(owner_.element_bytes(variable)));
  // Parameters of a prototype or an unused one are named _.
  if (variable.name == "_") return true;
  return scopes_.declare(variable.name, {Entity::Kind::Symbol, 1, id}) ||
         fail(variable.at, "'" + std::string(variable.name) + "' is declared twice");
}

bool FunctionBuilder::variable(const ptx::Variable& variable) {
  const auto twice = [&] { return fail(variable.at, "'" + std::string(variable.name) + "' is declared twice"); };
  SymbolId id = kNone;
  switch (variable.space) {
    case ptx::StateSpace::Reg: {
      const Type type = type_from_name(variable.type);
      if (type == Type::None) return fail(variable.at, "unknown type '." + std::string(variable.type) + "'");
      const bool good = variable.is_range
                            ? scopes_.declare_register_range(variable.name, variable.range, type, variable.vector)
                            : scopes_.declare_register(variable.name, type, variable.vector);
      return good || twice();
    }
    case ptx::StateSpace::Sreg:
      return true;
    case ptx::StateSpace::Param:
    case ptx::StateSpace::Local: {
      const AddressSpace space =
          variable.space == ptx::StateSpace::Local ? AddressSpace::Local : AddressSpace::ParamFunc;
      if (!variable.is_range) return add_frame_symbol(variable, space, id);
      if (variable.range > 4096) return fail(variable.at, "too many variables");
      // .param .b32 p<3>: p0, p1, p2. These names are not in the text: keep them.
      for (uint64_t i = 0; i < variable.range; ++i) {
        ptx::Variable one = variable;
        owner_.made_names.push_back(std::string(variable.name) + std::to_string(i));
        one.name = owner_.made_names.back();
        one.is_range = false;
        if (!add_frame_symbol(one, space, id)) return false;
      }
      return true;
    }
    default:
      break;
  }
  // .shared, .global and .const in a body: as at module scope, but their names are the body's.
  Symbol symbol;
  const AddressSpace space = variable.space == ptx::StateSpace::Shared  ? AddressSpace::Shared
                             : variable.space == ptx::StateSpace::Const ? AddressSpace::Const
                                                                        : AddressSpace::Global;
  if (!owner_.make_symbol(variable, space, symbol)) return false;
  id = SymbolId(owner_.module.symbols.size());
  out_.symbols.push_back(id);
  owner_.module.symbols.push_back(std::move(symbol));
  owner_.element_size.push_back(uint32_t(owner_.element_bytes(variable)));
  if (variable.has_initializer) owner_.initializers.push_back({&variable, id});
  return scopes_.declare(variable.name, {Entity::Kind::Symbol, 1, id}) || twice();
}

void FunctionBuilder::set_loc(const ptx::Loc& loc) {
  loc_ = {0, owner_.file_index(loc.file), loc.line, loc.column, kNone};
  if (loc.inlined) {
    // The call's own place, which may be inlined itself, is the latest .loc of that position.
    const uint64_t key = position_key(loc.at_file, loc.at_line, loc.at_column);
    const auto [found, fresh] = loc_places_.emplace(key, uint32_t(out_.places.size()));
    if (fresh) out_.places.push_back({0, owner_.file_index(loc.at_file), loc.at_line, loc.at_column, kNone});
    loc_.inlined_at = found->second;
  }
  const uint64_t key = position_key(loc.file, loc.line, loc.column);
  loc_places_[key] = uint32_t(out_.places.size());
  out_.places.push_back(loc_);
}

uint32_t FunctionBuilder::place_of(ptx::Position at) {
  Place place = loc_;
  place.ptx_line = at.line;
  if (!out_.places.empty() && out_.places.back().ptx_line == 0 && out_.places.back().line == place.line &&
      out_.places.back().file == place.file && out_.places.back().inlined_at == place.inlined_at) {
    out_.places.back() = place;  // the .loc's own place, not yet used by an instruction
  } else {
    out_.places.push_back(place);
  }
  return uint32_t(out_.places.size() - 1);
}

}  // namespace drywarp::ir
