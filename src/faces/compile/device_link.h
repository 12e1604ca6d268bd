// Relocatable device code (-rdc=true): tying the translation units' PTX together.
//
// The PTX of all units is linked by the runtime when the program starts. What is made here is nvcc's registration stub:
// every unit calls __cudaRegisterLinkedBinary<id> from its constructor; the stub collects the fat binaries and, once
// all units that were linked in have reported, registers them together as one wrapper of version 2, whose last field
// points to the array of the units' images (PTX text or fat binaries), ended by a null pointer.
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
  bool required = true;  // false: a member of a static library that is registered only if the host linker takes it
  bool operator==(const DeviceUnit&) const = default;
};

struct DeviceLink {
  std::vector<DeviceUnit> units;      // sorted by id
  std::vector<Diagnostic> undefined;  // what their device code refers to and none of them defines
};
// The units in these objects and libraries that no stub among them registers yet. A library's unit is required if a
// required object wants something of it: host code, as the linker would find by itself, or device code, which it knows
// nothing of. With `whole_libraries` every unit is: of -dlink, which does not see the host's objects. Nothing is said
// to be undefined where some unit's PTX cannot be read here (nvcc compresses it).
Result<DeviceLink> unregistered_units(const std::vector<std::string>& files, bool whole_libraries = false);

// Names that one side of a file, host or device, asks others for and offers to others.
struct LinkSymbols {
  std::set<std::string> wanted, defined;
  void add(const LinkSymbols& others);
};
// What PTX text declares with .extern and is not given by the device's own runtime, and what it defines for others.
LinkSymbols device_symbols(std::string_view ptx);

// The objects and static libraries of a link line, -lfoo looked up in the -L folders; shared libraries are left out.
std::vector<std::string> linked_files(const std::vector<std::string>& items);

// C++ source of the stub for these units.
std::string registration_stub(const std::vector<DeviceUnit>& units);

// Clang derives a unit's id from the source's name as written, which two folders may share.
// Command that renames the id in an object after the whole path; empty when there is nothing to rename.
Result<std::vector<std::string>> rename_unit_command(const std::string& object, const std::string& unique_text);

}  // namespace drywarp::compile
