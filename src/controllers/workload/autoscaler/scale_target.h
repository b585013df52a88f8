#pragma once

#include <string>

#include "api/object/object.h"
#include "api/schema/schema.h"
#include "client/bounded_client.h"
#include "controllers/framework/custom/custom_resources.h"
#include "controllers/workload/objects/autoscaler.h"

namespace proa::controllers {

// Built-in and custom resources.
struct KnownResources {
  const api::Schema& schema;
  const CustomResources& custom;
};

// The object of spec.scaleTargetRef, through its subresource "scale".
class ScaleTarget {
 public:
  // Finds the resource and reads its scale. Errors have upstream's texts.
  static Result<ScaleTarget> read(const client::BoundedClient& client, const KnownResources& known,
                                  std::string_view name_space,
                                  const objects::ObjectReference& reference);

  const objects::Scale& scale() const { return scale_; }
  // Retries on the newest version after a conflict.
  Result<void> write(const client::BoundedClient& client, int64_t replicas);

 private:
  ScaleTarget(client::Place place, custom::DefinitionPtr definition, api::ObjectPtr object,
              objects::Scale scale);

  client::Place place_;
  custom::DefinitionPtr definition_;  // of a custom resource, which it keeps alive
  api::ObjectPtr object_;
  objects::Scale scale_;
};

}  // namespace proa::controllers
