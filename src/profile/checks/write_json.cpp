#include <nlohmann/json.hpp>
#include <ostream>
#include <span>

#include "profile/checks/report.h"

namespace drywarp::checks {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;  // of this format; grows when a reader would misread it

Json json(const CodeLine& c) {
  Json j = Json::object();
  if (!c.file.empty()) j["file"] = c.file;
  if (c.line != 0) j["line"] = c.line;
  if (c.ptx_line != 0) j["ptx_line"] = c.ptx_line;
  if (!c.instruction.empty()) j["instruction"] = c.instruction;
  return j;
}

Json json(const ThreadPlace& t) { return {{"block", t.block}, {"thread", t.thread}}; }

Json json(std::span<const HostFrame> frames) {
  Json all = Json::array();
  for (const HostFrame& h : frames) {
    Json frame = Json::object();
    if (!h.function.empty()) frame["function"] = h.function;
    if (!h.file.empty()) frame["file"] = h.file;
    if (h.line != 0) frame["line"] = h.line;
    all.push_back(std::move(frame));
  }
  return all;
}

Json json(const Finding& f) {
  const FindingKindInfo& kind = info(f.kind);
  Json j = {{"kind", kind.key},   {"tool", name(kind.tool)}, {"severity", name(kind.severity)},
            {"kernel", f.kernel}, {"where", json(f.where)},  {"message", f.what},
            {"times", f.times}};
  if (f.thread) j["first"] = json(*f.thread);
  if (f.bytes != 0) j["bytes"] = f.bytes;
  if (f.address) j["address"] = *f.address;
  if (f.allocation) {
    j["allocation"] = {{"id", f.allocation->id}, {"bytes", f.allocation->size}, {"kind", f.allocation->what}};
    if (!f.allocation->made.empty()) j["allocation"]["made"] = f.allocation->made;
    if (!f.allocation->calls.empty()) j["allocation"]["calls"] = json(std::span(f.allocation->calls));
  }
  if (f.other) {
    j["other"] = {{"access", f.other->what}, {"where", json(f.other->where)}};
    if (f.other->thread) j["other"].update(json(*f.other->thread));
    if (!f.other->kernel.empty()) j["other"]["kernel"] = f.other->kernel;
    if (!f.other->launched.empty()) j["other"]["launched"] = json(std::span(f.other->launched));
  }
  if (!f.launched.empty()) j["launched"] = json(std::span(f.launched));
  return j;
}

Json json(const Suppression& s) {
  return {
      {"where", s.in_source ? "source" : "file"}, {"file", s.where.file}, {"line", s.where.line}, {"reason", s.reason}};
}

}  // namespace

Json checks_json(const CheckReport& report) {
  Json tools = Json::array(), findings = Json::array();
  for (const CheckTool tool : report.tools) tools.push_back(name(tool));
  for (const Finding& f : report.findings) findings.push_back(json(f));
  Json suppressed = Json::array(), unused = Json::array();
  for (const Suppressed& s : report.suppressed) {
    suppressed.push_back(json(s.finding));
    suppressed.back()["suppression"] = json(s.by);
  }
  for (const Suppression& s : report.unused) unused.push_back(json(s));
  return {{"tools", std::move(tools)},           {"launches", report.launches.checked},
          {"launches_cut", report.launches.cut}, {"launches_lost", report.launches.lost},
          {"problems", problems(report)},        {"findings", std::move(findings)},
          {"suppressed", std::move(suppressed)}, {"unused_suppressions", std::move(unused)}};
}

void write_json(std::ostream& out, const CheckReport& report) {
  Json all = {{"version", kVersion}, {"drywarp", report.version}, {"program", report.program}};
  all.update(checks_json(report));
  out << all.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace drywarp::checks
