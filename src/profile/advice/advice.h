// Advice: what a rule finds in a kernel, where, what to do about it, and what that gains.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/whatif/what_if.h"
#include "profile/advice/facts.h"

namespace drywarp::advice {

// An item of the checklist of optimisations.
enum class Item : uint8_t {
#define DW_ITEM(name, key, title, compute, memory) name,
#include "profile/advice/checklist.def"
};
inline constexpr unsigned kItems = 0
#define DW_ITEM(name, key, title, compute, memory) +1
#include "profile/advice/checklist.def"
    ;
struct ItemText {
  std::string_view key, title;
  std::string_view compute, memory;  // its benefits; empty: none
};
[[nodiscard]] const ItemText& text(Item item);

// A source line that a finding is about.
struct EvidenceLine {
  std::string file;
  uint32_t line = 0;
  std::string source;                  // its text
  std::string what;                    // "32 sectors a request, 4 would do"
  std::optional<double> excess_share;  // of what is wasted in the kernel, 0 to 1
  std::optional<double> total_share;   // of the kernel's whole
  std::string_view of = "sectors";     // what the shares are shares of
};

// How much faster something is without a cost.
struct Gain {
  double factor = 1;          // its time / the time without
  uint64_t launches = 0;      // that were timed again ...
  uint64_t all_launches = 0;  // ... of those with a time
};

// What a rule finds.
struct Finding {
  std::string headline;                  // what to do, short: "coalesce the stores to out"
  std::string observation;               // a sentence with the numbers
  std::string cure;                      // sentences; may be empty
  std::vector<std::string> sketch = {};  // lines of code in the program's names
  std::vector<Evidence> evidence = {};   // by metric
  std::vector<EvidenceLine> lines = {};  // the costliest first
  std::string_view explain = {};  // the topic of `drywarp explain` that shows the first line: "access"; empty: none
  std::string without_gain = {};  // the headline if the cure gains nothing; empty: `headline`
  bool needs_gain = false;        // say it only if timing again tells what it gains
  std::optional<Gain> gain = {};  // that follows from modelled times, without timing again
};

struct RuleText {
  const char* key;  // "bank_conflicts"
  Item item;
  std::optional<whatif::Scenario> scenario;  // the counterfactual that estimates its gain
  const char* source;                        // of its threshold
};
struct Rule : RuleText {
  std::optional<Finding> (*find)(const Facts& facts);
};

inline constexpr double kLeastGain = 1.02;  // below it a change is lost in the noise of a GPU's times (1 to 3 %)

struct Advice {
  const RuleText* rule = nullptr;
  Finding finding;
  std::optional<Gain> gain;       // modelled; none: not estimated ...
  std::string not_estimated;      // ... and why
  std::optional<double> at_most;  // a bound without an estimate: the same work at the peak of its busiest unit
  [[nodiscard]] bool is_worth_it() const {
    return gain ? gain->factor >= kLeastGain : !at_most || *at_most >= kLeastGain;
  }
};

}  // namespace drywarp::advice
