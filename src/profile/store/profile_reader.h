// Reads a profile that ProfileWriter left, finished or not.
#pragma once

#include <string>

#include "base/support/result.h"
#include "profile/record/profile.h"
#include "profile/store/sqlite.h"

namespace drywarp::store {

// Fails unless the file is a profile in a format that this drywarp reads.
Status check_profile(Database& db, const std::string& path);

// Fails, naming the file and the reason, if it does not exist, is not a drywarp profile, was written by a newer
// drywarp, or is damaged.
Result<record::Profile> read_profile(const std::string& path);

}  // namespace drywarp::store
