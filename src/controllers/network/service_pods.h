#pragma once

#include <string_view>
#include <vector>

#include "controllers/framework/controller.h"
#include "controllers/network/service_facts.h"

namespace proa::controllers {

// Which pods a service has, and which services a pod has, found by labels: whatever else lives in
// the namespace costs nothing. For the controllers whose keys are services.
class ServicePods {
 public:
  // Adds the indexes to the shared informers.
  explicit ServicePods(const ControllerContext& context);

  // Puts the services into the queue whose endpoints may change.
  void listen(client::WorkQueue& queue);

  // Null when there is none.
  api::ObjectPtr service(const client::Key& key) const { return services_.cache().get(key); }
  // Those that its selector wants, by name. REQUIRES: it has one.
  std::vector<api::ObjectPtr> pods_of(const api::Object& service) const;
  std::vector<client::Key> services_of(const api::Object& pod) const;

 private:
  void pod_changed(const client::Change& change, client::WorkQueue& queue) const;

  client::Informer& services_;
  client::Informer& pods_;
};

// Of several labels that a selector wants, the one that few pods are likely to have.
const api::LabelSelector::Requirement& most_telling(const api::LabelSelector& selector);

}  // namespace proa::controllers
