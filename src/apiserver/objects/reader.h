#pragma once

#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "api/schema/schema.h"
#include "base/result.h"
#include "store/store.h"

namespace proa::apiserver {

// Stored objects, for those who decide by them: always the latest, from memory, without waiting.
class ObjectReader {
 public:
  ObjectReader(const store::Store& store, const api::Schema& schema)
      : store_(store), schema_(schema) {}

  // Null when there is none. `group` and `resource` as in "apps", "deployments"; any version.
  // REQUIRES: there is such a resource, and it is stored.
  Result<api::ObjectPtr> find(std::string_view group, std::string_view resource,
                              std::string_view name_space, std::string_view name) const;
  // In order of their keys. An empty namespace: of all of them.
  Result<std::vector<api::ObjectPtr>> list(std::string_view group, std::string_view resource,
                                           std::string_view name_space) const;
  // "/registry/pods/": where the objects of a resource lie.
  std::string prefix(std::string_view group, std::string_view resource) const;

 private:
  const api::Resource& stored(std::string_view group, std::string_view resource) const;

  const store::Store& store_;
  const api::Schema& schema_;
};

}  // namespace proa::apiserver
