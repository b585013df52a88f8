#include "apiserver/resources/write/apply.h"

#include <algorithm>

#include "api/apply/managed/field_manager.h"
#include "api/patch/restore_error.h"
#include "apiserver/access/authz/attributes.h"
#include "apiserver/access/authz/authorizer.h"
#include "apiserver/request/failures.h"
#include "apiserver/resources/managed/managed.h"
#include "apiserver/resources/write/create.h"
#include "apiserver/resources/write/custom.h"
#include "apiserver/resources/write/preconditions.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "json/yaml.h"

namespace proa::apiserver {
namespace apply {

using json::Value;

Status malformed(std::string_view why) {
  return {Reason::kBadRequest, "error decoding YAML: " + std::string(why)};
}

// In the words of upstream's parser.
Status not_yaml(std::string_view why) {
  constexpr std::string_view kPrefix = "invalid YAML at ";
  if (why.starts_with(kPrefix)) why.remove_prefix(kPrefix.size());
  return malformed("error converting YAML to JSON: yaml: " + std::string(why));
}

bool has_fractions(const Value& value) {
  if (value.is(json::Kind::kDouble)) return true;
  return std::ranges::any_of(value.items(), has_fractions) ||
         std::ranges::any_of(value.members(), [](const json::Member& member) {
           return has_fractions(member.value);
         });
}

// Clients mostly send JSON, which is YAML, too, but read much faster. Nullopt if it is not JSON, or
// has duplicate keys, whose lines only YAML knows.
Result<std::optional<json::Document>> parse_as_json(std::string_view text, Budget& budget) {
  const size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || text[start] != '{') return std::nullopt;
  std::vector<std::string> duplicates;
  Result<json::Document> parsed = json::parse(text, {.duplicates = &duplicates, .budget = &budget});
  if (parsed && duplicates.empty()) return std::optional<json::Document>(std::move(*parsed));
  if (parsed || parsed.is(Reason::kBadRequest)) return std::nullopt;
  return parsed.status();
}

Result<json::Document> parse_as_yaml(const Call& call, Budget& budget) {
  std::vector<std::string> duplicates;
  Result<json::Document> parsed =
      json::parse_yaml(call.payload.bytes.view(), {.budget = &budget, .duplicates = &duplicates});
  if (!parsed)
    return parsed.is(Reason::kBadRequest) ? not_yaml(parsed.status().message()) : parsed.status();
  const api::FieldValidation validation = call.write().validation;
  if (duplicates.empty() || validation == api::FieldValidation::kIgnore) return parsed;
  const std::string why =
      "error converting YAML to JSON: yaml: unmarshal errors:\n  " + join(duplicates, "\n  ");
  if (validation == api::FieldValidation::kStrict)
    return Status(Reason::kBadRequest, "error strict decoding YAML: " + why);
  call.request.warn(why);
  return parsed;
}

std::string_view go_kind(const Value& value) {
  switch (value.kind()) {
    case json::Kind::kArray:
      return "array";
    case json::Kind::kString:
      return "string";
    case json::Kind::kBool:
      return "bool";
    default:
      return "number";
  }
}

Result<json::Document> read_config(const Call& call, Budget& budget) {
  if (call.payload.document) return call.payload.document->copy();
  std::optional<json::Document> config = TRY(parse_as_json(call.payload.bytes.view(), budget));
  if (!config) config = TRY(parse_as_yaml(call, budget));
  // Text turns 1.0 into an integer, as upstream's conversion of YAML to JSON does.
  if (has_fractions(config->root())) config = TRY(json::parse(json::print(config->root())));
  Value& root = config->root();
  if (root.is_null()) root = Value::object();
  if (root.is(json::Kind::kObject)) return std::move(*config);
  return malformed("error unmarshaling JSON: while decoding JSON: json: cannot unmarshal " +
                   std::string(go_kind(root)) + " into Go value of type map[string]interface {}");
}

// In upstream's words, if it has some.
Status not_convertible(const json::Document& merged, const api::Type& type, const Value& config,
                       const Status& why) {
  const std::string words = api::find_restore_error(merged.root(), type);
  return api::not_convertible(config, words.empty() ? why.message() : words);
}

// The user may patch, but that does not include creating.
Result<void> check_may_create(const ApiContext& context, const Request& request) {
  Request creation = request;
  creation.verb = api::Verb::kCreate;
  const Attributes attributes = attributes_of(creation);
  const Verdict verdict = context.authorizer.authorize(attributes);
  if (verdict.allowed()) return {};
  return forbidden(attributes, verdict.reason);
}

Result<Written> create(const ApiContext& context, const Call& call) {
  const Request& request = call.request;
  Body body = TRY(apply_config(context, call, managed_kind(context, request), nullptr));
  const std::string uid(api::View(body.document.root())["metadata"]["uid"].text());
  if (!uid.empty()) {
    return request.conflict("uid mismatch: the provided object specified uid " + uid +
                            ", and no existing object was found");
  }
  TRY(settle_namespace(request, api::Edit(body.document)));
  TRY(check_object_name(request, body.document.root()));
  TRY(check_may_create(context, request));
  return create_object(context, request, std::move(body), call.write(), Managers::kStated);
}

}  // namespace apply

Result<Body> apply_config(const ApiContext& context, const Call& call, const api::ManagedKind& kind,
                          const json::Value* live) {
  Budget budget = call.payload.budget;
  const json::Document config = TRY(apply::read_config(call, budget));
  const json::Document nothing = live == nullptr ? api::empty_object(kind) : json::Document();
  const auto merge = [&] {
    return api::apply_fields(kind, live == nullptr ? nothing.root() : *live, config.root(),
                             field_writer(context, call.write()),
                             call.write().force.value_or(false));
  };
  json::Document merged = TRY(merge());
  Result<api::Decoded> decoded =
      api::decode_document(std::move(merged), *kind.type, api::FieldValidation::kIgnore, &budget);
  if (decoded) {
    std::vector<std::string> problems;
    TRY(settle_custom(call.request, decoded->document, api::FieldValidation::kIgnore, problems,
                      budget));
    return Body{std::move(decoded->document), std::move(budget)};
  }
  if (!decoded.is(Reason::kBadRequest)) return decoded.status();
  // Again, since decoding took it apart.
  merged = TRY(merge());
  return apply::not_convertible(merged, *kind.type, config.root(), decoded.status());
}

Result<Written> apply_object(const ApiContext& context, const Call& call,
                             const UpdateRules& rules) {
  const Change merge = [&](const json::Document& old) {
    return apply_config(context, call, managed_kind(context, call.request), &old.root());
  };
  UpdateRules applying = rules;
  applying.managers = Managers::kStated;
  Result<Written> written = change_object(context, call.request, call.write(), applying, merge);
  if (!written.is(Reason::kNotFound) || call.request.subresource != nullptr) return written;
  Result<Written> created = apply::create(context, call);
  // Someone else created it meanwhile.
  if (!created.is(Reason::kAlreadyExists)) return created;
  return change_object(context, call.request, call.write(), applying, merge);
}

}  // namespace proa::apiserver
