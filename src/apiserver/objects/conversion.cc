#include "apiserver/objects/conversion.h"

#include "api/codec/json/decode.h"
#include "api/object/edit.h"
#include "base/strings.h"
#include "custom/definition/definition.h"
#include "custom/schema.h"
#include "json/print.h"
#include "kinds/conversion.h"

namespace proa::apiserver {
namespace conversion {

// What the schema of a version makes of an object from before.
Result<void> renew(json::Document& document, const custom::CustomResource& resource) {
  const custom::Schema& schema = *TRY(resource.schema());
  Budget budget;
  TRY(schema.decode(document, {.drops_malformed = true}, budget));
  return {};
}

// Without a webhook, versions differ in their name only.
Result<void> rename(json::Document& document, const api::Resource& resource) {
  const std::string from(api::View(document.root())["apiVersion"].text());
  if (from == resource.group_version()) return {};
  if (custom::custom_resource(resource).definition().conversion() ==
      custom::ConversionStrategy::kWebhook) {
    return Status(Reason::kInternalError, "conversion webhook for " + from +
                                              ", Kind=" + std::string(resource.type->name) +
                                              " failed: webhooks are not called yet");
  }
  api::Edit(document).set("apiVersion", resource.group_version());
  return {};
}

// From whatever version it is stored in.
Result<void> renew_as(json::Document& document, const custom::CustomResource& resource) {
  const std::string_view stated = api::View(document.root())["apiVersion"].text();
  const size_t slash = stated.find('/');
  const custom::CustomResource* stored = slash == std::string_view::npos
                                             ? nullptr
                                             : resource.definition().find(stated.substr(slash + 1));
  if (stored != nullptr) TRY(renew(document, *stored));
  if (stored == &resource) return {};
  TRY(rename(document, resource));
  return renew(document, resource);
}

bool is_current(std::string_view text, uint64_t revision, const api::Resource& resource) {
  const custom::CustomResource& served = custom::custom_resource(resource);
  return revision > served.definition().changed_at() && text.starts_with(served.head());
}

}  // namespace conversion

bool is_served_as_stored(const store::Entry& entry, const api::Resource& resource) {
  if (!resource.custom) return !resource.is_converted();
  return conversion::is_current(entry.value(), static_cast<uint64_t>(entry.mod_revision().value),
                                resource);
}

bool is_served_as_stored(const api::Object& object, const api::Resource& resource) {
  if (!resource.custom) return !resource.is_converted();
  const auto revision = parse_uint(object.metadata().resource_version);
  return revision && conversion::is_current(object.json(), *revision, resource);
}

bool may_be_converted(const api::Resource& resource) {
  return resource.custom || resource.is_converted();
}

Result<json::Document> to_stored(json::Document document, const api::Resource& resource) {
  if (!resource.is_converted()) return document;
  if (resource.custom) {
    TRY(conversion::rename(document, *resource.stored));
    return document;
  }
  return kinds::convert(document, resource.group_version(), resource.stored->group_version(),
                        resource.type->name);
}

Result<json::Document> from_stored(const json::Document& document, const api::Resource& resource) {
  if (resource.custom || !resource.is_converted()) {
    json::Document copy = document.copy();
    if (resource.custom) TRY(conversion::rename(copy, resource));
    return copy;
  }
  return kinds::convert(document, resource.stored->group_version(), resource.group_version(),
                        resource.type->name);
}

Result<json::Document> read_as(const api::Object& object, const api::Resource& resource) {
  json::Document document = TRY(object.document());
  if (is_served_as_stored(object, resource)) return document;
  if (resource.custom) {
    TRY(conversion::renew_as(document, custom::custom_resource(resource)));
    return document;
  }
  return from_stored(document, resource);
}

Result<api::ObjectPtr> served_form(const api::ObjectPtr& stored, const api::Resource& resource) {
  if (is_served_as_stored(*stored, resource)) return stored;
  json::Document converted = TRY(read_as(*stored, resource));
  const api::Decoded canonical = TRY(
      api::decode_document(std::move(converted), *resource.type, api::FieldValidation::kIgnore));
  return api::Object::make(json::print(canonical.document.root()));
}

}  // namespace proa::apiserver
