#include "api/validation/configuration.h"

#include <algorithm>
#include <vector>

#include "api/codec/json/decode.h"
#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "api/schema/parse.h"
#include "api/validation/go_text.h"
#include "base/strings.h"

namespace proa::api {
namespace configuration {

Status refused(std::string why) { return {Reason::kInvalid, std::move(why)}; }

// Upstream's rule to distinguish JSON from YAML.
bool is_json(std::string_view text) { return trim(text).starts_with('{'); }

Result<void> check_kind(View document, const ConfigurationKind& wanted) {
  const std::string_view kind = document["kind"].text();
  const std::string_view version = document["apiVersion"].text();
  if (kind.empty()) return refused("Object 'Kind' is missing");
  if (version.empty()) return refused("Object 'apiVersion' is missing");
  const bool known = std::ranges::find(wanted.versions, version) != wanted.versions.end();
  if (known && kind == wanted.kind) return {};
  return refused("no kind " + quoted(kind) + " is registered for version " + quoted(version));
}

}  // namespace configuration

Schema configuration_schema(std::string_view text) {
  std::vector<SchemaFile> files;
  for (const SchemaFile& file : builtin_schema_files()) {
    if (file.name == "meta_v1") files.push_back(file);
  }
  files.push_back({.name = "configuration", .text = text});
  Result<Schema> parsed = parse_schema(files);
  CHECK(parsed.ok());
  return std::move(parsed).value();
}

Result<json::Document> read_configuration(std::string_view text, const Schema& schema,
                                          const ConfigurationKind& wanted) {
  const Type* type = schema.find_kind(wanted.versions.front(), wanted.kind);
  CHECK(type != nullptr);
  const auto parse = configuration::is_json(text) ? parse_json_body : parse_yaml_body;
  ParsedBody body = TRY(parse(text, nullptr));
  TRY(configuration::check_kind(body.document.root(), wanted));
  Decoded decoded = TRY(decode_parsed(std::move(body), *type, FieldValidation::kStrict));
  return std::move(decoded.document);
}

}  // namespace proa::api
