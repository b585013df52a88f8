#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules subject_access_review_rules();
KindRules local_subject_access_review_rules();
KindRules self_subject_access_review_rules();

}  // namespace proa::kinds
