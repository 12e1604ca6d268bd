// Creates and fills the tables of all_tables() in a database that has the recorded tables.
#pragma once

#include "profile/record/profile.h"
#include "profile/store/sqlite.h"

namespace drywarp::tables {

Status create_tables(store::Database& db);
Status fill_tables(store::Database& db, const record::Profile& profile);

}  // namespace drywarp::tables
