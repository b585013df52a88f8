#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

void validate_service_update(View object, View old, api::FieldErrors& errors);
void validate_service_status_update(View object, View old, api::FieldErrors& errors);

}  // namespace proa::kinds
