// The syntax tree of a PTX module: the text as written, with no names resolved. Flat pools with index ranges instead of
// pointers: a 5 MB module makes a few large vectors, and deep nesting costs no stack. Every string_view points into
// `text`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "language/ptx/token.h"

namespace drywarp::ptx {

// [first, first + count) of one of SyntaxTree's pools.
struct Range {
  uint32_t first = 0;
  uint32_t count = 0;
};

enum class OperandKind : uint8_t {
  Name,     // a register, variable, function or label; `bits` is a signed number added to it (array+4)
  Integer,  // bits; is_unsigned
  Float32,  // bits: the pattern
  Float64,  // bits: the pattern of a double
  Vector,   // {a, b}: children
  Address,  // [a], [a, {x, y}]: children, each with its offset
  Tuple,    // (a, b) of a call: children
  Pair,     // p|q: two children
  Sink,     // _
};

struct Operand {
  OperandKind kind = OperandKind::Sink;
  bool invert = false;  // !p
  bool minus = false;   // -a of a name (vmad)
  bool is_unsigned = false;
  bool generic = false;  // generic(name), in initialisers
  bool indexed = false;  // name[bits]: bits counts elements
  Position at;
  std::string_view name;
  std::string_view component;  // of name.x or [a].unified, without the dot
  uint64_t bits = 0;
  uint64_t mask = 0;  // 0xff00(name), in initialisers; 0: none
  Range children;     // SyntaxTree::operands
};

enum class Linking : uint8_t { None, Extern, Visible, Weak, Common };
enum class StateSpace : uint8_t { Reg, Sreg, Const, Global, Local, Param, Shared, Tex };

// One declared name. `.reg .b32 %r<10>, x;` makes two of them.
struct Variable {
  StateSpace space{};
  Linking linking{};
  bool managed = false;
  bool is_range = false;    // name<range>
  bool is_array = false;    // name[...]
  bool open_array = false;  // the first dimension is empty: name[]
  bool is_pointer = false;  // .ptr
  bool has_initializer = false;
  uint8_t vector = 1;  // .v2, .v4, .v8
  Position at;
  std::string_view name;  // "_" in prototypes
  std::string_view type;  // "f32", without the dot; "texref", "samplerref", "surfref" too
  uint64_t range = 0;
  uint64_t elements = 1;     // product of the dimensions, 0 for name[]; vectors count as one
  uint64_t alignment = 0;    // .align; 0: not given
  Range dimensions;          // SyntaxTree::numbers, 0 for []
  uint32_t initializer = 0;  // SyntaxTree::initializers, the root
};

// An initialiser: one value, or a list of initialisers in braces.
struct Initializer {
  bool is_list = false;
  std::string_view field;  // samplers: addr_mode_0 = ...
  uint32_t value = 0;      // SyntaxTree::operands, when it is no list
  Range items;             // SyntaxTree::initializer_items
  Position at;
};

struct Instruction {
  std::string_view opcode;    // "ld" of ld.global.f32
  std::string_view suffixes;  // ".global.f32" as written (blanks between suffixes included)
  Range words;                // SyntaxTree::words: "global", "f32"
  Range operands;             // SyntaxTree::operands
  std::string_view guard;     // "%p1" of @%p1; empty: none
  bool guard_negated = false;
  bool is_directive = false;  // an unknown directive in a body; words[0] is its name
  Position at;                // of the guard or the opcode
  Position guard_at;
  uint32_t text_begin = 0;  // the whole instruction in `text`, guard and semicolon included
  uint32_t text_end = 0;
};

struct Loc {
  uint32_t file = 0, line = 0, column = 0;
  bool inlined = false;
  uint32_t at_file = 0, at_line = 0, at_column = 0;  // inlined_at
  std::string_view function_name;                    // a label in .debug_str
};

// `name: .branchtargets a, b;` or `.calltargets`
struct TargetList {
  bool calls = false;
  std::string_view name;
  Range names;  // SyntaxTree::operands, Names
};

// `name: .callprototype (results) _ (parameters);`
struct Prototype {
  std::string_view name;
  Range results, parameters;  // SyntaxTree::variables
};

enum class StatementKind : uint8_t {
  Instruction,
  Label,
  Variable,
  Loc,
  Pragma,
  Targets,
  Prototype,
  ScopeBegin,
  ScopeEnd
};

struct Statement {
  StatementKind kind{};
  uint32_t index = 0;  // of the kind's pool; Label: `names`, Pragma: `names`
  Position at;
};

// .maxntid 128, 1, 1 and the like.
struct FunctionDirective {
  std::string_view name;  // "maxntid"
  std::string_view text;  // of .pragma
  Range numbers;          // SyntaxTree::numbers
  Position at;
};

struct Function {
  bool is_kernel = false;
  bool has_body = false;
  Linking linking{};
  std::string_view name;
  Position at;
  Range results, parameters;  // SyntaxTree::variables
  Range directives;           // SyntaxTree::directives
  Range body;                 // SyntaxTree::statements
};

struct File {
  uint64_t number = 0;
  std::string path;  // without the escapes of its quotes
};

struct Alias {
  std::string_view name, target;
  Position at;
};

struct SyntaxTree {
  std::string name;  // of the text, for messages
  std::shared_ptr<const std::string> text;
  std::string_view version;              // "8.3"
  std::vector<std::string_view> target;  // sm_90, debug, ...
  uint32_t address_size = 64;
  std::vector<File> files;
  std::vector<Variable> module_variables;
  std::vector<Function> functions;  // in text order, declarations too
  std::vector<Alias> aliases;

  // Pools
  std::vector<Statement> statements;
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;
  std::vector<Variable> variables;
  std::vector<Initializer> initializers;
  std::vector<uint32_t> initializer_items;
  std::vector<std::string_view> words;
  std::vector<std::string_view> names;
  std::vector<uint64_t> numbers;
  std::vector<Loc> locs;
  std::vector<TargetList> targets;
  std::vector<Prototype> prototypes;
  std::vector<FunctionDirective> directives;
};

}  // namespace drywarp::ptx
