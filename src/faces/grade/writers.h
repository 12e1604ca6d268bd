// Exercises and scores, for people and for programs.
#pragma once

#include <iosfwd>
#include <string>

#include "faces/grade/judge.h"

namespace drywarp::grade {

// What the learner has to do, and what earns points.
void write_task(std::ostream& out, const Exercise& exercise);

// A line a check; of those that failed what was expected, what was found, on which lines, and the hint.
void write_text(std::ostream& out, const Exercise& exercise, const Score& score);
void write_json(std::ostream& out, const Exercise& exercise, const Score& score, const std::string& program);

}  // namespace drywarp::grade
