#pragma once

#include <string>

#include "json/value.h"
#include "scheduler/explain/explanation.h"

namespace proa::scheduler {

// For people: a few lines, nodes of a kind together.
std::string show_text(const Explanation& explanation);

// For programs: everything.
json::Document show_json(const Explanation& explanation);

}  // namespace proa::scheduler
