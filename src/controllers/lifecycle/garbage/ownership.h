#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"

namespace proa::controllers {

// Owner references and deletion state of an object, and patches for them. Pure functions.

inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

// One of metadata.ownerReferences: views into the object's text.
struct OwnerReference {
  std::string_view api_version;
  std::string_view kind;
  std::string_view name;
  std::string_view uid;
  bool blocks =
      false;  // blockOwnerDeletion: foreground deletion of the owner waits for this object
};
std::vector<OwnerReference> owner_references(const api::Object& object);
// The raw JSON of the owner references; empty if none. Equal text means equal owners.
std::string_view owner_references_text(const api::Object& object);

bool has_finalizer(const api::Object& object, std::string_view finalizer);

// The deletion policy of an object that is being deleted.
enum class Deletion : uint8_t {
  kNone,        // not being deleted
  kBackground,  // dependents are collected afterwards
  kForeground,  // it waits for its dependents
  kOrphan,      // dependents are orphaned first
};
Deletion deletion_of(const api::Object& object);

// A merge patch that removes owners, conditional on this resourceVersion; empty if it has none of
// them.
std::string patch_without_owners(const api::Object& object,
                                 const std::function<bool(const OwnerReference&)>& goes);
// The same for a finalizer.
std::string patch_without_finalizer(const api::Object& object, std::string_view finalizer);

}  // namespace proa::controllers
