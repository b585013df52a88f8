#include "cel/types/declarations.h"

#include <algorithm>

#include "base/check.h"
#include "base/strings.h"

namespace proa::cel {
namespace declarations {

uint32_t count_parameters(const Type& type) {
  uint32_t count = type.is(TypeKind::kParameter) ? type.parameter + 1 : 0;
  for (const Type* parameter : type.parameters) {
    count = std::max(count, count_parameters(*parameter));
  }
  return count;
}

// Parts between commas that stand in no bracket.
std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      if (!trim(text.substr(start, i - start)).empty()) {
        parts.push_back(text.substr(start, i - start));
      }
      start = i + 1;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')') {
      --depth;
    }
  }
  return parts;
}

}  // namespace declarations

const Overload* Declarations::parse(const FunctionRow& row) {
  const size_t arrow = row.signature.rfind("->");
  CHECK(arrow != std::string_view::npos);
  std::string_view left = trim(row.signature.substr(0, arrow));
  Overload overload{.id = row.overload, .style = row.style};
  overload.implementation = row.implementation;
  overload.result = types_.parse(row.signature.substr(arrow + 2));
  std::vector<const Type*> args;
  // The receiver ends where ".(" begins outside of brackets: types have no such sequence.
  if (const size_t dot = left.find(".("); dot != std::string_view::npos) {
    overload.member = true;
    args.push_back(types_.parse(left.substr(0, dot)));
    left.remove_prefix(dot + 1);
  }
  CHECK(left.starts_with('(') && left.ends_with(')'));
  for (const std::string_view part :
       declarations::split_arguments(left.substr(1, left.size() - 2))) {
    args.push_back(types_.parse(part));
  }
  CHECK(overload.result != nullptr && std::find(args.begin(), args.end(), nullptr) == args.end());
  overload.type_parameters = declarations::count_parameters(*overload.result);
  for (const Type* arg : args) {
    overload.type_parameters =
        std::max(overload.type_parameters, declarations::count_parameters(*arg));
  }
  overload.args = types_.with(TypeKind::kOpaque, {}, args)->parameters;
  return &overloads_.emplace_back(overload);
}

void Declarations::add(std::span<const FunctionRow> rows) {
  for (const FunctionRow& row : rows) {
    Function& function = functions_[row.function];
    function.name = row.function;
    function.overloads.push_back(parse(row));
  }
}

void Declarations::add_type(std::string_view name, const Type* type) { type_names_[name] = type; }

const Function* Declarations::function(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

const Type* Declarations::type(std::string_view name) const {
  const auto found = type_names_.find(name);
  return found == type_names_.end() ? nullptr : found->second;
}

}  // namespace proa::cel
