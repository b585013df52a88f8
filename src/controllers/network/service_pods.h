#pragma once

#include <string_view>
#include <vector>

#include "controllers/framework/controller.h"
#include "controllers/network/service_facts.h"

namespace proa::controllers {

// Finds the pods of a service and the services of a pod by labels; the cost does not depend on
// other objects of the namespace. For controllers whose keys are services.
class ServicePods {
 public:
  // Adds indexes to the shared informers.
  explicit ServicePods(const ControllerContext& context);

  // Queues the services whose endpoints may change.
  void listen(client::WorkQueue& queue);

  // Null if it does not exist.
  api::ObjectPtr service(const client::Key& key) const { return services_.cache().get(key); }
  // The pods that its selector matches, by name. REQUIRES: it has one.
  std::vector<api::ObjectPtr> pods_of(const api::Object& service) const;
  std::vector<client::Key> services_of(const api::Object& pod) const;

 private:
  void pod_changed(const client::Change& change, client::WorkQueue& queue) const;

  client::Informer& services_;
  client::Informer& pods_;
};

// The label of a selector that is likely to match the fewest pods.
const api::LabelSelector::Requirement& most_telling(const api::LabelSelector& selector);

}  // namespace proa::controllers
