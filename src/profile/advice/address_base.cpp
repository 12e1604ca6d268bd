#include "profile/advice/address_base.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace drywarp::advice {
namespace {

bool in_symbol(char c) {
  return c == '_' || c == '$' || c == '%' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

// "add.s64 %rd16, %rd2, %rd15;" -> add.s64 %rd16 %rd2 %rd15
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find_first_of(" \t"), text.size()));  // the guard
  for (size_t at = 0; at < text.size();) {
    if (!in_symbol(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && in_symbol(text[end])) ++end;
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// "_Z6simplePKfS0_Pfi_param_2" -> 2
std::optional<unsigned> parameter_number(std::string_view symbol) {
  const size_t mark = symbol.rfind("_param_");
  if (mark == std::string_view::npos) return std::nullopt;
  const std::string_view digits = symbol.substr(mark + std::string_view("_param_").size());
  unsigned number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return problem == std::errc() && end == digits.data() + digits.size() ? std::optional(number) : std::nullopt;
}

// "_ZZ5tiledPKfS0_PfiE6m_tile" -> "m_tile": the name after its length at the end of a mangled one.
std::string source_name(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return std::string(symbol);
  for (size_t at = 2; at + 1 < symbol.size(); ++at) {
    size_t length = 0;
    const auto [end, problem] = std::from_chars(symbol.data() + at, symbol.data() + symbol.size(), length);
    if (problem != std::errc()) continue;
    const auto name = static_cast<size_t>(end - symbol.data());
    if (length != 0 && name + length == symbol.size()) return std::string(symbol.substr(name));
    at = name - 1;
  }
  return {};
}

class BaseTracer {
 public:
  explicit BaseTracer(const Facts& facts) {
    for (const InstructionFacts& i : facts.instructions) {
      const auto words = words_of(i.info->text);
      if (words.size() <= 2 || !words[1].starts_with('%')) continue;
      definitions_[words[1]].push_back(words);
      uint64_t& most = written_[words[1]];
      most = std::max(most, i.sums.all().warps);
    }
  }

  [[nodiscard]] bool moves(const InstructionFacts& access) const {
    const std::string_view text = access.info->text;
    const size_t open = text.find('['), close = text.find(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return false;
    for (const std::string_view word : words_of(text.substr(open, close - open)))
      if (const auto at = written_.find(word); at != written_.end() && 2 * at->second > access.sums.all().warps)
        return true;
    return false;
  }

  AddressBase base_of(const InstructionFacts& access) {
    seen_.clear(), symbols_.clear(), parameters_.clear();
    const std::string_view text = access.info->text;
    const size_t open = text.find('['), close = text.find(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
    for (const std::string_view word : words_of(text.substr(open, close - open))) follow(word);
    AddressBase base;
    if (parameters_.size() == 1) base.parameter = *parameters_.begin();
    if (symbols_.size() == 1) base.symbol = source_name(*symbols_.begin());
    return base;
  }

 private:
  // The words of an address: registers that hold addresses, or symbols.
  void follow(std::string_view word) {
    if (word.empty() || (word[0] >= '0' && word[0] <= '9')) return;
    if (!word.starts_with('%')) {
      if (const auto number = parameter_number(word))
        parameters_.insert(*number);
      else
        symbols_.insert(word);
      return;
    }
    if (!seen_.insert(word).second) return;
    const auto definitions = definitions_.find(word);
    if (definitions == definitions_.end()) return;
    for (const std::vector<std::string_view>& d : definitions->second) follow_definition(d);
  }

  // Sums of addresses and offsets; a product or a shift is an index, and the base is not in it.
  void follow_definition(const std::vector<std::string_view>& words) {
    const std::string_view op = words[0];
    const bool sum = op.starts_with("add") || op.starts_with("sub") || op.starts_with("mov") ||
                     op.starts_with("cvta") || op.starts_with("selp") || op.starts_with("or.");
    if (sum)
      for (size_t i = 2; i < words.size(); ++i) follow(words[i]);
    else if (op.starts_with("mad"))
      follow(words.back());
    else if (op.starts_with("ld.param") && op.ends_with("64"))
      follow(words[2]);
  }

  std::map<std::string_view, std::vector<std::vector<std::string_view>>> definitions_;
  std::map<std::string_view, uint64_t> written_;  // by register: how often the instruction that ran most writes it
  std::set<std::string_view> seen_, symbols_;
  std::set<unsigned> parameters_;
};

}  // namespace

void find_address_bases(Facts& facts) {
  BaseTracer tracer(facts);
  for (InstructionFacts& i : facts.instructions)
    if (i.info->access != InstructionInfo::kNone) i.base = tracer.base_of(i), i.moves = tracer.moves(i);
}

}  // namespace drywarp::advice
