#include "apiserver/objects/stored_check.h"

#include "api/object/edit.h"
#include "json/parse.h"

namespace proa::apiserver {
namespace stored_check {

// Null: the key is of no resource.
const api::Resource* resource_of(std::string_view key, const api::Schema& schema) {
  const api::Resource* found = nullptr;
  for (const api::Resource* resource : schema.resources()) {
    if (resource->key_prefix.empty() || resource->stored != resource) continue;
    if (!key.starts_with(resource->key_prefix)) continue;
    if (!key.substr(resource->key_prefix.size()).starts_with('/')) continue;
    // The longest prefix: some are within others.
    if (found == nullptr || found->key_prefix.size() < resource->key_prefix.size())
      found = resource;
  }
  return found;
}

std::string shown(api::View text) {
  return text.exists() ? "\"" + std::string(text.text()) + "\"" : "none";
}

}  // namespace stored_check

std::optional<std::string> stored_problem(const store::Entry& entry, const api::Schema& schema) {
  const api::Resource* resource = stored_check::resource_of(entry.key(), schema);
  if (resource == nullptr) return std::nullopt;
  const Result<json::Document> parsed = json::parse(entry.value());
  if (!parsed || !parsed->root().is(json::Kind::kObject)) {
    return std::string(entry.key()) + " is not a JSON object";
  }
  const api::View object = parsed->root();
  const struct {
    const char* field;
    std::string_view wanted;
  } checks[] = {{"kind", resource->type->name}, {"apiVersion", resource->type->group_version}};
  for (const auto& check : checks) {
    const api::View found = object[std::string_view(check.field)];
    if (found.text() == check.wanted) continue;
    return std::string(entry.key()) + " has " + check.field + " " + stored_check::shown(found) +
           " instead of \"" + std::string(check.wanted) + "\"";
  }
  return std::nullopt;
}

Result<StoredText> repaired_text(const store::Entry& entry, const api::Schema& schema) {
  const api::Resource* resource = stored_check::resource_of(entry.key(), schema);
  json::Document document = TRY(json::parse(entry.value()));
  if (resource == nullptr || !document.root().is(json::Kind::kObject)) {
    return Status(Reason::kInvalid, "it is not an object");
  }
  const api::Edit object(document);
  object.set("kind", resource->type->name);
  object.set("apiVersion", resource->type->group_version);
  return encode_for_store(std::move(document), *resource->type);
}

}  // namespace proa::apiserver
