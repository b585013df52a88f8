#include "scheduler/plugins/basic/added_affinity.h"

#include <algorithm>
#include <array>

#include "api/validation/field_errors.h"
#include "api/validation/names.h"
#include "base/strings.h"

namespace proa::scheduler {
namespace added_affinity {

using api::FieldErrors;
using api::Path;
using api::View;

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::array<std::string_view, 6> kOperators = {"In",           "NotIn", "Exists",
                                                        "DoesNotExist", "Gt",    "Lt"};
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

// REQUIRES: it is an operator.
void check_count(std::string_view op, View values, const Path& path, FieldErrors& errors) {
  if (op == "In" || op == "NotIn") {
    if (values.empty()) {
      errors.invalid(path, values, "for 'in', 'notin' operators, values set can't be empty");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) {
      errors.invalid(path, values, "values set must be empty for exists and does not exist");
    }
  } else {
    if (values.size() != 1) {
      errors.invalid(path, values, "for 'Gt', 'Lt' operators, exactly one value is required");
    }
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string_view value = values.item(i).text();
      if (parse_int(value)) continue;
      errors.invalid(path.index(i), value,
                     "for 'Gt', 'Lt' operators, the value must be an integer");
    }
  }
}

void check_expression(View expression, const Path& path, FieldErrors& errors) {
  const std::string_view op = expression["operator"].text();
  const std::string_view key = expression["key"].text();
  const View values = expression["values"];
  const Path values_path = path.field("values");
  if (std::find(kOperators.begin(), kOperators.end(), op) == kOperators.end()) {
    return errors.not_supported(path.field("operator"), op, kOperators);
  }
  if (const api::Problems problems = api::check_qualified_name(key); !problems.empty()) {
    errors.invalid(path.field("key"), key, join(problems, "; "));
  }
  check_count(op, values, values_path, errors);
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string_view value = values.item(i).text();
    const Path at = values_path.index(i);
    if (const api::Problems problems = api::check_label_value(value); !problems.empty()) {
      errors.invalid(at.key(key), value, join(problems, "; "));
    }
  }
}

void check_field(View field, const Path& path, FieldErrors& errors) {
  const std::string_view op = field["operator"].text();
  if (op != "In" && op != "NotIn") {
    errors.not_supported(path.field("operator"), op, {"In", "NotIn"});
  } else if (field["values"].size() != 1) {
    errors.invalid(path.field("values"), field["values"], "must have one element");
  }
}

void check_term(View term, const Path& path, FieldErrors& errors) {
  const Path expressions = path.field("matchExpressions");
  for (size_t i = 0; i < term["matchExpressions"].size(); ++i) {
    check_expression(term["matchExpressions"].item(i), expressions.index(i), errors);
  }
  const Path fields = path.field("matchFields");
  for (size_t i = 0; i < term["matchFields"].size(); ++i) {
    check_field(term["matchFields"].item(i), fields.index(i), errors);
  }
}

void read_required(View selector, const Path& path, AddedAffinity& added, FieldErrors& errors) {
  if (!selector.exists()) return;
  const Path terms = path.field("nodeSelectorTerms");
  for (size_t i = 0; i < selector["nodeSelectorTerms"].size(); ++i) {
    check_term(selector["nodeSelectorTerms"].item(i), terms.index(i), errors);
  }
  added.required.emplace(selector);
}

void read_preferred(View terms, const Path& path, AddedAffinity& added, FieldErrors& errors) {
  for (size_t i = 0; i < terms.size(); ++i) {
    const View one = terms.item(i);
    const int64_t weight = one["weight"].integer();
    if (weight == 0) continue;
    check_term(one["preference"], path.index(i), errors);
    added.preferred.push_back({.term = kinds::pods::NodeSelectorTerm(one["preference"]),
                               .weight = static_cast<int32_t>(weight)});
  }
}

}  // namespace added_affinity

Result<AddedAffinity> read_added_affinity(api::View args) {
  namespace local = added_affinity;
  const api::View affinity = args["addedAffinity"];
  const api::Path path("addedAffinity");
  api::FieldErrors errors;
  AddedAffinity added;
  local::read_required(affinity[local::kRequired], path.field(local::kRequired), added, errors);
  local::read_preferred(affinity[local::kPreferred], path.field(local::kPreferred), added, errors);
  if (errors.empty()) return added;
  const std::vector<std::string> texts = errors.texts();
  return Status(Reason::kBadRequest, texts.size() == 1 ? texts[0] : "[" + join(texts, ", ") + "]");
}

}  // namespace proa::scheduler
