#include "apiserver/resources/write/body.h"

#include "api/codec/protobuf/envelope.h"
#include "api/object/edit.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/yaml.h"

namespace proa::apiserver {
namespace body {

enum class Format : uint8_t { kJson, kYaml, kProtobuf };

Result<Format> format_of(std::string_view content_type) {
  const auto halves = split_once(content_type, ';');
  const std::string media = to_lower(trim(halves ? halves->before : content_type));
  if (media.empty() || media == "application/json") return Format::kJson;
  if (media == "application/yaml") return Format::kYaml;
  if (media == "application/vnd.kubernetes.protobuf") return Format::kProtobuf;
  return Status(Reason::kUnsupportedMediaType,
                "the body of the request was in an unknown format - accepted media types include: "
                "application/json, application/yaml, application/vnd.kubernetes.protobuf");
}

struct StatedKind {
  std::string api_version;
  std::string kind;
};

std::string_view version_of(std::string_view api_version) {
  const auto halves = split_once(api_version, '/');
  return halves ? halves->after : api_version;
}

// Checks that the body has the kind of the path. Unknown kinds and mismatches have different
// messages.
Result<void> check_kind(const StatedKind& stated, const api::Type& wanted,
                        const api::Schema& schema) {
  if (stated.kind == wanted.name && stated.api_version == wanted.group_version) return {};
  if (schema.find_kind(stated.api_version, stated.kind) == nullptr) {
    const api::TypeMeta meta{.api_version = stated.api_version, .kind = stated.kind};
    return Status(Reason::kBadRequest, api::unknown_kind(meta));
  }
  if (stated.api_version == wanted.group_version) {
    const std::string from = stated.api_version.substr(stated.api_version.rfind('/') + 1);
    const std::string_view group = stated.api_version.find('/') == std::string::npos
                                       ? std::string_view("core")
                                       : std::string_view(stated.api_version)
                                             .substr(0, stated.api_version.find_first_of("./"));
    return api::cannot_be_handled(
        stated.kind, from, wanted.name,
        {Reason::kBadRequest, "converting (" + from + "." + stated.kind + ") to (" +
                                  std::string(group) + "." + std::string(wanted.name) +
                                  "): unknown conversion"});
  }
  return Status(Reason::kBadRequest, "the API version in the data (" + stated.api_version +
                                         ") does not match the expected API version (" +
                                         std::string(wanted.group_version) + ")");
}

Result<StatedKind> stated_kind(const api::View& document, const api::Type& wanted) {
  StatedKind stated{std::string(document["apiVersion"].text()),
                    std::string(document["kind"].text())};
  if (stated.api_version.empty()) stated.api_version = wanted.group_version;
  if (stated.kind.empty()) stated.kind = wanted.name;
  return stated;
}

Status not_decoded(const api::Type& wanted, const Status& why) {
  // The text is not at fault.
  if (!why.is(Reason::kBadRequest)) return why;
  return api::cannot_be_handled(wanted.name, version_of(wanted.group_version), wanted.name, why);
}

Result<Body> of_wanted_kind(api::Decoded decoded, const api::Type& wanted,
                            const api::Schema& schema, Budget budget) {
  const StatedKind stated = TRY(stated_kind(decoded.document.root(), wanted));
  TRY(check_kind(stated, wanted, schema));
  const api::Edit object(decoded.document);
  object.set("kind", wanted.name);
  object.set("apiVersion", wanted.group_version);
  return Body{std::move(decoded.document), std::move(decoded.warnings), std::move(budget)};
}

Result<Body> from_protobuf(std::string_view bytes, const api::Type& wanted,
                           const api::Schema& schema, Budget budget) {
  const api::Envelope envelope = TRY(api::open_envelope(bytes));
  StatedKind stated{std::string(envelope.meta.api_version), std::string(envelope.meta.kind)};
  if (stated.api_version.empty()) stated.api_version = wanted.group_version;
  if (stated.kind.empty()) stated.kind = wanted.name;
  TRY(check_kind(stated, wanted, schema));
  json::Document document =
      TRY(api::from_protobuf(envelope.raw, wanted, schema,
                             {.api_version = wanted.group_version, .kind = wanted.name}, &budget));
  return Body{std::move(document), {}, std::move(budget)};
}

}  // namespace body

Result<Body> decode_body(std::string_view content_type, std::string_view bytes,
                         const api::Type& wanted, const api::Schema& schema,
                         api::FieldValidation validation, Budget budget) {
  const body::Format format = TRY(body::format_of(content_type));
  if (format == body::Format::kProtobuf) {
    return body::from_protobuf(bytes, wanted, schema, std::move(budget));
  }
  const bool yaml = format == body::Format::kYaml;
  Result<api::Decoded> decoded = yaml ? api::decode_yaml(bytes, wanted, validation, &budget)
                                      : api::decode_json(bytes, wanted, validation, &budget);
  if (!decoded) return body::not_decoded(wanted, decoded.status());
  return body::of_wanted_kind(std::move(*decoded), wanted, schema, std::move(budget));
}

Result<Body> decode_body(Payload& payload, const api::Type& wanted, const api::Schema& schema,
                         api::FieldValidation validation) {
  if (!payload.document) {
    return decode_body(payload.content_type, payload.bytes.view(), wanted, schema, validation,
                       std::move(payload.budget));
  }
  Result<api::Decoded> decoded =
      api::decode_document(std::move(*payload.document), wanted, validation);
  if (!decoded) return body::not_decoded(wanted, decoded.status());
  return body::of_wanted_kind(std::move(*decoded), wanted, schema, std::move(payload.budget));
}

Result<json::Document> decode_any_version(const Payload& payload, const api::Type& wanted,
                                          const api::Schema& schema) {
  const std::string_view bytes = payload.bytes.view();
  const body::Format format = TRY(body::format_of(payload.content_type));
  Budget budget = payload.budget;
  if (format == body::Format::kProtobuf) {
    const api::Envelope envelope = TRY(api::open_envelope(bytes));
    if (!envelope.meta.kind.empty() && envelope.meta.kind != wanted.name) {
      return Status(Reason::kBadRequest, api::unknown_kind(envelope.meta));
    }
    return api::from_protobuf(envelope.raw, wanted, schema, envelope.meta, &budget);
  }
  constexpr api::FieldValidation kIgnore = api::FieldValidation::kIgnore;
  api::Decoded decoded =
      TRY(format == body::Format::kYaml ? api::decode_yaml(bytes, wanted, kIgnore, &budget)
                                        : api::decode_json(bytes, wanted, kIgnore, &budget));
  const api::View kind = api::View(decoded.document.root())["kind"];
  if (!kind.text().empty() && kind.text() != wanted.name) {
    return Status(Reason::kBadRequest,
                  "decoded object cannot be converted to " + std::string(wanted.name));
  }
  return std::move(decoded.document);
}

}  // namespace proa::apiserver
