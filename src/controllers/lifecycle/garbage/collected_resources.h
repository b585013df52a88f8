#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// A resource whose objects can own others.
struct CollectedResource {
  const api::Resource* resource = nullptr;  // in its storage version
  // Null: not watched; its objects are only read when an owner reference names one.
  client::Informer* informer = nullptr;
  std::string name = {};  // "deployments.apps"
};

// The resources that take part in garbage collection: all that are stored, listed, watched and
// deleted, except Events, which expire.
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

  // In a fixed order.
  const std::vector<CollectedResource>& all() const { return all_; }
  // The resource of an owner reference's kind, in any version. Null if the kind is unknown or
  // cannot be read.
  const CollectedResource* find_kind(std::string_view api_version, std::string_view kind) const;

  // Queue keys include the resource: {"default", "deployments.apps/web"}. find() is the inverse.
  static client::Key key_of(const CollectedResource& resource, const api::Object& object);
  struct Found {
    const CollectedResource& resource;
    client::Key key;  // of the object
  };
  // REQUIRES: key_of() made it.
  Found find(const client::Key& key) const;

 private:
  const api::Schema& schema_;
  std::vector<CollectedResource> all_;
};

}  // namespace proa::controllers
