#pragma once

#include <string>

#include "api/object/view.h"

// A metav1.LabelSelector in an object. A selector is invalid if upstream could not convert it; the
// functions that match or print require a valid one.

namespace proa::kinds {

bool selector_is_valid(api::View selector);
// Neither labels nor expressions: matches everything. An absent selector is not empty.
bool selector_is_empty(api::View selector);
// An absent selector matches nothing.
bool selector_matches(api::View selector, api::View labels);
// "app=web,tier in (a,b)", ordered by key; empty for an absent or empty selector.
std::string selector_text(api::View selector);
// The same for a table cell: "<none>" if empty, "<error>" if invalid.
std::string selector_cell(api::View selector);

}  // namespace proa::kinds
