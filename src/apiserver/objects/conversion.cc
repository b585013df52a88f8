#include "apiserver/objects/conversion.h"

#include "api/codec/json/decode.h"
#include "api/object/edit.h"
#include "apiserver/objects/keys.h"
#include "base/strings.h"
#include "custom/definition/definition.h"
#include "custom/schema.h"
#include "json/print.h"
#include "kinds/conversion.h"

namespace proa::apiserver {
namespace conversion {

using custom::CustomResource;
using custom::Definition;

// Defaults are those of the version in which an object is written or stored: none are set when it
// is converted to another one to be read.
enum class Defaults : uint8_t { kSet, kNone };

// What the schema of a version makes of an object from before, or from another version.
Result<void> renew(json::Document& document, const CustomResource& resource, Defaults defaults) {
  const custom::Schema& schema = *TRY(resource.schema());
  Budget budget;
  TRY(schema.decode(
      document, {.drops_malformed = true, .sets_defaults = defaults == Defaults::kSet}, budget));
  return {};
}

std::string_view version_of(const json::Document& document) {
  return api::View(document.root())["apiVersion"].text();
}

// Null if the definition has none of that name: "example.com/v1".
const CustomResource* find_version(const Definition& definition, std::string_view group_version) {
  const auto halves = split_once(group_version, '/');
  if (!halves || halves->before != definition.group()) return nullptr;
  return definition.find(halves->after);
}

Status invalid_version(std::string_view way, std::string_view group_version) {
  return {Reason::kUnknown, "request to convert CR " + std::string(way) +
                                " an invalid group/version: " + std::string(group_version)};
}

// REQUIRES: all are in other versions.
Result<std::vector<json::Document>> ask_webhook(std::span<const json::Value* const> objects,
                                                const CustomResource& resource) {
  custom::Converter* const converter = resource.definition().converter();
  if (converter == nullptr)
    return Status(Reason::kUnknown, "conversion webhooks are not called by this component");
  return converter->convert(resource.definition(), objects, resource.group_version());
}

Result<void> convert(json::Document& document, const CustomResource& resource) {
  const std::string_view from = version_of(document);
  if (from == resource.group_version()) return {};
  if (!resource.definition().calls_webhook()) {
    // Versions differ in their names only.
    api::Edit(document).set("apiVersion", resource.group_version());
    return {};
  }
  if (find_version(resource.definition(), from) == nullptr) return invalid_version("from", from);
  const json::Value* const objects[] = {&document.root()};
  document = std::move(TRY(ask_webhook(objects, resource)).front());
  return {};
}

// A stored object in the version of the resource, as a text.
Result<api::ObjectPtr> finish(json::Document document, const CustomResource& resource) {
  TRY(renew(document, resource, Defaults::kNone));
  const api::Decoded canonical =
      TRY(api::decode_document(std::move(document), *resource.type, api::FieldValidation::kIgnore));
  return api::Object::make(json::print(canonical.document.root()));
}

// From whatever version it is stored in.
Result<json::Document> renewed(const api::Object& object, const Definition& definition) {
  json::Document document = TRY(object.document());
  const CustomResource* stored = find_version(definition, version_of(document));
  if (stored != nullptr) TRY(renew(document, *stored, Defaults::kSet));
  return document;
}

bool is_current(std::string_view text, uint64_t revision, const CustomResource& served) {
  return revision > served.definition().changed_at() && text.starts_with(served.head());
}

bool needs_webhook(const api::Object& object, const CustomResource& resource) {
  return resource.definition().calls_webhook() && !object.json().starts_with(resource.head());
}

// Objects that a webhook converts, and what it made of them.
class ByWebhook {
 public:
  ByWebhook(const CustomResource& resource, Answers answers)
      : resource_(resource), answers_(answers) {}

  // Returns what is known of it; null: run() will know, as the next one.
  Result<api::ObjectPtr> add(const api::Object& object) {
    std::string key = custom::ConvertedObjects::key_of(object.json(), resource_.version);
    if (answers_ == Answers::kRecent) {
      const Steady now = SystemClock().steady();
      if (api::ObjectPtr known = resource_.definition().converted().find(key, now)) return known;
    }
    json::Document document = TRY(renewed(object, resource_.definition()));
    const std::string_view from = version_of(document);
    if (find_version(resource_.definition(), from) == nullptr) return invalid_version("from", from);
    documents_.push_back(std::move(document));
    bytes_ += object.json().size();
    keys_.push_back(std::move(key));
    return api::ObjectPtr();
  }

  // Whether these are enough for one message.
  bool is_full() const { return bytes_ >= kMessageBytes || documents_.size() >= kMessageObjects; }

  // What the webhook makes of those that were added since the last time.
  Result<std::vector<api::ObjectPtr>> run() {
    std::vector<api::ObjectPtr> objects;
    if (documents_.empty()) return objects;
    std::vector<const json::Value*> asked;
    asked.reserve(documents_.size());
    for (const json::Document& document : documents_) asked.push_back(&document.root());
    const Steady now = SystemClock().steady();
    std::vector<json::Document> answers = TRY(ask_webhook(asked, resource_));
    objects.reserve(answers.size());
    for (size_t i = 0; i < answers.size(); ++i) {
      objects.push_back(TRY(finish(std::move(answers[i]), resource_)));
      resource_.definition().converted().keep(keys_[i], objects.back(), now);
    }
    documents_.clear();
    keys_.clear();
    bytes_ = 0;
    return objects;
  }

 private:
  static constexpr size_t kMessageBytes = 1024 * 1024;
  static constexpr size_t kMessageObjects = 500;

  const CustomResource& resource_;
  const Answers answers_;
  size_t bytes_ = 0;
  std::vector<json::Document> documents_;
  std::vector<std::string> keys_;
};

Result<api::ObjectPtr> served_by_webhook(const api::Object& object, const CustomResource& resource,
                                         Answers answers) {
  ByWebhook webhook(resource, answers);
  if (api::ObjectPtr known = TRY(webhook.add(object))) return known;
  return TRY(webhook.run()).front();
}

}  // namespace conversion

bool is_served_as_stored(const store::Entry& entry, const api::Resource& resource) {
  if (!resource.custom) return !resource.is_converted();
  return conversion::is_current(entry.value(), static_cast<uint64_t>(entry.mod_revision().value),
                                custom::custom_resource(resource));
}

bool is_served_as_stored(const api::Object& object, const api::Resource& resource) {
  if (!resource.custom) return !resource.is_converted();
  const auto revision = parse_uint(object.metadata().resource_version);
  return revision &&
         conversion::is_current(object.json(), *revision, custom::custom_resource(resource));
}

bool may_be_converted(const api::Resource& resource) {
  return resource.custom || resource.is_converted();
}

bool is_slow_to_serve(const api::Object& object, const api::Resource& resource) {
  return resource.custom && !is_served_as_stored(object, resource);
}

bool may_ask_webhook(const api::Resource& resource) {
  return resource.custom && custom::custom_resource(resource).definition().calls_webhook();
}

Result<json::Document> read_as(const api::Object& object, const api::Resource& resource,
                               Answers answers) {
  if (is_served_as_stored(object, resource)) return object.document();
  if (!resource.custom) {
    const json::Document document = TRY(object.document());
    return kinds::convert(document, resource.stored->group_version(), resource.group_version(),
                          resource.type->name);
  }
  const custom::CustomResource& custom = custom::custom_resource(resource);
  if (conversion::needs_webhook(object, custom))
    return TRY(conversion::served_by_webhook(object, custom, answers))->document();
  json::Document document = TRY(conversion::renewed(object, custom.definition()));
  if (conversion::version_of(document) == resource.group_version()) return document;
  TRY(conversion::convert(document, custom));
  TRY(conversion::renew(document, custom, conversion::Defaults::kNone));
  return document;
}

Result<api::ObjectPtr> served_form(const api::ObjectPtr& stored, const api::Resource& resource) {
  if (is_served_as_stored(*stored, resource)) return stored;
  if (resource.custom) {
    const custom::CustomResource& custom = custom::custom_resource(resource);
    if (conversion::needs_webhook(*stored, custom))
      return conversion::served_by_webhook(*stored, custom, Answers::kRecent);
  }
  json::Document converted = TRY(read_as(*stored, resource, Answers::kRecent));
  const api::Decoded canonical = TRY(
      api::decode_document(std::move(converted), *resource.type, api::FieldValidation::kIgnore));
  return api::Object::make(json::print(canonical.document.root()));
}

Result<std::vector<api::ObjectPtr>> served_forms(std::span<const api::ObjectPtr> stored,
                                                 const api::Resource& resource) {
  std::vector<api::ObjectPtr> served(stored.size());
  if (!may_ask_webhook(resource)) {
    for (size_t i = 0; i < stored.size(); ++i) served[i] = TRY(served_form(stored[i], resource));
    return served;
  }
  const custom::CustomResource& custom = custom::custom_resource(resource);
  conversion::ByWebhook webhook(custom, Answers::kRecent);
  std::vector<size_t> asked;
  const auto ask = [&]() -> Result<void> {
    const std::vector<api::ObjectPtr> answers = TRY(webhook.run());
    for (size_t i = 0; i < asked.size(); ++i) served[asked[i]] = answers[i];
    asked.clear();
    return {};
  };
  for (size_t i = 0; i < stored.size(); ++i) {
    if (!conversion::needs_webhook(*stored[i], custom)) {
      served[i] = TRY(served_form(stored[i], resource));
      continue;
    }
    served[i] = TRY(webhook.add(*stored[i]));
    if (served[i] == nullptr) asked.push_back(i);
    if (webhook.is_full()) TRY(ask());
  }
  TRY(ask());
  return served;
}

Result<std::vector<api::ObjectPtr>> served_forms(std::span<const store::EntryPtr> stored,
                                                 const api::Resource& resource) {
  std::vector<api::ObjectPtr> objects;
  objects.reserve(stored.size());
  for (const store::EntryPtr& entry : stored) objects.push_back(object_of(entry));
  return served_forms(objects, resource);
}

const api::Resource& working_version(const api::Resource& resource) {
  return resource.custom ? resource : *resource.stored;
}

Result<json::Document> to_working(json::Document document, const api::Resource& resource) {
  const api::Resource& working = working_version(resource);
  if (&working == &resource) return document;
  return kinds::convert(document, resource.group_version(), working.group_version(),
                        resource.type->name);
}

Result<json::Document> from_working(const json::Document& document, const api::Resource& resource) {
  const api::Resource& working = working_version(resource);
  if (&working == &resource) return document.copy();
  return kinds::convert(document, working.group_version(), resource.group_version(),
                        resource.type->name);
}

Result<std::optional<json::Document>> stored_form(const json::Document& document,
                                                  const api::Resource& resource) {
  if (!resource.custom || !resource.is_converted()) return std::optional<json::Document>();
  const custom::CustomResource& stored = custom::custom_resource(*resource.stored);
  json::Document copy = document.copy();
  TRY(conversion::convert(copy, stored));
  TRY(conversion::renew(copy, stored, conversion::Defaults::kSet));
  return std::optional<json::Document>(std::move(copy));
}

Result<json::Document> convert_custom(json::Document document, const api::Resource& resource,
                                      std::string_view group_version) {
  const custom::Definition& definition = custom::custom_resource(resource).definition();
  const custom::CustomResource* wanted = conversion::find_version(definition, group_version);
  if (wanted == nullptr) return conversion::invalid_version("to", group_version);
  TRY(conversion::convert(document, *wanted));
  return document;
}

}  // namespace proa::apiserver
