#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// The warning about a deprecated node label; empty for all others.
std::string_view deprecated_node_label(std::string_view label);

// Warns about deprecated labels in a NodeSelectorTerm.
void warn_about_node_labels(View term, const api::Path& path, Warnings& warnings);

}  // namespace proa::kinds
