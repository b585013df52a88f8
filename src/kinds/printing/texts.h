#pragma once

#include <string>

#include "api/object/view.h"

// Texts that cells of several kinds show.

namespace proa::kinds {

// "app=web,tier=front", sorted; "<none>" when there are none.
std::string format_labels(api::View labels);
// A member of all items, joined by commas: the names of containers.
std::string join_member(api::View list, std::string_view member);

}  // namespace proa::kinds
