#pragma once

#include <string_view>

#include "policy/model/policy_model.h"

namespace proa::testkit {

// Puts objects of a YAML stream into the model: NetworkPolicies, Namespaces and Pods. "delete:
// true" beside the metadata takes one out. The pods of node "here" are local.
void put_objects(policy::PolicyModel& model, std::string_view yaml);

// A connection between addresses: "10.0.0.1 10.0.0.2 TCP/80".
policy::Connection read_connection(std::string_view text);

}  // namespace proa::testkit
