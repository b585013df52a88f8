#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules cron_job_rules();

}  // namespace proa::kinds
