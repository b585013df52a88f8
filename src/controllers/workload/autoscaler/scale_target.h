#pragma once

#include <string>

#include "api/object/object.h"
#include "api/schema/schema.h"
#include "client/bounded_client.h"
#include "controllers/workload/objects/autoscaler.h"

namespace proa::controllers {

// The object of spec.scaleTargetRef, through its subresource "scale".
class ScaleTarget {
 public:
  // Finds the resource and reads its scale. Errors have upstream's texts.
  static Result<ScaleTarget> read(const client::BoundedClient& client, const api::Schema& schema,
                                  std::string_view name_space,
                                  const objects::ObjectReference& reference);

  const objects::Scale& scale() const { return scale_; }
  // Retries on the newest version after a conflict.
  Result<void> write(const client::BoundedClient& client, int64_t replicas);

 private:
  ScaleTarget(client::Place place, api::ObjectPtr object, objects::Scale scale);

  client::Place place_;
  api::ObjectPtr object_;
  objects::Scale scale_;
};

}  // namespace proa::controllers
