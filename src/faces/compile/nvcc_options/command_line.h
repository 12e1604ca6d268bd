// The commands of a compilation. Pure functions, so that tests need not run the commands.
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
  double limit_seconds = 0;  // time limit of each program that is started; 0: none
};

// Names a source's unit in relocatable code; of letters and digits.
std::string unit_id(const Compilation& compilation, const std::string& source);

// Source -> PTX for one architecture. Writes the headers read to depfile, as make rules.
Arguments device_command(const Compilation& compilation, const Toolchain& tools, const std::string& source,
                         int architecture, const std::string& ptx, const std::string& depfile);

// Source -> object that embeds the file `image` (PTX or a fat binary) and registers it with libcudart.
Arguments host_command(const Compilation& compilation, const Toolchain& tools, const std::string& source,
                       const std::string& image, const std::string& object, const std::string& depfile);

// A source without text, for the options of a pass alone.
inline constexpr const char* kNoSource = "/dev/null";

// The command of a CUDA pass over kNoSource -> the command that precompiles our headers with its options.
Arguments precompile_command(Arguments pass, const std::string& header, const std::string& depfile);

// The command of a CUDA pass, with our headers taken from the precompiled header.
Arguments with_precompiled(Arguments pass, const std::string& header);

// A C or C++ source -> object.
Arguments plain_command(const Compilation& compilation, const Toolchain& tools, const Input& source,
                        const std::string& object, const std::string& depfile);

// Preprocesses a source (host pass) to `output`; empty: standard output.
Arguments preprocess_command(const Compilation& compilation, const Toolchain& tools, const Input& source,
                             const std::string& output, const std::string& depfile);

// The folders and architectures that nvcc prints before the commands of -v and --dryrun; build systems read them.
std::string environment_text(const Compilation& compilation, const Toolchain& tools);

// Objects and libraries -> program or shared library. `items`: the words of the link line in order.
Arguments link_command(const Compilation& compilation, const Toolchain& tools, const std::vector<std::string>& items,
                       const std::string& output, const std::string& depfile);

// A generated C++ source -> object.
Arguments stub_command(const Toolchain& tools, const std::string& source, const std::string& object);

Arguments archive_command(const std::vector<std::string>& objects, const std::string& output);

}  // namespace drywarp::compile
