#include "apiserver/representation/table/partial.h"

#include "api/codec/protobuf/to_protobuf.h"
#include "base/check.h"
#include "json/parse.h"
#include "json/text/scan.h"

namespace proa::apiserver {

namespace partial {

constexpr std::string_view kKind = "PartialObjectMetadata";
constexpr std::string_view kListKind = "PartialObjectMetadataList";

const api::Type& find_meta(const api::Schema& schema, std::string_view name) {
  const api::Type* type =
      schema.find_openapi("io.k8s.apimachinery.pkg.apis.meta.v1." + std::string(name));
  CHECK(type != nullptr);
  return *type;
}

// The text from the metadata on; empty if there is none. Stored objects begin with kind and
// apiVersion, so little is skipped.
std::string_view from_metadata(std::string_view object) {
  constexpr std::string_view kKey = ",\"metadata\":";
  const std::string_view version = json::Scan::find(object, "apiVersion");
  if (!version.empty()) {
    const std::string_view rest =
        object.substr(static_cast<size_t>(version.data() + version.size() - object.data()));
    if (rest.starts_with(kKey)) return rest.substr(kKey.size());
  }
  return json::Scan::find(object, "metadata");
}

// Encodes JSON of a type as the field of that number.
Result<void> write_message(api::ReverseWriter& out, uint32_t number, std::string_view json,
                           const api::Type& type) {
  const json::Document document = TRY(json::parse(json));
  const size_t mark = out.size();
  TRY(api::write_protobuf(out, document.root(), type));
  out.end_message(number, mark);
  return {};
}

// Wraps the message in `out` in a runtime.Unknown envelope.
std::string enveloped(api::ReverseWriter& message, std::string_view kind,
                      std::string_view version) {
  constexpr std::string_view kMagic("k8s\0", 4);
  api::ReverseWriter out;
  out.bytes_field(4, "");
  out.bytes_field(3, "");
  out.bytes_field(2, message.take());
  const size_t mark = out.size();
  out.bytes_field(2, kind);
  out.bytes_field(1, "meta.k8s.io/" + std::string(version));
  out.end_message(1, mark);
  out.bytes(kMagic);
  return out.take();
}

}  // namespace partial

MetadataText find_metadata(std::string_view object) {
  MetadataText found;
  const std::string_view text = partial::from_metadata(object);
  if (!text.starts_with('{')) return found;
  // Members are scanned once; the metadata ends with the last one.
  const char* end = text.data() + 1;
  json::Scan members(text);
  while (const auto member = members.next_member()) {
    if (member->key == "managedFields") found.managed_fields = member->value;
    if (member->key == "resourceVersion") {
      found.resource_version = json::Scan::unquoted(member->value);
    }
    end = member->value.data() + member->value.size();
  }
  found.all = text.substr(0, static_cast<size_t>(end - text.data()) + 1);
  return found;
}

void write_partial(std::string& out, std::string_view metadata, std::string_view version) {
  write_meta_kind(out, partial::kKind, version);
  out.append("\"metadata\":").append(metadata).append("}");
}

std::string partial_json(std::string_view object, std::string_view version) {
  std::string text;
  write_partial(text, find_metadata(object).all, version);
  return text;
}

Result<std::string> partial_protobuf(std::string_view object, std::string_view version,
                                     const api::Schema& schema) {
  api::ReverseWriter out;
  TRY(partial::write_message(out, 1, find_metadata(object).all,
                             partial::find_meta(schema, "ObjectMeta")));
  return partial::enveloped(out, partial::kKind, version);
}

PartialListJson::PartialListJson(const ListHead& head, std::string_view version)
    : version_(version) {
  write_meta_kind(text_, partial::kListKind, version_);
  text_ += "\"metadata\":";
  write_list_head(text_, head);
  text_ += ",\"items\":";
}

void PartialListJson::add(std::string_view object) {
  text_ += empty_ ? '[' : ',';
  empty_ = false;
  write_partial(text_, find_metadata(object).all, version_);
}

std::string PartialListJson::take() {
  // Upstream has no empty list there.
  text_ += empty_ ? "null}" : "]}";
  return std::move(text_);
}

PartialListProtobuf::PartialListProtobuf(const ListHead& head, std::string_view version,
                                         const api::Schema& schema)
    : object_meta_(partial::find_meta(schema, "ObjectMeta")),
      list_meta_(partial::find_meta(schema, "ListMeta")),
      version_(version) {
  write_list_head(head_, head);
}

Result<void> PartialListProtobuf::add(std::string_view object) {
  api::ReverseWriter out;
  TRY(partial::write_message(out, 1, find_metadata(object).all, object_meta_));
  out.end_message(2, 0);
  items_ += out.take();
  return {};
}

Result<std::string> PartialListProtobuf::take() {
  api::ReverseWriter out;
  out.bytes(items_);
  TRY(partial::write_message(out, 1, head_, list_meta_));
  return partial::enveloped(out, partial::kListKind, version_);
}

}  // namespace proa::apiserver
