#include "kinds/checks/expressions.h"

namespace proa::kinds {

void report_expression(const cel::CheckedExpression& expression, std::string_view shown,
                       const api::Path& path, api::FieldErrors& errors) {
  if (expression.error.empty()) return;
  if (expression.internal_error) return errors.internal(path, expression.error);
  errors.invalid(path, shown, expression.error);
}

}  // namespace proa::kinds
