#include "kinds/admissionregistration/admission_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "kinds/admissionregistration/admission_match.h"
#include "kinds/checks/conditions.h"
#include "kinds/checks/fields.h"

namespace proa::kinds {

namespace admission_policy {

constexpr size_t kMaxAnnotations = 20;
constexpr size_t kMaxValueExpressionBytes = 5 * 1024;

// Reserved words of expressions.
constexpr std::string_view kReserved[] = {
    "as",        "break",   "const",  "continue", "else", "false", "for",
    "function",  "if",      "import", "in",       "let",  "loop",  "null",
    "namespace", "package", "return", "true",     "var",  "void",  "while"};

bool is_identifier(std::string_view name) {
  const auto is_word = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), is_word) &&
         std::find(std::begin(kReserved), std::end(kReserved), name) == std::end(kReserved);
}

bool has_line_breaks(std::string_view text) {
  return text.find_first_of("\n\r") != std::string_view::npos;
}

void validate_param_version(std::string_view version, const api::Path& path,
                            api::FieldErrors& errors) {
  if (version.empty()) return errors.required(path);
  const auto parts = split(version, '/');
  if (version == "/") return errors.invalid(path, version, "version must be specified");
  if (parts.size() > 2) {
    return errors.invalid(path, version,
                          fmt::format("unexpected GroupVersion string: {}", version));
  }
  const std::string_view name = parts.back();
  const std::string_view group = parts.size() == 2 ? parts[0] : std::string_view();
  if (!group.empty()) {
    const api::Problems problems = api::check_dns1123_subdomain(group);
    if (!problems.empty()) errors.invalid(path, group, join(problems, ","));
  }
  if (name.empty()) return errors.invalid(path, version, "version must be specified");
  const api::Problems problems = api::check_dns1035_label(name);
  if (!problems.empty()) errors.invalid(path, name, join(problems, ","));
}

void validate_param_kind(View param, const api::Path& path, api::FieldErrors& errors) {
  if (!param) return;
  validate_param_version(param["apiVersion"].text(), path.field("apiVersion"), errors);
  const std::string_view kind = param["kind"].text();
  if (kind.empty()) return errors.required(path.field("kind"));
  const api::Problems problems = api::check_dns1035_label(to_lower(kind));
  if (!problems.empty()) {
    errors.invalid(path.field("kind"), kind,
                   "may have mixed case, but should otherwise match: " + join(problems, ","));
  }
}

// What a policy says, and how its expressions are compiled.
struct Checked {
  View object;
  View spec;
  bool conditions_unchanged;  // since they were accepted
  cel::AdmissionCompiler& compiler;
  api::FieldErrors& errors;
};

void validate_variable(const Checked& policy, View variable, const api::Path& path) {
  api::FieldErrors& errors = policy.errors;
  const std::string_view name = variable["name"].text();
  if (trim(name).empty()) {
    errors.required(path.field("name"), "name is not specified");
  } else if (!is_identifier(name)) {
    errors.invalid(path.field("name"), name, "must be a valid CEL identifier");
  }
  const api::Path expression_path = path.field("expression");
  const std::string_view expression = variable["expression"].text();
  if (trim(expression).empty()) {
    errors.required(expression_path, "expression is not specified");
  } else if (!errors.full()) {
    report_expression(policy.compiler.add_variable(name, expression), expression, expression_path,
                      errors);
  }
}

// Fields that validating and mutating policies share.
void validate_common(const Checked& policy, const api::Path& path) {
  const View spec = policy.spec;
  api::FieldErrors& errors = policy.errors;
  const api::Path failure_path = path.field("failurePolicy");
  if (!spec["failurePolicy"]) errors.required(failure_path);
  check_one_of(spec["failurePolicy"], {"Fail", "Ignore"}, failure_path, errors);
  validate_param_kind(spec["paramKind"], path.field("paramKind"), errors);
  const api::Path match_path = path.field("matchConstraints");
  const View match = spec["matchConstraints"];
  if (!match) {
    errors.required(match_path);
  } else {
    validate_match_resources(match, match_path, errors);
    if (match["resourceRules"].empty()) errors.required(match_path.field("resourceRules"));
  }
}

void validate_expressions(const Checked& policy, const api::Path& path) {
  if (!policy.conditions_unchanged) {
    validate_match_conditions(policy.spec["matchConditions"], path.field("matchConditions"),
                              policy.errors, policy.spec["paramKind"].exists());
  }
  const api::Path variables_path = path.field("variables");
  each(policy.spec["variables"], variables_path,
       [&](View variable, const api::Path& at) { validate_variable(policy, variable, at); });
}

void validate_message(const Checked& policy, std::string_view text, const api::Path& path) {
  if (text.empty()) return;
  if (trim(text).empty()) {
    return policy.errors.invalid(path, text, "must be non-empty if specified");
  }
  if (policy.errors.full()) return;
  report_expression(policy.compiler.compile(text, cel::Expected::kString, false), text, path,
                    policy.errors);
}

void validate_validation(const Checked& policy, View validation, const api::Path& path) {
  api::FieldErrors& errors = policy.errors;
  const std::string_view expression = validation["expression"].text();
  const api::Path expression_path = path.field("expression");
  if (trim(expression).empty()) {
    errors.required(expression_path, "expression is not specified");
  } else if (!errors.full()) {
    report_expression(policy.compiler.compile(expression, cel::Expected::kBool), expression,
                      expression_path, errors);
  }
  validate_message(policy, validation["messageExpression"].text(), path.field("messageExpression"));
  const std::string_view text = validation["message"].text();
  if (!text.empty() && trim(text).empty()) {
    errors.invalid(path.field("message"), text, "must be non-empty if specified");
  } else if (has_line_breaks(trim(text))) {
    errors.invalid(path.field("message"), text, "must not contain line breaks");
  }
  check_one_of(validation["reason"], {"Forbidden", "Invalid", "RequestEntityTooLarge"},
               path.field("reason"), errors);
}

void validate_annotation(const Checked& policy, View annotation, const api::Path& path) {
  api::FieldErrors& errors = policy.errors;
  // The name of the policy, which may be invalid and very long, is part of every key.
  if (errors.full()) return errors.count(1);
  const std::string key =
      fmt::format("{}/{}", policy.object["metadata"]["name"].text(), annotation["key"].text());
  errors.invalid_each(path.field("key"), key, api::check_qualified_name(key));
  const std::string_view stated = annotation["valueExpression"].text();
  const std::string_view expression = trim(stated);
  const api::Path expression_path = path.field("valueExpression");
  if (expression.empty()) {
    errors.required(expression_path, "valueExpression is not specified");
  } else if (expression.size() > kMaxValueExpressionBytes) {
    errors.required(expression_path,
                    fmt::format("must not exceed {} bytes in length", kMaxValueExpressionBytes));
  } else {
    report_expression(policy.compiler.compile(expression, cel::Expected::kStringOrNull), stated,
                      expression_path, errors);
  }
}

void validate_audit_annotations(const Checked& policy, const api::Path& path) {
  api::FieldErrors& errors = policy.errors;
  const View annotations = policy.spec["auditAnnotations"];
  if (annotations.size() > kMaxAnnotations) {
    errors.invalid(path, annotations,
                   fmt::format("must not have more than {} auditAnnotations", kMaxAnnotations));
  }
  std::set<std::string_view> keys;
  each(annotations, path, [&](View annotation, const api::Path& at) {
    validate_annotation(policy, annotation, at);
    const std::string_view key = annotation["key"].text();
    if (!keys.insert(key).second) errors.duplicate(at.field("key"), key);
  });
}

void validate_validating(const Checked& policy) {
  const api::Path path("spec");
  const View spec = policy.spec;
  api::FieldErrors& errors = policy.errors;
  validate_common(policy, path);
  validate_expressions(policy, path);
  const api::Path validations = path.field("validations");
  const api::Path annotations = path.field("auditAnnotations");
  if (spec["validations"].empty() && spec["auditAnnotations"].empty()) {
    constexpr std::string_view kNeither =
        "validations or auditAnnotations must contain at least one item";
    errors.required(validations, kNeither);
    return errors.required(annotations, kNeither);
  }
  each(spec["validations"], validations,
       [&](View validation, const api::Path& at) { validate_validation(policy, validation, at); });
  validate_audit_annotations(policy, annotations);
}

// For each patchType, the field it requires and the field it forbids.
struct PatchType {
  std::string_view type;
  std::string_view field;
  std::string_view other;
};
constexpr PatchType kPatchTypes[] = {
    {"ApplyConfiguration", "applyConfiguration", "jsonPatch"},
    {"JSONPatch", "jsonPatch", "applyConfiguration"},
};

void validate_patch(const Checked& policy, View patch, bool applies, const api::Path& path) {
  const api::Path expression_path = path.field("expression");
  const std::string_view expression = trim(patch["expression"].text());
  if (expression.empty()) return policy.errors.required(expression_path);
  if (policy.errors.full()) return;
  const auto expected = applies ? cel::Expected::kObject : cel::Expected::kJsonPatch;
  report_expression(policy.compiler.compile(expression, expected, true, true), expression,
                    expression_path, policy.errors);
}

void validate_mutation(const Checked& policy, View mutation, const api::Path& path) {
  api::FieldErrors& errors = policy.errors;
  require_one_of(mutation["patchType"], {"ApplyConfiguration", "JSONPatch"},
                 path.field("patchType"), errors);
  for (const PatchType& patch : kPatchTypes) {
    if (mutation["patchType"].text() != patch.type) continue;
    const api::Path field_path = path.field(patch.field);
    if (!mutation[patch.field]) {
      errors.required(field_path,
                      fmt::format("must be specified when patchType is {}", patch.type));
    } else {
      validate_patch(policy, mutation[patch.field], patch.type == "ApplyConfiguration", field_path);
    }
    if (mutation[patch.other]) {
      errors.invalid(path.field(patch.other), fmt::format("{{{}}}", patch.other),
                     fmt::format("must not be specified when patchType is {}", patch.type));
    }
  }
}

void validate_mutating(const Checked& policy) {
  const api::Path path("spec");
  const View spec = policy.spec;
  api::FieldErrors& errors = policy.errors;
  validate_common(policy, path);
  validate_mutating_operations(spec["matchConstraints"], path.field("matchConstraints"), errors);
  validate_expressions(policy, path);
  const api::Path mutations = path.field("mutations");
  if (spec["mutations"].empty()) {
    errors.required(mutations, "mutations must contain at least one item");
  }
  each(spec["mutations"], mutations,
       [&](View mutation, const api::Path& at) { validate_mutation(policy, mutation, at); });
  require_one_of(spec["reinvocationPolicy"], {"IfNeeded", "Never"},
                 path.field("reinvocationPolicy"), errors);
}

// `old`: absent for a new policy. Only a mutating policy without variables may mention `variables`.
template <void (*kValidate)(const Checked&), bool kAlwaysComposes>
void validate_changed(View object, View old, api::FieldErrors& errors) {
  using Composes = cel::AdmissionCompiler::Composes;
  const View spec = object["spec"];
  const bool composes = kAlwaysComposes || !spec["variables"].empty();
  cel::AdmissionCompiler compiler(spec["paramKind"].exists(),
                                  composes ? Composes::kYes : Composes::kNo);
  const bool unchanged = old.exists() && spec["paramKind"] == old["spec"]["paramKind"] &&
                         spec["matchConditions"] == old["spec"]["matchConditions"];
  kValidate({.object = object,
             .spec = spec,
             .conditions_unchanged = unchanged,
             .compiler = compiler,
             .errors = errors});
}

template <void (*kValidate)(const Checked&), bool kAlwaysComposes>
void validate_new(View object, api::FieldErrors& errors) {
  validate_changed<kValidate, kAlwaysComposes>(object, {}, errors);
}

void validate_status_update(View object, View, api::FieldErrors& errors) {
  const api::Path warnings("status.typeChecking.expressionWarnings");
  each(object["status"]["typeChecking"]["expressionWarnings"], warnings,
       [&](View warning, const api::Path& at) {
         require_text(warning, "warning", at, errors);
         if (trim(warning["fieldRef"].text()).empty()) errors.required(at.field("fieldRef"));
       });
  validate_conditions(object["status"]["conditions"], api::Path("status.conditions"), errors);
}

constexpr Column kValidatingColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Validations", .type = "integer", .description = "How many validations there are."},
    {.name = "ParamKind", .description = "The kind of its parameters."},
    {.name = "Age"},
};

constexpr Column kMutatingColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Mutations", .type = "integer", .description = "How many mutations there are."},
    {.name = "ParamKind", .description = "The kind of its parameters."},
    {.name = "Age"},
};

void row(View object, std::string_view counted, Cells& cells) {
  const View spec = object["spec"];
  const View param = spec["paramKind"];
  cells.text(object["metadata"]["name"].text());
  cells.number(static_cast<int64_t>(spec[counted].size()));
  cells.text(param ? fmt::format("{}/{}", param["apiVersion"].text(), param["kind"].text())
                   : "<unset>");
  cells.age(object["metadata"]["creationTimestamp"]);
}

void validating_row(View object, Cells& cells) { row(object, "validations", cells); }
void mutating_row(View object, Cells& cells) { row(object, "mutations", cells); }

}  // namespace admission_policy

KindRules mutating_admission_policy_rules() {
  using namespace admission_policy;
  return {.kind = "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy",
          .metadata = {.create = "m", .update = "m", .status = ""},
          .validate_create = validate_new<validate_mutating, true>,
          .validate_update = validate_changed<validate_mutating, true>,
          .columns = admission_policy::kMutatingColumns,
          .row = admission_policy::mutating_row};
}

KindRules validating_admission_policy_rules() {
  using namespace admission_policy;
  return {.kind = "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy",
          .metadata = {.create = "m", .update = "m", .status = ""},
          .validate_create = validate_new<validate_validating, false>,
          .validate_update = validate_changed<validate_validating, false>,
          .validate_status_update = admission_policy::validate_status_update,
          .columns = admission_policy::kValidatingColumns,
          .row = admission_policy::validating_row};
}

}  // namespace proa::kinds
