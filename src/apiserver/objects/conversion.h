#pragma once

#include "api/object/object.h"
#include "api/schema/resource.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::apiserver {

// Converts between served and stored version; identity for most resources.
Result<json::Document> to_stored(json::Document document, const api::Resource& resource);
Result<json::Document> from_stored(const api::Object& object, const api::Resource& resource);
// REQUIRES: resource.is_converted().
Result<json::Document> from_stored(const json::Document& document, const api::Resource& resource);
// A stored object in the requested version.
Result<api::ObjectPtr> served_form(const api::ObjectPtr& stored, const api::Resource& resource);

}  // namespace proa::apiserver
