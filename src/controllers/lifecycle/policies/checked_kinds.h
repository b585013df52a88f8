#pragma once

#include <string>
#include <vector>

#include "api/object/view.h"

namespace proa::controllers::policies {

struct CheckedResource {
  std::string group;
  std::string version;
  std::string resource;

  bool operator==(const CheckedResource&) const = default;
};

// The resources of a rule in a policy's matchConstraints whose types can be known, in order:
// upstream's typesToCheck() gives up on groups and versions with wildcards, and leaves out
// subresources.
std::vector<CheckedResource> checked_resources(api::View rule);

}  // namespace proa::controllers::policies
