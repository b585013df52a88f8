#include "custom/schema.h"

#include <algorithm>

#include "custom/checks/checker.h"
#include "custom/validation/embedded.h"
#include "custom/validation/list_types.h"

namespace proa::custom {
namespace schemas {

// Rules may rely on types, sizes and required fields (upstream's hasBlockingErr).
bool blocks_rules(const api::FieldErrors& errors) {
  constexpr std::string_view kReasons[] = {"FieldValueNotSupported", "FieldValueRequired",
                                           "FieldValueTooLong", "FieldValueTooMany",
                                           "FieldValueTypeInvalid"};
  return std::any_of(errors.causes().begin(), errors.causes().end(), [&](const StatusCause& cause) {
    return std::find(std::begin(kReasons), std::end(kReasons), cause.reason) != std::end(kReasons);
  });
}

struct Checked {
  const json::Value& value;
  const json::Value* old;  // null: there was none
  const api::Structure& structure;
  const api::Path& path;
};

// Most objects are valid: errors are worded, and compared with what was before, only if there are
// any.
void check_value(const Checked& checked, Patterns& patterns, Budget& budget,
                 api::FieldErrors& errors) {
  if (Checker(patterns, budget, nullptr).check(checked.value, checked.structure) == 0) return;
  SchemaErrors found;
  Checker(patterns, budget, &found).check(checked.value, checked.structure, checked.old);
  found.report(checked.path, errors);
}

}  // namespace schemas

Result<Schema> Schema::make(const json::Value& schema, int minor_version, Patterns& patterns) {
  api::Structures structures = TRY(api::Structures::parse(schema));
  auto rules = std::make_unique<const cel::SchemaRules>(schema, minor_version);
  if (rules->empty()) rules = nullptr;
  return Schema(std::move(structures), std::move(rules), patterns);
}

size_t Schema::memory() const {
  return sizeof(*this) - sizeof(structures_) + structures_.memory() +
         (rules_ == nullptr ? 0 : rules_->memory());
}

void Schema::check_values(const Write& write, Budget& budget, api::FieldErrors& errors) const {
  if (!write.is_status) {
    const api::Path root;
    return schemas::check_value({*write.object, write.old, structure(), root}, *patterns_, budget,
                                errors);
  }
  const json::Value* status = write.object->find("status");
  const api::Property* property = structure().find("status");
  if (status == nullptr || property == nullptr) return;
  const json::Value* old = write.old == nullptr ? nullptr : write.old->find("status");
  const api::Path path("status");
  schemas::check_value({*status, old, *property->structure, path}, *patterns_, budget, errors);
}

void Schema::check_lists(const Write& write, api::FieldErrors& errors) const {
  if (!structure().has_list_types) return;
  if (write.old != nullptr && !has_valid_lists(*write.old, structure())) return;
  validate_list_types(*write.object, structure(), errors);
}

Result<void> Schema::validate(const Write& write, Budget& budget, api::FieldErrors& errors,
                              std::vector<std::string>& warnings) const {
  check_values(write, budget, errors);
  TRY(budget.check());
  if (write.scale != nullptr) {
    if (!write.is_status) validate_scale_spec(*write.object, *write.scale, errors);
    validate_scale_status(*write.object, *write.scale, errors);
  }
  const api::Path root;
  if (!write.is_status) {
    validate_embedded(*write.object, structure(), false, root, budget, errors);
  }
  TRY(budget.check());
  check_lists(write, errors);
  if (rules_ == nullptr) return {};
  if (schemas::blocks_rules(errors)) {
    errors.invalid(root, nullptr,
                   "some validation rules were not checked because the object was invalid; "
                   "correct the existing errors to complete validation");
    return {};
  }
  rules_->validate({.object = write.object, .old = write.old, .work = &budget}, errors, warnings);
  return budget.check();
}

}  // namespace proa::custom
