// Device file -> DeviceSpec, by a table of fields. Every file inherits any.toml. One that is `based_on` an architecture
// or another device inherits that file: layers, each with its own [sources]; the device's own numbers win.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <variant>

#include "base/device/device_features.h"
#include "base/device/device_fields.h"
#include "base/device/device_spec.h"
#include "base/device/embedded_devices.h"
#include "base/support/near_names.h"

namespace drywarp::device {
namespace {

constexpr Bounds kAnyBounds{0, std::numeric_limits<int32_t>::max()};

// Keys of [attributes], and of [limits] (cudaLimit). Those of [latency] and [issue] are operations'.
const std::set<std::string_view> kAttributes = {
#define DW_ATTRIBUTE(number, name) #name,
#include "base/device/cuda_attributes.def"
#undef DW_ATTRIBUTE
};
const std::set<std::string_view> kOperations = {
#define DW_TIMING_CLASS(name, key, description) key,
#define DW_OPERATION(name, mnemonic, pipe, timing) mnemonic,
#include "base/device/operations.def"
};

// The file that all others inherit.
constexpr std::string_view kEveryGpu = "any";
constexpr std::string_view kArchitectureFolder = "devices/architectures";

// Keys at the top of a file that are not tables of numbers.
const std::set<std::string_view> kTexts = {"name", "architecture", "also_called", "based_on", "sources"};

struct Number {
  std::vector<int64_t> values;  // one, unless an array
  std::optional<double> real;   // written with a point or an exponent; `values` is empty
  bool is_flag = false;         // true or false
  bool is_array = false;
  SourceLocation location;

  [[nodiscard]] std::string text() const {
    if (is_array) return fmt::format("[{}]", fmt::join(values, ", "));
    if (is_flag) return values[0] ? "true" : "false";
    return real ? fmt::format("{}", *real) : fmt::format("{}", values[0]);
  }
};

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  Result<DeviceSpec> read(const toml::table& root, const std::string& id) {
    spec_.id = id;
    every_gpu();
    base(root);
    if (root.contains("based_on")) text(root, "based_on", spec_.based_on);
    text(root, "name", spec_.name);
    if (spec_.architecture.empty() || root.contains("architecture")) text(root, "architecture", spec_.architecture);
    if (const toml::node* names = root.get("also_called")) also_called(*names);
    layer(root);
    if (!problem_) fill();
    if (!problem_) forget_units_that_it_lacks();
    if (!problem_) check();
    if (problem_) return *problem_;
    return std::move(spec_);
  }

 private:
  SourceLocation at(const toml::node& node) const {
    return {path_, node.source().begin.line, node.source().begin.column};
  }
  SourceLocation whole_file() const { return {path_, 0, 0}; }
  // The location of a number, or else of its table.
  SourceLocation place_of(const std::string& path) const {
    if (const auto found = places_.find(path); found != places_.end()) return found->second;
    const auto table = places_.find(path.substr(0, path.find('.')));
    return table == places_.end() ? whole_file() : table->second;
  }
  // Only the first problem is reported.
  void fail(SourceLocation where, std::string what, std::string hint = {}) {
    if (!problem_) problem_ = error_at(std::move(where), std::move(what), std::move(hint));
  }

  // Reads what a file gives below the one that is being read.
  void below(const EmbeddedDevice& file, std::string_view folder) {
    const std::string own_path = std::exchange(path_, fmt::format("{}/{}.toml", folder, file.id));
    const toml::table root = toml::parse(file.toml, path_);
    base(root);
    if (root.contains("architecture")) text(root, "architecture", spec_.architecture);
    layer(root);
    path_ = own_path;
  }
  void every_gpu() {
    for (const EmbeddedDevice& a : embedded_architectures())
      if (a.id == kEveryGpu) below(a, kArchitectureFolder);
    for (const auto& [path, number] : numbers_) assumed_.push_back(path);
  }
  // Some GPUs have no L1 or no L2.
  void forget_units_that_it_lacks() {
    for (const std::string& path : assumed_) {
      if (exists(spec_, path)) continue;
      clear_number(spec_.timing, path);
      spec_.origins.erase(path), spec_.texts.erase(path);
    }
  }

  // Reads the file that this one inherits, of an architecture or of a device.
  void base(const toml::table& root) {
    if (!root.contains("based_on") || problem_) return;
    std::string id;
    text(root, "based_on", id);
    if (problem_) return;
    std::vector<std::string_view> ids;
    for (const EmbeddedDevice& a : embedded_architectures()) {
      if (a.id == kEveryGpu) continue;
      if (a.id == id) return below(a, kArchitectureFolder);
      ids.push_back(a.id);
    }
    for (const EmbeddedDevice& d : embedded_devices())
      if (d.id == id) return below(d, "devices");
    fail(at(*root.get("based_on")), fmt::format("'based_on' names '{}', which is no architecture and no device", id),
         fmt::format("choose one of {}, or of `drywarp devices`", fmt::join(ids, ", ")));
  }

  void layer(const toml::table& root) {
    sources_.clear();
    sources(root);
    if (!problem_) numbers(root);
  }

  void also_called(const toml::node& node) {
    const toml::array* names = node.as_array();
    if (!names) return fail(at(node), "'also_called' must be a list of texts");
    for (const toml::node& name : *names) {
      if (!name.is_string()) return fail(at(name), "'also_called' must be a list of texts");
      spec_.also_called.push_back(name.as_string()->get());
    }
  }

  void text(const toml::table& root, const char* key, std::string& out) {
    const toml::node* node = root.get(key);
    if (!node) return fail(whole_file(), fmt::format("the device file has no '{}'", key));
    if (!node->is_string() || node->as_string()->get().empty())
      return fail(at(*node), fmt::format("'{}' must be a text", key));
    out = node->as_string()->get();
  }

  void sources(const toml::table& root) {
    const toml::node* node = root.get("sources");
    if (!node || !node->is_table())
      return fail(node ? at(*node) : whole_file(), "the device file has no [sources] table",
                  "every number must say where it comes from");
    for (const auto& [key, value] : *node->as_table()) {
      const toml::table* entry = value.as_table();
      const auto kind = entry ? (*entry)["kind"].value<std::string_view>() : std::nullopt;
      const auto words = entry ? (*entry)["text"].value<std::string>() : std::nullopt;
      if (!kind || !words || words->empty())
        return fail(at(value), fmt::format("source '{}' needs a 'kind' and a 'text'", key.str()));
      Origin origin{NumberKind::Measured, *words};
      bool known = false;
      for (unsigned k = 0; k < kNumberKinds; ++k)
        if (*kind == name(NumberKind(k))) origin.kind = NumberKind(k), known = true;
      if (!known)
        return fail(at(value), fmt::format("source '{}' has the unknown kind '{}'", key.str(), *kind),
                    "use measured, published, tuned model, specification or assumed");
      sources_.emplace(key.str(), origin);
    }
  }

  void numbers(const toml::table& root) {
    std::set<std::string_view> known = {"memory",     "multiprocessor", "rates", "limits",
                                        "attributes", "latency",        "issue"};
    for (const TimingTableInfo& table : timing_tables()) known.insert(table.name);
    for (const auto& [key, value] : root) {
      if (kTexts.contains(key.str())) continue;
      if (!known.contains(key.str()) || !value.is_table())
        return fail(at(value), fmt::format("a device file has no '{}'", key.str()));
      const toml::table& table = *value.as_table();
      places_.insert_or_assign(std::string(key.str()), at(value));
      const auto shared_source = table["source"].value<std::string>();
      for (const auto& [inner, node] : table)
        if (inner != "source") number(fmt::format("{}.{}", key.str(), inner.str()), node, shared_source);
    }
  }

  void number(const std::string& path, const toml::node& node, std::optional<std::string> source) {
    const toml::node* value = &node;
    if (const toml::table* own = node.as_table()) {
      value = own->get("value");
      if (!value) return fail(at(node), fmt::format("'{}' has no 'value'", path));
      if (const auto its = (*own)["source"].value<std::string>()) source = *its;
    }
    if (!source)
      return fail(at(node), fmt::format("'{}' has no source", path), "add source = \"...\", naming one of [sources]");
    const auto origin = sources_.find(*source);
    if (origin == sources_.end()) return fail(at(node), fmt::format("[sources] has no '{}'", *source));
    spec_.origins.insert_or_assign(path, origin->second);
    Number out;
    out.location = at(*value);
    if (const toml::array* list = value->as_array()) {
      out.is_array = true;
      for (const toml::node& element : *list) {
        const toml::value<int64_t>* one = element.as_integer();
        if (!one) return fail(at(element), fmt::format("'{}' must hold whole numbers", path));
        out.values.push_back(one->get());
      }
    } else if (const toml::value<int64_t>* one = value->as_integer()) {
      out.values.push_back(one->get());
    } else if (const toml::value<bool>* flag = value->as_boolean()) {
      out.is_flag = true;
      out.values.push_back(flag->get());
    } else if (const toml::value<double>* real = value->as_floating_point()) {
      out.real = real->get();
    } else {
      return fail(at(*value), fmt::format("'{}' must be a number", path));
    }
    spec_.texts.insert_or_assign(path, out.text());
    places_.insert_or_assign(path, out.location);
    numbers_.insert_or_assign(path, std::move(out));
  }

  // Takes a number out of those that are not read yet; in the end the rest is unknown.
  std::optional<Number> take(const std::string& path, bool required, bool array) {
    const auto found = numbers_.find(path);
    if (found == numbers_.end()) {
      if (required) fail(place_of(path), fmt::format("the device file has no '{}'", path));
      return std::nullopt;
    }
    const Number n = found->second;
    if (!path.starts_with("attributes.")) numbers_.erase(found);
    if (n.is_array != array) {
      fail(n.location, fmt::format("'{}' must be {}", path, array ? "a list" : "one number"));
      return std::nullopt;
    }
    if (n.real) {
      fail(n.location, fmt::format("'{}' must be a whole number", path));
      return std::nullopt;
    }
    return n;
  }

  void out_of_bounds(const std::string& path, const Number& n, const std::string& value, const std::string& least,
                     const std::string& most, const std::string& unit) {
    fail(n.location, fmt::format("'{}' cannot be {}: it must be from {} to {}{}", path, value, least, most,
                                 unit.empty() ? "" : " " + unit));
  }

  std::optional<int64_t> in_bounds(const std::string& path, const Number& n, int64_t value, const Bounds& bounds) {
    if (value >= bounds.least && value <= bounds.most) return value;
    out_of_bounds(path, n, std::to_string(value), std::to_string(bounds.least), std::to_string(bounds.most), {});
    return std::nullopt;
  }

  template <class T>
  void store(const Field& field, T DeviceSpec::* member) {
    if (const auto n = take(field.path, true, false))
      if (const auto v = in_bounds(field.path, *n, n->values[0], field.bounds)) spec_.*member = T(*v);
  }
  template <class T>
  void store(const Field& field, std::optional<T> DeviceSpec::* member) {
    if (const auto n = take(field.path, false, false))
      if (const auto v = in_bounds(field.path, *n, n->values[0], field.bounds)) spec_.*member = T(*v);
  }

  uint32_t required(const std::string& path) {
    if (const auto n = take(path, true, false))
      if (const auto v = in_bounds(path, *n, n->values[0], kAnyBounds)) return uint32_t(*v);
    return 0;
  }
  std::vector<uint32_t> list(const std::string& path, bool must) {
    std::vector<uint32_t> out;
    if (const auto n = take(path, must, true))
      for (int64_t v : n->values)
        if (const auto one = in_bounds(path, *n, v, kAnyBounds)) out.push_back(uint32_t(*one));
    return out;
  }

  void fill() {
    for (const Field& field : device_fields()) std::visit([&](auto member) { store(field, member); }, field.member);
    spec_.compute_capability = {required("attributes.ComputeCapabilityMajor"),
                                required("attributes.ComputeCapabilityMinor")};
    constexpr const char* kAxes[] = {"X", "Y", "Z"};
    for (unsigned i = 0; i < 3; ++i) {
      spec_.max_block[i] = required(fmt::format("attributes.MaxBlockDim{}", kAxes[i]));
      spec_.max_grid[i] = required(fmt::format("attributes.MaxGridDim{}", kAxes[i]));
    }
    spec_.shared_carveouts = list("multiprocessor.shared_carveouts", true);
    spec_.odd_register_counts = list("multiprocessor.odd_register_counts", false);
    if (const auto n = take("multiprocessor.registers_allocated_per_block", false, false))
      spec_.registers_allocated_per_block = n->values[0] != 0;
    timing();
    if (problem_) return;
    for (const auto& [path, n] : numbers_) {
      const std::string table = path.substr(0, path.find('.')), inner = path.substr(path.find('.') + 1);
      const bool one_whole = !n.is_array && !n.real;
      if (table == "attributes" && one_whole && kAttributes.contains(inner))
        spec_.attributes.emplace(inner, n.values[0]);
      else if (table == "limits" && one_whole && std::ranges::find(kLimits, inner) != std::end(kLimits))
        spec_.limits.emplace(inner, n.values[0]);
      else
        unknown(path, n.location);
    }
  }

  // The hint is the known key of the same table that is nearest.
  void unknown(const std::string& path, const SourceLocation& where) {
    const std::string table = path.substr(0, path.find('.') + 1);
    std::vector<std::string> known;
    const auto add = [&](std::string_view key) {
      if (key.starts_with(table)) known.emplace_back(key);
    };
    for (const Field& field : device_fields()) add(field.path);
    for (const TimingNumberInfo& info : timing_numbers()) add(info.path);
    for (const std::string_view name : kAttributes) add(fmt::format("attributes.{}", name));
    for (const char* name : kLimits) add(fmt::format("limits.{}", name));
    for (const std::string_view name : kOperations)
      for (const char* of : {"latency", "issue"}) add(fmt::format("{}.{}", of, name));
    known = nearest_first(path, std::move(known));
    fail(where, fmt::format("a device file has no '{}'", path),
         known.empty() ? "" : fmt::format("the nearest name is '{}'", known.front()));
  }

  // The keys of tables other than [latency] and [issue] are in timing_numbers.def.
  void timing() {
    for (auto n = numbers_.begin(); n != numbers_.end();) {
      const std::string table = n->first.substr(0, n->first.find('.')), inner = n->first.substr(n->first.find('.') + 1);
      const bool operation = (table == "latency" || table == "issue") && kOperations.contains(inner);
      if (operation)
        timing_number({"", "", n->first.c_str(), "cycles", "", TimingNumberInfo::Kind::Real, kLeastOperationCycles,
                       kMostOperationCycles},
                      n->second);
      n = operation ? numbers_.erase(n) : std::next(n);
    }
    for (const TimingNumberInfo& info : timing_numbers())
      if (const auto found = numbers_.find(info.path); found != numbers_.end()) {
        timing_number(info, found->second);
        numbers_.erase(found);
      }
  }

  void timing_number(const TimingNumberInfo& info, const Number& n) {
    using Kind = TimingNumberInfo::Kind;
    if (n.is_array) return fail(n.location, fmt::format("'{}' must be one number", info.path));
    const bool flag = info.kind == Kind::Flag;
    if (n.is_flag != flag)
      return fail(n.location, fmt::format("'{}' must be {}", info.path, flag ? "true or false" : "a number"));
    if (info.kind == Kind::Count && n.real)
      return fail(n.location, fmt::format("'{}' must be a whole number", info.path));
    const double value = n.real ? *n.real : double(n.values[0]);
    if (!(value >= info.least && value <= info.most))  // a NaN fails both
      return out_of_bounds(info.path, n, n.text(), bound_text(info.least), bound_text(info.most), info.unit);
    set_number(spec_.timing, info.path, value);
  }

  // Rejects numbers that contradict each other.
  void check() {
    const auto require = [&](bool holds, const char* path, const char* what) {
      if (!holds) fail(place_of(path), fmt::format("the device file contradicts itself: {}", what));
    };
    const std::vector<uint32_t>& carveouts = spec_.shared_carveouts;
    require(spec_.warp_size == 32, "attributes.WarpSize", "warps have 32 threads");
    require(spec_.max_threads_per_multiprocessor % spec_.warp_size == 0, "attributes.MaxThreadsPerMultiProcessor",
            "a multiprocessor holds whole warps");
    require(spec_.max_threads_per_block <= spec_.max_threads_per_multiprocessor, "attributes.MaxThreadsPerBlock",
            "a block must fit on a multiprocessor");
    require(spec_.shared_per_block <= spec_.shared_per_block_optin, "attributes.MaxSharedMemoryPerBlockOptin",
            "opting in cannot take shared memory away");
    require(spec_.shared_per_block_optin + spec_.shared_reserved_per_block <= spec_.shared_per_multiprocessor,
            "attributes.MaxSharedMemoryPerMultiprocessor", "a block's shared memory must fit on a multiprocessor");
    require(spec_.registers_per_block <= spec_.registers_per_multiprocessor, "attributes.MaxRegistersPerBlock",
            "a block's registers must fit on a multiprocessor");
    require(!carveouts.empty() && std::is_sorted(carveouts.begin(), carveouts.end()), "multiprocessor.shared_carveouts",
            "shared_carveouts must be ascending");
    require(carveouts.empty() || carveouts.back() == spec_.shared_per_multiprocessor, "multiprocessor.shared_carveouts",
            "the largest carve-out is all of a multiprocessor's shared memory");
    require(spec_.odd_register_counts.empty() || spec_.register_allocation_unit_odd.has_value(),
            "multiprocessor.odd_register_counts", "odd_register_counts needs register_allocation_unit_odd");
  }

  std::string path_;  // of the layer that is being read
  DeviceSpec spec_;
  std::optional<Diagnostic> problem_;
  std::map<std::string, Origin, std::less<>> sources_;
  std::map<std::string, Number> numbers_;
  std::map<std::string, SourceLocation, std::less<>> places_;  // of tables and numbers
  std::vector<std::string> assumed_;                           // paths of the numbers in any.toml
};

}  // namespace

Result<DeviceSpec> parse_device(std::string_view text, const std::string& path, const std::string& id) {
  // Debian's toml++ throws; no exception leaves this function.
  try {
    return Reader(path).read(toml::parse(text, path), id);
  } catch (const toml::parse_error& e) {
    return error_at({path, e.source().begin.line, e.source().begin.column}, std::string(e.description()));
  }
}

}  // namespace drywarp::device
