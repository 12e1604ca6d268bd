// A contract: a TOML file of expectations.
//
//   baseline = "main.dwprof"            # optional; relative to the contract
//   expect = ["gld_efficiency >= 90"]   # of every kernel
//
//   [[kernel]]
//   name = "transpose*"
//   launch = 2                          # optional; of each kernel, from 1; also "2-5"
//   expect = ["excessive_shared_wavefronts == 0"]
//
//   [[line]]
//   at = "transpose.cu:17"
//   expect = ["gst_transactions_per_request == 4"]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/gates/expectation.h"

namespace drywarp::gates {

struct Contract {
  std::string baseline;                   // a path as the user would type it; empty: none
  std::vector<Expectation> expectations;  // at least one
};

// `path` is for locations, and for the baseline's folder.
Result<Contract> parse_contract(std::string_view text, const std::string& path);

}  // namespace drywarp::gates
