// The forms under test: each opcode of the computing families with all its types and modifiers.
#pragma once

#include <vector>

#include "form.h"

namespace drywarp::jit::test {

std::vector<Form> integer_forms();
std::vector<Form> float_forms();
std::vector<Form> half_forms();
std::vector<Form> compare_forms();
std::vector<Form> convert_forms();
std::vector<Form> video_forms();
std::vector<Form> exchange_forms();

}  // namespace drywarp::jit::test
