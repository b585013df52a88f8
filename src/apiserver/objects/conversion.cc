#include "apiserver/objects/conversion.h"

#include "api/codec/json/decode.h"
#include "json/print.h"
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
  return from_stored(document, resource);
}

Result<json::Document> from_stored(const json::Document& document, const api::Resource& resource) {
  return kinds::convert(document, resource.stored->group_version(), resource.group_version(),
                        resource.type->name);
}

Result<api::ObjectPtr> served_form(const api::ObjectPtr& stored, const api::Resource& resource) {
  if (!resource.is_converted()) return stored;
  json::Document converted = TRY(from_stored(*stored, resource));
  const api::Decoded canonical = TRY(
      api::decode_document(std::move(converted), *resource.type, api::FieldValidation::kIgnore));
  return api::Object::make(json::print(canonical.document.root()));
}

}  // namespace proa::apiserver
