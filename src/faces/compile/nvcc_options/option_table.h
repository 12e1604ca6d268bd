// Every option of nvcc that the driver knows, and what becomes of it. The parser, `drywarp nvcc --help`, its manual
// page, completion and the list in docs/cli.md all derive from this one table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/support/result.h"
#include "faces/compile/nvcc_options/compilation.h"

namespace drywarp::compile {

enum class Treatment {
  Honoured,  // does what it says
  Silent,    // has no meaning here, and leaving it out changes nothing
  Warned,    // cannot be honoured; the build goes on with a warning that names it
  Refused,   // would change what the program means: an error
};

enum class Shape {
  Flag,          // -G
  Value,         // -o x, -o=x
  JoinedValue,   // also -ox: -I -D -U -L -l -O -x -t -m
  List,          // a value that may be a list parted by commas: -Xcompiler -Wall,-Wextra
  OptionalFlag,  // a flag that may carry =true or =false: -ftz
};

struct Option {
  const char* name;   // long form with its dashes: "--output-file"
  const char* alias;  // short form: "-o"; nullptr: none
  Shape shape;
  Treatment treatment;
  const char* help;  // what it does; for Silent, Warned and Refused: why it is not done
  // Applies one value ("" for a flag) to the compilation; nullptr where the treatment says it all.
  Status (*apply)(Compilation&, std::string_view value);
};

std::span<const Option> option_table();

inline constexpr Treatment kTreatments[] = {Treatment::Honoured, Treatment::Silent, Treatment::Warned,
                                            Treatment::Refused};
const char* title_of(Treatment treatment);  // "Accepted without effect"
const char* value_of(Shape shape);          // what help writes behind the name: "X", "X,...", "true|false", ""

}  // namespace drywarp::compile
