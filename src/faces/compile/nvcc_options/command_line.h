// The commands that a compilation comes down to. Pure functions: what is run can be tested without running it.
#pragma once

#include <string>
#include <vector>

#include "faces/compile/nvcc_options/compilation.h"
#include "faces/compile/nvcc_options/installation.h"
#include "faces/compile/nvcc_options/process.h"

namespace drywarp::compile {

struct Toolchain {
  Clang clang;
  Installation installation;
  bool colors = false;       // diagnostics for a terminal
  double limit_seconds = 0;  // that a program which we start may take; 0: as long as it likes
};

// Source -> PTX for one architecture. Writes the headers it read to depfile, as make rules.
Arguments device_command(const Compilation& compilation, const Toolchain& tools, const std::string& source,
                         int architecture, const std::string& ptx, const std::string& depfile);

// Source -> object that holds the PTX (or fat binary) file `image`, registered the way that libcudart expects.
Arguments host_command(const Compilation& compilation, const Toolchain& tools, const std::string& source,
                       const std::string& image, const std::string& object, const std::string& depfile);

// A C or C++ source -> object.
Arguments plain_command(const Compilation& compilation, const Toolchain& tools, const Input& source,
                        const std::string& object, const std::string& depfile);

// Preprocesses a source (host pass) to `output`; empty: standard output.
Arguments preprocess_command(const Compilation& compilation, const Toolchain& tools, const Input& source,
                             const std::string& output, const std::string& depfile);

// What nvcc prints before the commands of -v and --dryrun, and what build systems read there: folders and
// architectures.
std::string environment_text(const Compilation& compilation, const Toolchain& tools);

// Objects and libraries -> program or shared library. `items` are the link line's words in order.
Arguments link_command(const Compilation& compilation, const Toolchain& tools, const std::vector<std::string>& items,
                       const std::string& output, const std::string& depfile);

// A small C++ source of ours -> object.
Arguments stub_command(const Toolchain& tools, const std::string& source, const std::string& object);

Arguments archive_command(const std::vector<std::string>& objects, const std::string& output);

}  // namespace drywarp::compile
