// Every option of nvcc that the driver knows, and how it is treated. The parser, `drywarp nvcc --help`, the manual
// page, completion and docs/cli.md derive from this table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/support/result.h"
#include "faces/compile/nvcc_options/compilation.h"

namespace drywarp::compile {

enum class Treatment {
  Honoured,  // has its effect
  Silent,    // has no meaning here; ignoring it changes nothing
  Warned,    // cannot be honoured; ignored with a warning
  Refused,   // ignoring it would change the program's meaning: an error
};

enum class OptionForm {
  Flag,          // -G
  Value,         // -o x, -o=x
  JoinedValue,   // also -ox: -I -D -U -L -l -O -x -t -m
  List,          // a comma-separated list: -Xcompiler -Wall,-Wextra
  OptionalFlag,  // a flag that may carry =true or =false: -ftz
};

struct Option {
  const char* name;   // long form with its dashes: "--output-file"
  const char* alias;  // short form: "-o"; nullptr: none
  OptionForm form;
  Treatment treatment;
  const char* help;  // what it does; for Silent, Warned and Refused: why it has no effect
  // Applies one value ("" for a flag) to the compilation; nullptr if the treatment suffices.
  Status (*apply)(Compilation&, std::string_view value);
};

std::span<const Option> option_table();

inline constexpr Treatment kTreatments[] = {Treatment::Honoured, Treatment::Silent, Treatment::Warned,
                                            Treatment::Refused};
const char* title_of(Treatment treatment);    // "Accepted without effect"
const char* placeholder_of(OptionForm form);  // the placeholder in help: "X", "X,...", "true|false", ""

}  // namespace drywarp::compile
