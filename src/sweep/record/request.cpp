#include "sweep/record/request.h"

#include <fmt/format.h>

#include <algorithm>

namespace drywarp::sweep {
namespace {

constexpr const char* kStages[] = {"counts", "slice", "whole"};

std::string filled(std::string text, const Space& space, const Configuration& configuration) {
  for (size_t p = 0; p < configuration.size(); ++p) {
    const std::string place = "{" + space.parameters()[p].name + "}";
    const std::string& value = space.value(configuration, p).text;
    for (size_t at = 0; (at = text.find(place, at)) != std::string::npos; at += value.size())
      text.replace(at, place.size(), value);
  }
  return text;
}

// Words are separated by blanks: an option with a blank inside is two values of a sweep's file.
void append_words(std::vector<std::string>& words, const std::string& text) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

// Reads the members of a request; the first problem is kept.
class RequestReader {
 public:
  explicit RequestReader(const std::string& where) : where_(where) {}

  Result<Request> read(const Json& json) {
    if (!json.is_object())
      return error(fmt::format("{}: a request is an object", where_), R"({"program": ["app.cu"]})");
    for (const auto& [key, value] : json.items()) member(key, value);
    if (!problem_ && request_.program.empty()) fail("a request needs 'program'", R"("program": ["app.cu"])");
    if (problem_) return *problem_;
    return std::move(request_);
  }

 private:
  void fail(const std::string& what, std::string hint = {}) {
    if (!problem_) problem_ = error(fmt::format("{}: {}", where_, what), std::move(hint));
  }

  void member(const std::string& key, const Json& value) {
    Request& r = request_;
    if (key == "program")
      texts(key, value, r.program);
    else if (key == "arguments")
      texts(key, value, r.arguments);
    else if (key == "macros")
      macros(value);
    else if (key == "device")
      text_of(key, value, r.device);
    else if (key == "kernel")
      text_of(key, value, r.kernel);
    else if (key == "what_if")
      text_of(key, value, r.what_if);
    else if (key == "verify")
      text_of(key, value, r.verify);
    else if (key == "stage")
      stage(value);
    else if (key == "limit_seconds")
      number(key, value, r.limit_seconds, 1e9);
    else if (key == "workers")
      number(key, value, r.workers, 1024);
    else
      fail(fmt::format("a request has no '{}'", key),
           "it has program, arguments, macros, device, kernel, what_if, verify, stage, limit_seconds and workers");
  }

  // Tuners have numbers.
  static std::optional<std::string> word(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number()) return value.dump();
    if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
    return std::nullopt;
  }
  void texts(const std::string& key, const Json& value, std::vector<std::string>& out) {
    if (!value.is_array()) return fail(fmt::format("'{}' must be a list", key));
    for (const Json& one : value) {
      if (auto w = word(one))
        out.push_back(std::move(*w));
      else
        return fail(fmt::format("'{}' must be a list of texts and numbers", key));
    }
  }
  void macros(const Json& value) {
    if (!value.is_object()) return fail("'macros' must be an object", R"("macros": {"BM": 32})");
    for (const auto& [name, v] : value.items()) {
      if (const auto w = word(v))
        macros_.push_back("-D" + name + "=" + *w);
      else
        return fail("'macros' must have texts and numbers");
    }
    request_.program.insert(request_.program.end(), macros_.begin(), macros_.end());
  }
  void text_of(const std::string& key, const Json& value, std::string& out) {
    if (!value.is_string()) return fail(fmt::format("'{}' must be a text", key));
    out = value.get<std::string>();
  }
  void stage(const Json& value) {
    const auto found = value.is_string() ? parse_stage(value.get<std::string>()) : std::nullopt;
    if (!found) return fail("there is no such stage", "counts, slice or whole");
    request_.stage = *found;
  }
  template <class Number>
  void number(const std::string& key, const Json& value, Number& out, double most) {
    if (!value.is_number() || value.get<double>() < 0 || value.get<double>() > most)
      return fail(fmt::format("'{}' must be a number from 0 to {:.0f}", key, most));
    out = value.get<Number>();
  }

  std::string where_;
  Request request_;
  std::vector<std::string> macros_;
  std::optional<Diagnostic> problem_;
};

}  // namespace

const char* key(Stage stage) { return kStages[static_cast<size_t>(stage)]; }

std::optional<Stage> parse_stage(std::string_view key) {
  const auto* found = std::ranges::find(kStages, key);
  if (found == std::end(kStages)) return std::nullopt;
  return static_cast<Stage>(found - kStages);
}

Request request_for(const Program& program, const Space& space, const Configuration& configuration) {
  Request request;
  request.program = program.words;
  request.device = program.device;
  request.kernel = program.kernel;
  request.verify = program.verify;
  for (const std::string& argument : program.arguments)
    request.arguments.push_back(filled(argument, space, configuration));
  for (size_t p = 0; p < configuration.size(); ++p) {
    const Parameter& parameter = space.parameters()[p];
    const std::string& value = space.value(configuration, p).text;
    const bool none = space.value(configuration, p).is_none();
    switch (parameter.kind) {
      case Kind::Macro:
        request.program.push_back(fmt::format("-D{}={}", parameter.name, value));
        break;
      case Kind::Argument:
        break;
      case Kind::Options:
        if (!none) append_words(request.program, value);
        break;
      case Kind::Registers:
        if (!none) request.program.push_back("-maxrregcount=" + value);
        break;
      case Kind::Device:
        request.device = value;
        break;
      case Kind::WhatIf:
        if (!none) request.what_if = value;
        break;
    }
  }
  return request;
}

Json to_json(const Request& r) {
  Json json = {{"program", r.program}, {"arguments", r.arguments}, {"stage", key(r.stage)}};
  for (const auto& [name, value] : {std::pair<const char*, const std::string*>{"device", &r.device},
                                    {"kernel", &r.kernel},
                                    {"what_if", &r.what_if},
                                    {"verify", &r.verify}})
    if (!value->empty()) json[name] = *value;
  if (r.limit_seconds > 0) json["limit_seconds"] = r.limit_seconds;
  if (r.workers > 0) json["workers"] = r.workers;
  return json;
}

Result<Request> parse_request(std::string_view text, const std::string& where) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    return error(fmt::format("{} is not JSON", where), R"(a request is an object: {"program": ["app.cu"]})");
  return RequestReader(where).read(json);
}

}  // namespace drywarp::sweep
