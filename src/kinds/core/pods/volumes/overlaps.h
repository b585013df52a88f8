#pragma once

#include "kinds/rules.h"

namespace proa::kinds::pods {

// Files of a volume that hide each other, or stand where another needs a folder.
void warn_about_overlaps(View volumes, Warnings& warnings);

}  // namespace proa::kinds::pods
