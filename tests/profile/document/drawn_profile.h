// The sample profile of the report's tests, kept, with what a page needs to draw its transpose.
#pragma once

#include "profile/record/profile.h"

namespace drywarp::document {

record::Profile drawn_profile(const std::string& source);

}  // namespace drywarp::document
