// A form of an opcode under test: its text with typed operands, and the ir::Instruction that the parser makes of it.
#pragma once

#include <string>
#include <vector>

#include "language/ir/kernel.h"

namespace drywarp::jit::test {

// `operands` names registers by kind, results before the "=": p predicate, h 16 bits, r 32, l 64, f f32, d f64, as in
// "d = f f 0x96". Literals, "r.b1", "-r" and "!p" are written as in PTX. Two results "a|b" are written "a b".
struct Form {
  std::string opcode;
  std::string operands;
};

struct ParsedForm {
  Form form;
  ir::Module module;
  ir::Instruction instruction;                // the first, usually the only one
  std::vector<ir::Instruction> instructions;  // all of them
  struct Slot {
    unsigned bits = 0;  // of the register; 0 for a literal
    char kind = 0;
  };
  std::vector<Slot> results, sources;
  struct Row {  // the row of the sources or results that holds a register
    bool result = false;
    unsigned index = 0, bits = 0;
  };
  std::vector<Row> rows;  // by register id
};

// Throws std::runtime_error with the parser's message.
ParsedForm parse_form(const Form& form);

// Several instructions. Their registers are named for rows, as in the recordings of hardware: "%r_a0" is source 0 in 32
// bits, "%fd_d1" result 1 in a double; kinds are p, h, r, rd, f, fd.
ParsedForm parse_recorded(const std::string& text);

// The forms under test: each opcode of the computing families with all its types and modifiers.
std::vector<Form> integer_forms();
std::vector<Form> float_forms();
std::vector<Form> half_forms();
std::vector<Form> compare_forms();
std::vector<Form> convert_forms();
std::vector<Form> video_forms();
std::vector<Form> exchange_forms();

}  // namespace drywarp::jit::test
