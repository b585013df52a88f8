#include "cel/expression/checked.h"

#include <algorithm>

namespace proa::cel {

std::string type_in_messages(std::string_view type) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"null", "null_type"},
      {"any", "google.protobuf.Any"},
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

CheckedExpression compile_checked(std::string_view source, const Environment& environment,
                                  const Expectation& expectation) {
  CheckedExpression made{.source = std::string(source)};
  Compiled compiled = compile(source, environment, expectation.size_of, expectation.inspect);
  if (!compiled.issues.empty()) {
    made.error = "compilation failed: " + compiled.issues;
    return made;
  }
  made.error = expectation.mismatch(compiled.type);
  if (!made.error.empty()) return made;
  if (compiled.program == nullptr) {
    made.error = "program instantiation failed: " + compiled.failure;
    made.internal_error = true;
    return made;
  }
  made.type = std::move(compiled.type);
  made.max_cost = compiled.estimate.max;
  made.program = std::move(compiled.program);
  return made;
}

}  // namespace proa::cel
