#include "faces/cli/targets/sweep_request.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/device/device_spec.h"
#include "base/support/whole_file.h"
#include "faces/cli/targets/filters.h"
#include "model/whatif/what_if.h"

namespace drywarp::cli {
namespace {

using sweep::Description;
using sweep::Kind;
using sweep::Value;

std::vector<Value> values_of(const std::vector<std::string>& texts) {
  std::vector<Value> values;
  for (const std::string& text : texts) values.push_back(sweep::value_of(text, text.empty() ? "none" : text));
  return values;
}

// "BM=32,64" of -DBM=32,64 becomes a parameter; a macro with one value stays a word.
Status take_words(Description& d, const std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    std::string macro;
    size_t length = 0;
    if ((words[i] == "-D" || words[i] == "--define-macro") && i + 1 < words.size())
      macro = words[i + 1], length = 2;
    else if (words[i].starts_with("-D"))
      macro = words[i].substr(2), length = 1;
    const size_t equals = macro.find('=');
    if (length != 0 && equals != std::string::npos) {
      auto values = sweep::parse_values(std::string_view(macro).substr(equals + 1));
      if (!values) return values.problem();
      if (values->size() > 1) {
        if (Status s = d.space.add(macro.substr(0, equals), Kind::Macro, std::move(*values)); !s) return s;
        i += length - 1;
        continue;
      }
    }
    d.program.words.push_back(words[i]);
  }
  return {};
}

Status add_list(Description& d, const char* name, Kind kind, const std::string& list, const std::string& prefix = {}) {
  if (list.empty()) return {};
  auto values = sweep::parse_values(list);
  if (!values) return values.problem();
  for (Value& value : *values)
    if (!prefix.empty() && value.text != "none") value.text = prefix + value.text;
  return d.space.add(name, kind, std::move(*values));
}

Status add_devices(Description& d, const std::string& list) {
  if (list == "all") return d.space.add("device", Kind::Device, values_of(device::device_ids()));
  return add_list(d, "device", Kind::Device, list);
}

Status check_values(const Description& d) {
  if (!d.program.device.empty())
    if (const auto device = device::load_device(d.program.device); !device) return device.problem();
  if (Status status = check_pattern(d.program.kernel); !status) return status;
  for (const sweep::Parameter& p : d.space.parameters())
    for (const Value& value : p.values) {
      if (p.kind == Kind::Device)
        if (const auto device = device::load_device(value.text); !device) return device.problem();
      if (p.kind == Kind::WhatIf && value.text != "none") {
        const auto questions = whatif::parse_questions(value.text);
        if (!questions) return questions.problem();
        if (questions->size() != 1)
          return error(fmt::format("'{}' stands for several changes", value.text), "name one: carveout=50");
      }
      if (p.kind == Kind::Registers && value.text != "none" && value.number.value_or(0) < 1)
        return error(fmt::format("'{}' is no number of registers", value.text), "a count, or none");
    }
  return {};
}

}  // namespace

void add_sweep_space_options(CLI::App& app, SweepSpaceOptions& o) {
  app.add_option("--device", o.devices, "GPUs to sweep over, separated by commas: names or device files; or 'all'")
      ->type_name("DEVICES");
  app.add_option("--registers", o.registers, "caps of registers a thread (-maxrregcount) to sweep over: 32,64,none")
      ->type_name("LIST");
  app.add_option("--options", o.options,
                 "compile options to sweep over: each is one value, of words with blanks between; '' is none")
      ->type_name("OPTIONS")
      ->take_all()
      ->expected(1);
  app.add_option("--what-if", o.what_if,
                 "changes to sweep over, each one of `drywarp what-if --list`, or 'none'; may be repeated")
      ->type_name("CHANGE")
      ->take_all()
      ->expected(1);
  app.add_option("--carveout", o.carveout, "shared memory carve-outs to sweep over, in percent: 0,50,100,none")
      ->type_name("LIST");
  app.add_option("--constraint", o.constraints,
                 "only configurations for which this expression of parameters is not 0: 'BM * BN <= 4096'; may be "
                 "repeated")
      ->type_name("EXPRESSION")
      ->take_all()
      ->expected(1);
  app.add_option("--per", o.per, "a parameter that is no choice, such as a size: the best is sought for each value")
      ->type_name("NAME")
      ->take_all()
      ->expected(1);
  app.add_option("--search", o.search,
                 "grid, the default, runs everything; random runs --runs of them; halving counts all, then times a "
                 "slice of the better half, then the whole of the best quarter")
      ->type_name("grid|random|halving")
      ->check(CLI::IsMember({"grid", "random", "halving"}));
  app.add_option("--runs", o.runs, "how many configurations a random search runs")->type_name("N");
  app.add_option("--seed", o.seed, "of the random search")->type_name("N");
  app.add_option("--verify", o.verify, "a shell command that reads the program's output; a row is wrong if it fails")
      ->type_name("COMMAND");
  app.add_option("--kernel", o.kernel, "measure only kernels whose name matches this regular expression")
      ->type_name("REGEX");
}

Result<Description> sweep_description(const SweepSpaceOptions& o, const SplitArguments& split) {
  Description d;
  if (!o.file.empty()) {
    const auto text = read_whole(o.file);
    if (!text) return error(fmt::format("cannot read '{}': {}", o.file, std::strerror(errno)));
    auto parsed = sweep::parse_description(*text, o.file);
    if (!parsed) return parsed.problem();
    d = std::move(*parsed);
  }
  if (!split.program.empty()) d.program.words = {split.program};
  if (Status s = take_words(d, split.compiler); !s) return s.problem();
  if (Status s = sweep::take_arguments(d, split.arguments); !s) return s.problem();
  if (Status s = add_list(d, "registers", Kind::Registers, o.registers); !s) return s.problem();
  if (!o.options.empty())
    if (Status s = d.space.add("options", Kind::Options, values_of(o.options)); !s) return s.problem();
  if (!o.what_if.empty())
    if (Status s = d.space.add("what_if", Kind::WhatIf, values_of(o.what_if)); !s) return s.problem();
  if (Status s = add_list(d, "carveout", Kind::WhatIf, o.carveout, "carveout="); !s) return s.problem();
  if (o.devices.find(',') == std::string::npos && o.devices != "all")
    d.program.device = o.devices.empty() ? d.program.device : o.devices;
  else if (Status s = add_devices(d, o.devices); !s)
    return s.problem();
  for (const std::string& constraint : o.constraints)
    if (Status s = d.space.constrain(constraint); !s) return s.problem();
  for (const std::string& name : o.per) {
    if (!d.space.find(name))
      return error(fmt::format("--per {}: there is no such parameter", name),
                   fmt::format("an argument is '{{{}=VALUES}}', in quotes: shells expand braces", name));
    d.per.push_back(name);
  }
  if (!o.search.empty()) d.search = *sweep::parse_search(o.search);
  if (o.runs != 0) d.runs = o.runs;
  if (o.seed != 0) d.seed = o.seed;
  if (!o.verify.empty()) d.program.verify = o.verify;
  if (!o.kernel.empty()) d.program.kernel = o.kernel;
  if (d.program.words.empty()) return error("nothing to sweep", "name a .cu file, a program, or a sweep's .toml file");
  if (d.search == sweep::Search::Random && d.runs == 0)
    return error("a random search needs a number of runs", "--runs 20");
  if (d.search != sweep::Search::Random && d.runs != 0)
    return error("--runs is for a random search", "--search random");
  if (std::ranges::count(d.space.parameters(), Kind::WhatIf, &sweep::Parameter::kind) > 1)
    return error("--what-if and --carveout are both changes, and a run has one", "--what-if carveout=50");
  if (Status status = check_values(d); !status) return status.problem();
  return d;
}

}  // namespace drywarp::cli
