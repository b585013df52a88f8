#include "controllers/lifecycle/garbage/ownership.h"

#include "json/print.h"
#include "json/text/scan.h"

namespace proa::controllers {
namespace ownership {

using json::Scan;

std::string_view metadata_text(const api::Object& object, std::string_view field) {
  return Scan::find(Scan::find(object.json(), "metadata"), field);
}

OwnerReference read_reference(std::string_view text) {
  OwnerReference reference;
  Scan scan(text);
  while (const auto member = scan.next_member()) {
    const std::string_view value = Scan::unquoted(member->value);
    if (member->key == "apiVersion") reference.api_version = value;
    if (member->key == "kind") reference.kind = value;
    if (member->key == "name") reference.name = value;
    if (member->key == "uid") reference.uid = value;
    if (member->key == "blockOwnerDeletion") reference.blocks = member->value == "true";
  }
  return reference;
}

// A patch that leaves those items of a list in the metadata that `goes` does not name.
std::string patch_list(const api::Object& object, std::string_view field,
                       const std::function<bool(std::string_view item)>& goes) {
  std::string left;
  bool changed = false;
  Scan scan(metadata_text(object, field));
  while (const auto item = scan.next_item()) {
    if (goes(*item)) {
      changed = true;
      continue;
    }
    if (!left.empty()) left += ",";
    left += *item;
  }
  if (!changed) return {};
  std::string patch = R"({"metadata":{"resourceVersion":)";
  json::print_string_to(patch, object.metadata().resource_version);
  patch.append(R"(,"uid":)");
  json::print_string_to(patch, object.metadata().uid);
  patch.append(",\"").append(field).append("\":");
  patch.append(left.empty() ? "null" : "[" + left + "]");
  return patch + "}}";
}

}  // namespace ownership

std::string_view owner_references_text(const api::Object& object) {
  return ownership::metadata_text(object, "ownerReferences");
}

std::vector<OwnerReference> owner_references(const api::Object& object) {
  std::vector<OwnerReference> references;
  json::Scan scan(owner_references_text(object));
  while (const auto item = scan.next_item()) {
    references.push_back(ownership::read_reference(*item));
  }
  return references;
}

bool has_finalizer(const api::Object& object, std::string_view finalizer) {
  if (!object.metadata().has_finalizers) return false;
  json::Scan scan(ownership::metadata_text(object, "finalizers"));
  while (const auto item = scan.next_item()) {
    if (json::Scan::unquoted(*item) == finalizer) return true;
  }
  return false;
}

Deletion deletion_of(const api::Object& object) {
  if (!object.metadata().being_deleted) return Deletion::kNone;
  // Who has both was asked for both: what forgets its owner in time is not lost.
  if (has_finalizer(object, kOrphanFinalizer)) return Deletion::kOrphan;
  if (has_finalizer(object, kForegroundFinalizer)) return Deletion::kForeground;
  return Deletion::kBackground;
}

std::string patch_without_owners(const api::Object& object,
                                 const std::function<bool(const OwnerReference&)>& goes) {
  return ownership::patch_list(object, "ownerReferences", [&](std::string_view item) {
    return goes(ownership::read_reference(item));
  });
}

std::string patch_without_finalizer(const api::Object& object, std::string_view finalizer) {
  return ownership::patch_list(object, "finalizers", [&](std::string_view item) {
    return json::Scan::unquoted(item) == finalizer;
  });
}

}  // namespace proa::controllers
