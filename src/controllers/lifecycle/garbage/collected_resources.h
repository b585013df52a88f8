#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// A resource whose objects can own others.
struct CollectedResource {
  const api::Resource* resource = nullptr;  // as it is stored
  // Null: its objects are nobody's to collect, and only asked for where one is named as an owner.
  client::Informer* informer = nullptr;
  std::string name = {};  // "deployments.apps"
};

// The resources that garbage is looked for in: all that are stored, listed, watched and deleted,
// but for Events, which go by themselves. The one place that says which they are.
//
// What following everything costs: an informer and a watch for each of 57 resources, on one thread
// that all share: some 200 kB in a server that nobody uses. Then, for each object, a node of its
// cache's tree, about 100 bytes, and what is kept of its metadata. The objects themselves are the
// API server's own where it is in this process.
class CollectedResources {
 public:
  // Everything in the context outlives it.
  explicit CollectedResources(const ControllerContext& context);
  CollectedResources(const CollectedResources&) = delete;
  CollectedResources& operator=(const CollectedResources&) = delete;

  // In a fixed order.
  const std::vector<CollectedResource>& all() const { return all_; }
  // The resource of what an owner reference names, in any of its versions. Null when nobody knows
  // such a kind, or none of its objects can be asked for.
  const CollectedResource* find_kind(std::string_view api_version, std::string_view kind) const;

  // Keys say the resource too: {"default", "deployments.apps/web"}.
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
