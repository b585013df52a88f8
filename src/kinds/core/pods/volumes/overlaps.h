#pragma once

#include "kinds/rules.h"

namespace proa::kinds::pods {

// Warns about files of a volume that hide each other, or conflict with a directory.
void warn_about_overlaps(View volumes, Warnings& warnings);

}  // namespace proa::kinds::pods
