#pragma once

#include <string>

#include "json/value.h"
#include "scheduler/explain/explanation.h"

namespace proa::scheduler {

// Text for humans: similar nodes are grouped.
std::string show_text(const Explanation& explanation);

// JSON with all details.
json::Document show_json(const Explanation& explanation);

}  // namespace proa::scheduler
