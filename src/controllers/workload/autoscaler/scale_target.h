#pragma once

#include <string>

#include "api/object/object.h"
#include "api/object/view.h"
#include "api/schema/schema.h"
#include "client/bounded_client.h"

namespace proa::controllers {

// What is scaled, as its subresource "scale" tells.
struct ScaleFacts {
  int64_t wanted = 0;    // spec.replicas
  int64_t there = 0;     // status.replicas
  std::string selector;  // of its pods
};

// Something with a number of replicas that can be read and written: spec.scaleTargetRef.
class ScaleTarget {
 public:
  // Finds the resource, and reads its scale. Failures are in upstream's words.
  static Result<ScaleTarget> read(const client::BoundedClient& client, const api::Schema& schema,
                                  std::string_view name_space, api::View reference);

  const ScaleFacts& facts() const { return facts_; }
  // When somebody else changed it meanwhile, on top of that.
  Result<void> write(const client::BoundedClient& client, int64_t replicas);

 private:
  ScaleTarget(client::Place place, api::ObjectPtr scale);
  void take(api::ObjectPtr scale);

  client::Place place_;
  api::ObjectPtr scale_;
  ScaleFacts facts_;
};

}  // namespace proa::controllers
