#pragma once

#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "api/schema/schema.h"
#include "base/result.h"
#include "store/store.h"

namespace proa::apiserver {

// Reads stored objects for decisions: always the latest, from memory, without blocking.
class ObjectReader {
 public:
  ObjectReader(const store::Store& store, const api::Schema& schema)
      : store_(store), schema_(schema) {}

  // Null if there is none. `group` and `resource` as in "apps", "deployments"; any version.
  // REQUIRES: the resource exists and is stored.
  Result<api::ObjectPtr> find(std::string_view group, std::string_view resource,
                              std::string_view name_space, std::string_view name) const;
  // Sorted by key. An empty namespace: all namespaces.
  Result<std::vector<api::ObjectPtr>> list(std::string_view group, std::string_view resource,
                                           std::string_view name_space) const;
  // "/registry/pods/": the key prefix of a resource.
  std::string prefix(std::string_view group, std::string_view resource) const;

 private:
  const api::Resource& stored(std::string_view group, std::string_view resource) const;

  const store::Store& store_;
  const api::Schema& schema_;
};

}  // namespace proa::apiserver
