#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules persistent_volume_claim_rules();

// The spec of a claim or of a claim template.
void validate_claim_spec(View spec, const api::Path& path, api::FieldErrors& errors);
void warn_about_claim_spec(View spec, const api::Path& path, Warnings& warnings);
// Makes dataSource and dataSourceRef agree. `old` may be absent.
void align_data_sources(api::Edit spec, View old);

}  // namespace proa::kinds
