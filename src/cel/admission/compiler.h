#pragma once

#include <list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cel/admission/environment.h"
#include "cel/expression/checked.h"

namespace proa::cel {

// What an expression must evaluate to.
enum class Expected : uint8_t {
  kBool,
  kString,
  kStringOrNull,
  kAny,
  kObject,     // Object{...}
  kJsonPatch,  // a list of JSONPatch{...}
};

// An expression of a webhook or a policy.
struct AdmissionExpression : CheckedExpression {
  AdmissionVariables uses;
};

// By name. A later variable of the same name replaces the earlier one.
using PolicyVariables = std::map<std::string, AdmissionExpression, std::less<>>;

// Compiles the expressions of one webhook or policy: upstream's CompositedCompiler.
class AdmissionCompiler {
 public:
  enum class Composes : uint8_t { kNo, kYes };
  // `composes`: expressions may mention `variables`.
  AdmissionCompiler(bool has_params, Composes composes, const AdmissionShapes& shapes = {})
      : has_params_(has_params), composes_(composes == Composes::kYes), shapes_(shapes) {}

  // A variable, which those that are compiled later may mention. Returns what became of it.
  const AdmissionExpression& add_variable(std::string_view name, std::string_view source);
  AdmissionExpression compile(std::string_view source, Expected expected, bool authorizer = true,
                              bool patch_types = false);

  const PolicyVariables& variables() const { return variables_; }

 private:
  struct Made {
    AdmissionVariables variables;
    Environment environment;
  };
  const Environment& environment(const AdmissionVariables& variables);

  const bool has_params_;
  const bool composes_;
  const AdmissionShapes shapes_;
  std::list<Made> environments_;                             // made when they are needed first
  std::vector<std::pair<std::string, std::string>> fields_;  // of `variables`, with their types
  PolicyVariables variables_;
};

}  // namespace proa::cel
