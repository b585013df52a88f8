#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cluster.h"

namespace proa::sim {

// One thing that happened to one object. At least one of the two is there; both are of the same
// uid.
struct Happening {
  std::string_view resource;  // "pods"
  int64_t revision = 0;
  api::ObjectPtr before;
  api::ObjectPtr after;

  const api::Object& object() const { return after != nullptr ? *after : *before; }
};

// What happens to objects of several resources, in the order in which it does: between two looks at
// what is there, much may have come and gone, and nobody could say what was first.
class Happenings {
 public:
  struct Resource {
    const char* group;
    const char* name;
  };

  // What is there already is told as new.
  Happenings(Cluster& cluster, const std::vector<Resource>& resources);
  // Since it was asked last.
  std::vector<Happening> news();

 private:
  struct Source {
    std::string_view resource;
    std::unique_ptr<client::Watch> watch;
    std::map<std::string, api::ObjectPtr> objects;  // by name
  };
  static void read(Source& source, std::vector<Happening>& news);

  std::vector<Source> sources_;
};

}  // namespace proa::sim
