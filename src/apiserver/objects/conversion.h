#pragma once

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

// From the version of the request to that in which the resource is stored.
Result<json::Document> to_stored(json::Document document, const api::Resource& resource);
// The other way.
Result<json::Document> from_stored(const json::Document& document, const api::Resource& resource);
// A stored object in the version of the resource.
Result<json::Document> read_as(const api::Object& object, const api::Resource& resource);
Result<api::ObjectPtr> served_form(const api::ObjectPtr& stored, const api::Resource& resource);

}  // namespace proa::apiserver
