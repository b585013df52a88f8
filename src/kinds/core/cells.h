#pragma once

#include <string>

#include "kinds/rules.h"

// Texts that cells of several kinds show.

namespace proa::kinds {

// "app=web,tier=front", sorted; "<none>" when there are none.
std::string format_labels(View labels);
// A member of all items, joined by commas: the names of containers.
std::string join_member(View list, std::string_view member);

}  // namespace proa::kinds
