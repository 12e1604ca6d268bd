// What the parts of the builder share. Private to this folder.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/support/result.h"
#include "language/ir/build/scopes.h"
#include "language/ir/build/suffixes.h"
#include "language/ir/kernel.h"
#include "language/ptx/ast.h"

namespace drywarp::ir {

// Every member that returns bool returns false once `problem` is set.
class ModuleBuilder {
 public:
  ModuleBuilder(const ptx::SyntaxTree& tree, std::string name);

  bool build();
  Module module;
  std::optional<Diagnostic> problem;

  // For FunctionBuilder
  bool fail(ptx::Position at, std::string message, std::string hint = {});
  // Makes a symbol with size and alignment of a declaration; fails if its type has no size.
  bool make_symbol(const ptx::Variable& variable, AddressSpace space, Symbol& symbol);
  // Declares a parameter's type and size; does not make its symbol.
  // A register parameter of .v2, .v4 is as many parameters.
  void add_parameters(const ptx::Variable& variable, std::vector<Parameter>& list) const;
  bool initialize(const ptx::Variable& variable, SymbolId symbol);  // build_variables.cpp
  [[nodiscard]] uint64_t element_bytes(const ptx::Variable& variable) const;
  [[nodiscard]] uint32_t file_index(uint64_t number) const;

  const ptx::SyntaxTree& tree;
  std::unordered_map<std::string_view, SymbolId> symbols;  // module scope
  std::unordered_map<std::string_view, FunctionId> functions;
  std::unordered_map<std::string_view, std::pair<Type, uint8_t>> module_registers;
  std::vector<uint32_t> element_size;  // of a symbol, for name[3]; parallel to Module::symbols
  struct Pending {
    const ptx::Variable* variable;
    SymbolId symbol;
  };
  std::deque<std::string> made_names;  // of variables declared as a range
  std::vector<Pending> initializers;   // filled once every name is known

 private:
  bool declare_variables();
  bool declare_functions();
  bool apply_aliases();
  bool fill(const ptx::Variable& variable, SymbolId id, const ptx::Initializer& init, size_t dimension,
            uint64_t offset);
  bool store_value(const ptx::Variable& variable, SymbolId id, const ptx::Operand& value, uint64_t offset);

  std::unordered_map<uint64_t, uint32_t> file_numbers_;
};

// Builds one function with a body into module.functions[id].
class FunctionBuilder {
 public:
  FunctionBuilder(ModuleBuilder& owner, const ptx::Function& syntax, FunctionId id);
  bool build();

 private:
  // build_function.cpp
  bool declare_parameters();
  bool declare_names();
  bool statement(const ptx::Statement& statement);
  bool variable(const ptx::Variable& variable);
  bool add_frame_symbol(const ptx::Variable& variable, AddressSpace space, SymbolId& id);
  void set_loc(const ptx::Loc& loc);
  uint32_t place_of(ptx::Position at);
  // build_blocks.cpp
  bool cut_blocks();
  // build_instruction.cpp
  bool instruction(const ptx::Instruction& syntax);
  bool opcode_and_operands(const ptx::Instruction& syntax, Instruction& out);
  const DecodedOpcode& decode(const ptx::Instruction& syntax);
  bool guard(const ptx::Instruction& syntax, Instruction& out);
  bool operands(const ptx::Instruction& syntax, Instruction& out);
  bool register_operands(const ptx::Operand& operand, std::vector<Operand>& out, bool is_source);
  void add_to_register(Operand& operand, uint64_t addend);
  bool destination(const ptx::Operand& operand, std::vector<Operand>& out, unsigned depth);
  bool source(const ptx::Operand& operand, Type type, std::vector<Operand>& out);
  bool sources(const ptx::Operand& operand, Instruction& out, unsigned depth);
  bool name(const ptx::Operand& operand, std::vector<Operand>& out);
  bool address(const ptx::Operand& operand, Instruction& out);
  bool address_values(const ptx::Operand& operand, Instruction& out);
  bool check_shape(const ptx::Instruction& syntax, const Instruction& out);
  bool branch(const ptx::Instruction& syntax, Instruction& out);
  bool branch_index(const ptx::Instruction& syntax, Instruction& out);
  bool loose_operands(const ptx::Instruction& syntax, Instruction& out);
  // build_cluster.cpp
  bool cluster_barrier(const ptx::Instruction& syntax, Instruction& out);
  // build_call.cpp
  bool call(const ptx::Instruction& syntax, Instruction& out);
  bool call_operand(const ptx::Operand& operand, const std::vector<Parameter>& types, std::vector<Operand>& out);
  uint32_t add_prototype(const ptx::Prototype& prototype);
  bool call_prototype(const ptx::Operand& operand, Instruction& out);

  [[nodiscard]] const ptx::Operand* operands_of(ptx::Range range) const {
    return owner_.tree.operands.data() + range.first;
  }
  Entity find(std::string_view name);
  bool label(std::string_view name, ptx::Position at, uint32_t& label);
  bool fail(ptx::Position at, std::string message, std::string hint = {}) {
    return owner_.fail(at, std::move(message), std::move(hint));
  }
  bool undeclared(const ptx::Operand& operand);

  ModuleBuilder& owner_;
  const ptx::Function& syntax_;
  FunctionId id_;
  Function out_;
  Scopes scopes_;
  struct Label {
    uint32_t position = kNone;  // instruction that it stands before
    bool targeted = false;
  };
  std::vector<Label> labels_;
  std::unordered_map<std::string_view, DecodedOpcode> decoded_;  // by opcode and suffixes as written
  std::vector<Instruction> prelude_;                             // inserted before the current instruction
  std::vector<uint64_t> frame_marks_;                            // frame_ at the scopes' begins
  uint64_t frame_ = 0;                                           // bytes in use here; local_bytes is the most
  // The .loc in force: a place without its PTX line, and by position the latest chain of inlined calls.
  Place loc_;
  std::unordered_map<uint64_t, uint32_t> loc_places_;
};

}  // namespace drywarp::ir
