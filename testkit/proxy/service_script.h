#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "proxy/objects/service_state.h"

namespace proa::testkit {

// Services with their EndpointSlices as YAML documents, between lines "---". A document with a
// `spec` is a Service; slices that follow are its own. The namespace is default if it is absent.
struct ScriptedService {
  api::ObjectPtr service;
  std::vector<api::ObjectPtr> slices;
};
std::vector<ScriptedService> read_services(std::string_view yaml);

// The ports of all of them, on that node.
std::vector<proxy::ServicePortPtr> ports_of(std::string_view yaml, const proxy::NodeFacts& node);

// Every field that is set, a line for a port.
std::string describe(const proxy::ServicePort& port);

}  // namespace proa::testkit
