#include "apiserver/access/admission/matching/versions.h"

#include <algorithm>

#include "apiserver/objects/conversion.h"
#include "kinds/conversion.h"

namespace proa::apiserver {
namespace object_versions {

bool is_in(api::View object, const Matched& matched) {
  if (!object) return true;
  const std::string_view version = object["apiVersion"].text();
  return version.empty() || version == matched.kind->group_version;
}

}  // namespace object_versions

Result<ObjectVersions::Objects> ObjectVersions::in(const Matched& matched) {
  const Objects own{subject_.object(), subject_.old()};
  if (object_versions::is_in(own.object, matched) && object_versions::is_in(own.old, matched)) {
    return own;
  }
  const auto known =
      std::ranges::find(converted_, matched.kind->group_version, &Converted::group_version);
  if (known != converted_.end()) return known->views;
  // Views refer to documents in their final place.
  Converted& made = converted_.emplace_back();
  const auto fill = [&]() -> Result<void> {
    made.views.object = TRY(convert(own.object, matched, made.object));
    made.views.old = TRY(convert(own.old, matched, made.old));
    made.group_version = matched.kind->group_version;
    return {};
  };
  if (const Result<void> filled = fill(); !filled) {
    converted_.pop_back();
    return filled.status();
  }
  return made.views;
}

Result<api::View> ObjectVersions::convert(api::View object, const Matched& matched,
                                          json::Document& kept) const {
  if (object_versions::is_in(object, matched)) return object;
  json::Arena arena;
  json::Value root = object.value()->copy(arena);
  json::Document copy(std::move(arena), std::move(root));
  if (subject_.resource().custom) {
    kept = TRY(convert_custom(std::move(copy), subject_.resource(), matched.kind->group_version));
  } else {
    kept = TRY(kinds::convert(copy, object["apiVersion"].text(), matched.kind->group_version,
                              matched.kind->name));
  }
  return api::View(kept.root());
}

}  // namespace proa::apiserver
