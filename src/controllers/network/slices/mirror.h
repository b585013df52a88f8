#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "controllers/network/service_facts.h"
#include "controllers/network/slices/slice_endpoint.h"

namespace proa::controllers {

// The slices that mirror Endpoints: one per set of ports and family. Points into the Endpoints.
struct Mirror {
  struct Slice {
    std::vector<EndpointPort> ports = {};
    std::vector<SliceEndpoint> endpoints = {};
  };
  using Kind = std::pair<IpFamily, std::string>;  // and ports_key()

  std::map<Kind, Slice> slices = {};
  size_t invalid = 0;  // invalid addresses
  size_t skipped = 0;  // addresses that are not mirrored, including invalid ones
  std::deque<std::string> canonical = {};  // addresses converted to canonical form
};

// `most`: maximum number of addresses per subset.
Mirror mirror_of(api::View subsets, size_t most);

}  // namespace proa::controllers
