#pragma once

#include <string_view>

#include "api/validation/field_errors.h"
#include "cel/expression/checked.h"

namespace proa::kinds {

// Reports what is wrong with a compiled expression; nothing, if it is accepted. `shown`: the
// expression, as the message shows it.
void report_expression(const cel::CheckedExpression& expression, std::string_view shown,
                       const api::Path& path, api::FieldErrors& errors);

}  // namespace proa::kinds
