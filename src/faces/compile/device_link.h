// Links relocatable device code (-rdc=true).
//
// The runtime links the units' PTX when the program starts. This file writes nvcc's registration stub: every unit calls
// __cudaRegisterLinkedBinary<id> from its constructor. The stub collects the fat binaries. After the last linked unit
// it registers them as one wrapper of version 2, whose last field points to a null-terminated array of the units'
// images (PTX text or fat binaries).
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"
#include "faces/compile/nvcc_options/compilation.h"

namespace drywarp::compile {

struct DeviceUnit {
  std::string id;
  bool required = true;  // false: a member of a static library, registered only if the host linker takes it
  bool operator==(const DeviceUnit&) const = default;
};

struct DeviceLink {
  std::vector<DeviceUnit> units;      // sorted by id
  std::vector<Diagnostic> undefined;  // undefined references in their device code
};
// The units in these objects and libraries that no stub among them registers. A library's unit is required if a
// required object refers to its host symbols, as for the linker, or to its device symbols, which the linker does not
// see. With `whole_libraries` every unit is required: -dlink does not see the host's objects. `undefined` is empty if
// some unit's PTX cannot be read (nvcc compresses it).
Result<DeviceLink> unregistered_units(const std::vector<std::string>& files, bool whole_libraries = false);

// The symbols that the host or the device code of a file refers to, and those that it defines.
struct LinkSymbols {
  std::set<std::string> wanted, defined;
  void add(const LinkSymbols& others);
};
// The symbols of PTX text: .extern ones that the device runtime does not provide, and visible definitions.
LinkSymbols device_symbols(std::string_view ptx);
// Of a unit that is linked with no other: the functions that its PTX calls and nobody provides, which ptxas refuses.
std::vector<Diagnostic> unresolved_functions(std::string_view ptx);

// The objects and static libraries of a link line, with -lfoo searched in the -L folders, without shared libraries.
std::vector<std::string> linked_files(const std::vector<std::string>& items);

// C++ source of the stub for these units.
std::string registration_stub(const std::vector<DeviceUnit>& units);

// clang derives a unit's id from the source's relative path, which is not unique. The command that renames the id in an
// object by a digest of `unique_text`; empty if there is none.
Result<std::vector<std::string>> rename_unit_command(const std::string& object, const std::string& unique_text);

}  // namespace drywarp::compile
