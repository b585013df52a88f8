#include "cli/node/join/shared_objects.h"

#include "api/object/edit.h"
#include "base/check.h"
#include "json/print.h"

namespace proa::cli {
namespace shared_objects {

void slim_metadata(const api::Edit& object) {
  if (!object.has("metadata")) return;
  const api::Edit metadata = object.existing("metadata");
  metadata.remove("managedFields");
  metadata.remove("ownerReferences");
  if (!metadata.has("annotations")) return;
  // The object once more, in text.
  metadata.existing("annotations").remove("kubectl.kubernetes.io/last-applied-configuration");
}

void slim_endpoints(const api::Edit& slice) {
  if (!slice.has("endpoints")) return;
  const api::Edit endpoints = slice.existing("endpoints");
  for (size_t i = 0; i < endpoints.size(); ++i) endpoints.item(i).remove("targetRef");
}

api::ObjectPtr slim(const api::ObjectPtr& object) {
  Result<json::Document> document = object->document();
  if (!document) return object;
  const api::Edit root(*document);
  slim_metadata(root);
  slim_endpoints(root);
  std::string text = json::print(document->root());
  text.shrink_to_fit();
  return api::Object::make(std::move(text));
}

}  // namespace shared_objects

std::vector<client::Selector> objects_to_share(const api::Schema& schema) {
  std::vector<client::Selector> selectors;
  for (const auto& [group, name] :
       {std::pair("", "services"), {"discovery.k8s.io", "endpointslices"}, {"", "namespaces"}}) {
    client::Selector& selector = selectors.emplace_back();
    selector.place.resource = schema.find_resource(group, "v1", name);
    CHECK(selector.place.resource != nullptr);
    selector.slim = shared_objects::slim;
  }
  return selectors;
}

}  // namespace proa::cli
