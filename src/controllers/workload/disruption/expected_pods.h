#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/names.h"
#include "controllers/framework/controller.h"

namespace proa::controllers::disruption {

// Sums the desired replicas of the controllers of pods.
class ExpectedPods {
 public:
  // Everything in the context outlives it.
  explicit ExpectedPods(const ControllerContext& context);

  struct Count {
    int64_t expected = 0;
    std::vector<std::string> unmanaged = {};  // pods without a controller
  };
  // kNotFound or kBadRequest if a controller has no scale; retrying does not help.
  Result<Count> count(const std::vector<api::ObjectPtr>& pods) const;

  // Calls `changed` with the namespace of a controller whose replicas changed.
  void listen(const std::function<void(const std::string&)>& changed) const;

 private:
  struct Scale {
    api::Uid uid;  // of the controller
    int64_t replicas = 0;
  };
  using Found = std::optional<Scale>;

  Result<Found> find(const api::Metadata::Owner& owner, const std::string& name_space) const;
  Found find_deployment_or_set(const api::Metadata::Owner& owner,
                               const std::string& name_space) const;
  // Reads the scale subresource: for kinds without an informer, and for cache misses.
  Result<Found> get_scale(const api::Metadata::Owner& owner, const std::string& name_space) const;
  static Found in_cache(const client::Informer& informer, const api::Metadata::Owner& owner,
                        const std::string& name_space);

  const client::BoundedClient client_;
  const api::Schema& schema_;
  const CustomResources& custom_;
  client::Informer& replication_controllers_;
  client::Informer& replica_sets_;
  client::Informer& deployments_;
  client::Informer& stateful_sets_;
};

}  // namespace proa::controllers::disruption
