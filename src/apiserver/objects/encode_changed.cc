#include "apiserver/objects/encode_changed.h"

#include "api/codec/json/decode_touched.h"
#include "api/object/edit.h"
#include "json/print.h"

namespace proa::apiserver {
namespace encode_changed_text {

// The size of most pods; avoids repeated growth of the buffer, which is freed after the commit.
constexpr size_t kUsualSize = 2048;

}  // namespace encode_changed_text

Result<StoredText> encode_changed(json::Document& document, const api::Type& type,
                                  std::span<const std::string_view> changed) {
  // Canonical text omits empty fields, so this is a placeholder for the revision.
  api::Edit(document).object("metadata").set("resourceVersion", "0");
  document =
      TRY(api::decode_touched(std::move(document), type, api::FieldValidation::kIgnore, changed))
          .document;
  StoredText text;
  text.json.reserve(encode_changed_text::kUsualSize);
  json::print_to(text.json, document.root());
  text.stamp_at = api::resource_version_position(text.json);
  text.json.erase(text.stamp_at, 1);
  return text;
}

}  // namespace proa::apiserver
