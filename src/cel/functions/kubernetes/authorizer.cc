#include "cel/functions/kubernetes/authorizer.h"

#include "api/validation/names.h"
#include "base/strings.h"
#include "cel/functions/tables.h"
#include "cel/values/context.h"

namespace proa::cel {
namespace kubernetes_authorizer {

constexpr Type type(std::string_view name) { return {.kind = TypeKind::kOpaque, .name = name}; }
constexpr Type kAuthorizer = type(kAuthorizerTypeName);
constexpr Type kPathCheck = type("kubernetes.authorization.PathCheck");
constexpr Type kGroupCheck = type("kubernetes.authorization.GroupCheck");
constexpr Type kResourceCheck = type(kResourceCheckTypeName);
constexpr Type kDecision = type("kubernetes.authorization.Decision");

// An authorizer, and what has been said of the question so far.
class CheckValue final : public Opaque {
 public:
  CheckValue(const Type& type, const Authorizer& to_ask, const AccessQuestion& asked)
      : Opaque(type), authorizer(to_ask), question(asked) {}
  bool comparable() const override { return false; }
  bool equals(const Opaque&) const override { return false; }
  std::string print() const override { return {}; }

  const Authorizer& authorizer;
  const AccessQuestion question;
};

class DecisionValue final : public Opaque {
 public:
  DecisionValue(Arena& arena, const AccessAnswer& answer)
      : Opaque(kDecision),
        allowed(answer.allowed),
        errored(answer.error.has_value()),
        reason(arena.copy(answer.reason)),
        error(arena.copy(answer.error.value_or(""))) {}
  bool comparable() const override { return false; }
  bool equals(const Opaque&) const override { return false; }
  std::string print() const override { return {}; }

  const bool allowed;
  const bool errored;
  const std::string_view reason;
  const std::string_view error;
};

const CheckValue& check_of(std::span<const Value> args) {
  return *static_cast<const CheckValue*>(args[0].as_opaque());
}
const DecisionValue& decision_of(std::span<const Value> args) {
  return *static_cast<const DecisionValue*>(args[0].as_opaque());
}

// The same check with one more fact.
template <std::string_view AccessQuestion::*kField>
Value with(Context& context, std::span<const Value> args, const Type& type) {
  AccessQuestion question = check_of(args).question;
  question.*kField = args[1].text();
  return context.opaque<CheckValue>(type, check_of(args).authorizer, question);
}

Value path(Context& context, std::span<const Value> args) {
  if (trim(args[1].text()).empty()) return Value::error("path must not be empty");
  return with<&AccessQuestion::path>(context, args, kPathCheck);
}
Value group(Context& context, std::span<const Value> args) {
  return with<&AccessQuestion::group>(context, args, kGroupCheck);
}
Value service_account(Context& context, std::span<const Value> args) {
  if (!api::check_dns1123_subdomain(args[2].text()).empty()) {
    return Value::error("Invalid service account name");
  }
  if (!api::check_dns1123_label(args[1].text()).empty()) {
    return Value::error("Invalid service account namespace");
  }
  const AccessQuestion question{.is_service_account = true,
                                .account_namespace = args[1].text(),
                                .account_name = args[2].text()};
  return context.opaque<CheckValue>(kAuthorizer, check_of(args).authorizer, question);
}
Value resource(Context& context, std::span<const Value> args) {
  if (trim(args[1].text()).empty()) return Value::error("resource must not be empty");
  return with<&AccessQuestion::resource>(context, args, kResourceCheck);
}
template <std::string_view AccessQuestion::*kField>
Value narrowed(Context& context, std::span<const Value> args) {
  return with<kField>(context, args, kResourceCheck);
}

template <bool kIsResource>
Value check(Context& context, std::span<const Value> args) {
  AccessQuestion question = check_of(args).question;
  question.is_resource = kIsResource;
  question.verb = args[1].text();
  return context.opaque<DecisionValue>(context.arena(),
                                       check_of(args).authorizer.authorize(question));
}

Value errored(Context&, std::span<const Value> args) {
  return Value::boolean(decision_of(args).errored);
}
Value error(Context&, std::span<const Value> args) {
  return Value::string(decision_of(args).error);
}
Value allowed(Context&, std::span<const Value> args) {
  return Value::boolean(decision_of(args).allowed);
}
Value reason(Context&, std::span<const Value> args) {
  return Value::string(decision_of(args).reason);
}

#define PROA_CEL_AUTHORIZER "kubernetes.authorization.Authorizer"
#define PROA_CEL_PATH_CHECK "kubernetes.authorization.PathCheck"
#define PROA_CEL_GROUP_CHECK "kubernetes.authorization.GroupCheck"
#define PROA_CEL_RESOURCE_CHECK "kubernetes.authorization.ResourceCheck"
#define PROA_CEL_DECISION "kubernetes.authorization.Decision"
#define PROA_CEL_NARROWED PROA_CEL_RESOURCE_CHECK ".(string) -> " PROA_CEL_RESOURCE_CHECK

constexpr FunctionRow kRows[] = {
    {"path", "authorizer_path", PROA_CEL_AUTHORIZER ".(string) -> " PROA_CEL_PATH_CHECK, path},
    {"group", "authorizer_group", PROA_CEL_AUTHORIZER ".(string) -> " PROA_CEL_GROUP_CHECK, group},
    {"serviceAccount", "authorizer_serviceaccount",
     PROA_CEL_AUTHORIZER ".(string, string) -> " PROA_CEL_AUTHORIZER, service_account},
    {"resource", "groupcheck_resource",
     PROA_CEL_GROUP_CHECK ".(string) -> " PROA_CEL_RESOURCE_CHECK, resource},
    {"subresource", "resourcecheck_subresource", PROA_CEL_NARROWED,
     narrowed<&AccessQuestion::subresource>},
    {"namespace", "resourcecheck_namespace", PROA_CEL_NARROWED,
     narrowed<&AccessQuestion::name_space>},
    {"name", "resourcecheck_name", PROA_CEL_NARROWED, narrowed<&AccessQuestion::name>},
    {"check", "pathcheck_check", PROA_CEL_PATH_CHECK ".(string) -> " PROA_CEL_DECISION,
     check<false>},
    {"check", "resourcecheck_check", PROA_CEL_RESOURCE_CHECK ".(string) -> " PROA_CEL_DECISION,
     check<true>},
    {"errored", "decision_errored", PROA_CEL_DECISION ".() -> bool", errored},
    {"error", "decision_error", PROA_CEL_DECISION ".() -> string", error},
    {"allowed", "decision_allowed", PROA_CEL_DECISION ".() -> bool", allowed},
    {"reason", "decision_reason", PROA_CEL_DECISION ".() -> string", reason},
};

constexpr FunctionRow kSelectorRows[] = {
    {"fieldSelector", "authorizer_fieldselector", PROA_CEL_NARROWED,
     narrowed<&AccessQuestion::field_selector>},
    {"labelSelector", "authorizer_labelselector", PROA_CEL_NARROWED,
     narrowed<&AccessQuestion::label_selector>},
};

}  // namespace kubernetes_authorizer

std::span<const FunctionRow> kubernetes_authorizer_rows() { return kubernetes_authorizer::kRows; }
std::span<const FunctionRow> kubernetes_selector_rows() {
  return kubernetes_authorizer::kSelectorRows;
}

Value make_authorizer(Arena& arena, const Authorizer& authorizer) {
  return Context(arena).opaque<kubernetes_authorizer::CheckValue>(
      kubernetes_authorizer::kAuthorizer, authorizer, AccessQuestion());
}

Value make_resource_check(Arena& arena, const Authorizer& authorizer,
                          const AccessQuestion& question) {
  return Context(arena).opaque<kubernetes_authorizer::CheckValue>(
      kubernetes_authorizer::kResourceCheck, authorizer, question);
}

}  // namespace proa::cel
