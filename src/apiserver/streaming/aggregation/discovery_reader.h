#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/schema.h"
#include "base/result.h"
#include "json/value.h"

// Reads the discovery documents of extension API servers. They may be anything: what is not of the
// right type is refused, and unknown fields are dropped.

namespace proa::apiserver {

struct DiscoveredVersion {
  std::string group;
  std::string version;
  std::shared_ptr<const json::Document> resources;  // a list of APIResourceDiscovery
};

// What is asked for: aggregated discovery, of either version.
extern const std::string_view kAggregatedDiscoveryTypes;
// Whether a response of that Content-Type is aggregated discovery.
bool is_aggregated_discovery(std::string_view content_type);

// An APIGroupDiscoveryList.
Result<std::vector<DiscoveredVersion>> read_discovery(std::string_view json,
                                                      const api::Schema& schema);
// The APIResourceList of a group version.
Result<DiscoveredVersion> read_legacy_discovery(std::string_view json, std::string_view group,
                                                std::string_view version,
                                                const api::Schema& schema);

}  // namespace proa::apiserver
