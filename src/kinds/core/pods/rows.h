#pragma once

#include "kinds/rules.h"

namespace proa::kinds::pods {

std::span<const Column> pod_columns();
void pod_row(View pod, Cells& cells);

std::span<const Column> pod_template_columns();
void pod_template_row(View pod_template, Cells& cells);

}  // namespace proa::kinds::pods
