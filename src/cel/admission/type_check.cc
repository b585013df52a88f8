#include "cel/admission/type_check.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "cel/admission/compiler.h"

namespace proa::cel {
namespace policy_type_check {

// Upstream's type checker shows the compiler's issues as they are.
std::string_view issues_of(std::string_view error) {
  constexpr std::string_view kFailed = "compilation failed: ";
  if (error.starts_with(kFailed)) error.remove_prefix(kFailed.size());
  return error;
}

// Empty: nothing is wrong. Environments are costly to make, but policies change rarely.
std::string check(api::View spec, std::string_view expression, const std::vector<PolicyKind>& kinds,
                  const Shapes* params) {
  std::vector<std::string> messages;
  for (const PolicyKind& kind : kinds) {
    const AdmissionShapes shapes{.object = &kind.shapes->root(),
                                 .params = params == nullptr ? nullptr : &params->root()};
    AdmissionCompiler compiler(spec["paramKind"].exists(), AdmissionCompiler::Composes::kYes,
                               shapes);
    for (const api::View variable : spec["variables"].items()) {
      compiler.add_variable(variable["name"].text(), variable["expression"].text());
    }
    const AdmissionExpression compiled = compiler.compile(expression, Expected::kAny);
    if (compiled.error.empty()) continue;
    const std::string_view what = compiled.internal_error ? "type checking error: " : "";
    messages.push_back(fmt::format("{}: {}{}\n", kind.name, what, issues_of(compiled.error)));
  }
  return join(messages, "\n");
}

}  // namespace policy_type_check

std::vector<ExpressionWarning> check_policy_types(api::View spec,
                                                  const std::vector<PolicyKind>& kinds,
                                                  const Shapes* params) {
  std::vector<ExpressionWarning> warnings;
  const api::View validations = spec["validations"];
  for (size_t i = 0; i < validations.size(); ++i) {
    for (const std::string_view field : {"expression", "messageExpression"}) {
      const std::string_view expression = validations.item(i)[field].text();
      if (expression.empty()) continue;
      std::string warning = policy_type_check::check(spec, expression, kinds, params);
      if (warning.empty()) continue;
      warnings.push_back({fmt::format("spec.validations[{}].{}", i, field), std::move(warning)});
    }
  }
  return warnings;
}

}  // namespace proa::cel
