#include "cel/expression/compile.h"

#include "cel/check/checker.h"
#include "cel/check/validate.h"
#include "cel/evaluate/planner.h"
#include "cel/functions/libraries.h"
#include "cel/syntax/parser.h"

namespace proa::cel {
namespace compile_expression {

// The versions in which parts of the language came.
constexpr int kOptionals = 28;
constexpr int kValidators = 29;
constexpr int kTwoVariables = 32;
constexpr int kSortBy = 34;

}  // namespace compile_expression

Environment kubernetes_environment(int minor_version, Libraries libraries) {
  return Environment(kubernetes_declarations(minor_version, libraries), minor_version);
}

Compiled compile(std::string_view source, const Environment& environment, const SizeOf& size_of,
                 const Inspect& inspect) {
  Compiled compiled;
  TypeArena types;
  AstFactory factory(types.arena());
  Issues issues(source);
  const int version = environment.minor_version();
  const SyntaxOptions options{
      .optionals = version >= compile_expression::kOptionals,
      .two_variable_loops = version >= compile_expression::kTwoVariables,
      .sort_by = version >= compile_expression::kSortBy,
      .bindings = environment.has_bindings(),
  };
  Expr* root = parse(source, options, factory, issues);
  if (root != nullptr) check(root, environment, types, factory, issues);
  if (issues.empty()) {
    const bool all = version >= compile_expression::kValidators;
    validate_literals(root, {.arguments = all, .exempt_format = all}, issues);
  }
  if (!issues.empty()) {
    compiled.issues = issues.print();
    return compiled;
  }
  if (inspect) inspect(*root);
  compiled.type = print_type(*root->type);
  compiled.estimate = estimate_cost(root, size_of);
  Result<std::shared_ptr<const Program>> program =
      plan(root, environment, environment.shared_declarations());
  if (program.ok()) {
    compiled.program = std::move(*program);
  } else {
    compiled.failure = program.status().message();
  }
  return compiled;
}

}  // namespace proa::cel
