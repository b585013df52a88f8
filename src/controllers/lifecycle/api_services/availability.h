#pragma once

#include <functional>
#include <span>
#include <string>

#include "api/object/view.h"
#include "base/result.h"
#include "controllers/framework/conditions.h"

namespace proa::controllers::api_services {

// The Service of an APIService.
struct ServiceReference {
  std::string name_space;
  std::string name;
  int64_t port = 443;

  // Of "spec.service", which exists.
  static ServiceReference read(api::View service);
  // "namespace/name", for indexes.
  std::string key() const { return name_space + "/" + name; }
};

// The condition Available, with upstream's reasons and messages.

// Of an APIService that the API server answers for itself.
Condition local_availability();
// Of one with a Service. `service`: absent if there is none; `slices`: its EndpointSlices. `probe`
// asks the server; it is called only if the rest is in order.
Condition remote_availability(const ServiceReference& reference, api::View service,
                              std::span<const api::View> slices,
                              const std::function<Result<void>()>& probe);

}  // namespace proa::controllers::api_services
