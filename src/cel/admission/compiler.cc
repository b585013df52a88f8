#include "cel/admission/compiler.h"

#include <algorithm>
#include <span>

#include "base/strings.h"
#include "cel/expression/compile.h"

namespace proa::cel {
namespace admission_compiler {

// The notation of print_type(), and how upstream prints it in messages.
std::string shown(std::string_view type) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"null", "null_type"},
      {"timestamp", "google.protobuf.Timestamp"},
      {"duration", "google.protobuf.Duration"},
  };
  std::string text;
  while (!type.empty()) {
    const size_t end = std::min(type.find_first_of("(), "), type.size());
    std::string_view name = type.substr(0, end);
    for (const auto& [own, upstream] : kNames) {
      if (name == own) name = upstream;
    }
    text += name;
    if (end < type.size()) text += type[end];
    type.remove_prefix(std::min(end + 1, type.size()));
  }
  return text;
}

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
  if (types.size() == 1) return "must evaluate to " + shown(types[0]) + " but got " + shown(type);
  std::vector<std::string> names;
  for (const std::string_view name : types) names.push_back(shown(name));
  return "must evaluate to one of [" + join(names, " ") + "] but got " + shown(type);
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
  Made& made = environments_.emplace_back(Made{variables, admission_environment(variables)});
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
  AdmissionExpression made{.source = std::string(source),
                           .uses = {.variables = composes_,
                                    .params = has_params_,
                                    .authorizer = authorizer,
                                    .patch_types = patch_types}};
  Compiled compiled = cel::compile(source, environment(made.uses));
  if (!compiled.issues.empty()) {
    made.error = "compilation failed: " + compiled.issues;
    return made;
  }
  made.error = admission_compiler::mismatch(compiled.type, expected);
  if (!made.error.empty()) return made;
  if (compiled.program == nullptr) {
    made.error = "program instantiation failed: " + compiled.failure;
    made.internal_error = true;
    return made;
  }
  made.type = std::move(compiled.type);
  made.program = std::move(compiled.program);
  return made;
}

}  // namespace proa::cel
