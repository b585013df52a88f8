#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "controllers/network/service_facts.h"
#include "controllers/network/slices/slice_endpoint.h"

namespace proa::controllers {

// What is to be mirrored of Endpoints: a slice for each set of ports and each family. Borrows from
// the Endpoints.
struct Mirror {
  struct Slice {
    std::vector<EndpointPort> ports = {};
    std::vector<SliceEndpoint> endpoints = {};
  };
  using Kind = std::pair<IpFamily, std::string>;  // and ports_key()

  std::map<Kind, Slice> slices = {};
  size_t invalid = 0;                      // addresses that are none
  size_t skipped = 0;                      // addresses that are not mirrored, with the invalid ones
  std::deque<std::string> canonical = {};  // addresses that stood there in another form
};

// `most`: addresses of one subset.
Mirror mirror_of(api::View subsets, size_t most);

}  // namespace proa::controllers
