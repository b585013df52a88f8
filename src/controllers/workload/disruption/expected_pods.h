#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controllers/framework/controller.h"

namespace proa::controllers::disruption {

// How many pods there should be: what the controllers of the pods were told, all together.
class ExpectedPods {
 public:
  // Everything in the context outlives it.
  explicit ExpectedPods(const ControllerContext& context);

  struct Count {
    int64_t expected = 0;
    std::vector<std::string> unmanaged = {};  // pods that nobody controls
  };
  // kNotFound and kBadRequest when somebody controls a pod who says no number: trying again does
  // not help.
  Result<Count> count(const std::vector<api::ObjectPtr>& pods) const;

  // `changed` is called with the namespace in which a number changed.
  void listen(const std::function<void(const std::string&)>& changed) const;

 private:
  struct Scale {
    std::string uid;  // whose number it is
    int64_t replicas = 0;
  };
  using Found = std::optional<Scale>;

  Result<Found> find(const api::Metadata::Owner& owner, const std::string& name_space) const;
  Found find_deployment_or_set(const api::Metadata::Owner& owner,
                               const std::string& name_space) const;
  // Of what is not kept at hand, or not known any more.
  Result<Found> ask_for_scale(const api::Metadata::Owner& owner,
                              const std::string& name_space) const;
  static Found in_cache(const client::Informer& informer, const api::Metadata::Owner& owner,
                        const std::string& name_space);

  const client::BoundedClient client_;
  const api::Schema& schema_;
  client::Informer& replication_controllers_;
  client::Informer& replica_sets_;
  client::Informer& deployments_;
  client::Informer& stateful_sets_;
};

}  // namespace proa::controllers::disruption
