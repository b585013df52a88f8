#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules persistent_volume_claim_rules();

// The spec of a claim, also where it is only a template of one.
void validate_claim_spec(View spec, const api::Path& path, api::FieldErrors& errors);
void warn_about_claim_spec(View spec, const api::Path& path, Warnings& warnings);
// What creation and updates do to dataSource and dataSourceRef. `old` may be absent.
void align_data_sources(api::Edit spec, View old);

}  // namespace proa::kinds
