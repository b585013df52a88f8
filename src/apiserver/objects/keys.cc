#include "apiserver/objects/keys.h"

#include "apiserver/objects/encode_changed.h"

namespace proa::apiserver {
namespace keys {

// An object attached to its entry, which owns the text.
struct StoredObject final : store::Companion {
  explicit StoredObject(std::string_view json) : object(json) {}
  const api::Object object;
};

// An object attached to its tombstone, which has no text.
struct LastState final : store::Companion {
  explicit LastState(std::string json) : text(std::move(json)), object(text) {}
  const std::string text;
  const api::Object object;
};

}  // namespace keys

std::string key_of(const api::Resource& resource, std::string_view name_space,
                   std::string_view name) {
  std::string key = prefix_of(resource, name_space);
  key.append(name);
  return key;
}

std::string prefix_of(const api::Resource& resource, std::string_view name_space) {
  std::string prefix;
  prefix.reserve(resource.key_prefix.size() + name_space.size() + 66);
  prefix.append(resource.key_prefix).append("/");
  if (resource.namespaced && !name_space.empty()) prefix.append(name_space).append("/");
  return prefix;
}

const api::Object& object_in(const store::Entry& entry) {
  const store::Companion* companion = entry.companion();
  if (companion == nullptr) {
    companion = entry.attach(std::make_unique<const keys::StoredObject>(entry.value()));
  }
  return static_cast<const keys::StoredObject*>(companion)->object;
}

api::ObjectPtr object_of(store::EntryPtr entry) {
  const api::Object* object = &object_in(*entry);
  return {std::move(entry), object};
}

api::ObjectPtr last_state(const store::Event& event) {
  const auto text = [&] {
    return api::with_resource_version(event.previous->value(),
                                      std::to_string(event.entry->mod_revision().value));
  };
  // A live entry already has its own companion.
  if (!event.entry->deleted()) return api::Object::make(text());
  const store::Companion* companion = event.entry->companion();
  if (companion == nullptr) {
    companion = event.entry->attach(std::make_unique<const keys::LastState>(text()));
  }
  return {event.entry, &static_cast<const keys::LastState*>(companion)->object};
}

bool StoredText::same_as(std::string_view stored) const {
  if (stored.substr(0, stamp_at) != std::string_view(json).substr(0, stamp_at)) return false;
  const size_t end = stored.find('"', stamp_at);
  return end != std::string_view::npos &&
         stored.substr(end) == std::string_view(json).substr(stamp_at);
}

std::string StoredText::at(std::string_view resource_version) const {
  std::string text;
  text.reserve(json.size() + resource_version.size());
  const std::string_view all(json);
  if (resource_version.empty()) {
    constexpr std::string_view kMember = R"("resourceVersion":"",)";
    constexpr size_t kBefore = kMember.size() - 2;  // up to the digits
    text.append(all.substr(0, stamp_at - kBefore)).append(all.substr(stamp_at + 2));
    return text;
  }
  text.append(all.substr(0, stamp_at)).append(resource_version).append(all.substr(stamp_at));
  return text;
}

Result<StoredText> encode_for_store(json::Document document, const api::Type& type) {
  return encode_changed(document, type, {});
}

}  // namespace proa::apiserver
