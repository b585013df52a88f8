#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"

namespace proa::controllers {

// What an object says about its owners and its deletion, and how to change that. Touches nothing.

inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

// One of metadata.ownerReferences: views into the object's text.
struct OwnerReference {
  std::string_view api_version;
  std::string_view kind;
  std::string_view name;
  std::string_view uid;
  bool blocks = false;  // the owner, deleted in the foreground, waits for this object
};
std::vector<OwnerReference> owner_references(const api::Object& object);
// Their text as it stands in the object; empty when it has none. The same text: the same owners.
std::string_view owner_references_text(const api::Object& object);

bool has_finalizer(const api::Object& object, std::string_view finalizer);

// How an object is being deleted, as far as its dependents are concerned.
enum class Deletion : uint8_t {
  kNone,        // not at all
  kBackground,  // they are looked at when it is gone
  kForeground,  // it waits for them
  kOrphan,      // they must forget it first
};
Deletion deletion_of(const api::Object& object);

// A merge patch that takes off some owners, of exactly this state of the object; empty when it has
// none of them.
std::string patch_without_owners(const api::Object& object,
                                 const std::function<bool(const OwnerReference&)>& goes);
// The same for a finalizer.
std::string patch_without_finalizer(const api::Object& object, std::string_view finalizer);

}  // namespace proa::controllers
