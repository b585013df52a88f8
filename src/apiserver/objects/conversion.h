#pragma once

#include <optional>
#include <span>
#include <vector>

#include "api/object/object.h"
#include "api/schema/resource.h"
#include "base/result.h"
#include "json/value.h"
#include "store/store.h"

namespace proa::apiserver {

// Objects are served in the version of the request and stored in one of them; for most resources
// there is only one. A custom object may be stored in any version of its definition, and by a
// schema that has changed since.

// Whether what is stored is what is served, byte for byte.
bool is_served_as_stored(const store::Entry& entry, const api::Resource& resource);
bool is_served_as_stored(const api::Object& object, const api::Resource& resource);
// Whether that may be false for any object.
bool may_be_converted(const api::Resource& resource);
// Whether it takes long to bring a stored object into the form that is served: a custom one that
// its schema has to be applied to. Nobody does so on a loop thread.
bool is_slow_to_serve(const api::Object& object, const api::Resource& resource);
// Whether a webhook may convert them: reading them may block.
bool may_ask_webhook(const api::Resource& resource);

// What is asked of a webhook: what it says now, as whatever is written must follow from, or what it
// said a moment ago, perhaps to others.
enum class Answers : uint8_t { kFresh, kRecent };

// A stored object in the version of the resource.
Result<json::Document> read_as(const api::Object& object, const api::Resource& resource,
                               Answers answers);
Result<api::ObjectPtr> served_form(const api::ObjectPtr& stored, const api::Resource& resource);
// The same for many, of which webhooks are asked together.
Result<std::vector<api::ObjectPtr>> served_forms(std::span<const api::ObjectPtr> stored,
                                                 const api::Resource& resource);
Result<std::vector<api::ObjectPtr>> served_forms(std::span<const store::EntryPtr> stored,
                                                 const api::Resource& resource);

// Writes work on the stored version, except those of custom resources: their versions may have
// nothing in common, so that all of a request is about its own.
const api::Resource& working_version(const api::Resource& resource);
// From the version of the request to that one.
Result<json::Document> to_working(json::Document document, const api::Resource& resource);
// The other way.
Result<json::Document> from_working(const json::Document& document, const api::Resource& resource);
// What is stored of an object in the working version. Nullopt: the same.
Result<std::optional<json::Document>> stored_form(const json::Document& document,
                                                  const api::Resource& resource);

// A custom object in another version of its definition. Fails if the resource does not have both.
Result<json::Document> convert_custom(json::Document document, const api::Resource& resource,
                                      std::string_view group_version);

}  // namespace proa::apiserver
