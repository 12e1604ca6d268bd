// A trace in Chrome's Trace Event Format (JSON), which ui.perfetto.dev and chrome://tracing open: processes with named
// tracks of slices. A slice lies within the slice that it begins in, or behind it.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "profile/report/json/json_parts.h"

namespace drywarp::document {

struct Slice {
  std::string name;
  const char* category = "";
  double start = 0, duration = 0;  // microseconds, not below zero
  report::Json args = report::Json::object();
};

class Trace {
 public:
  // Tracks of a process stand in the order of their making.
  unsigned process(const std::string& name);
  void track(unsigned process, const std::string& name, std::vector<Slice> slices);
  // As track(), of slices that may overlap: on as many tracks as it takes.
  void tracks(unsigned process, const std::string& name, std::vector<Slice> slices);
  void write(std::ostream& out) const;

 private:
  struct Track {
    unsigned process = 0;
    std::string name;
    std::vector<Slice> slices;  // in order of time; one that holds others before them
  };
  std::vector<std::string> processes_;
  std::vector<Track> tracks_;
};

}  // namespace drywarp::document
