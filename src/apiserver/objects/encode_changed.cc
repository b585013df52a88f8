#include "apiserver/objects/encode_changed.h"

#include "api/codec/json/from_json.h"
#include "api/object/edit.h"
#include "json/print.h"

namespace proa::apiserver {
namespace encode_changed_text {

// The size of most pods; avoids repeated growth of the buffer, which is freed after the commit.
constexpr size_t kUsualSize = 2048;

// Where upstream stores protobuf, which does not tell empty lists from absent ones.
bool is_protobuf_upstream(const api::Type& type) {
  return !type.group_version.starts_with("apiextensions.k8s.io/") &&
         !type.group_version.starts_with("apiregistration.k8s.io/");
}

}  // namespace encode_changed_text

Result<StoredText> encode_changed(json::Document& document, const api::Type& type,
                                  std::span<const std::string_view> changed) {
  // Canonical text omits empty fields, so this is a placeholder for the revision.
  api::Edit(document).object("metadata").set("resourceVersion", "0");
  Budget growth = Budget::for_growth(document.arena().reserved(), document.memory());
  api::FromJson canonical = TRY(api::from_json(
      std::move(document), type, growth,
      {.touched = changed, .empty_is_null = encode_changed_text::is_protobuf_upstream(type)}));
  document = std::move(canonical.document);
  StoredText text;
  text.json.reserve(encode_changed_text::kUsualSize);
  json::print_to(text.json, document.root());
  text.stamp_at = api::resource_version_position(text.json);
  text.json.erase(text.stamp_at, 1);
  return text;
}

}  // namespace proa::apiserver
