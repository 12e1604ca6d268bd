// A device's latencies, the warps needed to hide them, and the warps of a program's kernels.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/device/latency_hiding.h"
#include "base/support/plural.h"
#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/counted_run.h"
#include "faces/cli/targets/kept_profile.h"
#include "profile/record/profile.h"
#include "profile/report/model/launch_occupancy.h"
#include "profile/report/writers/layout.h"
#include "profile/store/profile_reader.h"

namespace drywarp::cli {
namespace {

using device::DeviceSpec;
using device::HidingInput;
using device::LatencyRow;
using Json = nlohmann::ordered_json;
using report::Table;

struct LatencyOptions {
  CountedOptions counted;
  device::HidingOptions hiding;
  std::optional<double> bandwidth_gb, clock_mhz, occupancy;
  std::string format = "text";
};

void add_latency_options(CLI::App& app, LatencyOptions& o) {
  const auto number = [&app](const char* flag, std::optional<double>& to, const char* text, const char* unit) {
    app.add_option(flag, to, text)
        ->type_name(unit)
        ->check(std::string_view(unit) == "PERCENT" ? percentage() : positive());
  };
  number("--bytes-per-thread", o.hiding.bytes_per_thread, "bytes that a thread loads at once (4)", "BYTES");
  number("--ilp", o.hiding.ilp, "independent instructions or loads per warp (1)", "N");
  number("--occupancy", o.occupancy, "check whether this occupancy is enough", "PERCENT");
  number("--arithmetic-latency", o.hiding.arithmetic_latency, "replaces the device file's", "CYCLES");
  number("--memory-latency", o.hiding.memory_latency, "replaces the device file's", "CYCLES");
  number("--bandwidth", o.bandwidth_gb, "of device memory, replaces the device file's", "GB/s");
  number("--clock", o.clock_mhz, "replaces the device file's SM clock", "MHz");
  app.add_option("--format", o.format, "output format")->check(CLI::IsMember({"text", "json"}))->capture_default_str();
  add_run_options(app, o.counted.run);
  add_ptx_options(app, o.counted.ptx);
}

std::string cycles(const LatencyRow& row) {
  if (row.cycles) return fmt::format("{:g}", *row.cycles);
  return row.none ? "none" : "-";
}

void print_table(const DeviceSpec& d, const std::vector<LatencyRow>& rows) {
  constexpr auto kLeft = Table::Align::Left, kRight = Table::Align::Right;
  std::cout << fmt::format("{} ({}), compute capability {}.{}. Latencies in cycles; \"-\": not published\n", d.name,
                           d.architecture, d.compute_capability.major, d.compute_capability.minor);
  const auto origin = [&](const LatencyRow& row) {
    const auto found = d.origins.find(row.path);
    return found == d.origins.end() ? "" : device::name(found->second.kind);
  };
  const auto section = [&](LatencyRow::Group group, const char* title) {
    const bool instructions = group == LatencyRow::Group::Instruction;
    Table table =
        instructions ? Table({kLeft, kRight, kRight, kRight, kLeft}, 2, 0) : Table({kLeft, kRight, kLeft}, 2, 0);
    if (instructions) table.head({title, "cycles", "issue", "warps", "kind"});
    if (!instructions) table.head({title, "cycles", "kind"});
    for (const LatencyRow& row : rows) {
      if (row.group != group) continue;
      if (instructions)
        table.row({row.name, cycles(row), row.issue ? fmt::format("{:g}", *row.issue) : "-",
                   row.warps ? std::to_string(*row.warps) : "-", origin(row)});
      else
        table.row({row.name, cycles(row), origin(row)});
    }
    std::cout << '\n';
    table.print(std::cout, {});
  };
  section(LatencyRow::Group::Operation, "operation");
  section(LatencyRow::Group::Unit, "unit");
  section(LatencyRow::Group::Instruction, "instruction");
  std::cout
      << "  issue: cycles that a warp instruction occupies a sub-partition's pipe; warps: per multiprocessor, to keep "
         "it busy\n";
}

void print_hiding(const HidingInput& in, const DeviceSpec& d, const std::optional<double>& occupancy) {
  const device::ArithmeticHiding arithmetic = hide_arithmetic(in);
  const device::MemoryHiding memory = hide_memory(in);
  const std::string ilp = in.ilp == 1 ? "" : fmt::format(" / {:g} independent", in.ilp);
  std::cout << fmt::format("  arithmetic: {} x {:g} cycles{} = {} a multiprocessor, x {} = {}\n",
                           plural(in.schedulers, "scheduler"), in.arithmetic_latency, ilp,
                           plural(arithmetic.warps_per_multiprocessor, "warp"), in.multiprocessors,
                           plural(arithmetic.warps, "warp"));
  std::cout << fmt::format(
      "  memory:     {:g} GB/s / {:g} GHz = {:g} B/cycle, x {:g} cycles = {:.0f} B in flight,\n"
      "              / {:g} B a thread{} = {}, / {} = {}, / {} = {} each\n",
      in.bytes_per_second / 1e9, in.clock_hz / 1e9, memory.bytes_per_cycle, in.memory_latency, memory.bytes_in_flight,
      in.bytes_per_thread, ilp, plural(memory.threads, "thread"), in.warp_size, plural(memory.warps, "warp"),
      plural(in.multiprocessors, "multiprocessor"), plural(memory.warps_per_multiprocessor, "warp"));
  if (memory.warps_per_multiprocessor > d.max_warps_per_multiprocessor())
    std::cout << fmt::format(
        "              more than the {} that fit: load more bytes per thread, or more independently\n",
        d.max_warps_per_multiprocessor());
  if (!occupancy) return;
  const double present = *occupancy / 100 * d.max_warps_per_multiprocessor();
  const auto verdict = [&](const char* what, uint64_t needed) {
    std::cout << fmt::format("  {:g} % occupancy is {:g} {} a multiprocessor: {} for {}", *occupancy, present,
                             noun_for(present, "warp"), present >= double(needed) ? "enough" : "too few", what);
    std::cout << (present >= double(needed)
                      ? "\n"
                      : fmt::format(", {:.0f} % of the warps needed\n", 100 * present / double(needed)));
  };
  verdict("arithmetic", arithmetic.warps_per_multiprocessor);
  verdict("memory", memory.warps_per_multiprocessor);
}

void print_kernels(const std::vector<report::KernelHiding>& kernels) {
  for (const report::KernelHiding& k : kernels) {
    std::cout << fmt::format("\n{}\n  {} of {}x{}x{} blocks of {}x{}x{} threads, {} registers a thread\n", k.kernel,
                             plural(k.launches, "launch"), k.grid.x, k.grid.y, k.grid.z, k.block.x, k.block.y,
                             k.block.z, k.registers);
    std::cout << fmt::format(
        "  present   {:.1f} warps a multiprocessor ({} fit by occupancy{})\n", k.warps_present, k.warps_by_occupancy,
        k.warps_present < double(k.warps_by_occupancy) ? ": the grid is too small to fill them" : "");
    std::cout << fmt::format("  needed    {} for arithmetic ({:.1f} cycles on average)\n", k.warps_for_arithmetic,
                             k.arithmetic_latency);
    if (k.requests > 0)
      std::cout << fmt::format(
          "            {} to keep device memory busy ({:.0f} B a load of a warp)\n"
          "            {} to keep the schedulers busy ({:.1f} other instructions a load)\n",
          k.warps_for_bandwidth, k.bytes_per_request, k.warps_for_issue, k.instructions_per_request());
    std::cout << (k.hidden() >= 1
                      ? fmt::format("  so        latency is hidden: {:.1f} present, {} needed\n", k.warps_present,
                                    k.warps_needed)
                      : fmt::format("  so        {:.0f} % of the latency is hidden: {:.1f} present, {} needed\n",
                                    100 * k.hidden(), k.warps_present, k.warps_needed));
  }
}

Json hiding_json(const HidingInput& in) {
  const device::ArithmeticHiding arithmetic = hide_arithmetic(in);
  const device::MemoryHiding memory = hide_memory(in);
  return {{"schedulers", in.schedulers},
          {"multiprocessors", in.multiprocessors},
          {"ilp", in.ilp},
          {"arithmetic",
           {{"latency_cycles", in.arithmetic_latency},
            {"warps_per_multiprocessor", arithmetic.warps_per_multiprocessor},
            {"warps", arithmetic.warps}}},
          {"memory",
           {{"latency_cycles", in.memory_latency},
            {"bytes_per_second", in.bytes_per_second},
            {"clock_hz", in.clock_hz},
            {"bytes_per_thread", in.bytes_per_thread},
            {"bytes_per_cycle", memory.bytes_per_cycle},
            {"bytes_in_flight", memory.bytes_in_flight},
            {"threads", memory.threads},
            {"warps", memory.warps},
            {"warps_per_multiprocessor", memory.warps_per_multiprocessor}}}};
}

Json kernel_json(const report::KernelHiding& k) {
  return {{"kernel", k.kernel},
          {"grid", {k.grid.x, k.grid.y, k.grid.z}},
          {"block", {k.block.x, k.block.y, k.block.z}},
          {"dynamic_shared_bytes", k.dynamic_shared_bytes},
          {"registers", k.registers},
          {"launches", k.launches},
          {"warps_by_occupancy", k.warps_by_occupancy},
          {"warps_present", k.warps_present},
          {"warps_for_arithmetic", k.warps_for_arithmetic},
          {"warps_for_bandwidth", k.requests ? Json(k.warps_for_bandwidth) : Json()},
          {"warps_for_issue", k.requests ? Json(k.warps_for_issue) : Json()},
          {"warps_needed", k.warps_needed},
          {"hidden", k.hidden()}};
}

Json rows_json(const DeviceSpec& d, const std::vector<LatencyRow>& rows) {
  constexpr const char* kGroups[] = {"operation", "instruction", "unit"};
  Json out = Json::array();
  for (const LatencyRow& row : rows) {
    const auto origin = d.origins.find(row.path);
    const bool known = row.cycles && origin != d.origins.end();
    out.push_back({{"group", kGroups[unsigned(row.group)]},
                   {"name", row.name},
                   {"number", row.path},
                   {"cycles", row.cycles ? Json(*row.cycles) : Json()},
                   {"issue_cycles", row.issue ? Json(*row.issue) : Json()},
                   {"warps", row.warps ? Json(*row.warps) : Json()},
                   {"exists", !row.none},
                   {"kind", known ? Json(device::name(origin->second.kind)) : Json()},
                   {"source", known ? Json(origin->second.source) : Json()}});
  }
  return out;
}

int answer(const LatencyOptions& o, const DeviceSpec& d, const record::Profile* profile) {
  const auto rows = device::latency_table(d, o.hiding.ilp.value_or(1));
  const auto input = device::hiding_input(d, o.hiding);
  const auto example = device::worked_example(d, o.hiding);
  std::vector<report::KernelHiding> kernels;
  if (profile) {
    auto found = report::kernel_hiding(*profile, d, o.hiding);
    if (!found) return fail(found.problem(), kFailed);
    kernels = std::move(*found);
  }
  if (o.format == "json") {
    Json out = {{"device", d.name}, {"latencies", rows_json(d, rows)}};
    out["hiding"] = input ? hiding_json(*input) : Json();
    if (example) out["worked_example"] = hiding_json(*example);
    if (profile)
      for (const report::KernelHiding& k : kernels) out["kernels"].push_back(kernel_json(k));
    std::cout << out.dump(2) << '\n';
  } else {
    if (!profile) print_table(d, rows);
    if (input) {
      std::cout << (profile ? "" : "\n") << "Warps that hide latency on " << d.name << '\n';
      print_hiding(*input, d, o.occupancy);
    }
    if (example && !profile) {
      std::cout << "\nA published calculation: " << d.origins.at("worked_example.memory_latency").source << '\n';
      print_hiding(*example, d, o.occupancy);
    }
    print_kernels(kernels);
  }
  return input ? kSuccess : fail(input.problem(), kFailed);
}

// Runs the program, or reads the profile if one is named. An exit code if there is none; the reason has been printed.
std::variant<record::Profile, int> profile_of(const SplitArguments& split, const CountedOptions& options) {
  if (is_profile_file(split.program)) {
    Result<record::Profile> profile = store::read_profile(split.program);
    if (!profile) return fail(profile.problem(), kFailed);
    return std::move(*profile);
  }
  auto run = run_counted(split, options, {.output_to_errors = true});
  if (const int* code = std::get_if<int>(&run)) return *code;
  return std::move(std::get<CountedRun>(run).profile);
}

int answer_latency(CLI::App& app, LatencyOptions& o, const Words& words) {
  ParsedWords parsed = parse_words(app, words);
  if (parsed.exit_code) return *parsed.exit_code;
  if (is_profile_file(parsed.split.program) && !parsed.split.arguments.empty()) {
    // Arguments after a program are the program's; arguments after a profile are ours.
    Words ours = parsed.split.arguments;
    ours.insert(ours.end(), parsed.split.own.begin(), parsed.split.own.end());
    ours.push_back(parsed.split.program);
    parsed = parse_words(app, ours);
    if (parsed.exit_code) return *parsed.exit_code;
  }
  if (o.bandwidth_gb) o.hiding.bytes_per_second = *o.bandwidth_gb * 1e9;
  if (o.clock_mhz) o.hiding.clock_hz = *o.clock_mhz * 1e6;
  const auto spec = device::load_device(o.counted.run.device);
  if (!spec) return fail(spec.problem(), kFailed);
  if (parsed.split.program.empty() && parsed.split.compiler.empty()) return answer(o, *spec, nullptr);
  const auto profile = profile_of(parsed.split, o.counted);
  if (const int* code = std::get_if<int>(&profile)) return *code;
  return answer(o, *spec, &std::get<record::Profile>(profile));
}

}  // namespace

Command latency_command() {
  return make_command<LatencyOptions>(
      {"latency",
       "drywarp latency [options]\n"
       "drywarp latency [options] app.cu | ./app | k.ptx | profile\n\n"
       "A device's latencies and the warps that hide them; for a program, the warps that its kernels have and need.",
       "Warps for arithmetic: schedulers x latency. Warps for memory, by Little's law: bandwidth x latency in bytes, "
       "divided by the bytes per thread. The program's output goes to standard error."},
      add_latency_options, answer_latency);
}
}  // namespace drywarp::cli
