#pragma once

#include <string>

#include "base/result.h"
#include "kubelet/model/pod.h"
#include "kubelet/model/pod_facts.h"

namespace proa::kubelet {

// A field as env.valueFrom.fieldRef and downwardAPI volumes name it: "metadata.labels['app']",
// "spec.nodeName", "status.podIP". kBadRequest for unknown fields.
Result<std::string> field_value(const Pod& pod, const PodFacts& facts, std::string_view path);
// resourceFieldRef: {containerName, resource, divisor}. `container`: the container of the variable;
// absent for volumes, which always name one. Named containers are looked up in the pod.
Result<std::string> resource_value(const Pod& pod, const PodFacts& facts, api::View container,
                                   api::View reference);

}  // namespace proa::kubelet
