#pragma once

#include <map>
#include <string>

#include "api/quantity.h"
#include "testkit/scheduler/oracle/oracle_world.h"

namespace proa::testkit::oracle {

using Amounts = std::map<std::string, api::Quantity, std::less<>>;

struct RequestOptions {
  bool status = false;    // in-place resizes count as the kubelet reports them
  bool pod_level = true;  // the pod's spec.resources override those of its containers
  Amounts missing = {};   // defaults for containers without requests
};

// The resource requests of a pod, including overhead.
Amounts pod_requests(const Pod& pod, const RequestOptions& options);

Prepared prepare_fit(const Question& question);
Scores score_least_allocated(const Question& question, const Nodes& nodes);
Scores score_balanced_allocation(const Question& question, const Nodes& nodes);

}  // namespace proa::testkit::oracle
