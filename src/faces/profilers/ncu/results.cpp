#include "faces/profilers/ncu/results.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>

#include "faces/profilers/ncu/rules.h"
#include "profile/report/model/model.h"

namespace drywarp::profilers::ncu {
namespace {

constexpr const char* kCommandLine = "Command line profiler metrics";

std::vector<Value> launch_facts(const record::LaunchRecord& launch) {
  const auto fact = [](const char* name, uint32_t value) {
    return Value{name, name, "block", static_cast<double>(value)};
  };
  return {fact("launch__block_dim_x", launch.block.x), fact("launch__block_dim_y", launch.block.y),
          fact("launch__block_dim_z", launch.block.z), fact("launch__grid_dim_x", launch.grid.x),
          fact("launch__grid_dim_y", launch.grid.y),   fact("launch__grid_dim_z", launch.grid.z)};
}

// As Nsight Compute orders them: the greatest first, by the two decimals that are shown.
void order_by_value(std::vector<Value>& values) {
  std::ranges::stable_sort(values, std::ranges::greater(),
                           [](const Value& v) { return v.number ? std::round(100 * *v.number) : -1; });
}

// What is shown, with the place of each value among the model's; the same for every launch.
class Plan {
 public:
  explicit Plan(const Choice& choice) {
    if (!choice.metrics.empty()) {
      blocks_.push_back({kCommandLine, {}});
      for (const Chosen& c : choice.metrics) add({c.name, c.name, unit_of(c), {}}, c.metric, blocks_.back().values);
    }
    for (const Section* section : choice.sections) {
      blocks_.push_back({std::string(section->title), {}, std::string(section->id)});
      if (choice.details != Details::Body)
        for (const Row& row : choice.details == Details::All ? section->all_rows() : section->rows())
          add({std::string(row.label), std::string(row.metric), std::string(row.unit), {}},
              metrics::find_metric(row.metric), blocks_.back().values);
      if (choice.details != Details::Header)
        for (const BodyTable& table : tables_of(section->id)) add_table(table);
    }
  }
  [[nodiscard]] const std::vector<metrics::Selected>& selection() const { return selection_; }

  [[nodiscard]] std::vector<Block> filled(const report::LaunchModel& launch, Results& results) const {
    std::vector<Block> blocks = blocks_;
    size_t next = 0;
    const auto fill = [&](std::vector<Value>& values) {
      for (Value& value : values) {
        const auto [place, metric] = places_[next++];
        if (metric) value.number = launch.values[place];
        auto& list = value.number ? results.modelled : results.missing;
        const bool says = !value.number || metric->klass == metrics::MetricClass::Modelled;
        if (says && std::ranges::find(list, value.metric) == list.end()) list.push_back(value.metric);
      }
    };
    for (Block& block : blocks) {
      fill(block.values);
      for (FilledTable& table : block.tables) {
        fill(table.values);
        if (table.table.by_value) order_by_value(table.values);
      }
    }
    return blocks;
  }

 private:
  struct Place {
    size_t place;
    const metrics::Metric* metric;  // null: no value
  };
  // A table of which nothing is known is left out.
  void add_table(const BodyTable& table) {
    const std::vector<TableRow> rows = rows_of(table);
    const auto known = [](const TableRow& row) {
      const metrics::Metric* metric = metrics::find_metric(row.metric);
      return metric && metric->has_values();
    };
    if (std::ranges::none_of(rows, known)) return;
    std::vector<Value> values;
    for (const TableRow& row : rows) {
      const Chosen chosen{row.metric, metrics::find_metric(row.metric)};
      add({row.label, row.metric, unit_of(chosen), {}}, chosen.metric, values);
    }
    blocks_.back().tables.push_back({table, std::move(values)});
  }
  void add(Value value, const metrics::Metric* metric, std::vector<Value>& to) {
    if (metric && !metric->has_values()) metric = nullptr;
    places_.push_back({selection_.size(), metric});
    if (metric) {
      names_.push_back(std::make_unique<std::string>(value.metric));
      selection_.push_back({metric, *names_.back()});
    }
    to.push_back(std::move(value));
  }
  std::vector<Block> blocks_;
  std::vector<Place> places_;
  std::vector<metrics::Selected> selection_;
  std::vector<std::unique_ptr<std::string>> names_;  // that the selection refers to
};

bool has_value(const Block& block, const std::string& metric) {
  const auto is = [&](const Value& value) { return value.metric == metric && value.number; };
  return std::ranges::any_of(block.values, is) || std::ranges::any_of(block.tables, [&](const FilledTable& table) {
           return std::ranges::any_of(table.values, is);
         });
}

}  // namespace

Results results_of(const record::Profile& profile, const Choice& choice) {
  Results out;
  out.rules = !choice.sections.empty() && choice.rules;
  const Plan plan(choice);
  report::ModelOptions options;
  options.lines = false;
  options.advice = out.rules;
  options.selection = plan.selection();
  const report::ReportModel model = report::build_model(profile, options);
  std::map<const record::LaunchRecord*, const report::LaunchModel*> modelled;
  for (const report::LaunchModel& launch : model.launches) modelled.emplace(launch.record, &launch);
  for (const size_t index : choose_launches(profile, choice.filter)) {
    const record::LaunchRecord& launch = profile.launches[index];
    const auto found = modelled.find(&launch);
    if (found == modelled.end()) continue;
    const KernelInfo& kernel = *profile.kernels[launch.kernel];
    KernelResult result;
    result.id = out.kernels.size();
    result.launch = index;
    result.kernel = name_by(choice.printed, kernel);
    result.function = function_name(kernel.display_name);
    result.grid = launch.grid, result.block = launch.block;
    result.stream = stream_number(launch.stream);
    result.blocks = plan.filled(*found->second, out);
    if (out.rules)
      for (Block& block : result.blocks) {
        block.rules =
            rule_results(block.section, found->second->limiter.get(), model.kernels[found->second->kernel].advice);
        if (!choice.only_rules.empty())
          std::erase_if(block.rules, [&](const RuleResult& rule) {
            return std::ranges::find(choice.only_rules, rule.name) == choice.only_rules.end();
          });
      }
    result.launch_facts = launch_facts(launch);
    out.kernels.push_back(std::move(result));
  }
  // What has a value in one launch is not missing.
  std::erase_if(out.missing, [&](const std::string& name) {
    for (const KernelResult& kernel : out.kernels)
      for (const Block& block : kernel.blocks)
        if (has_value(block, name)) return true;
    return false;
  });
  return out;
}

}  // namespace drywarp::profilers::ncu
