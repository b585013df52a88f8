#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/framework/controller.h"
#include "controllers/framework/custom/custom_informers.h"

namespace proa::controllers {

// A resource whose objects can own others.
struct CollectedResource {
  const api::Resource* resource = nullptr;  // in its storage version, if that is served
  // Null: not watched; its objects are only read when an owner reference names one.
  const client::Cache* cache = nullptr;
  std::string name = {};                 // "deployments.apps"
  FollowedCustomPtr followed = nullptr;  // of a custom resource: keeps the rest alive
};
using CollectedResourcePtr = std::shared_ptr<const CollectedResource>;

// The resources that take part in garbage collection: all that are stored, listed, watched and
// deleted, except Events, which expire. Custom resources come and go. Thread-safe.
//
// Cost: an informer and a watch for each of 57 resources, on one shared thread, about 200 kB in an
// idle server. Per object about 100 bytes for the cache entry, and its metadata. The objects
// themselves are shared with the API server if it runs in this process.
class CollectedResources {
 public:
  // Everything in the context outlives it.
  explicit CollectedResources(const ControllerContext& context);
  CollectedResources(const CollectedResources&) = delete;
  CollectedResources& operator=(const CollectedResources&) = delete;

  // The built-in ones, in a fixed order.
  const std::vector<CollectedResourcePtr>& built_in() const { return built_in_; }
  // A custom resource is followed from now on, or not any more.
  void add(const FollowedCustomPtr& followed) EXCLUDES(mutex_);
  void remove(const FollowedCustomPtr& followed) EXCLUDES(mutex_);
  // REQUIRES: added.
  CollectedResourcePtr of(const FollowedCustom& followed) const EXCLUDES(mutex_);

  // The resource of an owner reference's kind, in any version. Null if the kind is unknown or
  // cannot be read.
  CollectedResourcePtr find_kind(std::string_view api_version, std::string_view kind) const
      EXCLUDES(mutex_);

  // Queue keys include the resource: {"default", "deployments.apps/web"}. find() is the inverse.
  static client::Key key_of(const CollectedResource& resource, const api::Object& object);
  struct Found {
    CollectedResourcePtr resource;  // null: it was a custom one that is not there any more
    client::Key key;                // of the object
  };
  // REQUIRES: key_of() made it.
  Found find(const client::Key& key) const EXCLUDES(mutex_);

 private:
  CollectedResourcePtr find_custom(std::string_view name) const EXCLUDES(mutex_);

  const api::Schema& schema_;
  const CustomResources& custom_resources_;
  std::vector<CollectedResourcePtr> built_in_;
  mutable Mutex mutex_;
  std::map<std::string, CollectedResourcePtr, std::less<>> custom_ GUARDED_BY(mutex_);  // by name
};

}  // namespace proa::controllers
