#include "apiserver/resources/write/body.h"

#include "api/codec/json/stated_kind.h"
#include "api/codec/protobuf/envelope.h"
#include "api/object/edit.h"
#include "apiserver/objects/encode_changed.h"
#include "apiserver/request/kind_mismatch.h"
#include "apiserver/resources/write/custom.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "json/print.h"

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

Status bad(std::string message) { return {Reason::kBadRequest, std::move(message)}; }

// The beginning of a body, as upstream shows it: JSON as it is, other bytes as hexadecimal digits.
std::string summary(std::string_view bytes) {
  constexpr size_t kMost = 30;
  if (bytes.empty()) return "<empty>";
  const std::string_view shown = bytes.substr(0, kMost);
  std::string text = bytes.front() == '{' ? std::string(shown) : to_hex(shown);
  return shown.size() < bytes.size() ? text + " ..." : text;
}

// A body whose kind cannot be read.
Status unrecognized(const api::Type& wanted, const Status& why, std::string_view bytes) {
  if (!why.is(Reason::kBadRequest)) return why;
  return bad("the object provided is unrecognized (must be of type " + std::string(wanted.name) +
             "): " + why.message() + " (" + summary(bytes) + ")");
}

// Absent parts are those of the wanted kind.
void complete(api::StatedKind& stated, const api::Type& wanted) {
  if (stated.kind.empty()) stated.kind = wanted.name;
  const auto halves = split_once(wanted.group_version, '/');
  const std::string_view group = halves ? halves->before : std::string_view();
  if (stated.version().empty() && (stated.group().empty() || stated.group() == group)) {
    stated.api_version = wanted.group_version;
  }
}

// Upstream converts between kinds of the same name: between the versions of a group, and the two
// Events.
bool is_convertible(const api::Type& type, const api::Type& wanted) {
  return type.name == wanted.name;
}

Status not_handled(const Status& why, const api::Type& wanted) {
  if (!why.is(Reason::kBadRequest)) return why;
  const auto halves = split_once(wanted.group_version, '/');
  return api::cannot_be_handled(wanted.name, halves ? halves->after : wanted.group_version,
                                wanted.name, why);
}

// Upstream knows custom kinds by their objects only: these must say what they are.
Result<void> check_custom(const api::StatedKind& stated, const api::Type& wanted,
                          const api::ParsedBody& parsed, std::string_view bytes) {
  const std::string text(parsed.text());
  if (stated.kind.empty()) {
    return unrecognized(wanted, bad("Object 'Kind' is missing in '" + text + "'"), bytes);
  }
  if (stated.api_version.empty()) {
    return api::cannot_be_handled(stated.kind, "", wanted.name,
                                  bad("Object 'apiVersion' is missing in '" + text + "'"));
  }
  if (stated.api_version != wanted.group_version) {
    return bad("the API version in the data (" + stated.api_version +
               ") does not match the expected API version (" + std::string(wanted.group_version) +
               ")");
  }
  return check_custom_kind(stated, wanted, parsed.document.root());
}

// Evictions of policy/v1beta1 are still accepted, as upstream. They differ in nothing else.
bool is_older_eviction(const api::StatedKind& stated, const api::Type& wanted) {
  return stated.api_version == "policy/v1beta1" && stated.kind == "Eviction" &&
         wanted.group_version == "policy/v1" && wanted.name == "Eviction";
}

// The type that a body of that kind is decoded as. Fails as upstream.
Result<const api::Type*> find_type(const api::StatedKind& stated, const api::Type& wanted,
                                   const api::Schema& schema, std::string_view text) {
  if (stated.kind == wanted.name && stated.api_version == wanted.group_version) return &wanted;
  if (stated.version().empty()) {
    return bad("Object 'apiVersion' is missing in '" + std::string(text) + "'");
  }
  if (is_older_eviction(stated, wanted)) return &wanted;
  const api::Type* type = schema.find_kind(stated.api_version, stated.kind);
  if (type == nullptr) return bad(kind_mismatch(stated, wanted, schema));
  return type;
}

// After a body of another kind was decoded as what it is.
Result<void> check_converted(const api::StatedKind& stated, const api::Type& type,
                             const api::Type& wanted, const api::Schema& schema) {
  if (&type == &wanted) return {};
  if (is_convertible(type, wanted)) {
    return bad("the API version in the data (" + stated.api_version +
               ") does not match the expected API version (" + std::string(wanted.group_version) +
               ")");
  }
  return api::cannot_be_handled(stated.kind, stated.version(), wanted.name,
                                bad(kind_mismatch(stated, wanted, schema)));
}

Result<api::Decoded> from_json(api::ParsedBody parsed, std::string_view bytes,
                               const api::Type& wanted, const api::Schema& schema,
                               api::FieldValidation validation, Budget* budget) {
  Result<api::StatedKind> stated = api::stated_kind(parsed.document.root());
  if (!stated) return unrecognized(wanted, stated.status(), bytes);
  // Components of this process need not say it.
  if (wanted.open && !parsed.text().empty()) TRY(check_custom(*stated, wanted, parsed, bytes));
  complete(*stated, wanted);
  const Result<const api::Type*> type = find_type(*stated, wanted, schema, parsed.text());
  const auto explained = [&](const Status& why) {
    if (!why.is(Reason::kBadRequest)) return why;
    return api::cannot_be_handled(stated->kind, stated->version(), wanted.name, why);
  };
  if (!type) return explained(type.status());
  Result<api::Decoded> decoded = api::decode_parsed(std::move(parsed), **type, validation, budget);
  if (!decoded) return explained(decoded.status());
  TRY(check_converted(*stated, **type, wanted, schema));
  return decoded;
}

Result<api::Decoded> from_protobuf(std::string_view bytes, const api::Type& wanted,
                                   const api::Schema& schema, Budget* budget) {
  const Result<api::Envelope> envelope = api::open_envelope(bytes);
  if (!envelope) return unrecognized(wanted, envelope.status(), bytes);
  api::StatedKind stated{std::string(envelope->meta.api_version), std::string(envelope->meta.kind)};
  complete(stated, wanted);
  const auto explained = [&](const Status& why) {
    if (!why.is(Reason::kBadRequest)) return why;
    return api::cannot_be_handled(stated.kind, stated.version(), wanted.name, why);
  };
  const Result<const api::Type*> type = find_type(stated, wanted, schema, {});
  if (!type) return explained(type.status());
  if (!(*type)->has_proto) return explained(bad(api::unknown_kind(envelope->meta)));
  Result<json::Document> document =
      api::from_protobuf(envelope->raw, **type, schema,
                         {.api_version = (*type)->group_version, .kind = (*type)->name}, budget);
  if (!document) return explained(document.status());
  TRY(check_converted(stated, **type, wanted, schema));
  return api::Decoded{std::move(*document), {}};
}

void name_kind(json::Document& document, const api::Type& type) {
  const api::Edit object(document);
  object.set("kind", type.name);
  object.set("apiVersion", type.group_version);
}

// What only the server sets: upstream's rest.WipeObjectMetaSystemFields. A binding's uid is a
// precondition, and so is a token request's.
void wipe_system_fields(json::Document& document, const Request& request) {
  if (request.subresource != nullptr &&
      (request.subresource->name == "binding" || request.subresource->name == "token")) {
    return;
  }
  const api::Edit object(document);
  if (!object["metadata"].is(json::Kind::kObject)) return;
  const api::Edit metadata = object.existing("metadata");
  for (const char* field : {"creationTimestamp", "uid", "deletionTimestamp",
                            "deletionGracePeriodSeconds", "selfLink"}) {
    metadata.remove(field);
  }
}

// For the audit, as upstream's LogRequestObject: with defaults, although its documentation says
// otherwise. `budget`: what the request may cost; the audit may cost as much again. REQUIRES: the
// request is audited.
void note(const json::Document& document, const Request& request, const api::Type& type,
          const ApiContext& context, Budget budget) {
  const std::shared_ptr<AuditNotes>& notes = request.audit;
  const api::View metadata = api::View(document.root())["metadata"];
  notes->note_names(metadata);
  if (!notes->wants_object()) return;
  if (!budget.holds(document.memory())) return notes->leave_out_object();
  json::Document copy = document.copy();
  context.defaulting.apply(api::Edit(copy), type, &budget);
  if (budget.exceeded()) return notes->leave_out_object();
  // Makes the copy canonical.
  const Result<StoredText> encoded = encode_changed(copy, type, {});
  const std::string_view version = metadata["resourceVersion"].text();
  std::string text;
  if (!encoded) {
    text = json::print(document.root());
  } else if (!version.empty()) {
    text = encoded->at(version);
  } else {
    // Stored objects have more members after it, which at() relies on.
    if (api::View(copy.root())["metadata"].exists())
      api::Edit(copy).existing("metadata").remove("resourceVersion");
    text = json::print(copy.root());
  }
  if (!budget.holds(text.size())) return notes->leave_out_object();
  notes->note_object(std::move(text), std::move(budget));
}

}  // namespace body

Result<api::Decoded> decode_body(std::string_view content_type, std::string_view bytes,
                                 const api::Type& wanted, const api::Schema& schema,
                                 api::FieldValidation validation, Budget* budget) {
  const body::Format format = TRY(body::format_of(content_type));
  if (format == body::Format::kProtobuf) return body::from_protobuf(bytes, wanted, schema, budget);
  const bool yaml = format == body::Format::kYaml;
  Result<api::ParsedBody> parsed =
      yaml ? api::parse_yaml_body(bytes, budget) : api::parse_json_body(bytes, budget);
  if (!parsed) {
    const Status& why = parsed.status();
    return body::unrecognized(wanted, yaml ? why : api::unreadable_kind(why), bytes);
  }
  api::Decoded decoded =
      TRY(body::from_json(std::move(*parsed), bytes, wanted, schema, validation, budget));
  body::name_kind(decoded.document, wanted);
  return decoded;
}

Result<Body> read_body(Call& call, const api::Type& wanted, const ApiContext& context) {
  const api::Schema& schema = context.schema;
  Payload& payload = call.payload;
  const api::FieldValidation validation = call.write().validation;
  // Problems of a custom object are reported together with what its schema does not know.
  const bool later = wanted.open && validation == api::FieldValidation::kStrict;
  const api::FieldValidation at_once = later ? api::FieldValidation::kWarn : validation;
  const auto decode = [&]() -> Result<api::Decoded> {
    if (!payload.document) {
      return decode_body(payload.content_type, payload.bytes.view(), wanted, schema, at_once,
                         &payload.budget);
    }
    api::ParsedBody parsed{.document = std::move(*payload.document), .source = {}, .converted = {}};
    api::Decoded decoded =
        TRY(body::from_json(std::move(parsed), {}, wanted, schema, at_once, nullptr));
    body::name_kind(decoded.document, wanted);
    return decoded;
  };
  api::Decoded decoded = TRY(decode());
  if (&wanted == call.request.resource->type) {
    const Result<void> settled =
        settle_custom(call.request, decoded.document, validation, decoded.warnings, payload.budget);
    if (!settled) return body::not_handled(settled.status(), wanted);
    const bool is_valid = decoded.warnings.empty() && decoded.duplicate_lines.empty();
    if (validation == api::FieldValidation::kStrict && !is_valid) {
      return body::not_handled(
          api::strict_decoding_error(decoded.warnings, decoded.duplicate_lines), wanted);
    }
  }
  for (std::string& line : decoded.duplicate_lines) call.request.warn(std::move(line));
  for (std::string& warning : decoded.warnings) call.request.warn(std::move(warning));
  if (call.request.audit != nullptr)
    body::note(decoded.document, call.request, wanted, context, payload.budget);
  if (call.request.verb == api::Verb::kCreate)
    body::wipe_system_fields(decoded.document, call.request);
  return Body{std::move(decoded.document), std::move(payload.budget)};
}

Result<json::Document> read_document(Call& call, const api::Type& wanted,
                                     const ApiContext& context) {
  Body body = TRY(read_body(call, wanted, context));
  call.payload.budget = std::move(body.budget);
  return std::move(body.document);
}

Result<json::Document> decode_any_version(const Payload& payload, const api::Type& wanted,
                                          const api::Schema& schema) {
  const std::string_view bytes = payload.bytes.view();
  const body::Format format = TRY(body::format_of(payload.content_type));
  Budget budget = payload.budget;
  if (format == body::Format::kProtobuf) {
    const api::Envelope envelope = TRY(api::open_envelope(bytes));
    if (!envelope.meta.kind.empty() && envelope.meta.kind != wanted.name) {
      return body::bad(api::unknown_kind(envelope.meta));
    }
    return api::from_protobuf(envelope.raw, wanted, schema, envelope.meta, &budget);
  }
  const bool yaml = format == body::Format::kYaml;
  Result<api::ParsedBody> parsed =
      yaml ? api::parse_yaml_body(bytes, &budget) : api::parse_json_body(bytes, &budget);
  if (!parsed) return yaml ? parsed.status() : api::unreadable_kind(parsed.status());
  const api::StatedKind stated = TRY(api::stated_kind(parsed->document.root()));
  if (!stated.kind.empty() && stated.kind != wanted.name) {
    const api::TypeMeta meta{.api_version = stated.api_version, .kind = stated.kind};
    return body::bad(api::unknown_kind(meta));
  }
  api::Decoded decoded =
      TRY(api::decode_parsed(std::move(*parsed), wanted, api::FieldValidation::kIgnore, &budget));
  return std::move(decoded.document);
}

}  // namespace proa::apiserver
