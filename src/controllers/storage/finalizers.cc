#include "controllers/storage/finalizers.h"

#include "api/object/edit.h"
#include "controllers/framework/writes.h"
#include "json/print.h"
#include "json/text/scan.h"

namespace proa::controllers::storage {
namespace finalizers {

Result<void> write(const client::BoundedClient& client, const api::Resource& resource,
                   const api::Object& object, json::Document document) {
  return unless_gone(
      client.update(place_of(resource, client::Key::of(object)), std::move(document), {}));
}

}  // namespace finalizers

bool has_finalizer(const api::Object& object, std::string_view finalizer) {
  if (!object.metadata().has_finalizers) return false;
  using json::Scan;
  Scan list(Scan::find(Scan::find(object.json(), "metadata"), "finalizers"));
  while (const auto item = list.next_item()) {
    if (Scan::unquoted(*item) == finalizer) return true;
  }
  return false;
}

Result<void> add_finalizer(const client::BoundedClient& client, const api::Resource& resource,
                           const api::Object& object, std::string_view finalizer) {
  json::Document document = TRY(object.document());
  api::Edit(document)
      .object("metadata")
      .array("finalizers")
      .push(json::Value::string(document.arena(), finalizer));
  return finalizers::write(client, resource, object, std::move(document));
}

Result<void> remove_finalizer(const client::BoundedClient& client, const api::Resource& resource,
                              const api::Object& object, std::string_view finalizer) {
  json::Document document = TRY(object.document());
  const api::Edit metadata = api::Edit(document).object("metadata");
  json::Value left = json::Value::array();
  for (const api::View one : metadata["finalizers"].items()) {
    if (one.text() == finalizer) continue;
    left.push_back(document.arena(), one.value()->copy(document.arena()));
  }
  metadata.set("finalizers", std::move(left));
  return finalizers::write(client, resource, object, std::move(document));
}

}  // namespace proa::controllers::storage
