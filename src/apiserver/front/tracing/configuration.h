#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/client/request.h"

namespace proa::apiserver::tracing {

// What a TracingConfiguration says.
struct Configuration {
  http::Origin collector;
  // Of requests without a traced cause. Zero: only those are traced that a privileged caller
  // traces.
  uint32_t sampled_per_million = 0;
};

// Reads a TracingConfiguration of apiserver.config.k8s.io (v1, v1beta1, v1alpha1), in YAML or JSON.
// Fails with kInvalid and upstream's messages, also for unknown fields.
Result<Configuration> read_configuration(std::string_view text);

}  // namespace proa::apiserver::tracing
