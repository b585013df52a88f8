#pragma once

#include <string_view>
#include <vector>

#include "proxy/model/node_facts.h"
#include "proxy/model/service_port.h"

namespace proa::proxy {

// An endpoint as EndpointSlices state it, before the choice.
struct Candidate {
  Endpoint endpoint;
  bool ready = true;
  bool serving = true;
  bool terminating = false;
  // Hints: for whom it is meant. Views into the slice.
  std::vector<std::string_view> zones = {};
  std::vector<std::string_view> nodes = {};
};

// Sorts candidates, and leaves one for each address and port: of several that
// do not terminate, the last one that is ready, or the last; otherwise the first. An endpoint that
// moves to another slice is in both for a while.
void remove_duplicates(std::vector<Candidate>& candidates);

// Sets the endpoint lists of `port`: those that are ready; where none is, those that terminate but
// still serve. For policy Cluster they are restricted to those hinted for this node or its zone, if
// all have such hints. REQUIRES: the rest of `port` is set; remove_duplicates() was called.
void choose_endpoints(const std::vector<Candidate>& candidates, const NodeFacts& node,
                      ServicePort& port);

}  // namespace proa::proxy
