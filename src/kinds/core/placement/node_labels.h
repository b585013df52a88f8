#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// Labels of nodes that have another name by now: what to say about one; empty for all others.
std::string_view deprecated_node_label(std::string_view label);

// About those in a NodeSelectorTerm.
void warn_about_node_labels(View term, const api::Path& path, Warnings& warnings);

}  // namespace proa::kinds
