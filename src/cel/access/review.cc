#include "cel/access/review.h"

#include <algorithm>
#include <vector>

#include "api/object/view.h"
#include "base/check.h"
#include "base/strings.h"
#include "cel/expression/rule.h"
#include "cel/syntax/selections.h"
#include "cel/values/collections.h"

namespace proa::cel {
namespace review_conditions {

using api::View;
using Field = Environment::Field;

constexpr int kMinorVersion = 36;

Environment make_environment() {
  Environment made = kubernetes_environment(kMinorVersion);
  constexpr Field kRequirement[] = {
      {"key", "string"}, {"operator", "string"}, {"values", "list(string)"}};
  constexpr Field kSelector[] = {{"rawSelector", "string"},
                                 {"requirements", "list(kubernetes.SelectorRequirement)"}};
  constexpr Field kResource[] = {
      {"namespace", "string"},
      {"verb", "string"},
      {"group", "string"},
      {"version", "string"},
      {"resource", "string"},
      {"subresource", "string"},
      {"name", "string"},
      {"fieldSelector", "kubernetes.FieldSelectorAttributes"},
      {"labelSelector", "kubernetes.LabelSelectorAttributes"},
  };
  constexpr Field kPath[] = {{"path", "string"}, {"verb", "string"}};
  constexpr Field kSpec[] = {
      {"resourceAttributes", "kubernetes.ResourceAttributes"},
      {"nonResourceAttributes", "kubernetes.NonResourceAttributes"},
      {"user", "string"},
      {"groups", "list(string)"},
      {"extra", "map(string, list(string))"},
      {"uid", "string"},
  };
  CHECK(made.add_struct("kubernetes.SelectorRequirement", kRequirement));
  CHECK(made.add_struct("kubernetes.FieldSelectorAttributes", kSelector));
  CHECK(made.add_struct("kubernetes.LabelSelectorAttributes", kSelector));
  CHECK(made.add_struct("kubernetes.ResourceAttributes", kResource));
  CHECK(made.add_struct("kubernetes.NonResourceAttributes", kPath));
  CHECK(made.add_struct("kubernetes.SubjectAccessReviewSpec", kSpec));
  CHECK(made.add_variable("request", "kubernetes.SubjectAccessReviewSpec"));
  return made;
}

std::string mismatch(std::string_view type) {
  return type == "bool" ? "" : "must evaluate to bool but got " + type_in_messages(type);
}

// The value of `request`: upstream's convertObjectToUnstructured(), in which texts are never
// absent.
class RequestValue {
 public:
  RequestValue(Arena& arena, bool field_selector, bool label_selector)
      : arena_(arena), field_selector_(field_selector), label_selector_(label_selector) {}

  Value of(View spec) {
    MapBuilder made(arena_, 6);
    set_texts(made, spec, {"user", "uid"});
    set(made, "groups", list(spec["groups"]));
    set(made, "extra", map(spec["extra"]));
    if (const View resource = spec["resourceAttributes"]) {
      set(made, "resourceAttributes", resource_value(resource));
    }
    if (const View path = spec["nonResourceAttributes"]) {
      MapBuilder inner(arena_, 2);
      set_texts(inner, path, {"verb", "path"});
      set(made, "nonResourceAttributes", inner.build());
    }
    return made.build();
  }

 private:
  static void set(MapBuilder& map, std::string_view name, const Value& value) {
    map.set(Value::string(name), value);
  }
  static void set_texts(MapBuilder& map, View object,
                        std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) set(map, name, Value::string(object[name].text()));
  }
  Value list(View texts) {
    return texts ? from_json(*texts.value()) : make_list(arena_, std::span<const Value>());
  }
  Value map(View object) {
    return object ? from_json(*object.value()) : MapBuilder(arena_, 0).build();
  }

  Value resource_value(View resource) {
    MapBuilder made(arena_, 9);
    set_texts(made, resource,
              {"namespace", "verb", "group", "version", "resource", "subresource", "name"});
    if (field_selector_) set_selector(made, "fieldSelector", resource["fieldSelector"]);
    if (label_selector_) set_selector(made, "labelSelector", resource["labelSelector"]);
    return made.build();
  }

  // The text, if there is one; else the requirements, if there are any.
  void set_selector(MapBuilder& map, std::string_view name, View selector) {
    MapBuilder made(arena_, 1);
    if (!selector["rawSelector"].text().empty()) {
      set_texts(made, selector, {"rawSelector"});
    } else if (!selector["requirements"].empty()) {
      std::vector<Value> requirements;
      for (const View one : selector["requirements"].items()) {
        MapBuilder requirement(arena_, 3);
        set_texts(requirement, one, {"key", "operator"});
        set(requirement, "values", list(one["values"]));
        requirements.push_back(requirement.build());
      }
      set(made, "requirements", make_list(arena_, requirements));
    } else {
      return;
    }
    set(map, name, made.build());
  }

  Arena& arena_;
  const bool field_selector_;
  const bool label_selector_;
};

}  // namespace review_conditions

ReviewCondition compile_review_condition(std::string_view source) {
  using namespace review_conditions;
  static const Environment environment = make_environment();
  ReviewCondition made;
  const Expectation expectation{
      .mismatch = mismatch,
      .inspect =
          [&](const Expr& root) {
            made.uses_field_selector = selects(root, {}, "fieldSelector");
            made.uses_label_selector = selects(root, {}, "labelSelector");
          },
  };
  static_cast<CheckedExpression&>(made) = compile_checked(source, environment, expectation);
  return made;
}

ReviewMatch matches_review(std::span<const ReviewCondition> conditions, const json::Value& spec) {
  Arena arena;
  const bool field_selector =
      std::ranges::any_of(conditions, &ReviewCondition::uses_field_selector);
  const bool label_selector =
      std::ranges::any_of(conditions, &ReviewCondition::uses_label_selector);
  const Value request =
      review_conditions::RequestValue(arena, field_selector, label_selector).of(api::View(spec));
  std::vector<std::string> errors;
  for (const ReviewCondition& condition : conditions) {
    const Outcome outcome = condition.program->evaluate({&request, 1}, arena, kRuleCostLimit);
    if (outcome.value.is_error()) {
      errors.push_back("cel evaluation error: expression '" + condition.source +
                       "' resulted in error: " + std::string(outcome.value.text()));
    } else if (!outcome.value.is_true()) {
      return {.matches = false, .error = {}, .has_errors = !errors.empty()};
    }
  }
  if (errors.empty()) return {};
  return {.matches = false,
          .error = errors.size() == 1 ? errors[0] : "[" + join(errors, ", ") + "]",
          .has_errors = true};
}

}  // namespace proa::cel
