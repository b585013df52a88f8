#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cluster.h"

namespace proa::sim {

// A change of one object. At least one of the two is set; both have the same uid.
struct ObjectChange {
  std::string_view resource;  // "pods"
  int64_t revision = 0;
  api::ObjectPtr before;
  api::ObjectPtr after;

  const api::Object& object() const { return after != nullptr ? *after : *before; }
};

// Changes of several resources in commit order. Comparing snapshots would miss short-lived objects
// and the order.
class ChangeFeed {
 public:
  struct Resource {
    const char* group;
    const char* name;
  };

  // Existing objects are reported as new.
  ChangeFeed(Cluster& cluster, const std::vector<Resource>& resources);
  // Changes since the last call.
  std::vector<ObjectChange> take();

 private:
  struct Source {
    std::string_view resource;
    std::unique_ptr<client::Watch> watch;
    std::map<std::string, api::ObjectPtr> objects;  // by name
  };
  static void read(Source& source, std::vector<ObjectChange>& changes);

  std::vector<Source> sources_;
};

}  // namespace proa::sim
