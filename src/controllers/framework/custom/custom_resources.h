#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/schema.h"
#include "base/threads/mutex.h"
#include "client/informer/informer.h"
#include "custom/definition/definition.h"

namespace proa::controllers {

// A version of a custom resource, with the definition that keeps it alive: whoever uses the
// resource holds the definition.
struct CustomVersion {
  custom::DefinitionPtr definition = nullptr;
  const custom::CustomResource* resource = nullptr;  // null: none was found

  explicit operator bool() const { return resource != nullptr; }
};

// The version in which controllers read all objects of a definition: the stored one, which needs no
// conversion, if it is served. None if no version is served.
CustomVersion readable_version(const custom::DefinitionPtr& definition);

// The custom resources of the cluster, as the definitions in a shared cache state them. Definitions
// that are not served are left out, and those of built-in resources. Thread-safe.
class CustomResources {
 public:
  // `definitions`: the informer of CustomResourceDefinitions, not yet started. Everything outlives
  // it; it outlives the informer's handlers.
  CustomResources(client::Informer& definitions, const api::Schema& schema);
  CustomResources(const CustomResources&) = delete;
  CustomResources& operator=(const CustomResources&) = delete;

  // Sorted by name.
  std::vector<custom::DefinitionPtr> all() const EXCLUDES(mutex_);
  // By "example.com" and "ships". Null if there is none.
  custom::DefinitionPtr find(std::string_view group, std::string_view plural) const
      EXCLUDES(mutex_);
  // By "example.com/v1" and "Ship": a served version.
  CustomVersion find_kind(std::string_view api_version, std::string_view kind) const
      EXCLUDES(mutex_);
  // All served versions of a kind.
  std::vector<CustomVersion> versions_of(std::string_view group, std::string_view kind) const
      EXCLUDES(mutex_);

  // Called on the informer's thread when a definition came (no `before`), changed, or went (no
  // `after`). REQUIRES: set before the informer starts.
  using Handler =
      std::function<void(const custom::DefinitionPtr& before, const custom::DefinitionPtr& after)>;
  void add_handler(Handler handler) { handlers_.push_back(std::move(handler)); }

 private:
  custom::DefinitionPtr read(const api::ObjectPtr& object) const;
  custom::DefinitionPtr exchange(const std::string& name, const custom::DefinitionPtr& definition)
      EXCLUDES(mutex_);
  custom::DefinitionPtr find_kind_in(std::string_view group, std::string_view kind) const
      EXCLUDES(mutex_);

  const api::Schema& schema_;
  std::vector<Handler> handlers_;
  mutable Mutex mutex_;
  // By name, "ships.example.com"; and by "Ship.example.com".
  std::map<std::string, custom::DefinitionPtr, std::less<>> definitions_ GUARDED_BY(mutex_);
  std::map<std::string, custom::DefinitionPtr, std::less<>> kinds_ GUARDED_BY(mutex_);
};

}  // namespace proa::controllers
