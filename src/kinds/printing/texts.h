#pragma once

#include <string>

#include "api/object/view.h"

// Cell texts that several kinds share.

namespace proa::kinds {

// "app=web,tier=front", sorted; "<none>" if there are none.
std::string format_labels(api::View labels);
// One field of all items, joined by commas: the names of containers.
std::string join_member(api::View list, std::string_view member);

}  // namespace proa::kinds
