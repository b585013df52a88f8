#pragma once

#include <string>

#include "api/object/view.h"

// A metav1.LabelSelector of an object, and the labels that it may match. REQUIRES, for what depends
// on it: it was validated; one that upstream could not read is called invalid here.

namespace proa::kinds {

bool selector_is_valid(api::View selector);
// Neither labels nor expressions: it matches everything. An absent one is not empty.
bool selector_is_empty(api::View selector);
// An absent selector matches nothing.
bool selector_matches(api::View selector, api::View labels);
// "app=web,tier in (a,b)", ordered by key; nothing for one that is absent or empty.
std::string selector_text(api::View selector);
// The same for a cell of a table: "<none>" where there is nothing, "<error>" where it is invalid.
std::string selector_cell(api::View selector);

}  // namespace proa::kinds
