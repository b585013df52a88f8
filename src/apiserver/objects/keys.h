#pragma once

#include <string>
#include <string_view>

#include "api/object/object.h"
#include "api/schema/resource.h"
#include "json/value.h"
#include "store/store.h"

// Layout of objects in the store: keys /registry/pods/NAMESPACE/NAME, values JSON with the
// revision.

namespace proa::apiserver {

std::string key_of(const api::Resource& resource, std::string_view name_space,
                   std::string_view name);
// The prefix of a namespace's objects, or of all objects if it is empty. Ends with '/'.
std::string prefix_of(const api::Resource& resource, std::string_view name_space);

// The object of an entry; they share ownership. REQUIRES: not deleted.
api::ObjectPtr object_of(store::EntryPtr entry);
const api::Object& object_in(const store::Entry& entry);
// The previous object of an event, at the event's revision: for watchers whose selector no longer
// matches, and for deletions.
api::ObjectPtr last_state(const store::Event& event);

// An object's text for the store, which inserts the revision.
struct StoredText {
  std::string json;
  size_t stamp_at = 0;

  // Whether the stored text is the same except for the revision.
  bool same_as(std::string_view stored) const;
  // The text at that revision, for responses without a write. Empty: without a resourceVersion.
  std::string at(std::string_view resource_version) const;
};

// In canonical form. Consumes the document.
Result<StoredText> encode_for_store(json::Document document, const api::Type& type);

}  // namespace proa::apiserver
