#include "apiserver/objects/conversion.h"

#include "kinds/conversion.h"

namespace proa::apiserver {

Result<json::Document> to_stored(json::Document document, const api::Resource& resource) {
  if (!resource.is_converted()) return document;
  return kinds::convert(document, resource.group_version(), resource.stored->group_version(),
                        resource.type->name);
}

Result<json::Document> from_stored(const api::Object& object, const api::Resource& resource) {
  json::Document document = TRY(object.document());
  if (!resource.is_converted()) return document;
  return kinds::convert(document, resource.stored->group_version(), resource.group_version(),
                        resource.type->name);
}

}  // namespace proa::apiserver
