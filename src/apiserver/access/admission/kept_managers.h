#pragma once

#include <optional>

#include "api/object/edit.h"
#include "json/value.h"

namespace proa::apiserver {

struct Request;

// The managed fields of an object as they were before webhooks and policies replaced it, as
// upstream keeps them: an outdated webhook, which does not know all of their fields, would
// otherwise destroy what is known of the owners of fields. For one request.
class KeptManagers {
 public:
  // Before each replacement; the first one counts, since nothing else changes these fields.
  void keep(api::View object);
  // After mutating admission. Managed fields that cannot be read become those that were kept, and
  // the client gets a warning. Removing them is allowed.
  void restore(api::Edit object, const Request& request) const;

 private:
  std::optional<json::Document> before_;
};

}  // namespace proa::apiserver
