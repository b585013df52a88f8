#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/schema.h"
#include "apiserver/objects/follower.h"
#include "apiserver/request/resource_ptr.h"
#include "base/threads/mutex.h"
#include "custom/definition/definition.h"
#include "store/store.h"

namespace proa::apiserver {

// All resources at one moment, in no special order.
struct ServedResources {
  uint64_t number = 0;  // another one after every change
  std::vector<const api::Resource*> resources;
  std::vector<custom::DefinitionPtr> definitions;  // keep the custom ones
};
using ServedResourcesPtr = std::shared_ptr<const ServedResources>;

// The resources that are served: built-in ones, and those of CustomResourceDefinitions, current
// when read. Thread-safe.
class Catalogue {
 public:
  // `changed`: called, on any thread, when definitions may have changed; should call catch_up()
  // from elsewhere. `converter`: calls the webhooks of definitions; null: they fail. REQUIRES: all
  // outlive it.
  Catalogue(store::Store& store, const api::Schema& builtin, std::function<void()> changed = {},
            custom::Converter* converter = nullptr);

  const api::Schema& builtin() const { return builtin_; }
  // Null if there is none.
  ResourcePtr find(std::string_view group, std::string_view version, std::string_view name);
  // The same, but for the server's own needs: also if its version is not served.
  ResourcePtr find_stored(std::string_view group, std::string_view version, std::string_view name);
  bool has_group(std::string_view group);
  ServedResourcesPtr served() EXCLUDES(mutex_);
  // Ends watches of definitions that have changed: see custom::Definition::replaced().
  void catch_up();

 private:
  void take(std::string_view key, const api::ObjectPtr& object);
  custom::DefinitionPtr definition_of(std::string_view group, std::string_view name);

  const api::Schema& builtin_;
  custom::Converter* const converter_;
  // By PLURAL.GROUP. Both belong to the follower's lock.
  std::map<std::string, custom::DefinitionPtr, std::less<>> definitions_;
  uint64_t changes_ = 1;
  Follower follower_;
  Mutex mutex_;
  ServedResourcesPtr served_ GUARDED_BY(mutex_);
};

}  // namespace proa::apiserver
