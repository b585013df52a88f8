#include "kinds/convert_with.h"

#include "api/codec/json/decode.h"
#include "api/schema/builtin.h"

namespace proa::kinds {

Result<json::Document> convert_with(void (*fill)(api::View object, api::Edit converted),
                                    const json::Document& object, std::string_view to,
                                    std::string_view kind) {
  json::Document converted;
  converted.root() = json::Value::object();
  const api::Edit edit(converted);
  edit.set("kind", kind);
  edit.set("apiVersion", to);
  edit.copy("metadata", api::View(object.root())["metadata"]);
  fill(object.root(), edit);
  const api::Type* type = api::builtin_schema().find_kind(to, kind);
  CHECK(type != nullptr);
  api::Decoded decoded =
      TRY(api::decode_document(std::move(converted), *type, api::FieldValidation::kIgnore));
  return std::move(decoded.document);
}

}  // namespace proa::kinds
