#include "apiserver/access/admission/kept_managers.h"

#include "api/apply/managed/entries.h"
#include "apiserver/request/request.h"

namespace proa::apiserver {

void KeptManagers::keep(api::View object) {
  if (before_) return;
  before_.emplace();
  const api::View managers = object["metadata"]["managedFields"];
  if (managers) before_->root() = managers.value()->copy(before_->arena());
}

void KeptManagers::restore(api::Edit object, const Request& request) const {
  if (!before_) return;
  const api::View managers = object["metadata"]["managedFields"];
  if (!managers || managers == api::View(before_->root())) return;
  json::Arena arena;
  const auto read = api::decode_managers(managers.value(), arena);
  if (read) return;
  request.warn(
      ".metadata.managedFields was in an invalid state after admission; this could be caused by an "
      "outdated mutating admission controller; please fix your requests: " +
      read.status().message());
  if (before_->root().is_null()) {
    object.object("metadata").remove("managedFields");
  } else {
    object.object("metadata").copy("managedFields", before_->root());
  }
}

}  // namespace proa::apiserver
