#pragma once

#include <string>
#include <string_view>

#include "api/object/object.h"
#include "api/schema/resource.h"
#include "json/value.h"
#include "store/store.h"

// How objects lie in the store: /registry/pods/NAMESPACE/NAME, and their JSON text with the
// revision in it.

namespace proa::apiserver {

std::string key_of(const api::Resource& resource, std::string_view name_space,
                   std::string_view name);
// Of all objects of a namespace, or of all where that is empty. Ends with '/'.
std::string prefix_of(const api::Resource& resource, std::string_view name_space);

// The object that an entry holds; entry and object live and die together. REQUIRES: not deleted.
api::ObjectPtr object_of(store::EntryPtr entry);
const api::Object& object_in(const store::Entry& entry);
// What an event took away, or changed into something else, at the event's revision: as watchers who
// no longer see it are shown it.
api::ObjectPtr last_state(const store::Event& event);

// An object's text for the store, which puts the revision into it.
struct StoredText {
  std::string json;
  size_t stamp_at = 0;

  // Whether the store holds just that already, apart from the revision.
  bool same_as(std::string_view stored) const;
  // As it will look at that revision: for answers without a store behind them. Empty: without one.
  std::string at(std::string_view resource_version) const;
};

// In canonical form. The document is used up.
Result<StoredText> encode_for_store(json::Document document, const api::Type& type);

}  // namespace proa::apiserver
