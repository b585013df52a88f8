#include "controllers/lifecycle/definitions/definition_status.h"

#include <algorithm>

#include "api/validation/field_errors.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "crypto/certificate.h"
#include "kinds/apiextensions/approval.h"
#include "kinds/apiextensions/structural_schema.h"

namespace proa::controllers::definitions {
namespace definition_status {

using api::Edit;
using api::View;

constexpr std::string_view kEstablished = "Established";
constexpr std::string_view kNonStructural = "NonStructuralSchema";

// As clients would trust it: at least one certificate, if any data.
bool is_ca_bundle_valid(View bundle) {
  if (bundle.text().empty()) return true;
  const std::optional<std::string> pem = from_base64(bundle.text());
  return pem && !crypto::Certificate::parse_all(*pem).empty();
}

// As upstream's aggregate of errors: each once.
std::string aggregate(const std::vector<std::string>& errors) {
  std::vector<std::string> once;
  for (const std::string& error : errors) {
    if (std::ranges::find(once, error) == once.end()) once.push_back(error);
  }
  return once.size() == 1 ? once.front() : "[" + join(once, ", ") + "]";
}

void put_texts(Edit names, std::string_view field, const std::vector<std::string>& texts) {
  if (texts.empty()) return names.remove(field);
  json::Value list = json::Value::array();
  for (const std::string& text : texts) {
    list.push_back(names.arena(), json::Value::string(names.arena(), text));
  }
  names.set(field, std::move(list));
}

void put_names(Edit status, const Names& accepted) {
  const Edit names = status.object("acceptedNames");
  names.set("plural", accepted.plural);
  names.set("singular", accepted.singular);
  put_texts(names, "shortNames", accepted.short_names);
  names.set("kind", accepted.kind);
  names.set("listKind", accepted.list_kind);
  put_texts(names, "categories", accepted.categories);
}

}  // namespace definition_status

std::optional<Condition> established_condition(api::View definition, bool names_accepted) {
  // Once established, it stays so: objects may exist.
  const api::View old = find_condition(definition["status"], definition_status::kEstablished);
  if (old["status"].text() == "True" || (old && !names_accepted)) return std::nullopt;
  Condition condition{.type = definition_status::kEstablished, .status = "False"};
  const api::View client = definition["spec"]["conversion"]["webhook"]["clientConfig"];
  if (!names_accepted) {
    condition.reason = "NotAccepted";
    condition.message = "not all names are accepted";
  } else if (!definition_status::is_ca_bundle_valid(client["caBundle"])) {
    condition.reason = "InvalidCABundle";
    condition.message = "The conversion webhook CABundle is invalid";
  } else {
    condition.status = "True";
    condition.reason = "InitialNamesAccepted";
    condition.message = "the initial names have been accepted";
  }
  return condition;
}

std::optional<Condition> schema_condition(api::View definition) {
  api::FieldErrors errors;
  const api::Path spec("spec");
  const api::View preserve = definition["spec"]["preserveUnknownFields"];
  if (preserve.flag()) {
    errors.invalid(spec.field("preserveUnknownFields"), preserve, "must be false");
  }
  const api::Path versions = spec.field("versions");
  size_t index = 0;
  for (const api::View version : definition["spec"]["versions"].items()) {
    const api::Path at = versions.index(index++);
    const api::View schema = version["schema"]["openAPIV3Schema"];
    if (!schema) continue;
    kinds::crd::validate_structural(schema, at.field("schema.openAPIV3Schema"), errors);
  }
  if (errors.empty()) return std::nullopt;
  return Condition{.type = definition_status::kNonStructural,
                   .status = "True",
                   .reason = "Violations",
                   .message = definition_status::aggregate(errors.texts())};
}

std::optional<Condition> approval_condition(api::View definition) {
  kinds::crd::ApprovalState state = kinds::crd::approval_of(definition);
  Condition condition{.type = "KubernetesAPIApprovalPolicyConformant",
                      .status = "False",
                      .reason = {},
                      .message = std::move(state.message)};
  switch (state.approval) {
    case kinds::crd::Approval::kNotNeeded:
      return std::nullopt;
    case kinds::crd::Approval::kMissing:
      condition.reason = "MissingAnnotation";
      break;
    case kinds::crd::Approval::kApproved:
      condition.status = "True";
      condition.reason = "ApprovedAnnotation";
      break;
    case kinds::crd::Approval::kUnapproved:
      condition.reason = "UnapprovedAnnotation";
      break;
    case kinds::crd::Approval::kInvalid:
      condition.reason = "InvalidAnnotation";
      break;
  }
  return condition;
}

StatusUpdate update_status(api::Edit definition, const DefinitionFacts& facts,
                           const NamesInUse& in_use, Time now) {
  StatusUpdate update{.changed = false, .accepted = facts.status.accepted};
  const api::Edit status = definition.object("status");
  const auto set = [&](const std::optional<Condition>& condition) {
    if (condition) update.changed = set_condition(status, *condition, now) || update.changed;
  };
  if (!facts.has_its_names()) {
    NamesDecision names = decide_names(facts.spec.names, facts.status.accepted, in_use);
    set(names.condition);
    if (names.accepted != update.accepted) {
      definition_status::put_names(status, names.accepted);
      update = {.changed = true, .accepted = std::move(names.accepted)};
    }
  }
  set(established_condition(definition.view(), condition_holds(status.view(), "NamesAccepted")));
  const std::optional<Condition> schema = schema_condition(definition.view());
  set(schema);
  if (!schema && remove_condition(status, definition_status::kNonStructural)) update.changed = true;
  set(approval_condition(definition.view()));
  return update;
}

}  // namespace proa::controllers::definitions
