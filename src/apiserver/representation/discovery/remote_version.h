#pragma once

#include <memory>
#include <string>

#include "json/value.h"

namespace proa::apiserver {

// A group version that an extension API server answers for, as discovery shows it.
struct RemoteVersion {
  std::string group;
  std::string version;
  std::string group_version;
  int group_priority = 0;
  int version_priority = 0;
  // A list of APIResourceDiscovery, decoded; null: unknown.
  std::shared_ptr<const json::Document> resources = nullptr;
  bool stale = false;  // the server could not be asked the last time
};

}  // namespace proa::apiserver
