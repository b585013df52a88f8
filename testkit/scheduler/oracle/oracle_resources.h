#pragma once

#include <map>
#include <string>

#include "api/quantity.h"
#include "testkit/scheduler/oracle/oracle_world.h"

namespace proa::testkit::oracle {

using Amounts = std::map<std::string, api::Quantity, std::less<>>;

struct RequestOptions {
  bool status = false;    // what was resized in place counts as the kubelet reports it
  bool pod_level = true;  // spec.resources of the pod stands over those of its containers
  Amounts missing = {};   // what a container counts for that does not say
};

// What a pod takes from a node, overhead and all.
Amounts pod_requests(const Pod& pod, const RequestOptions& options);

Prepared prepare_fit(const Question& question);
Scores score_least_allocated(const Question& question, const Nodes& nodes);
Scores score_balanced_allocation(const Question& question, const Nodes& nodes);

}  // namespace proa::testkit::oracle
