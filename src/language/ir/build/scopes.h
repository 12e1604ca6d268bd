// Names of a function body: nested { } scopes, each with its own registers, variables and labels. Private to this
// folder.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "language/ir/kernel.h"

namespace drywarp::ir {

struct Entity {
  enum class Kind : uint8_t { None, Register, Symbol, Label, Prototype, Targets };
  Kind kind = Kind::None;
  uint8_t width = 1;  // Register: of .v2/.v4 registers, that many ids from `id` on
  uint32_t id = kNone;
  explicit operator bool() const { return kind != Kind::None; }
};

class Scopes {
 public:
  // Registers of a range (%r<1000000>) get their ids when they are first named: `registers` grows then.
  explicit Scopes(std::vector<Register>& registers) : registers_(registers) { scopes_.emplace_back(); }

  // First walk: open and close declare the scopes in text order. After rewind() the second walk meets the same ones.
  void open();
  void close();
  void rewind();

  // False: the scope has that name already.
  bool declare(std::string_view name, Entity entity);
  bool declare_register(std::string_view name, Type type, uint8_t width);
  bool declare_register_range(std::string_view prefix, uint64_t count, Type type, uint8_t width);
  [[nodiscard]] Entity find(std::string_view name);

 private:
  struct Range {
    std::string_view prefix;
    uint64_t count;
    Type type;
    uint8_t width;
  };
  struct Scope {
    uint32_t parent = kNone;
    std::unordered_map<std::string_view, Entity> names;
    std::vector<Range> ranges;
  };
  RegisterId add_registers(std::string_view name, Type type, uint8_t width);
  Entity find_in_ranges(Scope& scope, std::string_view name);

  std::vector<Register>& registers_;
  std::vector<Scope> scopes_;
  uint32_t current_ = 0;
  uint32_t opened_ = 1;  // scopes met in this walk
};

}  // namespace drywarp::ir
