#include "cel/admission/compiler.h"

#include <algorithm>
#include <span>

#include "base/strings.h"

namespace proa::cel {
namespace admission_compiler {

std::span<const std::string_view> types_of(Expected expected) {
  static constexpr std::string_view kBool[] = {"bool"};
  static constexpr std::string_view kString[] = {"string"};
  static constexpr std::string_view kStringOrNull[] = {"string", "null"};
  static constexpr std::string_view kObject[] = {"Object"};
  static constexpr std::string_view kJsonPatch[] = {"list(JSONPatch)"};
  switch (expected) {
    case Expected::kBool:
      return kBool;
    case Expected::kString:
      return kString;
    case Expected::kStringOrNull:
      return kStringOrNull;
    case Expected::kObject:
      return kObject;
    case Expected::kJsonPatch:
      return kJsonPatch;
    case Expected::kAny:
      break;
  }
  return {};
}

// Empty if the type is an expected one.
std::string mismatch(std::string_view type, Expected expected) {
  const std::span<const std::string_view> types = types_of(expected);
  if (types.empty() || std::ranges::find(types, type) != types.end()) return {};
  if (types.size() == 1)
    return "must evaluate to " + type_in_messages(types[0]) + " but got " + type_in_messages(type);
  std::vector<std::string> names;
  for (const std::string_view name : types) names.push_back(type_in_messages(name));
  return "must evaluate to one of [" + join(names, " ") + "] but got " + type_in_messages(type);
}

// A variable of this type as others see it: upstream's convertCelTypeToDeclType(), which keeps
// lists and maps of simple types.
class SeenType {
 public:
  explicit SeenType(std::string_view type) : rest_(type) {}

  std::string read() {
    const size_t end = std::min(rest_.find_first_of("(),"), rest_.size());
    const std::string name(trim(rest_.substr(0, end)));
    rest_.remove_prefix(end);
    std::vector<std::string> parameters;
    if (rest_.starts_with('(')) {
      do {
        rest_.remove_prefix(1);
        parameters.push_back(read());
      } while (rest_.starts_with(','));
      if (rest_.starts_with(')')) rest_.remove_prefix(1);
    }
    const bool container = (name == "list" || name == "map") && !parameters.empty();
    if (container) return name + "(" + join(parameters, ", ") + ")";
    constexpr std::string_view kSimple[] = {"bool", "bytes",  "double",    "duration", "int",
                                            "null", "string", "timestamp", "uint"};
    return std::ranges::find(kSimple, name) == std::end(kSimple) ? "dyn" : name;
  }

 private:
  std::string_view rest_;
};

}  // namespace admission_compiler

const Environment& AdmissionCompiler::environment(const AdmissionVariables& variables) {
  const auto known = std::ranges::find(environments_, variables, &Made::variables);
  if (known != environments_.end()) return known->environment;
  Made& made =
      environments_.emplace_back(Made{variables, admission_environment(variables, shapes_)});
  for (const auto& [name, type] : fields_) {
    made.environment.set_field(kVariablesTypeName, {name, type});
  }
  return made.environment;
}

const AdmissionExpression& AdmissionCompiler::add_variable(std::string_view name,
                                                           std::string_view source) {
  AdmissionExpression compiled = compile(source, Expected::kAny);
  const std::string type =
      compiled.type.empty() ? "dyn" : admission_compiler::SeenType(compiled.type).read();
  fields_.emplace_back(name, type);
  for (Made& made : environments_) {
    made.environment.set_field(kVariablesTypeName, {fields_.back().first, type});
  }
  return variables_.insert_or_assign(std::string(name), std::move(compiled)).first->second;
}

AdmissionExpression AdmissionCompiler::compile(std::string_view source, Expected expected,
                                               bool authorizer, bool patch_types) {
  const AdmissionVariables uses{.variables = composes_,
                                .params = has_params_,
                                .authorizer = authorizer,
                                .patch_types = patch_types};
  const auto mismatch = [&](std::string_view type) {
    return admission_compiler::mismatch(type, expected);
  };
  return {compile_checked(source, environment(uses), {.mismatch = mismatch}), uses};
}

}  // namespace proa::cel
